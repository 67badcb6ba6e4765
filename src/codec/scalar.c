/*
 * scalar.c - numbers in a configuration, written as fill values
 *
 * Promises (tests/unit/test_scalar.c names each by its number):
 *
 * (1) What is a fill value of the type is the same number here.
 * (2) Other spellings are accepted with a finding if the type has that number: a number in a string, an integer with a
 *     fraction of zeros, "+Infinity".  zarr-python writes the first two as it was given them.
 * (3) Nothing is rounded to an integer.
 */
#include <math.h>

#include "codec/codec_parts.h"

bool
zinc_is_real(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT || (t->kind == ZINC_KIND_FLOAT && t->format);
}

/* Parse a fill value without findings. */
static zinc_status
parse_fill(const zinc_dtype *t, const zinc_json *v, zinc_context *ctx, void *element)
{
	zinc_report r;

	zinc_report_init(&r, ctx, true, "");
	return t->ops->parse_fill(t, v, element, &r, NULL);
}

/* An integer may have a fraction of zeros.  Only those below 2^53: above, the double may be another integer. */
static zinc_json *
without_fraction(zinc_json_doc *doc, zinc_json *number)
{
	double d;

	if (zinc_json_is_integer(number) || !zinc_json_double(number, &d) || !(fabs(d) < 0x1p53) || d != trunc(d))
		return number;
	return zinc_json_make_i64(doc, (int64_t)d);
}

/* Parse the text of a string or number as a number. */
static zinc_status
parse_text(const zinc_dtype *t, const char *text, size_t n, zinc_context *ctx, void *element)
{
	zinc_json_doc *doc = NULL;
	zinc_json *number;
	zinc_status st;

	ZINC_TRY(zinc_json_parse(&doc, ctx, text, n, 0, NULL));
	number = zinc_json_root(doc);
	if (!zinc_json_is(number, ZINC_JSON_NUMBER))
		st = ZINC_E_CORRUPT;
	else if (t->kind != ZINC_KIND_FLOAT && !(number = without_fraction(doc, number)))
		st = ZINC_E_NOMEM;
	else
		st = parse_fill(t, number, ctx, element);
	zinc_json_free(doc);
	return st;
}

zinc_status
zinc_scalar_parse(const zinc_dtype *t, const zinc_json *v, const char *rule, void *element, zinc_report *r,
		  zinc_error *err)
{
	static const zinc_json infinity = {.type = ZINC_JSON_STRING, .text = "Infinity", .n = 8};
	const bool has_text = zinc_json_is(v, ZINC_JSON_STRING) || zinc_json_is(v, ZINC_JSON_NUMBER);
	zinc_status st = parse_fill(t, v, r->ctx, element);

	if (st == ZINC_OK)
		return st;
	if (has_text && st != ZINC_E_NOMEM) {
		if (zinc_json_is_string(v, "+Infinity"))
			st = parse_fill(t, &infinity, r->ctx, element);
		else
			st = parse_text(t, v->text, v->n, r->ctx, element);
		if (st == ZINC_OK)
			return zinc_report_lenient(r, rule, err, "%.40s is not how a fill value of type %s is written",
						   v->text, t->name);
	}
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (has_text)
		return zinc_report_error(r, rule, err, "%.40s is not a number of type %s", v->text, t->name);
	return zinc_report_error(r, rule, err, "must be a number of type %s", t->name);
}
