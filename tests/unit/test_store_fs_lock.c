/*
 * test_store_fs_lock.c - the lock file protocol: promises 1-3 of store_fs_lock.c, 5 and 11 of store_fs.c
 *
 * Other processes are real ones, and a watchdog ends a hanging test.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/forks.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/holder.h"
#include "support/test.h"

static zinc_store *
open_fs(const char *dir)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, dir, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	return s;
}

/* A durable put of a group waits for its commit and holds its lock meanwhile; a relaxed one does not. */
static zinc_store *
open_durable(const char *dir)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, dir, NULL, &err));
	return s;
}

/* What another program with the same protocol does. */
static int
take_lock_file(const char *path)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(path, O_RDWR | O_CREAT, 0666);

	assert_true(fd != -1);
	assert_int_equal(fcntl(fd, F_OFD_SETLKW, &l), 0);
	return fd;
}

/* ---- promise 1: leftovers ---- */

static void
a_leftover_is_taken_over(void **state)
{
	zinc_store *s;

	(void)state;
	make_empty("d");
	write_file("d/k.__lock", "half of a value that is longer than the next one");
	s = open_fs("d");
	assert_missing(s, "k");
	put_text(s, "k", "short");
	assert_text(s, "k", "short");
	assert_string_equal(tree("d"), "k");
	zinc_store_close(s);
}

/* Only the owner of a file may choose its time; let the first attempt fail as if we were not. */
static void
a_strangers_leftover_is_made_anew(void **state)
{
	struct stat before, after;
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, NULL);
	put_text(rig.store, "warm", "");
	write_file("d/k.__lock", "theirs");
	assert_int_equal(stat("d/k.__lock", &before), 0);
	assert_int_equal(link("d/k.__lock", "theirs"), 0); /* keeps the inode's number from coming back */
	assert_int_equal(unlink("theirs"), 0);
	sweep_calls_forget(&rig.calls);
	rig.calls.only = "futimens";
	sweep_calls_fail(&rig.calls, 1, false, EPERM);
	assert_ok(zinc_store_put(rig.store, NULL, "k", "ours", 4, NULL, 0, NULL, NULL, &err));
	assert_int_equal(rig.calls.failed, 1);
	assert_true(sweep_calls_find(&rig.calls, 0, "unlinkat", "k.__lock") >= 0);
	assert_int_equal(stat("d/k", &after), 0);
	assert_string_equal(read_text("d/k"), "ours");
	rig_close(&rig);
}

static void
a_lock_file_with_two_names_is_not_written(void **state)
{
	zinc_store *s;

	(void)state;
	make_empty("d");
	unlink("precious");
	write_file("precious", "do not touch");
	assert_int_equal(link("precious", "d/k.__lock"), 0);
	s = open_fs("d");
	put_text(s, "k", "value");
	assert_text(s, "k", "value");
	assert_string_equal(read_text("precious"), "do not touch");
	zinc_store_close(s);
}

