/*
 * test_pool.c - the promises of pool.c, by number
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/sweep.h"
#include "support/test.h"

/* Threads after fork() are tested here. */
const char *__tsan_default_options(void);
const char *
__tsan_default_options(void)
{
	return "die_after_fork=0";
}

enum { MOST = 10000, WORKERS = 8 };

struct job {
	zinc_context *ctx;
	unsigned char done[MOST]; /* plain memory: must be visible after the run */
	atomic_int busy[WORKERS];
	atomic_int most_busy;
	atomic_bool wrong;
	atomic_int calls;
	pthread_t caller;
	atomic_bool signals_open;
};

static void
mark(void *arg, size_t i, int worker)
{
	struct job *j = (struct job *)arg;

	if (worker < 0 || worker >= WORKERS || atomic_fetch_add(&j->busy[worker], 1) != 0)
		j->wrong = true; /* (3) */
	j->done[i]++;
	atomic_fetch_add(&j->calls, 1);
	if (worker >= 0 && worker < WORKERS)
		atomic_fetch_sub(&j->busy[worker], 1);
}

static bool
all_done_once(const struct job *j, size_t n)
{
	size_t i;

	for (i = 0; i < MOST; i++)
		if (j->done[i] != (i < n))
			return false;
	return !j->wrong;
}

static zinc_context *
context_of(int threads)
{
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = threads), &err));
	return ctx;
}

/* (1) (3) */
static void
every_index_once(void **state)
{
	static const size_t ns[] = {0, 1, 2, 3, 7, 8, 9, 1000, MOST};
	static const int threads[] = {-1, 0, 1, 2, 3, 8, 100};
	zinc_context *ctx = context_of(WORKERS);
	static struct job j;
	size_t a, b;

	(void)state;
	for (a = 0; a < COUNT(ns); a++)
		for (b = 0; b < COUNT(threads); b++) {
			memset(&j, 0, sizeof j);
			zinc_pool_run(ctx, threads[b], ns[a], mark, &j);
			assert_true(all_done_once(&j, ns[a]));
		}
	zinc_context_free(ctx);
}

/* Wait until `WORKERS` calls are inside at once: the threads are really there. */
static void
meet(void *arg, size_t i, int worker)
{
	struct job *j = (struct job *)arg;
	int waited;

	(void)i, (void)worker;
	atomic_fetch_add(&j->calls, 1);
	for (waited = 0; j->calls < WORKERS && waited < 20000; waited++)
		usleep(1000);
}

static void
threads_work_at_once(void **state)
{
	zinc_context *ctx = context_of(WORKERS);
	static struct job j;

	(void)state;
	memset(&j, 0, sizeof j);
	zinc_pool_run(ctx, WORKERS, WORKERS, meet, &j);
	assert_int_equal(j.calls, WORKERS);
	zinc_context_free(ctx);
}

/* (2) */
static void
without_memory_it_takes_longer(void **state)
{
	static struct job j;
	sweep_memory m;
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 4, .allocator = &m.allocator), &err));
	sweep_memory_fail(&m, 1, true);
	memset(&j, 0, sizeof j);
	zinc_pool_run(ctx, 4, 100, mark, &j);
	assert_true(all_done_once(&j, 100));
	assert_null(ctx->pool);
	sweep_memory_fail(&m, 0, false);
	memset(&j, 0, sizeof j);
	zinc_pool_run(ctx, 4, 100, mark, &j);
	assert_true(all_done_once(&j, 100));
	assert_non_null(ctx->pool);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

/* ---- (4) ---- */

static void
nest(void *arg, size_t i, int worker)
{
	struct job *j = (struct job *)arg;
	static struct job inner[100];

	(void)worker;
	inner[i].ctx = j->ctx;
	inner[i].caller = pthread_self();
	zinc_pool_run(j->ctx, WORKERS, 50, mark, &inner[i]);
	if (!all_done_once(&inner[i], 50))
		j->wrong = true;
	atomic_fetch_add(&j->calls, 1);
}

static void
runs_in_runs(void **state)
{
	static struct job j;

	(void)state;
	j.ctx = context_of(WORKERS);
	zinc_pool_run(j.ctx, WORKERS, 100, nest, &j);
	assert_int_equal(j.calls, 100);
	assert_false(j.wrong);
	zinc_context_free(j.ctx);
}

static void *
run_often(void *arg)
{
	struct job *j = (struct job *)arg;
	zinc_context *ctx = j->ctx;
	int k;

	for (k = 0; k < 50; k++) {
		memset(j, 0, sizeof *j);
		j->ctx = ctx;
		zinc_pool_run(ctx, 4, 200, mark, j);
		if (!all_done_once(j, 200)) {
			j->wrong = true;
			break;
		}
	}
	return NULL;
}

