/*
 * codec_scale_offset.c - (x - offset) * scale, in the type of the elements
 *
 *     float32 20.5, offset 20, scale 10  ->  5  ->  5 / 10 + 20 = 20.5
 *     int16   130, offset 100, scale 2   ->  60 ->  60 / 2 + 100 = 130
 *
 * Promises (tests/unit/test_codec_scale_offset.c names each by its number):
 *
 * (1) Each operation is rounded to the type of the elements, to nearest even.  Integers are computed exactly.
 * (2) A result that the type cannot represent is never stored nor returned: E_RANGE on writing, E_CORRUPT on reading.
 *     For integers these are overflow and a division with a remainder, for floats a finite number that would become
 *     infinite.  Writing also computes what reading will: what is stored, decodes.
 * (3) NaN and infinities stay what they are, except for the sign of an infinity.
 * (4) The codecs behind it have the fill value (fill - offset) * scale.  One that does not come back is a finding.
 *
 * Writing also refuses an integer difference x - offset that the type cannot represent.  Reading does not look at
 * intermediate results: zarr-python stores such elements, and the final number is right.
 */
#include <float.h>
#include <math.h>

#include "codec/codec_parts.h"

typedef struct scale_codec scale_codec;

/* Convert n elements; returns the index of the first whose result the type cannot represent, or n. */
typedef size_t (*scale_fn)(const scale_codec *c, const void *in, void *out, size_t n, bool back);

struct scale_codec {
	zinc_codec codec;
	const zinc_dtype *type;
	scale_fn run;
	uint64_t offset, scale; /* as bits of the type */
	uint64_t fill;
};

static const zinc_member members[] = {{.name = "offset"}, {.name = "scale"}, {.name = NULL}};

/* ---- float32, float64 ---- */

/* Elements may be at any address.  A finite element with a result that is not fails.  So does one that would be read
 * as infinity, by a rounding at the end of the range: only above `limit` is this computed. */
