/*
 * test_array_memory.c - memory of reads and writes, and their results in edge cases
 *
 * (1) Once warm, a read of 1 000 chunks makes as many allocations through our allocator as a read of 100.
 * (2) Our memory during a full read stays within max(64 MiB, threads x (encoded + decoded bytes of a chunk)).
 * (3) All memory is freed when everything is closed.
 *     Points of a shard cost 16 MiB of inner chunks per thread, or one inner chunk, however many they are in.
 * (4) A stored value that is longer than any encoding of its chunk costs no memory, whatever the operation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zinc.h>
#include <zinc/tool.h>

#include "support/sweep.h"
#include "support/test.h"

/* Sanitizers keep freed memory and their own data, so the memory of the process means nothing then. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static char dir[64];

static unsigned long
calls_of_read(sweep_memory *m, zinc_array *a, const char *selection, void *v, size_t nbytes)
{
	zinc_error err = ZINC_ERROR_INIT;
	unsigned long was = atomic_load(&m->calls);

	assert_ok(zinc_array_read_text(a, selection, ZINC_BUFFER_AS(ZINC_NATIVE, v, nbytes), NULL, &err));
	return atomic_load(&m->calls) - was;
}

static void
count_allocations(const char *codecs, int sharded)
{
	static uint16_t v[1000 * 1024];
	const uint64_t shape[] = {1000, 1024}, chunks[] = {1, 1024}, shards[] = {1000, 1024};
	zinc_error err = ZINC_ERROR_INIT;
	sweep_memory memory;
	zinc_context *ctx = NULL;
	zinc_array *a = NULL;
	unsigned long few, many;
	char url[128];

	sweep_memory_init(&memory);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .allocator = &memory.allocator), &err));
	snprintf(url, sizeof url, "%s/count.zarr", dir);
	assert_ok(zinc_array_create_url(&a, url,
					ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "uint16",
							   .chunks = chunks, .codecs = codecs,
							   .shards = sharded ? shards : NULL, .overwrite = 1),
					ZINC_OPEN_OPTIONS(.context = ctx, .relaxed = 1), &err));
	for (size_t i = 0; i < COUNT(v); i++)
		v[i] = (uint16_t)(i * 7 + i / 1000);
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	(void)calls_of_read(&memory, a, ":, 1:1023", v, sizeof v);
	few = calls_of_read(&memory, a, "900:, 1:1023", v, sizeof v); /* keys as long as any */
	many = calls_of_read(&memory, a, ":, 1:1023", v, sizeof v);
	printf("%s%s: %lu allocations to read 100 chunks, %lu to read 1000\n", codecs, sharded ? " in a shard" : "",
	       few, many);
	assert_int_equal(few, many);
	zinc_array_close(a);
	zinc_context_free(ctx);
	assert_int_equal(atomic_load(&memory.blocks), 0);
}

static void
test_no_allocation_per_chunk(void **unused)
{
	(void)unused;
	count_allocations("none", 0);
	count_allocations("zstd:1", 0);
	count_allocations("gzip:1", 0);
	count_allocations("blosc:lz4:1:shuffle", 0);
	count_allocations("zstd:1+crc32c", 0);
	count_allocations("zstd:1", 1);
}

/* Four points, in no order, in each of 16 inner chunks of 4 MiB. */
static void
test_points_in_a_shard(void **unused)
{
	enum { CHUNK = 4 * 1024 * 1024, CHUNKS = 16, POINTS = 4 * CHUNKS };
	const uint64_t shape[] = {(uint64_t)CHUNK * CHUNKS}, chunks[] = {CHUNK};
	uint64_t points[POINTS];
	zinc_selection sel = {
	    .size = sizeof sel, .kind = ZINC_SELECT_POINTS, .ndim = 1, .points = points, .npoints = POINTS};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_array *a = NULL;
	sweep_memory memory;
	uint8_t got[POINTS];
	uint8_t *v = malloc((size_t)shape[0]);
	char url[128];

	(void)unused;
	assert_non_null(v);
	for (size_t i = 0; i < shape[0]; i++)
		v[i] = (uint8_t)(i * 2654435761u >> 24);
	snprintf(url, sizeof url, "%s/points.zarr", dir);
	assert_ok(zinc_array_create_url(&a, url,
					ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint8",
							   .chunks = chunks, .shards = shape, .codecs = "none"),
					ZINC_OPEN_OPTIONS(.relaxed = 1), &err));
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, (size_t)shape[0]), NULL, &err));
	zinc_array_close(a);
	sweep_memory_init(&memory);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .allocator = &memory.allocator), &err));
	assert_ok(zinc_array_open_url(&a, url, ZINC_OPEN_OPTIONS(.context = ctx), &err));
	for (size_t i = 0; i < POINTS; i++)
		points[i] = (i * 29 % POINTS) * (CHUNK / 4) + i;
	assert_ok(zinc_array_read(a, &sel, ZINC_BUFFER(got, sizeof got), NULL, &err));
	for (size_t i = 0; i < POINTS; i++)
		assert_int_equal(got[i], v[points[i]]);
	assert_in_range(atomic_load(&memory.peak), 0, 7 * CHUNK);
	zinc_array_close(a);
	zinc_context_free(ctx);
	free(v);
}

