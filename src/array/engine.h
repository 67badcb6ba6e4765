/*
 * engine.h - inside of the room `array`: the plan of a call, its workers, its transfers
 *
 * A call on a selection goes through four steps, each in its own file:
 *
 *   call.c      options, deadline, cancel, the lowest failing chunk
 *   plan.c      selection x grid -> stored objects, and in each the units (inner chunks) it needs
 *   transfer.c  elements between a decoded unit and the caller's buffer, converting on the way
 *   read.c / write.c (and shard_read.c, shard_write.c for objects that are open shards; write_far.c for remote stores)
 *
 * What a read needs of the store is asked for through the room `fetch`, whose items are the stored objects of the plan or,
 * of an open shard, its index and then batches of its inner chunks.
 */
#ifndef ZINC_ENGINE_H
#define ZINC_ENGINE_H

#include <stdlib.h>

#include "array/array.h"
#include "shard/shard.h"

/* ---- the plan ---- */

/* Along one dimension: the segments that lie in one stored object. */
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
	bool units_are_objects;            /* no open shard */
	uint64_t unit_step[ZINC_MAX_NDIM]; /* extents of inner chunks in the array's axes */
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
	bool covered; /* every element that lies in the array is: full but for the edge */
	const zinc_group_span *span[ZINC_MAX_NDIM];
	size_t begin, end; /* points: positions in order */
} zinc_object;

/* One unit of an object: what of it is selected. */
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
/* Unit u < nunits of an object; for points units come in order, so pass the previous one's `end` in out->end (object's
 * begin at first). */
void zinc_plan_unit(const zinc_plan *p, const zinc_object *o, size_t u, zinc_unit *out);

/* The object in hand of a read, and its first unit. */
typedef struct zinc_reading {
	size_t i; /* its number; SIZE_MAX: none is in hand */
	zinc_object o;
	zinc_unit u;
} zinc_reading;

/* ---- the call ---- */

/* What one thread of a call owns. */
typedef struct zinc_worker {
	zinc_scratch *s;       /* NULL: it only asks for bytes, for the others */
	zinc_buf key;          /* the key of the object in hand */
	zinc_buf requests;     /* a shard's entries, when it is written */
	zinc_put_group *group; /* this thread's puts */
	bool erase;            /* the object just encoded is all fill value: erase it */
	zinc_error err;
	zinc_reading r;
} zinc_worker;

typedef struct zinc_call {
	zinc_array *a;
	zinc_hierarchy *h;
	zinc_context *ctx;
	zinc_meta *m; /* the snapshot this call works on */
	zinc_stack *layers;
	zinc_store *store; /* the uppermost of its layers */
	zinc_io_options o;
	zinc_call_options call; /* o.call, or nothing */
	const volatile int *cancel;
	zinc_caps caps;
	int threads;
	uint32_t put_flags;
	double deadline;        /* 0: none */
	zinc_wait wait;         /* the same, and cancel, for the store */
	zinc_worker *workers;   /* one per thread, and one that only asks */
	zinc_fetch_item *items; /* one per thread */
	pthread_mutex_t lock;
	atomic_uint_fast64_t stop_at; /* objects from here on need not be started */
	zinc_status code;
	zinc_error error;                /* of the lowest failing object so far */
	uint64_t units_done, bytes_done; /* counted for whoever wants to be told */
	bool told_to_stop;
	uint64_t units_total;
} zinc_call;

/* Check that elements can be accessed, take a snapshot, make workers.  zinc_call_end must follow in any case. */
zinc_status zinc_call_begin(zinc_call *c, zinc_array *a, const zinc_io_options *o, zinc_error *err);
/* The outcome; frees everything. */
zinc_status zinc_call_end(zinc_call *c, zinc_status st, zinc_error *err);
/* Record that object number `at` failed with `code`; the lowest wins. */
void zinc_call_fail(zinc_call *c, uint64_t at, zinc_status st, const zinc_error *err);
/* Should object number `at` not be started?  Also notices cancel and deadline. */
bool zinc_call_stopped(zinc_call *c, uint64_t at);
/* Units are finished, and so many bytes of the caller's: progress, and its callback. */
void zinc_call_done(zinc_call *c, uint64_t units, uint64_t nbytes);
/* The key of an object, in w->key; borrowed. */
zinc_status zinc_call_key(zinc_call *c, zinc_worker *w, const uint64_t *index, const char **key, zinc_error *err);
/* The same in an item's. */
zinc_status zinc_call_item_key(zinc_call *c, zinc_fetch_item *it, const uint64_t *index, zinc_error *err);
/* What every run of items of a call has in common; its planner is still missing. */
zinc_fetch zinc_call_fetch(zinc_call *c, void *arg);
/* What every sender of a call has in common; done() is still missing. */
zinc_sending zinc_call_sending(zinc_call *c, void *arg);
/* Has anything failed, been cancelled, or taken too long? */
bool zinc_call_halted(zinc_call *c);

