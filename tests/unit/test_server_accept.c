/*
 * test_server_accept.c - new connections: the limit, shortages, the end
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "server.h"
#include "test.h"

#define CLIENTS 12

static struct sockaddr_in address;
static int given[CLIENTS]; /* connections, in their order */
static atomic_int ngiven;
static atomic_bool refuse;              /* what `take` answers */
static struct acceptor *_Atomic begins; /* NULL: no connection begins */

static bool
take(void *arg, int fd, const struct sockaddr *from, socklen_t n)
{
	(void)from, (void)n;
	assert_ptr_equal(arg, &address);
	if (atomic_load(&refuse)) {
		close(fd);
		return false;
	}
	given[atomic_load(&ngiven)] = fd;
	if (atomic_load(&begins))
		accept_began(atomic_load(&begins));
	atomic_fetch_add(&ngiven, 1);
	return true;
}

static void
start(struct acceptor *a, size_t most)
{
	socklen_t n = sizeof address;
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	atomic_store(&ngiven, 0);
	atomic_store(&refuse, false);
	atomic_store(&begins, a);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, CLIENTS), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &n), 0);
	assert_true(accept_start(a, fd, most, take, &address));
}

static int
make_client(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd != -1);
	return fd;
}

static bool
connects(int fd)
{
	return connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
}

static void
nap(void)
{
	nanosleep(&(struct timespec){0, 5000000}, NULL);
}

/* At most a minute: without a limit a mistake would be a hang. */
static void
wait_for(int n)
{
	int naps;

	for (naps = 0; naps < 12000 && atomic_load(&ngiven) < n; naps++)
		nap();
	assert_true(atomic_load(&ngiven) >= n);
}

/* Time for a mistake to show itself. */
static void
linger(void)
{
	nanosleep(&(struct timespec){0, 200000000}, NULL);
}

static void
lets_only_so_many_in(void **state) /* accept (1) */
{
	struct acceptor a;
	int client[CLIENTS], i;

	(void)state;
	start(&a, 4);
	for (i = 0; i < CLIENTS; i++) {
		client[i] = make_client();
		assert_true(connects(client[i])); /* the system's queue has room */
	}
	wait_for(4);
	linger();
	assert_int_equal(ngiven, 4);
	for (i = 0; i + 4 < CLIENTS; i++) {
		close(given[i]);
		accept_ended(&a);
		wait_for(i + 5);
		linger();
		assert_int_equal(ngiven, i + 5);
	}
	accept_stop(&a);
	for (; i < CLIENTS; i++) {
		close(given[i]);
		accept_ended(&a); /* may still be called */
	}
	accept_free(&a);
	for (i = 0; i < CLIENTS; i++)
		close(client[i]);
}

static void
refused_connections_do_not_count(void **state)
{
	struct acceptor a;
	int client[CLIENTS], i;
	char byte;

	(void)state;
	start(&a, 1);
	atomic_store(&refuse, true);
	for (i = 0; i < CLIENTS; i++) {
		client[i] = make_client();
		assert_true(connects(client[i]));
		assert_true(recv(client[i], &byte, 1, 0) <= 0); /* closed */
		close(client[i]);
	}
	atomic_store(&refuse, false);
	client[0] = make_client();
	assert_true(connects(client[0]));
	wait_for(1);
	accept_stop(&a);
	assert_int_equal(a.given, 1);
	accept_free(&a);
	close(given[0]);
	close(client[0]);
}

static double
cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
goes_on_after_a_shortage(void **state) /* accept (2) */
{
	struct rlimit limit, none;
	struct acceptor a;
	double began, used;
	int client, i;

	(void)state;
	start(&a, 4);
	client = make_client();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = (rlim_t)client + 1; /* the number after the last one */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_true(connects(client));
	began = cpu_seconds();
	for (i = 0; i < 5; i++)
		linger();
	used = cpu_seconds() - began;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(used < 0.5); /* of 1 s, so it does not spin */
	wait_for(1);
	accept_stop(&a);
	accept_free(&a);
	close(given[0]);
	close(client);
}

/* Connections beyond the limit, of which those that never begin are forgotten; one that is only late counts again. */
static void
forgets_connections_that_never_begin(void **state) /* accept (4) */
{
	struct acceptor a;
	int client[6], i;

	(void)state;
	start(&a, 2);
	atomic_store(&begins, NULL); /* nobody has connected yet */
	for (i = 0; i < 11; i++)
		linger(); /* a silence does not count as waiting */
	for (i = 0; i < 2; i++) {
		client[i] = make_client();
		assert_true(connects(client[i]));
	}
	wait_for(2);
	atomic_store(&begins, &a);
	for (; i < 6; i++) {
		client[i] = make_client();
		assert_true(connects(client[i]));
	}
	linger();
	assert_int_equal(ngiven, 2);
	wait_for(4);      /* after some seconds */
	accept_began(&a); /* the first: now three are open */
	accept_ended(&a);
	linger();
	assert_int_equal(ngiven, 4);
	accept_ended(&a);
	wait_for(5);
	linger();
	assert_int_equal(ngiven, 5);
	accept_stop(&a);
	accept_free(&a);
	for (i = 0; i < 6; i++)
		close(client[i]);
	for (i = 0; i < 5; i++)
		close(given[i]);
}

static void
nobody_listens_after_the_end(void **state) /* accept (3) */
{
	struct acceptor a;
	int client, round;

	(void)state;
	for (round = 0; round < 50; round++) {
		start(&a, 4);
		accept_stop(&a);
		client = make_client();
		assert_false(connects(client));
		accept_free(&a);
		close(client);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lets_only_so_many_in),         cmocka_unit_test(refused_connections_do_not_count),
	    cmocka_unit_test(goes_on_after_a_shortage),     cmocka_unit_test(forgets_connections_that_never_begin),
	    cmocka_unit_test(nobody_listens_after_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
