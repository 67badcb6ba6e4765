/*
 * describe.c - a node in the vocabulary of the final version 3, as `zinc info --json` prints it
 *
 * The members and their order are part of the command's contract.  Promises:
 *
 * (1) Data type, codecs and fill value use the final version's names, whatever the document says.  What this build does
 *     not know is shown as in the document, and `unsupported` says why.
 * (2) Keys are relative to the root of the hierarchy.
 */
#include "format/format.h"

struct describe {
	const zinc_hierarchy *h;
	const char *path;
	const zinc_meta *m;
	zinc_json_doc *doc;
	zinc_json *root;
};

/* ---- pieces; NULL means no memory, which the last zinc_json_set tells ---- */

static zinc_json *
json_null(struct describe *d)
{
	return zinc_json_make(d->doc, ZINC_JSON_NULL);
}

/* A member as in the document, or null. */
static zinc_json *
stored(struct describe *d, const char *member)
{
	const zinc_json *v = zinc_json_member(zinc_meta_v3(d->m), member);

	return v ? zinc_json_copy(d->doc, v) : json_null(d);
}

/* A shape of the array's rank as a list; 64-bit numbers stay exact. */
static zinc_json *
shape_list(struct describe *d, const uint64_t *shape)
{
	zinc_json *list = zinc_json_make(d->doc, ZINC_JSON_ARRAY);
	int i;

	for (i = 0; i < d->m->ndim; i++)
		if (zinc_json_append(list, zinc_json_make_u64(d->doc, shape[i]), NULL) != ZINC_OK)
			return NULL;
	return list;
}

/* Null when the document has none: the specification allows all names to be left out. */
static zinc_json *
dimension_names(struct describe *d)
{
	zinc_json *list;
	int i;

	if (!d->m->dimension_names)
		return json_null(d);
	list = zinc_json_make(d->doc, ZINC_JSON_ARRAY);
	for (i = 0; i < d->m->ndim; i++) {
		const char *name = d->m->dimension_names[i];

		if (zinc_json_append(list, name ? zinc_json_make_string(d->doc, name) : json_null(d), NULL) != ZINC_OK)
			return NULL;
	}
	return list;
}

/* The innermost chain, inside all shards and blocks of N5: the one that encodes the elements. */
static const zinc_chain *
innermost(const zinc_chain *c)
{
	while (c && (c->shard || zinc_codec_n5_chain(c->ab)))
		c = c->shard ? c->shard->inner : zinc_codec_n5_chain(c->ab);
	return c;
}

/* The `endian` of the array->bytes codec, for types that have one. */
static zinc_json *
byte_order(struct describe *d)
{
	const zinc_chain *c = innermost(d->m->chain);
	zinc_json *configuration = NULL, *endian;

	if (!c || c->ab_rep.dtype->unit <= 1)
		return json_null(d);
	if (zinc_codec_print(c->ab, d->doc, &configuration, NULL) != ZINC_OK)
		return NULL;
	endian = zinc_json_member(configuration, "endian");
	return endian ? zinc_json_copy(d->doc, endian) : json_null(d);
}

/* "C" or "F" when the elements of a chunk are in that order; null for other orders. */
static zinc_json *
order(struct describe *d)
{
	const int n = d->m->ndim;
	bool c_order = true, f_order = n > 1;
	int axis[ZINC_MAX_NDIM], next[ZINC_MAX_NDIM], i;
	const zinc_chain *c;

	for (i = 0; i < n; i++)
		axis[i] = i;
	for (c = d->m->chain; c; c = c->shard ? c->shard->inner : NULL) {
		if (!c->reorders_only && (!c->reshapes_only || c->shard))
			return json_null(d);
		for (i = 0; i < n; i++)
			next[i] = axis[c->axis[i]];
		memcpy(axis, next, sizeof axis);
	}
	for (i = 0; i < n; i++) {
		c_order = c_order && axis[i] == i;
		f_order = f_order && axis[i] == n - 1 - i;
	}
	if (!d->m->chain || (!c_order && !f_order))
		return json_null(d);
	return zinc_json_make_string(d->doc, c_order ? "C" : "F");
}

/* The shape of the inner chunk of a shard, in the order of the array's axes. */
static zinc_json *
chunk_shape(struct describe *d)
{
	const zinc_chain *c = d->m->chain;
	uint64_t shape[ZINC_MAX_NDIM];

	if (!d->m->grid)
		return json_null(d);
	if (!c || !c->shard)
		return shape_list(d, d->m->chunk_shape);
	return zinc_chain_inner_shape(c, shape) ? shape_list(d, shape) : json_null(d); /* null: reshaped before */
}

/* A stored object is a shard, so the shard shape is the grid's chunk shape. */
static zinc_json *
shard_shape(struct describe *d)
{
	return d->m->chain && d->m->chain->shard ? shape_list(d, d->m->chunk_shape) : json_null(d);
}

/* Printed from the chain, not copied from the document: aliases and short forms are written in full. */
static zinc_json *
codecs(struct describe *d)
{
	zinc_json *v;

	if (!d->m->chain)
		return stored(d, "codecs");
	return zinc_chain_print(d->m->chain, d->doc, &v, NULL) == ZINC_OK ? v : NULL;
}

/* Printed from the element: each value has one spelling, also -0.0 and NaNs with a payload. */
static zinc_json *
fill_value(struct describe *d)
{
	const zinc_dtype *t = d->m->dtype;

	return d->m->fill ? t->ops->print_fill(t, d->m->fill, d->doc) : stored(d, "fill_value");
}

