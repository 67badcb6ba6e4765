/* test_path.c - paths of nodes: the promise of path.c, and paths below a path */
#include <string.h>
#include <zinc/tool.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

/* (1) */
static void
test_paths(void **state)
{
	static const struct {
		const char *path, *normal, *rule;
	} cases[] = {
	    {"", "/", NULL},
	    {"/", "/", NULL},
	    {"a", "/a", NULL},
	    {"/a/b/", "/a/b", NULL},
	    {"a/b", "/a/b", NULL},
	    {NULL, NULL, ""}, /* never the root by mistake */
	    {".a/..b", "/.a/..b", NULL},
	    {"\xc3\xa9", "/\xc3\xa9", NULL},
	    {"_a", "/_a", NULL},
	    {"/a//", NULL, "M29"},
	    {"a//b", NULL, "M29"},
	    {"//a", NULL, "M29"},
	    {"a/..", NULL, "M31"},
	    {".", NULL, "M31"},
	    {"a/.../b", NULL, "M31"},
	    {"__a", NULL, "M32"},
	    {"a/__", NULL, "M32"},
	    {"zarr.json", NULL, "M33"},
	    {"a\nb", NULL, ""},
	    {"\xff", NULL, ""},
	    {"zarr.json/a", NULL, "M33"},
	};
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		char *out = NULL;
		const zinc_status st = zinc_path_normalise(&out, f.h, cases[i].path, &err);

		if (cases[i].normal) {
			assert_ok(st);
			assert_string_equal(out, cases[i].normal);
			zinc_free(f.ctx, out);
		} else {
			assert_int_equal(st, ZINC_E_INVALID);
			assert_string_equal(err.rule, cases[i].rule);
			assert_null(out); /* callers free the old value */
		}
	}
	forest_close(&f);
}

/* Every door that takes a path refuses a bad one, and frees nothing twice. */
static void
test_refused(void **state)
{
	static const char *const bad[] = {"a\tb", "\xff", "x/\x1b[2J", "a//b"};
	const uint64_t shape[] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "x/zarr.json", GROUP);
	for (i = 0; i < COUNT(bad); i++) {
		const zinc_array_options o = {.size = sizeof o, .ndim = 1, .shape = shape, .dtype = "int8"};

		assert_int_equal(zinc_array_open(&a, f.h, bad[i], NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_array_create(&a, f.h, bad[i], &o, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_group_create(f.h, bad[i], NULL, 0, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_node_erase(f.h, bad[i], NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_node_copy(f.h, "/x", f.h, bad[i], NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_move(f.h, "/x", bad[i], NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_copy(f.h, "/x", f.h, bad[i], NULL, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_copy(f.h, bad[i], f.h, "/y", NULL, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_diff(f.h, "/x", f.h, bad[i], NULL, NULL, NULL, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_diff(f.h, bad[i], f.h, "/x", NULL, NULL, NULL, NULL, &err), ZINC_E_INVALID);
	}
	assert_null(a);
	assert_string_equal(forest_keys(&f), "x/zarr.json zarr.json");
	forest_close(&f);
}

static void
test_vacant(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	bool vacant;
	forest f;

	(void)state;
	forest_open(&f, "root", ZINC_LENIENT);
	forest_put(&f, "root2/c/0", "");
	assert_ok(zinc_hierarchy_vacant(f.h, "/", &vacant, &err));
	assert_true(vacant);
	forest_put(&f, "root/a/c/0", "");
	assert_ok(zinc_hierarchy_vacant(f.h, "/", &vacant, &err));
	assert_false(vacant);
	assert_ok(zinc_hierarchy_vacant(f.h, "/a", &vacant, &err));
	assert_false(vacant);
	assert_ok(zinc_hierarchy_vacant(f.h, "/b", &vacant, &err));
	assert_true(vacant);
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_paths),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_vacant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
