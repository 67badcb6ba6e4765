/*
 * test_store_http_put.c - writing to a web server, by the promises of store_http_put.c
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"
#include "support/web.h"

static web server;

static zinc_store *
open_mode(const char *mode, const char *query)
{
	char rest[256];

	snprintf(rest, sizeof rest, "%s?write=yes&%s", mode, query);
	return web_open(&server, rest, NULL);
}

/* Put "new" to a key of a mode; the status. */
static zinc_status
put_to(const char *mode, const char *query, const char *key, const zinc_condition *when, zinc_error *err)
{
	zinc_store *s = open_mode(mode, query);
	const zinc_status st = zinc_store_put(s, NULL, key, "new", 3, when, 0, NULL, NULL, err);

	zinc_store_close(s);
	return st;
}

static zinc_tag
tag_now(zinc_store *s, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_tag tag;

	assert_ok(zinc_store_get_all(s, key, &b, &tag, 0, NULL, &err));
	zinc_blob_fini(&b);
	return tag;
}

/* ---- off by default ---- */

static void
nothing_is_written_unasked(void **state)
{
	zinc_store *s = web_open(&server, "plain", NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;

	(void)state;
	zinc_store_caps(s, &caps);
	assert_int_equal(caps.flags & (ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_CAS), 0);
	assert_int_equal(zinc_store_put(s, NULL, "k", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err), ZINC_E_READONLY);
	zinc_store_close(s);
	s = open_mode("plain", "");
	zinc_store_caps(s, &caps);
	assert_int_equal(caps.flags & (ZINC_CAP_WRITE | ZINC_CAP_ERASE), ZINC_CAP_WRITE | ZINC_CAP_ERASE);
	assert_int_equal(caps.flags & (ZINC_CAP_CAS | ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE), 0);
	zinc_store_close(s);
}

/* ---- promise 1: outcomes ---- */

static void
outcomes(void **state)
{
	static const struct {
		const char *mode, *query;
		zinc_status want;
	} rows[] = {
	    {"plain", "", ZINC_OK},
	    {"putcut", "", ZINC_OK}, /* tried again: twice is as good as once */
	    {"putdrop", "", ZINC_OK},
	    {"busy", "", ZINC_OK},
	    {"moved307", "", ZINC_OK},
	    {"putcut", "retries=0", ZINC_E_UNCERTAIN},
	    {"putsilent", "retries=1", ZINC_E_UNCERTAIN},
	    {"put500", "retries=0", ZINC_E_UNCERTAIN},
	    {"put524", "retries=0", ZINC_E_UNCERTAIN},
	    {"put524", "", ZINC_OK},
	    {"putforbid", "", ZINC_E_UNCERTAIN}, /* though the last answer is a refusal */
	    {"putlater", "", ZINC_OK},
	    {"busyalways", "retries=0", ZINC_E_IO},
	    {"forbidden", "", ZINC_E_IO},
	    {"nohead", "", ZINC_OK},
	    {"teapot", "", ZINC_E_IO},
	    {"accepted", "", ZINC_E_UNCERTAIN},
	    {"noput", "", ZINC_E_READONLY},
	    {"moved", "", ZINC_E_IO},
	};
	char key[64], path[80];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;

		snprintf(key, sizeof key, "out/%zu", i);
		assert_int_equal(put_to(rows[i].mode, rows[i].query, key, NULL, &err), rows[i].want);
		snprintf(path, sizeof path, "served/%s", key);
		if (rows[i].want == ZINC_OK)
			assert_string_equal(read_text(path), "new");
		else
			assert_non_null(strstr(err.url, rows[i].mode));
	}
}

static void
erasing(void **state)
{
	zinc_store *s = open_mode("plain", "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	put_text(s, "e/a b", "x");
	assert_ok(zinc_store_del(s, NULL, "e/a b", NULL, 0, NULL, &err));
	assert_false(exists("served/e/a b"));
	assert_ok(zinc_store_del(s, NULL, "e/a b", NULL, 0, NULL, &err)); /* missing */
	zinc_store_close(s);
}

/* ---- promise 5: directories ---- */

static void
directories(void **state)
{
	static const char *const modes[] = {"dav", "davmoved"};
	zinc_error err = ZINC_ERROR_INIT;
	char rest[64], path[64];
	zinc_store *s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		snprintf(rest, sizeof rest, "%s/%zu/base", modes[i], i); /* it is not there either */
		s = open_mode(rest, "");
		put_text(s, "d/e/a b", "x");
		put_text(s, "d/e/c", "y");
		assert_text(s, "d/e/c", "y");
		assert_missing(s, "d/e"); /* promise 8 of store_http.c */
		assert_ok(zinc_store_del(s, NULL, "d/e", NULL, 0, NULL, &err));
		assert_ok(zinc_store_del(s, NULL, "d", NULL, 0, NULL, &err));
		snprintf(path, sizeof path, "served/%zu/base/d/e/a b", i);
		assert_string_equal(read_text(path), "x");
		assert_ok(zinc_store_del(s, NULL, "d/e/a b", NULL, 0, NULL, &err));
		assert_false(exists(path));
		zinc_store_close(s);
	}
}

