/*
 * sample.c - which times an array has
 *
 * Times become datetime64 when all of them fit, so they must be known.  An array of some size is read whole; of a
 * larger one the first and the last element must do, as in xarray, which is right for times in order.
 */
#include "cf/decode.h"

#define ELEMENTS (UINT64_C(1) << 20)
#define CHUNKS   64u /* of so many the array is read whole */

/* ---- reading ---- */

struct sample {
	zinc_cf *cf;
	zinc_array *a;
	zinc_cf_range *range;
};

static zinc_status
read_box(struct sample *s, const uint64_t *start, const uint64_t *count, size_t n, zinc_error *err)
{
	zinc_cf *cf = s->cf;
	zinc_selection sel = ZINC_SELECTION_ALL;
	void *elements = zinc_calloc(cf->ctx, n, cf->element), *numbers = zinc_calloc(cf->ctx, n, 8);
	zinc_status st = elements && numbers ? ZINC_OK : zinc_fail_nomem(err);

	sel.kind = ZINC_SELECT_BOX;
	sel.ndim = zinc_array_ndim(s->a);
	sel.start = start;
	sel.count = count;
	if (sel.ndim == 0)
		sel.kind = ZINC_SELECT_ALL;
	if (st == ZINC_OK)
		st = zinc_array_read(s->a, &sel, ZINC_BUFFER_AS(ZINC_NATIVE, elements, n * cf->element), NULL, err);
	if (st == ZINC_OK)
		st = zinc_cf_unpack(&cf->packing, elements, n, numbers, err);
	if (st == ZINC_OK)
		zinc_cf_range_add(s->range, &cf->times, cf->packing.counts, numbers, n);
	zinc_free(cf->ctx, elements);
	zinc_free(cf->ctx, numbers);
	return st;
}

/* The number of elements and of chunks, limited. */
static uint64_t
count(const zinc_meta *m, uint64_t *chunks)
{
	uint64_t n = 1;
	int d;

	*chunks = 1;
	for (d = 0; d < m->ndim; d++) {
		const uint64_t extent = m->chunk_shape[d] ? m->chunk_shape[d] : 1;

		if (m->shape[d] == 0)
			return 0;
		if (zinc_u64_mul(n, m->shape[d], &n))
			n = UINT64_MAX;
		if (zinc_u64_mul(*chunks, zinc_ceil_div(m->shape[d], extent), chunks))
			*chunks = UINT64_MAX;
	}
	return n;
}

zinc_status
zinc_cf_sample(zinc_cf *cf, zinc_array *a, zinc_cf_range *r, zinc_error *err)
{
	struct sample s = {cf, a, r};
	uint64_t start[ZINC_MAX_NDIM] = {0}, box[ZINC_MAX_NDIM], n, chunks;
	zinc_meta *m = zinc_array_snapshot(a);
	zinc_status st = ZINC_OK;
	int d;

	n = count(m, &chunks);
	for (d = 0; d < m->ndim; d++)
		box[d] = n <= ELEMENTS && chunks <= CHUNKS ? m->shape[d] : 1;
	if (n > 0 && n <= ELEMENTS && chunks <= CHUNKS) {
		st = read_box(&s, start, box, (size_t)n, err);
	} else if (n > 0) {
		st = read_box(&s, start, box, 1, err);
		for (d = 0; d < m->ndim; d++)
			start[d] = m->shape[d] - 1;
		if (st == ZINC_OK)
			st = read_box(&s, start, box, 1, err);
	}
	zinc_meta_free(m);
	return st;
}

/* ---- bounds ---- */

/* Two ends of each time: xarray gives them the units of the coordinate that names them. */
static bool
may_be_bounds(const zinc_meta *m)
{
	const char *units = zinc_cf_text(m, "units");

	if (m->ndim < 2 || m->shape[m->ndim - 1] != 2)
		return false;
	return !zinc_json_member(m->attributes, "units") ||
	       (units && zinc_units_are_time(units) && !zinc_json_member(m->attributes, "calendar"));
}

static bool
has_bounds(zinc_array *coordinate, const char *path)
{
	const char *slash = strrchr(path, '/'), *name, *units;
	zinc_meta *m = zinc_array_snapshot(coordinate);
	bool has;

	name = zinc_cf_text(m, "bounds");
	units = zinc_cf_text(m, "units");
	has = name && units && zinc_units_are_time(units) && strcmp(name, slash ? slash + 1 : path) == 0;
	zinc_meta_free(m);
	return has;
}

zinc_status
zinc_cf_bounds_of(zinc_array **of, zinc_array *a, const zinc_meta *m, zinc_error *err)
{
	zinc_status st;
	int d;

	*of = NULL;
	if (!may_be_bounds(m))
		return ZINC_OK;
	for (d = 0; d + 1 < m->ndim; d++) {
		st = zinc_cf_coordinate(of, a, d, NULL, err);
		if (st == ZINC_OK && has_bounds(*of, a->path))
			return ZINC_OK;
		if (st == ZINC_OK)
			zinc_array_close(*of);
		*of = NULL;
		if (st != ZINC_OK && st != ZINC_E_NOTFOUND)
			return st;
	}
	zinc_error_clear(err);
	return ZINC_OK;
}
