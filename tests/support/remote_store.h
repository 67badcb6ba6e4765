/*
 * remote_store.h - a remote store for tests: it keeps many requests open and answers them out of order
 *
 * It serves the values of another store, counts, and keeps the promise of zinc_room: after "not now" no request is
 * begun until a done() has returned.  With `writes` it also takes puts and deletes, as many open as gets.
 */
#ifndef REMOTE_H
#define REMOTE_H

#include <stdbool.h>
#include <zinc/store.h>

typedef struct remote_store {
	zinc_store *local; /* what it serves */
	unsigned parallel;
	uint64_t merge_gap;
	bool no_tags;
	bool claims_tags; /* though it has none */
	bool shy;         /* begins no request while another waits for room */
	bool writes, cas;
	bool no_conditional_dels; /* refuses deletes with a condition */
	bool asks;                /* for more puts */
	bool refuses;             /* puts of more than one key */
	unsigned torn;            /* gets that fail, as those of a shard that others replace all the time */
	unsigned slow;            /* microseconds that each answer to a put or delete takes */
	/* Called before each answer, with the number of answers so far; NULL: no function. */
	void (*before)(void *arg, uint64_t answers, const zinc_get *get);
	void *arg;
	/* Called before each put or delete; a status other than ZINC_OK is its result. */
	zinc_status (*before_put)(void *arg, uint64_t puts, const char *key);
	/* Counters; many threads may use the store. */
	_Atomic uint64_t calls, requests, answers, not_now;
	_Atomic unsigned most_open;
	_Atomic uint64_t put_calls, puts, dels; /* answered; not those that were cancelled */
	_Atomic unsigned most_puts;
	_Atomic uint64_t cancelled;
	_Atomic uint64_t most_bytes; /* of the puts of one call */
} remote_store;

/* The store; the caller fills `local` and `parallel` before, and closes `local` itself. */
zinc_store *remote_store_open(remote_store *x, zinc_context *ctx);

#endif
