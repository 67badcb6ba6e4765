/*
 * plan.c - selection x grid -> stored objects, and in each the units it needs
 *
 * The plan is made once per call.  Along each dimension the selection is cut at the borders of units (inner chunks of
 * an open shard, otherwise whole objects).  Adjacent segments that lie in one stored object form a group.  An object
 * is one group per dimension, a unit is one segment per dimension.  Both are computed from their number by division,
 * so no list of them is stored.
 *
 *     dimension 0:   | segment | segment || segment | segment |      || border of an object
 *                    '------ group ------''------ group ------'       | border of a unit
 *
 * Promises (tests/unit/test_plan.c names each by its number):
 *
 * (1) Each selected element is in exactly one unit of one object.  Objects are in the order of the grid.
 * (2) An object is full when every element of it is selected, covered when all elements that lie in the array are; if a
 *     list selects them, it is neither.  A block of N5 that ends with the array is never full: another writer may have
 *     extended both.
 * (3) Points are sorted by object, then by unit, then in the order given.
 * (4) An empty selection has no objects.  A plan may be freed twice.
 */
#include "array/engine.h"

static void
unit_steps(zinc_plan *p)
{
	const zinc_chain *c = p->m->chain;
	int d;

	p->units_are_objects = !c->open_shard;
	for (d = 0; d < p->m->ndim && c->open_shard; d++)
		p->unit_step[c->axis[d]] = c->shard->chunk_shape[d];
}

/* ---- slices and lists ---- */

/* Do the segments select every element of the object, which are `whole`, or at least of the part that lies in the
 * array? */
static void
cover(const zinc_split *s, zinc_group_span *g, uint64_t whole, uint64_t length)
{
	uint64_t n = 0;
	size_t i;

	for (i = g->begin; i < g->end; i++) {
		if (s->segments[i].in_list || (s->segments[i].step != 1 && s->segments[i].count > 1))
			return;
		n += s->segments[i].count;
	}
	g->full = n == whole;
	g->covered = n == zinc_min_u64(g->extent, length - g->start);
}

/* Inner chunks must divide every shard, also where a program's grid has shards of several sizes. */
static zinc_status
check_units(const zinc_plan *p, int d, uint64_t chunk, uint64_t start, uint64_t extent, zinc_error *err)
{
	if (p->units_are_objects || (start % p->unit_step[d] == 0 && extent % p->unit_step[d] == 0))
		return ZINC_OK;
	return zinc_fail(
	    err, ZINC_E_CORRUPT,
	    "shard %llu of dimension %d has elements %llu to %llu, but inner chunks of %llu elements do not divide it",
	    (unsigned long long)chunk, d, (unsigned long long)start, (unsigned long long)(start + extent),
	    (unsigned long long)p->unit_step[d]);
}

/* Cut the segments of one dimension into groups by stored object. */
static zinc_status
group_dim(zinc_plan *p, int d, zinc_error *err)
{
	const zinc_grid *grid = p->m->grid;
	const zinc_split *s = &p->split[d];
	zinc_group_span *g;
	size_t i, n = 0;

	g = zinc_calloc(p->ctx, s->n > 0 ? s->n : 1, sizeof *g);
	if (!g)
		return zinc_fail_nomem(err);
	p->groups[d] = g;
	for (i = 0; i < s->n; i++) {
		uint64_t chunk =
		    p->units_are_objects ? s->segments[i].chunk : zinc_grid_chunk_of(grid, d, s->segments[i].start);

		if (n == 0 || g[n - 1].chunk != chunk) {
			g[n].chunk = chunk;
			g[n].begin = i;
			zinc_grid_span(grid, d, chunk, &g[n].start, &g[n].extent);
			ZINC_TRY(check_units(p, d, chunk, g[n].start, g[n].extent, err));
			n++;
		}
		g[n - 1].end = i + 1;
	}
	p->ngroups[d] = n;
	for (i = 0; i < n; i++)
		cover(s, &g[i], zinc_grid_whole(grid, d, g[i].extent), p->m->shape[d]);
	return ZINC_OK;
}

