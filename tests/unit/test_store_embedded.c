/*
 * test_store_embedded.c - the conformance suite on databases of LevelDB, Berkeley DB, Kyoto Cabinet and Tokyo Cabinet, and the
 * promises of store_embedded.c, by number, on each kind of database
 *
 * LevelDB cannot be used in a child of a process that has used it.  So each test runs in a process of its own.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_inside.h"
#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/kill_storm.h"
#include "support/sweep.h"
#include "support/test.h"

#if ZINC_WITH_LEVELDB
#include <leveldb/c.h>
#endif
#if ZINC_WITH_BERKELEYDB
#include <db.h>
#endif
#if ZINC_WITH_KYOTOCABINET
#include <kclangc.h>
#endif
#if ZINC_WITH_TOKYOCABINET
#include <tcbdb.h>
#include <tchdb.h>
#endif

/* ---- the libraries themselves: any bytes as a key, as another program may write them ---- */

#if ZINC_WITH_LEVELDB
static void
put_level(const char *file, const char *key, size_t n)
{
	leveldb_options_t *o = leveldb_options_create();
	leveldb_writeoptions_t *w = leveldb_writeoptions_create();
	char *text = NULL;
	leveldb_t *db;

	leveldb_options_set_create_if_missing(o, 1);
	db = leveldb_open(o, file, &text);
	assert_null(text);
	leveldb_put(db, w, key, n, "x", 1, &text);
	assert_null(text);
	leveldb_close(db);
	leveldb_options_destroy(o);
	leveldb_writeoptions_destroy(w);
}
#endif

#if ZINC_WITH_BERKELEYDB
static void
put_berkeley(const char *file, const char *key, size_t n)
{
	DBT k, v;
	DB *db = NULL;

	memset(&k, 0, sizeof k);
	memset(&v, 0, sizeof v);
	k.data = (void *)(uintptr_t)key;
	k.size = (uint32_t)n;
	v.data = (void *)(uintptr_t) "x";
	v.size = 1;
	assert_int_equal(db_create(&db, NULL, 0), 0);
	assert_int_equal(db->open(db, NULL, file, NULL, DB_BTREE, DB_CREATE, 0666), 0);
	assert_int_equal(db->put(db, NULL, &k, &v, 0), 0);
	assert_int_equal(db->close(db, 0), 0);
}
#endif

#if ZINC_WITH_KYOTOCABINET
static void
put_kyoto(const char *file, const char *key, size_t n)
{
	KCDB *db = kcdbnew();

	assert_true(kcdbopen(db, file, KCOWRITER | KCOCREATE));
	assert_true(kcdbset(db, key, n, "x", 1));
	assert_true(kcdbclose(db));
	kcdbdel(db);
}
#endif

#if ZINC_WITH_TOKYOCABINET
static void
put_tree(const char *file, const char *key, size_t n)
{
	TCBDB *db = tcbdbnew();

	assert_true(tcbdbopen(db, file, BDBOWRITER | BDBOCREAT));
	assert_true(tcbdbput(db, key, (int)n, "x", 1));
	assert_true(tcbdbclose(db));
	tcbdbdel(db);
}

static void
put_hash(const char *file, const char *key, size_t n)
{
	TCHDB *db = tchdbnew();

	assert_true(tchdbopen(db, file, HDBOWRITER | HDBOCREAT));
	assert_true(tchdbput(db, key, (int)n, "x", 1));
	assert_true(tchdbclose(db));
	tchdbdel(db);
}
#endif

/* The kinds that this build has. */
typedef struct kind {
	const char *scheme, *ending;
	bool forkless; /* see above */
	bool readable; /* without permission to write */
	bool killable; /* a writer that is killed loses nothing */
	void (*put_raw)(const char *file, const char *key, size_t n);
} kind;

static const kind kinds[] = {
#if ZINC_WITH_LEVELDB
    {"leveldb", ".leveldb", true, false, true, put_level},
#endif
#if ZINC_WITH_BERKELEYDB
    {"berkeleydb", ".bdb", false, true, false, put_berkeley},
#endif
#if ZINC_WITH_KYOTOCABINET
    {"kyotocabinet", ".kct", false, true, true, put_kyoto},
    {"kyotocabinet", ".kch", false, true, true, put_kyoto},
#endif
#if ZINC_WITH_TOKYOCABINET
    {"tokyocabinet", ".tcb", false, true, true, put_tree},
    {"tokyocabinet", ".tch", false, true, true, put_hash},
#endif
    {NULL, NULL, false, false, false, NULL},
};

