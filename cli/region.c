/*
 * region.c - a selection, piece by piece in bounded memory
 *
 * A result of any size is read or written as consecutive runs of its elements: whole rows of the first
 * dimension while they fit the budget, else rows of a deeper one.  Where the selection is a plain range the
 * cuts fall on boundaries of stored objects, so that none is decoded or rewritten twice.
 */
#include "cli.h"

#define BUDGET  ((uint64_t)256 << 20)
#define OBJECTS 65536u /* in a piece: also with small or missing chunks the first output comes soon */

uint64_t
piece_budget(const struct run *r)
{
	uint64_t given = r->args->max_memory / 2;

	return given && given < BUDGET ? given : BUDGET;
}

static uint64_t
items(const zinc_select_dim *d)
{
	if (d->drop)
		return 1;
	return d->list ? d->nlist : d->count;
}

/* The result's shape from the selection's items: dropped dimensions are not in it. */
static void
measure(struct region *g)
{
	int d;

	g->out_ndim = 0;
	g->n = 1;
	g->uncounted = false;
	for (d = 0; d < g->ndim; d++) {
		uint64_t n = items(&g->dims[d]);

		if (__builtin_mul_overflow(g->n, n, &g->n)) {
			g->uncounted = true;
			g->n = UINT64_MAX;
		}
		if (g->dims[d].drop)
			continue;
		g->axis[g->out_ndim] = d;
		g->shape[g->out_ndim++] = n;
	}
	for (d = 0; d < g->out_ndim; d++)
		if (g->shape[d] == 0) {
			g->uncounted = false;
			g->n = 0;
		}
}

int
region_init(struct region *g, zinc_array *a, const char *select, const char *url)
{
	return region_init_some(g, a, select, url, false, NULL);
}

int
region_init_some(struct region *g, zinc_array *a, const char *select, const char *url, bool lenient, uint64_t *used)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_find_options find = ZINC_FIND_OPTIONS_INIT;
	const char *why = zinc_array_unsupported(a);

	*g = (struct region){.array = a, .ndim = zinc_array_ndim(a), .element = zinc_array_element_size(a)};
	if (why)
		return complain(UNSUPPORTED, url, "%s", why);
	find.call = &until_stopped;
	find.lenient = lenient;
	find.used = used;
	if (zinc_selection_find(&g->parsed, a, select ? select : "", &find, &err))
		return fail(url, &err);
	if (g->parsed->dims && g->ndim)
		memcpy(g->dims, g->parsed->dims, (size_t)g->ndim * sizeof *g->dims);
	measure(g);
	return DONE;
}

int
select_used(const char *select, uint64_t used)
{
	zinc_error err = ZINC_ERROR_INIT;

	return select && zinc_selection_check_used(select, used, &err) ? fail("-s", &err) : DONE;
}

void
region_fini(struct region *g)
{
	zinc_selection_free(g->parsed);
	g->parsed = NULL;
}

zinc_selection
region_selection(const struct region *g)
{
	zinc_selection s = ZINC_SELECTION_ALL;

	s.kind = ZINC_SELECT_ORTHO;
	s.ndim = g->ndim;
	s.dims = g->dims;
	return s;
}

static uint64_t
step_of(const zinc_select_dim *d)
{
	return d->step ? d->step : 1;
}

uint64_t
region_index(const struct region *g, int d, uint64_t i)
{
	const zinc_select_dim *s = &g->dims[g->axis[d]];

	return s->list ? s->list[i] : s->start + i * step_of(s);
}

/* A list moves its beginning, a range its start; the memory of lists belongs to the whole selection. */
void
region_narrow(struct region *g, int d, uint64_t first, uint64_t n)
{
	zinc_select_dim *s = &g->dims[g->axis[d]];

	if (s->list) {
		s->list += first;
		s->nlist = (size_t)n;
	} else {
		if (n)
			s->start += first * step_of(s);
		s->count = n;
	}
	measure(g);
}

