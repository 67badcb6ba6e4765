/*
 * read_cost.c - determine the requests that a read would make, without making them
 *
 * The code of a read runs as always, with a zinc_explain in its job.  Plan, windows, batches and merging of ranges
 * are those of a read, so the explanation cannot differ from it.  Only the fetch differs: it counts the requests, and
 * requests the size of the object instead of its bytes.  Indexes of shards are really read, because they locate the
 * chunks.
 *
 * Promise (tests/unit/test_tool_explain.c): requests and bytes are those that a log store counts during the read
 * itself, into a buffer in C order of the array's own type, with an empty cache.
 */
#include "array/engine.h"

#define UNITS_MOST 4000000u

/* ---- hooks, called by any thread ---- */

void
zinc_explain_requests(zinc_explain *x, uint64_t requests, uint64_t ranges, uint64_t nbytes)
{
	pthread_mutex_lock(&x->lock);
	x->cost.requests += requests;
	x->cost.ranges += ranges;
	x->cost.bytes += nbytes;
	pthread_mutex_unlock(&x->lock);
}

void
zinc_explain_unit(zinc_explain *x, const zinc_touch *touch)
{
	pthread_mutex_lock(&x->lock);
	if (x->n == x->room) {
		const size_t room = x->room > 0 ? 2 * x->room : 256;
		zinc_touch *more = NULL;
		size_t nbytes;

		if (!zinc_size_mul(room, sizeof *more, &nbytes))
			more = zinc_realloc(x->ctx, x->touches, nbytes);
		if (more) {
			x->touches = more;
			x->room = room;
		} else {
			x->lost = true;
		}
	}
	if (!x->lost)
		x->touches[x->n++] = *touch;
	pthread_mutex_unlock(&x->lock);
}

/* ---- the touched units, in order ---- */

