/*
 * test_choose_shape.c - chosen chunks and shards have good sizes for any shape and element size
 */
#include "grid/grid.h"
#include "support/test.h"

#define MIB 1048576.0

static double
bytes_of(const uint64_t *shape, int ndim, uint64_t element)
{
	double n = (double)element;

	while (ndim > 0)
		n *= (double)shape[--ndim];
	return n;
}

static void
check_choice(const uint64_t *shape, int ndim, uint64_t element)
{
	uint64_t chunk[ZINC_MAX_NDIM], shard[ZINC_MAX_NDIM], full[ZINC_MAX_NDIM];
	uint64_t longest = 0;
	double whole;
	bool covers = true;
	int d;

	for (d = 0; d < ndim; d++)
		full[d] = shape[d] ? shape[d] : 1;
	whole = bytes_of(full, ndim, element);
	zinc_grid_choose(shape, ndim, element, chunk);
	for (d = 0; d < ndim; d++) {
		assert_true(chunk[d] >= 1 && chunk[d] <= full[d]);
		longest = chunk[d] > longest ? chunk[d] : longest;
	}
	if (whole <= 4 * MIB)
		assert_memory_equal(chunk, full, (size_t)ndim * sizeof *chunk);
	else if (element <= (1 << 20))
		assert_true(bytes_of(chunk, ndim, element) >= 1 * MIB && bytes_of(chunk, ndim, element) <= 4 * MIB);
	for (d = 0; d < ndim; d++) /* nearly cubic: a divided length is not much shorter than the longest */
		assert_true(chunk[d] == full[d] || 2 * chunk[d] + 1 >= longest);

	zinc_grid_choose_shard(shape, ndim, element, chunk, shard);
	for (d = 0; d < ndim; d++) {
		assert_true(shard[d] >= chunk[d] && shard[d] % chunk[d] == 0);
		assert_true(shard[d] - chunk[d] < full[d]); /* no further than covering */
		covers = covers && shard[d] >= full[d];
	}
	if (element <= (1 << 20)) {
		assert_true(bytes_of(shard, ndim, element) <= 256 * MIB);
		assert_true(covers || bytes_of(shard, ndim, element) >= 64 * MIB);
	}
}

static void
good_shapes(void **state)
{
	static const uint64_t all[][4] = {{1000, 1000, 1000, 1000},
					  {1, 1, 1, 1},
					  {0, 0, 5, 7},
					  {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
					  {1, UINT64_MAX, 1, 3},
					  {24, 721, 1440, 37},
					  {100000, 3, 100000, 3},
					  {2, 2, 2, 1u << 31},
					  {0, 1u << 30, 1u << 30, 1},
					  {65537, 65537, 65537, 65537}};
	static const uint64_t elements[] = {1, 2, 4, 8, 16, 3, 1000, 1 << 20, 1 << 23};
	uint64_t chunk[3], shard[3];
	size_t i, e;
	int ndim;

	(void)state;
	for (i = 0; i < COUNT(all); i++)
		for (e = 0; e < COUNT(elements); e++)
			for (ndim = 0; ndim <= 4; ndim++)
				check_choice(all[i], ndim, elements[e]);
	zinc_grid_choose((const uint64_t[]){1000, 1000, 1000}, 3, 4, chunk);
	assert_memory_equal(chunk, ((uint64_t[]){63, 125, 125}), 24);
	zinc_grid_choose_shard((const uint64_t[]){1000, 1000, 1000}, 3, 4, chunk, shard);
	assert_true(bytes_of(shard, 3, 4) >= 64 * MIB);
	zinc_grid_choose((const uint64_t[]){3000, 1, 3000}, 3, 1, chunk);
	assert_memory_equal(chunk, ((uint64_t[]){1500, 1, 1500}), 24);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(good_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
