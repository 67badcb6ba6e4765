/*
 * test_dtype_datetime.c - the promises of dtype_datetime.c, by number
 *
 * Rules of the drafts: 22-132+ 22-133+ 22-134+.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sweep.h"
#include "support/test.h"
#include "support/types.h"

#define NAT INT64_MIN

static const char *const units[] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};

/* ---- (1) text ---- */

/* From Python's integers and calendar; NumPy 2 gives the same values if its own arithmetic does not overflow (years and
 * weeks at either end, scale factors). */
static void
instants(void **state)
{
	static const struct {
		const char *type;
		int64_t v;
		const char *text;
	} rows[] = {
	    {"M8[Y]", INT64_MAX, "9223372036854777777"},
	    {"M8[Y]", -INT64_MAX, "-9223372036854773837"},
	    {"M8[Y]", 0, "1970"},
	    {"M8[Y]", -1, "1969"},
	    {"M8[M]", INT64_MAX, "768614336404566620-08"},
	    {"M8[M]", -INT64_MAX, "-768614336404562681-06"},
	    {"M8[M]", 0, "1970-01"},
	    {"M8[M]", -1, "1969-12"},
	    {"M8[W]", INT64_MAX, "176769144494367851-12-25"},
	    {"M8[W]", -INT64_MAX, "-176769144494363912-01-08"},
	    {"M8[W]", 0, "1970-01-01"},
	    {"M8[W]", -1, "1969-12-25"},
	    {"M8[D]", INT64_MAX, "25252734927768524-07-27"},
	    {"M8[D]", -INT64_MAX, "-25252734927764585-06-08"},
	    {"M8[D]", 0, "1970-01-01"},
	    {"M8[D]", -1, "1969-12-31"},
	    {"M8[h]", INT64_MAX, "1052197288658909-10-10T07"},
	    {"M8[h]", -INT64_MAX, "-1052197288654970-03-24T17"},
	    {"M8[h]", 0, "1970-01-01T00"},
	    {"M8[h]", -1, "1969-12-31T23"},
	    {"M8[m]", INT64_MAX, "17536621479585-08-30T18:07"},
	    {"M8[m]", -INT64_MAX, "-17536621475646-05-04T05:53"},
	    {"M8[m]", 0, "1970-01-01T00:00"},
	    {"M8[m]", -1, "1969-12-31T23:59"},
	    {"M8[s]", INT64_MAX, "292277026596-12-04T15:30:07"},
	    {"M8[s]", -INT64_MAX, "-292277022657-01-27T08:29:53"},
	    {"M8[s]", 0, "1970-01-01T00:00:00"},
	    {"M8[s]", -1, "1969-12-31T23:59:59"},
	    {"M8[ms]", INT64_MAX, "292278994-08-17T07:12:55.807"},
	    {"M8[ms]", -INT64_MAX, "-292275055-05-16T16:47:04.193"},
	    {"M8[ms]", 0, "1970-01-01T00:00:00.000"},
	    {"M8[ms]", -1, "1969-12-31T23:59:59.999"},
	    {"M8[us]", INT64_MAX, "294247-01-10T04:00:54.775807"},
	    {"M8[us]", -INT64_MAX, "-290308-12-21T19:59:05.224193"},
	    {"M8[us]", 0, "1970-01-01T00:00:00.000000"},
	    {"M8[us]", -1, "1969-12-31T23:59:59.999999"},
	    {"M8[ns]", INT64_MAX, "2262-04-11T23:47:16.854775807"},
	    {"M8[ns]", -INT64_MAX, "1677-09-21T00:12:43.145224193"},
	    {"M8[ns]", 0, "1970-01-01T00:00:00.000000000"},
	    {"M8[ns]", -1, "1969-12-31T23:59:59.999999999"},
	    {"M8[ps]", INT64_MAX, "1970-04-17T18:02:52.036854775807"},
	    {"M8[ps]", -INT64_MAX, "1969-09-16T05:57:07.963145224193"},
	    {"M8[ps]", 0, "1970-01-01T00:00:00.000000000000"},
	    {"M8[ps]", -1, "1969-12-31T23:59:59.999999999999"},
	    {"M8[fs]", INT64_MAX, "1970-01-01T02:33:43.372036854775807"},
	    {"M8[fs]", -INT64_MAX, "1969-12-31T21:26:16.627963145224193"},
	    {"M8[fs]", 0, "1970-01-01T00:00:00.000000000000000"},
	    {"M8[fs]", -1, "1969-12-31T23:59:59.999999999999999"},
	    {"M8[as]", INT64_MAX, "1970-01-01T00:00:09.223372036854775807"},
	    {"M8[as]", -INT64_MAX, "1969-12-31T23:59:50.776627963145224193"},
	    {"M8[as]", 0, "1970-01-01T00:00:00.000000000000000000"},
	    {"M8[as]", -1, "1969-12-31T23:59:59.999999999999999999"},
	    {"M8[2147483647W]", INT64_MAX, "379608847095830815186312700-04-12"},
	    {"M8[2147483647as]", -INT64_MAX, "1342-05-04T20:16:20.657287640616271871"},
	    {"M8[2147483647as]", INT64_MAX, "2597-08-29T03:43:39.342712359383728129"},
	    {"M8[2147483647Y]", -INT64_MAX, "-19807040619342712359383726159"},
	    {"M8[25ns]", INT64_MAX, "9276-12-03T18:42:01.369395175"},
	    {"M8[10us]", -1, "1969-12-31T23:59:59.999990"},
	    {"M8[7D]", 3, "1970-01-22"},
	    {"M8[D]", -25567, "1900-01-01"},
	    {"M8[D]", -719529, "-0001-12-31"},
	    {"M8[D]", -719528, "0000-01-01"},
	    {"M8[D]", 11016, "2000-02-29"},
	    {"M8[D]", 11017, "2000-03-01"},
	    {"M8[D]", -719528, "0000-01-01"},
	    {"M8[D]", 2932896, "9999-12-31"},
	    {"M8[D]", 2932897, "10000-01-01"},
	    {"M8[s]", 951782400, "2000-02-29T00:00:00"},
	    {"M8[s]", -2203891201LL, "1900-02-28T23:59:59"},
	    {"M8[s]", -62167219200LL, "0000-01-01T00:00:00"},
	    {"M8[s]", -62167219201LL, "-0001-12-31T23:59:59"},
	    {"M8[s]", -62198755200LL, "-0001-01-01T00:00:00"},
	    {"M8[Y]", -1971, "-0001"},
	    {"M8[Y]", -2014, "-0044"},
	    {"M8[M]", -24166, "-0044-03"},
	    {"M8[D]", -735525, "-0044-03-15"},
	    {"M8[s]", -63549316800LL, "-0044-03-15T12:00:00"},
	    {"M8[Y]", -2969, "-0999"},
	    {"M8[Y]", -2970, "-1000"},
	    {"M8[Y]", -11970, "-10000"},
	    {"M8[Y]", -1970, "0000"},
	    {"M8[Y]", -11970, "-10000"},
	    {"M8[Y]", 8029, "9999"},
	    {"M8[Y]", 8030, "10000"},
	    {"M8[M]", -23641, "-0001-12"},
	    {"M8[M]", -1, "1969-12"},
	};
	char quoted[80];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *t = type_of(rows[i].type);

		assert_string_equal(element_text(t, &rows[i].v, ZINC_SPELL_TEXT), rows[i].text);
		snprintf(quoted, sizeof quoted, "'%s'", rows[i].text);
		assert_string_equal(element_text(t, &rows[i].v, ZINC_SPELL_REPR), quoted);
		snprintf(quoted, sizeof quoted, "\"%s\"", rows[i].text);
		assert_string_equal(element_text(t, &rows[i].v, ZINC_SPELL_JSON), quoted);
		zinc_dtype_free(t);
	}
}

