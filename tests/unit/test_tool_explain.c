/*
 * test_tool_explain.c - the explanation of a read matches the read
 *
 * Every selection of a table is explained, then read through a store that counts: requests and bytes must be the same.
 */
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "sweep.h"
#include "test.h"
#include "tool/tool.h"

static const struct layout {
	const char *name;
	uint64_t chunk[2], shard[2];
	const char *codecs;
} layouts[] = {
    {"zstd", {70, 60}, {0, 0}, "zstd"},
    {"plain", {70, 60}, {0, 0}, "none"}, /* rows are read straight into the buffer */
    {"long rows", {10, 4000}, {0, 0}, "none"},
    {"one chunk", {300, 4000}, {0, 0}, "none"},
    {"turned", {70, 60}, {0, 0}, "transpose:1,0"},
    {"shards", {10, 20}, {100, 200}, "zstd"},
    {"plain shards", {50, 50}, {150, 200}, "none"},
    {"turned shards", {10, 20}, {100, 200}, "transpose:1,0+crc32c"},
};

static const char *const selections[] = {
    "",       "0",       ":, 3",    "5:250, 100:3000", "::7, ::9", "[3,200,4,3], 17",
    "-1, -1", "100:100", "299:, :", "10:20, [0,3999]",
};

/* Half of the rows are written, so that objects and inner chunks are missing. */
static zinc_array *
make(stage *g, size_t i)
{
	static uint16_t row[150 * 4000];
	const struct layout *l = &layouts[i];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	char name[16];
	size_t k;

	snprintf(name, sizeof name, "a%zu", i);
	a = stage_array(g, name, 300, 4000, l->chunk[0], l->chunk[1], l->shard[0], l->shard[1], l->codecs);
	for (k = 0; k < COUNT(row); k++)
		row[k] = (uint16_t)(k * 31 + 1);
	assert_ok(zinc_array_write_text(a, "0:150, 0:3000", ZINC_BUFFER(row, 150 * 3000 * sizeof *row), NULL, &err));
	return a;
}

static void
check(stage *g, zinc_array *a, const zinc_selection *sel, const char *where)
{
	static uint16_t values[300 * 4000];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	uint64_t shape[ZINC_MAX_NDIM], elements = 1;
	int ndim, d;

	assert_ok(zinc_array_selection_shape(a, sel, &ndim, shape, &err));
	for (d = 0; d < ndim; d++)
		elements *= shape[d];
	assert_ok(zinc_array_explain(a, sel, NULL, NULL, NULL, &e, &err));
	(void)stage_counts(g);
	assert_ok(zinc_array_read(a, sel, ZINC_BUFFER(values, (size_t)elements * sizeof *values), NULL, &err));
	n = stage_counts(g);
	if (n.get_requests != e.requests || n.get_bytes != e.bytes)
		fail_msg("%s: told %d requests, %d bytes; done %d, %d", where, (int)e.requests, (int)e.bytes,
			 (int)n.get_requests, (int)n.get_bytes);
	assert_int_equal(e.selected_bytes, elements * sizeof *values);
	assert_true(e.objects_present <= e.objects && e.chunks_present <= e.chunks && e.ranges <= e.requests);
	assert_true(e.waste >= 0 && e.waste < 1 && e.better_waste >= 0);
}

static void
test_truth(void **state)
{
	size_t i, k;
	int threads;

	(void)state;
	for (threads = 1; threads <= 4; threads += 3)
		for (i = 0; i < COUNT(layouts); i++) {
			zinc_error err = ZINC_ERROR_INIT;
			zinc_array *a;
			stage g;

			stage_open(&g, threads, 0);
			a = make(&g, i);
			for (k = 0; k < COUNT(selections); k++) {
				zinc_selection *sel = NULL;
				char where[80];

				snprintf(where, sizeof where, "%s [%s]", layouts[i].name, selections[k]);
				assert_ok(zinc_selection_parse(&sel, a, selections[k], &err));
				check(&g, a, sel, where);
				zinc_selection_free(sel);
			}
			zinc_array_close(a);
			stage_close(&g);
		}
}

static void
test_points(void **state)
{
	static const uint64_t at[] = {0, 0, 299, 3999, 5, 5, 0, 1, 149, 2999, 5, 5, 120, 130};
	zinc_selection sel = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_POINTS, .ndim = 2, .points = at, .npoints = 7};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(layouts); i++) {
		zinc_array *a;
		stage g;

		stage_open(&g, 2, 0);
		a = make(&g, i);
		check(&g, a, &sel, layouts[i].name);
		zinc_array_close(a);
		stage_close(&g);
	}
}

/* ---- each chunk ---- */

struct seen {
	zinc_array *a;
	uint64_t last; /* number of the object before */
	uint64_t chunks, present, bytes;
	int stop_after;
};

