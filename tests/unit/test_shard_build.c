/*
 * test_shard_build.c - an old shard and new inner chunks become a new one, part by part
 */
#include <string.h>

#include "shard/shard.h"
#include "support/test.h"

#define CHUNKS 4u
#define INDEX  (16 * CHUNKS)

typedef struct fixture {
	zinc_context *ctx;
	zinc_scratch *scratch;
	zinc_shard *sh;
	zinc_shard_layout l;
	zinc_buf memory, fresh, to, joined;
	zinc_shard_build b;
} fixture;

static int
setup(void **state)
{
	static const uint64_t per_shard[] = {CHUNKS};
	static fixture f;
	zinc_error err = ZINC_ERROR_INIT;

	memset(&f, 0, sizeof f);
	f.ctx = zinc_context_get(NULL);
	f.scratch = zinc_scratch_get(f.ctx);
	assert_non_null(f.scratch);
	assert_ok(zinc_shard_new_indexed(&f.sh, f.ctx, 1, per_shard, &err));
	assert_ok(zinc_shard_layout_init(&f.l, f.sh, per_shard, &err));
	zinc_buf_init(&f.memory, f.ctx, 0);
	zinc_buf_init(&f.fresh, f.ctx, 0);
	zinc_buf_init(&f.to, f.ctx, 0);
	zinc_buf_init(&f.joined, f.ctx, 0);
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	fixture *f = *state;

	zinc_buf_fini(&f->memory);
	zinc_buf_fini(&f->fresh);
	zinc_buf_fini(&f->to);
	zinc_buf_fini(&f->joined);
	zinc_shard_free(f->sh);
	zinc_scratch_put(f->scratch);
	return 0;
}

/* The test's function for the new shard. */
typedef void (*steps)(zinc_shard_build *b);

typedef struct run {
	fixture *f;
	steps steps;
} run;

static zinc_status
splice(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	const run *r = arg;
	fixture *f = r->f;

	ZINC_TRY(zinc_shard_build_begin(&f->b, &f->l, &f->memory, 7, &f->fresh, 100, err));
	memset(f->b.behind, 1, 7);
	ZINC_TRY(zinc_shard_build_load(&f->b, f->scratch, old->found ? old : NULL, &f->to, err));
	r->steps(&f->b);
	out->erase = zinc_shard_build_is_empty(&f->b);
	return out->erase ? ZINC_OK : zinc_shard_build_end(&f->b, f->scratch, out, err);
}

/* The new shard, in f->joined. */
static void
make(fixture *f, const uint8_t *old, size_t nold, steps what)
{
	const zinc_bytes bytes = {old, nold};
	zinc_update u = {.size = sizeof u};
	zinc_error err = ZINC_ERROR_INIT;
	run r = {f, what};

	assert_ok(zinc_splice_whole(splice, &r, old ? &bytes : NULL, &f->joined, &u, &err));
}

/* Bytes [offset, offset + nbytes) of the new shard, as in its index. */
static void
assert_chunk(const fixture *f, unsigned position, const char *text)
{
	const zinc_shard_entry *e = &f->b.now[position];

	assert_int_equal(e->nbytes, strlen(text));
	assert_memory_equal(f->joined.p + e->offset, text, strlen(text));
}

static void
make_all(zinc_shard_build *b)
{
	zinc_error err = ZINC_ERROR_INIT;
	unsigned i;

	for (i = 0; i < CHUNKS; i++) {
		const size_t begin = b->fresh->n;

		assert_ok(zinc_buf_add(b->fresh, &"aabbccdd"[2 * i], 2, &err));
		zinc_shard_build_encoded(b, i, begin);
	}
}

static void
change_one(zinc_shard_build *b)
{
	zinc_shard_build_keep(b, 0);
	zinc_shard_build_keep(b, 1);
	zinc_shard_build_put(b, 2, (const uint8_t *)"new", 3);
	zinc_shard_build_keep(b, 3);
}

