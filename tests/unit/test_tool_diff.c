/* test_tool_diff.c - differences between nodes: trees, documents, values */
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"
#include "tool/tool.h"

/* Differences as "kind path what a|b;", values with " count/total@index". */
struct heard {
	char text[2048];
	int stop_after;
};

static int
hear(void *arg, const zinc_difference *d)
{
	static const char letters[] = "tmvsu";
	struct heard *h = arg;
	size_t n = strlen(h->text);
	int i;

	n += (size_t)snprintf(h->text + n, sizeof h->text - n, "%c %s %s %s|%s", letters[d->kind], d->path, d->what,
			      d->a, d->b);
	if (d->kind == ZINC_DIFFERS_VALUES)
		n += (size_t)snprintf(h->text + n, sizeof h->text - n, " %d/%d@", (int)d->count, (int)d->total);
	for (i = 0; i < d->ndim; i++)
		n += (size_t)snprintf(h->text + n, sizeof h->text - n, "%s%d", i ? "," : "", (int)d->index[i]);
	snprintf(h->text + n, sizeof h->text - n, ";");
	return --h->stop_after == 0;
}

static const char *
diff(zinc_hierarchy *a, const char *pa, zinc_hierarchy *b, const char *pb, const zinc_diff_options *o)
{
	static struct heard h;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_diff_counts n = ZINC_DIFF_COUNTS_INIT;

	memset(&h, 0, sizeof h);
	assert_ok(zinc_diff(a, pa, b, pb, o, hear, &h, &n, &err));
	assert_int_equal(n.differences + n.unknown > 0, h.text[0] != '\0');
	return h.text;
}

/* ---- (1), (2): trees and documents ---- */

