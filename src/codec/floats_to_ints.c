/*
 * floats_to_ints.c - floats to integers, rounded in any direction, a block at once
 *
 *     limit, round -> store         two loops over a block on the stack
 *
 * The loops have a constant length and neither branches nor comparisons of rounded floats, so that compilers vectorise
 * them.  Whatever is not an ordinary number in range makes the whole block fail, and the caller converts its elements
 * one by one.
 */
#include <float.h>

#include "codec/codec_parts.h"

#define BLOCK ZINC_RECODE_BLOCK

/*
 * For |v| <= LIMIT the sum of v and SHIFT is rounded to an integer, to nearest even, and its bits count up by one with
 * it.  For doubles:
 *
 *      0x1.8p52 + v  =  0x433 8 000000000000 + the integer
 */
#define SHIFT_f32      0x1.8p23F
#define SHIFT_f64      0x1.8p52
#define SHIFT_BITS_f32 0x4b400000u
#define SHIFT_BITS_f64 0x4338000000000000u
#define LIMIT_f32      ((int64_t)1 << 22)
#define LIMIT_f64      ((int64_t)1 << 51)
#define HALF_BITS_f32  0x3f000000u
#define HALF_BITS_f64  0x3fe0000000000000u
#define EXPONENT_f32   0x800000u /* the lowest bit of the exponent */
#define EXPONENT_f64   0x10000000000000u
typedef uint32_t word_f32;
typedef uint64_t word_f64;

/* Limit each number to [least, most], round it and add `step` to the integer; -0 becomes 0, and NaN stays.  Collect in
 * the top bit what is outside of [low, high], and numbers with the largest exponent: infinities and NaN. */
