/*
 * engine.h - internals of the room `array`: the plan of a call, its workers, its transfers
 *
 * A call with a selection has four steps, each in its own file:
 *
 *   call.c      options, deadline, cancel, the lowest failing chunk
 *   plan.c      selection x grid -> stored objects, and in each the units (inner chunks) it needs
 *   transfer.c  elements between a decoded unit and the caller's buffer, converting on the way
 *   read.c / write.c (shard_read.c, shard_write.c for open shards; write_remote.c for remote stores)
 *
 * A read gets its bytes through the room `fetch`.  An item of a fetch is a stored object of the plan; for an open
 * shard, first its index and then batches of its inner chunks.
 */
#ifndef ZINC_ENGINE_H
#define ZINC_ENGINE_H

#include <stdlib.h>

#include "array/array.h"
#include "shard/shard.h"

/* ---- the plan ---- */

/* The segments of one dimension that lie in one stored object. */
typedef struct zinc_group_span {
	uint64_t chunk, start, extent;
	size_t begin, end; /* segments */
	bool full;         /* they cover all of the object */
	bool covered;      /* they cover all of it that lies in the array */
} zinc_group_span;

typedef struct zinc_plan {
	zinc_context *ctx;
	const zinc_meta *m;
	zinc_sel sel;
	bool units_are_objects;            /* there is no open shard */
	uint64_t unit_step[ZINC_MAX_NDIM]; /* shape of inner chunks in the axes of the array */
	size_t nobjects;
	uint64_t nunits; /* of all objects */
	/* slices and lists */
	zinc_split split[ZINC_MAX_NDIM];
	zinc_group_span *groups[ZINC_MAX_NDIM];
	size_t ngroups[ZINC_MAX_NDIM];
	/* points: sorted by object, then unit, then as given */
	uint64_t *order;
	size_t *object_begin; /* nobjects + 1 positions in order */
} zinc_plan;

/* One stored object of the plan. */
typedef struct zinc_object {
	uint64_t number; /* in the plan */
	uint64_t index[ZINC_MAX_NDIM], start[ZINC_MAX_NDIM], extent[ZINC_MAX_NDIM];
	size_t nunits;
	bool full;    /* every element is selected, each once */
	bool covered; /* every element that lies in the array is selected: full except beyond the edge */
	const zinc_group_span *span[ZINC_MAX_NDIM];
	size_t begin, end; /* points: positions in order */
} zinc_object;

/* One unit of an object, and its selected elements. */
typedef struct zinc_unit {
	uint64_t start[ZINC_MAX_NDIM], extent[ZINC_MAX_NDIM]; /* in the array */
	uint64_t inner[ZINC_MAX_NDIM];                        /* index within the object */
	bool full;
	const zinc_segment *seg[ZINC_MAX_NDIM];
	size_t begin, end; /* points */
} zinc_unit;

zinc_status zinc_plan_init(zinc_plan *p, zinc_context *ctx, const zinc_meta *m, const zinc_selection *s,
			   zinc_error *err);
void zinc_plan_fini(zinc_plan *p);
void zinc_plan_object(const zinc_plan *p, size_t i, zinc_object *out);
/* Unit u < nunits of an object.  For points, units must be taken in order: pass the `end` of the previous unit in
 * out->end (the object's begin for the first). */
void zinc_plan_unit(const zinc_plan *p, const zinc_object *o, size_t u, zinc_unit *out);

/* The current object of a read, and its first unit. */
typedef struct zinc_reading {
	size_t i; /* its number; SIZE_MAX: none */
	zinc_object o;
	zinc_unit u;
} zinc_reading;

/* ---- the call ---- */

/* The data of one thread of a call. */
typedef struct zinc_worker {
	zinc_scratch *s;       /* NULL: this worker only requests bytes for the others */
	zinc_buf key;          /* the key of the current object */
	zinc_buf requests;     /* a shard's entries, when it is written */
	zinc_put_group *group; /* this thread's puts */
	bool erase;            /* the object just encoded is all fill value: erase it */
	bool stays;            /* the object to encode must not be erased, see zinc_call.no_erase */
	zinc_error err;
	zinc_reading r;
} zinc_worker;

