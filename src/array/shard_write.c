/*
 * shard_write.c - encode one open shard, whole or on top of its old bytes
 *
 * Inner chunks are laid out in C order, so the bytes are the same for any number of threads.
 * Those that the selection does not touch keep their old encoded bytes; those it covers are not
 * decoded; the others are decoded, changed and encoded again.  An inner chunk that is all fill value
 * is left out, and a shard without any is erased.
 *
 * What fails is told to whoever asked for the shard, whatever the number of threads: he may write it without its old
 * bytes, where those are damaged and all of its elements are new.
 *
 *     old:   [a][b][c]....[index]        write b'  ->  new:  [a][b'][c][index]
 *            what is kept never comes into memory: only its place is told, and the store copies it
 */
#include "array/engine.h"

/* The unit that changes an inner chunk: number + 1, 0 for none; and where its points begin. */
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
	uint64_t shape[ZINC_MAX_NDIM], per_axis[ZINC_MAX_NDIM];
	uint64_t n; /* inner chunks */
	zinc_shard_entry *was, *now;
	touch *touched;
	size_t chunk_elems;
	size_t inner_max; /* encoded bytes of one inner chunk */
	zinc_part
	    *parts; /* of the new shard; `bytes` NULL: kept from the old one, else new and at `offset` of `fetch` */
	size_t nparts;
	uint64_t end; /* of the new shard, so far */
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

	memset(x->touched, 0, (size_t)x->n * sizeof *x->touched);
	for (i = 0; i < x->o->nunits; i++) {
		uint64_t at;
		size_t begin = i == 0 ? x->o->begin : u.end;

		zinc_plan_unit(x->j->p, x->o, i, &u);
		at = zinc_shard_position(x->j->p->m, x->per_axis, u.inner);
		x->touched[at] = (touch){i + 1, begin};
	}
}

/* One decoded inner chunk in s->elements: as the shard sees its axes, and as the array does. */
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

/* Bytes of the old shard; the index was checked against its size. */
static zinc_status
read_old(const shard_job *x, uint64_t offset, uint64_t nbytes, zinc_buf *to, zinc_bytes *out, zinc_error *err)
{
	struct iovec iov;

	if (nbytes > PTRDIFF_MAX)
		return zinc_fail_nomem(err);
	to->max = (size_t)nbytes;
	ZINC_TRY(zinc_buf_reset(to, (size_t)nbytes, err));
	*out = (zinc_bytes){to->p, (size_t)nbytes};
	iov = (struct iovec){to->p, (size_t)nbytes};
	return x->old->read(x->old->arg, offset, nbytes, &iov, 1, err);
}

/* The old inner chunk, or fill value, into the view.  Encoded it is in s->b, which a chain reads before it writes. */
static zinc_status
load_inner(const shard_job *x, zinc_scratch *s, const zinc_shard_entry *e, const zinc_view *v, bool keep,
	   zinc_error *err)
{
	const zinc_meta *m = x->j->p->m;
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	zinc_view from;
	zinc_bytes in;
	int d;

	if (!keep || e->nbytes == ZINC_SHARD_EMPTY) {
		zinc_fill_run(v->p, m->fill, x->chunk_elems, m->dtype->size);
		return ZINC_OK;
	}
	if (e->nbytes > x->inner_max)
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "an inner chunk of %llu bytes: no encoding of it has more than %zu",
				 (unsigned long long)e->nbytes, x->inner_max);
	ZINC_TRY(read_old(x, e->offset, e->nbytes, &s->b, &in, err));
	ZINC_TRY(zinc_chain_decode(x->sh->inner, s, x->sh->chunk_shape, in, v->p, 0, &from, err));
	if (from.p == v->p)
		return ZINC_OK;
	for (d = 0; d < m->ndim; d++)
		dims[d] = (zinc_copy_dim){
		    .n = x->sh->chunk_shape[d], .dst_stride = v->strides[d], .src_stride = from.strides[d]};
	zinc_copy_nd(v->p, from.p, dims, m->ndim, m->dtype->size);
	return ZINC_OK;
}

/* Does the unit lie in the buffer as it is?  Then a view in the shard's axes, without copying. */
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
		ZINC_TRY(load_inner(x, s, &x->was[position], &v, !u.full, err));
		ZINC_TRY(zinc_transfer_in(x->j->p, x->j->t, &u, &a, s, err));
	}
	*empty = !x->j->c->o.store_fill && zinc_view_is_fill(&v, x->sh->chunk_shape, m->ndim, m->dtype, m->fill);
	return *empty ? ZINC_OK : zinc_chain_encode(x->sh->inner, s, x->sh->chunk_shape, &v, out, err);
}

