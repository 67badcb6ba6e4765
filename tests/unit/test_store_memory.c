/*
 * test_store_memory.c - the reference store, by the promises of store_memory.c
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/forks.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

static zinc_store *
open_memory(const char *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, url, NULL, &err));
	return s;
}

/* ---- promise 1: a reader keeps the value that it found ---- */

typedef struct late_reader {
	zinc_store *store;
	char buf[16];
	uint64_t nbytes;
} late_reader;

/* Between finding the value and copying it, it is replaced and deleted. */
static zinc_room
replace_first(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	late_reader *r = (late_reader *)arg;

	(void)i;
	assert_int_equal(nbytes, 3);
	put_text(r->store, "k", "a new and longer value");
	assert_int_equal(zinc_store_del(r->store, NULL, "k", NULL, 0, NULL, NULL), ZINC_OK);
	*buf = r->buf;
	return ZINC_ROOM_OK;
}

static void
note_bytes(void *arg, size_t i, const zinc_got *got)
{
	(void)i;
	((late_reader *)arg)->nbytes = got->nbytes;
}

static void
readers_hold_their_value(void **state)
{
	late_reader r = {.store = open_memory("memory://")};
	zinc_sink sink = {sizeof sink, replace_first, note_bytes, &r};
	zinc_get get = get_range("k", 0, ZINC_TO_END);
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	put_text(r.store, "k", "old");
	assert_ok(zinc_store_get(r.store, &get, 1, &sink, NULL, &err));
	assert_int_equal(r.nbytes, 3);
	assert_memory_equal(r.buf, "old", 3);
	assert_missing(r.store, "k");
	zinc_store_close(r.store);
}

/* ---- promise 2: tags of different stores and lives ---- */

static void
tags_are_of_the_process(void **state)
{
	zinc_store *a = open_memory("memory://same"), *b = open_memory("memory://");
	zinc_tag x, y;

	(void)state;
	put_text(a, "k", "v");
	put_text(b, "k", "v");
	x = tag_of(a, "k");
	y = tag_of(b, "k");
	assert_false(zinc_tag_equal(&x, &y));
	zinc_store_close(a);
	a = open_memory("memory://same");
	put_text(a, "k", "v");
	y = tag_of(a, "k");
	assert_false(zinc_tag_equal(&x, &y));
	zinc_store_close(a);
	zinc_store_close(b);
}

/* ---- promise 3: update ---- */

typedef struct nosy {
	zinc_store *store;
	int calls;
	atomic_int inside;
	atomic_int most_inside;
} nosy;

/* Others may use the store while the function runs; a put to the key makes it run again. */
static zinc_status
use_store_inside(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	nosy *n = (nosy *)arg;

	(void)err;
	put_text(n->store, "other", "reachable");
	if (n->calls++ == 0) {
		assert_int_equal(nold, 3);
		put_text(n->store, "k", "between");
	} else {
		assert_int_equal(nold, 7);
		assert_memory_equal(old, "between", 7);
	}
	out->bytes = "final";
	out->nbytes = 5;
	return ZINC_OK;
}

static void
a_put_between_makes_update_run_again(void **state)
{
	nosy n = {.store = open_memory("memory://")};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	put_text(n.store, "k", "old");
	assert_ok(zinc_store_update(n.store, "k", use_store_inside, &n, 0, 0, 0, NULL, &err));
	assert_int_equal(n.calls, 2);
	assert_text(n.store, "k", "final");
	assert_text(n.store, "other", "reachable");
	zinc_store_close(n.store);
}

static zinc_status
be_alone(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	nosy *n = (nosy *)arg;
	int now = atomic_fetch_add(&n->inside, 1) + 1;

	(void)old, (void)nold, (void)err;
	if (now > n->most_inside)
		n->most_inside = now;
	usleep(200);
	atomic_fetch_sub(&n->inside, 1);
	out->keep = 1;
	return ZINC_OK;
}

static void *
update_often(void *arg)
{
	nosy *n = (nosy *)arg;
	int i;

	for (i = 0; i < 30; i++)
		(void)!zinc_store_update(n->store, "k", be_alone, n, 0, 0, 0, NULL, NULL);
	return NULL;
}

static void
updates_of_a_key_exclude_each_other(void **state)
{
	nosy n = {.store = open_memory("memory://")};
	pthread_t t[4];
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, update_often, &n), 0);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(n.most_inside, 1);
	zinc_store_close(n.store);
}

/* ---- promise 4: many keys ---- */

static int
check_order(void *arg, const char *key, uint64_t nbytes)
{
	char *last = (char *)arg;

	assert_true(strcmp(last, key) < 0);
	assert_int_equal(nbytes, strlen(key));
	snprintf(last, 32, "%s", key);
	return 0;
}

