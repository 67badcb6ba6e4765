/*
 * test_codec_packbits.c - numbers of few bits side by side: the promises of codec_packbits.c, by number
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/random.h"
#include "support/test.h"

#define PACKBITS(members) "[{\"name\": \"packbits\", \"configuration\": {" members "}}]"
#define BITS(first, last)                                                                                              \
	"[{\"name\": \"packbits\", \"configuration\": {\"first_bit\": " first ", \"last_bit\": " last "}}]"
#define PADDED(where) PACKBITS("\"padding_encoding\": \"" where "\"")
#define PLAIN         "[\"packbits\"]"
#define AT            "/0/configuration"

static const uint64_t none[] = {0, ENDED}, scalar[] = {ENDED}, one[] = {1, ENDED}, two[] = {2, ENDED},
		      three[] = {3, ENDED}, four[] = {4, ENDED}, eight[] = {8, ENDED}, ten[] = {10, ENDED};

/* The vectors of the specification. */
static void
spec_vectors(void **state)
{
	const bool bools[] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
	const uint8_t twos[] = {0, 1, 2, 3};
	const int8_t fours[] = {1, -1, 7};

	(void)state;
	codec_encodes(PLAIN, "bool", ten, bools, ZINC_OK, "4902");
	codec_decodes(PLAIN, "bool", ten, "4902", ZINC_OK, bools);
	codec_encodes(BITS("0", "1"), "uint8", four, twos, ZINC_OK, "e4");
	codec_decodes(BITS("0", "1"), "uint8", four, "e4", ZINC_OK, twos);
	codec_encodes(BITS("0", "3"), "int8", three, fours, ZINC_OK, "f107");
	codec_decodes(BITS("0", "3"), "int8", three, "f107", ZINC_OK, fours);
	codec_encodes(PLAIN, "uint2", four, twos, ZINC_OK, "e4");
	codec_decodes(PLAIN, "uint2", four, "e4", ZINC_OK, twos);
	codec_encodes(PLAIN, "int4", three, fours, ZINC_OK, "f107");
	codec_decodes(PLAIN, "int4", three, "f107", ZINC_OK, fours);
}

/* (3) Numbers of padding bits, and empty, scalar and whole chunks. */
static void
padding(void **state)
{
	const bool in[] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1};

	(void)state;
	codec_encodes(PADDED("first_byte"), "bool", ten, in, ZINC_OK, "064902");
	codec_encodes(PADDED("last_byte"), "bool", ten, in, ZINC_OK, "490206");
	codec_encodes(PADDED("none"), "bool", ten, in, ZINC_OK, "4902");
	codec_encodes(PADDED("first_byte"), "bool", eight, in, ZINC_OK, "0049");
	codec_encodes(PADDED("first_byte"), "bool", none, in, ZINC_OK, "00");
	codec_encodes(PADDED("none"), "bool", none, in, ZINC_OK, "");
	codec_encodes(PADDED("last_byte"), "bool", scalar, in, ZINC_OK, "0107");
	codec_encodes(PADDED("first_byte"), "int16", one, "\1\2", ZINC_OK, ZINC_HOST_BIG ? "000201" : "000102");
	codec_decodes(PADDED("first_byte"), "bool", ten, "064902", ZINC_OK, in);
	codec_decodes(PADDED("last_byte"), "bool", ten, "490206", ZINC_OK, in);
	codec_decodes(PADDED("first_byte"), "bool", none, "00", ZINC_OK, in);
	/* padding is not read */
	codec_decodes(PADDED("last_byte"), "bool", ten, "49fe06", ZINC_OK, in);
	codec_decodes(PLAIN, "bool", ten, "49fe", ZINC_OK, in);
	/* a wrong number, too few or too many bytes */
	codec_decodes(PADDED("first_byte"), "bool", ten, "054902", ZINC_E_CORRUPT, NULL);
	codec_decodes(PADDED("last_byte"), "bool", ten, "490205", ZINC_E_CORRUPT, NULL);
	codec_decodes(PADDED("last_byte"), "bool", ten, "064902", ZINC_E_CORRUPT, NULL);
	codec_decodes(PADDED("first_byte"), "bool", eight, "0849", ZINC_E_CORRUPT, NULL);
	codec_decodes(PADDED("first_byte"), "bool", none, "08", ZINC_E_CORRUPT, NULL);
	codec_decodes(PADDED("first_byte"), "bool", none, "", ZINC_E_CORRUPT, NULL);
	codec_decodes(PADDED("first_byte"), "bool", ten, "4902", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "bool", ten, "490200", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "bool", ten, "49", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "uint16", two, "010203", ZINC_E_CORRUPT, NULL);
}

