/*
 * face_v3_time.c - dates and spans of time as integers with the units of the CF conventions
 *
 * CF counts days, hours, minutes, seconds and parts of seconds.  Promises (tests/unit/test_face_v3.c names each by its
 * number):
 *
 * (1) Conversions are exact, or E_RANGE.  Weeks become days, 25 s become seconds; months and years of dates become days
 *     of the proleptic Gregorian calendar.
 * (2) NaT, the lowest integer, stays.  A value that would become NaT by conversion is E_RANGE.
 * (3) Spans of months and years have no length in any other unit.  Their unit is written as "calendar_months", which no
 *     reader converts.
 */
#include <stdlib.h>
#include <string.h>

#include "face_v3.h"

#define NAT INT64_MIN

static const struct {
	const char *numpy, *cf;
	int64_t factor;
	int months;
} units[] = {
    {"Y", "days", 1, 12},
    {"M", "days", 1, 1},
    {"W", "days", 7, 0},
    {"D", "days", 1, 0},
    {"h", "hours", 1, 0},
    {"m", "minutes", 1, 0},
    {"s", "seconds", 1, 0},
    {"ms", "milliseconds", 1, 0},
    {"us", "microseconds", 1, 0},
    {"\xc2\xb5s", "microseconds", 1, 0},
    {"\xce\xbcs", "microseconds", 1, 0},
    {"ns", "nanoseconds", 1, 0},
    {"ps", "picoseconds", 1, 0},
    {"fs", "femtoseconds", 1, 0},
    {"as", "attoseconds", 1, 0},
    {"generic", NULL, 1, 0},
};

static void
set_rule(struct time_rule *out, size_t i, int64_t scale, bool date)
{
	*out = (struct time_rule){units[i].cf, units[i].factor * scale, 0};
	if (units[i].months && date) {
		out->factor = 1;
		out->months = (int)(units[i].months * scale);
	} else if (units[i].months) {
		out->unit = "calendar_months";
		out->factor = units[i].months * scale;
	}
}

zinc_status
time_rule_of(struct time_rule *out, const char *configuration, bool date, zinc_error *err)
{
	char *json = json_member(configuration, "unit"), *unit = json_string(json),
	     *factor = json_member(configuration, "scale_factor");
	uint64_t scale = 1;
	size_t i, found = sizeof units / sizeof units[0];

	if (factor && (!json_number(factor, &scale) || scale == 0 || scale > INT32_MAX))
		scale = 0;
	for (i = 0; unit && i < sizeof units / sizeof units[0]; i++)
		if (!strcmp(units[i].numpy, unit))
			found = i;
	free(json);
	free(unit);
	free(factor);
	if (scale == 0 || found == sizeof units / sizeof units[0] || (units[found].months && scale > INT32_MAX / 12))
		return face_fail(err, ZINC_E_UNSUPPORTED, "a unit of time that has no name in the CF conventions");
	set_rule(out, found, (int64_t)scale, date);
	return ZINC_OK;
}

bool
time_is_same(const struct time_rule *r)
{
	return r->months == 0 && r->factor == 1;
}

static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Days from 1970-01-01 to the first of the month that many months later.  The calendar repeats after 400 years. */
static bool
days_of_months(int64_t months, int64_t *out)
{
	static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	int64_t year, cycle, days;
	const int64_t month = months - floor_div(months, 12) * 12;

	year = floor_div(months, 12) + 1970 - 2000; /* 2000 begins a cycle */
	cycle = floor_div(year, 400);
	year -= cycle * 400;
	days = year * 365 + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400 + before[month];
	if (month > 1 && (year % 4 == 0 && (year % 100 != 0 || year == 0)))
		days++;
	days += 10957; /* 2000-01-01 */
	return !__builtin_mul_overflow(cycle, (int64_t)146097, out) && !__builtin_add_overflow(*out, days, out);
}

static bool
convert(const struct time_rule *r, int64_t *v)
{
	int64_t months;

	if (*v == NAT)
		return true;
	if (!r->months)
		return !__builtin_mul_overflow(*v, r->factor, v) && *v != NAT;
	return !__builtin_mul_overflow(*v, (int64_t)r->months, &months) && months < INT64_MAX / 4 &&
	       months > INT64_MIN / 4 && days_of_months(months, v) && *v != NAT;
}

zinc_status
time_convert(const struct time_rule *r, int64_t *v, uint64_t n, zinc_error *err)
{
	uint64_t i;

	if (time_is_same(r))
		return ZINC_OK;
	for (i = 0; i < n; i++)
		if (!convert(r, &v[i]))
			return face_fail(err, ZINC_E_RANGE, "a time does not fit into 64 bits as %s",
					 r->unit ? r->unit : "an integer");
	return ZINC_OK;
}
