/* test_regex.c - regular expressions, promise by promise */
#include <string.h>

#include "schema/regex.h"
#include "support/sweep.h"
#include "test.h"

#ifndef ZINC_WITH_PCRE2
#define ZINC_WITH_PCRE2 0
#endif

/* 1: matches, 0: does not, else the status, negative. */
static int
match(const char *pattern, const char *s, uint64_t steps)
{
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_regex *r = NULL;
	zinc_status st = zinc_regex_new(&r, ctx, pattern, strlen(pattern), &err);
	bool yes = false;

	if (st == ZINC_OK)
		st = zinc_regex_match(r, s, strlen(s), &steps, &yes, &err);
	zinc_regex_free(r);
	return st == ZINC_OK ? yes : -(int)st;
}

/* (1) */
static void
test_steps(void **state)
{
	zinc_context *ctx = zinc_context_get(NULL);
	static const char evil[] = "^(a+)+$", text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
	uint64_t steps = 1000, left;
	zinc_regex *r = NULL;
	bool yes;

	(void)state;
	if (!ZINC_WITH_PCRE2)
		skip();
	assert_int_equal(match(evil, text, 1000), -ZINC_E_LIMIT);
	assert_int_equal(match(evil, text, 4000000), -ZINC_E_LIMIT);
	assert_int_equal(match("^(x+x+)+[yz]$", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 4000000), -ZINC_E_LIMIT);
	assert_int_equal(zinc_regex_new(&r, ctx, "b$", 2, NULL), ZINC_OK);
	assert_int_equal(zinc_regex_match(r, "aab", 3, &steps, &yes, NULL), ZINC_OK);
	assert_true(yes && steps < 1000);
	left = steps;
	assert_int_equal(zinc_regex_match(r, "aab", 3, &steps, &yes, NULL), ZINC_OK);
	assert_int_equal(left - steps, 1000 - left); /* the same every time */
	zinc_regex_free(r);
}

/* (2) */
static void
test_dialect(void **state)
{
	(void)state;
	if (!ZINC_WITH_PCRE2)
		skip();
	assert_int_equal(match("^\\d+$", "42", 1000), 1);
	assert_int_equal(match("^\\d+$", "\xe0\xa7\xaa", 1000), 0); /* a Bengali digit */
	assert_int_equal(match("^\\w$", "\xc3\xa9", 1000), 0);
	assert_int_equal(match("^abc$", "abc\n", 1000), 0);
	assert_int_equal(match("^\\u00e9$", "\xc3\xa9", 1000), 1);
	assert_int_equal(match("^.$", "\xf0\x9f\x90\xb2", 1000), 1);
	assert_int_equal(match("b", "abc", 1000), 1);
	assert_int_equal(match("^\\s$", "\xc2\xa0", 1000), 1);
	assert_int_equal(match("^[a\\s]+$", "a\xe2\x80\xa8 \t", 1000), 1);
	assert_int_equal(match("^\\S$", "\xc2\xa0", 1000), 0);
	assert_int_equal(match("^\\S$", "x", 1000), 1);
	assert_int_equal(match("^\\p{Letter}+\\P{Letter}$", "\xc3\xa9x1", 1000), 1);
	assert_int_equal(match("^[\\p{digit}]$", "\xe0\xa7\xaa", 1000), 1);
	assert_int_equal(match("^\\p{Lu}\\p{L}$", "Ab", 1000), 1);
	assert_int_equal(match("^\\\\s$", "\\s", 1000), 1); /* a backslash, then an s */
	assert_int_equal(match("\\", "x", 1000), -ZINC_E_INVALID);
	assert_int_equal(match("(", "abc", 1000), -ZINC_E_INVALID);
	assert_int_equal(match("[z-a]", "abc", 1000), -ZINC_E_INVALID);
}

/* (3) */
static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	uint64_t steps = 1000;
	zinc_regex *r = NULL;
	zinc_status st;
	bool yes;

	(void)arg;
	st = zinc_regex_new(&r, ctx, "^(a|b)+c$", 9, err);
	if (st == ZINC_OK)
		st = zinc_regex_match(r, "ababc", 5, &steps, &yes, err);
	zinc_regex_free(r);
	return st;
}

static void
test_memory(void **state)
{
	(void)state;
	if (!ZINC_WITH_PCRE2)
		skip();
	assert_true(sweep_alloc(scenario, NULL) > 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_steps),
	    cmocka_unit_test(test_dialect),
	    cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