/* The bytes at offset are those that the object has there: a chunk's own, decoded by hand. */
static int
see(void *arg, const zinc_chunk *c)
{
	struct seen *s = arg;
	const uint64_t object[] = {c->index[0] * 10 / 100, c->index[1] * 20 / 200};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob bytes = ZINC_BLOB_INIT;

	assert_true(c->in_shard);
	assert_true(object[0] * 20 + object[1] + 1 >= s->last); /* in order */
	s->last = object[0] * 20 + object[1] + 1;
	s->chunks++;
	s->present += c->present != 0;
	s->bytes += c->bytes;
	assert_int_equal(c->decoded_bytes, 10 * 20 * 2);
	if (c->present) {
		uint16_t first;

		assert_ok(zinc_array_chunk_get(s->a, object, &bytes, NULL, &err));
		assert_true(c->offset + c->bytes <= bytes.nbytes);
		memcpy(&first, (const char *)bytes.data + c->offset, sizeof first);
		assert_int_equal(first, (uint16_t)((c->index[0] * 10 * 3000 + c->index[1] * 20) * 31 + 1));
		zinc_blob_fini(&bytes);
	}
	return --s->stop_after == 0;
}

static void
test_chunks(void **state)
{
	static uint16_t row[150 * 3000];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	struct seen s = {.chunks = 0};
	zinc_selection *sel = NULL;
	zinc_array *a;
	stage g;
	size_t k;

	(void)state;
	stage_open(&g, 3, 0);
	a = stage_array(&g, "a", 300, 4000, 10, 20, 100, 200, "none");
	for (k = 0; k < COUNT(row); k++)
		row[k] = (uint16_t)(k * 31 + 1);
	assert_ok(zinc_array_write_text(a, "0:150, 0:3000", ZINC_BUFFER(row, sizeof row), NULL, &err));
	s.a = a;
	assert_ok(zinc_selection_parse(&sel, a, "95:205, 2990:3010", &err));
	assert_ok(zinc_array_explain(a, sel, NULL, see, &s, &e, &err));
	assert_int_equal(s.chunks, 24);
	assert_int_equal(s.present, 6);
	assert_int_equal(s.bytes, 6 * 400);
	assert_int_equal(e.chunks, 24);
	assert_int_equal(e.chunks_present, 6);
	assert_int_equal(e.objects, 6);
	assert_int_equal(e.objects_present, 2);
	s = (struct seen){.a = a, .stop_after = 2};
	assert_ok(zinc_array_explain(a, NULL, NULL, see, &s, &e, &err));
	assert_int_equal(s.chunks, 2);
	zinc_selection_free(sel);
	zinc_array_close(a);
	stage_close(&g);
}

/* ---- suggestions ---- */

static void
test_suggestion(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	zinc_array *a;
	stage g;

	(void)state;
	stage_open(&g, 1, 0);
	a = stage_array(&g, "a", 300, 400, 30, 40, 0, 0, "zstd");
	stage_fill(a);
	assert_ok(zinc_array_explain(a, NULL, NULL, NULL, NULL, &e, &err));
	assert_true(e.waste == 0 && !e.better);
	assert_ok(zinc_selection_parse(&sel, a, ":, 7", &err));
	assert_ok(zinc_array_explain(a, sel, NULL, NULL, NULL, &e, &err));
	assert_true(e.waste > 0.97 && e.better && e.better_waste == 0);
	assert_int_equal(e.chunk_shape[0], 300);
	assert_int_equal(e.chunk_shape[1], 1);
	zinc_selection_free(sel);
	assert_ok(zinc_selection_parse(&sel, a, "::10, ::10", &err)); /* no chunks can help */
	assert_ok(zinc_array_explain(a, sel, NULL, NULL, NULL, &e, &err));
	assert_true(e.waste > 0.9 && !e.better);
	zinc_selection_free(sel);
	assert_int_equal(zinc_array_explain(NULL, NULL, NULL, NULL, NULL, &e, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_explain(a, NULL, NULL, NULL, NULL, NULL, NULL), ZINC_E_INVALID);
	zinc_array_close(a);
	stage_close(&g);
}

/* ---- failures ---- */

static zinc_status
sweep_explain(void *arg, zinc_context *ctx, zinc_error *err)
{
	const uint64_t shape[] = {40}, chunks[] = {2}, shards[] = {20};
	const uint16_t values[40] = {1, 2, 3};
	zinc_selection all = ZINC_SELECTION_ALL;
	zinc_hierarchy *h = NULL;
	zinc_store *store = NULL;
	zinc_array *a = NULL;
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	zinc_status st = zinc_store_open(&store, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1), err);
	if (st == ZINC_OK)
		st = zinc_array_create(&a, h, "a",
				       ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .shards = shards,
							  .dtype = "uint16"),
				       err);
	if (st == ZINC_OK)
		st = zinc_array_write(a, &all, ZINC_BUFFER(values, sizeof values), NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_explain(a, NULL, NULL, NULL, NULL, &e, err);
	if (st == ZINC_OK)
		assert_int_equal(e.chunks, 20);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	return st;
}

static void
test_failures(void **state)
{
	(void)state;
	assert_true(sweep_alloc(sweep_explain, NULL) > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_truth),      cmocka_unit_test(test_points),   cmocka_unit_test(test_chunks),
	    cmocka_unit_test(test_suggestion), cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
