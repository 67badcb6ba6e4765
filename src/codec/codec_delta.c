/*
 * codec_delta.c - each number as its difference from the one before, in C order of the input
 *
 *     100 102 104 101  ->  100 2 2 -3
 *
 * Promises (tests/unit/test_codec_delta.c names each by its number):
 *
 * (1) Integers are restored exactly, because differences are taken modulo 2^n.  E_RANGE, and nothing is written:
 *     differences from which "astype" would not restore the elements, including floats as integers and integers as
 *     floats.
 * (2) Floats are subtracted and added in the types that NumPy uses, one by one: the results are the same, with the same
 *     rounding.
 * (3) A sum that does not fit the integer type is E_CORRUPT.
 */
#include "codec/codec_parts.h"

typedef struct delta_codec {
	zinc_recode types;
	const zinc_dtype *decoded, *encoded; /* type of a part: a complex number has two */
	size_t parts;                        /* per element, 1 or 2 */
	const zinc_dtype *sum;               /* the float type of the sums; NULL: integers, modulo 2^n */
} delta_codec;

static const zinc_member members[] = {{.name = "dtype"}, {.name = "astype"}, {.name = NULL}};

#define BLOCK ZINC_RECODE_BLOCK

/* ---- integers ---- */

/* Elements may be at any address and are accessed as other types elsewhere. */
#define KERNELS(type)                                                                                                  \
	typedef type memory_##type __attribute__((aligned(1), may_alias));                                             \
	/* Differences of n elements, the first from `last`. */                                                        \
	static void subtract_##type(void *out, const void *in, size_t n, uint64_t last)                                \
	{                                                                                                              \
		const memory_##type *from = (const memory_##type *)in;                                                 \
		memory_##type *to = (memory_##type *)out;                                                              \
		size_t i;                                                                                              \
                                                                                                                       \
		to[0] = (type)(from[0] - last);                                                                        \
		for (i = 1; i < n; i++)                                                                                \
			to[i] = (type)(from[i] - from[i - 1]);                                                         \
	}                                                                                                              \
	/* Sums, in place. */                                                                                          \
	static void add_up_##type(void *inout, size_t n)                                                               \
	{                                                                                                              \
		memory_##type *at = (memory_##type *)inout;                                                            \
		type sum = 0;                                                                                          \
		size_t i;                                                                                              \
                                                                                                                       \
		for (i = 0; i < n; i++)                                                                                \
			at[i] = sum = (type)(sum + at[i]);                                                             \
	}
KERNELS(uint8_t)
KERNELS(uint16_t)
KERNELS(uint32_t)
KERNELS(uint64_t)

static void
subtract_ints(size_t size, void *out, const uint8_t *all, size_t at, size_t n)
{
	const uint8_t *in = all + at * size;
	uint64_t last = 0;

	if (at > 0 && ZINC_HOST_BIG)
		memcpy((uint8_t *)&last + 8 - size, in - size, size);
	else if (at > 0)
		memcpy(&last, in - size, size);
	if (size == 1)
		subtract_uint8_t(out, in, n, last);
	else if (size == 2)
		subtract_uint16_t(out, in, n, last);
	else if (size == 4)
		subtract_uint32_t(out, in, n, last);
	else
		subtract_uint64_t(out, in, n, last);
}

static void
add_up_ints(size_t size, void *inout, size_t n)
{
	if (size == 1)
		add_up_uint8_t(inout, n);
	else if (size == 2)
		add_up_uint16_t(inout, n);
	else if (size == 4)
		add_up_uint32_t(inout, n);
	else
		add_up_uint64_t(inout, n);
}

/* Would the stored differences restore the elements? */
static zinc_status
check_back(const delta_codec *d, const void *differences, const void *stored, size_t n, size_t at, zinc_error *err)
{
	const size_t size = d->decoded->size;
	uint8_t back[BLOCK * sizeof(uint64_t)];
	size_t i;

	ZINC_TRY(
	    zinc_recode_convert(d->decoded, back, d->encoded, stored, n, ZINC_CONVERT_WRAP, at, ZINC_E_RANGE, err));
	for (i = 0; i < n; i++)
		if (memcmp(back + i * size, (const uint8_t *)differences + i * size, size) != 0)
			return zinc_fail(err, ZINC_E_RANGE, "the difference at element %zu does not fit type %s",
					 at + i, d->encoded->name);
	return ZINC_OK;
}

