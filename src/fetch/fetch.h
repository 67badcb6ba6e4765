/*
 * fetch.h - door of the room `fetch`: what is wanted of a store -> bytes, and bytes -> a store that is far away
 *
 * Whoever reads many objects is a *planner*: it numbers them 0 to n-1 as items, says of each what is wanted (want), and
 * takes what came (take), which may show that more is wanted: then there is another round.  How the bytes come is
 * nobody's business but this room's:
 *
 *   near (near.c)   every thread of the pool: want -> get -> take, one item after another, in memory of its own
 *   far (far.c)     one thread drives windows of many items through one get, as many open as the store likes; what has
 *                   arrived is taken by the threads of the pool meanwhile
 *
 * Promises (tests/unit/test_fetch.c names each by its number):
 *
 * (1) want, take and fail of one item never run at the same time; take follows only when all that was wanted is there.
 * (2) All bytes of one round of an item are of one generation of its object, else it->found is ZINC_CHANGED.
 * (3) On a remote store the number of open requests does not depend on the number of threads.
 * (4) Bytes that are held for items never exceed in_flight, but one item per thread is always allowed, and the first of
 *     those that are under way: it never waits for a later one, whose requests may be behind its own.
 *     What is planned for items that are under way is bounded, too, whatever the number of their ranges.
 * (5) After a failure, a cancel or the deadline nothing is begun that is not needed to find the lowest failing item.
 * (6) A near run makes no allocation per item.
 *
 * Whoever writes many objects to a remote store hands them to a *sender* (send.c), as parcels.  Its promises
 * (tests/unit/test_send.c):
 *
 * (7) As many puts are open as the store likes, whatever the number of threads, while others are still being encoded.
 * (8) Bytes of parcels never exceed in_flight, but one parcel per thread is always allowed.
 * (9) Each parcel that was given is told to done() once, unless it was stopped before it was begun.
 * (10) After a failure, a cancel or the deadline no put is begun that is not needed to find the lowest failing one.
 */
#ifndef ZINC_FETCH_H
#define ZINC_FETCH_H

#include "store/store.h"

/* ---- items ---- */

typedef struct zinc_fetch_item {
	size_t i;
	int round; /* 0, and one more each time take() wanted more */

	/* The planner's own, kept from want to take and from round to round; 0 in the first. */
	unsigned how;
	uint64_t at;

	/* What is wanted: set by want().  Either one request without iov, or any number of known lengths. */
	zinc_buf key;
	zinc_buf memory; /* for requests and what they point to */
	const zinc_get *gets;
	size_t n;         /* 0: nothing; take() follows at once */
	uint64_t bound;   /* the most bytes that may come without iov */
	bool real;        /* is fetched even where the others are only counted */
	zinc_get one;     /* for whoever wants only one */
	uint64_t *places; /* of the bytes of each request, where there are several */
	void *behind;     /* the rest of it->memory, for the planner */

	/* What came of it, for take(). */
	zinc_found found; /* of all requests together, never ZINC_FAILED */
	uint64_t size;    /* of the whole object */
	zinc_tag tag;     /* stays from round to round */
	zinc_buf *bytes;  /* of the requests without iov, one behind the other */

	/* Inside. */
	zinc_error *err; /* of a near item */
	zinc_buf own;    /* the bytes of a far one */
	pthread_mutex_t lock;
	size_t nsent, nfound, nmissing, ndone;
	bool changed, failed, roomed;
	uint64_t total; /* of their bytes */
	uint64_t held;
	uint64_t records; /* bytes of itself and its memory, as they are counted */
	size_t place;     /* in the window */
	bool live;
	struct zinc_fetch_item *next, *all;
} zinc_fetch_item;

/* `bytes`: where a near item keeps them; NULL: in memory of its own. */
void zinc_fetch_item_init(zinc_fetch_item *it, zinc_context *ctx, zinc_buf *bytes, zinc_error *err);
void zinc_fetch_item_fini(zinc_fetch_item *it);

/* One request: all of the object's bytes, or those that `get` selects; its key is the item's. */
void zinc_fetch_want(zinc_fetch_item *it, zinc_get get);
/* Room for n requests, of which it->n are wanted in the end, and for `more` bytes in it->behind. */
zinc_status zinc_fetch_room(zinc_fetch_item *it, size_t n, size_t more, zinc_get **gets, zinc_error *err);

