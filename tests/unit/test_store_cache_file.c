/*
 * test_store_cache_file.c - the head of a file of the cache: written, parsed, damaged
 */
#include "store/store_cache.h"
#include "support/test.h"

static const cached_head example = {
    .id = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
    .range = {CACHED_PART, 7, 100},
    .about = {.tag = {5, "\"abc"}, .object_size = 50, .offset = 7, .nbytes = 43},
    .crc = 0x12345678,
    .url = {(const uint8_t *)"https://example.org", 19},
    .key = {(const uint8_t *)"a/b", 3},
};

static size_t
write_example(uint8_t bytes[256])
{
	assert_true(zinc_cached_head_max(example.url.n, example.key.n) <= 256);
	return zinc_cached_head_write(bytes, &example);
}

/* (1) */
static void
as_it_was(void **state)
{
	uint8_t bytes[256];
	const size_t n = write_example(bytes);
	cached_head h;

	(void)state;
	assert_int_equal(n, CACHED_HEAD_FIXED + 5 + 19 + 3);
	assert_true(zinc_cached_head_parse(&h, bytes, n));
	assert_int_equal(h.nbytes, n);
	assert_memory_equal(h.id, example.id, sizeof h.id);
	assert_memory_equal(&h.range, &example.range, sizeof h.range);
	assert_memory_equal(&h.about.tag, &example.about.tag, 6);
	assert_int_equal(h.about.object_size, 50);
	assert_int_equal(h.about.offset, 7);
	assert_int_equal(h.about.nbytes, 43);
	assert_int_equal(h.crc, 0x12345678);
	assert_int_equal(h.url.n, 19);
	assert_memory_equal(h.url.p, example.url.p, 19);
	assert_int_equal(h.key.n, 3);
	assert_memory_equal(h.key.p, "a/b", 3);
	memset(bytes + n, 0xff, sizeof bytes - n); /* what follows does not matter */
	assert_true(zinc_cached_head_parse(&h, bytes, sizeof bytes));
}

/* (2) Every bit and every length. */
static void
damaged(void **state)
{
	uint8_t bytes[256], *exact;
	const size_t n = write_example(bytes);
	cached_head h;
	size_t i;

	(void)state;
	for (i = 0; i < 8 * n; i++) {
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_false(zinc_cached_head_parse(&h, bytes, n));
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	for (i = 0; i < n; i++) {
		exact = (uint8_t *)malloc(i ? i : 1); /* so that reading more is found */
		memcpy(exact, bytes, i);
		assert_false(zinc_cached_head_parse(&h, exact, i));
		free(exact);
	}
}

static bool
is_accepted(const cached_head *h)
{
	uint8_t bytes[256];
	const size_t n = zinc_cached_head_write(bytes, h);
	cached_head out;

	return zinc_cached_head_parse(&out, bytes, n);
}

/* (2) The checksum is right, but the numbers contradict each other. */
static void
contradictions(void **state)
{
	cached_head h = example;

	(void)state;
	h.about.nbytes = 44;
	assert_false(is_accepted(&h));
	h.about.nbytes = UINT64_MAX;
	assert_false(is_accepted(&h));
	h.about.nbytes = 0;
	h.about.offset = 51;
	assert_false(is_accepted(&h));
	h.about.offset = 50;
	assert_true(is_accepted(&h));
	h.range = (cached_range){CACHED_WHOLE, 0, 0};
	assert_false(is_accepted(&h));
	h.about.offset = 0;
	h.about.nbytes = 50;
	assert_true(is_accepted(&h));
	h.range.form = (cached_form)4;
	assert_false(is_accepted(&h));
	h.range.form = CACHED_WHOLE;
	h.about.missing = true;
	assert_false(is_accepted(&h));
	h.about = (cached_about){.missing = true};
	assert_true(is_accepted(&h));
	h.range.form = CACHED_SUFFIX;
	assert_false(is_accepted(&h));
	h = example;
	h.about.tag.n = 128;
	assert_false(is_accepted(&h));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_it_was),
	    cmocka_unit_test(damaged),
	    cmocka_unit_test(contradictions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
