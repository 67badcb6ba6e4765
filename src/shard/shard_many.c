/*
 * shard_many.c - read the indexes of many shards in one call of their store
 *
 * For the layer `indexed`, which is a store itself: one call reads or lists many chunks.
 *
 * Promises (tests/unit/test_shard_many.c names each by its number):
 *
 * (1) The indexes of all shards and the other requests are read in one call of the store.
 * (2) A shard that cannot be read does not fail the others.
 * (3) zinc_shard_each reads the indexes of 256 shards in one call, and decodes one after the other: a decoded index may
 *     be large.
 */
#include "shard/shard_inside.h"

#define WINDOW 256u /* shards whose indexes are read in one call */

typedef struct many {
	zinc_context *ctx;
	zinc_shard_read *shards;
	size_t n;
	const zinc_shard_others *others;
} many;

void
zinc_shard_read_fini(zinc_shard_read *r, zinc_context *ctx)
{
	zinc_free(ctx, r->tail);
	zinc_free(ctx, r->stored.entries);
	zinc_free(ctx, r->error);
	zinc_blob_fini(&r->whole);
	*r = (zinc_shard_read){.key = NULL};
}

void
zinc_shard_read_fail(zinc_shard_read *r, zinc_context *ctx, zinc_status st, const zinc_error *error)
{
	r->stored.found = false;
	r->status = st ? st : ZINC_E_IO;
	if (error && !r->error)
		r->error = (zinc_error *)zinc_calloc(ctx, 1, sizeof *r->error);
	if (error && r->error)
		zinc_error_copy(r->error, error);
}

static zinc_room
make_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	many *m = (many *)arg;
	zinc_shard_read *r;

	if (i >= m->n)
		return m->others->sink->room(m->others->sink->arg, m->others->numbers[i - m->n], nbytes, buf);
	r = &m->shards[i];
	zinc_free(m->ctx, r->tail);                              /* a store that retries calls this again */
	r->tail = (uint8_t *)zinc_alloc(m->ctx, (size_t)nbytes); /* at most an index */
	*buf = r->tail;
	return r->tail ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

/* Called by any thread, several at once, each for its own shard. */
static void
take_done(void *arg, size_t i, const zinc_got *got)
{
	many *m = (many *)arg;
	zinc_shard_read *r;

	if (i >= m->n) {
		m->others->sink->done(m->others->sink->arg, m->others->numbers[i - m->n], got);
		return;
	}
	r = &m->shards[i];
	r->stored.found = got->found == ZINC_FOUND;
	if (r->stored.found) {
		r->ntail = (size_t)got->nbytes;
		r->stored.size = got->object_size;
		r->stored.tag = *got->tag;
	} else if (got->found != ZINC_MISSING)
		zinc_shard_read_fail(r, m->ctx, got->status, got->error);
}

zinc_status
zinc_shard_read_many(zinc_store *store, const zinc_shard_layout *l, zinc_shard_read *shards, size_t n, zinc_get *gets,
		     const zinc_shard_others *others, const zinc_wait *wait, zinc_error *err)
{
	many m = {zinc_store_context(store), shards, n, others};
	const zinc_sink sink = {sizeof sink, make_room, take_done, &m};
	const size_t nothers = others ? others->n : 0;
	size_t i;

	for (i = 0; i < n; i++) {
		shards[i].stored.layout = l;
		gets[i] = zinc_shard_request(l, ZINC_SHARD_ASK_INDEX, NULL);
		gets[i].key = shards[i].key;
	}
	for (i = 0; i < nothers; i++)
		gets[n + i] = others->requests[others->numbers[i]];
	return zinc_store_get(store, gets, n + nothers, &sink, wait, err);
}

/* ---- entries ---- */

/* The index that was read before is not used: it may be of another generation. */
static zinc_status
read_whole(zinc_shard_read *r, zinc_store *store, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = zinc_store_get_all(store, r->key, &r->whole, &r->stored.tag,
						  zinc_max_chunk(zinc_store_context(store)), wait, &e);

	r->stored.found = st == ZINC_OK;
	r->stored.size = r->whole.nbytes;
	return st == ZINC_OK || st == ZINC_E_NOTFOUND ? ZINC_OK : zinc_error_copy(err, &e);
}

