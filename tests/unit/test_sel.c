/*
 * test_sel.c - the promises of sel.c, by number
 */
#include <stdlib.h>
#include <string.h>

#include "grid/grid.h"
#include "support/sweep.h"
#include "support/test.h"

static const uint64_t shape[] = {10, 4, 0};

static zinc_sel sel;
static zinc_error err;

/* Against the first `ndim` dimensions of `shape`. */
static zinc_status
init(const zinc_selection *s, const zinc_grid *grid, int ndim)
{
	return zinc_sel_init(&sel, NULL, s, grid, ndim, shape, &err);
}

static void
check_dim(int d, uint64_t start, uint64_t count, uint64_t step)
{
	assert_true(sel.dim[d].start == start);
	assert_true(sel.dim[d].count == count);
	assert_true(sel.dim[d].step == step);
	assert_null(sel.dim[d].list);
}

static void
everything(void **state)
{
	const zinc_selection all = ZINC_SELECTION_ALL;
	static const uint64_t huge[] = {(uint64_t)1 << 40, (uint64_t)1 << 40, 0};
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_ok(init(i ? &all : NULL, NULL, 2));
		check_dim(0, 0, 10, 1);
		check_dim(1, 0, 4, 1);
		assert_int_equal(sel.out_ndim, 2);
		assert_true(sel.out_shape[0] == 10 && sel.out_shape[1] == 4 && sel.out_n == 40);
		assert_false(sel.is_points);
	}
	assert_ok(init(NULL, NULL, 0));
	assert_int_equal(sel.out_ndim, 0);
	assert_true(sel.out_n == 1);
	assert_ok(init(NULL, NULL, 3));
	assert_true(sel.out_n == 0);
	assert_int_equal(zinc_sel_init(&sel, NULL, NULL, NULL, 2, huge, &err), ZINC_E_LIMIT);
	assert_ok(zinc_sel_init(&sel, NULL, NULL, NULL, 3, huge, &err)); /* empty, whatever the others */
	assert_true(sel.out_n == 0);
}

static void
boxes(void **state)
{
	static const struct {
		uint64_t start, count, step;
		zinc_status status;
	} rows[] = {
	    {0, 10, 1, ZINC_OK},
	    {9, 1, 1, ZINC_OK},
	    {0, 0, 1, ZINC_OK},
	    {10, 0, 1, ZINC_OK},
	    {11, 0, 1, ZINC_E_RANGE},
	    {0, 11, 1, ZINC_E_RANGE},
	    {10, 1, 1, ZINC_E_RANGE},
	    {1, 5, 2, ZINC_OK},
	    {0, 5, 2, ZINC_OK},
	    {2, 5, 2, ZINC_E_RANGE},
	    {0, 10, 0, ZINC_OK},         /* 0 means 1 */
	    {9, 1, UINT64_MAX, ZINC_OK}, /* (2) */
	    {0, 2, 9, ZINC_OK},
	    {0, 2, 10, ZINC_E_RANGE},
	    {1, 2, UINT64_MAX, ZINC_E_RANGE},
	    {0, UINT64_MAX, UINT64_MAX, ZINC_E_RANGE},
	    {UINT64_MAX, 1, 1, ZINC_E_RANGE},
	    {1, UINT64_MAX, 1, ZINC_E_RANGE},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_selection s = {.size = sizeof(zinc_selection),
					  .kind = ZINC_SELECT_BOX,
					  .ndim = 1,
					  .start = &rows[i].start,
					  .count = &rows[i].count,
					  .step = &rows[i].step};

		memset(&err, 0, sizeof err);
		assert_int_equal(init(&s, NULL, 1), rows[i].status);
		assert_int_equal(err.code, rows[i].status);
		if (rows[i].status == ZINC_OK)
			check_dim(0, rows[i].start, rows[i].count,
				  rows[i].count < 2 || !rows[i].step ? 1 : rows[i].step);
	}
	{
		const uint64_t count[] = {2, 3};
		zinc_selection s = {.size = sizeof(zinc_selection), .kind = ZINC_SELECT_BOX, .ndim = 2, .count = count};

		assert_ok(init(&s, NULL, 2));
		check_dim(1, 0, 3, 1);
		assert_true(sel.out_n == 6);
		s.ndim = 1;
		assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
		s.ndim = 2;
		s.count = NULL;
		assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
		s.ndim = 0;
		assert_ok(init(&s, NULL, 0));
		assert_true(sel.out_n == 1);
		s.kind = (zinc_select)77;
		assert_int_equal(init(&s, NULL, 0), ZINC_E_INVALID);
	}
}

