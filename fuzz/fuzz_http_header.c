/*
 * fuzz_http_header.c - any bytes as name and value of a field of a request
 *
 * (1) An accepted field is one line: nothing in it can end it, or begin another field or the body.
 * (2) A refused field leaves the others unchanged.
 */
#include <stdlib.h>

#include "net/net.h"
#include "fuzz.h"

/* The name is the part up to the first newline. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_http_request r = {.url = ""};
	char *text = (char *)malloc(size + 2);
	size_t n, before;

	insist(text);
	memcpy(text, data, size);
	text[size] = text[size + 1] = '\0';
	n = strcspn(text, "\n");
	text[n] = '\0';
	zinc_buf_init(&r.headers, ctx, ZINC_MIB);
	insist(zinc_http_header(&r, "X-First", "1", NULL) == ZINC_OK);
	before = r.headers.n;
	if (zinc_http_header(&r, text, n < size ? text + n + 1 : "", NULL) == ZINC_OK) {
		const char *line = (const char *)r.headers.p + before;

		insist(strlen(line) + 1 == r.headers.n - before && strpbrk(line, "\r\n") == NULL);
		insist(strncmp(line, text, n) == 0 && (line[n] == ':' || line[n] == ';')); /* (1) */
	} else {
		insist(r.headers.n == before); /* (2) */
	}
	zinc_buf_fini(&r.headers);
	free(text);
	return 0;
}
