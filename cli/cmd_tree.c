/* cmd_tree.c - zinc tree: the hierarchy with box characters, or as nested JSON */
#include "cli.h"

/* A node to print.  Its branch depends on whether a sibling follows, so nodes are collected first. */
struct leaf {
	int depth;
	bool last; /* among its siblings */
	bool group;
	char *name, *line;
};

struct tree {
	struct run *run;
	const char *url;
	zinc_hierarchy *h;
	struct leaf *leaves;
	size_t n;
	struct json json;
	int depth;        /* of the node last written to `json`, -1 at first */
	struct text last; /* path of the previous node */
	int status;
};

static char *
copy(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xrealloc(NULL, n), s, n);
}

/* The worst problem is the exit status; the tree is drawn in any case. */
static void
note_problem(struct tree *t, const zinc_node *node)
{
	int status = complain_of_node(t->h, t->url, node);

	if (status > t->status)
		t->status = status;
}

/* ---- text ---- */

static int
name_convention(void *arg, const zinc_convention *c)
{
	struct text *t = arg;

	text_puts(t, t->n ? ", " : "");
	text_name(t, c->title);
	return 0;
}

/* "  [multiscales, proj:]" behind a node that declares conventions. */
static void
mark_conventions(struct text *line, struct tree *t, const zinc_node *node)
{
	struct text names = {NULL, 0, 0};

	if (!node->attributes || !strstr(node->attributes, "\"zarr_conventions"))
		return;
	(void)!zinc_conventions_list(t->h, node->path, name_convention, &names, &until_stopped, NULL);
	if (names.n)
		text_printf(line, "%s[%s]", line->n ? "  " : "", names.p);
	text_free(&names);
}

static void
add_leaf(struct tree *t, const zinc_node *node)
{
	struct text line = {NULL, 0, 0};
	struct leaf *l;

	if ((t->n & (t->n + 1)) == 0) /* room for 2^k - 1 */
		t->leaves = xrealloc(t->leaves, (2 * t->n + 2) * sizeof *t->leaves);
	l = &t->leaves[t->n++];
	describe_line(&line, node);
	mark_conventions(&line, t, node);
	*l = (struct leaf){.depth = node->depth, .group = node->kind != ZINC_NODE_ARRAY};
	l->name = copy(node->depth ? node->name : t->url);
	l->line = copy(text_str(&line));
	text_free(&line);
}

/* A node is the last among its siblings when no other of its depth follows before a shallower one. */
static void
find_last(struct tree *t)
{
	bool later[1024] = {false}; /* a sibling at this depth was seen, looking from the end */
	size_t i;
	int d;

	for (i = t->n; i-- > 0;) {
		struct leaf *l = &t->leaves[i];

		d = l->depth < 1023 ? l->depth : 1023;
		l->last = !later[d];
		later[d] = true;
		for (d++; d < 1024 && later[d]; d++)
			later[d] = false;
	}
}

static void
draw(struct tree *t)
{
	bool open[1024] = {false}; /* a branch continues at this depth */
	size_t i;
	int d;

	for (i = 0; i < t->n; i++) {
		struct leaf *l = &t->leaves[i];
		struct text s = {NULL, 0, 0};

		for (d = 1; d < l->depth && d < 1024; d++)
			text_puts(&s, open[d] ? "│   " : "    ");
		if (l->depth > 0)
			text_puts(&s, l->last ? "└── " : "├── ");
		if (l->depth < 1024)
			open[l->depth] = !l->last;
		text_paint(&s, t->run->colour, l->group ? BLUE : BOLD, l->name);
		text_printf(&s, "%s%s\n", *l->line ? "  " : "", l->line);
		out_text(&t->run->out, &s);
	}
}

/* ---- JSON ---- */

/* Close open objects down to `depth`: the next node is at that depth. */
static void
close_json(struct tree *t, int depth)
{
	for (; t->depth >= depth; t->depth--) {
		json_end_array(&t->json);
		json_end_object(&t->json);
	}
}

/* Parents come before their children; an object stays open until a node comes that is not below it. */
static int
add_json(struct tree *t, const zinc_node *node)
{
	struct json *j = &t->json;
	int status = DONE;

	close_json(t, node->depth);
	if (node->array) {
		status = describe_json(j, node, t->h, t->url);
	} else {
		json_begin_object(j);
		json_string(json_key(j, "path"), node->path);
		json_string(json_key(j, "node_type"), kind_name(node));
		if (node->implicit)
			json_bool(json_key(j, "implicit"), true);
		if (node->problem)
			json_string(json_key(j, "problem"), node->problem);
	}
	json_begin_array(json_key(j, "children"));
	t->depth = node->depth;
	return status;
}

/* ---- the command ---- */

/* Was the previous node the parent, or a descendant of the parent? */
static bool
follows_parent(const struct tree *t, const char *path)
{
	const size_t n = (size_t)(strrchr(path, '/') - path);

	return t->last.n >= n && !strncmp(t->last.p, path, n) && (t->last.n == n || t->last.p[n] == '/');
}

/* The parent of a hidden entry may not be shown, or not yet: then the entry is printed below the root, with its
 * whole path. */
static zinc_node
placed_node(struct tree *t, const zinc_node *node)
{
	const size_t skip = strlen(zinc_hierarchy_path(t->h));
	zinc_node placed = *node;

	if (node->hidden && node->depth > 1 && !follows_parent(t, node->path)) {
		placed.depth = 1;
		placed.name = node->path + (skip > 1 ? skip + 1 : 1);
	}
	t->last.n = 0;
	if (placed.depth == node->depth)
		text_puts(&t->last, node->path);
	return placed;
}

static int
visit(void *arg, const zinc_node *found)
{
	struct tree *t = arg;
	const zinc_node node = placed_node(t, found);
	int status = DONE;

	note_problem(t, &node);
	if (t->run->args->json)
		status = add_json(t, &node);
	else
		add_leaf(t, &node);
	if (status != DONE)
		t->status = status;
	return status != DONE || interrupted();
}

static void
print(struct tree *t)
{
	if (t->run->args->json) {
		close_json(t, 0);
		out_document(&t->run->out, &t->json);
		return;
	}
	find_last(t);
	draw(t);
}

int
cmd_tree(struct run *r)
{
	struct tree t = {.run = r, .url = r->args->words.at[0], .depth = -1};
	zinc_error err = ZINC_ERROR_INIT;
	int status = open_node(r, t.url, false, &t.h);
	size_t i;

	if (status == DONE &&
	    zinc_node_walk(t.h, zinc_hierarchy_path(t.h), r->args->depth, visit, &t, &until_stopped, &err))
		status = fail(t.url, &err);
	if (status == DONE)
		print(&t);
	for (i = 0; i < t.n; i++) {
		free(t.leaves[i].name);
		free(t.leaves[i].line);
	}
	free(t.leaves);
	json_free(&t.json);
	text_free(&t.last);
	zinc_hierarchy_close(t.h);
	if (interrupted())
		return CANCELLED;
	return status == DONE ? t.status : status;
}
