/*
 * test_fetch.c - items of a remote store; numbers are the promises of src/fetch/fetch.h
 *
 * Item i is the value of key "k<i>", 1000 bytes of i.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/fetch.h"
#include "support/remote_store.h"
#include "support/halting.h"
#include "support/test.h"

enum { ITEMS = 300, BYTES = 1000, THREADS = 4 };

typedef struct scene {
	zinc_context *ctx;
	zinc_store *memory, *store;
	remote_store remote;
	zinc_caps caps;
	zinc_fetch f;
	zinc_fetch_item local[THREADS];
	zinc_error local_err[THREADS];
	zinc_buf bytes[THREADS];
	int rounds; /* of each item */
	size_t parts;
	/* what the planner saw */
	atomic_int busy[ITEMS], taken[ITEMS], failed[ITEMS];
	halting end;
	atomic_size_t ntaken;
	size_t stop_after; /* items taken */
	unsigned slow;     /* microseconds a take */
	bool counting;
	void *own; /* of one test */
	atomic_ullong counted[3];
} scene;

static zinc_status
want(void *arg, zinc_fetch_item *it, int worker, zinc_error *err)
{
	scene *s = arg;
	zinc_get *gets;
	size_t k;

	assert_true(worker >= 0 && worker <= s->f.threads);
	assert_int_equal(atomic_fetch_add(&s->busy[it->i], 1), 0);
	it->key.n = 0;
	ZINC_TRY(zinc_buf_printf(&it->key, err, "k%zu", it->i));
	it->bound = BYTES;
	if (s->parts <= 1) {
		zinc_fetch_want(it, (zinc_get){.length = ZINC_TO_END});
		return ZINC_OK;
	}
	ZINC_TRY(zinc_fetch_room(it, s->parts, 0, &gets, err));
	for (k = 0; k < s->parts; k++)
		gets[k] = (zinc_get){
		    .key = (const char *)it->key.p, .offset = k * (BYTES / s->parts), .length = BYTES / s->parts};
	return ZINC_OK;
}

static zinc_status
take(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	scene *s = arg;
	const struct timespec pause = {0, (long)s->slow * 1000};
	size_t i;

	(void)worker;
	assert_int_equal(atomic_fetch_sub(&s->busy[it->i], 1), 1);
	if (it->found == ZINC_MISSING || it->found == ZINC_CHANGED)
		return zinc_fail(err, it->found == ZINC_MISSING ? ZINC_E_NOTFOUND : ZINC_E_CONFLICT, "item %zu", it->i);
	assert_int_equal(it->size, BYTES);
	if (!s->counting) {
		assert_int_equal(it->bytes->n, BYTES);
		for (i = 0; i < BYTES; i++)
			assert_int_equal(it->bytes->p[i], it->i & 255);
	}
	if (s->slow)
		nanosleep(&pause, NULL);
	*again = it->round + 1 < s->rounds;
	if (*again)
		return ZINC_OK;
	atomic_fetch_add(&s->taken[it->i], 1);
	if (atomic_fetch_add(&s->ntaken, 1) + 1 == s->stop_after)
		atomic_store(&s->end.stop, 1);
	return ZINC_OK;
}

static void
fail_item(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err)
{
	scene *s = arg;

	assert_int_equal(st, err->code);
	atomic_store(&s->busy[it->i], 0);
	atomic_store(&s->failed[it->i], (int)st);
	halting_fail(&s->end, it->i);
}

static bool
stopped(void *arg, size_t i)
{
	return halting_stopped(&((const scene *)arg)->end, i);
}

static bool
halted(void *arg)
{
	return halting_halted(&((const scene *)arg)->end);
}

static zinc_status
too_long(void *arg, const zinc_fetch_item *it, uint64_t nbytes, zinc_error *err)
{
	(void)arg;
	return zinc_fail(err, ZINC_E_CORRUPT, "%d bytes, %d allowed", (int)nbytes, (int)it->bound);
}

static void
count(void *arg, uint64_t requests, uint64_t ranges, uint64_t nbytes)
{
	scene *s = arg;

	atomic_fetch_add(&s->counted[0], requests);
	atomic_fetch_add(&s->counted[1], ranges);
	atomic_fetch_add(&s->counted[2], nbytes);
}

