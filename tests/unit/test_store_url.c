/*
 * test_store_url.c - from URLs to stores, by the promises of store_url.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/forks.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

static zinc_store *
open_url(const char *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	return s;
}

static void
refuse(const char *url, zinc_status want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_place place;

	assert_int_equal(zinc_store_open(&s, url, NULL, &err), want);
	assert_null(s);
	assert_int_equal(err.code, want);
	assert_true(err.text[0] != '\0');
	if (url)
		assert_string_equal(err.url, url);
	assert_int_equal(zinc_place_open(&place, url, NULL, &err), want);
	assert_null(place.store);
	assert_null(place.path);
}

/* The working directory, for URLs that must be absolute. */
static const char *
here(const char *rest)
{
	static char url[8192];
	char cwd[4096];

	assert_non_null(getcwd(cwd, sizeof cwd));
	snprintf(url, sizeof url, rest, cwd);
	return url;
}

/* ---- promise 1: forms and escapes ---- */

static void
paths_and_file_urls(void **state)
{
	static const char *const rows[][2] = {
	    {"d/plain", "d/plain"},
	    {"d/a%20b", "d/a%20b"}, /* a bare path is used unchanged */
	    {"d/x:y", "d/x:y"},
	    {"file://%s/d/a%%20b", "d/a b"},
	    {"file://localhost%s/d/c%%7Cd", "d/c|d"},
	    {"FILE:%s/d/e%%25%%c3%%A9", "d/e%\xC3\xA9"},
	    {"file://%s//d//twice/", "d/twice"},
	};
	char path[128];
	zinc_store *s;
	size_t i;

	(void)state;
	make_empty("d");
	for (i = 0; i < COUNT(rows); i++) {
		s = open_url(rows[i][0][0] == 'd' ? rows[i][0] : here(rows[i][0]));
		put_text(s, "k", "v");
		snprintf(path, sizeof path, "%s/k", rows[i][1]);
		assert_string_equal(read_text(path), "v");
		zinc_store_close(s);
	}
}

static void
bad_urls_are_refused(void **state)
{
	(void)state;
	refuse(NULL, ZINC_E_INVALID);
	refuse("", ZINC_E_INVALID);
	refuse("nosuch://x", ZINC_E_INVALID);
	refuse("a.scheme.that.is.longer.than.any.that.ever.was://x", ZINC_E_INVALID);
	refuse("file://elsewhere/x", ZINC_E_INVALID);
	refuse("file://", ZINC_E_INVALID);
	refuse("file:///a%2Fb", ZINC_E_INVALID);
	refuse("file:///a%00b", ZINC_E_INVALID);
	refuse("file:///a%2", ZINC_E_INVALID);
	refuse("file:///a%", ZINC_E_INVALID);
	refuse("file:///a%zz", ZINC_E_INVALID);
	refuse("file:///a?b", ZINC_E_INVALID);
	refuse("file:///a#b", ZINC_E_INVALID);
	refuse("memory://n/../..", ZINC_E_INVALID);
	refuse("memory://n/a%2fb", ZINC_E_INVALID);
	refuse("memory://n/a%0Ab", ZINC_E_INVALID);
	refuse("d|a|b", ZINC_E_UNSUPPORTED);
	refuse("d|nosuch:inner", ZINC_E_UNSUPPORTED);
	refuse("zip://a::", ZINC_E_INVALID);
	refuse("zip://a|b::d", ZINC_E_INVALID);
	refuse("zip://a::nosuch://x", ZINC_E_INVALID);
	refuse("zip://a", ZINC_E_INVALID); /* of which archive? */
	refuse("zip://1::zip://2::zip://3::zip://4::zip://5::zip://6::zip://7::zip://8::zip://9::d", ZINC_E_INVALID);
	refuse("d|../x", ZINC_E_INVALID);
}

