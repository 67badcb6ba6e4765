/*
 * test_codec_zstd.c - Zstandard frames: the promises of codec_zstd.c, by number
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/sweep.h"
#include "support/random.h"
#include "support/test.h"

#define ZSTD(level) "{\"name\": \"zstd\", \"configuration\": {\"level\": " level "}}"
#define CHAIN       "[\"bytes\", " ZSTD("3") "]"

/* Frames by hand: single segment with size; window of 1 KiB without size; raw blocks (size << 3 | last). */
#define HELLO         "28b52ffd 20 05 290000 68656c6c6f"
#define HELLO_NO_SIZE "28b52ffd 00 00 290000 68656c6c6f"
#define SKIP          "502a4d18 03000000 aabbcc"
#define SKIP_EMPTY    "5f2a4d18 00000000"
#define NOTHING       "28b52ffd 20 00 010000"
/* 300 times 'a', with a checksum */
#define A300 "28b52ffd 642c004d 00001061 61010027 2ac002c7 cfcfb9"

static const uint64_t five[] = {5, ENDED}, ten[] = {10, ENDED}, many[] = {300, ENDED};

static void
decodes_to(const char *hex, const uint64_t *shape, const char *text, zinc_status st)
{
	codec_decodes(CHAIN, "uint8", shape, hex, st, text);
}

/* (1) */
static void
frames(void **state)
{
	char a300[300];

	(void)state;
	memset(a300, 'a', sizeof a300);
	decodes_to(HELLO, five, "hello", ZINC_OK);
	decodes_to(HELLO_NO_SIZE, five, "hello", ZINC_OK);
	decodes_to(HELLO HELLO_NO_SIZE, ten, "hellohello", ZINC_OK);
	decodes_to(SKIP HELLO NOTHING SKIP_EMPTY HELLO SKIP, ten, "hellohello", ZINC_OK);
	decodes_to(A300, many, a300, ZINC_OK);
	/* sizes, leftovers, no frame with data */
	decodes_to(HELLO, ten, "", ZINC_E_CORRUPT);
	decodes_to(HELLO_NO_SIZE, ten, "", ZINC_E_CORRUPT);
	decodes_to(HELLO HELLO, five, "", ZINC_E_CORRUPT);
	decodes_to(HELLO_NO_SIZE HELLO_NO_SIZE, five, "", ZINC_E_CORRUPT);
	decodes_to(HELLO "00", five, "", ZINC_E_CORRUPT);
	decodes_to(HELLO "0000000000", five, "", ZINC_E_CORRUPT);
	decodes_to(HELLO "502a4d18 04000000 aabbcc", five, "", ZINC_E_CORRUPT);
	decodes_to(SKIP, five, "", ZINC_E_CORRUPT);
	decodes_to("", five, "", ZINC_E_CORRUPT);
	/* a wrong size, a reserved flag, a dictionary, the format of version 0.8 */
	decodes_to("28b52ffd 20 06 290000 68656c6c6f", five, "", ZINC_E_CORRUPT);
	decodes_to("28b52ffd 28 05 290000 68656c6c6f", five, "", ZINC_E_CORRUPT);
	decodes_to("28b52ffd 21 07 05 290000 68656c6c6f", five, "", ZINC_E_CORRUPT);
	decodes_to("27b52ffd 20 05 290000 68656c6c6f", five, "", ZINC_E_CORRUPT);
	/* a wrong checksum */
	decodes_to("28b52ffd 642c004d 00001061 61010027 2ac002c7 cfcfb8", many, "", ZINC_E_CHECKSUM);
}

/* Only frames with data count as such. */
static void
no_elements(void **state)
{
	const uint64_t none[] = {0, ENDED};

	(void)state;
	decodes_to(NOTHING, none, "", ZINC_OK);
	decodes_to(SKIP NOTHING, none, "", ZINC_OK);
	decodes_to(SKIP, none, "", ZINC_E_CORRUPT);
	decodes_to("", none, "", ZINC_E_CORRUPT);
}

/* A chunk of `n` elements that compress a little; the caller frees. */
static uint32_t *
make_elements(size_t n)
{
	uint32_t *p = (uint32_t *)malloc(n * sizeof *p);
	size_t i;

	assert_non_null(p);
	random_seed(1);
	for (i = 0; i < n; i++)
		p[i] = (uint32_t)(random_bits() >> 52);
	return p;
}

#define LITTLE "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"

