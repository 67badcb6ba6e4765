/* test_tool_stats.c - sums that can be merged, and statistics of arrays of every kind */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "sweep.h"
#include "random.h"
#include "test.h"
#include "tool/tool.h"

static void
assert_close(double a, double b, double relative)
{
	if (!(fabs(a - b) <= relative * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

/* ---- (1) exact integers ---- */

static void
test_exact(void **state)
{
	static const int64_t ends[] = {INT64_MIN, INT64_MAX, -1, 0, INT64_MIN, INT64_MIN};
	static const uint64_t most[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
	zinc_sums s = {0}, u = {0}, none = {0};
	char text[48];

	(void)state;
	zinc_sums_add_signed(&s, ends, COUNT(ends));
	assert_true(s.min.i == INT64_MIN && s.max.i == INT64_MAX);
	zinc_sums_print(&s, text);
	assert_string_equal(text, "-18446744073709551618");
	zinc_sums_add_unsigned(&u, most, COUNT(most));
	zinc_sums_print(&u, text);
	assert_string_equal(text, "55340232221128654845");
	assert_true(zinc_sums_mean(&u, ZINC_WIDE_UNSIGNED) == 0x1p64);
	assert_true(u.squares == 0);
	zinc_sums_print(&none, text);
	assert_string_equal(text, "0");
	zinc_sums_add_signed(&none, &ends[2], 1);
	zinc_sums_print(&none, text);
	assert_string_equal(text, "-1");
	assert_true(zinc_sums_mean(&none, ZINC_WIDE_SIGNED) == -1);
}

/* ---- (2) stable moments ---- */

static void
test_moments(void **state)
{
	enum { N = 1000000 };
	double *v;
	uint64_t i;
	long double mean = 0, squares = 0;
	zinc_sums s = {0};

	(void)state;
	if (!long_doubles_are_long())
		skip();
	v = test_malloc(N * sizeof *v);
	for (i = 0; i < N; i++) /* a large mean, a small deviation */
		v[i] = 1e9 + (double)(random_bits() % 1000) / 1000;
	for (i = 0; i < N; i++)
		mean += (long double)v[i];
	mean /= N;
	for (i = 0; i < N; i++)
		squares += ((long double)v[i] - mean) * ((long double)v[i] - mean);
	zinc_sums_add_float(&s, v, N);
	assert_close(s.mean, (double)mean, 1e-15);
	assert_close(s.squares, (double)squares, 1e-10);
	test_free(v);
}

static void
expect_moments(zinc_sums *s, double mean, double deviation, double relative)
{
	assert_close(zinc_sums_deviation(s), deviation, relative);
	if (fabs(s->mean - mean) > relative * (fabs(mean) + deviation))
		fail_msg("mean %.17g is not %.17g", s->mean, mean);
}

/* The limits of doubles: squared values are scaled. */
static void
test_scales(void **state)
{
	static const struct {
		double a, b, mean, deviation;
	} rows[] = {
	    {1e300, 3e300, 2e300, 1e300},
	    {-1e300, 1e300, 0, 1e300},
	    {-DBL_MAX, DBL_MAX, 0, DBL_MAX},
	    {0x1p-1000, 0x1.8p-999, 0x1p-999, 0x1p-1000},
	    {2e-310, 4e-310, 3e-310, 1e-310},
	    {0x2p-1074, 0x6p-1074, 0x4p-1074, 0x2p-1074},
	    {1e-310, 1e300, 5e299, 5e299},
	    {0, 1e-300, 5e-301, 5e-301},
	    {0, 1e300, 5e299, 5e299},
	    {0, 1, 0.5, 0.5},
	    {1, 3, 2, 1},
	};
	enum { N = 10000 }; /* several tiles */
	double *v = test_malloc(N * sizeof *v);
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_sums once = {0}, s = {0}, parts = {0};

		for (k = 0; k < N; k++)
			v[k] = k % 2 ? rows[i].b : rows[i].a;
		zinc_sums_add_float(&once, v, 2);
		expect_moments(&once, rows[i].mean, rows[i].deviation, 1e-14);
		zinc_sums_add_float(&s, v, N);
		expect_moments(&s, rows[i].mean, rows[i].deviation, 1e-12);
		for (k = 0; k < N; k++) /* the two in separate parts */
			v[k] = k < N / 2 ? rows[i].a : rows[i].b;
		zinc_sums_add_float(&parts, v, N / 2);
		zinc_sums_add_float(&parts, v + N / 2, N / 2);
		expect_moments(&parts, rows[i].mean, rows[i].deviation, 1e-12);
	}
	test_free(v);
}

/* Integers that no double can represent, such as times in nanoseconds: their differences are used. */
static void
test_large_integers(void **state)
{
	enum { N = 9999 };
	int64_t *v = test_malloc(N * sizeof *v);
	uint64_t *u = test_malloc(N * sizeof *u);
	static const int64_t bases[] = {0, 1600000000000000001, INT64_MAX - 2, INT64_MIN, -3};
	zinc_sums unsigned_ = {0};
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(bases); i++) {
		zinc_sums s = {0};

		for (k = 0; k < N; k++)
			v[k] = bases[i] + (int64_t)(k % 3);
		zinc_sums_add_signed(&s, v, N);
		assert_close(sqrt(s.squares / N), sqrt(2.0 / 3), 1e-12);
	}
	for (k = 0; k < N; k++)
		u[k] = UINT64_MAX - k % 3;
	zinc_sums_add_unsigned(&unsigned_, u, N);
	assert_close(sqrt(unsigned_.squares / N), sqrt(2.0 / 3), 1e-12);
	test_free(u);
	test_free(v);
}

/* A mean that no double can represent: the differences from the nearest double do not sum to 0, and their squares are
 * corrected. */
static void
test_rounded_mean(void **state)
{
	double v[] = {0x1p53, 0x1p53 + 2};
	zinc_sums s = {0};

	(void)state;
	zinc_sums_add_float(&s, v, COUNT(v));
	assert_true((s.mean - 0x1p53) + s.mean_low == 1);
	assert_true(zinc_sums_deviation(&s) == 1);
}

static void
test_large_floats(void **state)
{
	double v[] = {1.7e308, 1.7e308, -1.7e308, 1.7e308};
	zinc_sums s = {0};

	(void)state;
	zinc_sums_add_float(&s, v, COUNT(v));
	assert_close(s.mean, 0.85e308, 1e-15);
	assert_true(s.bins.n > 1 && s.bins.n <= ZINC_STATS_BINS);
}

/* ---- (3) bins depend on the numbers alone ---- */

static void
check_bins(const zinc_histogram *h, const int64_t *v, size_t n)
{
	uint64_t count[ZINC_STATS_BINS] = {0};
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t bin = (uint64_t)(v[i] >> h->exponent) - h->first;

		assert_true(bin < (uint64_t)h->n);
		count[bin]++;
	}
	assert_memory_equal(count, h->count, sizeof count);
}

static void
test_bins(void **state)
{
	enum { N = 5000 };
	static int64_t v[N];
	int round;

	(void)state;
	for (round = 0; round < 64; round++) {
		zinc_sums whole = {0}, parts = {0};
		size_t i, k;

		for (i = 0; i < N; i++)
			v[i] = (int64_t)random_bits() >> round;
		zinc_sums_add_signed(&whole, v, N);
		check_bins(&whole.bins, v, N);
		for (i = 0; i < N; i += k) { /* in other parts, from the end */
			zinc_sums part = {0};

			k = 1 + random_bits() % 700;
			k = k > N - i ? N - i : k;
			zinc_sums_add_signed(&part, v + N - i - k, k);
			zinc_sums_merge(&parts, &part, ZINC_WIDE_SIGNED);
		}
		assert_memory_equal(&whole.bins, &parts.bins, sizeof whole.bins);
		assert_true(whole.low == parts.low && whole.high == parts.high);
		assert_true(whole.bins.exponent == 0 || whole.bins.n > ZINC_STATS_BINS / 2 - 1);
	}
}

static void
test_float_bins(void **state)
{
	static const double scales[] = {1, 1e-300, 1e300, 5e-324, 1e-5};
	size_t k, i;

	(void)state;
	for (k = 0; k < COUNT(scales); k++) {
		double v[3000], was[3000];
		uint64_t sum = 0;
		zinc_sums whole = {0}, parts = {0};

		for (i = 0; i < COUNT(v); i++)
			was[i] = v[i] = (double)(int64_t)(random_bits() % 2001 - 1000) * scales[k];
		zinc_sums_add_float(&whole, v, COUNT(v));
		for (i = 0; i < COUNT(v); i++)
			zinc_sums_add_float(&parts, &was[COUNT(v) - 1 - i], 1);
		assert_memory_equal(&whole.bins, &parts.bins, sizeof whole.bins);
		for (i = 0; i < (size_t)whole.bins.n; i++)
			sum += whole.bins.count[i];
		assert_int_equal(sum, COUNT(v));
	}
}

static void
test_not_finite(void **state)
{
	double v[] = {NAN, INFINITY, 2, -INFINITY, NAN, INFINITY, 4};
	zinc_sums s = {0};

	(void)state;
	zinc_sums_add_float(&s, v, COUNT(v));
	assert_int_equal(s.n, 2);
	assert_int_equal(s.nan, 2);
	assert_int_equal(s.plus, 2);
	assert_int_equal(s.minus, 1);
	assert_true(s.min.f == 2 && s.max.f == 4 && s.mean == 3);
}

/* ---- arrays ---- */

static zinc_stats
stats(zinc_array *a, const char *select)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;
	zinc_stats s = ZINC_STATS_INIT;

	assert_ok(zinc_selection_parse(&sel, a, select, &err));
	assert_ok(zinc_array_stats(a, sel, NULL, &s, &err));
	zinc_selection_free(sel);
	return s;
}

