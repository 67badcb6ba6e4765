/*
 * format_v3.c - the final version 3 of Zarr: keys, detection, row in the table of formats
 *
 *   node       document            stored objects of an array (default key encoding)
 *   /          zarr.json           c/0/0
 *   /foo/bar   foo/bar/zarr.json   foo/bar/c/0/0
 *
 * All keys are below the root's prefix.  Promises:
 *
 * (1) A name that the specification forbids (M29-M33) is never part of a key.
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

/* Any zarr.json that no draft claims, damaged or not.  Reading the node reports what is wrong. */
static bool
v3_claims(const zinc_format *f, const zinc_json *root, zinc_node_kind *kind)
{
	(void)f;
	*kind = root ? zinc_v3_kind(root) : ZINC_NODE_NONE;
	return !zinc_format_is_draft(root);
}

static zinc_status
v3_parse(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind, zinc_report *r,
	 zinc_meta **out, zinc_error *err)
{
	(void)f, (void)kind; /* it says so itself */
	return zinc_v3_parse_doc(ctx, doc, r, out, err);
}

/* ---- the row ---- */

static zinc_status
v3_place(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place, zinc_error *err)
{
	(void)h;
	*role = strcmp(zinc_key_name(key), ZINC_V3_DOCUMENT) == 0 ? ZINC_KEY_NODE : ZINC_KEY_OTHER;
	return zinc_layout_place(key, *role, place, err);
}

const zinc_format zinc_format_v3 = {
    .id = "v3",
    .purpose = "Zarr version 3, the final specification (core 3.1)",
    .codecs = "zstd+crc32c",
    .documents = {{ZINC_V3_DOCUMENT, ZINC_NODE_NONE, ZINC_PART_NODE}},
    .group = "{\n"
	     "  \"zarr_format\": 3,\n"
	     "  \"node_type\": \"group\",\n"
	     "  \"attributes\": {}\n"
	     "}\n",
    .nan_in_attributes = true,
    .masks = ZINC_MASKS_ATTRIBUTE,
    .claims = v3_claims,
    .check_name = zinc_v3_check_name,
    .kind = zinc_v3_kind,
    .parse = v3_parse,
    .copies = {ZINC_COPIES_OF_GROUPS, .member = "consolidated_metadata"},
    .place = v3_place,
};
