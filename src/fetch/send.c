/*
 * send.c - objects to a remote store: threads make parcels, one thread drives batched puts of those that are ready
 *
 *     threads   encode -- encode -- encode -- encode ...      each waits for room before it begins
 *                   | give    | give    | give
 *     ready         v         v         v
 *     driver    [ put_many: many open, more are added as they become ready ][ put_many ][ ...
 *
 * A put_many takes a window of parcels of one kind: puts or deletes, with conditions or in the one group of the sender.
 * A store that asks for more gets parcels that became ready meanwhile, until the window is full.  For other stores
 * these are the next window, so the first window may be short and later ones are the longer, the faster encoding is
 * than sending.
 *
 * If no thread can be created, the thread that gives a parcel drives.
 */
#include "fetch/fetch_inside.h"

#define WINDOW_ROUNDS 64u /* parcels of a window per open put; waiting for the last ones costs little */
#define WINDOW_MAX    4096u
#define LIVE_ROUNDS   16u /* parcels in use per open put */
#define KINDS         4

typedef struct queue {
	zinc_parcel *first, *last;
	size_t n;
} queue;

struct zinc_send {
	zinc_sending how;
	pthread_t driver;
	bool no_driver;          /* there is no driver */
	pthread_mutex_t driving; /* taken by the thread that drives then */
	zinc_put_group *group;
	size_t room;     /* parcels of a window */
	size_t max_live; /* parcels in use at the same time */
	int kind;        /* kind of the parcels in the window */
	zinc_put *puts;
	zinc_del *dels;
	size_t base; /* index in the window of done()'s 0 */

	pthread_mutex_t lock;   /* guards the members below */
	pthread_cond_t ready;   /* signalled when a parcel was given, or at the end */
	pthread_cond_t settled; /* signalled when a parcel is finished */
	queue given[KINDS];
	zinc_parcel **window; /* parcels being sent; NULL: done */
	size_t nwindow, nopen;
	zinc_cancel cancel; /* for the window */
	zinc_parcel *spare, *all;
	size_t live;   /* parcels in use */
	uint64_t held; /* bytes for them */
	uint64_t kept; /* bytes of unused ones */
	bool over;
};

/* ---- room ---- */

/* Parcels without bytes need memory, too. */
static bool
may_take(const zinc_send *x, uint64_t nbytes)
{
	const uint64_t most = x->how.in_flight;

	return x->live < (size_t)x->how.threads ||
	       (x->live < x->max_live && x->held <= most && nbytes <= most - x->held);
}

/* The bytes of a parcel are kept for the next one, unless too much is kept already.  Needs the lock. */
static void
retire(zinc_send *x, zinc_parcel *p)
{
	x->held -= p->held;
	p->held = 0;
	x->live--;
	if (x->held + x->kept + p->bytes.cap > x->how.in_flight)
		zinc_buf_fini(&p->bytes);
	x->kept += p->bytes.cap;
	p->next = x->spare;
	x->spare = p;
	pthread_cond_broadcast(&x->settled);
}

/* Needs the lock; NULL: out of memory. */
static zinc_parcel *
use_spare(zinc_send *x, size_t i, uint64_t nbytes)
{
	zinc_parcel *p = x->spare;

	if (p) {
		x->spare = p->next;
		x->kept -= p->bytes.cap;
	} else {
		p = zinc_calloc(x->how.ctx, 1, sizeof *p);
		if (!p)
			return NULL;
		zinc_buf_init(&p->key, x->how.ctx, 64 * ZINC_KIB);
		zinc_buf_init(&p->bytes, x->how.ctx, 0);
		p->all = x->all;
		x->all = p;
	}
	zinc_buf_end(&p->key, 0);
	zinc_buf_end(&p->bytes, 0);
	p->i = i;
	p->at = 0;
	p->erase = false;
	p->when = ZINC_ANY;
	p->tag.n = 0;
	p->held = nbytes;
	x->held += nbytes;
	x->live++;
	return p;
}

/* ---- stopping ---- */

