/*
 * test_dtype_fill.c - the promises of dtype_fill.c, by number; rules M49-M58
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtype/element.h"
#include "support/findings.h"
#include "support/sweep.h"
#include "support/random.h"
#include "support/test.h"

static zinc_status
parse_as(const zinc_dtype *t, const char *json, bool strict, void *element, findings *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = json_of(json);
	zinc_report r;
	zinc_status st;

	findings_begin(s, &r, strict);
	st = t->ops->parse_fill(t, zinc_json_root(doc), element, &r, &err);
	assert_string_equal(r.pointer, "");
	assert_int_equal(err.code, st);
	zinc_json_free(doc);
	return st;
}

static const char *
print_as(const zinc_dtype *t, const void *element)
{
	zinc_json_doc *doc = json_new();

	return json_line(t->ops->print_fill(t, element, doc), doc);
}

/* ---- valid values: JSON, bits (for complex: both parts), and the printed form ---- */

static void
valid_forms(void **state)
{
	static const struct {
		zinc_type type;
		const char *json;
		uint64_t bits, more;
		const char *print; /* NULL: unchanged */
	} rows[] = {
	    {ZINC_BOOL, "true", 1, 0, NULL},
	    {ZINC_BOOL, "false", 0, 0, NULL},
	    {ZINC_INT8, "-128", 0x80, 0, NULL},
	    {ZINC_INT8, "127", 0x7f, 0, NULL},
	    {ZINC_INT8, "-0", 0, 0, "0"},
	    {ZINC_INT16, "-32768", 0x8000, 0, NULL},
	    {ZINC_INT32, "2147483647", 0x7fffffff, 0, NULL},
	    {ZINC_INT64, "-9223372036854775808", 0x8000000000000000, 0, NULL},
	    {ZINC_INT64, "9007199254740993", 9007199254740993, 0, NULL},
	    {ZINC_UINT8, "255", 255, 0, NULL},
	    {ZINC_UINT16, "65535", 65535, 0, NULL},
	    {ZINC_UINT32, "4294967295", 4294967295, 0, NULL},
	    {ZINC_UINT64, "18446744073709551615", UINT64_MAX, 0, NULL},
	    {ZINC_UINT64, "-0", 0, 0, "0"},
	    {ZINC_FLOAT64, "0", 0, 0, "0.0"},
	    {ZINC_FLOAT64, "-0.0", 0x8000000000000000, 0, NULL},
	    {ZINC_FLOAT64, "-0", 0x8000000000000000, 0, "-0.0"},
	    {ZINC_FLOAT64, "-0e5", 0x8000000000000000, 0, "-0.0"},
	    {ZINC_FLOAT64, "0.1", 0x3fb999999999999a, 0, NULL},
	    {ZINC_FLOAT64, "1e-400", 0, 0, "0.0"},
	    {ZINC_FLOAT64, "-1.5e300", 0xfe41eb2d66005835, 0, "-1.5e+300"},
	    {ZINC_FLOAT64, "5e-324", 1, 0, NULL},
	    {ZINC_FLOAT64, "\"NaN\"", 0x7ff8000000000000, 0, NULL},
	    {ZINC_FLOAT64, "\"Infinity\"", 0x7ff0000000000000, 0, NULL},
	    {ZINC_FLOAT64, "\"-Infinity\"", 0xfff0000000000000, 0, NULL},
	    {ZINC_FLOAT64, "\"0x7ff8000000000000\"", 0x7ff8000000000000, 0, "\"NaN\""},
	    {ZINC_FLOAT64, "\"0xfff8000000000000\"", 0xfff8000000000000, 0, NULL},
	    {ZINC_FLOAT64, "\"0x7FF0000000000001\"", 0x7ff0000000000001, 0, "\"0x7ff0000000000001\""},
	    {ZINC_FLOAT64, "\"0x0\"", 0, 0, "0.0"},
	    {ZINC_FLOAT64, "\"0x3ff0000000000000\"", 0x3ff0000000000000, 0, "1.0"},
	    {ZINC_FLOAT32, "0.1", 0x3dcccccd, 0, NULL},
	    {ZINC_FLOAT32, "16777217", 0x4b800000, 0, "16777216.0"},
	    {ZINC_FLOAT32, "3.4028235677973366e38", 0x7f7fffff, 0, "3.4028235e+38"}, /* below halfway to 2^128 */
	    {ZINC_FLOAT32, "\"NaN\"", 0x7fc00000, 0, NULL},
	    {ZINC_FLOAT32, "\"0x7fc00001\"", 0x7fc00001, 0, NULL},
	    {ZINC_FLOAT32, "\"0xff800001\"", 0xff800001, 0, NULL},
	    {ZINC_FLOAT32, "\"0x1\"", 1, 0, "1e-45"},
	    {ZINC_FLOAT32, "\"-Infinity\"", 0xff800000, 0, NULL},
	    {ZINC_FLOAT32, "-0.0", 0x80000000, 0, NULL},
	    {ZINC_FLOAT16, "\"NaN\"", 0x7e00, 0, NULL},
	    {ZINC_FLOAT16, "\"0x7e01\"", 0x7e01, 0, NULL},
	    {ZINC_FLOAT16, "\"Infinity\"", 0x7c00, 0, NULL},
	    {ZINC_FLOAT16, "0.1", 0x2e66, 0, NULL},
	    {ZINC_FLOAT16, "65504", 0x7bff, 0, "65500.0"},
	    {ZINC_FLOAT16, "-6e-08", 0x8001, 0, NULL},
	    {ZINC_COMPLEX64, "[1, -0.0]", 0x3f800000, 0x80000000, "[1.0,-0.0]"},
	    {ZINC_COMPLEX64, "[\"NaN\",\"0x7fc00001\"]", 0x7fc00000, 0x7fc00001, NULL},
	    {ZINC_COMPLEX128, "[\"-Infinity\",0.1]", 0xfff0000000000000, 0x3fb999999999999a, NULL},
	};
	uint8_t element[17], want[17];
	size_t i;
	findings s;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *t = zinc_dtype_of(rows[i].type);
		const bool complex = t->kind == ZINC_KIND_COMPLEX;

		memset(element, 0xee, sizeof element);
		memset(want, 0xee, sizeof want);
		zinc_bits_store(want, complex ? t->unit : t->size, rows[i].bits);
		if (complex)
			zinc_bits_store(want + t->unit, t->unit, rows[i].more);
		if (parse_as(t, rows[i].json, true, element, &s) != ZINC_OK)
			fail_msg("%s %s is refused: %s", t->name, rows[i].json, s.rule);
		assert_memory_equal(element, want, sizeof want);
		assert_int_equal(s.n, 0);
		assert_string_equal(print_as(t, element), rows[i].print ? rows[i].print : rows[i].json);
	}
}

