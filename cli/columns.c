/*
 * columns.c - tables whose columns adapt to their content and to the terminal
 *
 * Promises (tests/cli/width.sh names each by its number):
 *
 * (4) A column is as wide as its widest cell, among the rows that are known when the first is printed.  A wider cell of
 *     a later row shifts the rest of its row, and is cut only where the line has no room for it.
 * (5) No line is wider than the terminal: columns that may be cut get narrower, the widest first; then optional ones are
 *     left out, the last first, and named below the table; and at last the line is cut.
 * (6) Memory does not grow with the number of rows.
 */
#include <stdio.h>

#include "cli.h"

#define KNOWN 1000 /* rows that decide the widths */
#define GAP   2    /* columns between two columns */
#define LEAST 8    /* columns of one that may be cut */

void
table_init(struct table *t, const struct run *r)
{
	*t = (struct table){.out = (struct out *)(uintptr_t)&r->out, .colour = r->colour, .screen = screen_width()};
}

void
table_column(struct table *t, const char *head, enum column_kind kind)
{
	t->head[t->n] = head;
	t->kind[t->n] = kind;
	t->widest[t->n++] = columns(head);
}

void
table_optional(struct table *t, const char *head, enum column_kind kind, int rank)
{
	t->optional[t->n] = rank;
	table_column(t, head, kind);
}

static bool
may_cut(enum column_kind kind)
{
	return kind == COLUMN_CUT || kind == COLUMN_KEY;
}

static size_t
whole_width(const struct table *t)
{
	size_t sum = 0;
	int i;

	for (i = 0; i < t->n; i++)
		if (!t->left_out[i])
			sum += t->width[i] + GAP;
	return sum - GAP;
}

/* Take columns from the widest that may be cut, until the lines fit or all are short. */
static bool
cut_widths(struct table *t)
{
	size_t sum;

	memcpy(t->width, t->widest, sizeof t->width);
	for (sum = whole_width(t); sum > t->screen; sum--) {
		int i, widest = -1;

		for (i = 0; i < t->n; i++)
			if (may_cut(t->kind[i]) && !t->left_out[i] && t->width[i] > LEAST &&
			    (widest < 0 || t->width[i] > t->width[widest]))
				widest = i;
		if (widest < 0)
			return false;
		t->width[widest]--;
	}
	return true;
}

static bool
leave_out_last(struct table *t, int rank)
{
	int i = t->n - 1;

	while (i >= 0 && (t->optional[i] != rank || t->left_out[i]))
		i--;
	if (i >= 0)
		t->left_out[i] = true;
	return i >= 0;
}

static void
fix_widths(struct table *t)
{
	while (!cut_widths(t) && (leave_out_last(t, 1) || leave_out_last(t, 2)))
		;
}

static bool
is_last(const struct table *t, int i)
{
	do
		i++;
	while (i < t->n && t->left_out[i]);
	return i == t->n;
}

/* Promise (4): the widths of one row.  Its wider cells share what the line has left, those that are never cut first. */
static void
row_widths(const struct table *t, const struct cell *row, size_t *width)
{
	const size_t whole = whole_width(t);
	size_t spare = t->screen > whole ? t->screen - whole : 0, more;
	int i, cut;

	memcpy(width, t->width, sizeof t->width);
	for (cut = 0; cut < 2; cut++)
		for (i = 0; i < t->n; i++) {
			const size_t n = columns(row[i].text);

			if (may_cut(t->kind[i]) != cut || t->left_out[i] || n <= width[i])
				continue;
			more = cut && n - width[i] > spare ? spare : n - width[i];
			width[i] += more;
			spare -= more < spare ? more : spare;
		}
}

