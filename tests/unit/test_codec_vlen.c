/*
 * test_codec_vlen.c - the promises of codec_vlen.c, by number; the bytes are output of numcodecs
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/chains.h"
#include "support/codecs.h"
#include "support/sweep.h"
#include "support/test.h"

#define UTF8  "[\"vlen-utf8\"]"
#define BYTES "[\"vlen-bytes\"]"
#define TEXT(s)                                                                                                        \
	{                                                                                                              \
		s, sizeof(s) - 1                                                                                       \
	}

static const zinc_vlen words[] = {TEXT("a"), TEXT(""), TEXT("\xc3\xa9")};
static const uint64_t three[] = {3, ENDED};

static void
assert_words(const zinc_vlen *got, const zinc_vlen *want, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		assert_int_equal(got[i].nbytes, want[i].nbytes);
		assert_memory_equal(got[i].data, want[i].data, (size_t)want[i].nbytes);
	}
}

static void
vectors(void **state)
{
	static const zinc_vlen binary[] = {TEXT("a"), TEXT(""), TEXT("\xff\0")};
	static const struct {
		const char *codec, *dtype;
		const zinc_vlen *elements;
		const char *hex;
	} rows[] = {
	    {UTF8, "string", words, "03000000 01000000 61 00000000 02000000 c3a9"},
	    {BYTES, "bytes", binary, "03000000 01000000 61 00000000 02000000 ff00"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[3];
	uint8_t want[64];
	chain_case t;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		n = unhex(rows[i].hex, want, sizeof want);
		assert_ok(chain_init(&t, NULL, rows[i].codec, rows[i].dtype, three, NULL, true, &err));
		assert_false(t.chain->fixed_size);
		assert_int_equal(zinc_chain_plain(t.chain), 0);
		assert_ok(chain_encode(&t, rows[i].elements, &err));
		assert_int_equal(t.out.n, n);
		assert_memory_equal(t.out.p, want, n);
		assert_ok(chain_decode(&t, want, n, back, &err));
		assert_words(back, rows[i].elements, 3);
		chain_fini(&t);
	}
}

/* Elements survive being encoded again, with every codec before and after that moves bytes between buffers. */
static void
round_trips(void **state)
{
	static const char *const chains[] = {
	    UTF8,
	    "[\"vlen-utf8\", {\"name\": \"gzip\", \"configuration\": {\"level\": 1}}]",
	    "[\"vlen-utf8\", {\"name\": \"zstd\", \"configuration\": {\"level\": 1}}, \"crc32c\"]",
	    "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, \"vlen-utf8\", \"crc32c\"]",
	    "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, \"vlen-utf8\", {\"name\": \"gzip\", "
	    "\"configuration\": {\"level\": 1}}]",
	    "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 1], \"codecs\": "
	    "[\"vlen-utf8\", "
	    "{\"name\": \"gzip\", \"configuration\": {\"level\": 1}}], \"index_codecs\": [{\"name\": \"bytes\", "
	    "\"configuration\": {\"endian\": \"big\"}}]}}, {\"name\": \"gzip\", \"configuration\": {\"level\": 1}}]",
	    "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, {\"name\": \"sharding_indexed\", "
	    "\"configuration\": {\"chunk_shape\": [1, 2], \"codecs\": [{\"name\": \"sharding_indexed\", "
	    "\"configuration\": "
	    "{\"chunk_shape\": [1, 1], \"codecs\": [\"vlen-utf8\"], \"index_codecs\": [{\"name\": \"bytes\", "
	    "\"configuration\": {\"endian\": \"little\"}}]}}, \"crc32c\"], \"index_codecs\": [{\"name\": \"bytes\", "
	    "\"configuration\": {\"endian\": \"little\"}}]}}, \"crc32c\"]",
	};
	static const zinc_vlen table[] = {TEXT("one"),       TEXT("zwei"), TEXT("trois"),
					  TEXT("v\xc3\xa9"), TEXT(""),     TEXT("-")};
	static const uint64_t shape[] = {2, 3, ENDED};
	const zinc_vlen fill = TEXT("-");
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *first;
	zinc_vlen back[6];
	chain_case t;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(chains); i++) {
		assert_ok(chain_init(&t, NULL, chains[i], "string", shape, &fill, true, &err));
		assert_ok(chain_encode(&t, table, &err));
		n = t.out.n;
		first = malloc(n);
		assert_non_null(first);
		memcpy(first, t.out.p, n);
		assert_ok(chain_decode(&t, first, n, back, &err));
		assert_words(back, table, 6);
		assert_ok(chain_encode(&t, back, &err)); /* (3) from where decoding left them */
		assert_int_equal(t.out.n, n);
		assert_memory_equal(t.out.p, first, n);
		assert_words(back, table, 6);
		free(first);
		chain_fini(&t);
	}
}

