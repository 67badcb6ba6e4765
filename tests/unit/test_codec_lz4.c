/*
 * test_codec_lz4.c - LZ4 blocks preceded by their size: the promises of codec_lz4.c, by number
 */
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define LZ4(acceleration) "{\"name\": \"numcodecs.lz4\", \"configuration\": {\"acceleration\": " acceleration "}}"
#define CHAIN             "[\"bytes\", " LZ4("1") "]"

/* "hello" as five literals; thirteen times 'a' as one literal, a match of seven, and five literals. */
#define HELLO "05000000 50 68656c6c6f"
#define A13   "0d000000 13 61 0100 50 6161616161"

static const uint64_t five[] = {5, ENDED}, thirteen[] = {13, ENDED}, thousand[] = {1000, ENDED};

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.lz4");
}

/* (1) The size must be the expected one, and that of the decoded block. */
static void
sizes(void **state)
{
	(void)state;
	codec_decodes(CHAIN, "uint8", five, HELLO, ZINC_OK, "hello");
	codec_decodes(CHAIN, "uint8", thirteen, A13, ZINC_OK, "aaaaaaaaaaaaa");
	codec_decodes(CHAIN, "uint8", five, "04000000 50 68656c6c6f", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, "06000000 50 68656c6c6f", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, "ffffffff 50 68656c6c6f", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, "00000080 50 68656c6c6f", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, "05000000 40 68656c6c", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, "05000000 60 68656c6c6f6f", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, HELLO "00", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, "05000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, "050000", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", five, "", ZINC_E_CORRUPT, NULL);
	/* a match that begins before the bytes */
	codec_decodes(CHAIN, "uint8", thirteen, "0d000000 13 61 0200 50 6161616161", ZINC_E_CORRUPT, NULL);
}

static void
no_elements(void **state)
{
	const uint64_t none[] = {0, ENDED};

	(void)state;
	codec_encodes(CHAIN, "uint8", none, "", ZINC_OK, "00000000 00");
	codec_decodes(CHAIN, "uint8", none, "00000000 00", ZINC_OK, "");
	codec_decodes(CHAIN, "uint8", none, "01000000 1061", ZINC_E_CORRUPT, NULL);
}

/* (1) Unknown sizes, because another codec precedes it. */
static void
bombs(void **state)
{
	static const char lies[] = "\x00\x00\x00\x7e\x1f\x00\x01\x00\xff\xff\xff\xff";
	static uint8_t zeros[1 << 20];
	const uint64_t mib[] = {1 << 20, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	codec_bomb(CHAIN, "uint8", five, lies, sizeof lies - 1, 100000);
	codec_bomb("[\"bytes\", " LZ4("1") ", " LZ4("1") "]", "uint8", five, lies, sizeof lies - 1, 100000);
	codec_bomb("[\"bytes\", " LZ4("1") ", " LZ4("1") "]", "uint8", mib, lies, sizeof lies - 1, 100000);
	assert_ok(chain_init(&t, NULL, CHAIN, "uint8", mib, NULL, true, &err));
	assert_ok(chain_encode(&t, zeros, &err));
	codec_bomb(CHAIN, "uint8", five, t.out.p, t.out.n, 100000);
	codec_bomb("[\"bytes\", " LZ4("1") ", " LZ4("1") "]", "uint8", five, t.out.p, t.out.n, 100000);
	chain_fini(&t);
}

/* (2) The first elements alone are correct, and damage after them is detected. */
static void
decodes_whole(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[1000];
	zinc_view v;
	chain_case t;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * i / 7);
	assert_ok(chain_init(&t, NULL, CHAIN, "uint8", thousand, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	for (n = 1; n < sizeof in; n += 37) {
		assert_ok(zinc_chain_decode(t.chain, t.s, thousand, (zinc_bytes){t.out.p, t.out.n}, NULL, n, &v, &err));
		assert_memory_equal(v.p, in, n);
	}
	memset(t.out.p + t.out.n - 20, 0xff, 20);
	for (n = 0; n < 20; n += 10)
		assert_int_equal(
		    zinc_chain_decode(t.chain, t.s, thousand, (zinc_bytes){t.out.p, t.out.n}, NULL, n, &v, &err),
		    ZINC_E_CORRUPT);
	chain_fini(&t);
}

/* Flips of literals only change elements; everything else is detected, and nothing crashes. */
static void
damage(void **state)
{
	uint8_t in[300], bytes[64];
	const uint64_t shape[] = {300, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i / 10);
	assert_ok(chain_init(&t, NULL, CHAIN, "uint8", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	(void)chain_damage(&t, t.out.p, t.out.n, in);
	chain_fini(&t);
	/* every truncation is detected */
	assert_ok(chain_init(&t, NULL, CHAIN, "uint8", thirteen, NULL, true, &err));
	for (i = unhex(A13, bytes, sizeof bytes); i-- > 0;)
		assert_int_equal(chain_decode(&t, bytes, i, in, &err), ZINC_E_CORRUPT);
	chain_fini(&t);
}

/* (3) */
static void
memory(void **state)
{
	uint8_t in[1000] = {1, 2, 3};

	(void)state;
	codec_warm("[\"bytes\", " LZ4("1") ", " LZ4("5") "]", "uint8", thousand, in);
	codec_sweep("[\"bytes\", " LZ4("1") ", " LZ4("5") "]", "uint8", thousand, in);
}

static void
configuration(void **state)
{
	(void)state;
	codec_prints(CHAIN, "uint8", "[{\"name\": \"bytes\"}, " LZ4("1") "]",
		     "[{\"id\": \"lz4\", \"acceleration\": 1}]");
	codec_prints("[\"bytes\", \"numcodecs.lz4\"]", "uint8", "[{\"name\": \"bytes\"}, " LZ4("1") "]",
		     "[{\"id\": \"lz4\", \"acceleration\": 1}]");
	codec_prints("[\"bytes\", " LZ4("-3") "]", "uint8", "[{\"name\": \"bytes\"}, " LZ4("-3") "]",
		     "[{\"id\": \"lz4\", \"acceleration\": -3}]");
	codec_words("numcodecs.lz4", "uint8", "[{\"name\": \"bytes\"}, " LZ4("1") "]");
	codec_words("numcodecs.lz4:10+crc32c", "uint8",
		    "[{\"name\": \"bytes\"}, " LZ4("10") ", {\"name\": \"crc32c\"}]");
	codec_words("numcodecs.lz4:0", "uint8", NULL);
	chain_finds("[\"bytes\", " LZ4("\"1\"") "]", "uint8", five, ZINC_E_CORRUPT, "lz4",
		    "/1/configuration/acceleration");
	chain_finds("[\"bytes\", " LZ4("9999999999") "]", "uint8", five, ZINC_E_CORRUPT, "lz4",
		    "/1/configuration/acceleration");
	chain_finds("[\"bytes\", {\"name\": \"numcodecs.lz4\", \"configuration\": {\"level\": 1}}]", "uint8", five,
		    ZINC_OK, "lz4", "/1/configuration/level");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors), cmocka_unit_test(sizes),         cmocka_unit_test(no_elements),
	    cmocka_unit_test(bombs),   cmocka_unit_test(damage),        cmocka_unit_test(decodes_whole),
	    cmocka_unit_test(memory),  cmocka_unit_test(configuration),
	};

	return zinc_codec_lz4.bytes ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
