/*
 * test_scratch.c - the promises of scratch.c, by number
 */
#include <sched.h>
#include <stdlib.h>

#include "codec/codec.h"
#include "support/sweep.h"
#include "support/test.h"

static void
free_state(void *state)
{
	++*(int *)state;
}

/* (1) (2) */
static void
handed_out_again(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_scratch *a, *b;
	sweep_memory m;
	int i;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	a = zinc_scratch_get(ctx);
	b = zinc_scratch_get(ctx);
	assert_true(a && b && a != b);
	assert_ok(zinc_buf_reset(&a->decoded, 1000, &err));
	assert_ok(zinc_buf_reset(&zinc_scratch_inner(a)->a, 1000, &err));
	assert_ptr_equal(zinc_scratch_inner(a), a->inner);
	zinc_scratch_put(b);
	zinc_scratch_put(a);
	zinc_scratch_put(NULL);
	sweep_memory_fail(&m, 1, true);
	for (i = 0; i < 3; i++) {
		assert_ptr_equal(zinc_scratch_get(ctx), a);
		assert_ptr_equal(zinc_scratch_get(ctx), b);
		assert_null(zinc_scratch_get(ctx));
		assert_int_equal(a->decoded.cap, 1000);
		assert_ok(zinc_buf_reset(&a->decoded, 1000, &err));
		assert_ok(zinc_buf_reset(&zinc_scratch_inner(a)->a, 1000, &err));
		assert_null(zinc_scratch_inner(b));
		zinc_scratch_put(b);
		zinc_scratch_put(a);
	}
	zinc_context_free(ctx); /* (4) */
	assert_int_equal(m.blocks, 0);
}

/* (3) */
static void
huge_buffers_go(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_scratch *s;
	sweep_memory m;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	s = zinc_scratch_get(ctx);
	assert_non_null(s);
	assert_ok(zinc_buf_reset(&s->a, ((size_t)256 << 20) + 1, &err)); /* not touched, so not there */
	assert_ok(zinc_buf_reset(&zinc_scratch_inner(s)->b, ((size_t)256 << 20) + 1, &err));
	assert_ok(zinc_buf_reset(&s->b, 1 << 20, &err));
	zinc_scratch_put(s);
	assert_true(m.bytes < 2 << 20);
	assert_true(m.bytes > 1 << 20);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

/* (5) */
static void
what_is_not_needed_goes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	int key, kept = 0, gone = 0, i;
	zinc_scratch *s, *other;
	sweep_memory m;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	s = zinc_scratch_get(ctx);
	other = zinc_scratch_get(ctx);
	assert_true(s && other);
	assert_ok(zinc_buf_reset(&other->a, 3 << 20, &err));
	*zinc_scratch_state(s, &key, 1, free_state) = &gone;
	zinc_scratch_put(other);
	zinc_scratch_put(s);
	for (i = 0; i < 3 * 2048; i++) {
		s = zinc_scratch_get(ctx);
		assert_ok(zinc_buf_reset(&s->a, i == 0 ? 64 << 20 : 8 << 20, &err));
		assert_ok(zinc_buf_reset(&s->b, 32 << 20, &err)); /* needed each time */
		*zinc_scratch_state(s, &key, 2, free_state) = &kept;
		zinc_scratch_put(s);
		if (i == 15)
			assert_true(m.bytes > 64 << 20);
		if (i == 17)
			assert_true(m.bytes < 48 << 20);
	}
	assert_true(m.bytes < 41 << 20); /* nor `other`, which was not requested */
	assert_true(m.bytes > 40 << 20);
	assert_int_equal(gone, 1);
	assert_int_equal(kept, 0);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

/* (6) */
static void
trimming(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_scratch *s, *held;
	long before;
	sweep_memory m;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	before = m.bytes;
	zinc_context_trim(ctx);
	s = zinc_scratch_get(ctx);
	held = zinc_scratch_get(ctx);
	assert_true(s && held);
	assert_ok(zinc_buf_reset(&s->a, 1000, &err));
	assert_ok(zinc_buf_reset(&held->a, 1000, &err));
	zinc_scratch_put(s);
	zinc_context_trim(ctx);
	assert_true(m.bytes > before);
	assert_ok(zinc_buf_reset(&held->a, 10, &err)); /* still its holder's */
	zinc_scratch_put(held);
	zinc_context_trim(ctx);
	assert_int_equal(m.bytes, before);
	s = zinc_scratch_get(ctx);
	assert_non_null(s);
	zinc_scratch_put(s);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

/* States are found by key and variant; the oldest is dropped if there are too many; all are freed with the context. */
static void
states(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	int freed[20] = {0}, key, other, i;
	zinc_scratch *s;

	(void)state;
	assert_ok(zinc_context_new(&ctx, NULL, &err));
	s = zinc_scratch_get(ctx);
	assert_non_null(s);
	for (i = 0; i < 16; i++) {
		void **slot = zinc_scratch_state(s, &key, i, free_state);

		assert_null(*slot);
		*slot = &freed[i];
	}
	for (i = 0; i < 16; i++)
		assert_ptr_equal(*zinc_scratch_state(s, &key, i, free_state), &freed[i]);
	*zinc_scratch_state(s, &other, 3, free_state) = &freed[16];
	assert_int_equal(freed[0], 1);
	assert_ptr_equal(*zinc_scratch_state(s, &other, 3, free_state), &freed[16]);
	assert_ptr_equal(*zinc_scratch_state(s, &key, 1, free_state), &freed[1]);
	assert_ptr_equal(*zinc_scratch_state(s, &key, 15, free_state), &freed[15]);
	assert_null(
	    *zinc_scratch_state(s, &key, 0, free_state)); /* again; the oldest, 1, was dropped, and this stays unset */
	assert_int_equal(freed[1], 1);
	zinc_scratch_put(s);
	zinc_context_free(ctx);
	for (i = 0; i < 17; i++)
		assert_int_equal(freed[i], 1);
}

/* (2) Many threads at once. */
static void
take_and_give(void *arg, size_t i, int worker)
{
	zinc_context *ctx = (zinc_context *)arg;
	zinc_scratch *s = zinc_scratch_get(ctx);

	(void)worker;
	if (!s || zinc_buf_reset(&s->a, sizeof i, NULL) != ZINC_OK)
		return;
	memcpy(s->a.p, &i, sizeof i);
	sched_yield();
	if (memcmp(s->a.p, &i, sizeof i) != 0)
		abort();
	zinc_scratch_put(s);
}

static void
threads(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;

	(void)state;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 4), &err));
	zinc_pool_run(ctx, 4, 10000, take_and_give, ctx);
	zinc_context_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(handed_out_again),
	    cmocka_unit_test(huge_buffers_go),
	    cmocka_unit_test(what_is_not_needed_goes),
	    cmocka_unit_test(trimming),
	    cmocka_unit_test(states),
	    cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
