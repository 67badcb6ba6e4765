/*
 * test_google.c - credentials of Google, by the promises of google.c, google_file.c and rsa.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/google_inside.h"
#include "net/rsa.h"
#include "support/files.h"
#include "support/gs_place.h"
#include "support/sweep.h"
#include "support/test.h"

#define USER                                                                                                           \
	"{\"type\":\"authorized_user\",\"client_id\":\"client\",\"client_secret\":\"secret-canary\",\"refresh_"        \
	"token\":"

static web server;
static char trace_text[65536];
static char look_text[2048];
static char key_text[16384]; /* the private key, as a JSON string */

static void
on_trace(void *arg, const char *line)
{
	const size_t n = strlen(trace_text);

	(void)arg;
	snprintf(trace_text + n, sizeof trace_text - n, "%s\n", line);
}

/* What comes of a search; neither it nor the trace shows a secret. */
static const char *
look(const zinc_google_config *config)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_token *token = NULL;
	zinc_google *g = NULL;

	o.trace = on_trace;
	trace_text[0] = '\0';
	assert_ok(zinc_context_new(&ctx, &o, &err));
	assert_ok(zinc_google_new(&g, ctx, config, &err));
	if (zinc_tokens_take(zinc_google_tokens(g), &token, NULL, &err) != ZINC_OK)
		snprintf(look_text, sizeof look_text, "%s %s", zinc_status_name(err.code), zinc_error_text(&err));
	else
		snprintf(look_text, sizeof look_text, "%s from %s", token->text ? token->text : "anonymous",
			 token->source ? token->source : "nowhere");
	zinc_token_release(token);
	zinc_google_free(g);
	zinc_context_free(ctx);
	assert_null(strstr(trace_text, "canary"));
	assert_null(strstr(look_text, "canary"));
	assert_null(strstr(look_text, "BEGIN"));
	return look_text;
}

static void
expect(const zinc_google_config *config, const char *want)
{
	static const zinc_google_config none = {0};
	const char *got = look(config ? config : &none);

	if (!strstr(got, want))
		fail_msg("%s instead of %s", got, want);
}

/* ---- files ---- */

static void
write_text(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void
write_user(const char *name, const char *refresh, const char *server_name)
{
	char text[1024];

	snprintf(text, sizeof text, USER "\"%s\",\"token_uri\":\"http://127.0.0.1:%d/_token/%s\"}", refresh,
		 server.port, server_name);
	write_text(name, text);
}

static void
write_service(const char *name, const char *key, const char *server_name)
{
	static char text[20000];

	snprintf(text, sizeof text,
		 "{\"type\":\"service_account\",\"client_email\":\"robot@example.iam.gserviceaccount.com\","
		 "\"private_key_id\":\"abc\",\"private_key\":\"%s\",\"token_uri\":\"http://127.0.0.1:%d/_token/%s\"}",
		 key, server.port, server_name);
	write_text(name, text);
}

/* "a\nb" -> "a\\nb" */
static void
read_key(const char *name, char *out, size_t cap)
{
	FILE *f = fopen(name, "r");
	size_t n = 0;
	int c;

	assert_non_null(f);
	while ((c = fgetc(f)) != EOF) {
		assert_true(n + 3 < cap);
		if (c == '\n')
			out[n++] = '\\';
		out[n++] = c == '\n' ? 'n' : (char)c;
	}
	out[n] = '\0';
	assert_int_equal(fclose(f), 0);
}

/* ---- (1) the order ---- */

static void
sources_in_order(void **state)
{
	const zinc_google_config token = {.token = "given"}, file = {.file = "user.json"},
				 anonymous = {.anonymous = true};
	char host[64];

	(void)state;
	expect(NULL, "anonymous");
	snprintf(host, sizeof host, "127.0.0.1:%d", server.port);
	unsetenv("NO_GCE_CHECK");
	setenv("GCE_METADATA_HOST", host, 1);
	expect(NULL, "ya29.machine");
	assert_int_equal(mkdir("gcloud", 0700), 0);
	setenv("CLOUDSDK_CONFIG", "gcloud", 1);
	expect(NULL, "ya29.machine"); /* there is no such file */
	write_user("gcloud/application_default_credentials.json", "refresh-canary", "user");
	expect(NULL, "from gcloud's application_default_credentials.json");
	write_service("service.json", key_text, "jwt");
	setenv("GOOGLE_APPLICATION_CREDENTIALS", "service.json", 1);
	expect(NULL, "ya29.robot");
	write_user("user.json", "refresh-canary", "user");
	expect(&file, "from the settings");
	expect(&file, "ya29.user");
	expect(&token, "given from the settings");
	expect(&anonymous, "anonymous");
	setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent/x.json", 1);
	expect(NULL, "GOOGLE_APPLICATION_CREDENTIALS: the file of credentials /nonexistent/x.json cannot be read");
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	unsetenv("CLOUDSDK_CONFIG");
	unsetenv("GCE_METADATA_HOST");
	setenv("NO_GCE_CHECK", "true", 1);
}

/* (1), (2) */
static void
refusals_are_told(void **state)
{
	const zinc_google_config file = {.file = "f.json"};

	(void)state;
	write_user("f.json", "refresh-canary", "refuses");
	expect(&file, "invalid_grant; log in again");
	write_user("f.json", "other", "user");
	expect(&file, "E_IO credentials from the settings: the token server refuses: HTTP 400, invalid_grant");
	write_user("f.json", "refresh-canary", "broken");
	expect(&file, "the answer is no token");
	write_user("f.json", "refresh-canary", "moved"); /* (7) */
	expect(&file, "another host");
	write_service("f.json", key_text, "refuses");
	expect(&file, "the clock of this machine");
	write_service("f.json", key_text, "short");
	expect(&file, "ya29.robot");
}

/* (3) */
static void
metadata_may_be_missing(void **state)
{
	(void)state;
	unsetenv("NO_GCE_CHECK");
	setenv("GCE_METADATA_HOST", "127.0.0.1:1", 1);
	expect(NULL, "credentials from the metadata server");
	setenv("GCE_METADATA_HOST", "a/b", 1);
	expect(NULL, "E_INVALID");
	unsetenv("GCE_METADATA_HOST");
	setenv("NO_GCE_CHECK", "true", 1);
}

/* (4), (6), (8) */
static void
bad_files(void **state)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
	    {"", "no JSON object"},
	    {"[\"canary\"]", "no JSON object"},
	    {"{}", "\"type\""},
	    {"{\"type\":\"canary\"}", "neither service_account nor authorized_user"},
	    {"{\"type\":\"external_account\",\"x\":\"canary\"}", "type external_account are not supported"},
	    {"{\"type\":\"impersonated_service_account\"}", "impersonated_service_account"},
	    {"{\"type\":\"authorized_user\",\"client_secret\":\"canary\"}", "\"client_id\""},
	    {USER "\"a\\nb\"}", "\"refresh_token\""},
	    {USER "\"a\",\"token_uri\":\"http://elsewhere.example/canary\"}", "\"token_uri\""},
	    {USER "\"a\",\"token_uri\":\"http://127.0.0.1:80@elsewhere.example/\"}", "\"token_uri\""},
	    {USER "\"a\",\"token_uri\":\"http://localhost.elsewhere.example/\"}", "\"token_uri\""},
	    {"{\"type\":\"service_account\",\"client_email\":\"a\\\"b\"}", "\"client_email\""},
	    {"{\"type\":\"service_account\",\"client_email\":\"a@b\"}", "\"private_key\""},
	    {"{\"type\":\"service_account\",\"client_email\":\"a@b\",\"private_key\":\"canary\"}", "no RSA key"},
	};
	const zinc_google_config file = {.file = "bad.json"};
	char other[16384];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		write_text("bad.json", bad[i].text);
		expect(&file, bad[i].want);
		assert_non_null(strstr(look_text, "E_INVALID"));
	}
	assert_int_equal(system("openssl genrsa -out short.pem 1024 2>/dev/null"), 0);
	read_key("short.pem", other, sizeof other);
	write_service("bad.json", other, "jwt");
	expect(&file, "at least 2048 bits");
	assert_int_equal(system("openssl rsa -in key.pem -aes128 -passout pass:x -out secret.pem 2>/dev/null"), 0);
	read_key("secret.pem", other, sizeof other);
	write_service("bad.json", other, "jwt");
	expect(&file, "no RSA key");
	write_text("bad.json", "x");
	assert_int_equal(truncate("bad.json", 300 * 1024), 0);
	expect(&file, "too long");
}

