/*
 * stats.c - statistics of the elements of an array
 *
 * Every number type is read into the widest of its sort (zinc_array_read converts), so that there are three loops
 * instead of fourteen.  Other types are converted to numbers: dates to counts of their unit, texts to lengths, complex
 * numbers to magnitudes; records have no number and are only counted.
 */
#include <math.h>

#include "tool/tool.h"

ZINC_OPTIONS_KIND(zinc_stats_options, ZINC_OPTION_COUNT(zinc_stats_options, threads));

/* How elements become numbers of 8 bytes. */
struct how {
	zinc_stats_of of;
	zinc_wide_type type;
	zinc_type read; /* type of the buffer */
	/* Convert n elements to numbers and return their count; elements without a number (NaT) are skipped.  NULL:
	 * they are numbers as read. */
	size_t (*widen)(const zinc_dtype *t, void *to, const void *from, size_t n);
};

/* The memory of one thread. */
struct worker {
	zinc_buf elements, numbers;
	zinc_buf stored, decoded; /* with decoding: elements as read, and as decoded */
	zinc_arena *arena;        /* for elements of variable length */
};

struct stats {
	zinc_array *a;
	const zinc_dtype *dtype;
	const void *fill;
	zinc_cf *cf;       /* NULL: elements are not decoded */
	zinc_type decoded; /* what they are decoded to */
	struct how how;
	size_t element; /* bytes of one in the buffer */
	int threads;
	struct worker *workers;
	zinc_sums *slots; /* of a window of pieces */
	zinc_sums all;
	const zinc_wait *wait;
};

/* ---- elements that are not numbers ---- */

static size_t
widen_bools(const zinc_dtype *t, void *to, const void *from, size_t n)
{
	uint64_t *v = to;
	size_t i;

	(void)t;
	for (i = 0; i < n; i++)
		v[i] = ((const uint8_t *)from)[i];
	return n;
}

static size_t
widen_times(const zinc_dtype *t, void *to, const void *from, size_t n)
{
	const int64_t *in = from;
	int64_t *v = to;
	size_t i, k = 0;

	(void)t;
	for (i = 0; i < n; i++)
		if (in[i] != INT64_MIN) /* NaT */
			v[k++] = in[i];
	return k;
}

static size_t
widen_complex(const zinc_dtype *t, void *to, const void *from, size_t n)
{
	const double *in = from;
	double *v = to;
	size_t i;

	(void)t;
	for (i = 0; i < n; i++)
		v[i] = hypot(in[2 * i], in[2 * i + 1]);
	return n;
}

/* Count the bytes of UTF-8 that do not continue a character. */
static uint64_t
characters(const uint8_t *p, uint64_t nbytes)
{
	uint64_t i, n = 0;

	for (i = 0; i < nbytes; i++)
		n += (p[i] & 0xc0) != 0x80;
	return n;
}

static size_t
widen_variable(const zinc_dtype *t, void *to, const void *from, size_t n)
{
	const zinc_vlen *in = from;
	uint64_t *v = to;
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = t->kind == ZINC_KIND_STRING ? characters(in[i].data, in[i].nbytes) : in[i].nbytes;
	return n;
}

/* Texts of fixed length end at their padding zeros. */
static size_t
widen_fixed(const zinc_dtype *t, void *to, const void *from, size_t n)
{
	const size_t unit = t->kind == ZINC_KIND_UTF32 ? 4 : 1;
	uint64_t *v = to;
	size_t i, k;

	for (i = 0; i < n; i++) {
		const uint8_t *p = (const uint8_t *)from + i * t->size;

		for (k = t->size / unit; k > 0 && zinc_run_is(p + (k - 1) * unit, "\0\0\0", 1, unit);)
			k--;
		v[i] = k;
	}
	return n;
}