/* A full read of 128 MiB in chunks of 4 MiB in a separate process: the growth of its peak. */
static void
test_peak_memory(void **unused)
{
	enum { SIDE = 512, CHUNK = 128 };
	const uint64_t shape[] = {SIDE, SIDE, SIDE}, chunks[] = {CHUNK, CHUNK, CHUNK};
	const size_t nbytes = (size_t)SIDE * SIDE * SIDE;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	uint8_t *v;
	char url[128];
	pid_t child;
	int status;

	(void)unused;
	if (SANITIZED)
		skip();
	v = malloc(nbytes);
	assert_non_null(v);
	for (size_t i = 0; i < nbytes; i++)
		v[i] = (uint8_t)(i * 2654435761u >> 24);
	snprintf(url, sizeof url, "%s/peak.zarr", dir);
	assert_ok(zinc_array_create_url(
	    &a, url, ZINC_ARRAY_OPTIONS(.ndim = 3, .shape = shape, .dtype = "uint8", .chunks = chunks),
	    ZINC_OPEN_OPTIONS(.relaxed = 1), &err));
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, nbytes), NULL, &err));
	zinc_array_close(a);
	free(v);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		struct rusage was, now;
		long grown;

		v = malloc(nbytes);
		if (!v)
			_exit(1);
		memset(v, 1, nbytes);
		getrusage(RUSAGE_SELF, &was);
		if (zinc_array_open_url(&a, url, NULL, NULL) != ZINC_OK ||
		    zinc_array_read_text(a, "", ZINC_BUFFER(v, nbytes), NULL, NULL) != ZINC_OK)
			_exit(2);
		getrusage(RUSAGE_SELF, &now);
		grown = now.ru_maxrss - was.ru_maxrss;
		printf("peak memory grew by %ld KiB over the destination's 131072 KiB\n", grown);
		fflush(NULL);
		_exit(grown > 64 * 1024 ? 3 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* (4) 200 MiB in the place of 4 bytes.  tests/cli/memory.sh tries the other stores. */
static void
test_huge_value(void **unused)
{
	const uint64_t shape[] = {8}, chunks[] = {4}, index[] = {0};
	const size_t huge = (size_t)200 << 20;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob bytes = ZINC_BLOB_INIT;
	zinc_context *ctx = NULL;
	sweep_memory memory;
	zinc_array *a = NULL;
	uint8_t v[8] = {0}, *value = calloc(1, huge);
	long before;

	(void)unused;
	assert_non_null(value);
	sweep_memory_init(&memory);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .allocator = &memory.allocator), &err));
	assert_ok(zinc_array_create_url(
	    &a, "memory://huge",
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint8", .chunks = chunks, .codecs = "none"),
	    ZINC_OPEN_OPTIONS(.context = ctx), &err));
	assert_ok(zinc_array_chunk_put(a, index, value, huge, NULL, &err));
	free(value);
	before = atomic_load(&memory.bytes);
	atomic_store(&memory.peak, before);
	assert_int_equal(zinc_array_read_text(a, "", ZINC_BUFFER(v, 8), NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_array_read_text(a, "1:3", ZINC_BUFFER(v, 2), NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_array_chunk_get(a, index, &bytes, NULL, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_array_write_text(a, "0:1", ZINC_BUFFER(v, 1), NULL, &err), ZINC_E_LIMIT);
	printf("200 MiB for a chunk of 4 bytes: %ld KiB more at most\n", (atomic_load(&memory.peak) - before) >> 10);
	assert_true(atomic_load(&memory.peak) - before < 1 << 20);
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, 8), NULL, &err)); /* whole, it is replaced */
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(v, 8), NULL, &err));
	zinc_array_close(a);
	zinc_context_free(ctx);
	assert_int_equal(atomic_load(&memory.blocks), 0);
}

/* ---- (4), for every operation ---- */

typedef zinc_status (*change_fn)(zinc_array *a);

static uint8_t one = 1;

