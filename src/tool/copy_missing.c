/*
 * copy_missing.c - keep what xarray masks as missing, which versions 2 and 3 store differently
 *
 * "Version 2" stands for all formats in which fill_value masks, "version 3" for those in which the attribute does
 * (zinc_masks).  xarray opens arrays whose dimensions have names; no others are changed, except for (6).  Promises:
 *
 * (1) To version 3: what masked an array still masks it.  A fill_value that is not null is also written as the
 *     attribute _FillValue, unless that exists; a plain one of floats is encoded.  If the attribute has another value,
 *     it masks from now on, and a notice says so.
 * (2) To version 2: an attribute _FillValue equal to fill_value is removed, because there fill_value masks; so copying
 *     there and back restores the original.  An encoded attribute becomes plain.
 * (3) If fill_value would mask something else than before, it becomes null when it is zero and every object of the
 *     source is stored: the meaning of null is undefined for objects that are not.  Otherwise a notice says so and
 *     names the remedy (zinc_copy_options.for_xarray): then fill_value becomes what masks, or null if nothing does.  No
 *     value changes: if fill_value does, elements are written again, also those that were not stored.  Without the
 *     remedy, the attribute is null if nothing masked; readers ignore that, and it preserves the meaning on the way
 *     back.
 * (4) An attribute _FillValue is converted to the new type of the elements, because its spelling depends on the type.
 * (5) A scalar of version 2 gets an empty list of names, without which xarray does not open it.
 * (6) From version 2 to 2, null stays null.
 */
#include "tool/copy.h"

#define ATTRIBUTE "_FillValue"

struct missing {
	zinc_cp_translation *t;
	zinc_json_doc *doc;
	zinc_json *root;
	const zinc_dtype *dtype;
	void *fill;  /* one element */
	void *value; /* room for another element */
};

/* Promise (5).  In version 3 a scalar needs no list. */
static zinc_status
name_scalar(zinc_cp_translation *t, zinc_json *root)
{
	const zinc_json *shape = zinc_json_member(root, "shape");

	if (!shape || shape->n > 0 || t->c->to->format->masks != ZINC_MASKS_FILL ||
	    zinc_json_member(root, "dimension_names"))
		return ZINC_OK;
	return zinc_json_set(t->wanted, root, "dimension_names", zinc_json_make(t->wanted, ZINC_JSON_ARRAY), t->err);
}

/* Does xarray open it? */
static bool
is_named(const zinc_json *root)
{
	const zinc_json *names = zinc_dimension_names_list(root), *shape = zinc_json_member(root, "shape");

	return names ? zinc_dimension_names_all(names) : shape && shape->n == 0;
}

static const zinc_json *
attribute(const struct missing *m)
{
	return zinc_json_member(zinc_json_member(m->root, "attributes"), ATTRIBUTE);
}

static zinc_status
set_attribute(struct missing *m, zinc_json *v)
{
	zinc_json *attributes = zinc_json_member(m->root, "attributes");

	if (!attributes) {
		attributes = zinc_json_make(m->doc, ZINC_JSON_OBJECT);
		ZINC_TRY(zinc_json_set(m->doc, m->root, "attributes", attributes, m->t->err));
	}
	return zinc_json_set(m->doc, attributes, ATTRIBUTE, v, m->t->err);
}

static zinc_status
set_fill(struct missing *m, const void *element)
{
	return zinc_json_set(m->doc, m->root, "fill_value", m->dtype->ops->print_fill(m->dtype, element, m->doc),
			     m->t->err);
}

/* Texts of fixed length are masked too, but have no attribute. */
static bool
is_text(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_CHARS || t->kind == ZINC_KIND_UTF32;
}

/* Both exist, and until now the other one masked: keep both and report it. */
static zinc_status
report_both(struct missing *m)
{
	zinc_cp *c = m->t->c;
	zinc_status st;
	zinc_buf fill, own;

	zinc_buf_init(&fill, c->ctx, zinc_max_text(c->ctx));
	zinc_buf_init(&own, c->ctx, zinc_max_text(c->ctx));
	st = zinc_json_print_line(zinc_json_member(m->root, "fill_value"), &fill, m->t->err);
	if (st == ZINC_OK)
		st = zinc_json_print_line(attribute(m), &own, m->t->err);
	if (st == ZINC_OK && (!zinc_buf_text(&fill) || !zinc_buf_text(&own)))
		st = zinc_fail_nomem(m->t->err);
	if (st == ZINC_OK)
		st = zinc_cp_note(c, ZINC_COPY_NOTICE, m->t->n->from, m->t->err,
				  "xarray masks fill_value %.60s in %s, but the attribute " ATTRIBUTE " %.60s in %s",
				  zinc_buf_text(&fill), c->from->format->id, zinc_buf_text(&own), c->to->format->id);
	zinc_buf_fini(&own);
	zinc_buf_fini(&fill);
	return st;
}

