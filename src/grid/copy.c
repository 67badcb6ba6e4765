/*
 * copy.c - strided N-dimensional copies and fills
 *
 * A copy is first brought to its simplest form:
 *
 *   - a dimension of one element becomes an offset; a dimension that runs backwards in dst is reversed;
 *   - the others are sorted by stride in dst, widest first, and neighbours that continue each other are merged;
 *   - an inner dimension that is contiguous on both sides becomes one larger element.
 *
 * What remains is loops around a row.  If src and dst have different fastest dimensions (C and Fortran order), the row
 * is a pair of dimensions and is copied in tiles, so that the cache lines of both sides are used completely while they
 * are cached.
 *
 * A copy into memory far larger than the caches can bypass them (zinc_copy_nd_uncached): an ordinary store first loads
 * the cache line that it is about to overwrite.
 *
 * (1) If dst_list has repeats, the item later in the list is written last: list dimensions are never reversed.
 * (2) Nothing in this file allocates or fails.
 */
#include "grid/grid.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define CACHE_LINE 64

typedef struct plan {
	uint8_t *dst;
	const uint8_t *src;
	size_t element; /* bytes, including merged dimensions */
	int ndim;
	zinc_copy_dim dim[ZINC_MAX_NDIM];
} plan;

/* Copy a row, which is the inner dimension or two, from these addresses. */
typedef void (*row_fn)(uint8_t *dst, const uint8_t *src, const zinc_copy_dim *inner, size_t element);

static int64_t
offset(uint64_t i, int64_t stride, const uint64_t *list)
{
	return (int64_t)(list ? list[i] : i) * stride;
}

static bool
has_list(const zinc_copy_dim *d)
{
	return d->dst_list || d->src_list;
}

