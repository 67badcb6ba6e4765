/*
 * fuzz_cache_file.c - any bytes as a file of the cache
 *
 * (1) What is accepted lies within the bytes, and the kept bytes within their value.
 * (2) Written again, it is the same head.
 *
 * Few inputs have the right checksum, so each is also tried with its checksum corrected.
 */
#include "store/store_cache.h"
#include "fuzz.h"

static void
check(const uint8_t *bytes, size_t n)
{
	uint8_t *again;
	cached_head h;

	if (!zinc_cached_head_parse(&h, bytes, n))
		return;
	insist(h.nbytes <= n && h.url.p + h.url.n == h.key.p && h.key.p + h.key.n == bytes + h.nbytes); /* (1) */
	insist(h.about.offset <= h.about.object_size && h.about.nbytes <= h.about.object_size - h.about.offset);
	insist(h.nbytes <= zinc_cached_head_max(h.url.n, h.key.n));
	again = (uint8_t *)malloc(zinc_cached_head_max(h.url.n, h.key.n));
	insist(again);
	insist(zinc_cached_head_write(again, &h) == h.nbytes && memcmp(again, bytes, h.nbytes) == 0); /* (2) */
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = (uint8_t *)calloc(size ? size : 1, 1); /* no byte after it, so that an overrun is detected */
	uint32_t crc;
	size_t n, i;

	insist(bytes);
	if (size)
		memcpy(bytes, data, size);
	check(bytes, size);
	if (size >= CACHED_HEAD_FIXED) {
		n = (size_t)bytes[12] | (size_t)bytes[13] << 8;
		crc = zinc_crc32c(0, bytes + 12, n >= 12 && n <= size ? n - 12 : size - 12);
		memcpy(bytes, "ZINCCAC1", 8);
		for (i = 0; i < 4; i++)
			bytes[8 + i] = (uint8_t)(crc >> (8 * i));
		check(bytes, size);
	}
	free(bytes);
	return 0;
}
