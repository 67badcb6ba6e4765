/*
 * test_store_s3_put.c - the promises of store_s3_put.c, store_s3_test.c and store_s3_parts.c, on a server on loopback
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_s3.h"
#include "support/bucket.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

static web server;
static const zinc_condition absent = {ZINC_ABSENT, NULL};

static uint32_t
caps_of(zinc_store *s)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(s, &caps);
	return caps.flags;
}

/* ---- store_s3_put.c ---- */

/* (1), (2) The first try is executed without an answer.  The second one fails, and the write id tells why. */
static void
own_write_is_recognised(void **state)
{
	zinc_store *s = bucket_open(&server, "late", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag = {0, {0}}, now;
	zinc_condition equals = {ZINC_EQUALS, &tag};

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, NULL, &err));
	assert_text(s, "k", "1");
	now = tag_of(s, "k");
	assert_true(zinc_tag_equal(&tag, &now));
	assert_ok(zinc_store_put(s, NULL, "k", "22", 2, &equals, 0, NULL, NULL, &err));
	assert_int_equal(zinc_store_put(s, NULL, "k", "3", 1, &absent, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_ok(zinc_store_put(s, NULL, "any", "1", 1, NULL, 0, NULL, NULL, &err));
	assert_text(s, "k", "22");
	zinc_store_close(s);
}

static void
overwritten_write_is_uncertain(void **state)
{
	zinc_store *s = bucket_open(&server, "lost", "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	assert_text(s, "k", "someone else");
	zinc_store_close(s);
}

/* store_s3_call.c (5) */
static void
errors_in_a_200_are_failures(void **state)
{
	zinc_store *s = bucket_open(&server, "sorryput", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;
	zinc_condition equals = {ZINC_EQUALS, &tag};

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err));
	assert_text(s, "k", "1");
	assert_ok(zinc_store_put(s, NULL, "new", "1", 1, &absent, 0, &tag, NULL, &err));
	assert_text(s, "new", "1");
	assert_ok(zinc_store_del(s, NULL, "new", &equals, 0, NULL, &err));
	assert_missing(s, "new");
	zinc_store_close(s);
	s = bucket_open(&server, "sorryput", "&retries=0");
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	assert_non_null(strstr(err.text, "InternalError"));
	assert_missing(s, "k");
	zinc_store_close(s);
	s = bucket_open(&server, "sorrymade", "");
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, NULL, &err));
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* store_s3_call.c (7): the first try was executed.  Only a write id can tell. */
static void
doubts_are_kept(void **state)
{
	zinc_store *s = bucket_open(&server, "doubt", "&region=us-east-1&retries=1");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	assert_non_null(strstr(err.text, "503"));
	assert_text(s, "k", "1");
	zinc_store_close(s);
	s = bucket_open(&server, "doubt", "&region=us-east-1&retries=1");
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err));
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

static void
conflicts_are_retried(void **state)
{
	zinc_store *s = bucket_open(&server, "conflict", "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err));
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* (3), and (1) to (3) of store_s3_test.c */
static void
servers_without_conditions_are_found(void **state)
{
	static const char *const bad[] = {"ignores", "noifmatch", "notimplemented"};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		zinc_store *s = bucket_open(&server, bad[i], "");

		put_text(s, "a/k", "old");
		assert_true(caps_of(s) & ZINC_CAP_CAS);
		assert_int_equal(zinc_store_put(s, NULL, "a/k", "1", 1, &absent, 0, NULL, NULL, &err),
				 ZINC_E_UNSUPPORTED);
		assert_non_null(strstr(err.text, "s3.conditions=no"));
		assert_text(s, "a/k", "old");
		assert_false(caps_of(s) & ZINC_CAP_CAS);
		assert_true(lines_with(cloud_log(&server, cloud_bucket()), "PUT a/.zinc-test-") >= 1);
		assert_int_equal(lines_with(cloud_log(&server, cloud_bucket()), "DELETE a/.zinc-test-"), 1);
		zinc_store_close(s);
		assert_ok(bucket_try(&server, cloud_bucket(), "&conditions=no", true, &s, &err));
		assert_int_equal(zinc_store_put(s, NULL, "a/k", "1", 1, &absent, 0, NULL, NULL, &err), ZINC_E_EXISTS);
		assert_ok(zinc_store_put(s, NULL, "a/new", "1", 1, &absent, 0, NULL, NULL, &err));
		assert_false(caps_of(s) & ZINC_CAP_CAS);
		zinc_store_close(s);
	}
}

static void
server_is_tested_once(void **state)
{
	zinc_store *s = bucket_open(&server, "plain", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag, now;
	zinc_condition equals = {ZINC_EQUALS, &tag};
	int n, i = 0;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, NULL, &err));
	n = lines_with(cloud_log(&server, cloud_bucket()), ".zinc-test-");
	assert_int_equal(n, 5);
	assert_ok(zinc_store_put(s, NULL, "k", "2", 1, &equals, 0, &now, NULL, &err));
	tag = now;
	assert_ok(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err));
	assert_int_equal(lines_with(cloud_log(&server, cloud_bucket()), ".zinc-test-"), n);
	assert_ok(zinc_store_list(s, "", count_key, &i, NULL, &err));
	assert_int_equal(i, 0);
	zinc_store_close(s);
}