/* Promise (1). */
static zinc_status
to_attribute(struct missing *m)
{
	const zinc_json *own = attribute(m);

	if (zinc_json_is(own, ZINC_JSON_NULL)) {
		(void)zinc_json_remove(zinc_json_member(m->root, "attributes"), ATTRIBUTE);
		return ZINC_OK;
	}
	if (is_text(m->dtype) || (!own && m->t->n->source->no_fill))
		return ZINC_OK;
	if (!own)
		return set_attribute(m, zinc_missing_encode(m->doc, m->dtype, m->fill));
	if (!zinc_missing_parse(m->t->c->ctx, m->dtype, own, false, m->value))
		return ZINC_OK;
	if (!m->t->n->source->no_fill && !zinc_missing_same(m->dtype, m->value, m->fill))
		ZINC_TRY(report_both(m));
	return set_attribute(m, zinc_missing_encode(m->doc, m->dtype, m->value));
}

/* Promise (3), if only the remedy would help and it was not requested. */
static zinc_status
warn(zinc_cp *c, const zinc_cp_node *n, const zinc_json *fill, bool own, zinc_error *err)
{
	zinc_status st;
	zinc_buf text;

	zinc_buf_init(&text, c->ctx, zinc_max_text(c->ctx));
	st = zinc_json_print_line(fill, &text, err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&text)
			 ? zinc_cp_note(c, ZINC_COPY_NOTICE, n->from, err,
					"xarray will mask fill_value %s in %s%s; --for-xarray keeps what it masks now",
					zinc_buf_text(&text), c->to->format->id,
					own ? ", not the attribute " ATTRIBUTE : "")
			 : zinc_fail_nomem(err);
	zinc_buf_fini(&text);
	return st;
}

/* fill_value masks something else than before; if it is zero, it may be possible to do without it. */
static zinc_status
mask_otherwise(struct missing *m, bool own)
{
	zinc_cp_node *n = m->t->n;

	if (!own)
		ZINC_TRY(set_attribute(m, zinc_json_make(m->doc, ZINC_JSON_NULL)));
	zinc_dtype_zero(m->dtype, m->value);
	if (memcmp(m->value, m->fill, m->dtype->size) != 0)
		return warn(m->t->c, n, zinc_json_member(m->root, "fill_value"), own, m->t->err);
	n->null_fill = own ? ZINC_CP_NULL_ATTRIBUTE : ZINC_CP_NULL_PLAIN;
	return ZINC_OK;
}

/* Nothing masks, so fill_value must not mask either. */
static zinc_status
mask_nothing(struct missing *m)
{
	if (zinc_missing_is_nan(m->dtype, m->fill)) /* NaN masks only what is missing anyway */
		return ZINC_OK;
	if (!m->t->c->o.for_xarray)
		return mask_otherwise(m, false);
	m->t->n->null_fill = ZINC_CP_NULL;
	zinc_dtype_zero(m->dtype, m->value); /* how readers interpret null */
	return set_fill(m, m->value);
}

/* Promises (2) and (3). */
static zinc_status
to_fill(struct missing *m)
{
	const zinc_json *own = attribute(m);

	if (!own || is_text(m->dtype))
		return mask_nothing(m);
	if (!zinc_missing_parse(m->t->c->ctx, m->dtype, own, true, m->value))
		return ZINC_OK; /* not a valid value */
	if (zinc_missing_same(m->dtype, m->value, m->fill) || m->t->c->o.for_xarray) {
		(void)zinc_json_remove(zinc_json_member(m->root, "attributes"), ATTRIBUTE);
		return zinc_missing_same(m->dtype, m->value, m->fill) ? ZINC_OK : set_fill(m, m->value);
	}
	ZINC_TRY(set_attribute(m, zinc_missing_plain(m->doc, m->dtype, m->value)));
	return mask_otherwise(m, true);
}

/* Promise (4).  A value that does not convert stays; readers of the target report it. */
static zinc_status
retype(struct missing *m)
{
	const zinc_dtype *was = m->t->n->source->dtype;
	const bool encoded = m->t->c->from->format->masks == ZINC_MASKS_ATTRIBUTE;
	const zinc_json *own = attribute(m);
	zinc_json *v = NULL;
	void *element;

	if (!m->t->n->wish.dtype || !own || !zinc_missing_has(was) || !zinc_missing_has(m->dtype))
		return ZINC_OK;
	element = zinc_dtype_fill_room(was, m->t->c->ctx, NULL);
	if (!element)
		return zinc_fail_nomem(m->t->err);
	if (zinc_dtype_converts(m->dtype->type, was->type) &&
	    zinc_missing_parse(m->t->c->ctx, was, own, encoded, element) &&
	    zinc_dtype_convert(m->dtype->type, was->type, m->value, element, 1, m->t->c->o.convert) == 1)
		v = encoded ? zinc_missing_encode(m->doc, m->dtype, m->value)
			    : zinc_missing_plain(m->doc, m->dtype, m->value);
	zinc_free(m->t->c->ctx, element);
	return v ? set_attribute(m, v) : ZINC_OK;
}

