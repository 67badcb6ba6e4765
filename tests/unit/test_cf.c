/* test_cf.c - units of time, dates as text, and elements decoded as xarray decodes them */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "cf/decode.h"
#include "sweep.h"
#include "test.h"

/* ---- (1) (2) (3) units and dates ---- */

static const char *
date_of(const char *units, const char *calendar)
{
	static char text[64];
	zinc_time_units u;

	if (zinc_time_units_parse(&u, units, calendar, NULL) != ZINC_OK)
		return "none";
	zinc_date_print(u.calendar, u.reference, text);
	return text;
}

static void
test_references(void **state)
{
	static const char *const rows[][3] = {
	    {"days since 2000-1-1", NULL, "2000-01-01T00:00:00"},
	    {"Days Since 2000-01-01 00:00:0.0", "standard", "2000-01-01T00:00:00"},
	    {"hrs since 2000-01-01T12:30:15.25Z", "noleap", "2000-01-01T12:30:15.250000"},
	    {"s since 2000-01-01 00:00:00 +01:00", "360_day", "1999-12-30T23:00:00"},
	    {"s since 2000-01-01 -6:00", NULL, "2000-01-01T06:00:00"},
	    {"s since 2000-01-01 6:30 -0630", NULL, "2000-01-01T13:00:00"},
	    {"s since -100-03-01 UTC", "julian", "-0100-03-01T00:00:00"},
	    {"s since 0-01-01", "noleap", "0000-01-01T00:00:00"},
	    {"s since 20000131", NULL, "2000-01-31T00:00:00"},
	    {"s since 2000/01/31", NULL, "2000-01-31T00:00:00"},
	    {"\tdays\tsince 1970-01-01 00:00:00.123456789", NULL, "1970-01-01T00:00:00.123456789"},
	    {"months since 2000-01-01", "360_day", "2000-01-01T00:00:00"},
	    {"common_years since 2000-01-01", "365_day", "2000-01-01T00:00:00"},
	    {"months since 2000-01-01", "noleap", "none"},
	    {"common_years since 2000-01-01", "360_day", "none"},
	    {"weeks since 2000-01-01", NULL, "none"},
	    {"days since 0000-01-01", NULL, "none"},
	    {"days since 1582-10-10", "gregorian", "none"},
	    {"days since 2000-02-30", NULL, "none"},
	    {"days since 2000-01-01 foo", NULL, "none"},
	    {"days since 2000-01-01 24:00", NULL, "none"},
	    {"days since 01-01-2000", NULL, "none"},
	    {"days since 2000-01-01 00:00:00 +25:00", NULL, "none"},
	    {"days since", NULL, "none"},
	    {"since 2000-01-01", NULL, "none"},
	    {"", NULL, "none"},
	    {"days since 2000-01-01", "none", "none"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		if (strcmp(date_of(rows[i][0], rows[i][1]), rows[i][2]) != 0)
			fail_msg("%s: %s", rows[i][0], date_of(rows[i][0], rows[i][1]));
}

/* What pandas does not read is computed by cftime. */
static void
test_plain_dates(void **state)
{
	static const char *const plain[] = {"2000-01-01",       "2000-01-01 12:00 UTC", "2000-01-01 12Z",
					    "2000-01-01 -6:00", "2000-01-01 -0600",     "2000-01-01 0:0 +05:30"};
	static const char *const others[] = {"+2000-01-01",       "2000-01-01 UTC", "2000-01-01Z",
					     "2000-01-01 +05:30", "2000-01-01 -6",  "2000-01-01 12:00 utc",
					     "-100-01-01"};
	zinc_time_units u;
	char text[80];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(plain) + COUNT(others); i++) {
		const bool is_plain = i < COUNT(plain);

		snprintf(text, sizeof text, "days since %s", is_plain ? plain[i] : others[i - COUNT(plain)]);
		assert_int_equal(zinc_time_units_parse(&u, text, NULL, NULL), ZINC_OK);
		if (u.plain_date != is_plain)
			fail_msg("%s", text);
	}
}

static void
test_periods(void **state)
{
	static const char *const rows[][3] = {
	    {"2020", "2020-01-01T00:00:00", "2021-01-01T00:00:00"},
	    {"2020-12", "2020-12-01T00:00:00", "2021-01-01T00:00:00"},
	    {"2020-02-28", "2020-02-28T00:00:00", "2020-02-29T00:00:00"},
	    {"2020-02-28T23", "2020-02-28T23:00:00", "2020-02-29T00:00:00"},
	    {"2020-02-28 23:59", "2020-02-28T23:59:00", "2020-02-29T00:00:00"},
	    {"2020-02-28 23:59:59.5", "2020-02-28T23:59:59.500000", "2020-02-28T23:59:59.600000"},
	};
	zinc_instant first, after;
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(zinc_date_parse(ZINC_CALENDAR_STANDARD, rows[i][0], &first, &after),
				 strlen(rows[i][0]));
		zinc_date_print(ZINC_CALENDAR_STANDARD, first, text);
		assert_string_equal(text, rows[i][1]);
		zinc_date_print(ZINC_CALENDAR_STANDARD, after, text);
		assert_string_equal(text, rows[i][2]);
	}
	assert_int_equal(zinc_date_parse(ZINC_CALENDAR_STANDARD, "2020-01-01..2021", &first, &after), 10);
	assert_int_equal(zinc_date_parse(ZINC_CALENDAR_STANDARD, "x", &first, &after), 0);
}

