/*
 * fuzz_http_head.c - any bytes as the head of an answer
 *
 * (1) For any lines, a reported range is within its value.
 * (2) An ETag is short, quoted, and cannot end a header line.
 * (3) A status is 0 or a number of three digits.
 */
#include <stdlib.h>

#include "net/net.h"
#include "fuzz.h"

static void
check(const zinc_http_head *h)
{
	const size_t n = strlen(h->etag);

	insist(h->first == ZINC_HTTP_UNKNOWN || (h->first <= h->last && h->last < h->total)); /* (1) */
	insist(n < sizeof h->etag && strcspn(h->etag, "\r\n ") == n);
	insist(n == 0 || (n >= 2 && h->etag[0] == '"' && h->etag[n - 1] == '"')); /* (2) */
	insist(h->status == 0 || (h->status >= 100 && h->status <= 999));         /* (3) */
	insist(!zinc_http_head_date_is_tag(h) || h->date > h->modified_at);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end;
	zinc_http_head h;
	size_t n;

	zinc_http_head_init(&h);
	for (; size; data += n, size -= n) {
		char *line;

		end = (const uint8_t *)memchr(data, '\n', size);
		n = end ? (size_t)(end - data) + 1 : size;
		line = (char *)malloc(n); /* no byte after it, so that an overrun is detected */
		insist(line);
		memcpy(line, data, n);
		zinc_http_head_line(&h, line, n);
		free(line);
		check(&h);
	}
	return 0;
}
