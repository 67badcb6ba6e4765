/*
 * test_store_batch.c - the promises of store_batch.c, store_ordered.c and store_known.c, by number
 *
 * The store under test is a list of keys; it notes its transactions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_batch.h"
#include "support/sweep.h"
#include "support/test.h"

/* "2d 1r": a durable transaction of two changes, a relaxed one of one; "s": a sync. */
typedef struct notes {
	zinc_batched batched; /* first */
	char text[256];
	zinc_status fails; /* the next transaction */
	const char *keys[16];
} notes;

static void
note(notes *x, const char *text)
{
	const size_t n = strlen(x->text);

	snprintf(x->text + n, sizeof x->text - n, "%s%s", n ? " " : "", text);
}

/* The key "there" exists, with an empty tag; no other does. */
static zinc_status
apply(void *self, zinc_change *const *changes, size_t n, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	notes *x = (notes *)self;
	const zinc_tag tag = {1, {7}};
	char text[32];
	size_t i;

	(void)wait;
	for (i = 0; i < n; i++)
		changes[i]->status =
		    zinc_batch_check(changes[i]->when, strcmp(changes[i]->key, "there") == 0 ? &tag : NULL);
	snprintf(text, sizeof text, "%d%c", (int)n, relaxed ? 'r' : 'd');
	note(x, text);
	if (x->fails == ZINC_OK)
		return ZINC_OK;
	x->fails = ZINC_OK;
	return zinc_fail(err, ZINC_E_IO, "the disk is full");
}

static zinc_status
sync_all(void *self, const zinc_wait *wait, zinc_error *err)
{
	(void)wait, (void)err;
	note((notes *)self, "s");
	return ZINC_OK;
}

static const zinc_batch_ops ops = {apply, sync_all};

typedef struct outcomes {
	int dones;
	zinc_status last;
} outcomes;

static void
count_done(void *arg, size_t i, const zinc_outcome *o)
{
	outcomes *x = (outcomes *)arg;

	(void)i;
	x->dones++;
	if (o->status != ZINC_OK)
		x->last = o->status;
}

static outcomes
put(notes *x, zinc_put_group *g, const char *key, size_t nbytes, const zinc_condition *when, uint32_t flags)
{
	static uint8_t bytes[2 << 20];
	const struct iovec iov = {bytes, nbytes};
	const zinc_put p = {.key = key, .iov = &iov, .niov = 1, .when = when};
	outcomes o = {0, ZINC_OK};
	const zinc_done done = {.size = sizeof done, .done = count_done, .arg = &o};
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_batch_put(x, g, &p, 1, &done, flags, NULL, &err));
	assert_int_equal(o.dones, 1);
	return o;
}

static zinc_put_group *
begin(notes *x, uint32_t flags)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;

	assert_ok(zinc_batch_begin(x, &g, flags, NULL, &err));
	return g;
}

static const zinc_condition absent = {ZINC_ABSENT, NULL};

/* ---- (1) ---- */

static void
each_change_has_its_result(void **state)
{
	const zinc_put puts[] = {{.key = "a", .when = &absent}, {.key = "there", .when = &absent}, {.key = "b"}};
	zinc_error err = ZINC_ERROR_INIT;
	outcomes o = {0, ZINC_OK};
	const zinc_done done = {.size = sizeof done, .done = count_done, .arg = &o};
	notes x = {{&ops, zinc_context_get(NULL)}, "", ZINC_OK, {NULL}};

	(void)state;
	assert_ok(zinc_batch_put(&x, NULL, puts, 3, &done, 0, NULL, &err));
	assert_int_equal(o.dones, 3);
	assert_int_equal(o.last, ZINC_E_EXISTS);
	assert_string_equal(x.text, "3d");
	x.fails = ZINC_E_IO;
	assert_int_equal(put(&x, NULL, "a", 1, NULL, ZINC_PUT_RELAXED).last, ZINC_E_IO);
	assert_string_equal(x.text, "3d 1r");
}

