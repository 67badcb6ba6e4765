/*
 * sharding_partial.c - write parts of many chunks, each shard once
 *
 * Parts are sorted by key (store.c), which is not the order of shards: "c/10/0" is before "c/2/0".  So they are first
 * grouped by shard.  Then each shard is read, changed and put in one update of the store below, for any number of its
 * chunks.
 */
#include <stdlib.h>

#include "transform/transform_inside.h"

/* The parts of one chunk. */
typedef struct patch {
	zinc_chunk_place at;
	const zinc_partial *const *parts;
	size_t n;
	uint8_t *bytes; /* the new chunk */
} patch;

/* The changes of one update. */
typedef struct patched {
	const zinc_sharded *s;
	patch *patches;
	zinc_chunk_edit *edits; /* one per patch */
	size_t n;
} patched;

static int
by_shard(const void *a, const void *b)
{
	const zinc_chunk_place *x = &((const patch *)a)->at, *y = &((const patch *)b)->at;
	int d;

	for (d = 0; d < ZINC_MAX_NDIM; d++)
		if (x->shard[d] != y->shard[d])
			return x->shard[d] < y->shard[d] ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/* The number of patches, from the first on, that belong to the first one's shard. */
static size_t
same_shard(const patch *p, size_t n)
{
	size_t m = 1;

	while (m < n && memcmp(p[0].at.shard, p[m].at.shard, sizeof p[0].at.shard) == 0)
		m++;
	return m;
}

/* May be called more than once for one chunk, each time with the bytes stored at that moment. */
static zinc_status
patch_chunk(void *arg, size_t i, zinc_bytes old, zinc_error *err)
{
	const patched *x = (const patched *)arg;
	patch *p = &x->patches[i];

	ZINC_TRY(zinc_parts_apply(p->parts, p->n, old.p, old.n, x->s->ctx, &p->bytes, &x->edits[i].nbytes, err));
	x->edits[i].bytes = p->bytes;
	return ZINC_OK;
}

static zinc_status
patch_shard(patched *x, int single_writer, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const zinc_sharded *s = x->s;
	zinc_shard_change c;
	const char *key;
	zinc_status st;
	zinc_buf text;
	size_t i;

	for (i = 0; i < x->n; i++)
		x->edits[i] = (zinc_chunk_edit){.position = x->patches[i].at.position, .what = ZINC_CHUNK_PUT};
	zinc_sharded_change_init(s, &c, x->edits, x->n);
	c.revise = patch_chunk;
	c.arg = x;
	st = zinc_sharded_shard_key(s, &x->patches[0].at, &text, &key, err);
	if (st == ZINC_OK)
		st = zinc_shard_change_run(&c, s->next, key, single_writer || s->in.single_writer, flags, wait, err);
	zinc_shard_change_fini(&c);
	zinc_buf_fini(&text);
	return st;
}

static zinc_status
patch_all(const zinc_sharded *s, patch *patches, zinc_chunk_edit *edits, size_t n, int single_writer, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	patched x = {.s = s, .patches = patches, .edits = edits};
	size_t i;

	qsort(patches, n, sizeof *patches, by_shard);
	for (; n > 0 && st == ZINC_OK; n -= x.n, x.patches += x.n) {
		x.n = same_shard(x.patches, n);
		st = patch_shard(&x, single_writer, flags, wait, err);
		for (i = 0; i < x.n; i++) {
			zinc_free(s->ctx, x.patches[i].bytes);
			x.patches[i].bytes = NULL;
		}
	}
	return st;
}

/* Keys that are not chunks are passed to the store below at once. */
zinc_status
zinc_sharded_put_partial(void *self, const zinc_partial *const *parts, size_t n, int single_writer, uint32_t flags,
			 const zinc_wait *wait, zinc_error *err)
{
	const zinc_sharded *s = (const zinc_sharded *)self;
	patch *patches = (patch *)zinc_calloc(s->ctx, n, sizeof *patches);
	zinc_chunk_edit *edits = (zinc_chunk_edit *)zinc_calloc(s->ctx, n, sizeof *edits);
	zinc_status st = patches && edits ? ZINC_OK : zinc_fail_nomem(err);
	size_t at, m = 0, many;

	for (at = 0; at < n && st == ZINC_OK; at += many) {
		patch *p = &patches[m];

		many = zinc_parts_same_key(parts + at, n - at);
		if (zinc_sharded_locate(s, parts[at]->key, &p->at)) {
			p->parts = parts + at;
			p->n = many;
			m++;
		} else {
			st = zinc_store_put_parts(s->next, parts + at, many, single_writer, flags, wait, err);
		}
	}
	if (st == ZINC_OK)
		st = patch_all(s, patches, edits, m, single_writer, flags, wait, err);
	zinc_free(s->ctx, edits);
	zinc_free(s->ctx, patches);
	return st;
}
