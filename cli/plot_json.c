/* plot_json.c - the reduced numbers as JSON */
#include <math.h>

#include "plot.h"

/* A number, or a time as text; null when it is missing. */
static void
add_value(struct json *j, const struct plot *p, double v)
{
	struct text t = {NULL, 0, 0};

	if (!isfinite(v)) {
		json_null(j);
	} else if (p->values.time) {
		plot_values_label(&p->values, &t, v, 17);
		json_string(j, text_str(&t));
	} else {
		json_float(j, v, DOUBLE);
	}
	text_free(&t);
}

/* ---- cells as base64 ----
 *
 * Little-endian float64 in C order, NaN for what is missing: a reader needs no parser for a million numbers.
 */

static double
mean_of(const struct plot_grid *g, size_t i)
{
	return plot_cell_mean(g, i);
}

static double
min_of(const struct plot_grid *g, size_t i)
{
	return g->cell[i].count ? g->cell[i].min : (double)NAN;
}

static double
max_of(const struct plot_grid *g, size_t i)
{
	return g->cell[i].count ? g->cell[i].max : (double)NAN;
}

static void
put_little(unsigned char *to, double v)
{
	uint64_t bits;
	int i;

	v = isfinite(v) ? v : (double)NAN;
	memcpy(&bits, &v, sizeof bits);
	for (i = 0; i < 8; i++)
		to[i] = (unsigned char)(bits >> 8 * i);
}

static void
text_base64(struct text *t, const unsigned char *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char four[4];
	size_t i;

	for (i = 0; i < n; i += 3) {
		const size_t have = n - i < 3 ? n - i : 3;
		const unsigned bits = (unsigned)p[i] << 16 | (have > 1 ? (unsigned)p[i + 1] << 8 : 0) |
				      (have > 2 ? (unsigned)p[i + 2] : 0);

		four[0] = digits[bits >> 18];
		four[1] = digits[bits >> 12 & 63];
		four[2] = have > 1 ? digits[bits >> 6 & 63] : '=';
		four[3] = have > 2 ? digits[bits & 63] : '=';
		text_add(t, four, 4);
	}
}

static void
add_base64(struct json *j, const struct plot *p, const char *name, double (*value)(const struct plot_grid *g, size_t i))
{
	const size_t n = p->grid.nrows * p->grid.ncols;
	unsigned char *bytes = xrealloc(NULL, n * 8 + 1);
	struct text *t = json_value(json_key(j, name));
	size_t i;

	for (i = 0; i < n; i++)
		put_little(bytes + 8 * i, value(&p->grid, i));
	text_puts(t, "\"");
	text_base64(t, bytes, n * 8);
	text_puts(t, "\"");
	free(bytes);
}

static bool
is_base64(const struct plot *p)
{
	return p->run->args->cells && !strcmp(p->run->args->cells, "base64");
}

/* ---- cells as numbers ---- */

static void
add_rows(struct json *j, const struct plot *p)
{
	size_t row, column;

	json_begin_array(json_key(j, "values"));
	for (row = 0; row < p->grid.nrows; row++) {
		json_begin_array(j);
		for (column = 0; column < p->grid.ncols; column++)
			add_value(j, p, plot_cell_mean(&p->grid, row * p->grid.ncols + column));
		json_end_array(j);
	}
	json_end_array(j);
}

static void
add_heat(struct json *j, const struct plot *p)
{
	if (is_base64(p))
		add_base64(j, p, "cells", mean_of);
	else
		add_rows(j, p);
	plot_axis_json(json_key(j, "y"), &p->axis[0]);
	plot_axis_json(json_key(j, "x"), &p->axis[1]);
	json_string(json_key(j, "top"), p->axis[0].up ? "last row" : "first row");
}

static void
add_numbers(struct json *j, const struct plot *p, const char *name,
	    double (*value)(const struct plot_grid *g, size_t i))
{
	size_t i;

	json_begin_array(json_key(j, name));
	for (i = 0; i < p->grid.ncols; i++)
		add_value(j, p, value(&p->grid, i));
	json_end_array(j);
}

static void
add_line(struct json *j, const struct plot *p)
{
	const bool base64 = is_base64(p);
	void (*const add)(struct json *, const struct plot *, const char *,
			  double (*)(const struct plot_grid *, size_t)) = base64 ? add_base64 : add_numbers;

	add(j, p, base64 ? "cells" : "values", mean_of);
	add(j, p, base64 ? "cells_min" : "min", min_of);
	add(j, p, base64 ? "cells_max" : "max", max_of);
	plot_axis_json(json_key(j, "x"), &p->axis[1]);
}

