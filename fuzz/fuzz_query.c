/*
 * fuzz_query.c - any text as a query of a URL
 *
 * (1) A value is valid UTF-8 without a NUL, and not longer than the query.
 * (2) A value without escapes is found as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "fuzz.h"
#include "server.h"

static bool
check(void *arg, const char *name, const char *value)
{
	const size_t *n = (const size_t *)arg;

	insist(strlen(name) <= *n && strlen(value) <= *n);
	insist(zinc_utf8_valid(name, strlen(name)) && zinc_utf8_valid(value, strlen(value))); /* (1) */
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = (char *)malloc(size + 1), *value;
	size_t n;

	insist(text);
	memcpy(text, data, size);
	text[size] = '\0';
	n = strlen(text);
	(void)query_each(text, check, &n);
	value = query_value(text, "path");
	if (value)
		insist(strlen(value) <= n && zinc_utf8_valid(value, strlen(value)));
	if (!strncmp(text, "path=", 5) && !strpbrk(text, "%&+") && zinc_utf8_valid(text, n))
		insist(value && !strcmp(value, text + 5)); /* (2) */
	free(value);
	free(text);
	return 0;
}
