/*
 * crc.c - CRC-32C, the Castagnoli checksum, and the CRC-32 of gzip
 *
 *     CRC-32C  RFC 3720: polynomial 1EDC6F41, bits reflected 82F63B78
 *     CRC-32   RFC 1952: polynomial 04C11DB7, bits reflected EDB88320
 *
 * Register and result are inverted, so that the checksum of no bytes is 0 and checksums can be continued: crc(crc(0,
 * a), b) is that of a b.  ISA-L computes them if it is built in, else tables do, eight bytes per step.
 */
#include "base/base.h"

#if ZINC_WITH_ISAL

#include <limits.h>
#include <isa-l/crc.h>

/* ISA-L inverts neither the register nor the result, and takes the length as an int. */
uint32_t
zinc_crc32c(uint32_t crc, const void *p, size_t n)
{
	unsigned char *b = (unsigned char *)(uintptr_t)p; /* its parameter is not const, but it only reads */
	int step;

	crc = ~crc;
	while (n > 0) {
		step = n > INT_MAX ? INT_MAX : (int)n;
		crc = crc32_iscsi(b, step, crc);
		b += step;
		n -= (size_t)step;
	}
	return ~crc;
}

/* This one inverts by itself, and takes the length in 64 bits. */
uint32_t
zinc_crc32(uint32_t crc, const void *p, size_t n)
{
	return n == 0 ? crc : crc32_gzip_refl(crc, (const unsigned char *)p, n);
}

#else

/* table[k][b]: the effect of byte b on the register when k zero bytes follow.  Filled once. */
typedef uint32_t crc_table[8][256];
static crc_table castagnoli, ieee;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void
fill_table(crc_table table, uint32_t polynomial)
{
	uint32_t b, k, c;
	int bit;

	for (b = 0; b < 256; b++) {
		c = b;
		for (bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? polynomial : 0);
		table[0][b] = c;
	}
	for (b = 0; b < 256; b++)
		for (k = 1; k < 8; k++)
			table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xFF];
}

static void
fill_tables(void)
{
	fill_table(castagnoli, 0x82F63B78u);
	fill_table(ieee, 0xEDB88320u);
}

/* Eight bytes at once: byte i is followed by 7 - i bytes. */
static uint32_t
step8(crc_table table, uint32_t crc, const uint8_t *b)
{
	uint32_t lo = zinc_get_le32(b) ^ crc, hi = zinc_get_le32(b + 4);

	return table[7][lo & 0xFF] ^ table[6][lo >> 8 & 0xFF] ^ table[5][lo >> 16 & 0xFF] ^ table[4][lo >> 24] ^
	       table[3][hi & 0xFF] ^ table[2][hi >> 8 & 0xFF] ^ table[1][hi >> 16 & 0xFF] ^ table[0][hi >> 24];
}

static uint32_t
run(crc_table table, uint32_t crc, const void *p, size_t n)
{
	const uint8_t *b = (const uint8_t *)p;

	pthread_once(&tables_once, fill_tables);
	crc = ~crc;
	for (; n >= 8; n -= 8, b += 8)
		crc = step8(table, crc, b);
	for (; n > 0; n--, b++)
		crc = crc >> 8 ^ table[0][(crc ^ *b) & 0xFF];
	return ~crc;
}

uint32_t
zinc_crc32c(uint32_t crc, const void *p, size_t n)
{
	return run(castagnoli, crc, p, n);
}

uint32_t
zinc_crc32(uint32_t crc, const void *p, size_t n)
{
	return run(ieee, crc, p, n);
}

#endif
