/*
 * latency_server.c - files over HTTP with latency: every answer begins so many milliseconds after its request
 *
 *     bench-latency-server DIRECTORY MILLISECONDS   prints its port, serves until its standard input ends
 *
 * GET and HEAD with ranges, PUT and DELETE, the part that object stores have and the contenders use; a connection has
 * one request at a time and stays open.  One thread, to take little CPU time from the measured programs.  At its end
 * it prints the number of answered requests and the most that were waiting at once.
 *
 *     request ... delay ... answer          all delays are equal, so waiting requests are a queue
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_MAX = 16384, EVENTS = 64 };

typedef struct peer {
	int fd;
	char *in; /* the received part of the request */
	size_t n, room;
	size_t head; /* its length, when known; 0: not yet */
	size_t body; /* bytes that follow it */
	char *out;   /* the answer */
	size_t out_n, sent;
	double due;        /* when it is sent */
	bool queued, gone; /* it waits; and has hung up meanwhile */
	struct peer *next; /* in the queue */
} peer;

static const char *root;
static double delay;
static int poller, timer;
static peer *first, *last; /* waiting connections, by due */
static long waiting, most, answered;

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
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *
grow(void *p, size_t n)
{
	p = realloc(p, n);
	if (!p)
		die("memory");
	return p;
}

static void
watch(peer *p, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.ptr = p};

	if (epoll_ctl(poller, EPOLL_CTL_MOD, p->fd, &e) != 0)
		die("epoll_ctl");
}

static void
drop(peer *p)
{
	close(p->fd);
	free(p->in);
	free(p->out);
	free(p);
}

/* ---- answers ---- */

static void
answer(peer *p, const char *status, const char *fields, const void *body, size_t n, bool head_only)
{
	const size_t told = head_only ? 0 : n;

	p->out = grow(p->out, 512 + told);
	p->out_n = (size_t)snprintf(p->out, 512, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n%s\r\n", status, n, fields);
	if (told > 0)
		memcpy(p->out + p->out_n, body, told);
	p->out_n += told;
	p->sent = 0;
}

/* The value of a header field, up to the end of its line; "" when there is none. */
static const char *
field(const peer *p, const char *name)
{
	const size_t n = strlen(name);
	const char *line = p->in;

	while ((line = strstr(line, "\r\n")) && (size_t)(line - p->in) < p->head) {
		line += 2;
		if (strncasecmp(line, name, n) == 0 && line[n] == ':')
			return line + n + 1 + strspn(line + n + 1, " ");
	}
	return "";
}

/* "bytes=1-5", "bytes=7-", "bytes=-9" of `size` bytes; false: all of it. */
static bool
range(const char *s, uint64_t size, uint64_t *begin, uint64_t *end)
{
	char *rest;
	uint64_t n;

	*begin = 0;
	*end = size;
	if (strncasecmp(s, "bytes=", 6) != 0)
		return false;
	s += 6;
	if (*s == '-') {
		n = strtoull(s + 1, NULL, 10);
		*begin = n < size ? size - n : 0;
		return true;
	}
	*begin = strtoull(s, &rest, 10);
	if (rest[0] == '-' && isdigit((unsigned char)rest[1]))
		*end = strtoull(rest + 1, NULL, 10) + 1;
	*end = *end < size ? *end : size;
	return true;
}

static void
tag_of(const struct stat *st, char out[64])
{
	snprintf(out, 64, "\"%llx-%llx-%llx\"", (unsigned long long)st->st_ino, (unsigned long long)st->st_size,
		 (unsigned long long)st->st_mtim.tv_sec * 1000000000u + (unsigned long long)st->st_mtim.tv_nsec);
}

static void
get(peer *p, const char *path, bool head_only)
{
	char fields[256], tag[64], where[96] = "";
	uint64_t begin, end;
	struct stat st;
	bool part;
	char *body;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		answer(p, "404 Not Found", "", "", 0, head_only);
		return;
	}
	part = range(field(p, "Range"), (uint64_t)st.st_size, &begin, &end);
	if (part && begin >= end) {
		close(fd);
		snprintf(fields, sizeof fields, "Content-Range: bytes */%llu\r\n", (unsigned long long)st.st_size);
		answer(p, "416 Range Not Satisfiable", fields, "", 0, head_only);
		return;
	}
	body = grow(NULL, (size_t)(end - begin) + 1);
	if (pread(fd, body, (size_t)(end - begin), (off_t)begin) != (ssize_t)(end - begin))
		die(path);
	close(fd);
	tag_of(&st, tag);
	if (part)
		snprintf(where, sizeof where, "Content-Range: bytes %llu-%llu/%llu\r\n", (unsigned long long)begin,
			 (unsigned long long)(end - 1), (unsigned long long)st.st_size);
	snprintf(fields, sizeof fields, "ETag: %s\r\nAccept-Ranges: bytes\r\n%s", tag, where);
	answer(p, part ? "206 Partial Content" : "200 OK", fields, body, (size_t)(end - begin), head_only);
	free(body);
}

