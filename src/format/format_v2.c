/*
 * format_v2.c - Zarr version 2: its keys, its detection, its row in the table
 *
 *   node       documents                          stored objects of an array
 *   /          .zgroup, .zattrs, .zmetadata       -
 *   /foo/bar   foo/bar/.zarray, foo/bar/.zattrs   foo/bar/0.0, or foo/bar/0/0
 *
 * all below the root's prefix.  Promises:
 *
 * (1) A name that would be another place ("..") or a document makes no key.
 * (2) Reading a node is one batched get of its documents.
 * (3) Where an array and a group are at one path, the array is read, with rule V2-16.
 */
#include "format/format_v2.h"

/* ---- names and keys ---- */

/* Other programs' keys beside ours: NCZarr's. */
static bool
is_reserved(const char *name, size_t n)
{
	return (n > 2 && memcmp(name, ".z", 2) == 0) || (n > 4 && memcmp(name, ".ncz", 4) == 0);
}

zinc_status
zinc_v2_check_name(const zinc_format *f, const char *name, size_t n, zinc_error *err)
{
	const char *why = NULL;

	(void)f;
	if (n == 0)
		why = "is empty";
	else if (memchr(name, '/', n) || memchr(name, '\\', n))
		why = "contains '/' or '\\'";
	else if (name[0] == '.' && (n == 1 || (n == 2 && name[1] == '.')))
		why = "is \".\" or \"..\"";
	else if (is_reserved(name, n) || zinc_format_is_document(name, n)) /* a later version's hides the whole group */
		why = "is that of a document";
	return why ? zinc_fail_rule(err, ZINC_E_INVALID, "V2-19", "a node's name %s", why) : ZINC_OK;
}

static zinc_status
v2_place(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place, zinc_error *err)
{
	const char *name = zinc_key_name(key);

	(void)h;
	if (zinc_documents_make(&zinc_format_v2, name))
		*role = ZINC_KEY_NODE;
	else
		*role = is_reserved(name, strlen(name)) ? ZINC_KEY_PART : ZINC_KEY_OTHER;
	return zinc_layout_place(key, *role, place, err);
}

/* ---- reading ---- */

/* Promise (3). */
static zinc_status
parse_fetched(zinc_context *ctx, const zinc_fetched *docs, char *const *keys, zinc_report *r, zinc_meta **out,
	      zinc_node_kind *kind, zinc_error *err)
{
	const size_t which = docs[ZINC_V2_ARRAY].found == ZINC_FOUND ? ZINC_V2_ARRAY : ZINC_V2_GROUP;
	char *const both[2] = {keys[which], keys[ZINC_V2_ATTRIBUTES]};
	zinc_json_doc *doc;

	*kind = which == ZINC_V2_ARRAY ? ZINC_NODE_ARRAY : ZINC_NODE_GROUP;
	r->where = both[0];
	if (which == ZINC_V2_ARRAY && docs[ZINC_V2_GROUP].found == ZINC_FOUND)
		ZINC_TRY(zinc_report_lenient(r, "V2-16", err, "a group is at the same path, and not read"));
	ZINC_TRY(zinc_v2_join(&doc, ctx, &docs[which], &docs[ZINC_V2_ATTRIBUTES], both, r, err));
	ZINC_TRY(zinc_v2_parse_doc(ctx, doc, *kind, r, out, err));
	(*out)->tag = docs[which].tag;
	return ZINC_OK;
}

static zinc_status
parse_copy(zinc_context *ctx, zinc_json_doc *doc, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	return zinc_v2_parse_doc(ctx, doc, zinc_v2_kind(zinc_json_root(doc)), r, out, err);
}

const zinc_layout zinc_v2_layout = {
    .implicit_rule = "V2-17",
    .parse = parse_fetched,
    .copy_kind = zinc_v2_kind,
    .parse_copy = parse_copy,
    .copies = zinc_v2_find_copies,
};

static zinc_status
read_line(const zinc_line *line, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	const char *where = r->where;
	zinc_node_kind kind;
	zinc_status s;
	size_t i;

	if (zinc_documents_missing(&zinc_format_v2, line->docs))
		return zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
	for (i = 0; i < line->per; i++)
		ZINC_TRY(zinc_fetched_status(&line->docs[i], line->keys[i], err));
	s = parse_fetched(line->ctx, line->docs, line->keys, r, out, &kind, err);
	if (s != ZINC_OK)
		zinc_error_at_key(err, s, r->where);
	r->where = where;
	return s;
}

static zinc_status
v2_read_node(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	zinc_line line;
	zinc_status s;

	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_SELF, ZINC_PART_ATTRIBUTES, err));
	s = read_line(&line, r, out, err);
	if (s != ZINC_OK) {
		zinc_error_at_key(err, s, line.keys[0]);
		zinc_error_at_url(err, s, h->url);
	}
	zinc_line_fini(&line);
	return s;
}

/* The whole document in memory, as `parse` takes it. */
static zinc_status
v2_print(const zinc_meta *m, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_json_print(zinc_json_root(m->doc), out, err));
	return zinc_buf_puts(out, "\n", err);
}

/* ---- detection ---- */

