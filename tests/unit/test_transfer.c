/*
 * test_transfer.c - elements between a decoded unit and the caller's buffer; numbers are the promises of src/array/transfer.c
 *
 * An array of 100 x 200 elements of uint16 in one chunk: more than two tiles if they are converted.  Element (r, c) is
 * r * 200 + c.
 */
#include <stdio.h>

#include "array/engine.h"
#include "support/arrays.h"
#include "support/test.h"

enum { ROWS = 100, COLS = 200 };

typedef struct scene {
	stage s;
	zinc_array *a;
	zinc_meta *m;
	zinc_scratch *scratch;
	zinc_plan p;
	zinc_unit u; /* the only one */
	zinc_target t;
	zinc_view unit; /* the decoded chunk */
	uint16_t elements[ROWS][COLS];
} scene;

static void
scene_open(scene *x)
{
	memset(x, 0, sizeof *x);
	stage_open(&x->s, 1, 0);
	x->a = stage_array(&x->s, "a", ROWS, COLS, ROWS, COLS, 0, 0, "none");
	x->m = zinc_array_snapshot(x->a);
	x->scratch = zinc_scratch_get(x->s.ctx);
	x->unit = (zinc_view){(uint8_t *)x->elements, {COLS * 2, 2}};
	for (uint16_t r = 0; r < ROWS; r++)
		for (uint16_t c = 0; c < COLS; c++)
			x->elements[r][c] = (uint16_t)(r * COLS + c);
}

static void
scene_close(scene *x)
{
	zinc_plan_fini(&x->p);
	zinc_scratch_put(x->scratch);
	zinc_meta_free(x->m);
	zinc_array_close(x->a);
	stage_close(&x->s);
}

/* Plan a selection, and check the buffer for it. */
static zinc_status
aim(scene *x, const char *text, const zinc_buffer *b, bool writing, zinc_error *err)
{
	zinc_error ok = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;
	zinc_object o;

	zinc_plan_fini(&x->p);
	if (zinc_selection_parse(&sel, x->a, text, &ok) || zinc_plan_init(&x->p, x->s.ctx, x->m, sel, &ok))
		fail_msg("%s: %s", text, ok.text);
	zinc_selection_free(sel);
	if (x->p.nobjects > 0) {
		zinc_plan_object(&x->p, 0, &o);
		zinc_plan_unit(&x->p, &o, 0, &x->u);
	}
	return zinc_target_init(&x->t, x->m, &x->p.sel, b, 0, writing, err);
}

/* (1) Nothing outside of the buffer is ever addressed. */
static void
test_bounds(void **state)
{
	static uint8_t bytes[64];
	static const int64_t down[] = {-8, 2}, apart[] = {20, 4}, far[] = {INT64_MAX / 2, 2}, zero[] = {0, 2};
	static const uint64_t other[] = {2, 4};
	static const struct {
		size_t nbytes, first;
		const int64_t *strides;
		const uint64_t *shape;
		bool writing, good;
	} rows[] = {
	    {18, 0, NULL, NULL, false, true},        {17, 0, NULL, NULL, false, false},
	    {20, 2, NULL, NULL, false, true},        {20, 3, NULL, NULL, false, false},
	    {22, 16, down, NULL, false, true},       {22, 15, down, NULL, false, false},
	    {21, 16, down, NULL, false, false},      {50, 0, apart, NULL, false, true},
	    {49, 0, apart, NULL, false, false},      {64, 0, far, NULL, false, false},
	    {64, 0, NULL, other, false, false},      {64, 0, zero, NULL, false, false},
	    {64, 0, zero, NULL, true, true}, /* one row for all: only to read from */
	    {SIZE_MAX, 0, NULL, NULL, false, false},
	};
	zinc_error err = ZINC_ERROR_INIT;
	static scene x;

	(void)state;
	scene_open(&x);
	for (size_t i = 0; i < COUNT(rows); i++) {
		zinc_buffer b = ZINC_BUFFER_INIT(ZINC_UINT16, bytes, rows[i].nbytes);

		b.first = rows[i].first;
		b.strides = rows[i].strides;
		b.shape = rows[i].shape;
		b.ndim = 2;
		if (aim(&x, "0:3, 0:3", &b, rows[i].writing, &err) != (rows[i].good ? ZINC_OK : ZINC_E_INVALID))
			fail_msg("row %zu: %s", i, rows[i].good ? err.text : "taken");
	}
	scene_close(&x);
}

/* (2) Equal types are one copy, for all strides of both sides; only selected elements are written. */
static void
test_copy(void **state)
{
	static const int64_t down[] = {-8, 2};
	uint16_t v[3][4], back[ROWS][COLS];
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_UINT16, v, sizeof v);
	zinc_error err = ZINC_ERROR_INIT;
	static scene x;

	(void)state;
	scene_open(&x);
	memset(v, 0xff, sizeof v);
	b.first = 16;
	b.strides = down;
	b.ndim = 2;
	assert_ok(aim(&x, "10:40:10, [7,0,199]", &b, false, &err));
	assert_ok(zinc_transfer_out(&x.p, &x.t, &x.u, &x.unit, x.scratch, &err));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(v[2 - i][0], (10 + 10 * i) * COLS + 7);
		assert_int_equal(v[2 - i][1], (10 + 10 * i) * COLS);
		assert_int_equal(v[2 - i][2], (10 + 10 * i) * COLS + 199);
		assert_int_equal(v[i][3], 0xffff);
	}
	/* and in again, into a chunk of zeros */
	memset(back, 0, sizeof back);
	assert_ok(aim(&x, "10:40:10, [7,0,199]", &b, true, &err));
	assert_ok(zinc_transfer_in(&x.p, &x.t, &x.u, &(zinc_view){(uint8_t *)back, {COLS * 2, 2}}, x.scratch, &err));
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLS; c++)
			assert_int_equal(back[r][c], (r == 10 || r == 20 || r == 30) && (c == 0 || c == 7 || c == 199)
							 ? x.elements[r][c]
							 : 0);
	scene_close(&x);
}

