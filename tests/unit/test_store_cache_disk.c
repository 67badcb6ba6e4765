/*
 * test_store_cache_disk.c - the cache's files: damage, killed processes, limits, hostile directories
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/store_cache.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/random.h"
#include "support/test.h"

static const uint8_t me[ZINC_HASH_BYTES] = {1, 2, 3};
static const cached_range whole = {CACHED_WHOLE, 0, 0};
static int warnings;

static void
count_warning(void *arg, const char *where, const char *text)
{
	(void)arg, (void)where, (void)text;
	warnings++;
}

static zinc_context *
context(void)
{
	static zinc_context *ctx;
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	o.warn = count_warning;
	if (!ctx)
		assert_ok(zinc_context_new(&ctx, &o, &err));
	return ctx;
}

static void
open_disk(cached_disk *d, const char *dir, uint64_t limit)
{
	memset(d, 0, sizeof *d);
	zinc_cached_disk_open(d, context(), dir, limit, "https://example.org", me);
}

static void
add(cached_disk *d, const char *key, const cached_range *range, const void *bytes, size_t n)
{
	const struct iovec iov = {(void *)(uintptr_t)bytes, n};
	cached_about a = {.tag = {3, "tag"}, .object_size = n, .nbytes = n, .checked = 1000};

	if (range->form == CACHED_PART) {
		a.object_size = 1000;
		a.offset = range->offset;
	}
	zinc_cached_disk_add(d, key, range, &a, &iov, 1);
}

/* NULL: it is not there; else it must be these bytes. */
static bool
has(cached_disk *d, const char *key, const cached_range *range, const void *bytes, size_t n)
{
	cached_about a;
	uint8_t *got = zinc_cached_disk_load(d, key, range, &a, NULL, 0);

	if (!got)
		return false;
	assert_int_equal(a.nbytes, n);
	assert_int_equal(a.checked, 1000);
	assert_int_equal(a.tag.n, 3);
	if (n)
		assert_memory_equal(got, bytes, n);
	zinc_free(context(), got);
	return true;
}

/* (1) Only the generation that was confirmed is marked so. */
static void
confirmed(void **state)
{
	const zinc_tag same = {3, "tag"}, other = {3, "old"};
	cached_about a;
	cached_disk d;

	(void)state;
	make_empty("d");
	open_disk(&d, "d", ZINC_MIB);
	add(&d, "a", &whole, "first", 5);
	zinc_free(context(), zinc_cached_disk_load(&d, "a", &whole, &a, &other, 2000));
	assert_true(zinc_cached_disk_find(&d, "a", &whole, &a));
	assert_int_equal(a.checked, 1000);
	zinc_free(context(), zinc_cached_disk_load(&d, "a", &whole, &a, &same, 2000));
	assert_true(zinc_cached_disk_find(&d, "a", &whole, &a));
	assert_int_equal(a.checked, 2000);
	zinc_free(context(), zinc_cached_disk_load(&d, "a", &whole, &a, &same, 1500));
	assert_true(zinc_cached_disk_find(&d, "a", &whole, &a));
	assert_int_equal(a.checked, 2000);
	zinc_cached_disk_close(&d);
}

static void *
open_fresh(void *arg)
{
	cached_disk *d = (cached_disk *)arg;

	zinc_cached_disk_open(d, context(), "fresh", ZINC_MIB, "https://example.org", me);
	return NULL;
}

/* (6) The lock is one of open files, so threads stand for processes. */
static void
one_salt(void **state)
{
	enum { N = 8 };
	cached_disk d[N];
	pthread_t threads[N];
	int i, k;

	(void)state;
	for (k = 0; k < MANY(50); k++) {
		make_empty("fresh");
		memset(d, 0, sizeof d);
		for (i = 0; i < N; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, open_fresh, &d[i]), 0);
		for (i = 0; i < N; i++)
			pthread_join(threads[i], NULL);
		for (i = 0; i < N; i++) {
			assert_int_not_equal(d[i].root, -1);
			assert_memory_equal(d[i].id, d[0].id, ZINC_HASH_BYTES);
		}
		for (i = 0; i < N; i++)
			zinc_cached_disk_close(&d[i]);
	}
}

