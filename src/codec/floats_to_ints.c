/*
 * floats_to_ints.c - float32 and float64 to integers, rounded in any direction, a block at once
 *
 *     read -> round -> limit -> store         each step is one loop over a block of doubles on the stack
 *
 * The loops have a constant length and no branches, so that compilers vectorise them.  Whatever is not an ordinary
 * number in range makes the whole block fail, and the caller converts its elements one by one.
 */
#include <float.h>
#include <math.h>

#include "codec/codec_parts.h"

#define BLOCK ZINC_RECODE_BLOCK

/* From here on all doubles are integers.  Adding it to a smaller one rounds that to nearest even. */
#define WHOLE 0x1p52

/* ---- read ---- */

static void
read_block(const zinc_dtype *from, const void *in, size_t n, double v[BLOCK])
{
	float f[BLOCK] = {0};
	size_t i;

	if (from->size == 8) {
		memset(v + n, 0, (BLOCK - n) * sizeof *v);
		memcpy(v, in, n * sizeof *v);
		return;
	}
	memcpy(f, in, n * sizeof *f);
	for (i = 0; i < BLOCK; i++)
		v[i] = (double)f[i];
}

/* ---- round ---- */

/* |v| to nearest even. */
static inline double
whole_magnitude(double v)
{
	const double a = fabs(v), r = (a + WHOLE) - WHOLE;

	return a < WHOLE ? r : a;
}

static void
round_block(double v[BLOCK], zinc_rounding rounding)
{
	size_t i;
	double r;

	switch (rounding) {
	case ZINC_ROUND_EVEN:
		for (i = 0; i < BLOCK; i++)
			v[i] = copysign(whole_magnitude(v[i]), v[i]);
		break;
	case ZINC_ROUND_AWAY: /* a half that went to the lower even number */
		for (i = 0; i < BLOCK; i++) {
			r = whole_magnitude(v[i]);
			v[i] = copysign(r + (fabs(v[i]) - r == 0.5 ? 1.0 : 0.0), v[i]);
		}
		break;
	case ZINC_ROUND_ZERO:
		for (i = 0; i < BLOCK; i++) {
			r = whole_magnitude(v[i]);
			v[i] = copysign(r - (r > fabs(v[i]) ? 1.0 : 0.0), v[i]);
		}
		break;
	case ZINC_ROUND_UP:
		for (i = 0; i < BLOCK; i++) {
			r = copysign(whole_magnitude(v[i]), v[i]);
			v[i] = r + (r < v[i] ? 1.0 : 0.0);
		}
		break;
	case ZINC_ROUND_DOWN:
		for (i = 0; i < BLOCK; i++) {
			r = copysign(whole_magnitude(v[i]), v[i]);
			v[i] = r - (r > v[i] ? 1.0 : 0.0);
		}
		break;
	}
}

/* ---- limit ---- */

/* Are all numbers in [low, end)?  NaN is not. */
static bool
inside(const double v[BLOCK], double low, double end)
{
	uint64_t outside = 0;
	size_t i;

	for (i = 0; i < BLOCK; i++)
		outside |= (uint64_t) !((v[i] >= low) & (v[i] < end));
	return !outside;
}

/* Infinities and NaN are errors for the caller. */
static bool
clamp_block(double v[BLOCK], double low, double high)
{
	size_t i;

	if (!inside(v, -DBL_MAX, INFINITY))
		return false;
	for (i = 0; i < BLOCK; i++) {
		const double x = v[i] < low ? low : v[i];

		v[i] = x > high ? high : x;
	}
	return true;
}

/* ---- store ---- */

/* The lowest bits of the sum are those of the integer, in two's complement: 1.5 * 2^52 has none of them. */
static inline uint64_t
low_bits(double v)
{
	const double sum = v + 0x1.8p52;
	uint64_t bits;

	memcpy(&bits, &sum, sizeof bits);
	return bits;
}

static void
store_8(const double v[BLOCK], void *out, size_t n)
{
	uint8_t r[BLOCK];
	size_t i;

	for (i = 0; i < BLOCK; i++)
		r[i] = (uint8_t)low_bits(v[i]);
	memcpy(out, r, n * sizeof *r);
}

static void
store_16(const double v[BLOCK], void *out, size_t n)
{
	uint16_t r[BLOCK];
	size_t i;

	for (i = 0; i < BLOCK; i++)
		r[i] = (uint16_t)low_bits(v[i]);
	memcpy(out, r, n * sizeof *r);
}

static void
store_32(const double v[BLOCK], void *out, size_t n)
{
	uint32_t r[BLOCK];
	size_t i;

	for (i = 0; i < BLOCK; i++)
		r[i] = (uint32_t)low_bits(v[i]);
	memcpy(out, r, n * sizeof *r);
}

static void
store_64(const double v[BLOCK], void *out, size_t n)
{
	uint64_t r[BLOCK];
	size_t i;

	for (i = 0; i < n; i++)
		r[i] = v[i] < 0 ? (uint64_t)(int64_t)v[i] : (uint64_t)v[i];
	memcpy(out, r, n * sizeof *r);
}

/* ---- a block ---- */

bool
zinc_floats_to_ints_has(const zinc_dtype *to, const zinc_dtype *from)
{
	const bool is_float = from->type == ZINC_FLOAT32 || from->type == ZINC_FLOAT64;

	return FLT_EVAL_METHOD == 0 && is_float && to->bits == 8 * to->size;
}

bool
zinc_floats_to_ints(const zinc_dtype *to, void *out, const zinc_dtype *from, const void *in, size_t n,
		    zinc_rounding rounding, bool clamp, bool wrap)
{
	const bool is_signed = to->kind == ZINC_KIND_INT;
	const double end = ldexp(1, (int)to->bits - is_signed), low = is_signed ? -end : 0;
	double v[BLOCK];

	read_block(from, in, n, v);
	round_block(v, rounding);
	if (to->size == 8) {
		if (!inside(v, low, end))
			return false;
		store_64(v, out, n);
		return true;
	}
	if (clamp ? !clamp_block(v, low, end - 1) : wrap ? !inside(v, -0x1p51, 0x1p51) : !inside(v, low, end))
		return false;
	(to->size == 1 ? store_8 : to->size == 2 ? store_16 : store_32)(v, out, n);
	return true;
}
