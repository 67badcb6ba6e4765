/*
 * test_shard_read.c - selections of open shards; numbers are the promises of src/array/shard_read.c
 *
 * An array of 8 x 8 elements in four shards of four inner chunks each, 8 bytes long, in a remote store.  Element
 * (r, c) is r * 8 + c + 1, and 100 more in the second generation.  Promise 4 is tested in test_shard_grid.c.
 */
#include <stdio.h>

#include "array/engine.h"
#include "support/remote_store.h"
#include "support/arrays.h"
#include "support/test.h"

#define FIRST "a/c/0/0" /* the first shard */

typedef struct scene {
	stage s;
	remote_store remote;
	zinc_store *store;
	zinc_hierarchy *h;
	zinc_array *local, *a;
	zinc_blob other[2]; /* the first shard in both generations */
	unsigned flips;     /* how often it is replaced */
	uint64_t flipped;
} scene;

static void
store_generation(scene *x, unsigned which)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_blob *b = &x->other[which % 2];

	assert_ok(zinc_store_put(x->s.memory, NULL, FIRST, b->data, b->nbytes, NULL, 0, NULL, NULL, &err));
}

/* Before each answer: another generation of the shard, as long as there are flips left. */
static void
flip(void *arg, uint64_t answers, const zinc_get *get)
{
	scene *x = arg;

	(void)answers;
	if (strcmp(get->key, FIRST) == 0 && get->if_tag && x->flipped < x->flips)
		store_generation(x, (unsigned)++x->flipped);
}

static void
make_generations(scene *x)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[16];

	assert_ok(zinc_store_get_all(x->s.memory, FIRST, &x->other[0], NULL, 0, NULL, &err));
	for (uint16_t i = 0; i < 16; i++)
		v[i] = (uint16_t)(i / 4 * 8 + i % 4 + 101);
	assert_ok(zinc_array_write_text(x->local, "0:4, 0:4", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_ok(zinc_store_get_all(x->s.memory, FIRST, &x->other[1], NULL, 0, NULL, &err));
	store_generation(x, 0);
}

static void
scene_open(scene *x, uint64_t merge_gap, bool no_tags)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(x, 0, sizeof *x);
	x->other[0] = x->other[1] = (zinc_blob)ZINC_BLOB_INIT;
	stage_open(&x->s, 2, 0);
	x->local = stage_array(&x->s, "a", 8, 8, 2, 2, 4, 4, "none");
	stage_fill(x->local);
	make_generations(x);
	x->remote = (remote_store){.local = x->s.memory, .parallel = 8, .merge_gap = merge_gap, .no_tags = no_tags};
	x->store = remote_store_open(&x->remote, x->s.ctx);
	assert_ok(zinc_hierarchy_open(&x->h, x->store, "", ZINC_OPEN_OPTIONS(.context = x->s.ctx), &err));
	assert_ok(zinc_array_open(&x->a, x->h, "a", NULL, &err));
	x->remote.before = flip;
	x->remote.arg = x;
	x->remote.calls = x->remote.requests = 0;
	x->remote.most_open = 0;
}

static void
scene_close(scene *x)
{
	zinc_blob_fini(&x->other[0]);
	zinc_blob_fini(&x->other[1]);
	zinc_array_close(x->a);
	zinc_array_close(x->local);
	zinc_hierarchy_close(x->h);
	zinc_store_close(x->store);
	stage_close(&x->s);
}

/* The file's own door: a call, a plan and a target, without read.c around them. */
static zinc_status
read_shards(scene *x, const char *text, uint16_t *v, size_t n, const zinc_io_options *o, zinc_error *err)
{
	zinc_error ok = ZINC_ERROR_INIT;
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_UINT16, v, n * sizeof *v);
	zinc_selection *sel = NULL;
	zinc_status st;
	zinc_target t;
	zinc_plan p;
	zinc_call c;
	zinc_job j = {.c = &c, .p = &p, .t = &t};

	if (zinc_selection_parse(&sel, x->a, text, &ok) || zinc_call_begin(&c, x->a, o, &ok) ||
	    zinc_plan_init(&p, c.ctx, c.m, sel, &ok) || zinc_target_init(&t, c.m, &p.sel, &b, 0, false, &ok))
		fail_msg("%s: %s", text, ok.text);
	x->remote.calls = x->remote.requests = 0;
	st = zinc_job_read_shards(&j, err);
	zinc_plan_fini(&p);
	zinc_selection_free(sel);
	return zinc_call_end(&c, st, err);
}

/* (1) A shard that is replaced after its index was read is read again: all elements are of the new generation. */
static void
test_one_generation(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[16];
	scene x;

	(void)state;
	scene_open(&x, 0, false);
	x.flips = 1;
	assert_ok(read_shards(&x, "0:4, 0:4", v, 16, NULL, &err));
	for (uint16_t i = 0; i < 16; i++)
		assert_int_equal(v[i], i / 4 * 8 + i % 4 + 101);
	assert_int_equal(x.flipped, 1);
	scene_close(&x);
}

