/*
 * format_v2.c - Zarr version 2: keys, detection, row in the table of formats
 *
 *   node       documents                          stored objects of an array
 *   /          .zgroup, .zattrs, .zmetadata       -
 *   /foo/bar   foo/bar/.zarray, foo/bar/.zattrs   foo/bar/0.0, or foo/bar/0/0
 *
 * All keys are below the root's prefix.  Promises:
 *
 * (1) A name that would lead elsewhere ("..") or is a document's is never part of a key.
 * (2) Where an array and a group are at one path, the array is read, and V2-16 is reported.
 */
#include "format/format_v2.h"

/* ---- names and keys ---- */

/* Keys that other programs write beside ours: NCZarr. */
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
	else if (is_reserved(name, n) || zinc_format_is_document(name, n)) /* a later version's hides the group */
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

/* ---- detection ---- */

/* Version 1 had other keys, and nothing writes it any more. */
static zinc_status
refuse_v1(zinc_context *ctx, const zinc_fetched *meta, zinc_error *err)
{
	zinc_json_doc *doc;
	uint64_t version = 0;
	zinc_status st;

	if (meta->found != ZINC_FOUND)
		return ZINC_OK;
	st = zinc_json_parse(&doc, ctx, meta->text, meta->n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL);
	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
	(void)zinc_json_u64(zinc_json_member(zinc_json_root(doc), "zarr_format"), &version);
	zinc_json_free(doc);
	if (version == 1)
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "an array of Zarr version 1, which Zinc does not read; zarr-python 2 can convert it");
	return ZINC_OK;
}

/* The kinds of the documents that were found.  One that is not a JSON object counts, too.  *parsed: that document. */
static zinc_status
look(zinc_context *ctx, const zinc_fetched *docs, zinc_node_kind *kind, zinc_json_doc **parsed, zinc_error *err)
{
	const bool array = docs[0].found == ZINC_FOUND;
	zinc_json_doc *doc;
	zinc_status st;

	st = zinc_json_parse(&doc, ctx, docs[!array].text, docs[!array].n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS,
			     NULL);
	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
	if (zinc_json_is(zinc_json_root(doc), ZINC_JSON_OBJECT))
		*kind = array ? ZINC_NODE_ARRAY : ZINC_NODE_GROUP;
	*parsed = doc;
	return ZINC_OK;
}

/* parsed[i]: the document i, if it was parsed. */
static zinc_status
detect_kind(zinc_context *ctx, const zinc_fetched *docs, char *const *keys, bool *found, zinc_node_kind *kind,
	    zinc_json_doc **parsed, zinc_error *err)
{
	ZINC_TRY(zinc_fetched_status(&docs[0], keys[0], err));
	ZINC_TRY(zinc_fetched_status(&docs[1], keys[1], err));
	*found = docs[0].found == ZINC_FOUND || docs[1].found == ZINC_FOUND;
	return *found ? look(ctx, docs, kind, &parsed[docs[0].found != ZINC_FOUND], err)
		      : refuse_v1(ctx, &docs[2], err);
}

/* Fetch the three documents and look at them.  The first two belong to the node, if there is one. */
static zinc_status
detect_at(zinc_store *store, char *const *keys, bool *found, zinc_node_kind *kind, zinc_known *known,
	  const zinc_wait *wait, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(store);
	zinc_json_doc *parsed[2] = {NULL, NULL};
	zinc_fetched docs[3];
	zinc_status st;
	int i;

	ZINC_TRY(zinc_fetch(store, keys, 3, docs, wait, err));
	st = detect_kind(ctx, docs, keys, found, kind, parsed, err);
	for (i = 0; i < 2; i++)
		zinc_known_add(known, keys[i], &docs[i], parsed[i]);
	zinc_fetched_fini(ctx, docs, 3);
	return st;
}

