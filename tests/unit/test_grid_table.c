/*
 * test_grid_table.c - chunk grids: documents, the regular grid's arithmetic, registration
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/extend.h>

#include "grid/grid.h"
#include "support/findings.h"
#include "support/sweep.h"
#include "support/test.h"

static zinc_status
parse(zinc_grid **out, const char *json, int ndim, const uint64_t *shape, bool strict, findings *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = json_of(json);
	zinc_report r;
	zinc_status st;

	*out = NULL;
	findings_begin(s, &r, strict);
	st = zinc_grid_parse(out, NULL, zinc_json_root(doc), ndim, shape, &r, &err);
	assert_int_equal(err.code, st);
	assert_string_equal(r.pointer, "");
	zinc_json_free(doc);
	return st;
}

static const char *
print(const zinc_grid *g)
{
	zinc_json_doc *doc = json_new();

	return json_line(zinc_grid_print(g, doc), doc);
}

/* The vector of the specification: shape (10,200,3000), chunks (5,20,400). */
static void
the_regular_grid(void **state)
{
	static const char json[] = "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[5,20,400]}}";
	static const uint64_t shape[] = {10, 200, 3000}, counts[] = {2, 10, 8}, index[] = {7, 150, 900},
			      chunks[] = {1, 7, 2}, offsets[] = {2, 10, 100}, extents[] = {5, 20, 400};
	zinc_grid *g;
	findings s;
	int d;

	(void)state;
	assert_int_equal(parse(&g, json, 3, shape, true, &s), ZINC_OK);
	assert_int_equal(s.n, 0);
	for (d = 0; d < 3; d++) {
		uint64_t start, extent;

		assert_true(zinc_grid_count(g, d, shape[d]) == counts[d]);
		assert_true(zinc_grid_count(g, d, 0) == 0);
		assert_true(zinc_grid_chunk_of(g, d, index[d]) == chunks[d]);
		zinc_grid_span(g, d, chunks[d], &start, &extent);
		assert_true(index[d] - start == offsets[d] && extent == extents[d]);
		assert_true(zinc_grid_widest(g, d) == extents[d]);
	}
	assert_string_equal(print(g), json);
	zinc_grid_free(g);
	zinc_grid_free(NULL);
}

