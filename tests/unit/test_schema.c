/* test_schema.c - the schema validator beyond the public suite: findings, limits, bad schemas, memory */
#include <stdio.h>
#include <string.h>

#include "schema/schema.h"
#include "support/sweep.h"
#include "test.h"

struct found {
	unsigned n;
	char text[2000]; /* "pointer: message\n" of each */
};

static void
note(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	struct found *f = arg;
	const size_t n = strlen(f->text);

	assert_int_equal(severity, ZINC_SEVERITY_ERROR);
	assert_string_equal(rule, "schema");
	f->n++;
	snprintf(f->text + n, sizeof f->text - n, "%s: %s\n", pointer, message);
}

/* "valid", the findings, or the status. */
static const char *
check_text(const char *schema, const char *instance, const zinc_schema_options *o)
{
	zinc_context *ctx = zinc_context_get(NULL);
	static struct found f;
	static char failed[800];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_schema *s = NULL;
	zinc_report r;
	zinc_status st;

	memset(&f, 0, sizeof f);
	zinc_report_init(&r, ctx, false, "");
	r.found = note;
	r.arg = &f;
	st = zinc_schema_new(&s, ctx, schema, strlen(schema), o, &err);
	if (st == ZINC_OK) {
		assert_int_equal(zinc_json_parse(&doc, ctx, instance, strlen(instance), 0, NULL), ZINC_OK);
		st = zinc_schema_check(s, zinc_json_root(doc), &r, &err);
		assert_int_equal(r.npointer, 0);
	}
	zinc_json_free(doc);
	zinc_schema_free(s);
	if (st != ZINC_OK) {
		assert_int_equal(err.code, st);
		snprintf(failed, sizeof failed, "%s %s", zinc_status_name(st), err.text);
		return failed;
	}
	return f.n ? f.text : "valid";
}

static const char *
check(const char *schema, const char *instance)
{
	return check_text(schema, instance, NULL);
}

#define assert_begins(text, with) assert_memory_equal(text, with, strlen(with))

static void
test_findings(void **state)
{
	(void)state;
	assert_string_equal(check("true", "1"), "valid");
	assert_string_equal(check("false", "1"), ": nothing is allowed here\n");
	assert_string_equal(
	    check("{\"properties\": {\"a/b\": {\"items\": {\"type\": \"integer\"}}}, \"required\": [\"c\"]}",
		  "{\"a/b\": [1, 1.0, 1.5, \"x\"]}"),
	    "/a~1b/2: must be of type integer, not number\n"
	    "/a~1b/3: must be of type integer, not string\n"
	    ": \"c\" is missing\n");
	assert_string_equal(
	    check("{\"properties\": {\"a\": {}}, \"additionalProperties\": false}", "{\"a\": 1, \"b\": 2}"),
	    "/b: the schema has no member \"b\"\n");
	/* alternatives are tried quietly */
	assert_string_equal(check("{\"anyOf\": [{\"type\": \"string\"}, {\"minimum\": 5}]}", "3"),
			    ": matches none of the 2 alternatives\n");
}

/* C13: additionalProperties is true by default, whatever the text of the convention says. */
static void
test_additional_default(void **state)
{
	(void)state;
	assert_string_equal(check("{\"properties\": {\"a\": {}}}", "{\"b\": 1}"), "valid");
}

static void
test_numbers(void **state)
{
	(void)state;
	assert_string_equal(check("{\"maximum\": 9007199254740992}", "9007199254740993"),
			    ": 9007199254740993 is above 9007199254740992\n");
	assert_string_equal(check("{\"const\": 18446744073709551616}", "18446744073709551617"),
			    ": is not the one value that is allowed\n");
	assert_string_equal(check("{\"const\": 1e2}", "100.00"), "valid");
	assert_string_equal(check("{\"multipleOf\": 0.1}", "0.3"), "valid");
	assert_string_equal(check("{\"multipleOf\": 0.01}", "19.991"), ": 19.991 is no multiple of 0.01\n");
	assert_string_equal(check("{\"multipleOf\": 3}", "1e999999999"), ": 1e999999999 is no multiple of 3\n");
	assert_string_equal(check("{\"multipleOf\": 4}", "1e999999999"), "valid");
	assert_string_equal(check("{\"exclusiveMinimum\": -1e-400}", "0"), "valid");
	assert_begins(check("{\"multipleOf\": 1234567890123456789}", "5"), "E_UNSUPPORTED");
	assert_string_equal(check("{\"uniqueItems\": true}", "[1, {\"a\": [2], \"b\": 3}, {\"b\": 3.0, \"a\": [2e0]}]"),
			    ": the list holds the same value twice\n");
	assert_string_equal(check("{\"uniqueItems\": true}", "[0, false, null, \"\", [], {}]"), "valid");
}

