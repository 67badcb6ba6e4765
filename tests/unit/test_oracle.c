/*
 * test_oracle.c - random arrays, selections, reads and writes against a flat array in memory
 *
 * Each sequence makes one array (shape, chunks or shards of one or of several lengths, data type, chain, fill value, order,
 * key encoding, store, threads, cache at random) and then writes, reads, resizes it and appends to it at random, doing
 * the same to a flat array by the simplest code.  Every element must agree after every step.
 *
 *     ORACLE_RUNS=10000 ORACLE_SEED=...       a failing run prints its seed and sequence
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zinc.h>

#include "support/random.h"
#include "support/test.h"

#define MAX_NDIM  4
#define MAX_ELEMS 4096
#define MAX_EDGES 96

/* ---- the oracle ---- */

typedef struct oracle {
	int ndim;
	uint64_t shape[MAX_NDIM];
	size_t element;
	zinc_type type;
	uint8_t fill[16];
	uint8_t *flat;
	size_t n;
} oracle;

static size_t
product(const uint64_t *shape, int ndim)
{
	size_t n = 1;
	int d;

	for (d = 0; d < ndim; d++)
		n *= (size_t)shape[d];
	return n;
}

/* A selection, and the linear index of each of its elements in the order of the result. */
typedef struct choice {
	zinc_selection s;
	zinc_select_dim dims[MAX_NDIM];
	uint64_t start[MAX_NDIM], count[MAX_NDIM], step[MAX_NDIM];
	uint64_t lists[MAX_NDIM][24];
	uint64_t points[64 * MAX_NDIM];
	uint8_t mask[MAX_ELEMS];
	char text[256];
	int out_ndim;
	uint64_t out_shape[MAX_NDIM];
	size_t n;
	size_t at[MAX_ELEMS * 4];
} choice;

/* The naive product of per-dimension indices. */
static void
enumerate(choice *c, const oracle *o)
{
	uint64_t i[MAX_NDIM] = {0};
	int d;

	c->n = 1;
	c->out_ndim = 0;
	for (d = 0; d < o->ndim; d++) {
		uint64_t n = c->dims[d].list ? c->dims[d].nlist : c->dims[d].count;

		c->n *= (size_t)n;
		if (!c->dims[d].drop)
			c->out_shape[c->out_ndim++] = n;
	}
	for (size_t k = 0; k < c->n; k++) {
		size_t linear = 0, rest = k;

		for (d = o->ndim - 1; d >= 0; d--) {
			uint64_t n = c->dims[d].list ? c->dims[d].nlist : c->dims[d].count;

			i[d] = rest % n;
			rest /= (size_t)n;
		}
		for (d = 0; d < o->ndim; d++) {
			uint64_t x =
			    c->dims[d].list ? c->dims[d].list[i[d]] : c->dims[d].start + i[d] * c->dims[d].step;

			linear = linear * (size_t)o->shape[d] + (size_t)x;
		}
		c->at[k] = linear;
	}
}

static void
choose_slices(choice *c, const oracle *o, int lists)
{
	int d;

	for (d = 0; d < o->ndim; d++) {
		zinc_select_dim *x = &c->dims[d];
		uint64_t n = o->shape[d];

		memset(x, 0, sizeof *x);
		x->start = random_below(n + 1);
		x->step = 1 + (random_below(3) == 0 ? random_below(4) : 0);
		x->count = x->start >= n ? 0 : 1 + random_below((n - x->start + x->step - 1) / x->step);
		if (random_below(3) == 0 && n > 0) {
			x->start = 0;
			x->step = 1;
			x->count = n;
		}
		if (lists && n > 0 && random_below(4) == 0) {
			x->drop = 1;
			x->start = random_below(n);
			x->count = 1;
			x->step = 1;
		} else if (lists && n > 0 && random_below(3) == 0) {
			x->nlist = (size_t)random_below(12);
			for (size_t k = 0; k < x->nlist; k++)
				c->lists[d][k] = random_below(n);
			x->list = c->lists[d];
		}
		c->start[d] = x->start;
		c->count[d] = x->count;
		c->step[d] = x->step;
	}
	enumerate(c, o);
}