static void
documents(void **state)
{
#define REGULAR(configuration) "{\"name\":\"regular\",\"configuration\":" configuration "}"
	static const struct {
		const char *json;
		int ndim;
		zinc_status status, strict;
		const char *rule, *pointer; /* of the last finding */
	} rows[] = {
	    {REGULAR("{\"chunk_shape\":[]}"), 0, ZINC_OK, ZINC_OK, "", ""},
	    {REGULAR("{\"chunk_shape\":[1,18446744073709551615]}"), 2, ZINC_OK, ZINC_OK, "", ""},
	    {"\"regular\"", 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M14", ""},
	    {"{\"name\":\"regular\"}", 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M38", "/configuration/chunk_shape"},
	    {REGULAR("{}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M38", "/configuration/chunk_shape"},
	    {REGULAR("{\"chunk_shape\":5}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M38", "/configuration/chunk_shape"},
	    {REGULAR("{\"chunk_shape\":[5]}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M39", "/configuration/chunk_shape"},
	    {REGULAR("{\"chunk_shape\":[5,5,5]}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M39",
	     "/configuration/chunk_shape"},
	    {REGULAR("{\"chunk_shape\":[0,5]}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shape/0"},
	    {REGULAR("{\"chunk_shape\":[5,0]}"), 2, ZINC_OK, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shape/1"},
	    {REGULAR("{\"chunk_shape\":[5,-1]}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shape/1"},
	    {REGULAR("{\"chunk_shape\":[5,2.5]}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shape/1"},
	    {REGULAR("{\"chunk_shape\":[5.0,2]}"), 2, ZINC_OK, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shape/0"},
	    {REGULAR("{\"chunk_shape\":[true,2]}"), 2, ZINC_OK, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shape/0"},
	    {REGULAR("{\"chunk_shape\":[false,2]}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shape/0"},
	    {REGULAR("{\"chunk_shape\":[5,false]}"), 2, ZINC_OK, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shape/1"},
	    {REGULAR("{\"chunk_shape\":[5,[3,4]]}"), 2, ZINC_OK, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shape"},
	    {REGULAR("{\"chunk_shape\":[5,\"2\"]}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shape/1"},
	    {REGULAR("{\"chunk_shape\":[18446744073709551616,1]}"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shape/0"},
	    {REGULAR("{\"chunk_shape\":[5,5],\"more\":1}"), 2, ZINC_OK, ZINC_E_CORRUPT, "M38", "/configuration"},
	    {REGULAR("[]"), 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M12", "/configuration"},
	    {"{\"name\":\"curvilinear\"}", 2, ZINC_E_UNSUPPORTED, ZINC_E_UNSUPPORTED, "M18", ""},
	    {"{\"name\":\"curvilinear\",\"must_understand\":false}", 2, ZINC_E_UNSUPPORTED, ZINC_E_UNSUPPORTED, "M18",
	     ""},
	    {"{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[5,5]},\"must_understand\":false}", 2, ZINC_OK,
	     ZINC_E_CORRUPT, "M18", ""},
	    {"7", 2, ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M11", ""},
	};
	static const uint64_t shape[] = {10, 0};
	zinc_grid *g;
	size_t i;
	findings s;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(&g, rows[i].json, rows[i].ndim, shape, false, &s), rows[i].status);
		assert_string_equal(s.rule, rows[i].rule);
		assert_string_equal(s.pointer, rows[i].pointer);
		assert_int_equal(g != NULL, rows[i].status == ZINC_OK);
		zinc_grid_free(g);
		assert_int_equal(parse(&g, rows[i].json, rows[i].ndim, shape, true, &s), rows[i].strict);
		zinc_grid_free(g);
	}
	assert_int_equal(parse(&g, REGULAR("{\"chunk_shape\":[5,0]}"), 2, shape, false, &s), ZINC_OK);
	assert_true(g->step[1] == 1);
	zinc_grid_free(g);
}

static void
made_by_a_caller(void **state)
{
	static const uint64_t chunk[ZINC_MAX_NDIM + 1] = {3, 4};
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t ones[ZINC_MAX_NDIM + 1];
	zinc_grid *g;
	int i;

	(void)state;
	for (i = 0; i <= ZINC_MAX_NDIM; i++)
		ones[i] = 1;
	assert_ok(zinc_grid_regular(&g, NULL, 2, chunk, &err));
	assert_string_equal(print(g), REGULAR("{\"chunk_shape\":[3,4]}"));
	zinc_grid_free(g);
	assert_ok(zinc_grid_regular(&g, NULL, 0, NULL, &err));
	zinc_grid_free(g);
	assert_int_equal(zinc_grid_regular(&g, NULL, 3, chunk, &err), ZINC_E_INVALID);
	assert_ok(zinc_grid_regular(&g, NULL, ZINC_MAX_NDIM, ones, &err));
	zinc_grid_free(g);
	assert_int_equal(zinc_grid_regular(&g, NULL, ZINC_MAX_NDIM + 1, ones, &err), ZINC_E_LIMIT);
}

/* ---- a program's own ---- */

static zinc_status
own_open(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err)
{
	(void)configuration, (void)ndim, (void)shape;
	*self = zinc_alloc(NULL, 1);
	return *self ? ZINC_OK : zinc_error_set(err, ZINC_E_NOMEM, "");
}

static void
own_close(void *self)
{
	zinc_free(NULL, self);
}

static uint64_t
own_count(void *self, int dim, uint64_t length)
{
	(void)self, (void)dim;
	return length;
}

static void
own_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	(void)self, (void)dim;
	*start = chunk;
	*extent = 1;
}

static uint64_t
own_widest(void *self, int dim)
{
	(void)self, (void)dim;
	return 1;
}

static const zinc_grid_def own = {.size = sizeof own,
				  .name = "test.own",
				  .open = own_open,
				  .close = own_close,
				  .count = own_count,
				  .find = own_count,
				  .span = own_span,
				  .widest = own_widest};

static int
count_rows(void *arg, const char *name, const char *also, const char *purpose)
{
	assert_true(name && also && purpose);
	return --*(int *)arg == 0;
}

static void
registered_grids(void **state)
{
	static const zinc_grid_def lame = {.size = sizeof lame, .name = "test.lame"};
	zinc_grid_def taken = own;
	zinc_error err = ZINC_ERROR_INIT;
	const uint64_t shape = 5;
	int left = 100;
	zinc_grid *g;
	findings s;

	(void)state;
	taken.name = "regular";
	assert_int_equal(zinc_register_grid(&taken, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_register_grid(&lame, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_grid(NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_register_grid(&own, &err));
	assert_int_equal(zinc_register_grid(&own, &err), ZINC_E_EXISTS);
	assert_int_equal(parse(&g, "\"test.own\"", 1, &shape, true, &s), ZINC_OK);
	assert_string_equal(print(g), "{\"name\":\"test.own\",\"configuration\":{}}");
	zinc_grid_free(g);
	zinc_list_grids(count_rows, &left);
	assert_int_equal(left, 95);
	for (left = 1; left <= 5; left++) {
		int stop = left;

		zinc_list_grids(count_rows, &stop);
		assert_int_equal(stop, 0);
	}
}

static zinc_status
parse_and_print(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t shape[] = {5, 5};
	zinc_grid *g = NULL;
	zinc_json_doc *doc;
	zinc_report r;
	zinc_status st;

	ZINC_TRY(zinc_json_parse(&doc, ctx, arg, strlen(arg), 0, err));
	zinc_report_init(&r, ctx, true, "test");
	st = zinc_grid_parse(&g, ctx, zinc_json_root(doc), 2, shape, &r, err);
	if (st == ZINC_OK && !zinc_grid_print(g, doc))
		st = zinc_fail_nomem(err);
	zinc_grid_free(g);
	zinc_json_free(doc);
	return st;
}

static void
every_allocation_may_fail(void **state)
{
	static char regular[] = REGULAR("{\"chunk_shape\":[5,5]}"), mine[] = "\"test.own\"";

	(void)state;
	assert_true(sweep_alloc(parse_and_print, regular) >= 2);
	assert_true(sweep_alloc(parse_and_print, mine) >= 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_regular_grid),          cmocka_unit_test(documents),
	    cmocka_unit_test(made_by_a_caller),          cmocka_unit_test(registered_grids),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
