/*
 * test_store_az_put.c - the promises of store_az_put.c and store_az_blocks.c, on a server on loopback
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_az.h"
#include "support/blobs.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

static web server;
static const zinc_condition absent = {ZINC_ABSENT, NULL};

enum { LARGE = 5 * 1024 * 1024 + 77 };

static zinc_status
put_large(zinc_store *s, const uint8_t *p, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	return zinc_store_put(s, NULL, "a/large", p, LARGE, when, 0, tag, NULL, err);
}

/* ---- store_az_put.c ---- */

/* (3) */
static void
conditions_hold(void **state)
{
	zinc_store *s = blobs_open(&server, "plain", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag, other = {20, "E\"0x8D0000000000000\""};
	zinc_condition equals = {ZINC_EQUALS, &tag}, unequal = {ZINC_EQUALS, &other};

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, NULL, &err));
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, &absent, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_store_put(s, NULL, "k", "2", 1, &unequal, 0, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(zinc_store_put(s, NULL, "none", "2", 1, &equals, 0, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_text(s, "k", "1");
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &equals, 0, &other, NULL, &err));
	assert_false(zinc_tag_equal(&tag, &other));
	assert_int_equal(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_ok(zinc_store_del(s, NULL, "k", &unequal, 0, NULL, &err));
	assert_int_equal(zinc_store_del(s, NULL, "k", &unequal, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_ok(zinc_store_del(s, NULL, "k", &absent, 0, NULL, &err));
	zinc_store_close(s);
}

/* (2) */
static void
own_write_is_recognised(void **state)
{
	static const char *const quirks[] = {"late", "proxied"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag, now;
	zinc_condition equals = {ZINC_EQUALS, &tag};
	zinc_store *s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(quirks); i++) {
		s = blobs_open(&server, quirks[i], "");
		assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, &tag, NULL, &err));
		now = tag_of(s, "k");
		assert_true(zinc_tag_equal(&tag, &now));
		assert_ok(zinc_store_put(s, NULL, "k", "2", 1, &equals, 0, NULL, NULL, &err));
		assert_text(s, "k", "2");
		zinc_store_close(s);
	}
	s = blobs_open(&server, "lost", "");
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	assert_text(s, "k", "someone else");
	zinc_store_close(s);
}

/* store_web_call.c (7): the first try was executed.  Only a write id can tell. */
static void
doubts_are_kept(void **state)
{
	zinc_store *s = blobs_open(&server, "doubt", "&retries=1");
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, NULL, 0, NULL, NULL, &err), ZINC_E_UNCERTAIN);
	assert_text(s, "k", "1");
	zinc_store_close(s);
	s = blobs_open(&server, "doubt", "&retries=1");
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err));
	assert_text(s, "k", "1");
	zinc_store_close(s);
}

/* A conditional delete whose answer was lost is nobody's; an unconditional one is done. */
static void
lost_deletes(void **state)
{
	zinc_store *s = blobs_open(&server, "latedelete", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag tag;
	zinc_condition equals = {ZINC_EQUALS, &tag};

	(void)state;
	put_text(s, "k", "1");
	assert_ok(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err));
	assert_missing(s, "k");
	assert_ok(zinc_store_put(s, NULL, "other", "1", 1, &absent, 0, &tag, NULL, &err));
	assert_int_equal(zinc_store_del(s, NULL, "other", &equals, 0, NULL, &err), ZINC_E_UNCERTAIN);
	assert_missing(s, "other");
	zinc_store_close(s);
}

/* ---- store_az_blocks.c ---- */

/* (5) */
static void
assert_blocks_are_of_one_put(const char *log)
{
	const char *line = log;

	while ((line = strstr(line, "PUT a/large?comp=block&blockid=")) != NULL) {
		char *one = strndup(line, strcspn(line, "\n"));

		assert_int_equal(lines_with(log, one), 1);
		line += strlen(one);
		free(one);
	}
}

/* (4), (5) */
static void
large_values_have_blocks(void **state)
{
	zinc_store *s = blobs_open(&server, "plain", "&block_size=1");
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *p = make_large(LARGE);
	zinc_tag tag, now;
	zinc_condition equals = {ZINC_EQUALS, &tag};

	(void)state;
	assert_ok(put_large(s, p, &absent, &tag, &err));
	assert_int_equal(lines_with(cloud_log(&server, cloud_bucket()), "PUT a/large?comp=block&blockid="), 6);
	assert_value(s, "a/large", p, LARGE);
	now = tag_of(s, "a/large");
	assert_true(zinc_tag_equal(&tag, &now));
	assert_int_equal(put_large(s, p, &absent, NULL, &err), ZINC_E_EXISTS);
	p[7]++;
	assert_ok(put_large(s, p, &equals, &now, &err));
	assert_int_equal(put_large(s, p, &equals, NULL, &err), ZINC_E_CONFLICT);
	assert_value(s, "a/large", p, LARGE);
	assert_blocks_are_of_one_put(cloud_log(&server, cloud_bucket()));
	zinc_store_close(s);
	free(p);
}

static void
check_large(const char *quirk, const zinc_condition *when, zinc_status want)
{
	zinc_store *s = blobs_open(&server, quirk, "&block_size=1");
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *p = make_large(LARGE);
	const zinc_status st = put_large(s, p, when, NULL, &err);

	if (st != want)
		fail_msg("%s: %s", quirk, zinc_error_text(&err));
	if (want == ZINC_OK)
		assert_value(s, "a/large", p, LARGE);
	else if (strcmp(quirk, "failblock") == 0)
		assert_missing(s, "a/large");
	else
		assert_text(s, "a/large", "someone else");
	zinc_store_close(s);
	free(p);
}

/* (4), (6), (7) */
static void
lost_blocks_and_answers(void **state)
{
	(void)state;
	check_large("latelist", NULL, ZINC_OK);
	check_large("latelist", &absent, ZINC_OK);
	check_large("lostlist", NULL, ZINC_OK); /* once more, over the other's */
	check_large("lostlist", &absent, ZINC_E_UNCERTAIN);
	check_large("dropped", NULL, ZINC_OK);
	check_large("dropped", &absent, ZINC_OK);
	check_large("beaten", NULL, ZINC_OK);
	check_large("beaten", &absent, ZINC_E_EXISTS);
	check_large("failblock", NULL, ZINC_E_IO);
	check_large("otherids", NULL, ZINC_OK);
	check_large("otherids", &absent, ZINC_OK);
}

static zinc_status
put_blocks(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_setting all[] = {{"account_key", BLOBS_KEY}};
	zinc_store *s = NULL;
	zinc_status st;
	char url[256];

	snprintf(url, sizeof url, "az://plain-blocks?block_size=1&endpoint=http://127.0.0.1:%d/lab", server.port);
	ZINC_TRY(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.context = ctx, .settings = all, .nsettings = 1), err));
	st = put_large(s, (const uint8_t *)arg, NULL, NULL, err);
	zinc_store_close(s);
	return st;
}

static void
memory_runs_out(void **state)
{
	uint8_t *p = make_large(LARGE);

	(void)state;
	sweep_alloc(put_blocks, p);
	free(p);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(conditions_hold),          cmocka_unit_test(own_write_is_recognised),
	    cmocka_unit_test(doubts_are_kept),          cmocka_unit_test(lost_deletes),
	    cmocka_unit_test(large_values_have_blocks), cmocka_unit_test(lost_blocks_and_answers),
	    cmocka_unit_test(memory_runs_out),
	};
	int failed;

	if (!cloud_can())
		return 77;
	blobs_start(&server, false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
