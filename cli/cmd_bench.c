/*
 * cmd_bench.c - zinc bench: how long reads of one array take
 *
 * Each repeat reads into new memory, without a cache of decoded chunks; the cache of the operating system is kept.
 * The time includes the allocation of that memory (in huge pages where the system has them), but not its release,
 * as in `make bench`.  Stored bytes are those that the library read from the store.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/mman.h>

#include "cli.h"

#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE MADV_NORMAL
#endif

struct bench {
	struct run *run;
	const char *url;
	zinc_array *array;
	zinc_store *log;
	struct region all;
	uint64_t decoded;
	double spent; /* seconds in reads */
	struct json workloads;
};

/* ---- memory ---- */

/* Reset the peak of memory use, where the kernel allows it. */
static void
reset_peak(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	if (!f)
		return;
	fputs("5", f);
	fclose(f);
}

static uint64_t
peak_bytes(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	struct rusage usage;
	unsigned long long kib = 0;
	char line[256];

	while (f && kib == 0 && fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %llu", &kib) != 1)
			kib = 0;
	if (f)
		fclose(f);
	if (kib == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
		kib = (unsigned long long)usage.ru_maxrss;
	return kib * 1024;
}

/* ---- reading ---- */

/* Memory whose pages are not in use yet. */
static void *
fresh_memory(uint64_t nbytes)
{
	void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED)
		(void)madvise(p, nbytes, MADV_HUGEPAGE);
	return p;
}

static int
read_fresh(struct bench *b, const zinc_selection *sel, uint64_t nelems)
{
	zinc_io_options io = io_options(b->run);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_arena *arena = NULL;
	zinc_buffer buffer;
	uint64_t nbytes;
	zinc_status st = ZINC_OK;
	double began;
	void *p;

	if (nelems == 0)
		return DONE;
	if (__builtin_mul_overflow(nelems, b->all.element, &nbytes))
		return complain(UNSUPPORTED, b->url, "the array is too large for memory; select a part with -s");
	began = now();
	p = fresh_memory(nbytes);
	if (p == MAP_FAILED)
		return complain(TROUBLE, b->url, "cannot allocate %llu bytes; select a part with -s",
				(unsigned long long)nbytes);
	buffer = *ZINC_BUFFER_AS(ZINC_NATIVE, p, nbytes);
	if (zinc_array_variable(b->array))
		st = zinc_arena_new(&arena, b->run->ctx, 0, &err);
	buffer.arena = arena;
	if (st == ZINC_OK)
		st = zinc_array_read(b->array, sel, &buffer, &io, &err);
	b->spent += now() - began;
	zinc_arena_free(arena);
	munmap(p, nbytes);
	b->decoded += nbytes;
	return st ? fail(b->url, &err) : DONE;
}

static int
read_region(struct bench *b)
{
	zinc_selection sel = region_selection(&b->all);

	return read_fresh(b, &sel, b->all.n);
}

/* A box of at most `extent` from `start`, cut at the end of the array. */
static int
read_box(struct bench *b, const uint64_t *start, const uint64_t *extent)
{
	const uint64_t *shape = zinc_array_shape(b->array);
	uint64_t count[ZINC_MAX_NDIM], n = 1;
	zinc_selection sel = ZINC_SELECTION_ALL;
	int d;

	for (d = 0; d < b->all.ndim; d++) {
		count[d] = shape[d] - start[d] < extent[d] ? shape[d] - start[d] : extent[d];
		n *= count[d];
	}
	sel.kind = ZINC_SELECT_BOX;
	sel.ndim = b->all.ndim;
	sel.start = start;
	sel.count = count;
	return read_fresh(b, &sel, n);
}

/* From `at` to the end of its chunk (shard) along a dimension. */
static uint64_t
rest_of_chunk(const zinc_array *a, int d, uint64_t at)
{
	uint64_t index, start, extent;

	if (!zinc_array_chunk_find(a, d, at, &index) || !zinc_array_chunk_span(a, d, index, &start, &extent))
		return zinc_array_shape(a)[d] - at;
	return extent - (at - start);
}

/* All boxes of that extent, or, without one, all stored chunks or shards, in C order. */
static int
read_boxes(struct bench *b, const uint64_t *fixed)
{
	const uint64_t *shape = zinc_array_shape(b->array);
	uint64_t start[ZINC_MAX_NDIM] = {0}, extent[ZINC_MAX_NDIM];
	int d = 0, status = DONE;

	while (d >= 0 && status == DONE && b->all.n) {
		for (d = 0; d < b->all.ndim; d++)
			extent[d] = fixed ? fixed[d] : rest_of_chunk(b->array, d, start[d]);
		status = interrupted() ? CANCELLED : read_box(b, start, extent);
		for (d = b->all.ndim - 1; d >= 0; d--) {
			if (shape[d] - start[d] > extent[d]) {
				start[d] += extent[d];
				break;
			}
			start[d] = 0;
		}
	}
	return status;
}

static int
read_objects(struct bench *b)
{
	return read_boxes(b, NULL);
}

static int
read_inner(struct bench *b)
{
	uint64_t extent[ZINC_MAX_NDIM] = {0};

	if (!zinc_array_shard_shape(b->array, extent))
		return read_boxes(b, NULL);
	(void)zinc_array_chunk_shape(b->array, extent);
	return read_boxes(b, extent);
}

/* xorshift64*: the same boxes every time. */
static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717u;
}

