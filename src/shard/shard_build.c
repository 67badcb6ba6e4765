/*
 * shard_build.c - make the parts of a new shard from an old shard and new inner chunks
 *
 * The parts are those of zinc_store_splice.  Some stores can copy the kept ranges from the old object to the new one
 * without reading them into memory; for other stores the parts are joined in memory.
 *
 * Promises (tests/unit/test_shard_build.c names each by its number):
 *
 * (1) The index points to each inner chunk that was kept, encoded or put, and to nothing else.
 * (2) Neighbours that are both kept, or both encoded, are one part.
 * (3) An index at the start is written into the space reserved for it.
 */
#include "shard/shard.h"

zinc_status
zinc_shard_read_old(const zinc_old *old, uint64_t offset, uint64_t nbytes, zinc_buf *to, zinc_bytes *out,
		    zinc_error *err)
{
	struct iovec iov;

	if (nbytes > PTRDIFF_MAX)
		return zinc_fail_nomem(err);
	to->max = (size_t)nbytes;
	ZINC_TRY(zinc_buf_reset(to, (size_t)nbytes, err));
	*out = (zinc_bytes){to->p, (size_t)nbytes};
	iov = (struct iovec){to->p, (size_t)nbytes};
	return old->read(old->arg, offset, nbytes, &iov, 1, err);
}

/* ---- parts ---- */

/* `fresh` may move while it grows.  Until the end its parts have this address, and `offset` is relative to `fresh`. */
static const uint8_t fresh_part;

static void
add_part(zinc_shard_build *b, const uint8_t *bytes, uint64_t offset, size_t nbytes)
{
	zinc_part *last = b->nparts > 0 ? &b->parts[b->nparts - 1] : NULL;

	b->end += nbytes;
	if (last && last->bytes == bytes && (!bytes || bytes == &fresh_part) && last->offset + last->nbytes == offset)
		last->nbytes += nbytes;
	else
		b->parts[b->nparts++] = (zinc_part){bytes, offset, nbytes, 0};
}

/* ---- the beginning ---- */

/* Parts: one for each inner chunk, one for the index, one for an old shard that stays as it is. */
static zinc_status
take_memory(zinc_shard_build *b, zinc_buf *memory, size_t more, zinc_error *err)
{
	const uint64_t n = b->layout->n;
	size_t each = 2 * sizeof(zinc_shard_entry) + sizeof(zinc_part), nbytes;

	if (n > SIZE_MAX || zinc_size_mul((size_t)n, each, &nbytes) ||
	    zinc_size_add(nbytes, 2 * sizeof(zinc_part), &nbytes) || zinc_size_add(nbytes, more, &nbytes))
		return zinc_fail(err, ZINC_E_LIMIT,
				 "the shard's index or inner chunks are larger than the limits allow");
	memory->max = nbytes;
	ZINC_TRY(zinc_buf_reset(memory, nbytes, err));
	b->was = (zinc_shard_entry *)(void *)memory->p;
	b->now = b->was + n;
	b->parts = (zinc_part *)(void *)(b->now + n);
	b->behind = b->parts + n + 2;
	return ZINC_OK;
}

zinc_status
zinc_shard_build_begin(zinc_shard_build *b, const zinc_shard_layout *l, zinc_buf *memory, size_t more, zinc_buf *fresh,
		       size_t most, zinc_error *err)
{
	*b = (zinc_shard_build){.layout = l, .fresh = fresh};
	ZINC_TRY(take_memory(b, memory, more, err));
	fresh->n = 0;
	/* Twice: an index at the start is first encoded at the end, then copied. */
	fresh->max = most + zinc_max_many(2, l->index_bytes);
	if (!l->sh->index_at_start)
		return ZINC_OK;
	ZINC_TRY(zinc_buf_reserve(fresh, l->index_bytes, err));
	memset(fresh->p, 0, l->index_bytes);
	fresh->n = l->index_bytes;
	add_part(b, &fresh_part, 0, l->index_bytes);
	return ZINC_OK;
}

