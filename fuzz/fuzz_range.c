/*
 * fuzz_range.c - any text as the headers Range and If-None-Match
 *
 * (1) A range has bytes of the value, and only of it.
 * (2) The tag itself is in the list if the list is that tag; weak comparison finds what strong comparison finds.
 */
#include <string.h>

#include "fuzz.h"
#include "server.h"

static void
check_size(const struct range *r, uint64_t size)
{
	uint64_t offset, nbytes;

	if (range_of(r, size, &offset, &nbytes))
		insist(nbytes > 0 && offset < size && nbytes <= size - offset); /* (1) */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t sizes[] = {0, 1, 2, 1000, (uint64_t)1 << 32, UINT64_MAX - 1, UINT64_MAX};
	char *text = (char *)malloc(size + 1);
	struct range r;
	size_t i;

	insist(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (range_parse(&r, text))
		for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
			check_size(&r, sizes[i]);
	else
		insist(r.kind == RANGE_NONE);
	if (etag_listed(text, "\"a\"", false))
		insist(etag_listed(text, "\"a\"", true)); /* (2) */
	if (!strcmp(text, "\"a\""))
		insist(etag_listed(text, "\"a\"", false));
	(void)etag_listed(text, "", true);
	free(text);
	return 0;
}
