/*
 * http_send.c - sending a request by libcurl: method, headers, signature, body; redirections
 *
 * Promises (tests/unit/test_http.c names each by its number):
 *
 * (1) Exactly the signed request is sent: sign() is called for each try and each redirection, after ask() and with the
 *     URL that the request goes to; headers of earlier calls of sign() are removed.
 * (2) A body is sent complete, with the announced number of bytes, also on a retry.
 * (3) Redirections of a request that changes something are followed only if they keep its method (307, 308).
 * (4) Neither headers of the client nor user and password are sent to another scheme, host or port than the request's
 *     own.
 */
#include "net/net.h"

/* ---- building requests ---- */

static bool
is_line(const char *s)
{
	for (; *s; s++)
		if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f)
			return false;
	return true;
}

zinc_status
zinc_http_header(zinc_http_request *r, const char *name, const char *value, zinc_error *err)
{
	if (!name[0] || strpbrk(name, ": ") || !is_line(name) || !is_line(value))
		return zinc_fail(err, ZINC_E_INVALID, "a header has characters that are not allowed");
	ZINC_TRY(zinc_buf_printf(&r->headers, err, value[0] ? "%s: %s" : "%s;", name, value));
	return zinc_buf_add(&r->headers, "", 1, err);
}

#if ZINC_WITH_CURL

#include <stdio.h>
#include <zinc/store.h>

#include "net/http_lane.h"

#define MAX_HEADERS     (256 * ZINC_KIB)
#define MAX_REDIRECTS   5
#define BUFFER_BYTES    (128L * 1024)
#define CONNECT_TIMEOUT 10.0

/* ---- methods ---- */

const char *
zinc_http_method(const slot *s)
{
	return s->request.method ? s->request.method : "GET";
}

static bool
is_among(const char *method, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(method, *list) == 0)
			return true;
	return false;
}

bool
zinc_http_is_safe(const slot *s)
{
	static const char *const safe[] = {"GET", "HEAD", "OPTIONS", "PROPFIND", NULL};

	return is_among(zinc_http_method(s), safe);
}

bool
zinc_http_is_idempotent(const slot *s)
{
	static const char *const idempotent[] = {"PUT", "DELETE", NULL};

	return !s->request.once &&
	       (s->request.repeats || zinc_http_is_safe(s) || is_among(zinc_http_method(s), idempotent));
}

/* ---- bodies ---- */

static size_t
read_parts(slot *s, char *to, size_t room)
{
	size_t n = 0, take;

	while (n < room && s->part < s->request.nbody) {
		const struct iovec *v = &s->request.body[s->part];

		take = (size_t)zinc_min_u64(room - n, v->iov_len - s->part_at);
		if (take > 0) /* a body may be empty */
			memcpy(to + n, (const char *)v->iov_base + s->part_at, take);
		n += take;
		s->part_at += take;
		if (s->part_at == v->iov_len) {
			s->part++;
			s->part_at = 0;
		}
	}
	return n;
}

/* libcurl asks for bytes to send. */
static size_t
on_read(char *to, size_t one, size_t n, void *arg)
{
	slot *s = (slot *)arg;
	const zinc_http_user *u = s->lane->user;
	const size_t room = (size_t)zinc_min_u64(one * n, s->request.nbytes - s->sent);
	size_t got = s->request.body ? read_parts(s, to, room) : room ? u->pull(u->arg, s->i, s->sent, to, room) : 0;

	if (got > room || (got == 0 && room))
		return CURL_READFUNC_ABORT;
	s->sent += got;
	s->heard = s->lane->clock;
	return got;
}

#if LIBCURL_VERSION_NUM >= 0x075000
static int
on_send(void *arg, char *there, char *here, int there_port, int here_port)
{
	(void)there, (void)here, (void)there_port, (void)here_port;
	((slot *)arg)->sends++;
	return CURL_PREREQFUNC_OK;
}

static void
count_sends(slot *s)
{
	curl_easy_setopt(s->easy, CURLOPT_PREREQFUNCTION, on_send);
	curl_easy_setopt(s->easy, CURLOPT_PREREQDATA, s);
}
#else
/* An older libcurl does not report this, so it must not send again. */
static void
count_sends(slot *s)
{
	(void)s;
}
#endif

/* libcurl starts again by itself when a kept connection was closed meanwhile. */
static int
on_seek(void *arg, curl_off_t offset, int origin)
{
	slot *s = (slot *)arg;

	if (origin != SEEK_SET || offset != 0)
		return CURL_SEEKFUNC_CANTSEEK;
	s->part = 0;
	s->part_at = 0;
	s->sent = 0;
	return CURL_SEEKFUNC_OK;
}

static bool
may_be_sent_again(const slot *s)
{
	return zinc_http_is_safe(s) || (zinc_http_is_idempotent(s) && LIBCURL_VERSION_NUM >= 0x075000);
}

