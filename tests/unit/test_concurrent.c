/*
 * test_concurrent.c - many processes and threads on one chunk and one shard
 *
 * (1) 8 processes, each making 1 000 partial writes to its own elements of one chunk, and of one shard: none lost.
 * (2) Readers meanwhile see each element old or new.
 * (3) A reader of a shard that is replaced 10 000 times never gets elements of two generations.
 * (4) Many threads on one handle, also appending.
 * (5) A child forked while threads work can use the library.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zinc.h>

#include "support/forks.h"
#include "support/test.h"

#define PROCESSES 8
#define WRITES    MANY(1000) /* of each process */
#define N         (PROCESSES * WRITES)
#define MOST      (PROCESSES * 1000)

static char dir[64];

static zinc_array *
make(const char *name, uint64_t n, uint64_t chunk, uint64_t shard, zinc_context *ctx)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char url[128];

	snprintf(url, sizeof url, "%s/%s", dir, name);
	assert_ok(zinc_array_create_url(&a, url,
					ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &n, .dtype = "uint32", .chunks = &chunk,
							   .shards = shard > 0 ? &shard : NULL, .codecs = "zstd:1"),
					ZINC_OPEN_OPTIONS(.relaxed = 1, .context = ctx), &err));
	return a;
}

static zinc_array *
reopen(const char *name, zinc_context *ctx)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char url[128];

	snprintf(url, sizeof url, "%s/%s", dir, name);
	assert_ok(zinc_array_open_url(&a, url, ZINC_OPEN_OPTIONS(.relaxed = 1, .context = ctx), &err));
	return a;
}

static zinc_selection
box(const uint64_t *start, const uint64_t *count)
{
	zinc_selection s = ZINC_SELECTION_ALL;

	s.kind = ZINC_SELECT_BOX;
	s.ndim = 1;
	s.start = start;
	s.count = count;
	return s;
}

/* Process p writes elements p, p + 8, p + 16 ... */
static int
write_elements(const char *name, int p)
{
	zinc_context *ctx = NULL;
	zinc_array *a;
	uint64_t i, one = 1;

	if (zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1), NULL) != ZINC_OK)
		return 1;
	a = reopen(name, ctx);
	for (i = (uint64_t)p; i < (uint64_t)N; i += PROCESSES) {
		uint32_t v = (uint32_t)i + 1;
		zinc_selection s = box(&i, &one);
		zinc_error err = ZINC_ERROR_INIT;

		if (zinc_array_write(a, &s, ZINC_BUFFER(&v, sizeof v), NULL, &err) != ZINC_OK) {
			fprintf(stderr, "%s\n", zinc_error_text(&err));
			return 1;
		}
	}
	zinc_array_close(a);
	zinc_context_free(ctx);
	return 0;
}

/* Read until stopped; every element is 0 or its own number. */
static int
watch_elements(const char *name, const atomic_int *stop)
{
	static uint32_t v[MOST];
	zinc_array *a = reopen(name, NULL);
	int looks = 0, i;

	while (!atomic_load(stop) || looks == 0) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_status st = zinc_array_read(a, NULL, ZINC_BUFFER(v, (size_t)N * sizeof v[0]), NULL, &err);

		if (st == ZINC_E_CONFLICT)
			continue; /* the shard changed 8 times while it was read: an error */
		if (st != ZINC_OK) {
			fprintf(stderr, "%s\n", zinc_error_text(&err));
			return 1;
		}
		for (i = 0; i < N; i++)
			if (v[i] != 0 && v[i] != (uint32_t)i + 1)
				return 2;
		looks++;
	}
	zinc_array_close(a);
	return 0;
}

static int
exit_status(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void
lost_update(const char *name, uint64_t chunk, uint64_t shard)
{
	static uint32_t v[MOST];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = make(name, (uint64_t)N, chunk, shard, NULL);
	atomic_int *stop = mmap(NULL, sizeof *stop, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t writers[PROCESSES], reader;
	int p, i;

	assert_true(stop != MAP_FAILED);
	zinc_array_close(a);
	fflush(NULL);
	reader = fork();
	if (reader == 0)
		_exit(watch_elements(name, stop));
	for (p = 0; p < PROCESSES; p++) {
		writers[p] = fork();
		if (writers[p] == 0)
			_exit(write_elements(name, p));
	}
	for (p = 0; p < PROCESSES; p++)
		assert_int_equal(exit_status(writers[p]), 0);
	atomic_store(stop, 1);
	assert_int_equal(exit_status(reader), 0);
	a = reopen(name, NULL);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(v, (size_t)N * sizeof v[0]), NULL, &err));
	for (i = 0; i < N; i++)
		if (v[i] != (uint32_t)i + 1)
			fail_msg("%s: the write of element %d was lost", name, i);
	zinc_array_close(a);
	munmap(stop, sizeof *stop);
}

static void
test_lost_update_chunk(void **unused)
{
	(void)unused;
	lost_update("chunk", (uint64_t)N, 0); /* one chunk with all elements */
}

static void
test_lost_update_shard(void **unused)
{
	(void)unused;
	lost_update("shard", (uint64_t)N / 16, (uint64_t)N); /* one shard of 16 inner chunks */
}

/* ---- generations ---- */

