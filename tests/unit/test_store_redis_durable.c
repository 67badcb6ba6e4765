/*
 * test_store_redis_durable.c - what the redis store says of durability: promise (6) of store_redis.c, with a server that
 * answers by a script
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_redis.h"
#include "support/gets.h"
#include "support/redis_peer.h"
#include "support/test.h"

#if ZINC_WITH_SSL && ZINC_WITH_CRYPTO

#define AOF_YES             "*2\r\n$10\r\nappendonly\r\n$3\r\nyes\r\n"
#define FSYNC_ALWAYS        "*2\r\n$11\r\nappendfsync\r\n$6\r\nalways\r\n"
#define FSYNC_NO            "*2\r\n$11\r\nappendfsync\r\n$2\r\nno\r\n"
#define NO_FSYNC_ON_REWRITE "*2\r\n$25\r\nno-appendfsync-on-rewrite\r\n$3\r\nyes\r\n"
#define VERSION_8           RUN("00000000000000a1")
#define RUN(id_)            "$70\r\nredis_version:8.0.99\r\nredis_mode:standalone\r\nrun_id:" id_ "\r\n\r\n"
#define VALKEY              "$68\r\nredis_version:7.2.4\r\nvalkey_version:8.1.1\r\nrun_id:00000000000000a1\r\n\r\n"
#define ON_DISK             "*2\r\n:1\r\n:0\r\n"

static bool
is_durable_with(const peer_script *script, const char *query)
{
	peer *p = peer_start(script);
	zinc_store *s = peer_open(p, query);
	zinc_caps caps = ZINC_CAPS_INIT;

	assert_missing(s, "k");
	zinc_store_caps(s, &caps);
	zinc_store_close(s);
	peer_stop(p);
	return caps.flags & ZINC_CAP_DURABLE;
}

static bool
is_durable(const char *info, const char *aof, const char *fsync_when, const char *query)
{
	return is_durable_with(
	    &(const peer_script){.answers = ANSWERS("$-1\r\n"), .info = info, .aof = aof, .fsync = fsync_when}, query);
}

/* "always" with a pause while the file is written anew. */
static bool
is_durable_during_rewrites(const char *info)
{
	return is_durable_with(&(const peer_script){.answers = ANSWERS("$-1\r\n"),
						    .info = info,
						    .aof = AOF_YES,
						    .rewrite = NO_FSYNC_ON_REWRITE,
						    .fsync = FSYNC_ALWAYS},
			       "");
}

static void
durable_if_the_server_says_so(void **state)
{
	(void)state;
	assert_false(is_durable(NULL, NULL, FSYNC_ALWAYS, ""));
	assert_false(is_durable(NULL, AOF_YES, NULL, ""));
	assert_true(is_durable(NULL, AOF_YES, FSYNC_ALWAYS, ""));
	assert_true(is_durable(VERSION_8, AOF_YES, NULL, ""));
	assert_false(is_durable(VERSION_8, NULL, NULL, ""));
	assert_false(is_durable(NULL, AOF_YES, FSYNC_ALWAYS, "durable=no"));
	assert_true(is_durable(NULL, NOPERM, NOPERM, "durable=yes"));
	assert_false(is_durable(NULL, NOPERM, NOPERM, ""));
	assert_false(is_durable(NOPERM, AOF_YES, NULL, ""));
	assert_false(is_durable(VERSION_8, AOF_YES, FSYNC_NO, "")); /* WAITAOF would wait in vain */
	assert_false(is_durable_during_rewrites(NULL));
	assert_true(is_durable_during_rewrites(VERSION_8));  /* by WAITAOF */
	assert_false(is_durable(VALKEY, AOF_YES, NULL, "")); /* whose WAITAOF does not wait */
	assert_true(is_durable(VALKEY, AOF_YES, FSYNC_ALWAYS, ""));
}

static void
disk_is_waited_for(void **state)
{
	const char *const answers[] = {"+OK\r\n", "*2\r\n:1\r\n:0\r\n", "+OK\r\n",
				       "+OK\r\n", "*2\r\n:0\r\n:0\r\n", NULL};
	peer *p = peer_start(&(const peer_script){.answers = answers, .info = VERSION_8, .aof = AOF_YES});
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(try_put(s, "k", "1", NULL, &err));
	assert_ok(zinc_store_put(s, NULL, "k", "2", 1, NULL, ZINC_PUT_RELAXED, NULL, NULL, &err));
	assert_int_equal(try_put(s, "k", "3", NULL, &err), ZINC_E_UNCERTAIN); /* not in time */
	assert_string_equal(peer_heard(p),
			    "SET zarr:k 1;WAITAOF 1 0 15001;SET zarr:k 2;SET zarr:k 3;WAITAOF 1 0 15001;");
	zinc_store_close(s);
	peer_stop(p);
}

