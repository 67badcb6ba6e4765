/*
 * convention_cs.c - convention cs: coordinate systems of an array
 */
#include "node/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "R-CF/zarr_convention_cs/main/schema.json",
    ZINC_RAW "R-CF/zarr_conventions_cs/main/schema/cs.schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "R-CF/zarr_convention_cs/blob/main/README.md",
    ZINC_HUB "R-CF/zarr_conventions_cs/blob/main/README.md",
    NULL,
};

static const char schema[] = "{'type': 'object', 'required': ['cs'], 'properties': {'cs': {'type': 'object'}}}";

const zinc_convention_row zinc_convention_cs = {
    .name = "cs",
    .prefix = "cs",
    .uuid = "e4dbf0b7-7a00-4ce6-b23e-484292014ab4",
    .description = "Coordinate systems of an array",
    .arrays = true,
    .schemas = schemas,
    .specs = specs,
    .schema = schema,
};
