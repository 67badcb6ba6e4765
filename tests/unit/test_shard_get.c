/*
 * test_shard_get.c - batches of requests for inner chunks, by the promises of shard_get.c
 */
#include <string.h>

#include "shard/shard.h"
#include "support/gets.h"
#include "support/test.h"

#define CHUNKS 2u
#define INDEX  (16 * CHUNKS)

/* Shards "a" and "b" with "xy" and "z", "damaged" of 3 bytes, no "gone", and a document. */
typedef struct fixture {
	zinc_store *base, *log;
	zinc_shard *sh;
	zinc_shard_layout l;
	int replace; /* shards are replaced after this many reads of an index */
	char value;  /* of all bytes of the new chunks */
} fixture;

/* Chunk 0 has two bytes, chunk 1 has one. */
static void
put_shard(zinc_store *s, const char *key, const char *bytes)
{
	uint8_t shard[3 + INDEX] = {[3 + 8] = 2, [3 + 16] = 2, [3 + 24] = 1};
	zinc_error err = ZINC_ERROR_INIT;

	memcpy(shard, bytes, 3);
	assert_ok(zinc_store_put(s, NULL, key, shard, sizeof shard, NULL, 0, NULL, NULL, &err));
}

static void
replace(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	fixture *f = arg;
	char bytes[3];

	(void)st;
	if (strcmp(operation, "get") != 0 || nbytes != INDEX || f->replace-- <= 0)
		return;
	memset(bytes, ++f->value, sizeof bytes);
	put_shard(f->base, key, bytes);
}

static int
setup(void **state)
{
	static const uint64_t per_shard[] = {CHUNKS};
	static fixture f;
	zinc_error err = ZINC_ERROR_INIT;

	memset(&f, 0, sizeof f);
	assert_ok(zinc_store_open(&f.base, "memory://", NULL, &err));
	assert_ok(zinc_store_log(&f.log, f.base, replace, &f, &err));
	put_shard(f.base, "a", "xyz");
	put_shard(f.base, "b", "xyz");
	put_text(f.base, "damaged", "abc");
	put_text(f.base, "zarr.json", "{}");
	assert_ok(zinc_shard_new_indexed(&f.sh, zinc_store_context(f.base), 1, per_shard, &err));
	assert_ok(zinc_shard_layout_init(&f.l, f.sh, per_shard, &err));
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	fixture *f = *state;

	zinc_shard_free(f->sh);
	zinc_store_close(f->log);
	zinc_store_close(f->base);
	return 0;
}

static void
assert_got(const get_result *r, const char *bytes, uint64_t object_size)
{
	assert_int_equal(r->dones, 1);
	assert_int_equal(r->found, ZINC_FOUND);
	assert_int_equal(r->nbytes, strlen(bytes));
	assert_memory_equal(r->bytes, bytes, strlen(bytes));
	assert_int_equal(r->object_size, object_size);
}

/* Each request is for the inner chunk `position` of the shard that is its key; other keys are passed on. */
static zinc_status
run(fixture *f, zinc_store *s, gets *g, const zinc_get *requests, const size_t *positions, zinc_error *err)
{
	const zinc_sink sink = gets_sink(g);
	zinc_shard_get chunks[8];
	size_t others[8], i;
	zinc_shard_batch b = {s, &f->l, requests, &sink, NULL, chunks, 0, others, 0};

	for (i = 0; i < g->n; i++)
		if (strcmp(requests[i].key, "zarr.json") == 0)
			others[b.nothers++] = i;
		else
			chunks[b.nchunks++] = (zinc_shard_get){i, requests[i].key, positions[i], NULL, 0, false};
	return zinc_shard_get_many(&b, err);
}

