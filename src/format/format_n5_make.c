/*
 * format_n5_make.c - metadata -> the document of N5 in memory
 *
 * Promises:
 *
 * (1) What N5 cannot hold is E_INVALID, and the message names it: other types, fill values other than zero, scalars,
 *     shards, orders of axes, a second codec or one that is no compression of N5, other grids, undefined members.
 * (2) Reading the document gives the same array: dimension names are stored in xarray's attribute.
 */
#include "format/format_n5.h"

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
	return zinc_fail(b->err, ZINC_E_INVALID, "N5 cannot hold %s", what);
}

static zinc_status
check_members(struct make *b)
{
	const zinc_json *v;

	for (v = b->v3->first; v; v = v->next)
		if (!zinc_core_member(v))
			return zinc_fail(b->err, ZINC_E_INVALID, "N5 cannot hold the member \"%.60s\"", v->key);
	return ZINC_OK;
}

/* ---- arrays ---- */

static zinc_status
set_type(struct make *b)
{
	const char *name = b->m->dtype->name;

	if (zinc_n5_has_type(name))
		return set(b, "dataType", zinc_json_make_string(b->doc, name));
	return zinc_fail(b->err, ZINC_E_INVALID, "N5 has no data type %.60s", name);
}

/* In N5's order of dimensions. */
static zinc_status
set_grid(struct make *b)
{
	uint64_t block[ZINC_MAX_NDIM];
	int d;

	if (strcmp(b->m->grid->ops->name, "regular") != 0)
		return refuse(b, "a grid of chunks of several sizes");
	for (d = 0; d < b->m->ndim; d++)
		block[b->m->ndim - 1 - d] = zinc_grid_widest(b->m->grid, d);
	return set(b, "blockSize", zinc_json_make_u64_list(b->doc, block, b->m->ndim));
}

/* The chain of one block; of another format's array it must be the same, with any byte order. */
static zinc_status
set_compression(struct make *b)
{
	const zinc_chain *c = zinc_codec_n5_chain(b->m->chain->ab);
	const bool inside = c && b->m->chain->naa == 0 && b->m->chain->nbb == 0;
	zinc_json *v;

	c = inside ? c : b->m->chain;
	if (c->shard)
		return refuse(b, "shards");
	if (strcmp(c->ab->ops->name, "bytes") != 0)
		return zinc_fail(b->err, ZINC_E_INVALID, "N5 has no codec \"%.60s\"", c->ab->ops->name);
	if (c->naa > 0)
		return zinc_fail(b->err, ZINC_E_INVALID, "N5 has no codec \"%.60s\"", c->aa[0]->ops->name);
	if (c->nbb > 1)
		return refuse(b, "more than one compressor");
	ZINC_TRY(zinc_n5_codec_print(&v, b->doc, c->nbb > 0 ? c->bb[0] : NULL, b->err));
	if (!v)
		return zinc_fail(b->err, ZINC_E_INVALID, "N5 has no codec \"%.60s\"", c->bb[0]->ops->name);
	return set(b, "compression", v);
}

/* A missing block is zeros, bit for bit. */
static zinc_status
check_fill(struct make *b)
{
	const uint8_t *fill = b->m->fill;
	size_t i;

	for (i = 0; i < b->m->dtype->size; i++)
		if (fill[i] != 0)
			return refuse(b, "a fill value other than 0");
	return ZINC_OK;
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
	if (b->m->ndim == 0)
		return refuse(b, "an array without dimensions");
	ZINC_TRY(set(b, "shape", zinc_json_copy(b->doc, zinc_json_member(b->v3, "shape"))));
	ZINC_TRY(set_grid(b));
	ZINC_TRY(set_type(b));
	ZINC_TRY(check_fill(b));
	ZINC_TRY(set_compression(b));
	return set_dimensions(b);
}

/* ---- the document ---- */

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
	ZINC_TRY(set(b, "n5", zinc_json_make_string(b->doc, ZINC_N5_VERSION)));
	if (b->m->kind == ZINC_NODE_ARRAY)
		ZINC_TRY(make_array(b));
	return set(b, ZINC_ATTRIBUTES, b->attributes);
}

zinc_status
zinc_n5_print(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err)
{
	struct make b = {.v3 = zinc_meta_v3(m), .m = m, .err = err};
	const zinc_status st = make_doc(&b, h->ctx);

	if (st == ZINC_OK)
		*out = b.doc;
	else
		zinc_json_free(b.doc);
	return st;
}