/* (1) */
static void
damaged(void **state)
{
	static const char *const hex[] = {
	    "",
	    "030000",
	    "03000000",
	    "02000000 01000000 61 00000000",
	    "04000000 01000000 61 00000000 02000000 c3a9",
	    "04000000 01000000 61 00000000 02000000 c3a9 00000000",
	    "03000000 01000000 61 00000000 02000000 c3",
	    "03000000 01000000 61 00000000 020000",
	    "03000000 01000000 61 00000000 02000000 c3a9 00", /* one left over */
	    "03000000 ffffffff 61 00000000 02000000 c3a9",
	    "03000000 01000000 61 00000000 02000000 c328", /* no UTF-8 */
	    "03000000 01000000 61 00000000 03000000 eda080",
	    "ffffffff 01000000 61 00000000 02000000 c3a9",
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[3];
	uint8_t in[64];
	chain_case t;
	size_t i, n;

	(void)state;
	assert_ok(chain_init(&t, NULL, UTF8, "string", three, NULL, true, &err));
	for (i = 0; i < COUNT(hex); i++) {
		n = unhex(hex[i], in, sizeof in);
		assert_int_equal(chain_decode(&t, in, n, back, &err), ZINC_E_CORRUPT);
		assert_string_equal(err.codec, "vlen-utf8");
	}
	chain_fini(&t);
	/* bytes may be anything */
	assert_ok(chain_init(&t, NULL, BYTES, "bytes", three, NULL, true, &err));
	n = unhex("03000000 01000000 61 00000000 02000000 c328", in, sizeof in);
	assert_ok(chain_decode(&t, in, n, back, &err));
	chain_fini(&t);
}

/* (2) */
static void
refused(void **state)
{
	static const zinc_vlen wrong[] = {TEXT("a"), TEXT("\xff"), TEXT("b")};
	static const zinc_vlen missing[] = {TEXT("a"), {NULL, 3}, TEXT("b")};
	static const zinc_vlen huge[] = {TEXT("a"), {"", (uint64_t)1 << 32}, TEXT("b")};
	const zinc_limits limits = {.size = sizeof limits, .chunk_bytes = 64};
	static const zinc_vlen large[] = {TEXT("0123456789012345678901"), TEXT("0123456789012345678901"),
					  TEXT("012345678")};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, UTF8, "string", three, NULL, true, &err));
	assert_int_equal(chain_encode(&t, wrong, &err), ZINC_E_RANGE);
	assert_non_null(strstr(err.text, "element 1"));
	assert_int_equal(t.out.n, 0);
	assert_int_equal(chain_encode(&t, missing, &err), ZINC_E_INVALID);
	assert_int_equal(chain_encode(&t, huge, &err), ZINC_E_RANGE);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, BYTES, "bytes", three, NULL, true, &err));
	assert_ok(chain_encode(&t, wrong, &err));
	chain_fini(&t);
	/* 4 + 3 * 4 + 53 bytes */
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.limits = &limits), &err));
	assert_ok(chain_init(&t, ctx, BYTES, "bytes", three, NULL, true, &err));
	assert_int_equal(chain_encode(&t, large, &err), ZINC_E_LIMIT);
	chain_fini(&t);
	zinc_context_free(ctx);
}

static void
configurations(void **state)
{
	(void)state;
	chain_finds(UTF8, "bytes", three, ZINC_E_CORRUPT, "M65", "/0");
	chain_finds(UTF8, "int8", three, ZINC_E_CORRUPT, "M65", "/0");
	chain_finds(UTF8, "U4", three, ZINC_E_CORRUPT, "M65", "/0");
	chain_finds(BYTES, "string", three, ZINC_E_CORRUPT, "M65", "/0");
	chain_finds("[\"bytes\"]", "string", three, ZINC_E_CORRUPT, "M65", "/0");
	chain_finds("[{\"name\": \"vlen-utf8\", \"configuration\": {\"x\": 1}}]", "string", three, ZINC_OK, "vlen-utf8",
		    "/0/configuration/x");
	/* an index has numbers, and a fixed size */
	chain_finds(
	    "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1], \"codecs\": [\"vlen-utf8\"], "
	    "\"index_codecs\": [\"vlen-bytes\"]}}]",
	    "string", three, ZINC_E_CORRUPT, "M65", "/0/configuration/index_codecs/0");
}

/* The size that a chunk states is used only up to the limit. */
static void
bombs(void **state)
{
	const zinc_limits limits = {.size = sizeof limits, .chunk_bytes = 1 << 16};
	const char *zip = "[\"vlen-bytes\", {\"name\": \"zstd\", \"configuration\": {\"level\": 1}}]";
	const uint64_t one[] = {1, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_vlen v = {NULL, 1 << 20}, back;
	chain_case a, b;
	sweep_memory m;

	(void)state;
	v.data = calloc(1, 1 << 20);
	assert_non_null(v.data);
	if (chain_init(&a, NULL, zip, "bytes", one, NULL, true, &err) == ZINC_E_UNSUPPORTED) /* built without zstd */
		skip();
	assert_ok(chain_encode(&a, &v, &err));
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.limits = &limits, .allocator = &m.allocator), &err));
	assert_ok(chain_init(&b, ctx, zip, "bytes", one, NULL, true, &err));
	assert_int_equal(chain_decode(&b, a.out.p, a.out.n, &back, &err), ZINC_E_CORRUPT);
	assert_true(m.peak < 1 << 19);
	chain_fini(&b);
	zinc_context_free(ctx);
	chain_fini(&a);
	free((void *)(uintptr_t)v.data);
}

