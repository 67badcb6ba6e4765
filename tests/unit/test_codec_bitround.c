/*
 * test_codec_bitround.c - numbers rounded to their first bits: the promises of codec_bitround.c, by number
 */
#include <math.h>
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define BITROUND(bits) "{\"name\": \"bitround\", \"configuration\": {\"keepbits\": " bits "}}"
#define LITTLE         "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CHAIN(bits)    "[" BITROUND(bits) ", " LITTLE "]"

static const uint64_t three[] = {3, ENDED}, ten[] = {10, ENDED};

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.bitround");
}

/* (1) The samples of the extension's own page. */
static void
integers(void **state)
{
	const uint8_t in[] = {0, 1, 10, 11, 100, 123, 200, 208, 209, 255};
	const int8_t negative[] = {-1, -128, 127};
	const uint64_t wide[] = {UINT64_MAX, (uint64_t)1 << 63, ((uint64_t)3 << 62) + 1};

	(void)state;
	codec_encodes(CHAIN("3"), "uint8", ten, in, ZINC_OK, "00010a0c6080c0c0e0e0");
	/* the pictures: 10111 is rounded to 11000; 10110, half way, to the even 10100 or 11000 */
	codec_encodes(CHAIN("3"), "uint8", three, (const uint8_t[]){23, 22, 26}, ZINC_OK, "181818");
	/* signed ones by their bits: ff, 80, 7f */
	codec_encodes(CHAIN("2"), "int8", three, negative, ZINC_OK, "c08080");
	codec_encodes(CHAIN("1"), "uint64", three, wide, ZINC_OK, "0000000000000080 0000000000000080 0000000000000080");
	codec_encodes(CHAIN("0"), "uint64", three, wide, ZINC_OK, "0000000000000000 0000000000000000 0000000000000000");
	codec_encodes(CHAIN("0"), "uint8", three, (const uint8_t[]){1, 3, 255}, ZINC_OK, "000400");
}

/* (1) Halves to even, and a carry into the exponent: 1 + 1/2 + ... + 1/16 with three bits is 2. */
static void
floats(void **state)
{
	const float in[] = {1.0625f, 1.1875f, 1.9375f};
	const double one[] = {1.0625, -1.1875, 1.9375};
	const uint16_t half[] = {0x3c40, 0x3cc0, 0x3fc0};

	(void)state;
	codec_encodes(CHAIN("3"), "float32", three, in, ZINC_OK, "0000803f 0000a03f 00000040");
	codec_encodes(CHAIN("3"), "float64", three, one, ZINC_OK, "000000000000f03f 000000000000f4bf 0000000000000040");
	codec_encodes(CHAIN("3"), "float16", three, half, ZINC_OK, "003c 003d 0040");
}

/* (2) Infinities and every kind of NaN, also with no bit kept; the largest number may become infinite. */
static void
special(void **state)
{
	const uint32_t in[] = {0x7f800000, 0xff800000, 0x7fffffff, 0x7f800001, 0xffc00000,
			       0x7fc00001, 0x80000000, 0,          0x00000001, 0x7f7fffff};
	float f[10];

	(void)state;
	memcpy(f, in, sizeof f);
	codec_encodes(CHAIN("0"), "float32", ten, f, ZINC_OK,
		      "0000807f 000080ff ffffff7f 0100807f 0000c0ff 0100c07f 00000080 00000000 00000000 0000807f");
	codec_encodes(CHAIN("20"), "float32", ten, f, ZINC_OK,
		      "0000807f 000080ff ffffff7f 0100807f 0000c0ff 0100c07f 00000080 00000000 00000000 0000807f");
}

/* (3) */
static void
identity(void **state)
{
	static const char *const types[][3] = {
	    {"float16", "10", "9999999"}, {"float32", "23", "24"},   {"float64", "52", "64"},   {"uint8", "8", "9"},
	    {"int64", "64", "65"},        {"complex64", "23", "30"}, {"complex128", "52", "53"}};
	uint8_t in[16 * 20];
	const uint64_t shape[] = {20, ENDED};
	char codecs[200];
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * i * 31 + i);
	for (i = 0; i < COUNT(types); i++)
		for (k = 1; k < 3; k++) {
			snprintf(codecs, sizeof codecs, CHAIN("%s"), types[i][k]);
			chain_roundtrip(codecs, types[i][0], shape, NULL, in);
		}
	/* decoding: any bytes, unchanged */
	codec_decodes(CHAIN("1"), "uint8", three, "010b7f", ZINC_OK, (const uint8_t[]){1, 11, 127});
	codec_decodes(CHAIN("1"), "uint8", three, "010b", ZINC_E_CORRUPT, NULL);
}

/* The parts of complex numbers, each by itself. */
static void
complex_numbers(void **state)
{
	const uint64_t one[] = {1, ENDED};
	const float in[] = {1.0625f, 1.9375f};

	(void)state;
	codec_encodes(CHAIN("3"), "complex64", one, in, ZINC_OK, "0000803f 00000040");
}

#define AT "/0/configuration"

static void
configuration(void **state)
{
	const float in[10] = {1, 2, 3};

	(void)state;
	codec_prints(CHAIN("7"), "float32", CHAIN("7"), "[{\"id\": \"bitround\", \"keepbits\": 7}]");
	/* what numcodecs calls it becomes the registered name */
	codec_prints("[{\"name\": \"numcodecs.bitround\", \"configuration\": {\"keepbits\": 7}}, " LITTLE "]",
		     "float32", CHAIN("7"), "[{\"id\": \"bitround\", \"keepbits\": 7}]");
	codec_words("bitround:7", "float32", CHAIN("7"));
	codec_words("bitround", "float32", NULL);
	codec_words("bitround:-1", "float32", NULL);
	codec_sweep(CHAIN("3"), "float32", ten, in);
	codec_warm(CHAIN("3"), "float32", ten, in);
	chain_finds(CHAIN("-1"), "float32", ten, ZINC_E_CORRUPT, "bitround", AT "/keepbits");
	chain_finds(CHAIN("3.5"), "float32", ten, ZINC_E_CORRUPT, "bitround", AT "/keepbits");
	chain_finds(CHAIN("3"), "bool", ten, ZINC_E_CORRUPT, "bitround", AT);
	chain_finds(CHAIN("3"), "r32", ten, ZINC_E_CORRUPT, "bitround", AT);
	chain_finds("[\"bitround\", " LITTLE "]", "float32", ten, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds("[{\"name\": \"bitround\"}, " LITTLE "]", "float32", ten, ZINC_E_CORRUPT, "bitround", "/0");
	chain_finds("[{\"name\": \"bitround\", \"configuration\": {\"keepbits\": 3, \"mode\": 1}}, " LITTLE "]",
		    "float32", ten, ZINC_OK, "bitround", AT "/mode");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),       cmocka_unit_test(integers), cmocka_unit_test(floats),
	    cmocka_unit_test(special),       cmocka_unit_test(identity), cmocka_unit_test(complex_numbers),
	    cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
