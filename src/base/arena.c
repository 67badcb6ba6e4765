/*
 * arena.c - memory that is freed all at once, for many threads
 *
 * Blocks are filled from the front and freed together.  A piece larger than a block gets its own block.
 */
#include "base/base.h"

#define BLOCK_BYTES   (64 * ZINC_KIB)
#define DEFAULT_LIMIT ZINC_GIB

typedef struct block {
	struct block *next;
	size_t n, cap;
	uint8_t bytes[];
} block;

struct zinc_arena {
	zinc_context *ctx;
	pthread_mutex_t lock;
	zinc_fork_hook fork;
	uint64_t limit, used;
	block *first;
};

zinc_status
zinc_arena_new(zinc_arena **out, zinc_context *ctx, uint64_t limit, zinc_error *err)
{
	zinc_arena *a;

	ZINC_TRY(ZINC_NEED(out, err));
	ctx = zinc_context_get(ctx);
	a = zinc_calloc(ctx, 1, sizeof *a);
	if (!a)
		return zinc_fail_nomem(err);
	a->ctx = ctx;
	a->limit = limit > 0 ? limit : DEFAULT_LIMIT;
	pthread_mutex_init(&a->lock, NULL);
	a->fork = (zinc_fork_hook){.lock = &a->lock};
	zinc_fork_add(&a->fork);
	*out = a;
	return ZINC_OK;
}

void
zinc_arena_empty(zinc_arena *a)
{
	block *b;

	pthread_mutex_lock(&a->lock);
	while ((b = a->first)) {
		a->first = b->next;
		zinc_free(a->ctx, b);
	}
	a->used = 0;
	pthread_mutex_unlock(&a->lock);
}

void
zinc_arena_free(zinc_arena *a)
{
	if (!a)
		return;
	zinc_arena_empty(a);
	zinc_fork_remove(&a->fork);
	pthread_mutex_destroy(&a->lock);
	zinc_free(a->ctx, a);
}

/* A block with room for n bytes, put in front of the others; NULL: out of memory.  A block for one large piece goes
 * second, because the first may still have room. */
static block *
block_for(zinc_arena *a, size_t n)
{
	size_t cap = n > BLOCK_BYTES / 4 ? n : (size_t)BLOCK_BYTES, total;
	block *b;

	if (a->first && a->first->cap - a->first->n >= n)
		return a->first;
	if (zinc_size_add(sizeof *b, cap, &total))
		return NULL;
	b = zinc_alloc(a->ctx, total);
	if (!b)
		return NULL;
	b->n = 0;
	b->cap = cap;
	if (a->first && cap == n) {
		b->next = a->first->next;
		a->first->next = b;
	} else {
		b->next = a->first;
		a->first = b;
	}
	return b;
}

static zinc_status
add(zinc_arena *a, const void *p, size_t n, const void **out, zinc_error *err)
{
	block *b;

	if (n > a->limit - a->used)
		return zinc_fail(err, ZINC_E_LIMIT, "the elements need more than the arena's %llu bytes",
				 (unsigned long long)a->limit);
	b = block_for(a, n);
	if (!b)
		return zinc_fail_nomem(err);
	if (n > 0)
		memcpy(b->bytes + b->n, p, n);
	*out = b->bytes + b->n;
	b->n += n;
	a->used += n;
	return ZINC_OK;
}

zinc_status
zinc_arena_add(zinc_arena *a, const void *p, size_t n, const void **out, zinc_error *err)
{
	zinc_status st;

	pthread_mutex_lock(&a->lock);
	st = add(a, p, n, out, err);
	pthread_mutex_unlock(&a->lock);
	return st;
}
