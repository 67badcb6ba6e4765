/*
 * resize.c - change the shape, append
 *
 * Promises (tests/unit/test_resize.c names each by its number):
 *
 * (1) Growing is one put of metadata.
 * (2) Shrinking puts the metadata first, then erases exactly the stored objects that are completely outside.  If the
 *     store cannot list them, shrinking is refused before anything changes: a later growth would make them visible
 *     again.  What is below another node is not erased, even if it has the key of a chunk, and reported: N5 allows a
 *     dataset "1" in a dataset whose chunk is "1/0".
 * (3) Concurrent appends reserve their ranges by changing the shape while the store excludes other writers, so they
 *     never overlap; a failed append leaves fill value, never elements of another append.
 * (4) What is checked is the array that is stored when the shape changes, not that of the handle: another process may
 *     have resized or replaced it.
 * (5) Where chunks have several lengths, new ones are such that the codecs can hold them: whole inner chunks in shards,
 *     and those that a codec takes that changes the shape of chunks.
 * (6) Chunk lengths that the document does not state, but that its reader has taken, are written with the new shape.  A
 *     chunk grid under an old name gets its new one.
 * (7) zinc_array_resize_check changes nothing, and refuses what a resize of that array would refuse.
 */
#include "array/engine.h"

/* ---- what can be resized ---- */

static zinc_status
check_resizable(const zinc_meta *m, zinc_error *err)
{
	return !m->unsupported ? ZINC_OK : zinc_meta_refuse(m, err);
}

static zinc_status
check_append(const zinc_meta *m, int axis, const zinc_buffer *b, zinc_error *err)
{
	int d;

	ZINC_TRY(check_resizable(m, err));
	if (axis < 0 || axis >= m->ndim)
		return zinc_fail(err, ZINC_E_INVALID, "axis %d does not exist; the array has %d dimensions", axis,
				 m->ndim);
	if (!b->shape || b->ndim != m->ndim)
		return zinc_fail(err, ZINC_E_INVALID, "append needs a buffer whose shape has %d dimensions", m->ndim);
	for (d = 0; d < m->ndim; d++)
		if (d != axis && b->shape[d] != m->shape[d])
			return zinc_fail(err, ZINC_E_INVALID,
					 "dimension %d of the buffer has %llu elements, of the array %llu", d,
					 (unsigned long long)b->shape[d], (unsigned long long)m->shape[d]);
	return ZINC_OK;
}

/* ---- the shape in the document ---- */

typedef struct reshape {
	int ndim;
	const uint64_t *shape; /* the new shape; or, with axis >= 0, `by` is added to one axis */
	int axis;
	uint64_t by;
	const zinc_buffer *rows; /* to be appended */
	const zinc_meta *m;      /* the snapshot of the handle; another array may be stored by now */
	const char *lacks;       /* what the store cannot do to chunks outside: there must be none.  NULL: nothing */
	uint64_t before[ZINC_MAX_NDIM], after[ZINC_MAX_NDIM];
} reshape;

static zinc_status
new_shape(reshape *x, const zinc_meta *stored, zinc_error *err)
{
	memcpy(x->before, stored->shape, (size_t)x->ndim * sizeof *x->before);
	memcpy(x->after, x->axis >= 0 ? x->before : x->shape, (size_t)x->ndim * sizeof *x->after);
	if (x->axis >= 0 && zinc_u64_add(x->before[x->axis], x->by, &x->after[x->axis]))
		return zinc_fail(err, ZINC_E_RANGE, "the array would become too long");
	return ZINC_OK;
}

static zinc_status
check_chunks_stay(const reshape *x, const zinc_grid *g, zinc_error *err)
{
	int d;

	for (d = 0; x->lacks && d < x->ndim; d++)
		if (zinc_grid_count(g, d, x->after[d]) < zinc_grid_count(g, d, x->before[d]))
			return zinc_fail(err, ZINC_E_UNSUPPORTED,
					 "this store cannot %s the chunks that would be outside the smaller shape",
					 x->lacks);
	return ZINC_OK;
}