zinc_status
zinc_shard_build_load(zinc_shard_build *b, zinc_scratch *scratch, const zinc_old *old, zinc_buf *to, zinc_error *err)
{
	const zinc_shard_layout *l = b->layout;
	zinc_bytes tail;
	uint64_t n;

	memset(b->was, 0xff, (size_t)l->n * sizeof *b->was);
	if (!old)
		return ZINC_OK;
	n = zinc_min_u64(l->index_bytes, old->nbytes);
	ZINC_TRY(zinc_shard_read_old(old, l->sh->index_at_start ? 0 : old->nbytes - n, n, to, &tail, err));
	return zinc_shard_index_decode(l->sh, scratch, l->shape, tail, old->nbytes, b->was, err);
}

/* ---- inner chunks ---- */

void
zinc_shard_build_erase(zinc_shard_build *b, uint64_t position)
{
	b->now[position] = (zinc_shard_entry){ZINC_SHARD_EMPTY, ZINC_SHARD_EMPTY};
}

void
zinc_shard_build_keep(zinc_shard_build *b, uint64_t position)
{
	const zinc_shard_entry *e = &b->was[position];

	b->now[position] = *e;
	if (zinc_shard_entry_empty(e))
		return;
	b->now[position].offset = b->end;
	add_part(b, NULL, e->offset, (size_t)e->nbytes);
}

void
zinc_shard_build_encoded(zinc_shard_build *b, uint64_t position, size_t begin)
{
	const size_t nbytes = b->fresh->n - begin;

	b->now[position] = (zinc_shard_entry){b->end, nbytes};
	add_part(b, &fresh_part, begin, nbytes);
}

void
zinc_shard_build_put(zinc_shard_build *b, uint64_t position, const uint8_t *bytes, size_t nbytes)
{
	b->now[position] = (zinc_shard_entry){b->end, nbytes};
	if (nbytes > 0)
		add_part(b, bytes, 0, nbytes);
}

void
zinc_shard_build_append(zinc_shard_build *b, uint64_t nbytes)
{
	memcpy(b->now, b->was, (size_t)b->layout->n * sizeof *b->now);
	add_part(b, NULL, 0, (size_t)nbytes);
}

/* ---- the end ---- */

bool
zinc_shard_build_is_empty(const zinc_shard_build *b)
{
	static const zinc_shard_entry none = {ZINC_SHARD_EMPTY, ZINC_SHARD_EMPTY};

	return zinc_run_is(b->now, &none, (size_t)b->layout->n, sizeof none);
}

/* After the inner chunks, or in the space reserved at the start. */
static zinc_status
add_index(zinc_shard_build *b, zinc_scratch *scratch, zinc_error *err)
{
	const zinc_shard_layout *l = b->layout;
	const size_t begin = b->fresh->n;

	ZINC_TRY(zinc_shard_index_encode(l->sh, scratch, l->shape, b->now, b->fresh, err));
	if (!l->sh->index_at_start) {
		add_part(b, &fresh_part, begin, b->fresh->n - begin);
		return ZINC_OK;
	}
	if (b->fresh->n - begin != l->index_bytes)
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "the encoded index of the shard does not have the size that its codecs declare");
	memcpy(b->fresh->p, b->fresh->p + begin, l->index_bytes);
	b->fresh->n = begin;
	return ZINC_OK;
}

zinc_status
zinc_shard_build_end(zinc_shard_build *b, zinc_scratch *scratch, zinc_splice *out, zinc_error *err)
{
	size_t i;

	ZINC_TRY(add_index(b, scratch, err));
	for (i = 0; i < b->nparts; i++)
		if (b->parts[i].bytes == &fresh_part)
			b->parts[i].bytes = b->fresh->p + b->parts[i].offset;
	out->parts = b->parts;
	out->nparts = b->nparts;
	return ZINC_OK;
}
