/*
 * convention_stac.c - convention stac: an item or collection of a SpatioTemporal Asset Catalog
 *
 * Beyond the schema: a link is absolute, assets of an embedded object are relative, and an embedded object has no
 * link to the store that it is in.
 */
#include "convention/convention.h"

static const char schema[] = "{'type': 'object', 'required': ['stac:encoding'], 'properties': {"
			     " 'stac:encoding': {'enum': ['attribute', 'link', 'array']}},"
			     " 'oneOf': [{'required': ['stac:item']}, {'required': ['stac:collection']}],"
			     " 'if': {'properties': {'stac:encoding': {'const': 'array'}}}, 'else': {'properties': {"
			     "  'stac:item': {'type': 'object'}, 'stac:collection': {'type': 'object'}}}}";

/* A linked object is outside the store, so nothing can be relative to it. */
static void
check_link(const zinc_json *object, zinc_report *r)
{
	const zinc_json *href = zinc_json_member(object, "href");

	if (!zinc_json_is(href, ZINC_JSON_STRING) || !zinc_is_url(href->text))
		(void)zinc_report_error(r, "stac", NULL, "a link needs an absolute \"href\"");
}

/* An embedded object moves with the store, so its assets must be relative. */
static void
check_assets(const zinc_json *object, zinc_report *r)
{
	const zinc_json *assets = zinc_json_member(object, "assets"), *a, *href;
	const size_t mark = zinc_report_enter(r, "assets");

	for (a = zinc_json_is(assets, ZINC_JSON_OBJECT) ? assets->first : NULL; a; a = a->next) {
		href = zinc_json_member(a, "href");
		if (zinc_json_is(href, ZINC_JSON_STRING) && (zinc_is_url(href->text) || href->text[0] == '/'))
			(void)zinc_report_error(r, "stac", NULL, "the asset \"%.60s\" must be relative to the group",
						a->key);
	}
	zinc_report_leave(r, mark);
}

/* Such a link would refer to itself. */
static void
check_links(const zinc_json *object, zinc_report *r)
{
	const zinc_json *links = zinc_json_member(object, "links"), *l;

	for (l = zinc_json_is(links, ZINC_JSON_ARRAY) ? links->first : NULL; l; l = l->next)
		if (zinc_json_is_string(zinc_json_member(l, "rel"), "store"))
			(void)zinc_report_error(r, "stac", NULL, "an embedded object has no link to its store");
}

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	const zinc_json *object = zinc_json_member(s->attributes, "stac:item"),
			*encoding = zinc_json_member(s->attributes, "stac:encoding");
	const char *key = object ? "stac:item" : "stac:collection";
	const size_t mark = zinc_report_enter(r, key);

	(void)err;
	if (!object)
		object = zinc_json_member(s->attributes, key);
	if (zinc_json_is_string(encoding, "link"))
		check_link(object, r);
	if (zinc_json_is_string(encoding, "attribute")) {
		check_assets(object, r);
		check_links(object, r);
	}
	zinc_report_leave(r, mark);
	return ZINC_OK;
}

const zinc_convention_row zinc_convention_stac = {
    .name = "stac",
    .prefix = "stac:",
    .uuid = "b3703368-7e7e-4e8e-9e0e-6d0f0d5e8e8e",
    .description = "STAC convention for embedding or referencing STAC objects in Zarr group metadata",
    .groups = true,
    .check = check,
    .schemas = ZINC_URLS(ZINC_RAW "zarr-conventions/stac/refs/tags/v0.1/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/stac/blob/v0.1/README.md"),
    .schema = schema,
};
