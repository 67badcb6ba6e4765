/*
 * test_tool_sparse.c - sparse arrays: the promises of pieces_stored.c, by number
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "support/arrays.h"
#include "support/random.h"
#include "support/test.h"

enum { SIDE = 1200, CHUNK = 8 };

static int32_t oracle[SIDE][SIDE];

static zinc_array *
make(stage *s, const char *name, const uint64_t *shape, uint64_t chunk, uint64_t shard, const char *dtype,
     const char *fill)
{
	const uint64_t chunks[] = {chunk, chunk}, shards[] = {shard, shard};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, s->h, name,
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = dtype, .chunks = chunks,
						       .shards = shard ? shards : NULL, .fill = fill),
				    &err));
	return a;
}

static void
set(zinc_array *a, uint64_t r, uint64_t c, int32_t v)
{
	const uint64_t start[] = {r, c}, count[] = {1, 1};
	const zinc_selection sel = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BOX, .ndim = 2, .start = start, .count = count};
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_array_write(a, &sel, ZINC_BUFFER(&v, sizeof v), NULL, &err));
}

/* (1) Statistics of any slice are those of all elements, one by one. */
static void
statistics(void **state)
{
	static const char *const slices[] = {
	    ":, :", "3:1150, 5:", "::7, 2::13", "1190:, :", "600, :", "::400, ::399", "5:6, 3:4"};
	const uint64_t shape[] = {SIDE, SIDE};
	static const uint64_t shards[] = {0, 16};
	zinc_error err = ZINC_ERROR_INIT;
	unsigned k;
	size_t i, j;

	(void)state;
	for (j = 0; j < COUNT(shards); j++) {
		zinc_array *a;
		stage s;

		stage_open(&s, 2, 0);
		a = make(&s, "a", shape, CHUNK, shards[j], "int32", "-3");
		for (i = 0; i < SIDE * SIDE; i++)
			oracle[i / SIDE][i % SIDE] = -3;
		for (k = 0; k < 60; k++) {
			const uint64_t r = k == 0 ? SIDE - 1 : random_below(SIDE);
			const uint64_t c = k == 0 ? SIDE - 1 : random_below(SIDE);

			oracle[r][c] = (int32_t)random_below(65536) - 20000;
			set(a, r, c, oracle[r][c]);
		}
		for (i = 0; i < COUNT(slices); i++) {
			zinc_selection *sel = NULL;
			int64_t sum = 0, n = 0, low = INT64_MAX, high = INT64_MIN;
			char text[32];
			zinc_stats st = ZINC_STATS_INIT;
			uint64_t r, c, all = 0;
			int b;

			assert_ok(zinc_selection_parse(&sel, a, slices[i], &err));
			(void)stage_counts(&s);
			assert_ok(zinc_array_stats(a, sel, NULL, &st, &err));
			assert_true(i > 0 || stage_counts(&s).get_requests < 400); /* (2): not 22 500 */
			for (r = sel->dims[0].start; n >= 0 && r < SIDE; r += sel->dims[0].step) {
				if ((r - sel->dims[0].start) / sel->dims[0].step >= sel->dims[0].count)
					break;
				for (c = sel->dims[1].start; c < SIDE; c += sel->dims[1].step) {
					const int64_t v = oracle[r][c];

					if ((c - sel->dims[1].start) / sel->dims[1].step >= sel->dims[1].count)
						break;
					sum += v;
					n++;
					low = v < low ? v : low;
					high = v > high ? v : high;
				}
			}
			snprintf(text, sizeof text, "%lld", (long long)sum);
			assert_int_equal(st.elements, n);
			assert_string_equal(st.sum, text);
			assert_int_equal(st.min.i, low);
			assert_int_equal(st.max.i, high);
			assert_true(fabs(st.mean - (double)sum / (double)n) < 1e-9 * fabs(st.mean));
			for (b = 0; b < st.bins; b++)
				all += st.count[b];
			assert_int_equal(all, n);
			zinc_selection_free(sel);
		}
		zinc_array_close(a);
		stage_close(&s);
	}
}

