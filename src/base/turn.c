/*
 * turn.c - mutual exclusion for work that may wait for others: locks of other processes, servers
 *
 * Promises (tests/unit/test_turn.c names each by its number):
 *
 * (1) Only one thread has the turn, from taking it until giving it back.
 * (2) fork() in another thread waits neither for the thread that has the turn nor for those that wait for it: the
 *     internal lock is held only briefly.
 * (3) In a forked child the turn is free: the thread that had it does not exist there.
 *
 * A mutex will not do: our fork() handlers take every mutex, and would wait for whatever its owner waits for.
 */
#include "base/base.h"

/* The condition is initialised again: it counts threads that do not exist here. */
static void
child_after_fork(void *object)
{
	zinc_turn *t = (zinc_turn *)object;

	t->taken = false;
	zinc_wait_cond_init(&t->given);
}

void
zinc_turn_init(zinc_turn *t)
{
	pthread_mutex_init(&t->lock, NULL);
	zinc_wait_cond_init(&t->given);
	t->taken = false;
	t->fork = (zinc_fork_hook){.lock = &t->lock, .child = child_after_fork, .object = t};
	zinc_fork_add(&t->fork);
}

void
zinc_turn_fini(zinc_turn *t)
{
	zinc_fork_remove(&t->fork);
	pthread_cond_destroy(&t->given);
	pthread_mutex_destroy(&t->lock);
}

/* A thread that gives up may have consumed the signal of another, so it signals the next. */
zinc_status
zinc_turn_acquire(zinc_turn *t, const zinc_wait *wait, zinc_error *err)
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
zinc_turn_release(zinc_turn *t)
{
	pthread_mutex_lock(&t->lock);
	t->taken = false;
	pthread_cond_signal(&t->given);
	pthread_mutex_unlock(&t->lock);
}
