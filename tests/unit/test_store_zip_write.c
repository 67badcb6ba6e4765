/*
 * test_store_zip_write.c - writing archives, by the promises of store_zip_session.c (1 ...) and store_zip_write.c (W1 ...)
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_zip.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"
#include "support/zips.h"

#define URL "d/a.zip|zip:"

static zips z;

static zinc_store *
open_url(const char *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	return s;
}

static zinc_put_group *
begin(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;

	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	return g;
}

static void
put_in(zinc_store *s, zinc_put_group *g, const char *key, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(s, g, key, text, strlen(text), NULL, 0, NULL, NULL, &err));
}

static int
count_keys(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	int n = 0;

	assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
	return n;
}

/* ---- 1 ---- */

/* The archive before, as a file. */
static void
make_old(void *arg)
{
	(void)arg;
	make_empty("d");
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "old");
	zips_text(&z, "b", "stays");
	zips_text(&z, "../odd", "stays, too");
	zips_end(&z, "comment", false);
	write_bytes("d/a.zip", z.all, z.n);
}

static zinc_status
change(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_put_group *g = NULL;
	zinc_store *s = NULL;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_store_open(&s, URL, ZINC_STORE_OPTIONS(.context = ctx), err));
	st = zinc_store_put_begin(s, &g, 0, NULL, err);
	if (st == ZINC_OK) {
		st = zinc_store_put(s, g, "a", "newer", 5, NULL, 0, NULL, NULL, err);
		if (st == ZINC_OK)
			st = zinc_store_put(s, g, "c/d", "more", 4, NULL, 0, NULL, NULL, err);
		if (st == ZINC_OK)
			st = zinc_store_commit(s, g, NULL, NULL, NULL, err);
		else
			zinc_store_abort(s, g);
	}
	zinc_store_close(s);
	return st;
}

/* Old or new, whole: by a store that looks at it afterwards. */
static void
old_or_new(void *arg, zinc_status st)
{
	zinc_store *s = open_url(URL);
	const bool is_new = count_keys(s) == 3;

	(void)arg;
	assert_text(s, "b", "stays");
	assert_text(s, "a", is_new ? "newer" : "old");
	if (is_new)
		assert_text(s, "c/d", "more");
	else
		assert_int_equal(count_keys(s), 2);
	if (st == ZINC_OK)
		assert_true(is_new);
	else if (st != ZINC_E_UNCERTAIN)
		assert_false(is_new);
	put_text(s, "next", "1"); /* and it can be written */
	assert_text(s, "next", "1");
	zinc_store_close(s);
}

/* Each OS call fails, alone or with all that follow, as if the program ended there; and each allocation. */
static void
every_failure_leaves_old_or_new(void **state)
{
	static const int errnums[] = {EIO, ENOSPC, EINTR, 0};
	const sweep_scenario scenario = {.run = change, .before = make_old, .after = old_or_new};

	(void)state;
	assert_true(sweep_os_scenario(&scenario, errnums) > 30);
	assert_true(sweep_alloc_scenario(&scenario) > 30);
}

/* A writer that is killed at any moment. */
static void
killed_writers_leave_old_or_new(void **state)
{
	enum { ROUNDS = 40 };
	char key[16], text[16];
	zinc_put_group *g;
	zinc_store *s;
	pid_t pid;
	int i, k, n, status;

	(void)state;
	make_empty("d");
	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			for (k = 0;; k++) {
				s = open_url(URL);
				n = count_keys(s);
				g = begin(s);
				snprintf(key, sizeof key, "k%d", n);
				put_in(s, g, key, key);
				snprintf(key, sizeof key, "k%d", n + 1);
				put_in(s, g, key, key);
				(void)!zinc_store_commit(s, g, NULL, NULL, NULL, NULL);
				zinc_store_close(s);
			}
		}
		usleep((useconds_t)(500 + i * 137));
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		s = open_url(URL);
		n = count_keys(s);
		assert_int_equal(n % 2, 0);
		for (k = 0; k < n; k++) {
			snprintf(text, sizeof text, "k%d", k);
			assert_text(s, text, text);
		}
		zinc_store_close(s);
	}
}

/* ---- 2, W3 ---- */

enum { PROCESSES = 4, UPDATES = 25 };

static zinc_status
increment(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	int *n = (int *)arg;

	(void)err, (void)nold;
	*n = 0;
	if (old)
		memcpy(n, old, sizeof *n);
	++*n;
	out->bytes = n;
	out->nbytes = sizeof *n;
	return ZINC_OK;
}