static uint64_t
width(int64_t stride)
{
	return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* ---- the simplest form ---- */

/* Apply a dimension of one element to the addresses. */
static void
plan_fold(plan *p, const zinc_copy_dim *d)
{
	p->dst += offset(0, d->dst_stride, d->dst_list);
	p->src += offset(0, d->src_stride, d->src_list);
}

/* Start at the other end. */
static void
plan_reverse(plan *p, zinc_copy_dim *d)
{
	p->dst += offset(d->n - 1, d->dst_stride, NULL);
	p->src += offset(d->n - 1, d->src_stride, NULL);
	d->dst_stride = -d->dst_stride;
	d->src_stride = -d->src_stride;
}

/* Insert a dimension after those that are at least as wide in dst. */
static void
plan_insert(plan *p, zinc_copy_dim d)
{
	int at = p->ndim++;

	for (; at > 0 && width(p->dim[at - 1].dst_stride) < width(d.dst_stride); at--)
		p->dim[at] = p->dim[at - 1];
	p->dim[at] = d;
}

/* Does the end of `inner` meet the next step of `outer` on both sides? */
static bool
continues(const zinc_copy_dim *outer, const zinc_copy_dim *inner)
{
	const int64_t n = (int64_t)inner->n;

	return !has_list(outer) && !has_list(inner) && outer->dst_stride == n * inner->dst_stride &&
	       outer->src_stride == n * inner->src_stride;
}

static void
plan_merge(plan *p)
{
	int i, last = 0;

	for (i = 1; i < p->ndim; i++)
		if (continues(&p->dim[last], &p->dim[i])) {
			const uint64_t n = p->dim[last].n * p->dim[i].n;

			p->dim[last] = p->dim[i];
			p->dim[last].n = n;
		} else {
			p->dim[++last] = p->dim[i];
		}
	p->ndim = p->ndim ? last + 1 : 0;
}

/* Turn a contiguous inner dimension into a larger element. */
static void
plan_grow(plan *p)
{
	const zinc_copy_dim *d;

	if (p->ndim == 0)
		return;
	d = &p->dim[p->ndim - 1];
	if (has_list(d) || d->dst_stride != (int64_t)p->element || d->src_stride != (int64_t)p->element)
		return;
	p->element *= (size_t)d->n;
	p->ndim--;
}

/* `still`: src does not move.  False: there is nothing to copy.  Any ndim is fine, because memory has room for at
 * most 63 dimensions of two or more elements. */
static bool
plan_init(plan *p, void *dst, const void *src, bool still, const zinc_copy_dim *dims, int ndim, size_t element)
{
	int i;

	p->dst = dst;
	p->src = src;
	p->element = element;
	p->ndim = 0;
	for (i = 0; i < ndim; i++)
		if (dims[i].n == 0)
			return false;
	for (i = 0; i < ndim; i++) {
		zinc_copy_dim d = dims[i];

		d.src_stride = still ? 0 : d.src_stride;
		d.src_list = still ? NULL : d.src_list;
		if (d.n == 1) {
			plan_fold(p, &d);
			continue;
		}
		if (!has_list(&d) && d.dst_stride < 0)
			plan_reverse(p, &d);
		plan_insert(p, d);
	}
	plan_merge(p);
	plan_grow(p);
	return true;
}

/* ---- loops around rows ---- */

static void
plan_run(const plan *p, int outer, row_fn row)
{
	uint64_t index[ZINC_MAX_NDIM] = {0};
	uint8_t *dst[ZINC_MAX_NDIM + 1]; /* dst[k]: with the first k indices applied */
	const uint8_t *src[ZINC_MAX_NDIM + 1];
	int k = 0;

	dst[0] = p->dst;
	src[0] = p->src;
	do {
		for (k = k < 0 ? 0 : k; k < outer; k++) {
			const zinc_copy_dim *d = &p->dim[k];

			dst[k + 1] = dst[k] + offset(index[k], d->dst_stride, d->dst_list);
			src[k + 1] = src[k] + offset(index[k], d->src_stride, d->src_list);
		}
		row(dst[outer], src[outer], p->dim + outer, p->element);
		for (k = outer - 1; k >= 0 && ++index[k] == p->dim[k].n; k--)
			index[k] = 0;
	} while (k >= 0);
}

/* ---- rows of one dimension ---- */

/* The compiler knows the width of these elements, so that each is one load and one store. */
#define DEFINE_ROW(bytes)                                                                                              \
	static void row_##bytes(uint8_t *dst, const uint8_t *src, const zinc_copy_dim *d, size_t element)              \
	{                                                                                                              \
		const int64_t to = d->dst_stride, from = d->src_stride;                                                \
		uint64_t i;                                                                                            \
                                                                                                                       \
		(void)element;                                                                                         \
		if (has_list(d))                                                                                       \
			for (i = 0; i < d->n; i++)                                                                     \
				memcpy(dst + offset(i, to, d->dst_list), src + offset(i, from, d->src_list), bytes);   \
		else                                                                                                   \
			for (i = 0; i < d->n; i++, dst += to, src += from)                                             \
				memcpy(dst, src, bytes);                                                               \
	}
DEFINE_ROW(1)
DEFINE_ROW(2)
DEFINE_ROW(4)
DEFINE_ROW(8)
DEFINE_ROW(16)

static void
row_any(uint8_t *dst, const uint8_t *src, const zinc_copy_dim *d, size_t element)
{
	uint64_t i;

	for (i = 0; i < d->n; i++)
		memcpy(dst + offset(i, d->dst_stride, d->dst_list), src + offset(i, d->src_stride, d->src_list),
		       element);
}

static row_fn
row_of(size_t element)
{
	switch (element) {
	case 1:
		return row_1;
	case 2:
		return row_2;
	case 4:
		return row_4;
	case 8:
		return row_8;
	case 16:
		return row_16;
	default:
		return row_any;
	}
}

/* For plans without a dimension. */
static void
row_none(uint8_t *dst, const uint8_t *src, const zinc_copy_dim *d, size_t element)
{
	(void)d;
	memcpy(dst, src, element);
}

/* ---- rows that bypass the caches ---- */

#ifdef __SSE2__

/* Only whole cache lines: partial lines cost more than this saves.  Measured: scattering 512^3 uint16 from pieces of
 * 64^3 takes 50 ms instead of 92, from pieces of 256^3 63 instead of 88. */
static bool
plan_in_lines(const plan *p)
{
	uintptr_t all = (uintptr_t)p->dst | p->element;
	int i;

	for (i = 0; i < p->ndim; i++) {
		if (p->dim[i].dst_list) /* it may repeat, and uncached stores have no order */
			return false;
		all |= (uintptr_t)p->dim[i].dst_stride;
	}
	return all % CACHE_LINE == 0;
}

static void
copy_lines_uncached(uint8_t *dst, const uint8_t *src, size_t n)
{
	const __m128i *from = (const __m128i *)(const void *)src, *end = from + n / sizeof *from;
	__m128i *to = (__m128i *)(void *)dst, a, b, c, d;

	for (; from < end; from += 4, to += 4) {
		a = _mm_loadu_si128(from);
		b = _mm_loadu_si128(from + 1);
		c = _mm_loadu_si128(from + 2);
		d = _mm_loadu_si128(from + 3);
		_mm_stream_si128(to, a);
		_mm_stream_si128(to + 1, b);
		_mm_stream_si128(to + 2, c);
		_mm_stream_si128(to + 3, d);
	}
}

static void
row_uncached(uint8_t *dst, const uint8_t *src, const zinc_copy_dim *d, size_t element)
{
	uint64_t i;

	for (i = 0; i < d->n; i++)
		copy_lines_uncached(dst + offset(i, d->dst_stride, NULL), src + offset(i, d->src_stride, d->src_list),
				    element);
}

/* Uncached stores are not ordered with any others.  The fence completes them before another thread can learn that
 * the copy is done. */
static bool
plan_run_uncached(const plan *p)
{
	static const zinc_copy_dim once = {.n = 1};

	if (!plan_in_lines(p))
		return false;
	if (p->ndim == 0)
		row_uncached(p->dst, p->src, &once, p->element);
	else
		plan_run(p, p->ndim - 1, row_uncached);
	_mm_sfence();
	return true;
}

#else

static bool
plan_run_uncached(const plan *p)
{
	(void)p;
	return false;
}

#endif

/* Copy one value repeatedly; src does not move. */
static void
row_fill(uint8_t *dst, const uint8_t *src, const zinc_copy_dim *d, size_t element)
{
	if (!d->dst_list && d->dst_stride == (int64_t)element)
		zinc_fill_run(dst, src, (size_t)d->n, element);
	else
		row_of(element)(dst, src, d, element);
}

/* ---- rows of two dimensions: d[0] is fastest in src, d[1] in dst ---- */

/* Extents of a tile.  Measured: the cache can hold 64 lines (16 for small elements) open along dst; a longer tile
 * along src only saves iterations. */
#define TILE_SRC       128
#define TILE_DST       64
#define TILE_DST_SMALL 16

static void
row_tiles(uint8_t *dst, const uint8_t *src, const zinc_copy_dim *d, size_t element)
{
	const uint64_t side = element < 4 ? TILE_DST_SMALL : TILE_DST;
	const row_fn row = row_of(element);
	zinc_copy_dim part = d[1];
	uint64_t i, j, k;

	for (i = 0; i < d[0].n; i += TILE_SRC)
		for (j = 0; j < d[1].n; j += side) {
			part.n = zinc_min_u64(side, d[1].n - j);
			for (k = i; k < d[0].n && k < i + TILE_SRC; k++)
				row(dst + offset(k, d[0].dst_stride, NULL) + offset(j, d[1].dst_stride, NULL),
				    src + offset(k, d[0].src_stride, NULL) + offset(j, d[1].src_stride, NULL), &part,
				    element);
		}
}

/* If the fastest dimension of src is not the last, move it next to the last.  True: the two can be tiled. */
static bool
plan_pair(plan *p)
{
	const int last = p->ndim - 1;
	int i, fastest = last;
	zinc_copy_dim d;

	if (last < 1 || has_list(&p->dim[last]))
		return false;
	for (i = 0; i < last; i++)
		if (!has_list(&p->dim[i]) && p->dim[i].src_stride != 0 &&
		    width(p->dim[i].src_stride) < width(p->dim[fastest].src_stride))
			fastest = i;
	if (fastest == last)
		return false;
	d = p->dim[fastest];
	for (i = fastest; i < last - 1; i++)
		p->dim[i] = p->dim[i + 1];
	p->dim[last - 1] = d;
	return true;
}

/* ---- the door ---- */

static void
copy_planned(plan *p)
{
	if (p->ndim == 0)
		plan_run(p, 0, row_none);
	else if (p->element < CACHE_LINE && plan_pair(p))
		plan_run(p, p->ndim - 2, row_tiles);
	else
		plan_run(p, p->ndim - 1, row_of(p->element));
}

void
zinc_copy_nd(void *dst, const void *src, const zinc_copy_dim *dims, int ndim, size_t element)
{
	plan p;

	if (plan_init(&p, dst, src, false, dims, ndim, element))
		copy_planned(&p);
}

void
zinc_copy_nd_uncached(void *dst, const void *src, const zinc_copy_dim *dims, int ndim, size_t element)
{
	plan p;

	if (plan_init(&p, dst, src, false, dims, ndim, element) && !plan_run_uncached(&p))
		copy_planned(&p);
}

void
zinc_fill_nd(void *dst, const void *value, const zinc_copy_dim *dims, int ndim, size_t element)
{
	plan p;

	if (plan_init(&p, dst, value, true, dims, ndim, element))
		plan_run(&p, p.ndim ? p.ndim - 1 : 0, p.ndim ? row_fill : row_none);
}

#define BLOCK 4096 /* stays in the first-level cache */

void
zinc_fill_run(void *dst, const void *value, size_t n, size_t element)
{
	const size_t total = n * element, block = (BLOCK / element + 1) * element;
	const uint8_t *v = value;
	uint8_t *to = dst;
	size_t done;

	if (n == 0)
		return;
	if (memcmp(v, v + 1, element - 1) == 0) { /* all its bytes are equal */
		memset(to, *v, total);
		return;
	}
	memcpy(to, v, element);
	for (done = element; done < total; done += n) { /* repeat what is already written, up to a block at a time */
		n = zinc_min_u64(zinc_min_u64(done, block), total - done);
		memcpy(to + done, to, n);
	}
}

bool
zinc_run_is(const void *p, const void *value, size_t n, size_t element)
{
	const uint8_t *b = p;

	if (n == 0)
		return true;
	/* compare the ends first, which are most likely to differ; then each element with its neighbour */
	return memcmp(b, value, element) == 0 && memcmp(b + (n - 1) * element, value, element) == 0 &&
	       memcmp(b, b + element, (n - 1) * element) == 0;
}

void
zinc_strides_c(const uint64_t *shape, int ndim, uint64_t element, int64_t *strides)
{
	int d;

	for (d = ndim - 1; d >= 0; d--) {
		strides[d] = (int64_t)element;
		element *= shape[d];
	}
}
