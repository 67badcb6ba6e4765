/*
 * times.c - numbers to times and durations, rounded as xarray rounds them
 *
 * xarray has two ways.  Its own makes nanoseconds, int64 exactly and floats cut towards zero, if the unit is a full
 * word, the calendar that of NumPy, and the reference and all times lie between 1677 and 2262.  Otherwise cftime makes
 * microseconds, rounded, of everything; they become nanoseconds after all when calendar and times allow.
 *
 * Promises (tests/unit/test_cf.c names each by its number):
 *
 * (7) An integer is decoded exactly, or E_RANGE.
 * (8) What is missing, NaN or infinite is INT64_MIN.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cf/decode.h"

#define US_NS 1000

/* ---- one time ---- */

static bool
instant_ns(zinc_instant at, int64_t *out)
{
	return zinc_instant_count(at, 1, out) && *out != INT64_MIN;
}

/* Its own way. */
static bool
own_count(const zinc_cf_times *t, int64_t v, int64_t *out)
{
	zinc_instant at;

	return zinc_instant_add(t->from.reference, v, t->from.unit_ns, &at) && instant_ns(at, out);
}

static bool
own_real(const zinc_cf_times *t, double v, int64_t *out)
{
	const double ns = v * (double)t->from.unit_ns;
	zinc_instant at;

	return fabs(ns) < 0x1p63 && zinc_instant_add(t->from.reference, (int64_t)ns, 1, &at) && instant_ns(at, out);
}

/* Whole seconds are not missed by a microsecond (cftime's cast_to_int). */
static bool
round_us(const zinc_cf_times *t, double v, int64_t *out)
{
	const long double us = (long double)v * (long double)t->from.unit_ns / (long double)US_NS;
	long double whole = rintl(us);
	int64_t rest;

	if (!(fabsl(whole) < 0x1p63L))
		return false;
	rest = (int64_t)whole % 1000000;
	if (t->from.unit_ns >= ZINC_SECOND_NS && (rest == 1 || rest == -999999))
		whole = floorl(us);
	rest = (int64_t)whole % 1000000;
	if (t->from.unit_ns >= ZINC_SECOND_NS && (rest == 999999 || rest == -1))
		whole = ceill(us);
	*out = (int64_t)whole;
	return true;
}

/* cftime's way: microseconds since 1970. */
static bool
cftime_us(const zinc_cf_times *t, double v, int64_t *out)
{
	zinc_instant at = t->from.reference;
	int64_t us;

	at.ns -= at.ns % US_NS;
	return round_us(t, v, &us) && zinc_instant_add(at, us, US_NS, &at) && zinc_instant_count(at, US_NS, out) &&
	       *out != INT64_MIN;
}

static bool
decode_instant(const zinc_cf_times *t, double v, int64_t count, bool counts, int64_t *out)
{
	if (!t->by_cftime)
		return counts ? own_count(t, count, out) : own_real(t, v, out);
	if (!cftime_us(t, counts ? (double)count : v, out))
		return false;
	return t->unit_ns == US_NS || (!__builtin_mul_overflow(*out, US_NS, out) && *out != INT64_MIN);
}

/* ---- one duration ---- */

/* In the coarsest unit, from seconds or the unit of the numbers on, that leaves no fraction; at most nanoseconds. */
static double
refine(const zinc_cf_times *t, double v, int64_t *unit_ns)
{
	const bool coarse = t->from.unit_ns > ZINC_SECOND_NS;

	*unit_ns = coarse ? ZINC_SECOND_NS : t->from.unit_ns;
	if (coarse)
		v *= (double)(t->from.unit_ns / ZINC_SECOND_NS);
	for (; *unit_ns > 1 && v != trunc(v); *unit_ns /= 1000)
		v = t->single && !coarse ? (double)(float)(v * 1000) : v * 1000;
	return v;
}

static bool
decode_duration(const zinc_cf_times *t, double v, int64_t count, bool counts, int64_t *out)
{
	int64_t unit = t->from.unit_ns;

	if (!counts) {
		v = refine(t, v, &unit);
		if (!(fabs(v) < 0x1p63))
			return false;
		count = (int64_t)v;
	}
	if (unit < t->unit_ns) { /* a float beyond the sample that is finer than all in it */
		*out = count / (t->unit_ns / unit);
		return true;
	}
	return !__builtin_mul_overflow(count, unit / t->unit_ns, out) && *out != INT64_MIN;
}

/* ---- all ---- */

static zinc_status
too_large(double v, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_RANGE, "%.17g is too large or too small for a time of 64 bits", v);
}

/* A number as it was unpacked; `real` also for counts, perhaps rounded. */
struct number {
	bool missing;
	int64_t count;
	double real;
};

static struct number
number_at(const void *at, bool counts)
{
	struct number v = {0};

	if (!counts) {
		memcpy(&v.real, at, sizeof v.real);
		v.missing = !isfinite(v.real);
		return v;
	}
	memcpy(&v.count, at, sizeof v.count);
	v.real = (double)v.count;
	v.missing = v.count == INT64_MIN;
	return v;
}

