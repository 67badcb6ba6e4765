/*
 * raw.c - stored objects as encoded bytes: get, put, keys, and a check by decoding
 */
#include "array/engine.h"

static zinc_status
check_index(const zinc_meta *m, const uint64_t *index, zinc_error *err)
{
	int d;

	if (!m->grid || !m->keys.ops)
		return zinc_meta_refuse(m, err);
	for (d = 0; d < m->ndim; d++)
		if (index[d] >= zinc_grid_count(m->grid, d, m->shape[d]))
			return zinc_fail(err, ZINC_E_RANGE, "dimension %d of the grid has no chunk %llu", d,
					 (unsigned long long)index[d]);
	return ZINC_OK;
}

static void
span(const zinc_meta *m, const uint64_t *index, uint64_t *extent)
{
	uint64_t start;
	int d;

	for (d = 0; d < m->ndim; d++)
		zinc_grid_span(m->grid, d, index[d], &start, &extent[d]);
}

/* Make the key of an object, and return the layers to use it with (NULL: not needed). */
static zinc_status
make_key(const zinc_array *a, const uint64_t *index, zinc_buf *key, zinc_stack **layers, zinc_error *err)
{
	zinc_meta *m;
	zinc_stack *s;
	zinc_status st;

	zinc_buf_init(key, a->ctx, 64 * ZINC_KIB);
	s = zinc_array_layers(a, &m);
	st = check_index(m, index, err);
	if (st == ZINC_OK)
		st = zinc_chunk_key(a->h, a->path, m, index, key, err);
	if (st == ZINC_OK && !zinc_buf_text(key))
		st = zinc_fail_nomem(err);
	if (layers)
		*layers = s;
	else
		zinc_stack_free(s);
	zinc_meta_free(m);
	return zinc_error_at_node(err, st, a->h, a->path);
}

zinc_status
zinc_array_chunk_key(const zinc_array *a, const uint64_t *index, zinc_blob *key, zinc_error *err)
{
	zinc_buf text;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && key && (index || zinc_array_ndim(a) == 0), err));
	st = make_key(a, index, &text, NULL, err);
	if (st == ZINC_OK)
		st = zinc_buf_to_blob(&text, key, err);
	zinc_buf_fini(&text);
	return st;
}

/* With an unknown codec an object may have any size up to the limit of a chunk. */
uint64_t
zinc_array_object_limit(const zinc_array *a, const uint64_t *index)
{
	zinc_meta *m = zinc_array_snapshot(a);
	uint64_t extent[ZINC_MAX_NDIM], limit = zinc_max_chunk(a->ctx);

	if (!m->unsupported) { /* otherwise there may be no grid */
		span(m, index, extent);
		limit = zinc_object_limit(m, a->ctx, extent);
	}
	zinc_meta_free(m);
	return limit;
}

zinc_status
zinc_array_chunk_get(zinc_array *a, const uint64_t *index, zinc_blob *bytes, const zinc_call_options *call,
		     zinc_error *err)
{
	zinc_buf key;
	zinc_stack *layers;
	zinc_store *store;
	zinc_wait wait;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && bytes && (index || zinc_array_ndim(a) == 0), err));
	st = make_key(a, index, &key, &layers, err);
	if (st == ZINC_OK)
		st = zinc_wait_begin(&wait, call, err);
	if (st == ZINC_OK)
		st = zinc_stack_store(layers, &store, err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(store, (const char *)key.p, bytes, NULL, zinc_array_object_limit(a, index),
					&wait, err);
	zinc_stack_free(layers);
	zinc_buf_fini(&key);
	return zinc_error_at_node(err, st, a->h, a->path);
}

zinc_status
zinc_array_chunk_put(zinc_array *a, const uint64_t *index, const void *bytes, size_t nbytes,
		     const zinc_call_options *call, zinc_error *err)
{
	zinc_buf key;
	zinc_stack *layers;
	zinc_store *store = NULL;
	zinc_wait wait;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && (index || zinc_array_ndim(a) == 0), err));
	st = make_key(a, index, &key, &layers, err);
	if (st == ZINC_OK)
		st = zinc_wait_begin(&wait, call, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_writable(a->h, err);
	if (st == ZINC_OK)
		st = zinc_stack_store(layers, &store, err);
	if (st == ZINC_OK && !bytes)
		st = zinc_store_del(store, NULL, (const char *)key.p, NULL, a->h->put_flags, &wait, err);
	else if (st == ZINC_OK)
		st = zinc_store_put(store, NULL, (const char *)key.p, bytes, nbytes, NULL, a->h->put_flags, NULL, &wait,
				    err);
	zinc_stack_free(layers);
	zinc_buf_fini(&key);
	return zinc_error_at_node(err, st, a->h, a->path);
}

