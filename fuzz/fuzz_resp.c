/*
 * fuzz_resp.c - any bytes as the answers of a Redis server
 *
 * (1) A head is the same however many bytes are there, and never longer than they are; it ends in an end of line.
 * (2) Reading ends: each head takes at least four bytes, and skipping never takes more than there is.
 * (3) Text is printable, and numbers are within their limits.
 */
#include <string.h>

#include "net/resp.h"
#include "fuzz.h"

static void
check_head(const zinc_resp_head *h)
{
	const size_t n = strlen(h->text);
	size_t i;

	insist(strchr("+-:$*", h->type) && h->type);
	insist(n < sizeof h->text);
	for (i = 0; i < n; i++)
		insist(h->text[i] >= ' ' && h->text[i] <= '~'); /* (3) */
	if (h->type == '$' || h->type == '*')
		insist(h->number >= 0 && h->number <= ZINC_RESP_MOST && (!h->null || h->number == 0));
}

/* (1) */
static void
check_parse(const uint8_t *data, size_t size)
{
	zinc_resp_head h, cut;
	const size_t n = zinc_resp_parse(data, size, &h);
	size_t i;

	if (n == 0 || n == ZINC_RESP_BAD)
		return;
	insist(n >= 3 && n <= size && memcmp(data + n - 2, "\r\n", 2) == 0);
	check_head(&h);
	for (i = 0; i < n; i++)
		insist(zinc_resp_parse(data, i, &cut) == 0);
	insist(zinc_resp_parse(data, n, &cut) == n && cut.type == h.type && cut.number == h.number);
}

/* (2): by turns skip a reply and read its bytes. */
static void
check_read(const uint8_t *data, size_t size)
{
	zinc_resp *r = NULL;
	uint8_t bytes[64];
	zinc_resp_head h;
	size_t heads = 0;

	insist(zinc_resp_new(&r, zinc_context_get(NULL), NULL, (zinc_bytes){data, size}, NULL) == ZINC_OK);
	while (zinc_resp_next(r, &h, NULL, NULL) == ZINC_OK) {
		insist(++heads <= size / 3);
		check_head(&h);
		if (heads % 3 == 0 && zinc_resp_skip(r, &h, NULL, NULL) != ZINC_OK)
			break;
		if (heads % 3 == 1 && h.type == '$' && h.number > 0 &&
		    zinc_resp_read(r, bytes, h.number < 64 ? (size_t)h.number : 64, NULL, NULL) != ZINC_OK)
			break;
	}
	insist(zinc_resp_is_broken(r));
	zinc_resp_free(r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = (uint8_t *)malloc(size ? size : 1); /* no byte after it, so that an overrun is detected */

	insist(copy);
	if (size)
		memcpy(copy, data, size);
	check_parse(copy, size);
	check_read(copy, size);
	free(copy);
	return 0;
}
