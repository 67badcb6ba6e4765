/* test_server_query.c - promises 1 and 2 of query.c */
#include "server.h"
#include "test.h"

static void
unescapes(void **state)
{
	static const struct {
		const char *text;
		bool plus;
		const char *want;
	} cases[] = {
	    {"", false, ""},
	    {"abc", false, "abc"},
	    {"a%20b", false, "a b"},
	    {"%41%4a%4A", false, "AJJ"},
	    {"a+b", false, "a+b"},
	    {"a+b", true, "a b"},
	    {"a%2Bb", true, "a+b"},
	    {"%2525", false, "%25"},
	    {"%c3%bc", false, "\xc3\xbc"},
	    {"\xc3\xbc", false, "\xc3\xbc"},
	    {"%f0%9f%98%80", false, "\xf0\x9f\x98\x80"},
	    {"%2e%2E%2f", false, "../"},
	};
	size_t i;
	char *got;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		got = unescape(cases[i].text, strlen(cases[i].text), cases[i].plus);
		assert_non_null(got);
		assert_string_equal(got, cases[i].want);
		free(got);
	}
	got = unescape("a%20bXX", 5, false); /* not past its length */
	assert_string_equal(got, "a b");
	free(got);
}

static void
refuses_malformed_text(void **state)
{
	/* promise 1 */
	static const char *const cases[] = {
	    "%",         "%2",           "a%",           "a%2",          "%zz",
	    "%2g",       "%g2",          "%-1",          "% 1",          "%00",
	    "a%00b",     "%80",          "%ff",          "%c3",          "%c3%28",
	    "%c0%ae",    "%c1%bf",       "%e0%80%ae",    "%e0%9f%bf",    "%ed%a0%80",
	    "%ed%bf%bf", "%f0%80%80%ae", "%f0%8f%bf%bf", "%f4%90%80%80", "%f5%80%80%80",
	    "%e2%82",    "%f0%9f%98",    "\xff",         "\xc0\xaf",     "a\xed\xa0\x80",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		if (unescape(cases[i], strlen(cases[i]), false))
			fail_msg("%s is accepted", cases[i]);
	assert_null(unescape("a\0b", 3, false));
	assert_null(unescape("a%20b", 2, false)); /* an escape that the length cuts */
	assert_null(unescape("a%20b", 3, false));
}

static void
assert_member(const char *query, const char *name, const char *want)
{
	char *got = query_value(query, name);

	if (!want)
		assert_null(got);
	else {
		assert_non_null(got);
		assert_string_equal(got, want);
	}
	free(got);
}

static void
finds_members(void **state)
{
	(void)state;
	assert_member("", "a", NULL);
	assert_member("a=1", "a", "1");
	assert_member("a=1&b=2", "b", "2");
	assert_member("a=1&a=2", "a", "1"); /* promise 2 */
	assert_member("a", "a", "");
	assert_member("a&b=1", "a", "");
	assert_member("a=", "a", "");
	assert_member("a=b=c", "a", "b=c");
	assert_member("ab=1", "a", NULL);
	assert_member("a=1", "ab", NULL);
	assert_member("&&a=1&&", "a", "1");
	assert_member("x=0&%61b=1", "ab", "1"); /* as query_each has it */
	assert_member("s=0%3A3%2C+1", "s", "0:3, 1");
	assert_member("a=%00", "a", NULL);
	assert_member("a=%zz&a=1", "a", NULL); /* promise 1: not the next one instead */
}

static bool
note(void *arg, const char *name, const char *value)
{
	char *text = arg;

	strncat(text, name, 20);
	strncat(text, ":", 2);
	strncat(text, value, 20);
	strncat(text, " ", 2);
	return strcmp(name, "stop") != 0;
}

static void
visits_members(void **state)
{
	char text[256] = "";

	(void)state;
	assert_true(query_each("", note, text));
	assert_true(query_each("a=1&b=%20&&c&=x&a=2", note, text));
	assert_string_equal(text, "a:1 b:  c: :x a:2 ");
	assert_false(query_each("stop=1&a=1", note, text));
	assert_string_equal(text, "a:1 b:  c: :x a:2 stop:1 ");
	text[0] = '\0';
	assert_false(query_each("a=1&b=%zz", note, text)); /* promise 1 */
	assert_false(query_each("a=1&%zz=b", note, text));
	assert_false(query_each("%00", note, text));
	assert_string_equal(text, "a:1 a:1 ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unescapes),
	    cmocka_unit_test(refuses_malformed_text),
	    cmocka_unit_test(finds_members),
	    cmocka_unit_test(visits_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
