/*
 * draft_walk.c - children and walks of a draft's hierarchy
 *
 * The tree of documents is listed, once; the documents themselves are fetched in windows.
 *
 *   meta/root/a.array.json       an array /a
 *   meta/root/b/c.group.json     a group /b/c, and by that a group /b
 *
 * Promises:
 *
 * (1) One list operation, whatever the size, for the root one of its directory and of each that others put there, and
 *     for an array one of the directory of its objects, where that is short (hidden.c).
 * (2) Parents come before their children, siblings in order of their names' bytes.  What cannot be shown comes first,
 *     right behind the node asked about: what is no key (zinc_odd) in the tree of documents and has the name of one, or
 *     may have some below or behind it.
 * (3) A group without a document is shown where its first descendant makes it known.
 * (4) Where an array and a group are at one path, the array is shown, with a finding.
 * (5) A name that the draft does not have, a node below an array, and hierarchies of another version are shown as hidden.
 * (6) A document that cannot be used is shown with its problem and hides no other node.
 */
#include <stdlib.h>

#include "format/documents.h"
#include "format/draft.h"
#include "format/hidden.h"

/* Documents that are held at once. */
#define WINDOW 1024

enum { HAS_ARRAY = 1, HAS_GROUP = 2, HAS_BELOW = 4 };

/* A node to be shown: its path below the base ("a/b"), n bytes of text, and what is known of it. */
struct item {
	size_t at; /* in the pool, while it may move */
	const char *path;
	size_t n;
	unsigned has;
};

struct list {
	zinc_hierarchy *h;
	size_t nprefix;   /* bytes of the listed prefix in each key */
	zinc_buf pool;    /* paths, each with its NUL */
	zinc_buf items;   /* struct item each, as found */
	zinc_buf shown;   /* struct item each, in order and with the groups between */
	const char *base; /* of the node asked about: "" or "a/b" */
	zinc_hidden left; /* nodes that the walk does not come to */
	zinc_buf
	    hidden; /* of each a mark, 'n' for a name and 'f' for a foreign node, its path and what is wrong, with their NULs */
	zinc_status status;
	zinc_error *err;
};

static struct item *
items_of(const zinc_buf *b, size_t *n)
{
	*n = b->n / sizeof(struct item);
	return (struct item *)(void *)b->p;
}

/* ---- what is there ---- */

static bool
names_ok(const zinc_hierarchy *h, const char *path, size_t n)
{
	const char *end = path + n, *name;

	for (name = path; name <= end; name++) {
		const char *slash = memchr(name, '/', (size_t)(end - name));
		const size_t m = (size_t)((slash ? slash : end) - name);

		if (h->format->check_name(h->format, name, m, NULL) != ZINC_OK)
			return false;
		name += m;
	}
	return true;
}

/* A path below the base was shown, or will be. */
static zinc_status
note_shown(struct list *l, const char *path, size_t n, zinc_node_kind kind, bool hidden)
{
	zinc_status s;
	zinc_buf whole;

	zinc_buf_init(&whole, l->h->ctx, ZINC_MAX_KEY);
	s = zinc_buf_printf(&whole, l->err, "%s%s", l->base, *l->base && n > 0 ? "/" : "");
	if (s == ZINC_OK)
		s = zinc_buf_add(&whole, path, n, l->err);
	if (s == ZINC_OK)
		s = zinc_hidden_shown(&l->left, whole.n ? (const char *)whole.p : "", whole.n, kind, hidden, l->err);
	zinc_buf_fini(&whole);
	return s;
}

/* One thing to be shown as hidden. */
static zinc_status
add_mark(struct list *l, const char *mark, const char *path, size_t n, const char *why)
{
	ZINC_TRY(note_shown(l, path, n, ZINC_NODE_NONE, true));
	ZINC_TRY(zinc_buf_puts(&l->hidden, mark, l->err));
	ZINC_TRY(zinc_buf_add(&l->hidden, path, n, l->err));
	ZINC_TRY(zinc_buf_add(&l->hidden, "", 1, l->err));
	return zinc_buf_add(&l->hidden, why, strlen(why) + 1, l->err);
}

