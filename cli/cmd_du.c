/*
 * cmd_du.c - zinc du: stored bytes and objects of each node, largest first
 *
 *      stored  objects   decoded  ratio  node
 *    1.52 MiB       27  4.11 MiB   2.71  /
 *    1.50 MiB       25  4.10 MiB   2.73  /t2m
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

#define NAMED 20 /* foreign keys that the text names */

static int
by_bytes(const void *a, const void *b)
{
	const zinc_usage *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->depth != y->depth)
		return x->depth - y->depth;
	return strcmp(x->path, y->path);
}

static bool
is_shown(const struct run *r, const zinc_usage *u)
{
	return r->args->depth < 0 || u->depth <= r->args->depth;
}

/* ---- text ---- */

static void
add_count(struct table *t, uint64_t n)
{
	struct text s = {NULL, 0, 0};

	text_printf(&s, "%llu", (unsigned long long)n);
	table_text(t, PLAIN, &s);
}

static void
add_size(struct table *t, uint64_t n)
{
	struct text s = {NULL, 0, 0};

	text_size(&s, n);
	table_text(t, PLAIN, &s);
}

static void
add_row(struct table *t, const zinc_usage *u)
{
	struct text ratio = {NULL, 0, 0};

	add_size(t, u->bytes);
	add_count(t, u->objects);
	if (u->unknown && !u->decoded_bytes)
		table_cell(t, PLAIN, "?");
	else
		add_size(t, u->decoded_bytes);
	text_ratio(&ratio, u);
	table_text(t, PLAIN, &ratio);
	table_cell(t, u->kind == ZINC_NODE_ARRAY ? BOLD : BLUE, u->path);
}

static void
count_kinds(const struct sizes *s, struct text *t)
{
	unsigned long long groups = 0, arrays = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		groups += s->nodes[i].kind == ZINC_NODE_GROUP;
		arrays += s->nodes[i].kind == ZINC_NODE_ARRAY;
	}
	text_printf(t, "%llu %s, %llu %s", groups, groups == 1 ? "group" : "groups", arrays,
		    arrays == 1 ? "array" : "arrays");
}

/* One line each, so that any number of them can be read at 80 columns. */
static void
print_foreign(const struct sizes *s, const struct run *r, const zinc_usage *total)
{
	struct out *o = (struct out *)(uintptr_t)&r->out;
	const size_t named = s->nforeign < NAMED ? s->nforeign : NAMED;
	struct text t = {NULL, 0, 0};
	size_t i;

	if (!total->foreign)
		return;
	text_printf(&t, "%llu foreign %s, ", (unsigned long long)total->foreign, total->foreign == 1 ? "key" : "keys");
	text_size(&t, total->foreign_bytes);
	text_puts(&t, ", not counted above:\n");
	out_text(o, &t);
	for (i = 0; i < named; i++) {
		struct line l = {.colour = r->colour, .width = screen_width(), .left = screen_width()};

		text_printf(&t, "  %s  (%s)", s->foreign[i].key, s->foreign[i].why);
		line_add(&l, PLAIN, t.p);
		line_end(&l, o);
		text_free(&t);
	}
	if (total->foreign > named)
		out_printf(o, "  and %llu more\n", (unsigned long long)(total->foreign - named));
}

static void
print_text(struct sizes *s, const struct run *r, const zinc_usage *total)
{
	struct text t = {NULL, 0, 0};
	struct table table;
	size_t i;

	table_init(&table, r);
	table_column(&table, "stored", COLUMN_RIGHT);
	table_column(&table, "objects", COLUMN_RIGHT);
	table_column(&table, "decoded", COLUMN_RIGHT);
	table_column(&table, "ratio", COLUMN_RIGHT);
	table_column(&table, "node", COLUMN_KEY);
	for (i = 0; i < s->n; i++)
		if (is_shown(r, &s->nodes[i]))
			add_row(&table, &s->nodes[i]);
	table_end(&table);
	count_kinds(s, &t);
	text_printf(&t, "; %llu objects, ", (unsigned long long)total->objects);
	text_size(&t, total->bytes);
	text_puts(&t, "\n");
	out_text((struct out *)(uintptr_t)&r->out, &t);
	print_foreign(s, r, total);
}

/* ---- JSON ---- */

static const char *
kind_of(const zinc_usage *u)
{
	return u->kind == ZINC_NODE_ARRAY ? "array" : u->kind == ZINC_NODE_GROUP ? "group" : "unknown";
}

static void
json_nodes(struct json *j, const struct sizes *s, const struct run *r)
{
	size_t i;

	json_begin_array(json_key(j, "nodes"));
	for (i = 0; i < s->n; i++) {
		if (!is_shown(r, &s->nodes[i]))
			continue;
		json_begin_object(j);
		json_string(json_key(j, "path"), s->nodes[i].path);
		json_string(json_key(j, "node_type"), kind_of(&s->nodes[i]));
		usage_json(j, &s->nodes[i]);
		if (s->nodes[i].problem)
			json_string(json_key(j, "problem"), s->nodes[i].problem);
		json_end_object(j);
	}
	json_end_array(j);
}

static void
json_foreign(struct json *j, const struct sizes *s)
{
	size_t i;

	json_begin_array(json_key(j, "foreign"));
	for (i = 0; i < s->nforeign; i++) {
		json_begin_object(j);
		json_string(json_key(j, "key"), s->foreign[i].key);
		json_uint(json_key(j, "bytes"), s->foreign[i].bytes);
		json_string(json_key(j, "why"), s->foreign[i].why);
		json_end_object(j);
	}
	json_end_array(j);
}

static void
print_json(const struct sizes *s, struct run *r, const zinc_usage *total)
{
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_string(json_key(&j, "url"), r->args->words.at[0]);
	json_begin_object(json_key(&j, "total"));
	usage_json(&j, total);
	json_end_object(&j);
	json_nodes(&j, s, r);
	json_foreign(&j, s);
	json_end_object(&j);
	out_document(&r->out, &j);
}

/* ---- the command ---- */

/* As in tree: damage is said, and is the exit status; what this build does not support is not damage. */
static int
complain_of_nodes(const struct sizes *s, const char *url)
{
	int worst = complain_of_hidden(s, url);
	size_t i;

	for (i = 0; i < s->n; i++) {
		const zinc_usage *u = &s->nodes[i];
		int status;

		if (!u->problem || u->problem_code == ZINC_E_UNSUPPORTED)
			continue;
		status = complain(exit_status(u->problem_code), url, "%s: %s", u->path + 1, u->problem);
		worst = status > worst ? status : worst;
	}
	return worst;
}

int
cmd_du(struct run *r)
{
	const char *url = r->args->words.at[0];
	struct sizes s = {.h = NULL};
	zinc_hierarchy *h = NULL;
	int status = open_node(r, url, false, &h);

	if (status == DONE)
		status = sizes_read(&s, r, h, url);
	if (status == DONE) {
		zinc_usage total = s.nodes[0];

		status = complain_of_nodes(&s, url);
		qsort(s.nodes, s.n, sizeof *s.nodes, by_bytes);
		if (r->args->json)
			print_json(&s, r, &total);
		else
			print_text(&s, r, &total);
	}
	sizes_free(&s);
	zinc_hierarchy_close(h);
	return status;
}