/* Cancel the window as soon as its results cannot matter any more. */
static void
cancel_if_useless(zinc_send *x)
{
	const zinc_sending *h = &x->how;
	size_t k;

	if (!h->halted(h->arg))
		return;
	pthread_mutex_lock(&x->lock);
	for (k = 0; k < x->nwindow; k++)
		if (x->window[k] && !h->stopped(h->arg, x->window[k]->i))
			break;
	if (k == x->nwindow)
		zinc_cancel_set(&x->cancel);
	pthread_mutex_unlock(&x->lock);
}

/* Wait until a parcel is finished.  Needs the lock. */
static void
wait_settled(zinc_send *x)
{
	if (zinc_fetch_cond_wait(&x->settled, &x->lock))
		return;
	pthread_mutex_unlock(&x->lock);
	cancel_if_useless(x);
	pthread_mutex_lock(&x->lock);
}

/* ---- windows ---- */

static int
kind_of(const zinc_parcel *p)
{
	return (p->erase ? 2 : 0) + (p->when != ZINC_ANY ? 1 : 0);
}

static void
add_to_window(zinc_send *x, zinc_parcel *p)
{
	const size_t k = x->nwindow++;

	x->nopen++;
	x->window[k] = p;
	p->condition = (zinc_condition){p->when, p->when == ZINC_EQUALS ? &p->tag : NULL};
	p->iov = (struct iovec){p->bytes.p, p->bytes.n};
	if (p->erase)
		x->dels[k] = (zinc_del){.key = (const char *)p->key.p, .when = &p->condition};
	else
		x->puts[k] = (zinc_put){
		    .key = (const char *)p->key.p, .iov = &p->iov, .niov = p->bytes.n > 0, .when = &p->condition};
}

/* Add ready parcels in the order in which they were given; stopped ones end.  Needs the lock. */
static void
fill_window(zinc_send *x)
{
	const zinc_sending *h = &x->how;
	queue *q = &x->given[x->kind];

	while (x->nwindow < x->room && q->first) {
		zinc_parcel *p = q->first;

		q->first = p->next;
		q->n--;
		if (h->stopped(h->arg, p->i))
			retire(x, p);
		else
			add_to_window(x, p);
	}
}

/* Choose the kind with the most ready parcels. */
static void
begin_window(zinc_send *x)
{
	int k;

	for (k = 0; k < KINDS; k++)
		x->kind = x->given[k].n > x->given[x->kind].n ? k : x->kind;
	zinc_cancel_reset(&x->cancel);
	x->nwindow = 0;
	fill_window(x);
}

/* Called by the store when it could start another put. */
static size_t
more(void *arg)
{
	zinc_send *x = arg;
	size_t n;

	pthread_mutex_lock(&x->lock);
	if (!zinc_cancel_is(&x->cancel))
		fill_window(x);
	n = x->nwindow;
	pthread_mutex_unlock(&x->lock);
	return n;
}

/* Parcel k of the window is finished. */
static void
finish_parcel(zinc_send *x, size_t k)
{
	zinc_parcel *p = x->window[k];

	pthread_mutex_lock(&x->lock);
	x->window[k] = NULL;
	x->nopen--;
	retire(x, p);
	pthread_mutex_unlock(&x->lock);
}

static void
sent(void *arg, size_t k, const zinc_outcome *o)
{
	zinc_send *x = arg;
	zinc_parcel *p = x->window[x->base + k];
	zinc_error e = ZINC_ERROR_INIT;

	if (o->status != ZINC_OK && o->error)
		zinc_error_copy(&e, o->error);
	else if (o->status != ZINC_OK)
		zinc_fail(&e, o->status, "%s", zinc_status_text(o->status));
	zinc_error_at_key(&e, o->status, (const char *)p->key.p);
	x->how.done(x->how.arg, p, o->status, &e);
	finish_parcel(x, x->base + k);
	cancel_if_useless(x);
}

