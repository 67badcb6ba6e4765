/*
 * test_node_sweep_v2.c - every allocation and every OS call fails in turn, on a hierarchy of version 2
 *
 * As test_node_sweep.c does for the final version: whatever failed, every document is complete afterwards,
 * an array has all of its data, and the hierarchy still works.
 */
#include <errno.h>
#include <zinc/tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"

#define GROUP2 "{\"zarr_format\": 2}"
#define ARRAY2                                                                                                         \
	"{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"<i2\", \"compressor\": null, "             \
	"\"fill_value\": 7, \"order\": \"C\", \"filters\": null}"

static const struct {
	const char *path, *text;
} files[] = {
    {"s.zarr/.zgroup", GROUP2},
    {"s.zarr/.zmetadata", "{\"zarr_consolidated_format\": 1, \"metadata\": {}}"},
    {"s.zarr/g/.zgroup", GROUP2},
    {"s.zarr/g/a/.zarray", ARRAY2},
    {"s.zarr/g/a/.zattrs", "{\"k\": 1, \"n\": 1.50}"},
    {"s.zarr/g/a/0", "1122"},
    {"s.zarr/g/a/1", "1122"},
};

static void
plant(void *arg)
{
	size_t i;

	(void)arg;
	remove_tree("s.zarr");
	for (i = 0; i < COUNT(files); i++)
		write_file(files[i].path, files[i].text);
}

static int
no_problem(void *arg, const zinc_node *node)
{
	(void)arg;
	if (node->problem)
		fail_msg("%s: %s", node->path, node->problem);
	return 0;
}

/* Nothing is damaged, and an existing array has its data. */
static void
look(void *arg, zinc_status st)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	(void)arg, (void)st;
	assert_ok(
	    zinc_hierarchy_open_url(&h, "s.zarr", ZINC_OPEN_OPTIONS(.create = 1, .relaxed = 1, .format = "v2"), &err));
	if (exists("s.zarr/.zgroup"))
		assert_ok(zinc_node_walk(h, "/", -1, no_problem, NULL, NULL, &err));
	if (exists("s.zarr/g/a/.zarray"))
		assert_true(exists("s.zarr/g/a/0") && exists("s.zarr/g/a/1"));
	if (exists("s.zarr/copy/a/.zarray"))
		assert_true(exists("s.zarr/copy/a/0") && exists("s.zarr/copy/a/1"));
	zinc_hierarchy_close(h);
}

/* ---- scenarios ---- */

static zinc_status
with_tree(zinc_context *ctx, zinc_status (*fn)(zinc_hierarchy *h, zinc_error *err), zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st =
	    zinc_hierarchy_open_url(&h, "s.zarr", ZINC_OPEN_OPTIONS(.context = ctx, .relaxed = 1, .format = "v2"), err);

	if (st == ZINC_OK)
		st = fn(h, err);
	zinc_hierarchy_close(h);
	return st;
}

static int
count(void *arg, const zinc_node *node)
{
	(void)node;
	++*(int *)arg;
	return 0;
}

static zinc_status
walk(zinc_hierarchy *h, zinc_error *err)
{
	int n = 0;

	return zinc_node_walk(h, "/", -1, count, &n, NULL, err);
}

static zinc_status
create(zinc_hierarchy *h, zinc_error *err)
{
	static const uint64_t shape[] = {4};
	zinc_array *a = NULL;
	zinc_status st = zinc_array_create(
	    &a, h, "/g/new/b",
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int16", .attributes = "{\"x\": [1, 2]}"), err);

	zinc_array_close(a);
	return st;
}

static zinc_status
edit(zinc_hierarchy *h, zinc_error *err)
{
	static const zinc_attribute changes[] = {{"k", NULL}, {"l", "{\"m\": 2}"}};

	return zinc_attributes_edit(h, "/g/a", changes, COUNT(changes), NULL, err);
}

static zinc_status
erase(zinc_hierarchy *h, zinc_error *err)
{
	return zinc_node_erase(h, "/g", NULL, err);
}

static zinc_status
consolidate(zinc_hierarchy *h, zinc_error *err)
{
	return zinc_consolidate(h, "/", 0, NULL, err);
}

static zinc_status
copy(zinc_hierarchy *h, zinc_error *err)
{
	return zinc_node_copy(h, "/g", h, "/copy", NULL, err);
}

#define SCENARIO(name)                                                                                                 \
	static zinc_status run_##name(void *arg, zinc_context *ctx, zinc_error *err)                                   \
	{                                                                                                              \
		(void)arg;                                                                                             \
		return with_tree(ctx, name, err);                                                                      \
	}
SCENARIO(walk)
SCENARIO(create)
SCENARIO(edit)
SCENARIO(erase)
SCENARIO(consolidate)
SCENARIO(copy)

static const sweep_scenario scenarios[] = {
    {.run = run_walk, .before = plant, .after = look},        {.run = run_create, .before = plant, .after = look},
    {.run = run_edit, .before = plant, .after = look},        {.run = run_erase, .before = plant, .after = look},
    {.run = run_consolidate, .before = plant, .after = look}, {.run = run_copy, .before = plant, .after = look},
};

static void
test_allocations(void **state)
{
	unsigned long n, all = 0;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(scenarios); i++) {
		n = sweep_alloc_scenario(&scenarios[i]);
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
	for (i = 0; i < COUNT(scenarios); i++) {
		n = sweep_os_scenario(&scenarios[i], errnums);
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