static int
by_number(const void *a, const void *b)
{
	const zinc_touch *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void
describe_unit(const zinc_plan *p, const zinc_object *o, const zinc_unit *u, const zinc_touch *t, zinc_chunk *out)
{
	const zinc_meta *m = p->m;
	uint64_t extent[ZINC_MAX_NDIM];
	int d;

	for (d = 0; d < m->ndim; d++) {
		out->index[d] = p->units_are_objects ? o->index[d] : u->start[d] / p->unit_step[d];
		extent[d] = u->extent[d];
	}
	out->ndim = m->ndim;
	out->present = t->found;
	out->offset = t->offset;
	out->bytes = t->nbytes;
	out->in_shard = !p->units_are_objects;
	if (zinc_shape_bytes(extent, m->ndim, m->dtype->size, UINT64_MAX, &out->decoded_bytes))
		out->decoded_bytes = UINT64_MAX;
	out->selected_bytes = zinc_unit_selected(p, u) * m->dtype->size;
	if (t->exact)
		out->decoded_bytes = out->selected_bytes;
}

static void
add_cost(zinc_read_cost *c, const zinc_chunk *k)
{
	c->chunks++;
	c->selected += k->selected_bytes;
	if (!k->present)
		return;
	c->chunks_present++;
	c->stored += k->bytes;
	c->decoded += k->decoded_bytes;
	c->wanted += k->selected_bytes;
}

/* Objects are sorted by number, and so are the units of each: zinc_plan_unit needs that order for points. */
static zinc_status
report_units(zinc_call *c, const zinc_plan *p, zinc_explain *x, zinc_chunk_fn fn, void *arg, zinc_error *err)
{
	zinc_chunk k = {.size = sizeof k};
	zinc_object o = {.number = UINT64_MAX};
	zinc_unit u;
	size_t i;

	if (x->n > 0) /* otherwise the list is NULL */
		qsort(x->touches, x->n, sizeof *x->touches, by_number);
	for (i = 0; i < x->n; i++) {
		const zinc_touch *t = &x->touches[i];

		if (t->object != o.number) {
			zinc_plan_object(p, (size_t)t->object, &o);
			ZINC_TRY(zinc_call_key(c, &c->workers[0], o.index, &k.key, err));
			x->cost.objects++;
			x->cost.objects_present += t->object_found || t->found;
			x->cost.object_bytes += t->object_bytes;
			u.end = o.begin;
		}
		zinc_plan_unit(p, &o, (size_t)t->unit, &u);
		describe_unit(p, &o, &u, t, &k);
		add_cost(&x->cost, &k);
		if (fn && fn(arg, &k))
			return ZINC_OK;
	}
	return ZINC_OK;
}

/* Each unit costs a request and memory, so a selection of too many units is refused. */
static zinc_status
check_number(const zinc_call *c, const zinc_selection *selection, zinc_error *err)
{
	uint64_t bounds[ZINC_MAX_NDIM], n;
	zinc_grid units;
	zinc_sel sel;
	bool many;
	int d;

	if (c->m->chain->open_shard)
		zinc_grid_regular_init(&units, c->m->ndim, c->m->chain->unit_shape);
	ZINC_TRY(zinc_sel_init(&sel, c->ctx, selection, c->m->grid, c->m->ndim, c->m->shape, err));
	for (d = 0; d < c->m->ndim && !sel.is_points; d++)
		bounds[d] = zinc_split_bound(c->m->chain->open_shard ? &units : c->m->grid, d, &sel.dim[d]);
	many = !sel.is_points && zinc_shape_bytes(bounds, c->m->ndim, 1, UNITS_MOST, &n);
	zinc_sel_fini(&sel);
	return many ? zinc_fail(err, ZINC_E_LIMIT, "more than %u chunks are selected; select fewer (-s)", UNITS_MOST)
		    : ZINC_OK;
}

/* ---- public within the library ---- */

static zinc_status
explain_planned(zinc_call *c, zinc_plan *p, zinc_explain *x, zinc_error *err)
{
	zinc_target t = {.element = c->m->dtype->size, .uncached = zinc_target_uncached(&p->sel, c->m->dtype->size)};
	zinc_job j = {c, p, &t, false, x};
	int d, k = p->sel.out_ndim;
	int64_t strides[ZINC_MAX_NDIM];

	zinc_strides_c(p->sel.out_shape, p->sel.out_ndim, t.element, strides);
	for (d = p->m->ndim - 1; d >= 0 && !p->sel.is_points; d--)
		t.strides[d] = p->sel.dim[d].drop ? 0 : strides[--k];
	if (p->nobjects == 0)
		return ZINC_OK;
	ZINC_TRY(p->units_are_objects ? zinc_job_read(&j, err) : zinc_job_read_shards(&j, err));
	return x->lost ? zinc_fail_nomem(err) : ZINC_OK;
}

zinc_status
zinc_array_read_cost(zinc_array *a, const zinc_selection *selection, const zinc_io_options *options, zinc_chunk_fn fn,
		     void *arg, zinc_read_cost *out, zinc_error *err)
{
	zinc_explain x = {.ctx = a->ctx};
	zinc_status st;
	zinc_call c;
	zinc_plan p;

	p.ctx = NULL; /* zinc_plan_fini does nothing before zinc_plan_init */
	pthread_mutex_init(&x.lock, NULL);
	st = zinc_call_begin(&c, a, options, err);
	if (st == ZINC_OK)
		st = check_number(&c, selection, err);
	if (st == ZINC_OK)
		st = zinc_plan_init(&p, c.ctx, c.m, selection, err);
	if (st == ZINC_OK)
		st = explain_planned(&c, &p, &x, err);
	if (st == ZINC_OK && c.code == ZINC_OK)
		st = report_units(&c, &p, &x, fn, arg, err);
	zinc_plan_fini(&p);
	zinc_free(x.ctx, x.touches);
	pthread_mutex_destroy(&x.lock);
	*out = x.cost;
	return zinc_call_end(&c, st, err);
}