static void
make_parents(char *path)
{
	char *s;

	for (s = path + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			die(path);
		*s = '/';
	}
}

/* Conditions as object stores have them: "If-None-Match: *" and "If-Match: TAG". */
static bool
holds(const peer *p, const char *path)
{
	const char *match = field(p, "If-Match");
	struct stat st;
	const bool there = stat(path, &st) == 0;
	char tag[64] = "";

	if (there)
		tag_of(&st, tag);
	if (*field(p, "If-None-Match") == '*' && there)
		return false;
	return *match == '\0' || (there && strncmp(match, tag, strlen(tag)) == 0);
}

static void
put(peer *p, char *path)
{
	char fields[128], tag[64], temporary[PATH_MAX];
	struct stat st;
	int fd;

	if (!holds(p, path)) {
		answer(p, "412 Precondition Failed", "", "", 0, false);
		return;
	}
	make_parents(path);
	snprintf(temporary, sizeof temporary, "%s/.put", root);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, p->in + p->head, p->body) != (ssize_t)p->body || fstat(fd, &st) != 0 ||
	    rename(temporary, path) != 0)
		die(path);
	close(fd);
	tag_of(&st, tag);
	snprintf(fields, sizeof fields, "ETag: %s\r\n", tag);
	answer(p, "200 OK", fields, "", 0, false);
}

/* The path of a request as a file; false: it is not below the directory. */
static bool
file_of(const peer *p, char *path, size_t room)
{
	const char *s = strchr(p->in, ' ');
	size_t n = (size_t)snprintf(path, room, "%s", root);

	for (s = s ? s + 1 : ""; *s != '\0' && *s != ' ' && *s != '?' && n + 1 < room; s++) {
		unsigned c = (unsigned char)*s;

		if (c == '%' && sscanf(s + 1, "%2x", &c) == 1)
			s += 2;
		path[n++] = (char)c;
	}
	path[n] = '\0';
	return strstr(path, "/..") == NULL;
}

static void
serve(peer *p)
{
	char path[PATH_MAX];

	answered++;
	if (!file_of(p, path, sizeof path))
		answer(p, "400 Bad Request", "", "", 0, false);
	else if (strncmp(p->in, "GET ", 4) == 0 || strncmp(p->in, "HEAD ", 5) == 0)
		get(p, path, p->in[0] == 'H');
	else if (strncmp(p->in, "PUT ", 4) == 0)
		put(p, path);
	else if (strncmp(p->in, "DELETE ", 7) == 0)
		answer(p, unlink(path) == 0 || errno == ENOENT ? "204 No Content" : "403 Forbidden", "", "", 0, true);
	else
		answer(p, "405 Method Not Allowed", "", "", 0, false);
}

/* ---- connections ---- */

static void
set_timer(void)
{
	struct itimerspec t = {{0, 0}, {0, 0}};
	double left = first ? first->due - now() : 0;

	if (first) {
		left = left > 1e-6 ? left : 1e-6;
		t.it_value.tv_sec = (time_t)left;
		t.it_value.tv_nsec = (long)((left - (double)t.it_value.tv_sec) * 1e9);
	}
	timerfd_settime(timer, 0, &t, NULL);
}

static void
enqueue(peer *p)
{
	p->due = now() + delay;
	p->next = NULL;
	p->queued = true;
	watch(p, 0);
	if (!first)
		first = p;
	else
		last->next = p;
	last = p;
	most = ++waiting > most ? waiting : most;
	if (first == p)
		set_timer();
}

