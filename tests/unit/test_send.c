/*
 * test_send.c - parcels to a remote store; numbers are the promises of src/fetch/fetch.h
 *
 * Parcel i is 1000 bytes of i for key "k<i>", made by several threads at once.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "fetch/fetch.h"
#include "support/remote_store.h"
#include "support/halting.h"
#include "support/test.h"

enum { PARCELS = 300, BYTES = 1000, THREADS = 4, PARALLEL = 16 };

typedef struct scene {
	zinc_context *ctx;
	zinc_store *memory, *store;
	remote_store remote;
	zinc_sending how;
	zinc_send *send;
	zinc_wait wait;
	atomic_int began;
	zinc_when when;
	bool erase;
	uint64_t waste; /* bytes that an encoder has more than it needs */
	unsigned slow;  /* microseconds to make a parcel */
	/* what the planner saw */
	atomic_int done[PARCELS], code[PARCELS];
	halting end;
	atomic_size_t ngiven, ndone;
	size_t stop_after; /* parcels done */
	atomic_llong held, most_held;
} scene;

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

static void
hold(scene *s, long long nbytes)
{
	const long long held = atomic_fetch_add(&s->held, nbytes) + nbytes;
	long long most = atomic_load(&s->most_held);

	while (held > most && !atomic_compare_exchange_weak(&s->most_held, &most, held))
		;
}

static void
done(void *arg, const zinc_parcel *p, zinc_status st, zinc_error *err)
{
	scene *s = arg;
	char key[16];

	snprintf(key, sizeof key, "k%zu", p->i);
	assert_string_equal((const char *)p->key.p, key);
	assert_int_equal(st, st == ZINC_OK ? ZINC_OK : err->code);
	atomic_fetch_add(&s->done[p->i], 1);
	atomic_store(&s->code[p->i], (int)st);
	hold(s, -BYTES);
	if (atomic_fetch_add(&s->ndone, 1) + 1 == s->stop_after)
		atomic_store(&s->end.stop, 1);
	if (st != ZINC_OK)
		halting_fail(&s->end, p->i);
}

static void
make(void *arg, size_t i, int worker)
{
	scene *s = arg;
	const struct timespec pause = {0, (long)s->slow * 1000};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_parcel *p = NULL;
	zinc_buf bytes;

	(void)worker;
	assert_ok(zinc_parcel_new(s->send, i, BYTES, &p, &err));
	if (!p)
		return;
	hold(s, BYTES);
	if (s->slow)
		nanosleep(&pause, NULL);
	zinc_buf_init(&bytes, s->ctx, BYTES + (size_t)s->waste);
	assert_ok(zinc_buf_reset(&bytes, BYTES + (size_t)s->waste, &err));
	memset(bytes.p, (int)i, BYTES);
	zinc_buf_end(&bytes, BYTES);
	assert_ok(zinc_buf_printf(&p->key, &err, "k%zu", i));
	p->erase = s->erase;
	p->when = s->when;
	assert_ok(zinc_parcel_send(s->send, p, &bytes, &err));
	atomic_fetch_add(&s->ngiven, 1);
	zinc_buf_fini(&bytes);
}

static void
open_scene(scene *s, int threads, uint64_t in_flight)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(s, 0, sizeof *s);
	assert_ok(zinc_context_new(&s->ctx, ZINC_CONTEXT_OPTIONS(.threads = THREADS), &err));
	assert_ok(zinc_store_open(&s->memory, "memory://", ZINC_STORE_OPTIONS(.context = s->ctx), &err));
	s->remote = (remote_store){.local = s->memory, .parallel = PARALLEL, .writes = true, .cas = true};
	s->store = remote_store_open(&s->remote, s->ctx);
	halting_init(&s->end);
	s->wait.size = sizeof s->wait;
	s->how = (zinc_sending){.ctx = s->ctx,
				.store = s->store,
				.parallel = PARALLEL,
				.threads = threads,
				.in_flight = in_flight,
				.wait = &s->wait,
				.arg = s,
				.stopped = stopped,
				.halted = halted,
				.done = done};
}

