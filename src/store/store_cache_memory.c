/*
 * store_cache_memory.c - the cache's answers in memory, the least recently used dropped first (base/lru.c)
 *
 * Promises (tests/unit/test_store_cache*.c names each by its number, M1 ...):
 *
 * (M1) All entries together, with their keys and heads, have at most as many bytes as the budget.
 * (M2) The lock is held for no copy of kept bytes and no I/O.
 * (M3) An answer is found by key and range, both; there is one for each.
 */
#include "store/store_cache.h"

typedef struct entry {
	zinc_lru_entry e;
	cached_range range;
	cached_about about;
} entry;

void
zinc_cached_memory_init(cached_memory *m, zinc_context *ctx, uint64_t budget)
{
	m->table.ctx = ctx;
	m->budget = budget;
	pthread_mutex_init(&m->lock, NULL);
	m->fork = (zinc_fork_hook){.lock = &m->lock};
	zinc_fork_add(&m->fork);
}

void
zinc_cached_memory_fini(cached_memory *m)
{
	zinc_fork_remove(&m->fork);
	zinc_lru_empty(&m->table);
	pthread_mutex_destroy(&m->lock);
}

static uint32_t
hash_of(const char *key, const cached_range *r)
{
	return zinc_lru_hash(key, (r->offset * 0x9e3779b97f4a7c15u + r->length) * 4 + r->form);
}

static bool
same_range(const cached_range *a, const cached_range *b)
{
	return a->form == b->form && a->offset == b->offset && a->length == b->length;
}

/* The lock is held. */
static entry *
find(cached_memory *m, const char *key, const cached_range *range)
{
	const uint32_t hash = hash_of(key, range);
	zinc_lru_entry *e = NULL;

	while ((e = zinc_lru_next(&m->table, hash, key, e)))
		if (same_range(&((entry *)e)->range, range))
			return (entry *)e;
	return NULL;
}

void *
zinc_cached_memory_find(cached_memory *m, const char *key, const cached_range *range, cached_about *about,
			const uint8_t **bytes)
{
	entry *e;

	pthread_mutex_lock(&m->lock);
	e = find(m, key, range);
	if (e) {
		*about = e->about;
		if (bytes) {
			zinc_lru_hold(&m->table, &e->e);
			*bytes = e->e.bytes;
		}
	}
	pthread_mutex_unlock(&m->lock);
	return e;
}

void
zinc_cached_memory_release(cached_memory *m, void *hold)
{
	pthread_mutex_lock(&m->lock);
	zinc_lru_release(&m->table, (zinc_lru_entry *)hold);
	pthread_mutex_unlock(&m->lock);
}

void
zinc_cached_memory_drop(cached_memory *m, const char *key, const cached_range *range)
{
	entry *e;

	pthread_mutex_lock(&m->lock);
	e = find(m, key, range);
	if (e)
		zinc_lru_drop(&m->table, &e->e);
	pthread_mutex_unlock(&m->lock);
}

/* A quarter of the budget at most, so that one value does not empty the table.  The head counts, too. */
static uint64_t
cost_of(const char *key, uint64_t nbytes)
{
	return nbytes + sizeof(entry) + strlen(key) + 1;
}

void
zinc_cached_memory_add(cached_memory *m, const char *key, const cached_range *range, const cached_about *about,
		       const struct iovec *iov, int niov)
{
	entry *e, *old;

	if (about->nbytes > m->budget / 4 || cost_of(key, about->nbytes) > m->budget)
		return;
	e = (entry *)zinc_lru_entry_new(&m->table, sizeof *e, hash_of(key, range), key, &about->tag,
					(size_t)about->nbytes);
	if (!e)
		return;
	e->range = *range;
	e->about = *about;
	zinc_iov_gather(iov, niov, e->e.bytes, (size_t)about->nbytes);
	e->e.nbytes = (size_t)cost_of(key, about->nbytes);
	pthread_mutex_lock(&m->lock);
	old = find(m, key, range);
	if (old && old->about.checked > about->checked) {
		zinc_lru_release(&m->table, &e->e); /* a slower answer to an earlier request */
	} else {
		if (old)
			zinc_lru_drop(&m->table, &old->e);
		zinc_lru_add(&m->table, &e->e, m->budget);
	}
	pthread_mutex_unlock(&m->lock);
}

void
zinc_cached_memory_confirm(cached_memory *m, const char *key, const cached_range *range, const zinc_tag *tag,
			   int64_t checked)
{
	entry *e;

	pthread_mutex_lock(&m->lock);
	e = find(m, key, range);
	if (e && zinc_tag_equal(&e->about.tag, tag) && checked > e->about.checked)
		e->about.checked = checked;
	pthread_mutex_unlock(&m->lock);
}