/* ---- (2), (3) ---- */

static void
groups_write_together(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	notes x = {{&ops, zinc_context_get(NULL)}, "", ZINC_OK, {NULL}};
	zinc_put_group *g = begin(&x, 0);
	int i;

	(void)state;
	put(&x, g, "a", 10, NULL, 0);
	put(&x, g, "b", 10, NULL, 0);
	assert_string_equal(x.text, "");
	assert_ok(zinc_batch_commit(NULL, g, NULL, NULL, NULL, &err));
	assert_string_equal(x.text, "2d");
	g = begin(&x, 0);
	put(&x, g, "a", 10, NULL, 0);
	put(&x, g, "long", 2 << 20, NULL, 0);
	assert_string_equal(x.text, "2d 2r");
	put(&x, g, "tag", 1, NULL, ZINC_PUT_TAGS);
	assert_ok(zinc_batch_commit(NULL, g, NULL, NULL, NULL, &err));
	assert_string_equal(x.text, "2d 2r 1r s");
	g = begin(&x, ZINC_PUT_RELAXED);
	for (i = 0; i < 1030; i++)
		put(&x, g, "k", 1, NULL, 0);
	assert_ok(zinc_batch_commit(NULL, g, NULL, NULL, NULL, &err));
	assert_string_equal(x.text, "2d 2r 1r s 1024r 6r");
	g = begin(&x, 0);
	put(&x, g, "k", 1, NULL, 0);
	zinc_batch_abort(NULL, g);
	zinc_batch_abort(NULL, NULL);
	assert_string_equal(x.text, "2d 2r 1r s 1024r 6r");
}

