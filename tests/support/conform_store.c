/*
 * conform_store.c - the suite: every operation of the specification, and what <zinc/store.h> fixes beyond it
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/conform_store.h"
#include "support/gets.h"
#include "support/test.h"

typedef struct plan {
	conform_make_fn make;
	void *arg;
	conform_subject subject;
} plan;

static zinc_store *
subject(void **state)
{
	return ((plan *)*state)->subject.store;
}

static zinc_store *
filler(void **state)
{
	return ((plan *)*state)->subject.fill;
}

static uint32_t
flags_of(zinc_store *s)
{
	zinc_caps caps;

	zinc_store_caps(s, &caps);
	return caps.flags;
}

/* The store, when it can do all of `needs`; else the test passes without a word. */
static zinc_store *
able(void **state, uint32_t needs)
{
	zinc_store *s = subject(state);

	return (flags_of(s) & needs) == needs ? s : NULL;
}

static int
set_up(void **state)
{
	plan *p = (plan *)*state;

	p->make(p->arg, &p->subject);
	return p->subject.store ? 0 : -1;
}

static int
tear_down(void **state)
{
	plan *p = (plan *)*state;

	if (p->subject.fill != p->subject.store)
		zinc_store_close(p->subject.fill);
	zinc_store_close(p->subject.store);
	return 0;
}

/* ---- get ---- */

static void
get_whole_missing_and_empty(void **state)
{
	zinc_store *s = subject(state);
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	put_text(filler(state), "a/b", "hello");
	put_text(filler(state), "empty", "");
	gets_init(&g, 3);
	assert_ok(gets_run(&g, s,
			   (zinc_get[]){get_range("a/b", 0, ZINC_TO_END), get_range("a/c", 0, ZINC_TO_END),
					get_range("empty", 0, ZINC_TO_END)},
			   &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_int_equal(g.r[0].nbytes, 5);
	assert_int_equal(g.r[0].object_size, 5);
	assert_memory_equal(g.r[0].bytes, "hello", 5);
	assert_int_equal(g.r[1].found, ZINC_MISSING);
	assert_int_equal(g.r[1].rooms, 0);
	assert_int_equal(g.r[2].found, ZINC_FOUND);
	assert_int_equal(g.r[2].nbytes, 0);
	assert_int_equal(g.r[2].object_size, 0);
	gets_fini(&g);
	assert_missing(s, "a"); /* a prefix of keys is no key */
	assert_missing(s, "a/b/c");
}

/* get_partial_values: the same key many times, in any order, each range cut at the end. */
static void
get_ranges(void **state)
{
	static const struct {
		uint64_t offset, length;
		int suffix;
		const char *want;
	} rows[] = {
	    {0, ZINC_TO_END, 0, "0123456789"},
	    {3, 4, 0, "3456"},
	    {8, 5, 0, "89"}, /* ends past the end: cut */
	    {10, 1, 0, ""},  /* begins past the end: nothing */
	    {99, ZINC_TO_END, 0, ""},
	    {UINT64_MAX, UINT64_MAX, 0, ""},
	    {UINT64_MAX - 3, 7, 0, ""},
	    {4, 0, 0, ""},
	    {7, ZINC_TO_END, 0, "789"},
	    {0, 3, 1, "789"},
	    {0, 10, 1, "0123456789"},
	    {0, 11, 1, "0123456789"}, /* fewer are there: all */
	    {0, 0, 1, ""},
	    {3, 4, 0, "3456"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r[2 * COUNT(rows)];
	size_t i, n = COUNT(rows);
	gets g;

	put_text(filler(state), "k", "0123456789");
	for (i = 0; i < n; i++) {
		r[2 * i] = get_range("k", rows[i].offset, rows[i].length);
		r[2 * i].suffix = rows[i].suffix;
		r[2 * i + 1] = get_range("none", rows[i].offset, rows[i].length);
	}
	gets_init(&g, 2 * n);
	assert_ok(gets_run(&g, subject(state), r, &err));
	for (i = 0; i < n; i++) {
		const get_result *got = &g.r[2 * i];

		assert_int_equal(got->found, ZINC_FOUND);
		assert_int_equal(got->object_size, 10);
		assert_int_equal(got->nbytes, strlen(rows[i].want));
		assert_memory_equal(got->bytes, rows[i].want, strlen(rows[i].want));
		assert_int_equal(g.r[2 * i + 1].found, ZINC_MISSING);
	}
	gets_fini(&g);
}

static void
get_into_iov(void **state)
{
	char a[3], b[1], c[6];
	struct iovec iov[4] = {{a, 3}, {NULL, 0}, {b, 1}, {c, 4}}, whole = {c, 6};
	zinc_get r[3] = {get_range("k", 1, 8), get_suffix("k", 6), get_range("k", 8, 6)};
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	put_text(filler(state), "k", "0123456789");
	r[0].iov = iov;
	r[0].niov = 4;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, subject(state), r, &err));
	assert_int_equal(g.r[0].nbytes, 8);
	assert_int_equal(g.r[0].rooms, 0);
	assert_memory_equal(a, "123", 3);
	assert_memory_equal(b, "4", 1);
	assert_memory_equal(c, "5678", 4);
	gets_fini(&g);
	r[1].iov = r[2].iov = &whole;
	r[1].niov = r[2].niov = 1;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, subject(state), &r[1], &err));
	assert_memory_equal(c, "456789", 6);
	gets_fini(&g);
	gets_init(&g, 1);
	assert_ok(gets_run(&g, subject(state), &r[2], &err));
	assert_int_equal(g.r[0].nbytes, 2);
	assert_memory_equal(c, "89", 2);
	gets_fini(&g);
	r[0].length = 9; /* not what iov has */
	gets_init(&g, 1);
	assert_int_equal(gets_run(&g, subject(state), r, &err), ZINC_E_INVALID);
	gets_fini(&g);
}

