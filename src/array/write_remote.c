/*
 * write_remote.c - write a selection to a remote store: many objects in flight at once
 *
 * Whole objects are encoded by the threads of the call and sent by a sender of the room `fetch`.  Objects that change
 * in part are fetched together, changed as they arrive, and put on condition that they were not changed meanwhile.
 * Those that were are fetched again, with as many attempts as an update of one key has:
 *
 *     get  k1 k2 k3 ...                     get  k2 ...
 *       change -> put if unchanged  ->  lost: k2    change -> put if unchanged  ->  lost: none
 *
 * A store that refuses to erase an object on condition gets its fill values in the next attempt.
 *
 * If the store excludes other writers itself (ZINC_CAP_UPDATE), or has no conditions, each thread changes one object
 * at a time.
 */
#include "array/engine.h"

/* An object that changes in part. */
typedef struct part {
	size_t i;   /* in the plan */
	bool whole; /* the stored object is too large for a chunk: replace it without reading */
} part;

typedef struct remote_write {
	zinc_job *j;
	zinc_send *send;
	bool batches;       /* parts are fetched and sent in batches */
	bool conditions;    /* and put on condition of their tag */
	uint64_t in_flight; /* limit for bytes being sent; the same limit applies to old bytes */
	uint64_t share;     /* part of in_flight for one object whose size has no bound */
	int threads;        /* that change parts: in_flight allows this many of the largest object */
	int tries;
	part *parts; /* of this attempt */
	size_t nparts;
	pthread_mutex_t lock;
	part *lost; /* to be tried again */
	size_t nlost;
} remote_write;

/* ---- callbacks of the sender ---- */

static bool
stopped(void *arg, size_t i)
{
	return zinc_call_stopped(((const remote_write *)arg)->j->c, i);
}

static bool
halted(void *arg)
{
	return zinc_call_halted(((const remote_write *)arg)->j->c);
}

static void
try_again(remote_write *x, size_t i, bool whole)
{
	pthread_mutex_lock(&x->lock);
	x->lost[x->nlost++] = (part){i, whole};
	pthread_mutex_unlock(&x->lock);
}

static void
done(void *arg, const zinc_parcel *p, zinc_status st, zinc_error *err)
{
	remote_write *x = arg;
	const bool lost = p->when != ZINC_ANY && (st == ZINC_E_CONFLICT || st == ZINC_E_EXISTS);
	zinc_object o;

	if (st == ZINC_E_UNSUPPORTED && p->erase && p->when != ZINC_ANY && x->tries + 1 < ZINC_UPDATE_TRIES) {
		atomic_store(&x->j->c->no_erase, true);
		try_again(x, p->i, false);
		return;
	}
	if (lost && x->tries + 1 < ZINC_UPDATE_TRIES) {
		try_again(x, p->i, false);
		return;
	}
	if (st == ZINC_E_UNCERTAIN || st == ZINC_E_CANCELLED) /* report a passed deadline instead, if there is one */
		(void)zinc_call_stopped(x->j->c, 0);
	if (lost) {
		st =
		    zinc_fail(err, ZINC_E_CONFLICT,
			      "other writers changed the key %d times during the update; try again", ZINC_UPDATE_TRIES);
		zinc_error_at_key(err, st, (const char *)p->key.p);
	}
	zinc_plan_object(x->j->p, p->i, &o);
	zinc_write_record(x->j, &o, st, err);
}

/* ---- whole objects ---- */

/* The maximum encoded size of an object.  For elements of variable length there is no bound; each object counts as
 * x->share until it is encoded. */
static uint64_t
bound_of(const remote_write *x, const zinc_object *o)
{
	const zinc_meta *m = x->j->p->m;
	const uint64_t limit = zinc_object_limit(m, x->j->c->ctx, o->extent);

	return m->dtype->variable ? zinc_min_u64(limit, x->share) : limit;
}

static zinc_status
take_parcel(remote_write *x, const zinc_object *o, zinc_parcel **p, zinc_error *err)
{
	zinc_status st;

	ZINC_TRY(zinc_parcel_new(x->send, (size_t)o->number, bound_of(x, o), p, err));
	if (!*p)
		return ZINC_OK;
	st = zinc_chunk_key(x->j->c->h, x->j->c->a->path, x->j->c->m, o->index, &(*p)->key, err);
	if (st == ZINC_OK && !zinc_buf_text(&(*p)->key))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		return ZINC_OK;
	zinc_parcel_drop(x->send, *p);
	*p = NULL;
	return st;
}

static zinc_status
send_whole(remote_write *x, const zinc_object *o, zinc_worker *w, zinc_error *err)
{
	zinc_parcel *p = NULL;
	zinc_status st;

	ZINC_TRY(take_parcel(x, o, &p, err));
	if (!p)
		return ZINC_OK;
	st = zinc_write_encode(x->j, w, o, err);
	if (st != ZINC_OK) {
		zinc_error_at_key(err, st, (const char *)p->key.p);
		zinc_parcel_drop(x->send, p);
		return st;
	}
	p->erase = w->erase;
	return zinc_parcel_send(x->send, p, &w->s->fetch, err);
}