static void
run(scene *s, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_send_begin(&s->send, &s->how, &err));
	zinc_pool_run(s->ctx, s->how.threads, n, make, s);
	assert_ok(zinc_send_end(s->send, &err));
}

static void
close_scene(scene *s)
{
	zinc_store_close(s->store);
	zinc_store_close(s->memory);
	zinc_context_free(s->ctx);
}

static void
is_stored(const scene *s, size_t i)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	char key[16];
	size_t k;

	snprintf(key, sizeof key, "k%zu", i);
	assert_ok(zinc_store_get_all(s->memory, key, &b, NULL, 0, NULL, &err));
	assert_int_equal(b.nbytes, BYTES);
	for (k = 0; k < BYTES; k++)
		assert_int_equal(((const uint8_t *)b.data)[k], i & 255);
	zinc_blob_fini(&b);
}

/* The first answer is sent after many parcels were given. */
static zinc_status
wait_for_many(void *arg, uint64_t puts, const char *key)
{
	scene *s = arg;
	const struct timespec pause = {0, 1000000};

	(void)key;
	while (puts == 0 && atomic_load(&s->ngiven) < 200)
		nanosleep(&pause, NULL);
	return ZINC_OK;
}

/* (7), (9) */
static void
open_puts_do_not_depend_on_threads(void **state)
{
	int threads;
	size_t i;

	(void)state;
	for (threads = 1; threads <= THREADS; threads++) {
		scene s;

		open_scene(&s, threads, 1 << 20);
		s.remote.before_put = wait_for_many;
		s.remote.arg = &s;
		s.waste = threads == 2 ? 5000 : 0;
		s.remote.asks = threads == 3;
		s.store = (zinc_store_close(s.store), remote_store_open(&s.remote, s.ctx));
		s.how.store = s.store;
		run(&s, PARCELS);
		for (i = 0; i < PARCELS; i++) {
			assert_int_equal(atomic_load(&s.done[i]), 1);
			is_stored(&s, i);
		}
		assert_int_equal(s.remote.most_puts, PARALLEL);
		assert_in_range(s.remote.put_calls, s.remote.asks ? 1 : 2, PARCELS / 2);
		close_scene(&s);
	}
}

/* A parcel that is given while others are open joins them. */
static zinc_status
give_another(void *arg, uint64_t puts, const char *key)
{
	scene *s = arg;

	(void)key;
	if (puts + 1 < PARCELS)
		make(s, (size_t)puts + 1, 0);
	return ZINC_OK;
}

/* (7), (9) */
static void
one_call_goes_on(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene s;
	size_t i;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	s.remote.asks = true;
	s.remote.before_put = give_another;
	s.remote.arg = &s;
	s.store = (zinc_store_close(s.store), remote_store_open(&s.remote, s.ctx));
	s.how.store = s.store;
	assert_ok(zinc_send_begin(&s.send, &s.how, &err));
	make(&s, 0, 0);
	while (atomic_load(&s.ndone) < PARCELS)
		zinc_send_flush(s.send);
	assert_ok(zinc_send_end(s.send, &err));
	assert_int_equal(s.remote.put_calls, 1);
	for (i = 0; i < PARCELS; i++) {
		assert_int_equal(atomic_load(&s.done[i]), 1);
		is_stored(&s, i);
	}
	close_scene(&s);
}

