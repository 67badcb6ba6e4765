/*
 * net.h - door of the room `net`: HTTP for the stores that live behind it
 *
 * http.c runs exchanges, many at once, http_send.c sends them and http_poll.c waits for them; they alone know libcurl.
 * http_head.c understands what an answer says of itself before its first byte.  None knows what a key or a store is.
 *
 * None of it is part of libzinc: whoever needs it is a module (base/module.c).
 */
#ifndef ZINC_NET_H
#define ZINC_NET_H

#include "base/base.h"

/* ---- the head of an answer ---- */

#define ZINC_HTTP_UNKNOWN UINT64_MAX
#define ZINC_HTTP_KEPT    4

/* Numbers that the answer does not give, or gives in a form that is not theirs, are ZINC_HTTP_UNKNOWN. */
typedef struct zinc_http_head {
	int status; /* 206; 0 before there is one */
	char reason[64];
	uint64_t length; /* Content-Length */
	bool framed;     /* without a length: the end is marked (chunked, HTTP/2), so that a cut can be told from it */
	uint64_t first;  /* Content-Range: "bytes first-last/total"; "bytes *" + "/total" has the total alone */
	uint64_t last;
	uint64_t total;
	bool no_ranges;      /* Accept-Ranges: none */
	bool encoded;        /* a Content-Encoding, which nobody asked for */
	char etag[120];      /* with its quotes; "" when there is none, or none that is strong */
	char modified[32];   /* Last-Modified, "" without */
	int64_t modified_at; /* the same in seconds since 1970, and that of Date; -1: none */
	int64_t date;
	uint64_t retry_after; /* seconds */
	int unknown;          /* earlier tries that may have been done without an answer: of changes only */
	/* Fields that the request wanted to see, by lower-case name; NULL-ended.  "" without, or when it is too long. */
	const char *const *keep;
	char kept[ZINC_HTTP_KEPT][256];
} zinc_http_head;

void zinc_http_head_init(zinc_http_head *h);
/* One line as it came, with or without its end.  A status line begins anew: what came before was a redirection. */
void zinc_http_head_line(zinc_http_head *h, const char *line, size_t n);
/* Is Last-Modified so much older than the answer that a change since would show (RFC 9110 section 8.8.2.2)? */
bool zinc_http_head_settled(const zinc_http_head *h);

/* ---- exchanges ---- */

/* How a client behaves.  All of it is copied. */
typedef struct zinc_http_config {
	double timeout;      /* seconds without a byte, > 0 */
	int retries;         /* of one exchange, 0: none */
	int parallel;        /* exchanges that one run keeps open, > 0 */
	const char *ca_file; /* certificates to trust, PEM; NULL: the system's */
	/* Lines "Name: value" that go with every exchange, but to no other scheme, host and port than those of its URL. */
	const char *const *headers;
	size_t nheaders;
} zinc_http_config;

/* Connections, kept for the next run.  Many threads may run at once, each on connections of its own. */
typedef struct zinc_http zinc_http;

/* E_UNSUPPORTED (built without libcurl), E_NOMEM. */
zinc_status zinc_http_new(zinc_http **out, zinc_context *ctx, const zinc_http_config *config, zinc_error *err);
void zinc_http_free(zinc_http *h);

/* What is asked.  All that it points to must stay until the exchange has ended. */
typedef struct zinc_http_request {
	const char *url;
	const char *method; /* "PUT", "PROPFIND" ...; NULL: GET */
	zinc_buf headers;   /* lines, each with a NUL behind it: zinc_http_header */
	bool sends;         /* it has a body, be it of no bytes */
	const struct iovec *body;
	int nbody;
	uint64_t nbytes;         /* of a body without `body`, which the user's pull() gives */
	const char *const *keep; /* fields of the answer to be kept: zinc_http_head.keep */
	bool once;               /* never again when it may have been done, whatever the method */
} zinc_http_request;

/* Add a field.  E_INVALID when it could end its line. */
zinc_status zinc_http_header(zinc_http_request *r, const char *name, const char *value, zinc_error *err);

typedef enum zinc_http_next {
	ZINC_HTTP_GO = 0,
	ZINC_HTTP_WAIT = 1, /* not now: begin nothing more, and ask again */
	ZINC_HTTP_STOP = 2, /* head: the body is not wanted; body: enough.  No failure */
	ZINC_HTTP_AGAIN = 3 /* end: there is another question; ask() will put it */
} zinc_http_next;

/*
 * Whoever runs exchanges 0 to n-1.  All calls come from the thread that runs them.  For each exchange: ask once per
 * try; head, when a final answer came (any status but those that are tried again); body for each piece; and end, once
 * it is over, with ZINC_OK after every answer that came whole or was stopped.
 */
typedef struct zinc_http_user {
	zinc_status (*ask)(void *arg, size_t i, zinc_http_request *out, zinc_error *err);
	zinc_http_next (*head)(void *arg, size_t i, const zinc_http_head *head);           /* GO, WAIT, STOP */
	zinc_http_next (*body)(void *arg, size_t i, const uint8_t *bytes, size_t n);       /* GO, STOP */
	zinc_http_next (*end)(void *arg, size_t i, zinc_status st, const zinc_error *err); /* GO, WAIT, AGAIN */
	void *arg;
	const zinc_wait *wait; /* NULL, or: when the time is over, end what is left as E_CANCELLED */
	/* NULL, or: add the headers that sign the request, which goes to `url`; `away`: that is not where it was asked.
	 * Called for each try and each redirection, behind ask. */
	zinc_status (*sign)(void *arg, size_t i, zinc_http_request *r, const char *url, bool away, zinc_error *err);
	/* Bytes of a body from `at` on, at least one and at most `room`; 0: they cannot be had.  Any `at` may come again. */
	size_t (*pull)(void *arg, size_t i, uint64_t at, void *to, size_t room);
	/* NULL, or: how many exchanges there are by now, at least as many as before; asked while another could be begun. */
	size_t (*more)(void *arg);
} zinc_http_user;

/* Every exchange is ended before it returns; it fails itself only before the first was begun. */
zinc_status zinc_http_run(zinc_http *h, size_t n, const zinc_http_user *user, zinc_error *err);

#endif
