/*
 * read.c - read a selection
 *
 * Promises (tests/unit/test_read.c names each by its number):
 *
 * (1) A missing object is read as fill value (or E_NOTFOUND with missing_is_error); any other failure of the store is a
 *     failure of the read, never a fill value.
 * (2) Elements are the same for any number of threads, with and without the cache.
 * (3) After the first chunks, a read makes no allocation of its own per chunk.
 * (4) An object is never larger in memory than its chain allows: a larger one is E_CORRUPT before it is read.
 */
#include "array/engine.h"

/* ---- the elements that a selection needs ---- */

/* The smallest and the largest selected index of a dimension. */
static void
ends(const zinc_segment *g, uint64_t *near, uint64_t *far)
{
	uint64_t i;

	*near = g->in_list ? g->in_list[0] : g->first;
	*far = g->in_list ? g->in_list[0] : g->first + (g->count - 1) * g->step;
	for (i = 1; g->in_list && i < g->count; i++) {
		*near = zinc_min_u64(*near, g->in_list[i]);
		*far = zinc_max_u64(*far, g->in_list[i]);
	}
}

zinc_needed
zinc_elements_needed(const zinc_plan *p, const zinc_chain *c, const int *axis, const uint64_t *extent,
		     const zinc_unit *u)
{
	uint64_t stride = 1, last = 0, near, far;
	zinc_needed n = {0, 0};
	int d;

	if (p->sel.is_points || (!c->reorders_only && !c->reshapes_only))
		return n;
	for (d = p->m->ndim - 1; d >= 0; d--) {
		ends(u->seg[axis ? axis[c->axis[d]] : c->axis[d]], &near, &far);
		n.first += near * stride;
		last += far * stride;
		stride *= extent[c->axis[d]];
	}
	n.end = last + 1 == stride && n.first == 0 ? 0 : last + 1;
	return n;
}

uint64_t
zinc_object_selected(const zinc_plan *p, const zinc_object *o)
{
	uint64_t n = 1, in_dim;
	size_t i;
	int d;

	if (p->sel.is_points)
		return o->end - o->begin;
	for (d = 0; d < p->m->ndim; d++) {
		for (i = o->span[d]->begin, in_dim = 0; i < o->span[d]->end; i++)
			in_dim += p->split[d].segments[i].count;
		n *= in_dim; /* cannot overflow: at most the number of elements of the result */
	}
	return n;
}

uint64_t
zinc_unit_selected(const zinc_plan *p, const zinc_unit *u)
{
	uint64_t n = 1;
	int d;

	if (p->sel.is_points)
		return u->end - u->begin;
	for (d = 0; d < p->m->ndim; d++)
		n *= u->seg[d]->count; /* cannot overflow: at most the number of elements of the result */
	return n;
}

void
zinc_tell_missing(const zinc_job *j, const zinc_object *o)
{
	if (j->c->o.missing && !j->explain)
		j->c->o.missing(j->c->o.missing_arg, o->index);
}

/* Fill the buffer for an object that is not stored; E_NOTFOUND with missing_is_error. */
static zinc_status
read_missing(zinc_job *j, const zinc_reading *r, zinc_error *err)
{
	zinc_tell_missing(j, &r->o);
	if (j->c->o.missing_is_error)
		return zinc_fail(err, ZINC_E_NOTFOUND, "the chunk is not stored");
	return zinc_transfer_fill(j->p, j->t, &r->u, err);
}

bool
zinc_may_split(const zinc_call *c, uint64_t n)
{
	return n <= 1 || (c->caps.flags & ZINC_CAP_TAGS);
}

/* ---- the start of an object, and all of it ---- */

/* Gaps in shards are legal: the bound of a shard has as many bytes for gaps as for chunks, and is at least 1 MiB. */
uint64_t
zinc_object_limit(const zinc_meta *m, zinc_context *ctx, const uint64_t *extent)
{
	size_t n;

	if (!m->chain || zinc_chain_bound(m->chain, extent, &n))
		return zinc_max_chunk(ctx);
	return m->chain->shard ? zinc_max_u64(n, ZINC_MIB) : n;
}

static zinc_status
too_long(void *arg, const zinc_fetch_item *it, uint64_t nbytes, zinc_error *err)
{
	(void)arg;
	return zinc_fail(err, ZINC_E_CORRUPT,
			 "the object has %llu bytes, but an encoded chunk of this array has at most %llu",
			 (unsigned long long)nbytes, (unsigned long long)it->bound);
}

/*
 * If the first elements are enough and can be decoded from the start of the object, only the start is fetched.
 * Measured: reading the first plane of 512^3 uint16 in zstd chunks of 256^3 computes 1.6 ms instead of 16.
 */