/* Elements are 1 ... 30 * 20, for any cut, selection and number of threads. */
static void
test_array(void **state)
{
	static const struct {
		const char *select;
		uint64_t n, min, max, sum;
	} rows[] = {
	    {"", 600, 1, 600, 180300},          {"0", 20, 1, 20, 210},
	    {"::7, 3", 5, 4, 564, 1420},        {"5:5", 0, 0, 0, 0},
	    {"[29,0,0], :", 60, 1, 600, 12230}, {"-1, -1", 1, 600, 600, 600},
	    {"[0,29], :", 40, 1, 600, 12020},   {"[0,2,4,11], 3", 4, 4, 224, 356},
	};
	static const uint64_t cuts[][4] = {{7, 6, 0, 0}, {30, 20, 0, 0}, {1, 1, 0, 0}, {5, 5, 15, 10}};
	size_t i, k;
	int threads;

	(void)state;
	for (threads = 1; threads <= 4; threads += 3) {
		stage g;

		stage_open(&g, threads, 0);
		for (k = 0; k < COUNT(cuts); k++) {
			char name[8], sum[48];
			zinc_array *a;

			snprintf(name, sizeof name, "a%zu", k);
			a = stage_array(&g, name, 30, 20, cuts[k][0], cuts[k][1], cuts[k][2], cuts[k][3], "zstd");
			stage_fill(a);
			for (i = 0; i < COUNT(rows); i++) {
				zinc_stats s = stats(a, rows[i].select);

				assert_int_equal(s.elements, rows[i].n);
				assert_int_equal(s.of, ZINC_STATS_VALUES);
				assert_int_equal(s.type, ZINC_UINT64);
				assert_true(s.min.u == rows[i].min && s.max.u == rows[i].max);
				snprintf(sum, sizeof sum, "%llu", (unsigned long long)rows[i].sum);
				assert_string_equal(s.sum, sum);
			}
			zinc_array_close(a);
		}
		stage_close(&g);
	}
}

