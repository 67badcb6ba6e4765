/*
 * dtype_datetime.c - numpy.datetime64 and numpy.timedelta64: instants and durations
 *
 *     int64, times scale_factor, of one unit; instants count from 1970-01-01T00:00 in the proleptic Gregorian
 *     calendar, without leap seconds; -2^63 is NaT, "not a time"
 *
 * Promises (tests/unit/test_dtype_datetime.c names each by its number):
 *
 * (1) Every int64 of every unit and scale factor has an exact text: ISO 8601 as NumPy reads it (a year has a sign if
 *     negative and at least four digits), or a number and a unit for durations.
 * (2) A conversion to another unit is exact, or it fails.
 */
#include "dtype/element.h"
#include "dtype/wide.h"

#include <inttypes.h>
#include <stdio.h>

#define NAT       INT64_MIN
#define SCALE_MAX INT32_MAX

/* NumPy's units, from coarse to fine. */
enum unit { GENERIC, YEAR, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND }; /* and six finer ones */

static const struct {
	const char *code, *name;
	uint32_t in_one; /* how many are one of the unit before; 0: not constant */
} units[] = {
    {"generic", "generic time units", 0},
    {"Y", "years", 0},
    {"M", "months", 12},
    {"W", "weeks", 0},
    {"D", "days", 7},
    {"h", "hours", 24},
    {"m", "minutes", 60},
    {"s", "seconds", 60},
    {"ms", "milliseconds", 1000},
    {"us", "microseconds", 1000},
    {"ns", "nanoseconds", 1000},
    {"ps", "picoseconds", 1000},
    {"fs", "femtoseconds", 1000},
    {"as", "attoseconds", 1000},
};
#define NUNITS (sizeof units / sizeof units[0])

/* zinc_dtype.self */
typedef struct scale {
	enum unit unit;
	uint32_t factor;
} scale;

static const scale *
scale_of(const zinc_dtype *t)
{
	return (const scale *)t->self;
}

static int64_t
load(const void *element)
{
	int64_t v;

	memcpy(&v, element, sizeof v);
	return v;
}

/* ---- the calendar ----
 *
 * Years begin in March here, so that the leap day is the last of its year; 400 of them, an era, have 146 097 days.
 */

#define ERA_DAYS   146097u
#define EPOCH_DAYS 719468 /* from 0000-03-01 to 1970-01-01 */

typedef struct date {
	zinc_wide year;
	uint32_t month, day; /* from 1 */
} date;

static date
date_of_days(zinc_wide days)
{
	uint32_t of_era, year, of_year, march;
	date d;

	zinc_wide_add_small(&days, EPOCH_DAYS);
	of_era = zinc_wide_div(&days, ERA_DAYS);
	year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year = of_era - (365 * year + year / 4 - year / 100);
	march = (5 * of_year + 2) / 153; /* months since March: 31 30 31 30 31, 31 30 31 30 31, 31 .. */
	d.day = of_year - (153 * march + 2) / 5 + 1;
	d.month = march < 10 ? march + 3 : march - 9;
	d.year = days;
	zinc_wide_mul(&d.year, 400);
	zinc_wide_add_small(&d.year, (int64_t)year + (d.month <= 2));
	return d;
}

static date
date_of_months(zinc_wide months)
{
	date d = {.month = zinc_wide_div(&months, 12) + 1, .day = 1};

	d.year = months;
	zinc_wide_add_small(&d.year, 1970);
	return d;
}

/* Of the first day of a month. */
static zinc_wide
days_of_date(date d)
{
	const uint32_t march = d.month > 2 ? d.month - 3 : d.month + 9, of_year = (153 * march + 2) / 5;
	uint32_t year;

	zinc_wide_add_small(&d.year, -(int64_t)(d.month <= 2));
	year = zinc_wide_div(&d.year, 400);
	zinc_wide_mul(&d.year, ERA_DAYS);
	zinc_wide_add_small(&d.year, (int64_t)(365 * year + year / 4 - year / 100 + of_year) - EPOCH_DAYS);
	return d.year;
}

