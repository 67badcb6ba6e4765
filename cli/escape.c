/*
 * escape.c - escape text from a store before it is printed
 *
 * Anybody may write names, attributes and elements, and terminals obey control characters.  So all text for people,
 * and every message, is escaped here.  Promises (tests/cli/names.sh):
 *
 * (1) No control character of C0 and C1, no DEL and no byte that is not UTF-8 gets out, but line ends, tabs and the
 *     colours of this program where it may use them.  They are shown as \x1b, in JSON as \u001b.
 * (2) Clean text is not changed.
 */
#include <stdio.h>

#include "cli.h"

/* Length of the UTF-8 character at s[0..n); 0: none.  Overlong forms and surrogates are not accepted. */
size_t
utf8_length(const char *text, size_t n, unsigned *code)
{
	const unsigned char *s = (const unsigned char *)text;
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0, i;

	if (len == 0 || len > n || s[0] > 0xf4)
		return 0;
	*code = len == 1 ? s[0] : s[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	return *code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : len;
}

/* Length of a colour sequence, "\033[1;34m"; 0: none. */
size_t
colour_length(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 3 || s[0] != '\033' || s[1] != '[')
		return 0;
	while (i < n && i < 8 && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';'))
		i++;
	return i < n && s[i] == 'm' ? i + 1 : 0;
}

/* May the character be printed unchanged? */
static bool
is_plain(unsigned code, enum escaping how)
{
	if (code == '\n' || code == '\t')
		return how != ESCAPE_LINE;
	return code >= 0x20 && (code < 0x7f || code >= 0xa0);
}

/* Bytes at s to print unchanged; 0: the next character must be escaped. */
static size_t
plain_length(const char *s, size_t n, enum escaping how)
{
	unsigned code = 0;
	size_t len = how == ESCAPE_COLOUR ? colour_length(s, n) : 0;

	if (len)
		return len;
	len = utf8_length(s, n, &code);
	return len && is_plain(code, how) ? len : 0;
}

void
text_escape(struct text *t, const char *s, size_t n, enum escaping how)
{
	size_t from = 0, at = 0, len;
	unsigned code;

	while (at < n) {
		len = plain_length(s + at, n - at, how);
		if (len) {
			at += len;
			continue;
		}
		text_add(t, s + from, at - from);
		len = utf8_length(s + at, n - at, &code);
		if (how == ESCAPE_JSON)
			text_printf(t, "\\u%04x", len ? code : 0xfffdu);
		else
			text_printf(t, "\\x%02x", (unsigned)(unsigned char)s[at]);
		if (how != ESCAPE_JSON && len == 2) /* of a C1 character both bytes */
			text_printf(t, "\\x%02x", (unsigned)(unsigned char)s[at + 1]);
		at += len ? len : 1;
		from = at;
	}
	text_add(t, s + from, at - from);
}

void
say(const char *fmt, ...)
{
	struct text t = {NULL, 0, 0}, line = {NULL, 0, 0};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	text_escape(&line, text_str(&t), t.n, ESCAPE_LINE);
	fprintf(stderr, "%s\n", text_str(&line));
	text_free(&line);
	text_free(&t);
}
