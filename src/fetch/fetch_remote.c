/*
 * fetch_remote.c - items of a remote store: one thread drives many requests, the others process what has arrived
 *
 *     driver   want want want ... | get: [======== many open ========] | want want ... | get: [====
 *                                         | done  | done
 *     queue                               v       v
 *     takers                              take ---- take ------- take ...          decoding overlaps transfer
 *
 * The driver is an extra thread, because its sockets must be read while elements are decoded.  If no thread can be
 * created, the caller drives and takes each item as it arrives.
 *
 * Items that need another round go into the next window.  Memory of items is reused, so that the number of allocations
 * is that of the items in flight.
 */
#include "fetch/fetch_inside.h"

#define WINDOW_ITEMS    4096u           /* items of one get; waiting for the last few of them costs about 1 % */
#define WINDOW_REQUESTS 65536u          /* requests of one get, unless a single item has more */
#define RECORD_BYTES    (32 * ZINC_MIB) /* bytes for the plans of unfinished items */
#define KEPT_RECORD     4096u           /* bytes of a plan that an unused item may keep */
#define KEPT            64u             /* unused buffers that are kept for later items */

/* One request of a window. */
typedef struct sent {
	zinc_fetch_item *it;
	size_t k; /* index in the item's requests */
} sent;

typedef struct remote_run {
	const zinc_fetch *f;
	size_t n;
	size_t begun;       /* items that were put into a window */
	bool no_takers;     /* the driver also takes */
	zinc_cancel cancel; /* for the current get */
	zinc_buf gets;      /* requests of the window, and their items */
	zinc_buf whose;
	size_t nrequests;
	size_t base; /* index in `gets` of the sink's request 0 */
	size_t nwindow, room;

	pthread_mutex_t lock;          /* guards the members below */
	pthread_cond_t ready;          /* signalled when an item has arrived, or at the end */
	pthread_cond_t settled;        /* signalled when an item was taken */
	zinc_fetch_item *first, *last; /* arrived items, in this order */
	zinc_fetch_item *again;        /* items that need another round */
	zinc_fetch_item *spare, *all;
	zinc_fetch_item **window; /* in the order of their requests; NULL: finished */
	size_t low;               /* all items before it are finished */
	size_t taking;            /* arrived and not yet finished */
	uint64_t records;         /* bytes used by plans */
	uint64_t held;            /* bytes allocated for items */
	size_t nheld;             /* items that have some */
	zinc_buf kept[KEPT];
	size_t nkept;
	uint64_t kept_bytes;
	bool over;
} remote_run;

/* ---- records ---- */

/* Make an unused item if there is none; false: out of memory. */
static bool
ensure_spare(remote_run *x)
{
	zinc_fetch_item *it;

	pthread_mutex_lock(&x->lock);
	it = x->spare;
	pthread_mutex_unlock(&x->lock);
	if (it)
		return true;
	it = zinc_alloc(x->f->ctx, sizeof *it);
	if (!it)
		return false;
	zinc_fetch_item_init(it, x->f->ctx, NULL, NULL);
	pthread_mutex_lock(&x->lock);
	it->all = x->all;
	x->all = it;
	it->next = x->spare;
	x->spare = it;
	pthread_mutex_unlock(&x->lock);
	return true;
}

/* The caller holds the lock, so that lowest() never misses the item. */
static zinc_fetch_item *
use_spare(remote_run *x, size_t i)
{
	zinc_fetch_item *it = x->spare;

	x->spare = it->next;
	it->i = i;
	it->round = 0;
	it->how = 0;
	it->at = 0;
	it->tag.n = 0;
	it->live = true;
	return it;
}

/* The bytes of an item are no longer needed.  Their memory is kept for the next item, unless too much is kept already.
 * Needs the lock. */
