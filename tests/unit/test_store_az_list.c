/*
 * test_store_az_list.c - the promises of store_az_list.c, store_az_del.c and store_az_error.c, on a server on loopback
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_az.h"
#include "support/blobs.h"
#include "support/gets.h"
#include "support/test.h"

static web server;

/* ---- store_az_list.c ---- */

/* (1), (4) */
static void
pages_are_joined(void **state)
{
	static const char *const quirks[] = {"smallpages", "hns", "encoded", "versions", "plain"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quirks); i++)
		assert_pages_joined(blobs_open(&server, quirks[i], ""));
}

static int
in_order(void *arg, const char *key, uint64_t nbytes)
{
	char *last = (char *)arg;

	(void)nbytes;
	assert_true(strcmp(last, key) < 0);
	snprintf(last, 64, "%s", key);
	return 0;
}

/* (2) A server by components lists "a/b" before "a-b". */
static void
other_orders_are_sorted(void **state)
{
	static const char *const keys[] = {"a/b/c", "a-b", "a.b/x", "a/b", "a+", "b", "a0", "a/-", "a/b-c/d"};
	zinc_store *s = blobs_open(&server, "hns", "");
	zinc_error err = ZINC_ERROR_INIT;
	char last[64] = "";
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(keys); i++)
		if (strcmp(keys[i], "a/b") != 0)
			put_text(s, keys[i], "x");
	assert_ok(zinc_store_list(s, "", in_order, last, NULL, &err));
	assert_string_equal(last, "b");
	zinc_store_close(s);
}

/* (1), (3) */
static void
hostile_listings_are_refused(void **state)
{
	static const hostile_list bad[] = {
	    {"samepage", ZINC_E_UNSUPPORTED, "twice or out of order", true},
	    {"emptypages", ZINC_E_IO, "empty pages without end", true},
	    {"cutlist", ZINC_E_CORRUPT, "", true},
	    {"untold", ZINC_E_CORRUPT, "whether it is complete", true},
	    {"outside", ZINC_E_CORRUPT, "outside of the prefix", true},
	    {"nolist", ZINC_E_UNSUPPORTED, "permission to list", true},
	    {"html", ZINC_E_IO, "without a code of Azure", false},
	    {"codeless", ZINC_E_IO, "without a code of Azure", false},
	    {"nosuch", ZINC_E_IO, "ContainerNotFound", false},
	    {"circle", ZINC_E_IO, "the same pages", false},
	};

	(void)state;
	assert_lists_refused(&server, blobs_open, bad, COUNT(bad));
}

static zinc_status
parse(const char *text, int *entries, bool *folders)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_web_page page;
	zinc_status st;

	zinc_web_page_init(&page, zinc_context_get(NULL));
	st = zinc_az_parse_page(&page, folders, text, strlen(text), &err);
	*entries = (int)(page.entries.n / sizeof(zinc_web_entry));
	if (st == ZINC_OK && *entries)
		assert_string_equal((const char *)page.names.p + ((zinc_web_entry *)(void *)page.entries.p)->name,
				    "a\x01z");
	zinc_web_page_fini(&page);
	return st;
}

