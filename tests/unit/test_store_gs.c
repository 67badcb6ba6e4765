/*
 * test_store_gs.c - a server on loopback: the conformance suite, and the promises of store_gs.c and store_gs_error.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_gs.h"
#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/gs_place.h"
#include "support/sweep.h"
#include "support/test.h"

#define CANARY "token-canary"

static web server;

static void
make(void *arg, conform_subject *out)
{
	const char *place = (const char *)arg;

	out->store = out->fill = gs_new(&server, place, "");
	out->no_conditional_dels = strcmp(place, "nodelete") == 0;
}

static zinc_get
get_whole(const char *key)
{
	return (zinc_get){.key = key, .length = ZINC_TO_END};
}

/* ---- (1), (2) tokens ---- */

static void
tokens_are_sent(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(gs_try(&server, "private-a/x", "&allow_http=yes", CANARY, NULL, &s, &err));
	put_text(s, "k", "1");
	assert_text(s, "k", "1");
	assert_missing(s, "none");
	zinc_store_close(s);
	assert_ok(gs_try(&server, "private-a/x", "&allow_http=yes", "wrong", NULL, &s, &err));
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	assert_non_null(strstr(err.text, "the token is not accepted"));
	zinc_store_close(s);
}

static void
anonymous_requests_are_explained(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = gs_new(&server, "private", "&allow_http=yes");

	(void)state;
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	assert_non_null(strstr(err.text, "GOOGLE_APPLICATION_CREDENTIALS"));
	zinc_store_close(s);
	s = gs_new(&server, "private", "&anonymous=yes");
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "gs.anonymous"));
	zinc_store_close(s);
}

static void
plain_http_gets_no_token(void **state)
{
	const zinc_setting all[] = {{"token", CANARY}, {"endpoint", "http://192.0.2.1"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(gs_try(&server, "plain-t", "", CANARY, NULL, &s, &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "plain http"));
	zinc_store_close(s);
	assert_ok(zinc_store_open(&s, "gs://plain-x?allow_http=yes",
				  ZINC_STORE_OPTIONS(.settings = all, .nsettings = COUNT(all)), &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
	zinc_store_close(s);
}

/* The status of a read from a bucket that needs the token, through a proxy. */
static zinc_status
get_elsewhere(const char *url, const char *name, const char *value, zinc_error *told)
{
	const zinc_setting one[] = {{name, value}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	zinc_status st;
	char proxy[64];

	snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", server.port);
	setenv("http_proxy", proxy, 1);
	assert_ok(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.settings = one, .nsettings = name ? 1 : 0), &err));
	st = zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err);
	*told = err;
	unsetenv("http_proxy");
	zinc_store_close(s);
	return st;
}

#define ELSEWHERE "gs://private-url?endpoint=http://evil.example.org"

static void
servers_of_urls_get_no_token_of_others(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(get_elsewhere(ELSEWHERE, "token", CANARY, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "a server that only the URL names gets no credentials"));
	assert_int_equal(get_elsewhere(ELSEWHERE, "credentials", "/nonexistent", &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "a server that only the URL names gets no credentials"));
	setenv("CLOUDSDK_AUTH_ACCESS_TOKEN", CANARY, 1);
	assert_int_equal(get_elsewhere(ELSEWHERE, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "a server that only the URL names gets no credentials"));
	assert_int_equal(get_elsewhere("gs://private-url", "endpoint", "http://evil.example.org", &err),
			 ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "plain http"));
	unsetenv("CLOUDSDK_AUTH_ACCESS_TOKEN");
	assert_int_equal(get_elsewhere(ELSEWHERE "&token=" CANARY, NULL, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "plain http"));
}

static void
redirections_get_no_token(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(gs_try(&server, "redirect-1", "&allow_http=yes", CANARY, NULL, &s, &err));
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err));
	assert_string_equal(cloud_log(&server, "away-log"), "Authorization: None");
	zinc_blob_fini(&b);
	zinc_store_close(s);
}

