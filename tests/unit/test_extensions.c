/*
 * test_extensions.c - the promises of extensions.c, by number, in documents of version 3
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/extend.h>

#include "support/nodes.h"
#include "support/sweep.h"
#include "support/test.h"

static char checked[256]; /* what check() got last */

static zinc_status
check(const char *configuration, zinc_error *err)
{
	snprintf(checked, sizeof checked, "%s", configuration ? configuration : "(none)");
	if (configuration && strstr(configuration, "bad"))
		return zinc_error_set(err, ZINC_E_INVALID, "no bad ones");
	return ZINC_OK;
}

static const char *const mask_uris[] = {"https://example.org/extensions/mask/1.0", NULL};
static const zinc_extension_def mask = {.size = sizeof mask,
					.name = "test.mask",
					.uris = mask_uris,
					.purpose = "elements that are not there",
					.extends = ZINC_EXTENDS_ARRAY,
					.check = check},
				family = {.size = sizeof family,
					  .name = "test.family",
					  .extends = ZINC_EXTENDS_GROUP | ZINC_EXTENDS_HIERARCHY};

#define GROUP_WITH(member) "{\"zarr_format\": 3, \"node_type\": \"group\"" member "}"

/* The array's problem, or "" */
static const char *
problem_of(forest *f, const char *document)
{
	static char text[512];
	zinc_error err = ZINC_ERROR_INIT;
	int16_t out[4];
	zinc_array *a;

	forest_put(f, "a/zarr.json", document);
	assert_ok(zinc_array_open(&a, f->h, "/a", NULL, &err));
	snprintf(text, sizeof text, "%s", zinc_array_unsupported(a) ? zinc_array_unsupported(a) : "");
	if (*text) { /* then no element can be had */
		assert_int_equal(zinc_array_read_text(a, NULL, ZINC_BUFFER(out, sizeof out), NULL, &err),
				 ZINC_E_UNSUPPORTED);
		assert_non_null(strstr(err.text, text));
	} else {
		assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER(out, sizeof out), NULL, &err));
	}
	zinc_array_close(a);
	return text;
}

/* (1) */
static void
known(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	forest f;

	(void)state;
	forest_open(&f, "", 1);
	assert_string_equal(problem_of(&f, ARRAY_WITH(", \"test.mask\": {\"must_understand\": true}")), "");
	assert_string_equal(checked, "(none)");
	assert_string_equal(problem_of(&f, ARRAY_WITH(", \"test.mask\": {\"a\": 1, \"must_understand\": false}")), "");
	assert_string_equal(checked, "{\"a\":1}");
	assert_string_equal(problem_of(&f, ARRAY_WITH(", \"test.mask\": {\"configuration\": {\"b\": [2]}}")), "");
	assert_string_equal(checked, "{\"b\":[2]}");
	assert_string_equal(problem_of(&f, ARRAY_WITH(", \"test.mask\": 7")), "");
	assert_string_equal(checked, "7");
	/* by URI, which version 3 still permits */
	assert_string_equal(problem_of(&f, ARRAY_WITH(", \"https://example.org/extensions/mask/1.4\": {}")), "");
	assert_non_null(strstr(f.warning, "https://example.org/extensions/mask/1.4"));
	forest_put(&f, "a/zarr.json", ARRAY_WITH(", \"test.mask\": {\"bad\": 1}"));
	assert_int_equal(zinc_array_open(&a, f.h, "/a", NULL, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "no bad ones"));
	assert_non_null(strstr(err.text, "at /test.mask"));
	forest_close(&f);
}

/* (2), (3) */
static void
unknown(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", 1);
	assert_string_equal(problem_of(&f, ARRAY_WITH(", \"test.other\": {\"must_understand\": false}")), "");
	assert_non_null(
	    strstr(problem_of(&f, ARRAY_WITH(", \"test.other\": {\"must_understand\": true}")), "test.other"));
	assert_non_null(strstr(problem_of(&f, ARRAY_WITH(", \"test.other\": {}")), "test.other"));
	assert_non_null(strstr(problem_of(&f, ARRAY_WITH(", \"test.other\": null")), "test.other"));
	assert_non_null(
	    strstr(problem_of(&f, ARRAY_WITH(", \"https://example.org/extensions/mask/2.0\": {}")), "another major"));
	/* what extends groups does not extend arrays */
	assert_non_null(strstr(problem_of(&f, ARRAY_WITH(", \"test.family\": {}")), "test.family"));
	forest_close(&f);
}