static void
options_are_checked(void **state)
{
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_place place;

	(void)state;
	o.size = 0;
	assert_int_equal(zinc_store_open(&s, "d", &o, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_place_open(&place, "d", &o, &err), ZINC_E_INVALID);
	o.size = sizeof(size_t); /* of the first release, which had no options */
	assert_ok(zinc_store_open(&s, "memory://", &o, &err));
	zinc_store_close(s);
	assert_ok(zinc_store_open(&s, "memory://x/y", ZINC_STORE_OPTIONS(.read_only = 1), &err));
	assert_int_equal(zinc_store_put(s, NULL, "k", "", 0, NULL, 0, NULL, NULL, &err), ZINC_E_READONLY);
	zinc_store_close(s);
}

static void
memory_urls(void **state)
{
	zinc_store *a = open_url("memory://name"), *b = open_url("memory://name/in/ner/"),
		   *c = open_url("Memory://name");

	(void)state;
	put_text(b, "k", "v");
	assert_text(a, "in/ner/k", "v");
	assert_text(c, "in/ner/k", "v");
	assert_string_equal(zinc_store_url(b), "memory://name/in/ner/");
	zinc_store_close(a);
	zinc_store_close(b);
	zinc_store_close(c);
	a = open_url("memory://name"); /* it lived while it was open */
	assert_missing(a, "in/ner/k");
	zinc_store_close(a);
}

static void
pipelines(void **state)
{
	zinc_store *s;

	(void)state;
	make_empty("d");
	s = open_url("d|in/ner");
	put_text(s, "k", "v");
	assert_string_equal(tree("d"), "in/ in/ner/ in/ner/k");
	zinc_store_close(s);
	s = open_url(here("file://%s/d|zarr3:in%%2eo"));
	put_text(s, "k", "v");
	assert_string_equal(read_text("d/in.o/k"), "v");
	zinc_store_close(s);
	s = open_url("memory://pipe/x|y");
	put_text(s, "k", "v");
	zinc_store_close(s);
}

/* ---- promises 2 and 3: places ---- */

typedef struct place_row {
	const char *url, *store, *path;
	bool fixed;
	const char *format;
} place_row;

static void
check_place(const char *url, const char *store, const char *path, bool fixed, const char *format)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_place place;

	assert_ok(zinc_place_open(&place, url, NULL, &err));
	assert_string_equal(zinc_store_url(place.store), store);
	assert_string_equal(place.path, path);
	assert_int_equal(place.root_fixed, fixed);
	assert_string_equal(place.format, format);
	zinc_place_fini(&place);
	zinc_place_fini(&place); /* harmless */
}

