/*
 * test_sharding_partial.c - parts of chunks that are set together, and the keys of the drafts
 */
#include <stdio.h>

#include "support/gets.h"
#include "support/test.h"
#include "transform/transform_inside.h"

static const uint64_t two_by_three[] = {2, 3};

/* ---- promise 6 of transform_sharding.c ---- */

static void
test_parts_are_one_update_of_each_shard(void **state)
{
	static const zinc_partial parts[] = {
	    {"a/c/0/0", 0, "AB", 2, 0},    {"a/c/1/2", 1, "l", 1, 0}, {"a/c/0/1", 0, "b", 1, 0},
	    {"a/zarr.json", 1, "x", 1, 0}, {"a/c/0/2", 2, "c", 1, 0}, {"a/c/1/0", 0, "dd", 2, 0},
	    {"a/c/10/0", 0, "e", 1, 0},    {"a/c/1/1", 0, "f", 1, 0}, {"a/c/0/0", 4, "E", 1, 0},
	    {"a/c/11/1", 0, "g", 1, 0},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base, *log, *s;
	zinc_store_counts was = ZINC_STORE_COUNTS_INIT, n = ZINC_STORE_COUNTS_INIT;

	(void)state;
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	assert_ok(zinc_store_log(&log, base, NULL, NULL, &err));
	assert_ok(zinc_store_sharded(
	    &s, log, ZINC_SHARDED_OPTIONS(.prefix = "a/", .ndim = 2, .chunks_per_shard = two_by_three), &err));
	put_text(s, "a/c/0/0", "abcdefg");
	put_text(s, "a/c/0/1", "old");
	zinc_store_log_counts(log, &was);
	assert_ok(zinc_store_put_partial(s, parts, COUNT(parts), 0, 0, NULL, &err));
	zinc_store_log_counts(log, &n);
	assert_int_equal(n.update_calls - was.update_calls, 3); /* two shards, one foreign key */
	assert_int_equal(n.put_calls - was.put_calls, 0);
	assert_text(s, "a/c/0/0", "ABcdEfg");
	assert_text(s, "a/c/0/1", "bld");
	assert_value(s, "a/c/0/2", "\0\0c", 3);
	assert_text(s, "a/c/1/0", "dd");
	assert_text(s, "a/c/1/1", "f");
	assert_value(s, "a/c/1/2", "\0l", 2);
	assert_text(s, "a/c/10/0", "e");
	assert_text(s, "a/c/11/1", "g");
	assert_value(base, "a/zarr.json", "\0x", 2);
	zinc_store_close(s);
	zinc_store_close(log);
	zinc_store_close(base);
}

/* Seed 002: "the chunk grid position [96, 18] (e.g. key data/root/foo/baz/c96/18) is transformed to the shard grid
 * position [3, 9] (e.g. data/root/foo/baz/c3/9)". */
static void
test_keys_of_the_seed(void **state)
{
	static const uint64_t per_shard[] = {32, 2};
	static const struct {
		const char *prefix, *encoding, *in[3], *other, *shard, *shard_of_other;
	} all[] = {
	    {"data/root/foo/baz/", NULL, {"c96/18", "c97/18", "c127/19"}, "c95/18", "c3/9", "c2/9"},
	    {"data/root/foo/baz/", "draft.", {"c96.18", "c97.18", "c127.19"}, "c128.18", "c3.9", "c4.9"},
	    {"", "draft", {"c96/18", "c97/18", "c127/19"}, "c96/20", "c3/9", "c3/10"},
	    {"data/root/foo/baz/", "default", {"c/96/18", "c/97/18", "c/127/19"}, "c/96/17", "c/3/9", "c/3/8"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base, *s;
	zinc_blob b = ZINC_BLOB_INIT;
	char key[64];
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
		assert_ok(zinc_store_sharded(&s, base,
					     ZINC_SHARDED_OPTIONS(.prefix = all[i].prefix, .ndim = 2,
								  .chunks_per_shard = per_shard,
								  .key_encoding = all[i].encoding),
					     &err));
		for (k = 0; k < 3; k++) {
			snprintf(key, sizeof key, "%s%s", all[i].prefix, all[i].in[k]);
			put_text(s, key, all[i].in[k]);
			assert_text(s, key, all[i].in[k]);
		}
		snprintf(key, sizeof key, "%s%s", all[i].prefix, all[i].other);
		put_text(s, key, "other");
		snprintf(key, sizeof key, "%s%s", all[i].prefix, all[i].shard);
		assert_ok(zinc_store_get_all(base, key, &b, NULL, 0, NULL, &err));
		assert_int_equal(b.nbytes, strlen(all[i].in[0]) + strlen(all[i].in[1]) + strlen(all[i].in[2]) + 1024);
		zinc_blob_fini(&b);
		snprintf(key, sizeof key, "%s%s", all[i].prefix, all[i].shard_of_other);
		assert_ok(zinc_store_get_all(base, key, &b, NULL, 0, NULL, &err));
		zinc_blob_fini(&b);
		put_text(s, "meta/root/foo/baz.array.json", "{}");
		assert_text(base, "meta/root/foo/baz.array.json", "{}");
		zinc_store_close(s);
		zinc_store_close(base);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parts_are_one_update_of_each_shard),
	    cmocka_unit_test(test_keys_of_the_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
