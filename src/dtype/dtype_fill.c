/*
 * dtype_fill.c - fill values: JSON <-> one element in native byte order
 *
 * Promises (v3 core, "Fill value"; rules M49-M57):
 *
 * (1) Every bit pattern of every number type survives print and parse: -0.0, NaN payloads, 2^64-1.
 * (2) A decimal becomes the nearest number of the type, ties to even, with one rounding of the decimal as written, however
 *     long it is (M53).
 * (3) "NaN" is the one quiet pattern (M54); "0x..." gives the bits as an unsigned number, with at most two digits per
 *     byte (M55).  Other NaNs are printed in this form.
 * (4) A decimal above the largest float is a lenient finding and means infinity; where the type has none, or has no
 *     sign or zero and the decimal needs it, it is an error.
 * (5) 0 or 1 for a bool is a lenient finding, too, and means false or true.
 */
#include "dtype/element.h"
#include "dtype/exact.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- bool, integers ---- */

zinc_status
zinc_fill_parse_bool(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	uint64_t n;
	bool b;

	if (zinc_json_u64(v, &n) && n <= 1) { /* some writers store bools like this */
		*(uint8_t *)element = (uint8_t)n;
		return zinc_report_lenient(r, "M49", err, "a fill value of type %s should be true or false", t->name);
	}
	if (!zinc_json_bool(v, &b))
		return zinc_report_error(r, "M49", err, "a fill value of type %s must be true or false", t->name);
	*(uint8_t *)element = b;
	return ZINC_OK;
}

zinc_json *
zinc_fill_print_bool(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	(void)t;
	return zinc_json_make(doc, *(const uint8_t *)element ? ZINC_JSON_TRUE : ZINC_JSON_FALSE);
}

/* The form of a token (M50) and the range of its value (M51) are separate findings.  INT64_MIN >> unused is the type's
 * least number, since the shift keeps the sign. */
zinc_status
zinc_fill_parse_int(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	const unsigned unused = 64 - t->bits;
	uint64_t u = 0;
	int64_t i = 0;
	bool fits;

	if (!zinc_json_is_integer(v))
		return zinc_report_error(
		    r, "M50", err, "a fill value of type %s must be an integer without fraction or exponent", t->name);
	if (t->kind == ZINC_KIND_INT) {
		fits = zinc_json_i64(v, &i) && i >= INT64_MIN >> unused && i <= INT64_MAX >> unused;
		u = (uint64_t)i;
	} else {
		fits = zinc_json_u64(v, &u) && u <= UINT64_MAX >> unused;
	}
	if (!fits)
		return zinc_report_error(r, "M51", err, "fill value %.40s does not fit %s", v->text, t->name);
	zinc_bits_store(element, t->size, u);
	return ZINC_OK;
}

zinc_json *
zinc_fill_print_int(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	if (t->kind == ZINC_KIND_INT)
		return zinc_json_make_i64(doc, zinc_bits_load_signed(element, t->size));
	return zinc_json_make_u64(doc, zinc_bits_load(element, t->size));
}

/* ---- decimals, compared exactly ---- */

/* 0.ddd... x 10^exponent; `digits` points to the first digit that is not 0 (for zero, to the end). */
typedef struct decimal {
	const char *digits;
	int64_t exponent;
} decimal;

#define EXPONENT_MAX ((int64_t)1 << 40) /* greater than the length of any token */

static bool
ends_digits(char c)
{
	return c == '\0' || c == 'e' || c == 'E';
}

/* For "E-12"; the token is valid, so digits follow the sign. */
static int64_t
read_exponent(const char *s)
{
	const bool negative = *s == '-';
	int64_t e = 0;

	for (s += *s == '-' || *s == '+'; *s; s++)
		e = e < EXPONENT_MAX ? e * 10 + (*s - '0') : e;
	return negative ? -e : e;
}

/* Reads a JSON number without its sign, and the output of printf's %f: any other character is the decimal point, which
 * in some locales is not '.' and has several bytes. */
static decimal
read_decimal(const char *s)
{
	decimal d = {NULL, 0};
	bool point = false;

	for (; !ends_digits(*s); s++)
		if (*s < '0' || *s > '9') {
			point = true;
		} else if (*s == '0' && !d.digits) {
			d.exponent -= point;
		} else {
			d.digits = d.digits ? d.digits : s;
			d.exponent += !point;
		}
	d.digits = d.digits ? d.digits : s;
	d.exponent += *s ? read_exponent(s + 1) : 0;
	return d;
}

/* Return the current digit and go on; after the last digit always 0. */
static int
next_digit(const char **s)
{
	while (!ends_digits(**s) && (**s < '0' || **s > '9'))
		(*s)++;
	return ends_digits(**s) ? 0 : *(*s)++ - '0';
}

