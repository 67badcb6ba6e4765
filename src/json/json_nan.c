/*
 * json_nan.c - NaN, Infinity and -Infinity, which are not JSON, but which Python writes into attributes
 *
 * A document keeps them as numbers with that spelling.  Callers get strings instead, the same as for fill values of
 * version 3.
 */
#include "json/json_impl.h"

static bool
is_token(const zinc_json *v)
{
	return v->type == ZINC_JSON_NUMBER && (v->text[0] == 'N' || v->text[0] == 'I' || v->text[1] == 'I');
}

/* The value after `v` in a walk over `top`, children first; NULL: the end. */
static zinc_json *
next_below(const zinc_json *top, const zinc_json *v)
{
	if ((v->type == ZINC_JSON_OBJECT || v->type == ZINC_JSON_ARRAY) && v->first)
		return v->first;
	while (v != top && !v->next)
		v = v->parent;
	return v != top ? v->next : NULL;
}

bool
zinc_json_has_nan(const zinc_json *v)
{
	const zinc_json *at;

	for (at = v; at; at = next_below(v, at))
		if (is_token(at))
			return true;
	return false;
}

/* The copy is ours, so its tokens can be turned into strings in place. */
zinc_json *
zinc_json_copy_plain(zinc_json_doc *doc, const zinc_json *v)
{
	zinc_json *copy = zinc_json_copy(doc, v), *at;

	for (at = copy; at; at = next_below(copy, at))
		if (is_token(at))
			at->type = ZINC_JSON_STRING;
	return copy;
}
