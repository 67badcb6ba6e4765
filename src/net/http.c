/*
 * http.c - exchanges over HTTP and HTTPS, many at once: with http_send.c and http_poll.c all that knows libcurl
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
 * (6) What changes something is tried again only where twice is as good as once, or where it certainly was not done;
 *     a failure after which nobody knows is E_UNCERTAIN.
 */
#include "net/net.h"

#ifndef ZINC_WITH_CURL
#define ZINC_WITH_CURL 0
#endif

#if ZINC_WITH_CURL

#include <errno.h>
#include <stdio.h>
#include <zinc/store.h>

#include "net/http_lane.h"

#define SWALLOW        (64u * 1024)        /* an unwanted body up to here is cheaper read than a new connection made */
#define MOST_ELSEWHERE (16u * 1024 * 1024) /* of a redirection's: its target is known at the end only */
#define POLL_MS        50                  /* how late a cancel or a deadline may be noticed */
#define WAIT_MS        2                   /* while somebody waits for room, or another could begin */
#define FIRST_REST     0.1                 /* seconds */
#define LONGEST_REST   10.0
#define LONGEST_ASKED  60u /* of what a server asks for by Retry-After */
#define MESSAGE_BYTES  (CURL_ERROR_SIZE + 96)

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
	zinc_http_poll_fini(l);
	zinc_free(l->http->ctx, l->slots);
	zinc_free(l->http->ctx, l);
}

static zinc_status
lane_new(lane **out, zinc_http *h, zinc_error *err)
{
	lane *l = (lane *)zinc_calloc(h->ctx, 1, sizeof *l);
	int k, failed = 0;

	if (!l)
		return zinc_fail_nomem(err);
	l->http = h;
	l->epoll = -1;
	l->random = (uint64_t)(uintptr_t)l | 1;
	l->slots = (slot *)zinc_calloc(h->ctx, (size_t)h->config.parallel, sizeof *l->slots);
	l->multi = l->slots ? curl_multi_init() : NULL;
	if (l->multi && !zinc_http_poll_init(l))
		failed = errno;
	if (!l->multi || failed) {
		lane_free(l);
		return failed ? zinc_fail_errno(err, failed, "epoll_create1") : zinc_fail_nomem(err);
	}
	for (k = h->config.parallel; k-- > 0;) {
		l->slots[k].lane = l;
		l->slots[k].next = l->idle;
		l->idle = &l->slots[k];
	}
	l->in[IDLE] = (size_t)h->config.parallel;
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

	if (l->broken) {
		lane_free(l);
		return;
	}
	pthread_mutex_lock(&h->lock);
	l->next = h->idle;
	h->idle = l;
	pthread_mutex_unlock(&h->lock);
}

/* ---- phases ---- */

void
zinc_http_phase(slot *s, phase to)
{
	lane *l = s->lane;

	l->in[s->phase]--;
	l->in[to]++;
	if (to == IDLE) {
		s->next = l->idle;
		l->idle = s;
	}
	s->phase = to;
}

/* Does anybody wait for room?  Then nothing new is begun. */
static bool
is_full(const lane *l)
{
	return l->in[PAUSED] + l->in[ENDS] > 0;
}

static bool
is_busy(const lane *l)
{
	return l->in[IDLE] < (size_t)l->http->config.parallel || l->begun < l->n;
}

/* ---- what libcurl calls ---- */

size_t
zinc_http_on_header(char *line, size_t one, size_t n, void *arg)
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

/* So are those that say "elsewhere"; one that does not say where is an answer, and so is one that would make another
 * method of a change (RFC 9110 section 15.4). */
static bool
is_elsewhere(const slot *s)
{
	const int status = s->head.status;

	return (status >= 301 && status <= 303 && zinc_http_is_safe(s)) || status == 307 || status == 308;
}