/* Points are also read in pieces. */
static void
test_points(void **state)
{
	static const uint64_t at[] = {0, 0, 29, 19, 3, 3, 0, 0};
	zinc_selection sel = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_POINTS, .ndim = 2, .points = at, .npoints = 4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	zinc_stats s = ZINC_STATS_INIT;
	stage g;

	(void)state;
	stage_open(&g, 2, 0);
	a = stage_array(&g, "a", 30, 20, 7, 6, 0, 0, "none");
	stage_fill(a);
	assert_ok(zinc_array_stats(a, &sel, NULL, &s, &err));
	assert_int_equal(s.elements, 4);
	assert_string_equal(s.sum, "666");
	assert_int_equal(zinc_array_stats(NULL, NULL, NULL, &s, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_stats(a, NULL, NULL, NULL, NULL), ZINC_E_INVALID);
	zinc_array_close(a);
	stage_close(&g);
}

/* Every sort of type has its numbers, or none. */
static void
test_sorts(void **state)
{
	static const struct {
		const char *dtype, *fill;
		zinc_stats_of of;
		zinc_type type;
		double mean;
		uint64_t nan;
	} rows[] = {
	    {"bool", "true", ZINC_STATS_VALUES, ZINC_UINT64, 1, 0},
	    {"int8", "-5", ZINC_STATS_VALUES, ZINC_INT64, -5, 0},
	    {"float16", "0.5", ZINC_STATS_VALUES, ZINC_FLOAT64, 0.5, 0},
	    {"float32", "\"NaN\"", ZINC_STATS_VALUES, ZINC_FLOAT64, NAN, 5},
	    {"complex64", "[3.0, -4.0]", ZINC_STATS_MAGNITUDES, ZINC_FLOAT64, 5, 0},
	    {"M8[s]", "7", ZINC_STATS_TIMES, ZINC_INT64, 7, 0},
	    {"m8[ns]", "\"NaT\"", ZINC_STATS_TIMES, ZINC_INT64, NAN, 5},
	    {"string", "\"h\\u00e9llo\"", ZINC_STATS_LENGTHS, ZINC_UINT64, 5, 0},
	    {"bytes", "\"AAEC\"", ZINC_STATS_LENGTHS, ZINC_UINT64, 3, 0},
	    {"U4", "\"ab\"", ZINC_STATS_LENGTHS, ZINC_UINT64, 2, 0},
	    {"S9", "\"YWJj\"", ZINC_STATS_LENGTHS, ZINC_UINT64, 3, 0},
	    {"r24", "[1, 2, 3]", ZINC_STATS_NOTHING, ZINC_UINT64, NAN, 0},
	};
	const uint64_t shape[] = {5};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_array *a = NULL;
		zinc_stats s = ZINC_STATS_INIT;
		stage g;

		stage_open(&g, 1, 0);
		assert_ok(zinc_array_create(
		    &a, g.h, "a",
		    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = rows[i].dtype, .fill = rows[i].fill), &err));
		assert_ok(zinc_array_stats(a, NULL, NULL, &s, &err));
		assert_int_equal(s.of, rows[i].of);
		assert_int_equal(s.type, rows[i].type);
		assert_int_equal(s.nan, rows[i].nan);
		assert_int_equal(s.elements, 5);
		if (isnan(rows[i].mean))
			assert_true(isnan(s.mean));
		else
			assert_true(s.mean == rows[i].mean);
		zinc_array_close(a);
		stage_close(&g);
	}
}