#define MOST_CHUNKS 100000 /* that are checked one by one */
#define MOST_NEW    100    /* along the dimension that grows: only the last ones differ */

/* Step to the next index in C order, within [from, to); false: it was the last one. */
static bool
next_index(uint64_t *index, const uint64_t *from, const uint64_t *to, int ndim)
{
	int d;

	for (d = ndim - 1; d >= 0; d--) {
		if (++index[d] < to[d])
			return true;
		index[d] = from[d];
	}
	return false;
}

/* Do the chunks at the new end of a dimension fit codecs that change the shape of chunks?  If there are too many, the
 * writer of one that does not fit will know. */
static zinc_status
check_end(const reshape *x, const zinc_chain *chain, const zinc_grid *g, int dim, zinc_error *err)
{
	uint64_t from[ZINC_MAX_NDIM] = {0}, to[ZINC_MAX_NDIM] = {0}, index[ZINC_MAX_NDIM], extent[ZINC_MAX_NDIM], start;
	uint64_t n = 1;
	int d;

	for (d = 0; d < x->ndim; d++) {
		to[d] = zinc_grid_count(g, d, x->after[d]);
		if (d == dim)
			from[d] =
			    zinc_max_u64(zinc_grid_count(g, d, x->before[d]), to[d] - zinc_min_u64(to[d], MOST_NEW));
		if (zinc_u64_mul(n, to[d] - from[d], &n) || n > MOST_CHUNKS)
			return ZINC_OK;
	}
	memcpy(index, from, sizeof index);
	if (n == 0)
		return ZINC_OK;
	do {
		for (d = 0; d < x->ndim; d++)
			zinc_grid_span(g, d, index[d], &start, &extent[d]);
		if (zinc_chain_check_shape(chain, extent, NULL) != ZINC_OK)
			return zinc_fail(err, ZINC_E_UNSUPPORTED,
					 "chunks at the new end of dimension %d do not fit the codecs, which change "
					 "their shape; copy the array with other chunks or codecs first",
					 dim);
	} while (next_index(index, from, to, x->ndim));
	return ZINC_OK;
}

/* A grid may list its chunks, which must cover the new shape, or depend on the shape.  Shards have whole inner chunks. */
static zinc_status
edit_grid(const reshape *x, const zinc_meta *stored, zinc_json_doc *doc, zinc_error *err)
{
	zinc_json *root = zinc_json_root(doc);
	uint64_t unit[ZINC_MAX_NDIM];
	zinc_context *ctx = zinc_json_context(doc);
	zinc_grid *g;
	zinc_report r;
	zinc_status st;
	bool changed;
	int d;

	if (!stored->grid->ops->fit)
		return ZINC_OK;
	for (d = 0; d < x->ndim; d++)
		unit[d] = 1;
	(void)zinc_chain_inner_shape(stored->chain, unit);
	zinc_report_init_quiet(&r, ctx, false);
	ZINC_TRY(zinc_grid_parse(&g, ctx, zinc_json_member(root, "chunk_grid"), x->ndim, x->before, &r, err));
	st = zinc_grid_fit(g, x->before, x->after, unit, &changed, err);
	for (d = 0; d < x->ndim && st == ZINC_OK && !stored->chain->maps_axes; d++)
		st = x->after[d] > x->before[d] ? check_end(x, stored->chain, g, d, err) : ZINC_OK;
	if (st == ZINC_OK && (changed || zinc_grid_is_renamed(g, zinc_json_member(root, "chunk_grid"))))
		st = zinc_json_set(doc, root, "chunk_grid", zinc_grid_print(g, doc), err);
	zinc_grid_free(g);
	return st;
}

