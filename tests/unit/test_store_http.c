/*
 * test_store_http.c - a real server on loopback: the conformance suite, and the promises of store_http.c and http.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"
#include "support/web.h"

static web server, secure;

/* Clients that soon lose patience. */
#define HASTY "?retries=1&timeout=1"
#define NEVER "?retries=0&timeout=1"

/* One request to a mode of the server. */
static get_result
ask(const char *mode, zinc_get request, const char *query)
{
	char rest[128];
	zinc_store *s = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	get_result r;
	gets g;

	snprintf(rest, sizeof rest, "%s%s", mode, query ? query : "");
	s = web_open(&server, rest, NULL);
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &request, &err));
	r = g.r[0];
	r.bytes = NULL;
	assert_int_equal(r.dones, 1);
	if (r.found == ZINC_FOUND && r.nbytes)
		assert_memory_equal(g.r[0].bytes, request.suffix ? "789" : "3456", r.nbytes);
	gets_fini(&g);
	zinc_store_close(s);
	return r;
}

static void
must_fail(const char *mode, zinc_get request, const char *query, const char *says)
{
	get_result r = ask(mode, request, query);

	assert_int_equal(r.found, ZINC_FAILED);
	assert_int_equal(r.status, ZINC_E_IO);
	if (!strstr(r.error.text, says))
		fail_msg("/%s: \"%s\" does not say \"%s\"", mode, r.error.text, says);
	assert_non_null(strstr(r.error.url, mode));
	assert_string_equal(r.error.key, "k");
}

/* Caps after one range of a value was read. */
static uint32_t
flags_after(const char *mode)
{
	zinc_store *s = web_open(&server, mode, NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r = get_range("k", 3, 4);
	zinc_caps caps = ZINC_CAPS_INIT;
	gets g;

	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r, &err));
	gets_fini(&g);
	zinc_store_caps(s, &caps);
	zinc_store_close(s);
	return caps.flags;
}

/* ---- promise 1: what answers mean ---- */

static void
missing_is_not_failed(void **state)
{
	(void)state;
	assert_int_equal(ask("gone", get_range("k", 3, 4), NULL).found, ZINC_MISSING);
	assert_int_equal(ask("plain", get_range("none", 3, 4), NULL).found, ZINC_MISSING);
	assert_int_equal(ask("plain", get_stat("none"), NULL).found, ZINC_MISSING);
	must_fail("forbidden", get_range("k", 3, 4), NULL, "HTTP 403");
	must_fail("teapot", get_stat("k"), NULL, "HTTP 418");
}

