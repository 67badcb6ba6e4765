/*
 * convention_geolocation.c - convention geolocation: arrays that say where the elements are
 */
#include "node/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "R-CF/zarr_convention_geolocation/main/schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "R-CF/zarr_convention_geolocation/blob/main/README.md",
    NULL,
};

static const char schema[] = "{'type': 'object', 'required': ['geolocation']}";

const zinc_convention_row zinc_convention_geolocation = {
    .name = "geolocation",
    .prefix = "geolocation",
    .uuid = "bb9ee930-8c60-4c47-ad6b-8daa558987ed",
    .description = "Geolocation arrays",
    .arrays = true,
    .schemas = schemas,
    .specs = specs,
    .schema = schema,
};
