/*
 * test_generations.c - stores of programs: without tags, with values that change between two requests, with many threads
 *
 * (1) All bytes that one read returns from one object are of one generation, with tags and without.
 * (2) done() may be called by many threads at once; ThreadSanitizer checks it.
 * (3) An answer with another number of bytes than requested, or without a tag, is E_IO.
 * (4) So is a failure without a reason, and an invalid answer.
 *
 * Every element of generation g is g + 1.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <zinc/extend.h>
#include <zinc/store.h>
#include <zinc/tool.h>

#include "store/store.h"
#include "support/test.h"

enum { ROWS = 128, COLS = 4096, CHUNK_ROWS = 64, THREADS = 8 };

typedef struct strange {
	zinc_store *generation[2];
	bool flips; /* each request for a chunk is answered by the other one */
	bool tags;
	bool fails;       /* every request for a chunk */
	int lie;          /* 1: an answer has a byte less, 2: no tag, 3 ...: see liar_done */
	unsigned threads; /* that answer each get; 0: the caller's */
	atomic_uint turn;
} strange;

/* One get, served by several threads. */
typedef struct serving {
	strange *s;
	const zinc_get *requests;
	size_t n;
	const zinc_sink *sink;
	pthread_barrier_t start;
} serving;

/* One of its threads.  They share nothing that would put their done() in an order. */
typedef struct server {
	serving *x;
	size_t first, step;
} server;

static zinc_status
bring(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	(void)err;
	zinc_iov_scatter(iov, niov, (const uint8_t *)arg + offset, (size_t)nbytes);
	return ZINC_OK;
}

/* A wrapper that gives wrong answers, between a correct store and its caller. */
typedef struct liar {
	const zinc_sink *sink;
	int lie;
} liar;

static zinc_room
liar_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	const zinc_sink *k = ((const liar *)arg)->sink;

	return k->room(k->arg, i, nbytes, buf);
}

static void
liar_done(void *arg, size_t i, const zinc_got *got)
{
	static const zinc_error silent = ZINC_ERROR_INIT;
	const liar *l = arg;
	zinc_got mine = *got;

	if (l->lie == 1 && mine.nbytes > 0)
		mine.nbytes--;
	if (l->lie == 2)
		mine.tag = NULL;
	if (l->lie >= 3) /* failed, and status OK */
		mine = (zinc_got){.size = sizeof mine, .found = l->lie == 6 ? (zinc_found)7 : ZINC_FAILED};
	if (l->lie == 4 || l->lie == 5)
		mine.error = &silent;
	if (l->lie == 5)
		mine.status = ZINC_E_IO;
	l->sink->done(l->sink->arg, i, &mine);
}

static void
answer(strange *s, const zinc_get *r, size_t i, const zinc_sink *sink)
{
	const bool chunk = strstr(r->key, "/c/") != NULL;
	const unsigned g = chunk && s->flips ? atomic_fetch_add(&s->turn, 1) % 2 : 0;
	const zinc_tag tag = {s->tags, {(uint8_t)(g + 1)}};
	liar l = {sink, chunk ? s->lie : 0};
	const zinc_sink k = {sizeof k, liar_room, liar_done, &l};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st;

	st = chunk && s->fails ? zinc_fail(&e, ZINC_E_IO, "request %zu failed", i)
			       : zinc_store_get_all(s->generation[g], r->key, &b, NULL, 0, NULL, &e);
	if (st == ZINC_OK)
		zinc_sink_serve(&k, i, r, b.nbytes, &tag, bring, b.data, NULL);
	else if (st == ZINC_E_NOTFOUND)
		zinc_sink_missing(sink, i);
	else
		zinc_sink_failed(sink, i, st, &e);
	zinc_blob_fini(&b);
}

static void *
serve(void *arg)
{
	const server *mine = arg;
	serving *x = mine->x;
	size_t i;

	pthread_barrier_wait(&x->start);
	for (i = mine->first; i < x->n; i += mine->step)
		answer(x->s, &x->requests[i], i, x->sink);
	return NULL;
}

