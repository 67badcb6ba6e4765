/*
 * test_copy_trial.c - an old target is unchanged if a check of the source shows that the copy will fail
 *
 * Promises of copy_trial.c, by number, and (5) of copy_tree.c.
 */
#include <stdio.h>
#include <string.h>
#include <zinc/store.h>
#include <zinc/tool.h>

#include "support/arrays.h"
#include "support/test.h"

#define ASTYPE                                                                                                         \
	"[{\"name\": \"numcodecs.astype\", \"configuration\": {\"decode_dtype\": \"<u2\", \"encode_dtype\": "          \
	"\"|u1\"}}, "                                                                                                  \
	"{\"name\": \"bytes\"}]"

/* Every way in which a copy moves objects. */
static const struct {
	const char *name;
	uint64_t rows, from[2], to[2]; /* of chunks; to[0] 0: as they are */
	uint64_t max_memory;
	const char *last; /* key of the last object */
} ways[] = {
    {"raw", 64, {8, 8}, {0, 0}, 0, "a/c/7/7"},
    {"boxes", 64, {8, 64}, {16, 16}, 16 << 10, "a/c/7/0"},
    {"two passes", 512, {1, 512}, {512, 1}, 128 << 10, "a/c/511/0"},
};

/* ---- a store that cannot read one existing key ---- */

struct deaf {
	zinc_store *next;
	const char *key; /* NULL: it reads all */
};

static void
deaf_close(void *self)
{
	(void)self;
}

static void
deaf_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(((struct deaf *)self)->next, out);
}

static zinc_status
deaf_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	const struct deaf *d = self;
	const zinc_got failed = {.size = sizeof failed, .found = ZINC_FAILED, .status = ZINC_E_IO};
	bool met = false;
	size_t i;

	for (i = 0; i < n && d->key; i++)
		met = met || (!requests[i].stat && strcmp(requests[i].key, d->key) == 0);
	for (i = 0; i < n && met; i++)
		sink->done(sink->arg, i, &failed);
	return met ? ZINC_OK : zinc_store_get(d->next, requests, n, sink, wait, err);
}

static zinc_status
deaf_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list(((struct deaf *)self)->next, prefix, fn, arg, wait, err);
}

static const zinc_store_ops deaf_ops = {.size = sizeof(zinc_store_ops),
					.name = "deaf",
					.purpose = "",
					.close = deaf_close,
					.caps = deaf_caps,
					.get = deaf_get,
					.list = deaf_list};

/* ---- the scene ---- */

typedef struct scene {
	stage from, to;
	struct deaf deaf;
	zinc_store *store;
	zinc_hierarchy *source;
	zinc_copy_options o;
	size_t way;
} scene;

static uint16_t elements[512 * 512];

/* A source of small numbers except the last, and an old target of another shape. */
static void
scene_open(scene *x, size_t way, uint16_t last)
{
	const size_t n = (size_t)(ways[way].rows * ways[way].rows);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	size_t i;

	memset(x, 0, sizeof *x);
	x->way = way;
	stage_open(&x->from, 2, 0);
	stage_open(&x->to, 2, 0);
	a = stage_array(&x->from, "a", ways[way].rows, ways[way].rows, ways[way].from[0], ways[way].from[1], 0, 0,
			"zstd:1+crc32c");
	for (i = 0; i < n; i++)
		elements[i] = (uint16_t)(i % 255 + 1);
	elements[n - 1] = last;
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(elements, n * sizeof *elements), NULL, &err));
	zinc_array_close(a);
	a = stage_array(&x->to, "b", 4, 4, 2, 2, 0, 0, "none");
	stage_fill(a);
	zinc_array_close(a);
	x->deaf.next = x->from.log;
	assert_ok(zinc_store_wrap(&x->store, x->from.ctx, &deaf_ops, &x->deaf, "deaf://", &err));
	assert_ok(zinc_hierarchy_open(&x->source, x->store, "", ZINC_OPEN_OPTIONS(.context = x->from.ctx), &err));
	x->o = (zinc_copy_options)ZINC_COPY_OPTIONS_INIT;
	x->o.ndim = 2;
	x->o.chunks = ways[way].to[0] ? ways[way].to : NULL;
	x->o.max_memory = ways[way].max_memory;
	x->o.overwrite = 1;
}

static void
scene_close(scene *x)
{
	zinc_hierarchy_close(x->source);
	zinc_store_close(x->store);
	stage_close(&x->from);
	stage_close(&x->to);
}

static zinc_status
go(scene *x, zinc_error *err)
{
	return zinc_copy(x->source, "/a", x->to.h, "/b", &x->o, NULL, err);
}

