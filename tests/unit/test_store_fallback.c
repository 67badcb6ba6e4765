/*
 * test_store_fallback.c - operations made from simpler ones, by the promises of store_fallback.c
 *
 * Rules of the drafts: operations made from simpler ones, 22-102+ 22-104+.
 */
#include <stdio.h>

#include "store/store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/slots.h"
#include "support/test.h"

/* A memory store with few slots and fewer caps; another writer can change it between a read and a put. */
typedef struct poor {
	zinc_store *next;
	uint32_t flags;
	int disturb; /* number of puts that lose against another writer; -1: all */
	int puts;
	int torn;     /* gets that fail, because others replace the value all the time */
	int fail_del; /* which del fails, from 1 */
	int dels;
} poor;

static void
poor_close(void *self)
{
	zinc_store_close(((poor *)self)->next);
}

static void
poor_caps(void *self, zinc_caps *out)
{
	out->flags = ((poor *)self)->flags;
}

static zinc_status
poor_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	poor *p = (poor *)self;

	if (p->torn > 0 && p->torn-- > 0)
		return zinc_fail(err, ZINC_E_CONFLICT, "replaced while it was read");
	return zinc_store_get(p->next, requests, n, sink, wait, err);
}

static zinc_status
poor_put_one(void *self, zinc_put_group *group, const char *key, const struct iovec *iov, int niov,
	     const zinc_condition *when, uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	poor *p = (poor *)self;

	(void)group;
	p->puts++;
	if (p->disturb != 0) {
		p->disturb -= p->disturb > 0;
		put_text(p->next, key, "theirs");
	}
	return zinc_store_putv(p->next, NULL, key, iov, niov, when, flags, tag, wait, err);
}

PUT_SLOT(poor_put, poor_put_one)

static zinc_status
poor_del_one(void *self, zinc_put_group *group, const char *key, const zinc_condition *when, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	poor *p = (poor *)self;

	(void)group;
	if (++p->dels == p->fail_del)
		return zinc_fail(err, ZINC_E_IO, "as asked");
	return zinc_store_del(p->next, NULL, key, when, flags, wait, err);
}

DEL_SLOT(poor_del, poor_del_one)

static zinc_status
poor_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list(((poor *)self)->next, prefix, fn, arg, wait, err);
}

static const zinc_store_ops poor_ops = {
    .size = sizeof poor_ops,
    .name = "poor",
    .close = poor_close,
    .caps = poor_caps,
    .get = poor_get,
    .put = poor_put,
    .del = poor_del,
    .list = poor_list,
};

static zinc_store *
open_poor(poor *p, zinc_context *ctx, uint32_t flags)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	memset(p, 0, sizeof *p);
	p->flags = ZINC_CAP_READ | ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_LIST | flags;
	assert_ok(zinc_store_open(&p->next, "memory://", ZINC_STORE_OPTIONS(.context = ctx), &err));
	assert_ok(zinc_store_wrap(&s, ctx, &poor_ops, p, "poor:", &err));
	return s;
}

static zinc_status
append(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	char *buf = (char *)arg;

	(void)err;
	snprintf(buf, 64, "%.*s+", (int)nold, old ? (const char *)old : "");
	out->bytes = buf;
	out->nbytes = strlen(buf);
	return ZINC_OK;
}

static zinc_status
erase(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	(void)arg, (void)old, (void)nold, (void)err;
	out->erase = 1;
	return ZINC_OK;
}

/* ---- promise 1 ---- */

