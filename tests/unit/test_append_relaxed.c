/*
 * test_append_relaxed.c - a relaxed append does not wait for the disk, neither for its elements nor for the new shape
 *
 * Counted in the OS calls of the context.
 */
#include "base/base.h"
#include "support/test.h"

static int fsyncs;

static int
count_fsync(const zinc_os *self, int fd)
{
	(void)self;
	__atomic_add_fetch(&fsyncs, 1, __ATOMIC_RELAXED);
	return zinc_os_posix.fsync(&zinc_os_posix, fd);
}

static int
append(zinc_array *a, bool relaxed, const zinc_call_options *call)
{
	static const uint64_t shape[1] = {3};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t v[3] = {1, 2, 3};
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, v, sizeof v);

	b.ndim = 1;
	b.shape = shape;
	fsyncs = 0;
	assert_ok(zinc_array_append(a, 0, &b, ZINC_IO_OPTIONS(.relaxed = relaxed, .call = call), NULL, &err));
	return fsyncs;
}

static void
nothing_is_synced(void **state)
{
	static const uint64_t shape[1] = {2}, chunks[1] = {2};
	const zinc_call_options call = {.size = sizeof call, .timeout = 100};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_os os = zinc_os_posix;
	zinc_context *ctx = NULL;
	zinc_array *a = NULL;
	uint8_t v[14];

	(void)state;
	os.fsync = count_fsync;
	assert_ok(zinc_context_new(&ctx, NULL, &err));
	zinc_context_set_os(ctx, &os);
	assert_ok(zinc_array_create_url(
	    &a, "d.zarr", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "uint8"),
	    ZINC_OPEN_OPTIONS(.context = ctx), &err));
	assert_true(append(a, false, NULL) > 0);
	assert_int_equal(append(a, true, NULL), 0);
	assert_int_equal(append(a, true, &call), 0);
	assert_true(append(a, false, &call) > 0); /* the handle is as durable as before */
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_int_equal(v[13], 3);
	zinc_array_close(a);
	zinc_context_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_synced)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
