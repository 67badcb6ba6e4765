/*
 * test_context.c - the promises of context.c, by number
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codec/codec.h"
#include "support/sweep.h"
#include "support/test.h"

/* (1) */
static void
limits_have_defaults(void **state)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_context *ctx = NULL;

	(void)state;
	assert_int_equal(zinc_context_new(&ctx, NULL, NULL), ZINC_OK);
	assert_int_equal(ctx->limits.json_bytes, 64u << 20);
	assert_int_equal(ctx->limits.json_depth, 256);
	assert_int_equal(ctx->limits.json_values, 4000000);
	assert_int_equal(ctx->limits.rank, 64);
	assert_int_equal(ctx->limits.chunk_bytes, UINT64_C(2) << 30);
	assert_int_equal(ctx->limits.codecs, 32);
	assert_int_equal(ctx->limits.shard_depth, 4);
	assert_int_equal(ctx->limits.children, 10000000);
	assert_int_equal(ctx->in_flight_bytes, 64u << 20);
	assert_int_equal(ctx->cache_bytes, 0);
	assert_true(ctx->threads >= 1);
	assert_ptr_equal(ctx->os, &zinc_os_posix);
	zinc_context_free(ctx);

	o.limits = ZINC_LIMITS(.json_depth = 3, .rank = 5);
	o.threads = 7;
	o.cache_bytes = 9;
	o.in_flight_bytes = 11;
	assert_int_equal(zinc_context_new(&ctx, &o, NULL), ZINC_OK);
	assert_int_equal(ctx->limits.json_depth, 3);
	assert_int_equal(ctx->limits.rank, 5);
	assert_int_equal(ctx->limits.codecs, 32);
	assert_int_equal(ctx->threads, 7);
	assert_int_equal(ctx->cache_bytes, 9);
	assert_int_equal(ctx->in_flight_bytes, 11);
	zinc_context_free(ctx);
}

static void
bad_options_are_refused(void **state)
{
	zinc_allocator half = {sizeof half, zinc_allocator_libc.alloc, NULL, zinc_allocator_libc.free, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;

	(void)state;
	assert_int_equal(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = -1), &err), ZINC_E_INVALID);
	assert_int_equal(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.limits = ZINC_LIMITS(.rank = 65)), &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &half), &err), ZINC_E_INVALID);
	assert_int_equal(zinc_context_new(&ctx, &(zinc_context_options){.threads = 1}, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "size"));
	assert_null(ctx);
	zinc_context_free(NULL);
	assert_int_equal(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1000000), &err), ZINC_OK);
	assert_int_equal(ctx->threads, 1024);
	zinc_context_free(ctx);
}

/* Structures of other versions of the library. */
static void
options_of_any_age(void **state)
{
	struct known {
		size_t size;
		int a, b;
	} out;
	struct {
		size_t size;
		int a;
	} old = {sizeof(size_t) + sizeof(int), 1};
	struct {
		size_t size;
		int a, b, c, d;
	} newer = {sizeof newer, 1, 2, 0, 0};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_options_take(&out, sizeof out, NULL, &err));
	assert_true(out.size == sizeof out && out.a == 0 && out.b == 0);
	assert_ok(zinc_options_take(&out, sizeof out, &old, &err));
	assert_true(out.size == sizeof out && out.a == 1 && out.b == 0);
	assert_ok(zinc_options_take(&out, sizeof out, &newer, &err));
	assert_true(out.size == sizeof out && out.a == 1 && out.b == 2);
	newer.d = 1;
	assert_int_equal(zinc_options_take(&out, sizeof out, &newer, &err), ZINC_E_INVALID);
}

/* (2) */
static void
null_is_the_default_context(void **state)
{
	zinc_context *ctx = zinc_context_get(NULL), other;

	(void)state;
	assert_non_null(ctx);
	assert_ptr_equal(zinc_context_get(NULL), ctx);
	assert_ptr_equal(zinc_context_get(&other), &other);
	zinc_context_free(ctx);
	assert_ptr_equal(zinc_context_get(NULL), ctx);
	zinc_free(NULL, zinc_alloc(NULL, 1));
}

static void
count(void *arg, size_t i, int worker)
{
	(void)i, (void)worker;
	__atomic_fetch_add((int *)arg, 1, __ATOMIC_RELAXED);
}

/* (2) After it is freed, the next call makes it again. */
static void
default_context_can_be_freed(void **state)
{
	const zinc_context *ctx = zinc_context_get(NULL);
	int round, n = 0;
	size_t i;

	(void)state;
	for (round = 0; round < 3; round++) {
		zinc_pool_run(NULL, 4, 100, count, &n);
		zinc_scratch_put(zinc_scratch_get(NULL));
		zinc_context_free_default();
		assert_null(ctx->pool);
		for (i = 0; i < sizeof ctx->slots / sizeof ctx->slots[0]; i++)
			assert_null(ctx->slots[i].object);
	}
	assert_int_equal(n, 300);
	zinc_context_free_default();
	zinc_context_trim(NULL);
}

