/*
 * diff_values.c - compare elements of two arrays of one shape
 *
 * Threads read and compare pieces of both.  Most are equal byte for byte; only in the others each element is compared,
 * numbers in the widest type of their sort.
 *
 *   types             equal when
 *   int, int          the same number
 *   int, float        the same number, exactly: 2^53 + 1 is not a double
 *   float, float      the same number; NaN and NaN; 0 and -0
 *   complex           both parts
 *   with tolerance    |a - b| <= atol + rtol |b|; integers, and floats without a fraction, are subtracted exactly
 *   anything else     the same bytes, of the same type; texts of variable length by their bytes
 */
#include <math.h>

#include "tool/diff.h"

#define TILE 1024u

struct side {
	zinc_array *array;
	const zinc_dtype *dtype;
	zinc_wide_type wide;
	zinc_type wide_type; /* the type that numbers are converted to */
	bool converts;       /* false: not numbers */
};

struct worker {
	zinc_buf elements[2];
	zinc_arena *arena[2];
	/* a tile of each, widened */
	union {
		int64_t i[TILE];
		uint64_t u[TILE];
		double f[2 * TILE]; /* complex: two each */
	} tile[2];
};

/* The result of one piece. */
struct answer {
	uint64_t different;
	uint64_t index[ZINC_MAX_NDIM]; /* of the first */
	uint8_t first[2][16];          /* its elements, if they fit */
};

struct values {
	zinc_cmp *c;
	struct side side[2];
	bool same_type, numbers, complex, tolerant;
	int ndim;
	struct worker *workers;
	struct answer *slots;
	struct answer all;
	uint64_t total;
};

/* ---- two numbers ---- */

/* A real number, or a part of a complex one. */
struct number {
	bool whole, negative; /* an integer as sign and 64 bits: all integers, and floats without a fraction */
	uint64_t size;
	double f; /* the same, rounded if it is an integer beyond 2^53 */
};

static struct number
of_integer(bool negative, uint64_t size)
{
	return (struct number){true, negative, size, negative ? -(double)size : (double)size};
}

static struct number
of_float(double f)
{
	const bool whole = fabs(f) < 0x1p64 && f == floor(f);

	return (struct number){whole, f < 0, whole ? (uint64_t)fabs(f) : 0, f};
}

/* Element i of a side: its real part, or with k = 1 its imaginary part. */
static struct number
number_of(const struct values *v, const struct worker *w, int side, size_t i, int k)
{
	const struct side *s = &v->side[side];
	const int64_t signed_ = w->tile[side].i[i];

	if (s->wide_type == ZINC_COMPLEX128)
		return of_float(w->tile[side].f[2 * i + (size_t)k]);
	if (k == 1)
		return of_integer(false, 0);
	if (s->wide == ZINC_WIDE_FLOAT)
		return of_float(w->tile[side].f[i]);
	if (s->wide == ZINC_WIDE_SIGNED && signed_ < 0)
		return of_integer(true, 0 - (uint64_t)signed_);
	return of_integer(false, w->tile[side].u[i]);
}

/* |a - b| <= most, exactly; two integers of different signs may be up to 2^65 apart. */
static bool
integers_close(const struct number *a, const struct number *b, double most)
{
	uint64_t apart = a->size > b->size ? a->size - b->size : b->size - a->size;

	if (a->negative != b->negative && __builtin_add_overflow(a->size, b->size, &apart))
		most -= 0x1p64;
	return most >= 0x1p64 || (most >= 0 && apart <= (uint64_t)most);
}

static bool
close_to(const struct values *v, struct number a, struct number b)
{
	const double most = v->tolerant ? v->c->o.atol + v->c->o.rtol * fabs(b.f) : 0;

	if (a.whole && b.whole)
		return integers_close(&a, &b, most);
	if (a.f == b.f || (isnan(a.f) && isnan(b.f)))
		return a.whole == b.whole || most > 0; /* 2^64 - 1 is not 2^64 */
	return isfinite(a.f) && isfinite(b.f) && fabs(a.f - b.f) <= most;
}

static bool
same_number(const struct values *v, const struct worker *w, size_t i)
{
	return close_to(v, number_of(v, w, 0, i, 0), number_of(v, w, 1, i, 0)) &&
	       (!v->complex || close_to(v, number_of(v, w, 0, i, 1), number_of(v, w, 1, i, 1)));
}

/* ---- two elements ---- */

