/*
 * test_sharding_list.c - listing through very many shards; test_transform_sharding.c has the promises
 */
#include <stdio.h>

#include "support/test.h"
#include "transform/transform_inside.h"

static int
count_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)key, (void)nbytes;
	++*(size_t *)arg;
	return 0;
}

/* Only zinc_limits.children limits their number. */
static void
test_many_shards(void **state)
{
	static const uint64_t one[] = {1};
	static const uint8_t shard[16] = {0}; /* an empty chunk */
	zinc_error err = ZINC_ERROR_INIT;
	const size_t many = 33000;
	zinc_store *base, *s;
	size_t i, n = 0;
	char key[32];

	(void)state;
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	assert_ok(zinc_store_sharded(&s, base, ZINC_SHARDED_OPTIONS(.ndim = 1, .chunks_per_shard = one), &err));
	for (i = 0; i < many; i++) {
		snprintf(key, sizeof key, "c/%zu", i);
		assert_ok(zinc_store_put(base, NULL, key, shard, sizeof shard, NULL, 0, NULL, NULL, &err));
	}
	assert_ok(zinc_store_put(base, NULL, "zarr.json", "{}", 2, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
	assert_int_equal(n, many + 1);
	zinc_store_close(s);
	zinc_store_close(base);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_many_shards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
