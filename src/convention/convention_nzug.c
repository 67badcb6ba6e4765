/*
 * convention_nzug.c - convention NZUG: the rules of the NetCDF Users Guide for arrays, for Zarr
 *
 * All dimensions of an array are named, and within a group a name has one length.
 */
#include "convention/convention.h"

static const char *const names[] = {"conventions", "Conventions", "_nczarr_attr", NULL};

static const char schema[] =
    "{'type': 'object', 'properties': {'conventions': {'type': 'string'}, 'Conventions': {'type': 'string'},"
    " '_nczarr_attr': {'type': 'object', 'properties': {'types': {'type': 'object',"
    "  'additionalProperties': {'type': 'string'}}}}}}";

/* Each dimension of each array. */
static void
check_names(const char *path, const zinc_meta *m, zinc_report *r)
{
	const char *name;
	int i;

	for (i = 0; i < m->ndim; i++) {
		name = zinc_dimension_name(m, i);
		if (!name || !*name)
			(void)zinc_report_error(r, "NZUG-1.0", NULL, "dimension %d of %.100s has no name", i, path);
	}
}

#define MOST 1024

/* Names of dimensions in a group, with their lengths; names are valid while the listing shows the array. */
struct lengths {
	zinc_report *r;
	zinc_context *ctx;
	size_t n;
	bool lost;
	struct {
		char *name;
		uint64_t length;
	} of[MOST];
};

/* The first array that has a name sets its length. */
static void
check_length(struct lengths *l, const zinc_node *node, const char *name, uint64_t length)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (strcmp(l->of[i].name, name) == 0) {
			if (l->of[i].length != length)
				(void)zinc_report_error(
				    l->r, "NZUG-1.0", NULL,
				    "dimension \"%.60s\" has %llu elements in %.100s, %llu elsewhere", name,
				    (unsigned long long)length, node->path, (unsigned long long)l->of[i].length);
			return;
		}
	if (l->n == MOST)
		return;
	l->of[l->n].name = zinc_strdup(l->ctx, name);
	l->of[l->n].length = length;
	if (l->of[l->n].name)
		l->n++;
	else
		l->lost = true;
}

/* Arrays directly in the group, which is the scope of dimensions. */
static int
check_child(void *arg, const zinc_node *node)
{
	struct lengths *l = arg;
	const zinc_meta *m;
	int d;

	if (!node->array)
		return 0;
	m = zinc_array_info_meta(node->array);
	check_names(node->path, m, l->r);
	for (d = 0; d < m->ndim; d++) {
		const char *name = zinc_dimension_name(m, d);

		if (name && *name)
			check_length(l, node, name, m->shape[d]);
	}
	return l->lost;
}

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	struct lengths *l;
	zinc_status st;

	if (s->meta->kind == ZINC_NODE_ARRAY) {
		check_names(s->path, s->meta, r);
		return ZINC_OK;
	}
	l = zinc_calloc(s->h->ctx, 1, sizeof *l);
	if (!l)
		return zinc_fail_nomem(err);
	l->r = r;
	l->ctx = s->h->ctx;
	st = zinc_node_children(s->h, s->path, check_child, l, NULL, err);
	if (st == ZINC_OK && l->lost)
		st = zinc_fail_nomem(err);
	while (l->n > 0)
		zinc_free(l->ctx, l->of[--l->n].name);
	zinc_free(s->h->ctx, l);
	return st;
}

const zinc_convention_row zinc_convention_nzug = {
    .name = "NZUG-1.0",
    .names = names,
    .uuid = "d0a980b5-c644-4dcc-85a1-283799a58f40",
    .description = "Structural interoperability layer for scientific array conventions on Zarr v3",
    .groups = true,
    .arrays = true,
    .check = check,
    .schemas = ZINC_URLS(ZINC_RAW "zarr-conventions/nzug/refs/tags/v1/schema.json",
			 ZINC_GITHUB "zarr-conventions/nzug/blob/main/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/nzug/blob/v1/README.md",
		       ZINC_GITHUB "zarr-conventions/nzug/blob/main/README.md"),
    .schema = schema,
};
