/*
 * http.c - exchanges over HTTP and HTTPS, many at once: the only file that knows libcurl
 *
 *     ask -> sent -> head -> body ... body -> end
 *      ^       |       |'- WAIT: the transfer is paused, nothing more is begun
 *      |       |       '-- 301, 302, 303, 307, 308: sent anew, to where Location says
 *      |       v
 *      '---- rest      cut connections, timeouts, 408, 429, 500, 502, 503, 504: again, ever later
 *
 * Promises (tests/unit/test_store_http.c names each by its number):
 *
 * (1) end() is called exactly once for each exchange that began, also after failure and cancel.
 * (2) A cut connection, a body shorter than announced and a silent server are tried again, at most
 *     zinc_http_config.retries times and with pauses that grow; then they are failures, never ends of a body.
 * (3) Redirections are followed five times at most, no step of them from https to http or to another scheme, and the
 *     user and password of the URL go to its own scheme, host and port alone.
 * (4) A server's certificate is always verified.
 * (5) A forked child never touches its parent's connections.
 */
#include "net/net.h"

#ifndef ZINC_WITH_CURL
#define ZINC_WITH_CURL 0
#endif

#if ZINC_WITH_CURL

#include <curl/curl.h>
#include <stdio.h>
#include <zinc/store.h>

#define MOST_REDIRECTS  5
#define BUFFER_BYTES    (128L * 1024)
#define SWALLOW         (64u * 1024)        /* an unwanted body up to here is cheaper read than a new connection made */
#define MOST_ELSEWHERE  (16u * 1024 * 1024) /* of a redirection's: its target is known at the end only */
#define POLL_MS         50                  /* how late a cancel may be noticed */
#define WAIT_MS         2                   /* while somebody waits for room */
#define FIRST_REST      0.1                 /* seconds */
#define LONGEST_REST    10.0
#define LONGEST_ASKED   60u /* of what a server asks for by Retry-After */
#define CONNECT_TIMEOUT 10.0
#define MESSAGE_BYTES   (CURL_ERROR_SIZE + 96)

typedef enum phase {
	IDLE,
	SENT,   /* libcurl has it */
	PAUSED, /* libcurl has it; the user said WAIT */
	RESTS,  /* until the next try */
	ENDS    /* the answer is here; head() or end() said WAIT */
} phase;

struct lane;

/* One exchange under way. */
typedef struct slot {
	struct lane *lane;
	CURL *easy; /* made once, used for one exchange after another */
	struct curl_slist *headers;
	phase phase;
	size_t i;
	int tries;
	double wake;
	zinc_http_request request;
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

/* What one run needs: connections live in `multi` and are found again by the next run. */
typedef struct lane {
	struct lane *next;
	zinc_http *http;
	CURLM *multi;
	const zinc_http_user *user;
	size_t begun, n;
	uint64_t random;
	slot *slots; /* config.parallel of them */
} lane;

struct zinc_http {
	zinc_context *ctx;
	zinc_http_config config;
	char **headers;       /* what config.headers points to */
	pthread_mutex_t lock; /* guards `idle` */
	zinc_fork_hook fork;
	lane *idle;
};

/* ---- lanes ---- */

static void
lane_free(lane *l)
{
	int k;

	for (k = 0; l->slots && k < l->http->config.parallel; k++)
		if (l->slots[k].easy)
			curl_easy_cleanup(l->slots[k].easy);
	if (l->multi)
		curl_multi_cleanup(l->multi);
	zinc_free(l->http->ctx, l->slots);
	zinc_free(l->http->ctx, l);
}

static zinc_status
lane_new(lane **out, zinc_http *h, zinc_error *err)
{
	lane *l = (lane *)zinc_calloc(h->ctx, 1, sizeof *l);
	int k;

	if (!l)
		return zinc_fail_nomem(err);
	l->http = h;
	l->random = (uint64_t)(uintptr_t)l | 1;
	l->slots = (slot *)zinc_calloc(h->ctx, (size_t)h->config.parallel, sizeof *l->slots);
	l->multi = l->slots ? curl_multi_init() : NULL;
	if (!l->multi) {
		lane_free(l);
		return zinc_fail_nomem(err);
	}
	for (k = 0; k < h->config.parallel; k++)
		l->slots[k].lane = l;
	curl_multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, (long)h->config.parallel);
	*out = l;
	return ZINC_OK;
}

