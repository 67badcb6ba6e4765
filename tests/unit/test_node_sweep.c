/*
 * test_node_sweep.c - every allocation and every OS call of the rooms format and node fails in turn
 *
 * Before each run a small tree is created on disk.  Whatever failed, afterwards every document is complete, no array
 * has lost a part of its data, the change was made or not made, and the hierarchy still works.
 */
#include <errno.h>
#include <zinc/tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "format/format.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"

/* ---- the tree ---- */

static const struct {
	const char *path, *text;
} files[] = {
    {"t.zarr/zarr.json", COPIES("\"g\": " GROUP ", \"g/a\": " ARRAY)},
    {"t.zarr/g/zarr.json", GROUP},
    {"t.zarr/g/a/zarr.json", ARRAY_WITH(", \"attributes\": {\"k\": 1, \"n\": 1.50}")},
    {"t.zarr/g/a/c/0", "1122"},
    {"t.zarr/g/a/c/1", "1122"},
    {"t.zarr/h/i/b/zarr.json", ARRAY},
};

static const char *planted; /* the root's document of an untouched tree; NULL: it was touched */

static void
plant_with(const char *document)
{
	size_t i;

	if (planted == document)
		return;
	remove_tree("t.zarr");
	for (i = 0; i < COUNT(files); i++)
		write_file(files[i].path, files[i].text);
	write_file(files[0].path, document);
	planted = document;
}

static void
plant(void *arg)
{
	(void)arg;
	plant_with(files[0].text);
}

/* The same without consolidated metadata. */
static void
plant_plain(void *arg)
{
	static const char group[] = GROUP;

	(void)arg;
	plant_with(group);
}

/* ---- checking the final state ---- */

static int
no_problem(void *arg, const zinc_node *node)
{
	(void)arg;
	if (node->problem)
		fail_msg("%s: %s", node->path, node->problem);
	return 0;
}

static zinc_hierarchy *
look(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	assert_ok(zinc_hierarchy_open_url(&h, "t.zarr", ZINC_OPEN_OPTIONS(.create = 1, .relaxed = 1), &err));
	if (exists("t.zarr/zarr.json"))
		assert_ok(zinc_node_walk(h, "/", -1, no_problem, NULL, NULL, &err));
	if (exists("t.zarr/g/a/zarr.json"))
		assert_true(exists("t.zarr/g/a/c/0") && exists("t.zarr/g/a/c/1"));
	return h;
}

/* ---- scenarios ---- */

static int relaxed; /* durable puts are swept by the tests of the store; one scenario here also waits for the disk */

static zinc_status
open_tree(zinc_hierarchy **h, zinc_context *ctx, zinc_error *err)
{
	return zinc_hierarchy_open_url(h, "t.zarr|g/a", ZINC_OPEN_OPTIONS(.context = ctx, .relaxed = relaxed), err);
}

static int
count(void *arg, const zinc_node *node)
{
	(void)node;
	++*(int *)arg;
	return 0;
}

struct listing {
	int n;
	bool failed;
};

/* A document that cannot be read is a separate result in a listing; here it must be the planned failure. */
static int
count_failed(void *arg, const zinc_node *node)
{
	struct listing *l = arg;

	if (node->problem)
		assert_int_equal(node->problem_code, ZINC_E_IO);
	l->failed = l->failed || node->problem;
	l->n++;
	return 0;
}

static zinc_status
run_walk(void *arg, zinc_context *ctx, zinc_error *err)
{
	struct listing l = {0, false};
	zinc_hierarchy *h = NULL;
	zinc_status st = open_tree(&h, ctx, err);

	if (st == ZINC_OK)
		st = zinc_node_walk(h, "/", -1, count_failed, &l, NULL, err);
	if (st == ZINC_OK)
		st = zinc_node_children(h, "/g", count_failed, &l, NULL, err);
	if (st == ZINC_OK)
		st = zinc_node_stat(h, "/g/a", count_failed, &l, NULL, err);
	assert_true(st != ZINC_OK || l.failed || l.n >= 5);
	zinc_hierarchy_close(h);
	(void)arg;
	return st;
}

static zinc_status
run_read(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT, attributes = ZINC_BLOB_INIT;
	zinc_hierarchy *h = NULL;
	zinc_node_kind kind;
	zinc_status st = open_tree(&h, ctx, err);

	if (st == ZINC_OK)
		st = zinc_node_exists(h, "/g", &kind, NULL, err);
	if (st == ZINC_OK)
		st = zinc_node_document(h, "/g/a", &text, NULL, err);
	if (st == ZINC_OK)
		st = zinc_attributes_get(h, "/g/a", NULL, &attributes, NULL, err);
	if (st == ZINC_OK)
		assert_string_equal(attributes.data, "{\"k\":1,\"n\":1.50}");
	zinc_blob_fini(&attributes);
	zinc_blob_fini(&text);
	zinc_hierarchy_close(h);
	(void)arg;
	return st;
}

