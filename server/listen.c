/*
 * listen.c - the address that the server listens at
 *
 *     127.0.0.1:8080   [::1]:0   localhost:8000   8080 (of 127.0.0.1)   0.0.0.0:80 (all)
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"

struct place {
	char host[256], port[8];
};

static zinc_status
failed(zinc_error *err, zinc_status st, const char *where, const char *why)
{
	char text[512];

	snprintf(text, sizeof text, "cannot listen at %.300s: %.100s", where, why);
	return zinc_error_set(err, st, text);
}

static bool
is_port(const char *s)
{
	return *s && strlen(s) <= 5 && s[strspn(s, "0123456789")] == '\0' && strtoul(s, NULL, 10) <= 65535;
}

static bool
parse(struct place *p, const char *where)
{
	const char *colon = strrchr(where, ':');
	const char *host = where;
	size_t n;

	if (!colon && is_port(where)) {
		snprintf(p->host, sizeof p->host, "127.0.0.1");
		snprintf(p->port, sizeof p->port, "%s", where);
		return true;
	}
	if (!colon || !is_port(colon + 1))
		return false;
	n = (size_t)(colon - host);
	if (n > 2 && host[0] == '[' && host[n - 1] == ']') {
		host++;
		n -= 2;
	} else if (memchr(host, ':', n)) {
		return false;
	}
	if (n == 0 || n >= sizeof p->host)
		return false;
	memcpy(p->host, host, n);
	p->host[n] = '\0';
	snprintf(p->port, sizeof p->port, "%s", colon + 1);
	return true;
}

/* Of the first address that can be used; -1: errno says why. */
static int
open_socket(const struct addrinfo *info)
{
	const int yes = 1;
	int fd = -1, why = 0;

	for (; info && fd == -1; info = info->ai_next) {
		fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd == -1)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
		if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, 1024) == 0)
			return fd;
		why = errno;
		close(fd);
		fd = -1;
	}
	errno = why ? why : errno;
	return fd;
}

/* An address of all interfaces is no address to go to; the name of the machine is. */
static void
print_base(char *base, size_t cap, int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof at;
	char host[256] = "", port[16] = "0";

	memset(&at, 0, sizeof at);
	if (getsockname(fd, (struct sockaddr *)&at, &n) == 0)
		getnameinfo((struct sockaddr *)&at, n, host, sizeof host, port, sizeof port,
			    NI_NUMERICHOST | NI_NUMERICSERV);
	if (!strcmp(host, "0.0.0.0") || !strcmp(host, "::"))
		gethostname(host, sizeof host - 1);
	snprintf(base, cap, strchr(host, ':') ? "http://[%s]:%s/" : "http://%s:%s/", host, port);
}

zinc_status
listen_at(int *fd, char *base, size_t cap, const char *where, zinc_error *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *info = NULL;
	struct place p;
	int e;

	if (!parse(&p, where))
		return failed(err, ZINC_E_INVALID, where, "write ADDRESS:PORT, [ADDRESS]:PORT or PORT");
	e = getaddrinfo(p.host, p.port, &hints, &info);
	if (e)
		return failed(err, ZINC_E_INVALID, where, gai_strerror(e));
	*fd = open_socket(info);
	e = errno;
	freeaddrinfo(info);
	if (*fd == -1)
		return failed(err, ZINC_E_IO, where, strerror(e));
	print_base(base, cap, *fd);
	return ZINC_OK;
}
