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
#include <stdio.h>

#include "cli.h"

#define BAR 40 /* columns of the longest */

struct shown {
	struct run *run;
	const char *url;
	const zinc_array *array;
	zinc_cf *cf;  /* NULL: elements are not decoded */
	char unit[8]; /* of times: "ns", "D"; "" if it is not known */
	zinc_stats s;
	zinc_stored stored;
	bool unlisted; /* the store cannot list, so stored bytes are not known */
	bool lenient;  /* of a group: the selection may name dimensions that this array does not have */
	uint64_t used;
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

/* The deviation of times: a number of the longest unit that it fills, or of the array's own unit. */
static void
add_span(struct text *t, const struct shown *x, int digits)
{
	static const struct {
		const char *name, *text;
		double ns;
	} units[] = {{"D", "days", 864e11}, {"h", "hours", 36e11}, {"m", "minutes", 6e10}, {"s", "s", 1e9},
		     {"ms", "ms", 1e6},     {"us", "us", 1e3},     {"ns", "ns", 1}};
	const size_t n = sizeof units / sizeof *units;
	size_t own = 0, i = 0;

	while (own < n && strcmp(units[own].name, x->unit))
		own++;
	while (own < n && i < own && x->s.deviation * units[own].ns < units[i].ns)
		i++;
	if (own < n)
		text_printf(t, "%.*g %s", digits, x->s.deviation * units[own].ns / units[i].ns, units[i].text);
	else
		text_printf(t, "%.*g %s", digits, x->s.deviation,
			    !strcmp(x->unit, "M")   ? "months"
			    : !strcmp(x->unit, "Y") ? "years"
						    : x->unit);
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
	if (s->of == ZINC_STATS_TIMES && *x->unit)
		add_span(t, x, 10);
	else
		add_double(t, s->deviation, false);
	text_puts(t, "\n");
	if (*s->sum) {
		text_label(t, x->run->colour, "sum");
		text_printf(t, "%s\n", s->sum);
	}
}

static void
draw_bar(struct text *t, const struct shown *x, uint64_t count, uint64_t most, size_t room)
{
	const size_t n = (size_t)((double)count / (double)most * (double)room + 0.5);
	struct text bar = {NULL, 0, 0};

	text_fill(&bar, '#', n ? n : count > 0);
	text_paint(t, x->run->colour, GREEN, text_str(&bar));
	text_fill(t, ' ', room - bar.n);
	text_free(&bar);
}

/* Columns of the longest bar beside this much text. */
static size_t
bar_room(size_t beside)
{
	const size_t screen = screen_width();

	return screen >= beside + BAR ? BAR : screen > beside + 4 ? screen - beside : 4;
}

static void
rows_histogram(struct text *t, const struct shown *x)
{
	uint64_t most = 1;
	size_t wide = 0, room;
	char count[32];
	int i;

	for (i = 0; i < x->s.bins; i++) {
		struct text edge = {NULL, 0, 0};

		add_edge(&edge, x, i, false);
		wide = edge.n > wide ? edge.n : wide;
		most = x->s.count[i] > most ? x->s.count[i] : most;
		text_free(&edge);
	}
	room = bar_room(wide + 5 + (size_t)snprintf(count, sizeof count, "%llu", (unsigned long long)most));
	for (i = 0; i < x->s.bins; i++) {
		struct text edge = {NULL, 0, 0};

		add_edge(&edge, x, i, false);
		text_fill(t, ' ', wide - edge.n + 2);
		text_printf(t, "%s |", edge.p);
		draw_bar(t, x, x->s.count[i], most, room);
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
json_members(struct json *to, const struct shown *x)
{
	json_string(json_key(to, "of"), of_names[x->s.of]);
	json_uint(json_key(to, "elements"), x->s.elements);
	json_uint(json_key(to, "nan"), x->s.nan);
	json_uint(json_key(to, "infinite"), x->s.infinite);
	json_numbers(to, x);
	if (x->s.of == ZINC_STATS_TIMES && *x->unit) /* of the deviation */
		json_string(json_key(to, "unit"), x->unit);
	json_histogram(to, x);
	json_key(to, "stored");
	if (x->unlisted)
		json_null(to);
	else
		json_stored(to, &x->stored);
}

static void
show_json(struct shown *x)
{
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_string(json_key(&j, "url"), x->url);
	json_members(&j, x);
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
	int status = region_init_some(&g, a, x->run->args->select, x->url, x->lenient, &x->used);

	if (status == DONE) {
		progress_init(&progress, x->run, "reading");
		progress.unit = "piece";
		o.call = &progress.call;
		o.cf = x->run->args->cf;
		sel = region_selection(&g);
		st = zinc_array_stats(a, &sel, &o, &x->s, &err);
		if (!x->lenient) /* a line for each array of a group would hide the table */
			progress_summary(&progress, "read", progress.done, progress.bytes);
		else
			progress_end(&progress);
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
	} else {
		snprintf(x->unit, sizeof x->unit, "%s", about.kind == ZINC_CF_DATE ? "us" : about.unit);
	}
	return DONE;
}

/* The unit of datetime64 and timedelta64, "ns" of '<M8[ns]'; nothing for several units, as in [25s]. */
static void
find_unit(struct shown *x, const zinc_array *a)
{
	const char *dtype = zinc_array_dtype(a), *unit = strstr(dtype, "\"unit\":\"");
	size_t n;

	if (*dtype != '{' || !unit || !strstr(dtype, "\"scale_factor\":1}"))
		return;
	unit += strlen("\"unit\":\"");
	n = strcspn(unit, "\"");
	if (n < sizeof x->unit)
		snprintf(x->unit, sizeof x->unit, "%.*s", (int)n, unit);
}

static int
stats_of_array(struct shown *x, zinc_array *a)
{
	int status;

	x->array = a;
	find_unit(x, a);
	status = stats_open_cf(x, a);
	return status == DONE ? stats(x, a) : status;
}

/* ---- a group: one row per array ---- */

struct several {
	struct run *run;
	const char *url;
	zinc_hierarchy *h;
	struct table table;
	struct json json;
	uint64_t used;  /* items of the selection that belong to some array */
	uint64_t count; /* arrays */
	int status;
};

static void
cell(struct table *t, const struct shown *x, void (*add)(struct text *t, const struct shown *x))
{
	struct text s = {NULL, 0, 0};

	if (has_numbers(x))
		add(&s, x);
	table_text(t, PLAIN, &s);
}

/* Without the end that says nothing: "T00:00:00" of a day, ":00" of a minute. */
static void
shorten_time(struct text *t)
{
	static const char *const ends[] = {"T00:00:00", ":00"};
	size_t i, n;

	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		n = strlen(ends[i]);
		if (t->n == strlen("2000-01-01T00:00:00") && !strcmp(t->p + t->n - n, ends[i]))
			t->p[t->n -= n] = '\0';
	}
}

/* Six digits are enough to compare arrays; stats of one array has all. */
static void
add_short(struct text *t, const struct shown *x, zinc_number v)
{
	if (x->s.of != ZINC_STATS_TIMES && x->s.type == ZINC_FLOAT64)
		text_printf(t, "%.6g", v.f);
	else
		add_number(t, x, v, false);
	if (x->s.of == ZINC_STATS_TIMES)
		shorten_time(t);
}

static void
add_min(struct text *t, const struct shown *x)
{
	add_short(t, x, x->s.min);
}

static void
add_max(struct text *t, const struct shown *x)
{
	add_short(t, x, x->s.max);
}

static void
add_short_mean(struct text *t, const struct shown *x)
{
	if (x->s.of == ZINC_STATS_TIMES) {
		add_mean(t, x, false);
		shorten_time(t);
	} else {
		text_printf(t, "%.6g", x->s.mean);
	}
}

static void
add_deviation(struct text *t, const struct shown *x)
{
	if (x->s.of == ZINC_STATS_TIMES && *x->unit)
		add_span(t, x, 4);
	else
		text_printf(t, "%.6g", x->s.deviation);
}

/* The type, in a form that says what the numbers are if they are not the elements. */
static void
add_type(struct text *t, const struct shown *x, const zinc_node *node)
{
	const bool lengths = x->s.of == ZINC_STATS_LENGTHS, magnitudes = x->s.of == ZINC_STATS_MAGNITUDES;

	text_puts(t, lengths ? "len(" : magnitudes ? "abs(" : "");
	describe_type(t, node->array);
	text_puts(t, lengths || magnitudes ? ")" : "");
}

static void
several_row(struct several *m, const struct shown *x, const zinc_node *node)
{
	const size_t skip = strlen(zinc_hierarchy_path(m->h));
	struct text s = {NULL, 0, 0};
	struct table *t = &m->table;

	table_cell(t, BOLD, node->path + (skip > 1 ? skip + 1 : 1));
	text_times(&s, node->array->shape, node->array->ndim);
	table_text(t, PLAIN, &s);
	add_type(&s, x, node);
	table_text(t, PLAIN, &s);
	cell(t, x, add_min);
	cell(t, x, add_max);
	cell(t, x, add_short_mean);
	cell(t, x, add_deviation);
	text_printf(&s, "%llu", (unsigned long long)x->s.nan);
	table_text(t, PLAIN, &s);
	text_printf(&s, "%llu", (unsigned long long)x->stored.objects);
	table_text(t, PLAIN, x->unlisted ? &(struct text){NULL, 0, 0} : &s);
	text_free(&s);
	if (x->stored.bytes)
		text_printf(&s, "%.2f", (double)x->stored.decoded_bytes / (double)x->stored.bytes);
	table_text(t, PLAIN, &s);
}

static void
several_json(struct several *m, const struct shown *x, const zinc_node *node)
{
	struct text type = {NULL, 0, 0};
	struct json *j = &m->json;

	describe_type(&type, node->array);
	json_begin_object(j);
	json_string(json_key(j, "path"), node->path);
	json_shape(json_key(j, "shape"), node->array->shape, node->array->ndim);
	json_string(json_key(j, "type"), text_str(&type));
	json_members(j, x);
	json_end_object(j);
	text_free(&type);
}

/* A failure is said, and the other arrays follow. */
static int
several_array(void *arg, const zinc_node *node)
{
	struct several *m = arg;
	struct shown x = {.run = m->run, .s = ZINC_STATS_INIT, .stored = ZINC_STORED_INIT, .lenient = true};
	struct text url = {NULL, 0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int status = complain_of_node(m->h, m->url, node);

	if (status == DONE && !node->array && node->problem) /* unsupported: what its members mean is not known */
		status = complain(UNSUPPORTED, m->url, "%s: %s", key_below(m->h, node->metadata_key), node->problem);
	if (!node->array) {
		m->status = status > m->status ? status : m->status;
		return interrupted();
	}
	text_printf(&url, "%s%s", m->url,
		    node->path + (zinc_hierarchy_path(m->h)[1] ? strlen(zinc_hierarchy_path(m->h)) : 0));
	x.url = url.p;
	status = zinc_array_info_open(&a, node->array, &until_stopped, &err) ? fail(x.url, &err) : DONE;
	if (status == DONE)
		status = stats_of_array(&x, a);
	m->count++;
	m->used |= x.used;
	if (status == DONE && m->run->args->json)
		several_json(m, &x, node);
	else if (status == DONE)
		several_row(m, &x, node);
	m->status = status > m->status ? status : m->status;
	zinc_cf_close(x.cf);
	zinc_array_close(a);
	text_free(&url);
	return interrupted() || status == CANCELLED;
}

static void
several_columns(struct table *t, const struct run *r)
{
	static const char *const heads[] = {"min", "max", "mean", "std", "NaN"};
	size_t i;

	table_init(t, r);
	table_column(t, "array", COLUMN_KEY);
	table_optional(t, "shape", COLUMN_CUT, 1);
	table_optional(t, "type", COLUMN_CUT, 1);
	for (i = 0; i < sizeof heads / sizeof *heads; i++)
		table_optional(t, heads[i], COLUMN_RIGHT, i < 2 ? 0 : 2); /* min and max stay */
	table_optional(t, "chunks", COLUMN_RIGHT, 1);
	table_optional(t, "ratio", COLUMN_RIGHT, 1);
}

static int
stats_of_group(struct run *r, const char *url, zinc_hierarchy *h)
{
	struct several m = {.run = r, .url = url, .h = h, .json = JSON_INIT};
	zinc_error err = ZINC_ERROR_INIT;

	several_columns(&m.table, r);
	if (zinc_node_walk(h, zinc_hierarchy_path(h), -1, several_array, &m, &until_stopped, &err))
		m.status = fail(url, &err);
	if (m.status == DONE && m.count)
		m.status = select_used(r->args->select, m.used);
	if (m.status != USAGE && !r->args->json)
		table_end(&m.table);
	table_drop(&m.table);
	if (r->args->json && m.status != USAGE && !interrupted()) {
		struct json j = JSON_INIT;

		json_begin_object(&j);
		json_string(json_key(&j, "url"), url);
		json_list(json_key(&j, "arrays"), &m.json);
		json_end_object(&j);
		out_document(&r->out, &j);
	}
	json_free(&m.json);
	return interrupted() ? CANCELLED : m.status;
}

/* Is it a group?  Asked only when it is no array, so that an array costs no request more. */
static bool
opens_group(struct run *r, const char *url, zinc_hierarchy **h)
{
	zinc_open_options o = open_options(r, false);
	zinc_node_kind kind = ZINC_NODE_NONE;

	o.keep_documents = 1;
	return zinc_hierarchy_open_url(h, typed_url(r->args, url), &o, NULL) == ZINC_OK &&
	       zinc_node_exists(*h, zinc_hierarchy_path(*h), &kind, &until_stopped, NULL) == ZINC_OK &&
	       kind == ZINC_NODE_GROUP;
}

int
cmd_stats(struct run *r)
{
	struct shown x = {.run = r, .url = r->args->words.at[0], .s = ZINC_STATS_INIT, .stored = ZINC_STORED_INIT};
	zinc_open_options o = open_options(r, false);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	int status;

	if (zinc_array_open_url(&a, typed_url(r->args, x.url), &o, &err)) {
		status = opens_group(r, x.url, &h) ? stats_of_group(r, x.url, h) : fail(x.url, &err);
		zinc_hierarchy_close(h);
		return status;
	}
	status = stats_of_array(&x, a);
	if (status == DONE && r->args->json)
		show_json(&x);
	else if (status == DONE)
		show_text(&x);
	zinc_cf_close(x.cf);
	zinc_array_close(a);
	return status;
}
