/*
 * test_checksum.c - what the checksum codecs of Zarr v2 share: the promises of checksum.c, by number
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"

static const char *const codecs[] = {
    "[\"bytes\", \"numcodecs.crc32\"]",
    "[\"bytes\", {\"name\": \"numcodecs.crc32\", \"configuration\": {\"location\": \"end\"}}]",
    "[\"bytes\", \"numcodecs.adler32\"]",
    "[\"bytes\", {\"name\": \"numcodecs.adler32\", \"configuration\": {\"location\": \"end\"}}]",
    "[\"bytes\", {\"name\": \"numcodecs.crc32c\", \"configuration\": {\"location\": \"start\"}}]",
    "[\"bytes\", \"numcodecs.fletcher32\"]",
    "[\"bytes\", \"numcodecs.jenkins_lookup3\"]",
};

static const uint64_t forty[] = {40, ENDED};
static uint8_t in[40];

static int
make_elements(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 7);
	return 0;
}

/* (1) No damage of one bit goes unnoticed, nor any cut; and the status tells which it was. */
static void
damage(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t back[40];
	chain_case t;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(codecs); i++) {
		assert_ok(chain_init(&t, NULL, codecs[i], "uint8", forty, NULL, true, &err));
		assert_true(t.chain->fixed_size);
		assert_ok(chain_encode(&t, in, &err));
		assert_int_equal(t.out.n, 44);
		assert_int_equal(chain_damage(&t, t.out.p, t.out.n, in), 0);
		for (n = 0; n < 4; n++)
			assert_int_equal(chain_decode(&t, t.out.p, n, back, &err), ZINC_E_CORRUPT);
		for (n = 0; n < 44; n++) {
			t.out.p[n] ^= 0x10;
			assert_int_equal(chain_decode(&t, t.out.p, t.out.n, back, &err), ZINC_E_CHECKSUM);
			t.out.p[n] ^= 0x10;
		}
		chain_fini(&t);
	}
}

/* (2) The elements are looked at where they lie: behind the checksum, or from the first byte on. */
static void
not_copied(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	zinc_view v;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(codecs); i++) {
		const bool at_start = i == 0 || i == 2 || i == 4;

		assert_ok(chain_init(&t, NULL, codecs[i], "uint8", forty, NULL, true, &err));
		assert_ok(chain_encode(&t, in, &err));
		assert_ok(zinc_chain_decode(t.chain, t.s, forty, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &v, &err));
		assert_ptr_equal(v.p, t.out.p + (at_start ? 4 : 0));
		assert_memory_equal(v.p, in, sizeof in);
		chain_fini(&t);
	}
}

/* Several in a row, in front of and behind others, with elements that have to move and bytes that stand there already.
 */
static void
places(void **state)
{
	static const char mixed[] =
	    "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}},"
	    "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}, \"numcodecs.crc32\", \"crc32c\","
	    "\"numcodecs.adler32\", {\"name\": \"numcodecs.shuffle\", \"configuration\": {\"elementsize\": 3}},"
	    "\"numcodecs.fletcher32\", \"numcodecs.crc32\"]";
	const uint64_t shape[] = {5, 4, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t elements[20];
	zinc_view view = {.p = in, .strides = {1}};
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(elements); i++)
		elements[i] = (uint16_t)(i * 1000);
	chain_roundtrip(mixed, "uint16", shape, NULL, elements);
	codec_sweep("[\"bytes\", \"numcodecs.crc32\", \"numcodecs.adler32\"]", "uint8", forty, in);
	codec_warm("[\"bytes\", \"numcodecs.crc32\", \"numcodecs.fletcher32\"]", "uint8", forty, in);
	/* a chunk that is appended to another */
	assert_ok(chain_init(&t, NULL, codecs[0], "uint8", forty, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_ok(zinc_chain_encode(t.chain, t.s, forty, &view, &t.out, &err));
	assert_int_equal(t.out.n, 88);
	assert_memory_equal(t.out.p, t.out.p + 44, 44);
	chain_fini(&t);
}

/* (3) */
static void
configuration(void **state)
{
	(void)state;
	codec_prints(codecs[0], "uint8",
		     "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.crc32\", \"configuration\": {}}]",
		     "[{\"id\": \"crc32\"}]");
	codec_prints("[\"bytes\", {\"name\": \"numcodecs.adler32\", \"configuration\": {\"location\": \"start\"}}]",
		     "uint8", "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.adler32\", \"configuration\": {}}]",
		     "[{\"id\": \"adler32\"}]");
	codec_prints(codecs[1], "uint8",
		     "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.crc32\", \"configuration\": "
		     "{\"location\": \"end\"}}]",
		     "[{\"id\": \"crc32\", \"location\": \"end\"}]");
	chain_finds("[\"bytes\", {\"name\": \"numcodecs.crc32\", \"configuration\": {\"location\": \"middle\"}}]",
		    "uint8", forty, ZINC_E_CORRUPT, "crc32", "/1/configuration/location");
	chain_finds("[\"bytes\", {\"name\": \"numcodecs.adler32\", \"configuration\": {\"location\": 1}}]", "uint8",
		    forty, ZINC_E_CORRUPT, "adler32", "/1/configuration/location");
	chain_finds("[\"bytes\", {\"name\": \"numcodecs.crc32\", \"configuration\": {\"seed\": 1}}]", "uint8", forty,
		    ZINC_OK, "crc32", "/1/configuration/seed");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(damage),
	    cmocka_unit_test(not_copied),
	    cmocka_unit_test(places),
	    cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, make_elements, NULL);
}