/* ---- arrays ---- */

static zinc_array *
array_of(stage *s, const char *dtype, const char *attributes, const void *elements, uint64_t n)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	char name[16];

	snprintf(name, sizeof name, "a%d", number++);
	assert_ok(zinc_array_create(
	    &a, s->h, name,
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &n, .dtype = dtype, .attributes = attributes, .codecs = "none"),
	    &err));
	if (n > 0)
		assert_ok(zinc_array_write_text(
		    a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, (void *)(uintptr_t)elements, n * zinc_array_element_size(a)),
		    NULL, &err));
	return a;
}

/* All decoded elements as one text. */
static const char *
decode(stage *s, const char *dtype, const char *attributes, const void *elements, uint64_t n)
{
	static char out[1024];
	zinc_array *a = array_of(s, dtype, attributes, elements, n);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_cf_about about = ZINC_CF_ABOUT_INIT;
	uint64_t decoded[16];
	char text[64];
	size_t i, at;
	zinc_cf *cf;

	if (zinc_cf_open(&cf, a, &err) != ZINC_OK) {
		snprintf(out, sizeof out, "%s", err.text);
		zinc_array_close(a);
		return out;
	}
	zinc_array_close(a);
	assert_ok(zinc_cf_describe(cf, &about, &err));
	at = (size_t)snprintf(out, sizeof out, "%s", about.numpy ? about.numpy : "plain");
	if (zinc_cf_decode(cf, elements, (size_t)n, decoded, &err) != ZINC_OK)
		snprintf(out, sizeof out, "%s", err.text);
	for (i = 0; i < n && !err.code && about.kind != ZINC_CF_PLAIN; i++) {
		if (about.type == ZINC_FLOAT64)
			snprintf(text, sizeof text, "%.17g", ((double *)decoded)[i]);
		else if (about.type == ZINC_FLOAT32)
			snprintf(text, sizeof text, "%.9g", (double)((float *)decoded)[i]);
		else if (about.type == ZINC_UINT8 || about.type == ZINC_BOOL)
			snprintf(text, sizeof text, "%u", (unsigned)((uint8_t *)decoded)[i]);
		else if (about.kind >= ZINC_CF_TIME)
			assert_ok(zinc_cf_print(cf, &decoded[i], text, &err));
		else
			snprintf(text, sizeof text, "%lld", (long long)decoded[i]);
		at += (size_t)snprintf(out + at, sizeof out - at, " %s", text);
	}
	zinc_cf_close(cf);
	return out;
}

