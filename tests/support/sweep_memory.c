/*
 * sweep_memory.c - an allocator that counts and can fail
 *
 * Each block is preceded by its size:   [size ........][bytes handed out ...
 */
#include <stdlib.h>

#include "support/sweep.h"

#define FRONT _Alignof(max_align_t)

/* Count a call; is it one that must fail? */
static bool
must_fail(sweep_memory *m)
{
	unsigned long call = atomic_fetch_add(&m->calls, 1) + 1, at = m->fail_at;

	if (at == 0 || (m->forever ? call < at : call != at))
		return false;
	atomic_fetch_add(&m->failed, 1);
	return true;
}

static void
account(sweep_memory *m, long blocks, long bytes)
{
	long now = atomic_fetch_add(&m->bytes, bytes) + bytes, peak = m->peak;

	atomic_fetch_add(&m->blocks, blocks);
	while (now > peak && !atomic_compare_exchange_weak(&m->peak, &peak, now))
		;
}

static void *
counted_realloc(void *ctx, void *p, size_t nbytes)
{
	sweep_memory *m = (sweep_memory *)ctx;
	uint8_t *block = p ? (uint8_t *)p - FRONT : NULL;
	size_t total, old = 0;

	if (must_fail(m) || zinc_size_add(nbytes, FRONT, &total))
		return NULL;
	if (block)
		memcpy(&old, block, sizeof old);
	block = (uint8_t *)realloc(block, total);
	if (!block)
		return NULL;
	memcpy(block, &nbytes, sizeof nbytes);
	account(m, p ? 0 : 1, (long)nbytes - (long)old);
	return block + FRONT;
}

static void *
counted_alloc(void *ctx, size_t nbytes)
{
	return counted_realloc(ctx, NULL, nbytes);
}

static void
counted_free(void *ctx, void *p)
{
	size_t nbytes;

	if (!p)
		return;
	memcpy(&nbytes, (uint8_t *)p - FRONT, sizeof nbytes);
	account((sweep_memory *)ctx, -1, -(long)nbytes);
	free((uint8_t *)p - FRONT);
}

void
sweep_memory_init(sweep_memory *m)
{
	memset(m, 0, sizeof *m);
	m->allocator = (zinc_allocator){sizeof m->allocator, counted_alloc, counted_realloc, counted_free, m};
}

void
sweep_memory_fail(sweep_memory *m, unsigned long at, bool forever)
{
	m->calls = 0;
	m->failed = 0;
	m->forever = forever;
	m->fail_at = at;
}
