/*
 * test_aws_web.c - credentials of servers, by the promises of ask.c and aws_metadata.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/aws.h"
#include "support/aws_place.h"
#include "support/sweep.h"
#include "support/test.h"

static char trace_text[65536];
static char look_text[2048];

static void
on_trace(void *arg, const char *line)
{
	const size_t n = strlen(trace_text);

	(void)arg;
	snprintf(trace_text + n, sizeof trace_text - n, "%s\n", line);
}

static zinc_context *
traced(void)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;

	o.trace = on_trace;
	trace_text[0] = '\0';
	assert_ok(zinc_context_new(&ctx, &o, &err));
	return ctx;
}

/* What comes of a search, with a context whose trace is kept. */
static const char *
look(void)
{
	char *const text = look_text;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = traced();
	const zinc_aws_config config = {0};
	zinc_aws_lease *lease = NULL;
	zinc_aws *a = NULL;

	assert_ok(zinc_aws_new(&a, ctx, &config, &err));
	if (zinc_aws_take(a, &lease, NULL, &err) != ZINC_OK)
		snprintf(text, sizeof look_text, "%s %s", zinc_status_name(err.code), zinc_error_text(&err));
	else
		snprintf(text, sizeof look_text, "%s", lease->keys ? lease->keys->id : "anonymous");
	zinc_aws_release(lease);
	zinc_aws_free(a);
	zinc_context_free(ctx);
	assert_null(strstr(trace_text, "canary")); /* promise 3 */
	assert_null(strstr(text, "canary"));
	return text;
}

static void
expect(const char *what, const char *want)
{
	const char *got = look();

	if (!strstr(got, want))
		fail_msg("%s: %s instead of %s", what, got, want);
}

/* ---- containers ---- */

static const struct {
	const char *mode, *container, *metadata; /* what comes of it */
} modes[] = {
    {"ok", "AKIDok", "AKIDok"},
    {"in400", "AKIDin400", "AKIDin400"},
    {"expired", "already expired", "already expired"},
    {"error", "HTTP 500", "HTTP 500"},
    {"forbidden", "HTTP 403", "anonymous"},
    {"notfound", "HTTP 404", "anonymous"},
    {"norole", "AKIDnorole", "anonymous"},
    {"failcode", "AKIDfailcode", "no valid \"AccessKeyId\""},
    {"garbage", "not JSON", "HTTP 401"},
    {"noexpiry", "no valid \"Expiration\"", "no valid \"Expiration\""},
    {"nosecret", "no valid \"SecretAccessKey\"", "no valid \"SecretAccessKey\""},
    {"control", "invalid characters", "invalid characters"},
    {"deep", "not JSON", "not a token"},
    {"endless", "too long", "too long"},
    {"drip", "no complete answer within 10 s", "no complete answer"},
    {"hang", "E_IO", "E_IO"},
    {"cut", "E_IO", "E_IO"},
    {"away", "redirection", "HTTP 302"},
};

static void
containers(void **state)
{
	char path[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		aws_place();
		snprintf(path, sizeof path, "%s/container", modes[i].mode);
		setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", aws_url(path), 1);
		setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "canary-authorization", 1);
		expect(modes[i].mode, modes[i].container);
		assert_true(strstr(modes[i].container, "AKID") || strstr(look_text, "credentials from the container"));
	}
	assert_non_null(strstr(aws_log("ok"), "canary-authorization"));
	assert_string_equal(aws_log("stolen"), ""); /* promise 1 */
}

static void
tokens_of_containers(void **state)
{
	(void)state;
	aws_place();
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", aws_url("in5000/container"), 1);
	aws_write("token", "canary-from-file\n");
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "home/token", 1);
	expect("a token in a file", "AKIDin5000");
	assert_non_null(strstr(aws_log("in5000"), "canary-from-file"));
	aws_write("token", "canary\r\nX-Evil: 1");
	expect("a token with lines", "E_INVALID");
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "home/none", 1);
	expect("no token file", "the token file home/none cannot be read");
}

