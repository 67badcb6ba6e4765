/*
 * test_store_zip.c - reading archives, by the promises of store_zip_load.c, store_zip_read.c and store_zip_list.c
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/store_zip.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"
#include "support/zips.h"

static zips z;

/* The zip store over a store that counts, over memory. */
typedef struct counted {
	zinc_store *below, *log, *zip;
} counted;

static void
count_begin(counted *c)
{
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	void *self = NULL;

	memset(c, 0, sizeof *c);
	o.context = zinc_context_get(NULL);
	assert_ok(zinc_store_open(&c->below, "memory://", NULL, &err));
	assert_ok(zinc_store_put(c->below, NULL, "a.zip", z.all, z.n, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_log(&c->log, c->below, NULL, NULL, &err));
	assert_ok(zinc_store_ops_zip.adapt(&self, c->log, "a.zip", &o, &err));
	assert_ok(zinc_store_wrap(&c->zip, NULL, &zinc_store_ops_zip, self, "counted:", &err));
}

static void
count_end(counted *c)
{
	zinc_store_close(c->zip);
	zinc_store_close(c->log);
	zinc_store_close(c->below);
}

static zinc_store_counts
counts(const counted *c)
{
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;

	zinc_store_log_counts(c->log, &n);
	return n;
}

static void
replace(const counted *c)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(c->below, NULL, "a.zip", z.all, z.n, NULL, 0, NULL, NULL, &err));
}

static void
make_small(const char *a, const char *b)
{
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", a);
	zips_text(&z, "b/c", b);
	zips_end(&z, NULL, false);
}

/* ---- L1, R1, R2 ---- */

/* Into the caller's memory: nothing needs to be known before, so the archive is not asked for its state. */
static zinc_get
get_into(const char *key, uint64_t offset, struct iovec *iov)
{
	zinc_get r = get_range(key, offset, iov->iov_len);

	r.iov = iov;
	r.niov = 1;
	return r;
}

static void
few_requests_below(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char a[3], b[3];
	struct iovec ia = {a, 3}, ib = {b, 3}, part = {b, 2};
	zinc_get all[2] = {get_into("a", 0, &ia), get_into("b/c", 0, &ib)}, middle = get_into("b/c", 1, &part);
	zinc_store_counts was, now;
	counted c;
	gets g;

	(void)state;
	make_small("one", "two");
	count_begin(&c);
	gets_init(&g, 2);
	assert_ok(gets_run(&g, c.zip, all, &err));
	assert_memory_equal(a, "one", 3);
	assert_memory_equal(b, "two", 3);
	now = counts(&c);
	assert_int_equal(now.get_calls, 2); /* the end of the archive; then both entries */
	assert_int_equal(now.get_requests, 3);
	gets_fini(&g);
	was = now;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, c.zip, &middle, &err));
	assert_memory_equal(b, "wo", 2);
	now = counts(&c);
	assert_int_equal(now.get_requests - was.get_requests, 1);
	assert_int_equal(now.get_bytes - was.get_bytes, 2);
	gets_fini(&g);
	count_end(&c);
	count_begin(&c); /* the middle first: its header is needed */
	gets_init(&g, 1);
	assert_ok(gets_run(&g, c.zip, &middle, &err));
	assert_memory_equal(b, "wo", 2);
	now = counts(&c);
	assert_int_equal(now.get_requests, 3);
	gets_fini(&g);
	count_end(&c);
}

/* Local extra fields are not in the directory.  After the first, their length is guessed. */
static void
local_fields_of_any_length(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char name[8], value[4];
	struct iovec iov = {value, 3};
	zinc_store_counts was, now;
	counted c;
	gets g;
	int i;

	(void)state;
	zips_begin(&z, 0, 0);
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "k%d", i);
		zips_add(&z, &(zips_entry){.name = name, .bytes = "abc", .n = 3, .flags = 8, .local_extra = 28});
	}
	zips_end(&z, NULL, false);
	count_begin(&c);
	for (i = 0; i < 4; i++) {
		zinc_get r;

		snprintf(name, sizeof name, "k%d", i);
		r = get_into(name, 0, &iov);
		was = counts(&c);
		gets_init(&g, 1);
		assert_ok(gets_run(&g, c.zip, &r, &err));
		assert_int_equal(g.r[0].found, ZINC_FOUND);
		assert_memory_equal(value, "abc", 3);
		gets_fini(&g);
		now = counts(&c);
		assert_int_equal(now.get_requests - was.get_requests, i == 0 ? 3 : 1);
	}
	count_end(&c);
}