static void
free_bytes(remote_run *x, zinc_fetch_item *it)
{
	if (x->window[it->place] == it)
		x->window[it->place] = NULL;
	if (!it->roomed)
		return;
	x->held -= it->held;
	x->nheld--;
	it->held = 0;
	it->roomed = false;
	if (x->nkept < KEPT && x->held + x->kept_bytes + it->own.cap <= x->f->in_flight) {
		x->kept_bytes += it->own.cap;
		x->kept[x->nkept++] = it->own;
		zinc_buf_init(&it->own, x->f->ctx, zinc_max_chunk(x->f->ctx));
	} else {
		zinc_buf_fini(&it->own);
	}
}

/* Reuse memory of another item.  A buffer that is much too large is not used: the excess would not be counted.  Needs
 * the lock. */
static void
reuse_bytes(remote_run *x, zinc_fetch_item *it, uint64_t need)
{
	if (x->nkept == 0)
		return;
	zinc_buf_fini(&it->own);
	it->own = x->kept[--x->nkept];
	x->kept_bytes -= it->own.cap;
	if (it->own.cap > need + need / 2)
		zinc_buf_fini(&it->own);
}

/* The item is finished.  Needs the lock. */
static void
retire(remote_run *x, zinc_fetch_item *it)
{
	free_bytes(x, it);
	x->records -= it->records;
	it->records = 0;
	if (it->memory.cap > KEPT_RECORD)
		zinc_buf_fini(&it->memory);
	it->live = false;
	it->next = x->spare;
	x->spare = it;
}

/* ---- stopping ---- */

/* The lowest item that is not finished.  Needs the lock. */
static size_t
lowest(const remote_run *x)
{
	size_t i = x->begun < x->n ? x->begun : SIZE_MAX;
	const zinc_fetch_item *it;

	for (it = x->all; it; it = it->all)
		if (it->live && it->i < i)
			i = it->i;
	return i;
}

/* Cancel the current get as soon as its results cannot matter any more. */
static void
cancel_if_useless(remote_run *x)
{
	const zinc_fetch *f = x->f;
	size_t i;

	if (zinc_cancel_is(&x->cancel) || !f->halted(f->arg))
		return;
	pthread_mutex_lock(&x->lock);
	i = lowest(x);
	pthread_mutex_unlock(&x->lock);
	if (i == SIZE_MAX || f->stopped(f->arg, i))
		zinc_cancel_set(&x->cancel);
}

/* ---- taking ---- */

/* Another round, or the end of the item. */
static void
finish_round(remote_run *x, zinc_fetch_item *it, bool again)
{
	pthread_mutex_lock(&x->lock);
	if (again) {
		free_bytes(x, it);
		it->round++;
		it->next = x->again;
		x->again = it;
	} else {
		retire(x, it);
	}
	x->taking--;
	pthread_cond_signal(&x->settled);
	pthread_mutex_unlock(&x->lock);
}

static void
take(remote_run *x, zinc_fetch_item *it, int worker, zinc_error *err)
{
	const zinc_fetch *f = x->f;
	zinc_status st = ZINC_OK;
	bool again = false;

	if (!f->stopped(f->arg, it->i))
		st = f->take(f->arg, it, worker, &again, err);
	if (st != ZINC_OK)
		f->fail(f->arg, it, st, err);
	finish_round(x, it, again && st == ZINC_OK);
	cancel_if_useless(x);
}

/* All requested bytes have arrived. */
static void
arrive(remote_run *x, zinc_fetch_item *it)
{
	zinc_error e = ZINC_ERROR_INIT;

	pthread_mutex_lock(&x->lock);
	x->taking++;
	if (!x->no_takers) {
		it->next = NULL;
		*(x->last ? &x->last->next : &x->first) = it;
		x->last = it;
		pthread_cond_signal(&x->ready);
	}
	pthread_mutex_unlock(&x->lock);
	if (x->no_takers)
		take(x, it, 0, &e);
}

/* The next arrived item; NULL: there will be none.  The lock is held on entry and on return. */
static zinc_fetch_item *
next_arrived(remote_run *x)
{
	zinc_fetch_item *it;

	while (!x->first && !x->over) {
		if (!zinc_fetch_cond_wait(&x->ready, &x->lock)) {
			pthread_mutex_unlock(&x->lock);
			cancel_if_useless(x);
			pthread_mutex_lock(&x->lock);
		}
	}
	it = x->first;
	if (it) {
		x->first = it->next;
		x->last = x->first ? x->last : NULL;
	}
	return it;
}

