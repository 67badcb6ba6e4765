/*
 * test_store_az.c - a server on loopback: the conformance suite, and the promises of store_az.c and store_az_place.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_az.h"
#include "support/blobs.h"
#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

static web server;

static void
make(void *arg, conform_subject *out)
{
	out->store = out->fill = blobs_open(&server, (const char *)arg, "");
}

/* ---- (1) places ---- */

static void
places_of_requests(void **state)
{
	static const struct {
		const char *url, *want;
	} all[] = {
	    {"az://c/x?account=lab", "https://lab.blob.core.windows.net/c/x/a%20b/%2B%25"},
	    {"abfs://c@lab.dfs.core.windows.net/x", "https://lab.blob.core.windows.net/c/x/a%20b/%2B%25"},
	    {"abfss://c@lab.dfs.core.windows.net", "https://lab.blob.core.windows.net/c/a%20b/%2B%25"},
	    {"az://c@lab.blob.core.chinacloudapi.cn/", "https://lab.blob.core.chinacloudapi.cn/c/a%20b/%2B%25"},
	    {"abfs://c@lab.z07.dfs.storage.azure.net/x", "https://lab.z07.blob.storage.azure.net/c/x/a%20b/%2B%25"},
	    {"az://$web/d%20e?endpoint=http://127.0.0.1:10000/lab/",
	     "http://127.0.0.1:10000/lab/$web/d%20e/a%20b/%2B%25"},
	    {"abfs://c@lab.dfs.core.windows.net/x?endpoint=https://proxy.example.org",
	     "https://proxy.example.org/c/x/a%20b/%2B%25"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		zinc_store *s = NULL;
		char *url = NULL;

		assert_ok(zinc_store_open(&s, all[i].url, NULL, &err));
		assert_ok(((zinc_web *)s->self)->key_url((zinc_web *)s->self, "a b/+%", NULL, &url, &err));
		assert_string_equal(url, all[i].want);
		zinc_free(s->ctx, url);
		zinc_store_close(s);
	}
}

static void
bad_settings(void **state)
{
	static const char *const bad[] = {
	    "az://",
	    "az:///k",
	    "az://c", /* which account? */
	    "az://a%20b/k?account=lab",
	    "az://c.d/k?account=lab",
	    "az://c/a//b?account=lab",
	    "az://c/../d?account=lab",
	    "az://c/a./d?account=lab",
	    "az://c/a%5Cd?account=lab",
	    "az://c?account=lab&authority=https://evil.example.org",
	    "abfs://@lab.dfs.core.windows.net/k",
	    "abfs://c@/k",
	    "abfs://c@evil.example.org/k",
	    "abfs://c@lab.dfs.evil.org/k",
	    "abfs://c@dfs.core.windows.net/k",
	    "abfs://c@lab.queue.core.windows.net/k",
	    "abfs://c@lab.dfs.core.windows.net:8080/k",
	    "abfs://c@lab.dfs.core.windows.net@evil.org/k",
	    "abfs://c@lab.dfs.core.windows.net/k?account=other",
	    "az://c?account=evil.org%2F",
	    "az://c?account=LAB",
	    "az://c?endpoint=ftp://h",
	    "az://c?endpoint=http://",
	    "az://c?endpoint=http://u:p@h",
	    "az://c?account=lab&anonymous=maybe",
	    "az://c?account=lab&block_size=0",
	    "az://c?account=lab&block_size=4001",
	    "az://c?account=lab&parallel=0",
	    "az://c?account=lab&timeout=0",
	    "az://c?account=lab&retries=101",
	    "az://c?account=lab&account_key=not*base64",
	    "az://c?account=lab&sas_token=nothing",
	    "az://c?account=lab&connection_string=nothing",
	    "az://c?account=lab&connection_string=AccountName%3Dother%3BAccountKey%3DAAAA",
	    "az://c?account=lab&nothing=1",
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		if (zinc_store_open(&s, bad[i], NULL, &err) != ZINC_E_INVALID)
			fail_msg("%s: %s", bad[i], zinc_error_text(&err));
}

/* ---- (2) credentials ---- */

static void
each_kind_is_accepted(void **state)
{
	static const struct {
		const char *name, *value;
	} kinds[] = {{"account_key", BLOBS_KEY},
		     {"sas_token", BLOBS_SAS},
		     {"sas_token", "?" BLOBS_SAS},
		     {"token", "canary-fixed"}};
	zinc_error err = ZINC_ERROR_INIT;
	char place[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(kinds); i++) {
		zinc_store *s = NULL;
		int n = 0;

		snprintf(place, sizeof place, "plain-kind%zu/a%%20b", i);
		assert_ok(blobs_try(&server, place, "", kinds[i].name, kinds[i].value, &s, &err));
		put_text(s, "k +%&=/?x", "value");
		assert_text(s, "k +%&=/?x", "value");
		assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
		assert_int_equal(n, 1);
		assert_ok(zinc_store_del(s, NULL, "k +%&=/?x", NULL, 0, NULL, &err));
		zinc_store_close(s);
	}
}

static void
public_containers_need_none(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(blobs_try(&server, "public-a/x", "", NULL, NULL, &s, &err));
	put_text(s, "k", "1");
	assert_text(s, "k", "1");
	zinc_store_close(s);
	assert_ok(blobs_try(&server, "plain-a", "", NULL, NULL, &s, &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "NoAuthenticationInformation: Server failed"));
	assert_non_null(strstr(err.text, "request REQ"));
	assert_non_null(strstr(err.text, "no credentials: set AZURE_STORAGE_KEY"));
	zinc_store_close(s);
	assert_ok(blobs_try(&server, "plain-a", "&anonymous=1", "account_key", BLOBS_KEY, &s, &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "because az.anonymous is set"));
	zinc_store_close(s);
}

/* A wrong clock is corrected; a server that has no time is waited for. */
static void
passing_failures_are_corrected(void **state)
{
	static const char *const quirks[] = {"early", "slow", "bare", "unmet"};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quirks); i++) {
		zinc_store *s = blobs_open(&server, quirks[i], "");

		put_text(s, "a/k", "value");
		assert_text(s, "a/k", "value");
		assert_missing(s, "a/none");
		zinc_store_close(s);
		assert_ok(blobs_try(&server, cloud_bucket(), "", "account_key", BLOBS_KEY, &s, &err));
		assert_int_equal(cloud_found(s, get_stat("a/k"), &err), ZINC_FOUND); /* HEAD is the first request */
		assert_int_equal(cloud_found(s, get_stat("a/none"), &err), ZINC_MISSING);
		zinc_store_close(s);
	}
}

