/*
 * afar.h - a store that is far away: it keeps many requests open and answers them out of order
 *
 * It serves what another store has, counts, and keeps the promise of zinc_room: after "not now" nothing more is begun
 * until a done() has returned.
 */
#ifndef AFAR_H
#define AFAR_H

#include <stdbool.h>
#include <zinc/store.h>

typedef struct afar {
	zinc_store *near; /* what it serves */
	unsigned parallel;
	uint64_t merge_gap;
	bool no_tags;
	bool shy; /* begins nothing while anybody waits for room */
	/* Called before each answer, with the number of answers so far; NULL: nobody. */
	void (*before)(void *arg, uint64_t answers, const zinc_get *get);
	void *arg;
	/* What it saw. */
	uint64_t calls, requests, answers, not_now;
	unsigned most_open;
} afar;

/* The store; the caller fills `near` and `parallel` before, and closes `near` itself. */
zinc_store *afar_open(afar *x, zinc_context *ctx);

#endif
