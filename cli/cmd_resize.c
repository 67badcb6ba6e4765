/*
 * cmd_resize.c - zinc resize and zinc append: change the shape; add elements at the end of a dimension
 */
#include "cli.h"

/* Would the library make this change of the shape? */
static int
check_shape(const char *url, const zinc_array *a, const uint64_t *shape)
{
	zinc_error err = ZINC_ERROR_INIT;
	const int status = may_write(url, zinc_array_hierarchy(a));

	return status == DONE && zinc_array_resize_check(a, shape, &err) ? fail(url, &err) : status;
}

/* ---- resize ---- */

static void
say_resize(struct run *r, const char *url, const zinc_array *a, const uint64_t *shape)
{
	struct text t = {NULL, 0, 0};

	text_puts(&t, "would change the shape of ");
	text_puts(&t, url);
	text_puts(&t, " from ");
	text_tuple(&t, zinc_array_shape(a), zinc_array_ndim(a));
	text_puts(&t, " to ");
	text_tuple(&t, shape, zinc_array_ndim(a));
	text_puts(&t, "\n");
	out_text(&r->out, &t);
}

int
cmd_resize(struct run *r)
{
	const char *url = r->args->words.at[0], *lengths = r->args->words.at[1];
	uint64_t shape[ZINC_MAX_NDIM];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int ndim, status;

	if (!parse_shape(lengths, shape, &ndim))
		return complain(USAGE, lengths, "not a list of lengths like 100,20");
	status = open_array(r, url, true, &a);
	if (status != DONE)
		return status;
	if (ndim != zinc_array_ndim(a))
		status = complain(USAGE, lengths, "has %d dimensions, the array has %d", ndim, zinc_array_ndim(a));
	else if (zinc_array_unsupported(a))
		status = complain(UNSUPPORTED, url, "%s", zinc_array_unsupported(a));
	else if (r->args->dry_run && (status = check_shape(url, a, shape)) == DONE)
		say_resize(r, url, a, shape);
	else if (!r->args->dry_run && zinc_array_resize(a, shape, &until_stopped, &err))
		status = fail(url, &err);
	zinc_array_close(a);
	return status;
}

/* ---- append ---- */

struct append {
	struct run *run;
	const char *url;
	zinc_array *array;
	int axis;
	struct source source;
	uint64_t n; /* elements */
};

/* The input must have the shape of the array, except along the axis. */
static int
check_append(struct append *p)
{
	const uint64_t *shape = zinc_array_shape(p->array), *more = p->source.npy.shape;
	struct text have = {NULL, 0, 0}, want = {NULL, 0, 0};
	int d, ndim = zinc_array_ndim(p->array), status = DONE;
	bool fits = p->source.npy.ndim == ndim;

	if (zinc_array_unsupported(p->array))
		return complain(UNSUPPORTED, p->url, "%s", zinc_array_unsupported(p->array));
	if (p->axis >= ndim)
		return complain(USAGE, "--axis", "the array has %d dimensions", ndim);
	for (d = 0, p->n = 1; d < ndim && fits; d++) {
		fits = d == p->axis || shape[d] == more[d];
		if (__builtin_mul_overflow(p->n, more[d], &p->n))
			p->n = UINT64_MAX;
	}
	if (!fits) {
		text_tuple(&have, more, p->source.npy.ndim);
		text_tuple(&want, shape, ndim);
		status = complain(USAGE, p->source.name,
				  "its shape is %s, but the shape of the array is %s; only dimension %d may differ",
				  have.p, want.p, p->axis);
	}
	text_free(&have);
	text_free(&want);
	return status;
}

/* Input that fits into memory is one call: the library checks all of it before it changes the shape. */
static int
append_whole(struct append *p)
{
	int64_t strides[ZINC_MAX_NDIM];
	zinc_io_options io = io_options(p->run);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b;
	int status = source_next(&p->source, p->array, p->source.npy.shape, p->source.npy.ndim, &b, strides);

	if (status != DONE)
		return status;
	b.shape = p->source.npy.shape;
	return zinc_array_append(p->array, p->axis, &b, &io, NULL, &err) ? fail(p->url, &err) : DONE;
}

/* Larger input is written piece by piece into a range that was reserved for it. */
static int
append_pieces(struct append *p)
{
	zinc_buffer nothing = {.size = sizeof nothing, .shape = p->source.npy.shape, .ndim = p->source.npy.ndim};
	zinc_error err = ZINC_ERROR_INIT;
	struct text sel = {NULL, 0, 0};
	struct region g;
	uint64_t at;
	int d, status;

	if (zinc_array_append(p->array, p->axis, &nothing, NULL, &at, &err))
		return fail(p->url, &err);
	for (d = 0; d < p->axis; d++)
		text_puts(&sel, ":,");
	text_printf(&sel, "%llu:%llu", (unsigned long long)at, (unsigned long long)(at + p->source.npy.shape[p->axis]));
	status = region_init(&g, p->array, sel.p, p->url);
	g.element = p->source.npy.element;
	if (status == DONE)
		status = region_pieces(&g, piece_budget(p->run), p->source.npy.fortran, source_write_piece, &p->source);
	region_fini(&g);
	text_free(&sel);
	return status;
}

static int
dry_append(struct append *p)
{
	const uint64_t more = p->source.npy.shape[p->axis];
	uint64_t shape[ZINC_MAX_NDIM];
	int status;

	memcpy(shape, zinc_array_shape(p->array), (size_t)zinc_array_ndim(p->array) * sizeof *shape);
	if (__builtin_add_overflow(shape[p->axis], more, &shape[p->axis]))
		return complain(USAGE, p->url, "the array would become too long");
	status = check_shape(p->url, p->array, shape);
	if (status == DONE)
		out_printf(&p->run->out, "would add %llu along dimension %d of %s, from %s\n", (unsigned long long)more,
			   p->axis, p->url, p->source.name);
	return status;
}

static int
append(struct append *p)
{
	uint64_t nbytes;
	int status = source_open(&p->source, p->run, p->url, NULL);

	if (status == DONE)
		status = check_append(p);
	if (status == DONE)
		status = source_check(&p->source, p->array, p->n);
	if (status != DONE)
		return status;
	if (p->run->args->dry_run)
		return dry_append(p);
	if (__builtin_mul_overflow(p->n, p->source.npy.element, &nbytes) || nbytes > piece_budget(p->run))
		return append_pieces(p);
	return append_whole(p);
}

int
cmd_append(struct run *r)
{
	struct append p = {.run = r, .url = r->args->words.at[0], .source = {.fd = -1}};
	int status;

	if (!r->args->from)
		return source_open(&p.source, r, p.url, NULL);
	p.axis = r->args->axis > 0 ? r->args->axis : 0;
	status = open_array(r, p.url, true, &p.array);
	if (status != DONE)
		return status;
	status = append(&p);
	source_close(&p.source);
	zinc_array_close(p.array);
	return status;
}