static bool
same_element(const struct values *v, const struct worker *w, size_t at)
{
	const size_t size = v->side[0].dtype->size;
	const uint8_t *a = w->elements[0].p + at * size, *b = w->elements[1].p + at * size;
	zinc_vlen x, y;

	if (!v->side[0].dtype->variable)
		return memcmp(a, b, size) == 0;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x.nbytes == y.nbytes && (x.nbytes == 0 || memcmp(x.data, y.data, (size_t)x.nbytes) == 0);
}

/* Element `at` of the piece differs.  Pieces are boxes, so the first difference in C order is the first within its
 * piece, and has the lowest index of all pieces' first differences. */
static void
note(const struct values *v, const struct worker *w, const zinc_piece *piece, size_t at, struct answer *out)
{
	uint64_t index[ZINC_MAX_NDIM];
	int side, d;

	out->different++;
	zinc_piece_index(piece, at, index);
	for (d = 0; out->different > 1 && d < v->ndim && index[d] == out->index[d]; d++)
		;
	if (out->different > 1 && (d == v->ndim || index[d] > out->index[d]))
		return; /* a list may have any order, so a later one may be lower */
	memcpy(out->index, index, sizeof index);
	for (side = 0; side < 2; side++) {
		const size_t size = v->side[side].dtype->size;

		if (size <= sizeof out->first[side] && !v->side[side].dtype->variable)
			memcpy(out->first[side], w->elements[side].p + at * size, size);
	}
}

static void
widen_elements(const struct side *s, void *to, const uint8_t *elements, size_t at, size_t n)
{
	(void)zinc_dtype_convert(s->wide_type, s->dtype->type, to, elements + at * s->dtype->size, n,
				 ZINC_CONVERT_ROUND);
}

static void
compare_numbers(const struct values *v, struct worker *w, const zinc_piece *piece, struct answer *out)
{
	size_t at, i, n;
	int side;

	for (at = 0; at < piece->n; at += n) {
		n = (size_t)zinc_min_u64(TILE, piece->n - at);
		for (side = 0; side < 2; side++)
			widen_elements(&v->side[side], &w->tile[side], w->elements[side].p, at, n);
		for (i = 0; i < n; i++)
			if (!same_number(v, w, i))
				note(v, w, piece, at + i, out);
	}
}

static void
compare_elements(const struct values *v, struct worker *w, const zinc_piece *piece, struct answer *out)
{
	size_t i;

	for (i = 0; i < piece->n; i++)
		if (!same_element(v, w, i))
			note(v, w, piece, i, out);
}

/* ---- pieces ---- */

static zinc_status
read_side(const struct values *v, struct worker *w, int side, const zinc_piece *piece, zinc_error *err)
{
	const struct side *s = &v->side[side];
	zinc_buffer b;
	uint64_t nbytes = 0;

	if (zinc_shape_bytes(&piece->n, 1, s->dtype->size, SIZE_MAX, &nbytes))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is too large");
	ZINC_TRY(zinc_buf_reset(&w->elements[side], (size_t)nbytes, err));
	b = *ZINC_BUFFER_AS(ZINC_NATIVE, w->elements[side].p, (size_t)nbytes);
	b.arena = w->arena[side];
	if (b.arena)
		zinc_arena_empty(b.arena);
	return zinc_piece_read(s->array, piece, &b, &v->c->wait, err);
}

static zinc_status
compare_piece(void *arg, const zinc_piece *piece, size_t slot, int worker, zinc_error *err)
{
	struct values *v = arg;
	struct worker *w = &v->workers[worker];
	struct answer *out = &v->slots[slot];

	out->different = 0;
	ZINC_TRY(read_side(v, w, 0, piece, err));
	ZINC_TRY(read_side(v, w, 1, piece, err));
	if (v->same_type && !v->side[0].dtype->variable &&
	    memcmp(w->elements[0].p, w->elements[1].p, (size_t)piece->n * v->side[0].dtype->size) == 0)
		return ZINC_OK;
	if (v->numbers)
		compare_numbers(v, w, piece, out);
	else
		compare_elements(v, w, piece, out);
	return ZINC_OK;
}

static void
merge_piece(void *arg, size_t slot)
{
	struct values *v = arg;
	const struct answer *x = &v->slots[slot];
	const uint64_t before = v->all.different;
	int d;

	if (x->different == 0)
		return;
	for (d = 0; before > 0 && d < v->ndim && x->index[d] == v->all.index[d]; d++)
		;
	if (before == 0 || (d < v->ndim && x->index[d] < v->all.index[d]))
		v->all = *x;
	v->all.different = before + x->different;
}

