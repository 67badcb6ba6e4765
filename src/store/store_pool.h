/*
 * store_pool.h - connections to a server: one for each call under way, kept while they are idle
 *
 * Promises (tests/unit/test_store_pool.c names each by its number):
 *
 * (1) A connection is used by one thread at a time.  The one that was given back last is taken first.
 * (2) At most `most` idle connections are kept; others are closed when they are given back.
 * (3) A child process uses none of its parent's connections, and says nothing on them.
 */
#ifndef ZINC_STORE_POOL_H
#define ZINC_STORE_POOL_H

#include "store/store_inside.h"

/* The first member of a connection. */
typedef struct zinc_conn {
	struct zinc_conn *next;
} zinc_conn;

typedef struct zinc_conns {
	pthread_mutex_t lock; /* guards what follows */
	zinc_fork_hook fork;
	zinc_conn *idle;
	unsigned nidle, most;
	/* forked: it is the parent's.  Close the descriptor and free memory, but send nothing, not even a farewell. */
	void (*close)(zinc_conn *c, bool forked);
} zinc_conns;

ZINC_MODULE_API void zinc_conns_init(zinc_conns *l, unsigned most, void (*close)(zinc_conn *c, bool forked));
ZINC_MODULE_API void zinc_conns_fini(zinc_conns *l);
/* NULL: there is none, make a new one. */
ZINC_MODULE_API zinc_conn *zinc_conns_take(zinc_conns *l);
/* Only one that can be used again at once; any other is closed by its user. */
ZINC_MODULE_API void zinc_conns_give(zinc_conns *l, zinc_conn *c);
/* Close all that are idle: the server has been restarted. */
ZINC_MODULE_API void zinc_conns_drop(zinc_conns *l);

#endif
