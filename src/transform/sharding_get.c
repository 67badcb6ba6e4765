/*
 * sharding_get.c - read chunks from shards
 *
 *     requests     c/0/0   c/5/1[3:7]   c/0/1   zarr.json          the caller's batch
 *     call 1       c/0/0[-64:]  c/2/0[-64:]     zarr.json          one index per shard; other keys are passed on
 *     call 2       c/0/0[a:b]  c/2/0[c:d]  c/0/0[e:f]              the ranges, on condition of their index's tag
 *
 * A shard that changes between the two calls is read again in the next round; after eight rounds the result is
 * E_CONFLICT.  A shard without a tag is read whole, because a change could not be detected.
 */
#include <stdlib.h>

#include "transform/transform_inside.h"

/* One request of the caller for a chunk. */
typedef struct asked {
	size_t i;               /* number of the caller's request */
	size_t position;        /* in its shard */
	const char *key;        /* of the shard */
	zinc_shard_read *shard; /* of this round */
	uint64_t nbytes;        /* size of the chunk; before that, offset of the key in `keys` */
	bool again;             /* the shard changed */
} asked;

typedef struct batch {
	const zinc_sharded *s;
	const zinc_get *requests;
	const zinc_sink *sink;
	const zinc_wait *wait;
	zinc_buf keys; /* of the shards, each with its NUL */
	asked *asked;  /* requests for chunks, sorted by the keys of their shards */
	size_t nasked;
	size_t *passed; /* numbers of the caller's requests that are passed on */
	size_t npassed;
	zinc_shard_read *shards; /* of this round */
	size_t nshards;
	zinc_get *below;   /* the requests of one call of the store below */
	asked **whose;     /* by request of the second call: the caller's request */
	struct iovec *iov; /* shortened copies of the caller's iovecs */
	bool begun;        /* at least one request has been answered */
} batch;

/* ---- sorting the requests ---- */

static int
by_key(const void *a, const void *b)
{
	const asked *x = (const asked *)a, *y = (const asked *)b;
	const int c = strcmp(x->key, y->key);

	return c ? c : x->i < y->i ? -1 : x->i > y->i;
}

/* The buffer of the keys moves while it grows, so offsets are stored first and pointers set at the end. */
static zinc_status
sort_requests(batch *b, size_t n, zinc_error *err)
{
	zinc_chunk_place at;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!zinc_sharded_locate(b->s, b->requests[i].key, &at)) {
			b->passed[b->npassed++] = i;
			continue;
		}
		b->asked[b->nasked++] = (asked){.i = i, .position = at.position, .nbytes = b->keys.n};
		ZINC_TRY(zinc_sharded_key(b->s, at.shard, &b->keys, err));
		ZINC_TRY(zinc_buf_add(&b->keys, "", 1, err));
	}
	for (i = 0; i < b->nasked; i++)
		b->asked[i].key = (const char *)b->keys.p + b->asked[i].nbytes;
	qsort(b->asked, b->nasked, sizeof *b->asked, by_key);
	return ZINC_OK;
}

static zinc_status
batch_init(batch *b, size_t n, zinc_error *err)
{
	zinc_context *ctx = b->s->ctx;
	size_t i, pieces = 1;

	for (i = 0; i < n; i++)
		if (b->requests[i].iov && b->requests[i].niov > 0 &&
		    zinc_size_add(pieces, (size_t)b->requests[i].niov, &pieces))
			return zinc_fail_nomem(err);
	zinc_buf_init(&b->keys, ctx, zinc_max_list(ctx));
	b->asked = (asked *)zinc_calloc(ctx, n, sizeof *b->asked);
	b->passed = (size_t *)zinc_calloc(ctx, n, sizeof *b->passed);
	b->shards = (zinc_shard_read *)zinc_calloc(ctx, n, sizeof *b->shards);
	b->below = (zinc_get *)zinc_calloc(ctx, n, sizeof *b->below);
	b->whose = (asked **)zinc_calloc(ctx, n, sizeof *b->whose);
	b->iov = (struct iovec *)zinc_calloc(ctx, pieces, sizeof *b->iov);
	if (!b->asked || !b->passed || !b->shards || !b->below || !b->whose || !b->iov)
		return zinc_fail_nomem(err);
	return sort_requests(b, n, err);
}

