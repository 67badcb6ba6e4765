/*
 * test_codec_conditional.c - codecs that are applied to some chunks: the promises of codec_conditional.c, by number
 *
 * No other implementation has this codec, so the bytes are written by hand from the extension's page.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"

#define IF(codecs) "{\"name\": \"conditional\", \"configuration\": {\"codecs\": [" codecs "]}}"
#define IF_BITS(codecs, n)                                                                                             \
	"{\"name\": \"conditional\", \"configuration\": {\"codecs\": [" codecs "], \"header_bits\": " n "}}"
#define CHAIN(more) "[\"bytes\", " more "]"
#define CRC         "{\"name\": \"crc32c\"}"
#define CRC_START   "{\"name\": \"numcodecs.crc32\"}"
#define SHUFFLE     "{\"name\": \"numcodecs.shuffle\", \"configuration\": {\"elementsize\": 2}}"
#define ZSTD        "{\"name\": \"zstd\", \"configuration\": {\"level\": 1}}"
#define AT          "/1/configuration"

static const uint64_t nine[] = {9, ENDED}, four[] = {4, ENDED}, many[] = {300, ENDED};
static const uint8_t digits[] = "123456789", abcd[] = {1, 2, 3, 4};

/* The header, read by hand: bit 0 is the lowest of the first byte; checksums of "123456789" are known. */
static void
reads(void **state)
{
	(void)state;
	codec_decodes(CHAIN(IF(CRC)), "uint8", nine, "00 313233343536373839", ZINC_OK, digits);
	codec_decodes(CHAIN(IF(CRC)), "uint8", nine, "01 313233343536373839 839206e3", ZINC_OK, digits);
	codec_decodes(CHAIN(IF_BITS(CRC, "24")), "uint8", nine, "010000 313233343536373839 839206e3", ZINC_OK, digits);
	codec_decodes(CHAIN(IF(SHUFFLE)), "uint8", four, "01 01030204", ZINC_OK, abcd);
	codec_decodes(CHAIN(IF(SHUFFLE ", " CRC)), "uint8", four, "01 01030204", ZINC_OK, abcd);
	codec_decodes(CHAIN(IF(SHUFFLE ", " SHUFFLE)), "uint8", four, "00 01020304", ZINC_OK, abcd);
	/* the codecs of the list in encode order: shuffled twice, 1 2 3 4 is 1 3 2 4, and then 1 2 3 4 */
	codec_decodes(CHAIN(IF(SHUFFLE ", " SHUFFLE)), "uint8", four, "03 01020304", ZINC_OK, abcd);
	codec_decodes(CHAIN(IF(CRC ", " SHUFFLE)), "uint8", four, "00 01020304", ZINC_OK, abcd);
	codec_decodes(CHAIN(IF("")), "uint8", four, "01020304", ZINC_OK, abcd);
	codec_decodes(CHAIN(IF_BITS("", "8")), "uint8", four, "00 01020304", ZINC_OK, abcd);
	/* nine codecs need two bytes of header; the ninth has bit 8 */
	codec_decodes(CHAIN(IF(CRC ", " CRC ", " CRC ", " CRC ", " CRC ", " CRC ", " CRC ", " CRC ", " SHUFFLE)),
		      "uint8", four, "0001 01030204", ZINC_OK, abcd);
	/* conditional in conditional */
	codec_decodes(CHAIN(IF(IF(SHUFFLE))), "uint8", four, "01 01 01030204", ZINC_OK, abcd);
	codec_decodes(CHAIN(IF(IF(SHUFFLE))), "uint8", four, "01 00 01020304", ZINC_OK, abcd);
}

/* (3) A checksum at the start, between codecs that move bytes: what follows it must not be overwritten while it is
 * read.  By hand: shuffled twice, CRC-32, shuffled. */
static void
leading_checksum(void **state)
{
	static const uint8_t text[] = "123456789abcdefg";
	static const uint64_t sixteen[] = {16, ENDED};

	(void)state;
	codec_decodes(CHAIN(IF(SHUFFLE ", " SHUFFLE ", " CRC_START ", " SHUFFLE)), "uint8", sixteen,
		      "0f 9fc23139326133623463fd6a3564366537663867", ZINC_OK, text);
	codec_decodes(CHAIN(IF(SHUFFLE ", " SHUFFLE ", " CRC_START ", " SHUFFLE)), "uint8", sixteen,
		      "0f 9fc23139326133623463fd6a3564366537663868", ZINC_E_CHECKSUM, NULL);
}

