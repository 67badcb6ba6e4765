/*
 * fork.c - hooks that run before and after fork(), for objects with locks
 *
 * Promises (tests/unit/test_fork.c names each by its number):
 *
 * (1) While fork() copies the process, the forking thread holds every lock that has a hook.  So the child never
 *     inherits a lock held by a thread that it does not have.
 * (2) Locks are taken from the newest hook to the oldest: objects of upper rooms are created later and lock first.
 *     They are released, and `child` runs, in the opposite order.
 * (3) `before` runs in the parent, with the object's lock held, before the process is copied.
 *
 * A child of fork() has one thread and a copy of all memory.  A lock that another thread held at that moment would stay
 * locked in the child for ever.
 *
 * The handlers are installed when the library is loaded, while there is one thread: doing it on first use would itself
 * race with a fork.
 */
#include "base/base.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static zinc_fork_hook list = {.next = &list, .prev = &list}; /* a ring; list.next is the newest */

/* Holds the list until after the fork, so that no hook is added or removed in between. */
static void
before_fork(void)
{
	zinc_fork_hook *h;

	pthread_mutex_lock(&list_lock);
	for (h = list.next; h != &list; h = h->next) {
		pthread_mutex_lock(h->lock);
		if (h->before)
			h->before(h->object);
	}
}

static void
after_in_parent(void)
{
	zinc_fork_hook *h;

	for (h = list.prev; h != &list; h = h->prev)
		pthread_mutex_unlock(h->lock);
	pthread_mutex_unlock(&list_lock);
}

static void
after_in_child(void)
{
	zinc_fork_hook *h;

	for (h = list.prev; h != &list; h = h->prev) {
		if (h->child)
			h->child(h->object);
		pthread_mutex_unlock(h->lock); /* a thread's copy in the child may unlock what the thread locked */
	}
	pthread_mutex_unlock(&list_lock);
}

__attribute__((constructor)) static void
install(void)
{
	pthread_atfork(before_fork, after_in_parent, after_in_child);
}

void
zinc_fork_add(zinc_fork_hook *hook)
{
	pthread_mutex_lock(&list_lock);
	if (!hook->next) {
		hook->prev = &list;
		hook->next = list.next;
		list.next->prev = hook;
		list.next = hook;
	}
	pthread_mutex_unlock(&list_lock);
}

void
zinc_fork_remove(zinc_fork_hook *hook)
{
	pthread_mutex_lock(&list_lock);
	if (hook->next) {
		hook->prev->next = hook->next;
		hook->next->prev = hook->prev;
		hook->next = hook->prev = NULL;
	}
	pthread_mutex_unlock(&list_lock);
}
