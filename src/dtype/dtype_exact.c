/*
 * dtype_exact.c - any number of any real type, exactly, and its rounding to another type
 *
 * Promises (tests/unit/test_dtype_exact.c names each by its number):
 *
 * (1) Reading loses nothing, and writing the number to the same type gives the same bits, except that one NaN of
 *     each sign stands for all.
 * (2) Writing rounds once, in any of the five directions, to the neighbours among all numbers of the type, subnormal
 *     ones included.  The outcome says whether the value changed.
 * (3) A number that is beyond the largest finite one after rounding is out of range; nothing is stored then.
 * (4) Modulo 2^n is exact for every finite number.
 *
 * There is no floating-point arithmetic, so neither the processor's mode nor its treatment of subnormals matters.
 */
#include "dtype/element.h"
#include "dtype/exact.h"

/* ---- formats ---- */

/* clang-format off */
#define FORMAT(name, sign, zero, exponent, mantissa, bias_, max_, infinity_, nan_, digits_)              \
	const zinc_float_format zinc_format_##name = {                                                   \
		.exponent_bits = exponent, .mantissa_bits = mantissa, .has_sign = sign, .has_zero = zero, \
		.bias = bias_, .max = max_, .infinity = infinity_, .nan = nan_, .digits = digits_};

/* The suffixes: f finite, without infinities; n NaN in another place, or none; uz without -0; u without a sign.
 *
 *     name               sign  zero   e   m  bias     max     infinity   nan  digits */
FORMAT(float4_e2m1fn,     true,  true,  2, 1,    1,    0x7,    0,         0,      4)
FORMAT(float6_e2m3fn,     true,  true,  2, 3,    1,   0x1f,    0,         0,      4)
FORMAT(float6_e3m2fn,     true,  true,  3, 2,    3,   0x1f,    0,         0,      4)
FORMAT(float8_e3m4,       true,  true,  3, 4,    3,   0x6f,    0x70,      0x78,   4)
FORMAT(float8_e4m3,       true,  true,  4, 3,    7,   0x77,    0x78,      0x7c,   4)
FORMAT(float8_e4m3b11fnuz,true,  true,  4, 3,   11,   0x7f,    0,         0x80,   4)
FORMAT(float8_e4m3fnuz,   true,  true,  4, 3,    8,   0x7f,    0,         0x80,   4)
FORMAT(float8_e5m2,       true,  true,  5, 2,   15,   0x7b,    0x7c,      0x7e,   4)
FORMAT(float8_e5m2fnuz,   true,  true,  5, 2,   16,   0x7f,    0,         0x80,   4)
FORMAT(float8_e8m0fnu,    false, false, 8, 0,  127,   0xfe,    0,         0xff,   4)
FORMAT(bfloat16,          true,  true,  8, 7,  127, 0x7f7f,    0x7f80,    0x7fc0, 4)
FORMAT(float16,           true,  true,  5, 10,  15, 0x7bff,    0x7c00,    0x7e00, 2)
FORMAT(float32,           true,  true,  8, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fc00000, 4)
FORMAT(float64,           true,  true, 11, 52, 1023, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000, 8)
/* clang-format on */

uint64_t
zinc_float_sign(const zinc_float_format *f)
{
	return f->has_sign ? (uint64_t)1 << (f->exponent_bits + f->mantissa_bits) : 0;
}

uint64_t
zinc_float_mask(const zinc_float_format *f)
{
	const uint64_t top = (uint64_t)1 << (f->exponent_bits + f->mantissa_bits - !f->has_sign);

	return top | (top - 1);
}

/* Where the code of -0 is NaN, there is neither -0 nor a NaN with a sign. */
uint64_t
zinc_float_negate(const zinc_float_format *f, uint64_t code)
{
	const uint64_t sign = zinc_float_sign(f);

	return f->nan == sign && (code == 0 || code == f->nan) ? code : code | sign;
}

/* ---- the form ---- */

zinc_exact
zinc_exact_of(bool negative, uint64_t mantissa, int exponent)
{
	const int zeros = mantissa ? __builtin_ctzll(mantissa) : 0;

	if (mantissa == 0)
		return (zinc_exact){ZINC_EXACT_ZERO, negative, 0, 0};
	return (zinc_exact){ZINC_EXACT_FINITE, negative, exponent + zeros, mantissa >> zeros};
}

static int
top_bit(uint64_t v)
{
	return 63 - __builtin_clzll(v);
}

/* Should the magnitude be the upper neighbour? `half` is the first bit that is cut off, `rest` any after it. */
static bool
rounds_away(bool negative, bool odd, bool half, bool rest, zinc_rounding rounding)
{
	switch (rounding) {
	case ZINC_ROUND_EVEN:
		return half && (rest || odd);
	case ZINC_ROUND_AWAY:
		return half;
	case ZINC_ROUND_ZERO:
		return false;
	case ZINC_ROUND_UP:
		return !negative && (half || rest);
	case ZINC_ROUND_DOWN:
		return negative && (half || rest);
	}
	return false;
}

