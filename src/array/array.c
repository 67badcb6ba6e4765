/*
 * array.c - array handles: open, close, refresh, accessors
 *
 * A handle points to a counted snapshot of the metadata.  Resize, append and refresh replace it, one at a time.
 * Running reads keep their snapshot.  Pointers that accessors return belong to the handle (facts.c).
 */
#include "array/engine.h"

zinc_status
zinc_array_make(zinc_array **out, zinc_hierarchy *h, const char *path, zinc_meta *meta, zinc_error *err)
{
	zinc_array *a = zinc_calloc(h->ctx, 1, sizeof *a);
	zinc_status st;

	if (!a)
		return zinc_fail_nomem(err);
	a->ctx = h->ctx;
	a->path = zinc_strdup(h->ctx, path);
	st = a->path ? zinc_stack_make(&a->stack, h, path, meta, NULL, err) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_facts_make(&a->facts, h->ctx, meta, err);
	if (st != ZINC_OK) {
		zinc_stack_free(a->stack);
		zinc_free(h->ctx, a->path);
		zinc_free(h->ctx, a);
		return st;
	}
	a->h = zinc_hierarchy_ref(h);
	a->meta = zinc_meta_ref(meta);
	zinc_turn_init(&a->edit);
	*out = a;
	return ZINC_OK;
}

void
zinc_array_close(zinc_array *a)
{
	zinc_context *ctx;

	if (!a)
		return;
	ctx = a->ctx;
	zinc_turn_fini(&a->edit);
	zinc_stack_free(a->stack);
	zinc_free(ctx, (void *)(uintptr_t)a->run.layers);
	zinc_meta_free(a->meta);
	zinc_facts_free(ctx, a->facts);
	zinc_free(ctx, a->path);
	zinc_hierarchy_close(a->h);
	zinc_free(ctx, a);
}

zinc_meta *
zinc_array_snapshot(const zinc_array *a)
{
	zinc_meta *m;

	pthread_mutex_lock(&a->ctx->lock);
	m = zinc_meta_ref(a->meta);
	pthread_mutex_unlock(&a->ctx->lock);
	return m;
}

zinc_status
zinc_array_swap(zinc_array *a, zinc_meta *m, zinc_error *err)
{
	zinc_stack *layers = NULL, *old_layers;
	zinc_facts *facts, *rid;
	zinc_meta *old;
	zinc_status st;

	st = zinc_stack_make(&layers, a->h, a->path, m, &a->run, err);
	if (st == ZINC_OK)
		st = zinc_facts_make(&facts, a->ctx, m, err);
	if (st != ZINC_OK) {
		zinc_stack_free(layers);
		zinc_meta_free(m);
		return st;
	}
	pthread_mutex_lock(&a->ctx->lock);
	old = a->meta;
	a->meta = m;
	a->facts = zinc_facts_follow(a->facts, facts, &rid);
	old_layers = a->stack;
	a->stack = layers;
	pthread_mutex_unlock(&a->ctx->lock);
	zinc_stack_free(old_layers);
	zinc_facts_free(a->ctx, rid);
	zinc_meta_free(old);
	return ZINC_OK;
}

/* ---- open ---- */

/* Metadata of anything else than an array is freed. */
static zinc_status
need_array(zinc_meta **out, const char *path, zinc_error *err)
{
	zinc_status st;

	if ((*out)->kind == ZINC_NODE_ARRAY)
		return ZINC_OK;
	st = (*out)->closed ? zinc_meta_refuse(*out, err)
			    : zinc_fail(err, ZINC_E_NOTFOUND, "%s is a group, not an array", path);
	zinc_meta_free(*out);
	*out = NULL;
	return st;
}

zinc_status
zinc_array_read_meta(zinc_hierarchy *h, const char *path, zinc_meta **out, zinc_error *err)
{
	zinc_report r;

	zinc_report_init(&r, h->ctx, h->strict, h->url);
	r.fallback = h->fallback;
	ZINC_TRY(zinc_read_node(h, path, &r, out, err));
	return need_array(out, path, err);
}

zinc_status
zinc_array_open(zinc_array **out, zinc_hierarchy *h, const char *path, const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_meta *m = NULL;
	char *normal = NULL;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out && h, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	st = zinc_path_normalise(&normal, h, path, err);
	if (st == ZINC_OK)
		st = zinc_array_read_meta(h, normal, &m, err);
	if (st == ZINC_OK)
		st = zinc_array_make(out, h, normal, m, err);
	zinc_meta_free(m);
	zinc_error_at_node(err, st, h, normal);
	zinc_free(h->ctx, normal);
	return st;
}

