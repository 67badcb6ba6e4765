/*
 * convention_enum.c - convention enum: categories, as codes and their meanings (unpublished)
 */
#include "node/convention.h"

static const char schema[] =
    "{'type': 'object', 'properties': {'enum:ordered': {'type': 'boolean'}, 'enum:codes': {'type': 'string'}}}";

const zinc_convention_row zinc_convention_enum = {
    .name = "enum",
    .prefix = "enum:",
    .uuid = "c906c423-56ed-413c-9943-7b2ff52d18f2",
    .description = "Categories: codes and their order",
    .groups = true,
    .schema = schema,
};
