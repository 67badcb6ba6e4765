/*
 * store_s3_test.c - does the server evaluate conditions?
 *
 * Not every server that speaks the language of S3 does, and one that ignores a condition loses updates without a word.
 * So a key beside the one to change is made, and conditions that cannot hold are tried on it:
 *
 *     PUT if absent     it is made
 *     PUT if absent     must fail
 *     PUT if "..."      must fail
 *     DELETE if "..."   must fail; if it succeeds or is refused, only conditional deletes are missing
 *     DELETE
 *
 * Promises (tests/unit/test_store_s3_put.c names each by its number):
 *
 * (1) No conditional change is sent to a server that has not passed the test.
 * (2) The key is deleted again.
 * (3) A test that gave no result, because of a failure, is repeated before the next conditional change.
 */
#include <stdio.h>

#include "store/store_s3.h"

static const zinc_condition absent = {ZINC_ABSENT, NULL};
static const zinc_tag other_tag = {34, "E\"00000000000000000000000000000000\""};
static const zinc_condition other = {ZINC_EQUALS, &other_tag};

bool
zinc_s3_is_tested(const s3_store *s)
{
	return atomic_load(&s->conditional_puts) == S3_YES;
}

/* One change of the test's key.  *held: the server says that the condition holds. */
static zinc_status
try_change(s3_store *s, const char *method, const char *key, const zinc_condition *when, bool *held,
	   const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_web_call c = {.method = method, .key = key, .when = when, .sends = strcmp(method, "PUT") == 0};
	zinc_status st = zinc_web_one(&s->web, &c, wait, &e);
	const bool refused =
	    c.status == 412 || c.status == 409 || (c.status == 404 && strcmp(c.code, "NoSuchKey") == 0);

	*held = st == ZINC_OK;
	if (st != ZINC_OK && refused)
		st = ZINC_OK;
	else if (st != ZINC_OK && (c.status == 501 || strcmp(c.code, "NotImplemented") == 0))
		st = zinc_fail(err, ZINC_E_UNSUPPORTED, "this server has no conditional requests");
	else if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	zinc_web_call_fini(&s->web, &c);
	return st;
}

static zinc_status
test_puts(s3_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	bool made = false, absent_held = false, other_held = false;
	zinc_status st = try_change(s, "PUT", key, &absent, &made, wait, err);

	if (st == ZINC_OK && !made) /* the name is random */
		return zinc_fail(err, ZINC_E_IO, "the server says that a new key already exists");
	if (st == ZINC_OK)
		st = try_change(s, "PUT", key, &absent, &absent_held, wait, err);
	if (st == ZINC_OK && !absent_held)
		st = try_change(s, "PUT", key, &other, &other_held, wait, err);
	if (st == ZINC_OK)
		atomic_store(&s->conditional_puts, absent_held || other_held ? S3_NO : S3_YES);
	else if (st == ZINC_E_UNSUPPORTED)
		atomic_store(&s->conditional_puts, S3_NO);
	return st == ZINC_E_UNSUPPORTED ? ZINC_OK : st;
}

static zinc_status
test_deletes(s3_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	bool held = false;
	const zinc_status st = try_change(s, "DELETE", key, &other, &held, wait, err);

	if (st == ZINC_OK)
		atomic_store(&s->conditional_deletes, held ? S3_NO : S3_YES);
	else if (st == ZINC_E_UNSUPPORTED)
		atomic_store(&s->conditional_deletes, S3_NO);
	return st == ZINC_E_UNSUPPORTED ? ZINC_OK : st;
}

/* Without a result for deletes, they are tested again when they are needed. */
static zinc_status
test_key(s3_store *s, const char *key, bool deletes, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = test_puts(s, key, wait, err);
	zinc_web_call c = {.method = "DELETE", .key = key};
	zinc_wait clean_up;

	if (st == ZINC_OK && zinc_s3_is_tested(s)) {
		zinc_error e = ZINC_ERROR_INIT;
		const zinc_status tested = test_deletes(s, key, wait, &e);

		if (deletes && tested != ZINC_OK)
			st = zinc_error_copy(err, &e);
	}
	clean_up = zinc_web_clean_up(&s->web);
	(void)zinc_web_one(&s->web, &c, &clean_up, NULL);
	zinc_web_call_fini(&s->web, &c);
	return st;
}

/* Rights may differ elsewhere in the bucket, so the test is made beside the key. */
static zinc_status
test_beside(s3_store *s, const char *key, bool deletes, const zinc_wait *wait, zinc_error *err)
{
	const char *slash = strrchr(key, '/');
	char id[40];
	zinc_buf beside;
	zinc_status st;

	zinc_web_write_id(id);
	zinc_buf_init(&beside, s->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&beside, err, "%.*s.zinc-test-%s", slash ? (int)(slash - key) + 1 : 0, key, id);
	if (st == ZINC_OK)
		st = test_key(s, zinc_buf_text(&beside), deletes, wait, err);
	zinc_buf_fini(&beside);
	return st;
}

/* Two threads may test at once, which is harmless. */
zinc_status
zinc_s3_check_puts(s3_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;

	if (atomic_load(&s->conditional_puts) == S3_UNKNOWN && test_beside(s, key, false, wait, &e) != ZINC_OK)
		return zinc_web_untested(&e, wait, err);
	if (atomic_load(&s->conditional_puts) == S3_YES)
		return ZINC_OK;
	return zinc_fail(
	    err, ZINC_E_UNSUPPORTED,
	    "this server ignores If-Match or If-None-Match, so other writers cannot be excluded; if there are "
	    "none, set s3.conditions=no");
}

zinc_status
zinc_s3_check_deletes(s3_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;

	ZINC_TRY(zinc_s3_check_puts(s, key, wait, err));
	if (atomic_load(&s->conditional_deletes) == S3_UNKNOWN && test_beside(s, key, true, wait, &e) != ZINC_OK)
		return zinc_web_untested(&e, wait, err);
	if (atomic_load(&s->conditional_deletes) == S3_YES)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "this server has no conditional deletes");
}
