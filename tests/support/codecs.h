/*
 * codecs.h - shared checks for the tests of single codecs, one line each
 *
 * `codecs` is the JSON of a chain, `shape` ends with ENDED, `elements` are in C order.
 */
#ifndef CODECS_H
#define CODECS_H

#include "support/chains.h"

/* Encoded bytes in hexadecimal -> these elements, or with another status none (`elements` NULL); the error names a
 * codec.
 */
void codec_decodes(const char *codecs, const char *dtype, const uint64_t *shape, const char *hex, zinc_status st,
		   const void *elements);
/* Elements -> these bytes, or with another status nothing (`hex` NULL). */
void codec_encodes(const char *codecs, const char *dtype, const uint64_t *shape, const void *elements, zinc_status st,
		   const char *hex);
/* The chain prints as `printed` (JSON), which parses and prints as itself; `v2`: how each codec but "bytes" is written
 * in v2, as an array, without those that v2 does not have. */
void codec_prints(const char *codecs, const char *dtype, const char *printed, const char *v2);
/* The short form makes these codecs; NULL: E_INVALID. */
void codec_words(const char *text, const char *dtype, const char *codecs);
/* Every allocation of parsing, printing, encoding and decoding fails in turn. */
void codec_sweep(const char *codecs, const char *dtype, const uint64_t *shape, const void *elements);
/* From the second chunk on nothing is allocated from the context. */
void codec_warm(const char *codecs, const char *dtype, const uint64_t *shape, const void *elements);
/* Decoding these bytes is E_CORRUPT, and allocates at most `most` bytes from the context. */
void codec_bomb(const char *codecs, const char *dtype, const uint64_t *shape, const void *bytes, size_t n, long most);

#endif
