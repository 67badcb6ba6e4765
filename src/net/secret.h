/*
 * secret.h - memory for secrets (secret.c): keys, tokens, and the documents that hold them
 */
#ifndef ZINC_SECRET_H
#define ZINC_SECRET_H

#include "base/base.h"

/* A pool of memory that core dumps leave out and that is wiped when it is freed.  One thread at a time. */
typedef struct zinc_secret zinc_secret;

/* At most `max` bytes, in pages of `ctx`.  E_NOMEM. */
zinc_status zinc_secret_new(zinc_secret **out, zinc_context *ctx, size_t max, zinc_error *err);
/* Wipes and frees all of it; NULL is ignored. */
void zinc_secret_free(zinc_secret *s);
/* NULL: out of memory, or more than the maximum. */
void *zinc_secret_alloc(zinc_secret *s, size_t nbytes);
char *zinc_secret_text(zinc_secret *s, const char *text, size_t n); /* a copy, NUL-terminated */

/* A context whose memory is this pool: buffers and documents that are made with it hold their content there.  It has
 * the OS calls, the warnings and the trace of the pool's own context.  It is freed with the pool. */
zinc_context *zinc_secret_context(zinc_secret *s);

/* Does a text that a server has sent contain the secret, or 16 bytes of it?  A part of a long text may have to have 31
 * bytes. */
bool zinc_secret_shows(const char *secret, size_t n, zinc_bytes text);

#endif
