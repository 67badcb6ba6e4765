/*
 * codec_astype.c - elements stored as another type of number
 *
 * Promises (tests/unit/test_codec_astype.c names each by its number):
 *
 * (1) Elements are converted like NumPy's astype: floats are rounded, and truncated when they become integers.
 * (2) A value that does not fit is never replaced by another: E_RANGE on writing, E_CORRUPT on reading.  Only a float
 *     that is read into a narrower float may become infinite, as in NumPy.
 * (3) bool converts to 0 or 1, and only 0 and 1 convert to bool.
 */
#include "codec/codec_parts.h"

static const zinc_member members[] = {{.name = "encode_dtype"}, {.name = "decode_dtype"}, {.name = NULL}};

#define BLOCK ZINC_RECODE_BLOCK

/* bool as the integer it is stored as. */
static const zinc_dtype *
as_number(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_BOOL ? zinc_dtype_of(ZINC_UINT8) : t;
}

static zinc_status
check_bools(const uint8_t *p, size_t n, size_t at, zinc_status st, zinc_error *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] > 1)
			return zinc_fail(err, st, "element %zu is not a bool", at + i);
	return ZINC_OK;
}

/* Convert n <= BLOCK elements from `at` on. */
static zinc_status
cast(const zinc_dtype *to, uint8_t *out, const zinc_dtype *from, const uint8_t *in, size_t n, size_t at, zinc_status st,
     zinc_error *err)
{
	const zinc_dtype *f64 = zinc_dtype_of(ZINC_FLOAT64);
	const int flags = to->kind == ZINC_KIND_BOOL ? ZINC_CONVERT_EXACT : ZINC_CONVERT_TRUNCATE;
	double v[BLOCK];

	if (st == ZINC_E_CORRUPT && from->kind == ZINC_KIND_FLOAT && to->kind == ZINC_KIND_FLOAT &&
	    to->size < from->size) {
		ZINC_TRY(zinc_recode_convert(f64, v, from, in, n, flags, at, st, err));
		return zinc_recode_cast(to, out, v, n, at, st, err);
	}
	ZINC_TRY(zinc_recode_convert(as_number(to), out, as_number(from), in, n, flags, at, st, err));
	return to->kind == ZINC_KIND_BOOL ? check_bools(out, n, at, st, err) : ZINC_OK;
}

static zinc_status
run(const zinc_rep *rep, const zinc_dtype *to, uint8_t *out, const zinc_dtype *from, const uint8_t *in, zinc_status st,
    zinc_error *err)
{
	size_t n, at, m;

	ZINC_TRY(zinc_recode_count(rep, &n, err));
	for (at = 0; at < n; at += m) {
		m = n - at < BLOCK ? n - at : BLOCK;
		ZINC_TRY(cast(to, out + at * to->size, from, in + at * from->size, m, at, st, err));
	}
	return ZINC_OK;
}

static zinc_status
astype_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const zinc_recode *x = (const zinc_recode *)c;

	(void)s;
	return run(rep, x->encoded, (uint8_t *)out, x->decoded, (const uint8_t *)in, ZINC_E_RANGE, err);
}

static zinc_status
astype_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const zinc_recode *x = (const zinc_recode *)c;

	(void)s;
	return run(rep, x->decoded, (uint8_t *)out, x->encoded, (const uint8_t *)in, ZINC_E_CORRUPT, err);
}

static zinc_status
astype_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	     const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_recode x = {.decoded = NULL};

	ZINC_TRY(zinc_members_parse(members, ops->v2, configuration, NULL, r, err));
	if (!zinc_json_member(configuration, "encode_dtype"))
		return zinc_report_error(r, ops->v2, err, "\"encode_dtype\" is missing from the configuration");
	ZINC_TRY(zinc_recode_types(&x, configuration, "decode_dtype", "encode_dtype", ops->v2, in, r, err));
	if (!zinc_dtype_converts(as_number(x.encoded)->type, as_number(x.decoded)->type) ||
	    !zinc_dtype_converts(as_number(x.decoded)->type, as_number(x.encoded)->type))
		return zinc_report_unsupported(r, ops->v2, err, "astype: conversion from %s to %s is not supported",
					       x.decoded->name, x.encoded->name);
	return zinc_recode_new(codec, ops, ctx, &x, sizeof x, in, out, err);
}

static zinc_status
astype_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const zinc_recode *x = (const zinc_recode *)c;

	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_recode_print(doc, *out, "encode_dtype", x->encoded, x->encoded_big, err));
	return zinc_recode_print(doc, *out, "decode_dtype", x->decoded, x->decoded_big, err);
}

/* "numcodecs.astype:i2". */
static zinc_status
astype_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		   zinc_error *err)
{
	if (nwords != 1)
		return zinc_fail(err, ZINC_E_INVALID, "%s needs one data type, as in \"%s:i2\"", zinc_codec_astype.name,
				 zinc_codec_astype.name);
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_recode_words(doc, *out, "decode_dtype", "encode_dtype", words[0], in, err);
}

static bool
is_whole(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_BOOL || t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT;
}

/* An integer is stored exactly as another integer, or not at all. */
static bool
astype_loses(const zinc_codec *c)
{
	const zinc_dtype *from = ((const zinc_recode *)c)->decoded, *to = ((const zinc_recode *)c)->encoded;

	if (is_whole(from) && is_whole(to))
		return false;
	return from->kind != to->kind || to->size < from->size;
}

/* Every number fits float32 and float64, if necessary as infinity.  The decoded type may differ from the array's. */
static bool
astype_refuses(const zinc_codec *c, double changed)
{
	(void)changed;
	return !zinc_recode_wide(((const zinc_recode *)c)->decoded);
}

static const zinc_array_ops coder = {
    .encode = astype_encode,
    .decode = astype_decode,
    .refuses = astype_refuses,
    .loses = astype_loses,
};

const zinc_codec_ops zinc_codec_astype = {
    .name = "numcodecs.astype",
    .v2 = "astype",
    .uris = ZINC_CODEC_URIS("astype"),
    .purpose = "elements stored as another type of number",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .needs_configuration = true,
    .parse = astype_parse,
    .print = astype_print,
    .parse_words = astype_parse_words,
    .array = &coder,
};
