/*
 * draft_key.c - names and keys of the drafts: the node of a key, and the keys of chunks
 *
 *              2020                              2022
 *   root       meta/root.array.json              meta/array.json
 *              meta/root.group.json              meta/group.json
 *   /foo/bar   meta/root/foo/bar.array.json      meta/foo/bar.array.json
 *              data/root/foo/bar/c0/0            data/foo/bar/c0/0
 *
 * The entry point may name another suffix than ".json".  All keys lie below the prefix of the hierarchy.  Promises:
 *
 * (1) A name that the draft forbids is never part of a key.
 * (2) zinc_draft_place is the inverse: it says what every key of the hierarchy is.  All keys that the draft does not
 *     define are foreign.
 */
#include "format/draft.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

/* ---- names ---- */

zinc_status
zinc_draft_check_name(const zinc_format *f, const char *name, size_t n, zinc_error *err)
{
	const zinc_draft *d = f->draft;
	zinc_draft_rule rule = ZINC_DRAFT_NAME;
	const char *why = NULL;
	size_t dots = 0, good = 0;

	while (dots < n && name[dots] == '.')
		dots++;
	while (good < n && name[good] && strchr(LETTERS, name[good]))
		good++;
	if (n == 0) {
		why = "is empty";
		rule = ZINC_DRAFT_NAME_EMPTY;
	} else if (good < n) {
		why = "has other characters than a-z, A-Z, 0-9, '-', '_' and '.'";
	} else if (dots == n) {
		why = "is all periods";
		rule = ZINC_DRAFT_NAME_PERIODS;
	} else if (d->name_max && n > d->name_max) {
		why = "is too long";
		rule = ZINC_DRAFT_NAME_LENGTH;
	}
	return why ? zinc_fail_rule(err, ZINC_E_INVALID, d->rules[rule], "a node's name %s", why) : ZINC_OK;
}

/* ---- and back ---- */

/* Length of `name` without an ending. */
static bool
ends_with(const char *name, size_t n, const char *ending, size_t *before)
{
	const size_t m = strlen(ending);

	if (n < m || memcmp(name + n - m, ending, m) != 0)
		return false;
	*before = n - m;
	return true;
}

size_t
zinc_draft_document(const zinc_hierarchy *h, const char *name, zinc_node_kind *kind)
{
	size_t n;

	if (!ends_with(name, strlen(name), h->entry->suffix, &n))
		return 0;
	*kind = ZINC_NODE_ARRAY;
	if (ends_with(name, n, ".array", &n))
		return n;
	*kind = ZINC_NODE_GROUP;
	return ends_with(name, n, ".group", &n) ? n : 0;
}

/* The root's documents are matched as a whole: "meta/group.json" does not end in ".group.json". */
static bool
is_root_document(const zinc_hierarchy *h, const char *key)
{
	const size_t n = strlen(h->entry->meta);
	const char *rest = key + n + 1;

	return strncmp(key, h->entry->meta, n) == 0 && key[n] == (h->entry->root_dot ? '.' : '/') &&
	       (strncmp(rest, "array", 5) == 0 || strncmp(rest, "group", 5) == 0) &&
	       strcmp(rest + 5, h->entry->suffix) == 0;
}

/* The part after the tree's name and a '/'; NULL: the key is not in the tree. */
static const char *
inside(const char *key, const char *tree)
{
	const size_t n = strlen(tree);

	return strncmp(key, tree, n) == 0 && key[n] == '/' ? key + n + 1 : NULL;
}

/* A key of the tree of documents: "foo/bar.array.json" -> "foo/bar/". */
static zinc_status
place_document(const zinc_hierarchy *h, const char *below, zinc_key_role *role, zinc_buf *place, zinc_error *err)
{
	const char *name = zinc_key_name(below);
	zinc_node_kind kind;
	const size_t n = zinc_draft_document(h, name, &kind);

	*role = n > 0 ? ZINC_KEY_NODE : ZINC_KEY_FOREIGN;
	if (strcmp(name, ".zmetadata") == 0) /* zarr-python's consolidated metadata */
		*role = ZINC_KEY_PART;
	if (*role != ZINC_KEY_NODE)
		return ZINC_OK;
	ZINC_TRY(zinc_buf_add(place, below, (size_t)(name - below) + n, err));
	return zinc_buf_puts(place, "/", err);
}

zinc_status
zinc_draft_place(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place, zinc_error *err)
{
	const char *below;

	zinc_buf_end(place, 0);
	*role = ZINC_KEY_NODE;
	if (is_root_document(h, key))
		return ZINC_OK;
	below = inside(key, h->entry->meta);
	if (below)
		return place_document(h, below, role, place, err);
	below = inside(key, h->entry->data);
	*role = below ? ZINC_KEY_OTHER : ZINC_KEY_FOREIGN;
	if (strcmp(key, "zarr.json") == 0)
		*role = ZINC_KEY_PART;
	return below ? zinc_buf_puts(place, below, err) : ZINC_OK;
}

/* ---- chunks ---- */

/* zarr-python writes an index even for a scalar. */
static size_t
c0_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	static const uint64_t zero = 0;

	return zinc_keys_ops_draft.encode(self, ndim > 0 ? index : &zero, ndim > 0 ? ndim : 1, out, room);
}

static int
c0_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	return ndim > 0 ? zinc_keys_ops_draft.decode(self, key, ndim, index) : strcmp(key, "c0") == 0;
}

static zinc_json *
c0_print(const zinc_keys *k, zinc_json_doc *doc)
{
	return zinc_keys_ops_draft.print(k, doc);
}

static const zinc_keys_ops c0_keys = {
    .name = "default", .purpose = "c1/23/45", .print = c0_print, .encode = c0_encode, .decode = c0_decode};

struct scalar {
	size_t nprefix;
	bool c, c0;
};

static int
see_scalar(void *arg, const char *entry, int is_prefix)
{
	struct scalar *x = arg;

	x->c = x->c || (!is_prefix && strcmp(entry + x->nprefix, "c") == 0);
	x->c0 = x->c0 || (!is_prefix && strcmp(entry + x->nprefix, "c0") == 0);
	return x->c;
}

zinc_status
zinc_draft_find_scalar(zinc_hierarchy *h, const char *path, zinc_meta *m, zinc_error *err)
{
	struct scalar x = {.c = false};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf prefix;

	if (m->kind != ZINC_NODE_ARRAY || m->ndim > 0 || m->keys.ops != &zinc_keys_ops_draft ||
	    !h->format->draft->scalar_c0)
		return ZINC_OK;
	zinc_buf_init(&prefix, h->ctx, ZINC_MAX_KEY);
	st = zinc_data_prefix(h, path, &prefix, &e);
	x.nprefix = prefix.n;
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix)
			 ? zinc_store_list_dir(h->store, zinc_buf_text(&prefix), see_scalar, &x, h->wait, &e)
			 : zinc_fail_nomem(&e);
	zinc_buf_fini(&prefix);
	if (st == ZINC_OK && x.c0 && !x.c)
		m->keys.ops = &c0_keys;
	return st == ZINC_E_UNSUPPORTED ? ZINC_OK : zinc_error_copy(err, &e); /* a store that cannot list */
}

zinc_status
zinc_draft_keys_init(zinc_keys *out, zinc_context *ctx, const zinc_draft *d, char separator, zinc_error *err)
{
	if (*d->chunk != '\0') {
		zinc_keys_init_draft(out, ctx, separator);
		return ZINC_OK;
	}
	ZINC_TRY(zinc_keys_parse_text(out, ctx, "v2", err));
	zinc_keys_separate(out, separator);
	return ZINC_OK;
}
