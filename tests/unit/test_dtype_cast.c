/*
 * test_dtype_cast.c - elements of one type to another of the same sort
 */
#include <stdlib.h>
#include <string.h>

#include "support/sweep.h"
#include "support/test.h"
#include "support/types.h"

/* Elements are written as fill values: one of `from` -> one of `to`, as JSON. */
static void
casts(void **state)
{
	static const struct {
		const char *from, *in, *to, *out; /* NULL: E_RANGE */
	} rows[] = {
	    {"int8", "-5", "float64", "-5.0"},
	    {"float64", "3.0", "uint8", "3"},
	    {"float64", "3.5", "uint8", NULL},
	    {"int16", "300", "uint8", NULL},
	    {"bool", "true", "bool", "true"},
	    {"float32", "1.5", "complex64", "[1.5,0.0]"},
	    {"r24", "[1, 2, 3]", "r24", "[1,2,3]"},
	    {"M8[s]", "3", "M8[ms]", "3000"},
	    {"M8[ms]", "3", "M8[s]", NULL},
	    {"m8[D]", "14", "m8[W]", "2"},
	    {"m8[D]", "\"NaT\"", "m8[as]", "\"NaT\""},
	    {"U3", "\"a\xc3\xa9\"", "U5", "\"a\xc3\xa9\""},
	    {"U5", "\"a\xc3\xa9\"", "U2", "\"a\xc3\xa9\""},
	    {"U5", "\"abc\"", "U2", NULL},
	    {"U3", "\"a\xc3\xa9\"", "string", "\"a\xc3\xa9\""},
	    {"U3", "\"\"", "string", "\"\""},
	    {"string", "\"a\xc3\xa9\"", "U2", "\"a\xc3\xa9\""},
	    {"string", "\"abc\"", "U2", NULL},
	    {"string", "\"a\\u0000\"", "U4", NULL}, /* would be read back without its zero */
	    {"string", "\"a\\u0000b\"", "U4", "\"a\\u0000b\""},
	    {"string", "\"abc\"", "string", "\"abc\""},
	    {"S2", "\"YWI=\"", "S5", "\"YWI=\""},
	    {"S5", "\"YWI=\"", "S2", "\"YWI=\""},
	    {"S5", "\"YWJj\"", "S2", NULL},
	    {"S5", "\"YWJj\"", "bytes", "\"YWJj\""},
	    {"bytes", "\"YWJj\"", "S3", "\"YWJj\""},
	    {"bytes", "\"YWJj\"", "S2", NULL},
	    {"bytes", "\"YQA=\"", "S3", NULL},
	    {"bytes", "\"\"", "S3", "\"\""},
	    {"bytes", "\"AAH/\"", "bytes", "\"AAH/\""},
	    {"[['a','<i2'],['b','<U3']]", "{\"a\": 1, \"b\": \"x\"}", "[['a','<f8'],['b','<U9']]",
	     "{\"a\":1.0,\"b\":\"x\"}"},
	    {"[['a','<i2'],['b','<U3']]", "{\"a\": 1, \"b\": \"xyz\"}", "[['a','<f8'],['b','<U2']]", NULL},
	    {"[['a','<i2',[2]]]", "{\"a\": [1, 2]}", "[['a','<i4',[2]]]", "{\"a\":[1,2]}"},
	    {"[['n',[['a','<M8[s]']]]]", "{\"n\": {\"a\": 1}}", "[['n',[['a','<M8[ms]']]]]", "{\"n\":{\"a\":1000}}"},
	};
	zinc_arena *arena = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t out[64];
	size_t i;

	(void)state;
	assert_ok(zinc_arena_new(&arena, NULL, 0, &err));
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *from = type_of(rows[i].from), *to = type_of(rows[i].to);
		void *in = type_fill(from, rows[i].in);
		zinc_status st;

		assert_non_null(in);
		st = zinc_dtype_cast(to, out, from, in, 1, 0, arena, &err);
		if (st != (rows[i].out ? ZINC_OK : ZINC_E_RANGE))
			fail_msg("%s %s -> %s: %s", rows[i].from, rows[i].in, rows[i].to, zinc_error_text(&err));
		if (rows[i].out)
			assert_string_equal(fill_json(to, out), rows[i].out);
		free(in);
		zinc_dtype_free(from);
		zinc_dtype_free(to);
	}
	zinc_arena_free(arena);
}

