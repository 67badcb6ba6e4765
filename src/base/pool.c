/*
 * pool.c - the threads of a context
 *
 * Promises (tests/unit/test_pool.c names each by its number):
 *
 * (1) zinc_pool_run calls its function exactly once for each index and returns when all calls have; the caller can then
 *     read what they wrote.
 * (2) It never fails.  The caller works too, so without memory or threads it only takes longer.
 * (3) No two calls that run at the same time in one run have the same worker number.
 * (4) Any number of runs may be active at once; a run inside a run stays in its thread, so runs cannot wait for each
 *     other in a circle.
 * (5) Signals of the program are never delivered to these threads.
 * (6) After fork() the child has a pool without threads, which starts new ones.
 *
 * A run is on its caller's stack.  It is in the pool's list while it has indices left and may take more threads.
 * Workers join the first run in the list, and the caller returns when the last worker that joined is done:
 *
 *    caller     list -- 0 -- 3 -- 4 ------ unlist, wait for active == 0
 *    thread A        join -- 1 ------- 6 - leave
 *    thread B        join -- 2 -- 5 ------ leave
 *
 * Indices come from one atomic counter, so a free thread takes the next one: chunks differ widely in cost.  The lock is
 * taken twice per thread and run, never per index.
 */
#include <signal.h>

#include "base/base.h"

struct run {
	zinc_pool_fn fn;
	void *arg;
	size_t n;
	atomic_size_t next; /* next index */
	int limit;          /* threads that may work on it, including the caller */
	int joined;         /* threads that have joined so far: the next worker number */
	int active;         /* workers inside, without the caller */
	bool listed;
	struct run *after;   /* in the list */
	pthread_cond_t idle; /* active became 0 */
};

struct zinc_pool {
	zinc_context *ctx;
	pthread_mutex_t lock; /* guards everything here and in the runs, except `next` */
	pthread_cond_t work;  /* a run was listed, or stop */
	struct run *runs;
	int max_threads; /* limit of threads */
	int nthreads;    /* number of threads */
	int waiting;     /* how many of them have no work */
	bool stop;
	zinc_fork_hook fork;
	pthread_t threads[];
};

/* Is this thread inside a run? */
static _Thread_local bool inside;

/* ---- the list ---- */

/* Appended: the oldest run gets threads first. */
static void
list_run(zinc_pool *pool, struct run *r)
{
	struct run **at = &pool->runs;

	while (*at)
		at = &(*at)->after;
	*at = r;
	r->listed = true;
}

static void
unlist_run(zinc_pool *pool, struct run *r)
{
	struct run **at = &pool->runs;

	if (!r->listed)
		return;
	while (*at != r)
		at = &(*at)->after;
	*at = r->after;
	r->listed = false;
}

/* ---- working ---- */

/* The lock taken afterwards publishes what the calls wrote, so the counter needs no memory order. */
static void
work_on(struct run *r, int worker)
{
	size_t i;

	inside = true;
	while ((i = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed)) < r->n)
		r->fn(r->arg, i, worker);
	inside = false;
}

/* Join the first run; the lock is held on entry and return.  work_on returns when no index is left, so no other thread
 * need join. */
static void
join_run(zinc_pool *pool)
{
	struct run *r = pool->runs;
	int worker = r->joined++;

	r->active++;
	if (r->joined == r->limit)
		unlist_run(pool, r);
	pthread_mutex_unlock(&pool->lock);
	work_on(r, worker);
	pthread_mutex_lock(&pool->lock);
	unlist_run(pool, r);
	if (--r->active == 0)
		pthread_cond_signal(&r->idle);
}