/* A server that was restarted may have lost what its disk was not waited for. */
static void
restarted_before_the_disk(void **state)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer_script script = {.answers = ANSWERS("+OK\r\n", PEER_CLOSE, "+OK\r\n", ON_DISK),
			      .info = RUN("00000000000000a1"),
			      .aof = AOF_YES};
	peer *p = peer_start(&script);
	zinc_store *s = peer_open(p, "marker=m:");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(try_put(s, "k", "1", NULL, &err)); /* the same run: another change is waited for */
	assert_non_null(strstr(peer_heard(p), "SET zarr:k 1;WAITAOF 1 0 15001;SET m:"));
	zinc_store_close(s);
	peer_stop(p);
	script.later_info = RUN("00000000000000b2");
	p = peer_start(&script);
	s = peer_open(p, "marker=m:");
	assert_ok(try_put(s, "k", "1", NULL, &err)); /* another run: it is made again */
	assert_string_equal(peer_heard(p), "SET zarr:k 1;WAITAOF 1 0 15001;SET zarr:k 1;WAITAOF 1 0 15001;");
	zinc_store_close(s);
	peer_stop(p);
	script.answers = ANSWERS(WATCHED_ABSENT, EXECUTED, PEER_CLOSE, NOT_MADE, WATCHED_ABSENT, EXECUTED, ON_DISK);
	p = peer_start(&script);
	s = peer_open(p, "marker=m:");
	assert_ok(try_put(s, "k", "1", &absent, &err)); /* the marker is lost, so the change is */
	zinc_store_close(s);
	peer_stop(p);
	script.answers = ANSWERS(WATCHED_ABSENT, EXECUTED, PEER_CLOSE, ":2\r\n", "$2\r\n1!\r\n", ":1\r\n", ON_DISK);
	p = peer_start(&script);
	s = peer_open(p, "marker=m:");
	assert_ok(try_put(s, "k", "1", &absent, &err)); /* it is not */
	zinc_store_close(s);
	peer_stop(p);
}

static void
restarted_before_a_sync(void **state)
{
	const char *const answers[] = {"+OK\r\n", PEER_CLOSE, "$-1\r\n", NULL};
	peer *p = peer_start(&(const peer_script){.answers = answers,
						  .info = RUN("00000000000000a1"),
						  .later_info = RUN("00000000000000b2"),
						  .aof = AOF_YES});
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, NULL, ZINC_PUT_RELAXED, NULL, NULL, &err));
	assert_int_equal(try_get(s, "k", &err), ZINC_E_NOTFOUND); /* on another connection, of another run */
	assert_int_equal(zinc_store_sync(s, NULL, &err), ZINC_E_UNCERTAIN);
	assert_non_null(strstr(zinc_error_text(&err), "restarted"));
	zinc_store_close(s);
	peer_stop(p);
}

static void *
sync_in_thread(void *arg)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_int_equal(zinc_store_sync((zinc_store *)arg, NULL, &err), ZINC_E_UNCERTAIN);
	return NULL;
}

/* A second sync does not overlook what a first one has not found out yet. */
static void
restarted_before_two_syncs(void **state)
{
	peer *p = peer_start(&(const peer_script){.answers = ANSWERS("+OK\r\n", PEER_SILENT),
						  .info = RUN("00000000000000a1"),
						  .later_info = RUN("00000000000000b2"),
						  .aof = AOF_YES});
	zinc_store *s = peer_open(p, "retries=0&timeout=1");
	zinc_error err = ZINC_ERROR_INIT;
	pthread_t first;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, NULL, ZINC_PUT_RELAXED, NULL, NULL, &err));
	assert_int_equal(pthread_create(&first, NULL, sync_in_thread, s), 0);
	while (!strstr(peer_heard(p), "SET zinc:marker:"))
		usleep(1000);
	assert_int_equal(zinc_store_sync(s, NULL, &err), ZINC_E_UNCERTAIN);
	assert_non_null(strstr(zinc_error_text(&err), "restarted"));
	pthread_join(first, NULL);
	zinc_store_close(s);
	peer_stop(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(durable_if_the_server_says_so), cmocka_unit_test(disk_is_waited_for),
	    cmocka_unit_test(restarted_before_the_disk),     cmocka_unit_test(restarted_before_a_sync),
	    cmocka_unit_test(restarted_before_two_syncs),
	};
	zinc_error err = ZINC_ERROR_INIT;

	alarm(HANGS);
	unsetenv("REDISCLI_AUTH");
	assert_ok(zinc_store_redis_register(&err));
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int
main(void)
{
	return 0;
}

#endif
