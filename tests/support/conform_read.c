/*
 * conform_read.c - get, get_partial_values, room, tags and cancelling
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/conform_inside.h"

/* ---- get ---- */

static void
get_whole_missing_and_empty(void **state)
{
	zinc_store *s = subject(state);
	zinc_blob none = ZINC_BLOB_INIT;
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
	/* a prefix of keys is not a key; if it cannot also be a key, something may be in its place */
	assert_int_not_equal(zinc_store_get_all(s, "a", &none, NULL, 0, NULL, &err), ZINC_OK);
	assert_missing(s, "a/b/c");
}

/* get_partial_values: the same key many times, in any order, each range truncated at the end. */
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
	    {8, 5, 0, "89"}, /* ends past the end: truncated */
	    {10, 1, 0, ""},  /* begins past the end: nothing */
	    {99, ZINC_TO_END, 0, ""},
	    {UINT64_MAX, UINT64_MAX, 0, ""},
	    {UINT64_MAX - 3, 7, 0, ""},
	    {4, 0, 0, ""},
	    {7, ZINC_TO_END, 0, "789"},
	    {0, 3, 1, "789"},
	    {0, 10, 1, "0123456789"},
	    {0, 11, 1, "0123456789"}, /* fewer exist: all */
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
	/* one request without and one with a tag, of a missing key */
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
	enum { N = 200 }; /* more than a store keeps open */
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
	zinc_cancel_set(&g.cancel);
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
	zinc_cancel_set(&g.cancel);
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
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 5, NULL, &err));
	assert_string_equal((const char *)b.data, "12345");
	zinc_blob_fini(&b);
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 4, NULL, &err), ZINC_E_LIMIT);
	assert_null(b.data);
	assert_true(err.url[0] != '\0');
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 4, NULL, NULL), ZINC_E_LIMIT);
	assert_int_equal(zinc_store_get_all(s, "none", &b, NULL, 0, NULL, NULL), ZINC_E_NOTFOUND);
}

/* What `zinc stores` shows of a kind is all that an open store of it has. */
static void
caps_are_those_of_the_kind(void **state)
{
	zinc_store *s = subject(state);

	if (!s->ops.schemes && !s->ops.adapters)
		return;
	assert_int_not_equal(s->ops.flags, 0);
	assert_int_equal(flags_of(s) & ~s->ops.flags, 0);
	put_text(filler(state), "a", "1");
	assert_text(s, "a", "1");
	assert_int_equal(flags_of(s) & ~s->ops.flags, 0);
}

const conform_row conform_read[] = {
    CONFORM_ROW(caps_are_those_of_the_kind),
    CONFORM_ROW(get_whole_missing_and_empty),
    CONFORM_ROW(get_ranges),
    CONFORM_ROW(get_into_iov),
    CONFORM_ROW(get_existence_and_tags),
    CONFORM_ROW(get_asks_for_room),
    CONFORM_ROW(get_can_be_cancelled),
    CONFORM_ROW(get_all_has_a_limit),
    {NULL, NULL},
};
