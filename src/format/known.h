/*
 * known.h - documents that were read, for calls that follow
 */
#ifndef ZINC_KNOWN_H
#define ZINC_KNOWN_H

#include "format/fetch_documents.h"
#include "format/format.h"

typedef struct zinc_known zinc_known;

/* zinc_known_new and zinc_known_free: format.h */

/* Keep a document, or that there is none, under its key.  `parsed` (NULL: not parsed) is taken. */
void zinc_known_add(zinc_known *k, const char *key, const zinc_fetched *doc, zinc_json_doc *parsed);
/* Is it known that the key is missing? */
bool zinc_known_missing(zinc_known *k, const char *key);
/* zinc_fetch that reads only what is not known, and keeps what it reads.  With `k` NULL it is zinc_fetch. */
zinc_status zinc_known_fetch(zinc_known *k, zinc_store *s, char *const *keys, size_t n, zinc_fetched *out,
			     const zinc_wait *wait, zinc_error *err);

#endif
