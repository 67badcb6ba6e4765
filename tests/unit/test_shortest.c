/*
 * test_shortest.c - the promises of shortest.c, by number
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/comma.h"
#include "support/random.h"
#include "support/test.h"

static char text[ZINC_DIGITS_TEXT];

/* "d.ddde+xx". */
static const char *
spell(double v, size_t size, bool nearest)
{
	zinc_digits d;

	zinc_shortest(&d, v, size, nearest);
	assert_true(d.n >= 1 && d.n <= 17 && (d.n == 1 || d.digit[d.n - 1] != '0'));
	zinc_digits_print(&d, true, false, text);
	return text;
}

static const char *
shortest(double v, size_t size)
{
	return spell(v, size, false);
}

/* As Python's repr and NumPy's, without their choice of exponents. */
static void
known_numbers(void **state)
{
	static const struct {
		double v;
		size_t size;
		const char *want;
	} rows[] = {
	    {0, 8, "0e+00"},
	    {-0.0, 8, "0e+00"},
	    {1, 8, "1e+00"},
	    {-1200, 8, "1.2e+03"},
	    {0.1, 8, "1e-01"},
	    {0.1f, 4, "1e-01"},
	    {0.1f, 8, "1.0000000149011612e-01"},
	    {0.0999755859375, 2, "1e-01"},
	    {1.0 / 3, 8, "3.333333333333333e-01"},
	    {123456.789, 8, "1.23456789e+05"},
	    {16777216, 4, "1.6777216e+07"},
	    {65504, 2, "6.55e+04"},
	    {0x1p-24, 2, "6e-08"},
	    {FLT_MAX, 4, "3.4028235e+38"},
	    {FLT_TRUE_MIN, 4, "1e-45"},
	    {DBL_MAX, 8, "1.7976931348623157e+308"},
	    {DBL_MIN, 8, "2.2250738585072014e-308"},
	    {5e-324, 8, "5e-324"},
	    {9007199254740992, 8, "9.007199254740992e+15"},
	    {0x1p-6, 2, "1.563e-02"},
	    {0x1p-1017, 8, "7.120236347223045e-307"}, /* the nearest of 16 digits is below and does not read back */
	    {0x1p-921, 8, "5.641232424577593e-278"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		assert_string_equal(shortest(rows[i].v, rows[i].size), rows[i].want);
	assert_string_equal(spell(0x1p-6, 2, true), "1.5625e-02");
	assert_string_equal(spell(0x1p-1017, 8, true), "7.1202363472230444e-307");
}

static bool
reads_back(const char *s, double v, size_t size)
{
	return size == 4 ? strtof(s, NULL) == (float)v : strtod(s, NULL) == v;
}

/* (1), (2): the first precision of printf that reads back gives the same digits; without `nearest` never more. */
static void
expect_shortest(double v, size_t size)
{
	char naive[48];
	int digits = 0;

	do
		snprintf(naive, sizeof naive, "%.*e", digits++, v);
	while (!reads_back(naive, v, size));
	assert_string_equal(spell(v, size, true), naive);
	assert_true(reads_back(shortest(v, size), v, size));
	assert_true(strlen(text) <= strlen(naive));
}

/* Bit patterns, and numbers as people have them. */
static void
random_numbers(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < MANY(100000); i++) {
		const uint64_t bits = random_bits();
		const double places = pow(10, (double)(bits % 10));
		double d;
		float f;

		memcpy(&d, &bits, sizeof d);
		memcpy(&f, &bits, sizeof f);
		if (isfinite(d))
			expect_shortest(fabs(d), 8);
		if (isfinite(f))
			expect_shortest(fabs((double)f), 4);
		expect_shortest((double)(bits >> 40) / places, 8);
		expect_shortest((double)(float)((double)(bits >> 44) / places), 4);
	}
}

static void
powers_of_two(void **state)
{
	int e;

	(void)state;
	for (e = -1074; e < 1024; e++)
		expect_shortest(ldexp(1, e), 8);
	for (e = -149; e < 128; e++)
		expect_shortest(ldexp(1, e), 4);
}

static void
spellings(void **state)
{
	static const struct {
		double v;
		bool scientific, point;
		const char *want;
	} rows[] = {
	    {0, false, true, "0.0"},
	    {0, false, false, "0"},
	    {1200, false, true, "1200.0"},
	    {1200, false, false, "1200"},
	    {12.5, false, true, "12.5"},
	    {0.00125, false, false, "0.00125"},
	    {1200, true, true, "1.2e+03"},
	    {1e-7, true, true, "1e-07"},
	    {1e100, true, false, "1e+100"},
	    {0.5, false, false, "0.5"},
	    {1e15, false, true, "1000000000000000.0"},
	};
	zinc_digits d;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_shortest(&d, rows[i].v, 8, true);
		assert_int_equal(zinc_digits_print(&d, rows[i].scientific, rows[i].point, text), strlen(rows[i].want));
		assert_string_equal(text, rows[i].want);
	}
}

static bool
has_no_comma(void)
{
	return same_text(shortest(1234.5, 8), "1.2345e+03") && same_text(shortest(1.5e-9, 8), "1.5e-09") &&
	       same_text(shortest(0x1p-1017, 8), "7.120236347223045e-307");
}

/* (3) */
static void
the_locale_does_not_matter(void **state)
{
	(void)state;
	with_decimal_comma(has_no_comma);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(known_numbers),
	    cmocka_unit_test(random_numbers),
	    cmocka_unit_test(powers_of_two),
	    cmocka_unit_test(spellings),
	    cmocka_unit_test(the_locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
