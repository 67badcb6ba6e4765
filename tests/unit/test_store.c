/*
 * test_store.c - checks, errors and missing slots, by the promises of store.c
 *
 * The stores are made by the tests: unusual ones, and ones with wrong answers.
 */
#include <stdio.h>

#include "support/gets.h"
#include "support/sweep.h"
#include "support/slots.h"
#include "support/test.h"

/* ---- a store with given answers ---- */

typedef struct odd_store {
	zinc_caps caps;
	int closed;
	int called;              /* operations that reached it */
	const char *const *keys; /* to list, NULL-ended */
	zinc_got got;
	zinc_status status; /* of get itself */
} odd_store;

static void
odd_close(void *self)
{
	((odd_store *)self)->closed++;
}

static void
odd_caps(void *self, zinc_caps *out)
{
	*out = ((odd_store *)self)->caps;
}

static zinc_status
odd_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	odd_store *o = (odd_store *)self;
	size_t i;

	(void)wait, (void)requests;
	o->called++;
	if (o->status != ZINC_OK)
		return zinc_fail(err, o->status, "get itself");
	for (i = 0; i < n; i++)
		sink->done(sink->arg, i, &o->got);
	return ZINC_OK;
}

static zinc_status
odd_put_one(void *self, zinc_put_group *group, const char *key, const struct iovec *iov, int niov,
	    const zinc_condition *when, uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	(void)wait, (void)group, (void)key, (void)iov, (void)niov, (void)when, (void)flags, (void)tag;
	((odd_store *)self)->called++;
	return zinc_fail(err, ZINC_E_IO, "put itself");
}

PUT_SLOT(odd_put, odd_put_one)

static zinc_status
odd_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	const odd_store *o = (const odd_store *)self;
	size_t i;

	(void)wait, (void)prefix, (void)err;
	for (i = 0; o->keys[i]; i++)
		if (fn(arg, o->keys[i], i))
			break;
	return ZINC_OK;
}

static zinc_status
odd_list_dir(void *self, const char *prefix, zinc_entry_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	const odd_store *o = (const odd_store *)self;
	size_t i;

	(void)wait, (void)prefix, (void)err;
	for (i = 0; o->keys[i]; i++)
		if (fn(arg, o->keys[i], o->keys[i][0] && o->keys[i][strlen(o->keys[i]) - 1] == '/'))
			break;
	return ZINC_OK;
}

static const zinc_store_ops odd_ops = {
    .size = sizeof odd_ops,
    .name = "odd",
    .close = odd_close,
    .caps = odd_caps,
    .get = odd_get,
    .put = odd_put,
    .list = odd_list,
    .list_dir = odd_list_dir,
};

static zinc_store *
wrap(const zinc_store_ops *ops, odd_store *o)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_wrap(&s, NULL, ops, o, "odd:url", &err));
	return s;
}

/* ---- promise 1: keys both ways ---- */

