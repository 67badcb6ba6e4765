/*
 * copy_layout.c - other chunks, shards, codecs, types and selections, as changes of a document
 *
 * Documents here are in the final version's vocabulary, every codec as an object.  A sharded array has two shapes and
 * two chains:
 *
 *   chunk_grid      the shard                     codecs  transpose ... sharding_indexed ...
 *   chunk_shape of sharding_indexed: the chunk                                 codecs of the inner chunks
 *
 * If the options change the chunk, the shard or the chain, all of it is built again: one chain for the inner chunks, in
 * a shard or not.  Codecs around the old shard are moved into that chain, so that nothing is lost.
 *
 * Chunks of several lengths stay as long as neither they nor their shards change; a selection keeps them along each
 * dimension that it takes from the start.
 */
#include "tool/copy.h"

struct layout {
	zinc_cp *c;
	zinc_cp_node *n;
	zinc_json_doc *doc;
	zinc_json *root;
	const zinc_dtype *dtype;
	int ndim; /* after the selection */
	uint64_t shape[ZINC_MAX_NDIM], chunks[ZINC_MAX_NDIM], shards[ZINC_MAX_NDIM];
	bool sharded;
	zinc_json *edges; /* the chunk_shapes of a rectilinear grid; NULL: not one */
	zinc_json *inner; /* the chain of the inner chunks */
	bool anew;        /* grid and chain must be written */
	bool regrid;      /* the grid changes */
	zinc_error *err;
};

/* ---- small pieces ---- */

bool
zinc_cp_options_change(const zinc_cp *c, const zinc_cp_node *n)
{
	const zinc_cp_wish *w = &n->wish;

	return n->kind == ZINC_NODE_ARRAY &&
	       (w->codecs || w->dtype || n->select || c->o.key_encoding || w->auto_chunks || w->auto_shards ||
		w->chunks || w->shards || w->chunk_edges || w->shard_edges);
}

static zinc_status
set(struct layout *l, const char *key, zinc_json *v)
{
	return zinc_json_set(l->doc, l->root, key, v, l->err);
}

static zinc_json *
regular_grid(zinc_json_doc *doc, const uint64_t *shape, int ndim)
{
	zinc_grid g;

	zinc_grid_regular_init(&g, ndim, shape);
	return zinc_grid_print(&g, doc);
}

static bool
is_named(const zinc_json *codec, const char *name)
{
	return zinc_json_is_string(zinc_json_member(codec, "name"), name);
}

static zinc_json *
find_codec(const zinc_json *codecs, const char *name)
{
	zinc_json *v;

	for (v = codecs ? codecs->first : NULL; v && !is_named(v, name); v = v->next)
		;
	return v;
}

static const zinc_codec_ops *
ops_of(const zinc_json *codec)
{
	const zinc_json *name = zinc_json_member(codec, "name");

	return zinc_json_is(name, ZINC_JSON_STRING) ? zinc_codec_find(name->text) : NULL;
}

/* ---- chains ---- */

/* The chain of the inner chunks: the codecs before the shard, its own codecs, the codecs after it. */
static zinc_json *
inner_chain(zinc_json_doc *doc, const zinc_json *codecs)
{
	zinc_json *out = zinc_json_make(doc, ZINC_JSON_ARRAY);
	const zinc_json *v, *w;

	for (v = codecs ? codecs->first : NULL; v && out; v = v->next) {
		if (!is_named(v, "sharding_indexed")) {
			if (zinc_json_append(out, zinc_json_copy(doc, v), NULL) != ZINC_OK)
				return NULL;
			continue;
		}
		w = zinc_json_member(zinc_json_member(v, "configuration"), "codecs");
		for (w = w ? w->first : NULL; w; w = w->next)
			if (zinc_json_append(out, zinc_json_copy(doc, w), NULL) != ZINC_OK)
				return NULL;
	}
	return out;
}

static int
numbers_of(const zinc_json *list, uint64_t *out)
{
	const zinc_json *v;
	int n = 0;

	for (v = list ? list->first : NULL; v && n < ZINC_MAX_NDIM; v = v->next)
		if (!zinc_json_u64(v, &out[n++]))
			return -1;
	return n;
}

