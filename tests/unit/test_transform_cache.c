/*
 * test_transform_cache.c - the run-time layer that keeps answers
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"
#include "transform/transform_inside.h"

typedef struct rig {
	zinc_store *base, *log, *s;
	zinc_store_counts was;
} rig;

static zinc_status
lay_cache(zinc_store **out, zinc_store *next, uint64_t bytes, int trust, zinc_error *err)
{
	const zinc_layer_cache_options o = {sizeof o, bytes, trust};
	const zinc_transformer_input in = {.size = sizeof in, .next = next, .prefix = ""};

	return zinc_layer_cache(out, &o, &in, err);
}

static void
rig_open(rig *r, uint64_t bytes, int trust)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_open(&r->base, "memory://", NULL, &err));
	assert_ok(zinc_store_log(&r->log, r->base, NULL, NULL, &err));
	assert_ok(lay_cache(&r->s, r->log, bytes, trust, &err));
	r->was.size = sizeof r->was;
	zinc_store_log_counts(r->log, &r->was);
}

static void
rig_close(rig *r)
{
	zinc_store_close(r->s);
	zinc_store_close(r->log);
	zinc_store_close(r->base);
}

/* Calls and bytes that passed below since the last time. */
static void
assert_asked(rig *r, uint64_t calls, uint64_t bytes)
{
	zinc_store_counts now = ZINC_STORE_COUNTS_INIT;

	zinc_store_log_counts(r->log, &now);
	assert_int_equal(now.get_calls - r->was.get_calls, calls);
	assert_int_equal(now.get_bytes - r->was.get_bytes, bytes);
	r->was = now;
}

/* Promise 1. */
static void
test_entries_are_confirmed(void **state)
{
	zinc_get r[3] = {get_range("a", 0, ZINC_TO_END), get_range("b", 1, 2), get_suffix("b", 3)};
	char into[2];
	const struct iovec iov[2] = {{&into[0], 1}, {&into[1], 1}};
	zinc_error err = ZINC_ERROR_INIT;
	rig x;
	gets g;
	int i;

	(void)state;
	rig_open(&x, 1000, 0);
	put_text(x.base, "a", "hello");
	put_text(x.base, "b", "0123456789");
	for (i = 0; i < 3; i++) {
		r[1].iov = i == 1 ? iov : NULL; /* for any destination of the bytes */
		r[1].niov = i == 1 ? 2 : 0;
		gets_init(&g, 3);
		assert_ok(gets_run(&g, x.s, r, &err));
		assert_memory_equal(g.r[0].bytes, "hello", 5);
		assert_memory_equal(i == 1 ? (uint8_t *)into : g.r[1].bytes, "12", 2);
		assert_memory_equal(g.r[2].bytes, "789", 3);
		assert_int_equal(g.r[2].object_size, 10);
		assert_asked(&x, 1, i == 0 ? 10 : 0); /* then one call for tags alone */
		gets_fini(&g);
	}
	put_text(x.base, "a", "other"); /* by another writer */
	assert_text(x.s, "a", "other");
	assert_asked(&x, 2, 5);
	assert_text(x.s, "a", "other");
	assert_asked(&x, 1, 0);
	assert_ok(zinc_store_del(x.base, NULL, "a", NULL, 0, NULL, &err));
	assert_missing(x.s, "a");
	r[0].if_tag = &(zinc_tag){1, {7}};
	put_text(x.base, "a", "again");
	assert_text(x.s, "a", "again");
	gets_init(&g, 1);
	assert_ok(gets_run(&g, x.s, r, &err));
	assert_int_equal(g.r[0].found, ZINC_CHANGED); /* the caller's condition also applies to kept answers */
	gets_fini(&g);
	rig_close(&x);
}

static void
test_trusted_entries_are_not(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	rig x;

	(void)state;
	rig_open(&x, 1000, 1);
	put_text(x.base, "a", "hello");
	assert_text(x.s, "a", "hello");
	assert_asked(&x, 1, 5);
	assert_text(x.s, "a", "hello");
	assert_asked(&x, 0, 0);
	put_text(x.s, "a", "mine"); /* promise 3 */
	assert_text(x.s, "a", "mine");
	assert_ok(zinc_store_put_partial(x.s, &(zinc_partial){"a", 0, "M", 1, 0}, 1, 0, 0, NULL, &err));
	assert_text(x.s, "a", "Mine");
	assert_ok(zinc_store_put_begin(x.s, &g, 0, NULL, &err));
	assert_ok(zinc_store_put(x.s, g, "a", "all", 3, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_commit(x.s, g, NULL, NULL, NULL, &err));
	assert_text(x.s, "a", "all");
	assert_ok(zinc_store_del(x.s, NULL, "a", NULL, 0, NULL, &err));
	assert_missing(x.s, "a");
	put_text(x.s, "a", "new");
	assert_text(x.s, "a", "new");
	assert_ok(zinc_store_del_prefix(x.s, "", 0, NULL, &err));
	assert_missing(x.s, "a");
	rig_close(&x);
}

/* Promise 4: three of four bytes at a time; the last used one is kept. */
static void
test_bytes_are_bounded(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	rig x;

	(void)state;
	rig_open(&x, 12, 1);
	put_text(x.base, "a", "aaaa");
	put_text(x.base, "b", "bbbb");
	put_text(x.base, "c", "cccc");
	put_text(x.base, "d", "dddd");
	put_text(x.base, "long", "longer than 12");
	assert_text(x.s, "a", "aaaa");
	assert_text(x.s, "b", "bbbb");
	assert_text(x.s, "c", "cccc");
	assert_text(x.s, "a", "aaaa");
	assert_text(x.s, "d", "dddd"); /* b is dropped */
	assert_asked(&x, 4, 16);
	assert_text(x.s, "a", "aaaa");
	assert_text(x.s, "c", "cccc");
	assert_asked(&x, 0, 0);
	assert_text(x.s, "b", "bbbb");
	assert_asked(&x, 1, 4);
	assert_text(x.s, "long", "longer than 12");
	assert_text(x.s, "long", "longer than 12");
	assert_asked(&x, 2, 28);
	assert_ok(zinc_store_sync(x.s, NULL, &err));
	rig_close(&x);
}

static zinc_status
use(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *base, *s = NULL;
	zinc_status st;
	int i;

	(void)arg;
	ZINC_TRY(zinc_store_open(&base, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err));
	st = lay_cache(&s, base, 100, 0, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "a", "hello", 5, NULL, 0, NULL, NULL, err);
	for (i = 0; st == ZINC_OK && i < 3; i++) {
		st = zinc_store_get_all(s, "a", &b, NULL, 0, NULL, err);
		if (st == ZINC_OK)
			assert_memory_equal(b.data, "hello", 5);
		zinc_blob_fini(&b);
	}
	zinc_store_close(s);
	zinc_store_close(base);
	return st;
}

static void
test_memory_runs_out(void **state)
{
	(void)state;
	sweep_alloc(use, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_entries_are_confirmed),
	    cmocka_unit_test(test_trusted_entries_are_not),
	    cmocka_unit_test(test_bytes_are_bounded),
	    cmocka_unit_test(test_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
