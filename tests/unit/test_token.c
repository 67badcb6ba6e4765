/*
 * test_token.c - access tokens that threads share and that end, by the promises of token.c
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/token.h"
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

/* A source of tokens "1", "2" ... */
typedef struct source {
	atomic_int searches;
	atomic_int seconds; /* for which a token is valid */
	atomic_bool fails, slow;
	atomic_bool none, unsure; /* it finds none, perhaps only now */
} source;

static zinc_status
find(void *arg, const zinc_asker *asker, zinc_token_found *out, zinc_error *err)
{
	source *s = (source *)arg;
	const int n = atomic_fetch_add(&s->searches, 1) + 1;
	char text[16];

	if (atomic_load(&s->slow))
		usleep(100000);
	if (atomic_load(&s->fails))
		return zinc_fail(err, ZINC_E_IO, "no answer");
	out->unsure = atomic_load(&s->unsure);
	if (atomic_load(&s->none))
		return ZINC_OK;
	snprintf(text, sizeof text, "%d", n);
	out->text = zinc_secret_text(asker->pool, text, strlen(text));
	out->source = "a test";
	out->expires = zinc_token_clock(asker->ctx) + atomic_load(&s->seconds);
	return out->text ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_context *ctx;

static zinc_tokens *
make(source *s, int seconds)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tokens *t = NULL;

	memset(s, 0, sizeof *s);
	atomic_store(&s->seconds, seconds);
	atomic_store(&ahead, 0);
	assert_ok(zinc_tokens_new(&t, ctx, NULL, find, s, &err));
	return t;
}

/* The next token must be this one; "": an error. */
static void
expect(zinc_tokens *t, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_token *token = NULL;

	if (!*want) {
		assert_int_equal(zinc_tokens_take(t, &token, NULL, &err), ZINC_E_IO);
		return;
	}
	assert_ok(zinc_tokens_take(t, &token, NULL, &err));
	assert_string_equal(token->text, want);
	zinc_token_release(token);
}

/* (2), (3) */
static void
tokens_are_renewed(void **state)
{
	source s;
	zinc_tokens *t = make(&s, 3600);

	(void)state;
	expect(t, "1");
	expect(t, "1");
	atomic_store(&ahead, 3600 - 290); /* less than 5 minutes are left */
	expect(t, "2");
	atomic_fetch_add(&ahead, 3600 - 290);
	atomic_store(&s.fails, true);
	expect(t, "2"); /* still valid */
	expect(t, "2"); /* and no other search within a minute */
	assert_int_equal(atomic_load(&s.searches), 3);
	atomic_fetch_add(&ahead, 61);
	expect(t, "2");
	assert_int_equal(atomic_load(&s.searches), 4);
	atomic_fetch_add(&ahead, 290);
	expect(t, "");
	atomic_store(&s.fails, false);
	expect(t, "6");
	zinc_tokens_free(t);
}

/* (7) */
static void
tokens_do_not_become_anonymous(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_token *token = NULL;
	source s;
	zinc_tokens *t = make(&s, 3600);

	(void)state;
	expect(t, "1");
	atomic_store(&s.none, true);
	atomic_store(&ahead, 3600 - 290);
	expect(t, "1"); /* while it lasts */
	assert_int_equal(atomic_load(&s.searches), 2);
	atomic_fetch_add(&ahead, 290);
	assert_int_equal(zinc_tokens_take(t, &token, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "the source of the last token gives none now"));
	atomic_store(&s.none, false);
	expect(t, "4");
	zinc_tokens_free(t);
}

/* How many searches there were, after a token that is none was taken. */
static int
take_none(zinc_tokens *t, source *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_token *token = NULL;

	assert_ok(zinc_tokens_take(t, &token, NULL, &err));
	assert_null(token->text);
	zinc_token_release(token);
	return atomic_load(&s->searches);
}

/* (8) */
static void
silent_sources_are_asked_again(void **state)
{
	source s;
	zinc_tokens *t = make(&s, 3600);

	(void)state;
	atomic_store(&s.none, true);
	atomic_store(&s.unsure, true);
	assert_int_equal(take_none(t, &s), 1);
	atomic_store(&ahead, 50);
	assert_int_equal(take_none(t, &s), 1);
	atomic_store(&ahead, 61);
	assert_int_equal(take_none(t, &s), 2);
	atomic_store(&ahead, 122);
	atomic_store(&s.unsure, false);
	assert_int_equal(take_none(t, &s), 3);
	atomic_store(&ahead, 1000000);
	assert_int_equal(take_none(t, &s), 3); /* now it is certain */
	zinc_tokens_free(t);
}