/* (1) Fill values that are not ordinary numbers, and types that are not numbers. */
static void
fill_values(void **state)
{
	static const struct {
		const char *dtype, *fill;
		uint64_t nan, infinite;
		const char *sum;
	} rows[] = {
	    {"float32", "\"NaN\"", 4000000, 0, ""},
	    {"float64", "\"-Infinity\"", 0, 4000000, ""},
	    {"uint64", "18446744073709551615", 0, 0, "73786976294838206460000000"},
	    {"int64", "-9223372036854775808", 0, 0, "-36893488147419103232000000"},
	    {"bool", "true", 0, 0, "4000000"},
	    {"string", "\"\xc3\xa4o\"", 0, 0, "8000000"},
	};
	const uint64_t shape[] = {2000, 2000};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_array *a;
		zinc_stats st = ZINC_STATS_INIT;
		stage s;

		stage_open(&s, 2, 0);
		a = make(&s, "a", shape, 2, 0, rows[i].dtype, rows[i].fill);
		(void)stage_counts(&s);
		assert_ok(zinc_array_stats(a, NULL, NULL, &st, &err));
		assert_true(stage_counts(&s).get_requests < 10);
		assert_int_equal(st.elements, 4000000);
		assert_int_equal(st.nan, rows[i].nan);
		assert_int_equal(st.infinite, rows[i].infinite);
		assert_string_equal(st.sum, rows[i].sum);
		zinc_array_close(a);
		stage_close(&s);
	}
}

typedef struct heard {
	uint64_t n, count;
	uint64_t index[2];
	char a[32], b[32];
} heard;

static int
hear(void *arg, const zinc_difference *d)
{
	heard *h = arg;

	if (d->kind != ZINC_DIFFERS_VALUES)
		return 0;
	h->n++;
	h->count = d->count;
	memcpy(h->index, d->index, sizeof h->index);
	snprintf(h->a, sizeof h->a, "%s", d->a);
	snprintf(h->b, sizeof h->b, "%s", d->b);
	return 0;
}

/* (1) Differences, with other chunks and other fill values; the first is the first in C order. */
static void
differences(void **state)
{
	const uint64_t shape[] = {SIDE, SIDE};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_diff_options o = ZINC_DIFF_OPTIONS_INIT;
	zinc_array *a, *b, *c;
	heard h = {0};
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = make(&s, "a", shape, CHUNK, 0, "int32", "5");
	b = make(&s, "b", shape, 60, 0, "int32", "5");
	c = make(&s, "c", shape, CHUNK, 0, "int32", "6");
	set(a, 100, 7, 1);
	set(b, 100, 7, 1);
	assert_ok(zinc_diff(s.h, "/a", s.h, "/b", &o, hear, &h, NULL, &err));
	assert_int_equal(h.n, 0);
	set(b, 900, 3, 2);
	set(a, 500, 1100, 9);
	assert_ok(zinc_diff(s.h, "/a", s.h, "/b", &o, hear, &h, NULL, &err));
	assert_int_equal(h.n, 1);
	assert_int_equal(h.count, 2);
	assert_int_equal(h.index[0], 500);
	assert_int_equal(h.index[1], 1100);
	/* c has 5 where a has nothing: all but one element differ */
	set(c, 0, 0, 5);
	assert_ok(zinc_diff(s.h, "/a", s.h, "/c", &o, hear, &h, NULL, &err));
	assert_int_equal(h.n, 2);
	assert_int_equal(h.count, SIDE * SIDE - 1);
	assert_int_equal(h.index[0], 0);
	assert_int_equal(h.index[1], 1);
	assert_string_equal(h.a, "5");
	assert_string_equal(h.b, "6");
	zinc_array_close(a);
	zinc_array_close(b);
	zinc_array_close(c);
	stage_close(&s);
}

static int
count_chunk(void *arg, const zinc_chunk *chunk)
{
	assert_true(chunk->present);
	++*(int *)arg;
	return 0;
}

