/* test_copy_boxes.c - boxes of a copy: how often objects are read and written, and the memory used */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "files.h"
#include "sweep.h"
#include "test.h"

#define MIB ((uint64_t)1 << 20)

/* ---- which key was touched how often ---- */

typedef struct touched {
	pthread_mutex_t lock;
	char **gets, **puts;
	size_t ngets, nputs;
} touched;

static void
keep(char ***list, size_t *n, const char *key)
{
	if ((*n & (*n - 1)) == 0) /* powers of two */
		*list = realloc(*list, (*n ? 2 * *n : 1) * sizeof **list);
	(*list)[(*n)++] = strdup(key);
}

static void
touch(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	touched *t = arg;

	(void)nbytes, (void)st;
	if (!strstr(key, "/c/") && strncmp(key, "c/", 2) != 0)
		return;
	pthread_mutex_lock(&t->lock);
	if (strcmp(operation, "get") == 0)
		keep(&t->gets, &t->ngets, key);
	if (strcmp(operation, "put") == 0)
		keep(&t->puts, &t->nputs, key);
	pthread_mutex_unlock(&t->lock);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of keys that contain `part` (or, with NULL, do not contain "pass"): how many, and how often the one touched most. */
static void
most(char **list, size_t n, const char *part, unsigned *keys, unsigned *often)
{
	unsigned run = 0;
	size_t i;

	*keys = *often = 0;
	qsort(list, n, sizeof *list, by_text);
	for (i = 0; i < n; i++) {
		if ((strstr(list[i], "pass") != NULL) != (part != NULL))
			continue;
		run = i > 0 && run > 0 && strcmp(list[i], list[i - 1]) == 0 ? run + 1 : 1;
		*keys += run == 1;
		*often = run > *often ? run : *often;
	}
}

static void
forget(touched *t)
{
	while (t->ngets > 0)
		free(t->gets[--t->ngets]);
	while (t->nputs > 0)
		free(t->puts[--t->nputs]);
	free(t->gets);
	free(t->puts);
	t->gets = t->puts = NULL;
}

/* ---- a copy of one array under watch ---- */

typedef struct watch {
	sweep_memory memory;
	zinc_context *ctx;
	zinc_store *store[2], *log[2]; /* source, target */
	zinc_hierarchy *h[2];
	touched seen[2];
	size_t n; /* elements */
} watch;

static uint16_t
value(size_t i)
{
	return (uint16_t)(i * 2654435761u >> 7);
}

static void
watch_open(watch *w, const uint64_t *shape, const uint64_t *chunks)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	uint16_t *elements;
	size_t i;

	memset(w, 0, sizeof *w);
	make_empty("from");
	make_empty("to");
	sweep_memory_init(&w->memory);
	assert_ok(
	    zinc_context_new(&w->ctx, ZINC_CONTEXT_OPTIONS(.threads = 2, .allocator = &w->memory.allocator), &err));
	for (i = 0; i < 2; i++) {
		pthread_mutex_init(&w->seen[i].lock, NULL);
		assert_ok(
		    zinc_store_open(&w->store[i], i ? "to" : "from", ZINC_STORE_OPTIONS(.context = w->ctx), &err));
		assert_ok(zinc_store_log(&w->log[i], w->store[i], touch, &w->seen[i], &err));
		assert_ok(zinc_hierarchy_open(&w->h[i], w->log[i], "",
					      ZINC_OPEN_OPTIONS(.context = w->ctx, .create = 1), &err));
	}
	w->n = (size_t)(shape[0] * shape[1] * shape[2]);
	elements = malloc(w->n * sizeof *elements);
	for (i = 0; i < w->n; i++)
		elements[i] = value(i);
	assert_ok(zinc_array_create(
	    &a, w->h[0], "/",
	    ZINC_ARRAY_OPTIONS(.ndim = 3, .shape = shape, .chunks = chunks, .dtype = "uint16", .codecs = "none"),
	    &err));
	assert_ok(zinc_array_write_text(a, NULL, ZINC_BUFFER(elements, w->n * sizeof *elements), NULL, &err));
	zinc_array_close(a);
	free(elements);
	forget(&w->seen[0]);
	w->memory.peak = w->memory.bytes;
}

/* The target must be what the source is. */
static void
watch_close(watch *w)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t *elements = calloc(w->n, sizeof *elements);
	zinc_array *a = NULL;
	size_t i;

	assert_ok(zinc_array_open(&a, w->h[1], "/", NULL, &err));
	assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER(elements, w->n * sizeof *elements), NULL, &err));
	for (i = 0; i < w->n; i++)
		if (elements[i] != value(i))
			fail_msg("element %zu is %u", i, elements[i]);
	free(elements);
	zinc_array_close(a);
	for (i = 0; i < 2; i++) {
		forget(&w->seen[i]);
		pthread_mutex_destroy(&w->seen[i].lock);
		zinc_hierarchy_close(w->h[i]);
		zinc_store_close(w->log[i]);
		zinc_store_close(w->store[i]);
	}
	zinc_context_free(w->ctx);
	assert_int_equal(w->memory.blocks, 0);
}

struct plan {
	char text[512];
};

static int
listen(void *arg, const zinc_copy_note *note)
{
	struct plan *p = arg;

	if (note->kind == ZINC_COPY_PLAN)
		snprintf(p->text, sizeof p->text, "%s", note->message);
	return 0;
}

/* ---- tests ---- */

