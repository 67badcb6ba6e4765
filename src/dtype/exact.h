/*
 * exact.h - any number of any real type, exactly, and its rounding to another type
 *
 * Integers of 2 to 64 bits and all formats of floats pass through one form: sign, 64 bits of mantissa, binary exponent.
 * Conversions round once, from there.  Which values are allowed to round or to leave the range is for callers to say.
 */
#ifndef ZINC_EXACT_H
#define ZINC_EXACT_H

#include "dtype/dtype.h"

/*
 * A format of floats of up to 64 bits:
 *
 *      s eee mmmm      value (-1)^s * 1.mmmm * 2^(eee - bias); eee = 0: 0.mmmm * 2^(1 - bias)
 *
 * Without its sign, a code counts up with the value, up to `max`.
 */
struct zinc_float_format {
	uint8_t exponent_bits, mantissa_bits;
	bool has_sign;
	bool has_zero; /* false: no zero and no subnormals; eee = 0 is a power of two as any other */
	int16_t bias;
	uint64_t max;      /* the code of the largest finite number */
	uint64_t infinity; /* its code; 0: none */
	uint64_t nan;      /* the code of the NaN that is written; 0: none */
	uint8_t digits;    /* bytes of the IEEE float whose shortest decimal is printed */
};

extern const zinc_float_format zinc_format_float16, zinc_format_float32, zinc_format_float64, zinc_format_bfloat16,
    zinc_format_float4_e2m1fn, zinc_format_float6_e2m3fn, zinc_format_float6_e3m2fn, zinc_format_float8_e3m4,
    zinc_format_float8_e4m3, zinc_format_float8_e4m3b11fnuz, zinc_format_float8_e4m3fnuz, zinc_format_float8_e5m2,
    zinc_format_float8_e5m2fnuz, zinc_format_float8_e8m0fnu;

/* All bits of a code: the sign, if there is one, and the rest. */
uint64_t zinc_float_mask(const zinc_float_format *f);
uint64_t zinc_float_sign(const zinc_float_format *f); /* 0: no sign */
/* Set the sign of a code without one; of zero only where there is -0. */
uint64_t zinc_float_negate(const zinc_float_format *f, uint64_t code);

typedef enum zinc_rounding {
	ZINC_ROUND_EVEN, /* to the nearest; halfway, to the even mantissa: up where a format has no mantissa bits */
	ZINC_ROUND_AWAY, /* to the nearest; halfway, away from zero */
	ZINC_ROUND_ZERO, /* towards zero */
	ZINC_ROUND_UP,   /* towards +infinity */
	ZINC_ROUND_DOWN  /* towards -infinity */
} zinc_rounding;

typedef enum zinc_exact_kind {
	ZINC_EXACT_ZERO,
	ZINC_EXACT_FINITE,
	ZINC_EXACT_INFINITY,
	ZINC_EXACT_NAN
} zinc_exact_kind;

/* A number.  Equal numbers have equal members: a finite mantissa is odd, otherwise mantissa and exponent are 0. */
typedef struct zinc_exact {
	zinc_exact_kind kind;
	bool negative; /* also of zero and NaN */
	int exponent;
	uint64_t mantissa; /* the magnitude is mantissa * 2^exponent */
} zinc_exact;

typedef enum zinc_fit {
	ZINC_FIT_EXACT,
	ZINC_FIT_ROUNDED,
	ZINC_FIT_ABOVE, /* out of range, also infinity */
	ZINC_FIT_BELOW, /* likewise -infinity, negative numbers where there is no sign, 0 where there is no zero */
	ZINC_FIT_NONE   /* NaN, and the type has none */
} zinc_fit;

/* The number mantissa * 2^exponent of any mantissa, also 0. */
zinc_exact zinc_exact_of(bool negative, uint64_t mantissa, int exponent);

/* Read one element; `t` has kind INT, UINT or FLOAT.  All bits of a small type's byte above t->bits are ignored. */
void zinc_exact_read(const zinc_dtype *t, const void *element, zinc_exact *out);
/* Store the number, rounded if need be, in one element.  Rounding comes before the test of the range: the limit is
 * the largest finite number, also where infinity exists.  With ABOVE, BELOW and NONE nothing is stored.  -0 becomes 0
 * where there is no -0, which is exact. */
zinc_fit zinc_exact_write(const zinc_dtype *t, const zinc_exact *x, zinc_rounding rounding, void *element);
/* After ABOVE or BELOW: store the nearest limit; `infinite`: an infinity where the type has one. */
void zinc_exact_clamp(const zinc_dtype *t, zinc_fit fit, bool infinite, void *element);
/* Of integer types: store the rounded number modulo 2^bits.  False: not a finite number. */
bool zinc_exact_wrap(const zinc_dtype *t, const zinc_exact *x, zinc_rounding rounding, void *element);

/* The same of the code of a float, for instance of a part of a complex number. */
void zinc_float_read(const zinc_float_format *f, uint64_t code, zinc_exact *out);
zinc_fit zinc_float_write(const zinc_float_format *f, const zinc_exact *x, zinc_rounding rounding, uint64_t *code);

/* A double <-> the form.  Of a number with more than 53 digits, the double nearest to it. */
void zinc_exact_read_double(double v, zinc_exact *out);
double zinc_exact_double(const zinc_exact *x);

#endif
