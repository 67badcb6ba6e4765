/*
 * test_store_cache_identity.c - of which stores a cache outlives its process, and which of them share one
 */
#include <stdio.h>

#include "store/store_cache.h"
#include "store/store_url.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

/* (C2) Remote, or durable with an absolute path; what it is opened for does not matter. */
static void
lasting(void **state)
{
	static const struct {
		uint32_t flags;
		const char *rest;
		bool lasts;
	} rows[] = {
	    {ZINC_CAP_DURABLE, "/d/x.db", true},
	    {ZINC_CAP_DURABLE, "x.db", false},
	    {ZINC_CAP_REMOTE, "host/x", true},
	    {ZINC_CAP_WRITE, "/d/x.db", false},
	    {0, "/d/x.db", false},
	};
	zinc_store_ops ops = {.size = sizeof ops};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL, *t = NULL;
	size_t i;

	(void)state;
	make_empty("none");
	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	for (i = 0; i < COUNT(rows); i++) {
		ops.flags = rows[i].flags;
		zinc_store_identify(s, NULL, &ops, rows[i].rest, NULL, 0);
		assert_int_equal(s->identified, rows[i].lasts);
		assert_ok(zinc_store_cache(&t, s, ZINC_STORE_CACHE_OPTIONS(.dir = "none"), &err));
		assert_int_equal(strcmp(tree("none"), "") != 0, rows[i].lasts);
		zinc_store_close(t);
		make_empty("none");
	}
	ops.flags = ZINC_CAP_REMOTE;
	ops.size = offsetof(zinc_store_ops, flags); /* of an older program */
	zinc_store_identify(s, NULL, &ops, "host/x", NULL, 0);
	assert_false(s->identified);
	zinc_store_close(s);
	assert_ok(zinc_store_open(&t, "/d", NULL, &err)); /* tags of files may return */
	assert_false(t->identified);
	zinc_store_close(t);
}

/* (C3) Variables that a store reads itself make it another store. */
static void
variables(void **state)
{
	static const char *const names[] = {"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE",
					    "AWS_ACCESS_KEY_ID"};
	const zinc_store_ops s3 = {.size = sizeof s3,
				   .schemes = "s3",
				   .flags = ZINC_CAP_REMOTE,
				   .variables = "AWS_ENDPOINT_URL_S3,AWS_ENDPOINT_URL,AWS_PROFILE,AWS_ACCESS_KEY_ID"};
	const zinc_store_ops other = {.size = sizeof other, .schemes = "http", .flags = ZINC_CAP_REMOTE};
	uint8_t seen[2 * COUNT(names) + 1][ZINC_HASH_BYTES];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	size_t i, j, n = 0;

	(void)state;
	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	for (i = 0; i <= 2 * COUNT(names); i++) {
		if (i)
			assert_int_equal(setenv(names[(i - 1) / 2], i % 2 ? "http://one" : "http://two", 1), 0);
		memset(s->identity, 0, sizeof s->identity);
		zinc_store_identify(s, NULL, &s3, "bucket", NULL, 0);
		memcpy(seen[n++], s->identity, ZINC_HASH_BYTES);
		for (j = 0; j + 1 < n; j++)
			assert_memory_not_equal(seen[j], s->identity, ZINC_HASH_BYTES);
		if (i && i % 2 == 0)
			unsetenv(names[(i - 1) / 2]);
	}
	for (i = 0; i < 2; i++) {
		setenv("AWS_PROFILE", i ? "a" : "b", 1);
		memset(s->identity, 0, sizeof s->identity);
		zinc_store_identify(s, NULL, &other, "bucket", NULL, 0);
		memcpy(seen[i], s->identity, ZINC_HASH_BYTES);
	}
	assert_memory_equal(seen[0], seen[1], ZINC_HASH_BYTES);
	unsetenv("AWS_PROFILE");
	zinc_store_close(s);
}

/* (4) The values of an archive change when it is released. */
static void
released(void **state)
{
	const zinc_store_cache_options *o = ZINC_STORE_CACHE_OPTIONS(.dir = "held", .name = "n", .age = 1000);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *a = NULL, *b = NULL, *below[2] = {NULL, NULL};

	(void)state;
	assert_ok(zinc_store_open(&below[0], "held.zip", NULL, &err));
	assert_ok(zinc_store_open(&below[1], "held.zip", NULL, &err));
	assert_ok(zinc_store_cache(&a, below[0], o, &err));
	assert_ok(zinc_store_cache(&b, below[1], o, &err));
	assert_ok(zinc_store_hold(a, NULL, &err));
	put_text(a, "k", "value");
	assert_missing(b, "k");
	assert_ok(zinc_store_release(a, true, 0, NULL, &err));
	assert_text(b, "k", "value");
	zinc_store_close(a);
	zinc_store_close(b);
	zinc_store_close(below[0]);
	zinc_store_close(below[1]);
}

/* (C2) (C3) */
static void
identity(void **state)
{
	static const char *const urls[] = {
	    "memory://a", "/d", "/d/e", "d", "memory://b", "/d|zarr3:e", "/d|cache:?age=1", "/d|cache:?age=2"};
	zinc_store *s[COUNT(urls)] = {NULL}, *t = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, j;

	(void)state;
	assert_int_equal(setenv("ZINC_CACHE_DIR", "by_url", 1), 0); /* never the user's own */
	for (i = 0; i < COUNT(urls); i++)
		assert_ok(zinc_store_open(&s[i], urls[i], NULL, &err));
	for (i = 0; i < COUNT(urls); i++)
		for (j = 0; j < i; j++)
			assert_memory_not_equal(s[i]->identity, s[j]->identity, ZINC_HASH_BYTES);
	assert_false(s[3]->identified);
	assert_ok(zinc_store_open(&t, "/d", NULL, &err));
	assert_memory_equal(s[1]->identity, t->identity, ZINC_HASH_BYTES);
	zinc_store_close(t);
	assert_ok(zinc_store_readonly(&t, s[1], &err));
	assert_memory_equal(s[1]->identity, t->identity, ZINC_HASH_BYTES);
	zinc_store_close(t);
	assert_ok(zinc_store_prefix(&t, s[1], "x/", &err));
	assert_memory_not_equal(s[1]->identity, t->identity, ZINC_HASH_BYTES);
	zinc_store_close(t);
	make_empty("none");
	assert_ok(zinc_store_cache(&t, s[0], ZINC_STORE_CACHE_OPTIONS(.dir = "none"), &err));
	assert_string_equal(tree("none"), "");
	zinc_store_close(t);
	assert_ok(zinc_store_cache(&t, s[3], ZINC_STORE_CACHE_OPTIONS(.dir = "none"), &err));
	assert_string_equal(tree("none"), "");
	zinc_store_close(t);
	assert_ok(zinc_store_cache(&t, s[1], ZINC_STORE_CACHE_OPTIONS(.dir = "none"), &err));
	assert_string_equal(tree("none"), "");
	zinc_store_close(t);
	assert_ok(zinc_store_cache(&t, s[1], ZINC_STORE_CACHE_OPTIONS(.dir = "none", .name = "d"), &err));
	assert_string_not_equal(tree("none"), "");
	zinc_store_close(t);
	for (i = 0; i < COUNT(urls); i++)
		zinc_store_close(s[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(identity),
	    cmocka_unit_test(lasting),
	    cmocka_unit_test(variables),
	    cmocka_unit_test(released),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