struct row {
	const char *dtype, *attributes, *wanted;
};

static void
decode_rows(const struct row *rows, size_t nrows, const void *elements, uint64_t n)
{
	stage s;
	size_t i;

	stage_open(&s, 1, 0);
	for (i = 0; i < nrows; i++) {
		const char *got = decode(&s, rows[i].dtype, rows[i].attributes, elements, n);

		if (!strstr(got, rows[i].wanted))
			fail_msg("%s of %s: %s", rows[i].attributes, rows[i].dtype, got);
	}
	stage_close(&s);
}

/* ---- (5) (6) numbers ---- */

static void
test_numbers(void **state)
{
	static const int16_t shorts[] = {1, -1, 3};
	static const struct row rows[] = {
	    {"int16", "{}", "plain"},
	    {"int16", "{\"scale_factor\":0.1,\"add_offset\":0.3}",
	     "<f8 0.40000000000000002 0.19999999999999998 0.60000000000000009"},
	    {"int16", "{\"_FillValue\":-1}", "<f4 1 nan 3"},
	    {"int16", "{\"_FillValue\":-1,\"missing_value\":[[3],null]}", "<f4 1 nan nan"},
	    {"int16", "{\"missing_value\":\"none\"}", "<f4 1 -1 3"},
	    {"int16", "{\"missing_value\":null}", "plain"},
	    {"int16", "{\"missing_value\":3.0,\"scale_factor\":2}", "<f8 2 -2 nan"},
	    {"int16", "{\"scale_factor\":2}", "<i8 2 -2 6"},
	    {"int16", "{\"scale_factor\":2,\"add_offset\":1}", "<f8 3 -1 7"},
	    {"int16", "{\"scale_factor\":[0.5]}", "<f8 0.5 -0.5 1.5"},
	    {"int16", "{\"scale_factor\":null}", "<f4 1 -1 3"},
	    {"int16", "{\"_Unsigned\":\"true\",\"_FillValue\":-1}", "<f4 1 nan 3"},
	    {"int16", "{\"_Unsigned\":\"true\",\"add_offset\":0.5}", "<f8 1.5 65535.5 3.5"},
	    {"int16", "{\"dtype\":\"bool\"}", "|b1 1 1 1"},
	};

	(void)state;
	decode_rows(rows, COUNT(rows), shorts, COUNT(shorts));
}

static void
test_floats(void **state)
{
	static const float floats[] = {1.5f, -9999, 0.1f};
	static const int8_t bytes[] = {0, -1, 2};
	static const struct row rows[] = {
	    {"float32", "{\"_FillValue\":\"AAAAAICHw8A=\"}", "<f4 1.5 nan 0.100000001"},
	    {"float32", "{\"_FillValue\":-9999}", "<f4 1.5 nan 0.100000001"},
	    {"float32", "{\"missing_value\":0.1}", "<f4 1.5 -9999 0.100000001"},
	    {"float32", "{\"missing_value\":[],\"scale_factor\":0.1}", "<f4 0.150000006 -999.900024 0.0100000007"},
	    {"float32", "{\"scale_factor\":2}", "<f8 3 -19998"},
	};
	static const struct row of_bytes[] = {
	    {"int8", "{\"_Unsigned\":\"true\"}", "|u1 0 255 2"},
	    {"int8", "{\"_Unsigned\":true}", "plain"},
	    {"int8", "{\"dtype\":\"bool\",\"_FillValue\":0}", "|b1 1 1 1"},
	};

	(void)state;
	decode_rows(rows, COUNT(rows), floats, COUNT(floats));
	decode_rows(of_bytes, COUNT(of_bytes), bytes, COUNT(bytes));
}

/* ---- (4) wrong attributes ---- */

