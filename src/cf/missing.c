/*
 * missing.c - the attribute _FillValue, by which xarray and other readers of CF mask missing values
 *
 *                     what masks                            how the attribute is written
 *   version 2, drafts fill_value, unless it is null;        a plain number
 *   of 2019 and 2020  then the attribute
 *   version 3, draft  the attribute alone                   floats as base64 of a little-endian float64, complex
 *   of 2022                                                 numbers as two of these, others plain
 *
 * These are the rules of xarray's backend (FillValueCoder).  Other readers do not decode floats like this, but in
 * version 3 only xarray matters as a writer of the attribute.  Types that xarray does not write have none.
 */
#include <math.h>

#include "cf/cf.h"

/* float64 values per element; 2 for complex numbers, 0 for types that are not numbers. */
static size_t
nparts(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_FLOAT ? 1 : t->kind == ZINC_KIND_COMPLEX ? 2 : 0;
}

bool
zinc_missing_has(const zinc_dtype *t)
{
	return t && t->type != ZINC_NATIVE && t->kind <= ZINC_KIND_COMPLEX;
}

/* ---- as version 3 has it ---- */

static zinc_json *
encode_part(zinc_json_doc *doc, double part)
{
	zinc_json *v = NULL;
	uint64_t bits;
	uint8_t bytes[8];
	zinc_buf text;
	size_t i;

	memcpy(&bits, &part, sizeof bits);
	if (isnan(part))
		bits = UINT64_C(0x7ff8000000000000); /* Python's */
	for (i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(bits >> (8 * i));
	zinc_buf_init(&text, zinc_json_context(doc), zinc_max_text(zinc_json_context(doc)));
	if (zinc_base64_encode(bytes, sizeof bytes, &text, NULL) == ZINC_OK && zinc_buf_text(&text))
		v = zinc_json_make_string(doc, zinc_buf_text(&text));
	zinc_buf_fini(&text);
	return v;
}

static bool
decode_part(const zinc_json *v, double *part)
{
	uint8_t bytes[8];
	uint64_t bits = 0;
	size_t n, i;

	if (!zinc_json_is(v, ZINC_JSON_STRING) || !zinc_base64_decode(v->text, v->n, bytes, sizeof bytes, &n) ||
	    n != sizeof bytes)
		return false;
	for (i = 0; i < sizeof bytes; i++)
		bits |= (uint64_t)bytes[i] << (8 * i);
	memcpy(part, &bits, sizeof bits);
	return true;
}

zinc_json *
zinc_missing_encode(zinc_json_doc *doc, const zinc_dtype *t, const void *element)
{
	const size_t n = nparts(t);
	double part[2];
	zinc_json *pair;

	if (n == 0)
		return t->ops->print_fill(t, element, doc);
	/* a wider float holds every value */
	(void)zinc_dtype_convert(n == 2 ? ZINC_COMPLEX128 : ZINC_FLOAT64, t->type, part, element, 1, 0);
	if (n == 1)
		return encode_part(doc, part[0]);
	pair = zinc_json_make(doc, ZINC_JSON_ARRAY);
	(void)zinc_json_append(pair, encode_part(doc, part[0]), NULL);
	return zinc_json_append(pair, encode_part(doc, part[1]), NULL) == ZINC_OK ? pair : NULL;
}

static bool
decode_floats(const zinc_dtype *t, const zinc_json *v, void *element)
{
	const size_t n = nparts(t);
	double part[2];

	if (n == 1 && !decode_part(v, &part[0]))
		return false;
	if (n == 2 && (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n != 2 || !decode_part(v->first, &part[0]) ||
		       !decode_part(v->last, &part[1])))
		return false;
	return zinc_dtype_convert(t->type, n == 2 ? ZINC_COMPLEX128 : ZINC_FLOAT64, element, part, 1, 0) == 1;
}

/* ---- as version 2 has it ---- */

/* The same number as one of C's types, which has decimals. */
static const void *
widen(const zinc_dtype **t, const void *element, uint64_t *room)
{
	const zinc_type type = zinc_type_widen((*t)->type);

	if (type == (*t)->type)
		return element;
	(void)zinc_dtype_convert(type, (*t)->type, room, element, 1, 0);
	*t = zinc_dtype_of(type);
	return room;
}

zinc_json *
zinc_missing_plain(zinc_json_doc *doc, const zinc_dtype *t, const void *element)
{
	zinc_json *v, *part;
	uint64_t room;

	element = widen(&t, element, &room);
	v = t->ops->print_fill(t, element, doc);
	for (part = zinc_json_is(v, ZINC_JSON_ARRAY) ? v->first : v; part; part = part == v ? NULL : part->next) {
		if (part->type != ZINC_JSON_STRING)
			continue;
		if (part->text[0] == '0') { /* a NaN with other bits */
			part->text = "NaN";
			part->n = 3;
		}
		part->type = ZINC_JSON_NUMBER; /* Python's spelling */
	}
	return v;
}

/* As a fill value, which spells NaN and Infinity as strings. */
static bool
parse_plain(zinc_context *ctx, const zinc_dtype *t, const zinc_json *v, void *element)
{
	zinc_json_doc *doc;
	zinc_report quiet;
	zinc_json *copy;
	bool ok = false;

	if (nparts(t) == 1 && !zinc_json_is(v, ZINC_JSON_NUMBER))
		return false;
	if (zinc_json_new(&doc, ctx, NULL) != ZINC_OK)
		return false;
	copy = zinc_json_copy_plain(doc, v);
	zinc_report_init_quiet(&quiet, ctx, false);
	ok = copy && t->ops->parse_fill(t, copy, element, &quiet, NULL) == ZINC_OK;
	zinc_json_free(doc);
	return ok;
}

bool
zinc_missing_parse(zinc_context *ctx, const zinc_dtype *t, const zinc_json *v, bool encoded, void *element)
{
	if (!v || !zinc_missing_has(t))
		return false;
	return encoded && nparts(t) > 0 ? decode_floats(t, v, element) : parse_plain(ctx, t, v, element);
}

/* ---- comparing ---- */

bool
zinc_missing_is_nan(const zinc_dtype *t, const void *element)
{
	double part;

	return nparts(t) == 1 && zinc_dtype_convert(ZINC_FLOAT64, t->type, &part, element, 1, 0) == 1 && isnan(part);
}

/* All NaNs are equal. */
bool
zinc_missing_same(const zinc_dtype *t, const void *a, const void *b)
{
	return memcmp(a, b, t->size) == 0 || (zinc_missing_is_nan(t, a) && zinc_missing_is_nan(t, b));
}
