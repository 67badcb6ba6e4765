/* test_schema_number.c - exact decimals: order and multiples */
#include <string.h>

#include "schema/schema_impl.h"
#include "test.h"

static zinc_json
number(const char *token)
{
	return (zinc_json){.type = ZINC_JSON_NUMBER, .text = token, .n = strlen(token)};
}

static int
compare(const char *a, const char *b)
{
	const zinc_json x = number(a), y = number(b);
	bool comparable;
	const int order = zinc_decimal_compare(&x, &y, &comparable), back = zinc_decimal_compare(&y, &x, &comparable);

	assert_true(comparable);
	assert_int_equal(order, -back);
	return order;
}

static void
test_order(void **state)
{
	static const char *const rising[] = {"-1e999999999999999999",
					     "-10.5",
					     "-1.01",
					     "-1",
					     "-1e-400",
					     "0",
					     "1e-999",
					     "0.1",
					     "0.11",
					     "1",
					     "1.5",
					     "9007199254740992",
					     "9007199254740993",
					     "1e20",
					     "1.1e20",
					     "2e20",
					     "1e400"};
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT(rising); i++)
		for (j = 0; j < COUNT(rising); j++)
			assert_int_equal(compare(rising[i], rising[j]), (i > j) - (i < j));
	assert_int_equal(compare("100", "1E+2"), 0);
	assert_int_equal(compare("0.0010", "1e-3"), 0);
	assert_int_equal(compare("-0", "0.000e7"), 0);
}

static bool
is_multiple(const char *a, const char *b)
{
	const zinc_json x = number(a), y = number(b);
	bool yes;

	assert_int_equal(zinc_decimal_multiple(&x, &y, &yes, NULL), ZINC_OK);
	return yes;
}

static void
test_multiples(void **state)
{
	(void)state;
	assert_true(is_multiple("0", "7"));
	assert_true(is_multiple("-21", "7"));
	assert_false(is_multiple("22", "7"));
	assert_true(is_multiple("0.0075", "0.0001"));
	assert_false(is_multiple("0.00751", "0.0001"));
	assert_true(is_multiple("1e30", "0.5"));
	assert_true(is_multiple("4.5", "1.5"));
	assert_false(is_multiple("35", "10"));
	assert_true(is_multiple("999999999999999999000", "999999999999999999"));
	assert_false(is_multiple("1e308", "0.123456789"));
	assert_true(is_multiple("1000000007e100", "1000000007"));
}

static void
test_integers(void **state)
{
	static const struct {
		const char *token;
		bool integer;
	} cases[] = {{"1.0", true},  {"1e0", true},    {"10e-1", true}, {"1.5", false},      {"1e-1", false},
		     {"-0.0", true}, {"1.50e1", true}, {"NaN", false},  {"-Infinity", false}};
	zinc_decimal d;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		const zinc_json v = number(cases[i].token);

		zinc_decimal_parse(&d, &v);
		assert_int_equal(zinc_decimal_is_integer(&d), cases[i].integer);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_multiples),
	    cmocka_unit_test(test_integers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
