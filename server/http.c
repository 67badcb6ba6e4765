/*
 * http.c - HTTP/1.1 with libmicrohttpd: connections, workers, headers
 *
 *   accept.c --> threads of libmicrohttpd       workers
 *     read a request, route_now -- answered        route_work: stores that wait, recoding, the command
 *            '-- suspend, queue ------------------> ... -- resume
 *     send the answer: memory, or sendfile
 *
 * A request is an exchange from its first line until its last byte was sent.  It belongs to the thread of its
 * connection, but for the time that it is queued or with a worker.
 *
 * Promises (tests/serve/protocol.py and tests/serve/slow.py name each by its number):
 *
 * (1) Memory of a connection is bounded: its headers, and the answer by its budget.  A connection that makes no
 *     progress for `idle` seconds is closed.
 * (2) Requests with a body are refused and their connection is closed, so that no part of it is taken for a request.
 * (3) http_stop lets running requests end in the time given.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

#define CONNECTION_BYTES (16u << 10) /* of request line and headers */
#define MOST_WORKERS     256
#define SMALL            (16u << 10) /* a file that is sent from memory, by one call together with the headers */

struct exchange {
	struct http *http;
	struct MHD_Connection *connection;
	struct request q;
	struct answer a;
	char *uri, *path; /* as sent; unescaped */
	enum { ARRIVED, READ, AT_WORK, ANSWERED } state;
	double began;
	int status, corked;
	uint64_t sent;
	struct exchange *next;
	struct exchange **slot; /* of its connection */
};

struct http {
	const struct site *site;
	struct http_options options;
	struct MHD_Daemon *daemon;
	zinc_cancel cancel;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct exchange *first, **last; /* the queue */
	bool stopping;                  /* under the lock: the workers end */
	struct acceptor acceptor;
	bool accepting;
	atomic_bool quiesced; /* no new connections; those that there are end with their request */
	unsigned nworkers;
	pthread_t worker[MOST_WORKERS];
	atomic_size_t active;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the request ---- */

static const char *
header(const struct request *q, const char *name)
{
	return MHD_lookup_connection_value(q->inside, MHD_HEADER_KIND, name);
}

static enum method
method_of(const char *name)
{
	if (!strcmp(name, "GET"))
		return METHOD_GET;
	if (!strcmp(name, "HEAD"))
		return METHOD_HEAD;
	return strcmp(name, "OPTIONS") ? METHOD_OTHER : METHOD_OPTIONS;
}

/* "http://host/path?query" is allowed in a request, too, and means "/path?query". */
static const char *
from_path(const char *uri)
{
	const char *host = strncmp(uri, "http://", 7) ? NULL : uri + 7;

	return host ? host + strcspn(host, "/?") : uri;
}

static int
socket_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : 0;
}

static void
understand(struct exchange *e, struct MHD_Connection *connection, const char *method)
{
	const char *path = from_path(e->uri);
	const size_t n = strcspn(path, "?");

	e->connection = connection;
	e->path = unescape(path, n, false);
	e->q = (struct request){.method = method_of(method),
				.path = e->path ? route_below(e->http->site, e->path) : NULL,
				.query = path[n] ? path + n + 1 : "",
				.header = header,
				.inside = connection,
				.cancel = &e->http->cancel,
				.socket = socket_of(connection),
				.until = e->began + e->http->options.work};
}

/* What the headers say twice, or in a way that another program on the way could read differently. */
struct headers {
	unsigned hosts;
	bool body;
};

/* `name` may end with blanks: "Content-Length : 5". */
static bool
is_name(const char *name, const char *want)
{
	const size_t n = strlen(want);

	return !strncasecmp(name, want, n) && name[n + strspn(name + n, " \t")] == '\0';
}

static enum MHD_Result
note_header(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct headers *h = arg;

	(void)kind;
	h->hosts += is_name(name, "Host");
	h->body |= is_name(name, "Transfer-Encoding") ||
		   (is_name(name, "Content-Length") && (!value || strcmp(value, "0") != 0));
	return MHD_YES;
}

