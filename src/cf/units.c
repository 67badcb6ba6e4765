/*
 * units.c - the attribute `units` of times, and dates as text
 *
 * What is accepted is what xarray accepts, by pandas or by cftime, as long as the year comes first:
 *
 *     2000-1-1   2000-01-01 00:00:0.0   2000-01-01T00:00:00Z   1-1-1 6:30 -6:00   -100-01-01   2000-01   20000101
 *
 * Promises (tests/unit/test_cf.c names each by its number):
 *
 * (1) A text is read to its end or refused: no part of a date is dropped.
 * (2) A zone is subtracted, whichever the calendar.
 * (3) Months are a unit of 360_day alone, common years of noleap alone.
 */
#include "cf/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- units ---- */

static const struct {
	int64_t ns;
	const char *plain, *others; /* the plural that xarray knows; cftime's, each between blanks */
} units_of_time[] = {
    {1, "nanoseconds", ""},
    {1000, "microseconds", " microsec microsecs "},
    {1000000, "milliseconds", " millisec millisecs msec msecs ms "},
    {ZINC_SECOND_NS, "seconds", " sec secs s "},
    {60 * ZINC_SECOND_NS, "minutes", " min mins "},
    {3600 * ZINC_SECOND_NS, "hours", " hr hrs h "},
    {ZINC_DAY_NS, "days", " d "},
    {30 * ZINC_DAY_NS, NULL, " month months "},
    {365 * ZINC_DAY_NS, NULL, " common_year common_years "},
};
#define NUNITS (sizeof units_of_time / sizeof units_of_time[0])

bool
zinc_duration_unit(const char *units, int64_t *unit_ns)
{
	size_t i;

	for (i = 0; i < NUNITS; i++)
		if (units_of_time[i].plain && strcmp(units, units_of_time[i].plain) == 0) {
			*unit_ns = units_of_time[i].ns;
			return true;
		}
	return false;
}

/* "day" and "days", in any case */
static bool
is_plain(const char *word, size_t n, const char *plain)
{
	const size_t full = strlen(plain);

	return (n == full || n == full - 1) && strncasecmp(word, plain, n) == 0;
}

static bool
is_among(const char *word, size_t n, const char *list)
{
	const char *at;

	for (at = list; *at; at++)
		if (at[0] == ' ' && strncasecmp(at + 1, word, n) == 0 && at[n + 1] == ' ')
			return true;
	return false;
}

static bool
find_unit(zinc_time_units *out, const char *word, size_t n)
{
	size_t i;

	for (i = 0; i < NUNITS; i++) {
		out->plain_unit = units_of_time[i].plain && is_plain(word, n, units_of_time[i].plain);
		out->unit_ns = units_of_time[i].ns;
		if (out->plain_unit || is_among(word, n, units_of_time[i].others))
			break;
	}
	return i < NUNITS && (out->unit_ns != 30 * ZINC_DAY_NS || out->calendar == ZINC_CALENDAR_360_DAY) &&
	       (out->unit_ns != 365 * ZINC_DAY_NS || out->calendar == ZINC_CALENDAR_NOLEAP);
}

/* ---- dates ---- */

struct cursor {
	const char *at;
	int parts;    /* year, month, day, hour, minute, second: how many were there */
	int fraction; /* digits of the fraction */
	int digits_of_year;
	zinc_date date;
	int64_t ns;           /* of the day */
	int64_t zone_minutes; /* east of UTC */
	bool unusual;         /* pandas does not read it */
};

/* 1 to `most` digits; how many, 0 when there are none or more. */
static int
number(struct cursor *c, int most, int64_t *out)
{
	int n = 0;

	*out = 0;
	for (; n <= most && isdigit((unsigned char)c->at[n]); n++)
		if (n < 18)
			*out = *out * 10 + (c->at[n] - '0');
	if (n > most)
		return 0;
	c->at += n;
	return n;
}

static bool
small(struct cursor *c, int least, int most, int *out)
{
	int64_t v;

	if (number(c, 2, &v) == 0 || v < least || v > most)
		return false;
	*out = (int)v;
	return true;
}

/* "20000101", as pandas reads it */
static bool
split_compact(struct cursor *c)
{
	const int64_t v = c->date.year;

	c->date = (zinc_date){.year = v / 10000, .month = (int)(v / 100 % 100), .day = (int)(v % 100)};
	c->parts = 3;
	return true;
}

