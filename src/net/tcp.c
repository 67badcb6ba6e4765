/*
 * tcp.c - connections to servers
 *
 * Promises (tests/unit/test_tcp.c names each by its number):
 *
 * (1) No function waits longer than its deadline, nor longer than `timeout` without a byte; not for the name server
 *     either.
 * (2) All addresses of a host are tried, until one answers.
 * (3) With TLS the certificate must be trusted and name the host; neither can be turned off.
 * (4) No signal is raised when the server has closed the connection.
 * (5) A child of fork that closes a connection does not disturb the parent's.
 * (6) An idle connection that the server has ended, or on which it has sent anything, is stale, with TLS too.
 *
 * The socket never blocks; poll() waits.
 */
#include "net/tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#if ZINC_WITH_SSL
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#endif

#define CHECK_SECONDS 0.02 /* between two looks at a cancel flag */
#define MOST_AT_ONCE  ((size_t)1 << 30)

struct zinc_tcp {
	zinc_context *ctx;
	int fd;
	double timeout;
	bool local;
#if ZINC_WITH_SSL
	SSL_CTX *tls;
	SSL *ssl; /* NULL: no TLS */
#endif
};

/* A socket that is not there is a failure of the connection, never of a key. */
static zinc_status
fail_os(int errnum, const char *doing, zinc_error *err)
{
	(void)zinc_fail_errno(err, errnum, "%s", doing);
	if (err)
		err->code = ZINC_E_IO;
	return ZINC_E_IO;
}

/* ---- waiting ---- */

/* Wait until the socket can be read (POLLIN) or written (POLLOUT), or is broken. */
static zinc_status
wait_until(const zinc_tcp *c, short events, const zinc_wait *wait, zinc_error *err)
{
	const double end = zinc_now(c->ctx) + c->timeout;
	struct pollfd p = {c->fd, events, 0};
	double left;
	int n;

	do {
		ZINC_TRY(zinc_wait_for(wait, "the server", err));
		left = end - zinc_now(c->ctx);
		if (left <= 0)
			return zinc_fail(err, ZINC_E_IO, "the server %s nothing for %g seconds",
					 events == POLLIN ? "sent" : "took", c->timeout);
		if (zinc_wait_left(wait) < left)
			left = zinc_wait_left(wait);
		if (wait && wait->cancel && left > CHECK_SECONDS)
			left = CHECK_SECONDS;
		n = poll(&p, 1, left > 1e6 ? 1000000000 : (int)(left * 1e3) + 1);
	} while (n == 0 || (n < 0 && errno == EINTR));
	return n < 0 ? fail_os(errno, "cannot wait for the server", err) : ZINC_OK;
}

/* ---- names: getaddrinfo has no deadline, so a thread calls it, and may outlive the call ---- */

typedef struct lookup {
	pthread_mutex_t lock;
	pthread_cond_t done;
	int refs;
	bool over;
	int result;
	struct addrinfo *found;
	char port[8];
	char host[];
} lookup;

static void
lookup_leave(lookup *l)
{
	bool last;

	pthread_mutex_lock(&l->lock);
	last = --l->refs == 0;
	pthread_mutex_unlock(&l->lock);
	if (!last)
		return;
	if (l->found)
		freeaddrinfo(l->found);
	pthread_cond_destroy(&l->done);
	pthread_mutex_destroy(&l->lock);
	zinc_free(zinc_context_get(NULL), l); /* the caller's context may be gone by now */
}

static void *
run_lookup(void *arg)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	lookup *l = (lookup *)arg;
	struct addrinfo *found = NULL;
	const int result = getaddrinfo(l->host, l->port, &hints, &found);

	pthread_mutex_lock(&l->lock);
	l->result = result;
	l->found = result == 0 ? found : NULL;
	l->over = true;
	pthread_cond_signal(&l->done);
	pthread_mutex_unlock(&l->lock);
	lookup_leave(l);
	return NULL;
}