/* A path with a name that the draft does not have. */
static zinc_status
add_refused(struct list *l, const char *path, size_t n)
{
	zinc_error why = ZINC_ERROR_INIT;
	size_t at, len;

	for (at = 0; at <= n; at += len + 1) {
		const char *slash = memchr(path + at, '/', n - at);

		len = (slash ? (size_t)(slash - path) : n) - at;
		if (l->h->format->check_name(l->h->format, path + at, len, &why) != ZINC_OK)
			break;
	}
	return add_mark(l, "n", path, n, why.text);
}

/* A path that the store has no keys for, in the tree of data; *ok otherwise. */
static zinc_status
check_item(struct list *l, const char *path, size_t n, bool *ok)
{
	zinc_error why = ZINC_ERROR_INIT;
	zinc_buf whole;
	zinc_status s;

	zinc_buf_init(&whole, l->h->ctx, ZINC_MAX_KEY);
	s = zinc_buf_puts(&whole, "/", l->err);
	if (s == ZINC_OK)
		s = zinc_buf_add(&whole, path, n, l->err);
	if (s == ZINC_OK && !zinc_buf_text(&whole))
		s = zinc_fail_nomem(l->err);
	*ok = s == ZINC_OK && zinc_hierarchy_check_keys(l->h, zinc_buf_text(&whole), &why) == ZINC_OK;
	zinc_buf_fini(&whole);
	if (why.code == ZINC_E_NOMEM)
		return zinc_fail_nomem(l->err);
	return s == ZINC_OK && !*ok ? add_mark(l, "n", path, n, why.text) : s;
}

static zinc_status
add_item(struct list *l, const char *path, size_t n, unsigned has)
{
	const struct item item = {.at = l->pool.n, .n = n, .has = has};
	size_t count;
	bool ok;

	if (!names_ok(l->h, path, n))
		return add_refused(l, path, n);
	ZINC_TRY(check_item(l, path, n, &ok));
	if (!ok)
		return ZINC_OK;
	(void)items_of(&l->items, &count);
	if (count >= l->h->ctx->limits.children)
		return zinc_fail(l->err, ZINC_E_LIMIT, "more than %zu nodes", count);
	ZINC_TRY(zinc_buf_add(&l->pool, path, n, l->err));
	ZINC_TRY(zinc_buf_add(&l->pool, "", 1, l->err));
	return zinc_buf_add(&l->items, &item, sizeof item, l->err);
}

/* A key below the prefix, "b/c.group.json": the node "b/c". */
static zinc_status
add_key(struct list *l, const char *key)
{
	const char *path = key + l->nprefix, *name = zinc_key_name(path);
	zinc_node_kind kind;
	const size_t n = zinc_draft_document(l->h, name, &kind);

	ZINC_TRY(zinc_hidden_key(&l->left, key, l->err));
	if (n == 0)
		return ZINC_OK;
	return add_item(l, path, (size_t)(name - path) + n, kind == ZINC_NODE_ARRAY ? HAS_ARRAY : HAS_GROUP);
}

static int
list_key(void *arg, const char *key, uint64_t nbytes)
{
	struct list *l = arg;

	(void)nbytes;
	l->status = add_key(l, key);
	return l->status != ZINC_OK;
}

/* zarr-python keeps its consolidated metadata below a name of the root that need not be a node. */
static bool
is_consolidated(const struct list *l, const char *name, size_t n)
{
	return n == 12 && memcmp(name, "consolidated", 12) == 0 &&
	       l->nprefix == strlen(l->h->prefix) + strlen(l->h->entry->meta) + 1;
}

/* A prefix is a group by what is below it. */
static int
list_entry(void *arg, const char *entry, int is_prefix)
{
	struct list *l = arg;
	const char *name = entry + l->nprefix;
	const size_t n = strlen(name);

	if (!is_prefix)
		l->status = add_key(l, entry);
	else if (n > 1 && !is_consolidated(l, name, n - 1))
		l->status = add_item(l, name, n - 1, HAS_BELOW);
	return l->status != ZINC_OK;
}

/* In the tree of documents whatever has the name of one; and, since documents are files, whatever else may stand where
 * a directory of them should be. */
