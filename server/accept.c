/*
 * accept.c - new connections, at most so many at once
 *
 * One thread waits for connections and gives them to the HTTP library.  The library could do that itself, but it cannot
 * stop doing so while its threads run: MHD_quiesce_daemon of libmicrohttpd 0.9.75 removes the listening socket from the
 * sets of its threads while they do the same, and the one that comes second ends the process.
 *
 * Promises (tests/unit/test_server_accept.c names each by its number):
 *
 * (1) While `most` connections are open, further ones wait in the queue of the system; each that ends lets one in.
 * (2) Without descriptors or memory for a connection, it tries again; it does not spin, and it does not end.
 * (3) After accept_stop nobody listens at the address.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"

#define PAUSE_MS 50 /* before the next try, when something is short */

/* False: try again later. */
static bool
take_one(struct acceptor *a)
{
	struct sockaddr_storage from;
	socklen_t n = sizeof from;
	const int fd = accept4(a->fd, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd == -1) /* the client has gone already, or no descriptors or memory */
		return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
	atomic_fetch_add(&a->open, 1);
	if (a->give(a->arg, fd, (const struct sockaddr *)&from, n))
		return true;
	accept_ended(a);
	return false;
}

static void *
accept_all(void *arg)
{
	struct acceptor *a = arg;
	struct pollfd p[2] = {{a->wake, POLLIN, 0}, {a->fd, POLLIN, 0}};
	bool pause = false;
	eventfd_t count;

	while (!atomic_load(&a->stopping)) {
		p[1].fd = pause || atomic_load(&a->open) >= a->most ? -1 : a->fd;
		if (poll(p, 2, pause ? PAUSE_MS : -1) < 0)
			continue;
		pause = false;
		if (p[0].revents)
			(void)eventfd_read(a->wake, &count);
		if (p[1].fd != -1 && p[1].revents)
			pause = !take_one(a);
	}
	return NULL;
}

void
accept_ended(struct acceptor *a)
{
	if (atomic_fetch_sub(&a->open, 1) >= a->most)
		(void)eventfd_write(a->wake, 1);
}

bool
accept_start(struct acceptor *a, int fd, size_t most, accept_fn give, void *arg)
{
	a->fd = fd;
	a->most = most;
	a->give = give;
	a->arg = arg;
	atomic_init(&a->open, 0);
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
