/*
 * state_chunks.c - write chunk lengths that a document leaves to its reader
 *
 *     "shape": [0, 4], "chunk_shape": [0, 2]       0, or false, in an empty dimension: 1
 *     "dimensions": [6], no "blockSize"            N5: one block
 *
 * The reader takes them from the shape, so they must be written before the shape changes.
 */
#include "format/format.h"

/* A list in the document, and whether it counts from the last dimension. */
typedef struct lengths {
	zinc_json *holder;
	const char *member;
	bool reversed;
} lengths;

static lengths
find_lengths(const zinc_format *f, zinc_json *root)
{
	zinc_json *grid = zinc_json_member(root, "chunk_grid"),
		  *configuration = zinc_json_member(grid, "configuration");

	if (f == &zinc_format_n5)
		return (lengths){root, "blockSize", true};
	if (f == &zinc_format_v2)
		return (lengths){root, "chunks", false};
	return (lengths){configuration ? configuration : grid, "chunk_shape", false};
}

/* Is every length a number of its own? */
static bool
are_stated(const zinc_json *list)
{
	const zinc_json *v;
	uint64_t n;

	for (v = list ? list->first : NULL; v; v = v->next)
		if (zinc_json_is(v, ZINC_JSON_FALSE) || (zinc_json_u64(v, &n) && n == 0))
			return false;
	return list != NULL;
}

zinc_status
zinc_state_chunks(const zinc_meta *stored, zinc_json_doc *doc, zinc_error *err)
{
	const lengths l = find_lengths(stored->format, zinc_json_root(doc));
	uint64_t shape[ZINC_MAX_NDIM];
	int d;

	if (!stored->grid || strcmp(stored->grid->ops->name, "regular") != 0 ||
	    are_stated(zinc_json_member(l.holder, l.member)))
		return ZINC_OK;
	for (d = 0; d < stored->ndim; d++)
		shape[l.reversed ? stored->ndim - 1 - d : d] = stored->chunk_shape[d];
	return zinc_json_set(doc, l.holder, l.member, zinc_json_make_u64_list(doc, shape, stored->ndim), err);
}
