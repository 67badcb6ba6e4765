/*
 * test_lru.c - entries by key: which are dropped first, entries in use, failing allocations
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "support/sweep.h"
#include "support/test.h"

static const zinc_tag no_tag;

static zinc_lru_entry *
add(zinc_lru *l, const char *key, size_t nbytes, uint64_t budget)
{
	zinc_lru_entry *e = zinc_lru_entry_new(l, sizeof *e, zinc_lru_hash(key, 0), key, &no_tag, nbytes);

	if (e)
		zinc_lru_add(l, e, budget);
	return e;
}

static zinc_lru_entry *
find(zinc_lru *l, const char *key)
{
	return zinc_lru_next(l, zinc_lru_hash(key, 0), key, NULL);
}

static zinc_lru
new_table(void)
{
	return (zinc_lru){.ctx = zinc_context_get(NULL)};
}

/* lru.c (1) */
static void
test_oldest_first(void **unused)
{
	zinc_lru l = new_table();
	zinc_lru_entry *e;

	(void)unused;
	add(&l, "a", 10, 30);
	add(&l, "b", 10, 30);
	add(&l, "c", 10, 30);
	assert_int_equal(l.used, 30);
	e = find(&l, "a"); /* used: now b is the oldest */
	zinc_lru_hold(&l, e);
	zinc_lru_release(&l, e);
	add(&l, "d", 10, 30);
	assert_null(find(&l, "b"));
	assert_non_null(find(&l, "a"));
	add(&l, "e", 25, 30);
	assert_int_equal(l.used, 25);
	assert_non_null(find(&l, "e"));
	assert_null(find(&l, "a"));
	zinc_lru_empty(&l);
	assert_int_equal(l.used, 0);
	assert_null(l.newest);
	zinc_lru_empty(&l);
}

/* lru.c (2) */
static void
test_held(void **unused)
{
	zinc_lru l = new_table();
	zinc_lru_entry *e = add(&l, "a", 3, 10);

	(void)unused;
	memcpy(e->bytes, "abc", 3);
	zinc_lru_hold(&l, e);
	zinc_lru_hold(&l, e);
	zinc_lru_drop(&l, e);
	assert_null(find(&l, "a"));
	assert_int_equal(l.used, 0);
	assert_memory_equal(e->bytes, "abc", 3);
	zinc_lru_release(&l, e);
	assert_memory_equal(e->bytes, "abc", 3);
	zinc_lru_release(&l, e);
}

/* Several entries of one key, in one bucket with a thousand others. */
static void
test_many(void **unused)
{
	zinc_lru l = new_table();
	zinc_lru_entry *e;
	char key[32];
	int i, n = 0;

	(void)unused;
	for (i = 0; i < 5000; i++) {
		snprintf(key, sizeof key, "c/%d", i % 2500);
		assert_non_null(add(&l, key, 1, 5000));
	}
	for (i = 0; i < 2500; i++) {
		snprintf(key, sizeof key, "c/%d", i);
		e = find(&l, key);
		assert_non_null(e);
		e = zinc_lru_next(&l, e->hash, key, e);
		assert_non_null(e);
		assert_string_equal(e->key, key);
		assert_null(zinc_lru_next(&l, e->hash, key, e));
	}
	for (e = l.newest; e; e = e->older)
		n++;
	assert_int_equal(n, 5000);
	zinc_lru_empty(&l);
}

static zinc_status
make_one(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_lru l = {.ctx = ctx};
	zinc_lru_entry *e = zinc_lru_entry_new(&l, sizeof *e + 8, 1, "key", &no_tag, 100);

	(void)arg;
	if (!e)
		return zinc_fail_nomem(err);
	zinc_lru_release(&l, e);
	return ZINC_OK;
}

static void
test_no_memory(void **unused)
{
	(void)unused;
	assert_true(sweep_alloc(make_one, NULL) >= 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_oldest_first),
	    cmocka_unit_test(test_held),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
