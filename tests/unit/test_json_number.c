/*
 * test_json_number.c - the promises of json_number.c, by number
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "support/comma.h"
#include "support/random.h"
#include "support/sweep.h"
#include "support/test.h"

static zinc_json_doc *doc;

static int
make_doc(void **state)
{
	(void)state;
	return zinc_json_new(&doc, NULL, NULL) == ZINC_OK ? 0 : -1;
}

static int
free_doc(void **state)
{
	(void)state;
	zinc_json_free(doc);
	return 0;
}

/* (1): "-" stands for "no" */
static void
integers_are_exact(void **state)
{
	static const struct {
		const char *token, *u64, *i64;
	} rows[] = {
	    {"0", "0", "0"},
	    {"-0", "0", "0"},
	    {"1", "1", "1"},
	    {"-1", "-", "-1"},
	    {"9007199254740993", "9007199254740993", "9007199254740993"}, /* 2^53 + 1 */
	    {"9223372036854775807", "9223372036854775807", "9223372036854775807"},
	    {"9223372036854775808", "9223372036854775808", "-"},
	    {"-9223372036854775808", "-", "-9223372036854775808"},
	    {"-9223372036854775809", "-", "-"},
	    {"18446744073709551615", "18446744073709551615", "-"},
	    {"18446744073709551616", "-", "-"},
	    {"18446744073709551625", "-", "-"},
	    {"184467440737095516150", "-", "-"},
	    {"-18446744073709551616", "-", "-"},
	    {"1.0", "-", "-"},
	    {"1e2", "-", "-"},
	    {"1E0", "-", "-"},
	};
	char text[32];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_json *v = zinc_json_make_number(doc, rows[i].token);
		uint64_t u;
		int64_t s;

		assert_non_null(v);
		snprintf(text, sizeof text, "%s", "-");
		if (zinc_json_u64(v, &u))
			snprintf(text, sizeof text, "%llu", (unsigned long long)u);
		assert_string_equal(text, rows[i].u64);
		snprintf(text, sizeof text, "%s", "-");
		if (zinc_json_i64(v, &s))
			snprintf(text, sizeof text, "%lld", (long long)s);
		assert_string_equal(text, rows[i].i64);
		assert_int_equal(zinc_json_is_integer(v), !strpbrk(rows[i].token, ".eE"));
	}
	assert_false(zinc_json_u64(NULL, NULL));
	assert_false(zinc_json_i64(zinc_json_make_string(doc, "1"), NULL));
	assert_string_equal(zinc_json_make_u64(doc, UINT64_MAX)->text, "18446744073709551615");
	assert_string_equal(zinc_json_make_i64(doc, INT64_MIN)->text, "-9223372036854775808");
}

static void
tokens_are_checked(void **state)
{
	static const char *const no[] = {"",   "-",   "1.",       ".5",  "01", "+1", " 1",
					 "1 ", "NaN", "Infinity", "0x1", "1e", "a",  "1,5"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(no); i++)
		assert_null(zinc_json_make_number(doc, no[i]));
	assert_null(zinc_json_make_number(doc, NULL));
	assert_string_equal(zinc_json_make_number(doc, "-1.50e+07")->text, "-1.50e+07");
}

