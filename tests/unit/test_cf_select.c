/*
 * test_cf_select.c - the promises of find.c, by number, and of coordinate.c; selections by value of every type
 */
#include <stdio.h>
#include <string.h>

#include "cf/cf.h"
#include "support/nodes.h"
#include "support/sweep.h"
#include "support/test.h"

/* Create an array of one dimension "c" with these elements, and beside it its coordinate. */
static zinc_status
make(zinc_hierarchy *h, const char *path, const char *dtype, const char *attributes, const void *elements,
     size_t nbytes, uint64_t n, zinc_error *err)
{
	static const char *const names[] = {"c"};
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
	const uint64_t chunk = 2;
	zinc_array *a;
	zinc_status st = ZINC_OK;

	o.ndim = 1;
	o.shape = &n;
	o.chunks = &chunk;
	o.dtype = dtype;
	o.codecs = "none";
	o.attributes = attributes;
	o.dimension_names = names;
	ZINC_TRY(zinc_array_create(&a, h, path, &o, err));
	if (elements)
		st = zinc_array_write(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, elements, nbytes), NULL, err);
	zinc_array_close(a);
	return st;
}

/* "start+count", "start!" when dropped, "[1,2]" for a list, or the message. */
static const char *
find(zinc_array *a, const char *text)
{
	static char out[400];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *s;
	size_t i, n;

	if (zinc_selection_find(&s, a, text, NULL, &err) != ZINC_OK) {
		snprintf(out, sizeof out, "%s", zinc_error_text(&err));
		return out;
	}
	if (s->dims[0].list) {
		for (n = i = 0; i < s->dims[0].nlist; i++)
			n += (size_t)snprintf(out + n, sizeof out - n, "%c%llu", i ? ',' : '[',
					      (unsigned long long)s->dims[0].list[i]);
		snprintf(out + n, sizeof out - n, "]");
	} else if (s->dims[0].drop) {
		snprintf(out, sizeof out, "%llu!", (unsigned long long)s->dims[0].start);
	} else {
		snprintf(out, sizeof out, "%llu+%llu", (unsigned long long)s->dims[0].start,
			 (unsigned long long)s->dims[0].count);
	}
	zinc_selection_free(s);
	return out;
}

struct row {
	const char *text, *want; /* or a part of the message */
};

#define DAY  "{\"units\": \"days since 2020-01-30\"}"
#define LEAP "{\"units\": \"days since 2000-02-28\", \"calendar\": \"360_day\"}"

static const float up[] = {0.1f, 0.2f, 0.3f, 0.4f}, holes[] = {1, __builtin_nanf(""), 3, 1};
static const double down[] = {90, 45, 0, -45};
static const int64_t large[] = {9007199254740992, 9007199254740993, 9007199254740994, INT64_MAX};
static const int32_t days[] = {0, 1, 2, 3}, twice[] = {5, 7, 7, 9};
static const int64_t stamps[] = {0, 3600, INT64_MIN, 86400}, spans[] = {0, 6, 12, 18}, months[] = {600, 601, 602, 612};
static const int16_t shorts[] = {0, 1, 2, 3};
static const int8_t bytes[] = {-1, 1, 2, 3};
static const uint16_t halves[] = {0x2e66, 0x3c00, 0x4000, 0x4200}; /* 0.1, 1, 2, 3 */
static const char words[] = "a\0\0ab\0a..ab\0";

