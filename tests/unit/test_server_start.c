/*
 * test_server_start.c - starting and stopping servers in one process, from several threads
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"
#include "support/files.h"
#include "test.h"

static zinc_hierarchy *
open_group(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	make_empty("d");
	write_file("d/zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\"}");
	write_file("d/k", "value");
	assert_ok(zinc_hierarchy_open_url(&h, "d", ZINC_OPEN_OPTIONS(.read_only = 1), &err));
	return h;
}

/* The answer to a GET below the server's URL, in static memory of the thread. */
static const char *
get_below(const zinc_server *server, const char *folder, const char *key)
{
	static _Thread_local char text[4096];
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const char *at = server->url + strlen("http://127.0.0.1:");
	const char *path = strchr(at, '/');
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = 0;
	ssize_t got = 1;
	int length;

	to.sin_port = htons((uint16_t)strtoul(at, NULL, 10));
	text[0] = '\0';
	if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0) {
		length =
		    snprintf(text, sizeof text, "GET %s%s/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
			     path, folder, key);
		if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length)
			got = 0;
		for (; got > 0 && n < sizeof text - 1; n += (size_t)got) {
			got = recv(fd, text + n, sizeof text - 1 - n, 0);
			if (got <= 0)
				break;
		}
		text[n] = '\0';
	}
	close(fd);
	return text;
}

static const char *
get(const zinc_server *server, const char *key)
{
	return get_below(server, "raw", key);
}

static void
a_server_starts_answers_and_stops(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = open_group();
	zinc_server *s = NULL;

	(void)state;
	assert_ok(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.token = "t"), &err));
	assert_non_null(strstr(get(s, "k"), " 200 "));
	assert_non_null(strstr(get(s, "k"), "\r\n\r\nvalue"));
	assert_non_null(strstr(get(s, "x"), " 404 "));
	s->stop(s, 1.0);
	assert_string_equal(get(s, "k"), ""); /* nobody listens */
	s->stop(s, 1.0);
	s->free(s);
	zinc_hierarchy_close(h);
}

static void
bad_options_are_refused(void **state)
{
	static const char *const tokens[] = {".", "..", "a/b", "a b", "%41", "\xc3\xbc", "a?b", "a\"b"};
	static const char *const hosts[] = {"", "a b", "[::1", "a:b"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = open_group();
	zinc_server *s = NULL;
	char longest[129];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(tokens); i++)
		assert_int_equal(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.token = tokens[i]), &err),
				 ZINC_E_INVALID);
	memset(longest, 'x', sizeof longest);
	longest[128] = '\0';
	assert_int_equal(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.token = longest), &err), ZINC_E_INVALID);
	assert_int_equal(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.listen = "x"), &err), ZINC_E_INVALID);
	for (i = 0; i < COUNT(hosts); i++)
		assert_int_equal(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.hosts = &hosts[i], .nhosts = 1), &err),
				 ZINC_E_INVALID);
	assert_int_equal(server_start(&s, h, "none", ZINC_SERVER_OPTIONS(.token = ""), &err), ZINC_E_NOTFOUND);
	assert_int_equal(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.page = 1), &err), ZINC_E_INVALID);
	assert_int_equal(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.command = "zinc"), &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "No such file"));
	assert_null(s);
	zinc_hierarchy_close(h);
}

/* A document that is damaged, or the node's own, is an error at once; of what is below only raw/ has the bytes. */
static void
a_damaged_node_is_not_served(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = open_group();
	zinc_server *s = NULL;

	(void)state;
	write_file("d/bad/zarr.json", "{");
	assert_int_equal(server_start(&s, h, "bad", ZINC_SERVER_OPTIONS(.token = "t"), &err), ZINC_E_CORRUPT);
	assert_string_equal(err.key, "bad/zarr.json");
	assert_null(s);
	assert_ok(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.token = "t"), &err));
	assert_non_null(strstr(get(s, "bad/zarr.json"), " 200 "));
	s->free(s);
	zinc_hierarchy_close(h);
}

/* raw/ of a node has the keys below it alone, also when the hierarchy is not at the root of the store. */
static void
raw_keys_are_below_the_node(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *store = NULL;
	zinc_hierarchy *h = NULL;
	zinc_server *s = NULL;

	(void)state;
	make_empty("d");
	write_file("d/x/root/zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\"}");
	write_file("d/x/root/pub/zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\"}");
	write_file("d/x/root/pub/k", "value");
	write_file("d/x/root/private/k", "secret");
	assert_ok(zinc_store_open(&store, "d", NULL, &err));
	assert_ok(zinc_hierarchy_open(&h, store, "x/root", ZINC_OPEN_OPTIONS(.read_only = 1), &err));
	assert_ok(server_start(&s, h, "/pub", ZINC_SERVER_OPTIONS(.token = "t"), &err));
	assert_non_null(strstr(get(s, "k"), "\r\n\r\nvalue"));
	assert_non_null(strstr(get(s, "zarr.json"), " 200 "));
	assert_non_null(strstr(get(s, "private/k"), " 404 "));
	assert_non_null(strstr(get(s, "pub/k"), " 404 "));
	s->free(s);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
}

static void
api_without_a_command_is_501(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = open_group();
	zinc_server *s = NULL;

	(void)state;
	assert_ok(server_start(&s, h, "", ZINC_SERVER_OPTIONS(.token = "t"), &err));
	assert_non_null(strstr(get_below(s, "api", "tree"), " 501 "));
	s->free(s);
	zinc_hierarchy_close(h);
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

static void
take_line(void *arg, const char *line)
{
	atomic_fetch_add((atomic_int *)arg, strstr(line, "raw/k 200 5 bytes") != NULL);
}

static zinc_hierarchy *shared;
static atomic_int lines, answers;

static void *
start_and_stop(void *arg)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_server *s;
	int i, k;

	(void)arg;
	for (i = 0; i < 10; i++) {
		s = NULL;
		if (server_start(&s, shared, "", ZINC_SERVER_OPTIONS(.log = take_line, .log_arg = &lines), &err))
			return "it does not start";
		for (k = 0; k < 5; k++)
			atomic_fetch_add(&answers, strstr(get(s, "k"), "\r\n\r\nvalue") != NULL);
		if (i % 2)
			s->stop(s, 0.5);
		s->free(s);
	}
	return NULL;
}

static void
several_threads_start_and_stop(void **state)
{
	pthread_t threads[4];
	const char *failed;
	size_t i;
	int before;

	(void)state;
	shared = open_group();
	before = count_descriptors();
	for (i = 0; i < COUNT(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, start_and_stop, NULL), 0);
	for (i = 0; i < COUNT(threads); i++) {
		pthread_join(threads[i], (void **)&failed);
		assert_null(failed);
	}
	assert_int_equal(answers, 4 * 10 * 5);
	assert_int_equal(lines, 4 * 10 * 5);
	assert_true(count_descriptors() <= before + 1); /* the root of the store stays open */
	zinc_hierarchy_close(shared);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_server_starts_answers_and_stops), cmocka_unit_test(bad_options_are_refused),
	    cmocka_unit_test(a_damaged_node_is_not_served),      cmocka_unit_test(raw_keys_are_below_the_node),
	    cmocka_unit_test(api_without_a_command_is_501),      cmocka_unit_test(several_threads_start_and_stop),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