/* (1) A shard that keeps changing is E_CONFLICT, which names it, after eight tries. */
static void
test_conflict(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[16];
	scene x;

	(void)state;
	scene_open(&x, 0, false);
	x.flips = UINT32_MAX;
	assert_int_equal(read_shards(&x, "0:4, 0:4", v, 16, NULL, &err), ZINC_E_CONFLICT);
	assert_string_equal(err.key, FIRST);
	assert_int_equal(x.flipped, ZINC_SHARD_TRIES);
	scene_close(&x);
}

/* (1) Without a tag nothing shows that ranges belong to the index: the shard is read whole, in one request. */
static void
test_no_tags(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[4];
	scene x;

	(void)state;
	scene_open(&x, 0, true);
	assert_ok(read_shards(&x, "2:4, 0:2", v, 4, NULL, &err));
	assert_int_equal(x.remote.requests, 1);
	assert_true(v[0] == 17 && v[1] == 18 && v[2] == 25 && v[3] == 26);
	scene_close(&x);
}

/* (2) Neighbours are one range; others are when the gap between them is cheap. */
static void
test_merge(void **state)
{
	static const struct {
		const char *text;
		uint64_t gap, requests; /* the index is one of them */
	} rows[] = {
	    {"0:2, 0:4", 0, 2}, /* inner chunks 0 and 1 */
	    {"0:4, 0:2", 0, 3}, /* 0 and 2 */
	    {"0:4, 0:2", 7, 3},
	    {"0:4, 0:2", 8, 2},
	};
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[8];
	scene x;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		scene_open(&x, rows[i].gap, false);
		assert_ok(read_shards(&x, rows[i].text, v, 8, NULL, &err));
		assert_int_equal(x.remote.requests, rows[i].requests);
		assert_int_equal(v[0], 1);
		assert_int_equal(v[7], i == 0 ? 12 : 26);
		scene_close(&x);
	}
}

/* (3) All indexes in one call, then inner chunks of all shards in another. */
static void
test_together(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[64];
	scene x;

	(void)state;
	scene_open(&x, 0, false);
	assert_ok(read_shards(&x, ":, :", v, 64, NULL, &err));
	for (uint16_t i = 0; i < 64; i++)
		assert_int_equal(v[i], i + 1);
	assert_int_equal(x.remote.calls, 2);
	assert_int_equal(x.remote.requests, 8);
	scene_close(&x);
}

/* (5) A remote shard that is shorter than the gap is had in one request. */
static void
test_small(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[1];
	scene x;

	(void)state;
	scene_open(&x, 4096, false);
	assert_ok(read_shards(&x, "5, 6", v, 1, NULL, &err));
	assert_int_equal(v[0], 47);
	assert_int_equal(x.remote.requests, 1);
	scene_close(&x);
}

/* Missing elements are the fill value, or E_NOTFOUND on request. */
static void
test_missing(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[16];
	scene x;

	(void)state;
	scene_open(&x, 0, false);
	assert_ok(zinc_store_del(x.s.memory, NULL, FIRST, NULL, 0, NULL, &err));
	memset(v, 0xff, sizeof v);
	assert_ok(read_shards(&x, "0:4, 0:4", v, 16, NULL, &err));
	for (int i = 0; i < 16; i++)
		assert_int_equal(v[i], 0);
	assert_int_equal(read_shards(&x, "0:4, 0:4", v, 16, ZINC_IO_OPTIONS(.missing_is_error = 1), &err),
			 ZINC_E_NOTFOUND);
	assert_non_null(strstr(err.text, "the shard is not stored"));
	scene_close(&x);
}

/* An error names the elements of the inner chunk, also when the shard is read in one request. */
static void
test_region(void **state)
{
	static const uint64_t gaps[] = {0, 4096};
	static const uint16_t none[4];
	uint16_t v[16];
	scene x;

	(void)state;
	for (size_t i = 0; i < COUNT(gaps); i++) {
		zinc_error err = ZINC_ERROR_INIT;

		scene_open(&x, gaps[i], false);
		assert_ok(zinc_array_write_text(x.local, "2:4, 0:2", ZINC_BUFFER((void *)(uintptr_t)none, sizeof none),
						NULL, &err));
		assert_int_equal(read_shards(&x, "0:4, 0:4", v, 16, ZINC_IO_OPTIONS(.missing_is_error = 1), &err),
				 ZINC_E_NOTFOUND);
		assert_string_equal(err.region, "2:4, 0:2");
		scene_close(&x);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_generation), cmocka_unit_test(test_conflict), cmocka_unit_test(test_no_tags),
	    cmocka_unit_test(test_merge),          cmocka_unit_test(test_together), cmocka_unit_test(test_small),
	    cmocka_unit_test(test_missing),        cmocka_unit_test(test_region),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