static void
keys_are_checked_before(void **state)
{
	odd_store o = {.caps = {.key_max = 10, .component_max = 4}};
	zinc_store *s = wrap(&odd_ops, &o);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b;

	(void)state;
	assert_int_equal(zinc_store_get_all(s, "aaaa/bbbb/c", &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "at most 10"));
	assert_int_equal(zinc_store_get_all(s, "aaaa/bbbbb", &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "at most 4"));
	assert_string_equal(err.key, "aaaa/bbbbb");
	assert_int_equal(zinc_store_get_all(s, NULL, &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(o.called, 0);
	assert_int_equal(zinc_store_put(s, NULL, "aaaa/bbbb", "", 0, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(o.called, 1);
	zinc_store_close(s);
	assert_int_equal(o.closed, 1);
}

/* Wrong entries in a listing must not be followed. */
static void
keys_are_checked_coming_back(void **state)
{
	static const char *const lies[][3] = {
	    {"a/ok", "../x", NULL}, {"/etc/passwd", NULL}, {"", NULL},  {"b/k", NULL},
	    {"a/", NULL},           {"a/\xFF", NULL},      {"a", NULL}, {"a/../b", NULL}};
	static const char *const entry_lies[][2] = {{"a/..", NULL}, {"a//", NULL}, {"b/c/", NULL}, {"a/\n", NULL}};
	zinc_store_ops no_list_dir = odd_ops;
	zinc_error err = ZINC_ERROR_INIT;
	odd_store o = {.caps = {.flags = ZINC_CAP_LIST}};
	zinc_store *s = wrap(&odd_ops, &o), *t;
	size_t i;
	int n = 0;

	(void)state;
	no_list_dir.list_dir = NULL;
	t = wrap(&no_list_dir, &o);
	for (i = 0; i < COUNT(lies); i++) {
		o.keys = lies[i];
		assert_int_equal(zinc_store_list(s, "a/", count_key, &n, NULL, &err), ZINC_E_CORRUPT);
		assert_string_equal(err.url, "odd:url");
		assert_int_equal(zinc_store_list_dir(t, "a/", count_entry, &n, NULL, &err), ZINC_E_CORRUPT);
	}
	assert_int_equal(n, 2); /* only a/ok, twice */
	for (i = 0; i < COUNT(entry_lies); i++) {
		o.keys = entry_lies[i];
		assert_int_equal(zinc_store_list_dir(s, "a/", count_entry, &n, NULL, &err), ZINC_E_CORRUPT);
	}
	zinc_store_close(s);
	zinc_store_close(t);
}

/* ---- promise 2: errors name the place ---- */

static void
failures_are_named(void **state)
{
	zinc_error inner = ZINC_ERROR_INIT, err = ZINC_ERROR_INIT;
	odd_store o = {.got = {.size = sizeof(zinc_got), .found = ZINC_FAILED, .status = ZINC_E_IO}};
	zinc_store *s = wrap(&odd_ops, &o);
	zinc_get r = get_range("some/key", 0, ZINC_TO_END);
	zinc_blob b;
	gets g;

	(void)state;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r, &err));
	assert_string_equal(g.r[0].error.url, "odd:url");
	assert_string_equal(g.r[0].error.key, "some/key");
	assert_true(g.r[0].error.text[0] != '\0'); /* though the store gave no error */
	gets_fini(&g);
	zinc_fail(&inner, ZINC_E_IO, "inner reason");
	zinc_error_at_key(&inner, ZINC_E_IO, "inner/key");
	o.got.error = &inner;
	assert_int_equal(zinc_store_get_all(s, "some/key", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_string_equal(zinc_error_text(&err), "odd:url: inner/key: inner reason");
	assert_string_equal(inner.url, ""); /* the store's own is not written to */
	o.status = ZINC_E_NOMEM;
	assert_int_equal(zinc_store_get_all(s, "some/key", &b, NULL, 0, NULL, &err), ZINC_E_NOMEM);
	assert_string_equal(err.url, "odd:url");
	zinc_store_close(s);
}

static void
not_asked(void *arg, size_t i, const zinc_got *got)
{
	(void)arg, (void)i, (void)got;
	fail();
}

static void
requests_are_checked(void **state)
{
	odd_store o = {.status = ZINC_E_IO};
	zinc_store *s = wrap(&odd_ops, &o);
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_sink no_room = {sizeof no_room, NULL, not_asked, NULL}, no_done = {sizeof no_done, NULL, NULL, NULL};
	const zinc_sink no_size = {0, NULL, not_asked, NULL};
	zinc_get r = get_range("k", 0, 3);
	char byte;
	struct iovec iov[2] = {{&byte, SIZE_MAX}, {&byte, 4}};

	(void)state;
	assert_int_equal(zinc_store_get(s, &r, 1, &no_room, NULL, &err), ZINC_E_INVALID);
	r.iov = iov;
	r.niov = -1;
	assert_int_equal(zinc_store_get(s, &r, 1, &no_room, NULL, &err), ZINC_E_INVALID);
	r.niov = 2; /* overflows to 3 */
	assert_int_equal(zinc_store_get(s, &r, 1, &no_room, NULL, &err), ZINC_E_INVALID);
	r.stat = 1; /* then none of it matters */
	assert_int_equal(zinc_store_get(s, &r, 1, &no_done, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_get(s, &r, 1, &no_size, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_get(s, &r, 1, &no_room, NULL, &err), ZINC_E_IO);
	assert_int_equal(o.called, 1);
	zinc_store_close(s);
}

/* ---- promise 3: slots that are not there ---- */

static void
structures_of_older_programs(void **state)
{
	zinc_store_ops old = odd_ops, none = odd_ops;
	zinc_error err = ZINC_ERROR_INIT;
	odd_store o = {.closed = 0};
	zinc_store *s = NULL;
	int n;

	(void)state;
	old.size = offsetof(zinc_store_ops, put); /* ends before put, though there is something */
	s = wrap(&old, &o);
	assert_int_equal(zinc_store_put(s, NULL, "k", "", 0, NULL, 0, NULL, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_list(s, "", count_key, &n, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_ok(zinc_store_sync(s, NULL, &err));
	assert_ok(zinc_store_scrub(s, "", 1, NULL, NULL, NULL, &err));
	zinc_store_close(s);
	s = NULL;
	old.size = 8;
	assert_int_equal(zinc_store_wrap(&s, NULL, &old, &o, "", &err), ZINC_E_INVALID);
	none.caps = NULL;
	assert_int_equal(zinc_store_wrap(&s, NULL, &none, &o, "", &err), ZINC_E_INVALID);
	assert_null(s);
	assert_int_equal(o.closed, 1); /* a refused store still belongs to the caller */
	assert_ok(zinc_store_wrap(&s, NULL, &odd_ops, &o, NULL, &err));
	assert_string_equal(zinc_store_url(s), "");
	zinc_store_close(s);
	zinc_store_close(NULL);
}

static void
serials_differ(void **state)
{
	odd_store o = {.closed = 0};
	zinc_store *a = wrap(&odd_ops, &o), *b = wrap(&odd_ops, &o);
	uint64_t first = a->serial;

	(void)state;
	assert_true(a->serial != b->serial);
	zinc_store_close(a);
	a = wrap(&odd_ops, &o);
	assert_true(a->serial != first);
	zinc_store_close(a);
	zinc_store_close(b);
}

/* ---- promise 4 ---- */

static void
listings_are_limited(void **state)
{
	static const char *const keys[] = {"a", "b", "c/d", "c/e", NULL};
	zinc_context_options co = ZINC_CONTEXT_OPTIONS_INIT;
	odd_store o = {.caps = {.flags = ZINC_CAP_LIST}, .keys = keys};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_store *s = NULL;
	int n = 0;

	(void)state;
	co.limits = ZINC_LIMITS(.children = 3);
	assert_ok(zinc_context_new(&ctx, &co, &err));
	assert_ok(zinc_store_wrap(&s, ctx, &odd_ops, &o, "odd:", &err));
	assert_ptr_equal(zinc_store_context(s), ctx);
	assert_int_equal(zinc_store_list(s, "", count_key, &n, NULL, &err), ZINC_E_LIMIT);
	assert_int_equal(n, 3);
	zinc_store_close(s);
	zinc_context_free(ctx);
}

/* ---- promise 5: every put is reported to the caller once ---- */

static zinc_status
talk_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	 const zinc_wait *wait, zinc_error *err)
{
	(void)self, (void)group, (void)puts, (void)n, (void)flags, (void)wait, (void)err;
	zinc_done_report(done, 0, ZINC_OK, NULL, NULL); /* twice of the first, never of the second */
	zinc_done_report(done, 0, ZINC_E_IO, NULL, NULL);
	return ZINC_OK;
}

typedef struct heard {
	int times[2];
	zinc_status status[2];
} heard;

static void
hear(void *arg, size_t i, const zinc_outcome *o)
{
	heard *h = (heard *)arg;

	h->times[i]++;
	h->status[i] = o->status;
}

static void
puts_are_told_of_once(void **state)
{
	static const zinc_store_ops ops = {
	    .size = sizeof ops, .name = "talk", .close = odd_close, .caps = odd_caps, .get = odd_get, .put = talk_put};
	const zinc_put puts[] = {{.key = "a"}, {.key = "b"}};
	zinc_error err = ZINC_ERROR_INIT;
	odd_store o = {.closed = 0};
	heard h = {{0, 0}, {ZINC_OK, ZINC_OK}};
	const zinc_done done = {.size = sizeof done, .done = hear, .arg = &h}, no_size = {.done = hear, .arg = &h};
	zinc_store *s = NULL;

	(void)state;
	assert_ok(zinc_store_wrap(&s, NULL, &ops, &o, "talk:", &err));
	assert_int_equal(zinc_store_put_many(s, NULL, puts, 2, &no_size, 0, NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_store_put_many(s, NULL, puts, 2, &done, 0, NULL, &err));
	assert_int_equal(h.times[0], 1);
	assert_int_equal(h.status[0], ZINC_OK);
	assert_int_equal(h.times[1], 1);
	assert_int_equal(h.status[1], ZINC_E_UNCERTAIN);
	zinc_store_close(s);
}

/* Reports all its puts, requests more once, and then fails. */
static zinc_status
go_on_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)self, (void)group, (void)puts, (void)flags, (void)wait;
	if (done->more)
		n = done->more(done->arg);
	for (i = 0; i < n; i++)
		zinc_done_report(done, i, ZINC_OK, NULL, NULL);
	return zinc_fail(err, ZINC_E_IO, "after all");
}

typedef struct growing {
	heard h;
	zinc_put *puts;
	const char *key;
	const zinc_condition *when;
} growing;

static void
hear_growing(void *arg, size_t i, const zinc_outcome *o)
{
	hear(&((growing *)arg)->h, i, o);
}

static size_t
one_more(void *arg)
{
	growing *g = (growing *)arg;

	g->puts[1] = (zinc_put){.key = g->key, .when = g->when};
	return 2;
}

/* Only to a store that requests them, and only puts that need no check of the old value; a caller that got all
 * results gets no failure. */
static void
more_puts_are_told_of(void **state)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	static const struct {
		int more;
		const char *key;
		int told;
		const zinc_condition *when;
	} rows[] = {{0, "b", 0, NULL}, {1, "b", 1, NULL}, {1, "a//b", 0, NULL}, {1, "b", 0, &absent}};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_store_ops ops = {.size = sizeof ops,
					    .name = "go on",
					    .close = odd_close,
					    .caps = odd_caps,
					    .get = odd_get,
					    .put = go_on_put,
					    .more = rows[i].more};
		zinc_put puts[2] = {{.key = "a"}};
		zinc_error err = ZINC_ERROR_INIT;
		odd_store o = {.closed = 0};
		growing g = {{{0, 0}, {ZINC_OK, ZINC_OK}}, puts, rows[i].key, rows[i].when};
		const zinc_done done = {
		    .size = sizeof done, .done = hear_growing, .arg = &g, .more = one_more, .room = 2};
		zinc_store *s = NULL;

		assert_ok(zinc_store_wrap(&s, NULL, &ops, &o, "go:", &err));
		assert_ok(zinc_store_put_many(s, NULL, puts, 1, &done, 0, NULL, &err));
		assert_int_equal(err.code, ZINC_OK);
		assert_int_equal(g.h.times[0], 1);
		assert_int_equal(g.h.times[1], rows[i].told);
		zinc_store_close(s);
	}
}

/* ---- promise 7: the same for every get ---- */

/* Twice of the first, never of the second. */
static zinc_status
talk_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	odd_store *o = (odd_store *)self;

	(void)requests, (void)n, (void)wait;
	sink->done(sink->arg, 0, &o->got);
	sink->done(sink->arg, 0, &o->got);
	return o->status == ZINC_OK ? ZINC_OK : zinc_fail(err, o->status, "get itself");
}

static void
hear_got(void *arg, size_t i, const zinc_got *got)
{
	heard *h = (heard *)arg;

	h->times[i]++;
	h->status[i] = got->found == ZINC_FAILED ? got->status : ZINC_OK;
}

static void
gets_are_told_of_once(void **state)
{
	static const zinc_store_ops ops = {
	    .size = sizeof ops, .name = "talk", .close = odd_close, .caps = odd_caps, .get = talk_get};
	static const zinc_got rows[] = {{.size = sizeof(zinc_got), .found = ZINC_MISSING},
					{.size = sizeof(zinc_got), .found = ZINC_MISSING},
					{.size = sizeof(zinc_got), .found = ZINC_CHANGED}};
	const zinc_get two[] = {{.key = "a", .stat = 1}, {.key = "b", .stat = 1}};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		odd_store o = {.got = rows[i], .status = i == 1 ? ZINC_E_READONLY : ZINC_OK};
		heard h = {{0, 0}, {ZINC_OK, ZINC_OK}};
		const zinc_sink sink = {sizeof sink, NULL, hear_got, &h};
		zinc_store *s = wrap(&ops, &o);

		assert_ok(zinc_store_get(s, two, 2, &sink, NULL, &err));
		assert_int_equal(h.times[0], 1);
		assert_int_equal(h.status[0], i == 2 ? ZINC_E_IO : ZINC_OK); /* no tag was named */
		assert_int_equal(h.times[1], 1);
		assert_int_equal(h.status[1], i == 1 ? ZINC_E_READONLY : ZINC_E_IO);
		zinc_store_close(s);
	}
}

/* ---- promise 3: a NULL slot is passed on only by wrappers with `forwards` ---- */

static zinc_store *
pass_on(void *self)
{
	return (zinc_store *)self;
}

static void
pass_close(void *self)
{
	zinc_store_close((zinc_store *)self);
}

static void
pass_caps(void *self, zinc_caps *out)
{
	zinc_store_caps((zinc_store *)self, out);
}

static zinc_status
pass_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_get((zinc_store *)self, requests, n, sink, wait, err);
}

static void
null_slots_are_forwarded(void **state)
{
	zinc_store_ops ops = {
	    .size = sizeof ops, .name = "pass", .close = pass_close, .caps = pass_caps, .get = pass_get};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base = NULL, *mute = NULL, *open = NULL;
	zinc_put_group *group = NULL;

	(void)state;
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	assert_ok(zinc_store_wrap(&mute, NULL, &ops, zinc_store_ref(base), "pass:", &err));
	ops.forwards = pass_on;
	assert_ok(zinc_store_wrap(&open, NULL, &ops, zinc_store_ref(base), "pass:", &err));
	assert_int_equal(zinc_store_put(mute, NULL, "k", "v", 1, NULL, 0, NULL, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_put_begin(mute, &group, 0, NULL, &err), ZINC_E_READONLY);
	assert_ok(zinc_store_put_begin(open, &group, 0, NULL, &err));
	assert_ok(zinc_store_put(open, group, "k", "v", 1, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_commit(open, group, NULL, NULL, NULL, &err));
	assert_text(base, "k", "v");
	assert_int_equal(zinc_store_del_prefix(mute, "", 0, NULL, &err), ZINC_E_READONLY);
	assert_ok(zinc_store_del_prefix(open, "", 0, NULL, &err));
	assert_missing(base, "k");
	zinc_store_close(mute);
	zinc_store_close(open);
	zinc_store_close(base);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(puts_are_told_of_once),        cmocka_unit_test(more_puts_are_told_of),
	    cmocka_unit_test(gets_are_told_of_once),        cmocka_unit_test(null_slots_are_forwarded),
	    cmocka_unit_test(keys_are_checked_before),      cmocka_unit_test(keys_are_checked_coming_back),
	    cmocka_unit_test(failures_are_named),           cmocka_unit_test(requests_are_checked),
	    cmocka_unit_test(structures_of_older_programs), cmocka_unit_test(serials_differ),
	    cmocka_unit_test(listings_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