/* (5) */
static void
tokens_are_parsed(void **state)
{
	static const char *const bad[] = {
	    "",
	    "{}",
	    "{\"access_token\":\"a\"}",
	    "{\"access_token\":\"a b\",\"expires_in\":60}",
	    "{\"access_token\":\"a\\r\\nb\",\"expires_in\":60}",
	    "{\"access_token\":\"\",\"expires_in\":60}",
	    "{\"access_token\":\"a\",\"expires_in\":-1}",
	    "{\"access_token\":\"a\",\"expires_in\":1.5}",
	    "{\"access_token\":\"a\",\"expires_in\":99999999999}",
	    "{\"access_token\":\"a\",\"expires_in\":60,\"token_type\":\"MAC\"}",
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_token_found found = {NULL, NULL, 0, false};
	zinc_secret *pool = NULL;
	const zinc_google_config token = {.token = "a\nb"};
	zinc_google *g = NULL;
	size_t i;

	(void)state;
	assert_ok(zinc_secret_new(&pool, zinc_context_get(NULL), ZINC_MIB, &err));
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(zinc_google_parse_token(&found, pool, bad[i], strlen(bad[i]), 100, &err), ZINC_E_IO);
	assert_ok(
	    zinc_google_parse_token(&found, pool, "{\"access_token\":\"a\",\"expires_in\":\"60\"}", 38, 100, &err));
	assert_int_equal(found.expires, 160);
	zinc_secret_free(pool);
	assert_int_equal(zinc_google_new(&g, NULL, &token, &err), ZINC_E_INVALID);
}

/* ---- every allocation ---- */

static zinc_status
take_once(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_google_config file = {.file = (const char *)arg};
	zinc_token *token = NULL;
	zinc_google *g = NULL;
	zinc_status st;

	ZINC_TRY(zinc_google_new(&g, ctx, &file, err));
	st = zinc_tokens_take(zinc_google_tokens(g), &token, NULL, err);
	zinc_token_release(token);
	zinc_google_free(g);
	return st;
}

static void
memory_runs_out(void **state)
{
	static char user[] = "user.json", service[] = "service.json";

	(void)state;
	write_user("user.json", "refresh-canary", "user");
	write_service("service.json", key_text, "jwt");
	sweep_alloc(take_once, user);
	sweep_alloc(take_once, service);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sources_in_order),        cmocka_unit_test(refusals_are_told),
	    cmocka_unit_test(metadata_may_be_missing), cmocka_unit_test(bad_files),
	    cmocka_unit_test(tokens_are_parsed),       cmocka_unit_test(memory_runs_out),
	};
	int failed;

	if (!cloud_can()) {
		puts("built without libcurl or libcrypto, or no Python: skipped");
		return 77;
	}
	gs_start(&server, false);
	assert_int_equal(system("rm -rf gcloud && openssl genrsa -out key.pem 2048 2>/dev/null"), 0);
	read_key("key.pem", key_text, sizeof key_text);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
