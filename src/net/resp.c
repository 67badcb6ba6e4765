/*
 * resp.c - Redis's protocol
 *
 * Promises (tests/unit/test_resp.c and fuzz/fuzz_resp.c name each by its number):
 *
 * (1) A head is accepted or refused by its own bytes, however they arrive; what is no RESP2 is E_CORRUPT.
 * (2) Memory does not depend on what a server claims: replies are pulled, nesting is counted and not recursed.  What is
 *     skipped has no more than 32 arrays inside of others, so that it ends.
 * (3) A value is complete only with its end of line.
 *
 * Long arguments, and secret ones, are sent from where they are, and copied to no buffer here.
 */
#include "net/resp.h"

#include <stdio.h>

#define IN_BYTES  ((size_t)64 * 1024)
#define OUT_BYTES ((size_t)64 * 1024)
#define LONG_ARG  ((size_t)16 * 1024) /* not copied */

#define MOST_ARRAYS 32

struct zinc_resp {
	zinc_context *ctx;
	zinc_tcp *tcp;
	zinc_bytes script;
	bool broken, inside; /* inside: of '$' */
	uint64_t left;       /* bytes of '$' */
	zinc_buf out;
	size_t at, n; /* of `in` */
	uint8_t in[IN_BYTES];
};

/* ---- heads ---- */