static void
spans(void **state)
{
	static const struct {
		const char *type;
		int64_t v;
		const char *text, *repr;
	} rows[] = {
	    {"m8[Y]", 1, "1 years", "1"},
	    {"m8[M]", -2, "-2 months", "-2"},
	    {"m8[W]", 3, "3 weeks", "3"},
	    {"m8[D]", 0, "0 days", "0"},
	    {"m8[h]", 4, "4 hours", "4"},
	    {"m8[m]", 5, "5 minutes", "5"},
	    {"m8[s]", 6, "6 seconds", "6"},
	    {"m8[ms]", 7, "7 milliseconds", "7"},
	    {"m8[us]", 8, "8 microseconds", "8"},
	    {"m8[ns]", INT64_MAX, "9223372036854775807 nanoseconds", "9223372036854775807"},
	    {"m8[ps]", -INT64_MAX, "-9223372036854775807 picoseconds", "-9223372036854775807"},
	    {"m8[fs]", 10, "10 femtoseconds", "10"},
	    {"m8[as]", 11, "11 attoseconds", "11"},
	    {"m8[10us]", 5, "50 microseconds", "5"},
	    {"m8[2147483647as]", INT64_MAX, "19807040619342712359383728129 attoseconds", "9223372036854775807"},
	    {"m8", 5, "5 generic time units", "5"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *t = type_of(rows[i].type);

		assert_string_equal(element_text(t, &rows[i].v, ZINC_SPELL_TEXT), rows[i].text);
		assert_string_equal(element_text(t, &rows[i].v, ZINC_SPELL_REPR), rows[i].repr);
		assert_string_equal(element_text(t, &rows[i].v, ZINC_SPELL_JSON), rows[i].repr);
		zinc_dtype_free(t);
	}
}

static void
not_a_time(void **state)
{
	static const char *const types[] = {"M8[ns]", "m8[D]", "M8[7Y]", "m8", "M8"};
	const int64_t nat = NAT, five = 5;
	const zinc_dtype *t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(types); i++) {
		t = type_of(types[i]);
		assert_string_equal(element_text(t, &nat, ZINC_SPELL_TEXT), "NaT");
		assert_string_equal(element_text(t, &nat, ZINC_SPELL_REPR), "'NaT'");
		assert_string_equal(element_text(t, &nat, ZINC_SPELL_JSON), "\"NaT\"");
		zinc_dtype_free(t);
	}
	t = type_of("M8"); /* no unit, no calendar */
	assert_string_equal(element_text(t, &five, ZINC_SPELL_JSON), "5");
	zinc_dtype_free(t);
}

