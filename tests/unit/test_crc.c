/*
 * test_crc.c - CRC-32C against RFC 3720, CRC-32 against RFC 1952, both against their definition, bit by bit
 */
#include <stdlib.h>

#include "base/base.h"
#include "support/random.h"
#include "support/test.h"

#define CASTAGNOLI 0x82F63B78u
#define IEEE       0xEDB88320u

static uint32_t
by_definition(uint32_t polynomial, const uint8_t *p, size_t n)
{
	uint32_t crc = 0;
	int bit;

	crc = ~crc;
	for (; n > 0; n--, p++) {
		crc ^= *p;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return ~crc;
}

/* RFC 3720 section B.4. */
static void
published_vectors(void **state)
{
	uint8_t b[48];
	int i;

	(void)state;
	assert_int_equal(zinc_crc32c(0, NULL, 0), 0);
	assert_int_equal(zinc_crc32c(0, "123456789", 9), 0xE3069283);
	memset(b, 0x00, 32);
	assert_int_equal(zinc_crc32c(0, b, 32), 0x8A9136AA);
	memset(b, 0xFF, 32);
	assert_int_equal(zinc_crc32c(0, b, 32), 0x62A8AB43);
	for (i = 0; i < 32; i++)
		b[i] = (uint8_t)i;
	assert_int_equal(zinc_crc32c(0, b, 32), 0x46DD794E);
	for (i = 0; i < 32; i++)
		b[i] = (uint8_t)(31 - i);
	assert_int_equal(zinc_crc32c(0, b, 32), 0x113FDB5C);
	memset(b, 0xFF, 64 - 16);
	/* the index of a shard of 2 x 2 without chunks: 64 bytes of FF */
	assert_int_equal(zinc_crc32c(zinc_crc32c(0, b, 48), b, 16), 0x2FCD4E66);
	/* the check value of the catalogue, and the value of gzip for "hello, zinc" */
	assert_int_equal(zinc_crc32(0, NULL, 0), 0);
	assert_int_equal(zinc_crc32(0, "123456789", 9), 0xCBF43926);
	assert_int_equal(zinc_crc32(0, "hello, zinc", 11), 0x2B5DDE38);
}

static void
every_length_and_alignment(void **state)
{
	uint8_t *b = (uint8_t *)malloc(600);
	size_t at, n;

	(void)state;
	assert_non_null(b);
	for (n = 0; n < 600; n++)
		b[n] = (uint8_t)random_bits();
	for (at = 0; at < 16; at++)
		for (n = 0; n <= 520; n++) {
			assert_int_equal(zinc_crc32c(0, b + at, n), by_definition(CASTAGNOLI, b + at, n));
			assert_int_equal(zinc_crc32(0, b + at, n), by_definition(IEEE, b + at, n));
		}
	/* in two pieces, wherever it is cut */
	for (n = 0; n <= 600; n++) {
		assert_int_equal(zinc_crc32c(zinc_crc32c(0, b, n), b + n, 600 - n), by_definition(CASTAGNOLI, b, 600));
		assert_int_equal(zinc_crc32(zinc_crc32(0, b, n), b + n, 600 - n), by_definition(IEEE, b, 600));
	}
	free(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(published_vectors),
	    cmocka_unit_test(every_length_and_alignment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