/* Put the window, or with `only` one parcel of it.  Without a driver only the caller's own cancel can end it. */
static zinc_status
call_store(zinc_send *x, size_t first, size_t n, bool only, zinc_error *err)
{
	const zinc_sending *h = &x->how;
	const zinc_done done = {
	    .size = sizeof done, .done = sent, .arg = x, .more = only || x->kind & 1 ? NULL : more, .room = x->room};
	const zinc_cancel *cancel = x->no_driver && h->wait ? h->wait->cancel : &x->cancel;
	const zinc_wait wait = {sizeof wait, h->wait ? h->wait->until : 0, cancel};
	zinc_put_group *group = x->kind & 1 ? NULL : x->group;

	x->base = first;
	if (x->kind & 2)
		return zinc_store_del_many(h->store, group, x->dels + first, n, &done, h->put_flags, &wait, err);
	return zinc_store_put_many(h->store, group, x->puts + first, n, &done, h->put_flags, &wait, err);
}

/* Send one by one what was not reported: all parcels of a call that failed as a whole, and those added last if the
 * store did not accept them.  One key may be invalid, or memory was short. */
static void
call_one_by_one(zinc_send *x)
{
	const zinc_sending *h = &x->how;
	size_t k;

	for (k = 0; k < x->nwindow; k++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_outcome o = {.size = sizeof o, .error = &e};

		if (!x->window[k])
			continue;
		if (h->stopped(h->arg, x->window[k]->i)) {
			finish_parcel(x, k);
			continue;
		}
		o.status = call_store(x, k, 1, true, &e);
		if (o.status != ZINC_OK)
			sent(x, 0, &o);
	}
}

static bool
any_given(const zinc_send *x)
{
	return x->given[0].n + x->given[1].n + x->given[2].n + x->given[3].n > 0;
}

/* Send all ready parcels, and those that become ready meanwhile.  Needs the lock. */
static void
send_ready(zinc_send *x)
{
	while (any_given(x)) {
		begin_window(x);
		pthread_mutex_unlock(&x->lock);
		if (x->nwindow > 0)
			(void)call_store(x, 0, x->nwindow, false, NULL);
		call_one_by_one(x);
		pthread_mutex_lock(&x->lock);
		x->nwindow = 0;
	}
}

static void *
drive(void *arg)
{
	zinc_send *x = arg;

	pthread_mutex_lock(&x->lock);
	for (;;) {
		send_ready(x);
		if (x->over)
			break;
		pthread_cond_wait(&x->ready, &x->lock);
	}
	pthread_mutex_unlock(&x->lock);
	return NULL;
}

/* ---- parcels ---- */

zinc_status
zinc_parcel_new(zinc_send *x, size_t i, uint64_t nbytes, zinc_parcel **out, zinc_error *err)
{
	const zinc_sending *h = &x->how;
	bool stopped;

	*out = NULL;
	pthread_mutex_lock(&x->lock);
	while (!(stopped = h->stopped(h->arg, i)) && !may_take(x, nbytes))
		wait_settled(x);
	if (!stopped)
		*out = use_spare(x, i, nbytes);
	pthread_mutex_unlock(&x->lock);
	return stopped || *out ? ZINC_OK : zinc_fail_nomem(err);
}

void
zinc_parcel_drop(zinc_send *x, zinc_parcel *p)
{
	pthread_mutex_lock(&x->lock);
	retire(x, p);
	pthread_mutex_unlock(&x->lock);
}

/* A buffer that is mostly full is taken over; copying a mostly empty one is cheaper than keeping its memory. */
static zinc_status
take_bytes(zinc_parcel *p, zinc_buf *from, zinc_error *err)
{
	zinc_buf was = p->bytes;

	if (from->n < from->cap / 2 || from->borrowed) {
		zinc_buf_fini(&p->bytes);
		p->bytes.max = from->n;
		ZINC_TRY(zinc_buf_reset(&p->bytes, from->n, err));
		return zinc_buf_add(&p->bytes, from->p, from->n, err);
	}
	p->bytes.p = from->p;
	p->bytes.n = from->n;
	p->bytes.cap = from->cap;
	from->p = was.p;
	from->n = 0;
	from->cap = was.cap;
	return ZINC_OK;
}

