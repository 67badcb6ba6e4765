/*
 * test_codec_shuffle.c - bytes of the same significance side by side
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define SHUFFLE(size) "{\"name\": \"numcodecs.shuffle\", \"configuration\": {\"elementsize\": " size "}}"
#define CHAIN(size)   "[\"bytes\", " SHUFFLE(size) "]"
#define LITTLE        "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.shuffle");
}

/* The picture in codec_shuffle.c; an incomplete element stays. */
static void
picture(void **state)
{
	const uint64_t ten[] = {10, ENDED};
	const uint8_t in[] = {0xa0, 0xa1, 0xa2, 0xa3, 0xb0, 0xb1, 0xb2, 0xb3, 0x12, 0x34};

	(void)state;
	codec_encodes(CHAIN("4"), "uint8", ten, in, ZINC_OK, "a0b0a1b1a2b2a3b3 1234");
	codec_decodes(CHAIN("4"), "uint8", ten, "a0b0a1b1a2b2a3b3 1234", ZINC_OK, in);
	codec_encodes(CHAIN("3"), "uint8", ten, in, ZINC_OK, "a0a3b2 a1b0b3 a2b112 34");
	codec_encodes(CHAIN("11"), "uint8", ten, in, ZINC_OK, "a0a1a2a3b0b1b2b31234");
	codec_encodes(CHAIN("1"), "uint8", ten, in, ZINC_OK, "a0a1a2a3b0b1b2b31234");
	codec_encodes(CHAIN("0"), "uint8", ten, in, ZINC_OK, "a0a1a2a3b0b1b2b31234");
	codec_decodes(CHAIN("4"), "uint8", ten, "a0b0a1b1a2b2a3b312", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("4"), "uint8", ten, "a0b0a1b1a2b2a3b3123456", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("4"), "uint8", ten, "", ZINC_E_CORRUPT, NULL);
}

/* Every size and length. */
static void
all_sizes(void **state)
{
	uint8_t in[100];
	char codecs[120];
	size_t i;
	int size;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)i;
	for (size = 0; size < 20; size++)
		for (i = 0; i < sizeof in; i += 7) {
			const uint64_t shape[] = {i, ENDED};

			snprintf(codecs, sizeof codecs, CHAIN("%d"), size);
			chain_roundtrip(codecs, "uint8", shape, NULL, in);
		}
}

static void
memory(void **state)
{
	const uint64_t shape[] = {100, ENDED};
	uint32_t in[100] = {1, 2, 3};

	(void)state;
	codec_warm("[" LITTLE "," SHUFFLE("4") "," SHUFFLE("8") "]", "uint32", shape, in);
	codec_sweep("[" LITTLE "," SHUFFLE("4") "," SHUFFLE("8") "]", "uint32", shape, in);
}

static void
configuration(void **state)
{
	const uint64_t four[] = {4, ENDED};

	(void)state;
	codec_prints("[" LITTLE "," SHUFFLE("8") "]", "float64", "[" LITTLE "," SHUFFLE("8") "]",
		     "[{\"id\": \"shuffle\", \"elementsize\": 8}]");
	/* without a size: 4 where that is the element's, and nothing else */
	codec_prints("[" LITTLE ", \"numcodecs.shuffle\"]", "float32", "[" LITTLE "," SHUFFLE("4") "]",
		     "[{\"id\": \"shuffle\", \"elementsize\": 4}]");
	chain_finds("[" LITTLE ", \"numcodecs.shuffle\"]", "float64", four, ZINC_E_CORRUPT, "shuffle", "/1");
	chain_finds("[" LITTLE ", " SHUFFLE("null") "]", "float64", four, ZINC_E_CORRUPT, "shuffle",
		    "/1/configuration");
	chain_finds("[" LITTLE ", " SHUFFLE("-1") "]", "float64", four, ZINC_E_CORRUPT, "shuffle",
		    "/1/configuration/elementsize");
	chain_finds("[" LITTLE ", " SHUFFLE("\"8\"") "]", "float64", four, ZINC_E_CORRUPT, "shuffle",
		    "/1/configuration/elementsize");
	codec_words("numcodecs.shuffle", "float64", "[" LITTLE "," SHUFFLE("8") "]");
	codec_words("numcodecs.shuffle:2", "float64", "[" LITTLE "," SHUFFLE("2") "]");
	codec_words("numcodecs.shuffle:x", "float64", NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors), cmocka_unit_test(picture),       cmocka_unit_test(all_sizes),
	    cmocka_unit_test(memory),  cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
