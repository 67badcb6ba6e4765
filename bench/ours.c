/*
 * ours.c - Zinc as a contender, through its public header
 *
 *     read       [sel=SELECTION] [order=F] [as=float32]  one call, of all elements without sel
 *     chunks     chunk=N,M,K [handles=own]                every box of that shape, one call each, on THREADS threads
 *                                                         that share one handle, or have a context and a handle each
 *     points     count=N                                  so many elements, far apart, in one call
 *     write      to=PATH                                  all elements of PATH into an array that has its metadata only
 *     roundtrip  to=PATH                                  the same with reading
 *     poke       to=PATH count=N                          so many boxes, 16 on each side, into an existing array
 *     append     to=PATH count=N                          so many times the first plane at the end of axis 0
 *     walk                                                every node below a group
 *
 * Writes, also of metadata, are relaxed unless durable=1, as in the other contenders.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc.h>

#include "bench.h"

static zinc_error err;

static void
must(zinc_status st)
{
	if (st != ZINC_OK)
		bench_die(zinc_error_text(&err));
}

static zinc_context *
context(const bench *b)
{
	zinc_context *ctx = NULL;

	must(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = b->threads), &err));
	return ctx;
}

static zinc_array *
open_array(const char *path, zinc_context *ctx, int relaxed)
{
	zinc_array *a = NULL;

	must(zinc_array_open_url(&a, path, ZINC_OPEN_OPTIONS(.context = ctx, .relaxed = relaxed), &err));
	return a;
}

static size_t
elements(const zinc_array *a, const zinc_selection *sel, int *ndim, uint64_t shape[ZINC_MAX_NDIM])
{
	size_t n = 1;
	int d;

	must(zinc_array_selection_shape(a, sel, ndim, shape, &err));
	for (d = 0; d < *ndim; d++)
		n *= shape[d];
	return n;
}

/* ---- reading ---- */

/* Strides of Fortran order: the first dimension is the one without gaps. */
static void
fortran(int64_t strides[ZINC_MAX_NDIM], int ndim, const uint64_t *shape, size_t size)
{
	int64_t step = (int64_t)size;
	int d;

	for (d = 0; d < ndim; d++) {
		strides[d] = step;
		step *= (int64_t)shape[d];
	}
}

static void
read_selection(bench *b)
{
	zinc_context *ctx = context(b);
	zinc_array *a = open_array(b->path, ctx, 0);
	const char *order = bench_option(b, "order"), *as = bench_option(b, "as");
	const char *text = bench_option(b, "sel");
	zinc_selection *sel = NULL; /* all */
	uint64_t shape[ZINC_MAX_NDIM];
	int64_t strides[ZINC_MAX_NDIM];
	zinc_buffer buf;
	size_t n, size = as ? sizeof(float) : zinc_array_element_size(a);
	int ndim, k;

	if (text)
		must(zinc_selection_parse(&sel, a, text, &err));
	n = elements(a, sel, &ndim, shape) * size;
	fortran(strides, ndim, shape, size);
	for (k = 0; k < b->repeat; k++) {
		bench_start(b);
		buf = *ZINC_BUFFER_AS(as ? ZINC_FLOAT32 : ZINC_NATIVE, bench_fresh(n), n);
		if (order) {
			buf.ndim = ndim;
			buf.shape = shape;
			buf.strides = strides;
		}
		must(zinc_array_read(a, sel, &buf, NULL, &err));
		bench_stop(b);
		bench_drop(buf.data, n);
	}
	zinc_selection_free(sel);
	zinc_array_close(a);
	zinc_context_free(ctx);
}

typedef struct boxes {
	zinc_context *ctx[MOST_THREADS]; /* of each worker; those that share have the same */
	zinc_array *a[MOST_THREADS];
	int ndim;
	const uint64_t *shape;
	uint64_t chunk[MOST_DIMS], grid[MOST_DIMS];
	void *buffer[MOST_THREADS];
	size_t nbytes;
} boxes;