/* Metadata that must be that of an array; freed if it is not. */
static zinc_status
parse_document(zinc_hierarchy *h, const char *path, const char *document, zinc_meta **out, zinc_error *err)
{
	zinc_report r;

	zinc_report_init(&r, h->ctx, h->strict, h->url);
	r.fallback = h->fallback;
	ZINC_TRY(zinc_text_parse(h->format, h->ctx, document, strlen(document), &r, out, err));
	return need_array(out, path, err);
}

zinc_status
zinc_array_open_document(zinc_array **out, zinc_hierarchy *h, const char *path, const char *document, zinc_error *err)
{
	zinc_meta *m = NULL;
	char *normal = NULL;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out && h && document, err));
	st = zinc_path_normalise(&normal, h, path, err);
	if (st == ZINC_OK)
		st = parse_document(h, normal, document, &m, err);
	if (st == ZINC_OK)
		st = zinc_array_make(out, h, normal, m, err);
	zinc_meta_free(m);
	zinc_error_at_node(err, st, h, normal);
	zinc_free(h->ctx, normal);
	return st;
}

zinc_status
zinc_array_open_url(zinc_array **out, const char *url, const zinc_open_options *options, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	struct zinc_known *known = NULL;
	zinc_call_options rest;
	zinc_open_options o;
	zinc_visit v;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out && url, err));
	ZINC_TRY(zinc_options_take_as(&zinc_open_options_kind, &o, options, err));
	o.size = sizeof o;
	ZINC_TRY(zinc_wait_begin(&v.wait, o.call, err));
	rest = zinc_wait_rest(&v.wait);
	o.call = &rest;
	o.keep_documents = 0;
	ZINC_TRY(zinc_hierarchy_open_node(&h, &known, url, &o, err));
	zinc_visit_within(&v, h, &v.wait)->known = known; /* for this call only: the handle may be used much later */
	st = zinc_array_open(out, &v.h, zinc_hierarchy_path(h), NULL, err);
	zinc_known_free(known);
	zinc_hierarchy_close(h);
	return st;
}

zinc_status
zinc_array_refresh(zinc_array *a, const zinc_call_options *call, zinc_error *err)
{
	zinc_hierarchy *h;
	zinc_visit v;
	zinc_meta *m = NULL;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a, err));
	ZINC_TRY(zinc_wait_begin(&v.wait, call, err));
	h = zinc_visit_within(&v, a->h, &v.wait);
	h->known = NULL; /* a refresh shows what is stored now */
	/* Taken before reading, so that a concurrent resize cannot be replaced by older metadata. */
	ZINC_TRY(zinc_turn_acquire(&a->edit, h->wait, err));
	st = zinc_array_read_meta(h, a->path, &m, err);
	if (st == ZINC_OK)
		st = zinc_array_swap(a, m, err);
	zinc_turn_release(&a->edit);
	return zinc_error_at_node(err, st, a->h, a->path);
}

/* ---- properties ---- */

/* Numbers are read while the snapshot is held, so these may be called while other threads resize. */
int
zinc_array_ndim(const zinc_array *a)
{
	zinc_meta *m = zinc_array_snapshot(a);
	int ndim = m->ndim;

	zinc_meta_free(m);
	return ndim;
}

zinc_type
zinc_array_type(const zinc_array *a)
{
	zinc_meta *m = zinc_array_snapshot(a);
	zinc_type type = m->dtype ? m->dtype->type : ZINC_NATIVE;

	zinc_meta_free(m);
	return type;
}

size_t
zinc_array_element_size(const zinc_array *a)
{
	zinc_meta *m = zinc_array_snapshot(a);
	size_t size = m->dtype ? m->dtype->size : 0;

	zinc_meta_free(m);
	return size;
}

int
zinc_array_variable(const zinc_array *a)
{
	zinc_meta *m = zinc_array_snapshot(a);
	int variable = m->dtype && m->dtype->variable;

	zinc_meta_free(m);
	return variable;
}

const char *
zinc_array_path(const zinc_array *a)
{
	return a->path;
}

zinc_hierarchy *
zinc_array_hierarchy(const zinc_array *a)
{
	return a->h;
}

static int
chunk_shape(const zinc_meta *m, uint64_t *shape)
{
	int d;

	if (!m->grid)
		return 0;
	for (d = 0; d < m->ndim; d++)
		shape[d] = m->chunk_shape[d];
	for (d = 0; m->chain && m->chain->shard && m->chain->reorders_only && d < m->ndim; d++)
		shape[m->chain->axis[d]] = m->chain->shard->chunk_shape[d];
	return 1;
}

