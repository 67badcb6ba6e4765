/* test_copy_parts.c - one copy by several callers, promise by promise */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "test.h"

#define NARRAYS 7

static void
plant(forest *f)
{
	char key[40], value[32];
	int i, k;

	forest_put(f, "zarr.json", GROUP);
	for (i = 0; i < NARRAYS; i++) {
		snprintf(key, sizeof key, "a%d/zarr.json", i);
		forest_put(f, key, ARRAY);
		for (k = 0; k < 2; k++) {
			snprintf(key, sizeof key, "a%d/c/%d", i, k);
			snprintf(value, sizeof value, "%d%d..", i, k);
			forest_put(f, key, value);
		}
	}
}

static int
stop(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	(void)done, (void)total, (void)bytes;
	return --*(int *)arg < 0;
}

static zinc_status
go(forest *f, forest *g, int part, int nparts, bool resume, int steps, zinc_copy_counts *n)
{
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	*n = (zinc_copy_counts)ZINC_COPY_COUNTS_INIT;
	o.part = part;
	o.nparts = nparts;
	o.resume = resume;
	o.verify = 1;
	o.call = ZINC_CALL_OPTIONS(.progress = steps < 0 ? NULL : stop, .progress_arg = &steps);
	return zinc_copy(f->h, "/", g->h, "/", &o, n, &err);
}

static void
whole(forest *f, forest *g)
{
	char keys[2000];

	snprintf(keys, sizeof keys, "%s", forest_keys(f));
	assert_string_equal(keys, forest_keys(g));
	assert_string_equal(forest_get(g, "a6/c/1"), "61..");
}

/* (1), (2): each part is interrupted after any number of steps. */
static void
any_order(void **state)
{
	zinc_copy_counts n;
	forest f, g;
	int nparts, steps, k;

	(void)state;
	for (nparts = 1; nparts < 10; nparts += 2)
		for (steps = 0; steps < 4; steps++) {
			forest_open(&f, "", ZINC_LENIENT);
			forest_open(&g, "", ZINC_LENIENT);
			plant(&f);
			for (k = nparts; k > 0; k--) {
				const zinc_status st = go(&f, &g, k, nparts, false, steps, &n);

				assert_true(st == ZINC_OK || st == ZINC_E_CANCELLED);
				if (st == ZINC_E_CANCELLED) {
					assert_null(forest_get(&g, "zarr.json"));
					assert_int_equal(go(&f, &g, k, nparts, false, -1, &n), ZINC_E_EXISTS);
					assert_int_equal(go(&f, &g, k, nparts, true, -1, &n), ZINC_OK);
				}
				assert_int_equal(n.parts_left, k - 1);
				assert_true((forest_get(&g, "zarr.json") != NULL) == (k == 1));
			}
			whole(&f, &g);
			forest_close(&f);
			forest_close(&g);
		}
}

/* (3), (4) */
static void
same_plan(void **state)
{
	zinc_copy_counts n;
	forest f, g;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&g, "", ZINC_LENIENT);
	plant(&f);
	assert_int_equal(go(&f, &g, 1, 2, false, -1, &n), ZINC_OK);
	assert_int_equal(go(&f, &g, 2, 3, false, -1, &n), ZINC_E_CONFLICT);
	assert_int_equal(go(&f, &g, 0, 0, true, -1, &n), ZINC_E_CONFLICT);
	assert_int_equal(go(&f, &g, 3, 2, false, -1, &n), ZINC_E_INVALID);
	assert_int_equal(go(&f, &g, 0, 2, false, -1, &n), ZINC_E_INVALID);
	assert_int_equal(go(&f, &g, 1, 2, false, -1, &n), ZINC_OK); /* nothing to do */
	assert_int_equal(n.objects, 0);
	forest_put(&f, "a0/c/0", "else");
	assert_int_equal(go(&f, &g, 2, 2, false, -1, &n), ZINC_E_CONFLICT);
	assert_null(forest_get(&g, "zarr.json"));
	forest_close(&f);
	forest_close(&g);
}

/* (6): a copy that cannot be joined, and a damaged journal */
static void
part_1_overwrites(void **state)
{
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_copy_counts n;
	forest f, g;
	int damage;

	(void)state;
	for (damage = 0; damage < 2; damage++) {
		forest_open(&f, "", ZINC_LENIENT);
		forest_open(&g, "", ZINC_LENIENT);
		plant(&f);
		assert_int_equal(go(&f, &g, 1, 3, false, -1, &n), ZINC_OK);
		if (damage)
			forest_put(&g, "__zinc_cp.json", "{");
		o.overwrite = damage ? ZINC_FORCE : 1; /* a damaged journal makes no key Zinc's */
		o.part = o.nparts = 2;
		assert_int_equal(zinc_copy(f.h, "/", g.h, "/", &o, NULL, &err),
				 damage ? ZINC_E_CORRUPT : ZINC_E_CONFLICT);
		o.part = 1;
		assert_ok(zinc_copy(f.h, "/", g.h, "/", &o, NULL, &err));
		o.part = 2;
		assert_ok(zinc_copy(f.h, "/", g.h, "/", &o, NULL, &err));
		whole(&f, &g);
		forest_close(&f);
		forest_close(&g);
	}
}

/* (2): interrupted while it put the documents; only the first journal is left. */
static void
ending(void **state)
{
	char journal[4000], *end;
	zinc_copy_counts n;
	forest f, g;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&g, "", ZINC_LENIENT);
	plant(&f);
	assert_int_equal(go(&f, &g, 1, 2, false, -1, &n), ZINC_OK);
	snprintf(journal, sizeof journal, "%s", forest_get(&g, "__zinc_cp.json"));
	assert_int_equal(go(&f, &g, 2, 2, false, -1, &n), ZINC_OK);
	end = strrchr(journal, '}');
	snprintf(end, sizeof journal - (size_t)(end - journal), ", \"ending\": 2}\n");
	forest_put(&g, "__zinc_cp.json", journal);
	assert_int_equal(go(&f, &g, 1, 2, false, -1, &n), ZINC_E_EXISTS);
	assert_int_equal(go(&f, &g, 1, 2, true, -1, &n), ZINC_OK);
	whole(&f, &g);
	forest_close(&f);
	forest_close(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_order),
	    cmocka_unit_test(same_plan),
	    cmocka_unit_test(part_1_overwrites),
	    cmocka_unit_test(ending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
