/*
 * test_codec_crc32c.c - a checksum behind the bytes: M83, M84
 */
#include "support/chains.h"
#include "support/test.h"

#define CHAIN "[\"bytes\", \"crc32c\"]"

/* RFC 3720, B.4, and the check value of the catalogue. */
static void
vectors(void **state)
{
	static const struct {
		const char *in, *crc;
	} v[] = {
	    {"31 32 33 34 35 36 37 38 39", "83 92 06 e3"},
	    {"0000000000000000 0000000000000000 0000000000000000 0000000000000000", "aa 36 91 8a"},
	    {"ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff", "43 ab a8 62"},
	    {"0001020304050607 08090a0b0c0d0e0f 1011121314151617 18191a1b1c1d1e1f", "4e 79 dd 46"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[64], crc[4], back[64];
	chain_case t;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(v); i++) {
		const uint64_t shape[] = {n = unhex(v[i].in, in, sizeof in), ENDED};

		unhex(v[i].crc, crc, sizeof crc);
		assert_ok(chain_init(&t, NULL, CHAIN, "uint8", shape, NULL, true, &err));
		assert_true(t.chain->fixed_size);
		assert_ok(chain_encode(&t, in, &err));
		assert_int_equal(t.out.n, n + 4);
		assert_memory_equal(t.out.p, in, n);
		assert_memory_equal(t.out.p + n, crc, 4);
		assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
		assert_memory_equal(back, in, n);
		chain_fini(&t);
	}
}

/* M84: no damage of one bit goes unnoticed, nor any cut, and no byte of it is handed out. */
static void
damage(void **state)
{
	const uint64_t shape[] = {40, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[40], back[40];
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 7);
	assert_ok(chain_init(&t, NULL, CHAIN, "uint8", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(chain_damage(&t, t.out.p, t.out.n, in), 0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(chain_decode(&t, t.out.p, i, back, &err), ZINC_E_CORRUPT);
		assert_string_equal(err.codec, "crc32c");
	}
	t.out.p[3] ^= 1;
	assert_int_equal(chain_decode(&t, t.out.p, t.out.n, back, &err), ZINC_E_CHECKSUM);
	assert_string_equal(err.codec, "crc32c");
	assert_non_null(strstr(err.text, "M84"));
	chain_fini(&t);
}

/* Anywhere among the codecs, and more than once. */
static void
places(void **state)
{
	const uint64_t shape[] = {5, 7, ENDED};
	uint16_t in[35];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(in); i++)
		in[i] = (uint16_t)(i * 1000);
	chain_roundtrip("[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},\"crc32c\",\"crc32c\"]", "uint16",
			shape, NULL, in);
	chain_roundtrip("[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},"
			"{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},\"crc32c\"]",
			"uint16", shape, NULL, in);
}

static void
configuration(void **state)
{
	const uint64_t shape[] = {4, ENDED};
	const uint8_t in[] = {1, 2, 3, 4};

	(void)state;
	chain_roundtrip("[\"bytes\", {\"name\": \"crc32c\", \"configuration\": {}}]", "uint8", shape, NULL, in);
	chain_finds("[\"bytes\", {\"name\": \"crc32c\", \"configuration\": {\"location\": \"end\"}}]", "uint8", shape,
		    ZINC_OK, "M83", "/1/configuration/location");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(damage),
	    cmocka_unit_test(places),
	    cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