static void
test_tree(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest a, b;

	(void)state;
	forest_open(&a, "", ZINC_LENIENT);
	forest_open(&b, "x/y", ZINC_LENIENT);
	assert_int_equal(zinc_diff(a.h, "/", b.h, "/", NULL, NULL, NULL, NULL, &err), ZINC_E_NOTFOUND);
	forest_put(&a, "zarr.json", GROUP);
	forest_put(&b, "x/y/zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {}}");
	assert_string_equal(diff(a.h, "/", b.h, "/", NULL), "");
	/* nodes below a node follow it directly, also if names sort before '/' */
	forest_put(&a, "n/zarr.json", GROUP);
	forest_put(&a, "n/a/zarr.json", ARRAY);
	forest_put(&a, "n!/zarr.json", GROUP);
	forest_put(&b, "x/y/n!/zarr.json", GROUP);
	forest_put(&b, "x/y/o/zarr.json", GROUP);
	forest_put(&b, "x/y/o/p/zarr.json", GROUP);
	assert_string_equal(diff(a.h, "/", b.h, "/", NULL), "t /n node \"group\"|;t /o node |\"group\";");
	forest_put(&b, "x/y/n/zarr.json", ARRAY);
	assert_string_equal(diff(a.h, "/", b.h, "/", NULL), "t /n node \"group\"|\"array\";t /o node |\"group\";");
	assert_string_equal(diff(a.h, "/n/a", b.h, "/n", NULL), "");
	assert_int_equal(zinc_diff(a.h, "/", b.h, "/", ZINC_DIFF_OPTIONS(.select = "0"), NULL, NULL, NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_diff(a.h, "/n/a", b.h, "/n", ZINC_DIFF_OPTIONS(.select = "9"), NULL, NULL, NULL, &err),
			 ZINC_E_RANGE);
	assert_int_equal(zinc_diff(a.h, "/", NULL, "/", NULL, NULL, NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_diff(a.h, "/", b.h, "/", ZINC_DIFF_OPTIONS(.rtol = -1), NULL, NULL, NULL, &err),
			 ZINC_E_INVALID);
	/* (4) a damaged document is not equal */
	forest_put(&a, "n/a/zarr.json", "{");
	assert_int_equal(zinc_diff(a.h, "/", b.h, "/", NULL, NULL, NULL, NULL, &err), ZINC_E_CORRUPT);
	forest_close(&a);
	forest_close(&b);
}

static void
test_documents(void **state)
{
	static const struct {
		const char *a, *b, *says;
	} rows[] = {
	    {ARRAY, ARRAY, ""},
	    {ARRAY_WITH(", \"attributes\": {\"u\": 1, \"v\": [1]}"),
	     ARRAY_WITH(", \"attributes\": {\"v\": [1], \"u\": 1}"), ""},
	    {ARRAY_WITH(", \"attributes\": {\"u\": 1, \"v\": 2}"),
	     ARRAY_WITH(", \"attributes\": {\"u\": \"1\", \"w\": 3}"),
	     "m / attributes/u 1|\"1\";m / attributes/v 2|;m / attributes/w |3;"},
	    {ARRAY_WITH(", \"dimension_names\": [\"x\"]"), ARRAY_WITH(", \"dimension_names\": [\"y\"]"),
	     "m / dimension_names [\"x\"]|[\"y\"];"},
	    {ARRAY_WITH(", \"dimension_names\": [null]"), ARRAY, ""},
	    {ARRAY_WITH(", \"dimension_names\": [\"x\"]"),
	     ARRAY_WITH(", \"attributes\": {\"_ARRAY_DIMENSIONS\": [\"x\"]}"), ""},
	    {ARRAY_WITH(", \"mine\": {\"must_understand\": false}"), ARRAY, "m / mine {\"must_understand\":false}|;"},
	    {ARRAY_WITH(", \"storage_transformers\": [\"unheard_of\"]"), ARRAY, "u / values "},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const char *says;
		forest f;

		forest_open(&f, "", ZINC_LENIENT);
		forest_put(&f, "zarr.json", GROUP);
		forest_put(&f, "a/zarr.json", rows[i].a);
		forest_put(&f, "b/zarr.json", rows[i].b);
		says = diff(f.h, "/a", f.h, "/b", NULL);
		if (strncmp(rows[i].says, "u ", 2) == 0)
			assert_memory_equal(says, rows[i].says, strlen(rows[i].says));
		else
			assert_string_equal(says, rows[i].says);
		forest_close(&f);
	}
}

/* ---- values ---- */

/* One number, as a fill value, against another. */
static void
test_numbers(void **state)
{
	static const struct {
		const char *ta, *a, *tb, *b;
		double rtol, atol;
		int different;
	} rows[] = {
	    {"float32", "\"NaN\"", "float32", "\"0x7fc00001\"", 0, 0, 0},
	    {"float64", "-0.0", "float64", "0.0", 0, 0, 0},
	    {"float64", "1.0", "float64", "1.0000001", 0, 0, 1},
	    {"float64", "1.0", "float64", "1.0000001", 1e-6, 0, 0},
	    {"float64", "1.0", "float64", "1.5", 0, 0.5, 0},
	    {"float64", "1.0", "float64", "1.5", 0, 0.25, 1},
	    {"float64", "\"Infinity\"", "float64", "\"Infinity\"", 1, 1, 0},
	    {"float64", "\"NaN\"", "float64", "1.0", 1, 1, 1},
	    {"int8", "-1", "int64", "-1", 0, 0, 0},
	    {"int64", "-1", "uint64", "18446744073709551615", 0, 0, 1},
	    {"int64", "7", "uint8", "7", 0, 0, 0},
	    {"int64", "9007199254740993", "float64", "9007199254740992.0", 0, 0, 1},
	    {"int64", "-9223372036854775808", "float64", "-9223372036854775808.0", 0, 0, 0},
	    {"uint64", "18446744073709551615", "float32", "18446744073709551616.0", 0, 0, 1},
	    {"uint8", "3", "float16", "3.5", 0, 0, 1},
	    {"float64", "-3.0", "int16", "-3", 0, 0, 0},
	    {"int32", "100", "int32", "101", 0.01, 0, 0},
	    /* integers are subtracted as integers */
	    {"int64", "9007199254740993", "int64", "9007199254740992", 0, 0.5, 1},
	    {"int64", "9007199254740993", "int64", "9007199254740992", 0, 1, 0},
	    {"int64", "9223372036854775807", "int64", "9223372036854775805", 0, 1, 1},
	    {"int64", "9223372036854775807", "int64", "9223372036854775805", 1e-18, 0, 0},
	    {"uint64", "18446744073709551615", "uint64", "18446744073709551614", 0, 0.5, 1},
	    {"uint64", "18446744073709551615", "int64", "-9223372036854775808", 0, 0x1.8p64, 0},
	    {"uint64", "18446744073709551615", "int64", "-9223372036854775808", 0, 0x1.7ffffffffffffp64, 1},
	    {"uint64", "18446744073709551615", "int64", "-1", 0, 0x1p64, 0},
	    {"uint64", "18446744073709551615", "int64", "-1", 0, 0x1.fffffffffffffp63, 1},
	    {"int64", "9007199254740993", "float64", "9007199254740992.0", 0, 0.5, 1},
	    {"int64", "9007199254740993", "float64", "9007199254740992.0", 0, 1, 0},
	    {"int64", "9007199254740993", "complex128", "[9007199254740992.0, 0.0]", 0, 0, 1},
	    {"int64", "9007199254740994", "complex128", "[9007199254740994.0, 0.0]", 0, 0, 0},
	    {"int64", "1", "complex128", "[1.0, 0.25]", 0, 0, 1},
	    {"uint64", "18446744073709551615", "complex64", "[18446744073709551616.0, 0.0]", 0, 0, 1},
	    {"float64", "1.0", "float64", "\"Infinity\"", 1, 1, 1},
	    {"complex64", "[1.0, 2.0]", "complex128", "[1.0, 2.0]", 0, 0, 0},
	    {"complex64", "[1.0, 2.0]", "complex64", "[1.0, -2.0]", 0, 0, 1},
	    {"float32", "1.0", "complex64", "[1.0, 0.0]", 0, 0, 0},
	    {"bool", "true", "bool", "false", 0, 0, 1},
	    {"bool", "true", "uint8", "1", 0, 0, 0}, /* not compared */
	    {"string", "\"ab\"", "string", "\"ab\"", 0, 0, 0},
	    {"string", "\"ab\"", "string", "\"ac\"", 0, 0, 1},
	    {"M8[s]", "5", "M8[s]", "6", 0, 0, 1},
	    {"r24", "[1, 2, 3]", "r24", "[1, 2, 3]", 0, 0, 0},
	    {"r24", "[1, 2, 3]", "V3", "\"AQID\"", 0, 0, 0},
	    {"r24", "[1, 2, 3]", "V3", "\"AQIE\"", 0, 0, 1},
	};
	const uint64_t shape[] = {1};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_array *a = NULL, *b = NULL;
		zinc_diff_counts n = ZINC_DIFF_COUNTS_INIT;
		stage g;

		stage_open(&g, 1, 0);
		assert_ok(zinc_array_create(
		    &a, g.h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = rows[i].ta, .fill = rows[i].a),
		    &err));
		assert_ok(zinc_array_create(
		    &b, g.h, "b", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = rows[i].tb, .fill = rows[i].b),
		    &err));
		assert_ok(zinc_diff(g.h, "a", g.h, "b", ZINC_DIFF_OPTIONS(.rtol = rows[i].rtol, .atol = rows[i].atol),
				    NULL, NULL, &n, &err));
		if (n.different != (uint64_t)rows[i].different)
			fail_msg("%s %s, %s %s: %d", rows[i].ta, rows[i].a, rows[i].tb, rows[i].b, (int)n.different);
		zinc_array_close(a);
		zinc_array_close(b);
		stage_close(&g);
	}
}

