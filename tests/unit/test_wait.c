/*
 * test_wait.c - the promises of wait.c, by number
 *
 * No time is asserted, only that a call ended, which it would not do without the promise.
 */
#include <math.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/base.h"
#include "support/test.h"

#define AN_HOUR 3600.0

/* (1) */
static void
a_deadline_passes(void **state)
{
	zinc_wait w = {sizeof w, zinc_now(NULL) + 0.02, NULL};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_true(zinc_wait_left(&w) <= 0.02);
	assert_int_equal(zinc_wait_pause(&w, AN_HOUR, "nothing", &err), ZINC_E_CANCELLED);
	assert_string_equal(zinc_error_text(&err), "the deadline passed while waiting for nothing");
	assert_true(zinc_wait_left(&w) == 0);
	assert_int_equal(zinc_wait_check(&w, &err), ZINC_E_CANCELLED);
	assert_string_equal(zinc_error_text(&err), "the deadline passed");
}

/* (3) */
static void
for_ever_is_for_ever(void **state)
{
	zinc_wait w = ZINC_WAIT_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_wait_check(NULL, &err));
	assert_ok(zinc_wait_check(&w, &err));
	assert_true(zinc_wait_left(NULL) == HUGE_VAL && zinc_wait_left(&w) == HUGE_VAL);
	assert_ok(zinc_wait_pause(&w, 0.001, NULL, &err));
	assert_ok(zinc_wait_pause(NULL, 0.001, NULL, &err));
}

static void *
raise_flag(void *arg)
{
	usleep(20000);
	zinc_cancel_set(arg);
	return NULL;
}

/* (2) */
static void
another_thread_cancels_a_pause(void **state)
{
	zinc_cancel cancel = ZINC_CANCEL_INIT;
	zinc_wait w = {sizeof w, zinc_now(NULL) + AN_HOUR, &cancel};
	zinc_error err = ZINC_ERROR_INIT;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, raise_flag, &cancel), 0);
	assert_int_equal(zinc_wait_pause(&w, AN_HOUR, NULL, &err), ZINC_E_CANCELLED);
	assert_string_equal(zinc_error_text(&err), "cancelled");
	pthread_join(thread, NULL);
	zinc_cancel_reset(&cancel);
	assert_ok(zinc_wait_check(&w, &err));
}

static zinc_cancel rung = ZINC_CANCEL_INIT;

static void
on_alarm(int sig)
{
	(void)sig;
	zinc_cancel_set(&rung);
}

/* (2): no thread signals the condition, and the handler may run in this thread or another. */
static void
a_signal_handler_cancels_a_condition(void **state)
{
	struct sigaction alarm = {.sa_handler = on_alarm};
	struct itimerval soon = {.it_value = {0, 20000}};
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	zinc_wait w = {sizeof w, 0, &rung};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st = ZINC_OK;
	pthread_cond_t cond;

	(void)state;
	zinc_wait_cond_init(&cond);
	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	pthread_mutex_lock(&mutex);
	while (st == ZINC_OK)
		st = zinc_wait_cond(&w, &cond, &mutex, "a signal", &err);
	pthread_mutex_unlock(&mutex);
	assert_string_equal(zinc_error_text(&err), "cancelled while waiting for a signal");
	pthread_cond_destroy(&cond);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_deadline_passes),
	    cmocka_unit_test(for_ever_is_for_ever),
	    cmocka_unit_test(another_thread_cancels_a_pause),
	    cmocka_unit_test(a_signal_handler_cancels_a_condition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
