/*
 * sel.c - check selections and bring them to one form
 *
 * (1) The result lies inside the array: every index of every dimension, list and point.
 * (2) A slice of no or one element has step 1, whatever the caller gave.
 * (3) Masks become points in C order; blocks become slices, clipped at the array's end.
 */
#include "grid/grid.h"

/* Is start + i * step < length for all i < count?  An empty slice may start at the end. */
static bool
slice_fits(uint64_t start, uint64_t count, uint64_t step, uint64_t length)
{
	uint64_t last;

	if (count == 0)
		return start <= length;
	return !zinc_u64_mul(count - 1, step, &last) && !zinc_u64_add(last, start, &last) && last < length;
}

/* Check start, count and step of one dimension. */
static zinc_status
check_slice(zinc_sel_dim *out, int dim, uint64_t start, uint64_t count, uint64_t step, uint64_t length, zinc_error *err)
{
	step = count <= 1 || step == 0 ? 1 : step;
	if (!slice_fits(start, count, step, length))
		return zinc_fail(err, ZINC_E_RANGE,
				 "start %llu, count %llu, step %llu exceed dimension %d, which has length %llu",
				 (unsigned long long)start, (unsigned long long)count, (unsigned long long)step, dim,
				 (unsigned long long)length);
	*out = (zinc_sel_dim){.start = start, .step = step, .count = count};
	return ZINC_OK;
}

/* ---- slices and lists, each dimension for itself ---- */

static zinc_status
select_all(zinc_sel *out, const uint64_t *shape)
{
	int d;

	for (d = 0; d < out->ndim; d++)
		out->dim[d] = (zinc_sel_dim){.step = 1, .count = shape[d]};
	return ZINC_OK;
}

/* start and step may be missing; count may not, because it has no good default. */
static zinc_status
select_box(zinc_sel *out, const zinc_selection *s, const uint64_t *shape, zinc_error *err)
{
	int d;

	if (!s->count && out->ndim > 0)
		return zinc_fail(err, ZINC_E_INVALID, "a box needs a count for each dimension");
	for (d = 0; d < out->ndim; d++)
		ZINC_TRY(check_slice(&out->dim[d], d, s->start ? s->start[d] : 0, s->count[d], s->step ? s->step[d] : 1,
				     shape[d], err));
	return ZINC_OK;
}

static zinc_status
check_list(const zinc_select_dim *in, int dim, uint64_t length, zinc_error *err)
{
	size_t i;

	for (i = 0; i < in->nlist; i++)
		if (in->list[i] >= length)
			return zinc_fail(err, ZINC_E_RANGE, "index %llu is outside dimension %d, which has length %llu",
					 (unsigned long long)in->list[i], dim, (unsigned long long)length);
	return ZINC_OK;
}

/* The list stays the caller's.  A dimension to be dropped must have one index, in whatever form. */
static zinc_status
select_ortho_dim(zinc_sel_dim *out, const zinc_select_dim *in, int dim, uint64_t length, zinc_error *err)
{
	if (in->drop && (in->list ? in->nlist != 1 : in->count > 1))
		return zinc_fail(err, ZINC_E_INVALID, "dimension %d can be dropped only with exactly one index", dim);
	if (in->list) {
		ZINC_TRY(check_list(in, dim, length, err));
		*out = (zinc_sel_dim){.step = 1, .count = in->nlist, .list = in->list};
	} else {
		ZINC_TRY(check_slice(out, dim, in->start, in->drop ? 1 : in->count, in->step, length, err));
	}
	out->drop = in->drop != 0;
	return ZINC_OK;
}

static zinc_status
select_ortho(zinc_sel *out, const zinc_selection *s, const uint64_t *shape, zinc_error *err)
{
	int d;

	if (!s->dims && out->ndim > 0)
		return zinc_fail(err, ZINC_E_INVALID, "an orthogonal selection needs an entry for each dimension");
	for (d = 0; d < out->ndim; d++)
		ZINC_TRY(select_ortho_dim(&out->dim[d], &s->dims[d], d, shape[d], err));
	return ZINC_OK;
}

/* ---- points ---- */

/* Coordinates stay the caller's; an array without dimensions has none to check. */
static zinc_status
select_points(zinc_sel *out, const zinc_selection *s, const uint64_t *shape, zinc_error *err)
{
	const uint64_t *p = s->points;
	size_t i;
	int d;

	if (!p && s->npoints > 0 && out->ndim > 0)
		return zinc_fail(err, ZINC_E_INVALID, "no coordinates for %zu points", s->npoints);
	for (i = 0; i < s->npoints; i++)
		for (d = 0; d < out->ndim; d++, p++)
			if (*p >= shape[d])
				return zinc_fail(
				    err, ZINC_E_RANGE,
				    "coordinate %llu of point %zu is outside dimension %d, which has length %llu",
				    (unsigned long long)*p, i, d, (unsigned long long)shape[d]);
	out->is_points = true;
	out->npoints = s->npoints;
	out->points = s->points;
	return ZINC_OK;
}

/* The next index in C order. */
static void
step_index(uint64_t *index, const uint64_t *shape, int ndim)
{
	int d;

	for (d = ndim - 1; d >= 0 && ++index[d] == shape[d]; d--)
		index[d] = 0;
}

/* Two passes over the mask: the first counts the points, the second stores them.  Should another thread change it between
 * them, no more are stored than were counted. */
