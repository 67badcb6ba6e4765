/*
 * test_codec_n5_lz4.c - LZ4 streams of N5 in Java: the promises of codec_n5_lz4.c, by number
 */
#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/random.h"
#include "support/test.h"

#define LZ4(size) "{\"name\": \"n5_lz4\", \"configuration\": {\"blockSize\": " size "}}"
#define CHAIN     "[\"bytes\", " LZ4("65536") "]"
#define ALONE     LZ4("63")
#define IF(list)  "{\"name\": \"conditional\", \"configuration\": {\"codecs\": [" list "]}}"
#define MAGIC     "4c5a34426c6f636b"
#define END       MAGIC "16 00000000 00000000 00000000"

/* Made with liblz4 and libxxhash: six bytes that LZ4 does not make shorter, and a hundred sevens. */
#define SIX     MAGIC "16 06000000 06000000 b2678a04 000102030405"
#define HUNDRED MAGIC "26 0b000000 64000000 5856eb0c 1f0701004b50070707 0707"

static const uint64_t six[] = {6, ENDED}, hundred[] = {100, ENDED};
static const uint8_t first[] = {0, 1, 2, 3, 4, 5};

static void
vectors(void **state)
{
	uint8_t sevens[100], two[100] = {0};
	size_t i;

	(void)state;
	memset(sevens, 7, sizeof sevens);
	for (i = 0; i < 64; i++)
		two[i] = (uint8_t)i;
	codec_encodes(CHAIN, "uint8", six, first, ZINC_OK, SIX END);
	codec_decodes(CHAIN, "uint8", six, SIX END, ZINC_OK, first);
	codec_decodes(CHAIN, "uint8", hundred, HUNDRED END, ZINC_OK, sevens);
	/* two blocks of the smallest size */
	codec_encodes(
	    "[\"bytes\", " LZ4("64") "]", "uint8", hundred, two, ZINC_OK,
	    MAGIC "10 40000000 40000000 f82bca0d 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021"
		  "22232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f" MAGIC
		  "20 0b000000 24000000 d3ab3f05 1f0001000b500000000000" MAGIC "10 00000000 00000000 00000000");
}

/* XXH32 of every length of the last part of its input. */
static void
checksums(void **state)
{
	static const struct {
		uint64_t n;
		uint32_t sum;
	} cases[] = {{1, 0xba2acfb9u},  {3, 0x5092887cu},  {4, 0x4ae2d183u},  {15, 0xf7904b87u}, {16, 0x91507297u},
		     {17, 0x568606e1u}, {31, 0x4cd00cd0u}, {32, 0x0ef0f5a5u}, {33, 0xf76ce7ebu}};
	uint8_t in[33];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)i;
	for (i = 0; i < COUNT(cases); i++) {
		const uint64_t shape[] = {cases[i].n, ENDED};
		zinc_error err = ZINC_ERROR_INIT;
		chain_case t;

		assert_ok(chain_init(&t, NULL, CHAIN, "uint8", shape, NULL, true, &err));
		assert_ok(chain_encode(&t, in, &err));
		assert_int_equal(zinc_get_le32(t.out.p + 17), cases[i].sum & 0x0fffffffu);
		chain_fini(&t);
	}
}

/* (1) (2) */
static void
damage(void **state)
{
	(void)state;
	codec_decodes(CHAIN, "uint8", six, SIX, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, SIX END "00", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, END, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, SIX SIX END, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, MAGIC "16 06000000 06000000 b2678a05 000102030405" END, ZINC_E_CHECKSUM,
		      NULL);
	codec_decodes(CHAIN, "uint8", six, MAGIC "16 06000000 06000000 b2678a04 000102030406" END, ZINC_E_CHECKSUM,
		      NULL);
	codec_decodes(CHAIN, "uint8", six, MAGIC "36 06000000 06000000 b2678a04 000102030405" END, ZINC_E_CORRUPT,
		      NULL);
	codec_decodes(CHAIN, "uint8", six, MAGIC "16 06000000 07000000 b2678a04 000102030405" END, ZINC_E_CORRUPT,
		      NULL);
	codec_decodes(CHAIN, "uint8", six, MAGIC "16 ff000000 ff000000 b2678a04 000102030405" END, ZINC_E_CORRUPT,
		      NULL);
	codec_decodes(CHAIN, "uint8", six, MAGIC "26 00000000 06000000 b2678a04" END, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", hundred, MAGIC "26 0b000000 65000000 5856eb0c 1f0701004b50070707 0707" END,
		      ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, HUNDRED END, ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, "4c5a34426c6f63", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, "", ZINC_E_CORRUPT, NULL);
}

