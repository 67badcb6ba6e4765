/*
 * shard_inside.h - internals of the room `shard`: the indexes of many shards, for shard_many.c and shard_get.c
 */
#ifndef ZINC_SHARD_INSIDE_H
#define ZINC_SHARD_INSIDE_H

#include "shard/shard.h"

/* One shard.  The caller sets the key and zeros the rest. */
typedef struct zinc_shard_read {
	const char *key;
	zinc_stored_shard stored; /* entries are NULL before zinc_shard_read_entries */
	zinc_status status;       /* if not ZINC_OK, reading failed and stored.found is false */
	zinc_error *error;        /* the failure; NULL: no memory for it */
	uint8_t *tail;            /* the encoded index */
	size_t ntail;
	zinc_blob whole; /* the whole shard, if it has no tag */
} zinc_shard_read;

/* Other requests for the same call of the store: requests[numbers[i]].  `sink` gets the answer as number numbers[i]. */
typedef struct zinc_shard_others {
	const zinc_get *requests;
	const size_t *numbers;
	size_t n;
	const zinc_sink *sink;
} zinc_shard_others;

/*
 * Read the encoded indexes of n shards, with their tags.  `gets` has space for all requests; `others` may be NULL.  A
 * shard that cannot be read has its own status; the call itself fails only if no request was answered.
 */
zinc_status zinc_shard_read_many(zinc_store *store, const zinc_shard_layout *l, zinc_shard_read *shards, size_t n,
				 zinc_get *gets, const zinc_shard_others *others, const zinc_wait *wait,
				 zinc_error *err);
/* Decode the entries of a shard that was found.  A shard without a tag is first read whole; then it may be missing. */
zinc_status zinc_shard_read_entries(zinc_shard_read *r, zinc_store *store, zinc_scratch *scratch, const zinc_wait *wait,
				    zinc_error *err);
/* Record a failure; `error` may be NULL. */
void zinc_shard_read_fail(zinc_shard_read *r, zinc_context *ctx, zinc_status st, const zinc_error *error);
void zinc_shard_read_fini(zinc_shard_read *r, zinc_context *ctx);

#endif
