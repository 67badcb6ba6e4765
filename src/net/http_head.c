/*
 * http_head.c - parsing the head of an answer (RFC 9110)
 *
 * Promises (tests/unit/test_http_head.c names each by its number):
 *
 * (1) A number that is malformed, signed or too large is unknown, never another number.
 * (2) A weak ETag (W/"...") is ignored: it says that values mean the same, not that their bytes are equal.
 * (3) Nothing of an earlier answer (100 Continue, a redirection) remains when the next status line comes.
 */
#include <ctype.h>

#include "net/net.h"

void
zinc_http_head_init(zinc_http_head *h)
{
	memset(h, 0, sizeof *h);
	h->length = h->first = h->last = h->total = h->retry_after = ZINC_HTTP_UNKNOWN;
	h->modified_at = h->date = -1;
}

/* A piece of a line; header names and tokens are compared without case. */
typedef struct piece {
	const char *p;
	size_t n;
} piece;

static bool
is(piece a, const char *word)
{
	size_t i;

	for (i = 0; i < a.n && word[i]; i++)
		if (tolower((unsigned char)a.p[i]) != word[i])
			return false;
	return i == a.n && word[i] == '\0';
}

static piece
trim(piece a)
{
	while (a.n && (a.p[0] == ' ' || a.p[0] == '\t')) {
		a.p++;
		a.n--;
	}
	while (a.n && isspace((unsigned char)a.p[a.n - 1]))
		a.n--;
	return a;
}

/* Read the digits at the start of *a and move past them; UNKNOWN when there are none or too many. */
static uint64_t
take_number(piece *a)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < a->n && a->p[i] >= '0' && a->p[i] <= '9'; i++)
		if (value > (ZINC_HTTP_UNKNOWN - 10) / 10)
			return ZINC_HTTP_UNKNOWN;
		else
			value = value * 10 + (uint64_t)(a->p[i] - '0');
	if (i == 0)
		return ZINC_HTTP_UNKNOWN;
	a->p += i;
	a->n -= i;
	return value;
}

static uint64_t
whole_number(piece a)
{
	uint64_t value = take_number(&a);

	return a.n == 0 ? value : ZINC_HTTP_UNKNOWN;
}

static bool
take_char(piece *a, char c)
{
	if (a->n == 0 || a->p[0] != c)
		return false;
	a->p++;
	a->n--;
	return true;
}

/* Text that does not fit is dropped: a truncated tag would match others. */
static void
keep(char *out, size_t cap, piece a)
{
	size_t n = a.n < cap ? a.n : 0;

	memcpy(out, a.p, n);
	out[n] = '\0';
}

/* ---- dates ---- */

