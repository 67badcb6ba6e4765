/*
 * test_table.c - the promises of table.c, by number
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "support/test.h"

typedef struct row {
	const char *name;
	const char *const *aliases, *const *uris;
	const char *also;
} row;

static zinc_names
names_of(const void *p)
{
	const row *r = p;

	return (zinc_names){.name = r->name, .aliases = r->aliases, .uris = r->uris, .also = r->also};
}

/* (2) */
static void
rows_are_found(void **state)
{
	static zinc_table g = {.what = "a thing", .names = names_of};
	static const row a = {.name = "a"}, b = {.name = "b"}, again = {.name = "a"}, nameless = {0},
			 empty = {.name = ""};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_null(zinc_table_find(&g, "a"));
	assert_null(zinc_table_row(&g, 0));
	assert_ok(zinc_table_add(&g, &a, &err));
	assert_ok(zinc_table_add(&g, &b, &err));
	assert_int_equal(zinc_table_add(&g, &again, &err), ZINC_E_EXISTS);
	assert_string_equal(err.text, "a thing \"a\" is already registered");
	assert_int_equal(zinc_table_add(&g, &nameless, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_table_add(&g, &empty, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_table_add(&g, NULL, &err), ZINC_E_INVALID);
	assert_ptr_equal(zinc_table_find(&g, "a"), &a);
	assert_ptr_equal(zinc_table_find(&g, "b"), &b);
	assert_null(zinc_table_find(&g, "c"));
	assert_ptr_equal(zinc_table_row(&g, 1), &b);
	assert_null(zinc_table_row(&g, 2));
	assert_null(zinc_table_row(&g, 100000));
}

static void
a_full_table_says_so(void **state)
{
	static zinc_table g = {.what = "a thing", .names = names_of};
	static char names[ZINC_TABLE_ROOM + 1][8];
	static row rows[ZINC_TABLE_ROOM + 1];
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i <= ZINC_TABLE_ROOM; i++) {
		snprintf(names[i], sizeof names[i], "n%zu", i);
		rows[i].name = names[i];
		assert_int_equal(zinc_table_add(&g, &rows[i], &err), i < ZINC_TABLE_ROOM ? ZINC_OK : ZINC_E_LIMIT);
	}
	assert_int_equal(zinc_table_add(&g, &rows[7], &err), ZINC_E_EXISTS);
	assert_ptr_equal(zinc_table_row(&g, ZINC_TABLE_ROOM - 1), &rows[ZINC_TABLE_ROOM - 1]);
	assert_null(zinc_table_row(&g, ZINC_TABLE_ROOM));
	assert_null(zinc_table_find(&g, "n64"));
}

/* (1) Of names, aliases and URIs, built in or added; a refused one leaves nothing. */
static const char *const zinc_oxide[] = {"zno", "philosophers-wool", NULL}, *const wool[] = {"philosophers-wool", NULL};
static const char *const v10[] = {"https://e.org/a/1.0", NULL}, *const v13[] = {"https://e.org/a/1.3", NULL};
static const char *const v20[] = {"https://e.org/a/2.0", NULL};
static const row first = {.name = "oxide", .aliases = zinc_oxide, .also = "ZnO"}, second = {.name = "uri", .uris = v10};
static const void *const built_in[] = {&first, &second};

static void
names_are_taken_once(void **state)
{
	static zinc_table g = {.what = "a thing", ZINC_TABLE_ROWS(built_in), .names = names_of};
	static const row refused[] = {
	    {.name = "oxide"},
	    {.name = "zno"},
	    {.name = "x", .aliases = wool},
	    {.name = "x", .uris = v13},
	    {.name = "https://e.org/a/1.0"},
	    {.name = "x", .uris = zinc_oxide},
	};
	static const row other = {.name = "other", .uris = v20}, more = {.name = "more", .uris = v20};
	zinc_uri_match match;
	size_t i;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	for (i = 0; i < sizeof refused / sizeof *refused; i++)
		assert_int_equal(zinc_table_add(&g, &refused[i], NULL), ZINC_E_EXISTS);
	assert_ok(zinc_table_add_copy(&g, &other, sizeof other, &err));
	assert_int_equal(zinc_table_add_copy(&g, &more, sizeof more, NULL), ZINC_E_EXISTS);
	assert_ptr_equal(zinc_table_find(&g, "philosophers-wool"), &first);
	assert_null(zinc_table_find(&g, "x"));
	assert_ptr_equal(zinc_table_find_uri(&g, "https://e.org/a/1.7", &match), &second);
	assert_int_equal(match, ZINC_URI_MINOR);
	assert_null(zinc_table_find_uri(&g, "https://e.org/a/3.0", &match));
	assert_int_equal(match, ZINC_URI_MAJOR);
	assert_true(zinc_table_is_builtin(&g, &first));
	assert_ptr_equal(zinc_table_row(&g, 2), zinc_table_find(&g, "other"));
	assert_false(zinc_table_is_builtin(&g, zinc_table_row(&g, 2)));
	assert_null(zinc_table_row(&g, 3));
}

enum { LISTED = 64 };

static int
stop_at_uri(void *arg, const char *name, const char *also, const char *purpose)
{
	char *text = arg;
	const size_t n = strlen(text);

	snprintf(text + n, LISTED - n, "%s%s", name, also);
	assert_string_equal(purpose, "");
	return strcmp(name, "uri") == 0;
}

static void
rows_are_listed(void **state)
{
	static zinc_table g = {.what = "a thing", ZINC_TABLE_ROWS(built_in), .names = names_of};
	static const row never = {.name = "never"};
	char text[LISTED] = "";
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(zinc_table_each(&g, stop_at_uri, text), 1);
	assert_string_equal(text, "oxideZnOuri");
	assert_ok(zinc_table_add(&g, &never, &err));
	text[0] = '\0';
	assert_int_equal(zinc_table_each(&g, stop_at_uri, text), 1);
	assert_string_equal(text, "oxideZnOuri");
}

/* A table may have its own check for conflicting rows. */
static zinc_status
no_two_with_one_letter(const zinc_table *t, const void *a, const void *b, zinc_error *err)
{
	(void)t;
	return ((const row *)a)->name[0] == ((const row *)b)->name[0] ? zinc_fail(err, ZINC_E_EXISTS, "letter")
								      : ZINC_OK;
}

static void
clashes_are_the_tables_own(void **state)
{
	static zinc_table g = {.what = "a thing", .names = names_of, .clash = no_two_with_one_letter};
	static const row a = {.name = "a"}, ab = {.name = "ab"}, b = {.name = "b"};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_table_add(&g, &a, &err));
	assert_int_equal(zinc_table_add(&g, &ab, NULL), ZINC_E_EXISTS);
	assert_ok(zinc_table_add(&g, &b, &err));
}

/* (1) */
enum { THREADS = 8, NAMES = 40 };

static zinc_table contended = {.what = "a thing", .names = names_of};
static row theirs[THREADS][NAMES];
static atomic_int added;

static void *
add_all(void *arg)
{
	row *mine = arg;
	int i;

	for (i = 0; i < NAMES; i++) {
		const zinc_status st = zinc_table_add(&contended, &mine[i], NULL);

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
		assert_non_null(zinc_table_find(&contended, names[i]));
	assert_null(zinc_table_row(&contended, NAMES));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_found),
	    cmocka_unit_test(a_full_table_says_so),
	    cmocka_unit_test(names_are_taken_once),
	    cmocka_unit_test(rows_are_listed),
	    cmocka_unit_test(clashes_are_the_tables_own),
	    cmocka_unit_test(one_of_many_threads_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
