/*
 * shard_read.c - read a selection from open shards: only the index and the inner chunks it needs
 *
 * Promises (tests/unit/test_shard_read.c names each by its number):
 *
 * (1) The bytes of one shard are of one generation: every range is requested on condition of the index's tag.  A
 *     shard that changes meanwhile is read again, in 8 attempts at most, then E_CONFLICT.  A shard without a tag is
 *     read whole, in one request.
 * (2) Ranges of a batch are sorted; two are merged if reading their gap is cheaper for the store than a request.
 * (3) Inner chunks of all shards of a window are scheduled together.
 * (4) If shards of the grid differ in size, so do their indexes.
 * (5) A small remote shard is read in one request.
 *
 *     window:   [shard][shard][shard] ...         first all indexes, in parallel,
 *     batches:  [u u u u][u u u u][u u ...        then all inner chunks, in parallel
 */
#include "array/engine.h"

#define WINDOW_MAX    64u
#define WINDOW_BYTES  (16 * ZINC_MIB) /* of indexes in memory */
#define BATCH_BYTES   ZINC_MIB        /* of decoded inner chunks per batch */
#define BATCH_MAX     1024u
#define POINT_BYTES   (16 * ZINC_MIB) /* the same for points: neighbours are rarely in one batch */
#define POINT_MAX     (64 * 1024u)
#define REMOTE_WINDOW 4096u /* shards of a remote store: their indexes are requested together */

/* One shard of the window. */
typedef struct slot {
	zinc_object o;
	zinc_shard_layout layout;
	zinc_stored_shard stored;
	atomic_bool changed;
	size_t first_batch; /* its number in the window */
	size_t nbatches;
	size_t batch_units;
	zinc_buf begins; /* size_t per batch: where it begins in the order of points; empty for one batch */
	uint64_t units_done, bytes_done;         /* in this attempt; under the window's lock */
	uint64_t units_reported, bytes_reported; /* reported in all attempts */
} slot;

typedef struct window {
	zinc_job *j;
	slot *slots;
	size_t nslots;
	size_t first; /* object number of slots[0] */
	size_t *todo; /* slots to read in this attempt */
	size_t ntodo;
	zinc_shard_entry *entries; /* nslots * nentries */
	uint64_t nentries;         /* of the largest shard */
	size_t unit_limit;         /* maximum encoded size of an inner chunk */
	uint64_t unit_bytes;
	pthread_mutex_t lock; /* of the progress counters */
} window;

static void
fail_at(const window *win, const zinc_fetch_item *it, const slot *s, zinc_status st, zinc_error *err)
{
	if (it->key.n > 0)
		zinc_error_at_key(err, st, (const char *)it->key.p);
	zinc_call_at_object(win->j->p->m, s->o.index, st, err);
	zinc_call_fail(win->j->c, s->o.number, st, err);
}

/* The elements of an inner chunk; `u` is not looked at after a success. */
static zinc_status
at_unit(const zinc_plan *p, const zinc_unit *u, zinc_status st, zinc_error *err)
{
	return zinc_error_at_region(err, st, u->start, u->extent, p->m->shape, p->m->ndim);
}

static bool
halted(void *arg)
{
	return zinc_call_halted(((const window *)arg)->j->c);
}

static void
count(void *arg, uint64_t requests, uint64_t ranges, uint64_t nbytes)
{
	zinc_explain_requests(((const window *)arg)->j->explain, requests, ranges, nbytes);
}

static zinc_status
too_long(void *arg, const zinc_fetch_item *it, uint64_t nbytes, zinc_error *err)
{
	(void)arg, (void)it;
	return zinc_fail(err, ZINC_E_LIMIT,
			 "the shard has %llu bytes and must be read whole, because its store has no tags",
			 (unsigned long long)nbytes);
}

void
zinc_shard_shape(const zinc_meta *m, const uint64_t *extent, uint64_t *shard_shape)
{
	int d;

	for (d = 0; d < m->ndim; d++)
		shard_shape[d] = extent[m->chain->axis[d]];
}

uint64_t
zinc_shard_position(const zinc_meta *m, const uint64_t *per_axis, const uint64_t *inner)
{
	uint64_t at = 0;
	int d;

	for (d = 0; d < m->ndim; d++)
		at = at * per_axis[d] + inner[m->chain->axis[d]];
	return at;
}

/* ---- the inner chunks: an item is a batch of them ---- */

