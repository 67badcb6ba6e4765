/*
 * test_tcp.c - the promises of net/tcp.c, by number
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/net.h"
#include "support/own_address.h"
#include "support/test.h"
#include "support/web.h"

#if ZINC_WITH_SSL

/* A listening socket of this process. */
static int
listen_here(int *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof at;
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

static zinc_status
connect_to(zinc_tcp **out, const char *host, int port, double timeout, const zinc_wait *wait, zinc_error *err)
{
	char text[8];
	const zinc_tcp_config config = {.host = host, .port = text, .timeout = timeout};
	bool again;

	snprintf(text, sizeof text, "%d", port);
	return zinc_tcp_open(out, zinc_context_get(NULL), &config, &again, wait, err);
}

static double
now(void)
{
	return zinc_now(zinc_context_get(NULL));
}

/* ---- (1) ---- */

static void
nothing_waits_too_long(void **state)
{
	int port, listener = listen_here(&port), there;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;
	zinc_wait wait = {sizeof wait, 0, NULL};
	const double began = now();
	static uint8_t much[1 << 22];
	size_t n;
	int i;

	(void)state;
	assert_ok(connect_to(&c, "127.0.0.1", port, 0.1, NULL, &err));
	there = accept(listener, NULL, NULL);
	assert_int_equal(zinc_tcp_recv(c, much, 1, &n, NULL, &err), ZINC_E_IO); /* the timeout */
	wait.until = now() + 0.05;
	assert_int_equal(zinc_tcp_recv(c, much, 1, &n, &wait, &err), ZINC_E_CANCELLED);
	for (i = 0; i < 100; i++) /* nobody reads */
		if (zinc_tcp_send(c, much, sizeof much, NULL, &err) != ZINC_OK)
			break;
	assert_true(i < 100);
	assert_int_equal(err.code, ZINC_E_IO);
	assert_true(now() - began < 60);
	zinc_tcp_close(c);
	close(there);
	close(listener);
}

static void *
cancel_soon(void *flag)
{
	usleep(50000);
	zinc_cancel_set((zinc_cancel *)flag);
	return NULL;
}

/* The timeout is long, but the call is not. */
static void
timeouts_do_not_prolong_calls(void **state)
{
	int port, listener = listen_here(&port), there;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_cancel flag = ZINC_CANCEL_INIT;
	zinc_wait wait = {sizeof wait, 0, NULL};
	zinc_tcp *c = NULL;
	const double began = now();
	pthread_t thread;
	uint8_t byte;
	size_t n;

	(void)state;
	assert_ok(connect_to(&c, "127.0.0.1", port, 20, NULL, &err));
	there = accept(listener, NULL, NULL);
	wait.until = began + 0.05;
	assert_int_equal(zinc_tcp_recv(c, &byte, 1, &n, &wait, &err), ZINC_E_CANCELLED);
	wait = (zinc_wait){sizeof wait, 0, &flag};
	assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &flag), 0);
	assert_int_equal(zinc_tcp_recv(c, &byte, 1, &n, &wait, &err), ZINC_E_CANCELLED);
	pthread_join(thread, NULL);
	assert_true(now() - began < 10);
	zinc_tcp_close(c);
	close(there);
	close(listener);
}

/* ---- (2) ---- */