/* No signal of the program is delivered to the thread. */
static bool
start_detached(void *(*fn)(void *), void *arg)
{
	sigset_t all, old;
	pthread_t thread;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	started = pthread_create(&thread, NULL, fn, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started && pthread_detach(thread) == 0;
}

static lookup *
lookup_new(const char *host, const char *port)
{
	const size_t n = strlen(host) + 1;
	lookup *l = (lookup *)zinc_calloc(zinc_context_get(NULL), 1, sizeof *l + n);

	if (!l)
		return NULL;
	memcpy(l->host, host, n);
	snprintf(l->port, sizeof l->port, "%s", port);
	pthread_mutex_init(&l->lock, NULL);
	zinc_wait_cond_init(&l->done);
	l->refs = 2; /* the thread's and the caller's */
	return l;
}

/* Wait for the thread, no longer than the timeout. */
static zinc_status
await_lookup(const zinc_tcp *c, lookup *l, const zinc_wait *wait, zinc_error *err)
{
	const double end = zinc_now(c->ctx) + c->timeout;
	zinc_wait until = {sizeof until, 0, wait ? wait->cancel : NULL};
	zinc_status st = ZINC_OK;

	until.until = wait && wait->until > 0 && wait->until < end ? wait->until : end;
	pthread_mutex_lock(&l->lock);
	while (!l->over && st == ZINC_OK)
		st = zinc_wait_cond(&until, &l->done, &l->lock, "the name server", err);
	pthread_mutex_unlock(&l->lock);
	if (st != ZINC_OK && zinc_wait_check(wait, NULL) == ZINC_OK)
		st = zinc_fail(err, ZINC_E_IO, "the name server did not answer within %g seconds", c->timeout);
	return st;
}

/* *out is freed with freeaddrinfo. */
static zinc_status
find_addresses(const zinc_tcp *c, const zinc_tcp_config *config, struct addrinfo **out, bool *again,
	       const zinc_wait *wait, zinc_error *err)
{
	const struct addrinfo numeric = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	zinc_status st;
	lookup *l;

	if (getaddrinfo(config->host, config->port, &numeric, out) == 0)
		return ZINC_OK;
	l = lookup_new(config->host, config->port);
	if (!l)
		return zinc_fail_nomem(err);
	if (!start_detached(run_lookup, l)) {
		lookup_leave(l);
		lookup_leave(l);
		return zinc_fail(err, ZINC_E_IO, "cannot start a thread that asks for the address");
	}
	st = await_lookup(c, l, wait, err);
	*again = st == ZINC_E_IO;
	if (st == ZINC_OK && l->result != 0) {
		*again = l->result == EAI_AGAIN;
		st = zinc_fail(err, ZINC_E_IO, "no address of the host %.200s: %s", config->host,
			       gai_strerror(l->result));
	} else if (st == ZINC_OK) {
		*out = l->found;
		l->found = NULL;
	}
	lookup_leave(l);
	return st;
}

/* ---- connecting ---- */

static void
close_socket(zinc_tcp *c)
{
	if (c->fd >= 0)
		c->ctx->os->close(c->ctx->os, c->fd);
	c->fd = -1;
}

static zinc_status
connect_to(zinc_tcp *c, const struct sockaddr *to, socklen_t n, const zinc_wait *wait, zinc_error *err)
{
	socklen_t size = sizeof(int);
	int failed = 0;

	c->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0)
		return fail_os(errno, "cannot make a socket", err);
	if (connect(c->fd, to, n) == 0)
		return ZINC_OK;
	if (errno != EINPROGRESS && errno != EINTR)
		return fail_os(errno, "cannot connect", err);
	ZINC_TRY(wait_until(c, POLLOUT, wait, err));
	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &failed, &size) != 0)
		failed = errno;
	return failed ? fail_os(failed, "cannot connect", err) : ZINC_OK;
}

static bool
is_loopback(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET)
		return (ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24) == 127;
	return a->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

/* Requests are small and wait for their answers; a server that vanished is noticed although nothing is sent. */
static void
set_options(const zinc_tcp *c)
{
	const int yes = 1;

	(void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	(void)setsockopt(c->fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
}

static zinc_status
connect_host(zinc_tcp *c, const zinc_tcp_config *config, bool *again, const zinc_wait *wait, zinc_error *err)
{
	struct addrinfo *all = NULL, *a;
	zinc_status st = ZINC_E_IO;

	ZINC_TRY(find_addresses(c, config, &all, again, wait, err));
	*again = true;
	for (a = all; a && st == ZINC_E_IO; a = a->ai_next) {
		close_socket(c);
		st = connect_to(c, a->ai_addr, a->ai_addrlen, wait, err);
		c->local = is_loopback(a->ai_addr);
	}
	freeaddrinfo(all);
	if (st == ZINC_OK)
		set_options(c);
	return st;
}

static zinc_status
connect_path(zinc_tcp *c, const char *path, bool *again, const zinc_wait *wait, zinc_error *err)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof to.sun_path)
		return zinc_fail(err, ZINC_E_INVALID, "the path of the socket is longer than %zu bytes",
				 sizeof to.sun_path - 1);
	memcpy(to.sun_path, path, strlen(path));
	*again = c->local = true;
	return connect_to(c, (const struct sockaddr *)&to, sizeof to, wait, err);
}