static zinc_status
strange_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	    zinc_error *err)
{
	serving x = {.s = self, .requests = requests, .n = n, .sink = sink};
	const unsigned n_threads = x.s->threads;
	pthread_t threads[THREADS];
	server servers[THREADS] = {{&x, 0, 1}};
	unsigned t;

	(void)wait, (void)err;
	pthread_barrier_init(&x.start, NULL, n_threads > 0 ? n_threads : 1);
	for (t = 0; t < n_threads; t++) {
		servers[t] = (server){&x, t, n_threads};
		assert_int_equal(pthread_create(&threads[t], NULL, serve, &servers[t]), 0);
	}
	if (n_threads == 0)
		serve(&servers[0]);
	for (t = 0; t < n_threads; t++)
		pthread_join(threads[t], NULL);
	pthread_barrier_destroy(&x.start);
	return ZINC_OK;
}

static void
strange_caps(void *self, zinc_caps *out)
{
	const strange *s = self;

	*out =
	    (zinc_caps){.flags = ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST, .parallel = 8};
	if (s->tags)
		out->flags |= ZINC_CAP_TAGS;
}

static void
strange_close(void *self)
{
	(void)self;
}

static zinc_status
strange_list_dir(void *self, const char *prefix, zinc_entry_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list_dir(((strange *)self)->generation[0], prefix, fn, arg, wait, err);
}

static zinc_status
strange_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list(((strange *)self)->generation[0], prefix, fn, arg, wait, err);
}

static const zinc_store_ops ops = {.size = sizeof ops,
				   .name = "strange",
				   .get = strange_get,
				   .caps = strange_caps,
				   .close = strange_close,
				   .list = strange_list,
				   .list_dir = strange_list_dir};

/* ---- the arrays ---- */

static uint16_t v[ROWS * COLS];

static void
fill(zinc_store *store, uint16_t x)
{
	static const uint64_t shape[] = {ROWS, COLS}, chunks[] = {CHUNK_ROWS, COLS}, small[] = {8, 512};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	int i;

	for (i = 0; i < ROWS * COLS; i++)
		v[i] = x;
	assert_ok(zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.create = 1), &err));
	assert_ok(zinc_group_create(h, "/", NULL, 0, NULL, &err));
	for (i = 0; i < 2; i++) {
		assert_ok(zinc_array_create(&a, h, i ? "shards" : "raw",
					    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "uint16",
							       .chunks = i ? small : chunks,
							       .shards = i ? chunks : NULL, .codecs = "none"),
					    &err));
		assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
		zinc_array_close(a);
	}
	zinc_hierarchy_close(h);
}

typedef struct scene {
	strange s;
	zinc_store *store;
	zinc_hierarchy *h;
	zinc_array *raw, *shards;
} scene;

static void
scene_open(scene *x, bool tags, unsigned threads)
{
	zinc_error err = ZINC_ERROR_INIT;
	int g;

	memset(x, 0, sizeof *x);
	x->s.tags = tags;
	x->s.threads = threads;
	for (g = 0; g < 2; g++) {
		assert_ok(zinc_store_open(&x->s.generation[g], "memory://", NULL, &err));
		fill(x->s.generation[g], (uint16_t)(g + 1));
	}
	assert_ok(zinc_store_wrap(&x->store, NULL, &ops, &x->s, "strange://", &err));
	assert_ok(zinc_hierarchy_open(&x->h, x->store, "", NULL, &err));
	assert_ok(zinc_array_open(&x->raw, x->h, "raw", NULL, &err));
	assert_ok(zinc_array_open(&x->shards, x->h, "shards", NULL, &err));
}

static void
scene_close(scene *x)
{
	zinc_array_close(x->raw);
	zinc_array_close(x->shards);
	zinc_hierarchy_close(x->h);
	zinc_store_close(x->store);
	zinc_store_close(x->s.generation[0]);
	zinc_store_close(x->s.generation[1]);
}

