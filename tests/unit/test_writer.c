/*
 * test_writer.c - what a buffered writer keeps, writes and reports as lost
 *
 * An array of 4 x 8 elements of two bytes in four chunks: a held chunk costs 3 bytes for each of its 8 elements.
 */
#include "support/arrays.h"
#include "support/fault.h"
#include "support/test.h"

#include <string.h>

#define CHUNK 24u /* what one costs */

typedef struct scene {
	stage s;
	zinc_array *a;
	zinc_writer *w;
} scene;

static void
scene_open(scene *x, uint64_t chunks)
{
	zinc_error err = ZINC_ERROR_INIT;

	stage_open(&x->s, 1, 0);
	x->a = stage_array(&x->s, "a", 4, 8, 1, 8, 0, 0, "none");
	assert_ok(zinc_writer_new(&x->w, x->a, chunks * CHUNK, NULL, &err));
}

static void
scene_close(scene *x)
{
	zinc_array_close(x->a);
	stage_close(&x->s);
}

/* From now on the store fails, or works again. */
static void
broken(scene *x, bool on)
{
	(void)zinc_store_fault_set(x->s.fault, on ? &(zinc_fault){.at = 1, .forever = 1, .status = ZINC_E_IO} : NULL);
}

static zinc_status
put(scene *x, const char *where, uint16_t value)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;
	zinc_status st;
	uint16_t v[32];

	for (size_t i = 0; i < COUNT(v); i++)
		v[i] = value;
	assert_ok(zinc_selection_parse(&sel, x->a, where, &err));
	st = zinc_writer_write(x->w, sel, ZINC_BUFFER(v, sizeof v), NULL, &err);
	zinc_selection_free(sel);
	return st;
}

/* Each row is all `want[row]`. */
static void
rows_are(scene *x, const uint16_t *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[32];

	assert_ok(zinc_array_read_text(x->a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	for (size_t i = 0; i < COUNT(v); i++)
		assert_int_equal(v[i], want[i / 8]);
}

static void
close_writes_all(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)unused;
	scene_open(&x, 4);
	assert_int_equal(put(&x, "0:2", 7), ZINC_OK);
	rows_are(&x, (uint16_t[]){0, 0, 0, 0});
	assert_ok(zinc_writer_close(x.w, NULL, &err));
	rows_are(&x, (uint16_t[]){7, 7, 0, 0});
	assert_ok(zinc_writer_close(NULL, NULL, &err));
	scene_close(&x);
}

static void
close_says_what_is_lost(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)unused;
	scene_open(&x, 4);
	assert_int_equal(put(&x, "0:2", 7), ZINC_OK);
	broken(&x, true);
	assert_int_equal(zinc_writer_close(x.w, NULL, &err), ZINC_E_IO);
	assert_int_equal(err.code, ZINC_E_IO);
	broken(&x, false);
	rows_are(&x, (uint16_t[]){0, 0, 0, 0});
	scene_close(&x);
}

static void
free_discards(void **unused)
{
	scene x;

	(void)unused;
	scene_open(&x, 4);
	assert_int_equal(put(&x, "0:2", 7), ZINC_OK);
	zinc_writer_free(x.w);
	rows_are(&x, (uint16_t[]){0, 0, 0, 0});
	scene_close(&x);
}

static void
flush_can_be_tried_again(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)unused;
	scene_open(&x, 4);
	assert_int_equal(put(&x, "0:2", 7), ZINC_OK);
	broken(&x, true);
	assert_int_equal(zinc_writer_flush(x.w, NULL, &err), ZINC_E_IO);
	broken(&x, false);
	assert_ok(zinc_writer_flush(x.w, NULL, &err));
	rows_are(&x, (uint16_t[]){7, 7, 0, 0});
	zinc_writer_free(x.w);
	scene_close(&x);
}

/* Rows 0 and 1 are held, and room for 1 and 2 is made by writing 0, which fails: 1 keeps its old elements, 2 none. */
static void
a_write_that_fails_keeps_nothing(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)unused;
	scene_open(&x, 2);
	assert_int_equal(put(&x, "0:2", 7), ZINC_OK);
	broken(&x, true);
	assert_int_equal(put(&x, "1:3", 8), ZINC_E_IO);
	broken(&x, false);
	assert_ok(zinc_writer_close(x.w, NULL, &err));
	rows_are(&x, (uint16_t[]){7, 7, 0, 0});
	scene_close(&x);
}

