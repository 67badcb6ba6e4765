/*
 * test_store_postgresql.c - what can be tested of store_postgresql.c without a server; scripts/stores/postgresql.sh has
 * one
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_postgresql.h"
#include "support/silent_peer.h"
#include "support/test.h"

#if ZINC_WITH_POSTGRESQL

/* ---- URLs ---- */

static zinc_status
open_with(pg_store **out, const char *rest, const char *table, zinc_error *err)
{
	const zinc_setting settings[] = {
	    {"table", table}, {"patience", "2"}, {"connect_timeout", "1"}, {"user", "setting"}, {"sslmode", "disable"}};
	const zinc_store_options o = {.size = sizeof o,
				      .context = zinc_context_get(NULL),
				      .settings = settings,
				      .nsettings = sizeof settings / sizeof settings[0]};

	return zinc_pg_new(out, rest, &o, err);
}

static void
expect_words(const char *rest, const char *host, const char *port, const char *user, const char *password,
	     const char *database)
{
	const char *const want[] = {host, port, database, user, password};
	const pg_word words[] = {PG_HOST, PG_PORT, PG_DATABASE, PG_USER, PG_PASSWORD};
	zinc_error err = ZINC_ERROR_INIT;
	pg_store *s = NULL;
	size_t i;

	assert_ok(open_with(&s, rest, "zarr", &err));
	for (i = 0; i < 5; i++) {
		if (!want[i])
			assert_null(s->word[words[i]]);
		else
			assert_string_equal(s->word[words[i]], want[i]);
	}
	zinc_store_ops_postgresql.close(s);
}

static void
urls_are_taken_apart(void **state)
{
	(void)state;
	expect_words("u:p@h:1/d", "h", "1", "u", "p", "d");
	expect_words("h/d", "h", NULL, "setting", NULL, "d");
	expect_words("/d", NULL, NULL, "setting", NULL, "d");
	expect_words("u%40x:a%3Ab%2F@%2Ftmp%2Fs/my%20db", "/tmp/s", NULL, "u@x", "a:b/", "my db");
	expect_words("[::1]:77/d", "::1", "77", "setting", NULL, "d");
	expect_words("a:1,b,c:3/d", "a,b,c", "1,,3", "setting", NULL, "d");
}

static void
expect_refused(const char *rest, const char *table)
{
	zinc_error err = ZINC_ERROR_INIT;
	pg_store *s = NULL;

	assert_int_equal(open_with(&s, rest, table, &err), ZINC_E_INVALID);
	assert_true(err.text[0]);
	assert_null(s);
}

static void
bad_urls_and_tables_are_refused(void **state)
{
	char name[80];

	(void)state;
	expect_refused("h", "zarr");
	expect_refused("h/", "zarr");
	expect_refused("h/d/e", "zarr");
	expect_refused("h/%zz", "zarr");
	expect_refused("h/a%00b", "zarr");
	expect_refused("h/d", "");
	expect_refused("h/d", ".t");
	expect_refused("h/d", "s.");
	expect_refused("h/d", "a$zinc$");
	expect_refused("h/d", "a@b");
	expect_refused("h/d", "\xff");
	memset(name, 'a', sizeof name);
	name[64] = '\0';
	expect_refused("h/d", name);
}

/* The name cannot end its quotes. */
static void
tables_are_quoted(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	pg_store *s = NULL;

	(void)state;
	assert_ok(open_with(&s, "h/d", "My \"s\".x; DROP", &err));
	assert_string_equal(s->table, "\"My \"\"s\"\"\".\"x; DROP\"");
	assert_non_null(strstr(s->sql[PG_DEL], "DELETE FROM \"My \"\"s\"\"\".\"x; DROP\" WHERE"));
	zinc_store_ops_postgresql.close(s);
}

/* ---- failures ---- */

static void
failures_are_told_apart(void **state) /* (5), (6) */
{
	(void)state;
	assert_int_equal(zinc_pg_fault_of("42P01"), PG_NO_TABLE);
	assert_int_equal(zinc_pg_fault_of("40001"), PG_AGAIN);
	assert_int_equal(zinc_pg_fault_of("40P01"), PG_AGAIN);
	assert_int_equal(zinc_pg_fault_of("57P01"), PG_LOST);
	assert_int_equal(zinc_pg_fault_of("08006"), PG_LOST);
	assert_int_equal(zinc_pg_fault_of("57014"), PG_FINAL);
	assert_int_equal(zinc_pg_fault_of("42501"), PG_FINAL);
	assert_int_equal(zinc_pg_fault_of("XX000"), PG_FINAL);
	assert_int_equal(zinc_pg_fault_of(""), PG_FINAL);
}

