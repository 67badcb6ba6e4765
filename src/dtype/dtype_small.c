/*
 * dtype_small.c - convert elements from and to the types that C does not have: int2 ... uint4, bfloat16, small floats
 *
 * Promises (tests/unit/test_dtype_small.c names each by its number):
 *
 * (1) The rules of dtype_convert.c hold, with one rounding from any type to any other.
 * (2) NaN and infinities are out of range where the type has none; CLAMP takes the largest number for an infinity.
 * (3) 0 and negative numbers are out of range where the type has no zero or no sign.
 *
 * Every value of a small type is one of float32, or of int8, so what leaves a small type for a type of C does so through
 * the kernels of those.  All else goes number by number through the exact form (exact.h).
 */
#include "dtype/element.h"
#include "dtype/exact.h"

#define BLOCK 256

/* ---- the rules ---- */

/* A float narrows to the nearest; an integer must be exact without ROUND, as must a float's integer without TRUNCATE. */
static bool
may_round(const zinc_dtype *to, const zinc_dtype *from, int flags)
{
	if (to->kind != ZINC_KIND_FLOAT)
		return flags & ZINC_CONVERT_TRUNCATE;
	return from->kind == ZINC_KIND_FLOAT || flags & ZINC_CONVERT_ROUND;
}

/* Is a number that rounds to the largest one above it?  Then CLAMP applies. */
static bool
is_beyond(const zinc_dtype *to, const zinc_exact *x)
{
	uint64_t spare;

	return zinc_exact_write(to, x, x->negative ? ZINC_ROUND_DOWN : ZINC_ROUND_UP, &spare) >= ZINC_FIT_ABOVE;
}

static bool
convert_one(const zinc_dtype *to, void *out, const zinc_dtype *from, const void *in, int flags)
{
	const bool to_int = to->kind != ZINC_KIND_FLOAT;
	const zinc_rounding rounding = to_int ? ZINC_ROUND_ZERO : ZINC_ROUND_EVEN;
	zinc_exact x;
	zinc_fit fit;

	zinc_exact_read(from, in, &x);
	if (to_int && x.exponent < 0 && !may_round(to, from, flags)) /* a fraction */
		return false;
	fit = zinc_exact_write(to, &x, rounding, out);
	if (fit == ZINC_FIT_EXACT || fit == ZINC_FIT_NONE)
		return fit == ZINC_FIT_EXACT;
	if (fit == ZINC_FIT_ROUNDED)
		return may_round(to, from, flags) || (flags & ZINC_CONVERT_CLAMP && is_beyond(to, &x));
	if (flags & ZINC_CONVERT_CLAMP)
		zinc_exact_clamp(to, fit, false, out);
	else
		return to_int && flags & ZINC_CONVERT_WRAP && zinc_exact_wrap(to, &x, rounding, out);
	return true;
}

static size_t
convert_each(const zinc_dtype *to, const zinc_dtype *from, void *dst, const void *src, size_t n, int flags)
{
	uint64_t spare;
	size_t i;

	for (i = 0; i < n; i++)
		if (!convert_one(to, dst ? (uint8_t *)dst + i * to->size : (uint8_t *)&spare, from,
				 (const uint8_t *)src + i * from->size, flags))
			return i;
	return n;
}

/* The most frequent of these conversions: a bfloat16 is the upper half of a float32, rounded to even.  From halfway to
 * the number after the largest on, the rules decide. */
static size_t
singles_to_bfloats(void *dst, const void *src, size_t n, int flags)
{
	const zinc_dtype *to = zinc_dtype_of(ZINC_BFLOAT16), *from = zinc_dtype_of(ZINC_FLOAT32);
	const uint8_t *in = src;
	uint16_t code = 0;
	uint32_t bits;
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(&bits, in + i * sizeof bits, sizeof bits);
		if ((bits & INT32_MAX) < 0x7f7f8000)
			code = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
		else if (!convert_one(to, &code, from, &bits, flags))
			return i;
		if (dst)
			memcpy((uint8_t *)dst + i * sizeof code, &code, sizeof code);
	}
	return n;
}

double
zinc_dtype_round(zinc_type type, double v)
{
	const zinc_dtype *t = zinc_dtype_of(type);
	uint64_t code;
	zinc_exact x;

	if (!t || !t->format)
		return v;
	zinc_exact_read_double(v, &x);
	if (zinc_float_write(t->format, &x, ZINC_ROUND_EVEN, &code) > ZINC_FIT_ROUNDED)
		return v;
	return zinc_float_value(t->format, code);
}

/* ---- from a small type, by way of one of C ---- */

/* The type of C that has all its values. */
static zinc_type
wider(const zinc_dtype *from)
{
	return from->kind == ZINC_KIND_FLOAT ? ZINC_FLOAT32 : ZINC_INT8;
}

static void
widen_bfloats(uint32_t *out, const uint8_t *in, size_t n)
{
	uint16_t code;
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(&code, in + i * sizeof code, sizeof code);
		out[i] = (uint32_t)code << 16;
	}
}