/* With an emulator no credentials are looked for. */
static void
emulators(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char host[64];

	(void)state;
	setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent/key.json", 1);
	snprintf(host, sizeof host, "127.0.0.1:%d", server.port);
	setenv("STORAGE_EMULATOR_HOST", host, 1);
	assert_ok(zinc_store_open(&s, "gs://plain-emulated/x", NULL, &err));
	put_text(s, "k", "1");
	assert_text(s, "k", "1");
	zinc_store_close(s);
	snprintf(host, sizeof host, "http://127.0.0.1:%d", server.port);
	setenv("STORAGE_EMULATOR_HOST", host, 1);
	assert_ok(zinc_store_open(&s, "gs://plain-emulated/x", NULL, &err));
	assert_text(s, "k", "1");
	zinc_store_close(s);
	unsetenv("STORAGE_EMULATOR_HOST");
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
}

/* ---- (3), (4) bytes ---- */

static void
bytes_are_those_stored(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = gs_new(&server, "gzipped", "");

	(void)state;
	put_text(s, "k", "text");
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err));
	assert_true(b.nbytes > 10 && ((const uint8_t *)b.data)[0] == 0x1f); /* as stored */
	zinc_blob_fini(&b);
	assert_int_equal(cloud_found(s, get_range("k", 0, 2), &err), ZINC_FOUND);
	zinc_store_close(s);
	s = gs_new(&server, "gunzips", "");
	put_text(s, "k", "text");
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	assert_non_null(strstr(err.text, "decompresses"));
	assert_int_equal(cloud_found(s, get_stat("k"), &err), ZINC_FAILED);
	zinc_store_close(s);
	s = gs_new(&server, "compresses", "");
	put_text(s, "k", "text");
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	assert_non_null(strstr(err.text, "compresses"));
	zinc_store_close(s);
}

static void
checksums(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = gs_new(&server, "plain", "");

	(void)state;
	put_text(s, "k", "123456789"); /* CRC-32C e3069283, the check value of its definition */
	put_text(s, "empty", "");
	assert_text(s, "k", "123456789");
	assert_text(s, "empty", "");
	zinc_store_close(s);
	s = gs_new(&server, "badsum", "");
	put_text(s, "k", "123456789");
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	assert_int_equal(err.code, ZINC_E_CHECKSUM);
	assert_int_equal(cloud_found(s, get_range("k", 0, 4), &err), ZINC_FOUND);
	zinc_store_close(s);
	s = gs_new(&server, "untagged", "");
	put_text(s, "k", "1");
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	assert_non_null(strstr(err.text, "x-goog-generation"));
	zinc_store_close(s);
}

/* ---- (6) missing ---- */

static void
missing_is_certain(void **state)
{
	static const char *const quirks[] = {"plain", "silent404"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quirks); i++) {
		s = gs_new(&server, quirks[i], "");
		assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_MISSING);
		zinc_store_close(s);
		s = gs_new(&server, quirks[i], "");
		assert_int_equal(cloud_found(s, get_stat("k"), &err), ZINC_MISSING);
		put_text(s, "k", "1");
		assert_int_equal(cloud_found(s, get_stat("none"), &err), ZINC_MISSING);
		zinc_store_close(s);
	}
	s = gs_new(&server, "nosuch", "");
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	assert_non_null(strstr(err.text, "bucket"));
	assert_int_equal(cloud_found(s, get_stat("k"), &err), ZINC_FAILED);
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err), ZINC_E_IO);
	zinc_store_close(s);
	s = gs_new(&server, "html", "");
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	zinc_store_close(s);
	s = gs_new(&server, "denied", "");
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED);
	assert_non_null(strstr(err.text, "403"));
	zinc_store_close(s);
}

static void
passing_failures_are_retried(void **state)
{
	static const char *const quirks[] = {"slow", "limited"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quirks); i++) {
		zinc_store *s = gs_new(&server, quirks[i], "");

		put_text(s, "k", "1");
		assert_text(s, "k", "1");
		zinc_store_close(s);
	}
}

/* ---- (7) refused tokens ---- */

static zinc_os clock_os;
static atomic_long ahead;

static int
shifted_clock(const zinc_os *self, int id, struct timespec *now)
{
	const int result = zinc_os_posix.clock(&zinc_os_posix, id, now);

	(void)self;
	now->tv_sec += atomic_load(&ahead);
	return result;
}