static void
get_existence_and_tags(void **state)
{
	zinc_store *s = subject(state);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag old, now;
	zinc_get r[3] = {get_stat("k"), get_range("k", 0, 2), get_range("k", 0, 2)};
	gets g;

	put_text(filler(state), "k", "one");
	old = tag_of(s, "k");
	if (flags_of(s) & ZINC_CAP_TAGS) {
		assert_true(old.n > 0);
		put_text(filler(state), "k", "two");
		now = tag_of(s, "k");
		assert_false(zinc_tag_equal(&old, &now));
		r[1].if_tag = &old;
		r[2].if_tag = &now;
	}
	gets_init(&g, 3);
	assert_ok(gets_run(&g, s, r, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_int_equal(g.r[0].object_size, 3);
	assert_int_equal(g.r[0].nbytes, 0);
	assert_int_equal(g.r[0].rooms, 0);
	if (flags_of(s) & ZINC_CAP_TAGS) {
		assert_int_equal(g.r[1].found, ZINC_CHANGED);
		assert_int_equal(g.r[1].rooms, 0);
		assert_int_equal(g.r[2].found, ZINC_FOUND);
		assert_memory_equal(g.r[2].bytes, "tw", 2);
	}
	gets_fini(&g);
	/* one request without and one with a tag, of a key that is not there */
	r[0] = get_stat("none");
	r[1] = get_range("none", 0, 1);
	r[1].if_tag = &old;
	gets_init(&g, 2);
	assert_ok(gets_run(&g, s, r, &err));
	assert_int_equal(g.r[0].found, ZINC_MISSING);
	assert_int_equal(g.r[1].found, ZINC_MISSING);
	gets_fini(&g);
}

static void
get_asks_for_room(void **state)
{
	zinc_get r[2] = {get_range("k", 0, ZINC_TO_END), get_range("k", 1, 1)};
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	put_text(filler(state), "k", "abc");
	gets_init(&g, 2);
	g.not_now = 5;
	assert_ok(gets_run(&g, subject(state), r, &err));
	assert_int_equal(g.r[0].rooms + g.r[1].rooms, 7); /* five refusals, two answers */
	assert_memory_equal(g.r[0].bytes, "abc", 3);
	assert_memory_equal(g.r[1].bytes, "b", 1);
	gets_fini(&g);
	gets_init(&g, 2);
	g.refuse = true;
	assert_ok(gets_run(&g, subject(state), r, &err));
	assert_int_equal(g.r[0].found, ZINC_FAILED);
	assert_int_equal(g.r[0].status, ZINC_E_NOMEM);
	assert_int_equal(g.r[0].error.code, ZINC_E_NOMEM);
	assert_true(g.r[0].error.url[0] != '\0'); /* of the innermost store */
	assert_non_null(strstr(g.r[0].error.key, "k"));
	gets_fini(&g);
}

static void
get_can_be_cancelled(void **state)
{
	enum { N = 50 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r[N];
	char keys[N][16];
	int i, cancelled = 0;
	gets g;

	for (i = 0; i < N; i++) {
		snprintf(keys[i], sizeof keys[i], "k%02d", i);
		put_text(filler(state), keys[i], "v");
		r[i] = get_range(keys[i], 0, ZINC_TO_END);
	}
	gets_init(&g, N);
	g.cancel = 1;
	assert_ok(gets_run(&g, subject(state), r, &err));
	for (i = 0; i < N; i++) {
		assert_int_equal(g.r[i].found, ZINC_FAILED);
		assert_int_equal(g.r[i].status, ZINC_E_CANCELLED);
	}
	gets_fini(&g);
	gets_init(&g, N);
	g.cancel_after = 10;
	assert_ok(gets_run(&g, subject(state), r, &err));
	for (i = 0; i < N; i++)
		cancelled += g.r[i].found == ZINC_FAILED;
	assert_true(cancelled > 0 && cancelled <= N - 10);
	gets_fini(&g);
	gets_init(&g, 1); /* while it waits for room */
	g.not_now = 1 << 30;
	g.cancel = 1;
	assert_ok(gets_run(&g, subject(state), r, &err));
	assert_int_equal(g.r[0].status, ZINC_E_CANCELLED);
	gets_fini(&g);
	gets_init(&g, 0);
	assert_ok(gets_run(&g, subject(state), r, &err));
	gets_fini(&g);
}

static void
get_all_has_a_limit(void **state)
{
	zinc_store *s = subject(state);
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	put_text(filler(state), "k", "12345");
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 5, &err));
	assert_string_equal((const char *)b.data, "12345");
	zinc_blob_fini(&b);
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 4, &err), ZINC_E_LIMIT);
	assert_null(b.data);
	assert_true(err.url[0] != '\0');
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 4, NULL), ZINC_E_LIMIT);
	assert_int_equal(zinc_store_get_all(s, "none", &b, NULL, 0, NULL), ZINC_E_NOTFOUND);
}

