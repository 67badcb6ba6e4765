/*
 * convention_cf.c - convention CF: climate and forecast metadata, under its unprefixed names
 *
 * Only types are checked: whether a standard name exists is for those who know its table.
 */
#include "node/convention.h"

static const char *const names[] = {
    "Conventions",
    "title",
    "institution",
    "source",
    "history",
    "references",
    "comment",
    "standard_name",
    "long_name",
    "units",
    "axis",
    "positive",
    "calendar",
    "coordinates",
    "bounds",
    "cell_methods",
    "cell_measures",
    "grid_mapping",
    "ancillary_variables",
    "_FillValue",
    "valid_min",
    "valid_max",
    "valid_range",
    "scale_factor",
    "add_offset",
    "flag_values",
    "flag_masks",
    "flag_meanings",
    "grid_mapping_name",
    "crs_wkt",
    NULL,
};

static const char *const schemas[] = {
    ZINC_RAW "zarr-conventions/CF/refs/tags/v1/schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "zarr-conventions/CF/blob/v1/README.md",
    "https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html",
    NULL,
};

static const char schema[] =
    "{'type': 'object', '$defs': {'text': {'type': 'string'}, 'number': {'type': 'number'},"
    "  'integers': {'type': 'array', 'items': {'type': 'integer'}}},"
    " 'properties': {'Conventions': {'$ref': '#/$defs/text'}, 'title': {'$ref': '#/$defs/text'},"
    "  'institution': {'$ref': '#/$defs/text'}, 'source': {'$ref': '#/$defs/text'}, 'history': {'$ref': "
    "'#/$defs/text'},"
    "  'references': {'$ref': '#/$defs/text'}, 'comment': {'$ref': '#/$defs/text'},"
    "  'standard_name': {'$ref': '#/$defs/text'}, 'long_name': {'$ref': '#/$defs/text'}, 'units': {'$ref': "
    "'#/$defs/text'},"
    "  'axis': {'enum': ['X', 'Y', 'Z', 'T']}, 'positive': {'enum': ['up', 'down', 'Up', 'Down', 'UP', 'DOWN']},"
    "  'calendar': {'$ref': '#/$defs/text'}, 'coordinates': {'$ref': '#/$defs/text'}, 'bounds': {'$ref': "
    "'#/$defs/text'},"
    "  'cell_methods': {'$ref': '#/$defs/text'}, 'cell_measures': {'$ref': '#/$defs/text'},"
    "  'grid_mapping': {'$ref': '#/$defs/text'}, 'ancillary_variables': {'$ref': '#/$defs/text'},"
    "  'valid_min': {'$ref': '#/$defs/number'}, 'valid_max': {'$ref': '#/$defs/number'},"
    "  'valid_range': {'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {'$ref': '#/$defs/number'}},"
    "  'scale_factor': {'$ref': '#/$defs/number'}, 'add_offset': {'$ref': '#/$defs/number'},"
    "  'flag_values': {'$ref': '#/$defs/integers'}, 'flag_masks': {'$ref': '#/$defs/integers'},"
    "  'flag_meanings': {'$ref': '#/$defs/text'}, 'grid_mapping_name': {'$ref': '#/$defs/text'},"
    "  'crs_wkt': {'$ref': '#/$defs/text'}}}";

const zinc_convention_row zinc_convention_cf = {
    .name = "CF",
    .names = names,
    .uuid = "77c308c7-4db2-4774-8b2d-aa37e9997db6",
    .description = "Climate and Forecast conventions for self-describing geospatial data",
    .groups = true,
    .arrays = true,
    .schemas = schemas,
    .specs = specs,
    .schema = schema,
};