static void
choose_points(choice *c, const oracle *o)
{
	size_t k, total = product(o->shape, o->ndim);
	int d;

	c->n = total == 0 ? 0 : (size_t)random_below(40);
	for (k = 0; k < c->n; k++) {
		size_t linear = 0;

		for (d = 0; d < o->ndim; d++) {
			c->points[k * (size_t)o->ndim + (size_t)d] = random_below(o->shape[d]);
			linear = linear * (size_t)o->shape[d] + (size_t)c->points[k * (size_t)o->ndim + (size_t)d];
		}
		c->at[k] = linear;
	}
	c->s.points = c->points;
	c->s.npoints = c->n;
	c->out_ndim = 1;
	c->out_shape[0] = c->n;
}

static void
choose_mask(choice *c, const oracle *o)
{
	size_t k, total = product(o->shape, o->ndim);

	c->n = 0;
	for (k = 0; k < total; k++) {
		c->mask[k] = random_below(5) == 0;
		if (c->mask[k])
			c->at[c->n++] = k;
	}
	c->s.mask = c->mask;
	c->s.nmask = total;
	c->out_ndim = 1;
	c->out_shape[0] = c->n;
}

/* The edges of the stored grid along one dimension: a list, or (n == 0) one step. */
typedef struct edges {
	uint64_t step, at[MAX_EDGES];
	size_t n;
} edges;

/* Where the stored object begins; for the number after the last one, where that ends. */
static uint64_t
begin_of(const edges *e, uint64_t object)
{
	uint64_t sum = 0, i;

	for (i = 0; i < object; i++)
		sum += e->n ? e->at[i] : e->step;
	return sum;
}

static uint64_t
objects_of(const edges *e, uint64_t length)
{
	uint64_t n = 0;

	while (begin_of(e, n) < length)
		n++;
	return n;
}

/* Blocks of the stored grid. */
static void
choose_blocks(choice *c, const oracle *o, const edges *grid)
{
	int d;

	for (d = 0; d < o->ndim; d++) {
		uint64_t n = objects_of(&grid[d], o->shape[d]), stop;

		c->start[d] = random_below(n + 1);
		c->count[d] = c->start[d] >= n ? 0 : 1 + random_below(n - c->start[d]);
		memset(&c->dims[d], 0, sizeof c->dims[d]);
		c->dims[d].start = begin_of(&grid[d], c->start[d]);
		stop = begin_of(&grid[d], c->start[d] + c->count[d]);
		stop = stop < o->shape[d] ? stop : o->shape[d];
		c->dims[d].count = stop > c->dims[d].start ? stop - c->dims[d].start : 0;
		c->dims[d].step = 1;
	}
	enumerate(c, o);
}

/* Write the slices as text, with negative numbers and left-out ends here and there. */
static void
spell(choice *c, const oracle *o)
{
	size_t n = 0;
	int d;

	c->text[0] = '\0';
	for (d = 0; d < o->ndim; d++) {
		zinc_select_dim *x = &c->dims[d];
		uint64_t stop = x->start + (x->count == 0 ? 0 : (x->count - 1) * x->step + 1);
		const char *comma = d > 0 ? ", " : "";

		if (x->drop && random_below(2) == 0)
			n += (size_t)snprintf(c->text + n, sizeof c->text - n, "%s-%" PRIu64, comma,
					      o->shape[d] - x->start);
		else if (x->drop)
			n += (size_t)snprintf(c->text + n, sizeof c->text - n, "%s%" PRIu64, comma, x->start);
		else if (x->start == 0 && x->step == 1 && x->count == o->shape[d])
			n += (size_t)snprintf(c->text + n, sizeof c->text - n, "%s:", comma);
		else
			n += (size_t)snprintf(c->text + n, sizeof c->text - n, "%s%" PRIu64 ":%" PRIu64 ":%" PRIu64,
					      comma, x->start, stop, x->step);
	}
}

static void
choose(choice *c, const oracle *o, const edges *grid)
{
	static const zinc_selection all = ZINC_SELECTION_ALL;
	zinc_select kind = (zinc_select)random_below(6);

	c->s = all;
	c->s.kind = kind;
	c->s.ndim = o->ndim;
	c->s.start = c->start;
	c->s.count = c->count;
	c->text[0] = '\0';
	switch (kind) {
	case ZINC_SELECT_ALL:
		for (int d = 0; d < o->ndim; d++)
			c->dims[d] = (zinc_select_dim){0, o->shape[d], 1, NULL, 0, 0};
		enumerate(c, o);
		break;
	case ZINC_SELECT_BOX:
		choose_slices(c, o, 0);
		c->s.step = c->step;
		spell(c, o);
		break;
	case ZINC_SELECT_ORTHO:
		choose_slices(c, o, 1);
		c->s.dims = c->dims;
		break;
	case ZINC_SELECT_POINTS:
		choose_points(c, o);
		break;
	case ZINC_SELECT_MASK:
		choose_mask(c, o);
		break;
	case ZINC_SELECT_BLOCKS:
		choose_blocks(c, o, grid);
		break;
	}
}