zinc_status
zinc_cf_times_decode(const zinc_cf_times *t, bool counts, const void *numbers, size_t n, int64_t *times,
		     zinc_error *err)
{
	const uint8_t *in = numbers;
	size_t i;

	for (i = 0; i < n; i++, in += 8) {
		const struct number v = number_at(in, counts);

		if (v.missing)
			times[i] = INT64_MIN;
		else if (!(t->kind == ZINC_CF_DURATION ? decode_duration(t, v.real, v.count, counts, &times[i])
						       : decode_instant(t, v.real, v.count, counts, &times[i])))
			return too_large(v.real, err);
	}
	return ZINC_OK;
}

/* ---- what they become ---- */

static void
widen(zinc_cf_range *r, double v, int64_t count, int64_t unit_ns)
{
	r->low = r->n == 0 || v < r->low ? v : r->low;
	r->high = r->n == 0 || v > r->high ? v : r->high;
	r->low_count = r->n == 0 || count < r->low_count ? count : r->low_count;
	r->high_count = r->n == 0 || count > r->high_count ? count : r->high_count;
	r->finest_ns = r->n == 0 || unit_ns < r->finest_ns ? unit_ns : r->finest_ns;
	r->n++;
}

void
zinc_cf_range_add(zinc_cf_range *r, const zinc_cf_times *t, bool counts, const void *numbers, size_t n)
{
	const uint8_t *in = numbers;
	int64_t unit_ns = ZINC_SECOND_NS;
	size_t i;

	for (i = 0; i < n; i++, in += 8) {
		const struct number v = number_at(in, counts);

		if (v.missing)
			continue;
		if (!counts && t->kind == ZINC_CF_DURATION)
			(void)refine(t, v.real, &unit_ns);
		widen(r, v.real, v.count, unit_ns);
	}
}

static bool
ends_fit(const zinc_cf_times *t, bool counts, const zinc_cf_range *r, int64_t *low, int64_t *high)
{
	return r->n > 0 && decode_instant(t, r->low, r->low_count, counts, low) &&
	       decode_instant(t, r->high, r->high_count, counts, high);
}

/* Do the reference and all times fit nanoseconds? */
static bool
can_own(const zinc_cf_times *t, bool counts, const zinc_cf_range *r)
{
	int64_t ns;

	return t->from.plain_unit && t->from.plain_date && instant_ns(t->from.reference, &ns) &&
	       (r->n == 0 || ends_fit(t, counts, r, &ns, &ns));
}

static void
choose_duration(zinc_cf_times *t, bool counts, const zinc_cf_range *r)
{
	int64_t needed = t->from.unit_ns < ZINC_SECOND_NS ? t->from.unit_ns : ZINC_SECOND_NS;

	if (!counts && r->n > 0)
		needed = r->finest_ns;
	if (needed < t->unit_ns)
		t->unit_ns = needed;
}

void
zinc_cf_times_choose(zinc_cf_times *t, bool counts, const zinc_cf_range *r)
{
	const bool of_numpy = t->from.calendar == ZINC_CALENDAR_STANDARD || t->from.calendar == ZINC_CALENDAR_PROLEPTIC;
	int64_t low, high;

	if (t->kind == ZINC_CF_DURATION) {
		choose_duration(t, counts, r);
		return;
	}
	t->unit_ns = 1;
	t->kind = ZINC_CF_TIME;
	if (of_numpy && can_own(t, counts, r))
		return;
	t->by_cftime = true;
	if (of_numpy && (r->n == 0 || ends_fit(t, counts, r, &low, &high)))
		return;
	t->kind = ZINC_CF_DATE;
	t->unit_ns = US_NS;
}

/* ---- text ---- */

/* "3 days 12:00:00", "-0 days 00:00:01.500000"; the sign is that of the whole. */
void
zinc_cf_duration_print(const zinc_cf_times *t, int64_t v, char text[64])
{
	const uint64_t per_second = (uint64_t)(ZINC_SECOND_NS / t->unit_ns);
	const uint64_t all = v < 0 ? -(uint64_t)v : (uint64_t)v, seconds = all / per_second;
	uint64_t fraction = all % per_second * (uint64_t)t->unit_ns;
	int digits = 9, n;

	n = snprintf(text, 64, "%s%" PRIu64 " days %02d:%02d:%02d", v < 0 ? "-" : "", seconds / 86400,
		     (int)(seconds / 3600 % 24), (int)(seconds / 60 % 60), (int)(seconds % 60));
	if (fraction == 0 || n < 0)
		return;
	if (fraction % 1000 == 0) {
		fraction /= 1000;
		digits = 6;
	}
	(void)snprintf(text + n, 64 - (size_t)n, ".%0*" PRIu64, digits, fraction);
}
