/*
 * calendar.h - the calendars of the CF conventions, and instants in them
 *
 * A day is a number: days since 1970-01-01 of the same calendar.  An instant is a day and the nanoseconds in it.  The
 * instants of one calendar compare; those of two calendars do not.
 */
#ifndef ZINC_CALENDAR_H
#define ZINC_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum zinc_calendar {
	ZINC_CALENDAR_STANDARD,  /* Julian to 1582-10-04, then Gregorian from 1582-10-15; no year 0 */
	ZINC_CALENDAR_PROLEPTIC, /* Gregorian always, as NumPy's */
	ZINC_CALENDAR_JULIAN,    /* no year 0 */
	ZINC_CALENDAR_NOLEAP,
	ZINC_CALENDAR_ALL_LEAP,
	ZINC_CALENDAR_360_DAY,
	ZINC_CALENDAR_TAI /* as PROLEPTIC */
} zinc_calendar;

typedef struct zinc_date {
	int64_t year;   /* the year before 1 is -1 in calendars without a year 0 */
	int month, day; /* from 1 */
} zinc_date;

typedef struct zinc_instant {
	int64_t day; /* since 1970-01-01 */
	int64_t ns;  /* 0 <= ns < ZINC_DAY_NS */
} zinc_instant;

#define ZINC_DAY_NS     INT64_C(86400000000000)
#define ZINC_SECOND_NS  INT64_C(1000000000)
#define ZINC_YEAR_LIMIT INT64_C(1000000000000) /* years beyond these, to either side, are no dates */

/* The calendar of a name of the conventions, in any case; false when there is none. */
bool zinc_calendar_find(zinc_calendar *out, const char *name);
/* The name of the conventions: "standard", "360_day". */
const char *zinc_calendar_name(zinc_calendar c);
/* 28 to 31; 0 when the calendar has no such month or year. */
int zinc_calendar_month_days(zinc_calendar c, int64_t year, int month);
/* The day of a date; false when the calendar does not have it. */
bool zinc_calendar_day(zinc_calendar c, zinc_date date, int64_t *day);
/* The date of a day; false far beyond ZINC_YEAR_LIMIT. */
bool zinc_calendar_date(zinc_calendar c, int64_t day, zinc_date *date);
/* The first day of the month after that of `date`, or of the next year if `year` is set; false beyond the limit. */
bool zinc_calendar_next(zinc_calendar c, zinc_date date, bool year, zinc_date *next);

/* -1, 0 or 1 */
int zinc_instant_compare(zinc_instant a, zinc_instant b);
/* at + count * unit_ns (> 0), exactly; false when the day does not fit. */
bool zinc_instant_add(zinc_instant at, int64_t count, int64_t unit_ns, zinc_instant *out);
/* Whole units of `unit_ns` (that divide a day) since 1970-01-01, rounded down; false when they do not fit. */
bool zinc_instant_count(zinc_instant at, int64_t unit_ns, int64_t *count);
/* The instant that is `count` units of `unit_ns` after 1970-01-01. */
zinc_instant zinc_instant_of_count(int64_t count, int64_t unit_ns);

#endif
