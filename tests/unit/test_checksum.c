/*
 * test_checksum.c - the codecs that add a checksum: crc32c of v3 and those of numcodecs; the promises of checksum.c, by number
 *
 * A codec is a row of each table here: its chains, known values, printed forms and valid configurations.
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/random.h"
#include "support/test.h"
#include "support/vectors.h"

#define CODEC(name, configuration) "[\"bytes\", {\"name\": \"" name "\", \"configuration\": {" configuration "}}]"
#define BARE(name)                 "[\"bytes\", \"" name "\"]"

#define CRC32       BARE("numcodecs.crc32")
#define CRC32_END   CODEC("numcodecs.crc32", "\"location\": \"end\"")
#define ADLER32     BARE("numcodecs.adler32")
#define ADLER32_END CODEC("numcodecs.adler32", "\"location\": \"end\"")
#define FLETCHER32  BARE("numcodecs.fletcher32")
#define LOOKUP3     BARE("numcodecs.jenkins_lookup3")

/* Every chain, the name in its errors, and where the checksum is. */
static const struct {
	const char *chain, *name;
	bool at_start;
} codecs[] = {
    {BARE("crc32c"), "crc32c", false},
    {CODEC("numcodecs.crc32c", "\"location\": \"start\""), "crc32c", true},
    {CRC32, "crc32", true},
    {CRC32_END, "crc32", false},
    {ADLER32, "adler32", true},
    {ADLER32_END, "adler32", false},
    {FLETCHER32, "fletcher32", false},
    {LOOKUP3, "jenkins_lookup3", false},
};

/* Output of numcodecs. */
static void
written_by_numcodecs(void **state)
{
	static const char *const names[] = {"numcodecs.crc32", "numcodecs.adler32", "numcodecs.fletcher32",
					    "numcodecs.jenkins_lookup3"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		vectors_run(names[i]);
}

#define DIGITS "31 32 33 34 35 36 37 38 39"
#define ZEROS  "0000000000000000 0000000000000000 0000000000000000 0000000000000000"
#define ONES   "ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff"
#define RAMP   "0001020304050607 08090a0b0c0d0e0f 1011121314151617 18191a1b1c1d1e1f"
#define SCORE  "466f7572 2073636f 72652061 6e642073 6576656e 20796561 72732061 676f" /* Four score and seven ... */

/* Known values: bytes and their encoded form, which decodes to them. */
static void
known_values(void **state)
{
	static const struct {
		const char *chain, *bytes, *encoded;
	} rows[] = {
	    /* RFC 3720, B.4, and the check value of the catalogue */
	    {BARE("crc32c"), DIGITS, DIGITS "839206e3"},
	    {BARE("crc32c"), ZEROS, ZEROS "aa36918a"},
	    {BARE("crc32c"), ONES, ONES "43aba862"},
	    {BARE("crc32c"), RAMP, RAMP "4e79dd46"},
	    /* the check value of the catalogue, and no bytes */
	    {CRC32, DIGITS, "2639f4cb" DIGITS},
	    {CRC32_END, DIGITS, DIGITS "2639f4cb"},
	    {CRC32, "", "00000000"},
	    /* the values of zlib */
	    {ADLER32, DIGITS, "de011e09" DIGITS},
	    {ADLER32_END, DIGITS, DIGITS "de011e09"},
	    {ADLER32, "", "01000000"},
	    /* HDF5: words are big-endian, an odd byte is the upper half of one, only zeros give 0 */
	    {FLETCHER32, "6162", "6162 62616261"},
	    {FLETCHER32, "61", "61 00610061"},
	    {FLETCHER32, "616263", "616263 62c4c525"},
	    {FLETCHER32, "ffff", "ffff ffffffff"},
	    {FLETCHER32, "0000", "0000 00000000"},
	    {FLETCHER32, "", "00000000"},
	    /* the author's own examples, from 0 and from 1 */
	    {LOOKUP3, SCORE, SCORE "51057717"},
	    {CODEC("numcodecs.jenkins_lookup3", "\"initval\": 1"), SCORE, SCORE "618162cd"},
	    {LOOKUP3, "", "efbeadde"},
	    {CODEC("numcodecs.jenkins_lookup3", "\"initval\": 3735928559"), "", "de7d5bbd"},
	};
	uint8_t bytes[64];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const uint64_t shape[] = {unhex(rows[i].bytes, bytes, sizeof bytes), ENDED};

		codec_encodes(rows[i].chain, "uint8", shape, bytes, ZINC_OK, rows[i].encoded);
		codec_decodes(rows[i].chain, "uint8", shape, rows[i].encoded, ZINC_OK, bytes);
	}
}