/* ---- invalid values ---- */

static void
invalid_forms(void **state)
{
	static const struct {
		zinc_type type;
		const char *json, *rule, *pointer;
	} rows[] = {
	    {ZINC_BOOL, "2", "M49", ""},
	    {ZINC_BOOL, "-1", "M49", ""},
	    {ZINC_BOOL, "null", "M49", ""},
	    {ZINC_BOOL, "\"true\"", "M49", ""},
	    {ZINC_INT32, "1.0", "M50", ""},
	    {ZINC_INT32, "1e2", "M50", ""},
	    {ZINC_INT32, "null", "M50", ""},
	    {ZINC_INT32, "true", "M50", ""},
	    {ZINC_INT32, "\"1\"", "M50", ""},
	    {ZINC_INT32, "[1]", "M50", ""},
	    {ZINC_INT8, "128", "M51", ""},
	    {ZINC_INT8, "-129", "M51", ""},
	    {ZINC_INT16, "32768", "M51", ""},
	    {ZINC_INT32, "-2147483649", "M51", ""},
	    {ZINC_INT64, "9223372036854775808", "M51", ""},
	    {ZINC_UINT8, "256", "M51", ""},
	    {ZINC_UINT8, "-1", "M51", ""},
	    {ZINC_UINT64, "18446744073709551616", "M51", ""},
	    {ZINC_UINT64, "1000000000000000000000000000000000000000000000", "M51", ""},
	    {ZINC_FLOAT32, "null", "M52", ""},
	    {ZINC_FLOAT32, "true", "M52", ""},
	    {ZINC_FLOAT32, "[1]", "M52", ""},
	    {ZINC_FLOAT32, "\"1.0\"", "M52", ""},
	    {ZINC_FLOAT32, "\"nan\"", "M52", ""},
	    {ZINC_FLOAT32, "\"inf\"", "M52", ""},
	    {ZINC_FLOAT32, "\"+Infinity\"", "M52", ""},
	    {ZINC_FLOAT32, "\"-NaN\"", "M52", ""},
	    {ZINC_FLOAT32, "\"NaN\\u0000\"", "M52", ""},
	    {ZINC_FLOAT32, "\"0b01\"", "M52", ""},
	    {ZINC_FLOAT32, "\"0X7fc00001\"", "M52", ""},
	    {ZINC_FLOAT32, "\"\"", "M52", ""},
	    {ZINC_FLOAT32, "\"0x\"", "M55", ""},
	    {ZINC_FLOAT32, "\"0x7fc000001\"", "M55", ""},
	    {ZINC_FLOAT32, "\"0x000000001\"", "M55", ""},
	    {ZINC_FLOAT32, "\"0x7fc0000g\"", "M55", ""},
	    {ZINC_FLOAT32, "\"0x 1\"", "M55", ""},
	    {ZINC_FLOAT32, "\"0x-1\"", "M55", ""},
	    {ZINC_FLOAT32, "\"0x1\\u0000\"", "M55", ""},
	    {ZINC_FLOAT16, "\"0x17e00\"", "M55", ""},
	    {ZINC_FLOAT64, "\"0x7ff80000000000000\"", "M55", ""},
	    {ZINC_COMPLEX64, "1", "M56", ""},
	    {ZINC_COMPLEX64, "null", "M56", ""},
	    {ZINC_COMPLEX64, "[1]", "M56", ""},
	    {ZINC_COMPLEX64, "[1, 2, 3]", "M56", ""},
	    {ZINC_COMPLEX64, "[1, null]", "M52", "/1"},
	    {ZINC_COMPLEX64, "[\"x\", 1]", "M52", "/0"},
	    {ZINC_COMPLEX128, "[1, \"0x\"]", "M55", "/1"},
	};
	uint8_t element[16], before[16];
	size_t i;
	findings s;

	(void)state;
	memset(before, 0xee, sizeof before);
	for (i = 0; i < COUNT(rows); i++) {
		memset(element, 0xee, sizeof element);
		if (parse_as(zinc_dtype_of(rows[i].type), rows[i].json, false, element, &s) != ZINC_E_CORRUPT)
			fail_msg("%s %s is accepted", zinc_type_name(rows[i].type), rows[i].json);
		assert_int_equal(s.n, 1);
		assert_int_equal(s.severity, ZINC_SEVERITY_ERROR);
		assert_string_equal(s.rule, rows[i].rule);
		assert_string_equal(s.pointer, rows[i].pointer);
		assert_memory_equal(element, before, sizeof before);
	}
}

