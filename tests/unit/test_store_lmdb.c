/*
 * test_store_lmdb.c - the conformance suite on databases, and the promises of store_lmdb.c and store_lmdb_meta.c, by
 * number
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_lmdb.h"
#include "support/conform_store.h"
#include "support/databases.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/kill_storm.h"
#include "support/test.h"

#if ZINC_WITH_LMDB

static zinc_store *
open_at(const char *file)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[256];

	snprintf(url, sizeof url, "lmdb://%s", file);
	assert_ok(zinc_store_open(&s, url, NULL, &err));
	return s;
}

/* ---- the suite: directories and files ---- */

static void
make(void *arg, conform_subject *out)
{
	static int number;
	char file[64];

	snprintf(file, sizeof file, "conform%d.lmdb", number++);
	if (arg)
		write_file(file, "");
	out->store = out->fill = open_at(file);
}

/* A new, empty place. */
static zinc_store *
open_new(const char *file)
{
	char command[256];

	snprintf(command, sizeof command, "rm -rf %s %s-lock", file, file);
	assert_int_equal(system(command), 0);
	return open_at(file);
}

static int
exit_of(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* ---- layout ---- */

static void
erasing_creates_nothing(void **state)
{
	zinc_store *s = open_new("nothing.lmdb");

	(void)state;
	assert_erasing_creates_nothing(s, "nothing.lmdb");
	zinc_store_close(s);
}

static void
layout_is_that_of_zarr_python(void **state)
{
	zinc_store *s = open_new("layout.lmdb");
	struct stat st;

	(void)state;
	assert_missing(s, "a");
	assert_int_equal(access("layout.lmdb", F_OK), -1); /* reading creates nothing */
	put_text(s, "a", "1");
	assert_int_equal(stat("layout.lmdb/data.mdb", &st), 0);
	zinc_store_close(s);
	s = open_at("layout.lmdb");
	assert_text(s, "a", "1");
	zinc_store_close(s);
}

static void
assert_bare(const char *path, const char *store, bool contained)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_place place;
	zinc_store *s;

	assert_ok(zinc_place_open(&place, path, NULL, &err));
	s = place.store;
	assert_string_equal(s->ops.name, store);
	assert_int_equal(place.contained, contained);
	zinc_place_fini(&place);
}

/* (1) of store_ending.c */
static void
bare_paths(void **state)
{
	zinc_store *s = open_new("bare.lmdb");

	(void)state;
	assert_bare("bare.lmdb/a", "lmdb", true); /* nothing is there */
	put_text(s, "a", "1");
	zinc_store_close(s);
	assert_bare("bare.lmdb/a", "lmdb", true);
	write_file("bare_file.lmdb", "");
	assert_bare("bare_file.lmdb/a", "lmdb", true);
	write_file("bare_plain.lmdb/zarr.json", "{}");
	assert_bare("bare_plain.lmdb/a", "fs", false);
	assert_int_equal(mkdir("bare_plain.lmdb/data.mdb", 0777), 0); /* not a file */
	assert_bare("bare_plain.lmdb/a", "fs", false);
}

/* ---- (1), (2) ---- */

static void
long_values_and_their_tags(void **state)
{
	zinc_store *s;

	(void)state;
	s = open_new("long.lmdb");
	assert_long_value(s);
	zinc_store_close(s);
}

static void
parts_have_the_tag_of_now(void **state)
{
	zinc_store *s = open_new("parts.lmdb"), *other = open_at("parts.lmdb");

	(void)state;
	assert_tags_of_parts(s, other, 300000);
	zinc_store_close(other);
	zinc_store_close(s);
}

/* ---- (4), (5) ---- */

/* More than the first map, in one call and in many, while a thread reads; another process grows it, too. */
static void *
read_often(void *arg)
{
	zinc_store *s = (zinc_store *)arg;
	zinc_blob b = ZINC_BLOB_INIT;
	int i;

	for (i = 0; i < 2000; i++) {
		if (zinc_store_get_all(s, "k", &b, NULL, 0, NULL, NULL) != ZINC_OK)
			return arg;
		zinc_blob_fini(&b);
	}
	return NULL;
}

