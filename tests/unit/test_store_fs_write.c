/*
 * test_store_fs_write.c - how a key's file is replaced, by promises 1, 2, 3 and 6 of store_fs.c
 *
 * Order and counts of fsync are those of the call log, exactly; then every OS call and allocation fails in turn.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "store/store_fs.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

/* Names are probed by the first change; get that out of the log. */
static void
warm_up(fs_rig *rig)
{
	put_text(rig->store, "warm", "");
	sweep_calls_forget(&rig->calls);
}

/* ---- promise 1: never modified ---- */

static void
open_file_keeps_the_old_value(void **state)
{
	char text[8] = "";
	struct stat a, b;
	fs_rig rig;
	int fd;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	put_text(rig.store, "k", "old");
	fd = open("d/k", O_RDONLY);
	assert_int_equal(fstat(fd, &a), 0);
	put_text(rig.store, "k", "newer");
	assert_int_equal(fstat(fd, &b), 0);
	assert_int_equal(b.st_nlink, 0); /* the same bytes, without a name */
	assert_int_equal(b.st_size, a.st_size);
	assert_int_equal(pread(fd, text, sizeof text, 0), 3);
	assert_string_equal(text, "old");
	close(fd);
	assert_string_equal(read_text("d/k"), "newer");
	assert_int_equal(rig_count(&rig, "ftruncate"), 0);
	rig_close(&rig);
}

/* ---- promise 2: write -> fsync(file) -> rename -> fsync(directory) ---- */

static void
order_of_a_put(void **state)
{
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	put_text(rig.store, "k", "v");
	assert_string_equal(rig_story(&rig), "lock(k.__lock) write(k.__lock) time(k.__lock) sync(k.__lock) "
					     "rename(k.__lock -> k) unlock(k.__lock) sync(.)");
	sweep_calls_forget(&rig.calls);
	put_text(rig.store, "k", ""); /* nothing to write */
	assert_string_equal(rig_story(&rig), "lock(k.__lock) time(k.__lock) sync(k.__lock) rename(k.__lock -> k) "
					     "unlock(k.__lock) sync(.)");
	rig_close(&rig);
}

static void
new_directories_are_synced_too(void **state)
{
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	put_text(rig.store, "a/b/k", "v");
	assert_string_equal(rig_story(&rig),
			    "mkdir(a) mkdir(b) lock(k.__lock) write(k.__lock) time(k.__lock) sync(k.__lock) "
			    "rename(k.__lock -> k) unlock(k.__lock) sync(.) sync(a) sync(a/b)");
	sweep_calls_forget(&rig.calls);
	put_text(rig.store, "a/b/l", "v");
	assert_int_equal(rig_count(&rig, "fsync"), 2);
	sweep_calls_forget(&rig.calls);
	put_text(rig.store, "a/c/l", "v");
	assert_int_equal(rig_count(&rig, "fsync"), 3); /* the file, a/c, a */
	rig_close(&rig);
}

static void
the_root_is_made_durably(void **state)
{
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d/x//y/", NULL, NULL);
	assert_missing(rig.store, "k");
	assert_int_equal(rig_count(&rig, "mkdirat"), 0);
	put_text(rig.store, "k", "v");
	assert_string_equal(tree("d"), "x/ x/y/ x/y/k");
	/* d, d/x; the file, the root */
	assert_int_equal(rig_count(&rig, "fsync"), 4);
	rig_close(&rig);
	rig_open(&rig, "d/none", NULL, ZINC_STORE_OPTIONS(.create = -1));
	assert_int_equal(zinc_store_put(rig.store, NULL, "k", "v", 1, NULL, 0, NULL, NULL, NULL), ZINC_E_NOTFOUND);
	assert_false(exists("d/none"));
	rig_close(&rig);
}

