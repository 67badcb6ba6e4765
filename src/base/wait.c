/*
 * wait.c - how long a call may wait
 *
 * Promises (tests/unit/test_wait.c names each by its number):
 *
 * (1) Time counts from the start of the call, on a clock that cannot be set.
 * (2) A cancel flag is noticed while a thread sleeps or waits for another, at most CHECK_SECONDS late.
 * (3) NULL, and a wait without deadline and flag, never ends.
 */
#include <math.h>
#include <time.h>

#include "base/base.h"

/* Seconds between two checks of a flag, because setting it wakes no thread. */
#define CHECK_SECONDS 0.02
/* Deadlines of any size must fit into a timespec. */
#define MAX_SLEEP 1e6

static double
now(void)
{
	struct timespec t;

	if (zinc_os_posix.clock(&zinc_os_posix, CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct timespec
timespec_of(double seconds)
{
	struct timespec t = {(time_t)seconds, 0};

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	return t;
}

double
zinc_wait_left(const zinc_wait *wait)
{
	double left;

	if (!wait || wait->until <= 0)
		return HUGE_VAL;
	left = wait->until - now();
	return left > 0 ? left : 0;
}

zinc_status
zinc_wait_for(const zinc_wait *wait, const char *what, zinc_error *err)
{
	const char *why = NULL;

	if (!wait)
		return ZINC_OK;
	if (zinc_cancel_is(wait->cancel))
		why = "cancelled";
	else if (zinc_wait_left(wait) <= 0)
		why = "the deadline passed";
	if (!why)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_CANCELLED, "%s%s%s", why, what ? " while waiting for " : "", what ? what : "");
}

zinc_status
zinc_wait_check(const zinc_wait *wait, zinc_error *err)
{
	return zinc_wait_for(wait, NULL, err);
}

zinc_status
zinc_wait_begin(zinc_wait *out, const zinc_call_options *call, zinc_error *err)
{
	zinc_call_options o;

	ZINC_TRY(zinc_call_options_take(&o, call, err));
	*out = (zinc_wait){sizeof *out, o.timeout > 0 ? now() + o.timeout : 0, o.cancel};
	return ZINC_OK;
}

zinc_call_options
zinc_wait_rest(const zinc_wait *wait)
{
	zinc_call_options o = ZINC_CALL_OPTIONS_INIT;
	const double left = zinc_wait_left(wait);

	if (left < HUGE_VAL)
		o.timeout = left > 0 ? left : 1e-9;
	o.cancel = wait ? wait->cancel : NULL;
	return o;
}

/* How long to sleep before the next check, at most `seconds`. */
static double
sleep_seconds(const zinc_wait *wait, double seconds)
{
	const double left = zinc_wait_left(wait), most = wait && wait->cancel ? CHECK_SECONDS : MAX_SLEEP;

	seconds = seconds < left ? seconds : left;
	return seconds < most ? seconds : most;
}

zinc_status
zinc_wait_pause(const zinc_wait *wait, double seconds, const char *what, zinc_error *err)
{
	const double end = now() + seconds;
	double left;

	while ((left = end - now()) > 0) {
		const struct timespec t = timespec_of(sleep_seconds(wait, left));

		ZINC_TRY(zinc_wait_for(wait, what, err));
		nanosleep(&t, NULL);
	}
	return zinc_wait_for(wait, what, err);
}

void
zinc_wait_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

zinc_status
zinc_wait_cond(const zinc_wait *wait, pthread_cond_t *cond, pthread_mutex_t *mutex, const char *what, zinc_error *err)
{
	const struct timespec until = timespec_of(now() + sleep_seconds(wait, HUGE_VAL));

	ZINC_TRY(zinc_wait_for(wait, what, err));
	pthread_cond_timedwait(cond, mutex, &until);
	return ZINC_OK;
}
