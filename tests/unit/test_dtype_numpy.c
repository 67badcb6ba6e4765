/*
 * test_dtype_numpy.c - the promises of dtype_numpy.c, by number
 */
#include <string.h>

#include "support/sweep.h"
#include "support/test.h"
#include "support/types.h"

/* (1), (2): Zarr v2's spelling, and .npy's as numpy.lib.format writes it */
static void
spellings(void **state)
{
	static const struct {
		const char *v2, *numpy;
		bool big;
		const char *one; /* in one byte order, where that is another */
	} rows[] = {
	    {"\"|b1\"", "'|b1'", false, NULL},
	    {"\"|u1\"", "'|u1'", false, NULL},
	    {"\"<i8\"", "'<i8'", false, NULL},
	    {"\">f2\"", "'>f2'", true, NULL},
	    {"\"<c16\"", "'<c16'", false, NULL},
	    {"\"|S3\"", "'|S3'", false, NULL},
	    {"\"<U4\"", "'<U4'", false, NULL},
	    {"\">U4\"", "'>U4'", true, NULL},
	    {"\"|V5\"", "'|V5'", false, NULL},
	    {"\"<M8[ns]\"", "'<M8[ns]'", false, NULL},
	    {"\">m8[10us]\"", "'>m8[10us]'", true, NULL},
	    {"\"<m8\"", "'<m8'", false, NULL},
	    {"[[\"a\",\"<i4\"]]", "[('a', '<i4')]", false, NULL},
	    {"[[\"a\",\"|u1\"],[\"b\",\">i4\"],[\"c\",\">f8\"]]", "[('a', '|u1'), ('b', '>i4'), ('c', '>f8')]", true,
	     NULL},
	    {"[[\"a\",\">i4\"],[\"b\",\"<i4\"],[\"c\",\">i4\"]]", "[('a', '>i4'), ('b', '<i4'), ('c', '>i4')]", true,
	     "[('a', '>i4'), ('b', '>i4'), ('c', '>i4')]"},
	    {"[[\"a\",[[\"x\",\"<i4\"],[\"y\",\">i4\"]]],[\"b\",\">i4\"]]",
	     "[('a', [('x', '<i4'), ('y', '>i4')]), ('b', '>i4')]", false,
	     "[('a', [('x', '<i4'), ('y', '<i4')]), ('b', '<i4')]"},
	    {"[[\"a\",\"<i2\",[2]],[\"b\",[[\"c\",\"|S2\",[2,3]]],[4]]]",
	     "[('a', '<i2', (2,)), ('b', [('c', '|S2', (2, 3))], (4,))]", false, NULL},
	    {"[[\"it's\",\"|u1\"],[\"a\\\"b\",\"|u1\"],[\"\xc3\xa9\",\"|u1\"],[\"a\\\\b\",\"|u1\"]]",
	     "[(\"it's\", '|u1'), ('a\"b', '|u1'), ('\xc3\xa9', '|u1'), ('a\\\\b', '|u1')]", false, NULL},
	};
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_dtype *t;
	bool big;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(type_parse_v2(&t, &big, rows[i].v2), ZINC_OK);
		assert_int_equal(big, rows[i].big);
		assert_string_equal(type_v2(t, big), rows[i].v2);
		assert_string_equal(type_numpy(t, big), rows[i].one ? rows[i].one : rows[i].numpy);
		assert_true(zinc_dtype_has_v2(t));
		zinc_dtype_free(t);
		assert_ok(zinc_dtype_parse_numpy(&t, &big, NULL, rows[i].numpy, &err));
		assert_int_equal(big, rows[i].big);
		assert_string_equal(type_v2(t, big), rows[i].v2);
		zinc_dtype_free(t);
		if (rows[i].v2[0] != '[')
			continue;
		assert_ok(zinc_dtype_parse_numpy(&t, &big, NULL, rows[i].v2, &err)); /* v2's JSON is also accepted */
		assert_string_equal(type_numpy(t, big), rows[i].one ? rows[i].one : rows[i].numpy);
		zinc_dtype_free(t);
	}
}

/* The other order of a mixed struct is mixed the other way round. */
static void
other_order(void **state)
{
	const zinc_dtype *t;
	bool big;

	(void)state;
	assert_int_equal(type_parse_v2(&t, &big, "[[\"a\",\">i4\"],[\"b\",\"<i4\"]]"), ZINC_OK);
	assert_string_equal(type_v2(t, false), "[[\"a\",\"<i4\"],[\"b\",\">i4\"]]");
	zinc_dtype_free(t);
}

