/*
 * google.h - credentials of Google: where to find them, when to renew them (google.c)
 *
 * docs/stores/gs.md describes the sources and their order.
 */
#ifndef ZINC_GOOGLE_H
#define ZINC_GOOGLE_H

#include "net/net.h"

/* What the user has set; NULL: not set.  All of it is copied. */
typedef struct zinc_google_config {
	const char *file;  /* of credentials */
	const char *token; /* an access token, as it is */
	bool anonymous;    /* look for nothing */
	bool foreign;      /* anonymous, because only a URL names the server */
	const char *ca_file;
} zinc_google_config;

/* Many threads may use one. */
typedef struct zinc_google zinc_google;

/* Reads nothing and makes no request.  E_INVALID (a token that cannot be sent), E_NOMEM. */
zinc_status zinc_google_new(zinc_google **out, zinc_context *ctx, const zinc_google_config *config, zinc_error *err);
void zinc_google_free(zinc_google *g); /* NULL is ignored */
/* Add a token that is valid now.  *signs: there is one; without any source there is none, and the request is anonymous.
 * `secure` false: E_INVALID if there is one, which is not sent. */
zinc_status zinc_google_sign(zinc_google *g, zinc_http_request *r, bool secure, bool *signs, const zinc_wait *wait,
			     zinc_error *err);
/* The server says that the token is not valid: the next request gets another, unless this one was found in the last
 * seconds. */
void zinc_google_refused(zinc_google *g);
/* Does a text that is to be shown contain the token?  A server might send it back. */
bool zinc_google_shows_token(zinc_google *g, zinc_bytes text);
/* For the error of a request that was refused because it was anonymous: what to set. */
const char *zinc_google_advice(const zinc_google *g);

#endif