/* ---- promises 2 and 4: conditions ---- */

static void
conditions_hold(void **state)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	static const char *const queries[] = {"conditions=yes", ""};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag old, now;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(queries); i++) {
		zinc_store *s = open_mode("plain", queries[i]);
		zinc_condition equals = {ZINC_EQUALS, &old};

		make_empty("served/c");
		assert_ok(zinc_store_put(s, NULL, "c/k", "1", 1, &absent, 0, &old, NULL, &err));
		assert_true(old.n > 1);
		assert_int_equal(zinc_store_put(s, NULL, "c/k", "2", 1, &absent, 0, NULL, NULL, &err), ZINC_E_EXISTS);
		assert_ok(zinc_store_put(s, NULL, "c/k", "22", 2, &equals, 0, &now, NULL, &err));
		assert_memory_equal(tag_now(s, "c/k").b, now.b, now.n);
		assert_int_equal(zinc_store_put(s, NULL, "c/k", "3", 1, &equals, 0, NULL, NULL, &err), ZINC_E_CONFLICT);
		assert_int_equal(zinc_store_del(s, NULL, "c/k", &equals, 0, NULL, &err), ZINC_E_CONFLICT);
		assert_text(s, "c/k", "22");
		equals.tag = &now;
		assert_ok(zinc_store_del(s, NULL, "c/k", &equals, 0, NULL, &err));
		assert_int_equal(zinc_store_del(s, NULL, "c/k", &equals, 0, NULL, &err), ZINC_E_CONFLICT);
		assert_string_equal(tree("served/c"), ""); /* nor is anything left of the trial */
		zinc_store_close(s);
	}
}

