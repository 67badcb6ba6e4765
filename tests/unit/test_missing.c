/*
 * test_missing.c - the attribute _FillValue in both its forms
 */
#include "nodes.h"
#include "test.h"
#include "tool/tool.h"

static zinc_json *
parse(zinc_json_doc **doc, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_json_parse(doc, zinc_context_get(NULL), text, strlen(text), ZINC_JSON_NAN_TOKENS, &err));
	return zinc_json_root(*doc);
}

/* As xarray's FillValueCoder encodes it, and plain. */
static const struct {
	zinc_type type;
	const char *plain, *encoded;
} rows[] = {
    {ZINC_BOOL, "true", "true"},
    {ZINC_INT16, "-9999", "-9999"},
    {ZINC_UINT64, "18446744073709551615", "18446744073709551615"},
    {ZINC_FLOAT16, "0.5", "\"AAAAAAAA4D8=\""},
    {ZINC_FLOAT32, "-9999.0", "\"AAAAAICHw8A=\""},
    {ZINC_FLOAT32, "NaN", "\"AAAAAAAA+H8=\""},
    {ZINC_FLOAT64, "-Infinity", "\"AAAAAAAA8P8=\""},
    {ZINC_COMPLEX64, "[1.0,NaN]", "[\"AAAAAAAA8D8=\",\"AAAAAAAA+H8=\"]"},
    {ZINC_COMPLEX128, "[0.0,Infinity]", "[\"AAAAAAAAAAA=\",\"AAAAAAAA8H8=\"]"},
};

static void
test_both_ways(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t x[16], y[16];
	zinc_json_doc *a, *b;
	zinc_buf text;
	size_t i;

	(void)state;
	zinc_buf_init(&text, zinc_context_get(NULL), SIZE_MAX);
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *t = zinc_dtype_of(rows[i].type);
		const zinc_json *plain = parse(&a, rows[i].plain), *encoded = parse(&b, rows[i].encoded);

		assert_true(zinc_missing_has(t));
		assert_true(zinc_missing_parse(zinc_context_get(NULL), t, plain, false, x));
		assert_true(zinc_missing_parse(zinc_context_get(NULL), t, encoded, true, y));
		assert_true(zinc_missing_same(t, x, y));
		text.n = 0;
		assert_ok(zinc_json_print_line(zinc_missing_encode(a, t, x), &text, &err));
		assert_string_equal(zinc_buf_text(&text), rows[i].encoded);
		text.n = 0;
		assert_ok(zinc_json_print_line(zinc_missing_plain(a, t, y), &text, &err));
		assert_string_equal(zinc_buf_text(&text), rows[i].plain);
		zinc_json_free(a);
		zinc_json_free(b);
	}
	zinc_buf_fini(&text);
}

/* Other attributes do not mask. */
static void
test_others(void **state)
{
	static const struct {
		zinc_type type;
		const char *json;
		bool encoded;
	} wrong[] = {
	    {ZINC_FLOAT32, "-9999.0", true},  {ZINC_FLOAT32, "\"AAAA\"", true},
	    {ZINC_FLOAT32, "\"?\"", true},    {ZINC_FLOAT32, "\"AAAAAICHw8A=\"", false},
	    {ZINC_FLOAT32, "\"NaN\"", false}, {ZINC_INT16, "40000", true},
	    {ZINC_INT16, "\"7\"", false},     {ZINC_COMPLEX64, "[\"AAAAAAAA8D8=\"]", true},
	    {ZINC_COMPLEX64, "1", true},      {ZINC_BOOL, "\"true\"", false},
	};
	uint8_t x[16], y[16];
	zinc_json_doc *doc;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(wrong); i++) {
		const zinc_json *v = parse(&doc, wrong[i].json);

		if (zinc_missing_parse(zinc_context_get(NULL), zinc_dtype_of(wrong[i].type), v, wrong[i].encoded, x))
			fail_msg("%s is taken", wrong[i].json);
		zinc_json_free(doc);
	}
	assert_false(zinc_missing_parse(zinc_context_get(NULL), zinc_dtype_of(ZINC_INT8), NULL, true, x));
	memset(x, 0xff, sizeof x);
	memset(y, 0xff, sizeof y);
	y[3] = 0x7f; /* another NaN */
	assert_true(zinc_missing_same(zinc_dtype_of(ZINC_FLOAT32), x, y));
	assert_false(zinc_missing_same(zinc_dtype_of(ZINC_INT32), x, y));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_both_ways),
	    cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
