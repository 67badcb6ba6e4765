/*
 * cache.c - decoded chunks kept between calls
 *
 * Off unless the context has cache_bytes.  An entry is found by store, key and unit.  It is used only if its tag is the
 * store's current one (or the caller sets assume_unchanged) and if it has the shape that the caller's metadata require:
 * the array may have been created again with other chunks, or resized, which changes the shape of a block of N5 at the
 * border although nothing is stored there.  The table is that of base/lru.c.
 *
 * Promises (tests/unit/test_cache.c names each by its number):
 *
 * (1) There is one cache per context; there is none without cache_bytes or for elements of variable length.
 * (2) An entry is found by store, key and unit, all three.
 * (3) An entry with another tag, shape or size of elements is dropped.  A unit without a tag is not cached.
 * (4) Elements are kept in C order.
 * (5) When the bytes are used up, the oldest entries are dropped; what is held stays readable until it is released.
 */
#include "array/engine.h"

typedef struct entry {
	zinc_lru_entry e;
	uint64_t store; /* serial number of the store, never reused */
	uint64_t unit;
	size_t element; /* bytes of one */
	int ndim;
	uint64_t shape[]; /* of the unit when it was decoded */
} entry;

struct zinc_cache {
	pthread_mutex_t lock;
	zinc_fork_hook fork;
	zinc_lru table;
};

/* ---- life ---- */

static void
free_cache(zinc_context *ctx, void *object)
{
	zinc_cache *c = object;

	zinc_fork_remove(&c->fork);
	zinc_lru_empty(&c->table);
	pthread_mutex_destroy(&c->lock);
	zinc_free(ctx, c);
}

/* Entries that are being copied are freed when they are released. */
static void trim_cache(zinc_context *ctx);

static const zinc_slot_kind in_context = {free_cache, trim_cache};

static void
trim_cache(zinc_context *ctx)
{
	zinc_cache *c;

	pthread_mutex_lock(&ctx->lock);
	c = *zinc_context_slot(ctx, &in_context);
	pthread_mutex_unlock(&ctx->lock);
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	zinc_lru_empty(&c->table);
	pthread_mutex_unlock(&c->lock);
}

static zinc_cache *
make_cache(zinc_context *ctx)
{
	zinc_cache *c = zinc_calloc(ctx, 1, sizeof *c), *first;

	if (!c)
		return NULL;
	c->table.ctx = ctx;
	pthread_mutex_init(&c->lock, NULL);
	c->fork = (zinc_fork_hook){.lock = &c->lock};
	pthread_mutex_lock(&ctx->lock);
	first = *zinc_context_slot(ctx, &in_context);
	if (!first)
		*zinc_context_slot(ctx, &in_context) = c;
	pthread_mutex_unlock(&ctx->lock);
	if (!first) {
		zinc_fork_add(&c->fork);
		return c;
	}
	pthread_mutex_destroy(&c->lock);
	zinc_free(ctx, c);
	return first;
}

zinc_cache *
zinc_cache_of(const zinc_call *call)
{
	zinc_context *ctx = call->ctx;
	zinc_cache *c;

	if (ctx->cache_bytes == 0 || call->m->dtype->variable)
		return NULL;
	pthread_mutex_lock(&ctx->lock);
	c = *zinc_context_slot(ctx, &in_context);
	pthread_mutex_unlock(&ctx->lock);
	return c ? c : make_cache(ctx);
}

/* ---- use ---- */

static entry *
find(zinc_cache *c, uint64_t store, const char *key, uint64_t unit)
{
	const uint32_t hash = zinc_lru_hash(key, unit);
	zinc_lru_entry *e = NULL;

	while ((e = zinc_lru_next(&c->table, hash, key, e))) {
		entry *mine = (entry *)e;

		if (mine->unit == unit && mine->store == store)
			return mine;
	}
	return NULL;
}

bool
zinc_cache_has(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag)
{
	const entry *e;
	bool has;

	pthread_mutex_lock(&c->lock);
	e = find(c, store->serial, key, unit);
	has = e && (!tag || zinc_tag_equal(&e->e.tag, tag));
	pthread_mutex_unlock(&c->lock);
	return has;
}

/* Two shapes may have the same number of elements. */
static bool
has_shape(const entry *e, const uint64_t *shape, int ndim, size_t element)
{
	return e->ndim == ndim && e->element == element && memcmp(e->shape, shape, (size_t)ndim * sizeof *shape) == 0;
}

