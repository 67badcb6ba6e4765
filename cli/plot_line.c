/*
 * plot_line.c - a line as dots, for braille characters and PNG
 *
 * Each cell is a vertical stroke from its least to its greatest number; neighbours are joined from the last number of
 * one to the first of the next.  A cell whose elements are all missing is a gap.
 */
#include <math.h>

#include "plot.h"

double
plot_line_share(const struct plot *p, double cell)
{
	return p->grid.ncols > 1 ? cell / (double)(p->grid.ncols - 1) : 0.5;
}

static long
dot_x(const struct plot *p, size_t cell)
{
	return lround(plot_line_share(p, (double)cell) * (double)(p->width - 1));
}

static long
dot_y(const struct plot *p, double v)
{
	return lround((1 - plot_range_share(&p->range, v)) * (double)(p->height - 1));
}

/* Bresenham's line. */
static void
join(long x, long y, long x2, long y2, plot_dot_fn fn, void *arg)
{
	const long dx = labs(x2 - x), dy = -labs(y2 - y), sx = x < x2 ? 1 : -1, sy = y < y2 ? 1 : -1;
	long error = dx + dy;

	for (;;) {
		const long twice = 2 * error;

		fn(arg, (size_t)x, (size_t)y);
		if (x == x2 && y == y2)
			return;
		if (twice >= dy) {
			error += dy;
			x += sx;
		}
		if (twice <= dx) {
			error += dx;
			y += sy;
		}
	}
}

void
plot_line_dots(const struct plot *p, plot_dot_fn fn, void *arg)
{
	const struct plot_cell *c = p->grid.cell;
	size_t i;

	for (i = 0; i < p->grid.ncols; i++) {
		const long x = dot_x(p, i);

		if (!c[i].count)
			continue;
		join(x, dot_y(p, c[i].min), x, dot_y(p, c[i].max), fn, arg);
		if (i > 0 && c[i - 1].count)
			join(dot_x(p, i - 1), dot_y(p, c[i - 1].last), x, dot_y(p, c[i].first), fn, arg);
	}
}
