/*
 * copy_elements.c - copy and compare the elements of one box
 *
 * Elements are read from the source, converted if the target has another type, and written as whole objects of the
 * target; or the target is read back and compared, bit for bit.  Missing objects of the source are its fill value, and
 * objects of the target with only the fill value are not stored: so a sparse array stays sparse, even if the two fill
 * values differ.
 */
#include <math.h>

#include "tool/copy.h"

struct box {
	zinc_cp *c;
	const zinc_cp_node *n;
	int threads;
	uint64_t start[ZINC_MAX_NDIM], count[ZINC_MAX_NDIM]; /* in the target */
	size_t nelems;
	zinc_error *err;
};

/* ---- memory ---- */

/* Make a block of at least `nbytes` bytes; its content is not kept. */
static zinc_status
need_block(zinc_cp *c, int which, uint64_t nbytes, zinc_error *err)
{
	if (c->block[which] && c->nblock[which] >= nbytes)
		return ZINC_OK;
	zinc_free(c->ctx, c->block[which]);
	c->nblock[which] = 0;
	c->block[which] = nbytes <= SIZE_MAX ? zinc_alloc(c->ctx, (size_t)nbytes) : NULL;
	if (!c->block[which])
		return zinc_fail_nomem(err);
	c->nblock[which] = nbytes;
	return ZINC_OK;
}

static zinc_status
need_elements(struct box *b, int which, const zinc_dtype *t)
{
	uint64_t nbytes;

	if (zinc_u64_mul(b->nelems, t->size, &nbytes))
		return zinc_fail_nomem(b->err);
	ZINC_TRY(need_block(b->c, which, nbytes, b->err));
	if (!b->c->arena && t->variable)
		return zinc_arena_new(&b->c->arena, b->c->ctx, b->c->memory, b->err);
	return ZINC_OK;
}

static zinc_buffer
buffer_of(const struct box *b, int which, zinc_type type)
{
	zinc_buffer out = ZINC_BUFFER_INIT(type, b->c->block[which], (size_t)b->c->nblock[which]);

	out.arena = b->c->arena;
	return out;
}

static zinc_io_options
io_options(const struct box *b, zinc_call_options *rest)
{
	zinc_io_options o = ZINC_IO_OPTIONS_INIT;

	o.threads = b->threads;
	o.convert = b->c->o.convert;
	*rest = zinc_wait_rest(&b->c->wait);
	o.call = rest;
	o.single_writer = 1;
	o.relaxed = (b->c->to->put_flags & ZINC_PUT_RELAXED) != 0;
	o.in_flight_bytes = b->c->memory / 4;
	return o;
}

/* ---- reading ---- */

/* The box as a part of the caller's selection of the source. */
static void
narrow(const struct box *b, zinc_select_dim *dims)
{
	int d, k = 0;

	for (d = 0; d < b->n->source->ndim; d++) {
		zinc_select_dim *s = &dims[d];

		*s = b->n->select->dims[d];
		if (s->drop)
			continue;
		if (s->list) {
			s->list += b->start[k];
			s->nlist = (size_t)b->count[k];
		} else {
			s->start += b->start[k] * (s->step ? s->step : 1);
			s->count = b->count[k];
		}
		k++;
	}
}

/* Read the elements of the box, in the array's type or in the number type `type`. */
static zinc_status
read_elements(struct box *b, zinc_array *a, bool selected, int which, zinc_type type)
{
	zinc_select_dim dims[ZINC_MAX_NDIM];
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_call_options rest;
	const zinc_io_options o = io_options(b, &rest);
	zinc_buffer elements = buffer_of(b, which, type);

	s.kind = ZINC_SELECT_BOX;
	s.ndim = b->n->target->ndim;
	s.start = b->start;
	s.count = b->count;
	if (selected) {
		narrow(b, dims);
		s.kind = ZINC_SELECT_ORTHO;
		s.ndim = b->n->source->ndim;
		s.dims = dims;
	}
	return zinc_array_read(a, &s, &elements, &o, b->err);
}

