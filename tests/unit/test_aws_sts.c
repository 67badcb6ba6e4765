/*
 * test_aws_sts.c - roles taken with a web identity or with other keys, by the promises of aws_sts.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/aws.h"
#include "support/aws_place.h"
#include "support/sweep.h"
#include "support/test.h"

static const struct {
	const char *mode, *want;
} modes[] = {
    {"ok", "AKIDok"},
    {"in400", "AKIDin400"},
    {"expired", "already expired"},
    {"error", "HTTP 500"},
    {"forbidden", "STS refuses: HTTP 403"},
    {"notfound", "STS refuses: HTTP 404"},
    {"garbage", "no valid \"Credentials\""},
    {"noexpiry", "no valid \"Expiration\""},
    {"nosecret", "no valid \"Credentials\""},
    {"control", "invalid characters"},
    {"deep", "malformed XML"},
    {"endless", "too long"},
    {"cut", "no complete answer"},
    {"away", "HTTP 302"},
};

static void
web_identity(void **state)
{
	const zinc_aws_config named = {.profile = "p"};
	const char *log;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		aws_place();
		aws_write("token", "canary+web/identity\n");
		setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "home/token", 1);
		setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/x&Action=y", 1);
		setenv("AWS_ROLE_SESSION_NAME", "me", 1);
		setenv("AWS_ENDPOINT_URL_STS", aws_url(modes[i].mode), 1);
		aws_expect(NULL, modes[i].mode, modes[i].want);
	}
	log = aws_log("ok"); /* promise 1 */
	assert_non_null(strstr(log, "POST /ok/ ["));
	assert_non_null(strstr(log,
			       "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn="
			       "arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx%26Action%3Dy&RoleSessionName=me&WebIdentityToken="
			       "canary%2Bweb%2Fidentity\n"));
	assert_null(strstr(log, "Authorization"));
	assert_string_equal(aws_log("stolen"), "");
	aws_write(".aws/config", "[profile p]\nweb_identity_token_file = home/token\nrole_arn = r\n");
	setenv("AWS_ENDPOINT_URL_STS", aws_url("in700"), 1);
	aws_expect(&named, "a profile", "AKIDin700");
}

static void
half_a_web_identity(void **state)
{
	(void)state;
	aws_place();
	setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "home/token", 1);
	aws_expect(NULL, "no role",
		   "credentials from web identity: AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
	setenv("AWS_ROLE_ARN", "r", 1);
	aws_expect(NULL, "no file", "the token file home/token cannot be read");
	aws_write("token", "\n");
	aws_expect(NULL, "no token", "has no token");
	aws_write("token", "canary");
	setenv("AWS_REGION", "evil.example/#", 1); /* promise 2 */
	aws_expect(NULL, "no region", "the region is not a name of a region");
	unsetenv("AWS_REGION");
	setenv("AWS_ENDPOINT_URL_STS", "ftp://x", 1);
	aws_expect(NULL, "no URL", "the endpoint of STS is not a URL");
}

static void
roles(void **state)
{
	const zinc_aws_config role = {.profile = "role", .region = "eu-central-1"};
	const char *log;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		aws_place();
		aws_write(".aws/config", "[profile role]\nrole_arn = arn:r\nsource_profile = base\nexternal_id = e/1\n"
					 "duration_seconds = 900\nrole_session_name = me\n");
		aws_write(".aws/credentials",
			  "[base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = canary-base\n");
		setenv("AWS_ENDPOINT_URL_STS", aws_url(modes[i].mode), 1);
		aws_expect(&role, modes[i].mode, modes[i].want);
	}
	log = aws_log("ok");
	assert_non_null(strstr(log,
			       "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Ar&RoleSessionName=me&ExternalId="
			       "e%2F1&DurationSeconds=900\n"));
	assert_non_null(strstr(log, "Authorization: AWS4-HMAC-SHA256 Credential=AKIDBASE/"));
	assert_non_null(strstr(log, "/eu-central-1/sts/aws4_request"));
	assert_null(strstr(log, "canary-base"));
}

static void
chains_of_roles(void **state)
{
	static const struct {
		const char *config, *want;
	} rows[] = {
	    {"[profile p]\nrole_arn=a\nsource_profile=q\n[profile q]\nrole_arn=b\nsource_profile=base\n", "AKIDok"},
	    {"[profile p]\nrole_arn=a\nsource_profile=p\naws_access_key_id=AKIDP\naws_secret_access_key=canary\n",
	     "AKIDok"},
	    {"[profile p]\nrole_arn=a\ncredential_source=Environment\n", "AKIDok"},
	    {"[profile p]\nrole_arn=a\n", "needs either source_profile or credential_source"},
	    {"[profile p]\nrole_arn=a\nsource_profile=base\ncredential_source=Environment\n",
	     "needs either source_profile or credential_source"},
	    {"[profile p]\nrole_arn=a\nsource_profile=q\n[profile q]\nrole_arn=b\nsource_profile=p\n", "form a circle"},
	    {"[profile p]\nrole_arn=a\nsource_profile=none\n", "no profile none"},
	    {"[profile p]\nrole_arn=a\nsource_profile=q\n[profile q]\nregion=r\n", "has no credentials"},
	    {"[profile p]\nrole_arn=a\nsource_profile=p\n", "has no credentials"},
	    {"[profile p]\nrole_arn=a\ncredential_source=Elsewhere\n", "must be Environment"},
	    {"[profile p]\nrole_arn=a\ncredential_source=EcsContainer\n", "has no credentials"},
	    {"[profile p]\nrole_arn=a\ncredential_source=Ec2InstanceMetadata\n", "has no credentials"},
	    {"[profile p]\nrole_arn=a\nsource_profile=base\nmfa_serial=x\n", "mfa_serial"},
	    {"[profile p]\nrole_arn=a\nsource_profile=1\n[profile 1]\nrole_arn=a\nsource_profile=2\n[profile 2]\n"
	     "role_arn=a\nsource_profile=3\n[profile 3]\nrole_arn=a\nsource_profile=4\n[profile 4]\nrole_arn=a\n"
	     "source_profile=5\n[profile 5]\nrole_arn=a\nsource_profile=base\n",
	     "more than 5 roles"},
	};
	const zinc_aws_config p = {.profile = "p"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		aws_place();
		aws_write(".aws/config", rows[i].config);
		aws_write(".aws/credentials",
			  "[base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = canary-base\n");
		setenv("AWS_ACCESS_KEY_ID", "AKIDENV", 1);
		setenv("AWS_SECRET_ACCESS_KEY", "canary-env", 1);
		setenv("AWS_ENDPOINT_URL_STS", aws_url("ok"), 1);
		aws_expect(&p, rows[i].config, rows[i].want);
	}
}

static zinc_status
search(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_aws_config config = {.profile = "p"};
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
	aws_place();
	aws_write(".aws/config", "[profile p]\nrole_arn=a\nsource_profile=p\naws_access_key_id=AKIDP\n"
				 "aws_secret_access_key=canary\n");
	setenv("AWS_ENDPOINT_URL_STS", aws_url("ok"), 1);
	assert_true(sweep_alloc(search, NULL) > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(web_identity),    cmocka_unit_test(half_a_web_identity), cmocka_unit_test(roles),
	    cmocka_unit_test(chains_of_roles), cmocka_unit_test(memory_that_fails),
	};
	int failed;

	if (!aws_server_can() || !ZINC_WITH_CRYPTO)
		return 77;
	aws_server_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	aws_server_stop();
	return failed;
}
