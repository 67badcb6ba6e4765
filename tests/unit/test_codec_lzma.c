/*
 * test_codec_lzma.c - xz, lzma and raw streams: the promises of codec_lzma.c, by number
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/sweep.h"
#include "support/test.h"
#include "support/vectors.h"

#define LZMA(configuration) "[\"bytes\", {\"name\": \"numcodecs.lzma\", \"configuration\": {" configuration "}}]"
#define FULL(format, check, preset, filters)                                                                           \
	"\"format\": " format ", \"check\": " check ", \"preset\": " preset ", \"filters\": " filters
#define XZ    LZMA("")
#define ALONE LZMA("\"format\": 2")
#define RAW   LZMA("\"format\": 3, \"filters\": [{\"id\": 33, \"preset\": 0}]")

/* "hello, zinc" as Python's lzma writes it in each format. */
#define HELLO_XZ                                                                                                       \
	"fd377a585a00 0004 e6d6b446 020021010c0000008f98419c 01000a68656c6c6f2c207a696e63000025049e31a982628e "        \
	"0001230bc21bfd091fb6f37d010000000004595a"
#define NOTHING_XZ  "fd377a585a00 0004 e6d6b446 000000001cdf4421 1fb6f37d010000000004595a"
#define HELLO_ALONE "5d 00000400 ffffffffffffffff 00341949db855cd1d45ea7c1e02ca0d8ffff9c3a0000"
#define HELLO_RAW   "01000a68656c6c6f2c207a696e63 00"

static const uint64_t eleven[] = {11, ENDED}, twice[] = {22, ENDED}, thousand[] = {1000, ENDED}, none[] = {0, ENDED};

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.lzma");
}

/* (2) */
static void
streams(void **state)
{
	static const char *const formats[][2] = {{XZ, HELLO_XZ}, {ALONE, HELLO_ALONE}, {RAW, HELLO_RAW}};
	static const uint64_t ten[] = {10, ENDED};
	char longer[400];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		codec_decodes(formats[i][0], "uint8", eleven, formats[i][1], ZINC_OK, "hello, zinc");
		codec_decodes(formats[i][0], "uint8", ten, formats[i][1], ZINC_E_CORRUPT, NULL);
		codec_decodes(formats[i][0], "uint8", twice, formats[i][1], ZINC_E_CORRUPT, NULL);
		codec_decodes(formats[i][0], "uint8", eleven, "", ZINC_E_CORRUPT, NULL);
		snprintf(longer, sizeof longer, "%s00", formats[i][1]);
		codec_decodes(formats[i][0], "uint8", eleven, longer, ZINC_E_CORRUPT, NULL);
	}
	codec_decodes(XZ, "uint8", twice, HELLO_XZ NOTHING_XZ HELLO_XZ, ZINC_OK, "hello, zinchello, zinc");
	codec_decodes(XZ, "uint8", twice, HELLO_XZ "00000000" HELLO_XZ "0000000000000000", ZINC_OK,
		      "hello, zinchello, zinc");
	codec_decodes(XZ, "uint8", none, NOTHING_XZ, ZINC_OK, "");
	codec_decodes(XZ, "uint8", eleven, HELLO_XZ HELLO_XZ, ZINC_E_CORRUPT, NULL);
	codec_decodes(ALONE, "uint8", twice, HELLO_ALONE HELLO_ALONE, ZINC_E_CORRUPT, NULL);
	codec_decodes(RAW, "uint8", twice, HELLO_RAW HELLO_RAW, ZINC_E_CORRUPT, NULL);
	codec_decodes(XZ, "uint8", eleven, HELLO_ALONE, ZINC_E_CORRUPT, NULL);
}

