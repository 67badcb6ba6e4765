/*
 * test_transform_sharding.c - the layer `indexed`: its requests, stored bytes and listings
 *
 * Chunks of a 2-dimensional array, two by three to a shard, unless a test says otherwise.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/gets.h"
#include "support/sweep.h"
#include "support/random.h"
#include "support/test.h"
#include "transform/transform_inside.h"

static const uint64_t two_by_three[] = {2, 3};

/* A base store, a counting store over it, and the layer. */
typedef struct rig {
	zinc_store *base, *log, *s;
	zinc_store_counts was;
} rig;

static void
rig_open(rig *r, int ndim, const uint64_t *per_shard, int order, const char *keys)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_open(&r->base, "memory://", NULL, &err));
	assert_ok(zinc_store_log(&r->log, r->base, NULL, NULL, &err));
	assert_ok(zinc_store_sharded(&r->s, r->log,
				     ZINC_SHARDED_OPTIONS(.prefix = "a/", .ndim = ndim, .chunks_per_shard = per_shard,
							  .shard_order = order, .key_encoding = keys),
				     &err));
	r->was.size = sizeof r->was;
	zinc_store_log_counts(r->log, &r->was);
}

static void
rig_close(rig *r)
{
	zinc_store_close(r->s);
	zinc_store_close(r->log);
	zinc_store_close(r->base);
}

/* The requests below since the last call. */
static zinc_store_counts
asked(rig *r)
{
	zinc_store_counts now = ZINC_STORE_COUNTS_INIT, d;

	zinc_store_log_counts(r->log, &now);
	d = now;
	d.get_calls -= r->was.get_calls;
	d.get_requests -= r->was.get_requests;
	d.put_calls -= r->was.put_calls;
	d.del_calls -= r->was.del_calls;
	d.update_calls -= r->was.update_calls;
	d.list_calls -= r->was.list_calls;
	r->was = now;
	return d;
}

/* ---- promise 1: two calls (22-150+); keys of no chunk are passed on (22-143+) ---- */

static void
test_a_batch_is_two_calls(void **state)
{
	static const char *const keys[] = {"a/c/0/0", "a/c/1/2", "a/c/0/1", "a/c/5/5", "a/zarr.json", "b", "a/c/9/9"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r[COUNT(keys)];
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	rig x;
	gets g;
	size_t i;

	(void)state;
	rig_open(&x, 2, two_by_three, 0, NULL);
	for (i = 0; i < COUNT(keys) - 1; i++)
		put_text(x.s, keys[i], keys[i]);
	asked(&x);
	for (i = 0; i < COUNT(keys); i++)
		r[i] = get_range(keys[i], 0, ZINC_TO_END);
	gets_init(&g, COUNT(keys));
	assert_ok(gets_run(&g, x.s, r, &err));
	n = asked(&x);
	assert_int_equal(n.get_calls, 2);
	assert_int_equal(n.get_requests, 3 + 2 + 4); /* indexes of three shards, two foreign keys; four ranges */
	for (i = 0; i < COUNT(keys) - 1; i++) {
		assert_int_equal(g.r[i].found, ZINC_FOUND);
		assert_int_equal(g.r[i].object_size, strlen(keys[i]));
		assert_memory_equal(g.r[i].bytes, keys[i], strlen(keys[i]));
	}
	assert_int_equal(g.r[i].found, ZINC_MISSING);
	gets_fini(&g);
	gets_init(&g, 2); /* the index is enough for existence */
	assert_ok(gets_run(&g, x.s, (zinc_get[]){get_stat("a/c/0/0"), get_stat("a/c/1/1")}, &err));
	assert_int_equal(g.r[0].object_size, 7);
	assert_int_equal(g.r[1].found, ZINC_MISSING);
	assert_int_equal(asked(&x).get_calls, 1);
	gets_fini(&g);
	rig_close(&x);
}

/* ---- promise 2: one generation ---- */

/* Replaces the shard whenever its index has been read. */
typedef struct meddler {
	zinc_store *base;
	int times;
	char value;
} meddler;

static void
put_shard(zinc_store *base, const char *key, char value)
{
	uint8_t shard[3 + 96];
	zinc_error err = ZINC_ERROR_INIT;
	const size_t n = (size_t)(value - 'A') % 3 + 1;

	memset(shard, 0xff, sizeof shard);
	memset(shard, value, n);
	memset(shard + n, 0, 16);
	shard[n + 8] = (uint8_t)n;
	assert_ok(zinc_store_put(base, NULL, key, shard, n + 96, NULL, 0, NULL, NULL, &err));
}

static void
meddle(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	meddler *m = (meddler *)arg;

	(void)st;
	if (strcmp(operation, "get") == 0 && nbytes == 96 && m->times-- > 0)
		put_shard(m->base, key, ++m->value);
}

static void
test_generations_do_not_mix(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base, *log, *s;
	meddler m;
	int times;
	gets g;

	(void)state;
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	assert_ok(zinc_store_log(&log, base, meddle, &m, &err));
	assert_ok(zinc_store_sharded(&s, log, ZINC_SHARDED_OPTIONS(.ndim = 2, .chunks_per_shard = two_by_three), &err));
	for (times = 0; times < 9; times++) {
		m = (meddler){base, times, 'A'};
		put_shard(base, "c/0/0", 'A');
		gets_init(&g, 1);
		assert_ok(gets_run(&g, s, (zinc_get[]){get_range("c/0/0", 0, ZINC_TO_END)}, &err));
		if (times < 8) {
			const char want = (char)('A' + times);

			assert_int_equal(g.r[0].found, ZINC_FOUND);
			assert_int_equal(g.r[0].nbytes, (size_t)times % 3 + 1);
			assert_int_equal(g.r[0].bytes[0], want);
			assert_int_equal(g.r[0].bytes[g.r[0].nbytes - 1], want);
		} else {
			assert_int_equal(g.r[0].found, ZINC_FAILED);
			assert_int_equal(g.r[0].status, ZINC_E_CONFLICT);
		}
		gets_fini(&g);
	}
	zinc_store_close(s);
	zinc_store_close(log);
	zinc_store_close(base);
}

/* ---- promise 3: whole shards are not read (22-151+); erasing chunks (22-152+) and prefixes (22-153+) ---- */

static void
put_box(zinc_store *s, zinc_put_group *g, int rows, int columns)
{
	zinc_error err = ZINC_ERROR_INIT;
	char key[32];
	int i, j;

	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++) {
			snprintf(key, sizeof key, "a/c/%d/%d", i, j);
			assert_ok(zinc_store_put(s, g, key, key, strlen(key), NULL, 0, NULL, NULL, &err));
		}
}