/* ---- the inner chunks in order ---- */

/* The next run of the new shard; one that continues the last is joined to it. */
static void
add_part(shard_job *x, bool kept, uint64_t offset, size_t nbytes)
{
	static const uint8_t is_new;
	zinc_part *last = x->nparts > 0 ? &x->parts[x->nparts - 1] : NULL;

	x->end += nbytes;
	if (last && (!last->bytes) == kept && last->offset + last->nbytes == offset)
		last->nbytes += nbytes;
	else
		x->parts[x->nparts++] = (zinc_part){kept ? NULL : &is_new, offset, nbytes, 0};
}

static void
keep_old(shard_job *x, uint64_t position)
{
	const zinc_shard_entry *e = &x->was[position];

	x->now[position] = *e;
	if (e->nbytes == ZINC_SHARD_EMPTY)
		return;
	x->now[position].offset = x->end;
	add_part(x, true, e->offset, (size_t)e->nbytes);
}

/* The inner chunk is in `fetch`, from `begin` to its end. */
static void
enter(shard_job *x, uint64_t position, size_t begin, bool empty)
{
	const size_t n = x->w->s->fetch.n - begin;

	x->now[position].offset = empty ? ZINC_SHARD_EMPTY : x->end;
	x->now[position].nbytes = empty ? ZINC_SHARD_EMPTY : n;
	if (!empty)
		add_part(x, false, begin, n);
}

static zinc_status
encode_in_turn(shard_job *x, zinc_error *err)
{
	zinc_buf *out = &x->w->s->fetch;
	uint64_t i;

	for (i = 0; i < x->n; i++) {
		size_t begin = out->n;
		bool empty;

		if (x->touched[i].unit == 0) {
			keep_old(x, i);
			continue;
		}
		ZINC_TRY(encode_inner(x, x->w->s, i, out, &empty, err));
		enter(x, i, begin, empty);
	}
	return ZINC_OK;
}

/* By any thread; the lowest wins, as of objects. */
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

/* Encode windows of inner chunks on all threads, each into a buffer of its own, then join them in order. */
static zinc_status
encode_windows(shard_job *x, size_t window, zinc_error *err)
{
	size_t i;

	for (x->first = 0; x->first < x->n; x->first += window) {
		size_t n = (size_t)zinc_min_u64(window, x->n - x->first);

		zinc_pool_run(x->j->c->ctx, x->j->c->threads, n, window_item, x);
		if (x->failed < x->n)
			return zinc_error_copy(err, &x->error);
		if (x->j->c->code != ZINC_OK) /* cancelled */
			return zinc_error_copy(err, &x->j->c->error);
		for (i = 0; i < n; i++) {
			size_t begin = x->w->s->fetch.n;

			if (x->touched[x->first + i].unit == 0) {
				keep_old(x, x->first + i);
				continue;
			}
			ZINC_TRY(zinc_buf_add(&x->w->s->fetch, x->out[i].p, x->out[i].n, err));
			enter(x, x->first + i, begin, x->empty[i]);
		}
	}
	return ZINC_OK;
}

