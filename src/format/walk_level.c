/*
 * walk_level.c - find the nodes to list, in every version of Zarr
 *
 *   key                        the node   who finds it
 *   a/b/zarr.json              /a/b       a list of the directory a/, whose children are looked at one by one
 *   meta/root/b/c.group.json   /b/c       a list of all keys in the tree of documents, which hold no chunks
 *   "metadata": {"a/b": ...}   /a/b       consolidated metadata
 *
 * The second and the third show all nodes below at once.  Promises:
 *
 * (1) Parents come before their children, siblings in byte order of their names; those that cannot be shown come first.
 * (2) A group without a key or a copy is shown before its first descendant.
 * (3) A child that the store cannot name or reach (zinc_non_key), or whose name no node may have, is shown as hidden, with
 *     the reason.  In a directory a child is an entry with a document of any version, or a link that may lead to one.
 *     Names that begin with "__" are not nodes.
 * (4) In a tree of documents a node below an array is hidden, and so are hierarchies beside the tree.  Finding those
 *     costs one list of the root's directory and one of each directory that does not belong to the draft.
 * (5) Both spellings of paths in consolidated metadata, "a/b" and "/a/b", are read.
 */
#include <stdlib.h>

#include "format/draft.h"
#include "format/walk.h"

void
zinc_level_init(zinc_level *l, zinc_hierarchy *h)
{
	zinc_buf *bufs[] = {&l->pool, &l->found, &l->items, &l->marks, &l->refused};
	size_t i;

	*l = (zinc_level){.per = zinc_documents(h->format, ZINC_PART_ATTRIBUTES)};
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_init(bufs[i], h->ctx, zinc_max_list(h->ctx));
	zinc_hidden_init(&l->left, h);
}

void
zinc_level_fini(zinc_level *l)
{
	zinc_buf *bufs[] = {&l->pool, &l->found, &l->items, &l->marks, &l->refused};
	size_t i;

	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_fini(bufs[i]);
	zinc_hidden_fini(&l->left);
}

static zinc_item *
items_of(const zinc_buf *b, size_t *n)
{
	*n = b->n / sizeof(zinc_item);
	return (zinc_item *)(void *)b->p;
}

int
zinc_path_levels(const char *path, size_t n)
{
	int levels = n > 0;

	while (n-- > 0)
		levels += path[n] == '/';
	return levels;
}

/* Known only from the keys of its documents; the first of them counts. */
zinc_node_kind
zinc_item_kind(const zinc_format *f, const zinc_item *item)
{
	size_t i;

	for (i = 0; i < zinc_documents(f, ZINC_PART_NODE); i++)
		if (item->has & (1u << i))
			return f->documents[i].makes;
	return ZINC_NODE_NONE;
}

/* ---- one thing that is there ---- */

struct listing {
	zinc_level *l;
	zinc_walker *w;
	const char *parent; /* below the base: "" or "a/b" */
	size_t nprefix;     /* bytes of the listed prefix in each key */
	bool consolidated;  /* the directory of consolidated metadata exists, */
	bool other;         /* and has other entries */
	zinc_status status;
	zinc_error *err;
};

/* Stored as a path below the base, so that no level needs its parent. */
static zinc_status
add_path(const struct listing *c, zinc_buf *to, const char *path, size_t n)
{
	ZINC_TRY(zinc_buf_printf(to, c->err, "%s%s", c->parent, *c->parent && n > 0 ? "/" : ""));
	ZINC_TRY(zinc_buf_add(to, path, n, c->err));
	return zinc_buf_add(to, "", 1, c->err);
}

static zinc_status
add_item(const struct listing *c, const char *path, size_t n, unsigned has, const zinc_json *copy)
{
	const uint64_t max = c->w->h->ctx->limits.children;
	zinc_item item = {.n = c->l->pool.n, .has = has, .copy = copy};
	size_t count;

	(void)items_of(&c->l->found, &count);
	if (count >= max)
		return zinc_fail(c->err, ZINC_E_LIMIT, "more than %llu nodes", (unsigned long long)max);
	ZINC_TRY(add_path(c, &c->l->pool, path, n));
	item.n = c->l->pool.n - item.n - 1;
	return zinc_buf_add(&c->l->found, &item, sizeof item, c->err);
}

