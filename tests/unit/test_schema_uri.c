/* test_schema_uri.c - references: the examples of RFC 3986, section 5.4, and fragments */
#include <string.h>

#include "schema/schema_impl.h"
#include "test.h"

static const char *
resolve(const char *base, const char *ref)
{
	static char text[200];
	zinc_buf b;

	zinc_buf_init(&b, zinc_context_get(NULL), SIZE_MAX);
	assert_int_equal(zinc_uri_resolve(&b, base, ref, NULL), ZINC_OK);
	assert_true(b.n < sizeof text);
	memcpy(text, zinc_buf_text(&b), b.n + 1);
	zinc_buf_fini(&b);
	return text;
}

/* Without fragments, which a resolved URI does not have. */
static const struct {
	const char *ref, *is;
} examples[] = {
    {"g:h", "g:h"},
    {"g", "http://a/b/c/g"},
    {"./g", "http://a/b/c/g"},
    {"g/", "http://a/b/c/g/"},
    {"/g", "http://a/g"},
    {"//g", "http://g"},
    {"?y", "http://a/b/c/d;p?y"},
    {"g?y", "http://a/b/c/g?y"},
    {"#s", "http://a/b/c/d;p?q"},
    {"g#s", "http://a/b/c/g"},
    {"g?y#s", "http://a/b/c/g?y"},
    {";x", "http://a/b/c/;x"},
    {"g;x", "http://a/b/c/g;x"},
    {"", "http://a/b/c/d;p?q"},
    {".", "http://a/b/c/"},
    {"./", "http://a/b/c/"},
    {"..", "http://a/b/"},
    {"../", "http://a/b/"},
    {"../g", "http://a/b/g"},
    {"../..", "http://a/"},
    {"../../", "http://a/"},
    {"../../g", "http://a/g"},
    {"../../../g", "http://a/g"},
    {"../../../../g", "http://a/g"},
    {"/./g", "http://a/g"},
    {"/../g", "http://a/g"},
    {"g.", "http://a/b/c/g."},
    {".g", "http://a/b/c/.g"},
    {"g..", "http://a/b/c/g.."},
    {"..g", "http://a/b/c/..g"},
    {"./../g", "http://a/b/g"},
    {"./g/.", "http://a/b/c/g/"},
    {"g/./h", "http://a/b/c/g/h"},
    {"g/../h", "http://a/b/c/h"},
    {"g;x=1/../y", "http://a/b/c/y"},
};

static void
test_rfc(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(examples); i++)
		assert_string_equal(resolve("http://a/b/c/d;p?q", examples[i].ref), examples[i].is);
	assert_string_equal(resolve("urn:uuid:deadbeef", "#/a"), "urn:uuid:deadbeef");
	assert_string_equal(resolve("http://a", "b.json"), "http://a/b.json");
	assert_string_equal(resolve("", "b.json#x"), "b.json");
}

static void
test_fragment(void **state)
{
	zinc_buf b;

	(void)state;
	zinc_buf_init(&b, zinc_context_get(NULL), SIZE_MAX);
	assert_int_equal(zinc_uri_fragment(&b, "a#/x%25y/%7e1", NULL), ZINC_OK);
	assert_string_equal(zinc_buf_text(&b), "/x%y/~1");
	b.n = 0;
	assert_int_equal(zinc_uri_fragment(&b, "a", NULL), ZINC_OK);
	assert_int_equal(b.n, 0);
	assert_int_equal(zinc_uri_fragment(&b, "#%4", NULL), ZINC_E_CORRUPT);
	assert_int_equal(zinc_uri_fragment(&b, "#%zz", NULL), ZINC_E_CORRUPT);
	zinc_buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rfc),
	    cmocka_unit_test(test_fragment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