#define AT_ONCE 20

/* Many requests at once are refused because of the clock, or of the token; the first corrects it for all, which the
 * others must not take for "nothing to correct". */
static void
corrections_are_for_all(void **state)
{
	static char names[AT_ONCE][16];
	const char *keys[AT_ONCE];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = blobs_open(&server, "early", "");
	char query[200];
	int i;

	(void)state;
	for (i = 0; i < AT_ONCE; i++) {
		snprintf(names[i], sizeof names[i], "k%d", i);
		keys[i] = names[i];
	}
	assert_ok(zinc_store_del_keys(s, keys, AT_ONCE, 0, NULL, &err));
	zinc_store_close(s);
	snprintf(query, sizeof query, "&identity=http://127.0.0.1:%d/_identity/number", server.port);
	assert_ok(blobs_try(&server, "expired-many", query, NULL, NULL, &s, &err)); /* a token is 401 the first time */
	assert_ok(zinc_store_del_keys(s, keys, AT_ONCE, 0, NULL, &err));
	zinc_store_close(s);
	assert_ok(blobs_try(&server, "revoked-many", query, NULL, NULL, &s, &err));
	assert_int_equal(zinc_store_del_keys(s, keys, 1, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "the token is not accepted"));
	zinc_store_close(s);
}

/* ---- (3) where credentials go ---- */

