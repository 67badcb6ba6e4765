/*
 * test_accessors.c - accessors of a handle while its snapshots change (the promises of facts.c, by number)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zinc/store.h>

#include "support/arrays.h"
#include "support/sweep.h"
#include "support/test.h"

static zinc_array *
make(stage *s, const char *dtype, uint64_t rows)
{
	static const char *const names[] = {"row", NULL};
	const uint64_t shape[] = {rows, 3}, chunks[] = {2, 3};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, s->h, "a",
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = dtype, .chunks = chunks,
						       .dimension_names = names, .fill = "7", .overwrite = 1),
				    &err));
	return a;
}

/* (1) a returned pointer stays valid, with the same contents, until the handle is closed. */
static void
lent_pointers_hold(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	const uint64_t *shape[20];
	const char *dtype, *name, *unsupported;
	const void *fill;
	zinc_array *a;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	a = make(&s, "{\"name\": \"numpy.datetime64\", \"configuration\": {\"unit\": \"s\", \"scale_factor\": 1}}", 5);
	dtype = zinc_array_dtype(a);
	name = zinc_array_dimension_name(a, 0);
	fill = zinc_array_fill(a);
	unsupported = zinc_array_unsupported(a);
	for (uint64_t i = 0; i < COUNT(shape); i++) {
		assert_ok(zinc_array_resize(a, (uint64_t[]){i + 1, 3}, NULL, &err));
		shape[i] = zinc_array_shape(a);
	}
	zinc_array_close(make(&s, "int16", 7));
	for (int i = 0; i < 3; i++) {
		assert_ok(zinc_array_refresh(a, NULL, &err));
		assert_string_equal(zinc_array_dtype(a), "int16");
		assert_ptr_equal(zinc_array_shape(a), zinc_array_shape(a));
	}
	for (uint64_t i = 0; i < COUNT(shape); i++)
		assert_true(shape[i][0] == i + 1 && shape[i][1] == 3);
	assert_non_null(strstr(dtype, "numpy.datetime64"));
	assert_string_equal(name, "row");
	assert_null(zinc_array_dimension_name(a, 1));
	assert_null(unsupported);
	assert_int_equal(*(const int64_t *)fill, 7);
	assert_int_equal(zinc_array_shape(a)[0], 7);
	zinc_array_close(a);
	stage_close(&s);
}

/* (2) memory is kept only for returned pointers. */
static void
what_nobody_saw_is_not_kept(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	sweep_memory m;
	zinc_context *ctx = NULL;
	zinc_array *a = NULL;
	const uint64_t one = 1;
	long before;

	(void)state; /* also if the fill value is text, and was requested */
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator, .threads = 1), &err));
	assert_ok(zinc_array_create_url(&a, "memory://accessors/a",
					ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &one, .dtype = "int8"),
					ZINC_OPEN_OPTIONS(.context = ctx), &err));
	assert_ok(zinc_array_resize(a, (uint64_t[]){2}, NULL, &err));
	before = m.blocks;
	for (uint64_t i = 1; i < 50; i++)
		assert_ok(zinc_array_resize(a, &i, NULL, &err));
	assert_true(m.blocks <= before);
	zinc_array_close(a);
	assert_ok(zinc_array_create_url(
	    &a, "memory://accessors/b",
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &one, .dtype = "string", .codecs = "none", .fill = "\"many words\""),
	    ZINC_OPEN_OPTIONS(.context = ctx), &err));
	assert_memory_equal(((const zinc_vlen *)zinc_array_fill(a))->data, "many words", 10);
	assert_ok(zinc_array_refresh(a, NULL, &err));
	before = m.blocks;
	for (int i = 0; i < 50; i++) {
		assert_ok(zinc_array_refresh(a, NULL, &err));
		assert_memory_equal(((const zinc_vlen *)zinc_array_fill(a))->data, "many words", 10);
	}
	assert_true(m.blocks <= before);
	zinc_array_close(a);
	zinc_context_free(ctx);
}

/* ---- while others change the array ---- */

typedef struct crowd {
	zinc_array *a;
	atomic_bool stop;
} crowd;

