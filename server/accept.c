/*
 * accept.c - new connections, at most so many at once
 *
 * One thread waits for connections and gives them to the HTTP library.  The library could do that itself, but it cannot
 * stop doing so while its threads run: MHD_quiesce_daemon of libmicrohttpd 0.9.75 removes the listening socket from the
 * sets of its threads while they do the same, and the one that comes second ends the process.
 *
 *     accept4 -> given -> begun -> ended
 *                    '--> lost: without memory for it the library closes the socket and tells nobody
 *
 * Promises (tests/unit/test_server_accept.c names each by its number):
 *
 * (1) While `most` connections are open, further ones wait in the queue of the system; each that ends lets one in.
 * (2) Without descriptors or memory for a connection, it tries again; it does not spin, and it does not end.
 * (3) After accept_stop nobody listens at the address.
 * (4) A connection that never begins keeps its place for a few seconds at most.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

#define PAUSE_MS 10 /* before the next try, when something is short */
/* If some were always waiting to begin for so long, it lets nobody in.  Those that have not begun after as long again
 * are lost: all others would have had their turn. */
#define DOUBT_MS 1000

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* False: try again later. */
static bool
take_one(struct acceptor *a)
{
	struct sockaddr_storage from;
	socklen_t n = sizeof from;
	const int fd = accept4(a->fd, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd == -1) /* the client has gone already, or no descriptors or memory */
		return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
	if (a->given - a->lost == atomic_load(&a->begun))
		a->settled = now_ms();
	a->given++; /* before it can begin */
	if (a->give(a->arg, fd, (const struct sockaddr *)&from, n))
		return true;
	a->given--;
	return false;
}

/* How long have some been waiting to begin, without a moment in which all had?  After twice DOUBT_MS they are lost; if
 * one begins all the same, it is not.  No more have ended than `begun`. */
static int64_t
doubt_of(struct acceptor *a, uint64_t begun)
{
	const uint64_t not_begun = a->given - begun;
	const int64_t t = now_ms();

	if (a->lost > not_begun)
		a->lost = not_begun;
	if (t - a->settled >= 2 * DOUBT_MS)
		a->lost = not_begun;
	if (a->lost == not_begun)
		a->settled = t;
	return t - a->settled;
}

/* Wait for a connection, a place, or the end.  True: there is a connection. */
static bool
wait_for_one(struct acceptor *a, bool pause)
{
	struct pollfd p[2] = {{a->wake, POLLIN, 0}, {a->fd, POLLIN, 0}};
	uint64_t ended, begun;
	int64_t doubt;
	eventfd_t count;

	atomic_store(&a->full, true); /* so that an end from here on is told */
	ended = atomic_load(&a->ended);
	begun = atomic_load(&a->begun);
	doubt = doubt_of(a, begun);
	if (a->given - a->lost - ended < a->most)
		atomic_store(&a->full, false);
	pause = pause || doubt >= DOUBT_MS;
	if (pause || atomic_load(&a->full))
		p[1].fd = -1;
	if (poll(p, 2, pause ? PAUSE_MS : a->given - a->lost > begun ? DOUBT_MS : -1) < 0)
		return false;
	if (p[0].revents)
		(void)eventfd_read(a->wake, &count);
	return p[1].fd != -1 && p[1].revents;
}

static void *
accept_all(void *arg)
{
	struct acceptor *a = arg;
	bool pause = false;

	while (!atomic_load(&a->stopping))
		pause = wait_for_one(a, pause) && !take_one(a);
	return NULL;
}

void
accept_began(struct acceptor *a)
{
	atomic_fetch_add(&a->begun, 1);
}

void
accept_ended(struct acceptor *a)
{
	atomic_fetch_add(&a->ended, 1);
	if (atomic_exchange(&a->full, false))
		(void)eventfd_write(a->wake, 1);
}

bool
accept_start(struct acceptor *a, int fd, size_t most, accept_fn give, void *arg)
{
	a->fd = fd;
	a->most = most;
	a->give = give;
	a->arg = arg;
	a->given = a->lost = 0;
	a->settled = now_ms();
	atomic_init(&a->begun, 0);
	atomic_init(&a->ended, 0);
	atomic_init(&a->full, false);
	atomic_init(&a->stopping, false);
	a->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->wake == -1)
		return false;
	if (pthread_create(&a->thread, NULL, accept_all, a) == 0)
		return true;
	close(a->wake);
	a->wake = -1;
	return false;
}

void
accept_stop(struct acceptor *a)
{
	atomic_store(&a->stopping, true);
	(void)eventfd_write(a->wake, 1);
	pthread_join(a->thread, NULL);
	close(a->fd);
}

void
accept_free(struct acceptor *a)
{
	close(a->wake);
}