static void
updates_of_processes_are_not_lost(void **state)
{
	const int all = PROCESSES * UPDATES;
	zinc_store *s;
	int i, k, n, status;

	(void)state;
	make_empty("d");
	for (i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			s = open_url(URL);
			for (k = 0; k < UPDATES; k++)
				if (zinc_store_update(s, "n", increment, &n, 0, 0, 0, NULL, NULL) != ZINC_OK)
					_exit(1);
			zinc_store_close(s);
			_exit(0);
		}
	for (i = 0; i < PROCESSES; i++) {
		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	s = open_url(URL);
	assert_value(s, "n", &all, sizeof all);
	zinc_store_close(s);
}

/* Two handles: the second waits no longer than it may, and says why. */
static void
a_second_writer_waits(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *a, *b;
	zinc_put_group *g;
	zinc_wait wait = ZINC_WAIT_INIT;

	(void)state;
	make_empty("d");
	a = open_url(URL);
	b = open_url(URL);
	g = begin(a);
	put_in(a, g, "a", "1");
	wait.until = zinc_now(zinc_context_get(NULL)) + 0.05;
	assert_int_equal(zinc_store_put(b, NULL, "b", "2", 1, NULL, 0, NULL, &wait, &err), ZINC_E_CANCELLED);
	assert_non_null(strstr(err.text, "the lock of its value"));
	assert_missing(b, "a");
	assert_ok(zinc_store_commit(a, g, NULL, NULL, NULL, &err));
	put_text(b, "b", "2");
	assert_text(b, "a", "1");
	assert_text(a, "b", "2");
	zinc_store_close(a);
	zinc_store_close(b);
}

/* ---- 3 ---- */

static void
what_is_not_replaced_stays(void **state)
{
	uint8_t extra[] = {0x34, 0x12, 1, 0, 'x'};
	const char *bytes;
	zinc_store *s;

	(void)state;
	make_empty("d");
	zips_begin(&z, 0, 0);
	zips_add(&z, &(zips_entry){.name = "a", .bytes = "1", .n = 1, .extra = extra, .nextra = 5, .mode = 0100600});
	zips_add(&z, &(zips_entry){.name = "crypt", .bytes = "x", .n = 1, .flags = 1});
	zips_text(&z, "dir/", "");
	zips_text(&z, "../odd", "x");
	zips_end(&z, "the comment", false);
	write_bytes("d/a.zip", z.all, z.n);
	s = open_url(URL);
	put_text(s, "new", "2");
	zinc_store_close(s);
	bytes = read_text("d/a.zip");
	assert_memory_equal(bytes, z.all, z.n - z.ndir - ZIP_END - 11);                 /* entries */
	assert_memory_equal(bytes + (z.n - z.ndir - ZIP_END - 11) + 34, z.dir, z.ndir); /* then the new one; records */
}

/* ---- 5 ---- */

static void
note_lost(void *arg, const char *key, zinc_status st, const zinc_error *error)
{
	char *out = (char *)arg;

	assert_int_equal(st, ZINC_E_IO);
	assert_int_equal(error->code, ZINC_E_IO);
	snprintf(out + strlen(out), 64 - strlen(out), "%s ", key);
}

/* A failing write takes all entries that are pending with it, and their groups know. */
static void
a_failed_write_fails_its_groups(void **state)
{
	zinc_context_options co = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL, *h = NULL;
	zinc_context *ctx = NULL;
	zinc_store *s = NULL;
	sweep_calls calls;
	char lost[64] = "";

	(void)state;
	make_empty("d");
	assert_ok(zinc_context_new(&ctx, &co, &err));
	sweep_calls_init(&calls, NULL);
	zinc_context_set_os(ctx, &calls.os);
	assert_ok(zinc_store_open(&s, URL, ZINC_STORE_OPTIONS(.context = ctx, .relaxed = 1), &err));
	g = begin(s);
	h = begin(s);
	put_in(s, g, "a", "1");
	put_in(s, g, "b", "2");
	calls.only = "writev";
	sweep_calls_fail(&calls, 1, false, EIO);
	assert_int_equal(zinc_store_put(s, h, "c", "3", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_put(s, g, "d", "4", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_commit(s, g, note_lost, lost, NULL, &err), ZINC_E_IO);
	assert_string_equal(lost, "a b ");
	put_in(s, h, "c", "3");
	assert_ok(zinc_store_commit(s, h, NULL, NULL, NULL, &err));
	assert_missing(s, "a");
	assert_text(s, "c", "3");
	zinc_store_close(s);
	sweep_calls_fini(&calls);
	zinc_context_free(ctx);
}

/* ---- W1, W2, W4 ---- */

/* What the end record says. */
static int
count_records(void)
{
	FILE *f = fopen("d/a.zip", "rb");
	uint8_t end[ZIP_END];

	assert_non_null(f);
	assert_int_equal(fseek(f, -(long)ZIP_END, SEEK_END), 0);
	assert_int_equal(fread(end, 1, ZIP_END, f), ZIP_END);
	fclose(f);
	return zip_get16(end + 10);
}

static void
groups_and_single_puts(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g, *h;
	zinc_store *s, *other;

	(void)state;
	make_empty("d");
	s = open_url(URL);
	other = open_url(URL);
	g = begin(s);
	h = begin(s);
	put_in(s, g, "a", "g");
	assert_missing(other, "a");
	assert_missing(s, "a");
	put_in(s, h, "a", "h");
	put_in(s, h, "b", "h");
	zinc_store_abort(s, h); /* the value of the other group is the last again */
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	assert_text(other, "a", "g");
	assert_missing(other, "b");
	g = begin(s);
	put_in(s, g, "c", "g");
	put_text(s, "d", "single");
	assert_text(other, "c", "g"); /* published together */
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	assert_int_equal(zinc_store_del(s, NULL, "a", NULL, 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_store_del_prefix(s, "", 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(count_keys(s), 3);
	assert_int_equal(count_records(), 3);
	put_text(s, "a", "again"); /* its old record is left out */
	assert_int_equal(count_records(), 3);
	g = begin(s); /* forgotten: given up by close */
	put_in(s, g, "lost", "g");
	zinc_store_abort(s, g);
	zinc_store_close(s);
	assert_int_equal(count_keys(other), 3);
	zinc_store_close(other);
	assert_string_equal(tree("d"), "a.zip");
}

/* ---- W5 ---- */

static void
held_changes_are_published_once(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s, *other;
	zinc_put_group *g;

	(void)state;
	make_empty("d");
	s = open_url("d/a.zip|zip:in/side"); /* below a prefix */
	other = open_url(URL);
	assert_ok(zinc_store_hold(s, NULL, &err));
	put_text(s, "a", "1");
	g = begin(s);
	put_in(s, g, "b", "2");
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	assert_missing(other, "in/side/a");
	assert_text(s, "b", "2"); /* a reader of the same handle sees it, and so do all */
	assert_text(other, "in/side/a", "1");
	put_text(s, "c", "3");
	assert_missing(other, "in/side/c");
	assert_ok(zinc_store_release(s, true, 0, NULL, &err));
	assert_text(other, "in/side/c", "3");
	assert_ok(zinc_store_hold(s, NULL, &err));
	put_text(s, "d", "4");
	assert_ok(zinc_store_release(s, false, 0, NULL, &err));
	assert_missing(other, "in/side/d");
	zinc_store_close(s);
	zinc_store_close(other);
}

/* ---- forks ---- */

static void
a_child_writes_nothing_of_its_parent(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g;
	zinc_store *s;
	int status;
	pid_t pid;

	(void)state;
	make_empty("d");
	s = open_url(URL);
	g = begin(s);
	put_in(s, g, "a", "parent");
	pid = fork();
	if (pid == 0) {
		const bool failed = zinc_store_commit(s, g, NULL, NULL, NULL, NULL) == ZINC_E_IO;

		leave_child(failed ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	assert_text(s, "a", "parent");
	zinc_store_close(s);
}

/* (2) zip(1) and others take no lock: what they did during a long change is not replaced. */
static void
a_foreign_change_is_not_lost(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s, *other;
	zinc_put_group *g;

	(void)state;
	make_empty("d");
	make_empty("e");
	other = open_url("e/a.zip|zip:");
	put_text(other, "foreign", "precious");
	zinc_store_close(other);
	s = open_url(URL);
	put_text(s, "a", "1");
	g = begin(s);
	put_in(s, g, "b", "2");
	assert_int_equal(rename("e/a.zip", "d/a.zip"), 0);
	assert_int_equal(zinc_store_commit(s, g, NULL, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_text(s, "foreign", "precious");
	put_text(s, "b", "2");
	assert_text(s, "foreign", "precious");
	zinc_store_close(s);
	make_empty("d");
	make_empty("e");
	other = open_url("e/a.zip|zip:");
	put_text(other, "foreign", "precious");
	zinc_store_close(other);
	s = open_url(URL);
	g = begin(s);
	put_in(s, g, "b", "2"); /* a new archive */
	assert_int_equal(rename("e/a.zip", "d/a.zip"), 0);
	assert_int_equal(zinc_store_commit(s, g, NULL, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_text(s, "foreign", "precious");
	zinc_store_close(s);
}

/* An archive in memory has no lock, but a condition: the loser of a race tries again. */
static void
archives_in_memory(void **state)
{
	zinc_store *a = open_url("memory://shared/a.zip|zip:"), *b = open_url("memory://shared/a.zip|zip:");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g;

	(void)state;
	put_text(a, "a", "1");
	g = begin(a);
	put_in(a, g, "b", "2");
	put_text(b, "c", "3");
	assert_int_equal(zinc_store_commit(a, g, NULL, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "another writer changed the archive"));
	assert_missing(a, "b");
	put_text(a, "b", "2");
	assert_text(b, "b", "2");
	assert_text(b, "c", "3");
	zinc_store_close(a);
	zinc_store_close(b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_failure_leaves_old_or_new),
	    cmocka_unit_test(killed_writers_leave_old_or_new),
	    cmocka_unit_test(updates_of_processes_are_not_lost),
	    cmocka_unit_test(a_second_writer_waits),
	    cmocka_unit_test(what_is_not_replaced_stays),
	    cmocka_unit_test(a_failed_write_fails_its_groups),
	    cmocka_unit_test(groups_and_single_puts),
	    cmocka_unit_test(held_changes_are_published_once),
	    cmocka_unit_test(a_child_writes_nothing_of_its_parent),
	    cmocka_unit_test(a_foreign_change_is_not_lost),
	    cmocka_unit_test(archives_in_memory),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