/* (2) and (3) Shapes with too many chunks to count. */
static void
huge(void **state)
{
	const uint64_t line[] = {(uint64_t)1 << 62, 1}, square[] = {(uint64_t)1 << 62, (uint64_t)1 << 62};
	const uint64_t chunks[] = {(uint64_t)7, 7};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;
	zinc_array *a, *b;
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	zinc_stats st = ZINC_STATS_INIT;
	int n = 0;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = make(&s, "a", line, 10, 0, "int32", "0");
	b = make(&s, "b", square, 10, 0, "int32", "0");
	set(a, 12345, 0, 1);
	set(a, ((uint64_t)1 << 62) - 1, 0, 2);
	set(b, 5, 5, 1);
	assert_ok(zinc_array_stats(a, NULL, NULL, &st, &err));
	assert_int_equal(st.elements, line[0]);
	assert_string_equal(st.sum, "3");
	assert_ok(zinc_diff(s.h, "/a", s.h, "/a", NULL, NULL, NULL, NULL, &err));
	assert_ok(zinc_array_explain(a, NULL, NULL, count_chunk, &n, &e, &err));
	assert_int_equal(n, 2);
	assert_int_equal(e.only_stored, 1);
	assert_int_equal(zinc_array_explain(a, NULL, NULL, NULL, NULL, &e, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_array_stats(b, NULL, NULL, &st, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_array_explain(b, NULL, NULL, count_chunk, &n, &e, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_diff(s.h, "/b", s.h, "/b", NULL, NULL, NULL, NULL, &err), ZINC_E_LIMIT);
	/* rechunked: stored chunks are moved, and compared */
	o.ndim = 2;
	o.chunks = chunks;
	o.verify = 1;
	assert_ok(zinc_copy(s.h, "/a", s.h, "/c", &o, NULL, &err));
	assert_ok(zinc_diff(s.h, "/a", s.h, "/c", NULL, NULL, NULL, NULL, &err));
	zinc_array_close(a);
	zinc_array_close(b);
	stage_close(&s);
}

/* (2) If a shard is too large for one piece, a cell is not a single chunk: each would read the shard's index again. */
static void
large_shards(void **state)
{
	const uint64_t shape[] = {8192, 8192};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	zinc_stats st = ZINC_STATS_INIT;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = make(&s, "a", shape, 16, 2048, "int32", "0");
	set(a, 5, 7, 9);
	(void)stage_counts(&s);
	assert_ok(zinc_array_stats(a, NULL, NULL, &st, &err));
	assert_true(stage_counts(&s).get_requests < 1000); /* not 16 384 */
	assert_string_equal(st.sum, "9");
	zinc_array_close(a);
	stage_close(&s);
}

/* (4) Chunks and objects are listed and counted once, whatever their lengths, and however large objects are. */
static void
whole_objects(void **state)
{
	const uint64_t two[] = {2, 2}, large[] = {2048, 2048};
	const zinc_array_options rows[] = {
	    *ZINC_ARRAY_OPTIONS(.chunk_edges = "[[1, [2, 4000]], [1, [2, 4000]]]"),
	    *ZINC_ARRAY_OPTIONS(.chunk_edges = "[[1, [3, 1], [2, 3999]], 2]"),
	    *ZINC_ARRAY_OPTIONS(.chunks = two, .shard_edges = "[[2, [4, 3000]], [6, [4, 3000]]]"),
	    *ZINC_ARRAY_OPTIONS(.chunks = two, .shards = large),
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const uint64_t shape[] = {i < 2 ? 8001 : 8192, i < 2 ? 8001 : 8192};
		zinc_explanation e = ZINC_EXPLANATION_INIT;
		zinc_array_options o = rows[i];
		zinc_stored stored = ZINC_STORED_INIT;
		zinc_stats st = ZINC_STATS_INIT;
		zinc_array *a = NULL;
		int n = 0;
		stage s;

		stage_open(&s, 2, 0);
		o.ndim = 2;
		o.shape = shape;
		o.dtype = "int32";
		assert_ok(zinc_array_create(&a, s.h, "a", &o, &err));
		set(a, 1, 1, 5);
		set(a, 2, 2, 6);
		set(a, 1501, 2000, 7);
		assert_ok(zinc_array_stored(a, &stored, NULL, &err));
		assert_ok(zinc_array_explain(a, NULL, NULL, count_chunk, &n, &e, &err));
		assert_int_equal(e.only_stored, 1);
		assert_int_equal(n, e.chunks_present);
		assert_int_equal(n, i == 0 ? 2 : 3);
		assert_int_equal(e.objects, stored.objects);
		assert_int_equal(e.objects_present, stored.objects);
		assert_int_equal(e.object_bytes, stored.bytes);
		assert_ok(zinc_array_stats(a, NULL, NULL, &st, &err));
		assert_int_equal(st.elements, shape[0] * shape[1]);
		assert_string_equal(st.sum, "18");
		zinc_array_close(a);
		stage_close(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(statistics), cmocka_unit_test(fill_values),  cmocka_unit_test(differences),
	    cmocka_unit_test(huge),       cmocka_unit_test(large_shards), cmocka_unit_test(whole_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