/* axis[i]: the axis of the array that is axis i of the shard, after the transposes before it.  false: a codec there
 * changes the shape, or may do so. */
static bool
axes_before(const zinc_json *codecs, const zinc_json *shard, int ndim, uint64_t *axis)
{
	uint64_t order[ZINC_MAX_NDIM], old[ZINC_MAX_NDIM];
	const zinc_json *v;
	int i;

	for (i = 0; i < ndim; i++)
		axis[i] = (uint64_t)i;
	for (v = codecs->first; v && v != shard; v = v->next) {
		const zinc_codec_ops *ops = ops_of(v);

		if (!ops || zinc_codec_reshapes(ops))
			return false;
		if (!is_named(v, "transpose"))
			continue;
		if (numbers_of(zinc_json_member(zinc_json_member(v, "configuration"), "order"), order) != ndim)
			return false;
		memcpy(old, axis, sizeof old);
		for (i = 0; i < ndim; i++) {
			if (order[i] >= (uint64_t)ndim)
				return false;
			axis[i] = old[order[i]];
		}
	}
	return true;
}

/* The chunks in a shard, with the axes of the array; false: they are not boxes of it. */
static bool
inner_shape(const zinc_json *codecs, uint64_t *shape, int *ndim)
{
	const zinc_json *shard = find_codec(codecs, "sharding_indexed");
	uint64_t own[ZINC_MAX_NDIM], axis[ZINC_MAX_NDIM];
	int i;

	*ndim = numbers_of(zinc_json_member(zinc_json_member(shard, "configuration"), "chunk_shape"), own);
	if (*ndim < 0 || !axes_before(codecs, shard, *ndim, axis))
		return false;
	for (i = 0; i < *ndim; i++)
		shape[axis[i]] = own[i];
	return true;
}

bool
zinc_cp_drop_shards(zinc_json_doc *doc)
{
	zinc_json *root = zinc_json_root(doc), *codecs = zinc_json_member(root, "codecs");
	uint64_t shape[ZINC_MAX_NDIM];
	int ndim;

	if (!find_codec(codecs, "sharding_indexed"))
		return false;
	if (inner_shape(codecs, shape, &ndim) &&
	    zinc_json_set(doc, root, "chunk_grid", regular_grid(doc, shape, ndim), NULL) != ZINC_OK)
		return false;
	return zinc_json_set(doc, root, "codecs", inner_chain(doc, codecs), NULL) == ZINC_OK;
}

/* A chain that ends with a compressor and crc32c, without the latter; NULL: it does not. */
static zinc_json *
without_crc32c(zinc_json_doc *doc, const zinc_json *codecs)
{
	const zinc_json *name, *v, *before = NULL, *last = NULL;
	zinc_json *out = zinc_json_make(doc, ZINC_JSON_ARRAY);
	const zinc_codec_ops *ops;

	for (v = codecs ? codecs->first : NULL; v; v = v->next) {
		before = last;
		last = v;
	}
	name = before ? zinc_json_member(before, "name") : NULL;
	ops = zinc_json_is(name, ZINC_JSON_STRING) ? zinc_codec_find(name->text) : NULL;
	if (!is_named(last, "crc32c") || !ops || ops->kind != ZINC_BYTES_BYTES)
		return NULL;
	for (v = codecs->first; v != last && out; v = v->next)
		if (zinc_json_append(out, zinc_json_copy(doc, v), NULL) != ZINC_OK)
			return NULL;
	return out;
}

bool
zinc_cp_drop_crc32c(zinc_json_doc *doc)
{
	zinc_json *holder = zinc_json_root(doc), *codecs = zinc_json_member(holder, "codecs");
	zinc_json *shard = find_codec(codecs, "sharding_indexed");

	if (shard) {
		holder = zinc_json_member(shard, "configuration");
		codecs = zinc_json_member(holder, "codecs");
	}
	codecs = without_crc32c(doc, codecs);
	return codecs && zinc_json_set(doc, holder, "codecs", codecs, NULL) == ZINC_OK;
}