/* One that a run has left, with its connections, or a new one. */
static zinc_status
lane_take(lane **out, zinc_http *h, zinc_error *err)
{
	pthread_mutex_lock(&h->lock);
	*out = h->idle;
	if (*out)
		h->idle = (*out)->next;
	pthread_mutex_unlock(&h->lock);
	return *out ? ZINC_OK : lane_new(out, h, err);
}

static void
lane_give(lane *l)
{
	zinc_http *h = l->http;

	pthread_mutex_lock(&h->lock);
	l->next = h->idle;
	h->idle = l;
	pthread_mutex_unlock(&h->lock);
}

/* ---- what libcurl calls ---- */

static size_t
on_header(char *line, size_t one, size_t n, void *arg)
{
	zinc_http_head_line(&((slot *)arg)->head, line, one * n);
	return one * n;
}

/* Answers that say "later" are nobody's but ours. */
static bool
is_later(int status)
{
	return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

/* So are those that say "elsewhere"; one that does not say where is an answer. */
static bool
is_elsewhere(int status)
{
	return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

/* Ask the user, once it has answered never again. */
static zinc_http_next
show_head(slot *s)
{
	const zinc_http_user *u = s->lane->user;
	zinc_http_next next = u->head(u->arg, s->i, &s->head);

	s->headed = next != ZINC_HTTP_WAIT;
	s->stopped = next == ZINC_HTTP_STOP;
	return next;
}

/* Reading a short rest keeps the connection; a long one is cheaper cut. */
static size_t
swallow(slot *s, size_t n)
{
	s->unwanted += n;
	return s->unwanted <= (is_elsewhere(s->head.status) ? MOST_ELSEWHERE : SWALLOW) ? n : 0;
}

static size_t
on_body(char *bytes, size_t one, size_t n, void *arg)
{
	slot *s = (slot *)arg;
	const zinc_http_user *u = s->lane->user;

	n *= one;
	if (is_later(s->head.status) || is_elsewhere(s->head.status) || s->stopped)
		return swallow(s, n);
	if (!s->headed && show_head(s) == ZINC_HTTP_WAIT) {
		s->phase = PAUSED;
		return CURL_WRITEFUNC_PAUSE;
	}
	if (s->stopped)
		return swallow(s, n);
	s->stopped = u->body(u->arg, s->i, (const uint8_t *)bytes, n) == ZINC_HTTP_STOP;
	return n;
}

/* ---- beginning ---- */

static long
milliseconds(double seconds)
{
	return seconds > 1e6 ? 1000000000L : (long)(seconds * 1e3);
}

/* Names instead of bits since libcurl 7.85. */
#if LIBCURL_VERSION_NUM >= 0x075500
#define CURLOPT_PROTOCOLS_NOW CURLOPT_PROTOCOLS_STR
#define WEB_PROTOCOLS         "http,https"
#else
#define CURLOPT_PROTOCOLS_NOW CURLOPT_PROTOCOLS
#define WEB_PROTOCOLS         (CURLPROTO_HTTP | CURLPROTO_HTTPS)
#endif

/* What holds for every exchange.  Options that this libcurl lacks would only be limits it does not need. */
static void
set_common(slot *s)
{
	const zinc_http_config *config = &s->lane->http->config;
	const double silent = config->timeout;
	CURL *e = s->easy;

	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_USERAGENT, "zinc/" ZINC_VERSION);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_NOW, WEB_PROTOCOLS);
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L); /* libcurl would look at the first scheme only */
	curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(e, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
			 milliseconds(silent < CONNECT_TIMEOUT ? silent : CONNECT_TIMEOUT));
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L); /* bytes a second, over so many seconds: */
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, milliseconds(silent) < 1000 ? 1L : milliseconds(silent) / 1000);
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
	if (config->ca_file)
		curl_easy_setopt(e, CURLOPT_CAINFO, config->ca_file);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, s->message);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, s);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, s);
	curl_easy_setopt(e, CURLOPT_PRIVATE, s);
}