bool
zinc_draft_hides(const zinc_hierarchy *h, const zinc_odd *odd)
{
	const size_t nroot = strlen(h->prefix), ntree = strlen(h->entry->meta);
	const char *below = odd->key + nroot;
	zinc_node_kind kind;

	if (strncmp(odd->key, h->prefix, nroot) != 0 || strncmp(below, h->entry->meta, ntree) != 0)
		return false;
	if (below[ntree] != '/') /* the tree itself, or a link in its place */
		return below[ntree] == '\0' && odd->kind != ZINC_ODD_DIR;
	if (zinc_draft_document(h, zinc_key_name(odd->key), &kind) > 0)
		return true;
	if (odd->kind == ZINC_ODD_NAME)
		return odd->holds(odd, ".") != 0;
	return odd->kind != ZINC_ODD_DIR;
}

static zinc_status
add_hidden(struct list *l, const zinc_odd *odd)
{
	const char *path = odd->key + l->nprefix;

	if (!zinc_draft_hides(l->h, odd))
		return ZINC_OK;
	return add_mark(l, odd->kind == ZINC_ODD_NAME ? "n" : "-", path, strlen(path), odd->why);
}

static int
list_odd(void *arg, const zinc_odd *odd)
{
	struct list *l = arg;

	l->status = add_hidden(l, odd);
	return l->status != ZINC_OK;
}

/* Promise (1). */
static zinc_status
gather(struct list *l, const char *path, int depth, zinc_error *err)
{
	zinc_lister to = {.size = sizeof to, .odd = list_odd, .arg = l};
	zinc_status s;
	zinc_buf prefix;

	if (depth == 1)
		to.entry = list_entry;
	else
		to.key = list_key;
	zinc_buf_init(&prefix, l->h->ctx, ZINC_MAX_KEY);
	s = zinc_node_prefix(l->h, path, &prefix, err);
	if (s == ZINC_OK && !zinc_buf_text(&prefix))
		s = zinc_fail_nomem(err);
	l->nprefix = prefix.n;
	if (s == ZINC_OK)
		s = zinc_store_walk(l->h->store, zinc_buf_text(&prefix), &to, l->h->wait, err);
	zinc_buf_fini(&prefix);
	return s == ZINC_OK ? l->status : s;
}

/* ---- beside the trees ---- */

struct beside {
	size_t nprefix;
	zinc_buf names; /* each with its NUL */
	zinc_status status;
	zinc_error *err;
};

/* "x/", of which "meta/" and "data/" are the draft's own. */
static int
note_beside(void *arg, const char *entry, int is_prefix)
{
	struct beside *b = arg;
	const char *name = entry + b->nprefix;
	const size_t n = strlen(name);

	if (!is_prefix || n < 2 || strcmp(name, "meta/") == 0 || strcmp(name, "data/") == 0)
		return 0;
	b->status = zinc_buf_add(&b->names, name, n - 1, b->err);
	if (b->status == ZINC_OK)
		b->status = zinc_buf_add(&b->names, "", 1, b->err);
	return b->status != ZINC_OK;
}

/* Everything in a directory beside the trees. */
static zinc_status
list_beside(struct list *l, const char *name, zinc_error *err)
{
	zinc_status s;
	zinc_buf prefix;

	zinc_buf_init(&prefix, l->h->ctx, ZINC_MAX_KEY);
	s = zinc_buf_printf(&prefix, err, "%s%s/", l->h->prefix, name);
	if (s == ZINC_OK)
		s = zinc_buf_text(&prefix) ? zinc_hidden_list(&l->left, zinc_buf_text(&prefix), err)
					   : zinc_fail_nomem(err);
	zinc_buf_fini(&prefix);
	return s;
}

static zinc_status
add_foreign(zinc_walker *w, struct list *l, const char *name, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	const zinc_format *format;
	char text[ZINC_FOREIGN_BYTES];

	ZINC_TRY(zinc_walker_at(w, "", 0, err));
	ZINC_TRY(zinc_walker_detect(w, name, &format, &why, err));
	if (!format && why.code == ZINC_OK)
		return list_beside(l, name, err);
	if (format)
		zinc_walker_foreign(text, format);
	return add_mark(l, "f", name, strlen(name), format ? text : why.text);
}

