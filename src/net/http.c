/*
 * http.c - HTTP and HTTPS exchanges, many at once; only this file, http_send.c and http_poll.c use libcurl
 *
 *     ask -> sent -> head -> body ... body -> end
 *      ^       |       |'- WAIT: the transfer is paused, no other exchange is started
 *      |       |       '-- 301, 302, 303, 307, 308: sent again, to the URL in Location
 *      |       v
 *      '-- retry later   broken connections, timeouts, 408, 429, 500, 502, 503, 504, 520 to 527: after ever longer pauses
 *
 * Promises (tests/unit/test_store_http.c names each by its number):
 *
 * (1) end() is called exactly once for each exchange that was started, also after failure and cancel.
 * (2) A broken connection, a body shorter than announced and a silent server are retried, at most
 *     zinc_http_config.retries times and with growing pauses.  After that they are failures; a body never ends early
 *     without an error.
 * (3) At most five redirections are followed, none from https to http or to another scheme.  User and password of the
 *     URL are sent only to its own scheme, host and port.
 * (4) A server's certificate is always verified.
 * (5) A forked child never touches its parent's connections.
 * (6) A request that changes something is retried only if it is idempotent or was certainly not executed.  A failure
 *     with unknown outcome is E_UNCERTAIN.
 * (7) All exchanges together have a budget for retries at once: 200, and one more for ten complete answers.  Without it
 *     the pauses are the longest.
 */
#include "net/net.h"

#if ZINC_WITH_CURL

#include <errno.h>
#include <stdio.h>
#include <zinc/store.h>

#include "net/http_lane.h"

#define MAX_DISCARD       (64u * 1024) /* reading an unwanted body up to this size is cheaper than a new connection */
#define MAX_REDIRECT_BODY (16u * 1024 * 1024) /* of the body of a redirection: its target is known only at the end */
#define POLL_MS           50                  /* a cancel or a deadline is noticed within this time */
#define WAIT_MS           2                   /* while an exchange waits for memory, or another could be started */
#define FIRST_PAUSE       0.1                 /* seconds */
#define LONGEST_REST      10.0
#define MAX_RETRY_AFTER   60u  /* limit of Retry-After */
#define RETRY_BUDGET      2000 /* 200 retries at once, then one for ten complete answers */
#define RETRY_PRICE       10
#define MAX_ROUND         (2e-3 * POLL_MS)
#define MESSAGE_BYTES     (CURL_ERROR_SIZE + 96)

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

/* Take a lane of an earlier run, with its connections, or make a new one. */
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

/* Does an exchange wait for memory?  Then no other one is started. */
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

/* ---- callbacks of libcurl ---- */

/* It stays empty if it is too long. */
static void
take_location(zinc_buf *out, const char *p, size_t n)
{
	while (n && (*p == ' ' || *p == '\t')) {
		p++;
		n--;
	}
	while (n && (p[n - 1] == '\r' || p[n - 1] == '\n' || p[n - 1] == ' '))
		n--;
	out->n = 0;
	if (zinc_buf_add(out, p, n, NULL) != ZINC_OK)
		out->n = 0;
}

size_t
zinc_http_on_header(char *line, size_t one, size_t n, void *arg)
{
	slot *s = (slot *)arg;

	s->heard = s->lane->clock;
	zinc_http_head_line(&s->head, line, one * n);
	if (s->request.location && n > 9 && curl_strnequal(line, "location:", 9))
		take_location(s->request.location, line + 9, one * n - 9);
	return one * n;
}

/* Of a proxy that has got no answer, or none that it understands: Cloudflare's. */
static bool
is_proxy_status(int status)
{
	return status >= 520 && status <= 527;
}

/* Statuses that are retried here; the user does not see them. */
static bool
is_retry_status(int status)
{
	return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504 ||
	       is_proxy_status(status);
}

/* Redirections are not shown to the user either.  But an answer without Location is shown, and so are one that leads to a
 * directory and one that would change the method of a request that changes something (RFC 9110 section 15.4). */