static void
redirections_elsewhere_get_none(void **state)
{
	static const char *const kinds[][2] = {
	    {"account_key", BLOBS_KEY}, {"sas_token", BLOBS_SAS}, {"token", "canary-fixed"}};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(kinds); i++) {
		zinc_blob b = ZINC_BLOB_INIT;
		zinc_store *s = NULL;

		assert_ok(blobs_try(&server, "redirect-a", "", kinds[i][0], kinds[i][1], &s, &err));
		assert_ok(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err));
		zinc_blob_fini(&b);
		zinc_store_close(s);
	}
	assert_string_equal(cloud_log(&server, "away-log"),
			    "Authorization: None\nAuthorization: None\nAuthorization: None");
}

static void
plain_http_needs_permission(void **state)
{
	const zinc_setting all[] = {{"account_key", BLOBS_KEY}, {"endpoint", "http://192.0.2.1/lab"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(
	    zinc_store_open(&s, "az://plain-x", ZINC_STORE_OPTIONS(.settings = all, .nsettings = COUNT(all)), &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "az.allow_http=yes"));
	zinc_store_close(s);
}

/* A proxy where nobody is.  E_INVALID: credentials were to be sent, by plain http. */
static zinc_status
get_elsewhere(const char *url, const char *name, const char *value)
{
	const zinc_setting one[] = {{name, value}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	zinc_status st;

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	assert_ok(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.settings = one, .nsettings = name ? 1 : 0), &err));
	st = zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err);
	unsetenv("http_proxy");
	zinc_store_close(s);
	return st;
}

#define ELSEWHERE  "az://c?retries=0&account=lab&endpoint=http://evil.example.org"
#define LED_ASTRAY "az://c?retries=0&connection_string=AccountName%3Dlab;BlobEndpoint%3Dhttp://evil.org"

/* (1) of store_az_place.c */
static void
servers_of_urls_get_no_credentials_of_others(void **state)
{
	char identity[80];

	(void)state;
	assert_int_equal(get_elsewhere(ELSEWHERE, "account_key", BLOBS_KEY), ZINC_E_IO);
	assert_int_equal(get_elsewhere(ELSEWHERE, "sas_token", BLOBS_SAS), ZINC_E_IO);
	assert_int_equal(get_elsewhere(ELSEWHERE, "token", "canary"), ZINC_E_IO);
	assert_int_equal(get_elsewhere(ELSEWHERE, "connection_string", "AccountName=lab;AccountKey=" BLOBS_KEY),
			 ZINC_E_IO);
	assert_int_equal(get_elsewhere(ELSEWHERE "&token=canary", NULL, NULL), ZINC_E_INVALID);
	assert_int_equal(
	    get_elsewhere("az://c?retries=0&account=lab&token=canary", "endpoint", "http://evil.example.org"),
	    ZINC_E_INVALID);
	setenv("AZURE_STORAGE_KEY", BLOBS_KEY, 1);
	assert_int_equal(get_elsewhere(ELSEWHERE, NULL, NULL), ZINC_E_IO);
	assert_int_equal(get_elsewhere(LED_ASTRAY, NULL, NULL), ZINC_E_IO);
	assert_int_equal(get_elsewhere("az://c?retries=0&account=lab", "endpoint", "http://evil.example.org"),
			 ZINC_E_INVALID);
	unsetenv("AZURE_STORAGE_KEY");
	snprintf(identity, sizeof identity, "http://127.0.0.1:%d/_identity/number", server.port);
	setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", identity, 1);
	assert_int_equal(get_elsewhere(ELSEWHERE, NULL, NULL), ZINC_E_IO);
	assert_int_equal(get_elsewhere(LED_ASTRAY, NULL, NULL), ZINC_E_IO);
	assert_int_equal(get_elsewhere("az://c?retries=0&account=lab", "endpoint", "http://evil.example.org"),
			 ZINC_E_INVALID);
	setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", "none", 1);
	assert_true(zinc_az_is_azure("https://lab.blob.core.windows.net"));
	assert_false(zinc_az_is_azure("http://lab.blob.core.windows.net"));
	assert_false(zinc_az_is_azure("https://lab.blob.core.windows.net.evil.org"));
	assert_false(zinc_az_is_azure("https://evil.org/lab.blob.core.windows.net"));
}

