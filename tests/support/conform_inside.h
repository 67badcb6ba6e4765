/*
 * conform_inside.h - what the files of the conformance suite share
 */
#ifndef CONFORM_INSIDE_H
#define CONFORM_INSIDE_H

#include "support/conform_store.h"
#include "support/gets.h"
#include "support/test.h"

typedef struct conform_row {
	const char *name;
	CMUnitTestFunction fn;
} conform_row;

/* clang-format off */
#define CONFORM_ROW(f) {#f, f}
/* clang-format on */

/* Ended by NULL. */
extern const conform_row conform_read[], conform_write[], conform_list[];

/* The store under test, and the one that fills it. */
zinc_store *subject(void **state);
zinc_store *filler(void **state);
bool has_conditional_dels(void **state);
uint32_t flags_of(zinc_store *s);
/* The store, if it can do all of `needs`; else NULL, and the test passes silently. */
zinc_store *able(void **state, uint32_t needs);

/* A change for zinc_store_update, and what it expects to find. */
typedef struct edit {
	const char *expect; /* NULL: missing */
	zinc_update answer;
	zinc_status status;
	int calls;
} edit;
zinc_status apply_edit(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err);
/* Add one to an int; `arg` is room for it. */
zinc_status increment(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err);

#endif
