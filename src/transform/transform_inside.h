/*
 * transform_inside.h - internals of the room `transform`: declarations that the files of the layer `indexed` share
 *
 *   transform_sharding.c   the layer: configuration, keys, the slots that only forward
 *   sharding_get.c         a batch of reads
 *   sharding_change.c      put, del and update of chunks: changes of their shards
 *   sharding_group.c       many changes, each shard written once
 *   sharding_partial.c     parts of many chunks, each shard written once
 *   sharding_list.c        listing and erasing through shards
 */
#ifndef ZINC_TRANSFORM_INSIDE_H
#define ZINC_TRANSFORM_INSIDE_H

#include "shard/shard.h"
#include "transform/transform.h"

typedef struct zinc_sharded {
	zinc_context *ctx;
	zinc_store *next;
	zinc_store *me; /* the layer as a store; not a counted reference */
	zinc_transformer_input in;
	zinc_keys keys; /* set by zinc_store_sharded; ops NULL: `in` has the keys of its caller */
	char *prefix;
	size_t nprefix;
	zinc_shard *sh;
	zinc_shard_layout layout; /* of every shard, seen as an array of per_axis chunks */
	size_t n;                 /* layout.n, which fits in size_t */
	uint64_t *sequence;       /* positions in the order in which chunks are written; NULL: C order */
} zinc_sharded;

/* Open the layer from the configuration {"chunks_per_shard": [...]}. */
zinc_status zinc_sharding_open(zinc_store **out, const char *configuration, const zinc_transformer_input *in,
			       zinc_error *err);

/* ---- keys ---- */

/* The place of a chunk: its shard, and its entry in the index. */
typedef struct zinc_chunk_place {
	uint64_t shard[ZINC_MAX_NDIM];
	size_t position;
} zinc_chunk_place;

/* false: `key` is not the key of a chunk, and must be passed on. */
bool zinc_sharded_locate(const zinc_sharded *s, const char *key, zinc_chunk_place *out);
/* Append the key of a shard, or of a chunk: they have the same form. */
zinc_status zinc_sharded_key(const zinc_sharded *s, const uint64_t *index, zinc_buf *out, zinc_error *err);
/* Append the key of the chunk at an entry of a shard. */
zinc_status zinc_sharded_chunk_key(const zinc_sharded *s, const uint64_t *shard, size_t position, zinc_buf *out,
				   zinc_error *err);
/* The key of a chunk's shard, in `text`, which is initialized here: the caller ends it, also after a failure. */
zinc_status zinc_sharded_shard_key(const zinc_sharded *s, const zinc_chunk_place *at, zinc_buf *text, const char **key,
				   zinc_error *err);

/* ---- slots of zinc_store_ops, each in its file ---- */

zinc_status zinc_sharded_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink,
			     const zinc_wait *wait, zinc_error *err);
zinc_status zinc_sharded_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			     uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_sharded_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			     uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_sharded_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit,
				uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_sharded_put_partial(void *self, const zinc_partial *const *parts, size_t n, int single_writer,
				     uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_sharded_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
				   zinc_error *err);
zinc_status zinc_sharded_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg,
				const zinc_wait *wait, zinc_error *err);
void zinc_sharded_abort(void *self, zinc_put_group *group);
zinc_status zinc_sharded_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait,
			      zinc_error *err);
zinc_status zinc_sharded_list_dir(void *self, const char *prefix, zinc_entry_fn fn, void *arg, const zinc_wait *wait,
				  zinc_error *err);
zinc_status zinc_sharded_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait,
				    zinc_error *err);

/* ---- changes ---- */

/* Begin a change of a shard of this layer.  zinc_shard_change_fini must follow. */
void zinc_sharded_change_init(const zinc_sharded *s, zinc_shard_change *c, zinc_chunk_edit *edits, size_t n);
/* Add a put (ERASE: a del) to the group; its bytes are copied. */
zinc_status zinc_sharded_enlist(zinc_put_group *group, const zinc_chunk_place *at, zinc_chunk_change what,
				const struct iovec *iov, int niov, const zinc_wait *wait, zinc_error *err);
/* Write the group's changes of this chunk's shard now. */
zinc_status zinc_sharded_flush_one(zinc_put_group *group, const zinc_chunk_place *at, const zinc_wait *wait,
				   zinc_error *err);

#endif
