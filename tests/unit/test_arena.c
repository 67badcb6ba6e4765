/*
 * test_arena.c - memory that is freed together: content, limit, large pieces, emptying, failing allocations
 */
#include <string.h>

#include "base/base.h"
#include "support/sweep.h"
#include "support/test.h"

static zinc_status
fill(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char text[] = "0123456789abcdef";
	static uint8_t large[100000];
	zinc_arena *a = NULL;
	const void *p[200], *big = NULL;
	zinc_status st;
	int i;

	(void)arg;
	memset(large, 7, sizeof large);
	st = zinc_arena_new(&a, ctx, 0, err);
	for (i = 0; st == ZINC_OK && i < 200; i++)
		st = zinc_arena_add(a, text, (size_t)(i % 17), &p[i], err);
	if (st == ZINC_OK)
		st = zinc_arena_add(a, large, sizeof large, &big, err);
	for (i = 0; st == ZINC_OK && i < 200; i++)
		assert_memory_equal(p[i], text, (size_t)(i % 17));
	if (st == ZINC_OK)
		assert_memory_equal(big, large, sizeof large);
	zinc_arena_free(a);
	return st;
}

static void
test_fill(void **unused)
{
	(void)unused;
	assert_true(sweep_alloc(fill, NULL) > 0);
}

static void
test_limit(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_arena *a = NULL;
	const void *p;

	(void)unused;
	assert_ok(zinc_arena_new(&a, NULL, 10, &err));
	assert_ok(zinc_arena_add(a, "12345678", 8, &p, &err));
	assert_int_equal(zinc_arena_add(a, "123", 3, &p, &err), ZINC_E_LIMIT);
	assert_ok(zinc_arena_add(a, "12", 2, &p, &err));
	assert_ok(zinc_arena_add(a, NULL, 0, &p, &err));
	assert_non_null(p);
	zinc_arena_empty(a);
	assert_ok(zinc_arena_add(a, "1234567890", 10, &p, &err));
	assert_memory_equal(p, "1234567890", 10);
	zinc_arena_free(a);
	zinc_arena_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_fill), cmocka_unit_test(test_limit)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
