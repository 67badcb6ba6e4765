/*
 * writer.c - gather small writes into whole stored objects
 *
 * Each touched object is held decoded, with one byte per element that is set when it was written.  When memory
 * exceeds the budget, the least recently touched object is written; flush writes all.  An object whose elements were
 * all written is put without reading; any other is written as points, by the store's update.  Objects are in a list,
 * oldest first, and in a table by their index, so the cost of a write does not depend on the number of objects held:
 *
 *     first -> x <-> y <-> z <- last        table[hash(index)] -> y -> x        (other)
 *
 * A write that fails has no effect: everything that may fail (writing older objects, memory for new ones, elements
 * that cannot be converted) is done before the first element is copied.  A write that needs more than the budget is
 * written to the array at once.  So is a held chunk if the array was resized meanwhile and has other chunks there.  An
 * array that was replaced by one of another rank or type is E_CONFLICT.
 */
#include "array/engine.h"

#define DEFAULT_BUDGET (256 * ZINC_MIB)

typedef struct pending {
	struct pending *next, *previous; /* oldest first */
	struct pending *other;           /* in the same slot of the table */
	uint64_t index[ZINC_MAX_NDIM], start[ZINC_MAX_NDIM];
	uint64_t inside[ZINC_MAX_NDIM]; /* its extent within the array */
	uint64_t nelems, nwritten;
	uint8_t *elements; /* C order of `inside` */
	uint8_t *written;
} pending;

struct zinc_writer {
	zinc_context *ctx;
	zinc_array *a;
	zinc_meta *m; /* the snapshot at the beginning: rank and type are those of all objects */
	zinc_io_options o;
	zinc_wait wait;         /* of the current call, for all objects that it writes */
	zinc_call_options rest; /* the options with its remaining time, for the next object */
	uint64_t budget, used;
	pending *first, *last;
	pending **table;
	size_t nslots, n; /* slots: a power of two, or 0; n: objects held */
};

static zinc_status
check_type(const zinc_meta *m, zinc_error *err)
{
	if (m->unsupported)
		return zinc_meta_refuse(m, err);
	return m->dtype->variable
		   ? zinc_fail(err, ZINC_E_INVALID, "a writer does not support elements of variable length")
		   : ZINC_OK;
}

/* Elements that are held cannot be written to an array of another rank or type. */
static zinc_status
check_same(const zinc_writer *w, const zinc_meta *now, zinc_error *err)
{
	bool same = false;

	if (now->dtype && now->ndim == w->m->ndim)
		ZINC_TRY(zinc_dtype_same(now->dtype, w->m->dtype, w->ctx, &same, err));
	return same ? ZINC_OK
		    : zinc_fail(err, ZINC_E_CONFLICT, "the array was replaced by one of another rank or type");
}

zinc_status
zinc_writer_new(zinc_writer **out, zinc_array *a, uint64_t budget, const zinc_io_options *options, zinc_error *err)
{
	zinc_writer *w;
	zinc_status st;

	if (!out || !a)
		return zinc_fail(err, ZINC_E_INVALID, "zinc_writer_new: out and a must not be NULL");
	w = zinc_calloc(a->ctx, 1, sizeof *w);
	if (!w)
		return zinc_fail_nomem(err);
	w->ctx = a->ctx;
	w->a = a;
	w->m = zinc_array_snapshot(a);
	w->budget = budget > 0 ? budget : DEFAULT_BUDGET;
	st = zinc_options_take_as(&zinc_io_options_kind, &w->o, options, err);
	if (st == ZINC_OK && w->o.call)
		st = zinc_fail(err, ZINC_E_INVALID,
			       "zinc_writer_new: pass zinc_call_options to the calls that write instead");
	if (st == ZINC_OK)
		st = check_type(w->m, err);
	if (st != ZINC_OK) {
		zinc_writer_free(w);
		return st;
	}
	w->o.size = sizeof w->o;
	*out = w;
	return ZINC_OK;
}

