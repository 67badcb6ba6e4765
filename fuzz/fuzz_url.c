/*
 * fuzz_url.c - any text as a URL
 *
 * (1) A scheme is a prefix of the URL, unless it is a chain, and the text after '|' follows one.
 * (2) A path that is used as a key is a valid key.
 * (3) Showing a shown URL again does not change it; it is never longer than the URL.
 * (4) A file with a path after it ends within the URL.
 */
#include <stdlib.h>

#include "store/store_url.h"
#include "fuzz.h"

static void
check_shown(const char *url)
{
	char out[4096], again[4096];

	zinc_url_show(out, sizeof out, url);
	zinc_url_show(again, sizeof again, out);
	insist(strcmp(out, again) == 0); /* (3) */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_context *ctx = zinc_context_get(NULL);
	char *text = (char *)malloc(size + 1), *key = NULL;
	zinc_url u;
	size_t n;

	insist(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (zinc_url_parse(&u, ctx, text, NULL) == ZINC_OK) {
		insist(zinc_url_chained(text) || strncasecmp(u.scheme, text, strlen(u.scheme)) == 0);
		insist(!u.inner || u.inner[-1] == '|'); /* (1) */
		if (zinc_url_use_ending(&u, ctx, NULL) == ZINC_OK)
			insist(!u.inner || u.inner == (const char *)u.made.p || u.inner[-1] == '|');
	}
	zinc_url_fini(&u);
	if (zinc_url_key(&key, ctx, text, true, NULL) == ZINC_OK)
		insist(key[0] == '\0' || zinc_key_check(key, NULL) == ZINC_OK); /* (2) */
	zinc_free(ctx, key);
	if (zinc_url_split_file(text, ".db,.sqlite", ctx, &n, NULL) == ZINC_OK)
		insist(n <= strlen(text) && (text[n] == '/' || text[n] == '\0')); /* (4) */
	if (size < 1000)
		check_shown(text);
	free(text);
	return 0;
}