/* ---- put and del ---- */

static void
put_replaces(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	enum { BIG = 1 << 20 };
	zinc_error err = ZINC_ERROR_INIT;
	struct iovec iov[4] = {
	    {(void *)(uintptr_t) "ab", 2}, {NULL, 0}, {(void *)(uintptr_t) "c", 1}, {(void *)(uintptr_t) "defg", 4}};
	uint8_t *big;
	size_t i;

	if (!s)
		return;
	put_text(s, "k", "first, and longer");
	put_text(s, "k", "second");
	assert_text(s, "k", "second");
	put_text(s, "k", "");
	assert_text(s, "k", "");
	put_text(s, "deep/er/and/deeper/k", "x");
	assert_text(s, "deep/er/and/deeper/k", "x");
	assert_ok(zinc_store_putv(s, NULL, "v", iov, 4, NULL, 0, NULL, &err));
	assert_text(s, "v", "abcdefg");
	assert_ok(zinc_store_putv(s, NULL, "v", NULL, 0, NULL, 0, NULL, &err));
	assert_text(s, "v", "");
	big = (uint8_t *)malloc(BIG);
	for (i = 0; i < BIG; i++)
		big[i] = (uint8_t)(i * 2654435761u >> 13);
	assert_ok(zinc_store_put(s, NULL, "big", big, BIG, NULL, 0, NULL, &err));
	assert_value(s, "big", big, BIG);
	free(big);
	assert_ok(zinc_store_put(s, NULL, "relaxed", "r", 1, NULL, ZINC_PUT_RELAXED, NULL, &err));
	assert_text(s, "relaxed", "r");
	assert_ok(zinc_store_sync(s, &err));
}

