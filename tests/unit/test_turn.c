/*
 * test_turn.c - the promises of turn.c, by number
 */
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "support/test.h"

enum { THREADS = 4, TIMES = 2000 };

typedef struct shared {
	zinc_turn turn;
	long value; /* odd only while a caller has the turn */
	atomic_bool odd_seen;
} shared;

static void *
take_turns(void *arg)
{
	shared *s = arg;
	int i;

	for (i = 0; i < MANY(TIMES); i++) {
		if (zinc_turn_acquire(&s->turn, NULL, NULL) != ZINC_OK)
			break;
		if (s->value++ % 2)
			s->odd_seen = true;
		s->value++;
		zinc_turn_release(&s->turn);
	}
	return NULL;
}

/* (1) */
static void
one_at_a_time(void **state)
{
	shared s = {.value = 0};
	pthread_t threads[THREADS];
	int i;

	(void)state;
	zinc_turn_init(&s.turn);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &s), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_false(s.odd_seen);
	assert_int_equal(s.value, 2L * THREADS * MANY(TIMES));
	zinc_turn_fini(&s.turn);
}

static void *
wait_for_it(void *arg)
{
	if (zinc_turn_acquire(arg, NULL, NULL) == ZINC_OK)
		zinc_turn_release(arg);
	return NULL;
}

/* (2), (3): with a mutex fork() would wait here without end, because this thread itself has the turn. */
static void
fork_waits_for_nobody(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_turn t;
	pthread_t waiter;
	int status;
	pid_t pid;

	(void)state;
	alarm(HANGS);
	zinc_turn_init(&t);
	assert_ok(zinc_turn_acquire(&t, NULL, &err));
	assert_int_equal(pthread_create(&waiter, NULL, wait_for_it, &t), 0);
	usleep(20000);
	pid = fork();
	if (pid == 0) {
		alarm(HANGS);
		_exit(zinc_turn_acquire(&t, NULL, NULL) == ZINC_OK ? 3 : 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	zinc_turn_release(&t);
	pthread_join(waiter, NULL);
	zinc_turn_fini(&t);
}

/* The turn is never given: only the deadline and the flag can end the waiting. */
static void
a_waiter_may_leave(void **state)
{
	zinc_cancel cancel = ZINC_CANCEL_INIT;
	zinc_wait deadline = {sizeof deadline, zinc_now(NULL) + 0.05, NULL}, flag = {sizeof flag, 0, &cancel};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_turn t;

	(void)state;
	alarm(HANGS);
	zinc_turn_init(&t);
	assert_ok(zinc_turn_acquire(&t, NULL, &err));
	assert_int_equal(zinc_turn_acquire(&t, &deadline, &err), ZINC_E_CANCELLED);
	assert_string_equal(zinc_error_text(&err), "the deadline passed while waiting for another thread's change");
	zinc_cancel_set(&cancel);
	assert_int_equal(zinc_turn_acquire(&t, &flag, &err), ZINC_E_CANCELLED);
	zinc_turn_release(&t);
	zinc_turn_fini(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_at_a_time),
	    cmocka_unit_test(a_waiter_may_leave),
	    cmocka_unit_test(fork_waits_for_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
