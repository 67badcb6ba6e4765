/*
 * dtype_half.c - IEEE binary16 <-> binary32 and binary64
 *
 * (1) Every half widens to its exact value.  A NaN keeps its sign and payload and becomes quiet.
 * (2) A double narrows with one rounding, to nearest, ties to even.  By way of a float it would round twice: 1 + 2^-11
 *     + 2^-40 would become 1 + 2^-11 and then 1.
 */
#include "dtype/element.h"

float
zinc_half_to_float(uint16_t h)
{
	return zinc_half_widen(h);
}

/* Divide by 2^shift, to nearest even. */
static uint64_t
shift_round(uint64_t v, unsigned shift)
{
	const uint64_t half = (uint64_t)1 << (shift - 1);

	return (v + half - 1 + ((v >> shift) & 1)) >> shift;
}

#define DOUBLE_INF   0x7ff0000000000000u
#define DOUBLE_65520 0x40effe0000000000u /* halfway between 65504, the largest half, and 65536 */
#define DOUBLE_2_M14 0x3f10000000000000u /* the smallest normal half */
#define DOUBLE_2_M25 0x3e60000000000000u /* half of the smallest subnormal half */

uint16_t
zinc_half_from_double(double d)
{
	uint64_t a;
	uint16_t sign;

	memcpy(&a, &d, sizeof a);
	sign = (uint16_t)(a >> 48 & 0x8000);
	a &= INT64_MAX;
	if (a > DOUBLE_INF)
		return (uint16_t)(sign | 0x7e00 | (a >> 42 & 0x1ff));
	if (a >= DOUBLE_65520)
		return sign | 0x7c00;
	if (a >= DOUBLE_2_M14) /* re-bias 1023 -> 15; a carry out of the significand is the right exponent */
		return (uint16_t)(sign | shift_round(a - ((uint64_t)1008 << 52), 42));
	if (a <= DOUBLE_2_M25)
		return sign;
	/* exponents 998..1008: the significand with its hidden bit, in units of 2^-24 */
	return (uint16_t)(sign | shift_round((a & 0xfffffffffffffu) | (uint64_t)1 << 52, (unsigned)(1051 - (a >> 52))));
}
