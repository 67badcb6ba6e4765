/*
 * test_cache.c - decoded chunks kept from call to call; numbers are the promises of src/array/cache.c
 */
#include <stdio.h>

#include "array/engine.h"
#include "support/arrays.h"
#include "support/test.h"

enum { ELEMENTS = 64, BYTES = ELEMENTS * 2 };

static const uint64_t shape[] = {8, 8};
static const zinc_tag first = {1, {1}}, second = {1, {2}}, none = {0, {0}};

typedef struct scene {
	stage s;
	zinc_array *a;
	zinc_call call; /* the members that the cache uses */
	zinc_cache *c;
	uint16_t elements[ELEMENTS];
} scene;

static void
scene_open(scene *x, uint64_t cache_bytes)
{
	stage_open(&x->s, 1, cache_bytes);
	x->a = stage_array(&x->s, "a", 8, 8, 8, 8, 0, 0, "none");
	memset(&x->call, 0, sizeof x->call);
	x->call.ctx = x->s.ctx;
	x->call.m = zinc_array_snapshot(x->a);
	x->c = zinc_cache_of(&x->call);
	for (uint16_t i = 0; i < ELEMENTS; i++)
		x->elements[i] = i;
}

static void
scene_close(scene *x)
{
	zinc_meta_free(x->call.m);
	zinc_array_close(x->a);
	stage_close(&x->s);
}

static void
put(scene *x, const char *key, uint64_t unit, const zinc_tag *tag)
{
	const zinc_view v = {(uint8_t *)x->elements, {16, 2}};

	zinc_cache_put(x->c, x->s.memory, key, unit, tag, &v, shape, 2, 2);
}

/* The first element of a found chunk, or -1; it is released at once. */
static int
get(scene *x, zinc_store *store, const char *key, uint64_t unit, const zinc_tag *tag)
{
	void *hold = NULL;
	const uint8_t *bytes = zinc_cache_get(x->c, store, key, unit, tag, shape, 2, 2, &hold);
	uint16_t value;

	if (!bytes)
		return -1;
	memcpy(&value, bytes, sizeof value);
	zinc_cache_release(x->c, hold);
	return value;
}

/* (1) Off without bytes, and for elements that are elsewhere; one for all calls of a context. */
static void
test_off(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	const uint64_t one = 1;
	zinc_array *text = NULL;
	zinc_meta *m;
	scene x;

	(void)state;
	scene_open(&x, 0);
	assert_null(x.c);
	scene_close(&x);
	scene_open(&x, 1 << 20);
	assert_non_null(x.c);
	assert_ptr_equal(zinc_cache_of(&x.call), x.c);
	assert_ok(zinc_array_create(&text, x.s.h, "text",
				    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &one, .dtype = "string"), &err));
	m = zinc_array_snapshot(text);
	assert_null(zinc_cache_of(&(zinc_call){.ctx = x.s.ctx, .m = m}));
	zinc_meta_free(m);
	zinc_array_close(text);
	scene_close(&x);
}

/* (2) An entry is found by store, key and unit, all three. */
static void
test_found(void **state)
{
	scene x;

	(void)state;
	scene_open(&x, 1 << 20);
	x.elements[0] = 5;
	put(&x, "a/c/0/0", 0, &first);
	x.elements[0] = 6;
	put(&x, "a/c/0/0", 1, &first);
	x.elements[0] = 7;
	put(&x, "a/c/0/1", 0, &first);
	assert_int_equal(get(&x, x.s.memory, "a/c/0/0", 0, &first), 5);
	assert_int_equal(get(&x, x.s.memory, "a/c/0/0", 1, &first), 6);
	assert_int_equal(get(&x, x.s.memory, "a/c/0/1", 0, &first), 7);
	assert_int_equal(get(&x, x.s.memory, "a/c/0/1", 1, &first), -1);
	assert_int_equal(get(&x, x.s.log, "a/c/0/0", 0, &first), -1);
	assert_true(zinc_cache_has(x.c, x.s.memory, "a/c/0/0", 1, NULL));
	assert_false(zinc_cache_has(x.c, x.s.memory, "a/c/0/0", 2, NULL));
	x.elements[0] = 8; /* a newer one takes its place */
	put(&x, "a/c/0/0", 0, &second);
	assert_int_equal(get(&x, x.s.memory, "a/c/0/0", 0, NULL), 8);
	scene_close(&x);
}

