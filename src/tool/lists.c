/*
 * lists.c - what this build supports, from its tables
 */
#include "tool/tool.h"

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
    {"zfp", ZINC_WITH_ZFP, "codecs zfp and zfpy"},
    {"pcre2", ZINC_WITH_PCRE2, "patterns in schemas of conventions"},
    {"curl", ZINC_WITH_CURL, "stores http, s3, gs and az, modules"},
    {"crypto", ZINC_WITH_CRYPTO, "stores s3, gs and az, modules"},
    {"sqlite", ZINC_WITH_SQLITE, "store sqlite, a module"},
    {"lmdb", ZINC_WITH_LMDB, "store lmdb, a module"},
    {"mongodb", ZINC_WITH_MONGODB &&ZINC_WITH_BSON, "store mongodb, a module"},
    {"postgresql", ZINC_WITH_POSTGRESQL, "store postgresql, a module"},
    {"leveldb", ZINC_WITH_LEVELDB, "store leveldb, a module"},
    {"berkeleydb", ZINC_WITH_BERKELEYDB, "store berkeleydb, a module"},
    {"kyotocabinet", ZINC_WITH_KYOTOCABINET, "store kyotocabinet, a module"},
    {"tokyocabinet", ZINC_WITH_TOKYOCABINET, "store tokyocabinet, a module"},
    {"microhttpd", ZINC_WITH_MICROHTTPD, "the server of serve and view, a module"},
    {"ssl", ZINC_WITH_SSL, "store redis, a module"},
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