static int
fill(zinc_store *s, char which, int n, size_t nbytes)
{
	uint8_t *bytes = (uint8_t *)calloc(nbytes, 1);
	char key[32];
	int i, bad = 0;

	for (i = 0; i < n; i++) {
		snprintf(key, sizeof key, "%c/%d", which, i);
		bytes[0] = (uint8_t)i;
		bad += zinc_store_put(s, NULL, key, bytes, nbytes, NULL, ZINC_PUT_RELAXED, NULL, NULL, NULL) != ZINC_OK;
	}
	free(bytes);
	return bad;
}

static void
the_map_grows(void **state)
{
	enum { MIB = 1 << 20 };
	zinc_store *s = open_new("grow.lmdb");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	void *failed;
	pthread_t t;
	pid_t pid;

	(void)state;
	put_text(s, "k", "small");
	assert_int_equal(pthread_create(&t, NULL, read_often, s), 0);
	assert_int_equal(fill(s, 'a', 9, 16 * MIB), 0);
	pthread_join(t, &failed);
	assert_null(failed);
	pid = fork();
	if (pid == 0)
		_exit(fill(s, 'b', 12, 16 * MIB));
	assert_int_equal(exit_of(pid), 0);
	assert_ok(zinc_store_get_all(s, "b/11", &b, NULL, 0, NULL, &err)); /* beyond this process's map */
	assert_int_equal(b.nbytes, 16 * MIB);
	assert_int_equal(((const uint8_t *)b.data)[0], 11);
	zinc_blob_fini(&b);
	assert_int_equal(fill(s, 'c', 2, 100 * MIB), 0);
	zinc_store_close(s);
	assert_int_equal(system("rm -rf grow.lmdb"), 0);
}

/* ---- (6) ---- */

static void
stores_share_one_environment(void **state)
{
	zinc_store *a = open_new("shared.lmdb"), *b = open_at("./shared.lmdb");

	(void)state;
	put_text(a, "k", "1");
	assert_text(b, "k", "1");
	put_text(b, "k", "2");
	zinc_store_close(a);
	assert_text(b, "k", "2");
	put_text(b, "k", "3");
	zinc_store_close(b);
}

/* Threads that make a database at the same moment open one environment: with two, writers would not exclude each
 * other. */
enum { STARTERS = 8 };

typedef struct starter {
	zinc_store *s;
	pthread_barrier_t *together;
	char key[8];
	bool failed;
} starter;

static void *
put_at_once(void *arg)
{
	starter *x = (starter *)arg;

	pthread_barrier_wait(x->together);
	x->failed = zinc_store_put(x->s, NULL, x->key, "v", 1, NULL, 0, NULL, NULL, NULL) != ZINC_OK;
	return NULL;
}

static void
start_together(const char *file)
{
	pthread_barrier_t together;
	starter all[STARTERS];
	pthread_t t[STARTERS];
	zinc_store *s = open_new(file);
	int i;

	assert_int_equal(pthread_barrier_init(&together, NULL, STARTERS), 0);
	for (i = 0; i < STARTERS; i++) {
		all[i] = (starter){.s = s, .together = &together};
		snprintf(all[i].key, sizeof all[i].key, "k%d", i);
		assert_int_equal(pthread_create(&t[i], NULL, put_at_once, &all[i]), 0);
	}
	for (i = 0; i < STARTERS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	for (i = 0; i < STARTERS; i++) {
		assert_false(all[i].failed);
		assert_text(s, all[i].key, "v");
	}
	pthread_barrier_destroy(&together);
	zinc_store_close(s);
}

static void
threads_open_one_environment(void **state)
{
	char file[32];
	int i;

	(void)state;
	for (i = 0; i < 40; i++) {
		snprintf(file, sizeof file, "start%d.lmdb", i);
		start_together(file);
	}
}

/* ---- (7) ---- */

static void
both_work_after_a_fork(void **state)
{
	zinc_store *s = open_new("fork.lmdb");
	int i, n = 0;

	(void)state;
	put_text(s, "k", "parent");
	for (i = 0; i < 4; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (i = 0; i < 20; i++)
				if (zinc_store_put(s, NULL, "child", "c", 1, NULL, 0, NULL, NULL, NULL) != ZINC_OK)
					_exit(1);
			zinc_store_close(s);
			_exit(0);
		}
		put_text(s, "k", "parent");
		n += exit_of(pid);
	}
	assert_int_equal(n, 0);
	assert_text(s, "child", "c");
	assert_text(s, "k", "parent");
	zinc_store_close(s);
}

/* ---- (8) ---- */

