/*
 * context.c - what calls share: threads, allocator, limits, warnings
 *
 * Promises (tests/unit/test_context.c names each by its number):
 *
 * (1) Every limit that is given as zero has its documented default.
 * (2) NULL is the process's default context, which needs no memory to be created; after it is freed, the next call
 *     creates it again.
 * (3) A context can be used in a forked child, even if another thread held its lock.
 * (4) After a trim a context holds no more memory than a new one with its threads, whatever calls were made.
 *
 * Everything that would otherwise be a global variable is here, so that two libraries in one program can both use this
 * one, each with its own threads, memory and limits.
 */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"

/* More threads than any machine has processors are a mistake in some configuration. */
#define MAX_THREADS 1024

/*
 * A program compiled with an older header passes a shorter structure, one compiled with a newer header a longer one:
 *
 *    its    [size | members it knows | .......]
 *    ours   [size | members we know       ]
 *
 * Members that it does not know are zero, which is the default.  Members that we do not know must be zero; otherwise
 * the program would ask for something and silently not get it.
 */
/* The processors that this process may use; the machine may have more. */
static int
processors(void)
{
	cpu_set_t set;
	long n;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return CPU_COUNT(&set);
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 && n < MAX_THREADS ? (int)n : 1;
}

/* Zero means the default; the values are those of zinc.h. */
static uint64_t
or_default(uint64_t value, uint64_t fallback)
{
	return value ? value : fallback;
}

static void
set_limits(zinc_limits *to, const zinc_limits *from)
{
	to->json_bytes = or_default(from->json_bytes, 64 * ZINC_MIB);
	to->json_depth = (uint32_t)or_default(from->json_depth, 256);
	to->json_values = or_default(from->json_values, 4000000);
	to->rank = (uint32_t)or_default(from->rank, ZINC_MAX_NDIM);
	to->chunk_bytes = or_default(from->chunk_bytes, 2 * ZINC_GIB);
	to->codecs = (uint32_t)or_default(from->codecs, 32);
	to->shard_depth = (uint32_t)or_default(from->shard_depth, 4);
	to->children = or_default(from->children, 10000000);
}

/* ---- limits of buffers ---- */

static size_t
ceiling(uint64_t nbytes)
{
	return (size_t)zinc_min_u64(nbytes, PTRDIFF_MAX / 2);
}

size_t
zinc_max_many(uint64_t n, size_t each)
{
	uint64_t nbytes;

	return ceiling(zinc_u64_mul(n, each, &nbytes) ? UINT64_MAX : nbytes);
}

size_t
zinc_max_document(zinc_context *ctx)
{
	return ceiling(zinc_context_get(ctx)->limits.json_bytes);
}

/* Printing adds mostly indentation: up to about 20 bytes for an item of a list of digits, which has 2 bytes. */
size_t
zinc_max_text(zinc_context *ctx)
{
	return ceiling(zinc_max_many(10, zinc_max_document(ctx)) + ZINC_MIB);
}

size_t
zinc_max_list(zinc_context *ctx)
{
	return ceiling(zinc_max_many(zinc_context_get(ctx)->limits.children, 256) + ZINC_MIB);
}

/* No codec of the table encodes to more than twice the size, plus a few bytes. */
size_t
zinc_max_chunk(zinc_context *ctx)
{
	return ceiling(zinc_max_many(2, ceiling(zinc_context_get(ctx)->limits.chunk_bytes)) + ZINC_MIB);
}

static zinc_status
take_allocator(zinc_allocator *to, const zinc_allocator *from, zinc_error *err)
{
	ZINC_TRY(zinc_options_take(to, sizeof *to, from ? from : &zinc_allocator_libc, err));
	if (!to->alloc || !to->realloc || !to->free)
		return zinc_fail(err, ZINC_E_INVALID, "an allocator must have alloc, realloc and free");
	return ZINC_OK;
}

/* `ctx` is all zeros, or, for the default context in a child forked during this call, partly initialised. */
static zinc_status
init(zinc_context *ctx, const zinc_context_options *o, zinc_error *err)
{
	int threads = o->threads ? o->threads : processors();
	zinc_limits limits;

	ZINC_TRY(take_allocator(&ctx->allocator, o->allocator, err));
	ZINC_TRY(zinc_options_take(&limits, sizeof limits, o->limits, err));
	set_limits(&ctx->limits, &limits);
	ctx->warn = o->warn;
	ctx->warn_arg = o->warn_arg;
	ctx->trace = o->trace;
	ctx->trace_arg = o->trace_arg;
	ctx->threads = threads < MAX_THREADS ? threads : MAX_THREADS;
	ctx->cache_bytes = o->cache_bytes;
	ctx->in_flight_bytes = or_default(o->in_flight_bytes, 64 * ZINC_MIB);
	ctx->os = &zinc_os_posix;
	if (pthread_mutex_init(&ctx->lock, NULL) != 0)
		return zinc_fail_nomem(err);
	ctx->fork.lock = &ctx->lock;
	zinc_fork_add(&ctx->fork);
	return ZINC_OK;
}

