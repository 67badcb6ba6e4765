/*
 * convention_multiscales.c - convention multiscales: one picture at several resolutions
 *
 * Beyond the schema: the layout names existing children, and a derived level has the length of its source
 * divided by the scale (levels.c). Until v0.1 an item had group, from_group and scale where it now has asset,
 * derived_from and transform.
 */
#include "convention/convention.h"

static const char schema[] =
    "{'type': 'object', 'required': ['multiscales'], 'properties': {'multiscales': {"
    " 'type': 'object', 'required': ['layout'], 'properties': {"
    "  'resampling_method': {'type': 'string'},"
    "  'layout': {'type': 'array', 'minItems': 1, 'items': {'type': 'object', 'properties': {"
    "   'asset': {'$ref': '#/$defs/path'}, 'derived_from': {'$ref': '#/$defs/path'},"
    "   'group': {'$ref': '#/$defs/path'}, 'from_group': {'$ref': '#/$defs/path'},"
    "   'scale': {'$ref': '#/$defs/numbers'}, 'translation': {'$ref': '#/$defs/numbers'},"
    "   'resampling_method': {'type': 'string'},"
    "   'transform': {'type': 'object', 'properties': {"
    "    'scale': {'$ref': '#/$defs/numbers'}, 'translation': {'$ref': '#/$defs/numbers'}}}}}}}}},"
    " '$defs': {'numbers': {'type': 'array', 'items': {'type': 'number'}},"
    "  'path': {'type': 'string', 'pattern': '^(?!/)(?!.*(\\\\.\\\\.))([^/]+(/[^/]+)*)$'}}}";

const zinc_convention_row zinc_convention_multiscales = {
    .name = "multiscales",
    .prefix = "multiscales",
    .uuid = "d35379db-88df-4056-af3a-620245f8e347",
    .description = "Multiscale layout of zarr datasets",
    .groups = true,
    .check = zinc_levels_check,
    .schemas = ZINC_URLS(ZINC_RAW "zarr-conventions/multiscales/refs/tags/v0.1/schema.json",
			 ZINC_RAW "zarr-conventions/multiscales/refs/tags/v1/schema.json",
			 ZINC_RAW "zarr-conventions/multiscales/refs/tags/v0.1.0/schema.json",
			 ZINC_RAW "zarr-experimental/multiscales/refs/tags/v0.1.0/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/multiscales/blob/v0.1/README.md",
		       ZINC_GITHUB "zarr-conventions/multiscales/blob/v1/README.md",
		       ZINC_GITHUB "zarr-experimental/multiscales/blob/v0.1.0/README.md"),
    .schema = schema,
};