static int
replace_shard(const char *name, int times)
{
	static uint32_t v[4096];
	zinc_array *a = reopen(name, NULL);
	int k, i;

	for (k = 1; k <= times; k++) {
		for (i = 0; i < 4096; i++)
			v[i] = (uint32_t)k; /* compresses to another length now and then */
		v[0] = (uint32_t)k;
		if (zinc_array_write(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, NULL) != ZINC_OK)
			return 1;
	}
	zinc_array_close(a);
	return 0;
}

static void
test_generations(void **unused)
{
	static uint32_t v[4096];
	zinc_array *a = make("generations", 4096, 256, 4096, NULL);
	const int times = MANY(10000);
	int status = 0, i, reads = 0, conflicts = 0;
	pid_t writer;

	(void)unused;
	fflush(NULL);
	writer = fork();
	if (writer == 0)
		_exit(replace_shard("generations", times));
	while (waitpid(writer, &status, WNOHANG) == 0) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_status st =
		    zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), ZINC_IO_OPTIONS(.threads = 1), &err);

		if (st == ZINC_E_CONFLICT) {
			conflicts++;
			continue;
		}
		assert_ok(st);
		for (i = 1; i < 4096; i++)
			if (v[i] != v[0])
				fail_msg("generations %u and %u in one read", v[0], v[i]);
		reads++;
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	printf("generations: %d whole reads while a shard was replaced %d times, %d said conflict, 0 mixed\n", reads,
	       times, conflicts);
	assert_true(reads > 0);
	zinc_array_close(a);
}

/* ---- threads on one handle ---- */

typedef struct thread_arg {
	zinc_array *a;
	uint64_t id;
	zinc_status st;
} thread_arg;

static void *
append_rows(void *arg)
{
	thread_arg *t = arg;
	uint64_t n = 7, shape[1] = {n};
	uint32_t v[7];
	int i, k;

	for (k = 0; k < 20 && t->st == ZINC_OK; k++) {
		zinc_buffer b = *ZINC_BUFFER(v, sizeof v);

		for (i = 0; i < 7; i++)
			v[i] = (uint32_t)t->id;
		b.ndim = 1;
		b.shape = shape;
		t->st = zinc_array_append(t->a, 0, &b, NULL, NULL, NULL);
	}
	return NULL;
}

static void
test_threads_append(void **unused)
{
	enum { THREADS = 6 };
	static uint32_t v[THREADS * 20 * 7];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = make("append", 0, 10, 0, NULL);
	pthread_t threads[THREADS];
	thread_arg args[THREADS];
	int i, counts[THREADS + 1] = {0};

	(void)unused;
	for (i = 0; i < THREADS; i++) {
		args[i] = (thread_arg){a, (uint64_t)i + 1, ZINC_OK};
		assert_int_equal(pthread_create(&threads[i], NULL, append_rows, &args[i]), 0);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(args[i].st, ZINC_OK);
	}
	assert_int_equal(zinc_array_shape(a)[0], THREADS * 20 * 7);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
	for (i = 0; i < THREADS * 20 * 7; i++) {
		assert_true(v[i] >= 1 && v[i] <= THREADS);
		assert_int_equal(v[i], v[i / 7 * 7]); /* appends of seven stay together */
		counts[v[i]]++;
	}
	for (i = 1; i <= THREADS; i++)
		assert_int_equal(counts[i], 20 * 7);
	zinc_array_close(a);
}

/* ---- fork ---- */

static atomic_int stop_reading;

static void *
keep_reading(void *arg)
{
	static _Thread_local uint32_t v[4096];

	zinc_status st = ZINC_OK;

	while (!atomic_load(&stop_reading) && st == ZINC_OK) {
		step_begin();
		st = zinc_array_read(arg, NULL, ZINC_BUFFER(v, sizeof v), NULL, NULL);
		step_end();
	}
	return st == ZINC_OK ? NULL : arg;
}

static void
test_fork(void **unused)
{
	zinc_context *ctx = NULL;
	zinc_array *a;
	pthread_t threads[2];
	void *bad;
	int i;

	(void)unused;
	assert_int_equal(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 3, .cache_bytes = 1 << 16), NULL),
			 ZINC_OK);
	a = make("fork", 4096, 64, 0, ctx);
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, keep_reading, a), 0);
	for (i = 0; i < 50; i++) {
		pid_t child;

		fflush(NULL);
		child = fork_amidst();
		if (child == 0) {
			static uint32_t v[4096];

			alarm(HANGS);
			v[i] = 1;
			if (zinc_array_write(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, NULL) != ZINC_OK ||
			    zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, NULL) != ZINC_OK)
				_exit(1);
			_exit(0);
		}
		assert_int_equal(exit_status(child), 0);
	}
	atomic_store(&stop_reading, 1);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
	zinc_array_close(a);
	zinc_context_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lost_update_chunk),
	    cmocka_unit_test(test_lost_update_shard),
	    cmocka_unit_test(test_generations),
	    cmocka_unit_test(test_threads_append),
	    cmocka_unit_test(test_fork),
	};
	char command[128];
	int failed;

	snprintf(dir, sizeof dir, "concurrent-%ld", (long)getpid());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) != 0 || failed;
}
