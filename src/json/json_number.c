/*
 * json_number.c - number tokens <-> integers and doubles, whatever the locale
 *
 * Promises (tests/unit/test_json_number.c names each by its number):
 *
 * (1) Integers are read digit by digit and never pass through a double.
 * (2) A double is read as the nearest one and printed with the fewest digits that read back as the same.
 * (3) setlocale() changes neither: reading uses the C locale explicitly, and of printf's output only the digits are
 *     used, never its decimal point.
 */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json_impl.h"

static char
peek(const char *s, const char *end)
{
	return s < end ? *s : '\0';
}

/* Skip the digits; at least one is required. */
static bool
take_digits(const char **s, const char *end)
{
	const char *from = *s;

	while (peek(*s, end) >= '0' && peek(*s, end) <= '9')
		++*s;
	return *s > from;
}

/* RFC 8259 section 6: [minus] int [frac] [exp], where int is 0 or does not begin with 0 */
const char *
zinc_json_number_end(const char *s, const char *end)
{
	if (peek(s, end) == '-')
		s++;
	if (peek(s, end) == '0')
		s++;
	else if (!take_digits(&s, end))
		return NULL;
	if (peek(s, end) == '.') {
		s++;
		if (!take_digits(&s, end))
			return NULL;
	}
	if (peek(s, end) == 'e' || peek(s, end) == 'E') {
		s++;
		if (peek(s, end) == '+' || peek(s, end) == '-')
			s++;
		if (!take_digits(&s, end))
			return NULL;
	}
	return s;
}

/* ---- integers ---- */

bool
zinc_json_is_integer(const zinc_json *v)
{
	return zinc_json_is(v, ZINC_JSON_NUMBER) && strspn(v->text, "-0123456789") == v->n;
}

/* The digits after the sign. */
static bool
magnitude(const zinc_json *v, uint64_t *out, bool *negative)
{
	const char *s;
	uint64_t u = 0;

	if (!zinc_json_is_integer(v))
		return false;
	*negative = v->text[0] == '-';
	for (s = v->text + *negative; *s; s++)
		if (zinc_u64_mul(u, 10, &u) || zinc_u64_add(u, (uint64_t)(*s - '0'), &u))
			return false;
	*out = u;
	return true;
}

bool
zinc_json_u64(const zinc_json *v, uint64_t *out)
{
	uint64_t u;
	bool negative;

	if (!magnitude(v, &u, &negative) || (negative && u != 0))
		return false;
	*out = u;
	return true;
}

bool
zinc_json_i64(const zinc_json *v, int64_t *out)
{
	uint64_t u;
	bool negative;

	if (!magnitude(v, &u, &negative) || u > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? (int64_t)(0 - u) : (int64_t)u; /* 0 - u is the two's complement, also of 2^63 */
	return true;
}

zinc_json *
zinc_json_make_u64(zinc_json_doc *doc, uint64_t v)
{
	char token[24];

	snprintf(token, sizeof token, "%" PRIu64, v);
	return zinc_json_make_number(doc, token);
}

zinc_json *
zinc_json_make_i64(zinc_json_doc *doc, int64_t v)
{
	char token[24];

	snprintf(token, sizeof token, "%" PRId64, v);
	return zinc_json_make_number(doc, token);
}

/* ---- doubles ---- */

/* The C libraries have one permanent C locale and return it here without allocating. */
static bool
read_double(const char *token, double *out, float *out_float)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (c == (locale_t)0)
		return false;
	*out = strtod_l(token, NULL, c);
	*out_float = strtof_l(token, NULL, c); /* not via the double, which would round twice */
	freelocale(c);
	return true;
}

bool
zinc_json_double(const zinc_json *v, double *out)
{
	float unused;

	return zinc_json_is(v, ZINC_JSON_NUMBER) && read_double(v->text, out, &unused);
}

/* The digits of printf's "d.ddde-05", without the point, which depends on the locale; returns the exponent. */
static int
decimal(double v, int ndigits, char digits[20])
{
	char text[48];
	const char *s;
	int n = 0;

	snprintf(text, sizeof text, "%.*e", ndigits - 1, v);
	for (s = text; *s != 'e'; s++)
		if (*s >= '0' && *s <= '9' && n < ndigits)
			digits[n++] = *s;
	return (int)strtol(s + 1, NULL, 10);
}

/* As in Python: 0.00012, 1200.0, 12.5, or 1.2e+20. */
static void
spell(char token[48], bool negative, const char *digits, int n, int exponent)
{
	static const char zeros[] = "00000000000000000";
	const char *sign = negative ? "-" : "";

	if (exponent < -4 || exponent >= 16)
		snprintf(token, 48, "%s%.1s%s%.*se%c%02d", sign, digits, n > 1 ? "." : "", n - 1, digits + 1,
			 exponent < 0 ? '-' : '+', abs(exponent));
	else if (exponent < 0)
		snprintf(token, 48, "%s0.%.*s%.*s", sign, -exponent - 1, zeros, n, digits);
	else if (exponent >= n - 1)
		snprintf(token, 48, "%s%.*s%.*s.0", sign, n, digits, exponent - n + 1, zeros);
	else
		snprintf(token, 48, "%s%.*s.%.*s", sign, exponent + 1, digits, n - exponent - 1, digits + exponent + 1);
}

/* 17 digits distinguish any two doubles, 9 any two floats; most need fewer. */
static zinc_json *
make_shortest(zinc_json_doc *doc, double v, int most, bool is_float)
{
	char digits[20], token[48];
	double back;
	float back_float;
	int n;

	if (!isfinite(v))
		return NULL;
	for (n = 1; n <= most; n++) {
		int exponent = decimal(fabs(v), n, digits);

		spell(token, signbit(v), digits, n, exponent);
		if (!read_double(token, &back, &back_float))
			return NULL;
		if (is_float ? back_float == (float)v : back == v)
			break;
	}
	return zinc_json_make_number(doc, token);
}

zinc_json *
zinc_json_make_double(zinc_json_doc *doc, double v)
{
	return make_shortest(doc, v, 17, false);
}

zinc_json *
zinc_json_make_float(zinc_json_doc *doc, float v)
{
	return make_shortest(doc, (double)v, 9, true);
}
