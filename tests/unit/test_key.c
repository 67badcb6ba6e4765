/*
 * test_key.c - the promises of key.c, by number
 */
#include "base/base.h"
#include "support/test.h"

static const char *const good[] = {
    "a",
    "zarr.json",
    "a/b/c",
    "c/0/0",
    ".zarray",
    "...",
    "..a",
    "a..",
    "a/...",
    "a/.b",
    "-",
    "_",
    "a b",
    "a\\b",
    "a:b",
    "c:0",
    "\xc3\xa9",
    "\xe2\x82\xac/x",
    "\xf0\x9f\x98\x80",
    "%2e%2e",
    "~",
    "__x",
};

/* Why each is refused is part of its text. */
static const struct {
	const char *key, *why;
} bad[] = {
    {"", "empty"},
    {"/", "begin or end"},
    {"/a", "begin or end"},
    {"a/", "begin or end"},
    {"a//b", "empty component"},
    {".", "\".\""},
    {"a/.", "\".\""},
    {"./a", "\".\""},
    {"a/./b", "\".\""},
    {"..", "\"..\""},
    {"../a", "\"..\""},
    {"a/..", "\"..\""},
    {"a/../b", "\"..\""},
    {"a\nb", "control"},
    {"a\x01", "control"},
    {"\x7f", "control"},
    {"\xff", "UTF-8"},
    {"a/\xc0\xae", "UTF-8"},         /* an overlong '.' */
    {"\xc0\xae\xc0\xae/a", "UTF-8"}, /* overlong ".." */
    {"\xed\xa0\x80", "UTF-8"},       /* a surrogate */
};

/* (1) (2) */
static void
keys(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++)
		assert_ok(zinc_key_check(good[i], &err));
	for (i = 0; i < COUNT(bad); i++) {
		assert_int_equal(zinc_key_check(bad[i].key, &err), ZINC_E_INVALID);
		if (!strstr(err.text, bad[i].why))
			fail_msg("\"%s\" was refused because %s", bad[i].key, err.text);
	}
	assert_string_equal(zinc_error_text(&err), "\\xed\\xa0\\x80: a key must be valid UTF-8");
	assert_int_equal(zinc_key_check(NULL, NULL), ZINC_E_INVALID);
}

/* Every byte as a key, and inside one. */
static void
all_bytes(void **state)
{
	char key[] = "x?y";
	int b;

	(void)state;
	for (b = 1; b < 256; b++) {
		zinc_status want = b < 0x20 || b >= 0x7f ? ZINC_E_INVALID : ZINC_OK;

		key[1] = (char)b;
		assert_int_equal(zinc_key_check(key, NULL), want);
	}
}

static void
prefixes(void **state)
{
	static const char *const fine[] = {"", "a/", "a/b/", ".../", "\xc3\xa9/"};
	static const char *const wrong[] = {"a", "/", "//", "a//", "/a/", "../", "a/../", "./", "\xff/", "a\n/"};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(fine); i++)
		assert_ok(zinc_prefix_check(fine[i], &err));
	for (i = 0; i < COUNT(wrong); i++)
		assert_int_equal(zinc_prefix_check(wrong[i], &err), ZINC_E_INVALID);
	assert_int_equal(zinc_prefix_check(NULL, &err), ZINC_E_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys),
	    cmocka_unit_test(all_bytes),
	    cmocka_unit_test(prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
