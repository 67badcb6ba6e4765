/*
 * test_dtype_fixed.c - texts and bytes of a fixed length
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sweep.h"
#include "support/test.h"
#include "support/types.h"

#define TYPE(name, n) "{\"name\":\"" name "\",\"configuration\":{\"length_bytes\":" n "}}"

static void
names(void **state)
{
	static const struct {
		const char *json, *v2;
		zinc_kind kind;
		zinc_type type;
		uint32_t size, unit;
	} rows[] = {
	    {TYPE("fixed_length_utf32", "4"), "U1", ZINC_KIND_UTF32, ZINC_NATIVE, 4, 4},
	    {TYPE("fixed_length_utf32", "40"), "U10", ZINC_KIND_UTF32, ZINC_NATIVE, 40, 4},
	    {TYPE("null_terminated_bytes", "1"), "S1", ZINC_KIND_CHARS, ZINC_NATIVE, 1, 1},
	    {TYPE("null_terminated_bytes", "300"), "S300", ZINC_KIND_CHARS, ZINC_NATIVE, 300, 1},
	    {TYPE("raw_bytes", "5"), "V5", ZINC_KIND_RAW, ZINC_RAW, 5, 1},
	};
	const zinc_dtype *t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(type_parse(&t, rows[i].json, true), ZINC_OK);
		assert_string_equal(type_json(t), rows[i].json);
		assert_string_equal(t->v2, rows[i].v2);
		assert_int_equal(t->kind, rows[i].kind);
		assert_int_equal(t->type, rows[i].type);
		assert_int_equal(t->size, rows[i].size);
		assert_int_equal(t->bits, rows[i].size * 8);
		assert_int_equal(t->unit, rows[i].unit);
		zinc_dtype_free(t);
		t = type_of(rows[i].v2);
		if (rows[i].kind != ZINC_KIND_RAW) /* V5 is r40, of the core */
			assert_string_equal(type_json(t), rows[i].json);
		zinc_dtype_free(t);
	}
}

static void
configurations(void **state)
{
	static const struct {
		const char *json;
		zinc_status status;
		const char *rule;
	} rows[] = {
	    {TYPE("fixed_length_utf32", "0"), ZINC_E_CORRUPT, "fixed_length_utf32"},
	    {TYPE("fixed_length_utf32", "6"), ZINC_E_CORRUPT, "fixed_length_utf32"},
	    {TYPE("fixed_length_utf32", "-4"), ZINC_E_CORRUPT, "fixed_length_utf32"},
	    {TYPE("fixed_length_utf32", "4.0"), ZINC_E_CORRUPT, "fixed_length_utf32"},
	    {TYPE("fixed_length_utf32", "\"4\""), ZINC_E_CORRUPT, "fixed_length_utf32"},
	    {TYPE("fixed_length_utf32", "8589934592"), ZINC_E_LIMIT, ""},
	    {TYPE("null_terminated_bytes", "0"), ZINC_E_CORRUPT, "null_terminated_bytes"},
	    {TYPE("raw_bytes", "18446744073709551615"), ZINC_E_LIMIT, ""},
	    {"{\"name\":\"raw_bytes\",\"configuration\":{}}", ZINC_E_CORRUPT, "raw_bytes"},
	    {"{\"name\":\"raw_bytes\",\"configuration\":{\"length_bytes\":1,\"x\":0}}", ZINC_E_CORRUPT, "raw_bytes"},
	    {"\"fixed_length_utf32\"", ZINC_E_CORRUPT, "M14"},
	};
	static const char *const wrong[] = {"U", "U0", "U-1", "U1x", "S", "S0", "S 3", "U01"};
	const zinc_dtype *t;
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(type_parse(&t, rows[i].json, true), rows[i].status);
		assert_string_equal(found.rule, rows[i].rule);
	}
	for (i = 0; i < COUNT(wrong); i++)
		if (zinc_dtype_parse_text(&t, NULL, NULL, wrong[i], &err) != ZINC_E_INVALID)
			fail_msg("%s: %s", wrong[i], zinc_error_text(&err));
	assert_int_equal(zinc_dtype_parse_text(&t, NULL, NULL, "U99999999999999999999999999", &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_dtype_parse_text(&t, NULL, NULL, "S99999999999999999999999999", &err), ZINC_E_LIMIT);
}

