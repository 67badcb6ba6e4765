/*
 * format_v2_make.c - metadata -> the document of version 2
 *
 * Promises:
 *
 * (1) What version 2 cannot hold is E_INVALID, and the message names it: shards, other grids and key encodings, orders
 *     of axes other than forwards or backwards, codecs and types without a name in version 2, NaNs with payload bits,
 *     undefined members.
 * (2) Reading the document gives the same array: dimension names are stored in xarray's attribute.
 */
#include "format/format_v2.h"

struct make {
	const zinc_meta *m;
	const zinc_json *v3; /* root of the document in the final version's vocabulary */
	zinc_json_doc *doc;
	zinc_json *out; /* root */
	zinc_json *attributes;
	zinc_error *err;
};

static zinc_status
set(struct make *b, const char *key, zinc_json *v)
{
	return zinc_json_set(b->doc, b->out, key, v, b->err);
}

static zinc_status
refuse(struct make *b, const char *what)
{
	return zinc_fail(b->err, ZINC_E_INVALID, "version 2 cannot hold %s", what);
}

/* ---- what has no place ---- */

static zinc_status
check_members(struct make *b)
{
	const zinc_json *v;

	for (v = b->v3->first; v; v = v->next)
		if (!zinc_core_member(v))
			return zinc_fail(b->err, ZINC_E_INVALID, "version 2 cannot hold the member \"%.60s\"", v->key);
	return ZINC_OK;
}

/* ---- codecs ---- */

static zinc_status
print_codec(struct make *b, const zinc_codec *c, zinc_json **out)
{
	ZINC_TRY(zinc_codec_print_v2(c, b->doc, out, b->err));
	if (!*out)
		return zinc_fail(b->err, ZINC_E_INVALID, "version 2 has no codec \"%.60s\"", c->ops->name);
	return ZINC_OK;
}

/* Are the axes in order, or all reversed? */
static zinc_status
order_of(struct make *b, const zinc_codec *c, bool *fortran)
{
	const int *order = zinc_codec_order(c);
	const int n = b->m->ndim;
	int i;

	for (i = 0; i < n && order[i] == i; i++)
		;
	*fortran = i < n;
	for (i = 0; i < n && *fortran; i++)
		if (order[i] != n - 1 - i)
			return refuse(b, "axes in another order than forwards or backwards");
	return ZINC_OK;
}

/* array->array codecs: a leading transpose becomes `order`, the others become filters. */
static zinc_status
elements(struct make *b, zinc_json *filters, bool *fortran)
{
	const zinc_chain *c = b->m->chain;
	zinc_json *v;
	int i;

	*fortran = false;
	for (i = 0; i < c->naa; i++) {
		if (zinc_codec_reorders(c->aa[i]->ops) && i > 0)
			return refuse(b, "a transpose behind another codec");
		if (zinc_codec_reorders(c->aa[i]->ops)) {
			ZINC_TRY(order_of(b, c->aa[i], fortran));
			continue;
		}
		ZINC_TRY(print_codec(b, c->aa[i], &v));
		ZINC_TRY(zinc_json_append(filters, v, b->err));
	}
	return ZINC_OK;
}

/* The array->bytes codec: `bytes` becomes part of dtype, any other a filter.  *big: the byte order of `bytes`. */
static zinc_status
bytes(struct make *b, zinc_json *filters, zinc_json **compressor, bool *big)
{
	const zinc_codec *c = b->m->chain->ab;
	zinc_json *v = NULL;

	*big = false;
	if (b->m->chain->shard)
		return refuse(b, "shards");
	if (strcmp(c->ops->name, "bytes") == 0) {
		ZINC_TRY(zinc_codec_print(c, b->doc, &v, b->err));
		*big = zinc_json_is_string(zinc_json_member(v, "endian"), "big");
		return ZINC_OK;
	}
	ZINC_TRY(print_codec(b, c, &v));
	if (c->ops->compresses && b->m->chain->nbb == 0) {
		*compressor = v;
		return ZINC_OK;
	}
	return zinc_json_append(filters, v, b->err);
}

