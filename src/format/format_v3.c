/*
 * format_v3.c - the final version 3 of Zarr: its keys, its detection, its row in the table
 *
 *   node       document            stored objects of an array (default key encoding)
 *   /          zarr.json           c/0/0
 *   /foo/bar   foo/bar/zarr.json   foo/bar/c/0/0
 *
 * all below the root's prefix.  Promises:
 *
 * (1) A name that the specification forbids (M29-M33) makes no key.
 * (2) Reading a node is one get, of its own document.
 */
#include "format/format_v3.h"

/* ---- names and keys ---- */

/* v3 core, "Node names"; the last row was added in July 2026. */
const char *
zinc_v3_name_rule(const char *name, size_t n, const char **why)
{
	static const struct {
		const char *rule, *why;
	} rules[] = {
	    {"M29", "is empty"},
	    {"M30", "contains '/'"},
	    {"M31", "is all periods"},
	    {"M32", "begins with \"__\""},
	    {"M33", "is \"" ZINC_V3_DOCUMENT "\""},
	};
	const size_t ndocument = strlen(ZINC_V3_DOCUMENT);
	size_t dots = 0, broken;

	while (dots < n && name[dots] == '.')
		dots++;
	if (n == 0)
		broken = 0;
	else if (memchr(name, '/', n))
		broken = 1;
	else if (dots == n)
		broken = 2;
	else if (n >= 2 && name[0] == '_' && name[1] == '_')
		broken = 3;
	else if (ZINC_V3_JULY_2026 && n == ndocument && memcmp(name, ZINC_V3_DOCUMENT, n) == 0)
		broken = 4;
	else
		return NULL;
	*why = rules[broken].why;
	return rules[broken].rule;
}

zinc_status
zinc_v3_check_name(const zinc_format *f, const char *name, size_t n, zinc_error *err)
{
	const char *why, *rule = zinc_v3_name_rule(name, n, &why);

	(void)f;
	return rule ? zinc_fail_rule(err, ZINC_E_INVALID, rule, "a node's name %s", why) : ZINC_OK;
}

/* ---- reading ---- */

/* Whatever no draft claims, damaged or not: the reader of the node will say what is wrong. */
static bool
v3_claims(const zinc_json *root, zinc_node_kind *kind)
{
	*kind = root ? zinc_v3_kind(root) : ZINC_NODE_NONE;
	return !zinc_format_is_draft(root);
}

/* The report names the key while the document is parsed, so that warnings say where they come from. */
static zinc_status
read_key(zinc_hierarchy *h, const char *key, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	const char *where = r->where;
	zinc_tag tag = {.n = 0};
	zinc_status s;

	s = zinc_store_get_all(h->store, key, &text, &tag, h->ctx->limits.json_bytes, err);
	if (s == ZINC_E_NOTFOUND)
		return zinc_fail(err, s, "no node is there");
	ZINC_TRY(s);
	r->where = key;
	s = zinc_v3_parse(h->format, h->ctx, text.data, text.nbytes, r, out, err);
	r->where = where;
	zinc_blob_fini(&text);
	if (s == ZINC_OK)
		(*out)->tag = tag;
	return s;
}

static zinc_status
v3_read_node(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	zinc_status s;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	s = zinc_node_key(h, path, ZINC_NODE_NONE, &key, err);
	if (s == ZINC_OK && !zinc_buf_text(&key))
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK) {
		s = read_key(h, zinc_buf_text(&key), r, out, err);
		if (s != ZINC_OK) {
			zinc_error_at_key(err, s, zinc_buf_text(&key));
			zinc_error_at_url(err, s, h->url);
		}
	}
	zinc_buf_fini(&key);
	return s;
}

/* Text files end with a newline, and people will open this one in an editor. */
static zinc_status
v3_print(const zinc_meta *m, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_json_print(zinc_json_root(m->doc), out, err));
	return zinc_buf_puts(out, "\n", err);
}

/* ---- listing ---- */

