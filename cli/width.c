/*
 * width.c - the width of the terminal, and of text on it
 *
 * Promises (tests/cli/width.sh names each by its number):
 *
 * (1) On a terminal the width is the terminal's, else $COLUMNS, else 80.  Elsewhere nothing is cut, so that a file or
 *     another program gets everything, unless $COLUMNS is set.
 * (2) Wide characters (East Asian ones, emoji) take two columns, combining ones and colours none.
 * (3) Text that is cut ends, or begins, with "…", is never wider than asked for, and no character is split.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

#define LEAST 20 /* columns: less than that is not believed */

/* ---- the terminal ---- */

/* $COLUMNS; 0: not set, or not a width. */
static size_t
columns_wanted(void)
{
	const char *text = getenv("COLUMNS");
	char *end;
	unsigned long n;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	n = strtoul(text, &end, 10);
	return *end || errno || n < LEAST ? 0 : n;
}

size_t
screen_width(void)
{
	const size_t wanted = columns_wanted();
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO))
		return wanted ? wanted : WIDTH_ANY;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= LEAST)
		return size.ws_col;
	return wanted ? wanted : 80;
}

/* ---- characters ---- */

struct range {
	unsigned first, last;
};

/* Unicode 15: blocks of combining marks and of format characters. */
static const struct range none[] = {
    {0x300, 0x36f},     {0x483, 0x489},     {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},   {0x6d6, 0x6dc},
    {0x6df, 0x6e4},     {0x730, 0x74a},     {0x7a6, 0x7b0},   {0x900, 0x902},   {0x93a, 0x93a},   {0x93c, 0x93c},
    {0x941, 0x948},     {0x94d, 0x94d},     {0x951, 0x957},   {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},
    {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff},   {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064}, {0x20d0, 0x20ff},
    {0x302a, 0x302d},   {0x3099, 0x309a},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff},
    {0xe0001, 0xe007f}, {0xe0100, 0xe01ef},
};

/* The same of East Asian width W and F, and emoji. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x2705, 0x2705},
    {0x270a, 0x270b},   {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2795, 0x2797},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff},
    {0x1f200, 0x1f2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff},
    {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

static bool
is_in(unsigned code, const struct range *r, size_t n)
{
	size_t low = 0;

	while (low < n) {
		const size_t mid = low + (n - low) / 2;

		if (code > r[mid].last)
			low = mid + 1;
		else if (code < r[mid].first)
			n = mid;
		else
			return true;
	}
	return false;
}

static size_t
width_of_code(unsigned code)
{
	if (code < 0x300)
		return 1;
	if (is_in(code, none, sizeof none / sizeof *none))
		return 0;
	return is_in(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* One step through text: a character, a colour, or a byte that is neither.  Returns its bytes. */
static size_t
next(const char *s, size_t n, size_t *width)
{
	unsigned code = 0;
	size_t len = colour_length(s, n);

	*width = 0;
	if (len)
		return len;
	len = utf8_length(s, n, &code);
	*width = len ? width_of_code(code) : 1;
	return len ? len : 1;
}

size_t
columns_of(const char *s, size_t n)
{
	size_t at = 0, sum = 0, width;

	while (at < n) {
		at += next(s + at, n - at, &width);
		sum += width;
	}
	return sum;
}

size_t
columns(const char *s)
{
	return columns_of(s, strlen(s));
}

size_t
text_columns(const struct text *t)
{
	return columns_of(text_str(t), t->n);
}

/* ---- cutting ---- */

size_t
fitting(const char *s, size_t n, size_t width)
{
	size_t at = 0, sum = 0, more, len;

	while (at < n) {
		len = next(s + at, n - at, &more);
		if (more > width - sum)
			break;
		sum += more;
		at += len;
	}
	return at;
}

size_t
text_cut(struct text *t, const char *s, size_t width)
{
	struct text clean = {NULL, 0, 0};
	size_t used;

	text_escape(&clean, s, strlen(s), ESCAPE_LINE);
	used = text_columns(&clean);
	if (used <= width) {
		text_add(t, text_str(&clean), clean.n);
	} else if (width > 0) {
		text_add(t, clean.p, fitting(clean.p, clean.n, width - 1));
		text_puts(t, "…");
		used = width;
	} else {
		used = 0;
	}
	text_free(&clean);
	return used;
}

