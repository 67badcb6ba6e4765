/* cmd_rm.c - zinc rm: erase a node and everything below it */
#include <stdio.h>
#include <unistd.h>

#include "cli.h"

struct rm {
	struct run *run;
	const char *url;
};

/* With --dry-run each node is named. */
static int
name_node(void *arg, const char *path)
{
	struct rm *m = arg;

	out_printf(&m->run->out, "would erase %s\n", path);
	return interrupted();
}

static bool
confirmed(const char *url, const zinc_erase_counts *n, bool force)
{
	struct text shown = {NULL, 0, 0};
	int c, first;

	text_escape(&shown, url, strlen(url), ESCAPE_LINE);
	if (force)
		fprintf(stderr, "erase all %llu keys below %s", (unsigned long long)n->keys, text_str(&shown));
	else
		fprintf(stderr, "erase %s and its chunks", text_str(&shown));
	text_free(&shown);
	if (n->nodes > 1)
		fprintf(stderr, ", %llu nodes in all", (unsigned long long)n->nodes);
	fputs("? [y/N] ", stderr);
	first = c = getchar();
	while (c != '\n' && c != EOF)
		c = getchar();
	return first == 'y' || first == 'Y';
}

/* Check everything first, so that a refusal comes before the question to the user and before a parent is written. */
static int
check_erase(struct rm *m, zinc_hierarchy *h, zinc_erase_counts *n)
{
	const struct args *a = m->run->args;
	const char *path = zinc_hierarchy_path(h);
	zinc_erase_options o = ZINC_ERASE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	const int status = may_write(m->url, h);

	if (status != DONE)
		return status;
	o.force = a->force;
	o.call = &until_stopped;
	o.dry_run = 1;
	o.fn = a->dry_run ? name_node : NULL;
	o.arg = m;
	if (zinc_node_erase_with(h, path, &o, n, &err) && !interrupted())
		return fail(m->url, &err);
	if (interrupted())
		return CANCELLED;
	if (a->dry_run && a->force)
		out_printf(&m->run->out, "would erase all %llu keys below %s\n", (unsigned long long)n->keys, path);
	return DONE;
}

static int
erase(struct rm *m, zinc_hierarchy *h)
{
	const char *path = zinc_hierarchy_path(h);
	const struct args *a = m->run->args;
	zinc_erase_options o = ZINC_ERASE_OPTIONS_INIT;
	zinc_erase_counts n = ZINC_ERASE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	const bool ask = !a->yes && !a->dry_run;
	int status;

	if (ask && !isatty(STDIN_FILENO))
		return complain(USAGE, m->url, "cannot ask for confirmation without a terminal; --yes erases it");
	status = ask || a->dry_run || a->keep_parents ? check_erase(m, h, &n) : DONE;
	if (status != DONE || a->dry_run)
		return status;
	if (ask && !confirmed(m->url, &n, a->force))
		return complain(TROUBLE, m->url, "nothing was erased");
	if (a->keep_parents && zinc_node_keep_parents(h, path, &until_stopped, &err))
		return fail(m->url, &err);
	o.force = a->force;
	o.call = &until_stopped;
	return zinc_node_erase_with(h, path, &o, NULL, &err) ? fail(m->url, &err) : DONE;
}

/* --force also erases places that cannot be opened: no Zarr, a broken entry point, an unknown extension of a whole
 * hierarchy.  Then the URL is the root, with a format that has no entry point and needs no search.  The store
 * begins above the URL, so that a symbolic link is erased and not its target. */
static zinc_status
open_forced(struct rm *m, bool write, zinc_hierarchy **h)
{
	zinc_open_options o = open_options(m->run, write);

	o.create = 1;
	o.climb = -1;
	o.format = "v3";
	return zinc_hierarchy_open_url(h, typed_url(m->run->args, m->url), &o, NULL);
}

/* The number of keys at a place that is not Zarr; only --force erases them. */
static uint64_t
count_keys(struct rm *m)
{
	const zinc_erase_options o = {.size = sizeof o, .force = 1, .dry_run = 1};
	zinc_erase_counts n = ZINC_ERASE_COUNTS_INIT;
	zinc_hierarchy *h = NULL;

	if (open_forced(m, false, &h) != ZINC_OK ||
	    zinc_node_erase_with(h, zinc_hierarchy_path(h), &o, &n, NULL) != ZINC_OK)
		n.keys = 0;
	zinc_hierarchy_close(h);
	return n.keys;
}

static int
open_any(struct rm *m, zinc_hierarchy **h)
{
	zinc_open_options o = open_options(m->run, true);
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_status st = zinc_hierarchy_open_url(h, typed_url(m->run->args, m->url), &o, &err);
	uint64_t n;

	if (st == ZINC_OK)
		return DONE;
	if (st != ZINC_E_NOTFOUND && st != ZINC_E_CORRUPT && st != ZINC_E_UNSUPPORTED)
		return fail(m->url, &err);
	n = count_keys(m);
	if (n > 0 && m->run->args->force && open_forced(m, true, h) == ZINC_OK)
		return DONE;
	if (n > 0 && st == ZINC_E_NOTFOUND)
		return complain(TROUBLE, m->url, "not a Zarr node, but it has %llu key%s; --force erases %s",
				(unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
	return fail(m->url, &err);
}

int
cmd_rm(struct run *r)
{
	struct rm m = {.run = r, .url = r->args->words.at[0]};
	zinc_hierarchy *h = NULL;
	int status = open_any(&m, &h);

	if (status == DONE)
		status = erase(&m, h);
	zinc_hierarchy_close(h);
	return status;
}
