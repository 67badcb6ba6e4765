/*
 * store_mongodb_stream.c - the sockets of libmongoc, which wait within the deadline of the call
 *
 * libmongoc's own sockets know one timeout for a whole client.  These end every wait (connect, read, write, poll) when
 * the call is cancelled or its deadline passes, and without a deadline after the setting "patience".
 */
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "store/store_mongodb.h"

#if ZINC_WITH_MONGODB && ZINC_WITH_BSON

#define STREAM_TYPE  1000 /* none of libmongoc's own */
#define LOOK_SECONDS 0.02
#define MOST_STREAMS 64

typedef struct stream {
	mongoc_stream_t base; /* first */
	mongo_conn *c;
	int fd;
	bool timed_out;
	bool again; /* nothing could be read or written at once, as libmongoc asked for */
} stream;

/* ---- waiting ---- */

/* When to give up, by the call's deadline or the timeout (< 0: none) that libmongoc asks for. */
static double
end_of(const mongo_conn *c, int32_t timeout)
{
	const double now = zinc_now(c->s->ctx), patience = now + c->s->patience;
	const bool timed = c->wait && c->wait->until > 0;
	const double asked = timeout < 0 ? HUGE_VAL : now + timeout / 1000.0;
	const double own = timed ? c->wait->until : patience;

	return asked < own ? asked : own;
}

/* poll() that ends with the call; 0: in time nothing happened. */
static int
wait_for(mongo_conn *c, struct pollfd *p, nfds_t n, double until)
{
	for (;;) {
		const double now = zinc_now(c->s->ctx), look = c->wait && c->wait->cancel ? LOOK_SECONDS : 1.0;
		const double left = until - now;
		int ready;

		if (c->forked) {
			errno = EPIPE;
			return -1;
		}
		if (zinc_wait_check(c->wait, NULL) != ZINC_OK) {
			c->late = true;
			return 0;
		}
		ready = poll(p, n, left <= 0 ? 0 : (int)((left < look ? left : look) * 1000) + 1);
		if (ready > 0)
			c->since = now;
		if (ready > 0 || (ready < 0 && errno != EINTR))
			return ready;
		if (left <= 0)
			return 0;
	}
}

static int
wait_one(stream *s, short events, double until)
{
	struct pollfd p = {.fd = s->fd, .events = events};
	const int n = wait_for(s->c, &p, 1, until);

	if (n == 0) {
		s->timed_out = true;
		s->again = !s->c->late;
		errno = ETIMEDOUT;
	}
	return n;
}

/* ---- the slots of a stream ---- */

static int
stream_close(mongoc_stream_t *base)
{
	stream *s = (stream *)base;
	const zinc_os *os = s->c->s->ctx->os;

	if (s->fd >= 0)
		os->close(os, s->fd);
	s->fd = -1;
	return 0;
}

static void
stream_destroy(mongoc_stream_t *base)
{
	stream_close(base);
	bson_free(base);
}

static int
stream_flush(mongoc_stream_t *base)
{
	(void)base;
	return 0;
}

static ssize_t
stream_writev(mongoc_stream_t *base, mongoc_iovec_t *iov, size_t niov, int32_t timeout)
{
	stream *s = (stream *)base;
	const double until = end_of(s->c, timeout);
	zinc_iov_at at = {iov, (int)niov, 0};
	struct iovec some[16];
	struct msghdr m = {.msg_iov = some};
	ssize_t total = 0, n;

	s->timed_out = s->again = false;
	while ((m.msg_iovlen = (size_t)zinc_iov_next(&at, some, 16)) > 0) {
		n = s->c->forked ? -1 : sendmsg(s->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR) && !s->c->forked) {
			if (wait_one(s, POLLOUT, until) <= 0)
				return timeout == 0 && total > 0 ? total : -1;
			continue;
		}
		if (n < 0)
			return -1;
		zinc_iov_advance(&at, (size_t)n);
		total += n;
	}
	return total;
}

static ssize_t
stream_readv(mongoc_stream_t *base, mongoc_iovec_t *iov, size_t niov, size_t min, int32_t timeout)
{
	stream *s = (stream *)base;
	const double until = end_of(s->c, timeout);
	zinc_iov_at at = {iov, (int)niov, 0};
	struct iovec some[16];
	struct msghdr m = {.msg_iov = some};
	size_t total = 0;
	ssize_t n;

	s->timed_out = s->again = false;
	while ((m.msg_iovlen = (size_t)zinc_iov_next(&at, some, 16)) > 0) {
		n = recvmsg(s->fd, &m, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (total >= min && total > 0)
				break;
			if (wait_one(s, POLLIN, until) <= 0)
				return -1;
			continue;
		}
		if (n <= 0)
			return n < 0 || total < min ? -1 : (ssize_t)total;
		zinc_iov_advance(&at, (size_t)n);
		total += (size_t)n;
		if (total >= min && min > 0)
			break;
	}
	return (ssize_t)total;
}

static int
stream_setsockopt(mongoc_stream_t *base, int level, int name, void *value, mongoc_socklen_t n)
{
	return setsockopt(((stream *)base)->fd, level, name, value, n);
}

