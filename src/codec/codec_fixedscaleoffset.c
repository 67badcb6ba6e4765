/*
 * codec_fixedscaleoffset.c - (x - offset) * scale, rounded to the nearest integer
 *
 *     1000.12, offset 1000, scale 100  ->  12  ->  12 / 100 + 1000 = 1000.12
 *
 * Promises (tests/unit/test_codec_fixedscaleoffset.c names each by its number):
 *
 * (1) Numbers are computed in the type that NumPy uses: that of the elements, or double for integers.  Halves are
 *     rounded to even.
 * (2) Integers with an integer offset and scale are computed exactly.
 * (3) A value that does not fit "astype", including NaN for an integer type, is E_RANGE, and nothing is written; a
 *     stored number that decodes to a value outside "dtype" is E_CORRUPT.
 */
#include <math.h>

#include "codec/codec_parts.h"

/* A number of the configuration: an exact integer, or a float. */
typedef struct number {
	bool whole;
	int64_t i;
	double d;
} number;

typedef struct scale_codec {
	zinc_recode types;
	number offset, scale;
} scale_codec;

static const zinc_member members[] = {
    {.name = "offset"}, {.name = "scale"}, {.name = "dtype"}, {.name = "astype"}, {.name = NULL}};

#define BLOCK ZINC_RECODE_BLOCK

/* ---- encoding ---- */

/* The constants, rounded to the type of the elements. */
static void
constants(const scale_codec *c, const zinc_dtype *t, double *offset, double *scale)
{
	*offset = c->offset.d;
	*scale = c->scale.d;
	if (t->kind == ZINC_KIND_FLOAT) {
		zinc_recode_round(t, offset, 1);
		zinc_recode_round(t, scale, 1);
	}
}

/* Element i minus an integer offset; false: it does not fit 64 bits. */
static bool
shift(const scale_codec *c, const uint8_t *in, size_t i, int64_t *out)
{
	const zinc_dtype *t = c->types.decoded;
	const zinc_type wide = t->kind == ZINC_KIND_UINT ? ZINC_UINT64 : ZINC_INT64;
	uint64_t u;
	int64_t v;

	zinc_dtype_convert(wide, t->type, &u, in + i * t->size, 1, ZINC_CONVERT_EXACT); /* never fails */
	memcpy(&v, &u, sizeof v);
	if (t->kind == ZINC_KIND_UINT)
		return !__builtin_sub_overflow(u, c->offset.i, out);
	return !__builtin_sub_overflow(v, c->offset.i, out);
}

/* Encode n <= BLOCK integer elements from `at` on with an integer offset.  With an integer scale the result is
 * exact. */
static zinc_status
encode_ints(const scale_codec *c, const uint8_t *in, uint8_t *out, size_t n, size_t at, zinc_error *err)
{
	const zinc_dtype *to = c->types.encoded, *i64 = zinc_dtype_of(ZINC_INT64), *f64 = zinc_dtype_of(ZINC_FLOAT64);
	int64_t shifted[BLOCK];
	double v[BLOCK];
	size_t i;

	for (i = 0; i < n; i++) {
		bool fits = shift(c, in, i, &shifted[i]);

		if (c->scale.whole)
			fits = fits && !__builtin_mul_overflow(shifted[i], c->scale.i, &shifted[i]);
		if (!fits)
			return zinc_fail(err, ZINC_E_RANGE, "element %zu does not fit type %s", at + i, to->name);
		v[i] = rint((double)shifted[i] * c->scale.d);
	}
	if (c->scale.whole)
		return zinc_recode_convert(to, out, i64, shifted, n, ZINC_CONVERT_EXACT, at, ZINC_E_RANGE, err);
	return zinc_recode_convert(to, out, f64, v, n, ZINC_CONVERT_EXACT, at, ZINC_E_RANGE, err);
}

/* Each operation has its own loop, so that the compiler cannot fuse it with the next. */
static zinc_status
encode_floats(const scale_codec *c, const uint8_t *in, uint8_t *out, size_t n, size_t at, zinc_error *err)
{
	const zinc_dtype *t = c->types.decoded, *f64 = zinc_dtype_of(ZINC_FLOAT64);
	const bool rounds = t->kind == ZINC_KIND_FLOAT;
	double v[BLOCK], offset, scale;
	size_t i;

	ZINC_TRY(zinc_recode_convert(f64, v, t, in, n, ZINC_CONVERT_EXACT, at, ZINC_E_RANGE, err));
	constants(c, t, &offset, &scale);
	for (i = 0; i < n; i++)
		v[i] -= offset;
	if (rounds)
		zinc_recode_round(t, v, n);
	for (i = 0; i < n; i++)
		v[i] *= scale;
	if (rounds)
		zinc_recode_round(t, v, n);
	for (i = 0; i < n; i++)
		v[i] = rint(v[i]);
	return zinc_recode_convert(c->types.encoded, out, f64, v, n, ZINC_CONVERT_EXACT, at, ZINC_E_RANGE, err);
}

/* ---- decoding ---- */