/* (3) The last transaction of a group may change nothing, and then it syncs nothing. */
static void
commits_cover_what_was_written(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	notes x = {{&ops, zinc_context_get(NULL)}, "", ZINC_OK, {NULL}};
	zinc_put_group *g = begin(&x, 0);

	(void)state;
	put(&x, g, "long", 2 << 20, NULL, 0);
	put(&x, g, "there", 1, &absent, 0);
	assert_int_equal(zinc_batch_commit(NULL, g, NULL, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_string_equal(x.text, "1r 1d s");
}

/* ---- (4) ---- */

static void
note_failed(void *arg, const char *key, zinc_status st, const zinc_error *e)
{
	char text[64];

	assert_int_equal(e->code, st);
	snprintf(text, sizeof text, "%s:%d", key, (int)st);
	note((notes *)arg, text);
}

static void
commits_report_what_failed(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	notes x = {{&ops, zinc_context_get(NULL)}, "", ZINC_OK, {NULL}}, failed = {{NULL, NULL}, "", ZINC_OK, {NULL}};
	zinc_put_group *g = begin(&x, 0);
	char want[64];

	(void)state;
	assert_int_equal(put(&x, g, "there", 1, &absent, 0).last, ZINC_OK);
	assert_int_equal(put(&x, g, "fine", 1, &absent, 0).last, ZINC_OK);
	assert_int_equal(zinc_batch_commit(NULL, g, note_failed, &failed, NULL, &err), ZINC_E_EXISTS);
	snprintf(want, sizeof want, "there:%d", (int)ZINC_E_EXISTS);
	assert_string_equal(failed.text, want);
	failed.text[0] = '\0';
	g = begin(&x, 0);
	put(&x, g, "a", 1, NULL, 0);
	put(&x, g, "b", 1, NULL, 0);
	x.fails = ZINC_E_IO;
	assert_int_equal(zinc_batch_commit(NULL, g, note_failed, &failed, NULL, &err), ZINC_E_IO);
	snprintf(want, sizeof want, "a:%d b:%d", (int)ZINC_E_IO, (int)ZINC_E_IO);
	assert_string_equal(failed.text, want);
}

/* A flush that the group makes by itself: its last put is told at once, the others by the commit; no value is kept. */
static void
flushes_that_fail(void **state)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_context *ctx = NULL;
	sweep_memory m;
	zinc_error err = ZINC_ERROR_INIT;
	notes x = {{&ops, NULL}, "", ZINC_OK, {NULL}}, failed = {{NULL, NULL}, "", ZINC_OK, {NULL}};
	zinc_put_group *g;
	char want[64];
	int i;

	(void)state;
	sweep_memory_init(&m);
	o.allocator = &m.allocator;
	o.threads = 1;
	assert_ok(zinc_context_new(&ctx, &o, &err));
	x.batched.ctx = ctx;
	g = begin(&x, 0);
	for (i = 0; i < 4; i++) {
		x.fails = i == 3 ? ZINC_E_IO : ZINC_OK;
		assert_int_equal(put(&x, g, i == 3 ? "last" : "k", 1 << 20, NULL, 0).last,
				 i == 3 ? ZINC_E_IO : ZINC_OK);
	}
	assert_string_equal(x.text, "4r");
	assert_true(atomic_load(&m.bytes) < 1 << 19);
	assert_int_equal(zinc_batch_commit(NULL, g, note_failed, &failed, NULL, &err), ZINC_E_IO);
	snprintf(want, sizeof want, "k:%d k:%d k:%d", (int)ZINC_E_IO, (int)ZINC_E_IO, (int)ZINC_E_IO);
	assert_string_equal(failed.text, want);
	zinc_context_free(ctx);
}

/* ---- (5), (6), (7) ---- */

/* Counts the rows that are read, in the note of the last. */
static int reads;

static zinc_status
rows(void *self, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg,
     const zinc_wait *wait, zinc_error *err)
{
	notes *x = (notes *)self;
	int i;

	(void)sizes, (void)wait, (void)err;
	for (i = 0; x->keys[i]; i++) {
		const size_t n = strlen(x->keys[i]);
		const int order = memcmp(x->keys[i], from.p ? from.p : (const uint8_t *)"", n < from.n ? n : from.n);

		if (order < 0 || (order == 0 && n < from.n) || strncmp(x->keys[i], prefix, strlen(prefix)) != 0)
			continue;
		reads++;
		if (fn(arg, x->keys[i], n, x->keys[i][0] == 'n' ? ZINC_ORDERED_NONE : n))
			break;
	}
	return ZINC_OK;
}

static int
see_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)nbytes;
	note((notes *)arg, key);
	return strcmp(key, "stop") == 0;
}

static int
see_entry(void *arg, const char *key, int is_prefix)
{
	assert_int_equal(is_prefix, key[strlen(key) - 1] == '/');
	note((notes *)arg, key);
	return 0;
}

static int
see_non_key(void *arg, const zinc_non_key *x)
{
	char text[64];

	snprintf(text, sizeof text, "[%s %d]", x->key, (int)x->kind);
	note((notes *)arg, text);
	return x->holds(x, "any");
}

static void
listings(void **state)
{
	notes x = {{&ops, zinc_context_get(NULL)},
		   "",
		   ZINC_OK,
		   {"/x", "a", "a/b/1", "a/b/2", "a/c", "a0", "none", "stop", "z", NULL}};
	zinc_lister all = {.size = sizeof all, .key = see_key, .non_key = see_non_key, .arg = &x},
		    level = {.size = sizeof level, .entry = see_entry, .non_key = see_non_key, .arg = &x};
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_error err = ZINC_ERROR_INIT;
	bool stopped;

	(void)state;
	assert_ok(zinc_ordered_walk(&x, ctx, rows, "", &all, &stopped, NULL, &err));
	assert_true(stopped);
	assert_string_equal(x.text, "[/x 1] a a/b/1 a/b/2 a/c a0 [none 2] stop");
	x.text[0] = '\0';
	reads = 0;
	assert_ok(zinc_ordered_walk(&x, ctx, rows, "", &level, &stopped, NULL, &err));
	assert_false(stopped);
	assert_string_equal(x.text, "[ 1] a a/ a0 [none 2] stop z");
	assert_int_equal(reads, 7); /* neither a/b/2 nor a/c */
	x.text[0] = '\0';
	level.non_key = NULL;
	assert_ok(zinc_ordered_walk(&x, ctx, rows, "a/", &level, &stopped, NULL, &err));
	assert_string_equal(x.text, "a/b/ a/c");
}