static bool
add_header(slot *s, const char *line)
{
	struct curl_slist *more = line[0] ? curl_slist_append(s->headers, line) : s->headers;

	if (!more)
		return line[0] == '\0';
	s->headers = more;
	return true;
}

/* A server that compresses on its way would make ranges and lengths mean something else. */
static zinc_status
set_request(slot *s, zinc_error *err)
{
	const zinc_http_config *config = &s->lane->http->config;
	const zinc_http_request *r = &s->request;
	size_t i;
	int k;

	curl_slist_free_all(s->headers);
	s->headers = NULL;
	if (!add_header(s, "Accept-Encoding: identity"))
		return zinc_fail_nomem(err);
	for (k = 0; k < ZINC_HTTP_HEADERS; k++)
		if (!add_header(s, r->header[k]))
			return zinc_fail_nomem(err);
	for (i = 0; i < config->nheaders && !s->away; i++)
		if (!add_header(s, config->headers[i]))
			return zinc_fail_nomem(err);
	curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, s->headers);
	curl_easy_setopt(s->easy, CURLOPT_NOBODY, r->head ? 1L : 0L);
	if (!r->head)
		curl_easy_setopt(s->easy, CURLOPT_HTTPGET, 1L);
	if (curl_easy_setopt(s->easy, CURLOPT_URL, s->place ? s->place : r->url) != CURLE_OK)
		return zinc_fail_nomem(err);
	return ZINC_OK;
}

/* Hand the exchange to libcurl. */
static zinc_status
hand_over(slot *s, zinc_error *err)
{
	zinc_http_head_init(&s->head);
	s->headed = s->stopped = false;
	s->unwanted = 0;
	s->message[0] = '\0';
	s->began = zinc_now(s->lane->http->ctx);
	ZINC_TRY(set_request(s, err));
	if (curl_multi_add_handle(s->lane->multi, s->easy) != CURLM_OK)
		return zinc_fail_nomem(err);
	s->phase = SENT;
	return ZINC_OK;
}

static void
forget_place(slot *s)
{
	zinc_free(s->lane->http->ctx, s->place);
	s->place = NULL;
	s->away = false;
	s->redirects = 0;
}

/* The same for the first time, or again from the beginning. */
static zinc_status
transmit(slot *s, zinc_error *err)
{
	const zinc_http_user *u = s->lane->user;

	forget_place(s);
	memset(&s->request, 0, sizeof s->request);
	ZINC_TRY(u->ask(u->arg, s->i, &s->request, err));
	if (!s->easy) {
		s->easy = curl_easy_init();
		if (!s->easy)
			return zinc_fail_nomem(err);
		set_common(s);
	}
	return hand_over(s, err);
}

/* ---- redirections ---- */

/* Do two URLs have this part alike?  What has no port said has its scheme's. */
static bool
same_part(CURLU *a, CURLU *b, CURLUPart part)
{
	char *x = NULL, *y = NULL;
	bool same;

	same = curl_url_get(a, part, &x, CURLU_DEFAULT_PORT) == CURLUE_OK &&
	       curl_url_get(b, part, &y, CURLU_DEFAULT_PORT) == CURLUE_OK && curl_strequal(x, y);
	curl_free(x);
	curl_free(y);
	return same;
}

