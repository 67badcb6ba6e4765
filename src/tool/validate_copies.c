/*
 * validate_copies.c - compare consolidated metadata with the documents it was copied from
 *
 * A reader that uses a copy gets the copy's content, so a difference is an error.  Consolidated metadata inside a
 * group's own document is not compared: writers omit it from copies, or leave it empty.
 *
 * Consolidated metadata that no reader can use is also an error, although readers ignore it: a writer intended it.
 *
 * Stale consolidated metadata is one finding, with the first difference as its example: the remedy is always to write
 * all of it again.
 */
#include <stdio.h>

#include "tool/tool.h"

#define CONSOLIDATED "consolidated_metadata"

struct group {
	zinc_check *c;
	const zinc_check_node *node;
	bool *copied; /* for each node of the check: it has a copy here */
	bool damaged;
	char message[200];
	zinc_status status;
	zinc_error *err;
};

/* Only the first difference is reported. */
static void __attribute__((format(printf, 2, 3))) set_message(struct group *g, const char *fmt, ...)
{
	va_list ap;

	if (g->message[0])
		return;
	va_start(ap, fmt);
	vsnprintf(g->message, sizeof g->message, fmt, ap);
	va_end(ap);
}

/* Does the copy equal the document, as JSON values?  Order and spelling may differ between writers. */
static zinc_status
same(zinc_context *ctx, const zinc_json *copy, const zinc_meta *m, bool *out, zinc_error *err)
{
	zinc_json *mine, *stored;
	zinc_json_doc *doc;

	ZINC_TRY(zinc_json_new(&doc, ctx, err));
	mine = zinc_json_copy(doc, copy);
	stored = zinc_json_copy(doc, zinc_json_root(m->doc));
	(void)(zinc_json_remove(mine, CONSOLIDATED), zinc_json_remove(stored, CONSOLIDATED));
	*out = zinc_json_equal(mine, stored);
	zinc_json_free(doc);
	return mine && stored ? ZINC_OK : zinc_fail_nomem(err);
}

/* Marked by node, because one node may have two copies, "a" and "/a". */
static void
mark_copied(struct group *g, const char *path, size_t n)
{
	const zinc_check_node *node = zinc_check_find(g->c, path, n);

	if (node)
		g->copied[node - g->c->nodes] = true;
}

/* Compare one copy with its document. */
static zinc_status
compare(struct group *g, const char *below, const char *path, const zinc_json *copy)
{
	zinc_hierarchy *h = g->c->h;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;
	bool equal;

	zinc_report_init_quiet(&r, g->c->ctx, false);
	st = zinc_read_node(h, path, &r, &m, &e);
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(g->err);
	if (st == ZINC_E_NOTFOUND)
		set_message(g, "it has a copy of \"%.100s\", which does not exist", below);
	if (st != ZINC_OK) /* a damaged document was already reported */
		return ZINC_OK;
	st = same(g->c->ctx, copy, m, &equal, g->err);
	if (st == ZINC_OK && !equal)
		set_message(g, "its copy of \"%.100s\" differs from the document", below);
	zinc_meta_free(m);
	return st;
}

/* Is it a valid path of a node?  Readers ignore the others. */
static bool
is_path(const zinc_format *f, const char *below)
{
	for (;;) {
		const size_t n = strcspn(below, "/");

		if (f->check_name(f, below, n, NULL) != ZINC_OK)
			return false;
		if (!below[n])
			return true;
		below += n + 1;
	}
}

static int
compare_copy(void *arg, const char *below, const zinc_json *copy)
{
	struct group *g = arg;
	zinc_buf path;

	if (!is_path(g->c->h->format, below)) {
		set_message(g, "it has a copy of \"%.100s\", which is not a valid node name", below);
		return 0;
	}
	zinc_buf_init(&path, g->c->ctx, ZINC_MAX_KEY);
	g->status = zinc_buf_printf(&path, g->err, "/%s%s", g->node->prefix, below);
	if (g->status == ZINC_OK)
		g->status =
		    zinc_buf_text(&path) ? compare(g, below, zinc_buf_text(&path), copy) : zinc_fail_nomem(g->err);
	if (g->status == ZINC_OK)
		g->status = zinc_buf_puts(&path, "/", g->err);
	if (g->status == ZINC_OK)
		mark_copied(g, (const char *)path.p + 1, path.n - 1);
	zinc_buf_fini(&path);
	return g->status != ZINC_OK;
}

/* Does every document below the group have its copy? */
static bool
is_complete(const struct group *g)
{
	const char *prefix = g->node->prefix;
	const size_t n = strlen(prefix);
	size_t i;

	for (i = 0; i < g->c->nnodes; i++)
		if (strncmp(g->c->nodes[i].prefix, prefix, n) == 0 && g->c->nodes[i].prefix[n] && !g->copied[i])
			return false;
	return true;
}