/* (2), and damage inside. */
static void
damaged(void **state)
{
	(void)state;
	codec_decodes(CHAIN(IF(CRC)), "uint8", four, "02 01020304", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF(CRC)), "uint8", four, "80 01020304", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF_BITS(CRC, "16")), "uint8", four, "0001 01020304", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF_BITS("", "8")), "uint8", four, "01 01020304", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF(CRC)), "uint8", four, "", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF_BITS(CRC, "16")), "uint8", four, "00", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF(CRC)), "uint8", four, "00 010203", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF(CRC)), "uint8", four, "00 0102030405", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF(CRC)), "uint8", four, "01 0102", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN(IF(CRC)), "uint8", nine, "01 313233343536373839 839206e4", ZINC_E_CHECKSUM, NULL);
	codec_decodes(CHAIN(IF(SHUFFLE)), "uint8", four, "01 010302", ZINC_E_CORRUPT, NULL);
}

/* (1) The same bytes a hundred times become smaller, random ones do not; a checksum never does. */
static void
writes(void **state)
{
	uint8_t same[300] = {0}, odd[300];
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	size_t i;

	(void)state;
	if (zinc_codec_zstd.lacks)
		skip();
	for (i = 0; i < sizeof odd; i++)
		odd[i] = (uint8_t)((i * i * 7919 + i * 104729) >> 3);
	codec_encodes(CHAIN(IF(CRC)), "uint8", nine, digits, ZINC_OK, "00 313233343536373839");
	codec_encodes(CHAIN(IF_BITS(CRC, "16")), "uint8", nine, digits, ZINC_OK, "0000 313233343536373839");
	codec_encodes(CHAIN(IF("")), "uint8", four, abcd, ZINC_OK, "01020304");
	assert_ok(chain_init(&t, NULL, CHAIN(IF(CRC ", " ZSTD ", " ZSTD) ", " CRC), "uint8", many, NULL, true, &err));
	assert_false(t.chain->fixed_size);
	assert_ok(chain_encode(&t, same, &err));
	assert_int_equal(t.out.p[0], 2); /* a second time does not help */
	assert_true(t.out.n < 60);
	assert_ok(chain_encode(&t, odd, &err));
	assert_int_equal(t.out.p[0] & 1, 0);
	chain_fini(&t);
	chain_roundtrip(CHAIN(IF(CRC ", " ZSTD) ", " CRC), "uint8", many, NULL, same);
	chain_roundtrip(CHAIN(IF(SHUFFLE ", " ZSTD)), "uint8", many, NULL, odd);
	chain_roundtrip(CHAIN(IF(IF(ZSTD) ", " ZSTD) ", " IF(CRC)), "uint8", many, NULL, same);
	chain_roundtrip(CHAIN(ZSTD ", " IF(ZSTD)), "uint8", many, NULL, odd);
}

/* (4) A frame that decodes to more than any chunk, in the place of a codec whose input was larger than the chunk. */
static void
bomb(void **state)
{
	static uint8_t zeros[1 << 20], bytes[4096];
	zinc_error err = ZINC_ERROR_INIT;
	const uint64_t big[] = {sizeof zeros, ENDED};
	chain_case t;
	size_t n;

	(void)state;
	if (zinc_codec_zstd.lacks)
		skip();
	assert_ok(chain_init(&t, NULL, CHAIN(ZSTD), "uint8", big, NULL, true, &err));
	assert_ok(chain_encode(&t, zeros, &err));
	n = t.out.n;
	assert_true(n + 1 <= sizeof bytes);
	memcpy(bytes + 1, t.out.p, n);
	chain_fini(&t);
	bytes[0] = 1;
	codec_bomb(CHAIN(IF(ZSTD ", " SHUFFLE)), "uint8", four, bytes, n + 1, 400000);
	bytes[0] = 2;
	codec_bomb(CHAIN(IF(SHUFFLE ", " ZSTD)), "uint8", four, bytes, n + 1, 400000);
}