/* ---- failures ---- */

static zinc_status
sweep_stats(void *arg, zinc_context *ctx, zinc_error *err)
{
	const uint64_t shape[] = {40}, chunks[] = {3};
	zinc_hierarchy *h = NULL;
	zinc_store *store = NULL;
	zinc_array *a = NULL;
	zinc_stats stat = ZINC_STATS_INIT;
	zinc_status st = zinc_store_open(&store, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1), err);
	if (st == ZINC_OK)
		st = zinc_array_create(&a, h, "a",
				       ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks,
							  .dtype = "string", .fill = "\"ab\""),
				       err);
	if (st == ZINC_OK)
		st = zinc_array_stats(a, NULL, NULL, &stat, err);
	if (st == ZINC_OK)
		assert_true(stat.mean == 2);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	return st;
}

static int
stop(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	(void)arg, (void)done, (void)total, (void)bytes;
	return 1;
}

static void
test_failures(void **state)
{
	static const zinc_cancel cancel = {1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	zinc_stats s = ZINC_STATS_INIT;
	stage g;

	(void)state;
	assert_true(sweep_alloc(sweep_stats, NULL) > 20);
	stage_open(&g, 3, 0);
	a = stage_array(&g, "a", 300, 20, 7, 6, 0, 0, "none");
	stage_fill(a);
	assert_int_equal(
	    zinc_array_stats(a, NULL, ZINC_STATS_OPTIONS(.call = ZINC_CALL_OPTIONS(.cancel = &cancel)), &s, &err),
	    ZINC_E_CANCELLED);
	assert_int_equal(
	    zinc_array_stats(a, NULL, ZINC_STATS_OPTIONS(.call = ZINC_CALL_OPTIONS(.progress = stop)), &s, &err),
	    ZINC_E_CANCELLED);
	assert_ok(zinc_array_chunk_put(a, (const uint64_t[]){30, 1}, "bad", 3, NULL, &err));
	assert_ok(zinc_array_chunk_put(a, (const uint64_t[]){9, 2}, "bad", 3, NULL, &err));
	assert_int_equal(zinc_array_stats(a, NULL, NULL, &s, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.chunk, "9,2"); /* the lowest */
	zinc_array_close(a);
	stage_close(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exact),        cmocka_unit_test(test_moments),
	    cmocka_unit_test(test_scales),       cmocka_unit_test(test_large_integers),
	    cmocka_unit_test(test_rounded_mean), cmocka_unit_test(test_large_floats),
	    cmocka_unit_test(test_bins),         cmocka_unit_test(test_float_bins),
	    cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_array),
	    cmocka_unit_test(test_points),       cmocka_unit_test(test_sorts),
	    cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
