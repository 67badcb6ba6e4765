/*
 * transfer.c - copy elements between a decoded unit and the caller's buffer
 *
 * If the types are the same, this is one strided copy.  Otherwise the part is cut into tiles of at most TILE elements.
 * Each tile is gathered, converted and scattered, so conversion needs little memory for chunks of any size, and the
 * conversion kernels get aligned rows.
 *
 * Promises (tests/unit/test_transfer.c names each by its number):
 *
 * (1) A buffer is accepted only if every element of the selection lies in it.
 * (2) Only selected elements are touched, on either side.
 * (3) Conversion tile by tile has the same result as one conversion of all elements.
 * (4) A value that does not fit is E_RANGE, and the message has the value.  Checking a buffer changes nothing.
 * (5) Memory is used for decoding in place only if the whole unit belongs there, contiguous and unconverted.
 * (6) Elements that are not stored are the fill value, converted.
 */
#include "array/engine.h"

#define TILE        8192u
#define ELEMENT_MAX 16u /* bytes of the largest type that converts */

/* More than the caches of one core hold, so most of the data would leave the cache before the caller uses them. */
#define UNCACHED_BYTES (32 * ZINC_MIB)

/* ---- the buffer, checked ---- */

zinc_status
zinc_buffer_take(zinc_buffer *out, const zinc_buffer *given, zinc_error *err)
{
	if (!given)
		return zinc_fail(err, ZINC_E_INVALID, "the buffer is NULL");
	return zinc_options_take(out, sizeof *out, given, err);
}

static zinc_status
check_shape(const zinc_sel *sel, const zinc_buffer *b, zinc_error *err)
{
	int d;

	if (!b->shape && !b->strides)
		return ZINC_OK;
	if (b->ndim != sel->out_ndim)
		return zinc_fail(err, ZINC_E_INVALID, "the buffer has %d dimensions, the selection %d", b->ndim,
				 sel->out_ndim);
	for (d = 0; b->shape && d < b->ndim; d++)
		if (b->shape[d] != sel->out_shape[d])
			return zinc_fail(err, ZINC_E_INVALID,
					 "dimension %d of the buffer has %llu elements, of the selection %llu", d,
					 (unsigned long long)b->shape[d], (unsigned long long)sel->out_shape[d]);
	return ZINC_OK;
}

/* Every addressed element must lie in [0, nbytes): compute the extremes with checked arithmetic. */
static zinc_status
check_bounds(const zinc_sel *sel, const zinc_buffer *b, const int64_t *strides, size_t element, zinc_error *err)
{
	int64_t low, high, way;
	int d;

	if (b->first > INT64_MAX || b->nbytes > INT64_MAX)
		return zinc_fail(err, ZINC_E_INVALID, "the buffer is larger than the address space");
	low = high = (int64_t)b->first;
	for (d = 0; d < sel->out_ndim; d++) {
		if (sel->out_shape[d] - 1 > INT64_MAX ||
		    __builtin_mul_overflow((int64_t)(sel->out_shape[d] - 1), strides[d], &way) ||
		    (way < 0 ? __builtin_add_overflow(low, way, &low) : __builtin_add_overflow(high, way, &high)))
			return zinc_fail(err, ZINC_E_INVALID, "the strides of the buffer exceed the address space");
	}
	if (low < 0 || (uint64_t)high > b->nbytes || b->nbytes - (uint64_t)high < element)
		return zinc_fail(err, ZINC_E_INVALID,
				 "the buffer of %zu bytes is too small: the selection addresses bytes %lld to %llu",
				 b->nbytes, (long long)low, (unsigned long long)high + element);
	return ZINC_OK;
}

static zinc_status
pick_converter(zinc_target *t, const zinc_meta *m, zinc_type type, bool writing, zinc_error *err)
{
	zinc_type own = m->dtype->type;

	t->element = m->dtype->size;
	if (type == ZINC_NATIVE || type == own || (type == ZINC_RAW && m->dtype->kind == ZINC_KIND_RAW))
		return ZINC_OK;
	t->from = writing ? zinc_type_name(type) : m->dtype->name;
	t->to = writing ? m->dtype->name : zinc_type_name(type);
	t->to_type = writing ? own : type;
	t->from_type = writing ? type : own;
	t->convert = zinc_dtype_converts(t->to_type, t->from_type);
	if (!t->convert)
		return zinc_fail(err, ZINC_E_INVALID, "elements of type %s cannot be converted to %s",
				 t->from ? t->from : "raw", t->to ? t->to : "raw");
	t->element = zinc_type_size(type);
	return ZINC_OK;
}

