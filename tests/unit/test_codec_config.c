/*
 * test_codec_config.c - what the files of single codecs share: members that may be missing, decoding piece by piece
 */
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/test.h"

static zinc_json_doc *
parse(const char *text)
{
	zinc_json_doc *doc = NULL;

	assert_int_equal(zinc_json_parse(&doc, NULL, text, strlen(text), 0, NULL), ZINC_OK);
	return doc;
}

/* A member that is missing or null leaves the value alone; any other must be right. */
static void
optional(void **state)
{
	static const char *const choices[] = {"a", "b", NULL};
	zinc_json_doc *doc = parse("{\"i\": 7, \"null\": null, \"c\": \"b\", \"t\": true, \"s\": \"x\"}");
	const zinc_json *o = zinc_json_root(doc);
	int64_t i = 5;
	bool t = false;
	zinc_report r;
	int c = 0;

	(void)state;
	zinc_report_init(&r, NULL, true, "test");
	assert_int_equal(zinc_config_int_or(o, "none", 0, 9, "R", &i, &r, NULL), ZINC_OK);
	assert_int_equal(zinc_config_int_or(o, "null", 0, 9, "R", &i, &r, NULL), ZINC_OK);
	assert_int_equal(zinc_config_int_or(NULL, "i", 0, 9, "R", &i, &r, NULL), ZINC_OK);
	assert_int_equal(i, 5);
	assert_int_equal(zinc_config_int_or(o, "i", 0, 9, "R", &i, &r, NULL), ZINC_OK);
	assert_int_equal(i, 7);
	assert_int_equal(zinc_config_int_or(o, "i", 0, 6, "R", &i, &r, NULL), ZINC_E_CORRUPT);
	assert_int_equal(zinc_config_int_or(o, "s", 0, 6, "R", &i, &r, NULL), ZINC_E_CORRUPT);
	assert_int_equal(zinc_config_choice_or(o, "null", choices, "R", &c, &r, NULL), ZINC_OK);
	assert_int_equal(c, 0);
	assert_int_equal(zinc_config_choice_or(o, "c", choices, "R", &c, &r, NULL), ZINC_OK);
	assert_int_equal(c, 1);
	assert_int_equal(zinc_config_choice_or(o, "s", choices, "R", &c, &r, NULL), ZINC_E_CORRUPT);
	assert_int_equal(zinc_config_bool_or(o, "null", "R", &t, &r, NULL), ZINC_OK);
	assert_false(t);
	assert_int_equal(zinc_config_bool_or(o, "t", "R", &t, &r, NULL), ZINC_OK);
	assert_true(t);
	assert_int_equal(zinc_config_bool_or(o, "i", "R", &t, &r, NULL), ZINC_E_CORRUPT);
	assert_string_equal(r.pointer, "");
	zinc_json_free(doc);
}

/* Pour `total` bytes in pieces of at most `piece`; the status at the end. */
static zinc_status
pour(zinc_buf *out, size_t exact, size_t total, size_t piece)
{
	zinc_decode_out p = {.out = out, .exact = exact};
	size_t room, n, done = 0;
	uint8_t *to;

	for (;;) {
		ZINC_TRY(zinc_decode_out_room(&p, &to, &room, NULL));
		assert_true(room > 0);
		n = total - done;
		n = n < room ? n : room;
		n = n < piece ? n : piece;
		memset(to, (int)(done % 251), n);
		ZINC_TRY(zinc_decode_out_done(&p, to, n, NULL));
		done += n;
		if (done == total)
			return zinc_decoded_size(out->n, exact, NULL);
	}
}

/* As much as is expected, not a byte more; the byte that is too much is written nowhere that matters. */
static void
exact_sizes(void **state)
{
	uint8_t memory[101];
	zinc_buf b = {.p = memory, .cap = 100, .max = 100};

	(void)state;
	memory[100] = 77;
	assert_int_equal(pour(&b, 100, 100, 7), ZINC_OK);
	assert_int_equal(b.n, 100);
	b.n = 0;
	assert_int_equal(pour(&b, 100, 101, 1000), ZINC_E_CORRUPT);
	b.n = 0;
	assert_int_equal(pour(&b, 100, 99, 1000), ZINC_E_CORRUPT);
	b.n = 0;
	assert_int_equal(pour(&b, 0, 0, 1), ZINC_OK);
	assert_int_equal(pour(&b, 0, 1, 1), ZINC_E_CORRUPT);
	assert_int_equal(memory[100], 77);
}

/* Where the size is not known room grows with what comes, up to the limit. */
static void
unknown_sizes(void **state)
{
	const size_t megabyte = 1 << 20;
	zinc_buf b;

	(void)state;
	zinc_buf_init(&b, NULL, megabyte);
	assert_int_equal(pour(&b, SIZE_MAX, 10, 3), ZINC_OK);
	assert_true(b.cap < 100000);
	b.n = 0;
	assert_int_equal(pour(&b, SIZE_MAX, 300000, megabyte), ZINC_OK);
	assert_int_equal(b.n, 300000);
	assert_true(b.cap < 700000);
	b.n = 0;
	assert_int_equal(pour(&b, SIZE_MAX, megabyte, megabyte), ZINC_OK);
	b.n = 0;
	assert_int_equal(pour(&b, SIZE_MAX, megabyte + 1, megabyte), ZINC_E_CORRUPT);
	assert_int_equal(b.n, megabyte);
	zinc_buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(optional),
	    cmocka_unit_test(exact_sizes),
	    cmocka_unit_test(unknown_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
