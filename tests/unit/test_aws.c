/*
 * test_aws.c - sources of credentials in files and variables, by the promises of aws_chain.c
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/aws.h"
#include "support/aws_place.h"
#include "support/sweep.h"
#include "support/test.h"

static void
expect(const zinc_aws_config *config, const char *keys)
{
	assert_string_equal(aws_look(config), keys);
}

/* An error that contains each of the words and no secret (promise 4). */
static void
expect_error(const zinc_aws_config *config, zinc_status st, const char *word, const char *other)
{
	const char *text = aws_look(config);

	if (strncmp(text, zinc_status_name(st), strlen(zinc_status_name(st))) != 0 || !strstr(text, word) ||
	    !strstr(text, other) || strstr(text, "canary"))
		fail_msg("%s", text);
}

static void
none_is_anonymous(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_aws_config config = {0}, asked = {.anonymous = true, .id = "AKID", .secret = "canary"};
	char advice[ZINC_AWS_ADVICE];
	zinc_aws_lease *lease = NULL;
	zinc_aws *a = NULL;

	(void)state;
	aws_place();
	assert_ok(zinc_aws_new(&a, NULL, &config, &err));
	assert_ok(zinc_aws_take(a, &lease, NULL, &err));
	assert_null(lease->keys);
	assert_string_equal(lease->source, "no source: anonymous");
	assert_true(zinc_aws_advice(a, advice, sizeof advice));
	assert_non_null(strstr(advice, "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or "
				       "?anonymous=1 (tried the environment"));
	assert_null(zinc_aws_region(a));
	assert_null(zinc_aws_endpoint(a));
	zinc_aws_release(lease);
	zinc_aws_release(NULL);
	zinc_aws_free(a);
	zinc_aws_free(NULL);

	setenv("AWS_ACCESS_KEY_ID", "AKIDENV", 1);
	assert_ok(zinc_aws_new(&a, NULL, &asked, &err));
	assert_ok(zinc_aws_take(a, &lease, NULL, &err));
	assert_null(lease->keys);
	assert_false(zinc_aws_advice(a, advice, sizeof advice));
	zinc_aws_release(lease);
	zinc_aws_free(a);
}

static void
settings_and_environment(void **state)
{
	const zinc_aws_config given = {.id = "AKIDSET", .secret = "canary-set", .token = "canary-t"};
	const zinc_aws_config pair = {.id = "AKIDSET", .secret = "canary-set"}, half = {.secret = "canary-set"};
	const zinc_aws_config bad = {.id = "AKIDSET", .secret = "canary\r\nX: y"};

	(void)state;
	aws_place();
	expect(&given, "AKIDSET/canary-set/canary-t");
	setenv("AWS_ACCESS_KEY_ID", "AKIDENV", 1);
	expect_error(NULL, ZINC_E_INVALID, "the environment", "AWS_SECRET_ACCESS_KEY is not");
	setenv("AWS_SECRET_ACCESS_KEY", "canary-env", 1);
	expect(NULL, "AKIDENV/canary-env/-");
	setenv("AWS_SESSION_TOKEN", "canary-tok", 1);
	expect(NULL, "AKIDENV/canary-env/canary-tok");
	expect(&pair, "AKIDSET/canary-set/-"); /* not the token of another pair */
	expect_error(&half, ZINC_E_INVALID, "the settings", "access_key_id is not");
	expect_error(&bad, ZINC_E_INVALID, "the settings", "secret access key");
	unsetenv("AWS_ACCESS_KEY_ID");
	expect_error(NULL, ZINC_E_INVALID, "the environment", "AWS_ACCESS_KEY_ID is not");
}

static const char config_file[] = "[default]\nregion = eu-central-1\n[profile lab]\nregion=us-west-2\n"
				  "aws_access_key_id = AKIDLABCONFIG\naws_secret_access_key = canary-config\n"
				  "[profile bare]\nregion = eu-west-1\n[profile half]\naws_access_key_id = AKIDHALF\n";
