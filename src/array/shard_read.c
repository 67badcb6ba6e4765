/*
 * shard_read.c - read a selection from open shards: only the index and the inner chunks it needs
 *
 * Promises (tests/unit/test_shard_read.c names each by its number):
 *
 * (1) The bytes of one shard come from one generation: every range carries the tag that the index came with; a
 *     shard that changes meanwhile is read anew, 8 times, then E_CONFLICT.  One without a tag is read whole, in one
 *     request.
 * (2) Ranges of a batch are sorted and merged where the store says that a gap is cheaper than a request.
 * (3) Inner chunks of all shards of a window are scheduled together.
 * (4) Where the grid's shards differ in size so do their indexes.
 *
 *     window:   [shard][shard][shard] ...         first all indexes, in parallel,
 *     batches:  [u u u u][u u u u][u u ...        then all inner chunks, in parallel
 */
#include "array/engine.h"

#define WINDOW_MAX   64u
#define WINDOW_BYTES (16 * ZINC_MIB) /* of indexes in memory */
#define BATCH_BYTES  ZINC_MIB        /* of decoded inner chunks handled at once */
#define BATCH_MAX    1024u
#define TRIES        8

/* One shard of the window. */
typedef struct slot {
	zinc_object o;
	zinc_tag tag;
	bool found;
	uint64_t size; /* of the object */
	atomic_bool changed;
	zinc_buf whole; /* all of an object that has no tag */
	zinc_shard_entry *entries;
	uint64_t nentries;
	size_t index_bytes;
	uint64_t shape[ZINC_MAX_NDIM], per_axis[ZINC_MAX_NDIM]; /* in the codec's axes */
	size_t first_batch;                                     /* of the window */
	size_t nbatches;
	size_t batch_units;
} slot;

typedef struct window {
	zinc_job *j;
	slot *slots;
	size_t nslots;
	size_t first; /* object number of slots[0] */
	size_t *todo; /* slots to read in this try */
	size_t ntodo;
	zinc_shard_entry *entries; /* nslots * nentries */
	uint64_t nentries;         /* of the largest shard */
	size_t unit_limit;         /* encoded bytes of an inner chunk */
	uint64_t unit_bytes;
} window;

static void
fail_at(zinc_job *j, zinc_worker *w, const slot *s, zinc_status code)
{
	if (w->key.n > 0)
		zinc_error_at_key(&w->err, code, (const char *)w->key.p);
	zinc_error_at_chunk(&w->err, code, s->o.index, j->p->m->ndim);
	zinc_call_fail(j->c, s->o.number, code, &w->err);
}

void
zinc_shard_shape(const zinc_meta *m, const uint64_t *extent, uint64_t *shard_shape)
{
	int d;

	for (d = 0; d < m->ndim; d++)
		shard_shape[d] = extent[m->chain->axis[d]];
}

uint64_t
zinc_shard_position(const zinc_meta *m, const uint64_t *per_axis, const uint64_t *inner)
{
	uint64_t at = 0;
	int d;

	for (d = 0; d < m->ndim; d++)
		at = at * per_axis[d] + inner[m->chain->axis[d]];
	return at;
}

/* ---- the indexes ---- */

typedef struct index_fetch {
	zinc_buf *into;
	uint64_t limit;
	slot *s;
	uint64_t object_size;
	zinc_status code;
	zinc_error *err;
} index_fetch;

static zinc_room
index_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	index_fetch *f = arg;

	(void)i;
	f->into->max = (size_t)zinc_min_u64(nbytes, f->limit);
	if (nbytes > f->limit)
		f->code = zinc_fail(f->err, ZINC_E_LIMIT,
				    "a shard of %llu bytes, of which the store can give no part safely: it has no tags",
				    (unsigned long long)nbytes);
	else
		f->code = zinc_buf_reset(f->into, (size_t)nbytes, f->err);
	*buf = f->into->p;
	return f->code == ZINC_OK ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