/* 100 boxes of the size of a chunk, at random places. */
static int
read_random(struct bench *b)
{
	const uint64_t *shape = zinc_array_shape(b->array);
	uint64_t extent[ZINC_MAX_NDIM] = {0}, start[ZINC_MAX_NDIM], state = 88172645463325252u;
	int i, d, status = DONE;

	(void)zinc_array_chunk_shape(b->array, extent);
	for (i = 0; i < 100 && status == DONE && b->all.n; i++) {
		for (d = 0; d < b->all.ndim; d++)
			start[d] = shape[d] > extent[d] ? next_random(&state) % (shape[d] - extent[d] + 1) : 0;
		status = interrupted() ? CANCELLED : read_box(b, start, extent);
	}
	return status;
}

/* ---- workloads ---- */

struct workload {
	const char *name;
	int (*run)(struct bench *b);
};

static const struct workload workloads[] = {
    {"full", read_region},   {"chunks", read_objects},   {"inner", read_inner},
    {"random", read_random}, {"selection", read_region}, {NULL, NULL},
};

static void
report_json(struct bench *b, const char *name, const double *seconds, int n, uint64_t stored)
{
	struct json *j = &b->workloads;
	int i;

	json_begin_object(j);
	json_string(json_key(j, "name"), name);
	json_begin_array(json_key(j, "seconds"));
	for (i = 0; i < n; i++)
		json_fixed(j, seconds[i], 6);
	json_end_array(j);
	json_uint(json_key(j, "decoded_bytes"), b->decoded);
	json_uint(json_key(j, "stored_bytes"), stored);
	json_uint(json_key(j, "peak_rss_bytes"), peak_bytes());
	json_end_object(j);
}

static void
report_text(struct bench *b, const char *name, const double *seconds, int n, uint64_t stored)
{
	double best = seconds[0];
	struct text t = {NULL, 0, 0};
	int i;

	for (i = 1; i < n; i++)
		best = seconds[i] < best ? seconds[i] : best;
	text_printf(&t, "%-10s %9.3f ms   ", name, best * 1e3);
	text_size(&t, best > 0 ? (uint64_t)((double)b->decoded / best) : 0);
	text_puts(&t, "/s   decoded ");
	text_size(&t, b->decoded);
	text_puts(&t, ", stored ");
	text_size(&t, stored);
	text_puts(&t, ", peak ");
	text_size(&t, peak_bytes());
	text_puts(&t, "\n");
	out_wrapped(b->run, &t);
	out_flush(&b->run->out);
}

/* Peak memory is that of all repeats of one workload; stored bytes are those of one repeat. */
static int
measure(struct bench *b, const struct workload *w, int repeat)
{
	double *seconds = xrealloc(NULL, (size_t)repeat * sizeof *seconds);
	zinc_store_counts before = ZINC_STORE_COUNTS_INIT, after = ZINC_STORE_COUNTS_INIT;
	int i, status = DONE;
	uint64_t stored;

	reset_peak();
	zinc_store_log_counts(b->log, &before);
	for (i = 0; i < repeat && status == DONE; i++) {
		b->decoded = 0;
		b->spent = 0;
		status = w->run(b);
		seconds[i] = b->spent;
	}
	zinc_store_log_counts(b->log, &after);
	stored = (after.get_bytes - before.get_bytes) / (uint64_t)repeat;
	if (status == DONE && b->run->args->json)
		report_json(b, w->name, seconds, repeat, stored);
	else if (status == DONE)
		report_text(b, w->name, seconds, repeat, stored);
	free(seconds);
	return status;
}

static int
measure_all(struct bench *b)
{
	const char *select = b->run->args->select;
	int repeat = b->run->args->repeat > 0 ? b->run->args->repeat : 5;
	int status = region_init(&b->all, b->array, select, b->url);
	const struct workload *w;

	for (w = workloads; w->name && status == DONE; w++)
		if (!strcmp(w->name, "selection") == (select != NULL))
			status = measure(b, w, repeat);
	region_fini(&b->all);
	return status;
}

/* Open the array again, through a store that counts bytes. */
static int
open_logged(struct bench *b)
{
	zinc_open_options o = open_options(b->run, false);
	zinc_hierarchy *h = NULL, *logged = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	struct text prefix = {NULL, 0, 0};
	int status = open_node(b->run, b->url, false, &h);

	if (status != DONE)
		return status;
	o.format = zinc_hierarchy_format(h);
	text_puts(&prefix, zinc_hierarchy_prefix(h));
	if (prefix.n)
		prefix.p[prefix.n - 1] = '\0'; /* without its '/' */
	if (zinc_store_log(&b->log, zinc_hierarchy_store(h), NULL, NULL, &err) ||
	    zinc_hierarchy_open(&logged, b->log, text_str(&prefix), &o, &err) ||
	    zinc_array_open(&b->array, logged, zinc_hierarchy_path(h), &until_stopped, &err))
		status = fail(b->url, &err);
	text_free(&prefix);
	zinc_hierarchy_close(logged);
	zinc_hierarchy_close(h);
	return status;
}

int
cmd_bench(struct run *r)
{
	struct bench b = {.run = r, .url = r->args->words.at[0]};
	struct json j = JSON_INIT;
	int status;

	if (r->args->repeat == 0)
		return complain(USAGE, "--repeat", "must be at least 1");
	status = open_logged(&b);
	if (status == DONE)
		status = measure_all(&b);
	if (status == DONE && r->args->json) {
		json_begin_object(&j);
		json_string(json_key(&j, "url"), b.url);
		json_uint(json_key(&j, "threads"), (uint64_t)thread_count(r));
		json_list(json_key(&j, "workloads"), &b.workloads);
		json_end_object(&j);
		out_document(&r->out, &j);
	}
	zinc_array_close(b.array);
	zinc_store_close(b.log);
	json_free(&b.workloads);
	return status;
}
