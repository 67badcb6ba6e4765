/*
 * plot_terminal.c - pictures made of characters
 *
 * Promises (tests/cli/plot.sh):
 *
 * (1) No line is wider than the terminal, or than --width; off a terminal 80 columns.
 * (2) Colours only on a terminal that has them: 24 bits if COLORTERM says so, else 256.  Without colours heat maps are
 *     shades.
 * (3) Missing values look like no value.
 *
 *   2 metre temperature [K]
 *   ↑ lat [degrees_north]  → lon [degrees_east]
 *   60 ┤▀▀▀▀▀▀▀▀▀▀▀▀     a half block shows two pixels: the upper one is the character, the lower one its background
 *   40 ┤▀▀▀▀▀▀▀▀▀▀▀▀
 *      └┬─────┬─────
 *       0     60
 *   245 ▀▀▀▀▀▀▀▀▀▀ 301  ▀ missing
 */
#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "plot.h"

enum mode { SHADES, COLOURS_256, COLOURS_RGB };

#define COLUMNS 80 /* off a terminal */
#define ROWS    24
#define AROUND  6  /* rows of title, names, axis, labels, colour bar, and the prompt after it */
#define LABELS  14 /* columns kept for labels before they are known */
#define BAR     24 /* columns of the colour bar */

struct screen {
	struct plot *plot;
	const struct plot_room *room;
	enum mode mode;
	struct text text;
	long fore, back; /* colours in use; -1: none */
};

/* ---- sizes ---- */

void
plot_room_init(struct plot_room *room, const struct args *a)
{
	struct winsize w;
	const bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 0;
	const size_t screen = screen_width();

	room->columns = a->width > 0 ? (size_t)a->width : screen == WIDTH_ANY ? COLUMNS : screen;
	room->rows = a->height > 0 ? (size_t)a->height : terminal ? w.ws_row : ROWS;
	room->width = room->columns > LABELS + 8 ? room->columns - LABELS : room->columns > 9 ? room->columns - 8 : 1;
	room->height = room->rows > AROUND ? room->rows - AROUND : 1;
}

/* A mode decides how many pixels a character has. */
static enum mode
choose_mode(const struct plot *p)
{
	const char *term = getenv("COLORTERM");

	if (!p->run->colour)
		return SHADES;
	return term && (!strcmp(term, "truecolor") || !strcmp(term, "24bit")) ? COLOURS_RGB : COLOURS_256;
}

/* n items on at most `most` pixels: a whole number of pixels for each, or fewer pixels than items. */
static size_t
stretch(uint64_t n, size_t most)
{
	return n < most ? (size_t)(most / n * n) : most;
}

/* A heat map keeps its proportions unless it is very long; pixels are about square. */
static void
fit_heat(struct plot *p, size_t width, size_t height)
{
	const double rows = (double)p->shape[0], columns = (double)p->shape[1];
	double scale =
	    (double)width / columns < (double)height / rows ? (double)width / columns : (double)height / rows;

	p->width = stretch(p->shape[1], width);
	p->height = stretch(p->shape[0], height);
	if (columns > 4 * rows || rows > 4 * columns)
		return;
	scale = scale > 1 ? floor(scale) : scale;
	p->width = (size_t)fmax(1, floor(columns * scale + 0.5));
	p->height = (size_t)fmax(1, floor(rows * scale + 0.5));
}

void
plot_terminal_size(struct plot *p, struct plot_room *room)
{
	if (p->kind == PLOT_HEAT) {
		fit_heat(p, room->width, 2 * room->height);
		room->width = p->width;
		room->height = (p->height + 1) / 2;
		p->height = choose_mode(p) == SHADES ? room->height : p->height;
	} else {
		p->width = 2 * room->width; /* dots of braille characters */
		p->height = 4 * room->height;
	}
}

/* ---- parts ---- */

/* At most n columns of text that is escaped already. */
static void
add_cut(struct text *t, const char *s, size_t n)
{
	text_add(t, s, fitting(s, strlen(s), n));
}

static void
add_line(struct screen *s, const char *line)
{
	add_cut(&s->text, line, s->room->columns);
	text_puts(&s->text, "\n");
}

static void
reset(struct screen *s)
{
	if (s->fore >= 0 || s->back >= 0)
		text_puts(&s->text, "\033[0m");
	s->fore = s->back = -1;
}

static void
set_colour(struct screen *s, long *now, long rgb, int code)
{
	if (*now == rgb)
		return;
	*now = rgb;
	if (s->mode == COLOURS_RGB)
		text_printf(&s->text, "\033[%d;2;%ld;%ld;%ldm", code, rgb >> 16, rgb >> 8 & 255, rgb & 255);
	else
		text_printf(&s->text, "\033[%d;5;%dm", code, plot_colour_256((uint32_t)rgb));
}

