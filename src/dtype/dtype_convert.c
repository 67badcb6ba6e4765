/*
 * dtype_convert.c - convert elements of one number type to another
 *
 * Promises (design: "Conversion"; tests/unit/test_dtype_convert.c tries every pair at every boundary):
 *
 * (1) A value that the other type can represent is unchanged.  A value that does not fit is never stored silently.
 * (2) Float to narrower float rounds once, to nearest even.  Integer to float rounds only with ROUND; otherwise a
 *     number that the float cannot represent fails.  A finite number that would become infinite is out of range.
 *     Infinities and NaN pass from float to float.
 * (3) Float to integer: NaN always fails; fractions fail without TRUNCATE.
 * (4) Out of range: CLAMP takes the nearest limit (for floats the largest finite number).  Otherwise, for integers,
 *     WRAP takes the value modulo 2^n, also of floats with an integral value.  Otherwise the element fails.
 *
 * Each pair has a kernel that converts a block of elements and reports whether any of them was exceptional.  It has no
 * branches, so that compilers vectorise it.  Only blocks with exceptional elements are converted again, one by one, by
 * convert_one(), which implements all rules.  Types that C does not have are converted by dtype_small.c.
 */
#include "dtype/element.h"

#include <float.h>
#include <math.h>

#define BLOCK 256

/* ---- one element, all the rules ---- */

/* An integer as 64 bits of two's complement; `negative` says how to read them. */
static bool
int_to_int(const zinc_dtype *to, void *out, bool negative, uint64_t bits, int flags)
{
	const unsigned unused = 64 - to->bits;
	const bool is_signed = to->kind == ZINC_KIND_INT;
	const int64_t min = is_signed ? INT64_MIN >> unused : 0;
	const uint64_t max = is_signed ? (uint64_t)INT64_MAX >> unused : UINT64_MAX >> unused;

	if (negative ? (int64_t)bits < min : bits > max) {
		if (flags & ZINC_CONVERT_CLAMP)
			bits = negative ? (uint64_t)min : max;
		else if (!(flags & ZINC_CONVERT_WRAP))
			return false;
	}
	zinc_bits_store(out, to->size, bits);
	return true;
}

static bool
float_to_int(const zinc_dtype *to, void *out, double v, int flags)
{
	const double whole = trunc(v);
	uint64_t bits;

	if (isnan(v) || (whole != v && !(flags & ZINC_CONVERT_TRUNCATE)))
		return false;
	if (whole >= -0x1p63 && whole < 0x1p63)
		return int_to_int(to, out, whole < 0, (uint64_t)(int64_t)whole, flags);
	if (whole > 0 && whole < 0x1p64)
		return int_to_int(to, out, false, (uint64_t)whole, flags);
	/* outside the range of all integers */
	if (flags & ZINC_CONVERT_CLAMP)
		return int_to_int(to, out, v < 0, v < 0 ? (uint64_t)INT64_MIN : UINT64_MAX, flags);
	if (!(flags & ZINC_CONVERT_WRAP) || isinf(v))
		return false;
	bits = (uint64_t)fmod(fabs(whole), 0x1p64); /* exact */
	zinc_bits_store(out, to->size, v < 0 ? 0 - bits : bits);
	return true;
}

/* The sign is the top bit, so one less than infinity is the largest finite number of either sign. */
static bool
float_to_float(const zinc_dtype *to, void *out, double v, int flags)
{
	const float f = (float)v;
	const bool is_half = to->size == 2;
	const uint64_t infinity = is_half ? 0x7c00 : 0x7f800000;
	uint64_t bits = is_half ? zinc_half_from_double(v) : zinc_bits_load(&f, sizeof f);

	if (isfinite(v) && (bits & infinity) == infinity) {
		if (!(flags & ZINC_CONVERT_CLAMP))
			return false;
		bits--;
	}
	zinc_bits_store(out, to->size, bits);
	return true;
}

/* Binary digits of the significands. */
#define DIGITS_f16 11
#define DIGITS_f32 24
#define DIGITS_f64 53

#define HALF_MAX 65504u

/* Does the magnitude u have at most `digits` binary digits, counted from its lowest set bit?  If the shift overflows,
 * the bound is 2^64 - 1, and every magnitude fits.  For u = 0 both sides are 2^64 - 1, which is right, too. */