/* store_s3_del.c (3) */
static void
conditional_deletes_are_tested(void **state)
{
	zinc_store *s = bucket_open(&server, "nodelete", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;
	zinc_condition equals = {ZINC_EQUALS, &tag};

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, NULL, &err));
	assert_int_equal(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

static zinc_status
put_and_delete(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_setting all[] = {{"access_key_id", BUCKET_ID}, {"secret_access_key", BUCKET_SECRET}};
	zinc_tag tag = {0, {0}};
	const zinc_condition equals = {ZINC_EQUALS, &tag};
	zinc_store *s = NULL;
	zinc_status st;
	char url[256];

	snprintf(url, sizeof url, "s3://plain-sweep%d/x?endpoint=http://127.0.0.1:%d", ++*(int *)arg, server.port);
	ZINC_TRY(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.context = ctx, .settings = all, .nsettings = 2), err));
	st = zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_del(s, NULL, "k", &equals, 0, NULL, err);
	zinc_store_close(s);
	return st;
}

/* A failure on this side says nothing about the server. */
static void
memory_runs_out(void **state)
{
	int number = 0;

	(void)state;
	sweep_alloc(put_and_delete, &number);
}

/* ---- store_s3_parts.c ---- */

enum { LARGE = 21 << 20 };

static zinc_status
put_large(zinc_store *s, const uint8_t *p, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	return zinc_store_put(s, NULL, "a/large", p, LARGE, when, 0, tag, NULL, err);
}

/* (1), (3) */
static void
large_values_have_parts(void **state)
{
	static const char *const good[] = {"plain", "sorry", "latecomplete", "nocomplete"};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *p = make_large(LARGE);
	zinc_tag tag, now;
	zinc_condition equals = {ZINC_EQUALS, &tag};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++) {
		zinc_store *s = bucket_open(&server, good[i], "&part_size=5");

		assert_ok(put_large(s, p, NULL, &tag, &err));
		assert_int_equal(lines_with(cloud_log(&server, cloud_bucket()), "PUT a/large?partNumber="), 5);
		assert_value(s, "a/large", p, LARGE);
		now = tag_of(s, "a/large");
		assert_true(zinc_tag_equal(&tag, &now));
		assert_int_equal(put_large(s, p, &absent, NULL, &err), ZINC_E_EXISTS);
		p[7]++;
		assert_ok(put_large(s, p, &equals, &now, &err));
		assert_int_equal(put_large(s, p, &equals, NULL, &err), ZINC_E_CONFLICT);
		assert_value(s, "a/large", p, LARGE);
		assert_ok(zinc_store_scrub(s, "", 0, NULL, NULL, NULL, &err));
		zinc_store_close(s);
	}
	free(p);
}

/* (2) */
static void
failed_uploads_are_given_up(void **state)
{
	zinc_store *s = bucket_open(&server, "failpart", "&part_size=5");
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *p = make_large(LARGE);

	(void)state;
	assert_int_equal(put_large(s, p, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "InvalidRequest: not this part"));
	assert_int_equal(lines_with(cloud_log(&server, cloud_bucket()), "DELETE a/large?uploadId="), 1);
	assert_missing(s, "a/large");
	zinc_store_close(s);
	free(p);
}

