/*
 * az_sign_do.c - az_sign_do: signatures of the requests on standard input, for tests/interop/azure_peer.py
 *
 * A line has fields, each in hexadecimal digits, between blanks: method, URL, length of the body, and names and values of
 * headers.  Each line is answered by the signature, with the key of the emulator.
 */
#include <stdio.h>
#include <stdlib.h>

#include "net/azure_inside.h"

enum { FIELDS = 32 };

static int
digit(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* Decode the fields in place; returns their number. */
static int
split(char *fields[FIELDS], char *text)
{
	int n = 0;

	text[strcspn(text, "\n")] = '\0';
	while (n < FIELDS) {
		const size_t length = strcspn(text, " ");
		const bool last = text[length] == '\0';
		size_t i;

		for (i = 0; i < length / 2; i++)
			text[i] = (char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
		text[i] = '\0'; /* a field of no bytes is the blank itself */
		fields[n++] = text;
		if (last)
			break;
		text += length + 1;
	}
	return n;
}

static zinc_status
sign_line(char *const fields[FIELDS], int n, zinc_error *err)
{
	zinc_http_request r = {.method = fields[0], .nbytes = strtoull(fields[2], NULL, 10)};
	zinc_status st = ZINC_OK;
	uint8_t key[128];
	size_t nkey = 0;
	zinc_buf out;
	int i;

	zinc_buf_init(&out, zinc_context_get(NULL), ZINC_MIB);
	zinc_buf_init(&r.headers, zinc_context_get(NULL), ZINC_MIB);
	if (!zinc_base64_decode(zinc_azure_emulator_key, strlen(zinc_azure_emulator_key), key, sizeof key, &nkey))
		return zinc_fail(err, ZINC_E_INVALID, "no key");
	for (i = 3; i + 1 < n && st == ZINC_OK; i += 2)
		st = zinc_http_header(&r, fields[i], fields[i + 1], err);
	if (st == ZINC_OK)
		st = zinc_azure_authorize(&out, &r, fields[1], zinc_azure_emulator_account, key, nkey, err);
	if (st == ZINC_OK)
		puts(zinc_buf_text(&out));
	zinc_buf_fini(&out);
	zinc_buf_fini(&r.headers);
	return st;
}

int
main(void)
{
	static char text[1 << 20];
	zinc_error err = ZINC_ERROR_INIT;
	char *fields[FIELDS];
	int n;

	if (!ZINC_WITH_CRYPTO)
		return 77;
	while (fgets(text, sizeof text, stdin)) {
		n = split(fields, text);
		if (n < 3 || sign_line(fields, n, &err) != ZINC_OK) {
			fprintf(stderr, "%s\n", zinc_error_text(&err));
			return 1;
		}
	}
	return 0;
}
