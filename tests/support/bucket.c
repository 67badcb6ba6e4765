/*
 * bucket.c - starts the S3 server of tests, and opens stores on it
 */
#include "support/bucket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

static char last[80];

bool
bucket_can(void)
{
	return ZINC_WITH_CRYPTO && web_can();
}

void
bucket_start(web *w, bool tls)
{
	static const char *const others[] = {
	    "AWS_REGION",        "AWS_DEFAULT_REGION",    "AWS_ENDPOINT_URL",  "AWS_PROFILE",   "AWS_ENDPOINT_URL_S3",
	    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CA_BUNDLE", "SSL_CERT_FILE"};
	size_t i;

	for (i = 0; i < sizeof others / sizeof others[0]; i++)
		unsetenv(others[i]);
	setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
	setenv("HOME", "/nonexistent", 1);
	web_start_script(w, "s3_server.py", NULL, tls);
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
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	snprintf(last, sizeof last, "%s-%d", quirk, number++);
	assert_ok(bucket_try(w, last, query, true, &s, &err));
	return s;
}

const char *
bucket_name(void)
{
	return last;
}

const char *
bucket_log(const web *w, const char *bucket)
{
	static char text[65536];
	zinc_store *s = web_open(w, "_log", NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	assert_ok(zinc_store_get_all(s, bucket, &b, NULL, 0, NULL, &err));
	snprintf(text, sizeof text, "%.*s", (int)b.nbytes, (const char *)b.data);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return text;
}

int
bucket_count(const web *w)
{
	return web_count(w, last);
}