static void
pages_are_parsed(void **state)
{
	static const char *const bad[] = {
	    "",
	    "<Error><Code>X</Code></Error>",
	    "<EnumerationResults></EnumerationResults>",
	    "<EnumerationResults><NextMarker/>",
	    "<EnumerationResults><Blobs><Blob></Blob></Blobs><NextMarker/></EnumerationResults>",
	    "<EnumerationResults><Blobs><Blob><Name>a</Name><Name>b</Name></Blob></Blobs><NextMarker/></"
	    "EnumerationResults>",
	    "<EnumerationResults><Blobs><Blob><Name "
	    "Encoded=\"true\">%4</Name></Blob></Blobs><NextMarker/></EnumerationResults>",
	    "<EnumerationResults><Blobs><Blob><Name Encoded=\"true\">a%00</Name></Blob></Blobs><NextMarker/>"
	    "</EnumerationResults>",
	    "<EnumerationResults><Blobs><Blob><Name>a</Name><Properties><Content-Length>-1</Content-Length></"
	    "Properties>"
	    "</Blob></Blobs><NextMarker/></EnumerationResults>",
	};
	bool folders;
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(parse(bad[i], &n, &folders), ZINC_E_CORRUPT);
	assert_int_equal(
	    parse("<EnumerationResults><Blobs><Blob><Name Encoded='true' x=\"Encoded\">a%01z</Name></Blob></Blobs>"
		  "<NextMarker/></EnumerationResults>",
		  &n, &folders),
	    ZINC_OK);
	assert_int_equal(n, 1);
	assert_false(folders);
	assert_int_equal(
	    parse("<EnumerationResults><Blobs><Blob><Name>x</Name><Metadata><Hdi_isfolder>true</Hdi_isfolder>"
		  "</Metadata></Blob><Blob><Name>y</Name><Properties><ResourceType>directory</ResourceType>"
		  "</Properties></Blob></Blobs><NextMarker></NextMarker></EnumerationResults>",
		  &n, &folders),
	    ZINC_OK);
	assert_int_equal(n, 0);
	assert_true(folders);
}

/* ---- store_az_del.c ---- */

/* (1) */
static void
many_are_deleted(void **state)
{
	zinc_store *s = blobs_open(&server, "plain", "");
	zinc_error err = ZINC_ERROR_INIT;
	int n;

	(void)state;
	put_ten(s);
	put_text(s, "keep", "x");
	assert_ok(zinc_store_del_prefix(s, "d/", 0, NULL, &err));
	assert_ok(count_keys(s, "", &n, &err));
	assert_int_equal(n, 1);
	assert_ok(zinc_store_del(s, NULL, "none", NULL, 0, NULL, &err));
	zinc_store_close(s);
	s = blobs_open(&server, "snapshots", "");
	put_text(s, "k", "1");
	assert_int_equal(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "delete them first"));
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* ---- store_az_error.c ---- */

/* (1) */
static void
only_blobs_are_missing(void **state)
{
	static const char *const bad[][2] = {{"nosuch", "ContainerNotFound"}, {"html", "without a code"},
					     {"codeless", "without a code"},  {"denied", "Storage Blob Data Reader"},
					     {"archived", "archive tier"},    {"echo", "not shown"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		s = blobs_open(&server, bad[i][0], "");
		if (strcmp(bad[i][0], "archived") == 0)
			put_text(s, "k", "1");
		if (zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err) != ZINC_E_IO ||
		    (strcmp(bad[i][0], "echo") != 0 && !strstr(err.text, bad[i][1])))
			fail_msg("%s: %s", bad[i][0], zinc_error_text(&err));
		zinc_store_close(s);
	}
	assert_ok(blobs_try(&server, "hidden-x", "", NULL, NULL, &s, &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "ResourceNotFound"));
	assert_non_null(strstr(err.text, "no credentials"));
	zinc_store_close(s);
}

/* (3) */
static void
obstacles_are_no_conditions(void **state)
{
	static const char *const bad[][2] = {{"leased", "someone holds a lease"}, {"immutable", "protects the blob"}};
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		zinc_store *s = blobs_open(&server, bad[i][0], "");

		assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err), ZINC_E_IO);
		assert_non_null(strstr(err.text, bad[i][1]));
		assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err), ZINC_E_IO);
		assert_non_null(strstr(err.text, bad[i][1]));
		assert_int_equal(cloud_count(&server), 3);
		zinc_store_close(s);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pages_are_joined),
	    cmocka_unit_test(other_orders_are_sorted),
	    cmocka_unit_test(hostile_listings_are_refused),
	    cmocka_unit_test(pages_are_parsed),
	    cmocka_unit_test(many_are_deleted),
	    cmocka_unit_test(only_blobs_are_missing),
	    cmocka_unit_test(obstacles_are_no_conditions),
	};
	int failed;

	if (!cloud_can())
		return 77;
	blobs_start(&server, false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