/* Hierarchies of any version in directories of the root: the draft has no place for them. */
static zinc_status
gather_foreign(zinc_walker *w, struct list *l, zinc_error *err)
{
	struct beside b = {.nprefix = strlen(w->h->prefix), .err = err};
	const char *name;
	zinc_status s;
	size_t at;

	zinc_buf_init(&b.names, w->h->ctx, zinc_max_list(w->h->ctx));
	s = zinc_store_list_dir(w->h->store, w->h->prefix, note_beside, &b, w->h->wait, err);
	if (s == ZINC_OK)
		s = b.status;
	for (at = 0; s == ZINC_OK && at < b.names.n; at += strlen(name) + 1) {
		name = (const char *)b.names.p + at;
		s = add_foreign(w, l, name, err);
	}
	zinc_buf_fini(&b.names);
	return s;
}

/* ---- in order ---- */

/* '/' before all other bytes: everything below a node comes right behind it. */
static int
compare(const void *x, const void *y)
{
	const unsigned char *a = (const unsigned char *)((const struct item *)x)->path;
	const unsigned char *b = (const unsigned char *)((const struct item *)y)->path;

	for (; *a && *a == *b; a++, b++)
		;
	if (*a == *b)
		return 0;
	if (*a == '\0' || *b == '\0')
		return *a == '\0' ? -1 : 1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return *a < *b ? -1 : 1;
}

/* Is `path` the node at n bytes of `up`, or below it? */
static bool
is_within(const char *path, const char *up, size_t n)
{
	return strncmp(path, up, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static zinc_node_kind
kind_of(const struct item *item)
{
	if (item->has & HAS_ARRAY)
		return ZINC_NODE_ARRAY;
	return item->has & HAS_GROUP ? ZINC_NODE_GROUP : ZINC_NODE_NONE;
}

/* The groups above an item that no earlier one has brought in, and the item itself where it is not too deep. */
static zinc_status
show_item(struct list *l, const struct item *item, const char *before, int depth)
{
	int level = 0;
	size_t i;

	for (i = 0; i <= item->n; i++) {
		const struct item up = {.path = item->path, .n = i, .has = i < item->n ? HAS_BELOW : item->has};

		if (item->path[i] != '/' && item->path[i] != '\0')
			continue;
		if (depth >= 0 && ++level > depth)
			return ZINC_OK;
		if (i == item->n || !is_within(before, item->path, i))
			ZINC_TRY(zinc_buf_add(&l->shown, &up, sizeof up, l->err));
	}
	return ZINC_OK;
}

/* Promises (2) to (5).  `self`: of the node asked about, below which all items are. */
static zinc_status
order(struct list *l, zinc_node_kind self, int depth)
{
	const char *before = "", *array = self == ZINC_NODE_ARRAY ? "" : NULL;
	struct item *items;
	size_t n, i, k;

	items = items_of(&l->items, &n);
	for (i = 0; i < n; i++)
		items[i].path = (const char *)l->pool.p + items[i].at;
	if (n > 0)
		qsort(items, n, sizeof *items, compare);
	ZINC_TRY(note_shown(l, "", 0, self, false));
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && strcmp(items[k].path, items[i].path) == 0; k++)
			items[i].has |= items[k].has;
		if (array && (!*array || is_within(items[i].path, array, strlen(array))))
			continue; /* its document is left over */
		ZINC_TRY(note_shown(l, items[i].path, items[i].n, kind_of(&items[i]), false));
		ZINC_TRY(show_item(l, &items[i], before, depth));
		before = items[i].path;
		if (items[i].has & HAS_ARRAY)
			array = items[i].path;
	}
	return ZINC_OK;
}

/* ---- showing ---- */

