/*
 * sign_do.c - sign_do: signatures of the requests on standard input, for tests/interop/sigv4_peer.py
 *
 * A line has fields, each in hexadecimal digits, between blanks:
 *
 *     "header" or "presign", method, "https://host", path, query, payload, seconds since 1970, token or ""
 *
 * and for "header" names and values of headers.  Path, names and values of the query are not escaped; the query is
 * name, NUL, value, NUL and so on.  Each line is answered by the URL, for "header" followed by a blank and the signature.
 */
#include <stdio.h>
#include <stdlib.h>

#include "net/net.h"

enum { FIELDS = 24 };

typedef struct line {
	char *fields[FIELDS];
	size_t lengths[FIELDS];
	int n;
} line;

static int
digit(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* Decode the fields in place. */
static void
split(line *l, char *text)
{
	memset(l, 0, sizeof *l);
	text[strcspn(text, "\n")] = '\0';
	while (l->n < FIELDS) {
		const size_t n = strcspn(text, " ");
		const bool last = text[n] == '\0';
		size_t i;

		for (i = 0; i < n / 2; i++)
			text[i] = (char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
		text[i] = '\0'; /* a field of no bytes is the blank itself */
		l->fields[l->n] = text;
		l->lengths[l->n++] = n / 2;
		if (last)
			break;
		text += n + 1;
	}
}

static zinc_status
make_url(const line *l, zinc_buf *url, zinc_error *err)
{
	const char *q = l->fields[4], *end = q + l->lengths[4];
	bool value = false;

	ZINC_TRY(zinc_buf_puts(url, l->fields[2], err));
	ZINC_TRY(zinc_sigv4_escape(url, l->fields[3], l->lengths[3], true, err));
	for (; q < end; q += strlen(q) + 1, value = !value) {
		ZINC_TRY(zinc_buf_puts(url, value ? "=" : q == l->fields[4] ? "?" : "&", err));
		ZINC_TRY(zinc_sigv4_escape(url, q, strlen(q), false, err));
	}
	return zinc_buf_text(url) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
sign_headers(const line *l, const char *url, const zinc_aws_keys *keys, zinc_error *err)
{
	zinc_http_request r = {.method = l->fields[1]};
	zinc_status st = ZINC_OK;
	int i;

	zinc_buf_init(&r.headers, zinc_context_get(NULL), ZINC_MIB);
	for (i = 8; i + 1 < l->n && st == ZINC_OK; i += 2)
		st = zinc_http_header(&r, l->fields[i], l->fields[i + 1], err);
	if (st == ZINC_OK)
		st = zinc_sigv4_sign(&r, url, keys, "eu-west-1", "s3", l->fields[5], strtoll(l->fields[6], NULL, 10),
				     err);
	if (st == ZINC_OK) {
		const char *found = memmem(r.headers.p, r.headers.n, "Signature=", 10);

		printf("%s %s\n", url, found ? found + 10 : "none");
	}
	zinc_buf_fini(&r.headers);
	return st;
}

static zinc_status
sign_line(const line *l, zinc_error *err)
{
	const zinc_aws_keys keys = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", l->fields[7]};
	zinc_buf url, signed_url;
	zinc_status st;

	zinc_buf_init(&url, zinc_context_get(NULL), ZINC_MIB);
	zinc_buf_init(&signed_url, zinc_context_get(NULL), ZINC_MIB);
	st = make_url(l, &url, err);
	if (st == ZINC_OK && strcmp(l->fields[0], "header") == 0) {
		st = sign_headers(l, (const char *)url.p, &keys, err);
	} else if (st == ZINC_OK) {
		st = zinc_sigv4_presign(&signed_url, l->fields[1], (const char *)url.p, &keys, "eu-west-1", "s3",
					strtoll(l->fields[6], NULL, 10), 600, err);
		if (st == ZINC_OK)
			printf("%s\n", zinc_buf_text(&signed_url));
	}
	zinc_buf_fini(&signed_url);
	zinc_buf_fini(&url);
	return st;
}

int
main(void)
{
	static char text[1 << 20];
	zinc_error err = ZINC_ERROR_INIT;
	line l;

	if (!ZINC_WITH_CRYPTO)
		return 77;
	while (fgets(text, sizeof text, stdin)) {
		split(&l, text);
		if (l.n < 8 || sign_line(&l, &err) != ZINC_OK) {
			fprintf(stderr, "%s\n", zinc_error_text(&err));
			return 1;
		}
	}
	return 0;
}
