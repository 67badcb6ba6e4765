/*
 * conventions.c - a pyramid that declares a convention, with every call for it
 */
#include "every_call.h"

#define SCHEMA "https://example.org/every/schema.json"

static int
join_convention(void *arg, const zinc_convention *c)
{
	add_word((char *)arg, c->known[0] ? c->known : c->id);
	return 0;
}

static void
declare(zinc_hierarchy *h)
{
	static const zinc_attribute attributes[] = {
	    {"multiscales", "{\"layout\": [{\"asset\": \"0\"}, {\"asset\": \"1\", \"derived_from\": \"0\","
			    " \"transform\": {\"scale\": [2], \"translation\": [0.5]}}]}"},
	    {"license", "{\"spdx\": \"MIT\"}"}};
	zinc_declare_options options = ZINC_DECLARE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	char text[TEXT_ROOM] = "";

	OK(zinc_conventions_add(h, "/", "multiscales", ZINC_SHAPE_CURRENT, NULL, &err));
	GIVES(ZINC_E_EXISTS, zinc_conventions_add(h, "/", "multiscales", ZINC_SHAPE_CURRENT, NULL, &err));
	OK(zinc_conventions_add(h, "/", "license", ZINC_SHAPE_CURRENT, NULL, &err));
	options.name = "every";
	options.shape = "live";
	OK(zinc_conventions_declare(h, "/", SCHEMA, &options, &err));
	OK(zinc_attributes_edit(h, "/", attributes, 2, NULL, &err));
	OK(zinc_conventions_list(h, "/", join_convention, text, NULL, &err));
	TEXT_IS(text, "multiscales license " SCHEMA " ");
	OK(zinc_conventions_remove(h, "/", SCHEMA, NULL, &err));
	GIVES(ZINC_E_NOTFOUND, zinc_conventions_remove(h, "/", SCHEMA, NULL, &err));
}

static int
count_errors(void *arg, const zinc_verdict *v)
{
	*(int *)arg += v->validity == ZINC_INVALID;
	return 0;
}

static int
count_level(void *arg, const zinc_scale_level *l)
{
	CHECK(l->ndim == 1);
	CHECK(l->shape[0] == (l->index ? 4u : 8u));
	if (l->index == 1)
		CHECK(l->nscale == 1 && l->scale[0] == 2 && l->translation[0] == 0.5);
	++*(int *)arg;
	return 0;
}

static void
ask(zinc_hierarchy *h)
{
	zinc_conventions_options options = ZINC_CONVENTIONS_OPTIONS_INIT;
	zinc_blob json = ZINC_BLOB_INIT, from = ZINC_BLOB_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_conventions *c = NULL;
	int wrong = 0, levels = 0;

	OK(zinc_conventions_properties(h, "/", "multiscales", &json, NULL, &err));
	HAS(json.data, "\"layout\"");
	zinc_blob_fini(&json);
	OK(zinc_conventions_effective(h, "/0", "license", &json, &from, NULL, &err));
	HAS(json.data, "MIT");
	TEXT_IS((const char *)from.data, "/");
	zinc_blob_fini(&json);
	zinc_blob_fini(&from);
	OK(zinc_conventions_new(&c, &options, &err));
	OK(zinc_conventions_check(c, h, "/", count_errors, &wrong, NULL, &err));
	zinc_conventions_free(c);
	CHECK(wrong == 0);
	OK(zinc_multiscale_levels(h, "/", count_level, &levels, NULL, &err));
	CHECK(levels == 2);
}

void
call_conventions(const char *url)
{
	static const char *const names[] = {"/0", "/1"};
	static const uint64_t shapes[] = {8, 4};
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	char at[4200];
	int i;

	snprintf(at, sizeof at, "%s/conventions.zarr", url);
	open.create = 1;
	OK(zinc_hierarchy_open_url(&h, at, &open, &err));
	OK(zinc_group_create(h, "/", NULL, 0, NULL, &err));
	for (i = 0; i < 2; i++) {
		options.ndim = 1;
		options.shape = &shapes[i];
		options.dtype = "uint8";
		OK(zinc_array_create(&a, h, names[i], &options, &err));
		zinc_array_close(a);
	}
	declare(h);
	ask(h);
	zinc_hierarchy_close(h);
}
