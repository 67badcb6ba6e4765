/*
 * holds.c - what a version of Zarr can hold, by its row in the table
 */
#include "format/draft.h"
#include "format/format.h"

/* Does the version have a URI for the codec?  Zstandard is a compressor of Blosc there. */
static bool
has_uri(const zinc_format *f, const zinc_codec_ops *ops)
{
	const char *id = ops->v2;
	const char *const *known = f->holds.codecs;

	if (ops->uris && zinc_codec_registered(ops))
		return true;
	if (id && strcmp(id, "zstd") == 0)
		id = "blosc";
	while (id && *known && strcmp(*known, id) != 0)
		known++;
	return id && *known;
}

bool
zinc_holds_codec(const zinc_format *f, const zinc_codec_ops *ops, zinc_codec_place place)
{
	switch (f->holds.places[place]) {
	case ZINC_HOLDS_NO_CODEC:
		return false;
	case ZINC_HOLDS_URI:
		return has_uri(f, ops);
	case ZINC_HOLDS_ID:
		return ops->v2 != NULL;
	default:
		return true;
	}
}

bool
zinc_holds_keys(const zinc_format *f, const zinc_keys_ops *ops)
{
	if (f->holds.extensions == ZINC_HOLDS_EXTENSIONS || !ops || strcmp(ops->name, "default") == 0 ||
	    strcmp(ops->name, "v2") == 0)
		return true;
	return f->holds.extensions == ZINC_HOLDS_URIS && ops->uris;
}

/* Members of the final version's documents. */
static bool
is_own(const zinc_json *member)
{
	static const char *const known[] = {
	    "zarr_format",     "node_type",          "shape",  "data_type",  "chunk_grid",           "fill_value",
	    "dimension_names", "chunk_key_encoding", "codecs", "attributes", "consolidated_metadata"};
	size_t i;

	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i], member->key) == 0)
			return true;
	return strcmp(member->key, "storage_transformers") == 0 && member->n == 0;
}

bool
zinc_holds_member(const zinc_format *f, zinc_node_kind kind, const zinc_json *member)
{
	if (f->holds.extensions == ZINC_HOLDS_EXTENSIONS || is_own(member))
		return true;
	return f->holds.extensions == ZINC_HOLDS_URIS && zinc_draft_member_uri(f->draft, kind, member);
}