/* A token that the server does not know any more is taken from its source again. */
static void
refused_tokens_are_renewed(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_store *s = NULL;
	char host[64];
	web other;

	(void)state;
	assert_ok(zinc_context_new(&ctx, NULL, &err));
	clock_os = zinc_os_posix;
	clock_os.clock = shifted_clock;
	zinc_context_set_os(ctx, &clock_os);
	web_start_script(&other, "gs_server.py", NULL, false); /* its tokens are others */
	snprintf(host, sizeof host, "127.0.0.1:%d", other.port);
	unsetenv("NO_GCE_CHECK");
	setenv("GCE_METADATA_HOST", host, 1);
	assert_ok(gs_try(&server, "private-renew", "&allow_http=yes", NULL, ctx, &s, &err));
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_FAILED); /* 401, and again with the young token */
	snprintf(host, sizeof host, "127.0.0.1:%d", server.port);
	setenv("GCE_METADATA_HOST", host, 1);
	atomic_store(&ahead, 60);
	assert_int_equal(cloud_found(s, get_whole("k"), &err), ZINC_MISSING);
	zinc_store_close(s);
	web_stop(&other);
	unsetenv("GCE_METADATA_HOST");
	setenv("NO_GCE_CHECK", "true", 1);
	zinc_context_free(ctx);
}

/* ---- (5), (8) errors ---- */

static void
tokens_are_not_shown(void **state)
{
	static const char *const places[] = {"private-c", "denied-c", "echo-c", "echocut-c", "nosuch-c", "html-c"};
	static const char *const queries[] = {"&allow_http=yes", ""};
	size_t i, k;
	int n = 0;

	(void)state;
	for (i = 0; i < COUNT(places); i++)
		for (k = 0; k < COUNT(queries); k++) {
			zinc_error err = ZINC_ERROR_INIT;
			zinc_blob b = ZINC_BLOB_INIT;
			zinc_store *s = NULL;

			assert_ok(gs_try(&server, places[i], queries[k], "CANARY-0123456789abcdef-0123456789", NULL, &s,
					 &err));
			assert_int_not_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_OK);
			assert_null(strstr(zinc_error_text(&err), "CANARY"));
			assert_int_not_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_OK);
			assert_null(strstr(zinc_error_text(&err), "CANARY"));
			assert_int_not_equal(zinc_store_list(s, "", count_key, &n, NULL, &err), ZINC_OK);
			assert_null(strstr(zinc_error_text(&err), "CANARY"));
			zinc_store_close(s);
		}
}

static void
errors_are_parsed(void **state)
{
	static const struct {
		const char *text, *reason, *message;
		bool is_error;
	} all[] = {
	    {"{\"error\":{\"message\":\"m\\n\",\"errors\":[{\"reason\":\"r\"}]}}", "r", "m", true},
	    {"{\"error\":{\"message\":7,\"errors\":{}}}", "", "", true},
	    {"{\"error\":\"x\"}", "", "", false},
	    {"No such object: b/k\n", "", "No such object: b/k", false},
	    {"<html>", "", "", false},
	    {"", "", "", false},
	};
	size_t i;
	gs_fault f;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		assert_int_equal(zinc_gs_parse_error(&f, zinc_context_get(NULL), all[i].text, strlen(all[i].text)),
				 all[i].is_error);
		assert_string_equal(f.reason, all[i].reason);
		assert_string_equal(f.message, all[i].message);
	}
}

/* ---- URLs and settings ---- */

