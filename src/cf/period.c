/*
 * period.c - the ticks of a coordinate that a date means
 *
 * A date means all instants that begin with it: "2020-02" is 2020-02-01T00:00 up to, but not including, 2020-03-01.
 * Digits after a second mean one millisecond, microsecond or nanosecond, whichever is as fine.
 *
 * (1) The ticks are exact for every unit.  Only how far an instant is after its tick is a double, which is 0 only if it
 *     is not after it at all.
 */
#include "cf/find.h"
#include "cf/units.h"

#define ATTO ((zinc_i128)1000000000 * 1000000000)

zinc_i128
zinc_resolution_attos(zinc_resolution r)
{
	static const uint64_t seconds[] = {0, 0, 86400, 3600, 60, 1};
	zinc_i128 v = ATTO;
	int i;

	if (r <= ZINC_TO_SECOND)
		return ATTO * (zinc_i128)seconds[r];
	for (i = ZINC_TO_SECOND; i < (int)r; i++)
		v /= 1000;
	return v;
}

static zinc_i128
attos_of(zinc_instant at)
{
	return (zinc_i128)at.day * zinc_resolution_attos(ZINC_TO_DAY) + (zinc_i128)at.ns * 1000000000;
}

/* How fine a date is, from the length of its period.  October 1582 of the standard calendar has 21 days. */
static zinc_resolution
fineness(zinc_i128 attos)
{
	const zinc_i128 day = zinc_resolution_attos(ZINC_TO_DAY);
	zinc_resolution r = ZINC_TO_DAY;

	if (attos > day)
		return attos > 32 * day ? ZINC_TO_YEAR : ZINC_TO_MONTH;
	while (r < ZINC_TO_NANO && attos < zinc_resolution_attos(r))
		r++;
	return r;
}

static zinc_i128
floor_div(zinc_i128 a, zinc_i128 b)
{
	return a / b - (a % b < 0);
}

zinc_mark
zinc_mark_of(zinc_i128 attos, zinc_i128 tick)
{
	zinc_mark m = {.n = floor_div(attos, tick)};

	m.part = (double)(attos - m.n * tick) / (double)tick;
	m.part = m.part < 1 ? m.part : 0.9999999999999999;
	return m;
}

/* Of ticks that are months; days are about a 31st of one. */
static bool
mark_of_month(const zinc_clock *c, zinc_instant at, zinc_mark *out)
{
	const zinc_i128 ticks = (zinc_i128)c->months;
	zinc_i128 months;
	zinc_date date;
	double days;

	if (!zinc_calendar_date(c->calendar, at.day, &date))
		return false;
	months = ((zinc_i128)date.year - 1970) * 12 + date.month - 1;
	days = (double)(date.day - 1) + (double)at.ns / (double)ZINC_DAY_NS;
	out->n = floor_div(months, ticks);
	out->part = ((double)(months - out->n * ticks) + days / 31) / (double)ticks;
	return true;
}

static bool
mark_of_instant(const zinc_clock *c, zinc_instant at, zinc_mark *out)
{
	if (c->months > 0)
		return mark_of_month(c, at, out);
	*out = zinc_mark_of(attos_of(at), c->tick);
	return true;
}

zinc_status
zinc_period_parse(const zinc_clock *c, const char *text, zinc_mark *from, zinc_mark *to, zinc_resolution *fine,
		  zinc_error *err)
{
	zinc_instant first, after;
	zinc_mark end;
	char shown[60];

	if (zinc_date_parse(c->calendar, text, &first, &after) != strlen(text) || *text == '\0') {
		zinc_show(shown, sizeof shown, text);
		return zinc_fail(err, ZINC_E_INVALID,
				 "\"%s\" is not a date of the calendar %s, such as 2020, 2020-01 or 2020-01-03T12:30",
				 shown, zinc_calendar_name(c->calendar));
	}
	*fine = fineness(attos_of(after) - attos_of(first));
	if (*fine > ZINC_TO_SECOND &&
	    !zinc_instant_add(first, 1, (int64_t)(zinc_resolution_attos(*fine) / 1000000000), &after))
		after = first;
	if (!mark_of_instant(c, first, from) || !mark_of_instant(c, after, &end))
		return zinc_fail(err, ZINC_E_INVALID, "the date is too large");
	*to = (zinc_mark){.n = end.n - (end.part > 0 ? 0 : 1)}; /* the last tick before the end */
	return ZINC_OK;
}
