/*
 * blobs.c - starts the Azure Blob Storage of tests, and opens stores on it
 */
#include "support/blobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

void
blobs_start(web *w, bool tls)
{
	static const char *const others[] = {"AZURE_STORAGE_ACCOUNT",
					     "AZURE_STORAGE_ACCOUNT_NAME",
					     "AZURE_STORAGE_KEY",
					     "AZURE_STORAGE_ACCOUNT_KEY",
					     "AZURE_STORAGE_ACCESS_KEY",
					     "AZURE_STORAGE_SAS_TOKEN",
					     "AZURE_STORAGE_CONNECTION_STRING",
					     "AZURE_CLIENT_ID",
					     "AZURE_TENANT_ID",
					     "AZURE_CLIENT_SECRET",
					     "AZURE_FEDERATED_TOKEN_FILE",
					     "AZURE_AUTHORITY_HOST",
					     "IDENTITY_ENDPOINT",
					     "IDENTITY_HEADER",
					     NULL};

	setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", "none", 1);
	cloud_start(w, "az_server.py", others, tls);
}

zinc_status
blobs_try(const web *w, const char *place, const char *query, const char *name, const char *value, zinc_store **out,
	  zinc_error *err)
{
	const zinc_setting one[] = {{name, value}};
	zinc_error e = ZINC_ERROR_INIT;
	char url[512];

	if (zinc_store_az_register(&e) != ZINC_E_EXISTS)
		assert_int_equal(e.code, ZINC_OK);
	snprintf(url, sizeof url, "az://%s?endpoint=%s://127.0.0.1:%d/lab%s", place, w->tls ? "https" : "http", w->port,
		 query);
	return zinc_store_open(out, url, ZINC_STORE_OPTIONS(.settings = one, .nsettings = name ? 1 : 0), err);
}

zinc_store *
blobs_open(const web *w, const char *quirk, const char *query)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(blobs_try(w, cloud_new_bucket(quirk), query, "account_key", BLOBS_KEY, &s, &err));
	return s;
}