/* Box number i, truncated at the end of the array. */
static void
read_box(void *arg, size_t i, int worker)
{
	boxes *x = (boxes *)arg;
	uint64_t start[MOST_DIMS], count[MOST_DIMS];
	zinc_selection sel = ZINC_SELECTION_ALL;
	zinc_error e = ZINC_ERROR_INIT;
	size_t n = zinc_array_element_size(x->a[worker]);
	int d;

	for (d = x->ndim - 1; d >= 0; d--) {
		start[d] = i % x->grid[d] * x->chunk[d];
		i /= x->grid[d];
		count[d] = x->shape[d] - start[d] < x->chunk[d] ? x->shape[d] - start[d] : x->chunk[d];
		n *= count[d];
	}
	sel.kind = ZINC_SELECT_BOX;
	sel.ndim = x->ndim;
	sel.start = start;
	sel.count = count;
	if (zinc_array_read(x->a[worker], &sel, ZINC_BUFFER_AS(ZINC_NATIVE, x->buffer[worker], n),
			    ZINC_IO_OPTIONS(.threads = 1), &e) != ZINC_OK)
		bench_die(zinc_error_text(&e));
}

/* A handle for each worker: one for all, or one each, sharing only the files. */
static void
open_handles(bench *b, boxes *x)
{
	int k;

	for (k = 0; k < b->threads; k++) {
		const bool shared = k > 0 && !bench_option(b, "handles");

		x->ctx[k] = shared ? x->ctx[0] : context(b);
		x->a[k] = shared ? x->a[0] : open_array(b->path, x->ctx[k], 0);
	}
}

static void
close_handles(bench *b, boxes *x)
{
	int k;

	for (k = b->threads - 1; k >= 0; k--)
		if (k == 0 || x->a[k] != x->a[0]) {
			zinc_array_close(x->a[k]);
			zinc_context_free(x->ctx[k]);
		}
}

static void
read_chunks(bench *b)
{
	boxes x;
	size_t n = 1;
	int d, k;

	memset(&x, 0, sizeof x);
	open_handles(b, &x);
	x.ndim = bench_numbers(b, "chunk", x.chunk, MOST_DIMS);
	x.shape = zinc_array_shape(x.a[0]);
	x.nbytes = zinc_array_element_size(x.a[0]);
	for (d = 0; d < x.ndim; d++) {
		x.grid[d] = (x.shape[d] + x.chunk[d] - 1) / x.chunk[d];
		x.nbytes *= x.chunk[d];
		n *= x.grid[d];
	}
	for (k = 0; k < b->threads; k++)
		x.buffer[k] = bench_fresh(x.nbytes);
	for (k = 0; k < b->repeat; k++) {
		bench_start(b);
		bench_share(b->threads, n, read_box, &x);
		bench_stop(b);
	}
	close_handles(b, &x);
}

/* The same points for all contenders: see peers.py. */
static void
read_points(bench *b)
{
	static const uint64_t primes[MOST_DIMS] = {7919,      104729,     1299709, 15485863,
						   179424673, 2038074743, 7927,    104743};
	zinc_context *ctx = context(b);
	zinc_array *a = open_array(b->path, ctx, 0);
	const uint64_t *shape = zinc_array_shape(a);
	const size_t n = strtoull(bench_option(b, "count"), NULL, 10), nbytes = n * zinc_array_element_size(a);
	const size_t ndim = (size_t)zinc_array_ndim(a);
	uint64_t *points = bench_fresh(n * ndim * sizeof *points);
	zinc_selection sel = ZINC_SELECTION_ALL;
	size_t i;
	int k;

	for (i = 0; i < ndim * n; i++)
		points[i] = i / ndim * primes[i % ndim] % shape[i % ndim];
	sel.kind = ZINC_SELECT_POINTS;
	sel.ndim = (int)ndim;
	sel.points = points;
	sel.npoints = n;
	for (k = 0; k < b->repeat; k++) {
		bench_start(b);
		must(zinc_array_read(a, &sel, ZINC_BUFFER_AS(ZINC_NATIVE, bench_fresh(nbytes), nbytes), NULL, &err));
		bench_stop(b);
	}
	zinc_array_close(a);
	zinc_context_free(ctx);
}

/* ---- writing ---- */

typedef struct copy {
	zinc_context *ctx;
	zinc_array *from, *to;
	void *data;
	size_t nbytes;
	zinc_io_options io;
} copy;

static copy
open_copy(const bench *b)
{
	static const zinc_selection all = ZINC_SELECTION_ALL;
	uint64_t shape[ZINC_MAX_NDIM];
	copy c;
	int ndim;

	memset(&c, 0, sizeof c);
	c.ctx = context(b);
	c.from = open_array(b->path, c.ctx, 0);
	c.to = open_array(bench_option(b, "to"), c.ctx, bench_option(b, "durable") == NULL);
	c.nbytes = elements(c.from, &all, &ndim, shape) * zinc_array_element_size(c.from);
	c.data = bench_fresh(c.nbytes);
	c.io = (zinc_io_options)ZINC_IO_OPTIONS_INIT;
	c.io.relaxed = bench_option(b, "durable") == NULL;
	return c;
}