static const char credentials_file[] = "[default]\naws_access_key_id = AKIDDEF\naws_secret_access_key = canary-def\n"
				       "[lab]\naws_access_key_id=AKIDLAB\naws_secret_access_key=canary-lab\n"
				       "aws_session_token = canary-labtoken\n";

static void
profiles(void **state)
{
	const zinc_aws_config lab = {.profile = "lab"}, none = {.profile = "none"}, half = {.profile = "half"},
			      bare = {.profile = "bare"};

	(void)state;
	aws_place();
	aws_write(".aws/config", config_file);
	aws_write(".aws/credentials", credentials_file);
	expect(NULL, "AKIDDEF/canary-def/-");
	expect(&lab, "AKIDLAB/canary-lab/canary-labtoken");
	expect(&bare, "anonymous"); /* a profile without keys is no source */
	expect_error(&none, ZINC_E_INVALID, "no profile none", ".aws/config");
	expect_error(&half, ZINC_E_INVALID, "profile half", "aws_secret_access_key is not");
	setenv("AWS_PROFILE", "lab", 1);
	expect(NULL, "AKIDLAB/canary-lab/canary-labtoken");
	setenv("AWS_ACCESS_KEY_ID", "AKIDENV", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "canary-env", 1);
	expect(NULL, "AKIDENV/canary-env/-");
	expect(&lab, "AKIDLAB/canary-lab/canary-labtoken"); /* promise 2 */
	setenv("AWS_PROFILE", "none", 1);
	expect_error(NULL, ZINC_E_INVALID, "no profile none", "");
	unsetenv("AWS_PROFILE");
	aws_write(".aws/credentials", "[default]\nkey canary\n");
	expect_error(NULL, ZINC_E_INVALID, "line 2", ".aws/credentials");
}

static void
facts_of_a_profile(void **state)
{
	static const char text[] = "[profile a]\nregion = r1\nca_bundle = /ca.pem\nservices = here\n"
				   "[services here]\ns3 =\n  endpoint_url = http://s3.example\nsts =\n"
				   "  endpoint_url = http://sts.example\n"
				   "[profile b]\nendpoint_url = http://any.example\n";
	const zinc_aws_config a = {.profile = "a"}, b = {.profile = "b"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_aws *x = NULL;

	(void)state;
	aws_place();
	aws_write(".aws/config", text);
	assert_ok(zinc_aws_new(&x, NULL, &a, &err));
	assert_string_equal(zinc_aws_region(x), "r1");
	assert_string_equal(zinc_aws_endpoint(x), "http://s3.example");
	assert_string_equal(zinc_aws_ca_file(x), "/ca.pem");
	zinc_aws_free(x);
	setenv("AWS_REGION", "r2", 1);
	assert_ok(zinc_aws_new(&x, NULL, &a, &err));
	assert_string_equal(zinc_aws_region(x), "r2"); /* the environment wins */
	zinc_aws_free(x);
	assert_ok(zinc_aws_new(&x, NULL, &b, &err));
	assert_string_equal(zinc_aws_region(x), "r2");
	assert_string_equal(zinc_aws_endpoint(x), "http://any.example");
	zinc_aws_free(x);
	setenv("AWS_ENDPOINT_URL", "http://env.example", 1);
	assert_ok(zinc_aws_new(&x, NULL, &b, &err));
	assert_string_equal(zinc_aws_endpoint(x), "http://env.example");
	zinc_aws_free(x);
	setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true", 1);
	assert_ok(zinc_aws_new(&x, NULL, &b, &err));
	assert_null(zinc_aws_endpoint(x));
	zinc_aws_free(x);
}

static zinc_status
search(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_aws_config config = {.profile = "lab"};
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
memory_and_calls_that_fail(void **state)
{
	(void)state;
	aws_place();
	aws_write(".aws/config", config_file);
	aws_write(".aws/credentials", credentials_file);
	assert_true(sweep_alloc(search, NULL) > 5);
	assert_true(sweep_os(search, NULL, EIO, EINTR, 0) > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(none_is_anonymous),
	    cmocka_unit_test(settings_and_environment),
	    cmocka_unit_test(profiles),
	    cmocka_unit_test(facts_of_a_profile),
	    cmocka_unit_test(memory_and_calls_that_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