/* Some answer 404 to If-Match of a missing value: then the value has changed. */
static void
what_was_deleted_has_changed(void **state)
{
	zinc_store *s = open_mode("match404", "conditions=yes");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;
	const zinc_condition equals = {ZINC_EQUALS, &tag};

	(void)state;
	make_empty("served/m");
	assert_ok(zinc_store_put(s, NULL, "m/k", "1", 1, NULL, 0, &tag, NULL, &err));
	assert_int_equal(remove("served/m/k"), 0);
	assert_int_equal(zinc_store_put(s, NULL, "m/k", "2", 1, &equals, 0, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(zinc_store_del(s, NULL, "m/k", &equals, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_string_equal(tree("served/m"), "");
	zinc_store_close(s);
}

static void
servers_that_ignore_conditions(void **state)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	make_empty("served/i");
	write_file("served/i/k", "old");
	assert_int_equal(put_to("ignores/i", "conditions=yes", "k", &absent, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(put_to("ignores/i", "conditions=yes", "new", &absent, &err), ZINC_E_UNSUPPORTED);
	assert_string_equal(tree("served/i"), "k");
	assert_int_equal(put_to("all404/i", "conditions=yes", "k", &absent, &err),
			 ZINC_E_UNSUPPORTED);                                         /* no conflict */
	assert_int_equal(put_to("ignores/i", "", "k", &absent, &err), ZINC_E_EXISTS); /* checked first */
	assert_string_equal(read_text("served/i/k"), "old");
}

/* ---- promise 3 ---- */

static void
an_own_earlier_try(void **state)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(put_to("putcut", "conditions=yes", "own/k", &absent, &err), ZINC_E_UNCERTAIN);
	assert_string_equal(read_text("served/own/k"), "new");
	assert_int_equal(put_to("putcut", "conditions=yes", "own/k", &absent, &err), ZINC_E_EXISTS);
	assert_int_equal(put_to("put500", "conditions=yes&retries=0", "own/l", &absent, &err),
			 ZINC_E_IO); /* the test */
}

/* On a kept connection libcurl itself repeats a put: the 403 is then the answer to the second attempt. */
static void
a_try_of_libcurl(void **state)
{
	zinc_store *s = open_mode("putforbid", "retries=0");
	zinc_error err = ZINC_ERROR_INIT;
	const int before = web_count(&server, "putforbid");

	(void)state;
	make_empty("served/kept");
	write_file("served/kept/there", "x");
	assert_text(s, "kept/there", "x");
	assert_int_equal(zinc_store_put(s, NULL, "kept/k", "new", 3, NULL, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	assert_int_equal(web_count(&server, "putforbid") - before, 3);
	assert_string_equal(read_text("served/kept/k"), "new");
	zinc_store_close(s);
}

/* ---- the conformance suite ---- */

static void
make(void *arg, conform_subject *out)
{
	static int number;
	char dir[64];

	snprintf(dir, sizeof dir, "plain/conform/%d", ++number);
	out->store = out->fill = open_mode(dir, (const char *)arg);
}

/* ---- promise 1: also where the caller does not wait for the answer ---- */

static zinc_status
put_within(const char *mode, const char *query, const zinc_condition *when, double seconds)
{
	const zinc_call_options call = {.size = sizeof call, .timeout = seconds};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_mode(mode, query);
	zinc_status st;
	zinc_wait wait;

	assert_ok(zinc_wait_begin(&wait, &call, &err));
	st = zinc_store_put(s, NULL, "waits", "new", 3, when, 0, NULL, &wait, &err);
	assert_true(zinc_now(zinc_context_get(NULL)) - wait.until < 5); /* reading the value also obeys the deadline */
	zinc_store_close(s);
	return st;
}

static void
deadlines(void **state)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};

	(void)state;
	assert_int_equal(put_within("putsilent", "timeout=20", NULL, 0.7), ZINC_E_UNCERTAIN);
	assert_int_equal(put_within("silent", "timeout=20", &absent, 0.5), ZINC_E_CANCELLED);
	assert_int_equal(put_within("silent", "timeout=20&conditions=yes", &absent, 0.5), ZINC_E_CANCELLED);
	assert_int_equal(put_within("ignoresall", "timeout=20&conditions=yes", &absent, 0.5),
			 ZINC_E_UNSUPPORTED); /* and so does undoing the test */
}

/* ---- many at once ---- */

enum { MANY = 20 };

typedef struct batch {
	zinc_put puts[MANY];
	char keys[MANY][16];
	int told[MANY];
	zinc_status status[MANY];
	size_t n;
} batch;

static void
hear(void *arg, size_t i, const zinc_outcome *o)
{
	batch *b = (batch *)arg;

	b->told[i]++;
	b->status[i] = o->status;
}

/* One more each time. */
static size_t
one_more(void *arg)
{
	batch *b = (batch *)arg;

	return b->n < MANY ? ++b->n : MANY;
}

/* `n` puts, and those that are added later. */
static void
put_batch(batch *b, const char *mode, const char *query, const zinc_condition *when, size_t n)
{
	static const struct iovec iov = {(void *)(uintptr_t) "new", 3};
	const zinc_done done = {.size = sizeof done, .done = hear, .arg = b, .more = one_more, .room = MANY};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_mode(mode, query);
	size_t i;

	memset(b, 0, sizeof *b);
	b->n = n;
	for (i = 0; i < MANY; i++) {
		snprintf(b->keys[i], sizeof b->keys[i], "many/%zu", i);
		b->puts[i] = (zinc_put){.key = b->keys[i], .iov = &iov, .niov = 1, .when = when};
	}
	assert_ok(zinc_store_put_many(s, NULL, b->puts, n, &done, 0, NULL, &err));
	zinc_store_close(s);
}

/* Puts that are added later are sent in the same way; if each has a condition, they are not taken. */
static void
puts_go_on_with_more(void **state)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	batch b;
	size_t i;

	(void)state;
	put_batch(&b, "plain", "", NULL, 3);
	for (i = 0; i < MANY; i++) {
		char path[64];

		assert_int_equal(b.told[i], 1);
		assert_int_equal(b.status[i], ZINC_OK);
		snprintf(path, sizeof path, "served/%s", b.keys[i]);
		assert_string_equal(read_text(path), "new");
	}
	put_batch(&b, "plain", "", &absent, 3);
	for (i = 0; i < MANY; i++) {
		assert_int_equal(b.told[i], i < 3);
		assert_int_equal(b.status[i], i < 3 ? ZINC_E_EXISTS : ZINC_OK);
	}
}

/* Promise 4: each answer takes 0.3 s, during which the others are requested. */
static void
values_are_looked_at_together(void **state)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	batch b;

	(void)state;
	put_batch(&b, "slow", "", &absent, MANY);
	assert_in_range(web_most(&server, "slow"), 2, MANY);
	assert_int_equal(b.status[MANY - 1], ZINC_E_EXISTS);
}

int
main(void)
{
	static char with[] = "conditions=yes", without[] = "conditions=no";
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_written_unasked),
	    cmocka_unit_test(outcomes),
	    cmocka_unit_test(erasing),
	    cmocka_unit_test(directories),
	    cmocka_unit_test(conditions_hold),
	    cmocka_unit_test(what_was_deleted_has_changed),
	    cmocka_unit_test(servers_that_ignore_conditions),
	    cmocka_unit_test(an_own_earlier_try),
	    cmocka_unit_test(a_try_of_libcurl),
	    cmocka_unit_test(deadlines),
	    cmocka_unit_test(puts_go_on_with_more),
	    cmocka_unit_test(values_are_looked_at_together),
	};
	int failed;

	if (!web_can())
		return 77;
	make_empty("served");
	web_start(&server, "served", false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	failed += conform_store_run("http, written with conditions", make, with);
	failed += conform_store_run("http, written without", make, without);
	web_stop(&server);
	return failed;
}
