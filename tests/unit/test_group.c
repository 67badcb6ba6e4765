/* test_group.c - making groups */
#include <string.h>
#include <sys/stat.h>

#include "nodes.h"
#include "test.h"

static void
test_create(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	assert_ok(zinc_group_create(f.h, "/a", "{\"k\": 1e3}", 0, NULL, &err));
	assert_string_equal(
	    forest_get(&f, "a/zarr.json"),
	    "{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n  \"attributes\": {\n    \"k\": 1e3\n  }\n}\n");
	assert_int_equal(zinc_group_create(f.h, "/b", "[]", 0, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_group_create(f.h, "/__b", NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_group_create(f.h, "/a", NULL, 0, NULL, &err), ZINC_E_EXISTS);
	assert_string_equal(forest_keys(&f), "a/zarr.json zarr.json");
	forest_close(&f);
}

static void
test_overwrite(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", ARRAY);
	forest_put(&f, "a/c/0", "1122");
	forest_put(&f, "b/zarr.json", GROUP);
	assert_ok(zinc_group_create(f.h, "/a", NULL, 1, NULL, &err));
	assert_string_equal(forest_keys(&f), "a/zarr.json b/zarr.json zarr.json");
	assert_ok(zinc_group_create(f.h, "/new", NULL, 1, NULL, &err)); /* nothing to overwrite */
	/* attributes that are refused erase nothing */
	assert_int_equal(zinc_group_create(f.h, "/", "7", 1, NULL, &err), ZINC_E_INVALID);
	assert_string_equal(forest_keys(&f), "a/zarr.json b/zarr.json new/zarr.json zarr.json");
	forest_close(&f);
}

static void
test_url(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct stat st;

	(void)state;
	assert_ok(zinc_group_create_url("x.zarr/a/b", NULL, 0, NULL, &err));
	assert_int_equal(stat("x.zarr/zarr.json", &st), 0);
	assert_int_equal(stat("x.zarr/a/zarr.json", &st), 0);
	assert_int_equal(stat("x.zarr/a/b/zarr.json", &st), 0);
	assert_int_equal(stat("zarr.json", &st), -1);
	assert_int_equal(zinc_group_create_url("x.zarr/a", NULL, 0, NULL, &err), ZINC_E_EXISTS);
	assert_ok(zinc_group_create_url("x.zarr/a", NULL, 1, NULL, &err));
	assert_int_equal(stat("x.zarr/a/b", &st), -1);
	assert_int_equal(zinc_group_create_url("x.zarr/c", NULL, 0, ZINC_OPEN_OPTIONS(.format = "v1"), &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_group_create_url("x.zarr/c", NULL, 0, ZINC_OPEN_OPTIONS(.read_only = 1), &err),
			 ZINC_E_READONLY);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_create),
	    cmocka_unit_test(test_overwrite),
	    cmocka_unit_test(test_url),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