static void
places_of_urls(void **state)
{
	static const place_row rows[] = {
	    {"/no/such/a.zarr/foo", "/", "no/such/a.zarr/foo", false, ""},
	    {"/no/./such//x/../a.zarr/", "/", "no/such/a.zarr", false, ""},
	    {"/", "/", "", false, ""},
	    {"file:///no%20such/x", "/", "no such/x", false, ""},
	    {"memory://m/x/y/", "memory://m", "x/y", false, ""},
	    {"memory://m", "memory://m", "", false, ""},
	    {"/no/such|foo/bar", "/no/such", "foo/bar", true, ""},
	    {"/no/such|zarr3:foo", "/no/such", "foo", true, "zarr3"},
	    {"/no/such|zarr2:", "/no/such", "", true, "zarr2"},
	    {"file:///no/such|zarr:a%20b/", "/no/such", "a b", true, "zarr"},
	    {"/no/such|", "/no/such", "", true, ""},
	    {"memory://m/a|zarr3:b", "memory://m/a/", "b", true, "zarr3"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		check_place(rows[i].url, rows[i].store, rows[i].path, rows[i].fixed, rows[i].format);
}

/* "/.." is a directory for the kernel, but as a place it leads out. */
static void
dots_do_not_lead_out(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_place place;

	(void)state;
	assert_int_equal(zinc_place_open(&place, "/../x", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_place_open(&place, "memory://m/a/../../b", NULL, &err), ZINC_E_INVALID);
}

/* Relative paths are climbed past the working directory, but never past a name that no key can have; and past
 * links, also where the store that begins at the root will not follow them. */
static void
places_stop_at_links(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char cwd[4096], store[8192];
	zinc_place place;

	(void)state;
	make_empty("d");
	assert_int_equal(mkdir("d/real", 0777), 0);
	assert_int_equal(symlink("real", "d/link"), 0);
	assert_int_equal(mkdir("d/back\\slash", 0777), 0);
	assert_non_null(getcwd(cwd, sizeof cwd));
	assert_ok(zinc_place_open(&place, "d/real/a.zarr", NULL, &err));
	assert_string_equal(zinc_store_url(place.store), "/");
	snprintf(store, sizeof store, "%s/d/real/a.zarr", cwd + 1);
	assert_string_equal(place.path, store);
	zinc_place_fini(&place);
	snprintf(store, sizeof store, "%s/d/link/a.zarr/foo", cwd + 1);
	check_place("d/link/a.zarr/foo", "/", store, false, "");
	assert_ok(zinc_place_open(&place, "d/link/a.zarr/foo", ZINC_STORE_OPTIONS(.links = ZINC_LINKS_BENEATH), &err));
	assert_string_equal(zinc_store_url(place.store), "/");
	assert_ok(zinc_place_narrow(&place, strlen(store) - 4, ZINC_STORE_OPTIONS(.links = ZINC_LINKS_BENEATH), &err));
	assert_string_equal(place.path, "foo");
	snprintf(store, sizeof store, "%s/d/link/a.zarr", cwd);
	assert_string_equal(zinc_store_url(place.store), store);
	zinc_place_fini(&place);
	snprintf(store, sizeof store, "%s/d/back\\slash", cwd);
	check_place("d/back\\slash/a.zarr", store, "a.zarr", false, "");
}

static void
a_place_without_working_directory(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_place place;
	char cwd[4096];

	(void)state;
	make_empty("d");
	assert_non_null(getcwd(cwd, sizeof cwd));
	assert_int_equal(chdir("d"), 0);
	assert_int_equal(rmdir("../d"), 0);
	assert_int_equal(zinc_place_open(&place, "x", NULL, &err), ZINC_E_NOTFOUND);
	assert_int_equal(chdir(cwd), 0);
}

/* ---- promise 4: the registry ---- */

/* ---- modules: none is beside a program of the tests ---- */

static void
a_module_that_is_not_there(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_int_equal(zinc_store_open(&s, "https://me:pw@host/a?b", NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "store_http"));
	assert_string_equal(err.url, "https://host/a");
}

/* A malformed web address makes no directory, and shows no password. */
static void
a_web_address_without_slashes(void **state)
{
	static const char *const all[] = {"http:/me:pw@host/a", "https:me:pw@host/a", "HTTP:host"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof all / sizeof all[0]; i++) {
		assert_int_equal(zinc_store_open(&s, all[i], NULL, &err), ZINC_E_INVALID);
		assert_null(strstr(zinc_error_text(&err), "pw"));
	}
	assert_ok(zinc_store_open(&s, "./http:/a", NULL, &err));
	zinc_store_close(s);
}

static char opened_with[64];

static zinc_status
echo_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	snprintf(opened_with, sizeof opened_with, "%s", rest);
	if (strcmp(rest, "fail") == 0)
		return zinc_fail(err, ZINC_E_IO, "as asked");
	*self = options->context;
	return ZINC_OK;
}

static void
echo_close(void *self)
{
	(void)self;
}

static void
echo_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = ZINC_CAP_READ;
}

static zinc_status
echo_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	(void)wait, (void)self, (void)requests, (void)n, (void)sink;
	return zinc_fail(err, ZINC_E_IO, "nothing here");
}

