/*
 * fuzz_meta_v3_2022.c - documents of the draft of 2022; meta.h states the conditions
 */
#include "meta.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_meta(&zinc_format_v3_2022, data, size);
}
