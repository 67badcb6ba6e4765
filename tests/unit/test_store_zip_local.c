/*
 * test_store_zip_local.c - reading an archive that is a local file, by the promises of store_zip_local.c (F1 ...)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/store_zip.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

#define URL   "d/a.zip|zip:"
#define LARGE 300001u /* several blocks, the last one short */

static uint8_t large[LARGE];

/* An archive of "a", "large" and three more; `shift` makes another large value. */
static void
make_archive(const char *url, unsigned shift)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	size_t i;

	for (i = 0; i < LARGE; i++)
		large[i] = (uint8_t)((i * 7 + shift) >> 3);
	assert_ok(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	put_text(s, "a", "first");
	assert_ok(zinc_store_put(s, NULL, "large", large, LARGE, NULL, 0, NULL, NULL, &err));
	put_text(s, "b", "second");
	put_text(s, "c", "third");
	zinc_store_close(s);
}

/* A store whose calls of the system are counted. */
static void
open_counted(fs_rig *rig, const char *url, int read_only)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(rig, 0, sizeof *rig);
	assert_ok(zinc_context_new(&rig->ctx, ZINC_CONTEXT_OPTIONS(.threads = 1), &err));
	sweep_calls_init(&rig->calls, NULL);
	rig->calls.keep_log = true;
	zinc_context_set_os(rig->ctx, &rig->calls.os);
	assert_ok(
	    zinc_store_open(&rig->store, url, ZINC_STORE_OPTIONS(.context = rig->ctx, .read_only = read_only), &err));
}

/* ---- F1 ---- */

static void
one_descriptor_per_get(void **state)
{
	const zinc_get requests[] = {get_range("a", 0, ZINC_TO_END),
				     get_range("large", 0, ZINC_TO_END),
				     get_stat("b"),
				     get_range("none", 0, ZINC_TO_END),
				     get_range("c", 1, 2),
				     get_suffix("large", 9)};
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;
	gets g;
	int i;

	(void)state;
	make_empty("d");
	make_archive(URL, 0);
	for (i = 0; i < 4; i++) {
		if (i % 2 == 0) {
			open_counted(&rig, URL, i / 2);
			assert_text(rig.store, "a", "first"); /* reads the directory */
		}
		sweep_calls_forget(&rig.calls);
		gets_init(&g, 6);
		assert_ok(gets_run(&g, rig.store, requests, &err));
		assert_int_equal(rig_count(&rig, "open_at"), 1);
		assert_int_equal(rig_count(&rig, "fstat"), 1);
		assert_int_equal(rig_count(&rig, "close"), 1);
		assert_memory_equal(g.r[1].bytes, large, LARGE);
		assert_int_equal(g.r[2].object_size, 6);
		assert_int_equal(g.r[3].found, ZINC_MISSING);
		assert_memory_equal(g.r[4].bytes, "hi", 2);
		assert_memory_equal(g.r[5].bytes, large + LARGE - 9, 9);
		gets_fini(&g);
		if (i % 2 == 1)
			rig_close(&rig);
	}
}

/* ---- F2 ---- */

static void
replace(void *arg, const char *name, int fd, const char *path)
{
	(void)fd;
	(void)path;
	if (strcmp(name, (const char *)arg) == 0 && exists("e/a.zip"))
		assert_int_equal(rename("e/a.zip", "d/a.zip"), 0);
}