static bool
is_redirect(const slot *s)
{
	const int status = s->head.status;

	if (s->head.directory)
		return false;
	return (status >= 301 && status <= 303 && zinc_http_is_safe(s)) || status == 307 || status == 308;
}

/* Call the user's head() until it has answered. */
static zinc_http_next
show_head(slot *s)
{
	const zinc_http_user *u = s->lane->user;
	zinc_http_next next;

	s->head.unknown = s->unknown + (s->sends > 1 && !zinc_http_is_safe(s));
	next = u->head(u->arg, s->i, &s->head);
	s->head_done = next != ZINC_HTTP_WAIT;
	s->stopped = next == ZINC_HTTP_STOP;
	return next;
}

/* Reading a short remaining body keeps the connection; for a long one closing it is cheaper. */
static size_t
discard(slot *s, size_t n)
{
	s->discarded += n;
	return s->discarded <= (is_redirect(s) ? MAX_REDIRECT_BODY : MAX_DISCARD) ? n : 0;
}

size_t
zinc_http_on_body(char *bytes, size_t one, size_t n, void *arg)
{
	slot *s = (slot *)arg;
	const zinc_http_user *u = s->lane->user;

	n *= one;
	s->heard = s->lane->clock;
	if (is_retry_status(s->head.status) || is_redirect(s) || s->stopped)
		return discard(s, n);
	if (!s->head_done && show_head(s) == ZINC_HTTP_WAIT) {
		zinc_http_phase(s, PAUSED);
		return CURL_WRITEFUNC_PAUSE;
	}
	if (s->stopped)
		return discard(s, n);
	s->stopped = u->body(u->arg, s->i, (const uint8_t *)bytes, n) == ZINC_HTTP_STOP;
	return n;
}

/* ---- pauses ---- */

/* Take the price of a retry from the budget; false: it does not have that much. */
static bool
spend(zinc_http *h)
{
	int have = atomic_load(&h->budget);

	while (have >= RETRY_PRICE)
		if (atomic_compare_exchange_weak(&h->budget, &have, have - RETRY_PRICE))
			return true;
	return false;
}

static void
earn(zinc_http *h)
{
	if (atomic_load(&h->budget) < RETRY_BUDGET)
		atomic_fetch_add(&h->budget, 1);
}

/*
 * The pause before the next try is a random part of a time that doubles with each try, so that clients that failed
 * together do not return together.  It is at least as long as the server requested.  Retries are paid from a budget that
 * complete answers fill; without it the pause is the longest, so that an overloaded server gets little more than the
 * requests it can answer.
 */
static double
retry_pause(slot *s)
{
	double rest = FIRST_PAUSE * (double)(1u << (s->tries < 10 ? s->tries : 10)), part;
	uint64_t *x = &s->lane->random;

	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	part = (double)(*x >> 40) / (double)(1u << 24);
	if (!spend(s->lane->http))
		return LONGEST_REST * (0.5 + part / 2);
	rest = (rest < LONGEST_REST ? rest : LONGEST_REST) * part;
	if (s->head.retry_after <= MAX_RETRY_AFTER && (double)s->head.retry_after > rest)
		rest = (double)s->head.retry_after;
	return rest;
}

/* ---- ending ---- */

/* False: the user wants to be called again. */
static bool
report_end(slot *s, zinc_status st, const zinc_error *e)
{
	const zinc_http_user *u = s->lane->user;
	zinc_http_next next = u->end(u->arg, s->i, st, e);

	if (next == ZINC_HTTP_WAIT)
		return false;
	if (next == ZINC_HTTP_LATER) {
		s->wake = zinc_now(s->lane->http->ctx) + retry_pause(s);
		s->tries++;
		s->unknown = 0;
		zinc_http_phase(s, RETRIES_LATER);
	} else if (next == ZINC_HTTP_AGAIN) {
		s->tries = s->unknown = 0;
		zinc_http_phase(s, RETRIES_LATER);
		s->wake = 0;
	} else {
		earn(s->lane->http);
		zinc_http_phase(s, IDLE);
	}
	return true;
}

