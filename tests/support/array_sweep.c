/*
 * array_sweep.c - every allocation and every OS call of every array and hierarchy operation fails in turn
 *
 * Before each run an array is created whose elements are all OLD; a scenario changes some to NEW (or only reads).
 * After each run, whatever failed: every element is OLD or NEW; after ZINC_OK exactly the requested ones are NEW; and
 * the hierarchy still works.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zinc.h>
#include <zinc/store.h>
#include <zinc/tool.h>

#include "support/array_sweep.h"
#include "support/files.h"
#include "support/test.h"

#define ROWS 12
#define COLS 10
#define OLD  1
#define NEW  2

static char root[64];
static zinc_context *calm; /* for before and after */

/* What a scenario needs, and which elements of its array become NEW if it succeeds. */
typedef struct scenario {
	const char *name;
	sweep_fn run;
	const char *array;
	int r0, r1, c0, c1; /* the box that becomes NEW */
	int threads;        /* 0: one */
	bool memory_only;   /* for slow scenarios, only allocations fail */
} scenario;

static zinc_status
open_root(zinc_hierarchy **h, zinc_context *ctx, zinc_error *err)
{
	return zinc_hierarchy_open_url(h, root, ZINC_OPEN_OPTIONS(.context = ctx, .relaxed = ctx == calm), err);
}

static zinc_status
open_array(zinc_array **a, const char *name, zinc_context *ctx, zinc_error *err)
{
	char url[128];

	snprintf(url, sizeof url, "%s/%s", root, name);
	return zinc_array_open_url(a, url, ZINC_OPEN_OPTIONS(.context = ctx, .relaxed = ctx == calm), err);
}

static void
make_array(zinc_hierarchy *h, const char *name, const char *codecs, int sharded)
{
	static const uint64_t shape[] = {ROWS, COLS}, chunks[] = {4, 5}, shards[] = {8, 10};
	uint16_t old[ROWS * COLS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	for (int i = 0; i < ROWS * COLS; i++)
		old[i] = OLD;
	assert_ok(zinc_array_create(&a, h, name,
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "uint16", .chunks = chunks,
						       .shards = sharded ? shards : NULL, .codecs = codecs),
				    &err));
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(old, sizeof old), NULL, &err));
	zinc_array_close(a);
}

static const char *
codecs_of(const char *array)
{
	return strcmp(array, "raw") == 0     ? "none"
	       : strcmp(array, "gzip") == 0  ? "gzip:1"
	       : strcmp(array, "blosc") == 0 ? "blosc:lz4:1:shuffle"
					     : "zstd:1";
}

static void
before(void *arg)
{
	const scenario *s = arg;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	remove_tree(root);
	assert_ok(zinc_group_create_url(root, "{\"a\": 1}", 0, ZINC_OPEN_OPTIONS(.context = calm, .relaxed = 1), &err));
	assert_ok(open_root(&h, calm, &err));
	make_array(h, s->array, codecs_of(s->array), strcmp(s->array, "shard") == 0);
	zinc_hierarchy_close(h);
}

/* Every element is OLD or NEW, and as the scenario says if it succeeded. */
static void
check_array(const scenario *s, zinc_status st)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	uint16_t v[64 * COLS];
	uint64_t rows;

	assert_ok(open_array(&a, s->array, calm, &err));
	rows = zinc_array_shape(a)[0];
	assert_true(rows <= 64);
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, (size_t)rows * COLS * sizeof *v), NULL, &err));
	for (int r = 0; r < (int)rows && r < ROWS; r++)
		for (int c = 0; c < COLS; c++) {
			int x = v[r * COLS + c], asked = r >= s->r0 && r < s->r1 && c >= s->c0 && c < s->c1;

			if (x != OLD && !(asked && x == NEW))
				fail_msg("%s: %s[%d,%d] is %d", s->name, s->array, r, c, x);
			if (st == ZINC_OK && asked && x != NEW)
				fail_msg("%s: said ok, but %s[%d,%d] is %d", s->name, s->array, r, c, x);
		}
	zinc_array_close(a);
}