/* In static memory, so that NULL as a context can never fail. */
static zinc_context default_context;
static pthread_once_t default_once = PTHREAD_ONCE_INIT;

static void
init_default(void)
{
	static const zinc_context_options options = ZINC_CONTEXT_OPTIONS_INIT;

	/* Cannot fail: a mutex with default attributes needs no memory. */
	(void)init(&default_context, &options, NULL);
}

zinc_context *
zinc_context_get(zinc_context *ctx)
{
	if (ctx)
		return ctx;
	pthread_once(&default_once, init_default);
	return &default_context;
}

static zinc_status
check_options(const zinc_context_options *o, zinc_error *err)
{
	zinc_limits limits;

	ZINC_TRY(zinc_options_take(&limits, sizeof limits, o->limits, err));
	if (limits.rank > ZINC_MAX_NDIM)
		return zinc_fail(err, ZINC_E_INVALID, "the limit of rank cannot be above %d", ZINC_MAX_NDIM);
	return ZINC_OK;
}

/* The context is allocated by its own allocator. */
zinc_status
zinc_context_new(zinc_context **out, const zinc_context_options *options, zinc_error *err)
{
	zinc_context_options o;
	zinc_context *ctx;
	zinc_allocator a;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out, err));
	ZINC_TRY(zinc_options_take_as(&zinc_context_options_kind, &o, options, err));
	ZINC_TRY(check_options(&o, err));
	ZINC_TRY(take_allocator(&a, o.allocator, err));
	ctx = (zinc_context *)a.alloc(a.ctx, sizeof *ctx);
	if (!ctx)
		return zinc_fail_nomem(err);
	memset(ctx, 0, sizeof *ctx);
	st = init(ctx, &o, err);
	if (st != ZINC_OK) {
		a.free(a.ctx, ctx);
		return st;
	}
	*out = ctx;
	return ZINC_OK;
}

/* There are more slots than kinds. */
void **
zinc_context_slot(zinc_context *ctx, const zinc_slot_kind *kind)
{
	size_t i;

	for (i = 0; ctx->slots[i].kind && ctx->slots[i].kind != kind; i++)
		;
	ctx->slots[i].kind = kind;
	return &ctx->slots[i].object;
}

/* Threads first: they may be using objects in the slots. */
static void
free_content(zinc_context *ctx)
{
	size_t i;

	zinc_pool_free(ctx->pool);
	ctx->pool = NULL;
	for (i = 0; i < sizeof ctx->slots / sizeof ctx->slots[0]; i++) {
		if (ctx->slots[i].object)
			ctx->slots[i].kind->free(ctx, ctx->slots[i].object);
		ctx->slots[i].object = NULL;
	}
}

void
zinc_context_free(zinc_context *ctx)
{
	zinc_allocator a;

	if (!ctx || ctx == &default_context)
		return;
	free_content(ctx);
	zinc_fork_remove(&ctx->fork);
	pthread_mutex_destroy(&ctx->lock);
	a = ctx->allocator;
	a.free(a.ctx, ctx);
}

/* Frees everything that it has allocated.  The structure is static, and is then as good as new. */
void
zinc_context_free_default(void)
{
	free_content(zinc_context_get(NULL));
}

void
zinc_context_trim(zinc_context *ctx)
{
	const zinc_slot_kind *kind;
	size_t i;

	ctx = zinc_context_get(ctx);
	for (i = 0; i < sizeof ctx->slots / sizeof ctx->slots[0]; i++) {
		pthread_mutex_lock(&ctx->lock);
		kind = ctx->slots[i].kind;
		pthread_mutex_unlock(&ctx->lock);
		if (kind && kind->trim)
			kind->trim(ctx);
	}
}

/* Not while anything is open: descriptors of one table mean nothing to another. */
void
zinc_context_set_os(zinc_context *ctx, const zinc_os *os)
{
	zinc_context_get(ctx)->os = os;
}

/* For deadlines and rates; never goes backwards.  If the clock fails, time stands still and nothing times out. */
double
zinc_now(zinc_context *ctx)
{
	const zinc_os *os = zinc_context_get(ctx)->os;
	struct timespec now;

	if (os->clock(os, CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Made printable like the text of an error: programs print it to a terminal. */
void
zinc_warn(zinc_context *ctx, const char *where, const char *fmt, ...)
{
	char raw[1024], text[1024];
	va_list args;

	ctx = zinc_context_get(ctx);
	if (!ctx->warn)
		return;
	va_start(args, fmt);
	if (vsnprintf(raw, sizeof raw, fmt, args) < 0)
		raw[0] = '\0';
	va_end(args);
	zinc_show(text, sizeof text, raw);
	ctx->warn(ctx->warn_arg, where ? where : "", text);
}

/* `context` stays, so that a blob can be filled again. */
void
zinc_blob_fini(zinc_blob *blob)
{
	if (!blob)
		return;
	zinc_free(blob->context, blob->data);
	blob->data = NULL;
	blob->nbytes = 0;
}

const char *
zinc_version(void)
{
	return ZINC_VERSION;
}
