/*
 * codec_adler32.c - the Adler-32 of zlib (RFC 1950, section 8.2), before or after the bytes
 *
 *     [Adler-32: 4, little-endian][input]      or, with "location": "end", after it
 */
#include "codec/codec_parts.h"

#define MODULUS 65521u /* the largest prime below 2^16 */
#define RUN     5552u  /* bytes until the sums could exceed 2^32: 255 n (n + 1) / 2 + (n + 1) (MODULUS - 1) */

/* a is one more than the sum of the bytes, b the sum of all values that a takes; both modulo MODULUS. */
static uint32_t
adler32(uint32_t seed, const void *p, size_t n)
{
	const uint8_t *byte = (const uint8_t *)p;
	uint32_t a = seed & 0xFFFF, b = seed >> 16;
	size_t i, run;

	for (; n > 0; n -= run) {
		run = n < RUN ? n : RUN;
		for (i = 0; i < run; i++) {
			a += *byte++;
			b += a;
		}
		a %= MODULUS;
		b %= MODULUS;
	}
	return b << 16 | a;
}

static zinc_status
adler32_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	      zinc_error *err)
{
	zinc_checksum *k = (zinc_checksum *)c;

	(void)configuration, (void)in, (void)out, (void)r, (void)err;
	k->sum = adler32;
	k->seed = 1;
	return ZINC_OK;
}

const zinc_codec_ops zinc_codec_adler32 = {
    .name = "numcodecs.adler32",
    .v2 = "adler32",
    .uris = ZINC_CODEC_URIS("adler32"),
    .purpose = "Adler-32 checksum before the bytes, always verified",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .members = zinc_checksum_members,
    .prints_empty = true,
    .nbytes = sizeof(zinc_checksum),
    .check = adler32_check,
    .bytes = &zinc_checksum_coder,
};