static const kind *k; /* the one that is tested */

static const char *
named(const char *name)
{
	static char file[64];

	snprintf(file, sizeof file, "%s%s", name, k->ending);
	return file;
}

static zinc_status
open_with(zinc_store **s, const char *name, const char *query, zinc_error *err)
{
	char url[256];

	snprintf(url, sizeof url, "%s://%s%s", k->scheme, named(name), query);
	return zinc_store_open(s, url, NULL, err);
}

static zinc_store *
open_at(const char *name)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(open_with(&s, name, "", &err));
	return s;
}

static void
run(const char *format, const char *name)
{
	char command[512], file[64];

	snprintf(file, sizeof file, "%s", named(name));
	snprintf(command, sizeof command, format, file, file, file);
	assert_int_equal(system(command), 0);
}

/* ---- (1), (2) ---- */

static void
reading_creates_nothing(void **state)
{
	zinc_store *s = open_at("layout");

	(void)state;
	assert_missing(s, "a");
	assert_int_equal(access(named("layout"), F_OK), -1);
	put_text(s, "a", "1");
	assert_int_equal(access(named("layout"), F_OK), 0);
	zinc_store_close(s);
	s = open_at("layout");
	assert_text(s, "a", "1");
	zinc_store_close(s);
}

static void
assert_bare(const char *path, const char *store, bool contained)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_place place;

	assert_ok(zinc_place_open(&place, path, NULL, &err));
	assert_string_equal(place.store->ops.name, store);
	assert_int_equal(place.contained, contained);
	zinc_place_fini(&place);
}

/* (1) of store_ending.c */
static void
bare_paths(void **state)
{
	zinc_store *s = open_at("bare");
	char path[128];

	(void)state;
	snprintf(path, sizeof path, "%s/a", named("bare"));
	assert_bare(path, k->scheme, true); /* nothing is there */
	put_text(s, "a", "1");
	zinc_store_close(s);
	assert_bare(path, k->scheme, true);
	snprintf(path, sizeof path, "%s/zarr.json", named("plain"));
	write_file(path, "{}");
	assert_bare(path, "fs", false);
}

static void
long_values_and_their_tags(void **state)
{
	enum { N = 3000000 };
	uint8_t *bytes = (uint8_t *)malloc(N);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("long");
	zinc_tag put, now;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_get r = get_range("k", N - 70000, 60000);
	gets g;
	size_t i;

	(void)state;
	for (i = 0; i < N; i++)
		bytes[i] = (uint8_t)(i * 2654435761u >> 11);
	assert_ok(zinc_store_put(s, NULL, "k", bytes, N, NULL, 0, &put, NULL, &err));
	assert_value(s, "k", bytes, N);
	now = tag_of(s, "k");
	assert_true(zinc_tag_equal(&put, &now));
	r.if_tag = &put;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r, &err));
	assert_int_equal(g.r[0].nbytes, 60000);
	assert_memory_equal(g.r[0].bytes, bytes + N - 70000, 60000);
	gets_fini(&g);
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, N - 1, NULL, &err), ZINC_E_LIMIT);
	zinc_store_close(s);
	free(bytes);
}

/* A part of "k" on condition of a tag (NULL: none); *tag is that of the answer. */
static zinc_found
part_of(zinc_store *s, const zinc_tag *if_tag, uint64_t untagged, zinc_tag *tag)
{
	zinc_get r = get_range("k", 2000, 50);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_found found;
	gets g;

	r.if_tag = if_tag;
	r.untagged = untagged;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r, &err));
	found = g.r[0].found;
	*tag = g.r[0].tag;
	gets_fini(&g);
	return found;
}

