/*
 * cmd_diff.c - zinc diff: what differs between two nodes, and how much
 *
 *   /t units: "K" | "degC"
 *   /t values: 3 of 100 differ, the first at [0, 7]: 1.5 | 1.25
 *   /x only in a.zarr: array
 */
#include "cli.h"

struct compared {
	struct run *run;
	const char *url[2];
	zinc_hierarchy *h[2];
	struct progress progress;
	struct json differences;
};

static const char *const kinds[] = {"tree", "metadata", "values", "storage", "unknown", "hidden"};

/* ---- JSON ---- */

static void
json_or_null(struct json *j, const char *json)
{
	json_raw(j, *json ? json : "null");
}

static void
difference_json(struct compared *c, const zinc_difference *d)
{
	struct json *j = &c->differences;

	json_begin_object(j);
	json_string(json_key(j, "kind"), kinds[d->kind]);
	json_string(json_key(j, "path"), d->path);
	json_string(json_key(j, "what"), d->what);
	if (d->kind == ZINC_DIFFERS_UNKNOWN || d->kind == ZINC_DIFFERS_HIDDEN) {
		json_string(json_key(j, "why"), d->a);
	} else {
		json_or_null(json_key(j, "a"), d->a);
		json_or_null(json_key(j, "b"), d->b);
	}
	if (d->kind == ZINC_DIFFERS_VALUES) {
		json_uint(json_key(j, "count"), d->count);
		json_uint(json_key(j, "total"), d->total);
		json_shape(json_key(j, "first"), d->index, d->ndim);
	}
	json_end_object(j);
}

static void
summary_json(struct compared *c, const zinc_diff_counts *n)
{
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_string(json_key(&j, "a"), c->url[0]);
	json_string(json_key(&j, "b"), c->url[1]);
	json_bool(json_key(&j, "equal"), !n->differences && !n->unknown);
	json_uint(json_key(&j, "nodes"), n->nodes);
	json_uint(json_key(&j, "elements"), n->elements);
	json_uint(json_key(&j, "elements_different"), n->different);
	json_uint(json_key(&j, "unknown"), n->unknown);
	json_list(json_key(&j, "differences"), &c->differences);
	json_end_object(&j);
	out_document(&c->run->out, &j);
}

/* ---- text ---- */

static void
add_values(struct text *t, const zinc_difference *d)
{
	int i;

	text_printf(t, ": %llu of %llu differ, the first at [", (unsigned long long)d->count,
		    (unsigned long long)d->total);
	for (i = 0; i < d->ndim; i++)
		text_printf(t, "%s%llu", i ? ", " : "", (unsigned long long)d->index[i]);
	text_puts(t, "]");
	if (*d->a && *d->b)
		text_printf(t, ": %s | %s", d->a, d->b);
}

static void
add_tree(struct text *t, const struct compared *c, const zinc_difference *d)
{
	const int only = *d->a ? 0 : 1;
	struct text kind = {NULL, 0, 0};

	if (*d->a && *d->b) {
		text_printf(t, ": %s | %s", d->a, d->b);
	} else {
		text_unquoted(&kind, only ? d->b : d->a);
		text_printf(t, " only in %s: %s", c->url[only], text_str(&kind));
	}
	text_free(&kind);
}

static void
difference_text(struct compared *c, const zinc_difference *d)
{
	const size_t width = screen_width();
	struct line l = {.colour = c->run->colour, .width = width, .left = width};
	struct text t = {NULL, 0, 0};

	if (d->kind != ZINC_DIFFERS_TREE)
		text_printf(&t, " %s", d->what);
	if (d->kind == ZINC_DIFFERS_TREE)
		add_tree(&t, c, d);
	else if (d->kind == ZINC_DIFFERS_VALUES)
		add_values(&t, d);
	else if (d->kind == ZINC_DIFFERS_UNKNOWN || d->kind == ZINC_DIFFERS_HIDDEN)
		text_printf(&t, " cannot be compared: %s", d->a);
	else
		text_printf(&t, ": %s | %s", *d->a ? d->a : "(none)", *d->b ? d->b : "(none)");
	progress_end(&c->progress);
	line_add(&l, BOLD, d->path);
	line_wrap(&l, text_str(&t), 4, SIZE_MAX, "");
	line_end(&l, &c->run->out);
	text_free(&t);
}

static int
found(void *arg, const zinc_difference *d)
{
	struct compared *c = arg;

	if (c->run->args->json)
		difference_json(c, d);
	else
		difference_text(c, d);
	return interrupted();
}

/* ---- the command ---- */

static zinc_diff_options
options(struct compared *c)
{
	zinc_diff_options o = ZINC_DIFF_OPTIONS_INIT;
	const struct args *a = c->run->args;

	o.storage = a->storage;
	o.select = a->select;
	o.rtol = a->rtol;
	o.atol = a->atol;
	o.call = &c->progress.call;
	return o;
}

static int
compare(struct compared *c)
{
	zinc_diff_options o = options(c);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_diff_counts n = ZINC_DIFF_COUNTS_INIT;

	progress_init(&c->progress, c->run, "comparing");
	c->progress.unit = "piece";
	if (zinc_diff(c->h[0], zinc_hierarchy_path(c->h[0]), c->h[1], zinc_hierarchy_path(c->h[1]), &o, found, c, &n,
		      &err)) {
		progress_end(&c->progress);
		return fail_either(c->url[0], c->url[1], &err);
	}
	c->progress.unit = "element";
	progress_summary(&c->progress, "compared", n.elements, 0);
	if (c->run->args->json)
		summary_json(c, &n);
	return interrupted() ? CANCELLED : n.differences ? FOUND : n.unknown ? UNSUPPORTED : DONE;
}

int
cmd_diff(struct run *r)
{
	struct compared c = {.run = r, .url = {r->args->words.at[0], r->args->words.at[1]}};
	int status = open_node(r, c.url[0], false, &c.h[0]);

	if (status == DONE)
		status = open_node(r, c.url[1], false, &c.h[1]);
	if (status == DONE)
		status = compare(&c);
	zinc_hierarchy_close(c.h[0]);
	zinc_hierarchy_close(c.h[1]);
	json_free(&c.differences);
	return status;
}