/* The copy fails, and the target is unchanged. */
static void
fails(scene *x, zinc_status want, const char *what)
{
	zinc_store_counts before = ZINC_STORE_COUNTS_INIT, after = ZINC_STORE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;

	zinc_store_log_counts(x->to.log, &before);
	st = go(x, &err);
	zinc_store_log_counts(x->to.log, &after);
	if (st != want)
		fail_msg("%s, %s: %s", ways[x->way].name, what, zinc_error_text(&err));
	if (after.put_calls != before.put_calls || after.del_calls != before.del_calls ||
	    after.update_calls != before.update_calls)
		fail_msg("%s, %s: the old target was touched", ways[x->way].name, what);
}

/* ---- what can be known ---- */

/* (1), (2): a chunk that does not decode, an object that cannot be read. */
static void
bad_source(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene x;
	size_t w;

	(void)state;
	for (w = 0; w < COUNT(ways); w++) {
		scene_open(&x, w, 7);
		x.deaf.key = ways[w].last;
		fails(&x, ZINC_E_IO, "an object that cannot be read");
		x.deaf.key = NULL;
		assert_ok(zinc_store_put(x.from.memory, NULL, ways[w].last, "damaged", 7, NULL, 0, NULL, NULL, &err));
		if (w == 0)
			assert_ok(go(&x, &err)); /* as they are */
		else
			fails(&x, ZINC_E_CHECKSUM, "a damaged chunk");
		scene_close(&x);
	}
}

/* (1): an element that the type does not have, or that a codec of the target refuses. */
static void
bad_element(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	scene x;
	size_t w;

	(void)state;
	for (w = 0; w < COUNT(ways); w++) {
		scene_open(&x, w, 300);
		x.o.dtype = "uint8";
		fails(&x, ZINC_E_RANGE, "a number that does not fit");
		x.o.dtype = NULL;
		x.o.codecs = ASTYPE;
		fails(&x, ZINC_E_RANGE, "a number that a codec refuses");
		x.o.codecs = "zstd:1";
		assert_ok(go(&x, &err));
		scene_close(&x);
	}
}

static int
stop(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	(void)arg, (void)done, (void)total, (void)bytes;
	return 1;
}

/* Stopping the check loses nothing. */
static void
cancelled(void **state)
{
	scene x;
	size_t w;

	(void)state;
	for (w = 0; w < COUNT(ways); w++) {
		scene_open(&x, w, 7);
		x.o.call = ZINC_CALL_OPTIONS(.progress = stop);
		fails(&x, ZINC_E_CANCELLED, "cancelled");
		scene_close(&x);
	}
}

/* ---- cost ---- */

struct ticks {
	uint64_t done, total, stop_at; /* 0: never */
};

static int
tick(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct ticks *t = arg;

	(void)bytes;
	assert_true(done >= t->done && done <= total);
	assert_true(t->total == 0 || total == t->total);
	t->done = done;
	t->total = total;
	return t->stop_at && done > t->stop_at;
}

static uint64_t
bytes_read(scene *x)
{
	static uint64_t last;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	uint64_t gone;

	zinc_store_log_counts(x->from.log, &n);
	gone = n.get_bytes - (n.get_bytes < last ? 0 : last);
	last = n.get_bytes;
	return gone;
}

/* (2): raw objects are not read twice.  An empty place needs no check, and neither does a resumed copy. */
static void
costs(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t once, twice, rest;
	struct ticks t;
	scene x;
	size_t w;

	(void)state;
	for (w = 0; w < COUNT(ways); w++) {
		scene_open(&x, w, 7);
		x.o.call = ZINC_CALL_OPTIONS(.progress = tick, .progress_arg = &t);
		assert_ok(zinc_node_erase(x.to.h, "/b", NULL, &err));
		(void)bytes_read(&x);
		t = (struct ticks){0};
		assert_ok(go(&x, &err)); /* nothing exists */
		assert_true(t.done == t.total && t.total > 0);
		once = bytes_read(&x);
		t = (struct ticks){0};
		assert_ok(go(&x, &err)); /* over it */
		assert_true(t.done == t.total && t.total > 0);
		twice = bytes_read(&x);
		assert_int_equal(twice < once + once / 2, w == 0);
		t = (struct ticks){.stop_at = t.total / 2}; /* after the check */
		assert_int_equal(go(&x, &err), ZINC_E_CANCELLED);
		(void)bytes_read(&x);
		t = (struct ticks){0};
		x.o.resume = 1;
		x.o.overwrite = 0;
		assert_ok(go(&x, &err));
		rest = bytes_read(&x);
		if (rest > once)
			fail_msg("%s: to go on, all was looked at again", ways[w].name);
		scene_close(&x);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bad_source),
	    cmocka_unit_test(bad_element),
	    cmocka_unit_test(cancelled),
	    cmocka_unit_test(costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