static void
utf32_fills(void **state)
{
	const zinc_dtype *t = type_of("U3");
	uint32_t *v;

	(void)state;
	v = type_fill(t, "\"a\xc3\xa9\"");
	assert_int_equal(v[0], 'a');
	assert_int_equal(v[1], 0xe9);
	assert_int_equal(v[2], 0);
	assert_string_equal(fill_json(t, v), "\"a\xc3\xa9\"");
	assert_string_equal(fill_v2(t, true, v), "\"a\xc3\xa9\"");
	assert_string_equal(element_text(t, v, ZINC_SPELL_TEXT), "a\xc3\xa9");
	assert_string_equal(element_text(t, v, ZINC_SPELL_REPR), "'a\xc3\xa9'");
	assert_string_equal(element_text(t, v, ZINC_SPELL_JSON), "\"a\xc3\xa9\"");
	free(v);
	v = type_fill(t, "\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"");
	assert_int_equal(v[2], 0x1f600);
	free(v);
	v = type_fill(t, "\"\"");
	assert_string_equal(fill_json(t, v), "\"\"");
	free(v);
	v = type_fill(t, "\"a\\u0000b\""); /* only zeros at the end are not part of a text */
	assert_string_equal(fill_json(t, v), "\"a\\u0000b\"");
	free(v);
	assert_null(type_fill(t, "\"abcd\""));
	assert_string_equal(found.rule, "M59");
	assert_null(type_fill(t, "7"));
	assert_string_equal(found.rule, "M59");
	zinc_dtype_free(t);
}

static void
byte_fills(void **state)
{
	static const char *const wrong[] = {"\"YWJjZA==\"", "\"YWJj!\"", "\"Y\"", "7", "[97]", "null"};
	const zinc_dtype *s = type_of("S3"), *v;
	uint8_t *p;
	size_t i;

	(void)state;
	assert_int_equal(type_parse(&v, TYPE("raw_bytes", "3"), true), ZINC_OK);
	p = type_fill(s, "\"YWI=\"");
	assert_memory_equal(p, "ab\0", 3);
	assert_string_equal(fill_json(s, p), "\"YWI=\"");
	assert_string_equal(fill_v2(s, false, p), "\"YWI=\"");
	assert_string_equal(element_text(s, p, ZINC_SPELL_TEXT), "ab");
	assert_string_equal(element_text(s, p, ZINC_SPELL_REPR), "b'ab'");
	assert_string_equal(element_text(s, p, ZINC_SPELL_JSON), "\"ab\"");
	free(p);
	p = type_fill(s, "\"\"");
	assert_memory_equal(p, "\0\0", 3);
	assert_string_equal(fill_json(s, p), "\"\"");
	free(p);
	p = type_fill(v, "\"AAH/\"");
	assert_memory_equal(p, "\0\1\xff", 3);
	assert_string_equal(fill_json(v, p), "\"AAH/\"");
	assert_string_equal(fill_v2(v, false, p), "\"AAH/\"");
	assert_string_equal(element_text(v, p, ZINC_SPELL_TEXT), "b'\\x00\\x01\\xFF'");
	assert_string_equal(element_text(v, p, ZINC_SPELL_JSON), "\"AAH/\"");
	free(p);
	assert_null(type_fill(v, "\"AAE=\"")); /* bytes without meaning must all be there */
	assert_string_equal(found.rule, "M59");
	for (i = 0; i < COUNT(wrong); i++) {
		assert_null(type_fill(s, wrong[i]));
		assert_string_equal(found.rule, "M59");
		assert_null(type_fill(v, wrong[i]));
	}
	zinc_dtype_free(s);
	zinc_dtype_free(v);
}

/* Any contents of memory, from any source. */
static void
not_unicode(void **state)
{
	static const uint32_t wrong[] = {'a', 0x110000};
	const zinc_dtype *t = type_of("U2");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc;
	char text[32];
	zinc_buf b;

	(void)state;
	zinc_buf_wrap(&b, text, sizeof text);
	assert_int_equal(t->ops->print(t, wrong, ZINC_SPELL_JSON, &b, &err), ZINC_E_CORRUPT);
	assert_ok(zinc_json_new(&doc, NULL, &err));
	assert_null(t->ops->print_fill(t, wrong, doc));
	zinc_json_free(doc);
	zinc_dtype_free(t);
}

static void
swaps(void **state)
{
	const zinc_dtype *u = type_of("U2"), *s = type_of("S4");
	const uint8_t in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	uint8_t out[8];

	(void)state;
	zinc_dtype_swap(u, out, in, 1);
	assert_memory_equal(out, ((uint8_t[]){4, 3, 2, 1, 8, 7, 6, 5}), 8);
	zinc_dtype_swap(s, out, in, 2);
	assert_memory_equal(out, in, 8);
	zinc_dtype_free(u);
	zinc_dtype_free(s);
}

static zinc_status
parse_and_print(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint32_t text[4] = {'a', 'b'};
	zinc_json_doc *doc;
	const zinc_dtype *t;
	zinc_status st;

	ZINC_TRY(zinc_dtype_parse_text(&t, NULL, ctx, arg, err));
	st = zinc_json_new(&doc, ctx, err);
	if (st == ZINC_OK) {
		if (!zinc_dtype_print(t, doc) || !t->ops->print_fill(t, text, doc) ||
		    !zinc_dtype_print_fill_v2(t, false, text, doc))
			st = zinc_fail_nomem(err);
		zinc_json_free(doc);
	}
	zinc_dtype_free(t);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static char u[] = "<U4", s[] = "|S16", v[] = TYPE("raw_bytes", "16");

	(void)state;
	assert_true(sweep_alloc(parse_and_print, u) >= 4);
	assert_true(sweep_alloc(parse_and_print, s) >= 4);
	assert_true(sweep_alloc(parse_and_print, v) >= 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names),
	    cmocka_unit_test(configurations),
	    cmocka_unit_test(utf32_fills),
	    cmocka_unit_test(byte_fills),
	    cmocka_unit_test(not_unicode),
	    cmocka_unit_test(swaps),
	    cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