static void
read_only_places(void **state)
{
	zinc_store *s = open_new("locked.lmdb");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;
	pid_t pid;

	(void)state;
	put_text(s, "k", "1");
	zinc_store_close(s);
	assert_int_equal(system("rm locked.lmdb/lock.mdb && chmod 444 locked.lmdb/data.mdb && chmod 555 locked.lmdb"),
			 0);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(0);
		s = open_at("locked.lmdb");
		assert_text(s, "k", "1");
		zinc_store_caps(s, &caps);
		assert_false(caps.flags & (ZINC_CAP_WRITE | ZINC_CAP_UPDATE));
		assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_READONLY);
		zinc_store_close(s);
		_exit(0);
	}
	assert_int_equal(exit_of(pid), 0);
	assert_int_equal(system("chmod 755 locked.lmdb && rm -rf locked.lmdb"), 0);
}

/* Two processes that take turns. */
typedef struct turns {
	int told[2], done[2];
	char bytes[16];
	zinc_found found;
	zinc_status status;
} turns;

static void
pass_on(int fd)
{
	assert_int_equal(write(fd, "", 1), 1);
}

static void
wait_for(int fd)
{
	char c;

	assert_int_equal(read(fd, &c, 1), 1);
}

/* The value is found; before it is read the other process changes it. */
static zinc_room
room_after_a_change(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	turns *t = (turns *)arg;

	(void)i, (void)nbytes;
	pass_on(t->told[1]);
	wait_for(t->done[0]);
	*buf = t->bytes;
	return ZINC_ROOM_OK;
}

static void
note_found(void *arg, size_t i, const zinc_got *got)
{
	turns *t = (turns *)arg;

	(void)i;
	t->found = got->found;
	t->status = got->status;
}

static void
changes_are_seen_without_locks(void **state)
{
	zinc_store *s = open_new("unlocked.lmdb");
	zinc_error err = ZINC_ERROR_INIT;
	turns t = {.found = ZINC_MISSING};
	const zinc_sink sink = {sizeof sink, room_after_a_change, note_found, &t};
	const zinc_get r = get_range("k", 0, ZINC_TO_END);
	pid_t pid;

	(void)state;
	put_text(s, "k", "1");
	assert_int_equal(pipe(t.told) | pipe(t.done), 0);
	assert_int_equal(
	    system("rm unlocked.lmdb/lock.mdb && chmod 444 unlocked.lmdb/data.mdb && chmod 555 unlocked.lmdb"), 0);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(1);
		s = open_at("unlocked.lmdb");
		assert_ok(zinc_store_get(s, &r, 1, &sink, NULL, &err));
		_exit(t.found == ZINC_FAILED && t.status == ZINC_E_IO ? 0 : 2);
	}
	close(t.told[1]); /* a child that dies ends the wait */
	wait_for(t.told[0]);
	put_text(s, "k", "2");
	pass_on(t.done[1]);
	assert_int_equal(exit_of(pid), 0);
	zinc_store_close(s);
	assert_int_equal(system("chmod 755 unlocked.lmdb && rm -rf unlocked.lmdb"), 0);
}

/* ---- (4): writers of other processes ---- */

static zinc_status
change_slowly(void *arg, const void *old, size_t n, zinc_update *out, zinc_error *err)
{
	turns *t = (turns *)arg;

	(void)old, (void)n, (void)err;
	pass_on(t->told[1]);
	wait_for(t->done[0]);
	out->bytes = "3";
	out->nbytes = 1;
	return ZINC_OK;
}

static void
deadlines_hold_while_others_write(void **state)
{
	zinc_store *s = open_new("busy.lmdb");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_wait wait = ZINC_WAIT_INIT;
	turns t = {.found = ZINC_MISSING};
	double began;
	pid_t pid;

	(void)state;
	put_text(s, "k", "1");
	assert_int_equal(pipe(t.told) | pipe(t.done), 0);
	pid = fork();
	if (pid == 0)
		_exit(zinc_store_update(s, "k", change_slowly, &t, 0, 0, 0, NULL, &err) == ZINC_OK ? 0 : 1);
	close(t.told[1]);
	wait_for(t.told[0]);
	assert_text(s, "k", "1"); /* readers do not wait */
	began = zinc_now(zinc_context_get(NULL));
	wait.until = began + 0.2;
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, &wait, &err), ZINC_E_CANCELLED);
	assert_true(zinc_now(zinc_context_get(NULL)) - began < 60);
	pass_on(t.done[1]);
	assert_int_equal(exit_of(pid), 0);
	assert_text(s, "k", "3");
	put_text(s, "k", "4");
	assert_text(s, "k", "4");
	zinc_store_close(s);
}

