/*
 * pieces.c - cut a selection into boxes for threads
 *
 * Statistics and comparisons use every element once and keep none, so they process an array of any size in pieces:
 * boxes of whole chunks, each read and processed by one thread, so that decoding and counting overlap.
 *
 *     chunks  |.|.|.|.|      piece 0 = [# #]   piece 1 = [# #]        cut along a separate grid,
 *             |.|.|.|.|      piece 2 = [# #]   piece 3 = [# #]        whose steps are multiples of chunks
 *
 * Promises (tests/unit/test_tool_stats.c tries each by its number):
 *
 * (1) Every selected element is in exactly one piece; repeats of a list count as separate elements.
 * (2) Results are merged in order of the pieces, whatever the number of threads.
 * (3) If several pieces fail, the lowest is reported.
 * (4) Memory does not grow with the number of pieces.
 */
#include "tool/tool.h"

#define PIECE_BYTES  (4 * ZINC_MIB) /* of elements in one piece, unless a chunk has more */
#define POINTS_MAX   65536u         /* in one piece */
#define WINDOW_TURNS 8              /* pieces per thread between two merges */

/* ---- the cut ---- */

/* Chunks are joined from the last dimension on, because those are adjacent in the files of most arrays.  A piece of
 * a sharded array is a whole shard if it fits, because each piece reads the shard's index again. */
void
zinc_pieces_choose_size(const zinc_array *a, uint64_t *grain)
{
	const uint64_t *shape = zinc_array_shape(a);
	const uint64_t most = zinc_min_u64(PIECE_BYTES, a->ctx->in_flight_bytes / 2 / (uint64_t)a->ctx->threads);
	uint64_t bytes = zinc_max_u64(1, zinc_array_element_size(a)), many;
	int d, ndim = zinc_array_ndim(a);

	if (!zinc_array_chunk_shape(a, grain))
		memcpy(grain, shape, (size_t)ndim * sizeof *grain);
	for (d = 0; d < ndim; d++) {
		grain[d] = zinc_max_u64(1, grain[d]);
		if (zinc_u64_mul(bytes, grain[d], &bytes))
			return;
	}
	for (d = ndim - 1; d >= 0 && bytes < most; d--) {
		many = zinc_min_u64(most / bytes, zinc_ceil_div(shape[d], grain[d]));
		if (many < 2)
			continue;
		grain[d] *= many;
		bytes *= many;
	}
}

/* Convert lists of offsets within segments to lists of indices, which readers need. */
static zinc_status
name_indices(zinc_pieces *p, int d, zinc_error *err)
{
	const zinc_split *s = &p->split[d];
	size_t i, k, n = 0;

	if (!p->sel.dim[d].list || s->n == 0)
		return ZINC_OK;
	p->list[d] = zinc_calloc(p->ctx, (size_t)p->sel.dim[d].count, sizeof *p->list[d]);
	p->list_at[d] = zinc_calloc(p->ctx, s->n, sizeof *p->list_at[d]);
	if (!p->list[d] || !p->list_at[d])
		return zinc_fail_nomem(err);
	for (i = 0; i < s->n; i++) {
		const zinc_segment *g = &s->segments[i]; /* without a list where the indices are evenly spaced */

		p->list_at[d][i] = n;
		for (k = 0; k < g->count; k++)
			p->list[d][n++] = g->start + (g->in_list ? g->in_list[k] : g->first + k * g->step);
	}
	return ZINC_OK;
}

/* Refuse a number of pieces that would take too long. */
static zinc_status
check_number(const zinc_pieces *p, const zinc_grid *g, zinc_error *err)
{
	uint64_t bounds[ZINC_MAX_NDIM], n;
	int d;

	for (d = 0; d < p->sel.ndim; d++)
		bounds[d] = zinc_split_bound(g, d, &p->sel.dim[d]);
	if (zinc_shape_bytes(bounds, p->sel.ndim, 1, p->ctx->limits.children, &n))
		return zinc_fail(err, ZINC_E_LIMIT,
				 "more than %llu chunks to check (limits.children), and the store cannot list them; "
				 "select fewer (-s)",
				 (unsigned long long)p->ctx->limits.children);
	return ZINC_OK;
}

