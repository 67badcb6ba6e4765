/*
 * test_codec_categorize.c - strings as numbers of their labels: the promises of codec_categorize.c, by number
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"

#define CATEGORIZE(labels, dtype, astype)                                                                              \
	"{\"name\": \"numcodecs.categorize\", \"configuration\": {\"labels\": " labels ", \"dtype\": \"" dtype         \
	"\", \"astype\": \"" astype "\"}}"
#define LITTLE        "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CHAIN(labels) "[" CATEGORIZE(labels, "<U3", "|u1") ", {\"name\": \"bytes\"}]"
#define TEXTS(labels) "[" CATEGORIZE(labels, "|O", "|u1") ", {\"name\": \"bytes\"}]"

typedef uint32_t u3[3];

static const uint64_t four[] = {4, ENDED}, none[] = {0, ENDED};

/* ---- fixed length ---- */

/* (1) The picture in codec_categorize.c. */
static void
characters(void **state)
{
	const u3 in[4] = {{'b'}, {'a'}, {0}, {'a'}}, other[4] = {{'c'}}, prefix[4] = {{'a', 'b'}};
	const u3 wide[4] = {{0xe9, 0x1f600, 'x'}, {'a'}, {'a'}, {'a'}};

	(void)state;
	codec_encodes(CHAIN("[\"a\", \"b\"]"), "<U3", four, in, ZINC_OK, "02010001");
	codec_decodes(CHAIN("[\"a\", \"b\"]"), "<U3", four, "02010001", ZINC_OK, in);
	codec_encodes(CHAIN("[\"a\", \"b\"]"), "<U3", four, other, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("[\"a\", \"b\"]"), "<U3", four, prefix, ZINC_E_RANGE, NULL);
	codec_encodes("[" CATEGORIZE("[\"a\", \"b\"]", "<U3", ">i2") ", " LITTLE "]", "<U3", four, in, ZINC_OK,
		      "0200 0100 0000 0100");
	/* beyond ASCII, and beyond 16 bits */
	codec_encodes(CHAIN("[\"a\", \"\xc3\xa9\xf0\x9f\x98\x80x\"]"), "<U3", four, wide, ZINC_OK, "02010101");
	codec_decodes(CHAIN("[\"a\", \"\xc3\xa9\xf0\x9f\x98\x80x\"]"), "<U3", four, "02010101", ZINC_OK, wide);
	codec_encodes(CHAIN("[]"), "<U3", none, in, ZINC_OK, "");
}

/* (2) */
static void
no_label(void **state)
{
	(void)state;
	codec_decodes(CHAIN("[\"a\", \"b\"]"), "<U3", four, "02030001", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("[\"a\", \"b\"]"), "<U3", four, "020100ff", ZINC_E_CORRUPT, NULL);
	codec_decodes("[" CATEGORIZE("[\"a\"]", "<U3", "|i1") ", \"bytes\"]", "<U3", four, "010100ff", ZINC_E_CORRUPT,
		      NULL);
	codec_decodes(CHAIN("[\"a\", \"b\"]"), "<U3", four, "0201", ZINC_E_CORRUPT, NULL);
}

/* (2) A codec behind may make another number of a label's: 3 is rounded to 4. */
static void
changed(void **state)
{
	const u3 in[4] = {{'b'}, {'a'}, {0}, {'c'}}, small[4] = {{'b'}, {'a'}, {0}, {'a'}};

	(void)state;
#define ROUNDED                                                                                                        \
	"[" CATEGORIZE("[\"a\", \"b\", \"c\"]", "<U3",                                                                 \
		       "|u1") ", {\"name\": \"bitround\", \"configuration\": {\"keepbits\": 1}}, \"bytes\"]"
	codec_encodes(ROUNDED, "<U3", four, in, ZINC_E_RANGE, NULL);
	codec_encodes(ROUNDED, "<U3", four, small, ZINC_OK, "02010001");
}

/* (3) */
static void
equal_and_long(void **state)
{
	const u3 in[4] = {{'a'}, {'a'}, {'b'}, {'a'}}, cut[4] = {{'a', 'b', 'c'}};

	(void)state;
	codec_encodes(CHAIN("[\"a\", \"b\", \"a\"]"), "<U3", four, in, ZINC_OK, "03030203");
	codec_decodes(CHAIN("[\"a\", \"b\", \"a\"]"), "<U3", four, "01030201", ZINC_OK, in);
	codec_decodes(CHAIN("[\"abcd\"]"), "<U3", four, "01000000", ZINC_OK, cut);
	codec_encodes(CHAIN("[\"abcd\"]"), "<U3", four, cut, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("[\"abcd\", \"abc\"]"), "<U3", four, cut, ZINC_OK, "02000000");
	codec_encodes(CHAIN("[\"abc\", \"abcd\"]"), "<U3", four, cut, ZINC_OK, "01000000");
}