/* A failure is reported even to a user who said WAIT. */
static void
fail_now(slot *s, zinc_status st, const zinc_error *e)
{
	const zinc_http_user *u = s->lane->user;
	zinc_error uncertain = ZINC_ERROR_INIT;

	if (s->unknown && st != ZINC_E_UNCERTAIN) {
		st = zinc_fail(&uncertain, ZINC_E_UNCERTAIN, "%s; the change may or may not have been made", e->text);
		e = &uncertain;
	}
	(void)u->end(u->arg, s->i, st, e);
	zinc_http_phase(s, IDLE);
}

/* The answer is complete, or as much of it as was requested. */
static void
finish(slot *s)
{
	zinc_http_phase(s, ENDS);
	if (!s->head_done && show_head(s) == ZINC_HTTP_WAIT)
		return;
	(void)report_end(s, ZINC_OK, NULL);
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
		fail_now(s, st, &e);
}

static void
resend(slot *s)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_http_transmit(s, &e);

	if (st != ZINC_OK)
		fail_now(s, st, &e);
}

/* Transport errors worth retrying. */
static bool
is_transient(CURLcode code)
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

/* The error of a failed exchange; it says whether the outcome is unknown. */
static void
fail(slot *s, zinc_status st, const char *what)
{
	zinc_error e = ZINC_ERROR_INIT;
	char times[40] = "";

	if (s->unknown)
		st = ZINC_E_UNCERTAIN;
	if (s->tries)
		snprintf(times, sizeof times, " (tried %d times)", s->tries + 1);
	zinc_fail(&e, st, "%s%s%s", what, times, s->unknown ? "; the change may or may not have been made" : "");
	fail_now(s, st, &e);
}

/* Retry if that may help and is allowed; else fail. */
static void
fail_or_retry(slot *s, bool again, zinc_status st, const char *what)
{
	if (!again || s->tries >= s->lane->http->config.retries) {
		fail(s, st, what);
		return;
	}
	s->wake = zinc_now(s->lane->http->ctx) + retry_pause(s);
	s->tries++;
	zinc_http_phase(s, RETRIES_LATER);
}

/* An answer that is not HTTP is "unsupported", too. */
static zinc_status
status_of(const slot *s, CURLcode code)
{
	long sent = 0;

	if (code == CURLE_OUT_OF_MEMORY)
		return ZINC_E_NOMEM;
	curl_easy_getinfo(s->easy, CURLINFO_REQUEST_SIZE, &sent);
	if (sent > 0)
		return ZINC_E_IO;
	if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
		return ZINC_E_INVALID;
	return ZINC_E_IO;
}

/* libcurl's text about a malformed URL may quote a piece of it, and so of a password. */
static void
describe_code(char *out, size_t cap, const slot *s, CURLcode code)
{
	const bool more = s->message[0] && code != CURLE_URL_MALFORMAT;

	snprintf(out, cap, "%s%s%s", curl_easy_strerror(code), more ? ": " : "", more ? s->message : "");
}

/* Follow a redirection.  False: it has no Location. */
static bool
follow_redirect(slot *s)
{
	zinc_error e = ZINC_ERROR_INIT;
	char *location = NULL;
	zinc_status st;

	if (curl_easy_getinfo(s->easy, CURLINFO_REDIRECT_URL, &location) != CURLE_OK || !location)
		return false;
	st = zinc_http_redirect(s, location, &e);
	if (st != ZINC_OK)
		fail_now(s, st, &e);
	return true;
}

/* One line for each request, if tracing is on. */
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
	zinc_url_show(url, sizeof url, s->redirected_to ? s->redirected_to : r->url);
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

/* A proxy sends 503 also if the service has got the request, and has not answered. */
static bool
is_of_proxy(const slot *s)
{
	return is_proxy_status(s->head.status) ||
	       (s->head.status == 503 && s->request.service && !s->head.kept[s->request.service - 1][0]);
}