/* ---- TLS ---- */

#if ZINC_WITH_SSL

static zinc_status
fail_tls(zinc_status st, const char *doing, zinc_error *err)
{
	const unsigned long code = ERR_get_error();
	const char *why = code ? ERR_reason_error_string(code) : NULL;

	ERR_clear_error();
	return zinc_fail(err, st, "%s%s%s", doing, why ? ": " : "", why ? why : "");
}

/* OpenSSL's own sockets raise SIGPIPE, so these are ours. */
static int
bio_result(BIO *b, ssize_t n, int retry)
{
	BIO_clear_retry_flags(b);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		BIO_set_flags(b, retry | BIO_FLAGS_SHOULD_RETRY);
	return (int)n;
}

static int
bio_write(BIO *b, const char *bytes, int n)
{
	return bio_result(b, send(*(const int *)BIO_get_data(b), bytes, (size_t)n, MSG_NOSIGNAL), BIO_FLAGS_WRITE);
}

static int
bio_read(BIO *b, char *to, int n)
{
	return bio_result(b, recv(*(const int *)BIO_get_data(b), to, (size_t)n, 0), BIO_FLAGS_READ);
}

static long
bio_control(BIO *b, int what, long n, void *p)
{
	(void)b, (void)n, (void)p;
	return what == BIO_CTRL_FLUSH;
}

static BIO_METHOD *bio_method;
static pthread_once_t bio_once = PTHREAD_ONCE_INIT;

static void
make_bio_method(void)
{
	BIO_METHOD *m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "zinc");

	if (m && BIO_meth_set_write(m, bio_write) && BIO_meth_set_read(m, bio_read) &&
	    BIO_meth_set_ctrl(m, bio_control))
		bio_method = m;
}

static zinc_status
set_bio(zinc_tcp *c, zinc_error *err)
{
	BIO *b;

	pthread_once(&bio_once, make_bio_method);
	b = bio_method ? BIO_new(bio_method) : NULL;
	if (!b)
		return zinc_fail_nomem(err);
	BIO_set_data(b, &c->fd);
	BIO_set_init(b, 1);
	SSL_set_bio(c->ssl, b, b);
	return ZINC_OK;
}

/* A key that needs a pass phrase is refused: OpenSSL would ask for it on the terminal. */
static int
no_pass_phrase(char *to, int room, int writes, void *arg)
{
	(void)to, (void)room, (void)writes, (void)arg;
	return -1;
}

static zinc_status
load_certificates(const zinc_tcp *c, const zinc_tcp_config *config, zinc_error *err)
{
	const char *cert = config->cert_file, *key = config->key_file ? config->key_file : cert;

	SSL_CTX_set_default_passwd_cb(c->tls, no_pass_phrase);
	if (config->ca_file ? SSL_CTX_load_verify_locations(c->tls, config->ca_file, NULL) != 1
			    : SSL_CTX_set_default_verify_paths(c->tls) != 1)
		return fail_tls(ZINC_E_INVALID, "cannot read the certificates of ca_file", err);
	if (cert && (SSL_CTX_use_certificate_chain_file(c->tls, cert) != 1 ||
		     SSL_CTX_use_PrivateKey_file(c->tls, key, SSL_FILETYPE_PEM) != 1))
		return fail_tls(ZINC_E_INVALID,
				"cannot read the certificate of cert_file, or its key, which must need no pass phrase",
				err);
	return ZINC_OK;
}

/* An address is compared with the addresses of the certificate, a name with its names. */
static zinc_status
expect_host(const zinc_tcp *c, const char *host, zinc_error *err)
{
	X509_VERIFY_PARAM *p = SSL_get0_param(c->ssl);
	struct in6_addr room;
	const bool address = inet_pton(AF_INET, host, &room) == 1 || inet_pton(AF_INET6, host, &room) == 1;

	SSL_set_verify(c->ssl, SSL_VERIFY_PEER, NULL);
	if (address ? X509_VERIFY_PARAM_set1_ip_asc(p, host) != 1
		    : SSL_set1_host(c->ssl, host) != 1 || SSL_set_tlsext_host_name(c->ssl, host) != 1)
		return fail_tls(ZINC_E_INVALID, "the host cannot be checked", err);
	return ZINC_OK;
}

