/*
 * gs_place.c - starts the Google Cloud Storage of tests, and opens stores on it
 */
#include "support/gs_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

void
gs_start(web *w, bool tls)
{
	static const char *const others[] = {"GOOGLE_APPLICATION_CREDENTIALS",
					     "STORAGE_EMULATOR_HOST",
					     "CLOUDSDK_CONFIG",
					     "GCE_METADATA_HOST",
					     "GOOGLE_CLOUD_QUOTA_PROJECT",
					     "CLOUDSDK_AUTH_ACCESS_TOKEN",
					     NULL};

	setenv("NO_GCE_CHECK", "true", 1);
	cloud_start(w, "gs_server.py", others, tls);
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
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(gs_try(w, cloud_new_bucket(quirk), query, NULL, NULL, &s, &err));
	return s;
}

int
gs_uploads(const web *w)
{
	return (int)strtol(cloud_ask(w, "_open", cloud_bucket()), NULL, 10);
}
