/*
 * test_fork.c - the promises of fork.c, by number
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "support/test.h"

/* The hooks that ran, in order: 'b' 'p' 'c' followed by the hook's digit. */
static char trace[64];
static size_t ntrace;

static void
note(char what, const void *object)
{
	trace[ntrace++] = what;
	trace[ntrace++] = *(const char *)object;
	trace[ntrace] = '\0';
}

static void
note_before(void *object)
{
	note('b', object);
}

static void
note_parent(void *object)
{
	note('p', object);
}

static void
note_child(void *object)
{
	note('c', object);
}

/* The exit status of a child that only checks the trace. */
static bool
child_saw(const char *want)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(strcmp(trace, want) == 0 ? 3 : 4);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

/* (2) */
static void
newest_first_and_back(void **state)
{
	char one = '1', two = '2', three = '3';
	zinc_fork_hook a = {note_before, note_parent, note_child, &one, NULL, NULL};
	zinc_fork_hook b = {note_before, note_parent, note_child, &two, NULL, NULL};
	zinc_fork_hook c = {note_before, note_parent, note_child, &three, NULL, NULL};

	(void)state;
	zinc_fork_add(&a);
	zinc_fork_add(&b);
	zinc_fork_add(&c);
	zinc_fork_add(&b); /* already in: nothing */
	ntrace = 0;
	assert_true(child_saw("b3b2b1c1c2c3"));
	assert_string_equal(trace, "b3b2b1p1p2p3");
	zinc_fork_remove(&b);
	zinc_fork_remove(&b);
	ntrace = 0;
	assert_true(child_saw("b3b1c1c3"));
	zinc_fork_remove(&a);
	zinc_fork_remove(&c);
	ntrace = 0;
	trace[0] = '\0';
	assert_true(child_saw(""));
}

/* ---- (1): locks that other threads take all the time ---- */

struct locked {
	pthread_mutex_t lock;
	long value; /* odd only while locked */
	atomic_bool stop;
};

static void
take_lock(void *object)
{
	pthread_mutex_lock(&((struct locked *)object)->lock);
}

static void
give_lock(void *object)
{
	pthread_mutex_unlock(&((struct locked *)object)->lock);
}

static void *
keep_busy(void *arg)
{
	struct locked *l = (struct locked *)arg;

	while (!l->stop) {
		pthread_mutex_lock(&l->lock);
		l->value++;
		l->value++;
		pthread_mutex_unlock(&l->lock);
	}
	return NULL;
}

static void
child_finds_locks_free_and_data_whole(void **state)
{
	static struct locked l = {.lock = PTHREAD_MUTEX_INITIALIZER};
	zinc_fork_hook hook = {take_lock, give_lock, give_lock, &l, NULL, NULL};
	pthread_t thread;
	int i, status;
	pid_t pid;

	(void)state;
	zinc_fork_add(&hook);
	assert_int_equal(pthread_create(&thread, NULL, keep_busy, &l), 0);
	for (i = 0; i < MANY(60); i++) {
		pid = fork();
		if (pid == 0) {
			alarm(HANGS);
			pthread_mutex_lock(&l.lock);
			_exit(l.value % 2 == 0 ? 3 : 4);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	}
	l.stop = true;
	pthread_join(thread, NULL);
	zinc_fork_remove(&hook);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(newest_first_and_back),
	    cmocka_unit_test(child_finds_locks_free_and_data_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