/* Convert the strides of a view from the shard's axes to the array's. */
static void
turn_view(const zinc_meta *m, const zinc_view *in, zinc_view *out)
{
	int d;

	out->p = in->p;
	for (d = 0; d < m->ndim; d++)
		out->strides[m->chain->axis[d]] = in->strides[d];
}

/* Decode only as far as the selection needs, unless the unit is cached whole.  Measured on 2 cores: a plane of axis 0
 * in the middle of 512^3 of 64^3 inner chunks (zstd) computes 40 ms instead of 56. */
static zinc_status
decode_unit(window *win, zinc_worker *w, const slot *s, const zinc_unit *u, zinc_bytes in, const char *key,
	    zinc_error *err)
{
	zinc_job *j = win->j;
	const zinc_meta *m = j->p->m;
	zinc_cache *cache = zinc_cache_of(j->c);
	uint8_t *direct = zinc_axes_in_order(m) ? zinc_transfer_direct(j->p, j->t, u) : NULL;
	const zinc_chain *inner = m->chain->shard->inner;
	const uint64_t *shape = m->chain->shard->chunk_shape;
	zinc_needed n = {0, 0};
	zinc_view v, t;

	if (!cache)
		n = zinc_elements_needed(j->p, inner, m->chain->axis, shape, u);
	ZINC_TRY(zinc_chain_decode_part(inner, w->s, shape, in, direct, n.first, n.end, &v, err));
	turn_view(m, &v, &t);
	if (cache)
		zinc_cache_put(cache, j->c->store, key, zinc_shard_position(m, s->layout.per_axis, u->inner),
			       &s->stored.tag, &t, u->extent, m->ndim, m->dtype->size);
	return v.p == direct ? ZINC_OK : zinc_transfer_out(j->p, j->t, u, &t, w->s, err);
}

/* Serve a unit that was not fetched: it is not stored, or it was cached.  *done false: it is no longer cached. */
static zinc_status
serve_unfetched_unit(window *win, zinc_worker *w, const slot *s, const zinc_unit *u, const char *key, bool *done,
		     zinc_error *err)
{
	zinc_job *j = win->j;
	const zinc_meta *m = j->p->m;
	const uint64_t position = zinc_shard_position(m, s->layout.per_axis, u->inner);
	zinc_cache *cache = zinc_cache_of(j->c);
	zinc_status st;
	zinc_view v;
	void *hold;

	*done = true;
	if (!zinc_shard_has(&s->stored, position)) {
		if (j->c->o.missing_is_error)
			return zinc_fail(err, ZINC_E_NOTFOUND, "the %s is not stored",
					 s->stored.found ? "inner chunk" : "shard");
		return zinc_transfer_fill(j->p, j->t, u, err);
	}
	v.p = (uint8_t *)(uintptr_t)zinc_cache_get(cache, j->c->store, key, position, &s->stored.tag, u->extent,
						   m->ndim, m->dtype->size, &hold);
	*done = v.p != NULL;
	if (!*done)
		return ZINC_OK;
	zinc_strides_c(u->extent, m->ndim, m->dtype->size, v.strides);
	st = zinc_transfer_out(j->p, j->t, u, &v, w->s, err);
	zinc_cache_release(cache, hold);
	return st;
}

/* Record the cost of a unit instead of reading it. */
static void
explain_unit(zinc_job *j, const slot *s, size_t unit, uint64_t position)
{
	zinc_touch t = {.object = s->o.number, .unit = unit, .object_found = s->stored.found};

	t.found = zinc_shard_has(&s->stored, position);
	t.offset = t.found ? s->stored.entries[position].offset : 0;
	t.nbytes = t.found ? s->stored.entries[position].nbytes : 0;
	t.object_bytes = s->stored.size;
	zinc_explain_unit(j->explain, &t);
}

/* The slot that holds batch i of the window. */
static slot *
slot_of(const window *win, size_t i)
{
	size_t low = 0, high = win->ntodo;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (win->slots[win->todo[mid]].first_batch <= i)
			low = mid;
		else
			high = mid;
	}
	return &win->slots[win->todo[low]];
}

/* The units of batch i.  Call zinc_plan_unit for them in order, with `u`. */
static void
units_of(const slot *s, size_t i, size_t *first, size_t *end, zinc_unit *u)
{
	const size_t batch = i - s->first_batch;

	*first = batch * s->batch_units;
	*end = s->o.nunits - *first < s->batch_units ? s->o.nunits : *first + s->batch_units;
	if (s->begins.n > 0)
		u->end = ((const size_t *)(const void *)s->begins.p)[batch];
}

