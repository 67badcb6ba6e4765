/*
 * test_aws_answer.c - documents with keys, by the promises of aws_answer.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/aws_inside.h"
#include "support/test.h"

static const zinc_aws_names strict = {NULL, "I", "S", "T", "E", false, false, NULL},
			    loose = {NULL, "I", "S", "T", "E", false, true, "V"},
			    inner = {"r", "I", "S", "T", "E", true, false, NULL};

static void
times(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: not a time */
	} rows[] = {
	    {"1970-01-01T00:00:00Z", 0},
	    {"2000-02-29T12:34:56Z", 951827696},
	    {"2026-11-16T23:01:56Z", 1794870116},
	    {"2026-11-16T23:01:56.123456Z", 1794870116},
	    {"2026-11-17T00:01:56+01:00", 1794870116},
	    {"2026-11-16T22:01:56-0100", 1794870116},
	    {"2026-11-16T23:01:56UTC", 1794870116},
	    {"2026-11-16 23:01:56z", 1794870116},
	    {"9999-12-31T23:59:59Z", 253402300799},
	    {"", -1},
	    {"2026-11-16", -1},
	    {"2026-11-16T23:01:56", -1},
	    {"2026-11-16T23:01:56Zx", -1},
	    {"2026-13-16T23:01:56Z", -1},
	    {"2026-00-16T23:01:56Z", -1},
	    {"2026-11-32T23:01:56Z", -1},
	    {"2026-04-31T23:01:56Z", -1},
	    {"2026-11-16T24:01:56Z", -1},
	    {"2026-11-16T23:60:56Z", -1},
	    {"2026-11-16T23:01:56+1", -1},
	    {"2026-11-16T23:01:56+01:60", -1},
	    {"1969-11-16T23:01:56Z", -1},
	    {"+026-11-16T23:01:56Z", -1},
	};
	int64_t seconds;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(zinc_aws_time(rows[i].text, &seconds), rows[i].seconds >= 0);
		if (rows[i].seconds >= 0)
			assert_int_equal(seconds, rows[i].seconds);
	}
}

/* Compared with the C library, over days of 400 years. */
static void
times_of_all_days(void **state)
{
	char text[40];
	struct tm tm;
	int64_t day, seconds;
	time_t t;

	(void)state;
	for (day = 0; day < 400 * 366; day += 13) {
		t = (time_t)(day * 86400 + 3661);
		assert_non_null(gmtime_r(&t, &tm));
		assert_true(strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0);
		assert_true(zinc_aws_time(text, &seconds));
		assert_int_equal(seconds, t);
	}
}

/* "id secret token expires", or the name of the status.  In static memory. */
static const char *
read_json(const char *text, const zinc_aws_names *names)
{
	static char out[256];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_aws_found found;
	zinc_secret *pool = NULL;
	zinc_status st;

	assert_ok(zinc_secret_new(&pool, NULL, ZINC_AWS_MAX_POOL, &err));
	st = zinc_aws_from_json(&found, pool, text, strlen(text), names, &err);
	assert_null(strstr(err.text, "canary")); /* promise 3 */
	if (st == ZINC_OK)
		snprintf(out, sizeof out, "%s %s %s %lld", found.keys.id, found.keys.secret,
			 found.keys.token ? found.keys.token : "-",
			 found.expires == ZINC_AWS_NEVER ? -1 : (long long)found.expires);
	else
		snprintf(out, sizeof out, "%s", zinc_status_name(st));
	zinc_secret_free(pool);
	return out;
}

