/*
 * shard_write.c - encode one open shard, whole or on top of its old bytes
 *
 * Promises (tests/unit/test_shard_write.c names each by its number):
 *
 * (1) Inner chunks are laid out in C order, so the bytes are the same for any number of threads.
 * (2) Inner chunks outside the selection keep their old encoded bytes, which are never read into memory.
 * (3) Inner chunks that are completely selected are not decoded; the others are decoded, changed and encoded again.
 * (4) An inner chunk that is all fill value is not stored, and a shard without inner chunks is erased, or only its
 *     index is stored if the store cannot erase it safely.
 * (5) A failure is returned to the caller, for any number of threads.  If the old bytes are damaged and all elements
 *     are new, the caller may write the shard without its old bytes.
 *
 * The new shard is assembled by shard/shard_build.c; the store copies the bytes that are kept.
 */
#include "array/engine.h"

/* The unit that changes an inner chunk (its number + 1; 0: none), and where its points begin. */
typedef struct touch {
	size_t unit;
	size_t points_at;
} touch;

typedef struct shard_job {
	zinc_job *j;
	zinc_worker *w;
	const zinc_object *o;
	const zinc_shard *sh;
	const zinc_old *old; /* NULL: the shard is written whole */
	zinc_shard_layout l;
	zinc_shard_build b; /* its new bytes are in `fetch` of the worker's scratch */
	touch *touched;     /* one per inner chunk */
	size_t chunk_elems;
	size_t inner_max; /* maximum encoded size of one inner chunk */
	/* a window of inner chunks encoded in parallel */
	zinc_buf *out;
	bool *empty;
	uint64_t first;
	uint64_t failed; /* the lowest inner chunk that could not be encoded; n: none */
	zinc_error error;
} shard_job;

/* Mark which inner chunks the selection touches. */
static void
mark_touched(shard_job *x)
{
	zinc_unit u;
	size_t i;

	memset(x->touched, 0, (size_t)x->l.n * sizeof *x->touched);
	for (i = 0; i < x->o->nunits; i++) {
		uint64_t at;
		size_t begin = i == 0 ? x->o->begin : u.end;

		zinc_plan_unit(x->j->p, x->o, i, &u);
		at = zinc_shard_position(x->j->p->m, x->l.per_axis, u.inner);
		x->touched[at] = (touch){i + 1, begin};
	}
}

/* Memory for one decoded inner chunk in s->elements, as a view in the shard's axes and one in the array's. */
static zinc_status
inner_room(const shard_job *x, zinc_scratch *s, zinc_view *mine, zinc_view *arrays, zinc_error *err)
{
	const zinc_meta *m = x->j->p->m;
	int d;

	s->elements.max = x->chunk_elems * m->dtype->size;
	ZINC_TRY(zinc_buf_reset(&s->elements, s->elements.max, err));
	mine->p = arrays->p = s->elements.p;
	zinc_strides_c(x->sh->chunk_shape, m->ndim, m->dtype->size, mine->strides);
	for (d = 0; d < m->ndim; d++)
		arrays->strides[m->chain->axis[d]] = mine->strides[d];
	return ZINC_OK;
}

/* Load the old inner chunk, or the fill value, into the view.  Its encoded bytes are in s->b, which a chain reads
 * before it writes there. */
static zinc_status
load_inner(const shard_job *x, zinc_scratch *s, const zinc_shard_entry *e, const zinc_view *v, bool keep,
	   zinc_error *err)
{
	const zinc_meta *m = x->j->p->m;
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	zinc_view from;
	zinc_bytes in;
	int d;

	if (!keep || zinc_shard_entry_empty(e)) {
		zinc_fill_run(v->p, m->fill, x->chunk_elems, m->dtype->size);
		return ZINC_OK;
	}
	ZINC_TRY(zinc_shard_entry_check(e, x->inner_max, err));
	ZINC_TRY(zinc_shard_read_old(x->old, e->offset, e->nbytes, &s->b, &in, err));
	ZINC_TRY(zinc_chain_decode(x->sh->inner, s, x->sh->chunk_shape, in, v->p, 0, &from, err));
	if (from.p == v->p)
		return ZINC_OK;
	for (d = 0; d < m->ndim; d++)
		dims[d] = (zinc_copy_dim){
		    .n = x->sh->chunk_shape[d], .dst_stride = v->strides[d], .src_stride = from.strides[d]};
	zinc_copy_nd(v->p, from.p, dims, m->ndim, m->dtype->size);
	return ZINC_OK;
}

