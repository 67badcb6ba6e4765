/*
 * copy_boxes.c - the boxes in which an array is copied, within a memory limit
 *
 * A box is a union of whole objects of the target, so each object is written once and never read.  It grows along the
 * dimensions in which objects of the source are long, so that they are read as rarely as memory allows.  If chunks of
 * source and target are orthogonal, even that is too often:
 *
 *   source 1 x N x N     target N x 1 x 1     memory for a share 1/k of the array
 *
 *   one pass:    boxes of N x w x w; each object of the source is in all k of them
 *   two passes:  boxes of n x N x N -> a temporary array in chunks of n x w x w -> boxes of N x w x w
 *                each object of source, temporary array (k * k objects) and target is read once and written once
 *
 * Promises:
 *
 * (1) No object of the target is written twice.
 * (2) An object of the source is read at most 2^ndim times, if one pass reads it no more often than a second pass would
 *     cost; in two passes this also holds for the temporary array.
 * (3) A box, with the memory needed to read and write it, fits into the memory limit; an object too large for that is
 *     E_LIMIT before anything is written.
 * (4) Boxes depend only on the two arrays, the options and the memory limit: a resumed copy uses the same boxes, with
 *     any number of threads.
 */
#include "tool/copy.h"

/* The cost of an object besides its bytes, in bytes: opening, a request, a directory entry. */
#define OBJECT_COST 65536.0
/* The assumed size of an element of variable length. */
#define VLEN_BYTES   256u
#define DEFAULT_SIZE (512 * ZINC_MIB)
/* Memory is reserved for units of this many threads, if possible, whatever their actual number. */
#define THREADS 4u

/* ---- boxes ---- */

static uint64_t
extent(const zinc_boxes *b, int d, uint64_t per)
{
	uint64_t n;

	if (zinc_u64_mul(zinc_grid_widest(b->grid, d), per, &n))
		n = UINT64_MAX;
	return zinc_max_u64(1, zinc_min_u64(n, b->shape[d]));
}

/* In doubles: the result is compared with limits, never allocated. */
static double
box_bytes(const zinc_boxes *b, int along, uint64_t per, uint64_t element)
{
	double n = (double)element;
	int d;

	for (d = 0; d < b->ndim; d++)
		n *= (double)extent(b, d, d == along ? per : b->per[d]);
	return n;
}

static void
boxes_init(zinc_boxes *b, const zinc_grid *grid, int ndim, const uint64_t *shape)
{
	int d;

	*b = (zinc_boxes){.grid = grid, .ndim = ndim};
	for (d = 0; d < ndim; d++) {
		b->shape[d] = shape[d];
		b->per[d] = 1;
	}
}

static uint64_t
objects_along(const zinc_boxes *b, int d)
{
	return zinc_grid_count(b->grid, d, b->shape[d]);
}

/* The number of boxes; UINT64_MAX if there are more. */
static void
count_boxes(zinc_boxes *b)
{
	int d;

	for (d = 0; d < b->ndim; d++)
		b->count[d] = zinc_ceil_div(objects_along(b, d), b->per[d]);
	if (zinc_shape_bytes(b->count, b->ndim, 1, UINT64_MAX, &b->n))
		b->n = UINT64_MAX;
}

/* The dimension in which the box is shortest compared with `wanted`; -1: none can grow. */
static int
shortest(const zinc_boxes *b, const uint64_t *wanted, const bool *closed)
{
	double best = -1;
	int d, at = -1;

	for (d = 0; d < b->ndim; d++) {
		const double ratio = (double)wanted[d] / (double)extent(b, d, b->per[d]);

		if (!closed[d] && b->per[d] < objects_along(b, d) && ratio >= best) {
			best = ratio;
			at = d;
		}
	}
	return at;
}

/* Double the box, then grow it to the last object that fits. */
static void
grow(zinc_boxes *b, const uint64_t *wanted, uint64_t element, double budget)
{
	bool closed[ZINC_MAX_NDIM] = {false};
	int d;

	while ((d = shortest(b, wanted, closed)) >= 0) {
		const uint64_t most = objects_along(b, d);
		uint64_t low = b->per[d], high = low > most / 2 ? most : 2 * low;

		if (box_bytes(b, d, high, element) <= budget) {
			b->per[d] = high;
			continue;
		}
		while (high - low > 1) {
			const uint64_t mid = low + (high - low) / 2;

			if (box_bytes(b, d, mid, element) <= budget)
				low = mid;
			else
				high = mid;
		}
		b->per[d] = low;
		closed[d] = true;
	}
}

/* Shrink the box to the end of source objects if these are near: an object cut in two is read twice. */
static void
align(zinc_boxes *b, const uint64_t *unit)
{
	int d;

	for (d = 0; d < b->ndim; d++) {
		const uint64_t wide = zinc_grid_widest(b->grid, d);
		uint64_t per;

		if (extent(b, d, b->per[d]) >= b->shape[d] || unit[d] == 0)
			continue;
		for (per = b->per[d]; per > b->per[d] / 2 && per > 0 && (wide * per) % unit[d] != 0; per--)
			;
		if (per > b->per[d] / 2)
			b->per[d] = per;
	}
}

