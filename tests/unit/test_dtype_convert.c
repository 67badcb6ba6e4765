/*
 * test_dtype_convert.c - every pair of number types at every boundary, against a slow oracle
 *
 * The oracle represents each number as a long double, which can represent all 64-bit integers and all doubles, and
 * rounds by division and floor.  It shares no code with the library.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtype/dtype.h"
#include "support/test.h"

#define FIRST     ZINC_INT8
#define LAST_INT  ZINC_UINT64
#define LAST_REAL ZINC_FLOAT64
#define LAST      ZINC_COMPLEX128

static bool
is_int(zinc_type t)
{
	return t <= LAST_INT;
}

static bool
is_signed(zinc_type t)
{
	return t <= ZINC_INT64;
}

static int
bits_of(zinc_type t)
{
	return (int)zinc_type_size(t) * 8;
}

/* ---- the oracle ---- */

typedef struct format {
	int digits, lowest; /* binary digits, exponent of the smallest normal number */
	long double largest;
} format;

static format
format_of(zinc_type t)
{
	if (t == ZINC_FLOAT16)
		return (format){11, -14, 65504.0L};
	if (t == ZINC_FLOAT32)
		return (format){24, -126, FLT_MAX};
	return (format){53, -1022, DBL_MAX};
}

static long double
int_min(zinc_type t)
{
	return is_signed(t) ? -ldexpl(1, bits_of(t) - 1) : 0;
}

static long double
int_max(zinc_type t)
{
	return ldexpl(1, bits_of(t) - is_signed(t)) - 1;
}

/* Nearest even; more than the largest becomes infinity. */
static long double
round_to(zinc_type t, long double v)
{
	const format f = format_of(t);
	long double unit, whole, rest;
	int e;

	if (v == 0 || isnan(v) || isinf(v))
		return v;
	e = ilogbl(v) < f.lowest ? f.lowest : ilogbl(v);
	unit = ldexpl(1, e - f.digits + 1);
	whole = floorl(fabsl(v) / unit);
	rest = fabsl(v) / unit - whole;
	if (rest > 0.5L || (rest == 0.5L && fmodl(whole, 2) == 1))
		whole++;
	whole *= unit;
	return copysignl(whole > f.largest ? INFINITY : whole, v);
}

/* False: the element must fail. */
static bool
oracle(zinc_type to, zinc_type from, long double v, int flags, long double *out)
{
	const long double whole = truncl(v);

	if (!is_int(to)) {
		*out = round_to(to, v);
		if (is_int(from) && !(flags & ZINC_CONVERT_ROUND) && !isinf(*out) && *out != v)
			return (flags & ZINC_CONVERT_CLAMP) && fabsl(v) > format_of(to).largest;
		if (!isinf(*out) || isinf(v))
			return true;
		*out = copysignl(format_of(to).largest, v);
		return flags & ZINC_CONVERT_CLAMP;
	}
	if (isnan(v) || (whole != v && !(flags & ZINC_CONVERT_TRUNCATE)))
		return false;
	*out = whole == 0 ? 0 : whole;
	if (whole >= int_min(to) && whole <= int_max(to))
		return true;
	if (flags & ZINC_CONVERT_CLAMP) {
		*out = v < 0 ? int_min(to) : int_max(to);
		return true;
	}
	if (!(flags & ZINC_CONVERT_WRAP) || isinf(v))
		return false;
	*out = fmodl(whole, ldexpl(1, bits_of(to))) + 0.0L; /* no -0 */
	if (*out < int_min(to))
		*out += ldexpl(1, bits_of(to));
	if (*out > int_max(to))
		*out -= ldexpl(1, bits_of(to));
	return true;
}

/* ---- elements <-> long doubles ---- */

static long double
half_value(uint16_t h)
{
	const int e = h >> 10 & 31, m = h & 1023;
	long double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpl(1024 + m, e - 25) : ldexpl(m, -24);

	return h & 0x8000 ? -v : v;
}

static uint16_t
half_of(long double v) /* of a half's exact value */
{
	uint16_t h = 0, bit;

	for (bit = 0x4000; bit; bit >>= 1) /* the largest that is not above */
		if ((h | bit) <= 0x7c00 && half_value(h | bit) <= fabsl(v))
			h |= bit;
	if (isnan(v))
		return 0x7e00;
	return signbit(v) ? h | 0x8000 : h;
}

