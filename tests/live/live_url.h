/*
 * live_url.h - URLs with a "{}" in them, as the programs of this directory take them
 */
#ifndef LIVE_URL_H
#define LIVE_URL_H

#include <stdio.h>
#include <string.h>

/* `pattern` with its first "{}" replaced by `word`; false: it has none, or `out` is too small. */
static inline int
live_url(char *out, size_t cap, const char *pattern, const char *word)
{
	const char *hole = strstr(pattern, "{}");
	int n;

	if (!hole)
		return 0;
	n = snprintf(out, cap, "%.*s%s%s", (int)(hole - pattern), pattern, word, hole + 2);
	return n > 0 && (size_t)n < cap;
}

#endif
