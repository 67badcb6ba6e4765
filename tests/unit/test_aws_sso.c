/*
 * test_aws_sso.c - credentials after "aws sso login", by the promises of aws_sso.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/aws.h"
#include "support/aws_place.h"
#include "support/sweep.h"
#include "support/test.h"

/* The SHA-1 of "abc". */
#define CACHE ".aws/sso/cache/a9993e364706816aba3e25717850c26c9cd0d89d.json"

static const char session[] = "[profile p]\nsso_session = abc\nsso_account_id = 123\nsso_role_name = my role&x\n"
			      "[sso-session abc]\nsso_region = eu-central-1\nsso_start_url = https://start.example\n";
static const char cache[] = "{\"accessToken\": \"canary-sso-token\", \"expiresAt\": \"2999-01-01T00:00:00Z\"}";
static const zinc_aws_config config = {.profile = "p"};

static void
place(const char *text, const char *document, const char *mode)
{
	aws_place();
	aws_write(".aws/config", text);
	if (document)
		aws_write(CACHE, document);
	setenv("AWS_ENDPOINT_URL_SSO", aws_url(mode), 1);
}

static void
answers_of_the_portal(void **state)
{
	static const struct {
		const char *mode, *want;
	} modes[] = {
	    {"ok", "AKIDok"},
	    {"in400", "AKIDin400"},
	    {"expired", "already expired"},
	    {"error", "HTTP 500"},
	    {"forbidden", "the SSO portal refuses: HTTP 403"},
	    {"garbage", "not JSON"},
	    {"noexpiry", "no valid \"expiration\""},
	    {"nosecret", "no valid \"secretAccessKey\""},
	    {"control", "invalid characters"},
	    {"deep", "not JSON"},
	    {"endless", "too long"},
	    {"cut", "E_IO"},
	    {"away", "redirection"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		place(session, cache, modes[i].mode);
		aws_expect(&config, modes[i].mode, modes[i].want);
	}
	assert_non_null(
	    strstr(aws_log("ok"), "GET /ok/federation/credentials?role_name=my%20role%26x&account_id=123 ["));
	assert_string_equal(aws_log("stolen"), "");
}

/* Promises 1 and 3. */
static void
logins(void **state)
{
	static const struct {
		const char *document, *want;
	} rows[] = {
	    {NULL, "credentials from profile p (SSO): there is no SSO login: run aws sso login --profile p"},
	    {"{\"accessToken\": \"canary\", \"expiresAt\": \"2001-01-01T00:00:00Z\"}",
	     "the SSO login has expired: run aws sso login --profile p"},
	    {"{\"accessToken\": \"canary-wrong\", \"expiresAt\": \"2999-01-01T00:00:00UTC\"}",
	     "the SSO login is not valid any more: run aws sso login --profile p"},
	    {"{\"accessToken\": \"canary\"}", "is not valid: run aws sso login --profile p"},
	    {"{\"expiresAt\": \"2999-01-01T00:00:00Z\"}", "is not valid: run aws sso login --profile p"},
	    {"canary", "is not valid: run aws sso login --profile p"},
	    {"{\"accessToken\": \"canary\\r\\nX: y\", \"expiresAt\": \"2999-01-01T00:00:00Z\"}", "E_INVALID"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		place(session, rows[i].document, "ok");
		aws_expect(&config, rows[i].document ? rows[i].document : "none", rows[i].want);
	}
}

static void
settings(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
	    {"[profile p]\nsso_session = none\nsso_account_id = 1\nsso_role_name = r\n",
	     "there is no [sso-session none]"},
	    {"[profile p]\nsso_session = abc\nsso_role_name = r\n[sso-session abc]\nsso_region = r\nsso_start_url=u\n",
	     "sso_account_id is not set"},
	    {"[profile p]\nsso_session = abc\nsso_account_id = 1\n[sso-session abc]\nsso_region = r\nsso_start_url=u\n",
	     "sso_role_name is not set"},
	    {"[profile p]\nsso_session = abc\nsso_account_id = 1\nsso_role_name = r\n[sso-session "
	     "abc]\nsso_start_url=u\n",
	     "sso_region is not set"},
	    {"[profile p]\nsso_account_id = 1\nsso_role_name = r\nsso_region = r\n", "sso_start_url is not set"},
	    {"[profile p]\nsso_session = abc\nsso_account_id = 1\nsso_role_name = r\n[sso-session abc]\n"
	     "sso_start_url=u\nsso_region = x.evil.example/\n",
	     "sso_region is not a name of a region"}, /* promise 2 */
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		place(rows[i].text, cache, "ok");
		aws_expect(&config, rows[i].text, rows[i].want);
	}
}

/* Without a session, the cache has the name of the URL. */
static void
the_older_form(void **state)
{
	(void)state;
	place("[profile p]\nsso_start_url = abc\nsso_region = eu-central-1\nsso_account_id = 1\nsso_role_name = r\n",
	      cache, "ok");
	aws_expect(&config, "the older form", "AKIDok");
}

static zinc_status
search(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_aws_lease *lease = NULL;
	zinc_aws *a = NULL;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_aws_new(&a, ctx, &config, err));
	st = zinc_aws_take(a, &lease, NULL, err);
	zinc_aws_release(lease);
	zinc_aws_free(a);
	return st;
}

static void
memory_that_fails(void **state)
{
	(void)state;
	place(session, cache, "ok");
	assert_true(sweep_alloc(search, NULL) > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(answers_of_the_portal),
	    cmocka_unit_test(logins),
	    cmocka_unit_test(settings),
	    cmocka_unit_test(the_older_form),
	    cmocka_unit_test(memory_that_fails),
	};
	int failed;

	if (!aws_server_can() || !ZINC_WITH_CRYPTO)
		return 77;
	aws_server_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	aws_server_stop();
	return failed;
}
