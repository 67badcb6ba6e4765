/* test_calendar.c - dates and days of every calendar, and instants */
#include <string.h>

#include "cf/calendar.h"
#include "test.h"

#define ALL ZINC_CALENDAR_TAI

/* ---- (1) dates and days ---- */

static void
test_both_ways(void **state)
{
	zinc_date d, next;
	int64_t day, back;
	int c;

	(void)state;
	for (c = 0; c <= ALL; c++)
		for (day = -1000000; day<1000000; day += day> - 142000 && day < -140000 ? 1 : 37) {
			assert_true(zinc_calendar_date((zinc_calendar)c, day, &d));
			assert_true(zinc_calendar_day((zinc_calendar)c, d, &back));
			assert_int_equal(back, day);
			assert_true(zinc_calendar_date((zinc_calendar)c, day + 1, &next));
			assert_true(next.day == d.day + 1 || next.day == 1 || (d.day == 4 && next.day == 15));
		}
}

/* Days of cftime 1.6. */
static void
test_known_days(void **state)
{
	static const struct {
		zinc_calendar c;
		zinc_date date;
		int64_t day;
	} rows[] = {
	    {ZINC_CALENDAR_STANDARD, {1970, 1, 1}, 0},         {ZINC_CALENDAR_STANDARD, {2000, 2, 29}, 11016},
	    {ZINC_CALENDAR_STANDARD, {1582, 10, 15}, -141427}, {ZINC_CALENDAR_STANDARD, {1582, 10, 4}, -141428},
	    {ZINC_CALENDAR_STANDARD, {1, 1, 1}, -719164},      {ZINC_CALENDAR_STANDARD, {-1, 12, 31}, -719165},
	    {ZINC_CALENDAR_PROLEPTIC, {1582, 10, 4}, -141438}, {ZINC_CALENDAR_PROLEPTIC, {0, 12, 31}, -719163},
	    {ZINC_CALENDAR_JULIAN, {1900, 2, 29}, -25509},     {ZINC_CALENDAR_JULIAN, {-1, 2, 29}, -719484},
	    {ZINC_CALENDAR_NOLEAP, {2000, 3, 1}, 11009},       {ZINC_CALENDAR_ALL_LEAP, {1999, 2, 29}, 10673},
	    {ZINC_CALENDAR_360_DAY, {2000, 2, 30}, 10859},
	};
	int64_t day;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_true(zinc_calendar_day(rows[i].c, rows[i].date, &day));
		if (day != rows[i].day)
			fail_msg("row %zu: %lld", i, (long long)day);
	}
}

/* ---- (2) dates that do not exist ---- */

static void
test_no_dates(void **state)
{
	static const struct {
		zinc_calendar c;
		zinc_date date;
	} rows[] = {
	    {ZINC_CALENDAR_STANDARD, {1582, 10, 5}}, {ZINC_CALENDAR_STANDARD, {1582, 10, 14}},
	    {ZINC_CALENDAR_STANDARD, {0, 1, 1}},     {ZINC_CALENDAR_JULIAN, {0, 1, 1}},
	    {ZINC_CALENDAR_STANDARD, {1900, 2, 29}}, {ZINC_CALENDAR_NOLEAP, {2000, 2, 29}},
	    {ZINC_CALENDAR_ALL_LEAP, {2000, 2, 30}}, {ZINC_CALENDAR_360_DAY, {2000, 1, 31}},
	    {ZINC_CALENDAR_PROLEPTIC, {2000, 0, 1}}, {ZINC_CALENDAR_PROLEPTIC, {2000, 13, 1}},
	    {ZINC_CALENDAR_PROLEPTIC, {2000, 1, 0}}, {ZINC_CALENDAR_PROLEPTIC, {ZINC_YEAR_LIMIT + 1, 1, 1}},
	};
	int64_t day;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		assert_false(zinc_calendar_day(rows[i].c, rows[i].date, &day));
	assert_int_equal(zinc_calendar_month_days(ZINC_CALENDAR_STANDARD, 1500, 2), 29);
	assert_int_equal(zinc_calendar_month_days(ZINC_CALENDAR_360_DAY, 1500, 2), 30);
}

static void
test_next(void **state)
{
	zinc_date next;

	(void)state;
	assert_true(zinc_calendar_next(ZINC_CALENDAR_JULIAN, (zinc_date){-1, 12, 5}, false, &next));
	assert_true(next.year == 1 && next.month == 1 && next.day == 1);
	assert_true(zinc_calendar_next(ZINC_CALENDAR_NOLEAP, (zinc_date){-1, 3, 5}, true, &next));
	assert_true(next.year == 0 && next.month == 1);
	assert_false(zinc_calendar_next(ZINC_CALENDAR_NOLEAP, (zinc_date){ZINC_YEAR_LIMIT, 3, 5}, true, &next));
}

/* ---- (3) no overflow ---- */

static void
test_ends(void **state)
{
	static const int64_t units[] = {1, 1000, 1000000, ZINC_SECOND_NS, 60 * ZINC_SECOND_NS, 3600 * ZINC_SECOND_NS};
	static const int64_t counts[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
	const zinc_instant at = {.day = INT64_MAX};
	zinc_instant out;
	int64_t count;
	zinc_date d;
	size_t i, k;

	(void)state;
	assert_false(zinc_calendar_date(ZINC_CALENDAR_JULIAN, INT64_MAX, &d));
	assert_false(zinc_calendar_date(ZINC_CALENDAR_STANDARD, INT64_MIN, &d));
	for (i = 0; i < COUNT(units); i++)
		for (k = 0; k < COUNT(counts); k++) {
			out = zinc_instant_of_count(counts[k], units[i]);
			assert_true(out.ns >= 0 && out.ns < ZINC_DAY_NS);
			assert_true(zinc_instant_count(out, units[i], &count));
			assert_int_equal(count, counts[k]);
		}
	assert_false(zinc_instant_add(at, 1, ZINC_DAY_NS, &out));
	assert_false(zinc_instant_add((zinc_instant){0}, INT64_MAX, 30 * ZINC_DAY_NS, &out));
	assert_false(zinc_instant_count(at, 1, &count));
	assert_true(zinc_instant_add((zinc_instant){.ns = ZINC_DAY_NS - 1}, 1, 1, &out) && out.day == 1 && out.ns == 0);
	assert_int_equal(zinc_instant_compare(out, (zinc_instant){.day = 1}), 0);
	assert_int_equal(zinc_instant_compare(out, (zinc_instant){.day = 1, .ns = 1}), -1);
	assert_int_equal(zinc_instant_compare(out, (zinc_instant){0}), 1);
}

static void
test_names(void **state)
{
	zinc_calendar c;

	(void)state;
	assert_true(zinc_calendar_find(&c, "Gregorian") && c == ZINC_CALENDAR_STANDARD);
	assert_true(zinc_calendar_find(&c, "365_day") && c == ZINC_CALENDAR_NOLEAP);
	assert_string_equal(zinc_calendar_name(c), "noleap");
	assert_string_equal(zinc_calendar_name(ZINC_CALENDAR_TAI), "tai");
	assert_false(zinc_calendar_find(&c, "none"));
	assert_false(zinc_calendar_find(&c, "utc"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_both_ways), cmocka_unit_test(test_known_days), cmocka_unit_test(test_no_dates),
	    cmocka_unit_test(test_next),      cmocka_unit_test(test_ends),       cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
