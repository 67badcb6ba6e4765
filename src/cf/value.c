/*
 * value.c - what follows '@' in a selection
 *
 *     wanted = value | "~" value | [value] ".." [value]
 *
 * A value is what elements of the coordinate are: a number, a date (period.c), a duration, or a text.
 *
 * (1) Numbers are rounded to the coordinate's float type before they are compared: 0.1 is the float32 nearest to it.
 *     For integers they are exact.
 * (2) The ends of a range may be in any order.  A date there means its whole period; of two that overlap, the range goes
 *     from the beginning of the first to the end of the second.
 */
#include <math.h>

#include "cf/find.h"
#include "dtype/dtype.h"

enum { LONGEST = 200 }; /* bytes of a number or date */

static zinc_status
refuse(const char *text, const char *what, zinc_error *err)
{
	char shown[60];

	zinc_show(shown, sizeof shown, text);
	return zinc_fail(err, ZINC_E_INVALID, "\"%s\" is not %s", shown, what);
}

/* ---- numbers ---- */

/* A decimal number; zinc_json_double needs no locale. */
static bool
parse_double(const char *text, double *out)
{
	const size_t sign = *text == '-' || *text == '+';
	const char *p = text + sign;
	zinc_json v = {.type = ZINC_JSON_NUMBER, .text = p};
	size_t n = strspn(p, "0123456789"), m = 0;

	if (strcmp(p, "inf") == 0) {
		*out = *text == '-' ? -INFINITY : INFINITY;
		return true;
	}
	p += n;
	if (*p == '.')
		m = strspn(++p, "0123456789");
	p += m;
	if (n + m > 0 && (*p == 'e' || *p == 'E')) {
		p += 1 + (p[1] == '-' || p[1] == '+');
		n = strspn(p, "0123456789");
		p += n;
		m = 0;
	}
	if (n + m == 0 || *p != '\0' || !zinc_json_double(&v, out))
		return false;
	*out = *text == '-' ? -*out : *out;
	return true;
}

static double
round_to(zinc_type type, double v)
{
	if (type == ZINC_FLOAT64)
		return v;
	return type == ZINC_FLOAT32 ? (double)(float)v : zinc_dtype_round(type, v);
}

/* No coordinate reaches this: integers have 64 bits. */
#define FAR ((zinc_i128)1 << 100)

static zinc_mark
mark_of_double(double v)
{
	const double whole = floor(v);

	if (!(fabs(whole) < 1e30))
		return (zinc_mark){.n = v < 0 ? -FAR : FAR};
	return (zinc_mark){.n = (zinc_i128)whole, .part = v - whole};
}

/* "-12" exactly, "12.5" and "1e3" through a double. */
static bool
parse_integer(const char *text, zinc_mark *out)
{
	const bool negative = *text == '-';
	const char *p = text + (negative || *text == '+');
	zinc_i128 n = 0;
	double v;

	if (!*p || p[strspn(p, "0123456789")]) {
		if (!parse_double(text, &v))
			return false;
		*out = mark_of_double(v);
		return true;
	}
	for (; *p; p++)
		n = n < FAR ? n * 10 + (*p - '0') : FAR;
	*out = (zinc_mark){.n = negative ? -n : n};
	return true;
}

/* ---- durations ---- */

static const struct {
	const char *name;
	zinc_resolution r;
	unsigned times;
} units[] = {
    {"W", ZINC_TO_DAY, 7},      {"week", ZINC_TO_DAY, 7},
    {"D", ZINC_TO_DAY, 1},      {"d", ZINC_TO_DAY, 1},
    {"day", ZINC_TO_DAY, 1},    {"h", ZINC_TO_HOUR, 1},
    {"hour", ZINC_TO_HOUR, 1},  {"m", ZINC_TO_MINUTE, 1},
    {"min", ZINC_TO_MINUTE, 1}, {"minute", ZINC_TO_MINUTE, 1},
    {"s", ZINC_TO_SECOND, 1},   {"second", ZINC_TO_SECOND, 1},
    {"ms", ZINC_TO_MILLI, 1},   {"millisecond", ZINC_TO_MILLI, 1},
    {"us", ZINC_TO_MICRO, 1},   {"microsecond", ZINC_TO_MICRO, 1},
    {"ns", ZINC_TO_NANO, 1},    {"nanosecond", ZINC_TO_NANO, 1},
    {"ps", ZINC_TO_PICO, 1},    {"fs", ZINC_TO_FEMTO, 1},
    {"as", ZINC_TO_ATTO, 1},
};

/* "hours" -> attoseconds of an hour; 0: unknown. */
static zinc_i128
unit_attos(const char *name)
{
	size_t i, n = strlen(name);

	n -= n > 3 && name[n - 1] == 's';
	for (i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strncmp(units[i].name, name, n) == 0 && units[i].name[n] == '\0')
			return zinc_resolution_attos(units[i].r) * units[i].times;
	return 0;
}

