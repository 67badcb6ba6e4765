/*
 * store_pool.c - connections to a server that are idle; the promises are in store_pool.h
 */
#include "store/store_pool.h"

/* The lock is held, or nobody else has the pool. */
static zinc_conn *
unlink_all(zinc_conns *l)
{
	zinc_conn *all = l->idle;

	l->idle = NULL;
	l->nidle = 0;
	return all;
}

static void
close_all(const zinc_conns *l, zinc_conn *c, bool forked)
{
	zinc_conn *next;

	for (; c; c = next) {
		next = c->next;
		l->close(c, forked);
	}
}

static void
child_after_fork(void *object)
{
	zinc_conns *l = (zinc_conns *)object;

	close_all(l, unlink_all(l), true);
}

void
zinc_conns_init(zinc_conns *l, unsigned most, void (*close)(zinc_conn *c, bool forked))
{
	memset(l, 0, sizeof *l);
	l->most = most;
	l->close = close;
	pthread_mutex_init(&l->lock, NULL);
	l->fork = (zinc_fork_hook){.lock = &l->lock, .child = child_after_fork, .object = l};
	zinc_fork_add(&l->fork);
}

void
zinc_conns_fini(zinc_conns *l)
{
	zinc_fork_remove(&l->fork);
	close_all(l, unlink_all(l), false);
	pthread_mutex_destroy(&l->lock);
}

zinc_conn *
zinc_conns_take(zinc_conns *l)
{
	zinc_conn *c;

	pthread_mutex_lock(&l->lock);
	c = l->idle;
	if (c) {
		l->idle = c->next;
		l->nidle--;
	}
	pthread_mutex_unlock(&l->lock);
	return c;
}

void
zinc_conns_give(zinc_conns *l, zinc_conn *c)
{
	bool keep;

	pthread_mutex_lock(&l->lock);
	keep = l->nidle < l->most;
	if (keep) {
		c->next = l->idle;
		l->idle = c;
		l->nidle++;
	}
	pthread_mutex_unlock(&l->lock);
	if (!keep)
		l->close(c, false);
}

void
zinc_conns_drop(zinc_conns *l)
{
	zinc_conn *all;

	pthread_mutex_lock(&l->lock);
	all = unlink_all(l);
	pthread_mutex_unlock(&l->lock);
	close_all(l, all, false);
}