#define ROUND(tag, real, step)                                                                                         \
	for (i = 0; i < BLOCK; i++) {                                                                                  \
		const real up = v[i] < least ? least : v[i], x = (up > most ? most : up) + 0;                          \
		const real sum = x + SHIFT_##tag, nearest = sum - SHIFT_##tag;                                         \
		const word_##tag sign = sign_##tag(x), above = sign_##tag(x - nearest),                                \
				 below = sign_##tag(nearest - x);                                                      \
                                                                                                                       \
		(void)sign, (void)above, (void)below;                                                                  \
		out[i] = bits_##tag(sum) - SHIFT_BITS_##tag + (word_##tag)(step);                                      \
		outside |= (out[i] - low) | (high - out[i]) | ((bits_##tag(v[i]) & MAGNITUDE_##tag) + EXPONENT_##tag); \
	}                                                                                                              \
	break

/* 1 if x is a half whose even neighbour is the one nearer to zero: then x - nearest has the sign of x. */
#define HALF(tag)  (((bits_##tag(x - nearest) & MAGNITUDE_##tag) - HALF_BITS_##tag) >> TOP_##tag ^ 1)
#define SHORT(tag) (HALF(tag) & ~(above ^ sign))

#define TOP_f32       31
#define TOP_f64       63
#define MAGNITUDE_f32 (UINT32_MAX >> 1)
#define MAGNITUDE_f64 (UINT64_MAX >> 1)

/* The functions for one type of floats. */
#define DEFINE(tag, real)                                                                                              \
	static inline word_##tag bits_##tag(real v)                                                                    \
	{                                                                                                              \
		word_##tag bits;                                                                                       \
                                                                                                                       \
		memcpy(&bits, &v, sizeof bits);                                                                        \
		return bits;                                                                                           \
	}                                                                                                              \
                                                                                                                       \
	static inline word_##tag sign_##tag(real v) /* 0 or 1 */                                                       \
	{                                                                                                              \
		return bits_##tag(v) >> TOP_##tag;                                                                     \
	}                                                                                                              \
                                                                                                                       \
	static bool round_##tag(const real v[BLOCK], word_##tag out[BLOCK], zinc_rounding rounding, word_##tag low,    \
				word_##tag high, real least, real most)                                                \
	{                                                                                                              \
		word_##tag outside = 0;                                                                                \
		size_t i;                                                                                              \
                                                                                                                       \
		switch (rounding) {                                                                                    \
		case ZINC_ROUND_EVEN:                                                                                  \
			ROUND(tag, real, 0);                                                                           \
		case ZINC_ROUND_AWAY:                                                                                  \
			ROUND(tag, real, SHORT(tag) * (1 - 2 * sign));                                                 \
		case ZINC_ROUND_ZERO:                                                                                  \
			ROUND(tag, real, (below & sign) - (above & ~sign));                                            \
		case ZINC_ROUND_UP:                                                                                    \
			ROUND(tag, real, below);                                                                       \
		case ZINC_ROUND_DOWN:                                                                                  \
			ROUND(tag, real, 0 - above);                                                                   \
		}                                                                                                      \
		return !(outside >> TOP_##tag);                                                                        \
	}                                                                                                              \
                                                                                                                       \
	/* Round n numbers, of which v has copies and zeros behind them. */                                            \
	static bool convert_##tag(const real v[BLOCK], word_##tag out[BLOCK], const zinc_dtype *to,                    \
				  zinc_rounding rounding, bool clamp, bool wrap)                                       \
	{                                                                                                              \
		const bool is_signed = to->kind == ZINC_KIND_INT, fits = (int64_t)1 << (to->bits & 63) < LIMIT_##tag;  \
		int64_t low = 1 - LIMIT_##tag, high = LIMIT_##tag - 1;                                                 \
                                                                                                                       \
		if (!wrap) {                                                                                           \
			high = fits && to->bits < 64 ? ((int64_t)1 << (to->bits - is_signed)) - 1 : high;              \
			low = !is_signed ? 0 : fits && to->bits < 64 ? -high - 1 : low;                                \
		}                                                                                                      \
		return round_##tag(v, out, rounding, (word_##tag)low, (word_##tag)high,                                \
				   (real)(clamp && to->size < 8 ? low : -LIMIT_##tag),                                 \
				   (real)(clamp && to->size < 8 ? high : LIMIT_##tag));                                \
	}

DEFINE(f32, float)
DEFINE(f64, double)

/* The lowest bits of each number, in two's complement. */
#define STORE(type)                                                                                                    \
	do {                                                                                                           \
		type r[BLOCK];                                                                                         \
                                                                                                                       \
		for (i = 0; i < BLOCK; i++)                                                                            \
			r[i] = (type)v[i];                                                                             \
		memcpy(out, r, n * sizeof *r);                                                                         \
	} while (0)

static void
store_f32(const uint32_t v[BLOCK], uint32_t size, void *out, size_t n)
{
	size_t i;

	if (size == 1)
		STORE(uint8_t);
	else
		STORE(uint16_t);
}

static void
store_f64(const uint64_t v[BLOCK], uint32_t size, void *out, size_t n)
{
	size_t i;

	if (size == 1)
		STORE(uint8_t);
	else if (size == 2)
		STORE(uint16_t);
	else if (size == 4)
		STORE(uint32_t);
	else
		memcpy(out, v, n * sizeof *v);
}

/* Is every number of a type 0 or a normal number as float32?  Subnormal numbers may count as 0, if a program has asked
 * its processor to do so. */
static bool
is_small(const zinc_dtype *t)
{
	return t->format && t->format->exponent_bits < 8 && zinc_dtype_converts(ZINC_FLOAT32, t->type);
}

bool
zinc_floats_to_ints_has(const zinc_dtype *to, const zinc_dtype *from)
{
	const bool is_float = from->type == ZINC_FLOAT32 || from->type == ZINC_FLOAT64;

	return FLT_EVAL_METHOD == 0 && (is_float || is_small(from)) && to->bits == 8 * to->size;
}

static bool
singles(const zinc_dtype *to, void *out, const float v[BLOCK], size_t n, zinc_rounding rounding, bool clamp, bool wrap)
{
	uint32_t whole[BLOCK];

	if (!convert_f32(v, whole, to, rounding, clamp, wrap))
		return false;
	store_f32(whole, to->size, out, n);
	return true;
}

/* Integers of 64 bits are converted here up to the limit. */
static bool
doubles(const zinc_dtype *to, void *out, const double v[BLOCK], size_t n, zinc_rounding rounding, bool clamp, bool wrap)
{
	uint64_t whole[BLOCK];

	if (!convert_f64(v, whole, to, rounding, clamp, wrap))
		return false;
	store_f64(whole, to->size, out, n);
	return true;
}

bool
zinc_floats_to_ints(const zinc_dtype *to, void *out, const zinc_dtype *from, const void *in, size_t n,
		    zinc_rounding rounding, bool clamp, bool wrap)
{
	float f[BLOCK] = {0};
	double v[BLOCK];
	size_t i;

	if (from->size == 8) {
		memcpy(v, in, n * sizeof *v);
		memset(v + n, 0, (BLOCK - n) * sizeof *v);
		return doubles(to, out, v, n, rounding, clamp, wrap);
	}
	if (from->size == 4)
		memcpy(f, in, n * sizeof *f);
	else if (zinc_dtype_convert(ZINC_FLOAT32, from->type, f, in, n, 0) < n)
		return false;
	if (to->size <= 2)
		return singles(to, out, f, n, rounding, clamp, wrap);
	for (i = 0; i < BLOCK; i++)
		v[i] = (double)f[i];
	return doubles(to, out, v, n, rounding, clamp, wrap);
}