/* Must the unit be fetched?  In the first round, cached units are not. */
static bool
is_wanted(const window *win, const slot *s, const zinc_fetch_item *it, uint64_t position)
{
	zinc_job *j = win->j;
	zinc_cache *cache = zinc_cache_of(j->c);

	return zinc_shard_has(&s->stored, position) &&
	       !(cache && it->round == 0 && !j->explain &&
		 zinc_cache_has(cache, j->c->store, (const char *)it->key.p, position, &s->stored.tag));
}

/* List the units that must be fetched and mark them in `asked`; it->at is set to their number. */
static zinc_status
list_units(window *win, const slot *s, zinc_fetch_item *it, zinc_fetch_range *list, uint8_t *asked, zinc_error *err)
{
	const zinc_plan *p = win->j->p;
	size_t i, end, n = 0;
	zinc_unit u;

	for (units_of(s, it->i, &i, &end, &u); i < end; i++, asked++) {
		const zinc_shard_entry *e;
		uint64_t at;

		zinc_plan_unit(p, &s->o, i, &u);
		at = zinc_shard_position(p->m, s->layout.per_axis, u.inner);
		if (win->j->explain)
			explain_unit(win->j, s, i, at);
		*asked = is_wanted(win, s, it, at);
		if (!*asked)
			continue;
		e = &s->stored.entries[at];
		ZINC_TRY(at_unit(p, &u, zinc_shard_entry_check(e, win->unit_limit, err), err));
		list[n++] = (zinc_fetch_range){.offset = e->offset, .nbytes = e->nbytes, .tell = i, .more = u.begin};
	}
	it->at = n;
	return ZINC_OK;
}

static zinc_status
want_batch(void *arg, zinc_fetch_item *it, int worker, zinc_error *err)
{
	window *win = arg;
	const slot *s = slot_of(win, it->i);
	size_t first, end;
	zinc_fetch_range *list;
	zinc_get *gets;
	zinc_unit u;

	(void)worker;
	it->at = 0;
	if (atomic_load(&s->changed))
		return ZINC_OK;
	units_of(s, it->i, &first, &end, &u);
	ZINC_TRY(zinc_call_item_key(win->j->c, it, s->o.index, err));
	ZINC_TRY(zinc_fetch_room(it, end - first, (end - first) * (sizeof *list + 1), &gets, err));
	list = it->behind;
	it->n = 0;
	ZINC_TRY(list_units(win, s, it, list, (uint8_t *)(list + (end - first)), err));
	it->n = zinc_fetch_merge(list, (size_t)it->at, win->j->c->caps.merge_gap, (const char *)it->key.p,
				 &s->stored.tag, gets);
	return ZINC_OK;
}

/* Serve the units that were not fetched.  *done false: one of them must be fetched now. */
static zinc_status
serve_rest(window *win, zinc_worker *w, const slot *s, const zinc_fetch_item *it, bool *done, zinc_error *err)
{
	const zinc_fetch_range *list = it->behind;
	const uint8_t *asked;
	size_t i, end;
	zinc_unit u;

	*done = true;
	units_of(s, it->i, &i, &end, &u);
	if (it->at == end - i)
		return ZINC_OK;
	for (asked = (const uint8_t *)(list + (end - i)); i < end && *done; i++, asked++) {
		zinc_plan_unit(win->j->p, &s->o, i, &u);
		if (*asked)
			continue;
		ZINC_TRY(at_unit(win->j->p, &u, serve_unfetched_unit(win, w, s, &u, (const char *)it->key.p, done, err),
				 err));
	}
	return ZINC_OK;
}

static zinc_status
decode_batch(window *win, zinc_worker *w, const slot *s, const zinc_fetch_item *it, zinc_error *err)
{
	const zinc_fetch_range *list = it->behind;
	zinc_unit u;
	size_t i;

	for (i = 0; i < it->at; i++) {
		const zinc_bytes in = {it->bytes->p + (size_t)list[i].at, (size_t)list[i].nbytes};

		u.end = list[i].more;
		zinc_plan_unit(win->j->p, &s->o, list[i].tell, &u);
		ZINC_TRY(at_unit(win->j->p, &u, decode_unit(win, w, s, &u, in, (const char *)it->key.p, err), err));
	}
	return ZINC_OK;
}

