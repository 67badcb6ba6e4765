/*
 * plot_axis.c - coordinates of the cells, and ticks
 *
 * The coordinate of a dimension is the one-dimensional array of its name beside the array (zinc_cf_coordinate), decoded
 * as the CF conventions say: times have dates.  Without one, axes show indices.
 *
 * Ticks of numbers are at 1, 2 or 5 times a power of ten; ticks of times where a year, month, day, hour ... begins.  A
 * tick is at the cell whose coordinate is nearest.
 */
#include <math.h>
#include <stdio.h>

#include "plot.h"

/* ---- coordinates ---- */

/* The index along the array's axis of the middle item of each cell. */
static uint64_t *
middles(const struct region *g, int d, const struct plot_band *band)
{
	uint64_t *index = xrealloc(NULL, (band->n + 1) * sizeof *index);
	size_t i;

	for (i = 0; i < band->n; i++)
		index[i] = region_index(g, d, band->edge[i] + (band->edge[i + 1] - band->edge[i] - 1) / 2);
	return index;
}

static bool
is_usable(const zinc_array *c, uint64_t length)
{
	return !zinc_array_unsupported(c) && zinc_array_ndim(c) == 1 && zinc_array_shape(c)[0] == length;
}

/* Read the coordinates of these indices; false with an error, or without one if they are not numbers. */
static bool
read_coordinates(struct plot_axis *x, const uint64_t *index, zinc_error *err)
{
	const zinc_select_dim dim = {.list = index, .nlist = x->n};
	const zinc_selection sel = {.size = sizeof sel, .kind = ZINC_SELECT_ORTHO, .ndim = 1, .dims = &dim};
	const zinc_io_options io = {.size = sizeof io, .call = &until_stopped};
	size_t i, take, element;
	char *buffer;
	bool ok;

	if (plot_values_open(&x->values, x->coordinate, true, err) != DONE)
		return false;
	element = x->values.element;
	buffer = xrealloc(NULL, x->n * element);
	ok = !zinc_array_read(x->coordinate, &sel, ZINC_BUFFER_AS(x->values.read, buffer, x->n * element), &io, err);
	for (i = 0; ok && i < x->n; i += take) {
		take = x->n - i < PLOT_STRIP ? x->n - i : PLOT_STRIP;
		ok = !plot_values_widen(&x->values, buffer + i * element, take, x->at + i, err);
	}
	free(buffer);
	return ok;
}

/* A text attribute of the coordinate. */
static void
attribute(const zinc_array *a, const char *key, struct text *t)
{
	zinc_blob json = {0};

	if (zinc_attributes_get(zinc_array_hierarchy(a), zinc_array_path(a), key, &json, &until_stopped, NULL) ==
	    ZINC_OK)
		text_unquoted(t, (const char *)json.data);
	zinc_blob_fini(&json);
}

/* Latitudes by the CF conventions: the units, or the attribute axis. */
static bool
is_latitude(const struct plot_axis *x)
{
	static const char *const units[] = {"degrees_north", "degree_north", "degree_N",
					    "degrees_N",     "degreeN",      "degreesN"};
	struct text axis = {NULL, 0, 0};
	bool is;
	size_t i;

	for (i = 0; x->values.about.units && i < sizeof units / sizeof *units; i++)
		if (!strcmp(x->values.about.units, units[i]))
			return true;
	attribute(x->coordinate, "axis", &axis);
	is = !strcmp(text_str(&axis), "Y");
	text_free(&axis);
	return is;
}

static void
drop_coordinate(struct plot_axis *x)
{
	plot_values_close(&x->values);
	zinc_array_close(x->coordinate);
	x->coordinate = NULL;
}

/* A coordinate that is there and cannot be used is said; what is not there needs no message. */
static void
open_coordinate(struct plot_axis *x, const char *url, const struct region *g, int axis, const uint64_t *index)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st = zinc_cf_coordinate(&x->coordinate, g->array, axis, &until_stopped, &err);

	if (st) {
		x->coordinate = NULL;
		if (st != ZINC_E_NOTFOUND)
			complain(DONE, url, "no coordinate for an axis, so it shows indices: %s",
				 zinc_error_text(&err));
		return;
	}
	if (is_usable(x->coordinate, zinc_array_shape(g->array)[axis]) && read_coordinates(x, index, &err))
		return;
	if (zinc_error_status(&err) != ZINC_OK)
		complain(DONE, url, "an axis shows indices: %s", zinc_error_text(&err));
	drop_coordinate(x);
}

/* "lat [degrees_north]"; without a name "dimension 0". */
static void
name_axis(struct plot_axis *x, const zinc_array *a, int axis)
{
	const char *name = zinc_array_dimension_name(a, axis), *units = x->values.about.units;

	if (name && *name)
		text_name(&x->name, name);
	else
		text_printf(&x->name, "dimension %d", axis);
	if (x->coordinate && units && *units && !x->values.time) {
		text_puts(&x->name, " [");
		text_name(&x->name, units);
		text_puts(&x->name, "]");
	}
}

