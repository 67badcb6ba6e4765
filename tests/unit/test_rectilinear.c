/*
 * test_rectilinear.c - arrays in chunks of several lengths: creating, asking, shards, resizing, enormous grids
 *
 * Reads and writes of every kind are in test_oracle.c, copies in test_copy_oracle.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/tool.h>

#include "support/arrays.h"
#include "support/test.h"

static const uint64_t shape[] = {30, 8};

static zinc_array *
make(stage *s, const char *name, const zinc_array_options *more)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array_options o = *more;
	zinc_array *a = NULL;

	o.ndim = 2;
	o.shape = o.shape ? o.shape : shape;
	o.dtype = "int16";
	assert_ok(zinc_array_create(&a, s->h, name, &o, &err));
	return a;
}

/* Write the number of each element, in C order. */
static void
number(zinc_array *a, int16_t first)
{
	const uint64_t *now = zinc_array_shape(a);
	const size_t n = (size_t)(now[0] * now[1]);
	zinc_error err = ZINC_ERROR_INIT;
	int16_t *v = malloc(n * sizeof *v);
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = (int16_t)(first + (int16_t)i);
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(v, n * sizeof *v), NULL, &err));
	free(v);
}

static bool
describes(const zinc_array *a, const char *what)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	bool has;

	assert_ok(zinc_array_describe(a, &b, &err));
	has = strstr(b.data, what) != NULL;
	zinc_blob_fini(&b);
	return has;
}

static void
properties(void **state)
{
	static const struct {
		uint64_t i, chunk, start, extent;
	} rows[] = {{0, 0, 0, 5},   {4, 0, 0, 5},   {5, 1, 5, 10}, {14, 1, 5, 10},
		    {15, 2, 15, 7}, {22, 3, 22, 7}, {29, 4, 29, 3}};
	uint64_t n[ZINC_MAX_NDIM], start, extent, chunk;
	zinc_array *a;
	stage s;
	size_t i;

	(void)state;
	stage_open(&s, 1, 0);
	a = make(&s, "a", ZINC_ARRAY_OPTIONS(.chunk_edges = "[[5, 10, [7, 2], 3, 100], 3]"));
	assert_true(zinc_array_chunk_shape(a, n) && n[0] == 10 && n[1] == 3);
	assert_false(zinc_array_shard_shape(a, n));
	assert_true(zinc_array_grid_shape(a, n) && n[0] == 5 && n[1] == 3);
	assert_false(zinc_array_grid_regular(a));
	for (i = 0; i < COUNT(rows); i++) {
		assert_true(zinc_array_chunk_find(a, 0, rows[i].i, &chunk) && chunk == rows[i].chunk);
		assert_true(zinc_array_chunk_span(a, 0, chunk, &start, &extent));
		assert_true(start == rows[i].start && extent == rows[i].extent);
	}
	assert_false(zinc_array_chunk_find(a, 0, 30, &chunk));
	assert_false(zinc_array_chunk_find(a, 2, 0, &chunk));
	assert_false(zinc_array_chunk_find(a, -1, 0, &chunk));
	assert_false(zinc_array_chunk_span(a, 0, 5, &start, &extent)); /* listed, but without elements */
	assert_false(zinc_array_chunk_span(a, 2, 0, &start, &extent));
	assert_true(describes(a, "\"chunk_shapes\":[[5,10,[7,2],3,100],3]"));
	zinc_array_close(a);
	a = make(&s, "b", ZINC_ARRAY_OPTIONS(.chunks = shape));
	assert_true(zinc_array_grid_regular(a));
	assert_true(describes(a, "\"chunk_grid\":{\"name\":\"regular\"}"));
	zinc_array_close(a);
	a = make(&s, "c", ZINC_ARRAY_OPTIONS(.chunks = (uint64_t[]){2, 4}, .shard_edges = "[[10, [4, 5]], 8]"));
	assert_true(zinc_array_chunk_shape(a, n) && n[0] == 2 && n[1] == 4);
	assert_true(zinc_array_shard_shape(a, n) && n[0] == 10 && n[1] == 8);
	zinc_array_close(a);
	stage_close(&s);
}

