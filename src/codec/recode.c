/*
 * recode.c - shared by array->array codecs of numbers: types from a configuration, conversion block by block
 *
 * NumPy computes in the type of its operands.  Here everything is computed in double and rounded to that type after
 * each operation, which gives the same result: a double has more than twice the digits of a float, and a float more
 * than twice those of a half, so for + - * and / rounding twice is the same as rounding once.
 */
#include <stdio.h>

#include "codec/codec_parts.h"

/* ---- types ---- */

static bool
is_number(const zinc_dtype *t)
{
	return t->type != ZINC_NATIVE && t->v2 && t->kind != ZINC_KIND_RAW && t->kind != ZINC_KIND_OTHER;
}

/* Parse "<f4" to a row of the table. */
static zinc_status
parse_type(const zinc_json *v, const char *rule, zinc_context *ctx, const zinc_dtype **out, bool *big, zinc_report *r,
	   zinc_error *err)
{
	const zinc_dtype *t = NULL;
	zinc_status st;

	if (!zinc_json_is(v, ZINC_JSON_STRING))
		return zinc_report_error(r, rule, err, "a data type must be a string, as in \"<f4\"");
	st = zinc_dtype_parse_text(&t, big, ctx, v->text, err);
	if (st == ZINC_E_NOMEM)
		return st;
	if (st == ZINC_OK && is_number(t))
		*out = zinc_dtype_of(t->type);
	else if (st != ZINC_E_INVALID)
		st = zinc_report_unsupported(r, rule, err, "%s: numbers of type \"%.60s\" are not supported", rule,
					     v->text);
	else
		st = zinc_report_error(r, rule, err, "unknown data type \"%.60s\"", v->text);
	zinc_dtype_free(t);
	return st;
}

zinc_status
zinc_recode_type(const zinc_json *configuration, const char *member, const char *rule, zinc_context *ctx,
		 const zinc_dtype **out, bool *big, zinc_report *r, zinc_error *err)
{
	const zinc_json *v = member ? zinc_json_member(configuration, member) : NULL;
	zinc_status st;
	size_t mark;

	if (!v || v->type == ZINC_JSON_NULL)
		return ZINC_OK;
	mark = zinc_report_enter(r, member);
	st = parse_type(v, rule, ctx, out, big, r, err);
	zinc_report_leave(r, mark);
	return st;
}

zinc_status
zinc_recode_types(zinc_recode *x, const zinc_json *configuration, const char *decoded, const char *encoded,
		  const char *rule, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	if (in->dtype->type > ZINC_RAW) /* NumPy has no such numbers, so its codecs do not either */
		return zinc_report_unsupported(r, rule, err, "%s: elements of type %s are not supported", rule,
					       in->dtype->name);
	x->decoded = is_number(in->dtype) ? zinc_dtype_of(in->dtype->type) : in->dtype;
	ZINC_TRY(zinc_recode_type(configuration, decoded, rule, r->ctx, &x->decoded, &x->decoded_big, r, err));
	if (!is_number(x->decoded))
		return zinc_report_unsupported(r, rule, err, "%s: elements of type %s are not supported", rule,
					       x->decoded->name);
	if (x->decoded->size != in->dtype->size || x->decoded->unit != in->dtype->unit)
		return zinc_report_unsupported(r, rule, err, "%s: elements of type %s cannot be read as %s", rule,
					       in->dtype->name, x->decoded->name);
	x->encoded = x->decoded;
	x->encoded_big = x->decoded_big;
	return zinc_recode_type(configuration, encoded, rule, r->ctx, &x->encoded, &x->encoded_big, r, err);
}

/*
 * The fill value of the encoded side is the same number, not the codec's output for it: all writers do this, and for
 * some of these codecs no single number is right.  If the type has no such number, the fill value is not known.
 */
static void
convert_fill(zinc_recode *x, const zinc_rep *in, zinc_rep *out)
{
	const zinc_type to = x->encoded->type, from = x->decoded->type;
	const bool same = in->dtype->type == x->decoded->type;

	out->fill = NULL;
	if (in->fill && same && zinc_dtype_converts(to, from) &&
	    zinc_dtype_convert(to, from, x->fill, in->fill, 1, ZINC_CONVERT_ROUND) == 1)
		out->fill = x->fill;
}

zinc_status
zinc_recode_new(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_recode *x, size_t nbytes,
		const zinc_rep *in, zinc_rep *out, zinc_error *err)
{
	zinc_codec *c;

	ZINC_TRY(zinc_codec_new(&c, ops, ctx, nbytes, err));
	memcpy(c, x, nbytes);
	c->ops = ops;
	c->ctx = ctx;
	out->dtype = x->encoded;
	convert_fill((zinc_recode *)c, in, out);
	*codec = c;
	return ZINC_OK;
}

zinc_status
zinc_recode_print(zinc_json_doc *doc, zinc_json *o, const char *member, const zinc_dtype *t, bool big, zinc_error *err)
{
	char text[16];

	snprintf(text, sizeof text, "%c%s", t->size == 1 ? '|' : big ? '>' : '<', t->v2);
	return zinc_json_set(doc, o, member, zinc_json_make_string(doc, text), err);
}

zinc_status
zinc_recode_words(zinc_json_doc *doc, zinc_json *o, const char *decoded, const char *encoded, const char *word,
		  const zinc_rep *in, zinc_error *err)
{
	if (!is_number(in->dtype))
		return zinc_fail(err, ZINC_E_INVALID, "elements of type %s are not numbers", in->dtype->name);
	ZINC_TRY(zinc_recode_print(doc, o, decoded, in->dtype, false, err));
	if (word) /* parse checks whether it is a type */
		return zinc_json_set(doc, o, encoded, zinc_json_make_string(doc, word), err);
	return zinc_recode_print(doc, o, encoded, in->dtype, false, err);
}

bool
zinc_recode_wide(const zinc_dtype *t)
{
	return t->type == ZINC_FLOAT32 || t->type == ZINC_FLOAT64;
}

zinc_status
zinc_recode_count(const zinc_rep *rep, size_t *n, zinc_error *err)
{
	ZINC_TRY(zinc_rep_bytes(rep, n, err));
	*n /= rep->dtype->size;
	return ZINC_OK;
}

/* ---- elements ---- */

/* NumPy's conversions define what these codecs store; they round integers to floats. */
zinc_status
zinc_recode_convert(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, size_t n, int flags,
		    size_t at, zinc_status st, zinc_error *err)
{
	const int how = flags | ZINC_CONVERT_ROUND;
	const size_t done = n == 0 ? 0 : zinc_dtype_convert(to->type, from->type, dst, src, n, how);

	if (done == n)
		return ZINC_OK;
	return zinc_fail(err, st, "element %zu does not fit type %s", at + done, to->name);
}

void
zinc_recode_round(const zinc_dtype *t, double *v, size_t n)
{
	size_t i;

	if (t->size == 4)
		for (i = 0; i < n; i++)
			v[i] = (double)(float)v[i];
	else if (t->size == 2)
		for (i = 0; i < n; i++)
			v[i] = (double)zinc_half_to_float(zinc_half_from_double(v[i]));
}

zinc_status
zinc_recode_cast(const zinc_dtype *to, void *dst, double *src, size_t n, size_t at, zinc_status st, zinc_error *err)
{
	if (to->kind == ZINC_KIND_FLOAT)
		zinc_recode_round(to, src, n);
	return zinc_recode_convert(to, dst, zinc_dtype_of(ZINC_FLOAT64), src, n, ZINC_CONVERT_TRUNCATE, at, st, err);
}
