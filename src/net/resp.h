/*
 * resp.h - Redis's protocol, RESP2, over a connection of tcp.h (resp.c)
 *
 * A command is an array of arguments.  Several commands may be sent before their replies are read.  Replies are pulled
 * head by head, so that the bytes of a value go to where the caller wants them, and nothing that a server claims makes
 * memory grow.
 */
#ifndef ZINC_RESP_H
#define ZINC_RESP_H

#include "net/tcp.h"

#define ZINC_RESP_TEXT_BYTES 256
#define ZINC_RESP_LINE       4096       /* the longest line: of errors, because numbers are short */
#define ZINC_RESP_MOST       0xFFFFFFFF /* bytes of one value, elements of an array */

typedef struct zinc_resp_head {
	char type;                       /* '+' text, '-' error, ':' number, '$' bytes, '*' array */
	bool null;                       /* no bytes, no array */
	int64_t number;                  /* the number; how many bytes or elements follow */
	char text[ZINC_RESP_TEXT_BYTES]; /* of '+' and '-': printable ASCII, cut if it is longer */
} zinc_resp_head;

#define ZINC_RESP_BAD SIZE_MAX

/* Parse the head at p[0..n): its length, 0 if it is not complete, ZINC_RESP_BAD if it is none. */
size_t zinc_resp_parse(const uint8_t *p, size_t n, zinc_resp_head *out);

/* One connection.  After a failure of any function below (the reply '-' is none) it can only be freed. */
typedef struct zinc_resp zinc_resp;

/* Takes `tcp`, also after a failure.  NULL, for tests: replies are read from `script`, which must stay valid. */
zinc_status zinc_resp_new(zinc_resp **out, zinc_context *ctx, zinc_tcp *tcp, zinc_bytes script, zinc_error *err);
void zinc_resp_free(zinc_resp *r);
/* Has a function failed? */
bool zinc_resp_is_broken(const zinc_resp *r);
/* Is everything read that the server has sent so far, as far as is known here? */
bool zinc_resp_is_idle(const zinc_resp *r);
zinc_tcp *zinc_resp_tcp(const zinc_resp *r);

/* ---- commands; they are sent at the latest by flush ---- */

/* A command of this many arguments. */
zinc_status zinc_resp_begin(zinc_resp *r, size_t nargs, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_resp_arg(zinc_resp *r, const char *arg, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_resp_bytes(zinc_resp *r, const void *p, size_t n, const zinc_wait *wait, zinc_error *err);
/* One argument of several pieces, n bytes in all. */
zinc_status zinc_resp_iov(zinc_resp *r, const struct iovec *iov, int niov, size_t n, const zinc_wait *wait,
			  zinc_error *err);
/* An argument that is copied nowhere. */
zinc_status zinc_resp_secret(zinc_resp *r, const char *arg, const zinc_wait *wait, zinc_error *err);
/* A whole command, whose arguments are separated by single blanks. */
zinc_status zinc_resp_words(zinc_resp *r, const char *words, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_resp_flush(zinc_resp *r, const zinc_wait *wait, zinc_error *err);

/* ---- replies ---- */

/* The head of the next reply, or of the next element of an array; bytes that were not read are skipped.  E_CORRUPT if
 * it is not RESP2. */
zinc_status zinc_resp_next(zinc_resp *r, zinc_resp_head *out, const zinc_wait *wait, zinc_error *err);
/* The next n bytes of '$', no more than are left. */
zinc_status zinc_resp_read(zinc_resp *r, void *to, size_t n, const zinc_wait *wait, zinc_error *err);
/* The end of '$' after what was read or skipped: only then the value is known to be complete. */
zinc_status zinc_resp_end(zinc_resp *r, const zinc_wait *wait, zinc_error *err);
/* Skip everything that belongs to a head. */
zinc_status zinc_resp_skip(zinc_resp *r, const zinc_resp_head *head, const zinc_wait *wait, zinc_error *err);

#endif
