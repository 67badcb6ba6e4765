/*
 * test_store_embedded_engine.c - what store_embedded_db.c does with a library that is slow or fails; the library is a
 * table of functions here
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/store_embedded.h"
#include "support/files.h"
#include "support/test.h"

static atomic_bool closing, fails;
static atomic_int opened, closed;

static zinc_status
fake_open(const char *path, embedded_mode mode, void **db, bool *busy, zinc_error *err)
{
	(void)busy, (void)err;
	if (mode == EMBEDDED_CREATE)
		write_file(path, "database");
	*db = &opened;
	atomic_fetch_add(&opened, 1);
	return ZINC_OK;
}

/* It takes its time. */
static zinc_status
fake_close(void *db, zinc_error *err)
{
	(void)db;
	atomic_store(&closing, true);
	usleep(300000);
	atomic_fetch_add(&closed, 1);
	return atomic_load(&fails) ? zinc_fail(err, ZINC_E_IO, "no space left") : ZINC_OK;
}

static zinc_status
fake_get(void *db, const char *key, size_t n, embedded_value *out, zinc_error *err)
{
	(void)db, (void)key, (void)n, (void)err;
	*out = (embedded_value){NULL, 0, NULL};
	return ZINC_OK;
}

static zinc_status
fake_write(void *db, const embedded_change *changes, size_t n, bool durable, zinc_error *err)
{
	(void)db, (void)changes, (void)n, (void)durable, (void)err;
	return ZINC_OK;
}

static zinc_status
fake_sync(void *db, zinc_error *err)
{
	(void)db, (void)err;
	return ZINC_OK;
}

static const embedded_engine engine = {
    .library = "Fake",
    .marker = "",
    .identity = "",
    .flags = EMBEDDED_FLAGS,
    .value_max = 100,
    .open = fake_open,
    .close = fake_close,
    .get = fake_get,
    .write = fake_write,
    .sync = fake_sync,
};

static embedded_store *
open_fake(const char *name)
{
	const zinc_setting settings[] = {{"patience", "5"}};
	const zinc_store_options o = {
	    .size = sizeof o, .context = zinc_context_get(NULL), .settings = settings, .nsettings = 1};
	zinc_error err = ZINC_ERROR_INIT;
	void *self = NULL;

	assert_ok(zinc_embedded_open(&engine, &self, name, &o, &err));
	return (embedded_store *)self;
}

static void
put_relaxed(embedded_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_change x = {.key = "k"};
	zinc_change *const all[] = {&x};

	assert_ok(s->batched.ops->apply(s, all, 1, true, NULL, &err));
}

/* Until all that was opened is closed. */
static void
wait_closed(void)
{
	int i;

	for (i = 0; i < 500 && atomic_load(&closed) != atomic_load(&opened); i++)
		usleep(10000);
	assert_int_equal(atomic_load(&closed), atomic_load(&opened));
}

/* (3) A library that keeps relaxed changes in memory writes them when it closes the database. */
static void
changes_lost_by_a_close_fail_the_sync(void **state)
{
	embedded_store *s = open_fake("lost.fake"), *other = open_fake("other.fake"), *third = open_fake("third.fake");
	zinc_error err = ZINC_ERROR_INIT;
	int unaffected;

	(void)state;
	put_relaxed(other);
	put_relaxed(third);
	wait_closed();
	put_relaxed(s);
	assert_ok(zinc_embedded_sync(s, NULL, &err));
	put_relaxed(s);
	atomic_store(&fails, true);
	wait_closed();
	atomic_store(&fails, false);
	assert_int_equal(zinc_embedded_sync(s, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_embedded_sync(s, NULL, &err), ZINC_E_IO); /* they are still lost */
	assert_non_null(strstr(err.text, "lost"));
	/* Others are not affected, except for one that by chance shares the counter of failures. */
	unaffected = zinc_embedded_sync(other, NULL, &err) == ZINC_OK;
	unaffected += zinc_embedded_sync(third, NULL, &err) == ZINC_OK;
	assert_true(unaffected > 0);
	zinc_embedded_close(third);
	zinc_embedded_close(other);
	zinc_embedded_close(s);
	s = open_fake("lost.fake");
	put_relaxed(s);
	assert_ok(zinc_embedded_sync(s, NULL, &err));
	zinc_embedded_close(s);
}

/* A program that ends after it has closed the store does not cut off the thread that closes the database. */
static void
a_store_is_closed_when_its_database_is(void **state)
{
	embedded_store *s = open_fake("slow.fake");

	(void)state;
	put_relaxed(s);
	atomic_store(&closing, false);
	while (!atomic_load(&closing))
		usleep(1000);
	zinc_embedded_close(s);
	assert_int_equal(atomic_load(&closed), atomic_load(&opened));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(changes_lost_by_a_close_fail_the_sync),
	    cmocka_unit_test(a_store_is_closed_when_its_database_is),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
