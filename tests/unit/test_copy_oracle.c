/*
 * test_copy_oracle.c - random arrays copied to random formats, chunks, codecs and types
 *
 * Each sequence makes one array at random (shape, chunks or shards of one or several lengths, data type, chain, fill value, order, format), copies
 * it with options at random, within a small limit of memory, and reads the target: every element must equal that of
 * the source, and so must shape, attributes and names of dimensions.  Sometimes the copy is cancelled and resumed.
 *
 *     COPY_RUNS=10000 COPY_SEED=...       a failing run prints the seed that begins with it
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zinc/tool.h>

#include "random.h"
#include "test.h"

#define MAX_NDIM 4

static const char *const types[] = {"bool", "int8", "uint16", "int32", "float32", "float64", "complex64", "uint64"};
static const char *const wider[] = {"bool", "int32", "float64", "int64", "float64", "float64", "complex128", "uint64"};
static const char *const chains[] = {"none", "zstd:1", "gzip:1", "blosc:lz4:5:shuffle", "zlib:1", "zstd:3+crc32c"};

static const char *formats[16];
static size_t nformats;

static int
add_format(void *arg, const char *name, const char *also, const char *purpose)
{
	(void)arg, (void)also, (void)purpose;
	if (nformats < COUNT(formats))
		formats[nformats++] = name;
	return 0;
}

/* N5 has no bools, complex numbers, scalars and fill values. */
static const char *
format_for(const char *format, size_t type, bool plain)
{
	return strcmp(format, "n5") == 0 && (type == 0 || type == 6 || !plain) ? "v3" : format;
}

typedef struct sample {
	int ndim;
	uint64_t shape[MAX_NDIM], chunks[MAX_NDIM], shards[MAX_NDIM];
	size_t type, n;
	zinc_array_options o;
	const char *names[MAX_NDIM];
} sample;

static void
shapes(sample *x)
{
	int d;

	x->ndim = (int)random_below(MAX_NDIM + 1);
	for (d = 0, x->n = 1; d < x->ndim; d++) {
		x->shape[d] = random_below(20) == 0 ? 0 : 1 + random_below(x->ndim > 2 ? 9 : 40);
		x->chunks[d] = 1 + random_below(x->shape[d] + 2);
		x->shards[d] = x->chunks[d] * (1 + random_below(3));
		x->n *= (size_t)x->shape[d];
	}
}

/* Random edges that cover the shape, multiples of `unit` (NULL: 1), as chunk_shapes. */
static const char *
spell_edges(const sample *x, const uint64_t *unit, char *text, size_t room)
{
	size_t n = (size_t)snprintf(text, room, "[");
	int d;

	for (d = 0; d < x->ndim; d++) {
		uint64_t sum = 0;

		n += (size_t)snprintf(text + n, room - n, d ? ", [" : "[");
		do {
			const uint64_t edge = (unit ? unit[d] : 1) * (1 + random_below(6));

			n += (size_t)snprintf(text + n, room - n, "%s%" PRIu64, sum ? ", " : "", edge);
			sum += edge;
		} while (sum < x->shape[d] || random_below(4) == 0);
		n += (size_t)snprintf(text + n, room - n, "]");
	}
	snprintf(text + n, room - n, "]");
	return text;
}

