/*
 * turn.c - one at a time, for work that may wait for others: locks of other processes, servers
 *
 * Promises (tests/unit/test_turn.c names each by its number):
 *
 * (1) Whoever has taken the turn has it alone until it is given back.
 * (2) fork() in another thread waits for nobody who has the turn, or waits for it: its own lock is held for
 *     moments only.
 * (3) In a forked child the turn is free: whoever had it is not there.
 *
 * A mutex would not do.  Our handlers of fork() take every mutex, and would wait for whatever its owner waits for.
 */
#include "base/base.h"

static void
before_fork(void *object)
{
	pthread_mutex_lock(&((zinc_turn *)object)->lock);
}

static void
parent_after_fork(void *object)
{
	pthread_mutex_unlock(&((zinc_turn *)object)->lock);
}

/* The condition is made anew: it counts threads that are not here. */
static void
child_after_fork(void *object)
{
	zinc_turn *t = (zinc_turn *)object;

	t->taken = false;
	zinc_wait_cond_init(&t->given);
	pthread_mutex_unlock(&t->lock);
}

void
zinc_turn_init(zinc_turn *t)
{
	pthread_mutex_init(&t->lock, NULL);
	zinc_wait_cond_init(&t->given);
	t->taken = false;
	t->fork = (zinc_fork_hook){before_fork, parent_after_fork, child_after_fork, t, NULL, NULL};
	zinc_fork_add(&t->fork);
}

void
zinc_turn_fini(zinc_turn *t)
{
	zinc_fork_remove(&t->fork);
	pthread_cond_destroy(&t->given);
	pthread_mutex_destroy(&t->lock);
}

/* Whoever leaves may have been woken in the place of another, so the next one is. */
zinc_status
zinc_turn_take(zinc_turn *t, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	pthread_mutex_lock(&t->lock);
	while (t->taken && st == ZINC_OK)
		st = zinc_wait_cond(wait, &t->given, &t->lock, "another thread's change", err);
	if (st == ZINC_OK)
		t->taken = true;
	else
		pthread_cond_signal(&t->given);
	pthread_mutex_unlock(&t->lock);
	return st;
}

void
zinc_turn_give(zinc_turn *t)
{
	pthread_mutex_lock(&t->lock);
	t->taken = false;
	pthread_cond_signal(&t->given);
	pthread_mutex_unlock(&t->lock);
}
