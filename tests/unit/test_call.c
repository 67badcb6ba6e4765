/*
 * test_call.c - failing, cancelling and watching a call; numbers are the promises of src/array/call.c
 */
#include <string.h>

#include "support/arrays.h"
#include "support/test.h"

static uint16_t v[100 * 100];

/* (1) the lowest failing object is reported, whatever the thread count. */
static void
test_lowest_failure(void **unused)
{
	(void)unused;
	for (int threads = 1; threads <= 4; threads++)
		for (int round = 0; round < 20; round++) {
			zinc_error err = ZINC_ERROR_INIT;
			uint64_t bad[3][2] = {{7, 3}, {2, 9}, {9, 9}};
			zinc_array *a;
			stage s;

			stage_open(&s, threads, 0);
			a = stage_array(&s, "a", 100, 100, 10, 10, 0, 0, "zstd");
			stage_fill(a);
			for (int i = 0; i < 3; i++)
				assert_ok(zinc_array_chunk_put(a, bad[i], "broken", 6, NULL, &err));
			assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err),
					 ZINC_E_CORRUPT);
			assert_string_equal(err.chunk, "2,9");
			assert_string_equal(err.key, "a/c/2/9");
			assert_string_equal(err.codec, "zstd");
			zinc_array_close(a);
			stage_close(&s);
		}
}

typedef struct watch {
	uint64_t calls, last, total;
	int stop_at;
} watch;

static int
look(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	watch *w = arg;

	(void)bytes;
	w->calls++;
	w->last = done > w->last ? done : w->last;
	w->total = total;
	return w->stop_at > 0 && (int)w->calls >= w->stop_at;
}

/* (2) cancel flag, progress callback and deadline stop the call. */
static void
test_cancel(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	watch w = {0, 0, 0, 0};
	const zinc_cancel cancel = {1};
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 100, 100, 10, 10, 0, 0, "zstd");
	stage_fill(a);
	assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v),
					 ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.cancel = &cancel)), &err),
			 ZINC_E_CANCELLED);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v),
				  ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.progress = look, .progress_arg = &w)),
				  &err));
	assert_int_equal(w.calls, 100);
	assert_int_equal(w.last, 100);
	assert_int_equal(w.total, 100);
	w = (watch){0, 0, 0, 7};
	assert_int_equal(
	    zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v),
			    ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.progress = look, .progress_arg = &w)), &err),
	    ZINC_E_CANCELLED);
	assert_int_equal(w.calls, 7);
	assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v),
					 ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.timeout = 1e-9)), &err),
			 ZINC_E_CANCELLED);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v),
				  ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.timeout = 1000)), &err));
	zinc_array_close(a);
	stage_close(&s);
}

static void
test_options(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_io_options o = ZINC_IO_OPTIONS_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 4, 4, 4, 4, 0, 0, "zstd");
	o.threads = -1;
	assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), &o, &err), ZINC_E_INVALID);
	o.threads = 0;
	o.size = 0;
	assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), &o, &err), ZINC_E_INVALID);
	o.size = offsetof(zinc_io_options, convert); /* an older program's */
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), &o, &err));
	zinc_array_close(a);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lowest_failure), cmocka_unit_test(test_cancel),
					   cmocka_unit_test(test_options)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