/* May the server have executed the request without saying so?  408, 429 and 503 say that it did not. */
static bool
may_be_executed(const slot *s, CURLcode code)
{
	const int status = s->head.status;
	long sent = 0;

	if (zinc_http_is_safe(s))
		return false;
	if (code == CURLE_OK || code == CURLE_WRITE_ERROR || status >= 200)
		return status == 500 || status == 502 || status == 504 || is_of_proxy(s);
	curl_easy_getinfo(s->easy, CURLINFO_REQUEST_SIZE, &sent);
	return sent > 0;
}

/* Is the outcome known, even if the connection broke?  For a change the status is enough. */
static bool
is_known(const slot *s, CURLcode code)
{
	if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && s->stopped))
		return true;
	return !zinc_http_is_safe(s) && s->head.status >= 200;
}

/* Did the server ask to retry later?  For a change the body of that answer need not be complete. */
static bool
is_deferred(const slot *s, CURLcode code)
{
	return is_retry_status(s->head.status) &&
	       (code == CURLE_OK || code == CURLE_WRITE_ERROR || !zinc_http_is_safe(s));
}

/* libcurl has finished with the exchange. */
static void
handle_end(slot *s, CURLcode code)
{
	const bool later = is_deferred(s, code);
	char what[MESSAGE_BYTES];
	bool again;

	curl_multi_remove_handle(s->lane->multi, s->easy);
	trace(s, code);
	s->unknown += s->sends > 1 && !zinc_http_is_safe(s); /* libcurl itself has sent the request a second time */
	if (is_redirect(s) && code == CURLE_OK && follow_redirect(s))
		return;
	if (!later && is_known(s, code)) {
		finish(s);
		return;
	}
	again = zinc_http_is_idempotent(s) || !may_be_executed(s, code);
	s->unknown += may_be_executed(s, code);
	if (later)
		snprintf(what, sizeof what, "HTTP %d %s", s->head.status, s->head.reason);
	else if (code == CURLE_PARTIAL_FILE)
		snprintf(what, sizeof what, "the connection ended before the value was complete");
	else if (code == CURLE_ABORTED_BY_CALLBACK)
		snprintf(what, sizeof what, "the body to send is shorter than announced");
	else
		describe_code(what, sizeof what, s, code);
	fail_or_retry(s, again && (later || is_transient(code)), later ? ZINC_E_IO : status_of(s, code), what);
}

/* ---- the loop ---- */

/* A long body is sent in pieces that libcurl asks for at once, and that leave one by one. */
static bool
is_silent(slot *s)
{
	curl_off_t uploaded = 0;

	if (s->phase != SENT || s->lane->clock - s->heard < s->lane->http->config.timeout)
		return false;
	curl_easy_getinfo(s->easy, CURLINFO_SIZE_UPLOAD_T, &uploaded);
	if (uploaded == s->uploaded)
		return true;
	s->uploaded = uploaded;
	s->heard = s->lane->clock;
	return false;
}

/* libcurl's own limit is a mean of several seconds.  Each round of the loop adds at most MAX_ROUND to the clock. */
static void
end_silent(lane *l)
{
	const double now = zinc_now(l->http->ctx), passed = now - l->looked;
	int k;

	l->looked = now;
	l->clock += passed < MAX_ROUND ? passed : MAX_ROUND;
	for (k = 0; l->in[SENT] > 0 && k < l->http->config.parallel; k++)
		if (is_silent(&l->slots[k])) {
			snprintf(l->slots[k].message, sizeof l->slots[k].message, "no data for %g s",
				 l->http->config.timeout);
			handle_end(&l->slots[k], CURLE_OPERATION_TIMEDOUT);
		}
}

/* After a cancel the remaining ones are not handled: they end as cancelled.  False: none had finished. */
static bool
handle_finished(lane *l)
{
	bool any = false;
	CURLMsg *m;
	int left;

	while (zinc_wait_check(l->user->wait, NULL) == ZINC_OK && (m = curl_multi_info_read(l->multi, &left)))
		if (m->msg == CURLMSG_DONE) {
			const CURLcode code = m->data.result;
			char *s = NULL;

			curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &s);
			handle_end((slot *)(void *)s, code);
			any = true;
		}
	return any;
}

