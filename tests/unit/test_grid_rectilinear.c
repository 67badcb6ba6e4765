/*
 * test_grid_rectilinear.c - chunks of several lengths: documents, arithmetic, resizing
 */
#include <stdio.h>
#include <string.h>

#include "grid/grid.h"
#include "support/findings.h"
#include "support/random.h"
#include "support/sweep.h"
#include "support/test.h"

#define RECTILINEAR(shapes)                                                                                            \
	"{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":" shapes "}}"

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

/* The expansions of the specification for 6 elements. */
static void
the_examples(void **state)
{
	static const struct {
		const char *shapes, *again;
		uint64_t n, edges[4];
	} rows[] = {
	    {"[4]", "[4]", 2, {4, 4}},
	    {"[[1,2,3]]", "[[1,2,3]]", 3, {1, 2, 3}},
	    {"[[[4,2]]]", "[[[4,2]]]", 2, {4, 4}},
	    {"[[4,2]]", "[[4,2]]", 2, {4, 2}},
	    {"[[[1,3],3]]", "[[[1,3],3]]", 4, {1, 1, 1, 3}},
	    {"[[4,4,4]]", "[[[4,3]]]", 2, {4, 4}},
	    {"[[2,[2,1],[2,1]]]", "[[[2,3]]]", 3, {2, 2, 2}},
	    {"[[6,1]]", "[[6,1]]", 1, {6}},
	    {"[[1,7,9,9]]", "[[1,7,[9,2]]]", 2, {1, 7}},
	};
	const uint64_t shape = 6;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		uint64_t k, e, at = 0, start, extent, widest = 0;
		char json[200], again[200];
		zinc_grid *g;
		findings s;

		snprintf(json, sizeof json, RECTILINEAR("%s"), rows[i].shapes);
		snprintf(again, sizeof again, RECTILINEAR("%s"), rows[i].again);
		assert_int_equal(parse(&g, json, 1, &shape, true, &s), ZINC_OK);
		assert_int_equal(s.n, 0);
		assert_string_equal(print(g), again);                   /* (4) */
		assert_true(zinc_grid_count(g, 0, shape) == rows[i].n); /* (3) */
		assert_true(zinc_grid_count(g, 0, 0) == 0);
		for (k = 0; k < rows[i].n; k++) {
			zinc_grid_span(g, 0, k, &start, &extent);
			assert_true(start == at && extent == rows[i].edges[k]);
			for (e = 0; e < extent; e++)
				assert_true(zinc_grid_chunk_of(g, 0, at + e) == k);
			at += extent;
			widest = extent > widest ? extent : widest;
		}
		assert_true(zinc_grid_widest(g, 0) == widest);
		assert_false(zinc_grid_is_regular(g));
		zinc_grid_free(g);
	}
}

