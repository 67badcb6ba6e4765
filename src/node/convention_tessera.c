/*
 * convention_tessera.c - convention tessera: quantised embeddings of places
 */
#include "node/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "ucam-eo/zarr-convention-tessera/refs/tags/v1/schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "ucam-eo/zarr-convention-tessera/blob/v1/README.md",
    NULL,
};

static const char schema[] =
    "{'type': 'object', 'required': ['tessera:dataset_version', 'tessera:year'], 'properties': {"
    " 'tessera:dataset_version': {'type': 'string'}, 'tessera:year': {'type': 'integer', 'minimum': 1970},"
    " 'tessera:utm_zone': {'type': 'integer', 'minimum': 1, 'maximum': 60},"
    " 'tessera:n_bands': {'type': 'integer', 'minimum': 1}, 'tessera:n_tiles': {'type': 'integer', 'minimum': 0},"
    " 'tessera:model_version': {'type': 'string'}, 'tessera:build_version': {'type': 'string'},"
    " 'tessera:has_rgb_preview': {'type': 'boolean'}}}";

const zinc_convention_row zinc_convention_tessera = {
    .name = "tessera",
    .prefix = "tessera:",
    .uuid = "e7f90d5f-019e-4a38-802f-9fa695e26c71",
    .description = "Quantised geospatial embedding vectors with per-pixel dequantisation scales",
    .groups = true,
    .schemas = schemas,
    .specs = specs,
    .schema = schema,
};
