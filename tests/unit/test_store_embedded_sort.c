/*
 * test_store_embedded_sort.c - runs of keys of a hash database, with a database that is only counted; the promise of
 * store_embedded_sort.c by its number
 */
#include <stdio.h>
#include <string.h>

#include "store/store_embedded.h"
#include "support/test.h"

enum { KEYS = 100000 }; /* more than three runs */

/* All keys, from the last to the first. */
static zinc_status
scan(void *db, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg, zinc_error *err)
{
	char key[16];
	int i;

	(void)db, (void)from, (void)sizes, (void)err;
	for (i = KEYS - 1; i >= 0; i--)
		if (fn(arg, key, (size_t)snprintf(key, sizeof key, "k/%06d", i), (uint64_t)i) != 0)
			break;
	return ZINC_OK;
}

typedef struct seen {
	int n, stop;
	bool wrong;
} seen;

static int
see(void *arg, const char *key, size_t n, uint64_t nbytes)
{
	seen *x = (seen *)arg;

	(void)key;
	x->wrong |= n != 8 || nbytes != (uint64_t)x->n;
	x->n++;
	return x->n == x->stop;
}

/* (11) A run is a part of the keys, and the next one follows it, in the same call or in another. */
static void
runs_follow_each_other(void **state)
{
	static const embedded_engine engine = {.library = "none", .scan = scan};
	embedded_db d = {.engine = &engine, .version = 1};
	zinc_error err = ZINC_ERROR_INIT;
	seen whole = {0, -1, false}, part = {0, 40000, false};
	embedded_run run;

	(void)state;
	zinc_embedded_run_init(&run, zinc_context_get(NULL));
	assert_ok(zinc_embedded_sorted(&run, &d, "k/", (zinc_bytes){NULL, 0}, see, &whole, NULL, &err));
	assert_int_equal(whole.n, KEYS);
	assert_false(whole.wrong);
	assert_true(run.n < KEYS / 2); /* of memory */
	zinc_embedded_run_fini(&run);
	zinc_embedded_run_init(&run, zinc_context_get(NULL)); /* places go forward */
	assert_ok(zinc_embedded_sorted(&run, &d, "k/", (zinc_bytes){NULL, 0}, see, &part, NULL, &err));
	assert_int_equal(part.n, 40000);
	part.stop = -1;
	assert_ok(
	    zinc_embedded_sorted(&run, &d, "k/", (zinc_bytes){(const uint8_t *)"k/040000", 8}, see, &part, NULL, &err));
	assert_int_equal(part.n, KEYS);
	assert_false(part.wrong);
	zinc_embedded_run_fini(&run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs_follow_each_other)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