static void
open_scene(scene *s, int threads, uint64_t in_flight)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t value[BYTES];
	char key[16];
	int i;

	memset(s, 0, sizeof *s);
	assert_ok(zinc_context_new(&s->ctx, ZINC_CONTEXT_OPTIONS(.threads = THREADS), &err));
	assert_ok(zinc_store_open(&s->memory, "memory://", ZINC_STORE_OPTIONS(.context = s->ctx), &err));
	for (i = 0; i < ITEMS; i++) {
		snprintf(key, sizeof key, "k%d", i);
		memset(value, i, sizeof value);
		assert_ok(zinc_store_put(s->memory, NULL, key, value, sizeof value, NULL, 0, NULL, NULL, &err));
	}
	s->remote = (remote_store){.local = s->memory, .parallel = 16};
	s->store = remote_store_open(&s->remote, s->ctx);
	s->caps.size = sizeof s->caps;
	zinc_store_caps(s->store, &s->caps);
	s->rounds = 1;
	halting_init(&s->end);
	for (i = 0; i < THREADS; i++) {
		zinc_buf_init(&s->bytes[i], s->ctx, BYTES);
		zinc_fetch_item_init(&s->local[i], s->ctx, &s->bytes[i], &s->local_err[i]);
	}
	s->f = (zinc_fetch){.ctx = s->ctx,
			    .store = s->store,
			    .caps = &s->caps,
			    .threads = threads,
			    .in_flight = in_flight,
			    .local = s->local,
			    .arg = s,
			    .stopped = stopped,
			    .halted = halted,
			    .want = want,
			    .take = take,
			    .fail = fail_item,
			    .too_long = too_long};
}

static void
close_scene(scene *s)
{
	int i;

	for (i = 0; i < THREADS; i++) {
		zinc_fetch_item_fini(&s->local[i]);
		zinc_buf_fini(&s->bytes[i]);
	}
	zinc_store_close(s->store);
	zinc_store_close(s->memory);
	zinc_context_free(s->ctx);
}

static void
all_taken(const scene *s)
{
	int i;

	for (i = 0; i < ITEMS; i++)
		assert_int_equal(atomic_load(&s->taken[i]), 1);
}

/* (1), (3) */
static void
open_requests_do_not_depend_on_threads(void **state)
{
	int threads;

	(void)state;
	for (threads = 1; threads <= THREADS; threads++) {
		scene s;

		open_scene(&s, threads, 1 << 20);
		zinc_fetch_run(&s.f, ITEMS);
		all_taken(&s);
		assert_int_equal(s.remote.most_open, 16);
		assert_int_equal(s.remote.calls, 1);
		assert_int_equal(s.remote.requests, ITEMS);
		close_scene(&s);
	}
}

/* (1) also in the second and third round, each of them one call */
static void
rounds_go_together(void **state)
{
	scene s;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	s.rounds = 3;
	s.parts = 4;
	zinc_fetch_run(&s.f, ITEMS);
	all_taken(&s);
	assert_int_equal(s.remote.requests, 3 * 4 * ITEMS);
	assert_true(s.remote.calls < ITEMS / 4);
	close_scene(&s);
}

/* (4) so that the store must get "not now" */
static void
bytes_in_flight_are_bounded(void **state)
{
	int threads;

	(void)state;
	for (threads = 1; threads <= THREADS; threads += 3) {
		scene s;

		open_scene(&s, threads, 0);
		s.slow = 300;
		zinc_fetch_run(&s.f, ITEMS);
		all_taken(&s);
		assert_true(s.remote.not_now > 0);
		close_scene(&s);
	}
}

/* (4) an item with room may have requests after those that wait for it: the first of a window never waits for a later
 * one */
static void
room_is_never_held_by_what_cannot_begin(void **state)
{
	size_t parts;
	unsigned parallel;

	(void)state;
	for (parts = 2; parts <= 5; parts += parts == 2 ? 2 : 1)
		for (parallel = 2; parallel <= 9; parallel++) {
			const zinc_call_options soon = {.size = sizeof soon, .timeout = 5};
			zinc_error err = ZINC_ERROR_INIT;
			zinc_wait wait;
			scene s;

			open_scene(&s, 1, 0);
			assert_ok(zinc_wait_begin(&wait, &soon, &err));
			s.f.wait = &wait;
			s.parts = parts;
			s.remote.parallel = parallel;
			s.remote.shy = true;
			zinc_fetch_run(&s.f, ITEMS);
			all_taken(&s);
			close_scene(&s);
		}
}

/* ---- plans that are large ---- */

enum { PLAN_BYTES = 1 << 20, PLANS = 40 };

typedef struct planning {
	atomic_int live, most;
	bool nothing; /* is wanted */
} planning;