/* Two pixels, one above the other; `lower` -1: none. */
static void
add_blocks(struct screen *s, int upper, int lower)
{
	const struct plot_map *m = s->plot->map;

	if (lower < 0 && s->back >= 0)
		reset(s);
	set_colour(s, &s->fore, (long)plot_map_colour(m, upper), 38);
	if (lower >= 0)
		set_colour(s, &s->back, (long)plot_map_colour(m, lower), 48);
	text_puts(&s->text, "▀");
}

static void
add_shade(struct screen *s, int level)
{
	static const char *const shade[] = {" ", "░", "▒", "▓", "█"};

	text_puts(&s->text, level == PLOT_MISSING ? "·" : shade[level * 5 / PLOT_LEVELS]);
}

static void
add_label(struct screen *s, const char *label)
{
	const size_t width = s->room->left - 2, n = strlen(label);

	if (s->room->left < 3)
		return;
	text_fill(&s->text, ' ', n < width ? width - n : 0);
	add_cut(&s->text, label, width);
	text_puts(&s->text, *label ? " ┤" : " │");
}

/* The tick at a row, "" if there is none. */
static const char *
label_at(const struct plot_ticks *t, const long *row, long at)
{
	int i;

	for (i = 0; i < t->n; i++)
		if (row[i] == at)
			return t->tick[i].label;
	return "";
}

/* "└──┬───" */
static void
axis_line(struct screen *s, const struct plot_ticks *t, const long *column)
{
	struct text line = {NULL, 0, 0};
	size_t i;
	int k;

	text_fill(&line, ' ', s->room->left ? s->room->left - 1 : 0);
	text_puts(&line, s->room->left ? "└" : "");
	for (i = 0; i < s->room->width; i++) {
		for (k = 0; k < t->n && column[k] != (long)i; k++)
			;
		text_puts(&line, k < t->n && *t->tick[k].label ? "┬" : "─");
	}
	add_line(s, text_str(&line));
	text_free(&line);
}

/* Where a label begins: below its tick, or moved to the right by at most half its length.  SIZE_MAX: it has no room. */
static size_t
label_place(const struct screen *s, size_t length, long column, size_t free_from)
{
	const size_t centre = s->room->left + (size_t)column, half = length / 2;
	const size_t wanted = centre > half ? centre - half : 0, at = wanted < free_from ? free_from : wanted;

	return length == 0 || at > wanted + half || at + length > s->room->columns ? SIZE_MAX : at;
}

static void
axis_labels(struct screen *s, const struct plot_ticks *t, const long *column)
{
	struct text line = {NULL, 0, 0};
	size_t at;
	int k;

	for (k = 0; k < t->n; k++) {
		at = label_place(s, strlen(t->tick[k].label), column[k], line.n ? line.n + 1 : 0);
		if (at == SIZE_MAX)
			continue;
		text_fill(&line, ' ', at - line.n);
		text_puts(&line, t->tick[k].label);
	}
	add_line(s, text_str(&line));
	text_free(&line);
}

static void
add_axis(struct screen *s, const struct plot_ticks *t, const long *column)
{
	axis_line(s, t, column);
	axis_labels(s, t, column);
}

static int
ticks_for(size_t width, size_t label)
{
	const size_t n = width / (label + 3);

	return n < 2 ? 1 : n < PLOT_TICKS ? (int)n : PLOT_TICKS - 1;
}

/* Ticks of the x axis: fewer if labels are long. */
static void
x_ticks(struct plot_ticks *t, const struct plot_axis *x, size_t width)
{
	plot_ticks_cells(t, x, ticks_for(width, 5));
	plot_ticks_cells(t, x, ticks_for(width, plot_ticks_width(t)));
}

static void
set_left(struct screen *s, struct plot_room *room, const struct plot_ticks *y)
{
	size_t wide = plot_ticks_width(y), most;

	most = room->columns > room->width ? room->columns - room->width : 0;
	room->left = wide + 2 < most ? wide + 2 : most;
	if (room->left < 3)
		room->left = 0;
	s->room = room;
}

/* ---- heat maps ---- */

static void
heat_ticks(struct screen *s, struct plot_room *room, struct plot_ticks *t, long *row)
{
	const struct plot *p = s->plot;
	const struct plot_axis *y = &p->axis[0];
	int i;

	plot_ticks_cells(t, y, room->height / 2 > 1 ? (int)(room->height / 2) : 1);
	for (i = 0; i < t->n; i++) {
		double share = (t->tick[i].at + 0.5) / (double)y->n;

		share = y->up ? 1 - share : share;
		row[i] = (long)(share * (double)room->height);
		row[i] = row[i] < (long)room->height ? row[i] : (long)room->height - 1;
	}
	set_left(s, room, t);
}

