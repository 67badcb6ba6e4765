/*
 * test_store_fs_group.c - many changes under one commit: promises 2 and 7 of store_fs.c
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "store/store_fs.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

static zinc_put_group *
begin(zinc_store *s, uint32_t flags)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;

	assert_ok(zinc_store_put_begin(s, &g, flags, NULL, &err));
	return g;
}

static void
put_in(zinc_store *s, zinc_put_group *g, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(s, g, key, key, strlen(key), NULL, 0, NULL, NULL, &err));
}

static void
commit(zinc_store *s, zinc_put_group *g)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
}

/* ---- promise 2: counts ---- */

static void
each_directory_is_synced_once(void **state)
{
	char key[32];
	fs_rig rig;
	zinc_put_group *g;
	int i;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	put_text(rig.store, "warm", "");
	sweep_calls_forget(&rig.calls);
	g = begin(rig.store, 0);
	for (i = 0; i < 12; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 3, i);
		put_in(rig.store, g, key);
	}
	assert_int_equal(rig_count(&rig, "fsync"), 0);
	assert_int_equal(rig_count(&rig, "renameat"), 0);
	commit(rig.store, g);
	assert_int_equal(rig_count(&rig, "fsync"), 12 + 3 + 2); /* files; c/0, c/1, c/2; c and the root */
	sweep_calls_forget(&rig.calls);
	g = begin(rig.store, 0);
	for (i = 0; i < 12; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 3, i);
		assert_int_equal(zinc_store_del(rig.store, g, key, NULL, 0, NULL, NULL), ZINC_OK);
	}
	commit(rig.store, g);
	assert_int_equal(rig_count(&rig, "fsync"), 1); /* all are removed: the root */
	assert_string_equal(tree("d"), "warm");
	rig_close(&rig);
}

/* Every rename is after the fsync of its file, every fsync of a directory after all renames in it. */
static void
order_within_a_group(void **state)
{
	zinc_put_group *g;
	long sync, rename;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	put_text(rig.store, "warm", "");
	sweep_calls_forget(&rig.calls);
	g = begin(rig.store, 0);
	put_in(rig.store, g, "a");
	put_in(rig.store, g, "b");
	commit(rig.store, g);
	assert_string_equal(rig_story(&rig),
			    "lock(a.__lock) write(a.__lock) lock(b.__lock) write(b.__lock) "
			    "time(a.__lock) sync(a.__lock) rename(a.__lock -> a) unlock(a.__lock) "
			    "time(b.__lock) sync(b.__lock) rename(b.__lock -> b) unlock(b.__lock) sync(.)");
	sync = sweep_calls_find(&rig.calls, 0, "fsync", NULL);
	rename = sweep_calls_find(&rig.calls, 0, "renameat", NULL);
	assert_true(sync < rename);
	rig_close(&rig);
}

/* ---- the window ---- */

typedef struct held_locks {
	int now, most;
} held_locks;

static void
watch_locks(void *arg, const char *name, int fd, const char *path)
{
	held_locks *h = (held_locks *)arg;

	(void)fd, (void)path;
	if (strcmp(name, "lock") == 0 && ++h->now > h->most)
		h->most = h->now;
	if (strcmp(name, "unlock") == 0)
		h->now--;
}

static void
at_most_64_locks_are_held(void **state)
{
	held_locks h = {0, 0};
	char key[32];
	fs_rig rig;
	zinc_put_group *g;
	int i;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	put_text(rig.store, "warm", "");
	rig.calls.hook = watch_locks;
	rig.calls.hook_arg = &h;
	g = begin(rig.store, 0);
	for (i = 0; i < 200; i++) {
		snprintf(key, sizeof key, "%d", i);
		put_in(rig.store, g, key);
	}
	commit(rig.store, g);
	assert_int_equal(h.now, 0);
	assert_int_equal(h.most, FS_WINDOW);
	rig_close(&rig);
}

