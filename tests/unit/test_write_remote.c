/*
 * test_write_remote.c - writing to a remote store: the same bytes as locally, in few calls
 *
 * Numbers are the promises of src/array/write.c.  Element (r, c) is r * COLS + c + 1 before the write under test.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/remote_store.h"
#include "support/arrays.h"
#include "support/test.h"

enum { ROWS = 200, COLS = 300, PARALLEL = 32 };

static uint16_t values[ROWS * COLS], local_v[ROWS * COLS], remote_v[ROWS * COLS];

static const struct layout {
	const char *name;
	uint64_t chunk[2], shard[2];
	const char *codecs;
} layouts[] = {
    {"zstd", {10, 10}, {0, 0}, "zstd"},
    {"plain", {10, 10}, {0, 0}, "none"},
    {"edge", {13, 7}, {0, 0}, "none"},
    {"shards", {5, 5}, {20, 20}, "zstd"},
    {"turned", {5, 5}, {20, 20}, "transpose:1,0+zstd"},
};

static const char *const selections[] = {
    "", "0", ":, 3", "5:150, 100:222", "::7, ::9", "-1, -1", "100:100", "199:, :", "10:20, ::299",
};

typedef struct pair {
	stage g;
	remote_store x;
	zinc_store *store;
	zinc_hierarchy *h;
	zinc_array *local, *remote, *direct; /* direct: the remote array, written through the local store */
} pair;

/* Two arrays of the same elements, one of them in a remote store. */
static void
open_pair(pair *p, const struct layout *l, int threads, bool cas)
{
	zinc_error err = ZINC_ERROR_INIT;

	stage_open(&p->g, threads, 0);
	p->local = stage_array(&p->g, "a", ROWS, COLS, l->chunk[0], l->chunk[1], l->shard[0], l->shard[1], l->codecs);
	p->direct = stage_array(&p->g, "b", ROWS, COLS, l->chunk[0], l->chunk[1], l->shard[0], l->shard[1], l->codecs);
	stage_fill(p->local);
	stage_fill(p->direct);
	p->x = (remote_store){.local = p->g.memory, .parallel = PARALLEL, .merge_gap = 100, .writes = true, .cas = cas};
	p->store = remote_store_open(&p->x, p->g.ctx);
	assert_ok(zinc_hierarchy_open(&p->h, p->store, "", ZINC_OPEN_OPTIONS(.context = p->g.ctx), &err));
	assert_ok(zinc_array_open(&p->remote, p->h, "b", NULL, &err));
	p->x.calls = p->x.requests = 0;
	p->x.most_open = 0;
}

static void
close_pair(pair *p)
{
	zinc_array_close(p->local);
	zinc_array_close(p->direct);
	zinc_array_close(p->remote);
	zinc_hierarchy_close(p->h);
	zinc_store_close(p->store);
	stage_close(&p->g);
}

static void
compare(pair *p, const char *where)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_array_read(p->local, NULL, ZINC_BUFFER(local_v, sizeof local_v), NULL, &err));
	assert_ok(zinc_array_read(p->direct, NULL, ZINC_BUFFER(remote_v, sizeof remote_v), NULL, &err));
	if (memcmp(local_v, remote_v, sizeof local_v) != 0)
		fail_msg("%s differs", where);
}

static size_t
selected(zinc_array *a, const zinc_selection *sel)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t shape[ZINC_MAX_NDIM];
	size_t n = 1;
	int ndim, d;

	assert_ok(zinc_array_selection_shape(a, sel, &ndim, shape, &err));
	for (d = 0; d < ndim; d++)
		n *= (size_t)shape[d];
	return n;
}

static zinc_status
write_to(zinc_array *a, const char *selection, const zinc_io_options *o, zinc_error *out)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;
	zinc_status st;

	assert_ok(zinc_selection_parse(&sel, a, selection, &err));
	st = zinc_array_write(a, sel, ZINC_BUFFER(values, selected(a, sel) * sizeof *values), o, out);
	zinc_selection_free(sel);
	return st;
}

static void
fill_values(size_t first)
{
	size_t i;

	for (i = 0; i < COUNT(values); i++)
		values[i] = (uint16_t)(first + i * 3);
}