static void
update_loops_until_nobody_comes_between(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char buf[64];
	poor p;
	zinc_store *s = open_poor(&p, NULL, ZINC_CAP_CAS | ZINC_CAP_TAGS);

	(void)state;
	assert_ok(zinc_store_update(s, "k", append, buf, 0, 0, 0, NULL, &err));
	assert_text(s, "k", "+");
	p.disturb = 3;
	p.puts = 0;
	assert_ok(zinc_store_update(s, "k", append, buf, 0, 0, 0, NULL, &err));
	assert_int_equal(p.puts, 4);
	assert_text(s, "k", "theirs+");
	p.disturb = 1; /* the key is created */
	assert_ok(zinc_store_update(s, "new", append, buf, 0, 0, 0, NULL, &err));
	assert_text(s, "new", "theirs+");
	assert_ok(zinc_store_update(s, "new", erase, buf, 0, 0, 0, NULL, &err));
	assert_missing(s, "new");
	p.disturb = -1;
	p.puts = 0;
	assert_int_equal(zinc_store_update(s, "k", append, buf, 0, 0, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(p.puts, 256);
	assert_text(s, "k", "theirs");
	assert_string_equal(err.key, "k");
	p.disturb = 0;
	p.torn = 3; /* this is a lost race, too */
	assert_ok(zinc_store_update(s, "k", append, buf, 0, 0, 0, NULL, &err));
	assert_text(s, "k", "theirs+");
	p.torn = 1000;
	assert_int_equal(zinc_store_update(s, "k", append, buf, 0, 0, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(p.torn, 1000 - 256);
	zinc_store_close(s);
}

static void
update_tells_generations(void **state)
{
	zinc_tag first, seen, second = {0, {0}};
	zinc_error err = ZINC_ERROR_INIT;
	char buf[64];
	poor p;
	zinc_store *s = open_poor(&p, NULL, ZINC_CAP_CAS | ZINC_CAP_TAGS);

	(void)state;
	assert_ok(zinc_store_update_tagged(s, "k", append, buf, &seen, &first, 0, 0, NULL, &err));
	assert_int_equal(seen.n, 0); /* the key was missing */
	assert_ok(zinc_store_update_tagged(s, "k", append, buf, &seen, &second, 0, 0, NULL, &err));
	assert_true(zinc_tag_equal(&seen, &first));
	p.disturb = 1;
	assert_ok(zinc_store_update_tagged(s, "k", append, buf, &seen, &first, 0, 0, NULL, &err));
	assert_false(zinc_tag_equal(&seen, &second)); /* of the value that was replaced in the end */
	assert_text(s, "k", "theirs+");
	zinc_store_close(s);
}

static void
update_is_refused_without_conditions(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char buf[64];
	poor p;
	zinc_store *s = open_poor(&p, NULL, ZINC_CAP_TAGS);

	(void)state;
	assert_int_equal(zinc_store_update(s, "k", append, buf, 0, 0, 0, NULL, &err), ZINC_E_READONLY);
	assert_non_null(strstr(err.text, "only writer"));
	assert_int_equal(zinc_store_put_partial(s, &(zinc_partial){"k", 0, "x", 1, 0}, 1, 0, 0, NULL, &err),
			 ZINC_E_READONLY);
	assert_ok(zinc_store_update(s, "k", append, buf, 1, 0, 0, NULL, &err));
	assert_ok(zinc_store_update(s, "k", append, buf, 1, 0, 0, NULL, &err));
	assert_text(s, "k", "++");
	assert_ok(zinc_store_put_partial(s, &(zinc_partial){"k", 1, "x", 1, 0}, 1, 1, 0, NULL, &err));
	assert_text(s, "k", "+x");
	zinc_store_close(s);
}

/* ---- promise 2 ---- */

static void
get_all_allocates_within_its_limit(void **state)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_context *ctx = NULL;
	zinc_store *s = NULL;
	sweep_memory m;
	char big[10000];

	(void)state;
	sweep_memory_init(&m);
	o.allocator = &m.allocator;
	memset(big, 'x', sizeof big);
	assert_ok(zinc_context_new(&ctx, &o, &err));
	assert_ok(zinc_store_open(&s, "memory://", ZINC_STORE_OPTIONS(.context = ctx), &err));
	assert_ok(zinc_store_put(s, NULL, "k", big, sizeof big, NULL, 0, NULL, NULL, &err));
	m.peak = m.bytes;
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 9999, NULL, &err), ZINC_E_LIMIT);
	assert_int_equal(m.peak, m.bytes); /* not a byte */
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 10000, NULL, &err));
	assert_int_equal(b.nbytes, 10000);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

/* ---- promise 3 ---- */

static void
put_partial_puts_each_key_once(void **state)
{
	const zinc_partial parts[] = {
	    {"b", 0, "1", 1, 0}, {"a", 3, "2", 1, 0}, {"b", 5, "3", 1, 0}, {"a", 0, "4", 1, 0}, {"b", 1, "5", 1, 0}};
	const zinc_partial overlap[] = {{"a", 0, "x", 1, 0}, {"b", 2, "yyy", 3, 0}, {"b", 4, "z", 1, 0}};
	zinc_error err = ZINC_ERROR_INIT;
	poor p;
	zinc_store *s = open_poor(&p, NULL, ZINC_CAP_CAS | ZINC_CAP_TAGS);

	(void)state;
	assert_ok(zinc_store_put_partial(s, parts, 5, 0, 0, NULL, &err));
	assert_int_equal(p.puts, 2);
	assert_value(s, "a", "4\0\0\x32", 4);
	assert_value(s, "b", "15\0\0\0\x33", 6);
	assert_int_equal(zinc_store_put_partial(s, overlap, 3, 0, 0, NULL, &err), ZINC_E_INVALID);
	assert_string_equal(err.key, "b");
	assert_int_equal(p.puts, 2);
	zinc_store_close(s);
}

/* ---- promise 4 ---- */

