/*
 * test_write.c - writing; numbers are the promises of src/array/write.c
 */
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "support/test.h"

static uint16_t v[40 * 40];

static void
set_all(uint16_t x)
{
	for (size_t i = 0; i < COUNT(v); i++)
		v[i] = x;
}

/* (1) whole objects are not read, (2) others are written by update. */
static void
test_reads_only_parts(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	for (int sharded = 0; sharded < 2; sharded++) {
		a = stage_array(&s, sharded ? "s" : "c", 20, 40, 5, 10, sharded ? 10 : 0, 20, "zstd");
		set_all(3);
		(void)stage_counts(&s);
		assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		n = stage_counts(&s);
		assert_int_equal(n.get_requests, 0);
		assert_int_equal(n.update_calls, 0);
		assert_int_equal(n.put_calls, sharded ? 4 : 16);
		assert_ok(zinc_array_write_text(a, "3:6, 4", ZINC_BUFFER(v, sizeof v), NULL, &err));
		n = stage_counts(&s);
		assert_int_equal(n.update_calls, sharded ? 1 : 2);
		zinc_array_close(a);
	}
	stage_close(&s);
}

/* (2) an object at the edge keeps elements that others wrote after it; as single writer, or if damaged, it is
 * replaced. */
static void
test_edge(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *old, *grown = NULL;
	uint16_t x[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, y[10] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	stage s;

	(void)unused;
	for (int sharded = 0; sharded < 2; sharded++) {
		stage_open(&s, 1, 0);
		old = stage_array(&s, "a", 1, 6, 1, 5, sharded ? 1 : 0, 10, "zstd");
		assert_ok(zinc_array_open(&grown, s.h, "a", NULL, &err));
		assert_ok(zinc_array_resize(grown, (uint64_t[]){1, 10}, NULL, &err));
		assert_ok(zinc_array_write_text(grown, ":, 6:", ZINC_BUFFER(y, sizeof y), NULL, &err));
		assert_ok(zinc_array_write_text(old, "", ZINC_BUFFER(x, sizeof x), NULL,
						&err)); /* by a handle with 6 columns */
		assert_ok(zinc_array_read_text(grown, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		for (int i = 0; i < 10; i++)
			assert_int_equal(v[i], i < 6 ? 1 : 2);
		(void)stage_counts(&s);
		assert_ok(
		    zinc_array_write(old, NULL, ZINC_BUFFER(x, sizeof x), ZINC_IO_OPTIONS(.single_writer = 1), &err));
		assert_int_equal(stage_counts(&s).update_calls, 0);
		assert_ok(zinc_array_chunk_put(grown, (uint64_t[]){0, sharded ? 0 : 1}, "damaged", 7, NULL, &err));
		assert_ok(zinc_array_write_text(old, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
		assert_ok(zinc_array_read_text(old, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		assert_int_equal(v[5], 1);
		zinc_array_close(grown);
		zinc_array_close(old);
		stage_close(&s);
	}
}

/* (2) the same where only an inner chunk of a shard is damaged, and whatever the threads. */
static void
test_damaged_inner_chunk(void **unused)
{
	static const uint64_t origin[2] = {0, 0};
	const size_t index_bytes = 2 * 16 + 4;
	uint16_t x[6] = {1, 1, 1, 1, 1, 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	for (int threads = 1; threads <= 4; threads += 3) {
		stage_open(&s, threads, 0);
		a = stage_array(&s, "a", 1, 6, 1, 5, 1, 10, "zstd+crc32c");
		assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
		assert_ok(zinc_array_chunk_get(a, origin, &b, NULL, &err));
		assert_true(b.nbytes > index_bytes);
		memset(b.data, 0xff, b.nbytes - index_bytes);
		assert_ok(zinc_array_chunk_put(a, origin, b.data, b.nbytes, NULL, &err));
		zinc_blob_fini(&b);
		/* a part of it cannot be changed, and the object stays unchanged */
		assert_int_equal(zinc_array_write_text(a, ":, 1:", ZINC_BUFFER(x, sizeof x), NULL, &err),
				 ZINC_E_CHECKSUM);
		assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_CHECKSUM);
		assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
		assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		assert_int_equal(v[5], 1);
		zinc_array_close(a);
		stage_close(&s);
	}
}

/* (3) if an element does not convert, nothing is stored. */
static void
test_nothing_stored(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	static double d[20 * 20];
	uint16_t x = 0;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 20, 20, 5, 5, 0, 0, "zstd");
	for (int i = 0; i < 400; i++)
		d[i] = 5;
	d[399] = 0.5;
	(void)stage_counts(&s);
	assert_int_equal(zinc_array_write_text(a, "", ZINC_BUFFER(d, sizeof d), NULL, &err), ZINC_E_RANGE);
	assert_non_null(strstr(zinc_error_text(&err), "0.5"));
	assert_int_equal(stage_counts(&s).put_calls, 0);
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(d, sizeof d), ZINC_IO_OPTIONS(.convert = ZINC_CONVERT_TRUNCATE),
				   &err));
	assert_ok(zinc_array_read_text(a, "18, 18", ZINC_BUFFER(&x, sizeof x), NULL, &err));
	assert_int_equal(x, 5);
	zinc_array_close(a);
	stage_close(&s);
}

static int
count_keys(void *arg, const char *key, uint64_t nbytes)
{
	(void)nbytes;
	if (strstr(key, "zarr.json") == NULL)
		++*(int *)arg;
	return 0;
}

static int
stored(stage *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	int n = 0;

	assert_ok(zinc_store_list(s->memory, "", count_keys, &n, NULL, &err));
	return n;
}

/* (4) an object with only the fill value is erased, or stored on request. */
static void
test_fill_is_not_stored(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	for (int sharded = 0; sharded < 2; sharded++) {
		int objects = sharded ? 1 : 4;

		stage_open(&s, 1, 0);
		a = stage_array(&s, "a", 10, 10, 5, 5, sharded ? 10 : 0, 10, "zstd");
		set_all(0);
		assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		assert_int_equal(stored(&s), 0);
		assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(v, sizeof v), ZINC_IO_OPTIONS(.store_fill = 1), &err));
		assert_int_equal(stored(&s), objects);
		assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		assert_int_equal(stored(&s), 0);
		set_all(7);
		assert_ok(zinc_array_write_text(a, "2, 2", ZINC_BUFFER(v, sizeof v), NULL, &err));
		assert_int_equal(stored(&s), 1);
		set_all(0);
		assert_ok(zinc_array_write_text(a, "2, 2", ZINC_BUFFER(v, sizeof v), NULL,
						&err)); /* the last element gets its old value again */
		assert_int_equal(stored(&s), 0);
		zinc_array_close(a);
		stage_close(&s);
	}
}

/* (5) the same bytes for any number of threads. */
static void
test_same_bytes(void **unused)
{
	static const char *const codecs[] = {"none", "zstd:3", "gzip:5", "blosc:zstd:5:bitshuffle",
					     "blosc:lz4:5:shuffle+crc32c"};
	static const uint64_t origin[2] = {0, 0};
	zinc_error err = ZINC_ERROR_INIT;

	(void)unused;
	for (size_t k = 0; k < COUNT(codecs); k++)
		for (int sharded = 0; sharded < 2; sharded++) {
			zinc_blob first = ZINC_BLOB_INIT, b = ZINC_BLOB_INIT;

			for (int threads = 1; threads <= 4; threads++) {
				zinc_array *a;
				stage s;

				stage_open(&s, threads, 0);
				a = stage_array(&s, "a", 40, 40, 7, 5, sharded ? 42 : 0, 40, codecs[k]);
				stage_fill(a);
				assert_ok(zinc_array_chunk_get(a, origin, &b, NULL, &err));
				if (threads == 1) {
					first.data = malloc(b.nbytes);
					first.nbytes = b.nbytes;
					memcpy(first.data, b.data, b.nbytes);
				}
				assert_int_equal(first.nbytes, b.nbytes);
				assert_memory_equal(first.data, b.data, b.nbytes);
				zinc_blob_fini(&b);
				zinc_array_close(a);
				stage_close(&s);
			}
			free(first.data);
		}
}

/* Untouched inner chunks keep their bytes; offsets stay within the new shard. */
static void
test_partial_shard(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t x = 4242;
	zinc_array *a;
	stage s;

	(void)unused;
	for (int threads = 1; threads <= 3; threads += 2) {
		stage_open(&s, threads, 0);
		a = stage_array(&s, "a", 33, 35, 5, 7, 20, 21, "zstd");
		stage_fill(a);
		assert_ok(zinc_array_write_text(a, "17, 30", ZINC_BUFFER(&x, sizeof x), NULL, &err));
		assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		for (int i = 0; i < 33 * 35; i++)
			assert_int_equal(v[i], i == 17 * 35 + 30 ? 4242 : i + 1);
		zinc_array_close(a);
		stage_close(&s);
	}
}

static void
test_read_only(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	zinc_array_close(stage_array(&s, "a", 4, 4, 4, 4, 0, 0, "zstd"));
	assert_ok(zinc_hierarchy_open(&h, s.memory, "", ZINC_OPEN_OPTIONS(.context = s.ctx, .read_only = 1), &err));
	assert_ok(zinc_array_open(&a, h, "a", NULL, &err));
	assert_int_equal(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_array_resize(a, (uint64_t[]){5, 5}, NULL, &err), ZINC_E_READONLY);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_only_parts),    cmocka_unit_test(test_edge),
	    cmocka_unit_test(test_damaged_inner_chunk), cmocka_unit_test(test_nothing_stored),
	    cmocka_unit_test(test_fill_is_not_stored),  cmocka_unit_test(test_same_bytes),
	    cmocka_unit_test(test_partial_shard),       cmocka_unit_test(test_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
