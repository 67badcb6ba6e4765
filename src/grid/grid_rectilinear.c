/*
 * grid_rectilinear.c - chunks of several lengths along a dimension (zarr-extensions, "rectilinear")
 *
 *     {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [4, [2, [3, 2], 5]]}}
 *
 *     dimension 0, of any length:  |4   |4   |4   | ...
 *     dimension 1:                 |2 |3  |3  |5    |         [edge, count] is a run of equal edges
 *
 * The edges of a list may reach past the array's end by several chunks; those hold no elements.  Promises
 * (tests/unit/test_grid_rectilinear.c names each by its number):
 *
 * (1) Memory is that of the runs, whatever their counts; a chunk is found by binary search.
 * (2) Edges of a dimension that do not add up to its length, or to more than 2^64-1, are an error.
 * (3) Only chunks that hold elements are counted, so an empty dimension has none.
 * (4) The spelling of the result is one: a number stays a number, equal neighbours are one run.
 * (5) For a longer shape each list that is too short gets more chunks, none longer than the widest; a shorter shape keeps
 *     the list.
 */
#include "grid/rows.h"

/* `count` chunks of `edge` elements; the first one has the number `chunk` and begins at element `start`. */
typedef struct run {
	uint64_t edge, count, start, chunk;
} run;

typedef struct dimension {
	uint64_t step; /* not 0: chunks of one length, without end */
	run *runs;     /* else `n` of them, with room for two more */
	size_t n;
	uint64_t widest;
} dimension;

typedef struct rectilinear {
	zinc_context *ctx;
	dimension dims[ZINC_MAX_NDIM];
	run runs[];
} rectilinear;

/* ---- edges ---- */

static uint64_t
end_of(const run *r)
{
	return r->start + r->edge * r->count; /* fits: add_run has checked it */
}

/* The elements of a list. */
static uint64_t
sum_of(const dimension *x)
{
	return end_of(&x->runs[x->n - 1]);
}

/* Append a run, or lengthen the last one.  False: more than 2^64-1 elements. */
static bool
add_run(dimension *x, uint64_t edge, uint64_t count)
{
	run *last = x->n > 0 ? &x->runs[x->n - 1] : NULL;
	run next = {.edge = edge, .count = count};
	uint64_t length, end;

	if (last) {
		next.start = end_of(last);
		next.chunk = last->chunk + last->count; /* at most the number of elements */
	}
	if (zinc_u64_mul(edge, count, &length) || zinc_u64_add(next.start, length, &end))
		return false;
	if (last && last->edge == edge)
		last->count += count;
	else
		x->runs[x->n++] = next;
	return true;
}

/* The largest edge of a chunk that holds elements; of the first chunk if none does. */
static void
find_widest(dimension *x, uint64_t length)
{
	size_t i;

	x->widest = x->step;
	for (i = 0; i < x->n && (i == 0 || x->runs[i].start < length); i++)
		x->widest = zinc_max_u64(x->widest, x->runs[i].edge);
}

/* ---- parsing ---- */

/* One item of a list: an edge, or a run. */
static zinc_status
parse_item(dimension *x, const zinc_json *item, zinc_report *r, zinc_error *err)
{
	const bool pair = zinc_json_is(item, ZINC_JSON_ARRAY);
	uint64_t edge, count = 1;

	if (pair && item->n != 2)
		return zinc_report_error(r, "M40", err, "a run of edges must be [edge, count]");
	ZINC_TRY(zinc_grid_parse_edge(&edge, pair ? item->first : item, r, err));
	if (pair)
		ZINC_TRY(zinc_grid_parse_edge(&count, item->last, r, err));
	if (edge == 0 || count == 0)
		return zinc_report_error(r, "M40", err, "a chunk cannot have 0 elements, nor a run 0 chunks");
	if (!add_run(x, edge, count))
		return zinc_report_error(r, "M40", err, "the edges add up to more than 2^64-1");
	return ZINC_OK;
}