static zinc_status
want_much(void *arg, zinc_fetch_item *it, int worker, zinc_error *err)
{
	scene *s = arg;
	planning *p = s->own;
	zinc_get *gets;
	int live = atomic_fetch_add(&p->live, 1) + 1;

	(void)worker;
	if (live > atomic_load(&p->most))
		atomic_store(&p->most, live);
	it->key.n = 0;
	ZINC_TRY(zinc_buf_printf(&it->key, err, "k%zu", it->i));
	ZINC_TRY(zinc_fetch_room(it, 1, PLAN_BYTES, &gets, err));
	gets[0] = (zinc_get){.key = (const char *)it->key.p, .length = BYTES};
	it->n = !p->nothing;
	return ZINC_OK;
}

static zinc_status
take_much(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	const struct timespec pause = {0, 100000};
	scene *s = arg;

	(void)worker, (void)err, (void)again;
	nanosleep(&pause, NULL);
	atomic_fetch_sub(&((planning *)s->own)->live, 1);
	atomic_fetch_add(&s->taken[it->i], 1);
	return ZINC_OK;
}

/* (4) whether they wait for bytes or for a thread that takes them */
static void
plans_are_bounded(void **state)
{
	int nothing;

	(void)state;
	for (nothing = 0; nothing < 2; nothing++) {
		planning p = {.nothing = nothing};
		scene s;

		open_scene(&s, 2, 1 << 20);
		s.own = &p;
		s.f.want = want_much;
		s.f.take = take_much;
		zinc_fetch_run(&s.f, ITEMS);
		all_taken(&s);
		assert_in_range(atomic_load(&p.most), 2, PLANS);
		close_scene(&s);
	}
}

/* ---- no thread to be had ---- */

static void
want_no_threads(bool none)
{
	static size_t usual;
	pthread_attr_t attr;

	assert_int_equal(pthread_getattr_default_np(&attr), 0);
	if (none)
		pthread_attr_getstacksize(&attr, &usual);
	pthread_attr_setstacksize(&attr, none ? (size_t)1 << 46 : usual);
	assert_int_equal(pthread_setattr_default_np(&attr), 0);
	pthread_attr_destroy(&attr);
}

static void
cancel_now(void *arg, uint64_t answers, const zinc_get *get)
{
	(void)get;
	if (answers == 10)
		zinc_cancel_set(arg);
}

/* (1), (5): the caller runs the window and takes the items; its cancel ends requests in progress */
static void
all_goes_on_without_threads(void **state)
{
	zinc_cancel cancel = ZINC_CANCEL_INIT;
	const zinc_wait wait = {sizeof wait, 0, &cancel};
	scene s;

	(void)state;
	want_no_threads(true);
	open_scene(&s, 2, 1 << 20);
	zinc_fetch_run(&s.f, ITEMS);
	all_taken(&s);
	close_scene(&s);
	open_scene(&s, 2, 1 << 20);
	s.f.wait = &wait;
	s.remote.before = cancel_now;
	s.remote.arg = &cancel;
	zinc_fetch_run(&s.f, ITEMS);
	assert_int_equal(s.remote.answers, 11);
	close_scene(&s);
	want_no_threads(false);
}

/* (2) the value is replaced between two requests of an item */
static void
replace(void *arg, uint64_t answers, const zinc_get *get)
{
	zinc_store *memory = arg;
	static const uint8_t other[BYTES] = {1};

	if (strcmp(get->key, "k7") == 0 && get->offset == 500 && answers > 0)
		(void)!zinc_store_put(memory, NULL, "k7", other, sizeof other, NULL, 0, NULL, NULL, NULL);
}

static void
generations_do_not_mix(void **state)
{
	scene s;
	int i;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	s.parts = 2;
	s.remote.before = replace;
	s.remote.arg = s.memory;
	zinc_fetch_run(&s.f, ITEMS);
	assert_int_equal(atomic_load(&s.failed[7]), ZINC_E_CONFLICT);
	for (i = 0; i < 7; i++)
		assert_int_equal(atomic_load(&s.taken[i]), 1);
	close_scene(&s);
}

/* (5) all below the lowest failure are done, and few above it */
static void
the_lowest_failure_is_found(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene s;
	int i;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	assert_ok(zinc_store_del(s.memory, NULL, "k31", NULL, 0, NULL, &err));
	assert_ok(zinc_store_del(s.memory, NULL, "k25", NULL, 0, NULL, &err));
	zinc_fetch_run(&s.f, ITEMS);
	assert_int_equal(atomic_load(&s.end.lowest), 25);
	assert_int_equal(atomic_load(&s.failed[25]), ZINC_E_NOTFOUND);
	for (i = 0; i < 25; i++)
		assert_int_equal(atomic_load(&s.taken[i]), 1);
	close_scene(&s);
}

