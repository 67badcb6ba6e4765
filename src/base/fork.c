/*
 * fork.c - what holds locks is told before and after fork()
 *
 * Promises (tests/unit/test_fork.c names each by its number):
 *
 * (1) While fork() copies the process, every lock that has a hook is held by the forking
 *     thread, so the child never inherits one that is held by a thread it does not have.
 * (2) `before` runs from the newest hook to the oldest: objects of upper rooms are made later
 *     and lock first.  `parent` and `child` run the opposite way.
 *
 * A child of fork() has one thread and a copy of all memory.  A lock that another thread held at that
 * moment would stay locked in the child for ever.
 *
 * The handlers are installed when the library is loaded, when there is one thread: doing it on
 * first use would itself race with a fork.
 */
#include "base/base.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static zinc_fork_hook list = {.next = &list, .prev = &list}; /* a ring; list.next is the newest */

/* Holds the list until after the fork: no hook comes or goes between its `before` and what follows. */
static void
before_fork(void)
{
	zinc_fork_hook *h;

	pthread_mutex_lock(&list_lock);
	for (h = list.next; h != &list; h = h->next)
		h->before(h->object);
}

static void
after_in_parent(void)
{
	zinc_fork_hook *h;

	for (h = list.prev; h != &list; h = h->prev)
		h->parent(h->object);
	pthread_mutex_unlock(&list_lock);
}

static void
after_in_child(void)
{
	zinc_fork_hook *h;

	for (h = list.prev; h != &list; h = h->prev)
		h->child(h->object);
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