/* Remove codecs that reorder axes. */
static void
drop_transposes(zinc_json_doc *doc, zinc_json **codecs)
{
	zinc_json *out = zinc_json_make(doc, ZINC_JSON_ARRAY), *v;

	for (v = *codecs ? (*codecs)->first : NULL; v && out; v = v->next)
		if (!is_named(v, "transpose") && zinc_json_append(out, zinc_json_copy(doc, v), NULL) != ZINC_OK)
			out = NULL;
	*codecs = out;
}

/* ---- what is there ---- */

static zinc_status
take_layout(struct layout *l)
{
	const zinc_meta *m = l->n->source;

	l->ndim = m->ndim;
	memcpy(l->shape, m->shape, sizeof l->shape);
	l->sharded = zinc_array_shard_shape(l->n->in, l->shards) != 0;
	if (!zinc_array_chunk_shape(l->n->in, l->chunks))
		return zinc_fail(l->err, ZINC_E_UNSUPPORTED, "unknown chunk grid");
	if (l->sharded)
		(void)zinc_chain_inner_shape(m->chain, l->chunks); /* also behind codecs that compute */
	l->edges = zinc_json_member(zinc_json_member(zinc_json_member(l->root, "chunk_grid"), "configuration"),
				    "chunk_shapes");
	l->inner = inner_chain(l->doc, zinc_json_member(l->root, "codecs"));
	return l->inner ? ZINC_OK : zinc_fail_nomem(l->err);
}

/* ---- chunks of several lengths ---- */

static zinc_json *
rectilinear_grid(struct layout *l)
{
	zinc_json *v = zinc_json_make(l->doc, ZINC_JSON_OBJECT), *c = zinc_json_make(l->doc, ZINC_JSON_OBJECT);

	if (zinc_json_set(l->doc, c, "kind", zinc_json_make_string(l->doc, "inline"), NULL) != ZINC_OK ||
	    zinc_json_set(l->doc, c, "chunk_shapes", zinc_json_copy(l->doc, l->edges), NULL) != ZINC_OK ||
	    zinc_json_set(l->doc, v, "name", zinc_json_make_string(l->doc, "rectilinear"), NULL) != ZINC_OK ||
	    zinc_json_set(l->doc, v, "configuration", c, NULL) != ZINC_OK)
		return NULL;
	return v;
}

/* Parse a caller's edges; *widest is set to the largest ones. */
static zinc_status
take_edges(struct layout *l, const char *text, uint64_t *widest)
{
	zinc_grid *g;
	int d;

	ZINC_TRY(zinc_grid_rectilinear(&g, l->c->ctx, l->ndim, l->shape, text, l->err));
	for (d = 0; d < l->ndim; d++)
		widest[d] = zinc_grid_widest(g, d);
	l->edges = zinc_json_member(zinc_grid_print_configuration(g, l->doc), "chunk_shapes");
	l->anew = l->regrid = true;
	zinc_grid_free(g);
	return l->edges ? ZINC_OK : zinc_fail_nomem(l->err);
}

/* Are chunks given, in any form? */
static bool
asks_chunks(const zinc_cp_wish *w)
{
	return w->chunks || w->chunk_edges || w->auto_chunks;
}

/* Are shards given, in any form? */
static bool
asks_shards(const zinc_cp_wish *w)
{
	return w->shards || w->shard_edges || w->auto_shards;
}

/* The edges of the remaining dimensions.  Those of a dimension that is not taken from its start become one length. */
static zinc_status
select_edges(struct layout *l)
{
	const zinc_select_dim *dims = l->n->select->dims;
	const uint64_t *widest = l->sharded ? l->shards : l->chunks;
	const bool asked = asks_chunks(&l->n->wish) || asks_shards(&l->n->wish);
	zinc_json *out = zinc_json_make(l->doc, ZINC_JSON_ARRAY);
	const zinc_json *v;
	int d = 0, lists = 0;

	for (v = l->edges->first; v && d < l->n->source->ndim; v = v->next, d++) {
		const bool keep =
		    !zinc_json_is(v, ZINC_JSON_ARRAY) || (!dims[d].list && dims[d].start == 0 && dims[d].step <= 1);

		if (dims[d].drop)
			continue;
		lists += keep && zinc_json_is(v, ZINC_JSON_ARRAY);
		if (!keep && !asked)
			ZINC_TRY(zinc_cp_note(l->c, ZINC_COPY_REPLACED, l->n->from, l->err,
					      "chunks of several lengths along dimension %d become chunks of %llu", d,
					      (unsigned long long)widest[d]));
		ZINC_TRY(zinc_json_append(out, keep ? zinc_json_copy(l->doc, v) : zinc_json_make_u64(l->doc, widest[d]),
					  l->err));
	}
	l->edges = lists > 0 ? out : NULL;
	l->regrid = true;
	return out ? ZINC_OK : zinc_fail_nomem(l->err);
}