/* A document that was fetched, as the node where the walker stands; `two`: the other kind of document is there, too. */
static zinc_status
show_fetched(zinc_walker *w, zinc_node_kind kind, bool two, const zinc_fetched *doc, char *key, zinc_error *err)
{
	const size_t which = zinc_document_of(w->h->format, kind);
	zinc_fetched docs[2] = {{.found = ZINC_MISSING}, {.found = two ? ZINC_FOUND : ZINC_MISSING}};
	char *const keys[2] = {key, key};
	zinc_found_node node = {.kind = kind};
	zinc_error problem = ZINC_ERROR_INIT;
	const char *where = w->r->where;
	zinc_status s;

	docs[which] = *doc;
	s = zinc_fetched_status(doc, key, &problem);
	if (s == ZINC_OK)
		s = zinc_documents_parse(w->h, docs, keys, w->r, &node.meta, &node.kind, &problem);
	w->r->where = where;
	return zinc_walker_show(w, &node, s, &problem, err);
}

static zinc_status
show_implicit(zinc_walker *w, zinc_error *err)
{
	zinc_found_node node = {.kind = ZINC_NODE_GROUP, .implicit = true};

	return zinc_walker_show(w, &node, ZINC_OK, NULL, err);
}

struct window {
	size_t n;
	char *keys[WINDOW];        /* of documents, of nodes that have one */
	zinc_fetched docs[WINDOW]; /* as many */
	size_t ndocs;
};

static void
drop_window(zinc_context *ctx, struct window *x)
{
	size_t i;

	zinc_fetched_fini(ctx, x->docs, x->ndocs);
	for (i = 0; i < WINDOW; i++) {
		zinc_free(ctx, x->keys[i]);
		x->keys[i] = NULL;
	}
	x->ndocs = 0;
}

/* Fetch the documents of the next n nodes. */
static zinc_status
fill_window(zinc_walker *w, struct window *x, const struct item *items, size_t n, zinc_error *err)
{
	size_t i, ndocs = 0;

	drop_window(w->h->ctx, x);
	for (i = 0; i < n; i++) {
		const zinc_node_kind kind = kind_of(&items[i]);

		if (kind == ZINC_NODE_NONE)
			continue;
		ZINC_TRY(zinc_walker_at(w, items[i].path, items[i].n, err));
		zinc_buf_end(&w->key, 0);
		ZINC_TRY(zinc_node_key(w->h, zinc_buf_text(&w->path), kind, &w->key, err));
		x->keys[ndocs] = zinc_strndup(w->h->ctx, (const char *)w->key.p, w->key.n);
		if (!x->keys[ndocs++])
			return zinc_fail_nomem(err);
	}
	if (ndocs > 0)
		ZINC_TRY(zinc_fetch(w->h->store, x->keys, ndocs, x->docs, w->h->wait, err));
	x->ndocs = ndocs;
	return ZINC_OK;
}

static int
levels(const char *path, size_t n)
{
	int level = 1;

	while (n-- > 0)
		level += path[n] == '/';
	return level;
}

static zinc_status
show_window(zinc_walker *w, struct window *x, const struct item *items, size_t n, int depth, zinc_error *err)
{
	size_t i, doc = 0;

	ZINC_TRY(fill_window(w, x, items, n, err));
	for (i = 0; i < n && !w->stopped; i++) {
		const zinc_node_kind kind = kind_of(&items[i]);
		const bool two = (items[i].has & HAS_ARRAY) && (items[i].has & HAS_GROUP);
		const bool look = depth < 0 || levels(items[i].path, items[i].n) < depth;

		ZINC_TRY(zinc_walker_at(w, items[i].path, items[i].n, err));
		if (kind == ZINC_NODE_NONE) {
			ZINC_TRY(show_implicit(w, err));
			continue;
		}
		if (x->docs[doc].found != ZINC_MISSING) { /* else it was erased meanwhile */
			ZINC_TRY(show_fetched(w, kind, two, &x->docs[doc], x->keys[doc], err));
			if (look && kind == ZINC_NODE_ARRAY)
				ZINC_TRY(zinc_walker_below(w, err));
		}
		doc++;
	}
	return ZINC_OK;
}

