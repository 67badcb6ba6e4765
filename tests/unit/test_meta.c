/* test_meta.c - counted metadata, and its copy with another shape */
#include <pthread.h>
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

static zinc_meta *
parsed(const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;

	zinc_report_init(&r, zinc_context_get(NULL), false, "");
	assert_ok(zinc_text_parse(&zinc_format_v3, r.ctx, text, strlen(text), &r, &m, &err));
	return m;
}

static void *
count_up_and_down(void *arg)
{
	int i;

	for (i = 0; i < 10000; i++)
		zinc_meta_free(zinc_meta_ref(arg));
	return NULL;
}

/* (1) */
static void
test_references(void **state)
{
	zinc_meta *m = parsed(ARRAY);
	pthread_t threads[4];
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_up_and_down, m), 0);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&m->refs), 1);
	zinc_meta_free(m);
	zinc_meta_free(NULL);
}

/* (2) */
static void
test_resized(void **state)
{
	static const uint64_t shape[] = {UINT64_MAX};
	zinc_meta *m = parsed(ARRAY_WITH(
		      ", \"new\": {\"must_understand\": false, \"x\": 1.50e+1}, \"dimension_names\": [\"t\"]")),
		  *big = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	(void)state;
	zinc_buf_init(&b, m->ctx, 10000);
	assert_ok(zinc_meta_resized(&big, m, shape, &err));
	assert_int_equal(m->shape[0], 4);
	zinc_meta_free(m); /* the copy is independent */
	assert_true(big->shape[0] == UINT64_MAX);
	assert_string_equal(big->dimension_names[0], "t");
	assert_int_equal(big->tag.n, 0);
	assert_ok(zinc_meta_print(big, &b, &err));
	assert_non_null(strstr(zinc_buf_text(&b), "\"shape\": [18446744073709551615]"));
	assert_non_null(strstr(zinc_buf_text(&b), "\"x\": 1.50e+1"));
	zinc_buf_fini(&b);
	zinc_meta_free(big);
	m = parsed(GROUP);
	assert_int_equal(zinc_meta_resized(&big, m, shape, &err), ZINC_E_INVALID);
	zinc_meta_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_references),
	    cmocka_unit_test(test_resized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
