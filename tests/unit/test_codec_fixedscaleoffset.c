/*
 * test_codec_fixedscaleoffset.c - (x - offset) * scale: the promises of codec_fixedscaleoffset.c, by number
 */
#include <math.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define SCALE(offset, scale, dtype, astype)                                                                            \
	"{\"name\": \"numcodecs.fixedscaleoffset\", \"configuration\": {\"scale\": " scale ", \"offset\": " offset     \
	", \"dtype\": \"" dtype "\", \"astype\": \"" astype "\"}}"
#define LITTLE                              "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CHAIN(offset, scale, dtype, astype) "[" SCALE(offset, scale, dtype, astype) ", " LITTLE "]"

static const uint64_t three[] = {3, ENDED}, six[] = {6, ENDED};

/* (1) */
static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.fixedscaleoffset");
}

/* (1) The picture in codec_fixedscaleoffset.c, and halves. */
static void
pictures(void **state)
{
	const double in[] = {1000.12, 1000, 1001}, halves[] = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5};

	(void)state;
	codec_encodes(CHAIN("1000", "100", "f8", "u1"), "float64", three, in, ZINC_OK, "0c0064");
	codec_decodes(CHAIN("1000", "100", "f8", "u1"), "float64", three, "0c0064", ZINC_OK, in);
	codec_encodes(CHAIN("0", "1", "f8", "i1"), "float64", six, halves, ZINC_OK, "000202 00fefe");
}

/* (2) Beyond what a double can count. */
static void
exact(void **state)
{
	const int64_t in[] = {INT64_MAX, INT64_MAX - 1, INT64_MAX - 100},
		      end[] = {INT64_MIN, INT64_MIN + 1, INT64_MIN + 100};
	const uint64_t un[] = {UINT64_MAX, UINT64_MAX - 5, UINT64_MAX - 50}, low[] = {0, 1, UINT64_MAX};

	(void)state;
	codec_encodes(CHAIN("-9223372036854775808", "1", "i8", "u1"), "int64", three, end, ZINC_OK, "000164");
	codec_encodes(CHAIN("-9223372036854775800", "0.5", "i8", "i1"), "int64", three, end, ZINC_OK, "fcfc2e");
	/* stored as 0, 1 and 100, which would be read as 2^63 */
	codec_encodes(CHAIN("9223372036854775807", "-1", "i8", "u1"), "int64", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("9223372036854775807", "1", "u8", "i8"), "uint64", three, un, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("-5", "1", "u8", "i8"), "uint64", three, low, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("2", "9223372036854775807", "i8", "i8"), "int64", three, in, ZINC_E_RANGE, NULL);
}

/* (3) */
static void
ranges(void **state)
{
	const double large[] = {0, 300, 0}, nan[] = {0, NAN, 0}, inf[] = {0, INFINITY, 0}, big[] = {0, 1e300, 0};
	const uint8_t in[] = {0, 1, 2};

	(void)state;
	codec_encodes(CHAIN("0", "1", "f8", "u1"), "float64", three, large, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("0", "1", "f8", "u1"), "float64", three, nan, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("0", "1", "f8", "u1"), "float64", three, inf, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("0", "1", "f8", "f4"), "float64", three, big, ZINC_E_RANGE, NULL);
	chain_roundtrip(CHAIN("0", "1", "f8", "f8"), "float64", three, NULL, inf);
	/* 0 to 2 as bytes, but stored is 300; or a number that is none */
	codec_decodes(CHAIN("0", "1", "u1", "i2"), "uint8", three, "0000 0100 0200", ZINC_OK, in);
	codec_decodes(CHAIN("0", "1", "u1", "i2"), "uint8", three, "0000 2c01 0200", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("0", "1", "u1", "f4"), "uint8", three, "00000000 0000c07f 00000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("0", "1", "u1", "i2"), "uint8", three, "0000 0100 02", ZINC_E_CORRUPT, NULL);
}

#define AT "/0/configuration"

static void
configuration(void **state)
{
	const double in[6] = {1, 2, 3, 4, 5, 6};

	(void)state;
	codec_prints(CHAIN("1000", "10", "<f8", "|u1"), "float64", CHAIN("1000", "10", "<f8", "|u1"),
		     "[{\"id\": \"fixedscaleoffset\", \"scale\": 10, \"offset\": 1000, \"dtype\": \"<f8\", \"astype\": "
		     "\"|u1\"}]");
	codec_prints(CHAIN("-0.5", "1e-05", "<f4", ">i2"), "float32", CHAIN("-0.5", "1e-05", "<f4", ">i2"),
		     "[{\"id\": \"fixedscaleoffset\", \"scale\": 1e-05, \"offset\": -0.5, \"dtype\": \"<f4\", "
		     "\"astype\": \">i2\"}]");
	codec_sweep(CHAIN("0", "10", "<f8", "i2"), "float64", six, in);
	codec_warm(CHAIN("0", "10", "<f8", "i2"), "float64", six, in);
	chain_finds(CHAIN("0", "0", "f8", "i2"), "float64", six, ZINC_E_CORRUPT, "fixedscaleoffset", AT);
	chain_finds(CHAIN("0", "0.0", "f8", "i2"), "float64", six, ZINC_E_CORRUPT, "fixedscaleoffset", AT);
	chain_finds(CHAIN("0", "\"1\"", "f8", "i2"), "float64", six, ZINC_E_CORRUPT, "fixedscaleoffset", AT "/scale");
	chain_finds(CHAIN("1e999", "1", "f8", "i2"), "float64", six, ZINC_E_CORRUPT, "fixedscaleoffset", AT "/offset");
	chain_finds("[{\"name\": \"numcodecs.fixedscaleoffset\", \"configuration\": {\"scale\": 1}}, " LITTLE "]",
		    "float64", six, ZINC_E_CORRUPT, "fixedscaleoffset", AT);
	chain_finds("[\"numcodecs.fixedscaleoffset\", " LITTLE "]", "float64", six, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds(CHAIN("0", "1", "c16", "i2"), "complex128", six, ZINC_E_UNSUPPORTED, "fixedscaleoffset", AT);
	chain_finds(CHAIN("0", "1", "f8", "b1"), "float64", six, ZINC_E_UNSUPPORTED, "fixedscaleoffset", AT);
	codec_words("numcodecs.fixedscaleoffset", "float64", NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors), cmocka_unit_test(pictures),      cmocka_unit_test(exact),
	    cmocka_unit_test(ranges),  cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
