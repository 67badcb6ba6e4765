/*
 * sigv4.c - AWS Signature Version 4
 *
 *     canonical request -> SHA-256 -> string to sign -> HMAC with a key of secret, day, region and service
 *
 * Promises (tests/unit/test_sigv4.c names each by its number):
 *
 * (1) Requests are signed as AWS's published examples are.
 * (2) Neither the secret nor a key made from it stays in memory that this file has used, nor appears in an error.
 * (3) A URL that cannot be signed as it will be sent is refused: one with a user, a fragment, or blanks.
 */
#include "net/sigv4.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "net/aws.h"
#include "net/digest.h"

#define ALGORITHM   "AWS4-HMAC-SHA256"
#define MAX_REQUEST (512 * ZINC_KIB)
#define MAX_SECRET  512
#define MAX_SCOPE   256

typedef struct piece {
	const char *p;
	size_t n;
} piece;

/* What is signed. */
typedef struct signing {
	zinc_context *ctx;
	const char *method;
	piece host, path, query;
	const char *payload;
	const struct zinc_aws_keys *keys;
	const char *region, *service;
	char date[20]; /* 20130524T000000Z */
	char scope[MAX_SCOPE];
	zinc_buf lines; /* "name:value\n", sorted */
	zinc_buf names; /* "host;range;x-amz-date" */
} signing;

/* ---- URLs ---- */

zinc_status
zinc_sigv4_escape(zinc_buf *out, const char *s, size_t n, bool path, zinc_error *err)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	size_t i;

	for (i = 0; i < n; i++)
		if ((path && s[i] == '/') || (s[i] && strchr(plain, s[i])))
			ZINC_TRY(zinc_buf_add(out, s + i, 1, err));
		else
			ZINC_TRY(zinc_buf_printf(out, err, "%%%02X", (unsigned)(unsigned char)s[i]));
	return ZINC_OK;
}

/* "https://host:port/path?query" */
static zinc_status
split_url(signing *s, const char *url, zinc_error *err)
{
	const char *host = strstr(url, "://");
	const bool https = strncmp(url, "https:", 6) == 0;

	if (!host || strpbrk(url, " #\t\r\n") || memchr(host + 3, '@', strcspn(host + 3, "/?")))
		return zinc_fail(err, ZINC_E_INVALID, "this URL cannot be signed");
	s->host.p = host + 3;
	s->host.n = strcspn(s->host.p, "/?");
	s->path.p = s->host.p + s->host.n;
	s->path.n = strcspn(s->path.p, "?");
	s->query.p = s->path.p + s->path.n + (s->path.p[s->path.n] == '?');
	s->query.n = strlen(s->query.p);
	/* libcurl leaves the default port out of the header Host */
	if (https && s->host.n > 4 && memcmp(s->host.p + s->host.n - 4, ":443", 4) == 0)
		s->host.n -= 4;
	else if (!https && s->host.n > 3 && memcmp(s->host.p + s->host.n - 3, ":80", 3) == 0)
		s->host.n -= 3;
	return ZINC_OK;
}

static int
compare_pieces(const void *a, const void *b)
{
	const piece *x = (const piece *)a, *y = (const piece *)b;
	const int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

	return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* By name, then by value.  '=' would sort after some characters of a longer name, so the two are compared apart. */
static int
compare_members(const void *a, const void *b)
{
	const piece *x = (const piece *)a, *y = (const piece *)b;
	const char *xe = (const char *)memchr(x->p, '=', x->n), *ye = (const char *)memchr(y->p, '=', y->n);
	const piece xn = {x->p, xe ? (size_t)(xe - x->p) : x->n}, yn = {y->p, ye ? (size_t)(ye - y->p) : y->n};
	const int order = compare_pieces(&xn, &yn);

	return order ? order : compare_pieces(x, y);
}

static zinc_status
add_members(zinc_buf *out, const piece *all, size_t n, zinc_error *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		ZINC_TRY(zinc_buf_puts(out, i ? "&" : "", err));
		ZINC_TRY(zinc_buf_add(out, all[i].p, all[i].n, err));
		if (!memchr(all[i].p, '=', all[i].n))
			ZINC_TRY(zinc_buf_puts(out, "=", err));
	}
	return ZINC_OK;
}