/* (1) (5) */
static void
as_added(void **state)
{
	static const uint8_t other[ZINC_HASH_BYTES] = {1, 2, 4};
	const cached_range part = {CACHED_PART, 10, 5}, from = {CACHED_FROM, 10, 0};
	cached_disk d, e;

	(void)state;
	make_empty("d");
	open_disk(&d, "d", ZINC_MIB);
	add(&d, "a", &whole, "first", 5);
	add(&d, "a", &part, "parts", 5);
	add(&d, "empty", &whole, "", 0);
	assert_true(has(&d, "a", &whole, "first", 5));
	assert_true(has(&d, "a", &part, "parts", 5));
	assert_true(has(&d, "empty", &whole, "", 0));
	assert_false(has(&d, "a", &from, "", 0));
	assert_false(has(&d, "b", &whole, "", 0));
	add(&d, "a", &whole, "second", 6);
	assert_true(has(&d, "a", &whole, "second", 6));
	memset(&e, 0, sizeof e);
	zinc_cached_disk_open(&e, context(), "d", ZINC_MIB, "https://example.org", other);
	assert_false(has(&e, "a", &whole, "", 0));
	zinc_cached_disk_close(&e);
	open_disk(&e, "d", ZINC_MIB); /* as another process */
	assert_true(has(&e, "a", &whole, "second", 6));
	zinc_cached_disk_drop(&e, "a", &whole);
	zinc_cached_disk_close(&e);
	assert_false(has(&d, "a", &whole, "", 0));
	zinc_cached_disk_close(&d);
}

/* The path of the only file; in static memory. */
static const char *
only_file(const char *dir)
{
	static char path[256];
	const char *at = tree(dir), *end;

	for (; *at; at = end + (*end == ' ')) {
		end = at + strcspn(at, " ");
		if (end[-1] != '/' && (size_t)(end - at) > 30 && !memchr(at, '-', (size_t)(end - at))) {
			snprintf(path, sizeof path, "%s/%.*s", dir, (int)(end - at), at);
			return path;
		}
	}
	fail();
	return NULL;
}

static size_t
read_file(const char *path, uint8_t *bytes, size_t room)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, bytes, room);

	assert_true(fd != -1 && n >= 0);
	close(fd);
	return (size_t)n;
}

