/* test_server_api.c - the promises of api.c and child.c, by number, without HTTP */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zinc/tool.h>

#include "api.h"
#include "files.h"
#include "test.h"

/* ---- a server of a.zarr, with /g/b of 4 x 6 numbers ---- */

struct fixture {
	zinc_hierarchy *h;
	struct api *api;
	zinc_cancel cancel;
	int socket;
	struct answer a;
	char body[1 << 16];
};

static void
make_array(const char *url)
{
	const uint64_t shape[] = {4, 6}, chunks[] = {2, 3};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int16_t v[24];
	int i;

	for (i = 0; i < 24; i++)
		v[i] = (int16_t)i;
	assert_ok(zinc_array_create_url(
	    &a, url, ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "int16"), NULL, &err));
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER_AS(ZINC_INT16, v, sizeof v), NULL, &err));
	zinc_array_close(a);
}

static void
begin(struct fixture *f, const zinc_server_options *o, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(f, 0, sizeof *f);
	if (!exists("a.zarr"))
		make_array("a.zarr/g/b");
	assert_ok(zinc_hierarchy_open_url(&f->h, "a.zarr", ZINC_OPEN_OPTIONS(.read_only = 1), &err));
	assert_ok(api_new(&f->api, f->h, path, o, &err));
}

static void
drop(struct fixture *f)
{
	if (f->a.fd != -1)
		close(f->a.fd);
	if (f->a.release)
		f->a.release(f->a.held);
	f->a = (struct answer)ANSWER_INIT;
}

static void
end(struct fixture *f)
{
	drop(f);
	api_free(f->api);
	zinc_hierarchy_close(f->h);
}

/* The status; the body is in f->body. */
static int
ask(struct fixture *f, const char *name, const char *query)
{
	const struct request q = {.path = "", .query = query, .cancel = &f->cancel, .socket = f->socket};
	ssize_t n;

	if (f->a.held || f->a.status)
		drop(f);
	f->a = (struct answer)ANSWER_INIT;
	api_answer(f->api, name, &q, &f->a);
	memset(f->body, 0, sizeof f->body);
	n = (ssize_t)(f->a.nbytes < sizeof f->body ? f->a.nbytes : sizeof f->body - 1);
	if (f->a.fd != -1)
		assert_int_equal(pread(f->a.fd, f->body, (size_t)n, (off_t)f->a.offset), n);
	else if (n > 0)
		memcpy(f->body, f->a.bytes, (size_t)n);
	return f->a.status;
}

#define assert_body(f, text)                                                                                           \
	do {                                                                                                           \
		if (!strstr((f)->body, text))                                                                          \
			fail_msg("\"%s\" is missing: %s", text, (f)->body);                                            \
	} while (0)

static const zinc_server_options *
with_zinc(zinc_server_options *o)
{
	*o = (zinc_server_options)ZINC_SERVER_OPTIONS_INIT;
	o->command = getenv("ZINC");
	o->url = "a.zarr";
	return o;
}

/* A program that stands for the command; "sh" text. */
static const zinc_server_options *
with_script(zinc_server_options *o, const char *text)
{
	char script[2048], here[1024];
	static char path[1100];

	with_zinc(o);
	snprintf(script, sizeof script, "#!/bin/sh\n%s\n", text);
	write_file("script", script);
	assert_int_equal(chmod("script", 0755), 0);
	assert_non_null(getcwd(here, sizeof here));
	snprintf(path, sizeof path, "%s/script", here);
	o->command = path;
	return o;
}

/* ---- api.c ---- */