static zinc_status
want_start(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, bool *can, zinc_error *err)
{
	const zinc_chain *chain = j->p->m->chain;
	size_t n;

	(void)err;
	*can = !zinc_cache_of(j->c) && (j->c->caps.flags & ZINC_CAP_RANGE) &&
	       zinc_chain_can_decode_start(chain, r->o.extent,
					   zinc_elements_needed(j->p, chain, NULL, r->o.extent, &r->u).end,
					   j->c->o.unverified, &n);
	if (!*can)
		return ZINC_OK;
	it->bound = zinc_object_limit(j->p->m, j->c->ctx, r->o.extent);
	zinc_fetch_want(it, (zinc_get){.length = n, .untagged = 1});
	return ZINC_OK;
}

static zinc_status
take_start(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, zinc_worker *w, bool *done, zinc_error *err)
{
	const zinc_chain *chain = j->p->m->chain;
	const uint64_t need = zinc_elements_needed(j->p, chain, NULL, r->o.extent, &r->u).end;
	const zinc_bytes in = {it->bytes->p, it->bytes->n};
	zinc_view v;

	if (it->size > it->bound)
		return too_long(j, it, it->size, err);
	ZINC_TRY(zinc_chain_decode_start(chain, w->s, r->o.extent, in, need, &v, done, err));
	return *done ? zinc_transfer_out(j->p, j->t, &r->u, &v, w->s, err) : ZINC_OK;
}

static zinc_status
want_whole(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, bool *can, zinc_error *err)
{
	(void)err;
	*can = true;
	it->bound = zinc_object_limit(j->p->m, j->c->ctx, r->o.extent);
	zinc_fetch_want(it, (zinc_get){.length = ZINC_TO_END, .untagged = !zinc_cache_of(j->c)});
	return ZINC_OK;
}

static zinc_status
take_whole(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, zinc_worker *w, bool *done, zinc_error *err)
{
	const zinc_meta *m = j->p->m;
	zinc_cache *cache = zinc_cache_of(j->c);
	uint8_t *direct = zinc_transfer_direct(j->p, j->t, &r->u);
	const zinc_bytes in = {it->bytes->p, it->bytes->n};
	zinc_needed n = {0, 0};
	zinc_view v;

	*done = true;
	if (!cache)
		n = zinc_elements_needed(j->p, m->chain, NULL, r->o.extent, &r->u);
	ZINC_TRY(zinc_chain_decode_part(m->chain, w->s, r->o.extent, in, direct, n.first, n.end, &v, err));
	if (cache)
		zinc_cache_put(cache, j->c->store, (const char *)it->key.p, 0, &it->tag, &v, r->o.extent, m->ndim,
			       m->dtype->size);
	return v.p == direct ? ZINC_OK : zinc_transfer_out(j->p, j->t, &r->u, &v, w->s, err);
}

/* ---- the ways to read an object ---- */

static const zinc_way way_start = {.want = want_start, .take = take_start};
static const zinc_way way_whole = {.want = want_whole, .take = take_whole};

/* The last way applies to every object. */
static const zinc_way *const ways[] = {&zinc_way_cached, &zinc_way_pieces, &zinc_way_rows, &zinc_way_bands,
				       &zinc_way_points, &way_start,       &way_whole};

/* Compute the object and its unit only if the thread's current object is another one. */
static const zinc_reading *
reading_of(const zinc_job *j, int worker, size_t i)
{
	zinc_reading *r = &j->c->workers[worker].r;

	if (r->i != i) {
		zinc_plan_object(j->p, i, &r->o);
		zinc_plan_unit(j->p, &r->o, 0, &r->u);
		r->i = i;
	}
	return r;
}

static zinc_status
want(void *arg, zinc_fetch_item *it, int worker, zinc_error *err)
{
	zinc_job *j = arg;
	const zinc_reading *r = reading_of(j, worker, it->i);
	bool can = false;

	if (it->round == 0)
		ZINC_TRY(zinc_call_item_key(j->c, it, r->o.index, err));
	ZINC_TRY(ways[it->how]->want(j, r, it, &can, err));
	while (!can)
		ZINC_TRY(ways[++it->how]->want(j, r, it, &can, err));
	return ZINC_OK;
}

/* Record the cost of the object instead of reading it. */
static void
explain(zinc_job *j, const zinc_fetch_item *it)
{
	const bool found = it->found == ZINC_FOUND;
	zinc_touch t = {.object = it->i, .found = found, .exact = ways[it->how]->exact};

	t.nbytes = t.object_bytes = found ? it->size : 0;
	zinc_explain_unit(j->explain, &t);
}