static void
types_that_differ_too_much(void **state)
{
	static const char *const rows[][2] = {
	    {"int8", "string"},
	    {"string", "int8"},
	    {"U3", "S3"},
	    {"S3", "string"},
	    {"string", "bytes"},
	    {"M8[s]", "m8[s]"},
	    {"M8[s]", "int64"},
	    {"int64", "M8[s]"},
	    {"r16", "r24"},
	    {"r16", "S2"},
	    {"bool", "int8"},
	    {"complex64", "float32"},
	    {"[['a','<i2']]", "[['b','<i2']]"},
	    {"[['a','<i2']]", "[['a','<i2'],['b','<i2']]"},
	    {"[['a','<i2']]", "[['a','|S2']]"},
	    {"[['a','<i2']]", "int16"},
	    {"[['a','<i2',[2]]]", "[['a','<i2',[3]]]"},
	    {"[['a','<i2',[2]]]", "[['a','<i2']]"},
	};
	uint8_t in[64] = {0}, out[64];
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *from = type_of(rows[i][0]), *to = type_of(rows[i][1]);

		if (zinc_dtype_cast(to, out, from, in, 1, 0, NULL, &err) != ZINC_E_INVALID)
			fail_msg("%s -> %s", rows[i][0], rows[i][1]);
		zinc_dtype_free(from);
		zinc_dtype_free(to);
	}
}

/* The element that does not fit is named, with its value; without an arena it is an error. */
static void
what_failed(void **state)
{
	const zinc_dtype *from = type_of("M8[s]"), *to = type_of("M8[D]"), *u = type_of("U3"), *s = type_of("string");
	const zinc_dtype *ints = type_of("[['a','<i8'],['b','<i8']]"), *floats = type_of("[['a','<f8'],['b','<f8']]");
	const int64_t in[3] = {86400, -86400, 86401}, odd[2] = {1, 9007199254740993};
	double pair[2];
	int64_t out[3] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen v;

	(void)state;
	assert_int_equal(zinc_dtype_cast(to, out, from, in, 3, 0, NULL, &err), ZINC_E_RANGE);
	assert_string_equal(err.text, "element 2, '1970-01-02T00:00:01', does not fit M8[D]");
	assert_int_equal(out[0], 1);
	assert_int_equal(out[1], -1);
	assert_int_equal(zinc_dtype_cast(s, &v, u, "abcdefghijkl", 1, 0, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_dtype_cast(floats, pair, ints, odd, 1, 0, NULL, &err), ZINC_E_RANGE);
	assert_non_null(strstr(err.text, "element 0, (1, 9007199254740993), does not fit struct exactly; ROUND"));
	assert_ok(zinc_dtype_cast(floats, pair, ints, odd, 1, ZINC_CONVERT_ROUND, NULL, &err));
	assert_true(pair[0] == 1 && pair[1] == 0x1p53);
	zinc_dtype_free(ints);
	zinc_dtype_free(floats);
	zinc_dtype_free(from);
	zinc_dtype_free(to);
	zinc_dtype_free(u);
	zinc_dtype_free(s);
}

static zinc_status
cast_text(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint32_t in[3] = {'a', 'b', 'c'};
	const zinc_dtype *from = NULL, *to = NULL;
	zinc_arena *arena = NULL;
	zinc_status st = zinc_arena_new(&arena, ctx, 0, err);
	zinc_vlen v;

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_dtype_parse_text(&from, NULL, ctx, "U3", err);
	if (st == ZINC_OK)
		st = zinc_dtype_parse_text(&to, NULL, ctx, "string", err);
	if (st == ZINC_OK)
		st = zinc_dtype_cast(to, &v, from, in, 1, 0, arena, err);
	zinc_dtype_free(from);
	zinc_dtype_free(to);
	zinc_arena_free(arena);
	return st;
}

static void
memory_may_be_out(void **state)
{
	(void)state;
	assert_true(sweep_alloc(cast_text, NULL) >= 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(casts),
	    cmocka_unit_test(types_that_differ_too_much),
	    cmocka_unit_test(what_failed),
	    cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