zinc_status
zinc_pieces_cut(zinc_pieces *p, const uint64_t *grain, zinc_error *err)
{
	zinc_grid g;
	int d;

	p->n = 1;
	zinc_grid_regular_init(&g, p->sel.ndim, grain);
	ZINC_TRY(check_number(p, &g, err));
	for (d = 0; d < p->sel.ndim; d++) {
		ZINC_TRY(zinc_split_init(&p->split[d], p->ctx, &g, d, &p->sel.dim[d], err));
		ZINC_TRY(name_indices(p, d, err));
		if (zinc_size_mul(p->n, p->split[d].n, &p->n))
			return zinc_fail(err, ZINC_E_LIMIT, "the selection touches more chunks than can be counted");
	}
	return ZINC_OK;
}

zinc_status
zinc_pieces_init(zinc_pieces *p, const zinc_array *a, const zinc_selection *s, const uint64_t *grain, zinc_error *err)
{
	zinc_meta *m = zinc_array_snapshot(a);
	zinc_status st = ZINC_OK;

	memset(p, 0, sizeof *p);
	p->ctx = a->ctx;
	p->element = m->dtype ? m->dtype->size : 0;
	if (m->unsupported)
		st = zinc_meta_refuse(m, err);
	if (st == ZINC_OK)
		st = zinc_sel_init(&p->sel, a->ctx, s, m->grid, m->ndim, m->shape, err);
	if (st == ZINC_OK && p->sel.is_points)
		p->n = (size_t)zinc_ceil_div(p->sel.npoints, POINTS_MAX);
	else if (st == ZINC_OK)
		st = zinc_pieces_cut(p, grain, err);
	zinc_meta_free(m);
	return st;
}

void
zinc_pieces_fini(zinc_pieces *p)
{
	int d;

	zinc_free(p->ctx, p->cells);
	for (d = 0; d < p->sel.ndim && !p->sel.is_points; d++) {
		zinc_split_fini(&p->split[d]);
		zinc_free(p->ctx, p->list[d]);
		zinc_free(p->ctx, p->list_at[d]);
	}
	zinc_sel_fini(&p->sel);
	zinc_meta_free(p->meta);
}

/* ---- one piece ---- */

static void
points_piece(const zinc_pieces *p, size_t i, zinc_piece *out)
{
	const size_t first = i * POINTS_MAX;

	out->n = zinc_min_u64(POINTS_MAX, p->sel.npoints - first);
	out->sel.size = sizeof out->sel;
	out->sel.kind = ZINC_SELECT_POINTS;
	out->sel.points = p->sel.points + first * (size_t)p->sel.ndim;
	out->sel.npoints = (size_t)out->n;
}

void
zinc_pieces_get(const zinc_pieces *p, size_t i, zinc_piece *out)
{
	int d;

	memset(&out->sel, 0, sizeof out->sel);
	out->sel.ndim = p->sel.ndim;
	out->n = 1;
	if (p->sparse) {
		zinc_pieces_cell(p, p->cells[i], out);
		return;
	}
	if (p->sel.is_points) {
		points_piece(p, i, out);
		return;
	}
	for (d = p->sel.ndim - 1; d >= 0; d--) {
		const size_t at = i % p->split[d].n;
		const zinc_segment *s = &p->split[d].segments[at];

		i /= p->split[d].n;
		out->dims[d] = (zinc_select_dim){.start = s->start + s->first, .count = s->count, .step = s->step};
		if (s->in_list) {
			out->dims[d].list = p->list[d] + p->list_at[d][at];
			out->dims[d].nlist = (size_t)s->count;
		}
		out->n *= s->count; /* at most the array's elements, which were checked */
	}
	out->sel.size = sizeof out->sel;
	out->sel.kind = ZINC_SELECT_ORTHO;
	out->sel.dims = out->dims;
}

