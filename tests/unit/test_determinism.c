/*
 * test_determinism.c - the same bytes in the store, whatever the number of threads (promise 5 of src/array/write.c)
 *
 * A random sequence of whole writes, boxes across chunks and shards, strided boxes, erasing, appends, small writes
 * through a writer and resizes is done once per thread count, each time in an empty store.  Then every key and every
 * value must be the same.  So one thread's bytes are the reference for all others:
 *
 *     seed -> sequence -> 1 thread   -> picture of the store: key NUL length value, key NUL length value ...
 *                      -> 2, 3, 8    -> the same picture?
 *
 *     DETERMINISM_RUNS=1000 DETERMINISM_SEED=...       a failing run prints its seed and what it did
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zinc.h>
#include <zinc/store.h>

#include "support/files.h"
#include "support/random.h"
#include "support/test.h"

#define MOST_DIMS  3
#define MOST_BYTES ((size_t)1 << 20)

static const int thread_counts[] = {1, 2, 3, 8};

/* ---- the arrays ---- */

#define BYTES  "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define CRC32C "{\"name\":\"crc32c\"}"
#define ZSTD   "{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksum\":false}}"
#define BLOSC                                                                                                          \
	"{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"shuffle\","               \
	"\"typesize\":2,\"blocksize\":0}}"

typedef struct kind {
	const char *name, *format;
	const char *codecs; /* of chunks in the short form; of inner chunks in JSON */
	int levels;         /* of shards */
	const char *index;  /* where a shard has it */
} kind;

static const kind kinds[] = {
    {"raw", "v3", "none", 0, NULL},
    {"zstd", "v3", "zstd:3", 0, NULL},
    {"gzip", "v3", "gzip:5", 0, NULL},
    {"blosc-lz4", "v3", "blosc:lz4:5:shuffle", 0, NULL},
    {"blosc-zstd", "v3", "blosc:zstd:1:bitshuffle", 0, NULL},
    {"zstd and crc32c", "v3", "zstd:0+crc32c", 0, NULL},
    {"shards of raw", "v3", BYTES, 1, "end"},
    {"shards of zstd", "v3", BYTES "," ZSTD, 1, "end"},
    {"shards of zstd, index first", "v3", BYTES "," ZSTD, 1, "start"},
    {"shards of blosc and crc32c", "v3", BYTES "," BLOSC "," CRC32C, 1, "start"},
    {"shards of shards", "v3", BYTES "," ZSTD, 2, "end"},
    {"shards of shards, index first", "v3", BYTES "," CRC32C, 2, "start"},
    {"raw", "v2", "none", 0, NULL},
    {"zstd", "v2", "zstd:1", 0, NULL},
    {"gzip", "v2", "gzip:1", 0, NULL},
    {"blosc", "v2", "blosc:lz4:5:shuffle", 0, NULL},
};

/* ---- the picture of a store ---- */

typedef struct picture {
	uint8_t *p;
	size_t n, room;
	zinc_store *store;
} picture;

static void
add(picture *x, const void *bytes, size_t n)
{
	if (x->n + n > x->room) {
		x->room = 2 * (x->n + n);
		x->p = realloc(x->p, x->room);
		assert_non_null(x->p);
	}
	if (n > 0)
		memcpy(x->p + x->n, bytes, n);
	x->n += n;
}

static int
add_key(void *arg, const char *key, uint64_t nbytes)
{
	picture *x = arg;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob value = ZINC_BLOB_INIT;

	(void)nbytes;
	assert_ok(zinc_store_get_all(x->store, key, &value, NULL, 0, NULL, &err));
	add(x, key, strlen(key) + 1);
	add(x, &value.nbytes, sizeof value.nbytes);
	add(x, value.data, value.nbytes);
	zinc_blob_fini(&value);
	return 0;
}

/* The key of the first entry that differs; pictures list keys in the same order. */
static const char *
first_difference(const picture *a, const picture *b)
{
	size_t at = 0;

	while (at < a->n && at < b->n) {
		const char *key = (const char *)a->p + at;
		const size_t head = strlen(key) + 1;
		size_t nbytes;

		memcpy(&nbytes, a->p + at + head, sizeof nbytes);
		nbytes += head + sizeof nbytes;
		if (nbytes > b->n - at || memcmp(a->p + at, b->p + at, nbytes) != 0)
			return key;
		at += nbytes;
	}
	return a->n == b->n ? NULL : "(one has more keys)";
}

/* ---- one array ---- */

typedef struct subject {
	zinc_array *a;
	int ndim;
	uint64_t shape[MOST_DIMS], inner[2][MOST_DIMS], stored[MOST_DIMS]; /* chunk shapes: innermost first */
	size_t element;
	zinc_io_options io;
	uint8_t *data;
} subject;