/* What to do after an operation that has returned `n` <= 0: wait, or fail. */
static zinc_status
tls_wait(zinc_tcp *c, int n, const char *doing, const zinc_wait *wait, zinc_error *err)
{
	switch (SSL_get_error(c->ssl, n)) {
	case SSL_ERROR_WANT_READ:
		return wait_until(c, POLLIN, wait, err);
	case SSL_ERROR_WANT_WRITE:
		return wait_until(c, POLLOUT, wait, err);
	case SSL_ERROR_SSL:
		return fail_tls(ZINC_E_IO, doing, err);
	default:
		ERR_clear_error();
		return zinc_fail(err, ZINC_E_IO, "%s: the server has closed the connection", doing);
	}
}

static zinc_status
shake_hands(zinc_tcp *c, bool *again, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	long wrong;
	int n;

	ERR_clear_error();
	while (st == ZINC_OK && (n = SSL_connect(c->ssl)) != 1)
		st = tls_wait(c, n, "no TLS with this server", wait, err);
	wrong = SSL_get_verify_result(c->ssl);
	if (st != ZINC_E_IO || wrong == X509_V_OK)
		return st;
	*again = false;
	return zinc_fail(err, ZINC_E_IO, "the server's certificate is refused: %s",
			 X509_verify_cert_error_string(wrong));
}

static zinc_status
start_tls(zinc_tcp *c, const zinc_tcp_config *config, bool *again, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;

	c->tls = SSL_CTX_new(TLS_client_method());
	if (!c->tls || SSL_CTX_set_min_proto_version(c->tls, TLS1_2_VERSION) != 1)
		return fail_tls(ZINC_E_NOMEM, "cannot prepare TLS", err);
	SSL_CTX_set_mode(c->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	*again = false;
	ZINC_TRY(load_certificates(c, config, err));
	c->ssl = SSL_new(c->tls);
	if (!c->ssl)
		return fail_tls(ZINC_E_NOMEM, "cannot prepare TLS", err);
	ZINC_TRY(set_bio(c, err));
	ZINC_TRY(expect_host(c, config->host, err));
	*again = true;
	st = shake_hands(c, again, wait, err);
	return st;
}

static zinc_status
tls_send(zinc_tcp *c, const void *bytes, size_t n, size_t *sent, const zinc_wait *wait, zinc_error *err)
{
	int got;

	ERR_clear_error();
	got = SSL_write(c->ssl, bytes, (int)n);
	*sent = got > 0 ? (size_t)got : 0;
	return got > 0 ? ZINC_OK : tls_wait(c, got, "cannot send", wait, err);
}

static zinc_status
tls_recv(zinc_tcp *c, void *to, size_t room, size_t *n, const zinc_wait *wait, zinc_error *err)
{
	int got;

	ERR_clear_error();
	got = SSL_read(c->ssl, to, (int)room);
	*n = got > 0 ? (size_t)got : 0;
	return got > 0 ? ZINC_OK : tls_wait(c, got, "cannot receive", wait, err);
}

/* Without a word to the server: the connection may be a parent's. */
static void
end_tls(zinc_tcp *c)
{
	SSL_free(c->ssl);
	SSL_CTX_free(c->tls);
}

static bool
has_tls(const zinc_tcp *c)
{
	return c->ssl != NULL;
}

/* Bytes on the socket say nothing: they may be tickets of TLS 1.3, which are taken here, or the end. */
static bool
is_tls_stale(const zinc_tcp *c)
{
	uint8_t byte;
	bool idle;
	int n;

	ERR_clear_error();
	n = SSL_peek(c->ssl, &byte, 1);
	idle = n <= 0 && SSL_get_error(c->ssl, n) == SSL_ERROR_WANT_READ;
	ERR_clear_error();
	return !idle;
}

#else

static zinc_status
start_tls(zinc_tcp *c, const zinc_tcp_config *config, bool *again, const zinc_wait *wait, zinc_error *err)
{
	(void)c, (void)config, (void)wait;
	*again = false;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "built without OpenSSL, so there is no TLS");
}

