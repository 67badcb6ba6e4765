/*
 * fault.h - a store that fails on request (fault.c)
 */
#ifndef ZINC_TESTS_FAULT_H
#define ZINC_TESTS_FAULT_H

#include <zinc/store.h>

/* Inject faults: fail operation number `at` (from 1; and all later ones with `forever`) with `status`;
 * `stale` makes reads and lists show the state before the last `stale` changes (eventual consistency). */
typedef struct zinc_fault {
	uint64_t at;
	int forever;
	zinc_status status;
	unsigned stale;
} zinc_fault;
ZINC_CHECKED zinc_status zinc_store_fault(zinc_store **out, zinc_store *next, zinc_error *err);
/* Set the plan and restart counting; returns the operations counted so far. */
uint64_t zinc_store_fault_set(zinc_store *fault, const zinc_fault *plan);

#endif
