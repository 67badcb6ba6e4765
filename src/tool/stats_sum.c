/*
 * stats_sum.c - sums of numbers that can be merged
 *
 * Numbers are processed in tiles small enough for the first-level cache: minimum and maximum first, then mean, squares
 * and bins.  Promises (tests/unit/test_tool_stats.c names each by its number):
 *
 * (1) Minimum, maximum and sum of integers are exact: the sum has 128 bits, enough for 2^64 numbers of 64 bits.
 * (2) Mean and squares are those of tiles, merged by Chan's formula with a mean of twice the digits: an error does not
 *     grow with the number of elements, and a large mean does not hide a small deviation, also for integers that a
 *     double cannot hold.  Squares are scaled, so that those of the largest and smallest doubles are finite and not
 *     zero.
 * (3) The bins depend on the numbers alone, not on their order nor on how they were cut into parts.
 */
#include <math.h>
#include <stdio.h>

#include "tool/tool.h"

#define TILE      2048u
#define EXP_LEAST (-1000) /* 2^-exponent must be finite: smaller numbers share the bins around zero */
#define BIN_BITS  58      /* of bin numbers of floats: more than the digits of a double */
#define FAR       400     /* numbers beyond 2^FAR, or all below 2^-FAR, are scaled before squaring ... */
#define SCALE     700     /* ... by 2^SCALE */

/* ---- histogram ----
 *
 * The bin number of v is floor(v / 2^exponent).  Doubling the width joins bins 2k and 2k + 1 to bin k, so a histogram
 * can always be made coarser, exactly, and needs no range in advance: the exponent is the smallest for which all
 * numbers so far fit into the bins.
 */

static uint64_t
halve(uint64_t bin, int times, zinc_wide_type type)
{
	if (times > 63)
		return type != ZINC_WIDE_UNSIGNED && (int64_t)bin < 0 ? UINT64_MAX : 0;
	return type == ZINC_WIDE_UNSIGNED ? bin >> times : (uint64_t)((int64_t)bin >> times);
}

static void
coarsen(zinc_histogram *h, int exponent, zinc_wide_type type)
{
	const int times = exponent - h->exponent;
	zinc_histogram was = *h;
	int i;

	if (times <= 0)
		return;
	memset(h->count, 0, sizeof h->count);
	h->exponent = exponent;
	h->first = halve(was.first, times, type);
	for (i = 0; i < was.n; i++)
		h->count[halve(was.first + (uint64_t)i, times, type) - h->first] += was.count[i];
	h->n = (int)(halve(was.first + (uint64_t)(was.n - 1), times, type) - h->first) + 1;
}

/* Is bin a before bin b? */
static bool
before(uint64_t a, uint64_t b, zinc_wide_type type)
{
	return type == ZINC_WIDE_UNSIGNED ? a < b : (int64_t)a < (int64_t)b;
}

static void
merge_bins(zinc_histogram *to, const zinc_histogram *from, zinc_wide_type type)
{
	zinc_histogram more = *from;
	uint64_t first, last, ends[2];
	int i, exponent;

	if (more.n == 0)
		return;
	if (to->n == 0) {
		*to = more;
		return;
	}
	for (exponent = to->exponent > more.exponent ? to->exponent : more.exponent;; exponent++) {
		coarsen(to, exponent, type);
		coarsen(&more, exponent, type);
		first = before(more.first, to->first, type) ? more.first : to->first;
		ends[0] = to->first + (uint64_t)to->n - 1;
		ends[1] = more.first + (uint64_t)more.n - 1;
		last = ends[before(ends[0], ends[1], type)];
		if (last - first < ZINC_STATS_BINS)
			break;
	}
	memmove(to->count + (to->first - first), to->count, (size_t)to->n * sizeof *to->count);
	memset(to->count, 0, (size_t)(to->first - first) * sizeof *to->count);
	to->first = first;
	memset(to->count + (ends[0] - first + 1), 0,
	       (size_t)(ZINC_STATS_BINS - 1 - (ends[0] - first)) * sizeof *to->count);
	to->n = (int)(last - first) + 1;
	for (i = 0; i < more.n; i++)
		to->count[more.first + (uint64_t)i - first] += more.count[i];
}

/* ---- mean and squares ---- */

