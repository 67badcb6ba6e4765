/*
 * test_secret.c - memory for secrets, by the promises of secret.c and of alloc.c (4)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json/json.h"
#include "net/secret.h"
#include "support/files.h"
#include "support/sweep.h"
#include "support/test.h"

#define CANARY "canary-3f9c1d"
#define POOL   (256u * 1024)

/* ---- memory that is looked at when it is freed ---- */

typedef struct watched {
	size_t n;
	char pad[sizeof(max_align_t) * 2 - sizeof(size_t)];
} watched;

static int found;
static long blocks;

static void *
watch_alloc(void *ctx, size_t n)
{
	watched *w = (watched *)malloc(sizeof *w + n);

	(void)ctx;
	assert_non_null(w);
	w->n = n;
	blocks++;
	return w + 1;
}

static void
watch_free(void *ctx, void *p)
{
	watched *w = (watched *)p - 1;

	(void)ctx;
	found += memmem(p, w->n, CANARY, strlen(CANARY)) != NULL;
	blocks--;
	free(w);
}

static void *
watch_realloc(void *ctx, void *p, size_t n)
{
	void *copy = watch_alloc(ctx, n);

	if (p) {
		const size_t old = ((watched *)p - 1)->n;

		memcpy(copy, p, old < n ? old : n);
		watch_free(ctx, p);
	}
	return copy;
}

static zinc_context *
watched_context(void)
{
	const zinc_allocator a = {sizeof a, watch_alloc, watch_realloc, watch_free, NULL};
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;

	o.allocator = &a;
	assert_ok(zinc_context_new(&ctx, &o, &err));
	found = 0;
	return ctx;
}

/* Is this address in a mapping that core dumps leave out? */
static bool
is_hidden(const void *p)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	bool inside = false, hidden = false;
	char line[4096];

	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = (uintptr_t)p >= from && (uintptr_t)p < to;
		if (inside && strncmp(line, "VmFlags:", 8) == 0)
			hidden = strstr(line, " dd") != NULL;
	}
	fclose(f);
	return hidden;
}

static zinc_secret *
make(zinc_context *ctx, size_t max)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_secret *s = NULL;

	assert_ok(zinc_secret_new(&s, ctx, max, &err));
	return s;
}

/* ---- promises ---- */

static void
pages_of_their_own(void **state)
{
	zinc_context *ctx = watched_context();
	static const size_t sizes[] = {0, 1, 4032, 4033, 8192, 100000};
	size_t i, k;

	(void)state;
	assert_false(is_hidden(ctx));
	for (i = 0; i < COUNT(sizes); i++) {
		char *p = (char *)zinc_alloc_secret(ctx, sizes[i]);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % sizeof(max_align_t), 0);
		assert_true(is_hidden(p));
		assert_true(is_hidden(p + (sizes[i] ? sizes[i] - 1 : 0)));
		for (k = 0; k < sizes[i]; k++)
			assert_int_equal(p[k], 0);
		if (sizes[i] > 64)
			memcpy(p + sizes[i] - 20, CANARY, sizeof CANARY);
		zinc_free_secret(ctx, p);
	}
	zinc_free_secret(ctx, NULL);
	assert_null(zinc_alloc_secret(ctx, SIZE_MAX - 10));
	assert_int_equal(found, 0);
	zinc_context_free(ctx);
	assert_int_equal(blocks, 0);
}

/* Promises 1 and 2. */
static void
blocks_are_hidden_and_wiped(void **state)
{
	zinc_context *ctx = watched_context();
	zinc_secret *s = make(ctx, POOL);
	zinc_context *mine = zinc_secret_context(s);
	char *p, *q;
	size_t n;

	(void)state;
	for (n = 1; n < 40000; n = n * 3 + 1) {
		p = (char *)zinc_alloc(mine, n + sizeof CANARY);
		q = (char *)zinc_alloc(mine, 10);
		assert_true(p && q && is_hidden(p) && is_hidden(p + n));
		memcpy(p + n, CANARY, sizeof CANARY);
		zinc_free(mine, p);
		assert_memory_not_equal(p + n, CANARY, strlen(CANARY)); /* still a page of the pool */
		zinc_free(mine, q);
	}
	assert_non_null(zinc_secret_text(s, CANARY " and more", strlen(CANARY)));
	p = zinc_secret_text(s, CANARY " and more", strlen(CANARY));
	assert_string_equal(p, CANARY);
	zinc_free(mine, NULL);
	zinc_secret_free(s);
	zinc_secret_free(NULL);
	assert_int_equal(found, 0);
	zinc_context_free(ctx);
	assert_int_equal(blocks, 0);
}