/* (2), (5) by conditions, and with single_writer */
static void
local_and_remote_are_the_same(void **state)
{
	int threads, cas;
	size_t i, k;

	(void)state;
	for (threads = 1; threads <= 4; threads += 3)
		for (cas = 0; cas <= 1; cas++)
			for (i = 0; i < COUNT(layouts); i++) {
				zinc_error err = ZINC_ERROR_INIT;
				pair p;

				open_pair(&p, &layouts[i], threads, cas);
				for (k = 0; k < COUNT(selections); k++) {
					fill_values(1000 * k + 5);
					assert_ok(write_to(p.remote, selections[k],
							   ZINC_IO_OPTIONS(.single_writer = !cas), &err));
					assert_ok(write_to(p.local, selections[k], NULL, &err));
					compare(&p, selections[k]);
				}
				close_pair(&p);
			}
}

/* The first answer takes until everything is encoded. */
static zinc_status
slow_first(void *arg, uint64_t puts, const char *key)
{
	const struct timespec pause = {0, 200000000};

	(void)arg, (void)key;
	if (puts == 0)
		nanosleep(&pause, NULL);
	return ZINC_OK;
}

/* (1) 600 chunks, none of them read; (2) 600 of which each is read once, in one call */
static void
many_are_open(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	int threads;

	(void)state;
	for (threads = 1; threads <= 4; threads += 3) {
		pair p;

		open_pair(&p, &layouts[0], threads, true);
		p.x.before_put = slow_first;
		fill_values(7);
		assert_ok(write_to(p.remote, "", NULL, &err));
		assert_int_equal(p.x.calls, 0);
		assert_int_equal(p.x.puts, 600);
		assert_int_equal(p.x.most_puts, PARALLEL);
		p.x.put_calls = p.x.puts = 0;
		p.x.most_puts = 0;
		assert_ok(write_to(p.remote, ":, ::2", NULL, &err));
		assert_int_equal(p.x.calls, 1);
		assert_int_equal(p.x.requests, 600);
		assert_int_equal(p.x.most_open, PARALLEL);
		assert_int_equal(p.x.puts, 600);
		assert_int_equal(p.x.most_puts, PARALLEL);
		close_pair(&p);
	}
}

static int
count_objects(void *arg, const char *key, uint64_t nbytes)
{
	(void)nbytes;
	*(int *)arg += strncmp(key, "b/c/", 4) == 0;
	return 0;
}

static int
objects_of(const pair *p)
{
	zinc_error err = ZINC_ERROR_INIT;
	int n = 0;

	assert_ok(zinc_store_list(p->g.memory, "", count_objects, &n, NULL, &err));
	return n;
}

/* (4) Objects that become all fill value in two steps, one of them alone, then all. */
static void
fill_value_is_stored_where_erasing_is_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, k;

	(void)state;
	memset(values, 0, sizeof values);
	for (i = 0; i < COUNT(layouts); i++) {
		const struct layout *l = &layouts[i];
		const unsigned rows = (unsigned)(l->shard[0] ? l->shard[0] : l->chunk[0]),
			       cols = (unsigned)(l->shard[1] ? l->shard[1] : l->chunk[1]);
		char steps[4][40] = {"", "", ":, ::2", ":, 1::2"};
		pair p;
		int n;

		snprintf(steps[0], sizeof steps[0], "0:%u, 0:%u", rows, cols - 1);
		snprintf(steps[1], sizeof steps[1], "0:%u, %u", rows, cols - 1);
		open_pair(&p, l, 2, true);
		p.x.no_conditional_dels = true;
		n = objects_of(&p);
		for (k = 0; k < COUNT(steps); k++) {
			assert_ok(write_to(p.remote, steps[k], NULL, &err));
			assert_ok(write_to(p.local, steps[k], NULL, &err));
			compare(&p, steps[k]);
			assert_int_equal(objects_of(&p), n);
		}
		assert_ok(write_to(p.remote, "", NULL, &err)); /* whole chunks need no condition */
		assert_true(objects_of(&p) < n);
		close_pair(&p);
	}
}

