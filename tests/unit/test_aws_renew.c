/*
 * test_aws_renew.c - sharing and renewing credentials, by the promises of aws.c
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "net/aws.h"
#include "support/aws_place.h"
#include "support/files.h"
#include "support/test.h"

/* A clock that can be set; everything else is the system's. */
static zinc_os clock_os;
static atomic_long ahead;

static int
shifted_clock(const zinc_os *self, int id, struct timespec *now)
{
	const int result = zinc_os_posix.clock(&zinc_os_posix, id, now);

	(void)self;
	now->tv_sec += atomic_load(&ahead);
	return result;
}

static zinc_context *
context(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;

	assert_ok(zinc_context_new(&ctx, NULL, &err));
	clock_os = zinc_os_posix;
	clock_os.clock = shifted_clock;
	atomic_store(&ahead, 0);
	zinc_context_set_os(ctx, &clock_os);
	return ctx;
}

static zinc_aws *
make(zinc_context *ctx, const char *mode)
{
	const zinc_aws_config config = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_aws *a = NULL;
	char path[64];

	aws_place();
	snprintf(path, sizeof path, "%s/container", mode);
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", aws_url(path), 1);
	assert_ok(zinc_aws_new(&a, ctx, &config, &err));
	return a;
}

static zinc_aws_lease *
take(zinc_aws *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_aws_lease *lease = NULL;

	assert_ok(zinc_aws_take(a, &lease, NULL, &err));
	assert_non_null(lease->keys);
	return lease;
}

static bool
shows(zinc_aws *a, const char *text)
{
	return zinc_aws_shows_secret(a, (zinc_bytes){(const uint8_t *)text, strlen(text)});
}

/* Promises 2, 3 and 4. */
static void
keys_are_renewed(void **state)
{
	zinc_context *ctx = context();
	zinc_aws *a = make(ctx, "in3600");
	zinc_aws_lease *first = take(a), *again = take(a), *later;

	(void)state;
	assert_ptr_equal(first, again);
	assert_string_equal(first->keys->id, "AKIDin36001");
	assert_string_equal(first->source, "the container");
	atomic_store(&ahead, 3200); /* 400 s are left */
	later = take(a);
	assert_ptr_equal(later, first);
	zinc_aws_release(later);
	atomic_store(&ahead, 3400); /* 200 s are left; the server's clock still gives an hour */
	later = take(a);
	assert_string_equal(later->keys->id, "AKIDin36002");
	assert_string_equal(first->keys->secret, "canary-secret-in3600"); /* still there */
	zinc_aws_release(first);
	zinc_aws_release(again);
	zinc_aws_refused(a, later); /* too young */
	zinc_aws_release(later);
	later = take(a);
	assert_string_equal(later->keys->id, "AKIDin36002");
	atomic_fetch_add(&ahead, 20);
	assert_true(shows(a, "<canary-secret-in3600>"));
	assert_true(shows(a, "canary-token-in3600"));
	assert_true(shows(a, "<ry-secret-in3600>")); /* 16 bytes of it */
	assert_false(shows(a, "AKIDin36002 canary-secret-i"));
	assert_true(shows(a, "-1-of-many-renew")); /* of the token that requests may still have */
	zinc_aws_refused(a, later);
	zinc_aws_refused(a, later);
	zinc_aws_release(later);
	later = take(a);
	assert_string_equal(later->keys->id, "AKIDin36003");
	assert_false(shows(a, "-1-of-many-renew"));
	zinc_aws_release(later);
	atomic_fetch_add(&ahead, 20);
	zinc_aws_refused(a, NULL);
	later = take(a);
	assert_string_equal(later->keys->id, "AKIDin36004");
	zinc_aws_release(later);
	zinc_aws_free(a);
	zinc_context_free(ctx);
}

static void
a_failing_search_is_no_failure_yet(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = context();
	zinc_aws *a = make(ctx, "once");
	zinc_aws_lease *first = take(a), *later = NULL;

	(void)state;
	atomic_store(&ahead, 3400);
	later = take(a); /* the server fails, the keys are valid for 200 s */
	assert_ptr_equal(later, first);
	zinc_aws_release(later);
	zinc_aws_release(first);
	later = NULL;
	atomic_store(&ahead, 3595);
	assert_int_equal(zinc_aws_take(a, &later, NULL, &err), ZINC_E_IO); /* promise 3 */
	assert_null(later);
	assert_non_null(strstr(err.text, "credentials from the container"));
	zinc_aws_free(a);
	zinc_context_free(ctx);
}