/* a + b; *rest is set to the rounding error of the sum (Knuth). */
static double
add_twice(double a, double b, double *rest)
{
	const double sum = a + b, part = sum - a;

	*rest = (a - (sum - part)) + (b - part);
	return sum;
}

/* Chan, Golub, LeVeque 1983: n and m numbers with means a and b, and sums of squared differences p and q, together
 * have the squares p + q + (b - a)^2 n m / (n + m). */
static void
merge_moments(zinc_sums *to, const zinc_sums *from)
{
	const double all = (double)to->n + (double)from->n, share = (double)from->n / all;
	const int scale = from->scale > to->scale ? from->scale : to->scale;
	const double mean = ldexp(to->mean, -scale), low = ldexp(to->mean_low, -scale);
	const double apart = (ldexp(from->mean, -scale) - mean) + (ldexp(from->mean_low, -scale) - low);
	double sum, rest;

	if (to->n == 0) {
		to->mean = from->mean;
		to->mean_low = from->mean_low;
		to->squares = from->squares;
		to->scale = from->scale;
		to->n = from->n;
		return;
	}
	sum = add_twice(mean, low + apart * share, &rest);
	if (scale > 0) /* floats; rounding must not make the largest of them infinite */
		sum = fmax(ldexp(to->min.f, -scale), fmin(sum, ldexp(to->max.f, -scale)));
	to->mean = ldexp(sum, scale);
	to->mean_low = ldexp(rest, scale);
	to->squares = ldexp(to->squares, 2 * (to->scale - scale)) + ldexp(from->squares, 2 * (from->scale - scale)) +
		      apart * apart * ((double)to->n * share);
	to->scale = scale;
	to->n += from->n;
}

/* The differences from a tile's mean do not add up to exactly 0, because the mean was rounded. */
static void
correct(zinc_sums *t, double sum)
{
	const double low = sum / (double)t->n;

	t->mean_low += ldexp(low, t->scale);
	t->squares -= sum * low;
}

/* Set the mean of integers, in twice the digits: `mean` above an integer whose upper and lower half are doubles. */
static void
set_mean(zinc_sums *t, double upper, double lower, double mean)
{
	double rest, more;

	t->mean = add_twice(add_twice(upper, lower, &rest), mean, &more);
	t->mean_low = rest + more;
}

/* Add to the 128 bits of an exact sum. */
static void
add_exact(zinc_sums *s, uint64_t low, int64_t high)
{
	s->high += high + (__builtin_add_overflow(s->low, low, &s->low) ? 1 : 0);
}

/* ---- tiles ----
 *
 * The same four steps for each of the three types; only the computation of the bin differs.
 */

static int
integer_exponent(uint64_t range)
{
	return range < 16 ? 0 : 59 - __builtin_clzll(range); /* at most one too small */
}

static void
tile_signed(zinc_sums *t, const int64_t *v, size_t n)
{
	zinc_histogram *h = &t->bins;
	int64_t low = v[0], high = v[0];
	double sum = 0, mean = 0; /* relative to the minimum: differences of integers are exact, or large */
	size_t i;

	for (i = 0; i < n; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
		add_exact(t, (uint64_t)v[i], v[i] < 0 ? -1 : 0);
	}
	t->min.i = low;
	t->max.i = high;
	t->n = n;
	for (i = 0; i < n; i++)
		mean += (double)((uint64_t)v[i] - (uint64_t)low) / (double)n;
	h->exponent = integer_exponent((uint64_t)high - (uint64_t)low);
	while ((high >> h->exponent) - (low >> h->exponent) >= ZINC_STATS_BINS)
		h->exponent++;
	h->first = (uint64_t)(low >> h->exponent);
	h->n = (int)((high >> h->exponent) - (low >> h->exponent)) + 1;
	for (i = 0; i < n; i++) {
		const double apart = (double)((uint64_t)v[i] - (uint64_t)low) - mean;

		sum += apart;
		t->squares += apart * apart;
		h->count[(uint64_t)(v[i] >> h->exponent) - h->first]++;
	}
	set_mean(t, (double)(low >> 32) * 0x1p32, (double)(low & UINT32_MAX), mean);
	correct(t, sum);
}