/* Digits, and a fraction of as many as `unit` has; false when it is too large. */
static bool
take_decimal(const char **p, zinc_i128 unit, zinc_i128 *out)
{
	zinc_i128 n = 0;
	const char *first = *p;

	for (; **p >= '0' && **p <= '9'; ++*p) {
		n = n * 10 + (**p - '0');
		if (n > (zinc_i128)100000000000000)
			return false;
	}
	*out = n * unit;
	if (**p == '.')
		for (++*p; **p >= '0' && **p <= '9'; ++*p, *out += unit * (*(*p - 1) - '0')) {
			if (unit % 10 != 0)
				return false;
			unit /= 10;
		}
	return *p - first > (first[0] == '.');
}

zinc_status
zinc_span_parse(const zinc_clock *c, const char *text, zinc_mark *out, zinc_error *err)
{
	static const char what[] = "a duration, such as 90 minutes or 6h";
	const bool negative = *text == '-';
	const char *p = text + negative;
	const char *unit = p + strspn(p, "0123456789. ");
	zinc_i128 attos;

	if (c->months > 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "durations of months cannot be searched");
	if (unit_attos(unit) == 0 || !take_decimal(&p, unit_attos(unit), &attos))
		return refuse(text, what, err);
	while (*p == ' ')
		p++;
	if (p != unit)
		return refuse(text, what, err);
	*out = zinc_mark_of(negative ? -attos : attos, c->tick);
	return ZINC_OK;
}

/* ---- values and ranges ---- */

/* One value: its first and last mark. */
static zinc_status
parse_value(const zinc_axis *x, const char *text, zinc_mark *from, zinc_mark *to, zinc_resolution *fine,
	    zinc_error *err)
{
	if (x->kind == ZINC_AXIS_TIME)
		return zinc_period_parse(&x->clock, text, from, to, fine, err);
	if (x->kind == ZINC_AXIS_SPAN) {
		ZINC_TRY(zinc_span_parse(&x->clock, text, from, err));
	} else if (x->kind == ZINC_AXIS_INTEGER) {
		if (!parse_integer(text, from))
			return refuse(text, "a number", err);
	} else {
		if (!parse_double(text, &from->real))
			return refuse(text, "a number", err);
		from->real = round_to(x->real, from->real);
	}
	*to = *from;
	return ZINC_OK;
}

/* Copy without blanks around. */
static zinc_status
copy_word(const char *p, size_t n, char out[LONGEST], zinc_error *err)
{
	for (; n > 0 && (*p == ' ' || *p == '\t'); n--)
		p++;
	while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	if (n >= LONGEST)
		return zinc_fail(err, ZINC_E_INVALID, "a value is longer than %d bytes", LONGEST - 1);
	memcpy(out, p, n);
	out[n] = '\0';
	return ZINC_OK;
}

static bool
is_after(const zinc_mark *a, const zinc_mark *b, const zinc_axis *x)
{
	if (x->kind == ZINC_AXIS_REAL)
		return a->real > b->real;
	return a->n > b->n || (a->n == b->n && a->part > b->part);
}

static zinc_status
parse_range(zinc_wanted *w, const zinc_axis *x, const char *text, const char *dots, zinc_error *err)
{
	zinc_mark first = {.n = -ZINC_I128_MAX, .real = -INFINITY}, first_end = first;
	zinc_mark last = {.n = ZINC_I128_MAX, .real = INFINITY}, last_end = last;
	char word[LONGEST];
	bool swapped;

	w->how = ZINC_WANT_RANGE;
	ZINC_TRY(copy_word(text, (size_t)(dots - text), word, err));
	if (*word)
		ZINC_TRY(parse_value(x, word, &first, &first_end, &w->fine, err));
	ZINC_TRY(copy_word(dots + 2, strlen(dots + 2), word, err));
	if (*word)
		ZINC_TRY(parse_value(x, word, &last, &last_end, &w->fine, err));
	swapped = is_after(&first, &last_end, x);
	w->from = swapped ? last : first;
	w->to = swapped ? first_end : last_end;
	return ZINC_OK;
}

zinc_status
zinc_wanted_parse(zinc_wanted *w, const zinc_axis *x, const char *text, bool quoted, zinc_error *err)
{
	const char *dots = strstr(text, "..");
	char word[LONGEST];

	*w = (zinc_wanted){.how = *text == '~' ? ZINC_WANT_NEAREST : ZINC_WANT_VALUE, .text = text};
	if (x->kind == ZINC_AXIS_TEXT) {
		if (!quoted && (dots || *text == '~'))
			return zinc_fail(
			    err, ZINC_E_INVALID,
			    "the coordinate has texts, which have no ranges; put a text with \"..\" or '~' "
			    "between quotes");
		w->how = ZINC_WANT_VALUE;
		return ZINC_OK;
	}
	if (*text == '\0')
		return zinc_fail(err, ZINC_E_INVALID, "a value is missing after '@'");
	if (dots)
		return parse_range(w, x, text, dots, err);
	ZINC_TRY(copy_word(text + (*text == '~'), strlen(text) - (*text == '~'), word, err));
	return parse_value(x, word, &w->from, &w->to, &w->fine, err);
}
