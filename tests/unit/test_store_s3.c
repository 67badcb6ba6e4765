/*
 * test_store_s3.c - a server on loopback: the conformance suite, and the promises of store_s3.c, store_s3_call.c and
 * store_s3_error.c
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_s3.h"
#include "support/bucket.h"
#include "support/conform_store.h"
#include "support/gets.h"
#include "support/test.h"

static web server;

static void
make(void *arg, conform_subject *out)
{
	const char *place = (const char *)arg;

	out->store = out->fill = bucket_open(&server, place, "");
}

/* One request; the error of a failure. */
static zinc_found
found(zinc_store *s, zinc_get r, zinc_error *err)
{
	zinc_found f;
	gets g;

	gets_init(&g, 1);
	assert_int_equal(gets_run(&g, s, &r, err), ZINC_OK);
	f = g.r[0].found;
	if (f == ZINC_FAILED)
		*err = g.r[0].error;
	gets_fini(&g);
	return f;
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
	assert_string_equal(bucket_log(&server, "away-log"), "Authorization: None");
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

/* ---- (3) region and clock ---- */

static void
check_works(const char *quirk)
{
	zinc_store *s = bucket_open(&server, quirk, "");
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(s, NULL, "a/k", "value", 5, NULL, 0, NULL, NULL, &err));
	assert_text(s, "a/k", "value");
	zinc_store_close(s);
	assert_ok(bucket_try(&server, bucket_name(), "", true, &s, &err)); /* a get is the first request */
	assert_text(s, "a/k", "value");
	assert_missing(s, "a/none");
	zinc_store_close(s);
	assert_ok(bucket_try(&server, bucket_name(), "", true, &s, &err)); /* HEAD is: its answer says nothing */
	assert_int_equal(found(s, get_stat("a/k"), &err), ZINC_FOUND);
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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(public_buckets_need_no_keys),           cmocka_unit_test(keys_stay_with_the_service),
	    cmocka_unit_test(redirections_elsewhere_are_not_signed), cmocka_unit_test(plain_http_needs_permission),
	    cmocka_unit_test(region_and_clock_are_learned),
	};
	int failed;

	if (!bucket_can()) {
		puts("built without libcurl or libcrypto, or no Python: skipped");
		return 77;
	}
	bucket_start(&server);
	failed = conform_store_run("s3", make, "plain");
	failed += cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
