/*
 * test_split.c - the promises of split.c, by number, against brute force, on regular and uneven grids
 */
#include <stdlib.h>
#include <string.h>

#include "grid/grid.h"
#include "support/sweep.h"
#include "support/random.h"
#include "support/test.h"

/* ---- an uneven grid: chunk i has 1 + i % 4 elements ---- */

static uint64_t
uneven_find(void *self, int dim, uint64_t i)
{
	static const uint64_t within[] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3};

	(void)self, (void)dim;
	return i / 10 * 4 + within[i % 10];
}

static void
uneven_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	static const uint64_t starts[] = {0, 1, 3, 6};

	(void)self, (void)dim;
	*start = chunk / 4 * 10 + starts[chunk % 4];
	*extent = 1 + chunk % 4;
}

static const zinc_grid_ops uneven = {.name = "uneven", .find = uneven_find, .span = uneven_span};

static uint64_t
index_of(const zinc_sel_dim *s, uint64_t i)
{
	return s->list ? s->list[i] : s->start + i * s->step;
}

/* (1), (2): every selected element is in the segment of its chunk, once, at its place. */
static void
check(const zinc_grid *g, const zinc_sel_dim *sel)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *seen = calloc(1, sel->count + 1);
	uint64_t last = 0, n = 0, i;
	zinc_split s;
	size_t k;

	assert_non_null(seen);
	assert_ok(zinc_split_init(&s, NULL, g, 0, sel, &err));
	for (k = 0; k < s.n; k++) {
		const zinc_segment *t = &s.segments[k];
		uint64_t start, extent, before = 0;

		assert_true(k == 0 || t->chunk > last);
		last = t->chunk;
		assert_true(t->count > 0);
		zinc_grid_span(g, 0, t->chunk, &start, &extent);
		assert_true(t->start == start && t->extent == extent);
		assert_int_equal(!t->in_list, !t->out_list);
		for (i = 0; i < t->count; i++) {
			const uint64_t in = t->in_list ? t->in_list[i] : t->first + i * t->step;
			const uint64_t out = t->out_list ? t->out_list[i] : t->out + i;

			assert_true(in < extent);
			assert_true(out < sel->count);
			assert_true(index_of(sel, out) == start + in);
			assert_int_equal(seen[out], 0);
			assert_true(i == 0 || out > before); /* order is kept */
			before = out;
			seen[out] = 1;
		}
		n += t->count;
	}
	assert_true(n == sel->count);
	zinc_split_fini(&s);
	assert_null(s.segments);
	free(seen);
}

static void
random_slices(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 5000; i++) {
		const uint64_t chunk = 1 + random_below(20), length = 1 + random_below(200);
		zinc_sel_dim sel = {.start = random_below(length), .step = 1 + random_below(i % 3 ? 5 : 60)};
		zinc_grid g;

		sel.count = random_below((length - 1 - sel.start) / sel.step + 2);
		zinc_grid_regular_init(&g, 1, &chunk);
		check(&g, &sel);
		g.ops = &uneven;
		check(&g, &sel);
	}
}

static void
random_lists(void **state)
{
	uint64_t list[300];
	int i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		const uint64_t chunk = 1 + random_below(20), length = 1 + random_below(200), kind = random_below(4);
		zinc_sel_dim sel = {.step = 1, .list = list, .count = random_below(i % 10 ? 20 : 300)};
		zinc_grid g;
		uint64_t k;

		for (k = 0; k < sel.count; k++)
			list[k] = kind == 0   ? random_below(length)
				  : kind == 1 ? k * length / sel.count                   /* upwards, with repeats */
				  : kind == 2 ? (sel.count - 1 - k) * length / sel.count /* downwards */
					      : k % length;
		zinc_grid_regular_init(&g, 1, &chunk);
		check(&g, &sel);
		g.ops = &uneven;
		check(&g, &sel);
	}
}

