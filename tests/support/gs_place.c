/*
 * gs_place.c - starts the Google Cloud Storage of tests, and opens stores on it
 */
#include "support/gs_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static char last[80];

bool
gs_can(void)
{
	return ZINC_WITH_CRYPTO && web_can();
}

void
gs_start(web *w, bool tls)
{
	static const char *const others[] = {
	    "GOOGLE_APPLICATION_CREDENTIALS", "STORAGE_EMULATOR_HOST",      "CLOUDSDK_CONFIG", "GCE_METADATA_HOST",
	    "GOOGLE_CLOUD_QUOTA_PROJECT",     "CLOUDSDK_AUTH_ACCESS_TOKEN", "SSL_CERT_FILE"};
	size_t i;

	for (i = 0; i < sizeof others / sizeof others[0]; i++)
		unsetenv(others[i]);
	setenv("NO_GCE_CHECK", "true", 1);
	setenv("HOME", "/nonexistent", 1);
	web_start_script(w, "gs_server.py", NULL, tls);
}

zinc_status
gs_try(const web *w, const char *place, const char *query, const char *token, zinc_context *ctx, zinc_store **out,
       zinc_error *err)
{
	const zinc_setting all[] = {{"token", token}};
	zinc_error e = ZINC_ERROR_INIT;
	char url[512];

	if (zinc_store_gs_register(&e) != ZINC_E_EXISTS)
		assert_int_equal(e.code, ZINC_OK);
	snprintf(url, sizeof url, "gs://%s?endpoint=%s://127.0.0.1:%d%s", place, w->tls ? "https" : "http", w->port,
		 query);
	return zinc_store_open(out, url,
			       ZINC_STORE_OPTIONS(.context = ctx, .settings = all, .nsettings = token != NULL), err);
}

zinc_store *
gs_new(const web *w, const char *quirk, const char *query)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	snprintf(last, sizeof last, "%s-%d", quirk, number++);
	assert_ok(gs_try(w, last, query, NULL, NULL, &s, &err));
	return s;
}

const char *
gs_bucket(void)
{
	return last;
}

static const char *
ask(const web *w, const char *what, const char *bucket)
{
	static char text[262144];
	zinc_store *s = web_open(w, what, NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	assert_ok(zinc_store_get_all(s, bucket, &b, NULL, 0, NULL, &err));
	snprintf(text, sizeof text, "%.*s", (int)b.nbytes, (const char *)b.data);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return text;
}

const char *
gs_log(const web *w, const char *bucket)
{
	return ask(w, "_log", bucket);
}

int
gs_uploads(const web *w)
{
	return (int)strtol(ask(w, "_open", last), NULL, 10);
}
