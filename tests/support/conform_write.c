/*
 * conform_write.c - set, set_partial_values, erase; conditions, groups, update
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/conform_inside.h"

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
	assert_ok(zinc_store_putv(s, NULL, "v", iov, 4, NULL, 0, NULL, NULL, &err));
	assert_text(s, "v", "abcdefg");
	assert_ok(zinc_store_putv(s, NULL, "v", NULL, 0, NULL, 0, NULL, NULL, &err));
	assert_text(s, "v", "");
	big = (uint8_t *)malloc(BIG);
	for (i = 0; i < BIG; i++)
		big[i] = (uint8_t)(i * 2654435761u >> 13);
	assert_ok(zinc_store_put(s, NULL, "big", big, BIG, NULL, 0, NULL, NULL, &err));
	assert_value(s, "big", big, BIG);
	free(big);
	assert_ok(zinc_store_put(s, NULL, "relaxed", "r", 1, NULL, ZINC_PUT_RELAXED, NULL, NULL, &err));
	assert_text(s, "relaxed", "r");
	assert_ok(zinc_store_sync(s, NULL, &err));
}

/* A server may have conditional puts and no conditional deletes: these are then refused and change nothing. */
static void
refuses_conditional_dels(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_tag tag = tag_of(s, "k");
	const zinc_condition equals = {ZINC_EQUALS, &tag};

	assert_int_equal(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_text(s, "k", "2");
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
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, NULL, &err));
	first = tag_of(s, "k");
	assert_true(zinc_tag_equal(&tag, &first));
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, &absent, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(err.code, ZINC_E_EXISTS);
	assert_text(s, "k", "1");
	equals.tag = &first;
	assert_ok(zinc_store_put(s, NULL, "k", "2", 1, &equals, 0, &tag, NULL, &err));
	assert_int_equal(zinc_store_put(s, NULL, "k", "3", 1, &equals, 0, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(zinc_store_put(s, NULL, "other", "3", 1, &equals, 0, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_text(s, "k", "2");
	assert_missing(s, "other");
	if (!(flags_of(s) & ZINC_CAP_ERASE)) {
		assert_int_equal(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err), ZINC_E_READONLY);
		return;
	}
	assert_int_not_equal(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err), ZINC_OK);
	assert_text(s, "k", "2");
	if (!has_conditional_dels(state)) {
		refuses_conditional_dels(s);
		return;
	}
	assert_int_equal(err.code, ZINC_E_CONFLICT);
	assert_int_equal(zinc_store_del(s, NULL, "k", &absent, 0, NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_store_del(s, NULL, "other", &equals, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_ok(zinc_store_del(s, NULL, "other", &absent, 0, NULL, &err));
	assert_text(s, "k", "2");
	equals.tag = &tag;
	assert_ok(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err));
	assert_missing(s, "k");
	equals.tag = NULL;
	assert_int_equal(zinc_store_put(s, NULL, "k", "3", 1, &equals, 0, NULL, NULL, &err), ZINC_E_INVALID);
}

/* Also if they are as long, and after a delete. */
static void
tags_differ_when_bytes_differ(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE | ZINC_CAP_TAGS);
	enum { N = 40 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tags[N];
	char value[16];
	int i, j;

	if (!s)
		return;
	for (i = 0; i < N; i++) {
		snprintf(value, sizeof value, "%d", 100 + i);
		assert_ok(zinc_store_put(s, NULL, "k", value, 3, NULL, ZINC_PUT_RELAXED, &tags[i], NULL, &err));
		assert_true(tags[i].n > 0);
		for (j = 0; j < i; j++)
			assert_false(zinc_tag_equal(&tags[i], &tags[j]));
		if (i % 3 == 0 && flags_of(s) & ZINC_CAP_ERASE)
			assert_ok(zinc_store_del(s, NULL, "k", NULL, ZINC_PUT_RELAXED, NULL, &err));
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
	assert_ok(zinc_store_del(s, NULL, "a/b", NULL, 0, NULL, &err));
	assert_missing(s, "a/b");
	assert_text(s, "a/c", "2");
	assert_ok(zinc_store_del(s, NULL, "a/b", NULL, 0, NULL, &err));
	assert_ok(zinc_store_del(s, NULL, "a", NULL, 0, NULL, &err)); /* a prefix of keys is not a key */
	assert_ok(zinc_store_del(s, NULL, "never/was", NULL, 0, NULL, &err));
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
	assert_ok(zinc_store_del_keys(s, (const char *const[]){"b/c", "no/such", "a/b"}, 3, 0, NULL, &err));
	assert_missing(s, "b/c");
	assert_missing(s, "a/b");
	assert_ok(zinc_store_del_prefix(s, "a/", 0, NULL, &err));
	assert_missing(s, "a/c/d");
	assert_missing(s, "a/c/e/f");
	assert_text(s, "ab", "v");
	assert_text(s, "a.b/c", "v");
	assert_ok(zinc_store_del_prefix(s, "a/", 0, NULL, &err));
	assert_int_equal(zinc_store_del_prefix(s, "ab", 0, NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_store_del_prefix(s, "", 0, NULL, &err));
	assert_missing(s, "ab");
	assert_missing(s, "a.b/c");
	assert_ok(zinc_store_del_keys(s, NULL, 0, 0, NULL, &err));
}

/* ---- groups ---- */

static void
note_failed_key(void *arg, const char *key, zinc_status st, const zinc_error *error)
{
	char *out = (char *)arg;

	assert_non_null(error);
	assert_int_equal(error->code, st);
	snprintf(out, 64, "%s %s", key, zinc_status_name(st));
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
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 7, i);
		snprintf(text, sizeof text, "value %d", i);
		assert_ok(zinc_store_put(s, g, key, text, strlen(text), NULL, 0, NULL, NULL, &err));
	}
	assert_ok(zinc_store_put(s, g, "twice", "1", 1, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_put(s, g, "twice", "2", 1, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_put(s, g, "put then del", "1", 1, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_del(s, g, "put then del", NULL, 0, NULL, &err));
	assert_ok(zinc_store_del(s, g, "gone", NULL, 0, NULL, &err));
	assert_ok(zinc_store_put(s, g, "gone and back", "1", 1, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 7, i);
		snprintf(text, sizeof text, "value %d", i);
		assert_text(s, key, text);
	}
	assert_text(s, "twice", "2");
	assert_missing(s, "put then del");
	assert_missing(s, "gone");
	assert_text(s, "gone and back", "1");
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err)); /* an empty one */
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
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	assert_ok(zinc_store_put(s, g, "a", "1", 1, &absent, 0, NULL, NULL, &err));
	put = zinc_store_put(s, g, "k", "new", 3, &absent, 0, NULL, NULL, &err);
	assert_ok(zinc_store_put(s, g, "z", "2", 1, &absent, 0, &tag, NULL, &err)); /* with a tag: done at once */
	now = tag_of(s, "z");
	assert_true(zinc_tag_equal(&tag, &now));
	commit = zinc_store_commit(s, g, note_failed_key, failed, NULL, &err);
	assert_int_equal(put == ZINC_OK ? commit : put, ZINC_E_EXISTS);
	if (put == ZINC_OK) {
		assert_string_equal(failed, "k E_EXISTS");
		assert_int_equal(err.code, ZINC_E_EXISTS);
	}
	assert_text(s, "k", "old");
	assert_text(s, "a", "1");
	assert_text(s, "z", "2");
	assert_ok(zinc_store_put_begin(s, &g, ZINC_PUT_RELAXED, NULL, &err));
	assert_ok(zinc_store_put(s, g, "aborted", "1", 1, NULL, 0, NULL, NULL, &err));
	zinc_store_abort(s, g);
	zinc_store_abort(s, NULL);
	put_text(s, "aborted", "anew");
	assert_text(s, "aborted", "anew");
}

/* ---- update ---- */

static void
update_creates_changes_keeps_and_erases(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE | ZINC_CAP_ERASE);
	zinc_error err = ZINC_ERROR_INIT;
	edit e = {NULL, {sizeof(zinc_update), "one", 3, 0, 0}, ZINC_OK, 0};
	zinc_status st;

	if (!s)
		return;
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, 0, NULL, &err));
	assert_text(s, "d/k", "one");
	e = (edit){"one", {sizeof(zinc_update), "three", 5, 0, 0}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, 0, NULL, &err));
	assert_text(s, "d/k", "three");
	e = (edit){"three", {sizeof(zinc_update), "", 0, 0, 0}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, 0, NULL, &err));
	assert_text(s, "d/k", "");
	e = (edit){"", {sizeof(zinc_update), NULL, 0, 0, 1}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, 0, NULL, &err));
	assert_text(s, "d/k", "");
	e = (edit){"", {sizeof(zinc_update), NULL, 0, 1, 0}, ZINC_OK, 0};
	st = zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, 0, NULL, &err);
	if (!has_conditional_dels(state)) {
		assert_int_equal(st, ZINC_E_UNSUPPORTED);
		assert_text(s, "d/k", "");
		return;
	}
	assert_int_equal(st, ZINC_OK);
	assert_missing(s, "d/k");
	e = (edit){NULL, {sizeof(zinc_update), NULL, 0, 1, 0}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, 0, NULL, &err));
	e = (edit){NULL, {sizeof(zinc_update), NULL, 0, 0, 1}, ZINC_OK, 0};
	assert_ok(zinc_store_update(s, "d/k", apply_edit, &e, 1, 0, 0, NULL, &err));
	assert_missing(s, "d/k");
}