static zinc_status
plan_segments(zinc_plan *p, zinc_error *err)
{
	zinc_grid fine;
	size_t objects = 1;
	uint64_t units = 1;
	int d;

	zinc_grid_regular_init(&fine, p->m->ndim, p->unit_step);
	for (d = 0; d < p->m->ndim; d++) {
		ZINC_TRY(zinc_split_init(&p->split[d], p->ctx, p->units_are_objects ? p->m->grid : &fine, d,
					 &p->sel.dim[d], err));
		ZINC_TRY(group_dim(p, d, err));
		if (zinc_size_mul(objects, p->ngroups[d], &objects) || zinc_u64_mul(units, p->split[d].n, &units))
			return zinc_fail(err, ZINC_E_LIMIT, "the selection touches more chunks than can be counted");
	}
	p->nobjects = objects;
	p->nunits = units;
	return ZINC_OK;
}

/* ---- points ---- */

typedef struct point_order {
	const zinc_plan *p;
	const zinc_grid *unit_grid;
} point_order;

/* By object, then unit, then as given. */
static int
compare_points(const void *a, const void *b, void *arg)
{
	const point_order *o = arg;
	uint64_t ia = *(const uint64_t *)a, ib = *(const uint64_t *)b;
	const uint64_t *pa = o->p->sel.points + ia * (uint64_t)o->p->m->ndim;
	const uint64_t *pb = o->p->sel.points + ib * (uint64_t)o->p->m->ndim;
	const zinc_grid *grids[2] = {o->p->m->grid, o->unit_grid};
	int g, d;

	for (g = 0; g < 2; g++)
		for (d = 0; grids[g] && d < o->p->m->ndim; d++) {
			uint64_t ca = zinc_grid_chunk_of(grids[g], d, pa[d]),
				 cb = zinc_grid_chunk_of(grids[g], d, pb[d]);

			if (ca != cb)
				return ca < cb ? -1 : 1;
		}
	return ia < ib ? -1 : ia > ib;
}

static bool
same_chunk(const zinc_plan *p, const zinc_grid *grid, uint64_t a, uint64_t b)
{
	const uint64_t *pa = p->sel.points + a * (uint64_t)p->m->ndim, *pb = p->sel.points + b * (uint64_t)p->m->ndim;
	int d;

	for (d = 0; d < p->m->ndim; d++)
		if (zinc_grid_chunk_of(grid, d, pa[d]) != zinc_grid_chunk_of(grid, d, pb[d]))
			return false;
	return true;
}

/* Check the object that a point lies in. */
static zinc_status
check_point_units(const zinc_plan *p, uint64_t point, zinc_error *err)
{
	const uint64_t *at = p->sel.points + point * (uint64_t)p->m->ndim;
	const zinc_grid *grid = p->m->grid;
	int d;

	for (d = 0; d < p->m->ndim; d++) {
		const uint64_t chunk = zinc_grid_chunk_of(grid, d, at[d]);
		uint64_t start, extent;

		zinc_grid_span(grid, d, chunk, &start, &extent);
		ZINC_TRY(check_units(p, d, chunk, start, extent, err));
	}
	return ZINC_OK;
}

static zinc_status
plan_points(zinc_plan *p, zinc_error *err)
{
	zinc_grid fine;
	point_order o = {p, NULL};
	size_t i, n = p->sel.npoints;

	p->order = zinc_calloc(p->ctx, n + 1, sizeof *p->order);
	p->object_begin = zinc_calloc(p->ctx, n + 1, sizeof *p->object_begin);
	if (!p->order || !p->object_begin)
		return zinc_fail_nomem(err);
	if (!p->units_are_objects) {
		zinc_grid_regular_init(&fine, p->m->ndim, p->unit_step);
		o.unit_grid = &fine;
	}
	for (i = 0; i < n; i++)
		p->order[i] = i;
	qsort_r(p->order, n, sizeof *p->order, compare_points, &o);
	for (i = 0; i < n; i++) {
		bool new_object = i == 0 || !same_chunk(p, p->m->grid, p->order[i - 1], p->order[i]);

		if (new_object) {
			ZINC_TRY(check_point_units(p, p->order[i], err));
			p->object_begin[p->nobjects++] = i;
		}
		if (new_object || (o.unit_grid && !same_chunk(p, &fine, p->order[i - 1], p->order[i])))
			p->nunits++;
	}
	p->object_begin[p->nobjects] = n;
	return ZINC_OK;
}

zinc_status
zinc_plan_init(zinc_plan *p, zinc_context *ctx, const zinc_meta *m, const zinc_selection *s, zinc_error *err)
{
	memset(p, 0, sizeof *p);
	p->ctx = ctx;
	p->m = m;
	ZINC_TRY(zinc_sel_init(&p->sel, ctx, s, m->grid, m->ndim, m->shape, err));
	unit_steps(p);
	if (p->sel.out_n == 0)
		return ZINC_OK;
	return p->sel.is_points ? plan_points(p, err) : plan_segments(p, err);
}

