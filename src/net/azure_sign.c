/*
 * azure_sign.c - signatures of requests to Azure Storage with the key of an account (SharedKey)
 *
 *     method, twelve headers, x-ms-... headers, account, path and query  ->  HMAC-SHA-256 with the key  ->  base64
 *
 * Promises (tests/unit/test_azure_sign.c names each by its number; tests/interop/azure_peer.py compares random requests
 * with Microsoft's own signer):
 *
 * (1) Requests are signed as the service expects: headers by name, values of the query without escapes, by name.
 * (2) Neither the key nor what is made from it appears in an error.
 * (3) A URL that cannot be signed as it will be sent is refused: one with a user, a fragment, or blanks.
 */
#include <stdio.h>
#include <stdlib.h>

#include "net/azure_inside.h"

#define MAX_TEXT    (512 * ZINC_KIB)
#define MAX_HEADERS 64
#define MAX_QUERY   64

typedef struct piece {
	const char *p;
	size_t n;
} piece;

/* "Name: value" of a header, or "name=value" of a query. */
typedef struct pair {
	piece name, value;
} pair;

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int
compare_pairs(const void *a, const void *b)
{
	const piece x = ((const pair *)a)->name, y = ((const pair *)b)->name;
	size_t i;

	for (i = 0; i < x.n && i < y.n; i++)
		if (lower(x.p[i]) != lower(y.p[i]))
			return (unsigned char)lower(x.p[i]) < (unsigned char)lower(y.p[i]) ? -1 : 1;
	return (x.n > y.n) - (x.n < y.n);
}

static bool
is_named(const pair *h, const char *name)
{
	return h->name.n == strlen(name) && strncasecmp(h->name.p, name, h->name.n) == 0;
}

static zinc_status
add_lower(zinc_buf *out, piece s, zinc_error *err)
{
	size_t i;

	for (i = 0; i < s.n; i++) {
		const char c = lower(s.p[i]);

		ZINC_TRY(zinc_buf_add(out, &c, 1, err));
	}
	return ZINC_OK;
}

/* ---- headers ---- */

static pair
parse_header(const char *line)
{
	const size_t n = strcspn(line, ":;");
	pair h = {{line, n}, {line + n, 0}};

	if (line[n] != ':')
		return h;
	h.value.p = line + n + 1 + strspn(line + n + 1, " \t");
	h.value.n = strlen(h.value.p);
	while (h.value.n && (h.value.p[h.value.n - 1] == ' ' || h.value.p[h.value.n - 1] == '\t'))
		h.value.n--;
	return h;
}

static zinc_status
read_headers(const zinc_buf *headers, pair all[MAX_HEADERS], size_t *n, zinc_error *err)
{
	size_t i;

	*n = 0;
	for (i = 0; i < headers->n; i += strlen((const char *)headers->p + i) + 1) {
		if (*n == MAX_HEADERS)
			return zinc_fail(err, ZINC_E_INVALID, "a request with so many headers cannot be signed");
		all[(*n)++] = parse_header((const char *)headers->p + i);
	}
	return ZINC_OK;
}

/* The headers that are signed whether they are there or not, each on a line.  The length of no body is nothing. */
static zinc_status
add_fixed(zinc_buf *out, const zinc_http_request *r, const pair *all, size_t n, zinc_error *err)
{
	static const char *const names[] = {
	    "content-encoding",  "content-language", "content-length", "content-md5",         "content-type", "date",
	    "if-modified-since", "if-match",         "if-none-match",  "if-unmodified-since", "range"};
	size_t i, k;

	for (k = 0; k < sizeof names / sizeof names[0]; k++) {
		if (k == 2 && r->nbytes)
			ZINC_TRY(zinc_buf_printf(out, err, "%llu", (unsigned long long)r->nbytes));
		for (i = 0; i < n && k != 2; i++)
			if (is_named(&all[i], names[k]))
				ZINC_TRY(zinc_buf_add(out, all[i].value.p, all[i].value.n, err));
		ZINC_TRY(zinc_buf_puts(out, "\n", err));
	}
	return ZINC_OK;
}

static zinc_status
add_own(zinc_buf *out, pair *all, size_t n, zinc_error *err)
{
	size_t i;

	qsort(all, n, sizeof *all, compare_pairs);
	for (i = 0; i < n; i++) {
		if (all[i].name.n < 5 || strncasecmp(all[i].name.p, "x-ms-", 5) != 0)
			continue;
		ZINC_TRY(add_lower(out, all[i].name, err));
		ZINC_TRY(zinc_buf_puts(out, ":", err));
		ZINC_TRY(zinc_buf_add(out, all[i].value.p, all[i].value.n, err));
		ZINC_TRY(zinc_buf_puts(out, "\n", err));
	}
	return ZINC_OK;
}