static void
a_long_directory(void **state)
{
	enum { N = 2000 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *below = NULL, *s = NULL, *log = NULL;
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_put_group *g = NULL;
	void *self = NULL;
	char key[32];
	int i, listed = 0;

	(void)state;
	assert_ok(zinc_store_open(&below, "memory://long", NULL, &err));
	assert_ok(zinc_store_open(&s, "memory://long/a.zip|zip:", NULL, &err));
	assert_ok(zinc_store_put_begin(s, &g, 0, NULL, &err));
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "some/path/that/is/long/%d", i);
		assert_ok(zinc_store_put(s, g, key, key, strlen(key), NULL, 0, NULL, NULL, &err));
	}
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	zinc_store_close(s);
	o.context = zinc_context_get(NULL);
	assert_ok(zinc_store_log(&log, below, NULL, NULL, &err));
	assert_ok(zinc_store_ops_zip.adapt(&self, log, "a.zip", &o, &err));
	s = NULL;
	assert_ok(zinc_store_wrap(&s, NULL, &zinc_store_ops_zip, self, "counted:", &err));
	assert_ok(zinc_store_list(s, "some/", count_key, &listed, NULL, &err));
	assert_int_equal(listed, N);
	zinc_store_log_counts(log, &n);
	assert_int_equal(n.get_requests, 3); /* its end, the directory, and whether it is current */
	for (i = 0; i < N; i += 97) {
		snprintf(key, sizeof key, "some/path/that/is/long/%d", i);
		assert_text(s, key, key);
	}
	zinc_store_close(s);
	zinc_store_close(log);
	zinc_store_close(below);
}

/* ---- L2, L3, R5 ---- */

static void
a_replaced_archive_is_noticed(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char value[3];
	struct iovec iov = {value, 3};
	zinc_get r = get_into("a", 0, &iov);
	zinc_tag tag;
	counted c;
	gets g;

	(void)state;
	make_small("one", "two");
	count_begin(&c);
	assert_text(c.zip, "a", "one");
	make_small("six", "ten"); /* of the same size: only its tag tells */
	replace(&c);
	gets_init(&g, 1);
	assert_ok(gets_run(&g, c.zip, &r, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_memory_equal(value, "six", 3);
	gets_fini(&g);
	tag = tag_of(c.zip, "a");
	make_small("ONE", "and another");
	replace(&c);
	gets_init(&g, 1);
	assert_ok(gets_run(&g, c.zip, &r, &err)); /* by the tag of the range */
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_memory_equal(value, "ONE", 3);
	gets_fini(&g);
	assert_text(c.zip, "b/c", "and another");
	r.if_tag = &tag;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, c.zip, &r, &err));
	assert_int_equal(g.r[0].found, ZINC_CHANGED);
	gets_fini(&g);
	zips_begin(&z, 0, 0);
	zips_text(&z, "new", "new");
	zips_end(&z, NULL, false);
	replace(&c);
	assert_missing(c.zip, "a");
	assert_text(c.zip, "new", "new");
	count_end(&c);
}

/* ---- L4 ---- */

static void
archives_that_are_not_there(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	counted c;
	int n = 0;

	(void)state;
	assert_ok(zinc_store_open(&s, "none/a.zip|zip:", NULL, &err));
	assert_missing(s, "a");
	assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
	assert_int_equal(n, 0);
	zinc_store_close(s);
	make_small("one", "two");
	count_begin(&c);
	assert_text(c.zip, "a", "one");
	assert_ok(zinc_store_del(c.below, NULL, "a.zip", NULL, 0, NULL, &err));
	assert_int_equal(zinc_store_get_all(c.zip, "a", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "was removed while it was open"));
	assert_int_equal(zinc_store_get_all(c.zip, "none", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	replace(&c);
	assert_text(c.zip, "a", "one");
	count_end(&c);
	assert_int_equal(zinc_store_open(&s, "memory://m|zip:a", NULL, &err), ZINC_E_INVALID);
}

/* ---- R3, R4 ---- */

static void
wrong_bytes_are_never_found(void **state)
{
	static const char *const names[] = {"stored", "packed"};
	static const uint8_t packed[] = {0x4B, 0x4C, 0x4A, 0x06, 0x00}; /* "abc" */
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *below = NULL, *s;
	zinc_blob b = ZINC_BLOB_INIT;
	size_t i;

	(void)state;
	zips_begin(&z, 0, 0);
	zips_add(&z, &(zips_entry){.name = "stored", .bytes = "abc", .n = 3, .crc = 0xBAD});
	zips_add(&z,
		 &(zips_entry){
		     .name = "packed", .bytes = packed, .n = sizeof packed, .nbytes = 3, .method = 8, .crc = 0xBAD});
	zips_add(&z, &(zips_entry){.name = "right",
				   .bytes = packed,
				   .n = sizeof packed,
				   .nbytes = 3,
				   .method = 8,
				   .crc = zinc_crc32(0, "abc", 3)});
	zips_add(&z, &(zips_entry){.name = "name", .bytes = "abc", .n = 3, .local_name = "NAME"});
	zips_end(&z, NULL, false);
	s = zips_open(&z, "wrong", &below);
	for (i = 0; i < COUNT(names); i++) {
		assert_int_equal(zinc_store_get_all(s, names[i], &b, NULL, 0, NULL, &err), ZINC_E_CHECKSUM);
		assert_null(b.data);
	}
	assert_text(s, "right", "abc");
	assert_int_equal(zinc_store_get_all(s, "name", &b, NULL, 0, NULL, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "not that of the entry"));
	zinc_store_close(s);
	zinc_store_close(below);
}

/* Parts of a deflated entry are cut from all of it, into any memory. */
static void
parts_of_deflated_entries(void **state)
{
	static const uint8_t packed[] = {0x4B, 0x4C, 0x4A, 0x06, 0x00};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *below = NULL, *s;
	char x[1], y[1], w[2];
	struct iovec two[2] = {{x, 1}, {y, 1}}, end = {w, 2}, whole[2] = {{w, 2}, {x, 1}};
	zinc_get r[3] = {get_range("k", 0, 2), get_suffix("k", 2), get_range("k", 0, 3)};
	gets g;

	(void)state;
	zips_begin(&z, 0, 0);
	zips_add(&z, &(zips_entry){.name = "k",
				   .bytes = packed,
				   .n = sizeof packed,
				   .nbytes = 3,
				   .method = 8,
				   .crc = zinc_crc32(0, "abc", 3)});
	zips_end(&z, NULL, false);
	s = zips_open(&z, "parts", &below);
	r[0].iov = two;
	r[0].niov = 2;
	r[1].iov = &end;
	r[1].niov = 1;
	gets_init(&g, 2);
	assert_ok(gets_run(&g, s, r, &err));
	assert_int_equal(g.r[0].object_size, 3);
	assert_memory_equal(x, "a", 1);
	assert_memory_equal(y, "b", 1);
	assert_memory_equal(w, "bc", 2);
	gets_fini(&g);
	r[2].iov = whole;
	r[2].niov = 2;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r[2], &err));
	assert_memory_equal(w, "ab", 2);
	assert_memory_equal(x, "c", 1);
	gets_fini(&g);
	zinc_store_close(s);
	zinc_store_close(below);
}

