/*
 * test_num.c - sizes that cannot wrap
 */
#include "base/num.h"
#include "support/test.h"

static const uint64_t edges[] = {/* in ascending order */
				 0,
				 1,
				 2,
				 3,
				 7,
				 255,
				 256,
				 65535,
				 65536,
				 0x7fffffff,
				 0x80000000,
				 0xffffffff,
				 0x100000000,
				 UINT64_MAX / 3,
				 INT64_MAX,
				 UINT64_C(1) << 63,
				 UINT64_MAX - 1,
				 UINT64_MAX};

/* Against 128-bit arithmetic. */
static void
adding_and_multiplying(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT(edges); i++)
		for (j = 0; j < COUNT(edges); j++) {
			unsigned __int128 a = edges[i], b = edges[j];
			uint64_t out = 77;
			size_t size = 77;

			assert_int_equal(zinc_u64_add(edges[i], edges[j], &out) != 0, a + b > UINT64_MAX);
			assert_true(out == (a + b > UINT64_MAX ? 77 : (uint64_t)(a + b)));
			out = 77;
			assert_int_equal(zinc_u64_mul(edges[i], edges[j], &out) != 0, a * b > UINT64_MAX);
			assert_true(out == (a * b > UINT64_MAX ? 77 : (uint64_t)(a * b)));
			assert_int_equal(zinc_size_add((size_t)edges[i], (size_t)edges[j], &size) != 0,
					 (unsigned __int128)(size_t)edges[i] + (size_t)edges[j] > SIZE_MAX);
			size = 77;
			assert_int_equal(zinc_size_mul((size_t)edges[i], (size_t)edges[j], &size) != 0,
					 (unsigned __int128)(size_t)edges[i] * (size_t)edges[j] > SIZE_MAX);
		}
}

static void
ranges(void **state)
{
	size_t i, j, k;

	(void)state;
	for (i = 0; i < COUNT(edges); i++)
		for (j = 0; j < COUNT(edges); j++)
			for (k = 0; k < COUNT(edges); k++)
				assert_int_equal(zinc_range_within(edges[i], edges[j], edges[k]) != 0,
						 (unsigned __int128)edges[i] + edges[j] <= edges[k]);
}

static void
dividing_and_comparing(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT(edges); i++)
		for (j = 0; j < COUNT(edges); j++) {
			assert_int_equal(zinc_min_u64(edges[i], edges[j]), edges[i < j ? i : j]);
			assert_int_equal(zinc_max_u64(edges[i], edges[j]), edges[i > j ? i : j]);
			if (edges[j])
				assert_true(zinc_ceil_div(edges[i], edges[j]) ==
					    (uint64_t)(((unsigned __int128)edges[i] + edges[j] - 1) / edges[j]));
		}
}

static void
shapes(void **state)
{
	const uint64_t plain[] = {3, 4, 5}, huge[] = {UINT64_MAX, 2}, empty[] = {UINT64_MAX, UINT64_MAX, 0};
	const uint64_t wraps[] = {UINT64_C(1) << 32, UINT64_C(1) << 32};
	uint64_t out = 77;

	(void)state;
	assert_int_equal(zinc_shape_bytes(plain, 3, 8, 480, &out), 0);
	assert_int_equal(out, 480);
	out = 77;
	assert_int_not_equal(zinc_shape_bytes(plain, 3, 8, 479, &out), 0);
	assert_int_not_equal(zinc_shape_bytes(huge, 2, 1, UINT64_MAX, &out), 0);
	assert_int_not_equal(zinc_shape_bytes(wraps, 2, 1, UINT64_MAX, &out), 0); /* would be 0 */
	assert_int_equal(out, 77);
	assert_int_equal(zinc_shape_bytes(empty, 3, 8, 1, &out), 0); /* nothing, whatever the rest */
	assert_int_equal(out, 0);
	assert_int_equal(zinc_shape_bytes(NULL, 0, 8, 8, &out), 0); /* a scalar */
	assert_int_equal(out, 8);
	assert_int_not_equal(zinc_shape_bytes(NULL, 0, 8, 7, &out), 0);
}

static void
little_endian(void **state)
{
	const uint8_t bytes[] = {0x00, 0x78, 0x56, 0x34, 0x92};
	uint8_t back[5] = {0};

	(void)state;
	assert_int_equal(zinc_get_le32(bytes + 1), 0x92345678);
	zinc_put_le32(back + 1, 0x92345678);
	assert_memory_equal(back, bytes, 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(adding_and_multiplying), cmocka_unit_test(ranges),
	    cmocka_unit_test(dividing_and_comparing), cmocka_unit_test(shapes),
	    cmocka_unit_test(little_endian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