/* *done false: use the next way, because an object that was changed meanwhile must be read in one request. */
static zinc_status
take_by(zinc_job *j, const zinc_way *way, const zinc_reading *r, zinc_fetch_item *it, zinc_worker *w, bool *done,
	zinc_error *err)
{
	uint64_t expected = 0;

	*done = it->found != ZINC_CHANGED;
	if (it->found == ZINC_MISSING && way != &zinc_way_cached)
		return j->explain ? ZINC_OK : read_missing(j, r, err);
	if (it->found == ZINC_CHANGED || j->explain)
		return ZINC_OK;
	if (way->plain && (zinc_shape_bytes(r->o.extent, j->p->m->ndim, j->p->m->dtype->size, UINT64_MAX, &expected) ||
			   it->size != expected))
		return zinc_fail(err, ZINC_E_CORRUPT, "the object has %llu bytes instead of %llu",
				 (unsigned long long)it->size, (unsigned long long)expected);
	return way->take(j, r, it, w, done, err);
}

static zinc_status
take(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	zinc_job *j = arg;
	const zinc_reading *r = reading_of(j, worker, it->i);
	const zinc_way *way = ways[it->how];
	bool done = false;

	ZINC_TRY(take_by(j, way, r, it, &j->c->workers[worker], &done, err));
	it->how += !done;
	*again = !done || (it->found == ZINC_FOUND && way->more != NULL && way->more(j, r, it));
	if (*again)
		return ZINC_OK;
	if (j->explain)
		explain(j, it);
	zinc_call_done(j->c, 1, zinc_unit_selected(j->p, &r->u) * (uint64_t)j->t->element);
	return ZINC_OK;
}

static void
fail(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err)
{
	zinc_job *j = arg;
	zinc_object o;

	zinc_plan_object(j->p, it->i, &o);
	if (it->key.n > 0)
		zinc_error_at_key(err, st, (const char *)it->key.p);
	zinc_call_at_object(j->p->m, o.index, st, err);
	zinc_call_fail(j->c, it->i, st, err);
}

static bool
stopped(void *arg, size_t i)
{
	return zinc_call_stopped(((zinc_job *)arg)->c, i);
}

static bool
halted(void *arg)
{
	return zinc_call_halted(((zinc_job *)arg)->c);
}

static void
count(void *arg, uint64_t requests, uint64_t ranges, uint64_t nbytes)
{
	zinc_explain_requests(((zinc_job *)arg)->explain, requests, ranges, nbytes);
}

zinc_status
zinc_job_read(zinc_job *j, zinc_error *err)
{
	zinc_fetch f = zinc_call_fetch(j->c, j);

	(void)err;
	f.stopped = stopped;
	f.halted = halted;
	f.want = want;
	f.take = take;
	f.fail = fail;
	f.too_long = too_long;
	f.count = j->explain ? count : NULL;
	zinc_fetch_run(&f, j->p->nobjects);
	return ZINC_OK;
}

/* ---- public ---- */

static zinc_status
read_planned(zinc_call *c, zinc_plan *p, const zinc_buffer *buffer, zinc_error *err)
{
	zinc_target t;
	zinc_buffer b;
	zinc_job j = {c, p, &t, false, NULL};

	ZINC_TRY(zinc_buffer_take(&b, buffer, err));
	ZINC_TRY(zinc_target_init(&t, c->m, &p->sel, &b, c->o.convert, false, err));
	c->units_total = p->nunits;
	if (p->nobjects == 0)
		return ZINC_OK;
	return p->units_are_objects ? zinc_job_read(&j, err) : zinc_job_read_shards(&j, err);
}

zinc_status
zinc_array_read(zinc_array *a, const zinc_selection *selection, zinc_buffer *buffer, const zinc_io_options *options,
		zinc_error *err)
{
	zinc_call c;
	zinc_plan p;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && buffer, err));
	p.ctx = NULL; /* zinc_plan_fini does nothing before zinc_plan_init */
	st = zinc_call_begin(&c, a, options, err);
	if (st == ZINC_OK)
		st = zinc_plan_init(&p, c.ctx, c.m, selection, err);
	if (st == ZINC_OK)
		st = read_planned(&c, &p, buffer, err);
	zinc_plan_fini(&p);
	return zinc_call_end(&c, st, err);
}

zinc_status
zinc_array_read_text(zinc_array *a, const char *selection, zinc_buffer *buffer, const zinc_io_options *options,
		     zinc_error *err)
{
	zinc_selection *s = NULL;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && buffer, err));
	if (!selection || *selection == '\0')
		return zinc_array_read(a, NULL, buffer, options, err);
	ZINC_TRY(zinc_selection_parse(&s, a, selection, err));
	st = zinc_array_read(a, s, buffer, options, err);
	zinc_selection_free(s);
	return st;
}