/* Report progress.  What an earlier attempt reported is not reported again. */
static void
report_progress(window *win, slot *s, size_t batch)
{
	const zinc_plan *p = win->j->p;
	uint64_t units = 0, nbytes = 0;
	size_t i, end;
	zinc_unit u;

	if (!win->j->c->call.progress)
		return;
	pthread_mutex_lock(&win->lock);
	for (units_of(s, batch, &i, &end, &u); i < end; i++) {
		zinc_plan_unit(p, &s->o, i, &u);
		s->units_done++;
		s->bytes_done += zinc_unit_selected(p, &u) * (uint64_t)win->j->t->element;
	}
	if (s->units_done > s->units_reported) {
		units = s->units_done - s->units_reported;
		s->units_reported = s->units_done;
	}
	if (s->bytes_done > s->bytes_reported) {
		nbytes = s->bytes_done - s->bytes_reported;
		s->bytes_reported = s->bytes_done;
	}
	pthread_mutex_unlock(&win->lock);
	if (units > 0)
		zinc_call_done(win->j->c, units, nbytes);
}

/* A shard that was replaced or erased since its index was read is read again. */
static zinc_status
take_batch(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	window *win = arg;
	zinc_worker *w = &win->j->c->workers[worker];
	slot *s = slot_of(win, it->i);
	bool done;

	if (atomic_load(&s->changed) || win->j->explain)
		return ZINC_OK;
	if (it->n > 0 && (it->found != ZINC_FOUND || it->size != s->stored.size)) {
		atomic_store(&s->changed, true);
		return ZINC_OK;
	}
	ZINC_TRY(serve_rest(win, w, s, it, &done, err));
	*again = !done;
	if (!done)
		return ZINC_OK;
	ZINC_TRY(decode_batch(win, w, s, it, err));
	report_progress(win, s, it->i);
	return ZINC_OK;
}

static void
fail_batch(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err)
{
	window *win = arg;

	fail_at(win, it, slot_of(win, it->i), st, err);
}

static bool
stopped_batch(void *arg, size_t i)
{
	const window *win = arg;

	return zinc_call_stopped(win->j->c, slot_of(win, i)->o.number);
}

/* The settings that the fetches of indexes and of batches share. */
static zinc_fetch
fetch_of(window *win)
{
	zinc_fetch f = zinc_call_fetch(win->j->c, win);

	f.halted = halted;
	f.too_long = too_long;
	f.count = win->j->explain ? count : NULL;
	return f;
}

static void
read_batches(window *win, size_t n)
{
	zinc_fetch f = fetch_of(win);

	f.stopped = stopped_batch;
	f.want = want_batch;
	f.take = take_batch;
	f.fail = fail_batch;
	zinc_fetch_run(&f, n);
}

/* ---- the indexes: an item is a shard ---- */

static slot *
shard_of(const window *win, size_t i)
{
	return &win->slots[win->todo[i]];
}

/* it->how is the kind of request.  With a cache, the index of a small shard is read first, because its tag may show
 * that nothing else is needed. */
static zinc_status
want_index(void *arg, zinc_fetch_item *it, int worker, zinc_error *err)
{
	window *win = arg;
	zinc_call *c = win->j->c;
	slot *s = shard_of(win, it->i);

	(void)worker;
	it->real = true;
	if (it->round == 0) {
		ZINC_TRY(zinc_call_item_key(c, it, s->o.index, err));
		atomic_store(&s->changed, false);
		s->units_done = s->bytes_done = 0;
		it->how = zinc_shard_first_ask(&s->layout, &c->caps, zinc_cache_of(c) ? UINT64_MAX : win->unit_bytes);
	}
	if (s->layout.n > win->nentries) /* possible only with a program's grid */
		return zinc_fail(err, ZINC_E_CORRUPT, "the shard is larger than the largest shard of its grid");
	if (it->how == ZINC_SHARD_ASK_ALL) /* for a small shard the request itself has a limit */
		it->bound = zinc_object_limit(c->m, c->ctx, s->o.extent);
	zinc_fetch_want(it, zinc_shard_request(&s->layout, it->how, &c->caps));
	return ZINC_OK;
}