static void
tile_unsigned(zinc_sums *t, const uint64_t *v, size_t n)
{
	zinc_histogram *h = &t->bins;
	uint64_t low = v[0], high = v[0];
	double sum = 0, mean = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
		add_exact(t, v[i], 0);
	}
	t->min.u = low;
	t->max.u = high;
	t->n = n;
	for (i = 0; i < n; i++)
		mean += (double)(v[i] - low) / (double)n;
	h->exponent = integer_exponent(high - low);
	while ((high >> h->exponent) - (low >> h->exponent) >= ZINC_STATS_BINS)
		h->exponent++;
	h->first = low >> h->exponent;
	h->n = (int)((high >> h->exponent) - h->first) + 1;
	for (i = 0; i < n; i++) {
		const double apart = (double)(v[i] - low) - mean;

		sum += apart;
		t->squares += apart * apart;
		h->count[(v[i] >> h->exponent) - h->first]++;
	}
	set_mean(t, (double)(low >> 32) * 0x1p32, (double)(low & UINT32_MAX), mean);
	correct(t, sum);
}

/* Bin numbers of floats: scaling by a power of two is exact. */
static int64_t
float_bin(double v, double scale)
{
	return (int64_t)floor(v * scale);
}

/* The smallest exponent for which low and high are in the bins, and bin numbers are exact. */
static int
float_exponent(double low, double high)
{
	const double far = fabs(low) > fabs(high) ? fabs(low) : fabs(high);
	int least = far > 0 ? ilogb(far) - BIN_BITS : EXP_LEAST, e;

	if (least < EXP_LEAST)
		least = EXP_LEAST;
	e = high > low ? ilogb(high / ZINC_STATS_BINS - low / ZINC_STATS_BINS) : least;
	if (e < least)
		e = least;
	while (e > least && float_bin(high, ldexp(1, 1 - e)) - float_bin(low, ldexp(1, 1 - e)) < ZINC_STATS_BINS)
		e--;
	while (float_bin(high, ldexp(1, -e)) - float_bin(low, ldexp(1, -e)) >= ZINC_STATS_BINS)
		e++;
	return e;
}

/* The power of two by which differences of such numbers are divided before squaring.  For zeros alone it is the
 * smallest: merging uses the larger of two, and zeros must not determine it. */
static int
scale_of(double low, double high)
{
	const double far = fabs(low) > fabs(high) ? fabs(low) : fabs(high);

	return far > ldexp(1, FAR) ? SCALE : far < ldexp(1, -FAR) ? -SCALE : 0;
}

/* All numbers are finite. */
static void
tile_float(zinc_sums *t, const double *v, size_t n)
{
	zinc_histogram *h = &t->bins;
	double low = v[0], high = v[0], sum = 0, scale, unit, mean;
	size_t i;

	for (i = 0; i < n; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
	}
	t->min.f = low;
	t->max.f = high;
	t->n = n;
	t->scale = scale_of(low, high);
	unit = ldexp(1, -t->scale);
	for (i = 0; i < n; i++)
		sum += v[i] * unit / (double)n;          /* never overflows */
	mean = fmax(low * unit, fmin(sum, high * unit)); /* rounding must not exceed the largest */
	t->mean = ldexp(mean, t->scale);
	h->exponent = float_exponent(low, high);
	scale = ldexp(1, -h->exponent);
	h->first = (uint64_t)float_bin(low, scale);
	h->n = (int)((uint64_t)float_bin(high, scale) - h->first) + 1;
	for (sum = 0, i = 0; i < n; i++) {
		const double apart = v[i] * unit - mean;

		sum += apart;
		t->squares += apart * apart;
		h->count[(uint64_t)float_bin(v[i], scale) - h->first]++;
	}
	correct(t, sum);
}

/* ---- adding ---- */

void
zinc_sums_add_signed(zinc_sums *s, const int64_t *v, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i += k) {
		zinc_sums t = {0};

		k = n - i < TILE ? n - i : TILE;
		tile_signed(&t, v + i, k);
		zinc_sums_merge(s, &t, ZINC_WIDE_SIGNED);
	}
}

void
zinc_sums_add_unsigned(zinc_sums *s, const uint64_t *v, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i += k) {
		zinc_sums t = {0};

		k = n - i < TILE ? n - i : TILE;
		tile_unsigned(&t, v + i, k);
		zinc_sums_merge(s, &t, ZINC_WIDE_UNSIGNED);
	}
}

