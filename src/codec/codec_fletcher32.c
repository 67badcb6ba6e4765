/*
 * codec_fletcher32.c - HDF5's Fletcher-32 after the bytes
 *
 *     [input][Fletcher-32: 4, little-endian]
 *
 * The input is read as big-endian words of 16 bits; an odd byte at the end is the upper half of a word.  The lower half
 * of the checksum is the sum of the words, the upper half the sum of all values of that sum.  Both add the carry again
 * at the lower end: they are modulo 65535, but a sum that is not zero never becomes 0.
 */
#include "codec/codec_parts.h"

#define RUN 65536u /* words until the second sum, less than RUN * RUN * 2^16, is reduced; more would fit */

static uint64_t
fold(uint64_t sum)
{
	return sum == 0 ? 0 : (sum - 1) % 0xFFFF + 1;
}

static uint32_t
fletcher32(uint32_t seed, const void *p, size_t n)
{
	const uint8_t *b = (const uint8_t *)p, *end = b + n / 2 * 2;
	uint64_t sum = 0, sums = 0;
	size_t run;

	(void)seed;
	while (b < end) {
		for (run = 0; run < RUN && b < end; run++, b += 2) {
			sum += (uint64_t)b[0] << 8 | b[1];
			sums += sum;
		}
		sum = fold(sum);
		sums = fold(sums);
	}
	if (n % 2) {
		sum = fold(sum + ((uint64_t)b[0] << 8));
		sums = fold(sums + sum);
	}
	return (uint32_t)(sums << 16 | sum);
}

static zinc_status
fletcher32_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
		 zinc_error *err)
{
	zinc_checksum *k = (zinc_checksum *)c;

	(void)configuration, (void)in, (void)out, (void)r, (void)err;
	k->sum = fletcher32;
	k->location = ZINC_CHECKSUM_END;
	return ZINC_OK;
}

static const char *const aliases[] = {"https://codec.zarrs.dev/bytes_to_bytes/fletcher32", NULL}; /* of zarrs */

const zinc_codec_ops zinc_codec_fletcher32 = {
    .name = "numcodecs.fletcher32",
    .aliases = aliases,
    .v2 = "fletcher32",
    .uris = ZINC_CODEC_URIS("fletcher32"),
    .purpose = "Fletcher-32 checksum of HDF5 after the bytes, always verified",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .members = zinc_no_members,
    .prints_empty = true,
    .nbytes = sizeof(zinc_checksum),
    .check = fletcher32_check,
    .bytes = &zinc_checksum_coder,
};
