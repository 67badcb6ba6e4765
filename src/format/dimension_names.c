/*
 * dimension_names.c - names of dimensions, a member of the final version and xarray's attribute elsewhere
 */
#include "format/format.h"

static size_t
count(const zinc_json *names)
{
	const zinc_json *v;
	size_t n = 0;

	for (v = names->first; v; v = v->next)
		n += v->type == ZINC_JSON_STRING;
	return n;
}

const zinc_json *
zinc_dimension_names_list(const zinc_json *root)
{
	const zinc_json *v = zinc_json_member(root, "dimension_names");

	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		v = zinc_json_member(zinc_json_member(root, "attributes"), ZINC_DIMENSIONS);
	return zinc_json_is(v, ZINC_JSON_ARRAY) ? v : NULL;
}

const zinc_json *
zinc_dimension_names_find(const zinc_json *root)
{
	const zinc_json *v = zinc_dimension_names_list(root);

	return v && count(v) > 0 ? v : NULL;
}

bool
zinc_dimension_names_all(const zinc_json *v)
{
	return zinc_json_is(v, ZINC_JSON_ARRAY) && count(v) == v->n;
}

const char *
zinc_dimension_names_fit(const zinc_json *root, const zinc_json *attributes, const zinc_json **out)
{
	const zinc_json *v = zinc_json_member(root, "dimension_names"), *own;

	*out = NULL;
	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || (count(v) == 0 && v->n > 0))
		return NULL;
	if (count(v) < v->n)
		return "names of some dimensions and not of others";
	own = zinc_json_member(attributes, ZINC_DIMENSIONS);
	if (own && !zinc_json_equal(own, v))
		return "both names of dimensions and an attribute " ZINC_DIMENSIONS;
	*out = v;
	return NULL;
}