/* A path below the base that was shown, or will be. */
static zinc_status
note_shown(zinc_level *l, zinc_walker *w, const char *path, size_t n, zinc_node_kind kind, bool hidden, zinc_error *err)
{
	if (!w->h->entry)
		return ZINC_OK; /* a list of one directory leaves no key over */
	ZINC_TRY(zinc_walker_at(w, path, n, err));
	return zinc_hidden_shown(&l->left, zinc_buf_text(&w->path) + 1, w->path.n - 1, kind, hidden, err);
}

/* Mark one thing as hidden: 'n' because of its name, 'f' as a hierarchy of its own, '-' because it cannot be read. */
static zinc_status
add_mark(const struct listing *c, char mark, const char *path, size_t n, const char *why)
{
	ZINC_TRY(note_shown(c->l, c->w, path, n, ZINC_NODE_NONE, true, c->err));
	ZINC_TRY(zinc_buf_add(&c->l->marks, &mark, 1, c->err));
	ZINC_TRY(add_path(c, &c->l->marks, path, n));
	return zinc_buf_add(&c->l->marks, why, strlen(why) + 1, c->err);
}

/* Is the path made of names that nodes can have, in this store? */
static zinc_status
check_path(const zinc_hierarchy *h, const char *path, size_t n, zinc_error *err)
{
	const char *end = path + n, *name;
	zinc_status st;
	zinc_buf whole;

	for (name = path; name <= end; name++) {
		const char *slash = memchr(name, '/', (size_t)(end - name));
		const size_t m = (size_t)((slash ? slash : end) - name);

		ZINC_TRY(h->format->check_name(h->format, name, m, err));
		name += m;
	}
	zinc_buf_init(&whole, h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_puts(&whole, "/", err);
	if (st == ZINC_OK)
		st = zinc_buf_add(&whole, path, n, err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&whole) ? zinc_hierarchy_check_keys(h, zinc_buf_text(&whole), err)
					   : zinc_fail_nomem(err);
	zinc_buf_fini(&whole);
	return st;
}

/* Add a node that a key shows, or mark a path that no node can have. */
static zinc_status
add_known(const struct listing *c, const char *path, size_t n, unsigned has)
{
	zinc_error why = ZINC_ERROR_INIT;
	const zinc_status st = check_path(c->w->h, path, n, &why);

	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(c->err);
	return st == ZINC_OK ? add_item(c, path, n, has, NULL) : add_mark(c, 'n', path, n, why.text);
}

/* ---- a directory, or a tree of documents ---- */

/* A key below the prefix, "b/c.group.json": the node "b/c". */
static zinc_status
add_key(const struct listing *c, const char *key)
{
	const zinc_hierarchy *h = c->w->h;
	const char *path = key + c->nprefix, *name = zinc_key_name(path);
	zinc_node_kind kind;
	size_t n;

	if (!h->entry)
		return ZINC_OK; /* the group's own document */
	ZINC_TRY(zinc_hidden_key(&c->l->left, key, c->err));
	n = zinc_draft_document(h, name, &kind);
	if (n == 0)
		return ZINC_OK;
	return add_known(c, path, (size_t)(name - path) + n, 1u << zinc_document_of(h->format, kind));
}

static int
list_key(void *arg, const char *key, uint64_t nbytes)
{
	struct listing *c = arg;

	(void)nbytes;
	c->status = add_key(c, key);
	return c->status != ZINC_OK;
}

/* zarr-python stores consolidated metadata below a name of the root that need not be a node. */
static bool
is_consolidated(const struct listing *c, const char *name, size_t n)
{
	const char *document = c->w->h->format->copies.document;

	return document && strncmp(document, name, n) == 0 && document[n] == '/' &&
	       c->nprefix == strlen(c->w->h->prefix) + strlen(c->w->h->entry->meta) + 1;
}

static int
note_other(void *arg, const char *entry, int is_prefix)
{
	struct listing *c = arg;

	c->other |= is_prefix || strcmp(zinc_key_name(entry), zinc_key_name(c->w->h->format->copies.document)) != 0;
	return c->other;
}

/* If the directory has more than the consolidated metadata, it is a group as well. */
static zinc_status
add_consolidated(struct listing *c, const char *prefix)
{
	const char *document = c->w->h->format->copies.document;
	const size_t n = (size_t)(zinc_key_name(document) - document);
	zinc_status st;
	zinc_buf dir;

	zinc_buf_init(&dir, c->w->h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&dir, c->err, "%s%.*s", prefix, (int)n, document);
	if (st == ZINC_OK)
		st = zinc_store_list_dir(c->w->h->store, zinc_buf_text(&dir), note_other, c, c->w->h->wait, c->err);
	zinc_buf_fini(&dir);
	return st == ZINC_OK && c->other ? add_known(c, document, n - 1, ZINC_HAS_BELOW) : st;
}

/* "a/" is a group by its descendants.  Where documents are in the node's directory, it may be anything. */
static zinc_status
add_prefix(struct listing *c, const char *name, size_t n)
{
	const zinc_format *f = c->w->h->format;

	if (c->w->h->entry && is_consolidated(c, name, n)) {
		c->consolidated = true;
		return ZINC_OK;
	}
	if (c->w->h->entry)
		return add_known(c, name, n, ZINC_HAS_BELOW);
	if (f->check_name(f, name, n, NULL) == ZINC_OK)
		return add_item(c, name, n, 0, NULL);
	ZINC_TRY(zinc_buf_add(&c->l->refused, name, n, c->err));
	return zinc_buf_add(&c->l->refused, "", 1, c->err);
}

static int
list_entry(void *arg, const char *entry, int is_prefix)
{
	struct listing *c = arg;
	const char *name = entry + c->nprefix;
	const size_t n = strlen(name);

	if (!is_prefix)
		c->status = add_key(c, entry);
	else if (n > 1)
		c->status = add_prefix(c, name, n - 1);
	return c->status != ZINC_OK;
}

/* In the directory of a group: is this entry a child, or can it be one?  Documents of the group itself are reported by
 * the code that reads them. */
static bool
hides_child(const zinc_format *f, const zinc_non_key *non_key)
{
	static const char *const document_names[] = {"zarr.json", ".zarray", ".zgroup"}; /* of any version of Zarr */
	size_t i;

	for (i = 0; i < zinc_documents(f, ZINC_PART_COPIES); i++)
		if (strcmp(zinc_key_name(non_key->key), f->documents[i].name) == 0)
			return false;
	if (non_key->kind == ZINC_NON_KEY_LINK || non_key->kind == ZINC_NON_KEY_DIR)
		return non_key->kind == ZINC_NON_KEY_LINK;
	if (f->bare_groups) /* any directory may be one */
		return non_key->holds(non_key, ".") != 0;
	for (i = 0; i < sizeof document_names / sizeof *document_names; i++)
		if (non_key->holds(non_key, document_names[i]) != 0)
			return true;
	return false;
}

/* In the tree of documents: an entry named like a document, or, since documents are files, any entry that may be in the
 * place of a directory of them. */
static bool
hides_document(const zinc_hierarchy *h, const zinc_non_key *non_key)
{
	const size_t nroot = strlen(h->prefix), ntree = strlen(h->entry->meta);
	const char *below = non_key->key + nroot;
	zinc_node_kind kind;

	if (strncmp(non_key->key, h->prefix, nroot) != 0 || strncmp(below, h->entry->meta, ntree) != 0)
		return false;
	if (below[ntree] != '/') /* the tree itself, or a link in its place */
		return below[ntree] == '\0' && non_key->kind != ZINC_NON_KEY_DIR;
	if (zinc_draft_document(h, zinc_key_name(non_key->key), &kind) > 0)
		return true;
	if (non_key->kind == ZINC_NON_KEY_NAME)
		return non_key->holds(non_key, ".") != 0;
	return non_key->kind != ZINC_NON_KEY_DIR;
}

bool
zinc_non_key_may_hide_node(const zinc_hierarchy *h, const zinc_non_key *non_key)
{
	return h->entry ? hides_document(h, non_key) : hides_child(h->format, non_key);
}

static int
list_non_key(void *arg, const zinc_non_key *non_key)
{
	struct listing *c = arg;
	const char *path = zinc_key_name(non_key->key);

	if (c->w->h->entry) /* it may be the tree itself, which is not a key below it */
		path = strlen(non_key->key) > c->nprefix ? non_key->key + c->nprefix : "";
	if (zinc_non_key_may_hide_node(c->w->h, non_key))
		c->status =
		    add_mark(c, non_key->kind == ZINC_NON_KEY_NAME ? 'n' : '-', path, strlen(path), non_key->why);
	return c->status != ZINC_OK;
}

/* "x/"; "meta/" and "data/" belong to the draft. */
static int
list_beside(void *arg, const char *entry, int is_prefix)
{
	struct listing *c = arg;
	const char *name = entry + strlen(c->w->h->prefix);

	if (!is_prefix || strlen(name) < 2 || strcmp(name, "meta/") == 0 || strcmp(name, "data/") == 0)
		return 0;
	c->status = zinc_buf_add(&c->l->refused, entry, strlen(entry) + 1, c->err);
	return c->status != ZINC_OK;
}

/* What cannot be read is marked.  Of a hierarchy only the name is shown. */
static zinc_status
add_beside(const struct listing *c, const char *prefix)
{
	const char *name = prefix + strlen(c->w->h->prefix);
	zinc_error why = ZINC_ERROR_INIT;
	const zinc_format *format = NULL;

	ZINC_TRY(zinc_walker_detect_at(c->w, prefix, &format, &why, c->err));
	if (why.code == ZINC_OK && !format)
		return zinc_hidden_list(&c->l->left, prefix, c->err);
	if (why.code == ZINC_OK)
		zinc_fail(&why, ZINC_E_UNSUPPORTED, ZINC_OTHER_VERSION, format->id);
	return add_mark(c, 'f', name, strlen(name) - 1, why.text);
}

/* Hierarchies of any version in directories beside the trees, where a draft has none: (4). */
static zinc_status
look_beside(struct listing *c)
{
	zinc_hierarchy *h = c->w->h;
	const char *prefix;
	size_t at;

	ZINC_TRY(zinc_store_list_dir(h->store, h->prefix, list_beside, c, h->wait, c->err));
	ZINC_TRY(c->status);
	for (at = 0; at < c->l->refused.n; at += strlen(prefix) + 1) {
		prefix = (const char *)c->l->refused.p + at;
		ZINC_TRY(add_beside(c, prefix));
	}
	zinc_buf_end(&c->l->refused, 0);
	return ZINC_OK;
}

zinc_status
zinc_level_list(zinc_level *l, zinc_walker *w, const char *parent, zinc_error *err)
{
	struct listing c = {.l = l, .w = w, .parent = parent, .err = err};
	zinc_lister to = {.size = sizeof to, .non_key = list_non_key, .arg = &c};
	const bool root = w->path.n == 1;
	zinc_status st;
	zinc_buf prefix;

	l->whole = w->h->entry != NULL;
	if (l->whole && w->depth != 1)
		to.key = list_key;
	else
		to.entry = list_entry;
	if (!w->h->entry) /* documents are in the nodes' directories */
		to.likely = w->h->format->documents[0].name;
	zinc_buf_init(&prefix, w->h->ctx, ZINC_MAX_KEY);
	st = zinc_node_prefix(w->h, zinc_buf_text(&w->path), &prefix, err);
	c.nprefix = prefix.n;
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix) ? zinc_store_walk(w->h->store, zinc_buf_text(&prefix), &to, w->h->wait, err)
					    : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = c.status;
	if (st == ZINC_OK && c.consolidated)
		st = add_consolidated(&c, zinc_buf_text(&prefix));
	zinc_buf_fini(&prefix);
	ZINC_TRY(st);
	return l->whole && root ? look_beside(&c) : ZINC_OK;
}

