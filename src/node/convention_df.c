/*
 * convention_df.c - convention df: a group as a data frame (unpublished)
 */
#include "node/convention.h"

static const char schema[] =
    "{'type': 'object', 'properties': {'df:shape': {'type': 'array', 'items': {'type': 'integer', 'minimum': 0}},"
    " 'df:index': {'type': 'string'}}}";

const zinc_convention_row zinc_convention_df = {
    .name = "df",
    .prefix = "df:",
    .uuid = "1f1b36d2-3185-6da8-91f6-9a0823af2d33",
    .description = "Data frames: columns and their index",
    .groups = true,
    .schema = schema,
};