/* (3) Any chunks, any number of threads: the same count and the same first one. */
static void
test_values(void **state)
{
	static const uint64_t cuts[][4] = {{7, 6, 0, 0}, {30, 20, 0, 0}, {1, 20, 0, 0}, {30, 1, 0, 0}, {5, 5, 15, 10}};
	const uint16_t zero = 0;
	size_t i;
	int threads;

	(void)state;
	for (threads = 1; threads <= 4; threads += 3)
		for (i = 0; i < COUNT(cuts); i++) {
			zinc_error err = ZINC_ERROR_INIT;
			zinc_array *a, *b;
			stage g;

			stage_open(&g, threads, 0);
			a = stage_array(&g, "a", 30, 20, 7, 6, 0, 0, "zstd");
			b = stage_array(&g, "b", 30, 20, cuts[i][0], cuts[i][1], cuts[i][2], cuts[i][3], "none");
			stage_fill(a);
			stage_fill(b);
			assert_string_equal(diff(g.h, "a", g.h, "b", NULL), "");
			assert_ok(zinc_array_write_text(b, "29, 0", ZINC_BUFFER(&zero, sizeof zero), NULL, &err));
			assert_ok(zinc_array_write_text(b, "8, 3", ZINC_BUFFER(&zero, sizeof zero), NULL, &err));
			assert_ok(zinc_array_write_text(b, "8, 2", ZINC_BUFFER(&zero, sizeof zero), NULL, &err));
			assert_string_equal(diff(g.h, "a", g.h, "b", NULL), "v / values 163|0 3/600@8,2;");
			assert_string_equal(diff(g.h, "a", g.h, "b", ZINC_DIFF_OPTIONS(.select = "[29,8], ::3")),
					    "v / values 164|0 2/14@8,3;");
			assert_string_equal(diff(g.h, "a", g.h, "b", ZINC_DIFF_OPTIONS(.select = "9:20")), "");
			zinc_array_close(a);
			zinc_array_close(b);
			stage_close(&g);
		}
}

