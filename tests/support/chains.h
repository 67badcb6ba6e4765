/*
 * chains.h - chains of codecs for tests: from text, with findings, for a few elements
 */
#ifndef CHAINS_H
#define CHAINS_H

#include "codec/codec.h"

/* A chain and everything under it.  All of it belongs to one test. */
typedef struct chain_case {
	zinc_context *ctx;
	zinc_json_doc *doc; /* the `codecs` member */
	const zinc_dtype *dtype;
	zinc_chain *chain; /* NULL if it did not parse */
	zinc_scratch *s;
	zinc_buf out;   /* of chain_encode */
	zinc_view view; /* of chain_decode */
	unsigned found; /* findings, and the last of them */
	zinc_severity severity;
	char rule[24];
	char pointer[256];
	char message[512];
} chain_case;

/* Parse `codecs` (JSON) for chunks of `shape`, which ends with ENDED.  `fill` may be NULL.  chain_fini must follow. */
#define ENDED UINT64_MAX
zinc_status chain_init(chain_case *t, zinc_context *ctx, const char *codecs, const char *dtype, const uint64_t *shape,
		       const void *fill, bool strict, zinc_error *err);
void chain_fini(chain_case *t);

/* Elements in C order -> t->out, which is emptied first. */
zinc_status chain_encode(chain_case *t, const void *elements, zinc_error *err);
/* Bytes, copied to memory of exactly their size -> `elements` in C order. */
zinc_status chain_decode(chain_case *t, const void *bytes, size_t n, void *elements, zinc_error *err);
size_t chain_nbytes(const chain_case *t); /* of the elements */

/* The chain parses, and decodes what it encoded to the same elements. */
void chain_roundtrip(const char *codecs, const char *dtype, const uint64_t *shape, const void *fill,
		     const void *elements);
/* The chain does not parse, or with ZINC_OK only warns: status, rule and pointer of the finding.  In strict mode a
 * warning must become an error. */
void chain_finds(const char *codecs, const char *dtype, const uint64_t *shape, zinc_status st, const char *rule,
		 const char *pointer);
/* Decodes every prefix of `bytes`, and `bytes` with every single bit flipped.  Decoding must not crash and gives
 * E_CORRUPT, E_CHECKSUM or E_UNSUPPORTED, or elements of the right size.  Returns how many flips were not detected
 * and changed elements. */
size_t chain_damage(chain_case *t, const void *bytes, size_t n, const void *elements);
/* The same for a text encoded by `codecs`, which must detect every flip that changes it. */
void assert_damage_noticed(const char *codecs);

/* "1f 8b 08" -> bytes; returns how many. */
size_t unhex(const char *hex, void *out, size_t cap);

#endif