static zinc_array *
make_source(sample *x, const char *format)
{
	static char edges[2000];
	static const char *const all[MAX_NDIM] = {"t", "z", "y", "x"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int sharded = random_below(3) == 0;

	shapes(x);
	x->type = (size_t)random_below(COUNT(types));
	x->o = (zinc_array_options)ZINC_ARRAY_OPTIONS_INIT;
	x->o.ndim = x->ndim;
	x->o.shape = x->shape;
	x->o.chunks = x->chunks;
	x->o.shards = sharded ? x->shards : NULL;
	if (strcmp(format, "v3") == 0 && random_below(2)) {
		x->o.chunks = sharded ? x->chunks : NULL;
		x->o.shards = NULL;
		x->o.chunk_edges = sharded ? NULL : spell_edges(x, NULL, edges, sizeof edges);
		x->o.shard_edges = sharded ? spell_edges(x, x->chunks, edges, sizeof edges) : NULL;
	}
	x->o.dtype = types[x->type];
	x->o.codecs = chains[random_below(COUNT(chains))];
	x->o.fill = x->type > 0 && x->type != 6 && random_below(2) ? "3" : NULL;
	x->o.fortran = random_below(3) == 0;
	x->o.big_endian = random_below(4) == 0;
	x->o.attributes = "{\"a\": 1, \"b\": [\"c\", null, 2.50]}";
	memcpy(x->names, all, sizeof all);
	x->o.dimension_names = x->ndim && random_below(2) ? x->names : NULL;
	format = format_for(format, x->type, x->ndim > 0 && !x->o.fill);
	if (zinc_array_create_url(&a, "memory://oracle/from/x", &x->o, ZINC_OPEN_OPTIONS(.format = format), &err)) {
		x->o.shards = NULL; /* a format without shards, orders, or this codec */
		x->o.fortran = 0;
		x->o.codecs = "gzip:1";
		assert_ok(zinc_array_create_url(&a, "memory://oracle/from/x", &x->o,
						ZINC_OPEN_OPTIONS(.format = format), &err));
	}
	return a;
}

/* Some boxes of random numbers; the rest is fill value. */
static void
write_some(zinc_array *a, const sample *x)
{
	zinc_error err = ZINC_ERROR_INIT;
	const size_t element = zinc_array_element_size(a);
	uint64_t start[MAX_NDIM], count[MAX_NDIM];
	int boxes = (int)random_below(4), d;

	while (x->n > 0 && boxes-- > 0) {
		zinc_selection s = {.size = sizeof(zinc_selection),
				    .kind = ZINC_SELECT_BOX,
				    .ndim = x->ndim,
				    .start = start,
				    .count = count};
		size_t n = 1, i;
		uint8_t *p;

		for (d = 0; d < x->ndim; d++) {
			start[d] = random_below(x->shape[d]);
			count[d] = 1 + random_below(x->shape[d] - start[d]);
			n *= (size_t)count[d];
		}
		p = calloc(n, element);
		for (i = 0; i < n * element; i++) /* small numbers in every type: the lowest byte of each element */
			p[i] = i % element == 0 ? (uint8_t)(x->type == 0 ? random_below(2) : random_below(100)) : 0;
		assert_ok(zinc_array_write(a, &s, ZINC_BUFFER_AS(ZINC_NATIVE, p, n * element), NULL, &err));
		free(p);
	}
}

static int
cancel_soon(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	(void)done, (void)total, (void)bytes;
	return --*(int *)arg < 0;
}

/* Elements of both, in the target's type. */
static void
compare(zinc_array *a, const sample *x, const char *select, const char *dtype)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *s = NULL;
	zinc_array *b = NULL;
	uint64_t shape[ZINC_MAX_NDIM];
	size_t size, n = 1;
	zinc_buffer buffer;
	uint8_t *p, *q;
	int ndim, d;

	assert_ok(zinc_array_open_url(&b, "memory://oracle/to/y", NULL, &err));
	assert_ok(zinc_selection_parse(&s, a, select ? select : "", &err));
	assert_ok(zinc_array_selection_shape(a, s, &ndim, shape, &err));
	assert_int_equal(zinc_array_ndim(b), ndim);
	for (d = 0; d < ndim; d++) {
		assert_int_equal(zinc_array_shape(b)[d], shape[d]);
		n *= (size_t)shape[d];
		if (!select && x->o.dimension_names)
			assert_string_equal(zinc_array_dimension_name(b, d), x->names[d]);
	}
	assert_string_equal(zinc_array_dtype(b), dtype ? dtype : types[x->type]);
	size = zinc_array_element_size(b);
	p = calloc(n + 1, size);
	q = calloc(n + 1, size);
	buffer = *ZINC_BUFFER_AS(zinc_array_type(b), p, n * size);
	assert_ok(zinc_array_read(a, s, &buffer, NULL, &err));
	assert_ok(zinc_array_read(b, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, q, n * size), NULL, &err));
	assert_memory_equal(p, q, n * size);
	if (!dtype) {
		assert_memory_equal(zinc_array_fill(a), zinc_array_fill(b), size);
	}
	free(p);
	free(q);
	zinc_selection_free(s);
	zinc_array_close(b);
}

