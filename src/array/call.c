/*
 * call.c - one read or write: options, workers, deadline, cancel, the lowest failing chunk
 *
 * Promises (tests/unit/test_call.c names each by its number):
 *
 * (1) If several objects fail, the one with the lowest number is reported, for any number of threads.
 * (2) After a cancel or the deadline no further object is started.
 * (3) Every worker's scratch is returned to the context, also after a failure.
 */
#include "array/engine.h"

ZINC_OPTIONS_KIND(zinc_io_options, ZINC_OPTION_COUNT(zinc_io_options, threads),
		  ZINC_OPTION_RANGE(zinc_io_options, convert, 0, ZINC_CONVERT_FLAGS),
		  ZINC_OPTION_YES_NO(zinc_io_options, missing_is_error),
		  ZINC_OPTION_YES_NO(zinc_io_options, store_fill), ZINC_OPTION_YES_NO(zinc_io_options, relaxed),
		  ZINC_OPTION_YES_NO(zinc_io_options, single_writer), ZINC_OPTION_YES_NO(zinc_io_options, unverified),
		  ZINC_OPTION_YES_NO(zinc_io_options, assume_unchanged));

static zinc_status
copy_options(zinc_call *c, const zinc_io_options *o, zinc_error *err)
{
	ZINC_TRY(zinc_options_take_as(&zinc_io_options_kind, &c->o, o, err));
	ZINC_TRY(zinc_call_options_take(&c->call, c->o.call, err));
	c->cancel = zinc_cancel_flag(c->call.cancel);
	return ZINC_OK;
}

/* Members that are not zeroed are set before they are read. */
static void
worker_init(zinc_worker *w, zinc_context *ctx)
{
	memset(w, 0, offsetof(zinc_worker, err));
	zinc_error_clear(&w->err);
	w->r.i = SIZE_MAX;
	zinc_buf_init(&w->key, ctx, 64 * ZINC_KIB);
	zinc_buf_init(&w->requests, ctx, 64 * ZINC_MIB);
}

static zinc_status
make_workers(zinc_call *c, zinc_error *err)
{
	size_t nbytes;
	int i;

	c->items = zinc_calloc(c->ctx, (size_t)c->threads, sizeof *c->items);
	if (c->items && !zinc_size_mul((size_t)c->threads + 1, sizeof *c->workers, &nbytes))
		c->workers = zinc_alloc(c->ctx, nbytes);
	if (!c->workers)
		return zinc_fail_nomem(err);
	for (i = 0; i < c->threads; i++)
		zinc_fetch_item_init(&c->items[i], c->ctx, NULL, &c->workers[i].err);
	for (i = 0; i <= c->threads; i++)
		worker_init(&c->workers[i], c->ctx);
	for (i = 0; i < c->threads; i++) {
		zinc_worker *w = &c->workers[i];

		w->s = zinc_scratch_get(c->ctx);
		if (!w->s)
			return zinc_fail_nomem(err);
		w->s->unverified = c->o.unverified != 0;
		c->items[i].bytes = &w->s->fetch;
	}
	return ZINC_OK;
}

zinc_status
zinc_call_begin(zinc_call *c, zinc_array *a, const zinc_io_options *o, zinc_error *err)
{
	memset(c, 0, offsetof(zinc_call, lock));
	c->a = a;
	c->h = a->h;
	c->ctx = a->ctx;
	c->code = ZINC_OK;
	c->units_total = 0;
	atomic_init(&c->stop_at, UINT64_MAX);
	atomic_init(&c->no_erase, false);
	c->units_done = c->bytes_done = 0;
	c->told_to_stop = false;
	pthread_mutex_init(&c->lock, NULL);
	c->layers = zinc_array_layers(a, &c->m);
	if (c->m->unsupported)
		return zinc_meta_refuse(c->m, err);
	ZINC_TRY(copy_options(c, o, err));
	ZINC_TRY(zinc_stack_store(c->layers, &c->store, err));
	c->caps.size = sizeof c->caps;
	zinc_store_caps(c->store, &c->caps);
	if (!(c->caps.flags & ZINC_CAP_ERASE)) /* an old object cannot be erased, so it must be replaced */
		c->o.store_fill = 1;
	c->threads = c->o.threads > 0 && c->o.threads < c->ctx->threads ? c->o.threads : c->ctx->threads;
	c->put_flags = c->h->put_flags | (c->o.relaxed ? ZINC_PUT_RELAXED : 0);
	if (c->call.timeout > 0)
		c->deadline = zinc_now(c->ctx) + c->call.timeout;
	c->wait = (zinc_wait){sizeof c->wait, c->deadline, c->call.cancel};
	return make_workers(c, err);
}

static void
free_workers(zinc_call *c)
{
	int i;

	for (i = 0; c->items && i < c->threads; i++)
		zinc_fetch_item_fini(&c->items[i]);
	for (i = 0; c->workers && i <= c->threads; i++) {
		if (c->workers[i].group)
			zinc_store_abort(c->store, c->workers[i].group);
		zinc_scratch_put(c->workers[i].s);
		zinc_buf_fini(&c->workers[i].key);
		zinc_buf_fini(&c->workers[i].requests);
	}
	zinc_free(c->ctx, c->items);
	zinc_free(c->ctx, c->workers);
}

zinc_status
zinc_call_end(zinc_call *c, zinc_status st, zinc_error *err)
{
	if (st == ZINC_OK && c->code != ZINC_OK)
		st = zinc_error_copy(err, &c->error);
	zinc_error_at_node(err, st, c->h, c->a->path);
	free_workers(c);
	zinc_stack_free(c->layers);
	zinc_meta_free(c->m);
	pthread_mutex_destroy(&c->lock);
	return st;
}

