/*
 * draft_make.c - metadata -> the document of a draft
 *
 * Promises:
 *
 * (1) What the draft cannot hold is E_INVALID, and the message names it: other grids and key encodings, orders of axes
 *     other than forwards or backwards, codecs and types without a name in the draft, undefined members.
 * (2) Reading the document gives the same array: dimension names are stored in xarray's attribute.
 * (3) Storage options without a name in the draft become the nearest one that has a name: zstd becomes Blosc's zstd,
 *     and a shard index loses its checksum.
 */
#include <stdio.h>

#include "format/draft.h"

static zinc_status
set(zinc_draft_make *b, const char *key, zinc_json *v)
{
	return zinc_json_set(b->doc, b->out, key, v, b->err);
}

zinc_status
zinc_draft_refuse(zinc_draft_make *b, const char *what)
{
	return zinc_fail(b->err, ZINC_E_INVALID, "%s cannot hold %s", b->draft->name, what);
}

/* ---- codecs ---- */

/* {"id": "x", ...} -> {key: URI of x, "configuration": {...}} */
static zinc_status
name_codec(zinc_draft_make *b, zinc_json *v, const char *key, zinc_json **out)
{
	char uri[200];

	snprintf(uri, sizeof uri, b->draft->codec, zinc_json_member(v, "id")->text);
	(void)zinc_json_remove(v, "id");
	*out = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(b->doc, *out, key, zinc_json_make_string(b->doc, uri), b->err));
	return zinc_json_set(b->doc, *out, "configuration", v, b->err);
}

/* Promise (3).  Blosc levels are 1 to 9. */
static zinc_status
zstd_in_blosc(zinc_draft_make *b, const zinc_json *zstd, zinc_json **out)
{
	zinc_json *v = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	int64_t level = 0;

	(void)zinc_json_i64(zinc_json_member(zstd, "level"), &level);
	level = level < 1 ? 1 : level > 9 ? 9 : level;
	ZINC_TRY(zinc_json_set(b->doc, v, "id", zinc_json_make_string(b->doc, "blosc"), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "cname", zinc_json_make_string(b->doc, "zstd"), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "clevel", zinc_json_make_i64(b->doc, level), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "shuffle", zinc_json_make_u64(b->doc, 1), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "blocksize", zinc_json_make_u64(b->doc, 0), b->err));
	*out = v;
	return ZINC_OK;
}

/* A program's codec has its own URI. */
static zinc_status
name_registered(zinc_draft_make *b, const zinc_codec *c, const char *key, zinc_json **out)
{
	zinc_json *configuration;

	ZINC_TRY(zinc_codec_print_old(c, b->doc, &configuration, b->err));
	*out = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(b->doc, *out, key, zinc_json_make_string(b->doc, c->ops->uris[0]), b->err));
	return configuration ? zinc_json_set(b->doc, *out, "configuration", configuration, b->err) : ZINC_OK;
}

zinc_status
zinc_draft_codec_print(zinc_draft_make *b, const zinc_codec *c, const char *key, zinc_json **out)
{
	const char *const *id = b->draft->codec_ids;
	zinc_json *v;

	if (c->ops->uris && zinc_codec_registered(c->ops))
		return name_registered(b, c, key, out);
	ZINC_TRY(zinc_codec_print_v2(c, b->doc, &v, b->err));
	if (v && zinc_json_is_string(zinc_json_member(v, "id"), "zstd"))
		ZINC_TRY(zstd_in_blosc(b, v, &v));
	while (v && *id && !zinc_json_is_string(zinc_json_member(v, "id"), *id))
		id++;
	if (!v || !*id)
		return zinc_fail(b->err, ZINC_E_INVALID, "%s has no codec \"%.60s\"", b->draft->name, c->ops->name);
	return name_codec(b, v, key, out);
}

/* Are the axes in order, or all reversed? */
static zinc_status
read_order(zinc_draft_make *b, const zinc_codec *c)
{
	const int *order = zinc_codec_order(c);
	const int n = b->m->ndim;
	int i;

	for (i = 0; i < n && order[i] == i; i++)
		;
	b->fortran = i < n;
	for (i = 0; i < n && b->fortran; i++)
		if (order[i] != n - 1 - i)
			return zinc_draft_refuse(b, "axes in another order than forwards or backwards");
	return ZINC_OK;
}