/* ---- elements ---- */

static void
store_number(uint8_t *p, zinc_type type, unsigned v)
{
	switch (type) {
	case ZINC_BOOL:
		*p = v & 1;
		break;
	case ZINC_INT8:
	case ZINC_UINT8:
		*p = (uint8_t)v;
		break;
	case ZINC_INT16:
	case ZINC_UINT16: {
		uint16_t x = (uint16_t)v;
		memcpy(p, &x, 2);
		break;
	}
	case ZINC_INT32:
	case ZINC_UINT32: {
		uint32_t x = v;
		memcpy(p, &x, 4);
		break;
	}
	case ZINC_INT64:
	case ZINC_UINT64: {
		uint64_t x = v;
		memcpy(p, &x, 8);
		break;
	}
	case ZINC_FLOAT16: {
		/* small integers in binary16, by hand: shift until the leading one is bit 10 */
		uint16_t h = 0;
		if (v != 0) {
			unsigned e = 25, m = v;
			while (m < 1024) {
				m <<= 1;
				e--;
			}
			h = (uint16_t)(e << 10 | (m & 1023));
		}
		memcpy(p, &h, 2);
		break;
	}
	case ZINC_FLOAT32: {
		float x = (float)v;
		memcpy(p, &x, 4);
		break;
	}
	case ZINC_FLOAT64: {
		double x = v;
		memcpy(p, &x, 8);
		break;
	}
	case ZINC_COMPLEX64: {
		float x[2] = {(float)v, 0};
		memcpy(p, x, 8);
		break;
	}
	case ZINC_COMPLEX128: {
		double x[2] = {v, 0};
		memcpy(p, x, 16);
		break;
	}
	default:
		memset(p, (int)v, 3);
		break; /* r24 */
	}
}

/* The number of an element that store_number made. */
static unsigned
load_number(const uint8_t *p, zinc_type type)
{
	uint8_t q[16];
	size_t n = type == ZINC_RAW ? 3 : zinc_type_size(type);

	for (unsigned v = 0; v < 128; v++) {
		store_number(q, type, v);
		if (memcmp(p, q, n) == 0)
			return v;
	}
	fail_msg("an element that nobody wrote");
	return 0;
}

/* ---- one sequence ---- */

typedef struct subject {
	zinc_context *ctx;
	zinc_hierarchy *h;
	zinc_array *a;
	oracle o;
	edges grid[MAX_NDIM];
	uint64_t inner[MAX_NDIM]; /* what edges are multiples of */
	choice c;
	uint8_t *buffer;
	char describe[1600];
} subject;

static const char *const chains[] = {
    "none",
    "zstd:1",
    "gzip:1",
    "blosc:lz4:3:shuffle",
    "crc32c",
    "zstd:0+crc32c",
    "blosc:zstd:1:bitshuffle+crc32c",
    "gzip:1+zstd",
    "blosc:blosclz:5:noshuffle",
};
static const char *const dtypes[] = {"bool",    "int8",    "int16",     "int32",      "int64",
				     "uint8",   "uint16",  "uint32",    "uint64",     "float16",
				     "float32", "float64", "complex64", "complex128", "r24"};

/* Random edges that cover the dimension, and now and then more, as multiples of `unit`. */
static void
choose_edges(edges *e, uint64_t length, uint64_t unit)
{
	e->n = 0;
	if (random_below(4) == 0)
		return;
	while (begin_of(e, e->n) < length || e->n == 0 || (e->n < MAX_EDGES / 2 && random_below(4) == 0))
		e->at[e->n++] = unit * (1 + (random_below(2) ? random_below(5) : 0));
}

