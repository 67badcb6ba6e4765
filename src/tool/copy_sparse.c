/*
 * copy_sparse.c - boxes of sparse arrays: only those with stored elements
 *
 *   source  . . . . . . . .      # a stored object       target  . . . . .     # the boxes that are copied
 *           . # . . . . . .        within the selection          # . . . .
 *           . . . . . . # .                                      . . . # .
 *
 * The rest of the target is its fill value without being written.
 *
 * Promises (tests/unit/test_copy_sparse.c names each by its number):
 *
 * (1) The target has the same elements as after a copy of all boxes.
 * (2) Time and memory depend on what is stored within the selection, not on the number of possible chunks, which may be
 *     too large to count.
 * (3) If elements that are not stored must be written, because the target has no fill value or another one, all boxes
 *     are copied; if these are too many: E_LIMIT, before anything is written.
 */
#include <stdlib.h>

#include "tool/copy.h"

#define SPARSE_LESS 16u /* sparse if less than this part of the objects is stored */

/* ---- what may be left out ---- */

static zinc_status
cast_and_compare(zinc_cp *c, const zinc_cp_node *n, bool *same, zinc_error *err)
{
	const zinc_dtype *t = n->target->dtype;
	void *element = zinc_dtype_fill_room(t, c->ctx, NULL);
	zinc_error e = ZINC_ERROR_INIT;
	zinc_arena *arena = NULL;
	zinc_status st = element ? zinc_arena_new(&arena, c->ctx, 0, err) : zinc_fail_nomem(err);

	if (st == ZINC_OK)
		*same = zinc_cp_cast_fill(c, n->source, t, element, arena, &e) == ZINC_OK &&
			zinc_cp_same_elements(t, element, n->target->fill, 1);
	if (st == ZINC_OK && e.code == ZINC_E_NOMEM)
		st = zinc_fail_nomem(err);
	zinc_arena_free(arena);
	zinc_free(c->ctx, element);
	return st;
}

/* Does the source's fill value, converted like elements, equal the target's? */
static zinc_status
compare_fill(zinc_cp *c, const zinc_cp_node *n, bool *same, zinc_error *err)
{
	const zinc_meta *from = n->source, *to = n->target;

	*same = false;
	if (!from->fill || !to->fill)
		return ZINC_OK;
	if (n->wish.dtype)
		return cast_and_compare(c, n, same, err);
	*same = from->dtype->variable == to->dtype->variable && from->dtype->size == to->dtype->size &&
		zinc_cp_same_elements(to->dtype, from->fill, to->fill, 1);
	return ZINC_OK;
}

/* Does a listing show which elements are stored, and does the target have a fill value for the others?  Storage
 * transformers have their own keys. */
static bool
can_leave_out(const zinc_cp *c, const zinc_cp_node *n)
{
	return !c->unlisted && (!n->target->no_fill || n->source->no_fill) &&
	       !zinc_json_member(zinc_meta_v3(n->source), "storage_transformers");
}

/* ---- the selection ---- */

/* The range of list items from the first to the last in [low, high]. */
static bool
intersect_list(const zinc_select_dim *s, uint64_t low, uint64_t high, uint64_t *first, uint64_t *last)
{
	bool any = false;
	size_t i;

	for (i = 0; i < s->nlist; i++) {
		if (s->list[i] < low || s->list[i] > high)
			continue;
		*first = any ? *first : i;
		*last = i;
		any = true;
	}
	return any;
}

/* The range of selected indices in [low, high]; false: none. */
static bool
intersect(const zinc_select_dim *s, uint64_t low, uint64_t high, uint64_t *first, uint64_t *last)
{
	const uint64_t step = zinc_max_u64(1, s->step);

	if (s->list)
		return intersect_list(s, low, high, first, last);
	if (s->count == 0 || high < s->start)
		return false;
	*first = low <= s->start ? 0 : zinc_ceil_div(low - s->start, step);
	*last = zinc_min_u64((high - s->start) / step, s->count - 1);
	return *first <= *last;
}

/* The elements of the target that are in object i of the source; false: none. */
static bool
intersect_object(const zinc_cp_node *n, size_t i, uint64_t *first, uint64_t *last)
{
	const zinc_meta *m = n->source;
	const uint64_t *index = zinc_cp_object(n, i);
	int d, k = 0;

	for (d = 0; d < m->ndim; d++) {
		uint64_t start, end;

		zinc_grid_span(m->grid, d, index[d], &start, &end);
		end = start + zinc_min_u64(end, m->shape[d] - start) - 1; /* inclusive, so that no sum exceeds 2^64 */
		first[k] = start;
		last[k] = end;
		if (n->select && !intersect(&n->select->dims[d], start, end, &first[k], &last[k]))
			return false;
		k += !n->select || !n->select->dims[d].drop;
	}
	return true;
}

