/*
 * face_v3_codecs.c - which chains of codecs are served as they are, and the chain of all others
 *
 * A chain passes if each reader of version 3 has its codecs: transpose, then bytes (little-endian), vlen-utf8 or
 * vlen-bytes, then gzip, zstd, blosc, crc32c; or sharding_indexed alone, with an inner chain of these, and an index of
 * little-endian bytes with crc32c at the end of the shard.
 */
#include <stdlib.h>
#include <string.h>

#include "face_v3.h"

enum stage { STAGE_ARRAY, STAGE_BYTES }; /* before and behind the array -> bytes codec */

struct chain {
	struct text out;
	int ndim, naxes;
	const uint64_t *axes;
	enum stage stage;
	bool sharded, inside;
};

static bool add_chain(struct chain *c, const char *codecs);

static void
begin(struct chain *c, const char *name)
{
	text_add(&c->out, "{\"name\":\"");
	text_add(&c->out, name);
	text_add(&c->out, "\"");
}

/* The same axes, and the trailing ones in their places. */
static bool
add_transpose(struct chain *c, const struct items *configuration)
{
	uint64_t order[ZINC_MAX_NDIM];
	const int n = json_numbers(items_find(configuration, "order"), order, c->ndim);
	int i;

	if (c->stage != STAGE_ARRAY || n != c->ndim)
		return false;
	for (i = 0; i < c->naxes; i++)
		order[n + i] = (uint64_t)(n + i);
	begin(c, "transpose");
	text_add(&c->out, ",\"configuration\":{\"order\":[");
	text_list(&c->out, order, n + c->naxes);
	text_add(&c->out, "]}}");
	return true;
}

static bool
add_bytes(struct chain *c, const struct items *configuration)
{
	const char *endian = items_find(configuration, "endian");

	if (c->stage != STAGE_ARRAY || (endian && strcmp(endian, "\"little\"") != 0))
		return false;
	c->stage = STAGE_BYTES;
	begin(c, "bytes");
	text_add(&c->out, endian ? ",\"configuration\":{\"endian\":\"little\"}}" : "}");
	return true;
}

static bool
add_vlen(struct chain *c, const char *name)
{
	if (c->stage != STAGE_ARRAY || c->naxes)
		return false;
	c->stage = STAGE_BYTES;
	begin(c, name);
	text_add(&c->out, "}");
	return true;
}

static bool
add_zstd(struct chain *c, const struct items *configuration)
{
	const char *level = items_find(configuration, "level"), *checksum = items_find(configuration, "checksum");

	begin(c, "zstd");
	text_add(&c->out, ",\"configuration\":{\"level\":");
	text_add(&c->out, level ? level : "0");
	text_add(&c->out, ",\"checksum\":");
	text_add(&c->out, checksum ? checksum : "false");
	text_add(&c->out, "}}");
	return true;
}

/* gzip, blosc, crc32c: as described. */
static bool
add_same(struct chain *c, const char *name, const char *configuration)
{
	begin(c, name);
	if (configuration) {
		text_add(&c->out, ",\"configuration\":");
		text_add(&c->out, configuration);
	}
	text_add(&c->out, "}");
	return true;
}

/* Little-endian with a checksum: the only index that all readers have. */
static bool
is_plain_index(const struct items *configuration)
{
	const char *location = items_find(configuration, "index_location"),
		   *codecs = items_find(configuration, "index_codecs");

	return (!location || !strcmp(location, "\"end\"")) && codecs &&
	       !strcmp(codecs,
		       "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"crc32c\"}]");
}

static bool
add_shards(struct chain *c, const struct items *configuration)
{
	uint64_t shape[ZINC_MAX_NDIM];
	const int n = json_numbers(items_find(configuration, "chunk_shape"), shape, c->ndim);

	if (c->inside || c->stage != STAGE_ARRAY || n != c->ndim || !is_plain_index(configuration))
		return false;
	c->inside = c->sharded = true;
	begin(c, "sharding_indexed");
	text_add(&c->out, ",\"configuration\":{\"chunk_shape\":[");
	text_list(&c->out, shape, n);
	text_add(&c->out, n && c->naxes ? "," : "");
	text_list(&c->out, c->axes, c->naxes);
	text_add(&c->out, "],\"codecs\":");
	if (!add_chain(c, items_find(configuration, "codecs")))
		return false;
	text_add(&c->out, ",\"index_codecs\":");
	text_add(&c->out, items_find(configuration, "index_codecs"));
	text_add(&c->out, ",\"index_location\":\"end\"}}");
	return true;
}

static bool
add_codec(struct chain *c, const char *name, const char *configuration)
{
	struct items x = {NULL, NULL, 0, false};
	bool ok = !configuration || json_split(configuration, &x);

	if (!ok)
		;
	else if (!strcmp(name, "transpose"))
		ok = add_transpose(c, &x);
	else if (!strcmp(name, "bytes"))
		ok = add_bytes(c, &x);
	else if (!strcmp(name, "vlen-utf8") || !strcmp(name, "vlen-bytes"))
		ok = add_vlen(c, name);
	else if (!strcmp(name, "sharding_indexed"))
		ok = add_shards(c, &x);
	else if (c->stage != STAGE_BYTES)
		ok = false;
	else if (!strcmp(name, "zstd"))
		ok = add_zstd(c, &x);
	else
		ok = (!strcmp(name, "gzip") || !strcmp(name, "blosc") || !strcmp(name, "crc32c")) &&
		     add_same(c, name, configuration);
	items_free(&x);
	return ok;
}

static bool
add_chain(struct chain *c, const char *codecs)
{
	struct items list = {NULL, NULL, 0, false};
	bool ok = codecs && json_split(codecs, &list);
	size_t i;

	text_add(&c->out, "[");
	for (i = 0; ok && i < list.n; i++) {
		char *json = json_member(list.values[i], "name"), *name = json_string(json),
		     *configuration = json_member(list.values[i], "configuration");

		text_add(&c->out, i ? "," : "");
		/* shards stand alone: not every reader has codecs before or behind them */
		ok =
		    name && (list.n == 1 || strcmp(name, "sharding_indexed") != 0) && add_codec(c, name, configuration);
		free(json);
		free(name);
		free(configuration);
	}
	items_free(&list);
	text_add(&c->out, "]");
	return ok && (c->stage == STAGE_BYTES || c->sharded);
}

char *
codecs_pass(const char *codecs, int ndim, const uint64_t *axes, int naxes, bool *sharded)
{
	struct chain c = {TEXT_INIT(FACE_DOCUMENT_BYTES), ndim, naxes, axes, STAGE_ARRAY, false, false};
	const bool ok = add_chain(&c, codecs);

	*sharded = c.sharded;
	if (ok)
		return text_take(&c.out);
	text_free(&c.out);
	return NULL;
}

const char *
codecs_plain(const char *type)
{
	static const char *const small[] = {"\"bool\"", "\"int8\"", "\"uint8\""};
	size_t i;

	if (!strcmp(type, "\"string\""))
		return "[{\"name\":\"vlen-utf8\"},{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]";
	if (!strcmp(type, "\"bytes\"") || !strcmp(type, "\"variable_length_bytes\""))
		return "[{\"name\":\"vlen-bytes\"},{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]";
	for (i = 0; i < sizeof small / sizeof small[0]; i++)
		if (!strcmp(type, small[i]))
			return "[{\"name\":\"bytes\"},{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]";
	return "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"gzip\",\"configuration\":{"
	       "\"level\":1}}]";
}
