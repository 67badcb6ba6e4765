/*
 * test_dtype_chars.c - the promises of dtype_chars.c, by number
 */
#include <string.h>

#include "dtype/element.h"
#include "support/test.h"

static char shown[256];

static const char *
print(zinc_spelling how, const void *p, size_t n, zinc_coding coding)
{
	const zinc_chars c = {p, n, coding};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	zinc_buf_wrap(&b, shown, sizeof shown);
	assert_ok(zinc_chars_print(&c, how, &b, &err));
	return zinc_buf_text(&b);
}

/* As Python 3 prints repr() of str and bytes. */
static void
as_python_quotes(void **state)
{
	static const struct {
		const char *s, *text, *bytes;
	} rows[] = {
	    {"", "''", "b''"},
	    {"abc", "'abc'", "b'abc'"},
	    {"it's", "\"it's\"", "b\"it's\""},
	    {"\"it's\"", "'\"it\\'s\"'", "b'\"it\\'s\"'"},
	    {"\"", "'\"'", "b'\"'"},
	    {"a\\b", "'a\\\\b'", "b'a\\\\b'"},
	    {"\n\r\t\x01\x1f\x7f", "'\\n\\r\\t\\x01\\x1f\\x7f'", "b'\\n\\r\\t\\x01\\x1f\\x7f'"},
	    {"\xc3\xa9", "'\xc3\xa9'", "b'\\xc3\\xa9'"},
	    {"\xc2\x80\xc2\xa0\xc2\xad", "'\\x80\\xa0\\xad'", "b'\\xc2\\x80\\xc2\\xa0\\xc2\\xad'"},
	    {"\xf0\x9f\x98\x80", "'\xf0\x9f\x98\x80'", "b'\\xf0\\x9f\\x98\\x80'"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const size_t n = strlen(rows[i].s);

		assert_string_equal(print(ZINC_SPELL_REPR, rows[i].s, n, ZINC_CODING_UTF8), rows[i].text);
		assert_string_equal(print(ZINC_SPELL_REPR, rows[i].s, n, ZINC_CODING_BYTES), rows[i].bytes);
		assert_string_equal(print(ZINC_SPELL_TEXT, rows[i].s, n, ZINC_CODING_UTF8), rows[i].s);
		assert_string_equal(print(ZINC_SPELL_TEXT, rows[i].s, n, ZINC_CODING_BYTES), rows[i].s);
	}
}

/* (1) */
static void
as_json(void **state)
{
	(void)state;
	assert_string_equal(print(ZINC_SPELL_JSON, "a\"\\\b\t\n\v\f\r\x01", 10, ZINC_CODING_UTF8),
			    "\"a\\\"\\\\\\b\\t\\n\\u000b\\f\\r\\u0001\"");
	assert_string_equal(print(ZINC_SPELL_JSON, "\xc3\xa9", 2, ZINC_CODING_BYTES), "\"\xc3\xa9\"");
	assert_string_equal(print(ZINC_SPELL_JSON,
				  "\xff"
				  "a\xc3",
				  3, ZINC_CODING_BYTES),
			    "\"\\udcff"
			    "a\\udcc3\"");
	assert_string_equal(print(ZINC_SPELL_JSON, "a\0b", 3, ZINC_CODING_BYTES), "\"a\\u0000b\"");
}

static void
code_points(void **state)
{
	static const uint32_t word[] = {'a', 0xe9, 0x4e16, 0x1f600, '\''};

	(void)state;
	assert_string_equal(print(ZINC_SPELL_TEXT, word, sizeof word, ZINC_CODING_UTF32),
			    "a\xc3\xa9\xe4\xb8\x96\xf0\x9f\x98\x80'");
	assert_string_equal(print(ZINC_SPELL_REPR, word, sizeof word, ZINC_CODING_UTF32),
			    "\"a\xc3\xa9\xe4\xb8\x96\xf0\x9f\x98\x80'\"");
	assert_string_equal(print(ZINC_SPELL_JSON, word, sizeof word, ZINC_CODING_UTF32),
			    "\"a\xc3\xa9\xe4\xb8\x96\xf0\x9f\x98\x80'\"");
}

/* (2) */
static void
what_is_not_unicode(void **state)
{
	static const uint32_t wrong[] = {0x110000, 0xd800, 0xdfff, 0xffffffff};
	static const zinc_spelling all[] = {ZINC_SPELL_TEXT, ZINC_SPELL_REPR, ZINC_SPELL_JSON};
	zinc_error err;
	zinc_buf b;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(wrong); i++)
		for (k = 0; k < COUNT(all); k++) {
			const zinc_chars c = {(const uint8_t *)&wrong[i], 4, ZINC_CODING_UTF32};

			zinc_buf_wrap(&b, shown, sizeof shown);
			assert_int_equal(zinc_chars_print(&c, all[k], &b, &err), ZINC_E_CORRUPT);
		}
	for (k = 1; k < COUNT(all); k++) {
		const zinc_chars c = {(const uint8_t *)"a\xff", 2, ZINC_CODING_UTF8};

		zinc_buf_wrap(&b, shown, sizeof shown);
		assert_int_equal(zinc_chars_print(&c, all[k], &b, &err), ZINC_E_CORRUPT);
	}
}

static void
no_room(void **state)
{
	static const zinc_spelling all[] = {ZINC_SPELL_TEXT, ZINC_SPELL_REPR, ZINC_SPELL_JSON};
	const zinc_chars c = {(const uint8_t *)"a'\"\n\x01\xff", 6, ZINC_CODING_BYTES};
	char small[40];
	zinc_buf b;
	size_t k, n;

	(void)state;
	for (k = 0; k < COUNT(all); k++)
		for (n = 1; n < sizeof small; n++) {
			zinc_buf_wrap(&b, small, n);
			if (zinc_chars_print(&c, all[k], &b, NULL) == ZINC_OK)
				break;
			assert_true(b.n < n);
		}
	assert_true(n < sizeof small);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_python_quotes),    cmocka_unit_test(as_json), cmocka_unit_test(code_points),
	    cmocka_unit_test(what_is_not_unicode), cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
