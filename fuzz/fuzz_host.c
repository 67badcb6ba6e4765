/*
 * fuzz_host.c - any text as the header Host
 *
 * (1) What is accepted consists of letters, digits and ".:[]-" only, perhaps with blanks behind it.
 * (2) "*" accepts it.
 */
#include <string.h>

#include "fuzz.h"
#include "server.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"my.name", "hub-1"}, *const star[] = {"*"};
	char *text = (char *)malloc(size + 1);

	insist(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (host_allowed(text, names, 2)) { /* (1) */
		const size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:[]-");

		insist(n > 0 && text[n + strspn(text + n, " \t")] == '\0');
	}
	insist(host_allowed(text, star, 1)); /* (2) */
	free(text);
	return 0;
}
