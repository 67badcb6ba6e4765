/*
 * test_dimension_names.c - names of dimensions as a member and as xarray's attribute
 */
#include "format/format.h"
#include "support/test.h"

/* The root is valid until zinc_json_free. */
static const zinc_json *
parse(zinc_json_doc **doc, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;

	*doc = NULL;
	assert_int_equal(zinc_json_parse(doc, zinc_context_get(NULL), text, strlen(text), 0, &err), ZINC_OK);
	return zinc_json_root(*doc);
}

static void
found_in_either_place(void **state)
{
	static const struct {
		const char *text;
		int n; /* -1: no list */
		bool any, all;
	} rows[] = {
	    {"{\"dimension_names\": [\"x\", \"y\"]}", 2, true, true},
	    {"{\"dimension_names\": [\"x\", null]}", 2, true, false},
	    {"{\"dimension_names\": [null]}", 1, false, false},
	    {"{\"dimension_names\": []}", 0, false, true},
	    {"{\"dimension_names\": 1}", -1, false, false},
	    {"{\"attributes\": {\"_ARRAY_DIMENSIONS\": [\"x\"]}}", 1, true, true},
	    {"{\"attributes\": {\"_ARRAY_DIMENSIONS\": \"x\"}}", -1, false, false},
	    {"{\"attributes\": {\"_ARRAY_DIMENSIONS\": [\"x\"]}, \"dimension_names\": [null, \"y\"]}", 2, true, false},
	    {"{\"attributes\": []}", -1, false, false},
	    {"{}", -1, false, false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		zinc_json_doc *doc;
		const zinc_json *root = parse(&doc, rows[i].text), *list = zinc_dimension_names_list(root);

		assert_int_equal(list ? (int)list->n : -1, rows[i].n);
		assert_ptr_equal(zinc_dimension_names_find(root), rows[i].any ? list : NULL);
		assert_int_equal(zinc_dimension_names_all(list), rows[i].all);
		zinc_json_free(doc);
	}
	assert_null(zinc_dimension_names_list(NULL));
	assert_false(zinc_dimension_names_all(NULL));
}

/* The attribute has all names or none. */
static void
fit_into_the_attribute(void **state)
{
	static const struct {
		const char *text;
		int n;            /* of what is written; -1: nothing */
		const char *what; /* what cannot be held */
	} rows[] = {
	    {"{\"dimension_names\": [\"x\", \"y\"]}", 2, NULL},
	    {"{\"dimension_names\": [\"x\"], \"attributes\": {\"_ARRAY_DIMENSIONS\": [\"x\"]}}", 1, NULL},
	    {"{\"dimension_names\": []}", 0, NULL},
	    {"{\"dimension_names\": [null, null]}", -1, NULL},
	    {"{\"dimension_names\": [null], \"attributes\": {\"_ARRAY_DIMENSIONS\": [\"x\"]}}", -1, NULL},
	    {"{\"attributes\": {\"_ARRAY_DIMENSIONS\": [\"x\"]}}", -1, NULL},
	    {"{\"dimension_names\": [\"x\", null]}", -1, "names of some dimensions and not of others"},
	    {"{\"dimension_names\": [\"x\"], \"attributes\": {\"_ARRAY_DIMENSIONS\": [\"y\"]}}", -1,
	     "both names of dimensions and an attribute _ARRAY_DIMENSIONS"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		zinc_json_doc *doc;
		const zinc_json *root = parse(&doc, rows[i].text), *names;
		const char *what = zinc_dimension_names_fit(root, zinc_json_member(root, "attributes"), &names);

		assert_int_equal(names ? (int)names->n : -1, rows[i].n);
		assert_int_equal(!what, !rows[i].what);
		if (what)
			assert_string_equal(what, rows[i].what);
		zinc_json_free(doc);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(found_in_either_place),
	    cmocka_unit_test(fit_into_the_attribute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
