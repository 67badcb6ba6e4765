/*
 * plot_read.c - the elements of a selection, box by box in bounded memory
 *
 * Order does not matter to a picture, so a box is cut in all dimensions and consists of whole stored objects: each is
 * decoded once.  Only objects larger than a box are decoded several times.
 */
#include <math.h>

#include "plot.h"

#define BOX     ((uint64_t)64 << 20) /* bytes */
#define OBJECTS 65536u               /* in a box: with small chunks, too, the progress bar moves */

struct boxes {
	struct run *run;
	const char *url;
	const struct region *region;
	struct plot_values *values;
	struct plot_damage *damage;
	plot_run_fn fn;
	void *arg;
	uint64_t extent[ZINC_MAX_NDIM]; /* items of a box */
	uint64_t shift[ZINC_MAX_NDIM];  /* items between the begin of the first box and that of the selection */
	uint64_t count[ZINC_MAX_NDIM];  /* boxes */
	uint64_t object[ZINC_MAX_NDIM]; /* items of a stored object */
	struct progress progress;
	uint64_t done, total, bytes;
	void *buffer;
};

static uint64_t
times(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* Items of a stored object along each dimension, at least 1, and where the first object begins. */
static void
measure_objects(struct boxes *b)
{
	const struct region *g = b->region;
	uint64_t shape[ZINC_MAX_NDIM];
	int d;

	if (!zinc_array_shard_shape(g->array, shape) && !zinc_array_chunk_shape(g->array, shape))
		memset(shape, 0, sizeof shape);
	for (d = 0; d < g->out_ndim; d++) {
		const zinc_select_dim *s = &g->dims[g->axis[d]];
		const uint64_t step = s->step ? s->step : 1, extent = s->list ? 1 : shape[g->axis[d]] / step;

		b->object[d] = extent ? extent : 1;
		b->shift[d] = step == 1 && !s->list && extent ? s->start % extent : 0;
	}
}

static uint64_t
box_bytes(const struct boxes *b)
{
	uint64_t n = b->region->element;
	int d;

	for (d = 0; d < b->region->out_ndim; d++)
		n = times(n, b->extent[d] < b->region->shape[d] ? b->extent[d] : b->region->shape[d]);
	return n ? n : 1;
}

/* Boxes of one object, made smaller from the first dimension if they are too large. */
static void
shrink_boxes(struct boxes *b, uint64_t budget)
{
	int d;

	for (d = 0; d < b->region->out_ndim && box_bytes(b) > budget; d++) {
		const uint64_t n = b->extent[d] < b->region->shape[d] ? b->extent[d] : b->region->shape[d];
		const uint64_t one = box_bytes(b) / n, fit = one ? budget / one : 1;

		b->extent[d] = fit ? fit : 1;
	}
}

/* ... or larger from the last one, while they have few objects and fit. */
static void
grow_boxes(struct boxes *b, uint64_t budget)
{
	uint64_t objects = OBJECTS;
	int d;

	for (d = b->region->out_ndim - 1; d >= 0; d--) {
		const uint64_t whole = b->region->shape[d] + b->shift[d];
		uint64_t k = budget / box_bytes(b), most = (whole - 1) / b->extent[d] + 1;

		k = k < objects ? k : objects;
		k = k < most ? k : most;
		if (k > 1) {
			b->extent[d] = times(b->extent[d], k);
			objects /= k;
		}
	}
}

static void
cut_boxes(struct boxes *b)
{
	const uint64_t most = piece_budget(b->run), budget = most < BOX ? most : BOX;
	int d;

	measure_objects(b);
	memcpy(b->extent, b->object, sizeof b->extent);
	shrink_boxes(b, budget);
	grow_boxes(b, budget);
	b->total = 1;
	for (d = 0; d < b->region->out_ndim; d++) {
		b->count[d] = (b->region->shape[d] + b->shift[d] - 1) / b->extent[d] + 1;
		b->total = times(b->total, b->count[d]);
	}
}

/* A strip of numbers: of elements that were read, or all missing. */
static zinc_status
fill_strip(struct boxes *b, const char *from, size_t n, double *strip, bool missing, zinc_error *err)
{
	size_t i;

	if (!missing)
		return plot_values_widen(b->values, from, n, strip, err);
	for (i = 0; i < n; i++)
		strip[i] = (double)NAN;
	return ZINC_OK;
}

/* The rows of a box that was read, in strips. */
static int
hand_out(struct boxes *b, const struct region *box, const uint64_t *first, bool missing)
{
	const int last = box->out_ndim - 1;
	const char *from = b->buffer;
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t at[ZINC_MAX_NDIM], row = box->shape[last], i, left;
	double strip[PLOT_STRIP];
	int d;

	memcpy(at, first, sizeof at);
	for (left = box->n / row; left > 0; left--) {
		for (i = 0; i < row; i += PLOT_STRIP) {
			const size_t n = (size_t)(row - i < PLOT_STRIP ? row - i : PLOT_STRIP);

			if (fill_strip(b, from, n, strip, missing, &err))
				return fail(b->url, &err);
			at[last] = first[last] + i;
			b->fn(b->arg, at, strip, n);
			from += n * box->element;
		}
		for (d = last - 1; d >= 0 && ++at[d] == first[d] + box->shape[d]; d--)
			at[d] = first[d];
	}
	return DONE;
}

/* A plot_part_fn. */
static int
read_part(void *boxes, const struct region *box, const uint64_t *first, bool missing)
{
	struct boxes *b = boxes;
	const size_t nbytes = (size_t)box->n * box->element;
	zinc_selection sel = region_selection(box);
	zinc_io_options io = io_options(b->run);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer buffer;
	int status = -1;

	if (missing)
		return hand_out(b, box, first, true);
	b->buffer = xrealloc(b->buffer, nbytes);
	buffer = *ZINC_BUFFER_AS(b->values->read, b->buffer, nbytes);
	if (zinc_array_read(box->array, &sel, &buffer, &io, &err)) {
		if (b->damage->skip)
			status = plot_damage_read(b->damage, box, first, &err, read_part, b);
		return status < 0 ? fail(b->url, &err) : status;
	}
	b->bytes += nbytes;
	return hand_out(b, box, first, false);
}

static int
read_box(struct boxes *b, const struct region *box, const uint64_t *first)
{
	const int status = read_part(b, box, first, false);

	progress_tick(&b->progress, ++b->done, b->total, b->bytes);
	return status;
}

/* All boxes of `part`, whose dimensions before d are cut already. */
static int
read_boxes(struct boxes *b, const struct region *part, uint64_t *first, int d)
{
	int status = DONE;
	uint64_t k;

	for (k = 0; k < b->count[d] && status == DONE; k++) {
		const uint64_t begin = k * b->extent[d], whole = part->shape[d] + b->shift[d];
		const uint64_t end = whole - begin > b->extent[d] ? begin + b->extent[d] : whole;
		struct region box = *part;

		first[d] = begin > b->shift[d] ? begin - b->shift[d] : 0;
		if (end <= b->shift[d]) /* a small box before the selection begins */
			continue;
		region_narrow(&box, d, first[d], end - b->shift[d] - first[d]);
		if (interrupted())
			return CANCELLED;
		status = d + 1 < part->out_ndim ? read_boxes(b, &box, first, d + 1) : read_box(b, &box, first);
	}
	return status;
}

int
plot_read(struct run *r, const char *url, const struct region *g, struct plot_values *v, struct plot_damage *damage,
	  plot_run_fn fn, void *arg)
{
	struct boxes b = {.run = r, .url = url, .region = g, .values = v, .damage = damage, .fn = fn, .arg = arg};
	uint64_t first[ZINC_MAX_NDIM] = {0};
	int status;

	if (g->n == 0 || g->out_ndim == 0)
		return DONE;
	damage->n = 0; /* a second pass finds the same again */
	json_free(&damage->list);
	cut_boxes(&b);
	progress_init(&b.progress, r, "reading");
	b.progress.unit = "piece";
	status = read_boxes(&b, g, first, 0);
	progress_end(&b.progress);
	free(b.buffer);
	return status;
}
