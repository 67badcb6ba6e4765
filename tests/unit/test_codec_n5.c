/*
 * test_codec_n5.c - blocks of N5: the promises of codec_n5.c, by number
 */
#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/findings.h"
#include "support/test.h"

#define BIG         "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}"
#define TURN(order) "{\"name\": \"transpose\", \"configuration\": {\"order\": " order "}}"
#define N5(list)    "[{\"name\": \"n5\", \"configuration\": {\"codecs\": [" list "]}}]"
#define V3(list)    "[{\"name\": \"n5_default\", \"configuration\": {\"codecs\": [" list "]}}]"
#define GZIP        "{\"name\": \"gzip\", \"configuration\": {\"level\": 5}}"
#define PLAIN       N5(BIG)
#define PLAIN_V3    V3(TURN("[1, 0]") ", " BIG)

static const uint64_t three[] = {3, 2, 1, ENDED}, matrix[] = {2, 3, ENDED}, four[] = {4, ENDED};
static const int16_t one_to_six[] = {1, 2, 3, 4, 5, 6};

/* The example of the specification of N5: a block of 1 x 2 x 3 int16, 1 to 6.  Zinc shows the axes reversed. */
static void
specification(void **state)
{
	(void)state;
	codec_encodes(PLAIN, "int16", three, one_to_six, ZINC_OK,
		      "0000 0003 00000001 00000002 00000003 0001 0002 0003 0004 0005 0006");
	codec_decodes(PLAIN, "int16", three, "0000 0003 00000001 00000002 00000003 0001 0002 0003 0004 0005 0006",
		      ZINC_OK, one_to_six);
}

/* The same bytes of a matrix: n5 has its axes reversed, n5_default has N5's own, column after column. */
static void
orders(void **state)
{
	static const int16_t turned[] = {1, 3, 5, 2, 4, 6};

	(void)state;
	codec_encodes(PLAIN, "int16", matrix, one_to_six, ZINC_OK,
		      "0000 0002 00000003 00000002 0001 0002 0003 0004 0005 0006");
	codec_encodes(PLAIN_V3, "int16", matrix, turned, ZINC_OK,
		      "0000 0002 00000002 00000003 0001 0002 0003 0004 0005 0006");
	codec_decodes(PLAIN_V3, "int16", matrix, "0000 0002 00000002 00000003 0001 0002 0003 0004 0005 0006", ZINC_OK,
		      turned);
	codec_encodes(V3(BIG), "int16", four, one_to_six, ZINC_OK, "0000 0001 00000004 0001 0002 0003 0004");
	codec_encodes(V3(TURN("[0]") ", " BIG), "int16", four, one_to_six, ZINC_OK,
		      "0000 0001 00000004 0001 0002 0003 0004");
	codec_encodes(N5("\"bytes\""), "uint8", four, "abcd", ZINC_OK, "0000 0001 00000004 61626364");
}

/* (1) */
static void
own_shape(void **state)
{
	static const uint64_t small[] = {1, 2, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_view v = {.p = (uint8_t *)(uintptr_t)one_to_six, .strides = {4, 2}};
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, PLAIN, "int16", matrix, NULL, true, &err));
	zinc_buf_end(&t.out, 0);
	assert_ok(zinc_chain_encode(t.chain, t.s, small, &v, &t.out, &err));
	assert_int_equal(t.out.n, 4 + 8 + 4);
	assert_memory_equal(t.out.p, "\0\0\0\2\0\0\0\2\0\0\0\1\0\1\0\2", t.out.n);
	chain_fini(&t);
}

