/*
 * fuzz_plot_range.c - the values of `zinc plot --range`
 *
 * Input: the text.  What is accepted is "full", or two finite numbers of which the first is less.
 */
#include "../cli/plot_range.c"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plot_range range;
	char *text = malloc(size + 1);

	insist(text != NULL);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (plot_range_parse(&range, text)) {
		insist(range.full != range.fixed);
		insist(range.full || (isfinite(range.lo) && isfinite(range.hi) && range.lo < range.hi));
		insist(range.full ||
		       (plot_range_share(&range, range.lo) <= 0 && plot_range_share(&range, range.hi) >= 1));
	}
	free(text);
	return 0;
}
