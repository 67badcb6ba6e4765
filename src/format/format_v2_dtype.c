/*
 * format_v2_dtype.c - data types and fill values of version 2 in the final version's vocabulary, and back
 *
 *   <f4 >i2 |b1 c16      float32 int16 bool complex128; the order goes to the codec bytes
 *   |V3                  raw_bytes {"length_bytes"}; r24, too, is written so
 *   |S7  <U13            null_terminated_bytes, fixed_length_utf32 {"length_bytes"}
 *   <M8[10us] <m8[s]     numpy.datetime64, numpy.timedelta64 {"unit", "scale_factor"}
 *   |O                   string or bytes, as the codec of objects says
 *   [["x", "<f4"], ...]  struct {"fields"}
 *
 * The room dtype parses both vocabularies.  This file maps its findings to version 2's rules.
 */
#include <stdio.h>
#include <string.h>

#include "format/format_v2.h"

/* ---- findings ---- */

/* Collects findings, to report them again under one rule. */
struct retold {
	zinc_report *r;
	const char *rule;
	zinc_error *err;
	zinc_status s; /* of the most serious finding */
};

static void
forward_finding(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	struct retold *x = arg;

	(void)rule, (void)pointer;
	if (severity == ZINC_SEVERITY_ERROR)
		x->s = zinc_report_error(x->r, x->rule, x->err, "%s", message);
	else if (severity == ZINC_SEVERITY_WARNING && x->s == ZINC_OK)
		x->s = zinc_report_lenient(x->r, x->rule, x->err, "%s", message);
}

static void
bridge(zinc_report *to, struct retold *x)
{
	zinc_report_init(to, x->r->ctx, false, x->r->where);
	to->code = x->r->code;
	to->found = forward_finding;
	to->arg = x;
}

/* ---- types ---- */

