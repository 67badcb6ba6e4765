/*
 * grid_table.c - the built-in chunk grids, one row each; registered grids
 *
 * (1) An unknown grid is E_UNSUPPORTED and the error names it (M18), with or without must_understand.
 * (2) A grid that fails to parse leaves no memory allocated.
 */
#include <zinc/extend.h>

#include "grid/rows.h"

static const void *const builtin[] = {&zinc_grid_ops_regular, &zinc_grid_ops_rectilinear, &zinc_grid_ops_rectangular,
				      &zinc_grid_ops_bounded};

static zinc_names
names_of(const void *row)
{
	const zinc_grid_ops *ops = row;

	return (zinc_names){.name = ops->name, .uris = ops->uris, .purpose = ops->purpose};
}

static zinc_table grids = {.what = "a chunk grid", ZINC_TABLE_ROWS(builtin), .names = names_of};

const zinc_grid_ops *
zinc_grid_find(const char *name)
{
	return zinc_table_find(&grids, name);
}

const zinc_grid_ops *
zinc_grid_find_uri(const char *uri, zinc_uri_match *match)
{
	return zinc_table_find_uri(&grids, uri, match);
}

/* `step` has room for the maximum number of dimensions. */
static zinc_status
grid_new(zinc_grid **out, zinc_context *ctx, const zinc_grid_ops *ops, int ndim, zinc_error *err)
{
	zinc_grid *g;

	if (ndim < 0 || ndim > ZINC_MAX_NDIM)
		return zinc_fail(err, ZINC_E_LIMIT, "%d dimensions; the limit is %d", ndim, ZINC_MAX_NDIM);
	g = zinc_calloc(ctx, 1, sizeof *g);
	if (!g)
		return zinc_fail_nomem(err);
	g->ops = ops;
	g->ctx = ctx;
	g->ndim = ndim;
	*out = g;
	return ZINC_OK;
}

void
zinc_grid_free(zinc_grid *g)
{
	if (!g)
		return;
	if (g->opened && g->ops->close)
		g->ops->close(g->self);
	zinc_free(g->ctx, g->configuration);
	zinc_free(g->ctx, g);
}

zinc_status
zinc_grid_regular(zinc_grid **out, zinc_context *ctx, int ndim, const uint64_t *chunk_shape, zinc_error *err)
{
	int d;

	for (d = 0; d < ndim; d++)
		if (chunk_shape[d] == 0)
			return zinc_fail(err, ZINC_E_INVALID, "the chunk shape is 0 in dimension %d", d);
	ZINC_TRY(grid_new(out, ctx, &zinc_grid_ops_regular, ndim, err));
	(*out)->self = (*out)->step;
	for (d = 0; d < ndim; d++)
		(*out)->step[d] = chunk_shape[d];
	return ZINC_OK;
}

bool
zinc_grid_is_regular(const zinc_grid *g)
{
	return g->ops == &zinc_grid_ops_regular;
}

zinc_status
zinc_grid_fit(zinc_grid *g, const uint64_t *before, const uint64_t *after, const uint64_t *unit, bool *changed,
	      zinc_error *err)
{
	*changed = false;
	return g->ops->fit ? g->ops->fit(g, before, after, unit, changed, err) : ZINC_OK;
}

zinc_status
zinc_grid_parse_edge(uint64_t *out, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	double number;
	bool flag;

	if (zinc_json_u64(v, out))
		return ZINC_OK;
	if (zinc_json_bool(v, &flag)) {
		*out = flag;
		return zinc_report_lenient(r, "M40", err, "%s instead of %d", flag ? "true" : "false", flag);
	}
	/* Every integer up to 2^53 is one double. */
	if (zinc_json_double(v, &number) && number >= 0 && number <= 9007199254740992.0 &&
	    number == (double)(uint64_t)number) {
		*out = (uint64_t)number;
		return zinc_report_lenient(r, "M40", err, "%.40s instead of an integer", v->text);
	}
	return zinc_report_error(r, "M40", err, "the length of a chunk must be an integer of at least 1");
}

/* A caller's text that is not JSON, or no list, is E_INVALID. */
static zinc_status
parse_edges(zinc_json_doc **out, zinc_context *ctx, const char *text, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_json_parse(out, ctx, text, strlen(text), 0, &e);

	if (st == ZINC_E_CORRUPT)
		return zinc_fail(err, ZINC_E_INVALID, "edges of chunks: %s", e.text);
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e), st;
	if (zinc_json_is(zinc_json_root(*out), ZINC_JSON_ARRAY))
		return ZINC_OK;
	zinc_json_free(*out);
	*out = NULL;
	return zinc_fail(err, ZINC_E_INVALID, "edges of chunks must be a list like [[10, 20, [5, 3]], 4]");
}