static void
documents(void **state)
{
	static const struct {
		const char *json;
		zinc_status status, strict;
		const char *rule, *pointer; /* of the last finding */
	} rows[] = {
	    {RECTILINEAR("[[10],[]]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/1"},
	    {RECTILINEAR("[[10],5]"), ZINC_OK, ZINC_OK, "", ""},
	    {RECTILINEAR("[[10],[5]]"), ZINC_OK, ZINC_OK, "", ""}, /* an empty dimension */
	    {RECTILINEAR("[[4,5],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shapes/0"}, /* (2) */
	    {RECTILINEAR("[0,5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0"},
	    {RECTILINEAR("[[10,0],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/1"},
	    {RECTILINEAR("[[[5,0]],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[[5,2,1]],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[[10]],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[[10,[1]]],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[-10],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[10.5],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[1e300],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[\"10\"],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[null,5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0"},
	    {RECTILINEAR("[[4.0,[3.0,2]],5]"), ZINC_OK, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/1"},
	    {RECTILINEAR("[10.0,5]"), ZINC_OK, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0"},
	    {RECTILINEAR("[[true,9],5]"), ZINC_OK, ZINC_E_CORRUPT, "M40", "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[1,18446744073709551615],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shapes/0/1"}, /* (2) */
	    {RECTILINEAR("[[[4294967296,4294967296]],5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M40",
	     "/configuration/chunk_shapes/0/0"},
	    {RECTILINEAR("[[[1,18446744073709551614],1],5]"), ZINC_OK, ZINC_OK, "", ""},
	    {RECTILINEAR("[5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M39", "/configuration/chunk_shapes"},
	    {RECTILINEAR("[5,5,5]"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M39", "/configuration/chunk_shapes"},
	    {RECTILINEAR("5"), ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M38", "/configuration/chunk_shapes"},
	    {"\"rectilinear\"", ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M14", ""},
	    {"{\"name\":\"rectilinear\"}", ZINC_E_CORRUPT, ZINC_E_CORRUPT, "M38", "/configuration"},
	    {"{\"name\":\"rectilinear\",\"configuration\":{\"chunk_shapes\":[5,5]}}", ZINC_E_CORRUPT, ZINC_E_CORRUPT,
	     "M38", "/configuration"},
	    {"{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\"}}", ZINC_E_CORRUPT, ZINC_E_CORRUPT,
	     "M38", "/configuration/chunk_shapes"},
	    {"{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"far\",\"chunk_shapes\":[5,5]}}",
	     ZINC_E_UNSUPPORTED, ZINC_E_UNSUPPORTED, "M18", "/configuration"},
	    {"{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[5,5],\"more\":1}}",
	     ZINC_OK, ZINC_E_CORRUPT, "M38", "/configuration"},
	};
	static const uint64_t shape[] = {10, 0};
	zinc_grid *g;
	size_t i;
	findings s;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(&g, rows[i].json, 2, shape, false, &s), rows[i].status);
		assert_string_equal(s.rule, rows[i].rule);
		assert_string_equal(s.pointer, rows[i].pointer);
		assert_int_equal(g != NULL, rows[i].status == ZINC_OK);
		zinc_grid_free(g);
		assert_int_equal(parse(&g, rows[i].json, 2, shape, true, &s), rows[i].strict);
		zinc_grid_free(g);
	}
}

/* What other programs wrote under other names is printed as a rectilinear grid. */
static void
other_names(void **state)
{
	static const char *const jsons[] = {
	    "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[[6,[2,2]],4]}}",
	    "{\"name\":\"rectangular\",\"configuration\":{\"chunk_shape\":[[6,2,2],4]}}",
	    "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[6.0,2,2],4]}}"};
	static const uint64_t shape[] = {10, 9};
	zinc_grid *g;
	findings s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(jsons); i++) {
		assert_int_equal(parse(&g, jsons[i], 2, shape, true, &s), ZINC_E_CORRUPT);
		assert_int_equal(parse(&g, jsons[i], 2, shape, false, &s), ZINC_OK);
		assert_int_equal(s.n, 1);
		assert_string_equal(print(g), RECTILINEAR("[[6,[2,2]],4]"));
		zinc_grid_free(g);
	}
	assert_int_equal(parse(&g, "{\"name\":\"rectangular\",\"configuration\":{\"chunk_shape\":[[6,2,1],4]}}", 2,
			       shape, false, &s),
			 ZINC_E_CORRUPT);
	assert_int_equal(parse(&g, "{\"name\":\"rectangular\",\"configuration\":{}}", 2, shape, false, &s),
			 ZINC_E_CORRUPT);
}

/* (1): nothing is as long as the counts, and no sum wraps. */
static void
enormous_runs(void **state)
{
	const uint64_t shape = UINT64_MAX, million = 1000000, half = (uint64_t)1 << 63;
	uint64_t start, extent;
	zinc_grid *g;
	findings s;

	(void)state;
	assert_int_equal(parse(&g, RECTILINEAR("[[[2,9223372036854775807],1]]"), 1, &shape, true, &s), ZINC_OK);
	assert_true(zinc_grid_count(g, 0, shape) == half);
	assert_true(zinc_grid_chunk_of(g, 0, shape - 1) == half - 1);
	zinc_grid_span(g, 0, half - 1, &start, &extent);
	assert_true(start == shape - 1 && extent == 1);
	zinc_grid_span(g, 0, half - 2, &start, &extent);
	assert_true(start == shape - 3 && extent == 2);
	assert_true(zinc_grid_count(g, 0, million) == million / 2);
	zinc_grid_free(g);
	assert_int_equal(parse(&g, RECTILINEAR("[18446744073709551615]"), 1, &shape, true, &s), ZINC_OK);
	assert_true(zinc_grid_count(g, 0, shape) == 1 && zinc_grid_widest(g, 0) == shape);
	zinc_grid_free(g);
}

/* Only chunks that hold elements are as wide as the widest, but all are divided. */
static void
overrun(void **state)
{
	const uint64_t shape = 8, empty = 0;
	zinc_grid *g;
	findings s;

	(void)state;
	assert_int_equal(parse(&g, RECTILINEAR("[[4,4,1000001]]"), 1, &shape, true, &s), ZINC_OK);
	assert_true(zinc_grid_widest(g, 0) == 4);
	assert_true(zinc_grid_divides(g, 0, 1));
	assert_false(zinc_grid_divides(g, 0, 4));
	zinc_grid_free(g);
	assert_int_equal(parse(&g, RECTILINEAR("[[4,6]]"), 1, &empty, true, &s), ZINC_OK);
	assert_true(zinc_grid_widest(g, 0) == 4 && zinc_grid_count(g, 0, 0) == 0);
	assert_true(zinc_grid_divides(g, 0, 2));
	assert_false(zinc_grid_divides(g, 0, 4));
	zinc_grid_free(g);
	assert_int_equal(parse(&g, RECTILINEAR("[6]"), 1, &shape, true, &s), ZINC_OK);
	assert_true(zinc_grid_divides(g, 0, 3));
	assert_false(zinc_grid_divides(g, 0, 4));
	zinc_grid_free(g);
}

/* (5) */
static void
resizing(void **state)
{
	static const struct {
		uint64_t after, unit;
		const char *shapes; /* NULL: not changed */
		zinc_status status;
	} rows[] = {
	    {8, 1, NULL, ZINC_OK},
	    {0, 1, NULL, ZINC_OK},
	    {11, 1, NULL, ZINC_OK}, /* still covered */
	    {12, 1, "[[4,7,1],5]", ZINC_OK},
	    {18, 1, "[[4,[7,2]],5]", ZINC_OK}, /* an equal neighbour */
	    {32, 1, "[[4,[7,4]],5]", ZINC_OK}, /* no chunk is longer than the widest */
	    {27, 1, "[[4,[7,3],2],5]", ZINC_OK},
	    {12, 5, "[[4,7,5],5]", ZINC_OK},
	    {UINT64_MAX, 1, "[[4,[7,2635249153387078801],4],5]", ZINC_OK},
	    {UINT64_MAX, 5, NULL, ZINC_E_RANGE},
	};
	static const uint64_t before[] = {9, 9};
	zinc_error err = ZINC_ERROR_INIT;
	char json[200];
	bool changed;
	zinc_grid *g;
	findings s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const uint64_t after[] = {rows[i].after, 100}, unit[] = {rows[i].unit, 5};

		assert_int_equal(parse(&g, RECTILINEAR("[[4,7],5]"), 2, before, true, &s), ZINC_OK);
		assert_int_equal(zinc_grid_fit(g, before, after, unit, &changed, &err), rows[i].status);
		if (rows[i].status == ZINC_OK) {
			assert_int_equal(changed, rows[i].shapes != NULL);
			snprintf(json, sizeof json, RECTILINEAR("%s"), rows[i].shapes ? rows[i].shapes : "[[4,7],5]");
			assert_string_equal(print(g), json);
		}
		zinc_grid_free(g);
	}
}

static void
made_by_a_caller(void **state)
{
	static const char *const wrong[] = {"5", "{}", "[[5,5]", "[[5,4]]", "[5,5]", "[[10.0]]", "[[]]", ""};
	const uint64_t shape = 10;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_grid *g;
	size_t i;
	int ndim;

	(void)state;
	assert_ok(zinc_grid_rectilinear(&g, NULL, 1, &shape, " [[5, [5, 1]]]", &err));
	assert_string_equal(print(g), RECTILINEAR("[[[5,2]]]"));
	zinc_grid_free(g);
	assert_ok(zinc_grid_rectilinear(&g, NULL, 0, NULL, "[]", &err));
	assert_string_equal(print(g), RECTILINEAR("[]"));
	zinc_grid_free(g);
	for (i = 0; i < COUNT(wrong); i++)
		assert_int_equal(zinc_grid_rectilinear(&g, NULL, 1, &shape, wrong[i], &err), ZINC_E_INVALID);
	assert_ok(zinc_grid_edges_rank(NULL, "[[5, 5], 3, [1]]", &ndim, &err));
	assert_int_equal(ndim, 3);
	assert_int_equal(zinc_grid_edges_rank(NULL, "{}", &ndim, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_grid_edges_rank(NULL, "[", &ndim, &err), ZINC_E_INVALID);
}

/* Random lists against their plain expansion. */
static void
random_lists(void **state)
{
	long round;

	(void)state;
	for (round = 0; round < MANY(5000); round++) {
		uint64_t edges[60], n = 0, length = 0, start, extent, at = 0, k, shape;
		char json[2000];
		size_t to = 0;
		zinc_grid *g;
		findings s;

		random_seed((uint64_t)round);
		to += (size_t)snprintf(
		    json, sizeof json, "%s",
		    "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[");
		do {
			const uint64_t edge = 1 + random_below(4), count = random_below(3) ? 1 : 1 + random_below(5);

			to += (size_t)snprintf(json + to, sizeof json - to, count > 1 ? "%s[%d,%d]" : "%s%d",
					       n ? "," : "", (int)edge, (int)count);
			for (k = 0; k < count; k++, length += edge)
				edges[n++] = edge;
		} while (n < 50 && random_below(12));
		snprintf(json + to, sizeof json - to, "]]}}");
		shape = random_below(length + 1);
		assert_int_equal(parse(&g, json, 1, &shape, true, &s), ZINC_OK);
		for (k = 0; k < n && at < shape; k++) {
			zinc_grid_span(g, 0, k, &start, &extent);
			assert_true(start == at && extent == edges[k]);
			assert_true(zinc_grid_chunk_of(g, 0, at) == k);
			assert_true(zinc_grid_chunk_of(g, 0, at + extent - 1) == k);
			at += extent;
			assert_true(zinc_grid_count(g, 0, at) == k + 1);
		}
		assert_true(zinc_grid_count(g, 0, shape) == k);
		zinc_grid_free(g);
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

static zinc_status
make_from_text(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t shape[] = {5, 5};
	zinc_grid *g;
	int ndim;

	ZINC_TRY(zinc_grid_edges_rank(ctx, arg, &ndim, err));
	ZINC_TRY(zinc_grid_rectilinear(&g, ctx, ndim, shape, arg, err));
	zinc_grid_free(g);
	return ZINC_OK;
}

static void
every_allocation_may_fail(void **state)
{
	static char lists[] = RECTILINEAR("[[1,[2,2]],3]"), text[] = "[[1,[2,2]],3]";

	(void)state;
	assert_true(sweep_alloc(parse_and_print, lists) >= 3);
	assert_true(sweep_alloc(make_from_text, text) >= 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_examples),
	    cmocka_unit_test(documents),
	    cmocka_unit_test(other_names),
	    cmocka_unit_test(enormous_runs),
	    cmocka_unit_test(overrun),
	    cmocka_unit_test(resizing),
	    cmocka_unit_test(made_by_a_caller),
	    cmocka_unit_test(random_lists),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
