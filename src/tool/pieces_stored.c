/*
 * pieces_stored.c - pieces of sparse arrays: only where something is stored
 *
 *     grid  . . . . . . . .      # stored object: the cells that it touches are pieces
 *           . # . . . . . .      . cells with only the fill value are only counted
 *           . . . . . # # .
 *
 * Promises (tests/unit/test_tool_sparse.c names each by its number):
 *
 * (1) Every selected element is in exactly one piece, or counted as absent; absent ones have the fill value in all
 *     arrays.
 * (2) Time and memory depend on what is stored, not on the number of possible chunks.
 * (3) What is too large for this is E_LIMIT immediately.
 * (4) Without a size for pieces, each is all that is selected of one stored object, in every grid.
 */
#include <stdlib.h>

#include "tool/tool.h"

#define FEW        1024u          /* number of pieces that are read as fast as listed */
#define CELL_BYTES (4 * ZINC_MIB) /* a cell is a whole object up to this size, otherwise a part of it */

struct gather {
	zinc_pieces *p;
	const uint64_t *shape;
	zinc_status status;
	zinc_error *err;
};

/* ---- cells ---- */

/* The selected indices of a dimension in a cell: the first, and their number. */
static uint64_t
intersect(const zinc_pieces *p, int d, uint64_t cell, uint64_t *first)
{
	const zinc_sel_dim *s = &p->sel.dim[d];
	uint64_t low, extent, high, end;

	zinc_grid_span(p->grid, d, p->base[d] + cell, &low, &extent);
	if (zinc_u64_add(low, zinc_max_u64(1, extent) - 1, &high))
		high = UINT64_MAX;
	if (high < s->start)
		return 0;
	*first = low <= s->start ? 0 : zinc_ceil_div(low - s->start, s->step);
	end = zinc_min_u64(s->count - 1, (high - s->start) / s->step) + 1; /* count is at least 1: is_box */
	return end > *first ? end - *first : 0;
}

/* Convert the number of a cell to its place along each dimension. */
static void
place_of_cell(const zinc_pieces *p, uint64_t number, uint64_t *at)
{
	int d;

	for (d = p->sel.ndim - 1; d >= 0; d--) {
		at[d] = number % p->along[d];
		number /= p->along[d];
	}
}

static uint64_t
number_of(const zinc_pieces *p, const uint64_t *at)
{
	uint64_t n = 0;
	int d;

	for (d = 0; d < p->sel.ndim; d++)
		n = n * p->along[d] + at[d];
	return n;
}

void
zinc_pieces_cell(const zinc_pieces *p, uint64_t number, zinc_piece *out)
{
	uint64_t at[ZINC_MAX_NDIM], first = 0;
	int d;

	place_of_cell(p, number, at);
	out->n = 1;
	for (d = 0; d < p->sel.ndim; d++) {
		const zinc_sel_dim *s = &p->sel.dim[d];

		out->dims[d] = (zinc_select_dim){.count = intersect(p, d, at[d], &first), .step = s->step};
		out->dims[d].start = s->start + first * s->step;
		out->n *= out->dims[d].count; /* at most the selection's elements, which were checked */
	}
	out->sel.size = sizeof out->sel;
	out->sel.kind = ZINC_SELECT_ORTHO;
	out->sel.dims = out->dims;
}

static int
by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Steps from a selected index to the next cell like an odometer, skipping cells without selected indices. */
void
zinc_pieces_absent(const zinc_pieces *p, uint64_t *index)
{
	uint64_t k[ZINC_MAX_NDIM] = {0}, at[ZINC_MAX_NDIM], first = 0, number;
	int d;

	for (;;) {
		for (d = 0; d < p->sel.ndim; d++) {
			index[d] = p->sel.dim[d].start + k[d] * p->sel.dim[d].step;
			at[d] = zinc_grid_chunk_of(p->grid, d, index[d]) - p->base[d];
		}
		number = number_of(p, at);
		if (p->n == 0 || !bsearch(&number, p->cells, p->n, sizeof number, by_number))
			return;
		for (d = p->sel.ndim - 1; d >= 0; d--) {
			k[d] = intersect(p, d, at[d], &first);
			k[d] += first;
			if (k[d] < p->sel.dim[d].count)
				break;
			k[d] = 0;
		}
		if (d < 0)
			return; /* none: only if p->absent is 0 */
	}
}

