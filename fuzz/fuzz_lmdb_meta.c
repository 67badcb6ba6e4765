/*
 * fuzz_lmdb_meta.c - the first pages of an LMDB file: any bytes, with any length of the file
 *
 * (1) What is accepted lies within the file.
 */
#include <string.h>

#include "store/store_lmdb.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lmdb_meta meta = {0, 0};
	uint64_t length;
	uint8_t *copy;

	if (size < sizeof length)
		return 0;
	memcpy(&length, data, sizeof length);
	size -= sizeof length;
	copy = (uint8_t *)malloc(size ? size : 1); /* no byte after it, so that an overrun is detected */
	insist(copy);
	memcpy(copy, data + sizeof length, size);
	if (zinc_lmdb_check_meta(copy, size, length, &meta, NULL) == ZINC_OK)
		insist(meta.pages > 0 && meta.page_size <= length && meta.pages <= length / meta.page_size); /* (1) */
	free(copy);
	return 0;
}
