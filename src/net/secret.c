/*
 * secret.c - pools of memory for secrets
 *
 * Promises (tests/unit/test_secret.c names each by its number):
 *
 * (1) Every byte of a pool is in pages that core dumps leave out (base/alloc.c).
 * (2) A block is wiped when it is freed or moved, and the whole pool when that is freed.
 * (3) A pool never holds more than its maximum.
 * (4) Buffers and documents that are made with the pool's context are in the pool, however they grow.
 * (5) A forked child can use its copy.
 *
 * A pool lives for one request for credentials, or as long as its keys are used, so its memory is simple: blocks are
 * taken from the end of a chunk, and a chunk is used again once all its blocks are freed.
 *
 *    chunk   [ head | n | block ... | n | block | room      ]
 *                                                ^ used
 */
#include "net/secret.h"

#define CHUNK_BYTES ((size_t)16 * 1024 - 256) /* with what alloc.c adds: four pages */
#define ALIGN       16u
#define PART        16   /* bytes of a secret that are one, too */
#define LONG_TEXT   4096 /* bytes from which on not every part is searched for */

typedef struct chunk {
	struct chunk *next;
	size_t cap, used; /* of `bytes` */
	size_t blocks;    /* not freed */
	_Alignas(ALIGN) uint8_t bytes[];
} chunk;

struct zinc_secret {
	zinc_context *ctx;  /* has the pages */
	zinc_context *mine; /* allocates from the pool; NULL: not made yet */
	size_t max, total;
	chunk *chunks;
};

/* In front of each block. */
typedef struct block {
	_Alignas(ALIGN) size_t n;
} block;

static size_t
rounded(size_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static chunk *
add_chunk(zinc_secret *s, size_t need)
{
	const size_t cap = need > CHUNK_BYTES ? need : CHUNK_BYTES;
	chunk *c;

	if (cap > s->max - s->total)
		return NULL;
	c = (chunk *)zinc_alloc_secret(s->ctx, sizeof *c + cap);
	if (!c)
		return NULL;
	*c = (chunk){.next = s->chunks, .cap = cap};
	s->chunks = c;
	s->total += cap;
	return c;
}

static chunk *
chunk_of(zinc_secret *s, const void *p)
{
	chunk *c = s->chunks;

	while ((const uint8_t *)p < c->bytes || (const uint8_t *)p >= c->bytes + c->cap)
		c = c->next;
	return c;
}

void *
zinc_secret_alloc(zinc_secret *s, size_t nbytes)
{
	size_t need;
	chunk *c;
	block *b;

	if (nbytes > s->max || zinc_size_add(rounded(nbytes), sizeof *b, &need))
		return NULL;
	for (c = s->chunks; c && c->cap - c->used < need;)
		c = c->next;
	if (!c)
		c = add_chunk(s, need);
	if (!c)
		return NULL;
	b = (block *)(void *)(c->bytes + c->used);
	b->n = nbytes;
	c->used += need;
	c->blocks++;
	return b + 1;
}

char *
zinc_secret_text(zinc_secret *s, const char *text, size_t n)
{
	char *copy = n < s->max ? (char *)zinc_secret_alloc(s, n + 1) : NULL;

	if (!copy)
		return NULL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

/* ---- the pool as a zinc_allocator ---- */

static void *
pool_alloc(void *arg, size_t nbytes)
{
	return zinc_secret_alloc((zinc_secret *)arg, nbytes);
}

static bool
is_last(const chunk *c, const block *b)
{
	return (const uint8_t *)(b + 1) + rounded(b->n) == c->bytes + c->used;
}

static void
pool_free(void *arg, void *p)
{
	block *b;
	chunk *c;
	size_t n;

	if (!p)
		return;
	b = (block *)p - 1;
	c = chunk_of((zinc_secret *)arg, p);
	n = rounded(b->n);
	if (is_last(c, b))
		c->used -= n + sizeof *b;
	explicit_bzero(b, n + sizeof *b);
	if (--c->blocks == 0)
		c->used = 0;
}

/* In place if the block has room, which was rounded up; it never becomes shorter, so that all of it will be wiped. */
static void *
pool_realloc(void *arg, void *p, size_t nbytes)
{
	block *b = p ? (block *)p - 1 : NULL;
	void *copy;

	if (b && nbytes <= rounded(b->n)) {
		b->n = nbytes > b->n ? nbytes : b->n;
		return p;
	}
	copy = pool_alloc(arg, nbytes);
	if (!copy || !b)
		return copy;
	memcpy(copy, p, b->n);
	pool_free(arg, p);
	return copy;
}

/* ---- pools ---- */

static zinc_status
make_context(zinc_secret *s, zinc_error *err)
{
	const zinc_allocator allocator = {sizeof allocator, pool_alloc, pool_realloc, pool_free, s};
	const zinc_limits limits = {.size = sizeof limits, .json_bytes = s->max, .json_depth = 16, .json_values = 4096};
	zinc_context_options options = ZINC_CONTEXT_OPTIONS_INIT;

	options.allocator = &allocator;
	options.limits = &limits;
	options.threads = 1;
	options.warn = s->ctx->warn;
	options.warn_arg = s->ctx->warn_arg;
	options.trace = s->ctx->trace;
	options.trace_arg = s->ctx->trace_arg;
	ZINC_TRY(zinc_context_new(&s->mine, &options, err));
	s->mine->os = s->ctx->os;
	return ZINC_OK;
}

zinc_status
zinc_secret_new(zinc_secret **out, zinc_context *ctx, size_t max, zinc_error *err)
{
	zinc_secret *s;
	zinc_status st;

	ctx = zinc_context_get(ctx);
	s = (zinc_secret *)zinc_calloc(ctx, 1, sizeof *s);
	if (!s)
		return zinc_fail_nomem(err);
	s->ctx = ctx;
	s->max = max;
	st = make_context(s, err);
	if (st != ZINC_OK) {
		zinc_secret_free(s);
		return st;
	}
	*out = s;
	return ZINC_OK;
}

void
zinc_secret_free(zinc_secret *s)
{
	chunk *next;

	if (!s)
		return;
	zinc_context_free(s->mine);
	for (; s->chunks; s->chunks = next) {
		next = s->chunks->next;
		zinc_free_secret(s->ctx, s->chunks);
	}
	zinc_free(s->ctx, s);
}

zinc_context *
zinc_secret_context(zinc_secret *s)
{
	return s->mine;
}

/* ---- texts of servers ---- */

bool
zinc_secret_shows(const char *secret, size_t n, zinc_bytes text)
{
	const size_t part = n < PART ? n : PART, step = text.n > LONG_TEXT ? PART : 1;
	size_t i;

	for (i = 0; n && text.n && i + part <= n; i += step)
		if (memmem(text.p, text.n, secret + i, part))
			return true;
	return false;
}
