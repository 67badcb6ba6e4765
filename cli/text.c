/*
 * text.c - memory allocation that ends the program on failure; text that grows
 *
 * A command that runs out of memory has nothing to save (every key of a store is put whole or not at all), so it
 * prints a message and ends.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli.h"

void *
xrealloc(void *p, size_t nbytes)
{
	void *q = realloc(p, nbytes ? nbytes : 1);

	if (!q) {
		static const char line[] = "zinc: out of memory\n";
		ssize_t ignored = write(STDERR_FILENO, line, sizeof line - 1);

		(void)ignored;
		_exit(TROUBLE);
	}
	return q;
}

/* Room for `more` bytes and a NUL; doubling makes many additions linear. */
static void
reserve(struct text *t, size_t more)
{
	if (t->cap - t->n > more)
		return;
	t->cap = (t->n + more + 1) * 2;
	t->p = xrealloc(t->p, t->cap);
}

void
text_add(struct text *t, const void *p, size_t n)
{
	reserve(t, n);
	if (n)
		memcpy(t->p + t->n, p, n);
	t->n += n;
	t->p[t->n] = '\0';
}

void
text_puts(struct text *t, const char *s)
{
	text_add(t, s, strlen(s));
}

void
text_fill(struct text *t, char c, size_t n)
{
	reserve(t, n);
	memset(t->p + t->n, c, n);
	t->n += n;
	t->p[t->n] = '\0';
}

/* Most texts are short: print into the free space, and again only if that was too small. */
void
text_vprintf(struct text *t, const char *fmt, va_list ap)
{
	va_list again;
	size_t n;

	reserve(t, 64);
	va_copy(again, ap);
	n = (size_t)vsnprintf(t->p + t->n, t->cap - t->n, fmt, ap);
	if (n >= t->cap - t->n) { /* again, with enough room */
		reserve(t, n);
		vsnprintf(t->p + t->n, n + 1, fmt, again);
	}
	va_end(again);
	t->n += n;
}

void
text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(t, fmt, ap);
	va_end(ap);
}

void
text_free(struct text *t)
{
	free(t->p);
	*t = (struct text){NULL, 0, 0};
}

const char *
text_str(const struct text *t)
{
	return t->p ? t->p : "";
}

void
text_json(struct text *t, const char *s)
{
	static const char plain[] = "btn\1fr"; /* \b \t \n . \f \r */

	text_add(t, "\"", 1);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			text_printf(t, "\\%c", c);
		else if (c >= '\b' && c <= '\r' && c != 11)
			text_printf(t, "\\%c", plain[c - '\b']);
		else if (c < 0x20)
			text_printf(t, "\\u%04x", c);
		else
			text_add(t, s, 1);
	}
	text_add(t, "\"", 1);
}

/* No parser is needed: outside of strings white space has no meaning, and a string ends at an unescaped quote. */
void
text_compact(struct text *t, const char *json)
{
	bool quoted = false;

	for (; *json; json++) {
		if (!quoted && strchr(" \t\r\n", *json))
			continue;
		text_add(t, json, 1);
		if (*json == '"')
			quoted = !quoted;
		else if (*json == '\\' && quoted && json[1])
			text_add(t, ++json, 1);
	}
}

void
text_unquoted(struct text *t, const char *json)
{
	size_t n = strlen(json);

	if (n >= 2 && *json == '"' && !memchr(json, '\\', n))
		text_add(t, json + 1, n - 2);
	else
		text_puts(t, json);
}

void
text_tuple(struct text *t, const uint64_t *shape, int ndim)
{
	int d;

	text_puts(t, "(");
	for (d = 0; d < ndim; d++)
		text_printf(t, "%s%llu", d ? ", " : "", (unsigned long long)shape[d]);
	text_puts(t, ndim == 1 ? ",)" : ")");
}

void
text_times(struct text *t, const uint64_t *shape, int ndim)
{
	int d;

	for (d = 0; d < ndim; d++)
		text_printf(t, "%s%llu", d ? " x " : "", (unsigned long long)shape[d]);
	if (ndim == 0)
		text_puts(t, "scalar");
}

void
text_size(struct text *t, uint64_t nbytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = (double)nbytes;
	size_t i = 0;

	while (v >= 1024 && i + 1 < sizeof unit / sizeof *unit) {
		v /= 1024;
		i++;
	}
	if (i == 0)
		text_printf(t, "%llu B", (unsigned long long)nbytes);
	else
		text_printf(t, v < 10 ? "%.2f %s" : "%.1f %s", v, unit[i]);
}

/* Text from a store, escaped and shortened; a UTF-8 character is never split. */
void
text_name(struct text *t, const char *s)
{
	size_t n = strlen(s);
	const bool cut = n > NAME_MOST;

	for (n = cut ? NAME_MOST : n; cut && n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;)
		n--;
	text_escape(t, s, n, ESCAPE_LINE);
	text_puts(t, cut ? "..." : "");
}