static uint64_t
cost(const zinc_writer *w, const pending *x)
{
	return x->nelems * (w->m->dtype->size + 1);
}

static void
free_pending(zinc_writer *w, pending *x)
{
	zinc_free(w->ctx, x->elements);
	zinc_free(w->ctx, x->written);
	zinc_free(w->ctx, x);
}

/* ---- the objects held ---- */

/* FNV-1a over the numbers of the index, with the high bits mixed into the low ones. */
static size_t
slot_of(const zinc_writer *w, const uint64_t *index)
{
	const int ndim = w->m->ndim;
	uint64_t h = 14695981039346656037u;
	int d;

	for (d = 0; d < ndim; d++)
		h = (h ^ index[d]) * 1099511628211u;
	return (size_t)(h ^ h >> 32) & (w->nslots - 1);
}

/* Double the table when it has as many objects as slots. */
static bool
grow_table(zinc_writer *w)
{
	const size_t nslots = w->nslots > 0 ? 2 * w->nslots : 64;
	pending **table, *x;

	if (w->n < w->nslots)
		return true;
	table = zinc_calloc(w->ctx, nslots, sizeof *table);
	if (!table)
		return false;
	zinc_free(w->ctx, w->table);
	w->table = table;
	w->nslots = nslots;
	for (x = w->first; x; x = x->next) {
		pending **slot = &table[slot_of(w, x->index)];

		x->other = *slot;
		*slot = x;
	}
	return true;
}

static pending *
find(const zinc_writer *w, const uint64_t *index)
{
	const size_t nbytes = (size_t)w->m->ndim * sizeof *index;
	pending *x = w->nslots > 0 ? w->table[slot_of(w, index)] : NULL;

	while (x && memcmp(x->index, index, nbytes) != 0)
		x = x->other;
	return x;
}

static void
take_out(zinc_writer *w, pending *x)
{
	pending **slot = &w->table[slot_of(w, x->index)];

	while (*slot != x)
		slot = &(*slot)->other;
	*slot = x->other;
	*(x->previous ? &x->previous->next : &w->first) = x->next;
	*(x->next ? &x->next->previous : &w->last) = x->previous;
	w->n--;
}

/* Add an object as the newest; the table has enough slots. */
static void
put_in(zinc_writer *w, pending *x)
{
	pending **slot = &w->table[slot_of(w, x->index)];

	x->other = *slot;
	*slot = x;
	x->next = NULL;
	x->previous = w->last;
	*(w->last ? &w->last->next : &w->first) = x;
	w->last = x;
	w->n++;
}

/* ---- writing one object ---- */

static zinc_status
begin_call(zinc_writer *w, const zinc_call_options *call, zinc_error *err)
{
	zinc_call_options o;

	ZINC_TRY(zinc_call_options_take(&o, call, err));
	w->rest.progress = o.progress;
	w->rest.progress_arg = o.progress_arg;
	return zinc_wait_begin(&w->wait, call, err);
}

/* The options with the remaining time of the call. */
static const zinc_io_options *
options_now(zinc_writer *w)
{
	zinc_call_options rest = zinc_wait_rest(&w->wait);

	rest.progress = w->rest.progress;
	rest.progress_arg = w->rest.progress_arg;
	w->rest = rest;
	w->o.call = &w->rest;
	return &w->o;
}

