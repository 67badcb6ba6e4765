/*
 * calendar.c - the calendars of the CF conventions, and instants in them
 *
 * Promises (tests/unit/test_calendar.c names each by its number):
 *
 * (1) zinc_calendar_day and zinc_calendar_date undo each other, for every date of every calendar within
 *     ZINC_YEAR_LIMIT; consecutive dates have consecutive days.
 * (2) A date that a calendar does not have is told: 1582-10-05 to 1582-10-14 of the standard one, a year 0 of the
 *     standard and the Julian one, 30 February but in 360_day.
 * (3) No arithmetic overflows: what does not fit is false.
 */
#include "cf/calendar.h"

#include <strings.h>

/* ---- names ---- */

static const struct {
	const char *name;
	zinc_calendar calendar;
} names[] = {
    {"standard", ZINC_CALENDAR_STANDARD}, {"proleptic_gregorian", ZINC_CALENDAR_PROLEPTIC},
    {"julian", ZINC_CALENDAR_JULIAN},     {"noleap", ZINC_CALENDAR_NOLEAP},
    {"all_leap", ZINC_CALENDAR_ALL_LEAP}, {"360_day", ZINC_CALENDAR_360_DAY},
    {"tai", ZINC_CALENDAR_TAI},           {"gregorian", ZINC_CALENDAR_STANDARD},
    {"365_day", ZINC_CALENDAR_NOLEAP},    {"366_day", ZINC_CALENDAR_ALL_LEAP},
};

bool
zinc_calendar_find(zinc_calendar *out, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcasecmp(names[i].name, name) == 0) {
			*out = names[i].calendar;
			return true;
		}
	return false;
}

const char *
zinc_calendar_name(zinc_calendar c)
{
	return names[c].name; /* the first row of each */
}

/* ---- months and years ----
 *
 * Years are astronomical inside: the one before 1 is 0 in every calendar.
 */

#define REFORM_YEAR 1582      /* its October is short: the 15th follows the 4th */
#define REFORM_DAY  (-141427) /* 1582-10-15 */

static bool
has_year_zero(zinc_calendar c)
{
	return c != ZINC_CALENDAR_STANDARD && c != ZINC_CALENDAR_JULIAN;
}

static bool
is_leap(zinc_calendar c, int64_t year)
{
	switch (c) {
	case ZINC_CALENDAR_NOLEAP:
	case ZINC_CALENDAR_360_DAY:
		return false;
	case ZINC_CALENDAR_ALL_LEAP:
		return true;
	case ZINC_CALENDAR_JULIAN:
		return year % 4 == 0;
	case ZINC_CALENDAR_STANDARD:
		if (year < REFORM_YEAR)
			return year % 4 == 0;
		/* fallthrough */
	default:
		return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	}
}

