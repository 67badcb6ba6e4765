/*
 * test_dtype_text.c - the promises of dtype_text.c, by number
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtype/element.h"
#include "support/comma.h"
#include "support/random.h"
#include "support/sweep.h"
#include "support/test.h"

static char text[512];

static const char *
print(const zinc_dtype *t, const void *element)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	zinc_buf_init(&b, NULL, sizeof text);
	assert_ok(t->ops->print(t, element, ZINC_SPELL_TEXT, &b, &err));
	snprintf(text, sizeof text, "%.*s", (int)b.n, (const char *)b.p);
	zinc_buf_fini(&b);
	return text;
}

static const char *
print_double(double v)
{
	return print(zinc_dtype_of(ZINC_FLOAT64), &v);
}

static const char *
print_float(float v)
{
	return print(zinc_dtype_of(ZINC_FLOAT32), &v);
}

static const char *
print_half(uint16_t v)
{
	return print(zinc_dtype_of(ZINC_FLOAT16), &v);
}

/* As str() of NumPy's scalars. */
static void
floats_as_numpy_prints_them(void **state)
{
	(void)state;
	assert_string_equal(print_double(0), "0.0");
	assert_string_equal(print_double(-0.0), "-0.0");
	assert_string_equal(print_double(1), "1.0");
	assert_string_equal(print_double(-17), "-17.0");
	assert_string_equal(print_double(0.1), "0.1");
	assert_string_equal(print_double(1.0 / 3), "0.3333333333333333");
	assert_string_equal(print_double(100), "100.0");
	assert_string_equal(print_double(123456.789), "123456.789");
	assert_string_equal(print_double(1e-4), "0.0001");
	assert_string_equal(print_double(0.00012345), "0.00012345");
	assert_string_equal(print_double(9.9e-5), "9.9e-05");
	assert_string_equal(print_double(1e15), "1000000000000000.0");
	assert_string_equal(print_double(9999999999999998), "9999999999999998.0");
	assert_string_equal(print_double(1e16), "1e+16");
	assert_string_equal(print_double(-1.5e300), "-1.5e+300");
	assert_string_equal(print_double(5e-324), "5e-324");
	assert_string_equal(print_double(2.2250738585072014e-308), "2.2250738585072014e-308");
	assert_string_equal(print_double(1.7976931348623157e308), "1.7976931348623157e+308");
	assert_string_equal(print_double(NAN), "nan");
	assert_string_equal(print_double(-NAN), "nan");
	assert_string_equal(print_double(INFINITY), "inf");
	assert_string_equal(print_double(-INFINITY), "-inf");
	assert_string_equal(print_float(0.1f), "0.1");
	assert_string_equal(print_float(16777216.0f), "16777216.0");
	assert_string_equal(print_float(123456789.0f), "123456790.0");
	assert_string_equal(print_float(1e-4f), "1e-04"); /* the float is below 1e-4 */
	assert_string_equal(print_float(3.4028235e38f), "3.4028235e+38");
	assert_string_equal(print_float(1e-45f), "1e-45");
	assert_string_equal(print_half(0x7bff), "65500.0");
	assert_string_equal(print_half(0x2e66), "0.1");
	assert_string_equal(print_half(0x0001), "6e-08");
	assert_string_equal(print_half(0xfc00), "-inf");
}

static void
the_others_as_numpy_prints_them(void **state)
{
	static const struct {
		zinc_type type;
		uint64_t bits;
		const char *want;
	} rows[] = {
	    {ZINC_BOOL, 0, "False"},
	    {ZINC_BOOL, 1, "True"},
	    {ZINC_BOOL, 7, "True"},
	    {ZINC_INT8, 0x80, "-128"},
	    {ZINC_INT16, 0xffff, "-1"},
	    {ZINC_INT32, 0x80000000, "-2147483648"},
	    {ZINC_INT64, 0x8000000000000000, "-9223372036854775808"},
	    {ZINC_UINT8, 0xff, "255"},
	    {ZINC_UINT16, 0xffff, "65535"},
	    {ZINC_UINT32, 0xffffffff, "4294967295"},
	    {ZINC_UINT64, UINT64_MAX, "18446744073709551615"},
	};
	const double c1[2] = {1, 2}, c2[2] = {0, 2}, c3[2] = {-0.0, -2.5}, c4[2] = {NAN, NAN},
		     c5[2] = {1e20, -INFINITY};
	const float c6[2] = {0.1f, 0}, c7[2] = {0, 0};
	const zinc_dtype *t = zinc_dtype_of(ZINC_COMPLEX128), *raw;
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t element[8];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_bits_store(element, zinc_type_size(rows[i].type), rows[i].bits);
		assert_string_equal(print(zinc_dtype_of(rows[i].type), element), rows[i].want);
	}
	assert_string_equal(print(t, c1), "(1+2j)");
	assert_string_equal(print(t, c2), "2j");
	assert_string_equal(print(t, c3), "(-0-2.5j)");
	assert_string_equal(print(t, c4), "(nan+nanj)");
	assert_string_equal(print(t, c5), "(1e+20-infj)");
	t = zinc_dtype_of(ZINC_COMPLEX64);
	assert_string_equal(print(t, c6), "(0.1+0j)");
	assert_string_equal(print(t, c7), "0j");
	assert_ok(zinc_dtype_parse_text(&raw, NULL, NULL, "r24", &err));
	assert_string_equal(print(raw, "\0a\xff"), "b'\\x00\\x61\\xFF'");
	zinc_dtype_free(raw);
}