/* Version 1 had keys of its own, and nobody writes it any more. */
static zinc_status
refuse_v1(zinc_context *ctx, const zinc_fetched *meta, zinc_error *err)
{
	zinc_json_doc *doc;
	uint64_t version = 0;
	zinc_status s;

	if (meta->found != ZINC_FOUND)
		return ZINC_OK;
	s = zinc_json_parse(&doc, ctx, meta->text, meta->n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL);
	if (s != ZINC_OK)
		return s == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
	(void)zinc_json_u64(zinc_json_member(zinc_json_root(doc), "zarr_format"), &version);
	zinc_json_free(doc);
	if (version == 1)
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "an array of Zarr version 1, which Zinc does not read; zarr-python 2 can convert it");
	return ZINC_OK;
}

/* What the documents found are; one that is no JSON object is there all the same. */
static zinc_status
look(zinc_context *ctx, const zinc_fetched *docs, zinc_node_kind *kind, zinc_error *err)
{
	const bool array = docs[0].found == ZINC_FOUND;
	zinc_json_doc *doc;
	zinc_status s;

	s = zinc_json_parse(&doc, ctx, docs[!array].text, docs[!array].n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS,
			    NULL);
	if (s != ZINC_OK)
		return s == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
	if (zinc_json_is(zinc_json_root(doc), ZINC_JSON_OBJECT))
		*kind = array ? ZINC_NODE_ARRAY : ZINC_NODE_GROUP;
	zinc_json_free(doc);
	return ZINC_OK;
}

static zinc_status
judge(zinc_context *ctx, const zinc_fetched *docs, char *const *keys, bool *found, zinc_node_kind *kind,
      zinc_error *err)
{
	ZINC_TRY(zinc_fetched_status(&docs[0], keys[0], err));
	ZINC_TRY(zinc_fetched_status(&docs[1], keys[1], err));
	*found = docs[0].found == ZINC_FOUND || docs[1].found == ZINC_FOUND;
	return *found ? look(ctx, docs, kind, err) : refuse_v1(ctx, &docs[2], err);
}

static zinc_status
v2_detect(zinc_store *store, const char *prefix, bool *found, zinc_node_kind *kind, zinc_error *err)
{
	static const char *const names[] = {".zarray", ".zgroup", "meta"};
	zinc_context *ctx = zinc_store_context(store);
	zinc_fetched docs[3];
	zinc_buf text[3];
	char *keys[3];
	zinc_status s = ZINC_OK;
	int i;

	*found = false;
	*kind = ZINC_NODE_NONE;
	for (i = 0; i < 3; i++)
		zinc_buf_init(&text[i], ctx, ZINC_MAX_KEY);
	for (i = 0; i < 3 && s == ZINC_OK; i++) {
		s = zinc_buf_printf(&text[i], err, "%s%s", prefix, names[i]);
		keys[i] = s == ZINC_OK ? (char *)(uintptr_t)zinc_buf_text(&text[i]) : NULL;
		if (s == ZINC_OK && !keys[i])
			s = zinc_fail_nomem(err);
	}
	if (s == ZINC_OK)
		s = zinc_fetch(store, keys, 3, docs, err);
	if (s == ZINC_OK) {
		s = judge(ctx, docs, keys, found, kind, err);
		zinc_fetched_fini(ctx, docs, 3);
	}
	for (i = 0; i < 3; i++)
		zinc_buf_fini(&text[i]);
	return s;
}

/* ---- the row ---- */

const zinc_format zinc_format_v2 = {
    .id = "v2",
    .purpose = "Zarr version 2, with filters, structured types and .zmetadata",
    .codecs = "zstd",
    .crc32c_when_asked = true,
    .documents = {{".zarray", ZINC_NODE_ARRAY, ZINC_PART_NODE},
		  {".zgroup", ZINC_NODE_GROUP, ZINC_PART_NODE},
		  {".zattrs", ZINC_NODE_NONE, ZINC_PART_ATTRIBUTES},
		  {".zmetadata", ZINC_NODE_NONE, ZINC_PART_COPIES}},
    .holds = {.no_shards = true,
	      .plain_orders = true,
	      .plain_nan = true,
	      .whole_names = true,
	      .filters = true,
	      .places = {ZINC_HOLDS_ID, ZINC_HOLDS_ID, ZINC_HOLDS_ID, ZINC_HOLDS_ID},
	      .extensions = ZINC_HOLDS_NO_EXTENSION},
    .masks = ZINC_MASKS_FILL,
    .keys = "v2",
    .detect = v2_detect,
    .lax_paths = true,
    .check_name = zinc_v2_check_name,
    .read_node = v2_read_node,
    .parse = zinc_v2_parse,
    .print = v2_print,
    .prepare = zinc_v2_prepare,
    .check_above = zinc_v2_check_above,
    .settle = zinc_v2_settle,
    .write_node = zinc_v2_write_node,
    .edit_node = zinc_v2_edit_node,
    .from_v3 = zinc_v2_from_v3,
    .consolidate = zinc_v2_consolidate,
    .copies_of = ZINC_COPIES_OF_GROUPS,
    .copies = zinc_v2_copies,
    .place = v2_place,
    .rule = zinc_v2_rule,
};
