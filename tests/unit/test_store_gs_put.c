/*
 * test_store_gs_put.c - the promises of store_gs_put.c, store_gs_parts.c and store_gs_test.c, on a server on loopback
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_gs.h"
#include "support/gets.h"
#include "support/gs_place.h"
#include "support/test.h"

static web server;
static const zinc_condition absent = {ZINC_ABSENT, NULL};

static zinc_status
put(zinc_store *s, const char *key, const char *text, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	return zinc_store_put(s, NULL, key, text, strlen(text), when, 0, tag, NULL, err);
}

/* ---- store_gs_put.c ---- */

/* (1) */
static void
success_is_what_the_server_says(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = gs_new(&server, "plain", "");
	zinc_tag tag;

	(void)state;
	assert_ok(put(s, "k", "1", NULL, &tag, &err));
	assert_int_equal(tag.b[0], 'G');
	assert_true(tag.n > 10);
	zinc_store_close(s);
	s = gs_new(&server, "wrongsum", "");
	assert_int_equal(put(s, "k", "1", NULL, &tag, &err), ZINC_E_UNCERTAIN);
	assert_non_null(strstr(err.text, "other bytes"));
	assert_int_equal(put(s, "new", "1", &absent, &tag, &err),
			 ZINC_E_IO); /* (2) the write id is its own, the bytes are not */
	assert_non_null(strstr(err.text, "other bytes"));
	zinc_store_close(s);
	s = gs_new(&server, "nogeneration", "&retries=1");
	assert_int_equal(put(s, "k", "1", NULL, &tag, &err), ZINC_E_UNCERTAIN);
	zinc_store_close(s);
	s = gs_new(&server, "cutanswer", "");
	assert_ok(put(s, "k", "1", NULL, &tag, &err)); /* a put without a condition may be repeated */
	zinc_store_close(s);
}

/* (2) The answer to the first try is lost. */
static void
own_writes_are_known(void **state)
{
	static const char *const quirks[] = {"late", "cutanswer", "proxied"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_condition equals = {ZINC_EQUALS, NULL};
	zinc_store *s;
	zinc_tag tag;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quirks); i++) {
		s = gs_new(&server, quirks[i], "");
		assert_ok(put(s, "k", "1", &absent, &tag, &err));
		assert_text(s, "k", "1");
		equals.tag = &tag;
		assert_ok(put(s, "k", "2", &equals, NULL, &err));
		assert_int_equal(put(s, "k", "3", &equals, NULL, &err), ZINC_E_CONFLICT);
		assert_int_equal(put(s, "k", "3", &absent, NULL, &err), ZINC_E_EXISTS);
		zinc_store_close(s);
	}
	s = gs_new(&server, "lost", "");
	assert_int_equal(put(s, "k", "1", &absent, &tag, &err), ZINC_E_UNCERTAIN);
	assert_text(s, "k", "someone else");
	zinc_store_close(s);
}

/* (3), (9) */
static void
servers_are_tested(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_store *s = gs_new(&server, "ignores", "");
	zinc_condition equals = {ZINC_EQUALS, NULL};
	zinc_tag tag;
	int n = 0;

	(void)state;
	assert_int_equal(put(s, "k", "1", &absent, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "ifGenerationMatch"));
	zinc_store_caps(s, &caps);
	assert_false(caps.flags & ZINC_CAP_CAS);
	assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
	assert_int_equal(n, 0);
	zinc_store_close(s);
	s = gs_new(&server, "nodelete", "");
	assert_ok(put(s, "k", "1", &absent, &tag, &err));
	equals.tag = &tag;
	assert_int_equal(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_text(s, "k", "1");
	zinc_store_caps(s, &caps);
	assert_true(caps.flags & ZINC_CAP_CAS);
	assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
	assert_int_equal(n, 1);
	zinc_store_close(s);
}

/* ---- store_gs_parts.c ---- */

#define LARGE (5 * ZINC_MIB + 12345)

static uint8_t large[LARGE];

static void
fill_large(void)
{
	uint32_t x = 1;
	size_t i;

	for (i = 0; i < LARGE; i++) {
		x = x * 1664525 + 1013904223;
		large[i] = (uint8_t)(x >> 24);
	}
}

static zinc_status
put_large(zinc_store *s, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	return zinc_store_put(s, NULL, "d/large", large, LARGE, when, 0, tag, NULL, err);
}

static void
check_large(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	assert_ok(zinc_store_get_all(s, "d/large", &b, NULL, 0, NULL, &err));
	assert_int_equal(b.nbytes, LARGE);
	assert_memory_equal(b.data, large, LARGE);
	zinc_blob_fini(&b);
}

/* (4), (5), (7), (8) */
static void
pieces_arrive(void **state)
{
	static const char *const quirks[] = {"plain", "breaks", "lastlost", "forgets", "forgetsdone", "elsewhere"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quirks); i++) {
		zinc_store *s = gs_new(&server, quirks[i], "&part_size=1&timeout=20");

		if (put_large(s, &absent, &tag, &err) != ZINC_OK)
			fail_msg("%s: %s", quirks[i], err.text);
		check_large(s);
		assert_int_equal(gs_uploads(&server), 0);
		assert_int_equal(put_large(s, &absent, &tag, &err), ZINC_E_EXISTS);
		zinc_store_close(s);
	}
}

