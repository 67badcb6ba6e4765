/*
 * convention_thumbnails.c - convention thumbnails: small pictures of a node
 */
#include "node/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "zarr-conventions/thumbnails/refs/tags/v1/schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "zarr-conventions/thumbnails/blob/v1/README.md",
    NULL,
};

static const char schema[] =
    "{'type': 'object', 'required': ['thumbnails'], 'properties': {'thumbnails': {'type': 'array', 'items': {"
    " 'type': 'object', 'required': ['width', 'height', 'media_type'], 'properties': {"
    "  'width': {'type': 'integer', 'exclusiveMinimum': 0}, 'height': {'type': 'integer', 'exclusiveMinimum': 0},"
    "  'media_type': {'type': 'string'}, 'description': {'type': 'string'}, 'attributes': {'type': 'object'},"
    "  'path': {'type': 'string'}, 'url': {'type': 'string'}},"
    " 'oneOf': [{'required': ['path']}, {'required': ['url']}]}}}}";

const zinc_convention_row zinc_convention_thumbnails = {
    .name = "thumbnails",
    .prefix = "thumbnails",
    .uuid = "49326c01-1180-4743-b15f-f7157038a6ab",
    .description = "Thumbnail images of a node",
    .groups = true,
    .arrays = true,
    .schemas = schemas,
    .specs = specs,
    .schema = schema,
};