/* Rows, bands with gaps, parts of rows; of one object each. */
static const char *const selections[] = {"0:64:8, :", "1:60:9, 100:2200", "5:64:20, 10:30", "3:50, 7",
					 "0:9, 0:600:512"};

static zinc_status
read_text(zinc_array *a, const char *text, size_t *n, zinc_error *err)
{
	uint64_t shape[ZINC_MAX_NDIM];
	zinc_selection *s = NULL;
	zinc_status st;
	int ndim, d;

	*n = 1;
	ZINC_TRY(zinc_selection_parse(&s, a, text, err));
	assert_int_equal(zinc_array_selection_shape(a, s, &ndim, shape, NULL), ZINC_OK);
	for (d = 0; d < ndim; d++)
		*n *= (size_t)shape[d];
	memset(v, 0, sizeof v);
	st = zinc_array_read(a, s, ZINC_BUFFER(v, *n * sizeof *v), NULL, err);
	zinc_selection_free(s);
	return st;
}

static zinc_status
read_points(zinc_array *a, size_t *n, zinc_error *err)
{
	static const uint64_t points[] = {0, 0, 63, 4095, 31, 7, 8, 2000, 12, 12};
	const zinc_selection p = {.size = sizeof(zinc_selection),
				  .kind = ZINC_SELECT_POINTS,
				  .ndim = 2,
				  .points = points,
				  .npoints = COUNT(points) / 2};

	*n = COUNT(points) / 2;
	memset(v, 0, sizeof v);
	return zinc_array_read(a, &p, ZINC_BUFFER(v, sizeof v), NULL, err);
}

/* A successful read is of one generation; a read that met too many changes may fail, and only if tags show them. */
static void
check(zinc_array *a, bool may_conflict)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t k, i, n, conflicts = 0;

	for (k = 0; k <= COUNT(selections); k++) {
		zinc_status st =
		    k < COUNT(selections) ? read_text(a, selections[k], &n, &err) : read_points(a, &n, &err);

		if (st == ZINC_E_CONFLICT) {
			conflicts++;
			continue;
		}
		if (st != ZINC_OK)
			fail_msg("%s", zinc_error_text(&err));
		for (i = 0; i < n; i++)
			if (v[i] != v[0] || v[i] == 0)
				fail_msg("selection %zu: element 0 is of generation %d, element %zu of %d", k, v[0], i,
					 v[i]);
	}
	assert_true(may_conflict || conflicts == 0);
}

static void
one_generation(void **state)
{
	int round, tags;
	scene x;

	(void)state;
	for (tags = 0; tags < 2; tags++) {
		scene_open(&x, tags, 0);
		x.s.flips = true;
		for (round = 0; round < 4; round++) {
			check(x.raw, false);
			check(x.shards, tags);
		}
		scene_close(&x);
	}
}

