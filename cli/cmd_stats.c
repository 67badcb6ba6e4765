/*
 * cmd_stats.c - zinc stats: statistics of the elements of an array, and their stored size
 *
 *   values       min -3  max 17  mean 4.25  std 1.5
 *   histogram
 *          -4 |#####                                   12
 *           0 |########################################      96
 */
#include <float.h>
#include <math.h>

#include "cli.h"

#define BAR 40 /* columns of the longest */

struct shown {
	struct run *run;
	const char *url;
	const zinc_array *array;
	zinc_cf *cf; /* NULL: elements are not decoded */
	zinc_stats s;
	zinc_stored stored;
	bool unlisted; /* the store cannot list, so stored bytes are not known */
};

static const char *const of_names[] = {"nothing", "values", "times", "magnitudes", "lengths"};

/* ---- numbers ---- */

static void
add_double(struct text *t, double v, bool json)
{
	if (json)
		text_json_float(t, v, DOUBLE);
	else
		text_float(t, v, DOUBLE);
}

/* A time as the data type of the array prints it. */
static void
add_time(struct text *t, const struct shown *x, int64_t v, bool json)
{
	const zinc_array *a = x->array;
	char text[128];
	size_t n;

	if (x->cf && zinc_cf_print(x->cf, &v, text, NULL) == ZINC_OK)
		text_printf(t, json ? "\"%s\"" : "%s", text);
	else if (zinc_array_element_print(a, &v, json ? ZINC_SPELL_JSON : ZINC_SPELL_TEXT, text, sizeof text, &n,
					  NULL) == ZINC_OK &&
		 n < sizeof text)
		text_puts(t, text);
	else
		text_printf(t, "%lld", (long long)v);
}

static void
add_number(struct text *t, const struct shown *x, zinc_number v, bool json)
{
	if (x->s.of == ZINC_STATS_TIMES)
		add_time(t, x, v.i, json);
	else if (x->s.type == ZINC_INT64)
		text_printf(t, "%lld", (long long)v.i);
	else if (x->s.type == ZINC_UINT64)
		text_printf(t, "%llu", (unsigned long long)v.u);
	else
		add_double(t, v.f, json);
}

/* bin * 2^exponent; false when it overflows the type. */
static bool
find_edge(const zinc_stats *s, int i, zinc_number *edge)
{
	zinc_number width = {.u = (uint64_t)1 << s->exponent};

	if (s->type == ZINC_UINT64)
		return !__builtin_add_overflow(s->first.u, (unsigned)i, &edge->u) &&
		       !__builtin_mul_overflow(edge->u, width.u, &edge->u);
	return s->exponent < 63 && !__builtin_add_overflow(s->first.i, i, &edge->i) &&
	       !__builtin_mul_overflow(edge->i, width.i, &edge->i);
}

/* The lower edge of bin i.  Only the end of the last bin can overflow the type: it is a power of two, which a
 * double holds exactly.
 */
static void
add_edge(struct text *t, const struct shown *x, int i, bool json)
{
	const zinc_stats *s = &x->s;
	const double v = ldexp((s->type == ZINC_UINT64 ? (double)s->first.u : (double)s->first.i) + i, s->exponent);
	zinc_number edge;

	if (s->type == ZINC_FLOAT64) /* DBL_MAX bounds the edges, too */
		add_double(t, v > DBL_MAX ? DBL_MAX : v < -DBL_MAX ? -DBL_MAX : v, json);
	else if (find_edge(s, i, &edge))
		add_number(t, x, edge, json);
	else
		text_printf(t, "%.0f", v);
}

static bool
has_numbers(const struct shown *x)
{
	return x->s.of != ZINC_STATS_NOTHING && x->s.elements > x->s.nan;
}

/* The mean of times is a time, rounded to the nearest unit; other means are numbers. */
static void
add_mean(struct text *t, const struct shown *x, bool json)
{
	if (x->s.of == ZINC_STATS_TIMES && fabs(x->s.mean) < 0x1p63)
		add_time(t, x, llround(x->s.mean), json);
	else
		add_double(t, x->s.mean, json);
}

/* ---- text ---- */