/* "localhost" is ::1 and 127.0.0.1 on many machines; nobody listens at the first. */
static void
all_addresses_are_tried(void **state)
{
	int port, listener = listen_here(&port);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;

	(void)state;
	assert_ok(connect_to(&c, "localhost", port, 5, NULL, &err));
	assert_true(zinc_tcp_is_local(c));
	zinc_tcp_close(c);
	close(listener);
	assert_int_equal(connect_to(&c, "localhost", port, 5, NULL, &err), ZINC_E_IO);
	assert_int_equal(connect_to(&c, "no-such-host.invalid", port, 5, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(zinc_error_text(&err), "no-such-host.invalid"));
}

/* Only loopback is this machine: no other program can be in between. */
static void
own_addresses_are_not_local(void **state)
{
	char host[INET_ADDRSTRLEN];
	int port, listener = listen_outside(host, &port);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;

	(void)state;
	if (listener < 0)
		skip();
	assert_ok(connect_to(&c, host, port, 5, NULL, &err));
	assert_false(zinc_tcp_is_local(c));
	zinc_tcp_close(c);
	close(listener);
}

static void
sockets_of_files(void **state)
{
	const zinc_tcp_config config = {.path = "/nowhere/socket", .timeout = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;
	char path[300];
	bool again;

	(void)state;
	assert_int_equal(zinc_tcp_open(&c, zinc_context_get(NULL), &config, &again, NULL, &err), ZINC_E_IO);
	memset(path, 'x', sizeof path);
	path[299] = '\0';
	assert_int_equal(zinc_tcp_open(&c, zinc_context_get(NULL), &(zinc_tcp_config){.path = path, .timeout = 1},
				       &again, NULL, &err),
			 ZINC_E_INVALID);
}

/* ---- (4) ---- */

static void
closed_connections(void **state)
{
	int port, listener = listen_here(&port), there, i;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;
	uint8_t byte = 0;
	size_t n;

	(void)state;
	assert_ok(connect_to(&c, "127.0.0.1", port, 1, NULL, &err));
	there = accept(listener, NULL, NULL);
	assert_false(zinc_tcp_is_stale(c));
	close(there);
	usleep(20000);
	assert_true(zinc_tcp_is_stale(c));
	assert_int_equal(zinc_tcp_recv(c, &byte, 1, &n, NULL, &err), ZINC_E_IO);
	for (i = 0; i < 10; i++) /* SIGPIPE would end this process */
		if (zinc_tcp_send(c, &byte, 1, NULL, &err) != ZINC_OK)
			break;
	assert_true(i < 10);
	zinc_tcp_close(c);
	close(listener);
}

/* (6) */
static void
idle_connections(void **state)
{
	int port, listener = listen_here(&port), there, i;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;

	(void)state;
	assert_ok(connect_to(&c, "127.0.0.1", port, 1, NULL, &err));
	there = accept(listener, NULL, NULL);
	assert_false(zinc_tcp_is_stale(c));
	assert_int_equal(send(there, "x", 1, 0), 1); /* nobody has asked */
	for (i = 0; i < 500 && !zinc_tcp_is_stale(c); i++)
		usleep(10000);
	assert_true(zinc_tcp_is_stale(c));
	zinc_tcp_close(c);
	close(there);
	close(listener);
}

/* ---- (3), (5): TLS, with the web server of the tests ---- */

static web server;

static zinc_status
connect_tls(zinc_tcp **out, const char *host, const char *ca_file, bool *again, zinc_error *err)
{
	char text[8];
	const zinc_tcp_config config = {.host = host, .port = text, .timeout = 10, .tls = true, .ca_file = ca_file};

	snprintf(text, sizeof text, "%d", server.port);
	return zinc_tcp_open(out, zinc_context_get(NULL), &config, again, NULL, err);
}

static void
certificates(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;
	bool again = true;

	if (!web_can())
		skip();
	(void)state;
	assert_int_equal(connect_tls(&c, "127.0.0.1", NULL, &again, &err), ZINC_E_IO); /* nobody trusts it */
	assert_false(again);
	assert_non_null(strstr(zinc_error_text(&err), "certificate is refused"));
	again = true;
	assert_int_equal(connect_tls(&c, "localhost", "cert.pem", &again, &err), ZINC_E_IO); /* it names 127.0.0.1 */
	assert_false(again);
	assert_non_null(strstr(zinc_error_text(&err), "certificate is refused"));
	assert_int_equal(connect_tls(&c, "127.0.0.1", "nothing.pem", &again, &err), ZINC_E_INVALID);
	assert_ok(connect_tls(&c, "127.0.0.1", "cert.pem", &again, &err));
	zinc_tcp_close(c);
}

/* A request after a child has closed its copy. */
static void
child_closes_its_copy(void **state)
{
	static const char request[] = "GET /plain/none HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;
	char answer[16] = "";
	bool again;
	int status;
	pid_t child;
	size_t n;

	if (!web_can())
		skip();
	(void)state;
	assert_ok(connect_tls(&c, "127.0.0.1", "cert.pem", &again, &err));
	child = fork();
	if (child == 0) {
		zinc_tcp_close(c);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_ok(zinc_tcp_send(c, request, strlen(request), NULL, &err));
	assert_ok(zinc_tcp_recv(c, answer, 8, &n, NULL, &err));
	assert_memory_equal(answer, "HTTP/1", n < 6 ? n : 6);
	zinc_tcp_close(c);
}

/* (6) A connection with unread tickets is not stale, one with an answer that nobody waits for is; and one that ended. */
static void
idle_tls(void **state)
{
	static const char request[] = "GET /plain/none HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;
	char answer[512];
	bool again;
	size_t n;
	int i;

	if (!web_can())
		skip();
	(void)state;
	assert_ok(connect_tls(&c, "127.0.0.1", "cert.pem", &again, &err));
	usleep(50000);
	assert_false(zinc_tcp_is_stale(c));
	assert_ok(zinc_tcp_send(c, request, strlen(request), NULL, &err));
	for (i = 0; i < 500 && !zinc_tcp_is_stale(c); i++)
		usleep(10000);
	assert_true(zinc_tcp_is_stale(c));
	while (zinc_tcp_recv(c, answer, sizeof answer, &n, NULL, &err) == ZINC_OK)
		;
	assert_true(zinc_tcp_is_stale(c));
	for (i = 0; i < 500 && zinc_tcp_send(c, request, strlen(request), NULL, &err) == ZINC_OK; i++)
		usleep(10000); /* (4): SIGPIPE would end this process */
	assert_true(i < 500);
	zinc_tcp_close(c);
}

/* Nobody is asked for a pass phrase. */
static void
keys_that_are_locked(void **state)
{
	char text[8];
	zinc_tcp_config config = {.host = "127.0.0.1", .port = text, .timeout = 10, .tls = true, .ca_file = "cert.pem"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tcp *c = NULL;
	bool again;

	(void)state;
	if (!web_can() || system("openssl genrsa -aes128 -passout pass:secret -out locked.pem 1024 2>/dev/null") != 0)
		skip();
	snprintf(text, sizeof text, "%d", server.port);
	config.cert_file = "cert.pem";
	config.key_file = "locked.pem";
	assert_int_equal(zinc_tcp_open(&c, zinc_context_get(NULL), &config, &again, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(zinc_error_text(&err), "pass phrase"));
}

static int
start(void **state)
{
	(void)state;
	if (web_can())
		web_start(&server, ".", true);
	return 0;
}

static int
stop(void **state)
{
	(void)state;
	if (web_can())
		web_stop(&server);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_waits_too_long),  cmocka_unit_test(timeouts_do_not_prolong_calls),
	    cmocka_unit_test(all_addresses_are_tried), cmocka_unit_test(own_addresses_are_not_local),
	    cmocka_unit_test(sockets_of_files),        cmocka_unit_test(closed_connections),
	    cmocka_unit_test(idle_connections),        cmocka_unit_test(certificates),
	    cmocka_unit_test(child_closes_its_copy),   cmocka_unit_test(idle_tls),
	    cmocka_unit_test(keys_that_are_locked),
	};

	alarm(HANGS);
	return cmocka_run_group_tests(tests, start, stop);
}

#else

int
main(void)
{
	return 0;
}

#endif
