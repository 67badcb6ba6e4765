/* test_format_v3_walk.c - children and walks, promise by promise */
#include <stdio.h>
#include <string.h>

#include "nodes.h"
#include "test.h"

/* A group with two arrays, a group with an array, names that are not nodes, chunks. */
static void
plant(forest *f)
{
	forest_put(f, "zarr.json", GROUP);
	forest_put(f, "a/zarr.json", GROUP);
	forest_put(f, "a/x/zarr.json", ARRAY);
	forest_put(f, "a/x/c/0", "1122");
	forest_put(f, "a-b/zarr.json", ARRAY);
	forest_put(f, "a-b/c/zarr.json", ARRAY); /* arrays have no children */
	forest_put(f, "z/zarr.json", ARRAY);
	forest_put(f, "__reserved/zarr.json", ARRAY);
	forest_put(f, "README", "hello");
}

/* (1) (2) */
static void
test_order(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	assert_string_equal(forest_list(&f, "/", -1), "G/ G/a A/a/x A/a-b A/z");
	assert_string_equal(forest_list(&f, "/", 1), "G/ G/a A/a-b A/z");
	assert_string_equal(forest_list(&f, "/", 0), "G/");
	assert_string_equal(forest_list(&f, "/", CHILDREN), "G/a A/a-b A/z");
	assert_string_equal(forest_list(&f, "a", -1), "G/a A/a/x");
	assert_string_equal(forest_list(&f, "/a/", CHILDREN), "A/a/x");
	assert_string_equal(forest_list(&f, "/z", -1), "A/z");
	assert_string_equal(forest_list(&f, "/z", CHILDREN), "");
	assert_string_equal(forest_list(&f, "/no", -1), "E_NOTFOUND");
	assert_string_equal(forest_list(&f, "/__reserved", -1), "E_INVALID");
	forest_close(&f);
}

/* The same below a prefix of the store: nothing outside it is listed. */
static void
test_prefix(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "deep/root", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "deep/zarr.json", GROUP);
	forest_put(&f, "deep/root/zarr.json", GROUP);
	forest_put(&f, "deep/root/a/zarr.json", ARRAY);
	assert_string_equal(forest_list(&f, "/", -1), "G/ A/a");
	forest_close(&f);
}

/* A listing is one get of its own document (and those above), one list_dir and one batched get; a walk the same per
 * group, and one list_dir of each array, except one that may have many chunks there. */
static void
test_counts(void **state)
{
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	forest_counts(&f);
	forest_list(&f, "/", CHILDREN);
	n = forest_counts(&f);
	assert_int_equal(n.get_calls, 2);
	assert_int_equal(n.get_requests, 1 + 3);
	assert_int_equal(n.list_calls, 1);
	forest_list(&f, "/", -1);
	n = forest_counts(&f);
	assert_int_equal(n.get_calls, 3);
	assert_int_equal(n.get_requests, 1 + 3 + 1);
	assert_int_equal(n.list_calls, 2 + 3);
	forest_list(&f, "/a/x", 0);
	n = forest_counts(&f);
	assert_int_equal(n.get_calls, 1);
	assert_int_equal(n.get_requests, 1);
	assert_int_equal(n.list_calls, 0);
	forest_close(&f);
}

