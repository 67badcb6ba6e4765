/*
 * read_pieces.c - a whole plain chunk of short rows, through the cache into far memory
 *
 * The kernel could put every row in its place (read_rows.c), but knows neither that rows are whole cache lines nor
 * that nobody needs them soon.  So the chunk is read in pieces that stay in the cache of the core, and copied from
 * there past it.  Measured: 512^3 of uint16 in raw chunks of 256^3 (rows of 512 bytes) computes 99 ms instead of 128;
 * from rows of 2 KiB on the kernel is as fast.
 *
 *     file      [piece][piece][piece]...      `step` indices of dimension `dim`, all of those behind it
 *                  |                          and one of each before it
 *     scratch   [piece]
 *                  |
 *     rows      ---- . ---- . ---- . ----
 *
 * (1) All pieces come from one generation of the object: each asks for the tag of the first.  An object that is
 *     replaced meanwhile is left to those who read it in one request.
 */
#include "array/engine.h"

#define ROW_BYTES_MAX  1024u
#define ROW_BYTES_UNIT 64u /* a cache line */
#define PIECE_BYTES    (512 * (uint64_t)1024)

typedef struct pieces {
	int dim;
	uint64_t step;               /* indices of a piece */
	int64_t file[ZINC_MAX_NDIM]; /* strides of the object */
	uint64_t expected;           /* its size */
	zinc_tag tag;
	zinc_found found;
	zinc_status code;
	zinc_error *err;
} pieces;

/* Rows are `row` bytes, so the last dimension fits a piece. */
static bool
find_pieces(pieces *x, const zinc_job *j, const zinc_object *o, uint64_t expected, uint64_t row)
{
	memset(x, 0, sizeof *x);
	if (!j->t->far || row > ROW_BYTES_MAX || row % ROW_BYTES_UNIT || expected <= PIECE_BYTES ||
	    (j->c->caps.flags & ZINC_CAP_REMOTE))
		return false;
	x->expected = expected;
	zinc_strides_c(o->extent, j->p->m->ndim, j->t->element, x->file);
	while ((uint64_t)x->file[x->dim] > PIECE_BYTES)
		x->dim++;
	x->step = PIECE_BYTES / (uint64_t)x->file[x->dim];
	return true;
}

static void
piece_done(void *arg, size_t i, const zinc_got *got)
{
	pieces *x = arg;

	(void)i;
	x->found = got->found;
	if (got->found == ZINC_FAILED)
		x->code = zinc_got_fail(got, x->err);
	else if (got->found == ZINC_FOUND && got->object_size != x->expected)
		x->code = zinc_wrong_size(got->object_size, x->expected, x->err);
	else if (got->found == ZINC_FOUND)
		x->tag = *got->tag;
}

static zinc_status
fetch(zinc_job *j, zinc_worker *w, pieces *x, const char *key, uint64_t offset, uint64_t length, zinc_error *err)
{
	zinc_sink sink = {.done = piece_done, .arg = x, .cancel = j->c->o.cancel};
	struct iovec iov = {w->s->fetch.p, (size_t)length};
	zinc_get request = {.key = key, .offset = offset, .length = length, .iov = &iov, .niov = 1};

	request.if_tag = x->tag.n > 0 ? &x->tag : NULL;
	x->err = err;
	ZINC_TRY(zinc_store_get(j->c->store, &request, 1, &sink, err));
	return x->code;
}

/* To the copy, a piece is a unit with fewer indices. */
static zinc_status
copy(zinc_job *j, zinc_worker *w, const pieces *x, const zinc_unit *u, const uint64_t *at, uint64_t n, zinc_error *err)
{
	zinc_segment seg[ZINC_MAX_NDIM];
	zinc_unit part = *u;
	zinc_view v;
	int d;

	v.p = w->s->fetch.p;
	for (d = 0; d < j->p->m->ndim; d++) {
		seg[d] = *u->seg[d];
		seg[d].out += d <= x->dim ? at[d] : 0;
		seg[d].count = d < x->dim ? 1 : d == x->dim ? n : seg[d].count;
		part.seg[d] = &seg[d];
		v.strides[d] = x->file[d];
	}
	return zinc_transfer_out(j->p, j->t, &part, &v, w->s, err);
}

/* The next piece behind `at`; false: that was the last. */
static bool
advance(const pieces *x, const zinc_object *o, uint64_t *at)
{
	int d = x->dim;

	at[d] += x->step;
	while (at[d] >= o->extent[d]) {
		if (d == 0)
			return false;
		at[d--] = 0;
		at[d]++;
	}
	return true;
}

/* Ends early when the object is missing or changed, which x->found says, or has no tag to hold on to.  Missing in the
 * middle is changed, too. */
static zinc_status
read_all(zinc_job *j, zinc_worker *w, pieces *x, const zinc_object *o, const zinc_unit *u, const char *key,
	 zinc_error *err)
{
	uint64_t at[ZINC_MAX_NDIM] = {0}, offset = 0, n;

	x->tag.n = 0;
	do {
		n = zinc_min_u64(x->step, o->extent[x->dim] - at[x->dim]);
		ZINC_TRY(fetch(j, w, x, key, offset, n * (uint64_t)x->file[x->dim], err));
		if (x->found == ZINC_MISSING && offset > 0)
			x->found = ZINC_CHANGED;
		if (x->found != ZINC_FOUND || x->tag.n == 0)
			return ZINC_OK;
		ZINC_TRY(copy(j, w, x, u, at, n, err));
		offset += n * (uint64_t)x->file[x->dim];
	} while (advance(x, o, at));
	return ZINC_OK;
}

zinc_status
zinc_read_pieces(zinc_job *j, zinc_worker *w, const zinc_object *o, const zinc_unit *u, const char *key,
		 uint64_t expected, uint64_t row, bool *done, zinc_found *found, zinc_error *err)
{
	pieces x;

	*done = false;
	if (!find_pieces(&x, j, o, expected, row))
		return ZINC_OK;
	w->s->fetch.max = (size_t)PIECE_BYTES;
	ZINC_TRY(zinc_buf_reset(&w->s->fetch, (size_t)PIECE_BYTES, err));
	ZINC_TRY(read_all(j, w, &x, o, u, key, err));
	*done = x.found == ZINC_MISSING || (x.found == ZINC_FOUND && x.tag.n > 0);
	if (*done)
		*found = x.found;
	return ZINC_OK;
}