void
plot_axis_open(struct plot_axis *x, const char *url, const struct region *g, int d, const struct plot_band *band)
{
	uint64_t *index = middles(g, d, band);
	size_t i;

	x->n = band->n;
	x->at = xrealloc(NULL, (x->n + 1) * sizeof *x->at);
	open_coordinate(x, url, g, g->axis[d], index);
	for (i = 0; i < x->n && !x->coordinate; i++)
		x->at[i] = (double)index[i];
	name_axis(x, g->array, g->axis[d]);
	x->up = x->coordinate && x->n > 1 && x->at[x->n - 1] > x->at[0] && is_latitude(x);
	free(index);
}

void
plot_axis_close(struct plot_axis *x)
{
	if (x->coordinate)
		drop_coordinate(x);
	free(x->at);
	text_free(&x->name);
	x->at = NULL;
}

void
plot_axis_json(struct json *j, const struct plot_axis *x)
{
	size_t i;

	json_begin_array(j);
	for (i = 0; i < x->n; i++) {
		struct text t = {NULL, 0, 0};

		if (!isfinite(x->at[i])) {
			json_null(j);
		} else if (x->values.time) {
			plot_values_label(&x->values, &t, x->at[i], 17);
			json_string(j, text_str(&t));
		} else {
			json_float(j, x->at[i], DOUBLE);
		}
		text_free(&t);
	}
	json_end_array(j);
}

/* ---- ticks ---- */

static void
add_tick(struct plot_ticks *t, double at, const char *label)
{
	if (t->n >= PLOT_TICKS)
		return;
	t->tick[t->n].at = at;
	snprintf(t->tick[t->n].label, sizeof t->tick[t->n].label, "%s", label);
	t->n++;
}

/* 1, 2 or 5 times a power of ten: at most `most` steps in the span.  0: there is none. */
static double
nice_step(double span, int most)
{
	double rough = span / most, power, step;

	if (!(rough > 0) || !isfinite(rough))
		return 0;
	power = pow(10, floor(log10(rough)));
	step = rough <= power ? power : rough <= 2 * power ? 2 * power : rough <= 5 * power ? 5 * power : 10 * power;
	return step > 0 && isfinite(step) ? step : 0;
}

/* A multiple of a step, with as many decimals as the step has. */
static void
number_label(char *s, size_t room, double v, double step)
{
	const int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;

	if (fabs(v) < step / 1e6)
		v = 0;
	if (fabs(v) >= 1e7 || decimals > 6)
		snprintf(s, room, "%.6g", v);
	else
		snprintf(s, room, "%.*f", decimals, v);
}

/* A label for each of some cells at even distances: also for coordinates that go up and down. */
static void
even_cells(struct plot_ticks *t, const struct plot_axis *x, int most)
{
	const size_t stride = (x->n - 1) / (size_t)most + 1;
	size_t i;

	for (i = 0; i < x->n; i += stride) {
		struct text label = {NULL, 0, 0};

		if (isfinite(x->at[i]))
			plot_values_label(x->coordinate ? &x->values : NULL, &label, x->at[i], 6);
		add_tick(t, (double)i, text_str(&label));
		text_free(&label);
	}
}

static bool
is_monotonic(const struct plot_axis *x)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		if (!isfinite(x->at[i]) || (i > 0 && (x->at[i] - x->at[i - 1] > 0) != (x->at[1] - x->at[0] > 0)))
			return false;
	return true;
}

static size_t
nearest_cell(const struct plot_axis *x, double v)
{
	size_t i, best = 0;

	for (i = 1; i < x->n; i++)
		if (fabs(x->at[i] - v) < fabs(x->at[best] - v))
			best = i;
	return best;
}

static void
number_cells(struct plot_ticks *t, const struct plot_axis *x, int most)
{
	const double a = x->at[0], b = x->at[x->n - 1], cell = fabs(b - a) / (double)(x->n - 1);
	const double lo = (a < b ? a : b) - cell / 2,
		     hi = (a < b ? b : a) + cell / 2; /* the outer cells are seen whole */
	double step = nice_step(hi - lo, most), v;
	char label[40];
	int i;

	if (!x->coordinate && step < 1)
		step = 1;
	if (!(step > 0) || lo + step == lo || !isfinite(lo / step)) {
		even_cells(t, x, most);
		return;
	}
	for (i = 0; i <= most; i++) {
		v = (ceil(lo / step - 1e-9) + i) * step;
		if (v > hi + step * 1e-9)
			break;
		number_label(label, sizeof label, v, step);
		add_tick(t, (double)nearest_cell(x, v), label);
	}
}

/* ---- times ---- */

/* Length of the part of a date up to year, month, day, hour, minute, second. */
static size_t
part_length(const char *date, int part)
{
	static const int from_t[] = {-6, -3, 0, 3, 6, 9};
	const char *t = strchr(date, 'T');
	const long n = (t ? t - date : (long)strlen(date)) + from_t[part];

	return n < 0 ? 0 : (size_t)n < strlen(date) ? (size_t)n : strlen(date);
}

/* Does another year, month ... begin at the cell? */
static bool
begins(struct text *dates, size_t i, int part)
{
	const size_t n = part_length(text_str(&dates[i]), part), m = part_length(text_str(&dates[i - 1]), part);

	return n != m || strncmp(text_str(&dates[i]), text_str(&dates[i - 1]), n) != 0;
}

