/*
 * format_n5.c - N5: keys, detection, the form in memory, row in the table of formats
 *
 *   node       document                  stored objects of an array (the last axis first)
 *   /          attributes.json           -
 *   /foo/bar   foo/bar/attributes.json   foo/bar/0/0
 *
 * All keys are below the root's prefix.  Promises:
 *
 * (1) A name that would lead elsewhere ("..") or is the document's is never part of a key.
 * (2) A directory with an attributes.json is a node of N5 only if that file says so, or the nearest one above it that
 *     does: other programs have files of that name.
 * (3) A directory without attributes.json is a group if a node is below it.
 */
#include "format/format_n5.h"

/* In the order in which they are written. */
static const char *const names[] = {"n5", "dimensions", "blockSize", "dataType", "compression", "compressionType"};

bool
zinc_n5_is_member(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* A group may have an attribute "dimensions". */
bool
zinc_n5_is_array(const zinc_json *root, const char *shape)
{
	return zinc_json_member(root, shape) &&
	       (zinc_json_member(root, "dataType") || zinc_json_member(root, "blockSize") ||
		zinc_json_member(root, "compression") || zinc_json_member(root, "compressionType"));
}

bool
zinc_n5_reserved(zinc_node_kind kind, const zinc_json *attributes, const char *name)
{
	if (kind == ZINC_NODE_ARRAY)
		return zinc_n5_is_member(name);
	return strcmp(name, "n5") == 0 ||
	       (strcmp(name, "dimensions") == 0 && zinc_n5_is_array(attributes, "dimensions"));
}

/* ---- names and keys ---- */

static zinc_status
n5_check_name(const zinc_format *f, const char *name, size_t n, zinc_error *err)
{
	const char *why = NULL;

	(void)f;
	if (n == 0)
		why = "is empty";
	else if (memchr(name, '/', n) || memchr(name, '\\', n))
		why = "contains '/' or '\\'";
	else if (name[0] == '.' && (n == 1 || (n == 2 && name[1] == '.')))
		why = "is \".\" or \"..\"";
	else if (zinc_format_is_document(name, n)) /* of another version, it would hide the group */
		why = "is that of a document";
	return why ? zinc_fail_rule(err, ZINC_E_INVALID, "N5-10", "a node's name %s", why) : ZINC_OK;
}

static zinc_status
n5_place(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place, zinc_error *err)
{
	(void)h;
	*role = strcmp(zinc_key_name(key), ZINC_N5_DOCUMENT) == 0 ? ZINC_KEY_NODE : ZINC_KEY_OTHER;
	return zinc_layout_place(key, *role, place, err);
}

/* Of a document in either form. */
static zinc_node_kind
n5_kind(const zinc_json *root)
{
	const bool array = zinc_n5_is_array(root, "dimensions") || zinc_n5_is_array(root, "shape");

	return array ? ZINC_NODE_ARRAY : ZINC_NODE_GROUP;
}

/* ---- the form in memory ---- */

/* The same list from the last item to the first; anything else as it is, for the parser to report. */
static zinc_json *
reversed(zinc_json_doc *doc, const zinc_json *v)
{
	zinc_json *out;
	size_t i;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n > ZINC_MAX_NDIM)
		return zinc_json_copy(doc, v);
	out = zinc_json_make(doc, ZINC_JSON_ARRAY);
	for (i = v->n; i-- > 0;)
		if (zinc_json_append(out, zinc_json_copy(doc, zinc_json_item(v, i)), NULL) != ZINC_OK)
			return NULL;
	return out;
}

/* Is it stored apart from the attributes?  Of a group only the version is. */
static bool
is_apart(const zinc_json *root, const zinc_json *member)
{
	return zinc_n5_is_array(root, "dimensions") ? zinc_n5_is_member(member->key) : strcmp(member->key, "n5") == 0;
}

