/*
 * read_points.c - read single elements of a plain chunk, without the rest of it
 *
 * Points that are far apart are a few bytes of a large object.  All requests are sent to the store in one batch; if
 * the answers are not all of one generation of the object, it is read whole.  Measured: reading 1 000 points of 512^3
 * uint16 in raw chunks of 256^3 computes 1.7 ms, and 43 ms when the chunks are read whole.
 *
 *     file       ....x.............x..x........x....
 *     requests       [x]          [x..x]      [x]              near points share one
 */
#include "array/engine.h"

#define MOST_POINTS (256 * 1024u) /* of a chunk, because the requests for all of them are in memory */

/* Do the requests cost less than reading the whole chunk? */
static bool
requests_cost_less(const zinc_job *j, const zinc_reading *r)
{
	const zinc_meta *m = j->p->m;
	const uint64_t n = r->u.end - r->u.begin;
	uint64_t expected, cost;

	return n <= MOST_POINTS && (j->c->caps.flags & ZINC_CAP_RANGE) && zinc_may_split(j->c, n) &&
	       !zinc_cache_of(j->c) && zinc_chain_plain(m->chain) == 1 && zinc_axes_in_order(m) &&
	       !zinc_shape_bytes(r->o.extent, m->ndim, m->dtype->size, INT64_MAX, &expected) &&
	       !zinc_u64_mul(n, zinc_max_u64(j->c->caps.merge_gap, ZINC_REQUEST_BYTES), &cost) && cost < expected;
}

static zinc_status
want(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, bool *can, zinc_error *err)
{
	const int ndim = j->p->m->ndim;
	const size_t size = j->p->m->dtype->size, n = j->p->sel.is_points ? r->u.end - r->u.begin : 0;
	int64_t strides[ZINC_MAX_NDIM];
	zinc_fetch_range *ranges;
	zinc_get *gets;
	size_t i;
	int d;

	*can = n > 0 && requests_cost_less(j, r);
	if (!*can)
		return ZINC_OK;
	ZINC_TRY(zinc_fetch_room(it, n, n * sizeof *ranges, &gets, err));
	ranges = it->behind;
	zinc_strides_c(r->o.extent, ndim, size, strides);
	for (i = 0; i < n; i++) {
		const uint64_t *at = j->p->sel.points + j->p->order[r->u.begin + i] * (uint64_t)ndim;

		ranges[i] = (zinc_fetch_range){.nbytes = size, .tell = r->u.begin + i};
		for (d = 0; d < ndim; d++)
			ranges[i].offset += (at[d] - r->u.start[d]) * (uint64_t)strides[d];
	}
	it->n = zinc_fetch_merge(ranges, n, j->c->caps.merge_gap, (const char *)it->key.p, NULL, gets);
	return ZINC_OK;
}

/* For the copy, each point is a unit with one element. */
static zinc_status
take(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, zinc_worker *w, bool *done, zinc_error *err)
{
	const zinc_fetch_range *ranges = it->behind;
	zinc_unit one = r->u;
	size_t i;

	*done = true;
	for (i = 0; i < r->u.end - r->u.begin; i++) {
		const zinc_view v = {it->bytes->p + (size_t)ranges[i].at, {0}};

		one.begin = ranges[i].tell;
		one.end = one.begin + 1;
		ZINC_TRY(zinc_transfer_out(j->p, j->t, &one, &v, w->s, err));
	}
	return ZINC_OK;
}

const zinc_way zinc_way_points = {.want = want, .take = take, .exact = true, .plain = true};
