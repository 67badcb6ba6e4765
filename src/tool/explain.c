/*
 * explain.c - the cost of a read, and which chunks would cost less
 *
 * The cost is that of the array's own plan (array/read_cost.c).  If more than half of what is decoded is not needed,
 * chunks that fit the selection are tried: a box of its extent, cut to a few MiB, with a regular grid from the origin.
 * They are suggested only if they waste less than half as much.
 */
#include "tool/tool.h"

/* The number of elements in the chunks of a regular grid that the selection touches; UINT64_MAX if it is too large. */
static zinc_status
touched(const zinc_array *a, const zinc_sel *sel, const uint64_t *chunk, uint64_t *out, zinc_error *err)
{
	uint64_t length[ZINC_MAX_NDIM];
	zinc_grid g;
	int d;

	zinc_grid_regular_init(&g, sel->ndim, chunk);
	for (d = 0; d < sel->ndim; d++) {
		zinc_split s;
		zinc_status st = zinc_split_init(&s, a->ctx, &g, d, &sel->dim[d], err);
		size_t n = s.n;

		zinc_split_fini(&s);
		ZINC_TRY(st);
		if (zinc_u64_mul(n, chunk[d], &length[d]))
			length[d] = UINT64_MAX;
	}
	if (zinc_shape_bytes(length, sel->ndim, 1, UINT64_MAX, out))
		*out = UINT64_MAX;
	return ZINC_OK;
}

/* The span from the first to the last index of a dimension. */
static uint64_t
extent_of(const zinc_sel_dim *s)
{
	uint64_t i, low = UINT64_MAX, high = 0;

	if (s->count == 0)
		return 1;
	if (!s->list)
		return (s->count - 1) * s->step + 1;
	for (i = 0; i < s->count; i++) {
		low = zinc_min_u64(low, s->list[i]);
		high = zinc_max_u64(high, s->list[i]);
	}
	return high - low + 1;
}

static zinc_status
suggest(const zinc_array *a, const zinc_sel *sel, size_t element, zinc_explanation *out, zinc_error *err)
{
	uint64_t box[ZINC_MAX_NDIM], n;
	int d;

	if (sel->is_points || sel->out_n == 0)
		return ZINC_OK;
	for (d = 0; d < sel->ndim; d++)
		box[d] = extent_of(&sel->dim[d]);
	zinc_grid_choose(box, sel->ndim, element, out->chunk_shape);
	ZINC_TRY(touched(a, sel, out->chunk_shape, &n, err));
	out->better_waste = n > sel->out_n ? 1 - (double)sel->out_n / (double)n : 0;
	out->better = out->better_waste < out->waste / 2;
	return ZINC_OK;
}

static void
take_cost(const zinc_read_cost *c, zinc_explanation *out)
{
	*out = (zinc_explanation){.size = sizeof *out,
				  .objects = c->objects,
				  .objects_present = c->objects_present,
				  .chunks = c->chunks,
				  .chunks_present = c->chunks_present,
				  .requests = c->requests,
				  .ranges = c->ranges,
				  .bytes = c->bytes,
				  .object_bytes = c->object_bytes,
				  .decoded_bytes = c->decoded,
				  .selected_bytes = c->selected};
	out->waste = c->decoded > c->wanted ? 1 - (double)c->wanted / (double)c->decoded : 0;
}

/* ---- too many chunks to list ---- */

struct filter {
	zinc_chunk_fn fn;
	void *arg;
	bool stopped;
};

static int
pass_stored(void *arg, const zinc_chunk *chunk)
{
	struct filter *f = arg;

	if (!chunk->present)
		return 0;
	f->stopped = f->fn(f->arg, chunk) != 0;
	return f->stopped;
}

static void
add_costs(zinc_read_cost *to, const zinc_read_cost *more)
{
	to->objects += more->objects;
	to->objects_present += more->objects_present;
	to->chunks += more->chunks;
	to->chunks_present += more->chunks_present;
	to->requests += more->requests;
	to->ranges += more->ranges;
	to->bytes += more->bytes;
	to->object_bytes += more->object_bytes;
	to->decoded += more->decoded;
	to->wanted += more->wanted;
	to->stored += more->stored;
	to->selected += more->selected;
}

/* Explain object by object, so that nothing is counted twice.  `err` already has the reason why not all at once; it is
 * returned if this is not possible either. */
static zinc_status
explain_stored(zinc_array *a, const zinc_selection *selection, const zinc_io_options *options, struct filter *f,
	       zinc_read_cost *all, zinc_error *err)
{
	zinc_io_options o;
	zinc_read_cost cost;
	zinc_piece piece;
	zinc_wait wait;
	zinc_status st;
	zinc_pieces p;
	size_t i;

	memset(all, 0, sizeof *all);
	ZINC_TRY(zinc_options_take_as(&zinc_io_options_kind, &o, options, err));
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	st = zinc_pieces_init_stored(&p, &a, 1, selection, NULL, &wait, NULL);
	for (i = 0; st == ZINC_OK && i < p.n && !f->stopped; i++) {
		zinc_pieces_get(&p, i, &piece);
		st = zinc_array_read_cost(a, &piece.sel, options, pass_stored, f, &cost, err);
		add_costs(all, &cost);
	}
	zinc_pieces_fini(&p);
	return st;
}

static zinc_status
explain(zinc_array *a, const zinc_selection *selection, const zinc_io_options *options, zinc_chunk_fn fn, void *arg,
	zinc_explanation *out, zinc_error *err)
{
	struct filter f = {.fn = fn, .arg = arg};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_read_cost cost;
	zinc_status st;
	zinc_meta *m;
	zinc_sel sel;
	bool few;

	st = zinc_array_read_cost(a, selection, options, fn, arg, &cost, &e);
	few = st != ZINC_E_LIMIT;
	if (!few && fn)
		st = explain_stored(a, selection, options, &f, &cost, &e);
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	take_cost(&cost, out);
	out->only_stored = !few;
	if (out->waste <= 0.5 || !few)
		return ZINC_OK;
	m = zinc_array_snapshot(a);
	st = zinc_sel_init(&sel, a->ctx, selection, m->grid, m->ndim, m->shape, err);
	if (st == ZINC_OK) {
		st = suggest(a, &sel, m->dtype->size, out, err);
		zinc_sel_fini(&sel);
	}
	zinc_meta_free(m);
	return st;
}

zinc_status
zinc_array_explain(zinc_array *a, const zinc_selection *selection, const zinc_io_options *options, zinc_chunk_fn fn,
		   void *arg, zinc_explanation *out, zinc_error *err)
{
	zinc_explanation all;

	ZINC_TRY(ZINC_NEED(a && out, err));
	ZINC_TRY(zinc_result_check(out, err));
	ZINC_TRY(explain(a, selection, options, fn, arg, &all, err));
	zinc_result_fill(out, &all, sizeof all);
	return ZINC_OK;
}
