/*
 * far.c - items of a remote store: one thread drives many requests, the others take what has arrived
 *
 *     driver   want want want ... | get: [======== many open ========] | want want ... | get: [====
 *                                         | done  | done
 *     queue                               v       v
 *     takers                              take ---- take ------- take ...          decoding overlaps transfer
 *
 * The driver is a thread of its own, besides those that the caller asked for, since its sockets must be drained while
 * elements are decoded.  Where no thread can be had, the caller drives and takes each item as it arrives.
 *
 * Items that want another round go into the next window.  Memory of items is used again, so that a thousand of them
 * cost as many allocations as are in flight.
 */
#include "fetch/fetch_inside.h"

#define WINDOW_ITEMS    4096u           /* of one get: waiting for the last few of them costs a hundredth */
#define WINDOW_REQUESTS 65536u          /* but one item may have more */
#define RECORD_BYTES    (32 * ZINC_MIB) /* of what is planned for items under way */
#define KEPT_RECORD     4096u           /* of an item that waits for its next use */
#define KEPT            64u             /* buffers that wait for the next item */

/* One request of a window. */
typedef struct sent {
	zinc_fetch_item *it;
	size_t k; /* of its requests */
} sent;

typedef struct far {
	const zinc_fetch *f;
	size_t n;
	size_t begun;       /* items that a window has had */
	bool alone;         /* nobody else takes */
	zinc_cancel cancel; /* of the get under way */
	zinc_buf gets;      /* requests of the window, and whose they are */
	zinc_buf whose;
	size_t nrequests;
	size_t base; /* what the sink calls 0 */
	size_t nwindow, room;

	pthread_mutex_t lock;          /* guards what follows */
	pthread_cond_t ready;          /* an item has arrived, or all is over */
	pthread_cond_t settled;        /* an item was taken */
	zinc_fetch_item *first, *last; /* arrived, in this order */
	zinc_fetch_item *again;        /* want another round */
	zinc_fetch_item *spare, *all;
	zinc_fetch_item **window; /* in the order of their requests; NULL: settled */
	size_t low;               /* nothing before it is left */
	size_t taking;            /* arrived and not yet settled */
	uint64_t records;         /* bytes that plans take */
	uint64_t held;            /* bytes for items */
	size_t nheld;             /* items that have some */
	zinc_buf kept[KEPT];
	size_t nkept;
	uint64_t kept_bytes;
	bool over;
} far;

/* ---- records ---- */

/* One more to use, if there is none; false: no memory. */
static bool
have_spare(far *x)
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

/* With the lock, so that it is never overlooked. */
static zinc_fetch_item *
use_spare(far *x, size_t i)
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

/* Its bytes are used up; with the lock.  Their memory is for the next item, unless too much is kept already. */
static void
let_go(far *x, zinc_fetch_item *it)
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

/* Memory that another item has left; with the lock.  Much more than is needed would be held and not counted. */
static void
use_kept(far *x, zinc_fetch_item *it, uint64_t need)
{
	if (x->nkept == 0)
		return;
	zinc_buf_fini(&it->own);
	it->own = x->kept[--x->nkept];
	x->kept_bytes -= it->own.cap;
	if (it->own.cap > need + need / 2)
		zinc_buf_fini(&it->own);
}

/* It is over with the item; with the lock. */
static void
retire(far *x, zinc_fetch_item *it)
{
	let_go(x, it);
	x->records -= it->records;
	it->records = 0;
	if (it->memory.cap > KEPT_RECORD)
		zinc_buf_fini(&it->memory);
	it->live = false;
	it->next = x->spare;
	x->spare = it;
}

/* ---- stopping ---- */

/* The lowest item that is not settled; with the lock. */
static size_t
lowest(const far *x)
{
	size_t i = x->begun < x->n ? x->begun : SIZE_MAX;
	const zinc_fetch_item *it;

	for (it = x->all; it; it = it->all)
		if (it->live && it->i < i)
			i = it->i;
	return i;
}

/* Let go of what is under way as soon as nothing of it can matter any more. */
static void
look_around(far *x)
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