/* Move the finite ones of n numbers to the front and count the others; returns the number of finite ones. */
static size_t
sift(zinc_sums *s, double *v, size_t n)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		if (isfinite(v[i]))
			v[k++] = v[i];
		else if (isnan(v[i]))
			s->nan++;
		else if (v[i] > 0)
			s->plus++;
		else
			s->minus++;
	}
	return k;
}

void
zinc_sums_add_float(zinc_sums *s, double *v, size_t n)
{
	size_t i, k, finite;

	for (i = 0; i < n; i += k) {
		zinc_sums t = {0};

		k = n - i < TILE ? n - i : TILE;
		finite = sift(&t, v + i, k);
		if (finite > 0)
			tile_float(&t, v + i, finite);
		zinc_sums_merge(s, &t, ZINC_WIDE_FLOAT);
	}
}

/* ---- merging ---- */

static bool
less(zinc_number a, zinc_number b, zinc_wide_type type)
{
	return type == ZINC_WIDE_SIGNED ? a.i < b.i : type == ZINC_WIDE_UNSIGNED ? a.u < b.u : a.f < b.f;
}

/* n is less than 2^64 and the number has 64 bits, so the product fits 128 bits. */
void
zinc_sums_times(zinc_sums *s, uint64_t n)
{
	const __uint128_t sum =
	    ((__uint128_t)(uint64_t)s->high << 64 | s->low) * n; /* two's complement, modulo 2^128 */
	int i;

	s->low = (uint64_t)sum;
	s->high = (int64_t)(uint64_t)(sum >> 64);
	s->n *= n;
	s->nan *= n;
	s->plus *= n;
	s->minus *= n;
	for (i = 0; i < s->bins.n; i++)
		s->bins.count[i] *= n;
}

void
zinc_sums_merge(zinc_sums *to, const zinc_sums *from, zinc_wide_type type)
{
	to->nan += from->nan;
	to->plus += from->plus;
	to->minus += from->minus;
	if (from->n == 0)
		return;
	if (to->n == 0 || less(from->min, to->min, type))
		to->min = from->min;
	if (to->n == 0 || less(to->max, from->max, type))
		to->max = from->max;
	add_exact(to, from->low, from->high);
	merge_bins(&to->bins, &from->bins, type);
	merge_moments(to, from);
}

/* ---- results ---- */

/* The sum's absolute value in two parts; true: it is negative. */
static bool
magnitude(const zinc_sums *s, uint64_t *high, uint64_t *low)
{
	*high = (uint64_t)s->high;
	*low = s->low;
	if (s->high >= 0)
		return false;
	*low = ~*low + 1;
	*high = ~*high + (*low == 0);
	return true;
}

double
zinc_sums_mean(const zinc_sums *s, zinc_wide_type type)
{
	uint64_t high, low;
	double sum;

	if (type == ZINC_WIDE_FLOAT || s->n == 0)
		return s->mean;
	sum = magnitude(s, &high, &low) ? -1 : 1;
	return sum * ((double)high * 0x1p64 + (double)low) / (double)s->n;
}

/* The result is at most half of the range; rounding must not exceed it, because it could become infinite. */
double
zinc_sums_deviation(const zinc_sums *s)
{
	const double v = ldexp(sqrt(s->squares / (double)s->n), s->scale);

	return s->scale > 0 ? fmin(v, s->max.f / 2 - s->min.f / 2) : v;
}

/* Long division by ten, in parts of 32 bits. */
void
zinc_sums_print(const zinc_sums *s, char out[48])
{
	char digits[48];
	uint32_t part[4];
	uint64_t high, low, rest;
	size_t n = 0, k = 0;
	int i;

	if (magnitude(s, &high, &low))
		out[k++] = '-';
	for (i = 0; i < 4; i++)
		part[i] = (uint32_t)((i < 2 ? high : low) >> (i % 2 ? 0 : 32));
	do {
		for (rest = 0, i = 0; i < 4; i++) {
			rest = rest << 32 | part[i];
			part[i] = (uint32_t)(rest / 10);
			rest %= 10;
		}
		digits[n++] = (char)('0' + rest);
	} while (part[0] || part[1] || part[2] || part[3]);
	while (n > 0)
		out[k++] = digits[--n];
	out[k] = '\0';
}