/* ---- selections ---- */

/* Keep the names of the remaining dimensions. */
static zinc_status
select_names(struct layout *l)
{
	const zinc_json *names = zinc_json_member(l->root, "dimension_names"), *v;
	zinc_json *out = zinc_json_make(l->doc, ZINC_JSON_ARRAY);
	int d = 0;

	if (!zinc_json_is(names, ZINC_JSON_ARRAY))
		return ZINC_OK;
	for (v = names->first; v && d < l->n->source->ndim; v = v->next, d++)
		if (!l->n->select->dims[d].drop)
			ZINC_TRY(zinc_json_append(out, zinc_json_copy(l->doc, v), l->err));
	return set(l, "dimension_names", out);
}

/* Has a grid for the new shape whole inner chunks of the chain in each of its chunks? */
static zinc_status
grid_fits(struct layout *l, const zinc_json *grid, const zinc_chain *chain, bool *fit)
{
	uint64_t unit[ZINC_MAX_NDIM];
	zinc_report quiet;
	zinc_grid *g;
	zinc_status st;
	int d;

	*fit = true;
	if (!grid)
		return zinc_fail_nomem(l->err);
	if (!zinc_chain_inner_shape(chain, unit))
		return ZINC_OK;
	zinc_report_init_quiet(&quiet, l->c->ctx, false);
	st = zinc_grid_parse(&g, l->c->ctx, grid, l->ndim, l->shape, &quiet, NULL);
	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(l->err) : ZINC_OK;
	for (d = 0; d < l->ndim; d++)
		*fit = *fit && zinc_grid_divides(g, d, unit[d]) && zinc_grid_widest(g, d) % unit[d] == 0;
	zinc_grid_free(g);
	return ZINC_OK;
}

/* Where chunks end with the array, the new end may be within an inner chunk, which cannot be cut. */
static zinc_status
select_bounded(struct layout *l)
{
	const zinc_cp_wish *w = &l->n->wish;
	const zinc_json *grid = zinc_json_member(l->root, "chunk_grid");
	bool fit = is_named(grid, "regular");

	if (!fit && !l->regrid)
		ZINC_TRY(grid_fits(l, grid, l->n->source->chain, &fit));
	if (fit)
		return ZINC_OK;
	l->regrid = true;
	return asks_chunks(w) || asks_shards(w)
		   ? ZINC_OK
		   : zinc_cp_note(l->c, ZINC_COPY_REPLACED, l->n->from, l->err, "chunk grid %.60s becomes regular",
				  l->n->source->grid->ops->name);
}

/* An integer drops its dimension; chunks and shards keep their extents along the others. */
static zinc_status
select_shape(struct layout *l)
{
	const bool listed = l->edges != NULL;
	const zinc_select_dim *dims;
	int d, k = 0;

	dims = l->n->select->dims;
	if (l->edges)
		ZINC_TRY(select_edges(l));
	for (d = 0; d < l->n->source->ndim; d++) {
		if (dims[d].drop)
			continue;
		l->shape[k] = dims[d].list ? dims[d].nlist : dims[d].count;
		l->chunks[k] = l->chunks[d];
		l->shards[k] = l->shards[d];
		k++;
	}
	if (k < l->ndim) {
		l->anew = l->regrid = true;
		drop_transposes(l->doc, &l->inner);
	}
	l->ndim = k;
	ZINC_TRY(set(l, "shape", zinc_json_make_u64_list(l->doc, l->shape, k)));
	if (!listed)
		ZINC_TRY(select_bounded(l));
	return select_names(l);
}

/* ---- types ---- */

