/*
 * fetch.h - interface of the room `fetch`: reading many objects of a store, and writing many to a remote one
 *
 * The code that reads many objects is the *planner*.  It numbers them 0 to n-1 as items, says what each item needs
 * (want), and processes what has arrived (take).  take may find that more is needed: then there is another round.  This
 * room decides how the bytes are fetched:
 *
 *   fetch_local.c    every thread of the pool: want -> get -> take, one item after another, in its own memory
 *   fetch_remote.c   one thread drives windows of many items through one get, with as many open requests as the store
 *                    allows; meanwhile the threads of the pool take what has arrived
 *
 * Promises (tests/unit/test_fetch.c names each by its number):
 *
 * (1) want, take and fail of one item never run at the same time; take is called only when all requested bytes are
 *     there.
 * (2) All bytes of one round of an item belong to one generation of its object, else it->found is ZINC_CHANGED.
 * (3) On a remote store the number of open requests does not depend on the number of threads.
 * (4) Bytes allocated for items never exceed in_flight, except that one item per thread is always allowed, and so is
 *     the first unfinished one: it never waits for a later one, whose requests may be behind its own.  The memory of
 *     plans of unfinished items is bounded, too, whatever the number of their ranges.
 * (5) After a failure, a cancel or the deadline only items are started that are needed to find the lowest failing item.
 * (6) A local run makes no allocation per item.
 *
 * The code that writes many objects to a remote store passes them to a *sender* (send.c), as parcels.  Its promises
 * (tests/unit/test_send.c):
 *
 * (7) The number of open puts is what the store allows, whatever the number of threads, while others are still being
 *     encoded.
 * (8) Bytes of parcels never exceed in_flight, except that one parcel per thread is always allowed.
 * (9) Each parcel that was given is reported to done() once, unless it was stopped before it was started.
 * (10) After a failure, a cancel or the deadline only puts are started that are needed to find the lowest failing one.
 */
#ifndef ZINC_FETCH_H
#define ZINC_FETCH_H

#include "store/store.h"

/* ---- items ---- */

typedef struct zinc_fetch_item {
	size_t i;
	int round; /* 0, then one more for each round */

	/* For the planner, kept from want to take and from round to round; 0 in the first. */
	unsigned how;
	uint64_t at;

	/* What is needed; set by want().  Either one request without iov, or any number of known lengths. */
	zinc_buf key;
	zinc_buf memory; /* for requests and the memory they point to */
	const zinc_get *gets;
	size_t n;         /* 0: nothing; take() is called at once */
	uint64_t bound;   /* limit of the bytes that may arrive without iov */
	bool real;        /* fetched even if other items are only counted */
	zinc_get one;     /* for an item with a single request */
	uint64_t *places; /* if there are several requests: offset of the bytes of each */
	void *behind;     /* the rest of it->memory, for the planner */

	/* What has arrived, for take(). */
	zinc_found found; /* for all requests together, never ZINC_FAILED */
	uint64_t size;    /* of the whole object */
	zinc_tag tag;     /* kept from round to round */
	zinc_buf *bytes;  /* of the requests without iov, one after the other */

	/* Private to this room. */
	zinc_error *err; /* of a local item */
	zinc_buf own;    /* the bytes of a remote item */
	pthread_mutex_t lock;
	size_t nsent, nfound, nmissing, ndone;
	bool changed, failed, roomed;
	uint64_t total; /* sum of their bytes */
	uint64_t held;
	uint64_t records; /* bytes of the item and its memory, as counted */
	size_t place;     /* index in the window */
	bool live;
	struct zinc_fetch_item *next, *all;
} zinc_fetch_item;

/* `bytes`: memory for a local item; NULL: it has its own. */
void zinc_fetch_item_init(zinc_fetch_item *it, zinc_context *ctx, zinc_buf *bytes, zinc_error *err);
void zinc_fetch_item_fini(zinc_fetch_item *it);

/* One request: all bytes of the object, or those that `get` selects; its key is the item's. */
void zinc_fetch_want(zinc_fetch_item *it, zinc_get get);
/* Allocate n requests, of which it->n are used in the end, and `more` bytes in it->behind. */
zinc_status zinc_fetch_room(zinc_fetch_item *it, size_t n, size_t more, zinc_get **gets, zinc_error *err);

