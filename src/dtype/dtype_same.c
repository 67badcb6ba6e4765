/*
 * dtype_same.c - compare two data types, independent of their names
 *
 *     r24                 raw_bytes {"length_bytes": 3}         bytes without meaning: the same
 *     struct of r24       struct of raw_bytes                   the same, field by field
 *     complex64           complex_float32                       two names of one type
 *
 * All other types are the same when their spelling is the same.
 */
#include "dtype/element.h"

/* Types of the core or the registry; registered types are compared by name only. */
static bool
is_raw(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_RAW && (!t->row || t->row == &zinc_row_raw_bytes);
}

static zinc_status
same_fields(const zinc_dtype *a, const zinc_dtype *b, zinc_context *ctx, bool *out, zinc_error *err)
{
	size_t i, n, m;
	const zinc_field *x = zinc_dtype_fields(a, &n), *y = zinc_dtype_fields(b, &m);

	*out = n == m;
	for (i = 0; *out && i < n; i++) {
		*out = strcmp(x[i].name, y[i].name) == 0;
		if (*out)
			ZINC_TRY(zinc_dtype_same(x[i].type, y[i].type, ctx, out, err));
	}
	return ZINC_OK;
}

static zinc_status
same_shaped(const zinc_dtype *a, const zinc_dtype *b, zinc_context *ctx, bool *out, zinc_error *err)
{
	const uint64_t *x, *y;
	const int n = zinc_subarray_shape(a, &x), m = zinc_subarray_shape(b, &y);
	size_t count;

	*out = n == m && memcmp(x, y, (size_t)n * sizeof *x) == 0;
	return *out ? zinc_dtype_same(zinc_subarray_base(a, &count), zinc_subarray_base(b, &count), ctx, out, err)
		    : ZINC_OK;
}

static zinc_status
same_print(const zinc_dtype *a, const zinc_dtype *b, zinc_context *ctx, bool *out, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_json *x, *y;

	ZINC_TRY(zinc_json_new(&doc, ctx, err));
	x = zinc_dtype_print(a, doc);
	y = zinc_dtype_print(b, doc);
	*out = x && y && zinc_json_equal(x, y);
	zinc_json_free(doc);
	return x && y ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_dtype_same(const zinc_dtype *a, const zinc_dtype *b, zinc_context *ctx, bool *out, zinc_error *err)
{
	if (is_raw(a) && is_raw(b)) {
		*out = a->size == b->size;
		return ZINC_OK;
	}
	if (!a->ctx && !b->ctx) { /* rows of the table: complex_float32 is another name of complex64 */
		*out = a->type == b->type;
		return ZINC_OK;
	}
	if (a->kind == ZINC_KIND_STRUCT && b->kind == ZINC_KIND_STRUCT)
		return same_fields(a, b, ctx, out, err);
	if (a->kind == ZINC_KIND_SUBARRAY && b->kind == ZINC_KIND_SUBARRAY)
		return same_shaped(a, b, ctx, out, err);
	return same_print(a, b, ctx, out, err);
}
