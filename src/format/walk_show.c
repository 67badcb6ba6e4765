/*
 * walk_show.c - show one node of a listing
 *
 * Promises:
 *
 * (1) A node whose document cannot be used is shown with its problem, and hides no other node.  If the document could
 *     not even be read, the whole listing fails with that status, since the nodes below it are not known.
 * (2) A directory without a document is a node only if it has descendants (lenient), with rule M25; in strict mode that
 *     is its problem.  In versions without such a rule, groups need no document.
 * (3) A child of another version of Zarr, or of an unknown one, is shown as hidden.  So are nodes of other versions at
 *     any depth below a directory that is not a node.
 */
#include <stdio.h>

#include "format/walk.h"

/* The path is made once per node; everything that shows the node borrows it. */
zinc_status
zinc_walker_at(zinc_walker *w, const char *below, size_t n, zinc_error *err)
{
	zinc_buf_end(&w->path, 0);
	ZINC_TRY(zinc_buf_add(&w->path, w->base.p, w->base.n, err));
	if (n > 0 || w->base.n == 0)
		ZINC_TRY(zinc_buf_puts(&w->path, "/", err));
	ZINC_TRY(zinc_buf_add(&w->path, below, n, err));
	return zinc_buf_text(&w->path) ? ZINC_OK : zinc_fail_nomem(err);
}

/* The key of a node of this kind at this path. */
static zinc_status
make_key(zinc_walker *w, zinc_node_kind kind, zinc_error *err)
{
	zinc_buf_end(&w->key, 0);
	ZINC_TRY(zinc_node_key(w->h, zinc_buf_text(&w->path), kind, &w->key, err));
	return zinc_buf_text(&w->key) ? ZINC_OK : zinc_fail_nomem(err);
}

/* `st` is the result of reading its document, with its error in `problem`.  Takes node->meta. */
static zinc_status
show(zinc_walker *w, zinc_found_node *node, zinc_status st, zinc_error *problem, zinc_error *err)
{
	if (st != ZINC_E_NOMEM)
		st = make_key(w, node->kind, NULL) == ZINC_OK ? st : ZINC_E_NOMEM;
	if (st == ZINC_E_NOMEM) {
		zinc_meta_free(node->meta);
		return zinc_fail_nomem(err);
	}
	if (st != ZINC_OK) {
		zinc_error_at_key(problem, st, zinc_buf_text(&w->key));
		zinc_error_at_url(problem, st, w->h->url);
		node->problem = problem;
		if (st != ZINC_E_CORRUPT && st != ZINC_E_UNSUPPORTED && st != ZINC_E_LIMIT && w->unread.code == ZINC_OK)
			w->unread = *problem;
	}
	node->path = zinc_buf_text(&w->path);
	node->key = node->implicit ? "" : zinc_buf_text(&w->key);
	w->stopped = w->fn(w->arg, node) != 0;
	zinc_meta_free(w->array);
	w->array = NULL;
	if (node->kind == ZINC_NODE_ARRAY)
		w->array = node->meta;
	else
		zinc_meta_free(node->meta);
	return ZINC_OK;
}

zinc_status
zinc_walker_below(zinc_walker *w, zinc_error *err)
{
	if (!w->array || w->stopped)
		return ZINC_OK;
	return zinc_hidden_below(w->h, zinc_buf_text(&w->path), w->array, w->fn, w->arg, &w->stopped, err);
}

/* The name may have any bytes; the shown text is printable. */
zinc_status
zinc_walker_hidden(zinc_walker *w, const char *path, zinc_status st, const char *why, zinc_error *err)
{
	zinc_found_node node = {.kind = ZINC_NODE_NONE, .hidden = true, .key = ""};
	zinc_error problem = ZINC_ERROR_INIT;
	char shown[2200];

	ZINC_TRY(zinc_walker_at(w, shown, zinc_show(shown, sizeof shown, path), err));
	zinc_fail(&problem, st, "cannot be shown: %s", why);
	zinc_error_at_url(&problem, st, w->h->url);
	node.path = zinc_buf_text(&w->path);
	node.problem = &problem;
	w->stopped = w->fn(w->arg, &node) != 0;
	return ZINC_OK;
}