static void
orthogonal(void **state)
{
	static const uint64_t list[] = {9, 0, 9}, bad[] = {0, 10};
	zinc_select_dim d[2] = {{.list = list, .nlist = 3}, {.start = 2, .drop = 1}};
	zinc_selection s = {.size = sizeof(zinc_selection), .kind = ZINC_SELECT_ORTHO, .ndim = 2, .dims = d};

	(void)state;
	assert_ok(init(&s, NULL, 2));
	assert_ptr_equal(sel.dim[0].list, list);
	assert_true(sel.dim[0].count == 3 && !sel.dim[0].drop);
	check_dim(1, 2, 1, 1);
	assert_true(sel.dim[1].drop);
	assert_int_equal(sel.out_ndim, 1);
	assert_true(sel.out_shape[0] == 3 && sel.out_n == 3);

	d[0].list = bad;
	d[0].nlist = 2;
	assert_int_equal(init(&s, NULL, 2), ZINC_E_RANGE);
	assert_string_equal(err.text, "index 10 is outside dimension 0, which has length 10");
	d[0].nlist = 0; /* an empty list */
	assert_ok(init(&s, NULL, 2));
	assert_true(sel.out_n == 0 && sel.dim[0].count == 0);
	d[0].nlist = 1; /* a list of one may be dropped */
	d[0].drop = 1;
	assert_ok(init(&s, NULL, 2));
	assert_int_equal(sel.out_ndim, 0);
	assert_true(sel.out_n == 1);
	d[0].nlist = 2;
	assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
	d[0].nlist = 0;
	assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
	d[0] = (zinc_select_dim){.count = 2, .drop = 1};
	assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
	d[0] = (zinc_select_dim){.start = 10, .count = 1, .drop = 1};
	assert_int_equal(init(&s, NULL, 2), ZINC_E_RANGE);
	d[0] = (zinc_select_dim){.start = 1, .count = 3, .step = 4};
	assert_ok(init(&s, NULL, 2));
	check_dim(0, 1, 3, 4);
	d[0].step = 5;
	assert_int_equal(init(&s, NULL, 2), ZINC_E_RANGE);
	s.dims = NULL;
	assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
}

static void
points(void **state)
{
	uint64_t p[] = {9, 3, 0, 0, 9, 3};
	zinc_selection s = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_POINTS, .ndim = 2, .points = p, .npoints = 3};

	(void)state;
	assert_ok(init(&s, NULL, 2));
	assert_true(sel.is_points && sel.points == p && sel.npoints == 3);
	assert_int_equal(sel.out_ndim, 1);
	assert_true(sel.out_shape[0] == 3 && sel.out_n == 3);
	p[3] = 4;
	assert_int_equal(init(&s, NULL, 2), ZINC_E_RANGE);
	assert_string_equal(err.text, "coordinate 4 of point 1 is outside dimension 1, which has length 4");
	s.npoints = 1;
	assert_ok(init(&s, NULL, 2));
	s.points = NULL;
	assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
	s.npoints = 0;
	assert_ok(init(&s, NULL, 2));
	assert_true(sel.is_points && sel.out_n == 0);
	s.ndim = 0; /* the scalar, five times */
	s.npoints = 5;
	assert_ok(init(&s, NULL, 0));
	assert_true(sel.out_n == 5);
}

/* (3) */
static void
masks(void **state)
{
	uint8_t mask[40] = {0};
	zinc_selection s = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_MASK, .ndim = 2, .mask = mask, .nmask = 40};

	(void)state;
	mask[0] = 1;
	mask[7] = 255;
	mask[39] = 2;
	assert_ok(init(&s, NULL, 2));
	assert_int_equal(sel.npoints, 3);
	assert_memory_equal(sel.points, ((uint64_t[]){0, 0, 1, 3, 9, 3}), 48);
	assert_true(sel.out_n == 3);
	zinc_sel_fini(&sel);
	memset(mask, 0, sizeof mask);
	assert_ok(init(&s, NULL, 2));
	assert_true(sel.is_points && sel.out_n == 0);
	zinc_sel_fini(&sel);
	s.nmask = 39;
	assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
	s.nmask = 0;
	s.mask = NULL;
	s.ndim = 3;
	assert_ok(init(&s, NULL, 3)); /* no elements, no mask */
	zinc_sel_fini(&sel);
	s.nmask = 1;
	s.ndim = 0;
	assert_int_equal(init(&s, NULL, 0), ZINC_E_INVALID);
	mask[0] = 1;
	s.mask = mask;
	assert_ok(init(&s, NULL, 0));
	assert_true(sel.is_points && sel.npoints == 1 && sel.out_n == 1);
	zinc_sel_fini(&sel);
}

