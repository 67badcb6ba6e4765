/*
 * test_n5_edges.c - blocks of N5 that end with the array, and an array that another writer extends
 *
 * (1) A writer whose handle has the older, smaller shape never removes elements that are outside of it: not by writing
 *     all of its last block, a part of it, single elements or the fill value, nor through a writer, nor to a remote store.
 * (2) Nor do many threads and processes that write their own elements of one block, while it becomes longer.
 * (3) A block in the cache is not read with the shape that it has after a resize.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zinc.h>

#include "support/remote_store.h"
#include "support/test.h"

static char dir[64];

static zinc_hierarchy *
open_n5(zinc_store *store)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	assert_ok(zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.create = 1, .format = "n5"), &err));
	return h;
}

static zinc_store *
open_memory(zinc_context *ctx)
{
	static unsigned serial;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *store = NULL;
	char url[64];

	snprintf(url, sizeof url, "memory://n5-edges-%u", ++serial);
	assert_ok(zinc_store_open(&store, url, ZINC_STORE_OPTIONS(.context = ctx), &err));
	return store;
}

/* ---- (1) two handles ---- */

/* 4 x 6 in blocks of 8 x 8; `late` extends it to 6 x 8 and writes everything. */
typedef struct pair {
	zinc_store *memory, *remote;
	zinc_hierarchy *h[2];
	zinc_array *early, *late;
	remote_store server;
	int16_t v[48];
} pair;

static void
pair_open(pair *p, bool remote)
{
	static const uint64_t before[] = {4, 6}, after[] = {6, 8}, chunks[] = {8, 8};
	zinc_error err = ZINC_ERROR_INIT;

	memset(p, 0, sizeof *p);
	p->memory = open_memory(NULL);
	p->server = (remote_store){.parallel = 4, .writes = true, .cas = true, .local = p->memory};
	p->remote = remote ? remote_store_open(&p->server, NULL) : NULL;
	p->h[0] = open_n5(p->memory);
	assert_ok(zinc_array_create(
	    &p->late, p->h[0], "a",
	    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = before, .chunks = chunks, .dtype = "int16", .codecs = "none"),
	    &err));
	p->h[1] = open_n5(remote ? p->remote : p->memory);
	assert_ok(zinc_array_open(&p->early, p->h[1], "a", NULL, &err));
	assert_ok(zinc_array_resize(p->late, after, NULL, &err));
	for (int i = 0; i < 48; i++)
		p->v[i] = (int16_t)(100 + i);
	assert_ok(zinc_array_write(p->late, NULL, ZINC_BUFFER(p->v, sizeof p->v), NULL, &err));
}

/* All elements are those of `late`, except where `early` wrote. */
static void
pair_close(pair *p)
{
	zinc_error err = ZINC_ERROR_INIT;
	int16_t got[48] = {0};

	assert_ok(zinc_array_read(p->late, NULL, ZINC_BUFFER(got, sizeof got), NULL, &err));
	assert_memory_equal(got, p->v, sizeof got);
	zinc_array_close(p->early);
	zinc_array_close(p->late);
	zinc_hierarchy_close(p->h[1]);
	zinc_hierarchy_close(p->h[0]);
	if (p->remote)
		zinc_store_close(p->remote);
	zinc_store_close(p->memory);
}

/* `early` writes rows x cols elements from the start, each `value`. */
static void
write_early(pair *p, int rows, int cols, int16_t value, zinc_writer *w)
{
	const uint64_t start[] = {0, 0}, count[] = {(uint64_t)rows, (uint64_t)cols};
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b;
	int16_t v[24];

	for (int i = 0; i < rows * cols; i++) {
		v[i] = value;
		p->v[i / cols * 8 + i % cols] = value;
	}
	s.kind = ZINC_SELECT_BOX;
	s.ndim = 2;
	s.start = start;
	s.count = count;
	b = *ZINC_BUFFER(v, (size_t)(rows * cols) * sizeof *v);
	assert_ok(w ? zinc_writer_write(w, &s, &b, NULL, &err) : zinc_array_write(p->early, &s, &b, NULL, &err));
}

static void
writes(void **state)
{
	static const int16_t values[] = {7, 0};
	static const int sizes[][2] = {{4, 6}, {3, 6}, {4, 5}, {1, 1}};
	size_t i;
	pair p;

	(void)state;
	for (i = 0; i < 2 * 2 * COUNT(sizes); i++) {
		pair_open(&p, i % 2 == 1);
		write_early(&p, sizes[i / 4][0], sizes[i / 4][1], values[i / 2 % 2], NULL);
		pair_close(&p);
	}
}