static int
shard_shape(const zinc_meta *m, uint64_t *shape)
{
	if (!m->grid || !m->chain || !m->chain->shard)
		return 0;
	memcpy(shape, m->chunk_shape, (size_t)m->ndim * sizeof *shape);
	return 1;
}

static int
grid_shape(const zinc_meta *m, uint64_t *shape)
{
	int d;

	if (!m->grid)
		return 0;
	for (d = 0; d < m->ndim; d++)
		shape[d] = zinc_grid_count(m->grid, d, m->shape[d]);
	return 1;
}

/* One of the three shapes, from the current snapshot. */
static int
current_shape(const zinc_array *a, int (*get)(const zinc_meta *m, uint64_t *shape), uint64_t *shape)
{
	zinc_meta *m = zinc_array_snapshot(a);
	int has = get(m, shape);

	zinc_meta_free(m);
	return has;
}

int
zinc_array_chunk_shape(const zinc_array *a, uint64_t *shape)
{
	return current_shape(a, chunk_shape, shape);
}

int
zinc_array_shard_shape(const zinc_array *a, uint64_t *shape)
{
	return current_shape(a, shard_shape, shape);
}

int
zinc_array_grid_shape(const zinc_array *a, uint64_t *shape)
{
	return current_shape(a, grid_shape, shape);
}

int
zinc_array_chunk_span(const zinc_array *a, int dim, uint64_t index, uint64_t *start, uint64_t *extent)
{
	zinc_meta *m = zinc_array_snapshot(a);
	const int has = m->grid && dim >= 0 && dim < m->ndim && index < zinc_grid_count(m->grid, dim, m->shape[dim]);

	if (has)
		zinc_grid_span(m->grid, dim, index, start, extent);
	zinc_meta_free(m);
	return has;
}

int
zinc_array_chunk_find(const zinc_array *a, int dim, uint64_t i, uint64_t *index)
{
	zinc_meta *m = zinc_array_snapshot(a);
	const int has = m->grid && dim >= 0 && dim < m->ndim && i < m->shape[dim];

	if (has)
		*index = zinc_grid_chunk_of(m->grid, dim, i);
	zinc_meta_free(m);
	return has;
}

int
zinc_array_grid_regular(const zinc_array *a)
{
	zinc_meta *m = zinc_array_snapshot(a);
	const int regular = m->grid && zinc_grid_is_regular(m->grid);

	zinc_meta_free(m);
	return regular;
}

zinc_status
zinc_array_describe(const zinc_array *a, zinc_blob *json, zinc_error *err)
{
	zinc_buf text;
	zinc_status st;
	zinc_meta *m;

	ZINC_TRY(ZINC_NEED(a && json, err));
	m = zinc_array_snapshot(a);
	zinc_buf_init(&text, a->ctx, zinc_max_text(a->ctx));
	st = zinc_meta_describe(a->h, a->path, m, &text, err);
	if (st == ZINC_OK)
		st = zinc_buf_to_blob(&text, json, err);
	zinc_buf_fini(&text);
	zinc_meta_free(m);
	return st;
}

/* ---- selections ---- */

zinc_status
zinc_selection_parse(zinc_selection **out, const zinc_array *a, const char *text, zinc_error *err)
{
	zinc_status st;
	zinc_meta *m;

	ZINC_TRY(ZINC_NEED(out && a && text, err));
	m = zinc_array_snapshot(a);
	st = zinc_sel_parse_axes(
	    out, a->ctx, text, &(zinc_sel_axes){.ndim = m->ndim, .shape = m->shape, .names = m->dimension_names}, err);
	zinc_meta_free(m);
	return zinc_error_at_node(err, st, a->h, a->path);
}

zinc_status
zinc_array_selection_shape(const zinc_array *a, const zinc_selection *selection, int *ndim, uint64_t *shape,
			   zinc_error *err)
{
	zinc_status st;
	zinc_meta *m;
	zinc_sel s;

	ZINC_TRY(ZINC_NEED(a && ndim && shape, err));
	m = zinc_array_snapshot(a);
	st = zinc_sel_init(&s, a->ctx, selection, m->grid, m->ndim, m->shape, err);
	if (st == ZINC_OK) {
		*ndim = s.out_ndim;
		memcpy(shape, s.out_shape, (size_t)s.out_ndim * sizeof *shape);
		zinc_sel_fini(&s);
	}
	zinc_meta_free(m);
	return zinc_error_at_node(err, st, a->h, a->path);
}