static zinc_status
list_with(void *arg, zinc_context *ctx, zinc_error *err)
{
	notes x = {{&ops, zinc_context_get(NULL)}, "", ZINC_OK, {"a", "b/c", NULL}};
	const zinc_lister all = {.size = sizeof all, .key = see_key, .non_key = see_non_key, .arg = &x},
			  level = {.size = sizeof level, .entry = see_entry, .non_key = see_non_key, .arg = &x};
	bool stopped;

	(void)arg;
	ZINC_TRY(zinc_ordered_walk(&x, ctx, rows, "", &all, &stopped, NULL, err));
	ZINC_TRY(zinc_ordered_walk(&x, ctx, rows, "", &level, &stopped, NULL, err));
	assert_string_equal(x.text, "a b/c a b/");
	return ZINC_OK;
}

/* (7) A key that cannot be checked is not passed over. */
static void
memory_runs_out(void **state)
{
	(void)state;
	sweep_alloc(list_with, NULL);
}

/* ---- (8), (9) ---- */

static void
tags_of_versions(void **state)
{
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_known *k = (zinc_known *)calloc(1, sizeof *k);
	zinc_tag tag = {1, {7}}, found;
	char key[16];
	int i, n = 0;

	(void)state;
	assert_false(zinc_known_find(k, 0, "a", &found));
	zinc_known_keep(k, ctx, 5, "a", &tag);
	assert_false(zinc_known_find(k, 4, "a", &found));
	assert_false(zinc_known_find(k, 6, "a", &found));
	assert_true(zinc_known_find(k, 5, "a", &found));
	assert_true(zinc_tag_equal(&tag, &found));
	tag.b[0] = 8;
	zinc_known_keep(k, ctx, 6, "a", &tag);
	assert_true(zinc_known_find(k, 6, "a", &found));
	assert_true(zinc_tag_equal(&tag, &found));
	for (i = 0; i < 10 * ZINC_KNOWN_TAGS; i++) {
		snprintf(key, sizeof key, "a/%d", i);
		zinc_known_keep(k, ctx, 6, key, &tag);
		assert_true(zinc_known_find(k, 6, key, &found));
	}
	for (i = 0; i < 10 * ZINC_KNOWN_TAGS; i++) {
		snprintf(key, sizeof key, "a/%d", i);
		n += zinc_known_find(k, 6, key, &found);
	}
	assert_in_range(n, ZINC_KNOWN_TAGS / 2, ZINC_KNOWN_TAGS);
	zinc_known_fini(k, ctx);
	free(k);
}

static zinc_status
keep_with(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_known *k = (zinc_known *)calloc(1, sizeof *k);
	const zinc_tag tag = {1, {7}};
	zinc_tag found;
	bool kept;

	(void)arg;
	zinc_known_keep(k, ctx, 1, "a", &tag);
	kept = zinc_known_find(k, 1, "a", &found);
	zinc_known_fini(k, ctx);
	free(k);
	return kept ? ZINC_OK : zinc_fail_nomem(err);
}

static void
tags_without_memory(void **state)
{
	(void)state;
	sweep_alloc(keep_with, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_change_has_its_result),
	    cmocka_unit_test(groups_write_together),
	    cmocka_unit_test(commits_cover_what_was_written),
	    cmocka_unit_test(commits_report_what_failed),
	    cmocka_unit_test(flushes_that_fail),
	    cmocka_unit_test(listings),
	    cmocka_unit_test(memory_runs_out),
	    cmocka_unit_test(tags_of_versions),
	    cmocka_unit_test(tags_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