static void
put_under_conditions(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_CAS | ZINC_CAP_TAGS);
	zinc_condition absent = {ZINC_ABSENT, NULL}, equals = {ZINC_EQUALS, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag, first;

	if (!s)
		return;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, &err));
	first = tag_of(s, "k");
	assert_true(zinc_tag_equal(&tag, &first));
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, &absent, 0, NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(err.code, ZINC_E_EXISTS);
	assert_text(s, "k", "1");
	equals.tag = &first;
	assert_ok(zinc_store_put(s, NULL, "k", "2", 1, &equals, 0, &tag, &err));
	assert_int_equal(zinc_store_put(s, NULL, "k", "3", 1, &equals, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(zinc_store_put(s, NULL, "other", "3", 1, &equals, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_text(s, "k", "2");
	assert_missing(s, "other");
	assert_int_equal(zinc_store_del(s, NULL, "k", &equals, 0, &err), ZINC_E_CONFLICT);
	assert_int_equal(zinc_store_del(s, NULL, "k", &absent, 0, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_store_del(s, NULL, "other", &equals, 0, &err), ZINC_E_CONFLICT);
	assert_ok(zinc_store_del(s, NULL, "other", &absent, 0, &err));
	assert_text(s, "k", "2");
	equals.tag = &tag;
	assert_ok(zinc_store_del(s, NULL, "k", &equals, 0, &err));
	assert_missing(s, "k");
	equals.tag = NULL;
	assert_int_equal(zinc_store_put(s, NULL, "k", "3", 1, &equals, 0, NULL, &err), ZINC_E_INVALID);
}

/* Also when the same bytes come back, and after a delete. */
static void
tags_never_repeat(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE | ZINC_CAP_TAGS);
	enum { N = 40 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tags[N];
	int i, j;

	if (!s)
		return;
	for (i = 0; i < N; i++) {
		assert_ok(zinc_store_put(s, NULL, "k", "same", 4, NULL, ZINC_PUT_RELAXED, &tags[i], &err));
		for (j = 0; j < i; j++)
			assert_false(zinc_tag_equal(&tags[i], &tags[j]));
		if (i % 3 == 0)
			assert_ok(zinc_store_del(s, NULL, "k", NULL, ZINC_PUT_RELAXED, &err));
	}
}

static void
del_and_del_of_what_is_missing(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_ERASE);
	zinc_error err = ZINC_ERROR_INIT;

	if (!s)
		return;
	put_text(s, "a/b", "1");
	put_text(s, "a/c", "2");
	assert_ok(zinc_store_del(s, NULL, "a/b", NULL, 0, &err));
	assert_missing(s, "a/b");
	assert_text(s, "a/c", "2");
	assert_ok(zinc_store_del(s, NULL, "a/b", NULL, 0, &err));
	assert_ok(zinc_store_del(s, NULL, "a", NULL, 0, &err)); /* a prefix of keys is no key */
	assert_ok(zinc_store_del(s, NULL, "never/was", NULL, 0, &err));
	assert_text(s, "a/c", "2");
	put_text(s, "a/b", "again");
	assert_text(s, "a/b", "again");
}

static void
del_many_and_prefix(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_ERASE | ZINC_CAP_LIST);
	static const char *const keys[] = {"a/b", "a/c/d", "a/c/e/f", "ab", "b/c", "a.b/c"};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	if (!s)
		return;
	for (i = 0; i < COUNT(keys); i++)
		put_text(s, keys[i], "v");
	assert_ok(zinc_store_del_many(s, (const char *const[]){"b/c", "no/such", "a/b"}, 3, 0, &err));
	assert_missing(s, "b/c");
	assert_missing(s, "a/b");
	assert_ok(zinc_store_del_prefix(s, "a/", 0, &err));
	assert_missing(s, "a/c/d");
	assert_missing(s, "a/c/e/f");
	assert_text(s, "ab", "v");
	assert_text(s, "a.b/c", "v");
	assert_ok(zinc_store_del_prefix(s, "a/", 0, &err));
	assert_int_equal(zinc_store_del_prefix(s, "ab", 0, &err), ZINC_E_INVALID);
	assert_ok(zinc_store_del_prefix(s, "", 0, &err));
	assert_missing(s, "ab");
	assert_missing(s, "a.b/c");
	assert_ok(zinc_store_del_many(s, NULL, 0, 0, &err));
}

/* ---- groups ---- */

static void
note_failed_key(void *arg, const char *key, zinc_status status, const zinc_error *error)
{
	char *out = (char *)arg;

	assert_non_null(error);
	assert_int_equal(error->code, status);
	snprintf(out, 64, "%s %s", key, zinc_status_name(status));
}

static void
groups_commit_many(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE | ZINC_CAP_ERASE);
	enum { N = 200 };
	zinc_put_group *g = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	char key[32], text[32];
	int i;

	if (!s)
		return;
	put_text(s, "gone", "x");
	assert_ok(zinc_store_put_begin(s, &g, 0, &err));
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 7, i);
		snprintf(text, sizeof text, "value %d", i);
		assert_ok(zinc_store_put(s, g, key, text, strlen(text), NULL, 0, NULL, &err));
	}
	assert_ok(zinc_store_put(s, g, "twice", "1", 1, NULL, 0, NULL, &err));
	assert_ok(zinc_store_put(s, g, "twice", "2", 1, NULL, 0, NULL, &err));
	assert_ok(zinc_store_put(s, g, "put then del", "1", 1, NULL, 0, NULL, &err));
	assert_ok(zinc_store_del(s, g, "put then del", NULL, 0, &err));
	assert_ok(zinc_store_del(s, g, "gone", NULL, 0, &err));
	assert_ok(zinc_store_put(s, g, "gone and back", "1", 1, NULL, 0, NULL, &err));
	assert_ok(zinc_store_commit(s, g, NULL, NULL, &err));
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 7, i);
		snprintf(text, sizeof text, "value %d", i);
		assert_text(s, key, text);
	}
	assert_text(s, "twice", "2");
	assert_missing(s, "put then del");
	assert_missing(s, "gone");
	assert_text(s, "gone and back", "1");
	assert_ok(zinc_store_put_begin(s, &g, 0, &err));
	assert_ok(zinc_store_commit(s, g, NULL, NULL, &err)); /* an empty one */
}

/* A lost condition fails its own key only, at the put or at the commit. */
static void
groups_report_what_failed(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_CAS | ZINC_CAP_TAGS);
	zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_put_group *g = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	char failed[64] = "";
	zinc_status put, commit;
	zinc_tag tag, now;

	if (!s)
		return;
	put_text(s, "k", "old");
	assert_ok(zinc_store_put_begin(s, &g, 0, &err));
	assert_ok(zinc_store_put(s, g, "a", "1", 1, &absent, 0, NULL, &err));
	put = zinc_store_put(s, g, "k", "new", 3, &absent, 0, NULL, &err);
	assert_ok(zinc_store_put(s, g, "z", "2", 1, &absent, 0, &tag, &err)); /* with a tag: done at once */
	now = tag_of(s, "z");
	assert_true(zinc_tag_equal(&tag, &now));
	commit = zinc_store_commit(s, g, note_failed_key, failed, &err);
	assert_int_equal(put == ZINC_OK ? commit : put, ZINC_E_EXISTS);
	if (put == ZINC_OK) {
		assert_string_equal(failed, "k E_EXISTS");
		assert_int_equal(err.code, ZINC_E_EXISTS);
	}
	assert_text(s, "k", "old");
	assert_text(s, "a", "1");
	assert_text(s, "z", "2");
	assert_ok(zinc_store_put_begin(s, &g, ZINC_PUT_RELAXED, &err));
	assert_ok(zinc_store_put(s, g, "aborted", "1", 1, NULL, 0, NULL, &err));
	zinc_store_abort(s, g);
	zinc_store_abort(s, NULL);
	put_text(s, "aborted", "anew");
	assert_text(s, "aborted", "anew");
}

/* ---- update ---- */

typedef struct edit {
	const char *expect; /* NULL: missing */
	zinc_update answer;
	zinc_status status;
	int calls;
} edit;

