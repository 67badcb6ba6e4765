/*
 * plot_sample.c - bands of items, one for each cell, and the items that are read of each
 *
 * Promises (tests/cli/plot.sh, tests/interop/plot.py):
 *
 * (1) Of n items and N cells, cell i has items floor(i n / N) to floor((i + 1) n / N) - 1.
 * (2) A sample has at least one item of every band, and at most ITEMS of one dimension beyond that.  It depends on
 *     shape, chunks and the size of the picture only.
 *
 *   items   |. . . . x x . . .|. . . . x x . . .|. . . .      the sample of a band is one run, in one chunk if it fits
 */
#include "plot.h"

#define ITEMS ((uint64_t)1 << 21) /* of a sampled dimension: bounds the memory of its list */

/* floor(i * n / cells), which fits: i <= cells. */
static uint64_t
edge_of(uint64_t i, uint64_t n, uint64_t cells)
{
	return (uint64_t)((unsigned __int128)i * n / cells);
}

void
plot_band_init(struct plot_band *b, uint64_t items, uint64_t cells)
{
	size_t i;

	b->n = (size_t)(cells < items ? cells : items);
	b->list = NULL;
	b->edge = xrealloc(NULL, (b->n + 1) * sizeof *b->edge);
	for (i = 0; i <= b->n; i++)
		b->edge[i] = b->n ? edge_of(i, items, b->n) : 0;
}

void
plot_band_fini(struct plot_band *b)
{
	free(b->edge);
	free(b->list);
	*b = (struct plot_band){0, NULL, NULL};
}

/* How many items of each dimension make `most` elements: first fewer rows, but one for each band, then fewer items of
 * the next dimension ... */
static void
choose_items(const struct region *g, const struct plot_band *bands, uint64_t most, uint64_t *items)
{
	uint64_t others;
	int d, e;

	memcpy(items, g->shape, sizeof g->shape);
	for (d = 0; d < g->out_ndim; d++) {
		for (others = 1, e = 0; e < g->out_ndim; e++)
			if (e != d && __builtin_mul_overflow(others, items[e], &others))
				others = UINT64_MAX;
		if (others <= most / items[d])
			break;
		items[d] = most / others < items[d] ? most / others : items[d];
		if (items[d] > ITEMS && items[d] < g->shape[d])
			items[d] = ITEMS;
		if (items[d] < bands[d].n)
			items[d] = bands[d].n;
	}
}

/* Where a run of k of the items [begin, end) starts: in the middle, moved into one chunk if possible. */
static uint64_t
place_run(const zinc_select_dim *s, uint64_t chunk, uint64_t begin, uint64_t end, uint64_t k)
{
	uint64_t at = begin + (end - begin - k) / 2, into, next;

	if (s->list || (s->step && s->step != 1) || chunk == 0 || k > chunk)
		return at;
	into = (s->start + at) % chunk;
	if (into + k <= chunk)
		return at;
	next = at + chunk - into; /* the chunk begins here, and its predecessor ends */
	if (next + k <= end)
		return next;
	return next >= begin + k ? next - k : at;
}

/* Select `items` of dimension d; the bands then have their part of the sample. */
static void
sample_dimension(struct region *g, int d, struct plot_band *b, uint64_t items, uint64_t chunk)
{
	const zinc_select_dim s = g->dims[g->axis[d]];
	uint64_t n = 0, k, at, end;
	size_t i;

	b->list = xrealloc(NULL, (size_t)items * sizeof *b->list);
	for (i = 0; i < b->n; i++) {
		k = edge_of(i + 1, items, b->n) - edge_of(i, items, b->n);
		end = b->edge[i + 1];
		at = place_run(&s, chunk, b->edge[i], end, k);
		b->edge[i] = n;
		for (end = at + k; at < end; at++)
			b->list[n++] = region_index(g, d, at);
	}
	b->edge[b->n] = n;
	g->dims[g->axis[d]] = (zinc_select_dim){.list = b->list, .nlist = (size_t)n};
	region_narrow(g, d, 0, n);
}

bool
plot_sample(struct region *g, struct plot_band *bands)
{
	const uint64_t most = PLOT_LIMIT / (g->element ? g->element : 1);
	uint64_t items[ZINC_MAX_NDIM], chunk[ZINC_MAX_NDIM];
	bool sampled = false;
	int d;

	if (!g->uncounted && g->n <= most)
		return false;
	if (!zinc_array_chunk_shape(g->array, chunk))
		memset(chunk, 0, sizeof chunk);
	choose_items(g, bands, most, items);
	for (d = 0; d < g->out_ndim; d++)
		if (items[d] < g->shape[d]) {
			sample_dimension(g, d, &bands[d], items[d], chunk[g->axis[d]]);
			sampled = true;
		}
	return sampled;
}