/* ---- what is stored ---- */

static zinc_status
add_cell(zinc_pieces *p, uint64_t number, zinc_error *err)
{
	uint64_t *more;
	size_t room, nbytes;

	if (p->n >= p->ctx->limits.children)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %llu stored chunks (limits.children); select fewer (-s)",
				 (unsigned long long)p->ctx->limits.children);
	if (p->n == p->room) {
		room = p->room > 0 ? 2 * p->room : 256;
		more = zinc_size_mul(room, sizeof *more, &nbytes) ? NULL : zinc_realloc(p->ctx, p->cells, nbytes);
		if (!more)
			return zinc_fail_nomem(err);
		p->cells = more;
		p->room = room;
	}
	p->cells[p->n++] = number;
	return ZINC_OK;
}

/* Add the cells that the object touches, within the selection. */
static int
add_object(void *arg, const zinc_meta *m, const uint64_t *index, uint64_t nbytes)
{
	struct gather *g = arg;
	zinc_pieces *p = g->p;
	uint64_t low[ZINC_MAX_NDIM], high[ZINC_MAX_NDIM], at[ZINC_MAX_NDIM];
	int d;

	(void)nbytes;
	for (d = 0; d < m->ndim; d++) {
		uint64_t start, extent, last;

		zinc_grid_span(m->grid, d, index[d], &start, &extent);
		last = start + zinc_min_u64(zinc_max_u64(1, extent), g->shape[d] - start) - 1;
		last = zinc_grid_chunk_of(p->grid, d, last);
		start = zinc_grid_chunk_of(p->grid, d, start);
		if (last < p->base[d] || (start > p->base[d] && start - p->base[d] >= p->along[d]))
			return 0;
		at[d] = low[d] = start > p->base[d] ? start - p->base[d] : 0;
		high[d] = zinc_min_u64(last - p->base[d], p->along[d] - 1);
	}
	for (;;) {
		g->status = add_cell(p, number_of(p, at), g->err);
		if (g->status != ZINC_OK)
			return 1;
		for (d = m->ndim - 1; d >= 0 && at[d] == high[d]; d--)
			at[d] = low[d];
		if (d < 0)
			return 0;
		at[d]++;
	}
}

/* Sort, and remove duplicates and cells without selected elements. */
static void
sort_unique(zinc_pieces *p)
{
	uint64_t there = 0;
	size_t i, n = 0;
	zinc_piece piece;

	if (p->n > 0)
		qsort(p->cells, p->n, sizeof *p->cells, by_number);
	for (i = 0; i < p->n; i++) {
		if (n > 0 && p->cells[n - 1] == p->cells[i])
			continue;
		zinc_pieces_cell(p, p->cells[i], &piece);
		there += piece.n;
		if (piece.n > 0)
			p->cells[n++] = p->cells[i];
	}
	p->n = n;
	p->absent = p->sel.out_n - there;
}

/* ---- is it worth while? ---- */

/* A cell is an object of the array if that is not too large, otherwise a piece as in a dense array.  Objects may have
 * several sizes, so that no regular grid has the same cells. */
static void
choose_cell(zinc_pieces *p, const uint64_t *grain)
{
	const zinc_meta *m = p->meta;
	uint64_t widest[ZINC_MAX_NDIM], nbytes;
	int d;

	p->grid = m->grid;
	for (d = 0; d < m->ndim; d++)
		widest[d] = zinc_max_u64(1, zinc_grid_widest(m->grid, d));
	if (!grain || !zinc_shape_bytes(widest, m->ndim, zinc_max_u64(1, m->dtype->size), CELL_BYTES, &nbytes))
		return;
	zinc_grid_regular_init(&p->regular, m->ndim, grain);
	p->grid = &p->regular;
}