/* ---- the buffer ---- */

/* The caller's memory, checked, with one stride per dimension of the array (0 for dropped ones). */
typedef struct zinc_target {
	uint8_t *p;
	int64_t strides[ZINC_MAX_NDIM]; /* of the result's dimensions for points: strides[0] */
	size_t element;
	bool far;                /* so large that what is read into it should not go through the caches */
	zinc_convert_fn convert; /* NULL: same type */
	int flags;
	zinc_arena *arena;     /* of a variable-length type, when reading */
	const char *to, *from; /* names of the types, for messages */
} zinc_target;

/* The buffer as this version of the library knows it.  E_INVALID. */
zinc_status zinc_buffer_take(zinc_buffer *out, const zinc_buffer *given, zinc_error *err);
/* Is what is selected so large that it should not go through the caches? */
bool zinc_target_far(const zinc_sel *sel, size_t element);
/* `writing`: elements go from the buffer into the array. */
zinc_status zinc_target_init(zinc_target *t, const zinc_meta *m, const zinc_sel *sel, const zinc_buffer *b, int flags,
			     bool writing, zinc_error *err);

/* ---- transfers ---- */

/* Selected elements of a decoded unit -> the buffer, or back.  E_RANGE names the element. */
zinc_status zinc_transfer_out(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, const zinc_view *from,
			      zinc_scratch *s, zinc_error *err);
zinc_status zinc_transfer_in(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, const zinc_view *to,
			     zinc_scratch *s, zinc_error *err);
/* Do the axes of the array->bytes codec come in the array's order? */
bool zinc_axes_in_order(const zinc_meta *m);
/* The fill value -> the selected part of the buffer. */
zinc_status zinc_transfer_fill(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, zinc_error *err);
/* Can every element of the buffer be converted?  E_RANGE names the first that cannot. */
zinc_status zinc_transfer_check(const zinc_plan *p, const zinc_target *t, zinc_scratch *s, zinc_error *err);
/* Is the selected part of the unit all of it, in one piece and unconverted in the buffer?  Its address, or NULL. */
uint8_t *zinc_transfer_direct(const zinc_plan *p, const zinc_target *t, const zinc_unit *u);

/* ---- reading and writing ---- */

/* A unit that an explained read touches. */
typedef struct zinc_touch {
	uint64_t object, unit;   /* numbers */
	bool found;              /* it is stored */
	bool object_found;       /* at least its shard is */
	bool exact;              /* no more than what is selected would be read */
	uint64_t offset, nbytes; /* in its object */
	uint64_t object_bytes;   /* of the whole object; of a shard once, in its unit 0 */
} zinc_touch;

/* What a read would cost (read_cost.c). */
typedef struct zinc_explain {
	zinc_context *ctx;
	pthread_mutex_t lock;
	zinc_read_cost cost;
	zinc_touch *touches;
	size_t n, room;
	bool lost; /* memory was out */
} zinc_explain;

/* Everything that the workers of one call share. */
typedef struct zinc_job {
	zinc_call *c;
	zinc_plan *p;
	zinc_target *t;
	bool inner_parallel;   /* few objects: the threads share the inner chunks of each shard instead */
	zinc_explain *explain; /* NULL: the read is really done; else it is only told what it would fetch */
} zinc_job;

/* Requests that a read would make, how many of them for parts of objects, and the bytes they would bring. */
void zinc_explain_requests(zinc_explain *x, uint64_t requests, uint64_t ranges, uint64_t nbytes);
void zinc_explain_unit(zinc_explain *x, const zinc_touch *touch);

/* Elements [first, end) of what a chain has stored; end 0: all. */
typedef struct zinc_needed {
	uint64_t first, end;
} zinc_needed;

/* What the unit's selection needs.  `extent` is in the chain's axes, and `axis` (NULL: the same) leads from those to the
 * array's. */
zinc_needed zinc_elements_needed(const zinc_plan *p, const zinc_chain *c, const int *axis, const uint64_t *extent,
				 const zinc_unit *u);

zinc_status zinc_job_read(zinc_job *j, zinc_error *err);
zinc_status zinc_job_read_shards(zinc_job *j, zinc_error *err);
zinc_status zinc_job_write(zinc_job *j, zinc_error *err);
/* To a remote store: many objects on their way at once (write_far.c). */
zinc_status zinc_job_write_far(zinc_job *j, zinc_error *err);
/* Call fn for each object: on all threads, or where they are few one after another, each on all threads. */
void zinc_job_each(zinc_job *j, zinc_pool_fn fn, void *arg);
/* Are its old bytes of no matter? */
bool zinc_write_is_whole(const zinc_job *j, const zinc_object *o);
/* Write one object, and wait for it. */
void zinc_write_item(zinc_job *j, const zinc_object *o, int worker);
/* Encode a whole object into w->s->fetch; where w->erase says so there is nothing to store. */
zinc_status zinc_write_encode(zinc_job *j, zinc_worker *w, const zinc_object *o, zinc_error *err);
/* Change what is selected of an object (`old` NULL: it is missing).  The new bytes are in w->s->fetch, those of a shard in
 * `joined`. */
