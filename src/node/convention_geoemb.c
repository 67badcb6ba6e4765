/*
 * convention_geoemb.c - convention geoemb: embeddings of places, and the model they are from
 */
#include "node/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "geo-embeddings/embeddings-zarr-convention/refs/tags/v1/schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "geo-embeddings/embeddings-zarr-convention/blob/v1/README.md",
    NULL,
};

static const char schema[] =
    "{'type': 'object', 'required': ['geoemb:type', 'geoemb:dimensions', 'geoemb:model', 'geoemb:source_data',"
    "  'geoemb:data_type'],"
    " 'properties': {'geoemb:type': {'enum': ['pixel', 'chip']}, 'geoemb:dimensions': {'type': 'integer', 'minimum': "
    "1},"
    "  'geoemb:model': {'type': 'string'}, 'geoemb:data_type': {'type': 'string'},"
    "  'geoemb:source_data': {'type': 'array', 'minItems': 1, 'items': {'type': 'string'}},"
    "  'geoemb:gsd': {'type': 'number', 'exclusiveMinimum': 0}, 'geoemb:spatial_layout': {'enum': ['utm_zones', "
    "'global']}},"
    " 'if': {'properties': {'geoemb:type': {'const': 'chip'}}}, 'then': {'required': ['geoemb:chip_layout']}}";

const zinc_convention_row zinc_convention_geoemb = {
    .name = "geoemb",
    .prefix = "geoemb:",
    .uuid = "61c12cc5-0e28-4056-999a-480cf3fb7e4c",
    .description = "Geoembeddings convention for geospatial embedding arrays with model provenance",
    .groups = true,
    .schemas = schemas,
    .specs = specs,
    .schema = schema,
};
