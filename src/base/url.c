/*
 * url.c - removing secrets from a URL before it is shown
 *
 *     https://me:secret@host/a/b?token=1|zip:c?key=2|d     is shown as     https://host/a/b|zip:c|d
 *             '--------'        '------'      '----'
 *     abfs://container@account.dfs.core.windows.net/a?b    is shown without the query: a container is no user
 *     zip://c::https://me:secret@host/a.zip?token=1        is shown as     zip://c::https://host/a.zip
 *
 * Promises (tests/unit/test_url.c names each by its number):
 *
 * (1) Neither user, password nor query of a URL is shown, however long they are and however short the shown text is.
 * (2) A malformed URL shows no password either: a missing '/', or a '/', '?', '#' or '@' in the password that is not
 *     escaped.
 * (3) Paths and file URLs are shown as they are, except for the queries of adapters after a '|'.
 * (4) The shown text is one line of valid UTF-8, as every text of an error.
 */
#include <ctype.h>

#include <zinc/store.h>

#include "base/base.h"

#define MAX_SHOWN 8192 /* bytes; longer than any path */

/* The bytes of `url` before user, password and host: the length of "https://"; 0 when it names no host. */
static size_t
before_host(const char *url)
{
	const bool web = strncasecmp(url, "http", 4) == 0;
	size_t n = 0;

	if (!isalpha((unsigned char)url[0]) || strncasecmp(url, "file:", 5) == 0)
		return 0;
	while (isalnum((unsigned char)url[n]) || url[n] == '+' || url[n] == '-' || url[n] == '.')
		n++;
	if (n < 2 || !(url[n] == ':' ? web || url[n + 1] == '/' : web && url[n] == '/' && url[n + 1] == '/'))
		return 0;
	if (strncmp(url + n, "://:", 4) == 0) /* a password without a user */
		return n + 3;
	return n + strspn(url + n, ":/");
}

/* The part of `rest` to hide; `rest` follows "https://".  *from is its start, the result its length.  An unescaped
 * character in a password may end the authority too early; this is detected by a ':' without a port. */
static size_t
secret_length(const char *rest, size_t *from)
{
	const size_t n = strcspn(rest, "/?#|"), colon = strcspn(rest, ":");
	const char *at = (const char *)memrchr(rest, '@', n), *last = strrchr(rest, '@');

	*from = 0;
	if (colon >= n)
		return at ? (size_t)(at + 1 - rest) : 0;
	if (at)
		return (size_t)(last + 1 - rest);
	if (rest[0] == '[' || colon + 1 + strspn(rest + colon + 1, "0123456789") == n)
		return 0;
	if (last)
		return (size_t)(last + 1 - rest);
	*from = colon;
	return n - colon;
}

/* The length of "|adapter:path" that is shown: its query may hold a secret.  A '|' without an adapter has no query. */
static size_t
adapter_length(const char *s)
{
	const size_t n = 1 + strcspn(s + 1, "|"), name = 1 + strcspn(s + 1, ":/|"), query = strcspn(s, "?");

	return s[name] == ':' && query < n ? query : n;
}

const char *
zinc_url_chained(const char *url)
{
	const char *end = strncasecmp(url, "zip://", 6) == 0 ? strstr(url + 6, "::") : NULL;

	return end ? end + 2 : NULL;
}

/* abfs://container@account.dfs.core.windows.net: what precedes the '@' is no user. */
static bool
names_container(const char *url, size_t host)
{
	static const char *const schemes[] = {"az://", "abfs://", "abfss://"};
	const char *rest = url + host;
	const size_t n = strspn(rest, "abcdefghijklmnopqrstuvwxyz0123456789-$");
	size_t i;

	if (n == 0 || rest[n] != '@' || strcspn(rest + n + 1, "@:") < strcspn(rest + n + 1, "/?#|"))
		return false;
	for (i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
		if (host == strlen(schemes[i]) && strncasecmp(url, schemes[i], host) == 0)
			return true;
	return false;
}

static size_t
parts_of(const char *url, size_t room, zinc_bytes *out)
{
	const size_t host = before_host(url);
	size_t at = 0, skip = host && !names_container(url, host) ? secret_length(url + host, &at) : 0, k = 2;
	const char *from = url + host + at + skip;

	out[0] = (zinc_bytes){(const uint8_t *)url, host + at};
	out[1] = (zinc_bytes){(const uint8_t *)from, strcspn(from, host ? "?#|" : "|")};
	from += out[1].n;
	for (from += strcspn(from, "|"); *from && k < room; k++) {
		out[k] = (zinc_bytes){(const uint8_t *)from, adapter_length(from)};
		from += 1 + strcspn(from + 1, "|");
	}
	return k;
}

/* What precedes the URL of the archive in "zip://path::URL" is shown, unless it seems to have a query. */
size_t
zinc_url_parts(const char *url, zinc_bytes out[ZINC_URL_PARTS])
{
	const char *base = url, *next;

	while ((next = zinc_url_chained(base)))
		base = next;
	if (base == url || memchr(url, '?', (size_t)(base - url)))
		return parts_of(base, ZINC_URL_PARTS, out);
	out[0] = (zinc_bytes){(const uint8_t *)url, (size_t)(base - url)};
	return 1 + parts_of(base, ZINC_URL_PARTS - 1, out + 1);
}

/* Copy the parts of `url` that are shown to `out`, which may be the URL itself.  Returns their length. */
static size_t
join(char *out, size_t cap, const char *url)
{
	zinc_bytes parts[ZINC_URL_PARTS];
	size_t n = 0, take, k, nparts = zinc_url_parts(url, parts);

	for (k = 0; k < nparts; k++) {
		take = (size_t)zinc_min_u64(parts[k].n, cap - 1 - n);
		memmove(out + n, parts[k].p, take);
		n += take;
	}
	out[n] = '\0';
	return n;
}

/* After the removal of a password with an '@' the URL may seem to have another password, so it is cleaned again. */
size_t
zinc_url_show(char *out, size_t cap, const char *url)
{
	char raw[MAX_SHOWN];
	size_t n = join(raw, sizeof raw, url), was;

	do {
		was = n;
		n = join(raw, sizeof raw, raw);
	} while (n < was);
	return zinc_show(out, cap, raw);
}
