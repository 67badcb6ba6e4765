/*
 * test_store_sqlite.c - the conformance suite on databases, and the promises of store_sqlite.c, by number
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_sqlite.h"
#include "support/conform_store.h"
#include "support/databases.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/kill_storm.h"
#include "support/test.h"

#if ZINC_WITH_SQLITE

static zinc_store *
open_file(const char *file)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[256];

	snprintf(url, sizeof url, "sqlite://%s", file);
	assert_ok(zinc_store_open(&s, url, NULL, &err));
	return s;
}

/* ---- the suite ---- */

static void
make(void *arg, conform_subject *out)
{
	static int number;
	char file[64];

	(void)arg;
	snprintf(file, sizeof file, "conform%d.sqlite", number++);
	out->store = out->fill = open_file(file);
}

/* Run SQL on a file, as another program would. */
static void
sql(const char *file, const char *text)
{
	sqlite3 *db = NULL;
	char *why = NULL;

	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", text, why);
	sqlite3_close(db);
}

static int
take_text(void *arg, int n, char **row, char **names)
{
	(void)n, (void)names;
	snprintf((char *)arg, 256, "%s", row[0] ? row[0] : "NULL");
	return 0;
}

static const char *
ask(const char *file, const char *text)
{
	static char answer[256];
	sqlite3 *db = NULL;

	answer[0] = '\0';
	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, take_text, answer, NULL), SQLITE_OK);
	sqlite3_close(db);
	return answer;
}

static void
remove_database(const char *file)
{
	char name[256];

	unlink(file);
	snprintf(name, sizeof name, "%s-wal", file);
	unlink(name);
	snprintf(name, sizeof name, "%s-shm", file);
	unlink(name);
}

#define TABLE "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB);"

/* A new database made by that SQL. */
static zinc_store *
open_made(const char *file, const char *text)
{
	remove_database(file);
	sql(file, text);
	return open_file(file);
}

/* ---- layout ---- */

static void
erasing_creates_nothing(void **state)
{
	zinc_store *s = open_file("nothing.sqlite");

	(void)state;
	assert_erasing_creates_nothing(s, "nothing.sqlite");
	zinc_store_close(s);
}

/* What others see, after the store is closed: one file, the table of zarr-python, values as they are. */
static void
layout_is_that_of_zarr_python(void **state)
{
	zinc_store *s;

	(void)state;
	remove_database("layout.sqlite");
	s = open_file("layout.sqlite");
	assert_int_equal(access("layout.sqlite", F_OK), -1); /* reading creates nothing */
	assert_missing(s, "a/b");
	assert_int_equal(access("layout.sqlite", F_OK), -1);
	put_text(s, "a/b", "value");
	put_text(s, "empty", "");
	zinc_store_close(s);
	assert_int_equal(access("layout.sqlite-wal", F_OK), -1);
	assert_string_equal(ask("layout.sqlite", "SELECT sql FROM sqlite_master WHERE name = 'zarr'"),
			    "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)");
	assert_string_equal(ask("layout.sqlite", "SELECT typeof(k) || typeof(v) || v FROM zarr WHERE k = 'a/b'"),
			    "textblobvalue");
	assert_string_equal(ask("layout.sqlite", "SELECT typeof(v) || length(v) FROM zarr WHERE k = 'empty'"), "blob0");
	assert_string_equal(ask("layout.sqlite", "PRAGMA journal_mode"), "wal");
}

/* Of another program, in the other journal mode. */
static void
databases_of_others(void **state)
{
	zinc_store *s = open_made("others.db", TABLE "INSERT INTO zarr VALUES('a', x'01'), ('t', 'text \xC3\xA9')");

	(void)state;
	assert_value(s, "a", "\x01", 1);
	assert_text(s, "t", "text \xC3\xA9");
	sql("others.db", "REPLACE INTO zarr VALUES('a', x'0203')");
	assert_value(s, "a", "\x02\x03", 2);
	put_text(s, "b", "ours");
	assert_string_equal(ask("others.db", "SELECT v FROM zarr WHERE k = 'b'"), "ours");
	zinc_store_close(s);
}

/* ---- (1), (2): long values in pieces, tags ---- */

static void
long_values_and_their_tags(void **state)
{
	zinc_store *s;

	(void)state;
	remove_database("long.sqlite");
	s = open_file("long.sqlite");
	assert_long_value(s);
	zinc_store_close(s);
}