static bool
parse_day(struct cursor *c)
{
	const bool negative = *c->at == '-';
	char separator;

	c->unusual = *c->at == '+';
	c->at += negative || c->unusual;
	c->digits_of_year = number(c, 13, &c->date.year);
	if (c->digits_of_year == 0)
		return false;
	c->date.month = c->date.day = c->parts = 1;
	separator = *c->at;
	if (c->digits_of_year == 8 && !negative && separator != '-' && separator != '/')
		return split_compact(c);
	if (negative)
		c->date.year = -c->date.year;
	if ((separator != '-' && separator != '/') || !isdigit((unsigned char)c->at[1]))
		return true;
	c->at++;
	if (!small(c, 1, 12, &c->date.month))
		return false;
	c->parts = 2;
	if (*c->at != separator || !isdigit((unsigned char)c->at[1]))
		return true;
	c->at++;
	c->parts = 3;
	return small(c, 1, 31, &c->date.day);
}

/* Digits after the ninth are dropped: pandas does it too. */
static void
parse_fraction(struct cursor *c)
{
	int64_t unit = ZINC_SECOND_NS;

	for (; isdigit((unsigned char)*c->at); c->at++) {
		unit /= 10;
		c->ns += unit * (*c->at - '0');
		c->fraction += unit > 0;
	}
}

/* "12", "12:30", "12:30:15.25" */
static bool
parse_clock(struct cursor *c)
{
	int hour, minute = 0, second = 0;

	if (!small(c, 0, 23, &hour))
		return false;
	c->parts = 4;
	if (*c->at == ':') {
		c->at++;
		if (!small(c, 0, 59, &minute))
			return false;
		c->parts = 5;
	}
	if (*c->at == ':') {
		c->at++;
		if (!small(c, 0, 59, &second))
			return false;
		c->parts = 6;
	}
	c->ns = (hour * 3600 + minute * 60 + second) * ZINC_SECOND_NS;
	if (c->parts == 6 && *c->at == '.' && c->at[1] != '.') {
		c->at++;
		parse_fraction(c);
	}
	return true;
}

/* "Z", "UTC", "GMT", "+01:00", "-6:00", "+0130", "-6" */
static bool
parse_zone(struct cursor *c)
{
	const char sign = *c->at;
	int64_t hours, minutes = 0;
	int n;

	if (strncasecmp(c->at, "UTC", 3) == 0 || strncasecmp(c->at, "GMT", 3) == 0) {
		c->at += 3;
		return true;
	}
	c->at++;
	if (sign == 'Z' || sign == 'z')
		return true;
	n = number(c, 4, &hours);
	if (n == 0 || n == 3)
		return false;
	if (n == 4) {
		minutes = hours % 100;
		hours /= 100;
	} else if (*c->at == ':') {
		c->at++;
		if (number(c, 2, &minutes) == 0)
			return false;
	}
	c->zone_minutes = (hours * 60 + minutes) * (sign == '-' ? -1 : 1);
	return hours < 24 && minutes < 60;
}

/* Does pandas read the zone that was just read?  After a date without a time only "-6:00": as six o'clock, which is the
 * same. */
static bool
is_usual_zone(const struct cursor *c, const char *zone)
{
	const size_t n = (size_t)(c->at - zone);

	if (c->parts == 3)
		return *zone == '-' && n > 3;
	return !isalpha((unsigned char)*zone) || n == 1 || strncmp(zone, "UTC", n) == 0 || strncmp(zone, "GMT", n) == 0;
}

static const char *
skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
		at++;
	return at;
}

static bool
starts_zone(const char *at)
{
	return *at == '+' || *at == '-' || *at == 'Z' || *at == 'z' || strncasecmp(at, "UTC", 3) == 0 ||
	       strncasecmp(at, "GMT", 3) == 0;
}

static bool
parse_instant(struct cursor *c)
{
	const char *next;

	if (!parse_day(c))
		return false;
	next = *c->at == 'T' || *c->at == 't' ? c->at + 1 : skip_blanks(c->at);
	if (c->parts == 3 && next > c->at && isdigit((unsigned char)*next)) {
		c->at = next;
		if (!parse_clock(c))
			return false;
	}
	next = skip_blanks(c->at);
	if (c->parts < 3 || !starts_zone(next))
		return true;
	c->at = next;
	if (!parse_zone(c))
		return false;
	c->unusual |= !is_usual_zone(c, next);
	return true;
}