static zinc_status
write_points(zinc_writer *w, const pending *x, zinc_error *err)
{
	int d, ndim = w->m->ndim;
	size_t element = w->m->dtype->size, n = (size_t)x->nwritten, k = 0;
	uint64_t *points = zinc_calloc(w->ctx, n * (size_t)ndim + 1, sizeof *points), i, rest;
	uint8_t *values = zinc_calloc(w->ctx, n, element);
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_status st = !points || !values ? zinc_fail_nomem(err) : ZINC_OK;

	for (i = 0; st == ZINC_OK && i < x->nelems; i++) {
		if (!x->written[i])
			continue;
		for (d = ndim - 1, rest = i; d >= 0; rest /= x->inside[d], d--)
			points[k * (size_t)ndim + (size_t)d] = x->start[d] + rest % x->inside[d];
		memcpy(values + k * element, x->elements + i * element, element);
		k++;
	}
	s.kind = ZINC_SELECT_POINTS;
	s.ndim = ndim;
	s.points = points;
	s.npoints = n;
	if (st == ZINC_OK)
		st = zinc_array_write(w->a, &s, ZINC_BUFFER_AS(ZINC_NATIVE, values, n * element), options_now(w), err);
	zinc_free(w->ctx, points);
	zinc_free(w->ctx, values);
	return st;
}

/* Elements outside an array that has shrunk are dropped, like those that had been stored. */
static void
forget_outside(const zinc_writer *w, pending *x)
{
	const uint64_t *shape = zinc_array_shape(w->a);
	const int ndim = w->m->ndim;
	bool fits = true;
	uint64_t i, rest;
	int d;

	for (d = 0; d < ndim; d++)
		fits = fits && x->start[d] + x->inside[d] <= shape[d];
	for (i = 0; !fits && i < x->nelems; i++)
		for (d = ndim - 1, rest = i; d >= 0; rest /= x->inside[d], d--)
			if (x->start[d] + rest % x->inside[d] >= shape[d])
				x->written[i] = 0;
}

static zinc_status
check_now(const zinc_writer *w, zinc_error *err)
{
	zinc_meta *now = zinc_array_snapshot(w->a);
	const zinc_status st = check_same(w, now, err);

	zinc_meta_free(now);
	return st;
}

static zinc_status
write_pending(zinc_writer *w, pending *x, zinc_error *err)
{
	uint64_t i;
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, x->elements, (size_t)x->nelems * w->m->dtype->size);

	ZINC_TRY(check_now(w, err));
	forget_outside(w, x);
	for (i = 0, x->nwritten = 0; i < x->nelems; i++)
		x->nwritten += x->written[i];
	if (x->nwritten < x->nelems)
		return x->nwritten > 0 ? write_points(w, x, err) : ZINC_OK;
	s.kind = ZINC_SELECT_BOX;
	s.ndim = w->m->ndim;
	s.start = x->start;
	s.count = x->inside;
	return zinc_array_write(w->a, &s, &b, options_now(w), err);
}

/* Write an object and free it; it is kept if writing fails. */
static zinc_status
write_out(zinc_writer *w, pending *x, zinc_error *err)
{
	ZINC_TRY(write_pending(w, x, err));
	take_out(w, x);
	w->used -= cost(w, x);
	free_pending(w, x);
	return ZINC_OK;
}

/* ---- gathering ---- */

/* The place of the object in the array. */
static void
place(pending *x, const zinc_meta *m, const zinc_object *o)
{
	int d;

	x->nelems = 1;
	for (d = 0; d < m->ndim; d++) {
		x->index[d] = o->index[d];
		x->start[d] = o->start[d];
		x->inside[d] = zinc_min_u64(o->extent[d], m->shape[d] - o->start[d]);
		x->nelems *= x->inside[d];
	}
}

/* Add a new object, without elements, as the newest. */
static pending *
make(zinc_writer *w, const zinc_meta *m, const zinc_object *o)
{
	pending *x = zinc_calloc(w->ctx, 1, sizeof *x);

	if (!x)
		return NULL;
	place(x, m, o);
	x->elements = zinc_calloc(w->ctx, (size_t)x->nelems, m->dtype->size);
	x->written = zinc_calloc(w->ctx, (size_t)x->nelems, 1);
	if (x->elements && x->written && grow_table(w)) {
		w->used += cost(w, x);
		put_in(w, x);
		return x;
	}
	free_pending(w, x);
	return NULL;
}

