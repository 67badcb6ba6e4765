/* test_node.c - existence, documents, listings */
#include <string.h>
#include <sys/stat.h>

#include "nodes.h"
#include "support/files.h"
#include "test.h"

static void
test_exists(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_node_kind kind;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", ARRAY);
	forest_put(&f, "bad/zarr.json", "{");
	assert_ok(zinc_node_exists(f.h, "/", &kind, NULL, &err));
	assert_int_equal(kind, ZINC_NODE_GROUP);
	forest_counts(&f);
	assert_ok(zinc_node_exists(f.h, "a", &kind, NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(n.get_calls, 1);
	assert_int_equal(n.get_requests, 1);
	assert_int_equal(n.list_calls, 0);
	assert_int_equal(kind, ZINC_NODE_ARRAY);
	assert_ok(zinc_node_exists(f.h, "/a/c", &kind, NULL, &err));
	assert_int_equal(kind, ZINC_NODE_NONE);
	assert_ok(zinc_node_exists(f.h, "/A", &kind, NULL, &err)); /* names are compared by case (M34) */
	assert_int_equal(kind, ZINC_NODE_NONE);
	assert_int_equal(zinc_node_exists(f.h, "/bad", &kind, NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_node_exists(f.h, "/..", &kind, NULL, &err), ZINC_E_INVALID);
	forest_close(&f);
}

struct seen {
	int n;
	char name[32], path[32], key[64], attributes[64];
	int depth, ndim, implicit;
	zinc_status problem;
	char text[256];
};

static int
look(void *arg, const zinc_node *node)
{
	struct seen *s = arg;

	s->n++;
	assert_int_equal(node->size, sizeof *node);
	strncpy(s->name, node->name, sizeof s->name - 1);
	strncpy(s->path, node->path, sizeof s->path - 1);
	strncpy(s->key, node->metadata_key, sizeof s->key - 1);
	strncpy(s->attributes, node->attributes, sizeof s->attributes - 1);
	strncpy(s->text, node->problem ? node->problem : "", sizeof s->text - 1);
	s->depth = node->depth;
	s->implicit = node->implicit;
	s->problem = node->problem_code;
	s->ndim = node->array ? node->array->ndim : -1;
	return 0;
}

static void
test_stat(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct seen s = {0};
	forest f;

	(void)state;
	forest_open(&f, "root", ZINC_LENIENT);
	forest_put(&f, "root/zarr.json", GROUP);
	forest_put(&f, "root/a/b/zarr.json", ARRAY_WITH(", \"attributes\": {\"n\": 1.50}"));
	assert_ok(zinc_node_stat(f.h, "/a/b", look, &s, NULL, &err));
	assert_int_equal(s.n, 1);
	assert_string_equal(s.name, "b");
	assert_string_equal(s.path, "/a/b");
	assert_string_equal(s.key, "root/a/b/zarr.json");
	assert_string_equal(s.attributes, "{\"n\":1.50}");
	assert_int_equal(s.depth, 0);
	assert_int_equal(s.ndim, 1);
	assert_ok(zinc_node_stat(f.h, "/", look, &s, NULL, &err));
	assert_string_equal(s.name, "");
	assert_string_equal(s.attributes, "{}");
	assert_int_equal(s.ndim, -1);
	assert_ok(zinc_node_stat(f.h, "/a", look, &s, NULL, &err));
	assert_int_equal(s.implicit, 1);
	assert_string_equal(s.key, "");
	assert_int_equal(zinc_node_stat(f.h, "/c", look, &s, NULL, &err), ZINC_E_NOTFOUND);
	/* depth counts from the given node */
	assert_ok(zinc_node_walk(f.h, "/", -1, look, &s, NULL, &err));
	assert_int_equal(s.depth, 2);
	assert_ok(zinc_node_children(f.h, "/a", look, &s, NULL, &err));
	assert_int_equal(s.depth, 1);
	forest_close(&f);
}

/* (1) */
static void
test_problems(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct seen s = {0};
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"new\": 1}");
	assert_ok(zinc_node_stat(f.h, "/", look, &s, NULL, &err));
	assert_int_equal(s.problem, ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(s.text, "M16"));
	forest_put(&f, "zarr.json", "[]");
	assert_ok(zinc_node_stat(f.h, "/", look, &s, NULL, &err));
	assert_int_equal(s.problem, ZINC_E_CORRUPT);
	assert_non_null(strstr(s.text, "M2"));
	assert_int_equal(s.ndim, -1);
	forest_close(&f);
}

static void
test_document(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "a/zarr.json", " {\"any\":\t1.0 } \n");
	assert_ok(zinc_node_document(f.h, "/a", &text, NULL, &err));
	assert_string_equal(text.data, " {\"any\":\t1.0 } \n");
	zinc_blob_fini(&text);
	assert_int_equal(zinc_node_document(f.h, "/b", &text, NULL, &err), ZINC_E_NOTFOUND);
	assert_string_equal(err.key, "b/zarr.json");
	forest_close(&f);
}

struct opened {
	zinc_array *array;
	uint64_t shown; /* extent */
};

static int
open_array(void *arg, const zinc_node *node)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct opened *o = arg;

	if (!node->array)
		return 0;
	o->shown = node->array->shape[0];
	assert_ok(zinc_array_info_open(&o->array, node->array, NULL, &err));
	return 1;
}

