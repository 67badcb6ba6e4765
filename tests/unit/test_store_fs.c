/*
 * test_store_fs.c - the file system store from outside: promises 1, 4, 8, 11 and 12 of store_fs.c
 *
 * 2, 3, 6: test_store_fs_write.c; 5: test_store_fs_lock.c; 7: test_store_fs_group.c; 9: test_store_fs_list.c;
 * 10: test_store_fs_path.c; 13: test_store_fs_links.c.
 *
 * Rules of the drafts: keys are paths of files, 22-166+ 22-167+; ranges are read natively, 22-103+.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

static zinc_store *
open_with(const char *dir, int links)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, dir, ZINC_STORE_OPTIONS(.relaxed = 1, .links = links), &err));
	return s;
}

/* ---- promise 4: no escape ---- */

static void
make_outside(void)
{
	make_empty("outside");
	write_file("outside/secret", "secret");
	make_empty("d");
	write_file("d/real", "inside");
	assert_int_equal(mkdir("d/dir", 0777), 0);
	write_file("d/dir/k", "k");
}

static void
expect_get(zinc_store *s, const char *key, zinc_status want)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	assert_int_equal(zinc_store_get_all(s, key, &b, NULL, 0, NULL, &err), want);
	zinc_blob_fini(&b);
}