static zinc_wide
months_of_date(date d)
{
	zinc_wide_add_small(&d.year, -1970);
	zinc_wide_mul(&d.year, 12);
	zinc_wide_add_small(&d.year, (int64_t)d.month - 1);
	return d.year;
}

/* ---- text ---- */

/* At least `width` digits, after the sign of a negative number. */
static zinc_status
print_wide(zinc_wide w, size_t width, zinc_buf *out, zinc_error *err)
{
	const bool negative = zinc_wide_negative(&w);
	char text[80];
	size_t at = sizeof text, end = sizeof text;
	int64_t v;

	if (negative) { /* two's complement: invert and add one */
		zinc_wide_complement(&w);
		zinc_wide_add_small(&w, 1);
	}
	do
		text[--at] = (char)('0' + zinc_wide_div(&w, 10));
	while (!zinc_wide_get(&w, &v) || v != 0);
	while (end - at < width)
		text[--at] = '0';
	if (negative)
		text[--at] = '-';
	return zinc_buf_add(out, text + at, end - at, err);
}

/* "T12:30:00.123456": the time of day down to the unit; `w` becomes whole days. */
static void
print_clock(zinc_wide *w, enum unit unit, char out[40])
{
	uint32_t part[NUNITS];
	size_t n = 0;
	enum unit u;

	out[0] = '\0';
	for (u = unit; u > DAY; u--)
		part[u] = zinc_wide_div(w, units[u].in_one);
	for (u = HOUR; u <= unit; u++)
		n += (size_t)snprintf(out + n, 40 - n, u <= SECOND ? "%s%02u" : "%s%03u",
				      u == HOUR         ? "T"
				      : u <= SECOND     ? ":"
				      : u == SECOND + 1 ? "."
							: "",
				      (unsigned)part[u]);
}

static zinc_status
print_instant(const scale *s, zinc_wide w, zinc_buf *out, zinc_error *err)
{
	char clock[40];
	date d;

	if (s->unit == YEAR) {
		zinc_wide_add_small(&w, 1970);
		return print_wide(w, 4, out, err);
	}
	if (s->unit == MONTH) {
		d = date_of_months(w);
		ZINC_TRY(print_wide(d.year, 4, out, err));
		return zinc_buf_printf(out, err, "-%02u", (unsigned)d.month);
	}
	if (s->unit == WEEK)
		zinc_wide_mul(&w, 7);
	print_clock(&w, s->unit, clock);
	d = date_of_days(w);
	ZINC_TRY(print_wide(d.year, 4, out, err));
	return zinc_buf_printf(out, err, "-%02u-%02u%s", (unsigned)d.month, (unsigned)d.day, clock);
}

/* The quotes around a text that is not a number. */
static const char *
quote_of(zinc_spelling how)
{
	return how == ZINC_SPELL_JSON ? "\"" : how == ZINC_SPELL_REPR ? "'" : "";
}

static zinc_status
print_nat(zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	return zinc_buf_printf(out, err, "%sNaT%s", quote_of(how), quote_of(how));
}

static zinc_status
datetime_print(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const scale *s = scale_of(t);
	const int64_t v = load(element);
	zinc_wide w = zinc_wide_of(v);

	if (v == NAT)
		return print_nat(how, out, err);
	zinc_wide_mul(&w, s->factor);
	if (s->unit == GENERIC) /* without a unit there is no date: NumPy cannot print it */
		return print_wide(w, 0, out, err);
	ZINC_TRY(zinc_buf_puts(out, quote_of(how), err));
	ZINC_TRY(print_instant(s, w, out, err));
	return zinc_buf_puts(out, quote_of(how), err);
}

/* "50 microseconds" as plain text; otherwise the stored count. */
static zinc_status
timedelta_print(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const int64_t v = load(element);
	zinc_wide w = zinc_wide_of(v);

	if (v == NAT)
		return print_nat(how, out, err);
	if (how != ZINC_SPELL_TEXT)
		return zinc_buf_printf(out, err, "%" PRId64, v);
	zinc_wide_mul(&w, scale_of(t)->factor);
	ZINC_TRY(print_wide(w, 0, out, err));
	return zinc_buf_printf(out, err, " %s", units[scale_of(t)->unit].name);
}

