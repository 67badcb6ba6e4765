/*
 * plot_reduce.c - numbers of bands to cells; counts of a histogram
 *
 * Promises (tests/cli/plot.sh, tests/interop/plot.py):
 *
 * (1) A cell is the mean of the finite numbers of its bands; NaN and infinities are missing, and a cell that has
 *     nothing else is missing.
 * (2) A cell of a line also has the least and the greatest number, so that no spike is lost.
 * (3) The mean of finite numbers is finite.
 * (4) Bin i counts the numbers from edge i to below edge i + 1; the last one includes its upper edge.
 */
#include <math.h>

#include "plot.h"

/* The cell of an item: the last whose edge is not above it. */
static size_t
find_cell(const struct plot_band *b, uint64_t item)
{
	size_t low = 0, high = b->n;

	while (high - low > 1) {
		const size_t mid = low + (high - low) / 2;

		if (b->edge[mid] <= item)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static void
add_extremes(struct plot_cell *c, double v)
{
	if (c->count == 0)
		c->min = c->max = c->first = v;
	c->min = v < c->min ? v : c->min;
	c->max = v > c->max ? v : c->max;
	c->last = v;
}

static void
add_numbers(struct plot_grid *g, struct plot_cell *c, const double *v, size_t n)
{
	double sum = 0;
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			continue;
		if (!g->rows)
			add_extremes(c, v[i]);
		c->count += !g->rows;
		sum += v[i] * g->factor;
		count++;
	}
	c->sum += sum;
	c->count += g->rows ? count : 0;
	g->numbers += count;
	g->missing += n - count;
}

void
plot_reduce_run(void *grid, const uint64_t *at, const double *v, size_t n)
{
	struct plot_grid *g = grid;
	const size_t row = g->rows ? find_cell(g->rows, at[0]) : 0;
	uint64_t item = at[g->rows ? 1 : 0];
	size_t column = find_cell(g->cols, item);

	while (n > 0) {
		const uint64_t left = g->cols->edge[column + 1] - item;
		const size_t take = left < n ? (size_t)left : n;

		add_numbers(g, &g->cell[row * g->ncols + column], v, take);
		v += take;
		n -= take;
		item += take;
		column++;
	}
}

double
plot_cell_mean(const struct plot_grid *g, size_t i)
{
	const struct plot_cell *c = &g->cell[i];

	return c->count ? c->sum / (double)c->count / g->factor : (double)NAN;
}

/* ---- histograms ---- */

void
plot_extent_run(void *bins, const uint64_t *at, const double *v, size_t n)
{
	struct plot_bins *b = bins;
	size_t i;

	(void)at;
	for (i = 0; i < n; i++) {
		if (!isfinite(v[i])) {
			b->missing++;
			continue;
		}
		if (b->numbers++ == 0)
			b->min = b->max = v[i];
		b->min = v[i] < b->min ? v[i] : b->min;
		b->max = v[i] > b->max ? v[i] : b->max;
	}
}

/* The bin of a number between the outer edges.  Rounding may make the guess wrong; the edges decide. */
static int
find_bin(const struct plot_bins *b, double v, double per_bin)
{
	const double guess = (v - b->edge[0]) * per_bin;
	int i = guess > 0 && guess < b->n ? (int)guess : 0;

	while (i + 1 < b->n && v >= b->edge[i + 1])
		i++;
	while (i > 0 && v < b->edge[i])
		i--;
	return i;
}

void
plot_count_run(void *bins, const uint64_t *at, const double *v, size_t n)
{
	struct plot_bins *b = bins;
	const double per_bin = b->n / (b->edge[b->n] - b->edge[0]);
	size_t i;

	(void)at;
	for (i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			continue;
		if (v[i] < b->edge[0] || v[i] > b->edge[b->n])
			b->outside++;
		else
			b->count[find_bin(b, v[i], per_bin)]++;
	}
}

/* Bins of integers: the smallest width that covers them all. */
static double
whole_width(double lo, double hi, int *n)
{
	const double span = hi - lo + 1, width = ceil(span / *n);

	*n = (int)ceil(span / width);
	return width;
}

void
plot_bins_init(struct plot_bins *b, double lo, double hi, int most, bool whole)
{
	double width;
	int i;

	whole = whole && fabs(lo) < 0x1p52 && fabs(hi) < 0x1p52 && floor(lo) == lo && floor(hi) == hi;
	b->n = most;
	if (!whole && lo == hi) { /* as NumPy does */
		lo -= 0.5;
		hi += 0.5;
	}
	if (!(lo < hi) && !whole) /* so large that 0.5 is lost */
		hi = nextafter(lo, INFINITY);
	width = whole ? whole_width(lo, hi, &b->n) : hi / most - lo / most;
	b->edge = xrealloc(NULL, ((size_t)b->n + 1) * sizeof *b->edge);
	b->count = memset(xrealloc(NULL, (size_t)b->n * sizeof *b->count), 0, (size_t)b->n * sizeof *b->count);
	for (i = 0; i <= b->n; i++)
		b->edge[i] = lo + i * width;
	if (!whole)
		b->edge[b->n] = hi;
}

void
plot_bins_fini(struct plot_bins *b)
{
	free(b->edge);
	free(b->count);
	b->edge = NULL;
	b->count = NULL;
}