#define ARRAYS "[{\"name\": \"numcodecs.vlen-array\", \"configuration\": {\"dtype\": \"<i4\"}}]"

/* (4) The bytes are output of numcodecs: [1, -1], [], [7]. */
static void
arrays(void **state)
{
	static const zinc_vlen rows[] = {TEXT("\1\0\0\0\xff\xff\xff\xff"), TEXT(""), TEXT("\7\0\0\0")};
	static const zinc_vlen half[] = {TEXT("\1\0\0\0"), TEXT("\1\0"), TEXT("")};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[3];
	uint8_t in[64];
	chain_case t;
	size_t n;

	(void)state;
	n = unhex("03000000 08000000 01000000ffffffff 00000000 04000000 07000000", in, sizeof in);
	assert_ok(chain_init(&t, NULL, ARRAYS, "bytes", three, NULL, true, &err));
	assert_ok(chain_encode(&t, rows, &err));
	assert_int_equal(t.out.n, n);
	assert_memory_equal(t.out.p, in, n);
	assert_ok(chain_decode(&t, in, n, back, &err));
	assert_words(back, rows, 3);
	assert_int_equal(chain_encode(&t, half, &err), ZINC_E_RANGE);
	n = unhex("03000000 08000000 01000000ffffffff 00000000 03000000 070000", in, sizeof in);
	assert_int_equal(chain_decode(&t, in, n, back, &err), ZINC_E_CORRUPT);
	chain_fini(&t);
	/* without a type, as zarrs writes it, any bytes */
	assert_ok(chain_init(&t, NULL, "[{\"name\": \"numcodecs.vlen-array\"}]", "bytes", three, NULL, true, &err));
	assert_ok(chain_decode(&t, in, n, back, &err));
	chain_fini(&t);
	codec_prints(ARRAYS, "bytes", ARRAYS, "[{\"id\": \"vlen-array\", \"dtype\": \"<i4\"}]");
	codec_prints("[{\"name\": \"numcodecs.vlen-array\", \"configuration\": {\"dtype\": \">f8\"}}]", "bytes",
		     "[{\"name\": \"numcodecs.vlen-array\", \"configuration\": {\"dtype\": \">f8\"}}]",
		     "[{\"id\": \"vlen-array\", \"dtype\": \">f8\"}]");
	chain_finds(ARRAYS, "string", three, ZINC_E_CORRUPT, "M65", "/0/configuration");
	chain_finds("[{\"name\": \"numcodecs.vlen-array\", \"configuration\": {\"dtype\": 4}}]", "bytes", three,
		    ZINC_E_CORRUPT, "vlen-array", "/0/configuration/dtype");
	chain_finds("[{\"name\": \"numcodecs.vlen-array\", \"configuration\": {\"dtype\": \"<U4\"}}]", "bytes", three,
		    ZINC_E_UNSUPPORTED, "vlen-array", "/0/configuration/dtype");
}

/* Nothing is allocated from the second chunk on. */
static void
warm(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_view view;
	sweep_memory m;
	chain_case t;
	int i;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx, UTF8, "string", three, NULL, true, &err));
	for (i = 0; i < 5; i++) {
		if (i == 2)
			sweep_memory_fail(&m, 0, false);
		assert_ok(chain_encode(&t, words, &err));
		assert_ok(zinc_chain_decode(t.chain, t.s, three, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &view, &err));
	}
	assert_int_equal(m.calls, 0);
	chain_fini(&t);
	zinc_context_free(ctx);
}

static zinc_status
code(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t shape[] = {2, 3, ENDED};
	static const zinc_vlen table[] = {TEXT("one"),       TEXT("zwei"), TEXT("trois"),
					  TEXT("v\xc3\xa9"), TEXT(""),     TEXT("-")};
	zinc_vlen back[6];
	chain_case t;
	zinc_status st = chain_init(&t, ctx, arg, "string", shape, &table[5], true, err);

	if (st == ZINC_OK)
		st = chain_encode(&t, table, err);
	if (st == ZINC_OK)
		st = chain_decode(&t, t.out.p, t.out.n, back, err);
	if (st == ZINC_OK)
		assert_words(back, table, 6);
	chain_fini(&t);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static char shard[] =
	    "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 1], \"codecs\": "
	    "[\"vlen-utf8\", "
	    "\"crc32c\"], \"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}]}}, "
	    "\"crc32c\"]";

	(void)state;
	assert_true(sweep_alloc(code, shard) >= 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors), cmocka_unit_test(round_trips),    cmocka_unit_test(damaged),
	    cmocka_unit_test(refused), cmocka_unit_test(configurations), cmocka_unit_test(bombs),
	    cmocka_unit_test(arrays),  cmocka_unit_test(warm),           cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