/* (4) */
static void
fill_value_is_erased_together(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	pair p;

	(void)state;
	open_pair(&p, &layouts[0], 2, true);
	p.x.before_put = slow_first;
	memset(values, 0, sizeof values);
	assert_ok(write_to(p.remote, "", NULL, &err));
	assert_int_equal(p.x.dels, 600);
	assert_int_equal(p.x.puts, 0);
	assert_int_equal(p.x.most_puts, PARALLEL);
	assert_ok(write_to(p.local, "", NULL, &err));
	compare(&p, "all fill");
	p.x.dels = 0;
	assert_ok(write_to(p.remote, ":, ::2", NULL, &err)); /* nothing exists, and nothing is put */
	assert_int_equal(p.x.dels + p.x.puts, 0);
	close_pair(&p);
}

/* ---- other writers ---- */

typedef struct rival {
	zinc_array *a;  /* the same one, in the local store */
	uint64_t every; /* puts between two of its own */
	uint16_t next;
} rival;

/* Row 1, column 1 of the chunk whose key this is: the write under test never touches it. */
static zinc_status
come_between(void *arg, uint64_t puts, const char *key)
{
	rival *r = arg;
	uint64_t at[2];
	zinc_selection sel = {.size = sizeof sel, .kind = ZINC_SELECT_POINTS, .ndim = 2, .points = at, .npoints = 1};
	zinc_error err = ZINC_ERROR_INIT;
	unsigned long row, col;

	if (puts % r->every != 0 || sscanf(key, "b/c/%lu/%lu", &row, &col) != 2)
		return ZINC_OK;
	at[0] = row * 10 + 1;
	at[1] = col * 10 + 1;
	r->next = 4711;
	assert_ok(zinc_array_write(r->a, &sel, ZINC_BUFFER(&r->next, sizeof r->next), NULL, &err));
	return ZINC_OK;
}

/* (2) Every fifth put loses; the elements of both writers exist in the end. */
static void
losers_try_again(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t r, c, theirs = 0;
	rival other;
	pair p;

	(void)state;
	open_pair(&p, &layouts[0], 2, true);
	other = (rival){.a = p.direct, .every = 5};
	p.x.before_put = come_between;
	p.x.arg = &other;
	fill_values(9);
	assert_ok(write_to(p.remote, "::10, ::10", NULL, &err));
	assert_true(p.x.puts > 600 + 100);
	p.x.before_put = NULL;
	assert_ok(write_to(p.local, "::10, ::10", NULL, &err));
	assert_ok(zinc_array_read(p.local, NULL, ZINC_BUFFER(local_v, sizeof local_v), NULL, &err));
	assert_ok(zinc_array_read(p.direct, NULL, ZINC_BUFFER(remote_v, sizeof remote_v), NULL, &err));
	for (r = 0; r < ROWS; r++)
		for (c = 0; c < COLS; c++) {
			const bool his = r % 10 == 1 && c % 10 == 1 && remote_v[r * COLS + c] == 4711;

			theirs += his;
			if (!his)
				assert_int_equal(remote_v[r * COLS + c], local_v[r * COLS + c]);
		}
	assert_in_range(theirs, 100, 600);
	close_pair(&p);
}

static zinc_status
always_lost(void *arg, uint64_t puts, const char *key)
{
	(void)arg, (void)puts;
	return strcmp(key, "b/c/3/4") == 0 ? ZINC_E_CONFLICT : ZINC_OK;
}

/* (2) as often as an update of one key */
static void
who_always_loses_gives_up(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	pair p;

	(void)state;
	open_pair(&p, &layouts[0], 2, true);
	p.x.before_put = always_lost;
	assert_int_equal(write_to(p.remote, ":, ::2", NULL, &err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "256 times"));
	assert_string_equal(err.key, "b/c/3/4");
	assert_int_equal(p.x.puts, 600 - 1 + 256);
	close_pair(&p);
}

/* (2) A store that gives up reading a value, because others replace it all the time, is a lost race, too. */
static void
torn_reads_are_repeated(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	pair p;

	(void)state;
	open_pair(&p, &layouts[0], 2, true);
	fill_values(9);
	p.x.torn = 100;
	assert_ok(write_to(p.remote, "::10, ::10", NULL, &err));
	assert_int_equal(p.x.torn, 0);
	assert_ok(write_to(p.local, "::10, ::10", NULL, &err));
	compare(&p, "torn reads");
	p.x.torn = UINT32_MAX;
	assert_int_equal(write_to(p.remote, "0, ::10", NULL, &err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "replaced"));
	assert_string_equal(err.key, "b/c/0/0");
	assert_in_range(UINT32_MAX - p.x.torn, 255 * 30 + 1, 256 * 30);
	close_pair(&p);
}

