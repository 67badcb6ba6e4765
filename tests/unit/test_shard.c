/*
 * test_shard.c - shards and their index: M85-M95, the promises of shard.c and codec_sharding.c, by number
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/chains.h"
#include "support/sweep.h"
#include "support/test.h"

#define LITTLE        "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define BIG           "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"
#define GZIP          "{\"name\":\"gzip\",\"configuration\":{\"level\":1}}"
#define INDEX         "\"index_codecs\":[" LITTLE ",\"crc32c\"]"
#define SHARDING(...) "{\"name\":\"sharding_indexed\",\"configuration\":{" __VA_ARGS__ "}}"
/* Inner chunks of 2 x 2 bytes. */
#define S22 "\"chunk_shape\":[2,2],\"codecs\":[\"bytes\"]"

static const uint64_t s44[] = {4, 4, ENDED}, s24[] = {2, 4, ENDED}, scalar[] = {ENDED};

/* ---- documents ---- */

static void
finds(const char *configuration, zinc_status st, const char *rule, const char *pointer)
{
	char codecs[600];

	snprintf(codecs, sizeof codecs, "[" SHARDING("%s") "]", configuration);
	chain_finds(codecs, "uint8", s44, st, rule, pointer);
}

static void
configuration(void **state)
{
	(void)state;
	chain_finds("[\"sharding_indexed\"]", "uint8", s44, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds("[{\"name\":\"sharding_indexed\"}]", "uint8", s44, ZINC_E_CORRUPT, "M85", "/0");
	/* M85, M86 */
	finds("\"codecs\":[\"bytes\"]," INDEX, ZINC_E_CORRUPT, "M85", "/0/configuration");
	finds("\"chunk_shape\":[2],\"codecs\":[\"bytes\"]," INDEX, ZINC_E_CORRUPT, "M85",
	      "/0/configuration/chunk_shape");
	finds("\"chunk_shape\":2,\"codecs\":[\"bytes\"]," INDEX, ZINC_E_CORRUPT, "M85", "/0/configuration/chunk_shape");
	finds("\"chunk_shape\":[2,0],\"codecs\":[\"bytes\"]," INDEX, ZINC_E_CORRUPT, "M85",
	      "/0/configuration/chunk_shape/1");
	finds("\"chunk_shape\":[2,-2],\"codecs\":[\"bytes\"]," INDEX, ZINC_E_CORRUPT, "M85",
	      "/0/configuration/chunk_shape/1");
	finds("\"chunk_shape\":[2,3],\"codecs\":[\"bytes\"]," INDEX, ZINC_E_CORRUPT, "M86",
	      "/0/configuration/chunk_shape/1");
	finds("\"chunk_shape\":[8,4],\"codecs\":[\"bytes\"]," INDEX, ZINC_E_CORRUPT, "M86",
	      "/0/configuration/chunk_shape/0");
	/* M87, and the rules of the chain inside */
	finds("\"chunk_shape\":[2,2]," INDEX, ZINC_E_CORRUPT, "M87", "/0/configuration");
	finds("\"chunk_shape\":[2,2],\"codecs\":[]," INDEX, ZINC_E_CORRUPT, "M9", "/0/configuration/codecs");
	finds("\"chunk_shape\":[2,2],\"codecs\":[\"bytes\",\"bytes\"]," INDEX, ZINC_E_CORRUPT, "M62",
	      "/0/configuration/codecs/1");
	finds("\"chunk_shape\":[2,2],\"codecs\":[\"nobody.knows\"]," INDEX, ZINC_E_UNSUPPORTED, "M20",
	      "/0/configuration/codecs/0");
	/* M88, M89 */
	finds(S22 ",\"index_codecs\":[]", ZINC_E_CORRUPT, "M9", "/0/configuration/index_codecs");
	finds(S22 ",\"index_codecs\":[\"crc32c\"]", ZINC_E_CORRUPT, "M63", "/0/configuration/index_codecs/0");
	finds(S22 ",\"index_codecs\":[\"bytes\"]", ZINC_E_CORRUPT, "M68", "/0/configuration/index_codecs/0");
	finds(S22 ",\"index_codecs\":[" SHARDING("\"chunk_shape\":[2,2,2],\"codecs\":[" LITTLE "]," INDEX) "]",
	      ZINC_E_CORRUPT, "M89", "/0/configuration/index_codecs");
	if (!zinc_codec_gzip.lacks)
		finds(S22 ",\"index_codecs\":[" LITTLE ",\"crc32c\"," GZIP "]", ZINC_E_CORRUPT, "M89",
		      "/0/configuration/index_codecs");
	finds(S22 ",\"index_codecs\":[{\"name\":\"bitround\",\"configuration\":{\"keepbits\":3}}," LITTLE "]",
	      ZINC_E_CORRUPT, "M89", "/0/configuration/index_codecs");
	finds(S22 ",\"index_codecs\":[{\"name\":\"packbits\",\"configuration\":{\"first_bit\":1}}]", ZINC_E_CORRUPT,
	      "M89", "/0/configuration/index_codecs");
	finds(
	    S22
	    ",\"index_codecs\":[{\"name\":\"cast_value\",\"configuration\":{\"data_type\":\"uint32\",\"out_of_range\":"
	    "\"wrap\"}}," LITTLE "]",
	    ZINC_E_CORRUPT, "M89", "/0/configuration/index_codecs");
	/* an error in the index wins over an unknown inner codec */
	finds("\"chunk_shape\":[2,2],\"codecs\":[\"nobody.knows\"],\"index_codecs\":[]", ZINC_E_CORRUPT, "M9",
	      "/0/configuration/index_codecs");
	/* M90, M95 */
	finds(S22 "," INDEX ",\"index_location\":\"middle\"", ZINC_E_CORRUPT, "M90", "/0/configuration/index_location");
	finds(S22 "," INDEX ",\"index_location\":null", ZINC_E_CORRUPT, "M90", "/0/configuration/index_location");
	finds(S22 "," INDEX ",\"write_order\":\"morton\"", ZINC_OK, "M95", "/0/configuration/write_order");
	/* 2023, with the index at the end only */
	finds(S22, ZINC_OK, "M88", "/0/configuration");
	finds(S22 ",\"index_location\":\"end\"", ZINC_OK, "M88", "/0/configuration");
	finds(S22 ",\"index_location\":\"start\"", ZINC_E_CORRUPT, "M88", "/0/configuration");
}

/* 64 dimensions leave no room for the index's own. */
static void
too_many_dimensions(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t shape[ZINC_MAX_NDIM + 1];
	zinc_buf b;
	int i;

	(void)state;
	zinc_buf_init(&b, NULL, SIZE_MAX);
	for (i = 0; i < ZINC_MAX_NDIM; i++) {
		shape[i] = 1;
		assert_ok(zinc_buf_puts(&b,
					i ? ",1"
					  : "[{\"name\":\"sharding_indexed\",\"configuration\":{" INDEX
					    ",\"codecs\":[\"bytes\"],\"chunk_shape\":[1",
					&err));
	}
	assert_ok(zinc_buf_puts(&b, "]}}]", &err));
	shape[ZINC_MAX_NDIM] = ENDED;
	chain_finds(zinc_buf_text(&b), "uint8", shape, ZINC_E_UNSUPPORTED, "M91", "/0/configuration");
	zinc_buf_fini(&b);
}

/* ---- bytes ---- */

static void
stores(const char *codecs, const uint64_t *shape, uint8_t fill, const uint8_t *elements, const char *hex)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t want[512], back[64];
	size_t n = unhex(hex, want, sizeof want);
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, "uint8", shape, &fill, false, &err));
	assert_ok(chain_encode(&t, elements, &err));
	assert_int_equal(t.out.n, n);
	assert_memory_equal(t.out.p, want, n);
	assert_ok(chain_decode(&t, want, n, back, &err));
	assert_memory_equal(back, elements, chain_nbytes(&t));
	chain_fini(&t);
}