static size_t
count_begins(struct text *dates, size_t n, int part)
{
	size_t i, count = 0;

	for (i = 1; i < n; i++)
		count += begins(dates, i, part);
	return count;
}

/* The coarsest part of the date that makes at least three ticks. */
static void
date_cells(struct plot_ticks *t, struct text *dates, size_t n, int most)
{
	const int finest = 5;
	size_t i, seen = 0, count, stride;
	int part = 0;

	while (part < finest && count_begins(dates, n, part) < 3)
		part++;
	count = count_begins(dates, n, part);
	stride = count ? (count - 1) / (size_t)most + 1 : 1;
	for (i = 1; i < n; i++)
		if (begins(dates, i, part) && seen++ % stride == 0) {
			const size_t length = part_length(text_str(&dates[i]), part == 3 ? 4 : part);
			char label[40];

			snprintf(label, sizeof label, "%.*s", (int)length, text_str(&dates[i]));
			add_tick(t, (double)i, label);
		}
}

static void
time_cells(struct plot_ticks *t, const struct plot_axis *x, int most)
{
	struct text *dates = xrealloc(NULL, x->n * sizeof *dates);
	size_t i;

	memset(dates, 0, x->n * sizeof *dates);
	for (i = 0; i < x->n; i++)
		if (isfinite(x->at[i]))
			plot_values_label(&x->values, &dates[i], x->at[i], 6);
	date_cells(t, dates, x->n, most);
	for (i = 0; i < x->n; i++)
		text_free(&dates[i]);
	free(dates);
}

/* Ticks in the order of their cells: the labels are placed from left to right, also where coordinates descend. */
static void
sort_ticks(struct plot_ticks *t)
{
	int i, k;

	for (i = 1; i < t->n; i++)
		for (k = i; k > 0 && t->tick[k - 1].at > t->tick[k].at; k--) {
			const struct plot_tick swap = t->tick[k];

			t->tick[k] = t->tick[k - 1];
			t->tick[k - 1] = swap;
		}
}

void
plot_ticks_cells(struct plot_ticks *t, const struct plot_axis *x, int most)
{
	t->n = 0;
	most = most < 1 ? 1 : most < PLOT_TICKS ? most : PLOT_TICKS - 1;
	if (x->n == 0)
		return;
	if (x->n <= (size_t)most || (!x->values.time && !is_monotonic(x)))
		even_cells(t, x, most);
	else if (x->values.time)
		time_cells(t, x, most);
	else
		number_cells(t, x, most);
	sort_ticks(t);
}

/* Two times in little room: dates, or the times of day of one date. */
static void
shorten_times(struct text *lo, struct text *hi)
{
	const size_t n = part_length(text_str(lo), 2), m = part_length(text_str(hi), 2);
	const bool one_day = n == m && n < lo->n && m < hi->n && !strncmp(lo->p, hi->p, n);

	if (one_day && strcmp(lo->p, hi->p) != 0) {
		memmove(lo->p, lo->p + n + 1, lo->n - n);
		memmove(hi->p, hi->p + m + 1, hi->n - m);
	} else {
		lo->p[n] = '\0';
		hi->p[m] = '\0';
	}
}

/* The two ends, for ranges that have no better ticks. */
static void
end_ticks(struct plot_ticks *t, const struct plot_values *v, const struct plot_range *range)
{
	struct text lo = {NULL, 0, 0}, hi = {NULL, 0, 0};

	t->n = 0;
	plot_values_label(v, &lo, range->lo, 6);
	plot_values_label(v, &hi, range->hi, 6);
	if (v && v->time)
		shorten_times(&lo, &hi);
	add_tick(t, plot_range_share(range, range->lo), text_str(&lo));
	if (range->lo < range->hi)
		add_tick(t, plot_range_share(range, range->hi), text_str(&hi));
	text_free(&lo);
	text_free(&hi);
}

void
plot_ticks_values(struct plot_ticks *t, const struct plot_values *v, const struct plot_range *range, int most)
{
	double step = nice_step(range->hi - range->lo, most < 1 ? 1 : most), at, value;
	char label[40];
	int i;

	t->n = 0;
	if (!v && step < 1) /* counts are integers */
		step = 1;
	if (step > 0 && !(v && v->time) && range->lo + step != range->lo)
		for (i = 0; i <= most; i++) {
			value = (ceil(range->lo / step - 1e-9) + i) * step;
			at = (value - range->lo) / (range->hi - range->lo);
			if (at > 1 + 1e-9)
				break;
			number_label(label, sizeof label, value, step);
			add_tick(t, at < 0 ? 0 : at > 1 ? 1 : at, label);
		}
	if (t->n < 2)
		end_ticks(t, v, range);
}

size_t
plot_ticks_width(const struct plot_ticks *t)
{
	size_t most = 0;
	int i;

	for (i = 0; i < t->n; i++)
		most = strlen(t->tick[i].label) > most ? strlen(t->tick[i].label) : most;
	return most;
}
