/*
 * convention_proj.c - convention proj: the coordinate reference system
 *
 * At least one of code, wkt2 and projjson; before v0.1 exactly one. A group's system applies to the arrays directly
 * in it, unless they have their own.
 */
#include "convention/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "zarr-conventions/proj/refs/tags/v0.1/schema.json",
    ZINC_RAW "zarr-conventions/proj/refs/tags/v1/schema.json",
    ZINC_RAW "zarr-conventions/geo-proj/refs/tags/v1/schema.json",
    ZINC_RAW "zarr-experimental/geo-proj/refs/tags/v1/schema.json",
    ZINC_RAW "zarr-experimental/geo-proj/refs/tags/v0.1.0/schema.json",
    NULL,
};

static const char schema[] = "{'type': 'object', 'properties': {"
			     " 'proj:code': {'type': 'string', 'pattern': '^[^:]+:[^:]+$'},"
			     " 'proj:wkt2': {'type': 'string'},"
			     " 'proj:projjson': {'type': 'object'}}}";

/* Declared by a URL of before v0.1? */
static bool
is_old(const zinc_subject *s)
{
	const char *url = s->entry->c.schema_url;

	return s->old || (*url && strcmp(url, schemas[0]) != 0 && zinc_convention_find(url, false));
}

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	static const char *const forms[] = {"proj:code", "proj:wkt2", "proj:projjson"};
	size_t i, n = 0;

	(void)err;
	for (i = 0; i < sizeof forms / sizeof *forms; i++)
		n += zinc_json_member(s->attributes, forms[i]) != NULL;
	if (n == 0)
		(void)zinc_report_error(r, "proj", NULL, "one of proj:code, proj:wkt2 and proj:projjson is required");
	else if (n > 1 && is_old(s))
		(void)zinc_report_error(r, "proj", NULL,
					"before v0.1 only one of proj:code, proj:wkt2 and proj:projjson is allowed");
	return ZINC_OK;
}

const zinc_convention_row zinc_convention_proj = {
    .name = "proj",
    .prefix = "proj:",
    .uuid = "f17cb550-5864-4468-aeb7-f3180cfb622f",
    .description = "Coordinate reference system information for geospatial data",
    .groups = true,
    .arrays = true,
    .inherit = ZINC_INHERIT_PARENT,
    .check = check,
    .schemas = schemas,
    .specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/proj/blob/v0.1/README.md",
		       ZINC_GITHUB "zarr-conventions/proj/blob/v1/README.md",
		       ZINC_GITHUB "zarr-conventions/geo-proj/blob/v1/README.md",
		       ZINC_GITHUB "zarr-experimental/geo-proj/blob/v1/README.md",
		       ZINC_GITHUB "zarr-experimental/geo-proj/blob/v0.1.0/README.md"),
    .schema = schema,
};