static void
test_whole_shards_are_not_read(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	rig x;

	(void)state;
	rig_open(&x, 2, two_by_three, 0, NULL);
	assert_ok(zinc_store_put_begin(x.s, &g, 0, NULL, &err));
	put_box(x.s, g, 4, 6);
	assert_ok(zinc_store_commit(x.s, g, NULL, NULL, NULL, &err));
	n = asked(&x);
	assert_int_equal(n.get_calls, 0);
	assert_int_equal(n.update_calls, 0);
	assert_int_equal(n.put_calls, 4);
	assert_text(x.s, "a/c/3/5", "a/c/3/5");
	asked(&x);
	assert_ok(zinc_store_put_begin(x.s, &g, 0, NULL, &err)); /* part of three shards, each once */
	put_box(x.s, g, 3, 2);
	assert_ok(zinc_store_commit(x.s, g, NULL, NULL, NULL, &err));
	n = asked(&x);
	assert_int_equal(n.update_calls, 2);
	assert_int_equal(n.put_calls, 0);
	assert_text(x.s, "a/c/3/5", "a/c/3/5");
	assert_text(x.s, "a/c/2/1", "a/c/2/1");
	asked(&x);
	assert_ok(zinc_store_del_prefix(x.s, "a/c/0/", 0, NULL, &err)); /* cuts through two shards */
	n = asked(&x);
	assert_int_equal(n.update_calls, 2);
	assert_missing(x.s, "a/c/0/0");
	assert_text(x.s, "a/c/1/5", "a/c/1/5");
	assert_ok(zinc_store_del_prefix(x.s, "a/c/1/", 0, NULL, &err)); /* and now they are empty */
	assert_missing(x.base, "a/c/0/0");
	assert_missing(x.base, "a/c/0/1");
	asked(&x);
	assert_ok(zinc_store_del_prefix(x.s, "a/", 0, NULL, &err));
	n = asked(&x);
	assert_int_equal(n.get_calls + n.update_calls + n.list_calls, 0);
	rig_close(&x);
}

/* ---- promise 4: bytes (22-145+, 22-146+, 22-148+) ---- */