/* The tag of a value is not taken from before a change, by this store or by another. */
static void
parts_have_the_tag_of_now(void **state)
{
	enum { N = 30000 };
	static uint8_t bytes[N];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("parts"), *other = open_at("parts");
	zinc_tag first, now, put;
	int i;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", bytes, N, NULL, 0, &first, NULL, &err));
	for (i = 0; i < 3; i++) {
		assert_int_equal(part_of(s, i ? &first : NULL, 0, &now), ZINC_FOUND);
		assert_true(zinc_tag_equal(&first, &now));
		assert_int_equal(part_of(s, NULL, 1, &now), ZINC_FOUND);
		assert_int_equal(now.n, 0);
		bytes[N - 1]++; /* outside of the part */
		assert_ok(zinc_store_put(i % 2 ? s : other, NULL, "k", bytes, N, NULL, 0, &put, NULL, &err));
		assert_int_equal(part_of(s, &first, i == 1, &now), ZINC_CHANGED);
		assert_int_equal(part_of(s, &put, 0, &now), ZINC_FOUND);
		assert_true(zinc_tag_equal(&put, &now));
		first = put;
	}
	zinc_store_close(other);
	zinc_store_close(s);
}

static void
note_status(void *arg, size_t i, const zinc_outcome *outcome)
{
	((zinc_status *)arg)[i] = outcome->status;
}

/* Each condition sees the changes of the same call before it. */
static void
conditions_see_what_precedes(void **state)
{
	struct iovec one = {(void *)(uintptr_t) "1", 1},
		     pieces[] = {{(void *)(uintptr_t) "2", 1}, {(void *)(uintptr_t) "3", 1}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("conditions");
	zinc_tag tag;
	zinc_condition absent = {ZINC_ABSENT, NULL}, equals = {ZINC_EQUALS, &tag};
	zinc_put puts[] = {{"a", &one, 1, &absent, {0}},   {"a", pieces, 2, &absent, {0}},
			   {"a", pieces, 2, &equals, {0}}, {"a", &one, 1, &equals, {0}},
			   {"b", pieces, 2, NULL, {0}},    {"c", pieces, 0, &absent, {0}}};
	zinc_status got[COUNT(puts)];
	zinc_done done = {sizeof done, note_status, got, NULL, 0};

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "other", "1", 1, NULL, 0, &tag, NULL, &err)); /* the tag of "1" */
	assert_ok(zinc_store_put_many(s, NULL, puts, COUNT(puts), &done, 0, NULL, &err));
	assert_int_equal(got[0], ZINC_OK);
	assert_int_equal(got[1], ZINC_E_EXISTS);
	assert_int_equal(got[2], ZINC_OK);
	assert_int_equal(got[3], ZINC_E_CONFLICT);
	assert_int_equal(got[4], ZINC_OK);
	assert_int_equal(got[5], ZINC_OK);
	assert_text(s, "a", "23");
	assert_text(s, "b", "23");
	assert_text(s, "c", "");
	zinc_store_close(s);
}

/* ---- (3) ---- */

static void
killed_writers_lose_nothing(void **state)
{
	char url[128];

	(void)state;
	if (!k->killable)
		return;
	snprintf(url, sizeof url, "%s://%s", k->scheme, named("storm"));
	kill_storm(url, getenv("ZINC_LONG") ? 100 : 5);
}

static void
relaxed_changes_are_synced(void **state)
{
	zinc_store *s = open_at("sync");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	char *bytes = (char *)calloc(1, 3000000);
	int i;

	(void)state;
	assert_ok(zinc_store_sync(s, NULL, &err));
	for (i = 0; i < 3; i++) {
		assert_ok(zinc_store_put(s, NULL, "k", "1", 1, NULL, ZINC_PUT_RELAXED, NULL, NULL, &err));
		assert_ok(zinc_store_sync(s, NULL, &err));
		assert_text(s, "k", "1");
		assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
		assert_ok(zinc_store_put(s, g, "long", bytes, 3000000, NULL, 0, NULL, NULL, &err));
		assert_ok(zinc_store_put(s, g, "k", "2", 1, NULL, 0, NULL, NULL, &err));
		assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
		assert_text(s, "k", "2");
	}
	free(bytes);
	zinc_store_close(s);
}

/* ---- (4), (6): other processes ---- */

/* Two processes that take turns. */
typedef struct turns {
	int told[2], done[2];
} turns;

static void
turns_init(turns *t)
{
	assert_int_equal(pipe(t->told) | pipe(t->done), 0);
}

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