/* Run by a thread of the pool: take items until the end. */
static void
take_all(void *arg, size_t i, int worker)
{
	remote_run *x = arg;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_fetch_item *it;

	(void)i;
	pthread_mutex_lock(&x->lock);
	while ((it = next_arrived(x))) {
		pthread_mutex_unlock(&x->lock);
		take(x, it, worker, &e);
		pthread_mutex_lock(&x->lock);
	}
	pthread_mutex_unlock(&x->lock);
}

/* ---- answers ---- */

static const sent *
sent_of(const remote_run *x, size_t i)
{
	return (const sent *)(const void *)x->whose.p + x->base + i;
}

/* Is it the first unfinished item of the window?  Needs the lock. */
static bool
is_first(remote_run *x, const zinc_fetch_item *it)
{
	while (x->low < x->nwindow && !x->window[x->low])
		x->low++;
	return x->low < x->nwindow && x->window[x->low] == it;
}

/* Is there room for this many more bytes?  Needs the lock. */
static bool
has_room(const remote_run *x, uint64_t nbytes)
{
	return x->nheld < (size_t)x->f->threads || (x->held <= x->f->in_flight && nbytes <= x->f->in_flight - x->held);
}

static zinc_room
make_room(remote_run *x, zinc_fetch_item *it, uint64_t nbytes)
{
	zinc_error e = ZINC_ERROR_INIT;
	const uint64_t need = zinc_fetch_round_bytes(it, nbytes);
	zinc_status st;
	bool may;

	if (zinc_fetch_round_too_long(x->f, it, nbytes))
		return ZINC_ROOM_FAIL;
	pthread_mutex_lock(&x->lock);
	may = has_room(x, need) || is_first(x, it); /* later items may hold all the room and not be complete */
	if (may) {
		x->held += need;
		x->nheld++;
		it->held = need;
		it->roomed = true;
		reuse_bytes(x, it, need);
	}
	pthread_mutex_unlock(&x->lock);
	if (!may)
		return ZINC_ROOM_NOT_NOW;
	it->bytes->max = (size_t)(need + need / 2);
	st = zinc_buf_reset(it->bytes, (size_t)need, &e);
	if (st != ZINC_OK)
		zinc_fetch_round_fail(x->f, it, st, &e);
	return st == ZINC_OK ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

static zinc_room
remote_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	remote_run *x = arg;
	const sent *s = sent_of(x, i);
	zinc_room room = ZINC_ROOM_OK;

	pthread_mutex_lock(&s->it->lock);
	if (s->it->failed)
		room = ZINC_ROOM_FAIL;
	else if (!s->it->roomed)
		room = make_room(x, s->it, nbytes);
	if (room == ZINC_ROOM_OK)
		*buf = zinc_fetch_round_place(s->it, s->k);
	pthread_mutex_unlock(&s->it->lock);
	return room;
}

static void
remote_done(void *arg, size_t i, const zinc_got *got)
{
	remote_run *x = arg;
	zinc_fetch_item *it = sent_of(x, i)->it;

	if (!zinc_fetch_round_done(x->f, it, got))
		return;
	if (!it->failed) {
		zinc_fetch_round_end(x->f, it);
		arrive(x, it);
		return;
	}
	pthread_mutex_lock(&x->lock);
	retire(x, it);
	pthread_mutex_unlock(&x->lock);
	cancel_if_useless(x);
}

/* ---- windows ---- */

/* There is no memory for the item itself. */
static void
fail_item(remote_run *x, size_t i)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_fetch_item it;

	zinc_fetch_item_init(&it, x->f->ctx, NULL, NULL);
	it.i = i;
	x->f->fail(x->f->arg, &it, zinc_fail_nomem(&e), &e);
	zinc_fetch_item_fini(&it);
}

