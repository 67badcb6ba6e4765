/*
 * test_report.c - the promises of report.c, by number, and extension objects
 */
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "support/sweep.h"
#include "support/test.h"

typedef struct log {
	unsigned n;
	zinc_severity severity;
	char rule[16], pointer[600], message[600];
} log;

static void
note(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	log *l = arg;

	l->n++;
	l->severity = severity;
	snprintf(l->rule, sizeof l->rule, "%s", rule);
	snprintf(l->pointer, sizeof l->pointer, "%s", pointer);
	snprintf(l->message, sizeof l->message, "%s", message);
}

static unsigned warned;
static char warning[1024];

static void
warn(void *arg, const char *where, const char *text)
{
	(void)arg;
	warned++;
	snprintf(warning, sizeof warning, "%s: %s", where, text);
}

/* (1) */
static void
errors_name_rule_and_place(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_report r;
	size_t mark;

	(void)state;
	zinc_report_init(&r, NULL, false, "a/zarr.json");
	assert_int_equal(zinc_report_error(&r, "M2", &err, "not an object"), ZINC_E_CORRUPT);
	assert_string_equal(err.text, "not an object (rule M2)");
	mark = zinc_report_enter(&r, "fill_value");
	assert_int_equal(zinc_report_error(&r, "M49", &err, "must be %s", "true"), ZINC_E_CORRUPT);
	assert_string_equal(err.text, "must be true (rule M49, at /fill_value)");
	assert_int_equal(err.code, ZINC_E_CORRUPT);
	r.code = ZINC_E_INVALID;
	zinc_report_enter_item(&r, 12);
	assert_int_equal(zinc_report_error(&r, "M49", &err, "no"), ZINC_E_INVALID);
	assert_string_equal(err.text, "no (rule M49, at /fill_value/12)");
	zinc_report_leave(&r, mark);
	assert_string_equal(r.pointer, "");
	assert_int_equal(zinc_report_error(&r, "M1", NULL, "nobody listens"), ZINC_E_INVALID);
	assert_int_equal(r.errors, 4);
	assert_int_equal(r.warnings + r.unsupported, 0);
}

static void
pointers_are_escaped_and_cut(void **state)
{
	zinc_report r;
	size_t mark, i;

	(void)state;
	zinc_report_init(&r, NULL, false, "x");
	zinc_report_enter(&r, "a/b~c");
	assert_string_equal(r.pointer, "/a~1b~0c");
	mark = zinc_report_enter(&r, "");
	assert_string_equal(r.pointer, "/a~1b~0c/");
	for (i = 0; i < 1000; i++)
		zinc_report_enter(&r, "long/member");
	assert_int_equal(strlen(r.pointer), sizeof r.pointer - 1);
	zinc_report_leave(&r, mark);
	assert_string_equal(r.pointer, "/a~1b~0c");
}

/* (2), (3) */
static void
lenient_findings_warn_or_fail(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx;
	zinc_report r;
	log l = {0};

	(void)state;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.warn = warn), &err));
	warned = 0;
	zinc_report_init(&r, ctx, false, "a/zarr.json");
	zinc_report_enter(&r, "codecs");
	assert_ok(zinc_report_lenient(&r, "M13", &err, "odd name"));
	assert_int_equal(warned, 1);
	assert_string_equal(warning, "a/zarr.json: odd name (rule M13, at /codecs)");
	assert_int_equal(r.warnings, 1);
	assert_int_equal(err.code, ZINC_OK);

	r.found = note;
	r.arg = &l;
	assert_ok(zinc_report_lenient(&r, "M13", &err, "odd"));
	assert_int_equal(warned, 1);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.severity, ZINC_SEVERITY_WARNING);
	assert_string_equal(l.rule, "M13");
	assert_string_equal(l.pointer, "/codecs");
	assert_string_equal(l.message, "odd");

	r.strict = true;
	assert_int_equal(zinc_report_lenient(&r, "M15", &err, "odd"), ZINC_E_CORRUPT);
	assert_string_equal(err.text, "odd (rule M15, at /codecs)");
	assert_int_equal(l.severity, ZINC_SEVERITY_ERROR);
	assert_int_equal(r.errors, 1);
	assert_int_equal(r.warnings, 2);
	zinc_context_free(ctx);
}

/* (4) */
static void
the_first_unsupported_thing_is_kept(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char rule[ZINC_RULE_BYTES] = "", *first = NULL;
	bool failed = false;
	zinc_report r;
	log l = {0};

	(void)state;
	zinc_report_init(&r, NULL, true, "x");
	r.found = note;
	r.arg = &l;
	assert_int_equal(zinc_report_unsupported(&r, "M17", &err, "data type \"%s\"", "int2"), ZINC_E_UNSUPPORTED);
	assert_ok(zinc_report_conclude(&r, ZINC_E_UNSUPPORTED, &err, &first, rule, &failed, NULL));
	assert_int_equal(zinc_report_unsupported(&r, "M20", &err, "codec \"pcodec\""), ZINC_E_UNSUPPORTED);
	assert_ok(zinc_report_conclude(&r, ZINC_E_UNSUPPORTED, &err, &first, rule, &failed, NULL));
	assert_string_equal(first, "data type \"int2\" (rule M17)");
	assert_string_equal(rule, "M17");
	assert_false(failed);
	zinc_free(NULL, first);
	assert_string_equal(err.text, "codec \"pcodec\" (rule M20)");
	assert_int_equal(r.unsupported, 2);
	assert_int_equal(r.errors, 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.severity, ZINC_SEVERITY_UNSUPPORTED);
}

