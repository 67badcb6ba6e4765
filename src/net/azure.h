/*
 * azure.h - credentials of Azure Storage: where to find them, how requests are signed with them
 *
 * docs/stores/az.md describes the sources and their order.
 */
#ifndef ZINC_AZURE_H
#define ZINC_AZURE_H

#include "net/net.h"

/* What the user has set; NULL: not set.  All of it is copied.  The environment counts only for what no setting says. */
typedef struct zinc_azure_config {
	const char *account; /* of the URL or the settings */
	const char *key;     /* of the account, in base64 */
	const char *sas;     /* a shared access signature, with or without its '?' */
	const char *token;   /* an access token as it is */
	const char *connection;
	bool anonymous; /* sign nothing, and look for nothing */
	bool foreign;   /* only a URL names the server: look for nothing */
	const char *tenant_id, *client_id, *client_secret;
	const char *token_file; /* of workload identity */
	const char *authority;
	const char *identity; /* address of managed identity; "none": do not ask there */
	const char *ca_file;
} zinc_azure_config;

/* Many threads may use one. */
typedef struct zinc_azure zinc_azure;

/* Makes no request.  E_INVALID: half a configuration, a malformed connection string, a key that is no base64; E_NOMEM. */
zinc_status zinc_azure_new(zinc_azure **out, zinc_context *ctx, const zinc_azure_config *config, zinc_error *err);
void zinc_azure_free(zinc_azure *a);

/* The name of the account, from the settings, the connection string or the environment; NULL: none.  Valid as long as
 * `a`, and so are the following. */
const char *zinc_azure_account(const zinc_azure *a);
/* The blob endpoint of the connection string; NULL: none. */
const char *zinc_azure_endpoint(const zinc_azure *a);

/* Add x-ms-date (if `now` is not negative: seconds since 1970) and what proves who asks: Authorization, or
 * r->secret_query.  *signs: there is something to prove it with. */
zinc_status zinc_azure_sign(zinc_azure *a, zinc_http_request *r, const char *url, int64_t now, bool *signs,
			    const zinc_wait *wait, zinc_error *err);
/* The server does not accept the credentials: true if others can be had, which the next request will use. */
bool zinc_azure_refused(zinc_azure *a);
/* Are the credentials tokens that can be had anew? */
bool zinc_azure_renews(const zinc_azure *a);
/* Does a text contain a secret, or a part of one?  zinc_secret_shows(). */
bool zinc_azure_shows_secret(zinc_azure *a, zinc_bytes text);
/* For the error of a request that was refused because it was anonymous: what was looked for, and what to set; NULL: the
 * user asked for it. */
const char *zinc_azure_advice(const zinc_azure *a);

#endif
