/*
 * read_rows.c - plain elements from the file straight into the buffer's rows
 *
 * A chunk without compression is the elements themselves, so a selection of it is a set of byte
 * ranges.  Each row (a run that is contiguous in the file and in the buffer) becomes an iovec; rows that
 * follow each other in the file share one request, so a whole chunk is one preadv per 1 024 rows.
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
	bool missing;
	zinc_status code;
	zinc_error *err;
	const zinc_get *requests;
} rows;

static bool
simple(const zinc_job *j, const zinc_unit *u)
{
	int d;

	if (j->p->sel.is_points || j->t->convert != NULL || zinc_cache_of(j->c) != NULL)
		return false;
	if (!(j->c->caps.flags & ZINC_CAP_RANGE) || zinc_chain_plain(j->p->m->chain) != 1 ||
	    !zinc_axes_in_order(j->p->m))
		return false;
	for (d = 0; d < j->p->m->ndim; d++)
		if (u->seg[d]->in_list != NULL || (u->seg[d]->step != 1 && u->seg[d]->count > 1))
			return false;
	return true;
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

		together =
		    together && (g->count == 1 || t->strides[d] == (int64_t)run) && (run == (uint64_t)r->file[d]);
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
		*offset += (g->first + k) * (uint64_t)r->file[d];
		*at += (int64_t)(g->out + k) * r->t->strides[d];
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

static void
rows_done(void *arg, size_t i, const zinc_got *got)
{
	rows *r = arg;

	if (r->code != ZINC_OK)
		return;
	if (got->found == ZINC_MISSING)
		r->missing = true;
	else if (got->found == ZINC_FAILED)
		r->code = zinc_got_fail(got, r->err);
	else if (got->object_size != r->expected || got->nbytes != r->requests[i].length)
		r->code = zinc_fail(r->err, ZINC_E_CORRUPT, "the object has %llu bytes instead of %llu",
				    (unsigned long long)got->object_size, (unsigned long long)r->expected);
}

static zinc_status
read_requests(zinc_job *j, zinc_worker *w, rows *r, const char *key, bool whole, zinc_error *err)
{
	zinc_sink sink = {.done = rows_done, .arg = r, .cancel = j->c->o.cancel};
	zinc_get *requests;
	struct iovec *iov;
	size_t n;

	ZINC_TRY(zinc_buf_reset(&w->requests, (size_t)r->n * (sizeof *requests + sizeof *iov), err));
	requests = (zinc_get *)(void *)w->requests.p;
	iov = (struct iovec *)(void *)(w->requests.p + (size_t)r->n * sizeof *requests);
	n = make_requests(r, j->p->m->ndim, key, requests, iov);
	if (j->explain != NULL) {
		zinc_explain_requests(j->explain, n, n - (n == 1 && whole), r->missing ? 0 : r->n * r->bytes);
		return ZINC_OK;
	}
	r->requests = requests;
	r->err = err;
	ZINC_TRY(zinc_store_get(j->c->store, requests, n, &sink, err));
	return r->code;
}

/* Is the object there?  Rows are read exactly, nothing else of it. */
static zinc_status
explain_rows(zinc_job *j, const zinc_object *o, const char *key, rows *r, zinc_error *err)
{
	zinc_touch t;

	ZINC_TRY(zinc_explain_object(j, o, key, &t, err));
	r->missing = !t.found;
	t.exact = true;
	zinc_explain_unit(j->explain, &t);
	return ZINC_OK;
}

zinc_status
zinc_read_rows(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key, bool *done,
	       zinc_error *err)
{
	rows r = {.code = ZINC_OK};
	bool whole = u->full;

	*done = false;
	if (!simple(j, u) || !find_rows(&r, j->p->m, o, u, j->t))
		return ZINC_OK;
	if (!whole && r.n > 1 && r.bytes < ROW_BYTES_FAR)
		return ZINC_OK;
	if (zinc_shape_bytes(o->extent, j->p->m->ndim, j->t->element, UINT64_MAX, &r.expected))
		return ZINC_OK;
	*done = true;
	if (j->explain != NULL)
		ZINC_TRY(explain_rows(j, o, key, &r, err));
	ZINC_TRY(read_requests(j, w, &r, key, whole, err));
	if (!r.missing || j->explain != NULL)
		return ZINC_OK;
	if (j->c->o.missing_is_error)
		return zinc_fail(err, ZINC_E_NOTFOUND, "the chunk is not stored");
	return zinc_transfer_fill(j->p, j->t, u, err);
}
