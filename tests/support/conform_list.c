/*
 * conform_list.c - list, list_prefix, list_dir; accepted and refused keys; whole values, leftovers
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/conform_inside.h"

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
		assert_int_equal(zinc_store_del(l->erase_from, NULL, key, NULL, 0, NULL, NULL), ZINC_OK);
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

	assert_ok(zinc_store_list(s, prefix, list_key, &l, NULL, &err));
	assert_string_equal(l.text, want);
}

static void
assert_list_dir(zinc_store *s, const char *prefix, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	listing l = {"", 0, 0, NULL};

	assert_ok(zinc_store_list_dir(s, prefix, list_entry, &l, NULL, &err));
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
		put_text(filler(state), keys[i], &"0123456789"[i % 10]);
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
	assert_ok(zinc_store_del(s, NULL, "a/b/c/d", NULL, 0, NULL, &err));
	assert_list_dir(s, "a/", "a/x");
	assert_list(s, "", "a/x:1");
	assert_ok(zinc_store_del(s, NULL, "a/x", NULL, 0, NULL, &err));
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
	assert_ok(zinc_store_list(s, "", list_key, &l, NULL, &err));
	assert_string_equal(l.text, "a:0 b/c:0");
	assert_ok(zinc_store_list_dir(s, "", list_entry, &e, NULL, &err));
	assert_string_equal(e.text, "a b/");
	if (!(flags_of(s) & ZINC_CAP_ERASE))
		return;
	for (i = 0; i < N; i++) { /* more than a store takes at a time */
		snprintf(key, sizeof key, "m/%03d", i);
		put_text(s, key, "");
	}
	x.erase_from = s;
	assert_ok(zinc_store_list(s, "m/", list_key, &x, NULL, &err));
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
	assert_int_equal(zinc_store_list(s, "", list_key, &l, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_store_list_dir(s, "", list_entry, &l, NULL, &err), ZINC_E_UNSUPPORTED);
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
		assert_int_equal(zinc_store_get_all(s, key, &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_del(s, NULL, key, NULL, 0, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_update(s, key, increment, &n, 1, 0, 0, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_del_keys(s, &key, 1, 0, NULL, &err), ZINC_E_INVALID);
		assert_int_equal(zinc_store_put_partial(s, &(zinc_partial){key, 0, "x", 1, 0}, 1, 1, 0, NULL, &err),
				 ZINC_E_INVALID);
		if (key[0] && strcmp(key, "a/") != 0) {
			assert_int_equal(zinc_store_list(s, key, list_key, &l, NULL, &err), ZINC_E_INVALID);
			assert_int_equal(zinc_store_list_dir(s, key, list_entry, &l, NULL, &err), ZINC_E_INVALID);
			assert_int_equal(zinc_store_del_prefix(s, key, 0, NULL, &err), ZINC_E_INVALID);
			assert_int_equal(zinc_store_scrub(s, key, 0, NULL, NULL, NULL, &err), ZINC_E_INVALID);
		}
	}
}

/* Does the store say that it has no such keys? */
static bool
is_reserved(const zinc_caps *caps, const char *key)
{
	const size_t n = strlen(key), end = caps->reserved ? strlen(caps->reserved) : n + 1;

	return end <= n && strcmp(key + n - end, caps->reserved) == 0;
}

static void
odd_keys_are_kept(void **state)
{
	static const char *const odd[] = {"a b", "...",  "a..b",     ".hidden",      "~",     "*?[",
					  "a:b", "%2e",  "-rf",      "\xE2\x82\xAC", "c/0/0", "c.0.0",
					  "#x",  "lock", "\"quote'", "__lock"};
	zinc_store *s = subject(state);
	zinc_caps caps = ZINC_CAPS_INIT;
	size_t i;

	zinc_store_caps(s, &caps);
	for (i = 0; i < COUNT(odd); i++)
		if (!is_reserved(&caps, odd[i]))
			put_text(filler(state), odd[i], odd[i]);
	for (i = 0; i < COUNT(odd); i++)
		if (!is_reserved(&caps, odd[i]))
			assert_text(s, odd[i], odd[i]);
}

static void
limits_of_keys_are_told(void **state)
{
	zinc_store *s = subject(state);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;
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
		assert_int_equal(zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_INVALID);
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
		assert_int_equal(zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_INVALID);
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
	edit e = {"old", {sizeof(zinc_update), "new", 3, 0, 0}, ZINC_OK, 0};

	if (flags_of(s) & ZINC_CAP_WRITE)
		return;
	put_text(filler(state), "k", "old");
	assert_int_equal(zinc_store_put(s, NULL, "k", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_READONLY);
	assert_string_equal(err.url, zinc_store_url(s));
	assert_string_equal(err.key, "k");
	assert_int_equal(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_del_keys(s, &key, 1, 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_del_prefix(s, "", 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_update(s, "k", apply_edit, &e, 1, 0, 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_put_partial(s, &(zinc_partial){"k", 0, "x", 1, 0}, 1, 1, 0, NULL, &err),
			 ZINC_E_READONLY);
	assert_int_equal(zinc_store_put_begin(s, &g, 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(e.calls, 0);
	assert_text(s, "k", "old");
}

typedef struct mixer {
	zinc_store *store;
	atomic_bool stop;
	atomic_int bad;
} mixer;

enum { MIXED = 5000 };

/* Values of one byte, each of another length, so that a mixture or a prefix is detected. */
static void *
write_versions(void *arg)
{
	mixer *m = (mixer *)arg;
	uint8_t value[MIXED];
	int i;

	for (i = 1; i <= 150; i++) {
		memset(value, i, sizeof value);
		if (zinc_store_put(m->store, NULL, "d/k", value, (size_t)(MIXED - i), NULL, ZINC_PUT_RELAXED, NULL,
				   NULL, NULL) != ZINC_OK)
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
	zinc_status st;
	pthread_t t;
	size_t i;

	if (!s)
		return;
	put_text(s, "d/k", "");
	assert_int_equal(pthread_create(&t, NULL, write_versions, &m), 0);
	while (!m.stop) {
		st = zinc_store_get_all(s, "d/k", &b, NULL, 0, NULL, &err);
		if (st == ZINC_E_CONFLICT)
			continue; /* of a layer that reads in parts: replaced too often meanwhile.  Not a mixture. */
		assert_ok(st);
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
no_leftover(void *arg, const char *name, const char *key, const char *what)
{
	(void)arg, (void)key;
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
	assert_ok(zinc_store_sync(s, NULL, &err));
	if (flags_of(s) & ZINC_CAP_ERASE) {
		assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
		assert_ok(zinc_store_put(s, g, "x/y", "1", 1, NULL, 0, NULL, NULL, &err));
		zinc_store_abort(s, g);
		if (flags_of(s) & ZINC_CAP_LIST)
			assert_ok(zinc_store_del_prefix(s, "", 0, NULL, &err));
	}
	assert_ok(zinc_store_scrub(s, "", 0, no_leftover, NULL, NULL, &err));
	if (flags_of(s) & ZINC_CAP_ERASE)
		assert_ok(zinc_store_scrub(s, "", 1, no_leftover, NULL, NULL, &err));
}

const conform_row conform_list[] = {
    CONFORM_ROW(list_is_in_order),
    CONFORM_ROW(list_dir_as_specified),
    CONFORM_ROW(list_shows_no_prefix_without_keys),
    CONFORM_ROW(list_can_be_stopped_and_may_change),
    CONFORM_ROW(what_cannot_list_says_so),
    CONFORM_ROW(bad_keys_are_refused_everywhere),
    CONFORM_ROW(odd_keys_are_kept),
    CONFORM_ROW(limits_of_keys_are_told),
    CONFORM_ROW(read_only_refuses_every_change),
    CONFORM_ROW(readers_see_whole_values),
    CONFORM_ROW(nothing_is_left_over),
    {NULL, NULL},
};
