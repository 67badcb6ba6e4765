/*
 * test_codec_zlib.c - zlib streams, and the promises of deflate.c about them, by number
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define ZLIB(level) "{\"name\": \"numcodecs.zlib\", \"configuration\": {\"level\": " level "}}"
#define CHAIN       "[\"bytes\", " ZLIB("1") "]"

/* "hello, zinc" as Python's zlib writes it; then stored. */
#define HELLO        "789c cb48cdc9c9d751a8cacc4b0600 18b40415"
#define HELLO_STORED "7801 010b00f4ff68656c6c6f2c207a696e63 18b40415"

static const uint64_t eleven[] = {11, ENDED}, thousand[] = {1000, ENDED};

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.zlib");
}

static void
streams(void **state)
{
	const uint64_t ten[] = {10, ENDED}, twice[] = {22, ENDED};

	(void)state;
	codec_decodes(CHAIN, "uint8", eleven, HELLO, ZINC_OK, "hello, zinc");
	codec_decodes(CHAIN, "uint8", eleven, HELLO_STORED, ZINC_OK, "hello, zinc");
	/* (2) sizes, the checksum, trailing bytes */
	codec_decodes(CHAIN, "uint8", ten, HELLO, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", twice, HELLO, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", twice, HELLO HELLO, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, HELLO "00", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, "789c cb48cdc9c9d751a8cacc4b0600 18b40414", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, "", ZINC_E_CORRUPT, NULL);
	/* another method, a header that does not add up, a dictionary */
	codec_decodes(CHAIN, "uint8", eleven, "7701 cb48cdc9c9d751a8cacc4b0600 18b40415", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, "789d cb48cdc9c9d751a8cacc4b0600 18b40415", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, "78bb 00000000 cb48cdc9c9d751a8cacc4b0600 18b40415", ZINC_E_CORRUPT,
		      NULL);
}

/* (1) Every level. */
static void
levels(void **state)
{
	uint8_t in[1000];
	char codecs[120];
	size_t i;
	int level;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i / 50);
	for (level = -1; level <= 9; level++) {
		snprintf(codecs, sizeof codecs, "[\"bytes\", " ZLIB("%d") "]", level);
		chain_roundtrip(codecs, "uint8", thousand, NULL, in);
	}
	chain_roundtrip("[\"bytes\", " ZLIB("1") ", " ZLIB("9") "]", "uint8", thousand, NULL, in);
	codec_warm("[\"bytes\", " ZLIB("1") ", " ZLIB("1") "]", "uint8", thousand, in);
	codec_sweep("[\"bytes\", " ZLIB("1") ", " ZLIB("9") "]", "uint8", thousand, in);
}

static void
damage(void **state)
{
	(void)state;
	assert_damage_noticed(CHAIN);
}

/* (3) A megabyte of zeros where eleven bytes should be; directly, and inside another. */
static void
bombs(void **state)
{
	const uint64_t mib[] = {1 << 20, ENDED};
	static uint8_t zeros[1 << 20];
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, CHAIN, "uint8", mib, NULL, true, &err));
	assert_ok(chain_encode(&t, zeros, &err));
	codec_bomb(CHAIN, "uint8", eleven, t.out.p, t.out.n, 100000);
	codec_bomb("[\"bytes\", " ZLIB("1") ", " ZLIB("1") "]", "uint8", eleven, t.out.p, t.out.n, 300000);
	chain_fini(&t);
}

static void
configuration(void **state)
{
	(void)state;
	codec_prints(CHAIN, "uint8", "[{\"name\": \"bytes\"}, " ZLIB("1") "]", "[{\"id\": \"zlib\", \"level\": 1}]");
	codec_prints("[\"bytes\", \"numcodecs.zlib\"]", "uint8", "[{\"name\": \"bytes\"}, " ZLIB("1") "]",
		     "[{\"id\": \"zlib\", \"level\": 1}]");
	codec_prints("[\"bytes\", " ZLIB("-1") "]", "uint8", "[{\"name\": \"bytes\"}, " ZLIB("-1") "]",
		     "[{\"id\": \"zlib\", \"level\": -1}]");
	codec_words("numcodecs.zlib", "uint8", "[{\"name\": \"bytes\"}, " ZLIB("1") "]");
	codec_words("numcodecs.zlib:9", "uint8", "[{\"name\": \"bytes\"}, " ZLIB("9") "]");
	codec_words("numcodecs.zlib:10", "uint8", NULL);
	codec_words("numcodecs.zlib:1:2", "uint8", NULL);
	chain_finds("[\"bytes\", " ZLIB("10") "]", "uint8", eleven, ZINC_E_CORRUPT, "zlib", "/1/configuration/level");
	chain_finds("[\"bytes\", " ZLIB("-2") "]", "uint8", eleven, ZINC_E_CORRUPT, "zlib", "/1/configuration/level");
	chain_finds("[\"bytes\", " ZLIB("1.5") "]", "uint8", eleven, ZINC_E_CORRUPT, "zlib", "/1/configuration/level");
	chain_finds("[\"bytes\", {\"name\": \"numcodecs.zlib\", \"configuration\": {\"levels\": 1}}]", "uint8", eleven,
		    ZINC_OK, "zlib", "/1/configuration/levels");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors), cmocka_unit_test(streams), cmocka_unit_test(levels),
	    cmocka_unit_test(damage),  cmocka_unit_test(bombs),   cmocka_unit_test(configuration),
	};

	return zinc_codec_gzip.lacks ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