/* Another round, or the end. */
static void
settle(far *x, zinc_fetch_item *it, bool again)
{
	pthread_mutex_lock(&x->lock);
	if (again) {
		let_go(x, it);
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
take(far *x, zinc_fetch_item *it, int worker, zinc_error *err)
{
	const zinc_fetch *f = x->f;
	zinc_status st = ZINC_OK;
	bool again = false;

	if (!f->stopped(f->arg, it->i))
		st = f->take(f->arg, it, worker, &again, err);
	if (st != ZINC_OK)
		f->fail(f->arg, it, st, err);
	settle(x, it, again && st == ZINC_OK);
	look_around(x);
}

/* All that was wanted is there. */
static void
arrive(far *x, zinc_fetch_item *it)
{
	zinc_error e = ZINC_ERROR_INIT;

	pthread_mutex_lock(&x->lock);
	x->taking++;
	if (!x->alone) {
		it->next = NULL;
		*(x->last ? &x->last->next : &x->first) = it;
		x->last = it;
		pthread_cond_signal(&x->ready);
	}
	pthread_mutex_unlock(&x->lock);
	if (x->alone)
		take(x, it, 0, &e);
}

/* The next that has arrived; NULL: there will be none.  Called and left with the lock held. */
static zinc_fetch_item *
next_arrived(far *x)
{
	zinc_fetch_item *it;

	while (!x->first && !x->over) {
		if (!zinc_fetch_cond_wait(&x->ready, &x->lock)) {
			pthread_mutex_unlock(&x->lock);
			look_around(x);
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

/* What one thread of the pool does: whatever there is, until all is over. */
static void
take_all(void *arg, size_t i, int worker)
{
	far *x = arg;
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
sent_of(const far *x, size_t i)
{
	return (const sent *)(const void *)x->whose.p + x->base + i;
}

/* Is it the first that is left of the window?  With the lock. */
static bool
is_first(far *x, const zinc_fetch_item *it)
{
	while (x->low < x->nwindow && !x->window[x->low])
		x->low++;
	return x->low < x->nwindow && x->window[x->low] == it;
}

/* Is there room for so many bytes more?  With the lock. */
static bool
may_hold(const far *x, uint64_t nbytes)
{
	return x->nheld < (size_t)x->f->threads || (x->held <= x->f->in_flight && nbytes <= x->f->in_flight - x->held);
}

static zinc_room
make_room(far *x, zinc_fetch_item *it, uint64_t nbytes)
{
	zinc_error e = ZINC_ERROR_INIT;
	const uint64_t need = zinc_fetch_round_bytes(it, nbytes);
	zinc_status st;
	bool may;

	if (zinc_fetch_round_too_long(x->f, it, nbytes))
		return ZINC_ROOM_FAIL;
	pthread_mutex_lock(&x->lock);
	may = may_hold(x, need) || is_first(x, it); /* a later one may hold all, and not be begun whole */
	if (may) {
		x->held += need;
		x->nheld++;
		it->held = need;
		it->roomed = true;
		use_kept(x, it, need);
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
far_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	far *x = arg;
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
far_done(void *arg, size_t i, const zinc_got *got)
{
	far *x = arg;
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
	look_around(x);
}

/* ---- windows ---- */

/* Not even its record could be had. */
static void
fail_item(far *x, size_t i)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_fetch_item it;

	zinc_fetch_item_init(&it, x->f->ctx, NULL, NULL);
	it.i = i;
	x->f->fail(x->f->arg, &it, zinc_fail_nomem(&e), &e);
	zinc_fetch_item_fini(&it);
}

/* May another item be planned?  With the lock.  What has arrived is waited for only where there is nothing to send. */
static bool
may_plan(far *x)
{
	while (x->records >= RECORD_BYTES && x->nwindow == 0 && x->taking > 0)
		pthread_cond_wait(&x->settled, &x->lock);
	return x->records < RECORD_BYTES || x->nwindow == 0;
}

/* What its plan takes, when that is made. */
static void
count_records(far *x, zinc_fetch_item *it)
{
	const uint64_t now = sizeof *it + it->key.cap + it->memory.cap;

	pthread_mutex_lock(&x->lock);
	x->records += now - it->records;
	it->records = now;
	pthread_mutex_unlock(&x->lock);
}

/* The next item of a window: one that wants another round, or a new one.  NULL: there is none now. */
static zinc_fetch_item *
next_item(far *x)
{
	const bool spare = have_spare(x);
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
drop(far *x, zinc_fetch_item *it)
{
	pthread_mutex_lock(&x->lock);
	retire(x, it);
	pthread_mutex_unlock(&x->lock);
}

static zinc_status
add_requests(far *x, zinc_fetch_item *it, zinc_error *err)
{
	const zinc_get *gets;
	size_t n, k;

	zinc_fetch_round_send(x->f, it, &gets, &n);
	if (n > WINDOW_REQUESTS) { /* it has the window to itself, nearly */
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

/* Ask the planner; what needs nothing has arrived already. */
static void
add_item(far *x, zinc_fetch_item *it)
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
	st = f->want(f->arg, it, x->alone ? 0 : f->threads, &e);
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
fill_window(far *x)
{
	zinc_fetch_item *it;

	x->gets.n = x->whose.n = 0;
	x->nwindow = x->nrequests = x->low = 0;
	while (x->nwindow < x->room && x->nrequests < WINDOW_REQUESTS && (it = next_item(x)))
		add_item(x, it);
	return x->nwindow > 0;
}

/* A get that fails as a whole has answered nobody: one of its keys may be to blame, or memory was short. */
static void
send_singly(far *x, const zinc_sink *sink, const zinc_wait *wait)
{
	const zinc_get *gets = (const zinc_get *)(const void *)x->gets.p;

	for (x->base = 0; x->base < x->nrequests; x->base++) {
		zinc_error e = ZINC_ERROR_INIT;
		const zinc_status st = zinc_store_get(x->f->store, &gets[x->base], 1, sink, wait, &e);
		const zinc_got got = {.size = sizeof got, .found = ZINC_FAILED, .status = st, .error = &e};

		if (st != ZINC_OK)
			far_done(x, 0, &got);
	}
}

static void
send(far *x)
{
	const zinc_sink sink = {.size = sizeof sink, .room = far_room, .done = far_done, .arg = x};
	const zinc_wait *own = x->f->wait;
	const zinc_wait wait = {sizeof wait, own ? own->until : 0, x->alone && own ? own->cancel : &x->cancel};
	const zinc_get *gets = (const zinc_get *)(const void *)x->gets.p;

	x->base = 0;
	if (zinc_store_get(x->f->store, gets, x->nrequests, &sink, &wait, NULL) != ZINC_OK)
		send_singly(x, &sink, &wait);
}

/* Nothing to send now: there may be when those that have arrived are taken.  True: all is over. */
static bool
rest(far *x)
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
	far *x = arg;

	do {
		while (fill_window(x))
			send(x);
	} while (!rest(x));
	return NULL;
}

/* ---- the run ---- */

static void
run(far *x)
{
	pthread_t driver;

	if (!zinc_fetch_thread(&driver, drive, x)) {
		x->alone = true; /* nobody looks around meanwhile: a failure is noticed between two windows */
		x->room = (size_t)zinc_min_u64(x->room, zinc_max_u64(1, x->f->caps->parallel));
		drive(x);
		return;
	}
	zinc_pool_run(x->f->ctx, x->f->threads, (size_t)x->f->threads, take_all, x);
	pthread_join(driver, NULL);
}

static void
far_fini(far *x)
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
zinc_fetch_far(const zinc_fetch *f, size_t n)
{
	far *x = zinc_calloc(f->ctx, 1, sizeof *x);

	if (!x)
		return false;
	x->f = f;
	x->n = n;
	x->room = n < WINDOW_ITEMS ? n : WINDOW_ITEMS;
	pthread_mutex_init(&x->lock, NULL);
	zinc_fetch_cond_init(&x->ready);
	pthread_cond_init(&x->settled, NULL);
	zinc_buf_init(&x->gets, f->ctx, zinc_max_many(2 * WINDOW_REQUESTS, sizeof(zinc_get)));
	zinc_buf_init(&x->whose, f->ctx, zinc_max_many(2 * WINDOW_REQUESTS, sizeof(sent)));
	x->window = zinc_calloc(f->ctx, x->room, sizeof *x->window);
	if (x->window)
		run(x);
	n = x->window != NULL;
	far_fini(x);
	return n;
}