static void
print_cell(const struct table *t, struct line *l, int i, size_t width, enum paint p, const char *s)
{
	const bool last = is_last(t, i);
	struct text cut = {NULL, 0, 0};
	size_t used = columns(s), pad;

	if (t->left_out[i])
		return;
	if (t->kind[i] == COLUMN_KEY)
		used = text_cut_front(&cut, s, l->left < width ? l->left : width);
	else if (may_cut(t->kind[i]))
		used = text_cut(&cut, s, l->left < width ? l->left : width);
	else
		text_puts(&cut, s);
	pad = used < width ? width - used : 0;
	s = text_str(&cut);
	if (pad && t->kind[i] == COLUMN_RIGHT) {
		struct text blank = {NULL, 0, 0};

		text_fill(&blank, ' ', pad);
		line_add(l, PLAIN, blank.p);
		text_free(&blank);
	}
	line_add(l, p, s);
	if (!last) {
		struct text blank = {NULL, 0, 0};

		text_fill(&blank, ' ', (t->kind[i] == COLUMN_RIGHT ? 0 : pad) + GAP);
		line_add(l, PLAIN, blank.p);
		text_free(&blank);
	}
	text_free(&cut);
}

static struct line
new_line(const struct table *t)
{
	return (struct line){.colour = t->colour, .width = t->screen, .left = t->screen};
}

static void
print_header(struct table *t)
{
	struct line l = new_line(t);
	int i;

	for (i = 0; i < t->n; i++)
		print_cell(t, &l, i, t->width[i], DIM, t->head[i]);
	line_end(&l, t->out);
}

/* Print all rows that are complete. */
static void
flush(struct table *t)
{
	size_t row, rows = t->ncells / (size_t)t->n, k;
	int i;

	if (!t->begun) {
		fix_widths(t);
		if (*t->head[0]) /* else it has no header, as in ls */
			print_header(t);
		t->begun = true;
	}
	for (row = k = 0; row < rows; row++) {
		struct line l = new_line(t);
		size_t width[TABLE_COLUMNS];

		row_widths(t, t->cells + k, width);
		for (i = 0; i < t->n; i++, k++) {
			print_cell(t, &l, i, width[i], t->cells[k].paint, t->cells[k].text);
			free(t->cells[k].text);
		}
		line_end(&l, t->out);
	}
	t->ncells = 0;
}

void
table_cell(struct table *t, enum paint p, const char *s)
{
	const size_t i = t->ncells % (size_t)t->n, n = strlen(s) + 1;
	struct text clean = {NULL, 0, 0};

	if (t->ncells == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->cells = xrealloc(t->cells, t->room * sizeof *t->cells);
	}
	text_escape(&clean, s, n - 1, ESCAPE_LINE);
	t->cells[t->ncells] = (struct cell){memcpy(xrealloc(NULL, clean.n + 1), text_str(&clean), clean.n + 1), p};
	if (!t->begun && text_columns(&clean) > t->widest[i])
		t->widest[i] = text_columns(&clean);
	text_free(&clean);
	t->ncells++;
	if (t->ncells % (size_t)t->n == 0 && (t->begun || t->ncells >= KNOWN * (size_t)t->n))
		flush(t);
}

void
table_text(struct table *t, enum paint p, struct text *s)
{
	table_cell(t, p, text_str(s));
	text_free(s);
}

/* Promise (5): which columns are not there. */
static void
print_left_out(struct table *t)
{
	struct text names = {NULL, 0, 0};
	struct line l = new_line(t);
	int i;

	for (i = 0; i < t->n; i++)
		if (t->left_out[i])
			text_printf(&names, "%s%s", names.n ? ", " : "", t->head[i]);
	if (names.n) {
		text_puts(&names, ": in a wider terminal, or with --json");
		line_wrap(&l, names.p, 4, SIZE_MAX, "");
		line_end(&l, t->out);
	}
	text_free(&names);
}

void
table_drop(struct table *t)
{
	while (t->ncells > 0)
		free(t->cells[--t->ncells].text);
	free(t->cells);
	t->cells = NULL;
	t->room = 0;
}

void
table_end(struct table *t)
{
	flush(t);
	print_left_out(t);
	table_drop(t);
}
