/*
 * shard_get.c - read many inner chunks of many shards, together with other keys of their store
 *
 *     requests     chunk 0 of s   chunk 5 of t [3:7]   chunk 1 of s   zarr.json
 *     call 1       s[-64:]  t[-64:]  zarr.json                one index per shard; other requests as they are
 *     call 2       s[a:b]  t[c:d]  s[e:f]                     the ranges, on condition of their index's tag
 *
 * Promises (tests/unit/test_shard_get.c names each by its number):
 *
 * (1) A batch makes two calls of the store: one for all indexes and other requests, one for all ranges.
 * (2) The bytes of an inner chunk and the index that locates them are of one generation.  A shard that changes between
 *     the two calls is read again in the next round; after eight rounds the result is E_CONFLICT.  A shard without a
 *     tag is read whole, because a change could not be detected.
 * (3) A shard that cannot be read fails only the requests for its inner chunks.
 */
#include <stdlib.h>

#include "shard/shard_inside.h"

typedef struct batch {
	const zinc_shard_batch *in;
	zinc_context *ctx;
	size_t nleft;            /* in->chunks without an answer; they are the first ones */
	zinc_shard_read *shards; /* of this round */
	size_t nshards;
	zinc_get *below;        /* the requests of one call of the store */
	zinc_shard_get **whose; /* by request of the second call */
	struct iovec *iov;      /* shortened copies of the caller's iovecs */
	bool begun;             /* at least one request has been answered */
} batch;

static int
by_shard(const void *a, const void *b)
{
	const zinc_shard_get *x = (const zinc_shard_get *)a, *y = (const zinc_shard_get *)b;
	const int c = strcmp(x->shard, y->shard);

	return c ? c : x->request < y->request ? -1 : x->request > y->request;
}

static const zinc_get *
request_of(const batch *b, const zinc_shard_get *c)
{
	return &b->in->requests[c->request];
}

static zinc_status
batch_init(batch *b, zinc_error *err)
{
	const zinc_shard_batch *in = b->in;
	size_t i, pieces = 1;

	for (i = 0; i < in->nchunks; i++) {
		const zinc_get *r = request_of(b, &in->chunks[i]);

		if (r->iov && r->niov > 0 && zinc_size_add(pieces, (size_t)r->niov, &pieces))
			return zinc_fail_nomem(err);
	}
	b->nleft = in->nchunks;
	b->shards = (zinc_shard_read *)zinc_calloc(b->ctx, in->nchunks, sizeof *b->shards);
	b->below = (zinc_get *)zinc_calloc(b->ctx, in->nchunks + in->nothers, sizeof *b->below);
	b->whose = (zinc_shard_get **)zinc_calloc(b->ctx, in->nchunks, sizeof *b->whose);
	b->iov = (struct iovec *)zinc_calloc(b->ctx, pieces, sizeof *b->iov);
	if (!b->shards || !b->below || !b->whose || !b->iov)
		return zinc_fail_nomem(err);
	qsort(in->chunks, in->nchunks, sizeof *in->chunks, by_shard);
	return ZINC_OK;
}

static void
free_shards(batch *b)
{
	size_t i;

	for (i = 0; i < b->nshards; i++)
		zinc_shard_read_fini(&b->shards[i], b->ctx);
	b->nshards = 0;
}

static void
batch_fini(batch *b)
{
	free_shards(b);
	zinc_free(b->ctx, b->shards);
	zinc_free(b->ctx, b->below);
	zinc_free(b->ctx, b->whose);
	zinc_free(b->ctx, b->iov);
}

/* ---- the first call: indexes ---- */

/* Each shard once, in the order of the keys, like the requests. */
static void
collect_shards(batch *b)
{
	size_t i;

	for (i = 0; i < b->nleft; i++) {
		zinc_shard_get *c = &b->in->chunks[i];
		zinc_shard_read *last = b->nshards ? &b->shards[b->nshards - 1] : NULL;

		if (!last || strcmp(last->key, c->shard) != 0) {
			last = &b->shards[b->nshards++];
			*last = (zinc_shard_read){.key = c->shard};
		}
		c->from = last;
	}
}

/* Decode the entries of all shards that exist; a failure is recorded in its shard. */
static void
take_indexes(batch *b)
{
	zinc_scratch *scratch = zinc_scratch_get(b->ctx);
	size_t i;

	for (i = 0; i < b->nshards; i++) {
		zinc_shard_read *sh = &b->shards[i];
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st;

		if (!sh->stored.found)
			continue;
		st =
		    scratch ? zinc_shard_read_entries(sh, b->in->store, scratch, b->in->wait, &e) : zinc_fail_nomem(&e);
		if (st == ZINC_OK)
			continue;
		zinc_error_at_key(&e, st, sh->key);
		zinc_shard_read_fail(sh, b->ctx, st, &e);
	}
	zinc_scratch_put(scratch);
}

/* Read all indexes of this round and, in the first round, the other requests, in one call.  No request is answered
 * before this call. */
static zinc_status
fetch_indexes(batch *b, zinc_error *err)
{
	const zinc_shard_batch *in = b->in;
	const zinc_shard_others others = {in->requests, in->others, b->begun ? 0 : in->nothers, in->sink};

	collect_shards(b);
	ZINC_TRY(zinc_shard_read_many(in->store, in->layout, b->shards, b->nshards, b->below, &others, in->wait, err));
	b->begun = true;
	take_indexes(b);
	return ZINC_OK;
}