#define CASE(number, type)                                                                                             \
	case ZINC_##number: {                                                                                          \
		type x;                                                                                                \
		memcpy(&x, p, sizeof x);                                                                               \
		return (long double)x;                                                                                 \
	}

static long double
get(zinc_type t, const void *p)
{
	switch (t) {
		CASE(INT8, int8_t)
		CASE(INT16, int16_t)
		CASE(INT32, int32_t)
		CASE(INT64, int64_t)
		CASE(UINT8, uint8_t)
		CASE(UINT16, uint16_t)
		CASE(UINT32, uint32_t)
		CASE(UINT64, uint64_t)
		CASE(FLOAT32, float)
		CASE(FLOAT64, double)
	default: {
		uint16_t h;

		memcpy(&h, p, sizeof h);
		return half_value(h);
	}
	}
}

/* Some element of the type near v. */
static void
put(zinc_type t, void *p, long double v)
{
	uint64_t u;
	float f;
	double d;
	uint16_t h;

	if (t == ZINC_FLOAT16) {
		h = half_of(round_to(t, v));
		memcpy(p, &h, sizeof h);
	} else if (t == ZINC_FLOAT32) {
		f = (float)v;
		memcpy(p, &f, sizeof f);
	} else if (t == ZINC_FLOAT64) {
		d = (double)v;
		memcpy(p, &d, sizeof d);
	} else {
		v = isnan(v) ? 0 : v < int_min(t) ? int_min(t) : v > int_max(t) ? int_max(t) : truncl(v);
		u = v < 0 ? 0 - (uint64_t)-v : (uint64_t)v;
		if (ZINC_HOST_BIG)
			u <<= 64 - bits_of(t);
		memcpy(p, &u, zinc_type_size(t));
	}
}