/* More labels than a byte can count: all can be read, but not all written. */
static void
many_labels(void **state)
{
	u3 in[4] = {{'x', '2', '5'}, {0}, {0}, {0}};
	const char *codecs;
	zinc_buf b;
	int i;

	(void)state;
	zinc_buf_init(&b, NULL, 4000);
	assert_int_equal(
	    zinc_buf_puts(&b, "[{\"name\": \"numcodecs.categorize\", \"configuration\": {\"labels\": [", NULL),
	    ZINC_OK);
	for (i = 0; i < 300; i++)
		assert_int_equal(zinc_buf_printf(&b, NULL, "%s\"%c%02d\"", i ? "," : "", 'x' + i / 100, i % 100),
				 ZINC_OK);
	assert_int_equal(zinc_buf_puts(&b, "], \"dtype\": \"<U3\"}}, \"bytes\"]", NULL), ZINC_OK);
	codecs = zinc_buf_text(&b);
	assert_non_null(codecs);
	codec_encodes(codecs, "<U3", four, in, ZINC_OK, "1a000000");
	in[0][0] = 'z';
	in[0][1] = '9';
	codec_encodes(codecs, "<U3", four, in, ZINC_E_RANGE, NULL);
	zinc_buf_fini(&b);
}

/* ---- variable length ---- */

static void
texts(void **state)
{
	const zinc_vlen in[4] = {{"longer", 6}, {"a", 1}, {NULL, 0}, {"a", 1}}, other[4] = {{"long", 4}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[4];
	chain_case t;
	size_t i;

	(void)state;
	codec_encodes(TEXTS("[\"a\", \"longer\"]"), "string", four, in, ZINC_OK, "02010001");
	codec_encodes(TEXTS("[\"a\", \"longer\"]"), "string", four, other, ZINC_E_RANGE, NULL);
	codec_encodes(TEXTS("[\"a\", \"\", \"longer\"]"), "string", four, in, ZINC_OK, "03010201");
	assert_ok(chain_init(&t, NULL, TEXTS("[\"a\", \"longer\"]"), "string", four, NULL, true, &err));
	assert_ok(chain_decode(&t, "\2\1\0\1", 4, back, &err));
	for (i = 0; i < 4; i++) {
		assert_int_equal(back[i].nbytes, in[i].nbytes);
		if (in[i].nbytes > 0)
			assert_memory_equal(back[i].data, in[i].data, in[i].nbytes);
	}
	assert_int_equal(chain_decode(&t, "\2\1\0\3", 4, back, &err), ZINC_E_CORRUPT);
	chain_fini(&t);
}

#define AT "/0/configuration"

static void
configuration(void **state)
{
	const u3 in[4] = {{'b'}, {'a'}, {0}, {'a'}};

	(void)state;
	codec_prints(CHAIN("[\"a\", \"\xc3\xa9\"]"), "<U3", CHAIN("[\"a\", \"\xc3\xa9\"]"),
		     "[{\"id\": \"categorize\", \"labels\": [\"a\", \"\xc3\xa9\"], \"dtype\": \"<U3\", \"astype\": "
		     "\"|u1\"}]");
	codec_prints("[{\"name\": \"numcodecs.categorize\", \"configuration\": {\"labels\": []}}, \"bytes\"]", "string",
		     TEXTS("[]"), "[{\"id\": \"categorize\", \"labels\": [], \"dtype\": \"|O\", \"astype\": \"|u1\"}]");
	codec_prints("[{\"name\": \"numcodecs.categorize\", \"configuration\": {\"labels\": []}}, \"bytes\"]", "<U3",
		     CHAIN("[]"),
		     "[{\"id\": \"categorize\", \"labels\": [], \"dtype\": \"<U3\", \"astype\": \"|u1\"}]");
	codec_sweep(CHAIN("[\"a\", \"b\"]"), "<U3", four, in);
	codec_warm(CHAIN("[\"a\", \"b\"]"), "<U3", four, in);
	chain_finds(CHAIN("\"a\""), "<U3", four, ZINC_E_CORRUPT, "categorize", AT);
	chain_finds(CHAIN("[\"a\", 1]"), "<U3", four, ZINC_E_CORRUPT, "categorize", AT);
	chain_finds(TEXTS("[]"), "<U3", four, ZINC_E_UNSUPPORTED, "categorize", AT);
	chain_finds(CHAIN("[]"), "string", four, ZINC_E_UNSUPPORTED, "categorize", AT);
	chain_finds(CHAIN("[]"), "uint32", four, ZINC_E_UNSUPPORTED, "categorize", AT);
	chain_finds("[" CATEGORIZE("[]", "<i4", "|u1") ", \"bytes\"]", "<U3", four, ZINC_E_CORRUPT, "categorize", AT);
	chain_finds("[" CATEGORIZE("[]", "<U3", "<f4") ", \"bytes\"]", "<U3", four, ZINC_E_UNSUPPORTED, "categorize",
		    AT);
	chain_finds("[" CATEGORIZE("[]", "<U3", "<Q9") ", \"bytes\"]", "<U3", four, ZINC_E_CORRUPT, "categorize",
		    AT "/astype");
	codec_words("numcodecs.categorize", "<U3", NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(characters),     cmocka_unit_test(no_label),    cmocka_unit_test(changed),
	    cmocka_unit_test(equal_and_long), cmocka_unit_test(many_labels), cmocka_unit_test(texts),
	    cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