/* Several groups together have at most 256 open, so that descriptors do not run out. */
static void
many_groups_share_the_descriptors(void **state)
{
	enum { GROUPS = 10 };
	zinc_put_group *g[GROUPS];
	held_locks h = {0, 0};
	char key[32];
	fs_rig rig;
	int i, j;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	put_text(rig.store, "warm", "");
	rig.calls.hook = watch_locks;
	rig.calls.hook_arg = &h;
	for (j = 0; j < GROUPS; j++)
		g[j] = begin(rig.store, 0);
	for (i = 0; i < 60; i++)
		for (j = 0; j < GROUPS; j++) {
			snprintf(key, sizeof key, "%d/%d", j, i);
			put_in(rig.store, g[j], key);
		}
	assert_in_range(h.most, FS_WINDOW, FS_MAX_HELD);
	for (j = 0; j < GROUPS; j++)
		commit(rig.store, g[j]);
	assert_text(rig.store, "9/59", "9/59");
	rig_close(&rig);
}

/* So large that it does not keep all its keys in mind till the end. */
static void
a_huge_group(void **state)
{
	enum { N = 9000 };
	char key[32];
	zinc_store *s;
	fs_rig rig;
	zinc_put_group *g;
	int i;

	(void)state;
	enter_fast_dir();
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	s = rig.store;
	rig.calls.keep_log = false;
	g = begin(s, 0);
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 10, i);
		put_in(s, g, key);
	}
	commit(s, g);
	for (i = 0; i < N; i += 97) {
		snprintf(key, sizeof key, "c/%d/%d", i % 10, i);
		assert_text(s, key, key);
	}
	assert_int_equal(zinc_store_del_prefix(s, "", 0, NULL, NULL), ZINC_OK);
	assert_string_equal(tree("d"), "");
	rig_close(&rig);
	leave_fast_dir();
}

static void
abort_leaves_nothing(void **state)
{
	zinc_put_group *g;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	put_text(rig.store, "k", "old");
	g = begin(rig.store, 0);
	put_in(rig.store, g, "k");
	put_in(rig.store, g, "new/dir/k");
	assert_string_equal(tree("d"), "k k.__lock new/ new/dir/ new/dir/k.__lock");
	zinc_store_abort(rig.store, g);
	assert_string_equal(tree("d"), "k");
	assert_text(rig.store, "k", "old");
	g = begin(rig.store, 0); /* one that is forgotten is aborted when the store is closed */
	put_in(rig.store, g, "k");
	rig_close(&rig);
	assert_string_equal(tree("d"), "k");
	assert_string_equal(read_text("d/k"), "old");
}

/* ---- outcomes ---- */

typedef struct outcomes {
	char text[256];
} outcomes;

static void
note_outcome(void *arg, const char *key, zinc_status st, const zinc_error *error)
{
	outcomes *o = (outcomes *)arg;
	size_t n = strlen(o->text);

	assert_int_equal(error->code, st);
	assert_string_equal(error->key, key);
	snprintf(o->text + n, sizeof o->text - n, "%s:%s ", key, zinc_status_name(st));
}

/* A new store with these keys, whose values are empty. */
static void
plant(fs_rig *rig, const char *const *keys)
{
	make_empty("d");
	rig_open(rig, "d", NULL, NULL);
	for (; *keys; keys++)
		put_text(rig->store, *keys, "");
}

/* Commit while the n-th fsync fails. */
static void
commit_unsynced(fs_rig *rig, zinc_put_group *g, unsigned n, zinc_status st, outcomes *o, zinc_error *err)
{
	o->text[0] = '\0';
	rig->calls.only = "fsync";
	sweep_calls_fail(&rig->calls, n, false, EIO);
	assert_int_equal(zinc_store_commit(rig->store, g, note_outcome, o, NULL, err), st);
}

