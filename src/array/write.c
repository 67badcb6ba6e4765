/*
 * write.c - write a selection
 *
 * Promises (tests/unit/test_write.c names each by its number):
 *
 * (1) An object whose elements are all selected is written without being read.
 * (2) Any other object is read, changed and put while the store excludes other writers, so writers of different
 *     elements lose nothing.  That includes an object at the edge of the array, because another writer may have
 *     extended the array and written there; if its old bytes are damaged, they are still replaced.  A stored block of
 *     N5 that is longer than the array's end stays as long.
 * (3) If an element cannot be converted, nothing is stored.
 * (4) An object that is all fill value is erased (or stored, with store_fill).  A store that cannot erase it on
 *     condition that nobody changed it gets it stored.
 * (5) The stored bytes are the same for any number of threads.
 * (6) When the call returns, everything is durable, unless relaxed.
 */
#include "array/engine.h"

/* ---- one object that is a chunk ---- */

/* Memory for the decoded chunk in C order, in w->s->elements. */
static zinc_status
chunk_room(zinc_job *j, zinc_worker *w, const uint64_t *extent, zinc_view *v, size_t *nelems, zinc_error *err)
{
	const zinc_meta *m = j->p->m;
	uint64_t n;

	if (zinc_shape_bytes(extent, m->ndim, 1, j->c->ctx->limits.chunk_bytes / m->dtype->size, &n))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is larger than the limit of %llu bytes",
				 (unsigned long long)j->c->ctx->limits.chunk_bytes);
	*nelems = (size_t)n;
	w->s->elements.max = (size_t)n * m->dtype->size;
	ZINC_TRY(zinc_buf_reset(&w->s->elements, w->s->elements.max, err));
	v->p = w->s->elements.p;
	zinc_strides_c(extent, m->ndim, m->dtype->size, v->strides);
	return ZINC_OK;
}

/* Load the old elements, or the fill value, into the view. */
static zinc_status
load_old(zinc_job *j, zinc_worker *w, const zinc_object *o, zinc_bytes old, bool has_old, const zinc_view *v, size_t n,
	 zinc_error *err)
{
	const zinc_meta *m = j->p->m;
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	zinc_view from;
	int d;

	if (!has_old) {
		zinc_fill_run(v->p, m->fill, n, m->dtype->size);
		return ZINC_OK;
	}
	ZINC_TRY(zinc_chain_decode(m->chain, w->s, o->extent, old, v->p, 0, &from, err));
	if (from.p == v->p)
		return ZINC_OK;
	for (d = 0; d < m->ndim; d++)
		dims[d] =
		    (zinc_copy_dim){.n = o->extent[d], .dst_stride = v->strides[d], .src_stride = from.strides[d]};
	zinc_copy_nd(v->p, from.p, dims, m->ndim, m->dtype->size);
	return ZINC_OK;
}

/* Does the caller give every element of the chunk?  At the array's end nobody can. */
static bool
is_given(const zinc_job *j, const zinc_unit *u)
{
	int d;

	if (j->p->sel.is_points || !u->full)
		return false;
	for (d = 0; d < j->p->m->ndim; d++)
		if (u->seg[d]->count != u->extent[d])
			return false;
	return true;
}

/* If the buffer has the whole chunk unconverted, set a view of it, without copying. */
static bool
view_of_buffer(const zinc_job *j, const zinc_unit *u, zinc_view *v)
{
	int d;

	if (j->t->convert || !is_given(j, u))
		return false;
	v->p = j->t->p;
	for (d = 0; d < j->p->m->ndim; d++) {
		v->strides[d] = j->t->strides[d];
		v->p += (int64_t)u->seg[d]->out * v->strides[d];
	}
	return true;
}

