/*
 * halting.h - when the work of a test ends early: at the lowest failure so far, or on request
 */
#ifndef HALTING_H
#define HALTING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct halting {
	atomic_size_t lowest; /* failure; SIZE_MAX: none */
	atomic_int stop;
} halting;

static inline void
halting_init(halting *h)
{
	atomic_store(&h->lowest, SIZE_MAX);
	atomic_store(&h->stop, 0);
}

/* Piece i has failed. */
static inline void
halting_fail(halting *h, size_t i)
{
	size_t low = atomic_load(&h->lowest);

	while (i < low && !atomic_compare_exchange_weak(&h->lowest, &low, i))
		;
}

/* Can piece i be skipped? */
static inline bool
halting_stopped(const halting *h, size_t i)
{
	return atomic_load(&h->stop) || i >= atomic_load(&h->lowest);
}

static inline bool
halting_halted(const halting *h)
{
	return atomic_load(&h->stop) || atomic_load(&h->lowest) != SIZE_MAX;
}

#endif