#define DEFINE_FLOATS(type, name, finite_max, magnitude)                                                               \
	typedef type name __attribute__((aligned(1), may_alias));                                                      \
                                                                                                                       \
	static bool name##_fails(type x, type y)                                                                       \
	{                                                                                                              \
		return (magnitude(x) <= finite_max) & !(magnitude(y) <= finite_max);                                   \
	}                                                                                                              \
                                                                                                                       \
	static bool name##_returns(type x, type y, type offset, type scale)                                            \
	{                                                                                                              \
		return !name##_fails(x, y) && !name##_fails(x, y / scale + offset);                                    \
	}                                                                                                              \
                                                                                                                       \
	static type name##_limit(type offset, type scale)                                                              \
	{                                                                                                              \
		const type limit = finite_max / 4 * magnitude(scale);                                                  \
                                                                                                                       \
		if (magnitude(offset) > finite_max / 2)                                                                \
			return 0;                                                                                      \
		return limit < finite_max ? limit : finite_max;                                                        \
	}                                                                                                              \
                                                                                                                       \
	static size_t scale_##name(const scale_codec *c, const void *from, void *to, size_t n, bool back)              \
	{                                                                                                              \
		const name *in = (const name *)from;                                                                   \
		name *out = (name *)to;                                                                                \
		type offset, scale, limit;                                                                             \
		bool bad = false;                                                                                      \
		size_t i;                                                                                              \
                                                                                                                       \
		zinc_bits_put(&offset, sizeof offset, c->offset);                                                      \
		zinc_bits_put(&scale, sizeof scale, c->scale);                                                         \
		limit = name##_limit(offset, scale);                                                                   \
		for (i = 0; i < n && !back; i++) {                                                                     \
			const type x = in[i], y = (x - offset) * scale;                                                \
                                                                                                                       \
			out[i] = y;                                                                                    \
			bad |= (magnitude(x) <= finite_max) & !(magnitude(y) <= limit);                                \
		}                                                                                                      \
		for (i = 0; i < n && back; i++) {                                                                      \
			const type x = in[i], y = x / scale + offset;                                                  \
                                                                                                                       \
			out[i] = y;                                                                                    \
			bad |= name##_fails(x, y);                                                                     \
		}                                                                                                      \
		for (i = 0; bad && i < n; i++)                                                                         \
			if (back ? name##_fails(in[i], out[i]) : !name##_returns(in[i], out[i], offset, scale))        \
				return i;                                                                              \
		return n;                                                                                              \
	}

DEFINE_FLOATS(float, float32, FLT_MAX, fabsf)
DEFINE_FLOATS(double, float64, DBL_MAX, fabs)

/* ---- other floats ---- */

/* Round to a number of the type; false: it has no such number. */
static bool
round_to_type(const zinc_dtype *t, double *v)
{
	const bool finite = isfinite(*v);
	uint64_t element;
	zinc_exact x;

	zinc_exact_read_double(*v, &x);
	if (zinc_exact_write(t, &x, ZINC_ROUND_EVEN, &element) > ZINC_FIT_ROUNDED)
		return false;
	zinc_exact_read(t, &element, &x);
	*v = zinc_exact_double(&x);
	return !finite || isfinite(*v);
}

static double
number_of(const zinc_dtype *t, const void *element)
{
	zinc_exact x;

	zinc_exact_read(t, element, &x);
	return zinc_exact_double(&x);
}

/* The same of the bits of a member. */
static double
value_of(const zinc_dtype *t, uint64_t bits)
{
	uint64_t element = 0;

	zinc_bits_put(&element, t->size, bits);
	return number_of(t, &element);
}

/* A double has more than twice the digits of these types, so rounding its result once more is the same as rounding the
 * exact one. */
static bool
decode_small(const zinc_dtype *t, double *v, double offset, double scale)
{
	*v /= scale;
	if (!round_to_type(t, v))
		return false;
	*v += offset;
	return round_to_type(t, v);
}

/* What would not decode fails, too. */
static bool
encode_small(const zinc_dtype *t, double *v, double offset, double scale)
{
	double back;

	*v -= offset;
	if (!round_to_type(t, v))
		return false;
	*v *= scale;
	if (!round_to_type(t, v))
		return false;
	back = *v;
	return decode_small(t, &back, offset, scale);
}

static size_t
scale_small(const scale_codec *c, const void *in, void *out, size_t n, bool back)
{
	const zinc_dtype *t = c->type;
	const double offset = value_of(t, c->offset), scale = value_of(t, c->scale);
	double v;
	zinc_exact x;
	size_t i;

	for (i = 0; i < n; i++) {
		v = number_of(t, (const uint8_t *)in + i * t->size);
		if (back ? !decode_small(t, &v, offset, scale) : !encode_small(t, &v, offset, scale))
			return i;
		zinc_exact_read_double(v, &x);
		(void)zinc_exact_write(t, &x, ZINC_ROUND_EVEN, (uint8_t *)out + i * t->size); /* exact */
	}
	return n;
}

/* ---- integers ---- */

static int64_t
extend(const zinc_dtype *t, uint64_t bits)
{
	return (int64_t)(bits << (64 - t->bits)) >> (64 - t->bits);
}

static bool
fits_signed(const zinc_dtype *t, int64_t v)
{
	return v == extend(t, (uint64_t)v);
}

static bool
encode_signed(const zinc_dtype *t, int64_t x, int64_t offset, int64_t scale, int64_t *out)
{
	int64_t v;

	return !__builtin_sub_overflow(x, offset, &v) && fits_signed(t, v) && !__builtin_mul_overflow(v, scale, out) &&
	       fits_signed(t, *out);
}

/* x / -1 may not fit where offset - x does. */
static bool
decode_signed(const zinc_dtype *t, int64_t x, int64_t offset, int64_t scale, int64_t *out)
{
	if (scale == -1)
		return !__builtin_sub_overflow(offset, x, out) && fits_signed(t, *out);
	return x % scale == 0 && !__builtin_add_overflow(x / scale, offset, out) && fits_signed(t, *out);
}

static size_t
scale_signed(const scale_codec *c, const void *in, void *out, size_t n, bool back)
{
	const zinc_dtype *t = c->type;
	const int64_t offset = extend(t, c->offset), scale = extend(t, c->scale);
	int64_t v = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const int64_t x = extend(t, zinc_bits_get((const uint8_t *)in + i * t->size, t->size));

		if (back ? !decode_signed(t, x, offset, scale, &v) : !encode_signed(t, x, offset, scale, &v))
			return i;
		zinc_bits_put((uint8_t *)out + i * t->size, t->size, (uint64_t)v);
	}
	return n;
}

static bool
encode_unsigned(uint64_t max, uint64_t x, uint64_t offset, uint64_t scale, uint64_t *out)
{
	return x >= offset && !__builtin_mul_overflow(x - offset, scale, out) && *out <= max;
}

static bool
decode_unsigned(uint64_t max, uint64_t x, uint64_t offset, uint64_t scale, uint64_t *out)
{
	return x % scale == 0 && !__builtin_add_overflow(x / scale, offset, out) && *out <= max;
}

static size_t
scale_unsigned(const scale_codec *c, const void *in, void *out, size_t n, bool back)
{
	const zinc_dtype *t = c->type;
	const uint64_t max = UINT64_MAX >> (64 - t->bits);
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const uint64_t x = zinc_bits_get((const uint8_t *)in + i * t->size, t->size) & max;

		if (back ? !decode_unsigned(max, x, c->offset, c->scale, &v)
			 : !encode_unsigned(max, x, c->offset, c->scale, &v))
			return i;
		zinc_bits_put((uint8_t *)out + i * t->size, t->size, v);
	}
	return n;
}