/* Does the buffer have the whole unit unconverted?  Then set a view of it in the shard's axes, without copying. */
static bool
inner_in_buffer(const shard_job *x, const zinc_unit *u, zinc_view *v)
{
	const zinc_meta *m = x->j->p->m;
	const zinc_target *t = x->j->t;
	int d;

	if (x->j->p->sel.is_points || t->convert || !u->full)
		return false;
	v->p = t->p;
	for (d = 0; d < m->ndim; d++) {
		int a = m->chain->axis[d];

		if (u->seg[a]->count != u->extent[a])
			return false;
		v->strides[d] = t->strides[a];
		v->p += (int64_t)u->seg[a]->out * t->strides[a];
	}
	return true;
}

/* Encode the touched inner chunk at `position` and append it to `out`; *empty: all fill value, nothing appended. */
static zinc_status
encode_inner(const shard_job *x, zinc_scratch *s, uint64_t position, zinc_buf *out, bool *empty, zinc_error *err)
{
	const zinc_meta *m = x->j->p->m;
	zinc_view v, a;
	zinc_unit u;

	u.end = x->touched[position].points_at;
	u.begin = u.end;
	zinc_plan_unit(x->j->p, x->o, x->touched[position].unit - 1, &u);
	if (!inner_in_buffer(x, &u, &v)) {
		ZINC_TRY(inner_room(x, s, &v, &a, err));
		ZINC_TRY(zinc_error_at_region(err, load_inner(x, s, &x->b.was[position], &v, !u.full, err), u.start,
					      u.extent, m->shape, m->ndim));
		ZINC_TRY(zinc_transfer_in(x->j->p, x->j->t, &u, &a, s, err));
	}
	*empty = !x->j->c->o.store_fill && zinc_view_is_fill(&v, x->sh->chunk_shape, m->ndim, m->dtype, m->fill);
	return *empty ? ZINC_OK : zinc_chain_encode(x->sh->inner, s, x->sh->chunk_shape, &v, out, err);
}

/* ---- the inner chunks in order ---- */

/* Add a touched inner chunk, which is in `fetch` from `begin` to its end. */
static void
add_inner(shard_job *x, uint64_t position, size_t begin, bool empty)
{
	if (empty)
		zinc_shard_build_erase(&x->b, position);
	else
		zinc_shard_build_encoded(&x->b, position, begin);
}

static zinc_status
encode_in_turn(shard_job *x, zinc_error *err)
{
	zinc_buf *out = &x->w->s->fetch;
	uint64_t i;

	for (i = 0; i < x->l.n; i++) {
		size_t begin = out->n;
		bool empty;

		if (x->touched[i].unit == 0) {
			zinc_shard_build_keep(&x->b, i);
			continue;
		}
		ZINC_TRY(encode_inner(x, x->w->s, i, out, &empty, err));
		add_inner(x, i, begin, empty);
	}
	return ZINC_OK;
}

/* Called by any thread; the failure with the lowest position is kept, as for objects. */
static void
inner_failed(shard_job *x, uint64_t position, const zinc_error *err)
{
	pthread_mutex_lock(&x->j->c->lock);
	if (position < x->failed) {
		x->failed = position;
		x->error = *err;
	}
	pthread_mutex_unlock(&x->j->c->lock);
}

static void
window_item(void *arg, size_t i, int worker)
{
	shard_job *x = arg;
	zinc_worker *w = &x->j->c->workers[worker];
	uint64_t position = x->first + i;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;

	x->out[i].n = 0;
	if (x->touched[position].unit == 0 || zinc_call_stopped(x->j->c, x->o->number))
		return;
	st = encode_inner(x, w->s, position, &x->out[i], &x->empty[i], &err);
	if (st != ZINC_OK)
		inner_failed(x, position, &err);
}

