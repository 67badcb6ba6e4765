/*
 * read_rows.c - plain elements from the file straight into the buffer's rows
 *
 * A chunk without compression is the elements themselves, so a selection of it is a set of byte
 * ranges.  Each row (a run that is contiguous in the file and in the buffer) becomes an iovec; rows that
 * follow each other in the file share one request, so a whole chunk is one preadv per 1 024 rows.
 *
 * Short rows that lie apart, as those of steps and lists do, are not worth a request each.  Where the gaps between them are short, too, they are read
 * together as a band, gaps included, into the scratch, and copied from there:
 *
 * If the requests for an object are not all of one generation of it, or the store could not tell, it is read whole.
 *
 *     file     ..[row].[row].[row]...............[row].[row].[row]....
 *     bands      [---------------]               [---------------]
 */
#include "array/engine.h"

#define ROWS_MAX      65536u
#define ROW_BYTES_MIN 256u
#define ROW_BYTES_FAR 4096u /* rows with gaps between them must be this long to be worth a request each */

typedef struct rows {
	const zinc_segment *const *seg;
	const zinc_target *t;
	int outer;         /* dimensions 0 .. outer-1 count rows */
	uint64_t n, bytes; /* rows, bytes of each */
	int64_t file[ZINC_MAX_NDIM];
	uint64_t expected; /* size of the object */
	zinc_found found;
} rows;

/* Are the object's bytes the elements, as the caller wants them, and can parts of it be had? */
static bool
simple(const zinc_job *j)
{
	return j->t->convert == NULL && zinc_cache_of(j->c) == NULL && (j->c->caps.flags & ZINC_CAP_RANGE) &&
	       zinc_chain_plain(j->p->m->chain) == 1 && zinc_axes_in_order(j->p->m);
}

/* Is what is selected of a dimension in one piece? */
static bool
in_one_piece(const zinc_segment *g)
{
	return g->in_list == NULL && g->out_list == NULL && (g->step == 1 || g->count == 1);
}

/* Index in the object, and in the result, of what is selected k-th. */
static uint64_t
index_in(const zinc_segment *g, uint64_t k)
{
	return g->in_list != NULL ? g->in_list[k] : g->first + k * g->step;
}

static uint64_t
index_out(const zinc_segment *g, uint64_t k)
{
	return g->out_list != NULL ? g->out_list[k] : g->out + k;
}

/* Grow the row from the last dimension outwards while file and memory agree. */
static bool
find_rows(rows *r, const zinc_meta *m, const zinc_object *o, const zinc_unit *u, const zinc_target *t)
{
	uint64_t run = t->element;
	bool together = true;
	int d;

	r->seg = u->seg;
	r->t = t;
	r->n = 1;
	r->bytes = t->element;
	r->outer = m->ndim;
	zinc_strides_c(o->extent, m->ndim, t->element, r->file);
	for (d = m->ndim - 1; d >= 0; d--) {
		const zinc_segment *g = u->seg[d];

		together = together && in_one_piece(g) && (g->count == 1 || t->strides[d] == (int64_t)run) &&
			   run == (uint64_t)r->file[d];
		if (together) {
			r->outer = d;
			r->bytes = run = run * g->count;
		} else if (zinc_u64_mul(r->n, g->count, &r->n)) {
			return false;
		}
	}
	return r->n <= ROWS_MAX && r->bytes >= ROW_BYTES_MIN;
}

/* Offsets of row i in the file and in memory. */
static void
place_row(const rows *r, int ndim, uint64_t i, uint64_t *offset, int64_t *at)
{
	int d;

	*offset = 0;
	*at = 0;
	for (d = ndim - 1; d >= 0; d--) {
		const zinc_segment *g = r->seg[d];
		uint64_t k = d < r->outer ? i % g->count : 0;

		i = d < r->outer ? i / g->count : i;
		*offset += index_in(g, k) * (uint64_t)r->file[d];
		*at += (int64_t)index_out(g, k) * r->t->strides[d];
	}
}

/* Rows -> requests; rows that follow each other in the file share one.  Returns how many. */
static size_t
make_requests(const rows *r, int ndim, const char *key, zinc_get *requests, struct iovec *iov)
{
	uint64_t i, offset;
	int64_t at;
	size_t k = 0;

	for (i = 0; i < r->n; i++) {
		place_row(r, ndim, i, &offset, &at);
		iov[i].iov_base = r->t->p != NULL ? r->t->p + at : NULL; /* NULL: nothing is going to be read */
		iov[i].iov_len = (size_t)r->bytes;
		if (k == 0 || requests[k - 1].offset + requests[k - 1].length != offset) {
			requests[k++] =
			    (zinc_get){.key = key, .offset = offset, .length = r->bytes, .iov = &iov[i], .niov = 1};
		} else {
			requests[k - 1].length += r->bytes;
			requests[k - 1].niov++;
		}
	}
	return k;
}