static int
exit_of(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

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

/* A child that has the database open until it is told; then "k" is "3". */
static pid_t
start_holder(turns *t, const char *name)
{
	pid_t pid;

	turns_init(t);
	pid = fork();
	if (pid == 0) {
		zinc_store *s = open_at(name);

		_exit(zinc_store_update(s, "k", change_slowly, t, 0, 0, 0, NULL, NULL) != ZINC_OK);
	}
	close(t->told[1]); /* a child that dies ends the wait */
	wait_for(t->told[0]);
	return pid;
}

static void
deadlines_hold_while_others_have_it(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_wait wait = ZINC_WAIT_INIT;
	turns a, b;
	pid_t pid = start_holder(&a, "busy"), second;
	zinc_store *s = NULL;

	(void)state;
	assert_int_equal(open_with(&s, "busy", "?patience=0.1", &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "another process has the database open"));
	pass_on(a.done[1]);
	assert_int_equal(exit_of(pid), 0);
	if (!k->forkless) {
		assert_ok(open_with(&s, "busy", "?patience=0.1", &err));
		assert_text(s, "k", "3");
		second = start_holder(&b, "busy");
		wait.until = zinc_now(zinc_context_get(NULL)) + 0.1;
		assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, &wait, &err), ZINC_E_CANCELLED);
		assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
		pass_on(b.done[1]);
		assert_int_equal(exit_of(second), 0);
		assert_text(s, "k", "3");
		put_text(s, "k", "4");
		zinc_store_close(s);
	}
}

/* One process keeps its store open, another changes the value between its calls. */
static void
idle_stores_let_others_in(void **state)
{
	turns t;
	zinc_store *s;
	pid_t pid;

	(void)state;
	turns_init(&t);
	pid = fork();
	if (pid == 0) {
		wait_for(t.done[0]);
		s = open_at("idle");
		assert_text(s, "k", "1");
		put_text(s, "k", "2");
		pass_on(t.told[1]);
		wait_for(t.done[0]);
		assert_text(s, "k", "3");
		_exit(0);
	}
	s = open_at("idle");
	put_text(s, "k", "1");
	pass_on(t.done[1]);
	wait_for(t.told[0]);
	assert_text(s, "k", "2");
	put_text(s, "k", "3");
	pass_on(t.done[1]);
	assert_int_equal(exit_of(pid), 0);
	zinc_store_close(s);
}

/* A process that works without a pause is interrupted. */
static void
busy_stores_let_others_in(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	turns t;
	pid_t pid;

	(void)state;
	turns_init(&t);
	pid = fork();
	if (pid == 0) {
		zinc_blob b = ZINC_BLOB_INIT;

		s = open_at("always");
		put_text(s, "k", "1");
		pass_on(t.told[1]);
		while (zinc_store_get_all(s, "end", &b, NULL, 0, NULL, NULL) == ZINC_E_NOTFOUND)
			continue;
		_exit(0);
	}
	wait_for(t.told[0]);
	assert_ok(open_with(&s, "always", "", &err));
	put_text(s, "end", "1");
	assert_int_equal(exit_of(pid), 0);
	zinc_store_close(s);
}

/* ---- (5) ---- */

static void
stores_share_one_handle(void **state)
{
	zinc_store *a = open_at("shared"), *b = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	char url[128];

	(void)state;
	put_text(a, "k", "1");
	run("ln -sfn %s link%s", "shared");
	snprintf(url, sizeof url, "%s://link%s", k->scheme, named("shared"));
	assert_ok(zinc_store_open(&b, url, NULL, &err));
	assert_text(b, "k", "1");
	put_text(b, "k", "2");
	assert_text(a, "k", "2");
	zinc_store_close(a);
	assert_text(b, "k", "2");
	put_text(b, "k", "3");
	zinc_store_close(b);
}

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