/* Ask the user, once it has answered never again. */
static zinc_http_next
show_head(slot *s)
{
	const zinc_http_user *u = s->lane->user;
	zinc_http_next next;

	s->head.unknown = s->unknown + (s->sends > 1 && !zinc_http_is_safe(s));
	next = u->head(u->arg, s->i, &s->head);
	s->headed = next != ZINC_HTTP_WAIT;
	s->stopped = next == ZINC_HTTP_STOP;
	return next;
}

/* Reading a short rest keeps the connection; a long one is cheaper cut. */
static size_t
swallow(slot *s, size_t n)
{
	s->unwanted += n;
	return s->unwanted <= (is_elsewhere(s) ? MOST_ELSEWHERE : SWALLOW) ? n : 0;
}

size_t
zinc_http_on_body(char *bytes, size_t one, size_t n, void *arg)
{
	slot *s = (slot *)arg;
	const zinc_http_user *u = s->lane->user;

	n *= one;
	if (is_later(s->head.status) || is_elsewhere(s) || s->stopped)
		return swallow(s, n);
	if (!s->headed && show_head(s) == ZINC_HTTP_WAIT) {
		zinc_http_phase(s, PAUSED);
		return CURL_WRITEFUNC_PAUSE;
	}
	if (s->stopped)
		return swallow(s, n);
	s->stopped = u->body(u->arg, s->i, (const uint8_t *)bytes, n) == ZINC_HTTP_STOP;
	return n;
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
	if (next == ZINC_HTTP_AGAIN) {
		s->tries = s->unknown = 0;
		zinc_http_phase(s, RESTS);
		s->wake = 0;
	} else {
		zinc_http_phase(s, IDLE);
	}
	return true;
}

/* A failure is told even to a user who has no room. */
static void
give_up(slot *s, zinc_status st, const zinc_error *e)
{
	const zinc_http_user *u = s->lane->user;
	zinc_error uncertain = ZINC_ERROR_INIT;

	if (s->unknown && st != ZINC_E_UNCERTAIN) {
		st = zinc_fail(&uncertain, ZINC_E_UNCERTAIN, "%s; it may or may not have been done", e->text);
		e = &uncertain;
	}
	(void)u->end(u->arg, s->i, st, e);
	zinc_http_phase(s, IDLE);
}

/* The whole answer is here, or as much as was wanted. */
static void
finish(slot *s)
{
	zinc_http_phase(s, ENDS);
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
	s->tries = s->unknown = 0;
	st = zinc_http_transmit(s, &e);
	if (st != ZINC_OK)
		give_up(s, st, &e);
}

static void
resend(slot *s)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_http_transmit(s, &e);

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

/* The failure in words, with what is not known after it. */
static void
fail(slot *s, zinc_status st, const char *what)
{
	zinc_error e = ZINC_ERROR_INIT;
	char times[40] = "";

	if (s->unknown)
		st = ZINC_E_UNCERTAIN;
	if (s->tries)
		snprintf(times, sizeof times, " (tried %d times)", s->tries + 1);
	zinc_fail(&e, st, "%s%s%s", what, times, s->unknown ? "; it may or may not have been done" : "");
	give_up(s, st, &e);
}

/* Another try, if that may help and may be. */
static void
fail_or_rest(slot *s, bool again, zinc_status st, const char *what)
{
	if (!again || s->tries >= s->lane->http->config.retries) {
		fail(s, st, what);
		return;
	}
	s->wake = zinc_now(s->lane->http->ctx) + rest_of(s);
	s->tries++;
	zinc_http_phase(s, RESTS);
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
	st = zinc_http_redirect(s, location, &e);
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
	const char *range;

	if (!ctx->trace)
		return;
	zinc_url_show(url, sizeof url, s->place ? s->place : r->url);
	range = r->headers.n && strncmp((const char *)r->headers.p, "Range: ", 7) == 0 ? (const char *)r->headers.p + 6
										       : "";
	curl_easy_getinfo(s->easy, r->sends ? CURLINFO_SIZE_UPLOAD_T : CURLINFO_SIZE_DOWNLOAD_T, &nbytes);
	if (s->head.status)
		snprintf(end, sizeof end, "%d", s->head.status);
	else
		snprintf(end, sizeof end, "%s", curl_easy_strerror(code));
	snprintf(line, sizeof line, "%s %s%s%s: %s, %lld bytes, %.0f ms", zinc_http_method(s), url, range,
		 s->tries ? " again" : "", end, (long long)nbytes, (zinc_now(s->lane->http->ctx) - s->began) * 1e3);
	ctx->trace(ctx->trace_arg, line);
}