static void
free_shards(batch *b)
{
	size_t i;

	for (i = 0; i < b->nshards; i++)
		zinc_shard_read_fini(&b->shards[i], b->s->ctx);
	b->nshards = 0;
}

static void
batch_fini(batch *b)
{
	zinc_context *ctx = b->s->ctx;

	if (b->shards)
		free_shards(b);
	zinc_buf_fini(&b->keys);
	zinc_free(ctx, b->asked);
	zinc_free(ctx, b->passed);
	zinc_free(ctx, b->shards);
	zinc_free(ctx, b->below);
	zinc_free(ctx, b->whose);
	zinc_free(ctx, b->iov);
}

/* ---- the first call: indexes ---- */

/* Each shard once, in the order of the keys, like the requests. */
static void
collect_shards(batch *b)
{
	size_t i;

	for (i = 0; i < b->nasked; i++) {
		asked *a = &b->asked[i];
		zinc_shard_read *last = b->nshards ? &b->shards[b->nshards - 1] : NULL;

		if (!last || strcmp(last->key, a->key) != 0) {
			last = &b->shards[b->nshards++];
			*last = (zinc_shard_read){.key = a->key};
		}
		a->shard = last;
	}
}

/* Decode the entries of all shards that exist; a failure is recorded in its shard. */
static void
take_indexes(batch *b)
{
	zinc_scratch *scratch = zinc_scratch_get(b->s->ctx);
	size_t i;

	for (i = 0; i < b->nshards; i++) {
		zinc_shard_read *sh = &b->shards[i];
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st;

		if (!sh->stored.found)
			continue;
		st = scratch ? zinc_shard_read_entries(sh, b->s->next, scratch, b->wait, &e) : zinc_fail_nomem(&e);
		if (st == ZINC_OK)
			continue;
		zinc_error_at_key(&e, st, sh->key);
		zinc_shard_read_fail(sh, b->s->ctx, st, &e);
	}
	zinc_scratch_put(scratch);
}

/* Read all indexes of this round and, in the first round, the requests that are passed on, in one call.  No request is
 * answered before this call. */
static zinc_status
fetch_indexes(batch *b, zinc_error *err)
{
	const zinc_shard_others passed = {b->requests, b->passed, b->begun ? 0 : b->npassed, b->sink};

	collect_shards(b);
	ZINC_TRY(
	    zinc_shard_read_many(b->s->next, &b->s->layout, b->shards, b->nshards, b->below, &passed, b->wait, err));
	b->begun = true;
	take_indexes(b);
	return ZINC_OK;
}

/* ---- answers without a second call ---- */

/* Answer a request that needs only the existence or the tag of a chunk. */
static void
answer_found(const batch *b, const asked *a, zinc_found found)
{
	zinc_got got = {.size = sizeof got, .found = found, .object_size = a->nbytes, .tag = &a->shard->stored.tag};

	b->sink->done(b->sink->arg, a->i, &got);
}

static zinc_status
copy_from_shard(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	(void)err;
	zinc_iov_scatter(iov, niov, (const uint8_t *)arg + (size_t)offset, (size_t)nbytes);
	return ZINC_OK;
}

/* Answer a request from the index or from a shard that was read whole; false: it needs a range. */
static bool
answer_by_index(const batch *b, asked *a)
{
	const zinc_get *r = &b->requests[a->i];
	const zinc_shard_read *sh = a->shard;

	if (zinc_sink_cancelled(b->sink, a->i, b->wait))
		return true;
	if (sh->status != ZINC_OK) {
		zinc_sink_failed(b->sink, a->i, sh->status, sh->error);
		return true;
	}
	if (!zinc_shard_has(&sh->stored, a->position)) {
		zinc_sink_missing(b->sink, a->i);
		return true;
	}
	a->nbytes = sh->stored.entries[a->position].nbytes;
	if (r->if_tag && !zinc_tag_equal(r->if_tag, &sh->stored.tag)) {
		answer_found(b, a, ZINC_CHANGED);
		return true;
	}
	if (r->stat)
		answer_found(b, a, ZINC_FOUND);
	else if (sh->whole.data) /* entries were checked against the shard's size */
		zinc_sink_serve(b->sink, a->i, r, a->nbytes, &sh->stored.tag, copy_from_shard,
				(uint8_t *)sh->whole.data + (size_t)sh->stored.entries[a->position].offset, b->wait);
	return r->stat || sh->whole.data;
}

/* ---- the second call: ranges ---- */