/* What a document that cannot be used says it is. */
static zinc_node_kind
peek(zinc_context *ctx, const zinc_fetched *text)
{
	zinc_node_kind kind;
	zinc_json_doc *doc;

	if (zinc_json_parse(&doc, ctx, text->text, text->n, ZINC_V3_JSON, NULL) != ZINC_OK)
		return ZINC_NODE_NONE;
	kind = zinc_v3_kind(zinc_json_root(doc));
	zinc_json_free(doc);
	return kind;
}

static zinc_status
parse_fetched(zinc_context *ctx, const zinc_fetched *docs, char *const *keys, zinc_report *r, zinc_meta **out,
	      zinc_node_kind *kind, zinc_error *err)
{
	zinc_status s;

	r->where = keys[0];
	s = zinc_v3_parse(&zinc_format_v3, ctx, docs->text, docs->n, r, out, err);
	*kind = s == ZINC_OK ? (*out)->kind : peek(ctx, docs);
	if (s == ZINC_OK)
		(*out)->tag = docs->tag;
	return s;
}

const zinc_layout zinc_v3_layout = {
    .implicit_rule = "M25",
    .parse = parse_fetched,
    .copy_kind = zinc_v3_kind,
    .parse_copy = zinc_v3_parse_doc,
    .copies = zinc_v3_find_copies,
};

/* ---- the row ---- */

static zinc_status
v3_place(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place, zinc_error *err)
{
	(void)h;
	*role = strcmp(zinc_key_name(key), ZINC_V3_DOCUMENT) == 0 ? ZINC_KEY_NODE : ZINC_KEY_OTHER;
	return zinc_layout_place(key, *role, place, err);
}

/* Nothing to translate; a copy, because the caller keeps his own. */
zinc_status
zinc_v3_copy(zinc_context *ctx, const zinc_json_doc *v3, zinc_json_doc **out, zinc_error *err)
{
	zinc_json *root;

	ZINC_TRY(zinc_json_new(out, ctx, err));
	root = zinc_json_copy(*out, zinc_json_root(v3));
	zinc_json_set_root(*out, root);
	if (root)
		return ZINC_OK;
	zinc_json_free(*out);
	*out = NULL;
	return zinc_fail_nomem(err);
}

/* Version 3 has one byte order for all fields of a struct. */
static zinc_status
v3_from_v3(zinc_hierarchy *h, zinc_json_doc *v3, zinc_json_doc **out, zinc_error *err)
{
	zinc_json *type;
	zinc_status s;

	ZINC_TRY(zinc_v3_copy(h->ctx, v3, out, err));
	type = zinc_json_member(zinc_json_root(*out), "data_type");
	if (!zinc_json_is(type, ZINC_JSON_OBJECT))
		return ZINC_OK;
	s = zinc_json_set(*out, zinc_json_root(*out), "data_type",
			  zinc_dtype_drop_orders(*out, zinc_json_copy(*out, type)), err);
	if (s != ZINC_OK) {
		zinc_json_free(*out);
		*out = NULL;
	}
	return s;
}

const zinc_format zinc_format_v3 = {
    .id = "v3",
    .purpose = "Zarr version 3, the final specification (core 3.1)",
    .codecs = "zstd+crc32c",
    .documents = {{ZINC_V3_DOCUMENT, ZINC_NODE_NONE, ZINC_PART_NODE}},
    .masks = ZINC_MASKS_ATTRIBUTE,
    .claims = v3_claims,
    .check_name = zinc_v3_check_name,
    .read_node = v3_read_node,
    .parse = zinc_v3_parse,
    .print = v3_print,
    .prepare = zinc_v3_prepare,
    .check_above = zinc_v3_check_above,
    .settle = zinc_v3_settle,
    .write_node = zinc_v3_write_node,
    .edit_node = zinc_v3_edit_node,
    .from_v3 = v3_from_v3,
    .consolidate = zinc_v3_consolidate,
    .copies_of = ZINC_COPIES_OF_GROUPS,
    .copies = zinc_v3_copies,
    .place = v3_place,
};