static struct how
how_of(const zinc_dtype *t)
{
	static const struct how nothing = {ZINC_STATS_NOTHING, ZINC_WIDE_UNSIGNED, ZINC_NATIVE, NULL};
	static const struct {
		zinc_kind kind;
		struct how how;
	} rows[] = {
	    {ZINC_KIND_BOOL, {ZINC_STATS_VALUES, ZINC_WIDE_UNSIGNED, ZINC_NATIVE, widen_bools}},
	    {ZINC_KIND_INT, {ZINC_STATS_VALUES, ZINC_WIDE_SIGNED, ZINC_INT64, NULL}},
	    {ZINC_KIND_UINT, {ZINC_STATS_VALUES, ZINC_WIDE_UNSIGNED, ZINC_UINT64, NULL}},
	    {ZINC_KIND_FLOAT, {ZINC_STATS_VALUES, ZINC_WIDE_FLOAT, ZINC_FLOAT64, NULL}},
	    {ZINC_KIND_COMPLEX, {ZINC_STATS_MAGNITUDES, ZINC_WIDE_FLOAT, ZINC_COMPLEX128, widen_complex}},
	    {ZINC_KIND_DATETIME, {ZINC_STATS_TIMES, ZINC_WIDE_SIGNED, ZINC_NATIVE, widen_times}},
	    {ZINC_KIND_TIMEDELTA, {ZINC_STATS_TIMES, ZINC_WIDE_SIGNED, ZINC_NATIVE, widen_times}},
	    {ZINC_KIND_STRING, {ZINC_STATS_LENGTHS, ZINC_WIDE_UNSIGNED, ZINC_NATIVE, widen_variable}},
	    {ZINC_KIND_BYTES, {ZINC_STATS_LENGTHS, ZINC_WIDE_UNSIGNED, ZINC_NATIVE, widen_variable}},
	    {ZINC_KIND_UTF32, {ZINC_STATS_LENGTHS, ZINC_WIDE_UNSIGNED, ZINC_NATIVE, widen_fixed}},
	    {ZINC_KIND_CHARS, {ZINC_STATS_LENGTHS, ZINC_WIDE_UNSIGNED, ZINC_NATIVE, widen_fixed}},
	};
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].kind == t->kind && (rows[i].how.read == ZINC_NATIVE || t->type != ZINC_NATIVE))
			return rows[i].how;
	return nothing;
}

/* ---- pieces ---- */

static void
add_numbers(zinc_sums *s, zinc_wide_type type, void *numbers, size_t n)
{
	if (type == ZINC_WIDE_SIGNED)
		zinc_sums_add_signed(s, numbers, n);
	else if (type == ZINC_WIDE_UNSIGNED)
		zinc_sums_add_unsigned(s, numbers, n);
	else
		zinc_sums_add_float(s, numbers, n);
}

/* Make memory for a piece; all numbers have 8 bytes. */
static zinc_status
make_room(const struct stats *x, struct worker *w, uint64_t n, size_t *nbytes, zinc_error *err)
{
	uint64_t bytes, wide;

	if (zinc_shape_bytes(&n, 1, x->element, SIZE_MAX, &bytes) || zinc_shape_bytes(&n, 1, 8, SIZE_MAX, &wide))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is too large");
	*nbytes = (size_t)bytes;
	if (x->how.widen)
		ZINC_TRY(zinc_buf_reset(&w->numbers, (size_t)wide, err));
	return zinc_buf_reset(&w->elements, *nbytes, err);
}

/* Add n elements that the worker has read. */
static void
sum_elements(const struct stats *x, struct worker *w, size_t n, zinc_sums *s)
{
	size_t numbers = n;

	if (x->how.of == ZINC_STATS_NOTHING)
		return;
	if (x->how.widen) {
		numbers = x->how.widen(x->dtype, w->numbers.p, w->elements.p, n);
		s->nan = n - numbers;
	}
	add_numbers(s, x->how.type, x->how.widen ? w->numbers.p : w->elements.p, numbers);
}

/* ---- decoding ---- */

static zinc_status
make_cf_room(const struct stats *x, struct worker *w, uint64_t n, zinc_error *err)
{
	uint64_t stored, decoded;

	if (zinc_shape_bytes(&n, 1, x->dtype->size, SIZE_MAX, &stored) ||
	    zinc_shape_bytes(&n, 1, zinc_type_size(x->decoded), SIZE_MAX, &decoded))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is too large");
	ZINC_TRY(zinc_buf_reset(&w->stored, (size_t)stored, err));
	return zinc_buf_reset(&w->decoded, (size_t)decoded, err);
}

/* n elements, decoded and in the widest type. */
static zinc_status
decode(const struct stats *x, struct worker *w, const void *stored, size_t n, zinc_error *err)
{
	const zinc_type to = x->how.read == ZINC_NATIVE ? x->decoded : x->how.read;

	ZINC_TRY(zinc_cf_decode(x->cf, stored, n, w->decoded.p, err));
	(void)zinc_dtype_convert(to, x->decoded, w->elements.p, w->decoded.p, n, ZINC_CONVERT_ROUND); /* fits */
	return ZINC_OK;
}

static zinc_status
read_decoded(const struct stats *x, struct worker *w, const zinc_piece *piece, zinc_error *err)
{
	zinc_buffer b;

	ZINC_TRY(make_cf_room(x, w, piece->n, err));
	b = *ZINC_BUFFER_AS(ZINC_NATIVE, w->stored.p, (size_t)piece->n * x->dtype->size);
	ZINC_TRY(zinc_piece_read(x->a, piece, &b, x->wait, err));
	return decode(x, w, w->stored.p, (size_t)piece->n, err);
}