static zinc_status
n5_unpack(zinc_json_doc *doc, zinc_error *err)
{
	const zinc_json *root = zinc_json_root(doc);
	zinc_json *out, *attributes;
	size_t i;

	if (!zinc_json_is(root, ZINC_JSON_OBJECT))
		return ZINC_OK;
	out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	attributes = zinc_json_copy(doc, root);
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		const zinc_json *v = zinc_json_member(root, names[i]);
		const bool dimensions = strcmp(names[i], "dimensions") == 0;

		if (!v || !is_apart(root, v))
			continue;
		(void)zinc_json_remove(attributes, names[i]);
		ZINC_TRY(zinc_json_set(doc, out, dimensions ? "shape" : names[i],
				       dimensions ? reversed(doc, v) : zinc_json_copy(doc, v), err));
	}
	if (!attributes)
		return zinc_fail_nomem(err);
	if (attributes->n > 0)
		ZINC_TRY(zinc_json_set(doc, out, ZINC_ATTRIBUTES, attributes, err));
	zinc_json_set_root(doc, out);
	return ZINC_OK;
}

static zinc_status
n5_pack(zinc_json_doc *doc, zinc_error *err)
{
	const zinc_json *root = zinc_json_root(doc), *v;
	zinc_json *out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		const bool dimensions = strcmp(names[i], "dimensions") == 0;

		v = zinc_json_member(root, dimensions ? "shape" : names[i]);
		if (v)
			ZINC_TRY(zinc_json_set(doc, out, names[i],
					       dimensions ? reversed(doc, v) : zinc_json_copy(doc, v), err));
	}
	v = zinc_json_member(root, ZINC_ATTRIBUTES);
	for (v = zinc_json_is(v, ZINC_JSON_OBJECT) ? v->first : NULL; v; v = v->next)
		if (strlen(v->key) != v->nkey)
			return zinc_fail(err, ZINC_E_INVALID, "the name of an attribute has a NUL");
		else
			ZINC_TRY(zinc_json_set(doc, out, v->key, zinc_json_copy(doc, v), err));
	zinc_json_set_root(doc, out);
	return ZINC_OK;
}

/* ---- detection ---- */

enum claim { NO_FILE, NOT_MARKED, IS_GROUP, IS_ARRAY, IS_DAMAGED };

/* What an attributes.json says about itself.  *parsed is set if it is JSON. */
static zinc_status
claim_of(zinc_context *ctx, const zinc_fetched *doc, enum claim *out, zinc_json_doc **parsed, zinc_error *err)
{
	const zinc_json *root;
	zinc_status st;

	*out = NO_FILE;
	if (doc->found != ZINC_FOUND)
		return ZINC_OK;
	*out = NOT_MARKED;
	st = zinc_json_parse(parsed, ctx, doc->text, doc->n, ZINC_V3_JSON, NULL);
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (st != ZINC_OK) {
		*out = strstr(doc->text, "\"n5\"") || strstr(doc->text, "\"blockSize\"") ? IS_DAMAGED : NOT_MARKED;
		return ZINC_OK;
	}
	root = zinc_json_root(*parsed);
	if (zinc_n5_is_array(root, "dimensions"))
		*out = IS_ARRAY;
	else if (zinc_json_member(root, "n5"))
		*out = IS_GROUP;
	return ZINC_OK;
}

/* Read the attributes.json at a prefix. */
static zinc_status
look_at(zinc_store *store, const char *prefix, size_t n, enum claim *out, zinc_known *known, const zinc_wait *wait,
	zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(store);
	zinc_json_doc *parsed = NULL;
	zinc_fetched doc;
	zinc_status st;
	zinc_buf text;
	char *key;

	*out = NO_FILE;
	zinc_buf_init(&text, ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&text, err, "%.*s" ZINC_N5_DOCUMENT, (int)n, prefix);
	key = st == ZINC_OK ? (char *)(uintptr_t)zinc_buf_text(&text) : NULL;
	if (st == ZINC_OK && !key)
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_fetch(store, &key, 1, &doc, wait, err);
	if (st == ZINC_OK) {
		st = zinc_fetched_status(&doc, key, err);
		if (st == ZINC_OK)
			st = claim_of(ctx, &doc, out, &parsed, err);
		zinc_known_add(known, key, &doc, parsed);
		zinc_fetched_fini(ctx, &doc, 1);
	}
	zinc_buf_fini(&text);
	return st;
}