static void
refused_links_are_errors(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;

	(void)state;
	make_outside();
	assert_int_equal(symlink("../outside/secret", "d/file"), 0);
	assert_int_equal(symlink("../outside", "d/up"), 0);
	assert_int_equal(symlink("real", "d/inner"), 0);
	assert_int_equal(symlink("/", "d/root"), 0);
	s = open_with("d", ZINC_LINKS_REFUSE);
	expect_get(s, "file", ZINC_E_IO);
	expect_get(s, "up/secret", ZINC_E_IO);
	expect_get(s, "inner", ZINC_E_IO);
	expect_get(s, "root/etc/passwd", ZINC_E_IO);
	assert_int_equal(zinc_store_put(s, NULL, "up/new", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "symbolic link"));
	assert_int_equal(zinc_store_put(s, NULL, "up/a/b/new", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_put(s, NULL, "file", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_del(s, NULL, "up/secret", NULL, 0, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_del_prefix(s, "up/x/", 0, NULL, &err), ZINC_E_IO);
	assert_ok(zinc_store_del(s, NULL, "inner", NULL, 0, NULL, &err)); /* the link itself is ours to delete */
	assert_ok(zinc_store_del_prefix(s, "up/", 0, NULL, &err));
	assert_ok(zinc_store_del_prefix(s, "", 0, NULL, &err));
	zinc_store_close(s);
	assert_string_equal(tree("outside"), "secret");
	assert_string_equal(read_text("outside/secret"), "secret");
	assert_string_equal(tree("d"), "");
}

static void
links_beneath_stay_beneath(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;
	zinc_tag tag;

	(void)state;
	if (!can_follow())
		skip();
	make_outside();
	assert_int_equal(symlink("../outside/secret", "d/file"), 0);
	assert_int_equal(symlink("real", "d/inner"), 0);
	assert_int_equal(symlink("dir", "d/also"), 0);
	assert_int_equal(symlink("../outside", "d/up"), 0);
	s = open_with("d", ZINC_LINKS_BENEATH);
	expect_get(s, "file", ZINC_E_IO);
	expect_get(s, "up/secret", ZINC_E_IO);
	assert_text(s, "inner", "inside");
	assert_text(s, "also/k", "k");
	put_text(s, "also/new", "n"); /* in d/dir */
	assert_text(s, "dir/new", "n");
	assert_int_equal(zinc_store_put(s, NULL, "up/new", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_del(s, NULL, "up/secret", NULL, 0, NULL, &err), ZINC_E_IO);
	/* the condition is about what the link leads to; the put replaces the link */
	tag = tag_of(s, "inner");
	assert_ok(
	    zinc_store_put(s, NULL, "inner", "own", 3, &(zinc_condition){ZINC_EQUALS, &tag}, 0, NULL, NULL, &err));
	assert_text(s, "inner", "own");
	assert_text(s, "real", "inside");
	put_text(s, "file", "own, too");
	assert_text(s, "file", "own, too");
	zinc_store_close(s);
	assert_string_equal(tree("outside"), "secret");
	assert_string_equal(read_text("outside/secret"), "secret");
}

static void
hostile_keys_open_nothing(void **state)
{
	static const char *const keys[] = {"../outside/secret",
					   "dir/../../outside/secret",
					   "/etc/passwd",
					   "./real",
					   "a\\b",
					   "dir\\..\\k",
					   "k.__lock",
					   "dir.__lock/k",
					   "x/.__lock",
					   "real/",
					   "//",
					   "dir//k"};
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;
	size_t i;

	(void)state;
	make_outside();
	rig_open(&rig, "d", NULL, ZINC_STORE_OPTIONS(.relaxed = 1));
	sweep_calls_forget(&rig.calls);
	for (i = 0; i < COUNT(keys); i++) {
		expect_get(rig.store, keys[i], ZINC_E_INVALID);
		assert_int_equal(zinc_store_put(rig.store, NULL, keys[i], "x", 1, NULL, 0, NULL, NULL, &err),
				 ZINC_E_INVALID);
		assert_int_equal(zinc_store_del(rig.store, NULL, keys[i], NULL, 0, NULL, &err), ZINC_E_INVALID);
	}
	assert_int_equal(rig.calls.nlog, 0); /* not a single call */
	rig_close(&rig);
}

typedef struct swapper {
	atomic_bool stop;
} swapper;

/* A directory of the store becomes a link outwards and back, all the time. */
static void *
swap(void *arg)
{
	swapper *w = (swapper *)arg;

	while (!w->stop) {
		if (rename("d/t", "d/t.real") == 0 && symlink("../outside", "d/t") == 0) {
			unlink("d/t");
			rename("d/t.real", "d/t");
		}
	}
	return NULL;
}

static void
race_outside(int links)
{
	swapper w = {.stop = false};
	zinc_store *s;
	pthread_t t;
	char key[32];
	int i;

	enter_fast_dir();
	make_outside();
	assert_int_equal(mkdir("d/t", 0777), 0);
	s = open_with("d", links);
	assert_int_equal(pthread_create(&t, NULL, swap, &w), 0);
	for (i = 0; i < MANY(3000); i++) {
		zinc_blob b = ZINC_BLOB_INIT;

		snprintf(key, sizeof key, "t/%d", i % 10);
		(void)!zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, NULL, NULL);
		(void)!zinc_store_del(s, NULL, i % 3 ? "t/secret" : key, NULL, 0, NULL, NULL);
		if (zinc_store_get_all(s, "t/secret", &b, NULL, 0, NULL, NULL) == ZINC_OK)
			fail_msg("read the secret");
		if (i % 10 == 9)
			(void)!zinc_store_del_prefix(s, "t/", 0, NULL, NULL);
	}
	w.stop = true;
	pthread_join(t, NULL);
	zinc_store_close(s);
	assert_string_equal(tree("outside"), "secret");
	assert_string_equal(read_text("outside/secret"), "secret");
	leave_fast_dir();
}

static void
no_race_leads_outside(void **state)
{
	(void)state;
	race_outside(ZINC_LINKS_REFUSE);
	race_outside(ZINC_LINKS_BENEATH);
}

/* ---- entries in the way ---- */

static void
files_and_directories_collide_clearly(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob value = ZINC_BLOB_INIT;
	zinc_store *s;

	(void)state;
	make_empty("d");
	s = open_with("d", 0);
	put_text(s, "a/b", "x");
	assert_int_equal(zinc_store_put(s, NULL, "a", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_non_null(strstr(err.text, "cannot hold both"));
	assert_int_equal(zinc_store_put(s, NULL, "a/b/c", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "cannot hold both"));
	assert_int_equal(zinc_store_get_all(s, "a", &value, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_int_equal(err.os_error, EISDIR);
	assert_missing(s, "a/b/c");
	assert_string_equal(tree("d"), "a/ a/b");
	assert_int_equal(mkdir("d/empty", 0777), 0);
	put_text(s, "empty", "x"); /* an unrelated directory */
	assert_text(s, "empty", "x");
	zinc_store_close(s);
}

/* (12): neither values nor missing, whatever the kind of file, in the place of the key or on the way to it */
static void
other_kinds_of_files_are_no_values(void **state)
{
	static const char *const keys[] = {"fifo", "fifo/k", "socket", "dir", "full", "null", "null/k"};
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "d/socket"};
	zinc_error err = ZINC_ERROR_INIT;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	zinc_store *s = NULL;
	size_t i;

	(void)state;
	make_empty("d");
	assert_int_equal(mkfifo("d/fifo", 0666), 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
	assert_int_equal(symlink("/dev/null", "d/null"), 0);
	assert_int_equal(mkdir("d/dir", 0777), 0);
	assert_int_equal(mkdir("d/full", 0777), 0);
	write_file("d/full/k", "x");
	s = open_with("d", ZINC_LINKS_FOLLOW);
	for (i = 0; i < COUNT(keys); i++)
		expect_get(s, keys[i], ZINC_E_IO); /* without waiting for a writer */
	assert_missing(s, "full/k/below");         /* a value, not a file of another kind: as in any store */
	assert_int_equal(zinc_store_put(s, NULL, "fifo", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	zinc_store_close(s);
	close(fd);
	write_file("d/file", "x");
	assert_int_equal(zinc_store_open(&s, "d/file", NULL, &err), ZINC_E_IO); /* not a directory */
	assert_string_equal(err.url, "d/file");
	assert_int_equal(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.links = 3), &err), ZINC_E_INVALID);
}

/* (12): a dangling link is an unreadable value, not a missing one */
static void
dangling_links_are_not_missing(void **state)
{
	zinc_get r[4] = {get_range("a/0", 0, 1), get_range("a/1", 0, 1), get_range("a/2", 0, 1),
			 get_range("b/c/0", 0, 1)};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;
	gets g;

	(void)state;
	make_empty("d");
	assert_int_equal(mkdir("d/a", 0777), 0);
	assert_int_equal(symlink("../.git/annex/objects/x", "d/a/1"), 0);
	assert_int_equal(symlink("nowhere", "d/b"), 0);
	assert_int_equal(symlink("self", "d/self"), 0);
	s = open_with("d", ZINC_LINKS_FOLLOW);
	gets_init(&g, 4);
	assert_ok(gets_run(&g, s, r, &err));
	assert_int_equal(g.r[0].found, ZINC_MISSING);
	assert_int_equal(g.r[1].found, ZINC_FAILED);
	assert_int_equal(g.r[2].found, ZINC_MISSING);
	assert_int_equal(g.r[3].found, ZINC_FAILED);
	gets_fini(&g);
	expect_get(s, "self", ZINC_E_IO);
	assert_missing(s, "a/1x");
	assert_missing(s, "none/at/all");
	assert_int_equal(zinc_store_put(s, NULL, "b/k", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "leads nowhere"));
	zinc_store_close(s);
}

/* An unreadable file is a failure, never a missing chunk. */
static void
unreadable_is_not_missing(void **state)
{
	static const int errnums[] = {EACCES, EIO, EMFILE, ENOMEM, ESTALE, EOVERFLOW};
	static const zinc_status want[] = {ZINC_E_IO, ZINC_E_IO, ZINC_E_IO, ZINC_E_NOMEM, ZINC_E_IO, ZINC_E_IO};
	static const char *const calls[] = {"open_at", "fstat", "preadv"};
	fs_rig rig;
	size_t i, c;

	(void)state;
	make_empty("d");
	write_file("d/k", "value");
	rig_open(&rig, "d", NULL, NULL);
	for (c = 0; c < COUNT(calls); c++)
		for (i = 0; i < COUNT(errnums); i++) {
			rig.calls.only = calls[c];
			sweep_calls_fail(&rig.calls, 1, false, errnums[i]);
			expect_get(rig.store, "k", want[i]);
			assert_int_equal(rig.calls.failed, 1);
		}
	rig.calls.only = NULL;
	sweep_calls_fail(&rig.calls, 0, false, 0);
	assert_text(rig.store, "k", "value");
	rig_close(&rig);
}

/* ---- promise 8: one descriptor, and files that others shorten ---- */

static void
one_descriptor_per_key(void **state)
{
	zinc_get r[7] = {get_range("b", 0, 1), get_range("a", 1, 1), get_range("b", 1, 1), get_stat("a"),
			 get_range("c", 0, 1), get_suffix("b", 1),   get_range("c", 1, 1)};
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;
	gets g;
	int i;

	(void)state;
	make_empty("d");
	write_file("d/a", "abc");
	write_file("d/b", "xyz");
	rig_open(&rig, "d", NULL, NULL);
	sweep_calls_forget(&rig.calls);
	gets_init(&g, 7);
	assert_ok(gets_run(&g, rig.store, r, &err));
	assert_int_equal(rig_count(&rig, "open_at"), 2);
	assert_int_equal(rig_count(&rig, "fstat"), 2);
	assert_int_equal(rig_count(&rig, "preadv"), 4);
	assert_int_equal(g.r[0].bytes[0], 'x');
	assert_int_equal(g.r[1].bytes[0], 'b');
	assert_int_equal(g.r[2].bytes[0], 'y');
	assert_int_equal(g.r[5].bytes[0], 'z');
	for (i = 4; i <= 6; i += 2)
		assert_int_equal(g.r[i].found, ZINC_MISSING);
	assert_true(zinc_tag_equal(&g.r[0].tag, &g.r[2].tag));
	gets_fini(&g);
	rig_close(&rig);
}

static void
shorten_file(void *arg, const char *name, int fd, const char *path)
{
	(void)arg, (void)fd, (void)path;
	if (strcmp(name, "preadv") == 0)
		assert_int_equal(truncate("d/k", 3), 0);
}

static void
a_file_that_shrinks_fails_the_read(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r[2] = {get_range("k", 0, ZINC_TO_END), get_range("k", 4, 4)};
	zinc_tag tag;
	fs_rig rig;
	gets g;

	(void)state;
	make_empty("d");
	write_file("d/k", "0123456789");
	rig_open(&rig, "d", NULL, NULL);
	tag = tag_of(rig.store, "k");
	r[1].if_tag = &tag;
	rig.calls.hook = shorten_file;
	gets_init(&g, 2);
	assert_ok(gets_run(&g, rig.store, r, &err));
	assert_int_equal(g.r[0].found, ZINC_FAILED);
	assert_int_equal(g.r[0].status, ZINC_E_IO);
	assert_int_equal(g.r[1].found, ZINC_CHANGED);
	gets_fini(&g);
	rig_close(&rig);
}

/* Reads in pieces, and into more pieces than one call takes. */
static void
many_pieces(void **state)
{
	enum { N = 1500 };
	char *bytes = (char *)malloc(N * 2), got[N][3];
	zinc_error err = ZINC_ERROR_INIT;
	struct iovec in[N], out[N];
	zinc_get r = get_range("k", 0, N * 2);
	fs_rig rig;
	gets g;
	int i;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, ZINC_STORE_OPTIONS(.relaxed = 1));
	for (i = 0; i < N; i++) {
		bytes[2 * i] = (char)('a' + i % 26);
		bytes[2 * i + 1] = (char)('0' + i % 10);
		in[i] = (struct iovec){bytes + 2 * i, 2};
		out[i] = (struct iovec){got[i], 2};
	}
	r.iov = out;
	r.niov = N;
	for (i = 0; i < 3; i++) {
		rig.calls.most_bytes = (size_t)i * 7; /* 0: as requested */
		memset(got, 0, sizeof got);
		assert_ok(zinc_store_putv(rig.store, NULL, "k", in, N, NULL, 0, NULL, NULL, &err));
		gets_init(&g, 1);
		assert_ok(gets_run(&g, rig.store, &r, &err));
		assert_int_equal(g.r[0].nbytes, N * 2);
		gets_fini(&g);
		assert_value(rig.store, "k", bytes, N * 2);
		assert_memory_equal(got[0], bytes, 2);
		assert_memory_equal(got[N - 1], bytes + 2 * (N - 1), 2);
		assert_memory_equal(got[777], bytes + 2 * 777, 2);
	}
	free(bytes);
	rig_close(&rig);
}

/* ---- the rest ---- */

static void
a_put_costs_these_calls(void **state)
{
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	put_text(rig.store, "warm", "");
	sweep_calls_forget(&rig.calls);
	put_text(rig.store, "k", "v");
	/* directory, lock file; lock; is it current (2); the old file; bytes; time, read back; fsync; rename;
	 * unlock; close (2); directory, fsync, fstat, close */
	assert_int_equal(rig.calls.nlog, 18);
	sweep_calls_forget(&rig.calls);
	assert_text(rig.store, "k", "v");
	assert_int_equal(rig.calls.nlog, 4); /* open, fstat, read, close */
	sweep_calls_forget(&rig.calls);
	assert_missing(rig.store, "no/such");
	assert_int_equal(rig.calls.nlog, 3); /* is a link in its place, or above? */
	rig_close(&rig);
}

static void
caps_tell_the_truth(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_caps caps = ZINC_CAPS_INIT;

	(void)state;
	make_empty("d");
	assert_ok(zinc_store_open(&s, "d", NULL, &err));
	zinc_store_caps(s, &caps);
	assert_true(caps.flags & ZINC_CAP_DURABLE);
	assert_true(caps.flags & ZINC_CAP_CAS);
	assert_false(caps.flags & ZINC_CAP_REMOTE);
	assert_int_equal(caps.component_max, 248);
	zinc_store_close(s);
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	zinc_store_caps(s, &caps);
	assert_false(caps.flags & ZINC_CAP_DURABLE);
	zinc_store_close(s);
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.read_only = 1), &err));
	zinc_store_caps(s, &caps);
	assert_false(caps.flags & ZINC_CAP_WRITE);
	assert_int_equal(zinc_store_put(s, NULL, "k", "v", 1, NULL, 0, NULL, NULL, &err), ZINC_E_READONLY);
	zinc_store_close(s);
}

/* A root that does not exist yet may be made by another process. */
static void
the_root_may_come_later(void **state)
{
	zinc_store *a, *b;

	(void)state;
	make_empty("d");
	a = open_with("d/later", 0);
	b = open_with("d/later", 0);
	assert_missing(a, "k");
	put_text(b, "k", "v");
	assert_text(a, "k", "v");
	put_text(a, "k", "w");
	assert_text(b, "k", "w");
	zinc_store_close(a);
	zinc_store_close(b);
}

/* Reading and listing, every call and allocation failing in turn. */
static zinc_status
read_everything(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	int keys = 0, entries = 0;
	zinc_status st = zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_get_all(s, "dir/k", &b, NULL, 0, NULL, err);
	zinc_blob_fini(&b);
	if (st == ZINC_OK)
		st = zinc_store_list(s, "", count_key, &keys, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_list_dir(s, "", count_entry, &entries, NULL, err);
	zinc_store_close(s);
	if (st == ZINC_OK && arg) {
		assert_int_equal(keys, 2);
		assert_int_equal(entries, 2);
	}
	return st;
}

static void
every_failing_read_is_told(void **state)
{
	unsigned long points;

	(void)state;
	enter_fast_dir();
	make_outside();
	points = sweep_os(read_everything, "", EIO, EACCES, EMFILE, EINTR, 0);
	points += sweep_os(read_everything, NULL, ENOENT, 0);
	points += sweep_alloc(read_everything, "");
	print_message("%lu failure points\n", points);
	assert_true(points > 100);
	leave_fast_dir();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(refused_links_are_errors),
	    cmocka_unit_test(links_beneath_stay_beneath),
	    cmocka_unit_test(hostile_keys_open_nothing),
	    cmocka_unit_test(no_race_leads_outside),
	    cmocka_unit_test(files_and_directories_collide_clearly),
	    cmocka_unit_test(other_kinds_of_files_are_no_values),
	    cmocka_unit_test(dangling_links_are_not_missing),
	    cmocka_unit_test(unreadable_is_not_missing),
	    cmocka_unit_test(one_descriptor_per_key),
	    cmocka_unit_test(a_file_that_shrinks_fails_the_read),
	    cmocka_unit_test(many_pieces),
	    cmocka_unit_test(a_put_costs_these_calls),
	    cmocka_unit_test(caps_tell_the_truth),
	    cmocka_unit_test(the_root_may_come_later),
	    cmocka_unit_test(every_failing_read_is_told),
	};

	alarm(HANGS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