/* (2) */
static void
other_shapes(void **state)
{
	static const int16_t padded[] = {1, 2, 0, 3, 4, 0}, cut[] = {1, 2, 3, 0, 0, 0};

	(void)state;
	codec_decodes(PLAIN, "int16", matrix, "0000 0002 00000002 00000002 0001 0002 0003 0004", ZINC_OK, padded);
	codec_decodes(PLAIN, "int16", matrix, "0000 0002 00000005 00000001 0001 0002 0003 0004 0005", ZINC_OK, cut);
	codec_decodes(PLAIN, "int16", matrix, "0000 0002 00000007 00000001 0001 0002 0003 0004 0005 0006 0007",
		      ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", matrix, "0000 0002 00000003 00000003 0001", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", matrix, "0000 0002 ffffffff ffffffff 0001", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", matrix, "0000 0002 00000000 00000002", ZINC_E_CORRUPT, NULL);
	/* of matrix: two columns of a block in N5's order, the third is missing */
	codec_decodes(PLAIN_V3, "int16", matrix, "0000 0002 00000002 00000002 0001 0003 0002 0004", ZINC_OK,
		      (int16_t[]){1, 2, 0, 3, 4, 0});
}

/* (3) */
static void
headers(void **state)
{
	(void)state;
	codec_decodes(PLAIN, "int16", four, "", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", four, "0000 00", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", four, "0000 0001 000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", four, "0000 0002 00000002 00000002 0001 0002 0003 0004", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", four, "0003 0001 00000004 0001 0002 0003 0004", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", four, "0000 0001 00000004 0001 0002 0003", ZINC_E_CORRUPT, NULL);
	codec_decodes(PLAIN, "int16", four, "0000 0001 00000004 0001 0002 0003 0004 00", ZINC_E_CORRUPT, NULL);
	/* variable length: one element for each place, or not */
	codec_decodes(PLAIN, "int16", four, "0001 0001 00000004 00000004 0001 0002 0003 0004", ZINC_OK, one_to_six);
	codec_decodes(PLAIN, "int16", four, "0001 0001 00000004 00000003 0001 0002 0003", ZINC_E_UNSUPPORTED, NULL);
	codec_decodes(PLAIN, "int16", four, "0001 0001 00000004 000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(V3(BIG), "int16", four, "0001 0001 00000004 00000004 0001 0002 0003 0004", ZINC_E_CORRUPT, NULL);
	/* an object */
	codec_decodes(PLAIN, "int16", four, "0002 0000 00000004 0001 0002 0003 0004", ZINC_E_UNSUPPORTED, NULL);
}

/* A header that promises more than there is allocates nothing. */
static void
bombs(void **state)
{
	static const uint64_t large[] = {1 << 20, ENDED};
	static const uint8_t small[] = {0, 0, 0, 1, 0, 0, 0, 4, 0x1f, 0x8b};

	(void)state;
	codec_bomb(N5(BIG ", " GZIP), "int16", four, (const uint8_t[]){0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff, 1}, 9,
		   100000);
	codec_bomb(N5(BIG ", " GZIP), "int16", large, small, sizeof small, 3 << 20);
}

static void
configurations(void **state)
{
	static const struct {
		const char *codecs, *dtype;
		zinc_status status;
	} cases[] = {
	    {PLAIN, "float64", ZINC_OK},
	    {N5(BIG ", " GZIP), "uint64", ZINC_OK},
	    {N5("\"bytes\""), "int8", ZINC_OK},
	    {N5("{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"), "int16", ZINC_E_CORRUPT},
	    {N5(TURN("[1, 0]") ", " BIG), "int16", ZINC_E_CORRUPT},
	    {N5(BIG ", " GZIP ", " GZIP), "int16", ZINC_E_CORRUPT},
	    {N5(BIG), "bool", ZINC_E_CORRUPT},
	    {N5(BIG), "complex64", ZINC_E_CORRUPT},
	    {V3(BIG), "int16", ZINC_E_CORRUPT},
	    {V3(TURN("[0, 1]") ", " BIG), "int16", ZINC_E_CORRUPT},
	    {V3(TURN("[1, 0]") ", " TURN("[0, 1]") ", " BIG), "int16", ZINC_E_CORRUPT},
	    {V3(TURN("[1, 0]") ", " BIG ", " GZIP ", " GZIP), "int16", ZINC_E_CORRUPT},
	    {V3(TURN("[1, 0]")), "int16", ZINC_E_CORRUPT},
	    {V3(TURN("[1, 0]") ", \"unknown\""), "int16", ZINC_E_UNSUPPORTED},
	    {V3(TURN("[1, 0]") ", " BIG ", \"unknown\""), "int16", ZINC_E_UNSUPPORTED},
	    {"[{\"name\": \"n5_default\", \"configuration\": {}}]", "int16", ZINC_E_CORRUPT},
	    {"[\"n5_default\"]", "int16", ZINC_E_CORRUPT},
	    {"[" TURN("[1, 0]") ", {\"name\": \"n5\", \"configuration\": {\"codecs\": [" BIG "]}}]", "int16", ZINC_OK},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		chain_case t;
		const zinc_status st = chain_init(&t, NULL, cases[i].codecs, cases[i].dtype, matrix, NULL, false, &err);

		if (st != cases[i].status)
			fail_msg("%s of %s: %d, %s", cases[i].codecs, cases[i].dtype, st, err.text);
		chain_fini(&t);
	}
}

static void
prints(void **state)
{
	(void)state;
	codec_prints(PLAIN, "int16", PLAIN, "[]");
	codec_prints(V3(TURN("[0]") ", " BIG ", " GZIP), "int16", V3(TURN("[0]") ", " BIG ", " GZIP), "[]");
}

static void
memory(void **state)
{
	(void)state;
	codec_sweep(N5(BIG ", " GZIP), "int16", matrix, one_to_six);
	codec_sweep(PLAIN_V3, "int16", matrix, one_to_six);
	codec_warm(PLAIN, "int16", matrix, one_to_six);
	codec_warm(PLAIN_V3, "int16", matrix, one_to_six);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(specification),  cmocka_unit_test(orders),  cmocka_unit_test(own_shape),
	    cmocka_unit_test(other_shapes),   cmocka_unit_test(headers), cmocka_unit_test(bombs),
	    cmocka_unit_test(configurations), cmocka_unit_test(prints),  cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