static zinc_status
show_list(zinc_walker *w, const struct list *l, int depth, zinc_error *err)
{
	struct window *x = zinc_calloc(w->h->ctx, 1, sizeof *x);
	const struct item *items;
	zinc_status s = ZINC_OK;
	size_t n, at;

	if (!x)
		return zinc_fail_nomem(err);
	items = items_of(&l->shown, &n);
	for (at = 0; at < n && s == ZINC_OK && !w->stopped; at += WINDOW)
		s = show_window(w, x, items + at, n - at < WINDOW ? n - at : WINDOW, depth, err);
	drop_window(w->h->ctx, x);
	zinc_free(w->h->ctx, x);
	return s;
}

/* Of those that are not too deep. */
static zinc_status
show_hidden(zinc_walker *w, struct list *l, int depth, zinc_error *err)
{
	char *at = (char *)l->hidden.p, *end = at + l->hidden.n;

	while (at < end && !w->stopped) {
		const zinc_status code = *at == 'n' ? ZINC_E_CORRUPT : *at == 'f' ? ZINC_E_UNSUPPORTED : ZINC_E_IO;
		char *path = at + 1, *why = path + strlen(path) + 1, *name = strrchr(path, '/');
		int level = 1;

		for (at = path; *at; at++)
			level += *at == '/';
		at = why + strlen(why) + 1;
		if (name)
			*name++ = '\0';
		if (depth < 0 || level <= depth)
			ZINC_TRY(zinc_walker_hidden(w, name ? path : "", name ? name : path, code, why, err));
	}
	return ZINC_OK;
}

struct leftover {
	zinc_walker *w;
	int depth;
};

/* Of those of another version no depth in this tree can be told. */
static int
show_leftover(void *arg, const zinc_found_node *node)
{
	const struct leftover *o = arg;
	const char *below = node->path + o->w->base.n + 1;

	if (node->problem->code == ZINC_E_CORRUPT && o->depth >= 0 && levels(below, strlen(below)) > o->depth)
		return 0;
	return o->w->fn(o->w->arg, node);
}

/* What is left over, then the nodes in order. */
static zinc_status
show_all(zinc_walker *w, struct list *l, zinc_node_kind self, int depth, zinc_error *err)
{
	struct leftover o = {w, depth};

	ZINC_TRY(zinc_walker_at(w, "", 0, err));
	if (self == ZINC_NODE_ARRAY && depth != 0)
		ZINC_TRY(zinc_walker_below(w, err));
	if (!w->stopped)
		ZINC_TRY(zinc_hidden_each(&l->left, show_leftover, &o, &w->stopped, err));
	return w->stopped ? ZINC_OK : show_list(w, l, depth, err);
}

/* ---- the node itself ---- */

struct self {
	zinc_node_kind kind; /* NONE: it has no document */
	char *key;
	zinc_fetched doc;
};

/* The array's document, then the group's. */
static zinc_status
fetch_self(zinc_walker *w, struct self *self, const char *path, zinc_error *err)
{
	static const zinc_node_kind kinds[] = {ZINC_NODE_ARRAY, ZINC_NODE_GROUP};
	size_t i;

	for (i = 0; i < 2 && self->kind == ZINC_NODE_NONE; i++) {
		zinc_fetched_fini(w->h->ctx, &self->doc, self->key != NULL);
		zinc_free(w->h->ctx, self->key);
		zinc_buf_end(&w->key, 0);
		ZINC_TRY(zinc_node_key(w->h, path, kinds[i], &w->key, err));
		self->key = zinc_strndup(w->h->ctx, (const char *)w->key.p, w->key.n);
		if (!self->key)
			return zinc_fail_nomem(err);
		ZINC_TRY(zinc_fetch(w->h->store, &self->key, 1, &self->doc, w->h->wait, err));
		if (self->doc.found != ZINC_MISSING)
			self->kind = kinds[i];
	}
	return ZINC_OK;
}

/* For children: what is wrong with the parent itself is the call's failure, and the parent is not shown. */
static int
keep_problem(void *arg, const zinc_found_node *node)
{
	return node->problem ? (int)zinc_error_copy(arg, node->problem) : 0;
}

