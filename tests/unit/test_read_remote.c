/*
 * test_read_remote.c - arrays of a remote store: the same elements as from a local one, in few calls
 *
 * Every selection of a table is read locally and remotely, on one thread and on four.  Element (r, c) is r * COLS + c
 * + 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/remote_store.h"
#include "support/arrays.h"
#include "support/sweep.h"
#include "support/test.h"

enum { ROWS = 200, COLS = 300 };

static uint16_t local_v[ROWS * COLS], remote_v[ROWS * COLS];

static const struct layout {
	const char *name;
	uint64_t chunk[2], shard[2];
	const char *codecs;
	uint64_t calls; /* for all of it */
	uint64_t gap;   /* 0: 100 */
} layouts[] = {
    {"zstd", {10, 10}, {0, 0}, "zstd", 1, 0},
    {"plain", {10, 10}, {0, 0}, "none", 1, 0},
    {"long", {10, 300}, {0, 0}, "none", 1, 0},
    {"turned", {10, 20}, {0, 0}, "transpose:1,0+zstd", 1, 0},
    {"shards", {5, 5}, {20, 20}, "zstd", 2, 0},
    {"plainshards", {5, 5}, {20, 20}, "none", 2, 0},
    {"smallshards", {5, 5}, {20, 20}, "zstd", 1, 100000},
};

static const char *const selections[] = {
    "", "0", ":, 3", "5:150, 100:222", "::7, ::9", "[3,180,4,3], 17", "-1, -1", "100:100", "199:, :", "10:20, [0,299]",
};

typedef struct pair {
	stage g;
	remote_store x;
	zinc_store *store;
	zinc_hierarchy *h;
	zinc_array *local, *remote;
} pair;

static void
open_pair(pair *p, const struct layout *l, int threads, uint64_t cache)
{
	zinc_error err = ZINC_ERROR_INIT;

	stage_open(&p->g, threads, cache);
	p->local = stage_array(&p->g, "a", ROWS, COLS, l->chunk[0], l->chunk[1], l->shard[0], l->shard[1], l->codecs);
	stage_fill(p->local);
	p->x = (remote_store){.local = p->g.memory, .parallel = 32, .merge_gap = l->gap ? l->gap : 100};
	p->store = remote_store_open(&p->x, p->g.ctx);
	assert_ok(zinc_hierarchy_open(&p->h, p->store, "", ZINC_OPEN_OPTIONS(.context = p->g.ctx), &err));
	assert_ok(zinc_array_open(&p->remote, p->h, "a", NULL, &err));
	p->x.calls = p->x.requests = 0;
	p->x.most_open = 0;
}

static void
close_pair(pair *p)
{
	zinc_array_close(p->local);
	zinc_array_close(p->remote);
	zinc_hierarchy_close(p->h);
	zinc_store_close(p->store);
	stage_close(&p->g);
}

static void
compare(pair *p, const zinc_selection *sel, const char *where)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t shape[ZINC_MAX_NDIM];
	size_t n = 1;
	int ndim, d;

	assert_ok(zinc_array_selection_shape(p->local, sel, &ndim, shape, &err));
	for (d = 0; d < ndim; d++)
		n *= (size_t)shape[d];
	memset(local_v, 0xaa, sizeof local_v);
	memset(remote_v, 0x55, sizeof remote_v);
	assert_ok(zinc_array_read(p->local, sel, ZINC_BUFFER(local_v, n * sizeof *local_v), NULL, &err));
	assert_ok(zinc_array_read(p->remote, sel, ZINC_BUFFER(remote_v, n * sizeof *remote_v), NULL, &err));
	if (memcmp(local_v, remote_v, n * sizeof *local_v) != 0)
		fail_msg("%s differs", where);
}

static void
local_and_remote_are_the_same(void **state)
{
	int threads;
	size_t i, k;

	(void)state;
	for (threads = 1; threads <= 4; threads += 3)
		for (i = 0; i < COUNT(layouts); i++) {
			zinc_error err = ZINC_ERROR_INIT;
			pair p;

			open_pair(&p, &layouts[i], threads, 0);
			for (k = 0; k < COUNT(selections); k++) {
				zinc_selection *sel = NULL;

				assert_ok(zinc_selection_parse(&sel, p.remote, selections[k], &err));
				p.x.calls = 0;
				compare(&p, sel, layouts[i].name);
				assert_in_range(p.x.calls, 0, layouts[i].calls);
				zinc_selection_free(sel);
			}
			assert_true(p.x.most_open == 32 || layouts[i].chunk[1] == 300);
			close_pair(&p);
		}
}

