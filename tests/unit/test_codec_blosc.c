/*
 * test_codec_blosc.c - Blosc-1 containers: M76-M82, and the promises of codec_blosc.c, by number
 *
 * Rules of the drafts: 22-160+.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/chains.h"
#include "support/sweep.h"
#include "support/random.h"
#include "support/test.h"

#define LITTLE               "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define BLOSC(configuration) "[" LITTLE ", {\"name\": \"blosc\", \"configuration\": {" configuration "}}]"
#define LZ4                  "\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": \"shuffle\", \"typesize\": 4, \"blocksize\": 0"
#define CHAIN                BLOSC(LZ4)

static const char *const cnames[] = {"lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib"};
static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
static const uint64_t n64[] = {64, ENDED}, n4[] = {4, ENDED};

/* The numbers 0 to 63 as u32, byte-shuffled: 64 low bytes, then 192 zeros.  One container of each format. */
static const char *const golden[] = {
    /* lz4: token, 69 literals, match */
    "02013104 00010000 00010000 68000000 14000000 50000000 ff360001 02030405 06070809 0a0b0c0d 0e0f1011 12131415"
    "16171819 1a1b1c1d 1e1f2021 22232425 26272829 2a2b2c2d 2e2f3031 32333435 36373839 3a3b3c3d 3e3f0000 00000005"
    "00a35000 00000000",
    /* blosclz */
    "02011104 00010000 00010000 62000000 14000000 4a000000 3f000102 03040506 0708090a 0b0c0d0e 0f101112 13141516"
    "1718191a 1b1c1d1e 1f1f2021 22232425 26272829 2a2b2c2d 2e2f3031 32333435 36373839 3a3b3c3d 3e3f0000 e0b40001"
    "0000",
    /* zstd */
    "02019104 00010000 00010000 6b000000 14000000 53000000 28b52ffd 6000004d 02001404 00010203 04050607 08090a0b"
    "0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f 20212223 24252627 28292a2b 2c2d2e2f 30313233 34353637 38393a3b"
    "3c3d3e3f 00010001 8f0251",
    /* snappy */
    "02015104 00010000 00010000 69000000 14000000 51000000 8002f043 00010203 04050607 08090a0b 0c0d0e0f 10111213"
    "14151617 18191a1b 1c1d1e1f 20212223 24252627 28292a2b 2c2d2e2f 30313233 34353637 38393a3b 3c3d3e3f 00000000"
    "fe0300fe 0300ee03 00",
    /* zlib */
    "02017104 00010000 00010000 63000000 14000000 4b000000 785e6360 64626661 6563e7e0 e4e2e6e1 e5e31710 14121611"
    "15139790 94929691 95935750 54525651 5553d7d0 d4d2d6d1 d5d33730 34323631 3533b7b0 b4b2b6b1 b5b36718 e2000093"
    "fa07e1",
};
#define STORED "02013304 10000000 10000000 20000000 00000000 01000000 02000000 03000000"

static void
decodes(const char *hex, const uint64_t *shape, zinc_status st)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t bytes[256];
	uint32_t back[64] = {0}, i;
	size_t n = unhex(hex, bytes, sizeof bytes);
	chain_case t;

	assert_ok(chain_init(&t, NULL, CHAIN, "uint32", shape, NULL, true, &err));
	assert_int_equal(chain_decode(&t, bytes, n, back, &err), st);
	if (st != ZINC_OK)
		assert_string_equal(err.codec, "blosc");
	for (i = 0; st == ZINC_OK && i < shape[0]; i++)
		assert_int_equal(back[i], i);
	chain_fini(&t);
}

/* M82, (5): the container, not the configuration, determines how it is decoded. */
static void
containers(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(golden); i++)
		decodes(golden[i], n64, ZINC_OK);
	decodes(STORED, n4, ZINC_OK); /* (2) */
}

