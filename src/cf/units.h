/*
 * units.h - the attribute `units` of times, and dates as text
 *
 *     units = "hours since 1900-01-01 00:00:0.0", calendar = "gregorian"
 *
 * A stored number of such a variable is reference + number * unit.  decode.h turns elements into dates as xarray does;
 * here is what it is made of, exactly.
 */
#ifndef ZINC_UNITS_H
#define ZINC_UNITS_H

#include "base/base.h"
#include "cf/calendar.h"

/* zinc_time_units, of "<unit> since <date>" */
typedef struct zinc_time_units {
	zinc_calendar calendar;
	int64_t unit_ns;        /* nanoseconds in one; months of 360_day and years of noleap are whole days too */
	zinc_instant reference; /* in UTC */
	bool plain_unit;        /* a full English word, which xarray reads itself; others go to cftime */
	bool plain_date;        /* so does a date that pandas reads */
} zinc_time_units;

/* Is it "... since ..."? Then xarray decodes it, or fails. */
bool zinc_units_are_time(const char *units);
/* Parse; `calendar` NULL: standard.  E_INVALID names the attribute. */
zinc_status zinc_time_units_parse(zinc_time_units *out, const char *units, const char *calendar, zinc_error *err);
/* "days", "seconds" ... "nanoseconds", exactly: the units of durations. */
bool zinc_duration_unit(const char *units, int64_t *unit_ns);

/*
 * A date or a time as people write it, in a calendar: the half-open period [first, after) that it names.
 *
 *     2020            a year          2020-01-03T12       an hour
 *     2020-01         a month         2020-01-03 12:30    a minute
 *     2020-01-03      a day           2020-01-03T12:30:15 a second; with a fraction: its last digit, at most 1 ns
 *
 * A zone ("Z", "+01:00") may follow a time.  A period of a coordinate is all elements with
 * first <= instant < after.  Returns how many bytes were read, 0 when there is no date.
 */
size_t zinc_date_parse(zinc_calendar c, const char *text, zinc_instant *first, zinc_instant *after);

/* "2020-01-03T12:00:00", a fraction of 6 or 9 digits when there is one; at most 63 bytes and NUL. */
void zinc_date_print(zinc_calendar c, zinc_instant at, char text[64]);

#endif