/* Printed from the type, so that {"name": "float64"} becomes the plain string, as it should be (M15). */
static zinc_json *
data_type(struct describe *d)
{
	return d->m->dtype ? zinc_dtype_print(d->m->dtype, d->doc) : stored(d, "data_type");
}

/* An absent member is an empty object (v3 core, "attributes"). */
static zinc_json *
attributes(struct describe *d)
{
	return d->m && d->m->attributes ? zinc_json_copy(d->doc, d->m->attributes)
					: zinc_json_make(d->doc, ZINC_JSON_OBJECT);
}

/* Of a regular grid, also of N5, only the name: its parameters are the shapes above. */
static zinc_json *
chunk_grid(struct describe *d)
{
	zinc_json *v;

	if (!d->m->grid)
		return stored(d, "chunk_grid");
	if (strcmp(d->m->grid->ops->name, "regular") != 0)
		return zinc_grid_print(d->m->grid, d->doc);
	v = zinc_json_make(d->doc, ZINC_JSON_OBJECT);
	if (zinc_json_set(d->doc, v, "name", zinc_json_make_string(d->doc, d->m->grid->ops->name), NULL) != ZINC_OK)
		return NULL;
	return v;
}

/* A key without the root's prefix. */
static zinc_json *
key(struct describe *d, zinc_buf *b, zinc_status st)
{
	const char *text = st == ZINC_OK ? zinc_buf_text(b) : NULL;
	zinc_json *v = text ? zinc_json_make_string(d->doc, text + strlen(d->h->prefix)) : NULL;

	zinc_buf_fini(b);
	return v;
}

/* The key of the document; an implicit group has none. */
static zinc_json *
metadata_key(struct describe *d)
{
	zinc_buf b;

	if (!d->m)
		return json_null(d);
	zinc_buf_init(&b, d->h->ctx, ZINC_MAX_KEY);
	return key(d, &b, zinc_node_key(d->h, d->path, d->m->kind, &b, NULL));
}

/* The key of the object at the origin shows both the encoding and the separator. */
static zinc_json *
chunk_key_example(struct describe *d)
{
	static const uint64_t origin[ZINC_MAX_NDIM];
	zinc_buf b;

	if (!d->m->keys.ops)
		return json_null(d);
	zinc_buf_init(&b, d->h->ctx, ZINC_MAX_KEY);
	return key(d, &b, zinc_chunk_key(d->h, d->path, d->m, origin, &b, NULL));
}

static zinc_json *
path(struct describe *d)
{
	return zinc_json_make_string(d->doc, d->path);
}

static zinc_json *
node_type(struct describe *d)
{
	return zinc_json_make_string(d->doc, d->m && d->m->kind == ZINC_NODE_ARRAY ? "array" : "group");
}

static zinc_json *
format(struct describe *d)
{
	return zinc_json_make_string(d->doc, d->h->format->id);
}

static zinc_json *
array_shape(struct describe *d)
{
	return shape_list(d, d->m->shape);
}

/* Only a group can exist without a document, and then it has no metadata. */
static zinc_json *
implicit(struct describe *d)
{
	return zinc_json_make(d->doc, d->m ? ZINC_JSON_FALSE : ZINC_JSON_TRUE);
}

/* ---- the contract ---- */

struct row {
	const char *name;
	zinc_json *(*make)(struct describe *d);
};

static const struct row array_rows[] = {
    {"path", path},
    {"node_type", node_type},
    {"format", format},
    {"shape", array_shape},
    {"dimension_names", dimension_names},
    {"data_type", data_type},
    {"byte_order", byte_order},
    {"chunk_shape", chunk_shape},
    {"shard_shape", shard_shape},
    {"order", order},
    {"codecs", codecs},
    {"fill_value", fill_value},
    {"attributes", attributes},
    {"chunk_grid", chunk_grid},
    {"chunk_key_example", chunk_key_example},
    {"metadata_key", metadata_key},
    {NULL, NULL},
};

static const struct row group_rows[] = {
    {"path", path},
    {"node_type", node_type},
    {"format", format},
    {"attributes", attributes},
    {"metadata_key", metadata_key},
    {"implicit", implicit},
    {NULL, NULL},
};

/* NULL from a row means that memory is out. zinc_json_set reports that, so no row needs an error of its own. */
static zinc_status
fill_rows(struct describe *d, const struct row *rows, zinc_error *err)
{
	for (; rows->name; rows++)
		ZINC_TRY(zinc_json_set(d->doc, d->root, rows->name, rows->make(d), err));
	if (d->m && d->m->no_fill) /* `fill_value` is what is read then, but masks nothing */
		ZINC_TRY(
		    zinc_json_set(d->doc, d->root, "fill_value_null", zinc_json_make(d->doc, ZINC_JSON_TRUE), err));
	if (d->m && d->m->unsupported)
		return zinc_json_set(d->doc, d->root, "unsupported", zinc_json_make_string(d->doc, d->m->unsupported),
				     err);
	return ZINC_OK;
}

zinc_status
zinc_meta_describe(const zinc_hierarchy *h, const char *node, const zinc_meta *m, zinc_buf *out, zinc_error *err)
{
	struct describe d = {.h = h, .path = node, .m = m};
	zinc_status st;

	ZINC_TRY(zinc_json_new(&d.doc, h->ctx, err));
	d.root = zinc_json_make(d.doc, ZINC_JSON_OBJECT);
	st = fill_rows(&d, m && m->kind == ZINC_NODE_ARRAY ? array_rows : group_rows, err);
	if (st == ZINC_OK)
		st = zinc_json_print_line(d.root, out, err);
	zinc_json_free(d.doc);
	return st;
}
