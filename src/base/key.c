/*
 * key.c - the one checker of keys, for every store and both directions
 *
 * Promises (tests/unit/test_key.c names each by its number):
 *
 * (1) A valid key cannot leave its root: no component is empty, "." or "..", and it neither begins nor ends with '/'.
 * (2) It is valid UTF-8 without control bytes, so it can be shown, logged and sent as it is.
 *
 * This check is the first of two defences; a store that turns keys into paths has the second one, open_at.  Keys that a
 * listing returns (names in an archive, in a directory, in XML) are checked here, too.
 */
#include "base/base.h"

/* What is wrong with the component s[0..n), or NULL. */
static const char *
component_problem(const char *s, size_t n)
{
	if (n == 0)
		return "a key must not have an empty component";
	if (n == 1 && s[0] == '.')
		return "a key must not have \".\" as a component";
	if (n == 2 && s[0] == '.' && s[1] == '.')
		return "a key must not have \"..\" as a component";
	return NULL;
}

/* All bytes of a multi-byte UTF-8 character are above 0x7F, so control bytes can be searched one by one. */
static const char *
byte_problem(const char *key, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((uint8_t)key[i] < 0x20 || key[i] == 0x7F)
			return "a key must not have control characters";
	return zinc_utf8_valid(key, n) ? NULL : "a key must be valid UTF-8";
}

/* The first problem, as a sentence, or NULL. */
static const char *
key_problem(const char *key, size_t n)
{
	const char *problem = NULL, *slash;
	size_t at = 0, len;

	if (n == 0)
		return "a key must not be empty";
	if (key[0] == '/' || key[n - 1] == '/')
		return "a key must not begin or end with '/'";
	while (!problem && at <= n) {
		slash = (const char *)memchr(key + at, '/', n - at);
		len = slash ? (size_t)(slash - key) - at : n - at;
		problem = component_problem(key + at, len);
		at += len + 1;
	}
	return problem ? problem : byte_problem(key, n);
}

zinc_status
zinc_key_check(const char *key, zinc_error *err)
{
	const char *problem = key ? key_problem(key, strlen(key)) : "a key must not be NULL";

	if (!problem)
		return ZINC_OK;
	return zinc_error_at_key(err, zinc_fail(err, ZINC_E_INVALID, "%s", problem), key);
}

zinc_status
zinc_prefix_check(const char *prefix, zinc_error *err)
{
	const char *problem;
	size_t n = prefix ? strlen(prefix) : 0;

	if (!prefix)
		problem = "a prefix must not be NULL";
	else if (n == 0)
		problem = NULL;
	else if (prefix[n - 1] != '/')
		problem = "a prefix must be empty or end with '/'";
	else
		problem = key_problem(prefix, n - 1);
	if (!problem)
		return ZINC_OK;
	return zinc_error_at_key(err, zinc_fail(err, ZINC_E_INVALID, "%s", problem), prefix);
}

const char *
zinc_key_name(const char *key)
{
	const char *slash = strrchr(key, '/');

	return slash ? slash + 1 : key;
}