zinc_status
zinc_grid_edges_rank(zinc_context *ctx, const char *chunk_shapes, int *ndim, zinc_error *err)
{
	zinc_json_doc *doc;

	ZINC_TRY(parse_edges(&doc, ctx, chunk_shapes, err));
	*ndim = (int)zinc_min_u64(zinc_json_root(doc)->n, ZINC_MAX_NDIM + 1);
	zinc_json_free(doc);
	return ZINC_OK;
}

zinc_status
zinc_grid_rectilinear(zinc_grid **out, zinc_context *ctx, int ndim, const uint64_t *shape, const char *chunk_shapes,
		      zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_report r;
	zinc_grid *g;
	zinc_status st;

	ZINC_TRY(parse_edges(&doc, ctx, chunk_shapes, err));
	st = grid_new(&g, ctx, &zinc_grid_ops_rectilinear, ndim, err);
	if (st == ZINC_OK) {
		zinc_report_init(&r, ctx, true, "");
		r.code = ZINC_E_INVALID;
		(void)zinc_report_enter(&r, "chunk_shapes");
		st = zinc_grid_parse_shapes(g, zinc_json_root(doc), shape, &r, err);
		if (st == ZINC_OK)
			*out = g;
		else
			zinc_grid_free(g);
	}
	zinc_json_free(doc);
	return st;
}

/* A registered grid takes its configuration as text; a refusal is reported as a finding. */
static zinc_status
open_user(zinc_grid *g, const zinc_json *configuration, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(zinc_user_text(&g->configuration, g->ctx, configuration, err));
	st = g->ops->open(&g->self, g->configuration, g->ndim, shape, &why);
	g->opened = st == ZINC_OK;
	st = zinc_user_finding(st, g->ops->name, r, &why);
	return st == ZINC_OK ? st : (zinc_error_copy(err, &why), st);
}

zinc_status
zinc_grid_parse(zinc_grid **out, zinc_context *ctx, const zinc_json *v, int ndim, const uint64_t *shape, zinc_report *r,
		zinc_error *err)
{
	const zinc_grid_ops *ops;
	zinc_extension e;
	zinc_grid *g;
	zinc_status st;
	size_t mark;

	ZINC_TRY(zinc_extension_parse(&e, v, r, err));
	ops = zinc_grid_find(e.name);
	if (!ops)
		return zinc_report_unsupported(r, "M18", err, "chunk grid \"%.200s\" is not known", e.name);
	if (e.ignorable)
		ZINC_TRY(zinc_report_lenient(r, "M18", err, "must_understand has no meaning for a chunk grid"));
	if (e.bare && ops->needs_configuration)
		return zinc_report_error(r, "M14", err, "chunk grid \"%s\" needs a configuration", ops->name);
	ZINC_TRY(grid_new(&g, ctx, ops, ndim, err));
	mark = zinc_report_enter(r, "configuration");
	st = (ops->parse ? ops->parse : open_user)(g, e.configuration, shape, r, err);
	zinc_report_leave(r, mark);
	if (st != ZINC_OK)
		zinc_grid_free(g);
	else
		*out = g;
	return st;
}

zinc_json *
zinc_grid_print_configuration(const zinc_grid *g, zinc_json_doc *doc)
{
	return g->ops->print ? g->ops->print(g, doc) : zinc_user_object(doc, g->configuration);
}

/* Always the object form: every built-in grid needs its configuration. */
zinc_json *
zinc_grid_print(const zinc_grid *g, zinc_json_doc *doc)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (zinc_json_set(doc, v, "name", zinc_json_make_string(doc, g->ops->name), NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "configuration", zinc_grid_print_configuration(g, doc), NULL) != ZINC_OK)
		return NULL;
	return v;
}

/* Documents of other versions have no name there, and registered grids print what they were given. */
bool
zinc_grid_is_renamed(const zinc_grid *g, const zinc_json *v)
{
	const zinc_json *name = zinc_json_member(v, "name");

	return name && g->ops->print && !zinc_json_is_string(name, g->ops->name);
}

zinc_status
zinc_register_grid(const zinc_grid_def *def, zinc_error *err)
{
	zinc_grid_ops row;
	zinc_grid_def d;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.open || !d.count || !d.find || !d.span || !d.widest)
		return zinc_fail(err, ZINC_E_INVALID, "a chunk grid lacks a function");
	row = (zinc_grid_ops){.name = d.name,
			      .purpose = d.purpose,
			      .uris = d.uris,
			      .needs_configuration = d.needs_configuration,
			      .open = d.open,
			      .close = d.close,
			      .count = d.count,
			      .find = d.find,
			      .span = d.span,
			      .widest = d.widest};
	return zinc_table_add_copy(&grids, &row, sizeof row, err);
}

void
zinc_list_grids(zinc_row_fn fn, void *arg)
{
	(void)zinc_table_each(&grids, fn, arg);
}