static void
heat_row(struct screen *s, size_t row)
{
	const struct plot *p = s->plot;
	size_t column;

	for (column = 0; column < p->width; column++)
		if (s->mode == SHADES)
			add_shade(s, plot_pixel(p, row, column));
		else
			add_blocks(s, plot_pixel(p, 2 * row, column),
				   2 * row + 1 < p->height ? plot_pixel(p, 2 * row + 1, column) : -1);
	reset(s);
	text_puts(&s->text, "\n");
}

/* "245 ▀▀▀▀▀▀▀▀▀▀ 301  ▀ missing" */
static void
colour_bar(struct screen *s)
{
	const struct plot *p = s->plot;
	struct text lo = {NULL, 0, 0}, hi = {NULL, 0, 0};
	size_t width, i, used;

	plot_values_label(&p->values, &lo, p->range.lo, 5);
	plot_values_label(&p->values, &hi, p->range.hi, 5);
	used = lo.n + hi.n + 2 + (p->grid.missing ? 11 : 0);
	width = used + BAR < s->room->columns ? BAR : s->room->columns > used ? s->room->columns - used : 0;
	if (width && !p->range.none) {
		text_printf(&s->text, "%s ", text_str(&lo));
		for (i = 0; i < width; i++) {
			const int level = (int)(i * PLOT_LEVELS / width);

			if (s->mode == SHADES)
				add_shade(s, level);
			else
				add_blocks(s, level, level);
		}
		reset(s);
		text_printf(&s->text, " %s", text_str(&hi));
	}
	if (p->grid.missing && s->room->columns >= 11 + (p->range.none ? 0 : used - 11)) {
		text_puts(&s->text, "  ");
		if (s->mode == SHADES)
			add_shade(s, PLOT_MISSING);
		else
			add_blocks(s, PLOT_MISSING, PLOT_MISSING);
		reset(s);
		text_puts(&s->text, " missing");
	}
	text_puts(&s->text, "\n");
	text_free(&lo);
	text_free(&hi);
}

static void
draw_heat(struct screen *s, struct plot_room *room)
{
	const struct plot *p = s->plot;
	struct text names = {NULL, 0, 0};
	struct plot_ticks y, x;
	long row[PLOT_TICKS], column[PLOT_TICKS];
	size_t i;
	int k;

	text_printf(&names, "%s %s  → %s", p->axis[0].up ? "↑" : "↓", text_str(&p->axis[0].name),
		    text_str(&p->axis[1].name));
	heat_ticks(s, room, &y, row);
	add_line(s, text_str(&names));
	for (i = 0; i < room->height; i++) {
		add_label(s, label_at(&y, row, (long)i));
		heat_row(s, i);
	}
	x_ticks(&x, &p->axis[1], room->width);
	for (k = 0; k < x.n; k++)
		column[k] = (long)((x.tick[k].at + 0.5) / (double)p->axis[1].n * (double)room->width);
	add_axis(s, &x, column);
	colour_bar(s);
	text_free(&names);
}

/* ---- lines ---- */

struct braille {
	uint8_t *dots;
	size_t columns;
};

/* A braille character has two columns of four dots; dots 1 to 6 were numbered before 7 and 8. */
static void
braille_dot(void *braille, size_t x, size_t y)
{
	static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	const struct braille *b = braille;

	b->dots[y / 4 * b->columns + x / 2] |= bit[y % 4][x % 2];
}

static void
value_ticks(struct screen *s, struct plot_room *room, const struct plot_values *v, const struct plot_range *range,
	    struct plot_ticks *t, long *row)
{
	int i;

	plot_ticks_values(t, v, range, room->height / 2 > 1 ? (int)(room->height / 2) : 1);
	for (i = 0; i < t->n; i++)
		row[i] = lround((1 - t->tick[i].at) * ((double)room->height - 1));
	set_left(s, room, t);
}

/* A row of a line or of bars, without the blanks at its end; frees it. */
static void
add_green(struct screen *s, struct text *row)
{
	while (row->n && row->p[row->n - 1] == ' ')
		row->p[--row->n] = '\0';
	text_paint(&s->text, s->plot->run->colour && row->n, GREEN, text_str(row));
	text_puts(&s->text, "\n");
	text_free(row);
}

static void
line_row(struct screen *s, const struct braille *b, size_t row)
{
	struct text line = {NULL, 0, 0};
	size_t i;

	for (i = 0; i < b->columns; i++) {
		const unsigned dots = b->dots[row * b->columns + i];
		const unsigned char utf8[3] = {0xe2, (unsigned char)(0xa0 + (dots >> 6)),
					       (unsigned char)(0x80 + (dots & 63))};

		if (dots)
			text_add(&line, utf8, sizeof utf8);
		else
			text_puts(&line, " ");
	}
	add_green(s, &line);
}