/* ---- integers of 8, 16 and 32 bits, without branches ---- */

static inline int64_t
nearest(double v)
{
	return (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

/*
 * As above, for types whose products fit `wide`.  The quotient comes from a multiplication with 1 / scale, whose error
 * is far below 1/2, so that it is right if there is no remainder, and otherwise its product is not x.  If any element
 * fails, the loops above find it.
 */
#define DEFINE_INTEGERS(type, wide, name, each)                                                                        \
	typedef type name __attribute__((aligned(1), may_alias));                                                      \
                                                                                                                       \
	static size_t scale_##name(const scale_codec *c, const void *from, void *to, size_t n, bool back)              \
	{                                                                                                              \
		const name *in = (const name *)from;                                                                   \
		name *out = (name *)to;                                                                                \
		const wide offset = (type)c->offset, scale = (type)c->scale;                                           \
		const double inverse = 1 / (double)scale;                                                              \
		bool bad = false;                                                                                      \
		size_t i;                                                                                              \
                                                                                                                       \
		for (i = 0; i < n && !back; i++) {                                                                     \
			const wide v = (wide)in[i] - offset, y = (wide)(type)v * scale;                                \
                                                                                                                       \
			out[i] = (type)y;                                                                              \
			bad |= (v != (type)v) | (y != (type)y);                                                        \
		}                                                                                                      \
		for (i = 0; i < n && back; i++) {                                                                      \
			const wide x = in[i], v = (wide)nearest((double)x * inverse), y = v + offset;                  \
                                                                                                                       \
			out[i] = (type)y;                                                                              \
			bad |= (v * scale != x) | (y != (type)y);                                                      \
		}                                                                                                      \
		return bad ? each(c, from, to, n, back) : n;                                                           \
	}

DEFINE_INTEGERS(int8_t, int64_t, int8, scale_signed)
DEFINE_INTEGERS(int16_t, int64_t, int16, scale_signed)
DEFINE_INTEGERS(int32_t, int64_t, int32, scale_signed)
DEFINE_INTEGERS(uint8_t, uint64_t, uint8, scale_unsigned)
DEFINE_INTEGERS(uint16_t, uint64_t, uint16, scale_unsigned)
DEFINE_INTEGERS(uint32_t, uint64_t, uint32, scale_unsigned)

/* ---- the codec ---- */

static scale_fn
kernel_of(const zinc_dtype *t)
{
	switch (t->type) {
	case ZINC_FLOAT32:
		return scale_float32;
	case ZINC_FLOAT64:
		return scale_float64;
	case ZINC_INT8:
		return scale_int8;
	case ZINC_INT16:
		return scale_int16;
	case ZINC_INT32:
		return scale_int32;
	case ZINC_UINT8:
		return scale_uint8;
	case ZINC_UINT16:
		return scale_uint16;
	case ZINC_UINT32:
		return scale_uint32;
	default:
		return t->kind == ZINC_KIND_FLOAT ? scale_small
		       : t->kind == ZINC_KIND_INT ? scale_signed
						  : scale_unsigned;
	}
}

static zinc_status
scale_encode(const zinc_codec *codec, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const scale_codec *c = (const scale_codec *)codec;
	size_t n, done;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	done = c->run(c, in, out, n, false);
	if (done < n)
		return zinc_fail(err, ZINC_E_RANGE,
				 "element %zu: (x - offset) * scale is not a number of type %s that decodes", done,
				 c->type->name);
	return ZINC_OK;
}

static zinc_status
scale_decode(const zinc_codec *codec, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const scale_codec *c = (const scale_codec *)codec;
	size_t n, done;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	done = c->run(c, in, out, n, true);
	if (done < n)
		return zinc_fail(err, ZINC_E_CORRUPT, "element %zu: x / scale + offset is not a number of type %s",
				 done, c->type->name);
	return ZINC_OK;
}

/* ---- configuration ---- */

/* The bits of `number`, an integer, in this type. */
static uint64_t
bits_of(const zinc_dtype *t, uint64_t number)
{
	const zinc_exact x = zinc_exact_of(false, number, 0);
	uint64_t element = 0;

	(void)zinc_exact_write(t, &x, ZINC_ROUND_EVEN, &element);
	return zinc_bits_get(&element, t->size);
}

/* A missing member leaves *bits. */
static zinc_status
parse_number(const zinc_dtype *t, const zinc_json *configuration, const char *member, uint64_t *bits, zinc_report *r,
	     zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, member);
	uint64_t element = 0;
	zinc_status st;
	zinc_exact x;
	size_t mark;

	if (!v)
		return ZINC_OK;
	mark = zinc_report_enter(r, member);
	st = zinc_scalar_parse(t, v, "scale_offset", &element, r, err);
	if (st == ZINC_OK) {
		zinc_exact_read(t, &element, &x);
		*bits = zinc_bits_get(&element, t->size);
		if (x.kind > ZINC_EXACT_FINITE)
			st = zinc_report_unsupported(
			    r, "scale_offset", err, "scale_offset: \"%s\" that is not finite is not supported", member);
		else if (x.kind == ZINC_EXACT_ZERO && strcmp(member, "scale") == 0)
			st = zinc_report_error(r, "scale_offset", err, "\"scale\" cannot be 0");
	}
	zinc_report_leave(r, mark);
	return st;
}

static zinc_status
parse_members(scale_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	if (!zinc_is_real(in->dtype) || (in->dtype->format && !in->dtype->format->has_zero))
		return zinc_report_error(r, "scale_offset", err, "elements of type %s cannot be scaled",
					 in->dtype->name);
	ZINC_TRY(zinc_members_only(members, "scale_offset", configuration, r, err));
	c->type = in->dtype;
	c->run = kernel_of(c->type);
	c->offset = bits_of(c->type, 0);
	c->scale = bits_of(c->type, 1);
	ZINC_TRY(parse_number(c->type, configuration, "offset", &c->offset, r, err));
	return parse_number(c->type, configuration, "scale", &c->scale, r, err);
}

/* Does the stored fill value decode to `fill`?  0 and -0 are one number here.  Integers are exact. */
static bool
fill_returns(const scale_codec *c, const void *fill)
{
	uint64_t back = 0;
	double x, y;

	if (c->type->kind != ZINC_KIND_FLOAT)
		return true;
	if (c->run(c, &c->fill, &back, 1, true) != 1)
		return false;
	x = number_of(c->type, fill);
	y = number_of(c->type, &back);
	return x == y || (isnan(x) && isnan(y));
}

/* (4) */
static zinc_status
scale_fill(scale_codec *c, const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	if (!in->fill)
		return ZINC_OK;
	if (c->run(c, in->fill, &c->fill, 1, false) != 1)
		return zinc_report_error(r, "scale_offset", err,
					 "(fill_value - offset) * scale is not a number of type %s that decodes",
					 c->type->name);
	if (!fill_returns(c, in->fill))
		ZINC_TRY(zinc_report_lenient(r, "scale_offset", err,
					     "fill_value changes in chunks that are written, by rounding"));
	out->fill = &c->fill;
	return ZINC_OK;
}

static zinc_status
scale_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	    const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(scale_codec), err));
	st = parse_members((scale_codec *)c, configuration, in, r, err);
	if (st == ZINC_OK)
		st = scale_fill((scale_codec *)c, in, out, r, err);
	if (st == ZINC_OK)
		*codec = c;
	else
		zinc_codec_free(c);
	return st;
}

