/*
 * test_store_redis.c - the promises of store_redis.c, by number, with a server that answers by a script (redis_peer.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_redis.h"
#include "support/gets.h"
#include "support/own_address.h"
#include "support/redis_peer.h"
#include "support/test.h"

#if ZINC_WITH_SSL && ZINC_WITH_CRYPTO

#define READONLY "-READONLY You can't write against a read only replica.\r\n"

static double
seconds(void)
{
	return zinc_now(zinc_context_get(NULL));
}

/* ---- URLs ---- */

static void
assert_url(const char *rest, const char *host, const char *port, unsigned db, const char *user, const char *password)
{
	zinc_error err = ZINC_ERROR_INIT;
	redis_store s;

	memset(&s, 0, sizeof s);
	s.batched.ctx = zinc_context_get(NULL);
	assert_ok(zinc_redis_take_url(&s, rest, &err));
	assert_string_equal(s.host, host);
	assert_string_equal(s.port, port);
	assert_int_equal(s.db, db);
	assert_string_equal(s.user ? s.user : "-", user);
	assert_string_equal(s.password ? s.password : "-", password);
	zinc_free(s.batched.ctx, s.host);
	zinc_free(s.batched.ctx, s.user);
	if (s.password)
		zinc_free_secret(s.batched.ctx, s.password);
}