static pg_fault
fault_of_text(const char *text, const char *words)
{
	zinc_error err = ZINC_ERROR_INIT;
	pg_fault fault = PG_FINE;

	assert_int_not_equal(zinc_pg_fail_connect(text, &fault, &err), ZINC_OK);
	assert_non_null(strstr(err.text, words));
	assert_null(strchr(err.text, '\n'));
	return fault;
}

static void
failures_to_connect_are_told_apart(void **state) /* (5) */
{
	(void)state;
	assert_int_equal(fault_of_text("connection to server failed: FATAL:  57P03: wird gestartet\nLOCATION:  x\n",
				       "wird gestartet (SQLSTATE 57P03)"),
			 PG_AGAIN);
	assert_int_equal(fault_of_text("FATAL:  53300: sorry", "max_connections"), PG_AGAIN);
	assert_int_equal(fault_of_text("FATAL:  28P01: no\n", "pg_hba.conf"), PG_FINAL);
	assert_int_equal(fault_of_text("FATAL:  3D000: no\n", "createdb"), PG_FINAL);
	assert_int_equal(fault_of_text("connection refused\n\tIs the server running?\n", "refused"), PG_DOWN);
	assert_int_equal(fault_of_text("invalid sslmode value: \"quark\"\n", "quark"), PG_FINAL);
	assert_int_equal(fault_of_text("", "cannot connect"), PG_DOWN);
	assert_int_equal(fault_of_text(":  :  12345", "cannot connect"), PG_DOWN);
}

static void
tags_are_generations(void **state) /* (2) */
{
	zinc_tag tag, other;

	(void)state;
	zinc_pg_tag(INT64_MAX - 5, &tag);
	assert_int_equal(zinc_pg_generation(&tag), INT64_MAX - 5);
	zinc_pg_tag(258, &other);
	assert_int_equal(other.n, 8);
	assert_int_equal(other.b[6], 1);
	assert_int_equal(other.b[7], 2);
	tag.n = 7;
	assert_int_equal(zinc_pg_generation(&tag), -1);
}

/* ---- servers that do not answer as they should ---- */

/* A store of that server and perhaps another that has not met them. */
static zinc_store *
open_unmet(int port, int other)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	pg_store *self = NULL;
	char rest[160];

	if (other)
		snprintf(rest, sizeof rest, "me:canary@127.0.0.1:%d,127.0.0.1:%d/d", port, other);
	else
		snprintf(rest, sizeof rest, "me:canary@127.0.0.1:%d/d", port);
	assert_ok(open_with(&self, rest, "zarr", &err));
	assert_ok(zinc_store_wrap(&s, NULL, &zinc_store_ops_postgresql, self, "postgresql://x", &err));
	return s;
}

static void
expect_no_store(int port, double seconds, zinc_status want)
{
	const zinc_call_options call = {.size = sizeof call, .timeout = seconds};
	const zinc_store_options o = {.size = sizeof o, .call = &call};
	const double began = zinc_now(zinc_context_get(NULL));
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[160];

	snprintf(url, sizeof url, "postgresql://me:canary@127.0.0.1:%d/d?sslmode=disable", port);
	assert_int_equal(zinc_store_open(&s, url, &o, &err), want);
	assert_true(zinc_now(zinc_context_get(NULL)) - began < seconds + 2);
	assert_null(strstr(zinc_error_text(&err), "canary"));
}

static void
expect_failure(int port, double seconds, zinc_status want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob blob = ZINC_BLOB_INIT;
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_store *s = open_unmet(port, 0);
	double began;

	expect_no_store(port, seconds, want);
	began = zinc_now(zinc_context_get(NULL));
	wait.until = began + seconds;
	assert_int_equal(zinc_store_get_all(s, "a", &blob, NULL, 0, &wait, &err), want);
	assert_true(zinc_now(zinc_context_get(NULL)) - began < seconds + 2);
	assert_null(strstr(zinc_error_text(&err), "canary"));
	assert_int_equal(zinc_store_put(s, NULL, "a", "b", 1, NULL, 0, NULL, &wait, &err), want);
	zinc_store_close(s);
}

static void
silence_ends_with_the_deadline(void **state) /* (4), (6), (7) */
{
	silent_peer p;

	(void)state;
	peer_start(&p, NULL, 0, false);
	expect_failure(p.port, 0.5, ZINC_E_CANCELLED);
	peer_stop(&p);
}