static zinc_status
run_create(void *arg, zinc_context *ctx, zinc_error *err)
{
	planted = NULL;
	(void)arg;
	return zinc_group_create_url("t.zarr|g/new/deep", "{\"x\": [1, 2]}", 0,
				     ZINC_OPEN_OPTIONS(.context = ctx, .relaxed = relaxed), err);
}

static void
after_create(void *arg, zinc_status st)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = look();
	zinc_node_kind kind = ZINC_NODE_NONE;

	assert_ok(zinc_node_exists(h, "/g/new/deep", &kind, NULL, &err));
	if (st == ZINC_OK)
		assert_int_equal(kind, ZINC_NODE_GROUP);
	if (kind == ZINC_NODE_NONE)
		assert_ok(zinc_group_create(h, "/g/new/deep", NULL, 0, NULL, &err));
	zinc_hierarchy_close(h);
	(void)arg;
}

static zinc_status
run_edit(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const zinc_attribute changes[] = {{"k", NULL}, {"l", "{\"m\": 2}"}};
	zinc_hierarchy *h = NULL;
	zinc_status st = open_tree(&h, ctx, err);

	if (st == ZINC_OK)
		st = zinc_attributes_edit(h, "/g/a", changes, COUNT(changes), NULL, err);
	zinc_hierarchy_close(h);
	planted = NULL;
	(void)arg;
	return st;
}

static void
after_edit(void *arg, zinc_status st)
{
	static const char old[] = "{\"k\":1,\"n\":1.50}", new[] = "{\"n\":1.50,\"l\":{\"m\":2}}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_hierarchy *h = look();

	assert_ok(zinc_attributes_get(h, "/g/a", NULL, &text, NULL, &err));
	assert_true(strcmp(text.data, new) == 0 || (st != ZINC_OK && strcmp(text.data, old) == 0));
	zinc_blob_fini(&text);
	zinc_hierarchy_close(h);
	(void)arg;
}

static zinc_status
run_erase(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_tree(&h, ctx, err);

	if (st == ZINC_OK)
		st = zinc_node_erase(h, "/g", NULL, err);
	zinc_hierarchy_close(h);
	planted = NULL;
	(void)arg;
	return st;
}

static void
after_erase(void *arg, zinc_status st)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = look();
	zinc_status again = zinc_node_erase_with(h, "/g", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err);

	assert_true(again == ZINC_OK || again == ZINC_E_NOTFOUND);
	if (st == ZINC_OK)
		assert_int_equal(again, ZINC_E_NOTFOUND);
	assert_false(exists("t.zarr/g/a/c/0") || exists("t.zarr/g/zarr.json"));
	zinc_hierarchy_close(h);
	(void)arg;
}

static zinc_status
run_consolidate(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_tree(&h, ctx, err);

	if (st == ZINC_OK)
		st = zinc_consolidate(h, "/", 0, NULL, err);
	zinc_hierarchy_close(h);
	planted = NULL;
	(void)arg;
	return st;
}

/* Remaining metadata is current: the root, two groups, two arrays; or implicit groups without copies. */
static void
after_consolidate(void *arg, zinc_status st)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = look();
	int n = 0;

	assert_ok(zinc_node_walk(h, "/", -1, count, &n, NULL, &err));
	assert_int_equal(n, 6);
	zinc_hierarchy_close(h);
	(void)arg, (void)st;
}

static zinc_status
run_copy(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_tree(&h, ctx, err);

	if (st == ZINC_OK)
		st = zinc_node_copy(h, "/g", h, "/copy", NULL, err);
	zinc_hierarchy_close(h);
	planted = NULL;
	(void)arg;
	return st;
}

static void
after_copy(void *arg, zinc_status st)
{
	const bool there = exists("t.zarr/copy/zarr.json");

	zinc_hierarchy_close(look());
	assert_true(there || st != ZINC_OK);
	if (there)
		assert_true(exists("t.zarr/copy/a/zarr.json") && exists("t.zarr/copy/a/c/0") &&
			    exists("t.zarr/copy/a/c/1"));
	(void)arg;
}

