/*
 * plot_svg.c - lines and histograms as SVG files, with axes
 *
 * Text from the store is escaped twice: control characters as on a terminal, then < > & " for XML.
 */
#include <math.h>

#include "plot.h"

#define LEFT   90 /* around the picture */
#define RIGHT  20
#define TOP    36
#define BOTTOM 46
#define LETTER 7.5 /* of a label; about */

struct svg {
	const struct plot *plot;
	struct text text;
	double width, height; /* of the picture within the axes */
};

static void
add_xml(struct text *t, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			text_puts(t, "&lt;");
		else if (*s == '>')
			text_puts(t, "&gt;");
		else if (*s == '&')
			text_puts(t, "&amp;");
		else if (*s == '"')
			text_puts(t, "&quot;");
		else
			text_add(t, s, 1);
	}
}

static void
add_label(struct svg *s, double x, double y, const char *anchor, const char *label)
{
	text_printf(&s->text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	add_xml(&s->text, label);
	text_puts(&s->text, "</text>\n");
}

static void
add_stroke(struct svg *s, double x, double y, double x2, double y2)
{
	text_printf(&s->text, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#888\"/>\n", x, y, x2, y2);
}

static void
y_axis(struct svg *s, const struct plot_values *v, const struct plot_range *range)
{
	struct plot_ticks t;
	int i;

	plot_ticks_values(&t, v, range, (int)fmax(2, fmin(s->height / 40, PLOT_TICKS - 1)));
	for (i = 0; i < t.n; i++) {
		const double y = TOP + (1 - t.tick[i].at) * s->height;

		add_stroke(s, LEFT - 4, y, LEFT, y);
		add_label(s, LEFT - 7, y + 4, "end", t.tick[i].label);
	}
	add_stroke(s, LEFT, TOP, LEFT, TOP + s->height);
}

/* Where the middle of a label is, so that it ends within the file. */
static double
middle_of(const struct svg *s, double x, const char *label)
{
	return fmin(x, LEFT + s->width + RIGHT - (double)strlen(label) * LETTER / 2);
}

static void
x_axis(struct svg *s, const struct plot_ticks *t, double (*place)(const struct plot *p, double at), const char *name)
{
	const double y = TOP + s->height;
	int i;

	for (i = 0; i < t->n; i++) {
		const double x = LEFT + place(s->plot, t->tick[i].at) * s->width;

		add_stroke(s, x, y, x, y + 4);
		add_label(s, middle_of(s, x, t->tick[i].label), y + 17, "middle", t->tick[i].label);
	}
	add_stroke(s, LEFT, y, LEFT + s->width, y);
	add_label(s, LEFT + s->width / 2, y + 36, "middle", name);
}

static int
ticks_for(const struct svg *s, double label)
{
	return (int)fmax(1, fmin(s->width / label, PLOT_TICKS - 1));
}

static void
add_point(struct svg *s, char how, size_t cell, double v)
{
	text_printf(&s->text, "%c%.1f %.1f", how, LEFT + plot_line_share(s->plot, (double)cell) * s->width,
		    TOP + (1 - plot_range_share(&s->plot->range, v)) * s->height);
}

/* One path: a cell of several numbers goes from the first by the least and the greatest to the last. */
static void
draw_line(struct svg *s)
{
	const struct plot_grid *g = &s->plot->grid;
	struct plot_ticks x;
	size_t i;

	text_puts(&s->text,
		  "<path fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"1.2\" stroke-linecap=\"round\" d=\"");
	for (i = 0; i < g->ncols; i++) {
		const struct plot_cell *c = &g->cell[i];

		if (!c->count)
			continue;
		add_point(s, i && g->cell[i - 1].count ? 'L' : 'M', i, c->first);
		if (c->count > 1) {
			add_point(s, 'L', i, c->min);
			add_point(s, 'L', i, c->max);
			add_point(s, 'L', i, c->last);
		}
	}
	text_puts(&s->text, "\"/>\n");
	if (!s->plot->range.none)
		y_axis(s, &s->plot->values, &s->plot->range);
	plot_ticks_cells(&x, &s->plot->axis[1], ticks_for(s, 90));
	x_axis(s, &x, plot_line_share, text_str(&s->plot->axis[1].name));
}

static double
same_place(const struct plot *p, double at)
{
	(void)p;
	return at;
}

static void
draw_bars(struct svg *s)
{
	const struct plot_bins *b = &s->plot->bins;
	const struct plot_range values = {.lo = b->edge[0], .hi = b->edge[b->n]};
	struct plot_range counts = {.lo = 0, .hi = 1};
	struct plot_ticks x;
	int i;

	for (i = 0; i < b->n; i++)
		counts.hi = (double)b->count[i] > counts.hi ? (double)b->count[i] : counts.hi;
	for (i = 0; i < b->n; i++) {
		const double high = (double)b->count[i] / counts.hi * s->height, wide = s->width / b->n;

		if (b->count[i])
			text_printf(&s->text,
				    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#1f5fa8\"/>\n",
				    LEFT + i * wide, TOP + s->height - high, wide > 2 ? wide - 0.5 : wide, high);
	}
	y_axis(s, NULL, &counts);
	plot_ticks_values(&x, &s->plot->values, &values, ticks_for(s, 70));
	x_axis(s, &x, same_place, "values");
}

int
plot_svg(struct plot *p, const char *path)
{
	const double width = (double)p->width, height = (double)p->height;
	struct svg s = {.plot = p, .width = width - LEFT - RIGHT, .height = height - TOP - BOTTOM};
	struct out file;
	int status;

	text_printf(
	    &s.text,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
	    "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
	    width, height);
	add_label(&s, LEFT, TOP - 14, "start", text_str(&p->title));
	if (p->kind == PLOT_LINE)
		draw_line(&s);
	else
		draw_bars(&s);
	text_puts(&s.text, "</svg>\n");
	status = out_open(&file, path, p->run->args->overwrite);
	if (status == DONE)
		out_text(&file, &s.text);
	status = out_close(&file, status);
	text_free(&s.text);
	return status;
}
