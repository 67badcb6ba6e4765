/*
 * test_store_redis_real.c - the conformance suite with a real Redis, if redis-server is installed
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_redis.h"
#include "support/conform_store.h"
#include "support/gets.h"
#include "support/redis_peer.h"
#include "support/test.h"

#if ZINC_WITH_SSL && ZINC_WITH_CRYPTO

static pid_t server;

/* On a socket in this directory, without a port. */
static bool
start_server(void)
{
	char here[4096], socket_path[4200];
	int i;

	if (system("command -v redis-server >/dev/null 2>&1") != 0 || !getcwd(here, sizeof here) || strlen(here) > 90)
		return false;
	snprintf(socket_path, sizeof socket_path, "%s/redis.sock", here);
	server = fork();
	if (server == 0) {
		const int log = open("redis.log", O_WRONLY | O_CREAT | O_APPEND, 0600);

		dup2(log, 1);
		dup2(log, 2);
		execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket_path, "--save", "",
		       "--appendonly", "yes", "--appendfsync", "always", "--dir", ".", (char *)NULL);
		_exit(127);
	}
	for (i = 0; i < 200 && access("redis.sock", F_OK) != 0; i++)
		usleep(50000);
	return access("redis.sock", F_OK) == 0;
}

static void
stop_server(void)
{
	if (server > 0) {
		kill(server, SIGTERM);
		waitpid(server, NULL, 0);
	}
}

static zinc_store *
open_real(const char *path, const char *query)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[512];

	snprintf(url, sizeof url, "redis://localhost/0/%s?socket=redis.sock%s", path, query);
	assert_ok(zinc_store_open(&s, url, NULL, &err));
	return s;
}

static void
make(void *arg, conform_subject *out)
{
	static int number;
	char path[32];

	(void)arg;
	snprintf(path, sizeof path, "conform%d", number++);
	out->store = out->fill = open_real(path, "");
}

/* (2), (3): changes of one call see those before them. */
static void
conditions_within_one_call(void **state)
{
	zinc_store *s = open_real("within", "");
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_put_group *group = NULL;

	(void)state;
	assert_ok(zinc_store_put_begin(s, &group, 0, NULL, &err));
	assert_ok(zinc_store_put(s, group, "k", "1", 1, &absent, 0, NULL, NULL, &err));
	assert_ok(zinc_store_put(s, group, "k", "2", 1, &absent, 0, NULL, NULL, &err));
	assert_ok(zinc_store_del(s, group, "k", NULL, 0, NULL, &err));
	assert_ok(zinc_store_put(s, group, "k", "3", 1, &absent, 0, NULL, NULL, &err));
	assert_int_equal(zinc_store_commit(s, group, NULL, NULL, NULL, &err), ZINC_E_EXISTS); /* of "2" alone */
	assert_text(s, "k", "3");
	zinc_store_close(s);
}

/* (1): untagged parts and sizes come from one transaction. */
static void
parts_without_tags(void **state)
{
	static const struct {
		uint64_t offset, length;
		int suffix;
		const char *want;
	} rows[] = {{0, 3, 0, "012"},
		    {3, 4, 0, "3456"},
		    {8, 5, 0, "89"},
		    {10, 1, 0, ""},
		    {99, ZINC_TO_END, 0, ""},
		    {UINT64_MAX, UINT64_MAX, 0, ""},
		    {UINT64_MAX - 3, 7, 0, ""},
		    {4, 0, 0, ""},
		    {7, ZINC_TO_END, 0, "789"},
		    {0, 3, 1, "789"},
		    {0, 11, 1, "0123456789"},
		    {0, 0, 1, ""},
		    {0, ZINC_TO_END, 1, "0123456789"}};
	zinc_store *s = open_real("parts", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r[3 * COUNT(rows)];
	size_t i;
	gets g;

	(void)state;
	put_text(s, "k", "0123456789");
	put_text(s, "empty", "");
	for (i = 0; i < COUNT(rows); i++) {
		r[3 * i] = get_range("k", rows[i].offset, rows[i].length);
		r[3 * i].suffix = rows[i].suffix;
		r[3 * i + 1] = r[3 * i + 2] = r[3 * i];
		r[3 * i + 1].key = "none";
		r[3 * i + 2].key = "empty";
		r[3 * i].untagged = r[3 * i + 1].untagged = r[3 * i + 2].untagged = 1;
	}
	gets_init(&g, COUNT(r));
	assert_ok(gets_run(&g, s, r, &err));
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(g.r[3 * i].found, ZINC_FOUND);
		assert_int_equal(g.r[3 * i].object_size, 10);
		assert_int_equal(g.r[3 * i].nbytes, strlen(rows[i].want));
		assert_memory_equal(g.r[3 * i].bytes, rows[i].want, strlen(rows[i].want));
		assert_int_equal(g.r[3 * i + 1].found, ZINC_MISSING);
		assert_int_equal(g.r[3 * i + 2].found, ZINC_FOUND);
		assert_int_equal(g.r[3 * i + 2].object_size, 0);
	}
	gets_fini(&g);
	zinc_store_close(s);
}

/* (10) */
static void
children_have_their_own(void **state)
{
	zinc_store *s = open_real("fork", "");
	zinc_error err = ZINC_ERROR_INIT;
	int i, status;

	(void)state;
	put_text(s, "k", "parent");
	for (i = 0; i < 4; i++) {
		const pid_t child = fork();
		zinc_blob b = ZINC_BLOB_INIT;

		if (child == 0) {
			const bool good = zinc_store_get_all(s, "k", &b, NULL, 0, NULL, NULL) == ZINC_OK &&
					  try_put(s, "child", "x", NULL, NULL) == ZINC_OK;

			zinc_store_close(s);
			_exit(!good);
		}
		assert_text(s, "k", "parent");
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_ok(try_put(s, "k", "parent", NULL, &err));
	}
	zinc_store_close(s);
}

int
main(void)
{
	const struct CMUnitTest real[] = {
	    cmocka_unit_test(conditions_within_one_call),
	    cmocka_unit_test(parts_without_tags),
	    cmocka_unit_test(children_have_their_own),
	};
	zinc_error err = ZINC_ERROR_INIT;
	int failed = 0;

	alarm(HANGS);
	unsetenv("REDISCLI_AUTH");
	assert_ok(zinc_store_redis_register(&err));
	if (start_server()) {
		failed += conform_store_run("redis", make, NULL);
		failed += cmocka_run_group_tests(real, NULL, NULL);
	} else {
		printf("redis-server is not installed: the suite is left out\n");
	}
	stop_server();
	return failed != 0;
}

#else

int
main(void)
{
	return 0;
}

#endif