const uint8_t *
zinc_cache_get(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag,
	       const uint64_t *shape, int ndim, size_t element, void **hold)
{
	const uint8_t *bytes = NULL;
	entry *e;

	pthread_mutex_lock(&c->lock);
	e = find(c, store->serial, key, unit);
	if (e && (!has_shape(e, shape, ndim, element) || (tag && !zinc_tag_equal(&e->e.tag, tag)))) {
		zinc_lru_drop(&c->table, &e->e);
	} else if (e) {
		zinc_lru_hold(&c->table, &e->e);
		*hold = e;
		bytes = e->e.bytes;
	}
	pthread_mutex_unlock(&c->lock);
	return bytes;
}

void
zinc_cache_release(zinc_cache *c, void *hold)
{
	pthread_mutex_lock(&c->lock);
	zinc_lru_release(&c->table, hold);
	pthread_mutex_unlock(&c->lock);
}

static entry *
make_entry(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag, const uint64_t *shape,
	   int ndim, size_t element)
{
	const size_t head = sizeof(entry) + (size_t)ndim * sizeof *shape;
	uint64_t nbytes;
	entry *e;

	if (zinc_shape_bytes(shape, ndim, element, c->table.ctx->cache_bytes, &nbytes))
		return NULL;
	e = (entry *)zinc_lru_entry_new(&c->table, head, zinc_lru_hash(key, unit), key, tag, (size_t)nbytes);
	if (!e)
		return NULL;
	e->store = store->serial;
	e->unit = unit;
	e->element = element;
	e->ndim = ndim;
	memcpy(e->shape, shape, (size_t)ndim * sizeof *shape);
	return e;
}

static void
insert(zinc_cache *c, entry *e)
{
	entry *old;

	pthread_mutex_lock(&c->lock);
	old = find(c, e->store, e->e.key, e->unit);
	if (old)
		zinc_lru_drop(&c->table, &old->e);
	zinc_lru_add(&c->table, &e->e, c->table.ctx->cache_bytes);
	pthread_mutex_unlock(&c->lock);
}

void
zinc_cache_put(zinc_cache *c, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag,
	       const zinc_view *v, const uint64_t *shape, int ndim, size_t element)
{
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	int64_t strides[ZINC_MAX_NDIM];
	entry *e;
	int d;

	e = tag->n > 0 ? make_entry(c, store, key, unit, tag, shape, ndim, element) : NULL;
	if (!e)
		return;
	zinc_strides_c(shape, ndim, element, strides);
	for (d = 0; d < ndim; d++)
		dims[d] = (zinc_copy_dim){.n = shape[d], .dst_stride = strides[d], .src_stride = v->strides[d]};
	zinc_copy_nd(e->e.bytes, v->p, dims, ndim, element);
	insert(c, e);
}

/* ---- a way to read an object ---- */

/* Request the current tag, unless the caller set assume_unchanged. */
static zinc_status
want_cached(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, bool *can, zinc_error *err)
{
	zinc_cache *cache = zinc_cache_of(j->c);

	(void)r, (void)err;
	*can = !j->explain && cache && zinc_cache_has(cache, j->c->store, (const char *)it->key.p, 0, NULL);
	if (*can && !j->c->o.assume_unchanged)
		zinc_fetch_want(it, (zinc_get){.stat = 1});
	return ZINC_OK;
}

static zinc_status
take_cached(zinc_job *j, const zinc_reading *r, zinc_fetch_item *it, zinc_worker *w, bool *done, zinc_error *err)
{
	static const zinc_tag none = {0, {0}};
	const zinc_tag *tag = j->c->o.assume_unchanged ? NULL : it->found == ZINC_FOUND ? &it->tag : &none;
	const zinc_meta *m = j->p->m;
	zinc_cache *cache = zinc_cache_of(j->c);
	zinc_status st;
	zinc_view v;
	void *hold;

	v.p = (uint8_t *)(uintptr_t)zinc_cache_get(cache, j->c->store, (const char *)it->key.p, 0, tag, r->o.extent,
						   m->ndim, m->dtype->size, &hold);
	*done = v.p != NULL;
	if (!*done)
		return ZINC_OK;
	zinc_strides_c(r->o.extent, m->ndim, m->dtype->size, v.strides);
	st = zinc_transfer_out(j->p, j->t, &r->u, &v, w->s, err);
	zinc_cache_release(cache, hold);
	return st;
}

const zinc_way zinc_way_cached = {.want = want_cached, .take = take_cached};