/* Encode windows of inner chunks on all threads, each inner chunk into its own buffer, then join them in order. */
static zinc_status
encode_windows(shard_job *x, size_t window, zinc_error *err)
{
	size_t i;

	for (x->first = 0; x->first < x->l.n; x->first += window) {
		size_t n = (size_t)zinc_min_u64(window, x->l.n - x->first);

		zinc_pool_run(x->j->c->ctx, x->j->c->threads, n, window_item, x);
		if (x->failed < x->l.n)
			return zinc_error_copy(err, &x->error);
		if (x->j->c->code != ZINC_OK) /* cancelled */
			return zinc_error_copy(err, &x->j->c->error);
		for (i = 0; i < n; i++) {
			size_t begin = x->w->s->fetch.n;

			if (x->touched[x->first + i].unit == 0) {
				zinc_shard_build_keep(&x->b, x->first + i);
				continue;
			}
			ZINC_TRY(zinc_buf_add(&x->w->s->fetch, x->out[i].p, x->out[i].n, err));
			add_inner(x, x->first + i, begin, x->empty[i]);
		}
	}
	return ZINC_OK;
}

static zinc_status
encode_in_parallel(shard_job *x, zinc_error *err)
{
	zinc_context *ctx = x->j->c->ctx;
	size_t i, window = (size_t)zinc_min_u64(x->l.n, 8 * (uint64_t)x->j->c->threads);
	zinc_status st = ZINC_OK;

	x->failed = x->l.n;
	x->out = zinc_calloc(ctx, window, sizeof *x->out);
	x->empty = zinc_calloc(ctx, window, sizeof *x->empty);
	if (!x->out || !x->empty)
		st = zinc_fail_nomem(err);
	for (i = 0; x->out && i < window; i++)
		zinc_buf_init(&x->out[i], ctx, x->inner_max);
	if (st == ZINC_OK)
		st = encode_windows(x, window, err);
	for (i = 0; x->out && i < window; i++)
		zinc_buf_fini(&x->out[i]);
	zinc_free(ctx, x->out);
	zinc_free(ctx, x->empty);
	return st;
}

/* ---- the shard ---- */

/* Memory for the entries and marks of the shard, in `requests` of the worker. */
static zinc_status
shard_room(shard_job *x, zinc_error *err)
{
	const zinc_meta *m = x->j->p->m;
	size_t nbytes;
	uint64_t elems;

	zinc_shard_shape(m, x->o->extent, x->l.shape);
	ZINC_TRY(zinc_shard_layout_init(&x->l, x->sh, x->l.shape, err));
	if (x->l.n > SIZE_MAX || zinc_size_mul((size_t)x->l.n, sizeof *x->touched, &nbytes) ||
	    zinc_shape_bytes(x->sh->chunk_shape, m->ndim, 1, x->j->c->ctx->limits.chunk_bytes / m->dtype->size, &elems))
		return zinc_fail(err, ZINC_E_LIMIT,
				 "the shard's index or inner chunks are larger than the limits allow");
	x->chunk_elems = (size_t)elems;
	if (zinc_chain_bound(x->sh->inner, x->sh->chunk_shape, &x->inner_max))
		x->inner_max = zinc_max_chunk(x->j->c->ctx);
	ZINC_TRY(zinc_shard_build_begin(&x->b, &x->l, &x->w->requests, nbytes, &x->w->s->fetch,
					zinc_max_many(x->l.n, x->inner_max), err));
	x->touched = x->b.behind;
	return ZINC_OK;
}

static zinc_status
encode_shard(shard_job *x, zinc_splice *out, zinc_error *err)
{
	ZINC_TRY(shard_room(x, err));
	ZINC_TRY(zinc_shard_build_load(&x->b, x->w->s, x->old, &x->w->s->elements, err));
	mark_touched(x);
	ZINC_TRY(x->j->inner_parallel && x->l.n > 1 && x->j->c->threads > 1 ? encode_in_parallel(x, err)
									    : encode_in_turn(x, err));
	x->w->erase = !x->j->c->o.store_fill && !x->w->stays && zinc_shard_build_is_empty(&x->b);
	out->nparts = 0;
	return x->w->erase ? ZINC_OK : zinc_shard_build_end(&x->b, x->w->s, out, err);
}

zinc_status
zinc_shard_write(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_old *old, zinc_splice *out,
		 zinc_error *err)
{
	shard_job x = {.j = j, .w = w, .o = o, .sh = j->p->m->chain->shard, .old = old};

	return encode_shard(&x, out, err);
}