/* The configuration of a codec; it is made if missing. */
static zinc_json *
configuration(struct layout *l, zinc_json *codec)
{
	zinc_json *v = zinc_json_member(codec, "configuration");

	if (v)
		return v;
	v = zinc_json_make(l->doc, ZINC_JSON_OBJECT);
	return zinc_json_set(l->doc, codec, "configuration", v, NULL) == ZINC_OK ? v : NULL;
}

/* Does a chain, or one in its shards, have codecs whose results depend on the type: that compute with elements, or drop
 * bits of them? */
static bool
depends_on_type(const zinc_chain *c)
{
	int k;

	for (k = 0; k < c->naa; k++)
		if (!zinc_codec_reorders(c->aa[k]->ops) && !zinc_codec_reshapes(c->aa[k]->ops))
			return true;
	if (c->ab->ops->pack && c->ab->ops->pack->loses && c->ab->ops->pack->loses(c->ab))
		return true;
	return c->shard && depends_on_type(c->shard->inner);
}

/* One codec of such a chain in the chain of another type: the same, none, or `bytes`. */
static zinc_status
drop_value(struct layout *l, const zinc_json *codec, bool loses, zinc_json *out)
{
	const zinc_codec_ops *ops = ops_of(codec);
	const bool computes =
	    ops && ops->kind == ZINC_ARRAY_ARRAY && !zinc_codec_reorders(ops) && !zinc_codec_reshapes(ops);
	const bool drops = loses && ops && ops->kind == ZINC_ARRAY_BYTES;
	zinc_json *bytes = zinc_json_make(l->doc, ZINC_JSON_OBJECT);

	if (!computes && !drops)
		return zinc_json_append(out, zinc_json_copy(l->doc, codec), l->err);
	if (!l->n->wish.codecs)
		ZINC_TRY(
		    zinc_cp_note(l->c, ZINC_COPY_REPLACED, l->n->from, l->err,
				 drops ? "codec %.60s becomes bytes, because it drops bits of elements of another type"
				       : "codec %.60s is left out, because it computes with elements of another type",
				 ops->name));
	if (!drops)
		return ZINC_OK;
	ZINC_TRY(zinc_json_set(l->doc, bytes, "name", zinc_json_make_string(l->doc, "bytes"), l->err));
	return zinc_json_append(out, bytes, l->err);
}

/* In another type codecs that compute with elements, or drop bits, would have other results.  Shards in shards are
 * dissolved then. */
static zinc_status
drop_values(struct layout *l)
{
	const zinc_chain *c = l->n->source->chain;
	zinc_json *out = zinc_json_make(l->doc, ZINC_JSON_ARRAY);
	const zinc_json *v;
	bool same, loses;

	ZINC_TRY(zinc_dtype_same(l->dtype, l->n->source->dtype, l->c->ctx, &same, l->err));
	if (same || !c || !depends_on_type(c))
		return ZINC_OK;
	while (c->shard)
		c = c->shard->inner;
	loses = c->ab->ops->pack && c->ab->ops->pack->loses && c->ab->ops->pack->loses(c->ab);
	while (l->inner && find_codec(l->inner, "sharding_indexed"))
		l->inner = inner_chain(l->doc, l->inner);
	if (!l->inner || !out)
		return zinc_fail_nomem(l->err);
	for (v = l->inner->first; v; v = v->next)
		ZINC_TRY(drop_value(l, v, loses, out));
	l->inner = out;
	l->anew = true;
	return ZINC_OK;
}

/* Update what codecs store about the type: byte order and size. */
static zinc_status
retype_chain(struct layout *l, zinc_json *codecs, bool big)
{
	zinc_json *bytes = find_codec(codecs, "bytes"), *blosc = find_codec(codecs, "blosc");
	zinc_json *block = find_codec(codecs, "n5_default"), *shard = find_codec(codecs, "sharding_indexed");

	if (block || shard)
		return retype_chain(
		    l, zinc_json_member(zinc_json_member(block ? block : shard, "configuration"), "codecs"),
		    big || block);
	if (bytes && l->dtype->unit > 1 &&
	    (big || !zinc_json_member(zinc_json_member(bytes, "configuration"), "endian")))
		ZINC_TRY(zinc_json_set(l->doc, configuration(l, bytes), "endian",
				       zinc_json_make_string(l->doc, big ? "big" : "little"), l->err));
	if (blosc && zinc_json_member(zinc_json_member(blosc, "configuration"), "typesize"))
		ZINC_TRY(zinc_json_set(l->doc, configuration(l, blosc), "typesize",
				       zinc_json_make_u64(l->doc, l->dtype->size), l->err));
	return ZINC_OK;
}