/* ---- (9) ---- */

static void
replaced_databases_are_noticed(void **state)
{
	zinc_store *s = open_new("gone.lmdb");

	(void)state;
	put_text(s, "k", "1");
	assert_int_equal(system("rm -rf gone.lmdb"), 0);
	assert_missing(s, "k");
	put_text(s, "k", "2");
	assert_text(s, "k", "2");
	zinc_store_close(s);
}

/* (10) of store_file_look.c: a link in a circle is no missing file. */
static void
failures_are_not_missing(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = open_new("loop.lmdb");

	(void)state;
	put_text(s, "k", "1");
	assert_int_equal(system("mv loop.lmdb aside && ln -s loop.lmdb loop.lmdb"), 0);
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(system("rm loop.lmdb && mv aside loop.lmdb"), 0);
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* ---- names ---- */

static int
note_non_key(void *arg, const zinc_non_key *x)
{
	char *out = (char *)arg;
	size_t n = strlen(out);

	snprintf(out + n, 256 - n, "[%d %s]", (int)x->kind, x->key);
	return 0;
}

static int
note_entry(void *arg, const char *key, int is_prefix)
{
	char *out = (char *)arg;
	size_t n = strlen(out);

	snprintf(out + n, 256 - n, " %s%s", key, is_prefix ? "+" : "");
	return 0;
}

/* Put any bytes as a key, as another program may. */
static void
put_raw(MDB_env *env, const char *key, size_t n)
{
	MDB_val k = {n, (void *)(uintptr_t)key}, v = {1, (void *)(uintptr_t) "x"};
	MDB_txn *txn = NULL;
	MDB_dbi dbi;

	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, NULL, 0, &dbi), 0);
	assert_int_equal(mdb_put(txn, dbi, &k, &v, 0), 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
}

static void
names_that_are_no_keys(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char seen[256] = "", longest[512];
	zinc_lister level = {.size = sizeof level, .entry = note_entry, .non_key = note_non_key, .arg = seen};
	MDB_env *env = NULL;
	zinc_store *s;

	(void)state;
	memset(longest, 'q', sizeof longest);
	assert_int_equal(system("rm -rf odd.lmdb && mkdir odd.lmdb"), 0);
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_open(env, "odd.lmdb", 0, 0666), 0);
	put_raw(env, "/a", 2);
	put_raw(env, "b/c", 3);
	put_raw(env, "b\0d", 3);
	put_raw(env, longest, 511);
	put_raw(env, "z", 1);
	put_raw(env, "\xFF", 1);
	mdb_env_close(env);
	s = open_at("odd.lmdb");
	assert_ok(zinc_store_walk(s, "", &level, NULL, &err));
	assert_memory_equal(seen, "[1 ][1 b] b/+ qqqq", 18);
	assert_int_equal(strlen(seen), 255);
	seen[0] = '\0';
	assert_ok(zinc_store_del_prefix(s, "b/", 0, NULL, &err));
	longest[511] = '\0';
	assert_ok(zinc_store_del(s, NULL, longest, NULL, 0, NULL, &err));
	assert_ok(zinc_store_walk(s, "", &level, NULL, &err));
	assert_string_equal(seen, "[1 ][1 b] z[1 \xFF]");
	zinc_store_close(s);
}

static void
many_keys(void **state)
{
	enum { N = 100000 };
	zinc_store *s = open_new("many.lmdb");
	zinc_error err = ZINC_ERROR_INIT;
	char seen[256] = "", key[32];
	zinc_put_group *g = NULL;
	double began;
	int i;

	(void)state;
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "%c/c/%d", 'a' + i % 3, i);
		assert_ok(zinc_store_put(s, g, key, key, strlen(key), NULL, 0, NULL, NULL, &err));
	}
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	began = zinc_now(zinc_context_get(NULL));
	assert_ok(zinc_store_list_dir(s, "", note_entry, seen, NULL, &err));
	assert_string_equal(seen, " a/+ b/+ c/+");
	assert_true(zinc_now(zinc_context_get(NULL)) - began < 0.5); /* it does not read all */
	assert_ok(zinc_store_del_prefix(s, "b/", 0, NULL, &err));
	assert_missing(s, "b/c/1");
	assert_text(s, "c/c/2", "c/c/2");
	zinc_store_close(s);
}