/* A checksum of other bytes, or in another place. */
static void
wrong_values(void **state)
{
	static const struct {
		const char *chain;
		uint64_t n;
		const char *encoded;
	} rows[] = {
	    {CRC32_END, 9, "2639f4cb" DIGITS},
	    {ADLER32_END, 9, "de011e09" DIGITS},
	    {FLETCHER32, 3, "616263 62c4c526"},
	    {FLETCHER32, 2, "ffff 00000000"}, /* 0 and 65535 are the same modulo 65535, but not the same checksum */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const uint64_t shape[] = {rows[i].n, ENDED};

		codec_decodes(rows[i].chain, "uint8", shape, rows[i].encoded, ZINC_E_CHECKSUM, NULL);
	}
}

/* ---- long inputs, against sums that are reduced at every step ---- */

static uint32_t
encode_long(const char *chain, const uint8_t *bytes, size_t n, size_t at)
{
	const uint64_t shape[] = {n, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint32_t sum;
	chain_case t;

	assert_ok(chain_init(&t, NULL, chain, "uint8", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, bytes, &err));
	sum = zinc_get_le32(t.out.p + at);
	chain_fini(&t);
	return sum;
}

/* Adler-32 reduces in time: the worst bytes, more of them than there are between two reductions. */
static void
long_adler32(void **state)
{
	static uint8_t bytes[20000];
	uint64_t a = 1, b = 0;

	(void)state;
	memset(bytes, 0xff, sizeof bytes);
	for (size_t i = 0; i < sizeof bytes; i++) {
		a = (a + 0xff) % 65521;
		b = (b + a) % 65521;
	}
	assert_int_equal(encode_long(ADLER32, bytes, sizeof bytes, 0), b << 16 | a);
}

/* HDF5 folds the carry into each sum of Fletcher-32 after every 360 words; longer runs must give the same. */
static void
long_fletcher32(void **state)
{
	static uint8_t bytes[300001];
	const size_t n = sizeof bytes;
	uint32_t sum = 0, sums = 0;

	(void)state;
	for (size_t i = 0; i < n; i++)
		bytes[i] = i < n / 2 ? 0xff : (uint8_t)random_bits();
	for (size_t i = 0; i < n; i += 2) {
		sum += (uint32_t)bytes[i] << 8 | (i + 1 < n ? bytes[i + 1] : 0);
		sum = (sum & 0xffff) + (sum >> 16);
		sums += sum;
		sums = (sums & 0xffff) + (sums >> 16);
	}
	assert_int_equal(encode_long(FLETCHER32, bytes, n, n), sums << 16 | sum);
}

/* ---- common tests ---- */

static const uint64_t forty[] = {40, ENDED};
static uint8_t in[40];

static int
make_elements(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 7);
	return 0;
}