static zinc_status
add_query(zinc_buf *out, zinc_context *ctx, piece query, zinc_error *err)
{
	size_t n = 1, i;
	zinc_status st;
	piece *all;

	if (query.n == 0)
		return ZINC_OK;
	for (i = 0; i < query.n; i++)
		n += query.p[i] == '&';
	all = (piece *)zinc_calloc(ctx, n, sizeof *all);
	if (!all)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++) {
		const char *and = (const char *)memchr(query.p, '&', query.n);

		all[i] = (piece){query.p, and? (size_t)(and-query.p) : query.n};
		query.p += all[i].n + 1;
		query.n -= all[i].n + (and != NULL);
	}
	qsort(all, n, sizeof *all, compare_members);
	st = add_members(out, all, n, err);
	zinc_free(ctx, all);
	return st;
}

/* ---- headers ---- */

/* One "Name: value" of the request; "Name;" has no value. */
typedef struct header {
	piece name, value;
} header;

static header
parse_header(const char *line)
{
	const size_t n = strcspn(line, ":;");
	header h = {{line, n}, {line + n, 0}};

	if (line[n] != ':')
		return h;
	h.value.p = line + n + 1 + strspn(line + n + 1, " \t");
	h.value.n = strlen(h.value.p);
	while (h.value.n && (h.value.p[h.value.n - 1] == ' ' || h.value.p[h.value.n - 1] == '\t'))
		h.value.n--;
	return h;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int
compare_names(piece a, piece b)
{
	size_t i;

	for (i = 0; i < a.n && i < b.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return (unsigned char)lower(a.p[i]) < (unsigned char)lower(b.p[i]) ? -1 : 1;
	return (a.n > b.n) - (a.n < b.n);
}

/* In the order of the request if names are equal. */
static void
sort_headers(header *all, size_t n)
{
	size_t i, k;

	for (i = 1; i < n; i++) {
		const header h = all[i];

		for (k = i; k > 0 && compare_names(h.name, all[k - 1].name) < 0; k--)
			all[k] = all[k - 1];
		all[k] = h;
	}
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

/* Several blanks count as one. */
static zinc_status
add_value(zinc_buf *out, piece s, zinc_error *err)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] != ' ' || i == 0 || s.p[i - 1] != ' ')
			ZINC_TRY(zinc_buf_add(out, s.p + i, 1, err));
	return ZINC_OK;
}

static zinc_status
add_header_lines(signing *s, const header *all, size_t n, zinc_error *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const bool same = i && compare_names(all[i].name, all[i - 1].name) == 0;

		if (same) {
			s->lines.n--; /* the '\n' */
			ZINC_TRY(zinc_buf_puts(&s->lines, ",", err));
		} else {
			ZINC_TRY(add_lower(&s->lines, all[i].name, err));
			ZINC_TRY(zinc_buf_puts(&s->lines, ":", err));
			ZINC_TRY(zinc_buf_puts(&s->names, i ? ";" : "", err));
			ZINC_TRY(add_lower(&s->names, all[i].name, err));
		}
		ZINC_TRY(add_value(&s->lines, all[i].value, err));
		ZINC_TRY(zinc_buf_puts(&s->lines, "\n", err));
	}
	return ZINC_OK;
}

/* The host and all headers that the request has. */
static zinc_status
canonical_headers(signing *s, const zinc_buf *headers, zinc_error *err)
{
	size_t n = 1, i;
	zinc_status st;
	header *all;

	for (i = 0; i < headers->n; i += strlen((const char *)headers->p + i) + 1)
		n++;
	all = (header *)zinc_calloc(s->ctx, n, sizeof *all);
	if (!all)
		return zinc_fail_nomem(err);
	all[0] = (header){{"host", 4}, s->host};
	n = 1;
	for (i = 0; i < headers->n; i += strlen((const char *)headers->p + i) + 1)
		all[n++] = parse_header((const char *)headers->p + i);
	sort_headers(all, n);
	st = add_header_lines(s, all, n, err);
	zinc_free(s->ctx, all);
	return st;
}

/* ---- the signature ---- */

static zinc_status
no_digest(zinc_error *err)
{
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "requests cannot be signed: SHA-256 is not available");
}