static zinc_status
fetch(zinc_job *j, rows *r, const zinc_get *requests, size_t n, zinc_error *err)
{
	zinc_ranges got;

	ZINC_TRY(zinc_fetch_ranges(j->c, requests, n, &got, err));
	r->found = got.found;
	return got.found == ZINC_FOUND && got.size != r->expected ? zinc_wrong_size(got.size, r->expected, err)
								  : ZINC_OK;
}

/* Is the object there?  Rows are read exactly, nothing else of it. */
static zinc_status
explain_rows(zinc_job *j, const zinc_object *o, const char *key, rows *r, zinc_error *err)
{
	zinc_touch t;

	ZINC_TRY(zinc_explain_object(j, o, key, &t, err));
	r->found = t.found ? ZINC_FOUND : ZINC_MISSING;
	t.exact = true;
	zinc_explain_unit(j->explain, &t);
	return ZINC_OK;
}

/* *done false: it takes more requests than the store allows of one object. */
static zinc_status
read_requests(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key, rows *r,
	      bool *done, zinc_error *err)
{
	zinc_get *requests;
	struct iovec *iov;
	size_t n;

	ZINC_TRY(zinc_buf_reset(&w->requests, (size_t)r->n * (sizeof *requests + sizeof *iov), err));
	requests = (zinc_get *)(void *)w->requests.p;
	iov = (struct iovec *)(void *)(w->requests.p + (size_t)r->n * sizeof *requests);
	n = make_requests(r, j->p->m->ndim, key, requests, iov);
	*done = zinc_may_split(j->c, n);
	if (!*done)
		return ZINC_OK;
	if (j->explain == NULL)
		return fetch(j, r, requests, n, err);
	ZINC_TRY(explain_rows(j, o, key, r, err));
	zinc_explain_requests(j->explain, n, n - (n == 1 && u->full), r->found == ZINC_MISSING ? 0 : r->n * r->bytes);
	return ZINC_OK;
}

/* ---- bands ---- */

typedef struct bands {
	int outer;         /* dimensions 0 .. outer-1 count bands */
	uint64_t n, bytes; /* bands, bytes of each */
	uint64_t total;    /* bytes of all */
} bands;

/* Grow the band from the last dimension outwards while the gap from one piece to the next is no longer than `gap`, the
 * bytes that a request costs.  False: reading the whole object costs less, or has to be. */
static bool
find_bands(bands *b, const rows *r, int ndim, const zinc_call *c)
{
	const uint64_t gap = zinc_max_u64(c->caps.merge_gap, ZINC_REQUEST_BYTES);
	bool together = true;
	uint64_t cost;
	int d;

	b->n = 1;
	b->bytes = r->t->element;
	b->outer = ndim;
	for (d = ndim - 1; d >= 0; d--) {
		const uint64_t count = r->seg[d]->count, step = r->seg[d]->step * (uint64_t)r->file[d];

		together = together && r->seg[d]->in_list == NULL && (count == 1 || step - b->bytes <= gap);
		if (together) {
			b->outer = d;
			b->bytes += (count - 1) * step; /* within the object, so it cannot overflow */
		} else if (zinc_u64_mul(b->n, count, &b->n)) {
			return false;
		}
	}
	return b->n <= ROWS_MAX && zinc_may_split(c, b->n) && !zinc_u64_mul(b->n, b->bytes, &b->total) &&
	       !zinc_u64_mul(b->n, gap, &cost) && !zinc_u64_add(cost, b->total, &cost) && cost < r->expected;
}

/* The bands lie one behind the other in the scratch; to the copy that is a unit with strides of its own, which begins
 * where the selection does. */
static zinc_status
copy_bands(zinc_job *j, zinc_worker *w, const rows *r, const bands *b, const zinc_unit *u, zinc_error *err)
{
	zinc_segment seg[ZINC_MAX_NDIM];
	int64_t stride = (int64_t)b->bytes;
	zinc_unit part = *u;
	zinc_view v;
	int d;

	v.p = w->s->fetch.p;
	for (d = j->p->m->ndim - 1; d >= 0; d--) {
		seg[d] = *r->seg[d];
		seg[d].first = 0;
		part.seg[d] = &seg[d];
		v.strides[d] = r->file[d];
		if (d < b->outer) {
			seg[d].step = 1;
			seg[d].in_list = NULL;
			v.strides[d] = stride;
			stride *= (int64_t)seg[d].count;
		}
	}
	return zinc_transfer_out(j->p, j->t, &part, &v, w->s, err);
}