/* The caller's failure is returned unchanged, and nothing changes. */
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
		edit e = {"old", {sizeof(zinc_update), "new", 3, 0, 0}, all[i], 0},
		     f = {NULL, {sizeof(zinc_update), "new", 3, 0, 0}, all[i], 0};

		assert_int_equal(zinc_store_update(s, "k", apply_edit, &e, 1, 0, 0, NULL, &err), all[i]);
		assert_int_equal(e.calls, 1);
		assert_string_equal(err.text, "the caller's own reason");
		assert_int_equal(zinc_store_update(s, "new/k", apply_edit, &f, 1, 0, 0, NULL, &err), all[i]);
	}
	assert_text(s, "k", "old");
	assert_missing(s, "new/k");
}

enum { THREADS = 4, ROUNDS = 25 };

static void *
increment_often(void *arg)
{
	zinc_store *s = (zinc_store *)arg;
	int i, n;

	for (i = 0; i < ROUNDS; i++)
		if (zinc_store_update(s, "d/n", increment, &n, 0, 0, ZINC_PUT_RELAXED, NULL, NULL) != ZINC_OK)
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

/* A store that can neither exclude nor compare must refuse, unless there is only one writer. */
static void
update_without_exclusion_is_refused(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	zinc_error err = ZINC_ERROR_INIT;
	int n;

	if (!s || (flags_of(s) & (ZINC_CAP_UPDATE | ZINC_CAP_CAS)))
		return;
	assert_int_equal(zinc_store_update(s, "k", increment, &n, 0, 0, 0, NULL, &err), ZINC_E_READONLY);
	assert_ok(zinc_store_update(s, "k", increment, &n, 1, 0, 0, NULL, &err));
}

/* ---- set_partial_values ---- */

static void
put_partial_changes_ranges(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	const zinc_partial parts[] = {
	    {"k", 8, "XY", 2, 0}, {"new", 3, "z", 1, 0}, {"k", 0, "AB", 2, 0}, {"k", 2, "C", 1, 0}, {"k", 1, "", 0, 0}};
	const zinc_partial overlap[] = {{"k", 0, "ab", 2, 0}, {"x", 1, "b", 1, 0}, {"k", 1, "b", 1, 0}};
	const zinc_partial endless[] = {{"k", UINT64_MAX, "ab", 2, 0}};
	zinc_error err = ZINC_ERROR_INIT;

	if (!s)
		return;
	put_text(s, "k", "0123456789");
	assert_ok(zinc_store_put_partial(s, parts, 5, 1, 0, NULL, &err));
	assert_text(s, "k", "ABC34567XY");
	assert_value(s, "new", "\0\0\0z", 4); /* past the end: zeros between */
	assert_ok(zinc_store_put_partial(s, &(zinc_partial){"k", 12, "!", 1, 0}, 1, 1, 0, NULL, &err));
	assert_value(s, "k", "ABC34567XY\0\0!", 13);
	assert_int_equal(zinc_store_put_partial(s, overlap, 3, 1, 0, NULL, &err), ZINC_E_INVALID);
	assert_value(s, "k", "ABC34567XY\0\0!", 13);
	assert_missing(s, "x");
	assert_int_equal(zinc_store_put_partial(s, endless, 1, 1, 0, NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_store_put_partial(s, NULL, 0, 1, 0, NULL, &err));
}

/* ---- many at once ---- */

enum { MANY = 100 };

typedef struct outcomes {
	int dones[MANY];
	zinc_status status[MANY];
	zinc_tag tag[MANY];
	bool named[MANY]; /* the error has the key */
	const zinc_put *puts;
	pthread_mutex_t lock;
} outcomes;

static void
note_outcome(void *arg, size_t i, const zinc_outcome *o)
{
	outcomes *x = (outcomes *)arg;

	pthread_mutex_lock(&x->lock);
	x->dones[i]++;
	x->status[i] = o->status;
	if (o->tag)
		x->tag[i] = *o->tag;
	x->named[i] = o->error && x->puts && strstr(o->error->key, x->puts[i].key);
	pthread_mutex_unlock(&x->lock);
}

/* Does a put of one key change the tag of another? It does if several are in one value, as in a shard. */
static bool
tags_are_shared(zinc_store *s)
{
	zinc_tag before, after;

	put_text(s, "m/0", "old");
	before = tag_of(s, "m/0");
	put_text(s, "m/3", "old");
	put_text(s, "m/6", "old");
	after = tag_of(s, "m/0");
	return !zinc_tag_equal(&before, &after);
}

/* Every third already exists; puts that need an absent key fail for these, and for no others. */
static void
many_puts_are_told_of_each(void **state)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	zinc_error err = ZINC_ERROR_INIT;
	outcomes x = {.lock = PTHREAD_MUTEX_INITIALIZER};
	const zinc_done done = {.size = sizeof done, .done = note_outcome, .arg = &x};
	struct iovec iov[2] = {{(void *)(uintptr_t) "ne", 2}, {(void *)(uintptr_t) "w", 1}};
	char keys[MANY][16];
	zinc_put puts[MANY];
	bool tags;
	int i;

	if (!s)
		return;
	tags = (flags_of(s) & ZINC_CAP_TAGS) && !tags_are_shared(s);
	for (i = 0; i < MANY; i++) {
		snprintf(keys[i], sizeof keys[i], "m/%d", i);
		puts[i] = (zinc_put){.key = keys[i], .iov = iov, .niov = 2, .when = i % 2 ? &absent : NULL};
		if (i % 3 == 0)
			put_text(s, keys[i], "old");
	}
	x.puts = puts;
	assert_ok(zinc_store_put_many(s, NULL, puts, MANY, &done, ZINC_PUT_TAGS | ZINC_PUT_RELAXED, NULL, &err));
	for (i = 0; i < MANY; i++) {
		/* Without CAS a store may still check, as http does. */
		const bool loses =
		    i % 2 && i % 3 == 0 && ((flags_of(s) & ZINC_CAP_CAS) || x.status[i] == ZINC_E_EXISTS);

		assert_int_equal(x.dones[i], 1);
		assert_int_equal(x.status[i], loses ? ZINC_E_EXISTS : ZINC_OK);
		assert_int_equal(x.named[i], loses);
		assert_text(s, keys[i], loses ? "old" : "new");
		if (!loses && tags) {
			const zinc_tag now = tag_of(s, keys[i]);

			assert_true(zinc_tag_equal(&x.tag[i], &now));
		}
	}
}

static void
many_dels_are_told_of_each(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE | ZINC_CAP_ERASE);
	zinc_error err = ZINC_ERROR_INIT;
	outcomes x = {.lock = PTHREAD_MUTEX_INITIALIZER};
	const zinc_done done = {.size = sizeof done, .done = note_outcome, .arg = &x};
	const zinc_del dels[] = {{.key = "d/a"}, {.key = "d/none"}, {.key = "d/b"}};
	int i;

	if (!s)
		return;
	put_text(s, "d/a", "1");
	put_text(s, "d/b", "2");
	assert_ok(zinc_store_del_many(s, NULL, dels, 3, &done, ZINC_PUT_RELAXED, NULL, &err));
	for (i = 0; i < 3; i++) {
		assert_int_equal(x.dones[i], 1);
		assert_int_equal(x.status[i], ZINC_OK);
		assert_missing(s, dels[i].key);
	}
}

