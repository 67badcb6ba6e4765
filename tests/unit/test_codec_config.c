/*
 * test_codec_config.c - shared code of single codecs: tables of members, decoding piece by piece
 */
#include <stdio.h>
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

/* One of each type, as a codec of v3 (`strict`) and of v2 (`loose`) would have it. */
typedef struct object {
	int64_t level, flag, choice;
} object;

static const char *const choices[] = {"a", "b", NULL};

static const zinc_member strict[] = {
    {.name = "level", .type = ZINC_MEMBER_INT, .min = -1, .max = 9, .required = true, .at = offsetof(object, level)},
    {.name = "flag", .type = ZINC_MEMBER_BOOL, .print = ZINC_PRINT_CHANGED, .at = offsetof(object, flag)},
    {.name = "choice",
     .type = ZINC_MEMBER_CHOICE,
     .choices = choices,
     .fallback = 1,
     .at = offsetof(object, choice),
     .rule = "C1"},
    {.name = "own"},
    {.name = NULL},
};
static const zinc_member loose[] = {
    {.name = "level",
     .type = ZINC_MEMBER_INT,
     .max = 9,
     .nullable = true,
     .fallback = 5,
     .print = ZINC_PRINT_NULL,
     .at = offsetof(object, level)},
    {.name = "flag",
     .type = ZINC_MEMBER_BOOL,
     .nullable = true,
     .print = ZINC_PRINT_NEVER,
     .at = offsetof(object, flag)},
    {.name = "choice",
     .type = ZINC_MEMBER_CHOICE,
     .choices = choices,
     .nullable = true,
     .at = offsetof(object, choice)},
    {.name = "own", .print = ZINC_PRINT_NULL},
    {.name = NULL},
};

/* Read `text` (NULL: no configuration) into x; the error's rule and text are copied to `said`. */
static zinc_status
read_members(const zinc_member *members, const char *text, object *x, char said[256])
{
	zinc_json_doc *doc = text ? parse(text) : NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_report r;
	zinc_status st;

	zinc_report_init(&r, NULL, false, "test");
	st = zinc_members_parse(members, "R", doc ? zinc_json_root(doc) : NULL, x, &r, &err);
	assert_string_equal(r.pointer, "");
	snprintf(said, 256, "%s %.200s", err.rule, err.text);
	zinc_json_free(doc);
	return st;
}

/* A missing member gets the fallback, or is an error; null counts as missing only if the table says so. */
static void
what_is_missing(void **state)
{
	char said[256];
	object x;

	(void)state;
	assert_int_equal(read_members(strict, "{\"level\": -1}", &x, said), ZINC_OK);
	assert_true(x.level == -1 && x.flag == 0 && x.choice == 1);
	assert_int_equal(read_members(strict, NULL, &x, said), ZINC_E_CORRUPT);
	assert_non_null(strstr(said, "R "));
	assert_non_null(strstr(said, "\"level\" is missing from the configuration"));
	assert_int_equal(read_members(strict, "{\"level\": null}", &x, said), ZINC_E_CORRUPT);
	assert_int_equal(read_members(strict, "{\"level\": 1, \"flag\": null}", &x, said), ZINC_E_CORRUPT);
	assert_int_equal(read_members(loose, NULL, &x, said), ZINC_OK);
	assert_true(x.level == 5 && x.flag == 0 && x.choice == 0);
	assert_int_equal(read_members(loose, "{\"level\": null, \"flag\": null, \"choice\": null}", &x, said), ZINC_OK);
	assert_true(x.level == 5 && x.flag == 0 && x.choice == 0);
}

/* A member must be valid, by its own rule or the codec's. */
static void
what_is_given(void **state)
{
	static const struct {
		const char *text, *said;
	} wrong[] = {
	    {"{\"level\": 10}", "\"level\" must be an integer from -1 to 9"},
	    {"{\"level\": -2}", "\"level\" must be an integer from -1 to 9"},
	    {"{\"level\": \"1\"}", "\"level\" must be an integer from -1 to 9"},
	    {"{\"level\": 1, \"flag\": 1}", "\"flag\" must be true or false"},
	    {"{\"level\": 1, \"choice\": \"c\"}", "\"choice\" cannot be \"c\""},
	    {"{\"level\": 1, \"choice\": 0}", "\"choice\" must be a string"},
	};
	char said[256];
	object x;
	size_t i;

	(void)state;
	assert_int_equal(
	    read_members(strict, "{\"level\": 9, \"flag\": true, \"choice\": \"a\", \"own\": []}", &x, said), ZINC_OK);
	assert_true(x.level == 9 && x.flag == 1 && x.choice == 0);
	for (i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(read_members(strict, wrong[i].text, &x, said), ZINC_E_CORRUPT);
		assert_non_null(strstr(said, wrong[i].said));
		assert_int_equal(strncmp(said, "C1 ", 3) == 0, strstr(wrong[i].text, "choice") != NULL);
	}
}

static void
expect_printed(const zinc_member *members, object x, const char *want)
{
	zinc_json_doc *doc = NULL;
	zinc_json *o = NULL;
	char text[128];
	zinc_buf b;

	assert_int_equal(zinc_json_new(&doc, NULL, NULL), ZINC_OK);
	assert_int_equal(zinc_members_print(members, &x, doc, &o, NULL), ZINC_OK);
	zinc_buf_wrap(&b, text, sizeof text);
	assert_int_equal(zinc_json_print_line(o, &b, NULL), ZINC_OK);
	assert_string_equal(zinc_buf_text(&b), want);
	zinc_json_free(doc);
}

/* In the order of the table; the fallback is left out or null if the table says so. */
static void
printed(void **state)
{
	(void)state;
	expect_printed(strict, (object){3, 0, 1}, "{\"level\":3,\"choice\":\"b\"}");
	expect_printed(strict, (object){3, 1, 0}, "{\"level\":3,\"flag\":true,\"choice\":\"a\"}");
	expect_printed(loose, (object){5, 1, 0}, "{\"level\":null,\"choice\":\"a\",\"own\":null}");
	expect_printed(loose, (object){6, 1, 1}, "{\"level\":6,\"choice\":\"b\",\"own\":null}");
	expect_printed(zinc_no_members, (object){0, 0, 0}, "{}");
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

/* Only the expected size; a byte beyond it is not written to the output. */
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

/* If the size is unknown, the buffer grows with the output, up to the limit. */
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
	    cmocka_unit_test(what_is_missing), cmocka_unit_test(what_is_given), cmocka_unit_test(printed),
	    cmocka_unit_test(exact_sizes),     cmocka_unit_test(unknown_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