/* ---- conversion ---- */

/* Is it a multiple of `divisor`? */
static bool
divide(zinc_wide *w, uint32_t divisor)
{
	return zinc_wide_div(w, divisor) == 0;
}

/* Step by step, through units of which each is a fixed number of the next. */
static bool
walk_units(zinc_wide *w, enum unit from, enum unit to)
{
	for (; from < to; from++)
		zinc_wide_mul(w, units[from + 1].in_one);
	for (; from > to; from--)
		if (!divide(w, units[from].in_one))
			return false;
	return true;
}

/* Datetimes pass between months and days at the first day of a month. */
static bool
cross_calendar(zinc_wide *w, enum unit *unit, bool to_months)
{
	const enum unit gate = to_months ? DAY : MONTH;
	date d;

	if (!walk_units(w, *unit, gate))
		return false;
	d = to_months ? date_of_days(*w) : date_of_months(*w);
	*unit = to_months ? MONTH : DAY;
	*w = to_months ? months_of_date(d) : days_of_date(d);
	if (!to_months)
		return true;
	return d.day == 1;
}

bool
zinc_datetime_convert(const zinc_dtype *to, int64_t *out, const zinc_dtype *from, int64_t v)
{
	const scale *a = scale_of(from), *b = scale_of(to);
	zinc_wide w = zinc_wide_of(v);
	enum unit unit = a->unit;

	*out = v;
	if (v == NAT || (a->unit == b->unit && a->factor == b->factor))
		return true;
	if ((a->unit == GENERIC) != (b->unit == GENERIC))
		return false;
	zinc_wide_mul(&w, a->factor);
	if ((unit <= MONTH) != (b->unit <= MONTH)) {
		if (to->kind != ZINC_KIND_DATETIME || !cross_calendar(&w, &unit, b->unit <= MONTH))
			return false;
	}
	return walk_units(&w, unit, b->unit) && divide(&w, b->factor) && zinc_wide_get(&w, out) && *out != NAT;
}

/* ---- fill values ---- */

static zinc_status
parse_fill(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	int64_t i = NAT;

	if (!zinc_json_is_string(v, "NaT") && !zinc_json_i64(v, &i))
		return zinc_report_error(r, "M59", err,
					 "a fill value of type %s must be an integer of 64 bits or \"NaT\"", t->name);
	memcpy(element, &i, sizeof i);
	return ZINC_OK;
}

static zinc_json *
print_fill(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	const int64_t v = load(element);

	(void)t;
	return v == NAT ? zinc_json_make_string(doc, "NaT") : zinc_json_make_i64(doc, v);
}

/* ---- configuration ---- */

static const zinc_dtype_ops datetime_ops = {
    .parse_fill = parse_fill,
    .print_fill = print_fill,
    .print = datetime_print,
};
static const zinc_dtype_ops timedelta_ops = {
    .parse_fill = parse_fill,
    .print_fill = print_fill,
    .print = timedelta_print,
};

static void
fini(zinc_dtype *t)
{
	zinc_free(t->ctx, t->self);
}

static zinc_status
make(zinc_dtype *t, scale s, zinc_error *err)
{
	const bool instant = t->row == &zinc_row_datetime64;
	const char letter = instant ? 'M' : 'm';

	t->self = zinc_alloc(t->ctx, sizeof s);
	if (!t->self)
		return zinc_fail_nomem(err);
	memcpy(t->self, &s, sizeof s);
	t->fini = fini;
	t->kind = instant ? ZINC_KIND_DATETIME : ZINC_KIND_TIMEDELTA;
	t->size = t->unit = 8;
	t->bits = 64;
	t->ops = instant ? &datetime_ops : &timedelta_ops;
	if (s.unit == GENERIC)
		snprintf(t->v2_buf, sizeof t->v2_buf, "%c8", letter);
	else if (s.factor == 1)
		snprintf(t->v2_buf, sizeof t->v2_buf, "%c8[%s]", letter, units[s.unit].code);
	else
		snprintf(t->v2_buf, sizeof t->v2_buf, "%c8[%u%s]", letter, (unsigned)s.factor, units[s.unit].code);
	t->v2 = s.unit == GENERIC && s.factor != 1 ? NULL : t->v2_buf; /* NumPy has none of these */
	return ZINC_OK;
}