static void
after(void *arg, zinc_status st)
{
	const scenario *s = arg;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	if (strcmp(s->name, "erase") != 0)
		check_array(s, st);
	assert_ok(open_root(&h, calm, &err));
	make_array(h, "next", "zstd:1", 0); /* the next call works */
	zinc_hierarchy_close(h);
}

/* ---- scenarios ---- */

static zinc_status
read_one(const char *name, zinc_context *ctx, zinc_error *err)
{
	zinc_array *a = NULL;
	uint16_t v[ROWS * COLS];
	zinc_status st = open_array(&a, name, ctx, err);

	memset(v, 0, sizeof v);
	if (st == ZINC_OK)
		st = zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);
	for (int i = 0; st == ZINC_OK && i < ROWS * COLS; i++)
		if (v[i] != OLD)
			fail_msg("read of %s said ok and gave %d at %d", name, v[i], i);
	zinc_array_close(a);
	return st;
}

#define READ(which)                                                                                                    \
	static zinc_status read_##which(void *arg, zinc_context *ctx, zinc_error *err)                                 \
	{                                                                                                              \
		(void)arg;                                                                                             \
		return read_one(#which, ctx, err);                                                                     \
	}
READ(raw)
READ(zstd)
READ(gzip)
READ(blosc)
READ(shard)

static zinc_status
write_box(const char *name, const char *selection, zinc_context *ctx, zinc_error *err)
{
	zinc_array *a = NULL;
	uint16_t v[ROWS * COLS];
	zinc_selection *s = NULL;
	uint64_t shape[ZINC_MAX_NDIM];
	int ndim;
	size_t n = 1;
	zinc_status st = open_array(&a, name, ctx, err);

	for (int i = 0; i < ROWS * COLS; i++)
		v[i] = NEW;
	if (st == ZINC_OK)
		st = zinc_selection_parse(&s, a, selection, err);
	if (st == ZINC_OK)
		st = zinc_array_selection_shape(a, s, &ndim, shape, err);
	for (int d = 0; st == ZINC_OK && d < ndim; d++)
		n *= (size_t)shape[d];
	if (st == ZINC_OK)
		st = zinc_array_write(a, s, ZINC_BUFFER(v, n * sizeof *v), NULL, err);
	zinc_selection_free(s);
	zinc_array_close(a);
	return st;
}

#define WRITE(fn, which, selection)                                                                                    \
	static zinc_status fn(void *arg, zinc_context *ctx, zinc_error *err)                                           \
	{                                                                                                              \
		(void)arg;                                                                                             \
		return write_box(which, selection, ctx, err);                                                          \
	}
WRITE(write_raw, "raw", ":")
WRITE(write_zstd, "zstd", ":")
WRITE(write_shard, "shard", ":")
WRITE(part_raw, "raw", "1:3, 2:7")
WRITE(part_gzip, "gzip", "1:3, 2:7")
WRITE(part_blosc, "blosc", "1:3, 2:7")
WRITE(part_shard, "shard", "1:3, 2:7")

static zinc_status
write_points(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t points[] = {0, 0, 0, 9, 5, 5, 11, 0};
	const uint16_t v[4] = {NEW, NEW, NEW, NEW};
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_array *a = NULL;
	zinc_status st;

	(void)arg;
	s.kind = ZINC_SELECT_POINTS;
	s.ndim = 2;
	s.points = points;
	s.npoints = 4;
	st = open_array(&a, "zstd", ctx, err);
	if (st == ZINC_OK)
		st = zinc_array_write(a, &s, ZINC_BUFFER(v, sizeof v), NULL, err);
	zinc_array_close(a);
	return st;
}

static zinc_status
read_converted(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_array *a = NULL;
	double v[ROWS][5];
	zinc_status st = open_array(&a, "shard", ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_array_read_text(a, ":, ::2", ZINC_BUFFER(&v[0][0], sizeof v), NULL, err);
	if (st == ZINC_OK)
		assert_true(v[3][3] == OLD);
	zinc_array_close(a);
	return st;
}

static zinc_status
create(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t shape[] = {3, 3};
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_status st = open_root(&h, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_array_create(&a, h, "deep/down/new",
				       ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "float32",
							  .fill = "\"NaN\"", .attributes = "{\"x\": [1, 2]}"),
				       err);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
resize_to(uint64_t rows, zinc_context *ctx, zinc_error *err)
{
	const uint64_t shape[] = {rows, COLS};
	zinc_array *a = NULL;
	zinc_status st = open_array(&a, "gzip", ctx, err);

	if (st == ZINC_OK)
		st = zinc_array_resize(a, shape, NULL, err);
	zinc_array_close(a);
	return st;
}

static zinc_status
grow(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return resize_to(20, ctx, err);
}

static zinc_status
shrink(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return resize_to(4, ctx, err);
}

static zinc_status
append(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t shape[] = {2, COLS};
	uint16_t v[2 * COLS] = {0};
	zinc_buffer b = *ZINC_BUFFER(v, sizeof v);
	zinc_array *a = NULL;
	zinc_status st = open_array(&a, "zstd", ctx, err);

	(void)arg;
	for (int i = 0; i < 2 * COLS; i++)
		v[i] = NEW;
	b.ndim = 2;
	b.shape = shape;
	if (st == ZINC_OK)
		st = zinc_array_append(a, 0, &b, NULL, NULL, err);
	zinc_array_close(a);
	return st;
}

static zinc_status
writer(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t count[] = {1, 5};
	const uint16_t v[5] = {NEW, NEW, NEW, NEW, NEW};
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_array *a = NULL;
	zinc_writer *w = NULL;
	zinc_status st = open_array(&a, "zstd", ctx, err);

	(void)arg;
	s.kind = ZINC_SELECT_BOX;
	s.ndim = 2;
	s.count = count;
	if (st == ZINC_OK)
		st = zinc_writer_new(&w, a, 0, NULL, err);
	for (uint64_t r = 0; st == ZINC_OK && r < 6; r++) {
		uint64_t start[2] = {r, 0};

		s.start = start;
		st = zinc_writer_write(w, &s, ZINC_BUFFER(v, sizeof v), NULL, err);
	}
	if (st == ZINC_OK)
		st = zinc_writer_flush(w, NULL, err);
	zinc_writer_free(w);
	zinc_array_close(a);
	return st;
}

static int
count_nodes(void *arg, const zinc_node *n)
{
	*(int *)arg += !n->hidden; /* a directory that cannot be listed may hide nodes, and is reported */
	if (n->problem)            /* a document that cannot be read is shown as such, and the walk continues */
		assert_true(n->problem_code == ZINC_E_IO || n->problem_code == ZINC_E_NOMEM);
	return 0;
}

static zinc_status
walk(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	int n = 0;
	zinc_status st = open_root(&h, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_node_walk(h, "/", -1, count_nodes, &n, NULL, err);
	if (st == ZINC_OK)
		assert_int_equal(n, 2);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
group(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_root(&h, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_group_create(h, "g/h", "{\"k\": true}", 0, NULL, err);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
attributes(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const zinc_attribute changes[] = {{"a", "2"}, {"b", "\"x\""}};
	zinc_hierarchy *h = NULL;
	zinc_blob json = ZINC_BLOB_INIT;
	zinc_status st = open_root(&h, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_attributes_edit(h, "/", changes, 2, NULL, err);
	if (st == ZINC_OK)
		st = zinc_attributes_get(h, "/", "b", &json, NULL, err);
	if (st == ZINC_OK)
		assert_string_equal(json.data, "\"x\"");
	zinc_blob_fini(&json);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
erase(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_root(&h, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_node_erase(h, "/shard", NULL, err);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
copy(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_root(&h, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_node_copy(h, "/shard", h, "/twin", NULL, err);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
consolidate(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_root(&h, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_consolidate(h, "/", 0, NULL, err);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
raw_chunk(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t index[] = {1, 1};
	zinc_array *a = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st = open_array(&a, "zstd", ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_array_chunk_get(a, index, &b, NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_chunk_put(a, index, b.data, b.nbytes, NULL, err);
	zinc_blob_fini(&b);
	zinc_array_close(a);
	return st;
}

/* What the handle reports, and what it refreshes. */
static zinc_status
tell(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t index[] = {1, 1};
	zinc_blob json = ZINC_BLOB_INIT, key = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	zinc_status st = open_array(&a, "shard", ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_array_refresh(a, NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_describe(a, &json, err);
	if (st == ZINC_OK)
		st = zinc_array_chunk_key(a, index, &key, err);
	if (st == ZINC_OK)
		assert_string_equal(key.data, "shard/c/1/1");
	zinc_blob_fini(&json);
	zinc_blob_fini(&key);
	zinc_array_close(a);
	return st;
}

/* The status is that of an invalid name, or of an earlier failed allocation. */
static zinc_status
bad_names(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char *const names[] = {"a\tb", "x/../y", "\xff"};
	static const uint64_t shape[] = {3};
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_blob json = ZINC_BLOB_INIT;
	zinc_status st = open_root(&h, ctx, err), last = st;
	zinc_node_kind kind;
	size_t i;

	(void)arg;
	for (i = 0; st == ZINC_OK && i < COUNT(names); i++) {
		const char *name = names[i];

		if ((last = zinc_array_open(&a, h, name, NULL, err)) == ZINC_E_INVALID &&
		    (last = zinc_array_create(&a, h, name,
					      ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int8"), err)) ==
			ZINC_E_INVALID &&
		    (last = zinc_group_create(h, name, NULL, 0, NULL, err)) == ZINC_E_INVALID &&
		    (last = zinc_node_exists(h, name, &kind, NULL, err)) == ZINC_E_INVALID &&
		    (last = zinc_node_document(h, name, &json, NULL, err)) == ZINC_E_INVALID &&
		    (last = zinc_node_erase(h, name, NULL, err)) == ZINC_E_INVALID &&
		    (last = zinc_node_copy(h, "/raw", h, name, NULL, err)) == ZINC_E_INVALID &&
		    (last = zinc_node_keep_parents(h, name, NULL, err)) == ZINC_E_INVALID &&
		    (last = zinc_copy(h, "/raw", h, name, NULL, NULL, err)) == ZINC_E_INVALID)
			last = zinc_move(h, "/raw", name, NULL, err);
		assert_null(a);
		st = last == ZINC_E_INVALID ? ZINC_OK : last;
	}
	zinc_hierarchy_close(h);
	return last;
}

static zinc_status
move(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st = open_root(&h, ctx, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_node_copy(h, "/raw", h, "/g/twin", NULL, err);
	if (st == ZINC_OK)
		st = zinc_move(h, "/g/twin", "/other", NULL, err);
	if (st == ZINC_OK)
		st = zinc_node_keep_parents(h, "/other", NULL, err);
	zinc_hierarchy_close(h);
	return st;
}

static const scenario scenarios[] = {
    {"read raw", read_raw, "raw", 0, 0, 0, 0, 0, false},
    {"read zstd", read_zstd, "zstd", 0, 0, 0, 0, 0, false},
    {"read gzip", read_gzip, "gzip", 0, 0, 0, 0, 0, false},
    {"read blosc", read_blosc, "blosc", 0, 0, 0, 0, 0, false},
    {"read shard", read_shard, "shard", 0, 0, 0, 0, 0, false},
    {"read converted", read_converted, "shard", 0, 0, 0, 0, 0, false},
    {"write raw", write_raw, "raw", 0, ROWS, 0, COLS, 0, false},
    {"write zstd", write_zstd, "zstd", 0, ROWS, 0, COLS, 0, false},
    {"write shard", write_shard, "shard", 0, ROWS, 0, COLS, 0, false},
    {"part of raw", part_raw, "raw", 1, 3, 2, 7, 0, false},
    {"part of gzip", part_gzip, "gzip", 1, 3, 2, 7, 0, false},
    {"part of blosc", part_blosc, "blosc", 1, 3, 2, 7, 0, false},
    {"part of shard", part_shard, "shard", 1, 3, 2, 7, 0, false},
    {"write points", write_points, "zstd", 0, 0, 0, 0, 0, false},
    {"create", create, "raw", 0, 0, 0, 0, 0, false},
    {"grow", grow, "gzip", 0, 0, 0, 0, 0, false},
    {"shrink", shrink, "gzip", 0, 0, 0, 0, 0, false},
    {"append", append, "zstd", 0, 0, 0, 0, 0, false},
    {"writer", writer, "zstd", 0, 6, 0, 5, 0, false},
    {"walk", walk, "raw", 0, 0, 0, 0, 0, false},
    {"group", group, "raw", 0, 0, 0, 0, 0, false},
    {"attributes", attributes, "raw", 0, 0, 0, 0, 0, false},
    {"erase", erase, "shard", 0, 0, 0, 0, 0, false},
    {"copy", copy, "shard", 0, 0, 0, 0, 0, false},
    {"consolidate", consolidate, "raw", 0, 0, 0, 0, 0, false},
    {"raw chunk", raw_chunk, "zstd", 0, 0, 0, 0, 0, false},
    {"tell", tell, "shard", 0, 0, 0, 0, 0, false},
    {"bad names", bad_names, "raw", 0, 0, 0, 0, 0, true},
    {"move", move, "raw", 0, 0, 0, 0, 0, true},
    {"read shard by threads", read_shard, "shard", 0, 0, 0, 0, 4, true},
    {"write shard by threads", write_shard, "shard", 0, ROWS, 0, COLS, 4, true},
    {"part of shard by threads", part_shard, "shard", 1, 3, 2, 7, 4, true},
};

/* Only the four points may be NEW. */
static void
after_points(void *arg, zinc_status st)
{
	static const int at[4][2] = {{0, 0}, {0, 9}, {5, 5}, {11, 0}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	uint16_t v[ROWS][COLS];
	int r, c, k;

	(void)arg;
	assert_ok(open_array(&a, "zstd", calm, &err));
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err));
	for (r = 0; r < ROWS; r++)
		for (c = 0; c < COLS; c++) {
			int listed = 0;

			for (k = 0; k < 4; k++)
				listed = listed || (at[k][0] == r && at[k][1] == c);
			assert_true(v[r][c] == OLD || (listed && v[r][c] == NEW));
			assert_true(st != ZINC_OK || !listed || v[r][c] == NEW);
		}
	zinc_array_close(a);
}

static bool of_os;
static size_t of_part, of_parts;

static void
sweep_part(void **unused)
{
	static const int errnums[] = {EIO, ENOSPC, EINTR, 0};
	unsigned long total = 0;
	size_t i;

	(void)unused;
	for (i = of_part; i < COUNT(scenarios); i += of_parts) {
		scenario s = scenarios[i];
		sweep_scenario sweep = {.run = s.run,
					.arg = &s,
					.before = before,
					.after = s.run == write_points ? after_points : after,
					.threads = s.threads};
		unsigned long points;

		if (of_os && s.memory_only)
			continue;
		points = of_os ? sweep_os_scenario(&sweep, errnums) : sweep_alloc_scenario(&sweep);
		assert_true(points > 0);
		total += points;
	}
	printf("%s sweep: %lu failure points\n", of_os ? "OS call" : "allocation", total);
}

int
array_sweep(bool os, size_t part, size_t parts)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sweep_part)};
	int failed;

	of_os = os;
	of_part = part;
	of_parts = parts;
	/* in memory if possible: waiting for a disk would take most of the time */
	snprintf(root, sizeof root, "%s/zinc-sweep-%ld.zarr", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".",
		 (long)getpid());
	if (zinc_context_new(&calm, ZINC_CONTEXT_OPTIONS(.threads = 1), NULL) != ZINC_OK)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	zinc_context_free(calm);
	remove_tree(root);
	return failed;
}
