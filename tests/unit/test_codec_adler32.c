/*
 * test_codec_adler32.c - the Adler-32 of zlib; what it shares with the other checksums is in test_checksum.c
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
	vectors_run("numcodecs.adler32");
}

/* What zlib says of the digits, and of no bytes. */
static void
check_values(void **state)
{
	static const char
	    start[] = "[\"bytes\", \"numcodecs.adler32\"]",
	    end[] = "[\"bytes\", {\"name\": \"numcodecs.adler32\", \"configuration\": {\"location\": \"end\"}}]";

	(void)state;
	codec_encodes(start, "uint8", nine, "123456789", ZINC_OK, "de011e09 313233343536373839");
	codec_encodes(end, "uint8", nine, "123456789", ZINC_OK, "313233343536373839 de011e09");
	codec_decodes(start, "uint8", nine, "de011e09 313233343536373839", ZINC_OK, "123456789");
	codec_decodes(end, "uint8", nine, "de011e09 313233343536373839", ZINC_E_CHECKSUM, NULL);
	codec_encodes(start, "uint8", none, "", ZINC_OK, "01000000");
	codec_decodes(start, "uint8", none, "01000000", ZINC_OK, "");
	codec_words("numcodecs.adler32", "uint8", "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.adler32\"}]");
	codec_words("numcodecs.adler32:end", "uint8", NULL);
}

/* The sums are reduced in time: the worst bytes, more of them than there are between two reductions. */
static void
long_input(void **state)
{
	static uint8_t in[20000];
	const uint64_t shape[] = {sizeof in, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t a = 1, b = 0;
	chain_case t;
	size_t i;

	(void)state;
	memset(in, 0xff, sizeof in);
	for (i = 0; i < sizeof in; i++) {
		a = (a + 0xff) % 65521;
		b = (b + a) % 65521;
	}
	assert_ok(chain_init(&t, NULL, "[\"bytes\", \"numcodecs.adler32\"]", "uint8", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(zinc_get_le32(t.out.p), b << 16 | a);
	chain_fini(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(check_values),
	    cmocka_unit_test(long_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