static void
refused_options(void **state)
{
	static const uint64_t two[] = {2, 2}, four[] = {4, 4};
	const zinc_array_options rows[] = {
	    {.chunk_edges = "[[5, 25], 8]", .chunks = two},
	    {.chunk_edges = "[[5, 25], 8]", .shards = four},
	    {.chunk_edges = "[[5, 25], 8]", .auto_shards = 1},
	    {.chunk_edges = "[[5, 25], 8]", .shard_edges = "[[5, 25], 8]"},
	    {.shard_edges = "[[4, 26], 8]"},
	    {.shard_edges = "[[4, 26], 8]", .chunks = two, .shards = four},
	    {.shard_edges = "[[4, 26], 8]", .chunks = two, .auto_shards = 1},
	    {.shard_edges = "[[4, 25, 4], 8]", .chunks = two}, /* 25 is no multiple of 2 */
	    {.shard_edges = "[[4, 26, 5], 8]", .chunks = two}, /* neither is 5, also where no element is */
	    {.chunk_edges = "[[5, 24], 8]"},
	    {.chunk_edges = "[[5, 25]]"},
	    {.chunk_edges = "[[5, 25], 8"},
	    {.chunk_edges = "5"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;
	size_t i;

	(void)state;
	stage_open(&s, 1, 0);
	for (i = 0; i < COUNT(rows); i++) {
		zinc_array_options o = rows[i];

		o.size = sizeof o;
		o.ndim = 2;
		o.shape = shape;
		o.dtype = "int16";
		assert_int_equal(zinc_array_create(&a, s.h, "a", &o, &err), ZINC_E_INVALID);
	}
	assert_int_equal(zinc_array_create_url(&a, "memory://rectilinear/v2",
					       ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "int16",
								  .chunk_edges = "[[5, 25], 8]"),
					       ZINC_OPEN_OPTIONS(.format = "v2"), &err),
			 ZINC_E_INVALID);
	stage_close(&s);
}

/* A document whose shards do not all have whole inner chunks is refused before an element is read. */
static void
shards_that_do_not_fit(void **state)
{
	static const char format[] =
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [12], \"data_type\": \"uint8\", \"fill_value\": "
	    "0, "
	    "\"chunk_grid\": {\"name\": \"rectilinear\", \"configuration\": {\"kind\": \"inline\", \"chunk_shapes\": "
	    "[%s]}}, \"chunk_key_encoding\": {\"name\": \"default\"}, \"codecs\": [{\"name\": \"sharding_indexed\", "
	    "\"configuration\": {\"chunk_shape\": [2], \"codecs\": [{\"name\": \"bytes\"}], \"index_codecs\": "
	    "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}}]}";
	static const struct {
		const char *edges;
		zinc_status status;
	} rows[] = {{"[4, 6, 2]", ZINC_OK},
		    {"[[4, 3]]", ZINC_OK},
		    {"[3, 6, 4]", ZINC_E_INVALID},
		    {"[4, 8, 3]", ZINC_E_INVALID},
		    {"4", ZINC_OK},
		    {"5", ZINC_E_INVALID},
		    {"[4, 4, 5]", ZINC_E_INVALID},
		    {"[[1, 12]]", ZINC_E_INVALID},
		    {"[12, [2, 1000]]", ZINC_OK}};
	zinc_error err = ZINC_ERROR_INIT;
	char document[1000];
	zinc_array *a;
	stage s;
	size_t i;

	(void)state;
	stage_open(&s, 1, 0);
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(document, sizeof document, format, rows[i].edges);
		assert_int_equal(
		    zinc_array_create(&a, s.h, "a", ZINC_ARRAY_OPTIONS(.document = document, .overwrite = 1), &err),
		    rows[i].status);
		if (rows[i].status == ZINC_OK)
			zinc_array_close(a);
		else
			assert_string_equal(err.rule, "M86");
	}
	stage_close(&s);
}

