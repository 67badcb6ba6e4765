/*
 * transform_cache.c - the run-time layer that caches answers of the store
 *
 * An entry is one answer: a key, a range of its value, the bytes, and their generation.  Promises
 * (tests/unit/test_transform_cache.c names each by its number):
 *
 * (1) An entry is used only after the store has confirmed, by a request for no bytes, that the key still has the
 *     entry's tag; all such requests of a batch are one call.  With `trust` no such request is made.
 * (2) Bytes without a tag are not cached, unless `trust` is set.
 * (3) A change that passes through the layer drops the entries of its key.
 * (4) The entries together have at most `bytes` bytes; the least recently used are dropped first.
 */
#include "transform/transform_inside.h"

ZINC_OPTIONS_KIND(zinc_layer_cache_options, ZINC_OPTION_YES_NO(zinc_layer_cache_options, trust));

typedef struct entry {
	zinc_lru_entry e;
	uint64_t offset, length;
	int suffix;
	uint64_t size; /* of the whole value */
} entry;

typedef struct cache {
	zinc_context *ctx;
	zinc_store *next;
	zinc_layer_cache_options o;
	zinc_lru table;
} cache;

/* ---- the table (base/lru.c), under the context's lock, which is safe across fork() ---- */

/* Drop all entries of a key; NULL: of every key. */
static void
drop_entries(cache *c, const char *key)
{
	const uint32_t hash = key ? zinc_lru_hash(key, 0) : 0;
	zinc_lru_entry *e, *next;

	pthread_mutex_lock(&c->ctx->lock);
	if (!key)
		zinc_lru_empty(&c->table);
	for (e = key ? zinc_lru_next(&c->table, hash, key, NULL) : NULL; e; e = next) {
		next = zinc_lru_next(&c->table, hash, key, e);
		zinc_lru_drop(&c->table, e);
	}
	pthread_mutex_unlock(&c->ctx->lock);
}

static bool
answers(const entry *e, const zinc_get *r)
{
	return e->length == r->length && !e->suffix == !r->suffix && (r->suffix || e->offset == r->offset);
}

/* The entry that answers the request, or NULL. */
static entry *
look_up(cache *c, const zinc_get *r)
{
	const uint32_t hash = zinc_lru_hash(r->key, 0);
	zinc_lru_entry *e = NULL;

	do
		e = zinc_lru_next(&c->table, hash, r->key, e);
	while (e && !answers((const entry *)e, r));
	return (entry *)e;
}

/* The same, and hold the entry. */
static entry *
find(cache *c, const zinc_get *r)
{
	entry *e;

	pthread_mutex_lock(&c->ctx->lock);
	e = look_up(c, r);
	if (e)
		zinc_lru_hold(&c->table, &e->e);
	pthread_mutex_unlock(&c->ctx->lock);
	return e;
}

static void
release(cache *c, entry *e)
{
	pthread_mutex_lock(&c->ctx->lock);
	zinc_lru_release(&c->table, &e->e);
	pthread_mutex_unlock(&c->ctx->lock);
}

/* Copy an answer into an entry, from the request's iov or from `slot`.  NULL: no memory, which is not an error here. */
static entry *
entry_new(cache *c, const zinc_get *r, const zinc_got *got, const uint8_t *slot)
{
	const size_t n = (size_t)got->nbytes;
	entry *e = (entry *)zinc_lru_entry_new(&c->table, sizeof *e, zinc_lru_hash(r->key, 0), r->key, got->tag, n);

	if (!e)
		return NULL;
	e->offset = r->offset;
	e->length = r->length;
	e->suffix = r->suffix;
	e->size = got->object_size;
	if (!slot)
		zinc_iov_gather(r->iov, r->niov, e->e.bytes, n);
	else if (n)
		memcpy(e->e.bytes, slot, n);
	return e;
}

static void
keep(cache *c, const zinc_get *r, const zinc_got *got, const uint8_t *slot)
{
	entry *e, *old;

	if (got->nbytes > c->o.bytes || r->stat || (got->tag->n == 0 && !c->o.trust))
		return;
	e = entry_new(c, r, got, slot);
	if (!e)
		return;
	pthread_mutex_lock(&c->ctx->lock);
	old = look_up(c, r);
	if (old)
		zinc_lru_drop(&c->table, &old->e);
	zinc_lru_add(&c->table, &e->e, c->o.bytes);
	pthread_mutex_unlock(&c->ctx->lock);
}