void
zinc_plan_fini(zinc_plan *p)
{
	int d;

	if (!p->ctx)
		return;
	for (d = 0; d < p->m->ndim; d++) {
		zinc_split_fini(&p->split[d]);
		zinc_free(p->ctx, p->groups[d]);
	}
	zinc_free(p->ctx, p->order);
	zinc_free(p->ctx, p->object_begin);
	zinc_sel_fini(&p->sel);
	p->ctx = NULL;
}

/* ---- from numbers to objects and units ---- */

static size_t
count_point_units(const zinc_plan *p, size_t begin, size_t end)
{
	zinc_grid fine;
	size_t i, n = 1;

	if (p->units_are_objects)
		return 1;
	zinc_grid_regular_init(&fine, p->m->ndim, p->unit_step);
	for (i = begin + 1; i < end; i++)
		n += !same_chunk(p, &fine, p->order[i - 1], p->order[i]);
	return n;
}

static void
point_object(const zinc_plan *p, size_t i, zinc_object *out)
{
	const zinc_grid *grid = p->m->grid;
	const uint64_t *at;
	int d;

	out->begin = p->object_begin[i];
	out->end = p->object_begin[i + 1];
	at = p->sel.points + p->order[out->begin] * (uint64_t)p->m->ndim;
	for (d = 0; d < p->m->ndim; d++) {
		out->index[d] = zinc_grid_chunk_of(grid, d, at[d]);
		zinc_grid_span(grid, d, out->index[d], &out->start[d], &out->extent[d]);
	}
	out->full = out->covered = false;
	out->nunits = count_point_units(p, out->begin, out->end);
}

void
zinc_plan_object(const zinc_plan *p, size_t i, zinc_object *out)
{
	int d;

	out->number = i;
	if (p->sel.is_points) {
		point_object(p, i, out);
		return;
	}
	out->full = out->covered = true;
	out->nunits = 1;
	for (d = p->m->ndim - 1; d >= 0; d--) {
		const zinc_group_span *g = &p->groups[d][i % p->ngroups[d]];

		i /= p->ngroups[d];
		out->span[d] = g;
		out->index[d] = g->chunk;
		out->start[d] = g->start;
		out->extent[d] = g->extent;
		out->full = out->full && g->full;
		out->covered = out->covered && g->covered;
		out->nunits *= g->end - g->begin;
	}
}

/* Place and extent of the unit that holds element `at` of dimension d. */
static void
place_unit(const zinc_plan *p, const zinc_object *o, int d, uint64_t at, zinc_unit *out)
{
	if (p->units_are_objects) {
		out->start[d] = o->start[d];
		out->extent[d] = o->extent[d];
		out->inner[d] = 0;
	} else {
		out->extent[d] = p->unit_step[d];
		out->inner[d] = (at - o->start[d]) / p->unit_step[d];
		out->start[d] = o->start[d] + out->inner[d] * p->unit_step[d];
	}
}

static void
point_unit(const zinc_plan *p, const zinc_object *o, size_t u, zinc_unit *out)
{
	zinc_grid fine;
	const uint64_t *at;
	int d;

	out->begin = u == 0 ? o->begin : out->end;
	out->end = o->end;
	at = p->sel.points + p->order[out->begin] * (uint64_t)p->m->ndim;
	for (d = 0; d < p->m->ndim; d++)
		place_unit(p, o, d, at[d], out);
	out->full = false;
	if (p->units_are_objects)
		return;
	zinc_grid_regular_init(&fine, p->m->ndim, p->unit_step);
	for (out->end = out->begin + 1; out->end < o->end; out->end++)
		if (!same_chunk(p, &fine, p->order[out->begin], p->order[out->end]))
			break;
}

void
zinc_plan_unit(const zinc_plan *p, const zinc_object *o, size_t u, zinc_unit *out)
{
	int d;

	if (p->sel.is_points) {
		point_unit(p, o, u, out);
		return;
	}
	out->full = true;
	for (d = p->m->ndim - 1; d >= 0; d--) {
		size_t n = o->span[d]->end - o->span[d]->begin;
		const zinc_segment *s = &p->split[d].segments[o->span[d]->begin + u % n];

		u /= n;
		out->seg[d] = s;
		place_unit(p, o, d, s->start, out);
		out->full = out->full && !s->in_list && (s->step == 1 || s->count == 1) && s->count == out->extent[d];
	}
}