/* (1), (2) */
static void
ranges_of_bits(void **state)
{
	const int16_t in[] = {-512, 511, -1}, low[] = {-512, 508, -4}, beyond[] = {0, 512, 0};
	const uint16_t un[] = {0, 1023, 5}, un_beyond[] = {0, 0, 1024};
	const float floats[] = {1.0F, -2.5F, 0.0F}, digits[] = {1.0F, 2.5F, 0.1F};
	const uint8_t bools[] = {0, 1, 2};

	(void)state;
	codec_encodes(BITS("0", "9"), "int16", three, in, ZINC_OK, "00fef73f");
	codec_decodes(BITS("0", "9"), "int16", three, "00fef73f", ZINC_OK, in);
	codec_encodes(BITS("0", "9"), "int16", three, beyond, ZINC_E_RANGE, NULL);
	codec_encodes(BITS("2", "9"), "int16", three, in, ZINC_OK, "807fff");
	codec_decodes(BITS("2", "9"), "int16", three, "807fff", ZINC_OK, low);
	codec_encodes(BITS("0", "9"), "uint16", three, un, ZINC_OK, "00fc5f00");
	codec_encodes(BITS("0", "9"), "uint16", three, un_beyond, ZINC_E_RANGE, NULL);
	/* bits 16 to 31 of a float32 are a bfloat16; without the sign, negative numbers are refused */
	codec_encodes(BITS("16", "31"), "float32", three, floats, ZINC_OK, "803f 20c0 0000");
	codec_decodes(BITS("16", "31"), "float32", three, "803f 20c0 0000", ZINC_OK, floats);
	codec_encodes(BITS("16", "30"), "float32", three, floats, ZINC_E_RANGE, NULL);
	codec_encodes(BITS("16", "30"), "float32", three, digits, ZINC_OK, "803f1020730f");
	/* no bool at all */
	codec_encodes(PLAIN, "bool", three, bools, ZINC_E_RANGE, NULL);
}

/* Bit `i` of a number in memory. */
static unsigned
bit_of(const uint8_t *p, uint32_t size, unsigned i)
{
	return p[ZINC_HOST_BIG ? size - 1 - i / 8 : i / 8] >> i % 8 & 1;
}

static void
set_bit(uint8_t *p, uint32_t size, unsigned i, unsigned bit)
{
	uint8_t *byte = &p[ZINC_HOST_BIG ? size - 1 - i / 8 : i / 8];

	*byte = (uint8_t)((*byte & ~(1u << i % 8)) | bit << i % 8);
}

/* Make the part of an element one that is read as it is: extended above `last`, zero below `first`. */
static void
make_readable(uint8_t *p, uint32_t size, unsigned first, unsigned last, bool is_signed)
{
	unsigned i;

	for (i = 0; i < first; i++)
		set_bit(p, size, i, 0);
	for (i = last + 1; i < 8 * size; i++)
		set_bit(p, size, i, is_signed ? bit_of(p, size, last) : 0);
}

/* (1) Bit by bit, for every type and many ranges of bits. */
static void
bit_by_bit(const char *dtype, unsigned first, unsigned last, uint64_t n)
{
	const uint64_t shape[] = {n, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[64 * 16], back[64 * 16], want[64 * 16 + 1] = {0};
	unsigned b, nbits = 0;
	char codecs[120];
	chain_case t;
	uint64_t i;

	snprintf(codecs, sizeof codecs,
		 PACKBITS("\"first_bit\": %u, \"last_bit\": %u, \"padding_encoding\": \"last_byte\""), first, last);
	assert_ok(chain_init(&t, NULL, codecs, dtype, shape, NULL, true, &err));
	{
		const bool complex = t.dtype->kind == ZINC_KIND_COMPLEX;
		const uint32_t size = t.dtype->size / (complex ? 2 : 1);

		for (i = 0; i < n * (complex ? 2 : 1); i++) {
			const uint64_t bits = random_bits();

			memcpy(in + i * size, &bits, size);
			make_readable(in + i * size, size, first, last, t.dtype->kind == ZINC_KIND_INT);
			for (b = first; b <= last; b++, nbits++)
				want[nbits / 8] =
				    (uint8_t)(want[nbits / 8] | bit_of(in + i * size, size, b) << nbits % 8);
		}
	}
	want[(nbits + 7) / 8] = (uint8_t)((8 - nbits % 8) % 8);
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, (nbits + 7) / 8 + 1);
	assert_memory_equal(t.out.p, want, t.out.n);
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_memory_equal(back, in, chain_nbytes(&t));
	chain_fini(&t);
}