static void
test_rows(void **state)
{
	static const char *const names[] = {"info",     "stats",       "chunks", "explain",
					    "validate", "conventions", "du",     "plot"};
	zinc_server_options o;
	struct fixture f;
	size_t i;

	(void)state;
	begin(&f, with_zinc(&o), "/");
	assert_int_equal(ask(&f, "tree", ""), 200);
	assert_string_equal(f.a.type, "application/json");
	assert_string_equal(f.a.caching, "no-store");
	assert_body(&f, "\"path\":\"/g/b\"");
	for (i = 0; i < COUNT(names); i++) {
		assert_int_equal(ask(&f, names[i], "path=g/b"), 200);
		assert_int_equal(f.body[0], '{');
	}
	assert_int_equal(ask(&f, "slice", "path=/g/b/&s=1,2:4"), 200);
	assert_string_equal(f.body, "[8,9]\n");
	assert_int_equal(ask(&f, "slice", "path=g/b&as=csv&s=0:1"), 200);
	assert_string_equal(f.a.type, "text/csv; charset=utf-8");
	assert_string_equal(f.a.name, "b.csv");
	assert_string_equal(f.body, "0,1,2,3,4,5\n");
	assert_int_equal(ask(&f, "slice", "path=g/b&as=npy"), 200);
	assert_memory_equal(f.body, "\x93NUMPY", 6);
	assert_string_equal(f.a.name, "b.npy");
	assert_int_equal(ask(&f, "slice", "path=g/b&as=png&width=12&height=8&cmap=grey"), 200);
	assert_memory_equal(f.body, "\x89PNG", 4);
	assert_null(f.a.name);
	assert_int_equal(ask(&f, "plot", "path=g/b&s=0&cells=base64&damaged=mark&cf=1&exact=0"), 200);
	assert_body(&f, "\"cells\":\"");
	assert_body(&f, "\"damaged\":[]");
	end(&f);
}

/* (1) */
static void
test_parameters(void **state)
{
	static const struct {
		const char *name, *query, *said;
	} bad[] = {
	    {"tree", "foo=1", "no parameter \"foo\""},
	    {"info", "path=g&path=g", "\"path\" is there twice"},
	    {"info", "stored=yes", "stored=yes"},
	    {"slice", "as=xml", "as=xml"},
	    {"plot", "damaged=skip", "damaged=skip"},
	    {"validate", "job=a_b", "job=a_b"},
	    {"tree", "path=%00", "malformed"},
	    {"tree", "path=%f", "malformed"},
	    {"tree", "path=..", "\"..\""},
	    {"plot", "path=g/b&width=0", "--width"},
	    {"plot", "path=g/b&kind=pie", "--kind=pie"},
	    {"slice", "path=g/b&s=9", "9"},
	    {"tree", "depth=x", "--depth=x"},
	    {"progress", "job=", "job"},
	    {"changed", "paht=g", "\"paht\""},
	    {"about", "x=%zz", "malformed"},
	    {"progress", "job=a&job=b", "twice"},
	    {"validate", "job=", "job="},
	    {"slice", "path=g/b&as=csv&width=3", "\"width\""},
	};
	zinc_server_options o;
	struct fixture f;
	size_t i;

	(void)state;
	begin(&f, with_zinc(&o), "/");
	for (i = 0; i < COUNT(bad); i++) {
		if (ask(&f, bad[i].name, bad[i].query) != 400)
			fail_msg("%s?%s: %d %s", bad[i].name, bad[i].query, f.a.status, f.body);
		assert_body(&f, bad[i].said);
		assert_string_equal(f.a.type, "text/plain; charset=utf-8");
		assert_int_equal(f.body[f.a.nbytes - 1], '\n');
		assert_ptr_equal(strchr(f.body, '\n'), f.body + f.a.nbytes - 1);
	}
	assert_int_equal(ask(&f, "slice.png", "path=g/b"), 404);
	assert_int_equal(ask(&f, "nothing", ""), 404);
	assert_int_equal(ask(&f, "", ""), 404);
	end(&f);
}

/* (2) */
static void
test_values(void **state)
{
	zinc_server_options o;
	struct fixture f;
	const char *extra[] = {"--links=beneath"};

	(void)state;
	with_script(&o, "for a; do printf '[%s]' \"$a\"; done; printf '<%s>' \"$ZINC_SERVED_URL\"");
	o.url = "https://me:secret@host/x.zarr";
	o.arguments = extra;
	o.narguments = 1;
	begin(&f, &o, "/");
	assert_int_equal(ask(&f, "slice", "path=--json&s=--help&as=text"), 200);
	assert_body(&f, "[cat][--url-from=ZINC_SERVED_URL]");
	assert_body(&f, "[--links=beneath]");
	assert_body(&f, "[--node=--json][--select=--help][--as=text]");
	assert_body(&f, "<https://me:secret@host/x.zarr>");
	*strchr(f.body, '<') = '\0';
	assert_null(strstr(f.body, "secret"));
	end(&f);
	begin(&f, &o, "/g"); /* a node below the URL's is served */
	assert_int_equal(ask(&f, "info", ""), 200);
	assert_body(&f, "[--node=g]");
	assert_int_equal(ask(&f, "info", "path=b"), 200);
	assert_body(&f, "[--node=g/b]");
	end(&f);
}