#define HAS_DIGITS(u, digits) ((u)-1 <= (((u) & (0 - (u))) << (digits)) - 1)

static bool
int_to_float(const zinc_dtype *to, void *out, bool negative, uint64_t bits, int flags)
{
	const uint64_t u = negative ? 0 - bits : bits;
	const int digits = to->size == 2 ? DIGITS_f16 : to->size == 4 ? DIGITS_f32 : DIGITS_f64;
	const double v = negative ? -(double)u : (double)u;

	if (!(flags & ZINC_CONVERT_ROUND) && !HAS_DIGITS(u, digits) &&
	    !((flags & ZINC_CONVERT_CLAMP) && to->size == 2 && u > HALF_MAX))
		return false;
	if (to->size == 8) { /* exact, like everything without ROUND; with ROUND only float16 gets here */
		memcpy(out, &v, sizeof v);
		return true;
	}
	return float_to_float(to, out, v, flags);
}

static bool
convert_one(const zinc_dtype *to, void *out, const zinc_dtype *from, const void *in, int flags)
{
	const bool is_signed = from->kind == ZINC_KIND_INT;
	const uint64_t bits =
	    is_signed ? (uint64_t)zinc_bits_load_signed(in, from->size) : zinc_bits_load(in, from->size);
	const bool negative = is_signed && (int64_t)bits < 0;
	double v;
	float f;

	if (from->kind != ZINC_KIND_FLOAT) {
		if (to->kind != ZINC_KIND_FLOAT)
			return int_to_int(to, out, negative, bits, flags);
		return int_to_float(to, out, negative, bits, flags);
	}
	if (from->size == 2) {
		v = zinc_half_to_float((uint16_t)bits);
	} else if (from->size == 4) {
		memcpy(&f, in, sizeof f);
		v = f;
	} else {
		memcpy(&v, in, sizeof v);
	}
	return to->kind == ZINC_KIND_FLOAT ? float_to_float(to, out, v, flags) : float_to_int(to, out, v, flags);
}

/* ---- blocks ---- */

/* Convert n <= BLOCK elements.  False: at least one was exceptional, and `out` is not valid. */
typedef bool (*block_fn)(void *restrict out, const void *restrict in, size_t n, int flags);

static size_t
run(void *dst, const void *src, size_t n, int flags, zinc_type to_type, zinc_type from_type, block_fn block)
{
	const zinc_dtype *to = zinc_dtype_of(to_type), *from = zinc_dtype_of(from_type);
	uint64_t spare[BLOCK]; /* the output when elements are only checked */
	size_t at, m, i;

	for (at = 0; at < n; at += m) {
		const uint8_t *in = (const uint8_t *)src + at * from->size;
		uint8_t *out = dst ? (uint8_t *)dst + at * to->size : (uint8_t *)spare;

		m = n - at < BLOCK ? n - at : BLOCK;
		if (block(out, in, m, flags))
			continue;
		for (i = 0; i < m; i++)
			if (!convert_one(to, out + i * to->size, from, in + i * from->size, flags))
				return at + i;
	}
	return n;
}

/* ---- kernels ---- */

/* clang-format off */

/* X(tag, type, element in memory, value in arithmetic, element -> value) */
#define TYPES(X)                                                                           \
	X(i8,  INT8,  int8_t,  int8_t, )            X(u8,  UINT8,  uint8_t,  uint8_t, )    \
	X(i16, INT16, int16_t, int16_t, )           X(u16, UINT16, uint16_t, uint16_t, )   \
	X(i32, INT32, int32_t, int32_t, )           X(u32, UINT32, uint32_t, uint32_t, )   \
	X(i64, INT64, int64_t, int64_t, )           X(u64, UINT64, uint64_t, uint64_t, )   \
	X(f16, FLOAT16, uint16_t, float, zinc_half_widen)                                  \
	X(f32, FLOAT32, float, float, )             X(f64, FLOAT64, double, double, )

