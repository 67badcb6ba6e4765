/*
 * grid_user.c - chunk grids and key encodings of a program's, as ours
 *
 * Thin: each of our operations calls the program's with its own `self`.  The two are in one file because their
 * objects are the same, a `self` and the configuration to print.
 */
#include <zinc/extend.h>

#include "grid/grid.h"

/* `self` of both. */
typedef struct user {
	void *self;
	bool open;
	char *configuration;
} user;

/* NULL: no memory, and `err` says so. */
static user *
user_new(zinc_context *ctx, const zinc_json *configuration, zinc_error *err)
{
	user *u = (user *)zinc_calloc(ctx, 1, sizeof *u);

	if (!u)
		zinc_fail_nomem(err);
	else if (zinc_user_text(&u->configuration, ctx, configuration, err) != ZINC_OK) {
		zinc_free(ctx, u);
		u = NULL;
	}
	return u;
}

static void
user_free(zinc_context *ctx, user *u, void (*shut)(void *self))
{
	if (!u)
		return;
	if (u->open && shut)
		shut(u->self);
	zinc_free(ctx, u->configuration);
	zinc_free(ctx, u);
}

/* An object also where the document had none: both are printed with their configuration. */
static zinc_json *
user_print(const user *u, zinc_json_doc *doc)
{
	zinc_json *v = NULL;

	(void)!zinc_user_json(&v, doc, u->configuration ? u->configuration : "{}", NULL);
	return v;
}

/* ---- grids ---- */

typedef struct grid_row {
	zinc_grid_ops ops; /* first: a grid finds its way back */
	zinc_grid_def def;
} grid_row;

static const zinc_grid_def *
grid_def(const zinc_grid *g)
{
	return &((const grid_row *)(const void *)g->ops)->def;
}

static void *
grid_self(const zinc_grid *g)
{
	return ((const user *)g->self)->self;
}

static void
grid_fini(zinc_grid *g)
{
	user_free(g->ctx, (user *)g->self, grid_def(g)->close);
	g->self = NULL;
}

static zinc_status
grid_parse(zinc_grid *g, const zinc_json *configuration, const uint64_t *shape, zinc_report *r, zinc_error *err)
{
	const zinc_grid_def *def = grid_def(g);
	zinc_error why = ZINC_ERROR_INIT;
	user *u = user_new(g->ctx, configuration, err);
	zinc_status st;

	if (!u)
		return ZINC_E_NOMEM;
	st = def->open(&u->self, u->configuration, g->ndim, shape, &why);
	u->open = st == ZINC_OK;
	st = zinc_user_finding(st, def->name, r, &why);
	if (st == ZINC_OK) {
		g->self = u;
		return ZINC_OK;
	}
	user_free(g->ctx, u, def->close);
	return zinc_error_copy(err, &why), st;
}

static zinc_json *
grid_print(const zinc_grid *g, zinc_json_doc *doc)
{
	return user_print((const user *)g->self, doc);
}

static uint64_t
grid_count(const zinc_grid *g, int dim, uint64_t length)
{
	return grid_def(g)->count(grid_self(g), dim, length);
}

static uint64_t
grid_find(const zinc_grid *g, int dim, uint64_t i)
{
	return grid_def(g)->find(grid_self(g), dim, i);
}

static void
grid_span(const zinc_grid *g, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	grid_def(g)->span(grid_self(g), dim, chunk, start, extent);
}

static uint64_t
grid_widest(const zinc_grid *g, int dim)
{
	return grid_def(g)->widest(grid_self(g), dim);
}

zinc_status
zinc_register_grid(const zinc_grid_def *def, zinc_error *err)
{
	zinc_grid_def d;
	zinc_status st;
	grid_row *row;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.open || !d.count || !d.find || !d.span || !d.widest)
		return zinc_fail(err, ZINC_E_INVALID, "a chunk grid lacks a function");
	row = (grid_row *)zinc_calloc(NULL, 1, sizeof *row);
	if (!row)
		return zinc_fail_nomem(err);
	row->def = d;
	row->ops = (zinc_grid_ops){.name = d.name,
				   .uris = d.uris,
				   .purpose = d.purpose,
				   .parse = grid_parse,
				   .print = grid_print,
				   .count = grid_count,
				   .find = grid_find,
				   .span = grid_span,
				   .widest = grid_widest,
				   .fini = grid_fini,
				   .needs_configuration = d.needs_configuration};
	st = zinc_grid_register(&row->ops, err);
	if (st != ZINC_OK)
		zinc_free(NULL, row);
	return st; /* the row stays for ever */
}

/* ---- key encodings ---- */

typedef struct keys_row {
	zinc_keys_ops ops; /* first, as above */
	zinc_key_encoding_def def;
} keys_row;

static const zinc_key_encoding_def *
keys_def(const zinc_keys *k)
{
	return &((const keys_row *)(const void *)k->ops)->def;
}

static void *
keys_self(const zinc_keys *k)
{
	return ((const user *)k->self)->self;
}

static void
keys_fini(zinc_keys *k)
{
	user_free(k->ctx, (user *)k->self, keys_def(k)->close);
	k->self = NULL;
}

static zinc_status
keys_parse(zinc_keys *k, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	const zinc_key_encoding_def *def = keys_def(k);
	zinc_error why = ZINC_ERROR_INIT;
	user *u = user_new(k->ctx, configuration, err);
	zinc_status st;

	if (!u)
		return ZINC_E_NOMEM;
	st = def->open ? def->open(&u->self, u->configuration, &why) : ZINC_OK;
	u->open = st == ZINC_OK;
	st = zinc_user_finding(st, def->name, r, &why);
	if (st == ZINC_OK) {
		k->self = u;
		return ZINC_OK;
	}
	user_free(k->ctx, u, def->close);
	return zinc_error_copy(err, &why), st;
}

static zinc_json *
keys_print(const zinc_keys *k, zinc_json_doc *doc)
{
	return user_print((const user *)k->self, doc);
}

/* What print_key prints. */
typedef struct place {
	const zinc_keys *k;
	const uint64_t *index;
	int ndim;
} place;

static size_t
print_key(const void *arg, char *out, size_t room)
{
	const place *p = (const place *)arg;

	return keys_def(p->k)->encode(keys_self(p->k), p->index, p->ndim, out, room);
}

static zinc_status
keys_encode(const zinc_keys *k, const uint64_t *index, int ndim, zinc_buf *out, zinc_error *err)
{
	const place p = {k, index, ndim};

	return zinc_user_append(out, print_key, &p, err);
}

static bool
keys_decode(const zinc_keys *k, const char *key, int ndim, uint64_t *index)
{
	return keys_def(k)->decode(keys_self(k), key, ndim, index) != 0;
}

zinc_status
zinc_register_key_encoding(const zinc_key_encoding_def *def, zinc_error *err)
{
	zinc_key_encoding_def d;
	zinc_status st;
	keys_row *row;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.encode || !d.decode)
		return zinc_fail(err, ZINC_E_INVALID, "a key encoding lacks a function");
	row = (keys_row *)zinc_calloc(NULL, 1, sizeof *row);
	if (!row)
		return zinc_fail_nomem(err);
	row->def = d;
	row->ops = (zinc_keys_ops){.name = d.name,
				   .uris = d.uris,
				   .purpose = d.purpose,
				   .parse = keys_parse,
				   .print = keys_print,
				   .encode = keys_encode,
				   .decode = keys_decode,
				   .fini = keys_fini};
	st = zinc_keys_register(&row->ops, err);
	if (st != ZINC_OK)
		zinc_free(NULL, row);
	return st; /* the row stays for ever */
}