/* Compare the decimal (without sign) with v > 0: -1, 0, 1. v has at most 150 binary places. */
static int
compare_decimal(const char *token, double v)
{
	char text[256];
	decimal a = read_decimal(token), b;

	snprintf(text, sizeof text, "%.150f", v); /* exact: n binary places are n decimal places */
	b = read_decimal(text);
	if (a.exponent != b.exponent)
		return a.exponent < b.exponent ? -1 : 1;
	while (!ends_digits(*a.digits) || !ends_digits(*b.digits)) {
		const int x = next_digit(&a.digits), y = next_digit(&b.digits);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* ---- floats ---- */

/* The value of a magnitude; of the code after the largest, what the next number would be. */
static double
magnitude(const zinc_float_format *f, uint64_t code)
{
	const uint64_t hidden = (uint64_t)1 << f->mantissa_bits;
	const int exponent = (int)(code >> f->mantissa_bits);
	const bool small = exponent == 0 && f->has_zero;
	const uint64_t mantissa = (code & (hidden - 1)) | (small ? 0 : hidden);

	return ldexp((double)mantissa, (small ? 1 : exponent) - f->bias - f->mantissa_bits);
}

/* Compare a decimal, of which `d` is the nearest double, with v. */
static int
compare(const char *token, double d, double v)
{
	return d < v ? -1 : d > v ? 1 : compare_decimal(token, v);
}

/*
 * The code (without sign) of the float nearest to a decimal, of which `d` >= 0 is the nearest double; the code after the
 * largest if it is too large.  Not for doubles.  Rounding the double is right except when it lies halfway between two
 * floats: then the decimal, which the double may have hidden, decides.
 *
 *      below            middle            above
 *        |----------------|----------------|
 *                        d^  the decimal may be on either side of d, or on it
 *
 * False: too small for a format without zero: below 3/4 of its smallest number, halfway to what the next would be.
 */
static bool
round_decimal(const zinc_float_format *f, const char *token, double d, uint64_t *code)
{
	uint64_t below = f->max + 1;
	zinc_exact x;
	int side;

	*code = below;
	if (d >= magnitude(f, below))
		return true;
	zinc_exact_read_double(d, &x);
	if (zinc_float_write(f, &x, ZINC_ROUND_ZERO, &below) > ZINC_FIT_ROUNDED) {
		*code = 0;
		return compare(token, d, magnitude(f, 0) * 3 / 4) >= 0;
	}
	side = compare(token, d, (magnitude(f, below) + magnitude(f, below + 1)) / 2); /* exact: one bit more */
	if (side == 0)
		side = f->mantissa_bits == 0 || below & 1 ? 1 : -1;
	*code = below + (side > 0);
	return true;
}

static bool
read_magnitude(const zinc_float_format *f, const char *token, double d, uint64_t *code)
{
	if (f != &zinc_format_float64)
		return round_decimal(f, token, d, code);
	*code = zinc_bits_load(&d, sizeof d);
	return true;
}

/* The sign comes from the token, so that -0 and numbers that round to it keep it. */
static zinc_status
parse_decimal(const zinc_dtype *t, const zinc_json *v, uint64_t *bits, zinc_report *r, zinc_error *err)
{
	const zinc_float_format *f = t->format;
	const bool negative = v->text[0] == '-';
	double d;

	/* the tokens NaN and Infinity, where a document may have them, are not decimals */
	if (!zinc_json_double(v, &d) || v->text[negative] < '0' || v->text[negative] > '9')
		return zinc_report_error(r, "M52", err, "fill value %.40s is not a number", v->text);
	if ((negative && !f->has_sign) || !read_magnitude(f, v->text + negative, fabs(d), bits) ||
	    (*bits > f->max && !f->infinity))
		return zinc_report_error(r, "M53", err, "fill value %.40s does not fit %s", v->text, t->name);
	if (*bits > f->max)
		ZINC_TRY(zinc_report_lenient(r, "M53", err, "fill value %.40s is too large for %s; it means infinity",
					     v->text, t->name));
	*bits = negative ? zinc_float_negate(f, *bits) : *bits;
	return ZINC_OK;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* After "0x": missing digits are leading zeros; too many digits, or bits that the type does not have, are an error
 * (M55). */
static zinc_status
parse_hex(const zinc_dtype *t, const zinc_json *v, uint64_t *bits, zinc_report *r, zinc_error *err)
{
	const size_t most = 2 * (t->kind == ZINC_KIND_COMPLEX ? t->unit : t->size);
	uint64_t n = 0;
	size_t i;

	if (v->n < 3 || v->n - 2 > most)
		return zinc_report_error(r, "M55", err, "fill value \"%.40s\" must have 1 to %zu hexadecimal digits",
					 v->text, most);
	for (i = 2; i < v->n; i++) {
		const int digit = hex_digit(v->text[i]);

		if (digit < 0)
			return zinc_report_error(r, "M55", err, "fill value \"%.40s\" is not hexadecimal", v->text);
		n = n << 4 | (uint64_t)digit;
	}
	if (n & ~zinc_float_mask(t->format))
		return zinc_report_error(r, "M55", err, "fill value \"%.40s\" has more bits than %s", v->text, t->name);
	*bits = n;
	return ZINC_OK;
}

/* A name of a value that is no decimal; false: the type has no such value. */
static bool
parse_name(const zinc_float_format *f, const zinc_json *v, uint64_t *bits)
{
	if (zinc_json_is_string(v, "NaN"))
		*bits = f->nan;
	else if (zinc_json_is_string(v, "Infinity"))
		*bits = f->infinity;
	else if (zinc_json_is_string(v, "-Infinity"))
		*bits = f->infinity ? zinc_float_negate(f, f->infinity) : 0;
	else
		return false;
	return *bits != 0;
}

/* A float or a part of a complex number. */
static zinc_status
parse_part(const zinc_dtype *t, const zinc_json *v, uint64_t *bits, zinc_report *r, zinc_error *err)
{
	const zinc_float_format *f = t->format;

	if (zinc_json_is(v, ZINC_JSON_NUMBER))
		return parse_decimal(t, v, bits, r, err);
	if (zinc_json_is(v, ZINC_JSON_STRING) && v->n >= 2 && memcmp(v->text, "0x", 2) == 0)
		return parse_hex(t, v, bits, r, err);
	if (parse_name(f, v, bits))
		return ZINC_OK;
	return zinc_report_error(r, "M52", err, "must be a number, %s%sor \"0x...\"", f->nan ? "\"NaN\", " : "",
				 f->infinity ? "\"Infinity\", \"-Infinity\" " : "");
}

/* The inverse: a decimal if there is one, else the name, else the bits.  The decimal of a bfloat16 is that of a double, as
 * which readers parse it.  Formats of one byte always have the bits: zarrs 0.23 as it is built by default knows no other
 * spelling, and TensorStore 0.1.86 takes decimals of float8_e8m0fnu for other numbers. */
static zinc_json *
print_part(const zinc_float_format *f, size_t size, uint64_t bits, zinc_json_doc *doc)
{
	char hex[24];
	zinc_exact x;

	zinc_float_read(f, bits, &x);
	if (size > 1 && x.kind == ZINC_EXACT_INFINITY)
		return zinc_json_make_string(doc, x.negative ? "-Infinity" : "Infinity");
	if (size > 1 && x.kind != ZINC_EXACT_NAN)
		return zinc_json_make_float(doc, zinc_exact_double(&x), f->digits == size ? size : sizeof(double));
	if (size > 1 && bits == f->nan)
		return zinc_json_make_string(doc, "NaN");
	snprintf(hex, sizeof hex, "0x%0*" PRIx64, (int)size * 2, bits);
	return zinc_json_make_string(doc, hex);
}

zinc_status
zinc_fill_parse_float(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	uint64_t bits;

	ZINC_TRY(parse_part(t, v, &bits, r, err));
	zinc_bits_store(element, t->size, bits);
	return ZINC_OK;
}

zinc_json *
zinc_fill_print_float(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	return print_part(t->format, t->size, zinc_bits_load(element, t->size), doc);
}

/* ---- complex, raw ---- */

/* Both parts are parsed before one is stored, so that an error leaves the element unchanged. */
zinc_status
zinc_fill_parse_complex(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	uint64_t bits[2];
	size_t i;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n != 2)
		return zinc_report_error(r, "M56", err, "a fill value of type %s must be an array of two numbers",
					 t->name);
	for (i = 0; i < 2; i++) {
		const size_t mark = zinc_report_enter_item(r, i);
		const zinc_status st = parse_part(t, zinc_json_item(v, i), &bits[i], r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	zinc_bits_store(element, t->unit, bits[0]);
	zinc_bits_store((uint8_t *)element + t->unit, t->unit, bits[1]);
	return ZINC_OK;
}

zinc_json *
zinc_fill_print_complex(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	const uint8_t *p = element;
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_ARRAY);

	if (zinc_json_append(v, print_part(t->format, t->unit, zinc_bits_load(p, t->unit), doc), NULL) != ZINC_OK ||
	    zinc_json_append(v, print_part(t->format, t->unit, zinc_bits_load(p + t->unit, t->unit), doc), NULL) !=
		ZINC_OK)
		return NULL;
	return v;
}

/* The specification requires as many bytes as the type has bits, which must be a mistake: it is `size` bytes (M57). */
zinc_status
zinc_fill_parse_raw(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	const zinc_json *item;
	uint8_t *p = element;
	uint64_t byte;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n != t->size)
		return zinc_report_error(r, "M57", err, "a fill value of type %s must be an array of %u bytes", t->name,
					 (unsigned)t->size);
	for (item = v->first; item; item = item->next) {
		if (!zinc_json_u64(item, &byte) || byte > 255)
			return zinc_report_error(r, "M57", err,
						 "the bytes of a fill value must be integers from 0 to 255");
		*p++ = (uint8_t)byte;
	}
	return ZINC_OK;
}

zinc_json *
zinc_fill_print_raw(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	const uint8_t *p = element;
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_ARRAY);
	size_t i;

	for (i = 0; i < t->size; i++)
		if (zinc_json_append(v, zinc_json_make_u64(doc, p[i]), NULL) != ZINC_OK)
			return NULL;
	return v;
}