static void
parts_have_the_tag_of_now(void **state)
{
	zinc_store *s = open_file("parts.sqlite"), *other = open_file("parts.sqlite");

	(void)state;
	assert_tags_of_parts(s, other, 300000);
	zinc_store_close(other);
	zinc_store_close(s);
}

/* ---- (4) ---- */

/* Another program keeps the database locked: a call ends with its deadline, others wait. */
static void
deadlines_hold_while_others_write(void **state)
{
	zinc_store *s = open_made("busy.sqlite", TABLE "PRAGMA journal_mode=WAL; INSERT INTO zarr VALUES('k', x'31')");
	zinc_error err = ZINC_ERROR_INIT;
	sqlite3 *db = NULL;
	zinc_wait wait = ZINC_WAIT_INIT;
	double began;

	(void)state;
	assert_int_equal(sqlite3_open("busy.sqlite", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_text(s, "k", "1"); /* readers do not wait */
	began = zinc_now(zinc_context_get(NULL));
	wait.until = began + 0.2;
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, &wait, &err), ZINC_E_CANCELLED);
	assert_true(zinc_now(zinc_context_get(NULL)) - began < 60);
	assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	put_text(s, "k", "2");
	assert_text(s, "k", "2");
	sqlite3_close(db);
	zinc_store_close(s);
}

