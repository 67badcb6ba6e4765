/*
 * test_codec_zarrs_vlen.c - zarrs.vlen: the promises of codec_zarrs_vlen.c, by number
 *
 * The bytes are what zarrs 0.23 writes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/chains.h"
#include "support/codecs.h"
#include "support/sweep.h"
#include "support/test.h"

#define LITTLE "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define BIG    "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}"
#define BYTES  "{\"name\": \"bytes\"}"
#define VLEN(index, data, type, at)                                                                                    \
	"[{\"name\": \"zarrs.vlen\", \"configuration\": {\"index_codecs\": [" index "], \"data_codecs\": [" data       \
	"], \"index_data_type\": \"" type "\", \"index_location\": \"" at "\"}}]"
#define SMALL VLEN(LITTLE, BYTES, "uint32", "start")
#define TEXT(s)                                                                                                        \
	{                                                                                                              \
		s, sizeof(s) - 1                                                                                       \
	}

static const zinc_vlen words[] = {TEXT("a"), TEXT(""), TEXT("\xc3\xa9")}, empty[] = {TEXT(""), TEXT(""), TEXT("")};
static const uint64_t three[] = {3, ENDED}, none[] = {0, ENDED};

static void
assert_words(const zinc_vlen *got, const zinc_vlen *want, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		assert_int_equal(got[i].nbytes, want[i].nbytes);
		if (want[i].nbytes > 0)
			assert_memory_equal(got[i].data, want[i].data, (size_t)want[i].nbytes);
	}
}

static void
vectors(void **state)
{
	static const struct {
		const char *codec;
		const zinc_vlen *elements;
		const char *hex;
	} rows[] = {
	    {SMALL, words, "1000000000000000 00000000 01000000 01000000 03000000 61c3a9"},
	    {VLEN(LITTLE, BYTES, "uint32", "end"), words,
	     "61c3a9 00000000 01000000 01000000 03000000 1000000000000000"},
	    {VLEN(BIG, BYTES, "uint64", "start"), words,
	     "2000000000000000 0000000000000000 0000000000000001 0000000000000001 0000000000000003 61c3a9"},
	    {VLEN(LITTLE ", \"crc32c\"", BYTES ", \"crc32c\"", "uint32", "start"), empty,
	     "1400000000000000 00000000 00000000 00000000 00000000 ea9a7042"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[3];
	uint8_t want[64];
	chain_case t;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		n = unhex(rows[i].hex, want, sizeof want);
		assert_ok(chain_init(&t, NULL, rows[i].codec, "string", three, NULL, true, &err));
		assert_ok(chain_encode(&t, rows[i].elements, &err));
		assert_int_equal(t.out.n, n);
		assert_memory_equal(t.out.p, want, n);
		assert_ok(chain_decode(&t, want, n, back, &err));
		assert_words(back, rows[i].elements, 3);
		assert_ok(chain_encode(&t, back, &err)); /* (2) from where decoding left them */
		assert_int_equal(t.out.n, n);
		assert_memory_equal(t.out.p, want, n);
		chain_fini(&t);
	}
}

/* Inside of shards, beside codecs that move bytes, and chunks without elements. */
static void
with_others(void **state)
{
	static const char *const chains[] = {
	    "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1], \"codecs\": " SMALL
	    ", \"index_codecs\": [" LITTLE "]}}]",
	    "[{\"name\": \"zarrs.vlen\", \"configuration\": {\"index_codecs\": [" LITTLE ", {\"name\": \"gzip\", "
	    "\"configuration\": {\"level\": 1}}], \"data_codecs\": [" BYTES ", {\"name\": \"gzip\", \"configuration\": "
	    "{\"level\": 1}}], \"index_data_type\": \"uint64\"}}, \"crc32c\"]",
	    "[{\"name\": \"reshape\", \"configuration\": {\"shape\": [1, -1]}}, {\"name\": \"zarrs.vlen_v2\"}]",
	};
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_vlen fill = TEXT("-");
	zinc_vlen back[3];
	uint8_t first[400];
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(chains); i++) {
		assert_ok(chain_init(&t, NULL, chains[i], "string", three, &fill, false, &err));
		assert_ok(chain_encode(&t, words, &err));
		assert_true(t.out.n <= sizeof first);
		memcpy(first, t.out.p, t.out.n);
		assert_ok(chain_decode(&t, first, t.out.n, back, &err));
		assert_words(back, words, 3);
		chain_fini(&t);
	}
	assert_ok(chain_init(&t, NULL, SMALL, "string", none, NULL, true, &err));
	assert_ok(chain_encode(&t, words, &err));
	assert_int_equal(t.out.n, 12);
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	chain_fini(&t);
}