/* bytes->bytes codecs: the last one becomes the compressor, unless the array->bytes codec is one. */
static zinc_status
compression(struct make *b, zinc_json *filters, zinc_json **compressor)
{
	const zinc_chain *c = b->m->chain;
	zinc_json *v;
	int i;

	for (i = 0; i < c->nbb; i++) {
		ZINC_TRY(print_codec(b, c->bb[i], &v));
		if (i + 1 == c->nbb)
			*compressor = v;
		else
			ZINC_TRY(zinc_json_append(filters, v, b->err));
	}
	return ZINC_OK;
}

/* ---- members ---- */

static zinc_status
set_grid(struct make *b)
{
	const zinc_json *grid = zinc_json_member(b->v3, "chunk_grid");

	if (strcmp(b->m->grid->ops->name, "regular") != 0)
		return refuse(b, "a grid of chunks of several sizes");
	return set(b, "chunks",
		   zinc_json_copy(b->doc, zinc_json_member(zinc_json_member(grid, "configuration"), "chunk_shape")));
}

/* The final version's default encoding does not exist here.  Such arrays get version 2's, with the same separator,
 * which keeps the number of directories. */
static zinc_status
set_separator(struct make *b)
{
	const char *name = b->m->keys.ops->name;
	const char separator[2] = {b->m->keys.separator, '\0'};

	if (strcmp(name, "default") != 0 && strcmp(name, "v2") != 0)
		return refuse(b, "this chunk key encoding");
	return set(b, "dimension_separator", zinc_json_make_string(b->doc, separator));
}

static zinc_status
set_dimensions(struct make *b)
{
	const zinc_json *names;
	const char *what = zinc_dimension_names_fit(b->v3, b->attributes, &names);

	if (what)
		return refuse(b, what);
	if (!names)
		return ZINC_OK;
	return zinc_json_set(b->doc, b->attributes, ZINC_DIMENSIONS, zinc_json_copy(b->doc, names), b->err);
}

static zinc_status
make_array(struct make *b)
{
	zinc_json *filters = zinc_json_make(b->doc, ZINC_JSON_ARRAY), *compressor, *type, *fill;
	bool fortran, big;

	ZINC_TRY(set(b, "shape", zinc_json_copy(b->doc, zinc_json_member(b->v3, "shape"))));
	ZINC_TRY(set_grid(b));
	ZINC_TRY(elements(b, filters, &fortran));
	compressor = zinc_json_make(b->doc, ZINC_JSON_NULL);
	ZINC_TRY(bytes(b, filters, &compressor, &big));
	ZINC_TRY(compression(b, filters, &compressor));
	ZINC_TRY(zinc_v2_type_print(&type, b->doc, b->m->dtype, big, b->err));
	ZINC_TRY(zinc_v2_fill_print(&fill, b->doc, b->m->dtype, big, b->m->fill, b->err));
	ZINC_TRY(set(b, "dtype", type));
	ZINC_TRY(set(b, "compressor", compressor));
	ZINC_TRY(set(b, "fill_value", fill));
	ZINC_TRY(set(b, "order", zinc_json_make_string(b->doc, fortran ? "F" : "C")));
	ZINC_TRY(set(b, "filters", filters && filters->n > 0 ? filters : zinc_json_make(b->doc, ZINC_JSON_NULL)));
	ZINC_TRY(set_separator(b));
	return set_dimensions(b);
}

static zinc_status
make_doc(struct make *b, zinc_context *ctx)
{
	const zinc_json *attributes = zinc_json_member(b->v3, "attributes");

	ZINC_TRY(check_members(b));
	ZINC_TRY(zinc_json_new(&b->doc, ctx, b->err));
	b->out = zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	zinc_json_set_root(b->doc, b->out);
	b->attributes = zinc_json_is(attributes, ZINC_JSON_OBJECT) ? zinc_json_copy(b->doc, attributes)
								   : zinc_json_make(b->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(set(b, "zarr_format", zinc_json_make_u64(b->doc, 2)));
	if (b->m->kind == ZINC_NODE_ARRAY)
		ZINC_TRY(make_array(b));
	return set(b, ZINC_V2_MEMBER, b->attributes);
}

zinc_status
zinc_v2_print(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err)
{
	struct make b = {.v3 = zinc_meta_v3(m), .m = m, .err = err};
	const zinc_status st = make_doc(&b, h->ctx);

	if (st == ZINC_OK)
		*out = b.doc;
	else
		zinc_json_free(b.doc);
	return st;
}