/* Is the request also one for the array that is stored now?  It may be another one than the handle's. */
static zinc_status
check_stored(const reshape *x, const zinc_meta *stored, zinc_error *err)
{
	bool same;

	if (!stored || stored->kind != ZINC_NODE_ARRAY)
		return zinc_fail(err, ZINC_E_CONFLICT, "the array was replaced by a group");
	if (stored->ndim != x->ndim)
		return zinc_fail(err, ZINC_E_CONFLICT,
				 "the array was replaced by one with another number of dimensions");
	if (!x->rows)
		return check_resizable(stored, err);
	ZINC_TRY(check_append(stored, x->axis, x->rows, err));
	ZINC_TRY(zinc_dtype_same(stored->dtype, x->m->dtype, x->m->ctx, &same, err));
	return same ? ZINC_OK : zinc_fail(err, ZINC_E_CONFLICT, "the array was replaced by one with another data type");
}

static zinc_status
edit_shape(void *arg, const zinc_meta *stored, zinc_json_doc *doc, zinc_error *err)
{
	reshape *x = arg;
	zinc_json *root = zinc_json_root(doc);

	ZINC_TRY(check_stored(x, stored, err));
	ZINC_TRY(new_shape(x, stored, err));
	ZINC_TRY(check_chunks_stay(x, stored->grid, err));
	ZINC_TRY(edit_grid(x, stored, doc, err));
	ZINC_TRY(zinc_state_chunks(stored, doc, err));
	return zinc_json_set(doc, root, "shape", zinc_json_make_u64_list(doc, x->after, x->ndim), err);
}

static zinc_status
put_shape(zinc_array *a, zinc_hierarchy *h, reshape *x, zinc_error *err)
{
	zinc_meta *m = NULL, *before;
	zinc_status st;

	ZINC_TRY(zinc_hierarchy_writable(h, err));
	ZINC_TRY(zinc_turn_acquire(&a->edit, h->wait, err));
	x->m = before = zinc_array_snapshot(a);
	st = zinc_edit_node(h, a->path, edit_shape, x, &m, err);
	zinc_meta_free(before);
	if (st == ZINC_OK)
		st = zinc_array_swap(a, m, err);
	zinc_turn_release(&a->edit);
	return st;
}

/* ---- objects outside the new shape ---- */

typedef struct sweep {
	zinc_array *a;
	zinc_store *store;  /* including the layers */
	const zinc_meta *m; /* the snapshot with the new shape */
	const char *prefix; /* of the array's data */
	const zinc_wait *wait;
	uint64_t before[ZINC_MAX_NDIM], after[ZINC_MAX_NDIM]; /* grid shapes */
	zinc_put_group *group;
	zinc_buf keys; /* for a remote store, which erases all in one call; each with its NUL */
	bool gather;
	zinc_buf nodes; /* prefixes of nodes below the array, each with its NUL */
	zinc_status code;
	zinc_error *err;
	zinc_status left; /* an object outside is not erased; the others still are */
	zinc_error why;
} sweep;

static bool
outside(const sweep *s, const uint64_t *index)
{
	bool out = false;
	int d;

	for (d = 0; d < s->m->ndim; d++) {
		if (index[d] >= s->before[d])
			return false; /* was not inside before: not a chunk of this array */
		out = out || index[d] >= s->after[d];
	}
	return out;
}

static void
leave(sweep *s, zinc_status code, const char *key, const char *why)
{
	if (s->left != ZINC_OK)
		return;
	s->left = zinc_fail(&s->why, code, "not erased, although it is outside the new shape: %s", why);
	zinc_error_at_key(&s->why, s->left, key);
}

static bool
below_node(const sweep *s, const char *key)
{
	size_t at, n;

	for (at = 0; at < s->nodes.n; at += n + 1) {
		n = strlen((const char *)s->nodes.p + at);
		if (strncmp(key, (const char *)s->nodes.p + at, n) == 0)
			return true;
	}
	return false;
}

/* Collect the nodes below the array. */
static int
find_node(void *arg, const char *key, uint64_t nbytes)
{
	sweep *s = arg;
	const char *name = zinc_key_name(key);
	bool is;

	(void)nbytes;
	if (name == key + strlen(s->prefix))
		return 0;
	s->code = zinc_key_is_node(s->a->h, key, &is, s->err);
	if (s->code != ZINC_OK || !is)
		return s->code != ZINC_OK;
	s->code = zinc_buf_add(&s->nodes, key, (size_t)(name - key), s->err);
	if (s->code == ZINC_OK)
		s->code = zinc_buf_add(&s->nodes, "", 1, s->err);
	return s->code != ZINC_OK;
}

