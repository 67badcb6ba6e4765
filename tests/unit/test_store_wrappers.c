/*
 * test_store_wrappers.c - store_readonly.c, store_prefix.c, store_log.c and store_fault.c, beyond the conformance suite
 */
#include <stdio.h>

#include "support/fault.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

static zinc_store *
open_memory(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	return s;
}

static char text[512];

static void
add_word(const char *word)
{
	snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? " " : "", word);
}

static int
note_key(void *arg, const char *key, uint64_t nbytes)
{
	char word[64];

	(void)arg;
	snprintf(word, sizeof word, "%s:%d", key, (int)nbytes);
	add_word(word);
	return 0;
}

static int
note_entry(void *arg, const char *name, int is_prefix)
{
	(void)arg, (void)is_prefix;
	add_word(name);
	return 0;
}

static int
note_leftover(void *arg, const char *name, const char *key, const char *what)
{
	(void)arg, (void)key, (void)what;
	add_word(name);
	return 0;
}

static const char *
list(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;

	text[0] = '\0';
	assert_ok(zinc_store_list(s, "", note_key, NULL, NULL, &err));
	return text;
}

/* ---- prefix ---- */

static void
note_failed(void *arg, const char *key, zinc_status st, const zinc_error *error)
{
	(void)arg, (void)st, (void)error;
	add_word(key);
}

static void
prefix_hides_the_rest(void **state)
{
	zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base = NULL, *s = NULL;
	zinc_put_group *g = NULL;
	zinc_caps caps = ZINC_CAPS_INIT, below = ZINC_CAPS_INIT;

	(void)state;
	make_empty("d");
	assert_ok(zinc_store_open(&base, "d", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	assert_int_equal(zinc_store_prefix(&s, base, "no slash", &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_prefix(&s, base, "../", &err), ZINC_E_INVALID);
	assert_ok(zinc_store_prefix(&s, base, "a/b/", &err));
	assert_string_equal(zinc_store_url(s), "d/a/b/");
	put_text(base, "a/bc", "neighbour");
	put_text(base, "a/b/k", "mine");
	put_text(s, "l", "mine");
	assert_string_equal(list(s), "k:4 l:4"); /* promise 1 */
	assert_ok(zinc_store_del_prefix(s, "", 0, NULL, &err));
	assert_text(base, "a/bc", "neighbour");
	put_text(s, "k", "again");
	text[0] = '\0'; /* promise 2 */
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	assert_ok(zinc_store_put(s, g, "k", "x", 1, &absent, 0, NULL, NULL, &err));
	assert_int_equal(zinc_store_commit(s, g, note_failed, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_string_equal(text, "k");
	assert_string_equal(err.key, "a/b/k");
	write_file("d/a/b/x.__lock", "");
	text[0] = '\0';
	assert_ok(zinc_store_scrub(s, "", 1, note_leftover, NULL, NULL, &err));
	assert_string_equal(text, "x.__lock");
	zinc_store_caps(base, &below);
	zinc_store_caps(s, &caps);
	assert_int_equal(caps.key_max, below.key_max - 4);
	zinc_store_close(base);
	assert_text(s, "k", "again"); /* the wrapper keeps what it needs */
	zinc_store_close(s);
}

/* ---- readonly ---- */

static void
readonly_looks_for_leftovers(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	make_empty("d");
	write_file("d/x.__lock", "");
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.read_only = 1), &err));
	text[0] = '\0';
	assert_ok(zinc_store_scrub(s, "", 0, note_leftover, NULL, NULL, &err));
	assert_string_equal(text, "x.__lock");
	assert_int_equal(zinc_store_scrub(s, "", 1, note_leftover, NULL, NULL, &err), ZINC_E_READONLY);
	assert_true(exists("d/x.__lock"));
	zinc_store_close(s);
}

/* ---- log ---- */

static void
note_operation(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	char word[64];

	(void)arg;
	snprintf(word, sizeof word, "%s(%s,%d)%s%s", operation, key, (int)nbytes, st ? "=" : "",
		 st ? zinc_status_name(st) : "");
	add_word(word);
}

static zinc_status
append(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	(void)arg, (void)old, (void)nold, (void)err;
	out->bytes = "12";
	out->nbytes = 2;
	return ZINC_OK;
}

static void
log_counts_and_tells(void **state)
{
	zinc_tag other = {1, {1}};
	zinc_get r[3] = {get_range("k", 0, 2), get_range("none", 0, 2), get_range("k", 0, 2)};
	zinc_store *base = open_memory(), *s = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	gets got;

	(void)state;
	assert_ok(zinc_store_log(&s, base, note_operation, NULL, &err));
	zinc_store_close(base);
	text[0] = '\0';
	put_text(s, "k", "value");
	r[2].if_tag = &other;
	gets_init(&got, 3);
	assert_ok(gets_run(&got, s, r, &err));
	gets_fini(&got);
	assert_string_equal(text, "put(k,5) get(k,2) get(none,0)=E_NOTFOUND get(k,0)=E_CONFLICT");
	text[0] = '\0';
	assert_ok(zinc_store_update(s, "k", append, NULL, 0, 0, 0, NULL, &err));
	assert_ok(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err));
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	assert_ok(zinc_store_del_prefix(s, "a/", 0, NULL, &err));
	assert_ok(zinc_store_list_dir(s, "", note_entry, NULL, NULL, &err));
	assert_ok(zinc_store_sync(s, NULL, &err));
	assert_ok(zinc_store_scrub(s, "", 0, note_leftover, NULL, NULL, &err));
	assert_string_equal(text, "update(k,2) del(k,0) commit(,0) del_prefix(a/,0) list_dir(,0) sync(,0) scrub(,0)");
	zinc_store_log_counts(s, &n);
	assert_int_equal(n.put_calls, 1);
	assert_int_equal(n.put_bytes, 5);
	assert_int_equal(n.get_calls, 1);
	assert_int_equal(n.get_requests, 3);
	assert_int_equal(n.get_bytes, 2);
	assert_int_equal(n.update_calls, 1);
	assert_int_equal(n.del_calls, 2);
	assert_int_equal(n.list_calls, 1);
	zinc_store_close(s);
	s = open_memory(); /* not a log: nothing was counted */
	zinc_store_log_counts(s, &n);
	assert_int_equal(n.put_calls, 0);
	assert_int_equal(zinc_store_fault_set(s, NULL), 0);
	zinc_store_close(s);
}

/* ---- fault ---- */

static zinc_store *
open_fault(void)
{
	zinc_store *base = open_memory(), *s = NULL;
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_fault(&s, base, &err));
	zinc_store_close(base);
	return s;
}