/* As chunk_shapes: a step, edges, and for equal neighbours sometimes a run. */
static void
spell_edges(const subject *x, char *text, size_t room)
{
	size_t n = 0, i, run;
	int d;

	n += (size_t)snprintf(text, room, "[");
	for (d = 0; d < x->o.ndim; d++) {
		const edges *e = &x->grid[d];

		n += (size_t)snprintf(text + n, room - n, d ? ", " : "");
		if (e->n == 0) {
			n += (size_t)snprintf(text + n, room - n, "%" PRIu64, e->step);
			continue;
		}
		for (i = 0; i < e->n; i += run) {
			for (run = 1; i + run < e->n && e->at[i + run] == e->at[i] && random_below(3); run++)
				;
			n += (size_t)snprintf(text + n, room - n, i ? ", " : "[");
			n += (size_t)(run > 1 ? snprintf(text + n, room - n, "[%" PRIu64 ", %zu]", e->at[i], run)
					      : snprintf(text + n, room - n, "%" PRIu64, e->at[i]));
		}
		n += (size_t)snprintf(text + n, room - n, "]");
	}
	snprintf(text + n, room - n, "]");
}

/* Types, chains and fill values that N5 has. */
static bool
fits_n5(int ndim, size_t type, const char *codecs, unsigned fill)
{
	return ndim > 0 && type > 0 && type < 12 && type != 9 && fill == 0 && !strchr(codecs, '+') &&
	       strcmp(codecs, "crc32c") != 0;
}

static void
open_subject(subject *x, zinc_context *ctx, const char *dir)
{
	static char edges_text[MAX_NDIM * MAX_EDGES * 12];
	uint64_t chunks[MAX_NDIM], shards[MAX_NDIM];
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	char url[300], codecs[200], fill[64], order[64] = "";
	size_t type = random_below(15);
	int d, sharded, transposed, uneven;

	memset(&x->o, 0, sizeof x->o);
	x->ctx = ctx;
	x->o.ndim = (int)random_below(MAX_NDIM + 1);
	sharded = random_below(2) == 0;
	uneven = random_below(2) == 0;
	for (d = 0; d < x->o.ndim; d++) {
		x->o.shape[d] = random_below(20) == 0 ? 0 : 1 + random_below(x->o.ndim > 2 ? 7 : 30);
		chunks[d] = 1 + random_below(x->o.shape[d] + 2);
		if (x->o.ndim > 2 && chunks[d] > 6)
			chunks[d] = 6;
		shards[d] = chunks[d] * (1 + random_below(3));
		x->grid[d].step = sharded ? shards[d] : chunks[d];
		x->grid[d].n = 0;
		x->inner[d] = sharded ? chunks[d] : 1;
		if (uneven)
			choose_edges(&x->grid[d], x->o.shape[d], x->inner[d]);
	}
	spell_edges(x, edges_text, sizeof edges_text);
	transposed = x->o.ndim > 1 && random_below(3) == 0;
	if (transposed && x->o.ndim == 2)
		snprintf(order, sizeof order, "transpose:1,0+");
	else if (transposed && x->o.ndim == 3)
		snprintf(order, sizeof order, "transpose:1,2,0+");
	else if (transposed)
		snprintf(order, sizeof order, "transpose:3,1,0,2+");
	static const char *const reshapes[] = {"", "", "", "reshape:[-1]+", "reshape:[-1]+transpose:0+"};
	snprintf(order + strlen(order), sizeof order - strlen(order), "%s",
		 reshapes[random_below(x->o.ndim > 0 ? 5 : 4)]);
	const char *chain = chains[random_below(sizeof chains / sizeof *chains)];
	if (strcmp(chain, "none") == 0 && order[0] != '\0')
		chain = "bytes";
	snprintf(codecs, sizeof codecs, "%s%s", order, chain);
	x->o.type = type == 14 ? ZINC_RAW : (zinc_type)(type + 1);
	x->o.element = type == 14 ? 3 : zinc_type_size(x->o.type);
	unsigned f = (unsigned)random_below(3) == 0 ? 7 : 0;
	store_number(x->o.fill, x->o.type, f);
	if (type == 0)
		snprintf(fill, sizeof fill, "%s", f & 1 ? "true" : "false");
	else if (type == 12 || type == 13)
		snprintf(fill, sizeof fill, "[%u, 0]", f);
	else if (type == 14)
		snprintf(fill, sizeof fill, "[%u, %u, %u]", f, f, f);
	else
		snprintf(fill, sizeof fill, "%u", f);
	o.ndim = x->o.ndim;
	o.shape = x->o.shape;
	o.chunks = sharded || !uneven ? chunks : NULL;
	o.shards = sharded && !uneven ? shards : NULL;
	o.chunk_edges = uneven && !sharded ? edges_text : NULL;
	o.shard_edges = uneven && sharded ? edges_text : NULL;
	o.dtype = dtypes[type];
	o.codecs = codecs;
	o.fill = fill;
	o.big_endian = random_below(3) == 0;
	static const char *const encodings[] = {"default", "default.", "v2", "v2/"};
	o.key_encoding = encodings[random_below(4)];
	o.overwrite = 1;
	if (!sharded && !uneven && fits_n5(x->o.ndim, type, codecs, f))
		open.format = "n5";
	if (dir)
		snprintf(url, sizeof url, "%s/oracle.%s", dir, open.format ? "n5" : "zarr");
	else
		snprintf(url, sizeof url, "memory://oracle%s", open.format ? "/n5" : "/v3");
	open.context = ctx;
	open.relaxed = 1;
	open.create = 1;
	snprintf(x->describe, sizeof x->describe,
		 "%s %s ndim %d shape %" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 " chunks %" PRIu64 ",%" PRIu64
		 ",%" PRIu64 ",%" PRIu64 " %s edges %.300s codecs %s fill %s big %d keys %s%s",
		 url, o.dtype, o.ndim, x->o.shape[0], x->o.shape[1], x->o.shape[2], x->o.shape[3], chunks[0], chunks[1],
		 chunks[2], chunks[3], sharded ? "sharded" : "plain", uneven ? edges_text : "equal", codecs, fill,
		 o.big_endian, o.key_encoding, open.format ? " n5" : "");
	if (zinc_hierarchy_open_url(&x->h, url, &open, &err) != ZINC_OK ||
	    zinc_array_create(&x->a, x->h, zinc_hierarchy_path(x->h), &o, &err) != ZINC_OK)
		fail_msg("%s: %s", x->describe, zinc_error_text(&err));
	x->o.n = product(x->o.shape, x->o.ndim);
	x->o.flat = calloc(MAX_ELEMS * 8, 16);
	for (size_t i = 0; i < x->o.n; i++)
		memcpy(x->o.flat + i * x->o.element, x->o.fill, x->o.element);
	x->buffer = calloc(MAX_ELEMS * 8, 16);
}