static void
enqueue(zinc_send *x, zinc_parcel *p)
{
	queue *q = &x->given[kind_of(p)];

	x->held += p->bytes.cap - p->held;
	p->held = p->bytes.cap;
	p->next = NULL;
	*(q->first ? &q->last->next : &q->first) = p;
	q->last = p;
	q->n++;
}

zinc_status
zinc_parcel_send(zinc_send *x, zinc_parcel *p, zinc_buf *bytes, zinc_error *err)
{
	const zinc_status st = bytes && !p->erase ? take_bytes(p, bytes, err) : ZINC_OK;

	if (st != ZINC_OK) {
		zinc_parcel_drop(x, p);
		return st;
	}
	if (x->no_driver)
		pthread_mutex_lock(&x->driving);
	pthread_mutex_lock(&x->lock);
	enqueue(x, p);
	pthread_cond_broadcast(&x->settled); /* it may hold less memory now than it had reserved */
	if (x->no_driver)
		send_ready(x);
	else
		pthread_cond_signal(&x->ready);
	pthread_mutex_unlock(&x->lock);
	if (x->no_driver)
		pthread_mutex_unlock(&x->driving);
	return ZINC_OK;
}

/* ---- the sender ---- */

static void
send_free(zinc_send *x)
{
	zinc_context *ctx = x->how.ctx;
	zinc_parcel *p, *next;

	for (p = x->all; p; p = next) {
		next = p->all;
		zinc_buf_fini(&p->key);
		zinc_buf_fini(&p->bytes);
		zinc_free(ctx, p);
	}
	zinc_free(ctx, x->window);
	zinc_free(ctx, x->puts);
	zinc_free(ctx, x->dels);
	pthread_cond_destroy(&x->ready);
	pthread_cond_destroy(&x->settled);
	pthread_mutex_destroy(&x->driving);
	pthread_mutex_destroy(&x->lock);
	zinc_free(ctx, x);
}

zinc_status
zinc_send_begin(zinc_send **out, const zinc_sending *how, zinc_error *err)
{
	zinc_send *x = zinc_calloc(how->ctx, 1, sizeof *x);
	const uint64_t open = zinc_max_u64(how->parallel, (uint64_t)how->threads);
	zinc_status st;

	if (!x)
		return zinc_fail_nomem(err);
	x->how = *how;
	x->room = (size_t)zinc_min_u64(WINDOW_ROUNDS * open, WINDOW_MAX);
	x->max_live = (size_t)zinc_min_u64(LIVE_ROUNDS * open, WINDOW_MAX);
	pthread_mutex_init(&x->lock, NULL);
	pthread_mutex_init(&x->driving, NULL);
	pthread_cond_init(&x->ready, NULL);
	zinc_wait_cond_init(&x->settled);
	x->window = zinc_calloc(how->ctx, x->room, sizeof *x->window);
	x->puts = zinc_calloc(how->ctx, x->room, sizeof *x->puts);
	x->dels = zinc_calloc(how->ctx, x->room, sizeof *x->dels);
	st = x->window && x->puts && x->dels ? ZINC_OK : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_store_put_begin(how->store, &x->group, how->put_flags, how->wait, err);
	if (st != ZINC_OK) {
		send_free(x);
		return st;
	}
	x->no_driver = !zinc_thread_start(&x->driver, drive, x);
	*out = x;
	return ZINC_OK;
}

void
zinc_send_flush(zinc_send *x)
{
	pthread_mutex_lock(&x->lock);
	while (any_given(x) || x->nopen > 0)
		wait_settled(x);
	pthread_mutex_unlock(&x->lock);
}

/* What was put before a failure is made durable, as in any write. */
zinc_status
zinc_send_end(zinc_send *x, zinc_error *err)
{
	zinc_status st;

	zinc_send_flush(x);
	pthread_mutex_lock(&x->lock);
	x->over = true;
	pthread_cond_signal(&x->ready);
	pthread_mutex_unlock(&x->lock);
	if (!x->no_driver)
		pthread_join(x->driver, NULL);
	st = zinc_store_commit(x->how.store, x->group, NULL, NULL, x->how.wait, err);
	send_free(x);
	return st;
}
