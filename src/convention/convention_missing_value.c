/*
 * convention_missing_value.c - convention missing_value: the element value that means missing data
 *
 * It is spelled as a fill value of the array's own type.
 */
#include "convention/convention.h"

static const char schema[] = "{'type': 'object', 'required': ['missing_value']}";

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(s->attributes, "missing_value");
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report quiet;
	void *element;

	if (!s->meta->dtype)
		return ZINC_OK;
	element = zinc_dtype_fill_room(s->meta->dtype, s->h->ctx, v);
	if (!element)
		return zinc_fail_nomem(err);
	zinc_report_init_quiet(&quiet, s->h->ctx, false);
	if (s->meta->dtype->ops->parse_fill(s->meta->dtype, v, element, &quiet, &e) != ZINC_OK)
		(void)zinc_report_error(r, "missing_value", NULL, "is not a value of the array's type: %s", e.text);
	zinc_free(s->h->ctx, element);
	return ZINC_OK;
}

const zinc_convention_row zinc_convention_missing_value = {
    .name = "missing_value",
    .prefix = "missing_value",
    .uuid = "78691ef5-ff17-4c55-98ca-a57f0e9d50bd",
    .description = "Element value that stands for missing data",
    .arrays = true,
    .check = check,
    .schemas = ZINC_URLS(ZINC_RAW "zarr-experimental/missing_value/refs/tags/v0.1.0/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "zarr-experimental/missing_value/blob/v0.1.0/README.md"),
    .schema = schema,
};