static void
bad_settings(void **state)
{
	static const char *const bad[] = {
	    "gs://",
	    "gs:///k",
	    "gs://a%20b/k",
	    "gs://Upper/k",
	    "gs://b/a//b",
	    "gs://b/../c",
	    "gs://b?endpoint=ftp://h",
	    "gs://b?endpoint=http://",
	    "gs://b?endpoint=http://u:p@h",
	    "gs://b?endpoint=http://h/path",
	    "gs://b?anonymous=maybe",
	    "gs://b?part_size=0",
	    "gs://b?part_size=1025",
	    "gs://b?parallel=0",
	    "gs://b?timeout=0",
	    "gs://b?retries=101",
	    "gs://b?nothing=1",
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		if (zinc_store_open(&s, bad[i], NULL, &err) != ZINC_E_INVALID)
			fail_msg("%s", bad[i]);
}

static void
places_of_requests(void **state)
{
	static const zinc_tag tag = {4, "G123"}, foreign = {4, "E\"x\""};
	static const struct {
		const char *url, *want;
		const zinc_tag *tag;
	} all[] = {
	    {"gs://bucket/x?anonymous=yes",
	     "https://storage.googleapis.com/storage/v1/b/bucket/o/x%2Fa%20b%2F%2B%25?alt=media", NULL},
	    {"gs://a.b?endpoint=h:9&anonymous=yes",
	     "https://h:9/storage/v1/b/a.b/o/a%20b%2F%2B%25?alt=media&ifGenerationMatch=123", &tag},
	    {"gs://bucket?anonymous=yes&user_project=p%26q",
	     "https://storage.googleapis.com/storage/v1/b/bucket/o/a%20b%2F%2B%25?alt=media&ifGenerationMatch=1&"
	     "userProject=p%26q",
	     &foreign},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		zinc_store *s = NULL;
		zinc_web *w;
		char *url = NULL;

		assert_ok(zinc_store_open(&s, all[i].url, NULL, &err));
		w = (zinc_web *)s->self;
		assert_ok(w->key_url(w, "a b/+%", all[i].tag, &url, &err));
		assert_string_equal(url, all[i].want);
		zinc_free(s->ctx, url);
		zinc_store_close(s);
	}
}

/* ---- https ---- */

static void
all_works(const web *w, const char *query)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	int n = 0;

	assert_ok(gs_try(w, "private-tls/x", query, CANARY, NULL, &s, &err));
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

static void
certificates(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	web secure;

	(void)state;
	gs_start(&secure, true);
	assert_ok(gs_try(&secure, "private-tls", "&retries=0", CANARY, NULL, &s, &err));
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "certificate"));
	zinc_store_close(s);
	all_works(&secure, "&ca_file=cert.pem");
	setenv("SSL_CERT_FILE", "cert.pem", 1);
	all_works(&secure, "");
	unsetenv("SSL_CERT_FILE");
	web_stop(&secure);
}

/* ---- every allocation, and fork ---- */

static zinc_status
open_and_use(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char *const keys[] = {"k", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_store *s = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st;
	int n = 0;

	(void)arg;
	ZINC_TRY(gs_try(&server, "private-sweep/x", "&allow_http=yes", CANARY, ctx, &s, err));
	atomic_store(&((gs_store *)s->self)->conditional_puts, GS_YES);
	st = zinc_store_del(s, NULL, "k", NULL, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, err);
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

/* Without memory for the answer to a change, its outcome is unknown. */
static zinc_status
use_without_memory(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_status st = open_and_use(arg, ctx, err);

	return st == ZINC_E_UNCERTAIN ? zinc_fail_nomem(err) : st;
}

static void
memory_runs_out(void **state)
{
	(void)state;
	sweep_alloc(use_without_memory, NULL);
}

static void
forks(void **state)
{
	zinc_store *s = gs_new(&server, "plain", "");
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
	    cmocka_unit_test(tokens_are_sent),
	    cmocka_unit_test(anonymous_requests_are_explained),
	    cmocka_unit_test(plain_http_gets_no_token),
	    cmocka_unit_test(servers_of_urls_get_no_token_of_others),
	    cmocka_unit_test(redirections_get_no_token),
	    cmocka_unit_test(emulators),
	    cmocka_unit_test(bytes_are_those_stored),
	    cmocka_unit_test(checksums),
	    cmocka_unit_test(missing_is_certain),
	    cmocka_unit_test(passing_failures_are_retried),
	    cmocka_unit_test(refused_tokens_are_renewed),
	    cmocka_unit_test(tokens_are_not_shown),
	    cmocka_unit_test(errors_are_parsed),
	    cmocka_unit_test(bad_settings),
	    cmocka_unit_test(places_of_requests),
	    cmocka_unit_test(certificates),
	    cmocka_unit_test(forks),
	    cmocka_unit_test(memory_runs_out),
	};
	int failed;

	if (!cloud_can()) {
		puts("built without libcurl or libcrypto, or no Python: skipped");
		return 77;
	}
	gs_start(&server, false);
	failed = conform_store_run("gs", make, "plain");
	failed += conform_store_run("gs_no_deletes", make, "nodelete");
	failed += cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