/* A chunk was refused (E_RANGE), of which the caller has not given all elements.  Say so if the others are the reason. */
static zinc_status
name_fill(const zinc_meta *m, zinc_worker *w, const zinc_object *o, zinc_error *err)
{
	const zinc_view fill = {.p = (uint8_t *)(uintptr_t)m->fill}; /* strides 0: every element is this one */

	w->s->fetch.n = 0;
	if (err && m->fill && zinc_chain_encode(m->chain, w->s, o->extent, &fill, &w->s->fetch, NULL) == ZINC_E_RANGE)
		zinc_fail(err, ZINC_E_RANGE,
			  "%s; elements that are not given, such as those outside the array, have the fill value",
			  err->text);
	return ZINC_E_RANGE;
}

/* Encode the chunk into w->s->fetch, or set w->erase if it is all fill value and need not be stored. */
static zinc_status
encode_chunk(zinc_job *j, zinc_worker *w, const zinc_object *o, zinc_bytes old, bool has_old, zinc_error *err)
{
	const zinc_meta *m = j->p->m;
	zinc_unit u;
	zinc_view v;
	size_t n = 0;
	zinc_status st;

	zinc_plan_unit(j->p, o, 0, &u);
	if (!view_of_buffer(j, &u, &v)) {
		ZINC_TRY(chunk_room(j, w, o->extent, &v, &n, err));
		ZINC_TRY(load_old(j, w, o, old, has_old, &v, n, err));
		ZINC_TRY(zinc_transfer_in(j->p, j->t, &u, &v, w->s, err));
	}
	w->s->fetch.n = 0;
	if (zinc_chain_bound(m->chain, o->extent, &w->s->fetch.max)) {
		ZINC_TRY(zinc_chain_check_shape(m->chain, o->extent, err));
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is larger than the address space");
	}
	w->erase = !j->c->o.store_fill && !w->stays && zinc_view_is_fill(&v, o->extent, m->ndim, m->dtype, m->fill);
	if (w->erase)
		return ZINC_OK;
	st = zinc_chain_encode(m->chain, w->s, o->extent, &v, &w->s->fetch, err);
	return st == ZINC_E_RANGE && !has_old && !is_given(j, &u) ? name_fill(m, w, o, err) : st;
}

/* ---- whole and partial objects ---- */

zinc_status
zinc_write_encode(zinc_job *j, zinc_worker *w, const zinc_object *o, zinc_error *err)
{
	zinc_bytes none = {NULL, 0};
	zinc_splice all;

	w->stays = false;
	if (j->p->units_are_objects)
		return encode_chunk(j, w, o, none, false, err);
	return zinc_shard_write(j, w, o, NULL, &all, err);
}

static zinc_status
write_whole(zinc_job *j, zinc_worker *w, const zinc_object *o, const char *key, zinc_error *err)
{
	zinc_store *store = j->c->store;

	ZINC_TRY(zinc_write_encode(j, w, o, err));
	if (!w->group)
		ZINC_TRY(zinc_store_put_begin(store, &w->group, j->c->put_flags, &j->c->wait, err));
	if (w->erase)
		return zinc_store_del(store, w->group, key, NULL, j->c->put_flags, &j->c->wait, err);
	return zinc_store_put(store, w->group, key, w->s->fetch.p, w->s->fetch.n, NULL, j->c->put_flags, NULL,
			      &j->c->wait, err);
}

typedef struct change {
	zinc_job *j;
	zinc_worker *w;
	const zinc_object *o;
} change;

/* A chunk that ends with the array may be stored longer.  Its elements outside are kept. */
static zinc_status
extend(const zinc_meta *m, zinc_bytes old, zinc_object *o, zinc_error *err)
{
	uint64_t stored[ZINC_MAX_NDIM];
	int d;

	if (!m->grid->ops->grows)
		return ZINC_OK;
	memcpy(stored, o->extent, (size_t)m->ndim * sizeof *stored);
	ZINC_TRY(zinc_chain_stored_shape(m->chain, old, stored, err));
	for (d = 0; d < m->ndim; d++)
		o->extent[d] = zinc_max_u64(o->extent[d], zinc_min_u64(stored[d], zinc_grid_widest(m->grid, d)));
	return ZINC_OK;
}