/* A view of the held elements whose origin is the unit's, with elements of `element` bytes. */
static void
view_pending(const zinc_meta *m, const pending *x, const zinc_unit *u, uint8_t *p, size_t element, zinc_view *v)
{
	int d;

	zinc_strides_c(x->inside, m->ndim, element, v->strides);
	v->p = p;
	for (d = 0; d < m->ndim; d++)
		v->p += (int64_t)(u->start[d] - x->start[d]) * v->strides[d];
}

/* Mark the unit's selected elements as written, by the same transfer with ones.  They are counted when the object is
 * written. */
static zinc_status
mark(const zinc_plan *p, pending *x, const zinc_unit *u, zinc_scratch *s, zinc_error *err)
{
	static const uint8_t one = 1;
	zinc_target t = {.p = (uint8_t *)(uintptr_t)&one, .element = 1};
	zinc_plan bytes = *p;
	zinc_meta m = {.ndim = p->m->ndim, .dtype = zinc_dtype_of(ZINC_UINT8)};
	zinc_view v;

	bytes.m = &m;
	view_pending(p->m, x, u, x->written, 1, &v);
	return zinc_transfer_in(&bytes, &t, u, &v, s, err);
}

static zinc_status
gather(zinc_call *c, const zinc_plan *p, const zinc_target *t, const zinc_object *o, pending *x, zinc_error *err)
{
	zinc_unit u;
	zinc_view v;
	size_t i;

	for (i = 0; i < o->nunits; i++) {
		zinc_plan_unit(p, o, i, &u);
		view_pending(p->m, x, &u, x->elements, p->m->dtype->size, &v);
		ZINC_TRY(zinc_transfer_in(p, t, &u, &v, c->workers[0].s, err));
		ZINC_TRY(mark(p, x, &u, c->workers[0].s, err));
	}
	return ZINC_OK;
}

static bool
same_place(const pending *a, const pending *b, int ndim)
{
	const size_t nbytes = (size_t)ndim * sizeof *a->inside;

	return memcmp(a->start, b->start, nbytes) == 0 && memcmp(a->inside, b->inside, nbytes) == 0;
}

/* A held object has the layout of the shape and the grid that the array had before.  If the new ones change its place or
 * its extent within the array, the object is written first. */
static zinc_status
write_resized(zinc_writer *w, const zinc_meta *m, const zinc_plan *p, zinc_error *err)
{
	zinc_object o;
	size_t i;

	for (i = 0; i < p->nobjects; i++) {
		pending *held, fresh;

		zinc_plan_object(p, i, &o);
		held = find(w, o.index);
		place(&fresh, m, &o);
		if (held && !same_place(held, &fresh, m->ndim))
			ZINC_TRY(write_out(w, held, err));
	}
	return ZINC_OK;
}

/* Make the held objects that the write touches the newest.  Returns the memory for all objects that it touches; `more`
 * gets the part for those not held. */
static uint64_t
touch(zinc_writer *w, const zinc_meta *m, const zinc_plan *p, uint64_t *more)
{
	uint64_t all = 0;
	zinc_object o;
	size_t i;

	for (i = 0, *more = 0; i < p->nobjects; i++) {
		pending *x, fresh;

		zinc_plan_object(p, i, &o);
		x = find(w, o.index);
		if (x) {
			take_out(w, x);
			put_in(w, x);
		} else {
			place(&fresh, m, &o);
			*more += cost(w, &fresh);
		}
		all += cost(w, x ? x : &fresh);
	}
	return all;
}

/* Drop the newest objects until `last` is the newest. */
static void
drop_after(zinc_writer *w, const pending *last)
{
	pending *x;

	while ((x = w->last) != last) {
		take_out(w, x);
		w->used -= cost(w, x);
		free_pending(w, x);
	}
}

/* Add all touched objects that are not held yet, or none. */
static zinc_status
make_all(zinc_writer *w, const zinc_meta *m, const zinc_plan *p, zinc_error *err)
{
	const pending *last = w->last;
	zinc_object o;
	size_t i;

	for (i = 0; i < p->nobjects; i++) {
		zinc_plan_object(p, i, &o);
		if (!find(w, o.index) && !make(w, m, &o)) {
			drop_after(w, last);
			return zinc_fail_nomem(err);
		}
	}
	return ZINC_OK;
}

