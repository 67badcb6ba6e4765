/*
 * token.h - access tokens that end: kept, shared by threads, renewed before their end (token.c)
 *
 *     zinc_tokens_new(&t, ctx, find, arg, err)
 *     zinc_tokens_take(t, &token, wait, err)      token->text is valid now; NULL: there is none, requests are anonymous
 *     ... send it ...
 *     zinc_tokens_refused(t)                      only if the server said that it is not valid
 *     zinc_token_release(token)
 *     zinc_tokens_free(t)
 */
#ifndef ZINC_TOKEN_H
#define ZINC_TOKEN_H

#include "net/ask.h"

#define ZINC_TOKEN_NEVER INT64_MAX /* it does not end */

/* In memory that core dumps leave out. */
typedef struct zinc_token {
	const char *text;
	const char *source; /* for messages: "managed identity" ...; no secret */
} zinc_token;

/* What a search has found, in the pool of the asker; all zeros: no source is configured. */
typedef struct zinc_token_found {
	const char *text, *source;
	int64_t expires; /* seconds since 1970, or NEVER */
	bool unsure;     /* nothing was found, but only because a source did not answer: a later search may find it */
} zinc_token_found;

/* Search for a token.  Called by one thread at a time, without any lock.  Never E_CORRUPT: for the callers of a store
 * that is a damaged value. */
typedef zinc_status (*zinc_token_fn)(void *arg, const zinc_asker *asker, zinc_token_found *out, zinc_error *err);

/* Many threads may use one. */
typedef struct zinc_tokens zinc_tokens;

/* `ca_file` (may be NULL) must stay valid. */
zinc_status zinc_tokens_new(zinc_tokens **out, zinc_context *ctx, const char *ca_file, zinc_token_fn find, void *arg,
			    zinc_error *err);
/* No token may be in use; NULL is ignored. */
void zinc_tokens_free(zinc_tokens *t);
zinc_status zinc_tokens_take(zinc_tokens *t, zinc_token **out, const zinc_wait *wait, zinc_error *err);
void zinc_token_release(zinc_token *token); /* NULL is ignored */
/* The server does not accept the last one: the next take searches again.  False, and no effect, on a token that
 * was found in the last seconds: many requests fail together, and a token that is refused at once would not get better. */
bool zinc_tokens_refused(zinc_tokens *t);
/* Does a text contain the token, the one before it, or a part of them (zinc_secret_shows)?  A server might send it back. */
bool zinc_tokens_show(zinc_tokens *t, zinc_bytes text);

/* Seconds since 1970, by the clock of this machine. */
int64_t zinc_token_clock(zinc_context *ctx);

#endif
