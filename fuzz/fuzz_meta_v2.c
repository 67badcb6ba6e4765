/*
 * fuzz_meta_v2.c - documents of version 2, their attributes in them; meta.h says what must hold
 */
#include "meta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_meta(&zinc_format_v2, data, size);
}
