/*
 * cmd_cat.c - zinc cat: elements of an array as text, CSV, JSON, .npy or raw bytes
 *
 * Also `zinc --array_path`, which reads everything and prints nothing.
 */
#include <unistd.h>

#include "cli.h"

#define SUMMARY 1000 /* text: more elements are summarised */

struct cat {
	struct run *run;
	const char *url;
	struct printer printer;
	zinc_type type; /* of elements in the buffer: the array's own, or one of C that has all its numbers */
	void *buffer;
	zinc_cf *cf;       /* NULL: elements are printed as they are */
	void *decoded;     /* elements of the buffer */
	zinc_arena *arena; /* of elements of variable length */
};

/* Elements of variable length take more memory than the structures that point to them; the amount is not known
 * before. */
static uint64_t
budget(const struct cat *c, const zinc_array *a)
{
	return piece_budget(c->run) /
	       (zinc_array_variable(a) || c->cf ? 16 : 1); /* decoded ones are up to 8 times larger */
}

static int
print_decoded(struct cat *c, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;

	c->decoded = xrealloc(c->decoded, n * c->printer.element);
	if (zinc_cf_decode(c->cf, c->buffer, n, c->decoded, &err))
		return fail(c->url, &err);
	c->printer.ops->elements(&c->printer, c->decoded, n);
	return c->printer.status;
}

static int
read_piece(void *arg, const struct region *piece)
{
	struct cat *c = arg;
	size_t nbytes = (size_t)piece->n * piece->element;
	zinc_selection sel = region_selection(piece);
	zinc_io_options io = io_options(c->run);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b;

	if (zinc_array_variable(piece->array)) {
		if (c->arena)
			zinc_arena_empty(c->arena);
		else if (zinc_arena_new(&c->arena, c->run->ctx, 0, &err))
			return fail(c->url, &err);
	}
	c->buffer = xrealloc(c->buffer, nbytes);
	b = *ZINC_BUFFER_AS(c->type, c->buffer, nbytes);
	b.arena = c->arena;
	if (zinc_array_read(piece->array, &sel, &b, &io, &err))
		return fail(c->url, &err);
	if (c->cf)
		return print_decoded(c, (size_t)piece->n);
	if (c->printer.ops)
		c->printer.ops->elements(&c->printer, c->buffer, (size_t)piece->n);
	return c->printer.status;
}

static void
cat_fini(struct cat *c)
{
	free(c->buffer);
	free(c->decoded);
	zinc_cf_close(c->cf);
	zinc_arena_free(c->arena);
}

/* ---- summaries: only the edges are read ----
 *
 * Of a long dimension the first and last three items are selected as a list, so that the summary of a petabyte costs as
 * much as that of a megabyte.
 */

struct edges {
	struct region region;
	uint64_t list[ZINC_MAX_NDIM][2 * EDGE];
};

static void
take_edges(struct edges *e, const struct region *whole)
{
	int d, i;

	e->region = *whole;
	e->region.parsed = NULL;
	for (d = 0; d < whole->out_ndim; d++) {
		zinc_select_dim *s = &e->region.dims[whole->axis[d]];
		uint64_t n = whole->shape[d];

		if (n <= 2 * EDGE)
			continue;
		for (i = 0; i < EDGE; i++) {
			e->list[d][i] = region_index(whole, d, (uint64_t)i);
			e->list[d][EDGE + i] = region_index(whole, d, n - EDGE + (uint64_t)i);
		}
		*s = (zinc_select_dim){.list = e->list[d], .nlist = 2 * EDGE};
		region_narrow(&e->region, d, 0, 2 * EDGE);
	}
}

/* ---- printing ---- */

static int
print_region(struct cat *c, const struct region *g)
{
	struct printer *p = &c->printer;
	int status = DONE;

	p->region = g;
	p->type = c->type ? c->type : zinc_array_type(g->array);
	p->element = g->element;
	if (c->cf) {
		p->type = p->cf ? ZINC_NATIVE : p->about.type;
		p->element = zinc_type_size(p->about.type);
	}
	p->url = c->url;
	p->passes = p->ops->passes;
	for (p->pass = 0; p->pass < p->passes && status == DONE; p->pass++) {
		p->ops->begin(p);
		status = p->status != DONE ? p->status : region_pieces(g, budget(c, g->array), false, read_piece, c);
		p->ops->end(p);
	}
	if (p->text.n && status == DONE)
		out_add(p->out, p->text.p, p->text.n);
	text_free(&p->text);
	p->ops->fini(p);
	return status;
}