/* ---- consolidated metadata ---- */

zinc_status
zinc_level_copies(zinc_level *l, zinc_walker *w, const zinc_json *metadata, const char *below, zinc_error *err)
{
	const struct listing c = {.l = l, .w = w, .parent = "", .err = err};
	const size_t nbelow = strlen(below);
	const zinc_json *v;
	zinc_status st;

	l->whole = true;
	for (v = metadata->first; v; v = v->next) {
		const char *path = v->key + (v->key[0] == '/');
		const size_t n = strlen(path);

		if (strncmp(path, below, nbelow) != 0 || !path[nbelow])
			continue;
		st = strlen(v->key) == v->nkey ? check_path(w->h, path + nbelow, n - nbelow, NULL) : ZINC_E_CORRUPT;
		if (st == ZINC_E_NOMEM)
			return zinc_fail_nomem(err);
		ZINC_TRY(add_item(&c, path + nbelow, n - nbelow, st != ZINC_OK ? ZINC_HAS_NO_PATH : 0, v));
	}
	return ZINC_OK;
}

zinc_status
zinc_item_refused(zinc_walker *w, const zinc_item *item, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	const zinc_status st = check_path(w->h, item->path, item->n, &why);

	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (st == ZINC_OK)
		zinc_fail(&why, ZINC_E_CORRUPT, "a name must not contain a NUL");
	return zinc_walker_hidden(w, item->path, ZINC_E_CORRUPT, why.text, err);
}