/* shard_get.c (1) (3) */
static void
test_two_calls(void **state)
{
	const zinc_get requests[] = {
	    get_range("b", 0, ZINC_TO_END),
	    get_range("zarr.json", 0, ZINC_TO_END),
	    get_range("damaged", 0, 1),
	    get_range("a", 1, 7),
	    get_range("gone", 0, ZINC_TO_END),
	    get_stat("a"),
	    get_suffix("a", 1),
	};
	static const size_t positions[] = {1, 0, 0, 0, 1, 0, 0};
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	fixture *f = *state;
	gets g;

	gets_init(&g, COUNT(requests));
	assert_ok(run(f, f->log, &g, requests, positions, &err));
	zinc_store_log_counts(f->log, &n);
	assert_int_equal(n.get_calls, 2);
	assert_int_equal(n.get_requests, 4 + 1 + 3); /* indexes, a document, ranges */
	assert_got(&g.r[0], "z", 1);
	assert_got(&g.r[1], "{}", 2);
	assert_int_equal(g.r[2].status, ZINC_E_CORRUPT);
	assert_string_equal(g.r[2].error.key, "damaged");
	assert_got(&g.r[3], "y", 2);
	assert_int_equal(g.r[4].found, ZINC_MISSING);
	assert_int_equal(g.r[5].object_size, 2);
	assert_got(&g.r[6], "y", 2);
	gets_fini(&g);
}

/* shard_get.c (2) */
static void
test_one_generation(void **state)
{
	const zinc_get requests[] = {get_range("a", 0, ZINC_TO_END), get_range("zarr.json", 0, ZINC_TO_END)};
	static const size_t positions[] = {0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	fixture *f = *state;
	int times;
	gets g;

	for (times = 1; times <= ZINC_SHARD_TRIES; times++) {
		const char want[3] = {(char)('A' + times), (char)('A' + times), 0};

		f->replace = times;
		f->value = 'A';
		gets_init(&g, COUNT(requests));
		assert_ok(run(f, f->log, &g, requests, positions, &err));
		assert_got(&g.r[1], "{}", 2); /* once */
		if (times < ZINC_SHARD_TRIES)
			assert_got(&g.r[0], want, 2);
		else
			assert_int_equal(g.r[0].status, ZINC_E_CONFLICT);
		assert_int_equal(g.r[0].dones, 1);
		gets_fini(&g);
	}
}

/* ---- a store without tags ---- */

typedef struct untagged {
	const zinc_sink *sink;
} untagged;

static zinc_room
untagged_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	const zinc_sink *sink = ((const untagged *)arg)->sink;

	return sink->room(sink->arg, i, nbytes, buf);
}

static void
untagged_done(void *arg, size_t i, const zinc_got *got)
{
	const zinc_sink *sink = ((const untagged *)arg)->sink;
	const zinc_tag none = {0, {0}};
	zinc_got mine = *got;

	mine.tag = &none;
	sink->done(sink->arg, i, &mine);
}

static zinc_status
untagged_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	     zinc_error *err)
{
	untagged u = {sink};
	const zinc_sink mine = {sizeof mine, untagged_room, untagged_done, &u};

	return zinc_store_get(((fixture *)self)->log, requests, n, &mine, wait, err);
}

static void
untagged_close(void *self)
{
	(void)self;
}

static void
untagged_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = ZINC_CAP_READ;
}

static const zinc_store_ops untagged_ops = {
    .size = sizeof untagged_ops,
    .name = "untagged",
    .close = untagged_close,
    .caps = untagged_caps,
    .get = untagged_get,
};

/* shard_get.c (2): read whole, so that its index and its chunks are of one generation */
static void
test_no_tag(void **state)
{
	const zinc_get requests[] = {get_range("a", 0, ZINC_TO_END), get_range("a", 0, ZINC_TO_END)};
	static const size_t positions[] = {0, 1};
	zinc_error err = ZINC_ERROR_INIT;
	fixture *f = *state;
	zinc_store *s;
	gets g;

	assert_ok(zinc_store_wrap(&s, NULL, &untagged_ops, f, "untagged:", &err));
	f->replace = 1;
	f->value = 'A';
	gets_init(&g, COUNT(requests));
	assert_ok(run(f, s, &g, requests, positions, &err));
	assert_got(&g.r[0], "BB", 2);
	assert_got(&g.r[1], "B", 1);
	gets_fini(&g);
	zinc_store_close(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_two_calls, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_one_generation, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_no_tag, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
