/*
 * copies_read.c - read consolidated metadata: copies of the documents of a group and all nodes below
 *
 * As a member of the group's own document, with the paths of the nodes below it:
 *
 *   "consolidated_metadata": {
 *     "must_understand": false, "kind": "inline",
 *     "metadata": {"a": {...}, "a/b": {...}}
 *   }
 *
 * As a separate document, with the keys of the copied documents, relative to the directory of the group:
 *
 *   {"zarr_consolidated_format": 1,
 *    "metadata": {".zgroup": {...}, ".zattrs": {...}, "a/.zarray": {...}, "a/.zattrs": {...}}}
 *
 * zarr-python 2.12 to 2.18 writes the same for the root of a hierarchy of October 2020, which the draft does not
 * define:
 *
 *   meta/root/consolidated/.zmetadata
 *   {"zarr_consolidated_format": 1,
 *    "metadata": {"zarr.json": {...}, "meta/root/a.array.json": {...}, "meta/root/g.group.json": {...}}}
 *
 * Zinc never reads nodes from it, since one listing shows all nodes; but it keeps it.  Promises:
 *
 * (1) Damaged consolidated metadata counts as none.  A check reports it where it is a separate document.
 * (2) Where it has an array and a group at one path, the array counts.
 */
#include "format/consolidate.h"

#include "format/documents.h"

/* Duplicate members and NaN tokens are checked with the copies. */
#define JSON (ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS)

zinc_status
zinc_copies_key(const zinc_hierarchy *h, const char *path, zinc_buf *key, zinc_error *err)
{
	if (h->format->copies.member) {
		ZINC_TRY(zinc_node_key(h, path, ZINC_NODE_GROUP, key, err));
	} else {
		ZINC_TRY(zinc_node_prefix(h, path, key, err));
		ZINC_TRY(zinc_buf_puts(key, h->format->copies.document, err));
	}
	return zinc_buf_text(key) ? ZINC_OK : zinc_fail_nomem(err);
}

/* ---- a member ---- */

/* Some writers store null for "none", and no kind other than "inline" is defined: both count as none. */
static const zinc_json *
find_member(const zinc_format *f, const zinc_json *root)
{
	const zinc_json *c = zinc_json_member(root, f->copies.member);
	const zinc_json *metadata = zinc_json_member(c, "metadata");

	if (f->kind(root) != ZINC_NODE_GROUP || !zinc_json_is_string(zinc_json_member(c, "kind"), "inline"))
		return NULL;
	return zinc_json_is(metadata, ZINC_JSON_OBJECT) ? metadata : NULL;
}

static zinc_status
parse_member(const zinc_hierarchy *h, const zinc_fetched *text, zinc_json_doc **doc, const zinc_json **metadata,
	     bool *large, zinc_error *err)
{
	const bool whole = text->n <= h->ctx->limits.json_bytes;
	zinc_status st;

	if (whole && !strstr(text->text, h->format->copies.member) && !strchr(text->text, '\\'))
		return ZINC_OK; /* most groups have none, and are not parsed a second time */
	st = zinc_json_parse(doc, h->ctx, text->text, text->n, JSON, NULL);
	if (st != ZINC_OK) {
		*doc = NULL;
		*large = st == ZINC_E_LIMIT;
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
	}
	*metadata = find_member(h->format, zinc_json_root(*doc));
	if (!*metadata) {
		zinc_json_free(*doc);
		*doc = NULL;
	}
	return ZINC_OK;
}

/* ---- a document of its own ---- */

/* Copies of documents that are being joined to copies of nodes. */
struct nodes {
	const zinc_hierarchy *h;
	zinc_json_doc *doc;
	zinc_json *root; /* the nodes, by their paths */
	zinc_buf path;   /* of one node */
	zinc_error *err;
};

/* The kind of node that this document makes.  NONE: it makes no node, or the key is that of the group itself. */
static zinc_status
find_node(struct nodes *x, const zinc_json *copy, zinc_node_kind *kind)
{
	zinc_key_role role;

	*kind = ZINC_NODE_NONE;
	if (strlen(copy->key) != copy->nkey)
		return ZINC_OK;
	ZINC_TRY(x->h->format->place(x->h, copy->key, &role, &x->path, x->err));
	if (role != ZINC_KEY_NODE || x->path.n == 0)
		return ZINC_OK;
	zinc_buf_end(&x->path, x->path.n - 1); /* the '/' */
	*kind = zinc_key_kind(x->h, copy->key);
	return zinc_buf_text(&x->path) ? ZINC_OK : zinc_fail_nomem(x->err);
}

static zinc_status
take_nodes(struct nodes *x, const zinc_json *metadata, zinc_node_kind wanted)
{
	zinc_node_kind kind;
	const zinc_json *v;

	for (v = metadata->first; v; v = v->next) {
		ZINC_TRY(find_node(x, v, &kind));
		if (kind == wanted && !zinc_json_member(x->root, zinc_buf_text(&x->path)))
			ZINC_TRY(
			    zinc_json_set(x->doc, x->root, zinc_buf_text(&x->path), zinc_json_copy(x->doc, v), x->err));
	}
	return ZINC_OK;
}