/* (4) Every kind of level, with other work of the same context in between. */
static void
levels(void **state)
{
	static const char *const level[] = {"-131072", "-5", "-1", "0", "1", "3", "9", "19", "22"};
	const uint64_t shape[] = {5000, ENDED}, small[] = {50, ENDED};
	uint32_t *in = make_elements(5000), back[5000];
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t, between;
	char codecs[200];
	uint8_t *first;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(level); i++) {
		snprintf(codecs, sizeof codecs,
			 "[" LITTLE ", {\"name\": \"zstd\", \"configuration\": {\"level\": %s, \"checksum\": %s}}]",
			 level[i], i % 2 ? "true" : "false");
		assert_ok(chain_init(&t, NULL, codecs, "uint32", shape, NULL, true, &err));
		assert_ok(chain_encode(&t, in, &err));
		assert_int_equal(!(t.out.p[4] & 4), i % 2 == 0);
		n = t.out.n;
		first = (uint8_t *)malloc(n);
		assert_non_null(first);
		memcpy(first, t.out.p, n);
		assert_ok(chain_init(&between, NULL, "[" LITTLE ", " ZSTD("7") "]", "uint32", small, NULL, true, &err));
		zinc_scratch_put(between.s);
		between.s = t.s;
		assert_ok(chain_encode(&between, in + 7, &err));
		between.s = NULL;
		chain_fini(&between);
		assert_ok(chain_encode(&t, in, &err));
		assert_int_equal(t.out.n, n);
		assert_memory_equal(t.out.p, first, n);
		assert_ok(chain_decode(&t, first, n, back, &err));
		assert_memory_equal(back, in, sizeof back);
		free(first);
		chain_fini(&t);
	}
	free(in);
}

/* Decode the first `need` elements only, and compare them. */
static void
decode_some(chain_case *t, const uint8_t *bytes, size_t n, const uint32_t *in, uint64_t need)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_view view;

	assert_ok(
	    zinc_chain_decode(t->chain, t->s, t->chain->rep.shape, (zinc_bytes){bytes, n}, NULL, need, &view, &err));
	assert_memory_equal(view.p, in, need * sizeof *in);
}