static void
test_storage(void **state)
{
	zinc_array *a, *b;
	stage g;

	(void)state;
	stage_open(&g, 1, 0);
	a = stage_array(&g, "a", 30, 20, 7, 6, 0, 0, "none");
	b = stage_array(&g, "b", 30, 20, 7, 5, 0, 0, "zstd");
	assert_string_equal(diff(g.h, "a", g.h, "b", NULL), "");
	assert_string_equal(diff(g.h, "a", g.h, "a", ZINC_DIFF_OPTIONS(.storage = 1)), "");
	assert_non_null(strstr(diff(g.h, "a", g.h, "b", ZINC_DIFF_OPTIONS(.storage = 1)),
			       "s / chunk_shape [7,6]|[7,5];s / codecs [{\"name\":\"bytes\""));
	zinc_array_close(a);
	zinc_array_close(b);
	stage_close(&g);
}

/* ---- failures ---- */

static zinc_status
sweep_diff(void *arg, zinc_context *ctx, zinc_error *err)
{
	const uint64_t shape[] = {9}, chunks[] = {2}, others[] = {3};
	zinc_hierarchy *h = NULL;
	zinc_store *store = NULL;
	zinc_array *a = NULL, *b = NULL;
	zinc_diff_counts n = ZINC_DIFF_COUNTS_INIT;
	zinc_status st = zinc_store_open(&store, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1), err);
	if (st == ZINC_OK)
		st =
		    zinc_array_create(&a, h, "a/x",
				      ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "string",
							 .fill = "\"ab\"", .attributes = "{\"u\": 1}"),
				      err);
	if (st == ZINC_OK)
		st = zinc_array_create(&b, h, "b/x",
				       ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = others,
							  .dtype = "string", .fill = "\"ac\""),
				       err);
	if (st == ZINC_OK)
		st = zinc_diff(h, "a", h, "b", ZINC_DIFF_OPTIONS(.storage = 1), NULL, NULL, &n, err);
	if (st == ZINC_OK)
		assert_int_equal(n.different, 9);
	zinc_array_close(a);
	zinc_array_close(b);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	return st;
}

static void
test_failures(void **state)
{
	static const zinc_cancel cancel = {1};
	struct heard h = {.stop_after = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a, *b;
	stage g;

	(void)state;
	assert_true(sweep_alloc(sweep_diff, NULL) > 40);
	stage_open(&g, 2, 0);
	a = stage_array(&g, "a", 30, 20, 7, 6, 0, 0, "none");
	b = stage_array(&g, "b", 30, 21, 7, 6, 0, 0, "none");
	assert_string_equal(diff(g.h, "a", g.h, "b", NULL), "m / shape [30,20]|[30,21];");
	assert_int_equal(zinc_diff(g.h, "a", g.h, "a", ZINC_DIFF_OPTIONS(.call = ZINC_CALL_OPTIONS(.cancel = &cancel)),
				   NULL, NULL, NULL, &err),
			 ZINC_E_CANCELLED);
	assert_ok(zinc_diff(g.h, "a", g.h, "b", ZINC_DIFF_OPTIONS(.storage = 1), hear, &h, NULL, &err));
	stage_fill(a);
	assert_ok(zinc_array_chunk_put(a, (const uint64_t[]){1, 1}, "bad", 3, NULL, &err));
	assert_int_equal(zinc_diff(g.h, "a", g.h, "a", NULL, NULL, NULL, NULL, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.chunk, "1,1");
	zinc_array_close(a);
	zinc_array_close(b);
	stage_close(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tree),   cmocka_unit_test(test_documents), cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_values), cmocka_unit_test(test_storage),   cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