/* (3) Another tag, shape or size of elements, and the entry is dropped; without a tag nothing is remembered. */
static void
test_stale(void **state)
{
	static const struct {
		uint64_t shape[3];
		int ndim;
		size_t element;
	} others[] = {{{8, 4}, 2, 2},    {{4, 16}, 2, 2}, {{16, 4}, 2, 2},
		      {{8, 8, 1}, 3, 2}, {{64}, 1, 2},    {{8, 8}, 2, 4}};
	void *hold = NULL;
	size_t i;
	scene x;

	(void)state;
	scene_open(&x, 1 << 20);
	put(&x, "k", 0, &first);
	assert_true(zinc_cache_has(x.c, x.s.memory, "k", 0, &first));
	assert_false(zinc_cache_has(x.c, x.s.memory, "k", 0, &second));
	assert_int_equal(get(&x, x.s.memory, "k", 0, &second), -1);
	assert_int_equal(get(&x, x.s.memory, "k", 0, NULL), -1); /* it was dropped */
	for (i = 0; i < COUNT(others); i++) {
		put(&x, "k", 0, &first);
		assert_null(zinc_cache_get(x.c, x.s.memory, "k", 0, NULL, others[i].shape, others[i].ndim,
					   others[i].element, &hold));
		assert_false(zinc_cache_has(x.c, x.s.memory, "k", 0, NULL));
	}
	put(&x, "k", 0, &none);
	assert_false(zinc_cache_has(x.c, x.s.memory, "k", 0, NULL));
	scene_close(&x);
}

/* (4) Cached elements are in C order, whatever the strides of the unit. */
static void
test_order(void **state)
{
	const uint64_t wide[] = {2, 3};
	uint16_t by_columns[] = {1, 4, 2, 5, 3, 6}, got[6];
	const zinc_view v = {(uint8_t *)by_columns, {2, 4}};
	void *hold = NULL;
	const uint8_t *bytes;
	scene x;

	(void)state;
	scene_open(&x, 1 << 20);
	zinc_cache_put(x.c, x.s.memory, "k", 0, &first, &v, wide, 2, 2);
	bytes = zinc_cache_get(x.c, x.s.memory, "k", 0, &first, wide, 2, 2, &hold);
	assert_non_null(bytes);
	memcpy(got, bytes, sizeof got);
	for (uint16_t i = 0; i < 6; i++)
		assert_int_equal(got[i], i + 1);
	zinc_cache_release(x.c, hold);
	scene_close(&x);
}

/* (5) The oldest entries are dropped when the budget is used up; an entry in use stays readable until it is released;
 * a chunk larger than the whole cache is not kept. */
static void
test_bounded(void **state)
{
	const uint8_t *bytes;
	void *hold = NULL;
	uint16_t value;
	char key[16];
	int kept = 0;
	scene x;

	(void)state;
	scene_open(&x, 4096);
	put(&x, "held", 0, &first);
	bytes = zinc_cache_get(x.c, x.s.memory, "held", 0, &first, shape, 2, 2, &hold);
	assert_non_null(bytes);
	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof key, "k%d", i);
		x.elements[1] = (uint16_t)i;
		put(&x, key, 0, &first);
	}
	memcpy(&value, bytes + 2 * (ELEMENTS - 1), sizeof value);
	assert_int_equal(value, ELEMENTS - 1);
	zinc_cache_release(x.c, hold);
	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof key, "k%d", i);
		kept += zinc_cache_has(x.c, x.s.memory, key, 0, NULL);
	}
	assert_in_range(kept, 1, 4096 / BYTES);
	assert_true(zinc_cache_has(x.c, x.s.memory, "k99", 0, NULL));
	assert_false(zinc_cache_has(x.c, x.s.memory, "k0", 0, NULL));
	zinc_context_trim(x.s.ctx);
	assert_false(zinc_cache_has(x.c, x.s.memory, "k99", 0, NULL));
	scene_close(&x);

	scene_open(&x, BYTES - 1);
	put(&x, "k", 0, &first);
	assert_false(zinc_cache_has(x.c, x.s.memory, "k", 0, NULL));
	scene_close(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_off),   cmocka_unit_test(test_found),   cmocka_unit_test(test_stale),
	    cmocka_unit_test(test_order), cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
