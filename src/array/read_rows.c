/*
 * read_rows.c - read plain elements from the file directly into the buffer's rows
 *
 * A chunk without compression is the elements themselves, so a selection of it is a set of byte ranges.  Each row (a
 * run that is contiguous in the file and in the buffer) becomes an iovec.  Rows that are adjacent in the file share
 * one request, so a whole chunk is one preadv per 1 024 rows.
 *
 * Short rows with gaps, as those of steps and lists, are not worth a request each.  If the gaps are short too, rows and
 * gaps are read together as a band, and the rows are copied from there:
 *
 *     file     ..[row].[row].[row]...............[row].[row].[row]....
 *     bands      [---------------]               [---------------]
 *
 * If the answers for an object are not all of one generation, or the store has no tags, it is read whole.
 */
#include "array/engine.h"

#define ROWS_MAX      65536u
#define ROW_BYTES_MIN 256u
#define ROW_BYTES_FAR 4096u /* rows with gaps must be this long to be worth a request each */

/* Are the object's bytes the elements, as they are in the buffer, and can parts of it be read? */
static bool
simple(const zinc_job *j)
{
	return !j->p->sel.is_points && !j->t->convert && !zinc_cache_of(j->c) && (j->c->caps.flags & ZINC_CAP_RANGE) &&
	       zinc_chain_plain(j->p->m->chain) == 1 && zinc_axes_in_order(j->p->m);
}

/* Is the selection of a dimension contiguous? */
static bool
in_one_piece(const zinc_segment *g)
{
	return !g->in_list && !g->out_list && (g->step == 1 || g->count == 1);
}

/* The index of the k-th selected element in the object, and in the result. */
static uint64_t
index_in(const zinc_segment *g, uint64_t k)
{
	return g->in_list ? g->in_list[k] : g->first + k * g->step;
}

static uint64_t
index_out(const zinc_segment *g, uint64_t k)
{
	return g->out_list ? g->out_list[k] : g->out + k;
}

/* Extend the row from the last dimension outwards while file and memory are both contiguous.  False: the number of rows
 * overflows. */
static bool
grow_rows(zinc_rows *r, const zinc_meta *m, const zinc_unit *u, const zinc_target *t)
{
	uint64_t run = t->element;
	bool together = true;
	int d;

	r->n = 1;
	r->bytes = t->element;
	r->outer = m->ndim;
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
	return true;
}

bool
zinc_rows_find(zinc_rows *r, const zinc_job *j, const zinc_reading *x)
{
	const zinc_meta *m = j->p->m;

	if (!simple(j) || zinc_shape_bytes(x->o.extent, m->ndim, j->t->element, UINT64_MAX, &r->expected))
		return false;
	zinc_strides_c(x->o.extent, m->ndim, j->t->element, r->file);
	r->straight = grow_rows(r, m, &x->u, j->t) && r->n <= ROWS_MAX && r->bytes >= ROW_BYTES_MIN &&
		      (x->u.full || r->n == 1 || r->bytes >= ROW_BYTES_FAR);
	return true;
}

/* Offsets of row i in the file and in memory. */
static void
place_row(const zinc_rows *r, const zinc_job *j, const zinc_unit *u, uint64_t i, uint64_t *offset, int64_t *at)
{
	int d;

	*offset = 0;
	*at = 0;
	for (d = j->p->m->ndim - 1; d >= 0; d--) {
		const zinc_segment *g = u->seg[d];
		uint64_t k = d < r->outer ? i % g->count : 0;

		i = d < r->outer ? i / g->count : i;
		*offset += index_in(g, k) * (uint64_t)r->file[d];
		*at += (int64_t)index_out(g, k) * j->t->strides[d];
	}
}

/* Make requests from rows; rows that are adjacent in the file share one.  Returns the number of requests. */
static size_t
make_requests(const zinc_rows *r, const zinc_job *j, const zinc_unit *u, const char *key, zinc_get *gets,
	      struct iovec *iov)
{
	uint64_t i, offset;
	int64_t at;
	size_t k = 0;

	for (i = 0; i < r->n; i++) {
		place_row(r, j, u, i, &offset, &at);
		iov[i].iov_base = j->t->p ? j->t->p + at : NULL; /* NULL: only the cost is determined */
		iov[i].iov_len = (size_t)r->bytes;
		if (k == 0 || gets[k - 1].offset + gets[k - 1].length != offset) {
			gets[k++] =
			    (zinc_get){.key = key, .offset = offset, .length = r->bytes, .iov = &iov[i], .niov = 1};
		} else {
			gets[k - 1].length += r->bytes;
			gets[k - 1].niov++;
		}
	}
	return k;
}

static zinc_status
want_rows(zinc_job *j, const zinc_reading *x, zinc_fetch_item *it, bool *can, zinc_error *err)
{
	zinc_get *gets;
	zinc_rows r;

	*can = zinc_rows_find(&r, j, x) && r.straight;
	if (!*can)
		return ZINC_OK;
	ZINC_TRY(zinc_fetch_room(it, (size_t)r.n, (size_t)r.n * sizeof(struct iovec), &gets, err));
	it->n = make_requests(&r, j, &x->u, (const char *)it->key.p, gets, it->behind);
	if (it->n == 1) /* the tags of several are compared */
		gets[0].untagged = 1;
	*can = zinc_may_split(j->c, it->n);
	return ZINC_OK;
}