static zinc_status
decode_block(const scale_codec *c, const uint8_t *in, uint8_t *out, size_t n, size_t at, zinc_error *err)
{
	const zinc_dtype *t = c->types.encoded;
	const bool rounds = t->kind == ZINC_KIND_FLOAT;
	double v[BLOCK], offset, scale;
	size_t i;

	ZINC_TRY(
	    zinc_recode_convert(zinc_dtype_of(ZINC_FLOAT64), v, t, in, n, ZINC_CONVERT_EXACT, at, ZINC_E_CORRUPT, err));
	constants(c, t, &offset, &scale);
	for (i = 0; i < n; i++)
		v[i] /= scale;
	if (rounds)
		zinc_recode_round(t, v, n);
	for (i = 0; i < n; i++)
		v[i] += offset;
	if (rounds)
		zinc_recode_round(t, v, n);
	return zinc_recode_cast(c->types.decoded, out, v, n, at, ZINC_E_CORRUPT, err);
}

/* ---- the codec ---- */

typedef zinc_status (*block_fn)(const scale_codec *c, const uint8_t *in, uint8_t *out, size_t n, size_t at,
				zinc_error *err);

static zinc_status
run(const zinc_codec *codec, const zinc_rep *rep, const void *in, void *out, bool back, zinc_error *err)
{
	const scale_codec *c = (const scale_codec *)codec;
	const zinc_dtype *from = back ? c->types.encoded : c->types.decoded;
	const zinc_dtype *to = back ? c->types.decoded : c->types.encoded;
	const bool ints = from->kind != ZINC_KIND_FLOAT && c->offset.whole;
	const block_fn block = back ? decode_block : ints ? encode_ints : encode_floats;
	size_t n, at, m;

	ZINC_TRY(zinc_recode_count(rep, &n, err));
	for (at = 0; at < n; at += m) {
		m = n - at < BLOCK ? n - at : BLOCK;
		ZINC_TRY(block(c, (const uint8_t *)in + at * from->size, (uint8_t *)out + at * to->size, m, at, err));
	}
	return ZINC_OK;
}

static zinc_status
scale_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	(void)s;
	return run(c, rep, in, out, false, err);
}

static zinc_status
scale_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	(void)s;
	return run(c, rep, in, out, true, err);
}

/* ---- configuration ---- */

static zinc_status
parse_number(const zinc_json *configuration, const char *member, const char *rule, number *out, zinc_report *r,
	     zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, member);
	zinc_status st = ZINC_OK;
	size_t mark;

	if (!v)
		return zinc_report_error(r, rule, err, "\"%s\" is missing from the configuration", member);
	mark = zinc_report_enter(r, member);
	if (!zinc_json_double(v, &out->d) || !isfinite(out->d))
		st = zinc_report_error(r, rule, err, "\"%s\" must be a finite number", member);
	zinc_report_leave(r, mark);
	out->whole = zinc_json_is_integer(v) && zinc_json_i64(v, &out->i);
	return st;
}

static bool
is_real(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT || t->kind == ZINC_KIND_FLOAT;
}

static zinc_status
scale_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	    const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	scale_codec c = {.offset = {.whole = false}};

	ZINC_TRY(zinc_members_parse(members, ops->v2, configuration, NULL, r, err));
	ZINC_TRY(parse_number(configuration, "offset", ops->v2, &c.offset, r, err));
	ZINC_TRY(parse_number(configuration, "scale", ops->v2, &c.scale, r, err));
	if (c.scale.d == 0)
		return zinc_report_error(r, ops->v2, err, "\"scale\" cannot be 0");
	ZINC_TRY(zinc_recode_types(&c.types, configuration, "dtype", "astype", ops->v2, in, r, err));
	if (!is_real(c.types.decoded) || !is_real(c.types.encoded))
		return zinc_report_unsupported(r, ops->v2, err,
					       "fixedscaleoffset: conversion from %s to %s is not supported",
					       c.types.decoded->name, c.types.encoded->name);
	return zinc_recode_new(codec, ops, ctx, &c.types, sizeof c, in, out, err);
}

static zinc_json *
make_number(zinc_json_doc *doc, const number *n)
{
	return n->whole ? zinc_json_make_i64(doc, n->i) : zinc_json_make_double(doc, n->d);
}

static zinc_status
scale_print(const zinc_codec *codec, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const scale_codec *c = (const scale_codec *)codec;

	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, *out, "scale", make_number(doc, &c->scale), err));
	ZINC_TRY(zinc_json_set(doc, *out, "offset", make_number(doc, &c->offset), err));
	ZINC_TRY(zinc_recode_print(doc, *out, "dtype", c->types.decoded, c->types.decoded_big, err));
	return zinc_recode_print(doc, *out, "astype", c->types.encoded, c->types.encoded_big, err);
}

static bool
scale_loses(const zinc_codec *c)
{
	(void)c;
	return true;
}

/* Every number fits float32 and float64, if necessary as infinity. */
static bool
scale_refuses(const zinc_codec *c, double changed)
{
	(void)changed;
	return !zinc_recode_wide(((const scale_codec *)c)->types.decoded);
}

static const zinc_array_ops coder = {
    .encode = scale_encode,
    .decode = scale_decode,
    .refuses = scale_refuses,
    .loses = scale_loses,
};

const zinc_codec_ops zinc_codec_fixedscaleoffset = {
    .name = "numcodecs.fixedscaleoffset",
    .v2 = "fixedscaleoffset",
    .uris = ZINC_CODEC_URIS("fixedscaleoffset"),
    .purpose = "(x - offset) * scale, rounded; loses digits",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .needs_configuration = true,
    .parse = scale_parse,
    .print = scale_print,
    .array = &coder,
};