/* Eight times the memory, and chunks of source and target have one element in common: two passes. */
static void
test_orthogonal(void **state)
{
	const uint64_t shape[3] = {128, 128, 256}, from[3] = {1, 128, 256}, to[3] = {128, 2, 4}, limit = MIB;
	zinc_error err = ZINC_ERROR_INIT;
	struct plan plan = {""};
	unsigned keys, often;
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	watch w;

	(void)state;
	watch_open(&w, shape, from);
	assert_int_equal(w.n * sizeof(uint16_t), 8 * limit);
	assert_ok(zinc_copy(
	    w.h[0], "/", w.h[1], "/",
	    ZINC_COPY_OPTIONS(.ndim = 3, .chunks = to, .max_memory = limit, .note = listen, .note_arg = &plan), &n,
	    &err));
	print_message("%s; peak %ld KiB\n", plan.text, (long)w.memory.peak / 1024);
	assert_non_null(strstr(plan.text, "two passes"));
	assert_non_null(strstr(plan.text, "each object written once"));
	most(w.seen[0].gets, w.seen[0].ngets, NULL, &keys, &often);
	assert_int_equal(keys, 128);
	assert_true(often <= 2); /* one of them for the fingerprint */
	most(w.seen[1].puts, w.seen[1].nputs, NULL, &keys, &often);
	assert_int_equal(keys, 64 * 64);
	assert_int_equal(often, 1);
	most(w.seen[1].gets, w.seen[1].ngets, NULL, &keys, &often);
	assert_int_equal(keys, 0); /* whole objects are never read */
	most(w.seen[1].puts, w.seen[1].nputs, "pass", &keys, &often);
	assert_true(keys > 0 && keys <= 32 * 32);
	assert_int_equal(often, 1);
	most(w.seen[1].gets, w.seen[1].ngets, "pass", &keys, &often);
	assert_true(often <= 2);
	assert_true((uint64_t)w.memory.peak <= limit + 64 * MIB);
	assert_true((uint64_t)w.memory.peak <= 3 * limit); /* metadata and lists of objects are small here */
	assert_false(exists("to/__zinc_cp_pass"));
	watch_close(&w);
}

/* Long in the same direction: one pass reads each object once, or twice at the edge of a box. */
static void
test_one_pass(void **state)
{
	const uint64_t shape[3] = {64, 128, 256}, from[3] = {8, 128, 16}, to[3] = {5, 128, 64};
	zinc_error err = ZINC_ERROR_INIT;
	struct plan plan = {""};
	unsigned keys, often;
	watch w;

	(void)state;
	watch_open(&w, shape, from);
	assert_ok(
	    zinc_copy(w.h[0], "/", w.h[1], "/",
		      ZINC_COPY_OPTIONS(.ndim = 3, .chunks = to, .max_memory = MIB, .note = listen, .note_arg = &plan),
		      NULL, &err));
	assert_null(strstr(plan.text, "two passes"));
	most(w.seen[0].gets, w.seen[0].ngets, NULL, &keys, &often);
	assert_int_equal(keys, 8 * 16);
	assert_true(often <= 3);
	most(w.seen[1].puts, w.seen[1].nputs, NULL, &keys, &often);
	assert_int_equal(keys, 13 * 4);
	assert_int_equal(often, 1);
	watch_close(&w);
}

/* With room for all of it everything is read once. */
static void
test_one_box(void **state)
{
	const uint64_t shape[3] = {64, 64, 64}, from[3] = {1, 64, 64}, to[3] = {64, 1, 64};
	zinc_error err = ZINC_ERROR_INIT;
	struct plan plan = {""};
	unsigned keys, often;
	watch w;

	(void)state;
	watch_open(&w, shape, from);
	assert_ok(zinc_copy(w.h[0], "/", w.h[1], "/",
			    ZINC_COPY_OPTIONS(.ndim = 3, .chunks = to, .note = listen, .note_arg = &plan), NULL, &err));
	assert_non_null(strstr(plan.text, "in 1 boxes"));
	most(w.seen[0].gets, w.seen[0].ngets, NULL, &keys, &often);
	assert_int_equal(keys, 64);
	assert_true(often <= 2);
	watch_close(&w);
}

/* After an interruption between or within the passes, it continues. */
static int
count_down(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	(void)bytes;
	assert_true(done <= total);
	return --*(int *)arg < 0;
}

static void
test_go_on(void **state)
{
	const uint64_t shape[3] = {128, 128, 256}, from[3] = {1, 128, 256}, to[3] = {128, 4, 8};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_copy_options o = ZINC_COPY_OPTIONS_INIT;
	int left, rounds = 0;
	unsigned keys, often;
	zinc_status st;
	watch w;

	(void)state;
	watch_open(&w, shape, from);
	o.ndim = 3;
	o.chunks = to;
	o.max_memory = MIB;
	o.resume = 1;
	o.verify = 1;
	o.call = ZINC_CALL_OPTIONS(.progress = count_down, .progress_arg = &left);
	do {
		left = 3;
		st = zinc_copy(w.h[0], "/", w.h[1], "/", &o, NULL, &err);
		assert_true(st == ZINC_OK || st == ZINC_E_CANCELLED);
		assert_true(st == ZINC_OK || !exists("to/zarr.json"));
	} while (st != ZINC_OK && ++rounds < 100);
	assert_true(rounds > 3 && rounds < 100);
	most(w.seen[1].puts, w.seen[1].nputs, NULL, &keys, &often);
	assert_int_equal(often, 1); /* finished objects are not done again */
	watch_close(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_orthogonal),
	    cmocka_unit_test(test_one_pass),
	    cmocka_unit_test(test_one_box),
	    cmocka_unit_test(test_go_on),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