static void
all_ranges(void **state)
{
	static const struct {
		const char *dtype;
		unsigned bits;
	} types[] = {{"bool", 1},
		     {"int2", 2},
		     {"uint2", 2},
		     {"int4", 4},
		     {"uint4", 4},
		     {"int8", 8},
		     {"uint8", 8},
		     {"int16", 16},
		     {"uint16", 16},
		     {"int32", 32},
		     {"uint32", 32},
		     {"int64", 64},
		     {"uint64", 64},
		     {"float16", 16},
		     {"float32", 32},
		     {"float64", 64},
		     {"bfloat16", 16},
		     {"float4_e2m1fn", 4},
		     {"float6_e2m3fn", 6},
		     {"float6_e3m2fn", 6},
		     {"float8_e3m4", 8},
		     {"float8_e8m0fnu", 8},
		     {"complex64", 32},
		     {"complex128", 64},
		     {"complex_bfloat16", 16},
		     {"complex_float4_e2m1fn", 4},
		     {"complex_float6_e3m2fn", 6},
		     {"complex_float8_e5m2", 8}};
	unsigned first, last;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(types); i++)
		for (first = 0; first < types[i].bits; first++)
			for (last = first; last < types[i].bits; last++)
				if (types[i].bits <= 8 || random_below(5) == 0)
					bit_by_bit(types[i].dtype, first, last, random_below(41));
}

/* (2) A lost bit is found wherever it is, and the error names the element. */
static void
lost_bits(void **state)
{
	static const char *const chains[] = {BITS("1", "2"), BITS("0", "11")};
	static const char *const dtypes[] = {"uint8", "int32"};
	const uint64_t shape[] = {21, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[21 * 4] = {0};
	char name[40];
	chain_case t;
	size_t i, k;

	(void)state;
	for (k = 0; k < 2; k++) {
		assert_ok(chain_init(&t, NULL, chains[k], dtypes[k], shape, NULL, true, &err));
		for (i = 0; i < 21; i++) {
			memset(in, 0, sizeof in);
			set_bit(in + i * t.dtype->size, t.dtype->size, 8 * t.dtype->size - 1, 1);
			snprintf(name, sizeof name, "element %zu ", i);
			assert_int_equal(chain_encode(&t, in, &err), ZINC_E_RANGE);
			assert_non_null(strstr(zinc_error_text(&err), name));
		}
		chain_fini(&t);
	}
}

#define SHARD(codecs)                                                                                                  \
	"[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [5], \"codecs\": " codecs              \
	", \"index_codecs\": [\"packbits\", \"crc32c\"]}}]"

/* Behind a transpose, before compressors, in shards and in their index; all bits of whole bytes are the elements. */
static void
places(void **state)
{
	const uint64_t rows[] = {2, 5, ENDED};
	const uint16_t numbers[] = {1, 2, 3, 4, 65535, 6, 7, 8, 9, 10};
	const bool in[] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, fill = true;
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	chain_roundtrip("[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, \"packbits\", \"crc32c\"]",
			"bool", rows, NULL, in);
	chain_roundtrip("[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, \"packbits\"]", "uint16",
			rows, NULL, numbers);
	chain_roundtrip(SHARD(PLAIN), "bool", ten, &fill, in);
	chain_roundtrip(SHARD(BITS("0", "15")), "uint16", ten, numbers, numbers);
	assert_ok(chain_init(&t, NULL, PLAIN, "uint16", ten, NULL, true, &err));
	assert_int_equal(zinc_chain_plain(t.chain), ZINC_HOST_BIG ? 2 : 1);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, PADDED("first_byte"), "uint16", ten, NULL, true, &err));
	assert_int_equal(zinc_chain_plain(t.chain), 0);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, BITS("0", "14"), "uint16", ten, NULL, true, &err));
	assert_int_equal(zinc_chain_plain(t.chain), 0);
	chain_fini(&t);
}

static void
configuration(void **state)
{
	const bool in[8] = {true};

	(void)state;
	codec_prints(PLAIN, "bool", "[{\"name\": \"packbits\"}]", "[]");
	codec_prints(PACKBITS("\"first_bit\": null, \"last_bit\": null"), "int16", "[{\"name\": \"packbits\"}]", "[]");
	codec_prints(PACKBITS("\"padding_encoding\": \"last_byte\", \"first_bit\": 0, \"last_bit\": 9"), "int16",
		     PACKBITS("\"padding_encoding\": \"last_byte\", \"first_bit\": 0, \"last_bit\": 9"), "[]");
	codec_words("packbits+crc32c", "bool", "[{\"name\": \"packbits\"}, {\"name\": \"crc32c\"}]");
	codec_words("packbits:1", "bool", NULL);
	codec_sweep(PADDED("first_byte"), "bool", eight, in);
	codec_warm(PADDED("first_byte"), "bool", eight, in);
}