/* The handle outlives the listing, and costs no further request.  Consolidated metadata may be older than the document,
 * so the handle has what the document says. */
static void
test_open_listed(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	struct opened o = {.array = NULL};
	char longer[] = ARRAY;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", ARRAY);
	forest_counts(&f);
	assert_ok(zinc_node_walk(f.h, "/", -1, open_array, &o, NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(n.get_requests, 2); /* the two documents */
	assert_int_equal(zinc_array_shape(o.array)[0], o.shown);
	assert_string_equal(zinc_array_path(o.array), "/a");
	assert_ok(zinc_array_refresh(o.array, NULL, &err));
	zinc_array_close(o.array);

	assert_ok(zinc_consolidate(f.h, "/", 0, NULL, &err));
	strstr(longer, "[4]")[1] = '9';
	forest_put(&f, "a/zarr.json", longer);
	assert_ok(zinc_node_walk(f.h, "/", -1, open_array, &o, NULL, &err));
	assert_int_equal(o.shown, 4);
	assert_int_equal(zinc_array_shape(o.array)[0], 9);
	zinc_array_close(o.array);
	forest_close(&f);
}

/* (3) */
static void
test_errors(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_node_kind kind;
	zinc_blob json = ZINC_BLOB_INIT;
	struct seen s = {0};
	forest f;

	(void)state;
	forest_open(&f, "root", ZINC_LENIENT);
	forest_put(&f, "root/zarr.json", GROUP);
	forest_put(&f, "root/root/zarr.json", "{");
	assert_int_equal(zinc_node_exists(f.h, "/root", &kind, NULL, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.key, "root/zarr.json");
	assert_int_equal(zinc_attributes_get(f.h, "/root", NULL, &json, NULL, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.key, "root/zarr.json");
	assert_int_equal(zinc_attributes_edit(f.h, "/root", &(zinc_attribute){"a", "1"}, 1, NULL, &err),
			 ZINC_E_CORRUPT);
	assert_string_equal(err.key, "root/zarr.json");
	assert_int_equal(zinc_node_children(f.h, "/none", look, &s, NULL, &err), ZINC_E_NOTFOUND);
	assert_string_equal(err.key, "none/zarr.json");
	assert_int_equal(zinc_node_document(f.h, "/none", &json, NULL, &err), ZINC_E_NOTFOUND);
	assert_string_equal(err.key, "none/zarr.json");
	assert_int_equal(zinc_group_create(f.h, "/", NULL, 0, NULL, &err), ZINC_E_EXISTS);
	assert_string_equal(err.key, "zarr.json");
	forest_close(&f);
}

static int
count_until(void *arg, const zinc_node *node)
{
	int *left = arg;

	(void)node;
	return --*left == 0;
}

/* A document that cannot be read: is the failure one of the nodes that were shown, and has everything been shown? */
static void
test_shown(void **state)
{
	const zinc_attribute edit = {"a", "1"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	int left = 99;

	(void)state;
	make_empty("d");
	write_file("d/zarr.json", GROUP);
	write_file("d/a/zarr.json", GROUP);
	make_empty("d/b");
	assert_int_equal(mkfifo("d/b/zarr.json", 0666), 0);
	write_file("d/c/zarr.json", GROUP);
	assert_ok(zinc_hierarchy_open_url(&h, "d", NULL, &err));
	assert_int_equal(zinc_node_walk(h, "/", -1, count_until, &left, NULL, &err), ZINC_E_IO);
	assert_int_equal(left, 99 - 4);
	assert_true(err.shown);
	left = 3; /* the last node is not shown */
	assert_int_equal(zinc_node_walk(h, "/", -1, count_until, &left, NULL, &err), ZINC_E_IO);
	assert_false(err.shown);
	left = 99;
	assert_int_equal(zinc_node_children(h, "/", count_until, &left, NULL, &err), ZINC_E_IO);
	assert_true(err.shown);
	assert_int_equal(zinc_attributes_edit(h, "/b", &edit, 1, NULL, &err), ZINC_E_IO);
	assert_false(err.shown);
	zinc_hierarchy_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exists),   cmocka_unit_test(test_stat),   cmocka_unit_test(test_problems),
	    cmocka_unit_test(test_document), cmocka_unit_test(test_errors), cmocka_unit_test(test_open_listed),
	    cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