/* The whole shard was read.  Decode its chunks now, so that its bytes need not be kept and no batch remains. */
static zinc_status
take_chunks(window *win, zinc_worker *w, slot *s, const zinc_fetch_item *it, zinc_error *err)
{
	const zinc_plan *p = win->j->p;
	zinc_unit u;
	bool done;
	size_t i;

	for (i = 0; i < s->o.nunits; i++) {
		uint64_t at;

		zinc_plan_unit(p, &s->o, i, &u);
		at = zinc_shard_position(p->m, s->layout.per_axis, u.inner);
		if (win->j->explain) {
			explain_unit(win->j, s, i, at);
		} else if (!zinc_shard_has(&s->stored, at)) {
			ZINC_TRY(at_unit(
			    p, &u, serve_unfetched_unit(win, w, s, &u, (const char *)it->key.p, &done, err), err));
		} else {
			const zinc_shard_entry *e = &s->stored.entries[at];
			const zinc_bytes in = {it->bytes->p + (size_t)e->offset, (size_t)e->nbytes};

			ZINC_TRY(at_unit(p, &u, zinc_shard_entry_check(e, win->unit_limit, err), err));
			ZINC_TRY(at_unit(p, &u, decode_unit(win, w, s, &u, in, (const char *)it->key.p, err), err));
		}
	}
	for (i = 0; i < s->nbatches; i++)
		report_progress(win, s, s->first_batch + i);
	s->nbatches = 0;
	return ZINC_OK;
}

static zinc_status
take_index(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	window *win = arg;
	zinc_worker *w = &win->j->c->workers[worker];
	slot *s = shard_of(win, it->i);
	zinc_shard_ask ask = it->how;

	s->stored.found = it->found == ZINC_FOUND;
	s->stored.size = s->stored.found ? it->size : 0;
	s->stored.tag.n = 0;
	if (!s->stored.found) {
		zinc_tell_missing(win->j, &s->o);
		return ZINC_OK;
	}
	s->stored.tag = it->tag;
	ZINC_TRY(zinc_shard_take(&s->stored, w->s, (zinc_bytes){it->bytes->p, it->bytes->n}, &ask, again, err));
	it->how = ask;
	return *again || ask == ZINC_SHARD_ASK_INDEX ? ZINC_OK : take_chunks(win, w, s, it, err);
}

static void
fail_index(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err)
{
	window *win = arg;
	slot *s = shard_of(win, it->i);

	s->stored.found = false;
	fail_at(win, it, s, st, err);
}

static bool
stopped_index(void *arg, size_t i)
{
	const window *win = arg;

	return zinc_call_stopped(win->j->c, shard_of(win, i)->o.number);
}

static void
load_indexes(window *win)
{
	zinc_fetch f = fetch_of(win);

	f.stopped = stopped_index;
	f.want = want_index;
	f.take = take_index;
	f.fail = fail_index;
	zinc_fetch_run(&f, win->ntodo);
}

/* ---- windows ---- */

/* Read the slots in todo; those that changed meanwhile stay there. */
static void
read_todo(window *win)
{
	size_t i, n = 0, batches = 0;

	load_indexes(win);
	for (i = 0; i < win->ntodo; i++) {
		slot *s = &win->slots[win->todo[i]];

		s->first_batch = batches;
		batches += s->nbatches;
	}
	read_batches(win, batches);
	for (i = 0; i < win->ntodo; i++)
		if (atomic_load(&win->slots[win->todo[i]].changed))
			win->todo[n++] = win->todo[i];
	win->ntodo = n;
}

static size_t
units_of_batch(const window *win)
{
	const bool points = win->j->p->sel.is_points;
	const uint64_t fit = (points ? POINT_BYTES : BATCH_BYTES) / zinc_max_u64(1, win->unit_bytes);

	return (size_t)zinc_max_u64(1, zinc_min_u64(points ? POINT_MAX : BATCH_MAX, fit));
}

/* The points of an object can be taken only in order, so the beginning of each batch is computed once. */
static zinc_status
find_begins(const window *win, slot *s, zinc_error *err)
{
	zinc_unit u;
	size_t i;

	zinc_buf_fini(&s->begins);
	zinc_buf_init(&s->begins, win->j->c->ctx, s->nbatches * sizeof u.begin);
	if (!win->j->p->sel.is_points || s->nbatches <= 1)
		return ZINC_OK;
	for (i = 0; i < s->o.nunits; i++) {
		zinc_plan_unit(win->j->p, &s->o, i, &u);
		if (i % s->batch_units == 0)
			ZINC_TRY(zinc_buf_add(&s->begins, &u.begin, sizeof u.begin, err));
	}
	return ZINC_OK;
}