#define FF16 "ffffffffffffffff ffffffffffffffff "

/* M91, M92: the all-empty index of 2 x 2 inner chunks, and its published checksum. */
static void
empty_shard(void **state)
{
	const uint8_t zeros[16] = {0};

	(void)state;
	stores("[" SHARDING(S22 "," INDEX) "]", s44, 0, zeros, FF16 FF16 FF16 FF16 "664ecd2f");
	stores("[" SHARDING(S22 "," INDEX ",\"index_location\":\"start\"") "]", s44, 0, zeros,
	       FF16 FF16 FF16 FF16 "664ecd2f");
}

/* (4) Inner chunks in C order, the all-fill one left out; offsets are absolute, also with the index at the start. */
static void
layouts(void **state)
{
	/* inner chunks: 1, all fill, 3, 4 */
	const uint8_t in[] = {1, 1, 9, 9, 1, 2, 9, 9, 3, 3, 4, 4, 3, 5, 4, 6}, one = 7;

	(void)state;
	stores("[" SHARDING(S22 ",\"index_codecs\":[" LITTLE "]") "]", s44, 9, in,
	       "01010102 03030305 04040406"
	       "0000000000000000 0400000000000000" FF16
	       "0400000000000000 0400000000000000 0800000000000000 0400000000000000");
	stores("[" SHARDING(S22 ",\"index_codecs\":[" BIG "],\"index_location\":\"start\"") "]", s44, 9, in,
	       "0000000000000040 0000000000000004" FF16
	       "0000000000000044 0000000000000004 0000000000000048 0000000000000004"
	       "01010102 03030305 04040406");
	/* index codecs with a transpose: all offsets, then all sizes */
	stores("[" SHARDING(S22
			    ",\"index_codecs\":[{\"name\":\"transpose\",\"configuration\":{\"order\":[2,0,1]}}," LITTLE
			    "]") "]",
	       s44, 9, in,
	       "01010102 03030305 04040406"
	       "0000000000000000 ffffffffffffffff 0400000000000000 0800000000000000"
	       "0400000000000000 ffffffffffffffff 0400000000000000 0400000000000000");
	/* transpose before it: the shape of inner chunks is in its axes, here columns of two */
	stores("[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," SHARDING(
		   "\"chunk_shape\":[1,4],\"codecs\":[\"bytes\"],\"index_codecs\":[" LITTLE "]") "]",
	       s44, 9, in,
	       "01010303 01020305 09090404 09090406"
	       "0000000000000000 0400000000000000 0400000000000000 0400000000000000"
	       "0800000000000000 0400000000000000 0c00000000000000 0400000000000000");
	/* no dimensions: one inner chunk, one entry */
	stores("[" SHARDING("\"chunk_shape\":[],\"codecs\":[\"bytes\"],\"index_codecs\":[" LITTLE "]") "]", scalar, 9,
	       &one, "07 0000000000000000 0100000000000000");
	/* shards within a shard: each has its own index and offsets */
	stores("[" SHARDING("\"chunk_shape\":[2,2],\"codecs\":[" SHARDING(
		   "\"chunk_shape\":[2,1],\"codecs\":[\"bytes\"],\"index_codecs\":[" LITTLE
		   "]") "],\"index_codecs\":[" LITTLE "]") "]",
	       s24, 9, in,
	       "0101 0102 0000000000000000 0200000000000000 0200000000000000 0200000000000000"
	       "0000000000000000 2400000000000000" FF16);
}