zinc_status
zinc_shard_read_entries(zinc_shard_read *r, zinc_store *store, zinc_scratch *scratch, const zinc_wait *wait,
			zinc_error *err)
{
	zinc_shard_ask ask = ZINC_SHARD_ASK_INDEX;
	bool again;

	r->stored.entries = (zinc_shard_entry *)zinc_calloc(zinc_store_context(store), (size_t)r->stored.layout->n,
							    sizeof *r->stored.entries);
	if (!r->stored.entries)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_shard_take(&r->stored, scratch, (zinc_bytes){r->tail, r->ntail}, &ask, &again, err));
	if (again)
		ZINC_TRY(read_whole(r, store, wait, err));
	if (!again || !r->stored.found)
		return ZINC_OK;
	return zinc_shard_take(&r->stored, scratch, (zinc_bytes){(const uint8_t *)r->whole.data, r->whole.nbytes}, &ask,
			       &again, err);
}

/* ---- each shard ---- */

typedef struct visit {
	zinc_store *store;
	const zinc_shard_layout *layout;
	zinc_shard_entries_fn fn;
	void *arg;
	const zinc_wait *wait;
	zinc_scratch *scratch;
	zinc_shard_entry *entries;
	zinc_shard_read shards[WINDOW];
	zinc_get gets[WINDOW];
} visit;

/* A shard that is missing is skipped. */
static zinc_status
visit_one(visit *v, const zinc_shard_read *r, size_t i, zinc_error *err)
{
	const zinc_shard_layout *l = v->layout;

	if (r->status != ZINC_OK)
		return zinc_error_copy(err, r->error) == r->status
			   ? r->status
			   : zinc_fail(err, r->status, "%s", zinc_status_text(r->status));
	if (!r->stored.found)
		return ZINC_OK;
	ZINC_TRY(zinc_shard_index_decode(l->sh, v->scratch, l->shape, (zinc_bytes){r->tail, r->ntail}, r->stored.size,
					 v->entries, err));
	return v->fn(v->arg, i, v->entries, err);
}

static zinc_status
visit_window(visit *v, const char *const *keys, size_t first, size_t n, zinc_error *err)
{
	zinc_status st;
	size_t i;

	for (i = 0; i < n; i++)
		v->shards[i] = (zinc_shard_read){.key = keys[first + i]};
	st = zinc_shard_read_many(v->store, v->layout, v->shards, n, v->gets, NULL, v->wait, err);
	for (i = 0; i < n; i++) {
		if (st == ZINC_OK)
			st = zinc_error_at_key(err, visit_one(v, &v->shards[i], first + i, err), keys[first + i]);
		zinc_shard_read_fini(&v->shards[i], zinc_store_context(v->store));
	}
	return st;
}

zinc_status
zinc_shard_each(zinc_store *store, const zinc_shard_layout *l, const char *const *keys, size_t n,
		zinc_shard_entries_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(store);
	visit *v = (visit *)zinc_calloc(ctx, 1, sizeof *v);
	zinc_status st = ZINC_OK;
	size_t i;

	if (!v)
		return zinc_fail_nomem(err);
	v->store = store;
	v->layout = l;
	v->fn = fn;
	v->arg = arg;
	v->wait = wait;
	v->scratch = zinc_scratch_get(ctx);
	v->entries = (zinc_shard_entry *)zinc_calloc(ctx, (size_t)l->n, sizeof *v->entries);
	if (!v->scratch || !v->entries)
		st = zinc_fail_nomem(err);
	for (i = 0; st == ZINC_OK && i < n; i += WINDOW)
		st = visit_window(v, keys, i, n - i < WINDOW ? n - i : WINDOW, err);
	zinc_scratch_put(v->scratch);
	zinc_free(ctx, v->entries);
	zinc_free(ctx, v);
	return st;
}