static void
index_done(void *arg, size_t i, const zinc_got *got)
{
	index_fetch *f = arg;

	(void)i;
	f->s->found = got->found == ZINC_FOUND;
	if (f->s->found) {
		f->into->n = (size_t)got->nbytes;
		f->object_size = got->object_size;
		f->s->tag = *got->tag;
	} else if (got->found != ZINC_MISSING && f->code == ZINC_OK) {
		f->code = zinc_got_fail(got, f->err);
	}
}

static zinc_status
load(window *win, slot *s, const zinc_get *g, zinc_buf *into, zinc_error *err)
{
	zinc_job *j = win->j;
	index_fetch f = {.into = into, .limit = UINT64_MAX, .s = s, .err = err};
	zinc_sink sink = {.room = index_room, .done = index_done, .arg = &f, .cancel = j->c->o.cancel};

	if (g->length == ZINC_TO_END)
		f.limit = 2 * j->c->ctx->limits.chunk_bytes;
	ZINC_TRY(zinc_store_get(j->c->store, g, 1, &sink, err));
	ZINC_TRY(f.code);
	s->size = s->found ? f.object_size : 0;
	if (j->explain != NULL)
		zinc_explain_requests(j->explain, 1, g->length != ZINC_TO_END, s->found ? into->n : 0);
	return ZINC_OK;
}

/* Where the store gives no tag nothing shows that ranges belong to the index, so all of the shard is had at once. */
static zinc_status
load_index(window *win, zinc_worker *w, slot *s, zinc_error *err)
{
	zinc_job *j = win->j;
	const zinc_shard *sh = j->p->m->chain->shard;
	zinc_get g = {.length = s->index_bytes, .suffix = !sh->index_at_start};
	zinc_buf *from = &w->s->fetch;
	zinc_bytes tail;

	ZINC_TRY(zinc_call_key(j->c, w, s->o.index, &g.key, err));
	if (s->nentries > win->nentries) /* the grid is a program's */
		return zinc_fail(err, ZINC_E_CORRUPT, "the shard is larger than the widest of its grid");
	s->tag.n = 0;
	if (j->c->caps.flags & ZINC_CAP_TAGS)
		ZINC_TRY(load(win, s, &g, from, err));
	if (!(j->c->caps.flags & ZINC_CAP_TAGS) || (s->found && s->tag.n == 0)) {
		g = (zinc_get){.key = g.key, .length = ZINC_TO_END};
		from = &s->whole;
		ZINC_TRY(load(win, s, &g, from, err));
	}
	if (!s->found)
		return ZINC_OK;
	tail = (zinc_bytes){from->p, from->n};
	if (from == &s->whole && tail.n > s->index_bytes) {
		tail.p += sh->index_at_start ? 0 : tail.n - s->index_bytes;
		tail.n = s->index_bytes;
	}
	return zinc_shard_index_decode(sh, w->s, s->shape, tail, s->size, s->entries, err);
}

static void
load_item(void *arg, size_t i, int worker)
{
	window *win = arg;
	zinc_worker *w = &win->j->c->workers[worker];
	slot *s = &win->slots[win->todo[i]];
	zinc_status code;

	if (zinc_call_stopped(win->j->c, s->o.number))
		return;
	zinc_buf_end(&w->key, 0);
	atomic_store(&s->changed, false);
	code = load_index(win, w, s, &w->err);
	if (code != ZINC_OK) {
		s->found = false;
		fail_at(win->j, w, s, code);
	}
}

/* ---- batches of inner chunks ---- */

/* One inner chunk that has to be fetched. */
typedef struct wanted {
	uint64_t offset, nbytes;
	size_t unit;      /* number within the object */
	size_t points_at; /* points: where its unit begins */
	const uint8_t *bytes;
} wanted;