static void
what_is_too_long_is_never_held(void **state)
{
	static const uint8_t longer[BYTES + 1] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	scene s;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	assert_ok(zinc_store_put(s.memory, NULL, "k0", longer, sizeof longer, NULL, 0, NULL, NULL, &err));
	zinc_fetch_run(&s.f, ITEMS);
	assert_int_equal(atomic_load(&s.failed[0]), ZINC_E_CORRUPT);
	close_scene(&s);
}

/* (5) a cancel in the middle of a window ends it */
static void
a_cancel_ends_the_window(void **state)
{
	scene s;

	(void)state;
	open_scene(&s, 1, 4 * BYTES);
	s.stop_after = 20;
	s.slow = 100;
	zinc_fetch_run(&s.f, ITEMS);
	assert_int_equal(atomic_load(&s.ntaken), 20);
	assert_true(s.remote.answers < ITEMS);
	close_scene(&s);
}

static void
counting_asks_for_sizes_only(void **state)
{
	scene s;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	s.counting = true;
	s.f.count = count;
	s.parts = 4;
	zinc_fetch_run(&s.f, ITEMS);
	all_taken(&s);
	assert_int_equal(s.remote.requests, ITEMS);
	assert_int_equal(atomic_load(&s.counted[0]), 4 * ITEMS);
	assert_int_equal(atomic_load(&s.counted[1]), 4 * ITEMS);
	assert_int_equal(atomic_load(&s.counted[2]), BYTES * ITEMS);
	close_scene(&s);
}

/* ---- merging ---- */

static void
ranges_are_merged(void **state)
{
	zinc_fetch_range r[] = {{.offset = 100, .nbytes = 10, .tell = 0},
				{.offset = 0, .nbytes = 50, .tell = 1},
				{.offset = 60, .nbytes = 20, .tell = 2},
				{.offset = 65, .nbytes = 5, .tell = 3}};
	zinc_get gets[4];
	size_t n;

	(void)state;
	n = zinc_fetch_merge(r, 4, 10, "k", NULL, gets);
	assert_int_equal(n, 2);
	assert_int_equal(gets[0].offset, 0);
	assert_int_equal(gets[0].length, 80);
	assert_int_equal(gets[1].offset, 100);
	assert_int_equal(gets[1].length, 10);
	assert_int_equal(r[0].at, 0);
	assert_int_equal(r[1].at, 60);
	assert_int_equal(r[2].at, 65);
	assert_int_equal(r[3].at, 80);
	assert_int_equal(r[3].tell, 0);
}

/* (4) A column of a shard of a million small chunks must not cost the whole of it. */
static void
gaps_are_bounded(void **state)
{
	zinc_fetch_range r[40];
	zinc_get gets[COUNT(r)];
	uint64_t total = 0;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(r); i++)
		r[i] = (zinc_fetch_range){.offset = i * ZINC_MIB, .nbytes = 1};
	n = zinc_fetch_merge(r, COUNT(r), ZINC_MIB, "k", NULL, gets);
	assert_int_equal(n, 1 + COUNT(r) - 17);
	for (i = 0; i < n; i++)
		total += gets[i].length;
	assert_in_range(total, COUNT(r), 16 * ZINC_MIB + COUNT(r));
	assert_int_equal(r[16].at, 16 * ZINC_MIB);
	assert_int_equal(r[39].at, 16 * ZINC_MIB + 23);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(open_requests_do_not_depend_on_threads),
	    cmocka_unit_test(rounds_go_together),
	    cmocka_unit_test(bytes_in_flight_are_bounded),
	    cmocka_unit_test(room_is_never_held_by_what_cannot_begin),
	    cmocka_unit_test(plans_are_bounded),
	    cmocka_unit_test(all_goes_on_without_threads),
	    cmocka_unit_test(generations_do_not_mix),
	    cmocka_unit_test(the_lowest_failure_is_found),
	    cmocka_unit_test(what_is_too_long_is_never_held),
	    cmocka_unit_test(a_cancel_ends_the_window),
	    cmocka_unit_test(counting_asks_for_sizes_only),
	    cmocka_unit_test(ranges_are_merged),
	    cmocka_unit_test(gaps_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