void
zinc_piece_index(const zinc_piece *piece, uint64_t k, uint64_t *index)
{
	int d;

	if (piece->sel.kind == ZINC_SELECT_POINTS) {
		memcpy(index, piece->sel.points + k * (uint64_t)piece->sel.ndim,
		       (size_t)piece->sel.ndim * sizeof *index);
		return;
	}
	for (d = piece->sel.ndim - 1; d >= 0; d--) {
		const zinc_select_dim *s = &piece->dims[d];

		index[d] = s->list ? s->list[k % s->count] : s->start + k % s->count * s->step;
		k /= s->count;
	}
}

/* ---- all pieces ---- */

struct window {
	const zinc_pieces *p;
	const zinc_pieces_job *job;
	size_t first; /* piece of slot 0 */
	pthread_mutex_t lock;
	uint64_t done, bytes;
	size_t failed; /* lowest failed piece; SIZE_MAX: none */
	zinc_error error;
};

static void
note_failure(struct window *w, size_t at, const zinc_error *e)
{
	pthread_mutex_lock(&w->lock);
	if (at < w->failed) {
		w->failed = at;
		w->error = *e;
	}
	pthread_mutex_unlock(&w->lock);
}

static void
note_progress(struct window *w, size_t at, uint64_t nbytes)
{
	zinc_error e = ZINC_ERROR_INIT;
	int stop = 0;

	pthread_mutex_lock(&w->lock);
	w->done++;
	w->bytes += nbytes;
	if (w->job->call->progress)
		stop = w->job->call->progress(w->job->call->progress_arg, w->done, w->p->n, w->bytes);
	pthread_mutex_unlock(&w->lock);
	if (!stop)
		return;
	zinc_fail(&e, ZINC_E_CANCELLED, "cancelled by the progress callback");
	note_failure(w, at, &e);
}

static void
do_piece(void *arg, size_t i, int worker)
{
	struct window *w = arg;
	const size_t at = w->first + i;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_piece piece;
	zinc_status st;

	pthread_mutex_lock(&w->lock);
	st = at > w->failed ? ZINC_E_CANCELLED : ZINC_OK; /* an earlier failure is reported instead */
	pthread_mutex_unlock(&w->lock);
	if (st != ZINC_OK)
		return;
	st = zinc_wait_check(w->job->wait, &e);
	if (st == ZINC_OK) {
		zinc_pieces_get(w->p, at, &piece);
		st = w->job->work(w->job->arg, &piece, i, worker, &e);
	}
	if (st != ZINC_OK)
		note_failure(w, at, &e);
	else
		note_progress(w, at, piece.n * w->p->element);
}

size_t
zinc_pieces_window(int threads)
{
	return (size_t)threads * WINDOW_TURNS;
}

zinc_status
zinc_pieces_run(const zinc_pieces *p, const zinc_pieces_job *job, zinc_error *err)
{
	struct window w = {.p = p, .job = job, .failed = SIZE_MAX, .error = ZINC_ERROR_INIT};
	const size_t most = zinc_pieces_window(job->threads);
	size_t i, n;

	pthread_mutex_init(&w.lock, NULL);
	for (; w.first < p->n && w.failed == SIZE_MAX; w.first += n) {
		n = p->n - w.first < most ? p->n - w.first : most;
		zinc_pool_run(p->ctx, job->threads, n, do_piece, &w);
		for (i = 0; i < n && w.failed == SIZE_MAX; i++)
			job->merge(job->arg, i);
	}
	pthread_mutex_destroy(&w.lock);
	return w.failed == SIZE_MAX ? ZINC_OK : zinc_error_copy(err, &w.error);
}

zinc_status
zinc_piece_read(zinc_array *a, const zinc_piece *piece, zinc_buffer *b, const zinc_wait *wait, zinc_error *err)
{
	const zinc_call_options rest = zinc_wait_rest(wait);
	zinc_io_options o = ZINC_IO_OPTIONS_INIT;

	o.call = &rest;
	return zinc_array_read(a, &piece->sel, b, &o, err);
}