/* Read the source's elements in the target's type, into block 0. */
static zinc_status
read_source(struct box *b)
{
	const zinc_dtype *from = b->n->source->dtype, *to = b->n->target->dtype;
	const bool selected = b->n->select != NULL;

	ZINC_TRY(need_elements(b, 0, to));
	if (b->c->arena)
		zinc_arena_empty(b->c->arena);
	if (!b->n->wish.dtype)
		return read_elements(b, b->n->in, selected, 0, ZINC_NATIVE);
	if (from->type != ZINC_NATIVE && to->type != ZINC_NATIVE)
		return read_elements(b, b->n->in, selected, 0, to->type);
	ZINC_TRY(need_elements(b, 1, from));
	ZINC_TRY(read_elements(b, b->n->in, selected, 1, ZINC_NATIVE));
	return zinc_dtype_cast(to, b->c->block[0], from, b->c->block[1], b->nelems, b->c->o.convert, b->c->arena,
			       b->err);
}

static zinc_status
write_elements(struct box *b, zinc_array *a)
{
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_call_options rest;
	zinc_io_options o = io_options(b, &rest);
	const zinc_buffer elements = buffer_of(b, 0, ZINC_NATIVE);

	o.store_fill = (a == b->n->out || a == b->n->trial) &&
		       b->n->target->no_fill; /* readers differ on chunks not stored then */
	s.kind = ZINC_SELECT_BOX;
	s.ndim = b->n->target->ndim;
	s.start = b->start;
	s.count = b->count;
	return zinc_array_write(a, &s, &elements, &o, b->err);
}

static zinc_status
get_box(struct box *b, const zinc_boxes *boxes, const uint64_t *at, uint64_t *objects)
{
	uint64_t n;

	*objects = zinc_boxes_get(boxes, at, b->start, b->count);
	if (zinc_shape_bytes(b->count, boxes->ndim, 1, SIZE_MAX, &n))
		return zinc_fail_nomem(b->err);
	b->nelems = (size_t)n;
	return ZINC_OK;
}

/* ---- the temporary array ---- */

static zinc_status
open_middle_place(zinc_cp *c, zinc_hierarchy **h, zinc_error *err)
{
	char *prefix = zinc_strndup(c->ctx, (const char *)c->middle.p, strlen((const char *)c->middle.p) - 1);
	zinc_status st;

	if (!prefix)
		return zinc_fail_nomem(err);
	st = zinc_hierarchy_open(h, c->to->store, prefix,
				 ZINC_OPEN_OPTIONS(.context = c->ctx, .format = "v3", .create = 1), err);
	zinc_free(c->ctx, prefix);
	return st;
}

/* The target's type and fill value, so that a missing chunk means the same in both. */
static zinc_status
create_middle(zinc_cp *c, const zinc_cp_node *n, const zinc_cp_plan *p, zinc_hierarchy *h, zinc_array **out,
	      zinc_error *err)
{
	const zinc_dtype *t = n->target->dtype;
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
	zinc_buf type, fill;
	zinc_json_doc *doc;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, c->ctx, err));
	zinc_buf_init(&type, c->ctx, zinc_max_text(c->ctx));
	zinc_buf_init(&fill, c->ctx, zinc_max_text(c->ctx));
	st = zinc_json_print_line(zinc_dtype_print(t, doc), &type, err);
	if (st == ZINC_OK)
		st = zinc_json_print_line(t->ops->print_fill(t, n->target->fill, doc), &fill, err);
	o.ndim = n->target->ndim;
	o.shape = n->target->shape;
	o.chunks = p->middle;
	o.codecs = "none";
	o.dtype = zinc_buf_text(&type);
	o.fill = zinc_buf_text(&fill);
	o.overwrite = 1;
	if (st == ZINC_OK)
		st = o.dtype && o.fill ? zinc_array_create(out, h, "/", &o, err) : zinc_fail_nomem(err);
	zinc_buf_fini(&fill);
	zinc_buf_fini(&type);
	zinc_json_free(doc);
	return st;
}

/* The first step of the first pass creates it; all others open it. */
static zinc_status
open_middle(zinc_cp *c, const zinc_cp_node *n, const zinc_cp_plan *p, bool create, zinc_array **out, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = create ? zinc_cp_temporary_erase(c, err) : ZINC_OK; /* also removes a partly erased one */

	if (st == ZINC_OK)
		st = open_middle_place(c, &h, err);
	if (st == ZINC_OK)
		st = create ? create_middle(c, n, p, h, out, err) : zinc_array_open(out, h, "/", NULL, err);
	zinc_hierarchy_close(h);
	return st;
}

