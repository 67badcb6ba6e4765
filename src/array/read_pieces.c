/*
 * read_pieces.c - read a whole plain chunk with short rows through the CPU cache into a large buffer
 *
 * The kernel could copy every row to its place (read_rows.c), but it cannot use the facts that rows are whole cache
 * lines and that the data are not needed soon.  So the chunk is read in pieces that fit in the cache of a core, and
 * these are copied to the buffer with stores that bypass the cache.  Measured: 512^3 of uint16 in raw chunks of 256^3
 * (rows of 512 bytes) computes 99 ms instead of 128; from rows of 2 KiB on the kernel is as fast.
 *
 *     file      [piece][piece][piece]...      `step` indices of dimension `dim`, all of the later dimensions,
 *                  |                          one of each earlier dimension
 *     scratch   [piece]
 *                  |
 *     rows      ---- . ---- . ---- . ----
 *
 * (1) All pieces are of one generation of the object: each is requested on condition of the first one's tag.  An object
 *     that is replaced meanwhile is read in one request by a later way.
 */
#include "array/engine.h"

#define ROW_BYTES_MAX  1024u
#define ROW_BYTES_UNIT 64u /* a cache line */
#define PIECE_BYTES    (512 * (uint64_t)1024)

typedef struct pieces {
	int dim;
	uint64_t step;              /* indices per piece */
	uint64_t n;                 /* indices of the current piece */
	uint64_t at[ZINC_MAX_NDIM]; /* where the current piece begins */
	zinc_rows r;
} pieces;

/* Compute the piece that begins at byte `offset`.  Rows are short, so the last dimension fits a piece. */
static bool
find_piece(pieces *x, const zinc_job *j, const zinc_reading *o, uint64_t offset)
{
	uint64_t expected;
	int d;

	if (!j->t->uncached || !o->u.full || (j->c->caps.flags & (ZINC_CAP_REMOTE | ZINC_CAP_TAGS)) != ZINC_CAP_TAGS ||
	    zinc_shape_bytes(o->o.extent, j->p->m->ndim, j->t->element, UINT64_MAX, &expected) ||
	    expected <= PIECE_BYTES || !zinc_rows_find(&x->r, j, o) || x->r.bytes > ROW_BYTES_MAX ||
	    x->r.bytes % ROW_BYTES_UNIT)
		return false;
	for (x->dim = 0; (uint64_t)x->r.file[x->dim] > PIECE_BYTES;)
		x->dim++;
	x->step = PIECE_BYTES / (uint64_t)x->r.file[x->dim];
	for (d = 0; d <= x->dim; d++) {
		x->at[d] = offset / (uint64_t)x->r.file[d];
		offset %= (uint64_t)x->r.file[d];
	}
	x->n = zinc_min_u64(x->step, o->o.extent[x->dim] - x->at[x->dim]);
	return true;
}

static zinc_status
want(zinc_job *j, const zinc_reading *o, zinc_fetch_item *it, bool *can, zinc_error *err)
{
	zinc_get g = {.offset = it->at};
	pieces x;

	(void)err;
	*can = find_piece(&x, j, o, it->at);
	if (!*can)
		return ZINC_OK;
	g.length = x.n * (uint64_t)x.r.file[x.dim];
	g.if_tag = it->at > 0 ? &it->tag : NULL;
	zinc_fetch_want(it, g);
	return ZINC_OK;
}

/* For the copy, a piece is a unit with fewer indices. */
static zinc_status
take(zinc_job *j, const zinc_reading *o, zinc_fetch_item *it, zinc_worker *w, bool *done, zinc_error *err)
{
	zinc_segment seg[ZINC_MAX_NDIM];
	zinc_unit part = o->u;
	pieces x;
	zinc_view v;
	int d;

	*done = find_piece(&x, j, o, it->at) && it->tag.n > 0;
	if (!*done)
		return ZINC_OK;
	v.p = it->bytes->p;
	for (d = 0; d < j->p->m->ndim; d++) {
		seg[d] = *o->u.seg[d];
		seg[d].out += d <= x.dim ? x.at[d] : 0;
		seg[d].count = d < x.dim ? 1 : d == x.dim ? x.n : seg[d].count;
		part.seg[d] = &seg[d];
		v.strides[d] = x.r.file[d];
	}
	return zinc_transfer_out(j->p, j->t, &part, &v, w->s, err);
}

static bool
more(const zinc_job *j, const zinc_reading *o, zinc_fetch_item *it)
{
	pieces x;

	if (!find_piece(&x, j, o, it->at))
		return false;
	it->at += x.n * (uint64_t)x.r.file[x.dim];
	return it->at < x.r.expected;
}

const zinc_way zinc_way_pieces = {.want = want, .take = take, .more = more, .exact = true, .plain = true};