/* The number of source objects that the selection spans along a dimension, stored or not. */
static uint64_t
span_along(const zinc_cp_node *n, int d)
{
	const zinc_grid *g = n->source->grid;
	const zinc_select_dim *s = n->select ? &n->select->dims[d] : NULL;
	const uint64_t all = zinc_grid_count(g, d, n->source->shape[d]);
	uint64_t last;

	if (!s || (!s->list && s->count == 0))
		return all;
	if (s->list)
		return zinc_min_u64(all, s->nlist);
	last = s->start + (s->count - 1) * zinc_max_u64(1, s->step);
	return zinc_min_u64(s->count, zinc_grid_chunk_of(g, d, last) - zinc_grid_chunk_of(g, d, s->start) + 1);
}

/* In doubles: the result is only compared. */
static double
count_spanned(const zinc_cp_node *n)
{
	double all = 1;
	int d;

	for (d = 0; d < n->source->ndim; d++)
		all *= (double)span_along(n, d);
	return all;
}

zinc_status
zinc_cp_sparse_ask(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	uint64_t first[ZINC_MAX_NDIM], last[ZINC_MAX_NDIM];
	bool same = false;
	size_t i;

	if (can_leave_out(c, n))
		ZINC_TRY(compare_fill(c, n, &same, err));
	for (i = 0, n->nmet = 0; i < n->nobjects && same; i++)
		n->nmet += intersect_object(n, i, first, last);
	n->sparse = same && (double)n->nmet * SPARSE_LESS < count_spanned(n);
	return ZINC_OK;
}

/* ---- boxes ---- */

/* Sort, and remove duplicates. */
static void
sort_unique(zinc_cp_node *n)
{
	int ndim = n->target->ndim;
	const size_t words = (size_t)ndim;
	size_t i, k = 0;

	if (n->nboxes > 1 && ndim > 0)
		qsort_r(n->boxes, n->nboxes, words * sizeof *n->boxes, zinc_cp_by_index, &ndim);
	for (i = 0; i < n->nboxes; i++)
		if (k == 0 || memcmp(n->boxes + (k - 1) * words, n->boxes + i * words, words * sizeof *n->boxes) != 0)
			memmove(n->boxes + k++ * words, n->boxes + i * words, words * sizeof *n->boxes);
	n->nboxes = k;
}

/* Make room for one more; first remove duplicates, which objects in the same box produce. */
static zinc_status
make_room(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	const size_t words = (size_t)n->target->ndim + 1, room = n->boxes_room ? 2 * n->boxes_room : 64;
	uint64_t *more;
	size_t nbytes;

	if (n->nboxes < n->boxes_room)
		return ZINC_OK;
	sort_unique(n);
	if (n->nboxes >= c->ctx->limits.children)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %llu boxes to move (limits.children)",
				 (unsigned long long)c->ctx->limits.children);
	if (n->nboxes < n->boxes_room / 2)
		return ZINC_OK;
	more = zinc_size_mul(room, words * sizeof *more, &nbytes) ? NULL : zinc_realloc(c->ctx, n->boxes, nbytes);
	if (!more)
		return zinc_fail_nomem(err);
	n->boxes = more;
	n->boxes_room = room;
	return ZINC_OK;
}

/* Add all boxes that contain a part of object i of the source. */
static zinc_status
add_object(zinc_cp *c, zinc_cp_node *n, const zinc_boxes *b, size_t i, zinc_error *err)
{
	uint64_t low[ZINC_MAX_NDIM], high[ZINC_MAX_NDIM], at[ZINC_MAX_NDIM];
	const size_t words = (size_t)b->ndim;
	int d;

	if (!intersect_object(n, i, low, high))
		return ZINC_OK;
	for (d = 0; d < b->ndim; d++) {
		at[d] = low[d] = zinc_grid_chunk_of(b->grid, d, low[d]) / b->per[d];
		high[d] = zinc_grid_chunk_of(b->grid, d, high[d]) / b->per[d];
	}
	for (;;) {
		ZINC_TRY(make_room(c, n, err));
		memcpy(n->boxes + n->nboxes++ * words, at, words * sizeof *at);
		for (d = b->ndim - 1; d >= 0 && at[d] == high[d]; d--)
			at[d] = low[d];
		if (d < 0)
			return ZINC_OK;
		at[d]++;
	}
}

void
zinc_cp_box(const zinc_cp_node *n, const zinc_boxes *b, uint64_t i, uint64_t *at)
{
	if (n->sparse)
		memcpy(at, n->boxes + i * (uint64_t)b->ndim, (size_t)b->ndim * sizeof *at);
	else
		zinc_boxes_index(b, i, at);
}

zinc_status
zinc_cp_boxes_find(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, zinc_error *err)
{
	size_t i;

	n->nboxes = 0;
	if (!n->sparse && p->boxes.n > c->ctx->limits.children)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %llu boxes of elements to move (limits.children)",
				 (unsigned long long)c->ctx->limits.children);
	for (i = 0; i < n->nobjects && n->sparse; i++)
		ZINC_TRY(add_object(c, n, &p->boxes, i, err));
	sort_unique(n);
	return ZINC_OK;
}
