/*
 * 05_attributes.c - attributes: JSON of an array or group; set, read, change, remove
 *
 * Attributes belong to a node of a hierarchy, so they are reached through the hierarchy and a path.
 */
#include <stdio.h>
#include <zinc.h>

static zinc_status
show(zinc_hierarchy *h, const char *path, const char *key, zinc_error *err)
{
	zinc_blob json = ZINC_BLOB_INIT; /* text that a call returns; free it with zinc_blob_fini */
	zinc_status st = zinc_attributes_get(h, path, key, &json, NULL, err);

	if (st == ZINC_OK)
		printf("%s %s: %s\n", path, key ? key : "(all)", (const char *)json.data);
	zinc_blob_fini(&json);
	return st;
}

int
main(void)
{
	const uint64_t shape[] = {24};
	/* One call is one change of the document: all of them, or none.  NULL removes a key. */
	const zinc_attribute set[] = {{"units", "\"degC\""}, {"valid_range", "[-80, 60]"}, {"draft", NULL}};
	const zinc_attribute title[] = {{"title", "\"weather of one day\""}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;

	if (zinc_hierarchy_open_url(&h, "weather.zarr", ZINC_OPEN_OPTIONS(.create = 1), &err) ||
	    zinc_array_create(&a, h, "/temperature",
			      ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "float32",
						 .attributes = "{\"draft\": true, \"station\": \"A1\"}"),
			      &err) ||
	    show(h, "/temperature", NULL, &err) ||
	    zinc_attributes_edit(h, "/temperature", set, sizeof set / sizeof *set, NULL, &err) ||
	    zinc_attributes_edit(h, "/", title, 1, NULL, &err) || show(h, "/temperature", NULL, &err) ||
	    show(h, "/temperature", "units", &err) || show(h, "/", "title", &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	return zinc_error_status(&err) != ZINC_OK;
}
