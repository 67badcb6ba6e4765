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

static void
add_heat(struct json *j, const struct plot *p)
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
	plot_axis_json(json_key(j, "y"), &p->axis[0]);
	plot_axis_json(json_key(j, "x"), &p->axis[1]);
	json_string(json_key(j, "top"), p->axis[0].up ? "last row" : "first row");
}

static void
add_line(struct json *j, const struct plot *p)
{
	size_t i;

	json_begin_array(json_key(j, "values"));
	for (i = 0; i < p->grid.ncols; i++)
		add_value(j, p, plot_cell_mean(&p->grid, i));
	json_end_array(j);
	json_begin_array(json_key(j, "min"));
	for (i = 0; i < p->grid.ncols; i++)
		add_value(j, p, p->grid.cell[i].count ? p->grid.cell[i].min : (double)NAN);
	json_end_array(j);
	json_begin_array(json_key(j, "max"));
	for (i = 0; i < p->grid.ncols; i++)
		add_value(j, p, p->grid.cell[i].count ? p->grid.cell[i].max : (double)NAN);
	json_end_array(j);
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
	json_end_object(&j);
	out_document(&p->run->out, &j);
}