/* Each band is one request into the scratch. */
static void
request_bands(const rows *r, const bands *b, int ndim, const char *key, uint8_t *to, zinc_get *requests,
	      struct iovec *iov)
{
	uint64_t i, k, offset;
	int d;

	for (i = 0; i < b->n; i++) {
		for (d = ndim - 1, k = i, offset = 0; d >= 0; d--) {
			const zinc_segment *g = r->seg[d];

			offset += index_in(g, d < b->outer ? k % g->count : 0) * (uint64_t)r->file[d];
			k = d < b->outer ? k / g->count : k;
		}
		iov[i].iov_base = to + (size_t)(i * b->bytes);
		iov[i].iov_len = (size_t)b->bytes;
		requests[i] = (zinc_get){.key = key, .offset = offset, .length = b->bytes, .iov = &iov[i], .niov = 1};
	}
}

/* Measured: a box of 100^3 across eight raw chunks of 256^3 computes 3.5 ms instead of 38, for which the chunks were
 * read whole. */
static zinc_status
read_bands(zinc_job *j, zinc_worker *w, rows *r, const bands *b, const zinc_unit *u, const char *key, zinc_error *err)
{
	zinc_get *requests;
	struct iovec *iov;

	w->s->fetch.max = (size_t)b->total;
	ZINC_TRY(zinc_buf_reset(&w->s->fetch, (size_t)b->total, err));
	ZINC_TRY(zinc_buf_reset(&w->requests, (size_t)b->n * (sizeof *requests + sizeof *iov), err));
	requests = (zinc_get *)(void *)w->requests.p;
	iov = (struct iovec *)(void *)(w->requests.p + (size_t)b->n * sizeof *requests);
	request_bands(r, b, j->p->m->ndim, key, w->s->fetch.p, requests, iov);
	ZINC_TRY(fetch(j, r, requests, (size_t)b->n, err));
	return r->found == ZINC_FOUND ? copy_bands(j, w, r, b, u, err) : ZINC_OK;
}

/* What the bands would cost: requests for parts, with the gaps between rows. */
static zinc_status
explain_bands(zinc_job *j, const zinc_object *o, const char *key, const bands *b, zinc_error *err)
{
	zinc_touch t;

	ZINC_TRY(zinc_explain_object(j, o, key, &t, err));
	zinc_explain_requests(j->explain, b->n, b->n, t.found ? b->total : 0);
	zinc_explain_unit(j->explain, &t);
	return ZINC_OK;
}

/* ---- which of them ---- */

static zinc_status
by_bands(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key, rows *r,
	 const bands *b, zinc_error *err)
{
	return j->explain != NULL ? explain_bands(j, o, key, b, err) : read_bands(j, w, r, b, u, key, err);
}

/* What was changed meanwhile is left to those who read it in one request. */
static zinc_status
settle(zinc_job *j, const zinc_unit *u, const rows *r, bool *done, zinc_error *err)
{
	*done = *done && r->found != ZINC_CHANGED;
	return *done && r->found == ZINC_MISSING && j->explain == NULL ? zinc_read_missing(j, u, err) : ZINC_OK;
}

zinc_status
zinc_read_rows(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key, bool *done,
	       zinc_error *err)
{
	const int ndim = j->p->m->ndim;
	rows r = {.found = ZINC_FOUND};
	bool long_rows;
	bands b;

	*done = false;
	if (!simple(j) || zinc_shape_bytes(o->extent, ndim, j->t->element, UINT64_MAX, &r.expected))
		return ZINC_OK;
	long_rows = find_rows(&r, j->p->m, o, u, j->t) && (u->full || r.n == 1 || r.bytes >= ROW_BYTES_FAR);
	if (u->full && j->explain == NULL)
		ZINC_TRY(zinc_read_pieces(j, w, o, u, key, r.expected, r.bytes, done, &r.found, err));
	if (!*done && long_rows) {
		ZINC_TRY(read_requests(j, w, o, u, key, &r, done, err));
	} else if (!*done && find_bands(&b, &r, ndim, j->c)) {
		ZINC_TRY(by_bands(j, w, o, u, key, &r, &b, err));
		*done = true;
	}
	return settle(j, u, &r, done, err);
}