/* (1) */
static void
headers(void **state)
{
	(void)state;
	decodes("", n4, ZINC_E_CORRUPT);
	decodes("02013304 10000000 10000000 200000", n4, ZINC_E_CORRUPT);
	decodes(STORED "00", n4, ZINC_E_CORRUPT);
	decodes(STORED, n64, ZINC_E_CORRUPT);
	/* version, Blosc 2, the reserved flag, typesize */
	decodes("03013304 10000000 10000000 20000000 00000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013704 10000000 10000000 20000000 00000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013b04 10000000 10000000 20000000 00000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013300 10000000 10000000 20000000 00000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	/* nbytes, cbytes, both more than there can be, stored bytes of another length */
	decodes("02013304 11000000 10000000 20000000 00000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013304 10000000 10000000 21000000 00000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013304 ffffffff 10000000 20000000 00000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013304 10000000 10000000 ffffffff 00000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013304 10000000 10000000 1c000000 00000000 01000000 02000000", n4, ZINC_E_CORRUPT);
	/* not stored: block size 0, beyond nbytes, compressor 5, which there is not, no room for the block's start */
	decodes("02013104 10000000 00000000 20000000 14000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013104 10000000 11000000 20000000 14000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("0201b104 10000000 10000000 20000000 14000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
	decodes("02013104 10000000 10000000 10000000", n4, ZINC_E_CORRUPT);
	decodes("02013104 10000000 01000000 20000000 14000000 01000000 02000000 03000000", n4, ZINC_E_CORRUPT);
}

static uint32_t *
make_elements(size_t n)
{
	uint32_t *p = (uint32_t *)malloc(n * sizeof *p);
	size_t i;

	assert_non_null(p);
	random_seed(1);
	for (i = 0; i < n; i++)
		p[i] = (uint32_t)i * 3 + (uint32_t)(random_bits() >> 60);
	return p;
}

/* Every compressor with every shuffle, level 0 and 9, blocks given and chosen; again the same bytes. */
static void
all_of_them(void **state)
{
	enum { N = 30000 };
	const uint64_t shape[] = {N, ENDED};
	uint32_t *in = make_elements(N);
	zinc_error err = ZINC_ERROR_INIT;
	char codecs[300];
	uint8_t *first;
	chain_case t;
	size_t i, n;

	(void)state;
	for (i = 0; i < 6 * 3 * 4; i++) {
		snprintf(
		    codecs, sizeof codecs,
		    BLOSC("\"cname\": \"%s\", \"clevel\": %d, \"shuffle\": \"%s\", \"typesize\": 4, \"blocksize\": %d"),
		    cnames[i % 6],
		    i / 18 % 2 ? 9
		    : i / 36   ? 1
			       : 0,
		    shuffles[i / 6 % 3], i / 36 ? 4096 : 0);
		chain_roundtrip(codecs, "uint32", shape, NULL, in);
		assert_ok(chain_init(&t, NULL, codecs, "uint32", shape, NULL, true, &err));
		assert_ok(chain_encode(&t, in, &err));
		n = t.out.n;
		first = (uint8_t *)malloc(n);
		assert_non_null(first);
		memcpy(first, t.out.p, n);
		assert_ok(chain_encode(&t, in, &err));
		assert_int_equal(t.out.n, n);
		assert_memory_equal(t.out.p, first, n);
		free(first);
		chain_fini(&t);
	}
	free(in);
}

/* Odd sizes: nothing, one byte, types that do not divide the bytes, types larger than a header can represent. */
static void
odd_sizes(void **state)
{
	static const char *const typesizes[] = {"1", "3", "7", "255", "256", "4294967296"};
	uint8_t in[1000];
	char codecs[300];
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i / 3);
	for (i = 0; i < COUNT(typesizes); i++)
		for (n = 0; n <= 1000; n = n * 3 + 1) {
			const uint64_t shape[] = {n, ENDED};

			snprintf(codecs, sizeof codecs,
				 BLOSC("\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": \"%s\", \"typesize\": %s, "
				       "\"blocksize\": 9223372036854775807"),
				 n % 2 ? "shuffle" : "bitshuffle", typesizes[i]);
			chain_roundtrip(codecs, "uint8", shape, NULL, in);
		}
}

/* (3) The first elements only; damage in later blocks does not matter to them. */
static void
early(void **state)
{
	enum { N = 100000 };
	static const uint64_t need[] = {1, 3, 1000, 1024, 1025, N / 2, N - 1, N};
	const uint64_t shape[] = {N, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint32_t *in = make_elements(N);
	zinc_view view;
	chain_case t;
	size_t i;

	(void)state;
	assert_ok(chain_init(
	    &t, NULL,
	    BLOSC("\"cname\": \"zlib\", \"clevel\": 5, \"shuffle\": \"shuffle\", \"typesize\": 4, \"blocksize\": 4096"),
	    "uint32", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	for (i = 0; i < COUNT(need); i++) {
		assert_ok(
		    zinc_chain_decode(t.chain, t.s, shape, (zinc_bytes){t.out.p, t.out.n}, NULL, need[i], &view, &err));
		assert_memory_equal(view.p, in, need[i] * sizeof *in);
	}
	memset(t.out.p + t.out.n - 5000, 0x55, 5000);
	assert_ok(zinc_chain_decode(t.chain, t.s, shape, (zinc_bytes){t.out.p, t.out.n}, NULL, N / 2, &view, &err));
	assert_memory_equal(view.p, in, N / 2 * sizeof *in);
	assert_int_equal(zinc_chain_decode(t.chain, t.s, shape, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &view, &err),
			 ZINC_E_CORRUPT);
	chain_fini(&t);
	free(in);
}

/* Every bit and every prefix of a container of each compressor, whole and in part. */
static void
damage(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint32_t in[64];
	uint8_t bytes[256];
	zinc_view view;
	chain_case t;
	size_t i, j, n;

	(void)state;
	for (i = 0; i < 64; i++)
		in[i] = (uint32_t)i;
	assert_ok(chain_init(&t, NULL, CHAIN, "uint32", n64, NULL, true, &err));
	for (i = 0; i < COUNT(golden); i++) {
		n = unhex(golden[i], bytes, sizeof bytes);
		chain_damage(&t, bytes, n, in);
		for (j = 0; j < 8 * n; j++) {
			bytes[j / 8] ^= (uint8_t)(1 << j % 8);
			(void)!zinc_chain_decode(t.chain, t.s, n64, (zinc_bytes){bytes, n}, NULL, 3, &view, &err);
			bytes[j / 8] ^= (uint8_t)(1 << j % 8);
		}
	}
	chain_fini(&t);
}

static void
finds(const char *configuration, zinc_status st, const char *rule, const char *pointer)
{
	char codecs[400];

	snprintf(codecs, sizeof codecs, BLOSC("%s"), configuration);
	chain_finds(codecs, "uint32", n4, st, rule, pointer);
}

static void
configuration(void **state)
{
	(void)state;
	chain_finds("[" LITTLE ", \"blosc\"]", "uint32", n4, ZINC_E_CORRUPT, "M14", "/1");
	chain_finds("[" LITTLE ", {\"name\": \"blosc\"}]", "uint32", n4, ZINC_E_CORRUPT, "M76", "/1");
	finds("\"cname\": \"lz5\", \"clevel\": 5, \"shuffle\": \"noshuffle\", \"blocksize\": 0", ZINC_E_CORRUPT, "M76",
	      "/1/configuration/cname");
	finds("\"cname\": 1, \"clevel\": 5, \"shuffle\": \"noshuffle\", \"blocksize\": 0", ZINC_E_CORRUPT, "M76",
	      "/1/configuration/cname");
	finds("\"cname\": \"lz4\", \"clevel\": 10, \"shuffle\": \"noshuffle\", \"blocksize\": 0", ZINC_E_CORRUPT, "M77",
	      "/1/configuration/clevel");
	finds("\"cname\": \"lz4\", \"shuffle\": \"noshuffle\", \"blocksize\": 0", ZINC_E_CORRUPT, "M77",
	      "/1/configuration");
	finds("\"cname\": \"lz4\", \"clevel\": 1, \"shuffle\": 1, \"typesize\": 4, \"blocksize\": 0", ZINC_E_CORRUPT,
	      "M78", "/1/configuration/shuffle");
	finds("\"cname\": \"lz4\", \"clevel\": 1, \"shuffle\": \"byte\", \"typesize\": 4, \"blocksize\": 0",
	      ZINC_E_CORRUPT, "M78", "/1/configuration/shuffle");
	finds("\"cname\": \"lz4\", \"clevel\": 1, \"shuffle\": \"shuffle\", \"typesize\": 0, \"blocksize\": 0",
	      ZINC_E_CORRUPT, "M79", "/1/configuration/typesize");
	finds("\"cname\": \"lz4\", \"clevel\": 1, \"shuffle\": \"bitshuffle\", \"blocksize\": 0", ZINC_E_CORRUPT, "M79",
	      "/1/configuration");
	finds("\"cname\": \"lz4\", \"clevel\": 1, \"shuffle\": \"noshuffle\", \"typesize\": -1, \"blocksize\": 0",
	      ZINC_E_CORRUPT, "M79", "/1/configuration/typesize");
	finds("\"cname\": \"lz4\", \"clevel\": 1, \"shuffle\": \"noshuffle\", \"blocksize\": -1", ZINC_E_CORRUPT, "M80",
	      "/1/configuration/blocksize");
	finds("\"cname\": \"lz4\", \"clevel\": 1, \"shuffle\": \"noshuffle\"", ZINC_E_CORRUPT, "M80",
	      "/1/configuration");
	finds(LZ4 ", \"id\": \"blosc\"", ZINC_OK, "M76", "/1/configuration/id");
}

/* Not shuffled, no typesize: nothing is missed, and nothing is invented when it is printed. */
static void
without_typesize(void **state)
{
	const uint32_t in[] = {1, 2, 3, 4};

	(void)state;
	chain_roundtrip(BLOSC("\"cname\": \"zstd\", \"clevel\": 1, \"shuffle\": \"noshuffle\", \"blocksize\": 0"),
			"uint32", n4, NULL, in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(containers),    cmocka_unit_test(headers),
	    cmocka_unit_test(all_of_them),   cmocka_unit_test(odd_sizes),
	    cmocka_unit_test(early),         cmocka_unit_test(damage),
	    cmocka_unit_test(configuration), cmocka_unit_test(without_typesize),
	};

	return zinc_codec_blosc.bytes ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
