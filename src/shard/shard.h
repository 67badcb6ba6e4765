/*
 * shard.h - door of the room `shard`: read and change a stored shard
 *
 *     end:   [inner chunk]...[inner chunk][index]
 *     start: [index][inner chunk]...[inner chunk]
 *
 * The room `codec` encodes and decodes the index (codec/shard.c).  This room handles a shard as an object of a store:
 * which of its bytes to request, how to use the answer, and how to make a new shard from an old one.  It has two users:
 * the room `array`, which decodes and encodes inner chunks, and the layer `indexed` of the room `transform`, which
 * treats them as bytes.
 *
 *   shard_index.c   the place of the index, the requests for it, and its decoding into entries
 *   shard_many.c    the indexes of many shards in one call of the store
 *   shard_get.c     a batch of requests for inner chunks: one call for indexes, one for ranges
 *   shard_build.c   an old shard and new inner chunks -> the parts of the new shard
 *   shard_change.c  the same for inner chunks that are already encoded, as one change of a stored shard
 */
#ifndef ZINC_SHARD_H
#define ZINC_SHARD_H

#include "codec/codec.h"
#include "fetch/fetch.h"

/* ---- layout: derived from the codec and the shape of a shard ---- */

/* All shapes are in the axis order of the sharding codec. */
typedef struct zinc_shard_layout {
	const zinc_shard *sh;
	uint64_t shape[ZINC_MAX_NDIM];
	uint64_t per_axis[ZINC_MAX_NDIM]; /* inner chunks along each axis */
	uint64_t n;                       /* total number of inner chunks */
	size_t index_bytes;               /* maximum size of the encoded index */
} zinc_shard_layout;

/* `shape` may be out->shape.  E_LIMIT: the index is larger than the address space. */
zinc_status zinc_shard_layout_init(zinc_shard_layout *out, const zinc_shard *sh, const uint64_t *shape,
				   zinc_error *err);
/* The index bytes of a whole shard in memory; all of its bytes if it is shorter than an index. */
zinc_bytes zinc_shard_index_of(const zinc_shard_layout *l, zinc_bytes whole);

static inline bool
zinc_shard_entry_empty(const zinc_shard_entry *e)
{
	return e->nbytes == ZINC_SHARD_EMPTY;
}

/* E_CORRUPT when the inner chunk has more than `most` bytes. */
zinc_status zinc_shard_entry_check(const zinc_shard_entry *e, size_t most, zinc_error *err);

/* ---- reading ---- */

/* What was read of a stored shard. */
typedef struct zinc_stored_shard {
	const zinc_shard_layout *layout;
	bool found;
	uint64_t size;             /* of the object */
	zinc_tag tag;              /* condition of every range that is requested later */
	zinc_shard_entry *entries; /* memory for layout->n entries; set if found */
} zinc_stored_shard;

/* The first request for a shard. */
typedef enum zinc_shard_ask {
	ZINC_SHARD_ASK_INDEX = 0, /* the index, then ranges under its tag */
	ZINC_SHARD_ASK_ALL,       /* the whole shard: without a tag, ranges and index may be of two generations */
	ZINC_SHARD_ASK_SMALL      /* the whole shard, up to caps.merge_gap bytes: cheaper than a second request */
} zinc_shard_ask;

/* `inner_bytes`: size of a decoded inner chunk; UINT64_MAX: never ASK_SMALL. */
zinc_shard_ask zinc_shard_first_ask(const zinc_shard_layout *l, const zinc_caps *caps, uint64_t inner_bytes);
/* The request; the caller sets its key.  `caps` is used only for ASK_SMALL. */
zinc_get zinc_shard_request(const zinc_shard_layout *l, zinc_shard_ask ask, const zinc_caps *caps);
/*
 * Decode the index from `bytes`, the answer to *ask; the caller has set s->found, size and tag.  If the answer is not
 * sufficient, *again is set and *ask is the next request to make.  E_CORRUPT, E_CHECKSUM, E_NOMEM.
 */
zinc_status zinc_shard_take(zinc_stored_shard *s, zinc_scratch *scratch, zinc_bytes bytes, zinc_shard_ask *ask,
			    bool *again, zinc_error *err);