void
zinc_boxes_index(const zinc_boxes *b, uint64_t i, uint64_t *at)
{
	int d;

	for (d = b->ndim - 1; d >= 0; d--) {
		at[d] = i % b->count[d];
		i /= b->count[d];
	}
}

uint64_t
zinc_boxes_get(const zinc_boxes *b, const uint64_t *at, uint64_t *start, uint64_t *count)
{
	uint64_t objects = 1;
	int d;

	for (d = 0; d < b->ndim; d++) {
		const uint64_t first = at[d] * b->per[d];
		const uint64_t last = first + zinc_min_u64(b->per[d], objects_along(b, d) - first) - 1;
		uint64_t from, wide;

		zinc_grid_span(b->grid, d, first, &start[d], &wide);
		zinc_grid_span(b->grid, d, last, &from, &wide);
		count[d] = from - start[d] + zinc_min_u64(wide, b->shape[d] - from);
		objects *= last - first + 1;
	}
	return objects;
}

/* In how many boxes a unit of the other grid is, on average. */
static double
boxes_per_unit(const zinc_boxes *b, const uint64_t *unit)
{
	double factor = 1;
	int d;

	for (d = 0; d < b->ndim; d++) {
		const uint64_t box = extent(b, d, b->per[d]), n = b->shape[d];
		const uint64_t units = n ? zinc_ceil_div(n, unit[d]) : 0;
		uint64_t at, here, pairs = 0;

		if (units == 0 || box >= n)
			continue;
		if (n / box > 100000) {
			factor *= 1 + (double)unit[d] / (double)box;
			continue;
		}
		for (at = 0; at < n; at += here) { /* sums are at most n */
			here = zinc_min_u64(box, n - at);
			pairs += (at + here - 1) / unit[d] - at / unit[d] + 1;
		}
		factor *= (double)pairs / (double)units;
	}
	return factor;
}

/* ---- memory ---- */

struct costs {
	uint64_t element;             /* bytes per element of a box, including copies held with it */
	uint64_t unit[ZINC_MAX_NDIM]; /* the unit of decoding in the source, along the target's dimensions */
	uint64_t read, written;       /* decoded bytes of the largest unit, of the largest object of the target */
	double total;                 /* bytes of the array */
};

static uint64_t
clipped_bytes(const uint64_t *shape, int ndim, uint64_t element)
{
	uint64_t n;

	return zinc_shape_bytes(shape, ndim, element, UINT64_MAX / 8, &n) ? UINT64_MAX / 8 : n;
}

/* Units of the source along the target's dimensions: without dropped ones, and shorter for a step above 1. */
static void
units_in_target(const zinc_cp_node *n, const uint64_t *chunk, uint64_t *unit)
{
	int d, k = 0;

	for (d = 0; d < n->source->ndim; d++) {
		const zinc_select_dim *s = n->select ? &n->select->dims[d] : NULL;
		const uint64_t step = s && s->step && !s->list ? s->step : 1;

		if (!s || !s->drop)
			unit[k++] = zinc_max_u64(1, chunk[d] / step);
	}
}

static void
find_costs(const zinc_cp *c, const zinc_cp_node *n, struct costs *x)
{
	const zinc_meta *from = n->source, *to = n->target;
	const uint64_t in = from->dtype->variable ? VLEN_BYTES : from->dtype->size;
	const uint64_t out = to->dtype->variable ? VLEN_BYTES : to->dtype->size;
	const bool cast = from->dtype->type == ZINC_NATIVE || to->dtype->type == ZINC_NATIVE;
	uint64_t chunk[ZINC_MAX_NDIM];
	int d;

	/* a part verifies its own boxes, so they must be the same then */
	x->element = out + (cast && n->wish.dtype ? in : c->verifying || zinc_cp_divided(c) ? out : 0);
	if (!zinc_array_chunk_shape(n->in, chunk))
		memcpy(chunk, from->chunk_shape, sizeof chunk);
	x->read = clipped_bytes(chunk, from->ndim, in);
	units_in_target(n, chunk, x->unit);
	for (d = 0, x->total = (double)out; d < to->ndim; d++) {
		chunk[d] = zinc_grid_widest(to->grid, d);
		x->total *= (double)to->shape[d];
	}
	x->written = clipped_bytes(chunk, to->ndim, out);
}

/*
 *   memory limit  = box + threads * (encoded + decoded unit)
 *
 * The box takes at most half of it, and at least one object of the target.  It does not depend on the number of threads
 * (promise 4); the rest limits that number.
 */
