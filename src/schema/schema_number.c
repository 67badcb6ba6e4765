/*
 * schema_number.c - decimal numbers, exactly: comparison, multiples
 *
 * A number is kept as digits and an exponent, so that both questions have an exact answer without a double: 9007199254740993 is above 9007199254740992 and 0.3 is a multiple of 0.1.
 */
#include "schema/schema_impl.h"

#define EXPONENT_MAX INT64_C(1000000000000000)

/* The number after 'e', clamped: larger exponents make no difference. */
static int64_t
read_exponent(const char *s)
{
	const bool negative = *s == '-';
	int64_t e = 0;

	for (s += *s == '-' || *s == '+'; *s >= '0' && *s <= '9'; s++)
		if (e < EXPONENT_MAX)
			e = e * 10 + (*s - '0');
	return negative ? -e : e;
}

void
zinc_decimal_parse(zinc_decimal *d, const zinc_json *number)
{
	const char *s = number->text;
	int64_t point = 0;
	bool fraction = false;

	d->negative = *s == '-';
	s += d->negative;
	d->finite = *s >= '0' && *s <= '9';
	d->n = 0;
	d->exponent = 0;
	for (; d->finite && *s && *s != 'e' && *s != 'E'; s++) {
		if (*s == '.') {
			fraction = true;
			continue;
		}
		point += fraction;
		if ((d->n > 0 || *s != '0') && d->n < sizeof d->digits)
			d->digits[d->n++] = *s;
	}
	if (d->finite && *s)
		d->exponent = read_exponent(s + 1);
	d->exponent -= point;
	for (; d->n > 0 && d->digits[d->n - 1] == '0'; d->n--)
		d->exponent++;
	if (d->n == 0) {
		d->negative = false; /* there is one zero */
		d->exponent = 0;
	}
}

bool
zinc_decimal_is_integer(const zinc_decimal *d)
{
	return d->finite && d->exponent >= 0;
}

/* Compare the position of the first digit, then the digits. */
static int
compare_magnitudes(const zinc_decimal *a, const zinc_decimal *b)
{
	const int64_t top_a = (int64_t)a->n + a->exponent, top_b = (int64_t)b->n + b->exponent;
	int order;

	if (a->n == 0 || b->n == 0)
		return (a->n > 0) - (b->n > 0);
	if (top_a != top_b)
		return top_a < top_b ? -1 : 1;
	order = memcmp(a->digits, b->digits, a->n < b->n ? a->n : b->n);
	if (order != 0)
		return order < 0 ? -1 : 1;
	return (a->n > b->n) - (a->n < b->n);
}

int
zinc_decimal_compare(const zinc_json *a, const zinc_json *b, bool *comparable)
{
	zinc_decimal x, y;

	zinc_decimal_parse(&x, a);
	zinc_decimal_parse(&y, b);
	*comparable = x.finite && y.finite;
	if (!*comparable)
		return 0;
	if (x.negative != y.negative)
		return x.negative ? -1 : 1;
	return x.negative ? -compare_magnitudes(&x, &y) : compare_magnitudes(&x, &y);
}

/* ---- multiples ---- */

#define MODULUS_DIGITS 18u /* 10 * 10^18 still fits into 64 bits */

/* a * b mod m for a, b < m < 2^63, by doubling. */
static uint64_t
multiply_mod(uint64_t a, uint64_t b, uint64_t m)
{
	uint64_t r = 0;

	for (; b > 0; b >>= 1) {
		if (b & 1)
			r = (r + a) % m;
		a = (a + a) % m;
	}
	return r;
}

static uint64_t
power_of_ten_mod(uint64_t exponent, uint64_t m)
{
	uint64_t r = 1 % m, base = 10 % m;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			r = multiply_mod(r, base, m);
		base = multiply_mod(base, base, m);
	}
	return r;
}

/*
 * With a = A 10^i and b = B 10^j the question is whether B divides A 10^(i-j).  Where i < j the answer is no: A does
 * not end in a zero, so it is no multiple of 10.
 */
zinc_status
zinc_decimal_multiple(const zinc_json *a, const zinc_json *b, bool *yes, zinc_error *err)
{
	zinc_decimal x, y;
	uint64_t m = 0, r = 0;
	size_t i;

	zinc_decimal_parse(&x, a);
	zinc_decimal_parse(&y, b);
	*yes = false;
	if (!x.finite || !y.finite)
		return ZINC_OK;
	if (y.n > MODULUS_DIGITS)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "multipleOf with more than %u digits", MODULUS_DIGITS);
	for (i = 0; i < y.n; i++)
		m = m * 10 + (uint64_t)(y.digits[i] - '0');
	if (x.n == 0 || x.exponent < y.exponent || m == 0) {
		*yes = x.n == 0;
		return ZINC_OK;
	}
	for (i = 0; i < x.n; i++)
		r = (r * 10 + (uint64_t)(x.digits[i] - '0')) % m;
	*yes = multiply_mod(r, power_of_ten_mod((uint64_t)(x.exponent - y.exponent), m), m) == 0;
	return ZINC_OK;
}