/* Elements that neither side stores have the two fill values; they are all equal, or all different. */
static zinc_status
compare_absent(struct values *v, const zinc_pieces *p, const zinc_cmp_pair *pair, zinc_error *err)
{
	struct worker *w = &v->workers[0];
	struct answer *out = &v->slots[0];
	zinc_piece piece = {.n = 1};
	uint64_t index[ZINC_MAX_NDIM];
	int side, d;

	if (p->absent == 0)
		return ZINC_OK;
	zinc_pieces_absent(p, index);
	piece.sel = (zinc_selection){
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_ORTHO, .ndim = v->ndim, .dims = piece.dims};
	for (d = 0; d < v->ndim; d++)
		piece.dims[d] = (zinc_select_dim){.start = index[d], .count = 1, .step = 1};
	for (side = 0; side < 2; side++) {
		ZINC_TRY(zinc_buf_reset(&w->elements[side], v->side[side].dtype->size, err));
		memcpy(w->elements[side].p, pair->meta[side]->fill, v->side[side].dtype->size);
	}
	out->different = 0;
	if (v->numbers)
		compare_numbers(v, w, &piece, out);
	else
		compare_elements(v, w, &piece, out);
	out->different *= p->absent;
	merge_piece(v, 0);
	return ZINC_OK;
}

/* ---- the answer ---- */

static zinc_status
report(struct values *v, const char *path, zinc_error *err)
{
	zinc_difference d = {.kind = ZINC_DIFFERS_VALUES, .path = path, .what = "values"};
	zinc_status st = ZINC_OK;
	zinc_buf text[2];
	int side;

	for (side = 0; side < 2; side++) {
		const zinc_dtype *t = v->side[side].dtype;

		zinc_buf_init(&text[side], v->c->ctx, zinc_max_text(v->c->ctx));
		if (st == ZINC_OK && !t->variable && t->size <= sizeof v->all.first[side])
			st = t->ops->print(t, v->all.first[side], ZINC_SPELL_JSON, &text[side], err);
		if (st == ZINC_E_CORRUPT) { /* not a value of its type: report without it */
			zinc_buf_end(&text[side], 0);
			st = ZINC_OK;
		}
	}
	d.a = zinc_buf_text(&text[0]);
	d.b = zinc_buf_text(&text[1]);
	d.count = v->all.different;
	d.total = v->total;
	d.ndim = v->ndim;
	d.index = v->all.index;
	if (st == ZINC_OK && !(d.a && d.b))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		zinc_cmp_found(v->c, &d);
	zinc_buf_fini(&text[0]);
	zinc_buf_fini(&text[1]);
	return st;
}

/* ---- the whole ---- */

static zinc_status
make_workers(struct values *v, zinc_error *err)
{
	const int threads = v->c->threads;
	int i, side;

	v->slots = zinc_calloc(v->c->ctx, zinc_pieces_window(threads), sizeof *v->slots);
	v->workers = zinc_calloc(v->c->ctx, (size_t)threads, sizeof *v->workers);
	if (!v->slots || !v->workers)
		return zinc_fail_nomem(err);
	for (i = 0; i < threads; i++)
		for (side = 0; side < 2; side++) {
			zinc_buf_init(&v->workers[i].elements[side], v->c->ctx, zinc_max_chunk(v->c->ctx));
			if (v->side[side].dtype->variable)
				ZINC_TRY(zinc_arena_new(&v->workers[i].arena[side], v->c->ctx, 0, err));
		}
	return ZINC_OK;
}

static void
free_workers(struct values *v)
{
	int i, side;

	for (i = 0; v->workers && i < v->c->threads; i++)
		for (side = 0; side < 2; side++) {
			zinc_buf_fini(&v->workers[i].elements[side]);
			zinc_arena_free(v->workers[i].arena[side]);
		}
	zinc_free(v->c->ctx, v->workers);
	zinc_free(v->c->ctx, v->slots);
}

/* Choose the type that a side's numbers are widened to, without loss. */
static void
widen(struct side *s)
{
	static const zinc_type types[] = {ZINC_INT64, ZINC_UINT64, ZINC_FLOAT64};

	s->wide = s->dtype->kind == ZINC_KIND_INT    ? ZINC_WIDE_SIGNED
		  : s->dtype->kind == ZINC_KIND_UINT ? ZINC_WIDE_UNSIGNED
						     : ZINC_WIDE_FLOAT;
	s->wide_type = s->dtype->kind == ZINC_KIND_COMPLEX ? ZINC_COMPLEX128 : types[s->wide];
	s->converts = zinc_dtype_converts(s->wide_type, s->dtype->type);
}

