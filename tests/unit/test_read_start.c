/*
 * test_read_start.c - reads that need only the beginning of a zstd chunk
 */
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "support/test.h"

enum { ROWS = 1500, COLS = 1000, CHUNK_ROWS = 1000 };

static uint16_t row[COLS], all[ROWS][COLS];

/* Numbers that zstd hardly packs. */
static uint16_t
element(uint64_t r, uint64_t c)
{
	uint64_t x = (r * COLS + c + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	return (uint16_t)(x >> 40);
}

static zinc_array *
filled(stage *s, const char *codecs)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	uint64_t r, c;

	stage_open(s, 1, 0);
	a = stage_array(s, "a", ROWS, COLS, CHUNK_ROWS, COLS, 0, 0, codecs);
	for (r = 0; r < ROWS; r++)
		for (c = 0; c < COLS; c++)
			all[r][c] = element(r, c);
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(&all[0][0], sizeof all), NULL, &err));
	(void)stage_counts(s);
	return a;
}

/* Read one row; returns the bytes that it cost. */
static uint64_t
read_row(stage *s, zinc_array *a, uint64_t r)
{
	const uint64_t start[2] = {r, 0}, count[2] = {1, COLS};
	const zinc_selection sel = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BOX, .ndim = 2, .start = start, .count = count};
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t c;

	memset(row, 0xee, sizeof row);
	assert_ok(zinc_array_read(a, &sel, ZINC_BUFFER(row, sizeof row), NULL, &err));
	for (c = 0; c < COLS; c++)
		assert_int_equal(row[c], element(r, c));
	return stage_counts(s).get_bytes;
}

static void
early_rows_cost_little(void **state)
{
	zinc_array *a;
	uint64_t r;
	stage s;

	(void)state;
	a = filled(&s, "zstd:1");
	for (r = 0; r < ROWS; r += 37) {
		const uint64_t bytes = read_row(&s, a, r);

		if (r % CHUNK_ROWS < 300)
			assert_true(bytes < (r % CHUNK_ROWS + 200) * COLS * sizeof(uint16_t));
	}
	zinc_array_close(a);
	stage_close(&s);
}

/* Chunks that must be verified are read whole: the checksums of zstd and of crc32c. */
static void
checks_need_all(void **state)
{
	static const char *const codecs[] = {"zstd:1:checksum", "zstd:1+crc32c"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(codecs); i++) {
		zinc_array *a;
		stage s;

		a = filled(&s, codecs[i]);
		assert_true(read_row(&s, a, 3) > 500 * COLS * sizeof(uint16_t));
		zinc_array_close(a);
		stage_close(&s);
	}
}

/* Bytes that are not a frame, and a frame of another chunk: the same errors as a full read; a missing chunk is
 * missing. */
static void
what_is_wrong_is_said(void **state)
{
	static uint8_t large[5 << 20]; /* than a chunk can be */
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	stage s;

	(void)state;
	a = filled(&s, "zstd:1");
	assert_ok(zinc_store_put(s.memory, NULL, "a/c/0/0", all, 1000000, NULL, 0, NULL, NULL, &err));
	assert_int_equal(zinc_array_read_text(a, "0, :", ZINC_BUFFER(row, sizeof row), NULL, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(zinc_error_text(&err), "not a frame"));
	assert_ok(zinc_store_put(s.memory, NULL, "a/c/0/0", large, sizeof large, NULL, 0, NULL, NULL, &err));
	assert_int_equal(zinc_array_read_text(a, "0, :", ZINC_BUFFER(row, sizeof row), NULL, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(zinc_error_text(&err), "an encoded chunk of this array has at most"));
	assert_ok(zinc_store_del(s.memory, NULL, "a/c/0/0", NULL, 0, NULL, &err));
	assert_ok(zinc_array_read_text(a, "0, :", ZINC_BUFFER(row, sizeof row), NULL, &err));
	assert_int_equal(row[0] | row[COLS - 1], 0);
	zinc_array_close(a);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(early_rows_cost_little),
	    cmocka_unit_test(checks_need_all),
	    cmocka_unit_test(what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
