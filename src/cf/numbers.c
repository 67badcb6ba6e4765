/*
 * numbers.c - elements to numbers: _Unsigned, missing values, scale and offset
 *
 * Everything is computed in double and rounded to the type of the result after each step, which gives what arithmetic
 * in that type would (a double has more than twice the digits of a float).
 *
 * Promises (tests/unit/test_cf.c names each by its number):
 *
 * (5) Missing values are compared after conversion to the type of the result, before scale and offset.
 * (6) Scale and offset are two roundings, in this order.
 */
#include <math.h>

#include "cf/decode.h"

#define TILE 512 /* elements at a time */

bool
zinc_cf_is_plain(const zinc_cf_packing *p, zinc_type own)
{
	return p->type == own && p->nmissing == 0 && !p->scales && !p->shifts;
}

static double
rounded(zinc_type type, double v)
{
	if (type == ZINC_FLOAT32)
		return (double)(float)v;
	return type == ZINC_FLOAT16 ? (double)zinc_half_to_float(zinc_half_from_double(v)) : v;
}

/* ---- reals ---- */

static void
mask_reals(const zinc_cf_packing *p, double *v, size_t n)
{
	size_t i, k;

	for (k = 0; k < p->nmissing; k++)
		for (i = 0; i < n && !p->missing[k].never; i++)
			if (v[i] == p->missing[k].re)
				v[i] = NAN;
}

/* Two loops: a compiler must not join product and sum, which would round once. */
static void
scale_reals(const zinc_cf_packing *p, double *v, size_t n)
{
	const double scale = rounded(p->type, p->scale), offset = rounded(p->type, p->offset);
	size_t i;

	for (i = 0; i < n && p->scales; i++)
		v[i] = rounded(p->type, v[i] * scale);
	for (i = 0; i < n && p->shifts; i++)
		v[i] = rounded(p->type, v[i] + offset);
}

static void
unpack_reals(const zinc_cf_packing *p, const void *elements, size_t n, void *numbers)
{
	double v[TILE];
	uint8_t *truth = numbers;
	size_t i;

	(void)zinc_dtype_convert(ZINC_FLOAT64, p->stored, v, elements, n, ZINC_CONVERT_ROUND); /* all fit */
	mask_reals(p, v, n);
	scale_reals(p, v, n);
	if (p->type != ZINC_BOOL)
		(void)zinc_dtype_convert(p->type, ZINC_FLOAT64, numbers, v, n, ZINC_CONVERT_ROUND);
	for (i = 0; i < n && p->type == ZINC_BOOL; i++)
		truth[i] = v[i] != 0;
}

/* ---- integers ---- */

static bool
is_missing_count(const zinc_cf_packing *p, int64_t v, bool large)
{
	const double near = large ? (double)(uint64_t)v : (double)v;
	size_t k;

	for (k = 0; k < p->nmissing; k++)
		if (!p->missing[k].never &&
		    (p->missing[k].whole ? !large && v == p->missing[k].i : near == p->missing[k].re))
			return true;
	return false;
}

/* `large`: above INT64_MAX, which only uint64 has. */
static zinc_status
unpack_counts(const zinc_cf_packing *p, const void *elements, size_t n, int64_t *v, zinc_error *err)
{
	size_t i;

	(void)zinc_dtype_convert(ZINC_INT64, p->stored, v, elements, n, ZINC_CONVERT_WRAP);
	for (i = 0; i < n; i++) {
		const bool large = p->stored == ZINC_UINT64 && v[i] < 0;

		if (is_missing_count(p, v[i], large))
			v[i] = INT64_MIN;
		else if (large && p->counts)
			return zinc_fail(err, ZINC_E_RANGE, "%llu is too large for a time",
					 (unsigned long long)(uint64_t)v[i]);
		else if (p->scales && (!p->counts || v[i] != INT64_MIN))
			v[i] = (int64_t)((uint64_t)v[i] * (uint64_t)p->factor); /* wraps, as in NumPy */
	}
	return ZINC_OK;
}

/* ---- complex numbers ---- */

static void
unpack_complex(const zinc_cf_packing *p, const void *elements, size_t n, void *numbers)
{
	double v[2 * TILE];
	size_t i, k;

	(void)zinc_dtype_convert(ZINC_COMPLEX128, p->stored, v, elements, n, 0);
	for (k = 0; k < p->nmissing; k++)
		for (i = 0; i < n && !p->missing[k].never; i++)
			if (v[2 * i] == p->missing[k].re && v[2 * i + 1] == p->missing[k].im)
				v[2 * i] = v[2 * i + 1] = NAN;
	(void)zinc_dtype_convert(p->type, ZINC_COMPLEX128, numbers, v, n, ZINC_CONVERT_ROUND);
}

/* ---- the whole ---- */

static bool
is_complex(zinc_type type)
{
	return type == ZINC_COMPLEX64 || type == ZINC_COMPLEX128;
}

zinc_status
zinc_cf_unpack(const zinc_cf_packing *p, const void *elements, size_t n, void *numbers, zinc_error *err)
{
	const size_t from = zinc_type_size(p->stored), to = zinc_type_size(p->type);
	const uint8_t *in = elements;
	uint8_t *out = numbers;
	size_t i, k;

	if (zinc_cf_is_plain(p, p->stored)) {
		if (n > 0)
			memcpy(out, in, n * from);
		return ZINC_OK;
	}
	for (i = 0; i < n; i += k, in += k * from, out += k * to) {
		k = n - i < TILE ? n - i : TILE;
		if (p->type == ZINC_INT64)
			ZINC_TRY(unpack_counts(p, in, k, (int64_t *)(void *)out, err));
		else if (is_complex(p->type))
			unpack_complex(p, in, k, out);
		else
			unpack_reals(p, in, k, out);
	}
	return ZINC_OK;
}
