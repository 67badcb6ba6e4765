/*
 * test_store_s3.c - a server on loopback: the conformance suite, and the promises of store_s3.c, store_s3_call.c and
 * store_s3_error.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_s3.h"
#include "support/bucket.h"
#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

static web server;

static void
make(void *arg, conform_subject *out)
{
	const char *place = (const char *)arg;

	out->store = out->fill = bucket_open(&server, place, "");
	out->no_conditional_dels = strcmp(place, "nodelete") == 0;
}

/* ---- (1) keys ---- */

static void
public_buckets_need_no_keys(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	assert_ok(bucket_try(&server, "public-a/x", "", false, &s, &err));
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err));
	zinc_blob_fini(&b);
	zinc_store_close(s);
	assert_ok(bucket_try(&server, "plain-a", "", false, &s, &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "AccessDenied: Access Denied (HTTP 403, request REQ"));
	assert_non_null(strstr(err.text, "no credentials"));
	assert_non_null(strstr(err.text, "AWS_ACCESS_KEY_ID"));
	zinc_store_close(s);
	assert_ok(bucket_try(&server, "plain-a", "&anonymous=1", true, &s, &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "because s3.anonymous is set"));
	zinc_store_close(s);
}

/* ---- (2) where keys go ---- */

static void
keys_stay_with_the_service(void **state)
{
	static const struct {
		const char *url;
		bool same;
	} hosts[] = {
	    {"https://s3.amazonaws.com/b/k", true},
	    {"https://b.s3-us-west-2.amazonaws.com/k", true},
	    {"https://b.s3.dualstack.eu-west-1.amazonaws.com/k", true},
	    {"https://s3-fips.us-gov-east-1.amazonaws.com/k", true},
	    {"https://s3-1.eu-west-1.elb.amazonaws.com/k", false},
	    {"https://s3.eu-west-1.elb.amazonaws.com/k", false},
	    {"https://s3.x.execute-api.eu-west-1.amazonaws.com/k", false},
	    {"https://ec2-1-2-3-4.compute-1.amazonaws.com/k", false},
	    {"https://b.s3-evil.amazonaws.com/k", false},
	    {"https://evil.com#.s3.amazonaws.com/k", false},
	    {"https://b.s3.cn-north-1.amazonaws.com.cn/k", false},
	    {"https://.amazonaws.com/k", false},
	    {"https://amazonaws.com/k", false},
	};
	size_t i;

	(void)state;
	assert_true(
	    zinc_s3_same_service("https://b.s3.us-east-1.amazonaws.com/k", "https://b.s3.eu-west-1.amazonaws.com/k"));
	assert_true(zinc_s3_same_service("https://b.s3.cn-north-1.amazonaws.com.cn/k",
					 "https://s3.cn-north-1.amazonaws.com.cn/b/k"));
	assert_false(zinc_s3_same_service("https://b.s3.us-east-1.amazonaws.com/k", "https://evilamazonaws.com/k"));
	assert_false(zinc_s3_same_service("https://b.s3.us-east-1.amazonaws.com/k", "http://b.s3.amazonaws.com/k"));
	assert_false(
	    zinc_s3_same_service("https://b.s3.us-east-1.amazonaws.com/k", "https://evil.com/b.s3.amazonaws.com"));
	assert_false(
	    zinc_s3_same_service("https://b.s3.us-east-1.amazonaws.com/k", "https://b.s3.amazonaws.com@evil.com/k"));
	assert_false(zinc_s3_same_service("https://b.s3.us-east-1.amazonaws.com/k", "https://evil.com?.amazonaws.com"));
	assert_false(zinc_s3_same_service("https://minio.example.com/k", "https://other.example.com/k"));
	for (i = 0; i < COUNT(hosts); i++)
		if (zinc_s3_same_service("https://b.s3.us-east-1.amazonaws.com/k", hosts[i].url) != hosts[i].same)
			fail_msg("%s", hosts[i].url);
}

