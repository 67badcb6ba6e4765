/*
 * test_fork.c - the promises of fork.c, by number
 */
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "support/test.h"

/* ---- (2) ---- */

/* The digits of the objects whose `child` ran, in order. */
static char trace[16];
static size_t ntrace;

struct object {
	char digit;
	pthread_mutex_t lock;
	zinc_fork_hook fork;
};

/* The lock of the object is held. */
static void
note_child(void *object)
{
	struct object *o = (struct object *)object;

	trace[ntrace++] = pthread_mutex_trylock(&o->lock) == EBUSY ? o->digit : '?';
	trace[ntrace] = '\0';
}

static void
init(struct object *o, char digit)
{
	*o = (struct object){.digit = digit};
	pthread_mutex_init(&o->lock, NULL);
	o->fork = (zinc_fork_hook){.lock = &o->lock, .child = note_child, .object = o};
	zinc_fork_add(&o->fork);
}

static bool
is_free(struct object *o)
{
	if (pthread_mutex_trylock(&o->lock) != 0)
		return false;
	pthread_mutex_unlock(&o->lock);
	return true;
}

/* Does `child` run as wanted, and in the parent not at all? */
static bool
child_saw(const char *want)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(strcmp(trace, want) == 0 ? 3 : 4);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 3 && ntrace == 0;
}

static void *
fork_once(void *arg)
{
	*(bool *)arg = child_saw("123");
	return NULL;
}

/* fork() waits for the second of three locks. */
static void
newest_lock_is_taken_first(void **state)
{
	struct object o[3];
	pthread_t thread;
	bool seen = false;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		init(&o[i], (char)('1' + i));
	alarm(HANGS);
	pthread_mutex_lock(&o[1].lock);
	assert_int_equal(pthread_create(&thread, NULL, fork_once, &seen), 0);
	while (is_free(&o[2]))
		usleep(1000);
	assert_true(is_free(&o[0]));
	pthread_mutex_unlock(&o[1].lock);
	pthread_join(thread, NULL);
	alarm(0);
	assert_true(seen);
	for (i = 0; i < 3; i++) {
		assert_true(is_free(&o[i]));
		zinc_fork_remove(&o[i].fork);
	}
}

struct holder {
	pthread_mutex_t *lock;
	sem_t held, end;
};

static void *
hold(void *arg)
{
	struct holder *h = (struct holder *)arg;

	pthread_mutex_lock(h->lock);
	sem_post(&h->held);
	sem_wait(&h->end);
	pthread_mutex_unlock(h->lock);
	return NULL;
}

static void
child_runs_oldest_first(void **state)
{
	struct object o[3];
	struct holder h = {.lock = &o[1].lock};
	pthread_t thread;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		init(&o[i], (char)('1' + i));
	zinc_fork_add(&o[1].fork); /* already in: nothing */
	assert_true(child_saw("123"));
	zinc_fork_remove(&o[1].fork);
	zinc_fork_remove(&o[1].fork);
	assert_true(sem_init(&h.held, 0, 0) == 0 && sem_init(&h.end, 0, 0) == 0);
	assert_int_equal(pthread_create(&thread, NULL, hold, &h), 0);
	sem_wait(&h.held);
	alarm(HANGS);
	assert_true(child_saw("13")); /* fork() does not wait for that lock any more */
	alarm(0);
	sem_post(&h.end);
	pthread_join(thread, NULL);
	zinc_fork_remove(&o[0].fork);
	zinc_fork_remove(&o[2].fork);
	assert_true(child_saw(""));
}

/* ---- (1): locks that other threads take all the time ---- */

struct locked {
	pthread_mutex_t lock;
	long value; /* odd only while locked */
	atomic_bool stop;
};

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
	zinc_fork_hook hook = {.lock = &l.lock};
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

/* ---- (3) ---- */

static void
note_before(void *object)
{
	struct object *o = (struct object *)object;

	o->digit = pthread_mutex_trylock(&o->lock) == EBUSY ? 'b' : '?';
}

/* The child has what `before` did. */
static void
before_runs_in_the_parent(void **state)
{
	struct object o;

	(void)state;
	init(&o, '1');
	o.fork.before = note_before;
	ntrace = 0;
	assert_true(child_saw("b"));
	assert_int_equal(o.digit, 'b');
	assert_true(is_free(&o));
	zinc_fork_remove(&o.fork);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(newest_lock_is_taken_first),
	    cmocka_unit_test(child_runs_oldest_first),
	    cmocka_unit_test(child_finds_locks_free_and_data_whole),
	    cmocka_unit_test(before_runs_in_the_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
