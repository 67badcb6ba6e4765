/*
 * document_build.c - build the document of a new node from a caller's options
 *
 * Documents are built in the vocabulary of the final version 3; the other formats translate them.
 *
 * (1) Members are in the order of the specification, and every choice made here is recorded: the fill value (M23), the
 *     chunk shape, the byte order, each codec as an object (M24).
 * (2) The result has passed the strict parser.  A mistake of the caller is E_INVALID.
 */
#include "format/format.h"

ZINC_OPTIONS_KIND(zinc_array_options, ZINC_OPTION_COUNT(zinc_array_options, ndim),
		  ZINC_OPTION_YES_NO(zinc_array_options, auto_shards),
		  ZINC_OPTION_RANGE(zinc_array_options, overwrite, 0, ZINC_FORCE),
		  ZINC_OPTION_YES_NO(zinc_array_options, big_endian), ZINC_OPTION_YES_NO(zinc_array_options, fortran));

/* A document under construction. */
struct build {
	zinc_context *ctx;
	zinc_json_doc *doc;
	zinc_json *root;
	zinc_array_options o;
	const zinc_dtype *dtype;
	bool big;
	uint64_t chunks[ZINC_MAX_NDIM]; /* inner chunks of a sharded array */
	uint64_t grid[ZINC_MAX_NDIM];   /* stored objects */
	zinc_grid *edges;               /* of several lengths; NULL: none */
	bool sharded;
	void *fill;
};

/* ---- small pieces ---- */

/* zinc_json_set appends, so members are set in the order of the specification. */
static zinc_status
set(struct build *b, const char *key, zinc_json *v, zinc_error *err)
{
	return zinc_json_set(b->doc, b->root, key, v, err);
}