/* (3) */
static void
test_statuses(void **state)
{
	static const struct {
		const char *script;
		int status;
		const char *said;
	} cases[] = {
	    {"echo x; echo 'zinc: warning: odd' >&2", 200, "x"},
	    {"echo x; exit 1", 200, "x"},
	    {"echo 'zinc: first' >&2; echo 'zinc: a: b' >&2; exit 2", 400, "a: b\n"},
	    {"echo 'zinc: no' >&2; exit 3", 500, "no\n"},
	    {"exit 4", 501, "failed"},
	    {"echo 'zinc: c/0: bad' >&2; exit 5", 500, "c/0: bad\n"},
	    {"exit 130", 504, "failed"},
	    {"kill -SEGV $$", 500, "signal 11"},
	    {"exit 77", 500, "failed"},
	    {"kill -TERM $$", 503, "stops"}, /* all processes of the service are ended */
	    {"exit 127", 503, "could not be started"},
	    {"[ \"$(cut -d ' ' -f 5 /proc/$$/stat)\" = $$ ] && echo 'own group'", 200, "own group"},
	    {"printf 'zinc: a\\033[31mb\\n' >&2; exit 2", 400, "a?[31mb\n"},
	};
	zinc_server_options o;
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		begin(&f, with_script(&o, cases[i].script), "/");
		if (ask(&f, "info", "path=g/b") != cases[i].status)
			fail_msg("%s: %d %s", cases[i].script, f.a.status, f.body);
		assert_body(&f, cases[i].said);
		if (i == 0)
			assert_string_equal(f.a.note, "warning: odd");
		end(&f);
	}
	begin(&f, with_script(&o, "exit 3"), "/");
	assert_int_equal(ask(&f, "info", "path=g/none"), 404);
	assert_int_equal(ask(&f, "info", "p%61th=g/none"), 404);
	assert_int_equal(ask(&f, "slice", "path=g"), 400); /* a group: the request is to blame */
	assert_int_equal(ask(&f, "plot", "path=g"), 400);
	assert_int_equal(ask(&f, "stats", "path=g"), 500);
	assert_int_equal(ask(&f, "changed", "p%61th=g/none"), 404);
	assert_int_equal(ask(&f, "tree", "=x"), 400);
	end(&f);
	with_zinc(&o)->command ? (void)0 : fail();
	o.command = "/no/such/program";
	begin(&f, &o, "/");
	assert_int_equal(ask(&f, "info", ""), 500);
	end(&f);
	o.command = NULL;
	begin(&f, &o, "/");
	assert_int_equal(ask(&f, "info", ""), 501);
	end(&f);
}

/* ---- child.c ---- */