static int
sweep_key(void *arg, const char *key, uint64_t nbytes)
{
	sweep *s = arg;
	uint64_t index[ZINC_MAX_NDIM];

	(void)nbytes;
	if (!zinc_keys_decode(&s->m->keys, key + strlen(s->prefix), s->m->ndim, index) || !outside(s, index))
		return 0;
	if (below_node(s, key))
		leave(s, ZINC_E_CONFLICT, key, "it is below another node");
	else if (s->gather)
		s->code = zinc_buf_add(&s->keys, key, strlen(key) + 1, s->err);
	else
		s->code = zinc_store_del(s->store, s->group, key, NULL, s->a->h->put_flags, s->wait, s->err);
	return s->code != ZINC_OK;
}

/* A link that is not followed, a FIFO or the like has the key of a chunk outside, or of a directory of such chunks: for
 * a matrix, "c/3" is the directory of "c/3/0".  A larger shape would find it again. */
static int
sweep_non_key(void *arg, const zinc_non_key *non_key)
{
	sweep *s = arg;
	const char *rest = non_key->key + strlen(s->prefix);
	uint64_t index[ZINC_MAX_NDIM];
	size_t n = strlen(rest);
	char text[1024];
	int d;

	if (non_key->kind == ZINC_NON_KEY_NAME || non_key->kind == ZINC_NON_KEY_DIR ||
	    n + 2 * (size_t)s->m->ndim + 1 > sizeof text)
		return 0;
	memcpy(text, rest, n + 1);
	for (d = 0; d <= s->m->ndim; d++, n += 2) {
		if (zinc_keys_decode(&s->m->keys, text, s->m->ndim, index)) {
			if (outside(s, index))
				leave(s, ZINC_E_IO, non_key->key, non_key->why);
			break;
		}
		if (d < s->m->ndim)
			memcpy(text + n, "/0", 3);
	}
	return 0;
}

static zinc_status
walk(sweep *s, zinc_store *store, const zinc_lister *to, zinc_error *err)
{
	ZINC_TRY(zinc_store_walk(store, s->prefix, to, s->wait, err));
	return s->code;
}

static zinc_status
erase_outside(sweep *s, zinc_error *err)
{
	const zinc_lister to = {.size = sizeof to, .key = sweep_key, .non_key = sweep_non_key, .arg = s};
	zinc_store *store = s->store;

	ZINC_TRY(walk(s, store, &to, err));
	if (s->keys.n == 0)
		return ZINC_OK;
	return zinc_store_del_list(store, s->group, (const char *)s->keys.p, s->keys.n, s->a->h->put_flags, s->wait,
				   err);
}

static zinc_status
sweep_outside(sweep *s, zinc_error *err)
{
	const zinc_lister nodes = {.size = sizeof nodes, .key = find_node, .arg = s};
	zinc_store *store = s->store;
	zinc_status st;

	s->err = err;
	ZINC_TRY(walk(s, s->a->h->store, &nodes, err));
	ZINC_TRY(zinc_store_put_begin(store, &s->group, s->a->h->put_flags, s->wait, err));
	st = erase_outside(s, err);
	if (st == ZINC_OK) {
		ZINC_TRY(zinc_store_commit(store, s->group, NULL, NULL, s->wait, err));
		return s->left == ZINC_OK ? ZINC_OK : zinc_error_copy(err, &s->why);
	}
	zinc_store_abort(store, s->group);
	return st;
}