/* (2) */
static void
doubles_as_python_spells_them(void **state)
{
	static const struct {
		double v;
		const char *want;
	} rows[] = {
	    {0.0, "0.0"},
	    {-0.0, "-0.0"},
	    {1.0, "1.0"},
	    {-1.5, "-1.5"},
	    {0.1, "0.1"},
	    {100.0, "100.0"},
	    {0.30000000000000004, "0.30000000000000004"},
	    {0.0001, "0.0001"},
	    {0.00001, "1e-05"},
	    {1e15, "1000000000000000.0"},
	    {1e16, "1e+16"},
	    {123456789012345680.0, "1.2345678901234568e+17"},
	    {9007199254740992.0, "9007199254740992.0"},
	    {1e22, "1e+22"},
	    {1e100, "1e+100"},
	    {5e-324, "5e-324"},
	    {2.2250738585072014e-308, "2.2250738585072014e-308"},
	    {DBL_MAX, "1.7976931348623157e+308"},
	    {1.0 / 3, "0.3333333333333333"},
	};
	static const struct {
		float v;
		const char *want;
	} floats[] = {
	    {0.1f, "0.1"},
	    {-0.0f, "-0.0"},
	    {1.0f, "1.0"},
	    {16777216.0f, "16777216.0"},
	    {1e-45f, "1e-45"},
	    {FLT_MAX, "3.4028235e+38"},
	    {1.0f / 3, "0.33333334"},
	    {3.14159274f, "3.1415927"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		assert_string_equal(zinc_json_make_double(doc, rows[i].v)->text, rows[i].want);
	for (i = 0; i < COUNT(floats); i++)
		assert_string_equal(zinc_json_make_float(doc, (double)floats[i].v, 4)->text, floats[i].want);
	assert_null(zinc_json_make_double(doc, (double)INFINITY));
	assert_null(zinc_json_make_double(doc, (double)NAN));
	assert_null(zinc_json_make_float(doc, -(double)INFINITY, 4));
}

static void
doubles_are_read(void **state)
{
	static const struct {
		const char *token;
		double want;
	} rows[] = {
	    {"0", 0.0},
	    {"-1.5e3", -1500.0},
	    {"1e400", (double)INFINITY},
	    {"-1e400", -(double)INFINITY},
	    {"1e-400", 0.0},
	    {"9007199254740993", 9007199254740992.0}, /* ties to even */
	    {"9007199254740993.00000000000000000001", 9007199254740994.0},
	    {"2.2250738585072011e-308", 2.225073858507201e-308}, /* once an endless loop elsewhere */
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *nan = NULL;
	double d;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_true(zinc_json_double(zinc_json_make_number(doc, rows[i].token), &d));
		assert_memory_equal(&d, &rows[i].want, sizeof d);
	}
	assert_false(zinc_json_double(zinc_json_make_string(doc, "1"), &d));
	assert_false(zinc_json_double(NULL, &d));
	assert_ok(zinc_json_parse(&nan, NULL, "[NaN,-Infinity]", 15, ZINC_JSON_NAN_TOKENS, &err));
	assert_true(zinc_json_double(zinc_json_item(zinc_json_root(nan), 0), &d) && isnan(d));
	assert_true(zinc_json_double(zinc_json_item(zinc_json_root(nan), 1), &d) && isinf(d) && d < 0);
	zinc_json_free(nan);
}

/* A hundred thousand random bit patterns, and as many short decimals. */
static void
doubles_come_back(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	int i;

	(void)state;
	for (i = 0; i < MANY(100000); i++) {
		uint64_t bits = random_bits();
		uint32_t low = (uint32_t)bits;
		zinc_json_doc *d;
		double v, back;
		float f, fback;

		memcpy(&v, &bits, sizeof v);
		memcpy(&f, &low, sizeof f);
		if (i % 2)
			v = (double)(int64_t)(bits >> 40) / 1000;
		assert_ok(zinc_json_new(&d, NULL, &err));
		if (isfinite(v)) {
			zinc_json *t = zinc_json_make_double(d, v);

			assert_true(zinc_json_double(t, &back));
			assert_memory_equal(&back, &v, sizeof v);
			assert_false(zinc_json_is_integer(t));
			assert_true(!(i % 2) || t->n <= 12);
		}
		if (isfinite(f)) {
			fback = strtof(zinc_json_make_float(d, (double)f, 4)->text, NULL);
			assert_memory_equal(&fback, &f, sizeof f);
		}
		zinc_json_free(d);
	}
}

/* ---- (3) ---- */

static bool
has_no_comma(void)
{
	double d = 0;

	return same_text(zinc_json_make_double(doc, 1234567.25)->text, "1234567.25") &&
	       same_text(zinc_json_make_float(doc, (double)1.5e-30f, 4)->text, "1.5e-30") &&
	       zinc_json_double(zinc_json_make_number(doc, "1.75"), &d) && d > 1.7;
}

static void
locale_does_not_matter(void **state)
{
	(void)state;
	with_decimal_comma(has_no_comma);
}

static zinc_status
make_numbers(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_json_doc *d = NULL;
	zinc_json *list;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_json_new(&d, ctx, err));
	list = zinc_json_make(d, ZINC_JSON_ARRAY);
	st = zinc_json_append(list, zinc_json_make_double(d, 0.1), err);
	if (st == ZINC_OK)
		st = zinc_json_append(list, zinc_json_make_u64(d, 7), err);
	zinc_json_free(d);
	return st;
}

static void
failing_allocations(void **state)
{
	(void)state;
	assert_true(sweep_alloc(make_numbers, NULL) > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers_are_exact),
	    cmocka_unit_test(tokens_are_checked),
	    cmocka_unit_test(doubles_as_python_spells_them),
	    cmocka_unit_test(doubles_are_read),
	    cmocka_unit_test(doubles_come_back),
	    cmocka_unit_test(locale_does_not_matter),
	    cmocka_unit_test(failing_allocations),
	};

	return cmocka_run_group_tests(tests, make_doc, free_doc);
}
