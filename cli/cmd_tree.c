/*
 * cmd_tree.c - zinc tree: the hierarchy with box characters, as a header with all attributes, or as nested JSON
 *
 * The header is in tree_header.c.
 */
#include "tree.h"

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
	describe_line(&line, node, t->run->args->show_attrs);
	mark_conventions(&line, t, node);
	*l = (struct leaf){.depth = node->depth, .group = node->kind != ZINC_NODE_ARRAY};
	l->name = copy(node->depth ? node->name : t->url);
	l->path = copy(node->path);
	l->line = copy(text_str(&line));
	if (t->run->args->show_attrs) {
		l->attributes = copy(node->attributes ? node->attributes : "{}");
		dims_take(&l->dims, node->array);
	}
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

/* "│   ├── " */
static void
add_branch(struct text *s, const struct leaf *l, bool *open)
{
	int d;

	for (d = 1; d < l->depth && d < 1024; d++)
		text_puts(s, open[d] ? "│   " : "    ");
	if (l->depth > 0)
		text_puts(s, l->last ? "└── " : "├── ");
	if (l->depth < 1024)
		open[l->depth] = !l->last;
}

static void
draw(struct tree *t)
{
	bool open[1024] = {false}; /* a branch continues at this depth */
	const size_t width = screen_width();
	size_t i;

	for (i = 0; i < t->n; i++) {
		struct leaf *l = &t->leaves[i];
		struct line line = {.colour = t->run->colour, .width = width, .left = width};
		struct text branch = {NULL, 0, 0};

		add_branch(&branch, l, open);
		line_add(&line, PLAIN, text_str(&branch));
		line_add(&line, l->group ? BLUE : BOLD, l->name);
		line_add(&line, PLAIN, *l->line ? "  " : "");
		line_add(&line, PLAIN, l->line);
		line_end(&line, &t->run->out);
		text_free(&branch);
	}
}

static void
size_cells(struct table *table, const struct tree *t, const char *path)
{
	const zinc_usage *u = sizes_find(&t->sizes, path);
	struct text size = {NULL, 0, 0}, ratio = {NULL, 0, 0};

	if (u) {
		text_size(&size, u->bytes);
		text_ratio(&ratio, u);
	}
	table_text(table, PLAIN, &size);
	table_text(table, PLAIN, &ratio);
}

/* The same with sizes, as a table. */
static void
draw_sizes(struct tree *t)
{
	bool open[1024] = {false};
	struct table table;
	size_t i;

	table_init(&table, t->run);
	table_column(&table, "node", COLUMN_CUT);
	table_column(&table, "stored", COLUMN_RIGHT);
	table_column(&table, "ratio", COLUMN_RIGHT);
	table_column(&table, "content", COLUMN_CUT);
	for (i = 0; i < t->n; i++) {
		struct leaf *l = &t->leaves[i];
		struct text name = {NULL, 0, 0};

		add_branch(&name, l, open);
		text_puts(&name, l->name);
		table_text(&table, l->group ? BLUE : BOLD, &name);
		size_cells(&table, t, l->path);
		table_cell(&table, PLAIN, l->line);
	}
	table_end(&table);
}

/* ---- JSON ---- */

/* Close open objects down to `depth`: the next node is at that depth. */
static void
close_json(struct tree *t, int depth)
{
	for (; t->depth >= depth; t->depth--) {
		json_end_array(&t->json);
		if (t->run->args->show_attrs && t->depth < (int)t->nopen && t->open[t->depth].group)
			dims_json(&t->json, &t->open[t->depth].dims);
		json_end_object(&t->json);
	}
}

/* Remember an open group, whose dimensions are those of the arrays that come, and add those of an array. */
static void
note_dims(struct tree *t, const zinc_node *node)
{
	size_t depth = (size_t)node->depth;
	struct dims own = {NULL, 0};

	if (!t->run->args->show_attrs)
		return;
	for (; t->nopen <= depth; t->nopen++) {
		t->open =
		    (t->nopen & (t->nopen + 1)) ? t->open : xrealloc(t->open, (2 * t->nopen + 2) * sizeof *t->open);
		t->open[t->nopen] = (struct open_group){false, {NULL, 0}};
	}
	dims_free(&t->open[depth].dims);
	t->open[depth].group = !node->array;
	dims_take(&own, node->array);
	if (depth > 0)
		dims_add(&t->open[depth - 1].dims, &own, node->name);
	dims_free(&own);
}

static void
json_sizes(struct json *j, const struct tree *t, const char *path)
{
	const zinc_usage *u = sizes_find(&t->sizes, path);

	json_key(j, "stored");
	if (!u) {
		json_null(j);
		return;
	}
	json_begin_object(j);
	usage_json(j, u);
	json_end_object(j);
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
		if (t->run->args->show_attrs)
			json_compact(json_key(j, "attributes"), node->attributes ? node->attributes : "{}");
	}
	note_dims(t, node);
	if (t->run->args->sizes)
		json_sizes(j, t, node->path);
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
	if (t->run->args->show_attrs) {
		print_header(t);
		return;
	}
	find_last(t);
	if (t->run->args->sizes)
		draw_sizes(t);
	else
		draw(t);
}

static void
tree_free(struct tree *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		free(t->leaves[i].name);
		free(t->leaves[i].path);
		free(t->leaves[i].line);
		free(t->leaves[i].attributes);
		dims_free(&t->leaves[i].dims);
	}
	for (i = 0; i < t->nopen; i++)
		dims_free(&t->open[i].dims);
	free(t->open);
	free(t->leaves);
	json_free(&t->json);
	text_free(&t->last);
	sizes_free(&t->sizes);
	zinc_hierarchy_close(t->h);
}

int
cmd_tree(struct run *r)
{
	struct tree t = {.run = r, .url = r->args->words.at[0], .depth = -1};
	zinc_error err = ZINC_ERROR_INIT;
	int status = open_node(r, t.url, false, &t.h);

	if (status == DONE && r->args->sizes)
		status = sizes_read(&t.sizes, r, t.h, t.url);
	if (status == DONE &&
	    zinc_node_walk(t.h, zinc_hierarchy_path(t.h), r->args->depth, visit, &t, &until_stopped, &err) &&
	    !err.shown)
		status = fail(t.url, &err);
	if (status == DONE)
		print(&t);
	tree_free(&t);
	if (interrupted())
		return CANCELLED;
	return status == DONE ? t.status : status;
}