static void
points(void **state)
{
	static const uint64_t at[] = {3, 5, 0, 1};
	zinc_selection s = ZINC_SELECTION_ALL;
	zinc_error err = ZINC_ERROR_INIT;
	const int16_t v[] = {-1, -2};
	pair p;

	(void)state;
	pair_open(&p, false);
	s.kind = ZINC_SELECT_POINTS;
	s.ndim = 2;
	s.points = at;
	s.npoints = 2;
	assert_ok(zinc_array_write(p.early, &s, ZINC_BUFFER((int16_t *)(uintptr_t)v, sizeof v), NULL, &err));
	p.v[3 * 8 + 5] = -1;
	p.v[1] = -2;
	pair_close(&p);
}

/* A writer that was full before the array was extended. */
static void
buffered(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_writer *w = NULL;
	pair p;

	(void)state;
	pair_open(&p, false);
	assert_ok(zinc_writer_new(&w, p.early, 0, NULL, &err));
	write_early(&p, 4, 6, 9, w);
	assert_ok(zinc_writer_close(w, NULL, &err));
	pair_close(&p);
}

/* Several remote objects of one call: the last blocks are changed in a batch. */
static void
batches(void **state)
{
	static const uint64_t before[] = {5}, after[] = {7}, chunks[] = {4};
	int16_t all[7] = {1, 2, 3, 4, 5, 6, 7}, some[5] = {11, 12, 13, 14, 15};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *early = NULL, *late = NULL;
	zinc_hierarchy *h;
	remote_store x = {.parallel = 4, .writes = true, .cas = true};
	zinc_store *store;

	(void)state;
	x.local = open_memory(NULL);
	store = remote_store_open(&x, NULL);
	h = open_n5(store);
	assert_ok(zinc_array_create(
	    &early, h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = before, .chunks = chunks, .dtype = "int16"), &err));
	assert_ok(zinc_array_open(&late, h, "a", NULL, &err));
	assert_ok(zinc_array_resize(late, after, NULL, &err));
	assert_ok(zinc_array_write(late, NULL, ZINC_BUFFER(all, sizeof all), NULL, &err));
	assert_ok(zinc_array_write(early, NULL, ZINC_BUFFER(some, sizeof some), NULL, &err));
	assert_ok(zinc_array_read(late, NULL, ZINC_BUFFER(all, sizeof all), NULL, &err));
	assert_memory_equal(all, ((int16_t[]){11, 12, 13, 14, 15, 6, 7}), sizeof all);
	zinc_array_close(early);
	zinc_array_close(late);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	zinc_store_close(x.local);
}

/* A block that nobody can read is replaced if all of it that lies in the array is written, else refused. */
static void
damaged(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	int16_t got[48];
	pair p;
	int i;

	(void)state;
	pair_open(&p, false);
	assert_ok(zinc_store_put(p.memory, NULL, "a/0/0", "\0\0\0\2\0\0", 6, NULL, 0, NULL, NULL, &err));
	assert_int_equal(zinc_array_write_text(p.early, "0, 0", ZINC_BUFFER(p.v, 2), NULL, &err), ZINC_E_CORRUPT);
	memset(p.v, 0, sizeof p.v);
	write_early(&p, 4, 6, 3, NULL);
	assert_ok(zinc_array_read(p.late, NULL, ZINC_BUFFER(got, sizeof got), NULL, &err));
	for (i = 0; i < 48; i++)
		assert_int_equal(got[i], i / 8 < 4 && i % 8 < 6 ? 3 : 0);
	pair_close(&p);
}

/* ---- (2) many writers ---- */

enum { WRITERS = 4, EACH = 24, LENGTH = 2 * WRITERS * EACH };

static zinc_array *
reopen(zinc_context *ctx)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_open_url(&a, dir, ZINC_OPEN_OPTIONS(.relaxed = 1, .context = ctx), &err));
	return a;
}