static bool
shows(zinc_tokens *t, const char *text)
{
	return zinc_tokens_show(t, (zinc_bytes){(const uint8_t *)text, strlen(text)});
}

/* (3) */
static void
refused_tokens_are_not_given_out(void **state)
{
	source s;
	zinc_tokens *t = make(&s, 3600);

	(void)state;
	assert_false(zinc_tokens_refused(t));
	expect(t, "1");
	assert_false(zinc_tokens_refused(t)); /* new */
	expect(t, "1");
	atomic_store(&ahead, 11);
	assert_true(shows(t, "x1y"));
	assert_true(zinc_tokens_refused(t));
	expect(t, "2");
	assert_true(shows(t, "x1y")); /* requests with it may be under way */
	atomic_store(&ahead, 22);
	assert_true(zinc_tokens_refused(t));
	expect(t, "3");
	assert_false(shows(t, "x1y"));
	zinc_tokens_free(t);
}

/* (6) */
static void
old_tokens_are_an_error(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_token *token = NULL;
	source s;
	zinc_tokens *t = make(&s, 5);

	(void)state;
	assert_int_equal(zinc_tokens_take(t, &token, NULL, &err), ZINC_E_IO);
	assert_non_null(strstr(err.text, "the token from a test has already ended"));
	assert_non_null(strstr(err.text, "clock"));
	zinc_tokens_free(t);
}

/* (4) */
static void
tokens_live_while_they_are_used(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_token *first = NULL;
	source s;
	zinc_tokens *t = make(&s, 3600);

	(void)state;
	assert_ok(zinc_tokens_take(t, &first, NULL, &err));
	atomic_store(&ahead, 4000);
	expect(t, "2");
	assert_string_equal(first->text, "1");
	zinc_token_release(first);
	zinc_token_release(NULL);
	zinc_tokens_free(t);
}

static void *
take_one(void *arg)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_token *token = NULL;
	const zinc_status st = zinc_tokens_take((zinc_tokens *)arg, &token, NULL, &err);

	zinc_token_release(token);
	return st == ZINC_OK ? arg : NULL;
}

static void
take_by_threads(zinc_tokens *t, bool works)
{
	pthread_t threads[8];
	void *result;
	size_t i;

	for (i = 0; i < COUNT(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_one, t), 0);
	for (i = 0; i < COUNT(threads); i++) {
		pthread_join(threads[i], &result);
		assert_int_equal(result != NULL, works);
	}
}

/* (1) */
static void
threads_search_once(void **state)
{
	source s;
	zinc_tokens *t = make(&s, 3600);

	(void)state;
	atomic_store(&s.slow, true);
	take_by_threads(t, true);
	assert_int_equal(atomic_load(&s.searches), 1);
	zinc_tokens_free(t);
	t = make(&s, 3600);
	atomic_store(&s.slow, true);
	atomic_store(&s.fails, true);
	take_by_threads(t, false);
	assert_true(atomic_load(&s.searches) <= 3); /* a thread that came late searches itself */
	zinc_tokens_free(t);
}

/* (5) */
static void
children_search_themselves(void **state)
{
	pthread_t thread;
	int status = 0;
	source s;
	zinc_tokens *t = make(&s, 3600);
	pid_t child;

	(void)state;
	atomic_store(&s.slow, true);
	assert_int_equal(pthread_create(&thread, NULL, take_one, t), 0);
	usleep(30000); /* the thread is searching */
	child = fork();
	if (child == 0) {
		alarm(10); /* it would wait for ever */
		_exit(take_one(t) == NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	pthread_join(thread, NULL);
	zinc_tokens_free(t);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tokens_are_renewed),
	    cmocka_unit_test(refused_tokens_are_not_given_out),
	    cmocka_unit_test(old_tokens_are_an_error),
	    cmocka_unit_test(tokens_live_while_they_are_used),
	    cmocka_unit_test(threads_search_once),
	    cmocka_unit_test(children_search_themselves),
	    cmocka_unit_test(tokens_do_not_become_anonymous),
	    cmocka_unit_test(silent_sources_are_asked_again),
	};
	zinc_error err = ZINC_ERROR_INIT;
	int failed;

	if (!ZINC_WITH_CURL)
		return 77;
	alarm(120); /* a mistake in token.c searches, or waits, for ever */
	if (zinc_context_new(&ctx, NULL, &err) != ZINC_OK)
		return 1;
	clock_os = zinc_os_posix;
	clock_os.clock = shifted_clock;
	zinc_context_set_os(ctx, &clock_os);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	zinc_context_free(ctx);
	return failed;
}