/* (3) A damaged document is shown; a damaged group's children are shown, too. */
static void
test_problems(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", "{");
	forest_put(&f, "b/zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": 1}");
	forest_put(&f, "b/x/zarr.json", ARRAY);
	forest_put(&f, "c/zarr.json", ARRAY_WITH(", \"new\": 1"));
	forest_put(&f, "d/zarr.json", ARRAY);
	assert_string_equal(forest_list(&f, "/", -1), "G/ !/a:E_CORRUPT !/b:E_CORRUPT A/b/x !/c:E_UNSUPPORTED A/d");
	assert_string_equal(forest_list(&f, "/a", -1), "!/a:E_CORRUPT");
	assert_string_equal(forest_list(&f, "/a", CHILDREN), "E_CORRUPT");
	assert_string_equal(forest_list(&f, "/b", CHILDREN), "E_CORRUPT");
	forest_close(&f);
}

/* (4) */
static void
test_implicit(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/b/c/zarr.json", ARRAY);
	forest_put(&f, "d/c/0", "1122");
	assert_string_equal(forest_list(&f, "/", -1), "G/ g/a g/a/b A/a/b/c");
	assert_int_equal(f.warnings, 2);
	assert_non_null(strstr(f.warning, "M25"));
	assert_string_equal(forest_list(&f, "/a", CHILDREN), "g/a/b");
	assert_string_equal(forest_list(&f, "/d", -1), "E_NOTFOUND");
	forest_close(&f);

	forest_open(&f, "", ZINC_STRICT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/b/zarr.json", ARRAY);
	assert_string_equal(forest_list(&f, "/", -1), "G/ !/a:E_CORRUPT A/a/b");
	forest_close(&f);
}

/* Consolidated metadata: a whole tree in one get, with both spellings of paths and gaps. */
static void
test_consolidated(void **state)
{
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json",
		   COPIES("\"/b\": " GROUP ", \"b\": " GROUP ", \"b/x\": " ARRAY ", \"a-b\": " ARRAY ", \"a\": " GROUP
			  ", \"q/r/s\": " ARRAY ", \"b/y\": {}"));
	forest_put(&f, "b/zarr.json", GROUP);
	forest_counts(&f);
	assert_string_equal(forest_list(&f, "/", -1), "G/ G/a A/a-b G/b A/b/x !/b/y:E_CORRUPT g/q g/q/r A/q/r/s");
	n = forest_counts(&f);
	assert_int_equal(n.get_calls, 1);
	assert_int_equal(n.list_calls, 0);
	assert_string_equal(forest_list(&f, "/", 1), "G/ G/a A/a-b G/b g/q");
	assert_string_equal(forest_list(&f, "/", CHILDREN), "G/a A/a-b G/b g/q");
	forest_counts(&f);
	assert_string_equal(forest_list(&f, "/b", -1), "G/b A/b/x !/b/y:E_CORRUPT");
	n = forest_counts(&f);
	assert_int_equal(n.get_calls, 1); /* its own document and the root's, in one batch */
	assert_int_equal(n.get_requests, 2);
	assert_int_equal(n.list_calls, 0);
	forest_close(&f);
}

/* Names in consolidated metadata that no node can have are hidden, and no terminal obeys them. */
static void
test_bad_copies(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json",
		   COPIES("\"../up\": " GROUP ", \"\": " GROUP ", \"a//b\": " GROUP ", \"a/\": " GROUP
			  ", \"__a\": " GROUP ", \"ok\": " GROUP ", \"o\\u0000k\": " GROUP
			  ", \"x/\\u001b[2J\": " GROUP));
	assert_string_equal(forest_list(&f, "/", -1), "G/ ?/../up ?/__a ?/a/ ?/a//b ?/o G/ok ?/x/\\x1b[2J");
	assert_string_equal(forest_list(&f, "/", CHILDREN), "?/__a ?/o G/ok");
	assert_true(f.warnings >= 5);
	forest_close(&f);
}

/* (6) Children of other versions are hidden, and so are invalid names; an entry without a document is not a child. */
static void
test_hidden(void **state)
{
	static const char draft[] = "{\"zarr_format\": \"https://purl.org/zarr/spec/core/3.0\"}";
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", ARRAY);
	forest_put(&f, "v2/.zgroup", "{\"zarr_format\": 2}");
	forest_put(&f, "v2/x/.zarray", "{}");
	forest_put(&f, "draft/zarr.json", draft);
	forest_put(&f, "other/zarr.json", "{\"zarr_format\": \"https://purl.org/zarr/spec/v9\"}");
	forest_put(&f, ".../zarr.json", GROUP);
	forest_put(&f, "...2/zarr.json", GROUP);
	forest_put(&f, "__mine/.zgroup", "{\"zarr_format\": 2}");
	forest_put(&f, "__notes/README", "hello");
	forest_put(&f, "notes/README", "hello");
	forest_put(&f, "__zinc_cp_pass/zarr.json", ARRAY);
	assert_string_equal(forest_list(&f, "/", -1), "G/ ?/... G/...2 A/a ?/draft ?/other ?/v2");
	assert_string_equal(forest_list(&f, "/", CHILDREN), "?/... G/...2 A/a ?/draft ?/other ?/v2");
	assert_string_equal(forest_list(&f, "/v2", -1), "E_NOTFOUND");
	forest_close(&f);
}