static const zinc_store_ops echo = {.size = sizeof echo,
				    .name = "echo",
				    .purpose = "for this test",
				    .schemes = "echo,also-echo",
				    .open = echo_open,
				    .close = echo_close,
				    .caps = echo_caps,
				    .get = echo_get};

static int
note_row(void *arg, const char *name, const char *also, const char *purpose)
{
	char *out = (char *)arg;

	assert_true(purpose[0] != '\0');
	snprintf(out + strlen(out), 256 - strlen(out), "%s(%s) ", name, also);
	return strcmp(name, "echo") == 0;
}

static int
note_caps(void *arg, const zinc_store_row *row)
{
	char *out = (char *)arg, caps[32];

	assert_null(row->missing);
	zinc_caps_show(caps, sizeof caps, row->flags & (ZINC_CAP_READ | ZINC_CAP_CAS | ZINC_CAP_DURABLE));
	snprintf(out + strlen(out), 256 - strlen(out), "%s(%s: %s) ", row->name,
		 row->schemes ? row->schemes : row->adapters, caps);
	return strcmp(row->name, "old") == 0;
}

/* The first rows are those of the library and of programs; `flags` of an older program is not there. */
static void
kinds_have_capabilities(void **state)
{
	static zinc_store_ops old = {.size = offsetof(zinc_store_ops, flags)};
	zinc_error err = ZINC_ERROR_INIT;
	char rows[256] = "", words[32];

	(void)state;
	old = (zinc_store_ops){.size = old.size,
			       .name = "old",
			       .schemes = "old-echo",
			       .open = echo.open,
			       .close = echo.close,
			       .caps = echo.caps,
			       .get = echo.get,
			       .flags = ZINC_CAP_READ};
	assert_ok(zinc_store_register(&old, &err));
	zinc_store_each_row(NULL, note_caps, rows);
	assert_string_equal(rows, "fs(file: read durable cas) memory(memory: read cas) cache(cache: read durable cas) "
				  "zip(zip: read durable cas) "
				  "echo(echo,also-echo: ) old(old-echo: ) ");
	assert_int_equal(zinc_caps_show(words, sizeof words, 0), 0);
	assert_string_equal(words, "");
	assert_int_equal(zinc_caps_show(words, sizeof words, UINT32_MAX), sizeof words - 1);
	assert_string_equal(words, "read range suffix-range list wr");
	assert_int_equal(zinc_caps_show(words, 1, ZINC_CAP_READ), 0);
	assert_string_equal(words, "");
}

static void
programs_add_schemes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_store_ops bad = echo;
	char rows[256] = "";

	(void)state;
	assert_int_equal(zinc_store_open(&s, "echo://x", NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_store_register(&echo, &err));
	assert_int_equal(zinc_store_register(&echo, &err), ZINC_E_EXISTS);
	bad.schemes = "new,FILE";
	assert_int_equal(zinc_store_register(&bad, &err), ZINC_E_EXISTS);
	bad.schemes = "";
	assert_int_equal(zinc_store_register(&bad, &err), ZINC_E_INVALID);
	bad.schemes = "new";
	bad.get = NULL;
	assert_int_equal(zinc_store_register(&bad, &err), ZINC_E_INVALID);
	assert_ok(zinc_store_open(&s, "also-echo://me:pw@some/where?x=%20", NULL, &err));
	assert_string_equal(opened_with, "me:pw@some/where?x=%20");
	assert_string_equal(zinc_store_url(s), "also-echo://some/where");
	zinc_store_close(s);
	check_place("echo://bucket/a/b", "echo://bucket", "a/b", false, "");
	assert_string_equal(opened_with, "bucket");
	check_place("zip://x/y::echo://bucket/a.zip?q", "echo://bucket/a.zip|zip:", "x/y", false, "");
	check_place("zip://::echo://bucket/a.zip", "echo://bucket/a.zip|zip:", "", false, "");
	check_place("ZIP://b::zip://a/c::echo://bucket/d", "echo://bucket/d|zip:/a/c|zip:", "b", false, "");
	check_place("echo://bucket/a|zarr3:b", "echo://bucket/a", "b", true, "zarr3");
	assert_string_equal(opened_with, "bucket/a");
	check_place("echo://bucket/a/b?x=1", "echo://bucket", "a/b", false, "");
	assert_string_equal(opened_with, "bucket?x=1");
	check_place("echo://bucket/a?x=1|b", "echo://bucket/a", "b", true, "");
	assert_string_equal(opened_with, "bucket/a?x=1");
	assert_int_equal(zinc_store_open(&s, "echo://fail", NULL, &err), ZINC_E_IO);
	assert_string_equal(err.url, "echo://fail");
	zinc_store_each(note_row, rows);
	assert_string_equal(rows, "fs(file) memory(memory) cache(cache) zip(zip) echo(echo,also-echo) ");
}

