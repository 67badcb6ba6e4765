/*
 * test_dtype_vlen.c - string and bytes: names, fill values with their own memory, text
 */
#include <stdlib.h>
#include <string.h>

#include "support/sweep.h"
#include "support/test.h"
#include "support/types.h"

static void
names(void **state)
{
	static const struct {
		const char *json, *name;
		zinc_kind kind;
		bool old;
	} rows[] = {
	    {"\"string\"", "string", ZINC_KIND_STRING, false},
	    {"\"bytes\"", "bytes", ZINC_KIND_BYTES, false},
	    {"\"variable_length_bytes\"", "bytes", ZINC_KIND_BYTES, true},
	    {"\"binary\"", "bytes", ZINC_KIND_BYTES, true},
	    {"{\"name\":\"string\"}", "string", ZINC_KIND_STRING, false},
	};
	const zinc_dtype *t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(type_parse(&t, rows[i].json, false), ZINC_OK);
		assert_int_equal(found.n, rows[i].old);
		assert_string_equal(t->name, rows[i].name);
		assert_int_equal(t->kind, rows[i].kind);
		assert_true(t->variable);
		assert_int_equal(t->size, sizeof(zinc_vlen));
		assert_string_equal(type_v2(t, false), "\"|O\"");
		assert_true(zinc_dtype_has_v2(t));
		zinc_dtype_free(t);
	}
	assert_int_equal(type_parse(&t, "\"binary\"", true), ZINC_E_CORRUPT);
	assert_string_equal(found.rule, "M17");
	assert_int_equal(type_parse(&t, "{\"name\":\"string\",\"configuration\":{\"n\":1}}", true), ZINC_E_CORRUPT);
	assert_string_equal(found.rule, "string");
}

static void
string_fills(void **state)
{
	const zinc_dtype *t = type_of("string");
	zinc_vlen *v;

	(void)state;
	v = type_fill(t, "\"h\xc3\xa9llo \\u0000\"");
	assert_int_equal(v->nbytes, 8);
	assert_memory_equal(v->data, "h\xc3\xa9llo \0", 8);
	assert_string_equal(fill_json(t, v), "\"h\xc3\xa9llo \\u0000\"");
	assert_string_equal(element_text(t, v, ZINC_SPELL_REPR), "'h\xc3\xa9llo \\x00'");
	assert_string_equal(element_text(t, v, ZINC_SPELL_JSON), "\"h\xc3\xa9llo \\u0000\"");
	free(v);
	v = type_fill(t, "\"\"");
	assert_int_equal(v->nbytes, 0);
	assert_string_equal(fill_json(t, v), "\"\"");
	assert_string_equal(element_text(t, v, ZINC_SPELL_TEXT), "");
	free(v);
	v = type_fill_v2(t, false, "0"); /* zarr-python's default */
	assert_int_equal(v->nbytes, 0);
	free(v);
	assert_null(type_fill_v2(t, false, "1"));
	assert_null(type_fill(t, "0"));
	assert_string_equal(found.rule, "M59");
	assert_null(type_fill(t, "[97]"));
	zinc_dtype_free(t);
}

static void
byte_fills(void **state)
{
	static const char *const wrong[] = {"\"AQI*\"", "[256]", "[-1]", "[1.0]", "[\"a\"]", "3", "{}"};
	const zinc_dtype *t = type_of("bytes");
	zinc_vlen *v;
	size_t i;

	(void)state;
	v = type_fill(t, "\"AQID\"");
	assert_int_equal(v->nbytes, 3);
	assert_memory_equal(v->data, "\1\2\3", 3);
	assert_string_equal(fill_json(t, v), "\"AQID\"");
	assert_string_equal(element_text(t, v, ZINC_SPELL_TEXT), "b'\\x01\\x02\\x03'");
	assert_string_equal(element_text(t, v, ZINC_SPELL_JSON), "\"AQID\"");
	free(v);
	v = type_fill(t, "[1, 2, 255]");
	assert_memory_equal(v->data, "\1\2\xff", 3);
	assert_string_equal(fill_json(t, v), "\"AQL/\"");
	free(v);
	v = type_fill(t, "[]");
	assert_int_equal(v->nbytes, 0);
	assert_string_equal(fill_json(t, v), "\"\"");
	free(v);
	for (i = 0; i < COUNT(wrong); i++) {
		assert_null(type_fill(t, wrong[i]));
		assert_string_equal(found.rule, "M59");
	}
	zinc_dtype_free(t);
}

static void
zero_is_nothing(void **state)
{
	const zinc_dtype *t = type_of("string");
	zinc_vlen v;

	(void)state;
	memset(&v, 0xee, sizeof v);
	zinc_dtype_zero(t, &v);
	assert_int_equal(v.nbytes, 0);
	assert_string_equal(fill_json(t, &v), "\"\"");
	zinc_dtype_free(t);
}

static zinc_status
parse_and_print(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const zinc_vlen v = {"abc", 3};
	zinc_json_doc *doc;
	const zinc_dtype *t;
	zinc_status st;

	ZINC_TRY(zinc_dtype_parse_text(&t, NULL, ctx, arg, err));
	st = zinc_json_new(&doc, ctx, err);
	if (st == ZINC_OK) {
		if (!zinc_dtype_print(t, doc) || !t->ops->print_fill(t, &v, doc))
			st = zinc_fail_nomem(err);
		zinc_json_free(doc);
	}
	zinc_dtype_free(t);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static char s[] = "string", b[] = "bytes";

	(void)state;
	assert_true(sweep_alloc(parse_and_print, s) >= 3);
	assert_true(sweep_alloc(parse_and_print, b) >= 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names),           cmocka_unit_test(string_fills),      cmocka_unit_test(byte_fills),
	    cmocka_unit_test(zero_is_nothing), cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