/* For a write that exceeds the budget.  Held objects that it touches are written first, so that its elements are the
 * last written. */
static zinc_status
write_through(zinc_writer *w, const zinc_plan *p, const zinc_selection *selection, const zinc_buffer *b,
	      zinc_error *err)
{
	zinc_object o;
	size_t i;

	for (i = 0; i < p->nobjects; i++) {
		pending *x;

		zinc_plan_object(p, i, &o);
		x = find(w, o.index);
		if (x)
			ZINC_TRY(write_out(w, x, err));
	}
	return zinc_array_write(w->a, selection, b, options_now(w), err);
}

static zinc_status
gather_all(zinc_writer *w, zinc_call *c, const zinc_plan *p, const zinc_selection *selection, const zinc_buffer *buffer,
	   zinc_error *err)
{
	zinc_target t;
	zinc_buffer b;
	zinc_object o;
	uint64_t more;
	size_t i;

	ZINC_TRY(zinc_buffer_take(&b, buffer, err));
	ZINC_TRY(zinc_target_init(&t, c->m, &p->sel, &b, c->o.convert, true, err));
	ZINC_TRY(zinc_transfer_check(p, &t, c->workers[0].s, err));
	ZINC_TRY(write_resized(w, c->m, p, err));
	if (touch(w, c->m, p, &more) > w->budget)
		return write_through(w, p, selection, buffer, err);
	while (w->used + more > w->budget)
		ZINC_TRY(write_out(w, w->first, err));
	ZINC_TRY(make_all(w, c->m, p, err));
	/* Nothing fails from here on: zinc_transfer_check has allocated the memory that a conversion needs. */
	for (i = 0; i < p->nobjects; i++) {
		zinc_plan_object(p, i, &o);
		ZINC_TRY(gather(c, p, &t, &o, find(w, o.index), err));
	}
	return ZINC_OK;
}

/* ---- public ---- */

zinc_status
zinc_writer_write(zinc_writer *w, const zinc_selection *selection, const zinc_buffer *source,
		  const zinc_call_options *call, zinc_error *err)
{
	zinc_call c;
	zinc_plan p;
	zinc_status st;

	p.ctx = NULL; /* zinc_plan_fini does nothing before zinc_plan_init */
	ZINC_TRY(ZINC_NEED(w && source, err));
	ZINC_TRY(begin_call(w, call, err));
	st = zinc_call_begin(&c, w->a, options_now(w), err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_writable(w->a->h, err);
	if (st == ZINC_OK)
		st = check_same(w, c.m, err);
	if (st == ZINC_OK)
		st = zinc_plan_init(&p, c.ctx, c.m, selection, err);
	if (st == ZINC_OK)
		st = gather_all(w, &c, &p, selection, source, err);
	zinc_plan_fini(&p);
	return zinc_call_end(&c, st, err);
}

zinc_status
zinc_writer_flush(zinc_writer *w, const zinc_call_options *call, zinc_error *err)
{
	ZINC_TRY(ZINC_NEED(w, err));
	ZINC_TRY(begin_call(w, call, err));
	while (w->first)
		ZINC_TRY(write_out(w, w->first, err));
	return ZINC_OK;
}

zinc_status
zinc_writer_close(zinc_writer *w, const zinc_call_options *call, zinc_error *err)
{
	zinc_status st = w ? zinc_writer_flush(w, call, err) : ZINC_OK;

	zinc_writer_free(w);
	return st;
}

void
zinc_writer_free(zinc_writer *w)
{
	pending *x;

	if (!w)
		return;
	while ((x = w->first)) {
		w->first = x->next;
		free_pending(w, x);
	}
	zinc_free(w->ctx, w->table);
	zinc_meta_free(w->m);
	zinc_free(w->ctx, w);
}
