/*
 * grid_bounded.c - chunks of one shape, cut at the array's end: the extension of zarrs, and the blocks of N5
 *
 *     {"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": [4]}}
 *
 *     shape [10]:  |4   |4   |2 |        `regular` would store the last chunk with 4 elements
 *
 * (1) A chunk at the end is stored with the shape that is left.  It would have to be encoded again for another shape of
 *     the array, so a resize is E_UNSUPPORTED (tests/unit/test_grid_bounded.c).  Blocks of N5 say their shape themselves.
 */
#include "grid/rows.h"

typedef struct bounded {
	zinc_context *ctx;
	uint64_t step[ZINC_MAX_NDIM], length[ZINC_MAX_NDIM];
} bounded;

static zinc_status
parse_steps(bounded *b, int ndim, const zinc_json *list, zinc_report *r, zinc_error *err)
{
	const zinc_json *v;
	int d = 0;

	if (!zinc_json_is(list, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "M38", err, "the grid needs chunk_shape, an array of integers");
	if (list->n != (size_t)ndim)
		return zinc_report_error(r, "M39", err, "chunk_shape has %zu dimensions, the array %d", list->n, ndim);
	for (v = list->first; v; v = v->next, d++) {
		ZINC_TRY(zinc_grid_parse_edge(&b->step[d], v, r, err));
		if (b->step[d] == 0)
			return zinc_report_error(r, "M40", err, "chunk_shape must be at least 1 in each dimension");
	}
	return ZINC_OK;
}

static zinc_status
bounded_parse(zinc_grid *g, const zinc_json *configuration, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	bounded *b = zinc_calloc(g->ctx, 1, sizeof *b);
	size_t mark;
	zinc_status st;
	int d;

	if (!b)
		return zinc_fail_nomem(err);
	g->self = b;
	g->opened = true;
	b->ctx = g->ctx;
	for (d = 0; d < g->ndim; d++)
		b->length[d] = shape[d];
	mark = zinc_report_enter(r, "chunk_shape");
	st = parse_steps(b, g->ndim, zinc_json_member(configuration, "chunk_shape"), r, err);
	zinc_report_leave(r, mark);
	return st;
}

static void
bounded_close(void *self)
{
	bounded *b = self;

	zinc_free(b->ctx, b);
}

static zinc_json *
bounded_print(const zinc_grid *g, zinc_json_doc *doc)
{
	const bounded *b = g->self;
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	return zinc_json_set(doc, v, "chunk_shape", zinc_json_make_u64_list(doc, b->step, g->ndim), NULL) == ZINC_OK
		   ? v
		   : NULL;
}

static uint64_t
bounded_count(void *self, int dim, uint64_t length)
{
	return zinc_ceil_div(length, ((const bounded *)self)->step[dim]);
}

static uint64_t
bounded_find(void *self, int dim, uint64_t i)
{
	return i / ((const bounded *)self)->step[dim];
}

/* A chunk outside the array has its full extent. */
static void
bounded_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	const bounded *b = self;

	*start = chunk * b->step[dim];
	*extent = b->step[dim];
	if (*start < b->length[dim])
		*extent = zinc_min_u64(*extent, b->length[dim] - *start);
}

static uint64_t
bounded_widest(void *self, int dim)
{
	const bounded *b = self;

	return b->length[dim] == 0 ? b->step[dim] : zinc_min_u64(b->step[dim], b->length[dim]);
}

static bool
bounded_divides(void *self, int dim, uint64_t by)
{
	const bounded *b = self;

	return (b->length[dim] < b->step[dim] || b->step[dim] % by == 0) && (b->length[dim] % b->step[dim]) % by == 0;
}

static zinc_status
bounded_fit(zinc_grid *g, const uint64_t *before, const uint64_t *after, const uint64_t *unit, bool *changed,
	    zinc_error *err)
{
	int d;

	(void)unit, (void)changed;
	for (d = 0; d < g->ndim; d++)
		if (before[d] != after[d])
			return zinc_fail(err, ZINC_E_UNSUPPORTED,
					 "an array with chunk grid \"%s\" cannot be resized, because its last chunks "
					 "end with it; copy it with other chunks first",
					 g->ops->name);
	return ZINC_OK;
}

const zinc_grid_ops zinc_grid_ops_bounded = {
    .name = "zarrs.regular_bounded",
    .purpose = "chunks of one shape, cut at the array's end",
    .needs_configuration = true,
    .parse = bounded_parse,
    .print = bounded_print,
    .close = bounded_close,
    .count = bounded_count,
    .find = bounded_find,
    .span = bounded_span,
    .widest = bounded_widest,
    .divides = bounded_divides,
    .fit = bounded_fit,
};

/* ---- blocks of N5 ---- */

static uint64_t
block_widest(void *self, int dim)
{
	return ((const bounded *)self)->step[dim];
}

/* Copies turn it into the regular grid of another format, which has its name and configuration. */
static const zinc_grid_ops blocks = {
    .name = "regular",
    .purpose = "chunks of one shape that end with the array",
    .print = bounded_print,
    .close = bounded_close,
    .count = bounded_count,
    .find = bounded_find,
    .span = bounded_span,
    .widest = block_widest,
    .grows = true,
};

zinc_status
zinc_grid_cut(zinc_grid *g, const uint64_t *shape, zinc_error *err)
{
	bounded *b = zinc_calloc(g->ctx, 1, sizeof *b);

	if (!b)
		return zinc_fail_nomem(err);
	b->ctx = g->ctx;
	memcpy(b->step, g->step, sizeof b->step);
	memcpy(b->length, shape, (size_t)g->ndim * sizeof *shape);
	g->ops = &blocks;
	g->self = b;
	g->opened = true;
	return ZINC_OK;
}
