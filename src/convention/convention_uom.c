/*
 * convention_uom.c - convention uom: the unit of an array's elements
 *
 * The text is about arrays only, but its schema accepts groups: a group is a warning.
 */
#include "convention/convention.h"

static const char schema[] =
    "{'type': 'object', 'required': ['uom'], 'properties': {'uom': {'type': 'object', 'required': ['ucum'],"
    " 'properties': {'description': {'type': 'string'}, 'ucum': {'type': 'object',"
    "  'properties': {'unit': {'type': 'string'}, 'version': {'type': 'string'}}}}}}}";

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	(void)err;
	if (s->meta->kind == ZINC_NODE_GROUP)
		(void)zinc_report_lenient(r, "uom", NULL, "a unit is for arrays");
	return ZINC_OK;
}

const zinc_convention_row zinc_convention_uom = {
    .name = "uom",
    .prefix = "uom",
    .uuid = "3bbe438d-df37-49fe-8e2b-739296d46dfb",
    .description = "Units of measurement for Zarr arrays",
    .groups = true,
    .arrays = true,
    .check = check,
    .schemas = ZINC_URLS(ZINC_RAW "clbarnes/zarr-convention-uom/refs/tags/v1/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "clbarnes/zarr-convention-uom/blob/v1/README.md"),
    .schema = schema,
};
