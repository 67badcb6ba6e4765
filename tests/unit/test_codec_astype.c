/*
 * test_codec_astype.c - elements stored as another type: the promises of codec_astype.c, by number
 */
#include <math.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define ASTYPE(encode, decode)                                                                                         \
	"{\"name\": \"numcodecs.astype\", \"configuration\": {\"encode_dtype\": \"" encode                             \
	"\", \"decode_dtype\": \"" decode "\"}}"
#define LITTLE                "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CHAIN(encode, decode) "[" ASTYPE(encode, decode) ", " LITTLE "]"

static const uint64_t three[] = {3, ENDED}, many[] = {600, ENDED};

/* (1) */
static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.astype");
}

static void
blocks(void **state)
{
	int32_t in[600];
	int i;

	(void)state;
	for (i = 0; i < 600; i++)
		in[i] = i * 50 - 15000;
	chain_roundtrip(CHAIN("i2", "i4"), "int32", many, NULL, in);
	chain_roundtrip(CHAIN("f4", "i4"), "int32", many, NULL, in);
	chain_roundtrip("[" ASTYPE("i2", "i4") ", " ASTYPE("f8", "i2") ", " LITTLE "]", "int32", many, NULL, in);
}

/* (2) */
static void
ranges(void **state)
{
	const int32_t large[] = {0, 128, 0}, in[] = {1, -1, 100}, ties[] = {16777217, -16777219, 2147483520};
	const int32_t end[] = {0, 0, INT32_MAX};
	const double nan[] = {0, NAN, 0}, big[] = {0, 1e300, 0};
	const float infinite[] = {INFINITY, 0, 0};

	(void)state;
	codec_encodes(CHAIN("i1", "i4"), "int32", three, large, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("u1", "i4"), "int32", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("i1", "i4"), "int32", three, in, ZINC_OK, "01ff64");
	codec_encodes(CHAIN("i1", "f8"), "float64", three, nan, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("f4", "f8"), "float64", three, big, ZINC_E_RANGE, NULL);
	/* as NumPy rounds */
	codec_encodes(CHAIN("f4", "i4"), "int32", three, ties, ZINC_OK, "0000804b 020080cb ffffff4e");
	codec_encodes(CHAIN("f4", "i4"), "int32", three, end, ZINC_E_RANGE, NULL); /* 2^31 could not be read */
	codec_decodes(CHAIN("i4", "i1"), "int8", three, "01000000 80000000 00000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("f4", "i1"), "int8", three, "0000c07f 00000000 00000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("f4", "i1"), "int8", three, "0000c03f 0000c0bf 00000000", ZINC_OK,
		      (const int8_t[]){1, -1, 0});
	codec_decodes(CHAIN("f8", "f4"), "float32", three, "9c7500883ce4377e 0000000000000000 0000000000000000",
		      ZINC_OK, infinite);
	codec_decodes(CHAIN("i4", "i1"), "int8", three, "01000000 80000000", ZINC_E_CORRUPT, NULL);
}

/* (3) */
static void
bools(void **state)
{
	const bool in[] = {true, false, true};
	const int16_t two[] = {0, 1, 2};
	const float half[] = {0, 1, 0.5f};

	(void)state;
	chain_roundtrip(CHAIN("i4", "b1"), "bool", three, NULL, in);
	chain_roundtrip("[" ASTYPE("f2", "b1") ", " LITTLE "]", "bool", three, NULL, in);
	codec_encodes("[" ASTYPE("b1", "i2") ", \"bytes\"]", "int16", three, two, ZINC_E_RANGE, NULL);
	codec_encodes("[" ASTYPE("b1", "f4") ", \"bytes\"]", "float32", three, half, ZINC_E_RANGE, NULL);
	codec_decodes(CHAIN("i2", "b1"), "bool", three, "0000 0100 0200", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("f4", "b1"), "bool", three, "0000803f 0000003f 00000000", ZINC_E_CORRUPT, NULL);
}

/* (2) Also of an array of floats whose bits are taken for integers: 2^31 - 1 is 2^31 as a float. */
static void
comes_back(void **state)
{
	const int32_t in[] = {0, 1, INT32_MAX};

	(void)state;
	codec_encodes(CHAIN("<f4", "<i4"), "int32", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("<f4", "<i4"), "float32", three, in, ZINC_E_RANGE, NULL);
}

#define AT "/0/configuration"

static void
configuration(void **state)
{
	const double in[] = {1, 2, 3};

	(void)state;
	codec_prints(CHAIN(">i2", "float64"), "float64", CHAIN(">i2", "<f8"),
		     "[{\"id\": \"astype\", \"encode_dtype\": \">i2\", \"decode_dtype\": \"<f8\"}]");
	codec_prints("[{\"name\": \"numcodecs.astype\", \"configuration\": {\"encode_dtype\": \"<i2\"}}, " LITTLE "]",
		     "float64", CHAIN("<i2", "<f8"),
		     "[{\"id\": \"astype\", \"encode_dtype\": \"<i2\", \"decode_dtype\": \"<f8\"}]");
	codec_words("numcodecs.astype:i2", "float64", CHAIN("i2", "<f8"));
	codec_words("numcodecs.astype", "float64", NULL);
	codec_sweep(CHAIN("i2", "f8"), "float64", three, in);
	codec_warm(CHAIN("i2", "f8"), "float64", three, in);
	chain_finds("[{\"name\": \"numcodecs.astype\", \"configuration\": {\"decode_dtype\": \"<f8\"}}, " LITTLE "]",
		    "float64", three, ZINC_E_CORRUPT, "astype", AT);
	chain_finds(CHAIN("f8", "c16"), "complex128", three, ZINC_E_UNSUPPORTED, "astype", AT);
	chain_finds(CHAIN("c16", "f8"), "float64", three, ZINC_E_UNSUPPORTED, "astype", AT);
	chain_finds(CHAIN("b1", "c16"), "complex128", three, ZINC_E_UNSUPPORTED, "astype", AT);
	chain_finds(CHAIN("<S3", "<f8"), "float64", three, ZINC_E_UNSUPPORTED, "astype", AT "/encode_dtype");
	chain_finds(CHAIN("<f8", "<f4"), "float64", three, ZINC_E_UNSUPPORTED, "astype", AT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),    cmocka_unit_test(blocks), cmocka_unit_test(ranges),
	    cmocka_unit_test(comes_back), cmocka_unit_test(bools),  cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