/* (1) Every bit, every length, and longer: never an answer, and the file is removed. */
static void
damaged(void **state)
{
	uint8_t bytes[512];
	cached_disk d;
	char path[256];
	size_t n, i;

	(void)state;
	make_empty("d");
	open_disk(&d, "d", ZINC_MIB);
	add(&d, "a", &whole, "first", 5);
	snprintf(path, sizeof path, "%s", only_file("d"));
	n = read_file(path, bytes, sizeof bytes - 1);
	for (i = 0; i < 8 * n; i++) {
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		write_bytes(path, bytes, n);
		assert_false(has(&d, "a", &whole, "", 0));
		assert_false(exists(path));
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	for (i = 0; i < n; i++) {
		write_bytes(path, bytes, i);
		assert_false(has(&d, "a", &whole, "", 0));
		assert_false(exists(path));
	}
	write_bytes(path, bytes, n + 1);
	assert_false(has(&d, "a", &whole, "", 0));
	add(&d, "b", &whole, "other", 5); /* another key's file under this name */
	assert_int_equal(rename(only_file("d"), path), 0);
	assert_false(has(&d, "a", &whole, "", 0));
	assert_false(exists(path));
	zinc_cached_disk_close(&d);
}

/* ---- killed ---- */

static void
fill_for_ever(int seed)
{
	static uint8_t bytes[20000];
	cached_disk d;
	char key[16];
	size_t n;

	open_disk(&d, "killed", 64 * ZINC_MIB);
	for (random_seed((uint64_t)seed);;) {
		const unsigned k = (unsigned)random_below(50);

		n = 1000 + 300 * (size_t)k;
		memset(bytes, (int)k, n);
		snprintf(key, sizeof key, "%u", k);
		add(&d, key, &whole, bytes, n);
	}
}

/* (2) */
static void
killed(void **state)
{
	static uint8_t bytes[20000];
	const int many = MANY(500);
	char key[16];
	cached_disk d;
	int i, k, found = 0;

	(void)state;
	make_empty("killed");
	for (i = 0; i < many; i++) {
		pid_t child = fork();

		if (child == 0)
			fill_for_ever(i + 1);
		usleep((useconds_t)(1000 + random_below(4000)));
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		open_disk(&d, "killed", 64 * ZINC_MIB);
		for (k = 0; k < 50; k++) {
			memset(bytes, k, sizeof bytes);
			snprintf(key, sizeof key, "%d", k);
			found += has(&d, key, &whole, bytes, 1000 + 300 * (size_t)k);
		}
		zinc_cached_disk_close(&d);
	}
	assert_true(found > many);
}

/* ---- limits ---- */

/* Bytes of all files below dir/v1/xx, in units of 4 KiB. */
static uint64_t
bytes_below(const char *dir)
{
	uint64_t total = 0;
	struct dirent *e;
	char path[512];
	struct stat st;
	DIR *all;
	int i;

	for (i = 0; i < 256; i++) {
		snprintf(path, sizeof path, "%s/v1/%02x", dir, (unsigned)i);
		all = opendir(path);
		while (all && (e = readdir(all))) {
			snprintf(path, sizeof path, "%s/v1/%02x/%.200s", dir, (unsigned)i, e->d_name);
			if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
				total += ((uint64_t)st.st_size + 4095) / 4096 * 4096;
		}
		if (all)
			closedir(all);
	}
	return total;
}

enum { WRITERS = 8, LIMIT = 2 << 20, LARGEST = LIMIT / 16 - 4096 };

static void
fill_some(int seed, int times)
{
	static uint8_t bytes[LARGEST];
	cached_disk d;
	char key[32];
	int i;

	open_disk(&d, "limit", LIMIT);
	random_seed((uint64_t)seed);
	for (i = 0; i < times; i++) {
		snprintf(key, sizeof key, "%d %d", seed, i);
		add(&d, key, &whole, bytes, (size_t)random_below(random_below(4) ? 5000 : LARGEST));
		zinc_cached_disk_sweep(&d, NULL);
	}
	zinc_cached_disk_close(&d);
}

/* (S1) Eight processes; each also is many short ones. */
static void
limit(void **state)
{
	const int times = MANY(2000);
	uint64_t most = 0, now;
	pid_t children[WRITERS];
	int i, left = WRITERS;

	(void)state;
	make_empty("limit");
	for (i = 0; i < WRITERS; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			for (i = 0; i < 10; i++)
				fill_some((int)getpid() * 10 + i, times / 10);
			leave_child(0);
		}
	}
	while (left > 0) {
		now = bytes_below("limit");
		most = now > most ? now : most;
		if (waitpid(-1, NULL, WNOHANG) > 0)
			left--;
	}
	assert_true(most <= LIMIT + WRITERS * (LARGEST + 4096));
	assert_true(bytes_below("limit") <= LIMIT);
	assert_true(times < 100 || most > LIMIT / 2);
}

/* (S2) */
static void
oldest_first(void **state)
{
	static uint8_t bytes[8000];
	char key[16];
	cached_disk d;
	int i, gone = 0;

	(void)state;
	make_empty("d");
	open_disk(&d, "d", ZINC_MIB);
	for (i = 0; i < 200; i++) {
		snprintf(key, sizeof key, "%d", i);
		add(&d, key, &whole, bytes, sizeof bytes);
		assert_true(has(&d, "0", &whole, bytes, sizeof bytes)); /* used all the time */
		zinc_cached_disk_sweep(&d, NULL);
		usleep(500);
	}
	for (i = 1; i < 200; i++) {
		snprintf(key, sizeof key, "%d", i);
		if (!has(&d, key, &whole, bytes, sizeof bytes))
			gone = i;
	}
	assert_true(gone > 60 && gone < 160);
	for (i = 1; i < gone - 20; i++) {
		snprintf(key, sizeof key, "%d", i);
		assert_false(has(&d, key, &whole, bytes, sizeof bytes));
	}
	zinc_cached_disk_close(&d);
}

/* What no process may take part in: nothing is written while a sweep is overdue. */
static void
overdue(void **state)
{
	static uint8_t bytes[8000];
	char key[16];
	cached_disk d;
	int i;

	(void)state;
	make_empty("d");
	open_disk(&d, "d", ZINC_MIB);
	for (i = 0; i < 200; i++) {
		snprintf(key, sizeof key, "%d", i);
		add(&d, key, &whole, bytes, sizeof bytes);
	}
	assert_true(bytes_below("d") <= ZINC_MIB / 8);
	zinc_cached_disk_sweep(&d, NULL);
	add(&d, "later", &whole, bytes, sizeof bytes);
	assert_true(has(&d, "later", &whole, bytes, sizeof bytes));
	zinc_cached_disk_close(&d);
}

