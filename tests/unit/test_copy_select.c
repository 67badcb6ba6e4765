/* test_copy_select.c - selections from all arrays of a group, promise by promise */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "test.h"

#define X ARRAY_WITH(", \"dimension_names\": [\"x\"]")

static void
plant(forest *f, const char *first)
{
	forest_put(f, "zarr.json", GROUP);
	forest_put(f, "x/zarr.json", X);
	forest_put(f, "x/c/0", first);
	forest_put(f, "x/c/1", "3344");
	forest_put(f, "g/zarr.json", GROUP);
	forest_put(f, "g/a/zarr.json", X);
	forest_put(f, "g/a/c/0", "aabb");
	forest_put(f, "g/a/c/1", "ccdd");
	forest_put(f, "y/zarr.json", ARRAY_WITH(", \"dimension_names\": [\"y\"]"));
	forest_put(f, "y/c/0", "yyyy");
}

static int
stop(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	(void)done, (void)total, (void)bytes;
	return --*(int *)arg < 0;
}

static zinc_status
cut(forest *f, forest *g, const char *select, int steps, bool resume, zinc_error *err)
{
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;

	o.select = select;
	o.resume = resume;
	o.call = ZINC_CALL_OPTIONS(.progress = steps < 0 ? NULL : stop, .progress_arg = &steps);
	return zinc_copy(f->h, "/", g->h, "/", &o, NULL, err);
}

/* (1) */
static void
every_array(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f, g;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&g, "", ZINC_LENIENT);
	plant(&f, "1122");
	assert_ok(cut(&f, &g, "x=1:3", -1, false, &err));
	assert_string_equal(forest_get(&g, "x/c/0"), "2233");
	assert_string_equal(forest_get(&g, "g/a/c/0"), "bbcc");
	assert_string_equal(forest_get(&g, "y/c/0"), "yyyy");
	assert_non_null(strstr(forest_get(&g, "g/a/zarr.json"), "\"x\""));
	forest_close(&g);
	forest_open(&g, "", ZINC_LENIENT);
	assert_ok(cut(&f, &g, "x=-1", -1, false, &err));
	assert_string_equal(forest_get(&g, "x/c"), "44");
	assert_string_equal(forest_get(&g, "g/a/c"), "dd");
	assert_null(strstr(forest_get(&g, "g/a/zarr.json"), "\"x\""));
	forest_close(&g);
	forest_close(&f);
}

/* (2) */
static void
items_without_array(void **state)
{
	static const char *const texts[] = {"x=1, nix=2", "nix@\"a, b\"", "1:2", "0", "x=[0,1], z=[1,2]"};
	zinc_error err = ZINC_ERROR_INIT;
	forest f, g;
	size_t i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&g, "", ZINC_LENIENT);
	plant(&f, "1122");
	for (i = 0; i < COUNT(texts); i++) {
		assert_int_equal(cut(&f, &g, texts[i], -1, false, &err), ZINC_E_INVALID);
		assert_string_equal(forest_keys(&g), "");
	}
	assert_ok(cut(&f, &g, "x=[0,1], y=[1,2]", -1, false, &err));
	forest_close(&g);
	forest_close(&f);
}

/* (2): a '[' in a name begins no list */
static void
names_with_brackets(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f, g;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&g, "", ZINC_LENIENT);
	plant(&f, "1122");
	forest_put(&f, "b/zarr.json", ARRAY_WITH(", \"dimension_names\": [\"b[\"]"));
	assert_int_equal(cut(&f, &g, "b[=1, nix=2", -1, false, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "\"nix=2\""));
	assert_ok(cut(&f, &g, "b[=[1,2], y=[1,2]", -1, false, &err));
	forest_close(&g);
	forest_close(&f);
}

/* (3): memory has tags, so the source's fingerprint differs as well */
static void
other_values(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f, g;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&g, "", ZINC_LENIENT);
	plant(&f, "1122");
	assert_int_equal(cut(&f, &g, "x@12593..13107", 0, false, &err), ZINC_E_CANCELLED); /* "11" to "33" */
	plant(&f, "0022");
	assert_int_equal(cut(&f, &g, "x@12593..13107", -1, true, &err), ZINC_E_CONFLICT);
	plant(&f, "1122");
	assert_int_equal(cut(&f, &g, "x=0:3", -1, true, &err), ZINC_E_CONFLICT);
	forest_close(&g);
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_array),
	    cmocka_unit_test(items_without_array),
	    cmocka_unit_test(names_with_brackets),
	    cmocka_unit_test(other_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
