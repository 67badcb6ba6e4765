/*
 * decimal.c - numbers as text
 *
 * A float is printed with the fewest digits that read back as the same number of its width, as
 * Python and NumPy do: 0.1f is "0.1", not "0.100000001".
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
	return type == ZINC_COMPLEX64 || type == ZINC_COMPLEX128;
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

/* ---- shortest decimal ---- */

/* Does the decimal number x round to the half-precision number v?  Its neighbours are half a unit away; a tie
 * goes to the even one. */
static bool
rounds_to_half(double x, double v)
{
	double a = fabs(v), unit, below;
	int e;
	bool even;

	frexp(a, &e);
	unit = ldexp(1, (e > -13 ? e : -13) - 11);
	below = e > -13 && a == ldexp(1, e - 1) ? unit / 2 : unit; /* the gap below a power of two is half as wide */
	even = fmod(a / unit, 2) == 0;
	x = fabs(x) - a;
	return even ? x <= unit / 2 && x >= -below / 2 : x < unit / 2 && x > -below / 2;
}

static bool
reads_back(const char *s, double v, enum width w)
{
	if (w == SINGLE)
		return strtof(s, NULL) == (float)v;
	return w == HALF ? rounds_to_half(strtod(s, NULL), v) : strtod(s, NULL) == v;
}

/* One more in the last digit of "d.ddde+xx"; false when that would carry. */
static bool
bump(char *s)
{
	char *last = strchr(s, 'e') - 1;

	if (*last == '9' || *last == '.')
		return false;
	++*last;
	return true;
}

/* `digits` digits into s; do they suffice?  The gap below a power of two is half as wide as the one above, so there
 * the nearest decimal may fall out below where the next one above does not. */
static bool
suffices(char *s, size_t cap, int digits, double v, enum width w)
{
	int e;

	snprintf(s, cap, "%.*e", digits - 1, v);
	if (reads_back(s, v, w))
		return true;
	return fabs(frexp(v, &e)) == 0.5 && bump(s) && reads_back(s, v, w);
}

/* More digits are never less exact, so bisection finds the fewest. */
static int
fewest(double v, enum width w)
{
	int low = 1, high = w == DOUBLE ? 17 : w == SINGLE ? 9 : 5;
	int sure = w == DOUBLE ? 15 : w == SINGLE ? 6 : 3;
	char s[40];

	if (suffices(s, sizeof s, sure, v, w))
		high = sure;
	else
		low = sure + 1;
	while (low < high) {
		int middle = (low + high) / 2;

		if (suffices(s, sizeof s, middle, v, w))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

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

/* n / 10^places, taken apart; n > 0. */
static void
from_integer(struct decimal *d, uint64_t n, int places)
{
	char reversed[20];
	int i = 0;

	for (; n; n /= 10)
		reversed[i++] = (char)('0' + n % 10);
	d->exponent = i - 1 - places;
	for (d->n = 0; i > 0;)
		d->digit[d->n++] = reversed[--i];
	while (d->n > 1 && d->digit[d->n - 1] == '0')
		d->n--;
}

enum nearness { OFF, DOUBTFUL, EXACT };

/* Does x, a decimal number rounded to double, read back as the number a of that width? */
static enum nearness
nearness(double x, double a, enum width w)
{
	double distance = fabs(x - a), unit;
	int e;

	if (w == DOUBLE)
		return x == a ? EXACT : OFF;
	if (w == HALF)
		return rounds_to_half(x, a) ? EXACT : OFF;
	(void)frexp(a, &e);
	unit = ldexp(1, e - 24); /* x was rounded already: keep away from the middle */
	return distance < 0.499 * unit ? EXACT : distance > 0.501 * unit ? OFF : DOUBTFUL;
}

/*
 * Most numbers that people store have few digits: is |v| an integer over 10^k, k small?  Below 2^50 the
 * division is exact enough to tell, and the first k that fits gives the fewest digits.
 */
static bool
quick(struct decimal *d, double v, enum width w)
{
	const double a = fabs(v), most = w == DOUBLE ? 0x1p50 : w == SINGLE ? 0x1p24 : 0x1p11;
	double power = 1, n;
	int k, e;

	if (a >= most || a < 1e-5 || (a < 1 && frexp(a, &e) == 0.5)) /* below a power of two gaps are narrower */
		return false;
	for (k = 0; k <= 15 && (n = nearbyint(a * power)) < 0x1p50; k++, power *= 10) {
		const enum nearness near = nearness(n / power, a, w);

		if (near == DOUBTFUL)
			return false;
		if (near == OFF)
			continue;
		d->negative = v < 0;
		from_integer(d, (uint64_t)n, k);
		return true;
	}
	return false;
}

void
decimal_shortest(struct decimal *d, double v, enum width w)
{
	char s[40];

	if (quick(d, v, w))
		return;
	(void)suffices(s, sizeof s, v == 0 ? 1 : fewest(v, w), v, w);
	take_apart(d, s);
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
