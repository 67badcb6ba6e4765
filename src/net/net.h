/*
 * net.h - interface of the room `net`: HTTP and other protocols for stores
 *
 * http.c runs exchanges, many at once, http_send.c sends them and http_poll.c waits for them; only these use libcurl.
 * http_head.c parses the head of an answer.  None of them knows keys or stores.  For S3: sigv4.c signs requests with
 * digests of digest.c, aws.c finds the keys, xml.c reads answers.  For Azure: azure.c finds credentials and signs.  For all
 * that give out credentials: ask.c makes one request, token.c keeps a token, secret.c has the memory.  For Redis: tcp.c has
 * connections, resp.c the protocol.
 *
 * The room is not part of libzinc, only of modules (base/module.c).
 */
#ifndef ZINC_NET_H
#define ZINC_NET_H

#include "base/base.h"

/* ---- the head of an answer ---- */

#define ZINC_HTTP_UNKNOWN UINT64_MAX
#define ZINC_HTTP_KEPT    6
#define ZINC_HTTP_VALUE   256

/* Numbers that are missing or malformed are ZINC_HTTP_UNKNOWN. */
typedef struct zinc_http_head {
	int status; /* for example 206; 0 before there is one */
	char reason[64];
	uint64_t length; /* Content-Length */
	bool
	    framed; /* without a length: the end is marked (chunked, HTTP/2), so that a broken connection is detected */
	uint64_t first; /* Content-Range: "bytes first-last/total"; "bytes *" + "/total" has only the total */
	uint64_t last;
	uint64_t total;
	bool no_ranges;      /* Accept-Ranges: none */
	bool encoded;        /* it has a Content-Encoding, which was not requested */
	char etag[120];      /* with its quotes; "" when there is no strong one */
	char modified[32];   /* Last-Modified; "" without */
	int64_t modified_at; /* Last-Modified and Date in seconds since 1970; -1: none */
	int64_t date;
	uint64_t retry_after; /* seconds */
	int unknown;          /* earlier tries of a change whose outcome is unknown */
	const char *url;      /* of the request; NULL: unknown */
	bool directory;       /* Location is its path and a '/': a directory is there, and no value */
	/* Fields that the request asked for, by lower-case name; NULL-terminated.  "" when a field is missing or too
	 * long.  A field that is sent twice has both values, with a comma between. */
	const char *const *keep;
	char kept[ZINC_HTTP_KEPT][ZINC_HTTP_VALUE];
} zinc_http_head;

void zinc_http_head_init(zinc_http_head *h);
/* Parse one line, with or without its end.  A status line starts a new head: the previous one was a redirection. */
void zinc_http_head_line(zinc_http_head *h, const char *line, size_t n);
/* Is Last-Modified so much older than the answer that a change since then would show (RFC 9110 section 8.8.2.2)? */
bool zinc_http_head_date_is_tag(const zinc_http_head *h);
/* Was the value changed so recently that a change after the answer may have the same date? */
bool zinc_http_head_is_fresh(const zinc_http_head *h);

/* ---- exchanges ---- */

/* The configuration of a client.  All of it is copied. */
typedef struct zinc_http_config {
	double timeout;      /* seconds without a byte, > 0 */
	int retries;         /* of one exchange; 0: none */
	int parallel;        /* exchanges that one run keeps open, > 0 */
	const char *ca_file; /* certificates to trust, PEM; NULL: the system's */
	bool direct;         /* never through a proxy */
	/* Lines "Name: value" for every exchange; not sent to another scheme, host or port than those of its URL. */
	const char *const *headers;
	size_t nheaders;
} zinc_http_config;

/* Connections, kept for the next run.  Many threads may run at once, each with its own connections. */
typedef struct zinc_http zinc_http;

/* E_UNSUPPORTED (built without libcurl), E_NOMEM. */
zinc_status zinc_http_new(zinc_http **out, zinc_context *ctx, const zinc_http_config *config, zinc_error *err);
void zinc_http_free(zinc_http *h);