static void
set_method(slot *s)
{
	const zinc_http_request *r = &s->request;
	const char *method = zinc_http_method(s);

	/* On a kept connection libcurl might by itself repeat a request that the server has already seen. */
	curl_easy_setopt(s->easy, CURLOPT_FRESH_CONNECT, may_be_sent_again(s) ? 0L : 1L);
	curl_easy_setopt(s->easy, CURLOPT_UPLOAD, 0L);
	curl_easy_setopt(s->easy, CURLOPT_NOBODY, 0L);
	curl_easy_setopt(s->easy, CURLOPT_HTTPGET, 1L);
	curl_easy_setopt(s->easy, CURLOPT_CUSTOMREQUEST, NULL);
	if (strcmp(method, "HEAD") == 0) {
		curl_easy_setopt(s->easy, CURLOPT_NOBODY, 1L);
	} else if (r->sends) {
		curl_easy_setopt(s->easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(s->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)r->nbytes);
		curl_easy_setopt(s->easy, CURLOPT_CUSTOMREQUEST, method);
	} else if (strcmp(method, "GET") != 0) {
		curl_easy_setopt(s->easy, CURLOPT_CUSTOMREQUEST, method);
	}
}

/* ---- options of every exchange ---- */

static long
milliseconds(double seconds)
{
	return seconds > 1e6 ? 1000000000L : (long)(seconds * 1e3);
}

/* Exists since libcurl 7.87; before that a cancelled exchange may wait for the name server.  0 is no option. */
#if LIBCURL_VERSION_NUM >= 0x075700
#define CURLOPT_QUICK_EXIT_NOW CURLOPT_QUICK_EXIT
#else
#define CURLOPT_QUICK_EXIT_NOW ((CURLoption)0)
#endif

/* Names instead of bits since libcurl 7.85. */
#if LIBCURL_VERSION_NUM >= 0x075500
#define CURLOPT_PROTOCOLS_NOW CURLOPT_PROTOCOLS_STR
#define WEB_PROTOCOLS         "http,https"
#else
#define CURLOPT_PROTOCOLS_NOW CURLOPT_PROTOCOLS
#define WEB_PROTOCOLS         (CURLPROTO_HTTP | CURLPROTO_HTTPS)
#endif

/* Options that this libcurl lacks are ignored: they are limits that it does not need. */
static void
set_common(slot *s)
{
	const zinc_http_config *config = &s->lane->http->config;
	const double silent = config->timeout;
	CURL *e = s->easy;

	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_QUICK_EXIT_NOW, 1L); /* a cancel does not wait for the resolver's thread */
	curl_easy_setopt(e, CURLOPT_USERAGENT, "zinc/" ZINC_VERSION);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_NOW, WEB_PROTOCOLS);
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L); /* libcurl would check only the first scheme */
	curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(e, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
			 milliseconds(silent < CONNECT_TIMEOUT ? silent : CONNECT_TIMEOUT));
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
	if (config->ca_file)
		curl_easy_setopt(e, CURLOPT_CAINFO, config->ca_file);
	if (config->direct)
		curl_easy_setopt(e, CURLOPT_PROXY, ""); /* whatever the environment says */
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, s->message);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, zinc_http_on_header);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, s);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, zinc_http_on_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, s);
	curl_easy_setopt(e, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(e, CURLOPT_READDATA, s);
	curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, on_seek);
	curl_easy_setopt(e, CURLOPT_SEEKDATA, s);
	count_sends(s);
	curl_easy_setopt(e, CURLOPT_PRIVATE, s);
}

/* ---- one request ---- */

static bool
add_header(slot *s, const char *line)
{
	struct curl_slist *more = curl_slist_append(s->headers, line);

	if (more)
		s->headers = more;
	return more != NULL;
}

/* A server that compresses in transit would change the meaning of ranges and lengths. */
static bool
add_headers(slot *s)
{
	const zinc_http_config *config = &s->lane->http->config;
	const zinc_buf *own = &s->request.headers;
	const char *encoding = s->request.encoding ? s->request.encoding : "identity";
	char line[64];
	size_t i;
	bool ok;

	snprintf(line, sizeof line, "Accept-Encoding: %s", encoding);
	ok = add_header(s, line);

	if (s->request.sends) /* a round trip for "100 Continue" costs more than a body sent in vain */
		ok = ok && add_header(s, "Expect:");
	for (i = 0; i < own->n; i += strlen((const char *)own->p + i) + 1)
		ok = ok && add_header(s, (const char *)own->p + i);
	for (i = 0; i < config->nheaders && !s->away; i++)
		ok = ok && add_header(s, config->headers[i]);
	return ok;
}

