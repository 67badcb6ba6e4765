/*
 * scratch.c - what one thread reuses from chunk to chunk
 *
 * Promises (tests/unit/test_scratch.c names each by its number):
 *
 * (1) A returned scratch is used again before a new one is made, with its buffers and codec contexts, so that the
 *     second chunk needs no allocation.
 * (2) Two calls never hold the same scratch.
 * (3) Buffers above KEEP_BYTES are freed when the scratch is returned, so that one huge chunk does not stay in memory
 *     for ever.
 * (4) Everything is freed with the context.
 * (5) Memory of an unusually large call is freed later: a large buffer after IDLE_TURNS consecutive uses that needed
 *     less than a quarter of it, a compressor or a scratch after STALE_TURNS uses without it.
 * (6) zinc_context_trim frees all that is not in use.
 */
#include "codec/codec.h"

#define KEEP_BYTES  ((size_t)256 << 20)
#define SMALL_BYTES ((size_t)1 << 20) /* not worth freeing */
#define IDLE_TURNS  16
#define STALE_TURNS 2048 /* more than a call has threads */
#define STATES      (sizeof((zinc_scratch *)0)->states / sizeof(struct zinc_scratch_state))

/* Each buffer of a scratch, for loops. */
static zinc_buf *
buffer(zinc_scratch *s, int i)
{
	zinc_buf *const all[] = {&s->a,       &s->b,     &s->fetch, &s->decoded, &s->elements,
				 &s->convert, &s->index, &s->vlen,  &s->places};

	return i < (int)(sizeof all / sizeof all[0]) ? all[i] : NULL;
}

static zinc_scratch *
make(zinc_context *ctx)
{
	zinc_scratch *s = (zinc_scratch *)zinc_calloc(ctx, 1, sizeof *s);
	zinc_buf *b;
	int i;

	if (!s)
		return NULL;
	s->ctx = ctx;
	for (i = 0; (b = buffer(s, i)); i++)
		zinc_buf_init(b, ctx, zinc_max_chunk(ctx));
	return s;
}

static void
free_states(zinc_scratch *s)
{
	size_t i;

	for (i = 0; i < STATES; i++)
		if (s->states[i].state)
			s->states[i].free(s->states[i].state);
}

/* A list along `next`, each with its `inner`. */
static void
free_list(zinc_scratch *s)
{
	zinc_scratch *next;
	zinc_buf *b;
	int i;

	for (; s; s = next) {
		if (s->inner) { /* deeper levels join the list, so that nesting needs no stack */
			s->inner->next = s->next;
			s->next = s->inner;
		}
		next = s->next;
		free_states(s);
		for (i = 0; (b = buffer(s, i)); i++)
			zinc_buf_fini(b);
		zinc_arena_free(s->kept);
		zinc_free(s->ctx, s);
	}
}

static void
free_slot(zinc_context *ctx, void *object)
{
	(void)ctx;
	free_list((zinc_scratch *)object);
}

static void trim_slot(zinc_context *ctx);

/* A context keeps a list of those that no thread is using. */
static const zinc_slot_kind in_context = {free_slot, trim_slot};

zinc_scratch *
zinc_scratch_get(zinc_context *ctx)
{
	zinc_scratch *s;
	void **list;

	ctx = zinc_context_get(ctx);
	pthread_mutex_lock(&ctx->lock);
	list = zinc_context_slot(ctx, &in_context);
	s = (zinc_scratch *)*list;
	if (s)
		*list = s->next;
	pthread_mutex_unlock(&ctx->lock);
	if (!s)
		return make(ctx);
	s->next = NULL;
	return s;
}

/* Free a buffer that has been too large for some uses.  Its maximum was that of one use. */
static void
trim_buffer(zinc_scratch *s, zinc_buf *b, uint8_t *idle)
{
	if (b->cap <= SMALL_BYTES || b->peak > b->cap / 4)
		*idle = 0;
	else
		++*idle;
	if (b->cap > KEEP_BYTES || *idle >= IDLE_TURNS) {
		zinc_buf_fini(b);
		*idle = 0;
	}
	b->peak = 0;
	b->max = zinc_max_chunk(s->ctx);
}

static void
trim_states(zinc_scratch *s)
{
	size_t i, n = 0;

	for (i = 0; i < STATES && s->states[i].key; i++) {
		if (s->states[i].turn + STALE_TURNS < s->turn) {
			if (s->states[i].state)
				s->states[i].free(s->states[i].state);
			continue;
		}
		s->states[n++] = s->states[i];
	}
	if (n < i)
		memset(&s->states[n], 0, (i - n) * sizeof s->states[0]);
}

/* Free what would only fill memory; keep the rest. */
static void
trim(zinc_scratch *s)
{
	zinc_buf *b;
	int i;

	for (; s; s = s->inner) {
		for (i = 0; (b = buffer(s, i)); i++)
			trim_buffer(s, b, &s->idle[i]);
		if (s->kept)
			zinc_arena_empty(s->kept);
		trim_states(s);
		if (s->inner)
			s->inner->turn = s->turn;
	}
}

/* Cut off the end of the list that has not been used for some time: a call with more threads has left it. */
static zinc_scratch *
cut_stale(zinc_scratch *first)
{
	zinc_scratch *s = first, *rest;

	while (s->next && s->next->turn + STALE_TURNS >= first->turn)
		s = s->next;
	rest = s->next;
	s->next = NULL;
	return rest;
}

static void
trim_slot(zinc_context *ctx)
{
	zinc_scratch *s;
	void **list;

	pthread_mutex_lock(&ctx->lock);
	list = zinc_context_slot(ctx, &in_context);
	s = (zinc_scratch *)*list;
	*list = NULL;
	pthread_mutex_unlock(&ctx->lock);
	free_list(s);
}

void
zinc_scratch_put(zinc_scratch *s)
{
	zinc_context *ctx;
	zinc_scratch *stale;
	void **list;

	if (!s)
		return;
	ctx = s->ctx;
	s->unverified = false;
	trim(s);
	pthread_mutex_lock(&ctx->lock);
	list = zinc_context_slot(ctx, &in_context);
	s->next = (zinc_scratch *)*list;
	s->turn = zinc_max_u64(s->turn, s->next ? s->next->turn : 0) + 1;
	stale = cut_stale(s);
	*list = s;
	pthread_mutex_unlock(&ctx->lock);
	free_list(stale);
}

zinc_scratch *
zinc_scratch_inner(zinc_scratch *s)
{
	if (!s->inner)
		s->inner = make(s->ctx);
	if (s->inner)
		s->inner->unverified = s->unverified;
	return s->inner;
}

void **
zinc_scratch_state(zinc_scratch *s, const void *key, int64_t variant, void (*fini)(void *))
{
	struct zinc_scratch_state *slot;
	size_t i;

	for (i = 0; i < STATES && s->states[i].key; i++)
		if (s->states[i].key == key && s->states[i].variant == variant) {
			s->states[i].turn = s->turn;
			return &s->states[i].state;
		}
	if (i == STATES) { /* more kinds than are used together in practice: remove the oldest */
		if (s->states[0].state)
			s->states[0].free(s->states[0].state);
		memmove(&s->states[0], &s->states[1], sizeof s->states - sizeof s->states[0]);
		i--;
	}
	slot = &s->states[i];
	*slot = (struct zinc_scratch_state){.key = key, .variant = variant, .free = fini, .turn = s->turn};
	return &slot->state;
}