/* ---- the answer ---- */

/* A body that is never sent: of HEAD and 304, whose Content-Length is that of the value. */
static ssize_t
no_body(void *arg, uint64_t at, char *buf, size_t most)
{
	(void)arg, (void)at, (void)buf, (void)most;
	return MHD_CONTENT_READER_END_WITH_ERROR;
}

static void
keep(void *arg)
{
	(void)arg;
}

/* The response owns descriptor and bytes of the answer from here on; what else is held is freed with the exchange. */
static struct MHD_Response *
make_response(struct answer *a)
{
	struct MHD_Response *r;

	if (a->fd != -1 && a->nbytes == 0) {
		close(a->fd);
		a->fd = -1;
	}
	if (a->fd != -1)
		r = MHD_create_response_from_fd_at_offset64(a->nbytes, a->fd, a->offset);
	else if (a->bytes || a->nbytes == 0)
		r = MHD_create_response_from_buffer_with_free_callback_cls(
		    (size_t)a->nbytes, (void *)(uintptr_t)(a->bytes ? a->bytes : ""),
		    a->bytes && a->release ? a->release : keep, a->held);
	else
		r = MHD_create_response_from_callback(a->nbytes, 4096, no_body, NULL, NULL);
	if (r && a->bytes)
		a->release = NULL;
	if (r)
		a->fd = -1;
	return r;
}

static void
add(struct MHD_Response *r, const char *name, const char *value)
{
	if (value && *value)
		(void)MHD_add_response_header(r, name, value);
}

