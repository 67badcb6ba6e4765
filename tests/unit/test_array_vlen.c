/*
 * test_array_vlen.c - arrays whose elements have variable length, against a table of texts in memory
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "support/sweep.h"
#include "support/test.h"

#define ROWS 7
#define COLS 5

/* The expected contents of the array; texts of very different lengths. */
static char texts[ROWS * COLS][600];

static void
write_text(size_t i, unsigned version)
{
	const int n = snprintf(texts[i], sizeof texts[i], "%u:%zu \xc3\xa9", version, i);
	const size_t more = i % 5 == 0 ? 500 : i % 7;

	memset(texts[i] + n, 'x', more);
	texts[i][(size_t)n + more] = '\0';
}

static void
expect(zinc_vlen v, const char *text)
{
	assert_int_equal(v.nbytes, strlen(text));
	assert_memory_equal(v.data, text, strlen(text));
}

static zinc_vlen
vlen(const char *text)
{
	return (zinc_vlen){text, strlen(text)};
}

static zinc_buffer *
reading(zinc_vlen *v, size_t n, zinc_arena *arena)
{
	static zinc_buffer b;

	b = *ZINC_BUFFER_AS(ZINC_NATIVE, v, n * sizeof *v);
	b.arena = arena;
	return &b;
}

/* Read everything and compare. */
static void
check_all(zinc_array *a, zinc_arena *arena)
{
	static zinc_vlen v[ROWS * COLS];
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	memset(v, 0xee, sizeof v);
	assert_ok(zinc_array_read(a, NULL, reading(v, ROWS * COLS, arena), NULL, &err));
	for (i = 0; i < ROWS * COLS; i++)
		expect(v[i], texts[i]);
	zinc_arena_empty(arena);
}

/* ---- every way to store them ---- */

static const struct way {
	const char *name, *codecs;
	uint64_t shards[2]; /* 0: none */
	int fortran;
} ways[] = {
    {"plain", "none", {0, 0}, 0},
    {"gzip", "gzip:1+crc32c", {0, 0}, 0},
    {"fortran", "gzip:1", {0, 0}, 1},
    {"fortran-plain", "none", {0, 0}, 1},
    {"shards", "none", {6, 4}, 0},
    {"shards-gzip", "gzip:1", {6, 4}, 0},
    {"shards-fortran", "gzip:1", {6, 4}, 1},
    {"closed-shards",
     "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1, 2], \"codecs\": [\"vlen-utf8\"], "
     "\"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}}, \"crc32c\"]",
     {0, 0},
     0},
};

static zinc_array *
create(stage *s, const struct way *w)
{
	const uint64_t shape[] = {ROWS, COLS}, chunks[] = {3, 2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, s->h, w->name,
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "string", .chunks = chunks,
						       .shards = w->shards[0] ? w->shards : NULL, .codecs = w->codecs,
						       .fill = "\"nothing \xc3\xa9\"", .fortran = w->fortran),
				    &err));
	return a;
}

static void
whole_and_in_part(zinc_array *a, zinc_arena *arena)
{
	zinc_vlen v[ROWS * COLS];
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	/* nothing is stored yet */
	for (i = 0; i < ROWS * COLS; i++)
		snprintf(texts[i], sizeof texts[i], "nothing \xc3\xa9");
	check_all(a, arena);
	for (i = 0; i < ROWS * COLS; i++) {
		write_text(i, 1);
		v[i] = vlen(texts[i]);
	}
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, v, sizeof v), NULL, &err));
	check_all(a, arena);
	/* parts of chunks: old elements keep company with new ones */
	for (i = 0; i < ROWS * COLS; i++)
		if (i / COLS >= 2 && i / COLS < 5 && i % COLS >= 1 && i % COLS < 4) {
			write_text(i, 2);
			v[(i / COLS - 2) * 3 + i % COLS - 1] = vlen(texts[i]);
		}
	assert_ok(zinc_array_write_text(a, "2:5, 1:4", ZINC_BUFFER_AS(ZINC_NATIVE, v, 9 * sizeof *v), NULL, &err));
	check_all(a, arena);
	for (i = 0; i < ROWS; i += 3) {
		snprintf(texts[i * COLS + 4], sizeof texts[0], "%s", i == 3 ? "" : "third");
		v[i / 3] = vlen(texts[i * COLS + 4]);
	}
	assert_ok(zinc_array_write_text(a, "::3, 4", ZINC_BUFFER_AS(ZINC_NATIVE, v, 3 * sizeof *v), NULL, &err));
	check_all(a, arena);
	/* one element at a time, also longer than all the rest of its chunk */
	for (i = 0; i < ROWS * COLS; i += 4) {
		const uint64_t at[] = {i / COLS, i % COLS};
		const zinc_selection point = {
		    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_POINTS, .ndim = 2, .npoints = 1, .points = at};

		write_text(i, 3);
		v[0] = vlen(texts[i]);
		assert_ok(zinc_array_write(a, &point, ZINC_BUFFER_AS(ZINC_NATIVE, v, sizeof *v), NULL, &err));
	}
	check_all(a, arena);
}

