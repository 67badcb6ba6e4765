/*
 * array_sweep.h - every allocation and every OS call of every array and hierarchy operation fails in turn
 *
 * It takes long, so each part is a separate test program.
 */
#ifndef ARRAY_SWEEP_H
#define ARRAY_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

/* Every `parts`-th scenario, from number `part` on: with failing OS calls, else failing allocations.  What main returns. */
int array_sweep(bool os, size_t part, size_t parts);

#endif