static void
close_copy(copy *c)
{
	zinc_array_close(c->from);
	zinc_array_close(c->to);
	zinc_context_free(c->ctx);
}

static void
read_all(const copy *c)
{
	must(zinc_array_read(c->from, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, c->data, c->nbytes), NULL, &err));
}

static void
write_all(bench *b, bool with_reading)
{
	copy c = open_copy(b);
	int k;

	read_all(&c);
	for (k = 0; k < b->repeat; k++) {
		bench_start(b);
		if (with_reading)
			read_all(&c);
		must(zinc_array_write(c.to, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, c.data, c.nbytes), &c.io, &err));
		bench_stop(b);
	}
	close_copy(&c);
}

static void
poke(bench *b)
{
	const uint64_t n = strtoull(bench_option(b, "count"), NULL, 10);
	copy c = open_copy(b);
	const uint64_t *shape = zinc_array_shape(c.to);
	const int ndim = zinc_array_ndim(c.to);
	size_t nbytes = zinc_array_element_size(c.to);
	zinc_selection sel = ZINC_SELECTION_ALL;
	uint64_t start[MOST_DIMS], count[MOST_DIMS], i;
	int k, d;

	read_all(&c);
	for (d = 0; d < ndim; d++) {
		count[d] = 16;
		nbytes *= 16;
	}
	sel.kind = ZINC_SELECT_BOX;
	sel.ndim = ndim;
	sel.start = start;
	sel.count = count;
	for (k = 0; k < b->repeat; k++) {
		bench_start(b);
		for (i = 0; i < n; i++) {
			for (d = 0; d < ndim; d++)
				start[d] = (i + 1) * (uint64_t)(37 + 10 * d) % (shape[d] - 16);
			must(zinc_array_write(c.to, &sel, ZINC_BUFFER_AS(ZINC_NATIVE, c.data, nbytes), &c.io, &err));
		}
		bench_stop(b);
	}
	close_copy(&c);
}

static void
append(bench *b)
{
	const uint64_t n = strtoull(bench_option(b, "count"), NULL, 10);
	copy c = open_copy(b);
	uint64_t plane[ZINC_MAX_NDIM], i;
	zinc_buffer buf;
	int k;

	read_all(&c);
	memcpy(plane, zinc_array_shape(c.to), (size_t)zinc_array_ndim(c.to) * sizeof *plane);
	buf = *ZINC_BUFFER_AS(ZINC_NATIVE, c.data, c.nbytes / zinc_array_shape(c.from)[0]);
	plane[0] = 1;
	buf.ndim = zinc_array_ndim(c.to);
	buf.shape = plane;
	for (k = 0; k < b->repeat; k++) {
		bench_start(b);
		for (i = 0; i < n; i++)
			must(zinc_array_append(c.to, 0, &buf, &c.io, NULL, &err));
		bench_stop(b);
	}
	close_copy(&c);
}

/* ---- hierarchies ---- */

static int
count_node(void *arg, const zinc_node *node)
{
	(void)node;
	++*(size_t *)arg;
	return 0;
}

static void
walk(bench *b)
{
	zinc_context *ctx = context(b);
	size_t n = 0;
	int k;

	for (k = 0; k < b->repeat; k++) {
		zinc_hierarchy *h = NULL;

		bench_start(b);
		must(zinc_hierarchy_open_url(&h, b->path, ZINC_OPEN_OPTIONS(.context = ctx, .read_only = 1), &err));
		must(zinc_node_walk(h, "/", -1, count_node, &n, NULL, &err));
		zinc_hierarchy_close(h);
		bench_stop(b);
	}
	zinc_context_free(ctx);
}

int
main(int argc, char **argv)
{
	bench b = bench_begin(argc, argv);

	if (strcmp(b.operation, "read") == 0)
		read_selection(&b);
	else if (strcmp(b.operation, "chunks") == 0)
		read_chunks(&b);
	else if (strcmp(b.operation, "points") == 0)
		read_points(&b);
	else if (strcmp(b.operation, "write") == 0)
		write_all(&b, false);
	else if (strcmp(b.operation, "roundtrip") == 0)
		write_all(&b, true);
	else if (strcmp(b.operation, "poke") == 0)
		poke(&b);
	else if (strcmp(b.operation, "append") == 0)
		append(&b);
	else if (strcmp(b.operation, "walk") == 0)
		walk(&b);
	else
		bench_die("no such operation");
	return bench_print(&b);
}