static void
a_lock_file_that_is_something_else_is_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;

	(void)state;
	make_empty("d");
	unlink("precious");
	write_file("precious", "do not touch");
	assert_int_equal(symlink("../precious", "d/a.__lock"), 0);
	assert_int_equal(mkdir("d/b.__lock", 0777), 0);
	assert_int_equal(mkfifo("d/c.__lock", 0666), 0);
	s = open_fs("d");
	assert_int_equal(zinc_store_put(s, NULL, "a", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_put(s, NULL, "b", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_put(s, NULL, "c", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_IO);
	assert_string_equal(read_text("precious"), "do not touch");
	zinc_store_close(s);
}

/* ---- waiting ---- */

typedef struct waiter {
	zinc_store *store;
	atomic_bool done;
	zinc_status status;
} waiter;

static void *
put_in_thread(void *arg)
{
	waiter *w = (waiter *)arg;

	w->status = zinc_store_put(w->store, NULL, "k", "ours", 4, NULL, 0, NULL, NULL, NULL);
	w->done = true;
	return NULL;
}

/* The owner renames its lock file to the key, as TensorStore does: a process that waited for that file must check
 * again. */
static void
a_waiter_looks_again(void **state)
{
	waiter w = {.store = NULL};
	pthread_t t;
	int fd;

	(void)state;
	make_empty("d");
	w.store = open_fs("d");
	put_text(w.store, "warm", "");
	fd = take_lock_file("d/k.__lock");
	assert_int_equal(write(fd, "theirs", 6), 6);
	assert_int_equal(pthread_create(&t, NULL, put_in_thread, &w), 0);
	usleep(50000);
	assert_false(w.done);
	assert_int_equal(rename("d/k.__lock", "d/k"), 0);
	assert_string_equal(read_text("d/k"), "theirs");
	close(fd);
	pthread_join(t, NULL);
	assert_int_equal(w.status, ZINC_OK);
	assert_string_equal(read_text("d/k"), "ours");
	fd = take_lock_file("d/k.__lock"); /* now one that is unlinked, as after a delete */
	w.done = false;
	assert_int_equal(pthread_create(&t, NULL, put_in_thread, &w), 0);
	usleep(20000);
	assert_int_equal(unlink("d/k.__lock"), 0);
	close(fd);
	pthread_join(t, NULL);
	assert_int_equal(w.status, ZINC_OK);
	assert_string_equal(tree("d"), "k warm");
	zinc_store_close(w.store);
}

static zinc_status
increment(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	long *n = (long *)arg;

	(void)err;
	*n = 0;
	if (nold == sizeof *n)
		memcpy(n, old, sizeof *n);
	++*n;
	out->bytes = n;
	out->nbytes = sizeof *n;
	return ZINC_OK;
}

/* The holder never releases the lock: only the deadline or the flag can end the wait, and nothing is changed then. */
static void
a_waiter_may_give_up(void **state)
{
	zinc_cancel flag = ZINC_CANCEL_INIT;
	zinc_wait deadline = {sizeof deadline, zinc_now(NULL) + 0.1, NULL}, flagged = {sizeof flagged, 0, &flag};
	zinc_error err = ZINC_ERROR_INIT;
	pid_t holder;
	zinc_store *s;
	long n;

	(void)state;
	make_empty("d");
	s = open_fs("d");
	put_text(s, "k", "old");
	holder = holder_start("d/k.__lock");
	assert_int_equal(zinc_store_put(s, NULL, "k", "new", 3, NULL, 0, NULL, &deadline, &err), ZINC_E_CANCELLED);
	assert_string_equal(err.text,
			    "the deadline passed while waiting for the lock of its value, which somebody else has");
	assert_string_equal(err.key, "k");
	assert_int_equal(zinc_store_del(s, NULL, "k", NULL, 0, &deadline, &err), ZINC_E_CANCELLED);
	zinc_cancel_set(&flag);
	assert_int_equal(zinc_store_update(s, "k", increment, &n, 0, 0, 0, &flagged, &err), ZINC_E_CANCELLED);
	assert_true(holder_stands(holder));
	assert_text(s, "k", "old");
	holder_end(holder);
	put_text(s, "k", "new");
	assert_string_equal(tree("d"), "k");
	zinc_store_close(s);
}

/* Until the store tries the lock only rarely. */
static void
a_waiter_is_patient(void **state)
{
	int ready[2];
	zinc_store *s;
	pid_t pid;
	char c;

	(void)state;
	make_empty("d");
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		take_lock_file("d/k.__lock");
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		sleep(4);
		_exit(0); /* this releases the lock */
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	s = open_fs("d");
	put_text(s, "k", "ours");
	assert_text(s, "k", "ours");
	zinc_store_close(s);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ready[0]);
	close(ready[1]);
}

/* ---- promise 5: none is lost ---- */

enum { PROCESSES = 8, TIMES = 60 };

/* Directories are created and removed during the writes: every tenth time the key is erased and counted separately. */
static int
increment_in_process(int which)
{
	zinc_store *s = open_fs("d");
	long n;
	int i;

	for (i = 0; i < TIMES; i++) {
		if (zinc_store_update(s, "deep/n", increment, &n, 0, 0, 0, NULL, NULL) != ZINC_OK)
			return 1;
		if (zinc_store_put(s, NULL, "come/and/go", "x", 1, NULL, 0, NULL, NULL, NULL) != ZINC_OK)
			return 2;
		if (which % 2 && zinc_store_del(s, NULL, "come/and/go", NULL, 0, NULL, NULL) != ZINC_OK)
			return 3;
	}
	zinc_store_close(s);
	return 0;
}

static void
processes_lose_no_update(void **state)
{
	const long all = PROCESSES * TIMES;
	zinc_store *s;
	pid_t pid[PROCESSES];
	int i, status;

	(void)state;
	make_empty("d");
	for (i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			_exit(increment_in_process(i));
	}
	for (i = 0; i < PROCESSES; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	s = open_fs("d");
	assert_value(s, "deep/n", &all, sizeof all);
	zinc_store_close(s);
}

static void
a_killed_holder_is_no_obstacle(void **state)
{
	int ready[2], i;
	zinc_store *s;
	pid_t pid;
	char c;

	(void)state;
	make_empty("d");
	s = open_fs("d");
	for (i = 0; i < 20; i++) {
		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (pid == 0) {
			int fd = take_lock_file("d/k.__lock");

			if (write(fd, "half a val", 10) != 10 || write(ready[1], "", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		assert_int_equal(read(ready[0], &c, 1), 1);
		assert_int_equal(kill(pid, SIGKILL), 0);
		put_text(s, "k", "whole");
		assert_text(s, "k", "whole");
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		close(ready[0]);
		close(ready[1]);
	}
	assert_string_equal(tree("d"), "k");
	zinc_store_close(s);
}

/* ---- promises 2 and 3: fork ---- */

typedef struct forking {
	pid_t child;
	int pipe[2];
} forking;

/* Fork while the key's lock is held, and let the child continue. */
static zinc_status
fork_inside(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	forking *f = (forking *)arg;
	char c;

	(void)old, (void)nold, (void)err;
	f->child = fork();
	if (f->child == 0) {
		close(f->pipe[1]);
		_exit(read(f->pipe[0], &c, 1) == 0 ? 0 : 1); /* until the parent closes its end */
	}
	out->bytes = "v";
	out->nbytes = 1;
	return ZINC_OK;
}

static void
a_child_keeps_no_lock_alive(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	zinc_store *s, *other;
	forking f;
	int status;

	(void)state;
	make_empty("d");
	s = open_durable("d");
	other = open_fs("d");
	assert_int_equal(pipe(f.pipe), 0);
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	assert_ok(zinc_store_put(s, g, "grouped", "v", 1, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_update(s, "k", fork_inside, &f, 0, 0, 0, NULL, &err));
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	put_text(other, "k", "next"); /* would wait without end for a lock that the child has */
	put_text(other, "grouped", "next");
	close(f.pipe[0]);
	close(f.pipe[1]);
	assert_int_equal(waitpid(f.child, &status, 0), f.child);
	assert_int_equal(status, 0);
	assert_string_equal(tree("d"), "grouped k");
	zinc_store_close(other);
	zinc_store_close(s);
}

/* The parent dies while it holds a lock and its child continues. */
static void
a_child_of_a_killed_holder_is_no_obstacle(void **state)
{
	int ready[2], alive[2];
	zinc_store *s;
	pid_t pid;
	char c;

	(void)state;
	make_empty("d");
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(alive), 0);
	pid = fork();
	if (pid == 0) {
		zinc_put_group *g = NULL;

		s = open_durable("d");
		if (zinc_store_put_begin(s, &g, 0, NULL, NULL) != ZINC_OK ||
		    zinc_store_put(s, g, "k", "never", 5, NULL, 0, NULL, NULL, NULL) != ZINC_OK)
			_exit(1);
		if (fork() == 0) {
			close(alive[1]);
			_exit(write(ready[1], "", 1) == 1 ? (int)read(alive[0], &c, 1) : 1);
		}
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_string_equal(tree("d"), "k.__lock");
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	s = open_fs("d");
	put_text(s, "k", "ours");
	assert_text(s, "k", "ours");
	zinc_store_close(s);
	close(alive[0]);
	close(alive[1]);
	close(ready[0]);
	close(ready[1]);
}

/* The store can be used in a child, and pending work of its parent stays with the parent. */
static int
use_in_child(zinc_store *s, zinc_put_group *g)
{
	zinc_blob b = ZINC_BLOB_INIT;

	if (zinc_store_commit(s, g, NULL, NULL, NULL, NULL) != ZINC_E_IO)
		return 1;
	if (zinc_store_put(s, NULL, "child", "c", 1, NULL, 0, NULL, NULL, NULL) != ZINC_OK)
		return 2;
	if (zinc_store_get_all(s, "child", &b, NULL, 0, NULL, NULL) != ZINC_OK || b.nbytes != 1)
		return 3;
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return 0;
}

static void
a_child_can_use_the_store(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	zinc_store *s;
	int status;
	pid_t pid;

	(void)state;
	make_empty("d");
	s = open_durable("d");
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	assert_ok(zinc_store_put(s, g, "a/parent", "p", 1, NULL, 0, NULL, NULL, &err));
	pid = fork();
	if (pid == 0)
		_exit(use_in_child(s, g));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	assert_string_equal(tree("d"), "a/ a/parent child");
	zinc_store_close(s);
}

/* Forks in the midst of everything: no deadlock, no lost lock. */
static void *
write_all_the_time(void *arg)
{
	waiter *w = (waiter *)arg;
	zinc_status st = ZINC_OK;
	long n;

	while (!w->done && st == ZINC_OK) {
		step_begin();
		st = zinc_store_update(w->store, "n", increment, &n, 0, 0, 0, NULL, NULL);
		step_end();
	}
	return st == ZINC_OK ? NULL : arg;
}

static void
forks_amidst_writers(void **state)
{
	waiter w = {.store = NULL};
	pthread_t t[2];
	void *failed;
	long n = 0;
	int i, status;
	pid_t pid;

	(void)state;
	make_empty("d");
	w.store = open_fs("d");
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, write_all_the_time, &w), 0);
	for (i = 0; i < 30; i++) {
		pid = fork_amidst();
		if (pid == 0)
			leave_child(zinc_store_update(w.store, "n", increment, &n, 0, 0, 0, NULL, NULL) != ZINC_OK);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	w.done = true;
	for (i = 0; i < 2; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	zinc_store_close(w.store);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_leftover_is_taken_over),
	    cmocka_unit_test(a_strangers_leftover_is_made_anew),
	    cmocka_unit_test(a_lock_file_with_two_names_is_not_written),
	    cmocka_unit_test(a_lock_file_that_is_something_else_is_refused),
	    cmocka_unit_test(a_waiter_looks_again),
	    cmocka_unit_test(a_waiter_may_give_up),
	    cmocka_unit_test(a_waiter_is_patient),
	    cmocka_unit_test(processes_lose_no_update),
	    cmocka_unit_test(a_killed_holder_is_no_obstacle),
	    cmocka_unit_test(a_child_keeps_no_lock_alive),
	    cmocka_unit_test(a_child_of_a_killed_holder_is_no_obstacle),
	    cmocka_unit_test(a_child_can_use_the_store),
	    cmocka_unit_test(forks_amidst_writers),
	};

	alarm(HANGS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
