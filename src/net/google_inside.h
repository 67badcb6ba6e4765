/*
 * google_inside.h - shared by the files google*.c
 */
#ifndef ZINC_GOOGLE_INSIDE_H
#define ZINC_GOOGLE_INSIDE_H

#include "net/google.h"
#include "net/token.h"

/* Where tokens are taken from. */
zinc_tokens *zinc_google_tokens(zinc_google *g);

/* ---- google_file.c: files of credentials ---- */

typedef enum zinc_google_kind { ZINC_GOOGLE_SERVICE, ZINC_GOOGLE_USER } zinc_google_kind;

/* A file of credentials; its texts are in the pool. */
typedef struct zinc_google_file {
	zinc_google_kind kind;
	const char *email, *key, *key_id;      /* of a service account; key_id may be NULL */
	const char *client, *secret, *refresh; /* of a user */
	const char *token_uri;
} zinc_google_file;

/* E_INVALID: it is none, or of a kind that is not supported, which is named.  No error shows another part of it. */
zinc_status zinc_google_parse(zinc_google_file *out, zinc_secret *pool, const char *text, size_t n, zinc_error *err);
/* The answer of a server that gives out tokens.  E_IO. */
zinc_status zinc_google_parse_token(zinc_token_found *out, zinc_secret *pool, const char *text, size_t n, int64_t now,
				    zinc_error *err);
/* The code of an OAuth error, for messages: "invalid_grant"; "" if there is none. */
void zinc_google_parse_refusal(char out[64], zinc_secret *pool, const char *text, size_t n);
/* Text that asks for a token with a service account: a JWT of RFC 7523, signed. */
zinc_status zinc_google_assertion(zinc_buf *out, const zinc_google_file *f, const char *scope, int64_t now,
				  zinc_error *err);

#endif