/* (1) */
static void
bombs(void **state)
{
	static const uint8_t lies[] =
	    "LZ4Block\x26\x0b\0\0\0\0\0\0\x40\x58\x56\xeb\x0c\x1f\x07\x01\0\x4b\x50\7\7\7\7\7";

	(void)state;
	codec_bomb(CHAIN, "uint8", six, lies, sizeof lies - 1, 100000);
	codec_bomb("[\"bytes\", " LZ4("64") ", " LZ4("64") "]", "uint8", six, lies, sizeof lies - 1, 100000);
}

/* (4) A block alone is encoded only where decoding knows its size. */
static void
block_alone(void **state)
{
	uint8_t sevens[100];

	(void)state;
	memset(sevens, 7, sizeof sevens);
	chain_roundtrip("[\"bytes\", " ALONE "]", "uint8", hundred, NULL, sevens);
	chain_roundtrip("[\"bytes\", \"crc32c\", " ALONE ", " LZ4("64") "]", "uint8", hundred, NULL, sevens);
	chain_roundtrip("[\"bytes\", " IF(ALONE ", \"crc32c\"") "]", "uint8", hundred, NULL, sevens);
	chain_finds("[\"bytes\", " LZ4("64") ", " ALONE "]", "uint8", hundred, ZINC_E_CORRUPT, "n5_lz4",
		    "/2/configuration");
	chain_finds("[\"bytes\", " IF("\"crc32c\"") ", \"crc32c\", " ALONE "]", "uint8", hundred, ZINC_E_CORRUPT,
		    "n5_lz4", "/3/configuration");
	chain_finds("[\"bytes\", " LZ4("64") ", " IF(IF(ALONE)) "]", "uint8", hundred, ZINC_E_CORRUPT, "conditional",
		    "/2/configuration");
	chain_finds("[\"bytes\", " IF(LZ4("64") ", " ALONE) "]", "uint8", hundred, ZINC_E_CORRUPT, "conditional",
		    "/1/configuration/codecs/1");
}

/* (3): of zarr-python with its size, of z5 alone. */
static void
other_writers(void **state)
{
	(void)state;
	codec_decodes(CHAIN, "uint8", six, "06000000 60 000102030405", ZINC_OK, first);
	codec_decodes(CHAIN, "uint8", six, "60 000102030405", ZINC_OK, first);
	codec_decodes(CHAIN, "uint8", six, "50 0001020304", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, "70 00010203040506", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN, "uint8", six, "06000000 50 0001020304", ZINC_E_CORRUPT, NULL);
	/* behind a codec of unknown size only a stream is certain */
	codec_decodes("[\"bytes\", " LZ4("64") ", " LZ4("64") "]", "uint8", six, "60 000102030405", ZINC_E_CORRUPT,
		      NULL);
	/* a level of z5 */
	codec_encodes("[\"bytes\", " LZ4("6") "]", "uint8", six, first, ZINC_OK, "60 000102030405");
}

static void
round_trips(void **state)
{
	static uint8_t in[5000];
	size_t n;

	(void)state;
	for (n = 0; n < sizeof in; n++)
		in[n] = n % 700 < 300 ? (uint8_t)random_bits() : (uint8_t)(n / 100);
	for (n = 0; n <= sizeof in; n = n < 200 ? n + 1 : n + 997) {
		const uint64_t shape[] = {n, ENDED};

		codec_warm("[\"bytes\", " LZ4("100") "]", "uint8", shape, in);
	}
	codec_sweep("[\"bytes\", " LZ4("64") "]", "uint8", hundred, in);
}

static void
words(void **state)
{
	(void)state;
	codec_words("n5_lz4", "uint8", "[{\"name\": \"bytes\"}, " LZ4("65536") "]");
	codec_words("n5_lz4:1024", "uint8", "[{\"name\": \"bytes\"}, " LZ4("1024") "]");
	codec_words("n5_lz4:fast", "uint8", NULL);
	codec_prints("[\"bytes\", \"n5_lz4\"]", "uint8", "[{\"name\": \"bytes\"}, " LZ4("65536") "]", "[]");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),     cmocka_unit_test(checksums),   cmocka_unit_test(damage),
	    cmocka_unit_test(bombs),       cmocka_unit_test(block_alone), cmocka_unit_test(other_writers),
	    cmocka_unit_test(round_trips), cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