/* The figure at the top of split.c. */
static void
by_hand(void **state)
{
	static const uint64_t list[] = {2, 3, 4, 6, 7}, back[] = {7, 0, 7, 8};
	const uint64_t chunk = 3;
	zinc_sel_dim sel = {.step = 1, .count = 5, .list = list};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_grid g;
	zinc_split s;

	(void)state;
	zinc_grid_regular_init(&g, 1, &chunk);
	assert_ok(zinc_split_init(&s, NULL, &g, 0, &sel, &err));
	assert_int_equal(s.n, 3);
	assert_int_equal(s.segments[1].chunk, 1);
	assert_int_equal(s.segments[1].first, 0);
	assert_int_equal(s.segments[1].count, 2);
	assert_int_equal(s.segments[1].out, 1);
	assert_null(s.segments[1].in_list); /* it steps evenly, so it needs none */
	zinc_split_fini(&s);

	sel = (zinc_sel_dim){.step = 1, .count = 4, .list = back};
	assert_ok(zinc_split_init(&s, NULL, &g, 0, &sel, &err));
	assert_int_equal(s.n, 2);
	assert_int_equal(s.segments[0].chunk, 0);
	assert_int_equal(s.segments[0].out, 1);
	assert_int_equal(s.segments[1].chunk, 2);
	assert_int_equal(s.segments[1].count, 3);
	assert_memory_equal(s.segments[1].in_list, ((uint64_t[]){1, 1, 2}), 24);
	assert_memory_equal(s.segments[1].out_list, ((uint64_t[]){0, 2, 3}), 24);
	zinc_split_fini(&s);
}

/* A slice costs by chunks, not by elements, and the far end of 64 bits is fine. */
static void
huge_numbers(void **state)
{
	const uint64_t chunk = (uint64_t)1 << 62, one = 1;
	zinc_sel_dim all = {.step = 1, .count = UINT64_MAX}, ends = {.step = UINT64_MAX - 1, .count = 2},
		     last = {.start = UINT64_MAX - 1, .step = 1, .count = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_grid g;
	zinc_split s;

	(void)state;
	zinc_grid_regular_init(&g, 1, &chunk);
	assert_ok(zinc_split_init(&s, NULL, &g, 0, &all, &err));
	assert_int_equal(s.n, 4);
	assert_true(s.segments[3].start == 3 * chunk && s.segments[3].count == chunk - 1);
	assert_true(s.segments[3].out == 3 * chunk);
	zinc_split_fini(&s);
	assert_ok(zinc_split_init(&s, NULL, &g, 0, &ends, &err));
	assert_int_equal(s.n, 2);
	assert_true(s.segments[1].chunk == 3 && s.segments[1].first == chunk - 2);
	zinc_split_fini(&s);
	zinc_grid_regular_init(&g, 1, &one);
	assert_ok(zinc_split_init(&s, NULL, &g, 0, &last, &err));
	assert_int_equal(s.n, 1);
	assert_true(s.segments[0].chunk == UINT64_MAX - 1);
	zinc_split_fini(&s);
}

/* (3) */
static void
lying_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	const uint64_t *how = self;

	(void)dim;
	*start = chunk * 3 + (*how == 1); /* after the index */
	*extent = *how == 2 ? 0 : 1;
}

static void
grids_that_contradict_themselves(void **state)
{
	static const uint64_t list[] = {5, 1};
	const zinc_sel_dim sels[] = {{.step = 1, .count = 5}, {.step = 1, .count = 2, .list = list}};
	zinc_grid_ops lying = {.name = "lying", .span = lying_span};
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t how;
	size_t i;

	(void)state;
	for (how = 0; how <= 2; how++)
		for (i = 0; i < COUNT(sels); i++) {
			zinc_grid g;
			zinc_split s;

			zinc_grid_regular_init(&g, 1, &(uint64_t){3});
			lying.find = g.ops->find;
			g.ops = &lying;
			g.step[0] = how == 0 ? 3 : how;
			assert_int_equal(zinc_split_init(&s, NULL, &g, 0, &sels[i], &err), ZINC_E_INVALID);
			assert_null(s.segments);
		}
}

static zinc_status
split_both(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t chunk = 3, list[] = {5, 1, 9, 2};
	const zinc_sel_dim sels[] = {{.step = 2, .count = 5}, {.step = 1, .count = 4, .list = list}};
	zinc_grid g;
	zinc_split s;
	size_t i;

	(void)arg;
	zinc_grid_regular_init(&g, 1, &chunk);
	for (i = 0; i < 2; i++) {
		ZINC_TRY(zinc_split_init(&s, ctx, &g, 0, &sels[i], err));
		zinc_split_fini(&s);
	}
	return ZINC_OK;
}

static void
every_allocation_may_fail(void **state)
{
	(void)state;
	assert_true(sweep_alloc(split_both, NULL) >= 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_hand),
	    cmocka_unit_test(random_slices),
	    cmocka_unit_test(random_lists),
	    cmocka_unit_test(huge_numbers),
	    cmocka_unit_test(grids_that_contradict_themselves),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