/* The same for one larger than the budget, which is also stored after earlier writes. */
static void
a_write_beyond_the_budget_goes_at_once(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)unused;
	scene_open(&x, 2);
	assert_int_equal(put(&x, "0", 7), ZINC_OK);
	broken(&x, true);
	assert_int_equal(put(&x, "0:3", 8), ZINC_E_IO);
	broken(&x, false);
	rows_are(&x, (uint16_t[]){0, 0, 0, 0});
	assert_ok(zinc_writer_flush(x.w, NULL, &err));
	rows_are(&x, (uint16_t[]){7, 0, 0, 0});
	assert_int_equal(put(&x, "2", 7), ZINC_OK);
	assert_int_equal(put(&x, "0:3", 8), ZINC_OK);
	rows_are(&x, (uint16_t[]){8, 8, 8, 0});
	assert_ok(zinc_writer_close(x.w, NULL, &err));
	rows_are(&x, (uint16_t[]){8, 8, 8, 0});
	scene_close(&x);
}

/* Whole chunks are put without reading while they fit, however they were written. */
static void
the_budget_is_kept(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)unused;
	scene_open(&x, 2);
	(void)stage_counts(&x.s);
	for (int half = 0; half < 2; half++)
		assert_int_equal(put(&x, half ? "0:2, 4:" : "0:2, :4", 5), ZINC_OK);
	assert_int_equal(stage_counts(&x.s).put_calls, 0);
	assert_int_equal(put(&x, "2", 6), ZINC_OK);
	assert_int_equal(stage_counts(&x.s).put_calls, 1); /* row 0 */
	rows_are(&x, (uint16_t[]){5, 0, 0, 0});
	assert_ok(zinc_writer_close(x.w, NULL, &err));
	assert_int_equal(stage_counts(&x.s).update_calls, 0);
	rows_are(&x, (uint16_t[]){5, 5, 6, 0});
	scene_close(&x);
}

/* A matrix of 3 x 6 elements in chunks of 2 x 4, grown and shrunk while the chunk at the corner is held. */
static void
a_resized_chunk_is_laid_out_anew(void **unused)
{
	static const uint64_t large[] = {4, 8}, small[] = {3, 6};
	static const uint16_t want[] = {7, 7, 8, 8, 0, 0, 8, 8}; /* rows 2 and 3, from column 4 on */
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[8];
	scene x;

	(void)unused;
	stage_open(&x.s, 1, 0);
	x.a = stage_array(&x.s, "a", 3, 6, 2, 4, 0, 0, "none");
	assert_ok(zinc_writer_new(&x.w, x.a, 1000, NULL, &err));
	assert_int_equal(put(&x, "2:3,4:6", 7), ZINC_OK);
	assert_ok(zinc_array_resize(x.a, large, NULL, &err));
	assert_int_equal(put(&x, "2:4,6:8", 8), ZINC_OK);
	assert_ok(zinc_writer_flush(x.w, NULL, &err));
	assert_ok(zinc_array_read_text(x.a, "2:4,4:8", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_memory_equal(v, want, sizeof v);

	assert_int_equal(put(&x, "2:4,5:8", 9), ZINC_OK);
	assert_int_equal(put(&x, "0:2,4:8", 3), ZINC_OK); /* after it */
	assert_ok(zinc_array_resize(x.a, small, NULL, &err));
	assert_ok(zinc_writer_close(x.w, NULL, &err));
	assert_ok(zinc_array_read_text(x.a, "1:3,4:6", ZINC_BUFFER(v, 4 * sizeof *v), NULL, &err));
	assert_memory_equal(v, ((uint16_t[]){3, 3, 7, 9}), 4 * sizeof *v);
	scene_close(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(close_writes_all),
	    cmocka_unit_test(close_says_what_is_lost),
	    cmocka_unit_test(free_discards),
	    cmocka_unit_test(flush_can_be_tried_again),
	    cmocka_unit_test(a_write_that_fails_keeps_nothing),
	    cmocka_unit_test(a_write_beyond_the_budget_goes_at_once),
	    cmocka_unit_test(the_budget_is_kept),
	    cmocka_unit_test(a_resized_chunk_is_laid_out_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