static void
test_bad_schemas(void **state)
{
	(void)state;
	assert_begins(check("1", "1"), "E_CORRUPT a schema must be an object, true or false");
	assert_begins(check("{", "1"), "E_CORRUPT");
	assert_begins(check("{\"properties\": {\"a\": {\"minLength\": -1}}}", "1"),
		      "E_CORRUPT \"minLength\" cannot have this value (rule schema, at /properties/a/minLength)");
	assert_begins(check("{\"allOf\": []}", "1"), "E_CORRUPT");
	assert_begins(check("{\"type\": \"float\"}", "1"), "E_CORRUPT");
	assert_begins(check("{\"$ref\": \"#/$defs/none\"}", "1"), "E_CORRUPT the schema refers to \"#/$defs/none\"");
	assert_begins(check("{\"$ref\": \"https://example.com/other.json\"}", "1"), "E_NOTFOUND");
	assert_begins(check("{\"$schema\": \"http://json-schema.org/draft-04/schema#\"}", "1"), "E_UNSUPPORTED");
	assert_begins(check("{\"$schema\": \"https://example.com/mine\"}", "1"), "E_UNSUPPORTED");
}

/* A schema that refers to itself, a bomb of references, a pattern that would not end, huge values. */
static void
test_limits(void **state)
{
	char bomb[8000];
	size_t n, i;

	(void)state;
	assert_begins(check("{\"$ref\": \"#\"}", "1"), "E_LIMIT the schema goes deeper than");
	assert_begins(check("{\"$defs\": {\"a\": {\"$ref\": \"#/$defs/b\"}, \"b\": {\"$ref\": \"#/$defs/a\"}}, "
			    "\"$ref\": \"#/$defs/a\"}",
			    "1"),
		      "E_LIMIT");
	assert_begins(check("{\"allOf\": [{\"$ref\": \"#\"}, {\"$ref\": \"#\"}]}", "1"), "E_LIMIT");
	n = (size_t)snprintf(bomb, sizeof bomb, "{\"$ref\": \"#/$defs/d0\", \"$defs\": {");
	for (i = 0; i < 60; i++)
		n += (size_t)snprintf(
		    bomb + n, sizeof bomb - n,
		    "\"d%zu\": {\"allOf\": [{\"$ref\": \"#/$defs/d%zu\"}, {\"$ref\": \"#/$defs/d%zu\"}]}, ", i, i + 1,
		    i + 1);
	snprintf(bomb + n, sizeof bomb - n, "\"d60\": true}}");
	assert_begins(check(bomb, "1"), "E_LIMIT the check takes more than");
	/* a schema that refers to itself on the way down is fine */
	assert_string_equal(check("{\"properties\": {\"next\": {\"$ref\": \"#\"}}, \"required\": [\"v\"]}",
				  "{\"v\": 1, \"next\": {\"v\": 2, \"next\": {\"v\": 3}}}"),
			    "valid");
	if (check("{\"pattern\": \"a\"}", "\"a\"")[0] == 'v')
		assert_begins(
		    check("{\"pattern\": \"^(a+)+$\"}", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\""),
		    "E_LIMIT the regular expression takes too long");
}

/* ---- memory ---- */

static zinc_status
find(void *arg, const char *uri, zinc_blob *text, zinc_error *err)
{
	static const char other[] = "{\"$anchor\": \"x\", \"minimum\": 3}";
	zinc_buf b;

	if (strcmp(uri, "http://h/other.json") != 0)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no %s", uri);
	zinc_buf_init(&b, arg, SIZE_MAX);
	ZINC_TRY(zinc_buf_puts(&b, other, err));
	return zinc_buf_to_blob(&b, text, err);
}

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char schema[] =
	    "{\"$id\": \"http://h/a/main.json\", \"properties\": {\"a\": {\"$ref\": "
	    "\"../other.json#x\"}, \"b\": {\"uniqueItems\": true}}, \"allOf\": [{\"properties\": "
	    "{\"c\": {}}}], \"unevaluatedProperties\": {\"type\": \"string\"}}";
	static const char instance[] = "{\"a\": 2, \"b\": [1, 2, 1.0], \"c\": 0, \"d\": \"x\", \"e\": 5}";
	const zinc_schema_options o = {.uri = "http://h/here", .find = find, .arg = ctx};
	zinc_json_doc *doc = NULL;
	zinc_schema *s = NULL;
	zinc_report r;
	zinc_status st;

	(void)arg;
	zinc_report_init(&r, ctx, false, "");
	st = zinc_schema_new(&s, ctx, schema, strlen(schema), &o, err);
	if (st == ZINC_OK)
		st = zinc_json_parse(&doc, ctx, instance, strlen(instance), 0, err);
	if (st == ZINC_OK)
		st = zinc_schema_check(s, zinc_json_root(doc), &r, err);
	if (st == ZINC_OK)
		assert_int_equal(r.errors, 3);
	zinc_json_free(doc);
	zinc_schema_free(s);
	return st;
}

static void
test_memory(void **state)
{
	(void)state;
	assert_true(sweep_alloc(scenario, NULL) > 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_findings), cmocka_unit_test(test_additional_default),
	    cmocka_unit_test(test_numbers),  cmocka_unit_test(test_bad_schemas),
	    cmocka_unit_test(test_limits),   cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
