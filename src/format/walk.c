/*
 * walk.c - list children and walk hierarchies, in every version of Zarr
 *
 * A group's children cost one list_dir and one batched get of their documents (one get per WINDOW children, so that a
 * million of them need not fit into memory at once).  Where documents have their own tree, everything below a node
 * costs one list.  With consolidated metadata at the group or above, it costs the one get that found it.  Promises:
 *
 * (1) Parents come before their children, siblings in byte order of their names; those that cannot be shown come first.
 * (2) One level of an array's directory is read, if that is short (hidden.c).
 * (3) The node itself is read from its own document, its descendants from the nearest copies.
 * (4) Depth costs memory, but no stack.
 */
#include "format/consolidate.h"
#include "format/walk.h"

/* Number of items whose documents are held at once. */
#define WINDOW 1024

/* Which nodes a listing shows, and from which source. */
struct request {
	bool self;
	bool stored; /* not from consolidated metadata */
	bool copies; /* only from consolidated metadata: the nodes below; the node itself is not shown */
};

/* ---- documents of many items ---- */

static const zinc_item *
item_at(const zinc_level *l, size_t i)
{
	return (const zinc_item *)(const void *)l->items.p + i;
}

static size_t
window(const zinc_level *l)
{
	return l->n < WINDOW ? l->n : WINDOW;
}

/* Which documents of an item are fetched?  If keys are known, only the one that counts. */
static void
wanted(const zinc_level *l, const zinc_item *item, size_t *from, size_t *to)
{
	size_t i;

	*from = 0;
	*to = item->has || item->copy ? 0 : l->per;
	for (i = l->per; i-- > 0;) {
		if (item->has & (1u << i)) {
			*from = i;
			*to = i + 1;
		}
	}
}

/* Also frees the keys of a window that a failure cut short. */
static void
drop_window(zinc_context *ctx, zinc_level *l)
{
	size_t i;

	zinc_fetched_fini(ctx, l->docs, l->ndocs);
	for (i = 0; l->keys && i < window(l) * l->per; i++) {
		zinc_free(ctx, l->keys[i]);
		l->keys[i] = NULL;
	}
	l->ndocs = l->doc = 0;
}

/* Add the keys of the documents to fetch for one item to the n that are there. */
static zinc_status
item_keys(zinc_walker *w, zinc_level *l, const zinc_item *item, size_t *n, zinc_error *err)
{
	size_t i, to;

	ZINC_TRY(zinc_walker_at(w, item->path, item->n, err));
	for (wanted(l, item, &i, &to); i < to; i++) {
		zinc_buf_end(&w->key, 0);
		ZINC_TRY(zinc_document_key(w->h, zinc_buf_text(&w->path), i, &w->key, err));
		l->keys[*n] = zinc_strndup(w->h->ctx, (const char *)w->key.p, w->key.n);
		if (!l->keys[(*n)++])
			return zinc_fail_nomem(err);
	}
	return ZINC_OK;
}

/* Fetch the documents of the next items. */
static zinc_status
next_window(zinc_walker *w, zinc_level *l, zinc_error *err)
{
	size_t n = 0;

	if (!l->keys) {
		l->keys = zinc_calloc(w->h->ctx, window(l) * l->per, sizeof *l->keys);
		l->docs = zinc_calloc(w->h->ctx, window(l) * l->per, sizeof *l->docs);
		if (!l->keys || !l->docs)
			return zinc_fail_nomem(err);
	}
	drop_window(w->h->ctx, l);
	for (; l->held < l->n && l->held < l->at + WINDOW; l->held++)
		ZINC_TRY(item_keys(w, l, item_at(l, l->held), &n, err));
	if (n > 0)
		ZINC_TRY(zinc_known_fetch(w->h->known, w->h->store, l->keys, n, l->docs, w->h->wait, err));
	l->ndocs = n;
	return ZINC_OK;
}

/* ---- one item ---- */