static zinc_status
delete_outside(zinc_array *a, const uint64_t *before, const zinc_wait *wait, zinc_error *err)
{
	zinc_meta *m;
	zinc_stack *layers = zinc_array_layers(a, &m);
	sweep s = {.a = a, .m = m, .store = layers->store, .wait = wait, .code = ZINC_OK, .why = ZINC_ERROR_INIT};
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_status st = ZINC_OK;
	bool any = false;
	zinc_buf prefix;
	int d;

	for (d = 0; d < m->ndim; d++) {
		s.before[d] = zinc_grid_count(m->grid, d, before[d]);
		s.after[d] = zinc_grid_count(m->grid, d, m->shape[d]);
		any = any || s.after[d] < s.before[d];
	}
	zinc_store_caps(s.store, &caps);
	s.gather = (caps.flags & ZINC_CAP_REMOTE) != 0;
	zinc_buf_init(&s.keys, a->ctx, zinc_max_list(a->ctx));
	zinc_buf_init(&s.nodes, a->ctx, zinc_max_list(a->ctx));
	zinc_buf_init(&prefix, a->ctx, ZINC_MIB);
	if (any) {
		st = zinc_data_prefix(a->h, a->path, &prefix, err);
		s.prefix = st == ZINC_OK ? zinc_buf_text(&prefix) : NULL;
		if (st == ZINC_OK)
			st = !s.prefix ? zinc_fail_nomem(err) : sweep_outside(&s, err);
	}
	zinc_buf_fini(&prefix);
	zinc_buf_fini(&s.nodes);
	zinc_buf_fini(&s.keys);
	zinc_stack_free(layers);
	zinc_meta_free(m);
	return st;
}

/* ---- public ---- */

/* Change a copy of the document, and read it as zinc_edit_node does. */
static zinc_status
try_shape(const zinc_array *a, reshape *x, zinc_error *err)
{
	const zinc_format *f = x->m->format;
	zinc_json_doc *doc;
	zinc_meta *after;
	zinc_report r;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, a->ctx, err));
	zinc_json_set_root(doc, zinc_json_copy(doc, zinc_json_root(x->m->doc)));
	st = zinc_json_root(doc) ? edit_shape(x, x->m, doc, err) : zinc_fail_nomem(err);
	if (st != ZINC_OK) {
		zinc_json_free(doc);
		return st;
	}
	zinc_report_init_quiet(&r, a->ctx, a->h->strict);
	r.fallback = a->h->fallback;
	r.code = ZINC_E_INVALID;
	ZINC_TRY(f->parse(f, a->ctx, doc, ZINC_NODE_ARRAY, &r, &after, err));
	zinc_meta_free(after);
	return ZINC_OK;
}

/* What the store cannot do to chunks outside. */
static const char *
lacks(zinc_store *store)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(store, &caps);
	return !(caps.flags & ZINC_CAP_LIST) ? "list" : !(caps.flags & ZINC_CAP_ERASE) ? "erase" : NULL;
}