static zinc_status
write_part(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;

	return zinc_array_write_text(a, "4:5", ZINC_BUFFER(&one, 1), NULL, &err);
}

static zinc_status
append_part(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	static const uint64_t shape[] = {1};
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_UINT8, &one, 1);

	b.ndim = 1;
	b.shape = shape;
	return zinc_array_append(a, 0, &b, NULL, NULL, &err);
}

static zinc_status
gather_part(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	static const uint64_t start[] = {4}, count[] = {1};
	zinc_writer *w = NULL;

	assert_ok(zinc_writer_new(&w, a, 0, NULL, &err));
	assert_ok(zinc_writer_write(w,
				    ZINC_SELECTION(.kind = ZINC_SELECT_BOX, .ndim = 1, .start = start, .count = count),
				    ZINC_BUFFER(&one, 1), NULL, &err));
	return zinc_writer_close(w, NULL, &err);
}

static zinc_status
copy_it(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = zinc_array_hierarchy(a);

	return zinc_copy(h, "/a", h, "/b", ZINC_COPY_OPTIONS(.max_memory = 16 << 20), NULL, &err);
}

static zinc_status
recode_it(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = zinc_array_hierarchy(a);

	return zinc_copy(h, "/a", h, "/b", ZINC_COPY_OPTIONS(.codecs = "gzip:1", .max_memory = 16 << 20), NULL, &err);
}

static zinc_status
repair_it(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_validate_counts counts = ZINC_VALIDATE_COUNTS_INIT;
	zinc_context *ctx = zinc_store_context(zinc_hierarchy_store(zinc_array_hierarchy(a)));

	assert_ok(zinc_validate("memory://hostile/d.zarr",
				ZINC_VALIDATE_OPTIONS(.context = ctx, .repair = 1, .orphans = 1), NULL, NULL, &counts,
				&err));
	assert_int_equal(counts.errors, 1);
	return ZINC_E_LIMIT;
}

/* 200 MiB in the place of a chunk or shard of 4 bytes. */
static void
try_change(const char *name, change_fn fn, const uint64_t *shards)
{
	const uint64_t shape[] = {6}, chunks[] = {shards ? 2 : 4}, index[] = {1};
	const size_t huge = (size_t)200 << 20;
	uint8_t v[6] = {1, 2, 3, 4, 5, 6}, *value = calloc(1, huge);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	sweep_memory memory;
	zinc_array *a = NULL;
	zinc_status st;
	long before;

	assert_non_null(value);
	sweep_memory_init(&memory);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 2, .allocator = &memory.allocator), &err));
	assert_ok(zinc_array_create_url(&a, "memory://hostile/d.zarr/a",
					ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint8",
							   .chunks = chunks, .shards = shards, .codecs = "none"),
					ZINC_OPEN_OPTIONS(.context = ctx), &err));
	assert_ok(zinc_array_write_text(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_ok(zinc_array_chunk_put(a, index, value, huge, NULL, &err));
	free(value);
	before = atomic_load(&memory.bytes);
	atomic_store(&memory.peak, before);
	st = fn(a);
	printf("%s%s: %s, %ld KiB more at most\n", name, shards ? " in a shard" : "", zinc_status_name(st),
	       (atomic_load(&memory.peak) - before) >> 10);
	assert_true(st == ZINC_E_LIMIT || st == ZINC_E_CORRUPT || st == ZINC_E_CHECKSUM);
	assert_true(atomic_load(&memory.peak) - before < 4 << 20);
	zinc_array_close(a);
	zinc_context_free(ctx);
	assert_int_equal(atomic_load(&memory.blocks), 0);
}

static void
test_huge_changes(void **unused)
{
	static const uint64_t shards[] = {4};
	static const struct {
		const char *name;
		change_fn fn;
	} rows[] = {{"part of it written", write_part},     {"appended to it", append_part},
		    {"gathered by a writer", gather_part},  {"copied", copy_it},
		    {"copied and encoded anew", recode_it}, {"repaired", repair_it}};
	size_t i;

	(void)unused;
	for (i = 0; i < COUNT(rows); i++) {
		try_change(rows[i].name, rows[i].fn, NULL);
		try_change(rows[i].name, rows[i].fn, shards);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation_per_chunk),
					   cmocka_unit_test(test_huge_value), cmocka_unit_test(test_huge_changes),
					   cmocka_unit_test(test_peak_memory),
					   cmocka_unit_test(test_points_in_a_shard)};
	char command[128];
	int failed;

	snprintf(dir, sizeof dir, "memory-%ld", (long)getpid());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) != 0 || failed;
}