/* User and password of `to` become those of `from`, whatever the server wrote there; none on another host. */
static bool
set_user(CURLU *to, CURLU *from, bool *away)
{
	static const CURLUPart parts[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS};
	const bool same = same_part(from, to, CURLUPART_SCHEME) && same_part(from, to, CURLUPART_HOST) &&
			  same_part(from, to, CURLUPART_PORT);
	bool ok = true;
	char *text;
	size_t k;

	*away = !same;
	for (k = 0; k < sizeof parts / sizeof parts[0]; k++) {
		text = NULL;
		if (same && curl_url_get(from, parts[k], &text, 0) != CURLUE_OK)
			text = NULL;
		ok &= curl_url_set(to, parts[k], text, 0) == CURLUE_OK;
		curl_free(text);
	}
	return ok;
}

/* Where the redirection leads, with the user who may be known there; NULL when that is no URL or memory is out. */
static char *
next_place(slot *s, const char *location)
{
	CURLU *from = curl_url(), *to = curl_url();
	char *text = NULL, *copy = NULL;

	if (from && to && curl_url_set(from, CURLUPART_URL, s->request.url, 0) == CURLUE_OK &&
	    curl_url_set(to, CURLUPART_URL, location, 0) == CURLUE_OK && set_user(to, from, &s->away) &&
	    curl_url_get(to, CURLUPART_URL, &text, 0) == CURLUE_OK)
		copy = zinc_strdup(s->lane->http->ctx, text);
	curl_free(text);
	curl_url_cleanup(from);
	curl_url_cleanup(to);
	return copy;
}

/* May the exchange go from one URL to another?  NULL: yes. */
static const char *
why_not(const slot *s, const char *from, const char *to)
{
	if (s->redirects == MOST_REDIRECTS)
		return "too many redirections";
	if (curl_strnequal(to, "https:", 6))
		return NULL;
	if (!curl_strnequal(to, "http:", 5))
		return "a redirection to something that is no web server";
	return curl_strnequal(from, "https:", 6) ? "a redirection from https to http, which is not followed" : NULL;
}

/* Send the exchange anew, to where the answer points. */
static zinc_status
redirect(slot *s, const char *location, zinc_error *err)
{
	const char *why = why_not(s, s->place ? s->place : s->request.url, location);
	char *place = why ? NULL : next_place(s, location);

	if (why)
		return zinc_fail(err, ZINC_E_IO, "%s", why);
	if (!place)
		return zinc_fail(err, ZINC_E_IO, "a redirection to what is no URL");
	zinc_free(s->lane->http->ctx, s->place);
	s->place = place;
	s->redirects++;
	return hand_over(s, err);
}

/* ---- ending ---- */

/* False: the user wants to be asked again. */
static bool
tell_end(slot *s, zinc_status st, const zinc_error *e)
{
	const zinc_http_user *u = s->lane->user;
	zinc_http_next next = u->end(u->arg, s->i, st, e);

	if (next == ZINC_HTTP_WAIT)
		return false;
	s->phase = IDLE;
	if (next == ZINC_HTTP_AGAIN) {
		s->tries = 0;
		s->phase = RESTS;
		s->wake = 0;
	}
	return true;
}

/* A failure is told even to a user who has no room. */
static void
give_up(slot *s, zinc_status st, const zinc_error *e)
{
	const zinc_http_user *u = s->lane->user;

	(void)u->end(u->arg, s->i, st, e);
	s->phase = IDLE;
}

/* The whole answer is here, or as much as was wanted. */
static void
finish(slot *s)
{
	s->phase = ENDS;
	if (!s->headed && show_head(s) == ZINC_HTTP_WAIT)
		return;
	(void)tell_end(s, ZINC_OK, NULL);
}

static void
begin(slot *s, size_t i)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	s->i = i;
	s->tries = 0;
	st = transmit(s, &e);
	if (st != ZINC_OK)
		give_up(s, st, &e);
}

static void
resend(slot *s)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = transmit(s, &e);

	if (st != ZINC_OK)
		give_up(s, st, &e);
}