static void
deletes_are_durable(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	put_text(rig.store, "a/b/k", "v");
	put_text(rig.store, "a/b/l", "v");
	sweep_calls_forget(&rig.calls);
	assert_ok(zinc_store_del(rig.store, NULL, "a/b/k", NULL, 0, NULL, &err));
	assert_string_equal(rig_story(&rig), "lock(k.__lock) unlink(k) unlink(k.__lock) unlock(k.__lock) sync(a/b)");
	sweep_calls_forget(&rig.calls);
	assert_ok(zinc_store_del(rig.store, NULL, "a/b/l", NULL, 0, NULL, &err));
	/* both directories are removed, so only the root must be synced */
	assert_string_equal(rig_story(&rig),
			    "lock(l.__lock) unlink(l) unlink(l.__lock) unlock(l.__lock) unlink(b) unlink(a) "
			    "sync(.)");
	sweep_calls_forget(&rig.calls);
	assert_ok(zinc_store_del(rig.store, NULL, "a/b/l", NULL, 0, NULL, &err));
	assert_string_equal(rig_story(&rig), ""); /* nothing there: no lock, no change */
	rig_close(&rig);
}

/* The remaining directory above the prefix records its removal; a directory that is still open but removed does not. */
static void
erased_prefixes_are_durable(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	put_text(rig.store, "x/a/b/c/k", "v");
	put_text(rig.store, "x/k", "v");
	sweep_calls_forget(&rig.calls);
	assert_ok(zinc_store_del_prefix(rig.store, "x/a/b/", 0, NULL, &err));
	assert_string_equal(rig_story(&rig),
			    "lock(k.__lock) unlink(k) unlink(k.__lock) unlock(k.__lock) unlink(c) unlink(b) unlink(a) "
			    "sync(x)");
	assert_string_equal(tree("d"), "warm x/ x/k");
	rig_close(&rig);
}

static void
relaxed_waits_for_sync(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, ZINC_STORE_OPTIONS(.relaxed = 1));
	put_text(rig.store, "a/b/k", "v");
	put_text(rig.store, "a/b/l", "v");
	put_text(rig.store, "top", "v");
	assert_ok(zinc_store_del(rig.store, NULL, "top", NULL, 0, NULL, &err));
	assert_int_equal(rig_count(&rig, "fsync"), 0);
	assert_ok(zinc_store_sync(rig.store, NULL, &err));
	/* a/b/k, a/b/l, the root (where "top" was), a/b; then where directories were made: the root and a */
	assert_int_equal(rig_count(&rig, "fsync"), 6);
	sweep_calls_forget(&rig.calls);
	assert_ok(zinc_store_sync(rig.store, NULL, &err));
	assert_int_equal(rig_count(&rig, "fsync"), 0);
	rig_close(&rig);
}

/* The next sync covers what a failed one did not reach; lost data is never reported as durable. */
static void
a_failed_sync_is_not_forgotten(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, ZINC_STORE_OPTIONS(.relaxed = 1));
	put_text(rig.store, "a/k", "v");
	put_text(rig.store, "b/k", "v");
	sweep_calls_forget(&rig.calls);
	rig.calls.only = "read_dir"; /* the files of a cannot be found */
	sweep_calls_fail(&rig.calls, 1, false, EMFILE);
	assert_int_equal(zinc_store_sync(rig.store, NULL, &err), ZINC_E_IO);
	sweep_calls_forget(&rig.calls);
	rig.calls.only = NULL;
	sweep_calls_fail(&rig.calls, 0, false, 0);
	err = (zinc_error)ZINC_ERROR_INIT;
	assert_ok(zinc_store_sync(rig.store, NULL, &err));
	assert_true(sweep_calls_find(&rig.calls, 0, "open_at", "k") >= 0);
	assert_int_equal(rig_count(&rig, "fsync"), 2); /* a/k and a; b was done */
	put_text(rig.store, "a/k", "w");
	put_text(rig.store, "b/k", "w");
	rig.calls.only = "fsync";
	sweep_calls_fail(&rig.calls, 1, false, EIO); /* of a/k */
	assert_int_equal(zinc_store_sync(rig.store, NULL, &err), ZINC_E_IO);
	sweep_calls_fail(&rig.calls, 0, false, 0);
	assert_int_equal(zinc_store_sync(rig.store, NULL, &err), ZINC_E_UNCERTAIN);
	assert_int_equal(zinc_store_sync(rig.store, NULL, &err), ZINC_E_UNCERTAIN);
	rig_close(&rig);
}

