/* cmd_ls.c - zinc ls: children of a node; an array lists itself, as ls(1) does with a file */
#include "cli.h"

struct ls {
	struct run *run;
	const char *url;
	zinc_hierarchy *h;
	zinc_node_kind kind; /* of the node that the URL names */
	bool broken;         /* and that is why nothing is listed */
	struct json children;
	struct table table; /* with -l */
	int status;
};

static void
list_text(struct ls *l, const zinc_node *node)
{
	struct text t = {NULL, 0, 0}, name = {NULL, 0, 0};
	const char *path = node->path;

	if (l->run->args->recursive || node->depth > 1) { /* deeper, and hidden */
		const size_t skip = strlen(zinc_hierarchy_path(l->h));

		path += skip > 1 ? skip + 1 : 1;
	} else {
		path = node->name;
	}
	text_puts(&name, node->depth ? path : node->path);
	if (l->run->args->detail) {
		describe_line(&t, node, false);
		table_cell(&l->table, PLAIN, kind_name(node));
		table_cell(&l->table, node->kind == ZINC_NODE_ARRAY ? BOLD : BLUE, text_str(&name));
		table_text(&l->table, PLAIN, &t);
		text_free(&name);
		return;
	} else {
		text_paint(&t, l->run->colour, node->kind == ZINC_NODE_ARRAY ? PLAIN : BLUE, text_str(&name));
	}
	text_puts(&t, "\n");
	out_text(&l->run->out, &t);
	text_free(&name);
}

static int
visit(void *arg, const zinc_node *node)
{
	struct ls *l = arg;
	int status = complain_of_node(l->h, l->url, node);

	if (status > l->status)
		l->status = status;
	if (node->depth == 0) {
		l->kind = node->kind;
		l->broken = status != DONE;
	}
	if (l->broken)
		return status;
	if (node->depth == 0 && l->kind != ZINC_NODE_ARRAY)
		return 0;
	if (!l->run->args->json) {
		list_text(l, node);
	} else if (node->depth > 0) {
		status = describe_json(&l->children, node, l->h, l->url);
		if (status != DONE)
			return l->status = status;
		json_end_object(&l->children);
	}
	return interrupted();
}

static void
print_json(struct ls *l)
{
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_string(json_key(&j, "path"), zinc_hierarchy_path(l->h));
	json_string(json_key(&j, "node_type"), l->kind == ZINC_NODE_ARRAY ? "array" : "group");
	json_list(json_key(&j, "children"), &l->children);
	json_end_object(&j);
	out_document(&l->run->out, &j);
}

static int
list(struct ls *l)
{
	const char *path = zinc_hierarchy_path(l->h);
	zinc_error err = ZINC_ERROR_INIT;

	if (zinc_node_walk(l->h, path, l->run->args->recursive ? -1 : 1, visit, l, &until_stopped, &err) &&
	    (l->broken || !err.shown))
		return l->broken ? l->status : fail(l->url, &err); /* the node's own error was printed by visit */
	if (l->run->args->json && !l->broken)
		print_json(l);
	return interrupted() ? CANCELLED : l->status;
}

int
cmd_ls(struct run *r)
{
	struct ls l = {.run = r, .url = r->args->words.at[0]};
	int status = open_node(r, l.url, false, &l.h);

	if (r->args->detail && !r->args->json) {
		table_init(&l.table, r);
		table_column(&l.table, "", COLUMN_LEFT);
		table_column(&l.table, "", COLUMN_CUT);
		table_column(&l.table, "", COLUMN_CUT);
	}
	if (status == DONE)
		status = list(&l);
	if (l.table.ncells || l.table.begun)
		table_end(&l.table);
	json_free(&l.children);
	zinc_hierarchy_close(l.h);
	return status;
}