static void
rows_numbers(struct text *t, const struct shown *x)
{
	const zinc_stats *s = &x->s;

	text_label(t, x->run->colour, "elements");
	text_printf(t, "%llu", (unsigned long long)s->elements);
	if (s->nan)
		text_printf(t, ", %llu %s", (unsigned long long)s->nan, s->of == ZINC_STATS_TIMES ? "NaT" : "NaN");
	if (s->infinite)
		text_printf(t, ", %llu infinite", (unsigned long long)s->infinite);
	text_puts(t, "\n");
	if (!has_numbers(x))
		return;
	if (s->of != ZINC_STATS_VALUES) {
		text_label(t, x->run->colour, "of");
		text_printf(t, "%s\n", of_names[s->of]);
	}
	text_label(t, x->run->colour, "min");
	add_number(t, x, s->min, false);
	text_puts(t, "\n");
	text_label(t, x->run->colour, "max");
	add_number(t, x, s->max, false);
	text_puts(t, "\n");
	text_label(t, x->run->colour, "mean");
	add_mean(t, x, false);
	text_puts(t, "\n");
	text_label(t, x->run->colour, "std");
	add_double(t, s->deviation, false);
	text_puts(t, "\n");
	if (*s->sum) {
		text_label(t, x->run->colour, "sum");
		text_printf(t, "%s\n", s->sum);
	}
}

static void
draw_bar(struct text *t, const struct shown *x, uint64_t count, uint64_t most)
{
	const size_t n = (size_t)((double)count / (double)most * BAR + 0.5);
	struct text bar = {NULL, 0, 0};

	text_fill(&bar, '#', n ? n : count > 0);
	text_paint(t, x->run->colour, GREEN, text_str(&bar));
	text_fill(t, ' ', BAR - bar.n);
	text_free(&bar);
}

static void
rows_histogram(struct text *t, const struct shown *x)
{
	uint64_t most = 1;
	size_t wide = 0;
	int i;

	for (i = 0; i < x->s.bins; i++) {
		struct text edge = {NULL, 0, 0};

		add_edge(&edge, x, i, false);
		wide = edge.n > wide ? edge.n : wide;
		most = x->s.count[i] > most ? x->s.count[i] : most;
		text_free(&edge);
	}
	for (i = 0; i < x->s.bins; i++) {
		struct text edge = {NULL, 0, 0};

		add_edge(&edge, x, i, false);
		text_fill(t, ' ', wide - edge.n + 2);
		text_printf(t, "%s |", edge.p);
		draw_bar(t, x, x->s.count[i], most);
		text_printf(t, " %llu\n", (unsigned long long)x->s.count[i]);
		text_free(&edge);
	}
}

static void
row_stored(struct text *t, const struct shown *x)
{
	const zinc_stored *s = &x->stored;

	text_label(t, x->run->colour, "stored");
	if (x->unlisted) {
		text_puts(t, "not known: the store cannot list\n");
		return;
	}
	text_printf(t, "%llu of %llu objects, ", (unsigned long long)s->objects, (unsigned long long)s->objects_total);
	text_size(t, s->bytes);
	text_puts(t, " for ");
	text_size(t, s->decoded_bytes);
	if (s->bytes)
		text_printf(t, " (ratio %.2f)", (double)s->decoded_bytes / (double)s->bytes);
	text_puts(t, "\n");
	if (!s->objects)
		return;
	text_label(t, x->run->colour, "per object");
	text_size(t, s->smallest);
	text_puts(t, " to ");
	text_size(t, s->largest);
	text_puts(t, ", mean ");
	text_size(t, s->bytes / s->objects);
	text_puts(t, "\n");
}

/* ---- JSON ---- */

static void
json_numbers(struct json *j, const struct shown *x)
{
	static const char *const names[] = {"min", "max", "mean", "std", "sum"};
	size_t i;

	if (!has_numbers(x)) {
		for (i = 0; i < sizeof names / sizeof *names; i++)
			json_null(json_key(j, names[i]));
		return;
	}
	add_number(json_value(json_key(j, "min")), x, x->s.min, true);
	add_number(json_value(json_key(j, "max")), x, x->s.max, true);
	add_mean(json_value(json_key(j, "mean")), x, true);
	json_float(json_key(j, "std"), x->s.deviation, DOUBLE);
	json_raw(json_key(j, "sum"), *x->s.sum ? x->s.sum : "null");
}

