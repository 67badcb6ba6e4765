/*
 * fuzz_azure_token.c - any bytes as the answer of a server that gives out tokens of Azure
 *
 * (1) A token that is accepted is printable, so that it can be sent in a header, and ends some day.
 * (2) The text of an error has no part of the document.
 */
#include <string.h>

#include "net/azure_inside.h"
#include "fuzz.h"

#define NOW 1700000000

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_token_found found = {NULL, NULL, 0, false};
	zinc_secret *pool = NULL;
	const char *p;

	if (size > 64 * 1024)
		return 0;
	insist(zinc_secret_new(&pool, NULL, 8 * ZINC_MIB, &err) == ZINC_OK);
	if (zinc_azure_parse_token(&found, pool, (const char *)data, size, NOW, &err) == ZINC_OK) {
		insist(found.text[0] && found.expires >= 0 && found.expires < NOW + 1000000000000);
		for (p = found.text; *p; p++)
			insist(*p > ' ' && *p < 0x7f); /* (1) */
	} else {
		insist(strlen(err.text) < 120 && !strstr(err.text, "canary")); /* (2) */
	}
	zinc_secret_free(pool);
	return 0;
}
