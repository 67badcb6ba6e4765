/*
 * fetch_local.c - items of a local store: each thread of the pool runs want, get and take, one item after another
 *
 * A local read is a copy: passing it on to another thread would only move bytes from cache to cache.
 */
#include "fetch/fetch_inside.h"

typedef struct local_run {
	const zinc_fetch *f;
	zinc_fetch_item *it;
} local_run;

static zinc_room
make_room(local_run *x, uint64_t nbytes)
{
	zinc_error e;
	zinc_buf *to = x->it->bytes;
	zinc_status st;
	size_t need;

	if (zinc_fetch_round_too_long(x->f, x->it, nbytes))
		return ZINC_ROOM_FAIL;
	zinc_error_clear(&e);
	need = (size_t)zinc_fetch_round_bytes(x->it, nbytes);
	to->max = need + need / 2; /* the next item may be a little larger */
	st = zinc_buf_reset(to, need, &e);
	if (st != ZINC_OK)
		zinc_fetch_round_fail(x->f, x->it, st, &e);
	x->it->roomed = st == ZINC_OK;
	return st == ZINC_OK ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

static zinc_room
local_room(void *arg, size_t k, uint64_t nbytes, void **buf)
{
	local_run *x = arg;
	zinc_room room = ZINC_ROOM_OK;

	pthread_mutex_lock(&x->it->lock);
	if (!x->it->roomed)
		room = make_room(x, nbytes);
	if (room == ZINC_ROOM_OK)
		*buf = zinc_fetch_round_place(x->it, k);
	pthread_mutex_unlock(&x->it->lock);
	return room;
}

static void
local_done(void *arg, size_t k, const zinc_got *got)
{
	local_run *x = arg;

	(void)k;
	(void)zinc_fetch_round_done(x->f, x->it, got);
}

static zinc_status
get(const zinc_fetch *f, zinc_fetch_item *it, zinc_error *err)
{
	local_run x = {f, it};
	const zinc_sink sink = {.size = sizeof sink, .room = local_room, .done = local_done, .arg = &x};
	const zinc_get *gets;
	size_t n;

	it->bytes->n = 0;
	zinc_fetch_round_send(f, it, &gets, &n);
	if (n > 0)
		ZINC_TRY(zinc_store_get(f->store, gets, n, &sink, f->wait, err));
	if (!it->failed)
		zinc_fetch_round_end(f, it);
	return ZINC_OK;
}

static zinc_status
run_round(const zinc_fetch *f, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	zinc_fetch_round_init(it);
	ZINC_TRY(f->want(f->arg, it, worker, err));
	ZINC_TRY(get(f, it, err));
	return it->failed ? ZINC_OK : f->take(f->arg, it, worker, again, err);
}

static void
local_item(void *arg, size_t i, int worker)
{
	const zinc_fetch *f = arg;
	zinc_fetch_item *it = &f->local[worker];
	zinc_status st;
	bool again;

	if (f->stopped(f->arg, i))
		return;
	it->i = i;
	it->how = 0;
	it->at = 0;
	it->tag.n = 0;
	for (it->round = 0, again = true; again; it->round++) {
		again = false;
		st = run_round(f, it, worker, &again, it->err);
		if (st != ZINC_OK) {
			f->fail(f->arg, it, st, it->err);
			return;
		}
	}
}

void
zinc_fetch_run(const zinc_fetch *f, size_t n)
{
	if (n > 1 && (f->caps->flags & ZINC_CAP_REMOTE) && zinc_fetch_remote(f, n))
		return;
	zinc_pool_run(f->ctx, f->threads, n, local_item, (void *)(uintptr_t)f);
}
