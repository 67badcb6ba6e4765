/*
 * test_dtype_fill_v2.c - fill values of Zarr v2: old forms of other writers, and our form
 */
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "support/types.h"

static void
good(void **state)
{
	static const struct {
		const char *type;
		bool big;
		const char *in, *out; /* NULL: the same */
		const char *rule;     /* NULL: no finding */
	} rows[] = {
	    {"b1", 0, "true", NULL, NULL},
	    {"b1", 0, "false", NULL, NULL},
	    {"b1", 0, "1", "true", "M49"},
	    {"b1", 0, "0", "false", "M49"},
	    {"i1", 0, "-128", NULL, NULL},
	    {"u8", 1, "18446744073709551615", NULL, NULL},
	    {"i4", 0, "0.0", "0", "M50"},
	    {"i4", 0, "-3e2", "-300", "M50"},
	    {"f4", 0, "0.1", NULL, NULL},
	    {"f8", 1, "\"NaN\"", NULL, NULL},
	    {"f8", 0, "\"Infinity\"", NULL, NULL},
	    {"f2", 0, "\"-Infinity\"", NULL, NULL},
	    {"f8", 0, "NaN", "\"NaN\"", "M52"}, /* the token, where the document was read so */
	    {"f8", 0, "-Infinity", "\"-Infinity\"", "M52"},
	    {"f4", 0, "\"0x7fc00001\"", "\"NaN\"", NULL},
	    {"c8", 0, "[1.0,-2.5]", NULL, NULL},
	    {"c16", 0, "[\"NaN\",\"Infinity\"]", NULL, NULL},
	    {"c16", 0, "[NaN,Infinity]", "[\"NaN\",\"Infinity\"]", "M52"},
	    {"c8", 0, "0.5", "[0.5,0.0]", "M56"},
	    {"M8[ns]", 0, "-9223372036854775808", NULL, NULL},
	    {"M8[ns]", 1, "12", NULL, NULL},
	    {"m8[s]", 0, "\"NaT\"", "-9223372036854775808", NULL},
	    {"S3", 0, "\"YWI=\"", NULL, NULL},
	    {"S3", 0, "\"YWIA\"", "\"YWI=\"", NULL}, /* with its zero, as some wrote */
	    {"S3", 0, "\"\"", NULL, NULL},
	    {"U3", 1, "\"a\xc3\xa9\"", NULL, NULL},
	    {"V2", 0, "\"AQI=\"", NULL, NULL},
	    {"r16", 0, "\"AQI=\"", NULL, NULL},
	    {"[['a','<i2'],['b','|u1']]", 0, "\"AQID\"", NULL, NULL},
	    {"[['a','<i2'],['b','|u1']]", 1, "\"AQID\"", NULL, NULL},
	    {"string", 0, "\"spam\"", NULL, NULL},
	    {"S3", 0, "0", "\"\"", NULL}, /* nothing, of any type */
	    {"U3", 0, "0.0", "\"\"", NULL},
	    {"V2", 0, "0", "\"AAA=\"", NULL},
	    {"c8", 0, "0", "[0.0,0.0]", NULL},
	    {"[['a','<i2'],['b','|u1']]", 0, "0", "\"AAAA\"", NULL},
	    {"string", 0, "0", "\"\"", NULL},
	    {"bytes", 0, "\"AQID\"", NULL, NULL},
	    {"bytes", 0, "0", "\"\"", NULL},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *t = type_of(rows[i].type);
		void *v = type_fill_v2(t, rows[i].big, rows[i].in);

		if (!v)
			fail_msg("%s %s: %s", rows[i].type, rows[i].in, found.message);
		assert_string_equal(found.rule, rows[i].rule ? rows[i].rule : "");
		assert_string_equal(fill_v2(t, rows[i].big, v), rows[i].out ? rows[i].out : rows[i].in);
		free(v);
		zinc_dtype_free(t);
	}
}

static void
wrong(void **state)
{
	static const struct {
		const char *type, *in, *rule;
	} rows[] = {
	    {"b1", "2", "M49"},
	    {"b1", "\"true\"", "M49"},
	    {"i1", "128", "M51"},
	    {"i4", "0.5", "M50"},
	    {"i4", "1e300", "M50"},
	    {"i4", "NaN", "M50"},
	    {"f4", "\"nan\"", "M52"},
	    {"c8", "[1]", "M56"},
	    {"c8", "\"NaN\"", "M56"},
	    {"M8[s]", "\"2020\"", "M59"},
	    {"S3", "\"YWJjZA==\"", "M59"},
	    {"S3", "\"spam\\n\"", "M59"},
	    {"V2", "\"AQ==\"", "M59"},
	    {"V2", "[1, 2]", "M59"},
	    {"[['a','<i2'],['b','|u1']]", "\"AQI=\"", "M59"},
	    {"[['a','<i2'],['b','|u1']]", "{\"a\": 1, \"b\": 2}", "M59"},
	    {"[['a','<U1']]", "\"////fw==\"", "M59"},
	    {"[['b','|u1'],['a','<U1',[2]]]", "\"AWEAAAAA2AAA\"", "M59"},
	    {"string", "1", "M59"},
	    {"bytes", "\"AQI*\"", "M59"},
	    {"f8", "null", "M52"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *t = type_of(rows[i].type);

		if (type_fill_v2(t, false, rows[i].in) || strcmp(found.rule, rows[i].rule) != 0)
			fail_msg("%s %s: %s", rows[i].type, rows[i].in, found.rule);
		assert_int_equal(fill_status, ZINC_E_CORRUPT);
		zinc_dtype_free(t);
	}
}

/* The bytes are in the order of the type. */
static void
byte_order(void **state)
{
	const zinc_dtype *t = type_of("[['a','<i2'],['b','<i4']]");
	uint8_t *v = type_fill_v2(t, true, "\"AAEAAAAC\"");
	int16_t a;
	int32_t b;

	(void)state;
	memcpy(&a, v, 2);
	memcpy(&b, v + 2, 4);
	assert_int_equal(a, 1);
	assert_int_equal(b, 2);
	assert_string_equal(fill_v2(t, false, v), "\"AQACAAAA\"");
	free(v);
	zinc_dtype_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(good), cmocka_unit_test(wrong),
					   cmocka_unit_test(byte_order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
