/*
 * test_codec_unavailable.c - codecs of which only metadata can be read, and names of other writers
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"

static const uint64_t four[] = {4, ENDED};

/* Whatever the configuration is, the codec is known and the message says what it needs. */
static void
metadata_only(void **state)
{
	static const struct {
		const char *codecs, *says;
	} rows[] = {
	    {"[{\"name\": \"numcodecs.pcodec\", \"configuration\": {\"level\": 8}}]", "pco"},
	    {"[\"https://codec.zarrs.dev/array_to_bytes/pcodec\"]", "pco"},
	    {"[{\"name\": \"jpeg\", \"configuration\": {\"quality\": [1, 2]}}]", "JPEG"},
	    {"[\"imagecodecs_jpegxl\"]", "JPEG XL"},
	    {"[\"bytes\", {\"name\": \"zarrs.gdeflate\", \"configuration\": {\"level\": 1}}]", "GDeflate"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(chain_init(&t, NULL, rows[i].codecs, "uint8", four, NULL, false, &err),
				 ZINC_E_UNSUPPORTED);
		assert_string_equal(t.rule, "M20");
		assert_non_null(strstr(err.text, rows[i].says));
		chain_fini(&t);
	}
	/* in v2 they are compressors that take elements */
	assert_true(zinc_codec_find_v2("pcodec") == &zinc_codec_pcodec && zinc_codec_pcodec.compresses);
	/* the parser of the chain says what is missing, also of the short form */
	codec_words("numcodecs.pcodec:8", "uint8", "[{\"name\": \"numcodecs.pcodec\"}]");
}

/* URLs that zarrs wrote before its codecs were registered. */
static void
names_of_zarrs(void **state)
{
#define URL "https://codec.zarrs.dev/"
	static const struct {
		const char *name;
		const zinc_codec_ops *ops;
	} rows[] = {
	    {"zarrs.zfp", &zinc_codec_zfp},
	    {URL "array_to_bytes/zfp", &zinc_codec_zfp},
	    {URL "array_to_bytes/zfpy", &zinc_codec_zfpy},
	    {URL "array_to_array/bitround", &zinc_codec_bitround},
	    {URL "array_to_bytes/bitround", &zinc_codec_bitround},
	    {URL "array_to_bytes/vlen", &zinc_codec_zarrs_vlen},
	    {URL "array_to_bytes/vlen_v2", &zinc_codec_zarrs_vlen_v2},
	    {URL "array_to_bytes/vlen_utf8", &zinc_codec_vlen_utf8},
	    {URL "array_to_bytes/vlen_bytes", &zinc_codec_vlen_bytes},
	    {URL "array_to_bytes/vlen_array", &zinc_codec_vlen_array},
	    {URL "bytes_to_bytes/gdeflate", &zinc_codec_gdeflate},
	    {URL "bytes_to_bytes/bz2", &zinc_codec_bz2},
	    {URL "bytes_to_bytes/fletcher32", &zinc_codec_fletcher32},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		if (zinc_codec_find(rows[i].name) != rows[i].ops)
			fail_msg("%s", rows[i].name);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(metadata_only),
	    cmocka_unit_test(names_of_zarrs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