/* (2) (6) Nothing below an array is a node; nodes of other versions are all found, but only the topmost is reported. */
static void
test_below(void **state)
{
	static const char v2[] = "{\"zarr_format\": 2}";
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "g/a/zarr.json", ARRAY);
	forest_put(&f, "g/a/c/0/zarr.json", ARRAY); /* among chunks: only for calls that read every key */
	forest_put(&f, "g/a/__mine/zarr.json", ARRAY);
	forest_put(&f, "g/a/n/m/zarr.json", ARRAY);
	forest_put(&f, "g/a/n/zarr.json", GROUP);
	forest_put(&f, "g/a/o/p/.zarray", v2);
	forest_put(&f, "g/a/q/README", "hello");
	forest_put(&f, "x/y/.zgroup", v2);
	forest_put(&f, "x/y/k/.zarray", v2);
	forest_put(&f, "x/z/.zarray", v2);
	forest_put(&f, "x/README", "hello");
	assert_string_equal(forest_list(&f, "/", -1), "G/ g/g A/g/a ?/g/a/n ?/g/a/o/p ?/x/y ?/x/z");
	assert_string_equal(forest_list(&f, "/", CHILDREN), "g/g ?/x/y ?/x/z");
	assert_string_equal(forest_list(&f, "/g", 1), "g/g A/g/a");
	assert_string_equal(forest_list(&f, "/g/a", -1), "A/g/a ?/g/a/n ?/g/a/o/p");
	assert_string_equal(forest_list(&f, "/g/a", 0), "A/g/a");
	assert_string_equal(forest_list(&f, "/x", -1), "E_NOTFOUND");
	forest_close(&f);
}

static int
stop_at(void *arg, const zinc_node *node)
{
	(void)node;
	return --*(int *)arg == 0;
}

static void
test_stop(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;
	int left, i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	for (i = 1; i <= 5; i++) {
		left = i;
		assert_ok(zinc_node_walk(f.h, "/", -1, stop_at, &left, NULL, &err));
		assert_int_equal(left, 0);
	}
	forest_close(&f);
}

static int
count(void *arg, const zinc_node *node)
{
	char name[32];

	snprintf(name, sizeof name, "n%05d", (*(int *)arg)++);
	assert_string_equal(node->name, name);
	return 0;
}

/* More children than one window of documents. */
static void
test_many(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	char key[64];
	forest f;
	int i, seen = 0;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	for (i = 0; i < 2500; i++) {
		snprintf(key, sizeof key, "n%05d/zarr.json", i);
		forest_put(&f, key, i % 2 ? GROUP : ARRAY);
	}
	forest_counts(&f);
	assert_ok(zinc_node_children(f.h, "/", count, &seen, NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(seen, 2500);
	assert_int_equal(n.list_calls, 1);
	assert_int_equal(n.get_calls, 1 + 3);
	forest_close(&f);
}

/* (5) and limits.children */
static void
test_deep(void **state)
{
	enum { DEPTH = 500 };
	zinc_error err = ZINC_ERROR_INIT;
	char key[2 * DEPTH + 16] = "";
	int i, left = DEPTH + 1;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	for (i = 0; i <= DEPTH; i++) {
		memcpy(key + 2 * (size_t)i, "zarr.json", 10);
		forest_put(&f, key, GROUP);
		memcpy(key + 2 * (size_t)i, "d/", 3);
	}
	assert_ok(zinc_node_walk(f.h, "/", -1, stop_at, &left, NULL, &err));
	assert_int_equal(left, 0);
	forest_close(&f);
}

static void
test_limit(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_context *ctx = NULL;
	zinc_store *store = NULL;
	int left = 100;

	(void)state;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.limits = ZINC_LIMITS(.children = 3)), &err));
	assert_ok(zinc_store_open(&store, "memory://limit", ZINC_STORE_OPTIONS(.context = ctx), &err));
	assert_ok(zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.create = 1), &err));
	assert_ok(zinc_group_create(h, "a", NULL, 0, NULL, &err));
	assert_ok(zinc_group_create(h, "b", NULL, 0, NULL, &err));
	assert_ok(zinc_node_children(h, "/", stop_at, &left, NULL, &err));
	assert_ok(zinc_group_create(h, "c", NULL, 0, NULL, &err));
	assert_int_equal(zinc_node_children(h, "/", stop_at, &left, NULL, &err), ZINC_E_LIMIT);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	zinc_context_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),      cmocka_unit_test(test_prefix),   cmocka_unit_test(test_counts),
	    cmocka_unit_test(test_problems),   cmocka_unit_test(test_implicit), cmocka_unit_test(test_consolidated),
	    cmocka_unit_test(test_bad_copies), cmocka_unit_test(test_stop),     cmocka_unit_test(test_many),
	    cmocka_unit_test(test_deep),       cmocka_unit_test(test_limit),    cmocka_unit_test(test_hidden),
	    cmocka_unit_test(test_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