static void
erase_and_make(zinc_shard_build *b)
{
	zinc_error err = ZINC_ERROR_INIT;
	const size_t begin = b->fresh->n;

	zinc_shard_build_erase(b, 0);
	assert_ok(zinc_buf_add(b->fresh, "BB", 2, &err)); /* at 0 of the new bytes, as the next is at 4 of the old */
	zinc_shard_build_encoded(b, 1, begin);
	zinc_shard_build_keep(b, 2);
	zinc_shard_build_put(b, 3, NULL, 0);
}

static void
append_one(zinc_shard_build *b)
{
	zinc_shard_build_append(b, 8 + INDEX);
	zinc_shard_build_put(b, 1, (const uint8_t *)"behind", 6);
	zinc_shard_build_erase(b, 3);
}

static void
erase_all(zinc_shard_build *b)
{
	unsigned i;

	for (i = 0; i < CHUNKS; i++)
		zinc_shard_build_erase(b, i);
}

/* shard_build.c (1) (2) */
static void
test_new(void **state)
{
	fixture *f = *state;

	make(f, NULL, 0, make_all);
	assert_int_equal(f->b.nparts, 1);
	assert_int_equal(f->joined.n, 8 + INDEX);
	assert_memory_equal(f->joined.p, "aabbccdd", 8);
	assert_int_equal(f->joined.p[8 + 16 * 3], 6); /* the offset of the last, little-endian */
	assert_chunk(f, 3, "dd");
}

/* shard_build.c (1) (2) */
static void
test_change(void **state)
{
	fixture *f = *state;
	uint8_t old[8 + INDEX];

	make(f, NULL, 0, make_all);
	memcpy(old, f->joined.p, sizeof old);
	make(f, old, sizeof old, change_one);
	assert_int_equal(f->b.nparts, 4); /* aabb, new, dd, index */
	assert_memory_equal(f->joined.p, "aabbnewdd", 9);
	assert_chunk(f, 1, "bb");
	assert_chunk(f, 2, "new");
	assert_chunk(f, 3, "dd");
	make(f, old, sizeof old, erase_and_make);
	assert_int_equal(f->joined.n, 4 + INDEX);
	assert_true(zinc_shard_entry_empty(&f->b.now[0]));
	assert_chunk(f, 1, "BB");
	assert_chunk(f, 2, "cc");
	assert_chunk(f, 3, "");
}

static void
test_append(void **state)
{
	fixture *f = *state;
	uint8_t old[8 + INDEX];

	make(f, NULL, 0, make_all);
	memcpy(old, f->joined.p, sizeof old);
	make(f, old, sizeof old, append_one);
	assert_int_equal(f->joined.n, sizeof old + 6 + INDEX);
	assert_memory_equal(f->joined.p, old, sizeof old);
	assert_chunk(f, 0, "aa");
	assert_chunk(f, 1, "behind");
	assert_true(zinc_shard_entry_empty(&f->b.now[3]));
	make(f, old, sizeof old, erase_all);
	assert_true(zinc_shard_build_is_empty(&f->b));
}

/* shard_build.c (3) */
static void
test_index_at_start(void **state)
{
	fixture *f = *state;
	uint8_t old[8 + INDEX];

	f->sh->index_at_start = true;
	make(f, NULL, 0, make_all);
	assert_int_equal(f->b.nparts, 1);
	assert_int_equal(f->joined.n, 8 + INDEX);
	assert_memory_equal(f->joined.p + INDEX, "aabbccdd", 8);
	assert_int_equal(f->joined.p[16 * 3], INDEX + 6);
	memcpy(old, f->joined.p, sizeof old);
	make(f, old, sizeof old, change_one);
	assert_memory_equal(f->joined.p + INDEX, "aabbnewdd", 9);
	assert_chunk(f, 2, "new");
	assert_chunk(f, 3, "dd");
}

static void
test_damaged(void **state)
{
	fixture *f = *state;
	const uint8_t old[10] = {0};
	const zinc_bytes bytes = {old, sizeof old};
	zinc_update u = {.size = sizeof u};
	zinc_error err = ZINC_ERROR_INIT;
	run r = {f, change_one};

	assert_int_equal(zinc_splice_whole(splice, &r, &bytes, &f->joined, &u, &err), ZINC_E_CORRUPT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_new, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_change, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_append, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_index_at_start, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
