/*
 * query.c - text of a URL: escapes, and members of a query
 *
 *     /token/raw/a%20b/zarr.json?path=a%2Fb&s=0
 *
 * Promises (tests/unit/test_server_query.c names each by its number):
 *
 * (1) A malformed escape, %00 and text that is not UTF-8 are refused, never passed on in part.
 * (2) Of several members with one name the first counts.
 */
#include <stdlib.h>
#include <string.h>

#include "server.h"

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes of the UTF-8 character at s, 1 to 4; 0: it is none.  No surrogates, nothing too long or beyond U+10FFFF. */
static size_t
character(const unsigned char *s)
{
	const unsigned char low = s[0] == 0xe0   ? 0xa0
				  : s[0] == 0xf0 ? 0x90
						 : 0x80,
			    high = s[0] == 0xed   ? 0x9f
				   : s[0] == 0xf4 ? 0x8f
						  : 0xbf;
	const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	size_t i;

	if (n > 1 && (s[1] < low || s[1] > high))
		return 0;
	for (i = 2; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static bool
is_utf8(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n;

	for (; *p; p += n) {
		n = character(p);
		if (!n)
			return false;
	}
	return true;
}

char *
unescape(const char *s, size_t n, bool plus)
{
	char *out = malloc(n + 1), *to = out;
	size_t i;

	for (i = 0; out && i < n; i++) {
		if (s[i] == '%' && i + 2 < n && digit(s[i + 1]) >= 0 && digit(s[i + 2]) >= 0) {
			*to = (char)(digit(s[i + 1]) * 16 + digit(s[i + 2]));
			i += 2;
		} else {
			*to = plus && s[i] == '+' ? ' ' : s[i];
			if (s[i] == '%')
				*to = '\0';
		}
		if (!*to++)
			break;
	}
	if (!out)
		return NULL;
	*to = '\0';
	if (i == n && is_utf8(out))
		return out;
	free(out);
	return NULL;
}

/* The member at *at; moves *at behind it.  False: there are no more. */
static bool
next_member(const char **at, const char **name, size_t *nname, const char **value, size_t *nvalue)
{
	const size_t n = strcspn(*at, "&");
	const char *equals = memchr(*at, '=', n);

	if (!**at)
		return false;
	*name = *at;
	*nname = equals ? (size_t)(equals - *at) : n;
	*value = equals ? equals + 1 : *at + n;
	*nvalue = equals ? n - *nname - 1 : 0;
	*at += n + ((*at)[n] == '&');
	return true;
}

struct wanted {
	const char *name;
	char *value;
};

/* A query_fn. */
static bool
take_wanted(void *arg, const char *name, const char *value)
{
	struct wanted *w = arg;

	if (strcmp(name, w->name) != 0)
		return true;
	w->value = strdup(value);
	return false;
}

char *
query_value(const char *query, const char *name)
{
	struct wanted w = {name, NULL};

	(void)query_each(query, take_wanted, &w);
	return w.value;
}

bool
query_each(const char *query, query_fn fn, void *arg)
{
	const char *key, *value;
	char *name, *text;
	size_t nkey, nvalue;
	bool ok = true;

	while (ok && next_member(&query, &key, &nkey, &value, &nvalue)) {
		name = unescape(key, nkey, true);
		text = unescape(value, nvalue, true);
		ok = nkey + nvalue == 0 || (name && text && fn(arg, name, text)); /* "&&" is no member */
		free(name);
		free(text);
	}
	return ok;
}