/* The magnitude in units of 2^unit, where the unit is above the mantissa's lowest bit. */
static uint64_t
round_to_unit(const zinc_exact *x, int unit, zinc_rounding rounding)
{
	const int cut = unit - x->exponent;
	const uint64_t whole = cut < 64 ? x->mantissa >> cut : 0;
	const bool half = cut <= 64 && x->mantissa >> (cut - 1) & 1;
	const bool rest = cut > 64 || x->mantissa & (((uint64_t)1 << (cut - 1)) - 1);

	return whole + rounds_away(x->negative, whole & 1, half, rest, rounding);
}

/* ---- floats ---- */

void
zinc_float_read(const zinc_float_format *f, uint64_t code, zinc_exact *out)
{
	const uint64_t sign = zinc_float_sign(f), magnitude = code & zinc_float_mask(f) & ~sign;
	const uint64_t hidden = (uint64_t)1 << f->mantissa_bits;
	const bool negative = (code & sign) != 0;
	int exponent = (int)(magnitude >> f->mantissa_bits);
	uint64_t mantissa = magnitude & (hidden - 1);

	*out = (zinc_exact){ZINC_EXACT_NAN, negative, 0, 0};
	if (magnitude > f->max || (negative && magnitude == 0 && f->nan == sign)) {
		if (f->infinity && magnitude == f->infinity)
			out->kind = ZINC_EXACT_INFINITY;
		else if (f->nan == sign)
			out->negative = false;
		return;
	}
	if (exponent > 0 || !f->has_zero)
		mantissa |= hidden;
	else
		exponent = 1;
	*out = zinc_exact_of(negative, mantissa, exponent - f->bias - f->mantissa_bits);
}

static zinc_fit
out_of_range(bool negative)
{
	return negative ? ZINC_FIT_BELOW : ZINC_FIT_ABOVE;
}

/*
 * The code of a magnitude:
 *
 *      1 mmmm | half rest       `units`: the top bit is at the place of 1 in the exponent field, hence - 1 in `base`;
 *      ^                        with a smaller top bit the number is subnormal and the field stays 0
 *      exponent
 *
 * A carry out of the mantissa gives the right exponent.
 */
static zinc_fit
write_magnitude(const zinc_float_format *f, const zinc_exact *x, zinc_rounding rounding, uint64_t *code)
{
	const int top = x->exponent + top_bit(x->mantissa), lowest = 1 - f->bias;
	const int exponent = f->has_zero && top < lowest ? lowest : top;
	const int unit = exponent - f->mantissa_bits;
	const bool exact = x->exponent >= unit;
	uint64_t base, units;

	if (top > (int)(f->max >> f->mantissa_bits) - f->bias)
		return out_of_range(x->negative);
	if (!f->has_zero && top < lowest - 2) /* less than half of the smallest number */
		return ZINC_FIT_BELOW;
	base = (uint64_t)(int64_t)(exponent + f->bias - 1) << f->mantissa_bits;
	units = exact ? x->mantissa << (x->exponent - unit) : round_to_unit(x, unit, rounding);
	if (!f->has_zero && (int64_t)(base + units) < 0)
		return ZINC_FIT_BELOW;
	if (base + units > f->max)
		return out_of_range(x->negative);
	*code = base + units;
	return exact ? ZINC_FIT_EXACT : ZINC_FIT_ROUNDED;
}

static zinc_fit
write_special(const zinc_float_format *f, const zinc_exact *x, uint64_t *code)
{
	switch (x->kind) {
	case ZINC_EXACT_NAN:
		*code = f->nan;
		return f->nan ? ZINC_FIT_EXACT : ZINC_FIT_NONE;
	case ZINC_EXACT_INFINITY:
		*code = f->infinity;
		return f->infinity ? ZINC_FIT_EXACT : out_of_range(x->negative);
	default:
		*code = 0;
		return f->has_zero ? ZINC_FIT_EXACT : ZINC_FIT_BELOW;
	}
}

zinc_fit
zinc_float_write(const zinc_float_format *f, const zinc_exact *x, zinc_rounding rounding, uint64_t *code)
{
	uint64_t c = 0;
	zinc_fit fit;

	if (x->kind == ZINC_EXACT_FINITE && x->negative && !f->has_sign)
		return ZINC_FIT_BELOW;
	fit = x->kind == ZINC_EXACT_FINITE ? write_magnitude(f, x, rounding, &c) : write_special(f, x, &c);
	if (fit > ZINC_FIT_ROUNDED)
		return fit;
	*code = x->negative ? zinc_float_negate(f, c) : c;
	return fit;
}