/* ---- S1 ---- */

static void
one_level_of_many_keys(void **state)
{
	enum { N = 100000 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_put_group *g = NULL;
	char key[32];
	int i, n = 0;

	(void)state;
	make_empty("many");
	assert_ok(zinc_store_open(&s, "many/a.zip|zip:", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	assert_ok(zinc_store_put_begin(s, &g, ZINC_PUT_RELAXED, NULL, &err));
	for (i = 0; i < N; i++) {
		snprintf(key, sizeof key, "c/%d/%d", i % 7, i);
		assert_ok(zinc_store_put(s, g, key, key, 3, NULL, 0, NULL, NULL, &err));
	}
	assert_ok(zinc_store_commit(s, g, NULL, NULL, NULL, &err));
	assert_ok(zinc_store_list(s, "", count_key, &n, NULL, &err));
	assert_int_equal(n, N);
	n = 0;
	assert_ok(zinc_store_list_dir(s, "c/", count_entry, &n, NULL, &err));
	assert_int_equal(n, 7);
	assert_value(s, "c/3/99998", "c/3", 3);
	zinc_store_close(s);
}

/* ---- every failure ---- */

static zinc_status
open_and_read(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_blob a = ZINC_BLOB_INIT, b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	zinc_status st;
	int n = 0;

	(void)arg;
	st = zinc_store_open(&s, "read/a.zip|zip:", ZINC_STORE_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(s, "a", &a, NULL, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(s, "packed", &b, NULL, 0, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_list(s, "", count_key, &n, NULL, err);
	if (st == ZINC_OK) {
		assert_string_equal((const char *)a.data, "one");
		assert_string_equal((const char *)b.data, "abc");
		assert_int_equal(n, 2);
	}
	zinc_blob_fini(&a);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return st;
}

static void
every_failure(void **state)
{
	static const uint8_t packed[] = {0x4B, 0x4C, 0x4A, 0x06, 0x00};

	(void)state;
	make_empty("read");
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_add(&z, &(zips_entry){.name = "packed",
				   .bytes = packed,
				   .n = sizeof packed,
				   .nbytes = 3,
				   .method = 8,
				   .crc = zinc_crc32(0, "abc", 3)});
	zips_end(&z, NULL, false);
	write_bytes("read/a.zip", z.all, z.n);
	assert_true(sweep_alloc(open_and_read, NULL) > 20);
	assert_true(sweep_os(open_and_read, NULL, EIO, EINTR, 0) > 10);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(few_requests_below),
	    cmocka_unit_test(local_fields_of_any_length),
	    cmocka_unit_test(a_long_directory),
	    cmocka_unit_test(a_replaced_archive_is_noticed),
	    cmocka_unit_test(archives_that_are_not_there),
	    cmocka_unit_test(wrong_bytes_are_never_found),
	    cmocka_unit_test(parts_of_deflated_entries),
	    cmocka_unit_test(one_level_of_many_keys),
	    cmocka_unit_test(every_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
