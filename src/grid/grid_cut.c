/*
 * grid_cut.c - a regular grid whose chunks at the border end with the array
 *
 *     length 10, step 4: [0, 4) [4, 8) [8, 10)
 *
 * Documents of the final version cannot select it.  The format n5 has it, because readers of N5 expect blocks that do
 * not reach past the array.
 */
#include "grid/rows.h"

typedef struct cut {
	zinc_context *ctx;
	uint64_t step[ZINC_MAX_NDIM], length[ZINC_MAX_NDIM];
} cut;

static uint64_t
cut_count(void *self, int dim, uint64_t length)
{
	return zinc_ceil_div(length, ((const cut *)self)->step[dim]);
}

static uint64_t
cut_find(void *self, int dim, uint64_t i)
{
	return i / ((const cut *)self)->step[dim];
}

/* A chunk outside the array has its full extent. */
static void
cut_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	const cut *x = self;

	*start = chunk * x->step[dim];
	*extent = x->step[dim];
	if (*start < x->length[dim])
		*extent = zinc_min_u64(*extent, x->length[dim] - *start);
}

static uint64_t
cut_widest(void *self, int dim)
{
	return ((const cut *)self)->step[dim];
}

static void
cut_close(void *self)
{
	zinc_free(((cut *)self)->ctx, self);
}

/* Copies turn it into the regular grid of another format, which has its name and configuration. */
static zinc_json *
cut_print(const zinc_grid *g, zinc_json_doc *doc)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	return zinc_json_set(doc, v, "chunk_shape", zinc_json_make_u64_list(doc, ((const cut *)g->self)->step, g->ndim),
			     NULL) == ZINC_OK
		   ? v
		   : NULL;
}

static const zinc_grid_ops ops = {
    .name = "regular",
    .purpose = "chunks of one shape that end with the array",
    .print = cut_print,
    .close = cut_close,
    .count = cut_count,
    .find = cut_find,
    .span = cut_span,
    .widest = cut_widest,
};

zinc_status
zinc_grid_cut(zinc_grid *g, const uint64_t *shape, zinc_error *err)
{
	cut *x = zinc_calloc(g->ctx, 1, sizeof *x);

	if (!x)
		return zinc_fail_nomem(err);
	x->ctx = g->ctx;
	memcpy(x->step, g->step, sizeof x->step);
	memcpy(x->length, shape, (size_t)g->ndim * sizeof *shape);
	g->ops = &ops;
	g->self = x;
	g->opened = true;
	return ZINC_OK;
}
