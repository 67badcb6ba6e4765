/*
 * test_store_lend.c - zinc_store_lend: which stores lend their values, and what a lent descriptor holds
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

static zinc_store *
open_dir(int links)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	make_empty("d");
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.relaxed = 1, .links = links), &err));
	return s;
}

static int
count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static const char *
content(const zinc_lent *lent)
{
	static char text[64];
	ssize_t n = pread(lent->fd, text, sizeof text - 1, (off_t)lent->offset);

	assert_int_equal(n, lent->nbytes);
	text[n] = '\0';
	return text;
}

/* Lends `key` with this text, and with the tag that a get tells. */
static void
assert_lends(zinc_store *s, const char *key, const char *want)
{
	zinc_lent lent = ZINC_LENT_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_tag tag = tag_of(s, key);
	int before = count_descriptors();

	assert_ok(zinc_store_lend(s, key, &lent, NULL, &err));
	assert_string_equal(content(&lent), want);
	assert_int_equal(lent.tag.n, tag.n);
	assert_memory_equal(lent.tag.b, tag.b, tag.n);
	close(lent.fd);
	assert_int_equal(count_descriptors(), before);
}

static void
assert_lends_not(zinc_store *s, const char *key, zinc_status want, int os_error)
{
	zinc_lent lent = ZINC_LENT_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	int before = count_descriptors();

	assert_int_equal(zinc_store_lend(s, key, &lent, NULL, &err), want);
	assert_int_equal(err.code, want);
	assert_int_equal(err.os_error, os_error);
	assert_int_equal(lent.fd, -1);
	assert_int_equal(count_descriptors(), before);
}

static void
files_are_lent(void **state)
{
	zinc_store *s = open_dir(ZINC_LINKS_FOLLOW);

	(void)state;
	put_text(s, "a/k", "value");
	put_text(s, "empty", "");
	assert_lends(s, "a/k", "value");
	assert_lends(s, "empty", "");
	assert_lends_not(s, "none", ZINC_E_NOTFOUND, 0);
	assert_lends_not(s, "a/none", ZINC_E_NOTFOUND, 0);
	assert_lends_not(s, "a/k/none", ZINC_E_NOTFOUND, 0);
	assert_lends_not(s, "a", ZINC_E_IO, EISDIR); /* as a get */
	assert_lends_not(s, "../d/a/k", ZINC_E_INVALID, 0);
	assert_int_equal(mkfifo("d/fifo", 0600), 0);
	assert_lends_not(s, "fifo", ZINC_E_IO, ENXIO);
	zinc_store_close(s);
}

static void
a_descriptor_keeps_its_value(void **state)
{
	zinc_store *s = open_dir(ZINC_LINKS_FOLLOW);
	zinc_lent old = ZINC_LENT_INIT, new = ZINC_LENT_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	put_text(s, "k", "first");
	assert_ok(zinc_store_lend(s, "k", &old, NULL, &err));
	put_text(s, "k", "second");
	assert_ok(zinc_store_lend(s, "k", &new, NULL, &err));
	assert_string_equal(content(&old), "first");
	assert_string_equal(content(&new), "second");
	assert_false(old.tag.n == new.tag.n && !memcmp(old.tag.b, new.tag.b, old.tag.n));
	assert_ok(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err));
	assert_string_equal(content(&new), "second");
	close(old.fd);
	close(new.fd);
	zinc_store_close(s);
}

static void
links_lead_nowhere_else(void **state)
{
	zinc_store *s;

	(void)state;
	if (!can_follow())
		skip();
	s = open_dir(ZINC_LINKS_BENEATH);
	make_empty("other");
	write_file("other/k", "theirs");
	put_text(s, "a/k", "value");
	assert_int_equal(symlink("../other/k", "d/out"), 0);
	assert_int_equal(symlink("../other", "d/outdir"), 0);
	assert_int_equal(symlink("/etc/passwd", "d/absolute"), 0);
	assert_int_equal(symlink("a/k", "d/in"), 0);
	assert_lends(s, "in", "value");
	assert_lends_not(s, "out", ZINC_E_IO, EXDEV);
	assert_lends_not(s, "outdir/k", ZINC_E_IO, EXDEV);
	assert_lends_not(s, "absolute", ZINC_E_IO, EXDEV);
	zinc_store_close(s);
}