/* Listings mark the node and continue. */
static void
groups(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", 1);
	forest_put(&f, "zarr.json", GROUP_WITH(", \"test.family\": {\"must_understand\": true}"));
	forest_put(&f, "a/zarr.json", GROUP_WITH(", \"test.mask\": {}"));
	forest_put(&f, "a/b/zarr.json", GROUP);
	forest_put(&f, "c/zarr.json", GROUP);
	assert_string_equal(forest_list(&f, "/", -1), "G/ !/a:E_UNSUPPORTED G/a/b G/c");
	forest_close(&f);
}

/* ---- declarations ---- */

static int
note(void *arg, const zinc_declaration *d)
{
	char *text = arg;
	const size_t n = strlen(text);

	assert_int_equal(d->size, sizeof *d);
	snprintf(text + n, 512 - n, "%s%s%s %s;", d->name, d->must_understand ? "!" : "", d->known ? "" : "?",
		 d->configuration ? d->configuration : "-");
	return strcmp(d->name, "last") == 0;
}

static const char declaring[] = ARRAY_WITH(", \"test.mask\": {\"must_understand\": true, \"a\": 1}, \"test.what\": "
					   "{\"must_understand\": false, \"x\": 2}, \"last\": 5, \"beyond\": 6");

static zinc_status
ask(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_store *s = NULL;
	char text[512] = "";
	zinc_status st = zinc_store_open(&s, "memory://declaring", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "a/zarr.json", declaring, strlen(declaring), NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1), err);
	if (st == ZINC_OK)
		st = zinc_extensions(h, "/a", note, text, NULL, err);
	if (st == ZINC_OK)
		assert_string_equal(text, "test.mask! {\"a\":1};test.what? {\"x\":2};last!? 5;");
	zinc_hierarchy_close(h);
	zinc_store_close(s);
	return st;
}

/* Declarations with all their members survive a rewrite. */
static void
asked_about_and_kept(void **state)
{
	static const char kept[] = "\"test.mask\": {\n    \"must_understand\": true,\n    \"a\": 1\n  }";
	static const uint64_t larger[] = {6};
	zinc_error err = ZINC_ERROR_INIT;
	char text[512] = "";
	zinc_array *a;
	forest f;

	(void)state;
	forest_open(&f, "", 1);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", declaring);
	assert_true(sweep_alloc(ask, NULL) > 5);
	assert_int_equal(zinc_extensions(f.h, "/none", note, text, NULL, &err), ZINC_E_NOTFOUND);
	assert_ok(zinc_extensions(f.h, "/", note, text, NULL, &err));
	assert_ok(zinc_extensions(f.h, NULL, note, text, NULL, &err)); /* version 3 declares nothing of the whole */
	assert_string_equal(text, "");

	assert_ok(
	    zinc_attributes_edit(f.h, "/a", &(zinc_attribute){"k", "1"}, 1, NULL, &err)); /* though not understood */
	assert_non_null(strstr(forest_get(&f, "a/zarr.json"), kept));
	forest_put(&f, "a/zarr.json", ARRAY_WITH(", \"test.mask\": {\"must_understand\": true, \"a\": 1}"));
	assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
	assert_ok(zinc_array_resize(a, larger, NULL, &err));
	zinc_array_close(a);
	assert_non_null(strstr(forest_get(&f, "a/zarr.json"), kept));
	forest_close(&f);
}

static int
count(void *arg, const char *name, const char *also, const char *purpose)
{
	assert_true(name && also && purpose);
	++*(int *)arg;
	return 0;
}

static void
registration(void **state)
{
	zinc_extension_def d = mask;
	zinc_error err = ZINC_ERROR_INIT;
	int n = 0;

	(void)state;
	assert_int_equal(zinc_register_extension(NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_extension(&d, &err), ZINC_E_EXISTS);
	d.name = "test.mask2";
	assert_int_equal(zinc_register_extension(&d, &err), ZINC_E_EXISTS); /* its URI */
	d.uris = NULL;
	d.extends = 0;
	assert_int_equal(zinc_register_extension(&d, &err), ZINC_E_INVALID);
	d.extends = 8;
	assert_int_equal(zinc_register_extension(&d, &err), ZINC_E_INVALID);
	d.extends = ZINC_EXTENDS_ARRAY;
	d.name = "shape";
	assert_int_equal(zinc_register_extension(&d, &err), ZINC_E_EXISTS);
	zinc_list_extensions(count, &n);
	assert_int_equal(n, 2);
}

static int
setup(void **state)
{
	(void)state;
	return zinc_register_extension(&mask, NULL) || zinc_register_extension(&family, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(known),        cmocka_unit_test(unknown),
	    cmocka_unit_test(groups),       cmocka_unit_test(asked_about_and_kept),
	    cmocka_unit_test(registration),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
