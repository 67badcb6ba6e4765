/*
 * plot_range.c - the range of values that a picture shows
 *
 * By default the colours of a heat map show 2 % to 98 % of its cells, so that a few outliers do not hide the rest;
 * percentiles are interpolated as NumPy's are.  Lines and histograms show all.
 */
#include <math.h>

#include "plot.h"

/* One finite number; NULL: none. */
static const char *
parse_end(const char *s, double *v)
{
	char *end;

	s += strspn(s, " ");
	if (!*s || !strchr("+-.0123456789", *s) || s[strspn(s, "+-.0123456789eE")] == 'x')
		return NULL; /* strtod also accepts hexadecimal numbers, "nan" and "inf" */
	*v = strtod(s, &end);
	if (end == s || !isfinite(*v))
		return NULL;
	return end + strspn(end, " ");
}

bool
plot_range_parse(struct plot_range *range, const char *s)
{
	*range = (struct plot_range){.full = !strcmp(s, "full")};
	if (range->full)
		return true;
	s = parse_end(s, &range->lo);
	if (!s || *s != ',')
		return false;
	s = parse_end(s + 1, &range->hi);
	range->fixed = true;
	return s && !*s && range->lo < range->hi;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The number at a share of the way through sorted ones, as numpy.percentile interpolates. */
static double
percentile(const double *v, size_t n, double share)
{
	const double at = share * (double)(n - 1), below = floor(at), part = at - below;
	const size_t i = (size_t)below;

	if (i + 1 >= n)
		return v[n - 1];
	return v[i] * (1 - part) + v[i + 1] * part;
}

void
plot_range_find(struct plot_range *range, double *v, size_t n, bool all, bool symmetric)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (isfinite(v[i]))
			v[k++] = v[i];
	range->none = k == 0;
	if (range->none || range->fixed)
		return;
	qsort(v, k, sizeof *v, compare);
	range->lo = all || range->full ? v[0] : percentile(v, k, 0.02);
	range->hi = all || range->full ? v[k - 1] : percentile(v, k, 0.98);
	if (symmetric && range->lo < 0 && range->hi > 0) {
		range->hi = -range->lo > range->hi ? -range->lo : range->hi;
		range->lo = -range->hi;
	}
}

double
plot_range_share(const struct plot_range *range, double v)
{
	double width = range->hi - range->lo, share;

	if (!(width > 0))
		return v < range->lo ? 0 : v > range->hi ? 1 : 0.5;
	if (isinf(width))
		share = (v / 2 - range->lo / 2) / (range->hi / 2 - range->lo / 2);
	else
		share = (v - range->lo) / width;
	return share < 0 ? 0 : share > 1 ? 1 : share;
}
