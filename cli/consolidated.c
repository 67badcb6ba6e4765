/*
 * consolidated.c - restore consolidated metadata after an edit
 *
 * The library removes consolidated metadata when a document below it changes, because it would be stale.  The
 * command notes before an edit which groups have some, and writes it again afterwards.  On a remote store this
 * needs every document, so the command only prints how to do it, unless --consolidate is given.
 */
#include <stdio.h>

#include "cli.h"

/* Which word of a command is the URL that it edits, and for mv also a path in the same store. */
static const struct {
	const char *command;
	int url, path; /* -1: none */
} edits[] = {
    {"attrs", 0, -1}, {"create", 0, -1},      {"resize", 0, -1},   {"append", 0, -1}, {"rm", 0, -1},
    {"cp", 1, -1},    {"conventions", 0, -1}, {"validate", 0, -1}, {"mv", 0, 1},
};

static char *
copy_of(const char *s)
{
	const size_t n = strlen(s) + 1;

	return memcpy(xrealloc(NULL, n), s, n);
}

/* A group is noted once, however many paths lie below it. */
static void
note(struct consolidated *c, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	int has = 0, i;

	for (i = 0; i < c->n; i++)
		if (!strcmp(c->path[i], path))
			return;
	if (zinc_consolidated(c->h, path, &has, &until_stopped, &err) || !has)
		return; /* the command itself reports what cannot be read */
	c->path = xrealloc(c->path, (size_t)(c->n + 1) * sizeof *c->path);
	c->path[c->n++] = copy_of(path);
}

/* The node itself and all groups above it, the node first. */
static void
note_line(struct consolidated *c, const char *path)
{
	char *here = copy_of(path);
	size_t n = strlen(here);

	while (n > 1) {
		here[n] = '\0';
		note(c, here);
		while (n > 0 && here[--n] != '/')
			;
	}
	note(c, "/");
	free(here);
}

/* Some commands edit only with certain options. */
static bool
is_edit(const struct args *a, const char *command)
{
	int i;

	if (!strcmp(command, "validate"))
		return a->repair;
	if (!strcmp(command, "conventions"))
		return a->declare || a->retract;
	if (strcmp(command, "attrs"))
		return true;
	for (i = 1; i < a->words.n; i++)
		if (strchr(a->words.at[i], '='))
			return true;
	return a->removed.n > 0;
}

void
consolidated_note(struct consolidated *c, struct run *r)
{
	const struct args *a = r->args;
	zinc_open_options o = open_options(r, true);
	zinc_error err = ZINC_ERROR_INIT;
	struct text path = {NULL, 0, 0};
	size_t i;

	o.format = NULL; /* --format is that of the new node, not of the hierarchy around it */
	for (i = 0; i < sizeof edits / sizeof *edits && strcmp(edits[i].command, r->command->name); i++)
		;
	if (i == sizeof edits / sizeof *edits || a->dry_run || a->words.n <= edits[i].url ||
	    !is_edit(a, r->command->name))
		return;
	c->url = a->words.at[edits[i].url];
	if (zinc_hierarchy_open_url(&c->h, typed_url(a, c->url), &o, &err))
		return; /* nothing is there yet, or the command reports the error */
	note_line(c, zinc_hierarchy_path(c->h));
	if (edits[i].path >= 0 && a->words.n > edits[i].path) {
		const char *to = a->words.at[edits[i].path];

		text_printf(&path, "/%s", to + (*to == '/'));
		note_line(c, text_str(&path));
	}
	text_free(&path);
}

/* The URL of a group of the hierarchy, spelled as on the command line where possible. */
static void
group_url(struct text *t, const struct consolidated *c, const char *path)
{
	const size_t n = strlen(c->url), below = strlen(zinc_hierarchy_path(c->h));
	size_t root = n;

	if (below > 1 && n > below && !strcmp(c->url + n - below, zinc_hierarchy_path(c->h)))
		root = n - below;
	text_add(t, c->url, root);
	text_puts(t, path[1] ? path : "");
}

/* Other writers may prevent that it is written; the edit itself has not failed then. */
static int
restore(struct consolidated *c, const struct run *r, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct text url = {NULL, 0, 0};
	zinc_status st = ZINC_OK;
	int has = 0, status = DONE;
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(zinc_hierarchy_store(c->h), &caps);
	if (zinc_consolidated(c->h, path, &has, &until_stopped, &err) || has)
		return DONE; /* the group was erased, or a copy wrote its own */
	group_url(&url, c, path);
	if (!(caps.flags & ZINC_CAP_REMOTE) || r->args->consolidate)
		st = zinc_consolidate(c->h, path, 0, &until_stopped, &err);
	else
		complain(DONE, text_str(&url),
			 "its consolidated metadata was removed; to write it again: zinc consolidate %s",
			 text_str(&url));
	if (st == ZINC_E_CONFLICT)
		complain(DONE, text_str(&url),
			 "its consolidated metadata was removed, because other writers change the hierarchy");
	else if (st != ZINC_OK && st != ZINC_E_NOTFOUND)
		status = complain(exit_status(st), text_str(&url), "the change was made, but %s: %s",
				  "consolidated metadata could not be rewritten", zinc_error_text(&err));
	text_free(&url);
	return status;
}

int
consolidated_restore(struct consolidated *c, struct run *r, int status)
{
	int i, s;

	for (i = 0; i < c->n; i++) {
		s = r->args->no_consolidate ? DONE : restore(c, r, c->path[i]);
		status = status == DONE ? s : status;
		free(c->path[i]);
	}
	free(c->path);
	zinc_hierarchy_close(c->h);
	return status;
}