static void
le64(uint8_t *p, uint64_t v)
{
	int i;

	for (i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Chunks of 2 x 2, of one letter each and all there but (1, 0), put in an odd order. */
static void
put_letters(zinc_store *s)
{
	put_text(s, "a/c/1/1", "d");
	put_text(s, "a/c/0/0", "a");
	put_text(s, "a/c/0/1", "bb");
}

/* [a][bb][d] and 16 bytes of index for each. */
static void
test_bytes_in_rows(void **state)
{
	static const uint64_t per_shard[] = {2, 2};
	uint8_t want[4 + 64] = "abbd";
	rig x;

	(void)state;
	le64(want + 4, 0), le64(want + 12, 1);
	le64(want + 20, 1), le64(want + 28, 2);
	le64(want + 36, UINT64_MAX), le64(want + 44, UINT64_MAX);
	le64(want + 52, 3), le64(want + 60, 1);
	rig_open(&x, 2, per_shard, ZINC_SHARD_ROWS, NULL);
	put_letters(x.s);
	assert_value(x.base, "a/c/0/0", want, sizeof want);
	rig_close(&x);
}

static void
test_bytes_appended(void **state)
{
	static const uint64_t per_shard[] = {2, 2};
	uint8_t want[3 * 64 + 4];
	rig x;

	(void)state;
	memset(want, 0xff, sizeof want);
	want[0] = 'd';
	le64(want + 1 + 48, 0), le64(want + 1 + 56, 1);
	want[65] = 'a';
	le64(want + 66, 65), le64(want + 74, 1);
	le64(want + 66 + 48, 0), le64(want + 66 + 56, 1);
	want[130] = want[131] = 'b';
	le64(want + 132, 65), le64(want + 140, 1);
	le64(want + 148, 130), le64(want + 156, 2);
	le64(want + 132 + 48, 0), le64(want + 132 + 56, 1);
	rig_open(&x, 2, per_shard, ZINC_SHARD_APPEND, NULL);
	put_letters(x.s);
	assert_value(x.base, "a/c/0/0", want, sizeof want);
	rig_close(&x);
}

/* 3 x 5 chunks, whose letters in Morton order are those of the curve. */
static void
test_bytes_in_morton_order(void **state)
{
	static const uint64_t per_shard[] = {3, 5};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	char key[32], letter;
	rig x;
	int i;

	(void)state;
	rig_open(&x, 2, per_shard, ZINC_SHARD_MORTON, "v2");
	assert_ok(zinc_store_put_begin(x.s, &g, 0, NULL, &err));
	for (i = 0; i < 15; i++) {
		snprintf(key, sizeof key, "a/%d.%d", i / 5, i % 5);
		letter = (char)('a' + i);
		assert_ok(zinc_store_put(x.s, g, key, &letter, 1, NULL, 0, NULL, NULL, &err));
	}
	assert_ok(zinc_store_commit(x.s, g, NULL, NULL, NULL, &err));
	assert_ok(zinc_store_get_all(x.base, "a/0.0", &b, NULL, 0, NULL, &err));
	assert_int_equal(b.nbytes, 15 + 240);
	/* rows abcde fghij klmno: (0,0) (0,1) (1,0) (1,1), then the square to the right, then those below ... */
	assert_memory_equal(b.data, "abfgcdhiklmnejo", 15);
	zinc_blob_fini(&b);
	for (i = 0; i < 15; i++) {
		snprintf(key, sizeof key, "a/%d.%d", i / 5, i % 5);
		letter = (char)('a' + i);
		assert_value(x.s, key, &letter, 1);
	}
	rig_close(&x);
}

/* As a file of another format would have it: other bytes, chunks anywhere, also overlapping, then the index. */
static void
test_foreign_bytes(void **state)
{
	static const uint64_t per_shard[] = {2, 2};
	static const char front[] = "\x89HDF....the value of b is bbb";
	uint8_t shard[sizeof front + 64];
	const size_t n = sizeof front;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	rig x;

	(void)state;
	memset(shard, 0xff, sizeof shard);
	memcpy(shard, front, n);
	le64(shard + n, 4), le64(shard + n + 8, 4);
	le64(shard + n + 16, n - 4), le64(shard + n + 24, 3);
	le64(shard + n + 48, 6), le64(shard + n + 56, 5);
	rig_open(&x, 2, per_shard, ZINC_SHARD_APPEND, NULL);
	assert_ok(zinc_store_put(x.base, NULL, "a/c/0/0", shard, sizeof shard, NULL, 0, NULL, NULL, &err));
	assert_text(x.s, "a/c/0/0", "....");
	assert_text(x.s, "a/c/0/1", "bbb");
	assert_text(x.s, "a/c/1/1", "..the");
	assert_missing(x.s, "a/c/1/0");
	put_text(x.s, "a/c/1/0", "new");
	assert_ok(zinc_store_get_all(x.base, "a/c/0/0", &b, NULL, 0, NULL, &err));
	assert_memory_equal(b.data, front, n); /* append keeps other bytes */
	zinc_blob_fini(&b);
	assert_text(x.s, "a/c/0/1", "bbb");
	assert_text(x.s, "a/c/1/0", "new");
	rig_close(&x);
}

static void
test_damaged_shards(void **state)
{
	static const uint64_t per_shard[] = {2};
	static const struct {
		uint64_t offset, nbytes;
	} bad[] = {{0, 5}, {4, 1}, {UINT64_MAX, 1}, {1, UINT64_MAX}, {UINT64_MAX - 1, 2}};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t shard[4 + 32];
	zinc_blob b = ZINC_BLOB_INIT;
	size_t i;
	rig x;

	(void)state;
	rig_open(&x, 1, per_shard, 0, NULL);
	put_text(x.base, "a/c/7", "shorter than an index");
	assert_int_equal(zinc_store_get_all(x.s, "a/c/14", &b, NULL, 0, NULL, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.key, "a/c/7");
	for (i = 0; i < COUNT(bad); i++) {
		memset(shard, 0xff, sizeof shard);
		le64(shard + 4, bad[i].offset);
		le64(shard + 12, bad[i].nbytes);
		assert_ok(zinc_store_put(x.base, NULL, "a/c/0", shard, sizeof shard, NULL, 0, NULL, NULL, &err));
		assert_int_equal(zinc_store_get_all(x.s, "a/c/0", &b, NULL, 0, NULL, &err), ZINC_E_CORRUPT);
		assert_int_equal(zinc_store_get_all(x.s, "a/c/1", &b, NULL, 0, NULL, &err), ZINC_E_CORRUPT);
		assert_int_equal(zinc_store_put(x.s, NULL, "a/c/1", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_CORRUPT);
		assert_value(x.base, "a/c/0", shard, sizeof shard);
	}
	rig_close(&x);
}

/* ---- promise 5: listing (22-154+, 22-155+) ---- */

typedef struct listing {
	char text[4096];
	int n;
} listing;

static int
list_key(void *arg, const char *key, uint64_t nbytes)
{
	listing *l = (listing *)arg;
	const size_t n = strlen(l->text);

	l->n++;
	snprintf(l->text + n, sizeof l->text - n, "%s:%d ", key, (int)nbytes);
	return 0;
}

static int
list_entry(void *arg, const char *name, int is_prefix)
{
	listing *l = (listing *)arg;
	const size_t n = strlen(l->text);

	l->n++;
	snprintf(l->text + n, sizeof l->text - n, "%s%s ", name, is_prefix ? "" : "!");
	return 0;
}

static void
assert_lists(zinc_store *s, const char *prefix, const char *keys, const char *entries)
{
	zinc_error err = ZINC_ERROR_INIT;
	listing k = {"", 0}, e = {"", 0};

	assert_ok(zinc_store_list(s, prefix, list_key, &k, NULL, &err));
	assert_string_equal(k.text, keys);
	assert_ok(zinc_store_list_dir(s, prefix, list_entry, &e, NULL, &err));
	assert_string_equal(e.text, entries);
}

static void
test_listing(void **state)
{
	rig x;

	(void)state;
	rig_open(&x, 2, two_by_three, 0, NULL);
	put_text(x.s, "a/c/2/0", "1");
	put_text(x.s, "a/c/10/0", "22");
	put_text(x.s, "a/c/3/8", "333");
	put_text(x.s, "a/zarr.json", "{}");
	put_text(x.s, "b/c/0/0", "4444");
	assert_lists(x.s, "", "a/c/10/0:2 a/c/2/0:1 a/c/3/8:3 a/zarr.json:2 b/c/0/0:4 ", "a/ b/ ");
	assert_lists(x.s, "a/", "a/c/10/0:2 a/c/2/0:1 a/c/3/8:3 a/zarr.json:2 ", "a/c/ a/zarr.json! ");
	assert_lists(x.s, "a/c/", "a/c/10/0:2 a/c/2/0:1 a/c/3/8:3 ", "a/c/10/ a/c/2/ a/c/3/ ");
	assert_lists(x.s, "a/c/3/", "a/c/3/8:3 ", "a/c/3/8! ");
	assert_lists(x.s, "a/c/4/", "", "");
	assert_lists(x.s, "b/", "b/c/0/0:4 ", "b/c/ ");
	assert_lists(x.s, "nowhere/", "", "");
	rig_close(&x);
}

/* A prefix within the keys is translated: shards of other rows are not even listed. */
static void
note_list(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	(void)nbytes, (void)st;
	if (strcmp(operation, "list") == 0)
		snprintf((char *)arg, 64, "%s", key);
}

static void
test_prefixes_are_translated(void **state)
{
	static const struct {
		const char *encoding, *asked, *below;
	} rows[] = {
	    {"default", "a/c/96/", "a/c/3/"}, {"default", "a/c/", "a/c/"}, {"v2/", "a/33/", "a/1/"},
	    {"v2/", "a/nothing/", "a/"},      {"default.", "a/c/", "a/"},  {"v2", "a/5/", "a/"},
	    {"default", "a/x/", "a/"},        {"default", "a/", "a/"},     {"default", "", ""},
	};
	static const uint64_t per_shard[] = {32, 2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base, *log, *s;
	char below[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		listing l = {"", 0};

		assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
		assert_ok(zinc_store_log(&log, base, note_list, below, &err));
		assert_ok(
		    zinc_store_sharded(&s, log,
				       ZINC_SHARDED_OPTIONS(.prefix = "a/", .ndim = 2, .chunks_per_shard = per_shard,
							    .key_encoding = rows[i].encoding),
				       &err));
		assert_ok(zinc_store_list(s, rows[i].asked, list_key, &l, NULL, &err));
		assert_string_equal(below, rows[i].below);
		zinc_store_close(s);
		zinc_store_close(log);
		zinc_store_close(base);
	}
}

/* The example of the draft: chunk (96, 18) with [32, 2] is in shard (3, 9) (22-127+, 22-142+, 22-144+). */
static void
test_keys_of_shards(void **state)
{
	static const uint64_t per_shard[] = {32, 2};
	rig x;

	(void)state;
	rig_open(&x, 2, per_shard, 0, NULL);
	put_text(x.s, "a/c/96/18", "x");
	put_text(x.s, "a/c/127/19", "y");
	assert_lists(x.base, "", "a/c/3/9:1026 ", "a/ "); /* 64 * 16 = 1024 */
	rig_close(&x);
	rig_open(&x, 0, NULL, 0, NULL);
	put_text(x.s, "a/c", "scalar");
	assert_lists(x.base, "", "a/c:22 ", "a/ ");
	assert_text(x.s, "a/c", "scalar");
	rig_close(&x);
}

/* ---- against a plain store ---- */

enum { ROWS = 7, COLUMNS = 8, KEYS = ROWS * COLUMNS + 4 };

static uint32_t
roll(uint32_t n)
{
	return (uint32_t)random_below(n);
}

static void
random_key(char *key, size_t room)
{
	const uint32_t i = roll(KEYS);

	if (i < ROWS * COLUMNS)
		snprintf(key, room, "a/c/%u/%u", (unsigned)i / COLUMNS * 5, (unsigned)i % COLUMNS);
	else
		snprintf(key, room, "%sx%u", i % 2 ? "a/" : "", (unsigned)i % 4);
}

/* The same batch on both. */
static void
compare_batch(zinc_store *s, zinc_store *plain)
{
	enum { MOST = 20 };
	const size_t n = roll(MOST) + 1;
	zinc_error err = ZINC_ERROR_INIT;
	char keys[MOST][32];
	zinc_get r[MOST];
	gets a, b;
	size_t i;

	for (i = 0; i < n; i++) {
		random_key(keys[i], sizeof keys[i]);
		r[i] = get_range(keys[i], roll(3) ? roll(40) : 0, roll(3) ? roll(40) : ZINC_TO_END);
		r[i].suffix = roll(4) == 0;
		r[i].stat = roll(9) == 0;
	}
	gets_init(&a, n);
	gets_init(&b, n);
	assert_ok(gets_run(&a, s, r, &err));
	assert_ok(gets_run(&b, plain, r, &err));
	for (i = 0; i < n; i++) {
		assert_int_equal(a.r[i].found, b.r[i].found);
		assert_int_equal(a.r[i].nbytes, b.r[i].nbytes);
		assert_int_equal(a.r[i].object_size, b.r[i].object_size);
		if (a.r[i].nbytes)
			assert_memory_equal(a.r[i].bytes, b.r[i].bytes, a.r[i].nbytes);
	}
	gets_fini(&a);
	gets_fini(&b);
}

static void
compare_lists(zinc_store *s, zinc_store *plain)
{
	static const char *const prefixes[] = {"", "a/", "a/c/", "a/c/5/", "a/c/15/", "a/c/1/", "z/"};
	const char *prefix = prefixes[roll(COUNT(prefixes))];
	zinc_error err = ZINC_ERROR_INIT;
	listing a = {"", 0}, b = {"", 0};

	if (roll(2)) {
		assert_ok(zinc_store_list(s, prefix, list_key, &a, NULL, &err));
		assert_ok(zinc_store_list(plain, prefix, list_key, &b, NULL, &err));
	} else {
		assert_ok(zinc_store_list_dir(s, prefix, list_entry, &a, NULL, &err));
		assert_ok(zinc_store_list_dir(plain, prefix, list_entry, &b, NULL, &err));
	}
	assert_string_equal(a.text, b.text);
}

static void
change_both(zinc_store *s, zinc_store *plain, zinc_put_group *g, zinc_put_group *h)
{
	static const char text[] = "the quick brown fox jumps over it";
	const size_t n = roll(sizeof text);
	zinc_error err = ZINC_ERROR_INIT;
	char key[32];

	random_key(key, sizeof key);
	if (roll(3) == 0) {
		assert_ok(zinc_store_del(s, g, key, NULL, 0, NULL, &err));
		assert_ok(zinc_store_del(plain, h, key, NULL, 0, NULL, &err));
	} else if (g || roll(2)) {
		assert_ok(zinc_store_put(s, g, key, text, n, NULL, 0, NULL, NULL, &err));
		assert_ok(zinc_store_put(plain, h, key, text, n, NULL, 0, NULL, NULL, &err));
	} else {
		char other[64];
		zinc_partial parts[2] = {{key, roll(30), text, n, 0}, {other, roll(30), text, n, 0}};

		snprintf(other, sizeof other, "a/c/%u/%u", (unsigned)roll(9), (unsigned)roll(9));
		assert_ok(zinc_store_put_partial(s, parts, strcmp(key, other) ? 2 : 1, 0, 0, NULL, &err));
		assert_ok(zinc_store_put_partial(plain, parts, strcmp(key, other) ? 2 : 1, 0, 0, NULL, &err));
	}
}

static void
step(zinc_store *s, zinc_store *plain)
{
	static const char *const prefixes[] = {"a/c/5/", "a/c/0/", "a/c/", "a/c/5/1/", "a/", "q/"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g, *h;
	size_t i, n;

	switch (roll(8)) {
	case 0: /* a group; its changes show when it commits */
		assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
		assert_ok(zinc_store_put_begin(plain, &h, 0, NULL, &err));
		for (i = 0, n = roll(60); i < n; i++)
			change_both(s, plain, g, h);
		assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
		assert_ok(zinc_store_commit(plain, h, NULL, NULL, NULL, &err));
		break;
	case 1:
		i = roll(COUNT(prefixes));
		if (i == 4 && roll(5))
			break;
		assert_ok(zinc_store_del_prefix(s, prefixes[i], 0, NULL, &err));
		assert_ok(zinc_store_del_prefix(plain, prefixes[i], 0, NULL, &err));
		break;
	case 2:
		compare_lists(s, plain);
		break;
	case 3:
	case 4:
		compare_batch(s, plain);
		break;
	default:
		change_both(s, plain, NULL, NULL);
	}
}

static void
test_oracle(void **state)
{
	static const uint64_t other[] = {3, 2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base, *plain, *s, *deep;
	int order, depth, i;

	(void)state;
	for (order = ZINC_SHARD_ROWS; order <= ZINC_SHARD_APPEND; order++)
		for (depth = 1; depth <= 2; depth++) {
			random_seed((uint64_t)(order * 10 + depth));
			assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
			assert_ok(zinc_store_open(&plain, "memory://", NULL, &err));
			assert_ok(zinc_store_sharded(&s, base,
						     ZINC_SHARDED_OPTIONS(.prefix = "a/", .ndim = 2,
									  .chunks_per_shard = two_by_three,
									  .shard_order = order),
						     &err));
			if (depth == 2) {
				assert_ok(zinc_store_sharded(
				    &deep, s,
				    ZINC_SHARDED_OPTIONS(.prefix = "a/", .ndim = 2, .chunks_per_shard = other), &err));
				zinc_store_close(s);
				s = deep;
			}
			for (i = 0; i < MANY(1500); i++)
				step(s, plain);
			zinc_store_close(s);
			zinc_store_close(base);
			zinc_store_close(plain);
		}
}

/* ---- threads ---- */

enum { WRITERS = 4, ROUNDS = 30 };

typedef struct writer {
	zinc_store *s;
	int number;
	int failed;
	const char *what; /* the call that failed first */
	zinc_status st;
} writer;

static bool
works(writer *w, const char *what, zinc_status st)
{
	if (st != ZINC_OK && w->failed++ == 0) {
		w->what = what;
		w->st = st;
	}
	return st == ZINC_OK;
}

/* A shard that others replace eight times during a get is E_CONFLICT, as documented: then read again. */
static zinc_status
get_at_last(zinc_store *s, const char *key, zinc_blob *out)
{
	zinc_status st;

	do
		st = zinc_store_get_all(s, key, out, NULL, 0, NULL, NULL);
	while (st == ZINC_E_CONFLICT);
	return st;
}

/* Each its own chunks of the same two shards, alone and in groups, and reads them back. */
static void *
write_and_read(void *arg)
{
	writer *w = (writer *)arg;
	zinc_put_group *g;
	char a[32], b[32], text[32];
	zinc_blob got = ZINC_BLOB_INIT;
	int i;

	snprintf(a, sizeof a, "a/c/%d/%d", w->number / 2, w->number % 2);
	snprintf(b, sizeof b, "a/c/%d/%d", w->number / 2, w->number % 2 + 3);
	for (i = 0; i < ROUNDS; i++) {
		snprintf(text, sizeof text, "%d of %d", i, w->number);
		if (!works(w, "put", zinc_store_put(w->s, NULL, a, text, strlen(text), NULL, 0, NULL, NULL, NULL)) ||
		    !works(w, "put_begin", zinc_store_put_begin(w->s, &g, 0, NULL, NULL)))
			return NULL;
		(void)works(w, "put in a group",
			    zinc_store_put(w->s, g, b, text, strlen(text), NULL, 0, NULL, NULL, NULL));
		(void)works(w, "commit", zinc_store_commit(w->s, g, NULL, NULL, NULL, NULL));
		if (!works(w, "get", get_at_last(w->s, i % 2 ? a : b, &got)))
			return NULL;
		(void)works(w, "the bytes read",
			    got.nbytes == strlen(text) && memcmp(got.data, text, got.nbytes) == 0 ? ZINC_OK
												  : ZINC_E_CORRUPT);
		zinc_blob_fini(&got);
	}
	return NULL;
}

static void
test_threads_lose_nothing(void **state)
{
	writer w[WRITERS];
	pthread_t t[WRITERS];
	char want[32];
	rig x;
	int i;

	(void)state;
	rig_open(&x, 2, two_by_three, 0, NULL);
	for (i = 0; i < WRITERS; i++) {
		w[i] = (writer){.s = x.s, .number = i};
		assert_int_equal(pthread_create(&t[i], NULL, write_and_read, &w[i]), 0);
	}
	for (i = 0; i < WRITERS; i++) {
		char key[32];

		pthread_join(t[i], NULL);
		if (w[i].failed)
			fail_msg("writer %d: %s: %s", i, w[i].what, zinc_status_name(w[i].st));
		snprintf(key, sizeof key, "a/c/%d/%d", i / 2, i % 2 + 3);
		snprintf(want, sizeof want, "%d of %d", ROUNDS - 1, i);
		assert_text(x.s, key, want);
	}
	rig_close(&x);
}

/* ---- failures ---- */

static zinc_status
everything(zinc_store *s, zinc_error *err)
{
	static const char *const keys[] = {"c/0/0", "c/1/1", "c/3/4", "x"};
	zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_put_group *g = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	listing l = {"", 0};
	zinc_status st;
	zinc_tag tag;
	size_t i;

	for (i = 0; i < COUNT(keys); i++)
		ZINC_TRY(zinc_store_put(s, NULL, keys[i], "value", 5, NULL, 0, NULL, NULL, err));
	ZINC_TRY(zinc_store_put(s, NULL, "c/7/7", "value", 5, &absent, 0, &tag, NULL, err));
	ZINC_TRY(zinc_store_put_partial(s, &(zinc_partial){"c/0/0", 2, "!", 1, 0}, 1, 0, 0, NULL, err));
	ZINC_TRY(zinc_store_put_begin(s, &g, 0, NULL, err));
	for (i = 0, st = ZINC_OK; st == ZINC_OK && i < COUNT(keys); i++)
		st = zinc_store_put(s, g, keys[i], "other", 5, NULL, 0, NULL, NULL, err);
	if (st != ZINC_OK)
		return zinc_store_abort(s, g), st;
	ZINC_TRY(zinc_store_commit(s, g, NULL, NULL, NULL, err));
	ZINC_TRY(zinc_store_get_all(s, "c/3/4", &b, NULL, 0, NULL, err));
	zinc_blob_fini(&b);
	ZINC_TRY(zinc_store_list(s, "c/3/", list_key, &l, NULL, err));
	ZINC_TRY(zinc_store_list_dir(s, "", list_entry, &l, NULL, err));
	ZINC_TRY(zinc_store_del(s, NULL, "c/0/0", NULL, 0, NULL, err));
	return zinc_store_del_prefix(s, "c/1/", 0, NULL, err);
}

static zinc_status
run_everything(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_store *base, *s = NULL, *deep = NULL;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_store_open(&base, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err));
	st = zinc_store_sharded(
	    &s, base,
	    ZINC_SHARDED_OPTIONS(.ndim = 2, .chunks_per_shard = two_by_three, .shard_order = ZINC_SHARD_MORTON), err);
	if (st == ZINC_OK)
		st = zinc_store_sharded(&deep, s, ZINC_SHARDED_OPTIONS(.ndim = 2, .chunks_per_shard = two_by_three),
					err);
	if (st == ZINC_OK)
		st = everything(deep, err);
	zinc_store_close(deep);
	zinc_store_close(s);
	zinc_store_close(base);
	return st;
}

static void
test_memory_runs_out(void **state)
{
	(void)state;
	sweep_alloc(run_everything, NULL);
}

static void
test_bad_options(void **state)
{
	static const uint64_t zero[] = {2, 0}, huge[] = {UINT64_MAX, UINT64_MAX}, large[] = {1 << 20, 1 << 20};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base, *s = NULL;

	(void)state;
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
#define REFUSED(status, ...)                                                                                           \
	assert_int_equal(zinc_store_sharded(&s, base, ZINC_SHARDED_OPTIONS(__VA_ARGS__), &err), status)
	REFUSED(ZINC_E_INVALID, .ndim = -1);
	REFUSED(ZINC_E_INVALID, .ndim = 2);
	REFUSED(ZINC_E_INVALID, .ndim = ZINC_MAX_NDIM, .chunks_per_shard = zero);
	REFUSED(ZINC_E_INVALID, .ndim = 2, .chunks_per_shard = zero);
	REFUSED(ZINC_E_INVALID, .ndim = 2, .chunks_per_shard = two_by_three, .prefix = "a");
	REFUSED(ZINC_E_INVALID, .ndim = 2, .chunks_per_shard = two_by_three, .key_encoding = "odd");
	REFUSED(ZINC_E_INVALID, .ndim = 2, .chunks_per_shard = two_by_three, .shard_order = 7);
	REFUSED(ZINC_E_LIMIT, .ndim = 2, .chunks_per_shard = huge);
	REFUSED(ZINC_E_LIMIT, .ndim = 2, .chunks_per_shard = large);
#undef REFUSED
	assert_null(s);
	zinc_store_close(base);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_batch_is_two_calls),
	    cmocka_unit_test(test_generations_do_not_mix),
	    cmocka_unit_test(test_whole_shards_are_not_read),
	    cmocka_unit_test(test_bytes_in_rows),
	    cmocka_unit_test(test_bytes_appended),
	    cmocka_unit_test(test_bytes_in_morton_order),
	    cmocka_unit_test(test_foreign_bytes),
	    cmocka_unit_test(test_damaged_shards),
	    cmocka_unit_test(test_listing),
	    cmocka_unit_test(test_prefixes_are_translated),
	    cmocka_unit_test(test_keys_of_shards),
	    cmocka_unit_test(test_oracle),
	    cmocka_unit_test(test_threads_lose_nothing),
	    cmocka_unit_test(test_memory_runs_out),
	    cmocka_unit_test(test_bad_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