/* The keys show which other documents exist. */
static zinc_status
show_told(zinc_walker *w, const zinc_level *l, const zinc_item *item, size_t which, zinc_node_kind *kind,
	  zinc_error *err)
{
	zinc_fetched docs[ZINC_DOCUMENTS_MAX] = {{.found = ZINC_MISSING}};
	char *keys[ZINC_DOCUMENTS_MAX];
	size_t i;

	if (l->docs[l->doc].found == ZINC_MISSING) /* it was erased meanwhile */
		return ZINC_OK;
	for (i = 0; i < l->per; i++) {
		docs[i].found = item->has & (1u << i) ? ZINC_FOUND : ZINC_MISSING;
		keys[i] = l->keys[l->doc];
	}
	docs[which] = l->docs[l->doc];
	*kind = zinc_item_kind(w->h->format, item);
	return zinc_walker_stored(w, docs, keys, kind, err);
}

/* *kind: the kind of node; for a group the nodes below follow. */
static zinc_status
show_item(zinc_walker *w, zinc_level *l, const zinc_item *item, zinc_node_kind *kind, zinc_error *err)
{
	zinc_status st;
	size_t from, to;

	*kind = ZINC_NODE_NONE;
	if (item->has & ZINC_HAS_NO_PATH)
		return zinc_item_refused(w, item, err);
	ZINC_TRY(zinc_walker_at(w, item->path, item->n, err));
	if (item->copy)
		return zinc_walker_copy(w, item->copy, err);
	wanted(l, item, &from, &to);
	if (from == to)
		return zinc_walker_implicit(w, err);
	st = item->has ? show_told(w, l, item, from, kind, err)
		       : zinc_walker_stored(w, &l->docs[l->doc], &l->keys[l->doc], kind, err);
	l->doc += to - from;
	return st;
}

/* ---- levels ---- */

static void
level_free(zinc_context *ctx, zinc_level *l)
{
	drop_window(ctx, l);
	zinc_free(ctx, l->docs);
	zinc_free(ctx, l->keys);
	zinc_level_fini(l);
	zinc_free(ctx, l);
}

/* Push the nodes below `parent`, or those that `metadata` has below `below`, on the stack. */
static zinc_status
push(zinc_walker *w, zinc_level **top, const char *parent, const zinc_json *metadata, const char *below,
     zinc_error *err)
{
	zinc_level *l = zinc_calloc(w->h->ctx, 1, sizeof *l);
	zinc_status st;

	if (!l)
		return zinc_fail_nomem(err);
	zinc_level_init(l, w->h);
	l->up = *top;
	st = zinc_walker_at(w, parent, strlen(parent), err);
	if (st == ZINC_OK)
		st = metadata ? zinc_level_copies(l, w, metadata, below, err) : zinc_level_list(l, w, parent, err);
	if (st == ZINC_OK)
		*top = l;
	else
		level_free(w->h->ctx, l);
	return st;
}

/* Show the next item on the stack.  If it is a group and not too deep, push its children. */
static zinc_status
step(zinc_walker *w, zinc_level **top, zinc_error *err)
{
	zinc_level *l = *top;
	const zinc_item *item = item_at(l, l->at);
	zinc_node_kind kind;

	if (l->at == l->held)
		ZINC_TRY(next_window(w, l, err));
	l->at++;
	ZINC_TRY(show_item(w, l, item, &kind, err));
	if (w->stopped || (w->depth >= 0 && zinc_path_levels(item->path, item->n) >= w->depth))
		return ZINC_OK;
	if (kind == ZINC_NODE_GROUP && !l->whole) {
		ZINC_TRY(push(w, top, item->path, NULL, NULL, err));
		return zinc_level_order(*top, w, item->path, kind, err);
	}
	return kind == ZINC_NODE_ARRAY ? zinc_walker_below(w, err) : ZINC_OK;
}

/* A stack of levels instead of recursion: (4).  `self` is the kind of the node above the first level. */
static zinc_status
show_levels(zinc_walker *w, zinc_level **top, zinc_node_kind self, zinc_error *err)
{
	zinc_status st = zinc_level_order(*top, w, "", self, err);

	while (*top) {
		if (st == ZINC_OK && !w->stopped && (*top)->at < (*top)->n) {
			st = step(w, top, err);
		} else {
			zinc_level *up = (*top)->up;

			level_free(w->h->ctx, *top);
			*top = up;
		}
	}
	return st;
}

/* ---- consolidated metadata ---- */