static void
blocks(void **state)
{
	static const uint64_t chunk[] = {3, 4, 5};
	uint64_t start[] = {1, 0, 0}, count[] = {2, 1, 0};
	zinc_selection s = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BLOCKS, .ndim = 2, .start = start, .count = count};
	zinc_grid g;

	(void)state;
	zinc_grid_regular_init(&g, 3, chunk);
	assert_ok(init(&s, &g, 2));
	check_dim(0, 3, 6, 1);
	check_dim(1, 0, 4, 1);
	start[0] = 3; /* the last chunk is cut at the end */
	count[0] = 1;
	assert_ok(init(&s, &g, 2));
	check_dim(0, 9, 1, 1);
	count[0] = 2;
	assert_int_equal(init(&s, &g, 2), ZINC_E_RANGE);
	count[0] = UINT64_MAX;
	assert_int_equal(init(&s, &g, 2), ZINC_E_RANGE);
	count[0] = 0;
	start[0] = 4;
	assert_ok(init(&s, &g, 2));
	assert_true(sel.out_n == 0);
	s.start = NULL;
	count[0] = 4;
	assert_ok(init(&s, &g, 2));
	check_dim(0, 0, 10, 1);
	assert_int_equal(init(&s, NULL, 2), ZINC_E_INVALID);
	s.ndim = 3; /* a dimension without chunks */
	assert_ok(init(&s, &g, 3));
	assert_true(sel.out_n == 0);
	s.count = NULL;
	assert_int_equal(init(&s, &g, 3), ZINC_E_INVALID);
}

/* A chunk that reaches past 2^64, and a grid with a chunk wholly after the array's end. */
static uint64_t
count_three(void *self, int dim, uint64_t length)
{
	(void)self, (void)dim, (void)length;
	return 3;
}

static void
span_eight(void *self, int dim, uint64_t i, uint64_t *start, uint64_t *extent)
{
	(void)self, (void)dim;
	*start = 8 * i;
	*extent = 8;
}

static void
blocks_at_the_end(void **state)
{
	static const zinc_grid_ops long_ops = {.name = "long", .count = count_three, .span = span_eight};
	const uint64_t chunk = (uint64_t)1 << 63, length = UINT64_MAX;
	uint64_t start = 1, count = 1;
	const zinc_selection s = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BLOCKS, .ndim = 1, .start = &start, .count = &count};
	zinc_grid g;

	(void)state;
	zinc_grid_regular_init(&g, 1, &chunk);
	assert_ok(zinc_sel_init(&sel, NULL, &s, &g, 1, &length, &err));
	check_dim(0, chunk, chunk - 1, 1);
	g.ops = &long_ops;
	assert_ok(init(&s, &g, 1)); /* [8, 16) of 10 */
	check_dim(0, 8, 2, 1);
	start = 2; /* [16, 24) of 10 */
	assert_ok(init(&s, &g, 1));
	assert_true(sel.out_n == 0);
}

static zinc_status
make_mask(void *arg, zinc_context *ctx, zinc_error *e)
{
	static const uint8_t mask[40] = {0, 1, 1};
	const zinc_selection s = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_MASK, .ndim = 2, .mask = mask, .nmask = 40};
	zinc_sel out;

	(void)arg;
	ZINC_TRY(zinc_sel_init(&out, ctx, &s, NULL, 2, shape, e));
	zinc_sel_fini(&out);
	return ZINC_OK;
}

static void
every_allocation_may_fail(void **state)
{
	(void)state;
	assert_true(sweep_alloc(make_mask, NULL) >= 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(everything),
	    cmocka_unit_test(boxes),
	    cmocka_unit_test(orthogonal),
	    cmocka_unit_test(points),
	    cmocka_unit_test(masks),
	    cmocka_unit_test(blocks),
	    cmocka_unit_test(blocks_at_the_end),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
