/*
 * comma.h - checks in a process whose locale has a decimal comma
 */
#ifndef COMMA_H
#define COMMA_H

#include <stdbool.h>

/* Run `check` in a child with such a locale: one of the system, or one that localedef makes.  Fails the test if it
 * returns false; skips it, and prints why, if there is no such locale. */
void with_decimal_comma(bool (*check)(void));
/* Are the texts equal?  If not, print both. */
bool same_text(const char *got, const char *want);

#endif