/* Cancelled before it began: each is reported, and nothing is stored. */
static void
many_puts_can_be_cancelled(void **state)
{
	zinc_store *s = able(state, ZINC_CAP_WRITE);
	zinc_error err = ZINC_ERROR_INIT;
	outcomes x = {.lock = PTHREAD_MUTEX_INITIALIZER};
	const zinc_done done = {.size = sizeof done, .done = note_outcome, .arg = &x};
	const zinc_put puts[] = {{.key = "c/a"}, {.key = "c/b"}};
	zinc_cancel cancel = ZINC_CANCEL_INIT;
	const zinc_wait wait = {sizeof wait, 0, &cancel};
	int i;

	if (!s)
		return;
	zinc_cancel_set(&cancel);
	assert_ok(zinc_store_put_many(s, NULL, puts, 2, &done, 0, &wait, &err));
	for (i = 0; i < 2; i++) {
		assert_int_equal(x.dones[i], 1);
		assert_int_equal(x.status[i], ZINC_E_CANCELLED);
		assert_missing(s, puts[i].key);
	}
}

const conform_row conform_write[] = {
    CONFORM_ROW(many_puts_are_told_of_each),
    CONFORM_ROW(many_dels_are_told_of_each),
    CONFORM_ROW(many_puts_can_be_cancelled),
    CONFORM_ROW(put_replaces),
    CONFORM_ROW(put_under_conditions),
    CONFORM_ROW(tags_differ_when_bytes_differ),
    CONFORM_ROW(del_and_del_of_what_is_missing),
    CONFORM_ROW(del_many_and_prefix),
    CONFORM_ROW(groups_commit_many),
    CONFORM_ROW(groups_report_what_failed),
    CONFORM_ROW(update_creates_changes_keeps_and_erases),
    CONFORM_ROW(update_passes_failures_on),
    CONFORM_ROW(updates_of_threads_are_not_lost),
    CONFORM_ROW(update_without_exclusion_is_refused),
    CONFORM_ROW(put_partial_changes_ranges),
    {NULL, NULL},
};