/* The first instant, in UTC. */
static bool
begin(zinc_calendar calendar, const struct cursor *c, zinc_instant *out)
{
	zinc_instant at = {.ns = c->ns};

	return zinc_calendar_day(calendar, c->date, &at.day) &&
	       zinc_instant_add(at, -c->zone_minutes, 60 * ZINC_SECOND_NS, out);
}

static bool
end(zinc_calendar calendar, const struct cursor *c, zinc_instant first, zinc_instant *out)
{
	int64_t unit = ZINC_SECOND_NS;
	zinc_date next;
	int i;

	if (c->parts < 3) {
		*out = (zinc_instant){0};
		return zinc_calendar_next(calendar, c->date, c->parts == 1, &next) &&
		       zinc_calendar_day(calendar, next, &out->day);
	}
	for (i = 0; i < c->fraction; i++)
		unit /= 10;
	return zinc_instant_add(first, 1,
				c->parts == 3   ? ZINC_DAY_NS
				: c->parts == 4 ? 3600 * ZINC_SECOND_NS
				: c->parts == 5 ? 60 * ZINC_SECOND_NS
						: unit,
				out);
}

size_t
zinc_date_parse(zinc_calendar calendar, const char *text, zinc_instant *first, zinc_instant *after)
{
	struct cursor c = {.at = text};

	if (!parse_instant(&c) || !begin(calendar, &c, first) || !end(calendar, &c, *first, after))
		return 0;
	return (size_t)(c.at - text);
}

void
zinc_date_print(zinc_calendar calendar, zinc_instant at, char text[64])
{
	const int64_t second = at.ns / ZINC_SECOND_NS;
	int64_t fraction = at.ns % ZINC_SECOND_NS;
	zinc_date d = {0};
	int n, digits = 9;

	(void)zinc_calendar_date(calendar, at.day, &d); /* false: a day that no count of 64 bits reaches */
	n = snprintf(text, 64, "%0*" PRId64 "-%02d-%02dT%02d:%02d:%02d", d.year < 0 ? 5 : 4, d.year, d.month, d.day,
		     (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60));
	if (fraction == 0 || n < 0)
		return;
	if (fraction % 1000 == 0) {
		fraction /= 1000;
		digits = 6;
	}
	(void)snprintf(text + n, 64 - (size_t)n, ".%0*" PRId64, digits, fraction);
}

/* ---- the attribute ---- */

bool
zinc_units_are_time(const char *units)
{
	return strstr(units, "since") != NULL;
}

/* pandas reads these itself; cftime, which drops what is beyond microseconds, the others. */
static bool
is_plain_date(const struct cursor *c)
{
	return c->date.year >= 0 && !c->unusual;
}

static bool
parse_reference(zinc_time_units *out, const char *text)
{
	struct cursor c = {.at = text};

	if (!parse_instant(&c) || !begin(out->calendar, &c, &out->reference))
		return false;
	out->plain_date = is_plain_date(&c);
	return *skip_blanks(c.at) == '\0';
}

zinc_status
zinc_time_units_parse(zinc_time_units *out, const char *units, const char *calendar, zinc_error *err)
{
	const char *word = skip_blanks(units), *since, *date;
	const size_t n = strcspn(word, " \t\r\n");

	*out = (zinc_time_units){.calendar = ZINC_CALENDAR_STANDARD};
	if (calendar && !zinc_calendar_find(&out->calendar, calendar))
		return zinc_fail(err, ZINC_E_INVALID, "attribute \"calendar\": no calendar \"%.40s\"", calendar);
	since = skip_blanks(word + n);
	date = since + strcspn(since, " \t\r\n");
	if (date - since != 5 || strncasecmp(since, "since", 5) != 0)
		return zinc_fail(err, ZINC_E_INVALID, "attribute \"units\": no \"<unit> since <date>\" in \"%.80s\"",
				 units);
	if (!find_unit(out, word, n))
		return zinc_fail(err, ZINC_E_INVALID,
				 "attribute \"units\": no unit of time of this calendar: \"%.80s\"", units);
	if (!parse_reference(out, skip_blanks(date)))
		return zinc_fail(err, ZINC_E_INVALID,
				 "attribute \"units\": no date of the calendar %s, year first, in \"%.80s\"",
				 zinc_calendar_name(out->calendar), units);
	return ZINC_OK;
}