/* A request.  All that it points to must stay valid until the exchange has ended. */
typedef struct zinc_http_request {
	const char *url;
	const char *method; /* "PUT", "PROPFIND" ...; NULL: GET */
	zinc_buf headers;   /* lines, each followed by a NUL: zinc_http_header */
	bool sends;         /* it has a body, perhaps of 0 bytes */
	const struct iovec *body;
	int nbody;
	uint64_t nbytes;         /* length of a body that pull() provides */
	const char *const *keep; /* fields of the answer to keep: zinc_http_head.keep */
	/* 0, or 1 and the index in `keep` of a field that the service itself always sends: a 503 without it is of something on
	 * the way, and the change may have been made. */
	int service;
	/* NULL, or members of a query, set by sign(), which go only to where sign() sets it: they are never in `url`, and so
	 * neither in a trace nor in an error. */
	const char *secret_query;
	bool once;            /* never retry if it may have been executed, whatever the method */
	bool repeats;         /* a POST that may be executed twice */
	zinc_buf *location;   /* NULL, or takes the field Location of the answer, of any length */
	const char *encoding; /* Accept-Encoding; NULL: "identity".  Bodies are never decoded */
} zinc_http_request;

/* Add a field.  E_INVALID if it contains characters that could end its line. */
zinc_status zinc_http_header(zinc_http_request *r, const char *name, const char *value, zinc_error *err);

typedef enum zinc_http_next {
	ZINC_HTTP_GO = 0,
	ZINC_HTTP_WAIT = 1,  /* not now: start nothing else, and call again */
	ZINC_HTTP_STOP = 2,  /* head: skip the body; body: enough. No failure */
	ZINC_HTTP_AGAIN = 3, /* end: send another request, which ask() will make */
	ZINC_HTTP_LATER = 4  /* end: the same, after a pause that grows with each time */
} zinc_http_next;

/*
 * Callbacks for the exchanges 0 to n-1, all called by the thread that runs them.  For each exchange: ask once per try;
 * head for a final answer (any status that is not retried); body for each piece; end once, with ZINC_OK if the answer
 * was complete or stopped.
 */
typedef struct zinc_http_user {
	zinc_status (*ask)(void *arg, size_t i, zinc_http_request *out, zinc_error *err);
	zinc_http_next (*head)(void *arg, size_t i, const zinc_http_head *head);           /* GO, WAIT, STOP */
	zinc_http_next (*body)(void *arg, size_t i, const uint8_t *bytes, size_t n);       /* GO, STOP */
	zinc_http_next (*end)(void *arg, size_t i, zinc_status st, const zinc_error *err); /* GO, WAIT, AGAIN, LATER */
	void *arg;
	const zinc_wait *wait; /* NULL, or a deadline: exchanges that are left then end as E_CANCELLED */
	/* NULL, or: add the headers that sign the request to `url`; `away`: after a redirection to another scheme, host
	 * or port.  Called for each try and each redirection, after ask. */
	zinc_status (*sign)(void *arg, size_t i, zinc_http_request *r, const char *url, bool away, zinc_error *err);
	/* Copy bytes of the body from `at` on, at least one and at most `room`; returns 0 on failure.  May be called
	 * again for any `at`. */
	size_t (*pull)(void *arg, size_t i, uint64_t at, void *to, size_t room);
	/* NULL, or: the number of exchanges by now, which never decreases; called while another could be started. */
	size_t (*more)(void *arg);
} zinc_http_user;

/* Every exchange is ended on return.  Fails only before the first was started. */
zinc_status zinc_http_run(zinc_http *h, size_t n, const zinc_http_user *user, zinc_error *err);

/* Append `text` for a form or a query: everything but letters, digits and "-._~" is escaped. */
zinc_status zinc_form_escape(zinc_buf *out, const char *text, zinc_error *err);

#include "net/aws.h"
#include "net/azure.h"
#include "net/digest.h"
#include "net/google.h"
#include "net/resp.h"
#include "net/sigv4.h"
#include "net/xml.h"

#endif
