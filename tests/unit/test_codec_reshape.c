/*
 * test_codec_reshape.c - reshape and zarrs.squeeze: the promises of codec_reshape.c, by number
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"

#define RESHAPE(shape)   "{\"name\": \"reshape\", \"configuration\": {\"shape\": " shape "}}"
#define TRANSPOSE(order) "{\"name\": \"transpose\", \"configuration\": {\"order\": " order "}}"
#define SQUEEZE          "{\"name\": \"zarrs.squeeze\"}"
#define BYTES            "\"bytes\""
#define CHAIN(shape)     "[" RESHAPE(shape) ", " BYTES "]"
#define AT               "/0/configuration/shape"

static const uint64_t scalar[] = {ENDED}, s23[] = {2, 3, ENDED}, s234[] = {2, 3, 4, ENDED}, s06[] = {0, 6, ENDED},
		      s5443[] = {5, 4, 4, 3, ENDED}, ones[] = {1, 1, ENDED}, s1213[] = {1, 2, 1, 3, ENDED};

/* The shape that the array->bytes codec sees, as "5000,64,3"; the elements keep their order. */
static void
reshapes(const char *codecs, const uint64_t *shape, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[256], back[256];
	char text[128] = "";
	chain_case t;
	size_t n;
	int i;

	for (n = 0; n < sizeof in; n++)
		in[n] = (uint8_t)n;
	assert_ok(chain_init(&t, NULL, codecs, "uint8", shape, NULL, true, &err));
	for (i = 0; i < t.chain->ab_rep.ndim; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? "," : "",
			 (unsigned)t.chain->ab_rep.shape[i]);
	assert_string_equal(text, want);
	assert_true(t.chain->fixed_size);
	n = chain_nbytes(&t);
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, n);
	assert_memory_equal(t.out.p, in, n);
	assert_ok(chain_decode(&t, in, n, back, &err));
	assert_memory_equal(back, in, n);
	chain_fini(&t);
}

/* (1), and the examples of the extension's page. */
static void
shapes(void **state)
{
	(void)state;
	reshapes(CHAIN("[[0, 1], [2], 3]"), s5443, "20,4,3");
	reshapes(CHAIN("[[0, 1], -1, [3]]"), s5443, "20,4,3");
	reshapes(CHAIN("[-1]"), s5443, "240");
	reshapes(CHAIN("[8, -1]"), s234, "8,3");
	reshapes(CHAIN("[[0], 12]"), s234, "2,12");
	reshapes(CHAIN("[[], [0], 1, [1, 2]]"), s234, "1,2,1,12");
	reshapes(CHAIN("[2, 3, [2]]"), s234, "2,3,4");
	reshapes(CHAIN("[]"), ones, "");
	reshapes(CHAIN("[1, -1]"), scalar, "1,1");
	reshapes(CHAIN("[[0], [1]]"), s06, "0,6");
	reshapes(CHAIN("[-1, 3]"), s06, "0,3");
	reshapes("[" SQUEEZE ", " BYTES "]", s1213, "2,3");
	reshapes("[" SQUEEZE ", " BYTES "]", s234, "2,3,4");
	reshapes("[" SQUEEZE ", " BYTES "]", ones, "1");
	reshapes("[" SQUEEZE ", " BYTES "]", scalar, "1");
}

/* Beside codecs that move elements, in both orders: [[0,1],[2]] of 2x3x4 is 6x4, whose transpose is 4x6. */
static void
with_others(void **state)
{
	const uint8_t in[6] = {0, 1, 2, 3, 4, 5};
	uint16_t wide[24];
	unsigned i;

	(void)state;
	for (i = 0; i < 24; i++)
		wide[i] = (uint16_t)(i * 257);
	codec_encodes("[" RESHAPE("[3, 2]") ", " TRANSPOSE("[1, 0]") ", " BYTES "]", "uint8", s23, in, ZINC_OK,
		      "000204 010305");
	codec_encodes("[" TRANSPOSE("[1, 0]") ", " RESHAPE("[2, 3]") ", " BYTES "]", "uint8", s23, in, ZINC_OK,
		      "000301 040205");
	chain_roundtrip("[" RESHAPE("[[0, 1], [2]]") ", " TRANSPOSE("[1, 0]") ", " RESHAPE(
			    "[-1]") ", {\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}, \"crc32c\"]",
			"uint16", s234, NULL, wide);
	chain_roundtrip("[" RESHAPE("[6, 4]") ", {\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": "
					      "[3, 2], \"codecs\": [" RESHAPE(
						  "[-1]") ", {\"name\": \"bytes\", \"configuration\": "
							  "{\"endian\": \"little\"}}], \"index_codecs\": [{\"name\": "
							  "\"bytes\", \"configuration\": "
							  "{\"endian\": \"little\"}}, \"crc32c\"]}}, \"crc32c\"]",
			"uint16", s234, NULL, wide);
}

