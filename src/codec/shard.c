/*
 * shard.c - the index of a shard
 *
 *     end:   [inner chunk]...[inner chunk][index]
 *     start: [index][inner chunk]...[inner chunk]
 *
 *     index, before its codecs: for each inner chunk in C order   [offset: u64][nbytes: u64]     M91
 *     offsets count from the shard's first byte (also with the index at the start);
 *     an inner chunk that is not stored has 2^64-1 in both (M92)
 *
 * The spellings of 2023 have no index codecs: the index is little-endian at the end, until May without and from June on
 * with a CRC-32C after it.  A valid CRC distinguishes the two.
 *
 * Promises (tests/unit/test_shard.c names each by its number):
 *
 * (1) An index that decodes has, for every inner chunk, nothing or a range within the shard and outside the index.
 * (2) Order, gaps and overlaps of the ranges do not matter (M94).
 * (3) A shard too short for its index is E_CORRUPT before any memory is allocated for it.
 */
#include <inttypes.h>

#include "codec/codec_parts.h"

#define ENTRY_BYTES 16u
#define CRC_BYTES   4u

uint64_t
zinc_shard_count(const zinc_shard *sh, const uint64_t *shard_shape, uint64_t *per_axis)
{
	uint64_t n = 1;
	int i;

	for (i = 0; i < sh->ndim; i++) {
		per_axis[i] = zinc_ceil_div(shard_shape[i], sh->chunk_shape[i]);
		if (zinc_u64_mul(n, per_axis[i], &n)) /* parse has checked that the index of the largest shard fits */
			n = UINT64_MAX;
	}
	return n;
}

/* The shape of the index as an array: inner chunks along each axis, then 2. */
static uint64_t
index_shape(const zinc_shard *sh, const uint64_t *shard_shape, uint64_t *shape)
{
	const uint64_t n = zinc_shard_count(sh, shard_shape, shape);

	shape[sh->ndim] = 2;
	return n;
}

int
zinc_shard_index_bytes(const zinc_shard *sh, const uint64_t *shard_shape, size_t *nbytes)
{
	uint64_t shape[ZINC_MAX_NDIM], n;

	n = index_shape(sh, shard_shape, shape);
	if (sh->index)
		return zinc_chain_bound(sh->index, shape, nbytes);
	return n > SIZE_MAX || zinc_size_mul((size_t)n, ENTRY_BYTES, nbytes) ||
	       zinc_size_add(*nbytes, CRC_BYTES, nbytes);
}

/* ---- decoding ---- */

/* Convert between little-endian and native numbers; may work in place. */
static void
swap_to_host(void *to, const void *from, size_t nentries)
{
	if (ZINC_HOST_BIG)
		zinc_dtype_swap(zinc_dtype_of(ZINC_UINT64), to, from, 2 * nentries);
	else if (to != from && nentries)
		memcpy(to, from, nentries * ENTRY_BYTES);
}

/* The spellings of 2023.  `nbytes` is set to the size of the index. */
static zinc_status
decode_2023(uint64_t n, zinc_bytes tail, zinc_shard_entry *entries, size_t *nbytes, zinc_error *err)
{
	const size_t body = (size_t)n * ENTRY_BYTES; /* fits, because it did with the CRC */
	bool crc = false;

	if (tail.n >= *nbytes) {
		const uint8_t *p = tail.p + tail.n - *nbytes;

		crc = zinc_get_le32(p + body) == zinc_crc32c(0, p, body);
	}
	if (!crc)
		*nbytes = body;
	if (tail.n < *nbytes)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M91", "%zu bytes cannot hold an index of %zu", tail.n,
				      *nbytes);
	swap_to_host(entries, tail.p + tail.n - *nbytes, (size_t)n);
	return ZINC_OK;
}

/* By the index codecs, on their own scratch: the caller's may hold the shard. */
static zinc_status
decode_index(const zinc_shard *sh, zinc_scratch *s, const uint64_t *shape, zinc_bytes tail, zinc_shard_entry *entries,
	     size_t nbytes, zinc_error *err)
{
	zinc_scratch *inner = zinc_scratch_inner(s);
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	int64_t strides[ZINC_MAX_NDIM];
	zinc_view view;
	int i;

	if (!inner)
		return zinc_fail_nomem(err);
	if (tail.n < nbytes)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M91", "%zu bytes cannot hold an index of %zu", tail.n,
				      nbytes);
	tail.p += sh->index_at_start ? 0 : tail.n - nbytes;
	tail.n = nbytes;
	ZINC_TRY(zinc_chain_decode(sh->index, inner, shape, tail, entries, 0, &view, err));
	if (view.p == (uint8_t *)entries)
		return ZINC_OK;
	zinc_strides_c(shape, sh->ndim + 1, sizeof(uint64_t), strides);
	for (i = 0; i <= sh->ndim; i++)
		dims[i] = (zinc_copy_dim){.n = shape[i], .dst_stride = strides[i], .src_stride = view.strides[i]};
	zinc_copy_nd(entries, view.p, dims, sh->ndim + 1, sizeof(uint64_t));
	return ZINC_OK;
}

