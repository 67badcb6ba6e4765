/*
 * silent_peer.h - a server on loopback that accepts connections, sends some bytes to each, and then says nothing or closes
 */
#ifndef SILENT_PEER_H
#define SILENT_PEER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/test.h"

enum { PEER_MOST = 64 };

typedef struct silent_peer {
	int fd, port;
	const void *bytes; /* sent after the first bytes of the client */
	size_t nbytes;
	bool closes;
	atomic_bool stop;
	atomic_int accepted;
	int open[PEER_MOST];
	pthread_t thread;
} silent_peer;

static inline void
peer_answer(silent_peer *p, int fd)
{
	const int i = atomic_fetch_add(&p->accepted, 1); /* before the client hears of it */
	char ignored[4096];

	if (p->nbytes && recv(fd, ignored, sizeof ignored, 0) > 0)
		(void)!send(fd, p->bytes, p->nbytes, MSG_NOSIGNAL);
	if (p->closes || i >= PEER_MOST)
		close(fd);
	else
		p->open[i] = fd;
}

static inline void *
peer_run(void *arg)
{
	silent_peer *p = (silent_peer *)arg;
	struct pollfd wait = {.fd = p->fd, .events = POLLIN};

	while (!atomic_load(&p->stop))
		if (poll(&wait, 1, 20) > 0)
			peer_answer(p, accept(p->fd, NULL, NULL));
	return NULL;
}

static inline void
peer_start(silent_peer *p, const void *bytes, size_t nbytes, bool closes)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof at;

	*p = (silent_peer){.fd = socket(AF_INET, SOCK_STREAM, 0), .bytes = bytes, .nbytes = nbytes, .closes = closes};
	assert_int_equal(bind(p->fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(p->fd, PEER_MOST), 0);
	assert_int_equal(getsockname(p->fd, (struct sockaddr *)&at, &n), 0);
	p->port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&p->thread, NULL, peer_run, p), 0);
}

static inline void
peer_stop(silent_peer *p)
{
	int i;

	atomic_store(&p->stop, true);
	pthread_join(p->thread, NULL);
	close(p->fd);
	for (i = 0; i < PEER_MOST; i++)
		if (p->open[i])
			close(p->open[i]);
}

#endif