/* "a/b/.zattrs": a document beside the one that makes the node. */
static zinc_status
take_attributes(struct nodes *x, const zinc_json *metadata)
{
	const size_t which = zinc_documents_attributes(x->h->format);
	const zinc_json *v;
	zinc_json *node;

	for (v = which > 0 ? metadata->first : NULL; v; v = v->next) {
		const char *name = zinc_key_name(v->key);

		if (strlen(v->key) != v->nkey || name == v->key ||
		    strcmp(name, x->h->format->documents[which].name) != 0)
			continue;
		zinc_buf_end(&x->path, 0);
		ZINC_TRY(zinc_buf_add(&x->path, v->key, (size_t)(name - v->key) - 1, x->err));
		ZINC_TRY(zinc_buf_text(&x->path) ? ZINC_OK : zinc_fail_nomem(x->err));
		node = zinc_json_member(x->root, zinc_buf_text(&x->path));
		if (zinc_json_is(node, ZINC_JSON_OBJECT))
			ZINC_TRY(zinc_json_set(x->doc, node, ZINC_ATTRIBUTES, zinc_json_copy(x->doc, v), x->err));
	}
	return ZINC_OK;
}

static zinc_status
take_all(struct nodes *x, const zinc_json *metadata)
{
	x->root = zinc_json_make(x->doc, ZINC_JSON_OBJECT);
	zinc_json_set_root(x->doc, x->root);
	if (!x->root)
		return zinc_fail_nomem(x->err);
	ZINC_TRY(take_nodes(x, metadata, ZINC_NODE_ARRAY)); /* promise (2) */
	ZINC_TRY(take_nodes(x, metadata, ZINC_NODE_GROUP));
	return take_attributes(x, metadata);
}

static zinc_status
gather_nodes(zinc_json_doc **out, const zinc_hierarchy *h, const zinc_json *metadata, zinc_error *err)
{
	struct nodes x = {.h = h, .err = err};
	zinc_status st;

	ZINC_TRY(zinc_json_new(&x.doc, h->ctx, err));
	zinc_buf_init(&x.path, h->ctx, ZINC_MAX_KEY);
	st = take_all(&x, metadata);
	zinc_buf_fini(&x.path);
	if (st == ZINC_OK)
		*out = x.doc;
	else
		zinc_json_free(x.doc);
	return st;
}

static zinc_status
parse_document(const zinc_hierarchy *h, const zinc_fetched *text, zinc_json_doc **doc, const zinc_json **metadata,
	       zinc_error *err)
{
	const zinc_json *copies;
	zinc_json_doc *stored;
	uint64_t version = 0;
	zinc_status st = zinc_json_parse(&stored, h->ctx, text->text, text->n, JSON, NULL);

	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
	(void)zinc_json_u64(zinc_json_member(zinc_json_root(stored), "zarr_consolidated_format"), &version);
	copies = zinc_json_member(zinc_json_root(stored), "metadata");
	if (version == 1 && zinc_json_is(copies, ZINC_JSON_OBJECT))
		st = gather_nodes(doc, h, copies, err);
	zinc_json_free(stored);
	if (*doc)
		*metadata = zinc_json_root(*doc);
	return st;
}

/* ---- either ---- */

zinc_status
zinc_copies_find(const zinc_hierarchy *h, const zinc_fetched *docs, zinc_json_doc **doc, const zinc_json **metadata,
		 bool *large, zinc_error *err)
{
	const zinc_format *f = h->format;
	const zinc_fetched *text = &docs[f->copies.member ? 0 : zinc_documents(f, ZINC_PART_COPIES) - 1];

	*doc = NULL;
	*large = false;
	if (text->found != ZINC_FOUND)
		return ZINC_OK;
	return f->copies.member ? parse_member(h, text, doc, metadata, large, err)
				: parse_document(h, text, doc, metadata, err);
}

static void
call_each(const zinc_json *metadata, zinc_copy_fn fn, void *arg)
{
	const zinc_json *v;

	for (v = metadata ? metadata->first : NULL; v; v = v->next)
		if (fn(arg, v->key + (v->key[0] == '/'), v) != 0)
			return;
}

/* Readers ignore a damaged one; a check reports it. */
static zinc_status
read_document(zinc_hierarchy *h, char *key, bool *has, zinc_copy_fn fn, void *arg, zinc_error *err)
{
	const zinc_json *metadata = NULL;
	zinc_json_doc *doc = NULL;
	zinc_fetched text;
	zinc_status st;

	ZINC_TRY(zinc_known_fetch(h->known, h->store, &key, 1, &text, h->wait, err));
	st = zinc_fetched_status(&text, key, err);
	*has = st == ZINC_OK && text.found == ZINC_FOUND;
	if (*has)
		st = parse_document(h, &text, &doc, &metadata, err);
	zinc_fetched_fini(h->ctx, &text, 1);
	if (st == ZINC_OK && *has && !doc) {
		st = zinc_fail(err, ZINC_E_CORRUPT,
			       "it is not an object with \"zarr_consolidated_format\" 1 and \"metadata\"");
		zinc_error_at_key(err, st, key);
	}
	call_each(metadata, fn, arg);
	zinc_json_free(doc);
	return st;
}

zinc_status
zinc_copies_each(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_copy_fn fn, void *arg,
		 zinc_error *err)
{
	const zinc_format *f = h->format;
	const zinc_json *metadata;
	zinc_status st;
	zinc_buf key;

	*has = false;
	if (f->copies.of < (path[1] ? ZINC_COPIES_OF_GROUPS : ZINC_COPIES_OF_ROOT))
		return ZINC_OK;
	if (f->copies.member) { /* of the document that was read */
		metadata = find_member(f, zinc_json_root(group->doc));
		*has = metadata != NULL;
		call_each(metadata, fn, arg);
		return ZINC_OK;
	}
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	st = zinc_copies_key(h, path, &key, err);
	if (st == ZINC_OK)
		st = read_document(h, (char *)key.p, has, fn, arg, err);
	zinc_buf_fini(&key);
	return st;
}
