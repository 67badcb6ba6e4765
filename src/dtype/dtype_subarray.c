/*
 * dtype_subarray.c - a field with a fixed shape: [name, dtype, shape] of NumPy and Zarr v2
 *
 * The final version 3 has no such type.  Zinc writes {"name": "zinc.subarray", "configuration": {"data_type": "int16",
 * "shape": [2, 3]}}, only within a struct.  Readers that do not know the name report it, and no data are lost.
 *
 *     [["a", "<i2", [2, 3]]]    six times two bytes, last axis fastest
 */
#include "dtype/element.h"

const char zinc_subarray_name[] = "zinc.subarray";

/* zinc_dtype.self */
typedef struct subarray {
	const zinc_dtype *base;
	size_t n; /* number of elements */
	int ndim;
	uint64_t shape[];
} subarray;

int
zinc_subarray_shape(const zinc_dtype *t, const uint64_t **shape)
{
	const subarray *x = t->self;

	*shape = x->shape;
	return x->ndim;
}

const zinc_dtype *
zinc_subarray_base(const zinc_dtype *t, size_t *n)
{
	const subarray *x = t->self;

	*n = x->n;
	return x->base;
}

/* ---- elements ---- */

static void
sub_swap(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n)
{
	const subarray *x = t->self;

	zinc_dtype_reorder(x->base, other, dst, src, n * x->n);
}

static size_t
sub_check(const zinc_dtype *t, const void *elements, size_t n)
{
	const subarray *x = t->self;

	return x->base->ops->check(x->base, elements, n * x->n) / x->n;
}

/* Print the dimensions from d on, whose elements begin at *p. */
static zinc_status
print_part(const subarray *x, int d, const uint8_t **p, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	uint64_t i;

	if (d == x->ndim) {
		const uint8_t *element = *p;

		*p += x->base->size;
		return x->base->ops->print(x->base, element, how, out, err);
	}
	ZINC_TRY(zinc_buf_puts(out, "[", err));
	for (i = 0; i < x->shape[d]; i++) {
		if (i > 0)
			ZINC_TRY(zinc_buf_puts(out, how == ZINC_SPELL_JSON ? "," : ", ", err));
		ZINC_TRY(print_part(x, d + 1, p, how, out, err));
	}
	return zinc_buf_puts(out, "]", err);
}

/* Elements are spelled as inside an array, also when the field is not in one. */
static zinc_status
sub_print(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const uint8_t *p = element;

	return print_part(t->self, 0, &p, how == ZINC_SPELL_JSON ? how : ZINC_SPELL_REPR, out, err);
}

/* ---- fill values: nested lists ---- */

static zinc_status
parse_part(const subarray *x, int d, const zinc_json *v, uint8_t **p, zinc_report *r, zinc_error *err)
{
	const zinc_json *item;
	size_t i = 0;

	if (d == x->ndim) {
		uint8_t *element = *p;

		*p += x->base->size;
		return x->base->ops->parse_fill(x->base, v, element, r, err);
	}
	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n != x->shape[d])
		return zinc_report_error(r, "M59", err, "this part of a fill value must be a list of %llu",
					 (unsigned long long)x->shape[d]);
	for (item = v->first; item; item = item->next) {
		const size_t mark = zinc_report_enter_item(r, i++);
		const zinc_status st = parse_part(x, d + 1, item, p, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

static zinc_status
parse_fill(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	uint8_t *p = element;

	return parse_part(t->self, 0, v, &p, r, err);
}

static zinc_json *
make_part(const subarray *x, int d, const uint8_t **p, zinc_json_doc *doc)
{
	zinc_json *list;
	uint64_t i;

	if (d == x->ndim) {
		const uint8_t *element = *p;

		*p += x->base->size;
		return x->base->ops->print_fill(x->base, element, doc);
	}
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	for (i = 0; i < x->shape[d]; i++)
		if (zinc_json_append(list, make_part(x, d + 1, p, doc), NULL) != ZINC_OK)
			return NULL;
	return list;
}

static zinc_json *
print_fill(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	const uint8_t *p = element;

	return make_part(t->self, 0, &p, doc);
}

static const zinc_dtype_ops ops = {
    .parse_fill = parse_fill,
    .print_fill = print_fill,
    .print = sub_print,
    .swap = sub_swap,
};
static const zinc_dtype_ops checked_ops = {
    .parse_fill = parse_fill,
    .print_fill = print_fill,
    .print = sub_print,
    .swap = sub_swap,
    .check = sub_check,
};

/* ---- version 3 ---- */

zinc_json *
zinc_subarray_print_shape(const zinc_dtype *t, zinc_json_doc *doc)
{
	const subarray *x = t->self;

	return zinc_json_make_u64_list(doc, x->shape, x->ndim);
}

static zinc_status
print(const zinc_dtype *t, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const subarray *x = t->self;

	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, *out, "data_type", zinc_dtype_print_orders(x->base, doc), err));
	return zinc_json_set(doc, *out, "shape", zinc_subarray_print_shape(t, doc), err);
}

