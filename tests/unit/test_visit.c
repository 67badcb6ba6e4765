/*
 * test_visit.c - progress of calls that visit nodes, and stopping them by it
 */
#include <string.h>
#include <zinc/erase.h>
#include <zinc/tool.h>

#include "support/nodes.h"
#include "support/test.h"

#define GROUP "{\"zarr_format\": 3, \"node_type\": \"group\"}"

typedef struct told {
	int calls;
	int stop_at; /* which call returns stop; 0: none */
	uint64_t done, total, first_total;
} told;

static int
note(void *arg, uint64_t units_done, uint64_t units_total, uint64_t bytes_done)
{
	told *t = arg;

	assert_true(units_done >= t->done && units_done <= units_total);
	assert_int_equal(bytes_done, 0);
	if (t->calls == 0)
		t->first_total = units_total;
	t->done = units_done;
	t->total = units_total;
	return ++t->calls == t->stop_at;
}

static int
any_node(void *arg, const zinc_node *node)
{
	(void)node;
	++*(int *)arg;
	return 0;
}

/* /, /a, /a/b, /c */
static void
plant(forest *f)
{
	forest_open(f, "", ZINC_LENIENT);
	forest_put(f, "zarr.json", GROUP);
	forest_put(f, "a/zarr.json", GROUP);
	forest_put(f, "a/b/zarr.json", GROUP);
	forest_put(f, "c/zarr.json", GROUP);
}

static void
walks_count_nodes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	told all = {0}, cut = {.stop_at = 2}, below = {0}, one = {0};
	int shown = 0;
	forest f;

	(void)state;
	plant(&f);
	assert_ok(zinc_node_walk(f.h, "/", -1, any_node, &shown,
				 ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &all), &err));
	assert_true(shown == 4 && all.calls == 4 && all.done == 4 && all.total == 4);
	shown = 0;
	assert_int_equal(zinc_node_walk(f.h, "/", -1, any_node, &shown,
					ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &cut), &err),
			 ZINC_E_CANCELLED);
	assert_int_equal(shown, 2);
	assert_ok(zinc_node_children(f.h, "/", any_node, &shown,
				     ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &below), &err));
	assert_int_equal(below.done, 2);
	assert_ok(zinc_node_stat(f.h, "/a", any_node, &shown, ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &one),
				 &err));
	assert_int_equal(one.done, 1);
	forest_close(&f);
}

static void
consolidating_counts_nodes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	told all = {0}, cut = {.stop_at = 3};
	int has = -1;
	forest f;

	(void)state;
	plant(&f);
	assert_int_equal(zinc_consolidate(f.h, "/", 0, ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &cut), &err),
			 ZINC_E_CANCELLED);
	assert_ok(zinc_consolidated(f.h, "/", &has, NULL, &err));
	assert_int_equal(has, 0);
	assert_ok(zinc_consolidate(f.h, "/", 0, ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &all), &err));
	assert_true(all.calls >= 4 && all.done == all.total);
	assert_int_equal(all.done, 4); /* not twice, although they are visited twice */
	forest_close(&f);
}

/* It can be stopped after everything was checked, and then nothing is erased. */
static void
erasing_counts_nodes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	told all = {0}, cut = {.stop_at = 1}, late = {.stop_at = 2};
	zinc_node_kind kind;
	forest f;

	(void)state;
	plant(&f);
	assert_int_equal(zinc_node_erase(f.h, "/a", ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &cut), &err),
			 ZINC_E_CANCELLED);
	assert_true(cut.done == 0 && cut.total == 2);
	assert_ok(zinc_node_exists(f.h, "/a/b", &kind, NULL, &err));
	assert_int_equal(kind, ZINC_NODE_GROUP);
	assert_ok(zinc_node_erase(f.h, "/a", ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &all), &err));
	assert_true(all.calls == 2 && all.first_total == 2 && all.done == 2 && all.total == 2);
	assert_ok(zinc_node_exists(f.h, "/a", &kind, NULL, &err));
	assert_int_equal(kind, ZINC_NODE_NONE);
	assert_ok(zinc_node_erase(f.h, "/c", ZINC_CALL_OPTIONS(.progress = note, .progress_arg = &late), &err));
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(walks_count_nodes),
	    cmocka_unit_test(consolidating_counts_nodes),
	    cmocka_unit_test(erasing_counts_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