static bool
same(long double a, long double b)
{
	return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

/* ---- interesting numbers ---- */

enum { MOST = 10000 };

static long double numbers[MOST];
static size_t nnumbers;

static void
add(long double v)
{
	numbers[nnumbers++] = v;
	numbers[nnumbers++] = -v;
}

/* Around every power of two that is an end or a tie of some type: one unit, half a unit, a little more or less. */
static void
collect(void)
{
	static const int powers[] = {-1080, -1074, -1022, -151, -150, -149, -148, -126, -26,  -25, -24,
				     -23,   -15,   -14,   -13,  -1,   0,    1,    7,    8,    10,  11,
				     12,    15,    16,    23,   24,   25,   31,   32,   52,   53,  54,
				     62,    63,    64,    65,   66,   100,  127,  128,  1000, 1023};
	static const int below[] = {1, 8, 10, 11, 12, 23, 24, 25, 52, 53};
	size_t i, j;

	add(0);
	add(NAN);
	add(INFINITY);
	add(FLT_MAX);
	add(DBL_MAX);
	add(FLT_MIN);
	add(DBL_MIN);
	add(65504);
	add(65519);
	add(65519.996L);
	add(65520);
	for (i = 0; i < COUNT(powers); i++) {
		const long double p = ldexpl(1, powers[i]);

		add(p);
		add(p + 1);
		add(p - 1);
		add(p + 0.5L);
		add(p - 0.5L);
		for (j = 0; j < COUNT(below); j++) {
			const long double unit = ldexpl(1, powers[i] - below[j]);

			add(p + unit);
			add(p - unit);
			add(p + 3 * unit);                         /* the other kind of tie */
			add(p + unit + ldexpl(1, powers[i] - 52)); /* just above a tie */
			add(p + unit - ldexpl(1, powers[i] - 52));
		}
	}
	assert_true(nnumbers < COUNT(numbers));
}

/* ---- one pair ---- */

enum { GUARD = 0xa5 };

static void
check_one(zinc_type to, zinc_type from, const uint8_t *in, int flags)
{
	const long double v = get(from, in);
	uint8_t out[17];
	long double want = 0;
	const bool fits = oracle(to, from, v, flags, &want);

	memset(out, GUARD, sizeof out);
	if (zinc_dtype_convert(to, from, NULL, in, 1, flags) != fits ||
	    zinc_dtype_convert(to, from, out, in, 1, flags) != fits)
		fail_msg("%s -> %s, flags %d: %.25Lg should %s", zinc_type_name(from), zinc_type_name(to), flags, v,
			 fits ? "fit" : "fail");
	if (fits && !same(get(to, out), want))
		fail_msg("%s -> %s, flags %d: %.25Lg gives %.25Lg, not %.25Lg", zinc_type_name(from),
			 zinc_type_name(to), flags, v, get(to, out), want);
	assert_int_equal(out[zinc_type_size(to)], GUARD);
}

/* All numbers that fit, in a row: the path of whole blocks.  Then one that does not, at every kind of place. */
static void
check_row(zinc_type to, zinc_type from, const uint8_t *in, size_t n, int flags)
{
	const size_t size = zinc_type_size(from);
	static uint8_t row[MOST * 8 + 1], out[MOST * 8 + 1];
	uint8_t bad[8] = {0};
	size_t i, m = 0;
	long double want;
	bool has_bad = false;

	for (i = 0; i < n; i++)
		if (oracle(to, from, get(from, in + i * size), flags, &want)) {
			memcpy(row + 1 + m++ * size, in + i * size, size); /* at an odd address */
		} else {
			memcpy(bad, in + i * size, size);
			has_bad = true;
		}
	assert_int_equal(zinc_dtype_convert(to, from, out + 1, row + 1, m, flags), m);
	assert_int_equal(zinc_dtype_convert(to, from, NULL, row + 1, m, flags), m);
	for (i = 0; i < m; i++) {
		assert_true(oracle(to, from, get(from, row + 1 + i * size), flags, &want));
		assert_true(same(get(to, out + 1 + i * zinc_type_size(to)), want));
	}
	for (i = 0; has_bad && i < m; i += i < 3 || (i + 2) % 256 < 3 ? 1 : 83) {
		uint8_t good[8];

		memcpy(good, row + 1 + i * size, size);
		memcpy(row + 1 + i * size, bad, size);
		assert_int_equal(zinc_dtype_convert(to, from, out + 1, row + 1, m, flags), i);
		memcpy(row + 1 + i * size, good, size);
	}
	assert_int_equal(zinc_dtype_convert(to, from, out, row, 0, flags), 0);
}

static size_t sort_size;

static int
compare(const void *a, const void *b)
{
	return memcmp(a, b, sort_size);
}

/* The interesting numbers of a type, each once; how many. */
static size_t
fill_in(zinc_type from, uint8_t *in)
{
	const size_t size = zinc_type_size(from);
	size_t i, n = 0;

	for (i = 0; i < nnumbers; i++)
		put(from, in + i * size, numbers[i]);
	sort_size = size;
	qsort(in, nnumbers, size, compare);
	for (i = 0; i < nnumbers; i++)
		if (i == 0 || memcmp(in + i * size, in + (n - 1) * size, size) != 0)
			memmove(in + n++ * size, in + i * size, size);
	return n;
}

/* (1) - (4) for reals */
static void
every_pair_at_every_boundary(void **state)
{
	static uint8_t in[MOST * 8];
	zinc_type to, from;
	size_t i, n;
	int flags;

	(void)state;
	if (!long_doubles_are_long())
		skip();
	collect();
	for (from = FIRST; from <= LAST_REAL; from++) {
		n = fill_in(from, in);
		for (to = FIRST; to <= LAST_REAL; to++)
			for (flags = 0; flags < 16 && !(to == from && !is_int(to)); flags++) {
				for (i = 0; i < n; i++)
					check_one(to, from, in + i * zinc_type_size(from), flags);
				check_row(to, from, in, n, flags);
			}
	}
}

/* ---- by hand, so that the oracle is not alone ---- */

#define HAND(to, to_type, from, from_type, value, flags, fits, want)                                                   \
	do {                                                                                                           \
		const from_type in_ = (value);                                                                         \
		to_type out_ = 0;                                                                                      \
		assert_int_equal(zinc_dtype_convert(ZINC_##to, ZINC_##from, &out_, &in_, 1, flags), fits);             \
		if (fits)                                                                                              \
			assert_true(out_ == (want));                                                                   \
	} while (0)

static void
known_vectors(void **state)
{
	(void)state;
	if (!long_doubles_are_long())
		skip();
	HAND(INT64, int64_t, FLOAT64, double, 9223372036854775808.0, 0, 0, 0);
	HAND(INT64, int64_t, FLOAT64, double, 9223372036854774784.0, 0, 1, 9223372036854774784);
	HAND(INT64, int64_t, FLOAT64, double, -9223372036854775808.0, 0, 1, INT64_MIN);
	HAND(INT64, int64_t, FLOAT64, double, 1e300, ZINC_CONVERT_CLAMP, 1, INT64_MAX);
	HAND(UINT64, uint64_t, FLOAT64, double, 18446744073709551616.0, 0, 0, 0);
	HAND(UINT64, uint64_t, FLOAT32, float, 9223372036854775808.0f, 0, 1, 9223372036854775808u);
	HAND(UINT64, uint64_t, INT8, int8_t, -1, 0, 0, 0);
	HAND(UINT64, uint64_t, INT8, int8_t, -1, ZINC_CONVERT_WRAP, 1, UINT64_MAX);
	HAND(UINT64, uint64_t, INT8, int8_t, -1, ZINC_CONVERT_CLAMP, 1, 0);
	HAND(INT64, int64_t, UINT64, uint64_t, 9223372036854775808u, 0, 0, 0);
	HAND(INT64, int64_t, UINT64, uint64_t, 9223372036854775808u, ZINC_CONVERT_WRAP, 1, INT64_MIN);
	HAND(UINT8, uint8_t, FLOAT32, float, -0.0f, 0, 1, 0);
	HAND(UINT8, uint8_t, FLOAT32, float, -0.5f, 0, 0, 0);
	HAND(UINT8, uint8_t, FLOAT32, float, -0.5f, ZINC_CONVERT_TRUNCATE, 1, 0);
	HAND(UINT8, uint8_t, FLOAT32, float, 255.75f, ZINC_CONVERT_TRUNCATE, 1, 255);
	HAND(UINT8, uint8_t, FLOAT32, float, 256.0f, ZINC_CONVERT_TRUNCATE, 0, 0);
	HAND(UINT8, uint8_t, FLOAT32, float, 300.5f, ZINC_CONVERT_CLAMP, 0, 0); /* a fraction still fails */
	HAND(UINT8, uint8_t, FLOAT32, float, 300.5f, ZINC_CONVERT_CLAMP | ZINC_CONVERT_TRUNCATE, 1, 255);
	HAND(UINT8, uint8_t, FLOAT32, float, 300.5f, ZINC_CONVERT_WRAP | ZINC_CONVERT_TRUNCATE, 1, 44);
	HAND(UINT8, uint8_t, FLOAT64, double, -1, ZINC_CONVERT_WRAP, 1, 255);
	HAND(UINT8, uint8_t, FLOAT64, double, NAN, 7, 0, 0);
	HAND(UINT8, uint8_t, FLOAT64, double, INFINITY, ZINC_CONVERT_WRAP, 0, 0);
	HAND(UINT8, uint8_t, FLOAT64, double, INFINITY, ZINC_CONVERT_CLAMP, 1, 255);
	HAND(INT8, int8_t, FLOAT64, double, -INFINITY, ZINC_CONVERT_CLAMP, 1, -128);
	HAND(INT8, int8_t, INT16, int16_t, 200, ZINC_CONVERT_CLAMP | ZINC_CONVERT_WRAP, 1, 127); /* CLAMP is first */
	/* 2^24 + 1 is a tie; one more bit below decides, and a double on the way would lose it */
	HAND(FLOAT32, float, INT64, int64_t, 16777217, ZINC_CONVERT_ROUND, 1, 16777216.0f);
	HAND(FLOAT32, float, INT64, int64_t, 16777219, ZINC_CONVERT_ROUND, 1, 16777220.0f);
	HAND(FLOAT32, float, INT64, int64_t, 0x4000004000000001, ZINC_CONVERT_ROUND, 1, 0x1.000002p62f);
	HAND(FLOAT32, float, UINT64, uint64_t, UINT64_MAX, ZINC_CONVERT_ROUND, 1, 0x1p64f);
	HAND(FLOAT64, double, INT64, int64_t, INT64_MAX, ZINC_CONVERT_ROUND, 1, 0x1p63);
	/* without it only exact conversions */
	HAND(FLOAT64, double, INT64, int64_t, 9007199254740992, 0, 1, 0x1p53);
	HAND(FLOAT64, double, INT64, int64_t, 9007199254740993, 0, 0, 0);
	HAND(FLOAT64, double, INT64, int64_t, -9007199254740993, 0, 0, 0);
	HAND(FLOAT64, double, INT64, int64_t, 9007199254740994, 0, 1, 0x1.0000000000001p53);
	HAND(FLOAT64, double, INT64, int64_t, INT64_MIN, 0, 1, -0x1p63);
	HAND(FLOAT64, double, INT64, int64_t, INT64_MAX, 7, 0, 0);
	HAND(FLOAT64, double, UINT64, uint64_t, UINT64_MAX, 0, 0, 0);
	HAND(FLOAT64, double, UINT64, uint64_t, 0xfffffffffffff800, 0, 1, 0x1.fffffffffffffp63);
	HAND(FLOAT32, float, INT32, int32_t, 16777216, 0, 1, 0x1p24f);
	HAND(FLOAT32, float, INT32, int32_t, 16777217, 0, 0, 0);
	HAND(FLOAT32, float, INT32, int32_t, INT32_MIN, 0, 1, -0x1p31f);
	HAND(FLOAT32, float, UINT32, uint32_t, UINT32_MAX, 0, 0, 0);
	HAND(FLOAT32, float, UINT32, uint32_t, 0xffffff00, 0, 1, 0x1.fffffep31f);
	HAND(FLOAT16, uint16_t, INT16, int16_t, 2049, 0, 0, 0);
	HAND(FLOAT16, uint16_t, INT16, int16_t, -2049, ZINC_CONVERT_ROUND, 1, 0xe800);
	HAND(FLOAT32, float, FLOAT64, double, 1e39, 0, 0, 0);
	HAND(FLOAT32, float, FLOAT64, double, 1e39, ZINC_CONVERT_CLAMP, 1, FLT_MAX);
	HAND(FLOAT32, float, FLOAT64, double, -1e39, ZINC_CONVERT_CLAMP, 1, -FLT_MAX);
	HAND(FLOAT32, float, FLOAT64, double, INFINITY, 0, 1, INFINITY);
	HAND(FLOAT32, float, FLOAT64, double, 0x1.fffffefffffffp127, 0, 1, FLT_MAX);
	HAND(FLOAT32, float, FLOAT64, double, 0x1.ffffffp127, 0, 0, 0);
	HAND(FLOAT16, uint16_t, FLOAT64, double, 0x1.0020000000001p0, 0, 1, 0x3c01);
	HAND(FLOAT16, uint16_t, FLOAT64, double, 0x1.002p0, 0, 1, 0x3c00);
	HAND(FLOAT16, uint16_t, INT32, int32_t, 65519, ZINC_CONVERT_ROUND, 1, 0x7bff);
	HAND(FLOAT16, uint16_t, INT32, int32_t, 65519, ZINC_CONVERT_CLAMP, 1, 0x7bff);
	HAND(FLOAT16, uint16_t, INT32, int32_t, 65519, 0, 0, 0);
	HAND(FLOAT16, uint16_t, INT32, int32_t, 65520, ZINC_CONVERT_ROUND, 0, 0);
	HAND(FLOAT16, uint16_t, INT64, int64_t, INT64_MIN, ZINC_CONVERT_CLAMP, 1, 0xfbff);
}

/* NaN stays NaN with its sign, and its payload as far as it fits; infinities are converted, also in whole blocks. */
static void
nan_and_infinity_pass(void **state)
{
	static const uint32_t f_want[] = {0x7f800000, 0xff800000, 0xffc091a2};
	static const uint16_t h_want[] = {0x7c00, 0xfc00, 0xfe04};
	double d[600];
	float f[600];
	uint16_t h[600];
	uint64_t payload = 0xfff8123456789abcu;
	uint32_t f_bits;
	size_t i;

	(void)state;
	for (i = 0; i < 600; i++) {
		d[i] = i % 3 == 0 ? INFINITY : -INFINITY;
		memcpy(&d[i], &payload, i % 3 == 2 ? 8 : 0);
	}
	assert_int_equal(zinc_dtype_convert(ZINC_FLOAT32, ZINC_FLOAT64, f, d, 600, 0), 600);
	assert_int_equal(zinc_dtype_convert(ZINC_FLOAT16, ZINC_FLOAT64, h, d, 600, 0), 600);
	for (i = 0; i < 600; i++) {
		memcpy(&f_bits, &f[i], 4);
		assert_int_equal(f_bits, f_want[i % 3]);
		assert_int_equal(h[i], h_want[i % 3]);
	}
}

/* ---- complex numbers ---- */

static void
reals_become_complex(void **state)
{
	zinc_type from, part;

	(void)state;
	for (part = ZINC_FLOAT32; part <= ZINC_FLOAT64; part++)
		for (from = FIRST; from <= LAST_REAL; from++) {
			const zinc_type to = part == ZINC_FLOAT32 ? ZINC_COMPLEX64 : ZINC_COMPLEX128;
			const size_t size = zinc_type_size(part);
			uint8_t in[700 * 8], out[700 * 16];
			size_t i;

			memset(out, GUARD, sizeof out);
			for (i = 0; i < 700; i++)
				put(from, in + i * zinc_type_size(from), (long double)(i % 100));
			assert_int_equal(zinc_dtype_convert(to, from, NULL, in, 700, 0), 700);
			assert_int_equal(zinc_dtype_convert(to, from, out, in, 700, 0), 700);
			for (i = 0; i < 700; i++) {
				assert_true(same(get(part, out + 2 * i * size), (long double)(i % 100)));
				assert_true(same(get(part, out + (2 * i + 1) * size), 0));
			}
		}
}

static void
complex_parts_convert(void **state)
{
	double in[2 * 700], back[2 * 700];
	float out[2 * 700];
	const zinc_type wide = ZINC_COMPLEX128, narrow = ZINC_COMPLEX64;
	size_t i;

	(void)state;
	for (i = 0; i < 1400; i++)
		in[i] = (double)i / 4;
	assert_int_equal(zinc_dtype_convert(narrow, wide, out, in, 700, 0), 700);
	assert_int_equal(zinc_dtype_convert(wide, narrow, back, out, 700, 0), 700);
	assert_int_equal(zinc_dtype_convert(wide, narrow, NULL, out, 700, 0), 700);
	assert_memory_equal(back, in, sizeof in);
	in[2 * 513 + 1] = 1e300; /* the imaginary part counts for its element */
	assert_int_equal(zinc_dtype_convert(narrow, wide, NULL, in, 700, 0), 513);
	in[2 * 513] = -1e300;
	assert_int_equal(zinc_dtype_convert(narrow, wide, out, in, 700, 0), 513);
	assert_int_equal(zinc_dtype_convert(narrow, wide, out, in, 700, ZINC_CONVERT_CLAMP), 700);
	assert_true(out[2 * 513] == -FLT_MAX && out[2 * 513 + 1] == FLT_MAX);
	{
		double one = 1e300;

		assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX64, ZINC_FLOAT64, out, &one, 1, 0), 0);
		assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX64, ZINC_FLOAT64, out, &one, 1, ZINC_CONVERT_CLAMP), 1);
		assert_true(out[0] == FLT_MAX && out[1] == 0);
	}
	{
		const int64_t one = 9007199254740993;

		assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX128, ZINC_INT64, back, &one, 1, 0), 0);
		assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX64, ZINC_INT64, out, &one, 1, ZINC_CONVERT_ROUND), 1);
		assert_true(out[0] == 0x1p53f && out[1] == 0);
	}
}