static const char *
choose_select(const sample *x, char *text, size_t room)
{
	int d;

	text[0] = '\0';
	if (random_below(4) != 0)
		return NULL;
	for (d = 0; d < x->ndim; d++) {
		const uint64_t from = random_below(x->shape[d] + 1);
		const size_t n = strlen(text);

		switch (x->shape[d] ? random_below(4) : 0) {
		case 1:
			snprintf(text + n, room - n, "%s%" PRIu64, d ? "," : "", random_below(x->shape[d]));
			break;
		case 2:
			snprintf(text + n, room - n, "%s%" PRIu64 "::%" PRIu64, d ? "," : "", from,
				 1 + random_below(3));
			break;
		case 3:
			snprintf(text + n, room - n, "%s[%" PRIu64 ",%" PRIu64 ",0]", d ? "," : "",
				 random_below(x->shape[d]), random_below(x->shape[d]));
			break;
		default:
			snprintf(text + n, room - n, "%s:", d ? "," : "");
		}
	}
	return text;
}

static void
sequence(void)
{
	uint64_t chunks[MAX_NDIM], shards[MAX_NDIM];
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *keep = NULL;
	char select[256], edges[2000];
	zinc_array *a;
	zinc_status st;
	sample x;
	int left, d, rounds = 0;

	assert_ok(zinc_store_open(&keep, "memory://oracle", NULL, &err));
	a = make_source(&x, formats[random_below(nformats)]);
	write_some(a, &x);
	for (d = 0; d < x.ndim; d++) {
		chunks[d] = 1 + random_below(x.shape[d] + 1);
		shards[d] = chunks[d] * (1 + random_below(3));
	}
	o.format = formats[random_below(nformats)];
	o.select = choose_select(&x, select, sizeof select);
	o.format = format_for(o.format, x.type, x.ndim > 0 && !x.o.fill && !o.select);
	o.ndim = x.ndim;
	o.chunks = random_below(2) && !o.select ? chunks : NULL;
	o.shards = o.chunks && random_below(3) == 0 ? shards : NULL;
	if (!o.chunks && !o.select && strcmp(o.format, "v3") == 0 && random_below(2))
		o.chunk_edges = spell_edges(&x, NULL, edges, sizeof edges);
	else if (o.chunks && !o.shards && strcmp(o.format, "v3") == 0 && random_below(3) == 0)
		o.shard_edges = spell_edges(&x, chunks, edges, sizeof edges);
	o.codecs = random_below(2) ? chains[random_below(4)] : NULL;
	o.dtype = random_below(4) == 0 ? wider[x.type] : NULL;
	o.verify = random_below(2) == 0;
	o.max_memory = random_below(2) ? 65536 + random_below(65536) : 0;
	o.call = ZINC_CALL_OPTIONS(.progress = cancel_soon, .progress_arg = &left);
	o.resume = 1;
	do {
		left = random_below(3) == 0 ? (int)random_below(4) + 1 : 1000000;
		st = zinc_copy_url("memory://oracle/from/x", "memory://oracle/to/y", &o, NULL, &err);
	} while (st == ZINC_E_CANCELLED && ++rounds < 1000);
	if (st == ZINC_E_LIMIT) {
		o.max_memory = 0;
		st = zinc_copy_url("memory://oracle/from/x", "memory://oracle/to/y", &o, NULL, &err);
	}
	assert_ok(st);
	compare(a, &x, o.select, o.dtype);
	zinc_array_close(a);
	zinc_store_close(keep);
}

static uint64_t running; /* seed of the sequence under way */

static void
tell_seed(void)
{
	if (running)
		print_message("COPY_SEED=%" PRIu64 " COPY_RUNS=1 fails\n", running);
}

static void
test_random(void **unused)
{
	const char *runs = getenv("COPY_RUNS"), *seed = getenv("COPY_SEED");
	const long n = runs ? strtol(runs, NULL, 10) : MANY(600);
	uint64_t first = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
	long i;

	(void)unused;
	zinc_list_formats(add_format, NULL);
	assert_true(nformats >= 2);
	atexit(tell_seed);
	for (i = 0; i < n; i++) {
		running = first + (uint64_t)i;
		random_seed(running);
		sequence();
	}
	running = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
