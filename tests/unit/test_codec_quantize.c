/*
 * test_codec_quantize.c - floats rounded to decimal digits: the promises of codec_quantize.c, by number
 */
#include <float.h>
#include <math.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define QUANTIZE(digits, dtype, astype)                                                                                \
	"{\"name\": \"numcodecs.quantize\", \"configuration\": {\"digits\": " digits ", \"dtype\": \"" dtype           \
	"\", \"astype\": \"" astype "\"}}"
#define LITTLE                       "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CHAIN(digits, dtype, astype) "[" QUANTIZE(digits, dtype, astype) ", " LITTLE "]"

static const uint64_t three[] = {3, ENDED};

/* (1) */
static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.quantize");
}

/* (1) Numbers that would overflow on the way are whole anyway. */
static void
large(void **state)
{
	const float singles[] = {FLT_MAX, -FLT_MAX, 1e38f};
	const double doubles[] = {DBL_MAX, -DBL_MAX, 1e308};

	(void)state;
	chain_roundtrip(CHAIN("3", "f4", "f4"), "float32", three, NULL, singles);
	chain_roundtrip(CHAIN("3", "f8", "f8"), "float64", three, NULL, doubles);
	chain_roundtrip(CHAIN("307", "f8", "f8"), "float64", three, NULL, doubles);
	codec_encodes(CHAIN("3", "f8", "f4"), "float64", three, doubles, ZINC_E_RANGE, NULL);
}

/* (1) Rounded numbers do not change when rounded again. */
static void
again(void **state)
{
	const uint64_t shape[] = {500, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	double in[500], back[500];
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(in); i++)
		in[i] = sin((double)i) * 100;
	assert_ok(chain_init(&t, NULL, CHAIN("2", "f8", "f8"), "float64", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	for (i = 0; i < COUNT(in); i++)
		assert_true(fabs(in[i] - back[i]) <= 0.005);
	chain_roundtrip(CHAIN("2", "f8", "f8"), "float64", shape, NULL, back);
	chain_fini(&t);
}

/* (2) Stored wider or narrower than read. */
static void
types(void **state)
{
	const float in[] = {0.5f, INFINITY, 0.25f}, infinite[] = {INFINITY, 0, 0};

	(void)state;
	chain_roundtrip(CHAIN("3", "f4", "f8"), "float32", three, NULL, in);
	chain_roundtrip(CHAIN("3", "f4", "f2"), "float32", three, NULL, in);
	/* 1e300 as float64, read as float32 */
	codec_decodes(CHAIN("3", "f4", "f8"), "float32", three, "9c7500883ce4377e 0000000000000000 0000000000000000",
		      ZINC_OK, infinite);
	codec_decodes(CHAIN("3", "f4", "f8"), "float32", three, "9c7500883ce4377e", ZINC_E_CORRUPT, NULL);
}

#define AT "/0/configuration"

static void
configuration(void **state)
{
	const double in[] = {1, 2, 3};

	(void)state;
	codec_prints(CHAIN("3", "float32", ">f2"), "float32", CHAIN("3", "<f4", ">f2"),
		     "[{\"id\": \"quantize\", \"digits\": 3, \"dtype\": \"<f4\", \"astype\": \">f2\"}]");
	codec_words("numcodecs.quantize:3", "float32", CHAIN("3", "<f4", "<f4"));
	codec_words("numcodecs.quantize", "float32", NULL);
	codec_words("numcodecs.quantize:x", "float32", NULL);
	codec_sweep(CHAIN("3", "f8", "f4"), "float64", three, in);
	codec_warm(CHAIN("3", "f8", "f4"), "float64", three, in);
	chain_finds(CHAIN("308", "f8", "f8"), "float64", three, ZINC_E_CORRUPT, "quantize", AT "/digits");
	chain_finds(CHAIN("2.5", "f8", "f8"), "float64", three, ZINC_E_CORRUPT, "quantize", AT "/digits");
	chain_finds(CHAIN("2", "i8", "f8"), "int64", three, ZINC_E_CORRUPT, "quantize", AT);
	chain_finds(CHAIN("2", "f8", "i4"), "float64", three, ZINC_E_CORRUPT, "quantize", AT);
	chain_finds("[{\"name\": \"numcodecs.quantize\", \"configuration\": {}}, " LITTLE "]", "float64", three,
		    ZINC_E_CORRUPT, "quantize", AT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors), cmocka_unit_test(large),         cmocka_unit_test(again),
	    cmocka_unit_test(types),   cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