static zinc_status
encode_ints(const delta_codec *d, const uint8_t *in, uint8_t *out, size_t n, zinc_error *err)
{
	uint64_t block[BLOCK];
	size_t at, m;

	if (d->decoded == d->encoded) {
		subtract_ints(d->decoded->size, out, in, 0, n);
		return ZINC_OK;
	}
	for (at = 0; at < n; at += m) {
		uint8_t *to = out + at * d->encoded->size;

		m = n - at < BLOCK ? n - at : BLOCK;
		subtract_ints(d->decoded->size, block, in, at, m);
		ZINC_TRY(zinc_recode_convert(d->encoded, to, d->decoded, block, m, ZINC_CONVERT_WRAP, at, ZINC_E_RANGE,
					     err));
		ZINC_TRY(check_back(d, block, to, m, at, err));
	}
	return ZINC_OK;
}

static zinc_status
decode_ints(const delta_codec *d, const uint8_t *in, uint8_t *out, size_t n, zinc_error *err)
{
	ZINC_TRY(zinc_recode_convert(d->decoded, out, d->encoded, in, n, ZINC_CONVERT_WRAP, 0, ZINC_E_CORRUPT, err));
	add_up_ints(d->decoded->size, out, n);
	return ZINC_OK;
}

/* ---- floats, on one side or both ---- */

/* Parts [at, at + n) as doubles, after the element before them, or zeros: -0.0 - 0.0 is -0.0. */
static zinc_status
load(const zinc_dtype *from, const uint8_t *in, size_t at, size_t n, size_t parts, double *out, zinc_error *err)
{
	const size_t before = at < parts ? at : parts;

	memset(out, 0, parts * sizeof *out);
	return zinc_recode_convert(zinc_dtype_of(ZINC_FLOAT64), out + parts - before, from,
				   in + (at - before) * from->size, before + n, 0, at, ZINC_E_RANGE, err);
}

/* n <= BLOCK parts, continuing the sums so far. */
static zinc_status
add_up(const delta_codec *d, const uint8_t *in, uint8_t *out, size_t n, size_t at, double *sums, zinc_error *err)
{
	double v[BLOCK];
	size_t i;

	ZINC_TRY(zinc_recode_convert(zinc_dtype_of(ZINC_FLOAT64), v, d->encoded, in, n, 0, at, ZINC_E_CORRUPT, err));
	for (i = 0; i < n; i++) {
		double *sum = &sums[i % d->parts];

		*sum += v[i];
		zinc_recode_round(d->sum, sum, 1);
		v[i] = *sum;
	}
	return zinc_recode_cast(d->decoded, out, v, n, at, ZINC_E_CORRUPT, err);
}

/* Integers stored as floats, or floats stored as integers, must be restored exactly. */
static zinc_status
check_sums(const delta_codec *d, const uint8_t *in, const uint8_t *stored, size_t n, size_t at, double *sums,
	   zinc_error *err)
{
	const size_t size = d->decoded->size;
	uint8_t back[BLOCK * sizeof(uint64_t)];

	if (add_up(d, stored, back, n, at, sums, NULL) != ZINC_OK || memcmp(back, in, n * size) != 0)
		return zinc_fail(err, ZINC_E_RANGE, "differences from element %zu on do not fit type %s", at / d->parts,
				 d->encoded->name);
	return ZINC_OK;
}

static zinc_status
encode_floats(const delta_codec *d, const uint8_t *in, uint8_t *out, size_t n, zinc_error *err)
{
	const zinc_dtype *f64 = zinc_dtype_of(ZINC_FLOAT64);
	const bool mixed = d->decoded->kind != d->encoded->kind;
	double v[BLOCK + 2], difference[BLOCK], sums[2] = {-0.0, -0.0};
	size_t at, m, i;

	for (at = 0; at < n; at += m) {
		const uint8_t *from = in + at * d->decoded->size;
		uint8_t *to = out + at * d->encoded->size;

		m = n - at < BLOCK ? n - at : BLOCK;
		ZINC_TRY(load(d->decoded, in, at, m, d->parts, v, err));
		for (i = 0; i < m; i++)
			difference[i] = v[i + d->parts] - v[i];
		if (d->decoded->kind == ZINC_KIND_FLOAT)
			zinc_recode_round(d->decoded, difference, m);
		ZINC_TRY(zinc_recode_convert(d->encoded, to, f64, difference, m, ZINC_CONVERT_EXACT, at / d->parts,
					     ZINC_E_RANGE, err));
		if (mixed)
			ZINC_TRY(check_sums(d, from, to, m, at, sums, err));
	}
	return ZINC_OK;
}

static zinc_status
decode_floats(const delta_codec *d, const uint8_t *in, uint8_t *out, size_t n, zinc_error *err)
{
	double sums[2] = {-0.0, -0.0}; /* -0.0 + x is x, for any x */
	size_t at, m;

	for (at = 0; at < n; at += m) {
		m = n - at < BLOCK ? n - at : BLOCK;
		ZINC_TRY(add_up(d, in + at * d->encoded->size, out + at * d->decoded->size, m, at, sums, err));
	}
	return ZINC_OK;
}

