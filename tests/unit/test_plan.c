/*
 * test_plan.c - selection x grid -> objects and units; numbers are the promises of src/array/plan.c
 *
 * An array of 10 x 12 elements in chunks of 4 x 5, and the same in shards of 4 x 6 with inner chunks of 2 x 3.
 */
#include <stdio.h>

#include "array/engine.h"
#include "support/arrays.h"
#include "support/test.h"

enum { ROWS = 10, COLS = 12, MOST = 16 };

typedef struct scene {
	stage s;
	zinc_array *a;
	zinc_meta *m;
	zinc_plan p;
} scene;

static void
scene_open(scene *x, bool sharded)
{
	stage_open(&x->s, 1, 0);
	x->a = sharded ? stage_array(&x->s, "a", ROWS, COLS, 2, 3, 4, 6, "none")
		       : stage_array(&x->s, "a", ROWS, COLS, 4, 5, 0, 0, "none");
	x->m = zinc_array_snapshot(x->a);
}

static void
scene_close(scene *x)
{
	zinc_plan_fini(&x->p);
	zinc_meta_free(x->m);
	zinc_array_close(x->a);
	stage_close(&x->s);
}

static void
plan_text(scene *x, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;

	zinc_plan_fini(&x->p);
	assert_ok(zinc_selection_parse(&sel, x->a, text, &err));
	assert_ok(zinc_plan_init(&x->p, x->s.ctx, x->m, sel, &err));
	zinc_selection_free(sel);
}

/* Index i of a segment, in the array and in the result. */
static uint64_t
in_array(const zinc_segment *s, uint64_t i)
{
	return s->start + (s->in_list ? s->in_list[i] : s->first + i * s->step);
}

static uint64_t
in_result(const zinc_segment *s, uint64_t i)
{
	return s->out_list ? s->out_list[i] : s->out + i;
}

typedef struct tally {
	uint64_t row[MOST][MOST], col[MOST][MOST]; /* by place in the result: which element is stored there */
	unsigned times[MOST][MOST];
	uint64_t units, elements;
} tally;

static void
count_unit(tally *t, const zinc_object *o, const zinc_unit *u)
{
	uint64_t i, k;

	for (int d = 0; d < 2; d++) {
		assert_true(u->start[d] >= o->start[d] && u->start[d] + u->extent[d] <= o->start[d] + o->extent[d]);
		for (i = 0; i < u->seg[d]->count; i++)
			assert_in_range(in_array(u->seg[d], i), u->start[d], u->start[d] + u->extent[d] - 1);
	}
	for (i = 0; i < u->seg[0]->count; i++)
		for (k = 0; k < u->seg[1]->count; k++) {
			const uint64_t r = in_result(u->seg[0], i), c = in_result(u->seg[1], k);

			t->times[r][c]++;
			t->row[r][c] = in_array(u->seg[0], i);
			t->col[r][c] = in_array(u->seg[1], k);
			t->elements++;
		}
	t->units++;
}

/* Iterate over the plan; objects are in the order of the grid, none twice. */
static void
count(const scene *x, tally *t)
{
	uint64_t last = 0;

	memset(t, 0, sizeof *t);
	for (size_t i = 0; i < x->p.nobjects; i++) {
		zinc_object o;
		zinc_unit u;

		zinc_plan_object(&x->p, i, &o);
		assert_int_equal(o.number, i);
		assert_true(i == 0 || o.index[0] * 100 + o.index[1] > last);
		last = o.index[0] * 100 + o.index[1];
		for (size_t k = 0; k < o.nunits; k++) {
			zinc_plan_unit(&x->p, &o, k, &u);
			count_unit(t, &o, &u);
		}
	}
	assert_int_equal(t->units, x->p.nunits);
}

/* (1) Each selected element is in one unit of one object, and leads to its place in the result. */
static void
test_each_once(void **state)
{
	static const struct {
		const char *text;
		uint64_t rows[MOST], nrows, cols[MOST], ncols, objects, units_of_shards;
	} rows[] = {
	    {"1:3, 4:6", {1, 2}, 2, {4, 5}, 2, 2, 2},
	    {":, 0", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, {0}, 1, 3, 5},
	    {"9, :", {9}, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 12, 3, 4},
	    {"0:10:3, 1:12:5", {0, 3, 6, 9}, 4, {1, 6, 11}, 3, 9, 12},
	    {"[7,0,7], [11,2]", {7, 0, 7}, 3, {11, 2}, 2, 4, 4},
	};
	tally t;
	scene x = {.a = NULL};

	(void)state;
	for (int sharded = 0; sharded < 2; sharded++) {
		scene_open(&x, sharded);
		for (size_t i = 0; i < COUNT(rows); i++) {
			plan_text(&x, rows[i].text);
			count(&x, &t);
			assert_int_equal(t.elements, rows[i].nrows * rows[i].ncols);
			for (uint64_t r = 0; r < rows[i].nrows; r++)
				for (uint64_t c = 0; c < rows[i].ncols; c++) {
					assert_int_equal(t.times[r][c], 1);
					assert_int_equal(t.row[r][c], rows[i].rows[r]);
					assert_int_equal(t.col[r][c], rows[i].cols[c]);
				}
			if (sharded)
				assert_int_equal(x.p.nunits, rows[i].units_of_shards);
			else
				assert_int_equal(x.p.nobjects, rows[i].objects);
		}
		scene_close(&x);
	}
}