static size_t
product(const uint64_t *n, int ndim)
{
	size_t out = 1;
	int d;

	for (d = 0; d < ndim; d++)
		out *= (size_t)n[d];
	return out;
}

/* The chain of `levels` shards around the codecs of the innermost chunks. */
static void
spell_chain(const subject *x, const kind *k, int level, char *out, size_t room)
{
	char inside[1024], shape[128] = "";
	int d;

	if (level == 0) {
		snprintf(out, room, "[%s]", k->codecs);
		return;
	}
	spell_chain(x, k, level - 1, inside, sizeof inside);
	for (d = 0; d < x->ndim; d++)
		snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%" PRIu64, d > 0 ? "," : "",
			 x->inner[level - 1][d]);
	snprintf(out, room,
		 "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[%s],\"codecs\":%s,"
		 "\"index_codecs\":[" BYTES "," CRC32C "],\"index_location\":\"%s\"}}]",
		 shape, inside, k->index);
}

/* Shapes at random: from one object with many inner chunks to many objects, with edges. */
static void
choose_shapes(subject *x, const kind *k)
{
	static const uint64_t longest[] = {0, 4000, 90, 28};
	int d;

	x->ndim = 1 + (int)random_below(MOST_DIMS);
	for (d = 0; d < x->ndim; d++) {
		const uint64_t n = longest[x->ndim];

		x->shape[d] = n / 2 + random_below(n / 2);
		x->inner[0][d] = 1 + n / 16 + random_below(n / 8);
		x->inner[1][d] = x->inner[0][d] * (1 + random_below(3));
		x->stored[d] = x->inner[0][d];
		if (k->levels > 0)
			x->stored[d] = x->inner[k->levels - 1][d] * (1 + random_below(4));
	}
}

static void
create(subject *x, const kind *k, zinc_store *store, zinc_context *ctx)
{
	static const char *const types[] = {"uint16", "float64", "int8"};
	static const size_t sizes[] = {2, 8, 1};
	const size_t type = k->levels > 0 ? 0 : (size_t)random_below(3); /* BLOSC above is of two bytes */
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	char chain[2048];

	choose_shapes(x, k);
	x->element = sizes[type];
	spell_chain(x, k, k->levels, chain, sizeof chain);
	assert_ok(zinc_hierarchy_open(
	    &h, store, "", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1, .format = k->format, .relaxed = 1), &err));
	assert_ok(
	    zinc_array_create(&x->a, h, "/a",
			      ZINC_ARRAY_OPTIONS(.ndim = x->ndim, .shape = x->shape, .dtype = types[type],
						 .chunks = x->stored, .codecs = k->levels > 0 ? chain : k->codecs),
			      &err));
	zinc_hierarchy_close(h);
}

/* ---- the operations ---- */

/* New elements: something that compresses, with runs of the fill value, or nothing but it. */
static const zinc_buffer *
fresh(subject *x, size_t nelems, bool erase)
{
	static zinc_buffer b;
	const size_t n = nelems * x->element, run = 1 + (size_t)random_below(700);
	size_t i;

	assert_true(n <= MOST_BYTES);
	for (i = 0; i < n; i++)
		x->data[i] = erase || i / run % 3 == 0 ? 0 : (uint8_t)(i / x->element % 11 + random_below(4));
	b = *ZINC_BUFFER_AS(ZINC_NATIVE, x->data, n);
	return &b;
}

typedef struct box {
	zinc_selection s;
	uint64_t start[MOST_DIMS], count[MOST_DIMS], step[MOST_DIMS];
} box;

/* A box anywhere, of at most `most` elements per side, every `step`th of them. */
static void
choose_box(const subject *x, uint64_t most, uint64_t step, box *b)
{
	static const zinc_selection all = ZINC_SELECTION_ALL;
	int d;

	b->s = all;
	b->s.kind = ZINC_SELECT_BOX;
	b->s.ndim = x->ndim;
	b->s.start = b->start;
	b->s.count = b->count;
	b->s.step = b->step;
	for (d = 0; d < x->ndim; d++) {
		const uint64_t n = x->shape[d];
		uint64_t left;

		b->start[d] = random_below(n);
		b->step[d] = step;
		left = (n - b->start[d] + step - 1) / step;
		b->count[d] = 1 + random_below(left < most ? left : most);
	}
}

static void
write_box(subject *x, uint64_t step, bool erase)
{
	zinc_error err = ZINC_ERROR_INIT;
	box b;

	choose_box(x, UINT64_MAX, step, &b);
	assert_ok(zinc_array_write(x->a, &b.s, fresh(x, product(b.count, x->ndim), erase), &x->io, &err));
}

