/*
 * test_alloc.c - the promises of alloc.c, by number
 */
#include "support/sweep.h"
#include "support/test.h"

/* An allocator that gives NULL for 0 bytes, as some do. */
static void *
picky_alloc(void *ctx, size_t nbytes)
{
	return nbytes ? zinc_allocator_libc.alloc(ctx, nbytes) : NULL;
}

static void *
picky_realloc(void *ctx, void *p, size_t nbytes)
{
	if (nbytes)
		return zinc_allocator_libc.realloc(ctx, p, nbytes);
	zinc_allocator_libc.free(ctx, p);
	return NULL;
}

/* (1) */
static void
all_memory_is_the_contexts(void **state)
{
	sweep_memory m;
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	void *p[4];
	int i;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_int_equal(m.blocks, 1);
	p[0] = zinc_alloc(ctx, 8);
	p[1] = zinc_calloc(ctx, 2, 4);
	p[2] = zinc_realloc(ctx, NULL, 8);
	p[3] = zinc_strdup(ctx, "text");
	assert_int_equal(m.blocks, 5);
	p[2] = zinc_realloc(ctx, p[2], 100000);
	assert_int_equal(m.blocks, 5);
	for (i = 0; i < 4; i++)
		zinc_free(ctx, p[i]);
	zinc_free(ctx, NULL);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

/* (2) */
static void
zero_bytes_are_a_block(void **state)
{
	zinc_allocator picky = {sizeof picky, picky_alloc, picky_realloc, zinc_allocator_libc.free, NULL};
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	void *p;

	(void)state;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &picky), &err));
	p = zinc_alloc(ctx, 0);
	assert_non_null(p);
	p = zinc_realloc(ctx, p, 0);
	assert_non_null(p);
	zinc_free(ctx, p);
	p = zinc_calloc(ctx, 0, 8);
	assert_non_null(p);
	zinc_free(ctx, p);
	zinc_context_free(ctx);
}

/* (3) */
static void
overflow_is_out_of_memory(void **state)
{
	(void)state;
	assert_null(zinc_calloc(NULL, SIZE_MAX / 2, 3));
	assert_null(zinc_calloc(NULL, SIZE_MAX, SIZE_MAX));
	assert_null(zinc_strndup(NULL, "x", SIZE_MAX));
}

static void
copies_are_equal(void **state)
{
	static const uint8_t zeros[64];
	char *s = zinc_strdup(NULL, "abc");
	void *p;

	(void)state;
	assert_string_equal(s, "abc");
	zinc_free(NULL, s);
	s = zinc_strndup(NULL, "abcdef", 2);
	assert_string_equal(s, "ab");
	zinc_free(NULL, s);
	s = zinc_strndup(NULL, NULL, 0);
	assert_string_equal(s, "");
	zinc_free(NULL, s);
	assert_null(zinc_strdup(NULL, NULL));
	p = zinc_calloc(NULL, 8, 8);
	assert_memory_equal(p, zeros, 64);
	zinc_free(NULL, p);
}

static zinc_status
use_all(void *arg, zinc_context *ctx, zinc_error *err)
{
	char *s = zinc_strdup(ctx, "text");
	void *p = zinc_calloc(ctx, 3, 3), *q = zinc_realloc(ctx, NULL, 9);
	bool out = !s || !p || !q;

	(void)arg;
	zinc_free(ctx, s);
	zinc_free(ctx, p);
	zinc_free(ctx, q);
	return out ? zinc_fail_nomem(err) : ZINC_OK;
}

static void
failing_allocations(void **state)
{
	(void)state;
	assert_int_equal(sweep_alloc(use_all, NULL), 6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_memory_is_the_contexts), cmocka_unit_test(zero_bytes_are_a_block),
	    cmocka_unit_test(overflow_is_out_of_memory),  cmocka_unit_test(copies_are_equal),
	    cmocka_unit_test(failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