static zinc_status
show_self(zinc_walker *w, const struct self *self, bool visible, zinc_error *err)
{
	const zinc_found_fn fn = w->fn;
	void *const arg = w->arg;
	zinc_error problem = ZINC_ERROR_INIT;

	if (!visible) {
		w->fn = keep_problem;
		w->arg = &problem;
	}
	ZINC_TRY(zinc_walker_at(w, "", 0, err));
	ZINC_TRY(self->kind == ZINC_NODE_NONE ? show_implicit(w, err)
					      : show_fetched(w, self->kind, false, &self->doc, self->key, err));
	w->fn = fn;
	w->arg = arg;
	return problem.code != ZINC_OK ? zinc_error_copy(err, &problem) : ZINC_OK;
}

static int
stop_at_first(void *arg, const char *entry, int is_prefix)
{
	(void)entry, (void)is_prefix;
	*(bool *)arg = true;
	return 1;
}

/* A node without a document is there when anything is below it; the root always is. */
static zinc_status
check_implicit(zinc_walker *w, const struct list *l, const char *path, int depth, zinc_error *err)
{
	bool yes = path[1] == '\0' || l->items.n > 0 || l->hidden.n > 0;
	zinc_status s = ZINC_OK;

	if (!yes && depth == 0) {
		zinc_buf_end(&w->key, 0);
		ZINC_TRY(zinc_node_prefix(w->h, path, &w->key, err));
		s = zinc_buf_text(&w->key)
			? zinc_store_list_dir(w->h->store, zinc_buf_text(&w->key), stop_at_first, &yes, w->h->wait, err)
			: zinc_fail_nomem(err);
	}
	if (s == ZINC_OK && !yes) {
		s = zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
		zinc_error_at_key(err, s, path[1] ? path + 1 : "");
	}
	return s;
}

/* ---- the whole ---- */

static zinc_status
list(zinc_walker *w, struct list *l, struct self *self, const char *path, bool visible, int depth, zinc_error *err)
{
	if (path[1])
		ZINC_TRY(zinc_buf_puts(&w->base, path, err));
	ZINC_TRY(fetch_self(w, self, path, err));
	if (depth != 0)
		ZINC_TRY(gather(l, path, depth, err));
	if (path[1] == '\0' && depth != 0)
		ZINC_TRY(gather_foreign(w, l, err));
	if (self->kind == ZINC_NODE_NONE)
		ZINC_TRY(check_implicit(w, l, path, depth, err));
	ZINC_TRY(show_self(w, self, visible, err));
	ZINC_TRY(show_hidden(w, l, depth, err));
	ZINC_TRY(order(l, self->kind, depth));
	return w->stopped ? ZINC_OK : show_all(w, l, self->kind, depth, err);
}

static zinc_status
walk(zinc_hierarchy *h, const char *path, bool visible, int depth, zinc_report *r, zinc_found_fn fn, void *arg,
     zinc_error *err)
{
	zinc_walker w = {.h = h, .r = r, .fn = fn, .arg = arg};
	struct list l = {.h = h, .base = path + 1, .err = err};
	struct self self = {.kind = ZINC_NODE_NONE};
	zinc_buf *bufs[] = {&w.base, &w.path, &w.key, &l.pool, &l.items, &l.shown, &l.hidden};
	zinc_status s;
	size_t i;

	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_init(bufs[i], h->ctx, zinc_max_list(h->ctx));
	zinc_hidden_init(&l.left, h);
	s = list(&w, &l, &self, path, visible, depth, err);
	if (s == ZINC_OK && w.unread.code != ZINC_OK)
		s = zinc_error_copy(err, &w.unread);
	if (s != ZINC_OK)
		zinc_error_at_url(err, s, h->url);
	zinc_fetched_fini(h->ctx, &self.doc, self.key != NULL);
	zinc_free(h->ctx, self.key);
	zinc_meta_free(w.array);
	zinc_hidden_fini(&l.left);
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_fini(bufs[i]);
	return s;
}

zinc_status
zinc_draft_children(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg, zinc_error *err)
{
	return walk(h, path, false, 1, r, fn, arg, err);
}

zinc_status
zinc_draft_walk(zinc_hierarchy *h, const char *path, int depth, zinc_report *r, zinc_found_fn fn, void *arg,
		zinc_error *err)
{
	if (depth == ZINC_WALK_COPIES)
		return ZINC_OK; /* the drafts have none */
	return walk(h, path, true, depth, r, fn, arg, err);
}