/* An unknown type, under a name that no type has. */
static zinc_json *
unknown(zinc_json_doc *doc, const char *text)
{
	char name[80];
	char *p;

	snprintf(name, sizeof name, "numpy.%.60s", text);
	for (p = name; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
		else if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", *p))
			*p = '-';
	return zinc_json_make_string(doc, name);
}

/* The name of an object type in a document of the final version. */
static zinc_status
parse_object(zinc_v2_type *t, zinc_context *ctx, const char *object, zinc_error *err)
{
	return zinc_dtype_parse_text(&t->dtype, &t->big, ctx, object, err);
}

static zinc_status
check_string(const zinc_json *v, zinc_report *r, zinc_error *err)
{
	if (v->n < 2 || strlen(v->text) != v->n || !strchr("<>|=", v->text[0]))
		return zinc_report_error(r, "V2-7", err, "\"%.60s\" is not a type string", v->text);
	return ZINC_OK;
}

static zinc_status
parse_type(zinc_v2_type *t, zinc_context *ctx, const zinc_json *v, const char *object, zinc_report *r, zinc_error *err)
{
	const bool string = zinc_json_is(v, ZINC_JSON_STRING);
	struct retold x = {.r = r, .rule = "V2-7", .err = err};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report own;
	zinc_status st;

	if (string)
		ZINC_TRY(check_string(v, r, err));
	if (object && zinc_json_is_string(v, "|O"))
		return parse_object(t, ctx, object, err);
	bridge(&own, &x);
	st = zinc_dtype_parse_v2(&t->dtype, &t->big, ctx, v, &own, &e);
	ZINC_TRY(x.s);
	if (st != ZINC_OK)
		return st == ZINC_E_UNSUPPORTED ? st : zinc_error_copy(err, &e);
	if (string && t->dtype->unit > 1 && v->text[0] == '|')
		return zinc_report_lenient(r, "V2-7", err, "\"%.60s\" lacks its byte order", v->text);
	return ZINC_OK;
}

zinc_status
zinc_v2_type_parse(zinc_v2_type *out, zinc_json_doc *doc, const zinc_json *v, const char *object, zinc_report *r,
		   zinc_error *err)
{
	zinc_status st = parse_type(out, zinc_json_context(doc), v, object, r, err);

	if (st == ZINC_E_UNSUPPORTED)
		out->v3 = unknown(doc, zinc_json_is(v, ZINC_JSON_STRING) ? v->text + 1 : "struct-of-unknown-types");
	else if (st == ZINC_OK)
		out->v3 = zinc_dtype_print_orders(out->dtype, doc);
	else
		return st;
	return out->v3 ? ZINC_OK : zinc_fail_nomem(err);
}

void
zinc_v2_type_fini(zinc_v2_type *t)
{
	zinc_dtype_free(t->dtype);
	t->dtype = NULL;
}

/* ---- fill values ---- */

/* null is "undefined".  Missing chunks are then read as zarr-python 3 does: zeros, and NaT for dates. */
static void
no_fill(const zinc_dtype *t, void *element)
{
	const int64_t nat = INT64_MIN;

	zinc_dtype_zero(t, element);
	if (t->kind == ZINC_KIND_DATETIME || t->kind == ZINC_KIND_TIMEDELTA)
		memcpy(element, &nat, sizeof nat);
}

/* Parse the value into one element. */
static zinc_status
parse_fill(const zinc_v2_type *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	struct retold x = {.r = r, .rule = "V2-8", .err = err};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report own;
	zinc_status st;

	no_fill(t->dtype, element);
	if (!v || zinc_json_is(v, ZINC_JSON_NULL))
		return ZINC_OK;
	bridge(&own, &x);
	st = zinc_dtype_parse_fill_v2(t->dtype, t->big, v, element, &own, &e);
	ZINC_TRY(x.s);
	return st == ZINC_OK ? st : zinc_error_copy(err, &e);
}

zinc_status
zinc_v2_fill_parse(zinc_json **out, zinc_json_doc *doc, const zinc_v2_type *t, const zinc_json *v, zinc_report *r,
		   zinc_error *err)
{
	zinc_context *ctx = zinc_json_context(doc);
	zinc_status st = ZINC_OK;
	void *element;

	if (!t->dtype) { /* a placeholder that is not used */
		*out = v ? zinc_json_copy_plain(doc, v) : zinc_json_make_u64(doc, 0);
		return *out ? ZINC_OK : zinc_fail_nomem(err);
	}
	element = zinc_dtype_fill_room(t->dtype, ctx, v);
	if (!element)
		return zinc_fail_nomem(err);
	st = parse_fill(t, v, element, r, err);
	*out = st == ZINC_OK ? t->dtype->ops->print_fill(t->dtype, element, doc) : NULL;
	zinc_free(ctx, element);
	return st == ZINC_OK && !*out ? zinc_fail_nomem(err) : st;
}

/* ---- the way back ---- */

zinc_status
zinc_v2_type_print(zinc_json **out, zinc_json_doc *doc, const zinc_dtype *t, bool big, zinc_error *err)
{
	if (!zinc_dtype_has_v2(t))
		return zinc_fail(err, ZINC_E_INVALID, "version 2 has no data type \"%.60s\"", t->name);
	*out = zinc_dtype_print_v2(t, big, doc);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

/* NaN bits that only the final version can spell ("0x7fc00001"), as a value or in a complex number. */
static bool
is_hex(const zinc_json *v)
{
	const zinc_json *item;

	if (zinc_json_is(v, ZINC_JSON_STRING))
		return strncmp(v->text, "0x", 2) == 0;
	for (item = zinc_json_is(v, ZINC_JSON_ARRAY) ? v->first : NULL; item; item = item->next)
		if (zinc_json_is(item, ZINC_JSON_STRING) && strncmp(item->text, "0x", 2) == 0)
			return true;
	return false;
}

zinc_status
zinc_v2_fill_print(zinc_json **out, zinc_json_doc *doc, const zinc_dtype *t, bool big, const void *fill,
		   zinc_error *err)
{
	const bool number = t->kind == ZINC_KIND_FLOAT || t->kind == ZINC_KIND_COMPLEX;

	if (number && is_hex(t->ops->print_fill(t, fill, doc)))
		return zinc_fail(err, ZINC_E_INVALID, "version 2 cannot hold a NaN with payload bits as fill value");
	*out = zinc_dtype_print_fill_v2(t, big, fill, doc);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}
