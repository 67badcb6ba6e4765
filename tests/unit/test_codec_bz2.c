/*
 * test_codec_bz2.c - bzip2 streams: the promises of codec_bz2.c, by number
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define BZ2(level) "{\"name\": \"numcodecs.bz2\", \"configuration\": {\"level\": " level "}}"
#define CHAIN      "[\"bytes\", " BZ2("1") "]"
#define TWO        "[\"bytes\", " BZ2("1") ", " BZ2("9") "]"

/* "hello, zinc" and nothing, as Python's bz2 writes them. */
#define HELLO   "425a6831 314159265359 77f307c4 000002118040040a658010200031003020036a425b87041e2ee48a70a120efe60f88"
#define NOTHING "425a6831 177245385090 00000000"

static const uint64_t eleven[] = {11, ENDED}, twice[] = {22, ENDED}, thousand[] = {1000, ENDED};

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.bz2");
}

/* (1) */
static void
streams(void **state)
{
	const uint64_t ten[] = {10, ENDED}, none[] = {0, ENDED};

	(void)state;
	codec_decodes(CHAIN, "uint8", eleven, HELLO, ZINC_OK, "hello, zinc");
	codec_decodes(CHAIN, "uint8", twice, HELLO HELLO, ZINC_OK, "hello, zinchello, zinc");
	codec_decodes(CHAIN, "uint8", eleven, NOTHING HELLO NOTHING, ZINC_OK, "hello, zinc");
	codec_decodes(CHAIN, "uint8", none, NOTHING, ZINC_OK, "");
	codec_encodes(CHAIN, "uint8", none, "", ZINC_OK, NOTHING);
	/* sizes, trailing bytes, no bytes */
	codec_decodes(CHAIN, "uint8", ten, HELLO, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", twice, HELLO, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, HELLO HELLO, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, HELLO "00", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, HELLO "425a68", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", eleven, "", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", none, "", ZINC_E_CORRUPT, NULL);
	/* the block's CRC, and that of nothing */
	codec_decodes(
	    CHAIN, "uint8", eleven,
	    "425a6831 314159265359 77f307c5 000002118040040a658010200031003020036a425b87041e2ee48a70a120efe60f88",
	    ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", none, "425a6831 177245385090 00000001", ZINC_E_CORRUPT, NULL);
}

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
	for (level = 1; level <= 9; level++) {
		snprintf(codecs, sizeof codecs, "[\"bytes\", " BZ2("%d") "]", level);
		chain_roundtrip(codecs, "uint8", thousand, NULL, in);
	}
	chain_roundtrip(TWO, "uint8", thousand, NULL, in);
}

static void
damage(void **state)
{
	(void)state;
	assert_damage_noticed(CHAIN);
}

/* (2) Ten megabytes of zeros where eleven bytes should be; directly, and inside another. */
static void
bombs(void **state)
{
	const uint64_t many[] = {10 << 20, ENDED};
	uint8_t *zeros = (uint8_t *)calloc(1, 10 << 20);
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_non_null(zeros);
	assert_ok(chain_init(&t, NULL, "[\"bytes\", " BZ2("9") "]", "uint8", many, NULL, true, &err));
	assert_ok(chain_encode(&t, zeros, &err));
	assert_true(t.out.n < 100);
	codec_bomb(CHAIN, "uint8", eleven, t.out.p, t.out.n, 5 << 20);
	codec_bomb(TWO, "uint8", eleven, t.out.p, t.out.n, 5 << 20);
	chain_fini(&t);
	free(zeros);
}

/* (3) */
static void
memory(void **state)
{
	uint8_t in[1000] = {1, 2, 3};

	(void)state;
	codec_sweep(TWO, "uint8", thousand, in);
}

static void
configuration(void **state)
{
	(void)state;
	codec_prints(CHAIN, "uint8", "[{\"name\": \"bytes\"}, " BZ2("1") "]", "[{\"id\": \"bz2\", \"level\": 1}]");
	codec_prints("[\"bytes\", \"numcodecs.bz2\"]", "uint8", "[{\"name\": \"bytes\"}, " BZ2("1") "]",
		     "[{\"id\": \"bz2\", \"level\": 1}]");
	codec_words("numcodecs.bz2:9", "uint8", "[{\"name\": \"bytes\"}, " BZ2("9") "]");
	codec_words("numcodecs.bz2:0", "uint8", NULL);
	chain_finds("[\"bytes\", " BZ2("0") "]", "uint8", eleven, ZINC_E_CORRUPT, "bz2", "/1/configuration/level");
	chain_finds("[\"bytes\", " BZ2("10") "]", "uint8", eleven, ZINC_E_CORRUPT, "bz2", "/1/configuration/level");
	chain_finds("[\"bytes\", {\"name\": \"numcodecs.bz2\", \"configuration\": {\"small\": 1}}]", "uint8", eleven,
		    ZINC_OK, "bz2", "/1/configuration/small");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),       cmocka_unit_test(streams), cmocka_unit_test(levels),
	    cmocka_unit_test(damage),        cmocka_unit_test(bombs),   cmocka_unit_test(memory),
	    cmocka_unit_test(configuration),
	};

	return zinc_codec_bz2.bytes ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
