/*
 * cmd_conventions.c - zinc conventions: list the conventions that nodes declare, and check them
 *
 * Without --json a table, with findings below their row:
 *
 *    node  convention   version  declared at                     verdict
 *    /     multiscales  v0.1     /attributes/zarr_conventions/0  valid
 *            level 0  /0  1024 x 1024
 *    /     proj:        v0.1     /attributes/zarr_conventions/1  1 error
 *            error schema: /attributes/proj:code: ...
 */
#include <math.h>

#include "cli.h"

struct row {
	struct text node, title, version, place, verdict, below;
	bool bad;
};

struct conventions {
	struct run *run;
	const char *url;
	zinc_hierarchy *h;
	zinc_conventions *c;
	struct words paths; /* with -r; copies */
	const char *path;   /* of the node being checked */
	struct row *rows;
	size_t n;
	struct json nodes;
	struct json conventions; /* of one node */
	unsigned long errors;
	int status; /* the worst status of a node */
};

static char *
copy(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xrealloc(NULL, n), s, n);
}

/* ---- levels of a multiscale group ---- */

static int
level_text(void *arg, const zinc_scale_level *l)
{
	struct text *t = arg;

	text_printf(t, "        level %d  ", l->index);
	text_name(t, l->path);
	text_puts(t, "  ");
	if (l->ndim >= 0)
		text_times(t, l->shape, l->ndim);
	else
		text_puts(t, "(no array)");
	text_puts(t, "\n");
	return 0;
}

static void
numbers_json(struct json *j, const double *v, int n)
{
	int i;

	json_begin_array(j);
	for (i = 0; i < n; i++) {
		if (isfinite(v[i])) /* JSON has no infinity, but "1e999" reads as one */
			json_float(j, v[i], DOUBLE);
		else
			json_null(j);
	}
	json_end_array(j);
}

static int
level_json(void *arg, const zinc_scale_level *l)
{
	struct json *j = arg;

	json_begin_object(j);
	json_string(json_key(j, "path"), l->path);
	json_key(j, "shape");
	if (l->ndim < 0)
		json_null(j);
	else
		json_shape(j, l->shape, l->ndim);
	numbers_json(json_key(j, "scale"), l->scale, l->nscale);
	numbers_json(json_key(j, "translation"), l->translation, l->nscale);
	json_end_object(j);
	return 0;
}

static bool
has_levels(const zinc_convention *c)
{
	return c && (!strcmp(c->known, "multiscales") || !strcmp(c->known, "ome"));
}

/* A layout that cannot be read is a finding already. */
static void
levels(struct conventions *v, void *arg, zinc_scale_level_fn fn)
{
	(void)!zinc_multiscale_levels(v->h, v->path, fn, arg, &until_stopped, NULL);
}

/* ---- one verdict ---- */

static void
count(const zinc_verdict *v, unsigned *errors, unsigned *warnings)
{
	size_t i;

	*errors = *warnings = 0;
	for (i = 0; i < v->nfindings; i++)
		++*(v->findings[i]->level == ZINC_LEVEL_ERROR ? errors : warnings);
}

static void
verdict_text(struct text *t, const zinc_verdict *v, unsigned errors, unsigned warnings)
{
	if (errors)
		text_printf(t, "%u error%s", errors, errors == 1 ? "" : "s");
	else
		text_puts(t, v->validity == ZINC_VALID ? "valid" : "unknown");
	if (warnings)
		text_printf(t, ", %u warning%s", warnings, warnings == 1 ? "" : "s");
}

static void
add_row(struct conventions *v, const zinc_verdict *verdict, unsigned errors, unsigned warnings)
{
	const zinc_convention *c = verdict->convention;
	struct row *row;
	size_t i;

	v->rows = xrealloc(v->rows, (v->n + 1) * sizeof *v->rows);
	row = &v->rows[v->n++];
	*row = (struct row){.bad = errors > 0};
	text_name(&row->node, v->path);
	text_name(&row->title, c ? c->title : "(declaration)");
	text_name(&row->version, c && *c->version ? c->version : "-");
	text_name(&row->place, c ? c->pointer : "/attributes");
	verdict_text(&row->verdict, verdict, errors, warnings);
	for (i = 0; i < verdict->nfindings; i++) {
		text_puts(&row->below, "        ");
		finding_text(&row->below, v->run->colour, "", verdict->findings[i]);
	}
	if (has_levels(c))
		levels(v, &row->below, level_text);
}