/* Also with the Greek letter, which the registry allows. */
static bool
find_unit(const char *code, enum unit *out)
{
	size_t i;

	if (strcmp(code, "\xce\xbcs") == 0)
		code = "us";
	for (i = 0; i < NUNITS; i++)
		if (strcmp(units[i].code, code) == 0) {
			*out = (enum unit)i;
			return true;
		}
	return false;
}

static zinc_status
parse(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	static const char *const members[] = {"unit", "scale_factor", NULL};
	const zinc_json *unit = zinc_json_member(configuration, "unit");
	uint64_t factor;
	scale s;

	ZINC_TRY(zinc_dtype_members(t, configuration, members, r, err));
	if (!zinc_json_is(unit, ZINC_JSON_STRING) || strlen(unit->text) != unit->n || !find_unit(unit->text, &s.unit))
		return zinc_report_error(r, t->name, err, "\"unit\" must be one of NumPy's time units");
	if (!zinc_json_u64(zinc_json_member(configuration, "scale_factor"), &factor) || factor < 1 ||
	    factor > SCALE_MAX)
		return zinc_report_error(r, t->name, err, "\"scale_factor\" must be an integer from 1 to %d",
					 SCALE_MAX);
	s.factor = (uint32_t)factor;
	return make(t, s, err);
}

/* "8[ns]", "8[10us]", "8" */
static zinc_status
parse_v2(zinc_dtype *t, const char *rest, zinc_report *r, zinc_error *err)
{
	const size_t n = strlen(rest);
	char code[32] = "generic";
	scale s = {GENERIC, 1};
	const char *at = rest + 2;
	uint64_t factor = 0;

	if (strcmp(rest, "8") == 0)
		return make(t, s, err);
	if (n > 3 && n < sizeof code && strncmp(rest, "8[", 2) == 0 && rest[n - 1] == ']') {
		for (; *at >= '0' && *at <= '9' && factor <= SCALE_MAX; at++)
			factor = factor * 10 + (uint64_t)(*at - '0');
		memcpy(code, at, n - 1 - (size_t)(at - rest));
		code[n - 1 - (size_t)(at - rest)] = '\0';
		s.factor = at == rest + 2 ? 1 : (uint32_t)factor;
		if (s.factor >= 1 && factor <= SCALE_MAX && rest[2] != '0' && find_unit(code, &s.unit))
			return make(t, s, err);
	}
	return zinc_report_error(r, t->name, err, "\"%c%.40s\" is not a unit of time of NumPy", t->row->letter, rest);
}

static zinc_status
print(const zinc_dtype *t, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const scale *s = scale_of(t);

	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, *out, "unit", zinc_json_make_string(doc, units[s->unit].code), err));
	return zinc_json_set(doc, *out, "scale_factor", zinc_json_make_u64(doc, s->factor), err);
}

const zinc_dtype_row zinc_row_datetime64 = {
    .name = "numpy.datetime64",
    .v2 = "M8[*]",
    .purpose = "an instant: int64 of some unit since 1970",
    .parse = parse,
    .print = print,
    .needs_configuration = true,
    .letter = 'M',
    .parse_v2 = parse_v2,
};
const zinc_dtype_row zinc_row_timedelta64 = {
    .name = "numpy.timedelta64",
    .v2 = "m8[*]",
    .purpose = "a span of time: int64 of some unit",
    .parse = parse,
    .print = print,
    .needs_configuration = true,
    .letter = 'm',
    .parse_v2 = parse_v2,
};