/* Nothing to do: the bytes are already in the buffer. */
static zinc_status
take_rows(zinc_job *j, const zinc_reading *x, zinc_fetch_item *it, zinc_worker *w, bool *done, zinc_error *err)
{
	(void)j, (void)x, (void)it, (void)w, (void)err;
	*done = true;
	return ZINC_OK;
}

const zinc_way zinc_way_rows = {.want = want_rows, .take = take_rows, .exact = true, .plain = true};

/* ---- bands ---- */

typedef struct bands {
	int outer;         /* dimensions 0 .. outer-1 count bands */
	uint64_t n, bytes; /* number of bands, bytes of each */
	uint64_t total;    /* bytes of all */
} bands;

/* Extend the band from the last dimension outwards while the gap from one piece to the next is at most `gap`, the cost
 * of a request in bytes.  False: reading the whole object costs less, or is required. */
static bool
find_bands(bands *b, const zinc_rows *r, const zinc_job *j, const zinc_unit *u)
{
	const uint64_t gap = zinc_max_u64(j->c->caps.merge_gap, ZINC_REQUEST_BYTES);
	bool together = true;
	uint64_t cost;
	int d;

	b->n = 1;
	b->bytes = j->t->element;
	b->outer = j->p->m->ndim;
	for (d = j->p->m->ndim - 1; d >= 0; d--) {
		const uint64_t count = u->seg[d]->count, step = u->seg[d]->step * (uint64_t)r->file[d];

		together = together && !u->seg[d]->in_list && (count == 1 || step - b->bytes <= gap);
		if (together) {
			b->outer = d;
			b->bytes += (count - 1) * step; /* within the object, so it cannot overflow */
		} else if (zinc_u64_mul(b->n, count, &b->n)) {
			return false;
		}
	}
	return b->n <= ROWS_MAX && zinc_may_split(j->c, b->n) && !zinc_u64_mul(b->n, b->bytes, &b->total) &&
	       !zinc_u64_mul(b->n, gap, &cost) && !zinc_u64_add(cost, b->total, &cost) && cost < r->expected;
}

static void
make_bands(const zinc_rows *r, const bands *b, const zinc_job *j, const zinc_unit *u, const char *key, zinc_get *gets)
{
	uint64_t i, k, offset;
	int d;

	for (i = 0; i < b->n; i++) {
		for (d = j->p->m->ndim - 1, k = i, offset = 0; d >= 0; d--) {
			const zinc_segment *g = u->seg[d];

			offset += index_in(g, d < b->outer ? k % g->count : 0) * (uint64_t)r->file[d];
			k = d < b->outer ? k / g->count : k;
		}
		gets[i] = (zinc_get){.key = key, .offset = offset, .length = b->bytes};
	}
}

/* Measured: reading a box of 100^3 across eight raw chunks of 256^3 computes 3.5 ms, and 38 ms when the chunks are read
 * whole. */
static zinc_status
want_bands(zinc_job *j, const zinc_reading *x, zinc_fetch_item *it, bool *can, zinc_error *err)
{
	zinc_get *gets;
	zinc_rows r;
	bands b;

	*can = zinc_rows_find(&r, j, x) && !r.straight && find_bands(&b, &r, j, &x->u);
	if (!*can)
		return ZINC_OK;
	ZINC_TRY(zinc_fetch_room(it, (size_t)b.n, 0, &gets, err));
	make_bands(&r, &b, j, &x->u, (const char *)it->key.p, gets);
	if (b.n == 1)
		gets[0].untagged = 1;
	return ZINC_OK;
}

/* The bands are contiguous in memory.  For the copy they are a unit with its own strides, which begins where the
 * selection begins. */
static zinc_status
take_bands(zinc_job *j, const zinc_reading *x, zinc_fetch_item *it, zinc_worker *w, bool *done, zinc_error *err)
{
	zinc_segment seg[ZINC_MAX_NDIM];
	zinc_unit part = x->u;
	int64_t stride;
	zinc_rows r;
	zinc_view v;
	bands b;
	int d;

	*done = zinc_rows_find(&r, j, x) && find_bands(&b, &r, j, &x->u);
	if (!*done)
		return ZINC_OK;
	stride = (int64_t)b.bytes;
	v.p = it->bytes->p;
	for (d = j->p->m->ndim - 1; d >= 0; d--) {
		seg[d] = *x->u.seg[d];
		seg[d].first = 0;
		part.seg[d] = &seg[d];
		v.strides[d] = r.file[d];
		if (d < b.outer) {
			seg[d].step = 1;
			seg[d].in_list = NULL;
			v.strides[d] = stride;
			stride *= (int64_t)seg[d].count;
		}
	}
	return zinc_transfer_out(j->p, j->t, &part, &v, w->s, err);
}

const zinc_way zinc_way_bands = {.want = want_bands, .take = take_bands, .plain = true};