static zinc_status
print_number(const zinc_dtype *t, const char *member, uint64_t bits, uint64_t fallback, zinc_json_doc *doc,
	     zinc_json *o, zinc_error *err)
{
	uint64_t element;

	if (bits == fallback)
		return ZINC_OK;
	zinc_bits_put(&element, t->size, bits);
	return zinc_json_set(doc, o, member, t->ops->print_fill(t, &element, doc), err);
}

/* The defaults are not printed, nor an empty configuration. */
static zinc_status
scale_print(const zinc_codec *codec, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const scale_codec *c = (const scale_codec *)codec;
	zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (!o)
		return zinc_fail_nomem(err);
	ZINC_TRY(print_number(c->type, "offset", c->offset, bits_of(c->type, 0), doc, o, err));
	ZINC_TRY(print_number(c->type, "scale", c->scale, bits_of(c->type, 1), doc, o, err));
	*out = o->first ? o : NULL;
	return ZINC_OK;
}

/* Integers are exact. */
static bool
scale_loses(const zinc_codec *c)
{
	return ((const scale_codec *)c)->type->kind == ZINC_KIND_FLOAT;
}

/* What it stores itself decodes, and so do floats within the limit. */
static bool
scale_refuses(const zinc_codec *codec, double changed)
{
	const scale_codec *c = (const scale_codec *)codec;
	const double offset = value_of(c->type, c->offset), scale = value_of(c->type, c->scale);

	if (c->type->type == ZINC_FLOAT32)
		return changed > (double)float32_limit((float)offset, (float)scale);
	return changed > (c->type->type == ZINC_FLOAT64 ? float64_limit(offset, scale) : 0);
}

static const zinc_array_ops coder = {
    .encode = scale_encode,
    .decode = scale_decode,
    .refuses = scale_refuses,
    .loses = scale_loses,
};

const zinc_codec_ops zinc_codec_scale_offset = {
    .name = "scale_offset",
    .purpose = "(x - offset) * scale, in the same type; loses digits",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .parse = scale_parse,
    .print = scale_print,
    .array = &coder,
};