/* Failures of the way, not of the question. */
static bool
may_pass(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_CONNECT:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return true;
	default:
		return false;
	}
}

/* Twice as long each time, from half of it to all of it by chance, so that many who failed together do not
 * come back together; and at least as long as the server asked for. */
static double
rest_of(slot *s)
{
	double rest = FIRST_REST * (double)(1u << (s->tries < 10 ? s->tries : 10)), part;
	uint64_t *x = &s->lane->random;

	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	part = 0.5 + (double)(*x >> 40) / (double)(1u << 25);
	rest = (rest < LONGEST_REST ? rest : LONGEST_REST) * part;
	if (s->head.retry_after <= LONGEST_ASKED && (double)s->head.retry_after > rest)
		rest = (double)s->head.retry_after;
	return rest;
}

/* Another try, or the failure in words. */
static void
fail_or_rest(slot *s, bool again, zinc_status st, const char *what)
{
	const int most = s->lane->http->config.retries;
	zinc_error e = ZINC_ERROR_INIT;

	if (again && s->tries < most) {
		s->wake = zinc_now(s->lane->http->ctx) + rest_of(s);
		s->tries++;
		s->phase = RESTS;
		return;
	}
	if (s->tries)
		zinc_fail(&e, st, "%s (tried %d times)", what, s->tries + 1);
	else
		zinc_fail(&e, st, "%s", what);
	give_up(s, st, &e);
}

static zinc_status
status_of(CURLcode code)
{
	if (code == CURLE_OUT_OF_MEMORY)
		return ZINC_E_NOMEM;
	if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
		return ZINC_E_INVALID;
	return ZINC_E_IO;
}

/* What libcurl says of a malformed URL may be a piece of it, and that of a password. */
static void
explain_code(char *out, size_t cap, const slot *s, CURLcode code)
{
	const bool more = s->message[0] && code != CURLE_URL_MALFORMAT;

	snprintf(out, cap, "%s%s%s", curl_easy_strerror(code), more ? ": " : "", more ? s->message : "");
}

/* An answer that says "elsewhere".  False: it does not say where. */
static bool
settle_elsewhere(slot *s)
{
	zinc_error e = ZINC_ERROR_INIT;
	char *location = NULL;
	zinc_status st;

	if (curl_easy_getinfo(s->easy, CURLINFO_REDIRECT_URL, &location) != CURLE_OK || !location)
		return false;
	st = redirect(s, location, &e);
	if (st != ZINC_OK)
		give_up(s, st, &e);
	return true;
}

/* One line for whoever wants to see every request. */
static void
trace(const slot *s, CURLcode code)
{
	const zinc_context *ctx = s->lane->http->ctx;
	const zinc_http_request *r = &s->request;
	char url[1024], line[1536], end[160];
	curl_off_t nbytes = 0;

	if (!ctx->trace)
		return;
	zinc_url_show(url, sizeof url, s->place ? s->place : r->url);
	curl_easy_getinfo(s->easy, CURLINFO_SIZE_DOWNLOAD_T, &nbytes);
	if (s->head.status)
		snprintf(end, sizeof end, "%d", s->head.status);
	else
		snprintf(end, sizeof end, "%s", curl_easy_strerror(code));
	snprintf(line, sizeof line, "%s %s%s%s: %s, %lld bytes, %.0f ms", r->head ? "HEAD" : "GET", url,
		 strncmp(r->header[0], "Range:", 6) == 0 ? r->header[0] + 6 : "", s->tries ? " again" : "", end,
		 (long long)nbytes, (zinc_now(s->lane->http->ctx) - s->began) * 1e3);
	ctx->trace(ctx->trace_arg, line);
}