static void
loopback_needs_no_proxy(void **state)
{
	(void)state;
	assert_int_equal(put_with_proxy(&server, blobs_open, "&retries=0"), ZINC_OK);
	assert_int_equal(put_with_proxy(&server, blobs_open, "&retries=0&allow_http=yes"), ZINC_E_IO);
}

static void
certificates(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;
	web secure;

	(void)state;
	blobs_start(&secure, true);
	s = blobs_open(&secure, "plain", "&retries=0");
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "certificate"));
	zinc_store_close(s);
	s = blobs_open(&secure, "plain", "&ca_file=cert.pem");
	put_text(s, "k", "1");
	assert_text(s, "k", "1");
	zinc_store_close(s);
	web_stop(&secure);
}

/* ---- (4) secrets ---- */

static char traced[65536];

static void
on_trace(void *arg, const char *line)
{
	const size_t n = strlen(traced);

	(void)arg;
	snprintf(traced + n, sizeof traced - n, "%s\n", line);
}

static void
check_no_canary(const char *quirk, const char *name, const char *value)
{
	const zinc_setting one[] = {{name, value}};
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_store *s = NULL;
	char url[256];
	int n = 0;

	o.trace = on_trace;
	assert_ok(zinc_context_new(&ctx, &o, &err));
	snprintf(url, sizeof url, "az://%s-secret?retries=1&endpoint=http://127.0.0.1:%d/lab", quirk, server.port);
	if (zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.context = ctx, .settings = one, .nsettings = 1), &err) ==
	    ZINC_OK) {
		zinc_blob b = ZINC_BLOB_INIT;

		(void)!zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err);
		assert_null(strstr(zinc_error_text(&err), "anary"));
		(void)!zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err);
		assert_null(strstr(zinc_error_text(&err), "anary"));
		(void)!zinc_store_list(s, "", count_key, &n, NULL, &err);
		zinc_blob_fini(&b);
	}
	assert_null(strstr(zinc_error_text(&err), "anary"));
	assert_null(strstr(zinc_error_text(&err), "Q0FOQVJZ"));
	zinc_store_close(s);
	zinc_context_free(ctx);
}

static void
secrets_are_not_shown(void **state)
{
	static const char *const quirks[] = {"plain",  "denied", "echo",       "echocut", "echosig",
					     "nosuch", "html",   "overloaded", "redirect"};
	static const char *const kinds[][2] = {{"account_key", "Q0FOQVJZ"}, /* CANARY */
					       {"sas_token", "sv=1&sig=canary%2Bsas%3D&se=2"},
					       {"sas_token", "canary"},
					       {"token", "canary-unknown"},
					       {"token", "canary-unknown-0123456789-0123456789-0123456789"},
					       {"connection_string", "AccountName=lab;AccountKey=canary;canary"},
					       {"client_secret", "canary"}};
	size_t i, k;

	(void)state;
	traced[0] = '\0';
	for (i = 0; i < COUNT(quirks); i++)
		for (k = 0; k < COUNT(kinds); k++)
			check_no_canary(quirks[i], kinds[k][0], kinds[k][1]);
	assert_null(strstr(traced, "canary"));
	assert_null(strstr(traced, "Q0FOQVJZ"));
	assert_non_null(strstr(traced, "PUT http://127.0.0.1"));
}

/* ---- (5) directories ---- */

