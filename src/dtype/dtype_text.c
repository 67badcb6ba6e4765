/*
 * dtype_text.c - one number as text: for people as NumPy prints a scalar, for programs as JSON
 *
 *     True   -7   0.1   1.0   1e-05   1e+16   nan   -inf   (1+2j)   2j   b'\x00\xFF'
 *
 * (1) A float has the fewest digits that read back as the same number of its own type.
 * (2) The thread's locale does not matter.
 */
#include "dtype/element.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- shortest decimals ---- */

/* The number of an element of a float type; halves and floats exactly. */
static double
float_value(uint64_t bits, size_t size)
{
	const uint32_t b4 = (uint32_t)bits;
	double d;
	float f;

	if (size == 2)
		return zinc_half_to_float((uint16_t)bits);
	if (size == 4) {
		memcpy(&f, &b4, sizeof f);
		return f;
	}
	memcpy(&d, &bits, sizeof d);
	return d;
}

/* The bits of the element nearest to the decimal, with one rounding; for halves test_dtype_text.c tries them all. */
static uint64_t
read_back(const char *text, size_t size)
{
	const double d = strtod(text, NULL);
	const float f = strtof(text, NULL);

	return size == 2 ? zinc_half_from_double(d) : size == 4 ? zinc_bits_load(&f, 4) : zinc_bits_load(&d, 8);
}

#define DIGITS_MAX 17

/*
 * The shortest decimal of a finite number >= 0 of `size` bytes, as printf's %e, perhaps with zeros behind.  Tried first
 * are as many digits as every decimal survives (3, 6, 15; subnormal numbers have fewer), then
 * one more until it reads back.  printf and strtod share the locale, so its decimal point cancels out.
 */
static void
shortest(uint64_t bits, size_t size, char text[48])
{
	const double v = float_value(bits, size), normal = size == 2 ? 0x1p-14 : size == 4 ? FLT_MIN : DBL_MIN;
	int digits = v < normal ? 1 : size == 2 ? 3 : size == 4 ? 6 : 15;

	do
		snprintf(text, 48, "%.*e", digits - 1, v);
	while (++digits <= DIGITS_MAX && read_back(text, size) != bits);
}

double
zinc_float_shortest(uint64_t bits, size_t size)
{
	const uint64_t sign = (uint64_t)1 << (size * 8 - 1);
	char text[48];

	shortest(bits & ~sign, size, text);
	return copysign(strtod(text, NULL), bits & sign ? -1 : 1);
}

/* ---- floats as NumPy writes them ---- */

/* Significant digits without trailing zeros, and the exponent of the first. */
typedef struct digits {
	char text[DIGITS_MAX + 1];
	int n, exponent;
} digits;