/* (8) with room for five, and with room for none */
static void
bytes_in_flight_are_bounded(void **state)
{
	int threads;

	(void)state;
	for (threads = 1; threads <= THREADS; threads += 3) {
		scene s;

		open_scene(&s, threads, 5 * BYTES + 999);
		s.remote.slow = 50;
		run(&s, PARCELS);
		assert_in_range(atomic_load(&s.most_held), 2 * BYTES, 5 * BYTES);
		assert_in_range(s.remote.most_bytes, BYTES, 5 * BYTES);
		assert_int_equal(atomic_load(&s.ndone), PARCELS);
		close_scene(&s);

		open_scene(&s, threads, 0);
		run(&s, PARCELS);
		assert_in_range(atomic_load(&s.most_held), BYTES, threads * BYTES);
		assert_int_equal(atomic_load(&s.ndone), PARCELS);
		close_scene(&s);
	}
}

static zinc_status
fail_some(void *arg, uint64_t puts, const char *key)
{
	(void)arg, (void)puts;
	return strcmp(key, "k25") == 0 || strcmp(key, "k31") == 0 ? ZINC_E_IO : ZINC_OK;
}

/* (10) all below the lowest failure are put.  Where one thread makes them in order, nothing is begun after it: only those
 * above it that were open with it are put as well. */
static void
the_lowest_failure_is_found(void **state)
{
	int threads;
	size_t i;

	(void)state;
	for (threads = 1; threads <= THREADS; threads += 3) {
		scene s;

		open_scene(&s, threads, 1 << 20);
		s.remote.before_put = fail_some;
		s.remote.slow = 100;
		run(&s, PARCELS);
		assert_int_equal(atomic_load(&s.end.lowest), 25);
		assert_int_equal(atomic_load(&s.code[25]), ZINC_E_IO);
		for (i = 0; i < 25; i++)
			is_stored(&s, i);
		if (threads == 1)
			assert_in_range(s.remote.puts, 26, 26 + PARALLEL - 1);
		close_scene(&s);
	}
}

/* (9), (10) a call that fails as a whole is repeated for each parcel, while its result is needed */
static void
a_call_that_fails_is_made_singly(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene s;
	size_t i;

	(void)state;
	open_scene(&s, 1, 1 << 20);
	s.remote.refuses = true;
	s.remote.before_put = fail_some;
	assert_ok(zinc_send_begin(&s.send, &s.how, &err));
	for (i = 0; i < PARCELS; i++)
		make(&s, i, 0);
	assert_ok(zinc_send_end(s.send, &err));
	assert_int_equal(atomic_load(&s.end.lowest), 25);
	for (i = 0; i < 25; i++)
		is_stored(&s, i);
	assert_int_equal(s.remote.puts, 26);
	assert_int_equal(atomic_load(&s.ndone), 26);
	close_scene(&s);
}

/* (10) while a window is under way, and while others wait for room */
static void
a_cancel_ends_the_window(void **state)
{
	uint64_t in_flight;

	(void)state;
	for (in_flight = 4 * BYTES; in_flight < PARCELS * BYTES; in_flight *= 30) {
		scene s;

		open_scene(&s, 2, in_flight);
		s.stop_after = 20;
		s.remote.slow = 100;
		run(&s, PARCELS);
		assert_in_range(s.remote.puts, 20, 20 + 2);
		close_scene(&s);
	}
}

/* (10) a store that does not end is stopped by the deadline */
static void
a_deadline_ends_it(void **state)
{
	scene s;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	s.remote.slow = 20000;
	s.wait.until = zinc_now(s.ctx) + 0.1;
	run(&s, PARCELS);
	assert_true(s.remote.cancelled > 0);
	assert_true(s.remote.puts < PARCELS / 2);
	assert_int_not_equal(atomic_load(&s.end.lowest), SIZE_MAX);
	close_scene(&s);
}

/* Every second key already exists. */
static void
lost_conditions_are_told(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char key[16];
	scene s;
	size_t i;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	for (i = 0; i < 10; i += 2) {
		snprintf(key, sizeof key, "k%zu", i);
		assert_ok(zinc_store_put(s.memory, NULL, key, "x", 1, NULL, 0, NULL, NULL, &err));
	}
	s.when = ZINC_ABSENT;
	assert_ok(zinc_send_begin(&s.send, &s.how, &err));
	for (i = 10; i-- > 0;) {
		make(&s, i, 0);
		zinc_send_flush(s.send);
	}
	assert_ok(zinc_send_end(s.send, &err));
	for (i = 0; i < 10; i++)
		assert_int_equal(atomic_load(&s.code[i]), i % 2 == 0 ? ZINC_E_EXISTS : ZINC_OK);
	close_scene(&s);
}

