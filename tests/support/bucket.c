/*
 * bucket.c - starts the S3 server of tests, and opens stores on it
 */
#include "support/bucket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

void
bucket_start(web *w, bool tls)
{
	static const char *const others[] = {
	    "AWS_REGION",        "AWS_DEFAULT_REGION",    "AWS_ENDPOINT_URL",  "AWS_PROFILE",   "AWS_ENDPOINT_URL_S3",
	    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CA_BUNDLE", NULL};

	setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
	cloud_start(w, "s3_server.py", others, tls);
}

zinc_status
bucket_try(const web *w, const char *place, const char *query, bool keys, zinc_store **out, zinc_error *err)
{
	const zinc_setting all[] = {{"access_key_id", BUCKET_ID}, {"secret_access_key", BUCKET_SECRET}};
	zinc_error e = ZINC_ERROR_INIT;
	char url[512];

	if (zinc_store_s3_register(&e) != ZINC_E_EXISTS)
		assert_int_equal(e.code, ZINC_OK);
	snprintf(url, sizeof url, "s3://%s?endpoint=%s://127.0.0.1:%d%s", place, w->tls ? "https" : "http", w->port,
		 query);
	return zinc_store_open(out, url, ZINC_STORE_OPTIONS(.settings = all, .nsettings = keys ? 2 : 0), err);
}

zinc_store *
bucket_open(const web *w, const char *quirk, const char *query)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(bucket_try(w, cloud_new_bucket(quirk), query, true, &s, &err));
	return s;
}