void
zinc_call_fail(zinc_call *c, uint64_t at, zinc_status st, const zinc_error *err)
{
	pthread_mutex_lock(&c->lock);
	if (c->code == ZINC_OK || at < atomic_load(&c->stop_at)) {
		c->code = st;
		c->error = *err;
		atomic_store(&c->stop_at, at);
	}
	pthread_mutex_unlock(&c->lock);
}

/* Not every index is in the grid: a check may name any key. */
void
zinc_call_at_object(const zinc_meta *m, const uint64_t *index, zinc_status st, zinc_error *err)
{
	uint64_t start[ZINC_MAX_NDIM], extent[ZINC_MAX_NDIM];
	int d;

	zinc_error_at_chunk(err, st, index, m->ndim);
	if (st == ZINC_OK || !m->grid)
		return;
	for (d = 0; d < m->ndim; d++) {
		if (index[d] >= zinc_grid_count(m->grid, d, m->shape[d]))
			return;
		zinc_grid_span(m->grid, d, index[d], &start[d], &extent[d]);
	}
	zinc_error_at_region(err, st, start, extent, m->shape, m->ndim);
}

/* Report the cancel instead of any other failure; objects in progress no longer matter. */
static void
cancel(zinc_call *c, const char *why)
{
	zinc_error err = ZINC_ERROR_INIT;

	zinc_fail(&err, ZINC_E_CANCELLED, "%s", why);
	zinc_call_fail(c, 0, ZINC_E_CANCELLED, &err);
}

bool
zinc_call_stopped(zinc_call *c, uint64_t at)
{
	if (at >= atomic_load_explicit(&c->stop_at, memory_order_relaxed))
		return true;
	if (zinc_cancelled(c->cancel))
		cancel(c, "cancelled by the caller");
	else if (c->deadline > 0 && zinc_now(c->ctx) > c->deadline)
		cancel(c, "the deadline passed");
	else
		return false;
	return true;
}

/* The callback is called under the lock, so that its counts never decrease. */
void
zinc_call_done(zinc_call *c, uint64_t units, uint64_t nbytes)
{
	bool stop = false;

	if (!c->call.progress)
		return;
	pthread_mutex_lock(&c->lock);
	c->units_done += units;
	c->bytes_done += nbytes;
	if (!c->told_to_stop)
		stop = c->call.progress(c->call.progress_arg, c->units_done, c->units_total, c->bytes_done) != 0;
	c->told_to_stop |= stop;
	pthread_mutex_unlock(&c->lock);
	if (stop)
		cancel(c, "cancelled by the progress callback");
}

bool
zinc_call_halted(zinc_call *c)
{
	return atomic_load_explicit(&c->stop_at, memory_order_relaxed) != UINT64_MAX ||
	       zinc_call_stopped(c, UINT64_MAX - 1);
}

/* ---- fetching ---- */

zinc_status
zinc_call_key(zinc_call *c, zinc_worker *w, const uint64_t *index, const char **key, zinc_error *err)
{
	zinc_buf_end(&w->key, 0);
	ZINC_TRY(zinc_chunk_key(c->h, c->a->path, c->m, index, &w->key, err));
	*key = zinc_buf_text(&w->key);
	return !*key ? zinc_fail_nomem(err) : ZINC_OK;
}

zinc_status
zinc_call_item_key(zinc_call *c, zinc_fetch_item *it, const uint64_t *index, zinc_error *err)
{
	it->key.n = 0;
	ZINC_TRY(zinc_chunk_key(c->h, c->a->path, c->m, index, &it->key, err));
	return !zinc_buf_text(&it->key) ? zinc_fail_nomem(err) : ZINC_OK;
}

/* The bytes that may be in flight, without what the threads themselves hold: decoded elements, or (`objects`) objects
 * to be sent. */
static uint64_t
in_flight(const zinc_call *c, bool objects)
{
	const uint64_t all = c->o.in_flight_bytes > 0 ? c->o.in_flight_bytes : c->ctx->in_flight_bytes;
	const zinc_chain *chain = c->m->chain;
	uint64_t widest[ZINC_MAX_NDIM], unit, most = UINT64_MAX;
	int d;

	for (d = 0; d < c->m->ndim; d++)
		widest[d] = zinc_grid_widest(c->m->grid, d);
	if (zinc_shape_bytes(chain->open_shard && !objects ? chain->shard->chunk_shape : widest, c->m->ndim,
			     c->m->dtype->size, all, &unit) ||
	    zinc_u64_mul(unit, (uint64_t)c->threads, &most) || most > all)
		return 0;
	return all - most;
}

zinc_fetch
zinc_call_fetch(zinc_call *c, void *arg)
{
	return (zinc_fetch){.ctx = c->ctx,
			    .store = c->store,
			    .caps = &c->caps,
			    .threads = c->threads,
			    .in_flight = in_flight(c, false),
			    .wait = &c->wait,
			    .local = c->items,
			    .arg = arg};
}

zinc_sending
zinc_call_sending(zinc_call *c, void *arg)
{
	return (zinc_sending){.ctx = c->ctx,
			      .store = c->store,
			      .parallel = c->caps.parallel,
			      .threads = c->threads,
			      .in_flight = in_flight(c, true),
			      .put_flags = c->put_flags,
			      .wait = &c->wait,
			      .arg = arg};
}