static void
json_histogram(struct json *j, const struct shown *x)
{
	int i;

	json_begin_object(json_key(j, "histogram"));
	json_begin_array(json_key(j, "edges"));
	for (i = 0; i <= x->s.bins && x->s.bins > 0; i++)
		add_edge(json_value(j), x, i, true);
	json_end_array(j);
	json_shape(json_key(j, "counts"), x->s.count, x->s.bins);
	json_end_object(j);
}

static void
json_stored(struct json *j, const zinc_stored *s)
{
	json_begin_object(j);
	json_uint(json_key(j, "objects"), s->objects);
	json_uint(json_key(j, "objects_total"), s->objects_total);
	json_uint(json_key(j, "bytes"), s->bytes);
	json_uint(json_key(j, "decoded_bytes"), s->decoded_bytes);
	json_uint(json_key(j, "smallest"), s->smallest);
	json_uint(json_key(j, "largest"), s->largest);
	if (s->objects) {
		json_fixed(json_key(j, "mean"), (double)s->bytes / (double)s->objects, 1);
		json_fixed(json_key(j, "ratio"), s->bytes ? (double)s->decoded_bytes / (double)s->bytes : 0, 4);
	} else {
		json_null(json_key(j, "mean"));
		json_null(json_key(j, "ratio"));
	}
	json_end_object(j);
}

static void
show_json(struct shown *x)
{
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_string(json_key(&j, "url"), x->url);
	json_string(json_key(&j, "of"), of_names[x->s.of]);
	json_uint(json_key(&j, "elements"), x->s.elements);
	json_uint(json_key(&j, "nan"), x->s.nan);
	json_uint(json_key(&j, "infinite"), x->s.infinite);
	json_numbers(&j, x);
	json_histogram(&j, x);
	json_key(&j, "stored");
	if (x->unlisted)
		json_null(&j);
	else
		json_stored(&j, &x->stored);
	json_end_object(&j);
	out_document(&x->run->out, &j);
}

static void
show_text(struct shown *x)
{
	struct text t = {NULL, 0, 0};

	rows_numbers(&t, x);
	row_stored(&t, x);
	rows_histogram(&t, x);
	out_text(&x->run->out, &t);
}

/* ---- the command ---- */

static int
stats(struct shown *x, zinc_array *a)
{
	zinc_stats_options o = ZINC_STATS_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	struct progress progress;
	zinc_selection sel;
	struct region g;
	zinc_status st;
	int status = region_init(&g, a, x->run->args->select, x->url);

	if (status == DONE) {
		progress_init(&progress, x->run, "reading");
		progress.unit = "piece";
		o.call = &progress.call;
		o.cf = x->run->args->cf;
		sel = region_selection(&g);
		st = zinc_array_stats(a, &sel, &o, &x->s, &err);
		progress_summary(&progress, "read", progress.done, progress.bytes);
		if (st == ZINC_OK) {
			st = zinc_array_stored(a, &x->stored, &until_stopped, &err);
			x->unlisted = st == ZINC_E_UNSUPPORTED; /* elements were read, so there is a grid */
		}
		if (x->unlisted)
			st = ZINC_OK;
		status = st == ZINC_OK ? DONE : fail(x->url, &err);
	}
	region_fini(&g);
	return status;
}

/* To print decoded times. */
static int
stats_open_cf(struct shown *x, zinc_array *a)
{
	zinc_cf_about about = ZINC_CF_ABOUT_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	if (!x->run->args->cf || zinc_array_unsupported(a)) /* the latter is said later */
		return DONE;
	if (zinc_cf_open(&x->cf, a, &err) || zinc_cf_describe(x->cf, &about, &err))
		return fail(x->url, &err);
	if (about.kind < ZINC_CF_TIME) {
		zinc_cf_close(x->cf);
		x->cf = NULL;
	}
	return DONE;
}

int
cmd_stats(struct run *r)
{
	struct shown x = {.run = r, .url = r->args->words.at[0], .s = ZINC_STATS_INIT, .stored = ZINC_STORED_INIT};
	zinc_array *a = NULL;
	int status = open_array(r, x.url, false, &a);

	if (status != DONE)
		return status;
	x.array = a;
	status = stats_open_cf(&x, a);
	if (status == DONE)
		status = stats(&x, a);
	if (status == DONE && r->args->json)
		show_json(&x);
	else if (status == DONE)
		show_text(&x);
	zinc_cf_close(x.cf);
	zinc_array_close(a);
	return status;
}