/* Is the inner chunk at this position stored? */
static inline bool
zinc_shard_has(const zinc_stored_shard *s, uint64_t position)
{
	return s->found && !zinc_shard_entry_empty(&s->entries[position]);
}

/* The number of attempts to read a shard that other writers replace between the reads of its index and its ranges. */
#define ZINC_SHARD_TRIES 8
/* The error after the last attempt: E_CONFLICT. */
zinc_status zinc_shard_conflict(zinc_error *err);

/* ---- reading many shards in few calls of their store ---- */

/* A request for an inner chunk, or for a range of it. */
typedef struct zinc_shard_get {
	size_t request;    /* its number in the batch; its key is not used */
	const char *shard; /* the key of the shard */
	size_t position;   /* of the inner chunk */

	/* Internal. */
	struct zinc_shard_read *from;
	uint64_t nbytes; /* of the inner chunk */
	bool again;      /* the shard was replaced */
} zinc_shard_get;

typedef struct zinc_shard_batch {
	zinc_store *store;
	const zinc_shard_layout *layout;
	const zinc_get *requests;
	const zinc_sink *sink; /* gets the answers, with the numbers of the requests */
	const zinc_wait *wait;
	zinc_shard_get *chunks; /* in any order, which is changed */
	size_t nchunks;
	size_t *others; /* numbers of the requests for other keys of the store */
	size_t nothers;
} zinc_shard_batch;

/* Answer all requests of the batch.  If the call fails, none was answered. */
zinc_status zinc_shard_get_many(const zinc_shard_batch *batch, zinc_error *err);

/* Called for shard i, with the entries of its index. */
typedef zinc_status (*zinc_shard_entries_fn)(void *arg, size_t i, const zinc_shard_entry *entries, zinc_error *err);
/* Read the indexes of n shards and pass on the entries of each one that exists.  The first failure ends the call. */
zinc_status zinc_shard_each(zinc_store *store, const zinc_shard_layout *l, const char *const *keys, size_t n,
			    zinc_shard_entries_fn fn, void *arg, const zinc_wait *wait, zinc_error *err);

/* ---- changing ---- */

/* Read a range of an old shard into `to`. */
zinc_status zinc_shard_read_old(const zinc_old *old, uint64_t offset, uint64_t nbytes, zinc_buf *to, zinc_bytes *out,
				zinc_error *err);

/*
 * A new shard under construction: a list of parts.  Each part is new bytes or a range of the old shard.  Ranges are not
 * read into memory.
 *
 *     old:   [a][b][c]....[index]        put b'  ->  new:  [a][b'][c][index]
 *
 * Inner chunks are stored in the order of the calls, one call per position (keep, erase, encoded or put).
 */
typedef struct zinc_shard_build {
	const zinc_shard_layout *layout;
	zinc_shard_entry *was; /* entries of the old shard; all empty if there is none */
	zinc_shard_entry *now; /* entries of the new shard */
	zinc_part *parts;
	size_t nparts;
	uint64_t end;    /* bytes of the new shard so far */
	zinc_buf *fresh; /* newly encoded inner chunks, and the index */
	void *behind;    /* memory for the caller */
} zinc_shard_build;

/*
 * Both buffers belong to the caller, who may reuse them for the next shard.  `memory` holds entries, parts and `more`
 * bytes at b->behind; `fresh` holds at most `most` bytes in addition to the index.  b->was is not set.  E_LIMIT,
 * E_NOMEM.
 */
zinc_status zinc_shard_build_begin(zinc_shard_build *b, const zinc_shard_layout *l, zinc_buf *memory, size_t more,
				   zinc_buf *fresh, size_t most, zinc_error *err);
/* Read the index of the old shard (NULL: there is none) into b->was; `to` is a buffer for its bytes. */
zinc_status zinc_shard_build_load(zinc_shard_build *b, zinc_scratch *scratch, const zinc_old *old, zinc_buf *to,
				  zinc_error *err);