/* (1) */
static void
damaged(void **state)
{
	static const char *const hex[] = {
	    "",
	    "10000000000000",
	    "1100000000000000 00000000 01000000 01000000 03000000",
	    "ffffffffffffffff 00000000 01000000 01000000 03000000 61c3a9",
	    "0c00000000000000 00000000 01000000 01000000 61c3a9",
	    "1000000000000000 00000000 01000000 01000000 03000000 61c3",
	    "1000000000000000 00000000 01000000 01000000 03000000 61c3a9 00",
	    "1000000000000000 01000000 01000000 01000000 03000000 61c3a9", /* the first byte is unused */
	    "1000000000000000 00000000 02000000 01000000 03000000 61c3a9", /* decreasing */
	    "1000000000000000 00000000 04000000 03000000 03000000 61c3a9", /* outside */
	    "1000000000000000 00000000 02000000 02000000 03000000 61c3a9", /* no UTF-8 */
	    "1000000000000000 00000000 01000000 01000000 ffffffff 61c3a9",
	    "1000000000000000 00000000 00000000 00000000 00000000 61",
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[3];
	uint8_t in[64];
	chain_case t;
	size_t i, n;

	(void)state;
	assert_ok(chain_init(&t, NULL, SMALL, "string", three, NULL, true, &err));
	for (i = 0; i < COUNT(hex); i++) {
		n = unhex(hex[i], in, sizeof in);
		assert_int_equal(chain_decode(&t, in, n, back, &err), ZINC_E_CORRUPT);
		assert_string_equal(err.codec, "zarrs.vlen");
	}
	chain_fini(&t);
	/* bytes may be anything */
	n = unhex("1000000000000000 00000000 02000000 02000000 03000000 61c3a9", in, sizeof in);
	assert_ok(chain_init(&t, NULL, SMALL, "bytes", three, NULL, true, &err));
	assert_ok(chain_decode(&t, in, n, back, &err));
	n = unhex("1000000000000000 00000000 02000000 01000000 03000000 61c3a9", in, sizeof in); /* but not decrease */
	assert_int_equal(chain_decode(&t, in, n, back, &err), ZINC_E_CORRUPT);
	chain_fini(&t);
}

static void
refused(void **state)
{
	const zinc_vlen odd[] = {TEXT("a"), TEXT("\xc3"), TEXT("")};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, SMALL, "string", three, NULL, true, &err));
	assert_int_equal(chain_encode(&t, odd, &err), ZINC_E_RANGE);
	chain_fini(&t);
}

#define AT "/0/configuration"

static void
vlen_roundtrip(const char *codecs)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[3];
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, "string", three, NULL, true, &err));
	assert_ok(chain_encode(&t, words, &err));
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_words(back, words, 3);
	chain_fini(&t);
}

