/*
 * test_dtype_exact.c - the promises of dtype_exact.c, by number
 *
 * Values of codes are computed here with ldexp from the fields, and rounding with doubles, which hold all middles of
 * the small formats exactly.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dtype/exact.h"
#include "support/test.h"

static const struct {
	const zinc_float_format *f;
	unsigned bits;
} small[] = {
    {&zinc_format_float4_e2m1fn, 4},   {&zinc_format_float6_e2m3fn, 6}, {&zinc_format_float6_e3m2fn, 6},
    {&zinc_format_float8_e3m4, 8},     {&zinc_format_float8_e4m3, 8},   {&zinc_format_float8_e4m3b11fnuz, 8},
    {&zinc_format_float8_e4m3fnuz, 8}, {&zinc_format_float8_e5m2, 8},   {&zinc_format_float8_e5m2fnuz, 8},
    {&zinc_format_float8_e8m0fnu, 8},  {&zinc_format_bfloat16, 16},     {&zinc_format_float16, 16},
};
#define NSMALL (sizeof small / sizeof small[0])

/* The value of a magnitude's code, as if the exponents went on above the largest. */
static double
magnitude(const zinc_float_format *f, uint64_t code)
{
	const int e = (int)(code >> f->mantissa_bits), m = (int)(code & ((1u << f->mantissa_bits) - 1));

	if (e == 0 && f->has_zero)
		return ldexp(m, 1 - f->bias - f->mantissa_bits);
	return ldexp((1 << f->mantissa_bits) + m, e - f->bias - f->mantissa_bits);
}

/* (1), all codes of the small formats */
static void
every_code_reads_and_writes(void **state)
{
	zinc_exact x;
	uint64_t code, back;
	size_t i;

	(void)state;
	for (i = 0; i < NSMALL; i++) {
		const zinc_float_format *f = small[i].f;
		const uint64_t sign = f->has_sign ? (uint64_t)1 << (small[i].bits - 1) : 0;

		assert_int_equal(zinc_float_mask(f), ((uint64_t)1 << small[i].bits) - 1);
		for (code = 0; code >> small[i].bits == 0; code++) {
			const uint64_t rest = code & ~sign;
			const bool minus_zero = code == sign && sign;
			const bool is_nan = minus_zero ? f->nan == sign : rest > f->max && rest != f->infinity;

			back = 77;
			zinc_float_read(f, code, &x);
			assert_int_equal(zinc_float_write(f, &x, ZINC_ROUND_EVEN, &back), ZINC_FIT_EXACT);
			if (is_nan) {
				assert_int_equal(x.kind, ZINC_EXACT_NAN);
				assert_int_equal(back, f->nan | (f->infinity ? code & sign : 0));
				continue;
			}
			assert_int_equal(back, code);
			if (rest == f->infinity && f->infinity)
				assert_int_equal(x.kind, ZINC_EXACT_INFINITY);
			else
				assert_true(ldexp((double)x.mantissa, x.exponent) == magnitude(f, rest));
			assert_int_equal(x.negative, sign && (code & sign));
		}
	}
}

/* The nearest codes at or below and above a magnitude decide; `odd`: the lower one's mantissa is. */
static uint64_t
expected(uint64_t below, bool odd, double low, double v, double high, bool negative, zinc_rounding how)
{
	const double middle = (low + high) / 2;

	if (v == low)
		return below;
	switch (how) {
	case ZINC_ROUND_EVEN:
		return below + (v > middle || (v == middle && odd));
	case ZINC_ROUND_AWAY:
		return below + (v >= middle);
	case ZINC_ROUND_ZERO:
		return below;
	case ZINC_ROUND_UP:
		return below + !negative;
	default:
		return below + negative;
	}
}

static void
check_rounding(const zinc_float_format *f, uint64_t below, double v)
{
	const double low = magnitude(f, below), high = magnitude(f, below + 1);
	int how, sign;

	for (how = ZINC_ROUND_EVEN; how <= ZINC_ROUND_DOWN; how++)
		for (sign = 0; sign <= f->has_sign; sign++) {
			const uint64_t want = expected(below, f->mantissa_bits == 0 || below & 1, low, v, high, sign, (zinc_rounding)how);
			const uint64_t minus = sign && (want || f->nan != zinc_float_sign(f)) ? zinc_float_sign(f) : 0;
			uint64_t code = 0xbad;
			zinc_exact x;
			zinc_fit fit;

			zinc_exact_read_double(sign ? -v : v, &x);
			fit = zinc_float_write(f, &x, (zinc_rounding)how, &code);
			if (want > f->max) {
				assert_int_equal(fit, sign ? ZINC_FIT_BELOW : ZINC_FIT_ABOVE);
				assert_int_equal(code, 0xbad);
				continue;
			}
			assert_int_equal(fit, v == low ? ZINC_FIT_EXACT : ZINC_FIT_ROUNDED);
			assert_int_equal(code, want | minus);
		}
}

