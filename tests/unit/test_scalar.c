/*
 * test_scalar.c - numbers of a configuration: the promises of scalar.c, by number
 */
#include "codec/codec_parts.h"
#include "support/test.h"

/* Parse `json` as a number of the type; `findings` of them all. */
static zinc_status
parse(zinc_type type, const char *json, bool strict, uint64_t *bits, unsigned *findings)
{
	zinc_context *ctx = NULL;
	zinc_json_doc *doc = NULL;
	const zinc_dtype *t = zinc_dtype_of(type);
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t element = 0;
	zinc_report r;
	zinc_status st;

	assert_ok(zinc_context_new(&ctx, NULL, &err));
	assert_ok(zinc_json_parse(&doc, ctx, json, strlen(json), 0, &err));
	zinc_report_init(&r, ctx, strict, "test");
	st = zinc_scalar_parse(t, zinc_json_root(doc), "rule", &element, &r, &err);
	*bits = zinc_bits_get(&element, t->size);
	*findings = r.warnings + r.errors;
	if (st != ZINC_OK)
		assert_string_equal(err.rule, "rule");
	zinc_json_free(doc);
	zinc_context_free(ctx);
	return st;
}

static void
gives(zinc_type type, const char *json, uint64_t want, unsigned findings)
{
	uint64_t bits;
	unsigned found;

	if (parse(type, json, false, &bits, &found) != ZINC_OK || bits != want || found != findings)
		fail_msg("%s: %llx, %u findings", json, (unsigned long long)bits, found);
	assert_int_equal(parse(type, json, true, &bits, &found), findings ? ZINC_E_CORRUPT : ZINC_OK);
}

static void
refused(zinc_type type, const char *json)
{
	uint64_t bits;
	unsigned found;

	if (parse(type, json, false, &bits, &found) != ZINC_E_CORRUPT)
		fail_msg("%s: %llx", json, (unsigned long long)bits);
	assert_int_equal(found, 1);
}

/* (1) */
static void
fill_values(void **state)
{
	(void)state;
	gives(ZINC_INT8, "-5", 0xfb, 0);
	gives(ZINC_UINT64, "18446744073709551615", UINT64_MAX, 0);
	gives(ZINC_FLOAT16, "0.1", 0x2e66, 0);
	gives(ZINC_FLOAT32, "\"NaN\"", 0x7fc00000, 0);
	gives(ZINC_FLOAT32, "\"-Infinity\"", 0xff800000, 0);
	gives(ZINC_FLOAT32, "\"0x7fc00001\"", 0x7fc00001, 0);
}

/* (2) */
static void
other_spellings(void **state)
{
	(void)state;
	gives(ZINC_INT8, "\"-5\"", 0xfb, 1);
	gives(ZINC_INT8, "-5.0", 0xfb, 1);
	gives(ZINC_INT8, "\"-5.0\"", 0xfb, 1);
	gives(ZINC_INT8, "1e2", 100, 1);
	gives(ZINC_UINT64, "\"18446744073709551615\"", UINT64_MAX, 1);
	gives(ZINC_FLOAT64, "\"0.1\"", 0x3fb999999999999a, 1);
	gives(ZINC_FLOAT16, "\"+Infinity\"", 0x7c00, 1);
}

/* (3), and what no spelling makes a number */
static void
no_numbers(void **state)
{
	(void)state;
	refused(ZINC_INT8, "0.5");
	refused(ZINC_INT8, "128");
	refused(ZINC_INT8, "128.0");
	refused(ZINC_INT8, "\"+Infinity\"");
	refused(ZINC_INT64, "9007199254740993.0");
	refused(ZINC_INT64, "1e400");
	refused(ZINC_FLOAT32, "1e400");
	refused(ZINC_FLOAT32, "\"1e400\"");
	refused(ZINC_FLOAT32, "\"[1]\"");
	refused(ZINC_FLOAT32, "\"\"");
	refused(ZINC_FLOAT32, "\"0x\"");
	refused(ZINC_FLOAT32, "\"1\\u0000\"");
	refused(ZINC_FLOAT32, "null");
	refused(ZINC_FLOAT32, "true");
	refused(ZINC_FLOAT32, "[1]");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fill_values),
	    cmocka_unit_test(other_spellings),
	    cmocka_unit_test(no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