/* Take the memory layout and the byte order from the chain. */
static zinc_status
read_chain(zinc_draft_make *b)
{
	const zinc_codec *ab = b->chain->ab;
	zinc_json *v = NULL;
	int i;

	if (b->chain->naa > 0 && b->chain->aa[0]->ops->layout && b->chain->aa[0]->ops->uris)
		b->layout = b->chain->aa[0];
	for (i = 0; i < b->chain->naa; i++) {
		if (!zinc_codec_reorders(b->chain->aa[i]->ops))
			continue;
		if (i > 0)
			return zinc_draft_refuse(b, "a transpose behind another codec");
		ZINC_TRY(read_order(b, b->chain->aa[i]));
	}
	if (strcmp(ab->ops->name, "bytes") != 0)
		return ZINC_OK;
	ZINC_TRY(zinc_codec_print(ab, b->doc, &v, b->err));
	b->big = zinc_json_is_string(zinc_json_member(v, "endian"), "big");
	return ZINC_OK;
}

/* ---- grids and shards ---- */

/* Add a transformer for shards of shape `outer` with chunks of shape `inner`, before those of the shards around it. */
static zinc_status
add_sharding(zinc_draft_make *b, zinc_json **list, const uint64_t *outer, const uint64_t *inner)
{
	zinc_json *v = zinc_json_make(b->doc, ZINC_JSON_OBJECT), *c = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	zinc_json *all = zinc_json_make(b->doc, ZINC_JSON_ARRAY);
	const zinc_json *old;
	uint64_t per[ZINC_MAX_NDIM];
	int i;

	for (i = 0; i < b->m->ndim; i++)
		per[i] = outer[i] / inner[i];
	ZINC_TRY(
	    zinc_json_set(b->doc, c, "chunks_per_shard", zinc_json_make_u64_list(b->doc, per, b->m->ndim), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "extension",
			       zinc_json_make_string(b->doc, zinc_draft_sharding_name(b->draft)), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "type", zinc_json_make_string(b->doc, "indexed"), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "configuration", c, b->err));
	ZINC_TRY(zinc_json_append(all, v, b->err));
	for (old = *list ? (*list)->first : NULL; old; old = old->next)
		ZINC_TRY(zinc_json_append(all, zinc_json_copy(b->doc, old), b->err));
	*list = all;
	return ZINC_OK;
}

/* Go down to the chain of one chunk: each shard becomes a transformer. */
static zinc_status
read_shards(zinc_draft_make *b, zinc_json **transformers, uint64_t *chunk)
{
	memcpy(chunk, b->m->chunk_shape, sizeof b->m->chunk_shape);
	for (b->chain = b->m->chain; b->chain->shard; b->chain = b->chain->shard->inner) {
		if (b->chain->naa > 0 || b->chain->nbb > 0)
			return zinc_draft_refuse(b, "shards that are reordered or compressed as a whole");
		ZINC_TRY(add_sharding(b, transformers, chunk, b->chain->shard->chunk_shape));
		memcpy(chunk, b->chain->shard->chunk_shape, sizeof b->m->chunk_shape);
	}
	return ZINC_OK;
}

/* A program's grid, named by its URI. */
static zinc_status
declare_grid(zinc_draft_make *b, zinc_json **out)
{
	const zinc_grid *g = b->m->grid;
	zinc_json *configuration = zinc_grid_print_configuration(g, b->doc);

	if (!g->ops->uris || b->m->chain->shard)
		return zinc_draft_refuse(b, "a grid of chunks of several sizes");
	if (!configuration)
		return zinc_fail_nomem(b->err);
	return zinc_draft_declare(out, b->doc, g->ops->uris, g->ops->name, configuration, b->err);
}