static const struct kind {
	const char *dtype, *attributes;
	const void *elements;
	size_t nbytes;
	struct row rows[20];
} kinds[] = {
    {"float32",
     NULL,
     up,
     sizeof up,
     {{"c@0.1", "0!"}, /* (2) */
      {"c@0.3..0.1", "0+3"},
      {"c@0.2..", "1+3"},
      {"c@..0.2", "0+2"},
      {"c@..", "0+4"},
      {"c@~0.26", "2!"},
      {"c@~-1e9", "0!"},
      {"c@0.25", "\"c\" has no value 0.25: it goes from 0.1 to 0.4"}, /* (3) */
      {"c@7..9", "0+0"},
      {"c@x", "is not a number"},
      {"c@", "a value is missing"},
      {"c@..x", "is not a number"},
      {"c@1e", "is not a number"}}},
    {"float64",
     NULL,
     down,
     sizeof down,
     {{"c@40..50", "1+1"},
      {"c@50..-1", "1+2"},
      {"c@~22.5", "1!"},
      /* (4) */ {"c@~-22.5", "2!"},
      {"c@~inf", "0!"},
      {"c@1", "it goes from 90 to -45"}}},
    {"float32",
     NULL,
     holes,
     sizeof holes,
     {{"c@1", "[0,3]"},
      /* (1) */ {"c@1..3", "[0,2,3]"},
      {"c@~2.5", "2!"},
      {"c@~1.5", "[0,3]"},
      {"c@nan", "is not a number"},
      {"c@2", "has no value 2"}}},
    {"int64",
     NULL,
     large,
     sizeof large,
     {{"c@9007199254740993", "1!"},
      {"c@9007199254740993.0", "0!"}, /* with a point it is a double */
      {"c@9007199254740993..9007199254740994", "1+2"},
      {"c@~99999999999999999999999999", "3!"},
      {"c@-99999999999999999999999999", "has no value"},
      {"c@1.5", "has no value"}}},
    {"int32",
     NULL,
     twice,
     sizeof twice,
     {{"c@7", "1+2"}, {"c@5", "0!"}, {"c@~6", "1+2"}, {"c@~5.5", "0!"}, {"c@5.5..8.5", "1+2"}}},
    {"int32",
     DAY,
     days,
     sizeof days,
     {{"c@2020-01-31", "1!"},
      {"c@2020-01", "0+2"}, /* (2) */
      {"c@2020-02-01T00", "2!"},
      {"c@2020-02-01T12", "has no value"},
      {"c@2020-02..2020-01-31", "1+3"},
      {"c@2020-01..2020-01-30", "0+1"}, /* a month and a day in it */
      {"c@2020-01-31..2020-01", "1+1"},
      {"c@2020-01-31..2020", "1+3"},
      {"c@~2020-01-31T12", "2!"},
      {"c@2021", "it goes from 2020-01-30 to 2020-02-02"},
      {"c@2020-02-30", "is not a date of the calendar"},
      {"c@2020-01-31x", "is not a date"}}},
    {"int32",
     LEAP,
     days,
     sizeof days,
     {{"c@2000-02-30", "2!"}, {"c@2000-02", "0+3"}, {"c@2000-01-31", "is not a date"}}},
    {"<M8[s]",
     NULL,
     stamps,
     sizeof stamps,
     {{"c@1970-01-01T01", "1!"},
      {"c@1970-01-01", "0+2"},
      {"c@1970-01-02", "3+1"},
      {"c@1970", "[0,1,3]"},
      {"c@1970-01-01T12..1970-01-01T13", "0+0"},
      {"c@1970-01-01T00:30", "has no value"}}},
    {"<M8[M]",
     NULL,
     months,
     sizeof months,
     {{"c@2020-02", "1!"},
      {"c@2020", "0+3"},
      {"c@2020-02-01", "1!"},
      {"c@2020-02-02", "has no value"},
      {"c@~2020-02-20", "2!"},
      {"c@2020-03..2021", "2+2"}}},
    {"<m8[h]",
     NULL,
     spans,
     sizeof spans,
     {{"c@6 hours", "1!"},
      {"c@0.5 days", "2!"},
      {"c@6h..1D", "1+3"},
      {"c@~400 minutes", "1!"},
      {"c@30 minutes", "has no value"},
      {"c@6", "is not a duration"},
      {"c@. h", "is not a duration"},
      {"c@6 apples", "is not a duration"}}},
    {"int16",
     "{\"scale_factor\": 0.5, \"add_offset\": 10.0}",
     shorts,
     sizeof shorts,
     {{"c@10.5", "1!"}, {"c@10..11", "0+3"}, {"c@1", "has no value"}}},
    {"int16",
     "{\"scale_factor\": 2}",
     shorts,
     sizeof shorts,
     {{"c@4", "2!"}, {"c@3", "it goes from 0 to 6"}, {"c@~3.5", "2!"}}},
    {"int8",
     "{\"_Unsigned\": \"true\"}",
     bytes,
     sizeof bytes,
     {{"c@255", "0!"}, {"c@-1", "has no value"}, {"c@2..300", "[0,2,3]"}, {"c@7", "it goes from 255 to 1"}}},
    {"float16",
     "{\"missing_value\": 2}",
     halves,
     sizeof halves,
     {{"c@0.1", "0!"}, {"c@2", "has no value"}, {"c@1..3", "[1,3]"}}},
    {"int8", "{\"dtype\": \"bool\"}", bytes, sizeof bytes, {{"c@1", "bool, which has no order"}}},
    {"|S3",
     NULL,
     words,
     12,
     {{"c@a", "0!"}, {"c@ab", "[1,3]"}, {"c@\"a..\"", "2!"}, {"c@a..b", "between quotes"}, {"c@zz", "has no value"}}},
};