zinc_status
zinc_cp_temporary_erase(zinc_cp *c, zinc_error *err)
{
	return zinc_store_del_prefix(c->to->store, (const char *)c->middle.p, c->to->put_flags, c->to->wait, err);
}

/* ---- steps ---- */

static zinc_status
two_pass_step(struct box *b, const zinc_cp_plan *p, uint64_t step, uint64_t *objects)
{
	const bool first = step < p->first.n;
	const zinc_boxes *boxes = first ? &p->first : &p->boxes;
	uint64_t at[ZINC_MAX_NDIM];
	zinc_array *middle = NULL;
	zinc_status st;

	ZINC_TRY(open_middle(b->c, b->n, p, step == 0, &middle, b->err));
	zinc_boxes_index(boxes, first ? step : step - p->first.n, at);
	st = get_box(b, boxes, at, objects);
	if (st == ZINC_OK && first)
		st = read_source(b);
	if (st == ZINC_OK && first)
		st = write_elements(b, middle);
	if (st == ZINC_OK && !first)
		st = need_elements(b, 0, b->n->target->dtype);
	if (st == ZINC_OK && !first)
		st = read_elements(b, middle, false, 0, ZINC_NATIVE);
	if (st == ZINC_OK && !first)
		st = write_elements(b, b->n->out);
	zinc_array_close(middle);
	return st;
}

zinc_status
zinc_cp_box_step(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, uint64_t step, zinc_error *err)
{
	struct box b = {.c = c, .n = n, .threads = p->threads, .err = err};
	uint64_t at[ZINC_MAX_NDIM], objects;

	if (p->two_passes) {
		ZINC_TRY(two_pass_step(&b, p, step, &objects));
	} else {
		zinc_cp_box(n, &p->boxes, step, at);
		ZINC_TRY(get_box(&b, &p->boxes, at, &objects));
		ZINC_TRY(read_source(&b));
		ZINC_TRY(write_elements(&b, n->out));
	}
	return zinc_cp_progress(c, objects, (uint64_t)b.nelems * n->target->dtype->size, err);
}

/* ---- checking ---- */

static zinc_status
check_box(struct box *b, const zinc_boxes *boxes, uint64_t i, bool encode)
{
	uint64_t at[ZINC_MAX_NDIM], objects;

	zinc_cp_box(b->n, boxes, i, at);
	ZINC_TRY(get_box(b, boxes, at, &objects));
	ZINC_TRY(read_source(b));
	if (encode)
		ZINC_TRY(write_elements(b, b->n->trial));
	return zinc_cp_trial_progress(b->c, objects, b->err);
}

/* Boxes of a first pass are not whole objects of the target, but read the source less often. */
zinc_status
zinc_cp_boxes_trial(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, bool encode, zinc_error *err)
{
	struct box b = {.c = c, .n = n, .threads = p->threads, .err = err};
	const bool first = p->two_passes && !encode;
	const zinc_boxes *boxes = first ? &p->first : &p->boxes;
	const uint64_t count = n->sparse ? n->nboxes : boxes->n;
	uint64_t i;

	if (count > 0)
		ZINC_TRY(check_box(&b, &p->boxes, 0, true));
	for (i = first ? 0 : 1; i < count; i++)
		ZINC_TRY(check_box(&b, boxes, i, encode));
	return ZINC_OK;
}

/* ---- comparing ---- */

/* The first codec that may not restore its input exactly; NULL: none.  Sums of differences of floats are rounded. */
static const char *
lossy_codec(const zinc_chain *chain, const zinc_dtype *t)
{
	static const char *const names[] = {"bitround",   "quantize",     "fixedscaleoffset", "astype",
					    "cast_value", "scale_offset", "delta",            NULL};
	const bool floats = t->kind == ZINC_KIND_FLOAT || t->kind == ZINC_KIND_COMPLEX;
	const char *const *k;
	int i;

	for (i = 0; i < chain->naa; i++)
		for (k = names; *k; k++)
			if (strstr(chain->aa[i]->ops->name, *k) && (floats || strcmp(*k, "delta") != 0))
				return *k;
	if (chain->ab->ops->pack->loses && chain->ab->ops->pack->loses(chain->ab))
		return chain->ab->ops->name;
	return chain->shard ? lossy_codec(chain->shard->inner, t) : NULL;
}