static int64_t ahead; /* of the real clock, in seconds */

static int
late_clock(const zinc_os *self, int id, struct timespec *now)
{
	(void)self;
	if (clock_gettime((clockid_t)id, now) != 0)
		return -1;
	now->tv_sec += ahead;
	return 0;
}

/* (S3) Not before: it may be in use. */
static void
leftovers(void **state)
{
	zinc_os os = zinc_os_posix;
	char path[256], left[300];
	cached_disk d;
	int pass;

	(void)state;
	make_empty("d");
	os.clock = late_clock;
	zinc_context_set_os(context(), &os);
	open_disk(&d, "d", ZINC_MIB);
	add(&d, "a", &whole, "first", 5);
	snprintf(path, sizeof path, "%s", only_file("d"));
	snprintf(left, sizeof left, "%s.t1-2", path);
	write_file(left, "half");
	for (pass = 0; pass < 2; pass++) {
		ahead = pass ? 700 : 500;
		assert_true(zinc_cached_disk_room(&d, ZINC_MIB / 16));
		(void)zinc_cached_disk_room(&d, 1);
		zinc_cached_disk_sweep(&d, NULL);
		assert_int_equal(exists(left), pass == 0);
		assert_true(exists(path));
	}
	zinc_cached_disk_close(&d);
	zinc_context_set_os(context(), &zinc_os_posix);
	ahead = 0;
}

/* ---- hostile directories ---- */

/* Nothing may be written to it, with one warning. */
static void
assert_refused(const char *dir, const char *untouched)
{
	const int before = warnings;
	cached_disk d;

	open_disk(&d, dir, ZINC_MIB);
	add(&d, "a", &whole, "first", 5);
	add(&d, "b", &whole, "first", 5);
	zinc_cached_disk_set_changed(&d, 5);
	zinc_cached_disk_sweep(&d, NULL);
	assert_false(has(&d, "a", &whole, "first", 5));
	zinc_cached_disk_close(&d);
	assert_int_equal(warnings, before + 1);
	assert_string_equal(tree(untouched), "");
}

/* (3) (4) */
static void
refused(void **state)
{
	(void)state;
	make_empty("d");
	make_empty("d/v1");
	assert_int_equal(chmod("d/v1", 0750), 0);
	assert_refused("d", "d/v1");
	assert_int_equal(chmod("d/v1", 0701), 0);
	assert_refused("d", "d/v1");
	make_empty("d");
	make_empty("elsewhere");
	assert_int_equal(chmod("elsewhere", 0700), 0);
	assert_int_equal(symlink("../elsewhere", "d/v1"), 0);
	assert_refused("d", "elsewhere");
	write_file("file", "x");
	assert_refused("file", "elsewhere");
	assert_refused("file/d", "elsewhere");
	if (geteuid() == 0) {
		make_empty("d");
		make_empty("d/v1");
		assert_int_equal(chmod("d/v1", 0700), 0);
		assert_int_equal(chown("d/v1", 12345, 12345), 0);
		assert_refused("d", "d/v1");
	}
}

