/*
 * fuzz_meta_v2.c - documents of version 2, with their attributes in them; meta.h states the conditions
 */
#include "meta.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_meta(&zinc_format_v2, data, size);
}