static void
test_wrong_attributes(void **state)
{
	static const int32_t numbers[] = {1, 2};
	static const struct row rows[] = {
	    {"int32", "{\"scale_factor\":\"0.1\"}", "attribute \"scale_factor\""},
	    {"int32", "{\"add_offset\":[1,2]}", "attribute \"add_offset\""},
	    {"int32", "{\"missing_value\":{\"a\":1}}", "attribute \"missing_value\""},
	    {"int32", "{\"_FillValue\":{}}", "attribute \"_FillValue\""},
	    {"int32", "{\"units\":\"meters since birth\"}", "attribute \"units\""},
	    {"int32", "{\"units\":\"days since 2000-01-01\",\"calendar\":5}", "attribute \"calendar\""},
	    {"int32", "{\"units\":\"days since 2000-01-01\",\"calendar\":\"utc\"}", "attribute \"calendar\""},
	    {"int32", "{\"units\":\"days\",\"dtype\":\"timedelta64[xx]\"}", "attribute \"dtype\""},
	    {"int32", "{\"units\":5,\"calendar\":7,\"dtype\":[],\"_Unsigned\":{}}", "plain"},
	    {"complex64", "{\"scale_factor\":2.0}", "attribute \"scale_factor\""},
	};

	(void)state;
	decode_rows(rows, COUNT(rows), numbers, 1);
}

/* ---- (7) (8) times ---- */

static void
test_times(void **state)
{
	static const int64_t counts[] = {0, INT64_MIN, 59};
	static const struct row rows[] = {
	    {"int64", "{\"units\":\"days since 2000-01-01\"}", "<M8[ns] 2000-01-01T00:00:00 NaT 2000-02-29T00:00:00"},
	    {"int64", "{\"units\":\"days since 2000-01-01\",\"calendar\":\"noleap\"}",
	     "<U32 2000-01-01T00:00:00 NaT 2000-03-01T00:00:00"},
	    {"int64", "{\"units\":\"days since 2000-01-01\",\"calendar\":\"360_day\",\"missing_value\":0}",
	     "<U32 NaT NaT 2000-02-30T00:00:00"},
	    {"int64", "{\"units\":\"days since 1582-10-01\"}", "<U32 1582-10-01T00:00:00 NaT 1582-12-09T00:00:00"},
	    {"int64", "{\"units\":\"days since 0001-01-01\",\"add_offset\":730000.5}", "too large"},
	    {"int64",
	     "{\"units\":\"days since 0001-01-01\",\"add_offset\":730000.5,\"missing_value\":-9223372036854775808}",
	     "<M8[ns] 1999-09-02T12:00:00 NaT 1999-10-31T12:00:00"},
	    {"int64", "{\"units\":\"hours\",\"dtype\":\"timedelta64[s]\"}",
	     "<m8[s] 0 days 00:00:00 NaT 2 days 11:00:00"},
	    {"int64", "{\"units\":\"milliseconds\",\"dtype\":\"timedelta64[s]\"}",
	     "<m8[ms] 0 days 00:00:00 NaT 0 days 00:00:00.059000"},
	    {"int64", "{\"units\":\"hours\"}", "plain"},
	};
	static const struct row empty[] = {
	    {"int64", "{\"units\":\"days since 2000-01-01\"}", "<M8[ns]"},
	    {"int64", "{\"units\":\"days since 2000-01-01\",\"calendar\":\"noleap\"}", "<U32"},
	};
	static const double reals[] = {0.5, NAN, INFINITY, 1e-7};
	static const struct row of_reals[] = {
	    {"float64", "{\"units\":\"days since 2000-01-01\"}",
	     "<M8[ns] 2000-01-01T12:00:00 NaT NaT 2000-01-01T00:00:00.008640"},
	    {"float64", "{\"units\":\"days since 2000-01-01\",\"calendar\":\"julian\"}",
	     "<U32 2000-01-01T12:00:00 NaT NaT 2000-01-01T00:00:00.008640"},
	    {"float64", "{\"units\":\"seconds\",\"dtype\":\"timedelta64[s]\"}",
	     "<m8[ns] 0 days 00:00:00.500000 NaT NaT 0 days 00:00:00.000000099"},
	};
	static const int64_t far[] = {0, INT64_MAX};
	static const struct row too_far[] = {
	    {"int64", "{\"units\":\"days since 2000-01-01\"}", "too large"},
	    {"int64", "{\"units\":\"days\",\"dtype\":\"timedelta64[ns]\"}", "too large"},
	};
	static const uint64_t large[] = {UINT64_MAX, 1};
	static const struct row unsigned_rows[] = {
	    {"uint64", "{\"units\":\"days since 2000-01-01\"}", "too large"},
	    {"uint64", "{\"units\":\"days since 2000-01-01\",\"_FillValue\":18446744073709551615}",
	     "<M8[ns] NaT 2000-01-02"},
	};

	(void)state;
	decode_rows(rows, COUNT(rows), counts, COUNT(counts));
	decode_rows(of_reals, COUNT(of_reals), reals, COUNT(reals));
	decode_rows(too_far, COUNT(too_far), far, COUNT(far));
	decode_rows(unsigned_rows, COUNT(unsigned_rows), large, COUNT(large));
	decode_rows(empty, COUNT(empty), counts, 0);
}