static void
long_messages_are_cut(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char long_text[3000];
	zinc_report r;

	(void)state;
	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	zinc_report_init(&r, NULL, true, "x");
	zinc_report_enter(&r, long_text);
	assert_int_equal(zinc_report_unsupported(&r, "M17", &err, "%s", long_text), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "(rule M17, at /xxx"));
	assert_int_equal(err.text[strlen(err.text) - 1], ')');
}

/* ---- extension objects ---- */

typedef struct seen {
	zinc_status status;
	char name[64];
	bool has_configuration, bare, ignorable;
	log l;
} seen;

static seen
parse(const char *text, bool strict)
{
	seen s = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc;
	zinc_extension e;
	zinc_report r;

	assert_ok(zinc_json_parse(&doc, NULL, text, strlen(text), 0, &err));
	zinc_report_init(&r, NULL, strict, "x");
	r.found = note;
	r.arg = &s.l;
	s.status = zinc_extension_parse(&e, zinc_json_root(doc), &r, &err);
	assert_string_equal(r.pointer, "");
	if (s.status == ZINC_OK) {
		snprintf(s.name, sizeof s.name, "%s", e.name);
		s.has_configuration = e.configuration != NULL;
		s.bare = e.bare;
		s.ignorable = e.ignorable;
	}
	zinc_json_free(doc);
	return s;
}

static void
extensions_that_pass(void **state)
{
	static const struct {
		const char *text, *name;
		bool configuration, bare, ignorable;
	} rows[] = {
	    {"\"gzip\"", "gzip", 0, 1, 0},
	    {"{\"name\":\"gzip\"}", "gzip", 0, 0, 0},
	    {"{\"name\":\"gzip\",\"configuration\":{}}", "gzip", 1, 0, 0},
	    {"{\"configuration\":{\"level\":1},\"name\":\"gzip\"}", "gzip", 1, 0, 0},
	    {"{\"name\":\"a-b_c.d9\",\"must_understand\":true}", "a-b_c.d9", 0, 0, 0},
	    {"{\"name\":\"gzip\",\"must_understand\":false}", "gzip", 0, 0, 1},
	    {"\"https://example.org/Codec\"", "https://example.org/Codec", 0, 1, 0},
	    {"\"urn:x\"", "urn:x", 0, 1, 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const seen s = parse(rows[i].text, true);

		assert_int_equal(s.status, ZINC_OK);
		assert_int_equal(s.l.n, 0);
		assert_string_equal(s.name, rows[i].name);
		assert_int_equal(s.has_configuration, rows[i].configuration);
		assert_int_equal(s.bare, rows[i].bare);
		assert_int_equal(s.ignorable, rows[i].ignorable);
	}
}

/* `lenient`: a warning unless strict; otherwise an error always. */
static void
extensions_that_break_rules(void **state)
{
	static const struct {
		const char *text, *rule, *pointer;
		bool lenient;
	} rows[] = {
	    {"1", "M11", "", 0},
	    {"null", "M11", "", 0},
	    {"[]", "M11", "", 0},
	    {"{}", "M11", "", 0},
	    {"{\"name\":1}", "M11", "", 0},
	    {"{\"name\":null,\"configuration\":{}}", "M11", "", 0},
	    {"{\"name\":\"gzip\",\"configuration\":null}", "M12", "/configuration", 0},
	    {"{\"name\":\"gzip\",\"configuration\":[]}", "M12", "/configuration", 0},
	    {"{\"name\":\"gzip\",\"configuration\":\"x\"}", "M12", "/configuration", 0},
	    {"\"GZip\"", "M13", "", 1},
	    {"\"g\"", "M13", "", 1},
	    {"\"\"", "M13", "", 1},
	    {"\"9zip\"", "M13", "", 1},
	    {"\"a/b\"", "M13", "", 1},
	    {"\"a b\"", "M13", "", 1},
	    {"\"gzip\\u0000\"", "M13", "", 0}, /* extension.c (1) */
	    {"{\"name\":\"gzip\\u0000x\"}", "M13", "", 0},
	    {"{\"name\":\"gzip\",\"level\":1}", "M11", "/level", 1},
	    {"{\"name\":\"gzip\",\"must_understand\":\"false\"}", "M11", "/must_understand", 1},
	    {"{\"name\":\"gzip\",\"must_understand\":null}", "M11", "/must_understand", 1},
	};
	size_t i;
	int strict;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		for (strict = 0; strict < 2; strict++) {
			const seen s = parse(rows[i].text, strict);
			const bool error = strict || !rows[i].lenient;

			assert_int_equal(s.l.n, 1);
			assert_string_equal(s.l.rule, rows[i].rule);
			assert_string_equal(s.l.pointer, rows[i].pointer);
			assert_int_equal(s.status, error ? ZINC_E_CORRUPT : ZINC_OK);
			assert_int_equal(s.l.severity, error ? ZINC_SEVERITY_ERROR : ZINC_SEVERITY_WARNING);
			assert_false(s.ignorable);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(errors_name_rule_and_place),    cmocka_unit_test(pointers_are_escaped_and_cut),
	    cmocka_unit_test(lenient_findings_warn_or_fail), cmocka_unit_test(the_first_unsupported_thing_is_kept),
	    cmocka_unit_test(long_messages_are_cut),         cmocka_unit_test(extensions_that_pass),
	    cmocka_unit_test(extensions_that_break_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