/* Days from 1970-01-01 to a day of the Gregorian calendar; years are counted from March. */
static int64_t
days_of(int64_t year, int64_t month, int64_t day)
{
	const int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* n digits at a fixed position, or -1. */
static int64_t
digits_at(piece a, size_t at, size_t n)
{
	int64_t value = 0;
	size_t i;

	for (i = at; i < at + n; i++) {
		if (a.p[i] < '0' || a.p[i] > '9')
			return -1;
		value = value * 10 + (a.p[i] - '0');
	}
	return value;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", the only form in use today; -1 for any other. */
static int64_t
date_of(piece a)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int64_t day, year, hour, minute, second;
	size_t month;

	if (a.n != 29)
		return -1;
	for (month = 0; month < 12 && memcmp(a.p + 8, months + 3 * month, 3) != 0;)
		month++;
	day = digits_at(a, 5, 2);
	year = digits_at(a, 12, 4);
	hour = digits_at(a, 17, 2);
	minute = digits_at(a, 20, 2);
	second = digits_at(a, 23, 2);
	if (month == 12 || day < 1 || year < 1970 || hour < 0 || minute < 0 || second < 0)
		return -1;
	return ((days_of(year, (int64_t)month + 1, day) * 24 + hour) * 60 + minute) * 60 + second;
}

/* Two changes within the same second have the same date, so it must be older than the answer by more than a second. */
bool
zinc_http_head_date_is_tag(const zinc_http_head *h)
{
	return h->modified[0] && h->modified_at >= 0 && h->date >= 0 && h->date - h->modified_at >= 2;
}

bool
zinc_http_head_is_fresh(const zinc_http_head *h)
{
	return h->modified_at >= 0 && h->date >= 0 && h->date - h->modified_at < 2;
}

/* ---- fields ---- */

static void
set_length(zinc_http_head *h, piece value)
{
	h->length = whole_number(value);
}

/* "bytes 0-9/100", "bytes 0-9" + "/" + "*", "bytes *" + "/100" */
static void
set_range(zinc_http_head *h, piece value)
{
	uint64_t first = ZINC_HTTP_UNKNOWN, last = ZINC_HTTP_UNKNOWN, total = ZINC_HTTP_UNKNOWN;

	if (value.n < 6 || !is((piece){value.p, 6}, "bytes "))
		return;
	value.p += 6;
	value.n -= 6;
	if (!take_char(&value, '*')) {
		first = take_number(&value);
		if (!take_char(&value, '-'))
			return;
		last = take_number(&value);
		if (first == ZINC_HTTP_UNKNOWN || last == ZINC_HTTP_UNKNOWN)
			return;
	}
	if (!take_char(&value, '/'))
		return;
	if (!is(value, "*"))
		total = whole_number(value);
	if (first != ZINC_HTTP_UNKNOWN && (last < first || last >= total))
		return;
	h->first = first;
	h->last = last;
	h->total = total;
}

static void
set_accept_ranges(zinc_http_head *h, piece value)
{
	h->no_ranges = is(value, "none");
}

/* A second field does not take the first back. */
static void
set_encoding(zinc_http_head *h, piece value)
{
	h->encoded |= value.n != 0 && !is(value, "identity");
}

static void
set_transfer(zinc_http_head *h, piece value)
{
	if (is(value, "chunked"))
		h->framed = true;
}

/* An opaque text in quotes, without characters that could end a header line. */
static void
set_etag(zinc_http_head *h, piece value)
{
	size_t i;

	h->etag[0] = '\0';
	if (value.n < 2 || value.p[0] != '"' || value.p[value.n - 1] != '"')
		return;
	for (i = 0; i < value.n; i++)
		if ((unsigned char)value.p[i] < 0x21 || value.p[i] == 0x7f)
			return;
	keep(h->etag, sizeof h->etag, value);
}

static void
set_modified(zinc_http_head *h, piece value)
{
	h->modified_at = date_of(value);
	keep(h->modified, sizeof h->modified, h->modified_at >= 0 ? value : (piece){value.p, 0});
}

static void
set_date(zinc_http_head *h, piece value)
{
	h->date = date_of(value);
}

/* The form with a date is ignored; the usual pause applies. */
static void
set_retry_after(zinc_http_head *h, piece value)
{
	h->retry_after = whole_number(value);
}

/* The URL without its query, and without user and password. */
static piece
place_of(piece url)
{
	const char *end = (const char *)memchr(url.p, '?', url.n);

	return (piece){url.p, end ? (size_t)(end - url.p) : url.n};
}

/* The path of a URL; one that begins with its path is returned whole. */
static piece
path_of(piece url)
{
	const char *at = (const char *)memmem(url.p, url.n, "://", 3), *end = url.p + url.n;

	if (!at)
		return url;
	at = (const char *)memchr(at + 3, '/', (size_t)(end - at - 3));
	return at ? (piece){at, (size_t)(end - at)} : (piece){end, 0};
}

/* "https://user@host:1" of a URL, without the user. */
static bool
same_host(piece a, piece b)
{
	const size_t na = a.n - path_of(a).n, nb = b.n - path_of(b).n;
	const char *at = (const char *)memrchr(a.p, '@', na), *colon = (const char *)memmem(a.p, na, "://", 3);
	const size_t scheme = colon ? (size_t)(colon + 3 - a.p) : 0, user = at ? (size_t)(at + 1 - a.p) : scheme;

	return nb == scheme + na - user && memcmp(a.p, b.p, scheme) == 0 &&
	       memcmp(a.p + user, b.p + scheme, na - user) == 0;
}

/* On another host, or with another scheme, it is a redirection like any other. */
static void
set_location(zinc_http_head *h, piece value)
{
	const piece from = place_of(h->url ? (piece){h->url, strlen(h->url)} : (piece){"", 0}), to = place_of(value);
	const piece old = path_of(from), new_ = path_of(to);

	h->directory = old.n && new_.n == old.n + 1 && memcmp(new_.p, old.p, old.n) == 0 && new_.p[old.n] == '/' &&
		       (new_.n == to.n || same_host(from, to));
}

static const struct {
	const char *name;
	void (*set)(zinc_http_head *h, piece value);
} fields[] = {
    {"content-length", set_length},       {"content-range", set_range},
    {"accept-ranges", set_accept_ranges}, {"content-encoding", set_encoding},
    {"transfer-encoding", set_transfer},  {"etag", set_etag},
    {"last-modified", set_modified},      {"date", set_date},
    {"retry-after", set_retry_after},     {"location", set_location},
};

/* "HTTP/1.1 206 Partial Content" */
static void
set_status(zinc_http_head *h, piece line)
{
	const char *const *wanted = h->keep;
	const char *url = h->url;
	uint64_t status;

	zinc_http_head_init(h);
	h->keep = wanted;
	h->url = url;
	h->framed = line.p[5] >= '2';
	while (line.n && line.p[0] != ' ') {
		line.p++;
		line.n--;
	}
	line = trim(line);
	status = take_number(&line);
	if (status >= 100 && status <= 999)
		h->status = (int)status;
	line = trim(line);
	if (line.n >= sizeof h->reason)
		line.n = sizeof h->reason - 1;
	keep(h->reason, sizeof h->reason, line);
}

/* RFC 9110 section 5.3: several fields of one name are one list. */
static void
add_kept(char kept[ZINC_HTTP_VALUE], piece value)
{
	const size_t n = strlen(kept);

	if (n == 0 || n + 1 + value.n >= ZINC_HTTP_VALUE) {
		keep(kept, ZINC_HTTP_VALUE, n == 0 ? value : (piece){value.p, 0});
		return;
	}
	kept[n] = ',';
	memcpy(kept + n + 1, value.p, value.n);
	kept[n + 1 + value.n] = '\0';
}

void
zinc_http_head_line(zinc_http_head *h, const char *line, size_t n)
{
	const char *colon = (const char *)memchr(line, ':', n);
	piece name, value;
	size_t i;

	if (n > 5 && memcmp(line, "HTTP/", 5) == 0) {
		set_status(h, trim((piece){line, n}));
		return;
	}
	if (!colon)
		return;
	name = (piece){line, (size_t)(colon - line)};
	value = trim((piece){colon + 1, n - name.n - 1});
	for (i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (is(name, fields[i].name))
			fields[i].set(h, value);
	for (i = 0; h->keep && i < ZINC_HTTP_KEPT && h->keep[i]; i++)
		if (is(name, h->keep[i]))
			add_kept(h->kept[i], value);
}
