/*
 * split.c - cut one dimension's selection at chunk boundaries
 *
 *     selection   . . a b c . d e . . .        out:  a b c d e
 *     chunks     |0 0 0|1 1 1|2 2 2|3 3       segments: {0: a} {1: b c} {2: d e}
 *
 * (1) Segments are in the order of their chunks, with at most one per chunk.  A chunk without a selected element has no
 *     segment, and no segment is empty.
 * (2) A list may have any order and repeats.  Within a segment its items keep their order, so that of two items for one
 *     element the later one is written last.
 * (3) A registered grid that names a chunk for an index which that chunk does not hold is E_INVALID, never a wrong
 *     address or an endless loop.
 */
#include "grid/grid.h"

/* Find the chunk that holds index `at`, and the offset in it.  False: the grid contradicts itself. */
static bool
locate(const zinc_grid *g, int dim, uint64_t at, zinc_segment *s)
{
	s->chunk = zinc_grid_chunk_of(g, dim, at);
	zinc_grid_span(g, dim, s->chunk, &s->start, &s->extent);
	s->first = at - s->start;
	return at >= s->start && s->first < s->extent;
}

static zinc_status
fail_grid(const zinc_grid *g, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_INVALID, "chunk grid \"%s\" contradicts itself: find and span disagree",
			 g->ops->name);
}

/* ---- slices ---- */

/* Count the segments, and store them if `to` is not NULL.  False: see locate. */
static bool
cut_slice(const zinc_grid *g, int dim, const zinc_sel_dim *sel, zinc_segment *to, size_t *n)
{
	uint64_t at = sel->start, done;
	zinc_segment s = {.step = sel->step};

	*n = 0;
	for (done = 0; done < sel->count; done += s.count, ++*n) {
		if (!locate(g, dim, at, &s))
			return false;
		s.count = zinc_min_u64(sel->count - done, zinc_ceil_div(s.extent - s.first, s.step));
		s.out = done;
		at += s.count * s.step; /* can wrap only after the last segment */
		if (to)
			to[*n] = s;
	}
	return true;
}

/* ---- lists ---- */

typedef struct item {
	uint64_t chunk;
	uint64_t in, out; /* offset from the chunk's start, index in the result */
} item;

/* Merge the sorted runs [0, half) and [half, n) of `from`; of equal items the left one is first. */
static void
merge(item *to, const item *from, size_t half, size_t n)
{
	size_t a = 0, b = half, i;

	for (i = 0; i < n; i++)
		to[i] = b == n || (a < half && from[a].chunk <= from[b].chunk) ? from[a++] : from[b++];
}

static bool
is_sorted(const item *items, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (items[i].chunk < items[i - 1].chunk)
			return false;
	return true;
}

/* A stable sort by chunk; `other` has room for as many items.  Returns the array that holds the result. */
static item *
sort_items(item *items, item *other, size_t n)
{
	size_t width, at;

	for (width = 1; width < n && !is_sorted(items, n); width *= 2) {
		item *was = items;

		for (at = 0; at < n; at += zinc_min_u64(2 * width, n - at))
			merge(other + at, items + at, zinc_min_u64(width, n - at), zinc_min_u64(2 * width, n - at));
		items = other;
		other = was;
	}
	return items;
}

static bool
find_items(item *items, const zinc_grid *g, int dim, const zinc_sel_dim *sel)
{
	zinc_segment s;
	uint64_t i;

	for (i = 0; i < sel->count; i++) {
		if (!locate(g, dim, sel->list[i], &s))
			return false;
		items[i] = (item){.chunk = s.chunk, .in = s.first, .out = i};
	}
	return true;
}

/* Do the items of a segment have a constant positive step and consecutive places?  Then they need no list. */
static bool
is_even(const item *items, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (items[i].in <= items[i - 1].in || items[i].in - items[i - 1].in != items[1].in - items[0].in ||
		    items[i].out != items[0].out + i)
			return false;
	return true;
}

