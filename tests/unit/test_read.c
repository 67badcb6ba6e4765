/*
 * test_read.c - reading; numbers are the promises of src/array/read.c and shard_read.c
 */
#include <stdatomic.h>
#include <string.h>

#include "support/fault.h"
#include "support/arrays.h"
#include "support/test.h"

static uint16_t v[64][64];

static void
read_ok(zinc_array *a, const char *selection)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(v, 0xee, sizeof v);
	assert_ok(zinc_array_read_text(a, selection, ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err));
}

/* (1) a missing object is the fill value, or E_NOTFOUND on request; a failing store is a failure. */
static void
test_missing(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	for (int sharded = 0; sharded < 2; sharded++) {
		a = stage_array(&s, sharded ? "s" : "c", 10, 10, 5, 5, sharded ? 10 : 0, 10, "zstd");
		read_ok(a, "3, 4");
		assert_int_equal(v[0][0], 0);
		assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER(&v[0][0], sizeof v),
						 ZINC_IO_OPTIONS(.missing_is_error = 1), &err),
				 ZINC_E_NOTFOUND);
		assert_non_null(strstr(zinc_error_text(&err), sharded ? "s/c/0/0" : "c/c/0/0"));
		zinc_store_fault_set(s.fault, &(zinc_fault){.at = 1, .forever = 1, .status = ZINC_E_IO});
		assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err), ZINC_E_IO);
		zinc_store_fault_set(s.fault, &(zinc_fault){.at = 0});
		zinc_array_close(a);
	}
	stage_close(&s);
}

static void
mark(void *arg, const uint64_t *index)
{
	atomic_fetch_add((atomic_int *)arg + index[0] * 2 + index[1], 1);
}

/* The caller is told of each object that is not stored and that the selection needs, and of no inner chunk. */
static void
tell_missing(stage *s, const char *name, uint64_t shard)
{
	zinc_array *a = stage_array(s, name, 10, 10, shard ? 1 : 5, 5, shard, shard, "zstd");
	zinc_error err = ZINC_ERROR_INIT;
	atomic_int seen[4] = {0};
	zinc_io_options o = ZINC_IO_OPTIONS_INIT;
	zinc_selection *sel = NULL;
	uint16_t one = 7;

	o.missing = mark;
	o.missing_arg = seen;
	assert_ok(zinc_array_write_text(a, "2, 7", ZINC_BUFFER(&one, sizeof one), NULL, &err));
	for (int again = 1; again <= 2; again++) {
		assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(&v[0][0], sizeof v), &o, &err));
		for (int i = 0; i < 4; i++)
			assert_int_equal(atomic_load(&seen[i]), i == 1 ? 0 : again);
	}
	assert_ok(zinc_selection_parse(&sel, a, "1:3, 6", &err));
	assert_ok(zinc_array_read(a, sel, ZINC_BUFFER(&v[0][0], sizeof v), &o, &err));
	assert_int_equal(atomic_load(&seen[0]) + atomic_load(&seen[1]), 2);
	o.missing_is_error = 1;
	assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER(&v[0][0], sizeof v), &o, &err), ZINC_E_NOTFOUND);
	zinc_selection_free(sel);
	zinc_array_close(a);
}

static void
test_tell_missing(void **unused)
{
	stage s;

	(void)unused;
	for (int threads = 1; threads <= 3; threads++)
		for (int cache = 0; cache < 2; cache++) {
			stage_open(&s, threads, cache ? 1 << 20 : 0);
			tell_missing(&s, "c", 0);
			tell_missing(&s, "s", 5);
			stage_close(&s);
		}
}

/* (2) the same with any number of threads, with and without cache. */
static void
test_threads_and_cache(void **unused)
{
	(void)unused;
	for (int threads = 1; threads <= 4; threads++)
		for (int cache = 0; cache < 2; cache++) {
			zinc_array *a;
			stage s;

			stage_open(&s, threads, cache ? 1 << 20 : 0);
			a = stage_array(&s, "a", 50, 40, 7, 9, 0, 0, "zstd");
			stage_fill(a);
			for (int again = 0; again < 3; again++) {
				read_ok(a, "");
				for (int i = 0; i < 2000; i++)
					assert_int_equal((&v[0][0])[i], i + 1);
			}
			zinc_array_close(a);
			stage_close(&s);
		}
}

/* The cache: a second read transfers nothing, a change is visible at once. */
static void
test_cache(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	uint16_t x = 999;
	stage s;

	(void)unused;
	stage_open(&s, 1, 1 << 20);
	a = stage_array(&s, "a", 20, 20, 10, 10, 0, 0, "zstd");
	stage_fill(a);
	read_ok(a, "");
	(void)stage_counts(&s);
	read_ok(a, "");
	assert_int_equal(stage_counts(&s).get_bytes, 0);
	assert_ok(zinc_array_write_text(a, "3, 3", ZINC_BUFFER(&x, sizeof x), NULL, &err));
	read_ok(a, "3, 3");
	assert_int_equal(v[0][0], 999);
	assert_ok(
	    zinc_array_read(a, NULL, ZINC_BUFFER(&v[0][0], sizeof v), ZINC_IO_OPTIONS(.assume_unchanged = 1), &err));
	assert_int_equal((&v[0][0])[3 * 20 + 3], 999);
	zinc_array_close(a);
	stage_close(&s);
}

