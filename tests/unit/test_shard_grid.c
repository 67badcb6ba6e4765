/*
 * test_shard_grid.c - shards on a program's grid, with different sizes (promise 4 of shard_read.c)
 *
 *     elements   [0 1][2 3 4 5][6 ... 13][14 ... 29]      shard i has 2 << i of them, inner chunks of two
 */
#include <stdio.h>
#include <string.h>
#include <zinc/extend.h>
#include <zinc/tool.h>

#include "support/arrays.h"
#include "support/test.h"

enum { N = 30 };

static uint64_t widest = 16;

static zinc_status
grid_open(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err)
{
	(void)configuration, (void)ndim, (void)shape, (void)err;
	*self = &widest;
	return ZINC_OK;
}

static uint64_t
grid_find(void *self, int dim, uint64_t i)
{
	uint64_t chunk = 0;

	(void)self, (void)dim;
	for (i = i / 2 + 1; i > 1; i /= 2)
		chunk++;
	return chunk;
}

static uint64_t
grid_count(void *self, int dim, uint64_t length)
{
	return length ? grid_find(self, dim, length - 1) + 1 : 0;
}

static void
grid_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	(void)self, (void)dim;
	*extent = (uint64_t)2 << chunk;
	*start = *extent - 2;
}

static uint64_t
grid_widest(void *self, int dim)
{
	(void)self, (void)dim;
	return widest;
}

static zinc_array *
make(stage *s, unsigned inner, const char *where)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char document[1024];

	snprintf(document, sizeof document,
		 "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [%d], \"data_type\": \"uint16\", "
		 "\"fill_value\": 0, "
		 "\"chunk_grid\": {\"name\": \"test.doubling\", \"configuration\": {}}, "
		 "\"chunk_key_encoding\": {\"name\": \"default\"}, "
		 "\"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [%u], "
		 "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}], "
		 "\"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": "
		 "\"crc32c\"}], "
		 "\"index_location\": \"%s\"}}]}",
		 N, inner, where);
	assert_ok(zinc_array_create(&a, s->h, "a", ZINC_ARRAY_OPTIONS(.document = document, .overwrite = 1), &err));
	return a;
}

static void
all_are_read(void **state)
{
	static const uint64_t points[] = {29, 0, 7, 15, 3};
	zinc_selection p = {.size = sizeof(zinc_selection),
			    .kind = ZINC_SELECT_POINTS,
			    .ndim = 1,
			    .points = points,
			    .npoints = COUNT(points)};
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[N], x[N];
	zinc_array *a;
	stage s;
	int at, from, i;

	(void)state;
	stage_open(&s, 2, 0);
	for (at = 0; at < 2; at++) {
		a = make(&s, 2, at ? "start" : "end");
		for (i = 0; i < N; i++)
			v[i] = (uint16_t)(i + 1);
		assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		for (from = 0; from < N; from++) { /* object 0 of the plan is another one each time */
			char text[16];

			snprintf(text, sizeof text, "%d:", from);
			memset(x, 0, sizeof x);
			assert_ok(zinc_array_read_text(a, text, ZINC_BUFFER(x, sizeof x), NULL, &err));
			assert_memory_equal(x, v + from, (size_t)(N - from) * sizeof *v);
		}
		assert_ok(zinc_array_read(a, &p, ZINC_BUFFER(x, sizeof x), NULL, &err));
		for (i = 0; i < (int)COUNT(points); i++)
			assert_int_equal(x[i], points[i] + 1);
		v[1] = v[12] = 999;
		assert_ok(zinc_array_write_text(a, "12", ZINC_BUFFER(&v[12], sizeof *v), NULL, &err));
		assert_ok(zinc_array_write_text(a, "1", ZINC_BUFFER(&v[1], sizeof *v), NULL, &err));
		assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
		assert_memory_equal(x, v, sizeof v);
		zinc_array_close(a);
	}
	stage_close(&s);
}

/* Inner chunks that divide the widest shard but not the others, and a grid that reports a wrong maximum. */
static void
what_does_not_fit_is_refused(void **state)
{
	static const uint64_t point = 1;
	zinc_selection p = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_POINTS, .ndim = 1, .points = &point, .npoints = 1};
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[N] = {1};
	zinc_array *a;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = make(&s, 4, "end");
	assert_int_equal(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_array_read_text(a, "3:", ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_array_read(a, &p, ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_CORRUPT);
	zinc_array_close(a);
	a = make(&s, 2, "end");
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	widest = 2;
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_CORRUPT);
	widest = 16;
	zinc_array_close(a);
	stage_close(&s);
}

int
main(void)
{
	static const zinc_grid_def def = {.size = sizeof def,
					  .name = "test.doubling",
					  .open = grid_open,
					  .count = grid_count,
					  .find = grid_find,
					  .span = grid_span,
					  .widest = grid_widest};
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_are_read),
					   cmocka_unit_test(what_does_not_fit_is_refused)};

	return zinc_register_grid(&def, NULL) != ZINC_OK ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