/* (1) for all halves: reads back, and no shorter decimal does */
static void
halves_are_shortest(void **state)
{
	uint16_t h;

	(void)state;
	for (h = 0; h < 0x7c00; h++) {
		char shorter[64], *end;
		double d = strtod(print_half(h), &end);
		int digits = 0;

		assert_true(*end == '\0');
		assert_int_equal(zinc_half_from_double(d), h);
		do
			snprintf(shorter, sizeof shorter, "%.*e", digits++, (double)zinc_half_to_float(h));
		while (zinc_half_from_double(strtod(shorter, NULL)) != h);
		assert_true(strtod(shorter, NULL) == d);
	}
}

/* The digits alone, of floats of every type and of parts of complex numbers. */
static void
digits_of_types(void **state)
{
	char digits[18] = "?";
	int exponent = 99;

	(void)state;
	assert_int_equal(zinc_type_digits(ZINC_FLOAT32, -0.15625, digits, &exponent), 5);
	assert_string_equal(digits, "15625");
	assert_int_equal(exponent, -1);
	assert_int_equal(zinc_type_digits(ZINC_FLOAT16, (double)zinc_half_to_float(0x2e66), digits, &exponent), 1);
	assert_string_equal(digits, "1");
	assert_int_equal(zinc_type_digits(ZINC_COMPLEX64, (double)0.1f, digits, &exponent), 1);
	assert_int_equal(zinc_type_digits(ZINC_COMPLEX128, (double)0.1f, digits, &exponent), 17);
	assert_int_equal(zinc_type_digits(ZINC_FLOAT64, 0, digits, &exponent), 1);
	assert_string_equal(digits, "0");
	assert_int_equal(exponent, 0);
	assert_int_equal(zinc_type_digits(ZINC_FLOAT64, (double)NAN, digits, &exponent), 0);
	assert_int_equal(zinc_type_digits(ZINC_FLOAT64, -(double)INFINITY, digits, &exponent), 0);
	assert_int_equal(zinc_type_digits(ZINC_INT32, 1, digits, &exponent), 0);
	assert_int_equal(zinc_type_digits(ZINC_RAW, 1, digits, &exponent), 0);
	assert_int_equal(zinc_type_digits(ZINC_FLOAT64, 1, NULL, &exponent), 0);
	assert_int_equal(zinc_type_digits(ZINC_FLOAT64, 1, digits, NULL), 0);
}

/* (1) for floats and doubles, at random */
static void
random_numbers_read_back(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		const uint64_t bits = random_bits();
		float f;
		double d;

		memcpy(&d, &bits, sizeof d);
		memcpy(&f, &bits, sizeof f);
		if (isfinite(d))
			assert_true(strtod(print_double(d), NULL) == d);
		if (isfinite(f)) {
			assert_true(strtof(print_float(f), NULL) == f);
			assert_true(strlen(text) <= 19); /* -1234567900000000.0 */
		}
	}
}

static bool
has_no_comma(void)
{
	return same_text(print_double(1234.5), "1234.5") && same_text(print_float(0.1f), "0.1") &&
	       same_text(print_double(1.5e-9), "1.5e-09");
}

/* (2) */
static void
the_locale_does_not_matter(void **state)
{
	(void)state;
	with_decimal_comma(has_no_comma);
}

/* A buffer that cannot grow, at every length too short. */
static void
full_buffers_are_reported(void **state)
{
	static const double c[2] = {-1.5, 2.25};
	static const char *const names[] = {"bool", "int32", "float64", "complex128", "r16"};
	const uint8_t *element = (const uint8_t *)c;
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, cap;

	(void)state;
	for (i = 0; i < COUNT(names); i++) {
		const zinc_dtype *t;
		size_t n;

		assert_ok(zinc_dtype_parse_text(&t, NULL, NULL, names[i], &err));
		n = strlen(print(t, element));
		for (cap = 0; cap <= n; cap++) {
			zinc_buf b;

			zinc_buf_init(&b, NULL, cap);
			assert_int_equal(t->ops->print(t, element, ZINC_SPELL_TEXT, &b, &err),
					 cap < n ? ZINC_E_LIMIT : ZINC_OK);
			zinc_buf_fini(&b);
		}
		zinc_dtype_free(t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(floats_as_numpy_prints_them), cmocka_unit_test(the_others_as_numpy_prints_them),
	    cmocka_unit_test(halves_are_shortest),         cmocka_unit_test(digits_of_types),
	    cmocka_unit_test(random_numbers_read_back),    cmocka_unit_test(the_locale_does_not_matter),
	    cmocka_unit_test(full_buffers_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