/* Promise 4. */
static void
hosts_of_containers(void **state)
{
	static const char *const refused[] = {
	    "http://example.com/x",
	    "http://localhost@example.com/x",
	    "http://localhost.example.com/x",
	    "http://127.0.0.1.nip.io/x",
	    "http://127.1/x",
	    "http://localhost\\@example.com/",
	    "http://169.254.170.3/",
	    "http://localhost:80:example.com/",
	    "http://[::2]/",
	    "http:///x",
	    "ftp://localhost/",
	    "file:///etc/passwd",
	    "localhost/x",
	    "http://[::1]example.com/",
	    "http://127.0.0.1234/",
	    "http://127.0.0.example/",
	    "http://127...1/",
	};
	static const char *const allowed[] = {"http://localhost:1/x", "http://127.0.0.1:1/x", "http://127.1.2.3:1",
					      "http://LOCALHOST:1?x", "http://[::1]:1/x",     "https://localhost:1/x"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(refused); i++) {
		aws_place();
		setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", refused[i], 1);
		expect(refused[i], "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https");
	}
	for (i = 0; i < COUNT(allowed); i++) {
		aws_place();
		setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", allowed[i], 1);
		expect(allowed[i], "E_IO"); /* nobody is there */
	}
	aws_place();
	setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "evil", 1);
	expect("a relative URI", "must begin with '/'");
}

/* ---- EC2 metadata ---- */

static void
metadata(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		aws_place();
		unsetenv("AWS_EC2_METADATA_DISABLED");
		setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", aws_url(modes[i].mode), 1);
		expect(modes[i].mode, modes[i].metadata);
	}
	assert_non_null(strstr(aws_log("ok"), "PUT /ok/latest/api/token"));
	assert_non_null(strstr(aws_log("ok"), "canary-imds-token"));
	assert_string_equal(aws_log("stolen"), "");
	aws_place(); /* switched off */
	setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", aws_url("ok"), 1);
	expect("disabled", "anonymous");
}

/* Promise 5: no proxy, and a place where nothing answers costs little. */
static void
proxies_and_nothing(void **state)
{
	double began;

	(void)state;
	aws_place();
	unsetenv("no_proxy");
	unsetenv("AWS_EC2_METADATA_DISABLED");
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", aws_url("in900"), 1);
	expect("a proxy", "AKIDin900");
	unsetenv("http_proxy");
	setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1", 1);
	began = zinc_now(NULL);
	expect("a named place without a server", "credentials from EC2 metadata: http://127.0.0.1:1/latest/api/token");
	assert_true(zinc_now(NULL) - began < 60);
}

/* ---- deadlines, memory ---- */

static void
a_deadline_ends_it(void **state)
{
	zinc_wait wait = ZINC_WAIT_INIT;
	const zinc_aws_config config = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_aws_lease *lease = NULL;
	zinc_aws *a = NULL;

	(void)state;
	aws_place();
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", aws_url("drip/container"), 1);
	assert_ok(zinc_aws_new(&a, NULL, &config, &err));
	wait.until = zinc_now(NULL) + 0.5;
	assert_int_equal(zinc_aws_take(a, &lease, &wait, &err), ZINC_E_CANCELLED);
	assert_null(lease);
	zinc_aws_free(a);
}

static zinc_status
search(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_aws_config config = {0};
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
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", aws_url("ok/container"), 1);
	assert_true(sweep_alloc(search, NULL) > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(containers),          cmocka_unit_test(tokens_of_containers),
	    cmocka_unit_test(hosts_of_containers), cmocka_unit_test(metadata),
	    cmocka_unit_test(proxies_and_nothing), cmocka_unit_test(a_deadline_ends_it),
	    cmocka_unit_test(memory_that_fails),
	};
	int failed;

	if (!aws_server_can())
		return 77;
	aws_server_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	aws_server_stop();
	return failed;
}
