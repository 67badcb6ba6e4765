/*
 * test_json_equal.c - equality of two values
 */
#include "json/json.h"
#include "support/test.h"

static bool
equal(const char *a, const char *b)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *x = NULL, *y = NULL;
	bool same;

	assert_ok(zinc_json_parse(&x, NULL, a, strlen(a), ZINC_JSON_NAN_TOKENS, &err));
	assert_ok(zinc_json_parse(&y, NULL, b, strlen(b), ZINC_JSON_NAN_TOKENS, &err));
	same = zinc_json_equal(zinc_json_root(x), zinc_json_root(y));
	assert_int_equal(zinc_json_equal(zinc_json_root(y), zinc_json_root(x)), same);
	zinc_json_free(x);
	zinc_json_free(y);
	return same;
}

static void
same(void **state)
{
	static const char *const pairs[][2] = {
	    {"null", " null "},
	    {"1", "1"},
	    {"0", "-0"},
	    {"1.0", "1.00"},
	    {"1e2", "100.0"},
	    {"1.5e+3", "15E2"},
	    {"0.0", "-0.0"},
	    {"1e400", "1e400"},
	    {"NaN", "NaN"},
	    {"\"a\"", "\"\\u0061\""},
	    {"[]", "[ ]"},
	    {"{\"a\":1,\"b\":[{\"x\":1,\"y\":2}]}", "{\"b\":[{\"y\":2,\"x\":1}],\"a\":1}"},
	    {"{\"c\":{},\"b\":{},\"a\":{}}", "{\"a\":{},\"c\":{},\"b\":{}}"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(pairs); i++)
		if (!equal(pairs[i][0], pairs[i][1]))
			fail_msg("%s and %s", pairs[i][0], pairs[i][1]);
}

static void
different(void **state)
{
	static const char *const pairs[][2] = {
	    {"null", "false"},
	    {"true", "false"},
	    {"1", "2"},
	    {"1", "1.0"}, /* an integer is not a double */
	    {"1", "\"1\""},
	    {"1", "-1"},
	    {"10", "100"},
	    {"9007199254740993", "9007199254740992"}, /* the same as doubles */
	    {"18446744073709551616", "18446744073709551617"},
	    {"0.1", "0.2"},
	    {"1e400", "1e500"}, /* both overflow */
	    {"Infinity", "-Infinity"},
	    {"Infinity", "1e999"},
	    {"\"a\"", "\"b\""},
	    {"\"a\"", "\"a\\u0000\""},
	    {"[]", "{}"},
	    {"[1]", "[1,1]"},
	    {"[1,2]", "[2,1]"},
	    {"[[1],2]", "[[1,2]]"},
	    {"{\"a\":1}", "{\"b\":1}"},
	    {"{\"a\":1}", "{\"a\":1,\"b\":1}"},
	    {"{\"a\":{\"b\":1}}", "{\"a\":{\"c\":1}}"},
	    {"{\"a\\u0000b\":1}", "{\"a\\u0000c\":1}"},
	    {"{\"\":1}", "{\"a\":1}"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(pairs); i++)
		if (equal(pairs[i][0], pairs[i][1]))
			fail_msg("%s and %s", pairs[i][0], pairs[i][1]);
	assert_false(zinc_json_equal(NULL, NULL));
}

/* Two hundred thousand members in opposite orders; a quadratic comparison would take minutes. */
static void
large_objects(void **state)
{
	const unsigned N = MANY(200000u);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *x = NULL, *y = NULL;
	zinc_buf a, b;
	unsigned i;

	(void)state;
	zinc_buf_init(&a, NULL, 64u << 20);
	zinc_buf_init(&b, NULL, 64u << 20);
	for (i = 0; i < N; i++) {
		assert_ok(zinc_buf_printf(&a, &err, "%s\"k%u\":%u", i ? "," : "{", i, i));
		assert_ok(zinc_buf_printf(&b, &err, "%s\"k%u\":%u", i ? "," : "{", N - 1 - i, N - 1 - i));
	}
	assert_ok(zinc_buf_puts(&a, "}", &err));
	assert_ok(zinc_buf_puts(&b, "}", &err));
	assert_ok(zinc_json_parse(&x, NULL, zinc_buf_text(&a), a.n, 0, &err));
	assert_ok(zinc_json_parse(&y, NULL, zinc_buf_text(&b), b.n, 0, &err));
	assert_true(zinc_json_equal(zinc_json_root(x), zinc_json_root(y)));
	assert_ok(zinc_json_set(y, zinc_json_root(y), "k777", zinc_json_make_u64(y, 0), &err));
	assert_false(zinc_json_equal(zinc_json_root(x), zinc_json_root(y)));
	zinc_json_free(x);
	zinc_json_free(y);
	zinc_buf_fini(&a);
	zinc_buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(same),
	    cmocka_unit_test(different),
	    cmocka_unit_test(large_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
