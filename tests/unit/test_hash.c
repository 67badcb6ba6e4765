/*
 * test_hash.c - the keyed hash against values of its authors' reference program
 */
#include "base/base.h"
#include "support/test.h"

/* (1) */
static void
published_values(void **state)
{
	static const uint8_t want[][ZINC_HASH_BYTES] = {
	    {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93},
	    {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc, 0x45},
	    {0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b, 0xde, 0xf6, 0x0a, 0xff, 0xe4},
	};
	uint8_t key[ZINC_HASH_BYTES], text[64], out[ZINC_HASH_BYTES];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof key; i++)
		key[i] = (uint8_t)i;
	for (i = 0; i < sizeof text; i++)
		text[i] = (uint8_t)i;
	for (i = 0; i < COUNT(want); i++) {
		zinc_hash128(out, key, text, i);
		assert_memory_equal(out, want[i], sizeof out);
	}
	memcpy(out, key, sizeof out);
	zinc_hash128(out, out, text, 1);
	assert_memory_equal(out, want[1], sizeof out);
}

/* (1) Every byte of key and text counts. */
static void
every_byte_counts(void **state)
{
	uint8_t key[ZINC_HASH_BYTES] = {0}, text[40] = {0}, first[ZINC_HASH_BYTES], out[ZINC_HASH_BYTES];
	size_t i;

	(void)state;
	zinc_hash128(first, key, text, sizeof text);
	for (i = 0; i < sizeof key; i++) {
		key[i] ^= 1;
		zinc_hash128(out, key, text, sizeof text);
		assert_memory_not_equal(out, first, sizeof out);
		key[i] ^= 1;
	}
	for (i = 0; i < sizeof text; i++) {
		text[i] ^= 1;
		zinc_hash128(out, key, text, sizeof text);
		assert_memory_not_equal(out, first, sizeof out);
		text[i] ^= 1;
		zinc_hash128(out, key, text, i);
		assert_memory_not_equal(out, first, sizeof out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(published_values),
	    cmocka_unit_test(every_byte_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
