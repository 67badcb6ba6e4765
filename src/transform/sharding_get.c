/*
 * sharding_get.c - read chunks from shards: shard/shard_get.c reads them, by shard and position
 */
#include "transform/transform_inside.h"

/* Divide the requests into those for chunks and those that are passed on.  `keys` moves while it grows, so the keys of
 * the shards, which are in the order of the chunks, are set at the end. */
static zinc_status
divide(const zinc_sharded *s, size_t n, zinc_shard_batch *b, zinc_buf *keys, zinc_error *err)
{
	zinc_chunk_place at;
	const char *key;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!zinc_sharded_locate(s, b->requests[i].key, &at)) {
			b->others[b->nothers++] = i;
			continue;
		}
		b->chunks[b->nchunks++] = (zinc_shard_get){.request = i, .position = at.position};
		ZINC_TRY(zinc_sharded_key(s, at.shard, keys, err));
		ZINC_TRY(zinc_buf_add(keys, "", 1, err));
	}
	key = (const char *)keys->p;
	for (i = 0; i < b->nchunks; i++, key += strlen(key) + 1)
		b->chunks[i].shard = key;
	return ZINC_OK;
}

zinc_status
zinc_sharded_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
		 zinc_error *err)
{
	const zinc_sharded *s = (const zinc_sharded *)self;
	zinc_shard_batch b = {.store = s->next, .layout = &s->layout, .requests = requests, .sink = sink, .wait = wait};
	zinc_status st;
	zinc_buf keys;

	zinc_buf_init(&keys, s->ctx, zinc_max_list(s->ctx));
	b.chunks = (zinc_shard_get *)zinc_calloc(s->ctx, n, sizeof *b.chunks);
	b.others = (size_t *)zinc_calloc(s->ctx, n, sizeof *b.others);
	st = b.chunks && b.others ? divide(s, n, &b, &keys, err) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_shard_get_many(&b, err);
	zinc_free(s->ctx, b.chunks);
	zinc_free(s->ctx, b.others);
	zinc_buf_fini(&keys);
	return st;
}
