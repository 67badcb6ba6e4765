/*
 * test_rules.c - every store of tests/rules/index_v3.txt, index_v2.txt and index_n5.txt breaks its rule, and docs/rules.md lists all
 *
 * First the documents of version 3 alone, as when a node is opened; then whole stores, as in validate.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "rules.h"
#include "test.h"

#define RULES 101

/* One line of the index, and its document. */
struct fixture {
	rule_case c;
	const char *text;
};

/* The findings of a parser. */
struct findings {
	const char *wanted;
	bool seen[3]; /* by severity, for the expected rule */
	unsigned n;
};

/* Call fn for each line of the index; returns how many there are. */
static size_t
each_fixture(void (*fn)(const struct fixture *f, void *arg), void *arg)
{
	rule_index *x = rules_open("v3");
	const size_t n = rules_count(x);
	struct fixture f;
	forest store;
	size_t i;

	for (i = 0; i < n; i++) {
		forest_open(&store, "", ZINC_LENIENT);
		rules_case(x, i, &f.c);
		rules_build(x, &f.c, store.memory);
		f.text = forest_get(&store, "zarr.json");
		assert_non_null(f.text);
		fn(&f, arg);
		forest_close(&store);
	}
	rules_close(x);
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
	zinc_status st;

	zinc_report_init(&r, ctx, strict, f->c.path);
	*found = (struct findings){.wanted = f->c.rule};
	if (collect) {
		r.found = note;
		r.arg = found;
	}
	st = zinc_text_parse(&zinc_format_v3, ctx, f->text, strlen(f->text), &r, &m, err);
	*unsupported = m && m->unsupported;
	zinc_meta_free(m);
	return st;
}

static void
expect_error(const struct fixture *f, bool strict)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	bool unsupported;

	if (parse(f, strict, true, &found, &unsupported, &err) != ZINC_E_CORRUPT)
		fail_msg("%s: no error", f->c.path);
	if (!found.seen[ZINC_SEVERITY_ERROR])
		fail_msg("%s: %s not found, but %s", f->c.path, f->c.rule, err.text);
	/* only the first error, as when a node is opened */
	assert_int_equal(parse(f, strict, false, &found, &unsupported, &err), ZINC_E_CORRUPT);
	if (strcmp(err.rule, f->c.rule) != 0)
		fail_msg("%s: the first error is not %s, but %s", f->c.path, f->c.rule, err.text);
}

static void
expect_opens(const struct fixture *f, zinc_severity severity, bool unsupported)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	bool locked;

	if (parse(f, false, true, &found, &locked, &err) != ZINC_OK)
		fail_msg("%s: %s", f->c.path, err.text);
	if (!found.seen[severity])
		fail_msg("%s: %s not found", f->c.path, f->c.rule);
	if (unsupported && !locked)
		fail_msg("%s: its elements can be accessed", f->c.path);
	assert_int_equal(err.code, ZINC_OK);
}

static void
check_document(const struct fixture *f, void *arg)
{
	unsigned *n = arg;

	if (strcmp(f->c.where, "store") == 0)
		return;
	(*n)++;
	if (strcmp(f->c.expect, "error") == 0) {
		expect_error(f, false);
		expect_error(f, true);
	} else if (strcmp(f->c.expect, "lenient") == 0) {
		expect_opens(f, ZINC_SEVERITY_WARNING, false);
		expect_error(f, true);
	} else if (strcmp(f->c.expect, "unsupported") == 0) {
		expect_opens(f, ZINC_SEVERITY_UNSUPPORTED, true);
	} else {
		fail_msg("%s: what is \"%s\"?", f->c.path, f->c.expect);
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

	if (strcmp(f->c.where, "store") != 0)
		return;
	++*(unsigned *)arg;
	if (parse(f, true, true, &found, &unsupported, &err) != ZINC_OK || unsupported || found.n != 0)
		fail_msg("%s: the document itself is not sound: %s", f->c.path, err.text);
}

static void
test_stores(void **state)
{
	unsigned n = 0;

	(void)state;
	each_fixture(check_store, &n);
	assert_true(n > 20);
}

/* ---- whole stores ---- */

static void
test_validate_v3(void **state)
{
	(void)state;
	rules_validate("v3", "v3", true, 160);
}

static void
test_validate_v2(void **state)
{
	(void)state;
	rules_validate("v2", "v2", false, 53);
}

static void
test_validate_n5(void **state)
{
	(void)state;
	rules_validate("n5", "n5", false, 30);
}

/* ---- docs/rules.md ---- */

static void
mark(const struct fixture *f, void *arg)
{
	bool *has = arg;
	const int n = (int)strtol(f->c.owner + 1, NULL, 10);

	assert_in_range(n, 1, RULES);
	has[n] = true;
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
	    cmocka_unit_test(test_documents),   cmocka_unit_test(test_stores),      cmocka_unit_test(test_validate_v3),
	    cmocka_unit_test(test_validate_v2), cmocka_unit_test(test_validate_n5), cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