/* ---- answers without a second call ---- */

/* Answer a request that needs only the existence or the tag of an inner chunk. */
static void
answer_found(const batch *b, const zinc_shard_get *c, zinc_found found)
{
	zinc_got got = {.size = sizeof got, .found = found, .object_size = c->nbytes, .tag = &c->from->stored.tag};

	b->in->sink->done(b->in->sink->arg, c->request, &got);
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
answer_by_index(const batch *b, zinc_shard_get *c)
{
	const zinc_sink *sink = b->in->sink;
	const zinc_get *r = request_of(b, c);
	const zinc_shard_read *sh = c->from;

	if (zinc_sink_cancelled(sink, c->request, b->in->wait))
		return true;
	if (sh->status != ZINC_OK) {
		zinc_sink_failed(sink, c->request, sh->status, sh->error);
		return true;
	}
	if (!zinc_shard_has(&sh->stored, c->position)) {
		zinc_sink_missing(sink, c->request);
		return true;
	}
	c->nbytes = sh->stored.entries[c->position].nbytes;
	if (r->if_tag && !zinc_tag_equal(r->if_tag, &sh->stored.tag)) {
		answer_found(b, c, ZINC_CHANGED);
		return true;
	}
	if (r->stat)
		answer_found(b, c, ZINC_FOUND);
	else if (sh->whole.data) /* entries were checked against the shard's size */
		zinc_sink_serve(sink, c->request, r, c->nbytes, &sh->stored.tag, copy_from_shard,
				(uint8_t *)sh->whole.data + (size_t)sh->stored.entries[c->position].offset,
				b->in->wait);
	return r->stat || sh->whole.data;
}

/* ---- the second call: ranges ---- */

static zinc_room
range_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	const batch *b = (const batch *)arg;

	return b->in->sink->room(b->in->sink->arg, b->whose[i]->request, nbytes, buf);
}

/* An answer that does not match the index is of another generation; the shard is read again. */
static void
range_done(void *arg, size_t i, const zinc_got *got)
{
	const batch *b = (const batch *)arg;
	zinc_shard_get *c = b->whose[i];
	zinc_got mine = *got;

	c->again = got->found != ZINC_FAILED && (got->found != ZINC_FOUND || got->nbytes != b->below[i].length);
	if (c->again)
		return;
	if (got->found == ZINC_FOUND)
		mine.object_size = c->nbytes;
	b->in->sink->done(b->in->sink->arg, c->request, &mine);
}

/* Shorten the caller's iovecs to n bytes; the copy is in *room. */
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

/* Convert the caller's range of the inner chunk to a range of the shard. */
static void
make_range(const batch *b, const zinc_shard_get *c, zinc_get *g, struct iovec **room)
{
	const zinc_get *r = request_of(b, c);
	uint64_t offset, length;

	zinc_get_select(r, c->nbytes, &offset, &length);
	offset += c->from->stored.entries[c->position].offset;
	*g = (zinc_get){.key = c->shard, .offset = offset, .length = length, .iov = r->iov, .niov = r->niov};
	g->if_tag = &c->from->stored.tag; /* a shard without a tag was read whole */
	if (r->iov && length < r->length)
		cut_iov(g, length, room);
}

/* Read all ranges of this round in one call.  Requests whose shard changed stay. */
static void
fetch_ranges(batch *b)
{
	const zinc_shard_batch *in = b->in;
	zinc_sink sink = {sizeof sink, in->sink->room ? range_room : NULL, range_done, b};
	zinc_error e = ZINC_ERROR_INIT;
	struct iovec *room = b->iov;
	size_t i, n = 0, left = 0;
	zinc_status st;

	for (i = 0; i < b->nleft; i++) {
		zinc_shard_get *c = &in->chunks[i];

		c->again = false;
		if (answer_by_index(b, c))
			continue;
		make_range(b, c, &b->below[n], &room);
		b->whose[n++] = c;
	}
	st = n ? zinc_store_get(in->store, b->below, n, &sink, in->wait, &e) : ZINC_OK;
	for (i = 0; st != ZINC_OK && i < n; i++)
		zinc_sink_failed(in->sink, b->whose[i]->request, st, &e);
	for (i = 0; i < b->nleft; i++)
		if (in->chunks[i].again)
			in->chunks[left++] = in->chunks[i];
	b->nleft = left;
}

/* ---- the whole batch ---- */

static void
fail_rest(const batch *b, zinc_status st, const zinc_error *e)
{
	size_t i;

	for (i = 0; i < b->nleft; i++)
		zinc_sink_failed(b->in->sink, b->in->chunks[i].request, st, e);
}

static zinc_status
run(batch *b, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	int tries;

	for (tries = 0; tries < ZINC_SHARD_TRIES && (tries == 0 || b->nleft > 0); tries++) {
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
zinc_shard_get_many(const zinc_shard_batch *in, zinc_error *err)
{
	batch b = {.in = in, .ctx = zinc_store_context(in->store)};
	zinc_status st = batch_init(&b, err);

	if (st == ZINC_OK)
		st = run(&b, err);
	batch_fini(&b);
	return st;
}