static zinc_room
range_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	batch *b = (batch *)arg;

	return b->sink->room(b->sink->arg, b->whose[i]->i, nbytes, buf);
}

/* An answer that does not match the index is of another generation; the shard is read again. */
static void
range_done(void *arg, size_t i, const zinc_got *got)
{
	batch *b = (batch *)arg;
	asked *a = b->whose[i];
	zinc_got mine = *got;

	if (got->found == ZINC_FAILED) {
		b->sink->done(b->sink->arg, a->i, got);
		return;
	}
	if (got->found != ZINC_FOUND || got->nbytes != b->below[i].length) {
		a->again = true;
		return;
	}
	mine.object_size = a->nbytes;
	b->sink->done(b->sink->arg, a->i, &mine);
}

/* Shorten the caller's iovecs to n bytes; the copy is taken from *room. */
static void
cut_iov(zinc_get *g, uint64_t n, struct iovec **room)
{
	struct iovec *to = *room;
	int i, k = 0;

	for (i = 0; i < g->niov && n > 0; i++) {
		to[k] = g->iov[i];
		if (to[k].iov_len > n)
			to[k].iov_len = (size_t)n;
		n -= to[k++].iov_len;
	}
	g->iov = to;
	g->niov = k;
	*room += k;
}

/* Convert the caller's range of the chunk to a range of the shard. */
static void
make_range(const batch *b, const asked *a, zinc_get *g, struct iovec **room)
{
	const zinc_get *r = &b->requests[a->i];
	const zinc_shard_entry *e = &a->shard->stored.entries[a->position];
	uint64_t offset = zinc_min_u64(r->offset, e->nbytes), length;

	length = zinc_min_u64(r->length, r->suffix ? e->nbytes : e->nbytes - offset);
	if (r->suffix)
		offset = e->nbytes - length;
	*g = (zinc_get){.key = a->key, .offset = e->offset + offset, .length = length, .iov = r->iov, .niov = r->niov};
	g->if_tag = &a->shard->stored.tag; /* a shard without a tag was read whole */
	if (r->iov && length < r->length)
		cut_iov(g, length, room);
}

/* Read all ranges of this round in one call.  Requests whose shard changed stay in b->asked. */
static void
fetch_ranges(batch *b)
{
	zinc_sink sink = {sizeof sink, b->sink->room ? range_room : NULL, range_done, b};
	zinc_error e = ZINC_ERROR_INIT;
	struct iovec *room = b->iov;
	size_t i, n = 0, left = 0;
	zinc_status st;

	for (i = 0; i < b->nasked; i++) {
		asked *a = &b->asked[i];

		a->again = false;
		if (answer_by_index(b, a))
			continue;
		make_range(b, a, &b->below[n], &room);
		b->whose[n++] = a;
	}
	st = n ? zinc_store_get(b->s->next, b->below, n, &sink, b->wait, &e) : ZINC_OK;
	for (i = 0; st != ZINC_OK && i < n; i++)
		zinc_sink_failed(b->sink, b->whose[i]->i, st, &e);
	for (i = 0; i < b->nasked; i++)
		if (b->asked[i].again)
			b->asked[left++] = b->asked[i];
	b->nasked = left;
}

/* ---- the whole batch ---- */

static void
fail_rest(const batch *b, zinc_status st, const zinc_error *e)
{
	size_t i;

	for (i = 0; i < b->nasked; i++)
		zinc_sink_failed(b->sink, b->asked[i].i, st, e);
}

static zinc_status
run(batch *b, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	int tries;

	for (tries = 0; tries < ZINC_SHARD_TRIES && (tries == 0 || b->nasked > 0); tries++) {
		st = fetch_indexes(b, &e);
		if (st != ZINC_OK && !b->begun)
			return zinc_error_copy(err, &e), st;
		if (st != ZINC_OK) {
			fail_rest(b, st, &e);
			return ZINC_OK;
		}
		fetch_ranges(b);
		free_shards(b);
	}
	fail_rest(b, zinc_shard_conflict(&e), &e);
	return ZINC_OK;
}

zinc_status
zinc_sharded_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
		 zinc_error *err)
{
	batch b = {.s = (const zinc_sharded *)self, .requests = requests, .sink = sink, .wait = wait};
	zinc_status st = batch_init(&b, n, err);

	if (st == ZINC_OK)
		st = run(&b, err);
	batch_fini(&b);
	return st;
}
