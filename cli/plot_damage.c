/*
 * plot_damage.c - --skip-damaged: what is left of a box that cannot be read
 *
 * A read fails as a whole when one chunk does not decode.  The box is then halved between chunks until one chunk fails
 * alone:
 *
 *   |. . . .|. x . .|      |. . . .| is read      |. x|. .| -> |x| is damaged, |. .| is read
 *
 * Promises (tests/cli/plot.sh):
 *
 * (1) Only elements of chunks that do not decode become missing; all others are drawn.
 * (2) Every such chunk is counted, and named up to MOST of them.
 */
#include "plot.h"

#define MOST 1000 /* of the list */

static bool
is_damage(zinc_status st)
{
	return st == ZINC_E_CORRUPT || st == ZINC_E_CHECKSUM;
}

/* The chunk of item i along dimension d; 0 for all where chunks are not known. */
static uint64_t
chunk_of(const struct region *box, const uint64_t *extent, int d, uint64_t i)
{
	const uint64_t n = extent[box->axis[d]], at = region_index(box, d, i);
	uint64_t chunk = 0;

	if (n)
		return at / n;
	(void)zinc_array_chunk_find(box->array, box->axis[d], at, &chunk);
	return chunk;
}

/* The extents of chunks, or zeros: they are not known, or have several lengths.  Inner chunks have one. */
static void
find_extents(const zinc_array *a, uint64_t *extent)
{
	uint64_t shards[ZINC_MAX_NDIM];

	memset(extent, 0, ZINC_MAX_NDIM * sizeof *extent);
	if (zinc_array_grid_regular(a) || zinc_array_shard_shape(a, shards))
		(void)zinc_array_chunk_shape(a, extent);
}

/* The first item from the middle on whose chunk is another than the item before; 0: all are in one chunk.  Items of a
 * list may be in any order. */
static uint64_t
middle_of(const struct region *box, const uint64_t *extent, int d)
{
	const uint64_t n = box->shape[d];
	uint64_t i, k;

	for (k = 0; k < n; k++) { /* n/2, n/2 - 1, n/2 + 1 ... */
		i = k % 2 ? n / 2 - (k + 1) / 2 : n / 2 + k / 2;
		if (i > 0 && i < n && chunk_of(box, extent, d, i) != chunk_of(box, extent, d, i - 1))
			return i;
	}
	return 0;
}

/* Where to halve a box: the dimension with the most items that has two chunks; false: it is one chunk. */
static bool
find_cut(const struct region *box, const uint64_t *extent, int *dim, uint64_t *at)
{
	uint64_t longest = 0, i;
	int d;

	for (d = 0; d < box->out_ndim; d++)
		if (box->shape[d] > longest && (i = middle_of(box, extent, d)) > 0) {
			longest = box->shape[d];
			*dim = d;
			*at = i;
		}
	return longest > 0;
}

static void
note(struct plot_damage *damage, const struct region *box, const zinc_error *err)
{
	struct json *j = &damage->list;
	struct text chunk = {NULL, 0, 0};

	if (damage->n++ >= MOST)
		return;
	text_printf(&chunk, "[%s]", strlen(err->chunk) + 1 < sizeof err->chunk ? err->chunk : ""); /* not cut */
	json_begin_object(j);
	json_string(json_key(j, "key"), key_below(zinc_array_hierarchy(box->array), err->key));
	json_raw(json_key(j, "chunk"), text_str(&chunk));
	json_string(json_key(j, "region"), err->region);
	json_string(json_key(j, "message"), err->text);
	json_end_object(j);
	text_free(&chunk);
}

int
plot_damage_read(struct plot_damage *damage, const struct region *box, const uint64_t *first, zinc_error *err,
		 plot_part_fn read, void *arg)
{
	uint64_t extent[ZINC_MAX_NDIM], begin[ZINC_MAX_NDIM], at = 0;
	struct region half[2] = {*box, *box};
	int d = 0, i, status = DONE;

	if (!is_damage(zinc_error_status(err)))
		return -1;
	find_extents(box->array, extent);
	if (!find_cut(box, extent, &d, &at)) {
		note(damage, box, err);
		return read(arg, box, first, true);
	}
	region_narrow(&half[0], d, 0, at);
	region_narrow(&half[1], d, at, box->shape[d] - at);
	memcpy(begin, first, sizeof begin);
	for (i = 0; i < 2 && status == DONE; i++) {
		begin[d] = first[d] + (i ? at : 0);
		status = interrupted() ? CANCELLED : read(arg, &half[i], begin, false);
	}
	return status;
}

int
plot_damage_say(const struct plot_damage *damage, const char *url)
{
	if (!damage->n)
		return DONE;
	return complain(FOUND, url, "%llu chunk%s not decode: %s elements are missing", (unsigned long long)damage->n,
			damage->n == 1 ? " does" : "s do", damage->n == 1 ? "its" : "their");
}