static void
close_subject(subject *x)
{
	zinc_array_close(x->a);
	zinc_hierarchy_close(x->h);
	free(x->o.flat);
	free(x->buffer);
}

/* A type for the buffer that every value we use converts to and from. */
static zinc_type
buffer_type(const subject *x, int writing)
{
	zinc_type t = (zinc_type)(ZINC_INT8 + random_below(11));

	if (x->o.type == ZINC_BOOL || x->o.type == ZINC_RAW || random_below(2) == 0)
		return ZINC_NATIVE;
	if (x->o.type >= ZINC_COMPLEX64)
		return writing ? t : ZINC_COMPLEX128;
	return t;
}

/* Sometimes a Fortran-order buffer with a gap; sets strides and returns the bytes it spans. */
static size_t
lay_out(const choice *c, size_t element, int64_t *strides)
{
	int64_t stride = (int64_t)element;
	int d, fortran = random_below(3) == 0, gap = random_below(3) == 0 ? (int)element : 0;

	for (int k = 0; k < c->out_ndim; k++) {
		d = fortran ? k : c->out_ndim - 1 - k;
		strides[d] = stride;
		stride = stride * (int64_t)c->out_shape[d] + gap;
	}
	return (size_t)stride + element;
}

static size_t
buffer_offset(const choice *c, const int64_t *strides, size_t k)
{
	int64_t at = 0;

	for (int d = c->out_ndim - 1; d >= 0; d--) {
		at += (int64_t)(k % (size_t)c->out_shape[d]) * strides[d];
		k /= (size_t)c->out_shape[d];
	}
	return (size_t)at;
}

static zinc_status
access_array(subject *x, zinc_buffer b, int writing, zinc_error *err)
{
	zinc_io_options o = ZINC_IO_OPTIONS_INIT;

	o.relaxed = 1;
	o.threads = (int)random_below(3);
	o.store_fill = random_below(4) == 0;
	if (x->c.text[0] != '\0' && random_below(2) == 0)
		return writing ? zinc_array_write_text(x->a, x->c.text, &b, NULL, err)
			       : zinc_array_read_text(x->a, x->c.text, &b, NULL, err);
	return writing ? zinc_array_write(x->a, &x->c.s, &b, &o, err) : zinc_array_read(x->a, &x->c.s, &b, &o, err);
}

