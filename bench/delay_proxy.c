/*
 * delay_proxy.c - a TCP proxy that adds latency and limits no bandwidth
 *
 *     bench-delay-proxy PORT MILLISECONDS   prints its own port; serves 127.0.0.1:PORT until its standard input ends
 *
 * Bytes of either direction leave half of the delay after they came, so that each round trip takes MILLISECONDS longer,
 * however many bytes are under way.  One thread, to take little CPU time from the measured programs.
 *
 *     client ... delay / 2 ... server ... delay / 2 ... client        all delays are equal, so what waits is a queue
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024, EVENTS = 64, MOST_WAITING = 64 << 20 };

struct side;

/* Bytes that wait; none: the end. */
typedef struct block {
	struct block *next;
	struct side *to;
	double due;
	size_t n, sent;
	char bytes[];
} block;

/* One end of a connection pair. */
typedef struct side {
	int fd;
	struct side *other;
	block *first, *last; /* due, but not sent: the socket is full */
	size_t waiting;      /* bytes on the way to this side */
	bool ended;          /* nothing more comes from it */
	bool done;           /* nothing more goes to it */
	bool deaf;           /* not in the poller any more: it has hung up */
} side;

static int poller, timer;
static double delay;
static block *first, *last; /* on the way, by due */
static long connections, most;

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
set_timer(void)
{
	struct itimerspec t = {{0, 0}, {0, 0}};

	if (first) {
		t.it_value.tv_sec = (time_t)first->due;
		t.it_value.tv_nsec = (long)((first->due - (double)t.it_value.tv_sec) * 1e9) + 1;
		if (t.it_value.tv_nsec > 999999999)
			t.it_value.tv_nsec = 999999999;
	}
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &t, NULL);
}

static void
watch(side *s, int change)
{
	const bool reads = !s->ended && s->other->waiting < MOST_WAITING;
	struct epoll_event e = {.events = (reads ? EPOLLIN : 0u) | (s->first ? EPOLLOUT : 0u), .data.ptr = s};

	if (!s->deaf && epoll_ctl(poller, change, s->fd, &e) != 0)
		die("epoll_ctl");
}

/* ---- pairs ---- */

static void
drop_blocks(block **from, block **end, const side *a, const side *b)
{
	block **at = from, *gone, *kept = NULL;

	while ((gone = *at))
		if (gone->to == a || gone->to == b) {
			*at = gone->next;
			free(gone);
		} else {
			kept = gone;
			at = &gone->next;
		}
	*end = kept;
}

static void
close_pair(side *s)
{
	side *o = s->other;

	drop_blocks(&first, &last, s, o);
	drop_blocks(&s->first, &s->last, s, o);
	drop_blocks(&o->first, &o->last, s, o);
	close(s->fd);
	close(o->fd);
	s->fd = o->fd = -1; /* freed never: an event of this round may still name it, and there are few */
	connections--;
}

static side *
new_side(int fd)
{
	side *s = calloc(1, sizeof *s);
	int one = 1, room = 4 << 20;

	if (!s)
		die("calloc");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	s->fd = fd;
	return s;
}

static void
accept_one(int listener, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int in = accept4(listener, NULL, NULL, SOCK_CLOEXEC), out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	side *a, *b;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (in < 0 || out < 0 || connect(out, (struct sockaddr *)&to, sizeof to) != 0) {
		close(in);
		close(out);
		return;
	}
	a = new_side(in);
	b = new_side(out);
	a->other = b;
	b->other = a;
	watch(a, EPOLL_CTL_ADD);
	watch(b, EPOLL_CTL_ADD);
	if (++connections > most)
		most = connections;
}

/* ---- bytes ---- */

static void
add_block(side *from, const char *bytes, size_t n)
{
	block *b = malloc(sizeof *b + n);

	if (!b)
		die("malloc");
	*b = (block){.to = from->other, .due = now() + delay, .n = n};
	__builtin_memcpy(b->bytes, bytes, n);
	from->other->waiting += n;
	if (last)
		last->next = b;
	else
		first = b;
	last = b;
}

static void
receive(side *s)
{
	static char room[BLOCK];
	ssize_t n;

	if (s->ended) { /* hung up: the poller would say so again and again */
		s->deaf = epoll_ctl(poller, EPOLL_CTL_DEL, s->fd, NULL) == 0;
		return;
	}
	n = recv(s->fd, room, sizeof room, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		close_pair(s);
		return;
	}
	add_block(s, room, (size_t)n);
	s->ended = n == 0;
	watch(s, EPOLL_CTL_MOD);
}

/* False: the pair is closed. */
static bool
send_due(side *s)
{
	block *b;

	while ((b = s->first)) {
		const ssize_t n =
		    b->n ? send(s->fd, b->bytes + b->sent, b->n - b->sent, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n < 0) {
			close_pair(s);
			return false;
		}
		b->sent += (size_t)n;
		s->waiting -= (size_t)n;
		if (b->sent < b->n)
			break;
		if (b->n == 0) {
			shutdown(s->fd, SHUT_WR);
			s->done = true;
		}
		s->first = b->next;
		if (!s->first)
			s->last = NULL;
		free(b);
	}
	if (s->done && s->other->done) {
		close_pair(s);
		return false;
	}
	watch(s, EPOLL_CTL_MOD);
	watch(s->other, EPOLL_CTL_MOD);
	return true;
}

static void
deliver(void)
{
	const double t = now();
	block *b;
	side *to;

	while ((b = first) && b->due <= t) {
		first = b->next;
		if (!first)
			last = NULL;
		b->next = NULL;
		to = b->to;
		if (to->last)
			to->last->next = b;
		else
			to->first = b;
		to->last = b;
		send_due(to);
	}
}

static int
listen_on_loopback(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t n = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, n) != 0 || listen(fd, 1024) != 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &n) != 0)
		die("listen");
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

static void
add_plain(int *fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = fd};

	if (epoll_ctl(poller, EPOLL_CTL_ADD, *fd, &e) != 0)
		die("epoll_ctl");
}

int
main(int argc, char **argv)
{
	int listener, in = 0, port, i, n;
	struct epoll_event e[EVENTS];
	char none[64];

	if (argc != 3)
		return 2;
	port = (int)strtol(argv[1], NULL, 10);
	delay = strtod(argv[2], NULL) / 2000;
	poller = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	listener = listen_on_loopback();
	add_plain(&listener);
	add_plain(&timer);
	add_plain(&in);
	for (;;) {
		set_timer();
		n = epoll_wait(poller, e, EVENTS, -1);
		for (i = 0; i < n; i++) {
			side *s = e[i].data.ptr;

			if (e[i].data.ptr == &listener)
				accept_one(listener, port);
			else if (e[i].data.ptr == &timer)
				(void)!read(timer, none, sizeof none);
			else if (e[i].data.ptr == &in) {
				if (read(0, none, sizeof none) <= 0) {
					printf("at most %ld connections\n", most);
					return 0;
				}
			} else if (s->fd >= 0 && !((e[i].events & EPOLLOUT) && !send_due(s)) &&
				   (e[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
				receive(s);
		}
		deliver();
	}
}
