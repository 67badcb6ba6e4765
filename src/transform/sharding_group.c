/*
 * sharding_group.c - many changes of chunks, each shard written once
 *
 * A group holds encoded chunks until it commits, or until they take more than BUDGET bytes.  Then, in this order:
 *
 *   shards of which some chunks change    each is read, changed and put while the store excludes other writers of it;
 *   shards of which all chunks are given  are put without being read, in one group of the store below.
 *
 * So a thread that waits for one shard never holds another.  With two such layers, the lower one gets whole shards.
 */
#include "transform/transform_inside.h"

#define BUDGET  (64 * ZINC_MIB)
#define BUCKETS 256u

/* The group's changes of one shard. */
typedef struct pending {
	struct pending *next;
	char *key;
	uint64_t index[ZINC_MAX_NDIM];
	size_t nset;            /* number of positions that change */
	zinc_chunk_edit *edits; /* one per position; the group owns their bytes */
} pending;

/* A key that could not be changed. */
typedef struct failure {
	struct failure *next;
	zinc_status status;
	zinc_error error;
	char *key;
} failure;

typedef struct group {
	zinc_sharded *s;
	uint32_t flags;
	uint64_t bytes; /* of all pending chunks and of the lists of edits */
	pending *buckets[BUCKETS];
	failure *failed, **last;
	zinc_status lost;      /* no memory was left to record a failure */
	const zinc_wait *wait; /* of the call that writes */
} group;

/* ---- pending changes ---- */

/* Replace an edit; `bytes` is taken over. */
static void
set_edit(group *g, zinc_chunk_edit *e, zinc_chunk_change what, uint8_t *bytes, size_t nbytes)
{
	g->bytes += nbytes;
	g->bytes -= e->nbytes;
	zinc_free(g->s->ctx, (void *)(uintptr_t)e->bytes);
	*e = (zinc_chunk_edit){e->position, what, bytes, nbytes};
}

/* Bytes of a shard's list of edits; calloc has checked the product. */
static uint64_t
list_bytes(const group *g)
{
	return g->s->n * sizeof(zinc_chunk_edit);
}

static void
pending_free(group *g, pending *p)
{
	size_t i;

	for (i = 0; p->edits && i < g->s->n; i++)
		set_edit(g, &p->edits[i], ZINC_CHUNK_KEEP, NULL, 0);
	if (p->edits)
		g->bytes -= list_bytes(g);
	zinc_free(g->s->ctx, p->edits);
	zinc_free(g->s->ctx, p->key);
	zinc_free(g->s->ctx, p);
}

/* The slot of a shard in its bucket, or the empty one at its end. */
static pending **
find(group *g, const char *key)
{
	pending **p = &g->buckets[zinc_crc32c(0, key, strlen(key)) % BUCKETS];

	while (*p && strcmp((*p)->key, key) != 0)
		p = &(*p)->next;
	return p;
}

static pending *
pending_new(group *g, const zinc_chunk_place *at, const char *key)
{
	zinc_context *ctx = g->s->ctx;
	pending *p = (pending *)zinc_calloc(ctx, 1, sizeof *p);
	size_t i;

	if (!p)
		return NULL;
	memcpy(p->index, at->shard, sizeof p->index);
	p->key = zinc_strdup(ctx, key);
	p->edits = (zinc_chunk_edit *)zinc_calloc(ctx, g->s->n, sizeof *p->edits);
	for (i = 0; p->edits && i < g->s->n; i++)
		p->edits[i].position = i;
	if (p->edits)
		g->bytes += list_bytes(g);
	if (p->key && p->edits)
		return p;
	pending_free(g, p);
	return NULL;
}

/* Join the bytes of a chunk into one block, at least one byte long. */
static uint8_t *
join(zinc_context *ctx, const struct iovec *iov, int niov, size_t *n)
{
	uint8_t *bytes = zinc_iov_bytes(iov, niov, n) ? NULL : (uint8_t *)zinc_alloc(ctx, *n);

	if (bytes)
		zinc_iov_gather(iov, niov, bytes, *n);
	return bytes;
}

