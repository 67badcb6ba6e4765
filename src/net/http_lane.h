/*
 * http_lane.h - shared by http.c, http_send.c and http_poll.c: exchanges that libcurl runs
 */
#ifndef ZINC_HTTP_LANE_H
#define ZINC_HTTP_LANE_H

#include <curl/curl.h>
#include <math.h>
#include <sys/epoll.h>

#include "net/net.h"

typedef enum phase {
	IDLE,
	SENT,          /* libcurl runs it */
	PAUSED,        /* libcurl runs it; the user said WAIT */
	RETRIES_LATER, /* waits for its next try */
	ENDS,          /* the answer is complete; head() or end() said WAIT */
	PHASES
} phase;

struct lane;

/* One exchange. */
typedef struct slot {
	struct lane *lane;
	struct slot *next; /* in the list of IDLE slots */
	CURL *easy;        /* created once, used for one exchange after another */
	struct curl_slist *headers;
	phase phase;
	size_t i;
	int tries;
	int unknown; /* how many of these were changes with an unknown outcome */
	double wake;
	zinc_http_request request;
	size_t asked; /* bytes of the headers that ask() has made; the signature follows */
	int part;     /* position in the body: piece, and bytes of it that are sent */
	size_t part_at;
	uint64_t sent;
	int sends;           /* in this try: libcurl sends again by itself when a kept connection is dead */
	double began;        /* start of the current transfer */
	double heard;        /* time of lane.clock at which a byte last moved */
	curl_off_t uploaded; /* bytes of the body by then */
	char *redirected_to; /* URL after redirections; NULL: the request's own */
	bool away;           /* that URL has another scheme, host or port */
	int redirects;       /* in this try */
	zinc_http_head head;
	bool head_done; /* head() has answered */
	bool stopped;
	uint64_t discarded; /* bytes of the body that were discarded */
	char message[CURL_ERROR_SIZE];
} slot;

#define ZINC_HTTP_READY 64

/* What one run needs.  The connections are in `multi`; the next run uses them again. */
typedef struct lane {
	struct lane *next;
	zinc_http *http;
	CURLM *multi;
	const zinc_http_user *user;
	size_t begun, n;
	uint64_t random;
	slot *slots;       /* config.parallel slots */
	size_t in[PHASES]; /* number of slots in each phase */
	slot *idle;        /* list of the IDLE slots */
	int epoll;         /* the sockets that libcurl waits for */
	struct epoll_event ready[ZINC_HTTP_READY];
	int at, nready; /* position in `ready`, and how many it has */
	double due;     /* time at which libcurl must be called */
	bool broken;    /* libcurl could not register a socket or timer */
	double clock;   /* seconds; stands still while the caller works, so that what arrives meanwhile is not late */
	double looked;  /* time of the last look at it */
} lane;

struct zinc_http {
	zinc_context *ctx;
	zinc_http_config config;
	char **headers;       /* the copy that config.headers points to */
	pthread_mutex_t lock; /* guards `idle` */
	zinc_fork_hook fork;
	lane *idle;
	atomic_int budget; /* for retries, see retry_pause */
};

/* ---- http.c ---- */

void zinc_http_phase(slot *s, phase to);

size_t zinc_http_on_header(char *line, size_t one, size_t n, void *arg);
size_t zinc_http_on_body(char *bytes, size_t one, size_t n, void *arg);

/* ---- http_send.c ---- */

/* Call the user's ask() and start the transfer: the first try or a new one. */
zinc_status zinc_http_transmit(slot *s, zinc_error *err);
/* Send the request again, to the target of a redirection. */
zinc_status zinc_http_redirect(slot *s, const char *location, zinc_error *err);
/* Free the memory of one exchange. */
void zinc_http_clean(slot *s);

/* ---- http_poll.c ---- */

bool zinc_http_poll_init(lane *l);
void zinc_http_poll_fini(lane *l);
/* Run libcurl's timers that are due; this also starts new transfers. */
void zinc_http_poll_due(lane *l);
/* Wait until a socket is ready, at most `ms`. */
void zinc_http_poll(lane *l, int ms);
/* Handle one ready socket; false: none is left. */
bool zinc_http_poll_one(lane *l);

/* ---- properties of requests ---- */

const char *zinc_http_method(const slot *s);
/* Is the method safe: it changes nothing (RFC 9110 section 9.2.1)? */
bool zinc_http_is_safe(const slot *s);
/* Is the request idempotent: twice has the effect of once (section 9.2.2)? */
bool zinc_http_is_idempotent(const slot *s);

#endif