static void
redirections_elsewhere_are_not_signed(void **state)
{
	zinc_store *s = bucket_open(&server, "redirect", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err));
	assert_string_equal(cloud_log(&server, "away-log"), "Authorization: None");
	zinc_blob_fini(&b);
	zinc_store_close(s);
}

static void
plain_http_needs_permission(void **state)
{
	const zinc_setting keys[] = {{"access_key_id", BUCKET_ID}, {"secret_access_key", BUCKET_SECRET}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(zinc_store_open(&s, "s3://plain-x?endpoint=http://192.0.2.1",
				  ZINC_STORE_OPTIONS(.settings = keys, .nsettings = 2), &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "s3.allow_http=yes"));
	zinc_store_close(s);
}

/* Plain http to this machine is not shown to a proxy. */
static void
loopback_needs_no_proxy(void **state)
{
	(void)state;
	assert_int_equal(put_with_proxy(&server, bucket_open, "&retries=0"), ZINC_OK);
	assert_int_equal(put_with_proxy(&server, bucket_open, "&retries=0&allow_http=yes"), ZINC_E_IO);
}

/* (2) Over plain http the signature covers the content, except on the way to this machine itself. */
static void
content_is_signed(void **state)
{
	zinc_store *s = bucket_open(&server, "sealed", "&allow_http=yes");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err));
	assert_text(s, "k", "1");
	zinc_store_close(s);
	s = bucket_open(&server, "sealed", "");
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "the body is not signed"));
	zinc_store_close(s);
}

/* ---- (3) region and clock ---- */

static void
check_works(const char *quirk)
{
	zinc_store *s = bucket_open(&server, quirk, "");
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(s, NULL, "a/k", "value", 5, NULL, 0, NULL, NULL, &err));
	assert_text(s, "a/k", "value");
	zinc_store_close(s);
	assert_ok(bucket_try(&server, cloud_bucket(), "", true, &s, &err)); /* a get is the first request */
	assert_text(s, "a/k", "value");
	assert_missing(s, "a/none");
	zinc_store_close(s);
	assert_ok(bucket_try(&server, cloud_bucket(), "", true, &s, &err)); /* HEAD is: its answer says nothing */
	assert_int_equal(cloud_found(s, get_stat("a/k"), &err), ZINC_FOUND);
	zinc_store_close(s);
}

static void
region_and_clock_are_learned(void **state)
{
	(void)state;
	check_works("abroad");
	check_works("moved");
	check_works("early");
	check_works("slow");
}

/* ---- (4) secrets ---- */

#define CANARY "CANARY-SECRET-1"

static void
check_no_canary(const char *place, const char *query)
{
	const zinc_setting keys[] = {
	    {"access_key_id", "CANARY-ID"}, {"secret_access_key", CANARY}, {"session_token", "CANARY-TOKEN"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	zinc_status st;
	char url[256];
	int n = 0;

	snprintf(url, sizeof url, "s3://%s?endpoint=http://127.0.0.1:%d%s", place, server.port, query);
	st = zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.settings = keys, .nsettings = 3), &err);
	if (st == ZINC_OK) {
		st = zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err);
		assert_null(strstr(zinc_error_text(&err), "CANARY"));
		st |= zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err);
		assert_null(strstr(zinc_error_text(&err), "CANARY"));
		st |= zinc_store_list(s, "", count_key, &n, NULL, &err);
	}
	assert_int_not_equal(st, ZINC_OK);
	assert_null(strstr(zinc_error_text(&err), "CANARY"));
	zinc_blob_fini(&b);
	zinc_store_close(s);
}

static void
secrets_are_not_shown(void **state)
{
	static const char *const places[] = {"plain-c", "denied-c", "echo-c", "echocut-c", "nosuch-c", "html-c"};
	static const char *const queries[] = {"", "&retries=1", "&region=BAD REGION"};
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(places); i++)
		for (k = 0; k < COUNT(queries); k++)
			check_no_canary(places[i], queries[k]);
}

/* ---- URLs and settings ---- */