/* Returns the index of the first element that does not convert, or n. */
static size_t
convert(const zinc_target *t, void *dst, const void *src, size_t n)
{
	return zinc_dtype_convert(t->to_type, t->from_type, dst, src, n, t->flags);
}

/* What the message for an element that did not convert ends with. */
static const char *
remedy_for(const zinc_target *t, const void *element)
{
	const int rounded = t->flags | ZINC_CONVERT_ROUND;

	return zinc_convert_remedy(zinc_dtype_convert(t->to_type, t->from_type, NULL, element, 1, rounded) == 1);
}

/* Convert strides of the result to strides by dimension of the array. */
static void
strides_by_dimension(zinc_target *t, const zinc_sel *sel, const int64_t *strides)
{
	int d, o = 0;

	if (sel->is_points) {
		t->strides[0] = strides[0];
		return;
	}
	for (d = 0; d < sel->ndim; d++)
		t->strides[d] = sel->dim[d].drop ? 0 : strides[o++];
}

bool
zinc_target_uncached(const zinc_sel *sel, size_t element)
{
	uint64_t nbytes = 0;

	return zinc_shape_bytes(sel->out_shape, sel->out_ndim, element, UINT64_MAX, &nbytes) ||
	       nbytes >= UNCACHED_BYTES;
}

zinc_status
zinc_target_init(zinc_target *t, const zinc_meta *m, const zinc_sel *sel, const zinc_buffer *b, int flags, bool writing,
		 zinc_error *err)
{
	int64_t strides[ZINC_MAX_NDIM];
	uint64_t nbytes;
	int d;

	memset(t, 0, sizeof *t);
	t->flags = flags;
	ZINC_TRY(pick_converter(t, m, b->type, writing, err));
	t->arena = b->arena;
	if (m->dtype->variable && !writing && !b->arena)
		return zinc_fail(err, ZINC_E_INVALID, "elements of type %s need an arena in the buffer",
				 m->dtype->name);
	ZINC_TRY(check_shape(sel, b, err));
	if (sel->out_n == 0)
		return ZINC_OK;
	if (!b->data)
		return zinc_fail(err, ZINC_E_INVALID, "the data of the buffer is NULL");
	if (zinc_shape_bytes(sel->out_shape, sel->out_ndim, t->element, INT64_MAX, &nbytes))
		return zinc_fail(err, ZINC_E_INVALID, "the selection is larger than the address space");
	if (!b->strides)
		zinc_strides_c(sel->out_shape, sel->out_ndim, t->element, strides);
	for (d = 0; b->strides && d < sel->out_ndim; d++) {
		strides[d] = b->strides[d];
		if (strides[d] == 0 && sel->out_shape[d] > 1 && !writing)
			return zinc_fail(err, ZINC_E_INVALID,
					 "dimension %d of the buffer has stride 0: elements would overwrite each other",
					 d);
	}
	ZINC_TRY(check_bounds(sel, b, strides, t->element, err));
	t->uncached = zinc_target_uncached(sel, t->element);
	t->p = (uint8_t *)b->data + b->first;
	strides_by_dimension(t, sel, strides);
	return ZINC_OK;
}

/* ---- one part of a unit ---- */

/* A rectangular part on both sides: `a` is the array's side, `b` the buffer's. */
typedef struct part {
	const zinc_target *t;
	uint8_t *a, *b;
	size_t a_element;
	int ndim;
	/* dst is the buffer */
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	zinc_scratch *s;
} part;

static void
part_init(part *x, const zinc_plan *p, const zinc_target *t, const zinc_unit *u, const zinc_view *v, zinc_scratch *s)
{
	int d;

	x->t = t;
	x->s = s;
	x->a = v->p;
	x->b = t->p;
	x->a_element = p->m->dtype->size;
	x->ndim = p->m->ndim;
	for (d = 0; d < x->ndim; d++) {
		const zinc_segment *g = u->seg[d];
		zinc_copy_dim *c = &x->dims[d];

		c->n = g->count;
		c->dst_list = g->out_list;
		c->src_list = g->in_list;
		c->dst_stride = t->strides[d];
		c->src_stride = g->in_list ? v->strides[d] : v->strides[d] * (int64_t)g->step;
		x->a += g->in_list ? 0 : (int64_t)g->first * v->strides[d];
		x->b += g->out_list ? 0 : (int64_t)g->out * t->strides[d];
	}
}

