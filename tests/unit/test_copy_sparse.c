/*
 * test_copy_sparse.c - copies of sparse arrays: the promises of copy_sparse.c, by number
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/tool.h>

#include "support/arrays.h"
#include "support/random.h"
#include "support/test.h"

enum { ROWS = 151, COLS = 130 };

static zinc_array *
make(stage *s, const char *name, const uint64_t *shape, const char *dtype, const char *fill, uint64_t shard)
{
	const uint64_t chunks[] = {3, 2}, shards[] = {3 * shard, 2 * shard};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, s->h, name,
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = dtype, .chunks = chunks,
						       .shards = shard ? shards : NULL, .fill = fill),
				    &err));
	return a;
}

/* Everything, in memory that the caller frees. */
static void *
read_all(zinc_array *a, size_t *nbytes)
{
	const uint64_t *shape = zinc_array_shape(a);
	zinc_error err = ZINC_ERROR_INIT;
	size_t n = zinc_array_element_size(a);
	void *p;
	int d;

	for (d = 0; d < zinc_array_ndim(a); d++)
		n *= (size_t)shape[d];
	p = malloc(n + 1);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, p, n), NULL, &err));
	*nbytes = n;
	return p;
}

static void
write_some(zinc_array *a, unsigned seed)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t at[2] = {ROWS - 1, COLS - 1};
	const uint64_t count[] = {1, 1};
	int k;

	random_seed(seed);
	for (k = 0; k < 5; k++) {
		const zinc_selection sel = {
		    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BOX, .ndim = 2, .start = at, .count = count};
		uint8_t v = (uint8_t)(40 + k);

		assert_ok(zinc_array_write(a, &sel, ZINC_BUFFER_AS(ZINC_UINT8, &v, 1), NULL, &err));
		at[0] = k == 0 ? 0 : random_below(ROWS);
		at[1] = k == 0 ? 0 : random_below(COLS);
	}
}

/* The same elements, with every chunk stored. */
static void
make_dense(zinc_array *dense, zinc_array *a)
{
	zinc_io_options io = ZINC_IO_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	size_t n;
	void *p = read_all(a, &n);

	io.store_fill = 1;
	assert_ok(zinc_array_write(dense, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, p, n), &io, &err));
	free(p);
}

static uint64_t
stored(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_stored st = ZINC_STORED_INIT;

	assert_ok(zinc_array_stored(a, &st, NULL, &err));
	return st.objects;
}

/* Both are copied, and the copies are the same, element by element and object by object. */
static void
copy_both(stage *s, const zinc_copy_options *o)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *x = NULL, *y = NULL;
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	size_t nx, ny;
	void *p, *q;

	assert_ok(zinc_copy(s->h, "/a", s->h, "/x", o, NULL, &err));
	assert_ok(zinc_copy(s->h, "/dense", s->h, "/y", o, &n, &err));
	assert_ok(zinc_array_open(&x, s->h, "/x", NULL, &err));
	assert_ok(zinc_array_open(&y, s->h, "/y", NULL, &err));
	if (n.raw == 0) /* else they are as they were */
		assert_int_equal(stored(x), stored(y));
	p = read_all(x, &nx);
	q = read_all(y, &ny);
	assert_int_equal(nx, ny);
	assert_memory_equal(p, q, nx);
	free(p);
	free(q);
	zinc_array_close(x);
	zinc_array_close(y);
	assert_ok(zinc_node_erase(s->h, "/x", NULL, &err));
	assert_ok(zinc_node_erase(s->h, "/y", NULL, &err));
}

/* (1) Types, selections, chunks and shards: as if everything had been stored. */
static void
as_dense(void **state)
{
	static const struct {
		const char *dtype, *fill, *to;
	} types[] = {
	    {"uint8", "7", "int64"},
	    {"int32", "-3", NULL},
	    {"float32", "\"NaN\"", "float64"},
	    {"float64", "2.0", "int8"},
	};
	static const char *const slices[] = {NULL,
					     ":, :",
					     "5:140, 7:",
					     "::7, 2::3",
					     "150, :",
					     ":, 0",
					     "3:3, :",
					     "[150, 0, 77, 0], ::2",
					     "::50, [0, 129]",
					     "1::149, 1::128"};
	static const uint64_t chunks[][2] = {{3, 2}, {5, 7}, {64, 64}};
	const uint64_t shape[] = {ROWS, COLS}, shards[] = {15, 14};
	size_t i, j, k;

	(void)state;
	for (i = 0; i < COUNT(types); i++) {
		zinc_array *a, *dense;
		stage s;

		stage_open(&s, 2, 0);
		a = make(&s, "a", shape, types[i].dtype, types[i].fill, i % 2);
		dense = make(&s, "dense", shape, types[i].dtype, types[i].fill, i % 2);
		write_some(a, (unsigned)i);
		make_dense(dense, a);
		for (j = 0; j < COUNT(slices); j++)
			for (k = 0; k < COUNT(chunks); k++) {
				zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;

				o.ndim = 2;
				o.chunks = k > 0 ? chunks[k] : NULL;
				o.shards = k == 1 && !slices[j] ? shards : NULL;
				o.select = slices[j];
				o.dtype = types[i].to;
				o.verify = k == 2;
				copy_both(&s, &o);
			}
		zinc_array_close(a);
		zinc_array_close(dense);
		stage_close(&s);
	}
}