/* ---- failures ---- */

static zinc_status
fail_two(void *arg, uint64_t puts, const char *key)
{
	(void)arg, (void)puts;
	return strcmp(key, "b/c/2/0") == 0 || strcmp(key, "b/c/1/7") == 0 ? ZINC_E_IO : ZINC_OK;
}

static void
the_lowest_failure_is_told(void **state)
{
	static const char *const ways[] = {"", ":, ::2"};
	int threads;
	size_t i;

	(void)state;
	for (threads = 1; threads <= 4; threads += 3)
		for (i = 0; i < COUNT(ways); i++) {
			zinc_error err = ZINC_ERROR_INIT;
			pair p;

			open_pair(&p, &layouts[0], threads, true);
			p.x.before_put = fail_two;
			p.x.slow = 50;
			assert_int_equal(write_to(p.remote, ways[i], NULL, &err), ZINC_E_IO);
			assert_string_equal(err.key, "b/c/1/7");
			assert_in_range(p.x.puts, 38, 599);
			close_pair(&p);
		}
}

/* The object in the place of a chunk is too long: an edge chunk, of which nothing is kept, replaces it. */
static void
too_long_values_are_replaced(void **state)
{
	static const uint8_t junk[5000];
	zinc_error err = ZINC_ERROR_INIT;
	pair p;

	(void)state;
	open_pair(&p, &layouts[2], 2, true);
	fill_values(3);
	assert_ok(zinc_store_put(p.g.memory, NULL, "b/c/15/42", junk, sizeof junk, NULL, 0, NULL, NULL, &err));
	assert_ok(write_to(p.remote, "", NULL, &err));
	assert_ok(write_to(p.local, "", NULL, &err));
	compare(&p, "replaced");
	assert_ok(zinc_store_put(p.g.memory, NULL, "b/c/0/0", junk, sizeof junk, NULL, 0, NULL, NULL, &err));
	assert_int_equal(write_to(p.remote, ":, ::2", NULL, &err), ZINC_E_LIMIT);
	assert_string_equal(err.key, "b/c/0/0");
	close_pair(&p);
}

/* ---- progress, cancel, deadline ---- */

typedef struct watch {
	uint64_t units, total, nbytes;
	uint64_t stop_at;
} watch;

static int
progress(void *arg, uint64_t units, uint64_t total, uint64_t nbytes)
{
	watch *w = arg;

	assert_int_equal(units, w->units + 1);
	w->units = units;
	w->total = total;
	w->nbytes = nbytes;
	return w->stop_at > 0 && units >= w->stop_at;
}

static void
progress_counts_what_is_stored(void **state)
{
	static const char *const ways[] = {"", ":, ::2"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(ways); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		watch w = {0};
		pair p;

		open_pair(&p, &layouts[3], 2, true);
		fill_values(1);
		assert_ok(write_to(p.remote, ways[i],
				   ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.progress = progress, .progress_arg = &w)),
				   &err));
		assert_int_equal(w.units, 150);
		assert_int_equal(w.total, 150);
		assert_int_equal(w.nbytes, sizeof values / (i + 1));
		close_pair(&p);

		w = (watch){.stop_at = 10};
		open_pair(&p, &layouts[3], 2, true);
		assert_int_equal(
		    write_to(p.remote, ways[i],
			     ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.progress = progress, .progress_arg = &w)),
			     &err),
		    ZINC_E_CANCELLED);
		assert_in_range(p.x.puts, 10, 12);
		close_pair(&p);
	}
}

