/*
 * json_number.c - number tokens <-> integers and doubles, whatever the locale
 *
 * Promises (tests/unit/test_json_number.c names each by its number):
 *
 * (1) Integers are read digit by digit and never pass through a double.
 * (2) A double is read as the nearest one and printed with the fewest digits that read back as the same.
 * (3) setlocale() changes neither: reading uses the C locale explicitly, and base/shortest.c prints.
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
zinc_json_make_u64_list(zinc_json_doc *doc, const uint64_t *numbers, int n)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	int i;

	for (i = 0; i < n; i++)
		if (zinc_json_append(list, zinc_json_make_u64(doc, numbers[i]), NULL) != ZINC_OK)
			return NULL;
	return list;
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
bool
zinc_json_double(const zinc_json *v, double *out)
{
	locale_t c;

	if (!zinc_json_is(v, ZINC_JSON_NUMBER))
		return false;
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c == (locale_t)0)
		return false;
	*out = strtod_l(v->text, NULL, c);
	freelocale(c);
	return true;
}

/* As in Python: 0.00012, 1200.0, 12.5, or 1.2e+20. */
zinc_json *
zinc_json_make_float(zinc_json_doc *doc, double v, size_t size)
{
	char token[1 + ZINC_DIGITS_TEXT] = "-";
	zinc_digits d;

	if (!isfinite(v))
		return NULL;
	zinc_shortest(&d, v, size, true);
	zinc_digits_print(&d, d.exponent < -4 || d.exponent >= 16, true, token + 1);
	return zinc_json_make_number(doc, signbit(v) ? token : token + 1);
}

zinc_json *
zinc_json_make_double(zinc_json_doc *doc, double v)
{
	return zinc_json_make_float(doc, v, sizeof v);
}