zinc_status
zinc_array_resize_check(const zinc_array *a, const uint64_t *shape, zinc_error *err)
{
	reshape x = {.axis = -1, .shape = shape};
	zinc_status st;
	zinc_meta *m;

	ZINC_TRY(ZINC_NEED(a && (shape || zinc_array_ndim(a) == 0), err));
	x.m = m = zinc_array_snapshot(a);
	x.ndim = m->ndim;
	x.lacks = lacks(a->h->store);
	st = check_resizable(m, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_writable(a->h, err);
	if (st == ZINC_OK)
		st = try_shape(a, &x, err);
	zinc_meta_free(m);
	return zinc_error_at_node(err, st, a->h, a->path);
}

zinc_status
zinc_array_resize(zinc_array *a, const uint64_t *shape, const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_hierarchy *h;
	reshape x = {.axis = -1, .shape = shape};
	zinc_status st;
	zinc_meta *m;

	if (!a || (!shape && zinc_array_ndim(a) > 0))
		return zinc_fail(err, ZINC_E_INVALID, "zinc_array_resize needs an array and a shape");
	h = a->h;
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	m = zinc_array_snapshot(a);
	x.ndim = m->ndim;
	x.lacks = lacks(h->store);
	st = check_resizable(m, err);
	if (st == ZINC_OK)
		st = put_shape(a, h, &x, err);
	zinc_meta_free(m);
	if (st == ZINC_OK)
		st = delete_outside(a, x.before, h->wait, err);
	return zinc_error_at_node(err, st, a->h, a->path);
}

/* Can the buffer be read and converted?  Checked before the shape changes. */
static zinc_status
check_buffer(zinc_array *a, const zinc_buffer *b, const zinc_io_options *options, zinc_error *err)
{
	zinc_call c;
	zinc_plan p;
	zinc_target t;
	zinc_status st;
	int d;

	memset(&p, 0, sizeof p);
	st = zinc_call_begin(&c, a, options, err);
	if (st == ZINC_OK) {
		p.m = c.m;
		p.sel.ndim = p.sel.out_ndim = b->ndim;
		p.sel.out_n = 1;
		for (d = 0; d < b->ndim; d++) {
			p.sel.dim[d].count = p.sel.out_shape[d] = b->shape[d];
			p.sel.out_n = b->shape[d] == 0 ? 0 : p.sel.out_n;
		}
		st = zinc_target_init(&t, c.m, &p.sel, b, c.o.convert, true, err);
	}
	if (st == ZINC_OK)
		st = zinc_transfer_check(&p, &t, c.workers[0].s, err);
	return zinc_call_end(&c, st, err);
}

/* All arguments of an append are checked before the shape changes. */
static zinc_status
reserve(zinc_array *a, zinc_hierarchy *h, reshape *x, const zinc_buffer *b, const zinc_io_options *options,
	zinc_error *err)
{
	zinc_meta *m = zinc_array_snapshot(a);
	zinc_status st = check_append(m, x->axis, b, err);

	x->ndim = m->ndim;
	zinc_meta_free(m);
	if (st == ZINC_OK && b->data)
		st = check_buffer(a, b, options, err);
	if (st == ZINC_OK)
		x->by = b->shape[x->axis];
	x->rows = b;
	return st == ZINC_OK ? put_shape(a, h, x, err) : st;
}

/* A relaxed append does not wait until the new shape is durable, just as for the elements. */
static void
relax(zinc_visit *v, zinc_hierarchy **h)
{
	static const zinc_wait for_ever = ZINC_WAIT_INIT;

	if (*h != &v->h)
		*h = zinc_visit_within(v, *h, (*h)->wait ? (*h)->wait : &for_ever);
	v->h.put_flags |= ZINC_PUT_RELAXED;
}

/* Write within the remaining time of the call. */
static zinc_status
write_rest(zinc_array *a, const zinc_selection *s, const zinc_buffer *b, zinc_io_options *o, const zinc_wait *wait,
	   zinc_error *err)
{
	zinc_call_options rest = zinc_wait_rest(wait);

	if (o->call) {
		rest.progress = o->call->progress;
		rest.progress_arg = o->call->progress_arg;
	}
	o->size = sizeof *o;
	o->call = &rest;
	return zinc_array_write(a, s, b, o, err);
}

zinc_status
zinc_array_append(zinc_array *a, int axis, const zinc_buffer *source, const zinc_io_options *options, uint64_t *at,
		  zinc_error *err)
{
	reshape x = {.axis = axis};
	uint64_t start[ZINC_MAX_NDIM] = {0};
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_hierarchy *h;
	zinc_io_options o;
	zinc_visit v;
	zinc_buffer b;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && source, err));
	h = a->h;
	st = zinc_options_take_as(&zinc_io_options_kind, &o, options, err);
	if (st == ZINC_OK)
		st = zinc_visit_begin(&v, &h, o.call, err);
	if (st == ZINC_OK && o.relaxed)
		relax(&v, &h);
	if (st == ZINC_OK)
		st = zinc_buffer_take(&b, source, err);
	if (st == ZINC_OK)
		st = reserve(a, h, &x, &b, options, err);
	if (st != ZINC_OK)
		return zinc_error_at_node(err, st, a->h, a->path);
	start[axis] = x.before[axis];
	if (at)
		*at = start[axis];
	if (!b.data) /* only the range was requested; the caller writes it */
		return ZINC_OK;
	s.kind = ZINC_SELECT_BOX;
	s.ndim = x.ndim;
	s.start = start;
	s.count = b.shape;
	return write_rest(a, &s, &b, &o, h->wait, err);
}