/* A range whose bytes are wanted, and where they are going to be in it->bytes. */
typedef struct zinc_fetch_range {
	uint64_t offset, nbytes;
	uint64_t at;
	size_t tell, more; /* the planner's own */
} zinc_fetch_range;

/* Sort the ranges and merge neighbours that are no further apart than `gap` into requests, of which there is room for n,
 * until the gaps come to 16 MiB.  Returns how many they are. */
size_t zinc_fetch_merge(zinc_fetch_range *ranges, size_t n, uint64_t gap, const char *key, const zinc_tag *tag,
			zinc_get *gets);

/* ---- runs ---- */

typedef struct zinc_fetch {
	zinc_context *ctx;
	zinc_store *store;
	const zinc_caps *caps;
	int threads;
	uint64_t in_flight; /* bytes held for far items */
	const zinc_wait *wait;
	zinc_fetch_item *near; /* one per thread */

	void *arg;
	/* Need item i not be begun?  Also notices cancel and deadline. */
	bool (*stopped)(void *arg, size_t i);
	/* Has anything failed, or been cancelled? */
	bool (*halted)(void *arg);
	/* `worker` is below `threads`, or `threads` itself: whoever drives far items. */
	zinc_status (*want)(void *arg, zinc_fetch_item *it, int worker, zinc_error *err);
	zinc_status (*take)(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err);
	/* It is over with this item. */
	void (*fail)(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err);
	/* The failure of an object that has more than it->bound bytes. */
	zinc_status (*too_long)(void *arg, const zinc_fetch_item *it, uint64_t nbytes, zinc_error *err);
	/* NULL, or: what would be asked for is only counted, and the size of the object is asked for instead. */
	void (*count)(void *arg, uint64_t requests, uint64_t ranges, uint64_t nbytes);
} zinc_fetch;

/* Run items 0 to n-1.  What fails is told to fail(), without memory too. */
void zinc_fetch_run(const zinc_fetch *f, size_t n);

/* ---- sending ---- */

/* One object that is to be put or deleted. */
typedef struct zinc_parcel {
	size_t i;
	size_t at; /* the planner's own */
	zinc_buf key;
	zinc_buf bytes;
	bool erase;
	zinc_when when; /* with a condition it is in no group: what became of it is known at once */
	zinc_tag tag;

	/* Inside. */
	uint64_t held;
	zinc_condition condition;
	struct iovec iov;
	struct zinc_parcel *next, *all;
} zinc_parcel;

typedef struct zinc_sending {
	zinc_context *ctx;
	zinc_store *store;
	uint32_t parallel; /* of its caps */
	int threads;       /* that make parcels */
	uint64_t in_flight;
	uint32_t put_flags;
	const zinc_wait *wait;

	void *arg;
	bool (*stopped)(void *arg, size_t i); /* as of zinc_fetch */
	bool (*halted)(void *arg);
	/* What became of a parcel; `err` has its key.  From any thread, several at once. */
	void (*done)(void *arg, const zinc_parcel *p, zinc_status st, zinc_error *err);
} zinc_sending;

typedef struct zinc_send zinc_send;

/* `how` is copied; its wait stays the caller's. */
zinc_status zinc_send_begin(zinc_send **out, const zinc_sending *how, zinc_error *err);
/* A parcel for object i that is going to have at most `nbytes` bytes, when there is room for them.  *out NULL: stopped. */
zinc_status zinc_send_take(zinc_send *x, size_t i, uint64_t nbytes, zinc_parcel **out, zinc_error *err);
/* Let it go out.  `bytes` (NULL: they are in the parcel) is emptied, or left as it is; others may write there. */
zinc_status zinc_send_give(zinc_send *x, zinc_parcel *p, zinc_buf *bytes, zinc_error *err);
/* It is not needed. */
void zinc_send_drop(zinc_send *x, zinc_parcel *p);
/* Wait until all that was given is done. */
void zinc_send_flush(zinc_send *x);
/* Flush, commit and free.  The status is that of the commit: what failed before was told. */
zinc_status zinc_send_end(zinc_send *x, zinc_error *err);

/* What a failed request says, as the caller's error. */
zinc_status zinc_got_fail(const zinc_got *got, zinc_error *err);

#endif