static void
an_unsynced_directory_makes_its_keys_uncertain(void **state)
{
	static const char *const keys[] = {"a/0", "b/0", NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g;
	outcomes o;
	fs_rig rig;

	(void)state;
	plant(&rig, keys);
	g = begin(rig.store, 0);
	put_in(rig.store, g, "a/k");
	put_in(rig.store, g, "b/k");
	commit_unsynced(&rig, g, 3, ZINC_E_UNCERTAIN, &o, &err); /* two files, then a, then b */
	assert_string_equal(o.text, "a/k:E_UNCERTAIN ");
	assert_string_equal(err.key, "a/k");
	g = begin(rig.store, 0);
	put_in(rig.store, g, "a/k");
	put_in(rig.store, g, "b/k");
	commit_unsynced(&rig, g, 2, ZINC_E_IO, &o, &err); /* of one file */
	assert_string_equal(o.text, "b/k:E_IO ");
	rig.calls.only = NULL;
	sweep_calls_fail(&rig.calls, 0, false, 0);
	assert_text(rig.store, "b/k", "b/k"); /* the old one, which is the same */
	rig_close(&rig);
}

/* Removed directories are synced by the remaining directory above, once for both: it fails for both. */
static void
removed_directories_share_their_failure(void **state)
{
	static const char *const keys[] = {"a/0", "a/b/k", "a/bb/k", "a/c/k", NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g;
	outcomes o;
	fs_rig rig;

	(void)state;
	plant(&rig, keys);
	g = begin(rig.store, 0);
	assert_ok(zinc_store_del(rig.store, g, "a/b/k", NULL, 0, NULL, &err));
	put_in(rig.store, g, "a/bb/l");
	assert_ok(zinc_store_del(rig.store, g, "a/c/k", NULL, 0, NULL, &err));
	commit_unsynced(&rig, g, 2, ZINC_E_UNCERTAIN, &o, &err); /* the file, then a, then a/bb */
	assert_non_null(strstr(o.text, "a/b/k:E_UNCERTAIN "));
	assert_non_null(strstr(o.text, "a/c/k:E_UNCERTAIN "));
	assert_null(strstr(o.text, "a/bb/l"));
	rig_close(&rig);
}

/* Several threads wait for the disk; the failure of one is reported only for its key. */
static void
windows_are_finished_by_helpers(void **state)
{
	enum { N = 300 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	static sweep_calls calls;
	zinc_store *s = NULL;
	outcomes o = {""};
	zinc_put_group *g;
	char key[32];
	int i, missing = 0;

	(void)state;
	enter_fast_dir();
	make_empty("d");
	sweep_calls_init(&calls, NULL);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 4), &err));
	zinc_context_set_os(ctx, &calls.os);
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.context = ctx), &err));
	put_text(s, "warm", "");
	g = begin(s, 0);
	calls.only = "fsync";
	sweep_calls_fail(&calls, 100, false, EIO);
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "%d", i);
		put_in(s, g, key);
	}
	assert_int_equal(zinc_store_commit(s, g, note_outcome, &o, NULL, &err), ZINC_E_IO);
	assert_ptr_equal(strchr(o.text, ' '), o.text + strlen(o.text) - 1); /* one key */
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "d/%d", i);
		missing += !exists(key);
	}
	assert_int_equal(missing, 1);
	zinc_store_close(s);
	assert_int_equal(calls.nopen, 0);
	sweep_calls_fini(&calls);
	zinc_context_free(ctx);
	leave_fast_dir();
}

/* ---- promise 7: a waiting writer holds no lock ---- */

typedef struct crossing {
	zinc_store *store; /* a separate object, as in another process */
	const char *first, *second;
	bool update; /* the second change is an update, outside of the group */
	zinc_status status;
} crossing;

static zinc_status
set_x(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	(void)arg, (void)old, (void)nold, (void)err;
	out->bytes = "x";
	out->nbytes = 1;
	return ZINC_OK;
}

static void *
cross(void *arg)
{
	crossing *x = (crossing *)arg;
	zinc_put_group *g;
	int i;

	for (i = 0; i < 100 && x->status == ZINC_OK; i++) {
		x->status = zinc_store_put_begin(x->store, &g, 0, NULL, NULL);
		if (x->status == ZINC_OK)
			x->status = zinc_store_put(x->store, g, x->first, "1", 1, NULL, 0, NULL, NULL, NULL);
		if (x->status == ZINC_OK && x->update)
			x->status = zinc_store_update(x->store, x->second, set_x, NULL, 0, 0, 0, NULL, NULL);
		else if (x->status == ZINC_OK)
			x->status = zinc_store_put(x->store, g, x->second, "2", 1, NULL, 0, NULL, NULL, NULL);
		if (x->status == ZINC_OK)
			x->status = zinc_store_commit(x->store, g, NULL, NULL, NULL, NULL);
	}
	return NULL;
}

