/*
 * lists.c - what this build supports, from its tables
 *
 * The build system sets ZINC_WITH_X to 0 or 1; in a build by hand without it, the library is missing.
 */
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
#ifndef ZINC_WITH_BZ2
#define ZINC_WITH_BZ2 0
#endif
#ifndef ZINC_WITH_LZMA
#define ZINC_WITH_LZMA 0
#endif
#ifndef ZINC_WITH_PCRE2
#define ZINC_WITH_PCRE2 0
#endif
#ifndef ZINC_WITH_LZ4
#define ZINC_WITH_LZ4 0
#endif

#ifndef ZINC_WITH_CURL
#define ZINC_WITH_CURL 0
#endif

static const struct {
	const char *name;
	int there;
	const char *purpose;
} libraries[] = {
    {"zstd", ZINC_WITH_ZSTD, "codec zstd"},
    {"blosc", ZINC_WITH_BLOSC, "codec blosc"},
    {"isal", ZINC_WITH_ISAL, "decoding of codec gzip, checksums"},
    {"deflate", ZINC_WITH_DEFLATE, "codecs gzip and zlib"},
    {"bz2", ZINC_WITH_BZ2, "codec bz2"},
    {"lzma", ZINC_WITH_LZMA, "codec lzma"},
    {"lz4", ZINC_WITH_LZ4, "codec lz4"},
    {"pcre2", ZINC_WITH_PCRE2, "patterns in schemas of conventions"},
    {"curl", ZINC_WITH_CURL, "store http, a module"},
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