/* Count the cells from the first to the last selected index.  False: too many to count. */
static bool
count_cells(zinc_pieces *p, uint64_t *n)
{
	int d;

	for (d = 0; d < p->sel.ndim; d++) {
		const zinc_sel_dim *s = &p->sel.dim[d];
		const uint64_t last = s->start + (s->count - 1) * s->step;

		p->base[d] = zinc_grid_chunk_of(p->grid, d, s->start);
		p->along[d] = zinc_grid_chunk_of(p->grid, d, last) - p->base[d] + 1;
	}
	return !zinc_shape_bytes(p->along, p->sel.ndim, 1, UINT64_MAX, n);
}

/* Is the selection made of non-empty slices only? */
static bool
is_box(const zinc_pieces *p)
{
	int d;

	for (d = 0; d < p->sel.ndim; d++)
		if (p->sel.dim[d].list || p->sel.dim[d].count == 0)
			return false;
	return p->sel.ndim > 0 && !p->sel.is_points;
}

static bool
can_list(zinc_array *const *arrays, int n)
{
	zinc_caps caps = ZINC_CAPS_INIT;
	int i;

	for (i = 0; i < n; i++) {
		zinc_store_caps(arrays[i]->h->store, &caps);
		if (!(caps.flags & ZINC_CAP_LIST))
			return false;
	}
	return true;
}

static zinc_status
gather(zinc_pieces *p, zinc_array *const *arrays, int n, const zinc_wait *wait, zinc_error *err)
{
	struct gather g = {.p = p, .shape = zinc_array_shape(arrays[0]), .err = err};
	int i;

	for (i = 0; i < n; i++) {
		ZINC_TRY(zinc_stored_each(arrays[i], add_object, &g, wait, err));
		ZINC_TRY(g.status);
	}
	sort_unique(p);
	return ZINC_OK;
}

/* Is so little stored that only this is processed?  With few cells nothing is gained, and too many cannot be
 * counted.  A store that cannot list would need a request for each. */
static zinc_status
find_gaps(zinc_pieces *p, zinc_array *const *arrays, int n, const uint64_t *grain, const zinc_wait *wait,
	  zinc_error *err)
{
	uint64_t cells = 0;
	bool counted;

	choose_cell(p, grain);
	counted = count_cells(p, &cells);
	if (!can_list(arrays, n))
		return counted && cells <= p->ctx->limits.children
			   ? ZINC_OK
			   : zinc_fail(err, ZINC_E_LIMIT, "too many chunks for a store that cannot list");
	if (!counted || (grain && cells <= FEW))
		return ZINC_OK;
	ZINC_TRY(gather(p, arrays, n, wait, err));
	p->sparse = p->absent > 0 && p->absent / 3 >= (p->sel.out_n - p->absent) / 2;
	return ZINC_OK;
}

zinc_status
zinc_pieces_init_stored(zinc_pieces *p, zinc_array *const *arrays, int n, const zinc_selection *s,
			const uint64_t *grain, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	const zinc_meta *m;

	memset(p, 0, sizeof *p);
	p->ctx = arrays[0]->ctx;
	m = p->meta = zinc_array_snapshot(arrays[0]);
	p->element = m->dtype ? m->dtype->size : 0;
	if (m->unsupported)
		st = zinc_meta_refuse(m, err);
	if (st == ZINC_OK)
		st = zinc_sel_init(&p->sel, p->ctx, s, m->grid, m->ndim, m->shape, err);
	ZINC_TRY(st);
	if (is_box(p))
		ZINC_TRY(find_gaps(p, arrays, n, grain, wait, err));
	if (p->sparse)
		return ZINC_OK;
	if (!grain)
		return zinc_fail(err, ZINC_E_LIMIT, "too many chunks to list, or too many of them are stored");
	zinc_pieces_fini(p);
	return zinc_pieces_init(p, arrays[0], s, grain, err);
}
