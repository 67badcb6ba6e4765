/*
 * test_store_pipeline.c - adapters and stores that split their own URLs, by the promises of store_pipeline.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_inside.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

/* ---- an adapter: "a=1\nb/c=2\n" below is the keys a and b/c ---- */

typedef struct lines {
	zinc_context *ctx;
	zinc_blob text;
	char mark[32]; /* the setting, put before each value */
} lines;

static zinc_status
lines_adapt(void **self, zinc_store *next, const char *key, const zinc_store_options *options, zinc_error *err)
{
	lines *l = (lines *)zinc_calloc(options->context, 1, sizeof *l);
	const char *mark = zinc_setting_text(options, "mark");
	zinc_status st;

	if (!l)
		return zinc_fail_nomem(err);
	l->ctx = options->context;
	snprintf(l->mark, sizeof l->mark, "%s", mark ? mark : "");
	st = zinc_store_get_all(next, key, &l->text, NULL, 0, NULL, err);
	if (st == ZINC_OK)
		*self = l;
	else
		zinc_free(l->ctx, l);
	return st;
}

static void
lines_close(void *self)
{
	lines *l = (lines *)self;

	zinc_blob_fini(&l->text);
	zinc_free(l->ctx, l);
}

static void
lines_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = ZINC_CAP_READ;
}

static zinc_status
bring(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	(void)err;
	zinc_iov_scatter(iov, niov, (const uint8_t *)arg + offset, (size_t)nbytes);
	return ZINC_OK;
}

static zinc_status
lines_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	const lines *l = (const lines *)self;
	const zinc_tag tag = {1, {'t'}};
	char value[128];
	size_t i;

	(void)err;
	for (i = 0; i < n; i++) {
		const size_t nkey = strlen(requests[i].key);
		const char *at = (const char *)l->text.data;

		while (at && *at && !(strncmp(at, requests[i].key, nkey) == 0 && at[nkey] == '='))
			at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
		if (!at || !*at) {
			zinc_sink_missing(sink, i);
			continue;
		}
		snprintf(value, sizeof value, "%s%.*s", l->mark, (int)strcspn(at + nkey + 1, "\n"), at + nkey + 1);
		zinc_sink_serve(sink, i, &requests[i], strlen(value), &tag, bring, value, wait);
	}
	return ZINC_OK;
}

static const zinc_setting_row lines_settings[] = {{.name = "mark", .secret = 1}, {.name = NULL}};
static const zinc_store_ops lines_ops = {.size = sizeof lines_ops,
					 .name = "lines",
					 .purpose = "lines of a value",
					 .settings = lines_settings,
					 .adapters = "lines",
					 .adapt = lines_adapt,
					 .close = lines_close,
					 .caps = lines_caps,
					 .get = lines_get,
					 .endings = ".lines"};

/* ---- a store that is a file, with a path after it ---- */

static char opened_with[256], told[64];

static zinc_status
filed_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	const char *mode = zinc_setting_text(options, "mode");
	zinc_store *memory = NULL;

	snprintf(opened_with, sizeof opened_with, "%s", rest);
	snprintf(told, sizeof told, "%s", mode ? mode : "");
	ZINC_TRY(zinc_store_open(&memory, "memory://filed", ZINC_STORE_OPTIONS(.context = options->context), err));
	*self = memory;
	return ZINC_OK;
}

static void
filed_close(void *self)
{
	zinc_store_close((zinc_store *)self);
}

static void
filed_caps(void *self, zinc_caps *out)
{
	zinc_store_caps((zinc_store *)self, out);
}

static zinc_status
filed_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_get((zinc_store *)self, requests, n, sink, wait, err);
}

static zinc_status
filed_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	return zinc_url_split_file(rest, ".db,.filed,.fd", ctx, nbytes, err);
}

