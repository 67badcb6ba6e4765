/*
 * tree_header.c - zinc tree --attrs: dimensions, variables and all attributes, as ncdump -h shows them
 *
 *   group: / (data.zarr)
 *   dimensions:
 *       time = 12
 *   variables:
 *       float32 t2m(time, lat, lon)  chunks (4, 3, 4)  zstd
 *           units = "K"
 *   attributes:
 *       title = "..."
 *
 * Zarr has no dimensions of groups: they are those of the arrays in the group, and where two arrays do not agree about
 * the size of one, both sizes are shown.
 */
#include <stdio.h>

#include "tree.h"

#define INDENT 4
#define LINES  3 /* of a long attribute, without --full */

/* ---- dimensions ---- */

static char *
copy(const char *s)
{
	const size_t n = strlen(s) + 1;

	return memcpy(xrealloc(NULL, n), s, n);
}

static void
dims_put(struct dims *d, const char *name, uint64_t size, const char *in)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (d->at[i].size == size && !strcmp(d->at[i].name, name))
			return;
	if ((d->n & (d->n + 1)) == 0)
		d->at = xrealloc(d->at, (2 * d->n + 2) * sizeof *d->at);
	d->at[d->n++] = (struct dim){copy(name), size, copy(in)};
}

void
dims_take(struct dims *d, const zinc_array_info *a)
{
	int i;

	for (i = 0; a && i < a->ndim; i++)
		if (a->dimension_names[i])
			dims_put(d, a->dimension_names[i], a->shape[i], "");
}

void
dims_add(struct dims *d, const struct dims *from, const char *name)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		dims_put(d, from->at[i].name, from->at[i].size, name);
}

void
dims_free(struct dims *d)
{
	size_t i;

	for (i = 0; i < d->n; i++) {
		free(d->at[i].name);
		free(d->at[i].in);
	}
	free(d->at);
	*d = (struct dims){NULL, 0};
}

/* Is an earlier one of the same name there? */
static bool
is_again(const struct dims *d, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (!strcmp(d->at[k].name, d->at[i].name))
			return true;
	return false;
}

void
dims_json(struct json *j, const struct dims *d)
{
	bool conflict = false;
	size_t i;

	json_begin_object(json_key(j, "dimensions"));
	for (i = 0; i < d->n; i++) {
		if (is_again(d, i))
			conflict = true;
		else
			json_uint(json_key(j, d->at[i].name), d->at[i].size);
	}
	json_end_object(j);
	if (!conflict)
		return;
	json_begin_array(json_key(j, "conflicts"));
	for (i = 0; i < d->n; i++) {
		if (!is_again(d, i))
			continue;
		json_begin_object(j);
		json_string(json_key(j, "dimension"), d->at[i].name);
		json_uint(json_key(j, "size"), d->at[i].size);
		json_string(json_key(j, "array"), d->at[i].in);
		json_end_object(j);
	}
	json_end_array(j);
}

/* ---- lines ---- */

static struct line
new_line(const struct tree *t, size_t indent)
{
	const size_t width = screen_width();
	struct line l = {.colour = t->run->colour, .width = width, .left = width};
	struct text blank = {NULL, 0, 0};

	if (width != WIDTH_ANY && indent > width / 2)
		indent = width / 2;
	text_fill(&blank, ' ', indent);
	line_add(&l, PLAIN, blank.p);
	text_free(&blank);
	return l;
}

static void
print_title(const struct tree *t, const char *title)
{
	struct line l = new_line(t, 0);

	line_add(&l, DIM, title);
	line_end(&l, &t->run->out);
}

struct attributes {
	const struct tree *t;
	size_t indent;
};

/* Long values continue on lines that are indented further. */
static int
print_attribute(void *arg, const char *key, const char *json)
{
	const struct attributes *a = arg;
	struct line l = new_line(a->t, a->indent);

	line_add(&l, PLAIN, key ? key : "");
	line_add(&l, PLAIN, " = ");
	if (!l.cut)
		line_wrap(&l, json, a->indent + INDENT, a->t->run->args->full ? SIZE_MAX : LINES, "… (--full)");
	line_end(&l, &a->t->run->out);
	return 0;
}