static void
configuration(void **state)
{
	(void)state;
	chain_finds("[\"bytes\", \"conditional\"]", "uint8", four, ZINC_E_CORRUPT, "M14", "/1");
	chain_finds("[\"bytes\", {\"name\": \"conditional\", \"configuration\": {}}]", "uint8", four, ZINC_E_CORRUPT,
		    "conditional", AT);
	chain_finds("[\"bytes\", {\"name\": \"conditional\", \"configuration\": {\"codecs\": 3}}]", "uint8", four,
		    ZINC_E_CORRUPT, "conditional", AT "/codecs");
	chain_finds(CHAIN(IF("\"bytes\"")), "uint8", four, ZINC_E_CORRUPT, "conditional", AT "/codecs/0");
	chain_finds(CHAIN(IF(CRC ", \"transpose\"")), "uint8", four, ZINC_E_CORRUPT, "M14", AT "/codecs/1");
	chain_finds(CHAIN(IF("\"rot13\"")), "uint8", four, ZINC_E_UNSUPPORTED, "M20", AT "/codecs/0");
	chain_finds(CHAIN(IF("{\"name\": \"rot13\", \"must_understand\": false}")), "uint8", four, ZINC_E_UNSUPPORTED,
		    "M20", AT "/codecs/0");
	chain_finds(CHAIN(IF_BITS(CRC, "0")), "uint8", four, ZINC_E_CORRUPT, "conditional", AT "/header_bits");
	chain_finds(CHAIN(IF_BITS(CRC, "9")), "uint8", four, ZINC_E_CORRUPT, "conditional", AT "/header_bits");
	chain_finds(CHAIN(IF_BITS(CRC, "-8")), "uint8", four, ZINC_E_CORRUPT, "conditional", AT "/header_bits");
	chain_finds(CHAIN(IF_BITS(CRC, "80000")), "uint8", four, ZINC_E_UNSUPPORTED, "conditional", AT "/header_bits");
	chain_finds("[\"bytes\", {\"name\": \"conditional\", \"configuration\": {\"codecs\": [], \"level\": 1}}]",
		    "uint8", four, ZINC_OK, "conditional", AT "/level");
	codec_prints(CHAIN(IF("\"crc32c\"")), "uint8", "[{\"name\": \"bytes\"}, " IF(CRC) "]", "[]");
	codec_prints(CHAIN(IF_BITS(CRC, "8")), "uint8", "[{\"name\": \"bytes\"}, " IF(CRC) "]", "[]");
	codec_prints(CHAIN(IF_BITS(CRC, "32")), "uint8", "[{\"name\": \"bytes\"}, " IF_BITS(CRC, "32") "]", "[]");
}

/* Nesting and length have limits, and a document within those of JSON cannot pass them. */
static void
limits(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char codecs[40000] = "";
	chain_case t;
	int i;

	(void)state;
	assert_ok(chain_init(&t, NULL, CHAIN(IF(IF(IF(IF(CRC))))), "uint8", four, NULL, true, &err));
	chain_fini(&t);
	assert_int_equal(chain_init(&t, NULL, CHAIN(IF(IF(IF(IF(IF(CRC)))))), "uint8", four, NULL, true, &err),
			 ZINC_E_LIMIT);
	chain_fini(&t);
	snprintf(codecs, sizeof codecs, "[\"bytes\", {\"name\": \"conditional\", \"configuration\": {\"codecs\": [");
	for (i = 0; i < 1000; i++)
		snprintf(codecs + strlen(codecs), sizeof codecs - strlen(codecs), "%s\"crc32c\"", i ? ", " : "");
	snprintf(codecs + strlen(codecs), sizeof codecs - strlen(codecs), "]}}]");
	assert_int_equal(chain_init(&t, NULL, codecs, "uint8", four, NULL, true, &err), ZINC_E_LIMIT);
	chain_fini(&t);
}

static void
memory(void **state)
{
	const uint8_t in[300] = {1, 2, 3};

	(void)state;
	codec_sweep(CHAIN(IF(CRC ", " IF(SHUFFLE))), "uint8", four, in);
	if (!zinc_codec_zstd.lacks)
		codec_warm(CHAIN(IF(SHUFFLE ", " ZSTD) ", " CRC), "uint8", many, in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads),   cmocka_unit_test(leading_checksum),
	    cmocka_unit_test(damaged), cmocka_unit_test(writes),
	    cmocka_unit_test(bomb),    cmocka_unit_test(configuration),
	    cmocka_unit_test(limits),  cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