/* Only a terminal or pipe gets a summary; a file gets all elements. */
static bool
is_file(const char *output)
{
	return output && strcmp(output, "-") != 0;
}

static bool
is_summary(const struct cat *c, const struct region *g)
{
	return c->printer.ops == &printer_text && !c->run->args->full && !is_file(c->run->args->output) &&
	       g->n > SUMMARY;
}

static int
print_selected(struct cat *c, const struct region *g)
{
	struct edges *e;
	int status;

	if (!is_summary(c, g))
		return print_region(c, g);
	e = xrealloc(NULL, sizeof *e);
	take_edges(e, g);
	c->printer.whole = g->shape;
	status = print_region(c, &e->region);
	free(e);
	return status;
}

/* The format of --as, else the suffix of the output file: x.csv, x.json, x.npy, x.raw. */
static const struct printer_ops *
choose_printer(const struct args *a)
{
	static const struct printer_ops *const all[] = {&printer_text, &printer_csv, &printer_json, &printer_npy,
							&printer_raw};
	const char *dot = a->output ? strrchr(a->output, '.') : NULL, *name = a->as ? a->as : dot ? dot + 1 : "text";
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return &printer_text;
}

/* Data is not changed; only text for a terminal is escaped. */
static enum escaping
escaping(const struct printer_ops *ops)
{
	if (ops == &printer_json)
		return ESCAPE_JSON;
	return ops == &printer_text || (ops == &printer_csv && isatty(STDOUT_FILENO)) ? ESCAPE_TEXT : ESCAPE_NONE;
}

/* What is not changed by decoding is printed as without it. */
static int
decode_cf(struct cat *c, zinc_array *a)
{
	struct printer *p = &c->printer;
	zinc_error err = ZINC_ERROR_INIT;

	p->about = (zinc_cf_about)ZINC_CF_ABOUT_INIT;
	if (zinc_array_unsupported(a) || !c->run->args->cf) /* the first is said later */
		return DONE;
	if (zinc_cf_open(&c->cf, a, &err) || zinc_cf_describe(c->cf, &p->about, &err))
		return fail(c->url, &err);
	if (p->about.kind == ZINC_CF_PLAIN) {
		zinc_cf_close(c->cf);
		c->cf = NULL;
	} else if (p->about.kind >= ZINC_CF_TIME) {
		p->cf = c->cf;
	}
	return DONE;
}

/* bfloat16, int4 and the like are printed as numbers of C; `raw` has what is stored. */
static void
widen(struct cat *c, struct region *g)
{
	const zinc_type own = zinc_array_type(g->array), wide = zinc_type_widen(own);

	if (own == wide || c->cf || c->printer.ops == &printer_raw)
		return;
	c->type = wide;
	g->element = zinc_type_size(wide);
}

static int
cat(struct cat *c, zinc_array *a)
{
	const struct args *args = c->run->args;
	struct region g;
	struct out file;
	int status = region_init(&g, a, args->select, c->url);

	if (status == DONE)
		status = decode_cf(c, a);
	if (status == DONE)
		widen(c, &g);
	if (status == DONE && g.uncounted && !is_summary(c, &g)) /* no file can hold so many */
		status = complain(UNSUPPORTED, c->url, "more than 2^64 elements are selected; select fewer (-s)");
	if (status == DONE && args->output) {
		status = out_open(&file, args->output, args->overwrite);
		c->printer.out = &file;
		status = out_close(&file, status == DONE ? print_selected(c, &g) : status);
	} else if (status == DONE) {
		c->run->out.escape = escaping(c->printer.ops);
		c->printer.out = &c->run->out;
		status = print_selected(c, &g);
	}
	region_fini(&g);
	cat_fini(c);
	return status;
}

int
cmd_cat(struct run *r)
{
	struct cat c = {.run = r, .url = r->args->words.at[0]};
	zinc_array *a = NULL;
	int status = open_array(r, c.url, false, &a);

	if (status != DONE)
		return status;
	c.printer.ops = choose_printer(r->args);
	c.printer.index = r->args->index;
	status = cat(&c, a);
	zinc_array_close(a);
	return status;
}

int
cmd_array_path(struct run *r)
{
	struct cat c = {.run = r, .url = r->args->words.at[0]};
	zinc_array *a = NULL;
	struct region g;
	int status = open_array(r, c.url, false, &a);

	if (status != DONE)
		return status;
	status = region_init(&g, a, NULL, c.url);
	if (status == DONE)
		status = region_pieces(&g, budget(&c, a), false, read_piece, &c);
	region_fini(&g);
	cat_fini(&c);
	zinc_array_close(a);
	return status;
}