static zinc_status
parse_list(dimension *x, const zinc_json *list, uint64_t length, zinc_report *r, zinc_error *err)
{
	const zinc_json *item;
	size_t i = 0;

	if (list->n == 0)
		return zinc_report_error(r, "M40", err, "a list of edges is empty");
	for (item = list->first; item; item = item->next) {
		const size_t mark = zinc_report_enter_item(r, i++);
		const zinc_status st = parse_item(x, item, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	if (sum_of(x) < length)
		return zinc_report_error(r, "M40", err, "the edges add up to %llu, but the dimension has %llu elements",
					 (unsigned long long)sum_of(x), (unsigned long long)length);
	return ZINC_OK;
}

static zinc_status
parse_dimension(dimension *x, const zinc_json *v, uint64_t length, zinc_report *r, zinc_error *err)
{
	if (zinc_json_is(v, ZINC_JSON_ARRAY))
		ZINC_TRY(parse_list(x, v, length, r, err));
	else {
		ZINC_TRY(zinc_grid_parse_edge(&x->step, v, r, err));
		if (x->step == 0)
			return zinc_report_error(r, "M40", err, "a chunk cannot have 0 elements");
	}
	find_widest(x, length);
	return ZINC_OK;
}

static zinc_status
parse_dimensions(zinc_grid *g, const zinc_json *list, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	rectilinear *x = g->self;
	run *room = x->runs;
	const zinc_json *v;
	int d = 0;

	for (v = list->first; v; v = v->next, d++) {
		const size_t mark = zinc_report_enter_item(r, (size_t)d);
		zinc_status st;

		x->dims[d].runs = room;
		room += zinc_json_is(v, ZINC_JSON_ARRAY) ? v->n + 2 : 0;
		st = parse_dimension(&x->dims[d], v, shape[d], r, err);
		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

/* Room for each item of each list, and for two more runs per list. */
static rectilinear *
new_rectilinear(zinc_context *ctx, const zinc_json *list)
{
	const zinc_json *v;
	size_t n = 0, nbytes;
	rectilinear *x;

	for (v = list->first; v; v = v->next)
		if (zinc_json_is(v, ZINC_JSON_ARRAY) && zinc_size_add(n, v->n + 2, &n))
			return NULL;
	if (zinc_size_mul(n, sizeof(run), &nbytes) || zinc_size_add(nbytes, sizeof *x, &nbytes))
		return NULL;
	x = zinc_calloc(ctx, 1, nbytes);
	if (x)
		x->ctx = ctx;
	return x;
}

zinc_status
zinc_grid_parse_shapes(zinc_grid *g, const zinc_json *list, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	if (!zinc_json_is(list, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "M38", err, "a rectilinear grid needs chunk_shapes, an array");
	if (list->n != (size_t)g->ndim)
		return zinc_report_error(r, "M39", err, "chunk_shapes has %zu dimensions, the array %d", list->n,
					 g->ndim);
	g->self = new_rectilinear(g->ctx, list);
	if (!g->self)
		return zinc_fail_nomem(err);
	g->ops = &zinc_grid_ops_rectilinear;
	g->opened = true;
	return parse_dimensions(g, list, shape, r, err);
}

static zinc_status
rectilinear_parse(zinc_grid *g, const zinc_json *configuration, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	const zinc_json *kind = zinc_json_member(configuration, "kind"), *m;
	size_t mark;
	zinc_status st;

	if (!zinc_json_is(kind, ZINC_JSON_STRING))
		return zinc_report_error(r, "M38", err, "a rectilinear grid needs kind, a string");
	if (!zinc_json_is_string(kind, "inline"))
		return zinc_report_unsupported(r, "M18", err, "kind \"%.60s\" of a rectilinear grid is not known",
					       kind->text);
	for (m = configuration->first; m; m = m->next)
		if (strcmp(m->key, "kind") != 0 && strcmp(m->key, "chunk_shapes") != 0)
			ZINC_TRY(zinc_report_lenient(r, "M38", err, "unknown member \"%.60s\" of a rectilinear grid",
						     m->key));
	mark = zinc_report_enter(r, "chunk_shapes");
	st = zinc_grid_parse_shapes(g, zinc_json_member(configuration, "chunk_shapes"), shape, r, err);
	zinc_report_leave(r, mark);
	return st;
}

/* The draft of 2022 (ZEP 3), which early versions of zarrs wrote. */
static zinc_status
rectangular_parse(zinc_grid *g, const zinc_json *configuration, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	size_t mark;
	zinc_status st;

	ZINC_TRY(zinc_report_lenient(r, "M18", err, "chunk grid \"rectangular\" is now called \"rectilinear\""));
	mark = zinc_report_enter(r, "chunk_shape");
	st = zinc_grid_parse_shapes(g, zinc_json_member(configuration, "chunk_shape"), shape, r, err);
	zinc_report_leave(r, mark);
	return st;
}

static void
rectilinear_close(void *self)
{
	rectilinear *x = self;

	zinc_free(x->ctx, x);
}

/* ---- printing ---- */

static zinc_json *
print_run(zinc_json_doc *doc, const run *r)
{
	const uint64_t pair[2] = {r->edge, r->count};

	return r->count == 1 ? zinc_json_make_u64(doc, r->edge) : zinc_json_make_u64_list(doc, pair, 2);
}

static zinc_json *
print_dimension(zinc_json_doc *doc, const dimension *x)
{
	zinc_json *list;
	size_t i;

	if (x->step)
		return zinc_json_make_u64(doc, x->step);
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	for (i = 0; i < x->n; i++)
		if (zinc_json_append(list, print_run(doc, &x->runs[i]), NULL) != ZINC_OK)
			return NULL;
	return list;
}

static zinc_json *
rectilinear_print(const zinc_grid *g, zinc_json_doc *doc)
{
	const rectilinear *x = g->self;
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT), *list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	int d;

	for (d = 0; d < g->ndim; d++)
		if (zinc_json_append(list, print_dimension(doc, &x->dims[d]), NULL) != ZINC_OK)
			return NULL;
	if (zinc_json_set(doc, v, "kind", zinc_json_make_string(doc, "inline"), NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "chunk_shapes", list, NULL) != ZINC_OK)
		return NULL;
	return v;
}

/* ---- chunks ---- */

/* The last run that begins at element or chunk `at`, or before. */
static const run *
find_run(const dimension *x, uint64_t at, bool by_chunk)
{
	size_t low = 0, high = x->n;

	while (high - low > 1) {
		const size_t mid = low + (high - low) / 2;

		if ((by_chunk ? x->runs[mid].chunk : x->runs[mid].start) <= at)
			low = mid;
		else
			high = mid;
	}
	return &x->runs[low];
}

static uint64_t
rectilinear_find(void *self, int dim, uint64_t i)
{
	const dimension *x = &((const rectilinear *)self)->dims[dim];
	const run *r;

	if (x->step)
		return i / x->step;
	r = find_run(x, i, false);
	return r->chunk + (i - r->start) / r->edge;
}

static uint64_t
rectilinear_count(void *self, int dim, uint64_t length)
{
	return length == 0 ? 0 : rectilinear_find(self, dim, length - 1) + 1;
}

static void
rectilinear_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	const dimension *x = &((const rectilinear *)self)->dims[dim];
	const run *r;

	if (x->step) {
		*start = chunk * x->step;
		*extent = x->step;
		return;
	}
	r = find_run(x, chunk, true);
	*start = r->start + (chunk - r->chunk) * r->edge;
	*extent = r->edge;
}

static uint64_t
rectilinear_widest(void *self, int dim)
{
	return ((const rectilinear *)self)->dims[dim].widest;
}

static bool
rectilinear_divides(void *self, int dim, uint64_t by)
{
	const dimension *x = &((const rectilinear *)self)->dims[dim];
	size_t i;

	for (i = 0; i < x->n; i++)
		if (x->runs[i].edge % by != 0)
			return false;
	return x->step % by == 0;
}

/* Append chunks for `missing` elements: none is longer than the widest, all are multiples of `unit`. */
static bool
append(dimension *x, uint64_t missing, uint64_t unit)
{
	const uint64_t whole = missing / x->widest, rest = missing % x->widest;
	uint64_t edge;

	if (whole > 0 && !add_run(x, x->widest, whole))
		return false;
	return rest == 0 || (!zinc_u64_mul(zinc_ceil_div(rest, unit), unit, &edge) && add_run(x, edge, 1));
}

static zinc_status
rectilinear_fit(zinc_grid *g, const uint64_t *before, const uint64_t *after, const uint64_t *unit, bool *changed,
		zinc_error *err)
{
	rectilinear *x = g->self;
	int d;

	(void)before;
	for (d = 0; d < g->ndim; d++) {
		dimension *dim = &x->dims[d];

		if (dim->step || sum_of(dim) >= after[d])
			continue;
		if (!append(dim, after[d] - sum_of(dim), unit[d]))
			return zinc_fail(err, ZINC_E_RANGE, "dimension %d of the chunk grid would become too long", d);
		*changed = true;
	}
	return ZINC_OK;
}

const zinc_grid_ops zinc_grid_ops_rectilinear = {
    .name = "rectilinear",
    .purpose = "chunks of several lengths along a dimension",
    .needs_configuration = true,
    .parse = rectilinear_parse,
    .print = rectilinear_print,
    .close = rectilinear_close,
    .count = rectilinear_count,
    .find = rectilinear_find,
    .span = rectilinear_span,
    .widest = rectilinear_widest,
    .divides = rectilinear_divides,
    .fit = rectilinear_fit,
};

/* Read only: parsing makes a grid of the row above. */
const zinc_grid_ops zinc_grid_ops_rectangular = {
    .name = "rectangular",
    .purpose = "draft name of rectilinear (read only)",
    .needs_configuration = true,
    .parse = rectangular_parse,
};