static zinc_object
object(const scene *x, size_t i)
{
	zinc_object o;

	zinc_plan_object(&x->p, i, &o);
	return o;
}

/* (2) An object is full when every element of it is selected, and covered when only those outside of the array are not. */
static void
test_full(void **state)
{
	scene x = {.a = NULL};
	zinc_object o;
	zinc_unit u;

	(void)state;
	scene_open(&x, false);
	plan_text(&x, "0:4, 0:5");
	assert_int_equal(x.p.nobjects, 1);
	assert_true(object(&x, 0).full && object(&x, 0).covered);
	plan_text(&x, "0:4, 0:4");
	assert_false(object(&x, 0).full || object(&x, 0).covered);
	plan_text(&x, "8:10, 10:12"); /* the last chunk: 2 x 2 of its 4 x 5 */
	assert_true(!object(&x, 0).full && object(&x, 0).covered);
	plan_text(&x, "[3,2,1,0], 0:5"); /* a list may name an element twice: not checked */
	assert_false(object(&x, 0).full || object(&x, 0).covered);
	plan_text(&x, "0:4:2, 0:5");
	assert_false(object(&x, 0).full);
	scene_close(&x);

	scene_open(&x, true);
	plan_text(&x, "0:3, 0:6"); /* of a shard's units two are full, two are not */
	o = object(&x, 0);
	assert_int_equal(o.nunits, 4);
	assert_false(o.full);
	for (size_t k = 0; k < 4; k++) {
		zinc_plan_unit(&x.p, &o, k, &u);
		assert_int_equal(u.full, k < 2);
		assert_int_equal(u.inner[0], k / 2);
		assert_int_equal(u.inner[1], k % 2);
	}
	scene_close(&x);
}

/* (3) Points are sorted by object, then by unit, then in the given order. */
static void
test_points(void **state)
{
	static const uint64_t points[][2] = {{9, 11}, {0, 0}, {5, 7}, {0, 4}, {1, 1}, {0, 0}};
	static const uint64_t order[] = {1, 4, 5, 3, 2, 0}, ends[] = {3, 4, 5, 6};
	const zinc_selection sel = {.size = sizeof sel,
				    .kind = ZINC_SELECT_POINTS,
				    .ndim = 2,
				    .points = &points[0][0],
				    .npoints = COUNT(points)};
	zinc_error err = ZINC_ERROR_INIT;
	scene x = {.a = NULL};
	size_t unit = 0;

	(void)state;
	scene_open(&x, true);
	assert_ok(zinc_plan_init(&x.p, x.s.ctx, x.m, &sel, &err));
	assert_int_equal(x.p.nobjects, 3);
	assert_int_equal(x.p.nunits, COUNT(ends));
	for (size_t i = 0; i < COUNT(order); i++)
		assert_int_equal(x.p.order[i], order[i]);
	for (size_t i = 0; i < x.p.nobjects; i++) {
		zinc_object o = object(&x, i);
		zinc_unit u = {.end = o.begin};

		assert_false(o.full || o.covered);
		for (size_t k = 0; k < o.nunits; k++, unit++) {
			zinc_plan_unit(&x.p, &o, k, &u);
			assert_int_equal(u.begin, unit == 0 ? 0 : ends[unit - 1]);
			assert_int_equal(u.end, ends[unit]);
		}
	}
	scene_close(&x);
}

/* (4) An empty selection has no object; a plan may be freed twice, and one that was never made. */
static void
test_nothing(void **state)
{
	scene x = {.a = NULL};
	zinc_plan none;

	(void)state;
	scene_open(&x, false);
	plan_text(&x, "3:3, :");
	assert_int_equal(x.p.nobjects, 0);
	assert_int_equal(x.p.nunits, 0);
	zinc_plan_fini(&x.p);
	memset(&none, 0, sizeof none);
	zinc_plan_fini(&none);
	scene_close(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_once),
	    cmocka_unit_test(test_full),
	    cmocka_unit_test(test_points),
	    cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