/* ---- the codec ---- */

static zinc_status
delta_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const delta_codec *d = (const delta_codec *)c;
	size_t n;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	if (n == 0)
		return ZINC_OK;
	if (!d->sum)
		return encode_ints(d, (const uint8_t *)in, (uint8_t *)out, n, err);
	return encode_floats(d, (const uint8_t *)in, (uint8_t *)out, n * d->parts, err);
}

static zinc_status
delta_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const delta_codec *d = (const delta_codec *)c;
	size_t n;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	if (!d->sum)
		return decode_ints(d, (const uint8_t *)in, (uint8_t *)out, n, err);
	return decode_floats(d, (const uint8_t *)in, (uint8_t *)out, n * d->parts, err);
}

/* Bytes of the float type that NumPy uses for t in a sum with floats. */
static uint32_t
float_size(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_FLOAT ? t->size : t->size < 4 ? 2 * t->size : 8;
}

/* NumPy's result_type of both sides, if one of them is a float. */
static const zinc_dtype *
sum_type(const zinc_dtype *a, const zinc_dtype *b)
{
	const uint32_t size = (uint32_t)zinc_max_u64(float_size(a), float_size(b));

	if (a->kind != ZINC_KIND_FLOAT && b->kind != ZINC_KIND_FLOAT)
		return NULL;
	return zinc_dtype_of(size == 2 ? ZINC_FLOAT16 : size == 4 ? ZINC_FLOAT32 : ZINC_FLOAT64);
}

static const zinc_dtype *
part_of(const zinc_dtype *t)
{
	if (t->kind != ZINC_KIND_COMPLEX)
		return t;
	return zinc_dtype_of(t->size == 8 ? ZINC_FLOAT32 : ZINC_FLOAT64);
}

static zinc_status
delta_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	    const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	delta_codec d = {.parts = 1};
	const zinc_dtype *a, *b;

	ZINC_TRY(zinc_members_parse(members, ops->v2, configuration, NULL, r, err));
	ZINC_TRY(zinc_recode_types(&d.types, configuration, "dtype", "astype", ops->v2, in, r, err));
	a = d.types.decoded;
	b = d.types.encoded;
	if (a->kind == ZINC_KIND_BOOL || b->kind == ZINC_KIND_BOOL ||
	    (a->kind == ZINC_KIND_COMPLEX) != (b->kind == ZINC_KIND_COMPLEX))
		return zinc_report_unsupported(r, ops->v2, err, "delta: conversion from %s to %s is not supported",
					       a->name, b->name);
	d.decoded = part_of(a);
	d.encoded = part_of(b);
	d.parts = a->size / d.decoded->size;
	d.sum = sum_type(d.decoded, d.encoded);
	return zinc_recode_new(codec, ops, ctx, &d.types, sizeof d, in, out, err);
}

static zinc_status
delta_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const zinc_recode *x = (const zinc_recode *)c;

	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_recode_print(doc, *out, "dtype", x->decoded, x->decoded_big, err));
	return zinc_recode_print(doc, *out, "astype", x->encoded, x->encoded_big, err);
}

/* "numcodecs.delta", "numcodecs.delta:i2". */
static zinc_status
delta_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		  zinc_error *err)
{
	if (nwords > 1)
		return zinc_fail(err, ZINC_E_INVALID, "%s takes only one data type", zinc_codec_delta.name);
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_recode_words(doc, *out, "dtype", "astype", nwords ? words[0] : NULL, in, err);
}

/* Sums of floats are rounded; those of integers are checked. */
static bool
delta_loses(const zinc_codec *c)
{
	return ((const delta_codec *)c)->decoded->kind == ZINC_KIND_FLOAT;
}

/* Only sums of floats may not fit an integer. */
static bool
delta_refuses(const zinc_codec *c, double changed)
{
	const delta_codec *d = (const delta_codec *)c;

	return changed > 0 && d->sum && d->decoded->kind != ZINC_KIND_FLOAT;
}

static const zinc_array_ops coder = {
    .encode = delta_encode,
    .decode = delta_decode,
    .refuses = delta_refuses,
    .loses = delta_loses,
};

const zinc_codec_ops zinc_codec_delta = {
    .name = "numcodecs.delta",
    .v2 = "delta",
    .uris = ZINC_CODEC_URIS("delta"),
    .purpose = "differences between neighbours",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .parse = delta_parse,
    .print = delta_print,
    .parse_words = delta_parse_words,
    .array = &coder,
};