static bool
stream_check_closed(mongoc_stream_t *base)
{
	struct pollfd p = {.fd = ((stream *)base)->fd, .events = POLLIN};
	char byte;

	return poll(&p, 1, 0) > 0 && recv(p.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

static ssize_t
stream_poll(mongoc_stream_poll_t *streams, size_t n, int32_t timeout)
{
	struct pollfd p[MOST_STREAMS];
	mongo_conn *c = ((stream *)streams[0].stream)->c;
	ssize_t ready;
	size_t i;

	if (n > MOST_STREAMS)
		n = MOST_STREAMS;
	for (i = 0; i < n; i++)
		p[i] = (struct pollfd){.fd = ((stream *)streams[i].stream)->fd, .events = (short)streams[i].events};
	ready = wait_for(c, p, n, end_of(c, timeout));
	for (i = 0; i < n; i++) /* libmongoc would go on to wait, but gives up a socket that failed */
		streams[i].revents = ready > 0 ? p[i].revents : c->late ? POLLERR | POLLHUP : 0;
	return c->late ? (ssize_t)n : ready;
}

static bool
stream_timed_out(mongoc_stream_t *base)
{
	return ((stream *)base)->timed_out;
}

static bool
stream_should_retry(mongoc_stream_t *base)
{
	return ((stream *)base)->again;
}

/* ---- connecting ---- */

static int
open_socket(mongo_conn *c, int family, const struct sockaddr *to, socklen_t n)
{
	const zinc_os *os = c->s->ctx->os;
	const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int one = 1, failure = 0;
	socklen_t size = sizeof failure;

	if (fd < 0)
		return -1;
	if (family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
	if (connect(fd, to, n) != 0 && (errno != EINPROGRESS || wait_for(c, &p, 1, end_of(c, 10000)) <= 0 ||
					getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) != 0 || failure != 0)) {
		os->close(os, fd);
		errno = failure ? failure : errno;
		return -1;
	}
	return fd;
}

static int
connect_unix(mongo_conn *c, const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof to.sun_path)
		return -1;
	memcpy(to.sun_path, path, strlen(path) + 1);
	return open_socket(c, AF_UNIX, (const struct sockaddr *)&to, sizeof to);
}

/* The first address that answers. */
static int
connect_host(mongo_conn *c, const mongoc_host_list_t *host)
{
	struct addrinfo want = {.ai_family = host->family, .ai_socktype = SOCK_STREAM}, *all = NULL, *at;
	char port[8];
	int fd = -1;

	if (host->family == AF_UNIX)
		return connect_unix(c, host->host);
	snprintf(port, sizeof port, "%hu", host->port);
	if (getaddrinfo(host->host, port, &want, &all) != 0)
		return -1;
	for (at = all; at && fd < 0 && !c->late; at = at->ai_next)
		fd = open_socket(c, at->ai_family, at->ai_addr, at->ai_addrlen);
	freeaddrinfo(all);
	return fd;
}

static mongoc_stream_t *
stream_new(mongo_conn *c, int fd)
{
	stream *s = (stream *)bson_malloc0(sizeof *s);

	s->c = c;
	s->fd = fd;
	s->base = (mongoc_stream_t){.type = STREAM_TYPE,
				    .destroy = stream_destroy,
				    .close = stream_close,
				    .flush = stream_flush,
				    .writev = stream_writev,
				    .readv = stream_readv,
				    .setsockopt = stream_setsockopt,
				    .check_closed = stream_check_closed,
				    .poll = stream_poll,
				    .failed = stream_destroy,
				    .timed_out = stream_timed_out,
				    .should_retry = stream_should_retry};
	return &s->base;
}

/* Certificates are always checked. */
static mongoc_stream_t *
add_tls(mongo_conn *c, mongoc_stream_t *base, const char *host, bson_error_t *error)
{
	mongoc_ssl_opt_t opt = {.ca_file = c->s->ca_file, .pem_file = c->s->key_file};
	mongoc_stream_t *tls = mongoc_stream_tls_new_with_hostname(base, host, &opt, 1);

	if (!tls) {
		bson_set_error(error, MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_SOCKET, "TLS cannot be used");
		mongoc_stream_destroy(base);
		return NULL;
	}
	if (!mongoc_stream_tls_handshake_block(tls, host, 10000, error)) {
		mongoc_stream_destroy(tls);
		return NULL;
	}
	return tls;
}

mongoc_stream_t *
zinc_mongo_stream(const mongoc_uri_t *uri, const mongoc_host_list_t *host, void *user_data, bson_error_t *error)
{
	mongo_conn *c = (mongo_conn *)user_data;
	const int fd = connect_host(c, host);

	(void)uri;
	if (fd < 0) {
		bson_set_error(error, MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_CONNECT, "cannot connect to %s",
			       host->host_and_port);
		return NULL;
	}
	return c->s->tls ? add_tls(c, stream_new(c, fd), host->host, error) : stream_new(c, fd);
}

#endif
