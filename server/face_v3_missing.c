/*
 * face_v3_missing.c - which elements readers of CF mask as missing
 *
 * Where fill_value masks (version 2, the drafts of 2019 and 2020), xarray takes it, unless it is null, and then the
 * attribute _FillValue.  In version 3 only the attribute masks, and floats are written as base64 of a little-endian
 * float64.  Promise (tests/unit/test_face_v3.c names it by its number):
 *
 * (1) What xarray masks in the source, it masks here.  Only arrays whose dimensions all have names are changed: xarray
 *     opens no others.  An attribute _FillValue with which it would not open the data set in version 3, because the value
 *     is none of the array's type, is renamed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face_v3.h"

static bool
fill_masks(const struct items *d)
{
	static const char *const formats[] = {"\"v2\"", "\"v3-2019\"", "\"v3-2020\""};
	const char *format = items_find(d, "format");
	size_t i;

	for (i = 0; format && i < sizeof formats / sizeof formats[0]; i++)
		if (!strcmp(format, formats[i]))
			return true;
	return false;
}

static bool
has_names(const struct items *d, int ndim)
{
	struct items names;
	bool all = true;
	size_t i;

	if (ndim == 0)
		return true;
	all = json_split(items_find(d, "dimension_names"), &names) && names.n == (size_t)ndim;
	for (i = 0; i < names.n; i++)
		all = all && strcmp(names.values[i], "null") != 0;
	items_free(&names);
	return all;
}

static bool
is_whole(const char *type)
{
	return !strcmp(type, "\"bool\"") || !strncmp(type, "\"int", 4) || !strncmp(type, "\"uint", 5);
}

static bool
is_float(const char *type)
{
	return !strcmp(type, "\"float16\"") || !strcmp(type, "\"float32\"") || !strcmp(type, "\"float64\"");
}

static double
half(uint16_t h)
{
	const int exponent = h >> 10 & 0x1f, fraction = h & 0x3ff;
	double v;

	if (exponent == 31)
		v = fraction ? NAN : INFINITY;
	else
		v = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
	return h & 0x8000 ? -v : v;
}

static double
number_of(const char *type, const void *element)
{
	uint16_t h;
	double d;
	float f;

	if (!strcmp(type, "\"float16\"")) {
		memcpy(&h, element, sizeof h);
		return half(h);
	}
	if (!strcmp(type, "\"float32\"")) {
		memcpy(&f, element, sizeof f);
		return (double)f;
	}
	memcpy(&d, element, sizeof d);
	return d;
}

/* Base64 of eight bytes, with quotes. */
static char *
encode(double v)
{
	struct text t = TEXT_INIT(64);
	unsigned char bytes[8];
	uint64_t bits;
	int i;

	memcpy(&bits, &v, sizeof bits);
	if (isnan(v))
		bits = UINT64_C(0x7ff8000000000000); /* Python's */
	for (i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(bits >> (8 * i));
	text_add(&t, "\"");
	text_base64(&t, bytes, sizeof bytes);
	text_add(&t, "\"");
	return text_take(&t);
}

/* The attribute of the source, a plain number there. */
static char *
encode_own(const char *type, const char *own)
{
	char *end;
	const double v = own ? strtod(own, &end) : 0;

	return own && is_float(type) && end != own && !*end ? encode(v) : NULL;
}

/* Does the attribute of the source have a value that readers understand for elements of this type? */
static bool
suits(const char *type, const char *own)
{
	char *end;
	double v;

	if (!strcmp(type, "\"bool\""))
		return !strcmp(own, "true") || !strcmp(own, "false");
	v = strtod(own, &end);
	return end != own && !*end && (is_float(type) || (is_whole(type) && isfinite(v)));
}

char *
missing_of(const struct leaf *leaf, const struct items *d, int ndim, const void *fill, bool *replaces, bool *unsuited)
{
	const char *null = items_find(d, "fill_value_null"), *attributes = items_find(d, "attributes");
	char *own, *out = NULL;

	*replaces = *unsuited = false;
	if (leaf->kind != LEAF_SAME || leaf->record || !fill_masks(d) || !has_names(d, ndim))
		return NULL;
	own = attributes ? json_member(attributes, "_FillValue") : NULL;
	*unsuited = own && !suits(leaf->type, own);
	if (is_whole(leaf->type) || is_float(leaf->type)) {
		if (!null)
			out = is_float(leaf->type) ? encode(number_of(leaf->type, fill)) : strdup(leaf->fill);
		else
			out = encode_own(leaf->type, own);
		*replaces = null && out;
	}
	free(own);
	return out;
}