static void
every_way(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_arena *arena = NULL;
	zinc_array *a, *again = NULL;
	size_t i;
	int threads;
	stage s;

	(void)state;
	for (threads = 1; threads <= 3; threads += 2) {
		stage_open(&s, threads, 1 << 20);
		assert_ok(zinc_arena_new(&arena, s.ctx, 0, &err));
		for (i = 0; i < COUNT(ways); i++) {
			a = create(&s, &ways[i]);
			whole_and_in_part(a, arena);
			assert_ok(zinc_array_open(&again, s.h, ways[i].name, NULL, &err));
			check_all(again, arena);
			zinc_array_close(again);
			zinc_array_close(a);
		}
		zinc_arena_free(arena);
		stage_close(&s);
	}
}

/* ---- selections ---- */

static void
selections(void **state)
{
	static const uint64_t points[] = {6, 4, 0, 0, 3, 2, 6, 4};
	static const size_t at[] = {34, 0, 17, 34};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen v[ROWS * COLS];
	zinc_arena *arena = NULL;
	uint8_t mask[ROWS * COLS] = {0};
	zinc_buffer b;
	size_t i, k;
	zinc_array *a;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	assert_ok(zinc_arena_new(&arena, s.ctx, 0, &err));
	for (k = 0; k < COUNT(ways); k++) {
		const zinc_selection some = {.size = sizeof(zinc_selection),
					     .kind = ZINC_SELECT_POINTS,
					     .ndim = 2,
					     .npoints = 4,
					     .points = points};
		const zinc_selection odd = {.size = sizeof(zinc_selection),
					    .kind = ZINC_SELECT_MASK,
					    .ndim = 2,
					    .mask = mask,
					    .nmask = sizeof mask};
		const int64_t backwards[] = {-(int64_t)sizeof *v};

		a = create(&s, &ways[k]);
		whole_and_in_part(a, arena);
		b = *reading(v, 9, arena);
		assert_ok(zinc_array_read_text(a, "1:6:2, [4,0,2]", &b, NULL, &err));
		for (i = 0; i < 9; i++)
			expect(v[i], texts[(1 + 2 * (i / 3)) * COLS + (i % 3 == 0 ? 4 : i % 3 == 1 ? 0 : 2)]);
		assert_ok(zinc_array_read(a, &some, reading(v, 4, arena), NULL, &err));
		for (i = 0; i < 4; i++)
			expect(v[i], texts[at[i]]);
		for (i = 0; i < sizeof mask; i += 6)
			mask[i] = 1;
		assert_ok(zinc_array_read(a, &odd, reading(v, 6, arena), NULL, &err));
		for (i = 0; i < 6; i++)
			expect(v[i], texts[6 * i]);
		b = *reading(v, COLS, arena);
		b.ndim = 1;
		b.strides = backwards;
		b.first = (COLS - 1) * sizeof *v;
		assert_ok(zinc_array_read_text(a, "3", &b, NULL, &err));
		for (i = 0; i < COLS; i++)
			expect(v[COLS - 1 - i], texts[3 * COLS + i]);
		assert_ok(zinc_array_read_text(a, "0:0", reading(v, 0, arena), NULL, &err));
		zinc_array_close(a);
	}
	zinc_arena_free(arena);
	stage_close(&s);
}

/* ---- what is stored ---- */

