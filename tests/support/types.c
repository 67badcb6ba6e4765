/*
 * types.c - data types for tests
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "support/types.h"

findings found;
zinc_status fill_status;

static char shown[65536];

const zinc_dtype *
type_of(const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_dtype *t = NULL;

	assert_ok(zinc_dtype_parse_text(&t, NULL, NULL, text, &err));
	return t;
}

zinc_status
type_parse(const zinc_dtype **out, const char *json, bool strict)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = json_of(json);
	zinc_report r;
	zinc_status st;

	findings_begin(&found, &r, strict);
	st = zinc_dtype_parse(out, NULL, zinc_json_root(doc), &r, &err);
	assert_int_equal(err.code, st);
	assert_string_equal(r.pointer, "");
	zinc_json_free(doc);
	return st;
}

zinc_status
type_parse_v2(const zinc_dtype **out, bool *big, const char *json)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = json_of(json);
	zinc_report r;
	zinc_status st;

	findings_begin(&found, &r, false);
	st = zinc_dtype_parse_v2(out, big, NULL, zinc_json_root(doc), &r, &err);
	assert_int_equal(err.code, st);
	assert_string_equal(r.pointer, "");
	zinc_json_free(doc);
	return st;
}

static void *
fill(const zinc_dtype *t, bool v2, bool big, const char *json)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = json_of(json);
	const zinc_json *v = zinc_json_root(doc);
	void *element = zinc_dtype_fill_room(t, NULL, v);
	zinc_report r;

	assert_non_null(element);
	findings_begin(&found, &r, false);
	fill_status =
	    v2 ? zinc_dtype_parse_fill_v2(t, big, v, element, &r, &err) : t->ops->parse_fill(t, v, element, &r, &err);
	assert_int_equal(err.code, fill_status);
	assert_string_equal(r.pointer, "");
	zinc_json_free(doc); /* a fill value is checked separately */
	if (fill_status == ZINC_OK)
		return element;
	free(element);
	return NULL;
}

void *
type_fill(const zinc_dtype *t, const char *json)
{
	return fill(t, false, false, json);
}

void *
type_fill_v2(const zinc_dtype *t, bool big, const char *json)
{
	return fill(t, true, big, json);
}

/* ---- printing ---- */

enum what { TYPE, TYPE_ORDERS, TYPE_V2, FILL, FILL_V2 };

static const char *
print(enum what what, const zinc_dtype *t, bool big, const void *element)
{
	zinc_json_doc *doc = json_new();
	const zinc_json *v;

	v = what == TYPE          ? zinc_dtype_print(t, doc)
	    : what == TYPE_ORDERS ? zinc_dtype_print_orders(t, doc)
	    : what == TYPE_V2     ? zinc_dtype_print_v2(t, big, doc)
	    : what == FILL        ? t->ops->print_fill(t, element, doc)
				  : zinc_dtype_print_fill_v2(t, big, element, doc);
	return json_line(v, doc);
}

const char *
type_json(const zinc_dtype *t)
{
	return print(TYPE, t, false, NULL);
}

const char *
type_orders(const zinc_dtype *t)
{
	return print(TYPE_ORDERS, t, false, NULL);
}

const char *
type_v2(const zinc_dtype *t, bool big)
{
	return print(TYPE_V2, t, big, NULL);
}

const char *
fill_json(const zinc_dtype *t, const void *element)
{
	return print(FILL, t, false, element);
}

const char *
fill_v2(const zinc_dtype *t, bool big, const void *element)
{
	return print(FILL_V2, t, big, element);
}

const char *
type_numpy(const zinc_dtype *t, bool big)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	zinc_buf_wrap(&b, shown, sizeof shown);
	assert_ok(zinc_dtype_print_numpy(t, big, &b, &err));
	return zinc_buf_text(&b);
}

const char *
element_text(const zinc_dtype *t, const void *element, zinc_spelling how)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	zinc_buf_wrap(&b, shown, sizeof shown);
	assert_ok(t->ops->print(t, element, how, &b, &err));
	return zinc_buf_text(&b);
}
