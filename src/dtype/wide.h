/*
 * wide.h - inside the room dtype: integers of 256 bits, for times that exceed 64 bits
 *
 * A count of 64 bits, times a scale factor of 31 bits, in attoseconds of weeks (80 bits more), needs 175 bits.  Two's
 * complement, the lowest part first.  Factors and divisors are small.
 */
#ifndef ZINC_WIDE_H
#define ZINC_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define ZINC_WIDE_PARTS 8

typedef struct zinc_wide {
	uint32_t part[ZINC_WIDE_PARTS];
} zinc_wide;

static inline zinc_wide
zinc_wide_of(int64_t v)
{
	zinc_wide w;
	int i;

	for (i = 0; i < ZINC_WIDE_PARTS; i++, v >>= 32) /* arithmetic shift: the sign is repeated */
		w.part[i] = (uint32_t)v;
	return w;
}

static inline bool
zinc_wide_negative(const zinc_wide *w)
{
	return w->part[ZINC_WIDE_PARTS - 1] >> 31 != 0;
}

static inline void
zinc_wide_add(zinc_wide *w, const zinc_wide *more)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < ZINC_WIDE_PARTS; i++) {
		sum += (uint64_t)w->part[i] + more->part[i];
		w->part[i] = (uint32_t)sum;
		sum >>= 32;
	}
}

static inline void
zinc_wide_add_small(zinc_wide *w, int64_t more)
{
	const zinc_wide m = zinc_wide_of(more);

	zinc_wide_add(w, &m);
}

static inline void
zinc_wide_mul(zinc_wide *w, uint32_t factor)
{
	uint64_t product = 0;
	int i;

	for (i = 0; i < ZINC_WIDE_PARTS; i++) {
		product += (uint64_t)w->part[i] * factor;
		w->part[i] = (uint32_t)product;
		product >>= 32;
	}
}

static inline void
zinc_wide_complement(zinc_wide *w)
{
	int i;

	for (i = 0; i < ZINC_WIDE_PARTS; i++)
		w->part[i] = ~w->part[i];
}

/* Divide, rounding down; returns the remainder, which is never negative.  For w < 0: w / d = -1 - (-1 - w) / d. */
static inline uint32_t
zinc_wide_div(zinc_wide *w, uint32_t divisor)
{
	const bool negative = zinc_wide_negative(w);
	uint64_t rest = 0;
	int i;

	if (negative)
		zinc_wide_complement(w);
	for (i = ZINC_WIDE_PARTS - 1; i >= 0; i--) {
		rest = rest << 32 | w->part[i];
		w->part[i] = (uint32_t)(rest / divisor);
		rest %= divisor;
	}
	if (!negative)
		return (uint32_t)rest;
	zinc_wide_complement(w);
	return divisor - 1 - (uint32_t)rest;
}

/* Does it fit? */
static inline bool
zinc_wide_get(const zinc_wide *w, int64_t *out)
{
	const int64_t v = (int64_t)((uint64_t)w->part[1] << 32 | w->part[0]);
	const uint32_t sign = v < 0 ? UINT32_MAX : 0;
	int i;

	for (i = 2; i < ZINC_WIDE_PARTS; i++)
		if (w->part[i] != sign)
			return false;
	*out = v;
	return true;
}

#endif