/* Use the type and the fill value that the array will have. */
static zinc_status
read_type_and_fill(struct missing *m)
{
	const zinc_json *fill = zinc_json_member(m->root, "fill_value");
	zinc_context *ctx = m->t->c->ctx;
	zinc_report quiet;

	zinc_report_init_quiet(&quiet, ctx, false);
	ZINC_TRY(zinc_dtype_parse(&m->dtype, ctx, zinc_json_member(m->root, "data_type"), &quiet, m->t->err));
	if (!zinc_missing_has(m->dtype) && !is_text(m->dtype))
		return ZINC_OK;
	m->fill = zinc_dtype_fill_room(m->dtype, ctx, fill);
	m->value = zinc_dtype_fill_room(m->dtype, ctx, NULL);
	if (!m->fill || !m->value)
		return zinc_fail_nomem(m->t->err);
	return m->dtype->ops->parse_fill(m->dtype, fill, m->fill, &quiet, m->t->err);
}

zinc_status
zinc_cp_missing(zinc_cp_translation *t)
{
	const zinc_masks from = t->c->from->format->masks, to = t->c->to->format->masks;
	struct missing m = {.t = t, .doc = t->wanted, .root = zinc_json_root(t->wanted)};
	zinc_status st;

	if (t->n->kind == ZINC_NODE_ARRAY && t->n->source->no_fill && from == ZINC_MASKS_FILL && to == ZINC_MASKS_FILL)
		t->n->null_fill = ZINC_CP_NULL_KEPT;
	if (t->n->kind != ZINC_NODE_ARRAY || !is_named(m.root) || (from == to && !t->n->wish.dtype))
		return ZINC_OK;
	ZINC_TRY(name_scalar(t, m.root));
	st = read_type_and_fill(&m);
	if (st == ZINC_OK && m.fill)
		st = retype(&m);
	if (st == ZINC_OK && m.fill && from != to)
		st = to == ZINC_MASKS_FILL ? to_fill(&m) : to_attribute(&m);
	zinc_free(t->c->ctx, m.value);
	zinc_free(t->c->ctx, m.fill);
	zinc_dtype_free(m.dtype);
	return st;
}

/* ---- no fill value ---- */

/* The same metadata with null, in every version that can express it. */
static zinc_status
make_null(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	const zinc_format *f = c->to->format;
	zinc_json_doc *doc;
	zinc_json *attributes;
	zinc_meta *m = NULL;
	zinc_report quiet;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, c->ctx, err));
	zinc_json_set_root(doc, zinc_json_copy(doc, zinc_json_root(n->target->doc)));
	attributes = zinc_json_member(zinc_json_root(doc), "attributes");
	if (n->null_fill != ZINC_CP_NULL_KEPT && zinc_json_is(zinc_json_member(attributes, ATTRIBUTE), ZINC_JSON_NULL))
		(void)zinc_json_remove(attributes, ATTRIBUTE);
	st = zinc_json_set(doc, zinc_json_root(doc), "fill_value", zinc_json_make(doc, ZINC_JSON_NULL), err);
	if (st != ZINC_OK) {
		zinc_json_free(doc);
		return st;
	}
	zinc_report_init_quiet(&quiet, c->ctx, false);
	ZINC_TRY(f->parse(f, c->ctx, doc, n->kind, &quiet, &m, err));
	zinc_meta_free(n->target);
	n->target = m;
	return ZINC_OK;
}

/* Is every object of the source stored? */
static bool
is_complete(const zinc_cp *c, const zinc_cp_node *n)
{
	const zinc_meta *m = n->source;
	uint64_t counts[ZINC_MAX_NDIM], total;
	int d;

	for (d = 0; d < m->ndim; d++)
		counts[d] = zinc_grid_count(m->grid, d, m->shape[d]);
	return !c->unlisted && !zinc_shape_bytes(counts, m->ndim, 1, UINT64_MAX, &total) && n->nobjects >= total;
}

zinc_status
zinc_cp_decide_missing(zinc_cp *c, zinc_error *err)
{
	size_t i;

	for (i = 0; i < c->nnodes; i++) {
		zinc_cp_node *n = &c->nodes[i];

		if (n->null_fill == ZINC_CP_FILLED || n->left_out || !n->target)
			continue;
		if (n->null_fill == ZINC_CP_NULL || n->null_fill == ZINC_CP_NULL_KEPT || is_complete(c, n))
			ZINC_TRY(make_null(c, n, err));
		else
			ZINC_TRY(warn(c, n, zinc_json_member(zinc_meta_v3(n->target), "fill_value"),
				      n->null_fill == ZINC_CP_NULL_ATTRIBUTE, err));
	}
	return ZINC_OK;
}
