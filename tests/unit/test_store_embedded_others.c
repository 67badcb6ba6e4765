/*
 * test_store_embedded_others.c - promises of store_embedded.c about other processes, by number: kill -9, waiting, turns, fork,
 * users without permission
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/embedded.h"
#include "support/gets.h"
#include "support/kill_storm.h"

/* ---- (3) ---- */

static void
killed_writers_lose_nothing(void **state)
{
	char url[128];

	(void)state;
	if (!this_kind()->killable)
		return;
	snprintf(url, sizeof url, "%s://%s", this_kind()->scheme, named("storm"));
	kill_storm(url, getenv("ZINC_LONG") ? 100 : 5);
}

enum { ROWS = 10, ROW_BYTES = 5000 };

static void
fill_row(char *bytes, char *key, char letter, int i)
{
	key[0] = letter;
	key[1] = (char)('0' + i);
	key[2] = 0;
	memset(bytes, letter * 7 + i, ROW_BYTES);
}

static void
put_rows(zinc_store *s, char letter, uint32_t flags)
{
	zinc_error err = ZINC_ERROR_INIT;
	char bytes[ROW_BYTES], key[3];
	int i;

	for (i = 0; i < ROWS; i++) {
		fill_row(bytes, key, letter, i);
		assert_ok(zinc_store_put(s, NULL, key, bytes, sizeof bytes, NULL, flags, NULL, NULL, &err));
	}
}

static void
assert_rows(zinc_store *s, char letter)
{
	char bytes[ROW_BYTES], key[3];
	int i;

	for (i = 0; i < ROWS; i++) {
		fill_row(bytes, key, letter, i);
		assert_value(s, key, bytes, sizeof bytes);
	}
}

/* Room is freed and synced, used again by changes that are not, and then the process ends at once. */
static _Noreturn void
use_room_again(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_at("room");
	char bytes[ROW_BYTES], key[3];
	int i;

	put_rows(s, 'a', 0);
	put_rows(s, 'b', 0);
	for (i = 0; i < ROWS; i++) {
		fill_row(bytes, key, 'a', i);
		assert_ok(zinc_store_del(s, NULL, key, NULL, 0, NULL, &err));
	}
	put_rows(s, 'c', ZINC_PUT_RELAXED);
	raise(SIGKILL);
	_exit(1);
}

/* (3) What a killed process has put is not room for the next. */
static void
killed_writers_leave_no_false_room(void **state)
{
	zinc_store *s;
	int status;
	pid_t pid;

	(void)state;
	if (!this_kind()->killable)
		return;
	pid = fork();
	if (pid == 0)
		use_room_again();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	s = open_at("room");
	assert_rows(s, 'c');
	put_rows(s, 'd', 0);
	assert_rows(s, 'b');
	assert_rows(s, 'c');
	assert_rows(s, 'd');
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
	if (!this_kind()->forkless) {
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
enum { READERS = 4 };

static void *
read_until_the_end(void *arg)
{
	zinc_blob b = ZINC_BLOB_INIT;

	while (zinc_store_get_all((zinc_store *)arg, "end", &b, NULL, 0, NULL, NULL) == ZINC_E_NOTFOUND)
		continue;
	zinc_blob_fini(&b);
	return NULL;
}

static _Noreturn void
read_always(const turns *t)
{
	zinc_store *s = open_at("always");
	pthread_t threads[READERS];
	int i;

	put_text(s, "k", "1");
	pass_on(t->told[1]);
	for (i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_until_the_end, s), 0);
	for (i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	zinc_store_close(s);
	_exit(0);
}

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
	if (pid == 0)
		read_always(&t);
	wait_for(t.told[0]);
	assert_ok(open_with(&s, "always", "", &err));
	put_text(s, "end", "1");
	assert_int_equal(exit_of(pid), 0);
	zinc_store_close(s);
}

/* ---- (7) ---- */

static int
write_in_child(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	int i;

	for (i = 0; i < 10; i++) {
		const zinc_status st = zinc_store_put(s, NULL, "child", "c", 1, NULL, 0, NULL, NULL, &err);

		if (this_kind()->forkless)
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
	if (!this_kind()->forkless)
		assert_text(s, "child", "c");
	assert_text(s, "k", "parent");
	zinc_store_close(s);
}

/* ---- (8) ---- */

static bool
drop_permission(void)
{
	return geteuid() != 0 || setuid(65534) == 0;
}

/* The directory, in a space of mounts of this process. */
static bool
mount_readonly(void)
{
	char dir[4096];

	return getcwd(dir, sizeof dir) && unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount(dir, dir, NULL, MS_BIND, NULL) == 0 &&
	       mount(NULL, dir, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0 && chdir(dir) == 0;
}

/* After `make`; where that is not possible, nothing is tested. */
static int
read_without_permission(bool (*make)(void))
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_store *s = NULL;
	zinc_status st;

	if (!make())
		return 0;
	st = open_with(&s, "locked", "", &err);
	if (!this_kind()->readable)
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
	pid = fork();
	if (pid == 0)
		_exit(read_without_permission(mount_readonly));
	assert_int_equal(exit_of(pid), 0);
	run("chmod -R a-w %s", "locked");
	pid = fork();
	if (pid == 0)
		_exit(read_without_permission(drop_permission));
	assert_int_equal(exit_of(pid), 0);
	run("chmod -R u+w %s", "locked");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(killed_writers_lose_nothing),
	    cmocka_unit_test(killed_writers_leave_no_false_room),
	    cmocka_unit_test(deadlines_hold_while_others_have_it),
	    cmocka_unit_test(idle_stores_let_others_in),
	    cmocka_unit_test(busy_stores_let_others_in),
	    cmocka_unit_test(both_work_after_a_fork),
	    cmocka_unit_test(read_only_places),
	};

	return run_on_each(tests, COUNT(tests), NULL);
}
