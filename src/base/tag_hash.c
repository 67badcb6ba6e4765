/*
 * tag_hash.c - a strong hash of bytes, for the tags of stores that have no generations
 *
 * Promises (tests/unit/test_tag_hash.c names each by its number):
 *
 * (1) The hash depends on the bytes alone: not on the pieces in which they are added, nor on the machine.  It never
 *     changes, because tags may be kept on disk.
 * (2) Bytes that differ, also in length alone, have different hashes: the chance that two values collide is below 2^-95
 *     for 1 MiB and 2^-75 for 1 GiB.  It is not for secrets: someone who tries can construct a collision.
 *
 * Each block of 32 words is hashed by two sums of products (NH of UMAC, with 64-bit words and keys that are shifted by
 * two words), each modulo 2^128:
 *
 *     sum_j = (w0 + key[2j]) (w1 + key[2j+1]) + (w2 + key[2j+2]) (w3 + key[2j+3]) + ...          j = 0, 1
 *
 * and each sum is added to a polynomial modulo 2^61-1, twice: its low and its high half.  One multiplication hashes 8
 * bytes, so that a value in the processor's cache takes little time beside copying it.
 */
#include "base/base.h"

#define WORDS (ZINC_HASH_BLOCK / 8)

/* The multiplier and the start of the polynomials: any numbers below the prime. */
#define PRIME    (((uint64_t)1 << 61) - 1)
#define FACTOR_0 0x0F1E2D3C4B5A6978u
#define FACTOR_1 0x1234567890ABCDEFu

/* splitmix64: key i of the sums. */
static inline uint64_t
mix(uint64_t i)
{
	uint64_t z = (i + 1) * 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

/* x modulo 2^61-1, of any 128 bits. */
static uint64_t
reduce(unsigned __int128 x)
{
	uint64_t r = (uint64_t)(x & PRIME) + (uint64_t)(x >> 61 & PRIME) + (uint64_t)(x >> 122);

	r = (r & PRIME) + (r >> 61);
	return r >= PRIME ? r - PRIME : r;
}

static void
step(uint64_t *at, uint64_t factor, uint64_t word)
{
	*at = reduce((unsigned __int128)*at * factor + word);
}

static void
add_block(zinc_hash *h, const uint8_t *p)
{
	unsigned __int128 sum[2] = {0, 0};
	int i;

	for (i = 0; i < (int)WORDS; i += 2) {
		const uint64_t a = zinc_get_le64(p + 8 * i), b = zinc_get_le64(p + 8 * i + 8);

		sum[0] += (unsigned __int128)(a + h->key[i]) * (b + h->key[i + 1]);
		sum[1] += (unsigned __int128)(a + h->key[i + 2]) * (b + h->key[i + 3]);
	}
	step(&h->state[0], FACTOR_0, (uint64_t)sum[0]);
	step(&h->state[1], FACTOR_1, (uint64_t)(sum[0] >> 64));
	step(&h->state[2], FACTOR_1, (uint64_t)sum[1]);
	step(&h->state[3], FACTOR_0, (uint64_t)(sum[1] >> 64));
}

void
zinc_hash_begin(zinc_hash *h)
{
	int i;

	memset(h->state, 0, sizeof h->state);
	h->nbytes = 0;
	for (i = 0; i < (int)(sizeof h->key / sizeof h->key[0]); i++)
		h->key[i] = mix((uint64_t)i);
}

/* Fill the block that is begun; returns the number of bytes taken. */
static size_t
fill(zinc_hash *h, const uint8_t *p, size_t n)
{
	const size_t have = (size_t)(h->nbytes % ZINC_HASH_BLOCK), room = ZINC_HASH_BLOCK - have;
	const size_t part = n < room ? n : room;

	memcpy(h->block + have, p, part);
	if (part == room)
		add_block(h, h->block);
	return part;
}

void
zinc_hash_add(zinc_hash *h, const void *bytes, size_t n)
{
	const uint8_t *p = (const uint8_t *)bytes;
	size_t part = 0;

	if (n && h->nbytes % ZINC_HASH_BLOCK)
		part = fill(h, p, n);
	h->nbytes += part;
	for (; n - part >= ZINC_HASH_BLOCK; part += ZINC_HASH_BLOCK, h->nbytes += ZINC_HASH_BLOCK)
		add_block(h, p + part);
	if (part < n)
		h->nbytes += fill(h, p + part, n - part);
}

/* The last block is filled with zeros; the length tells it from one that ends in zeros. */
void
zinc_hash_end(zinc_hash *h, zinc_tag *out)
{
	const size_t have = (size_t)(h->nbytes % ZINC_HASH_BLOCK);
	int i;

	if (have) {
		memset(h->block + have, 0, ZINC_HASH_BLOCK - have);
		add_block(h, h->block);
	}
	for (i = 0; i < 4; i++)
		step(&h->state[i], i % 2 ? FACTOR_1 : FACTOR_0, h->nbytes + 1);
	out->n = sizeof h->state;
	for (i = 0; i < 4; i++)
		zinc_put_le64(out->b + 8 * i, h->state[i]);
}