/* A durable put below a directory that a relaxed one made must not rest on sand. */
static void
durable_below_relaxed(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	assert_ok(zinc_store_put(rig.store, NULL, "a/b/k", "v", 1, NULL, ZINC_PUT_RELAXED, NULL, NULL, &err));
	assert_int_equal(rig_count(&rig, "fsync"), 0);
	put_text(rig.store, "a/b/l", "v");
	assert_int_equal(rig_count(&rig, "fsync"), 4); /* the file, a/b, a, the root */
	rig_close(&rig);
}

/* ---- promise 3: what fails ---- */

/* Calls of a put, one by one: its status, and that the old value still exists. */
static void
old_value_stays(void **state)
{
	static const struct {
		const char *call;
		int errnum;
		zinc_status want;
	} rows[] = {
	    {"writev", EIO, ZINC_E_IO},           {"writev", ENOSPC, ZINC_E_IO},
	    {"writev", EDQUOT, ZINC_E_IO},        {"fsync", EIO, ZINC_E_IO},
	    {"fsync", ENOSPC, ZINC_E_IO},         {"renameat", EIO, ZINC_E_IO},
	    {"renameat", EROFS, ZINC_E_READONLY}, {"futimens", EIO, ZINC_E_IO},
	    {"lock", ENOLCK, ZINC_E_IO},          {"fstat", EIO, ZINC_E_IO},
	    {"fstatat", EIO, ZINC_E_IO},
	};
	const size_t held = 8; /* rows */
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;
	size_t i;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	put_text(rig.store, "a/k", "old");
	for (i = 0; i < COUNT(rows); i++) {
		sweep_calls_forget(&rig.calls);
		rig.calls.only = rows[i].call;
		sweep_calls_fail(&rig.calls, 1, false, rows[i].errnum);
		assert_int_equal(zinc_store_put(rig.store, NULL, "a/k", "new", 3, NULL, 0, NULL, NULL, &err),
				 rows[i].want);
		assert_int_equal(rig.calls.failed, 1);
		assert_string_equal(err.key, "a/k");
		assert_string_equal(err.url, "d");
		rig.calls.only = NULL;
		sweep_calls_fail(&rig.calls, 0, false, 0);
		assert_text(rig.store, "a/k", "old");
		/* a lock file is left only if it could not be locked */
		assert_string_equal(tree("d"), i < held ? "a/ a/k warm" : "a/ a/k a/k.__lock warm");
	}
	put_text(rig.store, "a/k", "new");
	assert_text(rig.store, "a/k", "new");
	rig_close(&rig);
}

static void
a_failed_fsync_is_never_retried(void **state)
{
	fs_rig rig;
	size_t i;
	int tries = 0;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	rig.calls.only = "fsync";
	sweep_calls_fail(&rig.calls, 1, false, EINTR);
	assert_int_equal(zinc_store_put(rig.store, NULL, "k", "v", 1, NULL, 0, NULL, NULL, NULL), ZINC_E_IO);
	for (i = 0; i < rig.calls.nlog; i++)
		tries += strcmp(rig.calls.log[i].name, "fsync") == 0;
	assert_int_equal(tries, 1);
	assert_missing(rig.store, "k");
	rig_close(&rig);
}