static zinc_status
cancel_at_40(void *arg, uint64_t puts, const char *key)
{
	(void)key;
	if (puts == 40)
		zinc_cancel_set(arg);
	return ZINC_OK;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* As a store whose own wait ends first: its operation may be done or not. */
static zinc_status
uncertain_in_the_end(void *arg, uint64_t puts, const char *key)
{
	const struct timespec pause = {0, 200000};

	(void)puts, (void)key;
	while (now() < *(const double *)arg)
		nanosleep(&pause, NULL);
	return ZINC_E_UNCERTAIN;
}

static void
cancel_and_deadline_end_it(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_cancel cancel = ZINC_CANCEL_INIT;
	double end;
	pair p;

	(void)state;
	open_pair(&p, &layouts[0], 2, true);
	p.x.before_put = cancel_at_40;
	p.x.arg = &cancel;
	fill_values(1);
	assert_int_equal(write_to(p.remote, "", ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.cancel = &cancel)), &err),
			 ZINC_E_CANCELLED);
	assert_in_range(p.x.puts, 41, 42);
	p.x.before_put = NULL;
	p.x.puts = 0;
	p.x.slow = 5000;
	assert_int_equal(write_to(p.remote, "", ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.timeout = 0.1)), &err),
			 ZINC_E_CANCELLED);
	assert_in_range(p.x.puts, 0, 100);
	p.x.slow = 0;
	p.x.before_put = uncertain_in_the_end;
	p.x.arg = &end;
	end = now() + 0.102;
	assert_int_equal(write_to(p.remote, "", ZINC_IO_OPTIONS(.call = ZINC_CALL_OPTIONS(.timeout = 0.1)), &err),
			 ZINC_E_CANCELLED);
	close_pair(&p);
}

/* ---- memory ---- */

/* Bytes of puts in the store at once: half of it if old bytes are also in memory. */
static void
bytes_in_flight_are_bounded(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	pair p;

	(void)state;
	open_pair(&p, &layouts[1], 2, true);
	p.x.before_put = slow_first;
	fill_values(1);
	assert_ok(write_to(p.remote, "", ZINC_IO_OPTIONS(.in_flight_bytes = 10 * 200), &err));
	assert_in_range(p.x.most_bytes, 200, 8 * 200); /* the threads have two chunks */
	p.x.most_bytes = 0;
	assert_ok(write_to(p.remote, ":, ::2", ZINC_IO_OPTIONS(.in_flight_bytes = 10 * 200), &err));
	assert_in_range(p.x.most_bytes, 200, 4 * 200);
	close_pair(&p);
}

/* The time of a flush is that of all its objects together: 40 of them take two seconds. */
static void
a_flush_has_one_deadline(void **state)
{
	static const char *const boxes[] = {"0:10, 0:200", "10:20, 0:200"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;
	zinc_writer *w = NULL;
	size_t i;
	pair p;

	(void)state;
	open_pair(&p, &layouts[0], 2, true);
	assert_ok(zinc_writer_new(&w, p.remote, 0, NULL, &err));
	for (i = 0; i < COUNT(boxes); i++) {
		assert_ok(zinc_selection_parse(&sel, p.remote, boxes[i], &err));
		fill_values(3);
		assert_ok(zinc_writer_write(w, sel, ZINC_BUFFER(values, 10 * 200 * sizeof values[0]), NULL, &err));
		zinc_selection_free(sel);
	}
	p.x.puts = 0;
	p.x.slow = 50000;
	assert_int_equal(zinc_writer_flush(w, ZINC_CALL_OPTIONS(.timeout = 0.2), &err), ZINC_E_CANCELLED);
	assert_in_range(p.x.puts, 1, 6);
	p.x.slow = 0;
	assert_ok(zinc_writer_close(w, NULL, &err)); /* nothing was lost */
	assert_in_range(p.x.puts, 40, 46);
	close_pair(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(local_and_remote_are_the_same),
	    cmocka_unit_test(many_are_open),
	    cmocka_unit_test(fill_value_is_erased_together),
	    cmocka_unit_test(losers_try_again),
	    cmocka_unit_test(fill_value_is_stored_where_erasing_is_refused),
	    cmocka_unit_test(who_always_loses_gives_up),
	    cmocka_unit_test(torn_reads_are_repeated),
	    cmocka_unit_test(the_lowest_failure_is_told),
	    cmocka_unit_test(too_long_values_are_replaced),
	    cmocka_unit_test(progress_counts_what_is_stored),
	    cmocka_unit_test(cancel_and_deadline_end_it),
	    cmocka_unit_test(bytes_in_flight_are_bounded),
	    cmocka_unit_test(a_flush_has_one_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