/* ---- (10), (11) ---- */

/* The bytes of a small database. */
static size_t
load(const char *file, uint8_t *bytes, size_t most)
{
	FILE *f = fopen(file, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, most, f);
	fclose(f);
	return n;
}

static void
meta_pages_are_checked(void **state)
{
	enum { MOST = 1 << 16 };
	static uint8_t good[MOST], bad[MOST];
	zinc_store *s = open_new("meta.lmdb");
	zinc_error err = ZINC_ERROR_INIT;
	lmdb_meta meta;
	size_t n, at;

	(void)state;
	put_text(s, "k", "1");
	put_text(s, "k", "2");
	zinc_store_close(s);
	n = load("meta.lmdb/data.mdb", good, MOST);
	assert_ok(zinc_lmdb_check_meta(good, n, n, &meta, &err));
	assert_int_equal(meta.page_size, 4096);
	assert_int_equal(zinc_lmdb_check_meta(good, n, n - 4096, &meta, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "cut short"));
	for (at = 0; at < 4096 + 152; at++)
		(void)zinc_lmdb_check_meta(good, at, n, &meta, &err);
	for (at = 0; at < 152; at++) {
		memcpy(bad, good, n);
		bad[at] ^= 0x81;
		bad[4096 + at] ^= 0x81;
		(void)zinc_lmdb_check_meta(bad, n, n, &meta, &err);
	}
	memcpy(bad, good, n);
	bad[16] ^= 1;
	assert_int_equal(zinc_lmdb_check_meta(bad, n, n, &meta, &err), ZINC_E_CORRUPT);
	memcpy(bad, good, n);
	bad[20] = bad[4096 + 20] = 2;
	assert_int_equal(zinc_lmdb_check_meta(bad, n, n, &meta, &err), ZINC_E_UNSUPPORTED);
	memcpy(bad, good, n);
	bad[16 + 24 + 48 + 4] = bad[4096 + 16 + 24 + 48 + 4] = 4; /* MDB_DUPSORT */
	assert_int_equal(zinc_lmdb_check_meta(bad, n, n, &meta, &err), ZINC_E_UNSUPPORTED);
}

/* Refused before they are mapped. */
static void
other_files_are_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	write_file("text.lmdb", "this is no database");
	assert_int_equal(zinc_store_open(&s, "lmdb://text.lmdb", NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(system("cp meta.lmdb/data.mdb cut.lmdb && truncate -s 9000 cut.lmdb"), 0);
	assert_int_equal(zinc_store_open(&s, "lmdb://cut.lmdb", NULL, &err), ZINC_E_CORRUPT);
	assert_null(s);
}

/* ---- (3) ---- */

static void
killed_writers_lose_nothing(void **state)
{
	(void)state;
	assert_int_equal(system("rm -rf storm.lmdb"), 0);
	kill_storm("lmdb://storm.lmdb", getenv("ZINC_LONG") ? 100 : 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(layout_is_that_of_zarr_python),
	    cmocka_unit_test(erasing_creates_nothing),
	    cmocka_unit_test(bare_paths),
	    cmocka_unit_test(long_values_and_their_tags),
	    cmocka_unit_test(parts_have_the_tag_of_now),
	    cmocka_unit_test(the_map_grows),
	    cmocka_unit_test(stores_share_one_environment),
	    cmocka_unit_test(threads_open_one_environment),
	    cmocka_unit_test(both_work_after_a_fork),
	    cmocka_unit_test(read_only_places),
	    cmocka_unit_test(changes_are_seen_without_locks),
	    cmocka_unit_test(deadlines_hold_while_others_write),
	    cmocka_unit_test(replaced_databases_are_noticed),
	    cmocka_unit_test(failures_are_not_missing),
	    cmocka_unit_test(names_that_are_no_keys),
	    cmocka_unit_test(many_keys),
	    cmocka_unit_test(killed_writers_lose_nothing),
	    cmocka_unit_test(meta_pages_are_checked),
	    cmocka_unit_test(other_files_are_refused),
	};
	zinc_error err = ZINC_ERROR_INIT;
	int failed;

	assert_ok(zinc_store_lmdb_register(&err));
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	failed += conform_store_run("lmdb", make, NULL);
	failed += conform_store_run("lmdb in one file", make, (void *)(uintptr_t) "file");
	return failed;
}

#else

int
main(void)
{
	fprintf(stderr, "built without LMDB\n");
	return 77;
}

#endif