/* Send whole objects; collect parts for later, if they are sent in batches. */
static void
write_item(void *arg, size_t i, int worker)
{
	remote_write *x = arg;
	zinc_worker *w = &x->j->c->workers[worker];
	zinc_object o;
	zinc_status st;

	if (zinc_call_stopped(x->j->c, i))
		return;
	zinc_plan_object(x->j->p, i, &o);
	if (zinc_write_is_whole(x->j, &o)) {
		st = send_whole(x, &o, w, &w->err);
		if (st != ZINC_OK)
			zinc_write_record(x->j, &o, st, &w->err);
	} else if (!x->batches) {
		zinc_write_item(x->j, &o, worker);
	} else {
		pthread_mutex_lock(&x->lock);
		x->parts[x->nparts++] = (part){i, false};
		pthread_mutex_unlock(&x->lock);
	}
}

/* ---- parts ---- */

static bool
part_stopped(void *arg, size_t i)
{
	const remote_write *x = arg;

	return zinc_call_stopped(x->j->c, x->parts[i].i);
}

static zinc_status
want_part(void *arg, zinc_fetch_item *it, int worker, zinc_error *err)
{
	const remote_write *x = arg;
	const part *t = &x->parts[it->i];
	zinc_object o;

	(void)worker;
	zinc_plan_object(x->j->p, t->i, &o);
	ZINC_TRY(zinc_call_item_key(x->j->c, it, o.index, err));
	it->bound = zinc_object_limit(x->j->p->m, x->j->c->ctx, o.extent);
	if (!t->whole)
		zinc_fetch_want(it, (zinc_get){.length = ZINC_TO_END});
	return ZINC_OK;
}

static zinc_status
too_long(void *arg, const zinc_fetch_item *it, uint64_t nbytes, zinc_error *err)
{
	(void)arg;
	return zinc_fail(err, ZINC_E_LIMIT, "the value has %llu bytes, but the limit is %llu",
			 (unsigned long long)nbytes, (unsigned long long)it->bound);
}

/* Change the object and send the result. */
static zinc_status
send_changed(remote_write *x, const zinc_object *o, zinc_worker *w, const zinc_fetch_item *it, zinc_parcel *p,
	     zinc_error *err)
{
	const zinc_bytes old = {it->bytes->p, it->bytes->n};
	const bool found = it->found == ZINC_FOUND;
	zinc_update to = {.size = sizeof to};
	zinc_status st = ZINC_OK;

	if (found && x->conditions)
		st = zinc_tag_needed(&it->tag, err);
	if (st == ZINC_OK)
		st = zinc_write_change(x->j, w, o, found ? &old : NULL, &p->bytes, &to, err);
	if (st != ZINC_OK || to.keep || (to.erase && !found)) {
		zinc_parcel_drop(x->send, p);
		if (st == ZINC_OK)
			zinc_write_record(x->j, o, ZINC_OK, NULL);
		return st;
	}
	p->erase = to.erase != 0;
	if (x->conditions) {
		p->when = found ? ZINC_EQUALS : ZINC_ABSENT;
		p->tag = it->tag;
	}
	return zinc_parcel_send(x->send, p, x->j->p->units_are_objects ? &w->s->fetch : NULL, err);
}

static zinc_status
take_part(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	remote_write *x = arg;
	const part *t = &x->parts[it->i];
	zinc_worker *w = &x->j->c->workers[worker];
	zinc_parcel *p = NULL;
	zinc_object o;

	(void)again;
	zinc_plan_object(x->j->p, t->i, &o);
	if (t->whole)
		return send_whole(x, &o, w, err);
	ZINC_TRY(take_parcel(x, &o, &p, err));
	return !p ? ZINC_OK : send_changed(x, &o, w, it, p, err);
}

static void
fail_part(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err)
{
	remote_write *x = arg;
	zinc_object o;

	zinc_plan_object(x->j->p, x->parts[it->i].i, &o);
	if (st == ZINC_E_LIMIT && o.covered && !x->parts[it->i].whole) {
		try_again(x, x->parts[it->i].i, true);
		return;
	}
	if (st == ZINC_E_CONFLICT && x->conditions && x->tries + 1 < ZINC_UPDATE_TRIES) {
		try_again(x, x->parts[it->i].i, false); /* others replaced the value all the time it was read */
		return;
	}
	if (it->key.n > 0)
		zinc_error_at_key(err, st, (const char *)it->key.p);
	zinc_write_record(x->j, &o, st, err);
}

/* One attempt to write all parts.  Its items keep old bytes in their own memory, because new bytes are made in the
 * threads' memory. */
