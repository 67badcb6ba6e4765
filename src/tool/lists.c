/* lists.c - what this build has, from its tables */
#include "tool/tool.h"

#ifndef ZINC_WITH_ZSTD
#define ZINC_WITH_ZSTD 0
#endif
#ifndef ZINC_WITH_BLOSC
#define ZINC_WITH_BLOSC 0
#endif
#ifndef ZINC_WITH_ISAL
#define ZINC_WITH_ISAL 0
#endif
#ifndef ZINC_WITH_DEFLATE
#define ZINC_WITH_DEFLATE 0
#endif

static const struct {
	const char *name;
	int there;
	const char *purpose;
} libraries[] = {
    {"zstd", ZINC_WITH_ZSTD, "codec zstd"},
    {"blosc", ZINC_WITH_BLOSC, "codec blosc"},
    {"isal", ZINC_WITH_ISAL, "decoding of codec gzip, checksums"},
    {"deflate", ZINC_WITH_DEFLATE, "encoding of codec gzip, and decoding without isal"},
};

void
zinc_list_formats(zinc_row_fn fn, void *arg)
{
	zinc_format_each(fn, arg);
}

void
zinc_list_libraries(zinc_row_fn fn, void *arg)
{
	size_t i;

	for (i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (fn(arg, libraries[i].name, libraries[i].there ? "yes" : "no", libraries[i].purpose))
			return;
}
