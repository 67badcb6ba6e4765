/*
 * dtype_swap.c - the bytes of elements: byte order, numbers as bits, bools
 *
 * (1) Elements may be at any address, hence memcpy throughout.
 * (2) Swapping in place is allowed: each word is read before it is written.
 */
#include "dtype/element.h"
#include "dtype/exact.h"

#define LOAD(type)                                                                                                     \
	do {                                                                                                           \
		type v_;                                                                                               \
		memcpy(&v_, p, sizeof v_);                                                                             \
		return v_;                                                                                             \
	} while (0)

uint64_t
zinc_bits_load(const void *p, size_t size)
{
	switch (size) {
	case 1:
		LOAD(uint8_t);
	case 2:
		LOAD(uint16_t);
	case 4:
		LOAD(uint32_t);
	default:
		LOAD(uint64_t);
	}
}

int64_t
zinc_bits_load_signed(const void *p, size_t size)
{
	const unsigned unused = 64 - (unsigned)size * 8;

	return (int64_t)(zinc_bits_load(p, size) << unused) >> unused;
}

void
zinc_bits_store(void *p, size_t size, uint64_t bits)
{
	const uint8_t b1 = (uint8_t)bits;
	const uint16_t b2 = (uint16_t)bits;
	const uint32_t b4 = (uint32_t)bits;

	switch (size) {
	case 1:
		memcpy(p, &b1, sizeof b1);
		break;
	case 2:
		memcpy(p, &b2, sizeof b2);
		break;
	case 4:
		memcpy(p, &b4, sizeof b4);
		break;
	default:
		memcpy(p, &bits, sizeof bits);
	}
}

/* ---- byte order ---- */

/* Eight bytes at a time for every unit: two or four units are swapped in one register. */

static uint64_t
swap_word_2(uint64_t w)
{
	const uint64_t low = 0x00ff00ff00ff00ffu;

	return (w & low) << 8 | (w >> 8 & low);
}

static uint64_t
swap_word_4(uint64_t w)
{
	w = __builtin_bswap64(w); /* both units swapped, and exchanged */
	return w << 32 | w >> 32;
}

static uint64_t
swap_word_8(uint64_t w)
{
	return __builtin_bswap64(w);
}

/* Units of any size, and the rest after the last word.  Both ends are read before either is written. */
static void
swap_any(uint8_t *dst, const uint8_t *src, size_t nbytes, size_t unit)
{
	size_t i, j;

	for (i = 0; i < nbytes; i += unit)
		for (j = 0; j < (unit + 1) / 2; j++) {
			const uint8_t front = src[i + j], back = src[i + unit - 1 - j];

			dst[i + j] = back;
			dst[i + unit - 1 - j] = front;
		}
}

#define SWAP_WORDS(unit)                                                                                               \
	for (; at + 8 <= nbytes; at += 8) {                                                                            \
		uint64_t w;                                                                                            \
                                                                                                                       \
		memcpy(&w, (const uint8_t *)src + at, sizeof w);                                                       \
		w = swap_word_##unit(w);                                                                               \
		memcpy((uint8_t *)dst + at, &w, sizeof w);                                                             \
	}

/* A word always has whole units, because words begin where units do and 2, 4 and 8 divide 8. */
static void
swap_units(const zinc_dtype *t, void *dst, const void *src, size_t n)
{
	const size_t nbytes = n * t->size;
	size_t at = 0;

	switch (t->unit) {
	case 0:
	case 1:
		if (dst != src && n > 0)
			memcpy(dst, src, nbytes);
		return;
	case 2:
		SWAP_WORDS(2)
		break;
	case 4:
		SWAP_WORDS(4)
		break;
	case 8:
		SWAP_WORDS(8)
		break;
	default:
		break;
	}
	swap_any((uint8_t *)dst + at, (const uint8_t *)src + at, nbytes - at, t->unit);
}

void
zinc_dtype_reorder(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n)
{
	if (t->ops && t->ops->swap)
		t->ops->swap(t, other, dst, src, n);
	else if (other)
		swap_units(t, dst, src, n);
	else if (dst != src && n > 0)
		memcpy(dst, src, n * t->size);
}

void
zinc_dtype_swap(const zinc_dtype *t, void *dst, const void *src, size_t n)
{
	zinc_dtype_reorder(t, true, dst, src, n);
}

/* ---- types of less than a byte ---- */

void
zinc_small_swap(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n)
{
	const uint8_t mask = (uint8_t)(t->format ? zinc_float_mask(t->format) : UINT8_MAX >> (8 - t->bits));
	const uint8_t sign = t->kind == ZINC_KIND_INT ? (uint8_t)(mask ^ mask >> 1) : 0;
	const uint8_t *in = src;
	uint8_t *out = dst;
	size_t i;

	(void)other;
	for (i = 0; i < n * t->size; i++) /* the sign's bit is repeated above it: (v ^ sign) - sign */
		out[i] = (uint8_t)(((in[i] & mask) ^ sign) - sign);
}

/* ---- truth ---- */

#define BLOCK 4096

/* In blocks, which a compiler turns into vector instructions. */
size_t
zinc_bool_check(const zinc_dtype *t, const void *elements, size_t n)
{
	const uint8_t *p = elements;
	size_t at, end, i;

	(void)t;
	for (at = 0; at < n; at = end) {
		uint8_t all = 0;

		end = n - at > BLOCK ? at + BLOCK : n;
		for (i = at; i < end; i++)
			all |= p[i];
		if (all > 1)
			break;
	}
	while (at < n && p[at] <= 1)
		at++;
	return at;
}
