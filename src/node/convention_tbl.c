/*
 * convention_tbl.c - convention table: the arrays of a group as columns (proposed; no rules are written yet)
 */
#include "node/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "R-CF/zarr_convention_table/main/schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "R-CF/zarr_convention_table/blob/main/README.md",
    NULL,
};

static const char schema[] = "{'type': 'object'}";

const zinc_convention_row zinc_convention_tbl = {
    .name = "table",
    .prefix = "table:",
    .uuid = "d517ea5f-92bb-4df1-8bbf-db736286a307",
    .description = "Tables of arrays",
    .groups = true,
    .schemas = schemas,
    .specs = specs,
    .schema = schema,
};