/* An edit of a chunk replaces an earlier one. */
static zinc_status
note(group *g, pending *p, size_t position, zinc_chunk_change what, const struct iovec *iov, int niov, zinc_error *err)
{
	zinc_chunk_edit *e = &p->edits[position];
	uint8_t *bytes = NULL;
	size_t n = 0;

	if (what == ZINC_CHUNK_PUT && !(bytes = join(g->s->ctx, iov, niov, &n)))
		return zinc_fail_nomem(err);
	p->nset += e->what == ZINC_CHUNK_KEEP;
	set_edit(g, e, what, bytes, n);
	return ZINC_OK;
}

/* ---- failures ---- */

static void
fail_key(group *g, const char *key, zinc_status st, const zinc_error *e)
{
	failure *f = (failure *)zinc_calloc(g->s->ctx, 1, sizeof *f);

	if (f)
		f->key = zinc_strdup(g->s->ctx, key);
	if (!f || !f->key) {
		zinc_free(g->s->ctx, f);
		g->lost = ZINC_E_NOMEM;
		return;
	}
	f->status = st;
	zinc_error_copy(&f->error, e);
	*g->last = f;
	g->last = &f->next;
}

/* A shard that cannot be changed fails all keys that the group has for it. */
static void
fail_shard(group *g, const pending *p, zinc_status st, const zinc_error *e)
{
	zinc_buf key;
	size_t i;

	zinc_buf_init(&key, g->s->ctx, ZINC_MAX_KEY);
	for (i = 0; i < g->s->n; i++) {
		if (p->edits[i].what == ZINC_CHUNK_KEEP)
			continue;
		zinc_buf_end(&key, 0);
		if (zinc_sharded_chunk_key(g->s, p->index, i, &key, NULL) == ZINC_OK && zinc_buf_text(&key))
			fail_key(g, zinc_buf_text(&key), st, e);
		else
			g->lost = ZINC_E_NOMEM;
	}
	zinc_buf_fini(&key);
}

/* ---- writing ---- */

static bool
is_whole(const group *g, const pending *p)
{
	return p->nset == g->s->n;
}

/* Write one shard; failures are recorded in the group. */
static void
write_shard(group *g, const pending *p, zinc_put_group *below)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_store *next = g->s->next;
	zinc_shard_change c;
	zinc_status st;

	zinc_sharded_change_init(g->s, &c, p->edits, g->s->n);
	if (is_whole(g, p))
		st = zinc_shard_change_replace(&c, next, below, p->key, g->flags, g->wait, &e);
	else
		st = zinc_shard_change_run(&c, next, p->key, g->s->in.single_writer, g->flags, g->wait, &e);
	zinc_shard_change_fini(&c);
	if (st != ZINC_OK)
		fail_shard(g, p, st, &e);
}

/* The commit of the store below could not put this shard. */
static void
below_failed(void *arg, const char *key, zinc_status st, const zinc_error *error)
{
	group *g = (group *)arg;
	pending **p = find(g, key);

	if (*p)
		fail_shard(g, *p, st, error);
}

/* Write the shards that are whole, or those that are not; returns the number of the others. */
static size_t
write_some(group *g, bool whole, zinc_put_group *below)
{
	size_t i, others = 0;
	pending *p;

	for (i = 0; i < BUCKETS; i++)
		for (p = g->buckets[i]; p; p = p->next)
			if (is_whole(g, p) == whole)
				write_shard(g, p, below);
			else
				others++;
	return others;
}

static void
write_whole_shards(group *g)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_put_group *below = NULL;
	const failure *const *mark;
	zinc_status st = zinc_store_put_begin(g->s->next, &below, g->flags, g->wait, &e);

	(void)write_some(g, true, st == ZINC_OK ? below : NULL); /* without a group each is put alone */
	if (st != ZINC_OK)
		return;
	mark = (const failure *const *)g->last;
	st = zinc_store_commit(g->s->next, below, below_failed, g, g->wait, &e);
	if (st != ZINC_OK && !*mark && !g->lost) /* the failure names no key */
		fail_key(g, "", st, &e);
}