/* (1) M84: every flipped bit and every truncation is detected; the status tells which, the error names the codec. */
static void
damage(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t back[40];
	chain_case t;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(codecs); i++) {
		assert_ok(chain_init(&t, NULL, codecs[i].chain, "uint8", forty, NULL, true, &err));
		assert_true(t.chain->fixed_size);
		assert_ok(chain_encode(&t, in, &err));
		assert_int_equal(t.out.n, 44);
		assert_int_equal(chain_damage(&t, t.out.p, t.out.n, in), 0);
		for (n = 0; n < 4; n++) {
			assert_int_equal(chain_decode(&t, t.out.p, n, back, &err), ZINC_E_CORRUPT);
			assert_non_null(strstr(err.codec, codecs[i].name));
		}
		for (n = 0; n < 44; n++) {
			t.out.p[n] ^= 0x10;
			assert_int_equal(chain_decode(&t, t.out.p, t.out.n, back, &err), ZINC_E_CHECKSUM);
			assert_non_null(strstr(err.codec, codecs[i].name));
			t.out.p[n] ^= 0x10;
		}
		assert_true(i != 0 || strstr(err.text, "M84"));
		chain_fini(&t);
	}
}

/* (2) The elements are read in place: after the checksum, or from the first byte on. */
static void
not_copied(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	zinc_view v;

	(void)state;
	for (size_t i = 0; i < COUNT(codecs); i++) {
		assert_ok(chain_init(&t, NULL, codecs[i].chain, "uint8", forty, NULL, true, &err));
		assert_ok(chain_encode(&t, in, &err));
		assert_ok(zinc_chain_decode(t.chain, t.s, forty, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &v, &err));
		assert_ptr_equal(v.p, t.out.p + (codecs[i].at_start ? 4 : 0));
		assert_memory_equal(v.p, in, sizeof in);
		chain_fini(&t);
	}
}

#define TRANSPOSE     "{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}"
#define SHUFFLE       "{\"name\": \"numcodecs.shuffle\", \"configuration\": {\"elementsize\": 3}}"
#define BYTES(endian) "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"" endian "\"}}"

/* Several in a row, before and after other codecs, with elements that must be moved. */
static void
places(void **state)
{
	static const char *const chains[] = {
	    "[" TRANSPOSE ", " BYTES("big") ", \"numcodecs.crc32\", \"crc32c\", \"numcodecs.adler32\", " SHUFFLE
					    ", \"numcodecs.fletcher32\", \"numcodecs.crc32\"]",
	    "[" BYTES("big") ", \"crc32c\", \"crc32c\"]",
	    "[" TRANSPOSE ", " BYTES("little") ", \"crc32c\"]",
	};
	const uint64_t shape[] = {5, 7, ENDED};
	uint16_t elements[35];

	(void)state;
	for (size_t i = 0; i < COUNT(elements); i++)
		elements[i] = (uint16_t)(i * 1000);
	for (size_t i = 0; i < COUNT(chains); i++)
		chain_roundtrip(chains[i], "uint16", shape, NULL, elements);
	codec_sweep("[\"bytes\", \"numcodecs.crc32\", \"numcodecs.adler32\"]", "uint8", forty, in);
	codec_warm("[\"bytes\", \"numcodecs.crc32\", \"numcodecs.fletcher32\"]", "uint8", forty, in);
}

/* A chunk that is appended to existing bytes. */
static void
appended(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_view view = {.p = in, .strides = {1}};
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, CRC32, "uint8", forty, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_ok(zinc_chain_encode(t.chain, t.s, forty, &view, &t.out, &err));
	assert_int_equal(t.out.n, 88);
	assert_memory_equal(t.out.p, t.out.p + 44, 44);
	chain_fini(&t);
}

/* ---- configurations ---- */

#define PRINTED(name, configuration)                                                                                   \
	"[{\"name\": \"bytes\"}, {\"name\": \"" name "\", \"configuration\": {" configuration "}}]"