/* In an order that has nothing to do with that of the keys; a list or an unbalanced tree would take minutes. */
static void
many_keys(void **state)
{
	enum { N = 50000 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_memory("memory://");
	char key[32], last[32] = "";
	unsigned i, k;

	(void)state;
	for (i = 0; i < N; i++) {
		k = i * 7919u % N;
		snprintf(key, sizeof key, "%u/%u", k % 100, k);
		assert_ok(zinc_store_put(s, NULL, key, key, strlen(key), NULL, 0, NULL, NULL, &err));
	}
	assert_ok(zinc_store_list(s, "", check_order, last, NULL, &err));
	for (i = 0; i < N; i += 2) {
		snprintf(key, sizeof key, "%u/%u", i % 100, i);
		assert_ok(zinc_store_del(s, NULL, key, NULL, 0, NULL, &err));
	}
	assert_missing(s, "0/100");
	assert_text(s, "1/101", "1/101");
	last[0] = '\0';
	assert_ok(zinc_store_list(s, "", check_order, last, NULL, &err));
	assert_ok(zinc_store_del_prefix(s, "1/", 0, NULL, &err));
	assert_missing(s, "1/101");
	assert_text(s, "11/111", "11/111");
	zinc_store_close(s);
}

/* ---- promise 5: names ---- */

static void
names_are_shared(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_store *a = NULL, *b = open_memory("memory://x"), *c = open_memory("memory://y"),
		   *d = open_memory("memory://");
	zinc_store *e = open_memory("memory://");

	(void)state;
	assert_ok(zinc_context_new(&ctx, NULL, &err));
	assert_ok(zinc_store_open(&a, "memory://x", ZINC_STORE_OPTIONS(.context = ctx), &err));
	put_text(a, "k", "of a context that ends");
	zinc_store_close(a);
	zinc_context_free(ctx);
	assert_text(b, "k", "of a context that ends");
	assert_missing(c, "k");
	put_text(d, "k", "d");
	assert_missing(e, "k"); /* without a name each is its own */
	zinc_store_close(b);
	zinc_store_close(c);
	zinc_store_close(d);
	zinc_store_close(e);
}

/* ---- promise 6: fork ---- */

typedef struct busy {
	zinc_store *store;
	atomic_bool stop;
} busy;

static zinc_status
dawdle(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	(void)arg, (void)old, (void)nold, (void)err;
	usleep(100);
	out->bytes = "v";
	out->nbytes = 1;
	return ZINC_OK;
}

static void *
keep_busy(void *arg)
{
	busy *b = (busy *)arg;

	while (!b->stop) {
		step_begin();
		(void)!zinc_store_update(b->store, "k", dawdle, NULL, 0, 0, 0, NULL, NULL);
		(void)!zinc_store_put(b->store, NULL, "l", "v", 1, NULL, 0, NULL, NULL, NULL);
		step_end();
	}
	return NULL;
}

static void
a_child_can_use_the_store(void **state)
{
	busy b = {.store = open_memory("memory://")};
	int i, status;
	pthread_t t[2];
	pid_t pid;

	(void)state;
	put_text(b.store, "before", "fork");
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, keep_busy, &b), 0);
	for (i = 0; i < 30; i++) {
		pid = fork_amidst();
		if (pid == 0) { /* the key may have been under update by a thread that is not here */
			zinc_status st = zinc_store_update(b.store, "k", dawdle, NULL, 0, 0, 0, NULL, NULL);

			assert_text(b.store, "before", "fork");
			leave_child(st != ZINC_OK);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	b.stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	zinc_store_close(b.store);
}

/* ---- memory that is out ---- */

static int
ignore_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)arg, (void)key, (void)nbytes;
	return 0;
}

/* The value, without asking the library for memory. */
static void
check_old(zinc_store *s)
{
	zinc_get r = get_range("k", 0, ZINC_TO_END);
	gets g;

	gets_init(&g, 1);
	assert_int_equal(gets_run(&g, s, &r, NULL), ZINC_OK);
	assert_memory_equal(g.r[0].bytes, "old", 3);
	gets_fini(&g);
}

static zinc_status
use_everything(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	zinc_status st = zinc_store_open(&s, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "k", "old", 3, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK && (st = zinc_store_put(s, NULL, "k", "new", 3, NULL, 0, NULL, NULL, err)) != ZINC_OK)
		check_old(s);
	if (st == ZINC_OK)
		st = zinc_store_update(s, "k", dawdle, NULL, 0, 0, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(s, "k", &b, NULL, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_list(s, "", ignore_key, NULL, NULL, err);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return st;
}

static void
every_failing_allocation(void **state)
{
	(void)state;
	assert_true(sweep_alloc(use_everything, NULL) > 15);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(readers_hold_their_value),
	    cmocka_unit_test(tags_are_of_the_process),
	    cmocka_unit_test(a_put_between_makes_update_run_again),
	    cmocka_unit_test(updates_of_a_key_exclude_each_other),
	    cmocka_unit_test(many_keys),
	    cmocka_unit_test(names_are_shared),
	    cmocka_unit_test(a_child_can_use_the_store),
	    cmocka_unit_test(every_failing_allocation),
	};

	alarm(HANGS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
