/*
 * decimal.c - numbers as text
 *
 * A float is printed with the fewest digits that read back as the same number of its width, as
 * Python and NumPy do: 0.1f is "0.1", not "0.100000001".  The library finds the digits.
 */
#include <math.h>
#include <stdio.h>

#include "cli.h"

/* ---- elements of any type ---- */

bool
is_float(zinc_type type)
{
	return type == ZINC_FLOAT16 || type == ZINC_FLOAT32 || type == ZINC_FLOAT64;
}

bool
is_complex(zinc_type type)
{
	return type == ZINC_COMPLEX64 || type == ZINC_COMPLEX128 || zinc_type_widen(type) == ZINC_COMPLEX64;
}

enum width
width_of(zinc_type type)
{
	if (type == ZINC_FLOAT16)
		return HALF;
	return type == ZINC_FLOAT32 || type == ZINC_COMPLEX64 ? SINGLE : DOUBLE;
}

double
half_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	double fraction = h & 1023;
	double v;

	if (exponent == 31)
		v = fraction > 0 ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		v = ldexp(fraction, -24);
	else
		v = ldexp(fraction + 1024, exponent - 25);
	return h & 0x8000 ? -v : v;
}

static double
component(const void *p, enum width w)
{
	uint16_t h;
	float f;
	double d;

	switch (w) {
	case HALF:
		memcpy(&h, p, sizeof h);
		return half_value(h);
	case SINGLE:
		memcpy(&f, p, sizeof f);
		return (double)f;
	default:
		memcpy(&d, p, sizeof d);
		return d;
	}
}

double
real_part(zinc_type type, const void *element)
{
	return component(element, width_of(type));
}

double
imaginary_part(zinc_type type, const void *element)
{
	enum width w = width_of(type);

	return component((const char *)element + (size_t)w, w);
}

void
text_integer(struct text *t, zinc_type type, const void *element)
{
	uint64_t u = 0;
	size_t n = zinc_type_size(type);
	int64_t v;
	uint8_t b1;
	uint16_t b2;
	uint32_t b4;

	switch (n) {
	case 1:
		memcpy(&b1, element, n);
		u = b1, v = (int8_t)b1;
		break;
	case 2:
		memcpy(&b2, element, n);
		u = b2, v = (int16_t)b2;
		break;
	case 4:
		memcpy(&b4, element, n);
		u = b4, v = (int32_t)b4;
		break;
	default:
		memcpy(&u, element, sizeof u);
		v = (int64_t)u;
	}
	if (type == ZINC_BOOL)
		text_puts(t, u ? "True" : "False");
	else if (type >= ZINC_UINT8)
		text_printf(t, "%llu", (unsigned long long)u);
	else
		text_printf(t, "%lld", (long long)v);
}

/* ---- decimals ---- */

/* "-d.ddde+xx" -> its parts, without zeros at the end. */
static void
take_apart(struct decimal *d, const char *s)
{
	d->negative = *s == '-';
	s += d->negative;
	for (d->n = 0; *s && *s != 'e'; s++)
		if (*s != '.')
			d->digit[d->n++] = *s;
	while (d->n > 1 && d->digit[d->n - 1] == '0')
		d->n--;
	d->exponent = (int)strtol(s + 1, NULL, 10);
}

void
decimal_shortest(struct decimal *d, double v, enum width w)
{
	const zinc_type type = w == HALF ? ZINC_FLOAT16 : w == SINGLE ? ZINC_FLOAT32 : ZINC_FLOAT64;

	d->negative = signbit(v);
	d->n = zinc_type_digits(type, v, d->digit, &d->exponent);
}

void
decimal_rounded(struct decimal *d, double v, int digits)
{
	char s[40];

	snprintf(s, sizeof s, "%.*e", digits - 1, v);
	take_apart(d, s);
}

void
text_float(struct text *t, double v, enum width w)
{
	int most = w == DOUBLE ? 16 : w == SINGLE ? 6 : 3; /* about the digits that the width holds */
	struct decimal d;

	if (isnan(v)) {
		text_puts(t, "nan");
		return;
	}
	if (isinf(v)) {
		text_puts(t, v < 0 ? "-inf" : "inf");
		return;
	}
	decimal_shortest(&d, v, w);
	if (d.negative)
		text_puts(t, "-");
	if (d.exponent < -4 || d.exponent >= most) {
		text_add(t, d.digit, 1);
		if (d.n > 1)
			text_puts(t, ".");
		text_add(t, d.digit + 1, (size_t)d.n - 1);
		text_printf(t, "e%+03d", d.exponent);
	} else if (d.exponent < 0) {
		text_puts(t, "0.");
		text_fill(t, '0', (size_t)(-d.exponent - 1));
		text_add(t, d.digit, (size_t)d.n);
	} else {
		int whole = d.exponent + 1, given = d.n < whole ? d.n : whole;

		text_add(t, d.digit, (size_t)given);
		text_fill(t, '0', (size_t)(whole - given));
		text_puts(t, d.n > whole ? "." : ".0");
		text_add(t, d.digit + given, (size_t)(d.n - given));
	}
}

/* A part of a complex number: without ".0". */
static void
text_part(struct text *t, double v, enum width w)
{
	text_float(t, v, w);
	if (t->n > 2 && !memcmp(t->p + t->n - 2, ".0", 2))
		t->p[t->n -= 2] = '\0';
}

void
text_complex(struct text *t, zinc_type type, const void *element, bool bare)
{
	double imaginary = imaginary_part(type, element);

	if (!bare) {
		text_part(t, real_part(type, element), width_of(type));
		text_puts(t, signbit(imaginary) && !isnan(imaginary) ? "" : "+");
	}
	text_part(t, imaginary, width_of(type));
	text_puts(t, "j");
}
