/*
 * test_codec_packbits_v2.c - eight bools in a byte, as Zarr v2 packs them
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define PACKBITS "{\"name\": \"numcodecs.packbits\", \"configuration\": {}}"
#define CHAIN    "[" PACKBITS ", {\"name\": \"bytes\"}]"

static const uint64_t four[] = {4, ENDED}, eight[] = {8, ENDED};

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.packbits");
}

static void
bits(void **state)
{
	const bool in[] = {true, false, false, true, true, true, true, false};
	const uint64_t none[] = {0, ENDED};

	(void)state;
	codec_encodes(CHAIN, "bool", four, in, ZINC_OK, "0490");
	codec_encodes(CHAIN, "bool", eight, in, ZINC_OK, "009e");
	codec_encodes(CHAIN, "bool", none, in, ZINC_OK, "00");
	codec_decodes(CHAIN, "bool", none, "00", ZINC_OK, in);
	codec_decodes(CHAIN, "bool", four, "0490", ZINC_OK, in);
	/* padding bits are ignored */
	codec_decodes(CHAIN, "bool", four, "049f", ZINC_OK, in);
	/* too few, too many, another padding */
	codec_decodes(CHAIN, "bool", four, "04", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "bool", four, "", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "bool", four, "049000", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "bool", four, "0390", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "bool", eight, "089e", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "bool", none, "08", ZINC_E_CORRUPT, NULL);
	/* no bool at all */
	codec_encodes(CHAIN, "bool", four, "\1\0\2\1", ZINC_E_RANGE, NULL);
}

/* As others write it, and alone; before compressors and after a transpose; every length. */
static void
places(void **state)
{
	uint8_t in[60];
	size_t n;

	(void)state;
	for (n = 0; n < sizeof in; n++)
		in[n] = n * n % 3 == 1;
	for (n = 0; n < sizeof in; n++) {
		const uint64_t shape[] = {n, ENDED}, rows[] = {2, n / 2, ENDED};

		chain_roundtrip(CHAIN, "bool", shape, NULL, in);
		chain_roundtrip("[\"numcodecs.packbits\"]", "bool", shape, NULL, in);
		chain_roundtrip("[\"numcodecs.packbits\", \"bytes\", \"crc32c\"]", "bool", shape, NULL, in);
		chain_roundtrip("[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, "
				"\"numcodecs.packbits\", \"numcodecs.crc32\"]",
				"bool", rows, NULL, in);
	}
}

static void
configuration(void **state)
{
	const bool in[8] = {true};

	(void)state;
	codec_prints("[\"numcodecs.packbits\"]", "bool", CHAIN, "[{\"id\": \"packbits\"}]");
	codec_prints(CHAIN, "bool", CHAIN, "[{\"id\": \"packbits\"}]");
	codec_words("numcodecs.packbits", "bool", "[{\"name\": \"numcodecs.packbits\"}, {\"name\": \"bytes\"}]");
	codec_words("numcodecs.packbits+crc32c", "bool",
		    "[{\"name\": \"numcodecs.packbits\"}, {\"name\": \"bytes\"}, {\"name\": \"crc32c\"}]");
	codec_sweep(CHAIN, "bool", eight, in);
	codec_warm(CHAIN, "bool", eight, in);
	chain_finds(CHAIN, "uint8", eight, ZINC_E_CORRUPT, "packbits", "/0/configuration");
	chain_finds("[{\"name\": \"numcodecs.packbits\", \"configuration\": {\"order\": 1}}]", "bool", eight, ZINC_OK,
		    "packbits", "/0/configuration/order");
	/* one "bytes" belongs to it, a second one is an error */
	chain_finds("[\"numcodecs.packbits\", \"bytes\", \"bytes\"]", "bool", eight, ZINC_E_CORRUPT, "M62", "/2");
	chain_finds("[\"numcodecs.packbits\", \"crc32c\", \"bytes\"]", "bool", eight, ZINC_E_CORRUPT, "M62", "/2");
	chain_finds("[\"bytes\", \"numcodecs.packbits\"]", "bool", eight, ZINC_E_CORRUPT, "M62", "/1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(bits),
	    cmocka_unit_test(places),
	    cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
