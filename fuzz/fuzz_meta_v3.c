/*
 * fuzz_meta_v3.c - zarr.json; meta.h states the conditions
 */
#include "meta.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_meta(&zinc_format_v3, data, size);
}