/* Threads that make a database at the same moment. */
static void
threads_open_one_handle(void **state)
{
	pthread_barrier_t together;
	starter all[STARTERS];
	pthread_t t[STARTERS];
	int i;

	(void)state;
	assert_int_equal(pthread_barrier_init(&together, NULL, STARTERS), 0);
	for (i = 0; i < STARTERS; i++) {
		all[i] = (starter){.s = open_at("start"), .together = &together};
		snprintf(all[i].key, sizeof all[i].key, "k%d", i);
		assert_int_equal(pthread_create(&t[i], NULL, put_at_once, &all[i]), 0);
	}
	for (i = 0; i < STARTERS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	for (i = 0; i < STARTERS; i++) {
		assert_false(all[i].failed);
		assert_text(all[0].s, all[i].key, "v");
	}
	for (i = 0; i < STARTERS; i++)
		zinc_store_close(all[i].s);
	pthread_barrier_destroy(&together);
}

/* ---- (7) ---- */

static int
write_in_child(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	int i;

	for (i = 0; i < 10; i++) {
		const zinc_status st = zinc_store_put(s, NULL, "child", "c", 1, NULL, 0, NULL, NULL, &err);

		if (k->forkless)
			return st == ZINC_E_UNSUPPORTED && strstr(err.text, "fork") ? 0 : 1;
		if (st != ZINC_OK)
			return 2;
	}
	zinc_store_close(s);
	return 0;
}

static void
both_work_after_a_fork(void **state)
{
	zinc_store *s = open_at("fork");
	int i, n = 0;

	(void)state;
	put_text(s, "k", "parent");
	for (i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(write_in_child(s));
		put_text(s, "k", "parent");
		n += exit_of(pid);
	}
	assert_int_equal(n, 0);
	if (!k->forkless)
		assert_text(s, "child", "c");
	assert_text(s, "k", "parent");
	zinc_store_close(s);
}

/* ---- (8) ---- */

static int
read_without_permission(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_store *s = NULL;
	zinc_status st;

	if (geteuid() == 0 && setuid(65534) != 0)
		return 0;
	st = open_with(&s, "locked", "", &err);
	if (!k->readable)
		return st == ZINC_E_READONLY && strstr(err.text, "LevelDB opens no database") ? 0 : 1;
	if (st != ZINC_OK)
		return 2;
	assert_text(s, "k", "1");
	zinc_store_caps(s, &caps);
	if (caps.flags & (ZINC_CAP_WRITE | ZINC_CAP_UPDATE))
		return 3;
	if (zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err) != ZINC_E_READONLY)
		return 4;
	zinc_store_close(s);
	return 0;
}

static void
read_only_places(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		zinc_store *s = open_at("locked");

		put_text(s, "k", "1");
		zinc_store_close(s);
		_exit(0);
	}
	assert_int_equal(exit_of(pid), 0);
	run("chmod -R a-w %s", "locked");
	pid = fork();
	if (pid == 0)
		_exit(read_without_permission());
	assert_int_equal(exit_of(pid), 0);
	run("chmod -R u+w %s", "locked");
}

/* ---- (9) ---- */

static void
replaced_databases_are_noticed(void **state)
{
	zinc_store *s = open_at("gone"), *other = open_at("new");

	(void)state;
	put_text(other, "k", "other");
	zinc_store_close(other);
	put_text(s, "k", "1");
	run("rm -rf %s", "gone");
	assert_missing(s, "k");
	put_text(s, "k", "2");
	assert_text(s, "k", "2");
	run("mv %s old && mv new* %s", "gone");
	assert_text(s, "k", "other");
	zinc_store_close(s);
}

/* ---- (10), (11) ---- */

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

static void
names_that_are_no_keys(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char seen[256] = "";
	zinc_lister level = {.size = sizeof level, .entry = note_entry, .non_key = note_non_key, .arg = seen};
	zinc_store *s;

	(void)state;
	k->put_raw(named("odd"), "/a", 2);
	k->put_raw(named("odd"), "b/c", 3);
	k->put_raw(named("odd"), "b\0d", 3);
	k->put_raw(named("odd"), "z", 1);
	k->put_raw(named("odd"), "\xFF", 1);
	s = open_at("odd");
	assert_text(s, "z", "x");
	assert_ok(zinc_store_walk(s, "", &level, NULL, &err));
	assert_string_equal(seen, "[1 ][1 b] b/+ z[1 \xFF]");
	seen[0] = '\0';
	assert_ok(zinc_store_del_prefix(s, "b/", 0, NULL, &err));
	assert_ok(zinc_store_walk(s, "", &level, NULL, &err));
	assert_string_equal(seen, "[1 ][1 b] z[1 \xFF]");
	zinc_store_close(s);
}