static void
bad_settings(void **state)
{
	static const char *const bad[] = {
	    "s3://",
	    "s3:///k",
	    "s3://a%20b/k",
	    "s3://b/a//b",
	    "s3://b/../c",
	    "s3://b?endpoint=ftp://h",
	    "s3://b?endpoint=http://",
	    "s3://b?endpoint=http://u:p@h",
	    "s3://b?endpoint=http://h/path",
	    "s3://b?anonymous=maybe",
	    "s3://b?path_style=maybe",
	    "s3://a.b?path_style=no",
	    "s3://b?part_size=4",
	    "s3://b?parallel=0",
	    "s3://b?timeout=0",
	    "s3://b?region=x.y",
	    "s3://b?nothing=1",
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(zinc_store_open(&s, bad[i], NULL, &err), ZINC_E_INVALID);
}

static void
places_of_requests(void **state)
{
	static const struct {
		const char *url, *want;
	} all[] = {
	    {"s3://bucket/x?region=eu-west-1", "https://bucket.s3.eu-west-1.amazonaws.com/x/a%20b/%2B%25?q="},
	    {"s3://bucket?region=cn-north-1", "https://bucket.s3.cn-north-1.amazonaws.com.cn/a%20b/%2B%25?q="},
	    {"s3://a.b?region=eu-west-1", "https://s3.eu-west-1.amazonaws.com/a.b/a%20b/%2B%25?q="},
	    {"s3://bucket/d%20e/?endpoint=minio:9000", "https://minio:9000/bucket/d%20e/a%20b/%2B%25?q="},
	    {"s3://bucket?endpoint=https://r2.example.org/&path_style=no",
	     "https://bucket.r2.example.org/a%20b/%2B%25?q="},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		zinc_store *s = NULL;
		char *url = NULL;

		assert_ok(zinc_store_open(&s, all[i].url, NULL, &err));
		assert_ok(zinc_s3_url((s3_store *)s->self, "a b/+%", "q=", &url, &err));
		assert_string_equal(url, all[i].want);
		zinc_free(s->ctx, url);
		zinc_store_close(s);
	}
}

/* ---- https ---- */

/* All kinds of requests to a server whose certificate is trusted by `query`. */
static void
all_works(const web *w, const char *query)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = bucket_open(w, "plain", query);
	int n = 0;

	put_text(s, "a b/k", "1");
	assert_text(s, "a b/k", "1");
	assert_ok(zinc_store_put(s, NULL, "new", "22", 2, &absent, 0, NULL, NULL, &err));
	assert_int_equal(zinc_store_put(s, NULL, "new", "3", 1, &absent, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
	assert_int_equal(n, 2);
	assert_ok(zinc_store_del(s, NULL, "new", NULL, 0, NULL, &err));
	assert_missing(s, "new");
	zinc_store_close(s);
}

/* A certificate that is not trusted: no request arrives. */
static void
nothing_works(const web *w)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = bucket_open(w, "plain", "&retries=0");

	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "certificate"));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "certificate"));
	zinc_store_close(s);
}

/* http.c (4); the certificates of the setting come before those of AWS_CA_BUNDLE */
static void
certificates(void **state)
{
	web secure;

	(void)state;
	bucket_start(&secure, true);
	nothing_works(&secure);
	all_works(&secure, "&ca_file=cert.pem");
	setenv("AWS_CA_BUNDLE", "cert.pem", 1);
	all_works(&secure, "");
	setenv("AWS_CA_BUNDLE", "key.pem", 1);
	all_works(&secure, "&ca_file=cert.pem");
	unsetenv("AWS_CA_BUNDLE");
	nothing_works(&secure);
	web_stop(&secure);
}