/* The consolidated metadata nearest to the node: its own, or an ancestor's.  *doc is NULL when there is none. */
static zinc_status
find_copies(zinc_walker *w, const zinc_line *line, zinc_json_doc **doc, const zinc_json **metadata, size_t *at,
	    zinc_error *err)
{
	bool large; /* readers do not use it */

	*doc = NULL;
	for (*at = line->n; *at > 0 && !*doc;) {
		(*at)--;
		ZINC_TRY(zinc_copies_find(w->h, &line->docs[*at * line->per], doc, metadata, &large, err));
	}
	return ZINC_OK;
}

/* Everything below the node from copies; *has: there are some. */
static zinc_status
show_copies(zinc_walker *w, const zinc_line *line, bool *has, zinc_error *err)
{
	const zinc_json *metadata = NULL;
	zinc_json_doc *doc;
	zinc_level *top = NULL;
	zinc_status st = ZINC_OK;
	zinc_buf below;
	size_t at;

	ZINC_TRY(find_copies(w, line, &doc, &metadata, &at, err));
	*has = doc != NULL;
	if (!doc)
		return ZINC_OK;
	zinc_buf_init(&below, w->h->ctx, ZINC_MAX_KEY);
	if (w->base.n > line->npath[at]) { /* "/x/a/b" in the copies of "/x" is "a/b/" */
		const size_t skip = line->npath[at] + (at > 0);

		st = zinc_buf_add(&below, w->base.p + skip, w->base.n - skip, err);
		if (st == ZINC_OK)
			st = zinc_buf_puts(&below, "/", err);
	}
	if (st == ZINC_OK)
		st = zinc_buf_text(&below) ? push(w, &top, "", metadata, zinc_buf_text(&below), err)
					   : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = show_levels(w, &top, ZINC_NODE_GROUP, err);
	zinc_buf_fini(&below);
	zinc_json_free(doc);
	return st;
}

/* ---- the node itself ---- */

/* For children: an error in the parent itself is the failure of the call.  The parent is not shown. */
static int
keep_problem(void *arg, const zinc_found_node *node)
{
	return node->problem ? (int)zinc_error_copy(arg, node->problem) : 0;
}

static zinc_status
not_found(const char *key, zinc_error *err)
{
	zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	return zinc_error_at_key(err, ZINC_E_NOTFOUND, key);
}

/* Where groups need no document, the nodes below show that one exists: they are listed first. */
static zinc_status
find_implicit(zinc_walker *w, const char *path, zinc_level **top, zinc_error *err)
{
	bool yes;

	if (w->depth == 0) {
		ZINC_TRY(zinc_has_descendants(w->h, path, &yes, err));
	} else {
		ZINC_TRY(push(w, top, "", NULL, NULL, err));
		yes = path[1] == '\0' || (*top)->found.n > 0 || (*top)->marks.n > 0;
	}
	return yes ? ZINC_OK : not_found(path + 1, err);
}

/* From its documents, which are those of the line's last node. */
static zinc_status
show_documents(zinc_walker *w, const zinc_line *line, zinc_node_kind *kind, zinc_error *err)
{
	const size_t at = (line->n - 1) * line->per;
	zinc_fetched *docs = &line->docs[at];

	if (zinc_documents_missing(w->h->format, docs) && w->h->entry) {
		*kind = ZINC_NODE_GROUP;
		return zinc_walker_implicit(w, err);
	}
	if (w->h->entry) {
		*kind = w->h->format->documents[docs[0].found == ZINC_MISSING].makes;
		if (docs[0].found == ZINC_FOUND && !w->r->found)
			docs[1].found = ZINC_MISSING; /* needed only when findings are collected */
	}
	return zinc_walker_stored(w, docs, &line->keys[at], kind, err);
}

/* Set the kind of the node itself, and show it with `self`. */
static zinc_status
show_self(zinc_walker *w, const zinc_line *line, bool self, zinc_node_kind *kind, zinc_error *err)
{
	const zinc_found_fn fn = w->fn;
	void *const arg = w->arg;
	zinc_error problem = ZINC_ERROR_INIT;

	if (!self) {
		w->fn = keep_problem;
		w->arg = &problem;
	}
	ZINC_TRY(zinc_walker_at(w, "", 0, err));
	ZINC_TRY(show_documents(w, line, kind, err));
	w->fn = fn;
	w->arg = arg;
	if (problem.code != ZINC_OK)
		return zinc_error_copy(err, &problem);
	if (*kind == ZINC_NODE_NONE && zinc_documents_missing(w->h->format, &line->docs[(line->n - 1) * line->per]))
		return not_found(line->keys[(line->n - 1) * line->per], err);
	return ZINC_OK;
}

