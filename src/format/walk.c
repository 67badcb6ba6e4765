/*
 * walk.c - children and walks of hierarchies whose nodes have a directory each
 *
 * A group's children are one list_dir and one batched get of their documents (a get for every
 * WINDOW children, so that a million of them do not have to fit into memory at once).  With
 * consolidated metadata at the group or above, a whole tree is the one get that found it.  Promises:
 *
 * (1) Parents come before their children, siblings in order of their names' bytes; those that cannot be shown first.
 * (2) Of arrays one level is looked into, where that is short (hidden.c); names beginning with "__" are no nodes.
 * (3) A document that cannot be used is shown with its problem and hides no other node.  One that could not even be
 *     read is also the status of the whole listing, for nobody knows what lies below it.
 * (4) A prefix without a document is a node only by its descendants (lenient), with rule M25; strict makes that its
 *     problem.
 * (5) Depth costs memory, never stack.
 * (6) A child that the store cannot name or reach (zinc_odd), whose name no node may have, or that is of another version
 *     of Zarr, is shown as hidden, with what is wrong with it.  A child is what has a document, of any version, or a
 *     link behind which one may be.  So are nodes below arrays, and those of other versions however deep below a prefix
 *     that is no node.
 */
#include <stdio.h>
#include <stdlib.h>

#include "format/consolidate.h"
#include "format/documents.h"
#include "format/draft.h"
#include "format/hidden.h"

/* Documents of siblings that are held at once. */
#define WINDOW 1024

/* ---- showing one node ---- */

/* The path is made once per node and borrowed by everything that is shown of it. */
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

