/*
 * draft_fallback.c - data types as which readers may read an unknown one
 *
 *   "data_type": {"extension": URI, "type": "<M8[ns]", "fallback": ["int64", "r64"]}
 *
 * An extension data type may name one type of the draft (2019, 2020), or a list of which the first known one is used
 * (2022).  Promises (tests/unit/test_draft_fallback.c names each by its number):
 *
 * (1) A fallback is used only for an unknown type, only when the caller allows it, and with a warning.
 * (2) A fallback of another size than the type is an error.  If the type is unknown, fallbacks of different sizes are
 *     an error.
 * (3) If the fill value is not a valid element of the fallback, elements stay unsupported: no value is invented.
 * (4) Extension types are written with a fallback: dates as integers, then as bytes; all others as bytes.
 * (5) A type is unknown, too, when its extension is known in another major version, or has no such type.  In 2022 an
 *     unknown identifier is skipped.
 */
#include <stdio.h>

#include "format/draft.h"

/* ---- a caller's list: "int64,r64" ---- */

/* Copy the next item of the list to `out`; false: no more.  An item that is too long is cut, and is then not the name
 * of a type. */
static bool
next_item(const char **list, char *out, size_t cap)
{
	size_t n;

	*list += strspn(*list, ", ");
	n = strcspn(*list, ", ");
	if (n == 0)
		return false;
	snprintf(out, cap, "%.*s", (int)(n < cap ? n : cap - 1), *list);
	*list += n;
	return true;
}

/* Does the caller allow this type?  "<i8" is allowed as "int64", too. */
static bool
allowed(const char *list, const char *spelled, const zinc_dtype *t)
{
	char item[40];

	if (!list || strcmp(list, "none") == 0)
		return false;
	if (strcmp(list, "any") == 0)
		return true;
	while (next_item(&list, item, sizeof item))
		if (strcmp(item, spelled) == 0 || strcmp(item, t->name) == 0)
			return true;
	return false;
}

/* ---- reading ---- */

/* A core type, or in 2022 also an extension's, {"extension": URI, "type": ...}.  *t stays NULL for an unknown one: in
 * 2022 any word may be a type of an extension. */
static zinc_status
parse_identifier(zinc_draft_parse *p, const zinc_json *v, const zinc_dtype **t, bool *big)
{
	const zinc_json *uri = zinc_json_member(v, "extension"), *type = zinc_json_member(v, "type");
	const bool word = zinc_json_is(v, ZINC_JSON_STRING) && v->n > 0 && strlen(v->text) == v->n;
	zinc_status st = ZINC_E_INVALID;
	zinc_uri_match match;
	zinc_report quiet;

	*t = NULL;
	zinc_report_init_quiet(&quiet, p->ctx, false);
	if (word)
		st = zinc_dtype_parse_text(t, big, p->ctx, v->text, NULL);
	else if (p->draft->names && zinc_draft_is_uri(uri) && type)
		st = zinc_dtype_parse_uri(t, big, p->ctx, uri->text, type, NULL, &match, &quiet, NULL);
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(&p->e);
	if (st != ZINC_OK)
		*t = NULL;
	if (st == ZINC_OK || (word && p->draft->names) || (st == ZINC_E_UNSUPPORTED && !word))
		return ZINC_OK;
	return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_FALLBACK), &p->e,
				 "fallback must be the identifier of a data type");
}

/* Check an identifier of a type of *size bytes. 0: any size, which then becomes the size of all. */
static zinc_status
check_identifier(zinc_draft_parse *p, const zinc_json *v, size_t *size)
{
	const zinc_dtype *t;
	zinc_status st = ZINC_OK;
	bool big;

	ZINC_TRY(parse_identifier(p, v, &t, &big));
	if (!t) {
		if (p->r->found && zinc_json_is(v, ZINC_JSON_STRING)) /* perhaps misspelled: for validators */
			zinc_report_warn(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_FALLBACK),
					 "fallback \"%.60s\" is not a known data type", v->text);
		return ZINC_OK;
	}
	if (*size && t->size != *size)
		st = zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_FALLBACK_SIZE), &p->e,
				       "fallback \"%.60s\" has another size than the %s", t->name,
				       p->dtype ? "type" : "others");
	*size = t->size;
	zinc_dtype_free(t);
	return st;
}

/* Use this type, if it is known and allowed. */
static zinc_status
use(zinc_draft_parse *p, const zinc_json *v)
{
	const zinc_dtype *t;
	bool big = false;

	ZINC_TRY(parse_identifier(p, v, &t, &big));
	if (!t || !allowed(p->r->fallback, zinc_json_is(v, ZINC_JSON_STRING) ? v->text : "", t)) {
		zinc_dtype_free(t);
		return ZINC_OK;
	}
	p->dtype = t;
	p->big = big;
	p->fell_back = true;
	p->data_type = zinc_dtype_print_orders(t, p->v3);
	if (!p->data_type)
		return zinc_fail_nomem(&p->e);
	if (!p->r->found) /* collecting reports belong to validators, or repeat what was reported before */
		zinc_warn(p->ctx, p->r->where, "the data type is not known: its elements are read as %s", t->name);
	return ZINC_OK;
}