/* How decoded elements become numbers; false: nothing is decoded. */
static zinc_status
open_cf(struct stats *x, zinc_error *err)
{
	zinc_cf_about about = ZINC_CF_ABOUT_INIT;

	ZINC_TRY(zinc_cf_open(&x->cf, x->a, err));
	ZINC_TRY(zinc_cf_describe(x->cf, &about, err));
	x->decoded = about.type;
	if (about.kind == ZINC_CF_PLAIN) {
		zinc_cf_close(x->cf);
		x->cf = NULL;
	} else if (about.kind == ZINC_CF_NUMBER) {
		x->how = how_of(zinc_dtype_of(about.type));
	} else {
		x->how = (struct how){ZINC_STATS_TIMES, ZINC_WIDE_SIGNED, ZINC_NATIVE, widen_times};
	}
	return ZINC_OK;
}

static zinc_status
sum_piece(void *arg, const zinc_piece *piece, size_t slot, int worker, zinc_error *err)
{
	struct stats *x = arg;
	struct worker *w = &x->workers[worker];
	zinc_sums *s = &x->slots[slot];
	zinc_buffer b;
	size_t nbytes = 0;

	memset(s, 0, sizeof *s);
	ZINC_TRY(make_room(x, w, piece->n, &nbytes, err));
	if (x->cf) {
		ZINC_TRY(read_decoded(x, w, piece, err));
		sum_elements(x, w, (size_t)piece->n, s);
		return ZINC_OK;
	}
	b = *ZINC_BUFFER_AS(x->how.read, w->elements.p, nbytes);
	b.arena = w->arena;
	ZINC_TRY(zinc_piece_read(x->a, piece, &b, x->wait, err));
	sum_elements(x, w, (size_t)piece->n, s);
	if (w->arena)
		zinc_arena_empty(w->arena);
	return ZINC_OK;
}

/* Elements that are not stored all have the fill value.  It is taken from the metadata, because a read might return
 * what another process has just written there. */
static zinc_status
sum_absent(struct stats *x, uint64_t n, zinc_error *err)
{
	struct worker *w = &x->workers[0];
	zinc_sums *s = &x->slots[0];
	size_t nbytes = 0;

	if (n == 0)
		return ZINC_OK;
	memset(s, 0, sizeof *s);
	ZINC_TRY(make_room(x, w, 1, &nbytes, err));
	if (x->cf) {
		ZINC_TRY(make_cf_room(x, w, 1, err));
		ZINC_TRY(decode(x, w, x->fill, 1, err));
	} else if (x->how.read != ZINC_NATIVE && x->how.read != x->dtype->type) { /* the widest type, so it fits */
		(void)zinc_dtype_convert(x->how.read, x->dtype->type, w->elements.p, x->fill, 1, ZINC_CONVERT_ROUND);
	} else {
		memcpy(w->elements.p, x->fill, nbytes);
	}
	sum_elements(x, w, 1, s);
	zinc_sums_times(s, n);
	zinc_sums_merge(&x->all, s, x->how.type);
	return ZINC_OK;
}

static void
merge_piece(void *arg, size_t slot)
{
	struct stats *x = arg;

	zinc_sums_merge(&x->all, &x->slots[slot], x->how.type);
}

/* ---- results ---- */

/* With infinities of one sign the mean is infinite, with both it is NaN; so is what depends on it. */
static void
take_float_ends(const zinc_sums *s, zinc_stats *out)
{
	if (s->plus > 0)
		out->max.f = INFINITY;
	if (s->minus > 0)
		out->min.f = -INFINITY;
	if (s->n == 0 && s->minus == 0)
		out->min.f = INFINITY;
	if (s->n == 0 && s->plus == 0)
		out->max.f = -INFINITY;
	out->infinite = s->plus + s->minus;
	if (out->infinite == 0)
		return;
	out->deviation = NAN;
	out->mean = s->plus > 0 && s->minus > 0 ? NAN : s->plus > 0 ? INFINITY : -INFINITY;
}

static void
take_results(const struct stats *x, uint64_t elements, zinc_stats *out)
{
	static const zinc_type types[] = {ZINC_INT64, ZINC_UINT64, ZINC_FLOAT64};
	const zinc_sums *s = &x->all;
	const zinc_histogram *h = &s->bins;

	out->of = x->how.of;
	out->type = types[x->how.type];
	out->elements = elements;
	out->nan = s->nan;
	out->min = s->min;
	out->max = s->max;
	out->mean = s->n > 0 ? zinc_sums_mean(s, x->how.type) : NAN;
	out->deviation = s->n > 0 ? zinc_sums_deviation(s) : NAN;
	if (x->how.type == ZINC_WIDE_FLOAT)
		take_float_ends(s, out);
	else if (out->of == ZINC_STATS_VALUES || out->of == ZINC_STATS_LENGTHS)
		zinc_sums_print(s, out->sum);
	out->bins = h->n;
	out->exponent = h->exponent;
	out->first.u = h->first;
	memcpy(out->count, h->count, sizeof out->count);
}