/* The first is answered when all the others have been given. */
static zinc_status
hold_the_first(void *arg, uint64_t puts, const char *key)
{
	scene *s = arg;

	atomic_store(&s->began, 1);
	return puts == 0 ? wait_for_many(arg, puts, key) : ZINC_OK;
}

/* (7) Nothing can join a batch with conditions: such puts wait for the next, and are then sent together. */
static void
conditions_go_together(void **state)
{
	const struct timespec pause = {0, 1000000};
	zinc_error err = ZINC_ERROR_INIT;
	scene s;
	size_t i;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	s.remote.before_put = hold_the_first;
	s.remote.arg = &s;
	s.remote.asks = true;
	s.store = (zinc_store_close(s.store), remote_store_open(&s.remote, s.ctx));
	s.how.store = s.store;
	s.when = ZINC_ABSENT;
	assert_ok(zinc_send_begin(&s.send, &s.how, &err));
	make(&s, 0, 0);
	while (!atomic_load(&s.began))
		nanosleep(&pause, NULL);
	for (i = 1; i < 200; i++)
		make(&s, i, 0);
	assert_ok(zinc_send_end(s.send, &err));
	for (i = 0; i < 200; i++)
		is_stored(&s, i);
	assert_in_range(s.remote.put_calls, 2, 200 / 16);
	close_scene(&s);
}

static void
deletes_go_together(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	scene s;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	run(&s, PARCELS);
	s.erase = true;
	s.remote.put_calls = s.remote.puts = 0;
	atomic_store(&s.ngiven, 0);
	s.remote.before_put = wait_for_many;
	s.remote.arg = &s;
	run(&s, PARCELS);
	assert_int_equal(s.remote.dels, PARCELS);
	assert_in_range(s.remote.put_calls, 1, PARCELS / 2);
	assert_int_equal(s.remote.most_puts, PARALLEL);
	assert_int_equal(zinc_store_get_all(s.memory, "k7", &b, NULL, 0, NULL, &err), ZINC_E_NOTFOUND);
	close_scene(&s);
}

/* A parcel that is not needed is not sent. */
static void
dropped_parcels_are_not_sent(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_parcel *p = NULL;
	scene s;

	(void)state;
	open_scene(&s, 2, 1 << 20);
	s.remote.slow = 2000;
	assert_ok(zinc_send_begin(&s.send, &s.how, &err));
	make(&s, 0, 0);
	make(&s, 1, 0);
	assert_ok(zinc_parcel_new(s.send, 299, 0, &p, &err));
	assert_ok(zinc_buf_printf(&p->key, &err, "k299"));
	zinc_parcel_drop(s.send, p);
	assert_ok(zinc_send_end(s.send, &err));
	is_stored(&s, 0);
	is_stored(&s, 1);
	assert_int_equal(atomic_load(&s.done[299]), 0);
	close_scene(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(open_puts_do_not_depend_on_threads),
	    cmocka_unit_test(one_call_goes_on),
	    cmocka_unit_test(bytes_in_flight_are_bounded),
	    cmocka_unit_test(the_lowest_failure_is_found),
	    cmocka_unit_test(a_call_that_fails_is_made_singly),
	    cmocka_unit_test(a_cancel_ends_the_window),
	    cmocka_unit_test(a_deadline_ends_it),
	    cmocka_unit_test(lost_conditions_are_told),
	    cmocka_unit_test(conditions_go_together),
	    cmocka_unit_test(deletes_go_together),
	    cmocka_unit_test(dropped_parcels_are_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
