/*
 * test_schema_suite.c - the public test suite of JSON Schema, from Debian's packages
 *
 * json-schema-test-suite has draft 07; libtest-json-schema-acceptance-perl carries a newer copy with draft 07 and
 * 2020-12.  Every case must have the result of the suite, except those named in `refused`, which must be refused with
 * E_UNSUPPORTED. If a package is not installed, its part is skipped.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "schema/schema.h"
#include "test.h"

#define DEBIAN "/usr/share/json-schema-test-suite"
#define NEWER  "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance"

/* External metaschemas, and vocabularies, which define the meaning of keywords. */
static const char *const refused[] = {
    "schema that uses custom metaschema with with no validation vocabulary",
    "ignore unrecognized optional vocabulary",
};

/* Optional cases on regular expressions: PCRE2 has escapes that ECMA 262 has not. */
static const char *const different[] = {
    "ECMA 262 regex non-compliance",
    "\\a is not an ECMA 262 control escape",
};

/* Files of the optional part that concern us; `format` is an annotation. */
static const char *const optional[] = {
    "bignum.json",        "ecmascript-regex.json", "zeroTerminatedFloats.json", "float-overflow.json",
    "non-bmp-regex.json", "unicode.json",          "refOfUnknownKeyword.json",  "dependencies-compatibility.json"};

struct suite {
	zinc_context *ctx;
	const char *root;
	zinc_dialect dialect;
	char remotes[300];
	unsigned cases, good, refused, different, bad;
};

static zinc_status
read_file(zinc_context *ctx, const char *path, zinc_blob *out)
{
	FILE *f = fopen(path, "rb");
	static char text[4 << 20];
	zinc_buf b;
	size_t n;

	if (!f)
		return ZINC_E_NOTFOUND;
	n = fread(text, 1, sizeof text, f);
	fclose(f);
	assert_true(n < sizeof text);
	zinc_buf_init(&b, ctx, SIZE_MAX);
	assert_int_equal(zinc_buf_add(&b, text, n, NULL), ZINC_OK);
	assert_int_equal(zinc_buf_to_blob(&b, out, NULL), ZINC_OK);
	return ZINC_OK;
}

/* The suite thinks of its remotes as served from there. */
static zinc_status
find_remote(void *arg, const char *uri, zinc_blob *text, zinc_error *err)
{
	static const char host[] = "http://localhost:1234/";
	struct suite *s = arg;
	char path[700];

	if (strncmp(uri, host, strlen(host)) == 0) {
		snprintf(path, sizeof path, "%s/%s", s->remotes, uri + strlen(host));
		if (read_file(s->ctx, path, text) == ZINC_OK)
			return ZINC_OK;
	}
	return zinc_fail(err, ZINC_E_NOTFOUND, "no %s", uri);
}

static bool
is_listed(const char *const *list, size_t n, const char *description)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(list[i], description) == 0)
			return true;
	return false;
}

static void
run_case(struct suite *s, const char *file, const zinc_json *group, const zinc_json *test, zinc_schema *schema,
	 zinc_status made, zinc_error *err)
{
	const bool wanted = zinc_json_member(test, "valid")->type == ZINC_JSON_TRUE;
	const char *what = zinc_json_member(group, "description")->text;
	zinc_status st = made;
	zinc_report r;

	s->cases++;
	zinc_report_init(&r, s->ctx, false, "");
	if (made == ZINC_OK)
		st = zinc_schema_check(schema, zinc_json_member(test, "data"), &r, err);
	if (st == ZINC_E_UNSUPPORTED && is_listed(refused, COUNT(refused), what)) {
		s->refused++;
		return;
	}
	if (st == ZINC_OK && (r.errors == 0) == wanted) {
		s->good++;
		return;
	}
	if (is_listed(different, COUNT(different), what)) {
		s->different++;
		return;
	}
	s->bad++;
	printf("BAD %s: %s: %s: wanted %s, got %s %s\n", file, what, zinc_json_member(test, "description")->text,
	       wanted ? "valid" : "invalid", st == ZINC_OK ? (r.errors ? "invalid" : "valid") : zinc_status_name(st),
	       st == ZINC_OK ? "" : err->text);
}

static void
run_group(struct suite *s, const char *file, const zinc_json *group)
{
	const zinc_schema_options o = {.dialect = s->dialect, .find = find_remote, .arg = s};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_schema *schema = NULL;
	const zinc_json *t;
	zinc_status made;
	zinc_buf text;

	zinc_buf_init(&text, s->ctx, SIZE_MAX);
	assert_int_equal(zinc_json_print_line(zinc_json_member(group, "schema"), &text, NULL), ZINC_OK);
	made = zinc_schema_new(&schema, s->ctx, (const char *)text.p, text.n, &o, &err);
	for (t = zinc_json_member(group, "tests")->first; t; t = t->next)
		run_case(s, file, group, t, schema, made, &err);
	zinc_schema_free(schema);
	zinc_buf_fini(&text);
}

static void
run_file(struct suite *s, const char *dir, const char *name)
{
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_json *group;
	zinc_json_doc *doc;
	char path[700];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	assert_int_equal(read_file(s->ctx, path, &text), ZINC_OK);
	assert_ok(zinc_json_parse(&doc, s->ctx, text.data, text.nbytes, ZINC_JSON_DUPLICATES, &err));
	for (group = zinc_json_root(doc)->first; group; group = group->next)
		run_group(s, name, group);
	zinc_json_free(doc);
	zinc_blob_fini(&text);
}

static void
run_suite(const char *root, const char *draft, zinc_dialect dialect)
{
	struct suite s = {.root = root, .dialect = dialect};
	struct dirent *e;
	char dir[300];
	size_t i;
	DIR *d;

	snprintf(dir, sizeof dir, "%s/tests/%s", root, draft);
	snprintf(s.remotes, sizeof s.remotes, "%s/remotes", root);
	d = opendir(dir);
	if (!d)
		skip();
	s.ctx = zinc_context_get(NULL);
	while ((e = readdir(d)))
		if (strstr(e->d_name, ".json"))
			run_file(&s, dir, e->d_name);
	closedir(d);
	for (i = 0; i < COUNT(optional); i++) {
		char name[80], path[700];
		FILE *f;

		snprintf(name, sizeof name, "optional/%s", optional[i]);
		snprintf(path, sizeof path, "%s/%s", dir, name);
		f = fopen(path, "rb");
		if (f) {
			fclose(f);
			run_file(&s, dir, name);
		}
	}
	printf("%s %s: %u cases, %u as wanted, %u refused, %u as PCRE2 has it, %u bad\n", root, draft, s.cases, s.good,
	       s.refused, s.different, s.bad);
	assert_true(s.cases > 400);
	assert_int_equal(s.bad, 0);
}

static void
test_draft7(void **state)
{
	(void)state;
	run_suite(DEBIAN, "draft7", ZINC_DRAFT_07);
}

static void
test_draft7_newer(void **state)
{
	(void)state;
	run_suite(NEWER, "draft7", ZINC_DRAFT_07);
}

static void
test_draft2020(void **state)
{
	(void)state;
	run_suite(NEWER, "draft2020-12", ZINC_DRAFT_2020);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_draft7),
	    cmocka_unit_test(test_draft7_newer),
	    cmocka_unit_test(test_draft2020),
	};

	if (!ZINC_WITH_PCRE2) /* schemas have patterns */
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
