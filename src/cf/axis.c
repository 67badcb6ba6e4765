/*
 * axis.c - how the elements of a coordinate are read and compared
 *
 * Integers, datetimes and decoded times are compared as integers, other numbers as doubles, which hold every float
 * exactly, and all other types by their text.
 */
#include "cf/find.h"

/* "M8[25s]" -> 25 and "s"; "M8" has no unit. */
static void
split_unit(const char *v2, uint64_t *factor, char unit[4])
{
	const char *p = v2 ? strchr(v2, '[') : NULL;
	size_t n = 0;

	*factor = 0;
	for (p = p ? p + 1 : ""; *p >= '0' && *p <= '9'; p++)
		*factor = *factor * 10 + (uint64_t)(*p - '0'); /* at most 2^31: dtype_datetime.c */
	*factor = *factor ? *factor : 1;
	for (; n < 3 && *p && *p != ']'; p++)
		unit[n++] = *p;
	unit[n] = '\0';
}

static const struct {
	const char *code;
	zinc_resolution r;
	unsigned times;
} units[] = {
    {"Y", ZINC_TO_MONTH, 12}, {"M", ZINC_TO_MONTH, 1},  {"W", ZINC_TO_DAY, 7},    {"D", ZINC_TO_DAY, 1},
    {"h", ZINC_TO_HOUR, 1},   {"m", ZINC_TO_MINUTE, 1}, {"s", ZINC_TO_SECOND, 1}, {"ms", ZINC_TO_MILLI, 1},
    {"us", ZINC_TO_MICRO, 1}, {"ns", ZINC_TO_NANO, 1},  {"ps", ZINC_TO_PICO, 1},  {"fs", ZINC_TO_FEMTO, 1},
    {"as", ZINC_TO_ATTO, 1},
};

/* A tick of `factor` units; false for a unit without a length ("generic"). */
static bool
set_clock(zinc_clock *c, const char *unit, uint64_t factor)
{
	size_t i;

	*c = (zinc_clock){.calendar = ZINC_CALENDAR_PROLEPTIC};
	for (i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(units[i].code, unit) != 0)
			continue;
		c->tick = zinc_resolution_attos(units[i].r) * units[i].times * (zinc_i128)factor;
		c->months = units[i].r == ZINC_TO_MONTH ? units[i].times * factor : 0;
		return true;
	}
	return false;
}

/* A type that is not decoded. */
static void
set_plain(zinc_axis *x, const zinc_dtype *t)
{
	uint64_t factor;
	char unit[4];

	x->kind = ZINC_AXIS_TEXT;
	x->read = ZINC_NATIVE;
	x->nread = t->size;
	if (t->kind == ZINC_KIND_DATETIME || t->kind == ZINC_KIND_TIMEDELTA) {
		split_unit(t->v2, &factor, unit);
		if (set_clock(&x->clock, unit, factor))
			x->kind = t->kind == ZINC_KIND_DATETIME ? ZINC_AXIS_TIME : ZINC_AXIS_SPAN;
	} else if (t->type != ZINC_NATIVE && (t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT)) {
		x->kind = ZINC_AXIS_INTEGER;
		x->is_unsigned = t->kind == ZINC_KIND_UINT;
		x->read = x->is_unsigned ? ZINC_UINT64 : ZINC_INT64;
		x->nread = sizeof(uint64_t);
	} else if (t->type != ZINC_NATIVE && t->kind == ZINC_KIND_FLOAT) {
		x->kind = ZINC_AXIS_REAL;
		x->real = t->type;
		x->read = ZINC_FLOAT64;
		x->nread = sizeof(double);
	}
}

/* Decoded numbers: floats, or integers by _Unsigned or a whole scale. */
static zinc_status
set_numbers(zinc_axis *x, const zinc_dtype *t, zinc_error *err)
{
	x->decoded = t->type;
	x->wide = ZINC_FLOAT64;
	if (t->kind == ZINC_KIND_FLOAT) {
		x->kind = ZINC_AXIS_REAL;
		x->real = t->type;
	} else if (t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT) {
		x->kind = ZINC_AXIS_INTEGER;
		x->is_unsigned = t->kind == ZINC_KIND_UINT;
		x->wide = x->is_unsigned ? ZINC_UINT64 : ZINC_INT64;
	} else {
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the coordinate is decoded to %s, which has no order: select by index", t->name);
	}
	return ZINC_OK;
}

static zinc_status
set_decoded(zinc_axis *x, const zinc_cf_about *about, zinc_error *err)
{
	x->read = ZINC_NATIVE;
	x->nread = zinc_array_element_size(x->array);
	x->ndecoded = zinc_type_size(about->type);
	if (about->kind == ZINC_CF_NUMBER)
		return set_numbers(x, zinc_dtype_of(about->type), err);
	x->kind = about->kind == ZINC_CF_DURATION ? ZINC_AXIS_SPAN : ZINC_AXIS_TIME;
	if (!set_clock(&x->clock, about->unit, 1))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "times in \"%s\" cannot be searched", about->unit);
	if (about->kind == ZINC_CF_DATE && !zinc_calendar_find(&x->clock.calendar, about->calendar))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "calendar \"%s\" is not known", about->calendar);
	return ZINC_OK;
}

void
zinc_axis_fini(zinc_axis *x)
{
	zinc_cf_close(x->cf);
	x->cf = NULL;
}

zinc_status
zinc_axis_init(zinc_axis *x, zinc_array *coordinate, const char *name, zinc_error *err)
{
	const char *why = zinc_array_unsupported(coordinate);
	zinc_cf_about about = ZINC_CF_ABOUT_INIT;
	zinc_status st;
	zinc_meta *m;

	*x = (zinc_axis){.array = coordinate, .name = name, .n = zinc_array_shape(coordinate)[0]};
	if (why)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "%s", why);
	ZINC_TRY(zinc_cf_open(&x->cf, coordinate, err));
	st = zinc_cf_describe(x->cf, &about, err);
	if (st == ZINC_OK && about.kind != ZINC_CF_PLAIN)
		st = set_decoded(x, &about, err);
	if (st != ZINC_OK || about.kind == ZINC_CF_PLAIN)
		zinc_axis_fini(x);
	if (st == ZINC_OK && about.kind == ZINC_CF_PLAIN) {
		m = zinc_array_snapshot(coordinate);
		set_plain(x, m->dtype);
		zinc_meta_free(m);
	}
	return zinc_error_at_node(err, st, coordinate->h, coordinate->path);
}
