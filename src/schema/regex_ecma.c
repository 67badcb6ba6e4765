/*
 * regex_ecma.c - translate patterns of ECMA 262 into the syntax of PCRE2
 *
 * Differences that matter to schemas:
 *
 *   \s \S          in ECMA also Unicode blanks; PCRE2 without UCP has only ASCII's
 *   \p{Letter}     long names of general categories, which PCRE2 lacks
 *
 * Everything else is passed on as it is.  Inside a class \S cannot be expanded, and keeps PCRE2's meaning.
 */
#include "schema/regex.h"

/* What \s has beyond ASCII: no-break space, byte order mark, line and paragraph separator, and category Zs. */
#define BLANKS "\\s\\u00a0\\ufeff\\u2028\\u2029\\p{Zs}"

/* Unicode's general categories: PropertyValueAliases.txt, section gc. */
static const struct {
	const char *name, *is;
} categories[] = {
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Unassigned", "Cn"},
    {"Private_Use", "Co"},
    {"Surrogate", "Cs"},
    {"Letter", "L"},
    {"Cased_Letter", "L&"},
    {"Lowercase_Letter", "Ll"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Titlecase_Letter", "Lt"},
    {"Uppercase_Letter", "Lu"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Close_Punctuation", "Pe"},
    {"Final_Punctuation", "Pf"},
    {"Initial_Punctuation", "Pi"},
    {"Other_Punctuation", "Po"},
    {"Open_Punctuation", "Ps"},
    {"Symbol", "S"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Math_Symbol", "Sm"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Space_Separator", "Zs"},
};

/* The short name of a category; NULL: left to PCRE2. */
static const char *
short_name(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof categories / sizeof *categories; i++)
		if (strlen(categories[i].name) == n && memcmp(categories[i].name, name, n) == 0)
			return categories[i].is;
	return NULL;
}

/* \p{Name} or \P{Name} at `s`: how many bytes were taken and translated; 0: none. */
static size_t
take_property(zinc_buf *out, const char *s, size_t n, zinc_error *err, zinc_status *status)
{
	const char *end = n > 3 && s[2] == '{' ? memchr(s + 3, '}', n - 3) : NULL;
	const char *is = end ? short_name(s + 3, (size_t)(end - s) - 3) : NULL;

	if (!is)
		return 0;
	*status = zinc_buf_printf(out, err, "\\%c{%s}", s[1], is);
	return (size_t)(end - s) + 1;
}

/* The escape at `s`, n >= 2: bytes taken. */
static size_t
take_escape(zinc_buf *out, const char *s, size_t n, bool in_class, zinc_error *err, zinc_status *status)
{
	size_t taken;

	if (s[1] == 's') {
		*status = zinc_buf_puts(out, in_class ? BLANKS : "[" BLANKS "]", err);
		return 2;
	}
	if (s[1] == 'S' && !in_class) {
		*status = zinc_buf_puts(out, "[^" BLANKS "]", err);
		return 2;
	}
	taken = s[1] == 'p' || s[1] == 'P' ? take_property(out, s, n, err, status) : 0;
	if (taken > 0)
		return taken;
	*status = zinc_buf_add(out, s, 2, err);
	return 2;
}

zinc_status
zinc_regex_translate(zinc_buf *out, const char *pattern, size_t n, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	bool in_class = false;
	size_t i, taken;

	for (i = 0; i < n && st == ZINC_OK; i += taken) {
		if (pattern[i] == '\\' && i + 1 < n) {
			taken = take_escape(out, pattern + i, n - i, in_class, err, &st);
			continue;
		}
		if (pattern[i] == '[' || pattern[i] == ']')
			in_class = pattern[i] == '[';
		taken = 1;
		st = zinc_buf_add(out, pattern + i, 1, err);
	}
	return st;
}
