/*
 * test_uri.c - the promises of uri.c, by number
 */
#include "base/base.h"
#include "support/test.h"

#define SPEC "purl.org/zarr/spec/"

static const struct {
	const char *known, *given;
	zinc_uri_match match;
} pairs[] = {
    {"https://" SPEC "codec/gzip/1.0", "https://" SPEC "codec/gzip/1.0", ZINC_URI_SAME},
    /* (1) */
    {"https://" SPEC "codec/gzip/1.0", "http://" SPEC "codec/gzip/1.0", ZINC_URI_SAME},
    {"https://" SPEC "codec/gzip/1.0", "https://" SPEC "codec/gzip/1.0/", ZINC_URI_SAME},
    {"https://e.org/datetime/v1.0.html", "https://e.org/datetime/1.0", ZINC_URI_SAME},
    {"https://e.org/a", "ftp://e.org/a", ZINC_URI_OTHER},
    /* (2) */
    {"https://" SPEC "codec/gzip/1.0", "http://" SPEC "codec/gzip", ZINC_URI_SAME},
    {"https://" SPEC "codec/gzip", "http://" SPEC "codec/gzip/7.2", ZINC_URI_OTHER},
    {"urn:example:a", "urn:example:a", ZINC_URI_SAME},
    {"urn:example:a", "urn:example:b", ZINC_URI_OTHER},
    {"no URI: object", "no URI: object", ZINC_URI_SAME},
    /* (3) */
    {"https://" SPEC "codec/gzip/1.0", "https://" SPEC "codec/gzip/1.2", ZINC_URI_MINOR},
    {"https://" SPEC "codec/gzip/1.0", "https://" SPEC "codec/gzip/1", ZINC_URI_SAME},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/3.0/dev", ZINC_URI_MINOR},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/3.17", ZINC_URI_MINOR},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/4.0", ZINC_URI_MAJOR},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/30", ZINC_URI_MAJOR},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/99999999999999999999.0", ZINC_URI_MAJOR},
    {"https://" SPEC "core/3.0", "https://" SPEC "protocol/core/3.0", ZINC_URI_OTHER},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/3.0.1", ZINC_URI_OTHER},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/3.x", ZINC_URI_OTHER},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/3.", ZINC_URI_OTHER},
    {"https://" SPEC "core/3.0", "https://" SPEC "core/v", ZINC_URI_OTHER},
    {"https://" SPEC "core/3.0", "", ZINC_URI_OTHER},
    {"https://" SPEC "core/3.0", "3.0", ZINC_URI_OTHER},
    {"1.0", "1.0", ZINC_URI_SAME}, /* no path, no version */
    {"1.0", "1.1", ZINC_URI_OTHER},
};

static void
pairs_fit(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		if (zinc_uri_compare(pairs[i].known, pairs[i].given) != pairs[i].match)
			fail_msg("%s and %s", pairs[i].known, pairs[i].given);
}

/* (4) */
static void
only_uris_are(void **state)
{
	static const char *const yes[] = {"https://e.org/a/1.0", "urn:example:a", "a:b", "x+y-z.1:/%20?q#f",
					  "h://[::1]/"};
	static const char *const no[] = {"",       "gzip",       "https:",        ":a",      "1a:b",  "e.org/a",
					 "no:a b", "a:\xc3\xa4", "a:%2",          "a:%zz",   "a:<b>", "a:\n",
					 "a b:c",  "a_b:c",      "http//e.org/a", "a:\"b\"", "a:\\b"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof yes / sizeof yes[0]; i++)
		if (!zinc_uri_is(yes[i]))
			fail_msg("\"%s\" is a URI", yes[i]);
	for (i = 0; i < sizeof no / sizeof no[0]; i++)
		if (zinc_uri_is(no[i]))
			fail_msg("\"%s\" is none", no[i]);
}

static void
lists(void **state)
{
	static const char *const known[] = {"https://e.org/codecs/a/1.0", "https://e.org/codec/a/1.0",
					    "http://e.org/codec/a", NULL};

	(void)state;
	assert_int_equal(zinc_uri_among(known, "https://e.org/codec/a"), ZINC_URI_SAME);
	assert_int_equal(zinc_uri_among(known, "https://e.org/codecs/a/1.3"), ZINC_URI_MINOR);
	assert_int_equal(zinc_uri_among(known, "https://e.org/codecs/a/2.0"), ZINC_URI_MAJOR);
	assert_int_equal(zinc_uri_among(known, "https://e.org/b/1.0"), ZINC_URI_OTHER);
	assert_int_equal(zinc_uri_among(NULL, "https://e.org/b/1.0"), ZINC_URI_OTHER);
	assert_string_equal(zinc_uri_choose(known, "https://e.org/codec/"), known[1]);
	assert_string_equal(zinc_uri_choose(known, "http://"), known[2]);
	assert_string_equal(zinc_uri_choose(known, "urn:"), known[0]);
	assert_null(zinc_uri_choose(NULL, ""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pairs_fit),
	    cmocka_unit_test(only_uris_are),
	    cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
