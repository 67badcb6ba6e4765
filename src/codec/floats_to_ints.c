/*
 * floats_to_ints.c - float32 and float64 to integers, rounded in any direction, a block at once
 *
 *     read -> limit -> round -> store         each step is one loop over a block on the stack
 *
 * The loops have a constant length and neither branches nor comparisons of floats, so that compilers vectorise them.
 * Whatever is not an ordinary number in range makes the whole block fail, and the caller converts its elements one by
 * one.
 */
#include <float.h>

#include "codec/codec_parts.h"

#define BLOCK ZINC_RECODE_BLOCK

/*
 * For |v| <= 2^51 the sum of v and this number is rounded to an integer, to nearest even, and counts up by one with it:
 *
 *      0x1.8p52 + v  =  0x433 8 000000000000 + the integer
 */
#define SHIFT      0x1.8p52
#define SHIFT_BITS 0x4338000000000000u
#define LIMIT      0x1p51
#define HALF_BITS  0x3fe0000000000000u
#define MAGNITUDE  (UINT64_MAX >> 1)

static inline uint64_t
bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* The sign bit, as 0 or 1. */
static inline uint64_t
sign_of(double v)
{
	return bits_of(v) >> 63;
}

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

/* Limit numbers to [low, high]; -0 becomes 0, and NaN stays.  False: one is infinite or NaN, with the largest
 * exponent. */
static bool
limit_block(double v[BLOCK], double low, double high)
{
	uint64_t top = 0;
	size_t i;

	for (i = 0; i < BLOCK; i++)
		top |= (bits_of(v[i]) & MAGNITUDE) + ((uint64_t)1 << 52);
	for (i = 0; i < BLOCK; i++) {
		const double x = v[i] < low ? low : v[i];

		v[i] = (x > high ? high : x) + 0.0;
	}
	return !(top >> 63);
}

/* Round each number, add `step` to the integer, and collect what is outside of [low, high] in the top bit. */
#define ROUND(step)                                                                                                    \
	for (i = 0; i < BLOCK; i++) {                                                                                  \
		const double sum = v[i] + SHIFT, nearest = sum - SHIFT;                                                \
                                                                                                                       \
		(void)nearest;                                                                                         \
		out[i] = bits_of(sum) - SHIFT_BITS + (step);                                                           \
		outside |= (out[i] - low) | (high - out[i]);                                                           \
	}                                                                                                              \
	break

/* 1 if the nearest integer is below v, above v. */
#define BELOW sign_of(nearest - v[i])
#define ABOVE sign_of(v[i] - nearest)
/* 1 if v is a half, whose even neighbour is the one nearer to zero: then both differences have the sign of v. */
#define HALF (((bits_of(v[i] - nearest) & MAGNITUDE) - HALF_BITS) >> 63 ^ 1)
#define SHORT (HALF & ((bits_of(v[i] - nearest) ^ bits_of(v[i])) >> 63 ^ 1))

static bool
round_block(const double v[BLOCK], uint64_t out[BLOCK], zinc_rounding rounding, uint64_t low, uint64_t high)
{
	uint64_t outside = 0;
	size_t i;

	switch (rounding) {
	case ZINC_ROUND_EVEN:
		ROUND(0);
	case ZINC_ROUND_AWAY:
		ROUND(SHORT * (1 - 2 * sign_of(v[i])));
	case ZINC_ROUND_ZERO:
		ROUND((BELOW & sign_of(v[i])) - (ABOVE & ~sign_of(v[i])));
	case ZINC_ROUND_UP:
		ROUND(BELOW);
	case ZINC_ROUND_DOWN:
		ROUND(0 - ABOVE);
	}
	return !(outside >> 63);
}

/* The lowest bits of each number, in two's complement. */
#define STORE(type)                                                                                                    \
	do {                                                                                                           \
		type r[BLOCK];                                                                                         \
		size_t i;                                                                                              \
                                                                                                                       \
		for (i = 0; i < BLOCK; i++)                                                                            \
			r[i] = (type)v[i];                                                                             \
		memcpy(out, r, n * sizeof *r);                                                                         \
	} while (0)

static void
store_block(const uint64_t v[BLOCK], uint32_t size, void *out, size_t n)
{
	switch (size) {
	case 1:
		STORE(uint8_t);
		break;
	case 2:
		STORE(uint16_t);
		break;
	case 4:
		STORE(uint32_t);
		break;
	default:
		memcpy(out, v, n * sizeof *v);
	}
}

bool
zinc_floats_to_ints_has(const zinc_dtype *to, const zinc_dtype *from)
{
	const bool is_float = from->type == ZINC_FLOAT32 || from->type == ZINC_FLOAT64;

	return FLT_EVAL_METHOD == 0 && is_float && to->bits == 8 * to->size;
}

/* Integers of 64 bits are converted here up to the limit. */
bool
zinc_floats_to_ints(const zinc_dtype *to, void *out, const zinc_dtype *from, const void *in, size_t n,
		    zinc_rounding rounding, bool clamp, bool wrap)
{
	const bool is_signed = to->kind == ZINC_KIND_INT;
	const int64_t most = ((int64_t)1 << 51) - 1;
	int64_t low = -most, high = most;
	uint64_t whole[BLOCK];
	double v[BLOCK];
	bool finite;

	if (!wrap) {
		high = to->size == 8 ? most : ((int64_t)1 << (to->bits - is_signed)) - 1;
		low = !is_signed ? 0 : to->size == 8 ? -most : -high - 1;
	}
	read_block(from, in, n, v);
	if (clamp && to->size < 8)
		finite = limit_block(v, (double)low, (double)high);
	else
		finite = limit_block(v, -LIMIT, LIMIT);
	if (!finite || !round_block(v, whole, rounding, (uint64_t)low, (uint64_t)high))
		return false;
	store_block(whole, to->size, out, n);
	return true;
}
