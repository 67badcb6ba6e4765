/*
 * test_resize.c - resize, append, raw chunks, buffered writer; numbers are the promises of src/array/resize.c
 */
#include <string.h>

#include "support/remote_store.h"
#include "support/arrays.h"
#include "support/nodes.h"
#include "support/test.h"

static uint16_t v[60 * 60];

static int
has(stage *s, const char *key)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st = zinc_store_get_all(s->memory, key, &b, NULL, 0, NULL, NULL);

	zinc_blob_fini(&b);
	return st == ZINC_OK;
}

/* (1) growing is one put; (2) shrinking deletes exactly the chunks outside. */
static void
test_resize(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 20, 20, 5, 5, 0, 0, "zstd");
	stage_fill(a);
	assert_ok(zinc_store_put(s.memory, NULL, "a/c/9/9", "mine", 4, NULL, 0, NULL, NULL,
				 &err)); /* foreign: never was in the grid */
	(void)stage_counts(&s);
	assert_ok(zinc_array_resize(a, (uint64_t[]){30, 25}, NULL, &err));
	n = stage_counts(&s);
	assert_int_equal(n.put_calls + n.update_calls, 1);
	assert_int_equal(n.del_calls, 0);
	assert_int_equal(zinc_array_shape(a)[0], 30);
	assert_ok(zinc_array_read_text(a, "25:, :", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_int_equal(v[0], 0);
	assert_ok(zinc_array_resize(a, (uint64_t[]){11, 20}, NULL, &err));
	assert_true(has(&s, "a/c/2/0"));
	assert_true(has(&s, "a/c/0/3"));
	assert_false(has(&s, "a/c/3/0"));
	assert_false(has(&s, "a/c/3/3"));
	assert_true(has(&s, "a/c/9/9"));
	assert_ok(zinc_array_read_text(a, "10", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_int_equal(v[19], 220);
	assert_ok(zinc_array_resize(a, (uint64_t[]){0, 20}, NULL, &err));
	assert_false(has(&s, "a/c/0/0"));
	assert_int_equal(zinc_array_chunk_put(a, (uint64_t[]){0, 0}, "x", 1, NULL, &err), ZINC_E_RANGE);
	zinc_array_close(a);
	stage_close(&s);
}

/* (2) The chunks outside are unknown: shrinking is refused, and nothing is changed. */
static void
test_unlisted(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_store *store;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	zinc_array_close(stage_array(&s, "a", 20, 20, 5, 5, 0, 0, "zstd"));
	store = unlisted_store(s.ctx, s.memory);
	assert_ok(zinc_hierarchy_open(&h, store, "", NULL, &err));
	assert_ok(zinc_array_open(&a, h, "/a", NULL, &err));
	assert_int_equal(zinc_array_resize(a, (uint64_t[]){20, 15}, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_ok(zinc_array_refresh(a, NULL, &err));
	assert_int_equal(zinc_array_shape(a)[1], 20);
	assert_ok(zinc_array_resize(a, (uint64_t[]){30, 20}, NULL, &err));
	assert_ok(zinc_array_resize(a, (uint64_t[]){26, 18}, NULL, &err)); /* as many chunks */
	assert_int_equal(zinc_array_shape(a)[1], 18);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	stage_close(&s);
}

static zinc_status
fail_one(void *arg, uint64_t puts, const char *key)
{
	(void)puts;
	return strcmp(key, arg) == 0 ? ZINC_E_IO : ZINC_OK;
}

/* (2) All deletes are sent to a remote store in one call; one that fails is named, and the others are done. */
static void
test_remote(void **unused)
{
	static char bad[] = "a/c/3/2";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_store *store;
	remote_store x = {.parallel = 4, .writes = true, .cas = true};
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 20, 20, 5, 5, 0, 0, "zstd");
	stage_fill(a);
	zinc_array_close(a);
	x.local = s.memory;
	store = remote_store_open(&x, s.ctx);
	assert_ok(zinc_hierarchy_open(&h, store, "", NULL, &err));
	assert_ok(zinc_array_open(&a, h, "/a", NULL, &err));
	assert_ok(zinc_array_resize(a, (uint64_t[]){20, 15}, NULL, &err));
	assert_int_equal(x.dels, 4);
	assert_int_equal(x.most_puts, 4);
	assert_int_equal(x.put_calls, 2); /* with the metadata's */
	x.before_put = fail_one;
	x.arg = bad;
	assert_int_equal(zinc_array_resize(a, (uint64_t[]){5, 15}, NULL, &err), ZINC_E_IO);
	assert_string_equal(err.key, bad);
	assert_int_equal(x.dels, 4 + 9);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	stage_close(&s);
}

static void
test_append(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t at = 99, shape[2] = {3, 4};
	uint16_t x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	zinc_buffer b = *ZINC_BUFFER(x, sizeof x);
	zinc_array *a, *second = NULL;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 0, 4, 2, 4, 0, 0, "zstd");
	b.ndim = 2;
	b.shape = shape;
	assert_ok(zinc_array_append(a, 0, &b, NULL, &at, &err));
	assert_int_equal(at, 0);
	assert_ok(zinc_array_open(&second, s.h, "a", NULL, &err));
	assert_ok(zinc_array_append(second, 0, &b, NULL, &at, &err));
	assert_int_equal(at, 3);
	assert_ok(zinc_array_append(a, 0, &b, NULL, &at, &err)); /* its shape was stale: the store's counts */
	assert_int_equal(at, 6);
	assert_ok(zinc_array_refresh(second, NULL, &err));
	assert_int_equal(zinc_array_shape(second)[0], 9);
	assert_ok(zinc_array_read_text(second, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	for (int i = 0; i < 36; i++)
		assert_int_equal(v[i], i % 12 + 1);
	assert_int_equal(zinc_array_append(a, 2, &b, NULL, NULL, &err), ZINC_E_INVALID);
	shape[1] = 3;
	assert_int_equal(zinc_array_append(a, 0, &b, NULL, NULL, &err), ZINC_E_INVALID);
	zinc_array_close(a);
	zinc_array_close(second);
	stage_close(&s);
}

/* A buffer without data reserves a range, which no other append gets, and writes nothing. */
static void
test_reserve(void **unused)
{
	const uint64_t shape[] = {7, 6};
	zinc_buffer nothing = {.size = sizeof nothing, .shape = shape, .ndim = 2};
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t at;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 4, 6, 5, 5, 0, 0, "zstd");
	assert_ok(zinc_array_append(a, 0, &nothing, NULL, &at, &err));
	assert_int_equal(at, 4);
	assert_ok(zinc_array_append(a, 0, &nothing, NULL, &at, &err));
	assert_int_equal(at, 11);
	assert_int_equal(zinc_array_shape(a)[0], 18);
	assert_false(has(&s, "a/c/0/0"));
	nothing.ndim = 1;
	assert_int_equal(zinc_array_append(a, 0, &nothing, NULL, NULL, &err), ZINC_E_INVALID);
	zinc_array_close(a);
	stage_close(&s);
}

/* The writer: small pieces become whole chunks, one put each; nothing before flush. */
static void
test_writer(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_writer *w = NULL;
	zinc_array *a;
	stage s;

	(void)unused;
	for (int sharded = 0; sharded < 2; sharded++) {
		stage_open(&s, 1, 0);
		a = stage_array(&s, "a", 20, 21, 5, 7, sharded ? 10 : 0, 21, "zstd");
		assert_ok(zinc_writer_new(&w, a, 0, NULL, &err));
		(void)stage_counts(&s);
		for (uint64_t i = 0; i < 20 * 21; i++) {
			uint16_t x = (uint16_t)(i + 1);
			uint64_t start[2] = {i / 21, i % 21}, count[2] = {1, 1};
			zinc_selection sel = ZINC_SELECTION_ALL;

			sel.kind = ZINC_SELECT_BOX;
			sel.ndim = 2;
			sel.start = start;
			sel.count = count;
			assert_ok(zinc_writer_write(w, &sel, ZINC_BUFFER(&x, sizeof x), NULL, &err));
		}
		assert_int_equal(stage_counts(&s).put_calls, 0);
		assert_ok(zinc_writer_flush(w, NULL, &err));
		n = stage_counts(&s);
		assert_int_equal(n.put_calls, sharded ? 2 : 12);
		assert_int_equal(n.update_calls, 0);
		assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		for (int i = 0; i < 20 * 21; i++)
			assert_int_equal(v[i], i + 1);
		zinc_writer_free(w);
		zinc_array_close(a);
		stage_close(&s);
	}
}

/* Hundreds of objects at once, each found again: every one becomes whole, so that none is updated. */
static void
test_writer_many(void **unused)
{
	static uint16_t got[40 * 40];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_writer *w = NULL;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 40, 40, 2, 2, 0, 0, "none");
	assert_ok(zinc_writer_new(&w, a, 0, NULL, &err));
	(void)stage_counts(&s);
	for (uint64_t i = 0; i < COUNT(got); i++) {
		const uint64_t at = i * 7 % COUNT(got), start[2] = {at / 40, at % 40}, count[2] = {1, 1};
		uint16_t x = (uint16_t)(at + 1);
		zinc_selection sel = ZINC_SELECTION_ALL;

		sel.kind = ZINC_SELECT_BOX;
		sel.ndim = 2;
		sel.start = start;
		sel.count = count;
		assert_ok(zinc_writer_write(w, &sel, ZINC_BUFFER(&x, sizeof x), NULL, &err));
	}
	assert_ok(zinc_writer_flush(w, NULL, &err));
	n = stage_counts(&s);
	assert_int_equal(n.put_calls, 400);
	assert_int_equal(n.update_calls, 0);
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(got, sizeof got), NULL, &err));
	for (size_t i = 0; i < COUNT(got); i++)
		assert_int_equal(got[i], i + 1);
	zinc_writer_free(w);
	zinc_array_close(a);
	stage_close(&s);
}

/* The writer within a small budget, and objects written in part only. */
static void
test_writer_parts(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_writer *w = NULL;
	zinc_selection *sel = NULL;
	zinc_array *a;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 20, 20, 5, 5, 0, 0, "zstd");
	stage_fill(a);
	assert_ok(zinc_writer_new(&w, a, 200, NULL, &err));
	for (size_t i = 0; i < COUNT(v); i++)
		v[i] = 1000;
	assert_ok(zinc_selection_parse(&sel, a, "::3, ::2", &err));
	assert_ok(zinc_writer_write(w, sel, ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_ok(zinc_writer_flush(w, NULL, &err));
	zinc_selection_free(sel);
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	for (int r = 0; r < 20; r++)
		for (int c = 0; c < 20; c++)
			assert_int_equal(v[r * 20 + c], r % 3 == 0 && c % 2 == 0 ? 1000 : r * 20 + c + 1);
	zinc_writer_free(w);
	zinc_array_close(a);
	stage_close(&s);
}

/* Accessors of a handle. */
static void
test_accessors(void **unused)
{
	static const char *const names[2] = {"y", NULL};
	const uint64_t shape[2] = {7, 9}, chunks[2] = {2, 3}, shards[2] = {4, 9};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	uint64_t out[ZINC_MAX_NDIM];
	float nan;
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	assert_ok(zinc_array_create(&a, s.h, "deep/er/a",
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .shards = shards,
						       .dtype = "<f4", .fill = "\"NaN\"", .dimension_names = names,
						       .fortran = 1, .big_endian = 1),
				    &err));
	assert_int_equal(zinc_array_ndim(a), 2);
	assert_int_equal(zinc_array_type(a), ZINC_FLOAT32);
	assert_int_equal(zinc_array_element_size(a), 4);
	assert_string_equal(zinc_array_dtype(a), "float32");
	assert_string_equal(zinc_array_dimension_name(a, 0), "y");
	assert_null(zinc_array_dimension_name(a, 1));
	assert_null(zinc_array_dimension_name(a, 2));
	assert_string_equal(zinc_array_path(a), "/deep/er/a");
	assert_null(zinc_array_unsupported(a));
	assert_int_equal(zinc_array_chunk_shape(a, out), 1);
	assert_int_equal(out[0] * 100 + out[1], 203);
	assert_int_equal(zinc_array_shard_shape(a, out), 1);
	assert_int_equal(out[0] * 100 + out[1], 409);
	assert_int_equal(zinc_array_grid_shape(a, out), 1);
	assert_int_equal(out[0] * 100 + out[1], 201);
	memcpy(&nan, zinc_array_fill(a), 4);
	assert_true(nan != nan);
	assert_ok(zinc_array_chunk_key(a, (uint64_t[]){1, 0}, &b, &err));
	assert_string_equal(b.data, "deep/er/a/c/1/0");
	zinc_blob_fini(&b);
	assert_ok(zinc_array_describe(a, &b, &err));
	assert_non_null(strstr(b.data, "\"shard_shape\""));
	zinc_blob_fini(&b);
	assert_int_equal(zinc_array_chunk_get(a, (uint64_t[]){0, 0}, &b, NULL, &err), ZINC_E_NOTFOUND);
	zinc_array_close(a);
	assert_int_equal(zinc_array_open(&a, s.h, "deep", NULL, &err), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_array_open(&a, s.h, "deep/no", NULL, &err), ZINC_E_NOTFOUND);
	stage_close(&s);
}

static void
test_create_again(void **unused)
{
	const uint64_t shape[1] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	uint16_t x[4] = {1, 2, 3, 4};
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	assert_ok(
	    zinc_array_create(&a, s.h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint16"), &err));
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
	zinc_array_close(a);
	assert_int_equal(
	    zinc_array_create(&a, s.h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint16"), &err),
	    ZINC_E_EXISTS);
	assert_int_equal(
	    zinc_array_create(&a, s.h, "a/b", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint16"), &err),
	    ZINC_E_INVALID);
	assert_ok(zinc_array_create(
	    &a, s.h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint16", .overwrite = 1), &err));
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
	assert_int_equal(x[2], 0); /* nothing of the old array shows through */
	zinc_array_close(a);
	assert_int_equal(
	    zinc_array_create(&a, s.h, "__x", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint16"), &err),
	    ZINC_E_INVALID);
	assert_int_equal(zinc_array_create(&a, s.h, "b", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape), &err),
			 ZINC_E_INVALID);
	assert_int_equal(
	    zinc_array_create(&a, s.h, "b", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "float99"), &err),
	    ZINC_E_INVALID);
	stage_close(&s);
}

#define NESTING                                                                                                        \
	"{\"dimensions\": [8, 8], \"blockSize\": [2, 2], \"dataType\": \"uint16\", \"compression\": {\"type\": "       \
	"\"raw\"}}"

/* (2) A dataset "1" in a dataset of N5: its blocks have keys of blocks of the outer one. */
static void
test_nested(void **unused)
{
	static const uint64_t line[] = {4}, less[] = {4, 4}, chunks[] = {2, 2};
	zinc_array *outer = NULL, *inner = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	uint16_t w[4] = {1, 2, 3, 4};
	stage s;

	(void)unused;
	stage_open(&s, 1, 0);
	assert_ok(zinc_hierarchy_open(&h, s.memory, "n", ZINC_OPEN_OPTIONS(.create = 1, .format = "n5"), &err));
	assert_ok(zinc_array_create(
	    &inner, h, "a/3", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = line, .chunks = chunks, .dtype = "uint16"), &err));
	assert_ok(zinc_array_write(inner, NULL, ZINC_BUFFER(w, sizeof w), NULL, &err));
	assert_ok(
	    zinc_store_put(s.memory, NULL, "n/a/attributes.json", NESTING, strlen(NESTING), NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_array_open(&outer, h, "a", NULL, &err));
	memset(v, 1, sizeof v);
	assert_ok(zinc_array_write_text(outer, ":, 0:6", ZINC_BUFFER(v, 96), NULL, &err));
	assert_true(has(&s, "n/a/2/2") && has(&s, "n/a/3/0"));
	assert_int_equal(zinc_array_resize(outer, less, NULL, &err), ZINC_E_CONFLICT);
	assert_string_equal(err.key, "a/3/0");
	assert_int_equal(zinc_array_shape(outer)[0], 4);
	assert_false(has(&s, "n/a/2/2"));
	assert_ok(zinc_array_read(inner, NULL, ZINC_BUFFER(w, sizeof w), NULL, &err));
	assert_memory_equal(w, ((uint16_t[]){1, 2, 3, 4}), sizeof w);
	zinc_array_close(outer);
	zinc_array_close(inner);
	zinc_hierarchy_close(h);
	stage_close(&s);
}

/* Create the array "a" again, while a handle of the old one is open. */
static void
replace(stage *s, const char *document)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(
	    zinc_store_put(s->memory, NULL, "a/zarr.json", document, strlen(document), NULL, 0, NULL, NULL, &err));
}

#define REPLACED(shape, type, grid)                                                                                    \
	"{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": " shape ", \"data_type\": \"" type                  \
	"\", \"chunk_grid\": {\"name\": \"" grid "}}, \"chunk_key_encoding\": {\"name\": \"default\"}, "               \
	"\"fill_value\": 0, \"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}"
#define REGULAR "regular\", \"configuration\": {\"chunk_shape\": [4, 4]"

/* A writer that holds elements of the old array: those of the new one have the same places, or nothing is written. */
static void
test_writer_replaced(void **unused)
{
	static const struct {
		const char *document;
		zinc_status status;
	} cases[] = {
	    {REPLACED("[8, 8]", "uint16", REGULAR), ZINC_OK},
	    {REPLACED(
		 "[8, 8]", "uint16",
		 "rectilinear\", \"configuration\": {\"kind\": \"inline\", \"chunk_shapes\": [[1, 4, 3], [2, 4, 2]]"),
	     ZINC_OK},
	    {REPLACED("[8, 8]", "uint64", REGULAR), ZINC_E_CONFLICT},
	    {REPLACED("[8, 8]", "uint8", REGULAR), ZINC_E_CONFLICT},
	    {REPLACED("[8, 8]", "int16", REGULAR), ZINC_E_CONFLICT},
	    {REPLACED("[64]", "uint16", "regular\", \"configuration\": {\"chunk_shape\": [4]"), ZINC_E_CONFLICT},
	    {REPLACED("[2, 8, 8]", "uint16", "regular\", \"configuration\": {\"chunk_shape\": [1, 4, 4]"),
	     ZINC_E_CONFLICT},
	};
	const uint64_t start[] = {0, 0, 0}, count[] = {2, 7, 7};
	zinc_selection sel = ZINC_SELECTION_ALL;
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t got[64];
	size_t i, k;

	(void)unused;
	sel.kind = ZINC_SELECT_BOX;
	sel.start = start;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_writer *w = NULL;
		zinc_array *a;
		stage s;

		stage_open(&s, 1, 0);
		a = stage_array(&s, "a", 8, 8, 4, 4, 0, 0, "none");
		assert_ok(zinc_writer_new(&w, a, 0, NULL, &err));
		for (k = 0; k < 64; k++)
			v[k] = (uint16_t)(k + 1);
		sel.ndim = 2;
		sel.count = (uint64_t[]){8, 8};
		assert_ok(zinc_writer_write(w, &sel, ZINC_BUFFER(v, 128), NULL, &err));
		replace(&s, cases[i].document);
		assert_ok(zinc_array_refresh(a, NULL, &err));
		sel.ndim = zinc_array_ndim(a);
		sel.count = sel.ndim == 1 ? (uint64_t[]){7} : &count[3 - sel.ndim];
		assert_int_equal(zinc_writer_write(w, &sel, ZINC_BUFFER(v, sizeof v), NULL, &err), cases[i].status);
		assert_int_equal(zinc_writer_flush(w, NULL, &err), cases[i].status);
		zinc_writer_free(w);
		for (k = 0; k < 64 && cases[i].status == ZINC_OK; k++)
			v[k] = k / 8 < 7 && k % 8 < 7 ? (uint16_t)(k / 8 * 7 + k % 8 + 1) : (uint16_t)(k + 1);
		if (cases[i].status == ZINC_OK) {
			assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(got, sizeof got), NULL, &err));
			assert_memory_equal(got, v, sizeof got);
		}
		zinc_array_close(a);
		stage_close(&s);
	}
}

/* (4) The new grid decides, and what cannot be appended to the new array leaves its shape. */
static void
test_replaced(void **unused)
{
	static const struct {
		const char *document;
		zinc_status resize, append;
	} cases[] = {
	    {REPLACED("[8, 8]", "uint16", REGULAR), ZINC_OK, ZINC_OK},
	    {REPLACED("[8, 9]", "uint16", REGULAR), ZINC_OK, ZINC_E_INVALID},
	    {REPLACED("[8, 7]", "uint16", REGULAR), ZINC_OK, ZINC_E_INVALID},
	    {REPLACED("[8, 8]", "int16", REGULAR), ZINC_OK, ZINC_E_CONFLICT},
	    {REPLACED("[8, 8]", "uint16", "zarrs.regular_bounded\", \"configuration\": {\"chunk_shape\": [5, 5]"),
	     ZINC_E_UNSUPPORTED, ZINC_E_UNSUPPORTED},
	    {REPLACED("[8, 8]", "uint16",
		      "rectilinear\", \"configuration\": {\"kind\": \"inline\", \"chunk_shapes\": [[8], [2, 6]]"),
	     ZINC_OK, ZINC_OK},
	    {REPLACED("[8, 8]", "uint16", "unknown\", \"configuration\": {\"chunk_shape\": [4, 4]"), ZINC_E_UNSUPPORTED,
	     ZINC_E_UNSUPPORTED},
	    {REPLACED("[8]", "uint16", "regular\", \"configuration\": {\"chunk_shape\": [4]"), ZINC_E_CONFLICT,
	     ZINC_E_CONFLICT},
	    {GROUP, ZINC_E_CONFLICT, ZINC_E_CONFLICT},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer row = *ZINC_BUFFER(v, 16);
	size_t i;

	(void)unused;
	row.ndim = 2;
	row.shape = (uint64_t[]){1, 8};
	for (i = 0; i < 2 * COUNT(cases); i++) {
		const zinc_status expected = i % 2 ? cases[i / 2].append : cases[i / 2].resize;
		zinc_blob now = ZINC_BLOB_INIT;
		zinc_array *a;
		stage s;

		stage_open(&s, 1, 0);
		a = stage_array(&s, "a", 8, 8, 4, 4, 0, 0, "none");
		replace(&s, cases[i / 2].document);
		assert_int_equal(i % 2 ? zinc_array_append(a, 0, &row, NULL, NULL, &err)
				       : zinc_array_resize(a, (uint64_t[]){9, 9}, NULL, &err),
				 expected);
		assert_ok(zinc_store_get_all(s.memory, "a/zarr.json", &now, NULL, 0, NULL, &err));
		assert_true((now.nbytes == strlen(cases[i / 2].document)) == (expected != ZINC_OK));
		if (expected == ZINC_OK)
			assert_ok(zinc_array_refresh(a, NULL, &err));
		zinc_blob_fini(&now);
		zinc_array_close(a);
		stage_close(&s);
	}
}

#define CODED(shape, grid, codecs)                                                                                     \
	"{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": " shape                                             \
	", \"data_type\": \"uint16\", \"chunk_grid\": {\"name\": \"" grid                                              \
	"}}, \"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": 0, \"codecs\": [" codecs "]}"
#define LITTLE      "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define EDGES       "rectilinear\", \"configuration\": {\"kind\": \"inline\", \"chunk_shapes\": [[4, 4], 8]"
#define PARTS       "rectilinear\", \"configuration\": {\"kind\": \"inline\", \"chunk_shapes\": [[4, 4], [6, 1, 1]]"
#define RESHAPE(to) "{\"name\": \"reshape\", \"configuration\": {\"shape\": [" to "]}}, " LITTLE
#define SHARD(by, before)                                                                                              \
	before "{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [" by "], \"codecs\": [" LITTLE  \
	       "], \"index_codecs\": [" LITTLE "]}}"
#define TURN "{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, "

/* (5) New chunks fit the codecs.  (6) Lengths that are taken from the shape are written before it changes, and old names
 * replaced.  (7) A check before has the same result. */
static void
test_lengths(void **unused)
{
	static const struct {
		const char *document;
		zinc_status status;
		const char *has;
	} cases[] = {
	    {CODED("[8, 8]", EDGES, LITTLE), ZINC_OK, "[[[4,2],1],8]"},
	    {CODED("[8, 8]", EDGES, SHARD("2, 4", "")), ZINC_OK, "[[[4,2],2],8]"},
	    {CODED("[8, 8]", EDGES, SHARD("2, 4", "\"scale_offset\", ")), ZINC_OK, "[[[4,2],2],8]"},
	    {CODED("[8, 8]", EDGES, SHARD("4, 2", TURN "\"scale_offset\", ")), ZINC_OK, "[[[4,2],2],8]"},
	    {CODED("[8, 8]", EDGES, SHARD("4, 2", "\"scale_offset\", " TURN)), ZINC_OK, "[[[4,2],2],8]"},
	    {CODED("[8, 8]", EDGES, RESHAPE("2, -1")), ZINC_OK, "[[[4,2],1],8]"},
	    {CODED("[8, 8]", EDGES, RESHAPE("16, -1")), ZINC_E_UNSUPPORTED, "[[4,4],8]"},
	    {CODED("[8, 8]", PARTS, RESHAPE("2, -1")), ZINC_E_UNSUPPORTED, "[[4,4],[6,1,1]]"},
	    {CODED("[0, 8]", "regular\", \"configuration\": {\"chunk_shape\": [0, 8]", LITTLE), ZINC_OK, "[1,8]"},
	    {CODED("[0, 8]", "regular\", \"configuration\": {\"chunk_shape\": [false, 8]", LITTLE), ZINC_OK, "[1,8]"},
	    {CODED("[8, 8]", "regular\", \"configuration\": {\"chunk_shape\": [4.0, 8]", LITTLE), ZINC_OK, "[4.0,8]"},
	    {CODED("[8, 8]", "zarrs.regular_bounded\", \"configuration\": {\"chunk_shape\": [4, 8]", LITTLE),
	     ZINC_E_UNSUPPORTED, "[4,8]"},
	    {CODED("[8, 8]",
		   "rectilinear\", \"configuration\": {\"kind\": \"inline\", \"chunk_shapes\": [[8, 99999999999], 8]",
		   LITTLE),
	     ZINC_E_LIMIT, "[[8,99999999999],8]"},
	    {CODED("[8, 8]", "regular\", \"configuration\": {\"chunk_shape\": [[1, 20], 8]", LITTLE), ZINC_OK,
	     "\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[1,20],8]}"},
	    {CODED("[8, 8]", "rectangular\", \"configuration\": {\"chunk_shape\": [[1, 20], 8]", LITTLE), ZINC_OK,
	     "\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[1,20],8]}"},
	    {CODED("[8, 8]",
		   "rectilinear\", \"configuration\": {\"kind\": \"inline\", \"chunk_shapes\": [[4, 4, 1], 8]", LITTLE),
	     ZINC_OK, "[[4,4,1],8]"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	char text[2000];
	size_t i, k, n;

	(void)unused;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_blob now = ZINC_BLOB_INIT;
		zinc_array *a;
		stage s;

		stage_open(&s, 1, 0);
		a = stage_array(&s, "a", 8, 8, 4, 4, 0, 0, "none");
		replace(&s, cases[i].document);
		assert_ok(zinc_array_refresh(a, NULL, &err));
		assert_int_equal(zinc_array_resize_check(a, (uint64_t[]){9, 8}, &err), cases[i].status);
		assert_int_equal(zinc_array_shape(a)[0], strstr(cases[i].document, "[0, 8]") ? 0 : 8);
		assert_int_equal(zinc_array_resize(a, (uint64_t[]){9, 8}, NULL, &err), cases[i].status);
		assert_ok(zinc_store_get_all(s.memory, "a/zarr.json", &now, NULL, 0, NULL, &err));
		for (n = k = 0; k < now.nbytes && n + 1 < sizeof text; k++)
			if (!strchr(" \n", ((const char *)now.data)[k]))
				text[n++] = ((const char *)now.data)[k];
		text[n] = '\0';
		if (!strstr(text, cases[i].has))
			fail_msg("case %zu: %s", i, text);
		zinc_blob_fini(&now);
		zinc_array_close(a);
		stage_close(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_resize),          cmocka_unit_test(test_append),
	    cmocka_unit_test(test_reserve),         cmocka_unit_test(test_writer),
	    cmocka_unit_test(test_writer_many),     cmocka_unit_test(test_writer_parts),
	    cmocka_unit_test(test_accessors),       cmocka_unit_test(test_create_again),
	    cmocka_unit_test(test_unlisted),        cmocka_unit_test(test_remote),
	    cmocka_unit_test(test_replaced),        cmocka_unit_test(test_nested),
	    cmocka_unit_test(test_writer_replaced), cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
