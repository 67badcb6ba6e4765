/*
 * test_codec_delta.c - differences between neighbours: the promises of codec_delta.c, by number
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/random.h"
#include "support/test.h"
#include "support/vectors.h"

#define DELTA(dtype, astype)                                                                                           \
	"{\"name\": \"numcodecs.delta\", \"configuration\": {\"dtype\": \"" dtype "\", \"astype\": \"" astype "\"}}"
#define LITTLE               "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CHAIN(dtype, astype) "[" DELTA(dtype, astype) ", " LITTLE "]"

static const uint64_t three[] = {3, ENDED}, four[] = {4, ENDED};

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.delta");
}

/* (1) Any elements of any type of integer, stored as themselves or as something wider. */
static void
integers(void **state)
{
	static const char *const pairs[][2] = {{"i1", "i1"}, {"u1", "u1"}, {"i2", "u2"}, {"u2", "i4"}, {"i4", "i4"},
					       {"u4", "i8"}, {"i8", "i8"}, {"u8", "i8"}, {"u1", "i8"}, {"i4", "u8"}};
	static const uint64_t shape[] = {700, ENDED};
	uint64_t in[700];
	char codecs[300], dtype[8];
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(in); i++)
		in[i] = random_bits();
	for (k = 0; k < COUNT(pairs); k++) {
		snprintf(codecs, sizeof codecs, CHAIN("%s", "%s"), pairs[k][0], pairs[k][1]);
		snprintf(dtype, sizeof dtype, "%s", pairs[k][0]);
		chain_roundtrip(codecs, dtype, shape, NULL, in);
	}
}

/* (1) Differences that fit a narrower type, modulo 2^n, and those that do not. */
static void
narrow(void **state)
{
	const uint32_t fits[] = {5, 3, 130}, not [] = {5, 3, 131};
	const int32_t ends[] = {INT32_MAX, INT32_MIN, INT32_MIN + 1};
	const uint16_t first[] = {128, 129, 130};

	(void)state;
	codec_encodes(CHAIN("u4", "i1"), "uint32", three, fits, ZINC_OK, "05fe7f");
	codec_decodes(CHAIN("u4", "i1"), "uint32", three, "05fe7f", ZINC_OK, fits);
	codec_encodes(CHAIN("u4", "i1"), "uint32", three, not, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("i4", "i1"), "int32", three, ends, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("u2", "i1"), "uint16", three, first, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("u2", "u1"), "uint16", three, first, ZINC_OK, "800101");
	/* INT32_MIN - INT32_MAX is 1 */
	codec_encodes(CHAIN("i4", "i8"), "int32", three, ends, ZINC_OK,
		      "ffffff7f00000000 0100000000000000 0100000000000000");
}

/* (2) Sums are made in NumPy's type: of float32 differences in float32, of float64 ones in float64. */
static void
floats(void **state)
{
	static const uint64_t shape[] = {600, ENDED};
	float in[600], single = 0, want[600];
	zinc_error err = ZINC_ERROR_INIT;
	double wide = 0;
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(in); i++)
		in[i] = (float)(0.1 * (double)(i % 7) + 1e-4 * (double)i);
	assert_ok(chain_init(&t, NULL, CHAIN("f4", "f4"), "float32", shape, NULL, true, &err));
	for (i = 0; i < COUNT(in); i++)
		want[i] = single += in[i]; /* the bytes of `in` are read as differences */
	if (!ZINC_HOST_BIG) {
		float back[600];

		assert_ok(chain_decode(&t, in, sizeof in, back, &err));
		assert_memory_equal(back, want, sizeof want);
	}
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, CHAIN("f8", "f4"), "float64", shape, NULL, true, &err));
	if (!ZINC_HOST_BIG) {
		double back[600];

		assert_ok(chain_decode(&t, in, sizeof in, back, &err));
		for (i = 0; i < COUNT(in); i++)
			assert_true(back[i] == (wide += (double)in[i]));
	}
	chain_fini(&t);
}