/* ---- integers ---- */

static void
read_int(const zinc_dtype *t, const void *element, zinc_exact *out)
{
	const unsigned unused = 64 - t->bits;
	const uint64_t bits = zinc_bits_load(element, t->size) << unused;
	const bool negative = t->kind == ZINC_KIND_INT && (int64_t)bits < 0;

	*out = zinc_exact_of(negative, (negative ? 0 - bits : bits) >> unused, 0);
}

/* The magnitude as an integer; false: 2^64 or more. */
static bool
whole_magnitude(const zinc_exact *x, zinc_rounding rounding, uint64_t *out)
{
	*out = 0;
	if (x->kind == ZINC_EXACT_ZERO)
		return true;
	if (x->exponent < 0)
		*out = round_to_unit(x, 0, rounding);
	else if (x->exponent + top_bit(x->mantissa) > 63)
		return false;
	else
		*out = x->mantissa << x->exponent;
	return true;
}

static zinc_fit
write_int(const zinc_dtype *t, const zinc_exact *x, zinc_rounding rounding, void *element)
{
	const bool is_signed = t->kind == ZINC_KIND_INT;
	const uint64_t max = UINT64_MAX >> (64 - t->bits) >> is_signed, min = is_signed ? max + 1 : 0;
	uint64_t v;

	if (x->kind == ZINC_EXACT_NAN)
		return ZINC_FIT_NONE;
	if (x->kind == ZINC_EXACT_INFINITY || !whole_magnitude(x, rounding, &v) || v > (x->negative ? min : max))
		return out_of_range(x->negative);
	zinc_bits_store(element, t->size, x->negative ? 0 - v : v);
	return x->exponent < 0 ? ZINC_FIT_ROUNDED : ZINC_FIT_EXACT;
}

/* The lowest 64 bits of an integral magnitude. */
static uint64_t
low_bits(const zinc_exact *x)
{
	return x->exponent < 64 ? x->mantissa << x->exponent : 0;
}

bool
zinc_exact_wrap(const zinc_dtype *t, const zinc_exact *x, zinc_rounding rounding, void *element)
{
	const unsigned unused = 64 - t->bits;
	uint64_t v;

	if (x->kind > ZINC_EXACT_FINITE)
		return false;
	if (!whole_magnitude(x, rounding, &v))
		v = low_bits(x);
	v = (x->negative ? 0 - v : v) << unused;
	zinc_bits_store(element, t->size, t->kind == ZINC_KIND_INT ? (uint64_t)((int64_t)v >> unused) : v >> unused);
	return true;
}

/* ---- elements ---- */

void
zinc_exact_read(const zinc_dtype *t, const void *element, zinc_exact *out)
{
	if (t->format)
		zinc_float_read(t->format, zinc_bits_load(element, t->size), out);
	else
		read_int(t, element, out);
}

zinc_fit
zinc_exact_write(const zinc_dtype *t, const zinc_exact *x, zinc_rounding rounding, void *element)
{
	uint64_t code = 0;
	zinc_fit fit;

	if (!t->format)
		return write_int(t, x, rounding, element);
	fit = zinc_float_write(t->format, x, rounding, &code);
	if (fit <= ZINC_FIT_ROUNDED)
		zinc_bits_store(element, t->size, code);
	return fit;
}

static uint64_t
float_limit(const zinc_float_format *f, bool low, bool infinite)
{
	if (low && !f->has_sign)
		return 0; /* the code of the smallest number */
	return (infinite && f->infinity ? f->infinity : f->max) | (low ? zinc_float_sign(f) : 0);
}

void
zinc_exact_clamp(const zinc_dtype *t, zinc_fit fit, bool infinite, void *element)
{
	const bool low = fit == ZINC_FIT_BELOW, is_signed = t->kind == ZINC_KIND_INT;
	const uint64_t max = UINT64_MAX >> (64 - t->bits) >> is_signed;
	uint64_t v;

	if (t->format)
		v = float_limit(t->format, low, infinite);
	else if (low)
		v = is_signed ? ~max : 0;
	else
		v = max;
	zinc_bits_store(element, t->size, v);
}

/* ---- doubles ---- */

void
zinc_exact_read_double(double v, zinc_exact *out)
{
	zinc_float_read(&zinc_format_float64, zinc_bits_load(&v, sizeof v), out);
}

double
zinc_exact_double(const zinc_exact *x)
{
	uint64_t code = 0;
	double v;

	if (zinc_float_write(&zinc_format_float64, x, ZINC_ROUND_EVEN, &code) > ZINC_FIT_ROUNDED)
		code = float_limit(&zinc_format_float64, x->negative, true);
	memcpy(&v, &code, sizeof v);
	return v;
}
