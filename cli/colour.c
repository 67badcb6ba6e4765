/* colour.c - colours, for terminals that support them */
#include <unistd.h>

#include "cli.h"

bool
colour_wanted(int fd)
{
	const char *term = getenv("TERM");
	const char *off = getenv("NO_COLOR"); /* no-color.org: set and not empty */

	return isatty(fd) && !(off && *off) && term && strcmp(term, "dumb");
}

void
text_paint(struct text *t, bool colour, enum paint p, const char *s)
{
	static const char *const code[] = {"", "\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[32m", "\033[1;34m"};

	if (colour && p != PLAIN)
		text_printf(t, "%s%s\033[0m", code[p], s);
	else
		text_puts(t, s);
}

void
text_label(struct text *t, bool colour, const char *label)
{
	struct text padded = {NULL, 0, 0};

	text_printf(&padded, "%-13s", label);
	text_paint(t, colour, DIM, padded.p);
	text_free(&padded);
}