static void
try_parts(remote_write *x, zinc_fetch_item *items)
{
	zinc_fetch f = zinc_call_fetch(x->j->c, x);

	f.in_flight = x->in_flight;
	f.threads = x->threads;
	f.local = items;
	f.stopped = part_stopped;
	f.halted = halted;
	f.want = want_part;
	f.take = take_part;
	f.fail = fail_part;
	f.too_long = too_long;
	zinc_fetch_run(&f, x->nparts);
	zinc_send_flush(x->send);
}

static int
by_number(const void *a, const void *b)
{
	const part *x = a, *y = b;

	return x->i < y->i ? -1 : x->i > y->i;
}

/* Repeat until all parts are written. */
static void
repeat_parts(remote_write *x, zinc_fetch_item *items)
{
	part *was;

	for (x->tries = 0; x->nparts > 0 && !zinc_call_halted(x->j->c); x->tries++) {
		if (x->tries > 0)
			zinc_store_back_off(x->tries, x);
		qsort(x->parts, x->nparts, sizeof *x->parts, by_number);
		try_parts(x, items);
		was = x->parts;
		x->parts = x->lost;
		x->nparts = x->nlost;
		x->lost = was;
		x->nlost = 0;
	}
}

/* Objects are so large that only a few fit in memory: send the whole ones before any part is changed. */
static void
send_whole_first(remote_write *x)
{
	int i;

	zinc_send_flush(x->send);
	for (i = 0; i < x->j->c->threads; i++)
		zinc_buf_fini(&x->j->c->workers[i].s->fetch);
}

static zinc_status
write_parts(remote_write *x, zinc_error *err)
{
	zinc_call *c = x->j->c;
	zinc_fetch_item *items = zinc_calloc(c->ctx, (size_t)c->threads, sizeof *items);
	int i;

	if (!items)
		return zinc_fail_nomem(err);
	for (i = 0; i < c->threads; i++)
		zinc_fetch_item_init(&items[i], c->ctx, NULL, &c->workers[i].err);
	x->j->inner_parallel = false;
	if (x->threads < c->threads)
		send_whole_first(x);
	repeat_parts(x, items);
	for (i = 0; i < c->threads; i++)
		zinc_fetch_item_fini(&items[i]);
	zinc_free(c->ctx, items);
	return ZINC_OK;
}

/* ---- the write ---- */

/* The same order as zinc_store_update: the store's own exclusion, conditions, single_writer. */
static void
choose_method(remote_write *x)
{
	const uint32_t cas = ZINC_CAP_CAS | ZINC_CAP_TAGS;
	const zinc_call *c = x->j->c;

	x->conditions = (c->caps.flags & cas) == cas;
	x->batches = !(c->caps.flags & ZINC_CAP_UPDATE) && (x->conditions || c->o.single_writer);
}

/* The number of objects that change in part, and the maximum size of the largest. */
static size_t
count_parts(const remote_write *x, uint64_t *largest)
{
	zinc_object o;
	size_t i, n = 0;

	*largest = 1;
	for (i = 0; x->batches && i < x->j->p->nobjects; i++) {
		zinc_plan_object(x->j->p, i, &o);
		if (zinc_write_is_whole(x->j, &o))
			continue;
		*largest = zinc_max_u64(*largest, bound_of(x, &o));
		n++;
	}
	return n;
}

static zinc_status
run(remote_write *x, size_t n, uint64_t largest, zinc_error *err)
{
	zinc_sending how = zinc_call_sending(x->j->c, x);
	zinc_status st = ZINC_OK, ended;

	how.stopped = stopped;
	how.halted = halted;
	how.done = done;
	if (n > 0) {
		how.in_flight /= 2; /* the other half is for old bytes */
		x->threads = (int)zinc_max_u64(1, zinc_min_u64((uint64_t)how.threads, how.in_flight / largest));
		how.threads = x->threads;
	}
	x->in_flight = how.in_flight;
	x->share = how.in_flight / (2 * (uint64_t)how.threads);
	ZINC_TRY(zinc_send_begin(&x->send, &how, err));
	zinc_job_each(x->j, write_item, x);
	if (x->nparts > 0)
		st = write_parts(x, err);
	ended = zinc_send_end(x->send, st == ZINC_OK ? err : NULL);
	return st != ZINC_OK ? st : ended;
}

zinc_status
zinc_job_write_remote(zinc_job *j, zinc_error *err)
{
	zinc_context *ctx = j->c->ctx;
	remote_write x = {.j = j};
	zinc_status st = ZINC_OK;
	uint64_t largest;
	size_t n;

	choose_method(&x);
	n = count_parts(&x, &largest);
	if (n > 0) {
		x.parts = zinc_calloc(ctx, n, sizeof *x.parts);
		x.lost = zinc_calloc(ctx, n, sizeof *x.lost);
		st = x.parts && x.lost ? ZINC_OK : zinc_fail_nomem(err);
	}
	pthread_mutex_init(&x.lock, NULL);
	if (st == ZINC_OK)
		st = run(&x, n, largest, err);
	pthread_mutex_destroy(&x.lock);
	zinc_free(ctx, x.parts);
	zinc_free(ctx, x.lost);
	return st;
}