/* Groups without a document, with descendants, were valid until 2024, and are in some versions: (2). */
zinc_status
zinc_walker_implicit(zinc_walker *w, zinc_error *err)
{
	zinc_found_node node = {.kind = ZINC_NODE_GROUP, .implicit = true};
	zinc_error problem = ZINC_ERROR_INIT;
	const char *where = w->r->where, *rule = w->h->format->bare_groups ? NULL : zinc_rule(w->h->format, "M25");
	zinc_status st;

	w->r->where = zinc_buf_text(&w->path);
	st = rule ? zinc_report_lenient(w->r, rule, &problem, "a group without a document") : ZINC_OK;
	w->r->where = where;
	return show(w, &node, st, &problem, err);
}

/* A copy becomes a separate document, since the metadata may outlive the consolidated document. */
zinc_status
zinc_walker_copy(zinc_walker *w, const zinc_json *copy, zinc_error *err)
{
	zinc_found_node node = {.kind = w->h->format->kind(copy), .copy = true};
	zinc_error problem = ZINC_ERROR_INIT;
	const char *where = w->r->where;
	zinc_json_doc *doc;
	zinc_status st;

	ZINC_TRY(make_key(w, node.kind, err));
	ZINC_TRY(zinc_json_new(&doc, w->h->ctx, err));
	zinc_json_set_root(doc, zinc_json_copy(doc, copy));
	if (!zinc_json_root(doc)) {
		zinc_json_free(doc);
		return zinc_fail_nomem(err);
	}
	w->r->where = zinc_buf_text(&w->key);
	st = w->h->format->parse(w->h->format, w->h->ctx, doc, ZINC_NODE_NONE, w->r, &node.meta, &problem);
	w->r->where = where;
	return show(w, &node, st, &problem, err);
}

/* ---- other versions of Zarr ---- */

zinc_status
zinc_walker_detect_at(zinc_walker *w, const char *prefix, const zinc_format **format, zinc_error *why, zinc_error *err)
{
	zinc_node_kind kind;
	zinc_status st;

	*format = NULL;
	st = zinc_format_detect(w->h->store, prefix, NULL, format, &kind, NULL, NULL, w->h->wait, why);
	if (st == ZINC_E_NOMEM || st == ZINC_E_CANCELLED)
		return zinc_error_copy(err, why);
	if (st == ZINC_OK)
		why->code = ZINC_OK;
	return ZINC_OK;
}

zinc_status
zinc_walker_detect(zinc_walker *w, const char *name, const zinc_format **format, zinc_error *why, zinc_error *err)
{
	zinc_status st;
	zinc_buf prefix;

	*format = NULL;
	zinc_buf_init(&prefix, w->h->ctx, ZINC_MAX_KEY);
	st = zinc_node_prefix(w->h, zinc_buf_text(&w->path), &prefix, err);
	if (st == ZINC_OK)
		st = zinc_buf_printf(&prefix, err, "%s%s", name, *name ? "/" : "");
	if (st == ZINC_OK)
		st = zinc_walker_detect_at(w, zinc_buf_text(&prefix), format, why, err);
	zinc_buf_fini(&prefix);
	return st;
}

/* A node of another version of Zarr.  Its descendants are not listed. */
static zinc_status
show_other(zinc_walker *w, const zinc_format *format, const zinc_error *why, zinc_error *err)
{
	char text[160], *path = zinc_strdup(w->h->ctx, zinc_buf_text(&w->path) + w->base.n + 1);
	zinc_status st;

	if (!path)
		return zinc_fail_nomem(err);
	if (format)
		snprintf(text, sizeof text, ZINC_OTHER_VERSION, format->id);
	st = zinc_walker_hidden(w, path, format ? ZINC_E_UNSUPPORTED : why->code, format ? text : why->text, err);
	zinc_free(w->h->ctx, path);
	return st;
}

/* Is there a child of another or an unknown version at the current path?  Then show it as hidden. */
static zinc_status
show_foreign(zinc_walker *w, bool *shown, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	const zinc_format *format;

	*shown = false;
	if (w->path.n <= w->base.n + 1 || w->h->entry) /* the node itself, or without its own directory */
		return ZINC_OK;
	ZINC_TRY(zinc_walker_detect(w, "", &format, &why, err));
	*shown = format ? format != w->h->format : why.code != ZINC_OK;
	return *shown ? show_other(w, format, &why, err) : ZINC_OK;
}