/* (5) */
static void
numbers_for_truth_values(void **state)
{
	uint8_t element;
	findings s;

	(void)state;
	for (uint8_t i = 0; i < 2; i++) {
		const char *json = i ? "1" : "0";

		element = 0xee;
		assert_int_equal(parse_as(zinc_dtype_of(ZINC_BOOL), json, true, &element, &s), ZINC_E_CORRUPT);
		assert_string_equal(s.rule, "M49");
		assert_int_equal(parse_as(zinc_dtype_of(ZINC_BOOL), json, false, &element, &s), ZINC_OK);
		assert_string_equal(s.rule, "M49");
		assert_int_equal(s.severity, ZINC_SEVERITY_WARNING);
		assert_int_equal(element, i);
	}
}

/* (4) */
static void
too_large_is_infinity_with_a_warning(void **state)
{
	static const struct {
		zinc_type type;
		const char *json;
		uint64_t bits;
	} rows[] = {
	    {ZINC_FLOAT64, "1e400", 0x7ff0000000000000},
	    {ZINC_FLOAT64, "-1e400", 0xfff0000000000000},
	    {ZINC_FLOAT64, "1e999999999999999999999", 0x7ff0000000000000},
	    {ZINC_FLOAT32, "1e39", 0x7f800000},
	    {ZINC_FLOAT32, "-1e400", 0xff800000},
	    {ZINC_FLOAT32, "3.4028235677973367e38", 0x7f800000}, /* above halfway to 2^128 */
	    {ZINC_FLOAT16, "65520", 0x7c00},
	    {ZINC_FLOAT16, "-1e5", 0xfc00},
	};
	uint8_t element[8];
	size_t i;
	findings s;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *t = zinc_dtype_of(rows[i].type);

		assert_int_equal(parse_as(t, rows[i].json, true, element, &s), ZINC_E_CORRUPT);
		assert_string_equal(s.rule, "M53");
		assert_int_equal(parse_as(t, rows[i].json, false, element, &s), ZINC_OK);
		assert_string_equal(s.rule, "M53");
		assert_int_equal(s.severity, ZINC_SEVERITY_WARNING);
		assert_true(zinc_bits_load(element, t->size) == rows[i].bits);
	}
}

