/*
 * test_store_cache.c - the cache in front of a store: what is asked, and what is kept
 */
#include <stdio.h>
#include <unistd.h>

#include "store/store_cache.h"
#include "support/cache_rig.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/remote_store.h"
#include "support/test.h"

/* (1) (C1) */
static void
confirms_by_tag(void **state)
{
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = ""));
	put_text(r.base, "a", "first");
	assert_text(r.cache, "a", "first");
	assert_string_equal(asked(&r), "get a 5");
	assert_text(r.cache, "a", "first");
	assert_string_equal(asked(&r), "get a 0"); /* a stat */
	put_text(r.base, "a", "second");
	assert_text(r.cache, "a", "second");
	assert_string_equal(asked(&r), "get a 0; get a 6");
	assert_text(r.cache, "a", "second");
	assert_string_equal(asked(&r), "get a 0");
	assert_true(zinc_store_del(r.base, NULL, "a", NULL, 0, NULL, NULL) == ZINC_OK);
	assert_missing(r.cache, "a");
	assert_string_equal(asked(&r), "get a 0");
	assert_missing(r.cache, "a");
	assert_string_equal(asked(&r), "get a 0");
	rig_end(&r);
}

/* (3) (M3) Whole values serve all ranges; a range serves itself. */
static void
ranges(void **state)
{
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 1000));
	put_text(r.base, "a", "0123456789");
	assert_range(r.cache, get_range("a", 2, 3), "234");
	assert_string_equal(asked(&r), "get a 3");
	assert_range(r.cache, get_range("a", 2, 3), "234");
	assert_string_equal(asked(&r), "");
	assert_range(r.cache, get_range("a", 2, 2), "23");
	assert_range(r.cache, get_suffix("a", 3), "789");
	assert_range(r.cache, get_range("a", 6, ZINC_TO_END), "6789");
	assert_range(r.cache, get_range("a", 8, 100), "89");
	assert_string_equal(asked(&r), "get a 2; get a 3; get a 4; get a 2");
	assert_range(r.cache, get_suffix("a", 3), "789");
	assert_range(r.cache, get_range("a", 6, ZINC_TO_END), "6789");
	assert_range(r.cache, get_range("a", 8, 100), "89");
	assert_string_equal(asked(&r), "");
	assert_range(r.cache, get_suffix("a", 100), "0123456789");
	asked(&r);
	assert_range(r.cache, get_range("a", 0, ZINC_TO_END), "0123456789");
	assert_range(r.cache, get_range("a", 3, 5), "34567");
	assert_range(r.cache, get_suffix("a", 1), "9");
	assert_range(r.cache, get_range("a", 10, 1), "");
	assert_range(r.cache, get_range("a", 11, ZINC_TO_END), "");
	assert_string_equal(asked(&r), "");
	rig_end(&r);
}

/* (3) */
static void
age(void **state)
{
	zinc_get stat = get_stat("a");
	zinc_error err = ZINC_ERROR_INIT;
	gets g;
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 1000));
	put_text(r.base, "a", "first");
	assert_text(r.cache, "a", "first");
	assert_missing(r.cache, "b");
	asked(&r);
	put_text(r.base, "a", "second");
	put_text(r.base, "b", "second");
	assert_text(r.cache, "a", "first");
	assert_missing(r.cache, "b");
	gets_init(&g, 1);
	assert_ok(gets_run(&g, r.cache, &stat, &err));
	assert_int_equal(g.r[0].object_size, 5);
	gets_fini(&g);
	assert_string_equal(asked(&r), "");
	rig_end(&r);
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 0.02));
	put_text(r.base, "a", "first");
	assert_text(r.cache, "a", "first");
	assert_missing(r.cache, "b");
	put_text(r.base, "a", "second");
	put_text(r.base, "b", "second");
	usleep(25000);
	assert_text(r.cache, "a", "second");
	assert_text(r.cache, "b", "second");
	rig_end(&r);
}