/* The hash of the canonical request. */
static zinc_status
hash_request(signing *s, char hex[ZINC_SHA256_HEX], zinc_error *err)
{
	uint8_t hash[ZINC_SHA256_BYTES];
	zinc_status st;
	zinc_buf c;
	struct iovec v;

	zinc_buf_init(&c, s->ctx, MAX_REQUEST);
	st = zinc_buf_printf(&c, err, "%s\n", s->method);
	if (st == ZINC_OK)
		st = s->path.n ? zinc_buf_add(&c, s->path.p, s->path.n, err) : zinc_buf_puts(&c, "/", err);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&c, "\n", err);
	if (st == ZINC_OK)
		st = add_query(&c, s->ctx, s->query, err);
	if (st == ZINC_OK)
		st = zinc_buf_printf(&c, err, "\n%s\n%s\n%s", zinc_buf_text(&s->lines), zinc_buf_text(&s->names),
				     s->payload);
	v = (struct iovec){c.p, c.n};
	if (st == ZINC_OK && !zinc_sha256(&v, 1, hash))
		st = no_digest(err);
	if (st == ZINC_OK)
		zinc_hex(hex, hash, sizeof hash);
	zinc_buf_fini(&c);
	return st;
}

/* The key of one day, region and service. */
static bool
derive_key(const signing *s, uint8_t key[ZINC_SHA256_BYTES])
{
	const char *const steps[] = {s->region, s->service, "aws4_request"};
	char secret[MAX_SECRET + 8];
	const int n = snprintf(secret, sizeof secret, "AWS4%s", s->keys->secret);
	bool ok = n > 0 && n < (int)sizeof secret && zinc_hmac_sha256(secret, (size_t)n, s->date, 8, key);
	uint8_t last[ZINC_SHA256_BYTES];
	size_t i;

	for (i = 0; i < sizeof steps / sizeof steps[0] && ok; i++) {
		memcpy(last, key, sizeof last);
		ok = zinc_hmac_sha256(last, sizeof last, steps[i], strlen(steps[i]), key);
	}
	explicit_bzero(secret, sizeof secret);
	explicit_bzero(last, sizeof last);
	return ok;
}

static zinc_status
signature(signing *s, char hex[ZINC_SHA256_HEX], zinc_error *err)
{
	uint8_t key[ZINC_SHA256_BYTES], mac[ZINC_SHA256_BYTES];
	char request[ZINC_SHA256_HEX], text[MAX_SCOPE + 160];
	bool ok;

	ZINC_TRY(hash_request(s, request, err));
	snprintf(text, sizeof text, ALGORITHM "\n%s\n%s\n%s", s->date, s->scope, request);
	ok = derive_key(s, key) && zinc_hmac_sha256(key, sizeof key, text, strlen(text), mac);
	explicit_bzero(key, sizeof key);
	if (!ok)
		return no_digest(err);
	zinc_hex(hex, mac, sizeof mac);
	return ZINC_OK;
}

/* Date and scope. */
static zinc_status
begin(signing *s, const char *url, int64_t now, zinc_error *err)
{
	const time_t t = (time_t)now;
	struct tm tm;
	int n;

	ZINC_TRY(split_url(s, url, err));
	if (!gmtime_r(&t, &tm) || strftime(s->date, sizeof s->date, "%Y%m%dT%H%M%SZ", &tm) != 16)
		return zinc_fail(err, ZINC_E_INVALID, "the clock of this machine is wrong: requests cannot be signed");
	n = snprintf(s->scope, sizeof s->scope, "%.8s/%s/%s/aws4_request", s->date, s->region, s->service);
	if (n >= (int)sizeof s->scope || strlen(s->keys->secret) > MAX_SECRET)
		return zinc_fail(err, ZINC_E_INVALID, "the region or a key is too long");
	zinc_buf_init(&s->lines, s->ctx, MAX_REQUEST);
	zinc_buf_init(&s->names, s->ctx, MAX_REQUEST);
	return ZINC_OK;
}

static void
end(signing *s)
{
	zinc_buf_fini(&s->lines);
	zinc_buf_fini(&s->names);
}