typedef struct zinc_call {
	zinc_array *a;
	zinc_hierarchy *h;
	zinc_context *ctx;
	zinc_meta *m; /* the snapshot that this call uses */
	zinc_stack *layers;
	zinc_store *store; /* the top one of its layers */
	zinc_io_options o;
	zinc_call_options call; /* o.call, or zeros */
	const volatile int *cancel;
	zinc_caps caps;
	int threads;
	uint32_t put_flags;
	atomic_bool no_erase;   /* the store refuses conditional erases: an object of fill values is put instead */
	double deadline;        /* 0: none */
	zinc_wait wait;         /* deadline and cancel, for the store */
	zinc_worker *workers;   /* one per thread, and one that only requests bytes */
	zinc_fetch_item *items; /* one per thread */
	pthread_mutex_t lock;
	atomic_uint_fast64_t stop_at; /* objects from this number on need not be started */
	zinc_status code;
	zinc_error error;                /* of the lowest failing object so far */
	uint64_t units_done, bytes_done; /* counted for the progress callback */
	bool told_to_stop;
	uint64_t units_total;
} zinc_call;

/* Check that elements can be accessed, take a snapshot, make workers.  zinc_call_end must follow in any case. */
zinc_status zinc_call_begin(zinc_call *c, zinc_array *a, const zinc_io_options *o, zinc_error *err);
/* Return the result of the call; frees everything. */
zinc_status zinc_call_end(zinc_call *c, zinc_status st, zinc_error *err);
/* Record that object number `at` failed with `st`; the failure with the lowest number is kept. */
void zinc_call_fail(zinc_call *c, uint64_t at, zinc_status st, const zinc_error *err);
/* Name the object of a failure by its index in the grid, and its elements. */
void zinc_call_at_object(const zinc_meta *m, const uint64_t *index, zinc_status st, zinc_error *err);
/* Should object number `at` not be started?  Also checks for cancel and the deadline. */
bool zinc_call_stopped(zinc_call *c, uint64_t at);
/* Count finished units and bytes of the caller's buffer, and call the progress callback. */
void zinc_call_done(zinc_call *c, uint64_t units, uint64_t nbytes);
/* Make the key of an object in w->key; `key` is borrowed from there. */
zinc_status zinc_call_key(zinc_call *c, zinc_worker *w, const uint64_t *index, const char **key, zinc_error *err);
/* The same in it->key. */
zinc_status zinc_call_item_key(zinc_call *c, zinc_fetch_item *it, const uint64_t *index, zinc_error *err);
/* The settings that all fetches of a call share; the caller adds the callbacks. */
zinc_fetch zinc_call_fetch(zinc_call *c, void *arg);
/* The settings that all senders of a call share; the caller adds the callbacks. */
zinc_sending zinc_call_sending(zinc_call *c, void *arg);
/* Has the call failed, been cancelled, or passed its deadline? */
bool zinc_call_halted(zinc_call *c);

/* ---- the buffer ---- */

/* The caller's memory, checked, with one stride per dimension of the array (0 for dropped ones). */
typedef struct zinc_target {
	uint8_t *p;
	int64_t strides[ZINC_MAX_NDIM]; /* for points only strides[0], of the result */
	size_t element;
	bool uncached; /* so large that writes to it should bypass the CPU caches */
	bool convert;  /* elements of from_type to elements of to_type; false: same type */
	zinc_type to_type, from_type;
	int flags;
	zinc_arena *arena;     /* for reading elements of variable length */
	const char *to, *from; /* names of the types, for messages */
} zinc_target;

/* Copy the caller's buffer structure, which may be of another version of the library.  E_INVALID. */
zinc_status zinc_buffer_take(zinc_buffer *out, const zinc_buffer *given, zinc_error *err);
/* Is the selection so large that reads should bypass the CPU caches? */
bool zinc_target_uncached(const zinc_sel *sel, size_t element);
/* `writing`: elements are copied from the buffer to the array. */
zinc_status zinc_target_init(zinc_target *t, const zinc_meta *m, const zinc_sel *sel, const zinc_buffer *b, int flags,
			     bool writing, zinc_error *err);

/* ---- transfers ---- */

/* Copy the selected elements of a decoded unit to the buffer, or back.  E_RANGE names the element. */
zinc_status zinc_transfer_out(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, const zinc_view *from,
			      zinc_scratch *s, zinc_error *err);