/* Chunks with only the fill value are not stored; the texts are compared, not the pointers. */
static void
fills_are_not_stored(void **state)
{
	const zinc_io_options store = {.size = sizeof store, .store_fill = 1};
	char same[] = "nothing \xc3\xa9";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen v[ROWS * COLS];
	zinc_arena *arena = NULL;
	zinc_array *a;
	size_t i, k;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	assert_ok(zinc_arena_new(&arena, s.ctx, 0, &err));
	for (k = 0; k < COUNT(ways); k++) {
		a = create(&s, &ways[k]);
		whole_and_in_part(a, arena);
		for (i = 0; i < ROWS * COLS; i++) {
			v[i] = vlen(same);
			snprintf(texts[i], sizeof texts[i], "%s", same);
		}
		assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, v, sizeof v), NULL, &err));
		assert_int_equal(zinc_array_chunk_get(a, (uint64_t[]){0, 0}, &(zinc_blob)ZINC_BLOB_INIT, NULL, &err),
				 ZINC_E_NOTFOUND);
		check_all(a, arena);
		assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, v, sizeof v), &store, &err));
		check_all(a, arena);
		zinc_array_close(a);
	}
	zinc_arena_free(arena);
	stage_close(&s);
}

/* The bytes of a chunk are those that numcodecs and zarr-python write. */
static void
bytes_in_the_store(void **state)
{
	static const uint8_t want[] = "\3\0\0\0\1\0\0\0a\0\0\0\0\2\0\0\0\xc3\xa9";
	const uint64_t shape[] = {3};
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_vlen v[] = {{"a", 1}, {NULL, 0}, {"\xc3\xa9", 2}};
	zinc_blob blob = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	assert_ok(zinc_array_create(
	    &a, s.h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "string", .codecs = "none"), &err));
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, v, sizeof v), NULL, &err));
	assert_ok(zinc_array_chunk_get(a, (uint64_t[]){0}, &blob, NULL, &err));
	assert_int_equal(blob.nbytes, sizeof want - 1);
	assert_memory_equal(blob.data, want, sizeof want - 1);
	zinc_blob_fini(&blob);
	zinc_array_close(a);
	assert_ok(zinc_node_document(s.h, "a", &blob, NULL, &err));
	assert_non_null(strstr(blob.data, "\"data_type\": \"string\""));
	assert_non_null(strstr(blob.data, "\"vlen-utf8\""));
	assert_non_null(strstr(blob.data, "\"fill_value\": \"\""));
	zinc_blob_fini(&blob);
	stage_close(&s);
}

/* ---- the caller's side ---- */

/* Elements stay valid after the array is closed, but not after the arena is freed; without an arena, or with one that
 * is too small, nothing is read. */
static void
arenas(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_arena *arena = NULL, *small = NULL;
	zinc_vlen v[ROWS * COLS];
	zinc_array *a;
	size_t i;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	assert_ok(zinc_arena_new(&arena, s.ctx, 0, &err));
	assert_ok(zinc_arena_new(&small, s.ctx, 1000, &err));
	a = create(&s, &ways[1]);
	whole_and_in_part(a, arena);
	assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, v, sizeof v), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_array_read(a, NULL, reading(v, ROWS * COLS, small), NULL, &err), ZINC_E_LIMIT);
	zinc_arena_empty(small);
	assert_ok(zinc_array_read_text(a, "1, 1", reading(v, 1, small), NULL, &err));
	expect(v[0], texts[6]);
	assert_ok(zinc_array_read(a, NULL, reading(v, ROWS * COLS, arena), NULL, &err));
	zinc_array_close(a);
	stage_counts(&s);
	for (i = 0; i < ROWS * COLS; i++)
		expect(v[i], texts[i]);
	zinc_arena_free(small);
	zinc_arena_free(arena);
	stage_close(&s);
}

