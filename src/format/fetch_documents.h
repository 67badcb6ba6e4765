/*
 * fetch_documents.h - many documents in one batched get
 */
#ifndef ZINC_FETCH_DOCUMENTS_H
#define ZINC_FETCH_DOCUMENTS_H

#include "json/json.h"
#include "store/store.h"

/* One fetched document. */
typedef struct zinc_fetched {
	zinc_found found;
	char *text; /* NUL-terminated; NULL unless found */
	size_t n;
	zinc_tag tag;
	zinc_status status; /* with ZINC_FAILED */
	zinc_error *error;  /* with ZINC_FAILED; NULL when there was no memory for it */
	/* NULL, or where the parsed document is: whoever takes it sets NULL there.  It is not freed with the text. */
	zinc_json_doc **parsed;
} zinc_fetched;

/* Get the values of n keys into out[0..n).  Each key has its own result: found, missing or failed.  The call itself
 * fails only when no key could be requested.  A value longer than limits.json_bytes is cut to one byte more, so that
 * the JSON parser reports it.  Free with zinc_fetched_fini, on success only. */
zinc_status zinc_fetch(zinc_store *s, char *const *keys, size_t n, zinc_fetched *out, const zinc_wait *wait,
		       zinc_error *err);
void zinc_fetched_fini(zinc_context *ctx, zinc_fetched *docs, size_t n);
/* Return the failure of a document as the caller's own error, with its key; ZINC_OK when it did not fail. */
zinc_status zinc_fetched_status(const zinc_fetched *doc, const char *key, zinc_error *err);

#endif
