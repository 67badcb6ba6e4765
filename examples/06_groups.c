/*
 * 06_groups.c - a hierarchy: groups, arrays in them, and a walk over all of it
 */
#include <stdio.h>
#include <zinc.h>

/* Called for each node, parents first.  Everything that `node` points to is valid during this call only. */
static int
show(void *arg, const zinc_node *node)
{
	int *arrays = arg, i;

	printf("%*s%s", 2 * node->depth, "", node->depth ? node->name : "/");
	if (node->problem)
		printf("  cannot be used: %s", node->problem);
	else if (node->kind == ZINC_NODE_ARRAY) {
		printf("  %s", node->array->dtype);
		for (i = 0; i < node->array->ndim; i++)
			printf("%s%d", i ? " x " : " ", (int)node->array->shape[i]);
		++*arrays;
	}
	printf("\n");
	return 0; /* continue */
}

/* Missing groups above a new node are created. */
static zinc_status
make(zinc_hierarchy *h, zinc_error *err)
{
	static const char *const paths[] = {"/surface/temperature", "/surface/pressure", "/lat"};
	const uint64_t shape[] = {24, 90};
	zinc_status st = zinc_group_create(h, "/empty", "{\"note\": \"nothing yet\"}", 0, NULL, err);
	int i;

	for (i = 0; i < 3 && st == ZINC_OK; i++) {
		const zinc_array_options *o =
		    ZINC_ARRAY_OPTIONS(.ndim = i < 2 ? 2 : 1, .shape = i < 2 ? shape : shape + 1, .dtype = "float32");
		zinc_array *a = NULL;

		st = zinc_array_create(&a, h, paths[i], o, err);
		zinc_array_close(a);
	}
	return st;
}

int
main(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_node_kind kind = ZINC_NODE_NONE;
	int arrays = 0;

	if (zinc_hierarchy_open_url(&h, "earth.zarr", ZINC_OPEN_OPTIONS(.create = 1), &err) || make(h, &err) ||
	    zinc_node_walk(h, "/", -1, show, &arrays, NULL, &err) ||
	    zinc_node_erase(h, "/surface/pressure", NULL, &err) ||
	    zinc_node_exists(h, "/surface/pressure", &kind, NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("%d arrays; pressure is %s\n", arrays, kind == ZINC_NODE_NONE ? "erased" : "still there");
	zinc_hierarchy_close(h);
	return zinc_error_status(&err) != ZINC_OK;
}