static void *
look(void *arg)
{
	crowd *c = arg;

	while (!atomic_load(&c->stop)) {
		const uint64_t *shape = zinc_array_shape(c->a);
		uint64_t grid[ZINC_MAX_NDIM];
		zinc_error err = ZINC_ERROR_INIT;
		zinc_blob json = ZINC_BLOB_INIT;

		assert_true(shape[0] >= 1 && shape[0] <= 40 && shape[1] == 3);
		assert_string_equal(zinc_array_dtype(c->a), "uint16");
		assert_string_equal(zinc_array_dimension_name(c->a, 0), "row");
		assert_int_equal(zinc_array_variable(c->a), 0);
		assert_int_equal(zinc_array_ndim(c->a), 2);
		assert_int_equal(zinc_array_element_size(c->a), 2);
		assert_int_equal(zinc_array_type(c->a), ZINC_UINT16);
		assert_int_equal(*(const uint16_t *)zinc_array_fill(c->a), 7);
		assert_null(zinc_array_unsupported(c->a));
		assert_int_equal(zinc_array_chunk_shape(c->a, grid), 1);
		assert_int_equal(zinc_array_grid_shape(c->a, grid), 1);
		assert_ok(zinc_array_describe(c->a, &json, &err));
		zinc_blob_fini(&json);
		assert_true(shape[0] >= 1 && shape[0] <= 40);
	}
	return NULL;
}

static void *
refresh(void *arg)
{
	crowd *c = arg;
	zinc_error err = ZINC_ERROR_INIT;

	while (!atomic_load(&c->stop))
		assert_ok(zinc_array_refresh(c->a, NULL, &err));
	return NULL;
}

static void
beside_resize(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	pthread_t threads[4];
	int older = 0;
	crowd c;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	c.a = make(&s, "uint16", 5);
	atomic_init(&c.stop, false);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, i < 3 ? look : refresh, &c), 0);
	for (int i = 0; i < MANY(2000) + 20; i++) {
		const uint64_t rows = 1 + (uint64_t)i % 40;

		assert_ok(zinc_array_resize(c.a, (uint64_t[]){rows, 3}, NULL, &err));
		older += zinc_array_shape(c.a)[0] != rows; /* no other thread resizes */
	}
	atomic_store(&c.stop, true);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(older, 0);
	zinc_array_close(c.a);
	stage_close(&s);
}

/* ---- a refresh whose document is old when it arrives ---- */

typedef struct slow {
	zinc_array *a;
	pthread_t thread;
	bool armed;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool resized;
} slow;

static void *
resize(void *arg)
{
	slow *x = arg;
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_array_resize(x->a, (uint64_t[]){9, 3}, NULL, &err));
	pthread_mutex_lock(&x->lock);
	x->resized = true;
	pthread_cond_signal(&x->cond);
	pthread_mutex_unlock(&x->lock);
	return NULL;
}

/* The document has been read and not yet been used: now another thread resizes.  It may have to wait for us, so we do
 * not wait for it without limit. */
static void
between(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	slow *x = arg;
	struct timespec until;

	(void)nbytes, (void)st;
	if (!x->armed || strcmp(operation, "get") != 0 || strcmp(key, "a/zarr.json") != 0)
		return;
	x->armed = false;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	assert_int_equal(pthread_create(&x->thread, NULL, resize, x), 0);
	pthread_mutex_lock(&x->lock);
	while (!x->resized && pthread_cond_timedwait(&x->cond, &x->lock, &until) == 0)
		;
	pthread_mutex_unlock(&x->lock);
}

static void
refresh_is_never_older(void **state)
{
	slow x = {.lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *log = NULL;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	zinc_array_close(make(&s, "uint16", 5));
	assert_ok(zinc_store_log(&log, s.memory, between, &x, &err));
	assert_ok(zinc_hierarchy_open(&h, log, "", ZINC_OPEN_OPTIONS(.context = s.ctx), &err));
	assert_ok(zinc_array_open(&x.a, h, "a", NULL, &err));
	x.armed = true;
	assert_ok(zinc_array_refresh(x.a, NULL, &err));
	assert_false(x.armed);
	pthread_join(x.thread, NULL);
	assert_int_equal(zinc_array_shape(x.a)[0], 9);
	zinc_array_close(x.a);
	zinc_hierarchy_close(h);
	zinc_store_close(log);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lent_pointers_hold),
	    cmocka_unit_test(what_nobody_saw_is_not_kept),
	    cmocka_unit_test(beside_resize),
	    cmocka_unit_test(refresh_is_never_older),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
