/*
 * array.h - door of the room `array`: open, create, resize, read, write
 *
 * Nothing here depends on the version of Zarr or on the kind of store.
 */
#ifndef ZINC_ARRAY_H
#define ZINC_ARRAY_H

#include <zinc/tool.h>

#include "fetch/fetch.h"
#include "format/format.h"
#include "transform/transform.h"

/*
 * The layers between an array and the hierarchy's store, for one snapshot of the metadata; counted like the snapshot.
 * Most arrays have no layers, and `store` is the hierarchy's store.
 */
typedef struct zinc_stack {
	atomic_uint refs;
	zinc_context *ctx;
	zinc_store *store; /* the top layer; NULL: a layer is unknown, so keys cannot be interpreted */
	bool layered;      /* at least one layer exists */
	zinc_meta *meta;   /* the snapshot that the layers belong to */
	char *prefix;      /* prefix of the keys of the array's objects */
	uint64_t grid_shape[ZINC_MAX_NDIM];
} zinc_stack;

/* The data that accessors return pointers to (facts.c). */
typedef struct zinc_facts zinc_facts;

struct zinc_array {
	zinc_context *ctx;
	zinc_hierarchy *h;
	char *path;
	zinc_meta *meta;        /* the current snapshot; swapped under ctx->lock */
	zinc_facts *facts;      /* data for accessors, with a list of older data; swapped with `meta` */
	zinc_stack *stack;      /* layers of `meta`, swapped with it */
	zinc_stack_options run; /* the run-time layers; the handle owns `run.layers`; also under ctx->lock */
	/* One change of the shape at a time, so that the last one put is the last one swapped in. */
	zinc_turn edit;
};

/* An array in a listing: pointers into its own handle.  Programs get only `told`. */
typedef struct zinc_shown_array {
	zinc_array_info told;
	zinc_array *array;
	bool copy; /* from consolidated metadata */
	uint64_t chunk_shape[ZINC_MAX_NDIM], shard_shape[ZINC_MAX_NDIM], grid_shape[ZINC_MAX_NDIM];
	const char *names[ZINC_MAX_NDIM];
} zinc_shown_array;
zinc_status zinc_shown_array_init(zinc_shown_array *s, zinc_hierarchy *h, const char *path, zinc_meta *meta,
				  zinc_error *err);
void zinc_shown_array_fini(zinc_shown_array *s);
/* The metadata of an array in a listing. */
const zinc_meta *zinc_array_info_meta(const zinc_array_info *info);

/* Make a handle from metadata that was already read; takes references to both. */
zinc_status zinc_array_make(zinc_array **out, zinc_hierarchy *h, const char *path, zinc_meta *meta, zinc_error *err);
/* Replace the handle's snapshot.  Takes ownership of `m`, also on failure. */
zinc_status zinc_array_swap(zinc_array *a, zinc_meta *m, zinc_error *err);
/* Read the array's metadata from the store; E_NOTFOUND also for a group. */
zinc_status zinc_array_read_meta(zinc_hierarchy *h, const char *path, zinc_meta **out, zinc_error *err);
/* A new reference to the current snapshot. */
zinc_meta *zinc_array_snapshot(const zinc_array *a);

/* ---- data that accessors return (facts.c) ---- */

zinc_status zinc_facts_make(zinc_facts **out, zinc_context *ctx, const zinc_meta *m, zinc_error *err);
/* Choose between the facts of a handle and those of its next snapshot.  Returns the ones to use from now on; `rid` gets
 * what must be freed.  The caller holds ctx->lock. */
zinc_facts *zinc_facts_follow(zinc_facts *now, zinc_facts *next, zinc_facts **rid);
/* Frees its list of older ones too; NULL is allowed. */
void zinc_facts_free(zinc_context *ctx, zinc_facts *f);

/* ---- layers (stack.c) ---- */

/* Make the layers that a document's storage_transformers and a program's options name.  E_CORRUPT, E_NOMEM ...; an
 * unknown layer is not an error: then `store` is NULL. */
zinc_status zinc_stack_make(zinc_stack **out, zinc_hierarchy *h, const char *path, zinc_meta *m,
			    const zinc_stack_options *run, zinc_error *err);
void zinc_stack_free(zinc_stack *s); /* drops a reference; NULL is allowed */
/* A new reference to the layers of the current snapshot and, if m is not NULL, to that snapshot. */
zinc_stack *zinc_array_layers(const zinc_array *a, zinc_meta **m);
/* The store through which the array's objects are accessed; E_UNSUPPORTED when a layer is unknown. */
zinc_status zinc_stack_store(const zinc_stack *s, zinc_store **store, zinc_error *err);

/* The result of decoding one stored object as a check: E_CORRUPT, E_CHECKSUM ... naming key, chunk and codec;
 * E_NOTFOUND when it is not stored.  `stored` is its size, `empty_units` the number of inner chunks of a shard that are
 * not stored. */
typedef struct zinc_object_check {
	uint64_t stored;
	uint64_t units, empty_units;
} zinc_object_check;
/* A check of many objects.  `told` is called once for each, by any thread. */
typedef struct zinc_object_checks {
	size_t n;
	const uint64_t *(*index)(void *arg, size_t i);
	void (*told)(void *arg, size_t i, const zinc_object_check *seen, zinc_status st, const zinc_error *err);
	void *arg;
	int threads;                   /* 0: the context's */
	const zinc_call_options *call; /* may be NULL */
} zinc_object_checks;
/* The maximum size of the stored object at `index`; a larger one is never read whole. */
uint64_t zinc_array_object_limit(const zinc_array *a, const uint64_t *index);
zinc_status zinc_array_objects_check(const zinc_array *a, const zinc_object_checks *of, zinc_error *err);
zinc_status zinc_array_object_check(const zinc_array *a, const uint64_t *index, zinc_object_check *out,
				    const zinc_wait *wait, zinc_error *err);

/* The requests that a read would make: see read_cost.c, and zinc_explanation of <zinc/tool.h>. */
typedef struct zinc_read_cost {
	uint64_t objects, objects_present, object_bytes;
	uint64_t chunks, chunks_present;
	uint64_t requests, ranges, bytes; /* of the store; ranges are requests for parts of objects */
	uint64_t stored;                  /* bytes of the chunks that exist */
	uint64_t decoded;                 /* bytes of these chunks after decoding */
	uint64_t selected, wanted;        /* bytes of selected elements: of all chunks, of those that exist */
} zinc_read_cost;

/* Determine the cost of reading a selection into a buffer in C order of the array's own type.  `fn` (may be NULL) is
 * called for each chunk, in order, from the calling thread. */
zinc_status zinc_array_read_cost(zinc_array *a, const zinc_selection *selection, const zinc_io_options *options,
				 zinc_chunk_fn fn, void *arg, zinc_read_cost *out, zinc_error *err);

/* The allowed values of the numbers in options. */
extern const zinc_options_kind zinc_io_options_kind, zinc_stack_options_kind;

#endif
