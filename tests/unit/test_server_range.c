/* test_server_range.c - promises 1 to 3 of range.c */
#include <stdio.h>

#include "server.h"
#include "test.h"

/* "OFFSET+LENGTH" of a value of 1000 bytes, "none" if it has none of them, "whole" if the text is ignored. */
static const char *
bytes_of(const char *header, uint64_t size)
{
	static char text[64];
	uint64_t offset, nbytes;
	struct range r;

	if (!range_parse(&r, header)) {
		assert_int_equal(r.kind, RANGE_NONE);
		return "whole";
	}
	if (!range_of(&r, size, &offset, &nbytes))
		return "none";
	assert_true(nbytes > 0 && offset < size && nbytes <= size - offset);
	snprintf(text, sizeof text, "%llu+%llu", (unsigned long long)offset, (unsigned long long)nbytes);
	return text;
}

static void
understands_one_range(void **state)
{
	static const char *const cases[][2] = {
	    {"bytes=0-0", "0+1"},     {"bytes=0-99", "0+100"},   {"bytes=100-", "100+900"}, {"bytes=999-999", "999+1"},
	    {"bytes=-1", "999+1"},    {"bytes=-1000", "0+1000"}, {"BYTES=0-0", "0+1"},      {"bytes= 0-0 ", "0+1"},
	    {"bytes=\t0-0\t", "0+1"}, {"bytes=0-999", "0+1000"}, {"bytes=007-010", "7+4"},  {"bytes= -5", "995+5"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		assert_string_equal(bytes_of(cases[i][0], 1000), cases[i][1]);
}

static void
ignores_other_text(void **state)
{
	/* promise 1 */
	static const char *const cases[] = {
	    "",          "bytes",       "bytes=",        "bytes=-",    "bytes=5",     "bytes=5-4",
	    "bytes=a-b", "bytes=1-b",   "bytes=+1-2",    "bytes=1-+2", "bytes=1 -2",  "bytes=1--2",
	    "bytes=--2", "bytes=0x1-2", "bytes=1-2,4-5", "bytes=1-2,", "bytes=,1-2",  "bytes 1-2",
	    "items=1-2", "bytes =1-2",  "bytes=1.0-2",   "bytes=-1-2", "bytes=1-2 x", "xbytes=1-2",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		assert_string_equal(bytes_of(cases[i], 1000), "whole");
	assert_string_equal(bytes_of(NULL, 1000), "whole");
}

static void
cuts_at_the_end(void **state)
{
	(void)state;
	assert_string_equal(bytes_of("bytes=990-1000", 1000), "990+10"); /* promise 2 */
	assert_string_equal(bytes_of("bytes=990-5000", 1000), "990+10");
	assert_string_equal(bytes_of("bytes=-5000", 1000), "0+1000");
	assert_string_equal(bytes_of("bytes=1000-", 1000), "none");
	assert_string_equal(bytes_of("bytes=1000-1000", 1000), "none");
	assert_string_equal(bytes_of("bytes=-0", 1000), "none");
	assert_string_equal(bytes_of("bytes=0-", 0), "none");
	assert_string_equal(bytes_of("bytes=-5", 0), "none");
}

static void
takes_large_numbers(void **state)
{

	(void)state;
	/* promise 3 */
	assert_string_equal(bytes_of("bytes=0-18446744073709551613", 1000), "0+1000");
	assert_string_equal(bytes_of("bytes=0-18446744073709551614", 1000), "0+1000");
	assert_string_equal(bytes_of("bytes=0-18446744073709551615", 1000), "0+1000");
	assert_string_equal(bytes_of("bytes=5-18446744073709551616", 1000), "5+995");
	assert_string_equal(bytes_of("bytes=5-99999999999999999999999999", 1000), "5+995");
	assert_string_equal(bytes_of("bytes=-99999999999999999999999999", 1000), "0+1000");
	assert_string_equal(bytes_of("bytes=18446744073709551616-", 1000), "none");
	assert_string_equal(bytes_of("bytes=99999999999999999999-99999999999999999999", 1000), "none");
	assert_string_equal(bytes_of("bytes=18446744073709551610-", UINT64_MAX), "18446744073709551610+5");
	assert_string_equal(bytes_of("bytes=1-18446744073709551613", UINT64_MAX), "1+18446744073709551613");
	assert_string_equal(bytes_of("bytes=99999999999999999999-5", 1000), "whole");
}

static void
finds_tags(void **state)
{
	static const struct {
		const char *list;
		bool strong, weak;
	} cases[] = {
	    {"\"a\"", true, true},
	    {"*", true, true},
	    {" * ", false, false},
	    {"W/\"a\"", false, true},
	    {"\"b\", \"a\"", true, true},
	    {"\"b\",\"a\"", true, true},
	    {" ,, \"b\" ,\t\"a\"", true, true},
	    {"\"b\", W/\"a\"", false, true},
	    {"W/\"b\", \"a\"", true, true},
	    {"W/\"a\", \"a\"", true, true},
	    {"\"a, b\", \"a\"", true, true},
	    {"\"x\\\"\", \"a\"", false, false}, /* a tag has no escapes: what follows the quote is no tag */
	    {"", false, false},
	    {"a", false, false},
	    {"\"", false, false},
	    {"\"a", false, false},
	    {"\"ab\"", false, false},
	    {"w/\"a\"", false, false},
	    {"\"b\" x, \"a\"", false, false},
	    {"\"A\"", false, false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		assert_int_equal(etag_listed(cases[i].list, "\"a\"", false), cases[i].strong);
		assert_int_equal(etag_listed(cases[i].list, "\"a\"", true), cases[i].weak);
	}
	assert_false(etag_listed("\"a\"", "", true)); /* a value without a tag */
	assert_false(etag_listed("", "", true));
	assert_true(etag_listed("*", "", false));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(understands_one_range),
	    cmocka_unit_test(ignores_other_text),
	    cmocka_unit_test(cuts_at_the_end),
	    cmocka_unit_test(takes_large_numbers),
	    cmocka_unit_test(finds_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
