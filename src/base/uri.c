/*
 * uri.c - URIs that end in a version
 *
 *     https://example.org/codecs/gzip/1.0
 *             path                   | version
 *
 * URIs with the same path and major version match, whatever the minor version.  Promises (tests/unit/test_uri.c names
 * each by its number):
 *
 * (1) http and https are the same; a '/' or ".html" at the end is ignored: writers used both forms.
 * (2) A path without a version matches any known version.
 * (3) A version is the last segment, "1.0" or "v1.0" or "1", or the one before the last if the last is "dev".
 * (4) A URI begins with a scheme, has text after it, and only characters that RFC 3986 allows.
 */
#include "base/base.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"

/* "%20" */
static bool
is_escape(const char *s)
{
	return s[0] == '%' && strspn(s + 1, DIGITS "abcdefABCDEF") >= 2;
}

bool
zinc_uri_is(const char *text)
{
	const size_t scheme = strspn(text, LETTERS DIGITS "+-.");
	const char *p = text + scheme + 1;

	if (strspn(text, LETTERS) == 0 || text[scheme] != ':' || *p == '\0')
		return false;
	while (*(p += strspn(p, LETTERS DIGITS "-._~:/?#[]@!$&'()*+,;=")) != '\0') {
		if (!is_escape(p))
			return false;
		p += 3;
	}
	return true;
}

/* A URI split into path and version; major or minor is -1 if missing. */
typedef struct cut {
	const char *path;
	size_t npath;
	long major, minor;
	bool dev; /* a draft of that version */
} cut;

/* Read digits at s[0..n) into `out`; returns their number. */
static size_t
read_digits(const char *s, size_t n, long *out)
{
	size_t i;

	*out = 0;
	for (i = 0; i < n && s[i] >= '0' && s[i] <= '9'; i++)
		*out = *out < 100000 ? *out * 10 + (s[i] - '0') : *out; /* no version is that high */
	return i;
}

/* Is the segment s[0..n) a version? */
static bool
read_version(const char *s, size_t n, cut *c)
{
	const size_t v = n > 1 && s[0] == 'v';
	size_t digits = read_digits(s + v, n - v, &c->major), more;

	c->minor = -1;
	if (digits > 0 && v + digits == n)
		return true;
	if (digits > 0 && s[v + digits] == '.') {
		digits += v + 1;
		more = read_digits(s + digits, n - digits, &c->minor);
		if (more > 0 && digits + more == n)
			return true;
	}
	c->major = c->minor = -1;
	return false;
}

static bool
ends_in(const char *s, size_t n, const char *end)
{
	const size_t nend = strlen(end);

	return n >= nend && memcmp(s + n - nend, end, nend) == 0;
}

/* The start of the last segment of s[0..n). */
static size_t
last_segment(const char *s, size_t n)
{
	while (n > 0 && s[n - 1] != '/')
		n--;
	return n;
}

static cut
cut_up(const char *uri)
{
	cut c = {.path = uri, .major = -1, .minor = -1};
	size_t n, at;

	if (strncmp(uri, "http://", 7) == 0 || strncmp(uri, "https://", 8) == 0)
		c.path = strchr(uri, ':') + 1;
	n = strlen(c.path);
	n -= ends_in(c.path, n, "/");
	n -= ends_in(c.path, n, ".html") ? 5 : 0;
	if (ends_in(c.path, n, "/dev")) {
		c.dev = true;
		n -= 4;
	}
	at = last_segment(c.path, n);
	if (at > 0 && read_version(c.path + at, n - at, &c))
		n = at - 1;
	c.npath = n;
	return c;
}

zinc_uri_match
zinc_uri_compare(const char *known, const char *given)
{
	const cut a = cut_up(known), b = cut_up(given);

	if (a.npath != b.npath || memcmp(a.path, b.path, a.npath) != 0)
		return ZINC_URI_OTHER;
	if (b.major < 0)
		return ZINC_URI_SAME;
	if (a.major < 0)
		return ZINC_URI_OTHER;
	if (a.major != b.major)
		return ZINC_URI_MAJOR;
	return (a.minor == b.minor || b.minor < 0) && a.dev == b.dev ? ZINC_URI_SAME : ZINC_URI_MINOR;
}

zinc_uri_match
zinc_uri_among(const char *const *known, const char *given)
{
	zinc_uri_match best = ZINC_URI_OTHER, one;

	for (; known && *known; known++) {
		one = zinc_uri_compare(*known, given);
		best = one > best ? one : best;
	}
	return best;
}

const char *
zinc_uri_choose(const char *const *known, const char *begins)
{
	const char *const *p;

	for (p = known; p && *p; p++)
		if (strncmp(*p, begins, strlen(begins)) == 0)
			return *p;
	return known ? *known : NULL;
}
