/*
 * hash.c - a keyed hash of 128 bits (SipHash-2-4, Aumasson and Bernstein)
 *
 * For names of files: who does not know the key can neither find two inputs with one name nor learn an input from its
 * name.  It is no signature.
 *
 * Promise (tests/unit/test_hash.c names it by its number):
 *
 * (1) The results are those of the published algorithm, on every machine.
 */
#include "base/base.h"

typedef struct sip {
	uint64_t v[4];
} sip;

static uint64_t
rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

/* `n` <= 8 bytes, the lowest first. */
static uint64_t
load(const uint8_t *p, size_t n)
{
	uint64_t x = 0;
	size_t i;

	for (i = 0; i < n; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

static void
store(uint8_t *p, uint64_t x)
{
	size_t i;

	for (i = 0; i < 8; i++)
		p[i] = (uint8_t)(x >> (8 * i));
}

static void
rounds(sip *s, int n)
{
	uint64_t *v = s->v;

	for (; n > 0; n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void
absorb(sip *s, uint64_t word)
{
	s->v[3] ^= word;
	rounds(s, 2);
	s->v[0] ^= word;
}

void
zinc_hash128(uint8_t out[ZINC_HASH_BYTES], const uint8_t key[ZINC_HASH_BYTES], const void *bytes, size_t n)
{
	const uint64_t k0 = load(key, 8), k1 = load(key + 8, 8);
	const uint8_t *p = (const uint8_t *)bytes;
	sip s = {{k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du ^ 0xeeu, k0 ^ 0x6c7967656e657261u,
		  k1 ^ 0x7465646279746573u}};
	size_t left = n;

	for (; left >= 8; left -= 8, p += 8)
		absorb(&s, load(p, 8));
	absorb(&s, (uint64_t)n << 56 | load(p, left));
	s.v[2] ^= 0xeeu;
	rounds(&s, 4);
	store(out, s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3]);
	s.v[1] ^= 0xddu;
	rounds(&s, 4);
	store(out + 8, s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3]);
}