/* Change the elements of an object that is stored. */
static zinc_status
encode_changed(const change *x, zinc_bytes old, zinc_error *err)
{
	zinc_object o = *x->o;

	ZINC_TRY(extend(x->j->p->m, old, &o, err));
	return encode_chunk(x->j, x->w, &o, old, true, err);
}

static zinc_status
change_chunk(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	change *x = arg;
	zinc_bytes in = {old, nold};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	x->w->stays = old && atomic_load(&x->j->c->no_erase);
	st = old ? encode_changed(x, in, &e) : encode_chunk(x->j, x->w, x->o, in, false, &e);
	if ((st == ZINC_E_CORRUPT || st == ZINC_E_CHECKSUM) && x->o->covered)
		st = encode_chunk(x->j, x->w, x->o, in, false, &e);
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	out->bytes = x->w->s->fetch.p;
	out->nbytes = x->w->s->fetch.n;
	out->erase = x->w->erase && old;
	out->keep = x->w->erase && !old;
	return ZINC_OK;
}

static zinc_status
change_shard(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	change *x = arg;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	x->w->stays = old->found && atomic_load(&x->j->c->no_erase);
	st = zinc_shard_write(x->j, x->w, x->o, old->found ? old : NULL, out, &e);
	if ((st == ZINC_E_CORRUPT || st == ZINC_E_CHECKSUM) && x->o->covered)
		st = zinc_shard_write(x->j, x->w, x->o, NULL, out, &e);
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	out->erase = x->w->erase && old->found;
	out->keep = x->w->erase && !old->found;
	return ZINC_OK;
}

zinc_status
zinc_write_change(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_bytes *old, zinc_buf *joined,
		  zinc_update *out, zinc_error *err)
{
	change x = {j, w, o};

	if (!j->p->units_are_objects)
		return zinc_splice_whole(change_shard, &x, old, joined, out, err);
	return change_chunk(&x, old ? old->p : NULL, old ? old->n : 0, out, err);
}

/* Read, change and put an object while the store excludes other writers. */
static zinc_status
change_stored(zinc_job *j, zinc_worker *w, const zinc_object *o, const char *key, zinc_error *err)
{
	change x = {j, w, o};
	const int single = j->c->o.single_writer;
	const uint64_t limit = zinc_object_limit(j->p->m, j->c->ctx, o->extent);

	w->erase = false;
	if (!j->p->units_are_objects)
		return zinc_store_splice(j->c->store, key, change_shard, &x, single, limit, j->c->put_flags,
					 &j->c->wait, err);
	return zinc_store_update(j->c->store, key, change_chunk, &x, single, limit, j->c->put_flags, &j->c->wait, err);
}

static zinc_status
write_part(zinc_job *j, zinc_worker *w, const zinc_object *o, const char *key)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = change_stored(j, w, o, key, &e);

	if (st == ZINC_E_UNSUPPORTED && w->erase && !w->stays) {
		atomic_store(&j->c->no_erase, true);
		zinc_error_clear(&e);
		st = change_stored(j, w, o, key, &e);
	}
	if (st == ZINC_E_LIMIT && o->covered &&
	    j->p->units_are_objects) /* the old object is too large for a chunk, and nothing of it is kept */
		return write_whole(j, w, o, key, &w->err);
	return st == ZINC_OK ? st : zinc_error_copy(&w->err, &e);
}

/* Is there no other writer, or can the store not exclude others anyway? */
static bool
is_only_writer(const zinc_job *j)
{
	return j->c->o.single_writer || !(j->c->caps.flags & (ZINC_CAP_UPDATE | ZINC_CAP_CAS));
}

bool
zinc_write_is_whole(const zinc_job *j, const zinc_object *o)
{
	return o->full || (o->covered && is_only_writer(j));
}

void
zinc_write_record(zinc_job *j, const zinc_object *o, zinc_status st, zinc_error *err)
{
	if (st == ZINC_OK) {
		zinc_call_done(j->c, 1, zinc_object_selected(j->p, o) * (uint64_t)j->t->element);
		return;
	}
	zinc_call_at_object(j->p->m, o->index, st, err);
	zinc_call_fail(j->c, o->number, st, err);
}

