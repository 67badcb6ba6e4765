/*
 * test_read_plain.c - selections of plain chunks: only the needed bytes are read
 *
 * Random boxes, steps, lists and points of an array without compression, compared with a loop over its elements;
 * chunks are large enough for rows, bands and single elements to be cheaper than the whole.
 */
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "support/random.h"
#include "support/test.h"

enum { ROWS = 300, COLS = 1100, CHUNK_ROWS = 130, CHUNK_COLS = 400, MOST = 300 };

/* The selection of one dimension: a step, or a list that sometimes repeats. */
typedef struct choice {
	uint64_t start, count;
	uint64_t step;
	uint64_t list[MOST];
	bool is_list;
} choice;

static void
choose(choice *c, uint64_t n)
{
	uint64_t i;

	c->is_list = random_below(3) == 0;
	c->step = random_below(2) ? 1 : 1 + random_below(9);
	c->start = random_below(n);
	c->count = 1 + random_below((n - c->start - 1) / c->step + 1);
	if (c->is_list)
		c->count = 1 + random_below(MOST / 3);
	for (i = 0; i < c->count && c->is_list; i++)
		c->list[i] = random_below(n);
}

static uint64_t
chosen(const choice *c, uint64_t i)
{
	return c->is_list ? c->list[i] : c->start + i * c->step;
}

/* Element (r, c), with stage_fill's numbers; chunk (1, 1) is missing. */
static uint16_t
expected(uint64_t r, uint64_t c)
{
	return r / CHUNK_ROWS == 1 && c / CHUNK_COLS == 1 ? 0 : (uint16_t)(r * COLS + c + 1);
}

static zinc_array *
open_stage(stage *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;

	stage_open(s, 2, 0);
	a = stage_array(s, "a", ROWS, COLS, CHUNK_ROWS, CHUNK_COLS, 0, 0, "none");
	stage_fill(a);
	assert_ok(zinc_store_del(s->memory, NULL, "a/c/1/1", NULL, 0, NULL, &err));
	return a;
}

static void
boxes_steps_and_lists(void **state)
{
	static uint16_t v[ROWS * COLS];
	static choice c[2];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;
	int round;

	(void)state;
	a = open_stage(&s);
	for (round = 0; round < 2000; round++) {
		uint64_t i, k, wrong = 0;
		zinc_select_dim dims[2];
		int d;

		for (d = 0; d < 2; d++) {
			choose(&c[d], d ? COLS : ROWS);
			dims[d] = (zinc_select_dim){.start = c[d].start, .count = c[d].count, .step = c[d].step};
			dims[d].list = c[d].is_list ? c[d].list : NULL;
			dims[d].nlist = c[d].count;
		}
		memset(v, 0xee, sizeof v);
		assert_ok(zinc_array_read(
		    a,
		    &(zinc_selection){
			.size = sizeof(zinc_selection), .kind = ZINC_SELECT_ORTHO, .ndim = 2, .dims = dims},
		    ZINC_BUFFER(v, sizeof v), NULL, &err));
		for (i = 0; i < c[0].count; i++)
			for (k = 0; k < c[1].count; k++)
				wrong += v[i * c[1].count + k] != expected(chosen(&c[0], i), chosen(&c[1], k));
		assert_int_equal(wrong, 0);
	}
	zinc_array_close(a);
	stage_close(&s);
}

/* Few points are read one by one, many with their whole chunks; also as another type. */
static void
points(void **state)
{
	static const size_t counts[] = {1, 7, 100, 3000};
	static uint64_t at[3000][2];
	static uint16_t v[3000];
	static double f[3000];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	size_t k, i, wrong = 0;
	stage s;

	(void)state;
	a = open_stage(&s);
	for (k = 0; k < COUNT(counts); k++) {
		const zinc_selection sel = {.size = sizeof(zinc_selection),
					    .kind = ZINC_SELECT_POINTS,
					    .ndim = 2,
					    .points = &at[0][0],
					    .npoints = counts[k]};

		for (i = 0; i < counts[k]; i++) {
			at[i][0] = random_below(ROWS);
			at[i][1] = random_below(COLS);
		}
		(void)stage_counts(&s);
		assert_ok(zinc_array_read(a, &sel, ZINC_BUFFER(v, counts[k] * sizeof *v), NULL, &err));
		if (counts[k] <= 100)
			assert_true(stage_counts(&s).get_bytes <= counts[k] * sizeof *v);
		assert_ok(zinc_array_read(a, &sel, ZINC_BUFFER(f, counts[k] * sizeof *f), NULL, &err));
		for (i = 0; i < counts[k]; i++)
			wrong += v[i] != expected(at[i][0], at[i][1]) || f[i] != v[i];
	}
	assert_int_equal(wrong, 0);
	zinc_array_close(a);
	stage_close(&s);
}

/* A list of rows costs their bytes, not those of the chunks. */
static void
only_what_is_needed_is_read(void **state)
{
	static uint16_t v[ROWS * COLS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;

	(void)state;
	a = open_stage(&s);
	(void)stage_counts(&s);
	assert_ok(zinc_array_read_text(a, "[3,77,12], :", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_int_equal(stage_counts(&s).get_bytes, 3 * COLS * sizeof *v);
	assert_ok(zinc_array_read_text(a, "::50, 10", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_true(stage_counts(&s).get_bytes <= 6 * sizeof *v);
	zinc_array_close(a);
	stage_close(&s);
}

static void
an_object_of_another_size_is_corrupt(void **state)
{
	static const char *const selections[] = {"[3,77], :", "::50, 10", "4, 5"};
	static uint16_t v[ROWS * COLS];
	const uint64_t at[2] = {4, 5};
	const zinc_selection sel = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_POINTS, .ndim = 2, .points = at, .npoints = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;
	size_t i;

	(void)state;
	a = open_stage(&s);
	assert_ok(zinc_store_put(s.memory, NULL, "a/c/0/0", v, 5000, NULL, 0, NULL, NULL, &err));
	for (i = 0; i < COUNT(selections); i++)
		assert_int_equal(zinc_array_read_text(a, selections[i], ZINC_BUFFER(v, sizeof v), NULL, &err),
				 ZINC_E_CORRUPT);
	assert_int_equal(zinc_array_read(a, &sel, ZINC_BUFFER(v, sizeof *v), NULL, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(zinc_error_text(&err), "a/c/0/0"));
	zinc_array_close(a);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(boxes_steps_and_lists),
	    cmocka_unit_test(points),
	    cmocka_unit_test(only_what_is_needed_is_read),
	    cmocka_unit_test(an_object_of_another_size_is_corrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