static zinc_status
make_grid(zinc_draft_make *b, const uint64_t *chunk, zinc_json **out)
{
	if (strcmp(b->m->grid->ops->name, "regular") != 0)
		return declare_grid(b, out);
	*out = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(b->doc, *out, "type", zinc_json_make_string(b->doc, "regular"), b->err));
	return zinc_json_set(b->doc, *out, "chunk_shape", zinc_json_make_u64_list(b->doc, chunk, b->m->ndim), b->err);
}

/* A program's key encoding is an extension of the array. */
static zinc_status
declare_keys(zinc_draft_make *b, zinc_json *extensions)
{
	const zinc_keys *k = &b->m->keys;
	zinc_json *v = zinc_json_make(b->doc, ZINC_JSON_OBJECT),
		  *configuration = zinc_keys_print_configuration(k, b->doc);

	if (!k->ops->uris)
		return zinc_draft_refuse(b, "this chunk key encoding");
	if (!configuration)
		return zinc_fail_nomem(b->err);
	ZINC_TRY(zinc_json_set(b->doc, v, "extension", zinc_json_make_string(b->doc, k->ops->uris[0]), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "must_understand", zinc_json_make(b->doc, ZINC_JSON_TRUE), b->err));
	if (configuration->n > 0)
		ZINC_TRY(zinc_json_set(b->doc, v, "configuration", configuration, b->err));
	return zinc_json_append(extensions, v, b->err);
}

/* Keys "c/0/0" do not exist in 2019.  Keeping the separator keeps the number of directories. */
static zinc_status
set_grid(zinc_draft_make *b, const uint64_t *chunk, zinc_json *extensions)
{
	const char *name = b->m->keys.ops->name;
	const bool registered = strcmp(name, "default") != 0 && strcmp(name, "v2") != 0;
	const char separator[2] = {registered ? b->draft->separator : b->m->keys.separator, '\0'};
	zinc_json *grid;

	ZINC_TRY(make_grid(b, chunk, &grid));
	if (registered)
		ZINC_TRY(declare_keys(b, extensions));
	if (!b->draft->version || separator[0] != b->draft->separator) /* examples of the first draft omit it */
		ZINC_TRY(zinc_json_set(b->doc, grid, "separator", zinc_json_make_string(b->doc, separator), b->err));
	return set(b, "chunk_grid", grid);
}

/* "C", "F", or a program's. */
static zinc_status
set_layout(zinc_draft_make *b)
{
	zinc_json *v = zinc_json_make_string(b->doc, b->fortran ? "F" : "C"), *configuration;

	if (b->layout) {
		ZINC_TRY(zinc_codec_print_old(b->layout, b->doc, &configuration, b->err));
		ZINC_TRY(
		    zinc_draft_declare(&v, b->doc, b->layout->ops->uris, b->layout->ops->name, configuration, b->err));
	}
	return set(b, "chunk_memory_layout", v);
}

/* ---- other members ---- */

const char *
zinc_draft_member_uri(const zinc_draft *d, zinc_node_kind kind, const zinc_json *member)
{
	const bool array = kind == ZINC_NODE_ARRAY;
	const zinc_extension_def *def;
	zinc_uri_match match;

	if ((!array && !d->version) || !zinc_json_is(member, ZINC_JSON_OBJECT)) /* groups: in 2019 only */
		return NULL;
	if (strchr(member->key, ':'))
		return member->key;
	def = zinc_extension_find(member->key, array ? ZINC_EXTENDS_ARRAY : ZINC_EXTENDS_GROUP, &match);
	return def && def->uris ? def->uris[0] : NULL;
}

static const char *
uri_of(const zinc_draft_make *b, const zinc_json *member)
{
	return zinc_draft_member_uri(b->draft, b->m->kind, member);
}

/* Members whose name or value is a URI are extensions. */
static zinc_status
add_extension(zinc_draft_make *b, zinc_json *list, const zinc_json *member)
{
	zinc_json *v = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	const zinc_json *m;

	ZINC_TRY(zinc_json_set(b->doc, v, "extension", zinc_json_make_string(b->doc, uri_of(b, member)), b->err));
	for (m = member->first; m; m = m->next)
		ZINC_TRY(zinc_json_set(b->doc, v, m->key, zinc_json_copy(b->doc, m), b->err));
	return zinc_json_append(list, v, b->err);
}