/* The digits of "1.25000e-07" and its exponent, whatever stands for the point. */
static digits
digits_of(uint64_t bits, size_t size)
{
	digits out = {"0", 0, 0};
	char text[48];
	const char *p;

	shortest(bits, size, text);
	for (p = text; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			out.text[out.n++] = *p;
	out.exponent = (int)strtol(p + 1, NULL, 10);
	while (out.n > 1 && out.text[out.n - 1] == '0')
		out.n--;
	return out;
}

/* "123.45", "0.00123", "1200"; with `zero` integers get ".0" */
static zinc_status
print_plain(digits d, bool zero, zinc_buf *out, zinc_error *err)
{
	const int whole = d.exponent + 1; /* digits in front of the point */
	char text[64];
	int i, n = 0;

	if (whole <= 0)
		text[n++] = '0';
	for (i = 0; i < whole; i++)
		text[n++] = i < d.n ? d.text[i] : '0';
	if (d.n > whole || zero)
		text[n++] = '.';
	if (d.n <= whole && zero)
		text[n++] = '0';
	for (i = whole; i < d.n; i++)
		text[n++] = i < 0 ? '0' : d.text[i];
	return zinc_buf_add(out, text, (size_t)n, err);
}

/* "1.5e-07", "1e+16" */
static zinc_status
print_scientific(digits d, zinc_buf *out, zinc_error *err)
{
	return zinc_buf_printf(out, err, "%c%s%.*se%c%02d", d.text[0], d.n > 1 ? "." : "", d.n - 1, d.text + 1,
			       d.exponent < 0 ? '-' : '+', abs(d.exponent));
}

/* `plus`: a sign always; `zero`: "1.0" for 1. */
static zinc_status
print_float(uint64_t bits, size_t size, bool plus, bool zero, zinc_buf *out, zinc_error *err)
{
	const double v = float_value(bits, size), a = fabs(v);

	if (isnan(v))
		return zinc_buf_puts(out, plus ? "+nan" : "nan", err);
	if (signbit(v) || plus)
		ZINC_TRY(zinc_buf_puts(out, signbit(v) ? "-" : "+", err));
	if (isinf(v))
		return zinc_buf_puts(out, "inf", err);
	bits &= ~((uint64_t)1 << (size * 8 - 1));
	if (v == 0 || (a >= 1e-4 && a < 1e16))
		return print_plain(digits_of(bits, size), zero, out, err);
	return print_scientific(digits_of(bits, size), out, err);
}

/* As a JSON number; NaN and the infinities are strings, as in the v3 specification. */
static zinc_status
print_json(uint64_t bits, size_t size, zinc_buf *out, zinc_error *err)
{
	const double v = float_value(bits, size);

	if (isnan(v))
		return zinc_buf_puts(out, "\"NaN\"", err);
	if (isinf(v))
		return zinc_buf_puts(out, v < 0 ? "\"-Infinity\"" : "\"Infinity\"", err);
	return print_float(bits, size, false, true, out, err);
}

/* ---- the operations ---- */

zinc_status
zinc_print_bool(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const bool v = *(const uint8_t *)element;

	(void)t;
	if (how == ZINC_SPELL_JSON)
		return zinc_buf_puts(out, v ? "true" : "false", err);
	return zinc_buf_puts(out, v ? "True" : "False", err);
}

zinc_status
zinc_print_int(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	(void)how;
	if (t->kind == ZINC_KIND_INT)
		return zinc_buf_printf(out, err, "%" PRId64, zinc_bits_load_signed(element, t->size));
	return zinc_buf_printf(out, err, "%" PRIu64, zinc_bits_load(element, t->size));
}

zinc_status
zinc_print_float(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const uint64_t bits = zinc_bits_load(element, t->size);

	if (how == ZINC_SPELL_JSON)
		return print_json(bits, t->size, out, err);
	return print_float(bits, t->size, false, true, out, err);
}

/* "[1.0,2.0]" in JSON; "(1+2j)" to people, as NumPy without the real part when that is +0. */
zinc_status
zinc_print_complex(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const size_t size = t->unit;
	const uint64_t re = zinc_bits_load(element, size), im = zinc_bits_load((const uint8_t *)element + size, size);

	if (how == ZINC_SPELL_JSON) {
		ZINC_TRY(zinc_buf_puts(out, "[", err));
		ZINC_TRY(print_json(re, size, out, err));
		ZINC_TRY(zinc_buf_puts(out, ",", err));
		ZINC_TRY(print_json(im, size, out, err));
		return zinc_buf_puts(out, "]", err);
	}
	if (re == 0) {
		ZINC_TRY(print_float(im, size, false, false, out, err));
		return zinc_buf_puts(out, "j", err);
	}
	ZINC_TRY(zinc_buf_puts(out, "(", err));
	ZINC_TRY(print_float(re, size, false, false, out, err));
	ZINC_TRY(print_float(im, size, true, false, out, err));
	return zinc_buf_puts(out, "j)", err);
}

/* Base64 in JSON.  NumPy shows every byte of a void scalar by its number, also where it is a letter. */
zinc_status
zinc_print_raw(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const uint8_t *p = element;
	size_t i;

	if (how == ZINC_SPELL_JSON) {
		ZINC_TRY(zinc_buf_puts(out, "\"", err));
		ZINC_TRY(zinc_base64_encode(p, t->size, out, err));
		return zinc_buf_puts(out, "\"", err);
	}
	ZINC_TRY(zinc_buf_puts(out, "b'", err));
	for (i = 0; i < t->size; i++)
		ZINC_TRY(zinc_buf_printf(out, err, "\\x%02X", p[i]));
	return zinc_buf_puts(out, "'", err);
}
