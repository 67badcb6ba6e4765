/*
 * test_url.c - the promises of url.c: no secret of a URL is shown
 */
#include <zinc/store.h>

#include "base/base.h"
#include "support/test.h"

static void
shows(const char *url, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	char out[256], again[256];

	assert_int_equal(zinc_url_show(out, sizeof out, url), strlen(want));
	assert_string_equal(out, want);
	zinc_url_show(again, sizeof again, out);
	assert_string_equal(again, want);
	assert_int_equal(zinc_error_at_url(&err, ZINC_E_IO, url), ZINC_E_IO);
	assert_string_equal(err.url, want);
}

/* ---- 1 ---- */

static void
user_password_and_query(void **state)
{
	(void)state;
	shows("https://me:pw@host/a/b?token=1|c/d", "https://host/a/b|c/d");
	shows("https://h/a?t=1|zip:b?key=2|zip:c?key=3|d", "https://h/a|zip:b|zip:c|d");
	shows("/d/a.zip|zip:b?key=2|zarr3:c", "/d/a.zip|zip:b|zarr3:c");
	shows("zip://x/y::https://me:p::w@h/a.zip?t=1", "zip://x/y::https://h/a.zip");
	shows("zip://b::zip://a::https://me:pw@h/a.zip?t=1|c", "zip://b::zip://a::https://h/a.zip|c");
	shows("zip://x?t=1::https://me:pw@h/a.zip", "https://h/a.zip");
	shows("zip://me:pw@h/a", "zip://h/a");
	shows("https://me@host/a@b", "https://host/a@b");
	shows("https://token@host", "https://host");
	shows("HTTPS://me:pw@host:8443/a#b", "HTTPS://host:8443/a");
	shows("s3://key:secret@bucket/a", "s3://bucket/a");
	shows("redis://:secret@host:6379/0/a", "redis://host:6379/0/a");
	shows("redis://:secret/0/a", "redis:///0/a");
	shows("abfs://c-1@lab.dfs.core.windows.net/a?t=1|zip:b?k=2", "abfs://c-1@lab.dfs.core.windows.net/a|zip:b");
	shows("AZ://c@lab.blob.core.windows.net", "AZ://c@lab.blob.core.windows.net");
	shows("abfs://me:pw@lab.dfs.core.windows.net/a", "abfs://lab.dfs.core.windows.net/a");
	shows("abfs://me@pw@lab.dfs.core.windows.net/a", "abfs://lab.dfs.core.windows.net/a");
	shows("abfs://Token+1@lab.dfs.core.windows.net/a", "abfs://lab.dfs.core.windows.net/a");
	shows("https://me:pw@[::1]:80/a", "https://[::1]:80/a");
	shows("http://host?me:pw@x", "http://host");
	shows("http://host:80x/a", "http://host/a");
}

/* Also if only the beginning fits: secrets are removed first. */
static void
long_ones(void **state)
{
	char url[4096], out[16];
	zinc_error err = ZINC_ERROR_INIT;
	size_t n;

	(void)state;
	memcpy(url, "https://me:", 11);
	memset(url + 11, 's', sizeof url - 11);
	memcpy(url + sizeof url - 9, "@host/ab", 9);
	zinc_error_at_url(&err, ZINC_E_IO, url);
	assert_string_equal(err.url, "https://host/ab");
	for (n = 1; n <= sizeof out; n++) {
		assert_true(zinc_url_show(out, n, url) < n);
		assert_null(strstr(out, "sss"));
	}
}

/* ---- 2 ---- */

static void
mistakes(void **state)
{
	static const char *const all[] = {
	    "http://me:p/secret@host/a", "http://me:secret/@host/a",  "http://me:p?secret@host/a",
	    "http://me:p#secret@host/a", "http://me:p@secret@host/a", "http://me:p@secret/x@host/a",
	    "http:/me:secret@host/a",    "http:me:secret@host/a",     "http//me:secret@host/a",
	    "http:///me:secret@host/a",  "https:://me:secret@host/a", "http://me:secret@",
	    "http://me:secret",          "http://me:1secret/",        "http://me:p|secret@host/a",
	    "ftp:/me:secret@host/a",
	};
	char out[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof all / sizeof all[0]; i++) {
		zinc_url_show(out, sizeof out, all[i]);
		if (strstr(out, "secret"))
			fail_msg("\"%s\" is shown as \"%s\"", all[i], out);
	}
}

/* ---- 3 ---- */

static void
as_they_are(void **state)
{
	static const char *const all[] = {
	    "a/b.zarr",
	    "/tmp/a:b@c?d#e|f",
	    "./x@y",
	    "file:///a@b:c?d",
	    "FILE:/a:b@c",
	    "http://host:80/a@b",
	    "http://[::1]:80/a",
	    "memory://a/b@c",
	    "http://host/a:b@c/d",
	    "http",
	    "httpd.zarr/a@b",
	    "a:b@c.zarr",
	    "data:b@c.zarr",
	    "",
	    "s3://bucket/a",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof all / sizeof all[0]; i++)
		shows(all[i], all[i]);
}

/* ---- 4 ---- */

static void
one_line(void **state)
{
	(void)state;
	shows("a\nb\x1b[0m\xff", "a\\x0ab\\x1b[0m\\xff");
	shows("http://me:pw@ho\nst/", "http://ho\\x0ast/");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(user_password_and_query),
	    cmocka_unit_test(long_ones),
	    cmocka_unit_test(mistakes),
	    cmocka_unit_test(as_they_are),
	    cmocka_unit_test(one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