/* Growing appends a chunk to each list that is too short; shrinking keeps the list and erases the chunks outside. */
static void
resizing(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_stored stored = ZINC_STORED_INIT;
	zinc_array *a;
	int16_t v;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	a = make(&s, "a", ZINC_ARRAY_OPTIONS(.chunk_edges = "[[5, 10, [7, 2], 1], 3]"));
	number(a, 1);
	assert_ok(zinc_array_resize(a, (uint64_t[]){6, 8}, NULL, &err));
	assert_ok(zinc_array_stored(a, &stored, NULL, &err));
	assert_int_equal(stored.objects, 6);
	assert_true(describes(a, "[[5,10,[7,2],1],3]"));
	assert_ok(zinc_array_resize(a, (uint64_t[]){40, 9}, NULL, &err));
	assert_true(describes(a, "[[5,10,[7,2],1,10],3]"));
	assert_ok(zinc_array_read_text(a, "29, 0", ZINC_BUFFER(&v, sizeof v), NULL, &err));
	assert_int_equal(v, 0); /* erased */
	assert_ok(zinc_array_read_text(a, "5, 7", ZINC_BUFFER(&v, sizeof v), NULL, &err));
	assert_int_equal(v, 5 * 8 + 7 + 1);
	number(a, 7);
	zinc_array_close(a);
	assert_ok(zinc_array_open(&a, s.h, "a", NULL, &err));
	assert_true(describes(a, "[[5,10,[7,2],1,10],3]"));
	assert_ok(zinc_array_read_text(a, "39, 8", ZINC_BUFFER(&v, sizeof v), NULL, &err));
	assert_int_equal(v, 39 * 9 + 8 + 7);
	zinc_array_close(a);
	a = make(&s, "b", ZINC_ARRAY_OPTIONS(.chunks = (uint64_t[]){4, 4}, .shard_edges = "[[8, 16, 8], 8]"));
	assert_ok(zinc_array_resize(a, (uint64_t[]){33, 8}, NULL, &err));
	assert_true(describes(a, "[[8,16,8,4],8]")); /* a whole inner chunk */
	number(a, 1);
	assert_ok(zinc_array_read_text(a, "32, 7", ZINC_BUFFER(&v, sizeof v), NULL, &err));
	assert_int_equal(v, 33 * 8);
	zinc_array_close(a);
	stage_close(&s);
}

/* 2^60 chunks and more cost nothing as long as they are not stored. */
static void
enormous(void **state)
{
	static const char url[] = "memory://rectilinear/enormous";
	const uint64_t huge[] = {(uint64_t)1 << 62, 3};
	zinc_validate_counts found = ZINC_VALIDATE_COUNTS_INIT;
	zinc_stats stats = ZINC_STATS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t n[ZINC_MAX_NDIM];
	zinc_array *a;
	int16_t v = 5;

	(void)state;
	assert_ok(
	    zinc_array_create_url(&a, url,
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = huge, .dtype = "int16",
						     .chunk_edges = "[[3, [4, 1152921504606846976]], [[1, 2], 7]]"),
				  NULL, &err));
	assert_true(zinc_array_grid_shape(a, n) && n[0] == ((uint64_t)1 << 60) + 1 && n[1] == 3);
	assert_ok(zinc_array_write_text(a, "4611686018427387903, 1", ZINC_BUFFER(&v, sizeof v), NULL, &err));
	v = 0;
	assert_ok(zinc_array_read_text(a, "4611686018427387903, 1", ZINC_BUFFER(&v, sizeof v), NULL, &err));
	assert_int_equal(v, 5);
	assert_ok(zinc_validate(url, NULL, NULL, NULL, &found, &err));
	assert_int_equal(found.errors, 0);
	assert_int_equal(found.objects, 1);
	assert_ok(zinc_array_stats(a, NULL, NULL, &stats, &err));
	assert_true(stats.max.i == 5 && stats.min.i == 0);
	assert_ok(zinc_array_resize(a, (uint64_t[]){(uint64_t)1 << 62, (uint64_t)1 << 63}, NULL, &err));
	assert_true(describes(a, "[[3,[4,1152921504606846976]],[[1,2],[7,1317624576693539400],6]]"));
	zinc_array_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(properties), cmocka_unit_test(refused_options),
					   cmocka_unit_test(shards_that_do_not_fit), cmocka_unit_test(resizing),
					   cmocka_unit_test(enormous)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