/* Threads run until the pool is freed. */
static void *
thread_main(void *arg)
{
	zinc_pool *pool = (zinc_pool *)arg;

	pthread_mutex_lock(&pool->lock);
	while (!pool->stop) {
		if (pool->runs) {
			join_run(pool);
			continue;
		}
		pool->waiting++;
		pthread_cond_wait(&pool->work, &pool->lock);
		pool->waiting--;
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* A new thread inherits the signals that are blocked. */
bool
zinc_thread_start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	sigset_t all, old;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return failed == 0;
}

/* Start threads for all free places in the listed runs. */
static void
start_threads(zinc_pool *pool)
{
	int wanted = -pool->waiting;
	const struct run *r;

	for (r = pool->runs; r; r = r->after)
		wanted += r->limit - r->joined;
	for (; wanted > 0 && pool->nthreads < pool->max_threads; wanted--) {
		if (!zinc_thread_start(&pool->threads[pool->nthreads], thread_main, pool))
			break;
		pool->nthreads++;
	}
}

/* ---- the pool ---- */

/* In the child none of the threads exists, so the condition is initialised again. */
static void
empty_pool(void *object)
{
	zinc_pool *pool = (zinc_pool *)object;

	pool->runs = NULL;
	pool->nthreads = 0;
	pool->waiting = 0;
	pthread_cond_init(&pool->work, NULL);
}

/* It has no threads yet: run_together starts them when there is work. */
static zinc_pool *
new_pool(zinc_context *ctx)
{
	size_t nbytes;
	zinc_pool *pool;

	if (zinc_size_mul((size_t)(ctx->threads - 1), sizeof(pthread_t), &nbytes) ||
	    zinc_size_add(nbytes, sizeof *pool, &nbytes))
		return NULL;
	pool = (zinc_pool *)zinc_calloc(ctx, 1, nbytes);
	if (!pool)
		return NULL;
	pool->ctx = ctx;
	pool->max_threads = ctx->threads - 1;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pool->fork = (zinc_fork_hook){.lock = &pool->lock, .child = empty_pool, .object = pool};
	zinc_fork_add(&pool->fork);
	return pool;
}

/* Created outside the context's lock, because of its fork hook; if two threads create one, one is dropped. */
static zinc_pool *
pool_of(zinc_context *ctx)
{
	zinc_pool *pool, *mine;

	pthread_mutex_lock(&ctx->lock);
	pool = ctx->pool;
	pthread_mutex_unlock(&ctx->lock);
	if (pool)
		return pool;
	mine = new_pool(ctx);
	pthread_mutex_lock(&ctx->lock);
	if (!ctx->pool) {
		ctx->pool = mine;
		mine = NULL;
	}
	pool = ctx->pool;
	pthread_mutex_unlock(&ctx->lock);
	zinc_pool_free(mine);
	return pool;
}

/* No run is active: the caller no longer uses the context. */
void
zinc_pool_free(zinc_pool *pool)
{
	int i;

	if (!pool)
		return;
	zinc_fork_remove(&pool->fork);
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (i = 0; i < pool->nthreads; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	zinc_free(pool->ctx, pool);
}

/* ---- running ---- */

static void
run_alone(size_t n, zinc_pool_fn fn, void *arg)
{
	size_t i;

	for (i = 0; i < n; i++)
		fn(arg, i, 0);
}

/* In the order list, start, wake: a thread that is just starting sees the run without a signal. */
static void
run_together(zinc_pool *pool, int limit, size_t n, zinc_pool_fn fn, void *arg)
{
	struct run r = {.fn = fn, .arg = arg, .n = n, .limit = limit, .joined = 1};

	atomic_init(&r.next, 0);
	pthread_cond_init(&r.idle, NULL);
	pthread_mutex_lock(&pool->lock);
	list_run(pool, &r);
	start_threads(pool);
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_broadcast(&pool->work); /* without the lock, which the woken threads take at once */

	work_on(&r, 0);

	pthread_mutex_lock(&pool->lock);
	unlist_run(pool, &r);
	while (r.active > 0)
		pthread_cond_wait(&r.idle, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_destroy(&r.idle);
}

void
zinc_pool_run(zinc_context *ctx, int threads, size_t n, zinc_pool_fn fn, void *arg)
{
	zinc_pool *pool;
	int limit;

	ctx = zinc_context_get(ctx);
	limit = threads < ctx->threads ? threads : ctx->threads;
	if (limit > 0 && n < (size_t)limit)
		limit = (int)n;
	pool = limit > 1 && !inside ? pool_of(ctx) : NULL;
	if (pool)
		run_together(pool, limit, n, fn, arg);
	else
		run_alone(n, fn, arg);
}