static zinc_status
share_memory(zinc_cp *c, const zinc_cp_node *n, const struct costs *x, zinc_cp_plan *p, uint64_t *box, zinc_error *err)
{
	const uint64_t unit = zinc_max_u64(x->read, x->written);
	const uint64_t copies = x->element / (n->target->dtype->variable ? VLEN_BYTES : n->target->dtype->size);
	const uint64_t least = x->written * zinc_max_u64(1, copies);
	uint64_t fit;

	p->memory = c->o.max_memory ? c->o.max_memory : DEFAULT_SIZE;
	if (2 * unit + least > p->memory) {
		if (c->o.max_memory)
			return zinc_fail(err, ZINC_E_LIMIT,
					 "one chunk or shard needs %llu KiB of memory, but only %llu KiB are allowed",
					 (unsigned long long)zinc_ceil_div(2 * unit + least, ZINC_KIB),
					 (unsigned long long)(p->memory / ZINC_KIB));
		p->memory = 2 * unit + least;
	}
	for (fit = THREADS; fit > 1 && 2 * unit * fit + least > p->memory;)
		fit--;
	*box = zinc_max_u64(least, zinc_min_u64(p->memory / 2, p->memory - 2 * unit * fit));
	fit = (p->memory - *box) / zinc_max_u64(1, 2 * unit);
	p->threads = (int)zinc_max_u64(1, zinc_min_u64((uint64_t)c->threads, fit));
	return ZINC_OK;
}

/* ---- two passes ---- */

static double
number_of(const zinc_grid *g, int ndim, const uint64_t *shape)
{
	double n = 1;
	int d;

	for (d = 0; d < ndim; d++)
		n *= (double)zinc_grid_count(g, d, shape[d]);
	return n;
}

/* Boxes of the source grow towards those of the target; their intersections are the temporary chunks. */
static void
plan_first_pass(zinc_cp_plan *p, const struct costs *x, uint64_t box)
{
	const zinc_boxes *b = &p->boxes;
	uint64_t wanted[ZINC_MAX_NDIM];
	zinc_grid units;
	int d;

	for (d = 0; d < b->ndim; d++)
		wanted[d] = extent(b, d, b->per[d]);
	zinc_grid_regular_init(&units, b->ndim, x->unit);
	boxes_init(&p->first, &units, b->ndim, b->shape);
	grow(&p->first, wanted, x->element, (double)box);
	for (d = 0; d < b->ndim; d++) {
		const uint64_t read = extent(&p->first, d, p->first.per[d]);

		p->middle[d] = zinc_min_u64(read, wanted[d]);
		p->first.per[d] = read >= b->shape[d] ? UINT64_MAX : zinc_max_u64(1, read / p->middle[d]);
	}
	zinc_grid_regular_init(&p->middle_grid, b->ndim, p->middle);
	p->first.grid = &p->middle_grid;
	for (d = 0; d < b->ndim; d++)
		p->first.per[d] = zinc_max_u64(1, zinc_min_u64(p->first.per[d], objects_along(&p->first, d)));
	count_boxes(&p->first);
	p->middle_reads = boxes_per_unit(b, p->middle);
}

/* Are two passes faster?  The temporary array is written and read, the source is read less often. */
static bool
two_passes_pay(const zinc_cp_plan *p, const struct costs *x)
{
	const zinc_boxes *b = &p->boxes;
	const double direct = p->reads * x->total;
	const double both = (boxes_per_unit(&p->first, x->unit) + 1 + p->middle_reads) * x->total +
			    (1 + p->middle_reads) * OBJECT_COST * number_of(&p->middle_grid, b->ndim, b->shape);

	return both < direct;
}

/* ---- sparse arrays ---- */

#define SPARSE_BOX   ZINC_MIB
#define SPARSE_UNITS 256u /* of the source in a box */

/* Boxes of sparse arrays are small: most of their objects are not stored, but are still requested. */
static uint64_t
sparse_box(const zinc_cp_node *n, const struct costs *x, uint64_t box)
{
	const uint64_t few = clipped_bytes(x->unit, n->target->ndim, x->element * SPARSE_UNITS);

	return zinc_min_u64(box, zinc_min_u64(SPARSE_BOX, few));
}

/* ---- the plan ---- */

zinc_status
zinc_cp_boxes_plan(zinc_cp *c, const zinc_cp_node *n, zinc_cp_plan *p, zinc_error *err)
{
	const zinc_meta *to = n->target;
	struct costs x;
	uint64_t box = 0;
	double number;
	zinc_grid units;

	memset(p, 0, sizeof *p);
	find_costs(c, n, &x);
	ZINC_TRY(share_memory(c, n, &x, p, &box, err));
	if (n->sparse)
		box = sparse_box(n, &x, box);
	if (zinc_cp_divided(c) && x.total / (double)c->nparts < (double)box) /* a box for each part */
		box = (uint64_t)(x.total / (double)c->nparts);
	boxes_init(&p->boxes, to->grid, to->ndim, to->shape);
	grow(&p->boxes, x.unit, x.element, (double)box);
	align(&p->boxes, x.unit);
	count_boxes(&p->boxes);
	p->reads = boxes_per_unit(&p->boxes, x.unit);
	zinc_grid_regular_init(&units, to->ndim, x.unit);
	number = number_of(&units, to->ndim, to->shape);
	p->read_units = number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
	if (p->reads <= 2 || to->dtype->variable || n->sparse || zinc_cp_divided(c)) /* no part waits for another */
		return ZINC_OK;
	plan_first_pass(p, &x, box);
	p->two_passes = two_passes_pay(p, &x);
	if (p->two_passes)
		p->reads = boxes_per_unit(&p->first, x.unit);
	return ZINC_OK;
}