static const zinc_setting_row filed_settings[] = {{.name = "mode"}, {.name = NULL}};
static const zinc_store_ops filed_ops = {.size = sizeof filed_ops,
					 .name = "filed",
					 .purpose = "a file with a path behind it",
					 .schemes = "filed",
					 .settings = filed_settings,
					 .split = filed_split,
					 .open = filed_open,
					 .close = filed_close,
					 .caps = filed_caps,
					 .get = filed_get,
					 .endings = ".filed,.fd"};

static zinc_store *
open_url(const char *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, url, NULL, &err));
	return s;
}

static void
check_place(const char *url, const char *store, const char *path, bool fixed)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_place place;
	char cwd[4096], want[8192];

	assert_non_null(getcwd(cwd, sizeof cwd));
	snprintf(want, sizeof want, "%s%s", store[0] == '+' ? cwd : "", store + (store[0] == '+'));
	assert_ok(zinc_place_open(&place, url, NULL, &err));
	assert_string_equal(zinc_store_url(place.store), want);
	assert_string_equal(place.path, path);
	assert_int_equal(place.root_fixed, fixed);
	zinc_place_fini(&place);
}

/* "file://" and a path below the current directory. */
static void
check_local_url(const char *inside, const char *store, const char *path)
{
	char cwd[4096], url[8192], want[8192];

	assert_non_null(getcwd(cwd, sizeof cwd));
	snprintf(url, sizeof url, "file://%s%s", cwd, inside);
	snprintf(want, sizeof want, "%s/%s", cwd, store);
	check_place(url, want, path, false);
}

static void
assert_text_of(const char *url, const char *key, const char *want)
{
	zinc_store *s = open_url(url);

	assert_text(s, key, want);
	zinc_store_close(s);
}

static void
refuse(const char *url, zinc_status want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_place place;

	assert_int_equal(zinc_store_open(&s, url, NULL, &err), want);
	assert_null(s);
	assert_int_equal(zinc_place_open(&place, url, NULL, &err), want);
	assert_null(strstr(zinc_error_text(&err), "hush"));
}

/* ---- promise 1 ---- */

static void
an_adapter_gets_the_store_below(void **state)
{
	zinc_store *s, *m = open_url("memory://below");

	(void)state;
	write_file("d/x.lines", "a=1\nb/c=2\nd/in=e=5\n");
	s = open_url("d/x.lines|lines:");
	assert_text(s, "a", "1");
	assert_text(s, "b/c", "2");
	assert_missing(s, "c");
	zinc_store_close(s);
	s = open_url("d/x.lines|lines:b");
	assert_text(s, "c", "2");
	zinc_store_close(s);
	put_text(m, "in/x", "k=v\nl=w=3\n");
	s = open_url("memory://below/in/x|lines:");
	assert_text(s, "k", "v");
	zinc_store_close(s);
	s = open_url("memory://below/in/x|lines:l|lines:"); /* one on top of the other */
	assert_text(s, "w", "3");
	zinc_store_close(s);
	refuse("memory://below/none|lines:", ZINC_E_NOTFOUND);
	refuse("memory://below/in/x|nolines:", ZINC_E_UNSUPPORTED);
	zinc_store_close(m);
}

/* ---- promise 2 ---- */

static void
roots_and_formats(void **state)
{
	(void)state;
	write_file("d/x.lines", "a=1\nb/c=2\n");
	check_place("d/x.lines|lines:b/c", "+/d/x.lines|lines:", "b/c", false);
	check_place("d/x.lines|lines:", "+/d/x.lines|lines:", "", false);
	check_place("d/x.lines|lines:b|zarr3:c", "+/d/x.lines|lines:/b/", "c", true);
	refuse("d/x.lines|zarr3:b|lines:", ZINC_E_UNSUPPORTED);
	refuse("d/x.lines|b|lines:", ZINC_E_UNSUPPORTED);
	refuse("d/x.lines|lines:../b", ZINC_E_INVALID);
}

/* ---- promise 3 ---- */

