/*
 * test_json_print.c - values as text
 */
#include "json/json.h"
#include "support/sweep.h"
#include "support/test.h"

/* text as read, pretty, on one line */
static const struct {
	const char *in, *pretty, *line;
} rows[] = {
    {" null", "null", "null"},
    {"[ ]", "[]", "[]"},
    {"{ }", "{}", "{}"},
    {"1.50", "1.50", "1.50"},
    {"[1,2,3]", "[1, 2, 3]", "[1,2,3]"},
    {"[true,null,\"x\"]", "[true, null, \"x\"]", "[true,null,\"x\"]"},
    {"[[1,2],[3,4]]", "[\n  [1, 2],\n  [3, 4]\n]", "[[1,2],[3,4]]"},
    {"[1,[]]", "[\n  1,\n  []\n]", "[1,[]]"},
    {"{\"a\":1,\"b\":[1,2]}", "{\n  \"a\": 1,\n  \"b\": [1, 2]\n}", "{\"a\":1,\"b\":[1,2]}"},
    {"{\"a\":{\"b\":{}},\"c\":[{\"d\":[]}]}",
     "{\n  \"a\": {\n    \"b\": {}\n  },\n  \"c\": [\n    {\n      \"d\": []\n    }\n  ]\n}",
     "{\"a\":{\"b\":{}},\"c\":[{\"d\":[]}]}"},
    {"\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\\\/\\u007f\\u00e9\\ud83d\\ude00\\u2028\"",
     "\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\x7f\xc3\xa9\xf0\x9f\x98\x80\xe2\x80\xa8\"",
     "\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\x7f\xc3\xa9\xf0\x9f\x98\x80\xe2\x80\xa8\""},
    {"{\"\\n\\\"\":0}", "{\n  \"\\n\\\"\": 0\n}", "{\"\\n\\\"\":0}"},
    {"[NaN,-Infinity]", "[NaN, -Infinity]", "[NaN,-Infinity]"},
};

static void
two_ways(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL, *back = NULL;
	zinc_buf b;
	size_t i;

	(void)state;
	zinc_buf_init(&b, NULL, 10000);
	for (i = 0; i < COUNT(rows); i++) {
		assert_ok(zinc_json_parse(&doc, NULL, rows[i].in, strlen(rows[i].in), ZINC_JSON_NAN_TOKENS, &err));
		b.n = 0;
		assert_ok(zinc_json_print(zinc_json_root(doc), &b, &err));
		assert_string_equal(zinc_buf_text(&b), rows[i].pretty);
		assert_ok(zinc_json_parse(&back, NULL, zinc_buf_text(&b), b.n, ZINC_JSON_NAN_TOKENS, &err));
		assert_true(zinc_json_equal(zinc_json_root(doc), zinc_json_root(back)));
		zinc_json_free(back);
		b.n = 0;
		assert_ok(zinc_json_print_line(zinc_json_root(doc), &b, &err));
		assert_string_equal(zinc_buf_text(&b), rows[i].line);
		zinc_json_free(doc);
	}
	zinc_buf_fini(&b);
}

/* Printing a part prints neither its name nor the text around it. */
static void
parts(void **state)
{
	static const char text[] = "{\"a\":{\"b\":[1,{\"c\":2}]},\"d\":3}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_buf b;

	(void)state;
	zinc_buf_init(&b, NULL, 1000);
	assert_ok(zinc_json_parse(&doc, NULL, text, sizeof text - 1, 0, &err));
	assert_ok(zinc_json_print_line(zinc_json_member(zinc_json_root(doc), "a"), &b, &err));
	assert_string_equal(zinc_buf_text(&b), "{\"b\":[1,{\"c\":2}]}");
	b.n = 0;
	assert_ok(zinc_json_print(zinc_json_member(zinc_json_root(doc), "d"), &b, &err));
	assert_string_equal(zinc_buf_text(&b), "3");
	zinc_json_free(doc);
	zinc_buf_fini(&b);
}

static void
no_broken_text_gets_out(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *object;
	zinc_buf b;

	(void)state;
	zinc_buf_init(&b, NULL, 1000);
	assert_int_equal(zinc_json_print_string("a\xff", 2, &b, &err), ZINC_E_INVALID);
	assert_int_equal(b.n, 0);
	assert_ok(zinc_json_print_string("", 0, &b, &err));
	assert_ok(zinc_json_print_string("a\0\"", 3, &b, &err));
	assert_string_equal(zinc_buf_text(&b), "\"\"\"a\\u0000\\\"\"");
	assert_ok(zinc_json_new(&doc, NULL, &err));
	object = zinc_json_make(doc, ZINC_JSON_OBJECT);
	assert_ok(zinc_json_set(doc, object, "\xc3", zinc_json_make(doc, ZINC_JSON_NULL), &err));
	assert_int_equal(zinc_json_print(object, &b, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_json_print_line(zinc_json_make_string(doc, "\x80"), &b, &err), ZINC_E_INVALID);
	zinc_json_free(doc);
	zinc_buf_fini(&b);
}

/* Every maximum that is too small is E_LIMIT, at every point of the text. */
static void
bounded_output(void **state)
{
	static const char text[] = "{\"a\":[1,2,{\"b\":\"\\n\"}],\"c\":[],\"d\":[1,2]}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	size_t max, want;
	zinc_buf b;

	(void)state;
	assert_ok(zinc_json_parse(&doc, NULL, text, sizeof text - 1, 0, &err));
	zinc_buf_init(&b, NULL, 1000);
	assert_ok(zinc_json_print(zinc_json_root(doc), &b, &err));
	want = b.n;
	zinc_buf_fini(&b);
	for (max = 0; max <= want; max++) {
		zinc_buf_init(&b, NULL, max);
		assert_int_equal(zinc_json_print(zinc_json_root(doc), &b, &err), max == want ? ZINC_OK : ZINC_E_LIMIT);
		zinc_buf_fini(&b);
	}
	zinc_json_free(doc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_ways),
	    cmocka_unit_test(parts),
	    cmocka_unit_test(no_broken_text_gets_out),
	    cmocka_unit_test(bounded_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
