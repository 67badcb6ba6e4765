/*
 * fetch_documents.c - many documents in one batched get
 *
 * Promises:
 *
 * (1) n documents are one call of the store, for every n.
 * (2) A document that fails never hides the others, and never counts as missing.
 */
#include "format/fetch_documents.h"

struct batch {
	zinc_context *ctx;
	zinc_fetched *docs;
};

/* Each request uses only its own slot, so the store's threads need no lock. */
static zinc_room
fetch_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	struct batch *b = arg;
	zinc_fetched *doc = &b->docs[i];

	zinc_free(b->ctx, doc->text);
	doc->text = nbytes < SIZE_MAX ? zinc_alloc(b->ctx, (size_t)nbytes + 1) : NULL;
	*buf = doc->text;
	return doc->text ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

/* Called once per request, perhaps in another thread.  Copies the result, since `got` is not valid after the call. */
static void
fetch_done(void *arg, size_t i, const zinc_got *got)
{
	struct batch *b = arg;
	zinc_fetched *doc = &b->docs[i];

	doc->found = got->found;
	if (got->found == ZINC_FOUND) {
		doc->n = (size_t)got->nbytes;
		doc->tag = *got->tag;
		if (doc->text)
			doc->text[doc->n] = '\0';
		return;
	}
	zinc_free(b->ctx, doc->text);
	doc->text = NULL;
	doc->status = got->status;
	if (got->found == ZINC_FAILED && got->error) {
		doc->error = zinc_alloc(b->ctx, sizeof *doc->error);
		if (doc->error)
			*doc->error = *got->error;
	}
}

/* A store that delivers no bytes need not have asked for memory. */
static zinc_status
fill_empty(zinc_context *ctx, zinc_fetched *docs, size_t n, zinc_error *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (docs[i].found == ZINC_FOUND && !docs[i].text) {
			docs[i].text = zinc_calloc(ctx, 1, 1);
			if (!docs[i].text)
				return zinc_fail_nomem(err);
		}
	return ZINC_OK;
}

zinc_status
zinc_fetch(zinc_store *s, char *const *keys, size_t n, zinc_fetched *out, const zinc_wait *wait, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(s);
	struct batch b = {ctx, out};
	const zinc_sink sink = {sizeof sink, fetch_room, fetch_done, &b};
	zinc_get *requests = zinc_calloc(ctx, n, sizeof *requests);
	zinc_status st;
	size_t i;

	if (!requests)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++) {
		out[i] = (zinc_fetched){.found = ZINC_FAILED};
		requests[i].key = keys[i];
		requests[i].length = ZINC_TO_END;
		(void)zinc_u64_add(ctx->limits.json_bytes, 1, &requests[i].length);
		requests[i].limit = requests[i].length;
	}
	st = zinc_store_get(s, requests, n, &sink, wait, err);
	zinc_free(ctx, requests);
	if (st == ZINC_OK)
		st = fill_empty(ctx, out, n, err);
	if (st != ZINC_OK)
		zinc_fetched_fini(ctx, out, n);
	return st;
}

/* May be called twice: freed pointers are cleared. */
void
zinc_fetched_fini(zinc_context *ctx, zinc_fetched *docs, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		zinc_free(ctx, docs[i].text);
		zinc_free(ctx, docs[i].error);
		docs[i].text = NULL;
		docs[i].error = NULL;
	}
}

zinc_status
zinc_fetched_status(const zinc_fetched *doc, const char *key, zinc_error *err)
{
	if (doc->found != ZINC_FAILED)
		return ZINC_OK;
	if (doc->error)
		zinc_error_copy(err, doc->error);
	else
		zinc_fail(err, doc->status, "%s", zinc_status_text(doc->status));
	return zinc_error_at_key(err, doc->status, key);
}