static void
many_runs_at_once(void **state)
{
	static struct job jobs[6];
	pthread_t threads[COUNT(jobs)];
	zinc_context *ctx = context_of(4);
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(jobs); i++) { /* the first uses of the pool race as well */
		jobs[i].ctx = ctx;
		assert_int_equal(pthread_create(&threads[i], NULL, run_often, &jobs[i]), 0);
	}
	for (i = 0; i < COUNT(jobs); i++) {
		pthread_join(threads[i], NULL);
		assert_false(jobs[i].wrong);
	}
	zinc_context_free(ctx);
}

/* (5) */
static void
look_at_signals(void *arg, size_t i, int worker)
{
	struct job *j = (struct job *)arg;
	sigset_t set;

	meet(arg, i, worker);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	if (!pthread_equal(pthread_self(), j->caller) && (!sigismember(&set, SIGINT) || !sigismember(&set, SIGALRM)))
		j->signals_open = true;
}

static void
signals_go_elsewhere(void **state)
{
	static struct job j;
	sigset_t before, after;

	(void)state;
	j.ctx = context_of(WORKERS);
	j.caller = pthread_self();
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	zinc_pool_run(j.ctx, WORKERS, WORKERS, look_at_signals, &j);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_false(j.signals_open);
	assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
	zinc_context_free(j.ctx);
}

/* ---- (6) ----
 *
 * qemu-user cannot start threads in a child of a process that had threads, and exits with 127.
 */

static int
in_child(zinc_context *ctx)
{
	static struct job j;

	alarm(HANGS);
	memset(&j, 0, sizeof j);
	zinc_pool_run(ctx, WORKERS, WORKERS, meet, &j); /* needs new threads */
	if (j.calls != WORKERS)
		return 4;
	memset(&j, 0, sizeof j);
	zinc_pool_run(ctx, WORKERS, 1000, mark, &j);
	if (!all_done_once(&j, 1000))
		return 5;
	zinc_context_free(ctx);
	return 3;
}

static void
pool_works_after_fork(void **state)
{
	static struct job j;
	zinc_context *ctx = context_of(WORKERS);
	bool emulated = false;
	int i, status;
	pid_t pid;

	(void)state;
	for (i = 0; i < 3; i++) {
		memset(&j, 0, sizeof j);
		zinc_pool_run(ctx, WORKERS, 1000, mark, &j);
		pid = fork();
		if (pid == 0)
			_exit(in_child(ctx));
		memset(&j, 0, sizeof j);
		zinc_pool_run(ctx, WORKERS, 1000, mark, &j); /* the parent continues */
		assert_true(all_done_once(&j, 1000));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		emulated |= WEXITSTATUS(status) == 127;
		assert_int_equal(WEXITSTATUS(status), emulated ? 127 : 3);
	}
	zinc_context_free(ctx);
	if (emulated)
		skip();
}

/* Fork while other threads are in the middle of runs. */
static void
fork_amidst_runs(void **state)
{
	static struct job jobs[2];
	pthread_t threads[COUNT(jobs)];
	zinc_context *ctx = context_of(4);
	bool emulated = false;
	int i, status;
	pid_t pid;

	(void)state;
	for (i = 0; i < (int)COUNT(jobs); i++) {
		jobs[i].ctx = ctx;
		assert_int_equal(pthread_create(&threads[i], NULL, run_often, &jobs[i]), 0);
	}
	for (i = 0; i < 10; i++) {
		pid = fork();
		if (pid == 0) {
			static struct job j;

			alarm(HANGS);
			zinc_pool_run(ctx, 4, 1000, mark, &j);
			_exit(all_done_once(&j, 1000) ? 3 : 4);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		emulated |= WEXITSTATUS(status) == 127;
		assert_int_equal(WEXITSTATUS(status), emulated ? 127 : 3);
	}
	for (i = 0; i < (int)COUNT(jobs); i++) {
		pthread_join(threads[i], NULL);
		assert_false(jobs[i].wrong);
	}
	zinc_context_free(ctx);
	if (emulated)
		skip();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_index_once),
	    cmocka_unit_test(threads_work_at_once),
	    cmocka_unit_test(without_memory_it_takes_longer),
	    cmocka_unit_test(runs_in_runs),
	    cmocka_unit_test(many_runs_at_once),
	    cmocka_unit_test(signals_go_elsewhere),
	    cmocka_unit_test(pool_works_after_fork),
	    cmocka_unit_test(fork_amidst_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