/* The cache: entries of an array that was created again with larger chunks are not used, even with assume_unchanged. */
static void
test_cache_of_smaller_chunks(void **unused)
{
	static const uint64_t shape[] = {20, 20}, small[] = {5, 5}, large[] = {20, 20}, shards[] = {20, 20};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	stage s;

	(void)unused;
	for (int sharded = 0; sharded < 2; sharded++) {
		stage_open(&s, 1, 1 << 20);
		for (int again = 0; again < 2; again++) {
			assert_ok(
			    zinc_array_create(&a, s.h, "a",
					      ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "uint16",
								 .chunks = again ? large : small,
								 .shards = sharded ? shards : NULL, .overwrite = again),
					      &err));
			stage_fill(a);
			memset(v, 0, sizeof v);
			assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(&v[0][0], sizeof v),
						  ZINC_IO_OPTIONS(.assume_unchanged = 1), &err));
			for (int i = 0; i < 400; i++)
				assert_int_equal((&v[0][0])[i], i + 1);
			zinc_array_close(a);
		}
		stage_close(&s);
	}
}

/* (4) an object longer than any encoding is E_CORRUPT before it is read. */
static void
test_oversized_object(void **unused)
{
	static uint8_t big[1 << 20];
	static const uint64_t origin[2] = {0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 4, 4, 4, 4, 0, 0, "zstd");
	assert_ok(zinc_array_chunk_put(a, origin, big, sizeof big, NULL, &err));
	(void)stage_counts(&s);
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(stage_counts(&s).get_bytes, 0);
	assert_non_null(strstr(zinc_error_text(&err), "a/c/0/0"));
	zinc_array_close(a);
	a = stage_array(&s, "raw", 16, 16, 16, 16, 0, 0, "none");
	assert_ok(zinc_array_chunk_put(a, origin, big, 511, NULL, &err));
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err), ZINC_E_CORRUPT);
	zinc_array_close(a);
	stage_close(&s);
}

/* Shards: one get for the index, one for the ranges, neighbours merged (2); only the needed bytes. */
static void
test_shard_requests(void **unused)
{
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 40, 40, 10, 10, 40, 40, "none");
	stage_fill(a);
	(void)stage_counts(&s);
	read_ok(a, "");
	n = stage_counts(&s);
	assert_int_equal(n.get_calls, 2);
	assert_int_equal(n.get_requests, 2);
	read_ok(a, "12, 12");
	n = stage_counts(&s);
	assert_int_equal(n.get_calls, 2);
	assert_int_equal(n.get_bytes, 16 * 16 + 4 + 200);
	assert_int_equal(v[0][0], 12 * 40 + 12 + 1);
	zinc_array_close(a);
	stage_close(&s);
}

/* Rows of plain chunks are read directly into the buffer, and only the requested ones. */
static void
test_rows(void **unused)
{
	static uint16_t big[8 * 4096];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 16, 4096, 8, 4096, 0, 0, "none");
	stage_fill(a);
	(void)stage_counts(&s);
	assert_ok(zinc_array_read_text(a, "9", ZINC_BUFFER(big, sizeof big), NULL, &err));
	assert_int_equal(stage_counts(&s).get_bytes, 8192);
	for (int i = 0; i < 4096; i++)
		assert_int_equal(big[i], (uint16_t)(9 * 4096 + i + 1));
	assert_ok(zinc_array_read_text(a, "6:10:2", ZINC_BUFFER(big, sizeof big), NULL, &err));
	assert_int_equal(big[4096], (uint16_t)(8 * 4096 + 1));
	zinc_array_close(a);
	stage_close(&s);
}

/* Short rows of plain chunks: together if they are close, otherwise one by one, or the whole chunk if that is
 * cheaper. */
static void
test_bands(void **unused)
{
	static const struct {
		uint64_t lines, columns;
		const char *sel;
		uint64_t requests, bytes;
	} rows[] = {
	    {256, 256, "10:20, 100:110", 1, 9 * 512 + 20},
	    {64, 4096, "10:20, 100:110", 10, 10 * 20},
	    {256, 256, "0:250, 100:110", 1, 249 * 512 + 20},
	    {256, 256, ":, 5", 1, 256 * 512},
	    {256, 16, "3:5, 2:4", 1, 32 + 4},
	};
	static uint16_t got[250 * 10];
	size_t i, k;

	(void)unused;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
		zinc_array *a;
		stage s;

		stage_open(&s, 1, 0);
		a = stage_array(&s, "a", rows[i].lines, rows[i].columns, rows[i].lines, rows[i].columns, 0, 0, "none");
		stage_fill(a);
		(void)stage_counts(&s);
		assert_ok(zinc_array_read_text(a, rows[i].sel, ZINC_BUFFER(got, sizeof got), NULL, &err));
		n = stage_counts(&s);
		assert_int_equal(n.get_requests, rows[i].requests);
		assert_int_equal(n.get_bytes, rows[i].bytes);
		if (rows[i].sel[0] == '1')
			for (k = 0; k < 100; k++)
				assert_int_equal(got[k],
						 (uint16_t)((10 + k / 10) * rows[i].columns + 100 + k % 10 + 1));
		zinc_array_close(a);
		stage_close(&s);
	}
}