/* (3) Conversion is done tile by tile, for every element, also if rows are longer than a tile. */
static void
test_convert(void **state)
{
	static int64_t v[ROWS][COLS];
	static uint16_t back[ROWS][COLS];
	static scene x;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	scene_open(&x);
	assert_ok(aim(&x, ":, :", ZINC_BUFFER(&v[0][0], sizeof v), false, &err));
	assert_ok(zinc_transfer_out(&x.p, &x.t, &x.u, &x.unit, x.scratch, &err));
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLS; c++)
			assert_int_equal(v[r][c], r * COLS + c);
	assert_ok(aim(&x, ":, :", ZINC_BUFFER(&v[0][0], sizeof v), true, &err));
	assert_ok(zinc_transfer_check(&x.p, &x.t, x.scratch, &err));
	assert_ok(zinc_transfer_in(&x.p, &x.t, &x.u, &(zinc_view){(uint8_t *)back, {COLS * 2, 2}}, x.scratch, &err));
	assert_memory_equal(back, x.elements, sizeof back);
	scene_close(&x);
}

/* (4) A value that does not fit is E_RANGE, which names it; checking touches nothing. */
static void
test_range(void **state)
{
	static int64_t v[ROWS][COLS];
	static int8_t narrow[ROWS][COLS];
	static scene x;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	scene_open(&x);
	v[99][150] = -3; /* in the last tile */
	assert_ok(aim(&x, ":, :", ZINC_BUFFER(&v[0][0], sizeof v), true, &err));
	assert_int_equal(zinc_transfer_check(&x.p, &x.t, x.scratch, &err), ZINC_E_RANGE);
	assert_non_null(strstr(err.text, "the value -3 of type int64 does not fit uint16"));
	assert_int_equal(x.elements[99][150], 99 * COLS + 150);
	err = (zinc_error)ZINC_ERROR_INIT;
	assert_ok(aim(&x, ":, :", ZINC_BUFFER(&narrow[0][0], sizeof narrow), false, &err));
	assert_int_equal(zinc_transfer_out(&x.p, &x.t, &x.u, &x.unit, x.scratch, &err), ZINC_E_RANGE);
	assert_non_null(strstr(err.text, "the value 128 of type uint16 does not fit int8"));
	scene_close(&x);
}

/* (5) Memory that a unit can be decoded into is offered only where all of it belongs there, in one piece. */
static void
test_direct(void **state)
{
	static const int64_t apart[] = {COLS * 2 + 2, 2};
	static uint16_t v[ROWS + 1][COLS + 1];
	static int32_t wide[ROWS][COLS];
	static scene x;
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_UINT16, v, sizeof v);
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	scene_open(&x);
	assert_ok(aim(&x, ":, :", &b, false, &err));
	assert_ptr_equal(zinc_transfer_direct(&x.p, &x.t, &x.u), v);
	assert_ok(aim(&x, ":, 0:199", &b, false, &err));
	assert_null(zinc_transfer_direct(&x.p, &x.t, &x.u));
	b.strides = apart;
	b.ndim = 2;
	assert_ok(aim(&x, ":, :", &b, false, &err));
	assert_null(zinc_transfer_direct(&x.p, &x.t, &x.u));
	assert_ok(aim(&x, ":, :", ZINC_BUFFER(&wide[0][0], sizeof wide), false, &err));
	assert_null(zinc_transfer_direct(&x.p, &x.t, &x.u));
	scene_close(&x);
}

/* (6) Missing elements are the converted fill value. */
static void
test_fill(void **state)
{
	static const uint64_t points[][2] = {{3, 4}, {99, 199}};
	const zinc_selection two = {
	    .size = sizeof two, .kind = ZINC_SELECT_POINTS, .ndim = 2, .points = &points[0][0], .npoints = 2};
	double v[4] = {-1, -1, -1, -1};
	zinc_error err = ZINC_ERROR_INIT;
	static scene x;
	zinc_object o;

	(void)state;
	scene_open(&x);
	*(uint16_t *)x.m->fill = 513;
	assert_ok(aim(&x, "0, 1:3", ZINC_BUFFER(v, sizeof v), false, &err));
	assert_ok(zinc_transfer_fill(&x.p, &x.t, &x.u, &err));
	assert_true(v[0] == 513 && v[1] == 513 && v[2] == -1);
	zinc_plan_fini(&x.p);
	assert_ok(zinc_plan_init(&x.p, x.s.ctx, x.m, &two, &err));
	zinc_plan_object(&x.p, 0, &o);
	x.u.end = o.begin;
	zinc_plan_unit(&x.p, &o, 0, &x.u);
	assert_ok(zinc_target_init(&x.t, x.m, &x.p.sel, ZINC_BUFFER(v + 2, 2 * sizeof v[0]), 0, false, &err));
	assert_ok(zinc_transfer_fill(&x.p, &x.t, &x.u, &err));
	assert_true(v[2] == 513 && v[3] == 513);
	/* points, out of the unit */
	assert_ok(zinc_transfer_out(&x.p, &x.t, &x.u, &x.unit, x.scratch, &err));
	assert_true(v[2] == 3 * COLS + 4 && v[3] == 99 * COLS + 199);
	scene_close(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bounds), cmocka_unit_test(test_copy),   cmocka_unit_test(test_convert),
	    cmocka_unit_test(test_range),  cmocka_unit_test(test_direct), cmocka_unit_test(test_fill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