static void
points_too(void **state)
{
	static const uint64_t at[] = {0, 0, 199, 299, 5, 5, 0, 1, 149, 200, 5, 5, 120, 130};
	const zinc_selection sel = {
	    .size = sizeof sel, .kind = ZINC_SELECT_POINTS, .ndim = 2, .points = at, .npoints = 7};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(layouts); i++) {
		pair p;

		open_pair(&p, &layouts[i], 2, 0);
		compare(&p, &sel, layouts[i].name);
		close_pair(&p);
	}
}

/* Cached chunks are confirmed in one call; changed ones are fetched in another. */
static void
cached_chunks_are_confirmed_together(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	pair p;

	(void)state;
	open_pair(&p, &layouts[0], 2, 1 << 20);
	compare(&p, NULL, "cold");
	p.x.calls = p.x.requests = 0;
	compare(&p, NULL, "warm");
	assert_int_equal(p.x.calls, 1);
	assert_int_equal(p.x.requests, 600);
	local_v[0] = 4711;
	assert_ok(zinc_array_write_text(p.local, "0, 0", ZINC_BUFFER(local_v, sizeof *local_v), NULL, &err));
	p.x.calls = 0;
	compare(&p, NULL, "changed");
	assert_int_equal(p.x.calls, 2);
	close_pair(&p);
}

/* A store without tags returns whole shards, whether its caps say so or not. */
static void
shards_without_tags(void **state)
{
	size_t i;

	(void)state;
	for (i = 4; i < COUNT(layouts); i++) {
		pair p;

		open_pair(&p, &layouts[i], 2, 0);
		p.x.no_tags = true;
		compare(&p, NULL, "no tags");
		assert_int_equal(p.x.calls, 1);
		p.x.claims_tags = true;
		compare(&p, NULL, "no tags, though it claims them");
		close_pair(&p);
	}
}

/* Memory of one read from a remote store that may have little in flight. */
static long
peak_of(remote_store *x)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_hierarchy *h = NULL;
	zinc_store *store;
	zinc_array *a = NULL;
	sweep_memory m;
	long before;

	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 2, .allocator = &m.allocator), &err));
	store = remote_store_open(x, ctx);
	assert_ok(zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.context = ctx), &err));
	assert_ok(zinc_array_open(&a, h, "a", NULL, &err));
	before = atomic_load(&m.bytes);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(remote_v, sizeof remote_v),
				  ZINC_IO_OPTIONS(.in_flight_bytes = 4096), &err));
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	zinc_context_free(ctx);
	return atomic_load(&m.peak) - before;
}

/* 150 shards of 1 060 bytes: all of them in memory would be 155 KiB. */
static void
whole_shards_are_in_flight(void **state)
{
	long with, without;
	pair p;

	(void)state;
	open_pair(&p, &layouts[5], 2, 0);
	with = peak_of(&p.x);
	p.x.no_tags = p.x.claims_tags = true;
	without = peak_of(&p.x);
	assert_in_range(without, 1, with + 64 * 1024);
	close_pair(&p);
}

static void
missing_chunks_and_failures(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(layouts); i += 4) {
		pair p;

		open_pair(&p, &layouts[i], 4, 0);
		assert_ok(zinc_store_del(p.g.memory, NULL, "a/c/1/1", NULL, 0, NULL, &err));
		compare(&p, NULL, "missing");
		assert_int_equal(zinc_array_read(p.remote, NULL, ZINC_BUFFER(remote_v, sizeof remote_v),
						 ZINC_IO_OPTIONS(.missing_is_error = 1), &err),
				 ZINC_E_NOTFOUND);
		assert_string_equal(err.chunk, "1,1");
		assert_ok(zinc_store_put(p.g.memory, NULL, "a/c/3/2", "broken", 6, NULL, 0, NULL, NULL, &err));
		assert_ok(zinc_store_put(p.g.memory, NULL, "a/c/2/9", "broken", 6, NULL, 0, NULL, NULL, &err));
		assert_int_equal(zinc_array_read_text(p.remote, "", ZINC_BUFFER(remote_v, sizeof remote_v), NULL, &err),
				 ZINC_E_CORRUPT);
		assert_string_equal(err.chunk, "2,9");
		assert_string_equal(err.key, "a/c/2/9");
		close_pair(&p);
	}
}

/* ---- an object that is replaced while it is read ---- */

typedef struct replacer {
	zinc_store *memory;
	zinc_blob old;
	int times;
} replacer;

/* After its index was read the shard is put again, with the same bytes and another tag. */
static void
replace(void *arg, uint64_t answers, const zinc_get *get)
{
	replacer *r = arg;

	(void)answers;
	if (r->times == 0 || strcmp(get->key, "a/c/0/0") != 0 || get->suffix)
		return;
	r->times--;
	(void)!zinc_store_put(r->memory, NULL, "a/c/0/0", r->old.data, r->old.nbytes, NULL, 0, NULL, NULL, NULL);
}