static void
erasing_goes_on_after_a_failure(void **state)
{
	static const char *const keys[] = {"a/1", "a/2", "a/3", "b"};
	zinc_error err = ZINC_ERROR_INIT;
	poor p;
	zinc_store *s = open_poor(&p, NULL, 0);
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(keys); i++)
		put_text(s, keys[i], "v");
	p.fail_del = 2;
	assert_int_equal(zinc_store_del_keys(s, keys, 3, 0, NULL, &err), ZINC_E_IO);
	assert_string_equal(err.key, "a/2");
	assert_missing(s, "a/1");
	assert_text(s, "a/2", "v");
	assert_missing(s, "a/3");
	put_text(s, "a/1", "v");
	p.dels = 0;
	p.fail_del = 1;
	assert_int_equal(zinc_store_del_prefix(s, "a/", 0, NULL, &err), ZINC_E_IO);
	assert_text(s, "a/1", "v");
	assert_missing(s, "a/2");
	assert_text(s, "b", "v");
	zinc_store_close(s);
}

/* ---- memory that is out ---- */

static zinc_status
use_everything(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_partial parts[] = {{"a/k", 2, "x", 1, 0}, {"b", 0, "y", 1, 0}};
	zinc_put_group *g = NULL;
	zinc_store *s = NULL;
	char buf[64];
	int n = 0;
	poor p = {.flags =
		      ZINC_CAP_READ | ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_LIST | ZINC_CAP_CAS | ZINC_CAP_TAGS};
	zinc_status st = zinc_store_open(&p.next, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK && (st = zinc_store_wrap(&s, ctx, &poor_ops, &p, "poor:", err)) != ZINC_OK)
		zinc_store_close(p.next);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "a/k", "v", 1, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_update(s, "a/k", append, buf, 0, 0, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put_partial(s, parts, 2, 0, 0, NULL, err);
	if (st == ZINC_OK && (st = zinc_store_put_begin(s, &g, 0, NULL, err)) == ZINC_OK) {
		st = zinc_store_put(s, g, "c", "v", 1, NULL, 0, NULL, NULL, err);
		if (zinc_store_commit(s, g, NULL, NULL, NULL, NULL) != ZINC_OK)
			fail_msg("a commit of nothing failed");
	}
	if (st == ZINC_OK)
		st = zinc_store_list_dir(s, "", count_entry, &n, NULL, err);
	if (st == ZINC_OK)
		assert_int_equal(n, 3);
	if (st == ZINC_OK)
		st = zinc_store_del_prefix(s, "", 0, NULL, err);
	zinc_store_close(s);
	return st;
}

static void
every_failing_allocation(void **state)
{
	(void)state;
	assert_true(sweep_alloc(use_everything, NULL) > 40);
}

/* ---- splice ---- */

/* "abcdef" becomes "abXYef"; other existing keys are erased, and missing ones stay missing. */
static zinc_status
splice_middle(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	zinc_part *parts = (zinc_part *)arg;
	char seen[2];
	struct iovec iov = {seen, sizeof seen};

	if (!old->found || old->nbytes != 6) {
		out->keep = !old->found;
		out->erase = old->found;
		return ZINC_OK;
	}
	ZINC_TRY(old->read(old->arg, 2, 2, &iov, 1, err));
	assert_memory_equal(seen, "cd", 2);
	assert_int_equal(old->read(old->arg, 5, 2, &iov, 1, NULL), ZINC_E_CONFLICT);
	parts[0] = (zinc_part){NULL, 0, 2, 0};
	parts[1] = (zinc_part){(const uint8_t *)"XY", 0, 2, 0};
	parts[2] = (zinc_part){NULL, 4, 2, 0};
	out->parts = parts;
	out->nparts = 3;
	return ZINC_OK;
}

static void
splice_in(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_part parts[3];

	put_text(s, "k", "abcdef");
	assert_ok(zinc_store_splice(s, "k", splice_middle, parts, 0, 0, 0, NULL, &err));
	assert_text(s, "k", "abXYef");
	put_text(s, "k", "short");
	assert_ok(zinc_store_splice(s, "k", splice_middle, parts, 0, 0, 0, NULL, &err));
	assert_missing(s, "k");
	assert_ok(zinc_store_splice(s, "k", splice_middle, parts, 0, 0, 0, NULL, &err));
	assert_missing(s, "k");
	zinc_store_close(s);
}

/* A store that copies kept parts by itself, and one without parts. */
static void
splice_keeps_the_old_parts(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *fs = NULL, *memory = NULL;

	(void)state;
	make_empty("d");
	assert_ok(zinc_store_open(&fs, "d", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	splice_in(fs);
	assert_ok(zinc_store_open(&memory, "memory://", NULL, &err));
	splice_in(memory);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(update_loops_until_nobody_comes_between),
	    cmocka_unit_test(update_tells_generations),
	    cmocka_unit_test(update_is_refused_without_conditions),
	    cmocka_unit_test(get_all_allocates_within_its_limit),
	    cmocka_unit_test(put_partial_puts_each_key_once),
	    cmocka_unit_test(erasing_goes_on_after_a_failure),
	    cmocka_unit_test(every_failing_allocation),
	    cmocka_unit_test(splice_keeps_the_old_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
