/*
 * choose_shape.c - chunk and shard shapes for callers that name none
 *
 * (1) A chosen chunk has at most 4 MiB and, if the array is that large, more than 1 MiB; a chosen shard has at most 256
 *     MiB and, if the array is that large, at least 64 MiB.
 */
#include "grid/grid.h"

#define CHUNK_MAX (4 * ZINC_MIB)
#define SHARD_MAX (256 * ZINC_MIB)

/* Do the elements of a shape take at most `max` bytes? */
static bool
fits(const uint64_t *shape, int ndim, uint64_t element, uint64_t max)
{
	uint64_t nbytes;

	return zinc_shape_bytes(shape, ndim, element, max, &nbytes) == 0;
}

/*
 * Halve the longest side until the chunk has at most 4 MiB.  More than 2 MiB remain.  The sides that were halved differ
 * by less than a factor of 2.  They are ceil(length / 2^k), so the last chunks are nearly full.
 */
void
zinc_grid_choose(const uint64_t *shape, int ndim, uint64_t element, uint64_t *chunk_shape)
{
	int d, longest;

	for (d = 0; d < ndim; d++)
		chunk_shape[d] = zinc_max_u64(shape[d], 1);
	while (!fits(chunk_shape, ndim, element, CHUNK_MAX)) {
		for (longest = d = 0; d < ndim; d++)
			if (chunk_shape[d] > chunk_shape[longest])
				longest = d;
		if (ndim == 0 || chunk_shape[longest] == 1)
			return; /* a single element is larger than the maximum */
		chunk_shape[longest] = zinc_ceil_div(chunk_shape[longest], 2);
	}
}

/* Double the shortest side that does not cover the array yet, up to 256 MiB. */
void
zinc_grid_choose_shard(const uint64_t *shape, int ndim, uint64_t element, const uint64_t *chunk_shape,
		       uint64_t *shard_shape)
{
	uint64_t whole[ZINC_MAX_NDIM]; /* the least multiple of the chunk that covers the array in 64 bits */
	uint64_t was;
	int d, shortest;

	for (d = 0; d < ndim; d++) {
		shard_shape[d] = chunk_shape[d];
		if (zinc_u64_mul(zinc_ceil_div(zinc_max_u64(shape[d], 1), chunk_shape[d]), chunk_shape[d], &whole[d]))
			whole[d] = UINT64_MAX - UINT64_MAX % chunk_shape[d];
	}
	for (;;) {
		for (shortest = -1, d = 0; d < ndim; d++)
			if (shard_shape[d] < whole[d] && (shortest < 0 || shard_shape[d] < shard_shape[shortest]))
				shortest = d;
		if (shortest < 0)
			return;
		was = shard_shape[shortest];
		shard_shape[shortest] = was > whole[shortest] / 2 ? whole[shortest] : 2 * was;
		if (!fits(shard_shape, ndim, element, SHARD_MAX)) {
			shard_shape[shortest] = was;
			return;
		}
	}
}