/* ---- (2): rounding ---- */

static uint64_t
bits_of_decimal(zinc_type type, const char *json)
{
	uint8_t element[8];
	findings s;

	assert_int_equal(parse_as(zinc_dtype_of(type), json, false, element, &s), ZINC_OK);
	return zinc_bits_load(element, zinc_type_size(type));
}

static void
ties_by_hand(void **state)
{
	static const struct {
		zinc_type type;
		const char *json;
		uint64_t bits;
	} rows[] = {
	    /* 1 + 2^-24: halfway; the last digits decide, which no double can represent */
	    {ZINC_FLOAT32, "1.000000059604644775390625", 0x3f800000},
	    {ZINC_FLOAT32, "1.00000005960464477539062500000000000000000000000001", 0x3f800001},
	    {ZINC_FLOAT32, "1.00000005960464477539062499999999999999999999999999", 0x3f800000},
	    {ZINC_FLOAT32, "1.000000178813934326171875", 0x3f800002},
	    {ZINC_FLOAT32, "1.00000017881393432617187499999999999999999999999999", 0x3f800001},
	    {ZINC_FLOAT32, "-1.00000005960464477539062500000000000000000000000001", 0xbf800001},
	    {ZINC_FLOAT32, "100000005960464477539062500000000000000000000000001e-50", 0x3f800001},
	    {ZINC_FLOAT32, "0.0000100000005960464477539062500000000000000000000000001E+5", 0x3f800001},
	    /* 2^-150, half of the smallest; 150 places and more */
	    {ZINC_FLOAT32,
	     "7.006492321624085354618647916449580656401309709382578858785341419448955413429303007433190941810607910156"
	     "25e-46",
	     0},
	    {ZINC_FLOAT32,
	     "7.006492321624085354618647916449580656401309709382578858785341419448955413429303007433190941810607910156"
	     "250000000001e-46",
	     1},
	    {ZINC_FLOAT32, "7e-46", 0},
	    {ZINC_FLOAT32, "7.1e-46", 1},
	    {ZINC_FLOAT16, "1.00048828125", 0x3c00},
	    {ZINC_FLOAT16, "1.000488281250000000000000000000000001", 0x3c01},
	    {ZINC_FLOAT16, "1.000488281249999999999999999999999999", 0x3c00},
	    {ZINC_FLOAT16, "1.00146484375", 0x3c02},
	    {ZINC_FLOAT16, "2049", 0x6800},
	    {ZINC_FLOAT16, "2049.00000000000000000000000000001", 0x6801},
	    {ZINC_FLOAT16, "65519.99999999999999999999999999999", 0x7bff},
	    {ZINC_FLOAT16, "2.98023223876953125e-8", 0},
	    {ZINC_FLOAT16, "2.980232238769531250000000000000000001e-8", 1},
	    {ZINC_FLOAT64, "9007199254740993", 0x4340000000000000},
	    {ZINC_FLOAT64, "9007199254740993.00000000000000000000000001", 0x4340000000000001},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		if (bits_of_decimal(rows[i].type, rows[i].json) != rows[i].bits)
			fail_msg("%s %s gives %llx", zinc_type_name(rows[i].type), rows[i].json,
				 (unsigned long long)bits_of_decimal(rows[i].type, rows[i].json));
}

/* The decimal without its last place's unit. */
static void
decrement(char *text)
{
	size_t i = strlen(text);

	while (i-- > 0)
		if (text[i] == '0')
			text[i] = '9';
		else if (text[i] != '.') {
			text[i]--;
			return;
		}
}

/* Every middle between two halves, and a hair to both sides of it. */
static void
every_tie_of_halves(void **state)
{
	char text[128];
	uint32_t h;

	(void)state;
	for (h = 0; h < 0x7bff; h++) {
		const double a = zinc_half_to_float((uint16_t)h), b = zinc_half_to_float((uint16_t)(h + 1));

		snprintf(text, sizeof text, "%.50f", (a + b) / 2);
		assert_int_equal(bits_of_decimal(ZINC_FLOAT16, text), h + (h & 1));
		strncat(text, "1", sizeof text - strlen(text) - 1);
		assert_int_equal(bits_of_decimal(ZINC_FLOAT16, text), h + 1);
		decrement(text);
		decrement(text);
		assert_int_equal(bits_of_decimal(ZINC_FLOAT16, text), h);
	}
}

/* Middles between random floats, and small deviations; the C library also reads floats correctly. */
static void
ties_of_floats(void **state)
{
	char text[256];
	int i, hair;

	(void)state;
	for (i = 0; i < 800; i++) {
		const uint32_t u = (uint32_t)random_bits() % 0x7f7fffff;
		float a, b, want;

		memcpy(&a, &u, 4);
		b = nextafterf(a, INFINITY);
		for (hair = -1; hair <= 1; hair++) {
			snprintf(text, sizeof text, "%.160f", ((double)a + (double)b) / 2);
			if (hair < 0)
				decrement(text);
			if (hair > 0)
				text[strlen(text) - 1] = '1';
			want = strtof(text, NULL);
			assert_true(bits_of_decimal(ZINC_FLOAT32, text) == zinc_bits_load(&want, 4));
		}
	}
}

/* ---- (1): every pattern survives ---- */

static void
check_round_trip(const zinc_dtype *t, const uint8_t *element)
{
	uint8_t back[32] = {0};
	findings s;

	assert_int_equal(parse_as(t, print_as(t, element), true, back, &s), ZINC_OK);
	assert_memory_equal(back, element, t->size);
}

static void
all_patterns_survive(void **state)
{
	const zinc_dtype *raw;
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t element[16];
	zinc_type type;
	uint32_t i;

	(void)state;
	for (i = 0; i <= 0xffff; i++) {
		zinc_bits_store(element, 2, i);
		check_round_trip(zinc_dtype_of(ZINC_FLOAT16), element);
	}
	for (type = ZINC_INT8; type <= ZINC_COMPLEX128; type++)
		for (i = 0; i < 800; i++) {
			const uint64_t a = random_bits(), b = random_bits();

			memcpy(element, &a, 8);
			memcpy(element + 8, &b, 8);
			check_round_trip(zinc_dtype_of(type), element);
		}
	assert_ok(zinc_dtype_parse_text(&raw, NULL, NULL, "r80", &err));
	for (i = 0; i < 1000; i++) {
		const uint64_t a = random_bits();

		memcpy(element, &a, 8);
		check_round_trip(raw, element);
	}
	zinc_dtype_free(raw);
}

/* ---- r* ---- */

static void
raw_bytes(void **state)
{
	static const struct {
		const char *json;
		const char *want; /* NULL: M57 */
	} rows[] = {
	    {"[0, 1, 255]", "\0\1\xff"},
	    {"[0, 1]", NULL},
	    {"[0, 1, 2, 3]", NULL},
	    {"[0, 1, 256]", NULL},
	    {"[0, 1, -1]", NULL},
	    {"[0, 1, 1.0]", NULL},
	    {"[0, 1, null]", NULL},
	    {"[]", NULL},
	    {"\"AAEC\"", NULL},
	    {"null", NULL},
	    {"0", NULL},
	    {"[-0, 0, 0]", "\0\0\0"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_dtype *t;
	uint8_t element[4];
	size_t i;
	findings s;

	(void)state;
	assert_ok(zinc_dtype_parse_text(&t, NULL, NULL, "r24", &err));
	for (i = 0; i < COUNT(rows); i++) {
		memset(element, 0xee, sizeof element);
		assert_int_equal(parse_as(t, rows[i].json, false, element, &s),
				 rows[i].want ? ZINC_OK : ZINC_E_CORRUPT);
		if (rows[i].want)
			assert_memory_equal(element, rows[i].want, 3);
		else
			assert_string_equal(s.rule, "M57");
		assert_int_equal(element[3], 0xee);
	}
	assert_string_equal(print_as(t, "\0\1\xff"), "[0,1,255]");
	zinc_dtype_free(t);
}

static void
tokens_that_are_no_decimals(void **state)
{
	static const char *const texts[] = {"NaN", "Infinity", "-Infinity"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc;
	zinc_report r;
	double d;
	size_t i;

	(void)state;
	zinc_report_init(&r, NULL, false, "test");
	for (i = 0; i < COUNT(texts); i++) {
		const zinc_dtype *t = zinc_dtype_of(ZINC_FLOAT64);

		assert_ok(zinc_json_parse(&doc, NULL, texts[i], strlen(texts[i]), ZINC_JSON_NAN_TOKENS, &err));
		assert_int_equal(t->ops->parse_fill(t, zinc_json_root(doc), &d, &r, NULL), ZINC_E_CORRUPT);
		zinc_json_free(doc);
	}
}

/* ---- memory that is out ---- */

static zinc_status
print_all(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char *const names[] = {"bool",    "int8",    "uint64",     "float16",
					    "float32", "float64", "complex128", "r24"};
	static const double zeros[2] = {-0.5, 1e300};
	zinc_json_doc *doc;
	zinc_status st;
	size_t i;

	(void)arg;
	ZINC_TRY(zinc_json_new(&doc, ctx, err));
	st = ZINC_OK;
	for (i = 0; i < COUNT(names) && st == ZINC_OK; i++) {
		const zinc_dtype *t;

		st = zinc_dtype_parse_text(&t, NULL, ctx, names[i], err);
		if (st == ZINC_OK && (!t->ops->print_fill(t, zeros, doc) || !zinc_dtype_print(t, doc)))
			st = zinc_fail_nomem(err);
		if (t)
			zinc_dtype_free(t);
	}
	zinc_json_free(doc);
	return st;
}

static void
every_allocation_may_fail(void **state)
{
	(void)state;
	assert_true(sweep_alloc(print_all, NULL) >= 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(valid_forms),
	    cmocka_unit_test(invalid_forms),
	    cmocka_unit_test(too_large_is_infinity_with_a_warning),
	    cmocka_unit_test(numbers_for_truth_values),
	    cmocka_unit_test(ties_by_hand),
	    cmocka_unit_test(every_tie_of_halves),
	    cmocka_unit_test(ties_of_floats),
	    cmocka_unit_test(all_patterns_survive),
	    cmocka_unit_test(raw_bytes),
	    cmocka_unit_test(tokens_that_are_no_decimals),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