/* Write it again; if that fails because a document is damaged, remove it: readers then use the documents. */
static bool
repair(zinc_check *c, const char *path)
{
	if (!c->o.repair)
		return false;
	return zinc_consolidate(c->h, path, 0, NULL, NULL) == ZINC_OK ||
	       zinc_consolidate(c->h, path, 1, NULL, NULL) == ZINC_OK;
}

static zinc_status
report(struct group *g)
{
	zinc_check *c = g->c;
	zinc_finding f = {.level = ZINC_LEVEL_ERROR, .rule = "consolidated", .pointer = "/" CONSOLIDATED};
	char message[sizeof g->message + 64];
	zinc_status st;
	zinc_buf path;

	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	st = zinc_check_path(&path, g->node->prefix, strlen(g->node->prefix), g->err);
	if (st == ZINC_OK) {
		snprintf(message, sizeof message, "the consolidated metadata is %s: %s",
			 g->damaged ? "damaged" : "stale", g->message);
		f.path = zinc_buf_text(&path);
		f.message = message;
		f.fix = "zinc validate --repair rewrites it";
		f.repaired = repair(c, f.path);
		zinc_check_found(c, &f);
	}
	zinc_buf_fini(&path);
	return st;
}

/* What prevents the comparison is also a finding. */
static zinc_status
unreadable(zinc_check *c, const char *path, const zinc_error *e, zinc_error *err)
{
	zinc_kept_list list = {.ctx = c->ctx};

	if (e->code == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	zinc_kept_error(&list, c, e, "read", path, e->key);
	return zinc_check_report_kept(c, &list, err);
}

static zinc_status
compare_all(struct group *g, const char *path)
{
	zinc_hierarchy *h = g->c->h;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;
	bool has;

	zinc_report_init_quiet(&r, g->c->ctx, false);
	st = zinc_read_node(h, path, &r, &m, g->err);
	if (st == ZINC_OK)
		st = zinc_copies_each(h, path, m, &has, compare_copy, g, g->err);
	zinc_meta_free(m);
	return st == ZINC_OK ? g->status : st;
}

static zinc_status
check_group(zinc_check *c, const zinc_check_node *node, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	struct group g = {.c = c, .node = node, .err = &e};
	bool compared = false;
	zinc_status st;
	zinc_buf path;

	g.copied = zinc_calloc(c->ctx, c->nnodes + 1, sizeof *g.copied);
	if (!g.copied)
		return zinc_fail_nomem(err);
	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	st = zinc_check_path(&path, node->prefix, strlen(node->prefix), &e);
	if (st == ZINC_OK)
		st = compare_all(&g, zinc_buf_text(&path));
	g.damaged = st == ZINC_E_CORRUPT;
	if (g.damaged)
		set_message(&g, "%s", e.text);
	else if (st != ZINC_OK)
		st = unreadable(c, zinc_buf_text(&path) ? zinc_buf_text(&path) : "", &e, err);
	else
		compared = true;
	zinc_buf_fini(&path);
	if (compared && !is_complete(&g))
		set_message(&g, "nodes are missing from it");
	zinc_free(c->ctx, g.copied);
	if (!compared && !g.damaged)
		return st;
	g.err = err;
	return g.message[0] ? report(&g) : ZINC_OK;
}

static int
stop_at_first(void *arg, const char *below, const zinc_json *copy)
{
	(void)arg, (void)below, (void)copy;
	return 1;
}

/* The root of a draft may have copies and no document; then it is not among the nodes. */
static zinc_status
check_bare_root(zinc_check *c, zinc_error *err)
{
	static char nothing[] = "";
	const zinc_check_node root = {.prefix = nothing, .kind = ZINC_NODE_GROUP};
	zinc_error e = ZINC_ERROR_INIT;
	bool has = false;
	size_t i;

	if (c->h->format->copies.of != ZINC_COPIES_OF_ROOT || c->h->path[1])
		return ZINC_OK;
	for (i = 0; i < c->nnodes; i++)
		if (!c->nodes[i].prefix[0])
			return ZINC_OK;
	if (zinc_copies_each(c->h, "/", NULL, &has, stop_at_first, NULL, &e) == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	return has ? check_group(c, &root, err) : ZINC_OK;
}

zinc_status
zinc_check_copies(zinc_check *c, zinc_error *err)
{
	size_t i;

	for (i = 0; i < c->nnodes && !c->stopped; i++)
		if (c->nodes[i].copies) {
			ZINC_TRY(zinc_check_cancelled(c, err));
			ZINC_TRY(check_group(c, &c->nodes[i], err));
		}
	return c->stopped ? ZINC_OK : check_bare_root(c, err);
}