static void *
open_often(void *arg)
{
	zinc_store *s;
	int i;

	for (i = 0; i < 300; i++) {
		s = NULL;
		if (zinc_store_open(&s, "memory://shared", NULL, NULL) != ZINC_OK)
			return arg;
		zinc_store_close(s);
	}
	return NULL;
}

/* Threads neither begin nor end while there are forks: the allocator of AddressSanitizer has locks for that, too. */
static atomic_int nbegun;
static atomic_bool forked;

static void *
open_all_the_time(void *arg)
{
	void *failed = NULL;

	nbegun++;
	while (!failed && !forked) {
		step_begin();
		failed = open_often(arg);
		step_end();
	}
	return failed;
}

static void
names_survive_threads_and_forks(void **state)
{
	pthread_t t[3];
	void *failed;
	int i, status;
	pid_t pid;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, open_all_the_time, t), 0);
	while (nbegun < 3)
		usleep(100);
	for (i = 0; i < 20; i++) {
		pid = fork_amidst();
		if (pid == 0)
			leave_child(open_often(t) != NULL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	forked = true;
	for (i = 0; i < 3; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
}

/* ---- memory that is out ---- */

static zinc_status
open_all_kinds(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char *const urls[] = {"d/x",           "file:///no/such", "memory://",
					   "memory://n/in", "d|in/ner",        "memory://m|zarr3:x"};
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_place place;
	zinc_store *s = NULL;
	size_t i;

	(void)arg;
	o.context = ctx;
	for (i = 0; i < COUNT(urls); i++) {
		o.read_only = i % 2 == 0;
		ZINC_TRY(zinc_store_open(&s, urls[i], &o, err));
		zinc_store_close(s);
		ZINC_TRY(zinc_place_open(&place, urls[i], &o, err));
		zinc_place_fini(&place);
	}
	return ZINC_OK;
}

static void
every_failing_allocation(void **state)
{
	(void)state;
	make_empty("d");
	assert_true(sweep_alloc(open_all_kinds, NULL) > 60);
	assert_true(sweep_os(open_all_kinds, NULL, 13, 24, 0) > 10); /* EACCES, EMFILE */
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(paths_and_file_urls),
	    cmocka_unit_test(bad_urls_are_refused),
	    cmocka_unit_test(options_are_checked),
	    cmocka_unit_test(memory_urls),
	    cmocka_unit_test(pipelines),
	    cmocka_unit_test(places_of_urls),
	    cmocka_unit_test(dots_do_not_lead_out),
	    cmocka_unit_test(places_stop_at_links),
	    cmocka_unit_test(a_place_without_working_directory),
	    cmocka_unit_test(a_module_that_is_not_there),
	    cmocka_unit_test(a_web_address_without_slashes),
	    cmocka_unit_test(programs_add_schemes),
	    cmocka_unit_test(kinds_have_capabilities),
	    cmocka_unit_test(names_survive_threads_and_forks),
	    cmocka_unit_test(every_failing_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