/* May another item be planned?  Arrived items are waited for only if there is nothing to send.  Needs the lock. */
static bool
may_plan(remote_run *x)
{
	while (x->records >= RECORD_BYTES && x->nwindow == 0 && x->taking > 0)
		pthread_cond_wait(&x->settled, &x->lock);
	return x->records < RECORD_BYTES || x->nwindow == 0;
}

/* Count the memory of the item's plan. */
static void
count_records(remote_run *x, zinc_fetch_item *it)
{
	const uint64_t now = sizeof *it + it->key.cap + it->memory.cap;

	pthread_mutex_lock(&x->lock);
	x->records += now - it->records;
	it->records = now;
	pthread_mutex_unlock(&x->lock);
}

/* The next item of a window: one that needs another round, or a new one.  NULL: none now. */
static zinc_fetch_item *
next_item(remote_run *x)
{
	const bool spare = ensure_spare(x);
	zinc_fetch_item *it;
	size_t i = SIZE_MAX;
	bool may;

	pthread_mutex_lock(&x->lock);
	may = may_plan(x);
	it = may ? x->again : NULL;
	if (it) {
		x->again = it->next;
	} else if (may && x->begun < x->n) {
		i = x->begun++;
		it = spare ? use_spare(x, i) : NULL;
	}
	pthread_mutex_unlock(&x->lock);
	if (!it && i != SIZE_MAX)
		fail_item(x, i);
	return it;
}

static void
drop(remote_run *x, zinc_fetch_item *it)
{
	pthread_mutex_lock(&x->lock);
	retire(x, it);
	pthread_mutex_unlock(&x->lock);
}

static zinc_status
add_requests(remote_run *x, zinc_fetch_item *it, zinc_error *err)
{
	const zinc_get *gets;
	size_t n, k;

	zinc_fetch_round_send(x->f, it, &gets, &n);
	if (n > WINDOW_REQUESTS) { /* it gets a window almost for itself */
		x->gets.max = zinc_max_many(WINDOW_REQUESTS + n, sizeof *gets);
		x->whose.max = zinc_max_many(WINDOW_REQUESTS + n, sizeof(sent));
	}
	ZINC_TRY(zinc_buf_add(&x->gets, gets, n * sizeof *gets, err));
	for (k = 0; k < n; k++) {
		const sent s = {it, k};

		ZINC_TRY(zinc_buf_add(&x->whose, &s, sizeof s, err));
	}
	x->nrequests += n;
	pthread_mutex_lock(&x->lock);
	it->place = x->nwindow;
	x->window[x->nwindow++] = it;
	pthread_mutex_unlock(&x->lock);
	return ZINC_OK;
}

/* Call want(); an item that needs no bytes has arrived already. */
static void
add_item(remote_run *x, zinc_fetch_item *it)
{
	const zinc_fetch *f = x->f;
	const size_t ngets = x->gets.n, nwhose = x->whose.n;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	zinc_fetch_round_init(it);
	if (f->stopped(f->arg, it->i)) {
		drop(x, it);
		return;
	}
	st = f->want(f->arg, it, x->no_takers ? 0 : f->threads, &e);
	count_records(x, it);
	if (st == ZINC_OK && it->n > 0) {
		st = add_requests(x, it, &e);
		if (st != ZINC_OK) {
			x->gets.n = ngets;
			x->whose.n = nwhose;
		}
	} else if (st == ZINC_OK) {
		zinc_fetch_round_end(f, it);
		arrive(x, it);
		return;
	}
	if (st == ZINC_OK)
		return;
	f->fail(f->arg, it, st, &e);
	drop(x, it);
}

/* False: there is nothing to send. */
static bool
fill_window(remote_run *x)
{
	zinc_fetch_item *it;

	x->gets.n = x->whose.n = 0;
	x->nwindow = x->nrequests = x->low = 0;
	while (x->nwindow < x->room && x->nrequests < WINDOW_REQUESTS && (it = next_item(x)))
		add_item(x, it);
	return x->nwindow > 0;
}

/* A get that fails as a whole has answered no request: one key may be invalid, or memory was short.  Send the requests
 * one by one. */