static void
memory_is_used_again(void **state)
{
	zinc_secret *s = make(NULL, 64 * 1024);
	zinc_context *mine = zinc_secret_context(s);
	int k;

	(void)state;
	for (k = 0; k < 10000; k++) {
		char *p = (char *)zinc_alloc(mine, 5000), *q = (char *)zinc_alloc(mine, 3000);

		assert_true(p && q);
		zinc_free(mine, k % 2 ? p : q);
		zinc_free(mine, k % 2 ? q : p);
	}
	zinc_secret_free(s);
}

/* Growing byte by byte moves a block now and then, and loses nothing. */
static void
blocks_grow(void **state)
{
	zinc_secret *s = make(NULL, POOL);
	zinc_context *mine = zinc_secret_context(s);
	char *p = NULL;
	size_t n, k;

	(void)state;
	for (n = 1; n < 200; n++) {
		p = (char *)zinc_realloc(mine, p, n);
		assert_non_null(p);
		p[n - 1] = (char)n;
		for (k = 0; k < n; k++)
			assert_int_equal((unsigned char)p[k], k + 1);
		if (n % 7 == 0)
			assert_ptr_equal(zinc_realloc(mine, p, n / 2), p); /* never shorter */
	}
	zinc_free(mine, p);
	zinc_secret_free(s);
}

static void
there_is_a_maximum(void **state)
{
	zinc_secret *s = make(NULL, 64 * 1024);
	int k;

	(void)state;
	assert_null(zinc_secret_alloc(s, 64 * 1024));
	assert_null(zinc_secret_alloc(s, SIZE_MAX));
	assert_null(zinc_secret_text(s, "", SIZE_MAX));
	for (k = 0; zinc_secret_alloc(s, 1000); k++)
		assert_true(k < 64);
	assert_true(k > 40);
	zinc_secret_free(s);
}

/* Promise 4. */
static void
documents_and_buffers(void **state)
{
	zinc_context *ctx = watched_context();
	zinc_secret *s = make(ctx, POOL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_buf text;
	int k;

	(void)state;
	zinc_buf_init(&text, zinc_secret_context(s), 32 * 1024);
	assert_ok(zinc_buf_puts(&text, "{\"a\": [", &err));
	for (k = 0; k < 500; k++)
		assert_ok(zinc_buf_printf(&text, &err, "\"" CANARY "%d\", ", k));
	assert_ok(zinc_buf_puts(&text, "1]}", &err));
	assert_ok(zinc_json_parse(&doc, zinc_secret_context(s), (const char *)text.p, text.n, 0, &err));
	assert_true(is_hidden(text.p));
	assert_true(is_hidden(zinc_json_item(zinc_json_member(zinc_json_root(doc), "a"), 499)->text));
	zinc_json_free(doc);
	zinc_buf_fini(&text);
	zinc_secret_free(s);
	assert_int_equal(found, 0);
	zinc_context_free(ctx);
	assert_int_equal(blocks, 0);
}

/* Promise 5. */
static void
a_child_has_a_copy(void **state)
{
	zinc_secret *s = make(NULL, POOL);
	char *p = zinc_secret_text(s, CANARY, strlen(CANARY));
	int status = 0;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const bool same = strcmp(p, CANARY) == 0 && is_hidden(p) && zinc_secret_alloc(s, 100);

		zinc_secret_free(s);
		leave_child(same ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(p, CANARY);
	zinc_secret_free(s);
}

static zinc_status
use(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_secret *s = NULL;
	zinc_buf text;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_secret_new(&s, ctx, POOL, err));
	zinc_buf_init(&text, zinc_secret_context(s), POOL);
	st = zinc_buf_reserve(&text, 20000, err);
	if (st == ZINC_OK)
		st = zinc_buf_reserve(&text, 40000, err);
	zinc_buf_fini(&text);
	zinc_secret_free(s);
	return st;
}

static void
memory_that_fails(void **state)
{
	(void)state;
	assert_true(sweep_alloc(use, NULL) >= 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pages_of_their_own),   cmocka_unit_test(blocks_are_hidden_and_wiped),
	    cmocka_unit_test(memory_is_used_again), cmocka_unit_test(there_is_a_maximum),
	    cmocka_unit_test(blocks_grow),          cmocka_unit_test(documents_and_buffers),
	    cmocka_unit_test(a_child_has_a_copy),   cmocka_unit_test(memory_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