static zinc_status
encode_in_parallel(shard_job *x, zinc_error *err)
{
	zinc_context *ctx = x->j->c->ctx;
	size_t i, window = (size_t)zinc_min_u64(x->n, 8 * (uint64_t)x->j->c->threads);
	zinc_status st = ZINC_OK;

	x->failed = x->n;
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

static zinc_status
shard_room(shard_job *x, zinc_error *err)
{
	const zinc_meta *m = x->j->p->m;
	size_t each = 2 * sizeof(zinc_shard_entry) + sizeof(touch) + sizeof(zinc_part), nbytes;
	uint64_t elems;

	zinc_shard_shape(m, x->o->extent, x->shape);
	x->n = zinc_shard_count(x->sh, x->shape, x->per_axis);
	if (x->n > SIZE_MAX || zinc_size_mul((size_t)x->n, each, &nbytes) ||
	    zinc_size_add(nbytes, 2 * sizeof(zinc_part), &nbytes) ||
	    zinc_shape_bytes(x->sh->chunk_shape, m->ndim, 1, x->j->c->ctx->limits.chunk_bytes / m->dtype->size, &elems))
		return zinc_fail(err, ZINC_E_LIMIT,
				 "the shard's index or inner chunks are larger than the limits allow");
	x->chunk_elems = (size_t)elems;
	if (zinc_chain_bound(x->sh->inner, x->sh->chunk_shape, &x->inner_max))
		x->inner_max = zinc_max_chunk(x->j->c->ctx);
	x->w->requests.max = nbytes;
	ZINC_TRY(zinc_buf_reset(&x->w->requests, nbytes, err));
	x->was = (zinc_shard_entry *)(void *)x->w->requests.p;
	x->now = x->was + x->n;
	x->touched = (touch *)(void *)(x->now + x->n);
	x->parts = (zinc_part *)(void *)(x->touched + x->n); /* one per inner chunk, and the index before or behind */
	return ZINC_OK;
}

static zinc_status
load_index(shard_job *x, size_t index_bytes, zinc_error *err)
{
	uint64_t n;
	zinc_bytes tail;

	memset(x->was, 0xff, (size_t)x->n * sizeof *x->was);
	if (!x->old)
		return ZINC_OK;
	n = zinc_min_u64(index_bytes, x->old->nbytes);
	ZINC_TRY(read_old(x, x->sh->index_at_start ? 0 : x->old->nbytes - n, n, &x->w->s->elements, &tail, err));
	return zinc_shard_index_decode(x->sh, x->w->s, x->shape, tail, x->old->nbytes, x->was, err);
}

/* Put the index behind the chunks, or into the room left for it in front. */
static zinc_status
finish(shard_job *x, size_t index_bytes, zinc_error *err)
{
	zinc_buf *out = &x->w->s->fetch;
	size_t begin = out->n;

	x->w->erase =
	    !x->j->c->o.store_fill && x->end == (x->sh->index_at_start ? index_bytes : 0) &&
	    zinc_run_is(x->now, &(zinc_shard_entry){ZINC_SHARD_EMPTY, ZINC_SHARD_EMPTY}, (size_t)x->n, sizeof *x->now);
	if (x->w->erase)
		return ZINC_OK;
	ZINC_TRY(zinc_shard_index_encode(x->sh, x->w->s, x->shape, x->now, out, err));
	if (!x->sh->index_at_start) {
		add_part(x, false, begin, out->n - begin);
		return ZINC_OK;
	}
	if (out->n - begin != index_bytes)
		return zinc_fail(err, ZINC_E_CORRUPT, "the shard's index has another size than its codecs promise");
	memcpy(out->p, out->p + begin, index_bytes);
	out->n = begin;
	return ZINC_OK;
}

static zinc_status
encode_shard(shard_job *x, zinc_error *err)
{
	zinc_buf *out = &x->w->s->fetch;
	size_t index_bytes;

	out->n = 0;
	ZINC_TRY(shard_room(x, err));
	if (zinc_shard_index_bytes(x->sh, x->shape, &index_bytes))
		return zinc_fail(err, ZINC_E_LIMIT, "the shard's index is too large");
	out->max = zinc_max_many(x->n, x->inner_max) + zinc_max_many(2, index_bytes); /* finish() has it twice */
	ZINC_TRY(load_index(x, index_bytes, err));
	mark_touched(x);
	if (x->sh->index_at_start) {
		ZINC_TRY(zinc_buf_reserve(out, index_bytes, err));
		memset(out->p, 0, index_bytes);
		out->n = index_bytes;
		add_part(x, false, 0, index_bytes);
	}
	ZINC_TRY(x->j->inner_parallel && x->n > 1 && x->j->c->threads > 1 ? encode_in_parallel(x, err)
									  : encode_in_turn(x, err));
	return finish(x, index_bytes, err);
}

/* `fetch` moves no more: new parts get their addresses. */
zinc_status
zinc_shard_write(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_old *old, zinc_splice *out,
		 zinc_error *err)
{
	shard_job x = {.j = j, .w = w, .o = o, .sh = j->p->m->chain->shard, .old = old};
	size_t i;

	ZINC_TRY(encode_shard(&x, err));
	for (i = 0; i < x.nparts; i++)
		if (x.parts[i].bytes)
			x.parts[i].bytes = w->s->fetch.p + x.parts[i].offset;
	out->parts = x.parts;
	out->nparts = x.nparts;
	return ZINC_OK;
}