/* One identifier, or in 2022 a list of them. zarr-python wrote null. */
zinc_status
zinc_draft_fallback_parse(zinc_draft_parse *p, const zinc_json *v)
{
	const bool list = zinc_json_is(v, ZINC_JSON_ARRAY) && p->draft->names;
	const bool known = p->dtype != NULL;
	size_t size = known ? p->dtype->size : 0;
	const zinc_json *item;

	if (!v)
		return ZINC_OK;
	if (zinc_json_is(v, ZINC_JSON_NULL))
		return zinc_report_lenient(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_FALLBACK), &p->e,
					   "fallback is null and should be left out");
	for (item = list ? v->first : v; item; item = list ? item->next : NULL)
		ZINC_TRY(check_identifier(p, item, &size));
	for (item = list ? v->first : v; item && !p->dtype; item = list ? item->next : NULL)
		ZINC_TRY(use(p, item));
	return ZINC_OK;
}

/* Read the extension's fill value as an element of the fallback.  If that fails, elements stay unsupported. */
zinc_status
zinc_draft_fallback_fill(zinc_draft_parse *p, const zinc_json *v, zinc_json **out)
{
	zinc_report *loud = p->r, quiet;
	zinc_status st;

	zinc_report_init_quiet(&quiet, p->ctx, false);
	p->r = &quiet;
	st = zinc_draft_fill_parse(p, v, out);
	p->r = loud;
	if (st != ZINC_E_CORRUPT)
		return st;
	ZINC_TRY(zinc_draft_fill_parse(p, NULL, out)); /* a placeholder that is not used */
	ZINC_TRY(zinc_draft_set(p, "fill_value", *out));
	*out = NULL;
	return zinc_report_unsupported(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_UNKNOWN), &p->e,
				       "the fill value of an unknown data type is not a valid %s", p->dtype->name);
}

/* ---- writing ---- */

/* The fallback to write for a type; NULL: no memory. */
zinc_json *
zinc_draft_fallback_print(zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, bool big)
{
	const bool integer = t->kind == ZINC_KIND_DATETIME || t->kind == ZINC_KIND_TIMEDELTA;
	char raw[24];
	zinc_json *list;

	snprintf(raw, sizeof raw, "r%llu", (unsigned long long)t->size * 8);
	if (!integer)
		return zinc_json_make_string(doc, raw);
	if (!d->names)
		return zinc_json_make_string(doc, big ? ">i8" : "<i8");
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	if (zinc_json_append(list, zinc_json_make_string(doc, "int64"), NULL) != ZINC_OK ||
	    zinc_json_append(list, zinc_json_make_string(doc, raw), NULL) != ZINC_OK)
		return NULL;
	return list;
}

/* One fallback of the caller's, in the draft's spelling. */
static zinc_status
print_item(zinc_json **out, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, bool big, const char *item,
	   zinc_error *err)
{
	const zinc_dtype *f = NULL;
	bool ignored;
	zinc_status st = zinc_dtype_parse_text(&f, &ignored, zinc_json_context(doc), item, err);

	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM
			   ? st
			   : zinc_fail(err, ZINC_E_INVALID, "fallback \"%.30s\" is not a data type", item);
	if (f->kind > ZINC_KIND_RAW)
		st = zinc_fail(err, ZINC_E_INVALID, "fallback \"%.30s\" is itself a type of an extension", item);
	else if (f->size != t->size)
		st = zinc_fail(err, ZINC_E_INVALID, "fallback \"%.30s\" has %u bytes, and the data type %u", item,
			       (unsigned)f->size, (unsigned)t->size);
	else
		st = zinc_draft_type_print(out, doc, d, f, big, err);
	zinc_dtype_free(f);
	return st;
}

static zinc_status
print_list(zinc_json **out, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, bool big, const char *list,
	   zinc_error *err)
{
	zinc_json *all = zinc_json_make(doc, ZINC_JSON_ARRAY), *one = NULL;
	char item[40];

	while (next_item(&list, item, sizeof item)) {
		ZINC_TRY(print_item(&one, doc, d, t, big, item, err));
		ZINC_TRY(zinc_json_append(all, zinc_json_copy(doc, one), err));
	}
	if (!all)
		return zinc_fail_nomem(err);
	if (all->n == 0)
		return zinc_fail(err, ZINC_E_INVALID, "an empty list of fallbacks; say \"none\"");
	if (all->n > 1 && !d->names)
		return zinc_fail(err, ZINC_E_INVALID, "%s allows only one fallback", d->name);
	*out = all->n > 1 ? all : one;
	return ZINC_OK;
}

zinc_status
zinc_draft_fallback_choose(zinc_json *type, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, bool big,
			   const char *asked, zinc_error *err)
{
	zinc_json *list = NULL;

	if (!asked || strcmp(asked, "any") == 0)
		return ZINC_OK;
	if (!zinc_json_is(type, ZINC_JSON_OBJECT))
		return strcmp(asked, "none") == 0
			   ? ZINC_OK
			   : zinc_fail(err, ZINC_E_INVALID,
				       "\"%.60s\" is not an extension type and cannot have a fallback", t->name);
	if (strcmp(asked, "none") == 0) {
		(void)zinc_json_remove(type, "fallback");
		return ZINC_OK;
	}
	ZINC_TRY(print_list(&list, doc, d, t, big, asked, err));
	return zinc_json_set(doc, type, "fallback", list, err);
}