/* Another archive, with entries of other sizes at other places, takes its place before a get, or at any step of it. */
static void
replaced_archives_are_not_mixed(void **state)
{
	static const char *const steps[] = {NULL, "open_at", "fstat", "preadv", "close"};
	zinc_store *s = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t before[LARGE];
	fs_rig rig;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof steps / sizeof *steps; i++) {
		const zinc_get r[] = {get_range("large", 0, ZINC_TO_END), get_range("a", 0, ZINC_TO_END)};
		bool is_new;
		gets g;

		make_empty("d");
		make_empty("e");
		make_archive(URL, 0);
		memcpy(before, large, LARGE);
		open_counted(&rig, URL, 0);
		assert_text(rig.store, "a", "first");
		assert_ok(zinc_store_open(&s, "e/a.zip|zip:", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
		put_text(s, "a", "newer than the first");
		zinc_store_close(s);
		make_archive("e/a.zip|zip:", 5);
		assert_ok(zinc_store_open(&s, "e/a.zip|zip:", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
		put_text(s, "a", "newest");
		zinc_store_close(s);
		if (steps[i]) {
			rig.calls.hook = replace;
			rig.calls.hook_arg = (void *)(uintptr_t)steps[i];
		} else {
			assert_int_equal(rename("e/a.zip", "d/a.zip"), 0);
		}
		gets_init(&g, 2);
		assert_ok(gets_run(&g, rig.store, r, &err));
		assert_int_equal(g.r[0].found, ZINC_FOUND);
		assert_int_equal(g.r[1].found, ZINC_FOUND);
		is_new = memcmp(g.r[0].bytes, large, LARGE) == 0;
		assert_true(is_new || memcmp(g.r[0].bytes, before, LARGE) == 0);
		assert_memory_equal(g.r[1].bytes, is_new ? "newest" : "first", g.r[1].nbytes);
		if (i < 2)
			assert_true(is_new);
		gets_fini(&g);
		rig.calls.hook = NULL;
		assert_text(rig.store, "a", "newest");
		rig_close(&rig);
	}
}

/* A program that cuts the file off while it is read: the call fails, and does not wait for ever. */
static void
cut_off(void *arg, const char *name, int fd, const char *path)
{
	(void)arg;
	(void)fd;
	(void)path;
	if (strcmp(name, "preadv") == 0)
		assert_int_equal(truncate("d/a.zip", 1000), 0);
}

static void
an_archive_that_becomes_shorter(void **state)
{
	const zinc_get r = get_range("large", 0, ZINC_TO_END);
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;
	gets g;

	(void)state;
	make_empty("d");
	make_archive(URL, 0);
	open_counted(&rig, URL, 0);
	assert_text(rig.store, "a", "first");
	rig.calls.hook = cut_off;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, rig.store, &r, &err));
	assert_int_equal(g.r[0].found, ZINC_FAILED);
	assert_int_equal(g.r[0].status, ZINC_E_CORRUPT); /* there is no end record any more */
	gets_fini(&g);
	rig_close(&rig);
}

/* ---- F3 ---- */

/* Each block counts in the checksum, in pieces of any length. */
static void
every_block_is_summed_up(void **state)
{
	static const size_t at[] = {0, 131071, 131072, 200000, LARGE - 1};
	static uint8_t out[LARGE];
	const struct iovec iov[] = {{out, 100000}, {out + 100000, 0}, {out + 100000, 150001}, {out + 250001, 50000}};
	zinc_get r = get_range("large", 0, LARGE);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	uint8_t *file;
	FILE *f;
	size_t i, n;
	gets g;

	(void)state;
	make_empty("d");
	make_archive(URL, 0);
	file = (uint8_t *)malloc(LARGE + 4096);
	f = fopen("d/a.zip", "rb");
	assert_true(file && f);
	n = fread(file, 1, LARGE + 4096, f);
	fclose(f);
	r.iov = iov;
	r.niov = 4;
	for (i = 0; i <= 5; i++) {
		uint8_t *p = (uint8_t *)memmem(file, n, large, LARGE);

		assert_non_null(p);
		if (i < 5)
			p[at[i]] ^= 1;
		write_bytes("d/a.zip", file, n);
		if (i < 5)
			p[at[i]] ^= 1;
		assert_ok(zinc_store_open(&s, URL, NULL, &err));
		gets_init(&g, 1);
		assert_ok(gets_run(&g, s, &r, &err));
		assert_int_equal(g.r[0].found, i < 5 ? ZINC_FAILED : ZINC_FOUND);
		if (i < 5)
			assert_int_equal(g.r[0].status, ZINC_E_CHECKSUM);
		else
			assert_memory_equal(out, large, LARGE);
		gets_fini(&g);
		zinc_store_close(s);
	}
	free(file);
}

/* ---- failures ---- */

static void
make_d(void *arg)
{
	(void)arg;
	make_empty("d");
	make_archive(URL, 0);
}

static zinc_status
read_all(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_get requests[] = {get_range("large", 0, ZINC_TO_END), get_range("a", 1, 3)};
	zinc_store *s = NULL;
	zinc_status st;
	gets g;
	int i;

	(void)arg;
	ZINC_TRY(zinc_store_open(&s, URL, ZINC_STORE_OPTIONS(.context = ctx), err));
	gets_init(&g, 2);
	st = gets_run(&g, s, requests, err);
	for (i = 0; st == ZINC_OK && i < 2; i++) {
		st = g.r[i].status;
		if (st != ZINC_OK)
			*err = g.r[i].error;
		else
			assert_memory_equal(g.r[i].bytes, i == 0 ? (const void *)large : "irs", i == 0 ? LARGE : 3);
	}
	gets_fini(&g);
	zinc_store_close(s);
	return st;
}

static void
every_failure_is_reported(void **state)
{
	static const int errnums[] = {EIO, EINTR, 0};
	const sweep_scenario scenario = {.run = read_all};

	(void)state;
	make_d(NULL);
	assert_true(sweep_os_scenario(&scenario, errnums) > 8);
	assert_true(sweep_alloc_scenario(&scenario) > 8);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_descriptor_per_get),          cmocka_unit_test(replaced_archives_are_not_mixed),
	    cmocka_unit_test(an_archive_that_becomes_shorter), cmocka_unit_test(every_block_is_summed_up),
	    cmocka_unit_test(every_failure_is_reported),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
