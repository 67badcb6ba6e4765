/* cmd_rm.c - zinc rm: erase a node and everything below it */
#include <stdio.h>
#include <unistd.h>

#include "cli.h"

struct rm {
	struct run *run;
	uint64_t nodes;
};

/* Count what will go; with --dry-run name it. */
static int
count(void *arg, const zinc_node *node)
{
	struct rm *m = arg;

	m->nodes++;
	if (m->run->args->dry_run)
		out_printf(&m->run->out, "would erase %s\n", node->path);
	return interrupted();
}

static bool
confirmed(const char *url, uint64_t nodes)
{
	struct text shown = {NULL, 0, 0};
	int c, first;

	text_escape(&shown, url, strlen(url), ESCAPE_LINE);
	fprintf(stderr, "erase %s and its chunks", text_str(&shown));
	text_free(&shown);
	if (nodes > 1)
		fprintf(stderr, ", %llu nodes in all", (unsigned long long)nodes);
	fputs("? [y/N] ", stderr);
	first = c = getchar();
	while (c != '\n' && c != EOF)
		c = getchar();
	return first == 'y' || first == 'Y';
}

static int
erase(struct rm *m, const char *url, zinc_hierarchy *h)
{
	const char *path = zinc_hierarchy_path(h);
	const struct args *a = m->run->args;
	zinc_error err = ZINC_ERROR_INIT;
	bool ask = !a->yes && !a->dry_run;

	if (ask && !isatty(STDIN_FILENO))
		return complain(USAGE, url, "nobody can be asked here; --yes erases it");
	if ((ask || a->dry_run) && zinc_node_walk(h, path, -1, count, m, &err))
		return fail(url, &err);
	if (interrupted())
		return CANCELLED;
	if (a->dry_run)
		return DONE;
	if (ask && !confirmed(url, m->nodes))
		return complain(TROUBLE, url, "nothing was erased");
	if (a->keep_parents && zinc_node_keep_parents(h, path, &err))
		return fail(url, &err);
	return zinc_node_erase(h, path, &err) ? fail(url, &err) : DONE;
}

int
cmd_rm(struct run *r)
{
	struct rm m = {.run = r};
	const char *url = r->args->words.at[0];
	zinc_hierarchy *h = NULL;
	int status = open_node(r, url, !r->args->dry_run, &h);

	if (status == DONE)
		status = erase(&m, url, h);
	zinc_hierarchy_close(h);
	return status;
}