static void
wrappers_lend_what_they_wrap(void **state)
{
	zinc_store *base = open_dir(ZINC_LINKS_FOLLOW), *s = NULL;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	put_text(base, "a/k", "value");
	assert_ok(zinc_store_prefix(&s, base, "a/", &err));
	assert_lends(s, "k", "value");
	assert_lends_not(s, "a/k", ZINC_E_NOTFOUND, 0);
	assert_lends_not(s, "../a/k", ZINC_E_INVALID, 0);
	zinc_store_close(s);
	assert_ok(zinc_store_readonly(&s, base, &err));
	assert_lends(s, "a/k", "value");
	zinc_store_close(s);
	zinc_store_close(base);
}

static char told[128];

static void
note(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	(void)arg;
	snprintf(told, sizeof told, "%s(%s,%d)=%d", operation, key, (int)nbytes, (int)st);
}

static void
a_log_counts_it_as_a_get(void **state)
{
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_store *base = open_dir(ZINC_LINKS_FOLLOW), *s = NULL;
	zinc_lent lent = ZINC_LENT_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	put_text(base, "k", "value");
	assert_ok(zinc_store_log(&s, base, note, NULL, &err));
	zinc_store_close(base);
	assert_ok(zinc_store_lend(s, "k", &lent, NULL, &err));
	close(lent.fd);
	assert_string_equal(told, "lend(k,5)=0");
	assert_int_equal(zinc_store_lend(s, "none", &lent, NULL, &err), ZINC_E_NOTFOUND);
	assert_non_null(strstr(told, "lend(none,0)"));
	zinc_store_log_counts(s, &n);
	assert_int_equal(n.get_calls, 2);
	assert_int_equal(n.get_requests, 2);
	assert_int_equal(n.get_bytes, 5);
	zinc_store_close(s);
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	assert_ok(zinc_store_log(&s, base, note, NULL, &err));
	zinc_store_close(base);
	put_text(s, "k", "value");
	assert_lends_not(s, "k", ZINC_E_UNSUPPORTED, 0); /* a get follows, and counts */
	zinc_store_log_counts(s, &n);
	assert_int_equal(n.get_calls, 0);
	zinc_store_close(s);
}

static void
other_stores_do_not_lend(void **state)
{
	zinc_store *s = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_lent lent = ZINC_LENT_INIT;

	(void)state;
	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	put_text(s, "k", "value");
	assert_lends_not(s, "k", ZINC_E_UNSUPPORTED, 0);
	assert_lends_not(s, "none", ZINC_E_UNSUPPORTED, 0);
	assert_lends_not(s, "", ZINC_E_INVALID, 0);
	assert_int_equal(zinc_store_lend(s, "k", NULL, NULL, &err), ZINC_E_INVALID);
	lent.size = 0;
	assert_int_equal(zinc_store_lend(s, "k", &lent, NULL, &err), ZINC_E_INVALID);
	zinc_store_close(s);
}

/* ---- calls that fail ---- */

static zinc_status
lend_once(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_lent lent = ZINC_LENT_INIT;
	zinc_store *s = NULL, *below = NULL;
	zinc_status st = zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_prefix(&below, s, "a/", err);
	if (st == ZINC_OK)
		st = zinc_store_lend(below, "k", &lent, NULL, err);
	if (lent.fd != -1)
		ctx->os->close(ctx->os, lent.fd);
	zinc_store_close(below);
	zinc_store_close(s);
	return st;
}

static void
failures_leave_no_descriptor(void **state)
{
	zinc_store *s = open_dir(ZINC_LINKS_FOLLOW);

	(void)state;
	put_text(s, "a/k", "value");
	zinc_store_close(s);
	assert_true(sweep_os(lend_once, NULL, EIO, EACCES, EMFILE, 0) > 2);
	assert_true(sweep_alloc(lend_once, NULL) > 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(files_are_lent),
	    cmocka_unit_test(a_descriptor_keeps_its_value),
	    cmocka_unit_test(links_lead_nowhere_else),
	    cmocka_unit_test(wrappers_lend_what_they_wrap),
	    cmocka_unit_test(a_log_counts_it_as_a_get),
	    cmocka_unit_test(other_stores_do_not_lend),
	    cmocka_unit_test(failures_leave_no_descriptor),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