static zinc_status
take_member(zinc_draft_make *b, zinc_json *extensions, const zinc_json *v)
{
	if (zinc_core_member(v))
		return ZINC_OK;
	if (uri_of(b, v))
		return add_extension(b, extensions, v);
	return zinc_fail(b->err, ZINC_E_INVALID, "%s cannot hold the member \"%.200s\"", b->draft->name, v->key);
}

static zinc_status
take_members(zinc_draft_make *b, zinc_json **extensions)
{
	const zinc_json *v;

	*extensions = zinc_json_make(b->doc, ZINC_JSON_ARRAY);
	for (v = b->v3->first; v; v = v->next)
		ZINC_TRY(take_member(b, *extensions, v));
	return ZINC_OK;
}

static zinc_status
set_dimensions(zinc_draft_make *b)
{
	const zinc_json *names;
	const char *what = zinc_dimension_names_fit(b->v3, b->attributes, &names);

	if (what)
		return zinc_draft_refuse(b, what);
	if (!names)
		return ZINC_OK;
	return zinc_json_set(b->doc, b->attributes, ZINC_DIMENSIONS, zinc_json_copy(b->doc, names), b->err);
}

/* In the order of the examples in the drafts. */
static zinc_status
make_array(zinc_draft_make *b, zinc_json *extensions)
{
	zinc_json *transformers = NULL, *type, *fill;
	uint64_t chunk[ZINC_MAX_NDIM];

	ZINC_TRY(read_shards(b, &transformers, chunk));
	ZINC_TRY(read_chain(b));
	ZINC_TRY(zinc_draft_type_print(&type, b->doc, b->draft, b->m->dtype, b->big, b->err));
	ZINC_TRY(zinc_draft_fallback_choose(type, b->doc, b->draft, b->m->dtype, b->big, b->fallback, b->err));
	ZINC_TRY(zinc_draft_fill_print(&fill, b->doc, b->m->dtype, b->big, b->m->fill, b->err));
	ZINC_TRY(set(b, "shape", zinc_json_copy(b->doc, zinc_json_member(b->v3, "shape"))));
	ZINC_TRY(set(b, "data_type", type));
	ZINC_TRY(set_grid(b, chunk, extensions));
	ZINC_TRY(set_layout(b));
	ZINC_TRY(b->draft->print_codecs(b));
	if (transformers)
		ZINC_TRY(set(b, "storage_transformers", transformers));
	ZINC_TRY(set(b, "fill_value", fill));
	ZINC_TRY(set(b, "extensions", extensions));
	return set_dimensions(b);
}

static zinc_status
make_doc(zinc_draft_make *b, zinc_context *ctx)
{
	const zinc_json *attributes = zinc_json_member(b->v3, "attributes");
	zinc_json *extensions;

	ZINC_TRY(zinc_json_new(&b->doc, ctx, b->err));
	b->out = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	zinc_json_set_root(b->doc, b->out);
	b->attributes = zinc_json_is(attributes, ZINC_JSON_OBJECT) ? zinc_json_copy(b->doc, attributes)
								   : zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(take_members(b, &extensions));
	if (b->draft->version)
		ZINC_TRY(set(b, "zarr_format", zinc_json_make_string(b->doc, b->draft->version)));
	if (b->m->kind == ZINC_NODE_ARRAY)
		ZINC_TRY(make_array(b, extensions));
	else if (b->draft->version)
		ZINC_TRY(set(b, "extensions", extensions));
	return set(b, "attributes", b->attributes);
}

zinc_status
zinc_draft_print(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err)
{
	zinc_draft_make b = {
	    .draft = h->format->draft, .m = m, .v3 = zinc_meta_v3(m), .fallback = h->fallback, .err = err};
	const zinc_status st = make_doc(&b, h->ctx);

	if (st == ZINC_OK)
		*out = b.doc;
	else
		zinc_json_free(b.doc);
	return st;
}