static void
step_access(subject *x, int writing)
{
	zinc_error err = ZINC_ERROR_INIT;
	int64_t strides[MAX_NDIM] = {0};
	zinc_type type = buffer_type(x, writing), real = type == ZINC_NATIVE ? x->o.type : type;
	size_t element = type == ZINC_NATIVE ? x->o.element : zinc_type_size(type), nbytes, k;
	zinc_buffer b;

	choose(&x->c, &x->o, x->grid);
	nbytes = lay_out(&x->c, element, strides);
	assert_true(nbytes < MAX_ELEMS * 8 * 16);
	b = *ZINC_BUFFER_AS(type, x->buffer, nbytes);
	b.ndim = x->c.out_ndim;
	b.shape = x->c.out_shape;
	b.strides = strides;
	memset(x->buffer, 0xee, nbytes);
	for (k = 0; writing && k < x->c.n; k++) {
		unsigned v =
		    (unsigned)random_below(4) == 0 ? load_number(x->o.fill, x->o.type) : (unsigned)random_below(100);

		store_number(x->buffer + buffer_offset(&x->c, strides, k), real, x->o.type == ZINC_BOOL ? v & 1 : v);
	}
	if (access_array(x, b, writing, &err) != ZINC_OK)
		fail_msg("%s: %s: selection kind %d '%s': %s", x->describe, writing ? "write" : "read", x->c.s.kind,
			 x->c.text, zinc_error_text(&err));
	for (k = 0; k < x->c.n; k++) {
		const uint8_t *in = x->buffer + buffer_offset(&x->c, strides, k);
		uint8_t *flat = x->o.flat + x->c.at[k] * x->o.element;

		if (writing)
			store_number(flat, x->o.type, load_number(in, real));
		else if (load_number(in, real) != load_number(flat, x->o.type))
			fail_msg("%s: element %zu of selection kind %d '%s' is %u, should be %u", x->describe, k,
				 x->c.s.kind, x->c.text, load_number(in, real), load_number(flat, x->o.type));
	}
}

static void
compare_all(subject *x)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t nbytes = x->o.n * x->o.element;

	memset(x->buffer, 0xee, nbytes);
	if (zinc_array_read(x->a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, x->buffer, nbytes), NULL, &err) != ZINC_OK)
		fail_msg("%s: read all: %s", x->describe, zinc_error_text(&err));
	if (memcmp(x->buffer, x->o.flat, nbytes) != 0)
		fail_msg("%s: the whole array differs", x->describe);
}

/* A list of edges that is too short gets more, none longer than those in use; a shard has whole inner chunks. */
static void
extend_edges(edges *e, uint64_t before, uint64_t after, uint64_t unit)
{
	const uint64_t n = objects_of(e, before);
	uint64_t widest = e->at[0], left, i;

	for (i = 1; i < n && e->n > 0; i++)
		widest = e->at[i] > widest ? e->at[i] : widest;
	while (e->n > 0 && begin_of(e, e->n) < after) {
		left = (after - begin_of(e, e->n) + unit - 1) / unit * unit;
		e->at[e->n++] = left < widest ? left : widest;
	}
}

/* The flat array in the new shape; new elements have the fill value. */
static void
reshape_flat(subject *x, const uint64_t *shape)
{
	uint64_t i[MAX_NDIM] = {0};
	uint8_t *flat;
	size_t n = product(shape, x->o.ndim), k;
	int d;

	flat = calloc(MAX_ELEMS * 8, 16);
	for (k = 0; k < n; k++) {
		size_t rest = k, old = 0, inside = 1;

		for (d = x->o.ndim - 1; d >= 0; d--) {
			i[d] = rest % shape[d];
			rest /= (size_t)shape[d];
			inside = inside && i[d] < x->o.shape[d];
		}
		for (d = 0; d < x->o.ndim; d++)
			old = old * (size_t)x->o.shape[d] + (size_t)i[d];
		memcpy(flat + k * x->o.element, inside ? x->o.flat + old * x->o.element : x->o.fill, x->o.element);
	}
	for (d = 0; d < x->o.ndim; d++) {
		extend_edges(&x->grid[d], x->o.shape[d], shape[d], x->inner[d]);
		x->o.shape[d] = shape[d];
	}
	free(x->o.flat);
	x->o.flat = flat;
	x->o.n = n;
}