static zinc_status
apply_edit(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	edit *e = (edit *)arg;

	e->calls++;
	if (e->expect) {
		assert_non_null(old);
		assert_int_equal(nold, strlen(e->expect));
		assert_memory_equal(old, e->expect, nold);
	} else {
		assert_null(old);
		assert_int_equal(nold, 0);
	}
	*out = e->answer;
	return e->status == ZINC_OK ? ZINC_OK : zinc_fail(err, e->status, "the caller's own reason");
}

static void
update_creates_changes_keeps_and_erases(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE | ZINC_CAP_ERASE);
	zinc_error err = ZINC_ERROR_INIT;
	edit e = {NULL, {"one", 3, 0, 0}, ZINC_OK, 0};

	if (!s)
		return;
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, &err));
	assert_text(s, "d/k", "one");
	e = (edit){"one", {"three", 5, 0, 0}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, &err));
	assert_text(s, "d/k", "three");
	e = (edit){"three", {"", 0, 0, 0}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, &err));
	assert_text(s, "d/k", "");
	e = (edit){"", {NULL, 0, 0, 1}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, &err));
	assert_text(s, "d/k", "");
	e = (edit){"", {NULL, 0, 1, 0}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, &err));
	assert_missing(s, "d/k");
	e = (edit){NULL, {NULL, 0, 1, 0}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, &err));
	e = (edit){NULL, {NULL, 0, 0, 1}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, &err));
	assert_missing(s, "d/k");
}

/* The caller's failure comes back as it is, and leaves everything. */
static void
update_passes_failures_on(void **state)
{
	static const zinc_status all[] = {ZINC_E_CORRUPT, ZINC_E_EXISTS, ZINC_E_CONFLICT, ZINC_E_NOTFOUND};
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	if (!s)
		return;
	put_text(s, "k", "old");
	for (i = 0; i < COUNT(all); i++) {
		edit e = {"old", {"new", 3, 0, 0}, all[i], 0}, f = {NULL, {"new", 3, 0, 0}, all[i], 0};

		assert_int_equal(zinc_store_update(s, "k", apply_edit, &e, 1, 0, &err), all[i]);
		assert_int_equal(e.calls, 1);
		assert_string_equal(err.text, "the caller's own reason");
		assert_int_equal(zinc_store_update(s, "new/k", apply_edit, &f, 1, 0, &err), all[i]);
	}
	assert_text(s, "k", "old");
	assert_missing(s, "new/k");
}

enum { THREADS = 4, ROUNDS = 25 };

static zinc_status
increment(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	int *n = (int *)arg;

	(void)err;
	*n = 0;
	if (old) {
		assert_int_equal(nold, sizeof *n);
		memcpy(n, old, sizeof *n);
	}
	++*n;
	out->bytes = n;
	out->nbytes = sizeof *n;
	return ZINC_OK;
}

static void *
increment_often(void *arg)
{
	zinc_store *s = (zinc_store *)arg;
	int i, n;

	for (i = 0; i < ROUNDS; i++)
		if (zinc_store_update(s, "d/n", increment, &n, 0, ZINC_PUT_RELAXED, NULL) != ZINC_OK)
			return arg;
	return NULL;
}

static void
updates_of_threads_are_not_lost(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	const int all = THREADS * ROUNDS;
	pthread_t t[THREADS];
	void *failed;
	int i;

	if (!s || !(flags_of(s) & (ZINC_CAP_UPDATE | ZINC_CAP_CAS)))
		return;
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, increment_often, s), 0);
	for (i = 0; i < THREADS; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	assert_value(s, "d/n", &all, sizeof all);
}

/* A store that can neither exclude nor compare must say so, unless there is one writer only. */
static void
update_without_exclusion_is_refused(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	zinc_error err = ZINC_ERROR_INIT;
	int n;

	if (!s || (flags_of(s) & (ZINC_CAP_UPDATE | ZINC_CAP_CAS)))
		return;
	assert_int_equal(zinc_store_update(s, "k", increment, &n, 0, 0, &err), ZINC_E_READONLY);
	assert_ok(zinc_store_update(s, "k", increment, &n, 1, 0, &err));
}

/* ---- set_partial_values ---- */

static void
put_partial_changes_ranges(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	const zinc_partial parts[] = {
	    {"k", 8, "XY", 2}, {"new", 3, "z", 1}, {"k", 0, "AB", 2}, {"k", 2, "C", 1}, {"k", 1, "", 0}};
	const zinc_partial overlap[] = {{"k", 0, "ab", 2}, {"x", 1, "b", 1}, {"k", 1, "b", 1}};
	const zinc_partial endless[] = {{"k", UINT64_MAX, "ab", 2}};
	zinc_error err = ZINC_ERROR_INIT;

	if (!s)
		return;
	put_text(s, "k", "0123456789");
	assert_ok(zinc_store_put_partial(s, parts, 5, 1, 0, &err));
	assert_text(s, "k", "ABC34567XY");
	assert_value(s, "new", "\0\0\0z", 4); /* past the end: zeros between */
	assert_ok(zinc_store_put_partial(s, &(zinc_partial){"k", 12, "!", 1}, 1, 1, 0, &err));
	assert_value(s, "k", "ABC34567XY\0\0!", 13);
	assert_int_equal(zinc_store_put_partial(s, overlap, 3, 1, 0, &err), ZINC_E_INVALID);
	assert_value(s, "k", "ABC34567XY\0\0!", 13);
	assert_missing(s, "x");
	assert_int_equal(zinc_store_put_partial(s, endless, 1, 1, 0, &err), ZINC_E_INVALID);
	assert_ok(zinc_store_put_partial(s, NULL, 0, 1, 0, &err));
}

