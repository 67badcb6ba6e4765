/*
 * engine.h - inside of the room `array`: the plan of a call, its workers, its transfers
 *
 * A call on a selection goes through four steps, each in its own file:
 *
 *   call.c      options, deadline, cancel, the lowest failing chunk
 *   plan.c      selection x grid -> stored objects, and in each the units (inner chunks) it needs
 *   transfer.c  elements between a decoded unit and the caller's buffer, converting on the way
 *   read.c / write.c (and shard_read.c, shard_write.c for objects that are open shards)
 */
#ifndef ZINC_ENGINE_H
#define ZINC_ENGINE_H

#include <stdlib.h>

#include "array/array.h"

/* ---- the call ---- */

/* What one thread of a call owns. */
typedef struct zinc_worker {
	zinc_scratch *s;
	zinc_buf key;          /* the key of the object in hand */
	zinc_buf requests;     /* zinc_get and iovec of a direct read */
	zinc_put_group *group; /* this thread's puts */
	bool erase;            /* the object just encoded is all fill value: erase it */
	zinc_error err;
} zinc_worker;

typedef struct zinc_call {
	zinc_array *a;
	zinc_hierarchy *h;
	zinc_context *ctx;
	zinc_meta *m; /* the snapshot this call works on */
	zinc_stack *layers;
	zinc_store *store; /* the uppermost of its layers */
	zinc_io_options o;
	zinc_caps caps;
	int threads;
	uint32_t put_flags;
	double deadline; /* 0: none */
	zinc_worker *workers;
	pthread_mutex_t lock;
	atomic_uint_fast64_t stop_at; /* objects from here on need not be started */
	zinc_status code;
	zinc_error error; /* of the lowest failing object so far */
	atomic_uint_fast64_t units_done, bytes_done;
	uint64_t units_total;
} zinc_call;

/* Check that elements can be accessed, take a snapshot, make workers.  zinc_call_end must follow in any case. */
zinc_status zinc_call_begin(zinc_call *c, zinc_array *a, const zinc_io_options *o, zinc_error *err);
/* The outcome; frees everything. */
zinc_status zinc_call_end(zinc_call *c, zinc_status code, zinc_error *err);
/* Record that object number `at` failed with `code`; the lowest wins. */
void zinc_call_fail(zinc_call *c, uint64_t at, zinc_status code, const zinc_error *err);
/* Should object number `at` not be started?  Also notices cancel and deadline. */
bool zinc_call_stopped(zinc_call *c, uint64_t at);
/* A unit is finished: progress, and its callback. */
void zinc_call_done(zinc_call *c, uint64_t at, uint64_t nbytes);
/* The key of an object, in w->key; borrowed. */
zinc_status zinc_call_key(zinc_call *c, zinc_worker *w, const uint64_t *index, const char **key, zinc_error *err);

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
/* `writing`: elements go from the buffer into the array. */
zinc_status zinc_target_init(zinc_target *t, const zinc_meta *m, const zinc_sel *sel, const zinc_buffer *b, int flags,
			     bool writing, zinc_error *err);

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
/* A whole object is the unit: ask for its size. */
zinc_status zinc_explain_object(zinc_job *j, const zinc_object *o, const char *key, zinc_touch *t, zinc_error *err);

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
/* One open shard of a write: whole, with all new bytes in w->s->fetch, or in parts on top of the old one (not NULL).
 * Where w->erase says so there is nothing to store. */
zinc_status zinc_shard_write(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_old *old, zinc_splice *out,
			     zinc_error *err);

/* What a request costs at least, in bytes copied, where the store itself is memory. */
#define ZINC_REQUEST_BYTES 1024u

/* What a failed request says, as the caller's error. */
zinc_status zinc_got_fail(const zinc_got *got, zinc_error *err);
/* E_CORRUPT: an object of plain elements has another size than they. */
zinc_status zinc_wrong_size(uint64_t size, uint64_t expected, zinc_error *err);
/* What came of fetching an object. */
typedef struct zinc_fetched {
	bool found;
	uint64_t size; /* of all of it */
	zinc_tag tag;
} zinc_fetched;

/* The first `length` bytes of an object (ZINC_TO_END: all) -> w->s->fetch.  E_CORRUPT when it is larger than `limit`. */
zinc_status zinc_fetch_object(zinc_call *c, zinc_worker *w, const char *key, uint64_t length, uint64_t limit,
			      zinc_fetched *out, zinc_error *err);

/* Several ranges of one object, into their own memory, in one call.  What out->found says holds for all of them, which
 * are of one generation of the object: if that cannot be shown, as on a store without tags, it is ZINC_CHANGED. */
typedef struct zinc_ranges {
	zinc_found found;
	uint64_t size; /* of the whole object, when found */
} zinc_ranges;
zinc_status zinc_fetch_ranges(zinc_call *c, const zinc_get *requests, size_t n, zinc_ranges *out, zinc_error *err);
/* May an object be read in n requests?  Else it is read whole, in one. */
bool zinc_may_split(const zinc_call *c, uint64_t n);

/* The fill value into the place of a unit whose object is not stored, or E_NOTFOUND when that was asked for. */
zinc_status zinc_read_missing(zinc_job *j, const zinc_unit *u, zinc_error *err);

/* Try to read a unit of plain elements straight from the file into the buffer's rows.  *done false: not possible, do it
 * the long way. */
zinc_status zinc_read_rows(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key,
			   bool *done, zinc_error *err);
/* The same of points. */
zinc_status zinc_read_points(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key,
			     bool *done, zinc_error *err);
/* The same of a whole object of `expected` bytes whose rows have `row` bytes each, where that is faster. */
zinc_status zinc_read_pieces(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key,
			     uint64_t expected, uint64_t row, bool *done, zinc_found *found, zinc_error *err);

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
bool zinc_cache_has(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit);
void zinc_cache_release(zinc_cache *c, void *hold);
/* The tag that the store has for a key now; empty when it is missing or the store has none. */
zinc_status zinc_cache_confirm(zinc_call *c, const char *key, zinc_tag *tag, zinc_error *err);
/* Remember a unit (C order, nbytes); silently does nothing without memory or without a tag. */
void zinc_cache_put(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag,
		    const zinc_view *v, const uint64_t *shape, int ndim, size_t element);

#endif