/* (1) and (2) Texts, whose fill value is also a text. */
static void
texts(void **state)
{
	const uint64_t shape[] = {ROWS, COLS}, start[] = {100, 77}, count[] = {1, 1}, chunks[] = {4, 5};
	const zinc_selection sel = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BOX, .ndim = 2, .start = start, .count = count};
	zinc_vlen v = {.data = "abc", .nbytes = 3};
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = make(&s, "a", shape, "string", "\"none\"", 0);
	assert_ok(zinc_array_write(a, &sel, ZINC_BUFFER_AS(ZINC_NATIVE, &v, sizeof v), NULL, &err));
	(void)stage_counts(&s);
	o.ndim = 2;
	o.chunks = chunks;
	assert_ok(zinc_copy(s.h, "/a", s.h, "/b", &o, NULL, &err));
	assert_true(stage_counts(&s).get_requests < 1200);
	assert_ok(zinc_diff(s.h, "/a", s.h, "/b", NULL, NULL, NULL, NULL, &err));
	zinc_array_close(a);
	stage_close(&s);
}

/* (2) Grids with too many chunks to count: unchanged, and in every other form. */
static void
uncounted(void **state)
{
	const uint64_t big = (uint64_t)1 << 62, shape[] = {big, big}, last[] = {big - 1, big - 1}, one[] = {1, 1};
	const uint64_t chunks[] = {7, 11};
	const zinc_copy_options forms[] = {
	    ZINC_COPY_OPTIONS_INIT,
	    *ZINC_COPY_OPTIONS(.ndim = 2, .chunks = chunks, .verify = 1),
	    *ZINC_COPY_OPTIONS(.dtype = "float64", .verify = 1),
	    *ZINC_COPY_OPTIONS(.select = "1:, 2:"),
	    *ZINC_COPY_OPTIONS(.select = "4611686018427387903, :"),
	};
	const zinc_selection sel = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BOX, .ndim = 2, .start = last, .count = one};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	int32_t v = 9;
	size_t i;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = make(&s, "a", shape, "int32", "3", 0);
	assert_ok(zinc_array_write(a, &sel, ZINC_BUFFER(&v, sizeof v), NULL, &err));
	zinc_array_close(a);
	for (i = 0; i < COUNT(forms); i++) {
		uint64_t at[2];
		zinc_selection end = {
		    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BOX, .start = at, .count = one};
		double got = 0;

		(void)stage_counts(&s);
		assert_ok(zinc_copy(s.h, "/a", s.h, "/x", &forms[i], NULL, &err));
		assert_true(stage_counts(&s).get_requests < 5000);
		assert_ok(zinc_array_open(&a, s.h, "/x", NULL, &err));
		end.ndim = zinc_array_ndim(a);
		at[0] = zinc_array_shape(a)[0] - 1;
		at[1] = end.ndim > 1 ? zinc_array_shape(a)[1] - 1 : 0;
		assert_ok(zinc_array_read(a, &end, ZINC_BUFFER_AS(ZINC_FLOAT64, &got, sizeof got), NULL, &err));
		assert_true(got == 9);
		at[0]--;
		assert_ok(zinc_array_read(a, &end, ZINC_BUFFER_AS(ZINC_FLOAT64, &got, sizeof got), NULL, &err));
		assert_true(got == 3);
		assert_int_equal(stored(a), 1);
		zinc_array_close(a);
		assert_ok(zinc_node_erase(s.h, "/x", NULL, &err));
	}
	stage_close(&s);
}

/* (3) A fill value that the new type does not have: missing elements get no other value. */
static void
without_counterpart(void **state)
{
	const uint64_t shape[] = {ROWS, COLS}, big[] = {(uint64_t)1 << 62, 1};
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a, *b;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = make(&s, "a", shape, "int32", "1000", 0);
	b = make(&s, "b", big, "int32", "1000", 0);
	o.dtype = "uint8";
	assert_int_equal(zinc_copy(s.h, "/a", s.h, "/x", &o, NULL, &err), ZINC_E_INVALID);
	o.lossy = 1;
	assert_int_equal(zinc_copy(s.h, "/a", s.h, "/x", &o, NULL, &err), ZINC_E_RANGE);
	assert_int_equal(zinc_copy(s.h, "/b", s.h, "/y", &o, NULL, &err), ZINC_E_LIMIT);
	zinc_array_close(a);
	zinc_array_close(b);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_dense),
	    cmocka_unit_test(texts),
	    cmocka_unit_test(uncounted),
	    cmocka_unit_test(without_counterpart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