static void
an_unsynced_directory_is_uncertain(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	rig.calls.only = "fsync";
	sweep_calls_fail(&rig.calls, 2, false, EIO); /* the file's succeeds */
	assert_int_equal(zinc_store_put(rig.store, NULL, "k", "v", 1, NULL, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	assert_int_equal(err.code, ZINC_E_UNCERTAIN);
	assert_text(rig.store, "k", "v");
	sweep_calls_fail(&rig.calls, 1, false, EIO);
	assert_int_equal(zinc_store_del(rig.store, NULL, "k", NULL, 0, NULL, &err), ZINC_E_UNCERTAIN);
	rig_close(&rig);
}

/* A file system that has shut down fails in fstat, although fsync of a directory succeeds. */
static void
a_sync_is_believed_only_of_a_living_file_system(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;
	size_t i, n = 0;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	rig.calls.only = "fstat";
	sweep_calls_forget(&rig.calls);
	assert_int_equal(zinc_store_put(rig.store, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_OK);
	for (i = 0; i < rig.calls.nlog; i++)
		n += strcmp(rig.calls.log[i].name, "fstat") == 0;
	sweep_calls_fail(&rig.calls, n, false, EIO);
	assert_int_equal(zinc_store_put(rig.store, NULL, "l", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	rig.calls.only = NULL;
	rig_close(&rig);
}

static void
a_failed_close_is_uncertain(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	warm_up(&rig);
	rig.calls.only = "close";
	sweep_calls_fail(&rig.calls, 1, false, EIO);
	assert_int_equal(zinc_store_put(rig.store, NULL, "k", "v", 1, NULL, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	rig.calls.only = NULL;
	rig_close(&rig);
}

/* ---- promise 6: tags are never reused ---- */

static zinc_os odd_clock;
static time_t granularity; /* seconds; 0: nanoseconds */

static int
frozen_clock(const zinc_os *self, int id, struct timespec *now)
{
	(void)self, (void)id;
	now->tv_sec = 1000000000;
	now->tv_nsec = 5;
	return 0;
}

static int
coarse_futimens(const zinc_os *self, int fd, const struct timespec times[2])
{
	struct timespec t[2] = {times[0], times[1]};

	(void)self;
	if (granularity) {
		t[1].tv_sec -= t[1].tv_sec % granularity;
		t[1].tv_nsec = 0;
	}
	return futimens(fd, t);
}

static void
check_tags_differ(time_t unit)
{
	enum { N = 20 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tags[N];
	struct stat st;
	fs_rig rig;
	int i, j;

	granularity = unit;
	odd_clock = zinc_os_posix;
	odd_clock.clock = frozen_clock;
	odd_clock.futimens = coarse_futimens;
	make_empty("d");
	rig_open(&rig, "d", &odd_clock, ZINC_STORE_OPTIONS(.relaxed = 1));
	for (i = 0; i < N; i++) {
		assert_ok(zinc_store_put(rig.store, NULL, "k", "same", 4, NULL, 0, &tags[i], NULL, &err));
		for (j = 0; j < i; j++)
			assert_memory_not_equal(tags[i].b + 16, tags[j].b + 16, 16); /* the time alone */
		if (i % 4 == 0)
			assert_ok(zinc_store_del(rig.store, NULL, "k", NULL, 0, NULL, &err));
	}
	assert_int_equal(stat("d/k", &st), 0);
	assert_true(st.st_mtime < 1000000000 + 3 * N);
	rig_close(&rig);
}

static void
tags_differ_though_the_clock_stands(void **state)
{
	(void)state;
	check_tags_differ(0);
	check_tags_differ(1); /* as ext3 */
	check_tags_differ(2); /* as FAT */
}

/* A value from the future is replaced by a later one; a deleted one does not drag others with it. */
static void
tags_grow_past_the_future(void **state)
{
	struct timespec future[2] = {{0, UTIME_OMIT}, {4000000000, 7}};
	zinc_error err = ZINC_ERROR_INIT;
	struct stat st;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, ZINC_STORE_OPTIONS(.relaxed = 1));
	put_text(rig.store, "k", "v");
	assert_int_equal(utimensat(AT_FDCWD, "d/k", future, 0), 0);
	put_text(rig.store, "k", "v");
	assert_int_equal(stat("d/k", &st), 0);
	assert_int_equal(st.st_mtim.tv_sec, 4000000000);
	assert_int_equal(st.st_mtim.tv_nsec, 8);
	assert_ok(zinc_store_del(rig.store, NULL, "k", NULL, 0, NULL, &err));
	put_text(rig.store, "l", "v");
	assert_int_equal(stat("d/l", &st), 0);
	assert_true(st.st_mtim.tv_sec < 4000000000);
	rig_close(&rig);
}

/* ---- sweeps ---- */

static void
fresh_directory(void *arg)
{
	(void)arg;
	make_empty("d");
	assert_int_equal(mkdir("d/a", 0777), 0);
	write_file("d/a/k", "old");
	write_file("d/a/gone", "old");
	assert_int_equal(mkdir("d/e", 0777), 0);
	write_file("d/e/last", "old");
	write_file("d/a/l.__lock", "leftover");
}

static zinc_status
open_in(zinc_store **s, zinc_context *ctx, zinc_error *err)
{
	return zinc_store_open(s, "d", ZINC_STORE_OPTIONS(.context = ctx), err);
}

static zinc_status
append_x(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	char *buf = (char *)arg;

	(void)err;
	if (old)
		memcpy(buf, old, nold);
	buf[nold] = 'x';
	out->bytes = buf;
	out->nbytes = nold + 1;
	return ZINC_OK;
}

/* One of each change. */
static zinc_status
change_everything(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_store *s = NULL;
	char buf[64];
	zinc_status st = open_in(&s, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "a/k", "new value", 9, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "a/l", "new", 3, &(zinc_condition){ZINC_ABSENT, NULL}, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "b/c/k", "new", 3, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_del(s, NULL, "a/gone", NULL, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_del(s, NULL, "e/last", NULL, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_update(s, "a/k", append_x, buf, 0, 0, 0, NULL, err);
	zinc_store_close(s);
	return st;
}

static zinc_status
change_in_a_group(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char *const keys[] = {"a/k", "a/l", "b/c/k", "b/d/k", "n"};
	zinc_put_group *g = NULL;
	zinc_store *s = NULL;
	zinc_status st = open_in(&s, ctx, err), committed;
	zinc_error e = ZINC_ERROR_INIT;
	size_t i;

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_put_begin(s, &g, 0, NULL, err);
	for (i = 0; st == ZINC_OK && i < COUNT(keys); i++)
		st = zinc_store_put(s, g, keys[i], "new value", 9, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_del(s, g, "e/last", NULL, 0, NULL, err);
	if (g) {
		committed = zinc_store_commit(s, g, NULL, NULL, NULL, &e);
		if (st == ZINC_OK && committed != ZINC_OK)
			st = zinc_error_copy(err, &e);
	}
	zinc_store_close(s);
	return st;
}

static zinc_status
change_relaxed_and_sync(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_store *s = NULL;
	zinc_status st = open_in(&s, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "a/k", "new value", 9, NULL, ZINC_PUT_RELAXED, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "b/c/k", "new", 3, NULL, ZINC_PUT_RELAXED, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_sync(s, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_del_prefix(s, "a/", ZINC_PUT_RELAXED, NULL, err);
	zinc_store_close(s);
	return st;
}

/* Old or new, whole; and everything works again. */
static void
check_old_or_new(void *arg, zinc_status st)
{
	const char *text = read_text("d/a/k");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)arg, (void)st;
	if (text && strcmp(text, "old") != 0 && strcmp(text, "new value") != 0 && strcmp(text, "new valuex") != 0)
		fail_msg("a/k is \"%s\"", text);
	assert_true(exists("d/a/k") || arg);
	text = read_text("d/b/c/k");
	if (text)
		assert_int_equal(strncmp(text, "new", 3), 0);
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	put_text(s, "a/k", "again");
	put_text(s, "a/l", "again");
	put_text(s, "b/c/k", "again");
	put_text(s, "e/last", "again");
	assert_ok(zinc_store_del_prefix(s, "", 0, NULL, &err));
	zinc_store_close(s);
	assert_string_equal(tree("d"), "");
}

static void
every_failing_call_leaves_old_or_new(void **state)
{
	static const int errnums[] = {EIO, ENOSPC, EINTR, EACCES, EMFILE, EDQUOT, 0}, none[] = {ENOENT, 0};
	static const sweep_fn runs[] = {change_everything, change_in_a_group, change_relaxed_and_sync};
	unsigned long points = 0;
	size_t i;

	(void)state;
	enter_fast_dir();
	for (i = 0; i < COUNT(runs); i++) {
		sweep_scenario s = {.run = runs[i],
				    .before = fresh_directory,
				    .after = check_old_or_new,
				    .arg = i == 2 ? &points : NULL};

		points += sweep_os_scenario(&s, getenv("ZINC_QUICK") ? errnums + COUNT(errnums) - 2 : errnums);
		points += sweep_alloc_scenario(&s);
		s.after = NULL; /* reporting a missing key means that there is no old value */
		points += sweep_os_scenario(&s, none);
	}
	leave_fast_dir();
	print_message("%lu failure points\n", points);
	assert_true(points > 400);
}

/* Never ZINC_OK without the new value in place. */
static void
success_means_done(void **state)
{
	fs_rig rig;
	unsigned long at;
	zinc_status st;

	(void)state;
	for (at = 1;; at++) {
		make_empty("d");
		rig_open(&rig, "d", NULL, NULL);
		warm_up(&rig);
		put_text(rig.store, "a/k", "old");
		sweep_calls_fail(&rig.calls, at, false, EIO);
		st = zinc_store_put(rig.store, NULL, "a/k", "new", 3, NULL, 0, NULL, NULL, NULL);
		if (rig.calls.failed == 0)
			at = 0;
		sweep_calls_fail(&rig.calls, 0, false, 0);
		if (st == ZINC_OK)
			assert_string_equal(read_text("d/a/k"), "new");
		else if (st != ZINC_E_UNCERTAIN)
			assert_string_equal(read_text("d/a/k"), "old");
		rig_close(&rig);
		if (at == 0)
			break;
	}
	assert_int_equal(st, ZINC_OK);
}

/* ---- a full disk ---- */

static void
full_disk_keeps_old_values(void **state)
{
	enum { BIG = 300000 };
	char *big = (char *)calloc(1, BIG);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_status st = ZINC_OK;
	char key[32];
	int i, refused = 0;

	(void)state;
	make_empty("full");
	if (mount("none", "full", "tmpfs", 0, "size=1m") != 0) {
		print_message("SKIPPED: no right to mount a small tmpfs\n");
		free(big);
		skip();
	}
	assert_ok(zinc_store_open(&s, "full", NULL, &err));
	put_text(s, "kept", "old");
	for (i = 0; i < 10; i++) {
		snprintf(key, sizeof key, "d%d/k", i);
		st = zinc_store_put(s, NULL, key, big, BIG, NULL, 0, NULL, NULL, &err);
		if (st != ZINC_OK) {
			assert_int_equal(st, ZINC_E_IO);
			assert_non_null(strstr(err.text, "No space left"));
			assert_missing(s, key);
			refused++;
		}
	}
	assert_in_range(refused, 7, 8);
	assert_int_equal(zinc_store_put(s, NULL, "kept", big, BIG, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_text(s, "kept", "old");
	assert_int_equal(zinc_store_scrub(s, "", 0, NULL, NULL, NULL, &err),
			 ZINC_OK); /* no leftovers, or NULL would be called */
	assert_ok(zinc_store_del(s, NULL, "d0/k", NULL, 0, NULL, &err));
	assert_ok(zinc_store_put(s, NULL, "kept", big, BIG, NULL, 0, NULL, NULL, &err)); /* there is room again */
	assert_value(s, "kept", big, BIG);
	zinc_store_close(s);
	free(big);
	assert_int_equal(umount("full"), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(open_file_keeps_the_old_value),
	    cmocka_unit_test(order_of_a_put),
	    cmocka_unit_test(new_directories_are_synced_too),
	    cmocka_unit_test(the_root_is_made_durably),
	    cmocka_unit_test(deletes_are_durable),
	    cmocka_unit_test(erased_prefixes_are_durable),
	    cmocka_unit_test(relaxed_waits_for_sync),
	    cmocka_unit_test(a_failed_sync_is_not_forgotten),
	    cmocka_unit_test(durable_below_relaxed),
	    cmocka_unit_test(old_value_stays),
	    cmocka_unit_test(a_failed_fsync_is_never_retried),
	    cmocka_unit_test(an_unsynced_directory_is_uncertain),
	    cmocka_unit_test(a_sync_is_believed_only_of_a_living_file_system),
	    cmocka_unit_test(a_failed_close_is_uncertain),
	    cmocka_unit_test(tags_differ_though_the_clock_stands),
	    cmocka_unit_test(tags_grow_past_the_future),
	    cmocka_unit_test(every_failing_call_leaves_old_or_new),
	    cmocka_unit_test(success_means_done),
	    cmocka_unit_test(full_disk_keeps_old_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