zinc_status
zinc_cp_cast_fill(const zinc_cp *c, const zinc_meta *from, const zinc_dtype *to, void *out, zinc_arena *arena,
		  zinc_error *err)
{
	if (!zinc_dtype_converts(to->type, from->dtype->type))
		return zinc_dtype_cast(to, out, from->dtype, from->fill, 1, c->o.convert, arena, err);
	if (zinc_dtype_convert(to->type, from->dtype->type, out, from->fill, 1, c->o.convert) != 1)
		return zinc_fail(err, ZINC_E_INVALID, "the fill value cannot be converted to %s", to->name);
	return ZINC_OK;
}

/* Would the fill value convert if it were rounded? */
static bool
rounding_helps(const struct layout *l, void *room)
{
	const zinc_meta *m = l->n->source;

	return zinc_dtype_converts(l->dtype->type, m->dtype->type) &&
	       zinc_dtype_convert(l->dtype->type, m->dtype->type, room, m->fill, 1,
				  l->c->o.convert | ZINC_CONVERT_ROUND) == 1;
}

/* Convert the fill value to the new type; one that does not fit is lost content. */
static zinc_status
retype_fill(struct layout *l)
{
	void *element = zinc_dtype_fill_room(l->dtype, l->c->ctx, NULL);
	zinc_arena *arena = NULL;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	if (!element)
		return zinc_fail_nomem(l->err);
	st = zinc_arena_new(&arena, l->c->ctx, 0, l->err);
	if (st == ZINC_OK && zinc_cp_cast_fill(l->c, l->n->source, l->dtype, element, arena, &e) != ZINC_OK) {
		st = e.code == ZINC_E_NOMEM ? zinc_fail_nomem(l->err)
					    : zinc_cp_note(l->c, ZINC_COPY_LOST, l->n->from, l->err,
							   "the fill value cannot be converted to %s%s", l->dtype->name,
							   zinc_convert_remedy(rounding_helps(l, element)));
		zinc_dtype_zero(l->dtype, element);
	}
	if (st == ZINC_OK)
		st = set(l, "fill_value", l->dtype->ops->print_fill(l->dtype, element, l->doc));
	zinc_arena_free(arena);
	zinc_free(l->c->ctx, element);
	return st;
}

/* Number types convert to each other, and so do types of one sort; others do not. */
static zinc_status
check_types(const zinc_dtype *to, const zinc_dtype *from, zinc_error *err)
{
	const bool numbers = to->type != ZINC_NATIVE && from->type != ZINC_NATIVE;

	if (numbers && !zinc_dtype_converts(to->type, from->type))
		return zinc_fail(err, ZINC_E_INVALID, "elements of %s cannot be converted to %s", from->name, to->name);
	return ZINC_OK;
}

/* A chain for elements of fixed size does not work for variable length. */
static zinc_status
retype(struct layout *l)
{
	const zinc_dtype *was = l->n->source->dtype;
	zinc_json *codecs = zinc_json_member(l->root, "codecs");
	zinc_rep rep = {.ndim = l->ndim};
	bool big = false;

	ZINC_TRY(zinc_dtype_parse_text(&l->dtype, &big, l->c->ctx, l->n->wish.dtype, l->err));
	ZINC_TRY(check_types(l->dtype, was, l->err));
	ZINC_TRY(set(l, "data_type", zinc_dtype_print_orders(l->dtype, l->doc)));
	ZINC_TRY(retype_fill(l));
	ZINC_TRY(drop_values(l));
	ZINC_TRY(retype_chain(l, l->inner, big));
	ZINC_TRY(retype_chain(l, codecs, big));
	if (was->variable == l->dtype->variable && (!was->variable || was->kind == l->dtype->kind))
		return ZINC_OK;
	l->anew = true;
	rep.dtype = l->dtype;
	memcpy(rep.shape, l->chunks, sizeof rep.shape);
	return zinc_chain_parse_text(&l->inner, l->doc, l->c->to->format->codecs, &rep, big, false, l->err);
}