static void
print_dims(const struct tree *t, const struct dims *d)
{
	size_t i, k;

	if (d->n)
		print_title(t, "dimensions:");
	for (i = 0; i < d->n; i++) {
		struct line l = new_line(t, INDENT);
		struct text s = {NULL, 0, 0};
		bool conflict = false;

		if (is_again(d, i)) {
			text_free(&l.text);
			continue;
		}
		text_printf(&s, "%s = %llu", d->at[i].name, (unsigned long long)d->at[i].size);
		for (k = i + 1; k < d->n; k++) {
			if (strcmp(d->at[k].name, d->at[i].name))
				continue;
			text_printf(&s, ", but %llu in %s", (unsigned long long)d->at[k].size, d->at[k].in);
			conflict = true;
		}
		line_add(&l, conflict ? YELLOW : PLAIN, s.p);
		line_end(&l, &t->run->out);
		text_free(&s);
	}
}

static void
add_stored(struct line *l, const struct tree *t, const char *path)
{
	const zinc_usage *u = t->run->args->sizes ? sizes_find(&t->sizes, path) : NULL;
	struct text s = {NULL, 0, 0};

	if (!u)
		return;
	text_puts(&s, "  ");
	text_size(&s, u->bytes);
	text_puts(&s, ", ratio ");
	text_ratio(&s, u);
	line_add(l, PLAIN, s.p);
	text_free(&s);
}

static void
print_variable(const struct tree *t, const struct leaf *v, size_t indent)
{
	struct attributes a = {t, indent + INDENT};
	struct line l = new_line(t, indent);

	line_add(&l, BOLD, v->line);
	add_stored(&l, t, v->path);
	line_end(&l, &t->run->out);
	json_parts(v->attributes, print_attribute, &a);
}

/* ---- groups ---- */

/* The end of the nodes below leaf i. */
static size_t
end_of(const struct tree *t, size_t i)
{
	size_t k = i + 1;

	while (k < t->n && t->leaves[k].depth > t->leaves[i].depth)
		k++;
	return k;
}

static void
print_variables(const struct tree *t, size_t i)
{
	const size_t end = end_of(t, i);
	bool titled = false;
	size_t k;

	for (k = i + 1; k < end; k++) {
		if (t->leaves[k].group || t->leaves[k].depth != t->leaves[i].depth + 1)
			continue;
		if (!titled)
			print_title(t, "variables:");
		titled = true;
		print_variable(t, &t->leaves[k], INDENT);
	}
}

static void
print_group(const struct tree *t, size_t i)
{
	const struct leaf *g = &t->leaves[i];
	const size_t end = end_of(t, i);
	struct attributes a = {t, INDENT};
	struct dims dims = {NULL, 0};
	struct line l = new_line(t, 0);
	size_t k;

	line_add(&l, DIM, "group: ");
	line_add(&l, BLUE, g->path);
	if (g->depth == 0) {
		line_add(&l, PLAIN, "  ");
		line_add(&l, PLAIN, t->url);
	}
	line_add(&l, PLAIN, *g->line ? "  " : "");
	line_add(&l, PLAIN, g->line);
	add_stored(&l, t, g->path);
	line_end(&l, &t->run->out);
	for (k = i + 1; k < end; k++)
		if (!t->leaves[k].group && t->leaves[k].depth == g->depth + 1)
			dims_add(&dims, &t->leaves[k].dims, t->leaves[k].name);
	print_dims(t, &dims);
	print_variables(t, i);
	if (strcmp(g->attributes, "{}") != 0)
		print_title(t, "attributes:");
	json_parts(g->attributes, print_attribute, &a);
	dims_free(&dims);
}

void
print_header(struct tree *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (i == 0 && !t->leaves[i].group)
			print_variable(t, &t->leaves[i], 0);
		else if (t->leaves[i].group) {
			out_puts(&t->run->out, i ? "\n" : "");
			print_group(t, i);
		}
	}
}