/* (8) Parts are not checked: the checksum is of the whole. */
static void
checksums(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = bucket_open(&server, "sums", "");

	(void)state;
	put_text(s, "k", "123456789"); /* CRC-32C e3069283, the check value of its definition */
	put_text(s, "empty", "");
	assert_text(s, "k", "123456789");
	assert_text(s, "empty", "");
	zinc_store_close(s);
	s = bucket_open(&server, "badsums", "");
	put_text(s, "k", "123456789");
	assert_int_equal(cloud_found(s, (zinc_get){.key = "k", .length = ZINC_TO_END}, &err), ZINC_FAILED);
	assert_int_equal(err.code, ZINC_E_CHECKSUM);
	assert_int_equal(cloud_found(s, get_range("k", 0, 4), &err), ZINC_FOUND);
	zinc_store_close(s);
	s = bucket_open(&server, "partsums", "");
	put_text(s, "k", "123456789");
	assert_text(s, "k", "123456789");
	zinc_store_close(s);
}

/* ---- an overloaded server ---- */

/* http.c (7): without a budget, this would be more than a thousand requests. */
static void
retries_have_a_budget(void **state)
{
	enum { KEYS = 200, RETRIES = 200 };
	static char names[KEYS][8];
	zinc_store *s = bucket_open(&server, "overloaded", "&parallel=200&retries=20");
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get all[KEYS];
	zinc_sink sink;
	gets g;
	int i;

	(void)state;
	gets_init(&g, KEYS);
	for (i = 0; i < KEYS; i++) {
		snprintf(names[i], sizeof names[i], "%d", i);
		all[i] = (zinc_get){.key = names[i], .length = ZINC_TO_END};
	}
	wait.until = zinc_now(s->ctx) + 4;
	sink = gets_sink(&g);
	assert_ok(zinc_store_get(s, all, KEYS, &sink, &wait, &err));
	for (i = 0; i < KEYS; i++)
		assert_int_equal(g.r[i].found, ZINC_FAILED);
	gets_fini(&g);
	zinc_store_close(s);
	i = cloud_count(&server);
	assert_true(i > KEYS);
	assert_true(i <= KEYS + RETRIES);
}

/* ---- every allocation, and fork ---- */

static zinc_status
open_and_use(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_setting all[] = {{"access_key_id", BUCKET_ID}, {"secret_access_key", BUCKET_SECRET}};
	static const char *const keys[] = {"k", "b", "c", "d", "e"};
	zinc_store *s = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st;
	char url[256];
	int n = 0;

	(void)arg;
	snprintf(url, sizeof url, "s3://plain-sweep/x?endpoint=http://127.0.0.1:%d", server.port);
	ZINC_TRY(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.context = ctx, .settings = all, .nsettings = 2), err));
	st = zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(s, "k", &b, NULL, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_list(s, "", count_key, &n, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_del_keys(s, keys, COUNT(keys), 0, NULL, err);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return st;
}

static void
memory_runs_out(void **state)
{
	(void)state;
	sweep_alloc(open_and_use, NULL);
}

static void
forks(void **state)
{
	zinc_store *s = bucket_open(&server, "plain", "");
	int status;
	pid_t pid;

	(void)state;
	put_text(s, "k", "1");
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		assert_text(s, "k", "1");
		put_text(s, "child", "2");
		leave_child(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_text(s, "child", "2");
	zinc_store_close(s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(public_buckets_need_no_keys),
	    cmocka_unit_test(keys_stay_with_the_service),
	    cmocka_unit_test(redirections_elsewhere_are_not_signed),
	    cmocka_unit_test(plain_http_needs_permission),
	    cmocka_unit_test(loopback_needs_no_proxy),
	    cmocka_unit_test(content_is_signed),
	    cmocka_unit_test(region_and_clock_are_learned),
	    cmocka_unit_test(secrets_are_not_shown),
	    cmocka_unit_test(bad_settings),
	    cmocka_unit_test(places_of_requests),
	    cmocka_unit_test(certificates),
	    cmocka_unit_test(checksums),
	    cmocka_unit_test(retries_have_a_budget),
	    cmocka_unit_test(forks),
	    cmocka_unit_test(memory_runs_out),
	};
	int failed;

	if (!cloud_can()) {
		puts("built without libcurl or libcrypto, or no Python: skipped");
		return 77;
	}
	bucket_start(&server, false);
	failed = conform_store_run("s3", make, "plain");
	failed += conform_store_run("s3_no_deletes", make, "nodelete");
	failed += cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