static void
urls(void **state)
{
	static const char *const bad[] = {"",     "h",         "h/",         "h/x",       "h/0x",   "/0",   ":6379/0",
					  "h:/0", "h:x/0",     "h:123456/0", "a@b@h/0",   "[::1/0", "[]/0", "u:p@/0",
					  "h/-1", "h/1234567", "[::1]x/0",   "u:%zz@h/0", "h:70a/0"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[128];
	size_t i;

	(void)state;
	assert_url("h/0", "h", "6379", 0, "-", "-");
	assert_url("h:1/15", "h", "1", 15, "-", "-");
	assert_url("u:p@h:6380/3", "h", "6380", 3, "u", "p");
	assert_url(":p%40%2F%3A@h/0", "h", "6379", 0, "-", "p@/:");
	assert_url("u@127.0.0.1/0", "127.0.0.1", "6379", 0, "u", "-");
	assert_url("[::1]:7/0", "::1", "7", 0, "-", "-");
	assert_url("[fe80::1]/0", "fe80::1", "6379", 0, "-", "-");
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(url, sizeof url, "redis://%s", bad[i]);
		if (zinc_store_open(&s, url, NULL, &err) == ZINC_OK)
			fail_msg("%s is accepted", url);
	}
	assert_int_equal(zinc_store_open(&s, "redis://h/0?durable=perhaps", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_open(&s, "redis://h/0?timeout=0", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_open(&s, "rediss://h/0?socket=/x", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_open(&s, "redis://h/0?marker=zarr:x", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_open(&s, "redis://u@h/0", NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(zinc_error_text(&err), "redis.password"));
	assert_ok(zinc_store_open(&s, "redis://u@h/0?password=x", NULL, &err));
	zinc_store_close(s);
}

/* ---- what is sent ---- */

/* (1), (3): one GET for a value, one transaction for a part, one for many puts; the prefix is RedisStore's. */
static void
commands(void **state)
{
	peer *p = peer_start(SCRIPT("$3\r\nabc\r\n", "+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "+QUEUED\r\n",
				    "*3\r\n:10\r\n:1\r\n$3\r\n234\r\n", "+OK\r\n", ":1\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_get part = get_range("a/b", 2, 3);
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	(void)state;
	assert_text(s, "a/b", "abc");
	part.untagged = 1;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &part, &err));
	assert_int_equal(g.r[0].object_size, 10);
	assert_memory_equal(g.r[0].bytes, "234", 3);
	gets_fini(&g);
	assert_ok(try_put(s, "k", "v", NULL, &err));
	assert_ok(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err));
	assert_string_equal(peer_heard(p),
			    "GET zarr:a/b;MULTI;STRLEN zarr:a/b;EXISTS zarr:a/b;GETRANGE zarr:a/b 2 4;EXEC;"
			    "SET zarr:k v;DEL zarr:k;");
	zinc_store_close(s);
	peer_stop(p);
}

/* An empty value is there, and a missing one is not. */
static void
empty_is_not_missing(void **state)
{
	peer *p = peer_start(SCRIPT("+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n:0\r\n:1\r\n", "+OK\r\n",
				    "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n:0\r\n:0\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_get r[2] = {get_stat("empty"), get_stat("none")};
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	(void)state;
	r[0].untagged = r[1].untagged = 1;
	gets_init(&g, 2);
	assert_ok(gets_run(&g, s, r, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_int_equal(g.r[1].found, ZINC_MISSING);
	gets_fini(&g);
	zinc_store_close(s);
	peer_stop(p);
}

/* (1), (2): the tag is known only after the value. */
static void
other_tags_than_asked_for(void **state)
{
	peer *p = peer_start(SCRIPT("$3\r\nabc\r\n"));
	zinc_store *s = peer_open(p, "");
	const zinc_tag tag = {1, {7}};
	zinc_get r = {.key = "k", .length = ZINC_TO_END, .if_tag = &tag};
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	(void)state;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r, &err));
	assert_int_equal(g.r[0].found, ZINC_CHANGED);
	gets_fini(&g);
	zinc_store_close(s);
	peer_stop(p);
}

static void
many_reads_are_one_round_trip(void **state)
{
	const char *answers[201];
	zinc_get r[200];
	char keys[200][8];
	zinc_error err = ZINC_ERROR_INIT;
	peer_script script = {.answers = answers, .hold = 64}; /* one by one they would never be answered */
	zinc_store *s;
	gets g;
	peer *p;
	int i;

	(void)state;
	for (i = 0; i < 200; i++) {
		snprintf(keys[i], sizeof keys[i], "k%d", i);
		r[i] = get_range(keys[i], 0, ZINC_TO_END);
		answers[i] = i % 3 ? "$1\r\nx\r\n" : "$-1\r\n";
	}
	answers[200] = NULL;
	p = peer_start(&script);
	s = peer_open(p, "retries=0&timeout=5");
	gets_init(&g, 200);
	assert_ok(gets_run(&g, s, r, &err));
	for (i = 0; i < 200; i++)
		assert_int_equal(g.r[i].found, i % 3 ? ZINC_FOUND : ZINC_MISSING);
	gets_fini(&g);
	assert_int_equal(peer_connections(p), 1);
	zinc_store_close(s);
	peer_stop(p);
}

/* Parts of one key with its tag need the value once. */
static void
parts_with_tags_share_one_value(void **state)
{
	peer *p = peer_start(SCRIPT("$10\r\n0123456789\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_get r[3] = {get_range("k", 0, 2), get_suffix("k", 2), get_stat("k")};
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	(void)state;
	gets_init(&g, 3);
	assert_ok(gets_run(&g, s, r, &err));
	assert_memory_equal(g.r[0].bytes, "01", 2);
	assert_memory_equal(g.r[1].bytes, "89", 2);
	assert_int_equal(g.r[2].object_size, 10);
	assert_true(zinc_tag_equal(&g.r[0].tag, &g.r[2].tag));
	gets_fini(&g);
	zinc_store_close(s);
	peer_stop(p);
}

/* ---- (4): the connection is lost after EXEC ---- */

static void
own_change_is_not_somebody_elses(void **state)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer *p = peer_start(SCRIPT(WATCHED_ABSENT, PEER_CLOSE, ":2\r\n", "$2\r\n1!\r\n", ":1\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(try_put(s, "k", "v", &absent, &err)); /* the marker has its number: it was made */
	assert_non_null(strstr(peer_heard(p), ";APPEND zinc:marker:"));
	assert_int_equal(peer_connections(p), 2);
	zinc_store_close(s);
	peer_stop(p);
}

/* Also if the look at the marker is lost, too. */
static void
settled_twice(void **state)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer *p =
	    peer_start(SCRIPT(WATCHED_ABSENT, PEER_CLOSE, ":2\r\n", PEER_CLOSE, ":3\r\n", "$3\r\n1!!\r\n", ":1\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(try_put(s, "k", "v", &absent, &err));
	assert_int_equal(peer_connections(p), 3);
	zinc_store_close(s);
	peer_stop(p);
	p = peer_start(SCRIPT(WATCHED_ABSENT, PEER_CLOSE, ":2\r\n", PEER_CLOSE, ":3\r\n", "$4\r\n10!!\r\n", ":1\r\n",
			      WATCHED_ABSENT, EXECUTED)); /* another number: it is made again */
	s = peer_open(p, "");
	assert_ok(try_put(s, "k", "v", &absent, &err));
	zinc_store_close(s);
	peer_stop(p);
}

static void
change_that_was_not_made_is_made_again(void **state)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer *p = peer_start(SCRIPT(WATCHED_ABSENT, PEER_CLOSE, NOT_MADE, WATCHED_ABSENT, EXECUTED));
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(try_put(s, "k", "v", &absent, &err));
	zinc_store_close(s);
	peer_stop(p);
	/* made by somebody else meanwhile */
	p = peer_start(SCRIPT(WATCHED_ABSENT, PEER_CLOSE, NOT_MADE, "+OK\r\n", ":1\r\n", "+OK\r\n"));
	s = peer_open(p, "");
	assert_int_equal(try_put(s, "k", "v", &absent, &err), ZINC_E_EXISTS);
	zinc_store_close(s);
	peer_stop(p);
}

static void
outcome_that_stays_unknown(void **state)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer *p = peer_start(SCRIPT(WATCHED_ABSENT, PEER_CLOSE, PEER_CLOSE, PEER_CLOSE));
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(try_put(s, "k", "v", &absent, &err), ZINC_E_UNCERTAIN);
	zinc_store_close(s);
	peer_stop(p);
	p = peer_start(SCRIPT("+OK\r\n", ":0\r\n", "+OK\r\n", "+QUEUED\r\n", PEER_CLOSE)); /* no marker */
	s = peer_open(p, "marker=");
	assert_int_equal(try_put(s, "k", "v", &absent, &err), ZINC_E_UNCERTAIN);
	assert_null(strstr(peer_heard(p), "marker"));
	zinc_store_close(s);
	peer_stop(p);
}

/* A put without a condition is made again; a key that was changed between WATCH and EXEC is looked at again. */
static void
retries_of_changes(void **state)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer *p = peer_start(SCRIPT(PEER_CLOSE, "+OK\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(try_put(s, "k", "v", NULL, &err));
	assert_string_equal(peer_heard(p), "SET zarr:k v;SET zarr:k v;");
	zinc_store_close(s);
	peer_stop(p);
	p = peer_start(SCRIPT(WATCHED_ABSENT, "*-1\r\n", "+OK\r\n", ":1\r\n", "+OK\r\n"));
	s = peer_open(p, "");
	assert_int_equal(try_put(s, "k", "v", &absent, &err), ZINC_E_EXISTS);
	assert_int_equal(peer_connections(p), 1);
	zinc_store_close(s);
	peer_stop(p);
}

static void
assert_create(const peer_script *script, zinc_status want, const char *word)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer *p = peer_start(script);
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st = try_put(s, "k", "v", &absent, &err);

	if (st != want || err.code != want || !strstr(zinc_error_text(&err), word))
		fail_msg("%s, not %s with %s", zinc_error_text(&err), zinc_status_name(want), word);
	assert_int_equal(peer_connections(p), 1);
	zinc_store_close(s);
	peer_stop(p);
}

/* (3) The server goes on after a command of a transaction that fails. */
static void
transactions_that_fail(void **state)
{
	(void)state;
	assert_create(SCRIPT(WATCHED_ABSENT, "*2\r\n" NOPERM "+OK\r\n"), ZINC_E_UNCERTAIN, "NOPERM");
	assert_create(SCRIPT(WATCHED_ABSENT, "*2\r\n+OK\r\n-OOM command not allowed\r\n"), ZINC_E_UNCERTAIN, "memory");
	assert_create(SCRIPT(WATCHED_ABSENT, "*2\r\n" NOPERM NOPERM), ZINC_E_IO, "NOPERM");
	assert_create(SCRIPT(WATCHED_ABSENT, "*1\r\n+OK\r\n"), ZINC_E_UNCERTAIN, "answer");
	assert_create(SCRIPT(WATCHED_ABSENT, "<html>\r\n"), ZINC_E_UNCERTAIN, "RESP2");
}

/* Without MULTI, what follows it would be made at once. */
static void
servers_without_transactions(void **state)
{
	peer *p = peer_start(&(const peer_script){.multi = NOPERM});
	zinc_store *s = peer_open(p, "");
	zinc_get part = get_range("k", 2, 3);
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	(void)state;
	part.untagged = 1;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &part, &err));
	assert_int_equal(g.r[0].found, ZINC_FAILED);
	gets_fini(&g);
	assert_string_equal(peer_heard(p), "");
	zinc_store_close(s);
	peer_stop(p);
	assert_create(&(const peer_script){.answers = ANSWERS("+OK\r\n", ":0\r\n"), .multi = NOPERM}, ZINC_E_IO,
		      "NOPERM"); /* two commands: WATCH and EXISTS */
	assert_create(SCRIPT("+OK\r\n", ":0\r\n", NOPERM, "+OK\r\n"), ZINC_E_UNCERTAIN, "NOPERM");
	assert_create(SCRIPT("+OK\r\n", ":0\r\n", NOPERM, NOPERM, NOPERM, "-ERR EXEC without MULTI\r\n"), ZINC_E_IO,
		      "NOPERM");
	assert_create(SCRIPT("+OK\r\n", ":0\r\n", "+OK\r\n", "+OK\r\n"), ZINC_E_UNCERTAIN, "answer");
}

/* ---- (5), (9): what the server says ---- */

static void
assert_get_fails(const char *answer, zinc_status want, const char *word)
{
	peer *p = peer_start(SCRIPT(answer));
	zinc_store *s = peer_open(p, "retries=0");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st = try_get(s, "k", &err);

	if (st != want || !strstr(zinc_error_text(&err), word))
		fail_msg("%s: %s, not %s with %s", answer, zinc_error_text(&err), zinc_status_name(want), word);
	zinc_store_close(s);
	peer_stop(p);
}

static void
errors_of_the_server(void **state)
{
	(void)state;
	assert_get_fails("-WRONGTYPE Operation against a key holding the wrong kind of value\r\n", ZINC_E_CORRUPT,
			 "not a string");
	assert_get_fails("-MOVED 3999 127.0.0.1:6381\r\n", ZINC_E_UNSUPPORTED, "cluster");
	assert_get_fails("-CLUSTERDOWN The cluster is down\r\n", ZINC_E_UNSUPPORTED, "cluster");
	assert_get_fails("-NOAUTH Authentication required.\r\n", ZINC_E_IO, "password");
	assert_get_fails(NOPERM, ZINC_E_IO, "NOPERM");
	assert_get_fails("-LOADING Redis is loading the dataset in memory\r\n", ZINC_E_IO, "loading");
	assert_get_fails("-BUSY Redis is busy running a script\r\n", ZINC_E_IO, "busy");
	assert_get_fails("-ERR what\r\n", ZINC_E_IO, "what");
	assert_get_fails(PEER_CLOSE, ZINC_E_IO, "closed");
	assert_get_fails(":1\r\n", ZINC_E_CORRUPT, "answer");
	assert_get_fails("*1\r\n*1\r\n", ZINC_E_CORRUPT, "answer");
	assert_get_fails("+OK\r\n", ZINC_E_CORRUPT, "answer");
	assert_get_fails("$3\r\nabcdefgh\r\n", ZINC_E_CORRUPT, "RESP2");
	assert_get_fails("$-7\r\n", ZINC_E_CORRUPT, "RESP2");
	assert_get_fails("<html>\r\n", ZINC_E_CORRUPT, "RESP2");
}

static void
assert_put_fails(const char *answer, zinc_status want, const char *word)
{
	peer *p = peer_start(SCRIPT(answer));
	zinc_store *s = peer_open(p, "retries=0");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st = try_put(s, "k", "v", NULL, &err);

	if (st != want || !strstr(zinc_error_text(&err), word))
		fail_msg("%s: %s, not %s with %s", answer, zinc_error_text(&err), zinc_status_name(want), word);
	zinc_store_close(s);
	peer_stop(p);
}

static void
errors_of_changes(void **state)
{
	(void)state;
	assert_put_fails(READONLY, ZINC_E_READONLY, "replica");
	assert_put_fails("-OOM command not allowed when used memory > 'maxmemory'.\r\n", ZINC_E_IO, "memory");
	assert_put_fails("-MISCONF Redis is configured to save RDB snapshots\r\n", ZINC_E_IO, "MISCONF");
	assert_put_fails(PEER_CLOSE, ZINC_E_UNCERTAIN, "closed");
	assert_put_fails("$1\r\nx\r\n", ZINC_E_UNCERTAIN, "answer");
	assert_put_fails("<html>\r\n", ZINC_E_UNCERTAIN, "RESP2");
}

/* What may pass is tried again. */
static void
loading_passes(void **state)
{
	peer *p = peer_start(SCRIPT("-LOADING Redis is loading the dataset in memory\r\n", "$1\r\nx\r\n"));
	zinc_store *s = peer_open(p, "");

	(void)state;
	assert_text(s, "k", "x");
	zinc_store_close(s);
	peer_stop(p);
}

/* One key of many is no string: only its request fails. */
static void
one_of_many_is_no_string(void **state)
{
	peer *p = peer_start(SCRIPT("$1\r\nx\r\n", "-WRONGTYPE Operation against a key\r\n", "$-1\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_get r[3] = {get_range("a", 0, ZINC_TO_END), get_range("b", 0, ZINC_TO_END),
			 get_range("c", 0, ZINC_TO_END)};
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	(void)state;
	gets_init(&g, 3);
	assert_ok(gets_run(&g, s, r, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_int_equal(g.r[1].found, ZINC_FAILED);
	assert_int_equal(g.r[1].status, ZINC_E_CORRUPT);
	assert_int_equal(g.r[2].found, ZINC_MISSING);
	gets_fini(&g);
	zinc_store_close(s);
	peer_stop(p);
}

/* The connection is lost in the middle of a value: the rest is read again, into the same memory. */
static void
reading_goes_on(void **state)
{
	peer *p = peer_start(SCRIPT("$1\r\nx\r\n", "$5\r\nhe", PEER_CLOSE, "$5\r\nhello\r\n", "$-1\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_get r[3] = {get_range("a", 0, ZINC_TO_END), get_range("b", 0, ZINC_TO_END),
			 get_range("c", 0, ZINC_TO_END)};
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	(void)state;
	gets_init(&g, 3);
	assert_ok(gets_run(&g, s, r, &err));
	assert_int_equal(g.r[1].found, ZINC_FOUND);
	assert_int_equal(g.r[1].rooms, 1);
	assert_memory_equal(g.r[1].bytes, "hello", 5);
	assert_int_equal(g.r[2].found, ZINC_MISSING);
	gets_fini(&g);
	zinc_store_close(s);
	peer_stop(p);
}

/* It has another size then: it fails, and no other. */
static void
reading_goes_on_with_another_value(void **state)
{
	peer *p = peer_start(SCRIPT("$1\r\nx\r\n", "$5\r\nhe", PEER_CLOSE, "$7\r\nanother\r\n", "$-1\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_get r[3] = {get_range("a", 0, ZINC_TO_END), get_range("b", 0, ZINC_TO_END),
			 get_range("c", 0, ZINC_TO_END)};
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	(void)state;
	gets_init(&g, 3);
	assert_ok(gets_run(&g, s, r, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_int_equal(g.r[1].found, ZINC_FAILED);
	assert_int_equal(g.r[1].status, ZINC_E_IO);
	assert_int_equal(g.r[2].found, ZINC_MISSING);
	gets_fini(&g);
	zinc_store_close(s);
	peer_stop(p);
}

/* A server may claim any size: nothing is allocated for it but by the sink. */
static void
huge_values(void **state)
{
	peer *p = peer_start(SCRIPT("$4294967295\r\nx"));
	zinc_store *s = peer_open(p, "retries=0&timeout=0.2");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 1000, NULL, &err), ZINC_E_LIMIT);
	zinc_store_close(s);
	peer_stop(p);
}

static void
assert_refused(const peer_script *script, zinc_status want, const char *word)
{
	peer *p = peer_start(script);
	zinc_store *s = peer_open(p, "retries=0&password=hunter2");
	zinc_error err = ZINC_ERROR_INIT;

	assert_int_equal(try_get(s, "k", &err), want);
	if (!strstr(zinc_error_text(&err), word) || strstr(zinc_error_text(&err), "hunter2"))
		fail_msg("%s, not %s", zinc_error_text(&err), word);
	zinc_store_close(s);
	peer_stop(p);
}

/* (8) Not a byte is sent. */
static void
passwords_stay_on_this_machine(void **state)
{
	char host[INET_ADDRSTRLEN], url[128], byte;
	int port, listener = listen_outside(host, &port), there;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;

	(void)state;
	if (listener < 0)
		skip();
	snprintf(url, sizeof url, "redis://me:canary@%s:%d/0?timeout=1&retries=0", host, port);
	assert_ok(zinc_store_open(&s, url, NULL, &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(zinc_error_text(&err), "redis.plain_password"));
	assert_null(strstr(zinc_error_text(&err), "canary"));
	there = accept(listener, NULL, NULL);
	assert_int_equal(read(there, &byte, 1), 0);
	zinc_store_close(s);
	close(there);
	close(listener);
}

/* (8), (9) */
static void
servers_that_are_refused(void **state)
{
	(void)state;
	assert_refused(&(const peer_script){.info = "$22\r\nredis_mode:cluster\r\n\r\n\r\n"}, ZINC_E_UNSUPPORTED,
		       "cluster");
	assert_refused(&(const peer_script){.info = "$23\r\nredis_mode:sentinel\r\n\r\n\r\n"}, ZINC_E_UNSUPPORTED,
		       "Sentinel");
	assert_refused(&(const peer_script){.info = "$21\r\nserver_mode:cluster\r\n\r\n"}, ZINC_E_UNSUPPORTED,
		       "cluster");
	assert_refused(&(const peer_script){.info = "$22\r\nserver_mode:sentinel\r\n\r\n"}, ZINC_E_UNSUPPORTED,
		       "Sentinel");
	assert_refused(&(const peer_script){.select = "-ERR DB index is out of range\r\n"}, ZINC_E_INVALID,
		       "database 1");
	assert_refused(&(const peer_script){.auth = "-WRONGPASS invalid username-password pair\r\n"}, ZINC_E_IO,
		       "password");
	assert_refused(&(const peer_script){.auth = "-ERR unknown command, with args beginning with: `hunter2`\r\n"},
		       ZINC_E_IO, "password");
	assert_refused(&(const peer_script){.info = "-NOAUTH Authentication required.\r\n"}, ZINC_E_IO, "password");
	assert_refused(&(const peer_script){.auth = "-NOPERM of hunter2\r\n"}, ZINC_E_IO, "NOPERM");
	assert_refused(&(const peer_script){.info = "-ERR what is hunter2?\r\n"}, ZINC_E_IO, "what is *******?");
	assert_refused(&(const peer_script){.info = "$-1\r\n"}, ZINC_E_CORRUPT, "answer");
	assert_refused(&(const peer_script){.aof = "*2\r\n$10\r\nappendonly\r\n$-1\r\n"}, ZINC_E_CORRUPT, "answer");
}

/* ---- idle connections ---- */

/* An answer too many is not the answer to the next question. */
static void
answers_too_many(void **state)
{
	peer *p = peer_start(SCRIPT("$-1\r\n$5\r\nwrong\r\n", "$5\r\nright\r\n"));
	zinc_store *s = peer_open(p, "");

	(void)state;
	assert_missing(s, "k");
	assert_text(s, "k", "right");
	assert_int_equal(peer_connections(p), 2);
	zinc_store_close(s);
	peer_stop(p);
}

/* An idle connection may lead to a server that was the master: a new one leads to the one that is. */
static void
another_master(void **state)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer *p = peer_start(SCRIPT("$-1\r\n", READONLY, "+OK\r\n", "+OK\r\n", ":0\r\n", "+OK\r\n", READONLY, READONLY,
				    "-EXECABORT\r\n", WATCHED_ABSENT, EXECUTED));
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_missing(s, "k");
	assert_ok(try_put(s, "k", "1", NULL, &err));
	assert_int_equal(peer_connections(p), 2);
	assert_ok(try_put(s, "j", "1", &absent, &err));
	assert_int_equal(peer_connections(p), 3);
	zinc_store_close(s);
	peer_stop(p);
}

/* ---- (7): deadlines ---- */

/* Of several idle connections that are silent only one costs a timeout. */
static zinc_status
read_inside(void *arg, const void *old, size_t n, zinc_update *out, zinc_error *err)
{
	(void)old, (void)n;
	out->keep = 1;
	return try_get((zinc_store *)arg, "inner", err) == ZINC_E_NOTFOUND ? ZINC_OK : ZINC_E_IO;
}

static void
dead_connections_are_given_up_together(void **state)
{
	peer *p = peer_start(SCRIPT("+OK\r\n", "$-1\r\n", "$-1\r\n", "+OK\r\n", PEER_SILENT, "$1\r\nx\r\n"));
	zinc_store *s = peer_open(p, "timeout=0.5&retries=1");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_store_update(s, "outer", read_inside, s, 0, 0, 0, NULL, &err));
	assert_int_equal(peer_connections(p), 2); /* idle now */
	assert_text(s, "k", "x");
	assert_int_equal(peer_connections(p), 3);
	zinc_store_close(s);
	peer_stop(p);
}

static void
deadlines(void **state)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	peer *p = peer_start(SCRIPT(PEER_SILENT, PEER_SILENT, PEER_SILENT, PEER_SILENT, WATCHED_ABSENT, PEER_SILENT));
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	const double began = seconds();
	zinc_wait wait = {sizeof wait, began + 0.1, NULL};
	int n = 0;

	(void)state;
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, &wait, &err), ZINC_E_CANCELLED);
	wait.until = seconds() + 0.1;
	assert_int_equal(zinc_store_put(s, NULL, "k", "v", 1, NULL, 0, NULL, &wait, &err), ZINC_E_UNCERTAIN);
	assert_non_null(strstr(zinc_error_text(&err), "deadline"));
	wait.until = seconds() + 0.1;
	assert_int_equal(zinc_store_put(s, NULL, "k", "v", 1, &absent, 0, NULL, &wait, &err), ZINC_E_CANCELLED);
	wait.until = seconds() + 0.1;
	assert_int_equal(zinc_store_list(s, "", count_key, &n, &wait, &err), ZINC_E_CANCELLED);
	wait.until = seconds() + 0.5; /* everything but the end of the transaction */
	assert_int_equal(zinc_store_put(s, NULL, "k", "v", 1, &absent, 0, NULL, &wait, &err), ZINC_E_UNCERTAIN);
	assert_true(seconds() - began < 60);
	zinc_store_close(s);
	peer_stop(p);
	p = peer_start(SCRIPT(PEER_SILENT, "$1\r\nx\r\n")); /* a silent connection is given up for another */
	s = peer_open(p, "timeout=0.1");
	assert_text(s, "k", "x");
	assert_int_equal(peer_connections(p), 2);
	zinc_store_close(s);
	peer_stop(p);
}

/* ---- listings ---- */

typedef struct listed {
	char text[512];
} listed;

static int
add_key(void *arg, const char *key, uint64_t nbytes)
{
	listed *l = (listed *)arg;

	snprintf(l->text + strlen(l->text), sizeof l->text - strlen(l->text), "%s=%d ", key, (int)nbytes);
	return 0;
}

static int
add_non_key(void *arg, const zinc_non_key *x)
{
	listed *l = (listed *)arg;

	snprintf(l->text + strlen(l->text), sizeof l->text - strlen(l->text), "(%d %s) ", (int)x->kind, x->key);
	return 0;
}

/* Unsorted, twice, names that are no keys, names of others, and a key that is not a string. */
static void
listing(void **state)
{
	peer *p =
	    peer_start(SCRIPT("*2\r\n$2\r\n17\r\n*3\r\n$6\r\nzarr:b\r\n$6\r\nzarr:a\r\n$7\r\nother:x\r\n",
			      "*2\r\n$1\r\n0\r\n*3\r\n$6\r\nzarr:a\r\n$9\r\nzarr:c//d\r\n$6\r\nzarr:l\r\n", ":1\r\n",
			      ":0\r\n", ":0\r\n", "-WRONGTYPE Operation against a key\r\n", ":0\r\n", ":1\r\n"));
	zinc_store *s = peer_open(p, "");
	zinc_error err = ZINC_ERROR_INIT;
	listed l = {""};
	const zinc_lister to = {.size = sizeof to, .key = add_key, .non_key = add_non_key, .arg = &l};

	(void)state;
	assert_ok(zinc_store_walk(s, "", &to, NULL, &err));
	assert_string_equal(l.text, "a=1 (1 c//d) (2 l) "); /* b was erased between */
	assert_non_null(
	    strstr(peer_heard(p), "SCAN 0 MATCH zarr:* COUNT 1000;SCAN 17 MATCH zarr:* COUNT 1000;STRLEN zarr:a;"));
	zinc_store_close(s);
	peer_stop(p);
}

static void
patterns_are_escaped(void **state)
{
	peer *p = peer_start(SCRIPT("*2\r\n$1\r\n0\r\n*0\r\n"));
	zinc_store *s = peer_open(p, "prefix=a[b]*");
	zinc_error err = ZINC_ERROR_INIT;
	int n = 0;

	(void)state;
	assert_ok(zinc_store_list(s, "x?/", count_key, &n, NULL, &err));
	assert_string_equal(peer_heard(p), "SCAN 0 MATCH a\\[b\\]\\*:x\\?/* COUNT 1000;");
	zinc_store_close(s);
	peer_stop(p);
}

static void
strange_pages(void **state)
{
	static const char *const bad[] = {"*3\r\n$1\r\n0\r\n*0\r\n*0\r\n",
					  "*2\r\n$1\r\nx\r\n*0\r\n",
					  "*2\r\n:0\r\n*0\r\n",
					  "*2\r\n$1\r\n0\r\n*1\r\n:1\r\n",
					  "*2\r\n$1\r\n0\r\n*1\r\n$-1\r\n",
					  "+OK\r\n",
					  "*2\r\n$40\r\n0000000000000000000000000000000000000000\r\n*0\r\n"};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;
	int n = 0;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		peer *p = peer_start(SCRIPT(bad[i]));
		zinc_store *s = peer_open(p, "retries=0");

		if (zinc_store_list(s, "", count_key, &n, NULL, &err) != ZINC_E_CORRUPT)
			fail_msg("%s: %s", bad[i], zinc_error_text(&err));
		zinc_store_close(s);
		peer_stop(p);
	}
	assert_int_equal(n, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(urls),
	    cmocka_unit_test(commands),
	    cmocka_unit_test(empty_is_not_missing),
	    cmocka_unit_test(other_tags_than_asked_for),
	    cmocka_unit_test(many_reads_are_one_round_trip),
	    cmocka_unit_test(parts_with_tags_share_one_value),
	    cmocka_unit_test(own_change_is_not_somebody_elses),
	    cmocka_unit_test(settled_twice),
	    cmocka_unit_test(change_that_was_not_made_is_made_again),
	    cmocka_unit_test(transactions_that_fail),
	    cmocka_unit_test(servers_without_transactions),
	    cmocka_unit_test(outcome_that_stays_unknown),
	    cmocka_unit_test(retries_of_changes),
	    cmocka_unit_test(errors_of_the_server),
	    cmocka_unit_test(errors_of_changes),
	    cmocka_unit_test(loading_passes),
	    cmocka_unit_test(one_of_many_is_no_string),
	    cmocka_unit_test(reading_goes_on),
	    cmocka_unit_test(reading_goes_on_with_another_value),
	    cmocka_unit_test(huge_values),
	    cmocka_unit_test(servers_that_are_refused),
	    cmocka_unit_test(passwords_stay_on_this_machine),
	    cmocka_unit_test(answers_too_many),
	    cmocka_unit_test(another_master),
	    cmocka_unit_test(dead_connections_are_given_up_together),
	    cmocka_unit_test(deadlines),
	    cmocka_unit_test(listing),
	    cmocka_unit_test(patterns_are_escaped),
	    cmocka_unit_test(strange_pages),
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
