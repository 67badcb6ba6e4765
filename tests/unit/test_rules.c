/*
 * test_rules.c - every fixture of tests/rules breaks its rule, and docs/rules.md knows all of them
 *
 * Fixtures that only a check of the whole store can find are replayed by the test of `zinc validate`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "test.h"

#define RULES 101

struct fixture {
	char rule[8], says[8], expect[16], where[16], name[80];
};

/* What a parser found. */
struct findings {
	const char *wanted;
	bool seen[3]; /* by severity, of the rule that is wanted */
	unsigned n;
};

static char *
read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	long size;

	if (!f)
		fail_msg("%s: cannot be read", path);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, f), size);
	text[size] = '\0';
	fclose(f);
	*n = (size_t)size;
	return text;
}

/* Call fn for each line of the index; returns how many there are. */
static unsigned
each_fixture(void (*fn)(const struct fixture *f, void *arg), void *arg)
{
	FILE *index = fopen(ZINC_TEST_SOURCE_DIR "/tests/rules/index.txt", "r");
	char line[256];
	unsigned n = 0;

	assert_non_null(index);
	while (fgets(line, sizeof line, index)) {
		struct fixture f;

		if (line[0] == '#')
			continue;
		if (sscanf(line, "%7s %7s %15s %15s %79s", f.rule, f.says, f.expect, f.where, f.name) != 5)
			fail_msg("index.txt: %s", line);
		fn(&f, arg);
		n++;
	}
	fclose(index);
	return n;
}

static void
note(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	struct findings *f = arg;

	assert_non_null(pointer);
	assert_true(message[0] != '\0');
	f->n++;
	if (strcmp(rule, f->wanted) == 0)
		f->seen[severity] = true;
}

/* Parse a fixture's document; `unsupported` tells whether it opened without access to elements. */
static zinc_status
parse(const struct fixture *f, bool strict, bool collect, struct findings *found, bool *unsupported, zinc_error *err)
{
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status s;
	char path[512], *text;
	size_t n;

	snprintf(path, sizeof path, ZINC_TEST_SOURCE_DIR "/tests/rules/%s/zarr.json", f->name);
	text = read_file(path, &n);
	zinc_report_init(&r, ctx, strict, path);
	*found = (struct findings){.wanted = f->says};
	if (collect) {
		r.found = note;
		r.arg = found;
	}
	s = zinc_text_parse(&zinc_format_v3, ctx, text, n, &r, &m, err);
	*unsupported = m && m->unsupported;
	zinc_meta_free(m);
	free(text);
	return s;
}

static void
expect_error(const struct fixture *f, bool strict)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	bool unsupported;

	if (parse(f, strict, true, &found, &unsupported, &err) != ZINC_E_CORRUPT)
		fail_msg("%s: no error", f->name);
	if (!found.seen[ZINC_SEVERITY_ERROR])
		fail_msg("%s: %s not found, but %s", f->name, f->says, err.text);
	/* the first error alone, as opening a node meets it */
	assert_int_equal(parse(f, strict, false, &found, &unsupported, &err), ZINC_E_CORRUPT);
	if (strcmp(err.rule, f->says) != 0)
		fail_msg("%s: the first error is not %s, but %s", f->name, f->says, err.text);
}

static void
expect_opens(const struct fixture *f, zinc_severity severity, bool unsupported)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	bool locked;

	if (parse(f, false, true, &found, &locked, &err) != ZINC_OK)
		fail_msg("%s: %s", f->name, err.text);
	if (!found.seen[severity])
		fail_msg("%s: %s not found", f->name, f->says);
	if (unsupported && !locked)
		fail_msg("%s: its elements can be accessed", f->name);
	assert_int_equal(err.code, ZINC_OK);
}

static void
check_document(const struct fixture *f, void *arg)
{
	unsigned *n = arg;

	if (strcmp(f->where, "store") == 0)
		return;
	(*n)++;
	if (strcmp(f->expect, "error") == 0) {
		expect_error(f, false);
		expect_error(f, true);
	} else if (strcmp(f->expect, "lenient") == 0) {
		expect_opens(f, ZINC_SEVERITY_WARNING, false);
		expect_error(f, true);
	} else if (strcmp(f->expect, "unsupported") == 0) {
		expect_opens(f, ZINC_SEVERITY_UNSUPPORTED, true);
	} else {
		fail_msg("%s: what is \"%s\"?", f->name, f->expect);
	}
}

static void
test_documents(void **state)
{
	unsigned n = 0;

	(void)state;
	each_fixture(check_document, &n);
	assert_true(n > 100);
}

/* Stores: their documents alone are sound, so that what a check finds is in the data. */
static void
check_store(const struct fixture *f, void *arg)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	bool unsupported;

	if (strcmp(f->where, "store") != 0)
		return;
	++*(unsigned *)arg;
	if (parse(f, true, true, &found, &unsupported, &err) != ZINC_OK || unsupported || found.n != 0)
		fail_msg("%s: the document itself is not sound: %s", f->name, err.text);
}

static void
test_stores(void **state)
{
	unsigned n = 0;

	(void)state;
	each_fixture(check_store, &n);
	assert_true(n > 20);
}

/* ---- docs/rules.md ---- */

static void
mark(const struct fixture *f, void *arg)
{
	bool *has = arg;
	const int n = (int)strtol(f->rule + 1, NULL, 10);

	assert_in_range(n, 1, RULES);
	has[n] = true;
	assert_memory_equal(f->name, f->rule, strlen(f->rule));
	assert_int_equal(f->name[strlen(f->rule)], '-');
}

/* Every rule has a row, in order; a fixture is named there if and only if there is one. */
static void
test_table(void **state)
{
	FILE *doc = fopen(ZINC_TEST_SOURCE_DIR "/docs/rules.md", "r");
	bool has[RULES + 1] = {false};
	char line[1024];
	int next = 1, n;

	(void)state;
	assert_non_null(doc);
	each_fixture(mark, has);
	while (fgets(line, sizeof line, doc)) {
		if (sscanf(line, "| M%d |", &n) != 1)
			continue;
		assert_int_equal(n, next);
		if ((strstr(line, "| none: ") == NULL) != has[n])
			fail_msg("M%d: the table and the index disagree", n);
		next++;
	}
	fclose(doc);
	assert_int_equal(next, RULES + 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_documents),
	    cmocka_unit_test(test_stores),
	    cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