/* The same dimensions with source and destination exchanged. */
static void
swap_sides(zinc_copy_dim *to, const zinc_copy_dim *from, int ndim)
{
	int d;

	for (d = 0; d < ndim; d++) {
		to[d].n = from[d].n;
		to[d].dst_stride = from[d].src_stride;
		to[d].src_stride = from[d].dst_stride;
		to[d].dst_list = from[d].src_list;
		to[d].src_list = from[d].dst_list;
	}
}

/* Copy into the caller's memory. */
static void
copy_out(const zinc_target *t, uint8_t *to, const uint8_t *from, const zinc_copy_dim *dims, int ndim)
{
	if (t->uncached)
		zinc_copy_nd_uncached(to, from, dims, ndim, t->element);
	else
		zinc_copy_nd(to, from, dims, ndim, t->element);
}

/* ---- tiles ---- */

typedef zinc_status (*tile_fn)(part *x, const zinc_copy_dim *dims, uint8_t *a, uint8_t *b, size_t n, zinc_error *err);

static void
advance(zinc_copy_dim *c, uint64_t by, uint8_t **a, uint8_t **b)
{
	if (c->src_list)
		c->src_list += by;
	else
		*a += (int64_t)by * c->src_stride;
	if (c->dst_list)
		c->dst_list += by;
	else
		*b += (int64_t)by * c->dst_stride;
}

/* Call fn for tiles of at most TILE elements, from dimension d on; dims is changed and restored. */
static zinc_status
each_tile(part *x, zinc_copy_dim *dims, int d, uint8_t *a, uint8_t *b, tile_fn fn, zinc_error *err)
{
	uint64_t rest = 1, step, i;
	zinc_copy_dim whole;
	int e;

	while (d < x->ndim && dims[d].n == 1)
		d++;
	for (e = d + 1; e < x->ndim; e++)
		rest = rest > TILE ? rest : rest * zinc_min_u64(dims[e].n, TILE + 1);
	if (d == x->ndim)
		return fn(x, dims, a, b, 1, err);
	whole = dims[d];
	step = rest > TILE ? 1 : zinc_min_u64(TILE / rest, whole.n);
	for (i = 0; i < whole.n; i += step) {
		uint8_t *ta = a, *tb = b;
		zinc_status st;

		dims[d] = whole;
		advance(&dims[d], i, &ta, &tb);
		dims[d].n = zinc_min_u64(step, whole.n - i);
		st = rest > TILE ? each_tile(x, dims, d, ta, tb, fn, err)
				 : fn(x, dims, ta, tb, (size_t)(dims[d].n * rest), err);
		if (st != ZINC_OK)
			return st;
	}
	dims[d] = whole;
	return ZINC_OK;
}

/* Copy dims to `to` and make one side contiguous: the destination if `dst`, else the source. */
static void
contiguous_side(zinc_copy_dim *to, const zinc_copy_dim *dims, int ndim, size_t element, bool dst)
{
	int64_t stride = (int64_t)element;
	int d;

	for (d = ndim - 1; d >= 0; d--) {
		to[d] = dims[d];
		if (dst) {
			to[d].dst_stride = stride;
			to[d].dst_list = NULL;
		} else {
			to[d].src_stride = stride;
			to[d].src_list = NULL;
		}
		stride *= (int64_t)dims[d].n;
	}
}

static zinc_status
out_of_range(const part *x, const void *element, zinc_error *err)
{
	const zinc_dtype *t = zinc_dtype_of(x->t->from_type);
	const char *remedy = remedy_for(x->t, element);
	zinc_buf text;
	zinc_status st;

	zinc_buf_init(&text, x->s->ctx, 4096);
	if (t && t->ops->print(t, element, ZINC_SPELL_TEXT, &text, NULL) == ZINC_OK && zinc_buf_text(&text))
		st = zinc_fail(err, ZINC_E_RANGE, "the value %s of type %s does not fit %s%s", (const char *)text.p,
			       x->t->from, x->t->to, remedy);
	else
		st = zinc_fail(err, ZINC_E_RANGE, "a value of type %s does not fit %s%s", x->t->from, x->t->to, remedy);
	zinc_buf_fini(&text);
	return st;
}