/* Each code once; then elements are looked up. */
static void
widen_bytes(const zinc_dtype *from, uint32_t *out, const uint8_t *in, size_t n, uint32_t table[256], bool known[256])
{
	size_t i;

	for (i = 0; i < n; i++) {
		const uint8_t code = in[i];

		if (!known[code]) {
			(void)convert_one(zinc_dtype_of(ZINC_FLOAT32), &table[code], from, &code, 0);
			known[code] = true;
		}
		out[i] = table[code];
	}
}

static size_t
convert_from_small(zinc_type to_type, const zinc_dtype *from, void *dst, const void *src, size_t n, int flags)
{
	const size_t size = zinc_type_size(to_type);
	uint32_t wide[BLOCK], table[256];
	bool known[256] = {false};
	size_t at, m, done;

	for (at = 0; at < n; at += m) {
		const uint8_t *in = (const uint8_t *)src + at * from->size;

		m = n - at < BLOCK ? n - at : BLOCK;
		if (from->kind != ZINC_KIND_FLOAT)
			zinc_small_swap(from, false, wide, in, m);
		else if (from->size == 2)
			widen_bfloats(wide, in, m);
		else
			widen_bytes(from, wide, in, m, table, known);
		done =
		    zinc_dtype_convert(to_type, wider(from), dst ? (uint8_t *)dst + at * size : NULL, wide, m, flags);
		if (done < m)
			return at + done;
	}
	return n;
}

/* ---- complex numbers ---- */

/* The type of a complex number's parts. */
static zinc_type
part_of(zinc_type type)
{
	const zinc_dtype *t = zinc_dtype_of(type), *part;
	int i;

	for (i = ZINC_FLOAT16; (part = zinc_dtype_of((zinc_type)i)) || i == ZINC_RAW; i++)
		if (part && part->kind == ZINC_KIND_FLOAT && part->format == t->format)
			return (zinc_type)i;
	return ZINC_NATIVE;
}

/* n parts, each followed by as many zeros. */
static void
spread(uint8_t *out, const uint8_t *parts, size_t n, size_t size)
{
	uint64_t part[2] = {0, 0};
	size_t i;

	for (i = 0; i < n && size == 4; i++) {
		memcpy(part, parts + i * 4, 4);
		memcpy(out + i * 8, part, 8);
	}
	for (i = 0; i < n && size == 8; i++) {
		memcpy(part, parts + i * 8, 8);
		memcpy(out + i * 16, part, 16);
	}
	for (i = 0; i < n && size < 4; i++) {
		memcpy(part, parts + i * size, size);
		memcpy(out + i * 2 * size, part, 2 * size);
	}
}

size_t
zinc_real_to_complex(zinc_type to, zinc_type from, void *dst, const void *src, size_t n, int flags)
{
	const zinc_type part = part_of(to);
	const size_t size = zinc_type_size(part);
	uint8_t parts[BLOCK * sizeof(double)];
	size_t at, m, done;

	for (at = 0; at < n; at += m) {
		m = n - at < BLOCK ? n - at : BLOCK;
		done =
		    zinc_dtype_convert(part, from, parts, (const uint8_t *)src + at * zinc_type_size(from), m, flags);
		if (done < m)
			return at + done;
		if (dst)
			spread((uint8_t *)dst + at * 2 * size, parts, m, size);
	}
	return n;
}

/* ---- which ---- */

static bool
is_number(const zinc_dtype *t)
{
	return t && (t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT || t->kind == ZINC_KIND_FLOAT ||
		     t->kind == ZINC_KIND_COMPLEX);
}

bool
zinc_small_converts(zinc_type to_type, zinc_type from_type)
{
	const zinc_dtype *to = zinc_dtype_of(to_type), *from = zinc_dtype_of(from_type);

	if (!is_number(to) || !is_number(from))
		return false;
	if (from->kind == ZINC_KIND_COMPLEX)
		return to->kind == ZINC_KIND_COMPLEX;
	return to->kind != ZINC_KIND_COMPLEX || to->format->has_zero;
}

size_t
zinc_small_convert(zinc_type to_type, zinc_type from_type, void *dst, const void *src, size_t n, int flags)
{
	const zinc_dtype *to = zinc_dtype_of(to_type), *from = zinc_dtype_of(from_type);

	if (to == from) {
		if (dst && n > 0)
			memcpy(dst, src, n * to->size);
		return n;
	}
	if (from->kind == ZINC_KIND_COMPLEX) /* the element of the part that failed */
		return zinc_dtype_convert(part_of(to_type), part_of(from_type), dst, src, 2 * n, flags) / 2;
	if (to->kind == ZINC_KIND_COMPLEX)
		return zinc_real_to_complex(to_type, from_type, dst, src, n, flags);
	if (to_type < ZINC_RAW)
		return convert_from_small(to_type, from, dst, src, n, flags);
	if (to_type == ZINC_BFLOAT16 && from_type == ZINC_FLOAT32)
		return singles_to_bfloats(dst, src, n, flags);
	return convert_each(to, from, dst, src, n, flags);
}
