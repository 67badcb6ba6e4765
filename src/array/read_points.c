/*
 * read_points.c - single elements of a plain chunk, each by a request of its own
 *
 * Points that lie far apart are a few bytes of a large object.  All requests go to the store in one batch; if they are
 * not all of one generation of the object it is read whole.  Measured: 1 000 points of 512^3 uint16 in raw chunks of 256^3 compute
 * 1.7 ms instead of 43, for which the chunks were read whole.
 *
 *     file       ....x.............x..x........x....
 *     scratch    [x][x][x][x]                             in the order of the plan
 */
#include "array/engine.h"

typedef struct points {
	size_t n;
	uint64_t expected; /* size of the object */
	zinc_ranges got;
} points;

/* Not where reading all costs less. */
static bool
find_points(points *x, const zinc_job *j, const zinc_object *o, const zinc_unit *u)
{
	const zinc_meta *m = j->p->m;
	uint64_t cost;

	memset(x, 0, sizeof *x);
	x->n = u->end - u->begin;
	return (j->c->caps.flags & ZINC_CAP_RANGE) && zinc_may_split(j->c, x->n) && zinc_cache_of(j->c) == NULL &&
	       zinc_chain_plain(m->chain) == 1 && zinc_axes_in_order(m) &&
	       !zinc_shape_bytes(o->extent, m->ndim, m->dtype->size, INT64_MAX, &x->expected) &&
	       !zinc_u64_mul(x->n, zinc_max_u64(j->c->caps.merge_gap, ZINC_REQUEST_BYTES), &cost) && cost < x->expected;
}

static zinc_status
fetch(zinc_job *j, zinc_worker *w, points *x, const zinc_object *o, const zinc_unit *u, const char *key,
      zinc_error *err)
{
	const int ndim = j->p->m->ndim;
	const size_t size = j->p->m->dtype->size;
	int64_t strides[ZINC_MAX_NDIM];
	zinc_get *requests;
	struct iovec *iov;
	size_t i;
	int d;

	w->s->fetch.max = x->n * size;
	ZINC_TRY(zinc_buf_reset(&w->s->fetch, x->n * size, err));
	ZINC_TRY(zinc_buf_reset(&w->requests, x->n * (sizeof *requests + sizeof *iov), err));
	requests = (zinc_get *)(void *)w->requests.p;
	iov = (struct iovec *)(void *)(w->requests.p + x->n * sizeof *requests);
	zinc_strides_c(o->extent, ndim, size, strides);
	for (i = 0; i < x->n; i++) {
		const uint64_t *at = j->p->sel.points + j->p->order[u->begin + i] * (uint64_t)ndim;

		iov[i] = (struct iovec){w->s->fetch.p + i * size, size};
		requests[i] = (zinc_get){.key = key, .length = size, .iov = &iov[i], .niov = 1};
		for (d = 0; d < ndim; d++)
			requests[i].offset += (at[d] - u->start[d]) * (uint64_t)strides[d];
	}
	ZINC_TRY(zinc_fetch_ranges(j->c, requests, x->n, &x->got, err));
	if (x->got.found == ZINC_FOUND && x->got.size != x->expected)
		return zinc_wrong_size(x->got.size, x->expected, err);
	return ZINC_OK;
}

/* What the requests would cost. */
static zinc_status
explain(zinc_job *j, const points *x, const zinc_object *o, const char *key, zinc_error *err)
{
	zinc_touch t;

	ZINC_TRY(zinc_explain_object(j, o, key, &t, err));
	zinc_explain_requests(j->explain, x->n, x->n, t.found ? x->n * j->p->m->dtype->size : 0);
	t.exact = true;
	zinc_explain_unit(j->explain, &t);
	return ZINC_OK;
}

/* To the copy, each point is a unit of which it is the only element. */
static zinc_status
copy(zinc_job *j, zinc_worker *w, const zinc_unit *u, zinc_error *err)
{
	zinc_unit one = *u;
	zinc_view v = {w->s->fetch.p, {0}};

	for (; one.begin < u->end; one.begin++, v.p += j->p->m->dtype->size) {
		one.end = one.begin + 1;
		ZINC_TRY(zinc_transfer_out(j->p, j->t, &one, &v, w->s, err));
	}
	return ZINC_OK;
}

zinc_status
zinc_read_points(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key, bool *done,
		 zinc_error *err)
{
	points x;

	*done = find_points(&x, j, o, u);
	if (!*done)
		return ZINC_OK;
	if (j->explain != NULL)
		return explain(j, &x, o, key, err);
	ZINC_TRY(fetch(j, w, &x, o, u, key, err));
	*done = x.got.found != ZINC_CHANGED;
	if (x.got.found == ZINC_MISSING)
		return zinc_read_missing(j, u, err);
	return *done ? copy(j, w, u, err) : ZINC_OK;
}