/* libcurl has let go of the exchange. */
static void
settle(slot *s, CURLcode code)
{
	char what[MESSAGE_BYTES];

	curl_multi_remove_handle(s->lane->multi, s->easy);
	trace(s, code);
	if (is_elsewhere(s->head.status) && code == CURLE_OK && settle_elsewhere(s))
		return;
	if (is_later(s->head.status) && (code == CURLE_OK || code == CURLE_WRITE_ERROR)) {
		snprintf(what, sizeof what, "HTTP %d %s", s->head.status, s->head.reason);
		fail_or_rest(s, true, ZINC_E_IO, what);
		return;
	}
	if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && s->stopped)) {
		finish(s);
		return;
	}
	if (code == CURLE_PARTIAL_FILE)
		snprintf(what, sizeof what, "the connection ended before the value did");
	else
		explain_code(what, sizeof what, s, code);
	fail_or_rest(s, may_pass(code), status_of(code), what);
}

/* ---- the loop ---- */

static void
settle_finished(lane *l)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(l->multi, &left)) != NULL)
		if (m->msg == CURLMSG_DONE) {
			const CURLcode code = m->data.result;
			char *s = NULL;

			curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &s);
			settle((slot *)(void *)s, code);
		}
}

/* Whoever waits for room is asked first; while anybody still does, nothing new is begun. */
static bool
ask_waiting(lane *l)
{
	bool waits = false;
	int k;

	for (k = 0; k < l->http->config.parallel; k++) {
		slot *s = &l->slots[k];

		if (s->phase == ENDS) {
			finish(s);
		} else if (s->phase == PAUSED && show_head(s) != ZINC_HTTP_WAIT) {
			s->phase = SENT;
			curl_easy_pause(s->easy, CURLPAUSE_CONT); /* calls on_body at once */
		}
		waits |= s->phase == ENDS || s->phase == PAUSED;
	}
	return waits;
}

/* What was tried before goes on in any case: it may hold the very room that somebody waits for. */
static void
begin_more(lane *l, bool waits)
{
	const double now = zinc_now(l->http->ctx);
	int k;

	for (k = 0; k < l->http->config.parallel; k++) {
		slot *s = &l->slots[k];

		if (s->phase == RESTS && s->wake <= now)
			resend(s);
		else if (s->phase == IDLE && !waits && l->begun < l->n)
			begin(s, l->begun++);
	}
}

static bool
is_busy(const lane *l)
{
	int k;

	for (k = 0; k < l->http->config.parallel; k++)
		if (l->slots[k].phase != IDLE)
			return true;
	return l->begun < l->n;
}

/* What libcurl has is taken back from it; what never began is told all the same. */
static void
cancel_all(lane *l)
{
	const zinc_http_user *u = l->user;
	zinc_error e = ZINC_ERROR_INIT;
	int k;

	zinc_fail(&e, ZINC_E_CANCELLED, "the read was cancelled");
	for (k = 0; k < l->http->config.parallel; k++) {
		slot *s = &l->slots[k];

		if (s->phase == SENT || s->phase == PAUSED)
			curl_multi_remove_handle(l->multi, s->easy);
		if (s->phase != IDLE)
			give_up(s, ZINC_E_CANCELLED, &e);
	}
	for (; l->begun < l->n; l->begun++)
		(void)u->end(u->arg, l->begun, ZINC_E_CANCELLED, &e);
}

/* Poll wakes with the first byte; its timeout is for those who rest, wait, or want to be cancelled. */
static void
run_lane(lane *l)
{
	int running, events;
	bool waits;

	while (is_busy(l)) {
		if (zinc_cancelled(l->user->cancel)) {
			cancel_all(l);
			return;
		}
		waits = ask_waiting(l);
		begin_more(l, waits);
		curl_multi_perform(l->multi, &running);
		settle_finished(l);
		if (is_busy(l))
			curl_multi_poll(l->multi, NULL, 0, waits ? WAIT_MS : POLL_MS, &events);
	}
}