typedef struct order {
	char last[64];
	long n;
	bool wrong;
} order;

static int
check_order(void *arg, const char *key, uint64_t nbytes)
{
	order *o = (order *)arg;

	o->wrong |= strcmp(o->last, key) >= 0 || nbytes != strlen(key);
	snprintf(o->last, sizeof o->last, "%s", key);
	o->n++;
	return 0;
}

/* More than a run of a hash database has. */
static void
many_keys(void **state)
{
	const int n = 80000;
	zinc_store *s = open_at("many");
	zinc_error err = ZINC_ERROR_INIT;
	char seen[256] = "", key[32];
	zinc_put_group *g = NULL;
	order o = {.n = 0};
	int i;

	(void)state;
	assert_ok(zinc_store_put_begin(s, &g, ZINC_PUT_RELAXED, NULL, &err));
	for (i = 0; i < n; i++) {
		snprintf(key, sizeof key, "%c/c/%d", 'a' + i % 3, i);
		assert_ok(zinc_store_put(s, g, key, key, strlen(key), NULL, 0, NULL, NULL, &err));
	}
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	assert_ok(zinc_store_list_dir(s, "", note_entry, seen, NULL, &err));
	assert_string_equal(seen, " a/+ b/+ c/+");
	assert_ok(zinc_store_list(s, "", check_order, &o, NULL, &err));
	assert_int_equal(o.n, n);
	assert_false(o.wrong);
	assert_ok(zinc_store_del_prefix(s, "b/", ZINC_PUT_RELAXED, NULL, &err));
	assert_missing(s, "b/c/1");
	assert_text(s, "c/c/2", "c/c/2");
	zinc_store_close(s);
}

/* A database of another program may have another order. */
static void
other_orders_are_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	order o = {.n = 0};
	zinc_store *s;

	(void)state;
	if (strcmp(k->ending, ".kct") != 0)
		return;
	k->put_raw("decimal.kct#rcomp=dec", "10", 2);
	k->put_raw("decimal.kct#rcomp=dec", "9", 1);
	s = open_at("decimal");
	assert_text(s, "9", "x");
	assert_int_equal(zinc_store_list(s, "", check_order, &o, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "byte order"));
	zinc_store_close(s);
}

/* ---- files that are no databases, and failing memory ---- */

static void
other_files_are_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char path[96], text[2000];

	(void)state;
	if (k->forkless) { /* a directory */
		write_file(named("text"), "a file");
		snprintf(path, sizeof path, "%s/CURRENT", named("lies"));
		write_file(path, "MANIFEST-000002\n");
		assert_int_not_equal(open_with(&s, "lies", "", &err), ZINC_OK);
		assert_missing(open_at("text"), "k");
		assert_int_equal(zinc_store_put(open_at("text"), NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err),
				 ZINC_E_IO);
		return;
	}
	memset(text, 'x', sizeof text);
	write_bytes(named("text"), text, sizeof text);
	assert_int_equal(open_with(&s, "text", "", &err), ZINC_E_CORRUPT);
	assert_int_equal(mkdir(named("directory"), 0777), 0);
	assert_int_equal(open_with(&s, "directory", "", &err), ZINC_E_IO);
	assert_int_equal(mkfifo(named("fifo"), 0666), 0);
	assert_int_equal(open_with(&s, "fifo", "", &err), ZINC_E_IO);
	write_file(named("empty"), ""); /* a new one */
	s = open_at("empty");
	assert_missing(s, "k");
	put_text(s, "k", "1");
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

static void
paths_that_the_library_reads_otherwise(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	if (strcmp(k->scheme, "kyotocabinet") == 0)
		assert_int_equal(zinc_store_open(&s, "kyotocabinet://a%23b.kct", NULL, &err), ZINC_E_UNSUPPORTED);
	assert_null(s);
}

