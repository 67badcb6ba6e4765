/*
 * conventions.c - what a viewer needs of a group: its conventions, their properties, are they valid? And its levels
 *
 * Makes a small pyramid that declares the convention multiscales, and reads it.
 */
#include <stdio.h>
#include <string.h>
#include <zinc/conventions.h>

static int
show_convention(void *arg, const zinc_convention *c)
{
	(void)arg;
	printf("declares %s %s (%s)\n", c->title, c->version, c->id);
	return 0;
}

static int
show_verdict(void *arg, const zinc_verdict *v)
{
	int *errors = arg;
	size_t i;

	for (i = 0; i < v->nfindings; i++) {
		printf("  %s %s: %s\n", v->findings[i]->rule, v->findings[i]->pointer, v->findings[i]->message);
		*errors += v->findings[i]->level == ZINC_LEVEL_ERROR;
	}
	return 0;
}

static int
show_level(void *arg, const zinc_scale_level *l)
{
	int *levels = arg;

	printf("level %d: %s, %d dimensions", l->index, l->path, l->ndim);
	if (l->ndim == 2)
		printf(", %llu x %llu", (unsigned long long)l->shape[0], (unsigned long long)l->shape[1]);
	if (l->nscale == 2)
		printf(", scale %g x %g of %s", l->scale[0], l->scale[1], l->derived_from);
	printf("\n");
	++*levels;
	return 0;
}

/* A group, two arrays, a declaration, and its property. */
static zinc_status
make(zinc_hierarchy *h, zinc_error *err)
{
	static const zinc_attribute layout = {
	    "multiscales", "{\"layout\": [{\"asset\": \"0\"}, {\"asset\": \"1\", \"derived_from\": \"0\", "
			   "\"transform\": {\"scale\": [2, 2]}}]}"};
	const uint64_t shapes[2][2] = {{64, 48}, {32, 24}};
	static const char *const names[] = {"/0", "/1"};
	zinc_status st = zinc_group_create(h, "/", NULL, 0, NULL, err);
	int i;

	for (i = 0; i < 2 && st == ZINC_OK; i++) {
		zinc_array *a = NULL;

		st = zinc_array_create(&a, h, names[i],
				       ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shapes[i], .dtype = "uint8"), err);
		zinc_array_close(a);
	}
	if (st == ZINC_OK)
		st = zinc_conventions_add(h, "/", "multiscales", ZINC_SHAPE_CURRENT, NULL, err);
	return st == ZINC_OK ? zinc_attributes_edit(h, "/", &layout, 1, NULL, err) : st;
}

/* The three questions, and the levels. */
static zinc_status
look(zinc_hierarchy *h, int *errors, int *levels, zinc_error *err)
{
	zinc_blob properties = ZINC_BLOB_INIT;
	zinc_status st = zinc_conventions_list(h, "/", show_convention, NULL, NULL, err);

	if (st == ZINC_OK)
		st = zinc_conventions_properties(h, "/", "multiscales", &properties, NULL, err);
	if (st == ZINC_OK)
		printf("properties: %s\n", (const char *)properties.data);
	if (st == ZINC_OK)
		st = zinc_conventions_check(NULL, h, "/", show_verdict, errors, NULL, err);
	if (st == ZINC_OK)
		st = zinc_multiscale_levels(h, "/", show_level, levels, NULL, err);
	zinc_blob_fini(&properties);
	return st;
}

int
main(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	int errors = 0, levels = 0;
	zinc_status st;

	st = zinc_hierarchy_open_url(&h, "pyramid.zarr", ZINC_OPEN_OPTIONS(.create = 1, .relaxed = 1), &err);
	if (st == ZINC_OK)
		st = make(h, &err);
	if (st == ZINC_OK)
		st = look(h, &errors, &levels, &err);
	if (st != ZINC_OK)
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	zinc_hierarchy_close(h);
	return st != ZINC_OK || errors != 0 || levels != 2;
}
