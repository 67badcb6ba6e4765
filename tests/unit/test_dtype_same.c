/*
 * test_dtype_same.c - types that are the same under two names, and types that only look the same
 */
#include <string.h>

#include "support/sweep.h"
#include "support/test.h"
#include "support/types.h"

#define RAW(n)            "{\"name\":\"raw_bytes\",\"configuration\":{\"length_bytes\":" n "}}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"data_type\":" type "}"
#define STRUCT(fields)    "{\"name\":\"struct\",\"configuration\":{\"fields\":[" fields "]}}"
#define SHAPED(type, shape)                                                                                            \
	"{\"name\":\"zinc.subarray\",\"configuration\":{\"data_type\":" type ",\"shape\":" shape "}}"

static void
same(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
	    {"\"r24\"", "\"r24\"", true},
	    {"\"r24\"", RAW("3"), true},
	    {RAW("3"), RAW("3"), true},
	    {"\"r24\"", RAW("24"), false},
	    {"\"r24\"", "\"r32\"", false},
	    {RAW("1"), "\"uint8\"", false},
	    {RAW("3"), "{\"name\":\"null_terminated_bytes\",\"configuration\":{\"length_bytes\":3}}", false},
	    {"\"float32\"", "\"float32\"", true},
	    {"\"float32\"", "\"int32\"", false},
	    {STRUCT(FIELD("a", "\"r24\"")), STRUCT(FIELD("a", RAW("3"))), true},
	    {STRUCT(FIELD("a", "\"r24\"")), STRUCT(FIELD("b", RAW("3"))), false},
	    {STRUCT(FIELD("a", "\"r24\"")), STRUCT(FIELD("a", RAW("4"))), false},
	    {STRUCT(FIELD("a", "\"r8\"")), STRUCT(FIELD("a", "\"r8\"") "," FIELD("b", "\"r8\"")), false},
	    {STRUCT(FIELD("a", "\"int8\"") "," FIELD("b", "\"r8\"")),
	     STRUCT(FIELD("a", "\"uint8\"") "," FIELD("b", "\"r8\"")), false},
	    {STRUCT(FIELD("a", "\"r24\"")), RAW("3"), false},
	    {STRUCT(FIELD("a", SHAPED("\"r24\"", "[2,3]"))), STRUCT(FIELD("a", SHAPED(RAW("3"), "[2,3]"))), true},
	    {STRUCT(FIELD("a", SHAPED("\"r24\"", "[2,3]"))), STRUCT(FIELD("a", SHAPED(RAW("3"), "[3,2]"))), false},
	    {STRUCT(FIELD("a", SHAPED("\"r24\"", "[6]"))), STRUCT(FIELD("a", SHAPED(RAW("3"), "[3,2]"))), false},
	    {STRUCT(FIELD("a", SHAPED("\"r24\"", "[2]"))), STRUCT(FIELD("a", SHAPED("\"r16\"", "[2]"))), false},
	};
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_dtype *a, *b;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		bool there, back;

		assert_int_equal(type_parse(&a, rows[i].a, false), ZINC_OK);
		assert_int_equal(type_parse(&b, rows[i].b, false), ZINC_OK);
		assert_ok(zinc_dtype_same(a, b, NULL, &there, &err));
		assert_ok(zinc_dtype_same(b, a, NULL, &back, &err));
		if (there != rows[i].same || back != rows[i].same)
			fail_msg("%s, %s: %d %d", rows[i].a, rows[i].b, there, back);
		zinc_dtype_free(a);
		zinc_dtype_free(b);
	}
}

/* The storage of fields is not part of the type. */
static void
byte_orders(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_dtype *a, *b;
	bool big, one = false;

	(void)state;
	assert_int_equal(type_parse_v2(&a, &big, "[[\"x\",\"<i4\"],[\"y\",\">i4\"]]"), ZINC_OK);
	assert_int_equal(type_parse_v2(&b, &big, "[[\"x\",\"<i4\"],[\"y\",\"<i4\"]]"), ZINC_OK);
	assert_true(a->mixed);
	assert_ok(zinc_dtype_same(a, b, NULL, &one, &err));
	assert_true(one);
	zinc_dtype_free(a);
	zinc_dtype_free(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(same),
	    cmocka_unit_test(byte_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
