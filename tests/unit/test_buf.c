/*
 * test_buf.c - the promises of buf.c, by number
 */
#include "support/sweep.h"
#include "support/test.h"

/* (1) */
static void
never_more_than_max(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	(void)state;
	zinc_buf_init(&b, NULL, 10);
	assert_ok(zinc_buf_add(&b, "0123456789", 10, &err));
	assert_int_equal(zinc_buf_add(&b, "x", 1, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_buf_reserve(&b, SIZE_MAX, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_buf_printf(&b, &err, "%d", 1), ZINC_E_LIMIT);
	assert_ok(zinc_buf_add(&b, NULL, 0, &err));
	assert_int_equal(b.n, 10);
	assert_true(b.cap <= 10);
	assert_string_equal(zinc_buf_text(&b), "0123456789");
	assert_int_equal(zinc_buf_reset(&b, 11, &err), ZINC_E_LIMIT);
	assert_int_equal(b.n, 0);
	zinc_buf_fini(&b);
	zinc_buf_fini(&b);
	/* a maximum of nothing */
	zinc_buf_init(&b, NULL, 0);
	assert_ok(zinc_buf_add(&b, "", 0, &err));
	assert_string_equal(zinc_buf_text(&b), "");
	assert_int_equal(zinc_buf_puts(&b, "x", &err), ZINC_E_LIMIT);
	zinc_buf_fini(&b);
	/* a maximum that no machine has */
	zinc_buf_init(&b, NULL, SIZE_MAX);
	assert_int_equal(b.max, PTRDIFF_MAX);
	assert_int_equal(zinc_buf_reserve(&b, SIZE_MAX, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_buf_reset(&b, SIZE_MAX, &err), ZINC_E_LIMIT);
	assert_ok(zinc_buf_puts(&b, "still usable", &err));
	zinc_buf_fini(&b);
}

/* (2) */
static void
growth_is_geometric(void **state)
{
	sweep_memory m;
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;
	int i;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	zinc_buf_init(&b, ctx, SIZE_MAX);
	sweep_memory_fail(&m, 0, false);
	for (i = 0; i < 1000000; i++)
		assert_ok(zinc_buf_add(&b, "x", 1, &err));
	assert_true(m.calls < 30);
	assert_true(b.cap < 2000000);
	zinc_buf_fini(&b);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

/* (3) */
static void
nul_is_always_there(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob blob = ZINC_BLOB_INIT;
	zinc_buf b;
	size_t n;

	(void)state;
	for (n = 0; n < 200; n++) {
		size_t i;

		zinc_buf_init(&b, NULL, n);
		for (i = 0; i < n; i++)
			assert_ok(zinc_buf_puts(&b, "y", &err));
		assert_int_equal(strlen(zinc_buf_text(&b)), n);
		assert_ok(zinc_buf_to_blob(&b, &blob, &err));
		assert_int_equal(blob.nbytes, n);
		assert_int_equal(((char *)blob.data)[n], 0);
		assert_null(b.p);
		zinc_blob_fini(&blob);
		zinc_buf_fini(&b);
	}
	zinc_buf_init(&b, NULL, 100);
	assert_ok(zinc_buf_reset(&b, 100, &err));
	b.n = 100;
	memset(b.p, 'z', 100);
	assert_int_equal(strlen(zinc_buf_text(&b)), 100);
	zinc_buf_fini(&b);
}

/* (3) p[n] is 0 after every call, not only when the text is requested */
static void
nul_follows_every_call(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t memory[8];
	zinc_buf b;

	(void)state;
	zinc_buf_init(&b, NULL, 1000);
	assert_ok(zinc_buf_reserve(&b, 100, &err));
	assert_int_equal(b.p[0], 0);
	assert_ok(zinc_buf_add(&b, "abcdef", 6, &err));
	assert_int_equal(b.p[6], 0);
	zinc_buf_end(&b, 3);
	assert_string_equal((char *)b.p, "abc");
	memset(b.p, 'x', 50);
	zinc_buf_end(&b, 50);
	assert_int_equal(b.p[50], 0);
	memset(b.p + 50, 'y', 51);
	assert_ok(zinc_buf_reserve(&b, 500, &err));
	assert_int_equal(b.p[50], 0);
	assert_ok(zinc_buf_printf(&b, &err, "%d", 7));
	assert_int_equal(b.p[51], 0);
	assert_ok(zinc_buf_reset(&b, 20, &err));
	assert_int_equal(b.p[0], 0);
	assert_ok(zinc_buf_reset(&b, 900, &err));
	assert_int_equal(b.p[0], 0);
	zinc_buf_fini(&b);
	/* a destination has no byte to spare */
	memset(memory, 'm', sizeof memory);
	b = (zinc_buf){.p = memory, .cap = 7, .max = 7, .borrowed = true, .bare = true};
	assert_ok(zinc_buf_add(&b, "0123456", 7, &err));
	assert_int_equal(memory[7], 'm');
	zinc_buf_fini(&b);
}

static void
printing(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;
	int i;

	(void)state;
	zinc_buf_init(&b, NULL, 1 << 20);
	for (i = 0; i < 1000; i++)
		assert_ok(zinc_buf_printf(&b, &err, "%d,", i));
	assert_ok(zinc_buf_printf(&b, &err, "%s", ""));
	assert_int_equal(b.n, 10 * 2 + 90 * 3 + 900 * 4);
	assert_string_equal(zinc_buf_text(&b) + b.n - 8, "998,999,");
	zinc_buf_fini(&b);
}

static void
reset_keeps_memory_that_fits(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;
	uint8_t *p;

	(void)state;
	zinc_buf_init(&b, NULL, 1000);
	assert_ok(zinc_buf_reset(&b, 500, &err));
	assert_int_equal(b.cap, 500);
	p = b.p;
	assert_ok(zinc_buf_reset(&b, 300, &err));
	assert_ptr_equal(b.p, p);
	assert_ok(zinc_buf_reset(&b, 1000, &err));
	assert_int_equal(b.cap, 1000);
	zinc_buf_fini(&b);
}

/* (4) */
static zinc_status
use_buffer(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_blob blob = ZINC_BLOB_INIT;
	zinc_status st;
	zinc_buf b;

	(void)arg;
	zinc_buf_init(&b, ctx, 10000);
	st = zinc_buf_printf(&b, err, "%300d", 5);
	if (st == ZINC_OK)
		st = zinc_buf_reserve(&b, 5000, err);
	if (st == ZINC_OK)
		st = zinc_buf_reset(&b, 9000, err);
	if (st == ZINC_OK)
		st = zinc_buf_to_blob(&b, &blob, err);
	zinc_blob_fini(&blob);
	if (st == ZINC_OK)
		st = zinc_buf_to_blob(&b, &blob, err); /* of an empty buffer, which needs its NUL */
	zinc_blob_fini(&blob);
	zinc_buf_fini(&b);
	return st;
}

static void
failing_allocations(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	sweep_memory m;
	zinc_buf b;

	(void)state;
	assert_int_equal(sweep_alloc(use_buffer, NULL), 8);
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	zinc_buf_init(&b, ctx, 1000);
	sweep_memory_fail(&m, 1, false);
	assert_null(zinc_buf_text(&b));
	assert_ok(zinc_buf_puts(&b, "kept", &err));
	sweep_memory_fail(&m, 1, false);
	assert_int_equal(zinc_buf_reserve(&b, 500, &err), ZINC_E_NOMEM);
	assert_string_equal(zinc_buf_text(&b), "kept");
	zinc_buf_fini(&b);
	zinc_context_free(ctx);
}

/* Memory of the caller is filled up to its last byte but one, and still belongs to the caller. */
static void
borrowed(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char memory[8] = "#######";
	zinc_buf b;

	(void)state;
	zinc_buf_wrap(&b, memory, 6);
	assert_ok(zinc_buf_printf(&b, &err, "%s", "ab"));
	assert_int_equal(zinc_buf_puts(&b, "cdef", &err), ZINC_E_LIMIT);
	assert_ok(zinc_buf_puts(&b, "cde", &err));
	assert_int_equal(zinc_buf_printf(&b, &err, "%c", 'f'), ZINC_E_LIMIT);
	assert_ptr_equal(zinc_buf_text(&b), memory);
	assert_string_equal(memory, "abcde");
	assert_int_equal(memory[6], '#');
	zinc_buf_fini(&b);
	zinc_buf_wrap(&b, memory, 1);
	assert_ok(zinc_buf_puts(&b, "", &err));
	assert_int_equal(zinc_buf_puts(&b, "a", &err), ZINC_E_LIMIT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(borrowed),
	    cmocka_unit_test(never_more_than_max),
	    cmocka_unit_test(growth_is_geometric),
	    cmocka_unit_test(nul_is_always_there),
	    cmocka_unit_test(nul_follows_every_call),
	    cmocka_unit_test(printing),
	    cmocka_unit_test(reset_keeps_memory_that_fits),
	    cmocka_unit_test(failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
