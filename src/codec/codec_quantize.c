/*
 * codec_quantize.c - floats rounded to a number of decimal digits, in binary
 *
 *     digits 1: the nearest multiple of 1/16, the first power of two that is finer than 1/10
 *
 * Promises (tests/unit/test_codec_quantize.c names each by its number):
 *
 * (1) Encoding gives the same bits as numcodecs, unless that overflows; then the number has no such digits and stays as
 *     it is.
 * (2) Decoding only converts the type.
 */
#include <math.h>

#include "codec/codec_parts.h"

#define MAX_DIGITS 307 /* beyond it the scale is not a double */

typedef struct quantize_codec {
	zinc_recode types;
	int64_t digits;
	double scale; /* a power of two */
} quantize_codec;

static const zinc_member members[] = {
    {.name = "digits",
     .type = ZINC_MEMBER_INT,
     .min = -MAX_DIGITS,
     .max = MAX_DIGITS,
     .required = true,
     .at = offsetof(quantize_codec, digits)},
    {.name = "dtype"},
    {.name = "astype"},
    {.name = NULL},
};

#define BLOCK ZINC_RECODE_BLOCK

/* The smallest power of two that resolves 10^-digits.  The steps are numcodecs', so that the rounding is the same. */
static double
scale_of(int64_t digits)
{
	const double precision = pow(10.0, (double)-digits);
	const double exact = log10(precision);
	const double exponent = exact < 0 ? floor(exact) : ceil(exact);

	return ldexp(1.0, (int)ceil(log2(pow(10.0, -exponent))));
}

/* Multiplying by a power of two is exact, so the type of the computation does not matter. */
static zinc_status
quantize_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const quantize_codec *q = (const quantize_codec *)c;
	const zinc_dtype *f64 = zinc_dtype_of(ZINC_FLOAT64), *from = q->types.decoded, *to = q->types.encoded;
	double v[BLOCK], scaled;
	size_t n, at, m, i;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	for (at = 0; at < n; at += m) {
		m = n - at < BLOCK ? n - at : BLOCK;
		ZINC_TRY(zinc_recode_convert(f64, v, from, (const uint8_t *)in + at * from->size, m, 0, at,
					     ZINC_E_RANGE, err));
		for (i = 0; i < m; i++) {
			scaled = v[i] * q->scale;
			v[i] = isfinite(scaled) ? rint(scaled) / q->scale : v[i];
		}
		zinc_recode_round(from, v, m);
		ZINC_TRY(zinc_recode_convert(to, (uint8_t *)out + at * to->size, f64, v, m, 0, at, ZINC_E_RANGE, err));
	}
	return ZINC_OK;
}

static zinc_status
quantize_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const quantize_codec *q = (const quantize_codec *)c;
	const zinc_dtype *f64 = zinc_dtype_of(ZINC_FLOAT64), *from = q->types.encoded, *to = q->types.decoded;
	double v[BLOCK];
	size_t n, at, m;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	if (from == to)
		return zinc_recode_convert(to, out, from, in, n, 0, 0, ZINC_E_CORRUPT, err);
	for (at = 0; at < n; at += m) {
		m = n - at < BLOCK ? n - at : BLOCK;
		ZINC_TRY(zinc_recode_convert(f64, v, from, (const uint8_t *)in + at * from->size, m, 0, at,
					     ZINC_E_CORRUPT, err));
		ZINC_TRY(zinc_recode_cast(to, (uint8_t *)out + at * to->size, v, m, at, ZINC_E_CORRUPT, err));
	}
	return ZINC_OK;
}

static zinc_status
quantize_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	       const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	quantize_codec q = {.digits = 0};

	ZINC_TRY(zinc_members_parse(members, ops->v2, configuration, &q, r, err));
	ZINC_TRY(zinc_recode_types(&q.types, configuration, "dtype", "astype", ops->v2, in, r, err));
	if (q.types.decoded->kind != ZINC_KIND_FLOAT || q.types.encoded->kind != ZINC_KIND_FLOAT)
		return zinc_report_error(r, ops->v2, err, "only floats can be quantized, not %s to %s",
					 q.types.decoded->name, q.types.encoded->name);
	q.scale = scale_of(q.digits);
	return zinc_recode_new(codec, ops, ctx, &q.types, sizeof q, in, out, err);
}

static zinc_status
quantize_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const quantize_codec *q = (const quantize_codec *)c;

	ZINC_TRY(zinc_members_print(members, q, doc, out, err));
	ZINC_TRY(zinc_recode_print(doc, *out, "dtype", q->types.decoded, q->types.decoded_big, err));
	return zinc_recode_print(doc, *out, "astype", q->types.encoded, q->types.encoded_big, err);
}

/* "numcodecs.quantize:3". */
static zinc_status
quantize_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		     zinc_error *err)
{
	const char *name = zinc_codec_quantize.name;

	if (nwords == 0)
		return zinc_fail(err, ZINC_E_INVALID, "%s needs a number of digits, as in \"%s:3\"", name, name);
	ZINC_TRY(zinc_words_int(name, words, nwords, "digits", -MAX_DIGITS, MAX_DIGITS, 3, doc, out, err));
	return zinc_recode_words(doc, *out, "dtype", "astype", NULL, in, err);
}

static bool
quantize_loses(const zinc_codec *c)
{
	(void)c;
	return true;
}

static const zinc_array_ops coder = {
    .encode = quantize_encode,
    .decode = quantize_decode,
    .loses = quantize_loses,
};

const zinc_codec_ops zinc_codec_quantize = {
    .name = "numcodecs.quantize",
    .v2 = "quantize",
    .uris = ZINC_CODEC_URIS("quantize"),
    .purpose = "floats rounded to decimal digits; loses the others",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .needs_configuration = true,
    .parse = quantize_parse,
    .print = quantize_print,
    .parse_words = quantize_parse_words,
    .array = &coder,
};