zinc_status zinc_transfer_in(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, const zinc_view *to,
			     zinc_scratch *s, zinc_error *err);
/* Does the array->bytes codec have the axes in the array's order? */
bool zinc_axes_in_order(const zinc_meta *m);
/* Set the selected part of the buffer to the fill value. */
zinc_status zinc_transfer_fill(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, zinc_error *err);
/* Can every element of the buffer be converted?  E_RANGE names the first that cannot. */
zinc_status zinc_transfer_check(const zinc_plan *p, const zinc_target *t, zinc_scratch *s, zinc_error *err);
/* The address in the buffer where the unit can be decoded in place, or NULL.  The whole unit must be selected, and
 * contiguous and unconverted in the buffer. */
uint8_t *zinc_transfer_direct(const zinc_plan *p, const zinc_target *t, const zinc_unit *u);

/* ---- reading and writing ---- */

/* A unit that an explained read touches. */
typedef struct zinc_touch {
	uint64_t object, unit;   /* numbers */
	bool found;              /* it is stored */
	bool object_found;       /* its object is stored, maybe without the unit */
	bool exact;              /* only the selected bytes would be read */
	uint64_t offset, nbytes; /* in its object */
	uint64_t object_bytes;   /* size of the whole object; counted once, with its first unit */
} zinc_touch;

/* The cost of a read (read_cost.c). */
typedef struct zinc_explain {
	zinc_context *ctx;
	pthread_mutex_t lock;
	zinc_read_cost cost;
	zinc_touch *touches;
	size_t n, room;
	bool lost; /* no memory was left */
} zinc_explain;

/* The data that the workers of one call share. */
typedef struct zinc_job {
	zinc_call *c;
	zinc_plan *p;
	zinc_target *t;
	bool inner_parallel;   /* few objects: the threads share the inner chunks of each shard instead */
	zinc_explain *explain; /* NULL: a real read; else only its requests are determined */
} zinc_job;

/* Count requests that a read would make, how many of them are for parts of objects, and the bytes that they would
 * return. */
void zinc_explain_requests(zinc_explain *x, uint64_t requests, uint64_t ranges, uint64_t nbytes);
void zinc_explain_unit(zinc_explain *x, const zinc_touch *touch);

/* Elements [first, end) in the order in which a chain stores them; end 0: all. */
typedef struct zinc_needed {
	uint64_t first, end;
} zinc_needed;

/* The elements that the unit's selection needs.  `extent` is in the chain's axes; `axis` (NULL: the same) maps these to
 * the array's axes. */
zinc_needed zinc_elements_needed(const zinc_plan *p, const zinc_chain *c, const int *axis, const uint64_t *extent,
				 const zinc_unit *u);

zinc_status zinc_job_read(zinc_job *j, zinc_error *err);
zinc_status zinc_job_read_shards(zinc_job *j, zinc_error *err);
zinc_status zinc_job_write(zinc_job *j, zinc_error *err);
/* Write to a remote store, many objects in flight at once (write_remote.c). */
zinc_status zinc_job_write_remote(zinc_job *j, zinc_error *err);
/* Call fn for each object, on all threads.  If objects are few, call it for one after another, and each call uses all
 * threads. */
void zinc_job_each(zinc_job *j, zinc_pool_fn fn, void *arg);
/* Can the object be written without its old bytes? */
bool zinc_write_is_whole(const zinc_job *j, const zinc_object *o);
/* Write one object and wait until it is done. */
void zinc_write_item(zinc_job *j, const zinc_object *o, int worker);
/* Encode a whole object into w->s->fetch; if w->erase is set, there is nothing to store. */
zinc_status zinc_write_encode(zinc_job *j, zinc_worker *w, const zinc_object *o, zinc_error *err);
/* Change the selected elements of an object (`old` NULL: it is missing).  The new bytes are in w->s->fetch, those of a
 * shard in `joined`. */
zinc_status zinc_write_change(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_bytes *old,
			      zinc_buf *joined, zinc_update *out, zinc_error *err);
/* Record the result of an object; for a failure, `err` already has the key. */
void zinc_write_record(zinc_job *j, const zinc_object *o, zinc_status st, zinc_error *err);
/* Encode one open shard: without `old` as a whole, with all new bytes in w->s->fetch, otherwise as changed parts of the
 * old shard.  If w->erase is set, there is nothing to store. */
