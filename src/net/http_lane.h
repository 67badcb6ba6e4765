/*
 * http_lane.h - what http.c, http_send.c and http_poll.c share: exchanges in the hands of libcurl
 */
#ifndef ZINC_HTTP_LANE_H
#define ZINC_HTTP_LANE_H

#include <curl/curl.h>
#include <math.h>
#include <sys/epoll.h>

#include "net/net.h"

typedef enum phase {
	IDLE,
	SENT,   /* libcurl has it */
	PAUSED, /* libcurl has it; the user said WAIT */
	RESTS,  /* until the next try */
	ENDS,   /* the answer is here; head() or end() said WAIT */
	PHASES
} phase;

struct lane;

/* One exchange under way. */
typedef struct slot {
	struct lane *lane;
	struct slot *next; /* that is IDLE, too */
	CURL *easy;        /* made once, used for one exchange after another */
	struct curl_slist *headers;
	phase phase;
	size_t i;
	int tries;
	int unknown; /* of these, changes that may have been made though no answer told so */
	double wake;
	zinc_http_request request;
	size_t asked; /* bytes of its headers that ask() has made; those behind are the signature */
	int part;     /* of the body, and how much of that is sent */
	size_t part_at;
	uint64_t sent;
	int sends;     /* of this try: libcurl sends again by itself when a connection that it kept is dead */
	double began;  /* of what libcurl has now */
	char *place;   /* where redirections have led; NULL: the request's URL */
	bool away;     /* and that is another scheme, host or port */
	int redirects; /* of this try */
	zinc_http_head head;
	bool headed; /* head() has answered */
	bool stopped;
	uint64_t unwanted; /* bytes of a body that nobody wants */
	char message[CURL_ERROR_SIZE];
} slot;

#define ZINC_HTTP_READY 64

/* What one run needs: connections live in `multi` and are found again by the next run. */
typedef struct lane {
	struct lane *next;
	zinc_http *http;
	CURLM *multi;
	const zinc_http_user *user;
	size_t begun, n;
	uint64_t random;
	slot *slots;       /* config.parallel of them */
	size_t in[PHASES]; /* how many of them are in each */
	slot *idle;        /* those that are IDLE */
	int epoll;         /* what libcurl waits for */
	struct epoll_event ready[ZINC_HTTP_READY];
	int at, nready; /* of these, those that were not seen to yet */
	double due;     /* when it wants to be called in any case */
	bool broken;    /* it does not go on */
} lane;

struct zinc_http {
	zinc_context *ctx;
	zinc_http_config config;
	char **headers;       /* what config.headers points to */
	pthread_mutex_t lock; /* guards `idle` */
	zinc_fork_hook fork;
	lane *idle;
};

/* ---- http.c ---- */

void zinc_http_phase(slot *s, phase to);

size_t zinc_http_on_header(char *line, size_t one, size_t n, void *arg);
size_t zinc_http_on_body(char *bytes, size_t one, size_t n, void *arg);

/* ---- http_send.c ---- */

/* Ask the user, and hand the exchange to libcurl: for the first time, or again from the beginning. */
zinc_status zinc_http_transmit(slot *s, zinc_error *err);
/* Send it anew, to where the answer points. */
zinc_status zinc_http_redirect(slot *s, const char *location, zinc_error *err);
/* Free what it holds until its next use. */
void zinc_http_clean(slot *s);

/* ---- http_poll.c ---- */

bool zinc_http_poll_init(lane *l);
void zinc_http_poll_fini(lane *l);
/* What is to be done at this time: also the first step of what was begun. */
void zinc_http_poll_due(lane *l);
/* Wait until a socket is ready, but no longer than `ms`. */
void zinc_http_poll(lane *l, int ms);
/* See to one of those that were; false: there is none left. */
bool zinc_http_poll_one(lane *l);

/* ---- of requests ---- */

const char *zinc_http_method(const slot *s);
/* Does the method leave everything as it is (RFC 9110 section 9.2.1)? */
bool zinc_http_is_safe(const slot *s);
/* May it be made twice with the effect of once (section 9.2.2)? */
bool zinc_http_repeats(const slot *s);

#endif
