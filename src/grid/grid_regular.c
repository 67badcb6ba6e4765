/*
 * grid_regular.c - chunks of one shape, aligned at the origin (v3 core, "Regular grids"; M38-M42)
 *
 *     {"name": "regular", "configuration": {"chunk_shape": [5, 20, 400]}}
 *
 * Along a dimension of length L chunk i is [i * step, (i + 1) * step); the last one may reach past L.
 */
#include "grid/rows.h"

/* One item of chunk_shape. */
static zinc_status
parse_extent(zinc_grid *g, int dim, const zinc_json *item, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	ZINC_TRY(zinc_grid_parse_edge(&g->step[dim], item, r, err));
	if (g->step[dim] != 0)
		return ZINC_OK;
	if (shape[dim] != 0)
		return zinc_report_error(r, "M40", err, "chunk_shape must be at least 1 in each dimension");
	g->step[dim] = 1; /* older texts of the specification allowed 0 for an empty dimension */
	return zinc_report_lenient(r, "M40", err, "chunk_shape is 0 in an empty dimension; taken as 1");
}

static zinc_status
parse_chunk_shape(zinc_grid *g, const zinc_json *v, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	const zinc_json *item;
	int dim = 0;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "M38", err, "a regular grid needs chunk_shape, an array of integers");
	if (v->n != (size_t)g->ndim)
		return zinc_report_error(r, "M39", err, "chunk_shape has %zu dimensions, the array %d", v->n, g->ndim);
	for (item = v->first; item; item = item->next, dim++) {
		const size_t mark = zinc_report_enter_item(r, (size_t)dim);
		const zinc_status st = parse_extent(g, dim, item, shape, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

static bool
has_lists(const zinc_json *shape)
{
	const zinc_json *v;

	for (v = zinc_json_is(shape, ZINC_JSON_ARRAY) ? shape->first : NULL; v; v = v->next)
		if (zinc_json_is(v, ZINC_JSON_ARRAY))
			return true;
	return false;
}

/* zarr-python 3.2.0 and 3.2.1 wrote rectilinear grids under this name. */
static zinc_status
parse_mixed(zinc_grid *g, const zinc_json *v, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	ZINC_TRY(zinc_report_lenient(r, "M40", err, "chunk_shape has lists of edges; taken as a rectilinear grid"));
	return zinc_grid_parse_shapes(g, v, shape, r, err);
}

/* `configuration` may be NULL: the object form without one is parsed here; a bare string is refused earlier. */
static zinc_status
regular_parse(zinc_grid *g, const zinc_json *configuration, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, "chunk_shape"), *m;
	size_t mark;
	zinc_status st;

	for (m = configuration ? configuration->first : NULL; m; m = m->next)
		if (strcmp(m->key, "chunk_shape") != 0)
			ZINC_TRY(
			    zinc_report_lenient(r, "M38", err, "unknown member \"%.60s\" of a regular grid", m->key));
	g->self = g->step;
	mark = zinc_report_enter(r, "chunk_shape");
	st = has_lists(v) ? parse_mixed(g, v, shape, r, err) : parse_chunk_shape(g, v, shape, r, err);
	zinc_report_leave(r, mark);
	return st;
}

static zinc_json *
regular_print(const zinc_grid *g, zinc_json_doc *doc)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	return zinc_json_set(doc, v, "chunk_shape", zinc_json_make_u64_list(doc, g->step, g->ndim), NULL) == ZINC_OK
		   ? v
		   : NULL;
}

/* `self` of a regular grid is the chunk shape. */
static uint64_t
step_of(void *self, int dim)
{
	return ((const uint64_t *)self)[dim];
}

/* An empty dimension has no chunks. */
static uint64_t
regular_count(void *self, int dim, uint64_t length)
{
	return zinc_ceil_div(length, step_of(self, dim));
}

static uint64_t
regular_find(void *self, int dim, uint64_t i)
{
	return i / step_of(self, dim);
}

/* The full extent: chunks at the border are stored whole (M42). */
static void
regular_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	*start = chunk * step_of(self, dim);
	*extent = step_of(self, dim);
}

const zinc_grid_ops zinc_grid_ops_regular = {
    .name = "regular",
    .purpose = "chunks of one shape",
    .parse = regular_parse,
    .print = regular_print,
    .count = regular_count,
    .find = regular_find,
    .span = regular_span,
    .widest = step_of,
    .needs_configuration = true,
};

void
zinc_grid_regular_init(zinc_grid *g, int ndim, const uint64_t *chunk_shape)
{
	int d;

	*g = (zinc_grid){.ops = &zinc_grid_ops_regular, .ndim = ndim};
	g->self = g->step;
	for (d = 0; d < ndim; d++)
		g->step[d] = chunk_shape[d];
}
