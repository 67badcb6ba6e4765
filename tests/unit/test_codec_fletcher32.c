/*
 * test_codec_fletcher32.c - HDF5's Fletcher-32; what it shares with the other checksums is in test_checksum.c
 */
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define CHAIN "[\"bytes\", \"numcodecs.fletcher32\"]"

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.fletcher32");
}

/* Words are big-endian, an odd byte is the upper half of one, and only nothing but zeros gives 0. */
static void
words(void **state)
{
	const uint64_t one[] = {1, ENDED}, two[] = {2, ENDED}, three[] = {3, ENDED}, none[] = {0, ENDED};

	(void)state;
	codec_encodes(CHAIN, "uint8", two, "ab", ZINC_OK, "6162 62616261");
	codec_encodes(CHAIN, "uint8", one, "a", ZINC_OK, "61 00610061");
	codec_encodes(CHAIN, "uint8", three, "abc", ZINC_OK, "616263 62c4c525");
	codec_encodes(CHAIN, "uint8", two, "\xff\xff", ZINC_OK, "ffff ffffffff");
	codec_encodes(CHAIN, "uint8", two, "\0\0", ZINC_OK, "0000 00000000");
	codec_encodes(CHAIN, "uint8", none, "", ZINC_OK, "00000000");
	codec_decodes(CHAIN, "uint8", three, "616263 62c4c525", ZINC_OK, "abc");
	codec_decodes(CHAIN, "uint8", three, "616263 62c4c526", ZINC_E_CHECKSUM, NULL);
	/* 0 and 65535 are the same modulo 65535, but not the same checksum */
	codec_decodes(CHAIN, "uint8", two, "ffff 00000000", ZINC_E_CHECKSUM, NULL);
}

/* HDF5 folds the carry into each sum after every 360 words; longer runs must give the same. */
static void
long_input(void **state)
{
	const size_t n = 300001;
	const uint64_t shape[] = {n, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *in = (uint8_t *)malloc(n);
	uint32_t sum = 0, sums = 0, x = 1;
	chain_case t;
	size_t i;

	(void)state;
	assert_non_null(in);
	for (i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		in[i] = i < n / 2 ? 0xff : (uint8_t)(x >> 24);
	}
	for (i = 0; i < n; i += 2) {
		sum += (uint32_t)in[i] << 8 | (i + 1 < n ? in[i + 1] : 0);
		sum = (sum & 0xffff) + (sum >> 16);
		sums += sum;
		sums = (sums & 0xffff) + (sums >> 16);
	}
	assert_ok(chain_init(&t, NULL, CHAIN, "uint8", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(zinc_get_le32(t.out.p + n), sums << 16 | sum);
	chain_fini(&t);
	free(in);
}

static void
configuration(void **state)
{
	const uint64_t two[] = {2, ENDED};

	(void)state;
	codec_prints(CHAIN, "uint8",
		     "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.fletcher32\", \"configuration\": {}}]",
		     "[{\"id\": \"fletcher32\"}]");
	chain_finds("[\"bytes\", {\"name\": \"numcodecs.fletcher32\", \"configuration\": {\"location\": \"start\"}}]",
		    "uint8", two, ZINC_OK, "fletcher32", "/1/configuration/location");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(words),
	    cmocka_unit_test(long_input),
	    cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
