/*
 * nodes.h - small hierarchies in memory with a counting store, for tests of the rooms format and node
 */
#ifndef NODES_H
#define NODES_H

#include <stdbool.h>
#include <zinc.h>
#include <zinc/store.h>

/* Documents: a group, a group with consolidated metadata of a group "a", an array of four int16 in chunks of two. */
#define GROUP "{\"zarr_format\": 3, \"node_type\": \"group\"}"
#define COPIES(metadata)                                                                                               \
	"{\"zarr_format\": 3, \"node_type\": \"group\", \"consolidated_metadata\": {\"must_understand\": false, "      \
	"\"kind\": \"inline\", \"metadata\": {" metadata "}}}"
#define ARRAY_WITH(member)                                                                                             \
	"{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int16\", "                    \
	"\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2]}}, "                         \
	"\"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": 7, "                                         \
	"\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]" member "}"
#define ARRAY ARRAY_WITH("")

typedef struct forest {
	zinc_context *ctx;
	zinc_store *memory, *log;
	zinc_hierarchy *h; /* on the log store, with nothing in it */
	zinc_store_counts last;
	unsigned warnings;
	char warning[512]; /* the last one */
	char text[8192];   /* of the functions below, until the next call */
} forest;

void forest_open(forest *f, const char *prefix, int strictness);
/* The same for a format, empty. */
void forest_open_format(forest *f, const char *id);
void forest_close(forest *f);
/* The requests to the log store since the last call, or since it was opened. */
zinc_store_counts forest_counts(forest *f);

/* The store itself, not counted. */
void forest_put(forest *f, const char *key, const char *text);
const char *forest_get(forest *f, const char *key); /* NULL: missing */
const char *forest_keys(forest *f);                 /* "a/zarr.json zarr.json" */

/*
 * A listing as "G/ A/a g/b !/c ?/d": Group, Array, implicit group, a problem followed by its status
 * ("!/c:E_CORRUPT"), or a hidden child.  Depth as in zinc_node_walk; CHILDREN: zinc_node_children.  A call that fails gives the name of
 * its status.
 */
#define CHILDREN 1000
const char *forest_list(forest *f, const char *path, int depth);

/* For scenarios of a sweep: work in a new hierarchy in memory; then, if `again`, open it once more. */
zinc_status in_new_hierarchy(zinc_context *ctx, const char *format,
			     zinc_status (*work)(zinc_hierarchy *h, zinc_error *err), bool again, zinc_error *err);

/* A store over `next`, which outlives it, that cannot list keys. */
zinc_store *unlisted_store(zinc_context *ctx, zinc_store *next);

#endif
