/*
 * test_store_embedded.c - the conformance suite on databases of LevelDB, Berkeley DB, Kyoto Cabinet and Tokyo Cabinet, and the
 * promises of store_embedded.c and store_embedded_sort.c, by number, on each kind of database; those about other processes are in
 * test_store_embedded_others.c
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/conform_store.h"
#include "support/databases.h"
#include "support/embedded.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"

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
	assert_bare(path, this_kind()->scheme, true); /* nothing is there */
	put_text(s, "a", "1");
	zinc_store_close(s);
	assert_bare(path, this_kind()->scheme, true);
	snprintf(path, sizeof path, "%s/zarr.json", named("plain"));
	write_file(path, "{}");
	assert_bare(path, "fs", false);
}

static void
long_values_and_their_tags(void **state)
{
	zinc_store *s;

	(void)state;
	s = open_at("long");
	assert_long_value(s);
	zinc_store_close(s);
}

static void
parts_have_the_tag_of_now(void **state)
{
	zinc_store *s = open_at("parts"), *other = open_at("parts");

	(void)state;
	assert_tags_of_parts(s, other, 30000);
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
	snprintf(url, sizeof url, "%s://link%s", this_kind()->scheme, named("shared"));
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
	char key[16];
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

/* ---- damage ---- */

static void
set_byte(const char *file, long at, int byte)
{
	FILE *f = fopen(file, "r+");

	assert_non_null(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	assert_int_equal(fputc(byte, f), byte);
	assert_int_equal(fclose(f), 0);
}

/* The libraries crash with these. */
static void
damaged_heads_are_refused(void **state)
{
	static const struct {
		const char *scheme;
		long at;
		int byte;
	} damages[] = {{"tokyocabinet", 34, 0xFF}, {"tokyocabinet", 40, 0x80}, {"kyotocabinet", 16, 0x7F}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("head");
	size_t i;

	(void)state;
	put_text(s, "k", "v");
	zinc_store_close(s);
	for (i = 0; i < COUNT(damages); i++) {
		if (strcmp(damages[i].scheme, this_kind()->scheme) != 0)
			continue;
		run("cp %s damaged", "head");
		set_byte("damaged", damages[i].at, damages[i].byte);
		run("mv damaged %s", "damaged");
		assert_int_equal(open_with(&s, "damaged", "", &err), ZINC_E_CORRUPT);
		assert_non_null(strstr(zinc_error_text(&err), "head"));
	}
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
	this_kind()->put_raw(named("odd"), "/a", 2);
	this_kind()->put_raw(named("odd"), "b/c", 3);
	this_kind()->put_raw(named("odd"), "b\0d", 3);
	this_kind()->put_raw(named("odd"), "z", 1);
	this_kind()->put_raw(named("odd"), "\xFF", 1);
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
	o = (order){.n = 0};
	assert_ok(zinc_store_list(s, "b/", check_order, &o, NULL, &err));
	assert_int_equal(o.n, 0);
	assert_text(s, "c/c/2", "c/c/2");
	zinc_store_close(s);
}

/* A database of another program may have another order: here "9" before "10". */
static void
other_orders_are_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	order o = {.n = 0};
	zinc_store *s;

	(void)state;
	if (!this_kind()->put_numbers)
		return;
	this_kind()->put_numbers(named("decimal"));
	s = open_at("decimal");
	assert_int_equal(zinc_store_list(s, "", check_order, &o, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "byte order"));
	zinc_store_close(s);
}

/* A jump passes over all keys below a prefix: none are listed, and none are erased. */
static void
descending_orders_are_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	order o = {.n = 0};
	zinc_store *s;

	(void)state;
	if (strcmp(this_kind()->ending, ".kct") != 0)
		return;
	this_kind()->put_raw("down.kct#rcomp=lexdesc", "a/b", 3);
	this_kind()->put_raw("down.kct#rcomp=lexdesc", "a/c", 3);
	s = open_at("down");
	assert_text(s, "a/b", "x");
	assert_int_equal(zinc_store_list(s, "a/", check_order, &o, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_store_del_prefix(s, "a/", 0, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_text(s, "a/b", "x");
	zinc_store_close(s);
}

/* ---- files that cannot be looked at, links, remains ---- */

/* (10) of store_file_look.c: whether there is a database is not known. */
static void
failures_are_not_missing(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("fails"), *other = NULL;
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	put_text(s, "k", "1");
	run("mv %s aside && ln -s %s %s", "fails");
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_int_equal(open_with(&other, "fails", "", &err), ZINC_E_IO);
	run("rm -f %s && ln -s nothing %s", "fails");
	assert_missing(s, "k");
	run("rm -f %s && mv aside %s", "fails");
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* (13) */
static void
links_stay_links(void **state)
{
	zinc_store *s;

	(void)state;
	if (this_kind()->forkless)
		return;
	run("mkdir far && ln -s far/%s %s", "linked");
	s = open_at("linked");
	put_text(s, "k", "1");
	zinc_store_close(s);
	run("test -L %s && test -s far/%s", "linked");
	run("mv far/%s . && rmdir far", "linked");
	s = open_at("linked");
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* Without the file CURRENT the library takes the directory for a new database. */
static void
remains_are_no_new_database(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("remains");
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	put_text(s, "k", "1");
	if (this_kind()->forkless) {
		run("mv %s/CURRENT aside", "remains");
		assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_CORRUPT);
		assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, NULL, 0, NULL, NULL, &err), ZINC_E_CORRUPT);
		run("mv aside %s/CURRENT", "remains");
	}
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

static int
return_marker(const zinc_os *self, int dir, int (*fn)(void *arg, const char *name, int type), void *arg)
{
	run("! test -e aside || mv aside %s/CURRENT", "meanwhile");
	return zinc_os_posix.read_dir(self, dir, fn, arg);
}

/* Another process makes it between the look at CURRENT and the one at the directory. */
static void
made_while_one_looks(void **state)
{
	static zinc_os os;
	zinc_store *s;

	(void)state;
	os = zinc_os_posix;
	os.read_dir = return_marker;
	zinc_context_get(NULL)->os = &os; /* before any thread uses it */
	s = open_at("meanwhile");
	put_text(s, "k", "1");
	if (this_kind()->forkless)
		run("mv %s/CURRENT aside", "meanwhile");
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* Nor does a change that changes nothing make a database. */
static void
erasing_creates_nothing(void **state)
{
	zinc_store *s = open_at("nothing");

	(void)state;
	assert_erasing_creates_nothing(s, named("nothing"));
	zinc_store_close(s);
}

static zinc_status
read_late(void *arg, const void *old, size_t n, zinc_update *out, zinc_error *err)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_status st;

	(void)old, (void)n;
	usleep(400000);
	wait.until = zinc_now(zinc_context_get(NULL)) + 10;
	st = zinc_store_get_all((zinc_store *)arg, "k", &b, NULL, 0, &wait, err);
	zinc_blob_fini(&b);
	out->bytes = "2";
	out->nbytes = 1;
	return st;
}

static zinc_status
never_called(void *arg, const void *old, size_t n, zinc_update *out, zinc_error *err)
{
	(void)arg, (void)old, (void)n, (void)out;
	return zinc_fail(err, ZINC_E_CORRUPT, "the function is called");
}

static void
updates_have_a_limit(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("limit");

	(void)state;
	put_text(s, "k", "1234");
	assert_int_equal(zinc_store_update(s, "k", never_called, NULL, 0, 3, 0, NULL, &err), ZINC_E_LIMIT);
	assert_text(s, "k", "1234");
	zinc_store_close(s);
}

/* The handle is old enough to be given up, but for the call whose function reads. */
static void
slow_updates_may_read(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("slow");

	(void)state;
	put_text(s, "k", "1");
	assert_ok(zinc_store_update(s, "k", read_late, s, 0, 0, 0, NULL, &err));
	assert_text(s, "k", "2");
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
	if (this_kind()->forkless) { /* a directory */
		write_file(named("text"), "a file");
		snprintf(path, sizeof path, "%s/CURRENT", named("lies"));
		write_file(path, "MANIFEST-000002\n");
		assert_int_not_equal(open_with(&s, "lies", "", &err), ZINC_OK);
		assert_int_equal(open_with(&s, "text", "", &err), ZINC_E_IO);
		assert_non_null(strstr(err.text, "is not a directory"));
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

/* (12) What a process that was killed while it made a database has left. */
static void
half_made_databases(void **state)
{
	char path[96];
	zinc_store *s;

	(void)state;
	snprintf(path, sizeof path, ".new-%s", named("half"));
	write_file(path, "half a database");
	run("echo rubbish > .new-%s.wal && echo rubbish > %s.wal", "half");
	if (!this_kind()->forkless)
		write_file(named("half"), "");
	s = open_at("half");
	assert_missing(s, "k");
	put_text(s, "k", "1");
	assert_text(s, "k", "1");
	assert_true(this_kind()->forkless || access(path, F_OK) != 0);
	zinc_store_close(s);
}

static void
paths_that_the_library_reads_otherwise(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	if (strcmp(this_kind()->scheme, "kyotocabinet") == 0)
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
	snprintf(url, sizeof url, "%s://%s", this_kind()->scheme, named("sweep"));
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

/* ---- (14): room on the disk ---- */

static atomic_int reserve_fails; /* with this errno */

static int
reserve_or_fail(const zinc_os *self, int fd, off_t n)
{
	errno = atomic_load(&reserve_fails);
	return errno ? -1 : zinc_os_posix.reserve(self, fd, n);
}

/* A full disk and a quota forbid the change; a file system that cannot reserve does not. */
static void
no_room_for_a_change(void **state)
{
	const bool reserves =
	    !strcmp(this_kind()->scheme, "berkeleydb") || !strcmp(this_kind()->scheme, "tokyocabinet");
	const int full[] = {ENOSPC, EDQUOT, EFBIG};
	zinc_error err = ZINC_ERROR_INIT;
	static zinc_os os;
	zinc_store *s;
	size_t i;

	(void)state;
	os = zinc_os_posix;
	os.reserve = reserve_or_fail;
	zinc_context_get(NULL)->os = &os;
	s = open_at("room");
	put_text(s, "k", "old");
	for (i = 0; i < COUNT(full) && reserves; i++) {
		atomic_store(&reserve_fails, full[i]);
		assert_int_equal(zinc_store_put(s, NULL, "k", "new", 3, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
		assert_text(s, "k", "old");
	}
	atomic_store(&reserve_fails, EOPNOTSUPP);
	put_text(s, "k", "new");
	assert_text(s, "k", "new");
	zinc_store_close(s);
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

static int
conform(const char *name)
{
	return conform_store_run(name, make, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reading_creates_nothing),
	    cmocka_unit_test(bare_paths),
	    cmocka_unit_test(long_values_and_their_tags),
	    cmocka_unit_test(parts_have_the_tag_of_now),
	    cmocka_unit_test(conditions_see_what_precedes),
	    cmocka_unit_test(relaxed_changes_are_synced),
	    cmocka_unit_test(stores_share_one_handle),
	    cmocka_unit_test(threads_open_one_handle),
	    cmocka_unit_test(replaced_databases_are_noticed),
	    cmocka_unit_test(damaged_heads_are_refused),
	    cmocka_unit_test(names_that_are_no_keys),
	    cmocka_unit_test(many_keys),
	    cmocka_unit_test(other_orders_are_refused),
	    cmocka_unit_test(descending_orders_are_refused),
	    cmocka_unit_test(failures_are_not_missing),
	    cmocka_unit_test(links_stay_links),
	    cmocka_unit_test(remains_are_no_new_database),
	    cmocka_unit_test(made_while_one_looks),
	    cmocka_unit_test(erasing_creates_nothing),
	    cmocka_unit_test(slow_updates_may_read),
	    cmocka_unit_test(updates_have_a_limit),
	    cmocka_unit_test(other_files_are_refused),
	    cmocka_unit_test(half_made_databases),
	    cmocka_unit_test(paths_that_the_library_reads_otherwise),
	    cmocka_unit_test(failing_memory),
	    cmocka_unit_test(no_room_for_a_change),
	};

	return run_on_each(tests, COUNT(tests), conform);
}