static zinc_status
select_mask(zinc_sel *out, const zinc_selection *s, const uint64_t *shape, zinc_error *err)
{
	uint64_t n, index[ZINC_MAX_NDIM] = {0};
	const size_t size = (size_t)out->ndim * sizeof *index;
	size_t i, count = 0, stored = 0;
	uint8_t *to;

	if (zinc_shape_bytes(shape, out->ndim, 1, SIZE_MAX, &n) || n != s->nmask || (!s->mask && n > 0))
		return zinc_fail(err, ZINC_E_INVALID, "a mask must have one byte for each element of the array");
	for (i = 0; i < n; i++)
		count += s->mask[i] != 0;
	out->own = zinc_calloc(out->ctx, count, size);
	if (!out->own)
		return zinc_fail_nomem(err);
	to = out->own;
	for (i = 0; i < n && stored < count; i++, step_index(index, shape, out->ndim))
		if (s->mask[i]) {
			memcpy(to + stored * size, index, size);
			stored++;
		}
	out->is_points = true;
	out->npoints = stored;
	out->points = out->own;
	return ZINC_OK;
}

/* ---- blocks ---- */

/* Convert blocks [start, start + count) of one dimension to a slice. */
static zinc_status
select_block(zinc_sel_dim *out, const zinc_grid *g, int dim, uint64_t start, uint64_t count, uint64_t length,
	     zinc_error *err)
{
	const uint64_t blocks = zinc_grid_count(g, dim, length);
	uint64_t first, last, extent, end;

	if (!zinc_range_within(start, count, blocks))
		return zinc_fail(err, ZINC_E_RANGE,
				 "start block %llu, count %llu exceed dimension %d, which has %llu blocks",
				 (unsigned long long)start, (unsigned long long)count, dim, (unsigned long long)blocks);
	*out = (zinc_sel_dim){.step = 1};
	if (count == 0)
		return ZINC_OK;
	zinc_grid_span(g, dim, start, &first, &extent);
	zinc_grid_span(g, dim, start + count - 1, &last, &extent);
	end = zinc_u64_add(last, extent, &end) ? length : zinc_min_u64(end, length);
	out->start = zinc_min_u64(first, length); /* a grid may have chunks entirely past the end */
	out->count = end - out->start;
	return ZINC_OK;
}

static zinc_status
select_blocks(zinc_sel *out, const zinc_selection *s, const zinc_grid *grid, const uint64_t *shape, zinc_error *err)
{
	int d;

	if (!grid || (!s->count && out->ndim > 0))
		return zinc_fail(err, ZINC_E_INVALID,
				 "a selection of blocks needs a grid, and a count for each dimension");
	for (d = 0; d < out->ndim; d++)
		ZINC_TRY(select_block(&out->dim[d], grid, d, s->start ? s->start[d] : 0, s->count[d], shape[d], err));
	return ZINC_OK;
}

/* ---- all kinds ---- */

/* Fills dim[] or points.  A wrong number of dimensions is reported before wrong indices. */
static zinc_status
select_kind(zinc_sel *out, const zinc_selection *s, const zinc_grid *grid, const uint64_t *shape, zinc_error *err)
{
	if (s->kind == ZINC_SELECT_ALL)
		return select_all(out, shape);
	if (s->ndim != out->ndim)
		return zinc_fail(err, ZINC_E_INVALID, "the selection has %d dimensions, the array %d", s->ndim,
				 out->ndim);
	switch (s->kind) {
	case ZINC_SELECT_BOX:
		return select_box(out, s, shape, err);
	case ZINC_SELECT_ORTHO:
		return select_ortho(out, s, shape, err);
	case ZINC_SELECT_POINTS:
		return select_points(out, s, shape, err);
	case ZINC_SELECT_MASK:
		return select_mask(out, s, shape, err);
	case ZINC_SELECT_BLOCKS:
		return select_blocks(out, s, grid, shape, err);
	default:
		return zinc_fail(err, ZINC_E_INVALID, "no such kind of selection: %d", (int)s->kind);
	}
}

/* The shape of the result.  It may have more elements than the array, because lists may repeat; and an array may
 * have more than 2^64.  Only the number of selected elements matters here. */
static zinc_status
set_result_shape(zinc_sel *out, zinc_error *err)
{
	int d;

	if (out->is_points)
		out->out_shape[out->out_ndim++] = out->npoints;
	for (d = 0; d < out->ndim && !out->is_points; d++)
		if (!out->dim[d].drop)
			out->out_shape[out->out_ndim++] = out->dim[d].count;
	if (zinc_shape_bytes(out->out_shape, out->out_ndim, 1, UINT64_MAX, &out->out_n))
		return zinc_fail(err, ZINC_E_LIMIT, "more than 2^64 elements are selected; select fewer (-s)");
	return ZINC_OK;
}

zinc_status
zinc_sel_init(zinc_sel *out, zinc_context *ctx, const zinc_selection *s, const zinc_grid *grid, int ndim,
	      const uint64_t *shape, zinc_error *err)
{
	zinc_selection own;
	zinc_status st;

	*out = (zinc_sel){.ctx = ctx, .ndim = ndim};
	st = zinc_options_take(&own, sizeof own, s, err);
	if (st == ZINC_OK)
		st = select_kind(out, &own, grid, shape, err);
	if (st == ZINC_OK)
		st = set_result_shape(out, err);
	if (st != ZINC_OK)
		zinc_sel_fini(out);
	return st;
}

void
zinc_sel_fini(zinc_sel *s)
{
	zinc_free(s->ctx, s->own);
	s->own = NULL;
}