/* Grow only: elements that a shrink hides stay in edge chunks, as in every implementation. */
static void
step_grow(subject *x)
{
	uint64_t shape[MAX_NDIM] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	int d;

	for (d = 0; d < x->o.ndim; d++)
		shape[d] = x->o.shape[d] + random_below(4);
	if (product(shape, x->o.ndim) > MAX_ELEMS)
		return;
	if (zinc_array_resize(x->a, shape, NULL, &err) != ZINC_OK)
		fail_msg("%s: resize: %s", x->describe, zinc_error_text(&err));
	reshape_flat(x, shape);
}

/* Append fill values, which nothing distinguishes from a growth but the call. */
static void
step_append(subject *x)
{
	uint64_t shape[MAX_NDIM] = {0}, more[MAX_NDIM] = {0}, at;
	const int axis = x->o.ndim ? (int)random_below((uint64_t)x->o.ndim) : 0;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b;
	size_t n, i;

	if (x->o.ndim == 0)
		return;
	memcpy(shape, x->o.shape, sizeof shape);
	memcpy(more, x->o.shape, sizeof more);
	more[axis] = 1 + random_below(4);
	shape[axis] += more[axis];
	if (product(shape, x->o.ndim) > MAX_ELEMS)
		return;
	n = product(more, x->o.ndim);
	for (i = 0; i < n; i++)
		memcpy(x->buffer + i * x->o.element, x->o.fill, x->o.element);
	b = *ZINC_BUFFER_AS(ZINC_NATIVE, x->buffer, n * x->o.element);
	b.ndim = x->o.ndim;
	b.shape = more;
	if (zinc_array_append(x->a, axis, &b, NULL, &at, &err) != ZINC_OK)
		fail_msg("%s: append: %s", x->describe, zinc_error_text(&err));
	assert_true(at == x->o.shape[axis]);
	reshape_flat(x, shape);
}

/* The document must say the same as the open array. */
static void
open_again(subject *x)
{
	zinc_error err = ZINC_ERROR_INIT;

	zinc_array_close(x->a);
	if (zinc_array_open(&x->a, x->h, zinc_hierarchy_path(x->h), NULL, &err) != ZINC_OK)
		fail_msg("%s: open again: %s", x->describe, zinc_error_text(&err));
}

static void
run_sequence(subject *x, zinc_context *ctx, const char *dir)
{
	int i, steps = 2 + (int)random_below(6);

	open_subject(x, ctx, dir);
	for (i = 0; i < steps; i++) {
		uint64_t what = random_below(10);

		if (what == 9)
			step_append(x);
		else if (what == 8)
			open_again(x);
		else if (what == 7)
			step_grow(x);
		else
			step_access(x, what < 4);
	}
	compare_all(x);
	close_subject(x);
}

static zinc_context *
make_context(int threads, uint64_t cache)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_context *ctx = NULL;

	o.threads = threads;
	o.cache_bytes = cache;
	assert_int_equal(zinc_context_new(&ctx, &o, NULL), ZINC_OK);
	return ctx;
}

static void
test_oracle(void **unused)
{
	static subject x;
	const char *runs_text = getenv("ORACLE_RUNS"), *seed_text = getenv("ORACLE_SEED");
	unsigned long runs = runs_text ? strtoul(runs_text, NULL, 10) : (unsigned long)MANY(10000), i;
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : (uint64_t)time(NULL) * 2654435761u + 1;
	char dir[] = "oracle-XXXXXX", command[100];
	zinc_context *ctx[3];

	(void)unused;
	assert_non_null(mkdtemp(dir));
	ctx[0] = make_context(1, 0);
	ctx[1] = make_context(3, 0);
	ctx[2] = make_context(2, 1 << 20);
	for (i = 0; i < runs; i++) {
		random_seed(seed + i);
		snprintf(x.describe, sizeof x.describe, "sequence %lu", i);
		if (i == 0)
			printf("oracle: seed %" PRIu64 ", %lu sequences\n", seed, runs);
		run_sequence(&x, ctx[i % 3], i % 8 == 0 ? dir : NULL);
	}
	printf("oracle: %lu sequences, 0 mismatches\n", runs);
	for (i = 0; i < 3; i++)
		zinc_context_free(ctx[i]);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_oracle)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