zinc_status
zinc_http_run(zinc_http *h, size_t n, const zinc_http_user *user, zinc_error *err)
{
	lane *l = NULL;
	int k;

	ZINC_TRY(lane_take(&l, h, err));
	l->user = user;
	l->begun = 0;
	l->n = n;
	run_lane(l);
	for (k = 0; k < l->http->config.parallel; k++) {
		curl_slist_free_all(l->slots[k].headers);
		l->slots[k].headers = NULL;
		forget_place(&l->slots[k]);
	}
	lane_give(l);
	return ZINC_OK;
}

/* ---- clients ---- */

static void
before_fork(void *object)
{
	pthread_mutex_lock(&((zinc_http *)object)->lock);
}

static void
parent_after_fork(void *object)
{
	pthread_mutex_unlock(&((zinc_http *)object)->lock);
}

/* Not freed: closing them would say goodbye in the parent's name. */
static void
child_after_fork(void *object)
{
	zinc_http *h = (zinc_http *)object;

	h->idle = NULL;
	pthread_mutex_unlock(&h->lock);
}

/* Safe from many threads since libcurl 7.84; once is enough all the same. */
static void
init_curl(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

static zinc_status
copy_config(zinc_http *h, const zinc_http_config *from, zinc_error *err)
{
	size_t i;

	h->config = *from;
	h->config.ca_file = from->ca_file ? zinc_strdup(h->ctx, from->ca_file) : NULL;
	h->headers = (char **)zinc_calloc(h->ctx, from->nheaders + 1, sizeof *h->headers);
	h->config.headers = (const char *const *)h->headers;
	if (!h->headers || (from->ca_file && !h->config.ca_file))
		return zinc_fail_nomem(err);
	for (i = 0; i < from->nheaders; i++) {
		h->headers[i] = zinc_strdup(h->ctx, from->headers[i]);
		if (!h->headers[i])
			return zinc_fail_nomem(err);
	}
	return ZINC_OK;
}

/* Headers may be secrets. */
static void
free_config(zinc_http *h)
{
	size_t i;

	for (i = 0; h->headers && h->headers[i]; i++) {
		explicit_bzero(h->headers[i], strlen(h->headers[i]));
		zinc_free(h->ctx, h->headers[i]);
	}
	zinc_free(h->ctx, h->headers);
	zinc_free(h->ctx, (char *)(uintptr_t)h->config.ca_file);
}

zinc_status
zinc_http_new(zinc_http **out, zinc_context *ctx, const zinc_http_config *config, zinc_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	zinc_http *h = (zinc_http *)zinc_calloc(ctx, 1, sizeof *h);
	zinc_status st;

	if (!h)
		return zinc_fail_nomem(err);
	h->ctx = ctx;
	st = copy_config(h, config, err);
	if (st != ZINC_OK) {
		free_config(h);
		zinc_free(ctx, h);
		return st;
	}
	pthread_once(&once, init_curl);
	pthread_mutex_init(&h->lock, NULL);
	h->fork.before = before_fork;
	h->fork.parent = parent_after_fork;
	h->fork.child = child_after_fork;
	h->fork.object = h;
	zinc_fork_add(&h->fork);
	*out = h;
	return ZINC_OK;
}

void
zinc_http_free(zinc_http *h)
{
	lane *l, *next;

	if (!h)
		return;
	zinc_fork_remove(&h->fork);
	for (l = h->idle; l; l = next) {
		next = l->next;
		lane_free(l);
	}
	pthread_mutex_destroy(&h->lock);
	free_config(h);
	zinc_free(h->ctx, h);
}

#else

zinc_status
zinc_http_new(zinc_http **out, zinc_context *ctx, const zinc_http_config *config, zinc_error *err)
{
	(void)out, (void)ctx, (void)config;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "built without libcurl");
}

void
zinc_http_free(zinc_http *h)
{
	(void)h;
}

zinc_status
zinc_http_run(zinc_http *h, size_t n, const zinc_http_user *user, zinc_error *err)
{
	(void)h, (void)n, (void)user;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "built without libcurl");
}

#endif