static void
add_json(struct conventions *v, const zinc_verdict *verdict)
{
	static const char *const words[] = {"null", "false", "true"};
	const zinc_convention *c = verdict->convention;
	struct json *j = &v->conventions;
	size_t i;

	json_begin_object(j);
	json_string(json_key(j, "id"), c ? c->id : NULL);
	json_string(json_key(j, "name"), c && *c->name ? c->name : NULL);
	json_string(json_key(j, "version"), c && *c->version ? c->version : NULL);
	json_bool(json_key(j, "known"), c && *c->known);
	json_raw(json_key(j, "valid"), words[verdict->validity + 1]);
	json_begin_array(json_key(j, "findings"));
	for (i = 0; i < verdict->nfindings; i++)
		finding_json(j, verdict->findings[i]);
	json_end_array(j);
	if (has_levels(c)) {
		json_begin_array(json_key(j, "levels"));
		levels(v, j, level_json);
		json_end_array(j);
	}
	json_end_object(j);
}

static int
take_verdict(void *arg, const zinc_verdict *verdict)
{
	struct conventions *v = arg;
	unsigned errors, warnings;

	count(verdict, &errors, &warnings);
	v->errors += errors;
	if (v->run->args->json)
		add_json(v, verdict);
	else
		add_row(v, verdict, errors, warnings);
	return interrupted();
}

/* ---- nodes ---- */

static int
collect_node(void *arg, const zinc_node *node)
{
	struct conventions *v = arg;
	const int status = problem_status(node);

	if (status != DONE) {
		complain(status, v->url, "%s: %s", node->path, node->problem);
		if (status > v->status)
			v->status = status;
		return interrupted();
	}
	if (node->implicit) /* no document, no attributes */
		return interrupted();
	v->paths.at = xrealloc(v->paths.at, ((size_t)v->paths.n + 1) * sizeof *v->paths.at);
	v->paths.at[v->paths.n++] = copy(node->path);
	return interrupted();
}

static int
check_node(struct conventions *v, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;

	v->path = path;
	if (zinc_conventions_check(v->c, v->h, path, take_verdict, v, &until_stopped, &err))
		return fail(v->url, &err);
	if (v->run->args->json && (v->conventions.text.n || !v->run->args->recursive)) {
		json_begin_object(&v->nodes);
		json_string(json_key(&v->nodes, "path"), path);
		json_list(json_key(&v->nodes, "conventions"), &v->conventions);
		json_end_object(&v->nodes);
	}
	return DONE;
}

static int
check_all(struct conventions *v)
{
	const char *path = zinc_hierarchy_path(v->h);
	zinc_error err = ZINC_ERROR_INIT;
	int i, status = DONE;

	if (zinc_node_walk(v->h, path, v->run->args->recursive ? -1 : 0, collect_node, v, &until_stopped, &err))
		return fail(v->url, &err);
	for (i = 0; i < v->paths.n && status == DONE && !interrupted(); i++)
		status = check_node(v, v->paths.at[i]);
	return status;
}

/* ---- printing ---- */

static void
pad(struct text *t, const char *s, size_t width)
{
	const size_t n = columns(s);

	text_puts(t, s);
	text_fill(t, ' ', n < width ? width - n + 2 : 2);
}

static size_t
wider(size_t width, const struct text *t)
{
	const size_t n = columns(text_str(t));

	return n > width ? n : width;
}

static void
print_table(struct conventions *v)
{
	size_t node = 4, title = 10, version = 7, place = 11, i;
	struct text t = {NULL, 0, 0};

	if (v->n == 0) {
		out_puts(&v->run->out, "no conventions are declared\n");
		return;
	}
	for (i = 0; i < v->n; i++) {
		node = wider(node, &v->rows[i].node);
		title = wider(title, &v->rows[i].title);
		version = wider(version, &v->rows[i].version);
		place = wider(place, &v->rows[i].place);
	}
	pad(&t, "node", node);
	pad(&t, "convention", title);
	pad(&t, "version", version);
	pad(&t, "declared at", place);
	text_puts(&t, "verdict\n");
	for (i = 0; i < v->n; i++) {
		const struct row *row = &v->rows[i];

		pad(&t, text_str(&row->node), node);
		pad(&t, text_str(&row->title), title);
		pad(&t, text_str(&row->version), version);
		pad(&t, text_str(&row->place), place);
		text_paint(&t, v->run->colour, row->bad ? RED : GREEN, text_str(&row->verdict));
		text_printf(&t, "\n%s", text_str(&row->below));
	}
	out_text(&v->run->out, &t);
}

