/*
 * with.h - libraries and parts that a build may lack
 *
 * The build system sets ZINC_WITH_X to 0 or 1.  A plain `cc` sets none of them and has no library.
 */
#ifndef ZINC_WITH_H
#define ZINC_WITH_H

#ifndef ZINC_WITH_BERKELEYDB
#define ZINC_WITH_BERKELEYDB 0
#endif
#ifndef ZINC_WITH_BLOSC
#define ZINC_WITH_BLOSC 0
#endif
#ifndef ZINC_WITH_BSON
#define ZINC_WITH_BSON 0
#endif
#ifndef ZINC_WITH_BZ2
#define ZINC_WITH_BZ2 0
#endif
#ifndef ZINC_WITH_CRYPTO
#define ZINC_WITH_CRYPTO 0
#endif
#ifndef ZINC_WITH_CURL
#define ZINC_WITH_CURL 0
#endif
#ifndef ZINC_WITH_DEFLATE
#define ZINC_WITH_DEFLATE 0
#endif
#ifndef ZINC_WITH_ISAL
#define ZINC_WITH_ISAL 0
#endif
#ifndef ZINC_WITH_KYOTOCABINET
#define ZINC_WITH_KYOTOCABINET 0
#endif
#ifndef ZINC_WITH_LEVELDB
#define ZINC_WITH_LEVELDB 0
#endif
#ifndef ZINC_WITH_LMDB
#define ZINC_WITH_LMDB 0
#endif
#ifndef ZINC_WITH_LZ4
#define ZINC_WITH_LZ4 0
#endif
#ifndef ZINC_WITH_LZMA
#define ZINC_WITH_LZMA 0
#endif
#ifndef ZINC_WITH_MONGODB
#define ZINC_WITH_MONGODB 0
#endif
#ifndef ZINC_WITH_PCRE2
#define ZINC_WITH_PCRE2 0
#endif
#ifndef ZINC_WITH_POSTGRESQL
#define ZINC_WITH_POSTGRESQL 0
#endif
#ifndef ZINC_WITH_SQLITE
#define ZINC_WITH_SQLITE 0
#endif
#ifndef ZINC_WITH_SSL
#define ZINC_WITH_SSL 0
#endif
#ifndef ZINC_WITH_TOKYOCABINET
#define ZINC_WITH_TOKYOCABINET 0
#endif
#ifndef ZINC_WITH_MICROHTTPD
#define ZINC_WITH_MICROHTTPD 0
#endif
#ifndef ZINC_WITH_ZFP
#define ZINC_WITH_ZFP 0
#endif
#ifndef ZINC_WITH_ZSTD
#define ZINC_WITH_ZSTD 0
#endif

#ifndef ZINC_WITH_DRAFTS
#define ZINC_WITH_DRAFTS 1 /* needs no library */
#endif

#endif