static int
by_offset(const void *a, const void *b)
{
	const wanted *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Lay the wanted chunks into one buffer and merge neighbours into requests.  Returns the number of requests. */
static size_t
merge(const window *win, const slot *s, wanted *list, size_t n, const char *key, zinc_get *requests, struct iovec *iov,
      uint64_t *total)
{
	uint64_t gap = win->j->c->caps.merge_gap, end = 0;
	size_t i, k = 0;

	*total = 0;
	for (i = 0; i < n; i++) {
		zinc_get *r = k > 0 ? &requests[k - 1] : NULL;

		if (r != NULL && list[i].offset <= end + gap) {
			uint64_t far = list[i].offset + list[i].nbytes;

			if (far > end) {
				*total += far - end;
				r->length += far - end;
				end = far;
			}
		} else {
			r = &requests[k++];
			*r = (zinc_get){.key = key, .offset = list[i].offset, .length = list[i].nbytes, .niov = 1};
			r->if_tag = &s->tag;
			*total += r->length;
			end = r->offset + r->length;
		}
		list[i].bytes =
		    (const uint8_t *)(uintptr_t)(*total - (end - list[i].offset)); /* offset in the buffer, for now */
	}
	for (i = 0; i < k; i++)
		requests[i].iov = &iov[i];
	return k;
}

static zinc_status
fetch_wanted(window *win, zinc_worker *w, slot *s, wanted *list, size_t n, zinc_get *requests, struct iovec *iov,
	     zinc_error *err)
{
	const char *key = (const char *)w->key.p;
	zinc_ranges got;
	uint64_t total;
	uint8_t *p;
	size_t i, k;

	for (i = 0; i < n && s->tag.n == 0; i++)
		list[i].bytes = s->whole.p + list[i].offset; /* the index was checked against the size */
	if (s->tag.n == 0)
		return ZINC_OK;
	qsort(list, n, sizeof *list, by_offset);
	k = merge(win, s, list, n, key, requests, iov, &total);
	if (win->j->explain != NULL) {
		zinc_explain_requests(win->j->explain, k, k, total);
		return ZINC_OK;
	}
	w->s->fetch.max = (size_t)total;
	ZINC_TRY(zinc_buf_reset(&w->s->fetch, (size_t)total, err));
	for (i = 0, p = w->s->fetch.p; i < k; i++) {
		iov[i].iov_base = p;
		iov[i].iov_len = (size_t)requests[i].length;
		p += requests[i].length;
	}
	for (i = 0; i < n; i++)
		list[i].bytes = w->s->fetch.p + (uintptr_t)list[i].bytes;
	ZINC_TRY(zinc_fetch_ranges(win->j->c, requests, k, &got, err));
	if (got.found != ZINC_FOUND || got.size != s->size)
		atomic_store(&s->changed, true); /* replaced or erased since its index was read */
	return ZINC_OK;
}

/* The strides of a view in the shard's axes -> in the array's. */
static void
turn_view(const zinc_meta *m, const zinc_view *in, zinc_view *out)
{
	int d;

	out->p = in->p;
	for (d = 0; d < m->ndim; d++)
		out->strides[m->chain->axis[d]] = in->strides[d];
}

/* No further than the selection needs, unless all of it is to be kept.  Measured on 2 cores: a plane of axis 0 in the
 * middle of 512^3 of 64^3 inner chunks (zstd) computes 40 ms instead of 56. */
static zinc_status
decode_unit(window *win, zinc_worker *w, const slot *s, const zinc_unit *u, zinc_bytes in, uint64_t position,
	    zinc_error *err)
{
	zinc_job *j = win->j;
	const zinc_meta *m = j->p->m;
	zinc_cache *cache = zinc_cache_of(j->c);
	uint8_t *direct = zinc_axes_in_order(m) ? zinc_transfer_direct(j->p, j->t, u) : NULL;
	const zinc_chain *inner = m->chain->shard->inner;
	const uint64_t *shape = m->chain->shard->chunk_shape;
	zinc_needed n = {0, 0};
	zinc_view v, t;

	if (cache == NULL)
		n = zinc_elements_needed(j->p, inner, m->chain->axis, shape, u);
	ZINC_TRY(zinc_chain_decode_part(inner, w->s, shape, in, direct, n.first, n.end, &v, err));
	turn_view(m, &v, &t);
	if (cache != NULL)
		zinc_cache_put(cache, j->c->store, (const char *)w->key.p, position, &s->tag, &t, u->extent, m->ndim,
			       m->dtype->size);
	return v.p == direct ? ZINC_OK : zinc_transfer_out(j->p, j->t, u, &t, w->s, err);
}

/* Serve a unit without reading: not stored, or cached.  *done says whether. */
static zinc_status
unit_at_hand(window *win, zinc_worker *w, const slot *s, const zinc_unit *u, uint64_t position, bool *done,
	     zinc_error *err)
{
	zinc_job *j = win->j;
	const zinc_meta *m = j->p->m;
	zinc_cache *cache = zinc_cache_of(j->c);
	zinc_status code;
	zinc_view v;
	void *hold;

	*done = true;
	if (!s->found || s->entries[position].nbytes == ZINC_SHARD_EMPTY) {
		if (j->c->o.missing_is_error)
			return zinc_fail(err, ZINC_E_NOTFOUND, "the %s is not stored",
					 s->found ? "inner chunk" : "shard");
		return zinc_transfer_fill(j->p, j->t, u, err);
	}
	*done = false;
	if (cache == NULL)
		return ZINC_OK;
	v.p = (uint8_t *)(uintptr_t)zinc_cache_get(cache, j->c->store, (const char *)w->key.p, position, &s->tag,
						   u->extent, m->ndim, m->dtype->size, &hold);
	if (v.p == NULL)
		return ZINC_OK;
	zinc_strides_c(u->extent, m->ndim, m->dtype->size, v.strides);
	code = zinc_transfer_out(j->p, j->t, u, &v, w->s, err);
	zinc_cache_release(cache, hold);
	*done = true;
	return code;
}

static zinc_status
check_entry(const window *win, const zinc_shard_entry *e, zinc_error *err)
{
	if (e->nbytes > win->unit_limit)
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "an inner chunk of %llu bytes: no encoding of it has more than %zu",
				 (unsigned long long)e->nbytes, win->unit_limit);
	return ZINC_OK;
}

