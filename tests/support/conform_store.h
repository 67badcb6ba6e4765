/*
 * conform_store.h - one suite for every store and wrapper: what <zinc/store.h> promises
 *
 * The memory store is the reference.  The suite looks at caps: what a store says it can is tested, what it says it
 * cannot must be refused with the right status.
 */
#ifndef CONFORM_STORE_H
#define CONFORM_STORE_H

#include "store/store.h"

/* What is tested, and how it is filled: the same store, or another way into the same place. */
typedef struct conform_subject {
	zinc_store *store;
	zinc_store *fill;
} conform_subject;

/* Make an empty store; the suite closes both (once, when they are the same). */
typedef void (*conform_make_fn)(void *arg, conform_subject *out);

/* Run the suite, each test on a new store.  Returns the number of tests that failed. */
int conform_store_run(const char *name, conform_make_fn make, void *arg);

#endif