/* ---- (2) conversion ---- */

static void
exact_or_not_at_all(void **state)
{
	static const struct {
		const char *from;
		int64_t v;
		const char *to;
		int64_t want;
		bool exact;
	} rows[] = {
	    {"M8[D]", 1, "M8[s]", 86400, true},
	    {"M8[s]", 86400, "M8[D]", 1, true},
	    {"M8[s]", 86401, "M8[D]", 0, false},
	    {"M8[s]", -86400, "M8[D]", -1, true},
	    {"M8[s]", -1, "M8[D]", 0, false},
	    {"M8[W]", 1, "M8[ns]", 604800000000000, true},
	    {"M8[D]", 8, "M8[W]", 0, false},
	    {"M8[ns]", INT64_MAX, "M8[ns]", INT64_MAX, true},
	    {"M8[ns]", INT64_MAX, "M8[ps]", 0, false}, /* does not fit */
	    {"M8[ps]", -INT64_MAX, "M8[ns]", 0, false},
	    {"M8[s]", 9223372036, "M8[ns]", 9223372036000000000, true},
	    {"M8[s]", 9223372037, "M8[ns]", 0, false},
	    {"M8[W]", INT64_MAX, "M8[as]", 0, false},
	    {"M8[as]", 604800, "M8[W]", 0, false},
	    {"M8[10us]", 100, "M8[ms]", 1, true},
	    {"M8[ms]", 1, "M8[10us]", 100, true},
	    {"M8[us]", 15, "M8[10us]", 0, false},
	    {"M8[us]", 20, "M8[10us]", 2, true},
	    {"M8[2147483647D]", 2, "M8[D]", 4294967294, true},
	    /* between months and days */
	    {"M8[Y]", 0, "M8[D]", 0, true},
	    {"M8[Y]", 30, "M8[D]", 10957, true},
	    {"M8[Y]", -1, "M8[D]", -365, true},
	    {"M8[Y]", -1970, "M8[D]", -719528, true},
	    {"M8[M]", 1, "M8[s]", 2678400, true},
	    {"M8[M]", 361, "M8[D]", 10988, true},
	    {"M8[D]", 10988, "M8[M]", 361, true},
	    {"M8[D]", 10989, "M8[M]", 0, false},
	    {"M8[D]", 10957, "M8[Y]", 30, true},
	    {"M8[D]", 10988, "M8[Y]", 0, false},
	    {"M8[D]", -719528, "M8[Y]", -1970, true},
	    {"M8[h]", 262968, "M8[Y]", 30, true},
	    {"M8[h]", 262969, "M8[Y]", 0, false},
	    {"M8[Y]", INT64_MAX, "M8[M]", 0, false},
	    {"M8[12M]", INT64_MAX, "M8[Y]", INT64_MAX, true},
	    {"M8[Y]", INT64_MAX, "M8[D]", 0, false},
	    {"M8[D]", INT64_MAX, "M8[Y]", 0, false},
	    {"M8[M]", 13, "M8[Y]", 0, false},
	    {"M8[5Y]", 6, "M8[D]", 10957, true},
	    {"M8[W]", 0, "M8[M]", 0, true},
	    /* spans */
	    {"m8[D]", 7, "m8[W]", 1, true},
	    {"m8[Y]", 2, "m8[M]", 24, true},
	    {"m8[M]", 24, "m8[Y]", 2, true},
	    {"m8[M]", 25, "m8[Y]", 0, false},
	    {"m8[M]", 0, "m8[D]", 0, false},
	    {"m8[D]", 0, "m8[Y]", 0, false},
	    {"m8[h]", -48, "m8[D]", -2, true},
	    {"m8", 5, "m8", 5, true},
	    {"m8", 5, "m8[D]", 0, false},
	    {"m8[D]", 5, "m8", 0, false},
	    {"M8", 5, "M8[s]", 0, false},
	    {"M8[s]", NAT, "M8[ns]", NAT, true},
	    {"m8", NAT, "m8[Y]", NAT, true},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *to = type_of(rows[i].to), *from = type_of(rows[i].from);
		int64_t v = 0;
		const bool exact = zinc_datetime_convert(to, &v, from, rows[i].v);

		if (exact != rows[i].exact || (exact && v != rows[i].want))
			fail_msg("%s %lld -> %s: %d, %lld", rows[i].from, (long long)rows[i].v, rows[i].to, exact,
				 (long long)v);
		zinc_dtype_free(to);
		zinc_dtype_free(from);
	}
}