/* ---- listing ---- */

typedef struct listing {
	char text[1024];
	int most; /* stop after so many; 0: never */
	int n;
	zinc_store *erase_from;
} listing;

static int
add_line(listing *l, const char *text)
{
	size_t n = strlen(l->text);

	snprintf(l->text + n, sizeof l->text - n, "%s%s", n ? " " : "", text);
	return ++l->n == l->most;
}

static int
list_key(void *arg, const char *key, uint64_t nbytes)
{
	listing *l = (listing *)arg;
	char line[300];

	if (l->erase_from)
		assert_int_equal(zinc_store_del(l->erase_from, NULL, key, NULL, 0, NULL), ZINC_OK);
	snprintf(line, sizeof line, "%s:%d", key, (int)nbytes);
	return add_line(l, line);
}

static int
list_entry(void *arg, const char *name, int is_prefix)
{
	assert_int_equal(is_prefix, name[strlen(name) - 1] == '/');
	return add_line((listing *)arg, name);
}

static void
assert_list(zinc_store *s, const char *prefix, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	listing l = {"", 0, 0, NULL};

	assert_ok(zinc_store_list(s, prefix, list_key, &l, &err));
	assert_string_equal(l.text, want);
}

static void
assert_list_dir(zinc_store *s, const char *prefix, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	listing l = {"", 0, 0, NULL};

	assert_ok(zinc_store_list_dir(s, prefix, list_entry, &l, &err));
	assert_string_equal(l.text, want);
}

/* In order of the keys' bytes: '.' < '/' < '0'. */
static void
list_is_in_order(void **state)
{
	static const char *const keys[] = {"a0", "a/x/z", "a.b",      "b",     "a/x.y", "a/y",
					   "A",  "a-b/c", "\xC3\xA9", "a/x/y", "ab/c"};
	zinc_store *s = able(state, ZINC_CAP_LIST);
	size_t i;

	if (!s)
		return;
	assert_list(s, "", "");
	assert_list_dir(s, "", "");
	for (i = 0; i < COUNT(keys); i++)
		put_text(filler(state), keys[i], "0123456789" + i % 10);
	assert_list(s, "", "A:4 a-b/c:3 a.b:8 a/x.y:6 a/x/y:1 a/x/z:9 a/y:5 a0:10 ab/c:10 b:7 \xC3\xA9:2");
	assert_list(s, "a/", "a/x.y:6 a/x/y:1 a/x/z:9 a/y:5");
	assert_list(s, "a/x/", "a/x/y:1 a/x/z:9");
	assert_list(s, "b/", "");
	assert_list(s, "none/at/all/", "");
	assert_list_dir(s, "", "A a-b/ a.b a/ a0 ab/ b \xC3\xA9");
	assert_list_dir(s, "a/", "a/x.y a/x/ a/y");
	assert_list_dir(s, "none/", "");
}

/* The example of the specification. */
static void
list_dir_as_specified(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_LIST);

	if (!s)
		return;
	put_text(filler(state), "a/b", "");
	put_text(filler(state), "a/c", "");
	put_text(filler(state), "a/d/e", "");
	put_text(filler(state), "a/f/g", "");
	assert_list_dir(s, "a/", "a/b a/c a/d/ a/f/");
	assert_list_dir(s, "b/", "");
	assert_list_dir(s, "a/b/", "");
	assert_list(s, "a/d/", "a/d/e:0");
}

static void
list_shows_no_prefix_without_keys(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_LIST | ZINC_CAP_ERASE);
	zinc_error err = ZINC_ERROR_INIT;

	if (!s)
		return;
	put_text(s, "a/b/c/d", "1");
	put_text(s, "a/x", "1");
	assert_ok(zinc_store_del(s, NULL, "a/b/c/d", NULL, 0, &err));
	assert_list_dir(s, "a/", "a/x");
	assert_list(s, "", "a/x:1");
	assert_ok(zinc_store_del(s, NULL, "a/x", NULL, 0, &err));
	assert_list_dir(s, "", "");
	put_text(s, "a", "1"); /* no longer a prefix */
	assert_list_dir(s, "", "a");
}

static void
list_can_be_stopped_and_may_change(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_LIST);
	zinc_error err = ZINC_ERROR_INIT;
	listing l = {"", 2, 0, NULL}, e = {"", 2, 0, NULL}, x = {"", 0, 0, NULL};
	enum { N = 300 };
	char key[32];
	int i;

	if (!s)
		return;
	put_text(filler(state), "a", "");
	put_text(filler(state), "b/c", "");
	put_text(filler(state), "d", "");
	assert_ok(zinc_store_list(s, "", list_key, &l, &err));
	assert_string_equal(l.text, "a:0 b/c:0");
	assert_ok(zinc_store_list_dir(s, "", list_entry, &e, &err));
	assert_string_equal(e.text, "a b/");
	if (!(flags_of(s) & ZINC_CAP_ERASE))
		return;
	for (i = 0; i < N; i++) { /* more than a store takes at a time */
		snprintf(key, sizeof key, "m/%03d", i);
		put_text(s, key, "");
	}
	x.erase_from = s;
	assert_ok(zinc_store_list(s, "m/", list_key, &x, &err));
	assert_int_equal(x.n, N);
	assert_list(s, "m/", "");
}