/* ---- chunks, shards, codecs ---- */

static uint64_t
round_up(uint64_t n, uint64_t unit)
{
	uint64_t out;

	return zinc_u64_mul(zinc_ceil_div(n, unit), unit, &out) ? n : out;
}

/* Chunks change, and shards, which are kept if possible, are not asked for. */
static zinc_status
note_shards(struct layout *l, const char *what)
{
	return l->sharded && !asks_shards(&l->n->wish)
		   ? zinc_cp_note(l->c, ZINC_COPY_REPLACED, l->n->from, l->err, "%s", what)
		   : ZINC_OK;
}

static zinc_status
choose_chunks(struct layout *l)
{
	const zinc_cp_wish *w = &l->n->wish;
	const uint32_t element = l->dtype ? l->dtype->size : l->n->source->dtype->size;
	int d;

	if (w->chunk_edges) {
		ZINC_TRY(note_shards(l, "shards become plain chunks of several lengths"));
		l->sharded = false;
		return take_edges(l, w->chunk_edges, l->chunks);
	}
	if (w->chunks)
		memcpy(l->chunks, w->chunks, (size_t)l->ndim * sizeof *l->chunks);
	else if (w->auto_chunks)
		zinc_grid_choose(l->shape, l->ndim, element, l->chunks);
	else
		return ZINC_OK;
	if (l->edges)
		ZINC_TRY(note_shards(l, "shards of several lengths become shards of one"));
	l->edges = NULL;
	l->anew = l->regrid = true;
	for (d = 0; d < l->ndim; d++)
		if (l->chunks[d] == 0)
			return zinc_fail(l->err, ZINC_E_INVALID, "the chunk length of dimension %d is 0", d);
	return ZINC_OK;
}

/* Chunks of several lengths cannot be in shards.  Asking for shards alone makes chunks of the largest length. */
static zinc_status
note_inner(struct layout *l)
{
	return l->edges && !l->sharded && !asks_chunks(&l->n->wish)
		   ? zinc_cp_note(l->c, ZINC_COPY_REPLACED, l->n->from, l->err,
				  "chunks of several lengths become chunks of one, in shards")
		   : ZINC_OK;
}

/* Requested shards must already be multiples. */
static zinc_status
take_shards(struct layout *l, const uint64_t *shards)
{
	int d;

	for (d = 0; d < l->ndim; d++) {
		l->shards[d] = shards[d];
		if (shards[d] == 0 || shards[d] % l->chunks[d] != 0)
			return zinc_fail(
			    l->err, ZINC_E_INVALID,
			    "the shard length %llu of dimension %d is not a multiple of the chunk length %llu",
			    (unsigned long long)shards[d], d, (unsigned long long)l->chunks[d]);
	}
	return ZINC_OK;
}

/* Shards that are kept grow to whole chunks. */
static zinc_status
choose_shards(struct layout *l)
{
	const zinc_cp_wish *w = &l->n->wish;
	const uint32_t element = l->dtype ? l->dtype->size : l->n->source->dtype->size;
	int d;

	if (w->chunk_edges && asks_shards(w))
		return zinc_fail(l->err, ZINC_E_INVALID, "the chunks in shards have one shape, not several lengths");
	for (d = 0; d < l->ndim && l->sharded; d++)
		l->shards[d] = round_up(l->shards[d], l->chunks[d]);
	if (!asks_shards(w))
		return ZINC_OK;
	ZINC_TRY(note_inner(l));
	l->sharded = true;
	if (w->shard_edges)
		return take_edges(l, w->shard_edges, l->shards);
	l->anew = l->regrid = true;
	l->edges = NULL;
	if (w->auto_shards)
		zinc_grid_choose_shard(l->shape, l->ndim, element, l->chunks, l->shards);
	return w->shards ? take_shards(l, w->shards) : ZINC_OK;
}