static void
send_one_by_one(remote_run *x, const zinc_sink *sink, const zinc_wait *wait)
{
	const zinc_get *gets = (const zinc_get *)(const void *)x->gets.p;

	for (x->base = 0; x->base < x->nrequests; x->base++) {
		zinc_error e = ZINC_ERROR_INIT;
		const zinc_status st = zinc_store_get(x->f->store, &gets[x->base], 1, sink, wait, &e);
		const zinc_got got = {.size = sizeof got, .found = ZINC_FAILED, .status = st, .error = &e};

		if (st != ZINC_OK)
			remote_done(x, 0, &got);
	}
}

static void
send(remote_run *x)
{
	const zinc_sink sink = {.size = sizeof sink, .room = remote_room, .done = remote_done, .arg = x};
	const zinc_wait *own = x->f->wait;
	const zinc_wait wait = {sizeof wait, own ? own->until : 0, x->no_takers && own ? own->cancel : &x->cancel};
	const zinc_get *gets = (const zinc_get *)(const void *)x->gets.p;

	x->base = 0;
	if (zinc_store_get(x->f->store, gets, x->nrequests, &sink, &wait, NULL) != ZINC_OK)
		send_one_by_one(x, &sink, &wait);
}

/* There is nothing to send until arrived items are taken.  True: all items are finished. */
static bool
wait_for_takers(remote_run *x)
{
	bool over;

	pthread_mutex_lock(&x->lock);
	while (!x->again && x->begun == x->n && x->taking > 0)
		pthread_cond_wait(&x->settled, &x->lock);
	over = !x->again && x->begun == x->n;
	if (over) {
		x->over = true;
		pthread_cond_broadcast(&x->ready);
	}
	pthread_mutex_unlock(&x->lock);
	return over;
}

static void *
drive(void *arg)
{
	remote_run *x = arg;

	do {
		while (fill_window(x))
			send(x);
	} while (!wait_for_takers(x));
	return NULL;
}

/* ---- the run ---- */

static void
run(remote_run *x)
{
	pthread_t driver;

	if (!zinc_thread_start(&driver, drive, x)) {
		x->no_takers = true; /* failures are noticed only between two windows */
		x->room = (size_t)zinc_min_u64(x->room, zinc_max_u64(1, x->f->caps->parallel));
		drive(x);
		return;
	}
	zinc_pool_run(x->f->ctx, x->f->threads, (size_t)x->f->threads, take_all, x);
	pthread_join(driver, NULL);
}

static void
remote_fini(remote_run *x)
{
	zinc_fetch_item *it, *next;
	size_t k;

	for (it = x->all; it; it = next) {
		next = it->all;
		zinc_fetch_item_fini(it);
		zinc_free(x->f->ctx, it);
	}
	for (k = 0; k < x->nkept; k++)
		zinc_buf_fini(&x->kept[k]);
	zinc_buf_fini(&x->gets);
	zinc_buf_fini(&x->whose);
	zinc_free(x->f->ctx, x->window);
	pthread_cond_destroy(&x->ready);
	pthread_cond_destroy(&x->settled);
	pthread_mutex_destroy(&x->lock);
	zinc_free(x->f->ctx, x);
}

bool
zinc_fetch_remote(const zinc_fetch *f, size_t n)
{
	remote_run *x = zinc_calloc(f->ctx, 1, sizeof *x);

	if (!x)
		return false;
	x->f = f;
	x->n = n;
	x->room = n < WINDOW_ITEMS ? n : WINDOW_ITEMS;
	pthread_mutex_init(&x->lock, NULL);
	zinc_wait_cond_init(&x->ready);
	pthread_cond_init(&x->settled, NULL);
	zinc_buf_init(&x->gets, f->ctx, zinc_max_many(2 * WINDOW_REQUESTS, sizeof(zinc_get)));
	zinc_buf_init(&x->whose, f->ctx, zinc_max_many(2 * WINDOW_REQUESTS, sizeof(sent)));
	x->window = zinc_calloc(f->ctx, x->room, sizeof *x->window);
	if (x->window)
		run(x);
	n = x->window != NULL;
	remote_fini(x);
	return n;
}