static void
queries_of_parts(void **state)
{
	static const zinc_setting given[] = {{"lines.mark", "!"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	write_file("d/x.lines", "a=1\nb/c=2\n");
	s = open_url("d/x.lines|lines:b?mark=hush|zarr3:");
	assert_text(s, "c", "hush2");
	assert_null(strstr(zinc_store_url(s), "hush"));
	zinc_store_close(s);
	assert_ok(zinc_store_open(&s, "d/x.lines|lines:", ZINC_STORE_OPTIONS(.settings = given, .nsettings = 1), &err));
	assert_text(s, "a", "!1");
	zinc_store_close(s);
	refuse("d/x.lines|lines:b?mrk=hush", ZINC_E_INVALID);
	refuse("d/none.lines|lines:b?mark=hush", ZINC_E_NOTFOUND);
}

/* ---- stores that split their URLs ---- */

static void
files_with_a_path_behind(void **state)
{
	char url[8192], cwd[4096], want[8192];
	zinc_store *s;

	(void)state;
	assert_non_null(getcwd(cwd, sizeof cwd));
	write_file("d/plain", "");
	write_file("d/a b", "");
	assert_int_equal(mkdir("d/dir.db", 0777), 0);
	write_file("d/dir.db/inside", "");
	assert_int_equal(symlink("plain", "d/link"), 0);
	check_place("filed://d/plain/a/b", "filed://d/plain", "a/b", false);   /* a file, whatever its name */
	check_place("filed://d/link/a", "filed://d/link", "a", false);         /* links lead to files */
	check_place("filed://d/a%20b/c%20d", "filed://d/a%20b", "c d", false); /* escapes are decoded */
	check_place("filed://d/dir.db/inside/k", "filed://d/dir.db/inside", "k", false);
	check_place("filed://d/new.db/a.db/b", "filed://d/new.db", "a.db/b",
		    false); /* nothing there: the first ending */
	check_place("filed://d/new/x.filed/b", "filed://d/new/x.filed", "b", false);
	check_place("filed://d/new/b", "filed://d/new/b", "", false);
	check_place("filed://d/.db/b", "filed://d/.db/b", "", false); /* an ending alone is a name */
	snprintf(url, sizeof url, "filed://%s/d/plain/x?mode=y", cwd);
	snprintf(want, sizeof want, "filed://%s/d/plain", cwd);
	check_place(url, want, "x", false);
	assert_string_equal(opened_with, want + 8);
	assert_string_equal(told, "y");
	s = open_url("filed://d/plain/in/side"); /* the store itself begins at the path */
	assert_string_equal(zinc_store_url(s), "filed://d/plain/in/side/");
	zinc_store_close(s);
	check_place("filed://d/plain|zarr3:x", "filed://d/plain", "x", true);
	refuse("filed://d/plain/x?mod=y", ZINC_E_INVALID);
	refuse("filed://d/a%00b/c", ZINC_E_INVALID);
}

/* ---- endings: the promises of store_ending.c ---- */

/* (1) */
static void
directories_are_no_archives(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d/dir.lines", 0777), 0);
	write_file("d/dir.lines/in.lines", "a=1\n");
	check_place("d/dir.lines/in.lines/a", "+/d/dir.lines/in.lines|lines:", "a", false);
	write_file("d/dir.filed/k", "v");
	assert_text_of("d/dir.filed", "k", "v");
}

/* (2) */
static void
files_are_known_by_their_ending(void **state)
{
	zinc_store *m = open_url("memory://below");

	(void)state;
	write_file("d/x.lines", "a=1\nb/c=2\ne%20f=3\ng h=4\nx.lines/i=5\n");
	write_file("d/a b.LINES", "a=6\n");
	assert_int_equal(symlink("x.lines", "d/link.lines"), 0);
	assert_text_of("d/x.lines", "b/c", "2");
	assert_text_of("d/x.lines/", "b/c", "2");
	assert_text_of("d/x.lines/b", "c", "2");
	assert_text_of("d/link.lines", "a", "1");
	assert_text_of("d/x.lines/x.lines", "i", "5"); /* the first one */
	check_place("d/x.lines/e%20f", "+/d/x.lines|lines:", "e%20f", false);
	check_local_url("/d/a%20b.LINES/a%20b", "d/a b.LINES|lines:", "a b");
	put_text(m, "in/x.lines", "k=v\n");
	assert_text_of("memory://below/in/x.lines", "k", "v");
	check_place("memory://below/in/x.lines/a%20b", "memory://below/in/x.lines|lines:", "a b", false);
	refuse("memory://below/none.lines/k", ZINC_E_NOTFOUND);
	zinc_store_close(m);
	check_place("d/new.filed/a/b", "filed://d/new.filed", "a/b", false);
	check_place("d/a%b.fd/c%d", "filed://d/a%25b.fd", "c%d", false);
	check_place("memory://below/new.filed/a", "memory://below", "new.filed/a", false); /* only an adapter could */
}

/* (3) */
static void
urls_that_say_more(void **state)
{
	zinc_store *m = open_url("memory://filed");

	(void)state;
	write_file("d/y.filed", "");
	write_file("d/z.lines", "a%20b=c=1\n");
	assert_int_equal(setenv("ZINC_CACHE_DIR", "kept", 1), 0); /* never the user's own */
	put_text(m, "in/x.lines", "a=1\n");
	put_text(m, "d.lines/y.lines", "a=1\n");
	check_place("memory://filed/d.lines/y.lines|lines:a", "memory://filed/d.lines/y.lines|lines:", "a", false);
	check_place("memory://filed/in/x.lines|zarr3:b", "memory://filed/in/x.lines|lines:", "b", true);
	check_place("memory://filed/in/x.lines/a%20b|c", "memory://filed/in/x.lines|lines:/a b/", "c", true);
	check_place("d/z.lines|a%20b", "+/d/z.lines|lines:", "a%20b", true);
	check_place("d/z.lines/a%20b|lines:c", "+/d/z.lines|lines:/a%20b|lines:", "c", false);
	check_place("d/y.filed|zarr3:a%20b", "filed://d/y.filed", "a%20b", true);
	check_place("d/y.filed?mode=b|a", "filed://d/y.filed", "a", true);
	assert_string_equal(told, "b");
	check_place("d/new.filed|a", "filed://d/new.filed", "a", true);
	check_place("d/y.filed|cache:a", "filed://d/y.filed|cache:", "a", false);
	check_place("d/z.lines/|cache:a", "+/d/z.lines|lines:|cache:", "a", false);
	check_place("d/y.filed|lines:a", "+/d/y.filed|lines:", "a", false); /* its ending is wrong */
	check_place("d/y.filed/|lines:a", "+/d/y.filed|lines:", "a", false);
	check_local_url("/d/z.lines/a%7Cb%3F", "d/z.lines|lines:", "a|b?");
	refuse("d/z.lines/../z.lines|a", ZINC_E_INVALID);
	check_place("filed://d/y.filed/in/x.lines/a", "filed://d/y.filed/in/x.lines|lines:", "a", false);
	check_place("filed://d/z.lines/a", "filed://d/z.lines", "a", false);
	zinc_store_close(m);
}

/* (4) */
static void
queries_after_a_file(void **state)
{
	(void)state;
	write_file("d/x.lines", "a=1\nb/c=2\n");
	write_file("d/x.lines?mark=q.lines", "a=7\n");
	assert_text_of("d/x.lines/b?mark=hush", "c", "hush2");
	assert_text_of("d/x.lines?mark=hush", "a", "hush1");
	assert_text_of("d/x.lines?mark=q.lines", "a", "7");
	write_file("d/x.lines?w/k", "v"); /* a directory */
	assert_text_of("d/x.lines?w", "k", "v");
	assert_text_of("d/x.lines?mark=q.lines/?mark=p", "a", "p7");
	check_place("d/y?.filed/a?mode=b", "filed://d/y%3F.filed", "a", false);
	assert_string_equal(told, "b");
	check_place("d/new.fd?mode=c", "filed://d/new.fd", "", false);
	assert_string_equal(told, "c");
	refuse("d/x.lines/b?mrk=m", ZINC_E_INVALID);
}

/* ---- names ---- */

/* In an existing bare path, '|' and '?' are part of the name. */
static void
bars_in_names(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_place place;
	zinc_store *s;

	(void)state;
	write_file("d/a|zarr3:b?c=1/k", "v");
	write_file("d/x|y", "k=2\n");
	s = open_url("d/a|zarr3:b?c=1");
	assert_text(s, "k", "v");
	zinc_store_close(s);
	assert_ok(zinc_place_open(&place, "d/a|zarr3:b?c=1/new", NULL, &err));
	assert_false(place.root_fixed);
	zinc_place_fini(&place);
	write_file("d/p|q|r/k", "w");
	s = open_url("d/p|q|r");
	assert_text(s, "k", "w");
	zinc_store_close(s);
	s = open_url("d/x|y|lines:");
	assert_text(s, "k", "2");
	zinc_store_close(s);
	assert_ok(zinc_place_open(&place, "d/a|zarr3:new", NULL, &err));
	assert_true(place.root_fixed);
	zinc_place_fini(&place);
}

static void
rows_are_checked(void **state)
{
	zinc_store_ops bad = lines_ops;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(zinc_store_register(&lines_ops, &err), ZINC_E_EXISTS);
	bad.adapters = "other,zarr3";
	assert_int_equal(zinc_store_register(&bad, &err), ZINC_E_EXISTS);
	bad.adapters = "other";
	bad.adapt = NULL;
	assert_int_equal(zinc_store_register(&bad, &err), ZINC_E_INVALID);
	bad.adapters = NULL;
	assert_int_equal(zinc_store_register(&bad, &err), ZINC_E_INVALID);
}

static zinc_status
open_all_kinds(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char *const urls[] = {"d/x.lines|lines:b?mark=m|zarr3:",
					   "filed://d/x.lines/a?mode=1",
					   "d/x.lines|lines:b",
					   "d/x.lines/b?mark=m",
					   "d/x.lines/b|zarr3:c",
					   "d/new.filed/a",
					   "memory://filed/z.lines/a"};
	zinc_place place;
	size_t i;

	(void)arg;
	for (i = 0; i < COUNT(urls); i++) {
		ZINC_TRY(zinc_place_open(&place, urls[i], ZINC_STORE_OPTIONS(.context = ctx), err));
		zinc_place_fini(&place);
	}
	return ZINC_OK;
}

static void
every_failing_allocation(void **state)
{
	zinc_store *keep = open_url("memory://filed");

	(void)state;
	write_file("d/x.lines", "a=1\nb/c=2\n");
	put_text(keep, "z.lines", "a=1\n");
	assert_true(sweep_alloc(open_all_kinds, NULL) > 30);
	zinc_store_close(keep);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_adapter_gets_the_store_below),
	    cmocka_unit_test(roots_and_formats),
	    cmocka_unit_test(queries_of_parts),
	    cmocka_unit_test(files_with_a_path_behind),
	    cmocka_unit_test(directories_are_no_archives),
	    cmocka_unit_test(files_are_known_by_their_ending),
	    cmocka_unit_test(urls_that_say_more),
	    cmocka_unit_test(queries_after_a_file),
	    cmocka_unit_test(bars_in_names),
	    cmocka_unit_test(rows_are_checked),
	    cmocka_unit_test(every_failing_allocation),
	};
	zinc_error err = ZINC_ERROR_INIT;

	make_empty("d");
	if (zinc_store_register(&lines_ops, &err) != ZINC_OK || zinc_store_register(&filed_ops, &err) != ZINC_OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
