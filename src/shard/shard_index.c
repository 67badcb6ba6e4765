/*
 * shard_index.c - the index of a stored shard: which bytes to request, and how to decode them
 *
 * Promises (tests/unit/test_shard_index.c names each by its number):
 *
 * (1) Ranges of a shard are requested only if the answer with its index had a tag; a shard without a tag is read whole.
 * (2) A small shard of a remote store is read whole, in one request; if it is longer than expected, its index is read.
 */
#include "shard/shard.h"

zinc_status
zinc_shard_layout_init(zinc_shard_layout *out, const zinc_shard *sh, const uint64_t *shape, zinc_error *err)
{
	int d;

	out->sh = sh;
	for (d = 0; d < sh->ndim; d++)
		out->shape[d] = shape[d];
	out->n = zinc_shard_count(sh, out->shape, out->per_axis);
	if (zinc_shard_index_bytes(sh, out->shape, &out->index_bytes))
		return zinc_fail(err, ZINC_E_LIMIT, "the shard's index is too large");
	return ZINC_OK;
}

zinc_bytes
zinc_shard_index_of(const zinc_shard_layout *l, zinc_bytes whole)
{
	const size_t n = (size_t)zinc_min_u64(whole.n, l->index_bytes);

	return (zinc_bytes){l->sh->index_at_start ? whole.p : whole.p + (whole.n - n), n};
}

zinc_status
zinc_shard_entry_check(const zinc_shard_entry *e, size_t most, zinc_error *err)
{
	if (e->nbytes > most)
		return zinc_fail(err, ZINC_E_CORRUPT, "an inner chunk has %llu bytes, but its encoding has at most %zu",
				 (unsigned long long)e->nbytes, most);
	return ZINC_OK;
}

/* ---- requests ---- */

/* Is reading the whole shard cheaper than a second request, if it is no larger than its decoded elements? */
static bool
is_small(const zinc_shard_layout *l, const zinc_caps *caps, uint64_t inner_bytes)
{
	uint64_t nbytes;

	return (caps->flags & ZINC_CAP_REMOTE) && !zinc_u64_mul(l->n, inner_bytes, &nbytes) &&
	       nbytes < caps->merge_gap && l->index_bytes <= caps->merge_gap - nbytes;
}

zinc_shard_ask
zinc_shard_first_ask(const zinc_shard_layout *l, const zinc_caps *caps, uint64_t inner_bytes)
{
	if (!(caps->flags & ZINC_CAP_TAGS))
		return ZINC_SHARD_ASK_ALL;
	return is_small(l, caps, inner_bytes) ? ZINC_SHARD_ASK_SMALL : ZINC_SHARD_ASK_INDEX;
}

zinc_get
zinc_shard_request(const zinc_shard_layout *l, zinc_shard_ask ask, const zinc_caps *caps)
{
	if (ask == ZINC_SHARD_ASK_INDEX)
		return (zinc_get){.length = l->index_bytes, .suffix = !l->sh->index_at_start};
	return (zinc_get){.length = ask == ZINC_SHARD_ASK_SMALL ? caps->merge_gap : ZINC_TO_END};
}

zinc_status
zinc_shard_take(zinc_stored_shard *s, zinc_scratch *scratch, zinc_bytes bytes, zinc_shard_ask *ask, bool *again,
		zinc_error *err)
{
	const zinc_shard_layout *l = s->layout;

	*again = (*ask == ZINC_SHARD_ASK_INDEX && s->tag.n == 0) || (*ask == ZINC_SHARD_ASK_SMALL && bytes.n < s->size);
	if (*again) {
		*ask = *ask == ZINC_SHARD_ASK_SMALL ? ZINC_SHARD_ASK_INDEX : ZINC_SHARD_ASK_ALL;
		return ZINC_OK;
	}
	if (*ask != ZINC_SHARD_ASK_INDEX)
		bytes = zinc_shard_index_of(l, bytes);
	return zinc_shard_index_decode(l->sh, scratch, l->shape, bytes, s->size, s->entries, err);
}

zinc_status
zinc_shard_conflict(zinc_error *err)
{
	return zinc_fail(err, ZINC_E_CONFLICT, "the shard was replaced %d times while it was read", ZINC_SHARD_TRIES);
}