/* Without a deadline it is the setting "patience", which ends the tries. */
static void
patience_ends(void **state) /* (4) */
{
	zinc_error err = ZINC_ERROR_INIT;
	const double began = zinc_now(zinc_context_get(NULL));
	zinc_store *s = NULL;
	silent_peer p;
	char url[160];

	(void)state;
	peer_start(&p, NULL, 0, true);
	snprintf(url, sizeof url, "postgresql://127.0.0.1:%d/d?sslmode=disable&patience=0.5", p.port);
	assert_int_equal(zinc_store_open(&s, url, NULL, &err), ZINC_E_IO);
	assert_true(zinc_now(zinc_context_get(NULL)) - began < 4); /* a server that was never reached gets 5 s */
	peer_stop(&p);
}

static void *
cancel_soon(void *flag)
{
	usleep(50000);
	zinc_cancel_set((zinc_cancel *)flag);
	return NULL;
}

static void
cancelling_ends_a_wait(void **state) /* (4) */
{
	zinc_cancel flag = ZINC_CANCEL_INIT;
	const zinc_call_options call = {.size = sizeof call, .cancel = &flag};
	const zinc_store_options o = {.size = sizeof o, .call = &call};
	zinc_error err = ZINC_ERROR_INIT;
	const double began = zinc_now(zinc_context_get(NULL));
	zinc_store *s = NULL;
	pthread_t thread;
	silent_peer p;
	char url[160];

	(void)state;
	peer_start(&p, NULL, 0, false);
	snprintf(url, sizeof url, "postgresql://127.0.0.1:%d/d?sslmode=disable&connect_timeout=20", p.port);
	assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &flag), 0);
	assert_int_equal(zinc_store_open(&s, url, &o, &err), ZINC_E_CANCELLED);
	pthread_join(thread, NULL);
	assert_true(zinc_now(zinc_context_get(NULL)) - began < 10);
	peer_stop(&p);
}

static void
garbage_is_a_failure(void **state) /* (6), (7) */
{
	static const char *const all[] = {"HTTP/1.1 400 Bad Request\r\n\r\n", "R\0\0\0\xff", "E\0\0\0\5x", "N\0\0\0\0",
					  "\0\0\0\0\0"};
	silent_peer p;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof all / sizeof all[0]; i++) {
		peer_start(&p, all[i], 5, true);
		expect_failure(p.port, 0.4, ZINC_E_CANCELLED);
		assert_true(atomic_load(&p.accepted) > 1); /* it was tried again */
		peer_stop(&p);
	}
}

static void
a_refusal_of_the_server_is_final(void **state) /* (5) */
{
	static const char refusal[] = "E\0\0\0\x27SFATAL\0VFATAL\0C28P01\0Mwrong password\0\0";
	silent_peer p;

	(void)state;
	peer_start(&p, refusal, sizeof refusal - 1, true);
	expect_failure(p.port, 3, ZINC_E_IO);
	peer_stop(&p);
}

/* (4) A host that says nothing is left out after its time; the next one has a time of its own. */
static void
each_host_has_its_time(void **state)
{
	static const char refusal[] = "E\0\0\0\x27SFATAL\0VFATAL\0C28P01\0Mwrong password\0\0";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob blob = ZINC_BLOB_INIT;
	silent_peer silent, answers;
	zinc_store *s;

	(void)state;
	peer_start(&silent, NULL, 0, false);
	peer_start(&answers, refusal, sizeof refusal - 1, true);
	s = open_unmet(silent.port, answers.port);
	assert_int_equal(zinc_store_get_all(s, "a", &blob, NULL, 0, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(zinc_error_text(&err), "28P01"));
	assert_int_equal(atomic_load(&silent.accepted), 1);
	assert_int_equal(atomic_load(&answers.accepted), 1);
	zinc_store_close(s);
	peer_stop(&answers);
	peer_stop(&silent);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(urls_are_taken_apart),
	    cmocka_unit_test(bad_urls_and_tables_are_refused),
	    cmocka_unit_test(tables_are_quoted),
	    cmocka_unit_test(failures_are_told_apart),
	    cmocka_unit_test(failures_to_connect_are_told_apart),
	    cmocka_unit_test(tags_are_generations),
	    cmocka_unit_test(silence_ends_with_the_deadline),
	    cmocka_unit_test(patience_ends),
	    cmocka_unit_test(cancelling_ends_a_wait),
	    cmocka_unit_test(garbage_is_a_failure),
	    cmocka_unit_test(a_refusal_of_the_server_is_final),
	    cmocka_unit_test(each_host_has_its_time),
	};
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_postgresql_register(&err));
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int
main(void)
{
	fprintf(stderr, "built without libpq\n");
	return 77;
}

#endif