static zinc_status
use(zinc_store *s, zinc_error *err)
{
	struct iovec iov[] = {{(void *)(uintptr_t) "a", 1}, {(void *)(uintptr_t) "b", 1}};
	zinc_put put = {"p", iov, 2, NULL, {0}};
	zinc_status got = ZINC_OK;
	zinc_done done = {sizeof done, note_status, &got, NULL, 0};
	zinc_blob b = ZINC_BLOB_INIT;
	order o = {.n = 0};

	ZINC_TRY(zinc_store_put_many(s, NULL, &put, 1, &done, ZINC_PUT_RELAXED, NULL, err));
	if (got != ZINC_OK)
		return zinc_fail(err, got, "the put failed");
	ZINC_TRY(zinc_store_get_all(s, "p", &b, NULL, 0, NULL, err));
	zinc_blob_fini(&b);
	ZINC_TRY(zinc_store_list(s, "", check_order, &o, NULL, err));
	return zinc_store_del_prefix(s, "q/", ZINC_PUT_RELAXED, NULL, err);
}

static zinc_status
open_and_use(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_store_options options = ZINC_STORE_OPTIONS_INIT;
	zinc_store *s = NULL;
	zinc_status st;
	char url[128];

	(void)arg;
	options.context = ctx;
	snprintf(url, sizeof url, "%s://%s", k->scheme, named("sweep"));
	ZINC_TRY(zinc_store_open(&s, url, &options, err));
	st = use(s, err);
	zinc_store_close(s);
	return st;
}

static void
failing_memory(void **state)
{
	(void)state;
	assert_true(sweep_alloc(open_and_use, NULL) > 10);
}

/* ---- all of them ---- */

static void
make(void *arg, conform_subject *out)
{
	static int number;
	char name[32];

	(void)arg;
	snprintf(name, sizeof name, "conform%d", number++);
	out->store = out->fill = open_at(name);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(reading_creates_nothing),
    cmocka_unit_test(bare_paths),
    cmocka_unit_test(long_values_and_their_tags),
    cmocka_unit_test(parts_have_the_tag_of_now),
    cmocka_unit_test(conditions_see_what_precedes),
    cmocka_unit_test(killed_writers_lose_nothing),
    cmocka_unit_test(relaxed_changes_are_synced),
    cmocka_unit_test(deadlines_hold_while_others_have_it),
    cmocka_unit_test(idle_stores_let_others_in),
    cmocka_unit_test(busy_stores_let_others_in),
    cmocka_unit_test(stores_share_one_handle),
    cmocka_unit_test(threads_open_one_handle),
    cmocka_unit_test(both_work_after_a_fork),
    cmocka_unit_test(read_only_places),
    cmocka_unit_test(replaced_databases_are_noticed),
    cmocka_unit_test(names_that_are_no_keys),
    cmocka_unit_test(many_keys),
    cmocka_unit_test(other_orders_are_refused),
    cmocka_unit_test(other_files_are_refused),
    cmocka_unit_test(paths_that_the_library_reads_otherwise),
    cmocka_unit_test(failing_memory),
};

/* One test, in a process of its own; the last is the suite. */
static int
run_apart(size_t i)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int failed;

		if (i < COUNT(tests))
			failed = _cmocka_run_group_tests(k->ending, &tests[i], 1, NULL, NULL);
		else
			failed = conform_store_run(k->ending, make, NULL);
		exit(failed != 0);
	}
	return exit_of(pid);
}

static void
register_all(void)
{
	zinc_error err = ZINC_ERROR_INIT;

	(void)err;
#if ZINC_WITH_LEVELDB
	assert_ok(zinc_store_leveldb_register(&err));
#endif
#if ZINC_WITH_BERKELEYDB
	assert_ok(zinc_store_berkeleydb_register(&err));
#endif
#if ZINC_WITH_KYOTOCABINET
	assert_ok(zinc_store_kyotocabinet_register(&err));
#endif
#if ZINC_WITH_TOKYOCABINET
	assert_ok(zinc_store_tokyocabinet_register(&err));
#endif
}

int
main(void)
{
	int failed = 0;
	size_t i;

	if (!kinds[0].scheme) {
		fprintf(stderr, "built without any of the libraries\n");
		return 77;
	}
	register_all();
	enter_fast_dir();
	assert_int_equal(chmod(".", 0755), 0); /* for users without rights */
	for (k = kinds; k->scheme; k++)
		for (i = 0; i <= COUNT(tests); i++)
			failed += run_apart(i) != 0;
	leave_fast_dir();
	return failed;
}