static void
refused(void **state)
{
	const zinc_vlen wrong[] = {{"\xff", 1}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_arena *arena = NULL;
	zinc_writer *w = NULL;
	double number[1] = {0};
	zinc_array *a;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	assert_ok(zinc_arena_new(&arena, s.ctx, 0, &err));
	a = create(&s, &ways[1]);
	whole_and_in_part(a, arena);
	assert_int_equal(zinc_array_type(a), ZINC_NATIVE);
	assert_int_equal(zinc_array_element_size(a), sizeof(zinc_vlen));
	assert_string_equal(zinc_array_dtype(a), "string");
	/* no number is a text, and no other bytes are */
	assert_int_equal(zinc_array_write_text(a, "0, 0", ZINC_BUFFER(number, sizeof number), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_array_read_text(a, "0, 0", ZINC_BUFFER(number, sizeof number), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_array_write_text(a, "0, 0", ZINC_BUFFER_AS(ZINC_NATIVE, wrong, sizeof wrong), NULL, &err),
			 ZINC_E_RANGE);
	assert_int_equal(zinc_writer_new(&w, a, 0, NULL, &err), ZINC_E_INVALID);
	check_all(a, arena);
	/* damage is found */
	assert_ok(zinc_array_chunk_put(a, (uint64_t[]){1, 1}, "spam", 4, NULL, &err));
	assert_int_equal(zinc_array_read_text(a, "3, 2", reading((zinc_vlen[1]){{NULL, 0}}, 1, arena), NULL, &err),
			 ZINC_E_CHECKSUM);
	zinc_array_close(a);
	zinc_arena_free(arena);
	stage_close(&s);
}

static void
shapes_that_change(void **state)
{
	const uint64_t shape[] = {2}, longer[] = {6}, chunks[] = {4};
	const zinc_vlen more[] = {{"c", 1}, {"dd", 2}, {"eee", 3}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_arena *arena = NULL;
	zinc_array *a = NULL;
	zinc_vlen v[9] = {{"a", 1}, {"b", 1}};
	zinc_buffer b;
	uint64_t at;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	assert_ok(zinc_arena_new(&arena, s.ctx, 0, &err));
	assert_ok(zinc_array_create(
	    &a, s.h, "a",
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "bytes", .chunks = chunks, .fill = "[1, 2]"), &err));
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, v, 2 * sizeof *v), NULL, &err));
	b = *ZINC_BUFFER_AS(ZINC_NATIVE, more, sizeof more);
	b.ndim = 1;
	b.shape = (uint64_t[]){3};
	assert_ok(zinc_array_append(a, 0, &b, NULL, &at, &err));
	assert_int_equal(at, 2);
	assert_ok(zinc_array_resize(a, longer, NULL, &err));
	assert_ok(zinc_array_read(a, NULL, reading(v, 6, arena), NULL, &err));
	expect(v[0], "a");
	expect(v[1], "b");
	expect(v[2], "c");
	expect(v[3], "dd");
	expect(v[4], "eee");
	expect(v[5], "\1\2");
	zinc_array_close(a);
	zinc_arena_free(arena);
	stage_close(&s);
}

/* ---- memory that is out ---- */

static zinc_status
write_and_read(void *arg, zinc_context *ctx, zinc_error *err)
{
	const struct way *w = arg;
	const uint64_t shape[] = {4, 4}, chunks[] = {2, 2};
	const zinc_vlen in[] = {{"one", 3}, {"two", 3}, {"three", 5}, {"four", 4}};
	zinc_hierarchy *h = NULL;
	zinc_arena *arena = NULL;
	zinc_array *a = NULL;
	zinc_vlen v[16];
	zinc_status st;

	st = zinc_arena_new(&arena, ctx, 0, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open_url(&h, "memory://", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1), err);
	if (st == ZINC_OK)
		st = zinc_array_create(&a, h, "a",
				       ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "string",
							  .chunks = chunks, .shards = w->shards[0] ? shape : NULL,
							  .codecs = w->codecs, .fill = "\"f\"", .fortran = w->fortran),
				       err);
	if (st == ZINC_OK)
		st = zinc_array_write_text(a, "1:3, 1:3", ZINC_BUFFER_AS(ZINC_NATIVE, in, sizeof in), NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_read(a, NULL, reading(v, 16, arena), NULL, err);
	if (st == ZINC_OK) {
		expect(v[0], "f");
		expect(v[5], "one");
		expect(v[10], "four");
	}
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_arena_free(arena);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static struct way few[] = {
	    {"plain", "crc32c", {0, 0}, 0}, {"fortran", "none", {0, 0}, 1}, {"shards", "crc32c", {1, 1}, 0}};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(few); i++)
		assert_true(sweep_alloc(write_and_read, &few[i]) > 50);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_way),
	    cmocka_unit_test(selections),
	    cmocka_unit_test(fills_are_not_stored),
	    cmocka_unit_test(bytes_in_the_store),
	    cmocka_unit_test(arenas),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(shapes_that_change),
	    cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
