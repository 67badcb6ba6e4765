/*
 * test_codec_transpose.c - axes in another order: M73, M74
 */
#include "support/chains.h"
#include "support/test.h"

#define TRANSPOSE(order) "{\"name\": \"transpose\", \"configuration\": {\"order\": " order "}}"
#define BYTES            "\"bytes\""

static const uint64_t scalar[] = {ENDED}, six[] = {6, ENDED}, s23[] = {2, 3, ENDED}, s234[] = {2, 3, 4, ENDED};

/* The elements 0, 1, 2 ... of `shape` are stored as `hex`. */
static void
stores(const char *codecs, const uint64_t *shape, const char *hex)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[64], want[64], back[64];
	size_t i, n = unhex(hex, want, sizeof want);
	chain_case t;

	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)i;
	assert_ok(chain_init(&t, NULL, codecs, "uint8", shape, NULL, true, &err));
	assert_int_equal(chain_nbytes(&t), n);
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, n);
	assert_memory_equal(t.out.p, want, n);
	assert_ok(chain_decode(&t, want, n, back, &err));
	assert_memory_equal(back, in, n);
	chain_fini(&t);
}

/* M74.  The 3-cycle distinguishes an order from its inverse: out[k][i][j] = in[i][j][k]. */
static void
orders(void **state)
{
	(void)state;
	stores("[" TRANSPOSE("[0, 1]") ", " BYTES "]", s23, "000102 030405");
	stores("[" TRANSPOSE("[1, 0]") ", " BYTES "]", s23, "0003 0104 0205");
	stores("[" TRANSPOSE("[2, 0, 1]") ", " BYTES "]", s234, "0004080c1014 0105090d1115 02060a0e1216 03070b0f1317");
	stores("[" TRANSPOSE("[1, 2, 0]") ", " BYTES "]", s234,
	       "000c 010d 020e 030f 0410 0511 0612 0713 0814 0915 0a16 0b17");
	stores("[" TRANSPOSE("[]") ", " BYTES "]", scalar, "00");
	stores("[" TRANSPOSE("[0]") ", " BYTES "]", six, "000102030405");
	/* two of them: [2,0,1] after [2,0,1] is [1,2,0] */
	stores("[" TRANSPOSE("[2, 0, 1]") ", " TRANSPOSE("[2, 0, 1]") ", " BYTES "]", s234,
	       "000c 010d 020e 030f 0410 0511 0612 0713 0814 0915 0a16 0b17");
}

/* The combined order of the chain. */
static void
folded(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[" TRANSPOSE("[2, 0, 1]") ", " BYTES "]", "uint8", s234, NULL, true, &err));
	assert_true(t.chain->reorders_only);
	assert_int_equal(t.chain->axis[0], 2);
	assert_int_equal(t.chain->axis[1], 0);
	assert_int_equal(t.chain->axis[2], 1);
	assert_int_equal(t.chain->ab_rep.shape[0], 4);
	assert_int_equal(t.chain->ab_rep.shape[1], 2);
	assert_int_equal(t.chain->ab_rep.shape[2], 3);
	assert_int_equal(zinc_chain_plain(t.chain), 1);
	chain_fini(&t);
}

static void
configuration(void **state)
{
	(void)state;
	chain_finds("[\"transpose\", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds("[{\"name\": \"transpose\"}, \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73", "/0");
	chain_finds("[{\"name\": \"transpose\", \"configuration\": {}}, \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT,
		    "M73", "/0/configuration");
	chain_finds("[" TRANSPOSE("[0]") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73", "/0/configuration/order");
	chain_finds("[" TRANSPOSE("[0, 1, 2]") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73",
		    "/0/configuration/order");
	chain_finds("[" TRANSPOSE("[0, 0]") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73",
		    "/0/configuration/order");
	chain_finds("[" TRANSPOSE("[0, 2]") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73",
		    "/0/configuration/order");
	chain_finds("[" TRANSPOSE("[0, 18446744073709551615]") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73",
		    "/0/configuration/order");
	chain_finds("[" TRANSPOSE("[1, -1]") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73",
		    "/0/configuration/order/1");
	chain_finds("[" TRANSPOSE("[1, 0.0]") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73",
		    "/0/configuration/order/1");
	chain_finds("[" TRANSPOSE("{}") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73", "/0/configuration/order");
	chain_finds("[" TRANSPOSE("\"A\"") ", \"bytes\"]", "uint8", s23, ZINC_E_CORRUPT, "M73",
		    "/0/configuration/order");
	chain_finds("[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0], \"axes\": 2}}, \"bytes\"]",
		    "uint8", s23, ZINC_OK, "M73", "/0/configuration/axes");
	/* the spelling of 2023 */
	chain_finds("[" TRANSPOSE("\"C\"") ", \"bytes\"]", "uint8", s23, ZINC_OK, "M73", "/0/configuration/order");
	chain_finds("[" TRANSPOSE("\"F\"") ", \"bytes\"]", "uint8", s23, ZINC_OK, "M73", "/0/configuration/order");
}

/* "F" reverses all axes, and is printed as a list of axes. */
static void
letters(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *list = NULL;
	zinc_buf text;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[" TRANSPOSE("\"F\"") ", \"bytes\"]", "uint8", s234, NULL, false, &err));
	assert_int_equal(t.chain->axis[0], 2);
	assert_int_equal(t.chain->axis[1], 1);
	assert_int_equal(t.chain->axis[2], 0);
	assert_ok(zinc_json_new(&doc, NULL, &err));
	assert_ok(zinc_chain_print(t.chain, doc, &list, &err));
	zinc_buf_init(&text, NULL, 1000);
	assert_ok(zinc_json_print_line(list, &text, &err));
	assert_non_null(strstr(zinc_buf_text(&text), "[2,1,0]"));
	zinc_buf_fini(&text);
	zinc_json_free(doc);
	chain_fini(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(orders),
	    cmocka_unit_test(folded),
	    cmocka_unit_test(configuration),
	    cmocka_unit_test(letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
