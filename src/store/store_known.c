/*
 * store_known.c - for stores whose tags are hashes: the tags of values that were hashed
 *
 * A reader of parts of a long value (the inner chunks of a shard) asks for its tag each time.
 *
 * Promises (tests/unit/test_store_batch.c names each by its number, from 8 on):
 *
 * (8) A tag is found only under the version of the database for which it was kept.  Versions must differ whenever any
 *     value does; they are compared, never ordered.
 * (9) The table has at most 256 tags and is never an error: without memory a tag is not kept.
 */
#include "store/store_batch.h"

static size_t
place_of(const char *key)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *key; key++)
		h = (h ^ (uint8_t)*key) * 16777619u;
	return (h ^ h >> 16) % ZINC_KNOWN_TAGS;
}

bool
zinc_known_find(const zinc_known *k, uint64_t version, const char *key, zinc_tag *out)
{
	const zinc_known_tag *x = &k->tags[place_of(key)];

	if (!x->key || x->version != version || strcmp(x->key, key) != 0)
		return false;
	*out = x->tag;
	return true;
}

void
zinc_known_keep(zinc_known *k, zinc_context *ctx, uint64_t version, const char *key, const zinc_tag *tag)
{
	zinc_known_tag *x = &k->tags[place_of(key)];

	if (!x->key || strcmp(x->key, key) != 0) {
		zinc_free(ctx, x->key);
		x->key = zinc_strndup(ctx, key, strlen(key));
	}
	x->version = version;
	x->tag = *tag;
}

void
zinc_known_fini(zinc_known *k, zinc_context *ctx)
{
	size_t i;

	for (i = 0; i < ZINC_KNOWN_TAGS; i++)
		zinc_free(ctx, k->tags[i].key);
}