/* Check that every entry is empty or within [low, high). */
static zinc_status
check_entries(const zinc_shard_entry *entries, uint64_t n, uint64_t low, uint64_t high, zinc_error *err)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		const zinc_shard_entry e = entries[i];

		if (e.offset == ZINC_SHARD_EMPTY && e.nbytes == ZINC_SHARD_EMPTY)
			continue;
		if (e.offset == ZINC_SHARD_EMPTY || e.nbytes == ZINC_SHARD_EMPTY)
			return zinc_fail_rule(err, ZINC_E_CORRUPT, "M92",
					      "index entry %" PRIu64 " is half empty: offset %" PRIu64 ", %" PRIu64
					      " bytes",
					      i, e.offset, e.nbytes);
		if (e.offset < low || !zinc_range_within(e.offset - low, e.nbytes, high - low))
			return zinc_fail_rule(err, ZINC_E_CORRUPT, "M91",
					      "index entry %" PRIu64 " is out of bounds: offset %" PRIu64 ", %" PRIu64
					      " bytes; chunks must be in %" PRIu64 " to %" PRIu64,
					      i, e.offset, e.nbytes, low, high);
	}
	return ZINC_OK;
}

zinc_status
zinc_shard_index_decode(const zinc_shard *sh, zinc_scratch *s, const uint64_t *shard_shape, zinc_bytes tail,
			uint64_t shard_size, zinc_shard_entry *entries, zinc_error *err)
{
	uint64_t shape[ZINC_MAX_NDIM], n;
	zinc_status st;
	size_t nbytes;

	n = index_shape(sh, shard_shape, shape);
	if (zinc_shard_index_bytes(sh, shard_shape, &nbytes))
		return zinc_fail(err, ZINC_E_LIMIT, "the index is larger than the address space");
	if (sh->index)
		st = decode_index(sh, s, shape, tail, entries, nbytes, err);
	else
		st = decode_2023(n, tail, entries, &nbytes, err);
	if (st == ZINC_OK && nbytes > shard_size)
		st = zinc_fail(err, ZINC_E_CORRUPT, "a shard of %" PRIu64 " bytes cannot hold an index of %zu",
			       shard_size, nbytes);
	if (st == ZINC_OK)
		st = check_entries(entries, n, sh->index_at_start ? nbytes : 0,
				   sh->index_at_start ? shard_size : shard_size - nbytes, err);
	return st == ZINC_OK ? st : zinc_error_at_codec(err, st, sh->codec.ops->name);
}

/* ---- encoding ---- */

zinc_status
zinc_shard_index_encode(const zinc_shard *sh, zinc_scratch *s, const uint64_t *shard_shape,
			const zinc_shard_entry *entries, zinc_buf *out, zinc_error *err)
{
	uint64_t shape[ZINC_MAX_NDIM], n;
	zinc_scratch *inner;
	const size_t base = out->n;
	zinc_view view;

	n = index_shape(sh, shard_shape, shape);
	if (!sh->index) {
		ZINC_TRY(zinc_buf_add(out, entries, (size_t)n * ENTRY_BYTES, err));
		swap_to_host(out->p + base, out->p + base, (size_t)n);
		ZINC_TRY(zinc_buf_reserve(out, CRC_BYTES, err));
		zinc_put_le32(out->p + out->n, zinc_crc32c(0, out->p + base, out->n - base));
		out->n += CRC_BYTES;
		return ZINC_OK;
	}
	inner = zinc_scratch_inner(s);
	if (!inner)
		return zinc_fail_nomem(err);
	view.p = (uint8_t *)(uintptr_t)entries; /* never written through */
	zinc_strides_c(shape, sh->ndim + 1, sizeof(uint64_t), view.strides);
	return zinc_chain_encode(sh->index, inner, shape, &view, out, err);
}
