/*
 * fuzz_key.c - any bytes as a key, a prefix and a name in an error
 *
 * (1) A key that passes, walked component by component from a directory, stays below it.
 * (2) It has no control bytes and is valid UTF-8.
 * (3) `key` passes exactly if the prefix `key/` does.
 * (4) For any bytes, an error that names them is one line of valid UTF-8.
 */
#include <stdlib.h>

#include "base/base.h"
#include "fuzz.h"

/* (1) The depth below the start where the walk ends; it is never at or above the start. */
static void
walk(const char *key)
{
	long depth = 0;

	insist(*key != '/');
	while (*key) {
		size_t n = strcspn(key, "/");

		if (n == 2 && strncmp(key, "..", 2) == 0)
			depth--;
		else if (n > 1 || (n == 1 && *key != '.'))
			depth++;
		insist(depth > 0 && n > 0);
		key += n;
		insist(*key == '\0' || key[1] != '\0');
		key += *key == '/';
	}
	insist(depth > 0);
}

static void
check_line(const char *line)
{
	insist(zinc_utf8_valid(line, strlen(line)));
	for (; *line; line++)
		insist((uint8_t)*line >= 0x20 && *line != 0x7F);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *key = (char *)malloc(size + 2);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st, prefix;
	size_t i, n;

	if (!key)
		return 0;
	memcpy(key, data, size);
	key[size] = '\0';
	n = strlen(key);
	st = zinc_key_check(key, &err);
	insist(st == ZINC_OK || st == ZINC_E_INVALID);
	if (st == ZINC_OK) {
		walk(key);
		insist(zinc_utf8_valid(key, n)); /* (2) */
		for (i = 0; i < n; i++)
			insist((uint8_t)key[i] >= 0x20 && key[i] != 0x7F);
	}
	zinc_fail(&err, ZINC_E_IO, "%s", key); /* (4) */
	zinc_error_at_key(&err, err.code, key);
	zinc_error_at_url(&err, err.code, key);
	zinc_error_at_codec(&err, err.code, key);
	check_line(zinc_error_text(&err));
	key[n] = '/';
	key[n + 1] = '\0';
	prefix = zinc_prefix_check(key, NULL);
	insist((st == ZINC_OK) == (prefix == ZINC_OK)); /* (3) */
	free(key);
	return 0;
}