/* Do the codecs of a chunk, among them shards in it, fit the new chunks? */
static zinc_status
inner_fits(struct layout *l, bool *fit)
{
	zinc_rep rep = {.dtype = l->dtype ? l->dtype : l->n->source->dtype, .ndim = l->ndim};
	zinc_report quiet;
	zinc_chain *c;
	zinc_status st;

	memcpy(rep.shape, l->chunks, sizeof rep.shape);
	zinc_report_init_quiet(&quiet, l->c->ctx, false);
	st = zinc_chain_parse(&c, l->c->ctx, l->inner, &rep, &quiet, NULL);
	*fit = st == ZINC_OK;
	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(l->err) : ZINC_OK;
	if (l->edges && !l->sharded)
		st = grid_fits(l, rectilinear_grid(l), c, fit);
	zinc_chain_free(c);
	return st;
}

/* Dissolve shards in shards whose chunks do not divide the new ones, or have another number of dimensions. */
static zinc_status
fit_inner(struct layout *l)
{
	bool fit = false, dissolved = false;

	while (find_codec(l->inner, "sharding_indexed")) {
		ZINC_TRY(inner_fits(l, &fit));
		if (fit)
			break;
		l->inner = inner_chain(l->doc, l->inner);
		if (l->inner && l->ndim < l->n->source->ndim)
			drop_transposes(l->doc, &l->inner);
		if (!l->inner)
			return zinc_fail_nomem(l->err);
		dissolved = true;
	}
	return dissolved && l->sharded
		   ? zinc_cp_note(l->c, ZINC_COPY_REPLACED, l->n->from, l->err,
				  "shards in shards are left out, because they do not fit the new chunks")
		   : ZINC_OK;
}

/* The requested chain, with the previous byte order of the elements. */
static zinc_status
choose_codecs(struct layout *l)
{
	const zinc_json *bytes = find_codec(l->inner, "bytes");
	const bool big =
	    zinc_json_is_string(zinc_json_member(zinc_json_member(bytes, "configuration"), "endian"), "big");
	zinc_rep rep = {.dtype = l->dtype ? l->dtype : l->n->source->dtype, .ndim = l->ndim};

	if (!l->n->wish.codecs)
		return l->anew ? fit_inner(l) : ZINC_OK;
	l->anew = true;
	memcpy(rep.shape, l->chunks, sizeof rep.shape);
	return zinc_chain_parse_text(&l->inner, l->doc, l->n->wish.codecs, &rep, big, false, l->err);
}

static zinc_status
choose_keys(struct layout *l)
{
	zinc_keys keys;
	zinc_json *v;

	if (!l->c->o.key_encoding)
		return ZINC_OK;
	ZINC_TRY(zinc_keys_parse_text(&keys, l->c->ctx, l->c->o.key_encoding, l->err));
	v = zinc_keys_print(&keys, l->doc);
	zinc_keys_fini(&keys);
	return set(l, "chunk_key_encoding", v);
}

static zinc_status
write_layout(struct layout *l)
{
	zinc_json *codecs = l->inner;

	if (l->sharded && l->anew)
		ZINC_TRY(zinc_chain_make_sharded(&codecs, l->doc, l->inner, l->chunks, l->ndim, l->err));
	if (l->regrid)
		ZINC_TRY(set(l, "chunk_grid",
			     l->edges ? rectilinear_grid(l)
				      : regular_grid(l->doc, l->sharded ? l->shards : l->chunks, l->ndim)));
	return l->anew ? set(l, "codecs", codecs) : ZINC_OK;
}

static zinc_status
apply(struct layout *l)
{
	ZINC_TRY(take_layout(l));
	if (l->n->select)
		ZINC_TRY(select_shape(l));
	if (l->n->wish.dtype)
		ZINC_TRY(retype(l));
	ZINC_TRY(choose_chunks(l));
	ZINC_TRY(choose_shards(l));
	ZINC_TRY(choose_codecs(l));
	ZINC_TRY(choose_keys(l));
	return write_layout(l);
}

zinc_status
zinc_cp_apply(zinc_cp *c, zinc_cp_node *n, zinc_json_doc *doc, zinc_error *err)
{
	struct layout l = {.c = c, .n = n, .doc = doc, .root = zinc_json_root(doc), .err = err};
	zinc_status st = apply(&l);

	zinc_dtype_free(l.dtype);
	return st;
}