/* A needed range, and the offset of its bytes in it->bytes. */
typedef struct zinc_fetch_range {
	uint64_t offset, nbytes;
	uint64_t at;
	size_t tell, more; /* for the planner */
} zinc_fetch_range;

/* Sort the ranges and merge neighbours that are at most `gap` apart into requests, up to 16 MiB of gaps.  `gets` has
 * room for n.  Returns the number of requests. */
size_t zinc_fetch_merge(zinc_fetch_range *ranges, size_t n, uint64_t gap, const char *key, const zinc_tag *tag,
			zinc_get *gets);

/* ---- runs ---- */

typedef struct zinc_fetch {
	zinc_context *ctx;
	zinc_store *store;
	const zinc_caps *caps;
	int threads;
	uint64_t in_flight; /* bytes allocated for remote items */
	const zinc_wait *wait;
	zinc_fetch_item *local; /* one per thread */

	void *arg;
	/* May item i be skipped?  Also checks cancel and deadline. */
	bool (*stopped)(void *arg, size_t i);
	/* Has anything failed, or been cancelled? */
	bool (*halted)(void *arg);
	/* `worker` is below `threads`; it is `threads` for the driver of remote items. */
	zinc_status (*want)(void *arg, zinc_fetch_item *it, int worker, zinc_error *err);
	zinc_status (*take)(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err);
	/* The item has failed. */
	void (*fail)(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err);
	/* The error for an object that has more than it->bound bytes. */
	zinc_status (*too_long)(void *arg, const zinc_fetch_item *it, uint64_t nbytes, zinc_error *err);
	/* NULL, or: requests are only counted, and only the size of the object is fetched. */
	void (*count)(void *arg, uint64_t requests, uint64_t ranges, uint64_t nbytes);
} zinc_fetch;

/* Run items 0 to n-1.  Failures are reported to fail(), also when memory is out. */
void zinc_fetch_run(const zinc_fetch *f, size_t n);

/* ---- sending ---- */

/* One object to put or delete. */
typedef struct zinc_parcel {
	size_t i;
	size_t at; /* for the planner */
	zinc_buf key;
	zinc_buf bytes;
	bool erase;
	zinc_when when; /* with a condition it is in no group, so its outcome is known at once */
	zinc_tag tag;

	/* Private to this room. */
	uint64_t held;
	zinc_condition condition;
	struct iovec iov;
	struct zinc_parcel *next, *all;
} zinc_parcel;

typedef struct zinc_sending {
	zinc_context *ctx;
	zinc_store *store;
	uint32_t parallel; /* of the store's caps */
	int threads;       /* threads that make parcels */
	uint64_t in_flight;
	uint32_t put_flags;
	const zinc_wait *wait;

	void *arg;
	bool (*stopped)(void *arg, size_t i); /* as in zinc_fetch */
	bool (*halted)(void *arg);
	/* The outcome of a parcel; `err` has its key.  Called from any thread, several at once. */
	void (*done)(void *arg, const zinc_parcel *p, zinc_status st, zinc_error *err);
} zinc_sending;

typedef struct zinc_send zinc_send;

/* `how` is copied, but not its wait. */
zinc_status zinc_send_begin(zinc_send **out, const zinc_sending *how, zinc_error *err);
/* Wait for room for `nbytes` bytes, then return a parcel for object i.  *out NULL: stopped. */
zinc_status zinc_parcel_new(zinc_send *x, size_t i, uint64_t nbytes, zinc_parcel **out, zinc_error *err);
/* Send the parcel.  `bytes` (NULL: they are in the parcel) is taken over and emptied, or copied; it may be reused. */
zinc_status zinc_parcel_send(zinc_send *x, zinc_parcel *p, zinc_buf *bytes, zinc_error *err);
/* Return an unused parcel. */
void zinc_parcel_drop(zinc_send *x, zinc_parcel *p);
/* Wait until all parcels that were given are done. */
void zinc_send_flush(zinc_send *x);
/* Flush, commit and free.  The status is that of the commit: earlier failures were reported. */
zinc_status zinc_send_end(zinc_send *x, zinc_error *err);

/* Copy the error of a failed request. */
zinc_status zinc_got_fail(const zinc_got *got, zinc_error *err);

#endif