static void
crossing_groups_do_not_deadlock(void **state)
{
	zinc_store *a = NULL, *b = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	pthread_t t[3];
	int update, i;

	(void)state;
	make_empty("d");
	assert_ok(zinc_store_open(&a, "d", NULL, &err));
	assert_ok(zinc_store_open(&b, "d", NULL, &err));
	for (update = 0; update < 2; update++) {
		crossing x[3] = {
		    {a, "p", "q", update, ZINC_OK}, {b, "q", "p", update, ZINC_OK}, {b, "r", "p", update, ZINC_OK}};

		for (i = 0; i < 3; i++)
			assert_int_equal(pthread_create(&t[i], NULL, cross, &x[i]), 0);
		for (i = 0; i < 3; i++) {
			pthread_join(t[i], NULL);
			assert_int_equal(x[i].status, ZINC_OK);
		}
	}
	zinc_store_close(a);
	zinc_store_close(b);
	assert_string_equal(tree("d"), "p q r");
}

/* Threads of one call share a group. */
typedef struct sharing {
	zinc_store *store;
	zinc_put_group *group;
	int which;
	zinc_status status;
} sharing;

static void *
share(void *arg)
{
	sharing *x = (sharing *)arg;
	char key[32];
	int i;

	for (i = 0; i < 150 && x->status == ZINC_OK; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 5, x->which * 1000 + i);
		x->status = zinc_store_put(x->store, x->group, key, key, strlen(key), NULL, 0, NULL, NULL, NULL);
		if (x->status == ZINC_OK && i % 7 == 0)
			x->status = zinc_store_del(x->store, x->group, key, NULL, 0, NULL, NULL);
		if (x->status == ZINC_OK && i % 11 == 0)
			x->status = zinc_store_update(x->store, "c/shared", set_x, NULL, 0, 0, 0, NULL, NULL);
	}
	return NULL;
}

static void
threads_share_a_group(void **state)
{
	enum { N = 4 };
	sharing x[N];
	pthread_t t[N];
	char key[32];
	fs_rig rig;
	int i, j;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, ZINC_STORE_OPTIONS(.relaxed = 1));
	x[0].group = begin(rig.store, 0);
	for (i = 0; i < N; i++) {
		x[i] = (sharing){rig.store, x[0].group, i, ZINC_OK};
		assert_int_equal(pthread_create(&t[i], NULL, share, &x[i]), 0);
	}
	for (i = 0; i < N; i++) {
		pthread_join(t[i], NULL);
		assert_int_equal(x[i].status, ZINC_OK);
	}
	commit(rig.store, x[0].group);
	for (i = 0; i < N; i++)
		for (j = 0; j < 150; j++) {
			snprintf(key, sizeof key, "c/%d/%d", j % 5, i * 1000 + j);
			if (j % 7 == 0)
				assert_missing(rig.store, key);
			else
				assert_text(rig.store, key, key);
		}
	rig_close(&rig);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_directory_is_synced_once),
	    cmocka_unit_test(order_within_a_group),
	    cmocka_unit_test(at_most_64_locks_are_held),
	    cmocka_unit_test(many_groups_share_the_descriptors),
	    cmocka_unit_test(a_huge_group),
	    cmocka_unit_test(abort_leaves_nothing),
	    cmocka_unit_test(an_unsynced_directory_makes_its_keys_uncertain),
	    cmocka_unit_test(removed_directories_share_their_failure),
	    cmocka_unit_test(windows_are_finished_by_helpers),
	    cmocka_unit_test(crossing_groups_do_not_deadlock),
	    cmocka_unit_test(threads_share_a_group),
	};

	alarm(HANGS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