/* Make segments of sorted items, with their lists: in[n], then out[n]. */
static size_t
cut_items(const zinc_grid *g, int dim, const item *items, size_t n, uint64_t *lists, zinc_segment *to)
{
	size_t nsegments = 0, i, end;

	for (i = 0; i < n; i++) {
		lists[i] = items[i].in;
		lists[n + i] = items[i].out;
	}
	for (i = 0; i < n; i = end) {
		zinc_segment s = {.chunk = items[i].chunk, .first = items[i].in, .step = 1, .out = items[i].out};

		for (end = i; end < n && items[end].chunk == s.chunk; end++)
			;
		zinc_grid_span(g, dim, s.chunk, &s.start, &s.extent);
		s.count = end - i;
		if (!is_even(items + i, end - i)) {
			s.in_list = lists + i;
			s.out_list = lists + n + i;
		} else if (s.count > 1) {
			s.step = items[i + 1].in - items[i].in;
		}
		to[nsegments++] = s;
	}
	return nsegments;
}

static size_t
count_chunks(const item *items, size_t n)
{
	size_t i, chunks = n > 0;

	for (i = 1; i < n; i++)
		chunks += items[i].chunk != items[i - 1].chunk;
	return chunks;
}

/* `items` and out->own are large enough. */
static zinc_status
split_items(zinc_split *out, const zinc_grid *g, int dim, const zinc_sel_dim *sel, item *items, zinc_error *err)
{
	const size_t n = (size_t)sel->count;

	if (!find_items(items, g, dim, sel))
		return fail_grid(g, err);
	items = sort_items(items, items + n, n);
	out->segments = zinc_calloc(out->ctx, count_chunks(items, n), sizeof *out->segments);
	if (!out->segments)
		return zinc_fail_nomem(err);
	out->n = cut_items(g, dim, items, n, out->own, out->segments);
	return ZINC_OK;
}

static zinc_status
split_list(zinc_split *out, const zinc_grid *g, int dim, const zinc_sel_dim *sel, zinc_error *err)
{
	item *items = zinc_calloc(out->ctx, (size_t)sel->count, 2 * sizeof *items);
	zinc_status st;

	out->own = zinc_calloc(out->ctx, (size_t)sel->count, 2 * sizeof(uint64_t));
	st = items && out->own ? split_items(out, g, dim, sel, items, err) : zinc_fail_nomem(err);
	zinc_free(out->ctx, items);
	return st;
}

/* ---- the door ---- */

static zinc_status
split_slice(zinc_split *out, const zinc_grid *g, int dim, const zinc_sel_dim *sel, zinc_error *err)
{
	size_t n;

	if (!cut_slice(g, dim, sel, NULL, &n))
		return fail_grid(g, err);
	out->segments = zinc_calloc(out->ctx, n, sizeof *out->segments);
	if (!out->segments)
		return zinc_fail_nomem(err);
	cut_slice(g, dim, sel, out->segments, &out->n);
	return ZINC_OK;
}

uint64_t
zinc_split_bound(const zinc_grid *grid, int dim, const zinc_sel_dim *sel)
{
	uint64_t first, last;

	if (sel->count == 0 || sel->list)
		return sel->count;
	first = zinc_grid_chunk_of(grid, dim, sel->start);
	last = zinc_grid_chunk_of(grid, dim, sel->start + (sel->count - 1) * sel->step);
	return last < first ? sel->count
			    : zinc_min_u64(sel->count, last - first + 1); /* last < first: it contradicts itself */
}

zinc_status
zinc_split_init(zinc_split *out, zinc_context *ctx, const zinc_grid *grid, int dim, const zinc_sel_dim *sel,
		zinc_error *err)
{
	zinc_status st;

	*out = (zinc_split){.ctx = ctx};
	st = sel->list ? split_list(out, grid, dim, sel, err) : split_slice(out, grid, dim, sel, err);
	if (st != ZINC_OK)
		zinc_split_fini(out);
	return st;
}

void
zinc_split_fini(zinc_split *s)
{
	zinc_free(s->ctx, s->segments);
	zinc_free(s->ctx, s->own);
	*s = (zinc_split){.ctx = s->ctx};
}
