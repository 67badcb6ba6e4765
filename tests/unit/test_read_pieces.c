/*
 * test_read_pieces.c - plain chunks that are read in pieces; numbers are the promises of src/array/read_pieces.c
 *
 * The buffer has more than 32 MiB, the limit above which the caches are bypassed; chunks have rows of 1 KiB and three
 * pieces.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "support/test.h"

enum { ROWS = 5000, COLS = 3500, CHUNK_ROWS = 1200, CHUNK_COLS = 512, WHOLE = 4 * 6, CHUNKS = 5 * 7 };

static const size_t nbytes = (size_t)ROWS * COLS * sizeof(uint16_t);

/* Whole cache lines, as large buffers are. */
static uint16_t *
buffer(void)
{
	uint16_t *v = aligned_alloc(4096, (nbytes + 4095) / 4096 * 4096);

	assert_non_null(v);
	memset(v, 0xee, nbytes);
	return v;
}

static zinc_array *
filled(stage *s)
{
	zinc_array *a = stage_array(s, "a", ROWS, COLS, CHUNK_ROWS, CHUNK_COLS, 0, 0, "none");

	stage_fill(a);
	return a;
}

/* Element (r, c), where chunk (0, 1) may be missing. */
static void
check(const uint16_t *v, bool hole)
{
	size_t i, wrong = 0;

	for (i = 0; i < (size_t)ROWS * COLS; i++) {
		const bool gone = hole && i / COLS < CHUNK_ROWS && i % COLS / CHUNK_COLS == 1;

		wrong += v[i] != (gone ? 0 : (uint16_t)(i + 1));
	}
	assert_int_equal(wrong, 0);
}

static void
whole_chunks_come_in_pieces(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t *v = buffer();
	zinc_array *a;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = filled(&s);
	(void)stage_counts(&s);
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, nbytes), NULL, &err));
	check(v, false);
	assert_int_equal(stage_counts(&s).get_calls, 3 * WHOLE + CHUNKS - WHOLE);
	zinc_array_close(a);
	stage_close(&s);
	free(v);
}

static void
what_is_missing_or_short_is_said(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t *v = buffer();
	zinc_array *a;
	stage s;

	(void)state;
	stage_open(&s, 2, 0);
	a = filled(&s);
	assert_ok(zinc_store_del(s.memory, NULL, "a/c/0/1", NULL, 0, NULL, &err));
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, nbytes), NULL, &err));
	check(v, true);
	assert_int_equal(zinc_array_read(a, NULL, ZINC_BUFFER(v, nbytes), ZINC_IO_OPTIONS(.missing_is_error = 1), &err),
			 ZINC_E_NOTFOUND);
	assert_ok(zinc_store_put(s.memory, NULL, "a/c/0/1", v, 1000000, NULL, 0, NULL, NULL, &err));
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(v, nbytes), NULL, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(zinc_error_text(&err), "a/c/0/1"));
	assert_non_null(strstr(zinc_error_text(&err), "1000000 bytes instead of 1228800"));
	zinc_array_close(a);
	stage_close(&s);
	free(v);
}

/* ---- promise 1 ---- */

typedef struct replacer {
	zinc_store *store;
	atomic_bool stop;
} replacer;

/* Chunk (0, 0) full of 1, of 2, ... */
static void *
replace(void *arg)
{
	replacer *r = arg;
	const size_t n = CHUNK_ROWS * CHUNK_COLS;
	uint16_t *v = malloc(n * sizeof *v), g;
	size_t i;

	for (g = 1; v && !atomic_load(&r->stop); g++) {
		for (i = 0; i < n; i++)
			v[i] = g;
		if (zinc_store_put(r->store, NULL, "a/c/0/0", v, n * sizeof *v, NULL, 0, NULL, NULL, NULL) != ZINC_OK)
			break;
	}
	free(v);
	return NULL;
}

static void
no_chunk_mixes_generations(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t *v = buffer();
	replacer r;
	zinc_array *a;
	pthread_t t;
	stage s;
	int round, i, k;

	(void)state;
	stage_open(&s, 1, 0);
	a = filled(&s);
	r.store = s.memory;
	atomic_init(&r.stop, false);
	assert_int_equal(pthread_create(&t, NULL, replace, &r), 0);
	for (round = 0; round < 20; round++) {
		size_t wrong = 0;

		assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, nbytes), NULL, &err));
		for (i = 0; i < CHUNK_ROWS && round > 0; i++)
			for (k = 0; k < CHUNK_COLS; k++)
				wrong += v[i * COLS + k] != v[0];
		assert_int_equal(wrong, 0);
		while (round == 0 && v[1] != v[0]) /* the first replacement */
			assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, nbytes), NULL, &err));
	}
	atomic_store(&r.stop, true);
	pthread_join(t, NULL);
	zinc_array_close(a);
	stage_close(&s);
	free(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole_chunks_come_in_pieces),
	    cmocka_unit_test(what_is_missing_or_short_is_said),
	    cmocka_unit_test(no_chunk_mixes_generations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