/* Not in a table: the name is not a type outside a struct. */
static const zinc_dtype_row row = {.name = zinc_subarray_name, .purpose = "a field of a fixed shape", .print = print};

/* ---- making one ---- */

static void
fini(zinc_dtype *t)
{
	subarray *x = t->self;

	zinc_dtype_free(x->base);
	zinc_free(t->ctx, x);
}

/* Set the shape and what depends on it.  `base` is taken. */
static zinc_status
fill_in(zinc_dtype *t, const zinc_json *shape, zinc_report *r, zinc_error *err)
{
	subarray *x = t->self;
	const zinc_json *item;
	uint64_t nbytes = 0;

	for (item = shape->first; item; item = item->next)
		if (!zinc_json_u64(item, &x->shape[x->ndim++]) || x->shape[x->ndim - 1] == 0)
			return zinc_report_error(r, "struct", err, "the shape of a field must be positive integers");
	if (x->base->variable)
		return zinc_report_error(r, "struct", err, "a field of type %s has no fixed size", x->base->name);
	if (zinc_shape_bytes(x->shape, x->ndim, x->base->size, UINT32_MAX, &nbytes))
		nbytes = UINT32_MAX;
	ZINC_TRY(zinc_dtype_set_size(t, nbytes, err));
	x->n = (size_t)nbytes / x->base->size;
	t->kind = ZINC_KIND_SUBARRAY;
	t->unit = x->base->unit;
	t->mixed = x->base->mixed;
	t->narrow = x->base->narrow;
	t->ops = x->base->ops->check ? &checked_ops : &ops;
	return ZINC_OK;
}

zinc_status
zinc_subarray_new(const zinc_dtype **out, zinc_context *ctx, const zinc_dtype *base, const zinc_json *shape,
		  zinc_report *r, zinc_error *err)
{
	const bool good = zinc_json_is(shape, ZINC_JSON_ARRAY) && shape->n >= 1 && shape->n <= ZINC_MAX_NDIM;
	zinc_dtype *t = good ? zinc_dtype_new(ctx, &row) : NULL;
	subarray *x = t ? zinc_calloc(t->ctx, 1, sizeof *x + shape->n * sizeof *x->shape) : NULL;
	zinc_status st;

	if (!x) {
		zinc_dtype_free(t);
		zinc_dtype_free(base);
		return good ? zinc_fail_nomem(err)
			    : zinc_report_error(r, "struct", err,
						"the shape of a field must be a list of 1 to %d integers",
						ZINC_MAX_NDIM);
	}
	x->base = base;
	t->self = x;
	t->fini = fini;
	st = fill_in(t, shape, r, err);
	if (st != ZINC_OK)
		zinc_dtype_free(t);
	else
		*out = t;
	return st;
}

zinc_status
zinc_subarray_parse(const zinc_dtype **out, zinc_context *ctx, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	const zinc_json *configuration = zinc_json_member(v, "configuration");
	const zinc_json *type = zinc_json_member(configuration, "data_type");
	const zinc_dtype *base;

	if (!type)
		return zinc_report_error(r, "struct", err, "a field of a fixed shape has no data_type");
	ZINC_TRY(zinc_dtype_parse(&base, ctx, type, r, err));
	return zinc_subarray_new(out, ctx, base, zinc_json_member(configuration, "shape"), r, err);
}