/* (4) After reads and writes with a cache, a trimmed context has as much memory as before. */
static void
trimmed_context_holds_nothing(void **state)
{
	const uint64_t shape[] = {1 << 20}, chunks[] = {1 << 18};
	static uint8_t v[1 << 20];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_array *a = NULL;
	sweep_memory m;
	long before;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(
	    &ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .allocator = &m.allocator, .cache_bytes = 8 << 20), &err));
	assert_ok(zinc_array_create_url(
	    &a, "memory://trim", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint8", .chunks = chunks),
	    ZINC_OPEN_OPTIONS(.context = ctx), &err));
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	zinc_context_trim(ctx);
	before = m.bytes;
	v[0] = 1;
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_ok(zinc_array_read_text(a, "1:", ZINC_BUFFER(v, sizeof v - 1), NULL, &err));
	assert_true(m.bytes > before + (1 << 18));
	zinc_context_trim(ctx);
	assert_true(m.bytes < before + (1 << 18)); /* the cache's table, and one stored chunk that was fill */
	zinc_array_close(a);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

static void *
hold_lock(void *arg)
{
	int *pipes = (int *)arg;
	zinc_context *ctx = zinc_context_get(NULL);
	char c;

	pthread_mutex_lock(&ctx->lock);
	c = 'l';
	if (write(pipes[1], &c, 1) != 1)
		abort();
	usleep(20000); /* the fork below has to wait for this */
	pthread_mutex_unlock(&ctx->lock);
	return NULL;
}

/* (3) */
static void
lock_survives_fork(void **state)
{
	zinc_context *ctx = zinc_context_get(NULL);
	pthread_t thread;
	int pipes[2], status;
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(pthread_create(&thread, NULL, hold_lock, pipes), 0);
	assert_int_equal(read(pipes[0], &c, 1), 1);
	pid = fork();
	if (pid == 0) {
		alarm(HANGS); /* instead of hanging */
		pthread_mutex_lock(&ctx->lock);
		pthread_mutex_unlock(&ctx->lock);
		_exit(7);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	pthread_mutex_lock(&ctx->lock);
	pthread_mutex_unlock(&ctx->lock);
	pthread_join(thread, NULL);
	close(pipes[0]);
	close(pipes[1]);
}

static char warned[3][2048];

static void
note_warning(void *arg, const char *where, const char *text)
{
	snprintf(warned[0], sizeof warned[0], "%s", (const char *)arg);
	snprintf(warned[1], sizeof warned[1], "%s", where);
	snprintf(warned[2], sizeof warned[2], "%s", text);
}

static void
warnings_reach_the_program(void **state)
{
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	char arg[] = "arg", big[3000];

	(void)state;
	zinc_warn(NULL, "where", "into the void %d", 1);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.warn = note_warning, .warn_arg = arg), &err));
	zinc_warn(ctx, "/a", "odd\n%d", 42);
	assert_string_equal(warned[0], "arg");
	assert_string_equal(warned[1], "/a");
	assert_string_equal(warned[2], "odd\\x0a42");
	memset(big, 'y', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	zinc_warn(ctx, NULL, "%s", big);
	assert_string_equal(warned[1], "");
	assert_true(strlen(warned[2]) == 1023);
	zinc_context_free(ctx);
}

static int slots_freed;

static void
free_slot(zinc_context *ctx, void *object)
{
	slots_freed++;
	zinc_free(ctx, object);
}

static void
slots_live_as_long_as_the_context(void **state)
{
	static const zinc_slot_kind one = {.free = free_slot}, other = {.free = free_slot};
	sweep_memory m;
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_null(*zinc_context_slot(ctx, &one));
	*zinc_context_slot(ctx, &one) = zinc_alloc(ctx, 10);
	assert_null(*zinc_context_slot(ctx, &other));
	assert_non_null(*zinc_context_slot(ctx, &one));
	zinc_context_trim(ctx); /* neither can be trimmed */
	zinc_context_free(ctx);
	assert_int_equal(slots_freed, 1);
	assert_int_equal(m.blocks, 0);
	sweep_memory_fail(&m, 1, false);
	assert_int_equal(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err), ZINC_E_NOMEM);
}

static int
broken_clock(const zinc_os *self, int id, struct timespec *now)
{
	(void)self, (void)id, (void)now;
	errno = EINVAL;
	return -1;
}

static void
time_goes_on(void **state)
{
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_os os = zinc_os_posix;
	double a, b;

	(void)state;
	a = zinc_now(NULL);
	usleep(1000);
	b = zinc_now(NULL);
	assert_true(b > a && b < a + 100);
	assert_ok(zinc_context_new(&ctx, NULL, &err));
	os.clock = broken_clock;
	zinc_context_set_os(ctx, &os);
	assert_true(zinc_now(ctx) <= 0);
	zinc_context_free(ctx);
}

static void
blobs_and_version(void **state)
{
	zinc_blob blob = {zinc_alloc(NULL, 3), 3, NULL};

	(void)state;
	zinc_blob_fini(&blob);
	assert_null(blob.data);
	assert_int_equal(blob.nbytes, 0);
	zinc_blob_fini(&blob);
	zinc_blob_fini(NULL);
	assert_string_equal(zinc_version(), ZINC_VERSION);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(limits_have_defaults),
	    cmocka_unit_test(bad_options_are_refused),
	    cmocka_unit_test(options_of_any_age),
	    cmocka_unit_test(null_is_the_default_context),
	    cmocka_unit_test(default_context_can_be_freed),
	    cmocka_unit_test(trimmed_context_holds_nothing),
	    cmocka_unit_test(lock_survives_fork),
	    cmocka_unit_test(warnings_reach_the_program),
	    cmocka_unit_test(slots_live_as_long_as_the_context),
	    cmocka_unit_test(time_goes_on),
	    cmocka_unit_test(blobs_and_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