zinc_status zinc_write_change(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_bytes *old,
			      zinc_buf *joined, zinc_update *out, zinc_error *err);
/* It is over with the object; of a failure `err` has the key already. */
void zinc_write_settle(zinc_job *j, const zinc_object *o, zinc_status st, zinc_error *err);
/* One open shard of a write: whole, with all new bytes in w->s->fetch, or in parts on top of the old one (not NULL).
 * Where w->erase says so there is nothing to store. */
zinc_status zinc_shard_write(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_old *old, zinc_splice *out,
			     zinc_error *err);

/* What a request costs at least, in bytes copied, where the store itself is memory. */
#define ZINC_REQUEST_BYTES 1024u

/* May an object be read in n requests?  Else it is read whole, in one. */
bool zinc_may_split(const zinc_call *c, uint64_t n);

/* The fill value into the place of a unit whose object is not stored, or E_NOTFOUND when that was asked for. */
/* The most bytes that a stored object of this extent may have: more is not read. */
uint64_t zinc_object_limit(const zinc_meta *m, zinc_context *ctx, const uint64_t *extent);
zinc_status zinc_read_missing(zinc_job *j, const zinc_unit *u, zinc_error *err);
/* How many elements of the object, or of the unit, are selected. */
uint64_t zinc_object_selected(const zinc_plan *p, const zinc_object *o);
uint64_t zinc_unit_selected(const zinc_plan *p, const zinc_unit *u);

/*
 * A way to read an object that is one unit.  Those of the table in read.c are tried in order; a way that turns out not to
 * lead there, because the object was changed meanwhile or has not what was expected, leaves the object to the next.
 */
typedef struct zinc_way {
	/* Ask for what it needs; *can false: this is no way for this object. */
	zinc_status (*want)(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, bool *can, zinc_error *err);
	/* The object is there: into the buffer with it.  *done false: the next way. */
	zinc_status (*take)(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, zinc_worker *w, bool *done,
			    zinc_error *err);
	/* Is there more of the object to ask for?  NULL: no. */
	bool (*more)(const zinc_job *j, const zinc_reading *r, zinc_fetch_item *it);
	bool exact; /* no more is read than what is selected */
	bool plain; /* the object is the elements themselves, and must have as many bytes */
} zinc_way;

/* Plain elements straight from the file into the buffer's rows (read_rows.c). */
extern const zinc_way zinc_way_rows;
/* Short rows that lie apart, with what lies between them. */
extern const zinc_way zinc_way_bands;
/* Single elements (read_points.c). */
extern const zinc_way zinc_way_points;
/* Whole objects of short rows, through the cache into far memory (read_pieces.c). */
extern const zinc_way zinc_way_pieces;
/* Decoded before, if it is still the same (cache.c). */
extern const zinc_way zinc_way_cached;

/* The rows of an object of plain elements. */
typedef struct zinc_rows {
	int outer;         /* dimensions 0 .. outer-1 count rows */
	uint64_t n, bytes; /* rows, bytes of each */
	int64_t file[ZINC_MAX_NDIM];
	uint64_t expected; /* size of the object */
	bool straight;     /* they are few and long enough to be read each to its place */
} zinc_rows;
/* False: its bytes are not the elements as the caller wants them, or parts of it cannot be had. */
bool zinc_rows_find(zinc_rows *r, const zinc_job *j, const zinc_reading *x);

/* Axes of the sharding codec <-> axes of the array: shapes of the object and of its inner chunks as the codec sees
 * them. */
void zinc_shard_shape(const zinc_meta *m, const uint64_t *extent, uint64_t *shard_shape);
/* Position of an inner chunk (index in the array's axes) in the shard's index. */
uint64_t zinc_shard_position(const zinc_meta *m, const uint64_t *per_axis, const uint64_t *inner);

/* ---- decoded-chunk cache (cache.c) ---- */

typedef struct zinc_cache zinc_cache;

/* NULL: switched off, or the elements are of variable length and lie elsewhere. */
zinc_cache *zinc_cache_of(const zinc_call *c);
/* A cached unit of this shape, if its tag is `tag` (NULL: any).  The bytes stay valid until zinc_cache_release. */
const uint8_t *zinc_cache_get(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag,
			      const uint64_t *shape, int ndim, size_t element, void **hold);
/* `tag` NULL: any. */
bool zinc_cache_has(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag);
void zinc_cache_release(zinc_cache *c, void *hold);
/* Remember a unit (C order, nbytes); silently does nothing without memory or without a tag. */
void zinc_cache_put(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag,
		    const zinc_view *v, const uint64_t *shape, int ndim, size_t element);

#endif
