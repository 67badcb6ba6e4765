/*
 * own_address.h - a socket at an address of this machine that is not loopback's, and so looks like another machine's
 */
#ifndef OWN_ADDRESS_H
#define OWN_ADDRESS_H

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "support/test.h"

/* An address of IPv4; false: this machine has none. */
static inline bool
find_own_address(struct sockaddr_in *out)
{
	struct ifaddrs *all = NULL, *a;
	bool found = false;

	if (getifaddrs(&all) != 0)
		return false;
	for (a = all; a && !found; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET)
			continue;
		memcpy(out, a->ifa_addr, sizeof *out);
		found = ntohl(out->sin_addr.s_addr) >> 24 != 127;
	}
	freeifaddrs(all);
	return found;
}

/* It listens at host:*port; -1: there is no such address. */
static inline int
listen_outside(char host[INET_ADDRSTRLEN], int *port)
{
	struct sockaddr_in at;
	socklen_t n = sizeof at;
	int fd;

	*port = 0;
	host[0] = '\0';
	if (!find_own_address(&at))
		return -1;
	at.sin_port = 0;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	assert_non_null(inet_ntop(AF_INET, &at.sin_addr, host, INET_ADDRSTRLEN));
	*port = ntohs(at.sin_port);
	return fd;
}

#endif