void
zinc_write_item(zinc_job *j, const zinc_object *o, int worker)
{
	zinc_worker *w = &j->c->workers[worker];
	const char *key = NULL;
	zinc_status st;

	st = zinc_call_key(j->c, w, o->index, &key, &w->err);
	if (st == ZINC_OK)
		st = zinc_write_is_whole(j, o) ? write_whole(j, w, o, key, &w->err) : write_part(j, w, o, key);
	if (st != ZINC_OK)
		zinc_error_at_key(&w->err, st, key);
	zinc_write_record(j, o, st, &w->err);
}

static void
write_local(void *arg, size_t i, int worker)
{
	zinc_job *j = arg;
	zinc_object o;

	if (zinc_call_stopped(j->c, i))
		return;
	zinc_plan_object(j->p, i, &o);
	zinc_write_item(j, &o, worker);
}

void
zinc_job_each(zinc_job *j, zinc_pool_fn fn, void *arg)
{
	size_t i;

	j->inner_parallel = j->p->nobjects < (size_t)j->c->threads;
	if (!j->inner_parallel)
		zinc_pool_run(j->c->ctx, j->c->threads, j->p->nobjects, fn, arg);
	else
		for (i = 0; i < j->p->nobjects; i++)
			fn(arg, i, 0);
}

zinc_status
zinc_job_write(zinc_job *j, zinc_error *err)
{
	zinc_status st = ZINC_OK, one;
	int i;

	if (j->p->nobjects > 1 && (j->c->caps.flags & ZINC_CAP_REMOTE))
		st = zinc_job_write_remote(j, err);
	else
		zinc_job_each(j, write_local, j);
	for (i = 0; i < j->c->threads; i++) {
		zinc_worker *w = &j->c->workers[i];
		zinc_put_group *group = w->group;

		w->group = NULL;
		if (!group)
			continue;
		one = zinc_store_commit(j->c->store, group, NULL, NULL, &j->c->wait, st == ZINC_OK ? err : NULL);
		if (st == ZINC_OK)
			st = one;
	}
	return st;
}

/* ---- public ---- */

static zinc_status
write_planned(zinc_call *c, zinc_plan *p, const zinc_buffer *buffer, zinc_error *err)
{
	zinc_target t;
	zinc_buffer b;
	zinc_job j = {c, p, &t, false, NULL};

	ZINC_TRY(zinc_buffer_take(&b, buffer, err));
	ZINC_TRY(zinc_target_init(&t, c->m, &p->sel, &b, c->o.convert, true, err));
	ZINC_TRY(zinc_transfer_check(p, &t, c->workers[0].s, err));
	c->units_total = p->nobjects;
	return p->nobjects == 0 ? ZINC_OK : zinc_job_write(&j, err);
}

zinc_status
zinc_array_write(zinc_array *a, const zinc_selection *selection, const zinc_buffer *source,
		 const zinc_io_options *options, zinc_error *err)
{
	zinc_call c;
	zinc_plan p;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && source, err));
	p.ctx = NULL; /* zinc_plan_fini does nothing before zinc_plan_init */
	st = zinc_call_begin(&c, a, options, err);
	if (st == ZINC_OK && a->h->read_only)
		st = zinc_fail(err, ZINC_E_READONLY, "the hierarchy was opened read-only");
	if (st == ZINC_OK)
		st = zinc_plan_init(&p, c.ctx, c.m, selection, err);
	if (st == ZINC_OK)
		st = write_planned(&c, &p, source, err);
	zinc_plan_fini(&p);
	return zinc_call_end(&c, st, err);
}

zinc_status
zinc_array_write_text(zinc_array *a, const char *selection, const zinc_buffer *source, const zinc_io_options *options,
		      zinc_error *err)
{
	zinc_selection *s = NULL;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && source, err));
	if (!selection || *selection == '\0')
		return zinc_array_write(a, NULL, source, options, err);
	ZINC_TRY(zinc_selection_parse(&s, a, selection, err));
	st = zinc_array_write(a, s, source, options, err);
	zinc_selection_free(s);
	return st;
}
