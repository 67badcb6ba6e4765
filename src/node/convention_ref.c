/*
 * convention_ref.c - convention ref: a reference to another node
 */
#include "node/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "R-CF/zarr_convention_ref/main/schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "R-CF/zarr_convention_ref/blob/main/README.md",
    NULL,
};

static const char schema[] = "{'type': 'object', 'required': ['ref'], 'properties': {'ref': {'type': 'object'}}}";

const zinc_convention_row zinc_convention_ref = {
    .name = "ref",
    .prefix = "ref",
    .uuid = "d89b30cf-ed8c-43d5-9a16-b492f0cd8786",
    .description = "References to other nodes",
    .groups = true,
    .arrays = true,
    .schemas = schemas,
    .specs = specs,
    .schema = schema,
};
