/*
 * stack.c - the layers between an array and its store
 *
 *     array  ->  run-time layers of the handle  ->  storage_transformers  ->  store of the hierarchy
 *
 * Layers depend on the array's shape and keys, so they belong to a snapshot of the metadata.  A call that uses a
 * snapshot uses its layers; a resize or refresh makes new ones.
 */
#include "array/engine.h"

ZINC_OPTIONS_KIND(zinc_stack_options, ZINC_OPTION_RANGE(zinc_stack_options, shard_order, 0, ZINC_SHARD_APPEND),
		  ZINC_OPTION_YES_NO(zinc_stack_options, single_writer));

/* ---- life ---- */

void
zinc_stack_free(zinc_stack *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	zinc_store_close(s->store); /* first, because the layers point to the rest */
	zinc_meta_free(s->meta);
	zinc_free(s->ctx, s->prefix);
	zinc_free(s->ctx, s);
}

zinc_stack *
zinc_array_layers(const zinc_array *a, zinc_meta **m)
{
	zinc_stack *s;

	pthread_mutex_lock(&a->ctx->lock);
	s = a->stack;
	atomic_fetch_add(&s->refs, 1);
	if (m)
		*m = zinc_meta_ref(s->meta);
	pthread_mutex_unlock(&a->ctx->lock);
	return s;
}

zinc_status
zinc_stack_store(const zinc_stack *s, zinc_store **store, zinc_error *err)
{
	*store = s->store;
	if (s->store)
		return ZINC_OK;
	return zinc_meta_refuse(s->meta, err);
}

/* ---- construction ---- */

static zinc_status
data_prefix(zinc_stack *s, const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;

	zinc_buf_init(&b, s->ctx, ZINC_MIB);
	st = zinc_data_prefix(h, path, &b, err);
	if (st == ZINC_OK) {
		s->prefix = zinc_strndup(s->ctx, (const char *)b.p, b.n);
		if (!s->prefix)
			st = zinc_fail_nomem(err);
	}
	zinc_buf_fini(&b);
	return st;
}

/* Describe the array for a layer. */
static void
describe(const zinc_stack *s, zinc_store *next, zinc_transformer_input *in)
{
	const zinc_meta *m = s->meta;

	*in = (zinc_transformer_input){.size = sizeof *in, .context = s->ctx, .next = next, .prefix = s->prefix};
	in->ndim = m->ndim;
	in->shape = m->shape;
	in->chunk_shape = m->chunk_shape;
	in->grid_shape = s->grid_shape;
	in->dtype = m->dtype ? m->dtype->name : "";
	in->element_size = m->dtype ? m->dtype->size : 0;
	in->fill = m->fill;
	zinc_transformer_keys(in, &m->keys);
}

static zinc_status
make_layers(zinc_stack *s, zinc_hierarchy *h, const char *path, const zinc_json *list, const zinc_stack_options *run,
	    zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_transformer_input in;
	zinc_status st;
	int d;

	if (!s->meta->grid || !s->meta->keys.ops)
		return ZINC_OK; /* without a known grid and key encoding, no layer can interpret keys */
	ZINC_TRY(data_prefix(s, h, path, err));
	for (d = 0; d < s->meta->ndim; d++)
		s->grid_shape[d] = zinc_grid_count(s->meta->grid, d, s->meta->shape[d]);
	describe(s, h->store, &in);
	st = zinc_stack_open(&s->store, list, zinc_transformer_find, run, &in, &e);
	s->layered = st == ZINC_OK && s->store != h->store;
	if (st == ZINC_OK || (st == ZINC_E_UNSUPPORTED && s->meta->unsupported))
		return ZINC_OK;
	return zinc_error_copy(err, &e), st;
}

zinc_status
zinc_stack_make(zinc_stack **out, zinc_hierarchy *h, const char *path, zinc_meta *m, const zinc_stack_options *run,
		zinc_error *err)
{
	const zinc_json *list = zinc_json_member(zinc_meta_v3(m), "storage_transformers");
	zinc_stack *s = zinc_calloc(h->ctx, 1, sizeof *s);
	zinc_status st = ZINC_OK;

	if (!s)
		return zinc_fail_nomem(err);
	atomic_init(&s->refs, 1);
	s->ctx = h->ctx;
	s->meta = zinc_meta_ref(m);
	if ((list && list->n > 0) || (run && run->nlayers > 0))
		st = make_layers(s, h, path, list, run, err);
	else
		s->store = zinc_store_ref(h->store);
	if (st == ZINC_OK)
		*out = s;
	else
		zinc_stack_free(s);
	return st;
}

/* ---- the program's options ---- */

/* Copy the caller's options, including the list. */
static zinc_status
take_options(zinc_stack_options *o, zinc_context *ctx, const zinc_stack_options *options, zinc_error *err)
{
	zinc_layer *layers;
	size_t i;

	ZINC_TRY(zinc_options_take_as(&zinc_stack_options_kind, o, options, err));
	if (o->nlayers > 0 && !o->layers)
		return zinc_fail(err, ZINC_E_INVALID, "zinc_stack_options: nlayers is %zu, but layers is NULL",
				 o->nlayers);
	for (i = 0; i < o->nlayers; i++)
		if (!o->layers[i].make)
			return zinc_fail(err, ZINC_E_INVALID, "zinc_stack_options: layer %zu has no make()", i);
	layers = zinc_calloc(ctx, o->nlayers, sizeof *layers);
	if (!layers)
		return zinc_fail_nomem(err);
	if (o->nlayers > 0)
		memcpy(layers, o->layers, o->nlayers * sizeof *layers);
	o->layers = layers;
	return ZINC_OK;
}

static void
free_layers(zinc_context *ctx, const zinc_layer *layers)
{
	zinc_free(ctx, (void *)(uintptr_t)layers);
}

zinc_status
zinc_array_stack(zinc_array *a, const zinc_stack_options *options, zinc_error *err)
{
	zinc_stack_options o;
	zinc_stack *made = NULL, *old = NULL;
	const zinc_layer *rid;
	zinc_meta *m;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a, err));
	ZINC_TRY(take_options(&o, a->ctx, options, err));
	/* So that no concurrent resize makes layers from the old options. */
	st = zinc_turn_acquire(&a->edit, NULL, err);
	if (st != ZINC_OK) {
		free_layers(a->ctx, o.layers);
		return zinc_error_at_node(err, st, a->h, a->path);
	}
	m = zinc_array_snapshot(a);
	st = zinc_stack_make(&made, a->h, a->path, m, &o, err);
	zinc_meta_free(m);
	rid = o.layers;
	if (st == ZINC_OK) {
		pthread_mutex_lock(&a->ctx->lock);
		old = a->stack;
		a->stack = made;
		rid = a->run.layers;
		a->run = o;
		pthread_mutex_unlock(&a->ctx->lock);
	}
	zinc_turn_release(&a->edit);
	free_layers(a->ctx, rid);
	zinc_stack_free(old);
	return zinc_error_at_node(err, st, a->h, a->path);
}
