/*
 * fuzz_meta_v3_2022.c - documents of the draft of 2022; draft_meta.h says what must hold
 */
#include "draft_meta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_draft(&zinc_format_v3_2022, data, size);
}
