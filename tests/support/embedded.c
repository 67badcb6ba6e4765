/*
 * embedded.c - see embedded.h
 */
#include "support/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/files.h"

/* ThreadSanitizer ends a program that has more than 64 locks at once, as Kyoto and Tokyo Cabinet do.  What all of them share is
 * tested with the others. */
#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

#if ZINC_WITH_LEVELDB
#include <leveldb/c.h>
#endif
#if ZINC_WITH_BERKELEYDB
#include <db.h>
#endif
#if ZINC_WITH_KYOTOCABINET && !UNDER_TSAN
#include <kclangc.h>
#endif
#if ZINC_WITH_TOKYOCABINET && !UNDER_TSAN
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
static int
compare_numbers(DB *db, const DBT *a, const DBT *b)
{
	(void)db;
	return a->size != b->size ? (a->size > b->size ? 1 : -1) : memcmp(a->data, b->data, a->size);
}

static void
put_berkeley_in(const char *file, const char *key, size_t n, int (*order)(DB *db, const DBT *a, const DBT *b))
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
	if (order)
		assert_int_equal(db->set_bt_compare(db, order), 0);
	assert_int_equal(db->open(db, NULL, file, NULL, DB_BTREE, DB_CREATE, 0666), 0);
	assert_int_equal(db->put(db, NULL, &k, &v, 0), 0);
	assert_int_equal(db->close(db, 0), 0);
}

static void
put_berkeley(const char *file, const char *key, size_t n)
{
	put_berkeley_in(file, key, n, NULL);
}

static void
put_berkeley_numbers(const char *file)
{
	put_berkeley_in(file, "10", 2, compare_numbers);
	put_berkeley_in(file, "9", 1, compare_numbers);
}
#endif

#if ZINC_WITH_KYOTOCABINET && !UNDER_TSAN
static void
put_kyoto(const char *file, const char *key, size_t n)
{
	KCDB *db = kcdbnew();

	assert_true(kcdbopen(db, file, KCOWRITER | KCOCREATE));
	assert_true(kcdbset(db, key, n, "x", 1));
	assert_true(kcdbclose(db));
	kcdbdel(db);
}

static void
put_kyoto_numbers(const char *file)
{
	char name[96];

	snprintf(name, sizeof name, "%s#rcomp=dec", file);
	put_kyoto(name, "10", 2);
	put_kyoto(name, "9", 1);
}
#endif

#if ZINC_WITH_TOKYOCABINET && !UNDER_TSAN
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
put_tree_numbers(const char *file)
{
	TCBDB *db = tcbdbnew();

	assert_true(tcbdbsetcmpfunc(db, tccmpdecimal, NULL));
	assert_true(tcbdbopen(db, file, BDBOWRITER | BDBOCREAT));
	assert_true(tcbdbput(db, "10", 2, "x", 1));
	assert_true(tcbdbput(db, "9", 1, "x", 1));
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

static const kind kinds[] = {
#if ZINC_WITH_LEVELDB
    {"leveldb", ".leveldb", true, false, true, put_level, NULL, zinc_store_leveldb_register},
#endif
#if ZINC_WITH_BERKELEYDB
    {"berkeleydb", ".bdb", false, true, false, put_berkeley, put_berkeley_numbers, zinc_store_berkeleydb_register},
#endif
#if ZINC_WITH_KYOTOCABINET && !UNDER_TSAN
    {"kyotocabinet", ".kct", false, true, true, put_kyoto, put_kyoto_numbers, zinc_store_kyotocabinet_register},
    {"kyotocabinet", ".kch", false, true, true, put_kyoto, NULL, NULL},
#endif
#if ZINC_WITH_TOKYOCABINET && !UNDER_TSAN
    {"tokyocabinet", ".tcb", false, true, true, put_tree, put_tree_numbers, zinc_store_tokyocabinet_register},
    {"tokyocabinet", ".tch", false, true, true, put_hash, NULL, NULL},
#endif
    {NULL, NULL, false, false, false, NULL, NULL, NULL},
};

static const kind *now; /* the one that is tested */

const kind *
this_kind(void)
{
	return now;
}

const char *
named(const char *name)
{
	static char file[64];

	snprintf(file, sizeof file, "%s%s", name, now->ending);
	return file;
}

zinc_status
open_with(zinc_store **s, const char *name, const char *query, zinc_error *err)
{
	char url[256];

	snprintf(url, sizeof url, "%s://%s%s", now->scheme, named(name), query);
	return zinc_store_open(s, url, NULL, err);
}

zinc_store *
open_at(const char *name)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(open_with(&s, name, "", &err));
	return s;
}

void
run(const char *format, const char *name)
{
	char command[512], file[64];

	snprintf(file, sizeof file, "%s", named(name));
	snprintf(command, sizeof command, format, file, file, file);
	assert_int_equal(system(command), 0);
}

int
exit_of(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* One test, in a process of its own. */
static int
run_apart(const struct CMUnitTest *test, int (*suite)(const char *name))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		exit((test ? _cmocka_run_group_tests(now->ending, test, 1, NULL, NULL) : suite(now->ending)) != 0);
	return exit_of(pid);
}

int
run_on_each(const struct CMUnitTest *tests, size_t n, int (*suite)(const char *name))
{
	zinc_error err = ZINC_ERROR_INIT;
	int failed = 0;
	size_t i;

	if (!kinds[0].scheme) {
		fprintf(stderr, "built without any of the libraries\n");
		return 77;
	}
	enter_fast_dir();
	assert_int_equal(chmod(".", 0755), 0); /* for users without rights */
	for (now = kinds; now->scheme; now++) {
		if (now->add)
			assert_ok(now->add(&err));
		for (i = 0; i < n; i++)
			failed += run_apart(&tests[i], NULL) != 0;
		if (suite)
			failed += run_apart(NULL, suite) != 0;
	}
	leave_fast_dir();
	return failed;
}