static int
days_before(zinc_calendar c, bool leap, int month)
{
	static const int sums[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

	return c == ZINC_CALENDAR_360_DAY ? 30 * (month - 1) : sums[month - 1] + (leap && month > 2);
}

/* The astronomical year; false when the calendar does not have it. */
static bool
inner_year(zinc_calendar c, int64_t year, int64_t *out)
{
	if (year < -ZINC_YEAR_LIMIT || year > ZINC_YEAR_LIMIT || (year == 0 && !has_year_zero(c)))
		return false;
	*out = year + (year < 0 && !has_year_zero(c));
	return true;
}

int
zinc_calendar_month_days(zinc_calendar c, int64_t year, int month)
{
	bool leap;

	if (!inner_year(c, year, &year) || month < 1 || month > 12)
		return 0;
	leap = is_leap(c, year);
	return days_before(c, leap, month + 1) - days_before(c, leap, month);
}

/* ---- days ---- */

static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t
floor_mod(int64_t a, int64_t b)
{
	return a % b + (a % b < 0 ? b : 0);
}

/* From 0000-01-01 to the first day of the year, in each calendar's own rule. */
static int64_t
year_start(zinc_calendar c, int64_t year)
{
	const int64_t before = year - 1;

	switch (c) {
	case ZINC_CALENDAR_360_DAY:
		return year * 360;
	case ZINC_CALENDAR_NOLEAP:
		return year * 365;
	case ZINC_CALENDAR_ALL_LEAP:
		return year * 366;
	case ZINC_CALENDAR_JULIAN:
		return year * 365 + floor_div(before, 4) + 1;
	default:
		return year * 365 + floor_div(before, 4) - floor_div(before, 100) + floor_div(before, 400) + 1;
	}
}

/* The calendar that a date of the standard one belongs to. */
static zinc_calendar
part_of(zinc_calendar c, int64_t year, int month, int day)
{
	if (c != ZINC_CALENDAR_STANDARD)
		return c;
	if (year != REFORM_YEAR)
		return year < REFORM_YEAR ? ZINC_CALENDAR_JULIAN : ZINC_CALENDAR_PROLEPTIC;
	return month < 10 || (month == 10 && day < 15) ? ZINC_CALENDAR_JULIAN : ZINC_CALENDAR_PROLEPTIC;
}

/* Days from 0000-01-01 of a calendar's own rule to its 1970-01-01.  The Julian one counts the standard one's days. */
static int64_t
epoch(zinc_calendar c, bool mixed)
{
	if (c == ZINC_CALENDAR_JULIAN && mixed)
		return year_start(c, REFORM_YEAR) + days_before(c, false, 10) + 4 - REFORM_DAY /* 1582-10-05 */;
	return year_start(c, 1970);
}

bool
zinc_calendar_day(zinc_calendar c, zinc_date date, int64_t *day)
{
	const int length = zinc_calendar_month_days(c, date.year, date.month);
	zinc_calendar part;
	int64_t year;

	if (date.day < 1 || date.day > length || !inner_year(c, date.year, &year))
		return false;
	if (c == ZINC_CALENDAR_STANDARD && year == REFORM_YEAR && date.month == 10 && date.day > 4 && date.day < 15)
		return false;
	part = part_of(c, year, date.month, date.day);
	*day = year_start(part, year) + days_before(part, is_leap(part, year), date.month) + date.day - 1 -
	       epoch(part, part != c);
	return true;
}

/* The astronomical year of a day that counts from 0000-01-01: an estimate from below, then steps. */
static int64_t
year_of(zinc_calendar c, int64_t day)
{
	int64_t year = floor_div(day, 366);

	if (c != ZINC_CALENDAR_ALL_LEAP)
		year = (int64_t)((double)day / (c == ZINC_CALENDAR_360_DAY  ? 360.0
						: c == ZINC_CALENDAR_NOLEAP ? 365.0
						: c == ZINC_CALENDAR_JULIAN ? 365.25
									    : 365.2425));
	while (year_start(c, year) > day)
		year--;
	while (year_start(c, year + 1) <= day)
		year++;
	return year;
}

bool
zinc_calendar_date(zinc_calendar c, int64_t day, zinc_date *date)
{
	const zinc_calendar part = c != ZINC_CALENDAR_STANDARD ? c
				   : day < REFORM_DAY          ? ZINC_CALENDAR_JULIAN
							       : ZINC_CALENDAR_PROLEPTIC;
	int64_t year;
	bool leap;
	int month = 12, rest;

	if (day < -367 * ZINC_YEAR_LIMIT || day > 367 * ZINC_YEAR_LIMIT)
		return false;
	day += epoch(part, part != c);
	year = year_of(part, day);
	leap = is_leap(part, year);
	rest = (int)(day - year_start(part, year));
	while (days_before(part, leap, month) > rest)
		month--;
	date->year = year - (year <= 0 && !has_year_zero(c));
	date->month = month;
	date->day = rest - days_before(part, leap, month) + 1;
	return true;
}

bool
zinc_calendar_next(zinc_calendar c, zinc_date date, bool year, zinc_date *next)
{
	int64_t ignored;

	next->day = 1;
	next->month = year || date.month == 12 ? 1 : date.month + 1;
	next->year = date.year + (next->month == 1);
	if (next->year == 0 && !has_year_zero(c))
		next->year = 1;
	return inner_year(c, next->year, &ignored);
}

/* ---- instants ---- */

int
zinc_instant_compare(zinc_instant a, zinc_instant b)
{
	if (a.day != b.day)
		return a.day < b.day ? -1 : 1;
	return (a.ns > b.ns) - (a.ns < b.ns);
}

bool
zinc_instant_add(zinc_instant at, int64_t count, int64_t unit_ns, zinc_instant *out)
{
	int64_t days, rest, more;

	/* unit_ns = days * ZINC_DAY_NS + rest, so that count * rest is split into days without overflow */
	if (__builtin_mul_overflow(count, unit_ns / ZINC_DAY_NS, &days))
		return false;
	rest = unit_ns % ZINC_DAY_NS;
	if (rest > 0) {
		const int64_t per_day = ZINC_DAY_NS / rest; /* exact: every unit below a day divides it */

		more = floor_div(count, per_day);
		if (__builtin_add_overflow(days, more, &days))
			return false;
		at.ns += floor_mod(count, per_day) * rest;
	}
	if (at.ns >= ZINC_DAY_NS) {
		at.ns -= ZINC_DAY_NS;
		if (__builtin_add_overflow(days, 1, &days))
			return false;
	}
	out->ns = at.ns;
	return !__builtin_add_overflow(at.day, days, &out->day);
}

bool
zinc_instant_count(zinc_instant at, int64_t unit_ns, int64_t *count)
{
	const int64_t per_day = ZINC_DAY_NS / unit_ns;
	int64_t day = at.day, part = at.ns / unit_ns;

	if (day < 0 && part > 0) { /* from the other side, so that the smallest count does not overflow on the way */
		day++;
		part -= per_day;
	}
	return !__builtin_mul_overflow(day, per_day, &day) && !__builtin_add_overflow(day, part, count);
}

zinc_instant
zinc_instant_of_count(int64_t count, int64_t unit_ns)
{
	const int64_t per_day = ZINC_DAY_NS / unit_ns;

	return (zinc_instant){.day = floor_div(count, per_day), .ns = floor_mod(count, per_day) * unit_ns};
}