/* Exchanges that wait for memory are resumed first. */
static void
resume_waiting(lane *l)
{
	int k;

	for (k = 0; k < l->http->config.parallel && is_full(l); k++) {
		slot *s = &l->slots[k];

		if (s->phase == ENDS) {
			finish(s);
		} else if (s->phase == PAUSED && show_head(s) != ZINC_HTTP_WAIT) {
			zinc_http_phase(s, SENT);
			s->heard = l->clock;
			curl_easy_pause(s->easy, CURLPAUSE_CONT); /* calls zinc_http_on_body at once */
		}
	}
}

/* Retries are sent even if an exchange waits for memory: they may hold the memory that it waits for. */
static void
resend_due(lane *l)
{
	const double now = l->in[RETRIES_LATER] > 0 ? zinc_now(l->http->ctx) : 0;
	int k;

	for (k = 0; k < l->http->config.parallel && l->in[RETRIES_LATER] > 0; k++)
		if (l->slots[k].phase == RETRIES_LATER && l->slots[k].wake <= now)
			resend(&l->slots[k]);
}

/* Is there an exchange that was not started?  Ask the user for more. */
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
	resend_due(l);
	while (l->idle && !is_full(l) && any_left(l)) {
		slot *s = l->idle;

		l->idle = s->next;
		begin(s, l->begun++);
	}
	zinc_http_poll_due(l);
}

/* Take the exchange back from libcurl.  If a change was sent, its outcome is unknown. */
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
		zinc_fail(&uncertain, ZINC_E_UNCERTAIN, "%s; the change may or may not have been made", e->text);
		e = &uncertain;
	}
	fail_now(s, e->code, e);
}

/* Exchanges that were never started are ended, too. */
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

/* Stop if libcurl could not register its sockets or timers. */
static zinc_status
check(const lane *l, zinc_error *err)
{
	return l->broken ? zinc_fail_nomem(err) : zinc_wait_for(l->user->wait, "a server", err);
}

/* Start the next exchange before the next answer is handled.  Otherwise all answers and all requests would come in
 * bursts, and server and client would wait for each other. */
static void
handle_and_begin(lane *l)
{
	while (zinc_wait_check(l->user->wait, NULL) == ZINC_OK) {
		begin_more(l);
		if (!handle_finished(l))
			break;
	}
}

/* Could another exchange be started if the user had one? */
static bool
has_free_slot(const lane *l)
{
	return l->user->more && l->idle;
}

/* epoll wakes up with the first byte.  The timeout is for retries, for exchanges that wait, and for a cancel. */
static void
run_lane(lane *l)
{
	zinc_error e = ZINC_ERROR_INIT;

	while (is_busy(l)) {
		if (check(l, &e) != ZINC_OK) {
			cancel_all(l, &e);
			return;
		}
		resume_waiting(l);
		handle_and_begin(l);
		if (!is_busy(l) || zinc_wait_check(l->user->wait, NULL) != ZINC_OK)
			continue;
		zinc_http_poll(l, is_full(l) || has_free_slot(l) ? WAIT_MS : POLL_MS);
		while (zinc_http_poll_one(l))
			if (handle_finished(l))
				handle_and_begin(l);
		end_silent(l);
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
	l->looked = zinc_now(h->ctx);
	run_lane(l);
	for (k = 0; k < l->http->config.parallel; k++) {
		zinc_http_clean(&l->slots[k]);
	}
	lane_give(l);
	return ZINC_OK;
}

/* ---- clients ---- */

/* Not freed: closing them would end the connections of the parent. */
static void
child_after_fork(void *object)
{
	((zinc_http *)object)->idle = NULL;
}

/* Thread-safe since libcurl 7.84; once is enough in any case. */
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
	atomic_init(&h->budget, RETRY_BUDGET);
	pthread_mutex_init(&h->lock, NULL);
	h->fork = (zinc_fork_hook){.lock = &h->lock, .child = child_after_fork, .object = h};
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