/* (2), (8) */
static void
pieces_of_other_bytes(void **state)
{
	zinc_store *s = gs_new(&server, "wrongsum", "&part_size=1&retries=2");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;

	(void)state;
	assert_int_equal(put_large(s, &absent, &tag, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "other bytes"));
	zinc_store_close(s);
}

/* (6) of store_web_call.c: there was no condition that someone else could have broken. */
static void
policies_are_no_conflicts(void **state)
{
	zinc_store *s = gs_new(&server, "policy", "&part_size=1");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;

	(void)state;
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "violates constraint"));
	assert_int_equal(put_large(s, NULL, &tag, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "violates constraint"));
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err));
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	zinc_store_close(s);
}

/* (9): only the fate of the test is unknown. */
static void
tests_without_an_answer(void **state)
{
	zinc_store *s = gs_new(&server, "hangsup", "&retries=1");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "cannot find out"));
	zinc_store_close(s);
}

/* (5) */
static void
uploads_wait_for_the_server(void **state)
{
	zinc_store *s = gs_new(&server, "weary", "&part_size=1&retries=6");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;

	(void)state;
	assert_ok(put_large(s, NULL, &tag, &err));
	zinc_store_close(s);
}

/* (5), (6) */
static void
uploads_that_fail_are_given_up(void **state)
{
	static const struct {
		const char *quirk, *text;
	} bad[] = {
	    {"stuck", "accepts no more bytes"},    {"takesback", "accepts no more bytes"},
	    {"liar", "other bytes of the upload"}, {"noplace", "without a place"},
	    {"failpiece", "not this piece"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		zinc_store *s = gs_new(&server, bad[i].quirk, "&part_size=1&retries=2");

		assert_int_equal(put_large(s, NULL, &tag, &err), ZINC_E_IO);
		if (!strstr(err.text, bad[i].text))
			fail_msg("%s: %s", bad[i].quirk, err.text);
		assert_missing(s, "d/large");
		if (strcmp(bad[i].quirk, "noplace") != 0) /* that one has no place to give up */
			assert_int_equal(gs_uploads(&server), 0);
		zinc_store_close(s);
	}
}

static void
ranges_are_parsed(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t received;
	} all[] = {
	    {"", true, 0},          {"bytes=0-0", true, 1},    {"bytes=0-99", true, 100},
	    {"0-99", true, 100},    {"bytes 0-99", true, 100}, {"bytes=1-99", false, 0},
	    {"bytes=0-", false, 0}, {"bytes=0-9x", false, 0},  {"bytes=0-99999999999999999999", false, 0},
	};
	uint64_t received;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		assert_int_equal(zinc_gs_parse_range(all[i].text, &received), all[i].ok);
		assert_int_equal(received, all[i].received);
	}
}

static void
objects_are_parsed(void **state)
{
	static const char *const bad[] = {"",
					  "[]",
					  "{}",
					  "{\"generation\":\"\"}",
					  "{\"generation\":\"0\"}",
					  "{\"generation\":\"1x\"}",
					  "{\"generation\":\"12345678901234567890\"}",
					  "{\"generation\":\"1\",\"size\":\"-1\"}",
					  "{\"generation\":\"1\""};
	static const char good[] = "{\"generation\":17,\"size\":\"5\",\"metadata\":{\"zinc-write\":\"w\"}}";
	zinc_error err = ZINC_ERROR_INIT;
	gs_object o;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(zinc_gs_parse_object(&o, zinc_context_get(NULL), bad[i], strlen(bad[i]), &err),
				 ZINC_E_CORRUPT);
	assert_ok(zinc_gs_parse_object(&o, zinc_context_get(NULL), good, strlen(good), &err));
	assert_string_equal(o.generation, "17");
	assert_string_equal(o.write, "w");
	assert_int_equal(o.nbytes, 5);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(success_is_what_the_server_says),
	    cmocka_unit_test(own_writes_are_known),
	    cmocka_unit_test(servers_are_tested),
	    cmocka_unit_test(pieces_arrive),
	    cmocka_unit_test(pieces_of_other_bytes),
	    cmocka_unit_test(uploads_that_fail_are_given_up),
	    cmocka_unit_test(policies_are_no_conflicts),
	    cmocka_unit_test(tests_without_an_answer),
	    cmocka_unit_test(uploads_wait_for_the_server),
	    cmocka_unit_test(ranges_are_parsed),
	    cmocka_unit_test(objects_are_parsed),
	};
	int failed;

	if (!cloud_can()) {
		puts("built without libcurl or libcrypto, or no Python: skipped");
		return 77;
	}
	fill_large();
	gs_start(&server, false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