/* Keys that are valid for less than five minutes are not renewed with every call. */
static void
short_lived_keys(void **state)
{
	zinc_context *ctx = context();
	zinc_aws *a = make(ctx, "in120");
	zinc_aws_lease *lease;
	int k;

	(void)state;
	for (k = 0; k < 10; k++) {
		lease = take(a);
		assert_string_equal(lease->keys->id, "AKIDin1201");
		zinc_aws_release(lease);
	}
	atomic_store(&ahead, 100);
	lease = take(a);
	zinc_aws_refused(a, lease);
	zinc_aws_refused(a, lease);
	zinc_aws_release(lease);
	assert_int_equal(aws_count("in120"), 2);
	zinc_aws_free(a);
	zinc_context_free(ctx);
}

/* ---- threads ---- */

enum { THREADS = 8 };

typedef struct work {
	zinc_aws *a;
	int failures;
	char text[512];
} work;

static void *
take_many(void *arg)
{
	work *w = (work *)arg;
	int k;

	for (k = 0; k < 20; k++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_aws_lease *lease = NULL;

		if (zinc_aws_take(w->a, &lease, NULL, &err) != ZINC_OK) {
			w->failures++;
			snprintf(w->text, sizeof w->text, "%.500s", err.text);
			break;
		}
		if (strncmp(lease->keys->secret, "canary-secret-", 14) != 0)
			w->failures++;
		zinc_aws_release(lease);
	}
	return NULL;
}

static int
run_threads(zinc_aws *a, char *text)
{
	pthread_t threads[THREADS];
	work works[THREADS];
	int k, failures = 0;

	for (k = 0; k < THREADS; k++) {
		works[k] = (work){.a = a};
		assert_int_equal(pthread_create(&threads[k], NULL, take_many, &works[k]), 0);
	}
	for (k = 0; k < THREADS; k++) {
		pthread_join(threads[k], NULL);
		failures += works[k].failures;
		if (works[k].failures)
			snprintf(text, 512, "%s", works[k].text);
	}
	return failures;
}

/* Promise 1. */
static void
one_search_for_all_threads(void **state)
{
	zinc_context *ctx = context();
	zinc_aws *a = make(ctx, "slow");
	char text[512] = "";

	(void)state;
	assert_int_equal(run_threads(a, text), 0);
	assert_int_equal(aws_count("slow"), 1);
	atomic_store(&ahead, 3400);
	assert_int_equal(run_threads(a, text), 0);
	assert_int_equal(aws_count("slow"), 2);
	zinc_aws_free(a);
	a = make(ctx, "hang");
	assert_int_equal(run_threads(a, text), THREADS);
	assert_non_null(strstr(text, "credentials from the container"));
	zinc_aws_free(a);
	zinc_context_free(ctx);
}

/* ---- fork ---- */

static void *
take_one(void *arg)
{
	zinc_aws_release(take((zinc_aws *)arg));
	return NULL;
}

/* Promise 5: the parent's thread is in the middle of a search. */
static void
a_child_goes_on(void **state)
{
	const struct timespec some = {0, 200 * 1000 * 1000};
	zinc_context *ctx = context();
	zinc_aws *a;
	pthread_t thread;
	int status = 1;
	pid_t pid;

	(void)state;
	a = make(ctx, "slow");
	assert_int_equal(pthread_create(&thread, NULL, take_one, a), 0);
	nanosleep(&some, NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		zinc_aws_lease *lease = NULL;
		bool good;

		alarm(HANGS);
		good = zinc_aws_take(a, &lease, NULL, NULL) == ZINC_OK && lease->keys;
		zinc_aws_release(lease);
		leave_child(good ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pthread_join(thread, NULL);
	zinc_aws_free(a);
	zinc_context_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys_are_renewed), cmocka_unit_test(a_failing_search_is_no_failure_yet),
	    cmocka_unit_test(short_lived_keys), cmocka_unit_test(one_search_for_all_threads),
	    cmocka_unit_test(a_child_goes_on),
	};
	int failed;

	if (!aws_server_can())
		return 77;
	aws_server_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	aws_server_stop();
	return failed;
}