static void
keys_are_escaped(void **state)
{
	static const char *const keys[] = {"a b",        "100%", "q?x=1", "h#i", "a+b", "\xc3\xa9/\xe2\x82\xac",
					   "a&b;c=d:e@f"};
	zinc_store *s = web_open(&server, "plain", NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *fill = NULL;
	size_t i;

	(void)state;
	assert_ok(zinc_store_open(&fill, "served", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	for (i = 0; i < COUNT(keys); i++) {
		put_text(fill, keys[i], keys[i]);
		assert_text(s, keys[i], keys[i]);
	}
	zinc_store_close(fill);
	zinc_store_close(s);
}

/* ---- promise 2: generations ---- */

static void
tags_are_strong(void **state)
{
	(void)state;
	assert_true(ask("plain", get_range("k", 3, 4), NULL).tag.n > 0);
	assert_true(ask("modified", get_range("k", 3, 4), NULL).tag.n > 0);
	assert_int_equal(ask("weak", get_range("k", 3, 4), NULL).tag.n, 0);
	assert_int_equal(ask("fresh", get_range("k", 3, 4), NULL).tag.n, 0);
	assert_int_equal(ask("notag", get_range("k", 3, 4), NULL).tag.n, 0);
	assert_int_equal(ask("dated", get_range("k", 3, 4), NULL).tag.n, 0); /* (7) */
	assert_true(ask("datedlong", get_range("k", 3, 4), NULL).tag.n > 0);
	assert_true(flags_after("plain") & ZINC_CAP_TAGS);
	assert_true(flags_after("modified") & ZINC_CAP_TAGS);
	assert_false(flags_after("weak") & ZINC_CAP_TAGS);
	assert_false(flags_after("notag") & ZINC_CAP_TAGS);
}

/* With and without the server's help. */
static void
changed_is_told(void **state)
{
	static const char *const modes[] = {"plain", "modified", "ignores", "noranges", "chunked"};
	zinc_get r = get_range("k", 3, 4);
	zinc_tag tag;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		tag = ask(modes[i], get_range("k", 3, 4), NULL).tag;
		assert_true(tag.n > 0);
		r.if_tag = &tag;
		assert_int_equal(ask(modes[i], r, NULL).found, ZINC_FOUND);
		tag.b[5] ^= 1;
		assert_int_equal(ask(modes[i], r, NULL).found, ZINC_CHANGED);
	}
	tag = ask("changing", get_range("k", 3, 4), NULL).tag;
	r.if_tag = &tag;
	assert_int_equal(ask("changing", r, NULL).found, ZINC_CHANGED);
	must_fail("cutchanged", get_range("k", 3, 4), NULL, "changed while it was being read");
	must_fail("cutlonger", get_range("k", 0, ZINC_TO_END), NULL, "when the request is repeated");
}

/* ---- promise 3: lengths ---- */

static void
lengths_are_checked(void **state)
{
	(void)state;
	must_fail("longer", get_range("k", 3, 4), NULL, "more bytes than announced");
	must_fail("shorter", get_range("k", 3, 4), NULL, "fewer bytes than announced");
	must_fail("shifted", get_range("k", 3, 4), NULL, "another range");
	must_fail("shifted", get_suffix("k", 3), NULL, "another range");
	must_fail("untold", get_range("k", 3, 4), NULL, "Content-Range");
	must_fail("nolength", get_range("k", 3, 4), NULL, "Content-Length");
	must_fail("encoded", get_range("k", 3, 4), NULL, "Content-Encoding");
}

/* ---- promise 4: servers that can less ---- */

static void
lesser_servers(void **state)
{
	static const char *const modes[] = {"noranges", "saysnone", "chunked", "nohead", "redirect"};
	const uint32_t ranges = ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE;
	get_result r;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		r = ask(modes[i], get_range("k", 3, 4), NULL);
		assert_int_equal(r.nbytes, 4);
		r = ask(modes[i], get_suffix("k", 3), NULL);
		assert_int_equal(r.nbytes, 3);
		r = ask(modes[i], get_range("k", 99, 4), NULL);
		assert_int_equal(r.found, ZINC_FOUND);
		assert_int_equal(r.nbytes, 0);
		assert_int_equal(r.object_size, 10);
		r = ask(modes[i], get_stat("k"), NULL);
		assert_int_equal(r.found, ZINC_FOUND);
		assert_int_equal(r.object_size, 10);
		r = ask(modes[i], get_stat("empty"), NULL);
		assert_int_equal(r.found, ZINC_FOUND);
		assert_int_equal(r.object_size, 0);
	}
	assert_int_equal(flags_after("plain") & ranges, ranges);
	assert_int_equal(flags_after("noranges") & ranges, 0);
	assert_int_equal(flags_after("saysnone") & ranges, 0);
	assert_int_equal(flags_after("plain") & (ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE), 0);
}

/* A long value from a server without ranges: an unneeded rest is not read. */
static void
long_values(void **state)
{
	enum { N = 3000000 };
	uint8_t *bytes = (uint8_t *)malloc(N);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *fill = NULL;
	zinc_get r[4] = {get_range("long", 0, ZINC_TO_END), get_range("long", 1000000, 1000), get_suffix("long", 7),
			 get_range("long", 5, 2000000)};
	static const char *const modes[] = {"plain", "noranges", "chunked", "cut"};
	size_t i;
	gets g;

	(void)state;
	assert_non_null(bytes);
	for (i = 0; i < N; i++)
		bytes[i] = (uint8_t)(i * 2654435761u >> 13);
	assert_ok(zinc_store_open(&fill, "served", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	assert_ok(zinc_store_put(fill, NULL, "long", bytes, N, NULL, 0, NULL, NULL, &err));
	for (i = 0; i < COUNT(modes); i++) {
		zinc_store *s = web_open(&server, modes[i], NULL);

		gets_init(&g, 4);
		assert_ok(gets_run(&g, s, r, &err));
		assert_int_equal(g.r[0].nbytes, N);
		assert_memory_equal(g.r[0].bytes, bytes, N);
		assert_int_equal(g.r[1].nbytes, 1000);
		assert_memory_equal(g.r[1].bytes, bytes + 1000000, 1000);
		assert_int_equal(g.r[2].nbytes, 7);
		assert_memory_equal(g.r[2].bytes, bytes + N - 7, 7);
		assert_int_equal(g.r[3].nbytes, 2000000);
		assert_memory_equal(g.r[3].bytes, bytes + 5, 2000000);
		gets_fini(&g);
		zinc_store_close(s);
	}
	zinc_store_close(fill);
	free(bytes);
}

/* ---- promise 5: URLs and their secrets ---- */

static void
secrets_are_not_shown(void **state)
{
	zinc_store *s = web_open(&server, "forbidden/x?token=hush", NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_null(strstr(zinc_error_text(&err), "hush"));
	assert_non_null(strstr(err.url, "/forbidden/x"));
	zinc_store_close(s);
}

static void
queries_are_kept(void **state)
{
	zinc_store *s = web_open(&server, "plain/dir?token=1&x=/y", NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *fill = NULL;

	(void)state;
	assert_ok(zinc_store_open(&fill, "served", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	put_text(fill, "dir/k", "with a query");
	assert_text(s, "k", "with a query");
	zinc_store_close(fill);
	zinc_store_close(s);
}

static void
bad_urls(void **state)
{
	static const char *const rows[] = {"", "/x", "?x", "host/a b", "host/a#b"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(url, sizeof url, "http://%s", rows[i]);
		assert_int_equal(zinc_store_open(&s, url, NULL, &err), ZINC_E_INVALID);
		assert_null(s);
	}
}

/* Names of settings are for the store, all others for the server. */
static void
settings_and_queries(void **state)
{
	static const char *const bad[] = {"?timeout=0",    "?timeout=x",      "?retries=-1",
					  "?parallel=0",   "?parallel=1001",  "?http.timeout=1&timeout=1",
					  "?header.a:b=c", "?header.a=b%0Ac", "?retries=101"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s =
	    web_open(&server, "_echo?a=1&http.timeout=7&b&header.X-Test=v%201&%74imeout=2&parallel=3", NULL);
	zinc_caps caps = ZINC_CAPS_INIT;
	size_t i;

	(void)state;
	assert_text(s, "k", "/_echo/k?a=1&b&%74imeout=2 v 1");
	zinc_store_caps(s, &caps);
	assert_int_equal(caps.parallel, 3);
	zinc_store_close(s);
	s = NULL;
	for (i = 0; i < COUNT(bad); i++) {
		char rest[64];

		snprintf(rest, sizeof rest, "plain%s", bad[i]);
		assert_int_equal(zinc_store_open(&s, web_url(&server, rest), NULL, &err), ZINC_E_INVALID);
	}
}

/* Headers of a setting are sent only to the URL's own server. */
static void
headers_stay_at_home(void **state)
{
	zinc_store *s = web_open(&server, "toecho?header.X-Test=hush", NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	assert_ok(zinc_store_get_all(s, "home", &b, NULL, 0, NULL, &err));
	assert_non_null(strstr((const char *)b.data, "hush"));
	zinc_blob_fini(&b);
	assert_ok(zinc_store_get_all(s, "away", &b, NULL, 0, NULL, &err));
	assert_null(strstr((const char *)b.data, "hush"));
	zinc_blob_fini(&b);
	zinc_store_close(s);
}

/* ---- http.c 2: repeated requests ---- */

static void
faults_pass(void **state)
{
	static const char *const modes[] = {"cut", "drop", "busy", "limited"};
	static const int requests[] = {2, 2, 3, 2};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(modes); i++) {
		const int before = web_count(&server, modes[i]);
		zinc_get r = get_range("once", 3, 4);

		assert_int_equal(ask(modes[i], r, NULL).nbytes, 4);
		assert_int_equal(web_count(&server, modes[i]) - before, requests[i]);
	}
}

static void
faults_stay(void **state)
{
	int before;

	(void)state;
	must_fail("cutalways", get_range("k", 3, 4), HASTY, "ended before the value was complete (tried 2 times)");
	before = web_count(&server, "busyalways");
	must_fail("busyalways", get_range("k", 3, 4), HASTY, "HTTP 503 Service Unavailable (tried 2 times)");
	assert_int_equal(web_count(&server, "busyalways") - before, 2);
	must_fail("busyalways", get_range("k", 3, 4), NEVER, "HTTP 503 Service Unavailable");
	assert_int_equal(web_count(&server, "busyalways") - before, 3);
	must_fail("silent", get_range("k", 3, 4), NEVER, "");
	must_fail("stalls", get_range("k", 3, 4), NEVER, "");
}

static void
nobody_there(void **state)
{
	web nowhere = {0, 0, 1, false}; /* no server listens on port 1 */
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = web_open(&nowhere, "x" NEVER, NULL);
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_string_equal(err.url, "http://127.0.0.1:1/x");
	zinc_store_close(s);
}

/* A silent server must not delay a cancelled call. */
static void
cancel_while_silent(void **state)
{
	zinc_store *s = web_open(&server, "silent", NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r[40];
	gets g;
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		r[i] = get_range("k", 3, 4);
	gets_init(&g, 40);
	zinc_cancel_set(&g.cancel);
	assert_ok(gets_run(&g, s, r, &err));
	for (i = 0; i < 40; i++) {
		assert_int_equal(g.r[i].dones, 1);
		assert_int_equal(g.r[i].status, ZINC_E_CANCELLED);
	}
	gets_fini(&g);
	zinc_store_close(s);
}

/* ---- http.c 3: redirections ---- */

static void
redirections(void **state)
{
	int before = web_count(&server, "loop");

	(void)state;
	assert_int_equal(ask("redirect", get_range("k", 3, 4), NULL).nbytes, 4);
	must_fail("loop", get_range("k", 3, 4), NEVER, "redirect");
	assert_int_equal(web_count(&server, "loop") - before, 6);
	assert_int_equal(ask("tofile", get_range("k", 3, 4), NEVER).found, ZINC_FAILED);
}

/* ---- http.c 4: certificates ---- */

static void
certificates(void **state)
{
	static const zinc_setting trust[] = {{"http.ca_file", "cert.pem"}, {"timeout", "5"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(zinc_store_open(&s, web_url(&secure, "plain"), ZINC_STORE_OPTIONS(.settings = trust, .nsettings = 2),
				  &err));
	assert_text(s, "k", "0123456789");
	zinc_store_close(s);
	s = web_open(&secure, "plain?retries=0", NULL);
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "certificate"));
	zinc_store_close(s);
}

/* ---- promise 6: values of unknown length ---- */

static void
lengths_that_nobody_says_are_few(void **state)
{
	enum { VALUES = 32, BYTES = 100000 };
	static uint8_t value[BYTES];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get requests[VALUES];
	zinc_store *fill = NULL, *s;
	zinc_context *ctx = NULL;
	char keys[VALUES][16];
	sweep_memory m;
	gets g;
	int i;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.in_flight_bytes = 8 * BYTES, .allocator = &m.allocator),
				   &err));
	assert_ok(zinc_store_open(&fill, "served", ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	for (i = 0; i < VALUES; i++) {
		snprintf(keys[i], sizeof keys[i], "long%d", i);
		memset(value, i, sizeof value);
		assert_ok(zinc_store_put(fill, NULL, keys[i], value, sizeof value, NULL, 0, NULL, NULL, &err));
		requests[i] = get_range(keys[i], 0, ZINC_TO_END);
		requests[i].limit = BYTES;
	}
	zinc_store_close(fill);
	s = web_open(&server, "chunked", ctx);
	gets_init(&g, VALUES);
	g.not_now = 600; /* so that received values wait for room */
	assert_ok(gets_run(&g, s, requests, &err));
	for (i = 0; i < VALUES; i++) {
		assert_int_equal(g.r[i].found, ZINC_FOUND);
		assert_int_equal(g.r[i].nbytes, BYTES);
		assert_int_equal(g.r[i].bytes[BYTES - 1], i);
	}
	gets_fini(&g);
	zinc_store_close(s);
	zinc_context_free(ctx);
	assert_in_range(atomic_load(&m.peak), BYTES, 4 * BYTES);
}

/* ---- http.c 5: fork ---- */

static void
forks(void **state)
{
	zinc_store *s = web_open(&server, "plain", NULL);
	int status;
	pid_t pid;

	(void)state;
	assert_text(s, "k", "0123456789");
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		assert_text(s, "k", "0123456789");
		leave_child(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_text(s, "k", "0123456789");
	zinc_store_close(s);
}

/* ---- every allocation ---- */

static zinc_status
open_and_read(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_store *s = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_store_open(&s, web_url(&server, "chunked?timeout=9&header.a=b&x=y"),
				 ZINC_STORE_OPTIONS(.context = ctx), err));
	st = zinc_store_get_all(s, "k", &b, NULL, 0, NULL, err);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return st;
}

static void
memory_runs_out(void **state)
{
	(void)state;
	sweep_alloc(open_and_read, NULL);
}

/* ---- the conformance suite ---- */

static void
make(void *arg, conform_subject *out)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	char dir[64];

	snprintf(dir, sizeof dir, "served/conform/%d", ++number);
	assert_ok(zinc_store_open(&out->fill, dir, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	snprintf(dir, sizeof dir, "%s/conform/%d", (const char *)arg, number);
	out->store = web_open(&server, dir, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(missing_is_not_failed),
	    cmocka_unit_test(keys_are_escaped),
	    cmocka_unit_test(tags_are_strong),
	    cmocka_unit_test(changed_is_told),
	    cmocka_unit_test(lengths_are_checked),
	    cmocka_unit_test(lesser_servers),
	    cmocka_unit_test(long_values),

	    cmocka_unit_test(secrets_are_not_shown),
	    cmocka_unit_test(queries_are_kept),
	    cmocka_unit_test(bad_urls),
	    cmocka_unit_test(settings_and_queries),
	    cmocka_unit_test(headers_stay_at_home),
	    cmocka_unit_test(faults_pass),
	    cmocka_unit_test(faults_stay),
	    cmocka_unit_test(nobody_there),
	    cmocka_unit_test(cancel_while_silent),
	    cmocka_unit_test(redirections),
	    cmocka_unit_test(certificates),
	    cmocka_unit_test(lengths_that_nobody_says_are_few),
	    cmocka_unit_test(forks),
	    cmocka_unit_test(memory_runs_out),
	};
	int failed;

	if (!web_can())
		return 77;
	make_empty("served");
	write_file("served/k", "0123456789");
	write_file("served/once", "0123456789");
	write_file("served/empty", "");
	web_start(&server, "served", false);
	web_start(&secure, "served", true);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	failed += conform_store_run("http", make, (void *)(uintptr_t) "plain");
	failed += conform_store_run("http without ranges", make, (void *)(uintptr_t) "noranges");
	failed += conform_store_run("http in chunks", make, (void *)(uintptr_t) "chunked");
	failed += conform_store_run("http without HEAD", make, (void *)(uintptr_t) "nohead");
	web_stop(&secure);
	web_stop(&server);
	return failed;
}
