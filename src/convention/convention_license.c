/*
 * convention_license.c - convention license: under what terms the data may be used
 *
 * A group's license applies to everything below it without a license. `path` refers to another node's license; the
 * references are followed here and must not form a circle.
 */
#include "convention/convention.h"

static const char schema[] =
    "{'type': 'object', 'required': ['license'], 'properties': {'license': {'type': 'object',"
    " 'properties': {'spdx': {'type': 'string'}, 'url': {'type': 'string'}, 'text': {'type': 'string'},"
    "  'file': {'type': 'string', 'pattern': '^[^/](.*[^/])?$'}, 'path': {'type': 'string', 'pattern': "
    "'^[^/](.*[^/])?$'}},"
    " 'anyOf': [{'required': ['spdx']}, {'required': ['url']}, {'required': ['text']}, {'required': ['file']},"
    "  {'required': ['path']}]}}}";

#define MOST_STEPS 64u /* from one license to the next */

/* Does the license have terms of its own, not only a `path`? */
static bool
speaks(const zinc_json *license)
{
	return zinc_json_member(license, "spdx") || zinc_json_member(license, "url") ||
	       zinc_json_member(license, "text") || zinc_json_member(license, "file");
}

/* One step along `path`: the node there, and its license. */
static zinc_status
step(zinc_hierarchy *h, zinc_buf *at, const char *way, zinc_meta **holder, const zinc_json **license, zinc_error *err)
{
	zinc_buf next;
	zinc_status st;

	zinc_buf_init(&next, h->ctx, ZINC_MAX_KEY);
	st = zinc_path_join(&next, zinc_buf_text(at), way, err);
	zinc_meta_free(*holder);
	*holder = NULL;
	if (st == ZINC_OK && !zinc_buf_text(&next))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_node_read(h, zinc_buf_text(&next), holder, err);
	if (st == ZINC_OK) {
		*license = zinc_json_member((*holder)->attributes, "license");
		if (!zinc_json_is(*license, ZINC_JSON_OBJECT))
			st =
			    zinc_fail(err, ZINC_E_NOTFOUND, "the node \"%.200s\" has no license", zinc_buf_text(&next));
	}
	zinc_buf_fini(at);
	*at = next;
	return st;
}

/* Too many steps count as a circle, as does a return to the start. */
zinc_status
zinc_license_follow(zinc_hierarchy *h, const char *path, const zinc_json *license, zinc_buf *at, zinc_meta **holder,
		    const zinc_json **out, zinc_error *err)
{
	const zinc_json *way;
	unsigned n;

	*out = license;
	*holder = NULL;
	zinc_buf_end(at, 0);
	ZINC_TRY(zinc_buf_puts(at, path, err));
	for (n = 0; !speaks(*out); n++) {
		way = zinc_json_member(*out, "path");
		if (!zinc_json_is(way, ZINC_JSON_STRING))
			return zinc_fail(err, ZINC_E_NOTFOUND, "the license has no terms");
		if (!zinc_buf_text(at))
			return zinc_fail_nomem(err);
		if (n >= MOST_STEPS || (n > 0 && strcmp(zinc_buf_text(at), path) == 0))
			return zinc_fail(err, ZINC_E_CORRUPT, "licenses refer to each other in a circle");
		ZINC_TRY(step(h, at, way->text, holder, out, err));
	}
	return zinc_buf_text(at) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	const zinc_json *license = zinc_json_member(s->attributes, "license"), *out;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *holder = NULL;
	zinc_status st;
	zinc_buf at;
	size_t mark;

	mark = zinc_report_enter(r, "license");
	if (license->n > 1)
		(void)zinc_report_lenient(r, "license", NULL, "only one member should be present");
	zinc_buf_init(&at, s->h->ctx, ZINC_MAX_KEY);
	st = zinc_license_follow(s->h, s->path, license, &at, &holder, &out, &e);
	if (st == ZINC_E_CORRUPT || st == ZINC_E_INVALID)
		(void)zinc_report_error(r, "license", NULL, "%s", e.text);
	else if (st == ZINC_E_NOTFOUND)
		(void)zinc_report_error(r, "license", NULL, "its path does not lead to a license: %s", e.text);
	zinc_meta_free(holder);
	zinc_buf_fini(&at);
	zinc_report_leave(r, mark);
	return st == ZINC_E_NOMEM || st == ZINC_E_IO ? zinc_error_copy(err, &e) : ZINC_OK;
}

const zinc_convention_row zinc_convention_license = {
    .name = "license",
    .prefix = "license",
    .uuid = "b77365e5-2b0c-4141-b917-c03b7c68e935",
    .description = "License specifier for Zarr data",
    .groups = true,
    .arrays = true,
    .inherit = ZINC_INHERIT_ANCESTOR,
    .check = check,
    .schemas = ZINC_URLS(ZINC_RAW "clbarnes/zarr-convention-license/refs/tags/v1/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "clbarnes/zarr-convention-license/blob/v1/README.md"),
    .schema = schema,
};
