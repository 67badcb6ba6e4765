/*
 * test_store_gs_list.c - the promises of store_gs_list.c and store_gs_del.c, on a server on loopback
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_gs.h"
#include "support/gets.h"
#include "support/gs_place.h"
#include "support/test.h"

static web server;

/* ---- store_gs_list.c ---- */

/* (1) */
static void
pages_are_joined(void **state)
{
	(void)state;
	assert_pages_joined(gs_new(&server, "smallpages", ""));
}

/* (1), (2) */
static void
hostile_listings_are_refused(void **state)
{
	static const hostile_list bad[] = {
	    {"samepage", ZINC_E_UNSUPPORTED, "twice or out of order", true},
	    {"unsorted", ZINC_E_UNSUPPORTED, "twice or out of order", true},
	    {"emptypages", ZINC_E_IO, "empty pages without end", true},
	    {"cutlist", ZINC_E_CORRUPT, "no complete JSON", true},
	    {"notlist", ZINC_E_CORRUPT, "no listing", true},
	    {"hugepage", ZINC_E_LIMIT, "longer than", true}, /* (7) */
	    {"outside", ZINC_E_CORRUPT, "outside of the prefix", true},
	    {"nolist", ZINC_E_UNSUPPORTED, "storage.objects.list", false},
	    {"html", ZINC_E_IO, "404", false},
	    {"nosuch", ZINC_E_IO, "bucket does not exist", false},
	};

	(void)state;
	assert_lists_refused(&server, gs_new, bad, COUNT(bad));
}

static zinc_status
parse(const char *text, int *entries, bool *truncated)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_web_page page;

	zinc_web_page_init(&page, zinc_context_get(NULL));
	st = zinc_gs_parse_page(&page, zinc_context_get(NULL), text, strlen(text), &err);
	*entries = (int)(page.entries.n / sizeof(zinc_web_entry));
	*truncated = page.truncated;
	zinc_web_page_fini(&page);
	return st;
}

static void
pages_are_parsed(void **state)
{
	static const char *const bad[] = {
	    "",
	    "{}",
	    "[]",
	    "{\"error\":{}}",
	    "{\"kind\":\"storage#object\"}",
	    "{\"kind\":\"storage#objects\"",
	    "{\"kind\":\"storage#objects\",\"items\":{}}",
	    "{\"kind\":\"storage#objects\",\"items\":[7]}",
	    "{\"kind\":\"storage#objects\",\"items\":[{\"size\":\"1\"}]}",
	    "{\"kind\":\"storage#objects\",\"items\":[{\"name\":\"a\",\"size\":\"x\"}]}",
	    "{\"kind\":\"storage#objects\",\"items\":[{\"name\":\"a\",\"size\":\"-1\"}]}",
	    "{\"kind\":\"storage#objects\",\"items\":[{\"name\":\"a\\u0000b\"}]}",
	    "{\"kind\":\"storage#objects\",\"prefixes\":[{}]}",
	    "{\"kind\":\"storage#objects\",\"nextPageToken\":7}",
	    "{\"kind\":\"storage#objects\",\"nextPageToken\":\"a\\u0000\"}",
	};
	bool more;
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(parse(bad[i], &n, &more), ZINC_E_CORRUPT);
	assert_int_equal(parse("{\"kind\":\"storage#objects\"}", &n, &more), ZINC_OK);
	assert_int_equal(n, 0);
	assert_false(more);
	assert_int_equal(parse("{\"kind\":\"storage#objects\",\"items\":[{\"name\":\"a\",\"size\":7},{\"name\":\"b\"}],"
			       "\"prefixes\":[\"c/\"],\"nextPageToken\":\"t\"}",
			       &n, &more),
			 ZINC_OK);
	assert_int_equal(n, 3);
	assert_true(more);
}

/* (7) */
static void
pages_of_many_values_are_refused(void **state)
{
	static const char head[] = "{\"kind\":\"storage#objects\",\"x\":[1";
	static char text[sizeof head + 2 * 300000 + 8];
	bool more;
	size_t i;
	int n;

	(void)state;
	memcpy(text, head, sizeof head - 1);
	for (i = sizeof head - 1; i < sizeof text - 8; i += 2)
		memcpy(text + i, ",1", 2);
	memcpy(text + i, "]}", 3);
	assert_int_equal(parse(text, &n, &more), ZINC_E_LIMIT);
	memcpy(text + sizeof head - 2, "\"\\\"", 3); /* one long text with a quote in it */
	memcpy(text + i - 1, "\"]}", 4);
	assert_int_equal(parse(text, &n, &more), ZINC_OK);
}

/* ---- store_gs_del.c ---- */

#define KEYS 250