/* Promise (2): a group below a root has only attributes. */
static zinc_status
look_above(zinc_store *store, const char *prefix, enum claim *out, const zinc_wait *wait, zinc_error *err)
{
	size_t n = strlen(prefix);

	*out = NOT_MARKED;
	while (n > 0 && (*out == NOT_MARKED || *out == NO_FILE)) {
		for (n--; n > 0 && prefix[n - 1] != '/'; n--)
			;
		ZINC_TRY(look_at(store, prefix, n, out, NULL, wait, err));
	}
	return ZINC_OK;
}

static zinc_status
n5_detect(zinc_store *store, const char *prefix, bool *found, zinc_node_kind *kind, zinc_known *known,
	  const zinc_wait *wait, zinc_error *err)
{
	enum claim claim, above;

	*found = false;
	*kind = ZINC_NODE_NONE;
	ZINC_TRY(look_at(store, prefix, strlen(prefix), &claim, known, wait, err));
	if (claim == NOT_MARKED) {
		ZINC_TRY(look_above(store, prefix, &above, wait, err));
		claim = above == IS_GROUP ? IS_GROUP : NO_FILE;
	}
	*found = claim != NO_FILE;
	if (claim == IS_ARRAY || claim == IS_GROUP)
		*kind = claim == IS_ARRAY ? ZINC_NODE_ARRAY : ZINC_NODE_GROUP;
	return ZINC_OK;
}

/* ---- the row ---- */

/* N5 rules for findings that validators make by the final version's numbers. */
static const char *
n5_rule(const zinc_format *f, const char *rule)
{
	static const char *const same[][2] = {
	    {"M1", "N5-1"},     {"M2", "N5-1"},   {"M25", "N5-12"}, {"M26", "N5-1"},     {"M28", "N5-13"},
	    {"M29", "N5-10"},   {"M41", "N5-14"}, {"M42", "N5-11"}, {"M43", "N5-14"},    {"M45", "N5-14"},
	    {"M46", "N5-14"},   {"M47", "N5-14"}, {"M48", "N5-14"}, {"M70", "N5-11"},    {"M72", "N5-11"},
	    {"M75", "N5-11"},   {"M82", "N5-11"}, {"M84", "N5-11"}, {"decode", "N5-11"}, {"attributes", "N5-9"},
	    {"member", "N5-9"},
	};
	size_t i;

	(void)f;
	for (i = 0; i < sizeof same / sizeof *same; i++)
		if (strcmp(rule, same[i][0]) == 0)
			return same[i][1];
	return rule;
}

/* Codecs of the final version that a compression has. */
static const char *const codecs[] = {"gzip",  "numcodecs.zlib", "numcodecs.bz2", "numcodecs.lzma",
				     "blosc", "zstd",           "n5_lz4",        NULL};

const zinc_format zinc_format_n5 = {
    .id = "n5",
    .purpose = "N5, versions up to 4, with big-endian blocks that have a header",
    .codecs = "gzip",
    .crc32c_when_asked = true,
    .documents = {{ZINC_N5_DOCUMENT, ZINC_NODE_NONE, ZINC_PART_NODE}},
    .holds = {.regular_grid = true,
	      .no_shards = true,
	      .no_orders = true,
	      .zero_fill = true,
	      .whole_names = true,
	      .places = {ZINC_HOLDS_NO_CODEC, ZINC_HOLDS_NO_CODEC, ZINC_HOLDS_NO_CODEC, ZINC_HOLDS_NAME},
	      .codecs = codecs,
	      .reserved = zinc_n5_reserved,
	      .extensions = ZINC_HOLDS_NO_EXTENSION},
    .group = "{\n  \"n5\": \"" ZINC_N5_VERSION "\"\n}\n",
    .bare_groups = true,
    .masks = ZINC_MASKS_ATTRIBUTE,
    .detect = n5_detect,
    .check_name = n5_check_name,
    .kind = n5_kind,
    .unpack = n5_unpack,
    .pack = n5_pack,
    .parse = zinc_n5_parse,
    .print = zinc_n5_print,
    .place = n5_place,
    .rule = n5_rule,
};