static uint8_t *
put_entry(uint8_t *p, uint64_t offset, uint64_t nbytes)
{
	int i;

	for (i = 0; i < 8; i++) {
		p[i] = (uint8_t)(offset >> 8 * i);
		p[8 + i] = (uint8_t)(nbytes >> 8 * i);
	}
	return p + 16;
}

/* A shard of two inner chunks of 4 bytes at [0, 16) of 16 bytes, with the given entries. */
static zinc_status
decode_two(bool start, uint64_t offset0, uint64_t nbytes0, uint64_t offset1, uint64_t nbytes1, uint8_t *back)
{
	uint8_t bytes[48], *index = start ? bytes : bytes + 16;
	const uint8_t fill = 9;
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	zinc_status st;
	int i;

	memset(bytes, 0, sizeof bytes);
	for (i = 0; i < 16; i++)
		bytes[start ? 32 + i : i] = (uint8_t)i;
	put_entry(put_entry(index, offset0, nbytes0), offset1, nbytes1);
	assert_ok(chain_init(&t, NULL,
			     start ? "[" SHARDING(S22 ",\"index_codecs\":[" LITTLE "],\"index_location\":\"start\"") "]"
				   : "[" SHARDING(S22 ",\"index_codecs\":[" LITTLE "]") "]",
			     "uint8", s24, &fill, true, &err));
	st = chain_decode(&t, bytes, sizeof bytes, back, &err);
	if (st != ZINC_OK)
		assert_string_not_equal(err.codec, "");
	chain_fini(&t);
	return st;
}