static zinc_status
tls_send(zinc_tcp *c, const void *bytes, size_t n, size_t *sent, const zinc_wait *wait, zinc_error *err)
{
	(void)c, (void)bytes, (void)n, (void)sent, (void)wait;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "no TLS");
}

static zinc_status
tls_recv(zinc_tcp *c, void *to, size_t room, size_t *n, const zinc_wait *wait, zinc_error *err)
{
	(void)c, (void)to, (void)room, (void)n, (void)wait;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "no TLS");
}

static void
end_tls(zinc_tcp *c)
{
	(void)c;
}

static bool
has_tls(const zinc_tcp *c)
{
	(void)c;
	return false;
}

static bool
is_tls_stale(const zinc_tcp *c)
{
	(void)c;
	return true;
}

#endif

/* ---- the interface ---- */

zinc_status
zinc_tcp_open(zinc_tcp **out, zinc_context *ctx, const zinc_tcp_config *config, bool *again, const zinc_wait *wait,
	      zinc_error *err)
{
	zinc_tcp *c = (zinc_tcp *)zinc_calloc(ctx, 1, sizeof *c);
	zinc_status st;

	*again = false;
	if (!c)
		return zinc_fail_nomem(err);
	c->ctx = ctx;
	c->fd = -1;
	c->timeout = config->timeout;
	st = config->path ? connect_path(c, config->path, again, wait, err) : connect_host(c, config, again, wait, err);
	if (st == ZINC_OK && config->tls)
		st = start_tls(c, config, again, wait, err);
	if (st == ZINC_OK)
		*out = c;
	else
		zinc_tcp_close(c);
	return st;
}

static bool
must_wait(int errnum)
{
	return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR;
}

static zinc_status
plain_send(zinc_tcp *c, const void *bytes, size_t n, size_t *sent, const zinc_wait *wait, zinc_error *err)
{
	const ssize_t got = send(c->fd, bytes, n, MSG_NOSIGNAL);

	*sent = got > 0 ? (size_t)got : 0;
	if (got >= 0)
		return ZINC_OK;
	return must_wait(errno) ? wait_until(c, POLLOUT, wait, err) : fail_os(errno, "cannot send", err);
}

static zinc_status
plain_recv(zinc_tcp *c, void *to, size_t room, size_t *n, const zinc_wait *wait, zinc_error *err)
{
	const ssize_t got = recv(c->fd, to, room, 0);

	*n = got > 0 ? (size_t)got : 0;
	if (got > 0)
		return ZINC_OK;
	if (got == 0)
		return zinc_fail(err, ZINC_E_IO, "the server has closed the connection");
	return must_wait(errno) ? wait_until(c, POLLIN, wait, err) : fail_os(errno, "cannot receive", err);
}

zinc_status
zinc_tcp_send(zinc_tcp *c, const void *bytes, size_t n, const zinc_wait *wait, zinc_error *err)
{
	const uint8_t *p = (const uint8_t *)bytes;
	size_t sent;

	while (n) {
		const size_t some = n < MOST_AT_ONCE ? n : MOST_AT_ONCE;

		ZINC_TRY(has_tls(c) ? tls_send(c, p, some, &sent, wait, err)
				    : plain_send(c, p, some, &sent, wait, err));
		p += sent;
		n -= sent;
	}
	return ZINC_OK;
}

zinc_status
zinc_tcp_recv(zinc_tcp *c, void *to, size_t room, size_t *n, const zinc_wait *wait, zinc_error *err)
{
	room = room < MOST_AT_ONCE ? room : MOST_AT_ONCE;
	do {
		ZINC_TRY(zinc_wait_for(wait, "the server", err));
		ZINC_TRY(has_tls(c) ? tls_recv(c, to, room, n, wait, err) : plain_recv(c, to, room, n, wait, err));
	} while (*n == 0);
	return ZINC_OK;
}

bool
zinc_tcp_is_stale(const zinc_tcp *c)
{
	uint8_t byte;

	if (has_tls(c))
		return is_tls_stale(c);
	return recv(c->fd, &byte, 1, MSG_PEEK) >= 0 || !must_wait(errno);
}

bool
zinc_tcp_is_local(const zinc_tcp *c)
{
	return c->local;
}

void
zinc_tcp_close(zinc_tcp *c)
{
	if (!c)
		return;
	end_tls(c);
	close_socket(c);
	zinc_free(c->ctx, c);
}
