/*
 * test_shard_many.c - the indexes of many shards in one call, together with other requests
 */
#include <string.h>

#include "shard/shard_inside.h"
#include "support/test.h"

#define CHUNKS 2u
#define INDEX  (16 * CHUNKS)

/* Shard "a" with "xy" and "z", "damaged" of 3 bytes, no "gone", and a document. */
typedef struct fixture {
	zinc_store *store;
	zinc_shard *sh;
	zinc_shard_layout l;
	zinc_scratch *scratch;
} fixture;

static void
put(zinc_store *s, const char *key, const void *bytes, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(s, NULL, key, bytes, n, NULL, 0, NULL, NULL, &err));
}

static int
setup(void **state)
{
	static const uint64_t per_shard[] = {CHUNKS};
	static const uint8_t a[3 + INDEX] = {'x', 'y', 'z', [3 + 8] = 2, [3 + 16] = 2, [3 + 24] = 1};
	static fixture f;
	zinc_error err = ZINC_ERROR_INIT;

	memset(&f, 0, sizeof f);
	assert_ok(zinc_store_open(&f.store, "memory://", NULL, &err));
	put(f.store, "a", a, sizeof a);
	put(f.store, "damaged", "abc", 3);
	put(f.store, "zarr.json", "{}", 2);
	assert_ok(zinc_shard_new_indexed(&f.sh, zinc_store_context(f.store), 1, per_shard, &err));
	assert_ok(zinc_shard_layout_init(&f.l, f.sh, per_shard, &err));
	f.scratch = zinc_scratch_get(zinc_store_context(f.store));
	assert_non_null(f.scratch);
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	fixture *f = *state;

	zinc_scratch_put(f->scratch);
	zinc_shard_free(f->sh);
	zinc_store_close(f->store);
	return 0;
}

/* The callback for the document. */
typedef struct other {
	char bytes[8];
	size_t number, calls;
} other;

static zinc_room
other_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	other *o = arg;

	assert_true(nbytes <= sizeof o->bytes);
	o->number = i;
	*buf = o->bytes;
	return ZINC_ROOM_OK;
}

static void
other_done(void *arg, size_t i, const zinc_got *got)
{
	other *o = arg;

	assert_int_equal(got->found, ZINC_FOUND);
	assert_int_equal(i, o->number);
	o->calls++;
}

/* shard_many.c (1) (2) */
static void
test_many(void **state)
{
	fixture *f = *state;
	zinc_context *ctx = zinc_store_context(f->store);
	zinc_shard_read r[] = {{.key = "a"}, {.key = "damaged"}, {.key = "gone"}};
	zinc_get requests[] = {{.key = "not asked for"}, {.key = "zarr.json", .length = ZINC_TO_END}}, gets[4];
	const size_t numbers[] = {1};
	other o = {.calls = 0};
	const zinc_sink sink = {sizeof sink, other_room, other_done, &o};
	const zinc_shard_others others = {requests, numbers, 1, &sink};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	assert_ok(zinc_shard_read_many(f->store, &f->l, r, 3, gets, &others, NULL, &err));
	assert_int_equal(o.calls, 1);
	assert_int_equal(o.number, 1);
	assert_memory_equal(o.bytes, "{}", 2);
	assert_true(r[0].stored.found && r[1].stored.found && !r[2].stored.found);
	assert_int_equal(r[2].status, ZINC_OK);
	assert_int_equal(r[0].stored.size, 3 + INDEX);
	assert_ok(zinc_shard_read_entries(&r[0], f->store, f->scratch, NULL, &err));
	assert_int_equal(r[0].stored.entries[1].offset, 2);
	assert_null(r[0].whole.data);
	assert_int_equal(zinc_shard_read_entries(&r[1], f->store, f->scratch, NULL, &err), ZINC_E_CORRUPT);
	zinc_shard_read_fail(&r[1], ctx, ZINC_E_CORRUPT, &err);
	assert_false(r[1].stored.found);
	assert_int_equal(r[1].status, ZINC_E_CORRUPT);
	assert_string_equal(r[1].error->text, err.text);
	for (i = 0; i < 3; i++)
		zinc_shard_read_fini(&r[i], ctx);
	zinc_shard_read_fini(&r[0], ctx);
}

/* Without a tag all of it is read, and it may be missing by then. */
static void
test_no_tag(void **state)
{
	fixture *f = *state;
	zinc_context *ctx = zinc_store_context(f->store);
	zinc_shard_read r[] = {{.key = "a"}, {.key = "a"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get gets[2];
	size_t i;

	assert_ok(zinc_shard_read_many(f->store, &f->l, r, 2, gets, NULL, NULL, &err));
	r[0].stored.tag.n = r[1].stored.tag.n = 0;
	assert_ok(zinc_shard_read_entries(&r[0], f->store, f->scratch, NULL, &err));
	assert_int_equal(r[0].whole.nbytes, 3 + INDEX);
	assert_int_equal(r[0].stored.entries[1].offset, 2);
	assert_ok(zinc_store_del(f->store, NULL, "a", NULL, 0, NULL, &err));
	assert_ok(zinc_shard_read_entries(&r[1], f->store, f->scratch, NULL, &err));
	assert_false(r[1].stored.found);
	for (i = 0; i < 2; i++)
		zinc_shard_read_fini(&r[i], ctx);
}

/* Collects the sizes of the chunks, and the numbers of the shards. */
typedef struct seen {
	size_t calls, sum;
	uint64_t nbytes;
} seen;

static zinc_status
see(void *arg, size_t i, const zinc_shard_entry *entries, zinc_error *err)
{
	seen *s = arg;

	s->calls++;
	s->sum += i;
	s->nbytes += entries[0].nbytes + entries[1].nbytes;
	return i == 999 ? zinc_fail(err, ZINC_E_EXISTS, "enough") : ZINC_OK;
}

/* shard_many.c (3): missing ones are skipped; the first failure names its key */
static void
test_each(void **state)
{
	fixture *f = *state;
	const char *keys[1000];
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *log;
	seen s = {0, 0, 0};
	size_t i;

	assert_ok(zinc_store_log(&log, f->store, NULL, NULL, &err));
	for (i = 0; i < COUNT(keys); i++)
		keys[i] = i == 300 ? "gone" : "a";
	assert_ok(zinc_shard_each(log, &f->l, keys, 513, see, &s, NULL, &err));
	zinc_store_log_counts(log, &n);
	assert_int_equal(n.get_calls, 3);
	assert_int_equal(s.calls, 512);
	assert_int_equal(s.sum, 513 * 512 / 2 - 300);
	assert_int_equal(s.nbytes, 3 * 512);
	assert_ok(zinc_shard_each(log, &f->l, keys, 0, see, &s, NULL, &err));
	assert_int_equal(zinc_shard_each(log, &f->l, keys, 1000, see, &s, NULL, &err), ZINC_E_EXISTS);
	assert_string_equal(err.key, "a");
	keys[2] = "damaged";
	s.calls = 0;
	assert_int_equal(zinc_shard_each(log, &f->l, keys, 1000, see, &s, NULL, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.key, "damaged");
	assert_int_equal(s.calls, 2);
	zinc_store_close(log);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_many, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_no_tag, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_each, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