/* libcurl makes a copy. */
static zinc_status
set_url(slot *s, const char *url, zinc_error *err)
{
	const char *secret = s->request.secret_query;
	bool ok = false;
	zinc_buf all;

	if (!secret)
		return curl_easy_setopt(s->easy, CURLOPT_URL, url) == CURLE_OK ? ZINC_OK : zinc_fail_nomem(err);
	zinc_buf_init(&all, s->lane->http->ctx, MAX_HEADERS);
	if (zinc_buf_reserve(&all, strlen(url) + strlen(secret) + 2, err) == ZINC_OK &&
	    zinc_buf_printf(&all, err, "%s%c%s", url, strchr(url, '?') ? '&' : '?', secret) == ZINC_OK)
		ok = zinc_buf_text(&all) && curl_easy_setopt(s->easy, CURLOPT_URL, (const char *)all.p) == CURLE_OK;
	if (all.p)
		explicit_bzero(all.p, all.n);
	zinc_buf_fini(&all);
	return ok ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
set_request(slot *s, zinc_error *err)
{
	const zinc_http_user *u = s->lane->user;
	const char *url = s->redirected_to ? s->redirected_to : s->request.url;

	s->request.headers.n = s->asked;
	s->request.secret_query = NULL;
	if (u->sign)
		ZINC_TRY(u->sign(u->arg, s->i, &s->request, url, s->away, err));
	curl_slist_free_all(s->headers);
	s->headers = NULL;
	if (!add_headers(s))
		return zinc_fail_nomem(err);
	curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, s->headers);
	set_method(s);
	(void)on_seek(s, 0, SEEK_SET);
	return set_url(s, url, err);
}

/* Start the transfer. */
static zinc_status
start_transfer(slot *s, zinc_error *err)
{
	zinc_http_head_init(&s->head);
	s->head.keep = s->request.keep;
	s->head.url = s->redirected_to ? s->redirected_to : s->request.url;
	s->head_done = s->stopped = false;
	s->discarded = 0;
	s->sends = 0;
	s->message[0] = '\0';
	s->began = zinc_now(s->lane->http->ctx);
	s->heard = s->lane->clock;
	s->uploaded = 0;
	ZINC_TRY(set_request(s, err));
	if (curl_multi_add_handle(s->lane->multi, s->easy) != CURLM_OK)
		return zinc_fail_nomem(err);
	zinc_http_phase(s, SENT);
	return ZINC_OK;
}

static void
forget_place(slot *s)
{
	zinc_free(s->lane->http->ctx, s->redirected_to);
	s->redirected_to = NULL;
	s->away = false;
	s->redirects = 0;
}

/* They may have a token. */
static void
forget_fields(zinc_buf *headers)
{
	if (headers->p)
		explicit_bzero(headers->p, headers->cap);
	zinc_buf_fini(headers);
}

void
zinc_http_clean(slot *s)
{
	curl_slist_free_all(s->headers);
	s->headers = NULL;
	forget_fields(&s->request.headers);
	forget_place(s);
}

static zinc_status
ask(slot *s, zinc_error *err)
{
	const zinc_http_user *u = s->lane->user;
	zinc_http_request *r = &s->request;
	int k;

	forget_fields(&r->headers);
	memset(r, 0, sizeof *r);
	zinc_buf_init(&r->headers, s->lane->http->ctx, MAX_HEADERS);
	ZINC_TRY(u->ask(u->arg, s->i, r, err));
	s->asked = r->headers.n;
	for (k = 0; k < r->nbody; k++)
		r->nbytes += r->body[k].iov_len; /* sizes of buffers in memory: the sum cannot overflow */
	r->sends |= r->nbody > 0;
	return ZINC_OK;
}

zinc_status
zinc_http_transmit(slot *s, zinc_error *err)
{
	forget_place(s);
	ZINC_TRY(ask(s, err));
	if (!s->easy) {
		s->easy = curl_easy_init();
		if (!s->easy)
			return zinc_fail_nomem(err);
		set_common(s);
	}
	return start_transfer(s, err);
}

/* ---- redirections ---- */

/* Is this part of two URLs equal?  A missing port is the default of its scheme. */
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

/* Replace user and password of `to` by those of `from`, whatever the server wrote there; on another host remove
 * them. */
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

/* The target of the redirection, with user and password if they may be sent there; NULL if it is no URL or memory is
 * out. */
static char *
redirect_url(slot *s, const char *location)
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

/* What forbids the redirection; NULL: nothing. */
static const char *
redirect_error(const slot *s, const char *from, const char *to)
{
	if (s->redirects == MAX_REDIRECTS)
		return "too many redirections";
	if (curl_strnequal(to, "https:", 6))
		return NULL;
	if (!curl_strnequal(to, "http:", 5))
		return "a redirection to something other than a web server";
	return curl_strnequal(from, "https:", 6) ? "a redirection from https to http, which is not followed" : NULL;
}

zinc_status
zinc_http_redirect(slot *s, const char *location, zinc_error *err)
{
	const char *why = redirect_error(s, s->redirected_to ? s->redirected_to : s->request.url, location);
	char *redirected_to = why ? NULL : redirect_url(s, location);

	if (why)
		return zinc_fail(err, ZINC_E_IO, "%s", why);
	if (!redirected_to)
		return zinc_fail(err, ZINC_E_IO, "a redirection to an invalid URL");
	zinc_free(s->lane->http->ctx, s->redirected_to);
	s->redirected_to = redirected_to;
	s->redirects++;
	return start_transfer(s, err);
}

#endif