/* Writer k appends EACH times two elements, and writes them again: with each handle that is older than some append. */
static int
append_pairs(int k)
{
	zinc_context *ctx = NULL;
	zinc_status st = zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1), NULL);
	zinc_array *a = reopen(ctx), *b = reopen(ctx);
	uint64_t at, two = 2;
	int i;

	for (i = 0; i < EACH && st == ZINC_OK; i++) {
		int32_t v[2] = {0, 0}, id[2] = {k + 1, k + 1};
		zinc_buffer rows = *ZINC_BUFFER(v, sizeof v);
		zinc_array *old = i % 2 ? a : b, *later = i % 2 ? b : a;
		zinc_selection s = ZINC_SELECTION_ALL;

		rows.ndim = 1;
		rows.shape = &two;
		st = zinc_array_append(old, 0, &rows, NULL, &at, NULL);
		if (st == ZINC_OK)
			st = zinc_array_refresh(later, NULL, NULL);
		s.kind = ZINC_SELECT_BOX;
		s.ndim = 1;
		s.start = &at;
		s.count = &two;
		if (st == ZINC_OK)
			st = zinc_array_write(i % 3 ? old : later, &s, ZINC_BUFFER(id, sizeof id), NULL, NULL);
	}
	zinc_array_close(a);
	zinc_array_close(b);
	zinc_context_free(ctx);
	return (int)st;
}

static void *
in_thread(void *arg)
{
	*(int *)arg = append_pairs(*(int *)arg);
	return NULL;
}

static zinc_array *
make_empty(void)
{
	static const uint64_t none[] = {0}, chunks[] = {64};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create_url(&a, dir,
					ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = none, .chunks = chunks, .dtype = "int32",
							   .codecs = "zstd:1", .overwrite = 1),
					ZINC_OPEN_OPTIONS(.relaxed = 1, .format = "n5"), &err));
	return a;
}

/* Each pair of elements is of one writer, and each writer has EACH pairs. */
static void
check_pairs(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	int counts[WRITERS + 1] = {0}, i;
	int32_t v[LENGTH] = {0};

	assert_ok(zinc_array_refresh(a, NULL, &err));
	assert_int_equal(zinc_array_shape(a)[0], LENGTH);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
	for (i = 0; i < LENGTH; i += 2) {
		assert_in_range(v[i], 1, WRITERS);
		assert_int_equal(v[i + 1], v[i]);
		counts[v[i]]++;
	}
	for (i = 1; i <= WRITERS; i++)
		assert_int_equal(counts[i], EACH);
	zinc_array_close(a);
}

static void
threads(void **state)
{
	zinc_array *a = make_empty();
	pthread_t running[WRITERS];
	int k, results[WRITERS];

	(void)state;
	for (k = 0; k < WRITERS; k++) {
		results[k] = k;
		assert_int_equal(pthread_create(&running[k], NULL, in_thread, &results[k]), 0);
	}
	for (k = 0; k < WRITERS; k++)
		pthread_join(running[k], NULL);
	for (k = 0; k < WRITERS; k++)
		assert_int_equal(results[k], ZINC_OK);
	check_pairs(a);
}

static void
processes(void **state)
{
	zinc_array *a = make_empty();
	pid_t children[WRITERS];
	int k, status;

	(void)state;
	fflush(NULL);
	for (k = 0; k < WRITERS; k++) {
		children[k] = fork();
		if (children[k] == 0)
			_exit(append_pairs(k) != ZINC_OK);
	}
	for (k = 0; k < WRITERS; k++) {
		assert_int_equal(waitpid(children[k], &status, 0), children[k]);
		assert_int_equal(status, 0);
	}
	check_pairs(a);
}

/* ---- (3) the cache ---- */

/* 2 x 3 and 3 x 2 are both 6 elements, and a resize changes no block. */
static void
cached(void **state)
{
	static const uint64_t wide[] = {2, 3}, tall[] = {3, 2}, chunks[] = {4, 4};
	int16_t v[6] = {1, 2, 3, 4, 5, 6};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_store *store = NULL;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	int i;

	(void)state;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .cache_bytes = 1 << 20), &err));
	store = open_memory(ctx);
	assert_ok(
	    zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1, .format = "n5"), &err));
	assert_ok(zinc_array_create(
	    &a, h, "a", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = wide, .chunks = chunks, .dtype = "int16"), &err));
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
	for (i = 0; i < 2; i++) {
		assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
		assert_memory_equal(v, ((int16_t[]){1, 2, 3, 4, 5, 6}), sizeof v);
	}
	assert_ok(zinc_array_resize(a, tall, NULL, &err));
	for (i = 0; i < 2; i++) {
		assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
		assert_memory_equal(v, ((int16_t[]){1, 2, 4, 5, 0, 0}), sizeof v);
	}
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	zinc_context_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(writes),    cmocka_unit_test(points),  cmocka_unit_test(buffered),
	    cmocka_unit_test(batches),   cmocka_unit_test(damaged), cmocka_unit_test(threads),
	    cmocka_unit_test(processes), cmocka_unit_test(cached),
	};
	char command[128];
	int failed;

	snprintf(dir, sizeof dir, "n5-edges-%ld.n5", (long)getpid());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) != 0 || failed;
}