static void
json(void **state)
{
	static const struct {
		const zinc_aws_names *names;
		const char *text, *keys; /* NULL: E_CORRUPT */
	} rows[] = {
	    {&strict, "{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":\"1970-01-01T00:00:09Z\",\"x\":[]}", "i s t 9"},
	    {&strict, "{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\"}", NULL},
	    {&strict, "{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":null}", NULL},
	    {&strict, "{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":\"canary\"}", NULL},
	    {&strict, "{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":9}", NULL},
	    {&strict, "{\"I\":\"i\",\"S\":\"s\",\"E\":\"1970-01-01T00:00:09Z\"}", NULL},
	    {&strict, "{\"I\":\"i\",\"T\":\"t\",\"E\":\"1970-01-01T00:00:09Z\"}", NULL},
	    {&strict, "{\"S\":\"s\",\"T\":\"t\",\"E\":\"1970-01-01T00:00:09Z\"}", NULL},
	    {&strict, "{\"I\":\"\",\"S\":\"s\",\"T\":\"t\",\"E\":\"1970-01-01T00:00:09Z\"}", NULL},
	    {&strict, "{\"I\":\"i\",\"S\":\"canary\\r\\nx\",\"T\":\"t\",\"E\":\"1970-01-01T00:00:09Z\"}", NULL},
	    {&strict, "{\"I\":\"i\",\"S\":\"canary\\u0000\",\"T\":\"t\",\"E\":\"1970-01-01T00:00:09Z\"}", NULL},
	    {&strict, "{\"I\":\"i\",\"S\":\"s\",\"T\":\"t t\",\"E\":\"1970-01-01T00:00:09Z\"}", NULL},
	    {&strict, "{\"I\":1,\"S\":\"s\",\"T\":\"t\",\"E\":\"1970-01-01T00:00:09Z\"}", NULL},
	    {&strict, "{\"canary\"", NULL},
	    {&strict, "[\"canary\"]", NULL},
	    {&strict, "canary", NULL},
	    {&strict, "", NULL},
	    {&loose, "{\"V\":1,\"I\":\"i\",\"S\":\"s\"}", "i s - -1"},
	    {&loose, "{\"V\":1,\"I\":\"i\",\"S\":\"s\",\"T\":null,\"E\":null}", "i s - -1"},
	    {&loose, "{\"V\":1,\"I\":\"i\",\"S\":\"s\",\"E\":\"1970-01-01T00:00:09Z\"}", "i s - 9"},
	    {&loose, "{\"V\":1,\"I\":\"i\",\"S\":\"s\",\"E\":\"soon\"}", NULL},
	    {&loose, "{\"V\":1,\"I\":\"i\",\"S\":\"s\",\"T\":5}", NULL},
	    {&loose, "{\"V\":2,\"I\":\"i\",\"S\":\"s\"}", NULL},
	    {&loose, "{\"V\":\"1\",\"I\":\"i\",\"S\":\"s\"}", NULL},
	    {&loose, "{\"I\":\"i\",\"S\":\"s\"}", NULL},
	    {&inner, "{\"r\":{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":9999}}", "i s t 9"},
	    {&inner, "{\"r\":{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":-9999}}", NULL},
	    {&inner, "{\"r\":{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":1e9}}", NULL},
	    {&inner, "{\"r\":{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":99999999999999999999}}", NULL},
	    {&inner, "{\"I\":\"i\",\"S\":\"s\",\"T\":\"t\",\"E\":9999}", NULL},
	    {&inner, "{\"r\":[]}", NULL},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const char *want = rows[i].keys ? rows[i].keys : zinc_status_name(ZINC_E_CORRUPT);
		const char *got = read_json(rows[i].text, rows[i].names);

		if (strcmp(got, want) != 0)
			fail_msg("%s: %s", rows[i].text, got);
	}
}

#define C(inner) "<R><A><Credentials>" inner "</Credentials></A></R>"

static void
xml(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
	    {C("<AccessKeyId>i</AccessKeyId><SecretAccessKey>s&#43;</SecretAccessKey><SessionToken>t</SessionToken>"
	       "<Expiration>1970-01-01T00:00:09Z</Expiration>"),
	     true},
	    {C("<AccessKeyId>i</AccessKeyId><SecretAccessKey>s+</SecretAccessKey><SessionToken>t</SessionToken>"),
	     false},
	    {C("<AccessKeyId>i</AccessKeyId><SecretAccessKey>s+</SecretAccessKey>"
	       "<Expiration>1970-01-01T00:00:09Z</Expiration>"),
	     false},
	    {C("<AccessKeyId>i</AccessKeyId><SecretAccessKey>canary\n</SecretAccessKey><SessionToken>t</SessionToken>"
	       "<Expiration>1970-01-01T00:00:09Z</Expiration>"),
	     false},
	    {C("<AccessKeyId>canary</AccessKeyId>") "canary", false},
	    {"", false},
	    {"<html>", false},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_secret *pool = NULL;
		zinc_aws_found found;
		zinc_status st;

		zinc_error_clear(&err);
		assert_ok(zinc_secret_new(&pool, NULL, ZINC_AWS_MAX_POOL, &err));
		st = zinc_aws_from_xml(&found, pool, rows[i].text, strlen(rows[i].text), "R/A/Credentials", &err);
		assert_int_equal(st, rows[i].good ? ZINC_OK : ZINC_E_CORRUPT);
		assert_null(strstr(err.text, "canary"));
		if (rows[i].good) {
			assert_string_equal(found.keys.secret, "s+");
			assert_int_equal(found.expires, 9);
		}
		zinc_secret_free(pool);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(times),
	    cmocka_unit_test(times_of_all_days),
	    cmocka_unit_test(json),
	    cmocka_unit_test(xml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