/* For pages of other origins, and their preflight requests. */
static void
add_cors(struct MHD_Response *r, enum method method)
{
	add(r, "Access-Control-Allow-Origin", "*");
	add(r, "Access-Control-Expose-Headers",
	    "Content-Range, Content-Length, ETag, Accept-Ranges, Content-Disposition, Zinc-Note");
	if (method != METHOD_OPTIONS)
		return;
	add(r, "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
	add(r, "Access-Control-Allow-Headers", "Range, If-None-Match, If-Match, If-Range, Cache-Control");
	add(r, "Access-Control-Max-Age", "86400");
}

static void
add_headers(struct MHD_Response *r, const struct answer *a, enum method method)
{
	char name[160];

	add_cors(r, method);
	if (method == METHOD_OPTIONS || a->status == 405)
		add(r, "Allow", "GET, HEAD, OPTIONS");
	if (a->status != 204 && a->status != 304)
		add(r, "Content-Type", a->type ? a->type : "application/octet-stream");
	add(r, "ETag", a->etag);
	if (a->etag[0] || a->range[0])
		add(r, "Accept-Ranges", "bytes");
	add(r, "Content-Range", a->range);
	add(r, "Cache-Control", a->caching ? a->caching : "no-cache");
	add(r, "Location", a->location);
	add(r, "Zinc-Note", a->note);
	if (a->status == 503)
		add(r, "Retry-After", "1");
	if (a->name) {
		snprintf(name, sizeof name, "attachment; filename=\"%.128s\"", a->name);
		add(r, "Content-Disposition", name);
	}
	add(r, "X-Content-Type-Options", "nosniff");
	add(r, "Referrer-Policy", "no-referrer"); /* the token is part of the address */
	if (a->type && !strncmp(a->type, "text/html", 9))
		add(r, "Content-Security-Policy",
		    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
		    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

/* Headers and the first bytes of a file in one packet: libmicrohttpd sends them by two calls. */
static void
cork(struct exchange *e, int on)
{
	const int fd = e->q.socket;

	if (fd && e->corked != on && setsockopt(fd, IPPROTO_TCP, TCP_CORK, &on, sizeof on) == 0)
		e->corked = on;
}

static void
read_small_file(struct answer *a)
{
	void *bytes = a->fd != -1 && a->nbytes <= SMALL && a->nbytes && !a->release ? malloc((size_t)a->nbytes) : NULL;

	if (!bytes)
		return;
	if (pread(a->fd, bytes, (size_t)a->nbytes, (off_t)a->offset) != (ssize_t)a->nbytes) {
		free(bytes);
		return;
	}
	close(a->fd);
	a->fd = -1;
	answer_bytes(a, a->type, bytes, a->nbytes, free, bytes);
}

static enum MHD_Result
send_answer(struct exchange *e, bool close_after)
{
	struct MHD_Response *r;
	enum MHD_Result ok;
	bool by_file;

	if (e->q.method == METHOD_GET)
		read_small_file(&e->a);
	by_file = e->a.fd != -1;
	r = make_response(&e->a);
	if (!r)
		return MHD_NO; /* no memory: the connection is closed */
	cork(e, e->q.method == METHOD_GET && by_file);
	e->state = ANSWERED;
	e->status = e->a.status;
	e->sent = e->q.method == METHOD_HEAD || e->a.status == 304 ? 0 : e->a.nbytes;
	add_headers(r, &e->a, e->q.method);
	if (close_after || atomic_load(&e->http->quiesced))
		add(r, "Connection", "close");
	ok = MHD_queue_response(e->connection, (unsigned)e->a.status, r);
	MHD_destroy_response(r);
	return ok;
}

/* ---- workers ---- */

/* Suspend the connection until a worker has answered; false: there are no more workers, the server stops. */
static bool
enqueue(struct http *h, struct exchange *e)
{
	bool stopping;

	pthread_mutex_lock(&h->lock);
	stopping = h->stopping;
	if (!stopping) {
		e->state = AT_WORK;
		MHD_suspend_connection(e->connection);
		*h->last = e;
		h->last = &e->next;
		pthread_cond_signal(&h->more);
	}
	pthread_mutex_unlock(&h->lock);
	return !stopping;
}

/* The next exchange; NULL: the server stops. */
static struct exchange *
dequeue(struct http *h)
{
	struct exchange *e;

	pthread_mutex_lock(&h->lock);
	while (!h->first && !h->stopping)
		pthread_cond_wait(&h->more, &h->lock);
	e = h->first;
	if (e) {
		h->first = e->next;
		e->next = NULL;
		if (!h->first)
			h->last = &h->first;
	}
	pthread_mutex_unlock(&h->lock);
	return e;
}

static void
answer_stopping(struct answer *a)
{
	answer_text(a, 503, "the server stops\n");
}

static void *
work(void *arg)
{
	struct http *h = arg;
	struct exchange *e;

	while ((e = dequeue(h))) {
		if (zinc_cancel_is(&h->cancel))
			answer_stopping(&e->a);
		else
			route_work(h->site, &e->q, &e->a);
		e->state = ANSWERED;
		MHD_resume_connection(e->connection);
	}
	return NULL;
}

static bool
start_workers(struct http *h)
{
	const unsigned n = h->options.workers < MOST_WORKERS ? h->options.workers : MOST_WORKERS;

	while (h->nworkers < n && pthread_create(&h->worker[h->nworkers], NULL, work, h) == 0)
		h->nworkers++;
	return h->nworkers > 0;
}

static void
stop_workers(struct http *h)
{
	unsigned i;

	zinc_cancel_set(&h->cancel);
	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	pthread_cond_broadcast(&h->more);
	pthread_mutex_unlock(&h->lock);
	for (i = 0; i < h->nworkers; i++)
		pthread_join(h->worker[i], NULL);
	h->nworkers = 0;
}

/* ---- callbacks of libmicrohttpd ---- */

static void
free_exchange(struct exchange *e)
{
	if (!e)
		return;
	answer_drop(&e->a);
	free(e->path);
	free(e->uri);
	free(e);
}

/* A connection has a slot for its exchange: of a request that libmicrohttpd refuses itself, `ended` may not be called. */
static void
notice_connection(void *arg, struct MHD_Connection *connection, void **held, enum MHD_ConnectionNotificationCode how)
{
	struct http *h = arg;
	struct exchange **slot = *held;

	(void)connection;
	if (how == MHD_CONNECTION_NOTIFY_STARTED) {
		*held = calloc(1, sizeof *slot);
		accept_began(&h->acceptor);
		return;
	}
	if (slot)
		free_exchange(*slot);
	free(slot);
	*held = NULL;
	accept_ended(&h->acceptor);
}

/* The first line of a request has arrived. */
static void *
arrived(void *arg, const char *uri, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct exchange **slot = info ? info->socket_context : NULL;
	struct exchange *e = slot ? calloc(1, sizeof *e) : NULL;

	if (!e)
		return NULL;
	*e = (struct exchange){.http = arg, .uri = strdup(uri), .a = ANSWER_INIT, .began = now(), .slot = slot};
	if (!e->uri) {
		free(e);
		return NULL;
	}
	free_exchange(*slot);
	*slot = e;
	return e;
}

/* The headers are there.  An answer now would close the connection, as there may be a body to come. */
static enum MHD_Result
begin(struct exchange *e, struct MHD_Connection *connection, const char *method)
{
	struct headers seen = {0, false};

	e->state = READ;
	atomic_fetch_add(&e->http->active, 1);
	understand(e, connection, method);
	MHD_get_connection_values(connection, MHD_HEADER_KIND, note_header, &seen);
	if (seen.hosts > 1)
		answer_text(&e->a, 400, "a request names one Host\n");
	else if (!seen.body)
		return MHD_YES;
	else if (e->q.method != METHOD_OTHER || !route_now(e->http->site, &e->q, &e->a))
		answer_text(&e->a, 400, "requests to this server have no body\n");
	return send_answer(e, true);
}

/* Called when the headers are there, when the whole request is there, and again when a worker is done. */
static enum MHD_Result
handle(void *arg, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
       const char *upload, size_t *nupload, void **held)
{
	struct http *h = arg;
	struct exchange *e = *held;

	(void)url, (void)version, (void)upload, (void)nupload;
	if (!e)
		return MHD_NO;
	if (e->state == ANSWERED)
		return send_answer(e, false);
	if (e->state == ARRIVED)
		return begin(e, connection, method);
	if (!e->path)
		answer_text(&e->a, 400, "the address has a malformed escape, or is not UTF-8\n");
	else if (!route_now(h->site, &e->q, &e->a)) {
		if (enqueue(h, e))
			return MHD_YES;
		answer_stopping(&e->a);
	}
	return send_answer(e, e->q.method == METHOD_OTHER);
}

/* The text without control characters, and with '\' doubled. */
static void
print_escaped(char *out, size_t cap, const char *s)
{
	size_t n = 0;

	for (; *s && n + 5 < cap; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f || *s == '\\')
			n += (size_t)snprintf(out + n, cap - n, *s == '\\' ? "\\\\" : "\\x%02x", (unsigned char)*s);
		else
			out[n++] = *s;
	}
	out[n] = '\0';
}

static void
print_peer(char *out, size_t cap, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *at = info ? info->client_addr : NULL;
	const void *address = !at                         ? NULL
			      : at->sa_family == AF_INET6 ? (const void *)&((const struct sockaddr_in6 *)at)->sin6_addr
							  : &((const struct sockaddr_in *)at)->sin_addr;

	if (!address || !inet_ntop(at->sa_family, address, out, (socklen_t)cap))
		snprintf(out, cap, "-");
}

static void
log_exchange(const struct exchange *e, struct MHD_Connection *connection, bool whole)
{
	static const char *const methods[] = {"GET", "HEAD", "OPTIONS", "other"};
	const unsigned long long tenths = (unsigned long long)(1e4 * (now() - e->began));
	char peer[64], path[1024], line[1280];

	print_peer(peer, sizeof peer, connection);
	print_escaped(path, sizeof path, e->q.path && e->q.path[0] ? e->q.path : e->q.path ? "/" : "-");
	snprintf(line, sizeof line, "%s %s %s %d %llu bytes %llu.%llu ms%s", peer, methods[e->q.method], path,
		 e->status, (unsigned long long)e->sent, tenths / 10, tenths % 10, whole ? "" : ", broken off");
	e->http->options.log(e->http->options.log_arg, line);
}

static void
ended(void *arg, struct MHD_Connection *connection, void **held, enum MHD_RequestTerminationCode how)
{
	struct exchange *e = *held;

	(void)arg;
	*held = NULL;
	if (!e)
		return;
	if (e->corked)
		cork(e, 0);
	if (e->http->options.log && e->q.header)
		log_exchange(e, connection, how == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	if (e->state != ARRIVED)
		atomic_fetch_sub(&e->http->active, 1);
	*e->slot = NULL;
	free_exchange(e);
}

/* The path stays as it was sent: unescape() of query.c does it, and refuses what is malformed. */
static size_t
keep_escapes(void *arg, struct MHD_Connection *connection, char *s)
{
	(void)arg, (void)connection;
	return strlen(s);
}

static void
no_log(void *arg, const char *fmt, va_list ap)
{
	(void)arg, (void)fmt, (void)ap;
}

/* ---- start and stop ---- */

/* libmicrohttpd divides its limit among its threads.  Each must have room for all connections, which accept.c counts: at
 * its limit version 0.9.75 keeps a lock for ever. */
static struct MHD_Daemon *
start_daemon(struct http *h)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const unsigned pool = cpus < 2 ? 2 : cpus > 16 ? 16 : (unsigned)cpus;

	return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC |
				    MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
				0, NULL, NULL, handle, h, MHD_OPTION_EXTERNAL_LOGGER, no_log, NULL,
				MHD_OPTION_THREAD_POOL_SIZE, pool, MHD_OPTION_CONNECTION_LIMIT,
				2 * pool * h->options.connections, MHD_OPTION_CONNECTION_TIMEOUT, h->options.idle,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
				MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, arrived, h,
				MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_NOTIFY_CONNECTION,
				notice_connection, h, MHD_OPTION_NOTIFY_COMPLETED, ended, NULL, MHD_OPTION_END);
}

static bool
take_connection(void *arg, int fd, const struct sockaddr *from, socklen_t n)
{
	struct http *h = arg;

	return MHD_add_connection(h->daemon, fd, from, n) == MHD_YES;
}

static bool
start(struct http *h)
{
	const size_t most = h->options.connections;

	if (!start_workers(h))
		return false;
	h->daemon = start_daemon(h);
	return h->daemon && accept_start(&h->acceptor, h->options.fd, most, take_connection, h);
}

zinc_status
http_start(struct http **out, const struct site *site, const struct http_options *options, zinc_error *err)
{
	struct http *h = calloc(1, sizeof *h);

	if (!h) {
		close(options->fd);
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	}
	h->site = site;
	h->options = *options;
	h->last = &h->first;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->more, NULL);
	*out = h;
	h->accepting = start(h);
	if (h->accepting)
		return ZINC_OK;
	close(options->fd);
	return zinc_error_set(err, ZINC_E_IO, "the HTTP server cannot be started: too few threads or descriptors");
}

/* Connections that are suspended when the daemon stops would be lost: the workers answer them first. */
void
http_stop(struct http *h, double grace)
{
	const double until = now() + grace;

	if (!h || atomic_exchange(&h->quiesced, true))
		return;
	if (h->accepting)
		accept_stop(&h->acceptor);
	while (atomic_load(&h->active) && now() < until)
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	stop_workers(h);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	h->daemon = NULL;
	if (h->accepting)
		accept_free(&h->acceptor);
}

void
http_free(struct http *h)
{
	if (!h)
		return;
	pthread_cond_destroy(&h->more);
	pthread_mutex_destroy(&h->lock);
	free(h);
}