/* ---- in order ---- */

static int
compare_items(const void *a, const void *b)
{
	return zinc_path_compare(((const zinc_item *)a)->path, ((const zinc_item *)b)->path);
}

/* All paths are in the pool now, which does not move any more. */
static zinc_item *
sort(zinc_level *l, size_t *n)
{
	zinc_item *found = items_of(&l->found, n);
	const char *path = (const char *)l->pool.p;
	size_t i;

	for (i = 0; i < *n; i++) {
		found[i].path = path;
		path += found[i].n + 1;
	}
	if (*n > 0)
		qsort(found, *n, sizeof *found, compare_items);
	return found;
}

/* Is `path` the node at the first n bytes of `up`, or below it? */
static bool
is_within(const char *path, const char *up, size_t n)
{
	return strncmp(path, up, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Add the groups above an item that are not there yet, and the item itself if it is not too deep: (2). */
static zinc_status
put_item(zinc_level *l, const zinc_walker *w, const zinc_item *item, const char *before, const char *parent,
	 zinc_error *err)
{
	const size_t nparent = strlen(parent);
	int level = zinc_path_levels(parent, nparent);
	size_t i;

	for (i = nparent + (nparent > 0); i <= item->n; i++) {
		const zinc_item up = {.path = item->path, .n = i, .has = ZINC_HAS_BELOW};

		if (item->path[i] != '/' && item->path[i] != '\0')
			continue;
		if (w->depth >= 0 && ++level > w->depth)
			return ZINC_OK;
		if (i == item->n || !(is_within(before, item->path, i) || (item->has & ZINC_HAS_NO_PATH)))
			ZINC_TRY(zinc_buf_add(&l->items, i == item->n ? item : &up, sizeof up, err));
	}
	return ZINC_OK;
}

static bool
is_same(const zinc_item *a, const zinc_item *b)
{
	return strcmp(a->path, b->path) == 0 && !((a->has | b->has) & ZINC_HAS_NO_PATH);
}

static zinc_status
order(zinc_level *l, zinc_walker *w, const char *parent, zinc_node_kind self, zinc_error *err)
{
	const char *before = "", *array = self == ZINC_NODE_ARRAY ? "" : NULL;
	size_t n, i, k;
	zinc_item *found = sort(l, &n);

	ZINC_TRY(note_shown(l, w, "", 0, self, false, err));
	for (i = 0; i < n; i = k) {
		const zinc_item *item = &found[i];
		zinc_node_kind kind;

		for (k = i + 1; k < n && is_same(item, &found[k]); k++)
			found[i].has |= found[k].has;
		if (array && (!*array || is_within(item->path, array, strlen(array))))
			continue; /* its document is reported as hidden */
		kind = zinc_item_kind(w->h->format, item);
		ZINC_TRY(note_shown(l, w, item->path, item->n, kind, false, err));
		ZINC_TRY(put_item(l, w, item, before, parent, err));
		if (!(item->has & ZINC_HAS_NO_PATH))
			before = item->path;
		if (kind == ZINC_NODE_ARRAY)
			array = item->path;
	}
	zinc_buf_fini(&l->found);
	(void)items_of(&l->items, &l->n);
	return ZINC_OK;
}

/* ---- what is hidden ---- */

/* Only those that are not too deep. */
static zinc_status
show_marks(const zinc_level *l, zinc_walker *w, zinc_error *err)
{
	const char *at = (const char *)l->marks.p, *end = l->marks.n > 0 ? at + l->marks.n : at;

	while (at < end && !w->stopped) {
		const zinc_status st = *at == 'n' ? ZINC_E_CORRUPT : *at == 'f' ? ZINC_E_UNSUPPORTED : ZINC_E_IO;
		const char *path = at + 1, *why = path + strlen(path) + 1;

		at = why + strlen(why) + 1;
		if (w->depth < 0 || zinc_path_levels(path, strlen(path)) <= w->depth)
			ZINC_TRY(zinc_walker_hidden(w, path, st, why, err));
	}
	return ZINC_OK;
}

/* Is a name that no node may have a child's? */
static zinc_status
show_refused_name(zinc_walker *w, const char *parent, const char *name, zinc_error *err)
{
	const struct listing c = {.parent = parent, .err = err};
	zinc_error why = ZINC_ERROR_INIT;
	const zinc_format *format;
	zinc_status st;
	zinc_buf path;

	ZINC_TRY(zinc_walker_at(w, parent, strlen(parent), err));
	ZINC_TRY(zinc_walker_detect(w, name, &format, &why, err));
	if (!format && why.code == ZINC_OK)
		return ZINC_OK;
	if (format) {
		(void)w->h->format->check_name(w->h->format, name, strlen(name), &why);
		why.code = ZINC_E_CORRUPT;
	}
	zinc_buf_init(&path, w->h->ctx, ZINC_MAX_KEY);
	st = add_path(&c, &path, name, strlen(name));
	if (st == ZINC_OK)
		st = zinc_walker_hidden(w, (const char *)path.p, why.code, why.text, err);
	zinc_buf_fini(&path);
	return st;
}

/* Names that begin with "__" are reserved. */
static zinc_status
show_refused(const zinc_level *l, zinc_walker *w, const char *parent, zinc_error *err)
{
	const char *name;
	size_t at;

	for (at = 0; at < l->refused.n && !w->stopped; at += strlen(name) + 1) {
		name = (const char *)l->refused.p + at;
		if (strncmp(name, "__", 2) != 0)
			ZINC_TRY(show_refused_name(w, parent, name, err));
	}
	return ZINC_OK;
}

/* Nodes of another version have no depth in this tree. */
static int
show_leftover(void *arg, const zinc_found_node *node)
{
	const zinc_walker *w = arg;
	const char *below = node->path + w->base.n + 1;

	if (node->problem->code == ZINC_E_CORRUPT && w->depth >= 0 && zinc_path_levels(below, strlen(below)) > w->depth)
		return 0;
	return w->fn(w->arg, node);
}

zinc_status
zinc_level_order(zinc_level *l, zinc_walker *w, const char *parent, zinc_node_kind self, zinc_error *err)
{
	ZINC_TRY(order(l, w, parent, self, err));
	ZINC_TRY(show_marks(l, w, err));
	ZINC_TRY(show_refused(l, w, parent, err));
	return w->stopped ? ZINC_OK : zinc_hidden_each(&l->left, show_leftover, w, &w->stopped, err);
}
