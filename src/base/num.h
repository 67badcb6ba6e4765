/*
 * num.h - arithmetic on sizes without overflow, and bytes <-> integers
 *
 * The only file that multiplies or adds sizes that come from outside.  Every function returns 0 when the result fits
 * and non-zero when it does not; then *out is unchanged.
 */
#ifndef ZINC_NUM_H
#define ZINC_NUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int
zinc_size_add(size_t a, size_t b, size_t *out)
{
	size_t r;

	if (__builtin_add_overflow(a, b, &r))
		return 1;
	*out = r;
	return 0;
}

static inline int
zinc_size_mul(size_t a, size_t b, size_t *out)
{
	size_t r;

	if (__builtin_mul_overflow(a, b, &r))
		return 1;
	*out = r;
	return 0;
}

static inline int
zinc_u64_add(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t r;

	if (__builtin_add_overflow(a, b, &r))
		return 1;
	*out = r;
	return 0;
}

static inline int
zinc_u64_mul(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t r;

	if (__builtin_mul_overflow(a, b, &r))
		return 1;
	*out = r;
	return 0;
}

/* Is [off, off + len) inside [0, total)?  Never computes off + len. */
static inline int
zinc_range_within(uint64_t off, uint64_t len, uint64_t total)
{
	return len <= total && off <= total - len;
}

/* ceil(a / b) for b > 0. */
static inline uint64_t
zinc_ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static inline uint64_t
zinc_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
zinc_max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The product of a shape times an element size; shapes are multiplied only here.  Fails on overflow and above `max`. */
static inline int
zinc_shape_bytes(const uint64_t *shape, int ndim, uint64_t element, uint64_t max, uint64_t *out)
{
	uint64_t n = element;
	int d;

	for (d = 0; d < ndim; d++)
		if (shape[d] == 0) {
			*out = 0;
			return 0;
		}
	for (d = 0; d < ndim; d++)
		if (zinc_u64_mul(n, shape[d], &n) || n > max)
			return 1;
	if (n > max)
		return 1;
	*out = n;
	return 0;
}

static inline uint32_t
zinc_get_le32(const void *p)
{
	const uint8_t *b = (const uint8_t *)p;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void
zinc_put_le32(void *p, uint32_t v)
{
	uint8_t *b = (uint8_t *)p;

	b[0] = (uint8_t)v;
	b[1] = (uint8_t)(v >> 8);
	b[2] = (uint8_t)(v >> 16);
	b[3] = (uint8_t)(v >> 24);
}

static inline uint64_t
zinc_get_le64(const void *p)
{
	return (uint64_t)zinc_get_le32(p) | (uint64_t)zinc_get_le32((const uint8_t *)p + 4) << 32;
}

static inline void
zinc_put_le64(void *p, uint64_t v)
{
	zinc_put_le32(p, (uint32_t)v);
	zinc_put_le32((uint8_t *)p + 4, (uint32_t)(v >> 32));
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ZINC_HOST_BIG 1
#else
#define ZINC_HOST_BIG 0
#endif

#endif
