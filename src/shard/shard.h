/*
 * shard.h - door of the room `shard`: one stored shard, for whoever reads or changes one
 *
 *     end:   [inner chunk]...[inner chunk][index]
 *     start: [index][inner chunk]...[inner chunk]
 *
 * The room `codec` knows the bytes of an index (codec/shard.c).  This room knows a shard as an object of a store: which of
 * its bytes to ask for, what to do with those that came, and how a new shard is made of an old one.  Two engines use it:
 * that of the room `array`, which decodes and encodes inner chunks, and the layer `indexed` of the room `transform`, for
 * which they are bytes.
 *
 *   shard_index.c   where the index is, what is asked for, what came -> entries
 *   shard_many.c    the indexes of many shards in one call of the store
 *   shard_build.c   an old shard and new inner chunks -> the parts of the new shard
 *   shard_change.c  the same for inner chunks that come as bytes, as one change of a stored shard
 */
#ifndef ZINC_SHARD_H
#define ZINC_SHARD_H

#include "codec/codec.h"
#include "fetch/fetch.h"

/* ---- layout: what follows from the codec and the shape of a shard ---- */

/* All shapes are in the axes of the sharding codec. */
typedef struct zinc_shard_layout {
	const zinc_shard *sh;
	uint64_t shape[ZINC_MAX_NDIM];
	uint64_t per_axis[ZINC_MAX_NDIM]; /* inner chunks along each axis */
	uint64_t n;                       /* and in all */
	size_t index_bytes;               /* of the encoded index, at most */
} zinc_shard_layout;

/* `shape` may be out->shape.  E_LIMIT: the index is larger than the address space. */
zinc_status zinc_shard_layout_init(zinc_shard_layout *out, const zinc_shard *sh, const uint64_t *shape,
				   zinc_error *err);
/* The bytes of the index, of a whole shard in memory; all of them when it is shorter. */
zinc_bytes zinc_shard_index_of(const zinc_shard_layout *l, zinc_bytes whole);

static inline bool
zinc_shard_entry_empty(const zinc_shard_entry *e)
{
	return e->nbytes == ZINC_SHARD_EMPTY;
}

/* E_CORRUPT: an inner chunk that has more than `most` bytes. */
zinc_status zinc_shard_entry_check(const zinc_shard_entry *e, size_t most, zinc_error *err);

/* ---- reading ---- */

/* A stored shard, as far as it was read. */
typedef struct zinc_stored_shard {
	const zinc_shard_layout *layout;
	bool found;
	uint64_t size;             /* of the object */
	zinc_tag tag;              /* every range that follows is asked for under it */
	zinc_shard_entry *entries; /* room for layout->n, filled if found */
} zinc_stored_shard;

/* What is asked of the store first. */
typedef enum zinc_shard_ask {
	ZINC_SHARD_ASK_INDEX = 0, /* the index, then ranges under its tag */
	ZINC_SHARD_ASK_ALL,       /* all of it: without a tag nothing shows that a range belongs to the index */
	ZINC_SHARD_ASK_SMALL      /* all of it, if that is no more than the gap that is cheaper than a request */
} zinc_shard_ask;

/* `inner_bytes`: of a decoded inner chunk; UINT64_MAX: the shard is not to be taken for small. */
zinc_shard_ask zinc_shard_first_ask(const zinc_shard_layout *l, const zinc_caps *caps, uint64_t inner_bytes);
/* The request; its key is missing. */
zinc_get zinc_shard_request(const zinc_shard_layout *l, zinc_shard_ask ask, const zinc_caps *caps);
/*
 * What was asked for came; s->found, size and tag are set.  The entries are filled, or *again is set and *ask is what must
 * be asked for now.  E_CORRUPT, E_CHECKSUM, E_NOMEM.
 */
zinc_status zinc_shard_take(zinc_stored_shard *s, zinc_scratch *scratch, zinc_bytes bytes, zinc_shard_ask *ask,
			    bool *again, zinc_error *err);

static inline bool
zinc_shard_has(const zinc_stored_shard *s, uint64_t position)
{
	return s->found && !zinc_shard_entry_empty(&s->entries[position]);
}

/* So often a shard is read again that others replace meanwhile. */
#define ZINC_SHARD_TRIES 8
/* E_CONFLICT, which says so. */
zinc_status zinc_shard_conflict(zinc_error *err);

/* ---- reading the indexes of many ---- */

/* One of them; begin with its key, and zeros. */
typedef struct zinc_shard_read {
	const char *key;
	zinc_stored_shard is; /* entries NULL: they were not asked for yet */
	zinc_status status;   /* of a failure: then it is not found either */
	zinc_error *error;    /* of a failure; NULL: memory is out */
	uint8_t *tail;        /* its index, encoded */
	size_t ntail;
	zinc_blob whole; /* all of it, where it has no tag */
} zinc_shard_read;

/* Requests of others that go along in the same call; each is told to `sink` under its number. */
typedef struct zinc_shard_others {
	const zinc_get *requests; /* by number */
	const size_t *numbers;
	size_t n;
	const zinc_sink *sink;
} zinc_shard_others;