/* Drop characters from the front until the rest and the mark fit. */
size_t
text_cut_front(struct text *t, const char *s, size_t width)
{
	struct text clean = {NULL, 0, 0};
	size_t used, at = 0, less;

	text_escape(&clean, s, strlen(s), ESCAPE_LINE);
	used = text_columns(&clean);
	if (used > width && width > 0) {
		while (used > width - 1) {
			at += next(clean.p + at, clean.n - at, &less);
			used -= less;
		}
		text_puts(t, "…");
		used++;
	} else if (used > width) {
		at = clean.n;
		used = 0;
	}
	text_add(t, text_str(&clean) + at, clean.n - at);
	text_free(&clean);
	return used;
}

/* ---- a line that is made of parts ---- */

/* A line that is full, and not the whole: its last character becomes the mark. */
static void
mark_end(struct line *l)
{
	static const char reset[] = "\033[0m";
	struct text *t = &l->text;
	const bool painted = t->n >= 4 && !memcmp(t->p + t->n - 4, reset, 4);
	size_t n = painted ? t->n - 4 : t->n;

	if (n == 0)
		return;
	do
		n--;
	while (n > 0 && ((unsigned char)t->p[n] & 0xc0) == 0x80);
	t->n = n;
	text_puts(t, "…");
	text_puts(t, painted ? reset : "");
}

void
line_add(struct line *l, enum paint p, const char *s)
{
	struct text clean = {NULL, 0, 0}, part = {NULL, 0, 0};
	size_t used;

	text_escape(&clean, s, strlen(s), ESCAPE_LINE);
	used = text_columns(&clean);
	if (!l->cut && clean.n > strspn(text_str(&clean), " ") && l->left == 0 && l->width > 0) {
		mark_end(l);
		l->cut = true;
	}
	if (l->left > 0 && !l->cut) {
		text_cut(&part, text_str(&clean), l->left);
		text_paint(&l->text, l->colour && part.n, p, text_str(&part));
	}
	l->cut = l->cut || used > l->left;
	if (l->left != WIDTH_ANY)
		l->left -= used < l->left ? used : l->left;
	text_free(&part);
	text_free(&clean);
}

void
line_end(struct line *l, struct out *o)
{
	while (l->text.n && l->text.p[l->text.n - 1] == ' ')
		l->text.n--;
	text_add(&l->text, "\n", 1);
	out_text(o, &l->text);
}

/* Break between words where there is one in the last third of a line, else anywhere. */
static size_t
break_at(const char *s, size_t n, size_t width)
{
	const size_t most = fitting(s, n, width);
	size_t at = most;

	if (most >= n)
		return n;
	while (at > most - most / 3 && s[at - 1] != ' ' && s[at - 1] != ',')
		at--;
	return at > most - most / 3 ? at : most;
}

void
line_wrap(struct line *l, const char *s, size_t indent, size_t most, const char *mark)
{
	struct text clean = {NULL, 0, 0};
	const size_t marked = columns(mark);
	size_t at = 0, rows = 1, n;

	text_escape(&clean, s, strlen(s), ESCAPE_LINE);
	for (;;) {
		const char *rest = text_str(&clean) + at;
		const size_t left = clean.n - at;

		if (rows >= most && columns_of(rest, left) > l->left && l->left > marked) {
			text_add(&l->text, rest, fitting(rest, left, l->left - marked));
			text_puts(&l->text, mark);
			break;
		}
		n = break_at(rest, left, l->left ? l->left : 1);
		n = n ? n : left;
		text_add(&l->text, rest, n);
		at += n;
		if (at >= clean.n)
			break;
		while (l->text.p[l->text.n - 1] == ' ')
			l->text.n--;
		text_add(&l->text, "\n", 1);
		text_fill(&l->text, ' ', indent);
		l->left = l->width - indent;
		rows++;
	}
	l->left = 0;
	text_free(&clean);
}

void
out_wrapped(struct run *r, struct text *t)
{
	const size_t width = screen_width();
	char *line, *end;

	for (line = t->p; line && *line; line = end) {
		struct line l = {.colour = r->colour, .width = width, .left = width};

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		line_wrap(&l, line, 4, SIZE_MAX, "");
		line_end(&l, &r->out);
	}
	text_free(t);
}