/* Use whole chunks of both, if the boxes of all threads fit into what a read may hold; otherwise whole chunks of a,
 * and chunks of b are decoded more than once. */
static void
choose_grain(const struct values *v, uint64_t *grain)
{
	const uint64_t most = v->c->ctx->in_flight_bytes / 2 / (uint64_t)v->c->threads;
	uint64_t other[ZINC_MAX_NDIM], both[ZINC_MAX_NDIM], nbytes;
	int d;

	zinc_pieces_choose_size(v->side[0].array, grain);
	zinc_pieces_choose_size(v->side[1].array, other);
	for (d = 0; d < v->ndim; d++)
		both[d] = zinc_max_u64(grain[d], other[d]);
	if (!zinc_shape_bytes(both, v->ndim, v->side[0].dtype->size, most, &nbytes))
		memcpy(grain, both, (size_t)v->ndim * sizeof *grain);
}

static zinc_status
compare(struct values *v, const zinc_cmp_pair *pair, zinc_error *err)
{
	zinc_array *const arrays[2] = {v->side[0].array, v->side[1].array};
	zinc_cmp *c = v->c;
	zinc_pieces_job job = {.threads = c->threads, .call = &c->call, .wait = &c->wait};
	const zinc_call_options rest = zinc_wait_rest(&c->wait);
	const zinc_find_options find = {.size = sizeof find, .call = &rest};
	uint64_t grain[ZINC_MAX_NDIM];
	zinc_selection *sel = NULL;
	zinc_pieces p = {.n = 0};
	zinc_status st;

	job.work = compare_piece;
	job.merge = merge_piece;
	job.arg = v;
	choose_grain(v, grain);
	st = zinc_selection_find(&sel, v->side[0].array, c->o.select ? c->o.select : "", &find, err);
	if (st == ZINC_OK)
		st = zinc_pieces_init_stored(&p, arrays, 2, sel, grain, &c->wait, err);
	if (st == ZINC_OK)
		st = make_workers(v, err);
	if (st == ZINC_OK)
		st = zinc_pieces_run(&p, &job, err);
	if (st == ZINC_OK)
		st = compare_absent(v, &p, pair, err);
	free_workers(v);
	v->total = p.sel.out_n;
	zinc_pieces_fini(&p);
	zinc_selection_free(sel);
	c->n.elements += st == ZINC_OK ? v->total : 0;
	c->n.different += st == ZINC_OK ? v->all.different : 0;
	return st == ZINC_OK && v->all.different > 0 ? report(v, pair->path, err) : st;
}

static zinc_status
open_sides(struct values *v, const zinc_cmp_pair *p, zinc_error *err)
{
	int side;

	for (side = 0; side < 2; side++) {
		v->side[side].dtype = p->meta[side]->dtype;
		ZINC_TRY(zinc_array_make(&v->side[side].array, v->c->h[side], p->full[side], p->meta[side], err));
	}
	v->complex = v->side[0].dtype->kind == ZINC_KIND_COMPLEX || v->side[1].dtype->kind == ZINC_KIND_COMPLEX;
	for (side = 0; side < 2; side++)
		widen(&v->side[side]);
	v->numbers = v->side[0].converts && v->side[1].converts;
	return ZINC_OK;
}

zinc_status
zinc_cmp_values(zinc_cmp *c, const zinc_cmp_pair *p, bool same_type, zinc_error *err)
{
	struct values v = {.c = c, .same_type = same_type, .ndim = p->meta[0]->ndim};
	const char *why = p->meta[0]->unsupported ? p->meta[0]->unsupported : p->meta[1]->unsupported;
	zinc_difference unknown = {.kind = ZINC_DIFFERS_UNKNOWN, .path = p->path, .what = "values", .a = "", .b = ""};
	zinc_status st;

	if (why) {
		unknown.a = why;
		zinc_cmp_found(c, &unknown);
		return ZINC_OK;
	}
	v.tolerant = c->o.rtol > 0 || c->o.atol > 0;
	st = open_sides(&v, p, err);
	if (st == ZINC_OK && (v.numbers || same_type))
		st = compare(&v, p, err);
	zinc_array_close(v.side[0].array);
	zinc_array_close(v.side[1].array);
	return st;
}