/* (3) Links in the place of a directory, a file, the ledger and the note of changes. */
static void
links(void **state)
{
	char path[256], moved[300], target[300];
	cached_disk d;

	(void)state;
	make_empty("d");
	make_empty("elsewhere");
	open_disk(&d, "d", ZINC_MIB);
	add(&d, "a", &whole, "first", 5);
	snprintf(path, sizeof path, "%s", only_file("d"));
	assert_int_equal(rename(path, "elsewhere/file"), 0);
	snprintf(target, sizeof target, "%s", "../../../elsewhere/file");
	assert_int_equal(symlink(target, path), 0);
	assert_false(has(&d, "a", &whole, "first", 5));
	assert_true(exists("elsewhere/file"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rename("elsewhere/file", path), 0);
	assert_true(has(&d, "a", &whole, "first", 5));
	path[strlen("d/v1/ab")] = '\0';
	snprintf(moved, sizeof moved, "elsewhere/ab");
	assert_int_equal(rename(path, moved), 0);
	assert_int_equal(symlink("../../elsewhere/ab", path), 0);
	assert_false(has(&d, "a", &whole, "first", 5));
	zinc_cached_disk_close(&d);
	assert_int_equal(unlink("d/v1/ledger"), 0);
	assert_int_equal(symlink("../../elsewhere/new", "d/v1/ledger"), 0);
	open_disk(&d, "d", ZINC_MIB);
	add(&d, "b", &whole, "first", 5);
	zinc_cached_disk_close(&d);
	assert_false(exists("elsewhere/new"));
}

/* (4) A FIFO, or a directory, in the place of a file does not block. */
static void
odd_files(void **state)
{
	char path[256];
	cached_disk d;

	(void)state;
	make_empty("d");
	open_disk(&d, "d", ZINC_MIB);
	add(&d, "a", &whole, "first", 5);
	snprintf(path, sizeof path, "%s", only_file("d"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(has(&d, "a", &whole, "first", 5));
	assert_false(exists(path));
	make_empty(path);
	assert_false(has(&d, "a", &whole, "first", 5));
	zinc_cached_disk_close(&d);
}

/* Cleared by the user while it is in use: one warning, no failure. */
static void
cleared(void **state)
{
	const int before = warnings;
	cached_disk d;

	(void)state;
	make_empty("d");
	open_disk(&d, "d", ZINC_MIB);
	add(&d, "a", &whole, "first", 5);
	remove_tree("d");
	assert_false(has(&d, "a", &whole, "first", 5));
	add(&d, "a", &whole, "first", 5);
	add(&d, "b", &whole, "first", 5);
	assert_false(has(&d, "a", &whole, "first", 5));
	zinc_cached_disk_close(&d);
	assert_int_equal(warnings, before + 1);
}

/* ---- changes ---- */

/* (4 of store_cache_get.c) Seen by others; the time never goes back. */
static void
changes(void **state)
{
	cached_disk d, e;

	(void)state;
	make_empty("d");
	open_disk(&d, "d", ZINC_MIB);
	open_disk(&e, "d", ZINC_MIB);
	assert_int_equal(zinc_cached_disk_changed(&e), 0);
	zinc_cached_disk_set_changed(&d, 5000000007);
	assert_int_equal(zinc_cached_disk_changed(&e), 5000000007);
	zinc_cached_disk_set_changed(&e, 4000000000);
	assert_int_equal(zinc_cached_disk_changed(&d), 5000000007);
	zinc_cached_disk_close(&e);
	zinc_cached_disk_close(&d);
}

/* Two processes, one store: what one reads, the other has; what one writes, the other sees within the age. */
static void
shared(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts counts = ZINC_STORE_COUNTS_INIT;
	zinc_store *base = NULL, *log = NULL, *cache = NULL;
	zinc_store_cache_options o = ZINC_STORE_CACHE_OPTIONS_INIT;
	int status, pass;
	pid_t child;

	(void)state;
	make_empty("shared");
	o.dir = "shared/cache";
	o.name = "n";
	o.age = 1000;
	o.memory_bytes = 1;
	assert_ok(zinc_store_open(&base, "shared/base", NULL, &err));
	assert_ok(zinc_store_log(&log, base, NULL, NULL, &err));
	assert_ok(zinc_store_cache(&cache, log, &o, &err));
	put_text(base, "a", "first");
	for (pass = 0; pass < 2; pass++) {
		child = fork();
		if (child == 0) {
			if (pass)
				put_text(cache, "a", "second");
			assert_text(cache, "a", pass ? "second" : "first");
			leave_child(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		zinc_store_log_counts(log, &counts);
		assert_int_equal(counts.get_requests, 0);
		assert_text(cache, "a", pass ? "second" : "first");
		zinc_store_log_counts(log, &counts);
		assert_int_equal(counts.get_requests, 0); /* the other process has asked */
	}
	child = fork();
	if (child == 0) {
		put_text(cache, "a", "third"); /* and does not read it */
		leave_child(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_text(cache, "a", "third");
	zinc_store_close(cache);
	zinc_store_close(log);
	zinc_store_close(base);
}

static int
tear_down(void **state)
{
	zinc_context_free(context());
	return tear_down_fast_dir(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(confirmed),    cmocka_unit_test(one_salt), cmocka_unit_test(as_added),
	    cmocka_unit_test(damaged),      cmocka_unit_test(killed),   cmocka_unit_test(limit),
	    cmocka_unit_test(oldest_first), cmocka_unit_test(overdue),  cmocka_unit_test(leftovers),
	    cmocka_unit_test(refused),      cmocka_unit_test(links),    cmocka_unit_test(odd_files),
	    cmocka_unit_test(cleared),      cmocka_unit_test(changes),  cmocka_unit_test(shared),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down);
}