/* Parse a caller's JSON text.  Text that is not JSON is E_INVALID. */
static zinc_status
parse_json(zinc_json **out, struct build *b, const char *what, const char *text, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_error e;
	zinc_status st = zinc_json_parse(&doc, b->ctx, text, strlen(text), 0, &e);

	if (st == ZINC_E_CORRUPT)
		return zinc_fail(err, ZINC_E_INVALID, "%s: %s", what, e.text);
	if (st != ZINC_OK) {
		zinc_error_copy(err, &e);
		return st;
	}
	*out = zinc_json_copy(b->doc, zinc_json_root(doc));
	zinc_json_free(doc);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

/* The two members at the start of every document (M3, M4). */
static zinc_status
begin(struct build *b, const char *node_type, zinc_error *err)
{
	ZINC_TRY(zinc_json_new(&b->doc, b->ctx, err));
	b->root = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	zinc_json_set_root(b->doc, b->root);
	ZINC_TRY(set(b, "zarr_format", zinc_json_make_u64(b->doc, 3), err));
	return set(b, "node_type", zinc_json_make_string(b->doc, node_type), err);
}

/* Written even when empty, so that people who edit the document see where attributes go. */
static zinc_status
set_attributes(struct build *b, const char *text, zinc_error *err)
{
	zinc_json *v = zinc_json_make(b->doc, ZINC_JSON_OBJECT);

	if (text)
		ZINC_TRY(parse_json(&v, b, "attributes", text, err));
	return set(b, "attributes", v, err);
}

/* ---- shapes ---- */

static zinc_status
check_edges(const zinc_array_options *o, zinc_error *err)
{
	const bool shards = o->shards || o->auto_shards;

	if (o->chunk_edges && (o->chunks || shards || o->shard_edges))
		return zinc_fail(err, ZINC_E_INVALID, "edges of chunks exclude other chunks, and shards");
	if (o->shard_edges && (!o->chunks || shards))
		return zinc_fail(err, ZINC_E_INVALID, "edges of shards need a chunk shape, and exclude other shards");
	return ZINC_OK;
}

/* Checks that need no document yet.  The strict parser finds the rest. */
static zinc_status
check_shape(const struct build *b, zinc_error *err)
{
	const zinc_array_options *o = &b->o;

	if (o->ndim < 0 || o->ndim > ZINC_MAX_NDIM || (uint32_t)o->ndim > b->ctx->limits.rank)
		return zinc_fail(err, ZINC_E_INVALID, "an array cannot have %d dimensions", o->ndim);
	if (o->ndim > 0 && !o->shape)
		return zinc_fail(err, ZINC_E_INVALID, "an array of %d dimensions needs a shape", o->ndim);
	if (!o->dtype)
		return zinc_fail(err, ZINC_E_INVALID, "an array needs a data type");
	ZINC_TRY(check_edges(o, err));
	if (o->shards && o->auto_shards)
		return zinc_fail(err, ZINC_E_INVALID,
				 "a shard shape and the automatic choice of shards exclude each other");
	return ZINC_OK;
}

/* Chunks, or shards, of several lengths. */
static zinc_status
take_edges(struct build *b, zinc_error *err)
{
	const zinc_array_options *o = &b->o;
	int d;

	if (!o->chunk_edges && !o->shard_edges)
		return ZINC_OK;
	ZINC_TRY(zinc_grid_rectilinear(&b->edges, b->ctx, o->ndim, o->shape,
				       o->chunk_edges ? o->chunk_edges : o->shard_edges, err));
	for (d = 0; o->chunk_edges && d < o->ndim; d++)
		b->chunks[d] = zinc_grid_widest(b->edges, d);
	return ZINC_OK;
}

/* A given shard shape; b->chunks is known. */
static zinc_status
take_shards(struct build *b, zinc_error *err)
{
	int d;

	for (d = 0; d < b->o.ndim; d++) {
		b->grid[d] = b->o.shards[d];
		if (b->grid[d] == 0 || b->grid[d] % b->chunks[d] != 0)
			return zinc_fail_rule(
			    err, ZINC_E_INVALID, "M86",
			    "the shard length %llu of dimension %d is not a multiple of the chunk length %llu",
			    (unsigned long long)b->grid[d], d, (unsigned long long)b->chunks[d]);
	}
	return ZINC_OK;
}

/* Chunk and shard shapes, as given or chosen. */
static zinc_status
choose_grid(struct build *b, zinc_error *err)
{
	const zinc_array_options *o = &b->o;
	int d;

	ZINC_TRY(take_edges(b, err));
	if (!o->chunks && !o->chunk_edges)
		zinc_grid_choose(o->shape, o->ndim, b->dtype->size, b->chunks);
	for (d = 0; o->chunks && d < o->ndim; d++) {
		b->chunks[d] = o->chunks[d];
		if (b->chunks[d] == 0)
			return zinc_fail_rule(err, ZINC_E_INVALID, "M40", "the chunk length of dimension %d is 0", d);
	}
	b->sharded = o->shards || o->auto_shards || o->shard_edges;
	memcpy(b->grid, b->chunks, sizeof b->grid);
	if (o->auto_shards)
		zinc_grid_choose_shard(o->shape, o->ndim, b->dtype->size, b->chunks, b->grid);
	return o->shards ? take_shards(b, err) : ZINC_OK;
}

/* A stored object is a shard where the array has shards, so the grid uses the shard shape. */
static zinc_status
set_grid(struct build *b, zinc_error *err)
{
	zinc_grid *grid;
	zinc_json *v;

	if (b->edges)
		return set(b, "chunk_grid", zinc_grid_print(b->edges, b->doc), err);
	ZINC_TRY(zinc_grid_regular(&grid, b->ctx, b->o.ndim, b->grid, err));
	v = zinc_grid_print(grid, b->doc);
	zinc_grid_free(grid);
	return set(b, "chunk_grid", v, err);
}

/* The separator is always recorded, although "default" alone would be enough: older readers need the configuration. */
static zinc_status
set_keys(struct build *b, zinc_error *err)
{
	zinc_keys keys;
	zinc_json *v;

	ZINC_TRY(zinc_keys_parse_text(&keys, b->ctx, b->o.key_encoding ? b->o.key_encoding : "default", err));
	v = zinc_keys_print(&keys, b->doc);
	zinc_keys_fini(&keys);
	return set(b, "chunk_key_encoding", v, err);
}

/* ---- elements ---- */

/* The fill value as the caller spelled it, but of types that C does not have as most readers know it.  Text that is not
 * JSON (NaN, 0x7fc00000) is taken as a string.  The codecs need its value. */
static zinc_status
set_fill(struct build *b, zinc_error *err)
{
	const zinc_dtype *t = b->dtype;
	zinc_json *v = NULL;
	zinc_report r;
	zinc_error e;
	zinc_status st;

	if (!b->o.fill) {
		b->fill = zinc_dtype_fill_room(t, b->ctx, NULL);
		if (!b->fill)
			return zinc_fail_nomem(err);
		zinc_dtype_zero(t, b->fill);
		return set(b, "fill_value", t->ops->print_fill(t, b->fill, b->doc), err);
	}
	st = parse_json(&v, b, "fill", b->o.fill, &e);
	if (st == ZINC_E_INVALID)
		v = zinc_json_make_string(b->doc, b->o.fill);
	else if (st != ZINC_OK)
		return zinc_error_copy(err, &e), st;
	ZINC_TRY(set(b, "fill_value", v, err));
	b->fill = zinc_dtype_fill_room(t, b->ctx, v);
	if (!b->fill)
		return zinc_fail_nomem(err);
	zinc_report_init(&r, b->ctx, true, "");
	r.code = ZINC_E_INVALID;
	(void)zinc_report_enter(&r, "fill_value");
	ZINC_TRY(t->ops->parse_fill(t, v, b->fill, &r, err));
	return t->type > ZINC_RAW ? set(b, "fill_value", t->ops->print_fill(t, b->fill, b->doc), err) : ZINC_OK;
}

/* With shards, the given or chosen chain encodes the inner chunks, and the index gets bytes and crc32c. */
static zinc_status
set_codecs(struct build *b, zinc_error *err)
{
	zinc_rep rep = {.dtype = b->dtype, .ndim = b->o.ndim, .fill = b->fill};
	zinc_json *codecs;

	memcpy(rep.shape, b->chunks, sizeof rep.shape);
	ZINC_TRY(zinc_chain_parse_text(&codecs, b->doc, b->o.codecs ? b->o.codecs : zinc_format_v3.codecs, &rep, b->big,
				       b->o.fortran != 0, err));
	if (b->sharded)
		ZINC_TRY(zinc_chain_make_sharded(&codecs, b->doc, codecs, b->chunks, b->o.ndim, err));
	return set(b, "codecs", codecs, err);
}

/* Left out when the caller gives no names.  Single dimensions may have no name. */
static zinc_status
set_dimension_names(struct build *b, zinc_error *err)
{
	zinc_json *list;
	int d;

	if (!b->o.dimension_names)
		return ZINC_OK;
	list = zinc_json_make(b->doc, ZINC_JSON_ARRAY);
	for (d = 0; d < b->o.ndim; d++) {
		const char *name = b->o.dimension_names[d];

		ZINC_TRY(zinc_json_append(
		    list, name ? zinc_json_make_string(b->doc, name) : zinc_json_make(b->doc, ZINC_JSON_NULL), err));
	}
	return set(b, "dimension_names", list, err);
}

/* ---- whole documents ---- */

/* Each step records its choice in the document.  Later steps use the choices of earlier ones. */
static zinc_status
build_members(struct build *b, zinc_error *err)
{
	ZINC_TRY(check_shape(b, err));
	ZINC_TRY(zinc_dtype_parse_text(&b->dtype, &b->big, b->ctx, b->o.dtype, err));
	b->big = b->big || b->o.big_endian;
	ZINC_TRY(choose_grid(b, err));
	ZINC_TRY(begin(b, "array", err));
	ZINC_TRY(set(b, "shape", zinc_json_make_u64_list(b->doc, b->o.shape, b->o.ndim), err));
	ZINC_TRY(set(b, "data_type", zinc_dtype_print_orders(b->dtype, b->doc), err));
	ZINC_TRY(set_grid(b, err));
	ZINC_TRY(set_keys(b, err));
	ZINC_TRY(set_fill(b, err));
	ZINC_TRY(set_codecs(b, err));
	ZINC_TRY(set_attributes(b, b->o.attributes, err));
	return set_dimension_names(b, err);
}

/* Does the caller also describe the array by options? */
static bool
has_options(const zinc_array_options *o)
{
	const bool grid = o->chunks || o->shards || o->auto_shards || o->chunk_edges || o->shard_edges;

	return grid || o->ndim || o->shape || o->dtype || o->codecs || o->fill || o->dimension_names || o->attributes ||
	       o->key_encoding || o->big_endian || o->fortran;
}

/* A whole document instead of options. */
static zinc_status
take_document(struct build *b, zinc_error *err)
{
	const zinc_array_options *o = &b->o;

	if (has_options(o))
		return zinc_fail(err, ZINC_E_INVALID, "a whole document excludes other options");
	ZINC_TRY(zinc_json_new(&b->doc, b->ctx, err));
	ZINC_TRY(parse_json(&b->root, b, "document", o->document, err));
	zinc_json_set_root(b->doc, b->root);
	return ZINC_OK;
}

/* Promise (2). */
static zinc_status
check(zinc_json_doc *doc, zinc_context *ctx, zinc_node_kind kind, zinc_error *err)
{
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_buf text;
	zinc_status st;

	zinc_report_init(&r, ctx, true, "");
	r.code = ZINC_E_INVALID;
	zinc_buf_init(&text, ctx, zinc_max_text(ctx));
	st = zinc_json_print_line(zinc_json_root(doc), &text, err);
	if (st == ZINC_OK)
		st = zinc_text_parse(&zinc_format_v3, ctx, (const char *)text.p, text.n, &r, &m, err);
	zinc_buf_fini(&text);
	if (st == ZINC_OK && m->kind != kind)
		st = zinc_fail(err, ZINC_E_INVALID, "the document is not that of an array");
	else if (st == ZINC_OK && m->unsupported)
		st = zinc_meta_refuse(m, err);
	zinc_meta_free(m);
	return st;
}

/* Free everything but the document, on success and on failure. */
static zinc_status
finish(struct build *b, zinc_node_kind kind, zinc_status st, zinc_json_doc **out, zinc_error *err)
{
	if (st == ZINC_OK)
		st = check(b->doc, b->ctx, kind, err);
	if (st == ZINC_OK)
		*out = b->doc;
	else
		zinc_json_free(b->doc);
	zinc_free(b->ctx, b->fill);
	zinc_grid_free(b->edges);
	zinc_dtype_free(b->dtype);
	return st;
}

zinc_status
zinc_document_build(zinc_json_doc **out, zinc_context *ctx, const zinc_array_options *o, zinc_error *err)
{
	struct build b = {.ctx = ctx};

	ZINC_TRY(zinc_options_take_as(&zinc_array_options_kind, &b.o, o, err));
	return finish(&b, ZINC_NODE_ARRAY, b.o.document ? take_document(&b, err) : build_members(&b, err), out, err);
}

zinc_status
zinc_document_build_group(zinc_json_doc **out, zinc_context *ctx, const char *attributes, zinc_error *err)
{
	struct build b = {.ctx = ctx};
	zinc_status st = begin(&b, "group", err);

	if (st == ZINC_OK)
		st = set_attributes(&b, attributes, err);
	return finish(&b, ZINC_NODE_GROUP, st, out, err);
}