#define REFUSED(members, dtype, at) chain_finds(PACKBITS(members), dtype, eight, ZINC_E_CORRUPT, "packbits", at)
#define ODD(members, at)            chain_finds(PACKBITS(members), "int16", eight, ZINC_OK, "packbits", at)

static void
findings(void **state)
{
	(void)state;
	REFUSED("\"first_bit\": 1", "bool", AT);
	REFUSED("\"last_bit\": 1", "bool", AT);
	REFUSED("\"last_bit\": 16", "int16", AT);
	REFUSED("\"last_bit\": 64", "int64", AT "/last_bit");
	REFUSED("\"last_bit\": 32", "complex64", AT);
	REFUSED("\"first_bit\": 3, \"last_bit\": 2", "int16", AT);
	REFUSED("\"first_bit\": -1", "int16", AT "/first_bit");
	REFUSED("\"first_bit\": \"1\"", "int16", AT "/first_bit");
	REFUSED("\"padding_encoding\": \"middle\"", "int16", AT "/padding_encoding");
	REFUSED("\"padding_encoding\": null", "int16", AT "/padding_encoding");
	REFUSED("", "r16", AT);
	REFUSED("", "M8[ns]", AT);
	REFUSED("\"first_bit\": 1, \"start_bit\": 1", "int16", AT);
	/* the spelling of the schema, and unknown members */
	ODD("\"start_bit\": 1", AT);
	ODD("\"end_bit\": 1", AT);
	ODD("\"padding_encoding\": \"end_byte\"", AT);
	ODD("\"bit\": 1", AT "/bit");
	chain_finds("[\"packbits\", \"bytes\"]", "bool", eight, ZINC_E_CORRUPT, "M62", "/1");
	chain_finds("[\"packbits\"]", "string", eight, ZINC_E_CORRUPT, "packbits", "/0");
}

/* The schema's names mean the same. */
static void
other_spelling(void **state)
{
	static const char codecs[] = PACKBITS("\"start_bit\": 1, \"end_bit\": 2, \"padding_encoding\": \"end_byte\"");
	const uint8_t in[] = {2, 4, 6, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *v = NULL;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, codecs, "uint8", four, NULL, false, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, 2);
	assert_memory_equal(t.out.p, "\x39\0", 2);
	assert_ok(zinc_json_new(&doc, NULL, &err));
	assert_ok(zinc_chain_print(t.chain, doc, &v, &err));
	v = zinc_json_member(v->first, "configuration");
	assert_true(zinc_json_is_string(zinc_json_member(v, "padding_encoding"), "last_byte"));
	assert_non_null(zinc_json_member(v, "first_bit"));
	assert_non_null(zinc_json_member(v, "last_bit"));
	assert_null(zinc_json_member(v, "start_bit"));
	zinc_json_free(doc);
	chain_fini(&t);
}

/* (4) */
static void
fill_values(void **state)
{
	const uint16_t zero = 0, low = 1, inside = 6, high = 8;
	const int8_t minus = -1, minus8 = -8, fifteen = 15;
	const float pair[] = {2, 1}, odd[] = {2, 0.1F};
	const struct {
		const char *codecs, *dtype;
		const void *fill;
		bool changes;
	} rows[] = {{BITS("1", "2"), "uint16", &zero, false},   {BITS("1", "2"), "uint16", &low, true},
		    {BITS("1", "2"), "uint16", &inside, false}, {BITS("1", "2"), "uint16", &high, true},
		    {BITS("0", "3"), "int8", &minus, false},    {BITS("0", "3"), "int8", &minus8, false},
		    {BITS("0", "3"), "int8", &fifteen, true},   {BITS("16", "31"), "complex64", pair, false},
		    {BITS("16", "31"), "complex64", odd, true}, {BITS("1", "2"), "uint16", NULL, false}};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_ok(chain_init(&t, NULL, rows[i].codecs, rows[i].dtype, four, rows[i].fill, false, &err));
		assert_int_equal(t.found, rows[i].changes);
		if (rows[i].changes)
			assert_non_null(strstr(t.message, "fill_value changes in chunks that are written"));
		chain_fini(&t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spec_vectors),  cmocka_unit_test(padding),   cmocka_unit_test(ranges_of_bits),
	    cmocka_unit_test(all_ranges),    cmocka_unit_test(lost_bits), cmocka_unit_test(places),
	    cmocka_unit_test(configuration), cmocka_unit_test(findings),  cmocka_unit_test(other_spelling),
	    cmocka_unit_test(fill_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
