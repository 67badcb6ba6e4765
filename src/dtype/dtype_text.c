/*
 * dtype_text.c - one number as text: as NumPy prints a scalar, or as JSON
 *
 *     True   -7   0.1   1.0   1e-05   1e+16   nan   -inf   (1+2j)   2j   b'\x00\xFF'
 *
 * (1) A float has the fewest digits from which the same number of its type is read; a small float or bfloat16 those of
 *     the float32 with its value.
 * (2) The thread's locale has no effect.
 */
#include "dtype/element.h"
#include "dtype/exact.h"

#include <inttypes.h>
#include <math.h>

double
zinc_float_value(const zinc_float_format *f, uint64_t bits)
{
	zinc_exact x;
	double d;

	if (f == &zinc_format_float64) {
		memcpy(&d, &bits, sizeof d);
		return d;
	}
	zinc_float_read(f, bits, &x);
	return zinc_exact_double(&x);
}

int
zinc_type_digits(zinc_type type, double v, char digits[18], int *exponent)
{
	const zinc_dtype *t = zinc_dtype_of(type);
	zinc_digits d;

	if (!t || (t->kind != ZINC_KIND_FLOAT && t->kind != ZINC_KIND_COMPLEX) || !isfinite(v) || !digits || !exponent)
		return 0;
	zinc_shortest(&d, v, t->format->digits, false);
	memcpy(digits, d.digit, (size_t)d.n);
	digits[d.n] = '\0';
	*exponent = d.exponent;
	return d.n;
}

/* `plus`: a sign always; `zero`: "1.0" for 1. */
static zinc_status
print_float(const zinc_float_format *f, uint64_t bits, bool plus, bool zero, zinc_buf *out, zinc_error *err)
{
	const double v = zinc_float_value(f, bits), a = fabs(v);
	char text[ZINC_DIGITS_TEXT];
	zinc_digits d;
	size_t n;

	if (isnan(v))
		return zinc_buf_puts(out, plus ? "+nan" : "nan", err);
	if (signbit(v) || plus)
		ZINC_TRY(zinc_buf_puts(out, signbit(v) ? "-" : "+", err));
	if (isinf(v))
		return zinc_buf_puts(out, "inf", err);
	zinc_shortest(&d, v, f->digits, true);
	n = zinc_digits_print(&d, v != 0 && (a < 1e-4 || a >= 1e16), zero, text);
	return zinc_buf_add(out, text, n, err);
}

/* As a JSON number; NaN and infinities are strings, as in the v3 specification. */
static zinc_status
print_json(const zinc_float_format *f, uint64_t bits, zinc_buf *out, zinc_error *err)
{
	const double v = zinc_float_value(f, bits);

	if (isnan(v))
		return zinc_buf_puts(out, "\"NaN\"", err);
	if (isinf(v))
		return zinc_buf_puts(out, v < 0 ? "\"-Infinity\"" : "\"Infinity\"", err);
	return print_float(f, bits, false, true, out, err);
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
		return print_json(t->format, bits, out, err);
	return print_float(t->format, bits, false, true, out, err);
}

/* "[1.0,2.0]" in JSON; otherwise "(1+2j)", like NumPy without the real part when that is +0. */
zinc_status
zinc_print_complex(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const zinc_float_format *f = t->format;
	const size_t size = t->unit;
	const uint64_t re = zinc_bits_load(element, size), im = zinc_bits_load((const uint8_t *)element + size, size);

	if (how == ZINC_SPELL_JSON) {
		ZINC_TRY(zinc_buf_puts(out, "[", err));
		ZINC_TRY(print_json(f, re, out, err));
		ZINC_TRY(zinc_buf_puts(out, ",", err));
		ZINC_TRY(print_json(f, im, out, err));
		return zinc_buf_puts(out, "]", err);
	}
	if (re == 0 && f->has_zero) {
		ZINC_TRY(print_float(f, im, false, false, out, err));
		return zinc_buf_puts(out, "j", err);
	}
	ZINC_TRY(zinc_buf_puts(out, "(", err));
	ZINC_TRY(print_float(f, re, false, false, out, err));
	ZINC_TRY(print_float(f, im, true, false, out, err));
	return zinc_buf_puts(out, "j)", err);
}

/* Base64 in JSON.  NumPy prints every byte of a void scalar as a number, also letters. */
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