/* Show the node whose documents are `docs`. */
static zinc_status
show_fetched(zinc_walker *w, const zinc_fetched *docs, char *const *keys, zinc_node_kind *kind, zinc_error *err)
{
	zinc_found_node node = {.kind = *kind};
	zinc_error problem = ZINC_ERROR_INIT;
	const char *where = w->r->where;
	zinc_status st;
	bool foreign;

	st = zinc_documents_status(w->h->format, docs, keys, &problem);
	if (st == ZINC_OK)
		st = zinc_documents_parse(w->h, docs, keys, w->r, &node.meta, &node.kind, &problem);
	w->r->where = where;
	*kind = node.kind;
	if (st == ZINC_E_CORRUPT || st == ZINC_E_UNSUPPORTED) {
		ZINC_TRY(show_foreign(w, &foreign, err));
		if (foreign) {
			*kind = ZINC_NODE_NONE;
			return ZINC_OK;
		}
	}
	return show(w, &node, st, &problem, err);
}

/* ---- groups without a document ---- */

struct probe {
	zinc_hidden x;
	uint64_t left;
	bool unreachable; /* there may be a node that has no key */
	zinc_status status;
	zinc_error *err;
};

/* The first document of the hierarchy's version is enough. */
static int
probe_key(void *arg, const char *key, uint64_t nbytes)
{
	struct probe *p = arg;

	(void)nbytes;
	p->status = zinc_hidden_key(&p->x, key, p->err);
	return p->status != ZINC_OK || p->x.own || p->left-- == 0;
}

static int
probe_non_key(void *arg, const zinc_non_key *non_key)
{
	struct probe *p = arg;

	p->unreachable = p->unreachable || zinc_non_key_may_hide_node(p->x.h, non_key);
	return 0;
}

/* Is any node below the prefix of w->path?  If all of them are of other versions, show them as hidden, unless the
 * prefix is that of the listed node itself: then there is none.  Where groups need no document, one that may hold only
 * nodes that cannot be reached is shown, so that a list of it names these. */
static zinc_status
show_prefix(zinc_walker *w, bool *implicit, zinc_error *err)
{
	struct probe p = {.left = w->h->ctx->limits.children, .err = err};
	const zinc_lister to = {.size = sizeof to, .key = probe_key, .non_key = probe_non_key, .arg = &p};
	const bool child = w->path.n > w->base.n + 1;
	zinc_status st;
	zinc_buf prefix;

	zinc_buf_init(&prefix, w->h->ctx, ZINC_MAX_KEY);
	zinc_hidden_init(&p.x, w->h);
	st = zinc_node_prefix(w->h, zinc_buf_text(&w->path), &prefix, err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix) ? zinc_store_walk(w->h->store, zinc_buf_text(&prefix), &to, w->h->wait, err)
					    : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = p.status;
	*implicit = p.x.own || (w->h->format->bare_groups && p.unreachable);
	if (st == ZINC_OK && !*implicit && child)
		st = zinc_hidden_each(&p.x, w->fn, w->arg, &w->stopped, err);
	zinc_hidden_fini(&p.x);
	zinc_buf_fini(&prefix);
	return st == ZINC_OK && *implicit ? zinc_walker_implicit(w, err) : st;
}

zinc_status
zinc_walker_stored(zinc_walker *w, const zinc_fetched *docs, char *const *keys, zinc_node_kind *kind, zinc_error *err)
{
	bool foreign, implicit;

	if (!zinc_documents_missing(w->h->format, docs))
		return show_fetched(w, docs, keys, kind, err);
	*kind = ZINC_NODE_NONE;
	if (w->h->entry) /* it was erased meanwhile */
		return ZINC_OK;
	ZINC_TRY(show_foreign(w, &foreign, err));
	if (foreign)
		return ZINC_OK;
	ZINC_TRY(show_prefix(w, &implicit, err));
	*kind = implicit ? ZINC_NODE_GROUP : ZINC_NODE_NONE;
	return ZINC_OK;
}