/* (2) Zeros keep their sign; all after a NaN or an infinity is NaN, as with numcodecs (docs/codecs/delta.md). */
static void
special(void **state)
{
	const float zeros[] = {-0.0f, -0.0f, 0.0f}, nan[] = {1, NAN, 2}, inf[] = {1, INFINITY, 2};
	zinc_error err = ZINC_ERROR_INIT;
	float back[3];
	chain_case t;

	(void)state;
	codec_encodes(CHAIN("f4", "f4"), "float32", three, zeros, ZINC_OK, "00000080 00000000 00000000");
	assert_ok(chain_init(&t, NULL, CHAIN("f4", "f4"), "float32", three, NULL, true, &err));
	assert_ok(chain_encode(&t, nan, &err));
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_true(back[0] == 1 && isnan(back[1]) && isnan(back[2]));
	assert_ok(chain_encode(&t, inf, &err));
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_true(back[0] == 1 && isinf(back[1]) && isnan(back[2]));
	chain_fini(&t);
}

/* (1) Floats as integers and integers as floats: only if they can be restored. */
static void
mixed(void **state)
{
	const double whole[] = {5, 3, 130}, half[] = {5, 3.5, 10}, large[] = {0, 200, 0}, nan[] = {1, NAN, 1};
	const int32_t small[] = {1, 1 << 24, (1 << 24) + 1}, ends[] = {INT32_MAX, INT32_MIN, 0};
	const int64_t beyond[] = {0, ((int64_t)1 << 53) + 1, 0};

	(void)state;
	codec_encodes(CHAIN("f8", "i1"), "float64", three, whole, ZINC_OK, "05fe7f");
	codec_decodes(CHAIN("f8", "i1"), "float64", three, "05fe7f", ZINC_OK, whole);
	codec_encodes(CHAIN("f8", "i1"), "float64", three, half, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("f8", "i1"), "float64", three, large, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("f8", "i1"), "float64", three, nan, ZINC_E_RANGE, NULL);
	chain_roundtrip(CHAIN("i4", "f8"), "int32", three, NULL, small);
	chain_roundtrip(CHAIN("i4", "f8"), "int32", three, NULL, ends);
	codec_encodes(CHAIN("i4", "f4"), "int32", three, ends, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("i8", "f8"), "int64", three, beyond, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("i8", "f4"), "int64", three, beyond, ZINC_E_RANGE, NULL);
}

/* (3) 1.5 + 254.5 is not an int8, and NaN is not an integer; but 1.5 + 1.5 is truncated to 3. */
static void
corrupt(void **state)
{
	const int8_t cut[] = {1, 3, 4};

	(void)state;
	codec_decodes(CHAIN("i1", "f4"), "int8", three, "0000c03f 0000c03f 0000c03f", ZINC_OK, cut);
	codec_decodes(CHAIN("i1", "f4"), "int8", three, "0000c03f 00807e43 00000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("i1", "f4"), "int8", three, "0000c03f 0000c07f 00000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("i4", "i1"), "int32", three, "0102", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("i4", "i1"), "int32", three, "01020304", ZINC_E_CORRUPT, NULL);
}

/* In a transposed chunk the neighbours are those in stored order. */
static void
stored_order(void **state)
{
	const uint64_t shape[] = {2, 3, ENDED};
	const uint8_t in[] = {1, 2, 3, 10, 20, 30};

	(void)state;
	codec_encodes("[" DELTA("u1", "u1") ", \"bytes\"]", "uint8", shape, in, ZINC_OK, "010101070a0a");
	codec_encodes(
	    "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, " DELTA("u1", "u1") ", \"bytes\"]",
	    "uint8", shape, in, ZINC_OK, "0109f812ef1b");
	chain_roundtrip("[" DELTA("u1", "i2") ", " DELTA("i2", "i4") ", " LITTLE "]", "uint8", shape, NULL, in);
}

/* The fill value after it is the same number. */
static void
fill(void **state)
{
	const uint16_t seven = 7, large = 300;
	const uint64_t none[] = {0, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, CHAIN("u2", "i1"), "uint16", four, &seven, true, &err));
	assert_string_equal(t.chain->ab_rep.dtype->name, "int8");
	assert_int_equal(*(const int8_t *)t.chain->ab_rep.fill, 7);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, CHAIN("u2", "i1"), "uint16", four, &large, true, &err));
	assert_null(t.chain->ab_rep.fill);
	chain_fini(&t);
	chain_roundtrip(CHAIN("u2", "i1"), "uint16", none, NULL, "");
	chain_roundtrip(CHAIN("f4", "f4"), "float32", none, NULL, "");
}