/* ---- get ---- */

/* The cached entry of one request, and whether it is still valid. */
typedef struct request_state {
	entry *e;
	bool valid;
	uint8_t *slot; /* where room() put the bytes */
} request_state;

typedef struct batch {
	cache *c;
	const zinc_get *requests;
	size_t n;
	const zinc_sink *sink;
	const zinc_wait *wait;
	request_state *states;
	zinc_get *below;
	size_t *whose; /* by request to the store below: the number of the caller's request */
} batch;

static void
confirm_done(void *arg, size_t i, const zinc_got *got)
{
	batch *b = (batch *)arg;
	request_state *w = &b->states[b->whose[i]];

	w->valid = got->found == ZINC_FOUND && zinc_tag_equal(&w->e->e.tag, got->tag);
}

/* Which entries are still current?  If this call fails, no entry is used, and the requests themselves report the
 * error. */
static void
confirm(batch *b)
{
	zinc_sink sink = {sizeof sink, NULL, confirm_done, b};
	size_t i, n = 0;

	for (i = 0; i < b->n; i++) {
		request_state *w = &b->states[i];

		if (b->requests[i].stat)
			continue;
		w->e = find(b->c, &b->requests[i]);
		w->valid = w->e && b->c->o.trust;
		if (!w->e || w->valid)
			continue;
		b->below[n] = (zinc_get){.key = b->requests[i].key, .stat = 1};
		b->whose[n++] = i;
	}
	if (n)
		(void)!zinc_store_get(b->c->next, b->below, n, &sink, b->wait, NULL);
}

static zinc_status
copy_from_entry(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const entry *e = (const entry *)arg;
	const uint64_t at = e->suffix ? e->size - e->e.nbytes : zinc_min_u64(e->offset, e->size);

	(void)err;
	zinc_iov_scatter(iov, niov, e->e.bytes + (size_t)(offset - at), (size_t)nbytes);
	return ZINC_OK;
}

static zinc_room
note_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	batch *b = (batch *)arg;
	const zinc_room answer = b->sink->room(b->sink->arg, b->whose[i], nbytes, buf);

	b->states[b->whose[i]].slot = answer == ZINC_ROOM_OK ? (uint8_t *)*buf : NULL;
	return answer;
}

/* Cache the bytes before the caller gets them, because the caller may change them. */
static void
note_done(void *arg, size_t i, const zinc_got *got)
{
	batch *b = (batch *)arg;
	const size_t mine = b->whose[i];

	if (got->found == ZINC_FOUND)
		keep(b->c, &b->requests[mine], got, b->requests[mine].iov ? NULL : b->states[mine].slot);
	b->sink->done(b->sink->arg, mine, got);
}

/* First request from the store below what is not cached, then serve the rest: a get that fails as a whole must not have
 * answered any request. */
static zinc_status
answer_all(batch *b, zinc_error *err)
{
	zinc_sink sink = {sizeof sink, b->sink->room ? note_room : NULL, note_done, b};
	zinc_status st = ZINC_OK;
	size_t i, n = 0;

	for (i = 0; i < b->n; i++)
		if (!b->states[i].valid) {
			b->below[n] = b->requests[i];
			b->below[n].untagged = 0;
			b->whose[n++] = i;
		}
	if (n)
		st = zinc_store_get(b->c->next, b->below, n, &sink, b->wait, err);
	for (i = 0; i < b->n; i++) {
		entry *e = b->states[i].e;

		if (st == ZINC_OK && b->states[i].valid && !zinc_sink_cancelled(b->sink, i, b->wait))
			zinc_sink_serve(b->sink, i, &b->requests[i], e->size, &e->e.tag, copy_from_entry, e, b->wait);
		if (e)
			release(b->c, e);
	}
	return st;
}

static zinc_status
cache_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	cache *c = (cache *)self;
	batch b = {.c = c, .requests = requests, .n = n, .sink = sink, .wait = wait};
	zinc_status st;

	b.states = (request_state *)zinc_calloc(c->ctx, n, sizeof *b.states);
	b.below = (zinc_get *)zinc_calloc(c->ctx, n, sizeof *b.below);
	b.whose = (size_t *)zinc_calloc(c->ctx, n, sizeof *b.whose);
	if (b.states && b.below && b.whose) {
		confirm(&b);
		st = answer_all(&b, err);
	} else {
		st = zinc_fail_nomem(err);
	}
	zinc_free(c->ctx, b.states);
	zinc_free(c->ctx, b.below);
	zinc_free(c->ctx, b.whose);
	return st;
}