/* Every conversion can be reversed, and is the same instant as text down to its own unit. */
static void
there_and_back(void **state)
{
	static const int64_t values[] = {0,     1,       -1,      7,         12,        360,       1000,
					 86400, -719528, 2932897, INT32_MAX, INT64_MAX, -INT64_MAX};
	size_t i, k, j, converted = 0;
	char kind[2] = "M", text[16], a[100];

	(void)state;
	for (i = 0; i < COUNT(units); i++)
		for (k = 0; k < COUNT(units); k++) {
			const zinc_dtype *from, *to;

			snprintf(text, sizeof text, "%s8[%s]", kind, units[i]);
			from = type_of(text);
			snprintf(text, sizeof text, "%s8[%s]", kind, units[k]);
			to = type_of(text);
			for (j = 0; j < COUNT(values); j++) {
				int64_t v, back;
				size_t n;

				if (!zinc_datetime_convert(to, &v, from, values[j]))
					continue;
				converted++;
				assert_true(zinc_datetime_convert(from, &back, to, v));
				assert_int_equal(back, values[j]);
				snprintf(a, sizeof a, "%s", element_text(from, &values[j], ZINC_SPELL_TEXT));
				n = strlen(a);
				if (k >= i)
					assert_memory_equal(element_text(to, &v, ZINC_SPELL_TEXT), a, n);
			}
			zinc_dtype_free(from);
			zinc_dtype_free(to);
		}
	assert_true(converted > 13 * 13 * 4);
}