/* Documents alone: with all options, then described, resized and parsed. */
static zinc_status
build_array(zinc_hierarchy *h, zinc_buf *text, zinc_error *err)
{
	static const uint64_t shape[] = {64, 64}, bigger[] = {128, 64}, chunks[] = {8, 8}, shards[] = {32, 32};
	static const char *const names[] = {"y", NULL};
	const zinc_array_options o = {sizeof o,
				      .ndim = 2,
				      .shape = shape,
				      .dtype = "complex64",
				      .chunks = chunks,
				      .shards = shards,
				      .codecs = "zstd:3+crc32c",
				      .fill = "[\"NaN\", 1]",
				      .dimension_names = names,
				      .attributes = "{\"a\": {\"b\": []}}",
				      .key_encoding = "v2",
				      .fortran = 1};
	zinc_meta *m = NULL, *big = NULL;
	zinc_json_doc *doc = NULL;
	zinc_status st = zinc_document_build(&doc, h->ctx, &o, err);

	if (st == ZINC_OK)
		st = zinc_meta_from_v3(&m, h, doc, err);
	if (st == ZINC_OK)
		st = zinc_meta_resized(&big, m, bigger, err);
	if (st == ZINC_OK)
		st = zinc_meta_describe(h, "/x", big, text, err);
	zinc_meta_free(big);
	zinc_meta_free(m);
	zinc_json_free(doc);
	return st;
}

static zinc_status
run_build(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_tree(&h, ctx, err);
	zinc_buf text;

	zinc_buf_init(&text, ctx, 100000);
	if (st == ZINC_OK)
		st = build_array(h, &text, err);
	if (st == ZINC_OK)
		assert_non_null(strstr(zinc_buf_text(&text), "\"shape\":[128,64]"));
	zinc_buf_fini(&text);
	zinc_hierarchy_close(h);
	(void)arg;
	return st;
}

/* A document full of faults, with and without a collector. */
static void
ignore(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	(void)arg, (void)severity, (void)rule, (void)pointer, (void)message;
}

static zinc_status
run_faults(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char *const documents[] = {
	    ARRAY_WITH(", \"new\": 1, \"dimension_names\": [\"x\"], \"storage_transformers\": [\"st\"]"),
	    ARRAY_WITH(", \"attributes\": 7, \"dimension_names\": []"),
	};
	zinc_report r;
	size_t i;

	for (i = 0; i < COUNT(documents); i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_meta *m = NULL;
		zinc_status st;

		zinc_report_init(&r, ctx, false, "");
		r.found = ignore;
		st = zinc_text_parse(&zinc_format_v3, ctx, documents[i], strlen(documents[i]), &r, &m, &e);
		zinc_meta_free(m);
		if (st == ZINC_E_NOMEM)
			return zinc_error_copy(err, &e);
		assert_int_equal(st, i == 0 ? ZINC_OK : ZINC_E_CORRUPT);
	}
	(void)arg;
	return ZINC_OK;
}

/* ---- the sweeps ---- */

static const struct {
	const char *name;
	sweep_scenario scenario;
} scenarios[] = {
    {"walk, consolidated", {.run = run_walk, .before = plant}},
    {"walk, stored", {.run = run_walk, .before = plant_plain}},
    {"read", {.run = run_read, .before = plant}},
    {"create", {.run = run_create, .before = plant, .after = after_create}},
    {"edit", {.run = run_edit, .before = plant, .after = after_edit}},
    {"erase", {.run = run_erase, .before = plant, .after = after_erase}},
    {"consolidate", {.run = run_consolidate, .before = plant_plain, .after = after_consolidate}},
    {"copy", {.run = run_copy, .before = plant, .after = after_copy}},
    {"build", {.run = run_build, .before = plant}},
    {"faults", {.run = run_faults}},
};

static void
test_allocations(void **state)
{
	unsigned long n, all = 0;
	size_t i;

	(void)state;
	relaxed = 1;
	for (i = 0; i < COUNT(scenarios); i++) {
		n = sweep_alloc_scenario(&scenarios[i].scenario);
		assert_true(n > 5);
		all += n;
	}
	printf("%lu allocations failed\n", all);
}

static void
test_os_calls(void **state)
{
	static const int errnums[] = {EIO, ENOSPC, 0};
	unsigned long n, all = 0;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(scenarios) - 1; i++) { /* the last one makes no calls */
		relaxed = scenarios[i].scenario.run != run_create;
		n = sweep_os_scenario(&scenarios[i].scenario, errnums);
		assert_true(n > 5);
		all += n;
	}
	printf("%lu OS calls failed\n", all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_allocations),
	    cmocka_unit_test(test_os_calls),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