static void
test_bad_calls(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	static const int64_t zero[2] = {0, 0};
	zinc_buffer b = *ZINC_BUFFER(&v[0][0], sizeof v);
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 10, 10, 5, 5, 0, 0, "zstd");
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(&v[0][0], 199), NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_read_text(a, "10", ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err), ZINC_E_RANGE);
	assert_int_equal(zinc_array_read_text(a, "1,2,3", ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_read_text(a, "::-1", ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err), ZINC_E_INVALID);
	b.ndim = 2;
	b.strides = zero;
	assert_int_equal(zinc_array_read(a, NULL, &b, NULL, &err), ZINC_E_INVALID);
	b.ndim = 1;
	assert_int_equal(zinc_array_read(a, NULL, &b, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER_AS(ZINC_BOOL, v, sizeof v), NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_read(NULL, NULL, &b, NULL, &err), ZINC_E_INVALID);
	zinc_array_close(a);
	stage_close(&s);
}

/* Elements that do not fit are named; CLAMP and WRAP accept them. */
static void
test_conversion(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	int8_t small[4];
	uint16_t x[4] = {1, 127, 128, 300};
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 1, 4, 1, 4, 0, 0, "zstd");
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(small, sizeof small), NULL, &err), ZINC_E_RANGE);
	assert_non_null(strstr(zinc_error_text(&err), "128"));
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(small, sizeof small),
				  ZINC_IO_OPTIONS(.convert = ZINC_CONVERT_CLAMP), &err));
	assert_int_equal(small[3], 127);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(small, sizeof small),
				  ZINC_IO_OPTIONS(.convert = ZINC_CONVERT_WRAP), &err));
	assert_int_equal(small[3], 44);
	zinc_array_close(a);
	stage_close(&s);
}

/* An integer that the float type does not have is named, be it stored or the fill value; ROUND takes the nearest. */
static void
test_inexact(void **unused)
{
	const uint64_t shape[] = {4};
	const int64_t x[4] = {0, 9007199254740992, 9007199254740993, -9007199254740995};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	float f[4];
	double d[4];
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	assert_ok(zinc_array_create(
	    &a, s.h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int64", .fill = "16777217"), &err));
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(d, sizeof d), NULL, &err));
	assert_true(d[0] == 16777217);
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(f, sizeof f), NULL, &err), ZINC_E_RANGE);
	assert_non_null(
	    strstr(zinc_error_text(&err), "the fill value of type int64 does not fit float32 exactly; ROUND"));
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(d, sizeof d), NULL, &err), ZINC_E_RANGE);
	assert_non_null(strstr(zinc_error_text(&err),
			       "the value 9007199254740993 of type int64 does not fit float64 exactly; ROUND"));
	assert_ok(zinc_array_read_text(a, ":2", ZINC_BUFFER(d, 2 * sizeof *d), NULL, &err));
	assert_ok(
	    zinc_array_read(a, NULL, ZINC_BUFFER(d, sizeof d), ZINC_IO_OPTIONS(.convert = ZINC_CONVERT_ROUND), &err));
	assert_true(d[1] == 0x1p53 && d[2] == 0x1p53 && d[3] == -0x1.0000000000002p53);
	zinc_array_close(a);
	stage_close(&s);
}

/* A buffer with negative strides turns the rows around. */
static void
test_negative_strides(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	int64_t strides[2] = {-8, 2};
	uint64_t shape[2] = {3, 4};
	uint16_t x[3][4];
	zinc_buffer b = {sizeof b, ZINC_UINT16, x, sizeof x, 2, shape, strides, 16, NULL};
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 3, 4, 2, 2, 0, 0, "zstd");
	stage_fill(a);
	assert_ok(zinc_array_read(a, NULL, &b, NULL, &err));
	assert_int_equal(x[2][0], 1);
	assert_int_equal(x[0][3], 12);
	b.first = 14;
	assert_int_equal(zinc_array_read(a, NULL, &b, NULL, &err), ZINC_E_INVALID);
	zinc_array_close(a);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_missing),
	    cmocka_unit_test(test_tell_missing),
	    cmocka_unit_test(test_threads_and_cache),
	    cmocka_unit_test(test_cache),
	    cmocka_unit_test(test_cache_of_smaller_chunks),
	    cmocka_unit_test(test_oversized_object),
	    cmocka_unit_test(test_shard_requests),
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_bands),
	    cmocka_unit_test(test_bad_calls),
	    cmocka_unit_test(test_conversion),
	    cmocka_unit_test(test_negative_strides),
	    cmocka_unit_test(test_inexact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
