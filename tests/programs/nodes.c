/*
 * nodes.c - hierarchies: groups, walking, attributes, consolidated metadata, erasing
 */
#include "every_call.h"

static zinc_array *
make_array(zinc_hierarchy *h, const char *path)
{
	static const uint64_t shape[] = {4};
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	uint8_t bytes[4] = {1, 2, 3, 4};

	options.ndim = 1;
	options.shape = shape;
	options.dtype = "uint8";
	OK(zinc_array_create(&a, h, path, &options, &err));
	OK(zinc_array_write_text(a, NULL, ZINC_BUFFER(bytes, sizeof bytes), NULL, &err));
	return a;
}

/* ---- reading ---- */

static int
see_node(void *arg, const zinc_node *node)
{
	add_word((char *)arg, node->path);
	CHECK(!node->hidden && !node->problem);
	if (node->kind == ZINC_NODE_ARRAY) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_blob b = ZINC_BLOB_INIT;
		zinc_array *a = NULL;
		char text[16];

		CHECK(node->array->ndim == 1 && node->array->shape[0] == 4);
		CHECK(zinc_array_info_numpy(node->array, text, sizeof text) > 0);
		TEXT_IS(text, "'|u1'");
		OK(zinc_array_info_describe(node->array, &b, &err));
		HAS(b.data, "uint8");
		zinc_blob_fini(&b);
		OK(zinc_array_info_open(&a, node->array, NULL, &err));
		CHECK(zinc_array_ndim(a) == 1);
		zinc_array_close(a);
	}
	return 0;
}

static void
look(zinc_hierarchy *h)
{
	zinc_node_kind kind = ZINC_NODE_NONE;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	char text[TEXT_ROOM] = "";

	OK(zinc_node_exists(h, "/g", &kind, NULL, &err));
	CHECK(kind == ZINC_NODE_GROUP);
	OK(zinc_node_exists(h, "/none", &kind, NULL, &err));
	CHECK(kind == ZINC_NODE_NONE);
	OK(zinc_node_stat(h, "/g", see_node, text, NULL, &err));
	TEXT_IS(text, "/g ");
	text[0] = 0;
	OK(zinc_node_children(h, "/g", see_node, text, NULL, &err));
	TEXT_IS(text, "/g/a /g/b ");
	text[0] = 0;
	OK(zinc_node_walk(h, "/", -1, see_node, text, NULL, &err));
	TEXT_IS(text, "/ /g /g/a /g/b ");
	OK(zinc_node_document(h, "/g/a", &b, NULL, &err));
	HAS(b.data, "\"uint8\"");
	zinc_blob_fini(&b);
}

/* ---- changing ---- */

static void
edit(zinc_hierarchy *h)
{
	zinc_attribute changes[] = {{"a", "[1, 2]"}, {"b", "\"x\""}}, gone = {"a", NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	int has = -1;

	OK(zinc_attributes_edit(h, "/g", changes, 2, NULL, &err));
	OK(zinc_attributes_get(h, "/g", "b", &b, NULL, &err));
	TEXT_IS((const char *)b.data, "\"x\"");
	zinc_blob_fini(&b);
	OK(zinc_attributes_edit(h, "/g", &gone, 1, NULL, &err));
	GIVES(ZINC_E_NOTFOUND, zinc_attributes_edit(h, "/g", &gone, 1, NULL, &err));
	GIVES(ZINC_E_NOTFOUND, zinc_attributes_get(h, "/g", "a", &b, NULL, &err));
	OK(zinc_consolidate(h, "/", 0, NULL, &err));
	OK(zinc_consolidated(h, "/", &has, NULL, &err));
	CHECK(has == 1);
	look(h);
	OK(zinc_consolidate(h, "/", 1, NULL, &err));
	OK(zinc_consolidated(h, "/", &has, NULL, &err));
	CHECK(has == 0);
}

static int
count_path(void *arg, const char *path)
{
	CHECK(path[0] == '/');
	++*(int *)arg;
	return 0;
}

static void
erase(zinc_hierarchy *h)
{
	zinc_erase_options options = ZINC_ERASE_OPTIONS_INIT;
	zinc_erase_counts counts = ZINC_ERASE_COUNTS_INIT;
	zinc_node_kind kind = ZINC_NODE_NONE;
	zinc_error err = ZINC_ERROR_INIT;
	int told = 0;

	options.dry_run = 1;
	options.fn = count_path;
	options.arg = &told;
	OK(zinc_node_erase_with(h, "/g", &options, &counts, &err));
	CHECK(told == 3 && counts.nodes == 3 && counts.keys == 5);
	OK(zinc_node_keep_parents(h, "/g/a", NULL, &err));
	OK(zinc_node_erase(h, "/g/a", NULL, &err));
	OK(zinc_node_exists(h, "/g/a", &kind, NULL, &err));
	CHECK(kind == ZINC_NODE_NONE);
	GIVES(ZINC_E_NOTFOUND, zinc_node_erase(h, "/g/a", NULL, &err));
}

void
call_nodes(const char *url)
{
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL, *same = NULL;
	const char *format = NULL;
	char at[4200], below[4300];

	snprintf(at, sizeof at, "%s/nodes.zarr", url);
	snprintf(below, sizeof below, "%s/g", at);
	OK(zinc_node_check_place(at, ZINC_NODE_GROUP, 0, NULL, &format, &err));
	TEXT_IS(format, "v3");
	OK(zinc_group_create_url(at, "{\"title\": \"all\"}", 0, NULL, &err));
	GIVES(ZINC_E_EXISTS, zinc_node_check_place(at, ZINC_NODE_GROUP, 0, NULL, NULL, &err));
	OK(zinc_hierarchy_open_url(&h, at, &open, &err));
	OK(zinc_group_create(h, "/g", NULL, 0, NULL, &err));
	zinc_array_close(make_array(h, "/g/a"));
	zinc_array_close(make_array(h, "/g/b"));
	look(h);
	edit(h);
	OK(zinc_hierarchy_open(&same, zinc_hierarchy_store(h), zinc_hierarchy_prefix(h), &open, &err));
	erase(same);
	zinc_hierarchy_close(same);
	zinc_hierarchy_close(h);
	OK(zinc_hierarchy_open_url(&h, below, NULL, &err));
	TEXT_IS(zinc_hierarchy_path(h), "/g");
	TEXT_IS(zinc_hierarchy_format(h), "v3");
	zinc_hierarchy_close(h);
}
