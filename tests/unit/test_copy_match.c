/* test_copy_match.c - patterns of paths, and options of single arrays, promise by promise */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "test.h"
#include "tool/copy.h"

static void
patterns(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool matches;
	} cases[] = {{"t2m", "t2m", true},
		     {"/t2m", "t2m", true},
		     {"t2m", "t2", false},
		     {"t2m", "t2m/below", true},
		     {"t2m", "g/t2m", false},
		     {"*", "t2m", true},
		     {"*", "", false},
		     {"**", "", true},
		     {"**", "a/b", true},
		     {"*/raw", "g/raw", true},
		     {"*/raw", "raw", false},
		     {"**/raw", "raw", true},
		     {"**/raw", "a/b/raw/c", true},
		     {"a/**/z", "a/z", true},
		     {"a/**/z", "a/b/c/z", true},
		     {"a/**/z", "b/z", false},
		     {"t?m", "t2m", true},
		     {"t?m", "t\xc3\xa9m", true},
		     {"t?m", "tm", false},
		     {"\\*", "*", true},
		     {"\\*", "x", false},
		     {"a*b*c", "axxbyybzc", true},
		     {"a*b*c", "axxbyyb", false},
		     {"*a", "aaab", false},
		     {"g/", "g/x", true},
		     {"**/a/**/b", "a/a/c", false}};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		if (zinc_cp_match(cases[i].pattern, cases[i].path) != cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].path);
}

/* (1) */
static void
long_patterns(void **state)
{
	char pattern[2001], path[2001];
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		memcpy(pattern + 2 * i, "*a", 2);
		memcpy(path + 2 * i, "aa", 2);
	}
	pattern[2000] = path[2000] = '\0';
	assert_true(zinc_cp_match(pattern, path));
	path[1999] = 'b';
	assert_false(zinc_cp_match(pattern, path));
}

static void
plant(forest *f)
{
	forest_put(f, "zarr.json", GROUP);
	forest_put(f, "x/zarr.json", ARRAY_WITH(", \"dimension_names\": [\"x\"]"));
	forest_put(f, "g/zarr.json", GROUP);
	forest_put(f, "g/a/zarr.json", ARRAY_WITH(", \"dimension_names\": [\"x\"]"));
	forest_put(f, "g/broken/zarr.json", "{");
}

static zinc_status
try(const char *const *include, const char *const *exclude, const zinc_copy_choice *choice, uint64_t *arrays)
{
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	forest f, g;
	zinc_status st;

	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&g, "", ZINC_LENIENT);
	plant(&f);
	o.include = include;
	o.ninclude = include != NULL;
	o.exclude = exclude;
	o.nexclude = exclude != NULL;
	o.choices = choice;
	o.nchoices = choice != NULL;
	st = zinc_copy(f.h, "/", g.h, "/", &o, &n, &err);
	*arrays = n.arrays;
	forest_close(&f);
	forest_close(&g);
	return st;
}

/* (2), (3), (4) */
static void
nodes(void **state)
{
	static const char *const a[] = {"g/a"}, *const broken[] = {"g/broken"}, *const none[] = {"nix"};
	static const char *const all[] = {"g"};
	const zinc_copy_choice good = {"g/a", "codecs", "none"}, bad = {"g/b", "codecs", "none"};
	const zinc_copy_choice rank = {"g/a", "chunks", "1,1"}, unknown = {"g/a", "nix", "1"};
	uint64_t n;

	(void)state;
	assert_int_equal(try(NULL, NULL, NULL, &n), ZINC_E_CORRUPT);
	assert_int_equal(try(a, NULL, NULL, &n), ZINC_E_CORRUPT);
	assert_int_equal(try(NULL, broken, NULL, &n), ZINC_OK); /* (3) */
	assert_int_equal(n, 2);
	assert_int_equal(try(a, broken, NULL, &n), ZINC_OK); /* (4): with x, which is above */
	assert_int_equal(n, 2);
	assert_int_equal(try(NULL, all, NULL, &n), ZINC_OK);
	assert_int_equal(n, 1);
	assert_int_equal(try(none, broken, NULL, &n), ZINC_E_INVALID); /* (2) */
	assert_int_equal(try(NULL, none, NULL, &n), ZINC_E_CORRUPT);
	assert_int_equal(try(NULL, broken, &good, &n), ZINC_OK);
	assert_int_equal(try(NULL, broken, &bad, &n), ZINC_E_INVALID);
	assert_int_equal(try(NULL, broken, &rank, &n), ZINC_E_INVALID);
	assert_int_equal(try(NULL, broken, &unknown, &n), ZINC_E_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(patterns),
	    cmocka_unit_test(long_patterns),
	    cmocka_unit_test(nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