/* ---- (9) elements do not depend on others ---- */

static void
test_parts(void **state)
{
	static const int32_t days[] = {0, 1000000, 5};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_cf_about about = ZINC_CF_ABOUT_INIT;
	int64_t all[3], one;
	zinc_calendar c;
	zinc_instant at;
	zinc_array *a;
	zinc_cf *cf;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	a = array_of(&s, "int32", "{\"units\":\"days since 2000-01-01\",\"long_name\":\"t\"}", days, COUNT(days));
	assert_ok(zinc_cf_open(&cf, a, &err));
	assert_ok(zinc_cf_describe(cf, &about, &err));
	assert_true(about.kind == ZINC_CF_DATE && zinc_cf_calendar(cf, &c) && c == ZINC_CALENDAR_STANDARD);
	assert_string_equal(about.long_name, "t");
	assert_string_equal(about.units, "days since 2000-01-01");
	assert_ok(zinc_cf_decode(cf, days, 3, all, &err));
	assert_ok(zinc_cf_decode(cf, &days[2], 1, &one, &err));
	assert_true(one == all[2] && zinc_cf_instant(cf, one, &at) && at.day == 10957 + 5 && at.ns == 0);
	assert_false(zinc_cf_instant(cf, INT64_MIN, &at));
	zinc_cf_close(cf);
	zinc_array_close(a);
	stage_close(&s);
}

static zinc_status
sweep_open(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char *const dims[] = {"time"};
	const uint64_t shape[] = {4};
	zinc_hierarchy *h = NULL;
	zinc_store *store = NULL;
	zinc_array *a = NULL;
	zinc_cf *cf = NULL;
	zinc_status st = zinc_store_open(&store, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1), err);
	if (st == ZINC_OK)
		st = zinc_array_create(
		    &a, h, "time",
		    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int32", .dimension_names = dims,
				       .attributes = "{\"units\":\"days since 2000-01-01\",\"long_name\":"
						     "\"t\",\"missing_value\":[1,2,3,4,5]}"),
		    err);
	if (st == ZINC_OK)
		st = zinc_cf_open(&cf, a, err);
	zinc_cf_close(cf);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	return st;
}

static void
every_allocation_may_fail(void **state)
{
	(void)state;
	assert_true(sweep_alloc(sweep_open, NULL) > 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_references),
	    cmocka_unit_test(test_plain_dates),
	    cmocka_unit_test(test_periods),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_floats),
	    cmocka_unit_test(test_wrong_attributes),
	    cmocka_unit_test(test_times),
	    cmocka_unit_test(test_parts),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