static void
a_replaced_shard_is_read_anew(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	replacer r = {.times = 3};
	pair p;

	(void)state;
	open_pair(&p, &layouts[4], 2, 0);
	r.memory = p.g.memory;
	assert_ok(zinc_store_get_all(p.g.memory, "a/c/0/0", &r.old, NULL, 0, NULL, &err));
	p.x.before = replace;
	p.x.arg = &r;
	compare(&p, NULL, "three times");
	assert_int_equal(r.times, 0);
	r.times = 1000;
	assert_int_equal(zinc_array_read_text(p.remote, "", ZINC_BUFFER(remote_v, sizeof remote_v), NULL, &err),
			 ZINC_E_CONFLICT);
	assert_string_equal(err.chunk, "0,0");
	zinc_blob_fini(&r.old);
	close_pair(&p);
}

/* ---- watching ---- */

typedef struct watch {
	uint64_t units, total, bytes, calls;
	uint64_t stop_at;
} watch;

/* Never fewer than before. */
static int
look(void *arg, uint64_t units, uint64_t total, uint64_t bytes)
{
	watch *w = arg;

	assert_true(units > w->units && units <= total && bytes >= w->bytes);
	w->units = units;
	w->bytes = bytes;
	w->total = total;
	w->calls++;
	return w->stop_at > 0 && w->calls >= w->stop_at;
}

static void
progress_counts_units_and_bytes(void **state)
{
	static const uint64_t units[] = {600, 600, 20, 300, 2400, 2400, 2400};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(layouts); i++) {
		pair p;

		open_pair(&p, &layouts[i], 4, 0);
		for (k = 0; k < 2; k++) {
			watch w = {0};

			assert_ok(zinc_array_read(
			    k ? p.remote : p.local, NULL, ZINC_BUFFER(remote_v, sizeof remote_v),
			    ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.progress = look, .progress_arg = &w)), &err));
			assert_int_equal(w.units, units[i]);
			assert_int_equal(w.total, units[i]);
			assert_int_equal(w.bytes, sizeof remote_v);
		}
		close_pair(&p);
	}
}

static void
stops_in_the_middle(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(layouts); i += 4) {
		watch w = {.stop_at = 5};
		pair p;

		open_pair(&p, &layouts[i], 1, 0);
		assert_int_equal(
		    zinc_array_read(p.remote, NULL, ZINC_BUFFER(remote_v, sizeof remote_v),
				    ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.progress = look, .progress_arg = &w)),
				    &err),
		    ZINC_E_CANCELLED);
		assert_int_equal(w.calls, 5);
		assert_int_equal(zinc_array_read(p.remote, NULL, ZINC_BUFFER(remote_v, sizeof remote_v),
						 ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.timeout = 1e-6)), &err),
				 ZINC_E_CANCELLED);
		close_pair(&p);
	}
}

/* ---- odd shapes ---- */

static void
scalars_and_empty_arrays(void **state)
{
	static const uint64_t none[] = {0, 5}, chunks[] = {2, 2};
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t value = 7, got = 0;
	zinc_array *a = NULL;
	pair p;

	(void)state;
	open_pair(&p, &layouts[0], 2, 0);
	assert_ok(zinc_array_create(&a, p.g.h, "scalar", ZINC_ARRAY_OPTIONS(.ndim = 0, .dtype = "uint16"), &err));
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(&value, sizeof value), NULL, &err));
	zinc_array_close(a);
	assert_ok(zinc_array_open(&a, p.h, "scalar", NULL, &err));
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(&got, sizeof got), NULL, &err));
	assert_int_equal(got, 7);
	zinc_array_close(a);
	assert_ok(zinc_array_create(&a, p.g.h, "none",
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = none, .chunks = chunks, .dtype = "uint16"),
				    &err));
	zinc_array_close(a);
	assert_ok(zinc_array_open(&a, p.h, "none", NULL, &err));
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(&got, 0), NULL, &err));
	zinc_array_close(a);
	close_pair(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(local_and_remote_are_the_same),
	    cmocka_unit_test(points_too),
	    cmocka_unit_test(cached_chunks_are_confirmed_together),
	    cmocka_unit_test(shards_without_tags),
	    cmocka_unit_test(whole_shards_are_in_flight),
	    cmocka_unit_test(missing_chunks_and_failures),
	    cmocka_unit_test(a_replaced_shard_is_read_anew),
	    cmocka_unit_test(progress_counts_units_and_bytes),
	    cmocka_unit_test(stops_in_the_middle),
	    cmocka_unit_test(scalars_and_empty_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