/* The inner chunk stays as it was, stored or missing. */
void zinc_shard_build_keep(zinc_shard_build *b, uint64_t position);
void zinc_shard_build_erase(zinc_shard_build *b, uint64_t position);
/* The encoded inner chunk is in b->fresh, from `begin` to its end. */
void zinc_shard_build_encoded(zinc_shard_build *b, uint64_t position, size_t begin);
/* The encoded inner chunk is `bytes`, which must stay valid as long as the parts are used. */
void zinc_shard_build_put(zinc_shard_build *b, uint64_t position, const uint8_t *bytes, size_t nbytes);
/* Keep all `nbytes` bytes of the old shard, including its index, at the start of the new one. */
void zinc_shard_build_append(zinc_shard_build *b, uint64_t nbytes);
/* Does the new shard have no inner chunk? */
bool zinc_shard_build_is_empty(const zinc_shard_build *b);
/* Add the index; the new shard is out->parts. */
zinc_status zinc_shard_build_end(zinc_shard_build *b, zinc_scratch *scratch, zinc_splice *out, zinc_error *err);

/* ---- changes with encoded inner chunks ---- */

/* What happens to one inner chunk. */
typedef enum zinc_chunk_change { ZINC_CHUNK_KEEP = 0, ZINC_CHUNK_PUT, ZINC_CHUNK_ERASE } zinc_chunk_change;

typedef struct zinc_chunk_edit {
	uint64_t position;
	zinc_chunk_change what;
	const uint8_t *bytes; /* with PUT */
	size_t nbytes;
} zinc_chunk_edit;

typedef struct zinc_shard_change {
	zinc_context *ctx;
	const zinc_shard_layout *layout;
	zinc_chunk_edit *edits; /* in order of their positions */
	size_t nedits;
	/* Optional; zeroed by init. */
	const uint64_t *sequence; /* positions in the order in which inner chunks are written; NULL: C order */
	bool append;              /* append new ones to the old shard, which stays as it is */
	/* Makes the rest of edits[i], whose position is given, from the old inner chunk; old.p NULL: it is missing. */
	zinc_status (*revise)(void *arg, size_t i, zinc_bytes old, zinc_error *err);
	void *arg;
	uint64_t limit; /* with revise: bytes of an old inner chunk, E_LIMIT above; 0: the limit of every chunk */

	/* Internal. */
	zinc_buf memory, fresh, tail, chunk;
	zinc_buf joined; /* the new shard, if it is assembled in memory */
	const zinc_condition *when;
	zinc_tag seen; /* of the old shard, if there is a condition */
	bool erases;   /* the last change was to erase the shard */
	bool no_erase; /* the store refuses that: a shard without inner chunks is put */
} zinc_shard_change;

void zinc_shard_change_init(zinc_shard_change *c, zinc_context *ctx, const zinc_shard_layout *l, zinc_chunk_edit *edits,
			    size_t n);
void zinc_shard_change_fini(zinc_shard_change *c);
/* Change the shard while its store excludes other writers, as zinc_store_splice does. */
zinc_status zinc_shard_change_run(zinc_shard_change *c, zinc_store *store, const char *key, int single_writer,
				  uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* Change the shard if `when` (NULL: any) holds for each edited inner chunk; its generation is that of the shard.  *tag
 * (NULL: not requested) is the new one.  E_EXISTS, E_CONFLICT. */
zinc_status zinc_shard_change_if(zinc_shard_change *c, zinc_store *store, const char *key, const zinc_condition *when,
				 zinc_tag *tag, uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* Put the new shard without reading the old one; without inner chunks it is deleted.  There is an edit, put or erase,
 * of every inner chunk.  `group` may be NULL. */
zinc_status zinc_shard_change_replace(zinc_shard_change *c, zinc_store *store, zinc_put_group *group, const char *key,
				      uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* A zinc_splice_fn for zinc_store_splice; `change` is a zinc_shard_change.  May be called again. */
zinc_status zinc_shard_change_splice(void *change, const zinc_old *old, zinc_splice *out, zinc_error *err);
/* The same for an old shard in memory (NULL: there is none); out->bytes are valid until fini. */
zinc_status zinc_shard_change_whole(zinc_shard_change *c, const zinc_bytes *old, zinc_update *out, zinc_error *err);

#endif