/* Without a deadline the setting counts. */
static void
patience_ends(void **state)
{
	static const zinc_setting patience[] = {{"sqlite.patience", "0.1"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	sqlite3 *db = NULL;

	(void)state;
	zinc_store_close(open_made("busy.sqlite", TABLE "PRAGMA journal_mode=WAL"));
	assert_ok(zinc_store_open(&s, "sqlite://busy.sqlite", ZINC_STORE_OPTIONS(.settings = patience, .nsettings = 1),
				  &err));
	assert_int_equal(sqlite3_open("busy.sqlite", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "another program keeps the database locked"));
	sqlite3_close(db);
	zinc_store_close(s);
}

/* ---- (5) ---- */

/* The status of opening, else of reading "k". */
static zinc_status
try_file(const char *file, zinc_error *err)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	char url[256];
	zinc_status st;

	snprintf(url, sizeof url, "sqlite://%s", file);
	st = zinc_store_open(&s, url, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(s, "k", &b, NULL, 0, NULL, err);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return st;
}

static void
other_tables_are_refused(void **state)
{
	static const struct {
		const char *sql, *says;
	} rows[] = {
	    {"CREATE TABLE t(x)", "no table zarr"},
	    {"CREATE TABLE zarr(k TEXT COLLATE NOCASE PRIMARY KEY, v BLOB)", "was not made by"},
	    {"CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID", "was not made by"},
	    {"CREATE TABLE zarr(k TEXT, v BLOB)", "was not made by"},
	    {"CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB, w)", "was not made by"},
	    {"CREATE TABLE t(k, v); CREATE VIEW zarr AS SELECT * FROM t", "was not made by"},
	    {"CREATE VIRTUAL TABLE zarr USING fts5(k, v)", "was not made by"},
	    {"PRAGMA encoding='UTF-16le'; " TABLE, "not UTF-8"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		remove_database("strange.sqlite");
		sql("strange.sqlite", rows[i].sql);
		assert_int_equal(try_file("strange.sqlite", &err), ZINC_E_UNSUPPORTED);
		if (!strstr(err.text, rows[i].says))
			fail_msg("%s: %s", rows[i].sql, err.text);
	}
	write_file("strange.sqlite", "this is not a database, and long enough to be seen as something else");
	assert_int_equal(try_file("strange.sqlite", &err), ZINC_E_CORRUPT);
	remove_database("strange.sqlite");
	sql("strange.sqlite", "create  table Zarr ( k text primary key , v blob )");
	assert_int_equal(try_file("strange.sqlite", &err), ZINC_E_NOTFOUND);
}

/* A trigger never runs; a table that has one is only read. */
static void
triggers_do_not_run(void **state)
{
	zinc_store *s = open_made("trigger.sqlite",
				  TABLE "INSERT INTO zarr VALUES('k', x'31'); CREATE TABLE seen(x);"
					"CREATE TRIGGER t AFTER INSERT ON zarr BEGIN INSERT INTO seen VALUES(1); END");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;

	(void)state;
	assert_text(s, "k", "1");
	zinc_store_caps(s, &caps);
	assert_false(caps.flags & ZINC_CAP_WRITE);
	assert_int_not_equal(zinc_store_put(s, NULL, "a", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_OK);
	zinc_store_close(s);
	s = open_made("trigger.sqlite", TABLE "CREATE TABLE seen(x)");
	put_text(s, "a", "1");
	sql("trigger.sqlite", "CREATE TRIGGER t AFTER INSERT ON zarr BEGIN INSERT INTO seen VALUES(1); END");
	put_text(s, "b", "2");
	assert_string_equal(ask("trigger.sqlite", "SELECT count(*) FROM seen"), "0");
	zinc_store_close(s);
}

static int
note_non_key(void *arg, const zinc_non_key *x)
{
	char *out = (char *)arg;
	size_t n = strlen(out);

	snprintf(out + n, 256 - n, "[%d %s]", (int)x->kind, x->key);
	return x->holds(x, "x");
}

static int
note_key(void *arg, const char *key, uint64_t nbytes)
{
	char *out = (char *)arg;
	size_t n = strlen(out);

	snprintf(out + n, 256 - n, " %s:%d", key, (int)nbytes);
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

static void
rows_that_are_no_keys(void **state)
{
	zinc_store *s = open_made(
	    "rows.sqlite",
	    TABLE "INSERT INTO zarr VALUES('k', x'31'), ('n', 5), ('null', NULL), ('/a', x'32'), ('a//b', x'33'), "
		  "('b/../c', x'34'), (x'6b6b', x'35'), (NULL, x'36'), ('', x'37'), ('z' || char(0) || 'z', x'38'), "
		  "('t/t', 'txt')");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	char seen[256] = "";
	zinc_lister all = {.size = sizeof all, .key = note_key, .non_key = note_non_key, .arg = seen},
		    level = {.size = sizeof level, .entry = note_entry, .non_key = note_non_key, .arg = seen};

	(void)state;
	assert_ok(zinc_store_walk(s, "", &all, NULL, &err));
	assert_string_equal(seen, "[1 ][1 /a][1 a//b][1 b/../c] k:1[2 n][2 null] t/t:3[1 z][1 X'6B6B'][1 NULL]");
	seen[0] = '\0';
	assert_ok(zinc_store_walk(s, "", &level, NULL, &err));
	assert_string_equal(seen, "[1 ][1 ] a/+ b/+ k n null t/+[1 z][1 X'6B6B'][1 NULL]");
	assert_text(s, "k", "1");
	assert_int_equal(zinc_store_get_all(s, "n", &b, NULL, 0, NULL, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "integer, not bytes"));
	assert_int_equal(zinc_store_get_all(s, "null", &b, NULL, 0, NULL, &err), ZINC_E_CORRUPT);
	zinc_store_close(s);
}

/* Every byte of a small database, one after another: a status, and never a crash. */
static void
damage_is_told(void **state)
{
	enum { MOST = 1 << 16 };
	static uint8_t good[MOST], bad[MOST];
	zinc_error err = ZINC_ERROR_INIT;
	size_t n, at;
	FILE *f;

	(void)state;
	zinc_store_close(open_made("good.sqlite", "PRAGMA page_size=1024;" TABLE
						  "INSERT INTO zarr VALUES('k', x'31'), ('a/b', zeroblob(5000))"));
	f = fopen("good.sqlite", "rb");
	assert_non_null(f);
	n = fread(good, 1, MOST, f);
	fclose(f);
	for (at = 0; at < n; at += at < 1200 ? 3 : 41) {
		memcpy(bad, good, n);
		bad[at] ^= 0xA5;
		f = fopen("bad.sqlite", "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(bad, 1, at % 7 ? n : n - at % 1024, f), at % 7 ? n : n - at % 1024);
		fclose(f);
		(void)try_file("bad.sqlite", &err);
		remove_database("bad.sqlite");
	}
}

/* ---- (6) ---- */

static void
replaced_files_are_noticed(void **state)
{
	zinc_store *s = open_made("gone.sqlite", TABLE "INSERT INTO zarr VALUES('k', x'31')");

	(void)state;
	assert_text(s, "k", "1");
	remove_database("gone.sqlite");
	assert_missing(s, "k");
	put_text(s, "k", "new");
	assert_string_equal(ask("gone.sqlite", "SELECT v FROM zarr"), "new");
	remove_database("gone.sqlite");
	sql("gone.sqlite", TABLE "INSERT INTO zarr VALUES('k', x'32')");
	assert_text(s, "k", "2");
	zinc_store_close(s);
}

/* (10) of store_file_look.c: a link in a circle is no missing file. */
static void
failures_are_not_missing(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = open_made("loop.sqlite", TABLE);

	(void)state;
	put_text(s, "k", "1");
	assert_int_equal(system("mv loop.sqlite aside && ln -s loop.sqlite loop.sqlite"), 0);
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(system("rm loop.sqlite && mv aside loop.sqlite"), 0);
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* ---- (7) ---- */

static int
exit_of(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void
both_work_after_a_fork(void **state)
{
	zinc_store *s;
	pid_t pid;
	int i, n = 0;

	(void)state;
	remove_database("fork.sqlite");
	s = open_file("fork.sqlite");
	put_text(s, "k", "parent");
	assert_text(s, "k", "parent");
	for (i = 0; i < 4; i++) {
		pid = fork();
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
	assert_string_equal(ask("fork.sqlite", "PRAGMA integrity_check"), "ok");
	zinc_store_close(s);
}

/* Held by an update in this very thread, which forks: the child refuses, the parent goes on. */
static zinc_status
fork_inside(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	zinc_blob b = ZINC_BLOB_INIT;
	pid_t pid;

	(void)old, (void)nold, (void)err;
	pid = fork();
	if (pid == 0)
		_exit(zinc_store_get_all((zinc_store *)arg, "k", &b, NULL, 0, NULL, NULL) == ZINC_E_UNSUPPORTED ? 0
														: 1);
	assert_int_equal(exit_of(pid), 0);
	out->bytes = "after";
	out->nbytes = 5;
	return ZINC_OK;
}

static void
a_fork_amidst_a_change_is_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_file("fork.sqlite");

	(void)state;
	assert_ok(zinc_store_update(s, "k", fork_inside, s, 0, 0, 0, NULL, &err));
	assert_text(s, "k", "after");
	zinc_store_close(s);
}

/* ---- (8) ---- */

static void
read_only_places(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_store *s;
	pid_t pid;

	(void)state;
	make_empty("locked");
	s = open_file("locked/x%3F%23.sqlite");
	put_text(s, "k", "1");
	zinc_store_close(s);
	assert_int_equal(chmod("locked/x?#.sqlite", 0444), 0);
	assert_int_equal(chmod("locked", 0555), 0);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(0);
		s = open_file("locked/x%3F%23.sqlite");
		assert_text(s, "k", "1");
		zinc_store_caps(s, &caps);
		assert_false(caps.flags & (ZINC_CAP_WRITE | ZINC_CAP_UPDATE));
		assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_READONLY);
		zinc_store_close(s);
		_exit(0);
	}
	assert_int_equal(exit_of(pid), 0);
	assert_int_equal(chmod("locked", 0755), 0);
}

typedef struct amidst {
	int says, hears;
	char bytes[16];
	zinc_found found;
	zinc_status status;
} amidst;

/* The value is found; before it is read the other process changes it. */
static zinc_room
room_after_a_change(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	amidst *x = (amidst *)arg;

	(void)i, (void)nbytes;
	assert_int_equal(write(x->says, "", 1), 1);
	assert_int_equal(read(x->hears, x->bytes, 1), 1);
	*buf = x->bytes;
	return ZINC_ROOM_OK;
}

static void
note_found(void *arg, size_t i, const zinc_got *got)
{
	amidst *x = (amidst *)arg;

	(void)i;
	x->found = got->found;
	x->status = got->status;
}

/* A child without permission to write reads, and reads while the value is changed: that fails, and the next does not. */
static void
read_twice(int says, int hears)
{
	amidst x = {.says = says, .hears = hears, .found = ZINC_MISSING};
	const zinc_sink sink = {sizeof sink, room_after_a_change, note_found, &x};
	const zinc_get r = get_range("k", 0, ZINC_TO_END);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;

	if (geteuid() == 0 && setuid(65534) != 0)
		_exit(77);
	s = open_file("locked2/x.sqlite");
	assert_text(s, "k", "1");
	assert_ok(zinc_store_get(s, &r, 1, &sink, NULL, &err));
	if (x.found != ZINC_FAILED || x.status != ZINC_E_IO)
		_exit(1);
	assert_text(s, "k", "2");
	zinc_store_close(s);
	_exit(0);
}

/* Without locks a change by someone else is noticed by the file's time. */
static void
changes_are_seen_without_locks(void **state)
{
	int says[2], hears[2];
	zinc_store *s;
	char byte = 0;
	pid_t pid;

	(void)state;
	make_empty("locked2");
	s = open_file("locked2/x.sqlite");
	put_text(s, "k", "1");
	zinc_store_close(s);
	assert_int_equal(chmod("locked2/x.sqlite", 0444), 0);
	assert_int_equal(chmod("locked2", 0555), 0);
	assert_int_equal(pipe(says) | pipe(hears), 0);
	pid = fork();
	if (pid == 0)
		read_twice(says[1], hears[0]);
	close(says[1]);
	if (read(says[0], &byte, 1) == 1) {
		assert_int_equal(chmod("locked2", 0755) | chmod("locked2/x.sqlite", 0644), 0);
		sql("locked2/x.sqlite", "UPDATE zarr SET v = x'32' WHERE k = 'k'");
		assert_int_equal(write(hears[1], &byte, 1), 1);
	}
	assert_true(exit_of(pid) % 77 == 0);
	close(says[0]);
	close(hears[0]);
	close(hears[1]);
	assert_int_equal(chmod("locked2", 0755), 0);
}

/* (3) A durable change that changes nothing makes no earlier one durable. */
static void
nothing_is_no_sync(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_file("relaxed.sqlite");
	const sql_store *inside = (const sql_store *)s->self;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, NULL, ZINC_PUT_RELAXED, NULL, NULL, &err));
	assert_true(inside->relaxed);
	assert_ok(zinc_store_del(s, NULL, "missing", NULL, 0, NULL, &err));
	assert_true(inside->relaxed);
	assert_ok(zinc_store_sync(s, NULL, &err));
	assert_false(inside->relaxed);
	assert_ok(zinc_store_put(s, NULL, "k", "2", 1, NULL, ZINC_PUT_RELAXED, NULL, NULL, &err));
	assert_ok(zinc_store_put(s, NULL, "k", "3", 1, NULL, 0, NULL, NULL, &err));
	assert_false(inside->relaxed);
	zinc_store_close(s);
}

/* ---- many keys ---- */

static void
many_keys(void **state)
{
	enum { N = 100000 };
	zinc_error err = ZINC_ERROR_INIT;
	char seen[256] = "", key[32];
	zinc_put_group *g = NULL;
	zinc_store *s;
	double began;
	int i;

	(void)state;
	remove_database("many.sqlite");
	s = open_file("many.sqlite");
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
	assert_string_equal(ask("many.sqlite", "SELECT count(*) FROM zarr"), "66667");
	zinc_store_close(s);
}

/* ---- (3) ---- */

static void
killed_writers_lose_nothing(void **state)
{
	(void)state;
	remove_database("storm.sqlite");
	kill_storm("sqlite://storm.sqlite", getenv("ZINC_LONG") ? 100 : 10);
	assert_string_equal(ask("storm.sqlite", "PRAGMA integrity_check"), "ok");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(layout_is_that_of_zarr_python),
	    cmocka_unit_test(erasing_creates_nothing),
	    cmocka_unit_test(databases_of_others),
	    cmocka_unit_test(long_values_and_their_tags),
	    cmocka_unit_test(parts_have_the_tag_of_now),
	    cmocka_unit_test(deadlines_hold_while_others_write),
	    cmocka_unit_test(patience_ends),
	    cmocka_unit_test(other_tables_are_refused),
	    cmocka_unit_test(triggers_do_not_run),
	    cmocka_unit_test(rows_that_are_no_keys),
	    cmocka_unit_test(damage_is_told),
	    cmocka_unit_test(replaced_files_are_noticed),
	    cmocka_unit_test(failures_are_not_missing),
	    cmocka_unit_test(both_work_after_a_fork),
	    cmocka_unit_test(a_fork_amidst_a_change_is_refused),
	    cmocka_unit_test(read_only_places),
	    cmocka_unit_test(changes_are_seen_without_locks),
	    cmocka_unit_test(nothing_is_no_sync),
	    cmocka_unit_test(many_keys),
	    cmocka_unit_test(killed_writers_lose_nothing),
	};
	zinc_error err = ZINC_ERROR_INIT;
	int failed;

	assert_ok(zinc_store_sqlite_register(&err));
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	failed += conform_store_run("sqlite", make, NULL);
	return failed;
}

#else

int
main(void)
{
	fprintf(stderr, "built without SQLite\n");
	return 77;
}

#endif
