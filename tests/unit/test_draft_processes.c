/*
 * test_draft_processes.c - many processes on one hierarchy of a draft, and drafts with failing allocations
 *
 * Creating needs no coordination: documents have their own keys, and no ancestor changes (20-87, 20-88,
 * 22-113, 22-114).
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/format.h"
#include "sweep.h"
#include "test.h"

static const char *const drafts[] = {"v3-2019", "v3-2020", "v3-2022"};

enum { PROCESSES = 8 };

#define EACH MANY(125) /* arrays of each process */

/* ---- processes ---- */

/* One process makes its share, also the entry point if it is the first. */
static int
make_share(const char *url, const char *format, int process)
{
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	char path[64];
	int i;

	if (zinc_hierarchy_open_url(&h, url, ZINC_OPEN_OPTIONS(.format = format, .create = 1, .relaxed = 1), NULL))
		return 1;
	for (i = 0; i < EACH; i++) {
		const uint64_t shape = (uint64_t)(process * EACH + i + 1);

		snprintf(path, sizeof path, "/shared/p%d/a%d", i % 7, process * EACH + i);
		if (zinc_array_create(
			&a, h, path, ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &shape, .dtype = "int16", .codecs = "none"),
			NULL))
			return 2;
		zinc_array_close(a);
	}
	zinc_hierarchy_close(h);
	return 0;
}

static int
count_arrays(void *arg, const zinc_node *node)
{
	assert_null(node->problem);
	*(int *)arg += node->kind == ZINC_NODE_ARRAY;
	return 0;
}

static void
test_processes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	char url[64], command[128];
	int i, status, arrays;
	size_t d;

	(void)state;
	for (d = 0; d < sizeof drafts / sizeof *drafts; d++) {
		pid_t child[PROCESSES];

		snprintf(url, sizeof url, "/dev/shm/zinc-draft-%ld.zarr", (long)getpid());
		for (i = 0; i < PROCESSES; i++) {
			child[i] = fork();
			assert_true(child[i] >= 0);
			if (child[i] == 0)
				_exit(make_share(url, drafts[d], i));
		}
		for (i = 0; i < PROCESSES; i++) {
			assert_int_equal(waitpid(child[i], &status, 0), child[i]);
			assert_int_equal(status, 0);
		}
		assert_ok(zinc_hierarchy_open_url(&h, url, NULL, &err));
		assert_string_equal(zinc_hierarchy_format(h), drafts[d]);
		arrays = 0;
		assert_ok(zinc_node_walk(h, "/", -1, count_arrays, &arrays, NULL, &err));
		assert_int_equal(arrays, PROCESSES * EACH);
		assert_ok(zinc_node_erase(h, "/", NULL, &err));
		zinc_hierarchy_close(h);
		snprintf(command, sizeof command, "rm -rf %s", url);
		assert_int_equal(system(command), 0);
	}
}

/* ---- memory ---- */

static int
look(void *arg, const zinc_node *node)
{
	(void)arg, (void)node;
	return 0;
}

/* that of zarr-python, only in the draft of 2020; written, read and removed. */
static zinc_status
live_copies(zinc_hierarchy *h, zinc_error *err)
{
	int has = 0;

	ZINC_TRY(zinc_consolidate(h, "/", 0, NULL, err));
	ZINC_TRY(zinc_consolidated(h, "/", &has, NULL, err));
	assert_int_equal(has, 1);
	return zinc_consolidate(h, "/", 1, NULL, err);
}

/* Everything that a draft does, in a store in memory. */
static zinc_status
live(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t shape[2] = {5, 4}, chunks[2] = {2, 2}, shards[2] = {4, 4};
	const char *format = arg;
	const bool shard = strcmp(format, "v3-2019") != 0;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_store *store;
	zinc_status st;
	zinc_blob json = ZINC_BLOB_INIT;

	ZINC_TRY(zinc_store_open(&store, "memory://draft-sweep", ZINC_STORE_OPTIONS(.context = ctx), err));
	st = zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.context = ctx, .format = format, .create = 1), err);
	if (st == ZINC_OK)
		st = zinc_array_create(&a, h, "/g/a",
				       ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks,
							  .shards = shard ? shards : NULL, .dtype = ">f4",
							  .fill = "NaN", .fortran = 1, .codecs = "gzip:1",
							  .attributes = "{\"a\": 1}", .overwrite = 1),
				       err);
	zinc_array_close(a);
	a = NULL;
	if (st == ZINC_OK)
		st = zinc_array_create(&a, h, "/g/m",
				       ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "M8[ns]", .overwrite = 1),
				       err);
	zinc_array_close(a);
	if (st == ZINC_OK)
		st = zinc_attributes_edit(h, "/g", &(zinc_attribute){.key = "k", .json = "2"}, 1, NULL, err);
	if (st == ZINC_OK)
		st = zinc_node_walk(h, "/", -1, look, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_node_children(h, "/g", look, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_attributes_get(h, "/g/a", "a", &json, NULL, err);
	zinc_blob_fini(&json);
	if (st == ZINC_OK && strcmp(format, "v3-2020") == 0)
		st = live_copies(h, err);
	if (st == ZINC_OK)
		st = zinc_node_keep_parents(h, "/g/a", NULL, err);
	if (st == ZINC_OK)
		st = zinc_node_erase(h, "/", NULL, err);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	return st;
}

static void
test_memory(void **state)
{
	size_t d;

	(void)state;
	for (d = 0; d < sizeof drafts / sizeof *drafts; d++)
		assert_true(sweep_alloc(live, (void *)(uintptr_t)drafts[d]) > 500);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_processes), cmocka_unit_test(test_memory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
