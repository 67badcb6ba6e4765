/*
 * test_codec_crc32.c - the CRC-32 of gzip; what it shares with the other checksums is in test_checksum.c
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

static const uint64_t nine[] = {9, ENDED}, none[] = {0, ENDED};

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.crc32");
}

/* The check value of the catalogue, and the checksum of no bytes. */
static void
check_values(void **state)
{
	static const char
	    start[] = "[\"bytes\", \"numcodecs.crc32\"]",
	    end[] = "[\"bytes\", {\"name\": \"numcodecs.crc32\", \"configuration\": {\"location\": \"end\"}}]";

	(void)state;
	codec_encodes(start, "uint8", nine, "123456789", ZINC_OK, "2639f4cb 313233343536373839");
	codec_encodes(end, "uint8", nine, "123456789", ZINC_OK, "313233343536373839 2639f4cb");
	codec_decodes(start, "uint8", nine, "2639f4cb 313233343536373839", ZINC_OK, "123456789");
	codec_decodes(end, "uint8", nine, "2639f4cb 313233343536373839", ZINC_E_CHECKSUM, NULL);
	codec_encodes(start, "uint8", none, "", ZINC_OK, "00000000");
	codec_decodes(start, "uint8", none, "00000000", ZINC_OK, "");
	codec_words("numcodecs.crc32", "uint8", "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.crc32\"}]");
	codec_words("numcodecs.crc32:end", "uint8", NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(check_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