static void
note_missing(struct screen *s, uint64_t numbers, uint64_t missing, uint64_t outside)
{
	struct text t = {NULL, 0, 0};

	if (missing)
		text_printf(&t, "%llu of %llu elements are missing", (unsigned long long)missing,
			    (unsigned long long)(missing + numbers));
	if (outside)
		text_printf(&t, "%s%llu are outside of the range", missing ? ", " : "", (unsigned long long)outside);
	if (t.n)
		add_line(s, t.p);
	text_free(&t);
}

static void
draw_line(struct screen *s, struct plot_room *room)
{
	struct plot *p = s->plot;
	struct braille b = {xrealloc(NULL, room->width * room->height), room->width};
	struct plot_ticks y, x;
	long row[PLOT_TICKS], column[PLOT_TICKS];
	struct text name = {NULL, 0, 0};
	size_t i;
	int k;

	memset(b.dots, 0, room->width * room->height);
	text_printf(&name, "→ %s", text_str(&p->axis[1].name));
	plot_line_dots(p, braille_dot, &b);
	value_ticks(s, room, &p->values, &p->range, &y, row);
	add_line(s, text_str(&name));
	for (i = 0; i < room->height; i++) {
		add_label(s, p->range.none ? "" : label_at(&y, row, (long)i));
		line_row(s, &b, i);
	}
	x_ticks(&x, &p->axis[1], room->width);
	for (k = 0; k < x.n; k++)
		column[k] = (long)(plot_line_share(p, x.tick[k].at) * (double)(p->width - 1)) / 2;
	add_axis(s, &x, column);
	note_missing(s, p->grid.numbers, p->grid.missing, 0);
	text_free(&name);
	free(b.dots);
}

/* ---- histograms ---- */

static uint64_t
most_counted(const struct plot_bins *b)
{
	uint64_t most = 1;
	int i;

	for (i = 0; i < b->n; i++)
		most = b->count[i] > most ? b->count[i] : most;
	return most;
}

/* A row of bars, in eighths of a character; a bin that counts anything has one eighth at least. */
static void
bar_row(struct screen *s, size_t row, size_t wide, uint64_t most)
{
	static const char *const eighth[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	const struct plot_bins *b = &s->plot->bins;
	const size_t below = s->room->height - 1 - row;
	struct text line = {NULL, 0, 0};
	size_t k;
	int i;

	for (i = 0; i < b->n; i++) {
		double high = (double)b->count[i] / (double)most * 8 * (double)s->room->height;
		size_t fill;

		high = b->count[i] && high < 1 ? 1 : floor(high + 0.5);
		fill = high <= (double)(8 * below) ? 0 : (size_t)high - 8 * below;
		for (k = 0; k < wide; k++)
			text_puts(&line, eighth[fill < 8 ? fill : 8]);
	}
	add_green(s, &line);
}

static void
draw_bins(struct screen *s, struct plot_room *room)
{
	struct plot *p = s->plot;
	const uint64_t most = most_counted(&p->bins);
	const struct plot_range counts = {.lo = 0, .hi = (double)most};
	struct plot_range values = {.lo = p->bins.edge[0], .hi = p->bins.edge[p->bins.n]};
	const size_t wide = room->width / (size_t)p->bins.n ? room->width / (size_t)p->bins.n : 1;
	struct plot_ticks y, x;
	long row[PLOT_TICKS], column[PLOT_TICKS];
	size_t i;
	int k;

	room->width = wide * (size_t)p->bins.n;
	value_ticks(s, room, NULL, &counts, &y, row);
	add_line(s, "↑ elements  → values");
	for (i = 0; i < room->height; i++) {
		add_label(s, label_at(&y, row, (long)i));
		bar_row(s, i, wide, most);
	}
	plot_ticks_values(&x, &p->values, &values, ticks_for(room->width, 6));
	for (k = 0; k < x.n; k++) {
		column[k] = (long)(x.tick[k].at * (double)room->width);
		column[k] = column[k] < (long)room->width ? column[k] : (long)room->width - 1;
	}
	add_axis(s, &x, column);
	note_missing(s, p->bins.numbers, p->bins.missing, p->bins.outside);
}

void
plot_terminal(struct plot *p, struct plot_room *room)
{
	struct screen s = {.plot = p, .room = room, .mode = choose_mode(p), .fore = -1, .back = -1};

	add_line(&s, text_str(&p->title));
	if (p->kind == PLOT_HEAT)
		draw_heat(&s, room);
	else if (p->kind == PLOT_LINE)
		draw_line(&s, room);
	else
		draw_bins(&s, room);
	p->run->out.escape = ESCAPE_NONE; /* texts from the store were escaped one by one */
	out_text(&p->run->out, &s.text);
}
