/*
 * format_table.c - every version of Zarr that this library reads and writes, one row each
 *
 * Detection tries them in this order.  The drafts of version 3 can be left out of a build (ZINC_WITH_DRAFTS=0); then
 * no_drafts.c replaces their files.
 */
#include "format/format.h"

#if ZINC_WITH_DRAFTS
#define DRAFTS &zinc_format_v3_2022, &zinc_format_v3_2020, &zinc_format_v3_2019,
#else
#define DRAFTS
#endif

static const zinc_format *const formats[] = {&zinc_format_v3, &zinc_format_v2, DRAFTS &zinc_format_n5, NULL};

const bool zinc_format_has_drafts = ZINC_WITH_DRAFTS;

const zinc_format *
zinc_format_row(size_t i)
{
	return i < sizeof formats / sizeof *formats ? formats[i] : NULL;
}

const zinc_format *
zinc_format_find(const char *id)
{
	const zinc_format *const *f;

	for (f = formats; *f; f++)
		if (strcmp((*f)->id, id) == 0)
			return *f;
	return NULL;
}

void
zinc_format_each(int (*fn)(void *arg, const char *name, const char *also, const char *purpose), void *arg)
{
	const zinc_format *const *f;

	for (f = formats; *f && fn(arg, (*f)->id, "", (*f)->purpose) == 0; f++)
		;
}
