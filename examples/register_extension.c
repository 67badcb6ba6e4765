/*
 * register_extension.c - an extension of arrays that a program understands: "these elements are a mask of those"
 *
 * A document may declare what readers must understand.  Zinc shows such an array but does not read its elements until
 * a program registers the extension.
 */
#include <stdio.h>
#include <string.h>
#include <zinc.h>
#include <zinc/extend.h>

/* The configuration is JSON text, as declared. */
static zinc_status
mask_check(const char *configuration, zinc_error *err)
{
	if (!configuration || !strstr(configuration, "\"of\":\"/"))
		return zinc_error_set(err, ZINC_E_INVALID, "\"of\" must be the path of an array");
	return ZINC_OK;
}

static const char *const mask_uris[] = {"https://example.org/zarr/extensions/mask/1.0", NULL};

/* Groups and, in the drafts, whole hierarchies are extended in the same way. */
static const zinc_extension_def mask = {
    .size = sizeof mask,
    .name = "example.mask",
    .uris = mask_uris,
    .purpose = "elements that say which of another array's count",
    .extends = ZINC_EXTENDS_ARRAY,
    .check = mask_check,
};

static const char document[] =
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"bool\","
    " \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4]}},"
    " \"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": true, \"codecs\": [\"bytes\"],"
    " \"example.mask\": {\"must_understand\": true, \"of\": \"/temperature\"}}";

static int
show(void *arg, const zinc_declaration *d)
{
	printf("%s %s: %s\n", d->known ? "known" : "unknown", d->name, d->configuration ? d->configuration : "");
	*(int *)arg += d->known;
	return 0;
}

/* Can the elements be read? */
static zinc_status
read_mask(zinc_hierarchy *h, zinc_error *err)
{
	zinc_array *a = NULL;
	uint8_t out[4];
	zinc_status st = zinc_array_open(&a, h, "/", NULL, err);

	if (st == ZINC_OK)
		st = zinc_array_read_text(a, NULL, ZINC_BUFFER_AS(ZINC_BOOL, out, sizeof out), NULL, err);
	zinc_array_close(a);
	return st;
}

int
main(void)
{
	zinc_error err = ZINC_ERROR_INIT, before = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *s = NULL;
	int known = 0;

	if (zinc_store_open(&s, "memory://example-mask", NULL, &err) ||
	    zinc_store_put(s, NULL, "zarr.json", document, sizeof document - 1, NULL, 0, NULL, NULL, &err) ||
	    zinc_hierarchy_open(&h, s, "", NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else if (read_mask(h, &before) != ZINC_E_UNSUPPORTED)
		fprintf(stderr, "what is not understood was read\n");
	else if (zinc_register_extension(&mask, &err) || read_mask(h, &err) ||
		 zinc_extensions(h, "/", show, &known, NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	zinc_hierarchy_close(h);
	zinc_store_close(s);
	return known != 1;
}