/* Memory for two rows of TILE elements: the gathered ones, then the converted ones. */
static zinc_status
tile_room(part *x, uint8_t **gathered, uint8_t **converted, zinc_error *err)
{
	ZINC_TRY(zinc_buf_reset(&x->s->convert, 2 * TILE * ELEMENT_MAX, err));
	*gathered = x->s->convert.p;
	*converted = x->s->convert.p + TILE * ELEMENT_MAX;
	return ZINC_OK;
}

/* Array -> buffer. */
static zinc_status
tile_out(part *x, const zinc_copy_dim *dims, uint8_t *a, uint8_t *b, size_t n, zinc_error *err)
{
	zinc_copy_dim c[ZINC_MAX_NDIM];
	uint8_t *from, *to;
	size_t bad;

	ZINC_TRY(tile_room(x, &from, &to, err));
	contiguous_side(c, dims, x->ndim, x->a_element, true);
	zinc_copy_nd(from, a, c, x->ndim, x->a_element);
	bad = convert(x->t, to, from, n);
	if (bad < n)
		return out_of_range(x, from + bad * x->a_element, err);
	contiguous_side(c, dims, x->ndim, x->t->element, false);
	copy_out(x->t, b, to, c, x->ndim);
	return ZINC_OK;
}

/* Buffer -> array; with x->a NULL only check. */
static zinc_status
tile_in(part *x, const zinc_copy_dim *dims, uint8_t *a, uint8_t *b, size_t n, zinc_error *err)
{
	zinc_copy_dim back[ZINC_MAX_NDIM], c[ZINC_MAX_NDIM];
	uint8_t *from, *to;
	size_t bad;

	ZINC_TRY(tile_room(x, &from, &to, err));
	swap_sides(back, dims, x->ndim);
	contiguous_side(c, back, x->ndim, x->t->element, true);
	zinc_copy_nd(from, b, c, x->ndim, x->t->element);
	bad = convert(x->t, !x->a ? NULL : to, from, n);
	if (bad < n)
		return out_of_range(x, from + bad * x->t->element, err);
	if (!x->a)
		return ZINC_OK;
	contiguous_side(c, back, x->ndim, x->a_element, false);
	zinc_copy_nd(a, to, c, x->ndim, x->a_element);
	return ZINC_OK;
}

/* Array -> buffer for a type of variable length: the bytes are copied into the caller's arena. */
static zinc_status
tile_vlen(part *x, const zinc_copy_dim *dims, uint8_t *a, uint8_t *b, size_t n, zinc_error *err)
{
	zinc_copy_dim c[ZINC_MAX_NDIM];
	zinc_vlen *v;
	size_t i;

	ZINC_TRY(zinc_buf_reset(&x->s->convert, n * sizeof *v, err));
	v = (zinc_vlen *)(void *)x->s->convert.p;
	contiguous_side(c, dims, x->ndim, sizeof *v, true);
	zinc_copy_nd(v, a, c, x->ndim, sizeof *v);
	for (i = 0; i < n; i++)
		ZINC_TRY(zinc_arena_add(x->t->arena, v[i].data, (size_t)v[i].nbytes, &v[i].data, err));
	contiguous_side(c, dims, x->ndim, sizeof *v, false);
	zinc_copy_nd(b, v, c, x->ndim, sizeof *v);
	return ZINC_OK;
}

/* The function that copies a tile to the buffer; NULL: a plain copy is enough. */
static tile_fn
tile_out_of(const zinc_plan *p, const zinc_target *t)
{
	return p->m->dtype->variable ? tile_vlen : t->convert ? tile_out : NULL;
}

/* ---- points ---- */

/* Copy points [begin, end) of the plan's order one by one, as parts without dimensions. */
static zinc_status
each_point(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, const zinc_view *v, zinc_scratch *s, bool out,
	   zinc_error *err)
{
	part x = {.t = t, .s = s, .a_element = p->m->dtype->size, .ndim = 0, .a = v->p};
	const tile_fn tile = out ? tile_out_of(p, t) : t->convert ? tile_in : NULL;
	size_t i;
	int d;

	for (i = u->begin; i < u->end; i++) {
		const uint64_t *at = p->sel.points + p->order[i] * (uint64_t)p->m->ndim;
		uint8_t *a = v->p, *b = t->p + (int64_t)p->order[i] * t->strides[0];

		for (d = 0; d < p->m->ndim; d++)
			a += (int64_t)(at[d] - u->start[d]) * v->strides[d];
		if (tile)
			ZINC_TRY(tile(&x, x.dims, a, b, 1, err));
		else if (out)
			memcpy(b, a, t->element);
		else
			memcpy(a, b, t->element);
	}
	return ZINC_OK;
}