static void
add_bins(struct json *j, const struct plot *p)
{
	int i;

	json_shape(json_key(j, "values"), p->bins.count, p->bins.n);
	json_begin_array(json_key(j, "edges"));
	for (i = 0; i <= p->bins.n; i++)
		add_value(j, p, p->bins.edge[i]);
	json_end_array(j);
	json_uint(json_key(j, "outside"), p->bins.outside);
}

static void
add_range(struct json *j, const struct plot *p)
{
	json_key(j, "range");
	if (p->range.none) {
		json_null(j);
		return;
	}
	json_begin_array(j);
	add_value(j, p, p->range.lo);
	add_value(j, p, p->range.hi);
	json_end_array(j);
}

/* ---- what a viewer needs beside the numbers ---- */

/* One axis of the picture: its dimension, and where its numbers come from. */
static void
add_axis(struct json *j, const struct plot *p, int d, const struct plot_axis *x)
{
	const int axis = p->region.axis[d];

	json_begin_object(j);
	json_uint(json_key(j, "axis"), (uint64_t)axis);
	json_string(json_key(j, "dimension"), zinc_array_dimension_name(p->array, axis));
	json_string(json_key(j, "label"), text_str(&x->name));
	json_string(json_key(j, "units"), x->coordinate ? x->values.about.units : NULL);
	json_string(json_key(j, "numbers"), !x->coordinate ? "index" : x->values.time ? "time" : "coordinate");
	json_end_object(j);
}

static void
add_axes(struct json *j, const struct plot *p)
{
	json_begin_array(json_key(j, "axes"));
	if (p->kind == PLOT_HEAT)
		add_axis(j, p, 0, &p->axis[0]);
	if (p->kind != PLOT_HIST)
		add_axis(j, p, p->kind == PLOT_HEAT ? 1 : 0, &p->axis[1]);
	json_end_array(j);
}

static void
add_about(struct json *j, const struct plot *p)
{
	const zinc_cf_about *about = &p->values.about;

	json_string(json_key(j, "path"), zinc_array_path(p->array));
	json_string(json_key(j, "title"), text_str(&p->title));
	json_string(json_key(j, "long_name"), about->long_name);
	json_string(json_key(j, "units"), about->units);
	json_string(json_key(j, "type"), zinc_array_dtype(p->array));
	json_bool(json_key(j, "decoded"), p->values.decode);
	json_bool(json_key(j, "whole"), p->values.whole);
	json_bool(json_key(j, "time"), p->values.time);
	json_bool(json_key(j, "magnitude"), is_complex(zinc_array_type(p->array)));
	json_shape(json_key(j, "selection_shape"), p->whole, p->region.out_ndim);
	add_axes(j, p);
}

static void
add_damage(struct json *j, struct plot *p)
{
	if (!p->damage.skip)
		return;
	json_uint(json_key(j, "damaged_chunks"), p->damage.n);
	json_list(json_key(j, "damaged"), &p->damage.list);
}

void
plot_json(struct plot *p)
{
	static const char *const kinds[] = {"heat", "line", "hist"};
	const uint64_t bins = (uint64_t)p->bins.n, cells[2] = {p->grid.nrows, p->grid.ncols};
	const bool hist = p->kind == PLOT_HIST;
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_string(json_key(&j, "url"), p->url);
	json_string(json_key(&j, "kind"), kinds[p->kind]);
	json_shape(json_key(&j, "shape"),
		   hist                   ? &bins
		   : p->kind == PLOT_LINE ? cells + 1
					  : cells,
		   p->kind == PLOT_HEAT ? 2 : 1);
	json_fixed(json_key(&j, "elements"), p->selected, 0);
	json_bool(json_key(&j, "sampled"), p->sampled);
	json_uint(json_key(&j, "numbers"), hist ? p->bins.numbers : p->grid.numbers);
	json_uint(json_key(&j, "missing"), hist ? p->bins.missing : p->grid.missing);
	add_range(&j, p);
	if (p->kind == PLOT_HEAT)
		add_heat(&j, p);
	else if (p->kind == PLOT_LINE)
		add_line(&j, p);
	else
		add_bins(&j, p);
	add_about(&j, p);
	add_damage(&j, p);
	json_end_object(&j);
	out_document(&p->run->out, &j);
}
