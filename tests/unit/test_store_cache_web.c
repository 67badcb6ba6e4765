/*
 * test_store_cache_web.c - the cache in front of remote stores: the conformance suite, and servers of many kinds
 */
#include <stdio.h>

#include "store/store_cache.h"
#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/random.h"
#include "support/remote_store.h"
#include "support/test.h"
#include "support/web.h"

static web server;

/* A new cache over `next`, whose reference it takes. */
static zinc_store *
cached_store(zinc_store *next, double age, uint64_t memory)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_cache_options o = ZINC_STORE_CACHE_OPTIONS_INIT;
	zinc_store *out = NULL;
	char name[32];

	snprintf(name, sizeof name, "remote %d", number++);
	o.dir = "cache";
	o.name = name;
	o.age = age;
	o.memory_bytes = memory;
	assert_ok(zinc_store_cache(&out, next, &o, &err));
	zinc_store_close(next);
	return out;
}

/* ---- a remote store of this process ---- */

static void
make_remote(void *arg, conform_subject *out)
{
	static remote_store stores[256];
	static int n;
	zinc_error err = ZINC_ERROR_INIT;
	remote_store *x = &stores[n++ % 256];
	char dir[64];

	memset(x, 0, sizeof *x);
	snprintf(dir, sizeof dir, "memory://cached %d", n);
	assert_ok(zinc_store_open(&x->local, dir, NULL, &err)); /* open until the end of the program */
	x->parallel = 8;
	x->writes = x->cas = x->asks = true;
	out->store = out->fill = cached_store(remote_store_open(x, NULL), *(const double *)arg, 0);
}

/* ---- a web server ---- */

/* Others change the files. */
static void
make_read(void *arg, conform_subject *out)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	char dir[64];

	snprintf(dir, sizeof dir, "served/read/%d", ++number);
	assert_ok(zinc_store_open(&out->fill, dir, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	snprintf(dir, sizeof dir, "%s/read/%d", (const char *)arg, number);
	out->store = cached_store(web_open(&server, dir, NULL), 0, 1);
}

static void
make_written(void *arg, conform_subject *out)
{
	static int number;
	char rest[96];

	snprintf(rest, sizeof rest, "plain/written/%d?write=yes&conditions=yes", ++number);
	out->store = out->fill = cached_store(web_open(&server, rest, NULL), *(const double *)arg, 0);
}

/* Values of one server are replaced, and each is read whole and in part; they must be those of the files. */
static void
read_replaced(const char *mode, bool lasting)
{
	char rest[64], path[64], text[64], want[64];
	zinc_store *s;
	int i;

	snprintf(rest, sizeof rest, "%s/replaced", mode);
	s = cached_store(web_open(&server, rest, NULL), 0, lasting ? 1 : 0);
	for (i = 0; i < 40; i++) {
		const unsigned key = (unsigned)random_below(3);
		zinc_get get;
		gets g;
		zinc_error err = ZINC_ERROR_INIT;

		snprintf(path, sizeof path, "served/replaced/k%u", key);
		if (i < 3 || random_below(3) == 0) {
			snprintf(text, sizeof text, "%d %d %*s", i, i * 7, i, ""); /* each time longer: a new tag */
			write_file(path, text);
		}
		snprintf(want, sizeof want, "%s", read_text(path) ? read_text(path) : "");
		snprintf(path, sizeof path, "k%u", key);
		if (want[0] == '\0')
			continue;
		assert_text(s, path, want);
		get = get_range(path, 1, 2);
		gets_init(&g, 1);
		assert_ok(gets_run(&g, s, &get, &err));
		assert_int_equal(g.r[0].nbytes, 2);
		assert_memory_equal(g.r[0].bytes, want + 1, 2);
		gets_fini(&g);
	}
	zinc_store_close(s);
}

/* (1) (2) of store_cache_get.c, whatever tags the server has. */
static void
many_servers(void **state)
{
	static const char *const modes[] = {"plain", "noranges", "nohead",  "fresh",  "weak",
					    "notag", "changing", "ignores", "chunked"};
	size_t i;

	(void)state;
	make_empty("served/replaced");
	for (i = 0; i < COUNT(modes); i++) {
		read_replaced(modes[i], true);
		read_replaced(modes[i], false);
	}
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(many_servers),
	};
	static double none = 0, long_age = 1000;
	int failed;

	if (UNDER_TSAN) { /* the run-time of clang 14 fails a check of its own here, and hangs */
		puts("skipped under ThreadSanitizer");
		return 77;
	}
	set_up_fast_dir(NULL);
	failed = conform_store_run("a cache over a remote store", make_remote, &none);
	failed += conform_store_run("a cache with age over a remote store", make_remote, &long_age);
	if (!web_can()) {
		tear_down_fast_dir(NULL);
		return failed ? failed : 77;
	}
	make_empty("served");
	web_start(&server, "served", false);
	failed += cmocka_run_group_tests(tests, NULL, NULL);
	failed += conform_store_run("a cache over http", make_read, (void *)(uintptr_t) "plain");
	failed += conform_store_run("a cache over http without tags", make_read, (void *)(uintptr_t) "notag");
	failed += conform_store_run("a cache over http, written", make_written, &none);
	failed += conform_store_run("a cache with age over http, written", make_written, &long_age);
	web_stop(&server);
	tear_down_fast_dir(NULL);
	return failed;
}
