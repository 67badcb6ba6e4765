/*
 * random.h - the random numbers of all tests, reproducible from a seed
 *
 * xorshift, which is enough to vary cases.  Each program has one stream, with a fixed start unless random_seed is
 * called.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static uint64_t random_state = 88172645463325252u;

static inline uint64_t
random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* A number from 0 to n - 1; 0 if n is 0. */
static inline uint64_t
random_below(uint64_t n)
{
	return n == 0 ? 0 : (random_bits() >> 11) % n;
}

/* Any number is a seed; consecutive seeds give different streams. */
static inline void
random_seed(uint64_t seed)
{
	random_state = seed * 0x9E3779B97F4A7C15u | 1;
	for (int i = 0; i < 4; i++)
		random_bits();
}

#endif