/* ---- spellings ---- */

static void
configurations(void **state)
{
	static const struct {
		const char *json, *rule; /* NULL: good */
	} rows[] = {
	    {"{\"unit\": \"ns\", \"scale_factor\": 1}", NULL},
	    {"{\"unit\": \"generic\", \"scale_factor\": 1}", NULL},
	    {"{\"unit\": \"\xce\xbcs\", \"scale_factor\": 2147483647}", NULL},
	    {"{\"unit\": \"ns\", \"scale_factor\": 2147483648}", "numpy.datetime64"},
	    {"{\"unit\": \"ns\", \"scale_factor\": 0}", "numpy.datetime64"},
	    {"{\"unit\": \"ns\", \"scale_factor\": -1}", "numpy.datetime64"},
	    {"{\"unit\": \"ns\", \"scale_factor\": 1.0}", "numpy.datetime64"},
	    {"{\"unit\": \"ns\", \"scale_factor\": \"1\"}", "numpy.datetime64"},
	    {"{\"unit\": \"ns\"}", "numpy.datetime64"},
	    {"{\"scale_factor\": 1}", "numpy.datetime64"},
	    {"{\"unit\": \"NS\", \"scale_factor\": 1}", "numpy.datetime64"},
	    {"{\"unit\": \"s\\u0000\", \"scale_factor\": 1}", "numpy.datetime64"},
	    {"{\"unit\": 3, \"scale_factor\": 1}", "numpy.datetime64"},
	    {"{\"unit\": \"ns\", \"scale_factor\": 1, \"zone\": \"Z\"}", "numpy.datetime64"},
	};
	const zinc_dtype *t;
	char json[200];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(json, sizeof json, "{\"name\": \"numpy.datetime64\", \"configuration\": %s}", rows[i].json);
		t = NULL;
		assert_int_equal(type_parse(&t, json, true), rows[i].rule ? ZINC_E_CORRUPT : ZINC_OK);
		assert_string_equal(found.rule, rows[i].rule ? rows[i].rule : "");
		zinc_dtype_free(t);
	}
	assert_int_equal(type_parse(&t, "\"numpy.timedelta64\"", true), ZINC_E_CORRUPT);
	assert_string_equal(found.rule, "M14");
}

static void
names(void **state)
{
	static const struct {
		const char *numpy, *json;
		const char *v2; /* NULL: as numpy */
	} rows[] = {
	    {"M8[Y]", "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"Y\",\"scale_factor\":1}}", NULL},
	    {"m8[as]", "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"as\",\"scale_factor\":1}}", NULL},
	    {"M8[10us]", "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"us\",\"scale_factor\":10}}",
	     NULL},
	    {"M8[\xce\xbcs]", "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"us\",\"scale_factor\":1}}",
	     "M8[us]"},
	    {"m8", "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"generic\",\"scale_factor\":1}}",
	     NULL},
	    {"M8[generic]",
	     "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"generic\",\"scale_factor\":1}}", "M8"},
	    {"M8[2147483647as]",
	     "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"as\",\"scale_factor\":2147483647}}", NULL},
	};
	static const char *const wrong[] = {"M8[]",
					    "M8[ns",
					    "M4[ns]",
					    "M8[0s]",
					    "M8[01s]",
					    "M8[-1s]",
					    "M8[5]",
					    "M8[ns] ",
					    "M8[2147483648as]",
					    "M8ns",
					    "M",
					    "m8[99999999999999999999s]",
					    "M8[s/2]",
					    "M8[milliseconds of the king]"};
	const zinc_dtype *t;
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		t = type_of(rows[i].numpy);
		assert_string_equal(type_json(t), rows[i].json);
		assert_string_equal(t->v2, rows[i].v2 ? rows[i].v2 : rows[i].numpy);
		assert_int_equal(t->size, 8);
		assert_int_equal(t->unit, 8);
		assert_int_equal(t->type, ZINC_NATIVE);
		zinc_dtype_free(t);
		assert_int_equal(type_parse(&t, rows[i].json, true), ZINC_OK);
		assert_string_equal(type_json(t), rows[i].json);
		zinc_dtype_free(t);
	}
	for (i = 0; i < COUNT(wrong); i++)
		if (zinc_dtype_parse_text(&t, NULL, NULL, wrong[i], &err) != ZINC_E_INVALID)
			fail_msg("%s: %s", wrong[i], zinc_error_text(&err));
	/* a scale of nothing is more than NumPy has */
	assert_int_equal(
	    type_parse(&t,
		       "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"generic\",\"scale_factor\":3}}",
		       true),
	    ZINC_OK);
	assert_null(t->v2);
	assert_false(zinc_dtype_has_v2(t));
	zinc_dtype_free(t);
}