/* Bring the encoded indexes of n shards, and the tags they came with.  `gets` has room for all requests; `others` may be
 * NULL.  Fails only where nobody was told anything; what fails of a shard is noted there. */
zinc_status zinc_shard_read_many(zinc_store *store, const zinc_shard_layout *l, zinc_shard_read *shards, size_t n,
				 zinc_get *gets, const zinc_shard_others *others, const zinc_wait *wait,
				 zinc_error *err);
/* The entries of one that was found; without a tag all of it is read.  Then it may be missing after all. */
zinc_status zinc_shard_read_entries(zinc_shard_read *r, zinc_store *store, zinc_scratch *scratch, const zinc_wait *wait,
				    zinc_error *err);
void zinc_shard_read_fail(zinc_shard_read *r, zinc_context *ctx, zinc_status st, const zinc_error *error);
void zinc_shard_read_fini(zinc_shard_read *r, zinc_context *ctx);

/* ---- changing ---- */

/* Bytes of an old shard, into `to`. */
zinc_status zinc_shard_read_old(const zinc_old *old, uint64_t offset, uint64_t nbytes, zinc_buf *to, zinc_bytes *out,
				zinc_error *err);

/*
 * A new shard in the making: parts of the old one, which never come into memory, and new bytes.
 *
 *     old:   [a][b][c]....[index]        put b'  ->  new:  [a][b'][c][index]
 *
 * Inner chunks are laid in the order of the calls.  Each position is told once: kept, erased, made or put.
 */
typedef struct zinc_shard_build {
	const zinc_shard_layout *layout;
	zinc_shard_entry *was, *now; /* of the old shard, all empty without one; of the new */
	zinc_part *parts;
	size_t nparts;
	uint64_t end;    /* of the new shard so far */
	zinc_buf *fresh; /* bytes that are made for it, and its index */
	void *behind;    /* the caller's room */
} zinc_shard_build;

/*
 * `memory` (for entries, parts and `more` bytes of the caller's, behind them) and `fresh` (for at most `most` bytes beside
 * the index) are the caller's, so that they can be used again.  `was` is not set.  E_LIMIT, E_NOMEM.
 */
zinc_status zinc_shard_build_begin(zinc_shard_build *b, const zinc_shard_layout *l, zinc_buf *memory, size_t more,
				   zinc_buf *fresh, size_t most, zinc_error *err);
/* The index of the old shard (NULL: there is none), through `to`, into b->was. */
zinc_status zinc_shard_build_load(zinc_shard_build *b, zinc_scratch *scratch, const zinc_old *old, zinc_buf *to,
				  zinc_error *err);
/* The inner chunk stays as it was, or missing. */
void zinc_shard_build_keep(zinc_shard_build *b, uint64_t position);
void zinc_shard_build_erase(zinc_shard_build *b, uint64_t position);
/* It lies in b->fresh, from `begin` to the end of that. */
void zinc_shard_build_made(zinc_shard_build *b, uint64_t position, size_t begin);
/* It is the caller's bytes, which stay where they are. */
void zinc_shard_build_put(zinc_shard_build *b, uint64_t position, const uint8_t *bytes, size_t nbytes);
/* All bytes of an old shard of `nbytes` stay in front, its index among them, and every inner chunk where it was. */
void zinc_shard_build_append(zinc_shard_build *b, uint64_t nbytes);
bool zinc_shard_build_is_empty(const zinc_shard_build *b);
/* The index, and the addresses of all parts: the new shard. */
zinc_status zinc_shard_build_end(zinc_shard_build *b, zinc_scratch *scratch, zinc_splice *out, zinc_error *err);

/* ---- changes that come as bytes ---- */

/* What becomes of one inner chunk. */
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
	/* Set by the caller, or 0. */
	const uint64_t *sequence; /* positions in the order in which inner chunks are laid; NULL: row by row */
	bool append;              /* new ones go behind the old shard, which stays */
	zinc_status (*prepare)(void *arg, const zinc_shard_build *b, const zinc_old *old, zinc_error *err);
	void *arg; /* of prepare, which looks at the old shard and completes the edits */

	/* Inside. */
	zinc_buf memory, fresh, tail;
	zinc_buf joined; /* the new shard, where it is made in memory */
} zinc_shard_change;

void zinc_shard_change_init(zinc_shard_change *c, zinc_context *ctx, const zinc_shard_layout *l, zinc_chunk_edit *edits,
			    size_t n);
void zinc_shard_change_fini(zinc_shard_change *c);
/* The function of a splice (zinc_store_splice); its argument is the change.  May be called again. */
zinc_status zinc_shard_change_splice(void *change, const zinc_old *old, zinc_splice *out, zinc_error *err);
/* The same of an old shard in memory (NULL: there is none); the new bytes are the change's. */
zinc_status zinc_shard_change_whole(zinc_shard_change *c, const zinc_bytes *old, zinc_update *out, zinc_error *err);

#endif