static void
print(struct conventions *v)
{
	struct json j = JSON_INIT;

	if (!v->run->args->json) {
		print_table(v);
		return;
	}
	json_begin_object(&j);
	json_list(json_key(&j, "nodes"), &v->nodes);
	json_end_object(&j);
	out_document(&v->run->out, &j);
}

static void
fini(struct conventions *v)
{
	size_t i;

	for (i = 0; i < v->n; i++) {
		struct row *row = &v->rows[i];
		struct text *all[] = {&row->node, &row->title, &row->version, &row->place, &row->verdict, &row->below};
		size_t j;

		for (j = 0; j < sizeof all / sizeof *all; j++)
			text_free(all[j]);
	}
	free(v->rows);
	while (v->paths.n > 0)
		free((char *)(uintptr_t)v->paths.at[--v->paths.n]);
	free(v->paths.at);
	json_free(&v->nodes);
	json_free(&v->conventions);
	zinc_conventions_free(v->c);
	zinc_hierarchy_close(v->h);
}

/* ---- the command ---- */

/* $XDG_CACHE_HOME/zinc/schemas; by the standard the variable must be absolute, and ~/.cache is the default. */
void
schema_cache(struct text *t)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		text_printf(t, "%s/zinc/schemas", cache);
	else if (home && *home == '/')
		text_printf(t, "%s/.cache/zinc/schemas", home);
}

static int
list(struct conventions *v)
{
	zinc_conventions_options o = ZINC_CONVENTIONS_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	struct text cache = {NULL, 0, 0};
	int status = DONE;

	schema_cache(&cache);
	o.context = v->run->ctx;
	o.schemas = v->run->args->schemas;
	o.cache = cache.n ? cache.p : NULL;
	o.fetch = v->run->args->fetch;
	o.call = &until_stopped;
	if (zinc_conventions_new(&v->c, &o, &err))
		status = fail(o.schemas ? o.schemas : v->url, &err);
	if (status == DONE)
		status = check_all(v);
	if (status == DONE)
		print(v);
	text_free(&cache);
	if (interrupted())
		return CANCELLED;
	return status != DONE ? status : v->status != DONE ? v->status : v->errors ? FOUND : DONE;
}

static int
edit(struct conventions *v)
{
	const struct args *a = v->run->args;
	const char *path = zinc_hierarchy_path(v->h);
	zinc_declare_options o = ZINC_DECLARE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st = ZINC_OK;

	o.shape = a->declared_shape;
	o.schema = a->schema;
	o.spec = a->spec;
	o.name = a->name;
	o.description = a->description;
	if (a->dry_run) {
		const int status = may_write(v->url, v->h);

		if (status != DONE)
			return status;
		if (a->retract)
			out_printf(&v->run->out, "would remove the declaration of %s\n", a->retract);
		if (a->declare)
			out_printf(&v->run->out, "would declare %s\n", a->declare);
		return DONE;
	}
	if (a->retract)
		st = zinc_conventions_remove(v->h, path, a->retract, &until_stopped, &err);
	if (st == ZINC_OK && a->declare)
		st = zinc_conventions_declare(v->h, path, a->declare, &o, &err);
	return st == ZINC_OK ? DONE : fail(v->url, &err);
}

int
cmd_conventions(struct run *r)
{
	const struct args *a = r->args;
	const bool edits = a->declare || a->retract;
	struct conventions v = {.run = r};
	int status;

	if (a->new_dir)
		return conventions_new(r);
	if (a->words.n == 0)
		return complain(USAGE, "conventions", "give a URL, or --new DIR");
	if (!a->declare && (a->schema || a->spec || a->name || a->description || a->declared_shape))
		return complain(USAGE, "conventions", "--schema, --spec, --name, --description and --shape need --add");
	v.url = a->words.at[0];
	status = open_node(r, v.url, edits, &v.h);
	if (status == DONE)
		status = edits ? edit(&v) : list(&v);
	fini(&v);
	return status;
}