/* ---- changes: pass them on, then drop the entries ---- */

static zinc_status
cache_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	cache *c = (cache *)self;
	const zinc_status st = zinc_store_put_many(c->next, group, puts, n, done, flags, wait, err);
	size_t i;

	for (i = 0; i < n; i++)
		drop_entries(c, puts[i].key);
	return st;
}

static zinc_status
cache_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	cache *c = (cache *)self;
	const zinc_status st = zinc_store_del_many(c->next, group, dels, n, done, flags, wait, err);
	size_t i;

	for (i = 0; i < n; i++)
		drop_entries(c, dels[i].key);
	return st;
}

/* The puts of a group may become visible only now, and this layer does not know their keys. */
static zinc_status
cache_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	cache *c = (cache *)self;
	const zinc_status st = zinc_store_commit(c->next, group, fn, arg, wait, err);

	if (c->o.trust)
		drop_entries(c, NULL);
	return st;
}

static zinc_status
cache_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	cache *c = (cache *)self;
	const zinc_status st = zinc_store_update(c->next, key, fn, arg, 0, limit, flags, wait, err);

	drop_entries(c, key);
	return st;
}

static zinc_status
cache_splice(void *self, const char *key, zinc_splice_fn fn, void *arg, uint64_t limit, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	cache *c = (cache *)self;
	const zinc_status st = zinc_store_splice(c->next, key, fn, arg, 0, limit, flags, wait, err);

	drop_entries(c, key);
	return st;
}

static zinc_status
cache_put_partial(void *self, const zinc_partial *const *parts, size_t n, int single_writer, uint32_t flags,
		  const zinc_wait *wait, zinc_error *err)
{
	cache *c = (cache *)self;
	const zinc_status st = zinc_store_put_parts(c->next, parts, n, single_writer, flags, wait, err);
	size_t i;

	for (i = 0; i < n; i++)
		drop_entries(c, parts[i]->key);
	return st;
}

static zinc_status
cache_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	cache *c = (cache *)self;
	const zinc_status st = zinc_store_del_prefix(c->next, prefix, flags, wait, err);

	drop_entries(c, NULL);
	return st;
}

/* ---- the rest ---- */

static void
cache_close(void *self)
{
	cache *c = (cache *)self;

	drop_entries(c, NULL);
	zinc_store_close(c->next);
	zinc_free(c->ctx, c);
}

static void
cache_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(((cache *)self)->next, out);
}

/* Operations that change no value are forwarded: groups, listing, sync, scrub. */
static zinc_store *
cache_forwards(void *self)
{
	return ((cache *)self)->next;
}

static const zinc_store_ops cache_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "cache",
    .purpose = "another store, with its answers cached in memory",
    .close = cache_close,
    .caps = cache_caps,
    .get = cache_get,
    .put = cache_put,
    .del = cache_del,
    .commit = cache_commit,
    .update = cache_update,
    .splice = cache_splice,
    .del_prefix = cache_del_prefix,
    .put_partial = cache_put_partial,
    .forwards = cache_forwards,
};

zinc_status
zinc_layer_cache(zinc_store **out, const void *cache_options, const zinc_transformer_input *in, zinc_error *err)
{
	zinc_layer_cache_options o;
	zinc_context *ctx;
	zinc_status st;
	cache *c;

	ZINC_TRY(ZINC_NEED(out && in && in->next, err));
	ctx = zinc_store_context(in->next);
	ZINC_TRY(zinc_options_take_as(&zinc_layer_cache_options_kind, &o, cache_options, err));
	c = (cache *)zinc_calloc(ctx, 1, sizeof *c);
	if (!c)
		return zinc_fail_nomem(err);
	c->ctx = c->table.ctx = ctx;
	c->next = in->next;
	c->o = o;
	st = zinc_store_wrap(out, ctx, &cache_ops, c, zinc_store_url(in->next), err);
	if (st != ZINC_OK) {
		zinc_free(ctx, c);
		return st;
	}
	zinc_store_ref(in->next);
	return ZINC_OK;
}
