/*
 * test_registry.c - the promises of registry.c, by number
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "support/test.h"

typedef struct row {
	const char *name;
	int value;
} row;

/* (2) */
static void
rows_are_found(void **state)
{
	static zinc_registry g;
	static const row a = {"a", 1}, b = {"b", 2}, again = {"a", 3}, nameless = {NULL, 4}, empty = {"", 5};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_null(zinc_registry_find(&g, "a"));
	assert_null(zinc_registry_item(&g, 0));
	assert_ok(zinc_registry_add(&g, &a, &err));
	assert_ok(zinc_registry_add(&g, &b, &err));
	assert_int_equal(zinc_registry_add(&g, &again, &err), ZINC_E_EXISTS);
	assert_string_equal(err.text, "\"a\" is registered already");
	assert_int_equal(zinc_registry_add(&g, &nameless, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_registry_add(&g, &empty, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_registry_add(&g, NULL, &err), ZINC_E_INVALID);
	assert_ptr_equal(zinc_registry_find(&g, "a"), &a);
	assert_ptr_equal(zinc_registry_find(&g, "b"), &b);
	assert_null(zinc_registry_find(&g, "c"));
	assert_ptr_equal(zinc_registry_item(&g, 1), &b);
	assert_null(zinc_registry_item(&g, 2));
	assert_null(zinc_registry_item(&g, 100000));
}

static void
a_full_registry_says_so(void **state)
{
	static zinc_registry g;
	static char names[ZINC_REGISTRY_SLOTS + 1][8];
	static row rows[ZINC_REGISTRY_SLOTS + 1];
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i <= ZINC_REGISTRY_SLOTS; i++) {
		snprintf(names[i], sizeof names[i], "n%zu", i);
		rows[i].name = names[i];
		assert_int_equal(zinc_registry_add(&g, &rows[i], &err),
				 i < ZINC_REGISTRY_SLOTS ? ZINC_OK : ZINC_E_LIMIT);
	}
	assert_int_equal(zinc_registry_add(&g, &rows[7], &err), ZINC_E_EXISTS);
	assert_ptr_equal(zinc_registry_item(&g, ZINC_REGISTRY_SLOTS - 1), &rows[ZINC_REGISTRY_SLOTS - 1]);
	assert_null(zinc_registry_item(&g, ZINC_REGISTRY_SLOTS));
	assert_null(zinc_registry_find(&g, "n64"));
}

/* (1) */
enum { THREADS = 8, NAMES = 40 };

static zinc_registry contended;
static row theirs[THREADS][NAMES];
static atomic_int added;

static void *
add_all(void *arg)
{
	row *mine = arg;
	int i;

	for (i = 0; i < NAMES; i++) {
		const zinc_status st = zinc_registry_add(&contended, &mine[i], NULL);

		if (st == ZINC_OK)
			added++;
		else if (st != ZINC_E_EXISTS)
			added += 1000;
	}
	return NULL;
}

static void
one_of_many_threads_wins(void **state)
{
	static char names[NAMES][16];
	pthread_t threads[THREADS];
	int t, i;

	(void)state;
	for (i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof names[i], "t%d", i);
	for (t = 0; t < THREADS; t++)
		for (i = 0; i < NAMES; i++)
			theirs[t][i].name = names[(i + t) % NAMES];
	for (t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&threads[t], NULL, add_all, theirs[t]), 0);
	for (t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	assert_int_equal(added, NAMES);
	for (i = 0; i < NAMES; i++)
		assert_non_null(zinc_registry_find(&contended, names[i]));
	assert_null(zinc_registry_item(&contended, NAMES));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_found),
	    cmocka_unit_test(a_full_registry_says_so),
	    cmocka_unit_test(one_of_many_threads_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