static void
directories_are_no_keys(void **state)
{
	zinc_store *s = blobs_open(&server, "hns", "");
	zinc_error err = ZINC_ERROR_INIT;
	int n = 0;

	(void)state;
	put_text(s, "a/b/k", "1");
	put_text(s, "a-b", "2");
	put_text(s, "a.b/k", "3");
	put_text(s, "a/b.c", "4");
	assert_missing(s, "a");
	assert_missing(s, "a/b");
	assert_int_equal(cloud_found(s, get_stat("a/b"), &err), ZINC_MISSING);
	assert_int_equal(cloud_found(s, get_suffix("a/b", 3), &err), ZINC_MISSING);
	assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
	assert_int_equal(n, 4);
	n = 0;
	assert_ok(zinc_store_list_dir(s, "", count_entry, &n, NULL, &err));
	assert_int_equal(n, 3);
	assert_ok(zinc_store_del(s, NULL, "a/b", NULL, 0, NULL, &err));
	assert_text(s, "a/b/k", "1");
	zinc_store_close(s);
}

/* ---- (6) the last bytes ---- */

static void
last_bytes_are_of_one_value(void **state)
{
	zinc_store *s = blobs_open(&server, "changing", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r = get_suffix("k", 3);
	gets g;

	(void)state;
	put_text(s, "k", "abcdef");
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_int_equal(g.r[0].object_size, 6);
	assert_memory_equal(g.r[0].bytes, "fab", 3); /* of "cdefab": it changed twice */
	gets_fini(&g);
	put_text(s, "empty", "");
	assert_int_equal(cloud_found(s, get_suffix("empty", 3), &err), ZINC_FOUND);
	assert_int_equal(cloud_found(s, get_suffix("none", 3), &err), ZINC_MISSING);
	zinc_store_close(s);
	s = blobs_open(&server, "moving", "");
	put_text(s, "k", "abcdef");
	assert_int_equal(cloud_found(s, get_suffix("k", 3), &err), ZINC_FAILED);
	assert_non_null(strstr(err.text, "changed while it was being read"));
	zinc_store_close(s);
}

/* ---- every allocation, and fork ---- */

static zinc_status
open_and_use(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_setting all[] = {{"account_key", BLOBS_KEY}};
	static const char *const keys[] = {"k", "b", "c", "d", "e"};
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_store *s = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st;
	char url[256];
	int n = 0;

	snprintf(url, sizeof url, "az://plain-sweep%d/x?endpoint=http://127.0.0.1:%d/lab", ++*(int *)arg, server.port);
	ZINC_TRY(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.context = ctx, .settings = all, .nsettings = 1), err));
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

static void
memory_runs_out(void **state)
{
	int number = 0;

	(void)state;
	sweep_alloc(open_and_use, &number);
}

static void
forks(void **state)
{
	zinc_store *s = blobs_open(&server, "plain", "");
	zinc_error err = ZINC_ERROR_INIT;
	int status = 0;
	pid_t child;

	(void)state;
	put_text(s, "k", "1");
	child = fork();
	if (child == 0)
		_exit(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err) != ZINC_OK);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_text(s, "k", "2");
	zinc_store_close(s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(places_of_requests),
	    cmocka_unit_test(bad_settings),
	    cmocka_unit_test(each_kind_is_accepted),
	    cmocka_unit_test(public_containers_need_none),
	    cmocka_unit_test(passing_failures_are_corrected),
	    cmocka_unit_test(corrections_are_for_all),
	    cmocka_unit_test(redirections_elsewhere_get_none),
	    cmocka_unit_test(plain_http_needs_permission),
	    cmocka_unit_test(servers_of_urls_get_no_credentials_of_others),
	    cmocka_unit_test(loopback_needs_no_proxy),
	    cmocka_unit_test(certificates),
	    cmocka_unit_test(secrets_are_not_shown),
	    cmocka_unit_test(directories_are_no_keys),
	    cmocka_unit_test(last_bytes_are_of_one_value),
	    cmocka_unit_test(memory_runs_out),
	    cmocka_unit_test(forks),
	};
	int failed;

	if (!cloud_can()) {
		puts("built without libcurl or libcrypto, or no Python: skipped");
		return 77;
	}
	blobs_start(&server, false);
	failed = conform_store_run("az", make, "plain");
	failed += conform_store_run("az_hns", make, "hns");
	failed += conform_store_run("az_unmet", make, "unmet");
	failed += conform_store_run("az_rangeless", make, "rangeless");
	failed += cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