/* Puts and deletes KEYS keys, of which three have "keep" in their names; how many are left. */
static int
delete_many(zinc_store *s, zinc_status want)
{
	static char names[KEYS][32];
	const char *keys[KEYS];
	zinc_error err = ZINC_ERROR_INIT;
	int i, n;

	for (i = 0; i < KEYS; i++) {
		snprintf(names[i], sizeof names[i], i % 100 == 7 ? "d/keep %d" : "d/%d +%%", i);
		keys[i] = names[i];
		if (i % 10 == 7)
			put_text(s, names[i], "x"); /* the others are missing, which counts as deleted */
	}
	assert_int_equal(zinc_store_del_keys(s, keys, KEYS, 0, NULL, &err), want);
	assert_ok(count_keys(s, "", &n, &err));
	return n;
}

static int
count_lines(const char *text, const char *begin)
{
	int n = 0;

	for (text = strstr(text, begin); text; text = strstr(text + 1, begin))
		n++;
	return n;
}

/* (4), (5) */
static void
batches(void **state)
{
	static const char *const quirks[] = {"plain", "quietbatch", "halfbatch", "cutbatch", "nobatch", "unbatched"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quirks); i++) {
		zinc_store *s = gs_new(&server, quirks[i], "");
		const char *log;

		assert_int_equal(delete_many(s, ZINC_OK), 0);
		log = cloud_log(&server, cloud_bucket());
		assert_true(count_lines(log, "BATCH ") >= KEYS);
		if (i < 3) /* the rest by requests of their own */
			assert_int_equal(count_lines(log, "DELETE "), i == 0 ? 0 : 3);
		zinc_store_close(s);
	}
}

/* (4) A missing bucket is not an empty one. */
static void
nothing_is_deleted_in_a_missing_bucket(void **state)
{
	static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = gs_new(&server, "nosuch", "");

	(void)state;
	assert_int_equal(zinc_store_del_keys(s, keys, COUNT(keys), 0, NULL, &err), ZINC_E_IO);
	zinc_store_close(s);
}

/* (6) */
static void
conditional_deletes(void **state)
{
	zinc_condition equals = {ZINC_EQUALS, NULL}, absent = {ZINC_ABSENT, NULL};
	zinc_store *s = gs_new(&server, "plain", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag old, now;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, &old, NULL, &err));
	assert_ok(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, &now, NULL, &err));
	equals.tag = &old;
	assert_int_equal(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(zinc_store_del(s, NULL, "k", &absent, 0, NULL, &err), ZINC_E_EXISTS);
	assert_text(s, "k", "2");
	equals.tag = &now;
	assert_ok(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err));
	assert_int_equal(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_ok(zinc_store_del(s, NULL, "k", &absent, 0, NULL, &err));
	zinc_store_close(s);
}

static void
note_part(void *arg, size_t i, int status, const char *text, size_t n)
{
	(void)text, (void)n;
	*(long *)arg += (long)(i + 1) * 1000 + status;
}

static void
batches_are_parsed(void **state)
{
	static const char type[] = "multipart/mixed; boundary=\"b\"";
	static const struct {
		const char *type, *text;
		zinc_status st;
		long sum;
	} all[] = {
	    {type, "", ZINC_E_CORRUPT, 0},
	    {"text/plain", "--b--", ZINC_E_CORRUPT, 0},
	    {"multipart/mixed", "--b--", ZINC_E_CORRUPT, 0},
	    {type, "--b--", ZINC_OK, 0},
	    {type, "--b\r\nContent-ID: <response-item-0>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", ZINC_E_CORRUPT, 0},
	    {type, "--b\r\nContent-ID: <response-item-0>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n--b--", ZINC_OK, 1204},
	    {type,
	     "--b\nContent-ID: <item-1>\n\nHTTP/1.1 404\nA: b\n\n{}\n--b\ncontent-id: <item-x>\n\nHTTP/1.1 204 "
	     "x\n--b--\n",
	     ZINC_OK, 2404},
	    {type, "--b\r\nContent-ID: <response-item-0>\r\n\r\n--b--", ZINC_OK, 0},
	    {type, "--b\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n--b--", ZINC_OK, 0},
	    {"multipart/mixed; boundary=b; charset=x",
	     "preamble\r\n--b\r\nContent-ID: item-2\r\n\r\nHTTP/2 204 \r\n\r\n--b--", ZINC_OK, 3204},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		long sum = 0;

		if (zinc_gs_parse_batch(all[i].type, all[i].text, strlen(all[i].text), note_part, &sum, &err) !=
			all[i].st ||
		    sum != all[i].sum)
			fail_msg("%zu: %ld", i, sum);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pages_are_joined),
	    cmocka_unit_test(hostile_listings_are_refused),
	    cmocka_unit_test(pages_are_parsed),
	    cmocka_unit_test(pages_of_many_values_are_refused),
	    cmocka_unit_test(batches),
	    cmocka_unit_test(nothing_is_deleted_in_a_missing_bucket),
	    cmocka_unit_test(conditional_deletes),
	    cmocka_unit_test(batches_are_parsed),
	};
	int failed;

	if (!cloud_can()) {
		puts("built without libcurl or libcrypto, or no Python: skipped");
		return 77;
	}
	gs_start(&server, false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
