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

static bool
has_name(const zinc_format *f, const zinc_codec_ops *ops)
{
	const char *const *known = f->holds.codecs;

	while (*known && strcmp(*known, ops->name) != 0)
		known++;
	return *known;
}

bool
zinc_holds_codec(const zinc_format *f, const zinc_codec_ops *ops, zinc_codec_place place)
{
	switch (f->holds.places[place]) {
	case ZINC_HOLDS_NO_CODEC:
		return false;
	case ZINC_HOLDS_URI:
		return has_uri(f, ops);
	case ZINC_HOLDS_NAME:
		return has_name(f, ops);
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

bool
zinc_core_member(const zinc_json *member)
{
	if (strcmp(member->key, "storage_transformers") == 0)
		return member->n == 0;
	return zinc_v3_is_member(ZINC_NODE_ARRAY, member->key) || zinc_v3_is_member(ZINC_NODE_GROUP, member->key);
}

bool
zinc_holds_member(const zinc_format *f, zinc_node_kind kind, const zinc_json *member)
{
	if (f->holds.extensions == ZINC_HOLDS_EXTENSIONS || zinc_core_member(member))
		return true;
	return f->holds.extensions == ZINC_HOLDS_URIS && zinc_draft_member_uri(f->draft, kind, member);
}