/* (3) */
static void
chains_inside(void **state)
{
#define CODEC(name, members) "{\"name\": \"" name "\", \"configuration\": {" members "}}"
#define LOSSY_INDEX(codecs)                                                                                            \
	chain_finds(VLEN(codecs, BYTES, "uint32", "start"), "string", three, ZINC_E_CORRUPT, "zarrs.vlen",             \
		    AT "/index_codecs")
#define BAD_DATA(codecs)                                                                                               \
	chain_finds(VLEN(LITTLE, codecs, "uint32", "start"), "string", three, ZINC_E_CORRUPT, "zarrs.vlen",            \
		    AT "/data_codecs")
	(void)state;
	LOSSY_INDEX(CODEC("bitround", "\"keepbits\": 1") ", " LITTLE);
	LOSSY_INDEX(CODEC("packbits", "\"first_bit\": 1"));
	BAD_DATA(CODEC("bitround", "\"keepbits\": 1") ", " BYTES);
	BAD_DATA(CODEC("packbits", "\"first_bit\": 1"));
	BAD_DATA(CODEC("reshape", "\"shape\": [1]") ", " BYTES);
	BAD_DATA(CODEC("n5_default", "\"codecs\": [" CODEC("transpose", "\"order\": [0]") ", " BIG "]"));
	/* exact ones are allowed */
	vlen_roundtrip(VLEN(CODEC("scale_offset", "\"scale\": 2") ", " LITTLE,
			    CODEC("cast_value", "\"data_type\": \"uint16\"") ", " BIG, "uint32", "end"));
	vlen_roundtrip(
	    VLEN(CODEC("reshape", "\"shape\": [2, 2]") ", " LITTLE, CODEC("packbits", ""), "uint64", "start"));
}

static void
configuration(void **state)
{
	(void)state;
	chain_finds("[\"zarrs.vlen\"]", "string", three, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds(SMALL, "int32", three, ZINC_E_CORRUPT, "M65", AT);
	chain_finds(VLEN(LITTLE, BYTES, "uint16", "start"), "string", three, ZINC_E_CORRUPT, "zarrs.vlen",
		    AT "/index_data_type");
	chain_finds(VLEN(LITTLE, BYTES, "uint32", "middle"), "string", three, ZINC_E_CORRUPT, "zarrs.vlen",
		    AT "/index_location");
	chain_finds("[{\"name\": \"zarrs.vlen\", \"configuration\": {\"index_codecs\": [" LITTLE
		    "], \"index_data_type\": \"uint32\"}}]",
		    "string", three, ZINC_E_CORRUPT, "zarrs.vlen", AT);
	chain_finds(VLEN("\"vlen-utf8\"", BYTES, "uint32", "start"), "string", three, ZINC_E_CORRUPT, "M65",
		    AT "/index_codecs/0");
	chain_finds(
	    VLEN(LITTLE,
		 "{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1], \"codecs\": [" BYTES
		 "], \"index_codecs\": [" LITTLE "]}}",
		 "uint32", "start"),
	    "string", three, ZINC_E_UNSUPPORTED, "zarrs.vlen", AT "/data_codecs");
	codec_prints(SMALL, "string", SMALL, "[]");
	codec_prints(VLEN(LITTLE, BYTES, "uint64", "end"), "bytes", VLEN(LITTLE, BYTES, "uint64", "end"), "[]");
	codec_prints("[\"zarrs.vlen_v2\"]", "string", "[{\"name\": \"vlen-utf8\"}]", "[{\"id\": \"vlen-utf8\"}]");
	codec_prints("[{\"name\": \"zarrs.vlen_v2\", \"configuration\": {}}]", "bytes", "[{\"name\": \"vlen-bytes\"}]",
		     "[{\"id\": \"vlen-bytes\"}]");
	chain_finds("[\"zarrs.vlen_v2\"]", "int32", three, ZINC_E_CORRUPT, "M65", "/0");
}

static void
memory(void **state)
{
	(void)state;
	codec_sweep(SMALL, "string", three, words);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors), cmocka_unit_test(with_others),   cmocka_unit_test(damaged),
	    cmocka_unit_test(refused), cmocka_unit_test(chains_inside), cmocka_unit_test(configuration),
	    cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
