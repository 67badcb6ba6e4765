/*
 * fuzz_google_file.c - any bytes as a file of Google's credentials, or as the answer of a token server
 *
 * (1) A file gives complete credentials, with texts that can be sent, or an error that shows none of it.
 * (2) A token is printable ASCII.
 */
#include <string.h>

#include "net/google_inside.h"
#include "fuzz.h"

static void
check_word(const char *s)
{
	insist(s && s[0]);
	for (; *s; s++)
		insist(*s > ' ' && *s < 0x7f);
}

static void
check_file(zinc_secret *pool, const char *text, size_t size)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_google_file f;

	if (zinc_google_parse(&f, pool, text, size, &err) != ZINC_OK) {
		insist(err.code == ZINC_E_INVALID || err.code == ZINC_E_NOMEM); /* (1) */
		insist(!strstr(err.text, "CANARY"));
		return;
	}
	check_word(f.token_uri);
	if (f.kind == ZINC_GOOGLE_SERVICE) {
		check_word(f.email);
		insist(f.key && f.key[0]);
	} else {
		check_word(f.client);
		check_word(f.secret);
		check_word(f.refresh);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_token_found found = {NULL, NULL, 0, false};
	const char *text = (const char *)data;
	zinc_secret *pool = NULL;
	char code[64];

	if (size > 65536 || zinc_secret_new(&pool, zinc_context_get(NULL), (size_t)8 * ZINC_MIB, NULL) != ZINC_OK)
		return 0;
	check_file(pool, text, size);
	if (zinc_google_parse_token(&found, pool, text, size, 1000, NULL) == ZINC_OK) {
		check_word(found.text); /* (2) */
		insist(found.expires > 1000);
	}
	zinc_google_parse_refusal(code, pool, text, size);
	insist(strspn(code, "abcdefghijklmnopqrstuvwxyz_") == strlen(code));
	zinc_secret_free(pool);
	return 0;
}
