/*
 * dtype_fill_v2.c - fill values as Zarr v2 spells them
 *
 *     S, V, structs       base64 of the stored bytes, in the byte order of the type
 *     M8, m8              an integer
 *     all others          as in the final version 3, a little more loosely: what zarr-python wrote over the years
 */
#include "dtype/element.h"

#include <math.h>
#include <stdio.h>

/* Base64 of one element as it is stored. */
static zinc_status
parse_stored(const zinc_dtype *t, bool big, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	ZINC_TRY(zinc_fill_parse_base64(t, v, element, r, err));
	zinc_dtype_reorder(t, big != ZINC_HOST_BIG, element, element, 1);
	return zinc_fill_check_texts(t, element, r, err);
}

/* The tokens NaN, Infinity and -Infinity, which are not JSON, are read as the strings that they should be. */
static zinc_status
number_name_to_string(const zinc_json *v, zinc_json *out, zinc_report *r, zinc_error *err)
{
	*out = *v;
	if (!zinc_json_is(v, ZINC_JSON_NUMBER) || strpbrk(v->text, "0123456789"))
		return ZINC_OK;
	out->type = ZINC_JSON_STRING;
	return zinc_report_lenient(r, "M52", err, "%.40s should be a string", v->text);
}

static zinc_status
parse_float(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	zinc_json s;

	ZINC_TRY(number_name_to_string(v, &s, r, err));
	return t->ops->parse_fill(t, &s, element, r, err);
}

/* A single number in place of a pair is the real part. */
static zinc_status
parse_complex(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	const zinc_dtype *part = zinc_dtype_of(t->unit == 4 ? ZINC_FLOAT32 : ZINC_FLOAT64);

	if (zinc_json_is(v, ZINC_JSON_NUMBER)) {
		memset(element, 0, t->size);
		ZINC_TRY(parse_float(part, v, element, r, err));
		return zinc_report_lenient(r, "M56", err, "a fill value of type %s should have two parts", t->name);
	}
	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n != 2)
		return t->ops->parse_fill(t, v, element, r, err);
	ZINC_TRY(parse_float(part, v->first, element, r, err));
	return parse_float(part, v->last, (uint8_t *)element + t->unit, r, err);
}

/* Some writers store 0.0 for an integer. */
static zinc_status
parse_integer(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	zinc_json whole = {.type = ZINC_JSON_NUMBER};
	char text[32];
	double d;

	if (zinc_json_is_integer(v) || !zinc_json_double(v, &d) || d != trunc(d) || fabs(d) > 0x1p53)
		return t->ops->parse_fill(t, v, element, r, err);
	ZINC_TRY(zinc_report_lenient(r, "M50", err, "fill value %.40s should be an integer", v->text));
	whole.n = (size_t)snprintf(text, sizeof text, "%.0f", d + 0.0);
	whole.text = text;
	return t->ops->parse_fill(t, &whole, element, r, err);
}

/* zarr-python's default for any type.  Where it is not a number, its readers ignore it. */
static bool
is_zero(const zinc_json *v)
{
	double number;

	return zinc_json_double(v, &number) && number == 0;
}

zinc_status
zinc_dtype_parse_fill_v2(const zinc_dtype *t, bool big, const zinc_json *v, void *element, zinc_report *r,
			 zinc_error *err)
{
	if (t->kind >= ZINC_KIND_COMPLEX && is_zero(v)) {
		zinc_dtype_zero(t, element);
		return ZINC_OK;
	}
	switch (t->kind) {
	case ZINC_KIND_INT:
	case ZINC_KIND_UINT:
		return parse_integer(t, v, element, r, err);
	case ZINC_KIND_FLOAT:
		return parse_float(t, v, element, r, err);
	case ZINC_KIND_COMPLEX:
		return parse_complex(t, v, element, r, err);
	case ZINC_KIND_RAW:
	case ZINC_KIND_CHARS:
	case ZINC_KIND_STRUCT:
		return parse_stored(t, big, v, element, r, err);
	default:
		return t->ops->parse_fill(t, v, element, r, err);
	}
}

/* ---- printing ---- */

static zinc_json *
print_stored(const zinc_dtype *t, bool big, const void *element, zinc_json_doc *doc)
{
	zinc_context *ctx = zinc_json_context(doc);
	void *stored = zinc_alloc(ctx, t->size);
	zinc_json *v;

	if (!stored)
		return NULL;
	zinc_dtype_reorder(t, big != ZINC_HOST_BIG, stored, element, 1);
	v = zinc_json_make_base64(doc, stored, t->size);
	zinc_free(ctx, stored);
	return v;
}

zinc_json *
zinc_dtype_print_fill_v2(const zinc_dtype *t, bool big, const void *element, zinc_json_doc *doc)
{
	zinc_json *v;

	if (t->kind == ZINC_KIND_RAW || t->kind == ZINC_KIND_STRUCT)
		return print_stored(t, big, element, doc);
	if (t->kind == ZINC_KIND_DATETIME || t->kind == ZINC_KIND_TIMEDELTA)
		return zinc_json_make_i64(doc, zinc_bits_load_signed(element, 8));
	v = t->ops->print_fill(t, element, doc);
	/* "0x7fc00001", the only strings of numbers that readers of v2 do not know: they do not distinguish NaNs */
	if (t->kind == ZINC_KIND_FLOAT && zinc_json_is(v, ZINC_JSON_STRING) && v->text[0] == '0')
		return zinc_json_make_string(doc, "NaN");
	return v;
}