/* ---- the whole ---- */

static zinc_status
make_workers(struct stats *x, zinc_error *err)
{
	int i;

	x->slots = zinc_calloc(x->a->ctx, zinc_pieces_window(x->threads), sizeof *x->slots);
	x->workers = zinc_calloc(x->a->ctx, (size_t)x->threads, sizeof *x->workers);
	if (!x->slots || !x->workers)
		return zinc_fail_nomem(err);
	for (i = 0; i < x->threads; i++) {
		zinc_buf_init(&x->workers[i].elements, x->a->ctx, zinc_max_many(8, zinc_max_chunk(x->a->ctx)));
		zinc_buf_init(&x->workers[i].numbers, x->a->ctx, zinc_max_many(8, zinc_max_chunk(x->a->ctx)));
		zinc_buf_init(&x->workers[i].stored, x->a->ctx, zinc_max_chunk(x->a->ctx));
		zinc_buf_init(&x->workers[i].decoded, x->a->ctx, zinc_max_many(8, zinc_max_chunk(x->a->ctx)));
		if (x->dtype->variable)
			ZINC_TRY(zinc_arena_new(&x->workers[i].arena, x->a->ctx, 0, err));
	}
	return ZINC_OK;
}

static void
free_workers(struct stats *x)
{
	int i;

	for (i = 0; x->workers && i < x->threads; i++) {
		zinc_buf_fini(&x->workers[i].elements);
		zinc_buf_fini(&x->workers[i].numbers);
		zinc_buf_fini(&x->workers[i].stored);
		zinc_buf_fini(&x->workers[i].decoded);
		zinc_arena_free(x->workers[i].arena);
	}
	zinc_free(x->a->ctx, x->workers);
	zinc_free(x->a->ctx, x->slots);
}

static zinc_status
sum_up(struct stats *x, const zinc_pieces *p, const zinc_stats_options *o, const zinc_call_options *call,
       zinc_stats *out, zinc_error *err)
{
	zinc_pieces_job job = {.threads = x->threads, .call = call, .wait = x->wait};
	zinc_status st;

	x->how = how_of(x->dtype);
	if (o->cf)
		ZINC_TRY(open_cf(x, err));
	x->element = x->how.read != ZINC_NATIVE ? zinc_type_size(x->how.read)
		     : x->cf                    ? zinc_type_size(x->decoded)
						: x->dtype->size;
	job.work = sum_piece;
	job.merge = merge_piece;
	job.arg = x;
	st = make_workers(x, err);
	if (st == ZINC_OK)
		st = zinc_pieces_run(p, &job, err);
	if (st == ZINC_OK)
		st = sum_absent(x, p->absent, err);
	if (st == ZINC_OK)
		take_results(x, p->sel.out_n, out);
	free_workers(x);
	return st;
}

zinc_status
zinc_array_stats(zinc_array *a, const zinc_selection *selection, const zinc_stats_options *options, zinc_stats *out,
		 zinc_error *err)
{
	uint64_t grain[ZINC_MAX_NDIM];
	zinc_stats all = ZINC_STATS_INIT;
	zinc_stats_options o;
	zinc_call_options call;
	zinc_wait wait;
	struct stats x = {.a = a};
	zinc_pieces p;
	zinc_status st;
	zinc_meta *m;

	ZINC_TRY(ZINC_NEED(a && out, err));
	ZINC_TRY(zinc_result_check(out, err));
	ZINC_TRY(zinc_options_take_as(&zinc_stats_options_kind, &o, options, err));
	ZINC_TRY(zinc_call_options_take(&call, o.call, err));
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	x.wait = &wait;
	m = zinc_array_snapshot(a);
	x.threads = o.threads > 0 && o.threads < a->ctx->threads ? o.threads : a->ctx->threads;
	zinc_pieces_choose_size(a, grain);
	st = zinc_pieces_init_stored(&p, &a, 1, selection, grain, &wait, err);
	x.dtype = m->dtype;
	x.fill = m->fill;
	if (st == ZINC_OK)
		st = sum_up(&x, &p, &o, &call, &all, err);
	zinc_cf_close(x.cf);
	zinc_result_fill(out, &all, sizeof all);
	zinc_pieces_fini(&p);
	zinc_meta_free(m);
	return st == ZINC_OK ? st : zinc_error_at_node(err, st, a->h, a->path);
}