/* (2) and (3): each number, each middle, and one step of a double to both sides of them */
static void
all_middles_round(void **state)
{
	uint64_t code;
	size_t i;

	(void)state;
	for (i = 0; i < NSMALL; i++)
		for (code = 0; code <= small[i].f->max; code++) {
			const double low = magnitude(small[i].f, code), high = magnitude(small[i].f, code + 1);
			const double middle = (low + high) / 2;

			if (low > 0)
				check_rounding(small[i].f, code, low);
			check_rounding(small[i].f, code, nextafter(low, INFINITY));
			check_rounding(small[i].f, code, nextafter(middle, 0));
			check_rounding(small[i].f, code, middle);
			check_rounding(small[i].f, code, nextafter(middle, INFINITY));
			check_rounding(small[i].f, code, nextafter(high, 0));
		}
}

/* (2): what this machine's casts do, at the edges of float32 */
static void
singles_round_like_hardware(void **state)
{
	static const double v[] = {0x1p-149,        0x1p-150,
				   0x1.8p-150,      0x1.8p-149,
				   0x1.fffffep127,  0x1.fffffefffffffp127,
				   0x1.fffffcp-127, 0x1.fffffffp-127,
				   1 + 0x1p-24,     1 + 0x1p-24 + 0x1p-52,
				   1 + 0x1.8p-23,   0.1};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof v / sizeof v[0]; i++) {
		const float f = (float)v[i];
		uint64_t code;
		uint32_t want;
		zinc_exact x;

		memcpy(&want, &f, sizeof want);
		zinc_exact_read_double(v[i], &x);
		assert_true(zinc_float_write(&zinc_format_float32, &x, ZINC_ROUND_EVEN, &code) <= ZINC_FIT_ROUNDED);
		assert_int_equal(code, want);
		assert_true(zinc_exact_double(&x) == v[i]);
	}
}

/* (3): zero, negative numbers, infinities and NaN where a format lacks them */
static void
missing_values_do_not_fit(void **state)
{
	const zinc_exact zero = zinc_exact_of(false, 0, 0), tiny = zinc_exact_of(false, 1, -129),
			 minus = zinc_exact_of(true, 1, 0), infinity = {ZINC_EXACT_INFINITY, true, 0, 0},
			 nan = {ZINC_EXACT_NAN, false, 0, 0}, huge = zinc_exact_of(true, 1, 100000);
	uint64_t code;

	(void)state;
	assert_int_equal(zinc_float_write(&zinc_format_float8_e8m0fnu, &zero, ZINC_ROUND_EVEN, &code), ZINC_FIT_BELOW);
	assert_int_equal(zinc_float_write(&zinc_format_float8_e8m0fnu, &tiny, ZINC_ROUND_EVEN, &code), ZINC_FIT_BELOW);
	assert_int_equal(zinc_float_write(&zinc_format_float8_e8m0fnu, &minus, ZINC_ROUND_EVEN, &code), ZINC_FIT_BELOW);
	assert_int_equal(zinc_float_write(&zinc_format_float8_e5m2fnuz, &infinity, ZINC_ROUND_EVEN, &code),
			 ZINC_FIT_BELOW);
	assert_int_equal(zinc_float_write(&zinc_format_float4_e2m1fn, &nan, ZINC_ROUND_EVEN, &code), ZINC_FIT_NONE);
	assert_int_equal(zinc_float_write(&zinc_format_float64, &huge, ZINC_ROUND_ZERO, &code), ZINC_FIT_BELOW);
}

/* ---- integers ---- */

static int64_t
int_at(const zinc_dtype *t, const void *p)
{
	int64_t v = 0;

	zinc_exact x;
	zinc_exact_read(t, p, &x);
	v = (int64_t)(x.mantissa << x.exponent);
	return x.negative ? (int64_t)(0 - (uint64_t)v) : v;
}

