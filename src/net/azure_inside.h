/*
 * azure_inside.h - shared by the files azure*.c
 *
 * azure.c chooses the kind of credentials and signs, azure_sign.c makes the signatures of account keys,
 * azure_connection.c reads connection strings, azure_token.c asks for access tokens.
 */
#ifndef ZINC_AZURE_INSIDE_H
#define ZINC_AZURE_INSIDE_H

#include "net/azure.h"
#include "net/token.h"

/* ---- azure_sign.c ---- */

/* The Authorization of a request with a SharedKey: of its method, its headers and `url`, whose account is `account`.
 * The length of the body is `nbytes`.  x-ms-date and x-ms-version must be among the headers. */
zinc_status zinc_azure_authorize(zinc_buf *out, const zinc_http_request *r, const char *url, const char *account,
				 const uint8_t *key, size_t nkey, zinc_error *err);

/* ---- azure_connection.c ---- */

/* NULL: the string does not have it.  All in the pool. */
typedef struct zinc_azure_connection {
	const char *account, *key, *sas;
	const char *endpoint; /* of blobs */
} zinc_azure_connection;

/* The account and key that the emulator has, which everybody knows. */
extern const char zinc_azure_emulator_account[], zinc_azure_emulator_key[];

/* "AccountName=...;AccountKey=...".  E_INVALID, without any part of the string. */
zinc_status zinc_azure_parse_connection(zinc_azure_connection *out, zinc_secret *pool, const char *text,
					zinc_error *err);

/* ---- azure_token.c ---- */

/* The search for a token: a zinc_token_fn whose `arg` is a zinc_azure_config. */
zinc_status zinc_azure_find_token(void *arg, const zinc_asker *asker, zinc_token_found *out, zinc_error *err);
/* The answer of a server that gives out tokens, at `now`.  E_CORRUPT, without any part of the document. */
zinc_status zinc_azure_parse_token(zinc_token_found *out, zinc_secret *pool, const char *text, size_t n, int64_t now,
				   zinc_error *err);

#endif