/* (1) (2) (5) M92, M94 */
static void
entries(void **state)
{
	const uint64_t none = ZINC_SHARD_EMPTY;
	uint8_t back[8];

	(void)state;
	/* any order, gaps, overlaps, the same bytes twice */
	assert_int_equal(decode_two(false, 12, 4, 0, 4, back), ZINC_OK);
	assert_memory_equal(back, "\x0c\x0d\0\1\x0e\x0f\2\3", 8);
	assert_int_equal(decode_two(false, 2, 4, 3, 4, back), ZINC_OK);
	assert_memory_equal(back, "\2\3\3\4\4\5\5\6", 8);
	assert_int_equal(decode_two(false, 5, 4, 5, 4, back), ZINC_OK);
	assert_int_equal(decode_two(false, none, none, 5, 4, back), ZINC_OK);
	assert_memory_equal(back, "\x09\x09\5\6\x09\x09\7\x08", 8);
	assert_int_equal(decode_two(false, none, none, none, none, back), ZINC_OK);
	assert_memory_equal(back, "\x09\x09\x09\x09\x09\x09\x09\x09", 8);
	/* half empty */
	assert_int_equal(decode_two(false, none, 4, 0, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(false, 0, 4, 0, none, back), ZINC_E_CORRUPT);
	/* over the index, past the end, wrapped around */
	assert_int_equal(decode_two(false, 13, 4, 0, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(false, 16, 4, 0, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(false, 0, 4, 48, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(false, 0, 4, none - 1, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(false, none - 3, 4, 0, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(false, 4, none - 3, 0, 4, back), ZINC_E_CORRUPT);
	/* the index at the start: bounds are reversed */
	assert_int_equal(decode_two(true, 32, 4, 44, 4, back), ZINC_OK);
	assert_memory_equal(back, "\0\1\x0c\x0d\2\3\x0e\x0f", 8);
	assert_int_equal(decode_two(true, 31, 4, 44, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(true, 0, 4, 44, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(true, 45, 4, 44, 4, back), ZINC_E_CORRUPT);
	/* an inner chunk of the wrong length */
	assert_int_equal(decode_two(false, 0, 3, 0, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(false, 0, 0, 0, 4, back), ZINC_E_CORRUPT);
	assert_int_equal(decode_two(false, 0, 5, 0, 4, back), ZINC_E_CORRUPT);
}

/* (3) Too short for the index, of any size that it may claim. */
static void
short_shards(void **state)
{
	const uint64_t large[] = {(uint64_t)1 << 26, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_view v;
	sweep_memory m;
	chain_case t;
	uint8_t *into;
	long before;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx, "[" SHARDING("\"chunk_shape\":[1],\"codecs\":[\"bytes\"]," INDEX) "]", "uint8",
			     large, NULL, true, &err));
	into = (uint8_t *)malloc((size_t)1 << 26);
	assert_non_null(into);
	before = m.bytes;
	assert_int_equal(
	    zinc_chain_decode(t.chain, t.s, large, (zinc_bytes){(const uint8_t *)"1234567", 7}, into, 0, &v, &err),
	    ZINC_E_CORRUPT);
	assert_true(m.bytes - before < 10000);
	chain_fini(&t);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
	free(into);
}

/* ---- the spellings of 2023 ---- */

static void
old_spellings(void **state)
{
	const uint8_t in[] = {1, 1, 9, 9, 1, 2, 9, 9}, fill = 9;
	const char *no_index = "[" SHARDING(S22) "]", *nothing = "[" SHARDING("\"chunk_shape\":[2,2]") "]";
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t bytes[64], back[8];
	chain_case t;
	size_t n;

	(void)state;
	/* what Zinc writes: with the checksum of June */
	stores(no_index, s24, 9, in, "01010102 0000000000000000 0400000000000000" FF16 "8a0729c5");
	stores(nothing, s24, 9, in, "01010102 0000000000000000 0400000000000000" FF16 "8a0729c5");
	/* and what May wrote: without */
	n = unhex("01010102 0000000000000000 0400000000000000" FF16, bytes, sizeof bytes);
	assert_ok(chain_init(&t, NULL, no_index, "uint8", s24, &fill, false, &err));
	assert_ok(chain_decode(&t, bytes, n, back, &err));
	assert_memory_equal(back, in, 8);
	/* without a byte of data: an index of 32 bytes alone */
	n = unhex(FF16 FF16, bytes, sizeof bytes);
	assert_ok(chain_decode(&t, bytes, n, back, &err));
	assert_int_equal(chain_decode(&t, bytes, n - 1, back, &err), ZINC_E_CORRUPT);
	assert_int_equal(chain_decode(&t, bytes, 0, back, &err), ZINC_E_CORRUPT);
	chain_fini(&t);
	/* codecs that are missing mean little-endian elements */
	assert_ok(chain_init(&t, NULL, "[" SHARDING("\"chunk_shape\":[]") "]", "uint16", scalar, NULL, false, &err));
	n = unhex("0102 0000000000000000 0200000000000000", bytes, sizeof bytes);
	assert_ok(chain_decode(&t, bytes, n, back, &err));
	assert_int_equal(*(uint16_t *)(void *)back, 0x0201);
	chain_fini(&t);
}

/* ---- the functions that the array calls ---- */

static void
index_alone(void **state)
{
	const uint64_t small[] = {2, 2};
	zinc_shard_entry e[4] = {{100, 5}, {ZINC_SHARD_EMPTY, ZINC_SHARD_EMPTY}, {0, 100}, {105, 1}}, back[4];
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t per_axis[2];
	const zinc_shard *sh;
	zinc_buf out;
	chain_case t;
	size_t n;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[" SHARDING(S22 "," INDEX) "]", "uint8", s44, NULL, true, &err));
	sh = t.chain->shard;
	assert_non_null(sh);
	assert_true(t.chain->open_shard);
	assert_int_equal(t.chain->unit_shape[0], 2);
	assert_int_equal(t.chain->unit_shape[1], 2);
	assert_false(t.chain->fixed_size);
	assert_int_equal(zinc_shard_count(sh, s44, per_axis), 4);
	assert_int_equal(per_axis[0], 2);
	assert_int_equal(per_axis[1], 2);
	assert_int_equal(zinc_shard_index_bytes(sh, s44, &n), 0);
	assert_int_equal(n, 68);
	assert_int_equal(zinc_shard_index_bytes(sh, small, &n), 0);
	assert_int_equal(n, 20);
	zinc_buf_init(&out, NULL, SIZE_MAX);
	assert_ok(zinc_buf_puts(&out, "before", &err));
	assert_ok(zinc_shard_index_encode(sh, t.s, s44, e, &out, &err));
	assert_int_equal(out.n, 6 + 68);
	assert_ok(zinc_shard_index_decode(sh, t.s, s44, (zinc_bytes){out.p + 6, 68}, 174, back, &err));
	assert_memory_equal(back, e, sizeof e);
	/* a shard one byte shorter: the last entry overlaps the index */
	assert_int_equal(zinc_shard_index_decode(sh, t.s, s44, (zinc_bytes){out.p + 6, 68}, 173, back, &err),
			 ZINC_E_CORRUPT);
	assert_string_equal(err.codec, "sharding_indexed");
	assert_int_equal(zinc_shard_index_decode(sh, t.s, s44, (zinc_bytes){out.p + 6, 67}, 67, back, &err),
			 ZINC_E_CORRUPT);
	out.p[10] ^= 1;
	err = (zinc_error)ZINC_ERROR_INIT;
	assert_int_equal(zinc_shard_index_decode(sh, t.s, s44, (zinc_bytes){out.p + 6, 68}, 174, back, &err),
			 ZINC_E_CHECKSUM);
	assert_string_equal(err.codec, "crc32c");
	zinc_buf_fini(&out);
	chain_fini(&t);
}

/* Units that can be read alone: through shards, as long as each is open, in axes of the array. */
static void
units(void **state)
{
	const uint64_t shape[] = {8, 16, ENDED};
	static const struct {
		const char *codecs;
		bool open;
		uint64_t unit[2];
	} v[] = {
	    {"[\"bytes\"]", false, {8, 16}},
	    {"[" SHARDING("\"chunk_shape\":[4,8],\"codecs\":[\"bytes\"]," INDEX) "]", true, {4, 8}},
	    {"[" SHARDING("\"chunk_shape\":[4,8],\"codecs\":[\"bytes\"]," INDEX) ",\"crc32c\"]", false, {8, 16}},
	    {"[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," SHARDING(
		 "\"chunk_shape\":[8,4],\"codecs\":[\"bytes\"]," INDEX) "]",
	     true,
	     {4, 8}},
	    {"[" SHARDING("\"chunk_shape\":[4,8],\"codecs\":[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]"
			  "}}," SHARDING("\"chunk_shape\":[2,4],\"codecs\":[\"bytes\"]," INDEX) "]," INDEX) "]",
	     true,
	     {4, 2}},
	    {"[" SHARDING("\"chunk_shape\":[4,8],\"codecs\":[" SHARDING(
		 "\"chunk_shape\":[2,2],\"codecs\":[\"bytes\"]," INDEX) ",\"crc32c\"]," INDEX) "]",
	     true,
	     {4, 8}},
	};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(v); i++) {
		assert_ok(chain_init(&t, NULL, v[i].codecs, "uint8", shape, NULL, true, &err));
		assert_int_equal(t.chain->open_shard, v[i].open);
		assert_int_equal(t.chain->unit_shape[0], v[i].unit[0]);
		assert_int_equal(t.chain->unit_shape[1], v[i].unit[1]);
		chain_fini(&t);
	}
}

/* ---- damage ---- */

/* With checksums inside and on the index, only damage in gaps is undetected, and here are none. */
static void
damage(void **state)
{
	const uint8_t in[] = {1, 1, 9, 9, 1, 2, 9, 9, 3, 3, 4, 4, 3, 5, 4, 6}, fill = 9;
	static const char *const codecs[] = {
	    "[" SHARDING("\"chunk_shape\":[2,2],\"codecs\":[\"bytes\",\"crc32c\"]," INDEX) "]",
	    "[" SHARDING("\"chunk_shape\":[2,2],\"codecs\":[\"bytes\",\"crc32c\"]," INDEX
			 ",\"index_location\":\"start\"") "]",
	    "[" SHARDING("\"chunk_shape\":[4,2],\"codecs\":[" SHARDING(
		"\"chunk_shape\":[2,2],\"codecs\":[\"bytes\",\"crc32c\"]," INDEX) "]," INDEX) "]",
	    "[" SHARDING(S22) "]",
	    "[" SHARDING(S22 ",\"index_codecs\":[" BIG "]") "]",
	};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	size_t i, unnoticed;

	(void)state;
	for (i = 0; i < COUNT(codecs); i++) {
		assert_ok(chain_init(&t, NULL, codecs[i], "uint8", s44, &fill, false, &err));
		assert_ok(chain_encode(&t, in, &err));
		unnoticed = chain_damage(&t, t.out.p, t.out.n, in);
		if (i < 3)
			assert_int_equal(unnoticed, 0);
		chain_fini(&t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(configuration), cmocka_unit_test(too_many_dimensions),
	    cmocka_unit_test(empty_shard),   cmocka_unit_test(layouts),
	    cmocka_unit_test(entries),       cmocka_unit_test(short_shards),
	    cmocka_unit_test(old_spellings), cmocka_unit_test(index_alone),
	    cmocka_unit_test(units),         cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