/* (3) The caller's tag decides, not the age: it may know more than the cache. */
static void
age_and_tags(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag old, new;
	zinc_get get[2];
	gets g;
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 1000));
	put_text(r.base, "a", "first");
	old = tag_of(r.base, "a");
	assert_text(r.cache, "a", "first");
	put_text(r.base, "a", "second");
	new = tag_of(r.base, "a");
	get[0] = get[1] = get_range("a", 0, ZINC_TO_END);
	get[0].if_tag = &new;
	get[1].if_tag = &old;
	gets_init(&g, 2);
	assert_ok(gets_run(&g, r.cache, get, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_memory_equal(g.r[0].bytes, "second", 6);
	assert_true(zinc_tag_equal(&g.r[0].tag, &new));
	gets_fini(&g);
	gets_init(&g, 1);
	assert_ok(gets_run(&g, r.cache, get + 1, &err));
	assert_int_equal(g.r[0].found, ZINC_CHANGED);
	gets_fini(&g);
	rig_end(&r);
}

static zinc_status
append_x(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	char *text = (char *)arg;

	(void)err;
	memcpy(text, old, nold);
	text[nold] = 'x';
	out->bytes = text;
	out->nbytes = nold + 1;
	return ZINC_OK;
}

/* (4) Every kind of change. */
static void
changes_end_the_age(void **state)
{
	static const zinc_partial part = {.key = "a", .offset = 0, .bytes = "A", .nbytes = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *group = NULL;
	char text[64];
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 1000));
	put_text(r.cache, "a", "first");
	assert_text(r.cache, "a", "first");
	put_text(r.cache, "a", "second");
	assert_text(r.cache, "a", "second");
	assert_ok(zinc_store_update(r.cache, "a", append_x, text, 0, 0, 0, NULL, &err));
	assert_text(r.cache, "a", "secondx");
	assert_ok(zinc_store_put_partial(r.cache, &part, 1, 0, 0, NULL, &err));
	assert_text(r.cache, "a", "Aecondx");
	assert_ok(zinc_store_put_begin(r.cache, &group, 0, NULL, &err));
	assert_ok(zinc_store_put(r.cache, group, "a", "group", 5, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_commit(r.cache, group, NULL, NULL, NULL, &err));
	assert_text(r.cache, "a", "group");
	assert_ok(zinc_store_del(r.cache, NULL, "a", NULL, 0, NULL, &err));
	assert_missing(r.cache, "a");
	put_text(r.cache, "a/b", "third");
	assert_text(r.cache, "a/b", "third");
	assert_missing(r.cache, "c");
	assert_ok(zinc_store_del_prefix(r.cache, "a/", 0, NULL, &err));
	assert_missing(r.cache, "a/b");
	put_text(r.cache, "c", "fourth");
	assert_text(r.cache, "c", "fourth");
	rig_end(&r);
}

/* (5) */
static void
without_tags(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	remote_store x;
	zinc_store *base = NULL;
	rig r;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		memset(&x, 0, sizeof x);
		assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
		x.local = base;
		x.parallel = 4;
		x.no_tags = true;
		rig_of(&r, remote_store_open(&x, NULL), ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = i ? 1000 : 0));
		put_text(base, "a", "first");
		assert_text(r.cache, "a", "first");
		assert_string_equal(asked(&r), "get a 5");
		assert_text(r.cache, "a", "first");
		assert_string_equal(asked(&r), i ? "" : "get a 5");
		assert_int_equal(((cached *)r.cache->self)->memory.table.used != 0, i);
		rig_end(&r);
		zinc_store_close(base);
	}
}

/* (2) (8) Nothing but key and range tells files without tags from each other. */
static void
files_without_tags(void **state)
{
	const zinc_get get[4] = {get_range("a", 0, ZINC_TO_END), get_range("b", 0, ZINC_TO_END), get_range("c", 1, 2),
				 get_range("c", 3, 2)};
	static const char *const want[4] = {"first", "other", "12", "34"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base = NULL;
	remote_store x;
	int i, pass;
	gets g;
	rig r;

	(void)state;
	make_empty("untagged");
	memset(&x, 0, sizeof x);
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	x.local = base;
	x.parallel = 4;
	x.no_tags = true;
	rig_of(&r, remote_store_open(&x, NULL),
	       ZINC_STORE_CACHE_OPTIONS(.dir = "untagged", .name = "n", .memory_bytes = 1, .age = 1000));
	put_text(base, "a", "first");
	put_text(base, "b", "other");
	put_text(base, "c", "012345");
	for (pass = 0; pass < 2; pass++) {
		asked(&r);
		gets_init(&g, 4);
		assert_ok(gets_run(&g, r.cache, get, &err));
		for (i = 0; i < 4; i++) {
			assert_int_equal(g.r[i].nbytes, strlen(want[i]));
			assert_memory_equal(g.r[i].bytes, want[i], strlen(want[i]));
		}
		gets_fini(&g);
	}
	assert_string_equal(asked(&r), "");
	rig_end(&r);
	zinc_store_close(base);
}

/* (6) One call for all misses and all checks; one stat for the ranges of a key. */
static void
one_call(void **state)
{
	enum { N = 40 };
	zinc_store_counts before = ZINC_STORE_COUNTS_INIT, after = ZINC_STORE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	static char keys[N][8];
	zinc_get get[N];
	int i, pass;
	gets g;
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = ""));
	put_text(r.base, "shard", "abcdefghijklmnopqrstuvwxyz0123456789");
	for (i = 0; i < N; i++) {
		snprintf(keys[i], sizeof keys[i], "k%d", i);
		put_text(r.base, keys[i], keys[i]);
		get[i] = i < 20 ? get_range("shard", (uint64_t)i, 2) : get_range(keys[i], 0, ZINC_TO_END);
	}
	for (pass = 0; pass < 3; pass++) {
		zinc_store_log_counts(r.log, &before);
		gets_init(&g, N);
		assert_ok(gets_run(&g, r.cache, get, &err));
		gets_fini(&g);
		zinc_store_log_counts(r.log, &after);
		assert_int_equal(after.get_calls - before.get_calls, 1);
		assert_int_equal(after.get_requests - before.get_requests, pass == 0 ? N : 21);
		assert_int_equal(after.get_bytes - before.get_bytes, pass == 0 ? 40 + 20 * 3 : pass == 1 ? 2 : 0);
		get[39] = get_range(keys[1], 0, ZINC_TO_END); /* something new beside what is kept */
	}
	rig_end(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(confirms_by_tag),
	    cmocka_unit_test(ranges),
	    cmocka_unit_test(age),
	    cmocka_unit_test(age_and_tags),
	    cmocka_unit_test(changes_end_the_age),
	    cmocka_unit_test(without_tags),
	    cmocka_unit_test(files_without_tags),
	    cmocka_unit_test(one_call),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
