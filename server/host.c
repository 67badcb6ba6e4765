/*
 * host.c - the header Host, against DNS rebinding
 *
 * A page of another site can give its own name the address 127.0.0.1; its requests then look like those of the same
 * site to the browser, but still have that name in Host.  So names are accepted that were given to the server, and
 * addresses, which no site can take.
 *
 * Promises (tests/unit/test_server_host.c names each by its number):
 *
 * (1) "localhost", addresses in digits and the names given are accepted, with any port, in upper or lower case.
 * (2) Everything else is refused; "*" among the names accepts all.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "server.h"

/* Blanks behind the value of a header are not part of it (RFC 9110, 5.5). */
size_t
host_name_length(const char *host)
{
	const size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ": \t");
	const char *rest = host + n;

	if (host[0] == '[' && host[n - 1] != ']')
		return 0;
	rest += *rest == ':' ? 1 + strspn(rest + 1, "0123456789") : 0;
	return rest[strspn(rest, " \t")] ? 0 : n;
}

static bool
is_address(const char *name)
{
	unsigned char room[sizeof(struct in6_addr)];
	const size_t n = strlen(name);
	char inner[64];

	if (name[0] != '[')
		return inet_pton(AF_INET, name, room) == 1;
	if (n < 3 || n - 2 >= sizeof inner)
		return false;
	memcpy(inner, name + 1, n - 2);
	inner[n - 2] = '\0';
	return inet_pton(AF_INET6, inner, room) == 1;
}

bool
host_allowed(const char *host, const char *const *names, size_t n)
{
	const size_t length = host_name_length(host);
	char name[256];
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i], "*"))
			return true;
	if (length == 0 || length >= sizeof name)
		return false;
	memcpy(name, host, length);
	name[length] = '\0';
	for (i = 0; i < n; i++)
		if (!strcasecmp(names[i], name))
			return true;
	return !strcasecmp(name, "localhost") || is_address(name);
}