/* The errors that such a codec introduced. */
struct loss {
	uint64_t elements, different;
	double most;  /* the largest difference */
	uint64_t nan; /* elements for which a number became NaN, or NaN a number */
};

/* Compare two numbers that are not NaN; they may be infinite. */
static double
distance(double a, double b)
{
	return a == b ? 0 : fabs(a - b);
}

static void
add_loss(const struct box *b, const zinc_dtype *t, struct loss *l)
{
	const bool numbers = zinc_dtype_converts(ZINC_COMPLEX128, t->type);
	const uint8_t *x = b->c->block[0], *y = b->c->block[1];
	double p[2] = {0}, q[2] = {0};
	size_t i;
	int k;

	l->elements += b->nelems;
	for (i = 0; i < b->nelems; i++, x += t->size, y += t->size) {
		if (memcmp(x, y, t->size) == 0)
			continue;
		l->different++;
		if (!numbers)
			continue;
		(void)zinc_dtype_convert(ZINC_COMPLEX128, t->type, p, x, 1, ZINC_CONVERT_ROUND);
		(void)zinc_dtype_convert(ZINC_COMPLEX128, t->type, q, y, 1, ZINC_CONVERT_ROUND);
		if (!isnan(p[0]) != !isnan(q[0]) || !isnan(p[1]) != !isnan(q[1]))
			l->nan++;
		for (k = 0; k < 2; k++)
			if (!isnan(p[k]) && !isnan(q[k]))
				l->most = fmax(l->most, distance(p[k], q[k]));
	}
}

/* "Verified" would be wrong for a copy that is less exact by design: the message says what was compared. */
static zinc_status
report_loss(zinc_cp *c, const zinc_cp_node *n, const char *codec, const struct loss *l, zinc_error *err)
{
	if (l->nan > 0)
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "%s: verification failed: %llu numbers became NaN, or NaN a "
				 "number: %s cannot hold them",
				 n->to, (unsigned long long)l->nan, codec);
	if (l->different == 0)
		return ZINC_OK;
	return zinc_cp_note(c, ZINC_COPY_NOTICE, n->from, err,
			    "verified, except for the loss by %s: %llu of %llu elements differ from the source, by at "
			    "most %.3g",
			    codec, (unsigned long long)l->different, (unsigned long long)l->elements, l->most);
}

bool
zinc_cp_same_elements(const zinc_dtype *t, const void *a, const void *b, size_t n)
{
	const zinc_vlen *x = a, *y = b;
	size_t i;

	if (!t->variable)
		return memcmp(x, y, n * t->size) == 0;
	for (i = 0; i < n; i++)
		if (x[i].nbytes != y[i].nbytes ||
		    (x[i].nbytes && memcmp(x[i].data, y[i].data, (size_t)x[i].nbytes) != 0))
			return false;
	return true;
}

zinc_status
zinc_cp_box_verify(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, zinc_error *err)
{
	struct box b = {.c = c, .n = n, .threads = p->threads, .err = err};
	const zinc_dtype *t = n->target->dtype;
	const char *lossy = lossy_codec(n->target->chain, t);
	struct loss loss = {0};
	const uint64_t count = n->sparse ? n->nboxes : p->boxes.n;
	uint64_t at[ZINC_MAX_NDIM], i, objects;

	for (i = 0; i < count; i++) {
		if (zinc_cp_divided(c) && !zinc_cp_mine(c, n->first_step + i))
			continue;
		zinc_cp_box(n, &p->boxes, i, at);
		ZINC_TRY(get_box(&b, &p->boxes, at, &objects));
		ZINC_TRY(read_source(&b));
		ZINC_TRY(need_elements(&b, 1, t));
		ZINC_TRY(read_elements(&b, n->out, false, 1, ZINC_NATIVE));
		if (lossy)
			add_loss(&b, t, &loss);
		else if (!zinc_cp_same_elements(t, c->block[0], c->block[1], b.nelems))
			return zinc_fail(err, ZINC_E_CORRUPT,
					 "%s: verification failed: elements differ from those written", n->to);
	}
	return lossy ? report_loss(c, n, lossy, &loss, err) : ZINC_OK;
}
