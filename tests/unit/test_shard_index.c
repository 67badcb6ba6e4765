/*
 * test_shard_index.c - which bytes of a stored shard are requested, and how they are used
 */
#include <string.h>

#include "shard/shard.h"
#include "support/test.h"

#define CHUNKS 4u
#define INDEX  (16 * CHUNKS)

/* Four chunks of a byte each, "abcd", and their index. */
typedef struct fixture {
	zinc_context *ctx;
	zinc_scratch *scratch;
	zinc_shard *sh;
	zinc_shard_layout l;
	zinc_shard_entry entries[CHUNKS];
	uint8_t bytes[CHUNKS + INDEX];
} fixture;

static int
setup(void **state)
{
	static const uint64_t per_shard[] = {2, 2};
	static fixture f;
	zinc_error err = ZINC_ERROR_INIT;
	unsigned i;

	memset(&f, 0, sizeof f);
	f.ctx = zinc_context_get(NULL);
	f.scratch = zinc_scratch_get(f.ctx);
	assert_non_null(f.scratch);
	assert_ok(zinc_shard_new_indexed(&f.sh, f.ctx, 2, per_shard, &err));
	assert_ok(zinc_shard_layout_init(&f.l, f.sh, per_shard, &err));
	memcpy(f.bytes, "abcd", CHUNKS);
	for (i = 0; i < CHUNKS; i++) {
		f.bytes[CHUNKS + 16 * i] = (uint8_t)i; /* little-endian */
		f.bytes[CHUNKS + 16 * i + 8] = 1;
	}
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	fixture *f = *state;

	zinc_shard_free(f->sh);
	zinc_scratch_put(f->scratch);
	return 0;
}

static zinc_stored_shard
stored(fixture *f, bool tagged)
{
	zinc_stored_shard s = {.layout = &f->l, .found = true, .size = sizeof f->bytes, .entries = f->entries};

	memset(f->entries, 0, sizeof f->entries);
	s.tag.n = tagged;
	return s;
}

static void
test_layout(void **state)
{
	fixture *f = *state;

	assert_int_equal(f->l.n, CHUNKS);
	assert_int_equal(f->l.per_axis[1], 2);
	assert_int_equal(f->l.index_bytes, INDEX);
}

static void
test_index_of_whole(void **state)
{
	fixture *f = *state;
	const zinc_bytes whole = {f->bytes, sizeof f->bytes}, less = {f->bytes, 10};

	assert_ptr_equal(zinc_shard_index_of(&f->l, whole).p, f->bytes + CHUNKS);
	assert_int_equal(zinc_shard_index_of(&f->l, whole).n, INDEX);
	assert_ptr_equal(zinc_shard_index_of(&f->l, less).p, f->bytes);
	assert_int_equal(zinc_shard_index_of(&f->l, less).n, 10);
	f->sh->index_at_start = true;
	assert_ptr_equal(zinc_shard_index_of(&f->l, whole).p, f->bytes);
	assert_int_equal(zinc_shard_index_of(&f->l, whole).n, INDEX);
}

/* shard_index.c (1) */
static void
test_no_tag(void **state)
{
	fixture *f = *state;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_stored_shard s = stored(f, false);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_shard_ask ask;
	bool again;

	assert_int_equal(zinc_shard_first_ask(&f->l, &caps, 1), ZINC_SHARD_ASK_ALL);
	caps.flags = ZINC_CAP_TAGS;
	ask = zinc_shard_first_ask(&f->l, &caps, 1);
	assert_int_equal(ask, ZINC_SHARD_ASK_INDEX);
	assert_int_equal(zinc_shard_request(&f->l, ask, &caps).length, INDEX);
	assert_int_equal(zinc_shard_request(&f->l, ask, &caps).suffix, 1);
	assert_ok(zinc_shard_take(&s, f->scratch, (zinc_bytes){f->bytes + CHUNKS, INDEX}, &ask, &again, &err));
	assert_true(again);
	assert_int_equal(ask, ZINC_SHARD_ASK_ALL);
	assert_true(zinc_shard_request(&f->l, ask, &caps).length == ZINC_TO_END);
	assert_ok(zinc_shard_take(&s, f->scratch, (zinc_bytes){f->bytes, sizeof f->bytes}, &ask, &again, &err));
	assert_false(again);
	assert_int_equal(s.entries[3].offset, 3);
	assert_true(zinc_shard_has(&s, 3));
}

static void
test_tag(void **state)
{
	fixture *f = *state;
	zinc_stored_shard s = stored(f, true);
	zinc_shard_ask ask = ZINC_SHARD_ASK_INDEX;
	zinc_error err = ZINC_ERROR_INIT;
	bool again;

	assert_ok(zinc_shard_take(&s, f->scratch, (zinc_bytes){f->bytes + CHUNKS, INDEX}, &ask, &again, &err));
	assert_false(again);
	assert_int_equal(ask, ZINC_SHARD_ASK_INDEX);
	assert_int_equal(s.entries[2].offset, 2);
	s.size--;
	assert_int_equal(zinc_shard_take(&s, f->scratch, (zinc_bytes){f->bytes + CHUNKS, INDEX}, &ask, &again, &err),
			 ZINC_E_CORRUPT);
}

/* shard_index.c (2) */
static void
test_small(void **state)
{
	fixture *f = *state;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_stored_shard s = stored(f, true);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_shard_ask ask;
	bool again;

	caps.flags = ZINC_CAP_TAGS | ZINC_CAP_REMOTE;
	caps.merge_gap = CHUNKS + INDEX;
	ask = zinc_shard_first_ask(&f->l, &caps, 1);
	assert_int_equal(ask, ZINC_SHARD_ASK_SMALL);
	assert_int_equal(zinc_shard_request(&f->l, ask, &caps).length, CHUNKS + INDEX);
	assert_int_equal(zinc_shard_request(&f->l, ask, &caps).suffix, 0);
	assert_ok(zinc_shard_take(&s, f->scratch, (zinc_bytes){f->bytes, sizeof f->bytes}, &ask, &again, &err));
	assert_false(again);
	assert_int_equal(s.entries[1].offset, 1);
	s.size++;
	assert_ok(zinc_shard_take(&s, f->scratch, (zinc_bytes){f->bytes, sizeof f->bytes}, &ask, &again, &err));
	assert_true(again);
	assert_int_equal(ask, ZINC_SHARD_ASK_INDEX);
	caps.merge_gap--;
	assert_int_equal(zinc_shard_first_ask(&f->l, &caps, 1), ZINC_SHARD_ASK_INDEX);
	assert_int_equal(zinc_shard_first_ask(&f->l, &caps, UINT64_MAX), ZINC_SHARD_ASK_INDEX);
}

static void
test_failures(void **state)
{
	const zinc_shard_entry e = {0, 100};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_shard_entry_check(&e, 100, &err));
	assert_int_equal(zinc_shard_entry_check(&e, 99, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_shard_conflict(&err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "8 times"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_layout, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_index_of_whole, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_no_tag, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_tag, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_small, setup, teardown),
	    cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