static zinc_status
open_slot(window *win, size_t i, zinc_error *err)
{
	slot *s = &win->slots[i];
	const zinc_plan *p = win->j->p;

	zinc_plan_object(p, win->first + i, &s->o);
	zinc_shard_shape(p->m, s->o.extent, s->layout.shape);
	/* Cannot fail: the layout of the largest shard was possible. */
	(void)!zinc_shard_layout_init(&s->layout, p->m->chain->shard, s->layout.shape, NULL);
	s->stored.layout = &s->layout;
	s->stored.entries = win->entries + i * win->nentries;
	s->batch_units = units_of_batch(win);
	s->nbatches = (size_t)zinc_ceil_div(s->o.nunits, s->batch_units);
	s->units_reported = s->bytes_reported = 0;
	win->todo[i] = i;
	return find_begins(win, s, err);
}

static void
conflict(window *win)
{
	zinc_fetch_item *it = &win->j->c->items[0];
	const slot *s = &win->slots[win->todo[0]];
	zinc_error e = ZINC_ERROR_INIT;

	(void)zinc_call_item_key(win->j->c, it, s->o.index, NULL);
	fail_at(win, it, s, zinc_shard_conflict(&e), &e);
}

static zinc_status
read_window(window *win, zinc_error *err)
{
	size_t i;
	int tries;

	for (i = 0; i < win->nslots; i++)
		ZINC_TRY(open_slot(win, i, err));
	win->ntodo = win->nslots;
	for (tries = 0; win->ntodo > 0 && tries < ZINC_SHARD_TRIES && win->j->c->code == ZINC_OK; tries++)
		read_todo(win);
	if (win->ntodo > 0 && win->j->c->code == ZINC_OK)
		conflict(win);
	return ZINC_OK;
}

static zinc_status
window_init(window *win, zinc_job *j, size_t *slots, zinc_error *err)
{
	const zinc_meta *m = j->p->m;
	const zinc_shard *sh = m->chain->shard;
	uint64_t widest[ZINC_MAX_NDIM], n;
	zinc_shard_layout largest;
	int d;

	win->j = j;
	for (d = 0; d < m->ndim; d++)
		widest[d] = zinc_grid_widest(m->grid, d);
	zinc_shard_shape(m, widest, largest.shape);
	if (zinc_shard_layout_init(&largest, sh, largest.shape, NULL) || largest.n > SIZE_MAX / REMOTE_WINDOW ||
	    zinc_shape_bytes(sh->chunk_shape, m->ndim, m->dtype->size, j->c->ctx->limits.chunk_bytes, &win->unit_bytes))
		return zinc_fail(err, ZINC_E_LIMIT,
				 "the shard's index or inner chunks are larger than the limits allow");
	win->nentries = largest.n;
	if (sh->inner->shard || zinc_chain_bound(sh->inner, sh->chunk_shape, &win->unit_limit))
		win->unit_limit = (size_t)(2 * j->c->ctx->limits.chunk_bytes);
	n = zinc_max_u64(1, zinc_min_u64(j->c->caps.flags & ZINC_CAP_REMOTE ? REMOTE_WINDOW : WINDOW_MAX,
					 WINDOW_BYTES / zinc_max_u64(1, win->nentries * sizeof(zinc_shard_entry))));
	*slots = (size_t)zinc_min_u64(n, j->p->nobjects);
	win->slots = zinc_calloc(j->c->ctx, *slots, sizeof *win->slots);
	win->todo = zinc_calloc(j->c->ctx, *slots, sizeof *win->todo);
	win->entries = zinc_calloc(j->c->ctx, *slots * (size_t)win->nentries, sizeof *win->entries);
	return !win->slots || !win->todo || !win->entries ? zinc_fail_nomem(err) : ZINC_OK;
}

zinc_status
zinc_job_read_shards(zinc_job *j, zinc_error *err)
{
	window win;
	size_t slots = 0, i;
	zinc_status st;

	memset(&win, 0, sizeof win);
	pthread_mutex_init(&win.lock, NULL);
	st = window_init(&win, j, &slots, err);
	for (i = 0; st == ZINC_OK && i < j->p->nobjects && j->c->code == ZINC_OK; i += slots) {
		win.first = i;
		win.nslots = j->p->nobjects - i < slots ? j->p->nobjects - i : slots;
		st = read_window(&win, err);
	}
	for (i = 0; win.slots && i < slots; i++)
		zinc_buf_fini(&win.slots[i].begins);
	zinc_free(j->c->ctx, win.slots);
	zinc_free(j->c->ctx, win.todo);
	zinc_free(j->c->ctx, win.entries);
	pthread_mutex_destroy(&win.lock);
	return st;
}