/* Room for the bookkeeping of n units in w->requests. */
static zinc_status
batch_room(zinc_worker *w, size_t n, wanted **list, zinc_get **requests, struct iovec **iov, zinc_error *err)
{
	size_t a = n * sizeof **list, b = n * sizeof **requests;

	ZINC_TRY(zinc_buf_reset(&w->requests, a + b + n * sizeof **iov, err));
	*list = (wanted *)(void *)w->requests.p;
	*requests = (zinc_get *)(void *)(w->requests.p + a);
	*iov = (struct iovec *)(void *)(w->requests.p + a + b);
	return ZINC_OK;
}

/* What is told of a unit instead of reading it. */
static void
explain_unit(zinc_job *j, const slot *s, size_t unit, uint64_t position)
{
	zinc_touch t = {.object = s->o.number, .unit = unit, .object_found = s->found};

	t.found = s->found && s->entries[position].nbytes != ZINC_SHARD_EMPTY;
	t.offset = t.found ? s->entries[position].offset : 0;
	t.nbytes = t.found ? s->entries[position].nbytes : 0;
	t.object_bytes = s->size;
	zinc_explain_unit(j->explain, &t);
}

static zinc_status
read_batch(window *win, zinc_worker *w, slot *s, size_t first, size_t count, zinc_error *err)
{
	zinc_job *j = win->j;
	zinc_unit u;
	wanted *list;
	zinc_get *requests;
	struct iovec *iov;
	const char *key;
	size_t i, n = 0;
	bool done;

	ZINC_TRY(zinc_call_key(j->c, w, s->o.index, &key, err));
	ZINC_TRY(batch_room(w, count, &list, &requests, &iov, err));
	for (i = 0; i < count; i++) {
		uint64_t at;

		zinc_plan_unit(j->p, &s->o, first + i, &u);
		at = zinc_shard_position(j->p->m, s->per_axis, u.inner);
		if (j->explain != NULL) {
			explain_unit(j, s, first + i, at);
			done = !s->found || s->entries[at].nbytes == ZINC_SHARD_EMPTY;
		} else {
			ZINC_TRY(unit_at_hand(win, w, s, &u, at, &done, err));
		}
		if (done)
			continue;
		ZINC_TRY(check_entry(win, &s->entries[at], err));
		list[n++] = (wanted){s->entries[at].offset, s->entries[at].nbytes, first + i, u.begin, NULL};
	}
	if (n == 0)
		return ZINC_OK;
	ZINC_TRY(fetch_wanted(win, w, s, list, n, requests, iov, err));
	for (i = 0; i < n && j->explain == NULL && !atomic_load(&s->changed); i++) {
		zinc_bytes in = {list[i].bytes, (size_t)list[i].nbytes};

		u.end = list[i].points_at;
		zinc_plan_unit(j->p, &s->o, list[i].unit, &u);
		ZINC_TRY(decode_unit(win, w, s, &u, in, zinc_shard_position(j->p->m, s->per_axis, u.inner), err));
	}
	return ZINC_OK;
}