static void
nap(void)
{
	nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* The process that wrote its number into a file; 0: none has. */
static pid_t
pid_in(const char *path)
{
	const char *text = exists(path) ? read_text(path) : NULL;

	return text && strchr(text, '\n') ? (pid_t)strtol(text, NULL, 10) : 0;
}

static void *
ask_slowly(void *arg)
{
	ask(arg, "info", "");
	return NULL;
}

/* (1) */
static void
test_stop(void **state)
{
	zinc_server_options o;
	struct fixture f;
	pthread_t thread;
	pid_t pid;

	(void)state;
	begin(&f, with_script(&o, "echo $$ >pid; exec sleep 1000"), "/");
	alarm(HANGS);
	unlink("pid");
	assert_int_equal(pthread_create(&thread, NULL, ask_slowly, &f), 0);
	while (!(pid = pid_in("pid")))
		nap();
	zinc_cancel_set(&f.cancel);
	pthread_join(thread, NULL);
	assert_int_equal(f.a.status, 503);
	assert_int_equal(kill(pid, 0), -1);
	end(&f);
}

/* (1): children_fini alone, too */
static void
test_end(void **state)
{
	zinc_server_options o;
	struct fixture f;
	pthread_t thread;
	pid_t pid;

	(void)state;
	begin(&f, with_script(&o, "echo $$ >pid2; exec sleep 1000"), "/");
	alarm(HANGS);
	assert_int_equal(pthread_create(&thread, NULL, ask_slowly, &f), 0);
	while (!(pid = pid_in("pid2")))
		nap();
	pthread_mutex_lock(&f.api->children.lock);
	f.api->children.stopped = true;
	kill(pid, SIGKILL);
	pthread_mutex_unlock(&f.api->children.lock);
	pthread_join(thread, NULL);
	assert_int_equal(f.a.status, 503);
	assert_int_equal(ask(&f, "info", ""), 503); /* none starts any more */
	end(&f);
}

/* (2) */
static void
test_limits(void **state)
{
	zinc_server_options o;
	struct fixture f;
	struct answer held[4];
	int i;

	(void)state;
	with_script(&o, "exec sleep 1000");
	o.work = 0.05;
	begin(&f, &o, "/");
	assert_int_equal(ask(&f, "info", ""), 504);
	end(&f);
	with_script(&o, "exec yes");
	o.answer = 1 << 20;
	begin(&f, &o, "/");
	assert_int_equal(ask(&f, "info", ""), 413);
	assert_body(&f, "1048576");
	assert_int_equal(f.api->children.spooled, 0);
	end(&f);
	with_script(&o,
		    "head -c 1000 /dev/zero; sleep 0.2"); /* four are held by clients: there is no room for a fifth */
	o.answer = 1000;
	begin(&f, &o, "/");
	for (i = 0; i < 4; i++) {
		assert_int_equal(ask(&f, "info", ""), 200);
		held[i] = f.a;
		f.a = (struct answer)ANSWER_INIT;
	}
	assert_int_equal(f.api->children.spooled, 4000);
	assert_int_equal(ask(&f, "info", ""), 503);
	for (i = 0; i < 4; i++) {
		drop(&f);
		f.a = held[i];
	}
	drop(&f);
	assert_int_equal(f.api->children.spooled, 0);
	assert_int_equal(ask(&f, "info", ""), 200);
	end(&f);
}

/* (4) */
static void
test_gone(void **state)
{
	zinc_server_options o;
	struct fixture f;
	int pair[2];

	(void)state;
	alarm(HANGS);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	begin(&f, with_script(&o, "echo x"), "/");
	f.socket = pair[0];
	assert_int_equal(ask(&f, "info", ""), 200);
	end(&f);
	close(pair[1]);
	begin(&f, with_script(&o, "exec sleep 1000"), "/");
	f.socket = pair[0];
	assert_int_equal(ask(&f, "info", ""), 503);
	assert_body(&f, "the client has gone");
	close(pair[0]);
	end(&f);
}

/* (3), (5) */
static void
test_inherited(void **state)
{
	zinc_server_options o;
	struct fixture f;
	const int fd = dup2(0, 77); /* not closed by exec */

	(void)state;
	assert_int_equal(fd, 77);
	begin(&f, with_script(&o, "[ -e /proc/$$/fd/77 ] && echo open; cat; tr '\\0' ' ' </proc/$$/cmdline; ulimit -c"),
	      "/");
	assert_int_equal(ask(&f, "info", ""), 200);
	assert_body(&f, "--json");
	assert_null(strstr(f.body, "a.zarr"));
	assert_null(strstr(f.body, "open"));
	assert_body(&f, "0\n");
	close(fd);
	end(&f);
}

/* ---- jobs, about, changed ---- */

static void
test_jobs(void **state)
{
	zinc_server_options o;
	struct fixture f;
	char query[32];
	int i;

	(void)state;
	begin(&f, with_script(&o, "echo '{\"done\":3,\"total\":7,\"bytes\":90}' >&2; echo '{}'"), "/");
	assert_int_equal(ask(&f, "progress", "job=a-1"), 200);
	assert_string_equal(f.body, "{\"done\":0,\"total\":0,\"bytes\":0,\"running\":false,\"known\":false}\n");
	assert_int_equal(ask(&f, "validate", "job=a-1"), 200);
	assert_string_equal(f.a.note, "");
	assert_int_equal(ask(&f, "progress", "job=a-1"), 200);
	assert_string_equal(f.body, "{\"done\":3,\"total\":7,\"bytes\":90,\"running\":false,\"known\":true}\n");
	for (i = 0; i < JOBS; i++) { /* the oldest is forgotten */
		snprintf(query, sizeof query, "n%d", i);
		assert_non_null(job_begin(&f.api->jobs, query));
	}
	assert_null(job_begin(&f.api->jobs, "n3"));
	assert_null(job_begin(&f.api->jobs, "more"));
	assert_int_equal(ask(&f, "validate", "job=more"), 503);
	ask(&f, "progress", "job=a-1");
	assert_body(&f, "\"known\":false");
	ask(&f, "progress", "job=n3");
	assert_body(&f, "\"running\":true,\"known\":true");
	end(&f);
}

static void
test_about(void **state)
{
	zinc_server_options o;
	struct fixture f;

	(void)state;
	with_zinc(&o);
	o.url = "https://me:secret@host/x.zarr";
	begin(&f, &o, "/g/b");
	assert_int_equal(ask(&f, "about", ""), 200);
	assert_body(&f, "\"path\":\"/g/b\",\"format\":\"v3\",\"kind\":\"array\",\"remote\":false");
	assert_body(&f, "host/x.zarr");
	assert_null(strstr(f.body, "secret"));
	end(&f);
}

static void
keep_tag(char tag[80], const struct fixture *f)
{
	memcpy(tag, f->body, 80); /* the rest is zeros */
	assert_int_equal(tag[79], 0);
}

static void
test_changed(void **state)
{
	zinc_server_options o;
	struct fixture f;
	char all[80], corner[80], group[80];

	(void)state;
	make_array("changed.zarr/g/b");
	remove_tree("a.zarr");
	assert_int_equal(rename("changed.zarr", "a.zarr"), 0);
	begin(&f, with_zinc(&o), "/");
	assert_int_equal(ask(&f, "changed", "path=g/none"), 404);
	assert_int_equal(ask(&f, "changed", "path=g/b&s=9,9"), 400);
	assert_int_equal(ask(&f, "changed", "path=g/b"), 200);
	keep_tag(all, &f);
	assert_int_equal(ask(&f, "changed", "path=g/b&s=0:1,0:3"), 200);
	keep_tag(corner, &f);
	assert_int_equal(ask(&f, "changed", "path=g"), 200);
	keep_tag(group, &f);
	ask(&f, "changed", "path=g/b");
	assert_string_equal(f.body, all);
	write_file("a.zarr/g/b/c/1/1", "new");
	ask(&f, "changed", "path=g/b");
	assert_string_not_equal(f.body, all);
	keep_tag(all, &f);
	nap();                                 /* so that the time of the file differs */
	write_file("a.zarr/g/b/c/1/1", "old"); /* of the same size */
	ask(&f, "changed", "path=g/b");
	assert_string_not_equal(f.body, all);
	keep_tag(all, &f);
	ask(&f, "changed", "path=g/b&s=0:1,0:3"); /* does not touch it */
	assert_string_equal(f.body, corner);
	ask(&f, "changed", "path=g/b&s=[3,0],3:4");
	keep_tag(corner, &f);
	unlink("a.zarr/g/b/c/1/1");
	ask(&f, "changed", "path=g/b&s=[3,0],3:4");
	assert_string_not_equal(f.body, corner);
	ask(&f, "changed", "path=g/b");
	assert_string_not_equal(f.body, all);
	keep_tag(all, &f);
	write_file("a.zarr/g/zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"a\":1}}");
	ask(&f, "changed", "path=g");
	assert_string_not_equal(f.body, group);
	ask(&f, "changed", "path=g/b");
	assert_string_equal(f.body, all);
	end(&f);
}

/* Shapes for which a look at every item would not end. */
static void
test_changed_huge(void **state)
{
	static const struct {
		const char *shape, *chunk;
	} arrays[] = {{"1000000000000,0", "1,1"}, {"1000000000000000,1", "2000000000,1"}};
	zinc_server_options o;
	struct fixture f;
	char text[600];
	size_t i;

	(void)state;
	begin(&f, with_zinc(&o), "/");
	for (i = 0; i < COUNT(arrays); i++) {
		snprintf(text, sizeof text,
			 "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[%s],\"data_type\":\"int8\","
			 "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[%s]}},"
			 "\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,"
			 "\"codecs\":[{\"name\":\"bytes\"}]}",
			 arrays[i].shape, arrays[i].chunk);
		write_file("a.zarr/g/b/zarr.json", text);
		assert_int_equal(ask(&f, "changed", "path=g/b"), 200);
		assert_int_equal(ask(&f, "changed", "path=g/b&s=::2"), 200);
	}
	end(&f);
	remove_tree("a.zarr");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),     cmocka_unit_test(test_parameters), cmocka_unit_test(test_values),
	    cmocka_unit_test(test_statuses), cmocka_unit_test(test_stop),       cmocka_unit_test(test_end),
	    cmocka_unit_test(test_limits),   cmocka_unit_test(test_inherited),  cmocka_unit_test(test_jobs),
	    cmocka_unit_test(test_about),    cmocka_unit_test(test_changed),    cmocka_unit_test(test_changed_huge),
	    cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
