/*
 * lru.c - a cache: entries found by key; the least recently used are dropped first
 *
 *     buckets   [ ]->e->e      by the hash of the key
 *     by use    newest <-> e <-> e <-> oldest
 *
 * Each cache has its own lock, which is held around every call here; an entry is created, filled and compared without
 * it.
 *
 * Promises (tests/unit/test_lru.c names each by its number):
 *
 * (1) The entries of a table together have at most as many bytes as its budget; the least recently used are dropped
 *     first.
 * (2) An entry that is held keeps its bytes until it is released, even if it was dropped meanwhile.
 */
#include "base/base.h"

uint32_t
zinc_lru_hash(const char *key, uint64_t number)
{
	return zinc_crc32c((uint32_t)number, key, strlen(key));
}

static zinc_lru_entry **
bucket_of(zinc_lru *l, uint32_t hash)
{
	return &l->buckets[hash % ZINC_LRU_BUCKETS];
}

/* ---- entries ---- */

static void
unref(zinc_lru *l, zinc_lru_entry *e)
{
	if (--e->refs > 0)
		return;
	zinc_free(l->ctx, e->bytes);
	zinc_free(l->ctx, e->key);
	zinc_free(l->ctx, e);
}

zinc_lru_entry *
zinc_lru_entry_new(zinc_lru *l, size_t size, uint32_t hash, const char *key, const zinc_tag *tag, size_t nbytes)
{
	zinc_lru_entry *e = (zinc_lru_entry *)zinc_calloc(l->ctx, 1, size);

	if (!e)
		return NULL;
	e->refs = 1;
	e->hash = hash;
	e->tag = *tag;
	e->nbytes = nbytes;
	e->key = zinc_strdup(l->ctx, key);
	e->bytes = (uint8_t *)zinc_alloc(l->ctx, nbytes);
	if (e->key && e->bytes)
		return e;
	unref(l, e);
	return NULL;
}

/* ---- the order of use ---- */

static void
unlink_use(zinc_lru *l, zinc_lru_entry *e)
{
	*(e->newer ? &e->newer->older : &l->newest) = e->older;
	*(e->older ? &e->older->newer : &l->oldest) = e->newer;
	e->newer = e->older = NULL;
}

static void
link_newest(zinc_lru *l, zinc_lru_entry *e)
{
	e->older = l->newest;
	*(l->newest ? &l->newest->newer : &l->oldest) = e;
	l->newest = e;
}

void
zinc_lru_hold(zinc_lru *l, zinc_lru_entry *e)
{
	unlink_use(l, e);
	link_newest(l, e);
	e->refs++;
}

void
zinc_lru_release(zinc_lru *l, zinc_lru_entry *e)
{
	unref(l, e);
}

/* ---- the table ---- */

zinc_lru_entry *
zinc_lru_next(zinc_lru *l, uint32_t hash, const char *key, const zinc_lru_entry *after)
{
	zinc_lru_entry *e = after ? after->chain : *bucket_of(l, hash);

	while (e && (e->hash != hash || strcmp(e->key, key) != 0))
		e = e->chain;
	return e;
}

void
zinc_lru_drop(zinc_lru *l, zinc_lru_entry *e)
{
	zinc_lru_entry **at = bucket_of(l, e->hash);

	while (*at != e)
		at = &(*at)->chain;
	*at = e->chain;
	unlink_use(l, e);
	l->used -= e->nbytes;
	unref(l, e);
}

void
zinc_lru_add(zinc_lru *l, zinc_lru_entry *e, uint64_t budget)
{
	zinc_lru_entry **bucket = bucket_of(l, e->hash);

	while (l->oldest && l->used + e->nbytes > budget)
		zinc_lru_drop(l, l->oldest);
	e->chain = *bucket;
	*bucket = e;
	link_newest(l, e);
	l->used += e->nbytes;
}

void
zinc_lru_empty(zinc_lru *l)
{
	while (l->oldest)
		zinc_lru_drop(l, l->oldest);
}