/* ---- fill values ---- */

static void
fills(void **state)
{
	static const char *const wrong[] = {"9223372036854775808",
					    "-9223372036854775809",
					    "1.0",
					    "1e3",
					    "\"nat\"",
					    "\"2020-01-01\"",
					    "null",
					    "true",
					    "[0]"};
	const zinc_dtype *t = type_of("M8[ns]");
	int64_t *v;
	size_t i;

	(void)state;
	v = type_fill(t, "\"NaT\"");
	assert_int_equal(*v, NAT);
	assert_string_equal(fill_json(t, v), "\"NaT\"");
	assert_string_equal(fill_v2(t, false, v), "-9223372036854775808");
	free(v);
	v = type_fill(t, "-9223372036854775808"); /* as zarr-python writes it */
	assert_string_equal(fill_json(t, v), "\"NaT\"");
	free(v);
	v = type_fill(t, "9223372036854775807");
	assert_int_equal(*v, INT64_MAX);
	assert_string_equal(fill_json(t, v), "9223372036854775807");
	free(v);
	for (i = 0; i < COUNT(wrong); i++) {
		assert_null(type_fill(t, wrong[i]));
		assert_int_equal(fill_status, ZINC_E_CORRUPT);
		assert_string_equal(found.rule, "M59");
	}
	zinc_dtype_free(t);
}

static void
swaps(void **state)
{
	const zinc_dtype *t = type_of("M8[s]");
	const uint8_t in[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, want[16] = {8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 9};
	uint8_t out[16];

	(void)state;
	zinc_dtype_swap(t, out, in, 2);
	assert_memory_equal(out, want, 16);
	zinc_dtype_reorder(t, false, out, in, 2);
	assert_memory_equal(out, in, 16);
	zinc_dtype_free(t);
}

static zinc_status
parse_and_print(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_dtype *t;
	const int64_t v = 5;
	zinc_status st;
	zinc_buf b;

	ZINC_TRY(zinc_dtype_parse_text(&t, NULL, ctx, arg, err));
	zinc_buf_init(&b, ctx, 100);
	st = t->ops->print(t, &v, ZINC_SPELL_JSON, &b, err);
	zinc_buf_fini(&b);
	zinc_dtype_free(t);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static char numpy[] = "<M8[ns]",
		    json[] = "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"s\",\"scale_factor\":1}}";

	(void)state;
	assert_true(sweep_alloc(parse_and_print, numpy) >= 3);
	assert_true(sweep_alloc(parse_and_print, json) >= 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(instants),       cmocka_unit_test(spans),
	    cmocka_unit_test(not_a_time),     cmocka_unit_test(exact_or_not_at_all),
	    cmocka_unit_test(there_and_back), cmocka_unit_test(configurations),
	    cmocka_unit_test(names),          cmocka_unit_test(fills),
	    cmocka_unit_test(swaps),          cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
