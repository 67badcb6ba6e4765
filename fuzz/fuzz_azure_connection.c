/*
 * fuzz_azure_connection.c - any text as a connection string of Azure Storage
 *
 * (1) One that is accepted has an endpoint, and a key only with an account.
 * (2) The account is a name that cannot lead to another host.
 * (3) The text of an error has no part of the string.
 */
#include <string.h>

#include "net/azure_inside.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_azure_connection c;
	zinc_secret *pool = NULL;
	char *copy;

	if (size > 64 * 1024)
		return 0;
	copy = (char *)malloc(size + 1);
	insist(copy && zinc_secret_new(&pool, NULL, 8 * ZINC_MIB, &err) == ZINC_OK);
	if (size)
		memcpy(copy, data, size);
	copy[size] = '\0';
	if (zinc_azure_parse_connection(&c, pool, copy, &err) == ZINC_OK) {
		insist(c.endpoint && c.endpoint[0] && (c.account || !c.key)); /* (1) */
		insist(!c.account || !strpbrk(c.account, "/?#@:\\ "));        /* (2) */
	} else {
		insist(strlen(err.text) < 140 && !strstr(err.text, "canary")); /* (3) */
	}
	zinc_secret_free(pool);
	free(copy);
	return 0;
}