/* "-12" in p[0..n), without signs or zeros that nobody writes. */
static bool
parse_number(const uint8_t *p, size_t n, int64_t *out)
{
	const bool minus = n > 0 && p[0] == '-';
	const size_t first = minus ? 1 : 0;
	int64_t v = 0;
	size_t i;

	if (n - first < 1 || n - first > 19 || (p[first] == '0' && n > first + 1) || (minus && p[first] == '0'))
		return false;
	for (i = first; i < n; i++) {
		const int digit = p[i] - '0';

		if (digit < 0 || digit > 9 || v > (INT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = minus ? -v : v;
	return true;
}

static void
keep_text(const uint8_t *p, size_t n, char out[ZINC_RESP_TEXT_BYTES])
{
	size_t i;

	for (i = 0; i < n && i < ZINC_RESP_TEXT_BYTES - 1; i++)
		out[i] = p[i] >= ' ' && p[i] <= '~' ? (char)p[i] : '?';
	out[i] = '\0';
}

static bool
parse_line(const uint8_t *p, size_t n, zinc_resp_head *out)
{
	switch (p[0]) {
	case '+':
	case '-':
		keep_text(p + 1, n - 1, out->text);
		return true;
	case ':':
		return parse_number(p + 1, n - 1, &out->number);
	case '$':
	case '*':
		if (!parse_number(p + 1, n - 1, &out->number) || out->number < -1 || out->number > ZINC_RESP_MOST)
			return false;
		out->null = out->number < 0;
		out->number = out->null ? 0 : out->number;
		return true;
	default:
		return false;
	}
}

size_t
zinc_resp_parse(const uint8_t *p, size_t n, zinc_resp_head *out)
{
	const size_t most = n < ZINC_RESP_LINE ? n : ZINC_RESP_LINE;
	const uint8_t *end = most ? (const uint8_t *)memchr(p, '\r', most) : NULL;
	size_t nline;

	if (n && (p[0] == '\0' || !strchr("+-:$*", p[0])))
		return ZINC_RESP_BAD;
	if (!end)
		return n < ZINC_RESP_LINE ? 0 : ZINC_RESP_BAD;
	nline = (size_t)(end - p);
	if (nline + 1 == n)
		return 0;
	memset(out, 0, offsetof(zinc_resp_head, text) + 1);
	out->type = (char)p[0];
	return end[1] == '\n' && parse_line(p, nline, out) ? nline + 2 : ZINC_RESP_BAD;
}

/* ---- the connection ---- */

zinc_status
zinc_resp_new(zinc_resp **out, zinc_context *ctx, zinc_tcp *tcp, zinc_bytes script, zinc_error *err)
{
	zinc_resp *r = (zinc_resp *)zinc_alloc(ctx, sizeof *r);

	if (!r) {
		zinc_tcp_close(tcp);
		return zinc_fail_nomem(err);
	}
	memset(r, 0, offsetof(zinc_resp, in));
	r->ctx = ctx;
	r->tcp = tcp;
	r->script = script;
	zinc_buf_init(&r->out, ctx, OUT_BYTES);
	*out = r;
	return ZINC_OK;
}

void
zinc_resp_free(zinc_resp *r)
{
	if (!r)
		return;
	zinc_tcp_close(r->tcp);
	zinc_buf_fini(&r->out);
	zinc_free(r->ctx, r);
}

bool
zinc_resp_is_broken(const zinc_resp *r)
{
	return r->broken;
}

bool
zinc_resp_is_idle(const zinc_resp *r)
{
	return !r->inside && r->at == r->n;
}

zinc_tcp *
zinc_resp_tcp(const zinc_resp *r)
{
	return r->tcp;
}

static zinc_status
broken(zinc_resp *r, zinc_status st)
{
	r->broken |= st != ZINC_OK;
	return st;
}

/* ---- commands ---- */

static zinc_status
send_now(zinc_resp *r, const void *p, size_t n, const zinc_wait *wait, zinc_error *err)
{
	return r->tcp ? broken(r, zinc_tcp_send(r->tcp, p, n, wait, err)) : ZINC_OK;
}

zinc_status
zinc_resp_flush(zinc_resp *r, const zinc_wait *wait, zinc_error *err)
{
	const zinc_status st = r->out.n ? send_now(r, r->out.p, r->out.n, wait, err) : ZINC_OK;

	zinc_buf_end(&r->out, 0);
	return st;
}

/* Short pieces are collected. */
static zinc_status
add(zinc_resp *r, const void *p, size_t n, const zinc_wait *wait, zinc_error *err)
{
	if (n >= LONG_ARG || r->out.n + n > OUT_BYTES)
		ZINC_TRY(zinc_resp_flush(r, wait, err));
	if (n >= LONG_ARG)
		return send_now(r, p, n, wait, err);
	return broken(r, zinc_buf_add(&r->out, p, n, err));
}

static zinc_status
add_head(zinc_resp *r, char type, size_t n, const zinc_wait *wait, zinc_error *err)
{
	char text[32];

	return add(r, text, (size_t)snprintf(text, sizeof text, "%c%zu\r\n", type, n), wait, err);
}

zinc_status
zinc_resp_begin(zinc_resp *r, size_t nargs, const zinc_wait *wait, zinc_error *err)
{
	return add_head(r, '*', nargs, wait, err);
}

zinc_status
zinc_resp_iov(zinc_resp *r, const struct iovec *iov, int niov, size_t n, const zinc_wait *wait, zinc_error *err)
{
	int i;

	ZINC_TRY(add_head(r, '$', n, wait, err));
	for (i = 0; i < niov; i++)
		if (iov[i].iov_len)
			ZINC_TRY(add(r, iov[i].iov_base, iov[i].iov_len, wait, err));
	return add(r, "\r\n", 2, wait, err);
}

zinc_status
zinc_resp_bytes(zinc_resp *r, const void *p, size_t n, const zinc_wait *wait, zinc_error *err)
{
	const struct iovec iov = {(void *)(uintptr_t)p, n};

	return zinc_resp_iov(r, &iov, 1, n, wait, err);
}

zinc_status
zinc_resp_arg(zinc_resp *r, const char *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_resp_bytes(r, arg, strlen(arg), wait, err);
}

zinc_status
zinc_resp_secret(zinc_resp *r, const char *arg, const zinc_wait *wait, zinc_error *err)
{
	const size_t n = strlen(arg);

	ZINC_TRY(add_head(r, '$', n, wait, err));
	ZINC_TRY(zinc_resp_flush(r, wait, err));
	ZINC_TRY(send_now(r, arg, n, wait, err));
	return add(r, "\r\n", 2, wait, err);
}

zinc_status
zinc_resp_words(zinc_resp *r, const char *words, const zinc_wait *wait, zinc_error *err)
{
	const char *p = words;
	size_t n = 1;

	for (; *p; p++)
		n += *p == ' ';
	ZINC_TRY(zinc_resp_begin(r, n, wait, err));
	for (p = words; n; n--, p += strcspn(p, " ") + 1)
		ZINC_TRY(zinc_resp_bytes(r, p, strcspn(p, " "), wait, err));
	return ZINC_OK;
}

/* ---- replies ---- */

static zinc_status
receive(zinc_resp *r, void *to, size_t room, size_t *n, const zinc_wait *wait, zinc_error *err)
{
	if (r->tcp)
		return broken(r, zinc_tcp_recv(r->tcp, to, room, n, wait, err));
	*n = room < r->script.n ? room : r->script.n;
	if (*n == 0)
		return broken(r, zinc_fail(err, ZINC_E_IO, "the server has closed the connection"));
	memcpy(to, r->script.p, *n);
	r->script.p += *n;
	r->script.n -= *n;
	return ZINC_OK;
}

/* More bytes behind those that are not read yet. */
static zinc_status
fill(zinc_resp *r, const zinc_wait *wait, zinc_error *err)
{
	size_t n = 0;

	memmove(r->in, r->in + r->at, r->n - r->at);
	r->n -= r->at;
	r->at = 0;
	ZINC_TRY(receive(r, r->in + r->n, IN_BYTES - r->n, &n, wait, err));
	r->n += n;
	return ZINC_OK;
}

static zinc_status
malformed(zinc_resp *r, zinc_error *err)
{
	return broken(r, zinc_fail(err, ZINC_E_CORRUPT,
				   "the server's answer is not RESP2: is it Redis, and is TLS used by both or none?"));
}

/* Take n buffered or received bytes; `to` NULL: skip them. */
static zinc_status
take(zinc_resp *r, uint8_t *to, size_t n, const zinc_wait *wait, zinc_error *err)
{
	size_t some;

	while (n) {
		some = r->n - r->at < n ? r->n - r->at : n;
		if (some && to)
			memcpy(to, r->in + r->at, some);
		r->at += some;
		if (some == 0 && to && n >= LONG_ARG)
			ZINC_TRY(receive(r, to, n, &some, wait, err));
		else if (some == 0)
			ZINC_TRY(fill(r, wait, err));
		to = to ? to + some : NULL;
		n -= some;
	}
	return ZINC_OK;
}

zinc_status
zinc_resp_read(zinc_resp *r, void *to, size_t n, const zinc_wait *wait, zinc_error *err)
{
	if (!r->inside || n > r->left)
		return broken(r, zinc_fail(err, ZINC_E_INVALID, "more bytes are read than the value has"));
	r->left -= n;
	return take(r, (uint8_t *)to, n, wait, err);
}

zinc_status
zinc_resp_end(zinc_resp *r, const zinc_wait *wait, zinc_error *err)
{
	uint8_t end[2];

	if (!r->inside)
		return ZINC_OK;
	ZINC_TRY(take(r, NULL, (size_t)r->left, wait, err));
	ZINC_TRY(take(r, end, sizeof end, wait, err));
	r->inside = false;
	r->left = 0;
	return memcmp(end, "\r\n", sizeof end) == 0 ? ZINC_OK : malformed(r, err);
}

zinc_status
zinc_resp_next(zinc_resp *r, zinc_resp_head *out, const zinc_wait *wait, zinc_error *err)
{
	size_t n;

	ZINC_TRY(zinc_resp_end(r, wait, err));
	while ((n = zinc_resp_parse(r->in + r->at, r->n - r->at, out)) == 0)
		ZINC_TRY(fill(r, wait, err));
	if (n == ZINC_RESP_BAD)
		return malformed(r, err);
	r->at += n;
	r->inside = out->type == '$' && !out->null;
	r->left = r->inside ? (uint64_t)out->number : 0;
	return ZINC_OK;
}

/* Arrays inside of arrays only add to what is left. */
zinc_status
zinc_resp_skip(zinc_resp *r, const zinc_resp_head *head, const zinc_wait *wait, zinc_error *err)
{
	int64_t left = head->type == '*' ? head->number : 0;
	zinc_resp_head h;
	int arrays = 0;

	for (; left > 0; left--) {
		ZINC_TRY(zinc_resp_next(r, &h, wait, err));
		if (h.type == '*' && (++arrays > MOST_ARRAYS || h.number > ZINC_RESP_MOST - left))
			return malformed(r, err);
		left += h.type == '*' ? h.number : 0;
	}
	return zinc_resp_end(r, wait, err);
}