/* The same through the layer that joins chunks to shards. */
static void
one_generation_through_a_layer(void **state)
{
	static const uint64_t per_shard[] = {2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *sharded = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	uint8_t bytes[300];
	int g, i, tags;
	scene x;

	(void)state;
	for (tags = 0; tags < 2; tags++) {
		scene_open(&x, tags, 0);
		/* chunk 1 begins at 100 + 100 * g, so that an index of one generation leads to the middle of another's */
		for (g = 0; g < 2; g++) {
			assert_ok(zinc_store_sharded(
			    &sharded, x.s.generation[g],
			    ZINC_SHARDED_OPTIONS(.prefix = "s/", .ndim = 1, .chunks_per_shard = per_shard), &err));
			memset(bytes, 9, sizeof bytes);
			assert_ok(zinc_store_put(sharded, NULL, "s/c/0", bytes, (size_t)(100 + 100 * g), NULL, 0, NULL,
						 NULL, &err));
			memset(bytes, g + 1, sizeof bytes);
			assert_ok(zinc_store_put(sharded, NULL, "s/c/1", bytes, 200, NULL, 0, NULL, NULL, &err));
			zinc_store_close(sharded);
		}
		assert_ok(zinc_store_sharded(
		    &sharded, x.store, ZINC_SHARDED_OPTIONS(.prefix = "s/", .ndim = 1, .chunks_per_shard = per_shard),
		    &err));
		x.s.flips = true;
		for (i = 0; i < 4; i++) {
			zinc_status st = zinc_store_get_all(sharded, "s/c/1", &b, NULL, 0, NULL, &err);

			if (st != ZINC_OK && !(tags && st == ZINC_E_CONFLICT))
				fail_msg("%s", zinc_error_text(&err));
			for (size_t k = 0; st == ZINC_OK && k < b.nbytes; k++)
				assert_true(((uint8_t *)b.data)[k] == ((uint8_t *)b.data)[0] &&
					    ((uint8_t *)b.data)[k] != 9);
			zinc_blob_fini(&b);
		}
		zinc_store_close(sharded);
		scene_close(&x);
	}
}

static int
count_node(void *arg, const zinc_node *node)
{
	assert_null(node->problem);
	++*(int *)arg;
	return 0;
}

static void
many_threads_call_done(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	int tags, nodes = 0;
	size_t n;
	scene x;

	(void)state;
	for (tags = 0; tags < 2; tags++) {
		scene_open(&x, tags, THREADS);
		check(x.raw, false);
		check(x.shards, false);
		nodes = 0;
		assert_ok(zinc_node_walk(x.h, "/", -1, count_node, &nodes, NULL, &err));
		assert_int_equal(nodes, 3);
		x.s.fails = true; /* each with its own error */
		assert_int_equal(read_text(x.raw, selections[0], &n, &err), ZINC_E_IO);
		assert_non_null(strstr(zinc_error_text(&err), "raw/c/0/0: chunk 0,0: request "));
		assert_int_equal(read_points(x.raw, &n, &err), ZINC_E_IO);
		assert_int_equal(read_text(x.shards, selections[0], &n, &err), ZINC_E_IO);
		scene_close(&x);
	}
}

static void
incomplete_answers(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	size_t n;
	scene x;

	(void)state;
	scene_open(&x, true, 0);
	for (x.s.lie = 1; x.s.lie <= 2; x.s.lie++) {
		assert_int_equal(zinc_store_get_all(x.store, "raw/c/0/0", &b, NULL, 0, NULL, &err), ZINC_E_IO);
		assert_non_null(strstr(zinc_error_text(&err), "raw/c/0/0: the store's answer"));
		assert_int_equal(read_text(x.raw, selections[0], &n, &err), ZINC_E_IO);
		assert_int_equal(read_text(x.shards, selections[0], &n, &err), ZINC_E_IO);
	}
	scene_close(&x);
}

static void
failures_without_a_reason(void **state)
{
	zinc_blob b = ZINC_BLOB_INIT;
	size_t n;
	scene x;

	(void)state;
	scene_open(&x, true, 0);
	for (x.s.lie = 3; x.s.lie <= 6; x.s.lie++) {
		zinc_error err = ZINC_ERROR_INIT;

		assert_int_equal(zinc_store_get_all(x.store, "raw/c/0/0", &b, NULL, 0, NULL, &err), ZINC_E_IO);
		assert_int_equal(zinc_error_status(&err), ZINC_E_IO);
		assert_non_null(strstr(zinc_error_text(&err), "raw/c/0/0: "));
		assert_int_equal(read_text(x.raw, selections[0], &n, &err), ZINC_E_IO);
		assert_int_equal(read_text(x.shards, selections[0], &n, &err), ZINC_E_IO);
		assert_int_equal(zinc_error_status(&err), ZINC_E_IO);
	}
	scene_close(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_generation),
	    cmocka_unit_test(one_generation_through_a_layer),
	    cmocka_unit_test(many_threads_call_done),
	    cmocka_unit_test(incomplete_answers),
	    cmocka_unit_test(failures_without_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