/* ---- checking one object ---- */

typedef struct shard_check {
	const zinc_meta *m;
	const uint64_t *index; /* of the shard */
	const zinc_shard *sh;
	const zinc_shard_layout *l;
	zinc_bytes in;
	zinc_shard_entry *entries;
} shard_check;

/* Name the elements of inner chunk number `i`, which counts in C order of the shard's axes. */
static void
at_inner(const shard_check *x, uint64_t i, zinc_status st, zinc_error *err)
{
	uint64_t start[ZINC_MAX_NDIM], extent[ZINC_MAX_NDIM];
	int d, a;

	for (d = x->m->ndim - 1; d >= 0; d--) {
		a = x->m->chain->axis[d];
		zinc_grid_span(x->m->grid, a, x->index[a], &start[a], &extent[a]);
		start[a] += i % x->l->per_axis[d] * x->sh->chunk_shape[d]; /* within the shard, so no overflow */
		extent[a] = x->sh->chunk_shape[d];
		i /= x->l->per_axis[d];
	}
	zinc_error_at_region(err, st, start, extent, x->m->shape, x->m->ndim);
}

static zinc_status
check_inner(const shard_check *x, zinc_scratch *s, uint64_t n, zinc_object_check *out, zinc_error *err)
{
	zinc_view v;
	uint64_t i;

	for (i = 0; i < n; i++) {
		zinc_bytes inner;
		zinc_status st;

		if (zinc_shard_entry_empty(&x->entries[i])) {
			out->empty_units++;
			continue;
		}
		inner.p = x->in.p + x->entries[i].offset;
		inner.n = (size_t)x->entries[i].nbytes;
		st = zinc_chain_decode(x->sh->inner, s, x->sh->chunk_shape, inner, NULL, 0, &v, err);
		if (st != ZINC_OK && err) {
			zinc_error was = *err;

			zinc_fail(err, st, "inner chunk %llu of the shard: %s", (unsigned long long)i, was.text);
			at_inner(x, i, st, err);
			return st;
		}
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

static zinc_status
check_shard(zinc_call *c, zinc_worker *w, const uint64_t *index, const uint64_t *extent, zinc_bytes in,
	    zinc_object_check *out, zinc_error *err)
{
	zinc_shard_layout l;
	shard_check x = {.m = c->m, .index = index, .sh = c->m->chain->shard, .l = &l, .in = in};
	zinc_status st;

	zinc_shard_shape(c->m, extent, l.shape);
	ZINC_TRY(zinc_shard_layout_init(&l, x.sh, l.shape, err));
	out->units = l.n;
	x.entries = zinc_calloc(c->ctx, (size_t)l.n, sizeof *x.entries);
	if (!x.entries)
		return zinc_fail_nomem(err);
	st = zinc_shard_index_decode(x.sh, w->s, l.shape, zinc_shard_index_of(&l, in), in.n, x.entries, err);
	if (st == ZINC_OK)
		st = check_inner(&x, w->s, out->units, out, err);
	zinc_free(c->ctx, x.entries);
	return st;
}

/* A call that checks objects; each item of its fetch is one object. */
typedef struct checking {
	zinc_call *c;
	const zinc_object_checks *of;
} checking;

static zinc_status
want(void *arg, zinc_fetch_item *it, int worker, zinc_error *err)
{
	checking *x = arg;
	const uint64_t *index = x->of->index(x->of->arg, it->i);
	uint64_t extent[ZINC_MAX_NDIM];

	(void)worker;
	ZINC_TRY(check_index(x->c->m, index, err));
	ZINC_TRY(zinc_call_item_key(x->c, it, index, err));
	span(x->c->m, index, extent);
	it->bound = zinc_object_limit(x->c->m, x->c->ctx, extent);
	zinc_fetch_want(it, (zinc_get){.length = ZINC_TO_END});
	return ZINC_OK;
}

static zinc_status
check_object(zinc_call *c, zinc_worker *w, const uint64_t *index, zinc_bytes in, zinc_object_check *out,
	     zinc_error *err)
{
	uint64_t extent[ZINC_MAX_NDIM];
	zinc_view v;

	span(c->m, index, extent);
	out->stored = in.n;
	out->units = 1;
	if (c->m->chain->open_shard)
		return check_shard(c, w, index, extent, in, out, err);
	return zinc_chain_decode(c->m->chain, w->s, extent, in, NULL, 0, &v, err);
}

/* Report the result of one check. */
static void
report_check(const checking *x, const zinc_fetch_item *it, const zinc_object_check *seen, zinc_status st,
	     zinc_error *err)
{
	if (st != ZINC_OK && it->key.n > 0)
		zinc_error_at_key(err, st, (const char *)it->key.p);
	if (st != ZINC_OK)
		zinc_call_at_object(x->c->m, x->of->index(x->of->arg, it->i), st, err);
	zinc_error_in(err, st, x->c->h);
	x->of->told(x->of->arg, it->i, seen, st, err);
}

static zinc_status
take(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	checking *x = arg;
	zinc_object_check seen = {.empty_units = 0};
	const zinc_bytes in = {it->bytes->p, it->bytes->n};
	zinc_status st;

	(void)again;
	if (it->found == ZINC_FOUND)
		st = check_object(x->c, &x->c->workers[worker], x->of->index(x->of->arg, it->i), in, &seen, err);
	else
		st = zinc_fail(err, ZINC_E_NOTFOUND, "the chunk is not stored");
	report_check(x, it, &seen, st, err);
	return ZINC_OK;
}

static void
fail(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err)
{
	const zinc_object_check none = {.empty_units = 0};

	report_check(arg, it, &none, st, err);
}

static zinc_status
too_long(void *arg, const zinc_fetch_item *it, uint64_t nbytes, zinc_error *err)
{
	const zinc_chain *chain = ((const checking *)arg)->c->m->chain;
	const zinc_codec *outer = chain->nbb > 0 ? chain->bb[chain->nbb - 1] : chain->ab;

	if (chain->fixed_size)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M72", "%llu bytes instead of %llu",
				      (unsigned long long)nbytes, (unsigned long long)it->bound);
	zinc_fail(err, ZINC_E_CORRUPT, "the object has %llu bytes, but an encoded chunk of this array has at most %llu",
		  (unsigned long long)nbytes, (unsigned long long)it->bound);
	return zinc_error_at_codec(err, ZINC_E_CORRUPT, outer->ops->name);
}

/* A failing object does not stop the check of the others. */
static bool
stopped(void *arg, size_t i)
{
	(void)i;
	return zinc_call_halted(((const checking *)arg)->c);
}

static bool
halted(void *arg)
{
	return zinc_call_halted(((const checking *)arg)->c);
}

zinc_status
zinc_array_objects_check(const zinc_array *a, const zinc_object_checks *of, zinc_error *err)
{
	zinc_io_options o = ZINC_IO_OPTIONS_INIT;
	zinc_call c;
	checking x = {&c, of};
	zinc_status st;
	zinc_fetch f;

	o.threads = of->threads;
	o.call = of->call;
	st = zinc_call_begin(&c, (zinc_array *)(uintptr_t)a, &o, err);
	if (st == ZINC_OK) {
		f = zinc_call_fetch(&c, &x);
		f.stopped = stopped;
		f.halted = halted;
		f.want = want;
		f.take = take;
		f.fail = fail;
		f.too_long = too_long;
		zinc_fetch_run(&f, of->n);
	}
	return zinc_call_end(&c, st, err);
}

/* ---- a single object ---- */

typedef struct single {
	const uint64_t *index;
	zinc_object_check *seen;
	zinc_status code;
	zinc_error *err;
} single;

static const uint64_t *
single_index(void *arg, size_t i)
{
	(void)i;
	return ((const single *)arg)->index;
}

static void
single_report(void *arg, size_t i, const zinc_object_check *seen, zinc_status st, const zinc_error *err)
{
	single *s = arg;

	(void)i;
	*s->seen = *seen;
	s->code = st;
	if (st != ZINC_OK)
		zinc_error_copy(s->err, err);
}

zinc_status
zinc_array_object_check(const zinc_array *a, const uint64_t *index, zinc_object_check *out, const zinc_wait *wait,
			zinc_error *err)
{
	const zinc_call_options rest = zinc_wait_rest(wait);
	single s = {index, out, ZINC_OK, err};
	const zinc_object_checks one = {
	    .n = 1, .index = single_index, .told = single_report, .arg = &s, .threads = 1, .call = &rest};

	memset(out, 0, sizeof *out);
	ZINC_TRY(zinc_array_objects_check(a, &one, err));
	return s.code;
}