/* (1) Every flip of a bit in an xz stream with a check is found; in the other formats elements may change. */
static void
damage(void **state)
{
	static const char *const formats[] = {XZ, LZMA("\"check\": 1"), LZMA("\"check\": 10"), ALONE, RAW};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, unnoticed;
	chain_case t;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		assert_ok(chain_init(&t, NULL, formats[i], "uint8", eleven, NULL, true, &err));
		assert_ok(chain_encode(&t, "hello, zinc", &err));
		unnoticed = chain_damage(&t, t.out.p, t.out.n, "hello, zinc");
		if (i < 3)
			assert_int_equal(unnoticed, 0);
		chain_fini(&t);
	}
	/* a check that there is not (3), its header's own checksum being right */
	codec_decodes(XZ, "uint8", none, "fd377a585a00 0003 4543d0d8", ZINC_E_UNSUPPORTED, NULL);
}

#define DICTIONARY(size) LZMA("\"format\": 3, \"filters\": [{\"id\": 33, \"dict_size\": " size "}]")

/* (3) A dictionary of 1.5 GiB in the header, or in the metadata; zeros where eleven bytes should be. */
static void
bombs(void **state)
{
	static const uint8_t huge[] = {0x5d, 0,    0,    0,    0x60, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0xff, 0xff, 0,    0x34, 0x19};
	static uint8_t zeros[1 << 20];
	const uint64_t mib[] = {1 << 20, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	codec_bomb(ALONE, "uint8", eleven, huge, sizeof huge, 100000);
	codec_bomb(DICTIONARY("1610612736"), "uint8", eleven, huge, sizeof huge, 300000);
	codec_decodes(DICTIONARY("1610612736"), "uint8", eleven, HELLO_RAW, ZINC_OK, "hello, zinc");
	assert_ok(chain_init(&t, NULL, XZ, "uint8", mib, NULL, true, &err));
	assert_ok(chain_encode(&t, zeros, &err));
	codec_bomb(XZ, "uint8", eleven, t.out.p, t.out.n, 3 << 20);
	codec_bomb("[\"bytes\", \"numcodecs.lzma\", \"numcodecs.lzma\"]", "uint8", eleven, t.out.p, t.out.n, 3 << 20);
	chain_fini(&t);
}

/* (4) A small chunk takes little memory, also with the preset that uses 64 MiB. */
static void
small_dictionaries(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	uint8_t in[1000] = {1, 2, 3}, back[1000];
	sweep_memory m;
	chain_case t;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx, LZMA("\"preset\": 9"), "uint8", thousand, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_memory_equal(back, in, sizeof in);
	assert_true(m.peak < 4 << 20);
	chain_fini(&t);
	zinc_context_free(ctx);
}

/* (5) */
static void
memory(void **state)
{
	static const char *const chains[] = {XZ, ALONE, RAW, LZMA("\"preset\": 0")};
	uint8_t in[1000] = {1, 2, 3};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(chains); i++)
		codec_sweep(chains[i], "uint8", thousand, in);
	codec_warm(RAW, "uint8", thousand, in);
	codec_warm(ALONE, "uint8", thousand, in);
	for (i = 0; i < COUNT(chains); i++)
		chain_roundtrip(chains[i], "uint8", thousand, NULL, in);
}

#define AT "/1/configuration"

static void
configuration(void **state)
{
	static const char filters[] = "[{\"id\": 3, \"dist\": 4}, {\"id\": 33, \"preset\": 1}]";
	char codecs[400], printed[400], v2[400];

	(void)state;
	codec_prints(XZ, "uint8",
		     "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.lzma\", \"configuration\": {" FULL(
			 "1", "-1", "null", "null") "}}]",
		     "[{\"id\": \"lzma\", " FULL("1", "-1", "null", "null") "}]");
	codec_prints(LZMA("\"preset\": 2147483654, \"check\": 4"), "uint8",
		     "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.lzma\", \"configuration\": {" FULL(
			 "1", "4", "2147483654", "null") "}}]",
		     "[{\"id\": \"lzma\", " FULL("1", "4", "2147483654", "null") "}]");
	snprintf(codecs, sizeof codecs, LZMA("\"format\": 3, \"filters\": %s"), filters);
	snprintf(printed, sizeof printed,
		 "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.lzma\", \"configuration\": {" FULL("3", "-1", "null",
												    "%s") "}}]",
		 filters);
	snprintf(v2, sizeof v2, "[{\"id\": \"lzma\", " FULL("3", "-1", "null", "%s") "}]", filters);
	codec_prints(codecs, "uint8", printed, v2);
	codec_words("numcodecs.lzma:9", "uint8",
		    "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.lzma\", \"configuration\": {\"preset\": 9}}]");
	codec_words("numcodecs.lzma:10", "uint8", NULL);
}