/* ---- path and query ---- */

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static zinc_status
add_unescaped(zinc_buf *out, piece s, zinc_error *err)
{
	size_t i;

	for (i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '%' && s.n - i > 2 && digit(s.p[i + 1]) >= 0 && digit(s.p[i + 2]) >= 0) {
			c = (char)(digit(s.p[i + 1]) * 16 + digit(s.p[i + 2]));
			i += 2;
		}
		ZINC_TRY(zinc_buf_add(out, &c, 1, err));
	}
	return ZINC_OK;
}

static zinc_status
split_query(const char *query, pair all[MAX_QUERY], size_t *n, zinc_error *err)
{
	size_t m, name;

	for (*n = 0; *query; query += m + (query[m] == '&')) {
		m = strcspn(query, "&");
		name = strcspn(query, "=&");
		if (m == 0)
			continue;
		if (*n == MAX_QUERY)
			return zinc_fail(err, ZINC_E_INVALID, "a request with so long a query cannot be signed");
		all[(*n)++] = (pair){{query, name}, {query + name + (name < m), m - name - (name < m)}};
	}
	return ZINC_OK;
}

/* No request of ours has two members of one name. */
static zinc_status
add_query(zinc_buf *out, const char *query, zinc_error *err)
{
	pair all[MAX_QUERY];
	size_t i, n;

	ZINC_TRY(split_query(query, all, &n, err));
	qsort(all, n, sizeof *all, compare_pairs);
	for (i = 0; i < n; i++) {
		ZINC_TRY(zinc_buf_puts(out, "\n", err));
		ZINC_TRY(add_lower(out, all[i].name, err));
		ZINC_TRY(zinc_buf_puts(out, ":", err));
		ZINC_TRY(add_unescaped(out, all[i].value, err));
	}
	return ZINC_OK;
}

/* "https://host:port/path?query" -> "/account/path" and the query */
static zinc_status
add_resource(zinc_buf *out, const char *url, const char *account, zinc_error *err)
{
	const char *host = strstr(url, "://"), *path, *query;

	if (!host || strpbrk(url, " #\t\r\n") || memchr(host + 3, '@', strcspn(host + 3, "/?")))
		return zinc_fail(err, ZINC_E_INVALID, "this URL cannot be signed");
	path = host + 3 + strcspn(host + 3, "/?");
	query = path + strcspn(path, "?");
	ZINC_TRY(zinc_buf_printf(out, err, "/%s", account));
	ZINC_TRY(query == path ? zinc_buf_puts(out, "/", err) : zinc_buf_add(out, path, (size_t)(query - path), err));
	return add_query(out, query + (*query == '?'), err);
}

/* ---- the signature ---- */

static zinc_status
add_text(zinc_buf *out, const zinc_http_request *r, const char *url, const char *account, zinc_error *err)
{
	pair all[MAX_HEADERS];
	size_t n;

	ZINC_TRY(read_headers(&r->headers, all, &n, err));
	ZINC_TRY(zinc_buf_printf(out, err, "%s\n", r->method ? r->method : "GET"));
	ZINC_TRY(add_fixed(out, r, all, n, err));
	ZINC_TRY(add_own(out, all, n, err));
	return add_resource(out, url, account, err);
}

zinc_status
zinc_azure_authorize(zinc_buf *out, const zinc_http_request *r, const char *url, const char *account,
		     const uint8_t *key, size_t nkey, zinc_error *err)
{
	uint8_t mac[ZINC_SHA256_BYTES];
	zinc_status st;
	zinc_buf text;

	zinc_buf_init(&text, r->headers.ctx, MAX_TEXT);
	st = add_text(&text, r, url, account, err);
	if (st == ZINC_OK && !zinc_hmac_sha256(key, nkey, text.p, text.n, mac))
		st = zinc_fail(err, ZINC_E_UNSUPPORTED, "requests cannot be signed: SHA-256 is not available");
	zinc_buf_fini(&text);
	if (st == ZINC_OK)
		st = zinc_buf_printf(out, err, "SharedKey %s:", account);
	return st == ZINC_OK ? zinc_base64_encode(mac, sizeof mac, out, err) : st;
}