static void
drop_pending(group *g)
{
	pending *p;
	size_t i;

	for (i = 0; i < BUCKETS; i++)
		while ((p = g->buckets[i])) {
			g->buckets[i] = p->next;
			pending_free(g, p);
		}
}

static void
flush(group *g, const zinc_wait *wait)
{
	g->wait = wait;
	if (write_some(g, false, NULL) > 0)
		write_whole_shards(g);
	drop_pending(g);
}

/* ---- the group ---- */

/* If the store cannot be written, it returns the error itself. */
zinc_status
zinc_sharded_put_begin(void *self, zinc_put_group **out, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_sharded *s = (zinc_sharded *)self;
	zinc_caps caps = ZINC_CAPS_INIT;
	group *g;

	zinc_store_caps(s->next, &caps);
	if (!(caps.flags & (ZINC_CAP_WRITE | ZINC_CAP_ERASE)))
		return zinc_store_put_begin(s->next, out, flags, wait, err);
	g = (group *)zinc_calloc(s->ctx, 1, sizeof *g);
	if (!g)
		return zinc_fail_nomem(err);
	g->s = s;
	g->flags = flags;
	g->last = &g->failed;
	g->lost = ZINC_OK;
	*out = (zinc_put_group *)g;
	return ZINC_OK;
}

zinc_status
zinc_sharded_enlist(zinc_put_group *group_, const zinc_chunk_place *at, zinc_chunk_change what, const struct iovec *iov,
		    int niov, const zinc_wait *wait, zinc_error *err)
{
	group *g = (group *)group_;
	pending **slot;
	const char *key;
	zinc_status st;
	zinc_buf text;

	st = zinc_sharded_shard_key(g->s, at, &text, &key, err);
	if (st == ZINC_OK) {
		slot = find(g, key);
		if (!*slot)
			*slot = pending_new(g, at, key);
		st = *slot ? note(g, *slot, at->position, what, iov, niov, err) : zinc_fail_nomem(err);
	}
	zinc_buf_fini(&text);
	if (st == ZINC_OK && g->bytes > BUDGET)
		flush(g, wait);
	return st;
}

zinc_status
zinc_sharded_flush_one(zinc_put_group *group_, const zinc_chunk_place *at, const zinc_wait *wait, zinc_error *err)
{
	group *g = (group *)group_;
	pending **slot = NULL, *p = NULL;
	const char *key;
	zinc_status st;
	zinc_buf text;

	st = zinc_sharded_shard_key(g->s, at, &text, &key, err);
	if (st == ZINC_OK) {
		slot = find(g, key);
		p = *slot;
	}
	if (p) {
		*slot = p->next;
		g->wait = wait;
		write_shard(g, p, NULL);
		pending_free(g, p);
	}
	zinc_buf_fini(&text);
	return st;
}

static void
group_free(group *g)
{
	failure *f;

	drop_pending(g);
	while ((f = g->failed)) {
		g->failed = f->next;
		zinc_free(g->s->ctx, f->key);
		zinc_free(g->s->ctx, f);
	}
	zinc_free(g->s->ctx, g);
}

zinc_status
zinc_sharded_commit(void *self, zinc_put_group *group_, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
		    zinc_error *err)
{
	group *g = (group *)group_;
	zinc_status st = ZINC_OK;
	const failure *f;

	(void)self;
	flush(g, wait);
	for (f = g->failed; f; f = f->next) {
		if (st == ZINC_OK)
			st = f->status, zinc_error_copy(err, &f->error);
		if (fn && f->key[0])
			fn(arg, f->key, f->status, &f->error);
	}
	if (st == ZINC_OK && g->lost != ZINC_OK)
		st = zinc_fail_nomem(err);
	group_free(g);
	return st;
}

void
zinc_sharded_abort(void *self, zinc_put_group *group_)
{
	(void)self;
	group_free((group *)group_);
}