/* Is the request complete? Then its answer waits for its time. */
static void
look(peer *p)
{
	const char *end = p->head == 0 ? strstr(p->in, "\r\n\r\n") : NULL;

	if (end) {
		p->head = (size_t)(end - p->in) + 4;
		p->body = strtoull(field(p, "Content-Length"), NULL, 10);
		if (strncasecmp(field(p, "Expect"), "100-continue", 12) == 0 &&
		    write(p->fd, "HTTP/1.1 100 Continue\r\n\r\n", 25) != 25)
			die("100");
	}
	if (p->head > 0 && p->n >= p->head + p->body) {
		enqueue(p);
		serve(p); /* within the delay, so that the measured programs do not wait for this disk */
	}
}

/* One that hangs up while it waits is dropped when its time comes. */
static bool
receive(peer *p)
{
	if (p->queued) {
		p->gone = true;
		return epoll_ctl(poller, EPOLL_CTL_DEL, p->fd, NULL) == 0;
	}
	for (;;) {
		ssize_t k;

		if (p->room - p->n < HEAD_MAX) {
			p->room = 2 * p->room + 2 * HEAD_MAX;
			p->in = grow(p->in, p->room);
		}
		k = read(p->fd, p->in + p->n, p->room - p->n - 1);
		if (k < 0 && errno == EAGAIN)
			break;
		if (k <= 0)
			return false;
		p->n += (size_t)k;
		p->in[p->n] = '\0';
	}
	look(p);
	return true;
}

static bool
transmit(peer *p)
{
	while (p->sent < p->out_n) {
		ssize_t k = send(p->fd, p->out + p->sent, p->out_n - p->sent, MSG_NOSIGNAL);

		if (k < 0 && errno == EAGAIN) {
			watch(p, EPOLLOUT);
			return true;
		}
		if (k < 0)
			return false;
		p->sent += (size_t)k;
	}
	p->n = p->head = p->body = p->out_n = 0;
	p->in[0] = '\0';
	watch(p, EPOLLIN);
	return true;
}

static void
accept_all(int listener)
{
	int fd, one = 1;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		peer *p = grow(NULL, sizeof *p);
		struct epoll_event e = {.events = EPOLLIN, .data.ptr = p};

		memset(p, 0, sizeof *p);
		p->fd = fd;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &e) != 0)
			die("epoll_ctl");
	}
}

/* Answer those whose time has come. */
static void
answer_due(void)
{
	uint64_t ticks;

	if (read(timer, &ticks, sizeof ticks) < 0 && errno != EAGAIN)
		die("timer");
	while (first && first->due <= now()) {
		peer *p = first;

		first = p->next;
		waiting--;
		p->queued = false;
		if (p->gone || !transmit(p))
			drop(p);
	}
	set_timer();
}

static int
listen_somewhere(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 1024) != 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &n) != 0)
		die("listen");
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	return fd;
}

static void
add(int fd, void *who)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = who};

	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &e) != 0)
		die("epoll_ctl");
}

int
main(int argc, char **argv)
{
	static char of_listener, of_timer, of_parent;
	struct epoll_event events[EVENTS];
	int listener, i, n;

	if (argc != 3) {
		fprintf(stderr, "usage: bench-latency-server DIRECTORY MILLISECONDS\n");
		return 2;
	}
	root = argv[1];
	delay = strtod(argv[2], NULL) / 1e3;
	poller = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	listener = listen_somewhere();
	add(listener, &of_listener);
	add(timer, &of_timer);
	add(STDIN_FILENO, &of_parent);
	for (;;) {
		n = epoll_wait(poller, events, EVENTS, -1);
		for (i = 0; i < n; i++) {
			void *who = events[i].data.ptr;

			if (who == &of_listener)
				accept_all(listener);
			else if (who == &of_timer)
				answer_due();
			else if (who == &of_parent) {
				printf("%ld requests, at most %ld at once\n", answered, most);
				return 0;
			} else if (!((events[i].events & EPOLLOUT) ? transmit(who) : receive(who)))
				drop(who);
		}
	}
}