static void
odd_python(void **state)
{
	static const struct {
		const char *text, *v2; /* NULL: wrong */
	} rows[] = {
	    {"<f4", "\"<f4\""},
	    {"'<f4'", "\"<f4\""},
	    {"\"<f4\"", "\"<f4\""},
	    {"=u1", "\"|u1\""},
	    {"[('a','<i4',(2,),),]", "[[\"a\",\"<i4\",[2]]]"},
	    {"[ ( 'a' , '<i4' , ( 2L , ) ) , ]", "[[\"a\",\"<i4\",[2]]]"},
	    {"[('\\x61\\u00e9\\U0001f600\\n', '|u1')]", "[[\"a\xc3\xa9\xf0\x9f\x98\x80\\n\",\"|u1\"]]"},
	    {"[('a', '<i4')", NULL},
	    {"('a', '<i4')", NULL},
	    {"[('a', '<i4'))]", NULL},
	    {"['a', '<i4']", NULL},
	    {"[('a',)]", NULL},
	    {"[('a', '<i4', (2,), 1)]", NULL},
	    {"[('a', '<i4', 2)]", NULL},
	    {"[('a', '<i4', (-2,))]", NULL},
	    {"[('a', '<i4', (0,))]", NULL},
	    {"[('a', '<i4'), ('a', '<i4')]", NULL},
	    {"[('', '|V4'), ('a', '<i4')]", NULL},
	    {"[('a, '<i4')]", NULL},
	    {"[('a\\q', '<i4')]", NULL},
	    {"[('a\\x6', '<i4')]", NULL},
	    {"[('a\\ud800', '<i4')]", NULL},
	    {"[('a\xff', '<i4')]", NULL},
	    {"['", NULL},
	    {"'<f4' or 1", NULL},
	    {"[[[[]]]]", NULL},
	    {"[]", NULL},
	    {"", NULL},
	};
	zinc_error err;
	const zinc_dtype *t;
	zinc_status st;
	bool big;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		err = (zinc_error)ZINC_ERROR_INIT;
		st = zinc_dtype_parse_numpy(&t, &big, NULL, rows[i].text, &err);
		if (st != (rows[i].v2 ? ZINC_OK : ZINC_E_INVALID))
			fail_msg("%s: %s", rows[i].text, zinc_error_text(&err));
		assert_int_equal(err.code, st);
		if (!rows[i].v2)
			continue;
		assert_string_equal(type_v2(t, big), rows[i].v2);
		zinc_dtype_free(t);
	}
	assert_int_equal(zinc_dtype_parse_numpy(&t, &big, NULL, "'|O'", &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_dtype_parse_numpy(&t, &big, NULL, "[('a', '|O')]", &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_dtype_parse_numpy(&t, &big, NULL, "'<f16'", &err), ZINC_E_UNSUPPORTED);
}

static void
odd_json(void **state)
{
	static const struct {
		const char *json;
		zinc_status status;
	} rows[] = {
	    {"null", ZINC_E_CORRUPT},
	    {"3", ZINC_E_CORRUPT},
	    {"{}", ZINC_E_CORRUPT},
	    {"\"\"", ZINC_E_CORRUPT},
	    {"\"<\"", ZINC_E_CORRUPT},
	    {"\"spam\"", ZINC_E_CORRUPT},
	    {"\"<f4\\u0000\"", ZINC_E_CORRUPT},
	    {"\"|O\"", ZINC_E_UNSUPPORTED},
	    {"\"<f16\"", ZINC_E_UNSUPPORTED},
	    {"[[\"a\", \"|O\"]]", ZINC_E_UNSUPPORTED},
	    {"[]", ZINC_E_CORRUPT},
	    {"[[\"a\"]]", ZINC_E_CORRUPT},
	    {"[[1, \"<i4\"]]", ZINC_E_CORRUPT},
	    {"[{\"a\": 1}]", ZINC_E_CORRUPT},
	    {"[[\"a\", \"<i4\", [2, \"3\"]]]", ZINC_E_CORRUPT},
	};
	const zinc_dtype *t;
	bool big;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		if (type_parse_v2(&t, &big, rows[i].json) != rows[i].status)
			fail_msg("%s: %s", rows[i].json, found.message);
}

static void
types_that_numpy_lacks(void **state)
{
	const zinc_dtype *t = type_of("string");
	zinc_error err = ZINC_ERROR_INIT;
	char text[32];
	zinc_buf b;

	(void)state;
	zinc_buf_wrap(&b, text, sizeof text);
	assert_int_equal(zinc_dtype_print_numpy(t, false, &b, &err), ZINC_E_UNSUPPORTED);
	zinc_dtype_free(t);
	assert_int_equal(
	    type_parse(&t,
		       "{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"a\",\"data_type\":{\"name\":"
		       "\"numpy.datetime64\",\"configuration\":{\"unit\":\"generic\",\"scale_factor\":2}}}]}}",
		       true),
	    ZINC_OK);
	assert_false(zinc_dtype_has_v2(t));
	zinc_buf_wrap(&b, text, sizeof text);
	assert_int_equal(zinc_dtype_print_numpy(t, false, &b, &err), ZINC_E_UNSUPPORTED);
	zinc_dtype_free(t);
}

static zinc_status
parse_and_print(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_dtype *t;
	zinc_status st;
	zinc_buf b;
	bool big;

	ZINC_TRY(zinc_dtype_parse_numpy(&t, &big, ctx, arg, err));
	zinc_buf_init(&b, ctx, 1000);
	st = zinc_dtype_print_numpy(t, big, &b, err);
	zinc_buf_fini(&b);
	zinc_dtype_free(t);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static char text[] = "[('a', '<i2', (2,)), ('b', [('c', '|S2', (2, 3))], (4,)), ('d', '>M8[s]')]";

	(void)state;
	assert_true(sweep_alloc(parse_and_print, text) >= 12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spellings),
	    cmocka_unit_test(other_order),
	    cmocka_unit_test(odd_python),
	    cmocka_unit_test(odd_json),
	    cmocka_unit_test(types_that_numpy_lacks),
	    cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