zinc_status zinc_shard_write(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_old *old, zinc_splice *out,
			     zinc_error *err);

/* The minimum cost of a request, in bytes copied, when the store itself is in memory. */
#define ZINC_REQUEST_BYTES 1024u

/* May an object be read in n requests?  Otherwise it is read whole, in one. */
bool zinc_may_split(const zinc_call *c, uint64_t n);

/* The maximum size of a stored object of this extent; a larger one is not read. */
uint64_t zinc_object_limit(const zinc_meta *m, zinc_context *ctx, const uint64_t *extent);
/* Tell the caller's function that an object is not stored. */
void zinc_tell_missing(const zinc_job *j, const zinc_object *o);
/* The number of selected elements of the object, or of the unit. */
uint64_t zinc_object_selected(const zinc_plan *p, const zinc_object *o);
uint64_t zinc_unit_selected(const zinc_plan *p, const zinc_unit *u);

/*
 * A way to read an object that is one unit.  The ways in the table of read.c are tried in order.  If one fails because
 * the object was changed meanwhile or is not as expected, the next one is tried.
 */
typedef struct zinc_way {
	/* Plan the requests; *can false: this way does not apply to this object. */
	zinc_status (*want)(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, bool *can, zinc_error *err);
	/* The object was fetched: copy it into the buffer.  *done false: try the next way. */
	zinc_status (*take)(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, zinc_worker *w, bool *done,
			    zinc_error *err);
	/* Must more of the object be requested?  NULL: never. */
	bool (*more)(const zinc_job *j, const zinc_reading *r, zinc_fetch_item *it);
	bool exact; /* only the selected bytes are read */
	bool plain; /* the object is the elements without encoding, and must have exactly their size */
} zinc_way;

/* Plain elements, read directly into the rows of the buffer (read_rows.c). */
extern const zinc_way zinc_way_rows;
/* Short rows with gaps, read together with the gaps (read_rows.c). */
extern const zinc_way zinc_way_bands;
/* Single elements (read_points.c). */
extern const zinc_way zinc_way_points;
/* Whole objects with short rows, read in pieces through the CPU cache into a large buffer (read_pieces.c). */
extern const zinc_way zinc_way_pieces;
/* A decoded unit from the cache, if the object is unchanged (cache.c). */
extern const zinc_way zinc_way_cached;

/* The rows of an object of plain elements. */
typedef struct zinc_rows {
	int outer;         /* dimensions 0 .. outer-1 count rows */
	uint64_t n, bytes; /* number of rows, bytes of each */
	int64_t file[ZINC_MAX_NDIM];
	uint64_t expected; /* size of the object */
	bool straight;     /* few and long enough to read each one directly into the buffer */
} zinc_rows;
/* False: its bytes are not the elements as they are in the buffer, or parts of it cannot be read. */
bool zinc_rows_find(zinc_rows *r, const zinc_job *j, const zinc_reading *x);

/* Convert a shape from the axes of the array to those of the sharding codec. */
void zinc_shard_shape(const zinc_meta *m, const uint64_t *extent, uint64_t *shard_shape);
/* The position in the shard's index of an inner chunk, whose index `inner` is in the array's axes. */
uint64_t zinc_shard_position(const zinc_meta *m, const uint64_t *per_axis, const uint64_t *inner);

/* ---- decoded-chunk cache (cache.c) ---- */

typedef struct zinc_cache zinc_cache;

/* NULL: the cache is off, or elements have variable length. */
zinc_cache *zinc_cache_of(const zinc_call *c);
/* A cached unit of this shape, if its tag is `tag` (NULL: any).  The bytes stay valid until zinc_cache_release. */
const uint8_t *zinc_cache_get(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag,
			      const uint64_t *shape, int ndim, size_t element, void **hold);
/* `tag` NULL: any. */
bool zinc_cache_has(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag);
void zinc_cache_release(zinc_cache *c, void *hold);
/* Add a unit to the cache, in C order; does nothing without a tag or without memory. */
void zinc_cache_put(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag,
		    const zinc_view *v, const uint64_t *shape, int ndim, size_t element);

#endif