/* The key that a node of this kind has there. */
static zinc_status
make_key(zinc_walker *w, zinc_node_kind kind, zinc_error *err)
{
	zinc_buf_end(&w->key, 0);
	ZINC_TRY(zinc_node_key(w->h, zinc_buf_text(&w->path), kind, &w->key, err));
	return zinc_buf_text(&w->key) ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_walker_show(zinc_walker *w, zinc_found_node *node, zinc_status s, zinc_error *problem, zinc_error *err)
{
	if (s != ZINC_E_NOMEM)
		s = make_key(w, node->kind, NULL) == ZINC_OK ? s : ZINC_E_NOMEM;
	if (s == ZINC_E_NOMEM) {
		zinc_meta_free(node->meta);
		return zinc_fail_nomem(err);
	}
	if (s != ZINC_OK) {
		zinc_error_at_key(problem, s, zinc_buf_text(&w->key));
		zinc_error_at_url(problem, s, w->h->url);
		node->problem = problem;
		if (s != ZINC_E_CORRUPT && s != ZINC_E_UNSUPPORTED && s != ZINC_E_LIMIT && w->unread.code == ZINC_OK)
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

/* Parent and name are of any bytes; what is shown of them can be printed. */
zinc_status
zinc_walker_hidden(zinc_walker *w, const char *parent, const char *name, zinc_status code, const char *why,
		   zinc_error *err)
{
	zinc_found_node node = {.kind = ZINC_NODE_NONE, .hidden = true, .key = ""};
	zinc_error problem = ZINC_ERROR_INIT;
	char shown[1100];

	zinc_show(shown, sizeof shown, parent);
	ZINC_TRY(zinc_walker_at(w, shown, strlen(shown), err));
	if (w->path.n > 1)
		ZINC_TRY(zinc_buf_puts(&w->path, "/", err));
	zinc_show(shown, sizeof shown, name);
	ZINC_TRY(zinc_buf_puts(&w->path, shown, err));
	if (!zinc_buf_text(&w->path))
		return zinc_fail_nomem(err);
	zinc_fail(&problem, code, "cannot be shown: %s", why);
	zinc_error_at_url(&problem, code, w->h->url);
	node.path = zinc_buf_text(&w->path);
	node.problem = &problem;
	w->stopped = w->fn(w->arg, &node) != 0;
	return ZINC_OK;
}

/* Groups that exist by their descendants only were legal until 2024. */
zinc_status
zinc_walker_implicit(zinc_walker *w, zinc_error *err)
{
	zinc_found_node node = {.kind = ZINC_NODE_GROUP, .implicit = true};
	zinc_error problem = ZINC_ERROR_INIT;
	const char *where = w->r->where;
	zinc_status s;

	w->r->where = zinc_buf_text(&w->path);
	s = zinc_report_lenient(w->r, zinc_rule(w->h->format, "M25"), &problem, "a group without a document");
	w->r->where = where;
	return zinc_walker_show(w, &node, s, &problem, err);
}

/* A copy becomes a document of its own, for the metadata may outlive the consolidated document. */
zinc_status
zinc_walker_copy(zinc_walker *w, const zinc_json *copy, zinc_error *err)
{
	zinc_found_node node = {.kind = w->h->format->kind(copy)};
	zinc_error problem = ZINC_ERROR_INIT;
	const char *where = w->r->where;
	zinc_json_doc *doc;
	zinc_status s;

	ZINC_TRY(make_key(w, node.kind, err));
	ZINC_TRY(zinc_json_new(&doc, w->h->ctx, err));
	zinc_json_set_root(doc, zinc_json_copy(doc, copy));
	if (!zinc_json_root(doc)) {
		zinc_json_free(doc);
		return zinc_fail_nomem(err);
	}
	w->r->where = zinc_buf_text(&w->key);
	s = w->h->format->parse(w->h->format, w->h->ctx, doc, ZINC_NODE_NONE, w->r, &node.meta, &problem);
	w->r->where = where;
	return zinc_walker_show(w, &node, s, &problem, err);
}

/* ---- other versions of Zarr ---- */

zinc_status
zinc_walker_detect(zinc_walker *w, const char *name, const zinc_format **format, zinc_error *why, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_node_kind kind;
	zinc_status s;
	zinc_buf prefix;

	*format = NULL;
	zinc_buf_init(&prefix, w->h->ctx, ZINC_MAX_KEY);
	s = zinc_node_prefix(w->h, zinc_buf_text(&w->path), &prefix, err);
	if (s == ZINC_OK)
		s = zinc_buf_printf(&prefix, err, "%s%s", name, *name ? "/" : "");
	if (s == ZINC_OK) {
		s = zinc_format_detect(w->h->store, zinc_buf_text(&prefix), NULL, format, &kind, &text, w->h->wait,
				       why);
		zinc_blob_fini(&text);
		if (s == ZINC_E_NOMEM || s == ZINC_E_CANCELLED)
			zinc_error_copy(err, why);
		else if (s == ZINC_OK)
			why->code = ZINC_OK;
		else
			s = ZINC_OK;
	}
	zinc_buf_fini(&prefix);
	return s;
}

void
zinc_walker_foreign(char text[ZINC_FOREIGN_BYTES], const zinc_format *format)
{
	snprintf(text, ZINC_FOREIGN_BYTES, "it is of another version of Zarr (%s); open it by its own URL", format->id);
}

/* A node of another version of Zarr: what lies below is its own. */
static zinc_status
show_hidden(zinc_walker *w, const zinc_format *format, const zinc_error *why, zinc_error *err)
{
	char text[ZINC_FOREIGN_BYTES];
	char *name = zinc_strdup(w->h->ctx, zinc_key_name(zinc_buf_text(&w->path)));
	const size_t nbase = w->base.n, n = w->path.n - (name ? strlen(name) : 0);
	char *parent = zinc_strndup(w->h->ctx, (const char *)w->path.p + nbase + 1, n > nbase + 1 ? n - nbase - 2 : 0);
	zinc_status s;

	if (format)
		zinc_walker_foreign(text, format);
	s = name && parent ? zinc_walker_hidden(w, parent, name, format ? ZINC_E_UNSUPPORTED : why->code,
						format ? text : why->text, err)
			   : zinc_fail_nomem(err);
	zinc_free(w->h->ctx, parent);
	zinc_free(w->h->ctx, name);
	return s;
}

/* Is a child of another version where the walker stands, or one that this build does not know?  Then show it as hidden. */
static zinc_status
show_foreign(zinc_walker *w, bool *shown, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	const zinc_format *format;

	*shown = false;
	if (w->path.n <= w->base.n + 1) /* the node itself: there is none of this version */
		return ZINC_OK;
	ZINC_TRY(zinc_walker_detect(w, "", &format, &why, err));
	*shown = format ? format != w->h->format : why.code != ZINC_OK;
	return *shown ? show_hidden(w, format, &why, err) : ZINC_OK;
}

/* Show the node whose documents are `docs`. */
static zinc_status
show_fetched(zinc_walker *w, const zinc_fetched *docs, char *const *keys, zinc_node_kind *kind, zinc_error *err)
{
	zinc_found_node node = {.kind = ZINC_NODE_NONE};
	zinc_error problem = ZINC_ERROR_INIT;
	const char *where = w->r->where;
	zinc_status s;
	bool foreign;

	s = zinc_documents_status(w->h->format, docs, keys, &problem);
	if (s == ZINC_OK)
		s = zinc_documents_parse(w->h, docs, keys, w->r, &node.meta, &node.kind, &problem);
	w->r->where = where;
	*kind = node.kind;
	if (s == ZINC_E_CORRUPT || s == ZINC_E_UNSUPPORTED) {
		ZINC_TRY(show_foreign(w, &foreign, err));
		if (foreign) {
			*kind = ZINC_NODE_NONE;
			return ZINC_OK;
		}
	}
	return zinc_walker_show(w, &node, s, &problem, err);
}

/* ---- groups without a document ---- */

struct probe {
	zinc_hidden x;
	uint64_t left;
	zinc_status status;
	zinc_error *err;
};

/* The first document of the own version is enough. */
static int
probe_key(void *arg, const char *key, uint64_t nbytes)
{
	struct probe *p = arg;

	(void)nbytes;
	p->status = zinc_hidden_key(&p->x, key, p->err);
	return p->status != ZINC_OK || p->x.own || p->left-- == 0;
}

/* Is any node below the prefix of w->path?  If all that are there are of other versions, show them as hidden, unless
 * the prefix is that of the node asked about: then there is none. */
static zinc_status
show_prefix(zinc_walker *w, bool *implicit, zinc_error *err)
{
	struct probe p = {.left = w->h->ctx->limits.children, .err = err};
	const bool child = w->path.n > w->base.n + 1;
	zinc_status s;
	zinc_buf prefix;

	zinc_buf_init(&prefix, w->h->ctx, ZINC_MAX_KEY);
	zinc_hidden_init(&p.x, w->h);
	s = zinc_node_prefix(w->h, zinc_buf_text(&w->path), &prefix, err);
	if (s == ZINC_OK)
		s = zinc_buf_text(&prefix)
			? zinc_store_list(w->h->store, zinc_buf_text(&prefix), probe_key, &p, w->h->wait, err)
			: zinc_fail_nomem(err);
	if (s == ZINC_OK)
		s = p.status;
	*implicit = p.x.own;
	if (s == ZINC_OK && !p.x.own && child)
		s = zinc_hidden_each(&p.x, w->fn, w->arg, &w->stopped, err);
	zinc_hidden_fini(&p.x);
	zinc_buf_fini(&prefix);
	return s == ZINC_OK && *implicit ? zinc_walker_implicit(w, err) : s;
}

/* ---- one level of the tree ---- */

/* The children of one group.  Their paths are relative to the walker's base, their documents come in windows. */
struct level {
	struct level *up;
	int depth;     /* of these children, from the node asked about */
	zinc_buf pool; /* paths, each with its NUL */
	char **paths;  /* in order */
	size_t n, at;
	size_t from, nheld; /* paths whose documents are held */
	size_t per;         /* documents of each */
	char **keys;
	zinc_fetched *docs;
};

struct collect {
	zinc_walker *w;
	zinc_buf *pool;
	zinc_buf refused; /* names that no node may have, each with its NUL */
	const zinc_format *format;
	const char *parent; /* "" or "a/b" */
	size_t n;
	uint64_t max;
	zinc_status status;
	zinc_error *err;
};

/* Kept as a path below the base, so that no level has to remember its parent. */
static zinc_status
collect_child(struct collect *c, const char *name, size_t n)
{
	if (c->n == c->max)
		return zinc_fail(c->err, ZINC_E_LIMIT, "more than %llu children", (unsigned long long)c->max);
	c->n++;
	if (*c->parent) {
		ZINC_TRY(zinc_buf_puts(c->pool, c->parent, c->err));
		ZINC_TRY(zinc_buf_puts(c->pool, "/", c->err));
	}
	ZINC_TRY(zinc_buf_add(c->pool, name, n, c->err));
	return zinc_buf_add(c->pool, "", 1, c->err);
}

static zinc_status
collect_refused(struct collect *c, const char *name, size_t n)
{
	ZINC_TRY(zinc_buf_add(&c->refused, name, n, c->err));
	return zinc_buf_add(&c->refused, "", 1, c->err);
}

/* Only prefixes can be children: "x/a/b/" is the child "b" of whatever was listed. */
static int
collect_entry(void *arg, const char *entry, int is_prefix)
{
	struct collect *c = arg;
	const char *end = entry + strlen(entry), *name;

	if (!is_prefix || end == entry)
		return 0;
	for (name = --end; name > entry && name[-1] != '/'; name--)
		;
	if (c->format->check_name(c->format, name, (size_t)(end - name), NULL) == ZINC_OK)
		c->status = collect_child(c, name, (size_t)(end - name));
	else
		c->status = collect_refused(c, name, (size_t)(end - name));
	return c->status != ZINC_OK;
}

/* Is it, or may it be, a child?  Documents of the group itself are told of by who reads them. */
bool
zinc_layout_hides(const zinc_format *f, const zinc_odd *odd)
{
	static const char *const makers[] = {"zarr.json", ".zarray", ".zgroup"}; /* of nodes of any version */
	size_t i;

	for (i = 0; i < zinc_documents(f, ZINC_PART_COPIES); i++)
		if (strcmp(zinc_key_name(odd->key), f->documents[i].name) == 0)
			return false;
	if (odd->kind == ZINC_ODD_LINK || odd->kind == ZINC_ODD_DIR)
		return odd->kind == ZINC_ODD_LINK;
	for (i = 0; i < sizeof makers / sizeof *makers; i++)
		if (odd->holds(odd, makers[i]) != 0)
			return true;
	return false;
}

static int
collect_odd(void *arg, const zinc_odd *odd)
{
	struct collect *c = arg;

	if (zinc_layout_hides(c->format, odd))
		c->status =
		    zinc_walker_hidden(c->w, c->parent, zinc_key_name(odd->key),
				       odd->kind == ZINC_ODD_NAME ? ZINC_E_CORRUPT : ZINC_E_IO, odd->why, c->err);
	return c->status != ZINC_OK || c->w->stopped;
}

/* Names that no node may have are children where a document is; those that begin with "__" are reserved for others. */
static zinc_status
show_refused(zinc_walker *w, const zinc_buf *names, const char *parent, zinc_error *err)
{
	const char *name;
	size_t at;

	for (at = 0; at < names->n && !w->stopped; at += strlen(name) + 1) {
		zinc_error why = ZINC_ERROR_INIT;
		const zinc_format *format;

		name = (const char *)names->p + at;
		if (strncmp(name, "__", 2) == 0)
			continue;
		ZINC_TRY(zinc_walker_at(w, parent, strlen(parent), err));
		ZINC_TRY(zinc_walker_detect(w, name, &format, &why, err));
		if (!format && why.code == ZINC_OK)
			continue;
		if (format) {
			(void)w->h->format->check_name(w->h->format, name, strlen(name), &why);
			why.code = ZINC_E_CORRUPT;
		}
		ZINC_TRY(zinc_walker_hidden(w, parent, name, why.code, why.text, err));
	}
	return ZINC_OK;
}

/* Siblings share their parent's path, so that this orders their names. */
static int
compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* List the children of the node where the walker stands, `parent` below its base. */
static zinc_status
level_list(zinc_walker *w, struct level *l, const char *parent, zinc_error *err)
{
	struct collect c = {.w = w,
			    .pool = &l->pool,
			    .format = w->h->format,
			    .parent = parent,
			    .max = w->h->ctx->limits.children,
			    .err = err};
	const zinc_lister to = {.size = sizeof to, .entry = collect_entry, .odd = collect_odd, .arg = &c};
	zinc_buf prefix;
	zinc_status s;

	zinc_buf_init(&prefix, w->h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&c.refused, w->h->ctx, zinc_max_list(w->h->ctx));
	s = zinc_node_prefix(w->h, zinc_buf_text(&w->path), &prefix, err);
	if (s == ZINC_OK)
		s = zinc_buf_text(&prefix) ? zinc_store_walk(w->h->store, zinc_buf_text(&prefix), &to, w->h->wait, err)
					   : zinc_fail_nomem(err);
	zinc_buf_fini(&prefix);
	if (s == ZINC_OK)
		s = c.status;
	if (s == ZINC_OK)
		s = show_refused(w, &c.refused, parent, err);
	zinc_buf_fini(&c.refused);
	l->n = c.n;
	return s;
}

/* The most children whose documents are held at once. */
static size_t
window(const struct level *l)
{
	return l->n < WINDOW ? l->n : WINDOW;
}

/* "a-b/" comes before "a/" in order of keys, but "a" before "a-b" in order of names. */
static zinc_status
level_sort(zinc_context *ctx, struct level *l, zinc_error *err)
{
	char *path = (char *)l->pool.p;
	size_t i;

	l->paths = zinc_calloc(ctx, l->n, sizeof *l->paths);
	l->keys = zinc_calloc(ctx, window(l) * l->per, sizeof *l->keys);
	l->docs = zinc_calloc(ctx, window(l) * l->per, sizeof *l->docs);
	if (!l->paths || !l->keys || !l->docs)
		return zinc_fail_nomem(err);
	for (i = 0; i < l->n; i++, path += strlen(path) + 1)
		l->paths[i] = path;
	qsort(l->paths, l->n, sizeof *l->paths, compare_paths);
	return ZINC_OK;
}

/* Keys of a window that was cut short by a failure are freed, too. */
static void
drop_window(zinc_context *ctx, struct level *l)
{
	size_t i;

	zinc_fetched_fini(ctx, l->docs, l->nheld * l->per);
	for (i = 0; l->keys && i < window(l) * l->per; i++) {
		zinc_free(ctx, l->keys[i]);
		l->keys[i] = NULL;
	}
	l->nheld = 0;
}

static void
level_free(zinc_context *ctx, struct level *l)
{
	drop_window(ctx, l);
	zinc_free(ctx, l->docs);
	zinc_free(ctx, l->keys);
	zinc_free(ctx, l->paths);
	zinc_buf_fini(&l->pool);
	zinc_free(ctx, l);
}

/* Put the children of the node where the walker stands on top of the stack. */
static zinc_status
level_push(zinc_walker *w, struct level **top, const char *parent, zinc_error *err)
{
	struct level *l = zinc_calloc(w->h->ctx, 1, sizeof *l);
	zinc_status s;

	if (!l)
		return zinc_fail_nomem(err);
	l->up = *top;
	l->per = zinc_documents(w->h->format, ZINC_PART_ATTRIBUTES);
	l->depth = *top ? (*top)->depth + 1 : 1;
	zinc_buf_init(&l->pool, w->h->ctx, zinc_max_list(w->h->ctx));
	s = level_list(w, l, parent, err);
	if (s == ZINC_OK)
		s = level_sort(w->h->ctx, l, err);
	if (s == ZINC_OK)
		*top = l;
	else
		level_free(w->h->ctx, l);
	return s;
}

/* The keys of the documents of one child. */
static zinc_status
child_keys(zinc_walker *w, const char *path, char **keys, size_t n, zinc_error *err)
{
	zinc_status s = zinc_walker_at(w, path, strlen(path), err);
	size_t i;

	for (i = 0; i < n && s == ZINC_OK; i++) {
		zinc_buf_end(&w->key, 0);
		s = zinc_document_key(w->h, zinc_buf_text(&w->path), i, &w->key, err);
		if (s == ZINC_OK)
			keys[i] = zinc_strndup(w->h->ctx, (const char *)w->key.p, w->key.n);
		if (s == ZINC_OK && !keys[i])
			s = zinc_fail_nomem(err);
	}
	return s;
}

/* Hold the documents of the next children. */
static zinc_status
next_window(zinc_walker *w, struct level *l, zinc_error *err)
{
	const size_t n = l->n - l->at < WINDOW ? l->n - l->at : WINDOW;
	size_t i;

	drop_window(w->h->ctx, l);
	for (i = 0; i < n; i++)
		ZINC_TRY(child_keys(w, l->paths[l->at + i], &l->keys[i * l->per], l->per, err));
	ZINC_TRY(zinc_fetch(w->h->store, l->keys, n * l->per, l->docs, w->h->wait, err));
	l->from = l->at;
	l->nheld = n;
	return ZINC_OK;
}

/* ---- the whole tree ---- */

/* Show the node where the walker stands; *kind GROUP: look below. */
static zinc_status
show_stored(zinc_walker *w, const zinc_fetched *docs, char *const *keys, zinc_node_kind *kind, zinc_error *err)
{
	bool foreign, implicit;

	if (!zinc_documents_missing(w->h->format, docs))
		return show_fetched(w, docs, keys, kind, err);
	*kind = ZINC_NODE_NONE;
	ZINC_TRY(show_foreign(w, &foreign, err));
	if (foreign)
		return ZINC_OK;
	ZINC_TRY(show_prefix(w, &implicit, err));
	*kind = implicit ? ZINC_NODE_GROUP : ZINC_NODE_NONE;
	return ZINC_OK;
}

/* Show the next child on the stack, and put its own children on top when it is a group not too deep. */
static zinc_status
step(zinc_walker *w, struct level **top, int depth, zinc_error *err)
{
	struct level *l = *top;
	zinc_node_kind kind;
	const char *path;
	size_t at;

	if (l->at == l->from + l->nheld)
		ZINC_TRY(next_window(w, l, err));
	path = l->paths[l->at];
	ZINC_TRY(zinc_walker_at(w, path, strlen(path), err));
	at = (l->at++ - l->from) * l->per;
	ZINC_TRY(show_stored(w, &l->docs[at], &l->keys[at], &kind, err));
	if (w->stopped || (depth >= 0 && l->depth >= depth))
		return ZINC_OK;
	if (kind == ZINC_NODE_GROUP)
		return level_push(w, top, path, err);
	return kind == ZINC_NODE_ARRAY ? zinc_walker_below(w, err) : ZINC_OK;
}

/* A stack of levels instead of recursion: (5). */
static zinc_status
show_below(zinc_walker *w, int depth, zinc_error *err)
{
	struct level *top = NULL;
	zinc_status s;

	ZINC_TRY(zinc_walker_at(w, "", 0, err));
	s = level_push(w, &top, "", err);
	while (top) {
		if (s == ZINC_OK && !w->stopped && top->at < top->n) {
			s = step(w, &top, depth, err);
		} else {
			struct level *up = top->up;

			level_free(w->h->ctx, top);
			top = up;
		}
	}
	return s;
}

/* Consolidated metadata nearest to the node: its own, or an ancestor's.  *doc is NULL when there is none. */
static zinc_status
find_copies(zinc_walker *w, const zinc_line *line, zinc_json_doc **doc, const zinc_json **metadata, size_t *at,
	    zinc_error *err)
{
	*doc = NULL;
	for (*at = line->n; *at > 0 && !*doc;) {
		(*at)--;
		ZINC_TRY(zinc_copies_find(w->h, &line->docs[*at * line->per], doc, metadata, err));
	}
	return ZINC_OK;
}

/* Everything below the node, from consolidated metadata where there is some, or from that `only`. */
static zinc_status
show_descendants(zinc_walker *w, const zinc_line *line, bool only, int depth, zinc_error *err)
{
	const zinc_json *metadata = NULL;
	zinc_json_doc *doc;
	zinc_status s;
	zinc_buf below;
	size_t at;

	ZINC_TRY(find_copies(w, line, &doc, &metadata, &at, err));
	if (!doc)
		return only ? ZINC_OK : show_below(w, depth, err);
	zinc_buf_init(&below, w->h->ctx, ZINC_MAX_KEY);
	s = ZINC_OK;
	if (w->base.n > line->npath[at]) { /* "/x/a/b" in the copies of "/x" is "a/b/" */
		const size_t skip = line->npath[at] + (at > 0);

		s = zinc_buf_add(&below, w->base.p + skip, w->base.n - skip, err);
		if (s == ZINC_OK)
			s = zinc_buf_puts(&below, "/", err);
	}
	if (s == ZINC_OK)
		s = zinc_buf_text(&below) ? zinc_walker_copies(w, metadata, zinc_buf_text(&below), depth, err)
					  : zinc_fail_nomem(err);
	zinc_buf_fini(&below);
	zinc_json_free(doc);
	return s;
}

/* For children: what is wrong with the parent itself is the call's failure, and the parent is not shown. */
static int
keep_problem(void *arg, const zinc_found_node *node)
{
	return node->problem ? (int)zinc_error_copy(arg, node->problem) : 0;
}

/* Tell the kind of the node itself, and show it with `self`. */
static zinc_status
show_self(zinc_walker *w, const zinc_line *line, bool self, zinc_node_kind *kind, zinc_error *err)
{
	const size_t at = (line->n - 1) * line->per;
	const zinc_found_fn fn = w->fn;
	void *const arg = w->arg;
	zinc_error problem = ZINC_ERROR_INIT;

	ZINC_TRY(zinc_walker_at(w, "", 0, err));
	if (!self) {
		w->fn = keep_problem;
		w->arg = &problem;
	}
	ZINC_TRY(show_stored(w, &line->docs[at], &line->keys[at], kind, err));
	w->fn = fn;
	w->arg = arg;
	if (problem.code != ZINC_OK)
		return zinc_error_copy(err, &problem);
	if (*kind == ZINC_NODE_NONE && zinc_documents_missing(w->h->format, &line->docs[at])) {
		zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
		return zinc_error_at_key(err, ZINC_E_NOTFOUND, line->keys[at]);
	}
	return ZINC_OK;
}

/* The node itself comes from its own document, its descendants from the nearest copy of theirs. */
static zinc_status
list(zinc_walker *w, const char *path, const zinc_listing *what, zinc_error *err)
{
	const bool above = !what->stored && what->depth != 0; /* for consolidated metadata */
	zinc_node_kind kind = ZINC_NODE_NONE;
	zinc_line line;
	zinc_status s;

	if (path[1])
		ZINC_TRY(zinc_buf_puts(&w->base, path, err));
	ZINC_TRY(
	    zinc_line_get(&line, w->h, path, ZINC_LINE_SELF | (above ? ZINC_LINE_ABOVE : 0u), ZINC_PART_COPIES, err));
	s = what->copies ? show_descendants(w, &line, true, what->depth, err)
			 : show_self(w, &line, what->self, &kind, err);
	if (s == ZINC_OK && kind == ZINC_NODE_GROUP && !w->stopped && what->depth != 0)
		s = what->stored ? show_below(w, what->depth, err)
				 : show_descendants(w, &line, false, what->depth, err);
	else if (s == ZINC_OK && kind == ZINC_NODE_ARRAY && what->depth != 0)
		s = zinc_walker_below(w, err);
	zinc_line_fini(&line);
	return s;
}

zinc_status
zinc_layout_list(zinc_hierarchy *h, const char *path, zinc_listing what, zinc_report *r, zinc_found_fn fn, void *arg,
		 zinc_error *err)
{
	zinc_walker w = {.h = h, .r = r, .fn = fn, .arg = arg};
	zinc_status s;

	zinc_buf_init(&w.base, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&w.path, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&w.key, h->ctx, ZINC_MAX_KEY);
	s = list(&w, path, &what, err);
	if (s == ZINC_OK && w.unread.code != ZINC_OK)
		s = zinc_error_copy(err, &w.unread);
	if (s != ZINC_OK)
		zinc_error_at_url(err, s, h->url);
	zinc_meta_free(w.array);
	zinc_buf_fini(&w.key);
	zinc_buf_fini(&w.path);
	zinc_buf_fini(&w.base);
	return s;
}

/* ---- for every version ---- */

zinc_status
zinc_children(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg, zinc_error *err)
{
	if (h->entry)
		return zinc_draft_children(h, path, r, fn, arg, err);
	return zinc_layout_list(h, path, (zinc_listing){.depth = 1}, r, fn, arg, err);
}

zinc_status
zinc_walk(zinc_hierarchy *h, const char *path, int depth, zinc_report *r, zinc_found_fn fn, void *arg, zinc_error *err)
{
	const zinc_listing what = {
	    .self = true, .stored = depth == ZINC_WALK_STORED, .copies = depth == ZINC_WALK_COPIES, .depth = depth};

	if (h->entry)
		return zinc_draft_walk(h, path, depth, r, fn, arg, err);
	return zinc_layout_list(h, path, what, r, fn, arg, err);
}

bool
zinc_hides(const zinc_hierarchy *h, const zinc_odd *odd)
{
	return h->entry ? zinc_draft_hides(h, odd) : zinc_layout_hides(h->format, odd);
}
