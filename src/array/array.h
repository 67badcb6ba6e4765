/*
 * array.h - door of the room `array`: open, create, resize, read, write
 *
 * Nothing here asks which version of Zarr or which kind of store it has.
 */
#ifndef ZINC_ARRAY_H
#define ZINC_ARRAY_H

#include <zinc/tool.h>

#include "fetch/fetch.h"
#include "format/format.h"
#include "transform/transform.h"

/*
 * The layers between an array and the hierarchy's store, for one snapshot of the metadata; counted like that.
 * Most arrays have none, and `store` is the hierarchy's.
 */
typedef struct zinc_stack {
	atomic_uint refs;
	zinc_context *ctx;
	zinc_store *store; /* the uppermost; NULL: a layer is not known, so that no key means anything */
	bool layered;      /* there is at least one */
	zinc_meta *meta;   /* what the layers were made for */
	char *prefix;      /* of the array's objects */
	uint64_t grid_shape[ZINC_MAX_NDIM];
} zinc_stack;

/* What accessors lend pointers to (facts.c). */
typedef struct zinc_facts zinc_facts;

struct zinc_array {
	zinc_context *ctx;
	zinc_hierarchy *h;
	char *path;
	zinc_meta *meta;        /* the current snapshot; swapped under ctx->lock */
	zinc_facts *facts;      /* what is lent of it, and behind that what was lent before; likewise */
	zinc_stack *stack;      /* of `meta`, and swapped with it */
	zinc_stack_options run; /* the run-time layers; `run.layers` is the handle's; likewise */
	zinc_turn edit; /* one change of the shape at a time, so that the last one put is the last one swapped in */
};

/* What a listing shows of an array: pointers into a handle of its own.  Programs see `told` only. */
typedef struct zinc_shown_array {
	zinc_array_info told;
	zinc_array *array;
	uint64_t chunk_shape[ZINC_MAX_NDIM], shard_shape[ZINC_MAX_NDIM], grid_shape[ZINC_MAX_NDIM];
	const char *names[ZINC_MAX_NDIM];
} zinc_shown_array;
zinc_status zinc_shown_array_init(zinc_shown_array *s, zinc_hierarchy *h, const char *path, zinc_meta *meta,
				  zinc_error *err);
void zinc_shown_array_fini(zinc_shown_array *s);
/* The metadata behind what is shown. */
const zinc_meta *zinc_array_info_meta(const zinc_array_info *info);

/* A handle from metadata already read; takes references to both. */
zinc_status zinc_array_make(zinc_array **out, zinc_hierarchy *h, const char *path, zinc_meta *meta, zinc_error *err);
/* Put a new snapshot into the handle, which takes the reference, also on failure. */
zinc_status zinc_array_swap(zinc_array *a, zinc_meta *m, zinc_error *err);
/* The array's metadata from the store; E_NOTFOUND for a group too. */
zinc_status zinc_array_read_meta(zinc_hierarchy *h, const char *path, zinc_meta **out, zinc_error *err);
/* A new reference to the current snapshot. */
zinc_meta *zinc_array_snapshot(const zinc_array *a);

/* ---- what accessors lend (facts.c) ---- */

zinc_status zinc_facts_make(zinc_facts **out, zinc_context *ctx, const zinc_meta *m, zinc_error *err);
/* Of the facts of a handle and those of its next snapshot: which it has from now on.  `rid` gets what is to be freed.
 * Under ctx->lock. */
zinc_facts *zinc_facts_follow(zinc_facts *now, zinc_facts *next, zinc_facts **rid);
/* Frees those behind it, too; NULL is fine. */
void zinc_facts_free(zinc_context *ctx, zinc_facts *f);

/* ---- layers (stack.c) ---- */

/* Make the layers that a document's storage_transformers and a program's choice name.  E_CORRUPT, E_NOMEM ...; one that
 * is not known is no failure: store is NULL then. */
zinc_status zinc_stack_make(zinc_stack **out, zinc_hierarchy *h, const char *path, zinc_meta *m,
			    const zinc_stack_options *run, zinc_error *err);
void zinc_stack_free(zinc_stack *s); /* drops a reference; NULL is fine */
/* A new reference to the layers of the current snapshot, and (m not NULL) that snapshot itself, which it holds. */
zinc_stack *zinc_array_layers(const zinc_array *a, zinc_meta **m);
/* The store that the array's objects are in, as it sees them; E_UNSUPPORTED when a layer is not known. */
zinc_status zinc_stack_store(const zinc_stack *s, zinc_store **store, zinc_error *err);

/* One stored object decoded for a check: E_CORRUPT, E_CHECKSUM ... with key, chunk and codec named; E_NOTFOUND when
 * it is not stored.  `stored` gets its size; `empty_units` the inner chunks of a shard that are not stored. */
typedef struct zinc_object_check {
	uint64_t stored;
	uint64_t units, empty_units;
} zinc_object_check;
/* Many of them.  How each ended is told once, by any thread. */
typedef struct zinc_object_checks {
	size_t n;
	const uint64_t *(*index)(void *arg, size_t i);
	void (*told)(void *arg, size_t i, const zinc_object_check *seen, zinc_status st, const zinc_error *err);
	void *arg;
	int threads;                   /* 0: the context's */
	const zinc_call_options *call; /* may be NULL */
} zinc_object_checks;
/* The most bytes that the stored object at `index` may have; more is never read as one. */
uint64_t zinc_array_object_limit(const zinc_array *a, const uint64_t *index);
zinc_status zinc_array_objects_check(const zinc_array *a, const zinc_object_checks *of, zinc_error *err);
zinc_status zinc_array_object_check(const zinc_array *a, const uint64_t *index, zinc_object_check *out,
				    const zinc_wait *wait, zinc_error *err);

/* What a read would ask the store for: see read_cost.c, and zinc_explanation of <zinc/tool.h>. */
typedef struct zinc_read_cost {
	uint64_t objects, objects_present, object_bytes;
	uint64_t chunks, chunks_present;
	uint64_t requests, ranges, bytes; /* of the store; ranges are requests for parts of objects */
	uint64_t stored;                  /* bytes of the chunks that are there */
	uint64_t decoded;                 /* bytes that they decode to */
	uint64_t selected, wanted;        /* bytes of elements: of all chunks, of those that are there */
} zinc_read_cost;

/* Tell the cost of reading a selection into a buffer in C order of the array's own type.  `fn` (may be NULL) is called
 * for each chunk, in order, from the calling thread. */
zinc_status zinc_array_read_cost(zinc_array *a, const zinc_selection *selection, const zinc_io_options *options,
				 zinc_chunk_fn fn, void *arg, zinc_read_cost *out, zinc_error *err);

/* What the numbers in options may be. */
extern const zinc_options_kind zinc_io_options_kind, zinc_stack_options_kind;

#endif