/* How the elements of a result are cut. */
struct cut {
	const struct region *whole;
	bool fortran;
	int split;                      /* rank, from the slowest, of the dimension that is cut into runs */
	uint64_t rows;                  /* along it, in one piece */
	uint64_t object[ZINC_MAX_NDIM]; /* extent of stored objects, in axes of the array */
	piece_fn fn;
	void *arg;
};

/* The dimension of the result that is k-th slowest. */
static int
slowest(const struct cut *c, int k)
{
	return c->fortran ? c->whole->out_ndim - 1 - k : k;
}

/* Number of items along dimension d in one stored object, at least 1. */
static uint64_t
items_per_object(const struct cut *c, int d)
{
	const zinc_select_dim *s = &c->whole->dims[c->whole->axis[d]];
	const uint64_t n = s->list ? 1 : c->object[c->whole->axis[d]] / step_of(s);

	return n ? n : 1;
}

/* Limit the rows to those of OBJECTS objects, but at least all rows of the first. */
static void
limit_objects(struct cut *c)
{
	uint64_t objects = 1, here = items_per_object(c, slowest(c, c->split));
	int k;

	for (k = c->split + 1; k < c->whole->out_ndim && objects < OBJECTS; k++)
		objects *= c->whole->shape[slowest(c, k)] / items_per_object(c, slowest(c, k)) +
			   1; /* of one piece: they fit the budget */
	if (__builtin_mul_overflow(here, objects < OBJECTS ? OBJECTS / objects : 1, &here))
		here = UINT64_MAX;
	if (c->rows > here)
		c->rows = here;
}

/* Find the slowest dimension of which one item fits the budget, and how many items fit. */
static void
choose_split(struct cut *c, uint64_t budget)
{
	uint64_t inner = c->whole->element ? c->whole->element : 1, n;
	int k;

	for (k = c->whole->out_ndim - 1; k > 0; k--) {
		n = c->whole->shape[slowest(c, k)];
		if (__builtin_mul_overflow(inner, n, &n) || n > budget)
			break;
		inner = n;
	}
	c->split = k;
	c->rows = budget / inner ? budget / inner : 1;
	limit_objects(c);
}

/* Items [at, end) of dimension d: `end` moved down to where a stored object begins, if there is one. */
static uint64_t
align(const struct cut *c, int d, uint64_t at, uint64_t end)
{
	const zinc_select_dim *s = &c->whole->dims[c->whole->axis[d]];
	uint64_t extent = c->object[c->whole->axis[d]], edge;

	if (s->list || step_of(s) != 1 || extent == 0)
		return end;
	edge = s->start + end;
	edge -= edge % extent;
	return edge > s->start + at ? edge - s->start : end;
}

/* All pieces of `part`, whose dimensions slower than the k-th are single items already. */
static int
pieces(const struct cut *c, const struct region *part, int k)
{
	int d = slowest(c, k), status = DONE;
	uint64_t at, end, n = part->shape[d];

	for (at = 0; at < n && status == DONE; at = end) {
		struct region piece = *part;

		end = at + 1;
		if (k == c->split)
			end = n - at <= c->rows ? n : align(c, d, at, at + c->rows);
		region_narrow(&piece, d, at, end - at);
		if (interrupted())
			return CANCELLED;
		status = k == c->split ? c->fn(c->arg, &piece) : pieces(c, &piece, k + 1);
	}
	return status;
}

/*
 *   result 6 x 100 x 100, a row of 100 fits the budget 250 times: dimension 1 is cut
 *
 *   piece 1  [0, 0:100, :]    piece 2  [1, 0:100, :]  ...        dimension 0 goes one by one
 *
 * In Fortran order the same with the dimensions the other way round.
 */
int
region_pieces(const struct region *g, uint64_t budget, bool fortran, piece_fn fn, void *arg)
{
	struct cut c = {.whole = g, .fortran = fortran, .fn = fn, .arg = arg};

	if (g->n == 0)
		return DONE;
	if (g->out_ndim == 0)
		return fn(arg, g);
	if (!zinc_array_shard_shape(g->array, c.object) && !zinc_array_chunk_shape(g->array, c.object))
		memset(c.object, 0, sizeof c.object);
	choose_split(&c, budget);
	return pieces(&c, g, 0);
}