/* (3) The printed form of a chain, in v3 and in v2. */
static void
prints(void **state)
{
	static const struct {
		const char *chain, *v3, *v2;
	} rows[] = {
	    {CRC32, PRINTED("numcodecs.crc32", ""), "[{\"id\": \"crc32\"}]"},
	    {CRC32_END, PRINTED("numcodecs.crc32", "\"location\": \"end\""),
	     "[{\"id\": \"crc32\", \"location\": \"end\"}]"},
	    {CODEC("numcodecs.adler32", "\"location\": \"start\""), PRINTED("numcodecs.adler32", ""),
	     "[{\"id\": \"adler32\"}]"},
	    {FLETCHER32, PRINTED("numcodecs.fletcher32", ""), "[{\"id\": \"fletcher32\"}]"},
	    {LOOKUP3, PRINTED("numcodecs.jenkins_lookup3", "\"initval\": 0, \"prefix\": null"),
	     "[{\"id\": \"jenkins_lookup3\", \"initval\": 0, \"prefix\": null}]"},
	    {CODEC("numcodecs.jenkins_lookup3", "\"initval\": 4294967295, \"prefix\": null"),
	     PRINTED("numcodecs.jenkins_lookup3", "\"initval\": 4294967295, \"prefix\": null"),
	     "[{\"id\": \"jenkins_lookup3\", \"initval\": 4294967295, \"prefix\": null}]"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		codec_prints(rows[i].chain, "uint8", rows[i].v3, rows[i].v2);
	codec_words("numcodecs.crc32", "uint8", "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.crc32\"}]");
	codec_words("numcodecs.crc32:end", "uint8", NULL);
	codec_words("numcodecs.adler32", "uint8", "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.adler32\"}]");
	codec_words("numcodecs.adler32:end", "uint8", NULL);
	chain_roundtrip(CODEC("crc32c", ""), "uint8", forty, NULL, in);
}

/* (3) Invalid configurations; M83 for crc32c. */
static void
configurations(void **state)
{
	static const struct {
		const char *chain;
		zinc_status st;
		const char *rule, *pointer;
	} rows[] = {
	    {CODEC("crc32c", "\"location\": \"end\""), ZINC_OK, "M83", "/1/configuration/location"},
	    {CODEC("numcodecs.crc32", "\"location\": \"middle\""), ZINC_E_CORRUPT, "crc32",
	     "/1/configuration/location"},
	    {CODEC("numcodecs.adler32", "\"location\": 1"), ZINC_E_CORRUPT, "adler32", "/1/configuration/location"},
	    {CODEC("numcodecs.crc32", "\"seed\": 1"), ZINC_OK, "crc32", "/1/configuration/seed"},
	    {CODEC("numcodecs.fletcher32", "\"location\": \"start\""), ZINC_OK, "fletcher32",
	     "/1/configuration/location"},
	    {CODEC("numcodecs.jenkins_lookup3", "\"initval\": 4294967296"), ZINC_E_CORRUPT, "jenkins_lookup3",
	     "/1/configuration/initval"},
	    {CODEC("numcodecs.jenkins_lookup3", "\"initval\": -1"), ZINC_E_CORRUPT, "jenkins_lookup3",
	     "/1/configuration/initval"},
	    {CODEC("numcodecs.jenkins_lookup3", "\"prefix\": \"ab\""), ZINC_E_UNSUPPORTED, "jenkins_lookup3",
	     "/1/configuration"},
	    {CODEC("numcodecs.jenkins_lookup3", "\"location\": \"end\""), ZINC_OK, "jenkins_lookup3",
	     "/1/configuration/location"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		chain_finds(rows[i].chain, "uint8", forty, rows[i].st, rows[i].rule, rows[i].pointer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(written_by_numcodecs),
	    cmocka_unit_test(known_values),
	    cmocka_unit_test(wrong_values),
	    cmocka_unit_test(long_adler32),
	    cmocka_unit_test(long_fletcher32),
	    cmocka_unit_test(damage),
	    cmocka_unit_test(not_copied),
	    cmocka_unit_test(places),
	    cmocka_unit_test(appended),
	    cmocka_unit_test(prints),
	    cmocka_unit_test(configurations),
	};

	return cmocka_run_group_tests(tests, make_elements, NULL);
}