/* Chunks of other shapes than the largest, as a grid of several sizes has them. */
static void
other_chunks(void **state)
{
	const uint64_t s24[] = {2, 4}, s22[] = {2, 2}, s21[] = {2, 1};
	zinc_error err = ZINC_ERROR_INIT;
	const uint8_t in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	zinc_view v;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, CHAIN("[4, -1]"), "uint8", (const uint64_t[]){2, 4, ENDED}, NULL, true, &err));
	assert_ok(zinc_chain_decode(t.chain, t.s, s24, (zinc_bytes){in, 8}, NULL, 0, &v, &err));
	assert_int_equal(v.strides[0], 4);
	assert_ok(zinc_chain_decode(t.chain, t.s, s22, (zinc_bytes){in, 4}, NULL, 0, &v, &err));
	assert_memory_equal(v.p, in, 4);
	assert_int_equal(v.strides[0], 2);
	assert_int_equal(zinc_chain_decode(t.chain, t.s, s21, (zinc_bytes){in, 2}, NULL, 0, &v, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.codec, "reshape");
	chain_fini(&t);
	/* without dimensions of one element such a chunk has fewer dimensions, and the next codec was made for two */
	assert_ok(chain_init(&t, NULL, "[" SQUEEZE ", " BYTES "]", "uint8", (const uint64_t[]){2, 4, ENDED}, NULL, true,
			     &err));
	assert_int_equal(zinc_chain_decode(t.chain, t.s, s21, (zinc_bytes){in, 2}, NULL, 0, &v, &err),
			 ZINC_E_UNSUPPORTED);
	chain_fini(&t);
}

/* (2), and everything else that cannot be. */
static void
configuration(void **state)
{
	static const struct {
		const char *shape, *at;
	} wrong[] = {
	    {"[5, 5]", ""},
	    {"[7, -1]", ""},
	    {"[[0], [1]]", ""},
	    {"[[1, 2], 2]", ""},
	    {"[12, [0]]", ""},
	    {"[[0, 2], 3]", ""},
	    {"[4, [1], 2]", ""},
	    {"[1, 24, [0]]", ""},
	    {"3", ""},
	    {"[[1], [0]]", "/1"},
	    {"[[1, 0], 4]", "/0"},
	    {"[[0, 0], 12]", "/0"},
	    {"[[3], 1]", "/0"},
	    {"[[-1], 1]", "/0"},
	    {"[[0.5], 1]", "/0"},
	    {"[-1, -1]", "/1"},
	    {"[0, 24]", "/0"},
	    {"[-2]", "/0"},
	    {"[\"a\"]", "/0"},
	    {"[null]", "/0"},
	    {"[9223372036854775807, 9223372036854775807]", ""},
	    {"[18446744073709551615]", "/0"},
	};
	char codecs[200], at[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(wrong); i++) {
		snprintf(codecs, sizeof codecs, CHAIN("%s"), wrong[i].shape);
		snprintf(at, sizeof at, AT "%s", wrong[i].at);
		chain_finds(codecs, "uint8", s234, ZINC_E_CORRUPT, "reshape", at);
	}
	chain_finds(
	    CHAIN("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
		  "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,24]"),
	    "uint8", s234, ZINC_E_UNSUPPORTED, "reshape", AT);
	chain_finds(CHAIN("[0]"), "uint8", s06, ZINC_E_CORRUPT, "reshape", AT "/0");
	chain_finds("[\"reshape\", " BYTES "]", "uint8", s234, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds("[{\"name\": \"reshape\", \"configuration\": {}}, " BYTES "]", "uint8", s234, ZINC_E_CORRUPT,
		    "reshape", "/0/configuration");
	chain_finds("[{\"name\": \"reshape\", \"configuration\": {\"shape\": [-1], \"order\": \"C\"}}, " BYTES "]",
		    "uint8", s234, ZINC_OK, "reshape", "/0/configuration/order");
	codec_prints(CHAIN("[2, [], -1]"), "uint8", "[" RESHAPE("[2, [], -1]") ", {\"name\": \"bytes\"}]", "[]");
	codec_prints(CHAIN("[1, [0]]"), "uint8", "[" RESHAPE("[1, [0]]") ", {\"name\": \"bytes\"}]", "[]");
	codec_prints("[" SQUEEZE ", " BYTES "]", "uint8", "[" SQUEEZE ", {\"name\": \"bytes\"}]", "[]");
	codec_words("reshape:[[0],-1]", "uint8", "[" RESHAPE("[[0], -1]") ", {\"name\": \"bytes\"}]");
	codec_words("reshape", "uint8", NULL);
	codec_words("reshape:[", "uint8", NULL);
	codec_words("reshape:1:2", "uint8", NULL);
}

static void
memory(void **state)
{
	const uint8_t in[24] = {1, 2, 3};

	(void)state;
	codec_sweep("[" RESHAPE("[[0, 1], -1]") ", " BYTES ", \"crc32c\"]", "uint8", s234, in);
	codec_warm("[" RESHAPE("[[0, 1], -1]") ", " BYTES ", \"crc32c\"]", "uint8", s234, in);
	codec_warm("[" RESHAPE("[[0, 1], -1]") ", " TRANSPOSE("[1, 0]") ", " BYTES "]", "uint8", s234, in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shapes),        cmocka_unit_test(with_others), cmocka_unit_test(other_chunks),
	    cmocka_unit_test(configuration), cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