static void
faults_come_when_asked(void **state)
{
	zinc_get r[3] = {get_range("a", 0, 1), get_range("b", 0, 1), get_range("c", 0, 1)};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_fault();
	zinc_put_group *g = NULL;
	gets got;
	int i;

	(void)state;
	put_text(s, "a", "1");
	put_text(s, "b", "2");
	put_text(s, "c", "3");
	assert_int_equal(zinc_store_fault_set(s, &(zinc_fault){.at = 2, .status = ZINC_E_UNCERTAIN}), 3);
	gets_init(&got, 3);
	assert_ok(gets_run(&got, s, r, &err));
	assert_int_equal(got.r[0].found, ZINC_FOUND);
	assert_int_equal(got.r[1].found, ZINC_FAILED);
	assert_int_equal(got.r[1].status, ZINC_E_UNCERTAIN);
	assert_string_equal(got.r[1].error.key, "b");
	assert_int_equal(got.r[2].found, ZINC_FOUND);
	gets_fini(&got);
	assert_int_equal(zinc_store_fault_set(s, &(zinc_fault){.at = 2, .forever = 1}), 3);
	put_text(s, "a", "new");
	for (i = 0; i < 2; i++) {
		assert_int_equal(zinc_store_put(s, NULL, "a", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_store_del(s, NULL, "a", NULL, 0, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_store_list(s, "", note_key, NULL, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_store_update(s, "a", append, NULL, 0, 0, 0, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_store_put_begin(s, &g, 0, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_store_sync(s, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_store_scrub(s, "", 0, note_leftover, NULL, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_store_del_prefix(s, "", 0, NULL, &err), ZINC_E_IO);
	}
	zinc_store_fault_set(s, NULL);
	assert_text(s, "a", "new");
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	zinc_store_fault_set(s, &(zinc_fault){.at = 1});
	assert_int_equal(zinc_store_commit(s, g, NULL, NULL, NULL, &err), ZINC_E_IO);
	zinc_store_close(s);
}

/* The journal drawn in store_fault.c. */
static void
reads_are_stale(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_fault();
	zinc_tag old, now;
	zinc_caps caps = ZINC_CAPS_INIT;

	(void)state;
	zinc_store_fault_set(s, &(zinc_fault){.stale = 3});
	zinc_store_caps(s, &caps);
	assert_false(caps.flags & (ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE));
	put_text(s, "a", "1");
	put_text(s, "a", "22");
	put_text(s, "b", "1");
	assert_ok(zinc_store_del(s, NULL, "a", NULL, 0, NULL, &err));
	assert_text(s, "a", "1");
	assert_missing(s, "b");
	assert_string_equal(list(s), "a:1");
	old = tag_of(s, "a");
	assert_int_equal(
	    zinc_store_put(s, NULL, "a", "x", 1, &(zinc_condition){ZINC_EQUALS, &old}, 0, NULL, NULL, &err),
	    ZINC_E_CONFLICT); /* conditions use the real value */
	put_text(s, "c", "1");
	put_text(s, "d", "1");
	assert_string_equal(list(s), "b:1");
	text[0] = '\0';
	assert_ok(zinc_store_list_dir(s, "", note_entry, NULL, NULL, &err));
	assert_string_equal(text, "b");
	put_text(s, "x/y", "1");
	assert_ok(zinc_store_update(s, "b", append, NULL, 0, 0, 0, NULL, &err));
	assert_text(s, "b", "1");
	zinc_store_fault_set(s, NULL); /* everything is reported */
	assert_string_equal(list(s), "b:2 c:1 d:1 x/y:1");
	assert_text(s, "b", "12");
	now = tag_of(s, "b");
	assert_false(zinc_tag_equal(&old, &now));
	zinc_store_fault_set(s, &(zinc_fault){.stale = 2});
	assert_ok(zinc_store_del_prefix(s, "", 0, NULL, &err)); /* four changes, two of which are visible */
	assert_string_equal(list(s), "d:1 x/y:1");
	zinc_store_close(s);
}

/* ---- memory that is out ---- */

static zinc_status
use_wrappers(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_store *base = NULL, *p = NULL, *l = NULL, *f = NULL, *r = NULL;
	zinc_get get[2] = {get_stat("k"), get_stat("none")};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st = zinc_store_open(&base, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);
	gets g;

	(void)arg;
	text[0] = '\0';
	if (st == ZINC_OK)
		st = zinc_store_prefix(&p, base, "a/b/", err);
	if (st == ZINC_OK)
		st = zinc_store_log(&l, p, note_operation, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_fault(&f, l, err);
	if (st == ZINC_OK)
		st = zinc_store_readonly(&r, f, err);
	if (st == ZINC_OK) {
		zinc_store_fault_set(f, &(zinc_fault){.stale = 2});
		st = zinc_store_put(f, NULL, "k", "v", 1, NULL, 0, NULL, NULL, err);
	}
	if (st == ZINC_OK)
		st = zinc_store_put(f, NULL, "k", "w", 1, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_list(r, "", note_key, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(r, "k", &b, NULL, 0, NULL, &e);
	st = st == ZINC_E_NOTFOUND ? ZINC_OK : st == e.code ? zinc_error_copy(err, &e) : st; /* it is stale */
	if (st == ZINC_OK) {
		gets_init(&g, 2);
		st = gets_run(&g, r, get, err);
		gets_fini(&g);
	}
	if (st == ZINC_OK)
		st = zinc_store_del_prefix(f, "", 0, NULL, err);
	zinc_blob_fini(&b);
	zinc_store_close(r);
	zinc_store_close(f);
	zinc_store_close(l);
	zinc_store_close(p);
	zinc_store_close(base);
	return st;
}

static void
every_failing_allocation(void **state)
{
	(void)state;
	assert_true(sweep_alloc(use_wrappers, NULL) > 40);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(prefix_hides_the_rest), cmocka_unit_test(readonly_looks_for_leftovers),
	    cmocka_unit_test(log_counts_and_tells),  cmocka_unit_test(faults_come_when_asked),
	    cmocka_unit_test(reads_are_stale),       cmocka_unit_test(every_failing_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