/* ---- the four transfers ---- */

zinc_status
zinc_transfer_out(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, const zinc_view *from, zinc_scratch *s,
		  zinc_error *err)
{
	part x;

	if (p->sel.is_points)
		return each_point(p, t, u, from, s, true, err);
	part_init(&x, p, t, u, from, s);
	if (tile_out_of(p, t))
		return each_tile(&x, x.dims, 0, x.a, x.b, tile_out_of(p, t), err);
	copy_out(t, x.b, x.a, x.dims, x.ndim);
	return ZINC_OK;
}

zinc_status
zinc_transfer_in(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, const zinc_view *to, zinc_scratch *s,
		 zinc_error *err)
{
	zinc_copy_dim back[ZINC_MAX_NDIM];
	part x;

	if (p->sel.is_points)
		return each_point(p, t, u, to, s, false, err);
	part_init(&x, p, t, u, to, s);
	if (t->convert)
		return each_tile(&x, x.dims, 0, x.a, x.b, tile_in, err);
	swap_sides(back, x.dims, x.ndim);
	zinc_copy_nd(x.a, x.b, back, x.ndim, t->element);
	return ZINC_OK;
}

zinc_status
zinc_transfer_fill(const zinc_plan *p, const zinc_target *t, const zinc_unit *u, zinc_error *err)
{
	uint8_t value[ELEMENT_MAX] = {0};
	const void *fill = p->m->fill;
	zinc_view nowhere = {t->p, {0}};
	part x;
	size_t i;

	if (t->convert) {
		if (convert(t, value, p->m->fill, 1) < 1)
			return zinc_fail(err, ZINC_E_RANGE, "the fill value of type %s does not fit %s%s", t->from,
					 t->to, remedy_for(t, p->m->fill));
		fill = value;
	} else if (p->m->dtype->variable) {
		zinc_vlen v;

		memcpy(&v, p->m->fill, sizeof v);
		ZINC_TRY(zinc_arena_add(t->arena, v.data, (size_t)v.nbytes, &v.data, err));
		memcpy(value, &v, sizeof v);
		fill = value;
	}
	if (p->sel.is_points) {
		for (i = u->begin; i < u->end; i++)
			memcpy(t->p + (int64_t)p->order[i] * t->strides[0], fill, t->element);
		return ZINC_OK;
	}
	part_init(&x, p, t, u, &nowhere, NULL);
	zinc_fill_nd(x.b, fill, x.dims, x.ndim, t->element);
	return ZINC_OK;
}

zinc_status
zinc_transfer_check(const zinc_plan *p, const zinc_target *t, zinc_scratch *s, zinc_error *err)
{
	part x = {.t = t, .s = s, .a = NULL, .b = t->p, .ndim = p->sel.is_points ? 1 : p->m->ndim};
	int d;

	if (!t->convert || p->sel.out_n == 0)
		return ZINC_OK;
	x.a_element = p->m->dtype->size;
	for (d = 0; d < x.ndim; d++) {
		x.dims[d].n = p->sel.is_points ? p->sel.npoints : p->sel.dim[d].count;
		x.dims[d].dst_stride = t->strides[d];
	}
	return each_tile(&x, x.dims, 0, x.b, x.b, tile_in, err);
}

bool
zinc_axes_in_order(const zinc_meta *m)
{
	int d;

	for (d = 0; d < m->ndim; d++)
		if (m->chain->axis[d] != d)
			return false;
	return true;
}

uint8_t *
zinc_transfer_direct(const zinc_plan *p, const zinc_target *t, const zinc_unit *u)
{
	int64_t stride = (int64_t)t->element;
	uint8_t *at = t->p;
	int d;

	if (p->sel.is_points || t->convert || p->m->dtype->variable)
		return NULL;
	for (d = p->m->ndim - 1; d >= 0; d--) {
		const zinc_segment *g = u->seg[d];

		if (g->in_list || g->count != u->extent[d] || (g->step != 1 && g->count > 1))
			return NULL;
		if (g->count > 1 && t->strides[d] != stride)
			return NULL;
		at += (int64_t)g->out * t->strides[d];
		stride *= (int64_t)g->count;
	}
	return at;
}