static void
integers_are_exact(void **state)
{
	static const int64_t v[] = {0, 1, -1, 127, -128, INT64_MAX, INT64_MIN, 12345678901234567};
	const zinc_dtype *t = zinc_dtype_of(ZINC_INT64);
	const uint64_t big = UINT64_MAX;
	uint64_t u;
	zinc_exact x;
	int64_t back;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof v / sizeof v[0]; i++) {
		zinc_exact_read(t, &v[i], &x);
		assert_int_equal(zinc_exact_write(t, &x, ZINC_ROUND_EVEN, &back), ZINC_FIT_EXACT);
		assert_int_equal(back, v[i]);
		assert_int_equal(int_at(t, &v[i]), v[i]);
	}
	zinc_exact_read(zinc_dtype_of(ZINC_UINT64), &big, &x);
	assert_int_equal(zinc_exact_write(zinc_dtype_of(ZINC_UINT64), &x, ZINC_ROUND_EVEN, &u), ZINC_FIT_EXACT);
	assert_true(u == big);
	assert_int_equal(zinc_exact_write(t, &x, ZINC_ROUND_EVEN, &back), ZINC_FIT_ABOVE);
}

/* (2) and (3) for integers: 2.5, -2.5, 127.5 in all directions */
static void
fractions_round_to_integers(void **state)
{
	static const struct {
		double v;
		int want[5]; /* even, away, zero, up, down; 999: out of range */
	} rows[] = {
	    {2.5, {2, 3, 2, 3, 2}},
	    {3.5, {4, 4, 3, 4, 3}},
	    {-2.5, {-2, -3, -2, -2, -3}},
	    {127.5, {999, 999, 127, 999, 127}},
	    {-128.5, {-128, 999, -128, -128, 999}},
	    {0x1p-200, {0, 0, 0, 1, 0}},
	    {0.5, {0, 1, 0, 1, 0}},
	    {0x1p200, {999, 999, 999, 999, 999}},
	};
	const zinc_dtype *t = zinc_dtype_of(ZINC_INT8);
	size_t i;
	int how;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (how = 0; how < 5; how++) {
			int8_t v = 55;
			zinc_exact x;
			zinc_fit fit;

			zinc_exact_read_double(rows[i].v, &x);
			fit = zinc_exact_write(t, &x, (zinc_rounding)how, &v);
			if (rows[i].want[how] == 999) {
				assert_int_equal(fit, rows[i].v < 0 ? ZINC_FIT_BELOW : ZINC_FIT_ABOVE);
				assert_int_equal(v, 55);
				zinc_exact_clamp(t, fit, false, &v);
				assert_int_equal(v, rows[i].v < 0 ? -128 : 127);
			} else {
				assert_int_equal(fit, ZINC_FIT_ROUNDED);
				assert_int_equal(v, rows[i].want[how]);
			}
		}
}

/* (4) */
static void
numbers_wrap(void **state)
{
	static const struct {
		double v;
		int16_t want;
	} rows[] = {{32768, -32768},         {32769, -32767}, {-32769, 32767}, {65536.0 * 3 + 7, 7},
		    {0x1p63 + 0x1p11, 2048}, {-0x1p64, 0},    {0x1p300, 0},    {1e5 + 0.5, -31072}};
	const zinc_exact infinity = {ZINC_EXACT_INFINITY, false, 0, 0};
	const zinc_dtype *t = zinc_dtype_of(ZINC_INT16);
	zinc_exact x;
	uint8_t u;
	int16_t v;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		zinc_exact_read_double(rows[i].v, &x);
		assert_true(zinc_exact_wrap(t, &x, ZINC_ROUND_EVEN, &v));
		assert_int_equal(v, rows[i].want);
	}
	zinc_exact_read_double(-1, &x);
	assert_true(zinc_exact_wrap(zinc_dtype_of(ZINC_UINT8), &x, ZINC_ROUND_EVEN, &u));
	assert_int_equal(u, 255);
	assert_false(zinc_exact_wrap(t, &infinity, ZINC_ROUND_EVEN, &v));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_code_reads_and_writes),
	    cmocka_unit_test(all_middles_round),
	    cmocka_unit_test(singles_round_like_hardware),
	    cmocka_unit_test(missing_values_do_not_fit),
	    cmocka_unit_test(integers_are_exact),
	    cmocka_unit_test(fractions_round_to_integers),
	    cmocka_unit_test(numbers_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