/* ---- which pairs there are ---- */

static void
pairs(void **state)
{
	int to, from, supported = 0;

	(void)state;
	for (to = -1; to <= ZINC_RAW; to++)
		for (from = -1; from <= ZINC_RAW; from++) {
			const bool numbers_ = to >= FIRST && to <= LAST && from >= FIRST && from <= LAST;
			const bool loses_part = from > LAST_REAL && to <= LAST_REAL;
			const bool want = (numbers_ && !loses_part) || (to == ZINC_BOOL && from == ZINC_BOOL);

			assert_int_equal(zinc_dtype_converts((zinc_type)to, (zinc_type)from), want);
			supported += want;
		}
	assert_int_equal(supported, 169 - 22 + 1);
}

static void
equal_types_copy_bits(void **state)
{
	uint8_t in[300 * 16], out[300 * 16];
	zinc_type t;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 37 + (i >> 4)); /* signalling NaNs among them */
	for (t = ZINC_BOOL; t <= LAST; t++) {
		const size_t n = 300 * zinc_type_size(t);

		memset(out, 0, sizeof out);
		assert_int_equal(zinc_dtype_convert(t, t, NULL, in, 300, 0), 300);
		assert_int_equal(zinc_dtype_convert(t, t, out, in, 300, 0), 300);
		assert_memory_equal(in, out, n);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pairs),
	    cmocka_unit_test(known_vectors),
	    cmocka_unit_test(every_pair_at_every_boundary),
	    cmocka_unit_test(nan_and_infinity_pass),
	    cmocka_unit_test(reals_become_complex),
	    cmocka_unit_test(complex_parts_convert),
	    cmocka_unit_test(equal_types_copy_bits),
	};

	if (LDBL_MANT_DIG < 64)
		return 77; /* the oracle needs 64 binary digits */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
