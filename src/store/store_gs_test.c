/*
 * store_gs_test.c - does the server evaluate conditions?
 *
 * Google does.  Emulators may ignore them, at least those of deletes, and would lose updates without a word.  So a key
 * beside the one to change is made there, and conditions that cannot hold are tried on it:
 *
 *     POST if generation 0      it is made
 *     POST if generation 0      must fail
 *     POST if generation 1      must fail
 *     DELETE if generation 1    must fail; if it succeeds, only conditional deletes are missing
 *     DELETE
 *
 * Promises (tests/unit/test_store_gs_put.c names each by its number, as those of store_gs_put.c):
 *
 * (9) No conditional change is sent to a server that has not passed the test, and the key is deleted again.
 */
#include <stdio.h>

#include "store/store_gs.h"

static const zinc_condition absent = {ZINC_ABSENT, NULL};
static const zinc_tag other_tag = {2, "G1"};
static const zinc_condition other = {ZINC_EQUALS, &other_tag};

bool
zinc_gs_is_tested(const gs_store *s)
{
	return atomic_load(&s->conditional_puts) == GS_YES;
}

/* *held: the server says that the condition holds. */
static zinc_status
try_put(gs_store *s, const char *key, const zinc_condition *when, bool *held, const zinc_wait *wait, zinc_error *err)
{
	const struct iovec one = {(void *)(uintptr_t) "z", 1};
	const zinc_put put = {.key = key, .iov = &one, .niov = 1, .when = when};
	zinc_tag tag;
	const zinc_status st = zinc_gs_put_one(s, &put, &tag, wait, err);

	*held = st == ZINC_OK;
	return st == ZINC_E_CONFLICT || st == ZINC_E_EXISTS ? ZINC_OK : st;
}

static zinc_status
test_puts(gs_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	bool made = false, absent_held = false, other_held = false;

	ZINC_TRY(try_put(s, key, &absent, &made, wait, err));
	if (!made) /* the name is random */
		return zinc_fail(err, ZINC_E_IO, "the server says that a new key already exists");
	ZINC_TRY(try_put(s, key, &absent, &absent_held, wait, err));
	if (!absent_held)
		ZINC_TRY(try_put(s, key, &other, &other_held, wait, err));
	atomic_store(&s->conditional_puts, absent_held || other_held ? GS_NO : GS_YES);
	return ZINC_OK;
}

static zinc_status
test_deletes(gs_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	zinc_web_call c = {.method = "DELETE", .key = key, .kind = GS_OBJECT, .when = &other};
	const zinc_status st = zinc_web_one(&s->web, &c, wait, err);

	zinc_web_call_fini(&s->web, &c);
	if (st != ZINC_OK && st != ZINC_E_CONFLICT)
		return st;
	atomic_store(&s->conditional_deletes, st == ZINC_OK ? GS_NO : GS_YES);
	return ZINC_OK;
}

/* Without a result for deletes, they are tested again when they are needed. */
static zinc_status
test_key(gs_store *s, const char *key, bool deletes, const zinc_wait *wait, zinc_error *err)
{
	zinc_web_call c = {.method = "DELETE", .key = key, .kind = GS_OBJECT};
	zinc_status st = test_puts(s, key, wait, err);
	zinc_wait clean_up;

	if (st == ZINC_OK && zinc_gs_is_tested(s)) {
		zinc_error e = ZINC_ERROR_INIT;

		if (test_deletes(s, key, wait, &e) != ZINC_OK && deletes)
			st = zinc_error_copy(err, &e);
	}
	clean_up = zinc_web_clean_up(&s->web);
	(void)zinc_web_one(&s->web, &c, &clean_up, NULL);
	zinc_web_call_fini(&s->web, &c);
	return st;
}

/* Rights may differ elsewhere in the bucket, so the test is made beside the key. */
static zinc_status
test_beside(gs_store *s, const char *key, bool deletes, const zinc_wait *wait, zinc_error *err)
{
	const char *slash = strrchr(key, '/');
	char id[40];
	zinc_buf beside;
	zinc_status st;

	zinc_web_write_id(id);
	zinc_buf_init(&beside, s->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&beside, err, "%.*s.zinc-test-%s", slash ? (int)(slash - key) + 1 : 0, key, id);
	if (st == ZINC_OK && !zinc_buf_text(&beside))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = test_key(s, (const char *)beside.p, deletes, wait, err);
	zinc_buf_fini(&beside);
	return st;
}

/* Two threads may test at once, which is harmless. */
zinc_status
zinc_gs_check_puts(gs_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;

	if (atomic_load(&s->conditional_puts) == GS_UNKNOWN && test_beside(s, key, false, wait, &e) != ZINC_OK)
		return zinc_web_untested(&e, wait, err);
	if (zinc_gs_is_tested(s))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_UNSUPPORTED,
			 "this server ignores ifGenerationMatch, so other writers cannot be excluded");
}

zinc_status
zinc_gs_check_deletes(gs_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;

	ZINC_TRY(zinc_gs_check_puts(s, key, wait, err));
	if (atomic_load(&s->conditional_deletes) == GS_UNKNOWN && test_beside(s, key, true, wait, &e) != ZINC_OK)
		return zinc_web_untested(&e, wait, err);
	if (atomic_load(&s->conditional_deletes) == GS_YES)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "this server has no conditional deletes");
}