static void
what_cannot_list_says_so(void **state)
{
	zinc_store *s = subject(state);
	zinc_error err = ZINC_ERROR_INIT;
	listing l = {"", 0, 0, NULL};

	if (flags_of(s) & ZINC_CAP_LIST)
		return;
	assert_int_equal(zinc_store_list(s, "", list_key, &l, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_store_list_dir(s, "", list_entry, &l, &err), ZINC_E_UNSUPPORTED);
}

/* ---- keys ---- */

static void
bad_keys_are_refused_everywhere(void **state)
{
	static const char *const bad[] = {"",       "/a",    "a/",   "a//b",  ".",    "..",       "../a",        "a/..",
					  "a/../b", "a/./b", "a\nb", "a\x7F", "\xFF", "\xC0\xAF", "\xED\xA0\x80"};
	zinc_store *s = subject(state);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	listing l = {"", 0, 0, NULL};
	gets g;
	size_t i;
	int n;

	for (i = 0; i < COUNT(bad); i++) {
		const char *key = bad[i];

		gets_init(&g, 2);
		assert_int_equal(gets_run(&g, s, (zinc_get[]){get_stat("fine"), get_stat(key)}, &err), ZINC_E_INVALID);
		gets_fini(&g);
		assert_string_equal(err.url, zinc_store_url(s));
		assert_int_equal(zinc_store_get_all(s, key, &b, NULL, 0, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_del(s, NULL, key, NULL, 0, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_update(s, key, increment, &n, 1, 0, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_del_many(s, &key, 1, 0, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_put_partial(s, &(zinc_partial){key, 0, "x", 1}, 1, 1, 0, &err),
				 ZINC_E_INVALID);
		if (key[0] && strcmp(key, "a/") != 0) {
			assert_int_equal(zinc_store_list(s, key, list_key, &l, &err), ZINC_E_INVALID);
			assert_int_equal(zinc_store_list_dir(s, key, list_entry, &l, &err), ZINC_E_INVALID);
			assert_int_equal(zinc_store_del_prefix(s, key, 0, &err), ZINC_E_INVALID);
			assert_int_equal(zinc_store_scrub(s, key, 0, NULL, NULL, &err), ZINC_E_INVALID);
		}
	}
}

static void
odd_keys_are_kept(void **state)
{
	static const char *const odd[] = {"a b", "...",  "a..b",     ".hidden",      "~",     "*?[",
					  "a:b", "%2e",  "-rf",      "\xE2\x82\xAC", "c/0/0", "c.0.0",
					  "#x",  "lock", "\"quote'", "__lock"};
	zinc_store *s = subject(state);
	size_t i;

	for (i = 0; i < COUNT(odd); i++)
		put_text(filler(state), odd[i], odd[i]);
	for (i = 0; i < COUNT(odd); i++)
		assert_text(s, odd[i], odd[i]);
}

static void
limits_of_keys_are_told(void **state)
{
	zinc_store *s = subject(state);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps;
	char key[9000];
	size_t i, n;

	zinc_store_caps(s, &caps);
	if (caps.component_max) {
		memset(key, 'x', sizeof key);
		key[caps.component_max] = '\0';
		put_text(filler(state), key, "longest");
		assert_text(s, key, "longest");
		key[caps.component_max] = 'x';
		key[caps.component_max + 1] = '\0';
		assert_int_equal(zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, &err), ZINC_E_INVALID);
		snprintf(key, sizeof key, "%u", (unsigned)caps.component_max);
		assert_non_null(strstr(err.text, key));
	}
	if (caps.key_max && caps.key_max < sizeof key - 2) {
		for (i = 0, n = caps.key_max; i < n; i++)
			key[i] = i % 100 == 99 && i + 1 < n ? '/' : 'y';
		key[n] = '\0';
		put_text(filler(state), key, "longest");
		assert_text(s, key, "longest");
		key[n] = 'y';
		key[n + 1] = '\0';
		assert_int_equal(zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, &err), ZINC_E_INVALID);
		snprintf(key, sizeof key, "%u", (unsigned)caps.key_max);
		assert_non_null(strstr(err.text, key));
	}
}

/* ---- read-only, readers and writers, the rest ---- */

static void
read_only_refuses_every_change(void **state)
{
	zinc_store *s = subject(state);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	const char *key = "k";
	edit e = {"old", {"new", 3, 0, 0}, ZINC_OK, 0};

	if (flags_of(s) & ZINC_CAP_WRITE)
		return;
	put_text(filler(state), "k", "old");
	assert_int_equal(zinc_store_put(s, NULL, "k", "x", 1, NULL, 0, NULL, &err), ZINC_E_READONLY);
	assert_string_equal(err.url, zinc_store_url(s));
	assert_string_equal(err.key, "k");
	assert_int_equal(zinc_store_del(s, NULL, "k", NULL, 0, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_del_many(s, &key, 1, 0, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_del_prefix(s, "", 0, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_update(s, "k", apply_edit, &e, 1, 0, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_put_partial(s, &(zinc_partial){"k", 0, "x", 1}, 1, 1, 0, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_put_begin(s, &g, 0, &err), ZINC_E_READONLY);
	assert_int_equal(e.calls, 0);
	assert_text(s, "k", "old");
}

typedef struct mixer {
	zinc_store *store;
	atomic_bool stop;
	atomic_int bad;
} mixer;

enum { MIXED = 5000 };

/* Values of one byte, each of another length, so that a mixture or a prefix would show. */
static void *
write_versions(void *arg)
{
	mixer *m = (mixer *)arg;
	uint8_t value[MIXED];
	int i;

	for (i = 1; i <= 150; i++) {
		memset(value, i, sizeof value);
		if (zinc_store_put(m->store, NULL, "d/k", value, (size_t)(MIXED - i), NULL, ZINC_PUT_RELAXED, NULL,
				   NULL) != ZINC_OK)
			m->bad++;
	}
	m->stop = true;
	return NULL;
}

static void
readers_see_whole_values(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE | ZINC_CAP_ATOMIC_PUT);
	mixer m = {.store = s};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	const uint8_t *p;
	pthread_t t;
	size_t i;

	if (!s)
		return;
	put_text(s, "d/k", "");
	assert_int_equal(pthread_create(&t, NULL, write_versions, &m), 0);
	while (!m.stop) {
		assert_ok(zinc_store_get_all(s, "d/k", &b, NULL, 0, &err));
		p = (const uint8_t *)b.data;
		if (b.nbytes)
			assert_int_equal(b.nbytes, MIXED - p[0]);
		for (i = 1; i < b.nbytes; i++)
			assert_int_equal(p[i], p[0]);
		zinc_blob_fini(&b);
	}
	pthread_join(t, NULL);
	assert_int_equal(m.bad, 0);
}

static int
no_leftover(void *arg, const char *name, const char *what)
{
	(void)arg;
	fail_msg("leftover %s: %s", name, what);
	return 1;
}

static void
nothing_is_left_over(void **state)
{
	zinc_store *s = subject(state), *same = zinc_store_ref(s);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;

	assert_ptr_equal(same, s);
	zinc_store_close(same);
	assert_non_null(zinc_store_context(s));
	assert_non_null(zinc_store_url(s));
	put_text(filler(state), "a/b", "1");
	assert_ok(zinc_store_sync(s, &err));
	if (flags_of(s) & ZINC_CAP_ERASE) {
		assert_ok(zinc_store_put_begin(s, &g, 0, &err));
		assert_ok(zinc_store_put(s, g, "x/y", "1", 1, NULL, 0, NULL, &err));
		zinc_store_abort(s, g);
		assert_ok(zinc_store_del_prefix(s, "", 0, &err));
	}
	assert_ok(zinc_store_scrub(s, "", 0, no_leftover, NULL, &err));
	if (flags_of(s) & ZINC_CAP_ERASE)
		assert_ok(zinc_store_scrub(s, "", 1, no_leftover, NULL, &err));
}

/* clang-format off */
#define ROW(f) {#f, f}
static const struct {
	const char *name;
	CMUnitTestFunction fn;
} rows[] = {
	ROW(get_whole_missing_and_empty),
	ROW(get_ranges),
	ROW(get_into_iov),
	ROW(get_existence_and_tags),
	ROW(get_asks_for_room),
	ROW(get_can_be_cancelled),
	ROW(get_all_has_a_limit),
	ROW(put_replaces),
	ROW(put_under_conditions),
	ROW(tags_never_repeat),
	ROW(del_and_del_of_what_is_missing),
	ROW(del_many_and_prefix),
	ROW(groups_commit_many),
	ROW(groups_report_what_failed),
	ROW(update_creates_changes_keeps_and_erases),
	ROW(update_passes_failures_on),
	ROW(updates_of_threads_are_not_lost),
	ROW(update_without_exclusion_is_refused),
	ROW(put_partial_changes_ranges),
	ROW(list_is_in_order),
	ROW(list_dir_as_specified),
	ROW(list_shows_no_prefix_without_keys),
	ROW(list_can_be_stopped_and_may_change),
	ROW(what_cannot_list_says_so),
	ROW(bad_keys_are_refused_everywhere),
	ROW(odd_keys_are_kept),
	ROW(limits_of_keys_are_told),
	ROW(read_only_refuses_every_change),
	ROW(readers_see_whole_values),
	ROW(nothing_is_left_over),
};
/* clang-format on */

int
conform_store_run(const char *name, conform_make_fn make, void *arg)
{
	struct CMUnitTest tests[COUNT(rows)];
	plan p = {make, arg, {NULL, NULL}};
	size_t i;

	for (i = 0; i < COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){rows[i].name, rows[i].fn, set_up, tear_down, &p};
	return _cmocka_run_group_tests(name, tests, COUNT(rows), NULL, NULL);
}