/* May the server have done what was asked though it does not say so?  408, 429 and 503 say that it did not. */
static bool
may_be_done(const slot *s, CURLcode code)
{
	const int status = s->head.status;
	long sent = 0;

	if (zinc_http_is_safe(s))
		return false;
	if (code == CURLE_OK || code == CURLE_WRITE_ERROR || status >= 200)
		return status == 500 || status == 502 || status == 504;
	curl_easy_getinfo(s->easy, CURLINFO_REQUEST_SIZE, &sent);
	return sent > 0;
}

/* Is the outcome known, whatever became of the connection?  Of a change it is the status that counts. */
static bool
is_told(const slot *s, CURLcode code)
{
	if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && s->stopped))
		return true;
	return !zinc_http_is_safe(s) && s->head.status >= 200;
}

/* What the server says it may do later; the text that says so of a change need not be whole. */
static bool
is_put_off(const slot *s, CURLcode code)
{
	return is_later(s->head.status) && (code == CURLE_OK || code == CURLE_WRITE_ERROR || !zinc_http_is_safe(s));
}

/* libcurl has let go of the exchange. */
static void
settle(slot *s, CURLcode code)
{
	const bool later = is_put_off(s, code);
	char what[MESSAGE_BYTES];
	bool again;

	curl_multi_remove_handle(s->lane->multi, s->easy);
	trace(s, code);
	s->unknown += s->sends > 1 && !zinc_http_is_safe(s); /* libcurl's own second try */
	if (is_elsewhere(s) && code == CURLE_OK && settle_elsewhere(s))
		return;
	if (!later && is_told(s, code)) {
		finish(s);
		return;
	}
	again = zinc_http_repeats(s) || !may_be_done(s, code);
	s->unknown += may_be_done(s, code);
	if (later)
		snprintf(what, sizeof what, "HTTP %d %s", s->head.status, s->head.reason);
	else if (code == CURLE_PARTIAL_FILE)
		snprintf(what, sizeof what, "the connection ended before the value did");
	else if (code == CURLE_ABORTED_BY_CALLBACK)
		snprintf(what, sizeof what, "the bytes to be sent ended too early");
	else
		explain_code(what, sizeof what, s, code);
	fail_or_rest(s, again && (later || may_pass(code)), later ? ZINC_E_IO : status_of(code), what);
}

/* ---- the loop ---- */

/* After a cancel those that are left are not looked at: they end as cancelled.  False: there was none. */
static bool
settle_finished(lane *l)
{
	bool any = false;
	CURLMsg *m;
	int left;

	while (zinc_wait_check(l->user->wait, NULL) == ZINC_OK && (m = curl_multi_info_read(l->multi, &left)))
		if (m->msg == CURLMSG_DONE) {
			const CURLcode code = m->data.result;
			char *s = NULL;

			curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &s);
			settle((slot *)(void *)s, code);
			any = true;
		}
	return any;
}

/* Whoever waits for room is asked first. */
static void
ask_waiting(lane *l)
{
	int k;

	for (k = 0; k < l->http->config.parallel && is_full(l); k++) {
		slot *s = &l->slots[k];

		if (s->phase == ENDS) {
			finish(s);
		} else if (s->phase == PAUSED && show_head(s) != ZINC_HTTP_WAIT) {
			zinc_http_phase(s, SENT);
			curl_easy_pause(s->easy, CURLPAUSE_CONT); /* calls zinc_http_on_body at once */
		}
	}
}

