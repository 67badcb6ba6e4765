/*
 * hash.c - a hash of 128 bits: SipHash-2-4 with a result of two words
 *
 * It makes ETags of tags, keys and bytes.  Tags of one key differ whenever its bytes differ, and two of them have the
 * same hash by a chance of 2^-128.
 */
#include <string.h>

#include "server.h"

struct sip {
	uint64_t v0, v1, v2, v3;
};

static uint64_t
turn(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void
rounds(struct sip *s, int n)
{
	while (n-- > 0) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = turn(s->v1, 13) ^ s->v0;
		s->v3 = turn(s->v3, 16) ^ s->v2;
		s->v0 = turn(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = turn(s->v1, 17) ^ s->v2;
		s->v3 = turn(s->v3, 21) ^ s->v0;
		s->v2 = turn(s->v2, 32);
	}
}

static uint64_t
word(const unsigned char *p, size_t n)
{
	uint64_t w = 0;
	size_t i;

	for (i = 0; i < n; i++)
		w |= (uint64_t)p[i] << 8 * i;
	return w;
}

static void
put_word(unsigned char *out, uint64_t w)
{
	size_t i;

	for (i = 0; i < 8; i++)
		out[i] = (unsigned char)(w >> 8 * i);
}

static void
absorb(struct sip *s, uint64_t w)
{
	s->v3 ^= w;
	rounds(s, 2);
	s->v0 ^= w;
}

/* `hash` goes in as the key and comes out as the result, so calls can be chained; begin with zeros. */
void
hash_add(unsigned char hash[HASH_BYTES], const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	const uint64_t k0 = word(hash, 8), k1 = word(hash + 8, 8);
	struct sip s = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
			k1 ^ 0x7465646279746573};
	size_t left = n;

	for (; left >= 8; left -= 8, p += 8)
		absorb(&s, word(p, 8));
	absorb(&s, word(p, left) | (uint64_t)n << 56);
	s.v2 ^= 0xee;
	rounds(&s, 4);
	put_word(hash, s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
	s.v1 ^= 0xdd;
	rounds(&s, 4);
	put_word(hash + 8, s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
}