/* A clock that goes back to the past, as long as no request has ended: the upload seems to take 20 s. */
static atomic_long behind;

static int
slow_clock(const zinc_os *self, int id, struct timespec *now)
{
	const int result = zinc_os_posix.clock(&zinc_os_posix, id, now);

	(void)self;
	now->tv_sec -= id == CLOCK_MONOTONIC ? atomic_load(&behind) : 0;
	return result;
}

static void
catch_up(void *arg, const char *line)
{
	(void)arg, (void)line;
	atomic_store(&behind, 0);
}

/* (2) The time for giving up does not begin before it is needed. */
static void
slow_uploads_are_given_up(void **state)
{
	const zinc_setting all[] = {{"access_key_id", BUCKET_ID}, {"secret_access_key", BUCKET_SECRET}};
	zinc_context_options options = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_os os = zinc_os_posix;
	zinc_context *ctx = NULL;
	uint8_t *p = make_large(LARGE);
	zinc_store *s = NULL;
	char url[256];

	(void)state;
	os.clock = slow_clock;
	options.trace = catch_up;
	assert_ok(zinc_context_new(&ctx, &options, &err));
	zinc_context_set_os(ctx, &os);
	snprintf(url, sizeof url, "s3://failpart-slow?part_size=5&endpoint=http://127.0.0.1:%d", server.port);
	assert_ok(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.context = ctx, .settings = all, .nsettings = 2), &err));
	atomic_store(&behind, 20);
	assert_int_equal(put_large(s, p, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(lines_with(cloud_log(&server, "failpart-slow"), "DELETE a/large?uploadId="), 1);
	zinc_store_close(s);
	zinc_context_free(ctx);
	free(p);
}

static int
count_leftover(void *arg, const char *name, const char *key, const char *what)
{
	assert_non_null(strstr(key, "stale"));
	assert_string_equal(name, key);
	assert_non_null(strstr(what, "multipart"));
	++*(int *)arg;
	return 0;
}

/* (4) */
static void
stale_uploads_are_leftovers(void **state)
{
	static const char *const keys[] = {"a/1stale", "a/2", "a/3stale", "a/4stale", "b/stale"};
	zinc_store *s = bucket_open(&server, "plain", "");
	zinc_error err = ZINC_ERROR_INIT;
	int n = 0;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(keys); i++) {
		zinc_web_call c = {.method = "POST", .key = keys[i], .query = "uploads=", .sends = true, .reads = true};

		assert_ok(zinc_web_one((zinc_web *)s->self, &c, NULL, &err));
		zinc_web_call_fini((zinc_web *)s->self, &c);
	}
	assert_ok(zinc_store_scrub(s, "a/", 0, count_leftover, &n, NULL, &err));
	assert_int_equal(n, 3);
	assert_ok(zinc_store_scrub(s, "a/", 1, count_leftover, &n, NULL, &err));
	assert_int_equal(n, 6);
	assert_ok(zinc_store_scrub(s, "a/", 1, count_leftover, &n, NULL, &err));
	assert_int_equal(n, 6);
	assert_ok(zinc_store_scrub(s, "", 0, count_leftover, &n, NULL, &err));
	assert_int_equal(n, 7);
	zinc_store_close(s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(own_write_is_recognised),
	    cmocka_unit_test(overwritten_write_is_uncertain),
	    cmocka_unit_test(errors_in_a_200_are_failures),
	    cmocka_unit_test(doubts_are_kept),
	    cmocka_unit_test(conflicts_are_retried),
	    cmocka_unit_test(servers_without_conditions_are_found),
	    cmocka_unit_test(server_is_tested_once),
	    cmocka_unit_test(conditional_deletes_are_tested),
	    cmocka_unit_test(memory_runs_out),
	    cmocka_unit_test(large_values_have_parts),
	    cmocka_unit_test(failed_uploads_are_given_up),
	    cmocka_unit_test(slow_uploads_are_given_up),
	    cmocka_unit_test(stale_uploads_are_leftovers),
	};
	int failed;

	if (!cloud_can())
		return 77;
	bucket_start(&server, false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