static void
write_all(subject *x)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_array_write(x->a, NULL, fresh(x, product(x->shape, x->ndim), false), &x->io, &err));
}

/* Many small boxes; the budget holds only some of the objects that they touch. */
static void
write_gathered(subject *x)
{
	const uint64_t budget = 3 * product(x->stored, x->ndim) * (x->element + 1);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_writer *w = NULL;
	int i;
	box b;

	assert_ok(zinc_writer_new(&w, x->a, budget, &x->io, &err));
	for (i = 0; i < 12; i++) {
		choose_box(x, 20, 1, &b);
		assert_ok(zinc_writer_write(w, &b.s, fresh(x, product(b.count, x->ndim), false), NULL, &err));
	}
	assert_ok(zinc_writer_flush(w, NULL, &err));
	zinc_writer_free(w);
}

static void
append(subject *x)
{
	const int axis = (int)random_below((uint64_t)x->ndim);
	uint64_t part[MOST_DIMS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b;

	memcpy(part, x->shape, sizeof part);
	part[axis] = 1 + random_below(x->stored[axis]);
	b = *fresh(x, product(part, x->ndim), false);
	b.ndim = x->ndim;
	b.shape = part;
	assert_ok(zinc_array_append(x->a, axis, &b, &x->io, NULL, &err));
	x->shape[axis] += part[axis];
}

static void
resize(subject *x)
{
	zinc_error err = ZINC_ERROR_INIT;
	int d;

	for (d = 0; d < x->ndim; d++)
		x->shape[d] = 1 + x->shape[d] * (3 + random_below(3)) / 5;
	assert_ok(zinc_array_resize(x->a, x->shape, NULL, &err));
}

static void
step(subject *x)
{
	switch (random_below(8)) {
	case 0:
		write_all(x);
		break;
	case 1:
		write_box(x, 2 + random_below(3), false);
		break;
	case 2:
		write_box(x, 1, true);
		break;
	case 3:
		append(x);
		break;
	case 4:
		write_gathered(x);
		break;
	case 5:
		resize(x);
		break;
	default:
		write_box(x, 1, false);
		break;
	}
}

/* The whole sequence in an empty store.  Threads are limited once by the context and once by the call. */
static picture
run(const kind *k, const char *url, int threads, bool by_call)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	picture out = {NULL, 0, 0, NULL};
	subject x = {.io = ZINC_IO_OPTIONS_INIT, .data = malloc(MOST_BYTES)};
	int i;

	assert_non_null(x.data);
	x.io.threads = by_call ? threads : 0;
	x.io.relaxed = 1;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = by_call ? 8 : threads), &err));
	assert_ok(zinc_store_open(&out.store, url, ZINC_STORE_OPTIONS(.context = ctx), &err));
	create(&x, k, out.store, ctx);
	if (random_below(4) > 0)
		write_all(&x);
	for (i = 0; i < 8; i++)
		step(&x);
	assert_ok(zinc_store_list(out.store, "", add_key, &out, NULL, &err));
	zinc_array_close(x.a);
	zinc_store_close(out.store);
	zinc_context_free(ctx);
	free(x.data);
	return out;
}

/* ---- all of it ---- */

static void
compare(const kind *k, uint64_t seed, bool in_memory)
{
	static unsigned serial;
	picture first = {NULL, 0, 0, NULL};
	char url[64];
	size_t i;

	for (i = 0; i < COUNT(thread_counts); i++) {
		const int threads = thread_counts[i];
		picture now;

		snprintf(url, sizeof url, in_memory ? "memory://determinism-%u" : "store-%u", ++serial);
		if (!in_memory)
			make_empty(url);
		random_seed(seed);
		(void)random_below(2);
		now = run(k, url, threads, seed % 2 == 0);
		if (i == 0) {
			first = now;
			continue;
		}
		if (first_difference(&first, &now))
			fail_msg("%s, %s, %s: seed %" PRIu64 ": %s differs between 1 and %d threads", k->format,
				 k->name, url, seed, first_difference(&first, &now), threads);
		free(now.p);
	}
	assert_true(first.n > 0);
	free(first.p);
}

static void
test_determinism(void **unused)
{
	const char *runs_text = getenv("DETERMINISM_RUNS"), *seed_text = getenv("DETERMINISM_SEED");
	const uint64_t runs = runs_text ? strtoull(runs_text, NULL, 10) : (uint64_t)MANY(8) + 1;
	const uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 1;
	uint64_t i;
	size_t k;

	(void)unused;
	enter_fast_dir();
	for (k = 0; k < COUNT(kinds); k++)
		for (i = 0; i < runs; i++)
			compare(&kinds[k], seed + i, i % 3 > 0);
	leave_fast_dir();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_determinism)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
