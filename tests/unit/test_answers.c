/*
 * test_answers.c - structures that calls fill: only within the size of the caller's structure, and nothing without a
 * size
 *
 * The program may be older than the library (its structure is shorter) or newer (longer).
 */
#include <stdio.h>
#include <string.h>
#include <zinc/erase.h>
#include <zinc/tool.h>

#include "base/base.h"
#include "support/arrays.h"
#include "support/test.h"

static stage s;
static zinc_array *a;

/* A call that fills `out`. */
typedef zinc_status (*ask_fn)(void *out, zinc_error *err);
#define ASK(name) static zinc_status name(void *out, zinc_error *err)

ASK(erase)
{
	return zinc_node_erase_with(s.h, "/a", ZINC_ERASE_OPTIONS(.dry_run = 1), out, err);
}

ASK(validate)
{
	return zinc_validate("memory://answers", NULL, NULL, NULL, out, err);
}

ASK(copy)
{
	return zinc_copy(s.h, "/a", s.h, "/b", ZINC_COPY_OPTIONS(.dry_run = 1), out, err);
}

ASK(copy_url)
{
	return zinc_copy_url("memory://answers", "memory://answers-2", ZINC_COPY_OPTIONS(.dry_run = 1), out, err);
}

ASK(diff)
{
	return zinc_diff(s.h, "/a", s.h, "/a", NULL, NULL, NULL, out, err);
}

ASK(stored)
{
	return zinc_array_stored(a, out, NULL, err);
}

ASK(explain)
{
	return zinc_array_explain(a, NULL, NULL, NULL, NULL, out, err);
}

ASK(stats)
{
	return zinc_array_stats(a, NULL, NULL, out, err);
}

static const struct row {
	const char *name;
	ask_fn ask;
	size_t nbytes;
	bool optional; /* NULL: not needed */
} rows[] = {
    {"erase", erase, sizeof(zinc_erase_counts), true},     {"validate", validate, sizeof(zinc_validate_counts), true},
    {"copy", copy, sizeof(zinc_copy_counts), true},        {"copy_url", copy_url, sizeof(zinc_copy_counts), true},
    {"diff", diff, sizeof(zinc_diff_counts), true},        {"stored", stored, sizeof(zinc_stored), false},
    {"explain", explain, sizeof(zinc_explanation), false}, {"stats", stats, sizeof(zinc_stats), false},
};
#define MORE 64
#define MARK 0xA5

static uint8_t whole[4096], out[4096];

/* Call with a structure of `size` bytes, in memory that is marked after its size. */
static zinc_status
ask(const struct row *r, size_t size)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(out, MARK, sizeof out);
	memcpy(out, &size, sizeof size);
	return r->ask(out, &err);
}

static void
assert_filled(const struct row *r, size_t size)
{
	const size_t filled = size < r->nbytes ? size : r->nbytes;
	size_t said, i;

	print_message("%s: %zu of %zu bytes\n", r->name, size, r->nbytes);
	assert_int_equal(ask(r, size), ZINC_OK);
	memcpy(&said, out, sizeof said);
	assert_int_equal(said, filled);
	assert_memory_equal(out + sizeof said, whole + sizeof said, filled - sizeof said);
	for (i = filled; i < sizeof out; i++)
		assert_int_equal(out[i], MARK);
}

static void
answers_fit_programs_of_any_age(void **state)
{
	size_t i, size;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(ask(&rows[i], rows[i].nbytes), ZINC_OK);
		memcpy(whole, out, sizeof whole);
		for (size = sizeof size; size < rows[i].nbytes; size += 8)
			assert_filled(&rows[i], size);
		assert_filled(&rows[i], rows[i].nbytes);
		assert_filled(&rows[i], rows[i].nbytes + MORE);
	}
}

static void
without_a_size_nothing_is_filled(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(ask(&rows[i], 0), ZINC_E_INVALID);
		for (k = sizeof k; k < sizeof out; k++)
			assert_int_equal(out[k], MARK);
	}
}

static void
some_need_not_be_wanted(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		assert_int_equal(rows[i].ask(NULL, &err), rows[i].optional ? ZINC_OK : ZINC_E_INVALID);
}

/* An allocator of an older header has no newer members. */
static void
an_allocator_has_a_size(void **state)
{
	zinc_allocator none = zinc_allocator_libc;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;

	(void)state;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &none), &err));
	zinc_context_free(ctx);
	none.size = 0;
	assert_int_equal(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &none), &err), ZINC_E_INVALID);
	none.size = offsetof(zinc_allocator, free);
	assert_int_equal(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &none), &err), ZINC_E_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(answers_fit_programs_of_any_age),
	    cmocka_unit_test(without_a_size_nothing_is_filled),
	    cmocka_unit_test(some_need_not_be_wanted),
	    cmocka_unit_test(an_allocator_has_a_size),
	};
	zinc_store *kept = NULL; /* a store in memory lives while it is open */
	int failed;

	if (zinc_store_open(&kept, "memory://answers", NULL, NULL) != ZINC_OK ||
	    zinc_group_create_url("memory://answers", NULL, 0, NULL, NULL) != ZINC_OK)
		return 1;
	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 4, 4, 2, 2, 0, 0, "none");
	stage_fill(a);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	zinc_array_close(a);
	stage_close(&s);
	zinc_store_close(kept);
	return failed;
}
