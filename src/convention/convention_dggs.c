/*
 * convention_dggs.c - convention dggs: cells of a discrete global grid
 *
 * Beyond the schema: compression goes with a coordinate only, which is an array beside the data; the spatial
 * dimension is one of the array's; healpix says how its cells are numbered.
 */
#include "convention/convention.h"

static const char schema[] =
    "{'type': 'object', 'required': ['dggs'], 'properties': {'dggs': {'type': 'object',"
    " 'required': ['name', 'refinement_level', 'spatial_dimension'], 'properties': {"
    "  'name': {'type': 'string'}, 'refinement_level': {'type': ['integer', 'null'], 'minimum': 0},"
    "  'spatial_dimension': {'type': 'string'}, 'coordinate': {'type': 'string'},"
    "  'compression': {'enum': ['none', 'compacted', 'ranges']},"
    "  'ellipsoid': {'type': 'object', 'properties': {'name': {'type': 'string'}, 'radius': {'$ref': '#/$defs/length'},"
    "    'semi_major_axis': {'$ref': '#/$defs/length'}, 'semi_minor_axis': {'$ref': '#/$defs/length'},"
    "    'inverse_flattening': {'$ref': '#/$defs/length'}},"
    "   'oneOf': [{'required': ['radius'], 'properties': {'semi_major_axis': false, 'semi_minor_axis': false,"
    "     'inverse_flattening': false}},"
    "    {'required': ['semi_major_axis', 'semi_minor_axis'], 'properties': {'radius': false, 'inverse_flattening': "
    "false}},"
    "    {'required': ['semi_major_axis', 'inverse_flattening'], 'properties': {'radius': false,"
    "     'semi_minor_axis': false}}]}},"
    " 'dependentRequired': {'compression': ['coordinate']},"
    " 'if': {'properties': {'name': {'const': 'healpix'}}}, 'then': {'required': ['indexing_scheme']}}},"
    " '$defs': {'length': {'type': 'number', 'minimum': 0}}}";

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	const zinc_json *dimension = zinc_json_member(zinc_json_member(s->attributes, "dggs"), "spatial_dimension");
	const char *name;
	int i;

	(void)err;
	if (s->meta->kind != ZINC_NODE_ARRAY)
		return ZINC_OK;
	for (i = 0; i < s->meta->ndim; i++) {
		name = zinc_dimension_name(s->meta, i);
		if (name && zinc_json_is_string(dimension, name))
			return ZINC_OK;
	}
	(void)zinc_report_error(r, "dggs", NULL, "the array has no dimension \"%.60s\"", dimension->text);
	return ZINC_OK;
}

const zinc_convention_row zinc_convention_dggs = {
    .name = "dggs",
    .prefix = "dggs",
    .uuid = "7b255807-140c-42ca-97f6-7a1cfecdbc38",
    .description = "Discrete Global Grid Systems convention for zarr",
    .groups = true,
    .arrays = true,
    .check = check,
    .schemas = ZINC_URLS(ZINC_RAW "zarr-conventions/dggs/refs/tags/v1/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/dggs/blob/v1/README.md"),
    .schema = schema,
};