/* What was tried before goes on in any case: it may hold the very room that somebody waits for. */
static void
resend_rested(lane *l)
{
	const double now = l->in[RESTS] > 0 ? zinc_now(l->http->ctx) : 0;
	int k;

	for (k = 0; k < l->http->config.parallel && l->in[RESTS] > 0; k++)
		if (l->slots[k].phase == RESTS && l->slots[k].wake <= now)
			resend(&l->slots[k]);
}

/* Is there one that has not begun, perhaps since a moment? */
static bool
any_left(lane *l)
{
	const zinc_http_user *u = l->user;

	if (l->begun == l->n && u->more)
		l->n = u->more(u->arg);
	return l->begun < l->n;
}

static void
begin_more(lane *l)
{
	resend_rested(l);
	while (l->idle && !is_full(l) && any_left(l)) {
		slot *s = l->idle;

		l->idle = s->next;
		begin(s, l->begun++);
	}
	zinc_http_poll_due(l);
}

/* What libcurl has is taken back from it.  Of a change that was sent nobody knows whether it is made. */
static void
cancel_one(slot *s, const zinc_error *e)
{
	zinc_error uncertain = ZINC_ERROR_INIT;
	long sent = 0;

	if (s->phase == SENT || s->phase == PAUSED) {
		curl_easy_getinfo(s->easy, CURLINFO_REQUEST_SIZE, &sent);
		curl_multi_remove_handle(s->lane->multi, s->easy);
	}
	if (!zinc_http_is_safe(s) && (sent > 0 || s->unknown)) {
		zinc_fail(&uncertain, ZINC_E_UNCERTAIN, "%s; it may or may not have been done", e->text);
		e = &uncertain;
	}
	give_up(s, e->code, e);
}

/* What never began is told all the same. */
static void
cancel_all(lane *l, const zinc_error *e)
{
	const zinc_http_user *u = l->user;
	int k;

	for (k = 0; k < l->http->config.parallel; k++)
		if (l->slots[k].phase != IDLE)
			cancel_one(&l->slots[k], e);
	for (; l->begun < l->n; l->begun++)
		(void)u->end(u->arg, l->begun, e->code, e);
}

/* Nothing goes on where libcurl could not even note what it waits for. */
static zinc_status
check(const lane *l, zinc_error *err)
{
	return l->broken ? zinc_fail_nomem(err) : zinc_wait_for(l->user->wait, "a server", err);
}

/* The next exchange is on its way before another answer is looked at: else all would be answered, and asked for, at once,
 * and server and client would wait for each other. */
static void
settle_and_begin(lane *l)
{
	while (zinc_wait_check(l->user->wait, NULL) == ZINC_OK) {
		begin_more(l);
		if (!settle_finished(l))
			break;
	}
}

/* Could another begin as soon as the user tells of one? */
static bool
is_hungry(const lane *l)
{
	return l->user->more && l->idle;
}

/* Poll wakes with the first byte; its timeout is for those who rest, wait, or want to be cancelled. */
static void
run_lane(lane *l)
{
	zinc_error e = ZINC_ERROR_INIT;

	while (is_busy(l)) {
		if (check(l, &e) != ZINC_OK) {
			cancel_all(l, &e);
			return;
		}
		ask_waiting(l);
		settle_and_begin(l);
		if (!is_busy(l) || zinc_wait_check(l->user->wait, NULL) != ZINC_OK)
			continue;
		zinc_http_poll(l, is_full(l) || is_hungry(l) ? WAIT_MS : POLL_MS);
		while (zinc_http_poll_one(l))
			if (settle_finished(l))
				settle_and_begin(l);
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
		zinc_http_clean(&l->slots[k]);
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