static zinc_status
add_authorization(signing *s, zinc_http_request *r, zinc_error *err)
{
	char hex[ZINC_SHA256_HEX];
	zinc_status st;
	zinc_buf line;

	ZINC_TRY(canonical_headers(s, &r->headers, err));
	ZINC_TRY(signature(s, hex, err));
	zinc_buf_init(&line, s->ctx, MAX_REQUEST);
	st = zinc_buf_printf(&line, err, ALGORITHM " Credential=%s/%s, SignedHeaders=%s, Signature=%s", s->keys->id,
			     s->scope, zinc_buf_text(&s->names), hex);
	if (st == ZINC_OK)
		st = zinc_http_header(r, "Authorization", zinc_buf_text(&line), err);
	zinc_buf_fini(&line);
	return st;
}

zinc_status
zinc_sigv4_sign(zinc_http_request *r, const char *url, const struct zinc_aws_keys *keys, const char *region,
		const char *service, const char *payload_hash, int64_t now, zinc_error *err)
{
	signing s = {.ctx = r->headers.ctx,
		     .method = r->method ? r->method : "GET",
		     .payload = payload_hash,
		     .keys = keys,
		     .region = region,
		     .service = service};
	zinc_status st;

	ZINC_TRY(begin(&s, url, now, err));
	st = zinc_http_header(r, "x-amz-date", s.date, err);
	if (st == ZINC_OK && strcmp(service, "s3") == 0)
		st = zinc_http_header(r, "x-amz-content-sha256", payload_hash, err);
	if (st == ZINC_OK && keys->token && keys->token[0])
		st = zinc_http_header(r, "x-amz-security-token", keys->token, err);
	if (st == ZINC_OK)
		st = add_authorization(&s, r, err);
	end(&s);
	return st;
}

/* ---- presigned URLs ---- */

static zinc_status
add_parameter(zinc_buf *out, const char *name, const char *value, zinc_error *err)
{
	ZINC_TRY(zinc_buf_printf(out, err, "%s=", name));
	return zinc_sigv4_escape(out, value, strlen(value), false, err);
}

/* The URL with every parameter but the signature. */
static zinc_status
add_parameters(zinc_buf *out, const signing *s, const char *url, unsigned seconds, zinc_error *err)
{
	char credential[MAX_SCOPE + 160];

	snprintf(credential, sizeof credential, "%.128s/%s", s->keys->id, s->scope);
	ZINC_TRY(zinc_buf_printf(out, err, "%s%s", url, strchr(url, '?') ? "&" : "?"));
	ZINC_TRY(add_parameter(out, "X-Amz-Algorithm", ALGORITHM, err));
	ZINC_TRY(add_parameter(out, "&X-Amz-Credential", credential, err));
	ZINC_TRY(add_parameter(out, "&X-Amz-Date", s->date, err));
	ZINC_TRY(zinc_buf_printf(out, err, "&X-Amz-Expires=%u", seconds));
	if (s->keys->token && s->keys->token[0])
		ZINC_TRY(add_parameter(out, "&X-Amz-Security-Token", s->keys->token, err));
	return add_parameter(out, "&X-Amz-SignedHeaders", "host", err);
}

zinc_status
zinc_sigv4_presign(zinc_buf *out, const char *method, const char *url, const struct zinc_aws_keys *keys,
		   const char *region, const char *service, int64_t now, unsigned seconds, zinc_error *err)
{
	signing s = {.ctx = out->ctx,
		     .method = method,
		     .payload = ZINC_UNSIGNED_PAYLOAD,
		     .keys = keys,
		     .region = region,
		     .service = service};
	char hex[ZINC_SHA256_HEX];
	const zinc_buf none = {0};
	const size_t from = out->n;
	zinc_status st;

	ZINC_TRY(begin(&s, url, now, err));
	st = add_parameters(out, &s, url, seconds, err);
	if (st == ZINC_OK && !zinc_buf_text(out))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = split_url(&s, (const char *)out->p + from, err);
	if (st == ZINC_OK)
		st = canonical_headers(&s, &none, err);
	if (st == ZINC_OK)
		st = signature(&s, hex, err);
	if (st == ZINC_OK)
		st = zinc_buf_printf(out, err, "&X-Amz-Signature=%s", hex);
	end(&s);
	return st;
}
