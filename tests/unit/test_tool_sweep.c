/*
 * test_tool_sweep.c - every allocation and every OS call of a validation fails in turn
 *
 * The place is created again before each run: valid and damaged documents and chunks, an orphan, a leftover, stale
 * consolidated metadata.  After each run, whatever failed, every document and every valid chunk is unchanged; a run
 * that returned ZINC_OK without reaching a failure has found everything.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zinc/tool.h>

#include "files.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"

#define PLACE "sweep.zarr"

static void
put_file(const char *path, const char *text)
{
	char full[128];

	snprintf(full, sizeof full, PLACE "/%s", path);
	write_file(full, text);
}

static void
lay_out(void *arg)
{
	(void)arg;
	make_empty(PLACE);
	mkdir(PLACE "/a", 0777);
	mkdir(PLACE "/a/c", 0777);
	mkdir(PLACE "/b", 0777);
	put_file("zarr.json", COPIES(""));
	put_file("a/zarr.json", ARRAY);
	put_file("a/c/0", "good");
	put_file("a/c/1", "bad");
	put_file("a/c/9", "orphan");
	put_file("a/c/0.__lock", "left over");
	put_file("b/zarr.json", "{");
}

static void
look(void *arg, zinc_status st)
{
	(void)arg, (void)st;
	assert_string_equal(read_text(PLACE "/a/zarr.json"), ARRAY);
	assert_string_equal(read_text(PLACE "/a/c/0"), "good");
	assert_string_equal(read_text(PLACE "/a/c/1"), "bad");
	assert_non_null(strstr(read_text(PLACE "/zarr.json"), "\"node_type\": \"group\""));
}

/* Without a failure this is found: a document, a chunk, stale copies, an orphan, a leftover. */
static zinc_status
check(zinc_context *ctx, int repair, zinc_error *err)
{
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	zinc_status st = zinc_validate(
	    PLACE, ZINC_VALIDATE_OPTIONS(.context = ctx, .repair = repair, .orphans = repair), NULL, NULL, &n, err);

	if (st == ZINC_OK)
		assert_true(n.errors + n.warnings + n.repaired >= 4);
	return st;
}

static zinc_status
check_only(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return check(ctx, 0, err);
}

static zinc_status
check_and_repair(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return check(ctx, 1, err);
}

static zinc_status
add_up(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_array *a = NULL;
	zinc_stored stored = ZINC_STORED_INIT;
	zinc_status st = zinc_array_open_url(&a, PLACE "/a", ZINC_OPEN_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_array_stored(a, &stored, NULL, err);
	if (st == ZINC_OK)
		assert_int_equal(stored.objects, 2);
	zinc_array_close(a);
	return st;
}

static int
see_usage(void *arg, const zinc_usage *usage)
{
	if (usage->depth == 0)
		assert_int_equal(usage->foreign + usage->objects, 6); /* the stale copies hide some of them */
	++*(int *)arg;
	return 0;
}

static zinc_status
use(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	int nodes = 0;
	zinc_status st = zinc_hierarchy_open_url(&h, PLACE, ZINC_OPEN_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_node_usage(h, "/", NULL, see_usage, &nodes, err);
	if (st == ZINC_OK)
		assert_true(nodes > 0);
	zinc_hierarchy_close(h);
	return st;
}

static int
ignore(void *arg, const char *key, const char *json)
{
	(void)arg, (void)key, (void)json;
	return 0;
}

static zinc_status
each_member(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return zinc_json_each(ctx, "{\"a\": [1, 2, 3], \"b\": {\"c\": \"d\"}}", ignore, NULL, err);
}

static void
test_memory(void **state)
{
	const sweep_scenario scenarios[] = {
	    {.run = check_only, .before = lay_out, .after = look},
	    {.run = check_and_repair, .before = lay_out, .after = look},
	    {.run = add_up, .before = lay_out, .after = look},
	    {.run = use, .before = lay_out, .after = look},
	    {.run = each_member},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(scenarios); i++)
		assert_true(sweep_alloc_scenario(&scenarios[i]) > 0);
}

static void
test_calls(void **state)
{
	static const int errnums[] = {EIO, EACCES, 0};
	const sweep_scenario scenarios[] = {
	    {.run = check_only, .before = lay_out, .after = look},
	    {.run = check_and_repair, .before = lay_out, .after = look},
	    {.run = add_up, .before = lay_out, .after = look},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(scenarios); i++)
		assert_true(sweep_os_scenario(&scenarios[i], errnums) > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