/* The slot that holds batch i of the window. */
static slot *
slot_of(const window *win, size_t i)
{
	size_t low = 0, high = win->ntodo;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (win->slots[win->todo[mid]].first_batch <= i)
			low = mid;
		else
			high = mid;
	}
	return &win->slots[win->todo[low]];
}

static void
batch_item(void *arg, size_t i, int worker)
{
	window *win = arg;
	zinc_worker *w = &win->j->c->workers[worker];
	slot *s = slot_of(win, i);
	size_t first = (i - s->first_batch) * s->batch_units;
	size_t count = s->o.nunits - first < s->batch_units ? s->o.nunits - first : s->batch_units;
	zinc_status code;

	if (zinc_call_stopped(win->j->c, s->o.number) || atomic_load(&s->changed))
		return;
	zinc_buf_end(&w->key, 0);
	code = read_batch(win, w, s, first, count, &w->err);
	if (code != ZINC_OK)
		fail_at(win->j, w, s, code);
	else if (!atomic_load(&s->changed))
		zinc_call_done(win->j->c, s->o.number, count * win->unit_bytes);
}

/* ---- windows ---- */

/* Read the slots in todo; those that changed meanwhile stay in todo. */
static void
read_todo(window *win)
{
	zinc_context *ctx = win->j->c->ctx;
	size_t i, n = 0, batches = 0;

	zinc_pool_run(ctx, win->j->c->threads, win->ntodo, load_item, win);
	for (i = 0; i < win->ntodo; i++) {
		slot *s = &win->slots[win->todo[i]];

		s->first_batch = batches;
		batches += s->nbatches;
	}
	zinc_pool_run(ctx, win->j->c->threads, batches, batch_item, win);
	for (i = 0; i < win->ntodo; i++)
		if (atomic_load(&win->slots[win->todo[i]].changed))
			win->todo[n++] = win->todo[i];
	win->ntodo = n;
}

static void
open_slot(window *win, size_t i)
{
	slot *s = &win->slots[i];
	const zinc_plan *p = win->j->p;
	uint64_t units = zinc_max_u64(1, zinc_min_u64(BATCH_MAX, BATCH_BYTES / zinc_max_u64(1, win->unit_bytes)));

	zinc_plan_object(p, win->first + i, &s->o);
	zinc_shard_shape(p->m, s->o.extent, s->shape);
	s->entries = win->entries + i * win->nentries;
	s->nentries = zinc_shard_count(p->m->chain->shard, s->shape, s->per_axis);
	(void)zinc_shard_index_bytes(p->m->chain->shard, s->shape, &s->index_bytes); /* that of the largest fits */
	/* points of an object come in order only, so they are one batch */
	s->batch_units = p->sel.is_points ? s->o.nunits : (size_t)units;
	s->nbatches = (size_t)zinc_ceil_div(s->o.nunits, s->batch_units);
	win->todo[i] = i;
}

