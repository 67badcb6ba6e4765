/*
 * conform_store.h - one suite for every store and wrapper: what <zinc/store.h> promises
 *
 * The memory store is the reference.  The suite depends on caps: operations that a store has are tested, those that
 * it does not have must be refused with the right status.
 */
#ifndef CONFORM_STORE_H
#define CONFORM_STORE_H

#include "store/store.h"

/* The store under test, and the store that fills it: the same one, or another for the same place. */
typedef struct conform_subject {
	zinc_store *store;
	zinc_store *fill;
	/* Conditional deletes must be refused and change nothing, because the server has none (MinIO).  Otherwise they
	 * must work wherever conditional puts do. */
	bool no_conditional_dels;
} conform_subject;

/* Make an empty store; the suite closes both (once, if they are the same). */
typedef void (*conform_make_fn)(void *arg, conform_subject *out);

/* Run the suite, each test on a new store.  Returns the number of tests that failed. */
int conform_store_run(const char *name, conform_make_fn make, void *arg);

#endif