static void
refused(void **state)
{
	(void)state;
	chain_finds(LZMA("\"format\": 0"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT "/format");
	chain_finds(LZMA("\"format\": 4"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT "/format");
	chain_finds(LZMA("\"check\": 16"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT "/check");
	chain_finds(LZMA("\"check\": 3"), "uint8", eleven, ZINC_E_UNSUPPORTED, "lzma", AT);
	chain_finds(LZMA("\"format\": 2, \"check\": 4"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT);
	chain_finds(LZMA("\"preset\": 10"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT);
	chain_finds(LZMA("\"preset\": -1"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT "/preset");
	chain_finds(LZMA("\"format\": 3"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT);
	chain_finds(LZMA("\"filters\": 33"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT);
	chain_finds(LZMA("\"filters\": []"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT "/filters");
	chain_finds(LZMA("\"filters\": [33]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT "/filters/0");
	chain_finds(LZMA("\"filters\": [{}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT "/filters/0");
	chain_finds(LZMA("\"filters\": [{\"id\": 34}]"), "uint8", eleven, ZINC_E_UNSUPPORTED, "lzma", AT "/filters/0");
	chain_finds(LZMA("\"filters\": [{\"id\": 33, \"preset\": 10}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma",
		    AT "/filters/0");
	chain_finds(LZMA("\"filters\": [{\"id\": 33, \"dict_size\": 4095}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma",
		    AT "/filters/0/dict_size");
	chain_finds(LZMA("\"filters\": [{\"id\": 33, \"dist\": 1}]"), "uint8", eleven, ZINC_OK, "lzma",
		    AT "/filters/0/dist");
	chain_finds(LZMA("\"filters\": [{\"id\": 33}], \"preset\": 1"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT);
	/* not the last, two of them, nothing after it, too many, LZMA1 in xz, LZMA2 alone, lc + lp too large */
	chain_finds(LZMA("\"filters\": [{\"id\": 33}, {\"id\": 3}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma",
		    AT "/filters");
	chain_finds(LZMA("\"filters\": [{\"id\": 3}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma", AT "/filters");
	chain_finds(LZMA("\"filters\": [{\"id\": 3}, {\"id\": 3}, {\"id\": 3}, {\"id\": 3}, {\"id\": 33}]"), "uint8",
		    eleven, ZINC_E_CORRUPT, "lzma", AT "/filters");
	chain_finds(LZMA("\"filters\": [{\"id\": 4611686018427387905}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma",
		    AT "/filters");
	chain_finds(LZMA("\"format\": 2, \"filters\": [{\"id\": 33}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma",
		    AT "/filters");
	chain_finds(LZMA("\"filters\": [{\"id\": 33, \"lc\": 4, \"lp\": 1}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma",
		    AT "/filters");
	chain_finds(LZMA("\"filters\": [{\"id\": 33, \"mf\": 5}]"), "uint8", eleven, ZINC_E_CORRUPT, "lzma",
		    AT "/filters");
	chain_finds(LZMA("\"level\": 1"), "uint8", eleven, ZINC_OK, "lzma", AT "/level");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors), cmocka_unit_test(streams),       cmocka_unit_test(damage),
	    cmocka_unit_test(bombs),   cmocka_unit_test(memory),        cmocka_unit_test(small_dictionaries),
	    cmocka_unit_test(refused), cmocka_unit_test(configuration),
	};

	return zinc_codec_lzma.bytes ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