/* (3) A codec behind may make a difference, and so a sum, too large: 2e9 is rounded to 2^31. */
static void
changed(void **state)
{
	const int32_t in[] = {0, 1, 2000000001}, small[] = {0, 1, 3};

	(void)state;
#define ROUNDED "[" DELTA("<i4", "<f4") ", {\"name\": \"bitround\", \"configuration\": {\"keepbits\": 1}}, " LITTLE "]"
	codec_encodes(ROUNDED, "int32", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(ROUNDED, "int32", three, small, ZINC_OK, "00000000 0000803f 00000040");
}

#define AT "/0/configuration"

static void
configuration(void **state)
{
	const double in[4] = {1, 2, 3, 4};

	(void)state;
	codec_prints(CHAIN("int32", ">i2"), "int32", CHAIN("<i4", ">i2"),
		     "[{\"id\": \"delta\", \"dtype\": \"<i4\", \"astype\": \">i2\"}]");
	codec_prints("[\"numcodecs.delta\", " LITTLE "]", "float64", CHAIN("<f8", "<f8"),
		     "[{\"id\": \"delta\", \"dtype\": \"<f8\", \"astype\": \"<f8\"}]");
	codec_prints("[{\"name\": \"numcodecs.delta\", \"configuration\": {\"dtype\": \"|u1\", \"astype\": null}}, "
		     "{\"name\": \"bytes\"}]",
		     "uint8", "[" DELTA("|u1", "|u1") ", {\"name\": \"bytes\"}]",
		     "[{\"id\": \"delta\", \"dtype\": \"|u1\", \"astype\": \"|u1\"}]");
	codec_words("numcodecs.delta", "int32", CHAIN("<i4", "<i4"));
	codec_words("numcodecs.delta:i2", "int32", CHAIN("<i4", "i2"));
	codec_words("numcodecs.delta:i2:i1", "int32", NULL);
	codec_words("numcodecs.delta", "r16", NULL);
	codec_sweep(CHAIN("f8", "f4"), "float64", four, in);
	codec_warm(CHAIN("f8", "f4"), "float64", four, in);
	/* bits interpreted as another type of the same size */
	chain_roundtrip(CHAIN("i8", "i8"), "float64", four, NULL, in);
	chain_finds(CHAIN("i4", "i4"), "float64", four, ZINC_E_UNSUPPORTED, "delta", AT);
	chain_finds(CHAIN("i8", "i8"), "complex64", four, ZINC_E_UNSUPPORTED, "delta", AT);
	chain_finds(CHAIN("b1", "b1"), "bool", four, ZINC_E_UNSUPPORTED, "delta", AT);
	chain_finds(CHAIN("c8", "f4"), "complex64", four, ZINC_E_UNSUPPORTED, "delta", AT);
	chain_finds(CHAIN("f4", "c8"), "float32", four, ZINC_E_UNSUPPORTED, "delta", AT);
	chain_finds(CHAIN("<M8[ns]", "<i8"), "int64", four, ZINC_E_UNSUPPORTED, "delta", AT "/dtype");
	chain_finds(CHAIN("<i8", "<i3"), "int64", four, ZINC_E_UNSUPPORTED, "delta", AT "/astype");
	chain_finds(CHAIN("<i8", "nonsense"), "int64", four, ZINC_E_CORRUPT, "delta", AT "/astype");
	chain_finds("[\"numcodecs.delta\", " LITTLE "]", "r16", four, ZINC_E_UNSUPPORTED, "delta", "/0");
	chain_finds("[{\"name\": \"numcodecs.delta\", \"configuration\": {\"dtype\": 4}}, " LITTLE "]", "int32", four,
		    ZINC_E_CORRUPT, "delta", AT "/dtype");
	chain_finds("[{\"name\": \"numcodecs.delta\", \"configuration\": {\"order\": \"C\"}}, " LITTLE "]", "int32",
		    four, ZINC_OK, "delta", AT "/order");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),      cmocka_unit_test(integers),      cmocka_unit_test(narrow),
	    cmocka_unit_test(floats),       cmocka_unit_test(special),       cmocka_unit_test(mixed),
	    cmocka_unit_test(corrupt),      cmocka_unit_test(changed),       cmocka_unit_test(fill),
	    cmocka_unit_test(stored_order), cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
