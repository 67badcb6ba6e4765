/*
 * shortest.c - the shortest decimal of a float
 *
 * Promises (tests/unit/test_shortest.c names each by its number):
 *
 * (1) A float has the fewest digits that read back as the same number of its own type: 0.1f is 0.1, not 0.100000001.
 * (2) Of several decimals with so few digits it is the nearest one that reads back.  At a power of two the gap below is
 *     half as wide as the one above, so the nearest decimal may not read back where the next one above does: NumPy and
 *     Python take that one.  Documents and the texts of elements have `nearest`, which rather takes one more digit.
 * (3) The thread's locale does not matter: printf and strtod share it, and only the digits of its text are used.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

enum { HALF = 2, SINGLE = 4, DOUBLE = 8 }; /* bytes of the types */

/* ---- reading back ---- */

/* Does the decimal number x round to the half-precision number a?  Both >= 0.  Its neighbours are half a unit away; a
 * tie goes to the even one. */
static bool
rounds_to_half(double x, double a)
{
	double unit, below;
	int e;
	bool even;

	(void)frexp(a, &e);
	unit = ldexp(1, (e > -13 ? e : -13) - 11);
	below = e > -13 && a == ldexp(1, e - 1) ? unit / 2 : unit; /* the gap below a power of two is half as wide */
	even = fmod(a / unit, 2) == 0;
	x -= a;
	return even ? x <= unit / 2 && x >= -below / 2 : x < unit / 2 && x > -below / 2;
}

static bool
reads_back(const char *text, double a, size_t size)
{
	if (size == SINGLE)
		return strtof(text, NULL) == (float)a;
	return size == HALF ? rounds_to_half(strtod(text, NULL), a) : strtod(text, NULL) == a;
}

/* ---- any number ---- */

/* One more in the last digit of "d.ddde+xx"; false when that would carry. */
static bool
bump(char *text)
{
	char *last = strchr(text, 'e') - 1;

	if (*last < '0' || *last >= '9')
		return false;
	++*last;
	return true;
}

#define TEXT_BYTES 48

static bool
is_power_of_two(double a)
{
	int e;

	return frexp(a, &e) == 0.5;
}

/* `digits` digits into `text`; do they suffice? */
static bool
suffices(char text[TEXT_BYTES], int digits, double a, size_t size, bool nearest)
{
	snprintf(text, TEXT_BYTES, "%.*e", digits - 1, a);
	if (reads_back(text, a, size))
		return true;
	return !nearest && is_power_of_two(a) && bump(text) && reads_back(text, a, size);
}

/* More digits are never less exact, so bisection finds the fewest; but at powers of two the narrower gap can break this. */
static int
fewest(double a, size_t size, bool nearest)
{
	int low = 1, high = size == DOUBLE ? 17 : size == SINGLE ? 9 : 5;
	int sure = size == DOUBLE ? 15 : size == SINGLE ? 6 : 3; /* every decimal of so many survives */
	char text[TEXT_BYTES];

	if (is_power_of_two(a)) {
		while (low < high && !suffices(text, low, a, size, nearest))
			low++;
		return low;
	}
	if (suffices(text, sure, a, size, nearest))
		high = sure;
	else
		low = sure + 1;
	while (low < high) {
		int middle = (low + high) / 2;

		if (suffices(text, middle, a, size, nearest))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void
drop_zeros(zinc_digits *d)
{
	while (d->n > 1 && d->digit[d->n - 1] == '0')
		d->n--;
}

/* The digits of "d.ddde+xx", whatever stands for the point, and its exponent. */
static void
take_apart(zinc_digits *d, const char *text)
{
	for (d->n = 0; *text != 'e'; text++)
		if (*text >= '0' && *text <= '9')
			d->digit[d->n++] = *text;
	drop_zeros(d);
	d->exponent = (int)strtol(text + 1, NULL, 10);
}

/* ---- numbers of few digits ---- */

/* n / 10^places, taken apart; n > 0. */
static void
from_integer(zinc_digits *d, uint64_t n, int places)
{
	char reversed[20];
	int i = 0;

	for (; n; n /= 10)
		reversed[i++] = (char)('0' + n % 10);
	d->exponent = i - 1 - places;
	for (d->n = 0; i > 0;)
		d->digit[d->n++] = reversed[--i];
	drop_zeros(d);
}

enum nearness { OFF, DOUBTFUL, EXACT };

/* Does x, a decimal number rounded to double, read back as a? */
static enum nearness
nearness(double x, double a, size_t size)
{
	double distance = fabs(x - a), unit;
	int e;

	if (size == DOUBLE)
		return x == a ? EXACT : OFF;
	if (size == HALF)
		return rounds_to_half(x, a) ? EXACT : OFF;
	(void)frexp(a, &e);
	unit = ldexp(1, e - 24); /* x was rounded already: keep away from the middle */
	return distance < 0.499 * unit ? EXACT : distance > 0.501 * unit ? OFF : DOUBTFUL;
}

/*
 * Most numbers that people store have few digits: is `a` an integer over 10^k, k small?  Below 2^50 the
 * division is exact enough to tell, and the first k that fits gives the fewest digits.
 */
static bool
quick(zinc_digits *d, double a, size_t size)
{
	const double most = size == DOUBLE ? 0x1p50 : size == SINGLE ? 0x1p24 : 0x1p11;
	double power = 1, n;
	int k;

	if (a >= most || a < 1e-5 || (a < 1 && is_power_of_two(a))) /* below a power of two gaps are narrower */
		return false;
	for (k = 0; k <= 15 && (n = nearbyint(a * power)) < 0x1p50; k++, power *= 10) {
		const enum nearness near = nearness(n / power, a, size);

		if (near == DOUBTFUL)
			return false;
		if (near == OFF)
			continue;
		from_integer(d, (uint64_t)n, k);
		return true;
	}
	return false;
}

/* ---- the two functions ---- */

void
zinc_shortest(zinc_digits *out, double v, size_t size, bool nearest)
{
	const double a = fabs(v);
	char text[TEXT_BYTES];

	if (quick(out, a, size))
		return;
	(void)suffices(text, a == 0 ? 1 : fewest(a, size, nearest), a, size, nearest);
	take_apart(out, text);
}

size_t
zinc_digits_print(const zinc_digits *d, bool scientific, bool point, char out[ZINC_DIGITS_TEXT])
{
	const int whole = d->exponent + 1; /* digits in front of the point */
	size_t n = 0;
	int i;

	if (scientific)
		return (size_t)snprintf(out, ZINC_DIGITS_TEXT, "%c%s%.*se%c%02d", d->digit[0], d->n > 1 ? "." : "",
					d->n - 1, d->digit + 1, d->exponent < 0 ? '-' : '+', abs(d->exponent));
	if (whole <= 0)
		out[n++] = '0';
	for (i = 0; i < whole; i++)
		out[n++] = i < d->n ? d->digit[i] : '0';
	if (d->n > whole || point)
		out[n++] = '.';
	if (d->n <= whole && point)
		out[n++] = '0';
	for (i = whole; i < d->n; i++)
		out[n++] = i < 0 ? '0' : d->digit[i];
	out[n] = '\0';
	return n;
}