/* Elements may be at any address, and may alias other types. */
#define DEFINE_TYPE(tag, number, element, value, widen)                               \
	enum { type_##tag = ZINC_##number };                                          \
	typedef element tag;                                                          \
	typedef value value_##tag;                                                    \
	typedef element memory_##tag __attribute__((aligned(1), may_alias));          \
	static inline value get_##tag(const void *p, size_t i)                        \
	{                                                                             \
		return widen(((const memory_##tag *)p)[i]);                           \
	}                                                                             \
	static inline void put_##tag(void *p, size_t i, element v)                    \
	{                                                                             \
		((memory_##tag *)p)[i] = v;                                           \
	}
TYPES(DEFINE_TYPE)

/* The limits of the integers: least, greatest, first power of two above; and the type that holds all of them when
 * converting from a float. */
enum { MIN_i8 = INT8_MIN, MIN_i16 = INT16_MIN, MIN_i32 = INT32_MIN, MIN_u8 = 0, MIN_u16 = 0, MIN_u32 = 0, MIN_u64 = 0 };
#define MIN_i64 INT64_MIN
#define MAX_i8  ((uint64_t)INT8_MAX)
#define MAX_i16 ((uint64_t)INT16_MAX)
#define MAX_i32 ((uint64_t)INT32_MAX)
#define MAX_i64 ((uint64_t)INT64_MAX)
#define MAX_u8  ((uint64_t)UINT8_MAX)
#define MAX_u16 ((uint64_t)UINT16_MAX)
#define MAX_u32 ((uint64_t)UINT32_MAX)
#define MAX_u64 UINT64_MAX
#define END_i8  0x1p7f
#define END_i16 0x1p15f
#define END_i32 0x1p31f
#define END_i64 0x1p63f
#define END_u8  0x1p8f
#define END_u16 0x1p16f
#define END_u32 0x1p32f
#define END_u64 0x1p64f
typedef int32_t via_i8, via_i16, via_i32, via_u8, via_u16;
typedef int64_t via_i64, via_u32;
typedef uint64_t via_u64;

/* Full blocks have a separate loop, because compilers vectorise a constant count already at -O2. */
#define LOOP(body)                            \
	if (n == BLOCK)                       \
		for (i = 0; i < BLOCK; i++) { \
			body;                 \
		}                             \
	else                                  \
		for (i = 0; i < n; i++) {     \
			body;                 \
		}

/* A kernel.  `prepare` declares the variables of the loop, `body` converts element i from `in` to `out` and sets bits
 * of `bad`, and `ok` is the result. */
#define KERNEL(to, from, prepare, body, ok)                                                                  \
	static bool from##_to_##to##_block(void *restrict out, const void *restrict in, size_t n, int flags) \
	{                                                                                                    \
		unsigned bad = 0;                                                                            \
		size_t i;                                                                                    \
		prepare;                                                                                     \
		(void)flags;                                                                                 \
		LOOP(body)                                                                                   \
		return ok;                                                                                   \
	}                                                                                                    \
	static size_t from##_to_##to(void *dst, const void *src, size_t n, int flags)                        \
	{                                                                                                    \
		return run(dst, src, n, flags, (zinc_type)type_##to, (zinc_type)type_##from,                 \
		           from##_to_##to##_block);                                                          \
	}

/* lo and hi are the range that both types share, as values of `from`.  The cast is already modulo 2^n. */
#define INT_TO_INT(to, from)                                                                             \
	KERNEL(to, from,                                                                                 \
	       const from lo = (from)(MIN_##to > MIN_##from ? MIN_##to : MIN_##from);                    \
	       const from hi = (from)(MAX_##to < MAX_##from ? MAX_##to : MAX_##from),                    \
	       const from v = get_##from(in, i);                                                         \
	       bad |= (v < lo) | (v > hi);                                                               \
	       put_##to(out, i, (to)v),                                                                  \
	       !bad || (flags & (ZINC_CONVERT_WRAP | ZINC_CONVERT_CLAMP)) == ZINC_CONVERT_WRAP)

/* Integers and floats that can represent all of them. */
#define TO_FLOAT(to, from) KERNEL(to, from, , put_##to(out, i, (to)get_##from(in, i)), !bad)

/* Of other integers only those with few enough digits, unless rounding is allowed. */
typedef uint32_t size_i16, size_u16, size_i32, size_u32;
typedef uint64_t size_i64, size_u64;
#define INEXACT(to, from, v) (!HAS_DIGITS(v < none ? (size_##from)0 - (size_##from)v : (size_##from)v, DIGITS_##to))
#define ROUND_TO_FLOAT(to, from)                                                      \
	KERNEL(to, from,                                                              \
	       const from none = 0;                                                   \
	       const unsigned exact = !(flags & ZINC_CONVERT_ROUND),                  \
	       const from v = get_##from(in, i);                                      \
	       bad |= (unsigned)INEXACT(to, from, v) & exact;                         \
	       put_##to(out, i, (to)v),                                               \
	       !bad)
#define ROUND_TO_HALF(to, from)                                                       \
	KERNEL(to, from,                                                              \
	       const from none = 0;                                                   \
	       const unsigned exact = !(flags & ZINC_CONVERT_ROUND),                  \
	       const from v = get_##from(in, i);                                      \
	       const uint16_t h = zinc_half_from_double((double)v);                   \
	       bad |= ((unsigned)INEXACT(to, from, v) & exact) | ((h & 0x7fff) == 0x7c00); \
	       put_##to(out, i, h),                                                   \
	       !bad)

/* Infinities are exceptional, too; convert_one passes them on. */
#define TO_HALF(to, from)                                                                 \
	KERNEL(to, from, ,                                                                \
	       const uint16_t h = zinc_half_from_double((double)get_##from(in, i));       \
	       bad |= (h & 0x7fff) == 0x7c00;                                             \
	       put_##to(out, i, h),                                                       \
	       !bad)
#define TO_SINGLE(to, from)                             \
	KERNEL(to, from, ,                              \
	       const to v = (to)get_##from(in, i);      \
	       bad |= fabsf(v) > FLT_MAX;               \
	       put_##to(out, i, v),                     \
	       !bad)

typedef uint32_t mask_f16, mask_f32; /* as wide as the floats, so that vectors of both match */
typedef uint64_t mask_f64;

/* Are all elements of a block in [lo, end)?  NaN compares false. */
#define DEFINE_INSIDE(from)                                                                    \
	static bool from##_inside(const void *in, size_t n, value_##from lo, value_##from end) \
	{                                                                                      \
		mask_##from outside = 0;                                                       \
		size_t i;                                                                      \
		LOOP(const value_##from v = get_##from(in, i);                                 \
		     outside |= !((v >= lo) & (v < end)))                                      \
		return !outside;                                                               \
	}
DEFINE_INSIDE(f16)
DEFINE_INSIDE(f32)
DEFINE_INSIDE(f64)

/* Values outside that truncate to the last integer are left to convert_one. */
#define FLOAT_TO_INT(to, from)                                                                        \
	KERNEL(to, from,                                                                              \
	       const mask_##from exact = !(flags & ZINC_CONVERT_TRUNCATE);                            \
	       if (!from##_inside(in, n, (value_##from)MIN_##to, (value_##from)END_##to))             \
		       return false,                                                                  \
	       const value_##from v = get_##from(in, i);                                              \
	       const via_##to w = (via_##to)v;                                                        \
	       bad |= ((value_##from)w != v) & exact;                                                 \
	       put_##to(out, i, (to)w),                                                               \
	       !bad)

/* Each M(to, from) once. */
#define FROM_INTS(M, to)   M(to, i8) M(to, i16) M(to, i32) M(to, i64) M(to, u8) M(to, u16) M(to, u32) M(to, u64)
#define FROM_FLOATS(M, to) M(to, f16) M(to, f32) M(to, f64)
#define TO_INTS(ROW, M)    ROW(M, i8) ROW(M, i16) ROW(M, i32) ROW(M, i64) ROW(M, u8) ROW(M, u16) ROW(M, u32) ROW(M, u64)

TO_INTS(FROM_INTS, INT_TO_INT)
TO_INTS(FROM_FLOATS, FLOAT_TO_INT)
TO_FLOAT(f64, i8) TO_FLOAT(f64, i16) TO_FLOAT(f64, i32) TO_FLOAT(f64, u8) TO_FLOAT(f64, u16) TO_FLOAT(f64, u32)
ROUND_TO_FLOAT(f64, i64) ROUND_TO_FLOAT(f64, u64)
TO_FLOAT(f32, i8) TO_FLOAT(f32, i16) TO_FLOAT(f32, u8) TO_FLOAT(f32, u16)
ROUND_TO_FLOAT(f32, i32) ROUND_TO_FLOAT(f32, i64) ROUND_TO_FLOAT(f32, u32) ROUND_TO_FLOAT(f32, u64)
TO_HALF(f16, i8) TO_HALF(f16, u8)
ROUND_TO_HALF(f16, i16) ROUND_TO_HALF(f16, i32) ROUND_TO_HALF(f16, i64)
ROUND_TO_HALF(f16, u16) ROUND_TO_HALF(f16, u32) ROUND_TO_HALF(f16, u64)
TO_FLOAT(f32, f16)
TO_FLOAT(f64, f16)
TO_FLOAT(f64, f32)
TO_HALF(f16, f32)
TO_HALF(f16, f64)
TO_SINGLE(f32, f64)

/* ---- copies, complex numbers ---- */

typedef size_t (*kernel_fn)(void *dst, const void *src, size_t n, int flags);

#define COPY(size)                                                                                                     \
	static size_t copy_##size(void *dst, const void *src, size_t n, int flags)                                     \
	{                                                                                                              \
		(void)flags;                                                                                           \
		if (dst && n > 0)                                                                                      \
			memcpy(dst, src, n * (size));                                                                   \
		return n;                                                                                              \
	}
COPY(1)
COPY(2)
COPY(4)
COPY(8)
COPY(16)

enum { type_c64 = ZINC_COMPLEX64, type_c128 = ZINC_COMPLEX128 };

#define TO_COMPLEX(to, part, from)                                                                          \
	static size_t from##_to_##to(void *dst, const void *src, size_t n, int flags)                       \
	{                                                                                                   \
		return zinc_real_to_complex((zinc_type)type_##to, (zinc_type)type_##from, dst, src, n, flags); \
	}
#define TO_C64(to, from)  TO_COMPLEX(to, f32, from)
#define TO_C128(to, from) TO_COMPLEX(to, f64, from)
FROM_INTS(TO_C64, c64)
FROM_INTS(TO_C128, c128)
FROM_FLOATS(TO_C64, c64)
FROM_FLOATS(TO_C128, c128)
/* clang-format on */

static size_t
c64_to_c128(void *dst, const void *src, size_t n, int flags)
{
	return f32_to_f64(dst, src, 2 * n, flags) / 2;
}

static size_t
c128_to_c64(void *dst, const void *src, size_t n, int flags)
{
	return f64_to_f32(dst, src, 2 * n, flags) / 2; /* the element of the part that failed */
}

/* ---- the table ---- */

#define ENTRY(to, from) [type_##to][type_##from] = from##_to_##to,

static const kernel_fn table[ZINC_RAW][ZINC_RAW] = {
    /* clang-format off */
	TO_INTS(FROM_INTS, ENTRY)
	TO_INTS(FROM_FLOATS, ENTRY)
	FROM_INTS(ENTRY, f16) FROM_INTS(ENTRY, f32) FROM_INTS(ENTRY, f64)
	FROM_INTS(ENTRY, c64) FROM_INTS(ENTRY, c128)
	FROM_FLOATS(ENTRY, c64) FROM_FLOATS(ENTRY, c128)
	ENTRY(f32, f16) ENTRY(f64, f16) ENTRY(f64, f32)
	ENTRY(f16, f32) ENTRY(f16, f64) ENTRY(f32, f64)
	ENTRY(c64, c128) ENTRY(c128, c64)
	[ZINC_BOOL][ZINC_BOOL] = copy_1,
	[ZINC_FLOAT16][ZINC_FLOAT16] = copy_2, [ZINC_FLOAT32][ZINC_FLOAT32] = copy_4, [ZINC_FLOAT64][ZINC_FLOAT64] = copy_8,
	[ZINC_COMPLEX64][ZINC_COMPLEX64] = copy_8, [ZINC_COMPLEX128][ZINC_COMPLEX128] = copy_16,
    /* clang-format on */
};

const char *
zinc_convert_remedy(bool rounding_helps)
{
	return rounding_helps ? " exactly; ROUND (--round) takes the nearest" : "";
}

/* NULL: a type that has no kernels, or two that do not convert. */
static kernel_fn
kernel_of(zinc_type to, zinc_type from)
{
	return (unsigned)to < ZINC_RAW && (unsigned)from < ZINC_RAW ? table[to][from] : NULL;
}

bool
zinc_dtype_converts(zinc_type to, zinc_type from)
{
	return kernel_of(to, from) || zinc_small_converts(to, from);
}

size_t
zinc_dtype_convert(zinc_type to, zinc_type from, void *dst, const void *src, size_t n, int flags)
{
	const kernel_fn kernel = kernel_of(to, from);

	return kernel ? kernel(dst, src, n, flags) : zinc_small_convert(to, from, dst, src, n, flags);
}