/* (2) Damage after the last needed byte is detected only if all is decoded; with a checksum always. */
static void
early(void **state)
{
	enum { N = 200000 };
	const uint64_t shape[] = {N, ENDED};
	static const uint64_t need[] = {1, 2, 1000, N / 10, N / 2, N - 1, N};
	uint32_t *in = make_elements(N);
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	zinc_view view;
	size_t i;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[" LITTLE ", " ZSTD("3") "]", "uint32", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	for (i = 0; i < COUNT(need); i++)
		decode_some(&t, t.out.p, t.out.n, in, need[i]);
	t.out.p[t.out.n - 300] ^= 0x55;
	t.out.p[t.out.n - 200] ^= 0x55;
	decode_some(&t, t.out.p, t.out.n, in, N / 10);
	assert_true(zinc_chain_decode(t.chain, t.s, shape, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &view, &err) !=
			ZINC_OK ||
		    memcmp(view.p, in, N * sizeof *in) != 0);
	chain_fini(&t);
	assert_ok(chain_init(
	    &t, NULL, "[" LITTLE ", {\"name\": \"zstd\", \"configuration\": {\"level\": 3, \"checksum\": true}}]",
	    "uint32", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	decode_some(&t, t.out.p, t.out.n, in, 10);
	t.out.p[t.out.n - 1] ^= 1;
	assert_int_equal(zinc_chain_decode(t.chain, t.s, shape, (zinc_bytes){t.out.p, t.out.n}, NULL, 10, &view, &err),
			 ZINC_E_CHECKSUM);
	chain_fini(&t);
	free(in);
}

/* (2) Several frames: whole ones, and the one that contains the last needed byte. */
static void
early_frames(void **state)
{
	enum { N = 1000 };
	const uint64_t shape[] = {N, ENDED}, all_shape[] = {4 * N, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint32_t *in = make_elements(4 * N);
	chain_case part, t;
	uint64_t need;
	zinc_buf all;
	int i;

	(void)state;
	zinc_buf_init(&all, NULL, SIZE_MAX);
	assert_ok(chain_init(&part, NULL, "[" LITTLE ", " ZSTD("3") "]", "uint32", shape, NULL, true, &err));
	for (i = 0; i < 4; i++) {
		assert_ok(chain_encode(&part, in + i * N, &err));
		assert_ok(zinc_buf_add(&all, part.out.p, part.out.n, &err));
	}
	chain_fini(&part);
	assert_ok(chain_init(&t, NULL, "[" LITTLE ", " ZSTD("3") "]", "uint32", all_shape, NULL, true, &err));
	for (need = 1; need <= 4 * N; need += need < 3 || need % N > N - 3 ? 1 : 499)
		decode_some(&t, all.p, all.n, in, need);
	chain_fini(&t);
	zinc_buf_fini(&all);
	free(in);
}

/* (3) 10 GB of zeros in 320 KB: run-length blocks of 128 KiB.  With and without the size in the header. */
static void
bombs(void **state)
{
	enum { BLOCKS = 81920 };
	static const uint8_t no_size[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38};
	static const uint8_t size[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0x38, 0, 0, 0, 0x80, 2, 0, 0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	uint8_t back[512];
	zinc_buf bomb;
	sweep_memory m;
	chain_case t;
	int with, i;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	for (with = 0; with < 2; with++) {
		zinc_buf_init(&bomb, NULL, SIZE_MAX);
		assert_ok(zinc_buf_add(&bomb, with ? size : no_size, with ? sizeof size : sizeof no_size, &err));
		for (i = 0; i < BLOCKS; i++) { /* size << 3 | run-length << 1 | last */
			const uint32_t head = 131072u << 3 | 2 | (i == BLOCKS - 1);
			const uint8_t block[] = {(uint8_t)head, (uint8_t)(head >> 8), (uint8_t)(head >> 16), 0};

			assert_ok(zinc_buf_add(&bomb, block, sizeof block, &err));
		}
		assert_ok(chain_init(&t, ctx, CHAIN, "uint8", many, NULL, true, &err));
		assert_int_equal(chain_decode(&t, bomb.p, bomb.n, back, &err), ZINC_E_CORRUPT);
		chain_fini(&t);
		assert_ok(
		    chain_init(&t, ctx, "[\"bytes\", " ZSTD("1") ", " ZSTD("1") "]", "uint8", many, NULL, true, &err));
		assert_int_equal(chain_decode(&t, bomb.p, bomb.n, back, &err), ZINC_E_CORRUPT);
		chain_fini(&t);
		zinc_buf_fini(&bomb);
	}
	assert_true(m.peak < 4 << 20);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

static void
damage(void **state)
{
	const uint64_t shape[] = {60, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint32_t *in = make_elements(60);
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[" LITTLE ", " ZSTD("3") "]", "uint32", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	chain_damage(&t, t.out.p, t.out.n, in); /* without a checksum some of it cannot be detected */
	chain_fini(&t);
	assert_ok(chain_init(
	    &t, NULL, "[" LITTLE ", {\"name\": \"zstd\", \"configuration\": {\"level\": 3, \"checksum\": true}}]",
	    "uint32", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	/* only the flag that says there is a checksum can turn it off, and then its bytes are left over */
	assert_int_equal(chain_damage(&t, t.out.p, t.out.n, in), 0);
	chain_fini(&t);
	free(in);
}

static void
configuration(void **state)
{
	(void)state;
	chain_finds("[\"bytes\", \"zstd\"]", "uint8", five, ZINC_E_CORRUPT, "M14", "/1");
	chain_finds("[\"bytes\", {\"name\": \"zstd\", \"configuration\": {}}]", "uint8", five, ZINC_E_CORRUPT, "zstd",
		    "/1/configuration");
	chain_finds("[\"bytes\", " ZSTD("23") "]", "uint8", five, ZINC_E_CORRUPT, "zstd", "/1/configuration/level");
	chain_finds("[\"bytes\", " ZSTD("-131073") "]", "uint8", five, ZINC_E_CORRUPT, "zstd",
		    "/1/configuration/level");
	chain_finds("[\"bytes\", " ZSTD("1e0") "]", "uint8", five, ZINC_E_CORRUPT, "zstd", "/1/configuration/level");
	chain_finds("[\"bytes\", {\"name\": \"zstd\", \"configuration\": {\"level\": 1, \"checksum\": 1}}]", "uint8",
		    five, ZINC_E_CORRUPT, "zstd", "/1/configuration/checksum");
	chain_finds("[\"bytes\", {\"name\": \"zstd\", \"configuration\": {\"level\": 1, \"window\": 1}}]", "uint8",
		    five, ZINC_OK, "zstd", "/1/configuration/window");
}

/* (5) Memory is ours, and none is taken from the second chunk on, whole or in part. */
static void
warm(void **state)
{
	enum { N = 100000 };
	const uint64_t shape[] = {N, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint32_t *in = make_elements(N);
	zinc_context *ctx = NULL;
	sweep_memory m;
	chain_case t;
	int i;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx, "[" LITTLE ", " ZSTD("3") "]", "uint32", shape, NULL, true, &err));
	for (i = 0; i < 6; i++) {
		if (i == 1) {
			assert_true(m.calls > 10);
			sweep_memory_fail(&m, 0, false);
		}
		assert_ok(chain_encode(&t, in, &err));
		decode_some(&t, t.out.p, t.out.n, in, N);
		decode_some(&t, t.out.p, t.out.n, in, N / 3);
	}
	assert_int_equal(m.calls, 0);
	chain_fini(&t);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
	free(in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames), cmocka_unit_test(no_elements),   cmocka_unit_test(levels),
	    cmocka_unit_test(early),  cmocka_unit_test(early_frames),  cmocka_unit_test(bombs),
	    cmocka_unit_test(damage), cmocka_unit_test(configuration), cmocka_unit_test(warm),
	};

	return zinc_codec_zstd.bytes ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