static void
conflict(window *win)
{
	zinc_worker *w = &win->j->c->workers[0];
	const slot *s = &win->slots[win->todo[0]];

	zinc_buf_end(&w->key, 0);
	(void)zinc_call_key(win->j->c, w, s->o.index, &(const char *){NULL}, NULL);
	zinc_fail(&w->err, ZINC_E_CONFLICT, "the shard was replaced %d times while it was read", TRIES);
	fail_at(win->j, w, s, ZINC_E_CONFLICT);
}

static void
read_window(window *win)
{
	size_t i;
	int tries;

	for (i = 0; i < win->nslots; i++)
		open_slot(win, i);
	win->ntodo = win->nslots;
	for (tries = 0; win->ntodo > 0 && tries < TRIES && win->j->c->code == ZINC_OK; tries++)
		read_todo(win);
	if (win->ntodo > 0 && win->j->c->code == ZINC_OK)
		conflict(win);
}

static zinc_status
window_init(window *win, zinc_job *j, size_t *slots, zinc_error *err)
{
	const zinc_meta *m = j->p->m;
	const zinc_shard *sh = m->chain->shard;
	uint64_t widest[ZINC_MAX_NDIM], shape[ZINC_MAX_NDIM], n;
	size_t index_bytes, i;
	int d;

	win->j = j;
	for (d = 0; d < m->ndim; d++)
		widest[d] = m->grid->ops->widest(m->grid, d);
	zinc_shard_shape(m, widest, shape);
	win->nentries = zinc_shard_count(sh, shape, widest);
	if (zinc_shard_index_bytes(sh, shape, &index_bytes) || win->nentries > SIZE_MAX / WINDOW_MAX ||
	    zinc_shape_bytes(sh->chunk_shape, m->ndim, m->dtype->size, j->c->ctx->limits.chunk_bytes, &win->unit_bytes))
		return zinc_fail(err, ZINC_E_LIMIT,
				 "the shard's index or inner chunks are larger than the limits allow");
	if (sh->inner->shard != NULL || zinc_chain_bound(sh->inner, sh->chunk_shape, &win->unit_limit))
		win->unit_limit = (size_t)(2 * j->c->ctx->limits.chunk_bytes);
	n = zinc_max_u64(
	    1, zinc_min_u64(WINDOW_MAX, WINDOW_BYTES / zinc_max_u64(1, win->nentries * sizeof(zinc_shard_entry))));
	if (!(j->c->caps.flags & ZINC_CAP_TAGS))
		n = 1; /* all of it is going to be in memory */
	*slots = (size_t)zinc_min_u64(n, j->p->nobjects);
	win->slots = zinc_calloc(j->c->ctx, *slots, sizeof *win->slots);
	win->todo = zinc_calloc(j->c->ctx, *slots, sizeof *win->todo);
	win->entries = zinc_calloc(j->c->ctx, *slots * (size_t)win->nentries, sizeof *win->entries);
	for (i = 0; win->slots != NULL && i < *slots; i++)
		zinc_buf_init(&win->slots[i].whole, j->c->ctx, zinc_max_chunk(j->c->ctx));
	return win->slots == NULL || win->todo == NULL || win->entries == NULL ? zinc_fail_nomem(err) : ZINC_OK;
}

zinc_status
zinc_job_read_shards(zinc_job *j, zinc_error *err)
{
	window win;
	size_t slots = 0, i;
	zinc_status code;

	memset(&win, 0, sizeof win);
	code = window_init(&win, j, &slots, err);
	for (i = 0; code == ZINC_OK && i < j->p->nobjects && j->c->code == ZINC_OK; i += slots) {
		win.first = i;
		win.nslots = j->p->nobjects - i < slots ? j->p->nobjects - i : slots;
		read_window(&win);
	}
	for (i = 0; win.slots != NULL && i < slots; i++)
		zinc_buf_fini(&win.slots[i].whole);
	zinc_free(j->c->ctx, win.slots);
	zinc_free(j->c->ctx, win.todo);
	zinc_free(j->c->ctx, win.entries);
	return code;
}