static void
values_of_every_type(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(kinds); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_hierarchy *h;
		zinc_array *a;
		zinc_store *s;

		assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
		assert_ok(zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.create = 1), &err));
		assert_ok(
		    make(h, "/c", kinds[i].dtype, kinds[i].attributes, kinds[i].elements, kinds[i].nbytes, 4, &err));
		assert_ok(make(h, "/group/v", "int8", NULL, NULL, 0, 4, &err)); /* the coordinate is above */
		assert_ok(zinc_array_open(&a, h, "/group/v", NULL, &err));
		for (k = 0; k < COUNT(kinds[i].rows) && kinds[i].rows[k].text; k++) {
			const struct row *r = &kinds[i].rows[k];
			const char *got = find(a, r->text);

			if (strlen(r->want) < 12 ? strcmp(got, r->want) != 0 : !strstr(got, r->want))
				fail_msg("%s %s: \"%s\"", kinds[i].dtype, r->text, got);
		}
		zinc_array_close(a);
		zinc_hierarchy_close(h);
		zinc_store_close(s);
	}
}

/* coordinate.c (1), (2) */
static void
the_nearest_that_fits(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h;
	zinc_array *a, *c = NULL;
	zinc_store *s;

	(void)state;
	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	assert_ok(zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.create = 1), &err));
	assert_ok(make(h, "/g/v", "int8", NULL, NULL, 0, 4, &err));
	assert_ok(zinc_array_open(&a, h, "/g/v", NULL, &err));
	assert_int_equal(zinc_cf_coordinate(&c, a, 0, NULL, &err), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_cf_coordinate(&c, a, 1, NULL, &err), ZINC_E_INVALID);
	assert_ok(make(h, "/c", "int8", NULL, NULL, 0, 4, &err));
	assert_ok(make(h, "/g/c", "int8", NULL, NULL, 0, 5, &err)); /* another length */
	err = (zinc_error)ZINC_ERROR_INIT;
	assert_ok(zinc_cf_coordinate(&c, a, 0, NULL, &err));
	assert_string_equal(zinc_array_path(c), "/c");
	zinc_array_close(c);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(s);
}

static zinc_status
find_in(zinc_hierarchy *h, zinc_error *err)
{
	zinc_selection *s;
	zinc_status st;
	zinc_array *a;

	ZINC_TRY(make(h, "/c", "int32", DAY, days, sizeof days, 4, err));
	ZINC_TRY(make(h, "/v", "int8", NULL, NULL, 0, 4, err));
	ZINC_TRY(zinc_array_open(&a, h, "/v", NULL, err));
	st = zinc_selection_find(&s, a, "c@2020-01", NULL, err);
	if (st == ZINC_OK)
		zinc_selection_free(s);
	zinc_array_close(a);
	return st;
}

static zinc_status
find_list_in(zinc_hierarchy *h, zinc_error *err)
{
	zinc_selection *s;
	zinc_status st;
	zinc_array *a;

	ZINC_TRY(make(h, "/c", "float32", NULL, holes, sizeof holes, 4, err));
	ZINC_TRY(zinc_array_open(&a, h, "/c", NULL, err));
	st = zinc_selection_find(&s, a, "c@1..3", NULL, err);
	if (st == ZINC_OK)
		zinc_selection_free(s);
	zinc_array_close(a);
	return st;
}

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	ZINC_TRY(in_new_hierarchy(ctx, "v3", find_in, false, err));
	(void)arg;
	return in_new_hierarchy(ctx, "v3", find_list_in, false, err);
}

static void
every_allocation_may_fail(void **state)
{
	(void)state;
	sweep_alloc(scenario, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_of_every_type),
	    cmocka_unit_test(the_nearest_that_fits),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