static zinc_status
v2_detect(zinc_store *store, const char *prefix, bool *found, zinc_node_kind *kind, zinc_known *known,
	  const zinc_wait *wait, zinc_error *err)
{
	static const char *const names[] = {".zarray", ".zgroup", "meta"};
	zinc_context *ctx = zinc_store_context(store);
	zinc_buf text[3];
	char *keys[3];
	zinc_status st = ZINC_OK;
	int i;

	*found = false;
	*kind = ZINC_NODE_NONE;
	for (i = 0; i < 3; i++)
		zinc_buf_init(&text[i], ctx, ZINC_MAX_KEY);
	for (i = 0; i < 3 && st == ZINC_OK; i++) {
		st = zinc_buf_printf(&text[i], err, "%s%s", prefix, names[i]);
		keys[i] = st == ZINC_OK ? (char *)(uintptr_t)zinc_buf_text(&text[i]) : NULL;
		if (st == ZINC_OK && !keys[i])
			st = zinc_fail_nomem(err);
	}
	if (st == ZINC_OK)
		st = detect_at(store, keys, found, kind, known, wait, err);
	for (i = 0; i < 3; i++)
		zinc_buf_fini(&text[i]);
	return st;
}

/* ---- the row ---- */

/* V2 rules for findings that validators make by the final version's numbers. */
static const char *
v2_rule(const zinc_format *f, const char *rule)
{
	static const char *const same[][2] = {
	    {"M1", "V2-1"},   {"M2", "V2-2"},          {"M25", "V2-17"},    {"M26", "V2-1"},
	    {"M28", "V2-18"}, {"M29", "V2-19"},        {"M41", "V2-20"},    {"M42", "V2-21"},
	    {"M43", "V2-20"}, {"M45", "V2-20"},        {"M46", "V2-20"},    {"M47", "V2-20"},
	    {"M48", "V2-20"}, {"M70", "V2-21"},        {"M72", "V2-21"},    {"M75", "V2-21"},
	    {"M82", "V2-21"}, {"M84", "V2-21"},        {"decode", "V2-21"}, {"consolidated", "V2-22"},
	    {"two", "V2-16"}, {"attributes", "V2-15"}, {"member", "V2-4"},
	};
	size_t i;

	(void)f;
	for (i = 0; i < sizeof same / sizeof *same; i++)
		if (strcmp(rule, same[i][0]) == 0)
			return same[i][1];
	return rule;
}

const zinc_format zinc_format_v2 = {
    .id = "v2",
    .purpose = "Zarr version 2, with filters, structured types and .zmetadata",
    .codecs = "zstd",
    .crc32c_when_asked = true,
    .documents = {{".zarray", ZINC_NODE_ARRAY, ZINC_PART_NODE},
		  {".zgroup", ZINC_NODE_GROUP, ZINC_PART_NODE},
		  {".zattrs", ZINC_NODE_NONE, ZINC_PART_ATTRIBUTES},
		  {".zmetadata", ZINC_NODE_NONE, ZINC_PART_COPIES}},
    .holds = {.regular_grid = true,
	      .no_shards = true,
	      .plain_orders = true,
	      .plain_nan = true,
	      .whole_names = true,
	      .filters = true,
	      .places = {ZINC_HOLDS_ID, ZINC_HOLDS_ID, ZINC_HOLDS_ID, ZINC_HOLDS_ID},
	      .extensions = ZINC_HOLDS_NO_EXTENSION},
    .group = "{\n  \"zarr_format\": 2\n}\n",
    .masks = ZINC_MASKS_FILL,
    .keys = "v2",
    .detect = v2_detect,
    .lax_paths = true,
    .check_name = zinc_v2_check_name,
    .kind = zinc_v2_kind,
    .parse = zinc_v2_parse,
    .print = zinc_v2_print,
    .copies = {ZINC_COPIES_OF_GROUPS, .document = ".zmetadata"},
    .place = v2_place,
    .rule = v2_rule,
};