/* ---- the whole ---- */

static bool
can_list(const zinc_hierarchy *h)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	return caps.flags & ZINC_CAP_LIST;
}

/* *top: a level below that was listed before; NULL: none. */
static zinc_status
show_below(zinc_walker *w, const zinc_line *line, bool stored, zinc_node_kind self, zinc_level **top, zinc_error *err)
{
	bool has = false;

	if (self == ZINC_NODE_ARRAY)
		ZINC_TRY(zinc_walker_below(w, err));
	if (w->stopped || (self != ZINC_NODE_GROUP && !w->h->entry)) /* a tree of documents may have some anyway */
		return ZINC_OK;
	if (!stored)
		ZINC_TRY(show_copies(w, line, &has, err));
	if (has || (self == ZINC_NODE_ARRAY && !can_list(w->h))) /* an array has no children that one could miss */
		return ZINC_OK;
	if (!*top)
		ZINC_TRY(push(w, top, "", NULL, NULL, err));
	return show_levels(w, top, self, err);
}

static zinc_status
show_all(zinc_walker *w, const char *path, const struct request *what, bool stored, const zinc_line *line,
	 zinc_level **top, zinc_error *err)
{
	zinc_node_kind kind = ZINC_NODE_NONE;
	bool has;

	if (what->copies)
		return stored ? ZINC_OK : show_copies(w, line, &has, err);
	if (w->h->entry && zinc_documents_missing(w->h->format, &line->docs[(line->n - 1) * line->per]))
		ZINC_TRY(find_implicit(w, path, top, err));
	ZINC_TRY(show_self(w, line, what->self, &kind, err));
	return w->stopped || w->depth == 0 ? ZINC_OK : show_below(w, line, stored, kind, top, err);
}

static zinc_status
list(zinc_walker *w, const char *path, const struct request *what, zinc_error *err)
{
	const bool stored = what->stored || w->h->format->copies.of != ZINC_COPIES_OF_GROUPS;
	const unsigned above = !stored && w->depth != 0 ? ZINC_LINE_ABOVE : 0u; /* for consolidated metadata */
	zinc_level *top = NULL;
	zinc_line line;
	zinc_status st;

	if (path[1])
		ZINC_TRY(zinc_buf_puts(&w->base, path, err));
	ZINC_TRY(zinc_line_get(&line, w->h, path, ZINC_LINE_SELF | above, ZINC_PART_COPIES, err));
	st = show_all(w, path, what, stored, &line, &top, err);
	if (top)
		level_free(w->h->ctx, top);
	zinc_line_fini(&line);
	return st;
}

static zinc_status
walk(zinc_hierarchy *h, const char *path, struct request what, int depth, zinc_report *r, zinc_found_fn fn, void *arg,
     zinc_error *err)
{
	zinc_walker w = {.h = h, .r = r, .fn = fn, .arg = arg, .depth = depth};
	zinc_status st;

	zinc_buf_init(&w.base, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&w.path, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&w.key, h->ctx, ZINC_MAX_KEY);
	st = list(&w, path, &what, err);
	if (st == ZINC_OK && w.unread.code != ZINC_OK) {
		w.unread.shown = w.unread.code == ZINC_E_IO && !w.stopped;
		st = zinc_error_copy(err, &w.unread);
	}
	if (st != ZINC_OK)
		zinc_error_at_url(err, st, h->url);
	zinc_meta_free(w.array);
	zinc_buf_fini(&w.key);
	zinc_buf_fini(&w.path);
	zinc_buf_fini(&w.base);
	return st;
}

zinc_status
zinc_children(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg, zinc_error *err)
{
	return walk(h, path, (struct request){.self = false}, 1, r, fn, arg, err);
}

zinc_status
zinc_walk(zinc_hierarchy *h, const char *path, int depth, zinc_report *r, zinc_found_fn fn, void *arg, zinc_error *err)
{
	const struct request what = {
	    .self = true, .stored = depth == ZINC_WALK_STORED, .copies = depth == ZINC_WALK_COPIES};

	return walk(h, path, what, depth, r, fn, arg, err);
}
